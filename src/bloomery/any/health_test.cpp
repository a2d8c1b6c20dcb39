// Verdicts of filters whose state is known. Each check of a sound filter fails once in a million
// (false_alarm); the seeds are fixed.
#include "bloomery/any/health.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/any/stored.hpp"
#include "bloomery/core/units.hpp"
#include "examined.hpp"
#include "kind_names.hpp"
#include "reseal.hpp"

namespace bloomery {
namespace {

using testing::filled;
using testing::kinds_that;
using testing::mentions;
using testing::name_of_kind;
using testing::numbered_digests;
using testing::told;

// What kinds that can be filled and judged must show.
class health_of : public ::testing::TestWithParam<std::string> {
 protected:
  const any_kind& kind = find_kind(GetParam());
};
class health_of_kinds_with_an_end : public health_of {};
class health_of_kinds_that_measure : public health_of {};
class health_of_kinds_that_free_room : public health_of {};
class health_of_kinds_that_fold : public health_of {};

bool judged(const any_kind& kind) {
  return kind.can<inserts>() && kind.can<asks>();
}
// One that grows, forgets or refuses is never over-filled.
bool overfilled(const any_kind& kind) {
  return judged(kind) && !kind.can<grows>() && !kind.can<forgets>() && !kind.can<has_capacity>();
}
bool measured(const any_kind& kind) {
  return judged(kind) && kind.can<measures>();
}
bool frees_room(const any_kind& kind) {
  return measured(kind) && !kind.info.erased_keep_room;
}
bool folded(const any_kind& kind) {
  return measured(kind) && kind.can<folds>();
}
INSTANTIATE_TEST_SUITE_P(kinds, health_of, kinds_that(judged), name_of_kind);
INSTANTIATE_TEST_SUITE_P(kinds, health_of_kinds_with_an_end, kinds_that(overfilled), name_of_kind);
INSTANTIATE_TEST_SUITE_P(kinds, health_of_kinds_that_measure, kinds_that(measured), name_of_kind);
INSTANTIATE_TEST_SUITE_P(kinds, health_of_kinds_that_free_room, kinds_that(frees_room),
                         name_of_kind);
INSTANTIATE_TEST_SUITE_P(kinds, health_of_kinds_that_fold, kinds_that(folded), name_of_kind);

// Whether doctors know how the rate of single filters is distributed.
bool luck_is_known(const any_kind& kind) {
  return kind.can<measures>() && kind.hashes(kind.plan(10, 0.1)).has_value();
}
// Where they do not, filters of a few keys, which single hashes put above their rate, may be accused.
bool excused(const health& found, const any_kind& kind) {
  constexpr std::uint64_t few = 100;
  return !luck_is_known(kind) && found.record.promised.keys <= few &&
         found.measured->interval.low > found.rate;
}

// A million probes meet a thousand false positives at the lowest of these rates, which is closer than
// filters of a few keys are to theirs. With the most keys they go on until the interval is tight.
TEST_P(health_of, fresh_filters_is_good) {
  constexpr std::uint64_t most = 30'000;
  for (const std::uint64_t keys :
       {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{100}, std::uint64_t{1000}, most}) {
    for (const double rate : {0.1, 0.01, 1e-3}) {
      SCOPED_TRACE(std::to_string(keys) + " keys at " + std::to_string(rate));
      const health empty = examine(kind.for_keys(keys, rate), {.probes = 10'000});
      EXPECT_TRUE(empty.healthy()) << told(empty);
      EXPECT_FALSE(std::signbit(empty.predicted_of_items.value())) << "-0";
      if (empty.predicted_of_items == 0) {
        EXPECT_EQ(empty.measured->counts.hits, 0U);
      }
      if (!kind.can<grows>() && !kind.can<forgets>()) {
        EXPECT_GE(empty.headroom, static_cast<std::int64_t>(keys));
      }
      EXPECT_TRUE(empty.advice.starts_with("nothing to do: ")) << empty.advice;

      const any_filter filter = filled(kind, keys, rate, keys);
      const health full = examine(filter, {.probes = keys == most ? 0U : 1'000'000U});
      EXPECT_TRUE(full.healthy() || excused(full, kind)) << told(full);
      EXPECT_FALSE(mentions(full.remarks, "repeats")) << told(full);
      EXPECT_EQ(full.rate, rate);
      if (!kind.can<grows>() && !kind.can<forgets>()) {
        EXPECT_GE(full.capacity, keys);
      }
      EXPECT_EQ(full.predicted_of_items, filter.kind().predicted_rate(filter.shape(), keys));
      EXPECT_EQ(full.record.items, keys);
      if (kind.can<measures>()) {
        EXPECT_EQ(full.consistent, true);
        EXPECT_EQ(full.current_rate, filter.as<tells_rate>().current_rate());
        EXPECT_EQ(full.fill, filter.as<tells_rate>().fill());
      }
    }
  }
}

// A kind that is built whole keeps its rate, and is judged by the very rate it was built for.
TEST(health_of_the_built, is_their_predicted_rate) {
  std::uint64_t judged = 0;
  for (const any_kind& kind : kinds()) {
    if (kind.can<inserts>() || !kind.takes_keys() || !kind.can<asks>()) continue;
    ++judged;
    for (const std::uint64_t keys : {0U, 1U, 100U, 30'000U}) {
      for (const double rate : {0.1, 0.01, 1e-3}) {
        SCOPED_TRACE(std::string(kind.info.name) + ", " + std::to_string(keys) + " keys");
        const any_filter filter = filled(kind, std::max<std::uint64_t>(keys, 1), rate, keys);
        const health found = examine(filter, {.probes = 100'000});
        EXPECT_TRUE(found.healthy() || (kind.can<tells_rate>() && excused(found, kind)))
            << told(found);
        EXPECT_EQ(found.predicted_of_items, filter.kind().predicted_rate(filter.shape(), keys));
        EXPECT_EQ(found.capacity, std::nullopt);
        EXPECT_EQ(found.headroom, std::nullopt);
        if (kind.can<tells_rate>()) continue;  // one of many that the keys might have made
        EXPECT_FALSE(mentions(found.remarks, "unlucky")) << told(found);
        EXPECT_NE(found.advice.find("takes no more keys"), std::string::npos) << found.advice;
        if (keys == 0) continue;
        const health strict = examine(filter, {.probes = 1, .rate = rate / 100});
        EXPECT_TRUE(mentions(strict.reasons, "its rate is ")) << told(strict);
        EXPECT_TRUE(strict.advice.starts_with("rebuild it for ")) << strict.advice;
      }
    }
    // Members among the strangers: more is found than fingerprints explain.
    const any_filter filter = filled(kind, 1000, 0.01, 1000);
    const health found = examine(filter, tally{5100, 139});
    EXPECT_TRUE(mentions(found.reasons, "some are members")) << told(found);
  }
  EXPECT_GT(judged, 0U);
}

TEST_P(health_of_kinds_with_an_end, over_filled_filters_is_bad_and_the_advice_helps) {
  for (const std::uint64_t keys : {1150U, 1300U, 2600U}) {
    const any_filter filter = filled(kind, 1000, 0.01, keys);
    // A kind that cannot tell its keys is judged by the answers: a slight excess does not show.
    if (!kind.can<measures>() && filter.kind().predicted_rate(filter.shape(), keys) < 0.015)
      continue;
    const health found = examine(filter);
    EXPECT_FALSE(found.healthy());
    if (!kind.can<measures>()) continue;
    EXPECT_TRUE(mentions(found.reasons, "over-filled: 1 % allows 1,0")) << told(found);
    // Where many counters are full that is a reason besides.
    EXPECT_EQ(std::ranges::count_if(
                  found.reasons,
                  [](const auto& reason) { return reason.find(" overflow") == std::string::npos; }),
              1)
        << told(found);
    EXPECT_LT(found.headroom, 0);

    const std::string before = "rebuild for ";
    ASSERT_TRUE(found.advice.starts_with(before)) << found.advice;
    const std::string number =
        found.advice.substr(before.size(), found.advice.find(" keys") - before.size());
    const std::uint64_t advised = parse_count(number);
    EXPECT_LE(number.size(), 4U) << "two digits and a letter";
    EXPECT_GE(static_cast<double>(advised),
              std::floor(std::min(found.estimated->value, static_cast<double>(found.record.items))))
        << "rounded up";
    EXPECT_LE(static_cast<double>(advised), 1.1 * found.estimated->value);
    EXPECT_TRUE(examine(filled(kind, advised, 0.01, advised)).healthy());
  }
}

TEST_P(health_of_kinds_that_measure, saturated_filters_is_bad) {
  const any_filter filter = filled(kind, 10, 0.1, 30'000);
  ASSERT_TRUE(filter.as<measures>().estimated_keys().saturated);
  const health found = examine(filter);
  EXPECT_TRUE(mentions(found.reasons, "saturated")) << told(found);
  EXPECT_EQ(found.advice, "rebuild for 30k keys: saturated");
  EXPECT_EQ(found.measured->interval.high, 1);
  EXPECT_EQ(found.headroom, std::nullopt);

  any_filter silent = kind.create(filter.shape(), {}, {});  // nothing promised
  silent.as<inserts>().insert(numbered_digests(1, 30'000));
  EXPECT_FALSE(examine(silent).healthy());
}

TEST_P(health_of_kinds_that_free_room, filters_changed_behind_the_record_is_bad) {
  const any_filter filter = filled(kind, 1000, 0.01, 500);
  const testing::file_bytes file = save(filter);

  testing::file_bytes more_bits = file;
  for (std::size_t i = file.size() - filter.bytes(); i < file.size() - 64; i += 8) {
    more_bits[i] |= std::byte{0x11};
  }
  testing::reseal(more_bits);
  const testing::file_bytes fewer_items =
      testing::resealed_with(file, testing::offset::items, std::uint64_t{400});
  for (const testing::file_bytes& changed : {more_bits, fewer_items}) {
    std::optional<any_filter> loaded;
    try {
      loaded = load(changed);
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::corrupt);  // some kinds notice at once
      continue;
    }
    const health found = examine(*loaded);
    EXPECT_FALSE(found.healthy());
    EXPECT_EQ(found.consistent, false);
    EXPECT_TRUE(mentions(found.reasons, "bits were changed")) << told(found);
    // Where so many bits are too many as well, the size is the better advice.
    EXPECT_TRUE(found.reasons.size() > 1 || found.advice.starts_with("rebuild from the keys"))
        << found.advice;
  }
  // Full to the brim and beyond, and the record denies it: the size is the better advice.
  const testing::file_bytes denied = testing::resealed_with(
      save(filled(kind, 1000, 0.01, 2000)), testing::offset::items, std::uint64_t{900});
  const health found = examine(load(denied));
  EXPECT_GE(found.reasons.size(), 2U) << told(found);  // some tell of counters too
  EXPECT_TRUE(found.advice.starts_with("rebuild for ")) << found.advice;
}

// Small filters, exactly full: single ones of most kinds differ from their mean by a tenth of the
// rate and more. Where that is known to be chance they are healthy, all 200; the measured rate would
// condemn many of them, and the 99 % interval of the estimate one.
TEST_P(health_of_kinds_with_an_end, unlucky_filters_is_good) {
  constexpr std::uint64_t filters = 200;
  constexpr double rate = 0.05;
  const std::uint64_t full = examine(kind.for_keys(20, rate), {.probes = 1}).capacity.value();
  std::uint64_t over = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    const health found = examine(filled(kind, 20, rate, full, 100 + i), {.seed = i});
    const bool above = found.measured->interval.low > rate;
    over += std::uint64_t{above};
    EXPECT_TRUE(found.healthy() || excused(found, kind)) << i << ": " << told(found);
    EXPECT_EQ(mentions(found.remarks, "unlucky: over 5 %"), above && found.healthy())
        << told(found);
    EXPECT_EQ(found.advice.find("another seed") != std::string::npos, above) << found.advice;
  }
  if (kind.info.name == "standard") {
    EXPECT_GT(over, filters / 10) << "too few were unlucky to show anything";
  }
}

// Full filters of a few keys, which miss their promise by chance or by their plan: whatever is measured
// above it is bad, unless chance of the probes, or of the hashes where that is known, explains it.
TEST_P(health_of, filters_above_their_promise_is_bad_unless_by_chance) {
  for (const std::uint64_t keys : {1U, 3U, 10U, 40U}) {
    for (const double rate : {0.3, 0.1}) {
      for (std::uint64_t stream = 0; stream < 5; ++stream) {
        const health found =
            examine(filled(kind, keys, rate, keys, 500 + stream), {.seed = stream});
        const tally& counts = found.measured->counts;
        const bool above = found.measured->interval.low > rate;
        const bool by_probes = math::binomial_upper(counts.hits, counts.asked, rate) >= false_alarm;
        EXPECT_EQ(found.healthy() && above, mentions(found.remarks, "unlucky")) << told(found);
        if (!above || by_probes || luck_is_known(kind)) continue;
        EXPECT_FALSE(found.healthy()) << keys << " keys at " << rate << ": " << told(found);
        EXPECT_TRUE(mentions(found.reasons, " it should keep")) << told(found);
        EXPECT_FALSE(found.advice.empty());
      }
    }
  }
}

TEST_P(health_of_kinds_that_fold, folds_as_advised_is_good) {
  for (const std::uint64_t keys : {1U, 40U, 700U, 3000U}) {
    SCOPED_TRACE(keys);
    std::vector<field_value> shape = kind.plan(10'000, 0.01);
    auto& units = std::get<std::uint64_t>(shape.front());
    units = (units / 60 + 1) * 60;
    any_filter filter = kind.create(shape, {}, {10'000, 0.01});
    filter.as<inserts>().insert(numbered_digests(1, keys));

    const health found = examine(filter, {.probes = 1000});
    ASSERT_TRUE(found.fold) << told(found);
    const std::string start = "fold by " + std::to_string(*found.fold) + " keeps 1 %";
    EXPECT_TRUE(found.advice.starts_with(start)) << found.advice;
    const any_filter folded = filter.as<folds>().folded(*found.fold);
    EXPECT_LE(folded.as<tells_rate>().current_rate(), 0.01);
    const health after = examine(folded, {.rate = 0.01});
    EXPECT_TRUE(after.healthy()) << told(after);

    // Asked of every larger factor: none would do.
    const auto held = static_cast<std::uint64_t>(std::llround(found.estimated->value));
    const std::uint64_t most = std::get<std::uint64_t>(shape.front());
    for (std::uint64_t factor = *found.fold + 1; factor <= most; ++factor) {
      if (most % factor != 0) continue;
      const any_filter smaller = filter.as<folds>().folded(factor);
      EXPECT_TRUE(smaller.as<tells_rate>().current_rate() > 0.01 ||
                  smaller.kind().predicted_rate(smaller.shape(), held) > 0.01)
          << factor << " instead of " << *found.fold;
    }
  }
  const health two_thirds = examine(filled(kind, 10'000, 0.01, 6700), {.probes = 1000});
  EXPECT_EQ(two_thirds.fold, std::nullopt);
  EXPECT_EQ(two_thirds.advice.find("fold"), std::string::npos);
}

}  // namespace
}  // namespace bloomery
