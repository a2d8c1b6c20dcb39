#include "bloomery/bits/array/counter_array.hpp"

#include <random>
#include <vector>

#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::throws_error;

TEST(counter_widths, stick_at_the_maximum_both_ways) {
  for (unsigned width = 1; width <= counter_array::max_width; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    counter_array counters(3, width);
    const std::uint64_t most = (std::uint64_t{1} << width) - 1;
    ASSERT_EQ(counters.max_value(), most);
    for (std::uint64_t i = 1; i <= most; ++i) {
      EXPECT_NE(counters.get(1), most);
      ASSERT_TRUE(counters.increment(1));
      ASSERT_EQ(counters.get(1), i);
    }
    EXPECT_EQ(counters.get(1), most);
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(counters.increment(1));
      EXPECT_EQ(counters.get(1), most);
      EXPECT_FALSE(counters.decrement(1)) << "a full counter has lost count";
      EXPECT_EQ(counters.get(1), most);
    }
    EXPECT_EQ(counters.get(0), 0U);
    EXPECT_EQ(counters.get(2), 0U);
  }
}

TEST(counter_widths, never_go_below_zero) {
  for (unsigned width = 1; width <= counter_array::max_width; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    counter_array counters(3, width);
    EXPECT_FALSE(counters.decrement(1));
    EXPECT_EQ(counters.get(1), 0U);
  }
}

TEST(counter_widths, agree_with_a_vector_of_sticky_counters) {
  for (unsigned width = 1; width <= counter_array::max_width; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    constexpr std::uint64_t cells = 100;
    counter_array counters(cells, width);
    std::vector<std::uint64_t> oracle(cells, 0);
    std::mt19937_64 random(width);
    for (int step = 0; step < 5000; ++step) {
      const std::uint64_t i = random() % cells;
      const bool up = random() % 3 != 0;
      std::uint64_t& value = oracle[i];
      const bool moves = value != counters.max_value() && (up || value != 0);
      ASSERT_EQ(up ? counters.increment(i) : counters.decrement(i), moves);
      if (moves) value = up ? value + 1 : value - 1;
    }
    for (std::uint64_t i = 0; i < cells; ++i) EXPECT_EQ(counters.get(i), oracle[i]);
  }
}

TEST(counter_array, takes_back_its_own_bytes) {
  counter_array counters(9, 4);
  counters.increment(8);
  counter_array viewed(9, 4, storage::view(counters.bytes()));
  EXPECT_EQ(viewed.get(8), 1U);
  EXPECT_TRUE(throws_error(errc::read_only, "read-only", [&] { viewed.require_writable(); }));
}

TEST(counter_array, adds_up_to_its_maximum_and_counts_the_stuck) {
  counter_array counters(5, 4);
  counters.add(0, 14);
  counters.add(1, 15);
  counters.add(2, 7);
  counters.add(2, 7);
  counters.add(3, 14);
  counters.add(3, 14);
  EXPECT_EQ(counters.get(0), 14U);
  EXPECT_EQ(counters.get(1), 15U);
  EXPECT_EQ(counters.get(2), 14U);
  EXPECT_EQ(counters.get(3), 15U);
  EXPECT_EQ(counters.zeros(), 1U);
  EXPECT_EQ(counters.stuck(), 2U);
  counter_array copied = counters;
  copied.set(1, 0);
  EXPECT_EQ(copied.stuck(), 1U);
  EXPECT_EQ(counters.stuck(), 2U);
}

TEST(counter_array, refuses_bad_widths) {
  for (const unsigned width : {0U, 17U, 64U}) {
    EXPECT_TRUE(
        throws_error(errc::invalid, "allowed: 1 to 16", [&] { (void)counter_array(10, width); }));
    EXPECT_TRUE(throws_error(errc::invalid, "allowed: 1 to 16",
                             [&] { (void)counter_array(10, width, storage::allocate(64)); }));
  }
  EXPECT_TRUE(throws_error(errc::limit, "0 cells", [] { (void)counter_array(0, 4); }));
}

}  // namespace
}  // namespace bloomery::bits
