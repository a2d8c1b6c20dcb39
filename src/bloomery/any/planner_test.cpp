#include "bloomery/any/planner.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using testing::throws_error;

needs sized(std::uint64_t keys, double rate) {
  needs wanted;
  wanted.keys = keys;
  wanted.rate = rate;
  return wanted;
}

std::vector<kind_ref> kinds_named(std::initializer_list<std::string_view> names) {
  std::vector<kind_ref> found;
  for (const std::string_view name : names) found.emplace_back(find_kind(name));
  return found;
}

std::vector<std::string_view> chosen(const recommendation& answer) {
  std::vector<std::string_view> names;
  for (const planned_filter& plan : answer.choices) names.push_back(plan.kind->info.name);
  return names;
}

TEST(recommend, considers_every_registered_kind) {
  const recommendation answer = recommend(sized(1'000'000, 0.01));
  EXPECT_EQ(answer.choices.size() + answer.others.size(), kinds().size());
  for (const left_out& other : answer.others) EXPECT_FALSE(other.reasons.empty());
}

TEST(recommend, keeps_the_promise) {
  const recommendation answer = recommend(sized(1'000'000, 0.001));
  ASSERT_GE(answer.choices.size(), 3U);
  for (const planned_filter& plan : answer.choices) {
    EXPECT_LE(plan.predicted_rate, math::with_reserve(0.001));
    EXPECT_EQ(plan.predicted_rate, plan.kind->predicted_rate(plan.shape, 1'000'000));
    // Some begin smaller than they will be with their keys.
    EXPECT_GE(plan.bytes, plan.create({}).bytes());
    EXPECT_EQ(plan.create({}).record().promised, (promise{1'000'000, 0.001}));
    EXPECT_GT(plan.over_bound(), 1);
  }
}

double traffic(const planned_filter& plan) {
  return plan.cost.absent + plan.cost.present;
}

bool is_plain(const planned_filter& plan) {
  return plan.kind->can<merges>() && plan.kind->can<folds>();
}

// Of the smallest plain filters, to a twentieth, the one that reads least; what is smaller still, and
// cannot be united, is not the first.
TEST(recommend, puts_first_what_people_mean_by_a_bloom_filter) {
  for (const double rate : {0.1, 0.01, 0.001, 1e-4, 1e-6, 1e-9}) {
    for (const std::uint64_t keys : {100U, 10'000U, 1'000'000U}) {
      const recommendation answer = recommend(sized(keys, rate));
      const planned_filter& first = answer.choices.front();
      ASSERT_TRUE(is_plain(first)) << rate;
      auto least = static_cast<double>(first.bytes);
      for (const planned_filter& plan : answer.choices) {
        if (is_plain(plan)) least = std::min(least, static_cast<double>(plan.bytes));
      }
      EXPECT_LE(static_cast<double>(first.bytes), (1 + near_in_size) * least);
      for (const planned_filter& plan : answer.choices) {
        if (!is_plain(plan) || static_cast<double>(plan.bytes) > (1 + near_in_size) * least)
          continue;
        EXPECT_LE(traffic(first), traffic(plan)) << plan.kind->info.name << " " << rate;
      }
    }
  }
  // A twelfth more memory is too much for one line instead of ten, a thirtieth is not; two lines take a
  // fiftieth.
  EXPECT_EQ(chosen(recommend(sized(1'000'000, 0.001))).front(), "multi-blocked");
  EXPECT_EQ(chosen(recommend(sized(1'000'000, 0.01))).front(), "blocked");
  const recommendation smaller =
      recommend(sized(10'000'000, 0.001), kinds_named({"two-choice", "standard"}));
  EXPECT_LT(smaller.choices[1].bytes, smaller.choices[0].bytes);
  EXPECT_EQ(smaller.choices[0].kind->info.name, "standard");
}

// Who asks for what a Bloom filter cannot do gets the smallest that can.
TEST(recommend, ranks_by_size_where_more_than_a_set_is_asked_for) {
  for (const auto& ask : std::vector<std::function<void(needs&)>>{
           [](needs& n) { n.removals = true; }, [](needs& n) { n.fixed_set = true; },
           [](needs& n) { n.multiplicity = true; }, [](needs& n) { n.window = true; },
           [](needs& n) { n.values = 16; }}) {
    needs wanted = sized(100'000, 0.01);
    ask(wanted);
    const recommendation answer = recommend(wanted);
    ASSERT_FALSE(answer.choices.empty());
    const auto first = static_cast<double>(answer.choices.front().bytes);
    for (const planned_filter& plan : answer.choices) {
      EXPECT_LE(first, (1 + near_in_size) * static_cast<double>(plan.bytes))
          << plan.kind->info.name;
    }
  }
}

TEST(recommend, takes_the_default_rate_for_keys_alone) {
  needs wanted;
  wanted.keys = 1000;
  EXPECT_EQ(recommend(wanted).choices.front().promised.rate, default_rate);
}

// Each need bars the kind that lacks the ability, and lets the one through that has it.
TEST(recommend, derives_what_qualifies_from_abilities) {
  struct trial {
    const char* reason;
    std::function<void(needs&)> ask;
    std::string_view able;
  };
  const std::vector<trial> trials{
      {"remove", [](needs& n) { n.removals = true; }, "counting"},
      {"count", [](needs& n) { n.multiplicity = true; }, "spectral"},
      {"values", [](needs& n) { n.values = 4; }, "bank"},
      {"how many keys", [](needs& n) { n.unknown_size = true; }, "scalable"},
      {"forgets", [](needs& n) { n.window = true; }, "age-partitioned"},
  };
  for (const trial& t : trials) {
    needs wanted = sized(1000, 0.01);
    t.ask(wanted);
    const recommendation answer = recommend(wanted, kinds_named({"standard", t.able}));
    EXPECT_EQ(chosen(answer), std::vector<std::string_view>{t.able}) << t.reason;
    ASSERT_EQ(answer.others.size(), 1U);
    ASSERT_EQ(answer.others.front().reasons.size(), 1U) << t.reason;
    EXPECT_NE(answer.others.front().reasons.front().find(t.reason), std::string::npos);
  }
}

TEST(recommend, leaves_out_what_wears_when_keys_are_replaced) {
  needs wanted = sized(1000, 0.01);
  wanted.removals = true;
  wanted.false_negatives = 1;
  const recommendation answer =
      recommend(wanted, kinds_named({"two-filter", "deletable", "dleft-dynamic"}));
  EXPECT_EQ(chosen(answer), std::vector<std::string_view>{"dleft-dynamic"});
  for (const left_out& other : answer.others) {
    EXPECT_NE(other.reasons.back().find("wears out"), std::string::npos);
  }
}

TEST(recommend, leaves_out_what_a_plain_set_cannot_use) {
  const auto among = kinds_named({"age-partitioned", "fuse", "counter-braids", "scalable"});
  EXPECT_EQ(chosen(recommend(sized(1000, 0.01), among)), std::vector<std::string_view>{"scalable"});
  needs fixed = sized(1000, 0.01);
  fixed.fixed_set = true;
  EXPECT_EQ(chosen(recommend(fixed, among)), (std::vector<std::string_view>{"fuse", "scalable"}));
  fixed.merge = true;
  EXPECT_EQ(chosen(recommend(fixed, kinds_named({"fuse", "scalable", "standard"}))),
            std::vector<std::string_view>{"standard"});
}

TEST(recommend, offers_the_smallest_for_a_fixed_set) {
  needs wanted = sized(1'000'000, 0.001);
  const recommendation open = recommend(wanted);
  wanted.fixed_set = true;
  const recommendation fixed = recommend(wanted);
  EXPECT_GT(fixed.choices.size(), open.choices.size());
  const planned_filter& first = fixed.choices.front();
  EXPECT_FALSE(first.kind->can<inserts>());
  EXPECT_LT(first.bits_per_key(), 11.5);
  EXPECT_LT(first.bytes, open.choices.front().bytes);

  wanted.keys = 1000;
  const planned_filter small = recommend(wanted).choices.front();
  const auto keys = testing::numbered_digests(1, 1000);
  const any_filter built = small.build(keys, {hash_id::xxh3, 5}, 2);
  std::array<bool, 1000> answers{};
  EXPECT_EQ(built.as<asks>().may_contain(keys, answers), 1000U);
  EXPECT_EQ(built.bytes(), small.bytes);
  EXPECT_EQ(built.record().promised, (promise{1000, 0.001}));
  EXPECT_EQ(built.record().hash, (hash_identity{hash_id::xxh3, 5}));
}

TEST(recommend, weighs_false_negatives) {
  const auto among = kinds_named({"generalized"});
  needs wanted = sized(1000, 0.01);
  const recommendation strict = recommend(wanted, among);
  EXPECT_TRUE(strict.choices.empty());
  EXPECT_NE(strict.others.front().reasons.front().find("misses up to 1 %"), std::string::npos)
      << strict.others.front().reasons.front();
  wanted.false_negatives = 0.02;
  EXPECT_EQ(recommend(wanted, among).choices.size(), 1U);
}

TEST(recommend, finds_the_best_rate_for_the_memory) {
  needs wanted;
  wanted.keys = 1'000'000;
  wanted.memory = 1 << 20;
  const recommendation answer = recommend(wanted);
  ASSERT_GE(answer.choices.size(), 3U);
  for (const planned_filter& plan : answer.choices) {
    EXPECT_LE(plan.bytes, *wanted.memory);
    EXPECT_LE(plan.predicted_rate, plan.promised.rate);
    // One per cent less would not fit: three figures of the rate are all that is given away.
    const auto better = plan.kind->plan(*wanted.keys, plan.promised.rate * 0.99);
    EXPECT_GT(plan.kind->payload_bytes(better), *wanted.memory) << plan.kind->info.name;
    EXPECT_EQ(plan.promised.rate, parse_ratio(format_real(plan.promised.rate, 3)));
  }
  // 1.4 % fewer bits a key would be another rate.
  EXPECT_EQ(chosen(answer).front(), "blocked");
}

TEST(recommend, promises_no_rate_that_digests_cannot_keep) {
  needs wanted;
  wanted.keys = 3;
  wanted.memory = 32 << 20;
  for (const planned_filter& plan : recommend(wanted).choices) {
    EXPECT_GE(plan.promised.rate, min_rate);
    if (plan.kind->info.name == "memory-optimised") continue;  // one bit a key: 2^28 reach no lower
    EXPECT_LE(plan.promised.rate, 1.02 * min_rate);
    EXPECT_LE(plan.bytes, 4096U);
  }
}

TEST(recommend, finds_the_most_keys_for_memory_and_rate) {
  needs wanted;
  wanted.memory = 1 << 20;
  wanted.rate = 0.001;
  const recommendation answer = recommend(wanted);
  ASSERT_GE(answer.choices.size(), 3U);
  for (const planned_filter& plan : answer.choices) {
    const std::uint64_t keys = plan.promised.keys;
    EXPECT_LE(plan.bytes, *wanted.memory);
    const auto larger = plan.kind->plan(keys + 1, *wanted.rate);
    EXPECT_GT(plan.kind->payload_bytes(larger), *wanted.memory) << plan.kind->info.name;
  }
}

TEST(recommend, ranks_by_memory_traffic_where_speed_counts) {
  needs wanted = sized(1'000'000, 0.001);
  wanted.fast = true;
  EXPECT_EQ(recommend(wanted).choices.front().kind->info.name, "blocked");
  wanted.keys.reset();
  wanted.memory = 1 << 20;
  EXPECT_EQ(recommend(wanted).choices.front().kind->info.name, "blocked");
}

TEST(recommend, plans_windows_of_time_with_kinds_that_know_it) {
  needs wanted = sized(100'000, 0.01);
  wanted.window = true;
  const auto arrivals = chosen(recommend(wanted));
  wanted.window_milliseconds = 60'000;
  const recommendation timed = recommend(wanted);
  EXPECT_LT(timed.choices.size(), arrivals.size());
  for (const planned_filter& plan : timed.choices) {
    const any_filter filter = plan.create({});
    EXPECT_TRUE(runs_on_time(filter)) << plan.kind->info.name;
    EXPECT_GE(filter.as<forgets>().window(), 60'000U);
  }
  for (const left_out& other : timed.others) {
    if (!other.kind->can<forgets>()) continue;
    EXPECT_NE(other.reasons.front().find("knows no time"), std::string::npos);
  }
}

// At every window size the rate shown is kept, and no better one could be shown: no kind is planned to
// be much below its promise for ever.
TEST(recommend, shows_the_rate_of_a_window_that_has_been_full_for_long) {
  for (const std::uint64_t milliseconds : {0U, 60'000U}) {
    needs wanted = sized(20'000, 0.01);
    wanted.window = true;
    wanted.window_milliseconds = milliseconds;
    wanted.false_negatives = 0.02;
    for (const planned_filter& plan : recommend(wanted).choices) {
      EXPECT_LE(plan.predicted_rate, math::with_reserve(0.01)) << plan.kind->info.name;
      EXPECT_GT(plan.predicted_rate, 0.007) << plan.kind->info.name;
      for (const std::uint64_t arrivals : {20'000U, 30'000U, 100'000U, 1'000'003U}) {
        if (milliseconds != 0) continue;
        EXPECT_GE(plan.predicted_rate, (1 - 1e-9) * plan.kind->predicted_rate(plan.shape, arrivals))
            << plan.kind->info.name << " " << arrivals;
      }
    }
  }
}

TEST(recommend, says_what_does_not_fit) {
  needs wanted = sized(1'000'000, 0.001);
  wanted.memory = 1 << 20;
  const recommendation answer = recommend(wanted);
  EXPECT_TRUE(answer.choices.empty());
  for (const left_out& other : answer.others) {
    const bool too_large = other.reasons.front().find("over the 1 MiB") != std::string::npos;
    const bool able = other.kind->can<inserts>() && other.kind->can<asks>() &&
                      !other.kind->can<forgets>() && !other.kind->can<maps>() &&
                      !other.kind->info.fills_with_repeats && other.kind->info.by_name_only.empty();
    EXPECT_EQ(too_large, able) << other.kind->info.name;
    EXPECT_EQ(other.able, able) << other.kind->info.name;
  }
  wanted.rate.reset();
  wanted.memory = 64;
  EXPECT_NE(recommend(wanted).others.front().reasons.front().find("into 64 B"), std::string::npos);
}

// On the wire a filter less than half full shrinks; one whose fill is unknown does not. The first is the
// smallest there, of twice the memory that others take.
TEST(recommend, ranks_by_the_wire_when_asked) {
  needs wanted = sized(100'000, 1e-4);
  wanted.transmit = true;
  const recommendation answer = recommend(wanted);
  const planned_filter& first = answer.choices.front();
  std::uint64_t least = first.bytes;
  for (const planned_filter& plan : answer.choices) {
    EXPECT_LE(first.wire_bytes, (1 + near_in_size) * plan.wire_bytes) << plan.kind->info.name;
    least = std::min(least, plan.bytes);
  }
  EXPECT_GT(first.bytes, 2 * least);
}

// Broder–Mitzenmacher Table 1, by the planner: (bits of memory, hashes) per key that 8 and 16 bits a key
// on the wire are best spent on, and the rates.
TEST(recommend, makes_bit_filters_sparse_for_the_wire) {
  struct row {
    std::uint64_t wire;
    std::uint64_t memory;
    std::uint64_t hashes;
    double rate;
  };
  constexpr std::uint64_t keys = 800'000;
  for (const row& best : {row{8, 14, 2, 0.0177}, row{8, 92, 1, 0.0108}, row{16, 28, 4, 3.14e-4},
                          row{16, 48, 3, 2.22e-4}}) {
    needs wanted;
    wanted.keys = keys;
    wanted.memory = keys / 8 * best.memory;
    wanted.wire = keys / 8 * best.wire;
    const recommendation answer = recommend(wanted, kinds_named({"standard"}));
    ASSERT_EQ(answer.choices.size(), 1U);
    const planned_filter& plan = answer.choices.front();
    EXPECT_EQ(std::get<std::uint64_t>(plan.shape[1]), best.hashes) << best.memory;
    EXPECT_LE(plan.wire_bytes, static_cast<double>(*wanted.wire));
    EXPECT_LE(plan.bytes, *wanted.memory);
    // The table spends 7.92 and 15.8 of the bits; the plan has its reserve.
    EXPECT_NEAR(plan.predicted_rate / best.rate, 1, 2 * math::rate_reserve) << best.memory;
    wanted.rate = plan.promised.rate * (1 - 2 * math::rate_reserve);
    EXPECT_TRUE(recommend(wanted, kinds_named({"standard"})).choices.empty());
  }
}

TEST(recommend, spends_no_vast_memory_on_the_wire_unasked) {
  needs wanted = sized(100'000, 1e-4);
  wanted.transmit = true;
  const recommendation answer = recommend(wanted);
  std::uint64_t least = max_bits;
  for (const planned_filter& plan : answer.choices) least = std::min(least, plan.bytes);
  for (const planned_filter& plan : answer.choices) {
    EXPECT_LE(plan.bytes, sparse_memory * (least + 8)) << plan.kind->info.name;
  }
  const auto spent = [&](std::optional<std::uint64_t> memory) {
    return find_kind("standard")
        .payload_bytes(least_on_the_wire(find_kind("standard"), 100'000, 1e-4, memory));
  };
  EXPECT_GT(spent(1 << 30), spent({}));
  EXPECT_GT(spent({}),
            find_kind("standard").payload_bytes(find_kind("standard").plan(100'000, 1e-4)));
}

TEST(recommend, refuses_needs_that_make_no_sense) {
  const auto refused = [](const std::string& part, const std::function<void(needs&)>& change) {
    needs wanted = sized(1000, 0.01);
    change(wanted);
    return throws_error(errc::invalid, part, [&] { (void)recommend(wanted); });
  };
  EXPECT_TRUE(refused("keys is 0", [](needs& n) { n.keys = 0; }));
  EXPECT_TRUE(refused("keys is", [](needs& n) { n.keys = max_keys + 1; }));
  EXPECT_TRUE(refused("rate is 0", [](needs& n) { n.rate = 0; }));
  EXPECT_TRUE(refused("rate is 1", [](needs& n) { n.rate = 1; }));
  EXPECT_TRUE(refused("1e-15 to below 1", [](needs& n) { n.rate = min_rate / 2; }));
  EXPECT_TRUE(refused("memory is 0", [](needs& n) { n.memory = 0; }));
  EXPECT_TRUE(refused("wire is 0", [](needs& n) { n.wire = 0; }));
  EXPECT_TRUE(refused("allowed: 0 to 1", [](needs& n) { n.false_negatives = 1.5; }));
  EXPECT_TRUE(refused("how many keys", [](needs& n) { n.keys.reset(); }));
  EXPECT_TRUE(refused("known size", [](needs& n) { n.unknown_size = n.fixed_set = true; }));
}

// 10,000 keys at 1 %, 53 kinds. Sizes that depend on the keys are expected ones; the tolerance is the
// slack of spectral counters, a twelfth of what they take, and the lines that parts are rounded up to.
TEST(planner, sizes_are_those_that_are_built) {
  constexpr std::uint64_t keys = 10'000;
  const auto members = testing::numbered_digests(41, keys);
  for (const any_kind& kind : kinds()) {
    if (!kind.takes_keys()) continue;
    const auto shape = kind.plan(keys, 0.01);
    const any_filter built = kind.build(shape, members, {}, {keys, 0.01}, 1);
    const auto planned = static_cast<double>(kind.payload_bytes(shape));
    const auto bytes = static_cast<double>(built.bytes());
    EXPECT_NEAR(bytes, planned, planned / 12 + 10 * cache_line_bytes) << kind.info.name;
  }
}

}  // namespace
}  // namespace bloomery
