// Filters that keep a fingerprint, and a value above it if one is wanted, in a row of a static table.
//
// Purpose:   all of them but the table and its sizes, which a Rule gives: the types `shape`, with
//            layout() and value_bits, and `table`; kind, plan_map, predicted_rate, query_cost, and
//            require_record(table, record), errc::corrupt if they do not fit.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}};
//     const auto entries = bloomery::without_values(keys);
//     const auto [again, values] = bloomery::parted<std::uint32_t>(entries, 1);
//     assert(again == keys && values[1] == 0);
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/math/laws/cost.hpp"

namespace bloomery {

// Throws errc::limit unless both fit into a row.
inline void require_slot_bits(std::uint64_t fingerprint_bits, std::uint64_t value_bits,
                              std::uint64_t most) {
  if (fingerprint_bits + value_bits <= most) return;
  fail(errc::limit, "value_bits is " + std::to_string(value_bits) +
                        "; allowed: " + std::to_string(most) + " together with the " +
                        std::to_string(fingerprint_bits) + " of the fingerprint");
}

inline std::vector<keyed_value> without_values(std::span<const digest> keys) {
  std::vector<keyed_value> entries;
  entries.reserve(keys.size());
  for (const digest d : keys) entries.push_back({d, 0});
  return entries;
}

// Keys and values apart, as tables take them; the values are below `limit` or errc::invalid.
template <class Value>
std::pair<std::vector<digest>, std::vector<Value>> parted(std::span<const keyed_value> entries,
                                                          std::uint64_t limit) {
  std::pair<std::vector<digest>, std::vector<Value>> parts;
  parts.first.reserve(entries.size());
  parts.second.reserve(entries.size());
  for (const keyed_value& entry : entries) {
    require_value(entry.value, limit);
    parts.first.push_back(entry.key);
    parts.second.push_back(static_cast<Value>(entry.value));
  }
  return parts;
}

template <class Rule>
class retrieval_filter {
 public:
  using shape_type = typename Rule::shape;
  using table = typename Rule::table;
  using value_type = typename table::value_type;
  static constexpr kind_info kind = Rule::kind;

  explicit retrieval_filter(const shape_type& shape, hash_identity hash = {}, promise promised = {})
      : retrieval_filter(shape, {hash, promised, 0}, table(valid_layout(shape))) {}

  // buildable
  static retrieval_filter build(const shape_type& shape, std::span<const digest> keys,
                                hash_identity hash = {}, promise promised = {},
                                unsigned threads = 1) {
    if (shape.value_bits != 0) return build(shape, without_values(keys), hash, promised, threads);
    return {shape,
            {hash, promised, keys.size()},
            table::of_fingerprints(valid_layout(shape), keys, threads)};
  }

  // key_value
  static retrieval_filter build(const shape_type& shape, std::span<const keyed_value> entries,
                                hash_identity hash = {}, promise promised = {},
                                unsigned threads = 1) {
    const auto [keys, values] = parted<value_type>(entries, value_limit(shape));
    if (shape.value_bits == 0) return build(shape, keys, hash, promised, threads);
    return {shape,
            {hash, promised, keys.size()},
            table::of_entries(valid_layout(shape), keys, values, threads)};
  }
  static shape_type plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
    return Rule::plan_map(keys, rate_to_plan(rate), values);
  }
  static std::uint64_t value_limit(const shape_type& shape) {
    return std::uint64_t{1} << shape.value_bits;
  }
  [[nodiscard]] mapped value(digest d) const {
    return table_.empty() ? mapped{} : mapped_to(table_.found(d));
  }
  std::uint64_t values(std::span<const digest> keys, std::span<mapped> answers) const;

  // plannable
  static shape_type plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  static double predicted_rate(const shape_type& shape, std::uint64_t keys) {
    return Rule::predicted_rate(shape, keys);
  }
  static math::query_cost query_cost(const shape_type& shape, std::uint64_t keys) {
    return Rule::query_cost(shape, keys);
  }

  // membership
  [[nodiscard]] bool may_contain(digest d) const { return !table_.empty() && table_.matches(d); }
  std::uint64_t may_contain(std::span<const digest> keys, std::span<bool> answers) const {
    assert(keys.size() == answers.size());
    if (!table_.empty()) return table_.matches(keys, answers);
    std::ranges::fill(answers, false);
    return 0;
  }

  // Where the table counts them.
  template <class Table = table>
  [[nodiscard]] std::uint64_t distinct_keys() const {
    return static_cast<const Table&>(table_).keys();
  }

  // filter_kind
  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] const filter_record& record() const { return record_; }
  [[nodiscard]] retrieval_filter copy() const { return {shape_, record_, table_.copy()}; }
  [[nodiscard]] std::vector<byte_view> payload() const { return {table_.bytes()}; }
  static std::uint64_t payload_bytes(const shape_type& shape) {
    return table::stored_bytes(valid_layout(shape));
  }
  static retrieval_filter restore(const shape_type& shape, const filter_record& record,
                                  storage stored) {
    table restored(valid_layout(shape), std::move(stored));
    Rule::require_record(restored, record);
    return {shape, record, std::move(restored)};
  }

 private:
  retrieval_filter(const shape_type& shape, const filter_record& record, table rows)
      : shape_(shape), record_(record), table_(std::move(rows)) {}

  static auto valid_layout(const shape_type& shape) {
    require_valid(shape);
    return shape.layout();
  }
  static mapped mapped_to(const std::optional<value_type>& found) {
    return found ? mapped{mapped::state::present, *found} : mapped{};
  }

  shape_type shape_;
  filter_record record_;
  table table_;
};

template <class Rule>
std::uint64_t retrieval_filter<Rule>::values(std::span<const digest> keys,
                                             std::span<mapped> answers) const {
  assert(keys.size() == answers.size());
  if (table_.empty()) return std::ranges::fill(answers, mapped{}), 0;
  std::array<std::optional<value_type>, 512> found;
  std::uint64_t hits = 0;
  for (std::size_t first = 0; first < keys.size(); first += found.size()) {
    const std::size_t size = std::min(found.size(), keys.size() - first);
    table_.found(keys.subspan(first, size), std::span(found).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      answers[first + i] = mapped_to(found[i]);
      hits += std::uint64_t{found[i].has_value()};
    }
  }
  return hits;
}

}  // namespace bloomery
