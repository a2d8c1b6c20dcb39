#include "bloomery/math/kinds/hash_choice.hpp"

#include <algorithm>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

constexpr std::uint64_t million = 1'000'000;

// One candidate is no choice: the standard filter.
TEST(hash_choice, of_one_candidate_is_the_standard_filter) {
  for (const std::uint64_t k : {1U, 7U, 30U}) {
    EXPECT_NEAR(hash_choice_rate({10 * million, k, million / 4, 0}, million) /
                    exact_rate(10 * million, million, k),
                1, 1e-6);
  }
}

// Of few keys exactly, and of more nearly so.
TEST(hash_choice, few_keys_have_the_exact_rate) {
  for (const std::uint64_t n : {1U, 2U, 3U, 10U, 16U}) {
    for (const std::uint64_t k : {1U, 5U, 8U}) {
      for (const std::uint64_t groups : {1U, 4U}) {
        EXPECT_NEAR(hash_choice_rate({10 * n, k, groups, 0}, n) / exact_rate(10 * n, n, k), 1, 1e-9)
            << n << ' ' << k << ' ' << groups;
      }
    }
  }
  for (const std::uint64_t n : {17U, 100U, 1000U}) {
    EXPECT_NEAR(hash_choice_rate({10 * n, 7, (n + 3) / 4, 0}, n) / exact_rate(10 * n, n, 7), 1,
                0.01)
        << n;
  }
}

TEST(hash_choice, groups_and_where_it_wins) {
  constexpr std::uint64_t m = 24 * million;
  const hash_choice_size four{m, 20, million / 4, 6};
  EXPECT_NEAR(hash_choice_rate(four, million), 1.03e-6, 2e-8);
  EXPECT_NEAR(hash_choice_rate({m, 18, million / 16, 6}, million), 3.3e-6, 2e-8);
  EXPECT_NEAR(exact_rate(m, million, 17), 9.84e-6, 5e-9);
  const std::uint64_t together = four.stored_bits();
  EXPECT_NEAR(exact_rate(together, million, best_hashes(together, million)), 4.8e-6, 3e-8);
  // The table of choices included it beats the plain filter below some 39 %, and loses above.
  for (const double rate : {0.35, 0.1, 0.01, 1e-4}) {
    const hash_choice_size size = plan_hash_choice(million, rate);
    EXPECT_LT(size.stored_bits(), plan_standard(million, rate).bits) << rate;
  }
  EXPECT_GT(plan_hash_choice(million, 0.4).stored_bits(), plan_standard(million, 0.4).bits);
}

TEST(hash_choice, plans_are_the_smallest) {
  for (const std::uint64_t keys : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 40}) {
    for (const double rate : {0.5, 0.01, 1e-12}) {
      hash_choice_size size = plan_hash_choice(keys, rate);
      EXPECT_LE(hash_choice_rate(size, keys), rate);
      size.bits = static_cast<std::uint64_t>(real(size.bits - 1) * (1 - 1e-6));
      if (size.bits > 0) {
        EXPECT_GT(hash_choice_rate(size, keys), rate);
      }
    }
  }
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "rate", [] { (void)plan_hash_choice(max_keys, 0.01); }));
}

// The sizes that a search bit by bit, from the limit's, came to.
TEST(hash_choice, plans_are_those_of_a_search_bit_by_bit) {
  struct planned {
    std::uint64_t keys;
    double rate;
    std::uint64_t bits;
    std::uint64_t hashes;
  };
  const std::vector<planned> all{
      {1, 0.3, 2, 2},
      {1, 0.01, 7, 7},
      {1, 0.0001, 15, 14},
      {1, 1e-09, 37, 31},
      {3, 0.3, 5, 2},
      {3, 0.01, 22, 7},
      {3, 0.0001, 48, 14},
      {3, 1e-09, 116, 30},
      {10, 0.3, 14, 2},
      {10, 0.01, 74, 7},
      {10, 0.0001, 162, 14},
      {10, 1e-09, 386, 30},
      {17, 0.3, 24, 2},
      {17, 0.01, 126, 7},
      {17, 0.0001, 274, 14},
      {17, 1e-09, 656, 30},
      {50, 0.3, 70, 2},
      {50, 0.01, 375, 7},
      {50, 0.0001, 813, 14},
      {50, 1e-09, 1940, 30},
      {300, 0.3, 423, 2},
      {300, 0.01, 2255, 7},
      {300, 0.0001, 4887, 14},
      {300, 1e-09, 11659, 30},
      {10000, 0.3, 14075, 2},
      {10000, 0.01, 75127, 7},
      {10000, 0.0001, 162860, 14},
      {10000, 1e-09, 388581, 30},
      {1000000, 0.3, 1407410, 2},
      {1000000, 0.01, 7512573, 7},
      {1000000, 0.0001, 16285935, 14},
      {1000000, 1e-09, 38858007, 30},
      {100000000, 0.3, 140740890, 2},
      {100000000, 0.01, 751257230, 7},
      {100000000, 0.0001, 1628593518, 14},
      {100000000, 1e-09, 3885800760, 30},
  };
  for (const planned& one : all) {
    const hash_choice_size size = plan_hash_choice(one.keys, one.rate);
    EXPECT_EQ(size.bits, one.bits) << one.keys << ' ' << one.rate;
    EXPECT_EQ(size.hashes, one.hashes) << one.keys << ' ' << one.rate;
  }
}

// Fills at any load, however absurd, stay fills.
TEST(hash_choice, fills_are_shares) {
  for (const std::uint64_t m : {std::uint64_t{1}, std::uint64_t{1000}, max_bits}) {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, million, max_keys}) {
      const double fill = hash_choice_fill({m, 64, std::min(m, million), 8}, n);
      EXPECT_GE(fill, 0);
      EXPECT_LE(fill, 1);
    }
  }
}

}  // namespace
}  // namespace bloomery::math
