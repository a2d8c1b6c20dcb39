#include "bloomery/bits/table/dleft_kernels.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/bits/table/dleft_table.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/simd.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;

dleft_table::layout layout_of(std::uint64_t tables, std::uint64_t buckets, unsigned cells,
                              unsigned remainder_bits, unsigned counter_bits) {
  return {tables, buckets, cells, remainder_bits, counter_bits};
}

// As many of the keys as find room, every other one, with any tags.
dleft_table filled(const dleft_table::layout& size, const auto& keys) {
  dleft_table table(size);
  table.search([&](const auto& by) {
    for (std::size_t i = 0; i < keys.size(); i += 2) {
      const std::uint64_t tag = 1 + i % ((std::uint64_t{1} << size.counter_bits) - 1);
      try {
        table.insert(by, table.locate(keys[i]), tag, [](std::uint64_t) {});
      } catch (const error&) {
        return;  // it is full
      }
    }
  });
  return table;
}

// Batches of every length around that of two vectors, on every back end.
template <class Keys>
void expect_agreement(const dleft_table& table, const Keys& keys) {
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    for (const std::size_t count : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 15U, 31U, 70U, 2000U}) {
      const auto answers = std::make_unique<bool[]>(count);
      const answered done = dleft_contains(table.words(), keys.subspan(0, count), answers.get());
      EXPECT_LE(done.keys, count);
      EXPECT_EQ(done.keys + 8 > count, which != core::backend::portable || count < 8);
      std::uint64_t hits = 0;
      table.search([&](const auto& by) {
        for (std::size_t i = 0; i < done.keys; ++i) {
          ASSERT_EQ(answers[i], table.contains(by, table.locate(keys[i]))) << "key " << i;
          hits += std::uint64_t{answers[i]};
        }
      });
      EXPECT_EQ(done.hits, hits);
    }
  }
}

// Halves of whole bytes and not, up to a whole word, in two to four tables of one to many buckets, which a
// cache holds or not.
TEST(dleft_kernels, agree_with_one_key_at_a_time_on_every_back_end) {
  const auto digests = numbered_digests(4, 2000);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 2000; ++i) numbers.push_back(i);
  const integer_span integers(integer_hash{5}, numbers);
  for (const auto& widths :
       {std::array{8U, 14U, 2U}, {8U, 11U, 2U}, {6U, 17U, 3U}, {4U, 24U, 8U}, {10U, 8U, 4U}}) {
    const unsigned cells = widths[0];
    for (std::uint64_t tables = 2; tables <= 4; ++tables) {
      for (const std::uint64_t buckets : {1U, 7U, 60U, 5000U, 20'000U}) {
        const auto size = layout_of(tables, buckets, cells, widths[1], widths[2]);
        SCOPED_TRACE(std::to_string(tables) + " tables of " + std::to_string(buckets) + ", " +
                     std::to_string(cells) + " cells");
        ASSERT_NE(dleft_table(size).words().in.data, nullptr);
        expect_agreement(filled(size, digest_span(digests)), digest_span(digests));
        expect_agreement(filled(size, integers), integers);
      }
    }
  }
}

TEST(dleft_kernels, leave_other_tables_alone) {
  const auto keys = numbered_digests(5, 64);
  bool answers[64];
  const auto taken = [&](const dleft_words& words) {
    return dleft_contains(words, keys, answers).keys;
  };
  EXPECT_EQ(taken(dleft_table(layout_of(5, 10, 8, 14, 2)).words()), 0U);  // tables
  EXPECT_EQ(taken(dleft_table(layout_of(3, 10, 3, 12, 2)).words()), 0U);  // no pairs
  EXPECT_EQ(taken(dleft_table(layout_of(3, 10, 2, 40, 4)).words()), 0U);  // long remainders
  const dleft_table small(layout_of(3, 10, 8, 14, 2));
  dleft_words many = small.words();
  many.buckets = std::uint64_t{1} << 32;  // more than are there: none may be read
  EXPECT_EQ(taken(many), 0U);
}

}  // namespace
}  // namespace bloomery::bits
