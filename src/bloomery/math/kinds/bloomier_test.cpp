#include "bloomery/math/kinds/bloomier.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "bloomery/math/laws/peeling.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

TEST(bloomier_slots, near_the_threshold) {
  for (std::uint64_t k = 3; k <= 8; ++k) {
    std::uint64_t before = 0;
    for (double keys = 1; keys < 1e12; keys *= 1.7) {
      const auto n = static_cast<std::uint64_t>(keys);
      const std::uint64_t slots = bloomier_slots(n, k);
      EXPECT_GE(slots, std::max(before, k + 1));
      EXPECT_GT(real(slots), peeling_threshold(k) * real(n));
      before = slots;
    }
  }
  EXPECT_LE(bloomier_slots(1'000, 3), 1272U);
  EXPECT_LE(bloomier_slots(100'000'000, 3), 122'195'000U);
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)bloomier_slots(0, 3); }));
  EXPECT_TRUE(throws_error(errc::limit, "slots", [] { (void)bloomier_slots(max_keys, 3); }));
}

// q = ⌈lg(k/ε)⌉, as after Lemma 4.2.
TEST(code_bits, are_the_fewest_that_keep_the_rate) {
  for (const std::uint64_t codes : {1U, 3U, 13U, 256U, 1'000'000U}) {
    for (const double rate : {0.3, 0.01, 1e-9}) {
      const unsigned q = code_bits(codes, rate);
      EXPECT_EQ(q, std::ceil(std::log2(real(codes) / rate)));
      EXPECT_LE(code_rate(codes, q), rate);
    }
  }
  EXPECT_EQ(code_rate(5, 1), 1);
  EXPECT_TRUE(
      throws_error(errc::limit, "not a rate of", [] { (void)code_bits(max_codes, 1e-14); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)code_bits(3, 1); }));
}

}  // namespace
}  // namespace bloomery::math
