#include "bloomery/bits/table/sorted_buckets.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "bloomery/math/numeric/binomial.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::throws_error;

// Every sorted sequence has a number of its own, from 0 on, and is found by it.
TEST(sorted_sequences, are_numbered_without_gaps) {
  EXPECT_EQ(math::binomial(19, 4), sorted_sequences::count);
  std::set<unsigned> numbers;
  for (unsigned four = 0; four < 0x10000; ++four) {
    const unsigned a = four & 15;
    const unsigned b = four >> 4 & 15;
    const unsigned c = four >> 8 & 15;
    const unsigned d = four >> 12;
    ASSERT_EQ(transposed(transposed(four)), four);
    if (a > b || b > c || c > d) continue;
    const unsigned number = sequences.number(four);
    ASSERT_LT(number, sorted_sequences::count);
    ASSERT_EQ(sequences.planes[number], transposed(four));
    numbers.insert(number);
  }
  EXPECT_EQ(numbers.size(), std::size_t{sorted_sequences::count});
  EXPECT_EQ(sequences.number(0), 0U);
}

// Bit j of number i is bit i of plane j.
TEST(sorted_sequences, are_transposed) {
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned j = 0; j < 4; ++j) EXPECT_EQ(transposed(1U << (4 * i + j)), 1U << (4 * j + i));
  }
}

// Fingerprints with few different bits, so that many begin alike and many are equal.
TEST(sorted_buckets, agree_with_multisets) {
  for (unsigned width = sorted_buckets::min_print_bits; width <= sorted_buckets::max_print_bits;
       ++width) {
    SCOPED_TRACE(width);
    constexpr std::uint64_t buckets = 19;
    sorted_buckets table(buckets, width);
    EXPECT_EQ(table.bucket_bits(), 4 * (width - 1));
    std::vector<std::multiset<std::uint64_t>> oracle(buckets);
    std::mt19937_64 random(width);
    const auto some_print = [&] {
      const std::uint64_t few = random() & random() & random() & table.max_value();
      return std::max<std::uint64_t>(1, random() % 2 == 0 ? few : table.max_value() ^ few);
    };
    for (int step = 0; step < 4000; ++step) {
      const std::uint64_t number = random() % buckets;
      const std::uint64_t bucket = table.first_bit(number);
      std::multiset<std::uint64_t>& held = oracle[number];
      const auto places = table.get(bucket);
      ASSERT_EQ(table.has_room(bucket), held.size() < sorted_buckets::slots);
      if (table.has_room(bucket) && random() % 3 != 0) {
        const std::uint64_t print = some_print();
        table.put(bucket, print);
        held.insert(print);
      } else if (!held.empty()) {
        const auto place = static_cast<unsigned>(4 - 1 - random() % held.size());
        table.take(bucket, place);
        held.erase(held.find(places[place]));
      }
      const std::uint64_t asked = some_print();
      ASSERT_EQ(table.count(bucket, asked), held.count(asked));
      if (step % 50 != 0) continue;
      for (std::uint64_t i = 0; i < buckets; ++i) {
        auto prints = table.get(table.first_bit(i));
        std::multiset<std::uint64_t> found(prints.begin(), prints.end());
        found.erase(0);
        ASSERT_EQ(found, oracle[i]) << step;
        // Those that are free come first.
        ASSERT_TRUE(std::is_partitioned(prints.begin(), prints.end(),
                                        [](std::uint64_t print) { return print == 0; }));
      }
      EXPECT_NO_THROW((void)sorted_buckets(buckets, width, storage::view(table.bytes())));
    }
  }
}

// By hand: 5 bits are planes 0 and 1 (bits 0 and 4), 2 (bit 1), 3 (bit 2) and, not sorted, 4 (bit 3).
TEST(sorted_buckets, are_stored_as_the_page_says) {
  sorted_buckets table(2, 5);
  const auto word = [&] { return core::load_le<std::uint32_t>(table.bytes().data()); };
  table.put(table.first_bit(1), 0b01000);  // plane 4 alone: sequence 0, and the last place
  EXPECT_EQ(word(), std::uint32_t{0b1000'0000'0000'0000} << 16);
  table.take(table.first_bit(1), 3);
  EXPECT_EQ(word(), 0U);
  table.put(table.first_bit(0), 0b10000);  // plane 1: the sequence 0 0 0 2 is C(5,4)
  EXPECT_EQ(word(), 5U);
  table.put(table.first_bit(0), 0b01001);  // planes 0 and 4: 0 0 1 2 is C(3,3) + C(5,4)
  EXPECT_EQ(word(), std::uint32_t{6 | 0b0100 << 12});
}

TEST(sorted_buckets, refuse_bad_shapes_and_bytes) {
  for (const unsigned bad : {0U, 4U, 33U}) {
    EXPECT_TRUE(
        throws_error(errc::invalid, "allowed: 5 to 32", [&] { (void)sorted_buckets(10, bad); }));
  }
  EXPECT_TRUE(throws_error(errc::limit, "0 sorted buckets", [] { (void)sorted_buckets(0, 13); }));
  EXPECT_TRUE(throws_error(errc::limit, "allowed: 1 to",
                           [] { (void)sorted_buckets(std::uint64_t{1} << 59, 13); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "there are 128",
                           [] { (void)sorted_buckets(5, 6, storage::allocate(128)); }));
  for (const unsigned bit : {100U, 103U, 104U, 511U}) {  // 5 buckets of 20 bits end at 100
    storage dirty = storage::allocate(64);
    dirty.bytes_for_writing()[bit / 8] = static_cast<std::byte>(1U << bit % 8);
    EXPECT_TRUE(throws_error(errc::corrupt, "padding",
                             [&] { (void)sorted_buckets(5, 6, std::move(dirty)); }));
  }
  const auto with = [](unsigned width, std::uint64_t bucket, std::uint64_t bits) {
    const std::uint64_t first = bucket * sorted_buckets::bits_of_bucket(width);
    storage dirty = storage::allocate(sorted_buckets::stored_bytes(5, width));
    core::store_le(dirty.bytes_for_writing().data() + first / 8, bits << first % 8);
    return sorted_buckets(5, width, std::move(dirty));
  };
  for (const unsigned width : {6U, 13U, 17U, 32U}) {
    for (const std::uint64_t bucket : {0U, 3U, 4U}) {
      const std::string name = "bucket " + std::to_string(bucket);
      EXPECT_NO_THROW(with(width, bucket, 3875));
      for (const std::uint64_t code : {3876U, 4095U}) {
        EXPECT_TRUE(throws_error(errc::corrupt, name + " has the sequence " + std::to_string(code),
                                 [&] { with(width, bucket, code); }));
      }
      EXPECT_NO_THROW(with(width, bucket, std::uint64_t{0b1000} << 12));
      for (const std::uint64_t places : {0b0001U, 0b0111U, 0b1010U}) {
        EXPECT_TRUE(throws_error(errc::corrupt, name + " has a free place behind",
                                 [&] { with(width, bucket, places << 12); }));
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::bits
