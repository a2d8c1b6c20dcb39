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

std::vector<bench_row> rows_of(const filter_results& results, std::string_view name) {
  std::vector<bench_row> found;
  std::ranges::copy_if(results.rows, std::back_inserter(found),
                       [&](const bench_row& row) { return row.name == name; });
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

TEST(Workload, HalfOfTheLookupsAreForKeysAndHalfForStrangers) {
  const auto work = make_workload<std::uint64_t>(50'000, 1);
  const std::set<std::uint64_t> keys(work.keys.keys.begin(), work.keys.keys.end());
  EXPECT_EQ(keys.size(), 50'000);
  const auto& asked = work.asked.keys;
  EXPECT_EQ(asked.size(), 50'000);
  EXPECT_TRUE(plausible_count(work.hits, asked.size(), 0.5));
  const auto is_key = [&](std::uint64_t key) { return keys.contains(key); };
  EXPECT_EQ(std::ranges::count_if(asked, is_key), work.hits);
  // Nothing can be guessed from the answer before.
  std::uint64_t same = 0;
  for (std::size_t i = 1; i < asked.size(); ++i) {
    same += std::uint64_t{is_key(asked[i]) == is_key(asked[i - 1])};
  }
  EXPECT_TRUE(plausible_count(same, asked.size() - 1, 0.5));
  for (const std::uint64_t stranger : work.source.from(work.first_stranger, 1000).keys) {
    ASSERT_FALSE(is_key(stranger));
    ASSERT_EQ(std::ranges::count(asked, stranger), 0);
  }
  EXPECT_EQ(make_workload<std::uint64_t>(50'000, 1).asked.keys, asked);
  EXPECT_NE(make_workload<std::uint64_t>(50'000, 2).asked.keys, asked);
}

TEST(Workload, TextsAreDistinctAndOfTheirLength) {
  const auto work = make_workload<std::string_view>(5000, 1, 20);
  const std::set<std::string_view> keys(work.keys.keys.begin(), work.keys.keys.end());
  EXPECT_EQ(keys.size(), 5000);
  for (const std::string_view key : keys) ASSERT_EQ(key.size(), 20);
  EXPECT_EQ(std::ranges::count_if(work.asked.keys,
                                  [&](std::string_view key) { return keys.contains(key); }),
            work.hits);
}

std::vector<std::string> labels_of(const std::vector<bench_row>& rows) {
  std::vector<std::string> labels;
  for (const bench_row& row : rows) labels.push_back(label(row));
  return labels;
}

TEST(RunFilters, EveryKindOfTheRegistryHasItsRowsOrIsSaidToBeSkipped) {
  const bench_options options = small_run();
  const filter_results results = run_filters(options);
  for (const any_kind& kind : kinds()) {
    SCOPED_TRACE(kind.info.name);
    const auto rows = rows_of(results, kind.info.name);
    if (!kind.takes_keys() || !kind.can<asks>()) {
      EXPECT_TRUE(skips(results, kind.info.name));
      EXPECT_TRUE(rows.empty());
      continue;
    }
    std::vector<std::string> expected;
    const auto expect = [&](bool can, std::initializer_list<const char*> labels) {
      if (can) expected.insert(expected.end(), labels.begin(), labels.end());
    };
    expect(kind.can<inserts>(), {"insert", "insert batch"});
    expect(true, {"look-up", "look-up batch", "look-up dependent"});
    expect(kind.can<erases>(), {"remove", "remove batch"});
    expect(kind.can<builds>(), {"build", "build, 2 threads"});
    EXPECT_EQ(labels_of(rows), expected);
    const auto shape = kind.plan(options.keys, options.rate);
    const double bits = 8 * static_cast<double>(kind.payload_bytes(shape));
    for (const bench_row& row : rows) {
      EXPECT_FALSE(row.rival);
      EXPECT_EQ(row.hash, "integer");
      EXPECT_GT(row.ns_per_key, 0);
      EXPECT_DOUBLE_EQ(row.bits_per_key, bits / static_cast<double>(options.keys));
      // 80,000 strangers; the deviation of the filter's own rate is a fifth of the sample's.
      EXPECT_EQ(row.rate_sample, 80'000);
      const auto mistaken = static_cast<std::uint64_t>(
          std::lround(row.measured_rate * static_cast<double>(row.rate_sample)));
      EXPECT_TRUE(
          plausible_count(mistaken, row.rate_sample, kind.predicted_rate(shape, options.keys)));
    }
  }
}

TEST(RunFilters, RivalsHoldTheSameKeys) {
  const filter_results results = run_filters(small_run());
  const auto set = rows_of(results, "std::unordered_set");
  EXPECT_EQ(labels_of(set),
            (std::vector<std::string>{"insert", "look-up", "look-up dependent", "remove"}));
  EXPECT_TRUE(set[0].rival);
  EXPECT_EQ(set[0].measured_rate, 0);
  // A node of a key and a pointer, and a bucket, for each.
  EXPECT_GE(set[0].bits_per_key, 3 * 64);
  EXPECT_LT(set[0].bits_per_key, 10 * 64);

  const auto bloom = rows_of(results, "libbloom");
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
  const auto blocked = rows_of(results, "blocked");
  EXPECT_EQ(blocked.size(), 7);
  const auto floor = rows_of(results, "(one random line)");
  EXPECT_EQ(labels_of(floor), std::vector<std::string>{"look-up batch"});
  EXPECT_EQ(floor[0].bits_per_key, blocked[0].bits_per_key);
  EXPECT_EQ(results.rows.size(), 8);
  EXPECT_TRUE(results.skipped.empty());
}

TEST(RunFilters, ShapesAreFixedByHand) {
  bench_options options = small_run();
  options.rivals = false;
  options.shapes = {parse_shape("blocked:blocks=0.025n,hashes=5"),
                    parse_shape("standard:hashes=3")};
  const filter_results results = run_filters(options);
  const auto blocked = rows_of(results, "blocked:blocks=0.025n,hashes=5");
  ASSERT_EQ(blocked.size(), 7);
  EXPECT_DOUBLE_EQ(blocked[0].bits_per_key, 0.025 * 512);
  const any_kind& standard = find_kind("standard");
  const auto other = rows_of(results, "standard:hashes=3");
  ASSERT_EQ(other.size(), 7);
  // The rest is as planned, and the rate is what it then is.
  EXPECT_DOUBLE_EQ(
      other[0].bits_per_key,
      8 * static_cast<double>(standard.payload_bytes(standard.plan(20'000, 0.01))) / 20'000);
  EXPECT_NEAR(other[0].measured_rate, 0.0195, 0.003);
  EXPECT_TRUE(rows_of(results, "blocked").empty());  // nor any other
}

TEST(RunFilters, ShapesOutOfRangeAreRefused) {
  for (const char* const text : {"blocked", "blocked:", "blocked:hashes", "blocked:hashes=5,x"}) {
    EXPECT_TRUE(throws_error(errc::invalid, "expected KIND:FIELD=VALUE", [&] {
      parse_shape(text);
    })) << text;
  }
  EXPECT_TRUE(
      throws_error(errc::invalid, "no field 'bits'", [] { parse_shape("blocked:bits=9"); }));
  EXPECT_TRUE(throws_error(errc::invalid, "nonesuch", [] { parse_shape("nonesuch:bits=9"); }));
  bench_options options = small_run();
  for (const char* const value : {"0n", "xn", "n", "-1n"}) {
    options.shapes = {parse_shape(std::string("blocked:blocks=") + value)};
    EXPECT_TRUE(throws_error(errc::invalid, "above 0", [&] { run_filters(options); })) << value;
  }
}

TEST(RunFilters, TextsUnderBothHashes) {
  bench_options options = small_run();
  options.key_bytes = 20;
  options.kinds = {"blocked", "fuse", "cuckoo"};
  const filter_results results = run_filters(options);
  for (const std::string& kind : options.kinds) {
    for (const std::string hash : {"xxh3", "keyed"}) {
      std::vector<bench_row> rows = rows_of(results, kind);
      std::erase_if(rows, [&](const bench_row& row) { return row.hash != hash; });
      EXPECT_GE(rows.size(), 5) << kind << hash;
      for (const bench_row& row : rows) {
        EXPECT_GT(row.ns_per_key, 0);
        EXPECT_LT(row.measured_rate, 0.012);
      }
    }
  }
  EXPECT_TRUE(skips(results, "std::unordered_set"));  // of integers
  EXPECT_EQ(rows_of(results, "libbloom").size(), is_installed("libbloom") ? 2 : 0);
}

TEST(RunFilters, ARivalThatCannotHoldTheKeysIsSkipped) {
  bench_options options = small_run();
  options.keys = 100;
  const filter_results results = run_filters(options);
  EXPECT_EQ(skips(results, "libbloom"), is_installed("libbloom"));
  EXPECT_TRUE(rows_of(results, "libbloom").empty());
  EXPECT_EQ(rows_of(results, "standard").size(), 7);
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
  std::set<std::string> all;
  for (const bench_row& row : results.rows) all.insert(row.name);
  ASSERT_EQ(names.size(), 3 * all.size() + 1);
  EXPECT_EQ(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  const auto turns_of = [&](std::size_t repeat) {
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(repeat * all.size());
    return std::vector(first, first + static_cast<std::ptrdiff_t>(all.size()));
  };
  const auto first = turns_of(0);
  for (std::size_t repeat = 1; repeat < 3; ++repeat) {
    const auto later = turns_of(repeat);
    EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), later.begin()));
    EXPECT_NE(first, later);
  }
}

TEST(RunFilters, TimeThatIsLeftGoesIntoMoreRepeats) {
  bench_options options = small_run();
  options.kinds = {"blocked"};
  options.rivals = false;
  options.keys = 1000;
  options.repeats = 1;
  options.seconds = 0.3;
  std::size_t turns = 0;
  run_filters(options, [&](double, std::string_view) { ++turns; });
  EXPECT_GT(turns, 2 * 2 + 1);  // of the kind and the floor
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
  EXPECT_TRUE(throws_error(errc::invalid, "7 bytes", with([](auto& o) { o.key_bytes = 7; })));
  EXPECT_TRUE(throws_error(errc::invalid, "5000 bytes", with([](auto& o) { o.key_bytes = 5000; })));
  EXPECT_TRUE(
      throws_error(errc::invalid, "nonesuch", with([](auto& o) { o.kinds = {"nonesuch"}; })));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", with([](auto& o) { o.rate = 0; })));
  EXPECT_TRUE(
      throws_error(errc::io, "nonesuch.so", with([](auto& o) { o.plugins = {"nonesuch.so"}; })));
}

bench_row row_of(bool rival, operation what, bool batch, double ns, double bits = 10,
                 double rate = 0.01) {
  bench_row row;
  row.rival = rival;
  row.what = what;
  row.batch = batch;
  row.ns_per_key = ns;
  row.bits_per_key = bits;
  row.measured_rate = rate;
  row.rate_sample = 1'000'000'000;
  return row;
}

// The first row's comparison, with the others as rivals.
std::optional<comparison> first_of(std::vector<bench_row> rows) {
  const auto all = against_rivals(rows);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_FALSE(all[i]);
  return all.front();
}

TEST(AgainstRivals, TheFastestOfTheSameOperation) {
  const auto held =
      first_of({row_of(false, operation::find, false, 10), row_of(true, operation::find, false, 40),
                row_of(true, operation::find, false, 20),
                row_of(true, operation::find, true, 5),  // takes batches
                row_of(true, operation::find_dependent, false, 1),
                row_of(true, operation::insert, false, 1)});
  ASSERT_TRUE(held);
  EXPECT_EQ(held->rival, 2);
  EXPECT_EQ(held->ratio, 0.5);
  EXPECT_TRUE(held->fair);
  EXPECT_FALSE(first_of(
      {row_of(false, operation::remove, false, 10), row_of(true, operation::find, false, 40)}));
}

TEST(AgainstRivals, BatchesMeetWhateverTheRivalDoesFastest) {
  EXPECT_EQ(
      first_of({row_of(false, operation::find, true, 10), row_of(true, operation::find, false, 5),
                row_of(true, operation::find, true, 8)})
          ->rival,
      1);
  EXPECT_EQ(
      first_of({row_of(false, operation::build, true, 10), row_of(true, operation::insert, true, 8),
                row_of(true, operation::build, true, 9),
                row_of(true, operation::build_on_two, true, 4)})
          ->rival,
      1);
  EXPECT_EQ(first_of({row_of(false, operation::build_on_two, true, 10),
                      row_of(true, operation::insert, true, 8),
                      row_of(true, operation::build_on_two, true, 4)})
                ->rival,
            2);
}

TEST(AgainstRivals, OnlyThoseWithNoMoreBitsAndMistakes) {
  const auto ours = row_of(false, operation::find, true, 10);
  const auto held = first_of({ours, row_of(true, operation::find, true, 1, 10.2),
                              row_of(true, operation::find, true, 1, 10, 0.0102),
                              row_of(true, operation::find, true, 4, 10.05, 0.01005),
                              row_of(true, operation::find, true, 5, 8, 0.001)});
  EXPECT_EQ(held->rival, 3);
  EXPECT_TRUE(held->fair);
  // Without such a one the nearest is named, and said not to be equal.
  const auto nearest = first_of({ours, row_of(true, operation::find, true, 1, 300, 0),
                                 row_of(true, operation::find, true, 1, 20, 0.01),
                                 row_of(true, operation::find, true, 8, 11, 0.011)});
  EXPECT_EQ(nearest->rival, 3);
  EXPECT_EQ(nearest->ratio, 1.25);
  EXPECT_FALSE(nearest->fair);
}

TEST(AgainstRivals, OnlyThoseThatChangeAsWell) {
  const auto named = [](bench_row row, const char* name) {
    row.name = name;
    return row;
  };
  const std::vector<bench_row> rows{named(row_of(false, operation::find, true, 10), "ours"),
                                    named(row_of(false, operation::insert, true, 10), "ours"),
                                    named(row_of(true, operation::find, true, 5), "fixed"),
                                    named(row_of(true, operation::build, true, 5), "fixed"),
                                    named(row_of(true, operation::find, true, 20), "growing"),
                                    named(row_of(true, operation::insert, true, 20), "growing")};
  const auto held = against_rivals(rows);
  EXPECT_EQ(held[0]->rival, 4);
  EXPECT_EQ(held[1]->rival, 5);
}

TEST(AgainstRivals, ARateThatIsHardlyKnownMayBeEqual) {
  auto ours = row_of(false, operation::find, true, 10);
  auto rival = row_of(true, operation::find, true, 4, 10, 0.011);
  EXPECT_FALSE(first_of({ours, rival})->fair);
  ours.rate_sample = rival.rate_sample = 10'000;  // the deviation of the difference is .0014
  EXPECT_TRUE(first_of({ours, rival})->fair);
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
  row.what = operation::find;
  row.batch = true;
  EXPECT_EQ(label(row), "look-up batch");
  row.what = operation::build_on_two;
  EXPECT_EQ(label(row), "build, 2 threads");
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
