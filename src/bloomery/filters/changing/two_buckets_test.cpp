#include "bloomery/filters/changing/two_buckets.hpp"

#include <map>
#include <memory>
#include <vector>

#include "bloomery/filters/changing/cuckoo.hpp"
#include "bloomery/filters/changing/sorted_cuckoo.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// The shapes of a kind: of four fingerprints a bucket, of every bucket that is searched differently, and of a few
// that soon are full.
struct plain_shapes {
  using filter = cuckoo_filter;
  static cuckoo_shape of_four(std::uint64_t buckets, std::uint64_t bits) {
    return {buckets, 4, bits};
  }
  static std::vector<cuckoo_shape> searched_differently() {
    return {{5000, 4, 12}, {300, 2, 9}, {300, 4, 16}, {4098, 5, 13}, {1002, 8, 16}};
  }
  static std::vector<cuckoo_shape> small() { return {{64, 4, 12}, {40, 2, 20}, {10, 8, 16}}; }
};
// Fingerprints of whole and half bytes a bucket, of one word and two.
struct sorted_shapes {
  using filter = sorted_cuckoo_filter;
  static sorted_cuckoo_shape of_four(std::uint64_t buckets, std::uint64_t bits) {
    return {buckets, bits};
  }
  static std::vector<sorted_cuckoo_shape> searched_differently() {
    return {{5000, 13}, {300, 9}, {300, 16}, {4098, 12}, {1002, 17}, {500, 32}};
  }
  static std::vector<sorted_cuckoo_shape> small() { return {{64, 12}, {40, 20}, {10, 16}}; }
};

template <class Shapes>
class two_buckets : public ::testing::Test {};
using both_shapes = ::testing::Types<plain_shapes, sorted_shapes>;
TYPED_TEST_SUITE(two_buckets, both_shapes, );

TYPED_TEST(two_buckets, lose_no_key_at_the_promised_load) {
  using filter_type = typename TypeParam::filter;
  for (const auto& shape : TypeParam::searched_differently()) {
    const std::uint64_t keys = filter_type::capacity(shape);
    filter_type filter(shape);
    const auto inserted = numbered_digests(20 + shape.fingerprint_bits, keys);
    filter.insert(inserted);
    for (const digest d : inserted) ASSERT_TRUE(filter.may_contain(d));
    EXPECT_EQ(filter.erase(inserted), keys);
    EXPECT_EQ(wire::save(filter), wire::save(filter_type(shape)));
  }
}

// Ten thousand tables of ten keys, 16 and 200: none fails, where the bound allows 0.01 of them.
TYPED_TEST(two_buckets, hold_what_small_tables_promise) {
  using filter_type = typename TypeParam::filter;
  for (const std::uint64_t keys : {10U, 16U, 200U}) {
    const auto shape = filter_type::plan(keys, 0.01);
    for (std::uint64_t trial = 0; trial < (keys < 100 ? 10'000 : 1000); ++trial) {
      filter_type filter(shape);
      ASSERT_NO_THROW(filter.insert(numbered_digests(3000 + trial, keys))) << keys;
    }
  }
}

// Past its capacity it may refuse; until it does every key stays, and the refused one changes nothing.
TYPED_TEST(two_buckets, are_not_changed_by_a_refused_key) {
  using filter_type = typename TypeParam::filter;
  for (const auto& shape : TypeParam::small()) {
    filter_type filter(shape);
    const auto keys = numbered_digests(21, 16 * shape.buckets);
    EXPECT_GE(expect_refusals_to_change_nothing(filter, keys), filter_type::capacity(shape));
  }
}

TYPED_TEST(two_buckets, hold_a_key_eight_times_and_no_more) {
  using filter_type = typename TypeParam::filter;
  const auto shape = TypeParam::of_four(1000, 12);
  filter_type filter(shape);
  const digest often{1, 2};
  for (std::uint64_t i = 1; i <= 8; ++i) {
    EXPECT_EQ(filter.insert(often), i == 1);
    EXPECT_EQ(filter.count(often), i);
  }
  const auto before = wire::save(filter);
  EXPECT_TRUE(throws_error(errc::limit, "8 copies of one", [&] { filter.insert(often); }));
  EXPECT_EQ(wire::save(filter), before);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(filter.erase(often));
  EXPECT_FALSE(filter.erase(often));
  EXPECT_EQ(wire::save(filter), wire::save(filter_type(shape)));
}

// A long legal history that keeps the table at its promised load.
TYPED_TEST(two_buckets, have_no_false_negative_over_a_legal_history) {
  using filter_type = typename TypeParam::filter;
  const auto shape = TypeParam::of_four(600, 10);
  const std::uint64_t most = filter_type::capacity(shape);
  filter_type filter(shape);
  std::map<digest, std::uint64_t> live;
  std::uint64_t held = 0;
  const auto pool = numbered_digests(22, 3000);
  for (std::uint64_t step = 0; step < 60'000; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    if (live[d] == 0 && held < most) {
      filter.insert(d);
      ++live[d];
      ++held;
    } else if (live[d] > 0) {
      ASSERT_TRUE(filter.erase(d));
      --live[d];
      --held;
    }
    if (step % 6000 != 5999) continue;
    for (const auto& [key, copies] : live) ASSERT_GE(filter.count(key), copies) << step;
  }
  EXPECT_GT(held, 1400U);
}

// Illegal: a stranger that is certainly absent changes nothing; a false positive takes one away.
TYPED_TEST(two_buckets, are_changed_by_strangers_only_if_they_are_claimed) {
  using filter_type = typename TypeParam::filter;
  auto filter = filter_type::for_keys(300, 0.05);
  filter.insert(numbered_digests(23, 300));
  const auto before = wire::save(filter);
  std::uint64_t claimed = 0;
  for (const digest d : numbered_digests(24, 2000)) {
    const std::uint64_t copies = filter.count(d);
    filter_type trial = filter.copy();
    EXPECT_EQ(trial.erase(d), copies != 0);
    EXPECT_EQ(wire::save(trial) == before, copies == 0);
    if (copies == 0) continue;
    EXPECT_EQ(trial.count(d), copies - 1);
    ++claimed;
  }
  EXPECT_GT(claimed, 0U);
}

// Integers are hashed on the way, and leave the same cells.
TYPED_TEST(two_buckets, take_integers_unhashed) {
  using filter_type = typename TypeParam::filter;
  std::vector<std::uint64_t> numbers(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = hash::mix(i);
  const integer_span integers(integer_hash{}, numbers);
  const auto shape = TypeParam::of_four(1000, 13);
  filter_type by_integer(shape);
  filter_type by_digest(shape);
  by_integer.insert(integers);
  for (const std::uint64_t number : numbers) by_digest.insert(integer_hash{}(number));
  EXPECT_EQ(wire::save(by_integer), wire::save(by_digest));
  const auto answers = std::make_unique<bool[]>(numbers.size());
  EXPECT_EQ(by_integer.may_contain(integers, std::span(answers.get(), numbers.size())), 3000U);
  EXPECT_EQ(by_integer.erase(integers), 3000U);
}

}  // namespace
}  // namespace bloomery::testing
