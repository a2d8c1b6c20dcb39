#include "bloomery/bits/table/cuckoo_kernels.hpp"

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "bloomery/core/simd.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;

bool is_there(const bucket_table& table, digest d) {
  const std::uint64_t first = table.cell(hash::reduce(d.lo, table.buckets()), 0);
  const std::uint64_t print = 1 + hash::reduce(d.hi, table.max_value());
  const std::uint64_t second =
      other_cuckoo_bucket(first, print, table.buckets(), table.bucket_bits());
  return table.find(first, print) != bucket_table::none ||
         table.find(second, print) != bucket_table::none;
}

// Batches of every length around that of two vectors, on every back end.
template <class Keys>
void expect_agreement(const bucket_table& table, const Keys& keys) {
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    for (const std::size_t count : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 16U, 31U, 70U, 1000U}) {
      const auto answers = std::make_unique<bool[]>(count);
      const answered done = cuckoo_contains(table.words(), keys.subspan(0, count), answers.get());
      EXPECT_LE(done.keys, count);
      EXPECT_EQ(done.keys + 8 > count, which != core::backend::portable || count < 8);
      std::uint64_t hits = 0;
      for (std::size_t i = 0; i < done.keys; ++i) {
        ASSERT_EQ(answers[i], is_there(table, keys[i]))
            << table.slots() << 'x' << table.width() << ", " << i;
        hits += std::uint64_t{answers[i]};
      }
      EXPECT_EQ(done.hits, hits);
    }
  }
}

// Some of the keys: wide fingerprints are not met by chance.
void put(bucket_table& table, const auto& keys) {
  for (std::size_t i = 0; i < keys.size(); i += 2) {
    const digest d = keys[i];
    const std::uint64_t first = table.cell(hash::reduce(d.lo, table.buckets()), 0);
    const std::uint64_t print = 1 + hash::reduce(d.hi, table.max_value());
    table.set(i % 4 == 0 ? first
                         : other_cuckoo_bucket(first, print, table.buckets(), table.bucket_bits()),
              print);
  }
}

bucket_table random_table(std::uint64_t buckets, unsigned slots, unsigned width) {
  std::mt19937_64 random(1);
  bucket_table table(buckets, slots, width);
  for (std::uint64_t i = 0; i < buckets; ++i) {
    for (unsigned slot = 0; slot < slots; ++slot) {
      table.set(table.cell(i, slot), random() & table.max_value());
    }
  }
  return table;
}

// Buckets in whole bytes and not, up to a whole word, in tables of two to many, which a cache holds or
// not.
TEST(cuckoo_kernels, agree_with_one_key_at_a_time_on_every_back_end) {
  const auto digests = numbered_digests(2, 1000);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1000; ++i) numbers.push_back(i);
  const integer_span integers(integer_hash{5}, numbers);
  for (const auto& [slots, width] : {std::pair(4U, 12U),
                                     {5U, 10U},
                                     {4U, 16U},
                                     {3U, 19U},
                                     {2U, 7U},
                                     {8U, 5U},
                                     {2U, 32U},
                                     {4U, 3U}}) {
    for (const std::uint64_t buckets : {2U, 10U, 1000U, 110'000U}) {
      bucket_table table = random_table(buckets, slots, width);
      put(table, digest_span(digests));
      put(table, integers);
      expect_agreement(table, digest_span(digests));
      expect_agreement(table, integers);
    }
  }
}

template <unsigned width>
void expect_single_agreement() {
  const auto keys = numbered_digests(8, 3000);
  for (const std::uint64_t buckets : {2U, 10U, 1000U}) {
    bucket_table table = random_table(buckets, 4, width);
    put(table, digest_span(keys));
    for (const digest d : keys) {
      ASSERT_EQ((cuckoo_contains_of<4, width>(table, d)), is_there(table, d)) << width;
    }
  }
}
TEST(cuckoo_kernels, single_keys_of_shapes_known_to_the_compiler) {
  expect_single_agreement<8>();
  expect_single_agreement<12>();
  expect_single_agreement<16>();
}

TEST(cuckoo_kernels, leave_other_tables_alone) {
  const auto keys = numbered_digests(3, 64);
  bool answers[64];
  const bucket_table wide(10, 8, 16);
  EXPECT_EQ(cuckoo_contains(wide.words(), keys, answers).keys, 0U);
  bucket_words many = bucket_table(10, 4, 12).words();
  many.buckets = std::uint64_t{1} << 32;  // more than are there: none may be read
  EXPECT_EQ(cuckoo_contains(many, keys, answers).keys, 0U);
}

}  // namespace
}  // namespace bloomery::bits
