#include "bloomery/math/plan.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::throws_error;

constexpr std::uint64_t block_bits = 512;

struct request {
  std::uint64_t keys;
  double rate;
};

std::vector<request> requests(std::uint64_t most_keys = 1'000'000'000) {
  std::vector<request> all;
  for (const std::uint64_t keys : {1ULL, 2ULL, 10ULL, 1000ULL, 1'000'000ULL, 1'000'000'000ULL}) {
    if (keys > most_keys) continue;
    for (const double rate : {0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-9}) all.push_back({keys, rate});
  }
  return all;
}

// The three planners seen alike: units (bits, slice bits, blocks), the rate of so many units, and
// what a unit costs in bits.
struct planner {
  const char* name;
  std::pair<standard_size, std::uint64_t> (*plan)(std::uint64_t, double);
  double (*rate)(std::uint64_t units, std::uint64_t keys, std::uint64_t k);
  std::uint64_t (*bits)(std::uint64_t units, std::uint64_t k);
};

const std::vector<planner>& planners() {
  static const std::vector<planner> all{
      {"standard",
       [](std::uint64_t n, double p) {
         const auto size = plan_standard(n, p);
         return std::pair{size, size.bits};
       },
       exact_rate, [](std::uint64_t bits, std::uint64_t) { return bits; }},
      {"partitioned",
       [](std::uint64_t n, double p) {
         const auto [slice, k, rate] = plan_partitioned(n, p);
         return std::pair{standard_size{slice * k, k, rate}, slice};
       },
       partitioned_rate, [](std::uint64_t slice, std::uint64_t k) { return slice * k; }},
      {"blocked",
       [](std::uint64_t n, double p) {
         const auto [blocks, k, rate] = plan_blocked(n, p, block_bits);
         return std::pair{standard_size{blocks * block_bits, k, rate}, blocks};
       },
       [](std::uint64_t blocks, std::uint64_t n, std::uint64_t k) {
         return blocked_rate(blocks, block_bits, n, k);
       },
       [](std::uint64_t blocks, std::uint64_t) { return blocks * block_bits; }},
  };
  return all;
}

TEST(plans, keep_the_promise_and_one_unit_less_breaks_it) {
  for (const planner& kind : planners()) {
    for (const auto& [keys, rate] : requests()) {
      SCOPED_TRACE(std::string(kind.name) + " n=" + std::to_string(keys) +
                   " p=" + std::to_string(rate));
      const auto [size, units] = kind.plan(keys, rate);
      EXPECT_LE(size.rate, rate);
      EXPECT_EQ(size.rate, kind.rate(units, keys, size.hashes));
      if (units == 1) continue;
      EXPECT_GT(kind.rate(units - 1, keys, size.hashes), rate);
    }
  }
}

// No k does it in fewer bits: asked of every k from 1 to 64.
TEST(plans, are_the_smallest_over_all_hash_counts) {
  for (const planner& kind : planners()) {
    for (const auto& [keys, rate] : requests(1000)) {
      SCOPED_TRACE(std::string(kind.name) + " n=" + std::to_string(keys) +
                   " p=" + std::to_string(rate));
      const auto [size, units] = kind.plan(keys, rate);
      for (std::uint64_t k = 1; k <= max_hashes; ++k) {
        const std::uint64_t unit_bits = kind.bits(1, k);
        const std::uint64_t fewer = (size.bits - 1) / unit_bits;
        if (fewer == 0) continue;
        EXPECT_GT(kind.rate(fewer, keys, k), rate) << "k=" << k << " units=" << fewer;
      }
    }
  }
}

TEST(plans, of_blocked_filters_pay_for_blocking) {
  for (const auto& [keys, rate] : requests()) {
    if (keys < 1000 || rate > 0.01) continue;  // rounding up to a block hides it there
    const auto standard = plan_standard(keys, rate);
    const auto blocked = plan_blocked(keys, rate, block_bits);
    EXPECT_GT(blocked.blocks * block_bits, standard.bits) << keys << ' ' << rate;
    EXPECT_GT(blocked_rate(standard.bits / block_bits + 1, block_bits, keys, standard.hashes), rate)
        << "sized by the unblocked formula it would break its promise";
  }
}

TEST(plans, match_the_textbook_where_it_is_right) {
  for (const double rate : {0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-9}) {
    const auto size = plan_standard(1'000'000'000, rate);
    const double per_key = static_cast<double>(size.bits) / 1e9;
    // The whole k nearest to the real-valued optimum costs up to 4 % at small k.
    const double textbook = lower_bound_bits_per_key(rate) / M_LN2;
    EXPECT_GE(per_key, textbook * (1 - 1e-9));
    EXPECT_LE(per_key, textbook * 1.01);
  }
}

// Processor time, so that a busy machine does not matter; the limit is ten times the measured worst
// (46 ms, blocked, a billion keys at 1e-9) to leave room for sanitizers.
TEST(plans, take_milliseconds) {
  for (const planner& kind : planners()) {
    for (const auto& [keys, rate] : requests()) {
      const std::clock_t start = std::clock();
      (void)kind.plan(keys, rate);
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      EXPECT_LT(seconds, 0.5) << kind.name << ' ' << keys << ' ' << rate;
    }
  }
}

TEST(plans, refuse_impossible_requests) {
  const auto refused = [](errc code, const std::string& part, std::uint64_t keys, double rate) {
    for (const planner& kind : planners()) {
      EXPECT_TRUE(throws_error(code, part, [&] { (void)kind.plan(keys, rate); }))
          << kind.name << ' ' << keys << ' ' << rate;
    }
  };
  refused(errc::invalid, "keys is 0; allowed: 1 to", 0, 0.01);
  refused(errc::invalid, "keys is 281474976710657;", max_keys + 1, 0.01);
  refused(errc::invalid, "rate is 0;", 10, 0);
  refused(errc::invalid, "rate is 1;", 10, 1);
  refused(errc::invalid, "rate is -0.5;", 10, -0.5);
  refused(errc::invalid, "rate is", 10, std::nan(""));
  refused(errc::invalid, "rate is", 10, INFINITY);
  refused(errc::limit, "32 TiB", max_keys, 0.01);
}

TEST(plans, reach_extreme_rates_for_few_keys) {
  for (const planner& kind : planners()) {
    const auto [size, units] = kind.plan(3, 1e-18);
    EXPECT_LE(kind.rate(units, 3, size.hashes), 1e-18) << kind.name;
    const auto [lax, lax_units] = kind.plan(1000, 0.999);
    EXPECT_LE(kind.rate(lax_units, 1000, lax.hashes), 0.999) << kind.name;
  }
}

TEST(keys_within, is_the_last_number_that_keeps_the_rate) {
  for (const planner& kind : planners()) {
    for (const auto& [keys, rate] : requests()) {
      SCOPED_TRACE(std::string(kind.name) + " n=" + std::to_string(keys) +
                   " p=" + std::to_string(rate));
      const auto [size, units] = kind.plan(keys, rate);
      const auto rate_of = [&, units = units, k = size.hashes](std::uint64_t n) {
        return kind.rate(units, n, k);
      };
      const std::uint64_t most = keys_within(rate, rate_of);
      EXPECT_GE(most, keys);
      EXPECT_LE(rate_of(most), rate);
      EXPECT_GT(rate_of(most + 1), rate);
    }
  }
}

TEST(keys_within, finds_every_threshold) {
  std::uint64_t asked = 0;
  const auto step_after = [&](std::uint64_t threshold) {
    return [&asked, threshold](std::uint64_t keys) {
      ++asked;
      return keys <= threshold ? 0.5 : 0.6;
    };
  };
  for (std::uint64_t threshold = 0; threshold < 1000; ++threshold) {
    EXPECT_EQ(keys_within(0.5, step_after(threshold)), threshold);
  }
  for (const std::uint64_t threshold : {max_keys - 1, max_keys, max_keys + 1}) {
    asked = 0;
    EXPECT_EQ(keys_within(0.5, step_after(threshold)), std::min(threshold, max_keys));
    EXPECT_LE(asked, 2 * 48 + 2);
  }
}

TEST(best_hashes, minimises_the_exact_rate) {
  EXPECT_EQ(best_hashes(32, 2), 9U) << "not 11, the textbook's";
  EXPECT_EQ(best_hashes(8'000'000, 1'000'000), 6U);
  EXPECT_EQ(best_hashes(10, 1000), 1U);
  for (const std::uint64_t bits : {1U, 5U, 32U, 100U, 1000U}) {
    for (const std::uint64_t keys : {1U, 2U, 7U, 50U}) {
      const std::uint64_t best = best_hashes(bits, keys);
      for (std::uint64_t k = 1; k <= max_hashes; ++k) {
        EXPECT_LE(exact_rate(bits, keys, best), exact_rate(bits, keys, k) * (1 + 1e-12))
            << bits << ' ' << keys << ' ' << k;
      }
    }
  }
}

TEST(lower_bound, is_the_information_bound) {
  EXPECT_DOUBLE_EQ(lower_bound_bits_per_key(1.0 / 1024), 10);
}

}  // namespace
}  // namespace bloomery::math
