#include "bloomery/filters/map/bloomier_mutable.hpp"

#include <algorithm>
#include <bit>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/core/zeros.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/filters/map/entries.hpp"

namespace bloomery {

void bloomier_mutable_shape::check() const {
  require_slots(slots, hashes, cell_bits + value_bits);
  if (static_cast<std::uint64_t>(std::bit_width(hashes - 1)) > cell_bits) {
    fail(errc::invalid, "cell_bits is " + std::to_string(cell_bits) + "; allowed: enough to tell " +
                            std::to_string(hashes) + " slots apart");
  }
}

bloomier_mutable_cells::bloomier_mutable_cells(const shape& s)
    : table_(s.layout()), values_(s.slots, static_cast<unsigned>(s.value_bits)) {}

bloomier_mutable_cells::bloomier_mutable_cells(const shape& s, storage stored)
    : table_(s.layout(), stored.take_stored(bits::peeled_table::stored_bytes(s.layout()))),
      values_(s.slots, static_cast<unsigned>(s.value_bits), std::move(stored)) {
  if (table_.empty() && !core::all_zero(values_.bytes())) {
    fail(errc::corrupt, "values are set and there are no keys");
  }
}

bloomier_mutable_cells bloomier_mutable_cells::build(const shape& s, entry_span entries,
                                                     unsigned threads) {
  const detail::map_entries distinct = detail::distinct_entries(entries, threads);
  bloomier_mutable_cells cells(
      bits::peeled_table::build(s.layout(), distinct.keys,
                                [](std::uint64_t /*key*/, std::uint64_t choice) { return choice; }),
      bits::packed_array(s.slots, static_cast<unsigned>(s.value_bits)));
  for (std::size_t i = 0; i < distinct.keys.size(); ++i) {
    cells.set_value(cells.locate(distinct.keys[i]), distinct.values[i]);
  }
  return cells;
}

bloomier_mutable_shape bloomier_mutable_cells::plan_map(std::uint64_t keys, double rate,
                                                        std::uint64_t values) {
  const unsigned value_bits = std::max(1U, math::value_bits(values));
  return {math::bloomier_slots(keys, planned_slots_per_key), planned_slots_per_key,
          std::max(2U, math::code_bits(planned_slots_per_key, rate)), value_bits};
}

math::query_cost bloomier_mutable_cells::query_cost(const shape& s, std::uint64_t /*keys*/) {
  const double absent = math::bucket_cost(s.slots, s.cell_bits, s.hashes).absent;
  return {absent, absent + math::bucket_cost(s.slots, s.value_bits, 1).present};
}

mapped bloomier_mutable_cells::value(const place& at) const {
  if (!contains(at)) return {};
  return {mapped::state::present, values_.get(at.slots[table_.code(at)])};
}

bool bloomier_mutable_cells::set_value(const place& at, std::uint64_t value) {
  if (!contains(at)) return false;
  values_.set(at.slots[table_.code(at)], value);
  return true;
}

std::uint64_t bloomier_mutable_cells::payload_bytes(const shape& s) {
  return bits::peeled_table::stored_bytes(s.layout()) +
         bits::bit_array_bytes(s.slots * s.value_bits);
}

template struct erasure<bloomier_mutable_filter>;

}  // namespace bloomery
