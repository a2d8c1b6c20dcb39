#include "bloomery/filters/map/bloomier.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/filters/map/entries.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

void require_slots(std::uint64_t slots, std::uint64_t hashes, std::uint64_t bits_each) {
  if (slots < hashes) {
    fail(errc::invalid, "slots is " + std::to_string(slots) + "; allowed: the " +
                            std::to_string(hashes) + " that a key has, and more");
  }
  detail::require_total_bits(bits_each, slots, "slots");
}

void require_items(const bits::peeled_table& table, const filter_record& record) {
  if (table.empty() != (record.items == 0)) {
    fail(errc::corrupt, std::string("the table holds ") + (table.empty() ? "no keys" : "keys") +
                            ", and " + std::to_string(record.items) + " are on record");
  }
}

void bloomier_shape::check() const {
  require_slots(slots, hashes, cell_bits);
  if (math::value_bits(values) > cell_bits) {
    fail(errc::invalid, "values is " + std::to_string(values) + "; allowed: as many as " +
                            std::to_string(cell_bits) + " bits can tell apart");
  }
}

bloomier_cells bloomier_cells::build(const shape& s, entry_span entries, unsigned threads) {
  const detail::map_entries distinct = detail::distinct_entries(entries, threads);
  return {bits::peeled_table::build(
              s.layout(), distinct.keys,
              [&](std::uint64_t key, std::uint64_t /*choice*/) { return distinct.values[key]; }),
          s.values};
}

bloomier_shape bloomier_cells::plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
  math::require_whole("values", values, 1, math::max_codes);
  const std::uint64_t slots = math::bloomier_slots(keys, planned_slots_per_key);
  return {slots, planned_slots_per_key, math::code_bits(values, rate), values};
}

// More keys than slots cannot be held, as if every key were found.
double bloomier_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  if (keys == 0) return 0;
  return keys > s.slots ? 1 : math::code_rate(s.values, static_cast<unsigned>(s.cell_bits));
}

template struct erasure<bloomier_filter>;

}  // namespace bloomery
