#include "bloomery/filters/frequency/count_min.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/math/kinds/count_min.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

constexpr std::uint64_t plain = 0;
constexpr std::uint64_t conservative = 1;

// Key i of `pool` occurs about in proportion to 1/(i+1).
std::size_t zipf_draw(std::uint64_t step, std::size_t pool) {
  const double uniform = static_cast<double>(hash::mix(step) >> 11) * 0x1p-53;
  return static_cast<std::size_t>(std::pow(static_cast<double>(pool), uniform)) - 1;
}

// Cormode, Muthukrishnan 2005: no underestimate; conservative update is nowhere above plain; plain
// sketches add up.
TEST(count_min, counts_are_never_too_low_and_conservative_ones_not_above_plain) {
  const count_min_shape shape{.width = 100, .depth = 4};
  count_min_filter sketch(shape);
  count_min_filter careful({.width = 100, .depth = 4, .update = conservative});
  std::array<count_min_filter, 2> halves{count_min_filter(shape), count_min_filter(shape)};
  std::map<digest, std::uint64_t> truth;
  const auto pool = numbered_digests(1, 1000);
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const digest d = pool[zipf_draw(step, pool.size())];
    const std::uint64_t weight = 1 + hash::mix(~step) % 4;
    for (count_min_filter* filter : {&sketch, &careful, &halves[step % 2]}) filter->add(d, weight);
    truth[d] += weight;
  }
  std::uint64_t excess = 0;
  std::uint64_t careful_excess = 0;
  for (const auto& [key, count] : truth) {
    ASSERT_GE(careful.count(key), count);
    ASSERT_GE(sketch.count(key), careful.count(key));
    excess += sketch.count(key) - count;
    careful_excess += careful.count(key) - count;
  }
  EXPECT_LT(careful_excess, excess) << "what conservative update is for";
  halves[0].merge(halves[1]);
  EXPECT_EQ(wire::save(halves[0]), wire::save(sketch));
}

TEST(count_min, conservative_update_is_the_papers) {
  count_min_filter filter({.width = 7, .depth = 3, .update = conservative});
  std::vector<std::uint64_t> cells(21, 0);
  for (std::uint64_t step = 0; step < 500; ++step) {
    const digest d = numbered_digest(2, hash::mix(step) % 40);
    const hash::positions at = hash::positions_of(hash::digit_probes(7, 3), d);
    std::uint64_t least = ~std::uint64_t{0};
    for (const std::uint64_t i : at) least = std::min(least, cells[i]);
    ASSERT_EQ(filter.count(d), least);
    for (const std::uint64_t i : at) cells[i] = std::max(cells[i], least + 1 + step % 3);
    filter.add(d, 1 + step % 3);
  }
}

// ε = e/272: 100 keys of weight 1000 make N = 100,000, so that meeting one of them in every row is
// being wrong by more than ε·N. 300 sketches, 3,000 strangers each.
TEST(count_min, errs_by_more_than_epsilon_as_often_as_predicted) {
  const count_min_shape shape = count_min_shape::for_error(0.01, 0.01);
  constexpr std::uint64_t heavy = 100;
  const double epsilon = math::count_min_epsilon(shape.width);
  const double predicted = math::partitioned_rate(shape.width, heavy, shape.depth);
  EXPECT_LE(predicted, math::count_min_delta(shape.depth));
  constexpr std::uint64_t sketches = 300;
  constexpr std::uint64_t strangers = 3000;
  sample rates;
  for (std::uint64_t s = 0; s < sketches; ++s) {
    count_min_filter filter(shape);
    for (const digest d : numbered_digests(100 + s, heavy)) filter.add(d, 1000);
    const double allowed = epsilon * static_cast<double>(filter.record().items);
    std::uint64_t wrong = 0;
    for (const digest d : numbered_digests(100 + s, strangers, heavy)) {
      wrong += std::uint64_t{static_cast<double>(filter.count(d)) > allowed};
    }
    rates.add(static_cast<double>(wrong) / strangers);
  }
  EXPECT_TRUE(plausible_mean(rates, predicted));
}

TEST(count_min, full_counters_stick_and_are_reported) {
  for (const std::uint64_t update : {plain, conservative}) {
    count_min_filter filter({.width = 50, .depth = 3, .counter_bits = 8, .update = update});
    filter.add({1, 2}, 254);
    EXPECT_EQ(filter.overflows(), 0U);
    filter.add({1, 2}, ~std::uint64_t{0});
    EXPECT_EQ(filter.count({1, 2}), 255U);
    EXPECT_EQ(filter.overflows(), 3U);
    EXPECT_EQ(filter.record().items, max_items);
    filter.insert({1, 2});
    EXPECT_EQ(filter.count({1, 2}), 255U);
    EXPECT_EQ(wire::save(wire::load<count_min_filter>(wire::save(filter))), wire::save(filter));
  }
  count_min_filter wide({.width = 5, .depth = 2, .counter_bits = 64});
  wide.add({1, 2}, ~std::uint64_t{0} - 1);
  EXPECT_EQ(wide.overflows(), 0U);
  wide.insert({1, 2});
  EXPECT_EQ(wide.count({1, 2}), ~std::uint64_t{0});
  EXPECT_EQ(wide.overflows(), 2U);
}

// The strict turnstile: what is left after taking keys back is the sketch that never had them.
TEST(count_min, taking_keys_back_undoes_their_arrival) {
  const count_min_shape shape{.width = 50, .depth = 4, .counter_bits = 16};
  count_min_filter filter(shape);
  count_min_filter rest(shape);
  const auto pool = numbered_digests(31, 200);
  std::vector<digest> leaving;
  for (std::uint64_t step = 0; step < 5000; ++step) {
    const digest d = pool[zipf_draw(step, pool.size())];
    filter.insert(d);
    if (step % 3 == 0) {
      leaving.push_back(d);
    } else {
      rest.insert(d);
    }
  }
  for (const digest d : leaving) EXPECT_TRUE(filter.erase(d));
  EXPECT_EQ(wire::save(filter), wire::save(rest));
  EXPECT_FALSE(count_min_filter(shape).erase(pool[0])) << "nothing to take back";
}

TEST(count_min, what_has_lost_count_is_not_taken_back) {
  count_min_filter full({.width = 10, .depth = 2, .counter_bits = 8});
  full.add({1, 2}, 255);
  EXPECT_FALSE(full.erase({1, 2}));
  EXPECT_EQ(full.count({1, 2}), 255U);
  count_min_filter careful({.width = 10, .depth = 2, .update = conservative});
  careful.insert({1, 2});
  EXPECT_TRUE(throws_error(errc::unsupported, "conservative", [&] { careful.erase({1, 2}); }));
  count_min_filter lists({.width = 10, .depth = 2, .top = 3});
  lists.insert({1, 2});
  EXPECT_TRUE(throws_error(errc::unsupported, "top keys", [&] { lists.erase({1, 2}); }));
}

// Cormode, Muthukrishnan 2005, Theorem 3: the sum of products is never too low, and more than ε·N₁·N₂ too
// high with probability δ at most. 400 pairs of sketches with keys of their own.
TEST(count_min, inner_products_err_as_the_theorem_says) {
  const count_min_shape shape{.width = 20, .depth = 2};
  constexpr std::uint64_t pairs = 400;
  std::uint64_t strays = 0;
  double excess = 0;
  for (std::uint64_t trial = 0; trial < pairs; ++trial) {
    count_min_filter one(shape);
    count_min_filter two(shape);
    std::map<digest, std::pair<double, double>> truth;
    const auto pool = numbered_digests(5000 + trial, 300);
    for (std::uint64_t step = 0; step < 600; ++step) {
      const digest a = pool[zipf_draw(600 * trial + step, 200)];
      const digest b = pool[100 + zipf_draw(~(600 * trial + step), 200)];
      one.insert(a);
      two.insert(b);
      truth[a].first += 1;
      truth[b].second += 1;
    }
    double exact = 0;
    for (const auto& [key, counts] : truth) exact += counts.first * counts.second;
    const double told = inner_product(one, two);
    ASSERT_GE(told, exact);
    ASSERT_EQ(told, inner_product(two, one));
    strays += std::uint64_t{told - exact > math::count_min_epsilon(shape.width) * 600 * 600};
    excess += told - exact;
  }
  EXPECT_TRUE(plausible_limit(strays, pairs, math::count_min_delta(shape.depth)));
  EXPECT_GT(excess, 0) << "keys of different sketches do collide";
  EXPECT_TRUE(throws_error(errc::incompatible, "width", [] {
    (void)inner_product(count_min_filter({.width = 10, .depth = 2}),
                        count_min_filter({.width = 11, .depth = 2}));
  }));
}

TEST(count_min, conservative_sketches_do_not_merge) {
  const count_min_shape shape{.width = 50, .depth = 3, .update = conservative};
  count_min_filter one(shape);
  count_min_filter two(shape);
  two.insert({1, 2});
  const auto before = wire::save(one);
  EXPECT_TRUE(throws_error(errc::unsupported, "conservative", [&] { one.merge(two); }));
  EXPECT_EQ(wire::save(one), before);
}

// The promise of the list: whoever occurred more often than its least is in it.
TEST(count_min, lists_every_key_that_occurred_more_often_than_the_least_listed) {
  for (const std::uint64_t update : {plain, conservative}) {
    count_min_filter filter({.width = 300, .depth = 4, .update = update, .top = 40});
    std::map<digest, std::uint64_t> truth;
    const auto pool = numbered_digests(3, 3000);
    for (std::uint64_t step = 0; step < 30'000; ++step) {
      const std::size_t i = zipf_draw(step, pool.size());
      filter.insert(pool[i]);
      ++truth[pool[i]];
      if (filter.wants_label(pool[i])) filter.label(pool[i], std::to_string(i));
    }
    const auto top = filter.top();
    ASSERT_EQ(top.size(), 40U);
    std::map<digest, std::uint64_t> listed;
    for (std::size_t i = 0; i < top.size(); ++i) {
      EXPECT_TRUE(i == 0 || top[i - 1].count >= top[i].count);
      EXPECT_GE(top[i].count, truth[top[i].key]);
      EXPECT_LE(top[i].count, filter.count(top[i].key));
      EXPECT_EQ(pool[std::stoul(top[i].label)], top[i].key);
      listed[top[i].key] = top[i].count;
    }
    for (const auto& [key, count] : truth) {
      EXPECT_TRUE(count <= top.back().count || listed.contains(key)) << count;
    }
    const auto heavy = heavy_hitters(filter, 0.02);
    ASSERT_LT(top.back().count, 600U) << "so that all of them are listed";
    std::set<digest> found;
    for (const ranked_key& k : heavy) {
      EXPECT_GE(k.count, 600U);
      found.insert(k.key);
    }
    EXPECT_GE(found.size(), 5U);
    for (const auto& [key, count] : truth) EXPECT_TRUE(count < 600 || found.contains(key));
    EXPECT_EQ(wire::save(wire::load<count_min_filter>(wire::save(filter))), wire::save(filter));
  }
}

TEST(count_min, merged_lists_hold_the_most_frequent_of_both) {
  const count_min_shape shape{.width = 500, .depth = 4, .top = 3};
  count_min_filter one(shape);
  count_min_filter two(shape);
  const auto keys = numbered_digests(4, 5);
  for (std::uint64_t i = 0; i < 4; ++i) one.add(keys[i], 10 + i);
  for (std::uint64_t i = 1; i < 5; ++i) two.add(keys[i], 30 - 5 * i);
  one.label(keys[2], "mine");
  two.label(keys[2], "theirs");
  two.label(keys[1], "first");
  one.merge(two);
  const auto top = one.top();
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].key, keys[1]);
  EXPECT_EQ(top[0].count, 36U);
  EXPECT_EQ(top[0].label, "first");
  EXPECT_EQ(top[1].label, "mine");
  EXPECT_EQ(top[2].count, 28U);
  EXPECT_TRUE(top[2].label.empty());
}

TEST(count_min, refuses_impossible_rows_lists_and_requests) {
  count_min_filter filter({.width = 64, .depth = 2, .counter_bits = 8, .top = 1});
  filter.insert({1, 2});
  const auto head = wire::envelope_of(filter);
  std::vector<std::byte> bytes;
  for (const byte_view part : filter.payload()) bytes.insert(bytes.end(), part.begin(), part.end());
  const auto restored = [&](std::size_t at, unsigned value) {
    auto damaged = bytes;
    damaged[at] = static_cast<std::byte>(value);
    return wire::restore<count_min_filter>(head, wire::copied(damaged));
  };
  EXPECT_NO_THROW((void)restored(128 + 16, 1));
  EXPECT_TRUE(throws_error(errc::corrupt, "rows", [&] { (void)restored(0, 200); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "higher", [&] { (void)restored(128 + 16, 2); }));
  EXPECT_TRUE(throws_error(errc::invalid, "share", [&] { (void)heavy_hitters(filter, 0); }));
  count_min_filter unlisted({.width = 64, .depth = 2});
  EXPECT_TRUE(throws_error(errc::unsupported, "top", [&] { (void)heavy_hitters(unlisted, 0.1); }));
  EXPECT_TRUE(throws_error(errc::limit, "counters",
                           [] { (void)count_min_filter({.width = max_bits, .depth = 1}); }));
}

TEST(count_min, both_updates_claim_the_same_keys) {
  count_min_filter sketch({.width = 300, .depth = 5});
  count_min_filter careful({.width = 300, .depth = 5, .update = conservative});
  for (const digest d : numbered_digests(5, 400)) {
    EXPECT_EQ(sketch.insert(d), careful.insert(d));
    sketch.insert(d);
  }
  std::uint64_t claimed = 0;
  for (const digest d : numbered_digests(6, 2000)) {
    EXPECT_EQ(sketch.may_contain(d), careful.may_contain(d));
    claimed += std::uint64_t{sketch.may_contain(d)};
  }
  EXPECT_GT(claimed, 100U);
  EXPECT_EQ(sketch.fill(), careful.fill());
}

// A label is in clear in a plain filter, and in a keyed one nowhere; only the key reads it there.
TEST(count_min, seals_the_labels_of_a_keyed_filter) {
  const std::array<std::byte, keyed_hash::secret_bytes> secret{std::byte{1}};
  const hasher hash{keyed_hash(secret)};
  constexpr std::string_view name = "a name that nobody else may read";
  for (const bool keyed : {false, true}) {
    const hasher by = keyed ? hash : hasher();
    count_min_filter filter(count_min_shape{1000, 4, 32, 0, 3}, by.identity());
    const digest d = by(name);
    filter.insert(d);
    ASSERT_TRUE(filter.wants_label(d));
    if (keyed) {
      EXPECT_TRUE(throws_error(errc::invalid, "sealed", [&] { filter.label(d, name); }));
      EXPECT_TRUE(throws_error(errc::incompatible, "differs", [&] {
        const hasher unkeyed;
        filter.label(d, name, &unkeyed);
      }));
    }
    filter.label(d, name, &by);
    const std::vector<std::byte> saved = wire::save(filter);
    EXPECT_EQ(text_of(saved).find(name) == std::string_view::npos, keyed);
    EXPECT_EQ(filter.top(&by).front().label, name);
    EXPECT_EQ(any_filter(filter).as<ranks>().top(&by).front().label, name);
    EXPECT_EQ(filter.top().front().label, keyed ? "" : name);
  }
}

}  // namespace
}  // namespace bloomery::testing
