// Cells that keep a fingerprint, and a value above it if one is wanted, in a row of a static table.
//
// Purpose:   all of it but the table and its sizes, which a rule gives: the types `shape`, with
//            layout() and value_bits, and `table`; kind, plan_map, predicted_rate, query_cost, and
//            require_record(table, record), errc::corrupt if they do not fit.
//
//     const std::vector<bloomery::keyed_value> entries{{{1, 2}, 5}, {{3, 4}, 6}};
//     using bloomery::fuse_filter;
//     const auto map = fuse_filter::build(fuse_filter::plan_map(2, 0.01, 8), entries);
//     assert(map.value({1, 2}).value == 5 && map.value({3, 4}).value == 6);
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "bloomery/filters/filter.hpp"

namespace bloomery {

// Throws errc::limit unless both fit into a row.
inline void require_slot_bits(std::uint64_t fingerprint_bits, std::uint64_t value_bits,
                              std::uint64_t most) {
  if (fingerprint_bits + value_bits <= most) return;
  fail(errc::limit, "value_bits is " + std::to_string(value_bits) +
                        "; allowed: " + std::to_string(most) + " together with the " +
                        std::to_string(fingerprint_bits) + " of the fingerprint");
}

// Batches that a table answers: of digests or, where it hashes them itself, of integers.
template <class Keys, class Table>
concept matched_by = requires(const Table table, const Keys& keys, std::span<bool> answers) {
  table.matches(keys, answers);
};

template <class Rule>
class retrieval_cells {
 public:
  using shape = typename Rule::shape;
  using table = typename Rule::table;
  using value_type = typename table::value_type;
  using can = ability_list<asks, asks_in_batches, builds, maps, maps_in_batches, checks_record>;
  static constexpr kind_info kind = Rule::kind;

  explicit retrieval_cells(const shape& s) : table_(s.layout()) {}
  retrieval_cells(const shape& s, storage stored) : table_(s.layout(), std::move(stored)) {}

  static retrieval_cells build(const shape& s, digest_span keys, unsigned threads) {
    if (s.value_bits == 0) return table::of_fingerprints(s.layout(), keys, threads);
    return table::of_entries(s.layout(), keys, std::vector<value_type>(keys.size()), threads);
  }
  static retrieval_cells build(const shape& s, entry_span entries, unsigned threads) {
    std::vector<digest> keys;
    std::vector<value_type> values;
    keys.reserve(entries.size());
    values.reserve(entries.size());
    for (const keyed_value& entry : entries) {
      keys.push_back(entry.key);
      values.push_back(static_cast<value_type>(entry.value));
    }
    if (s.value_bits == 0) return build(s, keys, threads);
    return table::of_entries(s.layout(), keys, values, threads);
  }
  void require_record(const filter_record& record) const { Rule::require_record(table_, record); }

  static shape plan(std::uint64_t keys, double rate) { return plan_map(keys, rate, 1); }
  static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
    return Rule::plan_map(keys, rate, values);
  }
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return Rule::predicted_rate(s, keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return Rule::query_cost(s, keys);
  }
  static std::uint64_t value_limit(const shape& s) { return math::values_of_bits(s.value_bits); }

  [[nodiscard]] bool contains(digest d) const { return !table_.empty() && table_.matches(d); }
  template <matched_by<table> Keys>
  std::uint64_t contains_batch(const Keys& keys, std::span<bool> answers) const {
    if (!table_.empty()) return table_.matches(keys, answers);
    std::ranges::fill(answers, false);
    return 0;
  }
  [[nodiscard]] mapped value(digest d) const {
    return table_.empty() ? mapped{} : mapped_to(table_.found(d));
  }
  std::uint64_t values_batch(digest_span keys, std::span<mapped> answers) const;

  // Where the table counts them.
  template <class Table = table>
  [[nodiscard]] std::uint64_t distinct_keys() const {
    return static_cast<const Table&>(table_).keys();
  }

  static void each_part(auto& self, auto visit) { visit(self.table_); }
  static std::uint64_t payload_bytes(const shape& s) { return table::stored_bytes(s.layout()); }

 private:
  retrieval_cells(table rows) : table_(std::move(rows)) {}

  static mapped mapped_to(const std::optional<value_type>& found) {
    return found ? mapped{mapped::state::present, *found} : mapped{};
  }

  table table_;
};

template <class Rule>
std::uint64_t retrieval_cells<Rule>::values_batch(digest_span keys,
                                                  std::span<mapped> answers) const {
  if (table_.empty()) {
    std::ranges::fill(answers, mapped{});
    return 0;
  }
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
