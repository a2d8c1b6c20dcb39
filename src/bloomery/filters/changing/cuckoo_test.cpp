#include "bloomery/filters/changing/cuckoo.hpp"

#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Fan et al. 2014 at load .95: one filter of 62,259 keys for each, a million strangers.
TEST(cuckoo, rates_at_load_95_are_those_of_the_paper) {
  constexpr std::uint64_t buckets = 16'384;
  constexpr auto keys = static_cast<std::uint64_t>(0.95 * 4 * buckets);
  for (const std::uint64_t bits : {8U, 12U}) {
    const auto filter = large_filter<cuckoo_filter>({buckets, 4, bits}, keys);
    EXPECT_TRUE(large_rate_as_predicted(filter, keys, 1'000'000)) << bits;
  }
}

TEST(cuckoo, refuses_bad_shapes) {
  EXPECT_TRUE(throws_error(errc::invalid, "buckets is 7; allowed: even numbers", [] {
    cuckoo_filter({7, 4, 12});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "entries times fingerprint_bits is 160", [] {
    cuckoo_filter({8, 8, 20});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "entries is 9; allowed: 2 to 8", [] {
    cuckoo_filter({8, 9, 2});
  }));
  EXPECT_TRUE(throws_error(errc::limit, "buckets", [] { cuckoo_filter({max_bits, 4, 12}); }));
}

}  // namespace
}  // namespace bloomery::testing
