// Filters whose keys have more or fewer hashes, by how often they are asked for.
//
// Purpose:   what the weighted and the popularity-conscious filter share: bits, and a map from the
//            listed keys to their number of hashes. Any other key gets the common number, but for a
//            few that the map takes for listed ones: they get another, the same whenever they are
//            inserted or asked for. A key of no hashes is always claimed.
// Cost:      a look-up in the map (two lines), then as many bits as the key has hashes.
// Guarantee: no false negatives, for any key and whatever the map holds. Without a map it is the
//            standard filter, bit for bit.
//
// A rule has: kind, methods (their names, one or more) and hashes(method, demands, budget).
//
//     const bloomery::weighted_filter plain(bloomery::weighted_filter::plan(1000, 0.01));
//     assert(plain.shape().listed == 0 && plain.cells().hashes_of({1, 2}) == 7);
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/table/ribbon_table.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/allotted.hpp"

namespace bloomery::detail {

void check_allotment(const math::allotment& a);

}  // namespace bloomery::detail

namespace bloomery {

template <class Rule>
struct allotted_shape : math::allotment {
  std::uint64_t method = 0;

  static constexpr std::size_t shared_fields = 8;
  static constexpr std::size_t field_count = shared_fields + (Rule::methods.size() > 1 ? 1 : 0);
  static constexpr std::array<field<allotted_shape>, field_count> fields = [] {
    using s = allotted_shape;
    constexpr std::uint64_t most = max_hashes;
    std::array<field<s>, shared_fields + 1> all{
        whole_field<s>("bits", "m, the size in bits", &s::bits, 1, max_bits),
        whole_field<s>("hashes", "k of keys that are not in the map", &s::hashes, 1, most),
        whole_field<s>("listed", "keys in the map; with none the rest is 0", &s::listed, 0,
                       max_keys),
        whole_field<s>("map_bits", "bits a key in the map", &s::map_bits, 0,
                       bits::ribbon_table::max_width),
        whole_field<s>("least_hashes", "fewest that the map can tell", &s::least_hashes, 0, most),
        whole_field<s>("most_hashes", "most that the map can tell", &s::most_hashes, 0, most),
        real_field<s>("mean_hashes", "of a key inserted", &s::mean_hashes, 0, most),
        real_field<s>("budget", "bits that the listed members may set", &s::budget, 0, 1e18),
        choice_field<s>("method", "how hashes are allotted", &s::method, Rule::methods),
    };
    std::array<field<s>, field_count> used{all[0], all[1], all[2], all[3],
                                           all[4], all[5], all[6], all[7]};
    if (field_count > shared_fields) used[field_count - 1] = all[shared_fields];
    return used;
  }();
  void check() const { detail::check_allotment(*this); }
};

}  // namespace bloomery

namespace bloomery::detail {

// Keys, each once and in order, with what they ask for.
struct demand_list {
  std::vector<digest> keys;
  std::vector<math::demand> demands;
  // errc::invalid unless queries are finite and not negative, and memberships 0 to 1.
  explicit demand_list(std::span<const key_weight> weights);
};

class allotted_bits {
 public:
  using place = hash::positions;

  explicit allotted_bits(const math::allotment& a);
  allotted_bits(const math::allotment& a, storage stored);

  [[nodiscard]] std::uint64_t hashes_of(digest d) const {
    if (!map_ || map_->empty()) return hashes_;
    const std::uint64_t code = map_->value(d) ^ disguise(d);
    return code < codes_ ? least_ + code : hashes_;
  }
  [[nodiscard]] place locate(digest d) const {
    return hash::positions_of(hash::uniform_probes{bits_.size(), hashes_of(d)}, d);
  }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at) bits_.prefetch(i);
  }
  bool insert(const place& at);
  [[nodiscard]] bool contains(const place& at) const {
    return std::all_of(at.begin(), at.end(), [&](std::uint64_t i) { return bits_.test(i); });
  }
  // errc::incompatible unless the maps agree.
  void merge(const allotted_bits& other);

  [[nodiscard]] const bits::bit_array& bits() const { return bits_; }
  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const;  // of strangers, as the fill stands

  static void each_part(auto& self, auto visit) {
    if (self.map_) visit(*self.map_);
    visit(self.bits_);
  }

 protected:
  allotted_bits(const math::allotment& a, const demand_list& list,
                std::span<const unsigned> allotted);
  static std::uint64_t stored_bytes(const math::allotment& a);
  static math::query_cost cost(const math::allotment& a, std::uint64_t keys);

 private:
  // Codes are stored disguised, so that strangers meet any of the map's values alike.
  [[nodiscard]] std::uint32_t disguise(digest d) const {
    return static_cast<std::uint32_t>(hash::mix(d.hi ^ hash::golden)) & mask_;
  }
  void lay_out(const math::allotment& a);

  std::uint64_t hashes_ = 0;
  std::uint64_t least_ = 0;
  std::uint64_t codes_ = 0;
  std::uint32_t mask_ = 0;
  std::optional<bits::ribbon_table> map_;
  bits::bit_array bits_;
};

}  // namespace bloomery::detail

namespace bloomery {

template <class Rule>
class allotted_cells : public detail::allotted_bits {
 public:
  using shape = allotted_shape<Rule>;
  using can = ability_list<asks, inserts, merges, tells_rate, weighs>;
  static constexpr kind_info kind = Rule::kind;

  explicit allotted_cells(const shape& s) : detail::allotted_bits(s) {}
  allotted_cells(const shape& s, storage stored) : detail::allotted_bits(s, std::move(stored)) {}

  // No keys yet. A shape without a map takes any weights, and ignores them.
  static allotted_cells with_weights(const shape& s, std::span<const key_weight> weights) {
    const detail::demand_list list(weights);
    return {s, list, Rule::hashes(s.method, list.demands, s.budget)};
  }

  static shape plan(std::uint64_t keys, double rate) {
    return of(math::plan_allotment(keys, rate, {}, {}), 0);
  }
  static shape plan_weighted(std::uint64_t keys, double rate, std::span<const key_weight> weights,
                             std::uint64_t method = Rule::methods.size() - 1) {
    return of(math::plan_allotment(keys, rate, detail::demand_list(weights).demands,
                                   [&](std::span<const math::demand> demands, double budget) {
                                     return Rule::hashes(method, demands, budget);
                                   }),
              method);
  }
  static bool treats_alike(const shape& s) { return s.listed == 0; }
  static double predicted_rate(const shape& s, std::uint64_t keys) { return s.stranger_rate(keys); }
  // Over the queries listed, where predicted_rate is that of strangers not listed.
  static double weighted_rate(const shape& s, std::uint64_t keys,
                              std::span<const key_weight> weights) {
    const detail::demand_list list(weights);
    return s.listed_rate(keys, list.demands, Rule::hashes(s.method, list.demands, s.budget));
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) { return cost(s, keys); }
  static std::uint64_t payload_bytes(const shape& s) { return stored_bytes(s); }

 private:
  allotted_cells(const shape& s, const detail::demand_list& list,
                 std::span<const unsigned> allotted)
      : detail::allotted_bits(s, list, allotted) {}

  static shape of(const math::allotment& a, std::uint64_t method) {
    shape result;
    static_cast<math::allotment&>(result) = a;
    result.method = a.listed == 0 ? 0 : method;
    return result;
  }
};

}  // namespace bloomery
