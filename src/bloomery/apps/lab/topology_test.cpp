#include "bloomery/apps/lab/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "testing.hpp"

namespace bloomery::lab {
namespace {

using testing::plausible_count;
using testing::plausible_counts;
using testing::throws_error;

// How many vertices have each degree.
std::map<std::uint64_t, std::uint64_t> degrees(const graph& g) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (graph::vertex v = 0; v < g.size(); ++v) ++counts[g.degree(v)];
  return counts;
}
using degree_counts = std::map<std::uint64_t, std::uint64_t>;

TEST(topology, by_rule_has_the_known_edges) {
  EXPECT_EQ(line(1).edges(), 0U);
  EXPECT_EQ(degrees(line(10)), (degree_counts{{1, 2}, {2, 8}}));
  EXPECT_EQ(degrees(ring(10)), (degree_counts{{2, 10}}));
  EXPECT_EQ(degrees(complete(10)), (degree_counts{{9, 10}}));
  EXPECT_EQ(degrees(grid(4, 5)), (degree_counts{{2, 4}, {3, 10}, {4, 6}}));
  EXPECT_EQ(degrees(grid(1, 5)), degrees(line(5)));
  EXPECT_EQ(degrees(tree(3, 4)), (degree_counts{{1, 64}, {4, 1}, {5, 20}}));
  EXPECT_EQ(tree(0, 7).size(), 1U);
  EXPECT_EQ(tree(9, 1), line(10));
  for (const graph& g : {line(10), ring(10), complete(10), grid(4, 5), tree(3, 4)}) {
    EXPECT_TRUE(connected(g));
  }
  EXPECT_EQ(distances(grid(4, 5), 0).back(), 7U);
  EXPECT_EQ(distances(ring(10), 0)[5], 5U);
  EXPECT_EQ(distances(tree(3, 4), 0).back(), 3U);
}

// Al-Fares et al.: switches have k ports, all used, and hosts of different pods are 6 links apart.
TEST(topology, fat_trees_are_as_published) {
  const fat_tree pods(4);
  EXPECT_EQ(pods.hosts(), 16U);
  EXPECT_EQ(degrees(pods.whole), (degree_counts{{1, 16}, {4, 20}}));
  EXPECT_TRUE(connected(pods.whole));
  const auto hops = distances(pods.whole, pods.host(0));
  EXPECT_EQ(hops[pods.edge(0, 0)], 1U);
  EXPECT_EQ(hops[pods.host(1)], 2U);  // the same switch
  EXPECT_EQ(hops[pods.host(2)], 4U);  // the same pod
  for (std::uint64_t i = 4; i < 16; ++i) EXPECT_EQ(hops[pods.host(i)], 6U);
  EXPECT_EQ(hops[pods.aggregation(0, 1)], 2U);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(hops[pods.core(i)], 3U);
  EXPECT_EQ(fat_tree(8).whole.edges(), 3U * 128);
  EXPECT_TRUE(throws_error(errc::invalid, "k is 5; allowed: an even", [] { fat_tree(5); }));
}

TEST(topology, by_chance_has_each_pair_with_its_probability) {
  constexpr std::uint64_t graphs = 4000;
  constexpr std::uint64_t n = 12;
  std::array<std::uint64_t, n * n> present{};
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    const graph g = by_chance(n, 0.15, seed);
    for (graph::vertex a = 0; a < n; ++a) {
      for (const graph::vertex b : g.neighbours(a)) ++present.at(a * n + b);
    }
  }
  for (std::uint64_t a = 0; a < n; ++a) {
    for (std::uint64_t b = 0; b < n; ++b) {
      EXPECT_TRUE(plausible_count(present.at(a * n + b), graphs, a == b ? 0 : 0.15)) << a << b;
    }
  }
  EXPECT_TRUE(plausible_count(by_chance(10'000, 0.001, 1).edges(), 49'995'000, 0.001));
  EXPECT_EQ(by_chance(50, 0, 1).edges(), 0U);
  EXPECT_EQ(by_chance(50, 1, 1), complete(50));
  EXPECT_EQ(by_chance(100, 0.1, 3), by_chance(100, 0.1, 3));
  EXPECT_NE(by_chance(100, 0.1, 3), by_chance(100, 0.1, 4));
}

TEST(topology, random_regular_graphs_are_regular) {
  for (const auto& [n, d] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {1, 0}, {2, 1}, {10, 3}, {10, 8}, {10, 9}, {1000, 3}, {1001, 8}, {200, 100}}) {
    SCOPED_TRACE(::testing::Message() << n << " of degree " << d);
    EXPECT_EQ(degrees(random_regular(n, d, 7)), (degree_counts{{d, n}}));
    EXPECT_EQ(random_regular(n, d, 7), random_regular(n, d, 7));
  }
  EXPECT_NE(random_regular(100, 3, 1), random_regular(100, 3, 2));
}

// Of degree 2, five vertices make one of twelve rings.
TEST(topology, random_regular_graphs_are_all_as_likely) {
  std::map<std::vector<graph::vertex>, std::uint64_t> found;
  for (std::uint64_t seed = 0; seed < 24'000; ++seed) {
    const graph g = random_regular(5, 2, seed);
    std::vector<graph::vertex> ends;
    for (graph::vertex v = 0; v < 5; ++v) {
      ends.insert(ends.end(), g.neighbours(v).begin(), g.neighbours(v).end());
    }
    ++found[ends];
  }
  std::vector<std::uint64_t> counts;
  for (const auto& [ends, count] : found) counts.push_back(count);
  ASSERT_EQ(counts.size(), 12U);
  EXPECT_TRUE(testing::plausibly_uniform(counts));
}

TEST(topology, power_law_has_the_known_edges) {
  for (const std::uint64_t links : {1U, 2U, 5U}) {
    SCOPED_TRACE(links);
    const graph g = power_law(2000, links, 3);
    EXPECT_EQ(g.edges(), links * (links + 1) / 2 + (2000 - links - 1) * links);
    EXPECT_TRUE(connected(g));
    EXPECT_EQ(degrees(g).begin()->first, links);
    EXPECT_EQ(power_law(2000, links, 3), g);
    EXPECT_NE(power_law(2000, links, 4), g);
  }
}

// The third vertex takes either of the first two, whose degrees are 1; the fourth takes the one of degree
// 2 half the time, and each of the two others a quarter.
TEST(topology, power_law_prefers_in_proportion_to_degrees) {
  std::array<std::uint64_t, 2> third{};
  std::array<std::uint64_t, 3> fourth{};
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const graph g = power_law(4, 1, seed);
    const graph::vertex centre = g.has_edge(2, 0) ? 0 : 1;
    ++third.at(centre);
    const graph::vertex chosen = g.neighbours(3)[0];
    ++fourth.at(chosen == centre ? 0 : chosen == 2 ? 1 : 2);
  }
  EXPECT_TRUE(testing::plausibly_uniform(third));
  EXPECT_TRUE(plausible_counts(fourth, std::array{0.5, 0.25, 0.25}));
}

TEST(topology, refuses_what_cannot_be) {
  EXPECT_TRUE(throws_error(errc::invalid, "vertices is 0", [] { (void)line(0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "vertices is 2", [] { (void)ring(2); }));
  EXPECT_TRUE(throws_error(errc::invalid, "children is 0", [] { (void)tree(1, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "vertices is", [] { (void)tree(60, 2); }));
  EXPECT_TRUE(throws_error(errc::invalid, "height is", [] { (void)grid(1 << 20, 1 << 20); }));
  EXPECT_TRUE(throws_error(errc::limit, "edges", [] { (void)complete(1 << 20); }));
  EXPECT_TRUE(throws_error(errc::invalid, "probability", [] { (void)by_chance(9, 1.1, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "degree is 5", [] { (void)random_regular(5, 5, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "odd", [] { (void)random_regular(5, 3, 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "links is 5", [] { (void)power_law(5, 5, 1); }));
}

}  // namespace
}  // namespace bloomery::lab
