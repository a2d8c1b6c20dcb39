#include "bloomery/math/laws/map_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(map_values, take_the_bits_they_take) {
  EXPECT_EQ(value_bits(1), 0U);
  EXPECT_EQ(value_bits(2), 1U);
  EXPECT_EQ(value_bits(256), 8U);
  EXPECT_EQ(value_bits(257), 9U);
  EXPECT_EQ(value_bits(values_up_to(max_map_values)), 64U);
  EXPECT_EQ(value_bits(values_up_to(max_map_values / 2)), 63U);
  EXPECT_EQ(values_of_bits(63), std::uint64_t{1} << 63);
  EXPECT_EQ(values_of_bits(64), max_map_values);
  EXPECT_EQ(least_map_bits(256, 1.0 / 1024), 18);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "values is 0", [] { (void)value_bits(0); }));
}

// The graph of the theorem's proof for tiny universes: its chromatic number, by trying all colourings, is
// the fewest tables there can be.
TEST(map_values, tables_without_chance_are_as_many_as_colours) {
  for (const auto& [universe, n] : {std::pair{2U, 1U}, {3U, 1U}, {4U, 1U}, {4U, 2U}}) {
    std::vector<std::vector<int>> nodes;
    const auto all = static_cast<unsigned>(std::lround(std::pow(3, universe)));
    for (unsigned number = 0; number < all; ++number) {
      std::vector<int> signs;
      for (unsigned rest = number; signs.size() < universe; rest /= 3) {
        signs.push_back(static_cast<int>(rest % 3) - 1);
      }
      if (std::ranges::count(signs, 1) == n && std::ranges::count(signs, -1) == n) {
        nodes.push_back(signs);
      }
    }
    const auto adjacent = [](const auto& x, const auto& y) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] * y[i] == -1) return true;
      }
      return false;
    };
    std::vector<unsigned> colours;
    const std::function<bool(unsigned)> coloured = [&](unsigned most) {
      if (colours.size() == nodes.size()) return true;
      const std::size_t next = colours.size();
      const unsigned used = colours.empty() ? 0 : *std::ranges::max_element(colours) + 1;
      for (unsigned c = 0; c < std::min(most, used + 1); ++c) {
        bool free = true;
        for (std::size_t i = 0; i < next; ++i) {
          free = free && (colours[i] != c || !adjacent(nodes[i], nodes[next]));
        }
        if (!free) continue;
        colours.push_back(c);
        if (coloured(most)) return true;
        colours.pop_back();
      }
      return false;
    };
    unsigned tables = 1;
    while (!coloured(tables)) ++tables;
    EXPECT_LE(deterministic_map_bits(n, universe), std::log2(tables)) << universe << ' ' << n;
    EXPECT_GE(tables, 2U) << "two values are told apart";
  }
  EXPECT_NEAR(deterministic_map_bits(1000, std::exp2(128)), 1005, 1e-9);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "the universe has 3",
                                    [] { (void)deterministic_map_bits(2, 3); }));
}

}  // namespace
}  // namespace bloomery::math
