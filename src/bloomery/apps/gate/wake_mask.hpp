// Who is to wake: a frame of a few hundred bits, and a device's question to it, which is one AND.
//
// Purpose:   devices sleep with a receiver that can only compare bits. A frame is the union of the masks of
//            those that are meant; a device wakes if its mask is in the frame.
// Cost:      one AND and one comparison of each 64 bits; no hashing, no branch a bit, nothing allocated.
// Guarantee: who is meant wakes. Of others exact_rate(bits, meant, hashes) wake, on average over frames.
// Citation:  Tarkoma §IV-F, Figure 14.
//
//     const bloomery::apps::wake_mask me(bloomery::digest{1, 2}, 256, 6), you({3, 4}, 256, 6);
//     const auto frame = me | you;
//     assert(frame.wakes(me) && frame.wakes(you));
//     assert(!me.wakes(you));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/hash/digest.hpp"

namespace bloomery::apps {

class wake_mask {
 public:
  static constexpr std::uint64_t most_bits = 256;

  // Of no device.
  explicit wake_mask(std::uint64_t bits);
  // Of one. errc::invalid unless bits is in 1..256 and hashes in 1..64.
  wake_mask(digest device, std::uint64_t bits, std::uint64_t hashes);

  // Of masks of one size, or errc::incompatible.
  wake_mask& operator|=(const wake_mask& other);
  friend wake_mask operator|(wake_mask a, const wake_mask& b) { return a |= b; }

  // Whether this frame wakes that device; both of one size.
  [[nodiscard]] bool wakes(const wake_mask& device) const {
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) missing |= device.words_[i] & ~words_[i];
    return missing == 0;
  }

 private:
  std::uint64_t bits_;
  std::array<std::uint64_t, most_bits / 64> words_{};
};

}  // namespace bloomery::apps
