#include "bloomery/filters/text/distance_sensitive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using near_filter = distance_sensitive_filter;
using shape_type = distance_sensitive_shape;

std::string hex(const std::vector<bool>& bits) {
  std::string text;
  for (std::size_t i = 0; i < bits.size(); i += 4) {
    unsigned digit = 0;
    for (std::size_t j = i; j < i + 4; ++j) digit = 2 * digit + (bits[j] ? 1 : 0);
    text += "0123456789abcdef"[digit];
  }
  return text;
}

// The centre, and points at a distance from it that differ from one another: for each metric a
// distance that can be made exactly.
std::string point(metric of, double distance, std::uint64_t stream) {
  const auto draw = [&](std::uint64_t i) { return hash::mix(hash::mix(stream + 1) + i); };
  switch (of) {
    case metric::hamming: {  // 64 bits
      std::vector<bool> bits(64);
      std::fill_n(bits.begin(), std::lround(distance * 64), true);
      for (std::size_t i = 1; i < bits.size(); ++i) {
        std::vector<bool>::swap(bits[i], bits[draw(i) % (i + 1)]);
      }
      return hex(bits);
    }
    case metric::jaccard: {  // of 40 words some are exchanged: c common ones are c of 80 - c
      const auto common = std::lround(80 * (1 - distance) / (2 - distance));
      std::string text;
      for (std::uint64_t i = 0; i < 40; ++i) {
        const bool kept = (i + draw(99)) % 40 < static_cast<std::uint64_t>(common);
        text += kept ? "c" + std::to_string(i) : "x" + std::to_string(draw(i));
        text += ' ';
      }
      return text;
    }
    case metric::euclidean: {  // a circle in three dimensions
      const double angle = static_cast<double>(draw(0) >> 11) * 0x1p-53 * 2 * M_PI;
      return std::to_string(distance * std::cos(angle)) + ",0.0," +
             std::to_string(distance * std::sin(angle));
    }
  }
  return {};
}

struct example {
  metric of;
  std::uint64_t dimension;
  double near;
  double far;
};
// 36 of 44 and 4 of 76 words are common to two texts of 40.
const std::array examples{example{metric::hamming, 64, 6.0 / 64, 32.0 / 64},
                          example{metric::jaccard, 1, 1 - 36.0 / 44, 1 - 4.0 / 76},
                          example{metric::euclidean, 3, 1, 30}};

shape_type shape_of(const example& e, std::uint64_t arrays, std::uint64_t threshold,
                    std::uint64_t functions) {
  return {2000,        arrays, threshold, functions, static_cast<std::uint64_t>(e.of),
          e.dimension, 4,      e.near,    e.far};
}

// 4000 filters, each with functions of its own and one point, are asked for one near it. An
// array has it with p1, or else by chance with 1/m'. The threshold is such that misses are seen.
TEST(distance_sensitive, misses_the_near_as_predicted) {
  for (const example& e : examples) {
    constexpr std::uint64_t filters = 4000;
    const shape_type shape = shape_of(e, 20, 14, 2);
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    for (std::uint64_t i = 0; i < filters; ++i) {
      near_filter seen(shape, {hash_id::xxh3, i});
      seen.insert_text(point(e.of, 0, i));
      const std::string near = point(e.of, e.near, i);
      hits += seen.nearness(near);
      misses += std::uint64_t{!seen.may_contain_text(near)};
    }
    const double p1 = shape.collision(e.near);
    const double p = p1 + (1 - p1) / 2000;
    EXPECT_TRUE(plausible_count(hits, 20 * filters, p)) << metric_names[shape.metric];
    EXPECT_TRUE(plausible_count(misses, filters, math::near_miss_rate(20, 14, p)));
    EXPECT_LE(math::near_miss_rate(20, 14, p), near_filter::predicted_false_negatives(shape, 1));
  }
}

// Of 20 arrays 10 make a text close; a near one shares a bit with p1 = 0.8, what is far with n·p2 =
// 0.2, for one key of 60 bits that is asked for with 12 and with 48 of them changed. 100,000
// filters, each with functions of its own.
TEST(distance_sensitive, errs_on_both_sides_by_binomial_tails) {
  constexpr std::uint64_t filters = 100'000;
  const shape_type shape{.array_bits = 4000,
                         .arrays = 20,
                         .threshold = 10,
                         .functions = 1,
                         .metric = static_cast<std::uint64_t>(metric::hamming),
                         .dimension = 60,
                         .near = 0.2,
                         .far = 0.8};
  std::uint64_t missed = 0;
  std::uint64_t claimed = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    near_filter seen(shape, {hash_id::xxh3, i});
    seen.insert_text("000000000000000");
    missed += std::uint64_t{!seen.may_contain_text("fff000000000000")};
    claimed += std::uint64_t{seen.may_contain_text("000ffffffffffff")};
  }
  const auto or_by_chance = [](double p) { return p + (1 - p) / 4000; };
  const double misses = math::near_miss_rate(20, 10, or_by_chance(0.8));
  const double claims = math::far_claim_rate(20, 10, or_by_chance(0.2));
  EXPECT_NEAR(misses, 5.6e-4, 0.05e-4);
  EXPECT_NEAR(claims, 2.6e-3, 0.05e-3);
  EXPECT_TRUE(plausible_count(missed, filters, misses));
  EXPECT_TRUE(plausible_count(claimed, filters, claims));
}

// 300 filters of 60 points, all of them far from the centre, which is asked for: not claimed more
// often than the bound says; and words that share nothing exactly as often as predicted.
TEST(distance_sensitive, claims_the_far_no_more_than_predicted) {
  constexpr std::uint64_t filters = 300;
  constexpr std::uint64_t keys = 60;
  for (const example& e : examples) {
    const shape_type shape = shape_of(e, 20, 3, 8);
    std::uint64_t claims = 0;
    for (std::uint64_t i = 0; i < filters; ++i) {
      near_filter seen(shape, {hash_id::xxh3, i});
      for (std::uint64_t j = 0; j < keys; ++j) seen.insert_text(point(e.of, e.far, keys * i + j));
      claims += std::uint64_t{seen.may_contain_text(point(e.of, 0, 0))};
    }
    const double hit = std::min(1.0, keys * (shape.collision(e.far) + 1.0 / 2000));
    const double bound = math::far_claim_rate(20, 3, hit);
    EXPECT_GE(math::binomial_upper(claims, filters, bound), significance)
        << metric_names[shape.metric] << ": " << claims << " against " << bound;
    EXPECT_LE(near_filter::predicted_rate(shape, keys), bound);
  }
  shape_type shape = shape_of(examples[1], 20, 3, 1);
  shape.far = 1;
  std::uint64_t claims = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    near_filter seen(shape, {hash_id::xxh3, i});
    for (std::uint64_t j = 0; j < 2 * keys; ++j) {
      seen.insert_text("a" + std::to_string(j) + " b" + std::to_string(j));
    }
    claims += std::uint64_t{seen.may_contain_text("nothing shared")};
  }
  EXPECT_TRUE(plausible_count(claims, filters, near_filter::predicted_rate(shape, 2 * keys)));
}

// Members always pass, even if all arrays must have them, and however full it is.
TEST(distance_sensitive, members_are_always_close) {
  for (const example& e : examples) {
    shape_type shape = shape_of(e, 30, 30, 5);
    shape.array_bits = 500;
    near_filter seen(shape);
    for (std::uint64_t i = 0; i < 400; ++i) {
      const std::string text = point(e.of, e.far, i);
      const bool before = seen.nearness(text) == 30;
      EXPECT_EQ(seen.insert_text(text), !before);
    }
    const auto again = wire::load<near_filter>(wire::save(seen));
    for (std::uint64_t i = 0; i < 400; ++i) {
      EXPECT_TRUE(again.may_contain_text(point(e.of, e.far, i)));
      EXPECT_EQ(again.nearness(point(e.of, e.far, i)), 30U);
    }
    EXPECT_EQ(seen.record().items, 400U);
  }
}

// Errata 7: near is up to `near`, far is from `far` on. A plan for each metric keeps both rates.
TEST(distance_sensitive, plans_for_every_metric) {
  for (const example& e : examples) {
    const shape_type shape = distance_sensitive_cells::plan_for(shape_of(e, 0, 0, 0), 200, 0.01);
    EXPECT_NO_THROW(require_valid(shape));
    EXPECT_LE(near_filter::predicted_rate(shape, 200), 0.01);
    EXPECT_LE(near_filter::predicted_false_negatives(shape, 1), 0.01);
    std::uint64_t missed = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      near_filter seen(shape, {hash_id::xxh3, i});
      seen.insert_text(point(e.of, 0, 0));
      missed += std::uint64_t{!seen.may_contain_text(point(e.of, e.near, i))};
    }
    EXPECT_GE(math::binomial_upper(missed, 100, 0.01), significance);
  }
}

TEST(distance_sensitive, impossible_shapes_and_texts_are_refused) {
  const auto refused = [](shape_type shape, const std::string& field) {
    return throws_error(errc::invalid, field, [&] { near_filter seen(shape); });
  };
  shape_type shape = shape_of(examples[0], 20, 10, 2);
  EXPECT_TRUE(
      throws_error(errc::invalid, "16 hexadecimal", [&] { near_filter(shape).insert_text("12"); }));
  shape.dimension = 66;
  EXPECT_TRUE(refused(shape, "dimension"));
  shape = shape_of(examples[1], 20, 21, 2);
  EXPECT_TRUE(refused(shape, "threshold"));
  shape = shape_of(examples[1], 20, 10, 2);
  shape.far = 1.5;
  EXPECT_TRUE(refused(shape, "far"));
  shape.far = shape.near;
  EXPECT_TRUE(refused(shape, "near"));
  EXPECT_TRUE(throws_error(errc::invalid, "near",
                           [&] { (void)distance_sensitive_cells::plan_for(shape, 10, 0.1); }));
  shape = shape_of(examples[0], 20, 10, 2);
  shape.far = 0.9;  // which nothing is
  EXPECT_TRUE(throws_error(errc::invalid, "far is 0.9; allowed with the metric hamming: up to 0.5",
                           [&] { (void)distance_sensitive_cells::plan_for(shape, 10, 0.1); }));
}

}  // namespace
}  // namespace bloomery::testing
