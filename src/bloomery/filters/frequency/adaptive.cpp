#include "bloomery/filters/frequency/adaptive.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/adaptive.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {

adaptive_cells::adaptive_cells(const shape& s, storage stored)
    : first_{s.bits, s.hashes},
      further_{s.bits, s.most - 1},
      numbers_(1, stored.take_stored(bits::ledger::stored_bytes(1))),
      bits_(s.bits, std::move(stored)) {
  if (overflows() > max_items) fail(errc::corrupt, "more overflows than a filter can have");
}

adaptive_shape adaptive_cells::plan(std::uint64_t keys, double rate) {
  const math::adaptive_size size = math::plan_adaptive(keys, rate);
  return {.bits = size.bits, .hashes = size.hashes};
}

double adaptive_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::adaptive_rate(s.bits, keys, s.hashes);
}

bool adaptive_cells::insert(place d) {
  bool fresh = false;
  hash::each_position(first_, d, [&](std::uint64_t i) { fresh |= bits_.set(i); });
  if (fresh) return true;
  const bool full = further_.all(beyond_first(d), [&](std::uint64_t i) { return !bits_.set(i); });
  if (full) numbers_.add(0, 1);
  return false;
}

std::uint64_t adaptive_cells::count(place d) const {
  if (!contains(d)) return 0;
  std::uint64_t run = 0;
  further_.all(beyond_first(d), [&](std::uint64_t i) {
    run += std::uint64_t{bits_.test(i)};
    return bits_.test(i);
  });
  return run + 1;
}

double adaptive_cells::current_rate() const {
  return math::instance_rate(fill(), first_.count);
}

template struct erasure<adaptive_filter>;

}  // namespace bloomery
