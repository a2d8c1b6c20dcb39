#include "bloomery/math/kinds/banked.hpp"

#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// Every equally likely set of bits that a key may take.
std::vector<std::uint64_t> outcomes_of(const banked_size& size) {
  std::vector<std::uint64_t> outcomes;
  for (std::uint64_t start = 0; start < size.banks; ++start) {
    const auto extend = [&](const auto& self, std::uint64_t i, std::uint64_t set) -> void {
      if (i == size.hashes) {
        outcomes.push_back(set);
        return;
      }
      for (std::uint64_t at = 0; at < size.bank_bits; ++at) {
        self(self, i + 1,
             set | std::uint64_t{1} << ((start + i) % size.banks * size.bank_bits + at));
      }
    };
    extend(extend, 0, 0);
  }
  return outcomes;
}

struct counted {
  double rate = 0;
  double zeros = 0;
  double variance = 0;
};

counted enumerated(const banked_size& size, std::uint64_t keys) {
  const auto outcomes = outcomes_of(size);
  double cases = 0;
  double hits = 0;
  double sum = 0;
  double squares = 0;
  const auto visit = [&](const auto& self, std::uint64_t key, std::uint64_t bits) -> void {
    if (key < keys) {
      for (const std::uint64_t set : outcomes) self(self, key + 1, bits | set);
      return;
    }
    const double zeros = real(size.bank_bits * size.banks) - std::popcount(bits);
    for (const std::uint64_t set : outcomes) hits += (bits & set) == set ? 1 : 0;
    cases += 1;
    sum += zeros;
    squares += zeros * zeros;
  };
  visit(visit, 0, 0);
  return {hits / cases / real(outcomes.size()), sum / cases,
          squares / cases - sum / cases * (sum / cases)};
}

TEST(banked, rate_and_moments_are_those_of_every_outcome_counted) {
  for (const banked_size& size :
       {banked_size{2, 3, 2}, banked_size{2, 4, 2}, banked_size{3, 2, 1}, banked_size{2, 5, 2},
        banked_size{2, 3, 3}, banked_size{1, 4, 3}}) {
    for (const std::uint64_t keys : {1U, 2U, 3U}) {
      const counted expected = enumerated(size, keys);
      const auto n = real(keys);
      EXPECT_NEAR(banked_rate(size, keys), expected.rate, 1e-13);
      const bit_layout layout = banked_layout(size);
      EXPECT_NEAR(layout.expected_zeros(n), expected.zeros, 1e-13);
      EXPECT_NEAR(layout.covariance(n, n, n), expected.variance, 1e-13);
    }
  }
}

TEST(banked, as_many_banks_as_hashes_are_a_partitioned_filter) {
  for (const std::uint64_t k : {1U, 7U, 40U}) {
    EXPECT_NEAR(banked_rate({100, k, k}, 80) / partitioned_rate(100, 80, k), 1, 1e-12);
  }
  EXPECT_EQ(banked_rate({100, 8, 7}, 0), 0);
  EXPECT_EQ(banked_rate({1, 8, 8}, 1), 1);
}

// Above k = 10 pairs alone come close to the whole: inclusion and exclusion over all sets of the query's
// bits, written out.
TEST(banked, pairs_go_on_where_the_exact_rate_ends) {
  for (const auto& [size, n] :
       {std::pair{banked_size{10, 16, 12}, 20U}, std::pair{banked_size{40, 16, 11}, 60U},
        std::pair{banked_size{300, 24, 11}, 500U}}) {
    double expected = 0;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << size.hashes; ++set) {
      double missed = 0;
      for (std::uint64_t start = 0; start < size.banks; ++start) {
        double product = 1;
        for (std::uint64_t i = 0; i < size.hashes; ++i) {
          const std::uint64_t bank = (start + i) % size.banks;
          if (bank < size.hashes && (set >> bank & 1) != 0) {
            product *= 1 - 1 / real(size.bank_bits);
          }
        }
        missed += product / real(size.banks);
      }
      expected += (std::popcount(set) % 2 == 0 ? 1 : -1) * std::pow(missed, n);
    }
    EXPECT_NEAR(banked_rate(size, n) / expected, 1, 2e-3) << size.bank_bits;
  }
}

TEST(banked, a_filter_as_it_stands_is_the_mean_over_its_runs) {
  EXPECT_NEAR(banked_instance_rate(std::vector<double>{0.5, 1, 0.25}, 2), (0.5 + 0.25 + 0.125) / 3,
              1e-15);
}

TEST(banked, plans_are_the_smallest_and_near_the_partitioned) {
  for (const std::uint64_t keys : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 40}) {
    for (const double rate : {0.5, 0.01, 1e-6}) {
      const banked_size size = plan_banked(keys, rate);
      EXPECT_LE(banked_rate(size, keys), rate);
      if (size.bank_bits > 1) {
        EXPECT_GT(banked_rate({size.bank_bits - 1, size.banks, size.hashes}, keys), rate);
      }
    }
  }
  const banked_size size = plan_banked(1000, 0.01);
  const partitioned_size slices = plan_partitioned(1000, 0.01);
  EXPECT_NEAR(real(size.bank_bits * size.banks) / real(slices.slice_bits * slices.hashes), 1,
              0.002);
  EXPECT_TRUE(throws_error(errc::limit, "rate", [] { (void)plan_banked(max_keys, 0.01); }));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes is 9; allowed: 1 to 8", [] {
    (void)banked_rate({100, 8, 9}, 1);
  }));
}

}  // namespace
}  // namespace bloomery::math
