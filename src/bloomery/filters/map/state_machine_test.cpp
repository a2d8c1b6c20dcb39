#include "bloomery/filters/map/state_machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

constexpr auto present = [](std::uint64_t state) { return mapped{mapped::state::present, state}; };

// Without collisions it is exact, through any legal history. 40-bit remainders.
TEST(state_machine, is_exact_without_collisions) {
  state_machine_filter flows({4, 60, 2, 40, 20, 2});
  std::map<digest, std::uint64_t> oracle;
  const auto pool = numbered_digests(1, 200);
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    const auto known = oracle.find(d);
    const std::uint64_t draw = hash::mix(~step);
    if (known == oracle.end()) {
      EXPECT_EQ(flows.value(d), mapped{});
      EXPECT_FALSE(flows.set_value(d, 1)) << "a stranger has no state";
      EXPECT_FALSE(flows.erase(d));
      EXPECT_TRUE(flows.insert(d));
      oracle[d] = 0;
    } else if (draw % 3 == 0) {
      EXPECT_TRUE(flows.erase(d));
      oracle.erase(known);
    } else {
      EXPECT_TRUE(flows.set_value(d, known->second = draw % 20));
    }
    ASSERT_EQ(flows.record().items, oracle.size());
    if (step % 2000 != 0) continue;
    for (const auto& [key, state] : oracle) ASSERT_EQ(flows.value(key), present(state));
  }
}

// Tarkoma §IV-D4: with collisions the answer is right or 'do not know'. 4-bit remainders, so that
// most keys share their cells.
TEST(state_machine, is_right_or_unknown_with_collisions) {
  state_machine_filter flows({4, 10, 8, 4, 6, 2});
  std::map<digest, std::uint64_t> oracle;
  const auto pool = numbered_digests(2, 150);
  std::uint64_t unknown = 0;
  std::uint64_t right = 0;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    const auto known = oracle.find(d);
    const std::uint64_t draw = hash::mix(~step);
    if (known == oracle.end()) {
      if (oracle.size() < 60) {
        flows.insert(d);
        oracle[d] = 0;
      }
    } else if (draw % 2 == 0) {
      ASSERT_TRUE(flows.erase(d) || flows.overflows() != 0);
      oracle.erase(known);
    } else {
      ASSERT_TRUE(flows.set_value(d, known->second = draw % 6));
    }
    if (step % 50 != 0) continue;
    for (const auto& [key, state] : oracle) {
      const mapped answer = flows.value(key);
      ASSERT_NE(answer.is, mapped::state::absent);
      unknown += std::uint64_t{answer.is == mapped::state::unknown};
      right += std::uint64_t{answer.is == mapped::state::present};
      if (answer.is == mapped::state::present) {
        ASSERT_EQ(answer.value, state) << step;
      }
    }
  }
  EXPECT_GT(unknown, 500U);
  EXPECT_GT(right, 500U);
}

// Two keys with one hash: agreement, conflict, and what is left when one goes.
TEST(state_machine, what_two_keys_of_one_hash_do) {
  const state_machine_shape shape{2, 1, 4, 1, 9, 2};  // all keys are alike
  state_machine_filter flows(shape);
  flows.insert({1, 1});
  EXPECT_TRUE(flows.set_value({1, 1}, 5));
  EXPECT_FALSE(flows.insert({2, 2})) << "claimed already";
  EXPECT_EQ(flows.value({1, 1}).is, mapped::state::unknown) << "5 against 0, not overwritten";
  EXPECT_TRUE(flows.erase({1, 1}));
  EXPECT_EQ(flows.value({2, 2}).is, mapped::state::unknown);
  EXPECT_TRUE(flows.set_value({2, 2}, 7));
  EXPECT_EQ(flows.value({2, 2}), present(7)) << "alone again, and told";
  for (int i = 0; i < 9; ++i) flows.insert({3, 3});
  EXPECT_EQ(flows.overflows(), 1U);
  EXPECT_FALSE(flows.erase({3, 3}));
  EXPECT_TRUE(flows.may_contain({2, 2})) << "what lost count stays";
}

// Illegal use: erasing a false positive takes the cell of the key it is mistaken for.
TEST(state_machine, erasing_a_false_positive_loses_a_key) {
  state_machine_filter flows({4, 40, 4, 6, 3, 2});
  const auto keys = numbered_digests(4, 300);
  flows.insert(keys);
  std::uint64_t erased = 0;
  for (const digest d : numbered_digests(5, 200)) {
    const bool claimed = flows.may_contain(d);
    EXPECT_EQ(flows.erase(d), claimed);
    erased += std::uint64_t{claimed};
  }
  std::uint64_t lost = 0;
  for (const digest d : keys) lost += std::uint64_t{!flows.may_contain(d)};
  EXPECT_GT(erased, 5U);
  EXPECT_GT(lost, 0U);
}

// What is touched, by coming or changing, survives one sweep and falls to the second.
TEST(state_machine, forgets_what_is_not_touched) {
  state_machine_filter flows(state_machine_filter::plan_map(500, 1e-6, 4));
  const auto idle = numbered_digests(6, 200);
  const auto busy = numbered_digests(7, 200);
  flows.insert(idle);
  flows.insert(busy);
  EXPECT_EQ(flows.age(), 0U);
  for (const digest d : busy) EXPECT_TRUE(flows.set_value(d, 2));
  EXPECT_EQ(flows.age(), 200U);
  EXPECT_EQ(flows.record().items, 200U);
  for (const digest d : idle) EXPECT_FALSE(flows.may_contain(d));
  for (const digest d : busy) EXPECT_EQ(flows.value(d), present(2));
  EXPECT_NO_THROW((void)wire::load<state_machine_filter>(wire::save(flows)));
  EXPECT_EQ(flows.age(), 200U);
  EXPECT_EQ(wire::save(flows), wire::save(state_machine_filter(flows.shape(), flows.record().hash,
                                                               flows.record().promised)));
}

// Strangers are claimed at d·load·2^-F at most, and members unknown for as many as share a cell
// with another state. 100 machines of 300 keys in 4 states, remainders of 8 bits, 2000 strangers
// each.
TEST(state_machine, errs_as_predicted) {
  const state_machine_shape shape{4, 20, 7, 8, 4, 2};
  const double load = 300.0 / 80;
  EXPECT_LE(math::dleft_rate(shape.size(), 300), 4 * load * std::exp2(-8)) << "a union bound";
  sample misses;
  for (std::uint64_t i = 0; i < 100; ++i) {
    std::vector<keyed_value> entries;
    for (const digest d : numbered_digests(100 + i, 300))
      entries.push_back({d, hash::mix(d.lo) % 4});
    const auto flows = state_machine_filter::build(shape, entries);
    std::uint64_t unknown = 0;
    for (const keyed_value& entry : entries) {
      const mapped answer = flows.value(entry.key);
      unknown += std::uint64_t{answer.is == mapped::state::unknown};
      ASSERT_TRUE(answer.is == mapped::state::unknown || answer == present(entry.value));
    }
    misses.add(static_cast<double>(unknown) / 300);
  }
  EXPECT_TRUE(plausible_mean(misses, math::dleft_conflicts(shape.size(), 300, 4)));
  EXPECT_TRUE(rate_as_predicted<state_machine_filter>(shape, 300, 100, 2000));
}

// The page's figures: bits a key for a million keys.
TEST(state_machine, bits_a_key) {
  const auto bits = [](double rate, std::uint64_t states) {
    const auto shape = state_machine_filter::plan_map(1'000'000, rate, states);
    return 8 * static_cast<double>(state_machine_filter::payload_bytes(shape)) / 1e6;
  };
  EXPECT_NEAR(bits(0.01, 1), 22.3, 0.1);
  EXPECT_NEAR(bits(0.01, 10), 26.1, 0.1);
  EXPECT_NEAR(bits(0.001, 10), 33.1, 0.1);
  EXPECT_NEAR(bits(0.001, 200), 36.8, 0.1);
}

TEST(state_machine, refuses_states_there_are_not) {
  const state_machine_shape shape{2, 1, 1, 5, 4, 2};  // cells of 5 + 6 bits
  state_machine_filter flows(shape);
  flows.insert({1, 2});
  auto bytes = std::vector<std::byte>(flows.payload()[0].begin(), flows.payload()[0].end());
  const auto restored = [&](unsigned state, unsigned keys) {
    bytes[0] =
        static_cast<std::byte>((std::to_integer<unsigned>(bytes[0]) & 0xc4U) | state << 3 | keys);
    return wire::copied(bytes);
  };
  EXPECT_NO_THROW((void)state_machine_filter::restore(shape, {}, restored(4, 1))) << "unknown";
  EXPECT_TRUE(throws_error(errc::corrupt, "state 5", [&] {
    (void)state_machine_filter::restore(shape, {}, restored(5, 1));
  }));
  EXPECT_TRUE(throws_error(errc::corrupt, "for 0 keys", [&] {
    (void)state_machine_filter::restore(shape, {}, restored(3, 0));
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "the bits of a state is 60", [] {
    (void)state_machine_filter({2, 10, 1, 48, 300, 2});
  }));
}

}  // namespace
}  // namespace bloomery::testing
