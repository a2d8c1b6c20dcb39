#include "bloomery/bits/array/varying_counters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::throws_error;

constexpr std::array<std::uint64_t, 9> tried_sizes{1, 31, 32, 33, 511, 512, 513, 1000, 5000};

// Values of every length, rising and falling, so that codes shift both ways and runs are repacked.
TEST(varying_sizes, agree_with_a_vector) {
  for (const std::uint64_t size : tried_sizes) {
    SCOPED_TRACE("size " + std::to_string(size));
    varying_counters counts(size);
    std::vector<std::uint64_t> oracle(size, 0);
    std::mt19937_64 random(size);
    for (int step = 0; step < 20'000; ++step) {
      const std::uint64_t i = random() % size;
      const std::uint64_t value =
          random() % 4 == 0 ? (random() >> random() % 64) % (varying_counters::max_value + 1)
                            : random() % 4;
      if (step % 3 == 0) {
        ASSERT_EQ(counts.add(i, value), oracle[i]);
        oracle[i] += std::min(value, varying_counters::max_value - oracle[i]);
      } else {
        counts.set(i, value);
        oracle[i] = value;
      }
      ASSERT_EQ(counts.get(i), oracle[i]);
      const std::uint64_t other = random() % size;
      ASSERT_EQ(counts.get(other), oracle[other]) << "at " << step;
    }
    for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(counts.get(i), oracle[i]);
    const varying_counters again(size, storage::view(counts.bytes()));
    EXPECT_TRUE(std::ranges::equal(again.bytes(), counts.bytes()));
    for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(again.get(i), oracle[i]);
  }
}

TEST(varying_sizes, add_up) {
  for (const std::uint64_t size : tried_sizes) {
    SCOPED_TRACE("size " + std::to_string(size));
    varying_counters one(size);
    varying_counters two(size);
    std::mt19937_64 random(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      one.set(i, (random() >> random() % 64) % (varying_counters::max_value + 1));
      two.set(i, (random() >> random() % 64) % (varying_counters::max_value + 1));
    }
    varying_counters sum = one.sum(two);
    const varying_counters stored(size, storage::view(sum.bytes()));  // passes every check
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::uint64_t most = varying_counters::max_value - one.get(i);
      ASSERT_EQ(stored.get(i), one.get(i) + std::min(two.get(i), most)) << i;
    }
    for (std::uint64_t i = 0; i < size; ++i) sum.set(i, varying_counters::max_value - i);
    for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(sum.get(i), varying_counters::max_value - i);
  }
}

TEST(varying_counters, hold_the_greatest_value_everywhere) {
  varying_counters counts(600);
  for (std::uint64_t i = 0; i < 600; ++i) counts.set(i, varying_counters::max_value);
  for (std::uint64_t i = 0; i < 600; ++i) EXPECT_EQ(counts.get(i), varying_counters::max_value);
}

// The bound: N + o(N) + O(m), with the o(N) of delta codes (2·log2 of the length, and a bit) and 2
// bits a counter for index and slack.
TEST(varying_counters, take_the_bits_that_are_promised) {
  constexpr std::uint64_t size = 1 << 16;
  varying_counters counts(size);
  double codes = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t value = hash::mix(i) >> (40 + hash::mix(~i) % 24);
    counts.set(i, value);
    const auto length = static_cast<double>(std::bit_width(value + 1));
    codes += length + 2 * std::floor(std::log2(length));
  }
  EXPECT_LT(static_cast<double>(8 * counts.bytes().size()), codes + 2.0 * size);
}

TEST(varying_counters, start_small_and_say_how_small) {
  for (const std::uint64_t size : {1U, 512U, 513U, 100'000U}) {
    EXPECT_EQ(varying_counters(size).bytes().size(), varying_counters::empty_bytes(size));
  }
  EXPECT_LT(8 * varying_counters::empty_bytes(1'000'000), 2'800'000U);
}

// Whatever the bytes, they are refused or are counters that write the same bytes and can be changed.
TEST(varying_counters, trust_no_bytes) {
  varying_counters counts(1200);
  for (std::uint64_t i = 0; i < 1200; ++i)
    counts.set(i, hash::mix(i) % 7 == 0 ? hash::mix(i) >> 30 : i % 3);
  const std::vector<std::byte> good(counts.bytes().begin(), counts.bytes().end());
  const auto load = [](const std::vector<std::byte>& bytes) {
    storage stored = storage::allocate(bytes.size());
    std::ranges::copy(bytes, stored.bytes_for_writing().begin());
    return varying_counters(1200, std::move(stored));
  };
  std::uint64_t refused = 0;
  constexpr std::uint64_t trials = 5000;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    auto bytes = good;
    const std::uint64_t reach = trial % 3 == 0 ? 200 : bytes.size();
    for (std::uint64_t hit = 0; hit <= trial % 2; ++hit) {
      const std::uint64_t draw = hash::mix(2 * trial + hit);
      bytes[draw % reach] ^= static_cast<std::byte>(1U << (draw >> 50) % 8);
    }
    try {
      varying_counters again = load(bytes);
      EXPECT_TRUE(std::ranges::equal(again.bytes(), bytes));
      for (std::uint64_t i = 0; i < 1200; i += 7)
        again.set(i, std::min(again.get(i) + 1, varying_counters::max_value));
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::corrupt);
      ++refused;
    }
  }
  EXPECT_GT(refused, trials / 2);
  EXPECT_LT(refused, trials);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{64}, good.size() - 64, good.size() + 64}) {
    auto bytes = good;
    bytes.resize(size);
    EXPECT_TRUE(throws_error(errc::corrupt, "counters", [&] { (void)load(bytes); })) << size;
  }
}

}  // namespace
}  // namespace bloomery::bits
