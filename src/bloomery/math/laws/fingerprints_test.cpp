#include "bloomery/math/laws/fingerprints.hpp"

#include <cmath>

#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

constexpr unsigned hash_bits = 59;

TEST(fingerprints, halve_the_rate_with_each_bit) {
  EXPECT_EQ(fingerprint_rate(0, 8, hash_bits), 0);
  EXPECT_EQ(fingerprint_rate(1, 1, hash_bits), 0.5);
  EXPECT_EQ(fingerprint_rate(1, 8, hash_bits), 1.0 / 256 + std::ldexp(1, -59));
  // 2^27 keys of 59-bit hashes: a stranger meets one of them as often as a fingerprint of 32 bits.
  EXPECT_EQ(fingerprint_rate(std::uint64_t{1} << 27, 32, hash_bits), std::ldexp(2, -32));
}

TEST(fingerprints, are_the_shortest_that_keep_the_rate) {
  for (double rate = 0.9; rate > 3e-10; rate *= 0.71) {
    const unsigned bits = fingerprint_bits(1000, rate, hash_bits);
    EXPECT_LE(fingerprint_rate(1000, bits, hash_bits), rate);
    EXPECT_TRUE(bits == 1 || fingerprint_rate(1000, bits - 1, hash_bits) > rate);
  }
  EXPECT_EQ(fingerprint_bits(1000, 0.001, hash_bits), 10U);
  EXPECT_TRUE(throws_error(errc::limit, "not a rate of 1e-10",
                           [] { (void)fingerprint_bits(1000, 1e-10, hash_bits); }));
  EXPECT_TRUE(throws_error(errc::limit, "not a rate of", [] {
    (void)fingerprint_bits(std::uint64_t{1} << 40, 1e-8, hash_bits);
  }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "rate", [] { (void)fingerprint_bits(1000, 0, hash_bits); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "keys", [] { (void)fingerprint_bits(0, 0.1, hash_bits); }));
}

}  // namespace
}  // namespace bloomery::math
