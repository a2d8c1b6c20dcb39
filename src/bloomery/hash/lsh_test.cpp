#include "bloomery/hash/lsh.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "bloomery/math/kinds/distance_sensitive.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// How many of 30,000 values, which are independent, agree.
std::uint64_t agreeing(hash::lsh_family family, const std::string& a, const std::string& b) {
  std::vector<std::uint64_t> one(30'000);
  std::vector<std::uint64_t> other(one.size());
  family.hash(a, one);
  family.hash(b, other);
  std::uint64_t same = 0;
  for (std::size_t i = 0; i < one.size(); ++i) same += std::uint64_t{one[i] == other[i]};
  return same;
}

::testing::AssertionResult agree_with(double p, hash::lsh_family family, const std::string& a,
                                      const std::string& b) {
  return plausible_count(agreeing(family, a, b), 30'000, p);
}

// Gionis et al.: one bit in four differs.
TEST(lsh, bits_agree_as_the_share_that_does) {
  const std::string a = "0123456789abcdef";
  const std::string b = "1133557799BBDDFF";  // 16 digits, each second one by a bit
  for (const std::uint64_t g : {1U, 3U}) {
    const double p = math::hamming_collision(8.0 / 64);
    EXPECT_TRUE(agree_with(std::pow(p, g), {metric::hamming, 64, g, 0, 5}, a, b));
  }
}

// Broder: 12 of 20 words are common, repeats and order aside.
TEST(lsh, words_agree_as_the_share_that_is_common) {
  std::string a;
  std::string b;
  for (int i = 0; i < 16; ++i) a += "word" + std::to_string(i) + ' ';
  for (int i = 19; i >= 4; --i) b += " \tword" + std::to_string(i) + " word9";
  for (const std::uint64_t g : {1U, 3U}) {
    const double p = math::jaccard_collision(1 - 12.0 / 20);
    EXPECT_TRUE(agree_with(std::pow(p, g), {metric::jaccard, 0, g, 0, 6}, a, b));
  }
}

// Datar et al.: 5 apart, in an odd dimension, along two coordinates that share a Box–Muller pair.
TEST(lsh, numbers_agree_as_projections_do) {
  for (const double width : {3.0, 10.0}) {
    const double p = math::euclidean_collision(5, width);
    EXPECT_TRUE(agree_with(p, {metric::euclidean, 3, 1, width, 7}, "1, -2, 30", "4 2 3e1"));
    EXPECT_TRUE(agree_with(p * p, {metric::euclidean, 3, 2, width, 8}, "0,0,0", "0,3,-4"));
  }
}

TEST(lsh, equal_points_agree_always_and_seeds_differ) {
  const hash::lsh_family zero{metric::euclidean, 2, 2, 1, 1};
  EXPECT_EQ(agreeing(zero, "0 0", "-0,0.0"), 30'000U);
  EXPECT_EQ(agreeing({metric::hamming, 8, 9, 0, 1}, "aF", "Af"), 30'000U);
  std::array<std::uint64_t, 9> one{};
  std::array<std::uint64_t, 9> other{};
  hash::lsh_family{metric::jaccard, 0, 2, 0, 1}.hash("a b c", one);
  hash::lsh_family{metric::jaccard, 0, 2, 0, 2}.hash("a b c", other);
  EXPECT_NE(one, other);
}

TEST(lsh, other_texts_are_refused) {
  std::array<std::uint64_t, 3> values{};
  const auto refused = [&](metric of, std::string_view text, const std::string& expected) {
    return throws_error(errc::invalid, expected, [&] {
      hash::lsh_family{of, 8, 2, 1, 1}.hash(text, values);
    });
  };
  for (const std::string_view text : {"", "a", "abc", "ag", "-1", "0x", " a"}) {
    EXPECT_TRUE(refused(metric::hamming, text, "2 hexadecimal digits")) << text;
  }
  for (const std::string_view text : {"", " \t\n"}) {
    EXPECT_TRUE(refused(metric::jaccard, text, "words"));
  }
  for (const std::string_view text :
       {"", "1 2 3 4 5 6 7", "1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 x", "1 2 3 4 5 6 7 nan",
        "1 2 3 4 5 6 7 inf", "1 2 3 4 5 6 7 2e15", "1 2 3 4 5 6 7 1e999", "1;2 3 4 5 6 7 8"}) {
    EXPECT_TRUE(refused(metric::euclidean, text, "8 numbers")) << text;
  }
}

}  // namespace
}  // namespace bloomery::testing
