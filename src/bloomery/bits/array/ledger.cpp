#include "bloomery/bits/array/ledger.hpp"

#include <string>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/zeros.hpp"

namespace bloomery::bits {

std::uint64_t ledger::stored_bytes(std::uint64_t words) {
  return core::round_up(8 * words, cache_line_bytes);
}

ledger::ledger(std::uint64_t words, storage stored) : stored_(std::move(stored)), words_(words) {
  if (stored_.size() != stored_bytes(words)) {
    fail(errc::corrupt, std::to_string(words) + " numbers take " +
                            std::to_string(stored_bytes(words)) + " bytes, there are " +
                            std::to_string(stored_.size()));
  }
  if (!core::all_zero(stored_.bytes().subspan(8 * words))) {
    fail(errc::corrupt, "bytes are set in the padding of the ledger");
  }
}

}  // namespace bloomery::bits
