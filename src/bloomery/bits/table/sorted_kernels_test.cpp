#include "bloomery/bits/table/sorted_kernels.hpp"

#include <memory>
#include <random>

#include "bloomery/bits/table/cuckoo_kernels.hpp"
#include "bloomery/core/simd.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;

struct where {
  std::uint64_t first;
  std::uint64_t second;
  std::uint64_t print;
};
where located(const sorted_buckets& table, digest d) {
  const std::uint64_t first = table.first_bit(hash::reduce(d.lo, table.buckets()));
  const std::uint64_t print = 1 + hash::reduce(d.hi, table.max_value());
  return {first, other_cuckoo_bucket(first, print, table.buckets(), table.bucket_bits()), print};
}

template <class Keys>
void expect_agreement(const sorted_buckets& table, const Keys& all) {
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    for (const std::size_t count : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 31U, 40U, 1000U}) {
      const Keys keys = all.subspan(0, count);
      const auto answers = std::make_unique<bool[]>(count);
      const answered done = cuckoo_contains(table.words(), keys, answers.get());
      EXPECT_LE(done.keys, count);
      EXPECT_EQ(done.keys + 8 > count, which != core::backend::portable || count < 8);
      std::uint64_t hits = 0;
      for (std::size_t i = 0; i < done.keys; ++i) {
        const where at = located(table, keys[i]);
        ASSERT_EQ(answers[i],
                  table.count(at.first, at.print) + table.count(at.second, at.print) != 0)
            << i;
        hits += std::uint64_t{answers[i]};
      }
      EXPECT_EQ(done.hits, hits);
    }
  }
}

// Every width whose planes fit a word, in tables of two buckets to many, the last of which are asked
// for ahead; batches of every length around that of a vector, of digests and of integers.
TEST(sorted_kernels, agree_with_one_key_at_a_time_on_every_back_end) {
  std::mt19937_64 random(1);
  const auto keys = numbered_digests(2, 1000);
  std::vector<std::uint64_t> numbers(1000);
  for (std::uint64_t& number : numbers) number = random();
  const integer_span integers(integer_hash{}, numbers);
  for (unsigned width = sorted_buckets::min_print_bits; width <= 16; ++width) {
    for (const std::uint64_t buckets : {2U, 10U, 1000U, 400'000U}) {
      if (buckets == 400'000 && width != 9 && width != 16) continue;
      SCOPED_TRACE(std::to_string(width) + " bits, " + std::to_string(buckets));
      sorted_buckets table(buckets, width);
      const auto put = [&](std::uint64_t bucket, std::uint64_t print) {
        if (table.has_room(bucket)) table.put(bucket, print);
      };
      for (std::size_t i = 0; i < 1000; i += 2) {  // long fingerprints are not met by chance
        for (const where& at : {located(table, keys[i]), located(table, integers[i])}) {
          put(i % 4 == 0 ? at.first : at.second, at.print);
        }
      }
      for (std::uint64_t i = 0; i < buckets; ++i) {
        for (std::uint64_t n = random() % 5; n > 0; --n) {
          put(table.first_bit(i), 1 + random() % table.max_value());
        }
      }
      expect_agreement(table, digest_span(keys));
      expect_agreement(table, integers);
    }
  }
}

TEST(sorted_kernels, leave_other_tables_alone) {
  const auto keys = numbered_digests(3, 64);
  bool answers[64];
  const sorted_buckets wide(10, 17);
  EXPECT_EQ(cuckoo_contains(wide.words(), digest_span(keys), answers).keys, 0U);
  sorted_words many = sorted_buckets(10, 13).words();
  many.buckets = std::uint64_t{1} << 32;  // more than are there: none may be read
  EXPECT_EQ(cuckoo_contains(many, digest_span(keys), answers).keys, 0U);
}

}  // namespace
}  // namespace bloomery::bits
