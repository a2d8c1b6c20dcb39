#include "bloomery/filters/frequency/adaptive.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/adaptive.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {

adaptive_cells::adaptive_cells(const shape& s)
    : first_{s.bits, s.hashes}, further_{s.bits, s.most - 1}, numbers_(1), bits_(s.bits) {}

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

math::query_cost adaptive_cells::query_cost(const shape& s, std::uint64_t keys) {
  return math::uniform_cost(s.bits, keys, s.hashes);
}

void adaptive_cells::prefetch(place d) const {
  first_.all(d, [&](std::uint64_t i) {
    bits_.prefetch(i);
    return true;
  });
}

bool adaptive_cells::insert(place d) {
  bool fresh = false;
  first_.all(d, [&](std::uint64_t i) {
    fresh |= bits_.set(i);
    return true;
  });
  if (fresh) return true;
  const bool full = further_.all(beyond_first(d), [&](std::uint64_t i) { return !bits_.set(i); });
  if (full) numbers_.add(0, 1);
  return false;
}

bool adaptive_cells::contains(place d) const {
  return first_.all(d, [&](std::uint64_t i) { return bits_.test(i); });
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

double adaptive_cells::fill() const {
  return static_cast<double>(bits_.count()) / static_cast<double>(bits_.size());
}

double adaptive_cells::current_rate() const {
  return math::instance_rate(fill(), first_.count);
}

std::uint64_t adaptive_cells::payload_bytes(const shape& s) {
  return bits::ledger::stored_bytes(1) + bits::bit_array_bytes(s.bits);
}

template struct erasure<adaptive_filter>;

}  // namespace bloomery
