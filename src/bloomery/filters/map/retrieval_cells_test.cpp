// Maps of the static tables: fuse and ribbon with values.
#include "bloomery/filters/map/retrieval_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bloomery/filters/map/fuse.hpp"
#include "bloomery/filters/map/ribbon.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "map_entries.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

template <class F>
class retrieval : public ::testing::Test {};
using both = ::testing::Types<fuse_filter, ribbon_filter>;
TYPED_TEST_SUITE(retrieval, both);

template <class F>
typename F::shape_type shape_of(std::uint64_t keys, std::uint64_t fingerprint_bits,
                                std::uint64_t value_bits) {
  auto shape = F::plan(std::max<std::uint64_t>(keys, 1), 0.01);
  shape.fingerprint_bits = fingerprint_bits;
  shape.value_bits = value_bits;
  return shape;
}

// From no key to several layers of them, at widths up to the largest.
TYPED_TEST(retrieval, keeps_every_value) {
  using F = TypeParam;
  for (const auto& [r, v] : {std::pair{1U, 1U}, {1U, 31U}, {31U, 1U}, {10U, 8U}, {9U, 16U}}) {
    for (const std::uint64_t n : {0U, 1U, 2U, 30U, 2000U, 40'000U}) {
      const std::uint64_t limit = std::uint64_t{1} << v;
      auto entries = numbered_entries(n + v, n, limit);
      for (std::uint64_t i = 0; i < n / 3; ++i) entries.push_back(entries[hash::mix(i) % n]);
      const F map = F::build(shape_of<F>(n, r, v), entries, {}, {}, 2);
      EXPECT_EQ(F::value_limit(map.shape()), limit);
      std::vector<digest> keys;
      for (const keyed_value& entry : entries) keys.push_back(entry.key);
      for (const digest d : numbered_digests(999, 500)) keys.push_back(d);
      std::vector<mapped> answers(keys.size());
      const std::uint64_t found = map.values(keys, answers);
      std::uint64_t claimed = 0;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(answers[i], map.value(keys[i]));
        claimed += std::uint64_t{map.may_contain(keys[i])};
        if (i < entries.size()) {
          ASSERT_EQ(answers[i], (mapped{mapped::state::present, entries[i].value}));
        } else if (n == 0) {
          ASSERT_EQ(answers[i], mapped{});
        }
      }
      EXPECT_EQ(found, claimed);
    }
  }
}

// The rate is the fingerprint's, whatever the value's width; 400,000 strangers.
TYPED_TEST(retrieval, claims_strangers_by_the_fingerprint_alone) {
  using F = TypeParam;
  for (const std::uint64_t r : {2U, 6U}) {
    const auto shape = shape_of<F>(5000, r, 7);
    EXPECT_NEAR(F::predicted_rate(shape, 5000), std::ldexp(1, -static_cast<int>(r)), 1e-12);
    EXPECT_TRUE(map_rate_as_predicted<F>(shape, numbered_entries(1, 5000, 100), 400'000));
  }
}

// A set is the map of no value bits, byte for byte, and a map of keys alone has zeros.
TYPED_TEST(retrieval, of_keys_alone) {
  using F = TypeParam;
  const auto keys = numbered_digests(1, 1000);
  std::vector<keyed_value> entries;
  for (const digest d : keys) entries.push_back({d, 0});
  const auto set = F::plan(1000, 0.01);
  EXPECT_EQ(set.value_bits, 0U);
  EXPECT_EQ(F::value_limit(set), 1U);
  const F of_keys = F::build(set, keys);
  const F of_entries = F::build(set, entries);
  EXPECT_TRUE(std::ranges::equal(of_keys.payload().front(), of_entries.payload().front()));
  EXPECT_EQ(of_keys.value(keys[7]), (mapped{mapped::state::present, 0}));
  const F map = F::build(F::plan_map(1000, 0.01, 5), keys);
  for (const digest d : keys) EXPECT_EQ(map.value(d), (mapped{mapped::state::present, 0}));
}

TYPED_TEST(retrieval, refuses_what_it_cannot_keep) {
  using F = TypeParam;
  auto entries = numbered_entries(1, 3000, 16);
  const auto shape = F::plan_map(3000, 0.01, 16);
  EXPECT_EQ(shape.value_bits, 4U);
  entries.push_back({entries[5].key, entries[5].value ^ 8});
  EXPECT_TRUE(throws_error(errc::invalid, "two values", [&] { (void)F::build(shape, entries); }));
  entries.back() = {digest{1, 2}, 16};
  EXPECT_TRUE(throws_error(errc::invalid, "value 16", [&] { (void)F::build(shape, entries); }));
  EXPECT_TRUE(throws_error(errc::invalid, "value 1",
                           [&] { (void)F::build(F::plan(3000, 0.01), entries); }));
  EXPECT_TRUE(
      throws_error(errc::limit, "value_bits is 31", [] { (void)F(shape_of<F>(10, 27, 31)); }));
  EXPECT_TRUE(throws_error(errc::invalid, "values is 0", [] { (void)F::plan_map(10, 0.1, 0); }));
}

// Bits a key against the least there is, r + log2(1/ε), as the pages tell it.
template <class F>
double over_least(std::uint64_t keys, double rate, std::uint64_t values) {
  const auto shape = F::plan_map(keys, rate, values);
  const double least = math::least_map_bits(values, F::predicted_rate(shape, keys));
  return 8 * static_cast<double>(F::payload_bytes(shape)) / (static_cast<double>(keys) * least);
}

TYPED_TEST(retrieval, costs_what_it_should) {
  using F = TypeParam;
  const bool ribbon = std::is_same_v<F, ribbon_filter>;
  for (const double rate : {0.01, 0.001, 0.0001}) {
    EXPECT_NEAR(over_least<F>(1'000'000, rate, 256), ribbon ? 1.0067 : 1.131, 0.002) << rate;
    EXPECT_NEAR(over_least<F>(100'000'000, rate, 256), ribbon ? 1.0058 : 1.1255, 0.001) << rate;
  }
}

// 57 bits a slot hold what the rows of a ribbon do not.
TEST(retrieval_widths, are_those_of_the_tables) {
  EXPECT_EQ(fuse_filter::plan_map(1000, 0.001, math::values_of_bits(47)).value_bits, 47U);
  EXPECT_EQ(ribbon_filter::plan_map(1000, 0.001, 1 << 22).value_bits, 22U);
  EXPECT_TRUE(throws_error(errc::limit, "allowed: 32 together with the 10",
                           [] { (void)ribbon_filter::plan_map(1000, 0.001, 1 << 23); }));
}

}  // namespace
}  // namespace bloomery::testing
