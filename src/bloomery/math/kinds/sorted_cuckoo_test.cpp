#include "bloomery/math/kinds/sorted_cuckoo.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/kinds/dleft_dynamic.hpp"
#include "bloomery/math/numeric/binomial.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// Fan et al. 2014, §5.2: the first four bits of the four fingerprints of a bucket, sorted, are one of 3876
// sequences, 12 bits instead of 16.
TEST(sorted_cuckoo, spares_a_bit_of_each_place) {
  EXPECT_EQ(binomial(19, 4), sorted_sequences);
  EXPECT_EQ(dynamic_size::code_bits(4), 16 - spared_by_sorting);
  for (std::uint64_t bits = min_sorted_fingerprint; bits <= max_fingerprint_bits; ++bits) {
    EXPECT_EQ((sorted_cuckoo_size{2, bits}.bucket_bits()), 12 + 4 * (bits - 4));
  }
}

// The figures of docs/filters/sorted-cuckoo.md, and those of cuckoo, which may take other buckets than four.
TEST(sorted_cuckoo, plans_take_a_bit_less_than_those_of_cuckoo) {
  constexpr std::uint64_t million = 1'000'000;
  struct figures {
    double rate;
    double sorted;
    double plain;
  };
  for (const auto& [rate, sorted, plain] :
       {figures{0.01, 9.47, 10.42}, figures{0.001, 12.63, 13.68}, figures{0.00001, 19.99, 20.84}}) {
    const sorted_cuckoo_size size = plan_sorted_cuckoo(million, rate);
    EXPECT_NEAR(real(size.buckets * size.bucket_bits()) / million, sorted, 0.005) << rate;
    const cuckoo_size best = plan_cuckoo(million, rate, 128);
    EXPECT_NEAR(real(best.buckets * best.entries * best.fingerprint_bits) / million, plain, 0.005);
  }
}

TEST(sorted_cuckoo, plans_keep_rate_and_room_and_are_small) {
  for (const std::uint64_t keys : {1U, 2U, 10U, 77U, 1000U, 14'000U, 1'000'000U}) {
    for (const double rate : {0.9, 0.3, 0.01, 1e-5, 1e-8}) {
      const sorted_cuckoo_size size = plan_sorted_cuckoo(keys, rate);
      EXPECT_LE(sorted_cuckoo_rate(size, keys), rate) << keys;
      EXPECT_EQ(sorted_cuckoo_rate(size, keys), cuckoo_rate(size.plain(), keys));
      EXPECT_GE(sorted_cuckoo_capacity(size), keys) << rate;
      if (size.buckets == 2) continue;
      const sorted_cuckoo_size less{size.buckets - 2, size.fingerprint_bits};
      EXPECT_TRUE(sorted_cuckoo_rate(less, keys) > rate || sorted_cuckoo_capacity(less) < keys)
          << keys << " keys at " << rate;
    }
  }
}

TEST(sorted_cuckoo, refuses_what_it_cannot_do) {
  EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)plan_sorted_cuckoo(0, 0.1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)plan_sorted_cuckoo(9, NAN); }));
  EXPECT_TRUE(throws_error(errc::limit, "32-bit fingerprints",
                           [] { (void)plan_sorted_cuckoo(1'000'000, 1e-12); }));
}

}  // namespace
}  // namespace bloomery::math
