#include "bloomery/apps/exchange/reconciliation_tree.hpp"

#include <algorithm>
#include <bit>

#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::exchange {
namespace {

// The first bit in which they differ, counted from the top of the low half, which orders them first.
unsigned first_difference(digest a, digest b) {
  if (a.lo != b.lo) return static_cast<unsigned>(std::countl_zero(a.lo ^ b.lo));
  return 64 + static_cast<unsigned>(std::countl_zero(a.hi ^ b.hi));
}

bool has_bit(digest d, unsigned bit) {
  return ((bit < 64 ? d.lo : d.hi) >> (63 - bit % 64) & 1U) != 0;
}

standard_shape shape_for(std::uint64_t keys, std::uint64_t bits_per_key) {
  const std::uint64_t count = std::max<std::uint64_t>(keys, 8);
  return {count * bits_per_key, math::best_hashes(count * bits_per_key, count)};
}

}  // namespace

standard_filter filter_of(std::span<const digest> keys, std::uint64_t bits_per_key,
                          const hash_identity& hash) {
  standard_filter made(shape_for(keys.size(), bits_per_key), hash);
  made.insert(digest_span(keys));
  return made;
}

standard_filter filter_of(const digest_set& set, std::uint64_t bits_per_key,
                          const hash_identity& hash) {
  standard_filter made(shape_for(set.size(), bits_per_key), hash);
  set.each([&](std::span<const digest> some) { made.insert(digest_span(some)); });
  return made;
}

void require_filter_of(const standard_filter& filter, std::uint64_t keys,
                       std::uint64_t bits_per_key) {
  constexpr double sure = 1 - 1e-9;
  const standard_shape expected = shape_for(keys, bits_per_key);
  bool sound = filter.shape().bits == expected.bits && filter.shape().hashes == expected.hashes &&
               filter.record().items == keys;
  if (sound) {
    const math::estimate held = filter.estimated_keys(sure);
    sound = held.low <= static_cast<double>(keys) && static_cast<double>(keys) <= held.high;
  }
  if (!sound) fail(errc::corrupt, "a filter comes that is not of as many lines as it should be");
}

reconciliation_tree::reconciliation_tree(const digest_set& of)
    : held_(of.is_stored() ? of.all() : std::vector<digest>()),
      keys_(of.is_stored() ? std::span<const digest>(held_) : of.keys()) {
  sums_.reserve(of.size() + 1);
  digest sum{};
  sums_.push_back(sum);
  for (const digest d : keys_) {
    const digest one = scattered(d);
    sum = {sum.lo ^ one.lo, sum.hi ^ one.hi};
    sums_.push_back(sum);
  }
}

digest reconciliation_tree::value(std::size_t first, std::size_t last) const {
  const digest sum{sums_[first].lo ^ sums_[last].lo, sums_[first].hi ^ sums_[last].hi};
  return scattered({sum.lo + (last - first), sum.hi});
}

// Where the second child begins. Since keys are in order, the two ends have the first bit in which any two differ.
std::size_t reconciliation_tree::middle(std::size_t first, std::size_t last) const {
  const unsigned bit = first_difference(keys_[first], keys_[last - 1]);
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(last);
  return static_cast<std::size_t>(
      std::partition_point(begin, end, [&](digest d) { return !has_bit(d, bit); }) - keys_.begin());
}

// Calls visit(node), which says whether to go on below it and may change what is handed down, from the root.
template <class Visit>
void reconciliation_tree::walk(Visit visit) const {
  if (keys_.empty()) return;
  std::vector<node> open{{0, keys_.size(), 0}};
  while (!open.empty()) {
    node now = open.back();
    open.pop_back();
    if (!visit(now) || now.last - now.first == 1) continue;
    const std::size_t half = middle(now.first, now.last);
    open.push_back({half, now.last, now.matched});
    open.push_back({now.first, half, now.matched});
  }
}

standard_filter reconciliation_tree::node_filter(std::uint64_t bits_per_node,
                                                 const hash_identity& hash) const {
  std::vector<digest> nodes;
  nodes.reserve(keys_.size());
  walk([&](const node& at) {
    if (at.last - at.first > 1) nodes.push_back(value(at.first, at.last));
    return true;
  });
  return filter_of(nodes, bits_per_node, hash);
}

reconciliation_tree::search_result reconciliation_tree::missing_there(
    const standard_filter& nodes, const standard_filter& leaves, std::uint64_t correction) const {
  search_result found;
  walk([&](node& at) {
    ++found.visits;
    if (at.last - at.first == 1) {
      const digest key = keys_[at.first];
      if (!leaves.may_contain(key)) found.keys.push_back(key);
      return false;
    }
    at.matched = nodes.may_contain(value(at.first, at.last)) ? at.matched + 1 : 0;
    return at.matched <= correction;
  });
  return found;
}

}  // namespace bloomery::exchange
