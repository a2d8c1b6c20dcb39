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
#include <string_view>
#include <vector>

#include "bloomery/any/any_filter.hpp"

namespace bloomery {

struct capabilities {
  bool plan, query, build, insert, insert_shared, merge, intersect, fold, erase, count, popularity,
      value, measure, lay_out, grow, window;
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

  // The last column of the survey's Table II: boolean, frequency, value.
  [[nodiscard]] std::string_view output() const;
};

std::span<const kind_entry> kinds();
const kind_entry& find_kind(std::string_view name);  // errc::invalid, listing the names

}  // namespace bloomery
