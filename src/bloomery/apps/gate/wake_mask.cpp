#include "bloomery/apps/gate/wake_mask.hpp"

#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::apps {

wake_mask::wake_mask(std::uint64_t bits) : bits_(bits) {
  math::require_whole("bits", bits, 1, most_bits);
}

wake_mask::wake_mask(digest device, std::uint64_t bits, std::uint64_t hashes) : wake_mask(bits) {
  math::require_whole("hashes", hashes, 1, max_hashes);
  hash::each_position(hash::uniform_probes{bits, hashes}, device,
                      [&](std::uint64_t at) { words_[at / 64] |= std::uint64_t{1} << (at % 64); });
}

wake_mask& wake_mask::operator|=(const wake_mask& other) {
  if (bits_ != other.bits_) {
    fail(errc::incompatible, "masks of " + std::to_string(bits_) + " and of " +
                                 std::to_string(other.bits_) + " bits cannot be united");
  }
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

}  // namespace bloomery::apps
