#include "bloomery/filters/set/hash_choice.hpp"

#include <algorithm>
#include <limits>

#include "bloomery/core/distinct.hpp"
#include "bloomery/core/zeros.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {
namespace {

std::uint64_t table_bytes(const hash_choice_shape& s) {
  return bits::bit_array_bytes(s.groups * s.choice_bits);
}

}  // namespace

// Groups choose one after the other; in further passes each takes its ones back first.
class hash_choice_cells::builder {
 public:
  builder(const shape& s, hash_choice_cells& cells)
      : cells_(cells), shape_(s), uses_(s.passes > 1 ? s.bits : 1, 32) {}

  void choose(std::span<const digest> group) {
    std::uint64_t best = 0;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    added_.resize(group.size() * shape_.hashes + 1);
    for (std::uint64_t set = 0; set < std::uint64_t{1} << shape_.choice_bits; ++set) {
      const std::uint64_t added = add(group, set, fewest);
      for (std::uint64_t i = 0; i < added; ++i) cells_.bits_.clear(added_[i]);
      if (added >= fewest) continue;
      best = set;
      fewest = added;
    }
    cells_.choices_.set(cells_.group(group.front()), best);
    each_bit(group, best, [&](std::uint64_t i) {
      cells_.bits_.set(i);
      if (shape_.passes > 1) uses_.set(i, uses_.get(i) + 1);
      return true;
    });
  }

  void take_back(std::span<const digest> group) {
    each_bit(group, cells_.choice(cells_.group(group.front())), [&](std::uint64_t i) {
      const std::uint64_t left = uses_.get(i) - 1;
      uses_.set(i, left);
      if (left == 0) cells_.bits_.clear(i);
      return true;
    });
  }

 private:
  // Until a visit says false.
  template <class Visit>
  void each_bit(std::span<const digest> group, std::uint64_t set, Visit visit) const {
    for (const digest d : group) {
      if (!cells_.probes_.all(hash::digest_of_set(d, set, shape_.hashes), visit)) return;
    }
  }

  // Sets bits until there are `enough` that were not; says how many, and notes which. Whether a bit is
  // set is a coin's toss, so that no branch depends on it.
  std::uint64_t add(std::span<const digest> group, std::uint64_t set, std::uint64_t enough) {
    std::uint64_t added = 0;
    each_bit(group, set, [&](std::uint64_t i) {
      added_[added] = i;
      added += std::uint64_t{cells_.bits_.set(i)};
      return added < enough;
    });
    return added;
  }

  hash_choice_cells& cells_;
  shape shape_;
  bits::packed_array uses_;  // how many hashes each bit is set for, where there are further passes
  std::vector<std::uint64_t> added_;
};

hash_choice_cells::hash_choice_cells(const shape& s, storage stored)
    : probes_{s.bits, s.hashes},
      choices_(s.groups, static_cast<unsigned>(s.choice_bits), stored.take_stored(table_bytes(s))),
      bits_(s.bits, std::move(stored)) {}

// What a group chooses depends on those before it: there is nothing for other threads to do.
hash_choice_cells hash_choice_cells::build(const shape& s, std::span<const digest> keys,
                                           unsigned /*threads*/) {
  hash_choice_cells built(s);
  // By group, since groups rise with digests.
  const std::vector<digest> sorted = core::distinct(std::vector(keys.begin(), keys.end()));
  builder choices(s, built);
  for (std::uint64_t pass = 0; pass < s.passes; ++pass) {
    for (auto first = sorted.begin(); first != sorted.end();) {
      const auto last = std::find_if(
          first, sorted.end(), [&](digest d) { return built.group(d) != built.group(*first); });
      if (pass > 0) choices.take_back({first, last});
      choices.choose({first, last});
      first = last;
    }
  }
  return built;
}

hash_choice_shape hash_choice_cells::plan(std::uint64_t keys, double rate) {
  const math::hash_choice_size size = math::plan_hash_choice(keys, rate);
  return {size.bits, size.hashes, size.groups, size.choice_bits, 1};
}

double hash_choice_cells::current_rate() const {
  return math::instance_rate(fill(), probes_.count);
}

std::uint64_t hash_choice_cells::payload_bytes(const shape& s) {
  return table_bytes(s) + bits::bit_array_bytes(s.bits);
}

void hash_choice_cells::require_record(const filter_record& record) const {
  if (record.items != 0) return;
  if (core::all_zero(choices_.bytes()) && core::all_zero(bits_.bytes())) return;
  fail(errc::corrupt, "a filter of no keys has choices or ones");
}

template struct erasure<hash_choice_filter>;

}  // namespace bloomery
