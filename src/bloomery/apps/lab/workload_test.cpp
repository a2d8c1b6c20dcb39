#include "bloomery/apps/lab/workload.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "bloomery/math/laws/zipf.hpp"
#include "testing.hpp"

namespace bloomery::lab {
namespace {

using namespace std::chrono_literals;
using testing::throws_error;

// Ranks that are expected often enough are a cell each, the others one together.
TEST(zipf, draws_follow_the_exact_law) {
  constexpr std::uint64_t draws = 1'000'000;
  constexpr double enough = 20;
  for (const double exponent : {0.0, 0.6, 1.0, 2.2}) {
    for (const std::uint64_t keys : {1U, 2U, 3U, 1000U, 65'537U}) {
      SCOPED_TRACE(::testing::Message() << keys << " keys, exponent " << exponent);
      const zipf popularity(keys, exponent);
      random_stream random(keys);
      std::vector<std::uint64_t> drawn(keys);
      for (std::uint64_t i = 0; i < draws; ++i) ++drawn.at(popularity(random));
      std::vector<std::uint64_t> counts{0};
      std::vector<double> expected{0};
      for (std::uint64_t rank = 1; rank <= keys; ++rank) {
        const double p = math::zipf_probability(rank, keys, exponent);
        if (p * draws >= enough) {
          counts.push_back(drawn[rank - 1]);
          expected.push_back(p);
        } else {
          counts[0] += drawn[rank - 1];
          expected[0] += p;
        }
      }
      if (expected[0] == 0) {
        counts.erase(counts.begin());
        expected.erase(expected.begin());
      }
      if (counts.size() > 1) {
        EXPECT_TRUE(testing::plausible_counts(counts, expected));
      }
    }
  }
}

TEST(zipf, is_the_same_for_the_same_seed) {
  const zipf popularity(1000, 0.9);
  random_stream a(1);
  random_stream b(1);
  random_stream c(2);
  bool differs = false;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t key = popularity(a);
    ASSERT_EQ(key, popularity(b));
    differs = differs || key != popularity(c);
  }
  EXPECT_TRUE(differs);
}

TEST(zipf, refuses_what_has_no_law) {
  EXPECT_TRUE(throws_error(errc::invalid, "keys is 0", [] { zipf(0, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "keys is", [] { zipf(zipf::most_keys + 1, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "exponent is 17", [] { zipf(10, 17); }));
}

// In each of many seconds as many arrive as Poisson's law says: of mean 4, 0 to 10 and more.
TEST(arrivals, are_those_of_poissons_law) {
  constexpr std::size_t seconds = 100'000;
  arrivals users(random_stream(6), 250ms);
  std::vector<std::uint64_t> per_second(seconds);
  for (time at = users.next(); at < time(seconds * 1s); at = users.next()) {
    ++per_second[static_cast<std::size_t>(at.time_since_epoch() / 1s)];
  }
  std::array<std::uint64_t, 12> counts{};
  for (const std::uint64_t each : per_second) ++counts.at(std::min<std::uint64_t>(each, 11));
  std::array<double, 12> expected{};
  double term = std::exp(-4.0);
  double rest = 1;
  for (std::size_t i = 0; i < 11; ++i) {
    expected.at(i) = term;
    rest -= term;
    term *= 4 / static_cast<double>(i + 1);
  }
  expected[11] = rest;
  EXPECT_TRUE(testing::plausible_counts(counts, expected));
}

TEST(arrivals, begin_and_end_where_time_does) {
  arrivals late(random_stream(1), 1ns, time(5s));
  EXPECT_GE(late.next(), time(5s));
  EXPECT_TRUE(
      throws_error(errc::invalid, "mean gap is 0", [] { arrivals(random_stream(1), 0ns); }));
  EXPECT_TRUE(throws_error(errc::invalid, "mean gap is", [] { arrivals(random_stream(1), -1ns); }));
  arrivals rare(random_stream(1), 24h, time::max() - 24h);
  EXPECT_TRUE(throws_error(errc::limit, "end of time", [&] {
    for (;;) (void)rare.next();
  }));
}

}  // namespace
}  // namespace bloomery::lab
