#include "bloomery/filters/changing/two_filter.hpp"

#include <algorithm>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {

two_filter_cells two_filter_cells::restored(const shape& s, storage stored) {
  if (stored.size() != payload_bytes(s)) {
    fail(errc::corrupt, "two filters of these sizes take " + std::to_string(payload_bytes(s)) +
                            " bytes, there are " + std::to_string(stored.size()));
  }
  storage front = stored.take_front(bits::bit_array_bytes(s.bits));
  return {{{s.bits, s.hashes}, bits::bit_array(s.bits, std::move(front))},
          {{s.removed_bits, s.removed_hashes}, bits::bit_array(s.removed_bits, std::move(stored))}};
}

two_filter_shape two_filter_cells::plan(std::uint64_t keys, double rate) {
  const math::standard_size size = math::plan_standard(keys, rate);
  if (size.bits > max_bits / 2) {
    fail(errc::limit, "two filters of " + std::to_string(size.bits) +
                          " bits; allowed: " + std::to_string(max_bits / 2) + " each");
  }
  return {size.bits, size.hashes, size.bits, size.hashes};
}

double two_filter_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.bits, keys, s.hashes);
}

double two_filter_cells::predicted_false_negatives(const shape& s, std::uint64_t removals) {
  return math::exact_rate(s.removed_bits, removals, s.removed_hashes);
}

// After as many removals.
math::query_cost two_filter_cells::query_cost(const shape& s, std::uint64_t keys) {
  const math::query_cost members = math::uniform_cost(s.bits, keys, s.hashes);
  const math::query_cost removed = math::uniform_cost(s.removed_bits, keys, s.removed_hashes);
  return {members.absent, members.present + removed.absent};
}

bool two_filter_cells::contains(const place& at) const {
  return std::all_of(at.member.begin(), at.member.end(),
                     [&](std::uint64_t i) { return members_.bits.test(i); }) &&
         !was_removed(at.key);
}

bool two_filter_cells::insert(const place& at) {
  if (was_removed(at.key)) return false;  // it could never be seen
  bool fresh = false;
  for (const std::uint64_t i : at.member) fresh |= members_.bits.set(i);
  return fresh;
}

bool two_filter_cells::erase(const place& at) {
  if (!contains(at)) return false;
  hash::each_position(removed_.probes, turned(at.key),
                      [&](std::uint64_t i) { removed_.bits.set(i); });
  return true;
}

template struct erasure<two_filter_filter>;

}  // namespace bloomery
