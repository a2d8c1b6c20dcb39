// R3: services are found by their features while they come and go.
#include <set>

#include "bloomery/apps/gate/service_directory.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using features = apps::service_directory::feature_list;

// Service i has these: a region, a price in steps, and what only it has.
features features_of(std::uint64_t seed, std::uint64_t i) {
  const digest chance = lab::numbered(seed, 1, i);
  return {"region=" + std::to_string(hash::reduce(chance.lo, 20)),
          apps::stepped("price", static_cast<double>(hash::reduce(chance.hi, 1000)), 5),
          "port=" + std::to_string(i)};
}

}  // namespace

lab::result services(const lab::request& asked) {
  const std::uint64_t count = asked.count("services");
  const std::uint64_t changes = asked.count("changes");
  math::require_whole("services", count, 2, 100'000);
  math::require_whole("changes", changes, 1, 10'000'000);
  constexpr std::uint64_t regions_and_prices = 220;
  // Of services that come and go by chance half are there.
  apps::service_directory directory(count / 2 + regions_and_prices, asked.ratio("fpr"));
  std::vector<bool> there(count);
  for (std::uint64_t step = 0; step < changes; ++step) {
    const std::uint64_t i = hash::reduce(lab::numbered(asked.seed(), 2, step).lo, count);
    const std::string name = std::to_string(i);
    if (there[i]) {
      directory.remove(name);
    } else {
      directory.add(name, features_of(asked.seed(), i));
    }
    there[i] = !there[i];
  }

  lab::result found;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto told = directory.find(features_of(asked.seed(), i));
    const bool right = there[i] ? told == std::vector{std::to_string(i)} : told.empty();
    wrong += std::uint64_t{!right};
  }
  found.never("an answer was not that of the list", wrong, count);
  found.never("the filter missed a feature that a service has", directory.asked().missed(),
              directory.asked().asked());

  // What no service has, of a sort that none of them could.
  const std::uint64_t before = directory.searches();
  const std::uint64_t questions = asked.count("questions");
  for (std::uint64_t i = 0; i < questions; ++i) {
    directory.find({"stranger=" + std::to_string(lab::numbered(asked.seed(), 3, i).lo)});
  }
  auto& searches = found.add(lab::share_of(
      "searches of the list in vain", directory.searches() - before, questions, directory.rate()));
  searches.rivals.push_back({"without a filter", 1});
  return found;
}

extern constinit const system_info services_system{
    .id = "R3",
    .name = "Service discovery by features",
    .source = "Tarkoma IV-F",
    .where = pattern::gate,
    .does =
        "The features of services, numbers in steps, are texts in a counting filter before the "
        "list of services: what no service has ends a search at once, and services leave again.",
    .figure =
        "Answers are those of the list, after any number of changes; the list is searched in "
        "vain at the filter's rate.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"services", "2000", "services that come and go"},
                          {"changes", "20k", "arrivals and departures"},
                          {"questions", "100k", "for features that nobody has"},
                          {"fpr", "1%", "of the filter"}}},
    .run = services};

}  // namespace bloomery::systems
