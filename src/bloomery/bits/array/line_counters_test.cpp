#include "bloomery/bits/array/line_counters.hpp"

#include <algorithm>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

struct spot {
  std::uint64_t block;
  unsigned lane;
  unsigned cell;
};

spot spot_of(std::uint64_t i, const bits::line_counters& counters) {
  const unsigned cells = counters.per_lane();
  return {i / cells / hash::lane_count, static_cast<unsigned>(i / cells % hash::lane_count),
          static_cast<unsigned>(i % cells)};
}

TEST(line_counters, count_as_an_array_of_numbers_does_and_stick) {
  for (unsigned width = bits::line_counters::min_width; width <= bits::line_counters::max_width;
       ++width) {
    bits::line_counters counters(3, width);
    ASSERT_EQ(counters.size(), 3 * hash::lane_count * (64 / width));
    std::vector<std::uint64_t> oracle(counters.size());
    const std::uint64_t most = counters.max_value();
    for (std::uint64_t step = 0; step < 60'000; ++step) {
      const std::uint64_t i = hash::mix(step) % oracle.size();
      const auto [block, lane, cell] = spot_of(i, counters);
      const bool up = hash::mix(~step) % 5 < 3;
      EXPECT_EQ(up ? counters.increment(block, lane, cell) : counters.decrement(block, lane, cell),
                oracle[i]);
      if (oracle[i] == most || (!up && oracle[i] == 0)) continue;
      up ? ++oracle[i] : --oracle[i];
    }
    std::uint64_t zeros = 0;
    std::uint64_t stuck = 0;
    for (std::uint64_t i = 0; i < oracle.size(); ++i) {
      const auto [block, lane, cell] = spot_of(i, counters);
      EXPECT_EQ(counters.get(block, lane, cell), oracle[i]);
      zeros += std::uint64_t{oracle[i] == 0};
      stuck += std::uint64_t{oracle[i] == most};
    }
    EXPECT_EQ(counters.zeros(), zeros);
    EXPECT_EQ(counters.stuck(), stuck);
  }
}

TEST(line_counters, merging_adds_and_sticks) {
  bits::line_counters one(2, 3);
  bits::line_counters two(2, 3);
  for (std::uint64_t i = 0; i < one.size(); ++i) {
    const auto [block, lane, cell] = spot_of(i, one);
    for (std::uint64_t n = 0; n < i % 8; ++n) one.increment(block, lane, cell);
    for (std::uint64_t n = 0; n < i / 8 % 8; ++n) two.increment(block, lane, cell);
  }
  const std::uint64_t common = one.common_zeros(two);
  one.merge(two);
  EXPECT_EQ(one.zeros(), common);
  for (std::uint64_t i = 0; i < one.size(); ++i) {
    const auto [block, lane, cell] = spot_of(i, one);
    EXPECT_EQ(one.get(block, lane, cell), std::min<std::uint64_t>(7, i % 8 + i / 8 % 8));
  }
}

TEST(line_counters, shares_by_lane) {
  bits::line_counters counters(2, 4);
  for (unsigned cell = 0; cell < 4; ++cell) counters.increment(1, 5, cell);
  EXPECT_EQ(counters.fills(1)[5], 0.25);
  EXPECT_EQ(counters.fills(1)[4], 0);
  EXPECT_EQ(counters.fills(0)[5], 0);
}

TEST(line_counters, refuse_what_they_cannot_be) {
  EXPECT_TRUE(throws_error(errc::invalid, "1 bits", [] { bits::line_counters(1, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "9 bits", [] { bits::line_counters(1, 9); }));
  EXPECT_TRUE(throws_error(errc::limit, "0 lines", [] { bits::line_counters(0, 3); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "64 bytes",
                           [] { bits::line_counters(1, 3, storage::allocate(128)); }));
  auto dirty = storage::allocate(64);
  dirty.bytes_for_writing()[15] = std::byte{0x80};
  EXPECT_TRUE(throws_error(errc::corrupt, "beside", [&] { bits::line_counters(1, 3, dirty); }));
  EXPECT_NO_THROW(bits::line_counters(1, 4, dirty));
}

}  // namespace
}  // namespace bloomery::testing
