#include "bloomery/math/kinds/dleft_dynamic.hpp"

#include "bloomery/core/limits.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

// Longer remainders where there are fewer, and never longer ones where there are more; Bonomi et al.
// have 4.5e-4 at 16 bits a key and 2.25e-5 at 20.
TEST(dleft_dynamic, shared_bits_beat_fixed_ones) {
  for (std::uint64_t bits = 16; bits <= 128; bits += 16) {
    const dynamic_size size{3, 1, bits, 15};
    for (std::uint64_t shared = 2; shared <= 15; ++shared) {
      EXPECT_LE(size.remainder_bits(shared), size.remainder_bits(shared - 1)) << bits;
    }
  }
  const dynamic_size size{3, 100'000, 128, 15};
  EXPECT_EQ(size.remainder_bits(1), 48U);
  EXPECT_EQ(size.remainder_bits(4), 32U);
  EXPECT_EQ(size.remainder_bits(15), 10U);
  const double at_16 = dynamic_rate(size, 100'000 * 3 * 128 / 16);
  const double at_20 = dynamic_rate(size, 100'000 * 3 * 128 / 20);
  EXPECT_NEAR(at_16, 2.73e-4, 2e-6);
  EXPECT_NEAR(at_20, 2.13e-5, 2e-7);
  EXPECT_NEAR(dynamic_rate({3, 100'000, 64, 14}, 100'000 * 3 * 64 / 16), 4.5e-4, 5e-6);
  for (const std::uint64_t keys : {1U, 10U, 1000U, 100'000U}) {
    for (const double rate : {0.3, 0.01, 1e-5, 1e-9}) {
      const dynamic_size planned = plan_dynamic(keys, rate);
      EXPECT_LE(worn_dynamic_rate(planned, keys), rate);
      EXPECT_LE(dynamic_rate(planned, keys), rate);
      EXPECT_GE(planned.remainder_bits(planned.cells), shortest_remainder);
      EXPECT_GE(dynamic_capacity(planned) + 1, keys);
    }
  }
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "bits", [] { (void)plan_dynamic(max_keys, 0.01); }));
}

}  // namespace
}  // namespace bloomery::math
