#include "bloomery/apps/gate/watch_list.hpp"

#include <algorithm>
#include <utility>

namespace bloomery::apps {
namespace {

std::vector<keyed_value> standings(std::span<const digest> suspects,
                                   std::span<const digest> cleared) {
  std::vector<keyed_value> entries;
  for (const digest name : suspects) {
    entries.push_back({name, static_cast<std::uint64_t>(standing::suspect)});
  }
  for (const digest name : cleared) {
    entries.push_back({name, static_cast<std::uint64_t>(standing::cleared)});
  }
  return entries;
}

}  // namespace

planned_map map_of(const any_kind& kind, std::span<const keyed_value> entries, double rate) {
  const auto& maps_of_kind = kind.as<maps>();
  std::uint64_t values = 1;
  for (const keyed_value& entry : entries) {
    values = std::max(values, math::values_up_to(entry.value));
  }
  const std::uint64_t keys = std::max<std::uint64_t>(1, entries.size());
  const auto shape =
      maps_of_kind.plan_entries(maps_of_kind.plan_map(keys, rate, values), entries, rate);
  return {maps_of_kind.build_map(shape, entries, {}, {keys, rate}, 1),
          maps_of_kind.rate_of_entries(shape, entries)};
}

watch_list::watch_list(std::span<const digest> suspects, std::span<const digest> cleared,
                       double rate, std::string_view kind)
    : watch_list(map_of(find_kind(kind), standings(suspects, cleared), rate)) {}

watch_list::watch_list(planned_map made) : map_(std::move(made.map)), rate_(made.rate) {}

standing watch_list::of(digest name) const {
  const mapped told = map_.as<maps>().value(name);
  return told.is == mapped::state::present ? static_cast<standing>(told.value) : standing::ok;
}

exception_list::exception_list(std::span<const digest> suspects, std::span<const digest> cleared,
                               double rate, std::string_view kind)
    : filter_([&] {
        const any_kind& chosen = find_kind(kind);
        const std::uint64_t keys = std::max<std::uint64_t>(1, suspects.size());
        return chosen.build(chosen.plan(keys, rate), suspects, {}, {keys, rate}, 1);
      }()) {
  for (const digest name : cleared) {
    if (of(name) == standing::suspect) exceptions_.push_back(name.lo);
  }
  std::ranges::sort(exceptions_);
}

standing exception_list::of(digest name) const {
  bool hit = false;
  filter_.as<asks>().may_contain(std::span(&name, 1), std::span(&hit, 1));
  if (!hit) return standing::ok;
  return std::ranges::binary_search(exceptions_, name.lo) ? standing::cleared : standing::suspect;
}

}  // namespace bloomery::apps
