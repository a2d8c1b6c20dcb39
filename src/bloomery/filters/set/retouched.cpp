#include "bloomery/filters/set/retouched.hpp"

#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {

retouched_cells::retouched_cells(const shape& s, storage stored)
    : probes_{s.bits, s.hashes},
      counts_(1, stored.take_stored(bits::ledger::stored_bytes(1))),
      bits_(s.bits, std::move(stored)) {
  if (overflows() > max_items) {
    fail(errc::corrupt,
         std::to_string(overflows()) + " bits cleared are more than " + std::to_string(max_items));
  }
}

bool retouched_cells::insert(const place& at) {
  bool fresh = false;
  for (const std::uint64_t i : at) fresh |= bits_.set(i);
  return fresh;
}

bool retouched_cells::clear(std::uint64_t i) {
  const bool was_set = bits_.clear(i);
  note_cleared(std::uint64_t{was_set});
  return was_set;
}

void retouched_cells::merge(const retouched_cells& other) {
  bits_.merge(other.bits_);
  note_cleared(other.overflows());
}

double retouched_cells::current_rate() const {
  return math::instance_rate(fill(), probes_.count);
}

retouched_filter retouched(const standard_filter& filter) {
  return {filter.shape(), filter.record(), retouched_cells(filter.shape(), filter.cells().bits())};
}

template struct erasure<retouched_filter>;

}  // namespace bloomery
