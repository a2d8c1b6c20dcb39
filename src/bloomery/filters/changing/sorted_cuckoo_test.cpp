#include "bloomery/filters/changing/sorted_cuckoo.hpp"

#include <memory>

#include "bloomery/filters/changing/cuckoo.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// At load .95, where a cuckoo filter of as many bits has twice the rate: one filter of 62,259 keys for
// each, a million strangers.
TEST(sorted_cuckoo, rates_at_load_95_are_those_predicted) {
  constexpr std::uint64_t buckets = 16'384;
  constexpr auto keys = static_cast<std::uint64_t>(0.95 * 4 * buckets);
  for (const std::uint64_t bits : {9U, 13U}) {
    const auto filter = large_filter<sorted_cuckoo_filter>({buckets, bits}, keys);
    EXPECT_TRUE(large_rate_as_predicted(filter, keys, 1'000'000)) << bits;
  }
}

// What a bucket holds is what the cuckoo filter of the same fingerprints would, wherever it moved.
TEST(sorted_cuckoo, answers_as_the_filter_that_is_not_sorted) {
  sorted_cuckoo_filter sorted({1000, 11});
  cuckoo_filter plain({1000, 4, 11});
  const auto keys = numbered_digests(26, 3700);
  EXPECT_EQ(sorted.insert(keys), plain.insert(keys));
  const auto asked = numbered_digests(26, 200'000);
  const auto answers = std::make_unique<bool[]>(asked.size());
  sorted.may_contain(asked, std::span(answers.get(), asked.size()));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(answers[i], plain.may_contain(asked[i])) << i;
    ASSERT_EQ(sorted.count(asked[i]), plain.count(asked[i])) << i;
  }
}

TEST(sorted_cuckoo, refuses_bad_shapes) {
  EXPECT_TRUE(throws_error(errc::invalid, "buckets is 7; allowed: even numbers", [] {
    sorted_cuckoo_filter({7, 12});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "fingerprint_bits is 4; allowed: 5 to 32", [] {
    sorted_cuckoo_filter({8, 4});
  }));
  EXPECT_TRUE(throws_error(errc::limit, "buckets", [] { sorted_cuckoo_filter({max_bits, 12}); }));
}

}  // namespace
}  // namespace bloomery::testing
