#include "bloomery/bits/array/bit_array.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::throws_error;

// A bit array and its twin; every change goes to both.
struct twins {
  bit_array bits;
  std::vector<bool> oracle;

  explicit twins(std::uint64_t size) : bits(size), oracle(size, false) {}

  bool set(std::uint64_t i) {
    const bool was_clear = !oracle[i];
    oracle[i] = true;
    const bool said = bits.set(i);
    EXPECT_EQ(said, was_clear) << i;
    return said;
  }

  static twins random(std::uint64_t size, std::mt19937_64& random, unsigned percent) {
    twins result(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      if (random() % 100 < percent) result.set(i);
    }
    return result;
  }
};

void expect_equal(const bit_array& bits, const std::vector<bool>& oracle) {
  ASSERT_EQ(bits.size(), oracle.size());
  for (std::uint64_t i = 0; i < bits.size(); ++i) ASSERT_EQ(bits.test(i), oracle[i]) << i;
  ASSERT_EQ(bits.count(),
            static_cast<std::uint64_t>(std::count(oracle.begin(), oracle.end(), true)));
}

bool padding_is_clean(const bit_array& bits) {
  bool clean = bits.size() % 8 == 0 ||
               std::to_integer<unsigned>(bits.bytes()[bits.size() / 8]) >> bits.size() % 8 == 0;
  for (std::uint64_t i = (bits.size() + 7) / 8; i < bits.bytes().size(); ++i) {
    clean = clean && bits.bytes()[i] == std::byte{0};
  }
  return clean;
}

constexpr std::array<std::uint64_t, 12> sizes{1,   2,   63,  64,  65,   100,
                                              511, 512, 513, 777, 1024, 4097};

TEST(bit_array, clears_what_was_set_and_nothing_else) {
  bit_array bits(130);
  for (std::uint64_t i = 0; i < 130; ++i) bits.set(i);
  EXPECT_TRUE(bits.clear(64));
  EXPECT_FALSE(bits.clear(64));
  EXPECT_TRUE(bits.clear(129));
  EXPECT_EQ(bits.count(), 128U);
  EXPECT_FALSE(bits.test(64) || bits.test(129));
}

TEST(bit_array, agrees_with_a_vector_of_bool) {
  std::mt19937_64 random(1);
  for (const std::uint64_t size : sizes) {
    twins pair(size);
    for (std::uint64_t step = 0; step < 2 * size; ++step) pair.set(random() % size);
    expect_equal(pair.bits, pair.oracle);
    EXPECT_TRUE(padding_is_clean(pair.bits));
    EXPECT_EQ(pair.bits.bytes().size(), bit_array_bytes(size));
  }
}

TEST(bit_array, bit_i_is_bit_i_mod_8_of_byte_i_over_8) {
  for (const std::uint64_t i : {0U, 1U, 7U, 8U, 63U, 64U, 99U}) {
    bit_array bits(100);
    bits.set(i);
    for (std::size_t byte = 0; byte < bits.bytes().size(); ++byte) {
      const auto expected = byte == i / 8 ? static_cast<std::byte>(1U << i % 8) : std::byte{0};
      EXPECT_EQ(bits.bytes()[byte], expected) << "bit " << i << ", byte " << byte;
    }
  }
}

TEST(bit_array, counts_any_range) {
  std::mt19937_64 random(2);
  for (const std::uint64_t size : {1U, 64U, 65U, 200U}) {
    const twins pair = twins::random(size, random, 50);
    for (std::uint64_t first = 0; first <= size; ++first) {
      std::uint64_t ones = 0;
      for (std::uint64_t last = first; last <= size; ++last) {
        ASSERT_EQ(pair.bits.count(first, last), ones) << first << ' ' << last;
        if (last < size) ones += pair.oracle[last];
      }
    }
  }
}

TEST(bit_array, merges_intersects_and_counts_what_is_common) {
  std::mt19937_64 random(3);
  for (const std::uint64_t size : sizes) {
    const twins a = twins::random(size, random, 40);
    const twins b = twins::random(size, random, 60);
    std::vector<bool> either(size);
    std::vector<bool> both(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      either[i] = a.oracle[i] || b.oracle[i];
      both[i] = a.oracle[i] && b.oracle[i];
    }
    bit_array merged = a.bits;
    merged.merge(b.bits);
    expect_equal(merged, either);
    bit_array common = a.bits;
    common.intersect(b.bits);
    expect_equal(common, both);
    EXPECT_EQ(a.bits.count_common(b.bits), common.count());
    expect_equal(a.bits, a.oracle);  // copies are separate
  }
}

TEST(bit_array, folds_neighbours_together) {
  std::mt19937_64 random(4);
  for (const std::uint64_t grain : {1U, 3U, 64U, 512U}) {
    for (const std::uint64_t factor : {1U, 2U, 3U, 7U}) {
      for (const std::uint64_t runs : {1U, 2U, 5U}) {
        const std::uint64_t size = grain * factor * runs;
        const twins pair = twins::random(size, random, 20);
        std::vector<bool> expected(size / factor, false);
        for (std::uint64_t run = 0; run < factor * runs; ++run) {
          for (std::uint64_t at = 0; at < grain; ++at) {
            if (pair.oracle[run * grain + at]) expected[run / factor * grain + at] = true;
          }
        }
        const bit_array folded = pair.bits.folded(factor, grain);
        expect_equal(folded, expected);
        EXPECT_TRUE(padding_is_clean(folded));
      }
    }
  }
}

TEST(bit_array, takes_back_its_own_bytes) {
  std::mt19937_64 random(5);
  for (const std::uint64_t size : sizes) {
    const twins pair = twins::random(size, random, 50);
    const bit_array viewed(size, storage::view(pair.bits.bytes()));
    expect_equal(viewed, pair.oracle);
    EXPECT_FALSE(viewed.writable());
    bit_array copied = viewed;
    EXPECT_TRUE(copied.writable());
    copied.set(0);
  }
}

TEST(bit_array, refuses_stored_bytes_of_another_length) {
  for (const std::uint64_t bits : {1U, 512U}) {
    EXPECT_TRUE(throws_error(errc::corrupt, "need 64 bytes, there are 128",
                             [&] { (void)bit_array(bits, storage::allocate(128)); }));
  }
  EXPECT_TRUE(throws_error(errc::corrupt, "need 128 bytes, there are 64",
                           [] { (void)bit_array(513, storage::allocate(64)); }));
  EXPECT_TRUE(throws_error(errc::limit, "0 bits", [] { (void)bit_array(0, storage{}); }));
}

// Every bit of the padding, one at a time, for sizes that end anywhere in a word or line.
TEST(bit_array, refuses_dirty_padding) {
  for (const std::uint64_t size : {1U, 7U, 63U, 64U, 65U, 127U, 128U, 500U, 511U, 512U}) {
    for (std::uint64_t i = 0; i < 512; ++i) {
      bit_array line(512);
      line.set(i);
      const auto take = [&] { (void)bit_array(size, storage::view(line.bytes())); };
      if (i < size) {
        EXPECT_NO_THROW(take()) << size << ' ' << i;
      } else {
        EXPECT_TRUE(throws_error(errc::corrupt, "padding", take)) << size << ' ' << i;
      }
    }
  }
}

TEST(bit_array, views_cannot_change) {
  const bit_array owned(100);
  bit_array viewed(100, storage::view(owned.bytes()));
  EXPECT_TRUE(throws_error(errc::read_only, "read-only", [&] { viewed.require_writable(); }));
  EXPECT_TRUE(throws_error(errc::read_only, "read-only", [&] { viewed.merge(owned); }));
  EXPECT_TRUE(throws_error(errc::read_only, "read-only", [&] { viewed.intersect(owned); }));
  bit_array writable(100);
  EXPECT_NO_THROW(writable.require_writable());
}

TEST(bit_array, refuses_absurd_sizes) {
  EXPECT_TRUE(throws_error(errc::limit, "an array of 0 bits", [] { (void)bit_array(0); }));
  for (const std::uint64_t bits : {max_bits + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_TRUE(
        throws_error(errc::limit, "allowed: 1 to 281474976710656", [&] { (void)bit_array(bits); }));
  }
}

// 2^33 bits and some: a gigabyte, of which only the touched pages exist. An index cut to 32 bits
// would land on another one's place.
TEST(bit_array, reaches_beyond_two_to_the_thirty_two) {
  const std::uint64_t size = (std::uint64_t{1} << 33) + 77;
  bit_array bits(size);
  const std::vector<std::uint64_t> touched{5, (std::uint64_t{1} << 32) - 1,
                                           (std::uint64_t{1} << 32) + 6,
                                           (std::uint64_t{1} << 33) - 2, size - 1};
  for (const std::uint64_t i : touched) EXPECT_TRUE(bits.set(i)) << i;
  for (const std::uint64_t i : touched) {
    EXPECT_FALSE(bits.set(i)) << i;
    EXPECT_EQ(bits.count(i / 512 * 512, std::min(size, i / 512 * 512 + 512)), 1U) << i;
  }
  for (const std::uint64_t i : touched) {
    for (const std::uint64_t other : {i - 1, i ^ std::uint64_t{1} << 32}) {
      if (other >= size) continue;
      const bool is_touched = std::find(touched.begin(), touched.end(), other) != touched.end();
      EXPECT_EQ(bits.test(other), is_touched) << other;
    }
  }
  EXPECT_TRUE(bits.set_shared(size - 2));
  EXPECT_FALSE(bits.set_shared(size - 2));
}

// Four threads set every bit, in the same order so that they collide: each bit is new to one.
TEST(bit_array, clears_exactly_the_range) {
  constexpr std::uint64_t size = 300;
  for (const std::uint64_t first : {0U, 1U, 63U, 64U, 100U, 256U, 300U}) {
    for (const std::uint64_t last : {0U, 1U, 64U, 65U, 127U, 128U, 257U, 300U}) {
      if (last < first) continue;
      bit_array bits(size);
      for (std::uint64_t i = 0; i < size; ++i) bits.set(i);
      bits.clear(first, last);
      for (std::uint64_t i = 0; i < size; ++i) {
        ASSERT_EQ(bits.test(i), i < first || i >= last) << first << ' ' << last;
      }
    }
  }
  bit_array bits(size);
  bits.set(64);
  bits.set(65);
  bits.clear(64);
  EXPECT_TRUE(!bits.test(64) && bits.test(65));
}

TEST(bit_array, shared_setting_tells_exactly_one_thread_that_a_bit_was_clear) {
  constexpr std::uint64_t size = 20'000;
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    bit_array bits(size);
    std::array<std::vector<std::uint64_t>, 4> won;
    std::vector<std::thread> threads;
    std::atomic<int> waiting{4};
    for (auto& mine : won) {
      threads.emplace_back([&] {
        mine.reserve(size);
        --waiting;
        while (waiting != 0) std::this_thread::yield();
        for (std::uint64_t i = 0; i < size; ++i) {
          if (bits.set_shared(i)) mine.push_back(i);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    std::vector<std::uint64_t> winners(size, 0);
    for (const auto& mine : won) {
      for (const std::uint64_t i : mine) ++winners[i];
    }
    ASSERT_EQ(std::count(winners.begin(), winners.end(), 1U), static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(bits.count(), size);
  }
}

}  // namespace
}  // namespace bloomery::bits
