// Remarks and advice, and what a rate, repeats or weights make of a verdict.
#include <cmath>

#include "bloomery/any/health.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "examined.hpp"

namespace bloomery {
namespace {

using testing::filled;
using testing::mentions;
using testing::numbered_digests;
using testing::throws_error;
using testing::told;

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

}  // namespace
}  // namespace bloomery
