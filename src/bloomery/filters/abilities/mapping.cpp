#include "bloomery/filters/abilities/mapping.hpp"

#include <tuple>

namespace bloomery {

std::vector<math::value_load> loads_of(entry_span entries) {
  std::vector<keyed_value> sorted(entries.begin(), entries.end());
  std::ranges::sort(sorted, {}, [](const keyed_value& entry) {
    return std::tuple(entry.value, entry.key.lo, entry.key.hi);
  });
  std::vector<math::value_load> loads;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool same_value = i > 0 && sorted[i].value == sorted[i - 1].value;
    if (!same_value) loads.push_back({sorted[i].value, 0});
    loads.back().keys += std::uint64_t{!same_value || sorted[i].key != sorted[i - 1].key};
  }
  return loads;
}

}  // namespace bloomery
