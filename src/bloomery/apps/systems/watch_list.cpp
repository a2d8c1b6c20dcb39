// D7: a watch list as a map, beside the filter with an exception list that it replaces.
#include "bloomery/apps/gate/watch_list.hpp"

#include <algorithm>

#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/hash/policies.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using apps::standing;

// The names in an order that the seed decides.
std::vector<digest> shuffled_names(const lab::request& asked) {
  std::vector<digest> names;
  for (const std::string& name : asked.lines("names")) names.push_back(xxh3_hash{}(name));
  std::ranges::sort(names, {}, [&](digest d) {
    const std::uint64_t place = hash::mix(d.lo ^ hash::mix(asked.seed()));
    return std::pair(place, d.hi);
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Troublesome names, known because the filter accuses them: each costs the list an entry.
std::vector<digest> accused(const apps::exception_list& filter, std::uint64_t wanted,
                            const lab::request& asked) {
  std::vector<digest> found;
  for (std::uint64_t i = 0; found.size() < wanted; ++i) {
    const digest name = lab::numbered(asked.seed(), 1, i);
    if (filter.of(name) == standing::suspect) found.push_back(name);
  }
  return found;
}

}  // namespace

lab::result watch_list(const lab::request& asked) {
  const std::vector<digest> names = shuffled_names(asked);
  const std::uint64_t listed = asked.count("suspects");
  const std::uint64_t known = asked.count("cleared");
  const double rate = asked.ratio("fpr");
  math::require_whole("suspects", listed, 1, names.size());
  math::require_whole("cleared", known, 0, names.size() - listed);
  const std::span all(names);
  const auto suspects = all.first(listed);
  const auto cleared = all.subspan(listed, known);
  const auto strangers = all.subspan(listed + known);
  const apps::watch_list list(suspects, cleared, rate, asked.text("kind"));

  lab::result found;
  std::uint64_t wrong = 0;
  for (const digest name : suspects) wrong += std::uint64_t{list.of(name) != standing::suspect};
  for (const digest name : cleared) wrong += std::uint64_t{list.of(name) != standing::cleared};
  found.never("a listed name was answered wrongly", wrong, listed + known);
  apps::ledger book;
  for (const digest name : strangers) book.record(list.of(name) != standing::ok, false);
  found.add(lab::false_positives_of("strangers who were not told \"ok\"", book, list.rate()));

  // How many troublesome names the usual list may have before the map is smaller.
  const apps::exception_list bare(suspects, {}, rate, asked.text("kind"));
  const auto troublesome = accused(bare, listed / 10, asked);
  lab::series of_map{
      "bytes by troublesome names", "troublesome names, of the suspects", "bytes", "map", {}};
  lab::series of_list = of_map;
  of_list.name = "filter and exception list";
  double crossover = 1;
  for (std::uint64_t percent = 0; percent <= 10; ++percent) {
    const auto some = std::span(troublesome).first(troublesome.size() * percent / 10);
    const double share = static_cast<double>(some.size()) / static_cast<double>(listed);
    const apps::exception_list usual(suspects, some, rate, asked.text("kind"));
    const apps::watch_list ours(suspects, some, rate, asked.text("kind"));
    of_map.points.emplace_back(share, static_cast<double>(ours.bytes()));
    of_list.points.emplace_back(share, static_cast<double>(usual.bytes()));
    if (ours.bytes() < usual.bytes()) crossover = std::min(crossover, share);
  }
  auto& bytes = found.add(lab::told("bytes, troublesome names a tenth of the suspects",
                                    lab::unit::bytes, of_map.points.back().second));
  bytes.rivals.push_back({"filter and exception list", of_list.points.back().second});
  found.add(lab::told("troublesome names, of the suspects, from which on the map is smaller",
                      lab::unit::share, crossover));
  found.plot(std::move(of_map));
  found.plot(std::move(of_list));
  return found;
}

extern constinit const system_info watch_list_system{
    .id = "D7",
    .name = "Watch list",
    .source = "Chazelle et al. 2004, section 1",
    .where = pattern::gate,
    .does =
        "A map tells suspects, names that only sound suspicious, and all others apart, where a "
        "filter would accuse the same innocent names again and again.",
    .figure =
        "Listed names are answered exactly; of others all but the promised share are told "
        "\"ok\". An exception list is smaller only while it is short.",
    .verb = "map build",
    .needs = "wamerican",
    .settings_or_none = {{{"names", "/usr/share/dict/words", "a file of names, one a line"},
                          {"suspects", "20k", "names on the list"},
                          {"cleared", "10k", "names that only sound suspicious"},
                          {"fpr", "1%", "share of others who are not told \"ok\""},
                          {"kind", "bloomier", "kind of map"}}},
    .run = watch_list};

}  // namespace bloomery::systems
