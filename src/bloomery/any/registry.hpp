// The kinds by name: what each can do, its fields, and how to make one.
//
// Everything here is derived from `all_kinds` (kinds.hpp) and the concepts each kind models.
//
//     const bloomery::kind_entry& kind = bloomery::find_kind("standard");
//     const std::array<bloomery::field_value, 2> shape{std::uint64_t{1000}, std::uint64_t{7}};
//     const bloomery::any_filter filter = kind.create(shape, {}, {});
//     assert(filter.kind().info.name == "standard" && kind.can.merge && !kind.can.erase);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any/any_filter.hpp"

namespace bloomery {

struct capabilities {
  bool plan, query, build, insert, insert_shared, merge, intersect, fold, erase, count, popularity,
      value, measure, lay_out, grow, window, time, decode, rank, reduce, overflow, bounded,
      set_value, text, search, near, guard, seal, classify, age, advertise, tell_rate;
};

struct kind_entry {
  kind_info info;
  capabilities can;
  std::vector<field_info> fields;

  any_filter (*create)(std::span<const field_value> shape, hash_identity hash, promise promised);
  // A filter of these keys, by whichever way the kind has; errc::unsupported where `can.build` is
  // false.
  any_filter (*build)(std::span<const field_value> shape, std::span<const digest> keys,
                      hash_identity hash, promise promised, unsigned threads);
  any_filter (*restore)(const wire::envelope& head, storage payload);
  std::uint64_t (*payload_bytes)(std::span<const field_value> shape);
  // Throw errc::unsupported where `can.plan` is false.
  std::vector<field_value> (*plan_shape)(std::uint64_t keys, double rate);
  // The sizes that go with the choices of a shape, such as a metric or a code; of a kind that has no
  // such choices, the shape itself.
  std::vector<field_value> (*plan_around)(std::span<const field_value> shape, std::uint64_t keys,
                                          double rate);
  // For keys with one of `values` values each; errc::unsupported where `can.value` is false, as are:
  std::vector<field_value> (*plan_map)(std::uint64_t keys, double rate, std::uint64_t values);
  std::uint64_t (*value_limit)(std::span<const field_value> shape);
  any_filter (*build_map)(std::span<const field_value> shape, std::span<const keyed_value> entries,
                          hash_identity hash, promise promised, unsigned threads);
  // With some keys asked for more than others; errc::unsupported where `can.popularity` is false.
  std::vector<field_value> (*plan_weighted)(std::uint64_t keys, double rate,
                                            std::span<const key_weight> weights);
  any_filter (*build_weighted)(std::span<const field_value> shape, std::span<const digest> keys,
                               std::span<const key_weight> weights, hash_identity hash,
                               promise promised, unsigned threads);
  // For a window of so long that holds about `keys` keys; errc::unsupported where `can.time` is false.
  std::vector<field_value> (*plan_time)(std::uint64_t keys, double rate,
                                        std::uint64_t milliseconds);
  // Keys that it holds for sure; errc::unsupported where `can.bounded` is false.
  std::uint64_t (*capacity)(std::span<const field_value> shape);
  double (*predicted_rate)(std::span<const field_value> shape, std::uint64_t keys);
  math::query_cost (*query_cost)(std::span<const field_value> shape, std::uint64_t keys);
  // The share of inserted keys that a query misses: 0 for most kinds, 1 if the kind cannot say.
  double (*predicted_false_negatives)(std::span<const field_value> shape, std::uint64_t keys);
  // Throw errc::unsupported where `can.lay_out` is false.
  math::bit_layout (*layout)(std::span<const field_value> shape);
  std::vector<field_value> (*of_bits)(std::uint64_t bits, std::uint64_t hashes);

  [[nodiscard]] any_filter plan(std::uint64_t keys, double rate, hash_identity hash) const {
    return create(plan_shape(keys, rate), hash, {keys, rate});
  }

  // Counting in the survey's Table II: a key at a time, or all at once.
  [[nodiscard]] bool counts() const { return can.count || can.decode; }
  // The last column of the survey's Table II: boolean, frequency, value.
  [[nodiscard]] std::string_view output() const;
};

// "a blocked filter", "an attenuated filter".
std::string a_filter(std::string_view kind);

std::span<const kind_entry> kinds();
const kind_entry& find_kind(std::string_view name);  // errc::invalid, listing the names

}  // namespace bloomery
