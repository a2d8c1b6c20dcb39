#include "bloomery/filters/map/bloomier_cascade.hpp"

#include <algorithm>

#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

// The list has room for four standard deviations more than expected, so that hardly an attempt fails.
constexpr std::uint64_t most_attempts = 16;

}  // namespace

void bloomier_cascade_shape::check() const {
  const math::cascade_size size = sizes().size();
  detail::require_total_bits(static_cast<std::uint64_t>(size.bits(sizes().digits())), 1, "cascade");
}

bloomier_cascade_cells::bloomier_cascade_cells(const shape& s, bits::ledger attempt,
                                               bits::pair_cascade filters, bits::digest_list list)
    : shape_(s),
      digits_(s.sizes().digits()),
      attempt_(std::move(attempt)),
      filters_(std::move(filters)),
      list_(std::move(list)) {
  filters_.reseed(hash::mix(attempt_.get(0)));
}

bloomier_cascade_cells::bloomier_cascade_cells(const shape& s)
    : bloomier_cascade_cells(s, bits::ledger(1),
                             bits::pair_cascade(s.sizes().size().levels, s.hashes),
                             bits::digest_list(s.sizes().size().listed, s.sizes().digits())) {}

// Braces: the parts are taken off in order.
bloomier_cascade_cells::bloomier_cascade_cells(const shape& s, storage stored)
    : bloomier_cascade_cells{
          s, bits::ledger(1, stored.take_stored(bits::ledger::stored_bytes(1))),
          bits::pair_cascade(s.sizes().size().levels, s.hashes, stored),
          bits::digest_list(s.sizes().size().listed, s.sizes().digits(), std::move(stored))} {
  const std::uint64_t attempt = attempt_.get(0);
  if (attempt > most_attempts) {
    fail(errc::corrupt, "the cascade is of attempt " + std::to_string(attempt) +
                            ", and there are " + std::to_string(most_attempts));
  }
  if (filters_.empty() != (attempt == 0) || (attempt == 0 && listed() != 0)) {
    fail(errc::corrupt, "filters, list and attempt do not agree on whether there are keys");
  }
  for (std::uint64_t i = 0; i < listed(); ++i) {
    if (list_.value(i) >= s.values) fail(errc::corrupt, "a listed key has a value out of range");
  }
}

void bloomier_cascade_cells::require_record(const filter_record& record) const {
  const bool empty = attempt_.get(0) == 0;
  if (empty != (record.items == 0) || listed() > record.items) {
    fail(errc::corrupt, std::string("the cascade holds ") + (empty ? "no keys" : "keys") + ", " +
                            std::to_string(listed()) + " of them listed, and " +
                            std::to_string(record.items) + " are on record");
  }
}

// Items are keys and digits, key by key.
bool bloomier_cascade_cells::fill(const detail::map_entries& entries, std::uint64_t attempt) {
  attempt_.set(0, attempt);
  filters_.reseed(hash::mix(attempt));
  std::vector<std::uint64_t> items = filters_.hold(
      {entries.keys.size() * digits_, [&](std::uint64_t i) -> bits::pair_cascade::item {
         return {entries.keys[i / digits_], i % digits_,
                 (entries.values[i / digits_] >> i % digits_ & 1) != 0};
       }});
  for (std::uint64_t& item : items) item /= digits_;
  items.erase(std::unique(items.begin(), items.end()), items.end());
  if (items.size() > list_.room()) return false;
  for (const std::uint64_t i : items) list_.add(entries.keys[i], entries.values[i]);
  return true;
}

bloomier_cascade_cells bloomier_cascade_cells::build(const shape& s, entry_span entries,
                                                     unsigned threads) {
  bloomier_cascade_cells cells(s);
  const detail::map_entries distinct = detail::distinct_entries(entries, threads);
  if (distinct.keys.empty()) return cells;
  for (std::uint64_t attempt = 1; attempt <= most_attempts; ++attempt) {
    if (cells.fill(distinct, attempt)) return cells;
  }
  fail(errc::limit, format_count(distinct.keys.size()) +
                        " distinct keys do not fit into a cascade laid out for " +
                        format_count(s.keys));
}

bloomier_cascade_shape bloomier_cascade_cells::plan_map(std::uint64_t keys, double rate,
                                                        std::uint64_t values) {
  const math::cascade planned = math::plan_cascade(keys, rate, values);
  return {planned.keys, planned.hashes, planned.values};
}

mapped bloomier_cascade_cells::value(digest d) const {
  std::uint64_t value = 0;
  for (std::uint64_t at = 0; at < digits_; ++at) {
    const bits::pair_cascade::verdict found = filters_.ask(d, at);
    if (found == bits::pair_cascade::verdict::neither) return {};
    if (found == bits::pair_cascade::verdict::both) {
      const auto listed = list_.find(d);
      return listed ? mapped{mapped::state::present, *listed} : mapped{};
    }
    value |= std::uint64_t{found == bits::pair_cascade::verdict::one} << at;
  }
  if (value >= shape_.values) return {};
  return {mapped::state::present, value};
}

std::uint64_t bloomier_cascade_cells::payload_bytes(const shape& s) {
  const math::cascade_size size = s.sizes().size();
  return bits::ledger::stored_bytes(1) + bits::pair_cascade::stored_bytes(size.levels) +
         bits::digest_list::stored_bytes(size.listed, s.sizes().digits());
}

template struct erasure<bloomier_cascade_filter>;

}  // namespace bloomery
