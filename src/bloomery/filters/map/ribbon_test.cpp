// What is its own: the rest is in retrieval_set_test.cpp.
#include "bloomery/filters/map/ribbon.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "testing.hpp"

namespace bloomery {
namespace {

using testing::numbered_digests;
using testing::throws_error;

double bits_over_least(std::uint64_t keys, unsigned bits) {
  const ribbon_shape shape{keys, bits, 0, ribbon_filter::plan(1, 0.01).equation_rows};
  return 8 * static_cast<double>(ribbon_filter::payload_bytes(shape)) /
         (static_cast<double>(keys) * bits);
}

// Everything counted: seed, rows of all layers, thresholds, padding.
TEST(ribbon_filter, takes_at_most_1_01_of_the_least) {
  for (const std::uint64_t keys : {1'000'000U, 10'000'000U, 100'000'000U}) {
    for (const unsigned bits : {8U, 10U, 13U, 16U, 32U}) {
      EXPECT_LE(bits_over_least(keys, bits), 1.01) << keys << " keys, " << bits << " bits";
    }
  }
  EXPECT_LE(bits_over_least(10'000'000, 4), 1.013);
  EXPECT_LE(bits_over_least(10'000'000, 1), 1.036);
  EXPECT_LE(bits_over_least(100'000, 8), 1.015);
  EXPECT_LE(bits_over_least(10'000, 10), 1.05);
}

TEST(ribbon_filter, of_a_million_keys_holds_them) {
  constexpr std::uint64_t n = 1'000'000;
  const auto keys = numbered_digests(2, n);
  const auto filter = ribbon_filter::build(ribbon_filter::plan(n, 1.0 / 250), keys, {}, {}, 2);
  const auto answers = std::make_unique<bool[]>(n);
  EXPECT_EQ(filter.may_contain(keys, {answers.get(), n}), n);
}

TEST(ribbon_filter, refuses_shapes_beyond_the_limit) {
  EXPECT_TRUE(throws_error(errc::limit, "keys of 9 bits are more than", [] {
    (void)ribbon_filter(ribbon_shape{max_bits / 8, 8});
  }));
}

}  // namespace
}  // namespace bloomery
