// N11: a directory of which host has an object, without the objects' names.
#include <algorithm>

#include "bloomery/apps/gate/watch_list.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {

lab::result directory(const lab::request& asked) {
  const std::uint64_t objects = asked.count("objects");
  const std::uint64_t hosts = asked.count("hosts");
  math::require_whole("objects", objects, 1, 10'000'000);
  math::require_whole("hosts", hosts, 1, 1 << 16);
  std::vector<keyed_value> entries;
  for (std::uint64_t i = 0; i < objects; ++i) {
    const digest object = lab::numbered(asked.seed(), 1, i);
    entries.push_back({object, hash::reduce(hash::mix(object.hi), hosts)});
  }
  const auto [map, rate] = apps::map_of(find_kind(asked.text("kind")), entries, asked.ratio("fpr"));
  const auto& told = map.as<maps>();

  lab::result found;
  std::uint64_t wrong = 0;
  for (const auto& [object, host] : entries) {
    wrong += std::uint64_t{told.value(object) != mapped{mapped::state::present, host}};
  }
  found.never("an object was looked for at the wrong host", wrong, objects);
  apps::ledger book;
  for (std::uint64_t i = 0; i < objects; ++i) {
    const mapped answer = told.value(lab::numbered(asked.seed(), 2, i));
    book.record(answer.is != mapped::state::absent, false);
  }
  found.add(lab::false_positives_of("hosts asked in vain, of objects that nobody has", book, rate));
  auto& bytes = found.add(lab::told("bytes", lab::unit::bytes, static_cast<double>(map.bytes())));
  // Sixteen bytes of a name's digest, and as few as hold a host's number.
  const double of_host = hosts <= 256 ? 1 : 2;
  bytes.rivals.push_back({"a sorted list of digests and hosts",
                          static_cast<double>(objects) * (sizeof(digest) + of_host)});
  return found;
}

extern constinit const system_info directory_system{
    .id = "N11",
    .name = "Directory",
    .source = "Tarkoma I; Chazelle et al. 2004, section 1",
    .where = pattern::gate,
    .does =
        "A map says which of many hosts or databases has an object, so that only that one is "
        "asked.",
    .figure =
        "No object is looked for at the wrong host; objects that nobody has cost a question "
        "at the promised rate.",
    .verb = "map get",
    .needs = "",
    .settings_or_none = {{{"objects", "200k", "objects"},
                          {"hosts", "64", "hosts that have them"},
                          {"fpr", "1%", "share of unknown objects that cost a question"},
                          {"kind", "bloomier", "kind of map"}}},
    .run = directory};

}  // namespace bloomery::systems
