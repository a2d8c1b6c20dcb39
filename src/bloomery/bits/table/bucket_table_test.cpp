#include "bloomery/bits/table/bucket_table.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::throws_error;

// Slots and width: byte-sized and odd, one bit, one word, two words, in pairs, the widest.
constexpr std::array<std::pair<unsigned, unsigned>, 23> tables{
    {{4, 12}, {4, 8},  {8, 1},  {3, 7},  {3, 19},  {4, 16}, {3, 20}, {5, 13},
     {7, 18}, {8, 16}, {6, 16}, {8, 13}, {10, 12}, {6, 20}, {4, 22}, {12, 10},
     {16, 8}, {2, 52}, {8, 9},  {4, 32}, {1, 57},  {2, 57}, {127, 1}}};

// Few different values, so that searches find; some bits a search does not care about.
TEST(bucket_tables, agree_with_vectors) {
  for (const auto& shape : tables) {
    const unsigned slots = shape.first;
    const unsigned width = shape.second;
    SCOPED_TRACE(std::to_string(slots) + " slots of " + std::to_string(width));
    constexpr std::uint64_t buckets = 19;
    bucket_table table(buckets, slots, width);
    std::vector<std::vector<std::uint64_t>> oracle(buckets, std::vector<std::uint64_t>(slots, 0));
    std::mt19937_64 random(slots * 100 + width);
    const auto some_value = [&] {
      const std::uint64_t near_end = random() % 3;
      return random() % 2 == 0 ? near_end & table.max_value() : table.max_value() - near_end % 2;
    };
    for (int step = 0; step < 2000; ++step) {
      const std::uint64_t bucket = random() % buckets;
      const auto slot = static_cast<unsigned>(random() % slots);
      const std::uint64_t stored = some_value();
      table.set(table.cell(bucket, slot), stored);
      oracle[bucket][slot] = stored;

      const std::uint64_t asked = random() % buckets;
      const std::uint64_t place = table.cell(asked, 0);
      const std::uint64_t value = some_value();
      const std::uint64_t care = step % 2 == 0 ? table.max_value() : random() & table.max_value();
      std::uint64_t first_exact = bucket_table::none;
      std::vector<std::uint64_t> expected;
      for (unsigned i = 0; i < slots; ++i) {
        if (oracle[asked][i] == value) first_exact = std::min(first_exact, table.cell(asked, i));
        if (((oracle[asked][i] ^ value) & care) == 0) expected.push_back(table.cell(asked, i));
      }
      ASSERT_EQ(table.find(place, value), first_exact);
      table.search([&](const auto& in) {
        std::vector<std::uint64_t> equal;
        auto set = in.equal(in.bucket(place), in.every(value), in.every(care));
        for (; set != 0; set &= set - 1) equal.push_back(in.first(place, set));
        ASSERT_EQ(equal, expected);
      });
      table.search_pairs([&](const auto& in) {
        const auto held = in.bucket(place);
        const auto set = in.equal(held, in.every(value), in.every(care));
        ASSERT_EQ(in.any(set), !expected.empty());
        ASSERT_EQ(in.amount(set) != 0, !expected.empty());
        if (in.any(set)) {
          ASSERT_EQ(in.first(place, set), expected[0]);
        }
        const auto all = in.equal(held, held, in.every(0));
        ASSERT_EQ(in.amount(set) < in.amount(in.either_of(set, all)), expected.size() < slots);
      });
      table.search([&](const auto& in) {
        for (const std::uint64_t was : {std::uint64_t{0}, value}) {  // in, then out
          const auto set = in.equal(in.bucket(place), in.every(was));
          if (set == 0) break;
          const std::uint64_t cell = in.first(place, set);
          in.toggle(place, set, in.every(value));
          ASSERT_EQ(table.get(cell), was ^ value);
          oracle[asked][(cell - place) / table.width()] = was ^ value;
        }
      });
      core::uint128 whole = 0;
      for (unsigned i = slots; i-- > 0;) whole = whole << width | oracle[asked][i];
      ASSERT_TRUE(table.whole(place) == whole);
      table.set_whole(place, whole);
      if (step % 100 != 0) continue;
      for (std::uint64_t b = 0; b < buckets; ++b) {
        for (unsigned i = 0; i < slots; ++i) ASSERT_EQ(table.get(table.cell(b, i)), oracle[b][i]);
      }
      EXPECT_NO_THROW((void)bucket_table(buckets, slots, width, storage::view(table.bytes())));
    }
  }
}

// As many as fit, in whole bytes; 0 where a bucket cannot have halves of whole bytes.
TEST(bucket_table, pairs_suit_some_widths) {
  EXPECT_EQ(bucket_table::most_paired(13), 8U);
  EXPECT_EQ(bucket_table::most_paired(12), 10U);
  EXPECT_EQ(bucket_table::most_paired(16), 8U);
  EXPECT_EQ(bucket_table::most_paired(20), 6U);
  EXPECT_EQ(bucket_table::most_paired(17), 0U);
  EXPECT_EQ(bucket_table::most_paired(7), 0U);
}

// Cells lie one after another from bit 0 on, whatever the bucket.
TEST(bucket_table, is_packed_without_gaps) {
  bucket_table table(3, 3, 7);
  for (std::uint64_t bucket = 0; bucket < 3; ++bucket) {
    for (unsigned slot = 0; slot < 3; ++slot) table.set(table.cell(bucket, slot), 1);
  }
  for (std::size_t bit = 0; bit < 8 * table.bytes().size(); ++bit) {
    const auto byte = std::to_integer<unsigned>(table.bytes()[bit / 8]);
    EXPECT_EQ((byte >> bit % 8 & 1) != 0, bit < 63 && bit % 7 == 0) << bit;
  }
}

TEST(bucket_table, refuses_bad_shapes_and_bytes) {
  struct cells {
    unsigned slots;
    unsigned width;
  };
  for (const cells& bad : {cells{4, 0}, {0, 4}, {1, 58}, {3, 43}}) {
    EXPECT_TRUE(throws_error(errc::invalid, "allowed: cells of 1 to 57 bits, 128 in a bucket",
                             [&] { (void)bucket_table(10, bad.slots, bad.width); }));
    EXPECT_TRUE(throws_error(errc::invalid, "in a bucket", [&] {
      (void)bucket_table(10, bad.slots, bad.width, storage::allocate(64));
    }));
  }
  EXPECT_TRUE(throws_error(errc::limit, "0 buckets", [] { (void)bucket_table(0, 4, 8); }));
  EXPECT_TRUE(throws_error(errc::limit, "allowed: 1 to",
                           [] { (void)bucket_table(std::uint64_t{1} << 59, 4, 8); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "there are 128",
                           [] { (void)bucket_table(10, 4, 5, storage::allocate(128)); }));
  for (const unsigned bit : {200U, 207U, 208U, 511U}) {  // 10 buckets of 20 bits end at 200
    storage dirty = storage::allocate(64);
    dirty.bytes_for_writing()[bit / 8] = static_cast<std::byte>(1U << bit % 8);
    EXPECT_TRUE(throws_error(errc::corrupt, "padding",
                             [&] { (void)bucket_table(10, 4, 5, std::move(dirty)); }));
  }
}

}  // namespace
}  // namespace bloomery::bits
