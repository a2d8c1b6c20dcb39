#include "bloomery/bits/array/layered_counters.hpp"

#include "bloomery/hash/mix.hpp"
#include "parts.hpp"

namespace bloomery::testing {
namespace {

void expect_same(const bits::layered_counters& counters, const std::vector<std::uint64_t>& oracle) {
  for (std::uint64_t i = 0; i < oracle.size(); ++i) {
    ASSERT_EQ(counters.get(i), oracle[i]) << i;
    ASSERT_EQ(counters.test(i), oracle[i] != 0);
  }
}

// One segment, a few, one string and more, the last of each cut short; some counters climb high.
TEST(layered_counters, are_numbers_without_a_limit) {
  for (const std::uint64_t m : {1U, 63U, 512U, 1300U, 40'000U}) {
    bits::layered_counters counters(m);
    std::vector<std::uint64_t> oracle(m);
    for (std::uint64_t step = 0; step < 30'000; ++step) {
      const std::uint64_t draw = hash::mix(step);
      const std::uint64_t i =
          draw % 3 == 0 ? hash::mix(draw) % m : hash::mix(draw) % ((m + 15) / 16);
      if (step < 20'000 ? draw % 5 < 4 : draw % 5 < 1) {
        counters.increment(i);
        ++oracle[i];
      } else {
        ASSERT_EQ(counters.decrement(i), oracle[i] != 0);
        if (oracle[i] != 0) --oracle[i];
      }
      ASSERT_EQ(counters.get(i), oracle[i]) << "at " << step;
    }
    expect_same(counters, oracle);
    const bits::layered_counters again(m, owned(bytes_of(counters)));
    expect_same(again, oracle);
    EXPECT_EQ(bytes_of(again), bytes_of(counters));
    expect_same(bits::layered_counters(counters), oracle);
    bits::layered_counters onward(m, owned(bytes_of(counters)));
    onward.increment(m / 2);
    EXPECT_EQ(onward.get(m / 2), oracle[m / 2] + 1);
  }
}

// Two towers in one segment, of unequal heights, among low ones.
TEST(layered_counters, towers_are_passed_in_a_step) {
  bits::layered_counters counters(512);
  for (std::uint64_t i = 0; i < 512; i += 3) counters.increment(i);
  for (int i = 0; i < 60'000; ++i) {
    counters.increment(100);
    counters.increment(300);
    if (i % 2 == 0) counters.increment(200);
  }
  EXPECT_EQ(counters.get(100), 60'000U);
  EXPECT_EQ(counters.get(200), 30'000U);
  EXPECT_EQ(counters.get(300), 60'001U);
  for (int i = 0; i < 60'000; ++i) ASSERT_TRUE(counters.decrement(100));
  EXPECT_FALSE(counters.decrement(100));
  EXPECT_EQ(counters.get(200), 30'000U);
  EXPECT_EQ(counters.get(300), 60'001U);
}

// As incrementing one by one does, bit for bit; towers of a million take a step.
TEST(layered_counters, add_up) {
  for (const std::uint64_t m : {1U, 513U, 40'000U}) {
    bits::layered_counters one(m);
    bits::layered_counters two(m);
    bits::layered_counters both(m);
    std::vector<std::uint64_t> oracle(m);
    for (std::uint64_t step = 0; step < 20'000; ++step) {
      const std::uint64_t i = hash::mix(step) % 5 == 0 ? m / 3 : hash::mix(~step) % m;
      (step % 3 == 0 ? one : two).increment(i);
      both.increment(i);
      ++oracle[i];
    }
    const bits::layered_counters sum = one.sum(two);
    expect_same(sum, oracle);
    EXPECT_EQ(bytes_of(sum), bytes_of(both));
    bits::layered_counters onward = sum;
    onward.increment(m - 1);
    EXPECT_EQ(onward.get(m - 1), oracle[m - 1] + 1);
  }
}

TEST(layered_counters, of_a_great_height_are_loaded_and_added_in_no_time) {
  constexpr std::uint64_t height = std::uint64_t{1} << 28;
  std::vector<std::byte> tower(64 + height / 8, std::byte{0xff});
  std::fill(tower.begin() + 1, tower.begin() + 64, std::byte{0});
  tower.front() = std::byte{1};
  tower.back() = std::byte{0x7f};
  const bits::layered_counters counters(1, owned(tower));
  EXPECT_EQ(counters.get(0), height);
  EXPECT_EQ(counters.sum(counters).get(0), 2 * height);
  bits::layered_counters higher = counters;
  for (int i = 0; i < 4; ++i) higher = higher.sum(i < 3 ? higher : counters);
  EXPECT_TRUE(throws_error(errc::limit, "more than", [&] { (void)higher.sum(higher); }));
}

TEST(layered_counters, take_a_bit_each_and_one_for_every_increment) {
  constexpr std::uint64_t m = 100'000;
  bits::layered_counters counters(m);
  for (std::uint64_t i = 0; i < 69'315; ++i) counters.increment(hash::mix(i) % m);
  // Lines are whole: one at most is part empty in layer 0 and in each of the four strings.
  const std::uint64_t bits = 8 * bytes_of(counters).size();
  EXPECT_LE(bits, 169'315U + 5 * 512);
  EXPECT_GE(bits, 169'315U);
  const std::uint64_t expected = 8 * bits::layered_counters::expected_bytes(m, 0.69315);
  EXPECT_LE(expected, bits + 4 * 512);
  EXPECT_GE(expected + 4 * 512, bits);
}

TEST(layered_counters, what_does_not_fit_together_is_refused) {
  bits::layered_counters counters(1000);
  for (std::uint64_t i = 0; i < 700; ++i) counters.increment(hash::mix(i) % 1000);
  const auto good = bytes_of(counters);
  const auto refused = [&](std::vector<std::byte> bytes, const std::string& why) {
    EXPECT_TRUE(
        throws_error(errc::corrupt, why, [&] { bits::layered_counters(1000, owned(bytes)); }));
  };
  auto bytes = good;
  bytes.resize(64);
  refused(bytes, "layer 0 takes");
  bytes = good;
  bytes.resize(128);
  refused(bytes, "cut short");
  bytes = good;
  bytes.resize(good.size() + 64);
  refused(bytes, "are left");
  bytes = good;
  bytes.back() = std::byte{1};
  refused(bytes, "padding");
  bytes = good;
  for (std::size_t i = 128; i < bytes.size(); ++i) bytes[i] = std::byte{0xff};
  refused(bytes, "cut short");
}

}  // namespace
}  // namespace bloomery::testing
