// What is measured by asking: random digests, or keys known to be absent.
#include <cmath>

#include "bloomery/any/health.hpp"
#include "examined.hpp"

namespace bloomery {
namespace {

using testing::asked;
using testing::filled;
using testing::mentions;
using testing::numbered_digests;
using testing::told;

// The true rate of one filter is known from its bits. 400 filters at 90 %.
TEST(measured_interval, covers_the_true_rate_as_often_as_it_says) {
  constexpr std::uint64_t filters = 400;
  constexpr double confidence = 0.9;
  std::uint64_t missed = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    const any_filter filter = filled(find_kind("standard"), 200, 0.1, 200, 1000 + i);
    const health found = examine(filter, {.confidence = confidence, .seed = i});
    const auto [low, high] = found.measured->interval;
    const double truth = filter.as<tells_rate>().current_rate();
    missed += std::uint64_t{truth < low || high < truth};
  }
  EXPECT_TRUE(testing::plausible_count(missed, filters, 1 - confidence));
}

TEST(measured_interval, is_as_tight_as_stated) {
  for (const double rate : {0.5, 0.03, 1e-3}) {
    for (const double confidence : {0.5, 0.99, 0.9999}) {
      const any_filter filter = filled(find_kind("standard"), 1000, rate, 1000);
      const health found = examine(filter, {.confidence = confidence});
      const measurement& measured = found.measured.value();
      EXPECT_LE((measured.interval.high - measured.interval.low) / 2,
                probe_tightness * measured.rate)
          << rate << ' ' << confidence;
      // And no more is asked than that takes: one batch, and a tenth for chance.
      const double z = math::normal_quantile(0.5 + confidence / 2);
      const double needed = (std::pow(z / probe_tightness, 2) + 1 / probe_tightness) / rate;
      EXPECT_LE(static_cast<double>(measured.counts.asked), 1.1 * needed + 4096 + 10 / rate);
      EXPECT_TRUE(found.remarks.empty() || !mentions(found.remarks, "too low"));
    }
  }
}

TEST(probing, asks_as_often_as_it_is_told_and_the_same_each_time) {
  const any_filter filter = filled(find_kind("blocked"), 1000, 0.1, 1000);
  for (const std::uint64_t probes : {1U, 4096U, 10'001U}) {
    std::uint64_t watched = 0;
    const health found =
        examine(filter, {.probes = probes}, [&](std::uint64_t asked) { watched += asked; });
    EXPECT_EQ(found.measured->counts.asked, probes);
    EXPECT_EQ(watched, probes);
    EXPECT_TRUE(found.measured->random);
    EXPECT_EQ(examine(filter, {.probes = probes}).measured->counts.hits,
              found.measured->counts.hits);
  }
  EXPECT_NE(examine(filter, {.probes = 100'000}).measured->counts.hits,
            examine(filter, {.probes = 100'000, .seed = 1}).measured->counts.hits);
}

TEST(probing, gives_up_on_rates_that_nobody_can_see) {
  const health found = examine(filled(find_kind("standard"), 1000, 1e-12, 1000));
  EXPECT_TRUE(found.healthy()) << told(found);
  EXPECT_EQ(found.measured->counts.asked, most_probes);
  EXPECT_EQ(found.measured->counts.hits, 0U);
  EXPECT_NEAR(found.measured->interval.high, 5.3e-7, 0.01e-7);
  EXPECT_TRUE(mentions(found.remarks, "too low to be measured")) << told(found);
}

TEST(absent_keys, speak_for_the_filter) {
  const any_filter filter = filled(find_kind("standard"), 1000, 0.01, 1000);
  const tally counts = asked(filter, numbered_digests(2, 50'000));
  const health found = examine(filter, counts);
  EXPECT_TRUE(found.healthy()) << told(found);
  EXPECT_FALSE(found.measured->random);
  EXPECT_EQ(found.measured->counts.asked, 50'000U);
  EXPECT_EQ(found.measured->counts.hits, counts.hits);
  EXPECT_TRUE(
      testing::plausible_count(counts.hits, counts.asked, filter.as<tells_rate>().current_rate()));

  const health unasked = examine(filter, tally{});
  EXPECT_TRUE(unasked.healthy()) << told(unasked);
  EXPECT_EQ(unasked.measured->interval.low, 0);
  EXPECT_EQ(unasked.measured->interval.high, 1);
}

TEST(absent_keys, that_are_members_are_noticed) {
  const any_filter filter = filled(find_kind("standard"), 1000, 0.01, 1000);
  auto keys = numbered_digests(2, 5000);
  const auto members = numbered_digests(1, 100);
  keys.insert(keys.end(), members.begin(), members.end());
  const health found = examine(filter, asked(filter, keys));
  EXPECT_FALSE(found.healthy());
  EXPECT_TRUE(mentions(found.reasons, "some are members, or the hash")) << told(found);
  EXPECT_TRUE(found.advice.starts_with("make sure that the absent keys are absent"))
      << found.advice;
}

// A hash that puts every key into one block: random digests see nothing, the real keys do.
TEST(absent_keys, show_a_hash_that_clusters) {
  const auto clustered = [](std::uint64_t stream, std::uint64_t count) {
    auto keys = numbered_digests(stream, count);
    for (digest& d : keys) d.lo = 7;
    return keys;
  };
  any_filter filter = find_kind("blocked").for_keys(1000, 0.01);
  filter.as<inserts>().insert(clustered(1, 60));
  EXPECT_TRUE(examine(filter).healthy());
  const health found = examine(filter, asked(filter, clustered(2, 10'000)));
  EXPECT_TRUE(mentions(found.reasons, "the hash clusters them")) << told(found);
}

// 2000 keys at 0.1 %, all in 8 lines or fewer: what random probes find is above that, and lines that keys
// chose at random would not be so full.
TEST(clustered_keys, beyond_chance_are_bad) {
  any_filter filter = find_kind("blocked").for_keys(2000, 1e-3);
  auto keys = numbered_digests(1, 2000);
  const auto lines = numbered_digests(2, 8);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i].lo = lines[i % 8].lo;
  filter.as<inserts>().insert(keys);
  const health found = examine(filter);
  EXPECT_TRUE(mentions(found.reasons, "over the 0.1 % it should keep")) << told(found);
  EXPECT_EQ(found.advice, "rebuild it with another seed, or for more keys");
}

}  // namespace
}  // namespace bloomery
