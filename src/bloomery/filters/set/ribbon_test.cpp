#include "bloomery/filters/set/ribbon.hpp"

#include <cmath>
#include <memory>
#include <set>

#include "rate.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using testing::numbered_digests;
using testing::throws_error;

// Every small number of keys, each with three sets of them.
TEST(ribbon_filter, holds_any_number_of_keys) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    for (std::uint64_t set = 0; set < 3; ++set) {
      const auto keys = numbered_digests(10 * n + set, n);
      const auto filter = ribbon_filter::build({std::max<std::uint64_t>(n, 1), 12}, keys);
      ASSERT_EQ(filter.record().items, n);
      for (const digest d : keys) ASSERT_TRUE(filter.may_contain(d)) << n;
      // 12 bits: 10 strangers of 100 are a proof that something is wrong.
      std::uint64_t hits = 0;
      for (const digest d : numbered_digests(10 * n + set, 100, n)) {
        hits += std::uint64_t{filter.may_contain(d)};
      }
      ASSERT_LT(hits, n == 0 ? 1 : 10) << n;
    }
  }
}

TEST(ribbon_filter, holds_what_a_set_holds) {
  std::set<digest> oracle;
  std::vector<digest> given;
  const auto pool = numbered_digests(1, 5000);
  for (std::uint64_t i = 0; i < 8000; ++i) {
    given.push_back(pool[mix(i) % pool.size()]);
    oracle.insert(given.back());
  }
  const auto filter = ribbon_filter::build(ribbon_filter::plan(oracle.size(), 1e-9), given);
  EXPECT_EQ(filter.record().items, given.size());
  for (const digest d : pool) EXPECT_EQ(filter.may_contain(d), oracle.contains(d));
}

// One filter each of one segment and of several; 4 million strangers.
class ribbon_rate : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(ribbon_filter, ribbon_rate, ::testing::Values(1U, 4U, 8U, 10U, 13U, 16U));

TEST_P(ribbon_rate, is_two_to_the_minus_bits) {
  const unsigned bits = GetParam();
  constexpr std::uint64_t asked = 1 << 22;
  for (const std::uint64_t n : {5000U, 100'000U}) {
    const ribbon_shape shape{n, bits};
    EXPECT_NEAR(ribbon_filter::predicted_rate(shape, n), std::ldexp(1, -static_cast<int>(bits)),
                1e-13);
    const auto filter = testing::large_filter<ribbon_filter>(shape, n);
    EXPECT_TRUE(testing::large_rate_as_predicted(filter, n, asked)) << n;
  }
}

// A few keys: most rows are zero, and a stranger's fingerprint has to be too.
TEST(ribbon_filter, keeps_its_rate_with_few_keys) {
  for (const std::uint64_t n : {1U, 3U, 10U, 1000U}) {
    EXPECT_TRUE(testing::rate_as_predicted<ribbon_filter>({n, 4}, n, 2000, 1000));
    EXPECT_TRUE(testing::rate_as_predicted<ribbon_filter>({n, 9}, n, 2000, 10'000));
  }
}

double bits_over_least(std::uint64_t keys, unsigned bits) {
  return 8 * static_cast<double>(ribbon_filter::payload_bytes({keys, bits})) /
         (static_cast<double>(keys) * bits);
}

// Everything counted: seed, rows of all layers, thresholds, padding.
TEST(ribbon_filter, takes_at_most_1_02_of_the_least) {
  for (const std::uint64_t keys : {1'000'000U, 10'000'000U, 100'000'000U}) {
    for (const unsigned bits : {8U, 10U, 13U, 16U, 32U}) {
      EXPECT_LE(bits_over_least(keys, bits), 1.02) << keys << " keys, " << bits << " bits";
    }
  }
  EXPECT_LE(bits_over_least(10'000'000, 4), 1.021);
  EXPECT_LE(bits_over_least(10'000'000, 1), 1.045);
  EXPECT_LE(bits_over_least(10'000, 10), 1.1);
}

TEST(ribbon_filter, of_a_million_keys_holds_them) {
  constexpr std::uint64_t n = 1'000'000;
  const auto keys = numbered_digests(2, n);
  const auto filter = ribbon_filter::build({n, 8}, keys, {}, {}, 2);
  const auto answers = std::make_unique<bool[]>(n);
  EXPECT_EQ(filter.may_contain(keys, {answers.get(), n}), n);
}

TEST(ribbon_filter, of_no_keys_says_no) {
  for (const unsigned bits : {1U, 8U}) {
    const ribbon_filter empty(ribbon_shape{100, bits});
    const auto asked = numbered_digests(3, 1000);
    const auto answers = std::make_unique<bool[]>(asked.size());
    for (const digest d : asked) EXPECT_FALSE(empty.may_contain(d));
    EXPECT_EQ(empty.may_contain(asked, {answers.get(), asked.size()}), 0U);
    EXPECT_EQ(ribbon_filter::predicted_rate(empty.shape(), 0), 0);
  }
}

TEST(ribbon_filter, refuses_more_keys_than_its_shape_holds) {
  const auto keys = numbered_digests(4, 2000);
  const ribbon_shape shape = ribbon_filter::plan(1000, 0.01);
  EXPECT_EQ(ribbon_filter::predicted_rate(shape, 2000), 1);
  EXPECT_TRUE(throws_error(errc::limit, "2,000 keys do not fit into a table laid out for 1,000",
                           [&] { (void)ribbon_filter::build(shape, keys); }));
}

TEST(ribbon_filter, refuses_shapes_beyond_the_limit) {
  EXPECT_TRUE(throws_error(errc::limit, "keys of 9 bits are more than", [] {
    (void)ribbon_filter(ribbon_shape{max_bits / 8, 8});
  }));
  EXPECT_TRUE(
      throws_error(errc::limit, "not a rate of", [] { (void)ribbon_filter::plan(1000, 1e-12); }));
}

// The record and the table tell the same story, or the file is refused.
TEST(ribbon_filter, refuses_a_record_that_belies_the_table) {
  const auto filter = ribbon_filter::build({100, 8}, numbered_digests(5, 100));
  const auto restored = [](const ribbon_filter& f, std::uint64_t items) {
    filter_record record = f.record();
    record.items = items;
    return [&f, record] {
      (void)ribbon_filter::restore(f.shape(), record, storage::view(f.payload().front()));
    };
  };
  EXPECT_NO_THROW(restored(filter, 100)());
  EXPECT_TRUE(throws_error(errc::corrupt, "holds keys, and 0 are", restored(filter, 0)));
  const ribbon_filter empty(filter.shape());
  EXPECT_NO_THROW(restored(empty, 0)());
  EXPECT_TRUE(throws_error(errc::corrupt, "holds no keys, and 1 are", restored(empty, 1)));
}

}  // namespace
}  // namespace bloomery
