// D4: a join by map and reduce; mappers build the filter in parts and drop what will not join.
#include <map>
#include <set>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/apps/gate/planned_set.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/semijoin.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

struct row {
  std::uint64_t key;
  std::uint64_t id;
  friend bool operator<(const row& a, const row& b) {
    return a.key != b.key ? a.key < b.key : a.id < b.id;
  }
  friend bool operator==(const row&, const row&) = default;
};

// Of `count` rows, in the split of each mapper.
std::vector<std::vector<row>> splits_of(std::uint64_t count, std::uint64_t mappers,
                                        auto key_of_row) {
  std::vector<std::vector<row>> splits(mappers);
  for (std::uint64_t id = 0; id < count; ++id) splits[id % mappers].push_back({key_of_row(id), id});
  return splits;
}

}  // namespace

lab::result map_reduce_join(const lab::request& asked) {
  const std::uint64_t small = asked.count("small");
  const std::uint64_t large = asked.count("large");
  const std::uint64_t keys = asked.count("keys");
  const std::uint64_t mappers = asked.count("mappers");
  const std::uint64_t reducers = asked.count("reducers");
  math::require_whole("keys", keys, 2, 100'000'000);
  math::require_whole("small", small, 1, keys - 1);
  math::require_whole("large", large, 1, 100'000'000);
  math::require_whole("mappers", mappers, 1, 10'000);
  math::require_whole("reducers", reducers, 1, 10'000);
  const auto key_of = [&](std::uint64_t key) { return lab::numbered(asked.seed(), 0, key); };

  // The small table has the first keys, once each; a row of the large one has any.
  apps::random_stream random(asked.seed());
  const auto small_splits = splits_of(small, mappers, [](std::uint64_t id) { return id; });
  const auto large_splits =
      splits_of(large, mappers, [&](std::uint64_t) { return random.below(keys); });

  // First phase: a filter a split, all of one shape, united by one reducer.
  const any_kind& kind = find_kind(asked.text("kind"));
  const shape_values shape = kind.plan(small, asked.ratio("rate"));
  const promise promised{small, asked.ratio("rate")};
  std::optional<any_filter> united;
  std::vector<digest> all;
  for (const auto& split : small_splits) {
    std::vector<digest> digests;
    for (const row& each : split) digests.push_back(key_of(each.key));
    all.insert(all.end(), digests.begin(), digests.end());
    any_filter part = kind.create(shape, {}, promised);
    part.as<inserts>().insert(digests);
    if (united) {
      united->as<merges>().merge(part);
    } else {
      united = std::move(part);
    }
  }
  any_filter whole = kind.create(shape, {}, promised);
  whole.as<inserts>().insert(all);

  // Second phase: mappers pass on what may join, by key; reducers join what reaches them.
  const auto& filter = united->as<asks>();
  std::vector<std::multimap<std::uint64_t, std::uint64_t>> shuffled(reducers);
  apps::ledger rows;
  std::map<std::uint64_t, bool> passed_keys;  // of strangers: whether the filter took them
  for (const auto& split : large_splits) {
    for (const row& each : split) {
      const bool passed = filter.may_contain(key_of(each.key));
      rows.record(passed, each.key < small);
      if (each.key >= small) passed_keys[each.key] = passed;
      if (passed) shuffled[key_of(each.key).hi % reducers].emplace(each.key, each.id);
    }
  }
  std::vector<row> joined;
  for (const auto& split : small_splits) {
    for (const row& each : split) {
      const auto& bucket = shuffled[key_of(each.key).hi % reducers];
      const auto [first, last] = bucket.equal_range(each.key);
      for (auto it = first; it != last; ++it) joined.push_back({each.key, it->second});
    }
  }
  std::vector<row> expected;
  for (const auto& split : large_splits) {
    for (const row& each : split) {
      if (each.key < small) expected.push_back(each);
    }
  }
  std::ranges::sort(joined, std::less<>());
  std::ranges::sort(expected, std::less<>());

  lab::result found;
  found.never("the united filter is not that of the whole, byte for byte",
              std::uint64_t{save(*united) != save(whole)}, 1);
  found.never("the join is not that of the tables", std::uint64_t{joined != expected}, 1);
  std::uint64_t wrong_keys = 0;
  for (const auto& [key, passed] : passed_keys) wrong_keys += std::uint64_t{passed};
  const double rate = apps::rate_of(*united);
  found.add(lab::count_of("strange keys let through", wrong_keys, passed_keys.size(), rate));
  const double expected_rows =
      static_cast<double>(rows.true_positives()) + rate * static_cast<double>(rows.strangers());
  lab::figure passed =
      lab::told("rows shuffled", lab::unit::count, static_cast<double>(rows.passed()));
  passed.rivals = {{"expected by the rate", expected_rows},
                   {"without a filter", static_cast<double>(large)}};
  found.add(std::move(passed));
  return found;
}

extern constinit const system_info map_reduce_join_system{
    .id = "D4",
    .name = "Map and reduce join",
    .source = "Hadoop; Tarkoma IV-A",
    .where = pattern::exchange,
    .does =
        "A small and a large table are joined by many workers. Each makes a filter of its part "
        "of the small one, the union goes to all, and rows of the large one that do not pass "
        "are not sent to the workers that join.",
    .figure =
        "The same filter, byte for byte, however the work is split; the rows that join, and "
        "of the others only the rate of the filter, are shuffled.",
    .verb = "join",
    .needs = "",
    .settings_or_none = {{{"small", "2000", "rows of the small table, a key each"},
                          {"large", "200k", "rows of the large one"},
                          {"keys", "100k", "keys that these have, any as likely"},
                          {"mappers", "8", "workers that read"},
                          {"reducers", "4", "workers that join"},
                          {"kind", "standard", "of the filter, one that can be merged"},
                          {"rate", "1%", "of the filter"}}},
    .run = map_reduce_join};

}  // namespace bloomery::systems
