#include "bloomery/filters/map/entries.hpp"

#include "bloomery/bits/batch/dealing.hpp"
#include "bloomery/core/error.hpp"

namespace bloomery::detail {

map_entries distinct_entries(entry_span entries, unsigned threads) {
  std::vector<keyed_value> sorted(entries.size());
  bits::deal_in_order(
      std::span(sorted), bits::threads_for(entries.size(), threads),
      [&](std::uint64_t i) { return entries[i]; },
      [](const keyed_value& entry) { return entry.key.lo; },
      [](const keyed_value& entry) { return std::pair(entry.key.lo, entry.key.hi); });
  map_entries distinct;
  distinct.keys.reserve(sorted.size());
  distinct.values.reserve(sorted.size());
  for (const keyed_value& entry : sorted) {
    if (!distinct.keys.empty() && distinct.keys.back() == entry.key) {
      if (distinct.values.back() == entry.value) continue;
      fail(errc::invalid, "a key is given two values, " +
                              std::to_string(std::min(distinct.values.back(), entry.value)) +
                              " and " +
                              std::to_string(std::max(distinct.values.back(), entry.value)));
    }
    distinct.keys.push_back(entry.key);
    distinct.values.push_back(entry.value);
  }
  return distinct;
}

}  // namespace bloomery::detail
