#include "harness.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "bloomery/any/registry.hpp"
#include "testing.hpp"
#include "workload.hpp"

namespace bloomery::bench {
namespace {

using testing::plausible_count;
using testing::throws_error;

bench_options small_run() {
  bench_options options;
  options.keys = 20'000;
  options.repeats = 2;
  return options;
}

std::vector<bench_row> rows_of(const filter_results& results, std::string_view name, bool batch) {
  std::vector<bench_row> found;
  std::copy_if(results.rows.begin(), results.rows.end(), std::back_inserter(found),
               [&](const bench_row& row) { return row.name == name && row.batch == batch; });
  return found;
}

bool skips(const filter_results& results, std::string_view name) {
  return std::any_of(results.skipped.begin(), results.skipped.end(),
                     [&](const left_out& one) { return one.name == name; });
}

bool is_installed(std::string_view rival) {
  const auto all = rivals();
  return std::any_of(all.begin(), all.end(),
                     [&](const rival_info& one) { return one.name == rival && one.installed; });
}

TEST(Workload, KeysAreDistinctHitsAreTheKeysAndMissesAreOthers) {
  const workload work = make_workload(50'000, 1);
  const std::set<std::uint64_t> keys(work.keys.begin(), work.keys.end());
  EXPECT_EQ(keys.size(), 50'000);
  EXPECT_NE(work.hits, work.keys);
  EXPECT_EQ(work.hits.size(), keys.size());
  EXPECT_EQ(std::set(work.hits.begin(), work.hits.end()), keys);
  EXPECT_EQ(work.misses.size(), 50'000);
  for (const std::uint64_t miss : work.misses) ASSERT_EQ(keys.count(miss), 0);
  EXPECT_EQ(make_workload(50'000, 1).misses, work.misses);
  EXPECT_NE(make_workload(50'000, 2).misses, work.misses);
}

TEST(RunFilters, EveryKindOfTheRegistryHasItsRowsOrIsSaidToBeSkipped) {
  const bench_options options = small_run();
  const filter_results results = run_filters(options);
  for (const any_kind& kind : kinds()) {
    SCOPED_TRACE(kind.info.name);
    if (!kind.takes_keys() || !kind.can<asks>()) {
      EXPECT_TRUE(skips(results, kind.info.name));
      continue;
    }
    const auto shape = kind.plan(options.keys, options.rate);
    const double bits = 8 * static_cast<double>(kind.payload_bytes(shape));
    const auto keys = static_cast<double>(options.keys);
    const auto single = rows_of(results, kind.info.name, false);
    const auto batch = rows_of(results, kind.info.name, true);
    ASSERT_EQ(single.size(), 3);
    ASSERT_GE(batch.size(), 3);  // and builds
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(single[i].what, all_operations[i]);
      EXPECT_EQ(batch[i].what, all_operations[i]);
      EXPECT_FALSE(single[i].rival || batch[i].rival);
      EXPECT_GT(single[i].ns_per_key, 0);
      EXPECT_GT(batch[i].ns_per_key, 0);
      EXPECT_DOUBLE_EQ(single[i].bits_per_key, bits / keys);
      EXPECT_DOUBLE_EQ(batch[i].bits_per_key, bits / keys);
      // The same keys and hash: not one answer may differ.
      EXPECT_EQ(single[i].measured_rate, batch[i].measured_rate);
    }
    // 20,000 misses; the deviation of the filter's own rate is a tenth of the sample's.
    const auto mistaken = static_cast<std::uint64_t>(std::lround(single[0].measured_rate * keys));
    EXPECT_TRUE(plausible_count(mistaken, options.keys, kind.predicted_rate(shape, options.keys)));
  }
}

TEST(RunFilters, RivalsHoldTheSameKeys) {
  const filter_results results = run_filters(small_run());
  const auto set = rows_of(results, "std::unordered_set", false);
  ASSERT_EQ(set.size(), 3);
  EXPECT_TRUE(set[0].rival);
  EXPECT_EQ(set[2].measured_rate, 0);
  // A node of a key and a pointer, and a bucket, for each.
  EXPECT_GE(set[0].bits_per_key, 3 * 64);
  EXPECT_LT(set[0].bits_per_key, 10 * 64);

  const auto bloom = rows_of(results, "libbloom", false);
  ASSERT_EQ(bloom.size(), is_installed("libbloom") ? 3 : 0);
  EXPECT_FALSE(skips(results, "libbloom"));
  for (const bench_row& row : bloom) {
    EXPECT_TRUE(row.rival);
    EXPECT_GT(row.measured_rate, 0.005);
    EXPECT_LT(row.measured_rate, 0.02);
    EXPECT_NEAR(row.bits_per_key, 9.585, 0.01);
  }
}

TEST(RunFilters, OnlyWhatWasAskedFor) {
  bench_options options = small_run();
  options.kinds = {"blocked"};
  options.rivals = false;
  const filter_results results = run_filters(options);
  EXPECT_EQ(results.rows.size(), 9);
  EXPECT_EQ(rows_of(results, "blocked", false).size(), 3);
  const auto batch = rows_of(results, "blocked", true);
  ASSERT_EQ(batch.size(), 5);
  EXPECT_EQ(batch[3].what, operation::build);
  EXPECT_EQ(batch[4].what, operation::build_on_two);
  EXPECT_EQ(label(batch[4]), "build, 2 threads");
  const auto floor = rows_of(results, "(one random line)", true);
  ASSERT_EQ(floor.size(), 1);
  EXPECT_EQ(floor[0].what, operation::query_miss);
  EXPECT_EQ(floor[0].bits_per_key, batch[0].bits_per_key);
  EXPECT_TRUE(results.skipped.empty());
}

TEST(RunFilters, ARivalThatCannotHoldTheKeysIsSkipped) {
  bench_options options = small_run();
  options.keys = 100;
  const filter_results results = run_filters(options);
  EXPECT_EQ(skips(results, "libbloom"), is_installed("libbloom"));
  EXPECT_TRUE(rows_of(results, "libbloom", false).empty());
  EXPECT_EQ(rows_of(results, "standard", false).size(), 3);
}

TEST(RunFilters, EveryContestantHasOneTurnInEachRepeat) {
  bench_options options = small_run();
  options.keys = 1000;
  options.repeats = 3;
  std::vector<double> shares;
  std::vector<std::string> names;
  const filter_results results = run_filters(options, [&](double done, std::string_view name) {
    shares.push_back(done);
    names.emplace_back(name);
  });
  const auto sides = static_cast<std::size_t>(std::ranges::count_if(
      results.rows, [](const bench_row& row) { return row.what == operation::query_miss; }));
  ASSERT_EQ(names.size(), 3 * sides + 1);
  EXPECT_EQ(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  const auto turns_of = [&](std::size_t repeat) {
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(repeat * sides);
    return std::vector(first, first + static_cast<std::ptrdiff_t>(sides));
  };
  const auto first = turns_of(0);
  for (std::size_t repeat = 1; repeat < 3; ++repeat) {
    const auto later = turns_of(repeat);
    EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), later.begin()));
    EXPECT_NE(first, later);
  }
}

TEST(RunFilters, RefusesOptionsOutOfRange) {
  const auto with = [](auto change) {
    bench_options options = small_run();
    change(options);
    return [options] { run_filters(options); };
  };
  EXPECT_TRUE(throws_error(errc::invalid, "one key", with([](auto& o) { o.keys = 0; })));
  EXPECT_TRUE(
      throws_error(errc::limit, "at most", with([](auto& o) { o.keys = max_bench_keys + 1; })));
  EXPECT_TRUE(throws_error(errc::invalid, "repeat", with([](auto& o) { o.repeats = 0; })));
  EXPECT_TRUE(
      throws_error(errc::invalid, "nonesuch", with([](auto& o) { o.kinds = {"nonesuch"}; })));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", with([](auto& o) { o.rate = 0; })));
}

TEST(Ratios, AgainstTheFastestRivalOfTheSameOperation) {
  const auto row = [](bool rival, operation what, bool batch, double ns) {
    bench_row result;
    result.rival = rival;
    result.what = what;
    result.batch = batch;
    result.ns_per_key = ns;
    return result;
  };
  const std::vector<bench_row> rows{
      row(false, operation::insert, false, 10),    row(false, operation::insert, true, 5),
      row(false, operation::query_hit, false, 30), row(false, operation::query_miss, true, 7),
      row(true, operation::insert, false, 40),     row(true, operation::insert, false, 20),
      row(true, operation::query_hit, false, 15),
  };
  const std::vector<std::optional<double>> expected{0.5, 0.25, 2, std::nullopt, 2, 1, 1};
  EXPECT_EQ(ratios_to_rivals(rows), expected);
}

TEST(Ratios, OfHashesAtTheSameLength) {
  const std::vector<hash_row> rows{
      {"ours", false, 8, 2}, {"ours", false, 64, 9}, {"theirs", true, 8, 8}};
  const std::vector<std::optional<double>> expected{0.25, std::nullopt, 1};
  EXPECT_EQ(ratios_to_rivals(rows), expected);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwo) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({100, 1, 4, 2}), 3);
}

TEST(Label, NamesOperationAndBatch) {
  bench_row row;
  EXPECT_EQ(label(row), "insert");
  row.what = operation::query_miss;
  row.batch = true;
  EXPECT_EQ(label(row), "query miss batch");
}

TEST(RunHashes, EachPolicyAtEachLengthItTakes) {
  hash_options options;
  options.repeats = 1;
  options.bytes_per_repeat = 1 << 14;
  std::multiset<std::pair<std::string, std::size_t>> found;
  for (const hash_row& row : run_hashes(options)) {
    EXPECT_GT(row.ns_per_key, 0);
    EXPECT_EQ(row.rival, row.name.starts_with("SipHash"));
    found.emplace(row.name, row.key_bytes);
  }
  std::multiset<std::pair<std::string, std::size_t>> expected{{"integer", 8}};
  for (const std::size_t length : {8U, 20U, 64U, 256U, 1024U}) {
    expected.emplace("xxh3", length);
    expected.emplace("keyed", length);
    const std::string rival = "SipHash-2-4-128 (libsodium)";
    if (is_installed(rival)) expected.emplace(rival, length);
  }
  EXPECT_EQ(found, expected);
}

TEST(RunHashes, RefusesOptionsOutOfRange) {
  EXPECT_TRUE(throws_error(errc::invalid, "0 bytes", [] { run_hashes({.key_bytes = {0}}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "repeat", [] { run_hashes({.repeats = 0}); }));
}

TEST(Rivals, MissingOnesNameTheirPackage) {
  EXPECT_TRUE(is_installed("std::unordered_set"));
  for (const rival_info& rival : rivals()) {
    EXPECT_TRUE(rival.installed || !rival.package.empty()) << rival.name;
  }
}

}  // namespace
}  // namespace bloomery::bench
