#include "bloomery/filters/set/fuse.hpp"

#include <memory>
#include <set>
#include <string>

#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using testing::numbered_digests;
using testing::throws_error;

fuse_shape shape_for(std::uint64_t keys, unsigned arity, unsigned bits) {
  const math::fuse_size size = math::plan_fuse(std::max<std::uint64_t>(keys, 1), arity);
  return {size.segments, size.segment_log2, arity, bits};
}

// Every small number of keys, each with three sets of them.
TEST(fuse_filter, holds_any_number_of_keys) {
  for (const unsigned arity : {3U, 4U}) {
    for (std::uint64_t n = 0; n <= 300; ++n) {
      for (std::uint64_t set = 0; set < 3; ++set) {
        const auto keys = numbered_digests(10 * n + set, n);
        const auto filter = fuse_filter::build(shape_for(n, arity, 12), keys);
        ASSERT_EQ(filter.record().items, n);
        ASSERT_EQ(filter.distinct_keys(), n);
        for (const digest d : keys) ASSERT_TRUE(filter.may_contain(d)) << n;
        // 12 bits: 40 strangers of 100 are a proof that something is wrong.
        std::uint64_t hits = 0;
        for (const digest d : numbered_digests(10 * n + set, 100, n)) {
          hits += std::uint64_t{filter.may_contain(d)};
        }
        ASSERT_LT(hits, n == 0 ? 1 : 10) << n;
      }
    }
  }
}

TEST(fuse_filter, holds_what_a_set_holds) {
  std::set<digest> oracle;
  std::vector<digest> given;
  const auto pool = numbered_digests(1, 5000);
  for (std::uint64_t i = 0; i < 8000; ++i) {
    given.push_back(pool[mix(i) % pool.size()]);
    oracle.insert(given.back());
  }
  const auto filter = fuse_filter::build(fuse_filter::plan(oracle.size(), 1e-9), given);
  EXPECT_EQ(filter.distinct_keys(), oracle.size());
  EXPECT_EQ(filter.record().items, given.size());
  for (const digest d : pool) EXPECT_EQ(filter.may_contain(d), oracle.contains(d));
}

// One filter each of a few keys and of many; 4 million strangers.
class fuse_rate : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(fuse_filter, fuse_rate, ::testing::Values(1U, 4U, 8U, 10U, 13U, 16U));

TEST_P(fuse_rate, is_two_to_the_minus_bits) {
  const unsigned bits = GetParam();
  constexpr std::uint64_t asked = 1 << 22;
  for (const unsigned arity : {3U, 4U}) {
    for (const std::uint64_t n : {5000U, 100'000U}) {
      const fuse_shape shape = shape_for(n, arity, bits);
      EXPECT_NEAR(fuse_filter::predicted_rate(shape, n), std::ldexp(1, -static_cast<int>(bits)),
                  1e-12);
      const auto filter = testing::large_filter<fuse_filter>(shape, n);
      EXPECT_TRUE(testing::large_rate_as_predicted(filter, n, asked)) << n << " arity " << arity;
    }
  }
}

// A few keys: strangers often share all slots with one of them, and only the fingerprint decides.
TEST(fuse_filter, keeps_its_rate_with_few_keys) {
  for (const unsigned arity : {3U, 4U}) {
    for (const std::uint64_t n : {1U, 3U, 10U}) {
      EXPECT_TRUE(testing::rate_as_predicted<fuse_filter>(shape_for(n, arity, 4), n, 2000, 1000));
      EXPECT_TRUE(testing::rate_as_predicted<fuse_filter>(shape_for(n, arity, 9), n, 2000, 10'000));
    }
  }
}

double bits_per_key(std::uint64_t keys, double rate) {
  return 8 * static_cast<double>(fuse_filter::payload_bytes(fuse_filter::plan(keys, rate))) /
         static_cast<double>(keys);
}

TEST(fuse_filter, costs_what_it_should) {
  EXPECT_LE(bits_per_key(1'000'000, 0.001), 11.5);
  EXPECT_LE(bits_per_key(100'000'000, 0.001), 11.26);
  EXPECT_LE(bits_per_key(1'000'000, 0.004), 9.1);
  EXPECT_LE(bits_per_key(1'000'000, 0.3), 2.3);
}

TEST(fuse_filter, of_no_keys_says_no) {
  for (const unsigned bits : {1U, 8U}) {
    const fuse_filter empty(shape_for(100, 3, bits));
    const auto asked = numbered_digests(3, 1000);
    const auto answers = std::make_unique<bool[]>(asked.size());
    for (const digest d : asked) EXPECT_FALSE(empty.may_contain(d));
    EXPECT_EQ(empty.may_contain(asked, {answers.get(), asked.size()}), 0U);
    EXPECT_EQ(fuse_filter::predicted_rate(empty.shape(), 0), 0);
  }
}

TEST(fuse_filter, refuses_more_keys_than_its_shape_holds) {
  const auto keys = numbered_digests(4, 2000);
  const fuse_shape shape = fuse_filter::plan(1000, 0.01);
  EXPECT_EQ(fuse_filter::predicted_rate(shape, 2000), 1);
  EXPECT_TRUE(throws_error(errc::limit, "2,000 distinct keys do not fit",
                           [&] { (void)fuse_filter::build(shape, keys); }));
}

TEST(fuse_filter, refuses_shapes_beyond_the_limit) {
  fuse_shape shape{max_bits >> 10, 10, 3, 8};
  EXPECT_TRUE(throws_error(errc::limit, "segments of 8192 bits are more than",
                           [&] { (void)fuse_filter(shape); }));
  shape = {max_bits, 20, 4, 32};
  EXPECT_TRUE(throws_error(errc::limit, "are more than", [&] { require_valid(shape); }));
  EXPECT_TRUE(
      throws_error(errc::limit, "not a rate of", [] { (void)fuse_filter::plan(1000, 1e-12); }));
}

// The record and the table tell the same story, or the file is refused.
TEST(fuse_filter, refuses_a_record_that_belies_the_table) {
  const auto keys = numbered_digests(5, 100);
  const auto filter = fuse_filter::build(shape_for(100, 3, 8), keys);
  const auto restored = [](const fuse_filter& f, std::uint64_t items) {
    filter_record record = f.record();
    record.items = items;
    return [&f, record] {
      (void)fuse_filter::restore(f.shape(), record, storage::view(f.payload().front()));
    };
  };
  EXPECT_NO_THROW(restored(filter, 100)());
  EXPECT_NO_THROW(restored(filter, 101)());
  EXPECT_TRUE(throws_error(errc::corrupt, "holds 100 keys of 99", restored(filter, 99)));
  EXPECT_TRUE(throws_error(errc::corrupt, "holds 100 keys of 0", restored(filter, 0)));
  const fuse_filter empty(filter.shape());
  EXPECT_NO_THROW(restored(empty, 0)());
  EXPECT_TRUE(throws_error(errc::corrupt, "holds 0 keys of 1", restored(empty, 1)));
}

}  // namespace
}  // namespace bloomery
