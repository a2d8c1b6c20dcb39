// Filters that stuck counters, erased, forgotten or missed keys have worn, or that have grown.
#include "bloomery/any/health.hpp"
#include "examined.hpp"

namespace bloomery {
namespace {

using testing::asked;
using testing::filled;
using testing::mentions;
using testing::numbered_digests;
using testing::told;

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

}  // namespace
}  // namespace bloomery
