// Verdicts of filters whose state is known. Each check of a sound filter fails once in a million
// (false_alarm); the seeds are fixed.
#include "bloomery/any/health.hpp"

#include <chrono>
#include <cmath>
#include <memory>

#include "bloomery/any/stored.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "kind_names.hpp"
#include "reseal.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using testing::kinds_that;
using testing::name_of_kind;
using testing::numbered_digests;
using testing::throws_error;

std::string told(const health& found) {
  std::string text = "advice: " + found.advice;
  for (const std::string& reason : found.reasons) text += "\nreason: " + reason;
  for (const std::string& remark : found.remarks) text += "\nremark: " + remark;
  return text;
}

bool mentions(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

any_filter filled(const any_kind& kind, std::uint64_t planned, double rate, std::uint64_t keys,
                  std::uint64_t stream = 1) {
  return kind.build(kind.plan(planned, rate), numbered_digests(stream, keys), {}, {planned, rate},
                    1);
}

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
    EXPECT_EQ(found.reasons.size(), 1U) << told(found);
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
  EXPECT_EQ(found.reasons.size(), 2U) << told(found);
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

// Small filters of which a quarter of the size is just enough, by the prediction.
TEST(fold_advice, goes_by_the_folded_bits_as_well) {
  const any_kind& kind = find_kind("standard");
  constexpr double rate = 0.05;
  const std::vector<field_value> quarter{std::uint64_t{200}, std::uint64_t{4}};
  const std::vector<field_value> whole{std::uint64_t{800}, std::uint64_t{4}};
  const std::uint64_t keys =
      math::keys_within(rate, [&](std::uint64_t n) { return kind.predicted_rate(quarter, n); });
  std::uint64_t folded = 0;
  std::uint64_t unlucky = 0;
  for (std::uint64_t stream = 0; stream < 200; ++stream) {
    any_filter filter = kind.create(whole, {}, {});
    filter.as<inserts>().insert(numbered_digests(stream, keys));
    const health found = examine(filter, {.probes = 1, .rate = rate});
    const auto held =
        std::min(keys, static_cast<std::uint64_t>(std::llround(found.estimated->value)));
    const bool predicted = kind.predicted_rate(quarter, held) <= rate;
    const bool kept = filter.as<folds>().folded(4).as<tells_rate>().current_rate() <= rate;
    EXPECT_EQ(found.fold == 4U, predicted && kept) << stream;
    folded += std::uint64_t{found.fold == 4U};
    unlucky += std::uint64_t{predicted && !kept};
  }
  EXPECT_GT(folded, 0U);
  EXPECT_GT(unlucky, 0U) << "nothing was shown";
}

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
  const auto start = std::chrono::steady_clock::now();
  const health found = examine(filled(find_kind("standard"), 1000, 1e-12, 1000));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(found.healthy()) << told(found);
  EXPECT_EQ(found.measured->counts.asked, most_probes);
  EXPECT_EQ(found.measured->counts.hits, 0U);
  EXPECT_NEAR(found.measured->interval.high, 5.3e-7, 0.01e-7);
  EXPECT_TRUE(mentions(found.remarks, "too low to be measured")) << told(found);
  EXPECT_LT(took.count(), 30) << "measured: 0.2 s; sanitizers and busy machines are slower";
}

tally asked(const any_filter& filter, const std::vector<digest>& keys) {
  const auto answers = std::make_unique<bool[]>(keys.size());
  return {keys.size(), filter.as<asks>().may_contain(keys, {answers.get(), keys.size()})};
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

// A filter for each class, all sized for the same number of keys, and all but one key in the first.
TEST(maps_with_a_filter_for_each_value, that_are_uneven_are_bad_unless_sized_for_it) {
  for (const char* name : {"bank", "coded-bank", "attenuated"}) {
    SCOPED_TRACE(name);
    const any_kind& kind = find_kind(name);
    std::vector<keyed_value> entries;
    for (const digest d : numbered_digests(1, 1000))
      entries.push_back({d, entries.empty() ? 15U : 0U});
    const promise promised{1000, 0.01};
    const auto& told_of = kind.as<maps>();
    const auto even = told_of.plan_map(1000, 0.01, 16);
    const health found = examine(told_of.build_map(even, entries, {}, promised, 1));
    // Strangers have to be claimed by several filters of a coded bank, and all but one have few keys.
    if (std::string_view(name) != "coded-bank") {
      EXPECT_TRUE(mentions(found.reasons, "over the 1 % it should keep")) << told(found);
      EXPECT_EQ(found.advice, "rebuild it from all its keys and values");
    }

    const auto sized = told_of.plan_entries(even, entries, 0.01);
    const health good = examine(told_of.build_map(sized, entries, {}, promised, 1));
    EXPECT_TRUE(good.healthy()) << told(good);
    EXPECT_EQ(good.headroom, 0) << "more of the first value would break the promise";
  }
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

TEST(stages, too_small_to_tell_keys_apart_are_bad) {
  const any_kind& kind = find_kind("scalable");
  std::vector<field_value> shape = kind.plan(100, 0.01);
  const auto at = std::ranges::find(kind.fields, std::string_view("slice_bits"), &field_info::name);
  shape[static_cast<std::size_t>(at - kind.fields.begin())] = std::uint64_t{1};
  any_filter filter = kind.create(shape, {}, {100, 0.01});
  filter.as<inserts>().insert(numbered_digests(1, 100));
  const health found = examine(filter);
  EXPECT_TRUE(mentions(found.reasons, "over the 1 % it should keep")) << told(found);
}

// Of 1000 keys 500 are asked for often. Strangers, which nobody listed, are held to what was planned for
// them, and a filter all of whose members are those that take most bits does not keep it.
TEST(weights, are_of_the_keys_that_they_list) {
  for (const char* name : {"weighted", "popularity"}) {
    SCOPED_TRACE(name);
    const any_kind& kind = find_kind(name);
    std::vector<key_weight> weights;
    for (const digest d : numbered_digests(1, 10'000)) {
      weights.push_back({d, weights.size() < 5000 ? 1000.0 : 1.0, 0.1});
    }
    const auto shape = kind.as<weighs>().plan_weighted(1000, 0.01, weights);
    const auto built = [&](std::uint64_t hot) {
      auto members = numbered_digests(1, hot);
      const auto others = numbered_digests(1, 1000 - hot, 5000);
      members.insert(members.end(), others.begin(), others.end());
      return kind.as<weighs>().build_weighted(shape, members, weights, {}, {1000, 0.01});
    };
    const health even = examine(built(500));
    EXPECT_TRUE(even.healthy()) << told(even);
    for (const std::uint64_t hot : {0U, 1000U}) {
      const health found = examine(built(hot));
      if (found.measured->interval.low <= kind.predicted_rate(shape, 1000)) continue;
      EXPECT_TRUE(mentions(found.reasons, " it should keep")) << told(found);
    }
  }
}

TEST(repeats, are_not_keys_to_predict_for) {
  any_filter filter = find_kind("standard").for_keys(1000, 0.01);
  filter.as<inserts>().insert(numbered_digests(1, 1000));
  EXPECT_EQ(predicted_keys(filter), 1000U) << "no cells show repeats";
  for (int i = 0; i < 4; ++i) filter.as<inserts>().insert(numbered_digests(1, 1000));
  const double estimated = filter.as<measures>().estimated_keys().value;
  EXPECT_EQ(predicted_keys(filter), static_cast<std::uint64_t>(std::llround(estimated)));

  for (const char* name : {"fuse", "ribbon", "perfect", "bloomier", "golomb", "best-of-n"}) {
    SCOPED_TRACE(name);
    const any_kind& kind = find_kind(name);
    auto keys = numbered_digests(1, 1000);
    for (int i = 0; i < 3; ++i) keys.insert(keys.end(), keys.begin(), keys.begin() + 1000);
    const any_filter whole = kind.build(kind.plan(1000, 0.01), keys, {}, {1000, 0.01}, 1);
    EXPECT_EQ(predicted_keys(whole), 1000U);
    const health found = examine(whole, {.probes = 100'000});
    EXPECT_TRUE(found.healthy()) << told(found);
  }
}

TEST(advice, tells_the_headroom_to_the_key) {
  const health found =
      examine(filled(find_kind("standard"), 123'456, 0.01, 100'000), {.probes = 1000});
  const std::string room = format_count(static_cast<std::uint64_t>(found.headroom.value()));
  EXPECT_EQ(found.advice, "nothing to do: " + room + " more keys fit");
}

TEST(a_filter_without_promise, is_judged_only_by_what_is_known) {
  any_filter filter = find_kind("standard").create(std::vector<field_value>{9600UL, 7UL}, {}, {});
  filter.as<inserts>().insert(numbered_digests(1, 3000));
  const health found = examine(filter);
  EXPECT_TRUE(found.healthy()) << told(found);
  EXPECT_TRUE(mentions(found.remarks, "no rate was promised")) << told(found);
  EXPECT_EQ(found.rate, std::nullopt);
  EXPECT_EQ(found.capacity, std::nullopt);
  EXPECT_EQ(found.headroom, std::nullopt);
  EXPECT_EQ(found.advice, "give a rate to hold it to");
  EXPECT_TRUE(found.measured && found.predicted_of_items && found.estimated);

  EXPECT_FALSE(examine(filter, {.rate = 0.01}).healthy());
  EXPECT_TRUE(examine(filter, {.rate = 0.6}).healthy());
  EXPECT_FALSE(mentions(examine(filter, {.rate = 0.6}).remarks, "promised"));
}

TEST(another_rate, overrules_the_promise) {
  const any_filter filter = filled(find_kind("standard"), 10'000, 0.01, 10'000);
  const health strict = examine(filter, {.rate = 0.008});
  EXPECT_FALSE(strict.healthy());
  EXPECT_LT(strict.capacity, 10'000U);
  EXPECT_TRUE(examine(filter, {.rate = 0.02}).healthy());
  EXPECT_GT(examine(filter, {.rate = 0.02}).capacity, 10'000U);
}

TEST(repeats, are_only_remarked_on) {
  any_filter filter = find_kind("partitioned").for_keys(1000, 0.01);
  for (int i = 0; i < 5; ++i) filter.as<inserts>().insert(numbered_digests(1, 1000));
  const health found = examine(filter);
  EXPECT_TRUE(found.healthy()) << told(found);
  EXPECT_TRUE(mentions(found.remarks, "about 4k of the insertions") ||
              mentions(found.remarks, "about 3.9k of the insertions"))
      << told(found);
}

TEST(options, out_of_range_are_refused) {
  const any_filter filter = find_kind("standard").for_keys(10, 0.1);
  for (const double bad : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_TRUE(throws_error(errc::invalid, "confidence is",
                             [&] { (void)examine(filter, {.confidence = bad}); }));
  }
  for (const double bad : {1.0, -0.1, std::nan("")}) {
    EXPECT_TRUE(throws_error(errc::invalid, "rate to hold",
                             [&] { (void)examine(filter, tally{}, {.rate = bad}); }));
  }
}

// A standard filter that lacks abilities, or claims every key.
enum : unsigned { no_query = 1, no_measure = 2, no_fold = 4, no_rate = 8, wrong = 16 };

template <class... A, class... B>
ability_list<A..., B...> operator+(ability_list<A...> /*a*/, ability_list<B...> /*b*/) {
  return {};
}
template <bool Can, class A>
using if_able = std::conditional_t<Can, ability_list<A>, ability_list<>>;

template <unsigned Lacks>
class limited_cells {
  using whole = standard_filter::cells_type;
  static constexpr bool query = (Lacks & no_query) == 0;
  static constexpr bool measure = (Lacks & no_measure) == 0;
  static constexpr bool fold = (Lacks & no_fold) == 0;
  static constexpr bool rate = measure || (Lacks & no_rate) == 0;

 public:
  using shape = standard_shape;
  using can = decltype(ability_list<inserts, lays_out>{} + if_able<query, asks>{} +
                       if_able<measure, measures>{} + if_able<fold, folds>{} +
                       if_able<rate, tells_rate>{});
  static constexpr kind_info kind = standard_filter::kind;

  explicit limited_cells(const shape& s) : cells_(s) {}
  limited_cells(const shape& s, storage stored) : cells_(s, std::move(stored)) {}
  static std::uint64_t payload_bytes(const shape& s) { return whole::payload_bytes(s); }
  static shape plan(std::uint64_t keys, double p) { return whole::plan(keys, p); }
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return whole::predicted_rate(s, keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return whole::query_cost(s, keys);
  }
  static math::bit_layout layout(const shape& s) { return whole::layout(s); }
  static shape of_bits(std::uint64_t bits, std::uint64_t hashes) {
    return whole::of_bits(bits, hashes);
  }
  static void each_part(auto& self, auto visit) { visit(self.cells_); }

  bool insert(digest d) { return cells_.insert(d); }
  [[nodiscard]] bool contains(digest d) const requires(query) {
    return (Lacks & wrong) != 0 || cells_.contains(d);
  }
  [[nodiscard]] double fill() const requires(rate) { return cells_.fill(); }
  [[nodiscard]] double current_rate() const requires(rate) { return cells_.current_rate(); }
  [[nodiscard]] math::estimate estimated_keys(double confidence) const requires(measure) {
    return cells_.estimated_keys(confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const limited_cells& other, double confidence) const
      requires(measure) {
    return cells_.estimated_overlap(other.cells_, confidence);
  }
  static shape folded_shape(const shape& s, std::uint64_t factor) requires(fold) {
    return whole::folded_shape(s, factor);
  }
  [[nodiscard]] limited_cells folded(const shape& smaller, std::uint64_t factor) const
      requires(fold) {
    limited_cells result(smaller);
    result.cells_ = cells_.folded(smaller, factor);
    return result;
  }

 private:
  whole cells_;
};

template <unsigned Lacks>
const any_kind& limited() {
  return erasure<filter<limited_cells<Lacks>>>::kind();
}

void expect_judged_by_what_it_can(const any_kind& kind, unsigned lacks) {
  for (const std::uint64_t keys : {0U, 200U, 1000U, 2000U}) {
    SCOPED_TRACE(std::to_string(lacks) + " lacking, " + std::to_string(keys) + " keys");
    const health found = examine(filled(kind, 1000, 0.01, keys), {.probes = 100'000});
    // Over-filling shows by the estimate against the capacity, or else by asking.
    const bool can_tell = kind.can<measures>() || kind.can<asks>();
    EXPECT_EQ(found.healthy(), keys <= 1000 || !can_tell) << told(found);
    EXPECT_EQ(found.measured.has_value(), kind.can<asks>());
    EXPECT_EQ(found.fill.has_value(), kind.can<tells_rate>());
    EXPECT_EQ(found.current_rate.has_value(), kind.can<tells_rate>());
    EXPECT_EQ(found.estimated.has_value(), kind.can<measures>());
    EXPECT_EQ(found.consistent.has_value(), kind.can<measures>());
    EXPECT_TRUE(found.capacity.has_value());
    EXPECT_EQ(found.predicted_of_estimate.has_value(), kind.can<measures>());
    EXPECT_FALSE(found.advice.empty());
    if (!kind.can<folds>()) {
      EXPECT_EQ(found.fold, std::nullopt);
    }
    if (!found.healthy() && !kind.can<measures>()) {
      EXPECT_TRUE(mentions(found.reasons, "over the 1 % it should keep")) << told(found);
      EXPECT_EQ(found.advice, "rebuild for 2k keys");
    }
  }
}

TEST(kinds_that_cannot, are_judged_by_what_they_can) {
  []<unsigned... Lacks>(std::integer_sequence<unsigned, Lacks...>) {
    (expect_judged_by_what_it_can(limited<Lacks>(), Lacks), ...);
  }
  (std::make_integer_sequence<unsigned, 16>{});
}

TEST(stuck_counters, are_reported_for_what_they_mean) {
  const any_kind& kind = find_kind("counting");
  any_filter filter = filled(kind, 1000, 0.01, 500);
  EXPECT_EQ(examine(filter).overflows, 0U);
  for (int i = 0; i < 40; ++i) filter.as<inserts>().insert(numbered_digests(1, 2));
  const health found = examine(filter);
  EXPECT_GE(found.overflows, 7U);
  EXPECT_TRUE(mentions(found.reasons, "cannot be removed for good")) << told(found);
  EXPECT_TRUE(found.advice.starts_with("rebuild it with wider cells")) << found.advice;
}

TEST(stuck_counters, that_are_the_price_of_the_size_are_only_remarked_on) {
  any_filter filter = find_kind("dleft").for_keys(100, 0.01);
  for (int i = 0; i < 500; ++i) filter.as<inserts>().insert(numbered_digests(1, 1));
  const health found = examine(filter);
  EXPECT_TRUE(found.healthy()) << told(found);
  EXPECT_TRUE(mentions(found.remarks, "1 overflow: counters are full")) << told(found);
  EXPECT_NE(found.advice.find("were repeats"), std::string::npos) << found.advice;
}

// With counters as narrow as the paper's, keys of one hash leave them stuck as they are replaced.
TEST(stuck_counters, of_replaced_keys_are_wear_and_no_chance) {
  const any_kind& kind = find_kind("dleft");
  std::vector<field_value> shape = kind.plan(1000, 0.3);
  shape.back() = std::uint64_t{2};
  any_filter filter = kind.create(shape, {}, {1000, kind.predicted_rate(shape, 1000)});
  const auto keys = numbered_digests(1, 10'000);
  filter.as<inserts>().insert(std::span(keys).first(1000));
  for (std::size_t i = 1000; i < keys.size(); ++i) {
    filter.as<erases>().erase(keys[i - 1000]);
    filter.as<inserts>().insert(keys[i]);
  }
  const health found = examine(filter, {.probes = 400'000});
  EXPECT_TRUE(mentions(found.reasons, "of its cells stuck")) << told(found);
  EXPECT_EQ(found.advice, "rebuild it from the keys that are not erased");
}

// Fields set so that the promise, which is of the first hundred keys, breaks as more arrive.
TEST(windows, that_do_not_keep_their_rate_are_bad) {
  struct broken {
    const char* kind;
    const char* field;
    std::uint64_t value;
  };
  for (const auto& [name, field, value] :
       {broken{"stable", "decrements", 1}, broken{"variable-signature", "swept", 0},
        broken{"decaying", "window", 5000}, broken{"time-decaying", "half_life", 1UL << 48}}) {
    SCOPED_TRACE(name);
    const any_kind& kind = find_kind(name);
    std::vector<field_value> shape = kind.plan(100, 0.01);
    const auto at = std::ranges::find(kind.fields, std::string_view(field), &field_info::name);
    shape[static_cast<std::size_t>(at - kind.fields.begin())] = value;
    any_filter filter = kind.create(shape, {}, {100, 0.01});
    filter.as<inserts>().insert(numbered_digests(1, 20'000));
    const health found = examine(filter, {.probes = 20'000});
    EXPECT_TRUE(mentions(found.reasons, "over the 1 % it should keep")) << told(found);
    EXPECT_FALSE(mentions(found.remarks, "unlucky")) << told(found);
    EXPECT_EQ(found.advice, "rebuild it larger, or to forget sooner");
  }
}

TEST(erased_keys, that_keep_their_room_are_counted) {
  for (const char* name : {"two-filter", "deletable"}) {
    SCOPED_TRACE(name);
    any_filter filter = filled(find_kind(name), 2000, 0.01, 2000);
    filter.as<erases>().erase(numbered_digests(1, 1000));
    const health found = examine(filter);
    EXPECT_TRUE(found.healthy()) << told(found);
    EXPECT_TRUE(mentions(found.remarks, "erased keys keep their room")) << told(found);
    EXPECT_EQ(found.consistent, std::nullopt);
    EXPECT_EQ(found.predicted_of_items, std::nullopt);
    EXPECT_GE(found.predicted_of_estimate, found.measured->interval.low * 0.9);
    EXPECT_LE(found.predicted_of_estimate, found.measured->interval.high * 1.1);
    EXPECT_LT(found.headroom, 1000 - 100);
    // Until they fill it: what is left would fit a filter of its own.
    for (std::uint64_t stream = 2; stream < 12; ++stream) {
      filter.as<inserts>().insert(numbered_digests(stream, 1000));
      filter.as<erases>().erase(numbered_digests(stream, 1000));
    }
    const health worn = examine(filter);
    EXPECT_TRUE(mentions(worn.reasons, "over-filled")) << told(worn);
    EXPECT_EQ(worn.advice, "rebuild it from the keys that are not erased");
  }
}

TEST(missed_keys, of_removals_beyond_the_plan_are_bad) {
  any_filter filter = filled(find_kind("two-filter"), 100, 0.01, 100);
  EXPECT_EQ(examine(filter).false_negatives, 0);
  filter.as<erases>().erase(numbered_digests(1, 50));
  const health half = examine(filter);
  EXPECT_TRUE(half.healthy()) << told(half);
  EXPECT_GT(half.false_negatives, 0);
  for (std::uint64_t stream = 2; stream < 14; ++stream) {
    filter.as<inserts>().insert(numbered_digests(stream, 100));
    filter.as<erases>().erase(numbered_digests(stream, 100));
  }
  const health found = examine(filter);
  EXPECT_GT(found.false_negatives, 0.5);
  EXPECT_TRUE(mentions(found.reasons, "% of its keys, where the plan allows 1 %")) << told(found);
  EXPECT_EQ(found.advice, "rebuild it from the keys that are not erased");
}

TEST(missed_keys, undone_by_later_ones_limit_the_room_and_are_bad) {
  const any_kind& kind = find_kind("generalized");
  any_filter filter = filled(kind, 3000, 1e-3, 3000);
  const health fresh = examine(filter, {.probes = 10'000});
  EXPECT_TRUE(fresh.healthy()) << told(fresh);
  EXPECT_NEAR(fresh.false_negatives.value(), 0.01, 0.001);
  EXPECT_LT(fresh.headroom, 100);
  filter.as<inserts>().insert(numbered_digests(1, 3000));  // repeats undo nothing
  const health again = examine(filter, {.probes = 10'000});
  EXPECT_TRUE(again.healthy()) << told(again);
  EXPECT_NEAR(again.false_negatives.value(), 0.01, 0.001);

  filter.as<inserts>().insert(numbered_digests(2, 16'000));
  const health found = examine(filter, {.probes = 10'000});
  EXPECT_TRUE(mentions(found.reasons, "of its oldest keys, where the plan allows 1 %"))
      << told(found);
  const tally old = asked(filter, numbered_digests(1, 3000));
  EXPECT_TRUE(testing::plausible_count(old.asked - old.hits, old.asked,
                                       kind.predicted_false_negatives(filter.shape(), 17'500)));
  EXPECT_GT(found.false_negatives, 0.05);
}

TEST(saturation, shows_by_asking_where_keys_cannot_be_estimated) {
  const std::vector<field_value> shape{2UL, 1UL, 1UL, 1UL, 7UL, 2UL};
  any_filter filter = find_kind("state-machine").create(shape, {}, {});
  filter.as<inserts>().insert(numbered_digests(1, 1000));
  const health found = examine(filter);
  EXPECT_TRUE(mentions(found.reasons, "saturated")) << told(found);
  EXPECT_EQ(found.advice, "rebuild for 1k keys: saturated");
}

TEST(grown_filters, are_healthy_and_told_how_far_they_grew) {
  const any_filter filter = filled(find_kind("scalable"), 1000, 0.01, 50'000);
  const health found = examine(filter);
  EXPECT_TRUE(found.healthy()) << told(found);
  EXPECT_EQ(found.stages, filter.as<grows>().stages());
  EXPECT_EQ(found.capacity, std::nullopt);
  EXPECT_TRUE(mentions(found.remarks, "rebuilt for 50k keys it would be one")) << told(found);
}

TEST(a_filter_that_answers_wrongly, is_noticed) {
  const any_filter filter = filled(limited<wrong>(), 1000, 0.01, 500);
  const health found = examine(filter);
  EXPECT_TRUE(mentions(found.reasons, "does not answer as it should")) << told(found);
}

}  // namespace
}  // namespace bloomery
