#include "bloomery/filters/set/two_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bloomery/math/kinds/two_choice.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// An oracle that knows each bit: the key's first set that adds the fewest new distinct ones.
TEST(two_choice, takes_the_set_that_adds_fewest) {
  for (const std::uint64_t d : {2U, 3U, 8U}) {
    constexpr std::uint64_t k = 5;
    two_choice_filter filter({60, k, d});  // crowded, so that sets repeat positions
    std::set<std::uint64_t> ones;
    for (const digest key : numbered_digests(1, 40)) {
      std::set<std::uint64_t> fewest;
      for (std::uint64_t set = 0; set < d; ++set) {
        std::set<std::uint64_t> added;
        for (std::uint64_t i = 0; i < k; ++i) {
          const std::uint64_t at = hash::uniform_probes{60, d * k}.at(key, set * k + i);
          if (!ones.contains(at)) added.insert(at);
        }
        if (set == 0 || added.size() < fewest.size()) fewest = added;
      }
      EXPECT_EQ(filter.insert(key), !fewest.empty());
      ones.merge(fewest);
      ASSERT_EQ(std::llround(filter.fill() * 60), static_cast<long long>(ones.size()));
    }
  }
}

// Lumetta, Mitzenmacher 2007 by fills, since rates this low take long to count. The rates were
// solved from the fluid limit apart from this library. 5 filters of 20,000 keys. A fill of m bits
// strays by less than √(ρ(1-ρ)/m), as if bits were independent; they are less so.
TEST(two_choice, fills_as_predicted) {
  struct row {
    std::uint64_t bits_per_key;
    std::uint64_t hashes;
    double rate;
    double digits;
  };
  constexpr std::uint64_t n = 20'000;
  constexpr std::uint64_t filters = 5;
  for (const row& r :
       {row{8, 7, 0.02323, 5e-6}, row{16, 13, 3.93e-4, 5e-7}, row{32, 24, 1.285e-7, 1e-10}}) {
    const two_choice_shape shape{r.bits_per_key * n, r.hashes, 2};
    EXPECT_NEAR(two_choice_filter::predicted_rate(shape, n), r.rate, r.digits);
    double sum = 0;
    for (std::uint64_t i = 0; i < filters; ++i) {
      two_choice_filter filter(shape);
      filter.insert(numbered_digests(100 + i, n));
      sum += filter.fill();
    }
    const double fill = math::two_choice_fill(shape.bits, n, r.hashes, 2);
    const double deviation =
        std::sqrt(fill * (1 - fill) / static_cast<double>(shape.bits * filters));
    EXPECT_TRUE(plausible_value(sum / filters, fill, deviation)) << r.bits_per_key;
  }
}

// The current rate is that of strangers: trying every set costs what the formula says.
TEST(two_choice, a_stranger_is_claimed_by_any_set) {
  two_choice_filter filter({8 * 3000, 7, 4});
  filter.insert(numbered_digests(2, 3000));
  constexpr std::uint64_t asked = 200'000;
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < asked; ++i) {
    hits += std::uint64_t{filter.may_contain(numbered_digest(3, i))};
  }
  EXPECT_TRUE(plausible_count(hits, asked, filter.current_rate()));
}

TEST(two_choice, absurd_shapes_are_refused) {
  EXPECT_TRUE(throws_error(errc::invalid, "choices is 1; allowed: 2 to 8", [] {
    two_choice_filter filter({100, 3, 1});
  }));
}

}  // namespace
}  // namespace bloomery::testing
