#include "bloomery/apps/lab/graph.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bloomery/apps/random.hpp"
#include "testing.hpp"

namespace bloomery::lab {
namespace {

using testing::throws_error;
using vertices = std::vector<graph::vertex>;

TEST(graph, keeps_each_edge_once_and_in_order) {
  const graph g(5, {{3, 1}, {1, 3}, {0, 3}, {2, 2}, {3, 1}, {3, 2}});
  EXPECT_EQ(g.size(), 5U);
  EXPECT_EQ(g.edges(), 3U);
  EXPECT_EQ(vertices(g.neighbours(3).begin(), g.neighbours(3).end()), (vertices{0, 1, 2}));
  EXPECT_EQ(g.degree(2), 1U);
  EXPECT_EQ(g.degree(4), 0U);
  EXPECT_TRUE(g.has_edge(1, 3) && g.has_edge(3, 1) && !g.has_edge(1, 2) && !g.has_edge(2, 2));
}

TEST(graph, may_be_empty) {
  EXPECT_EQ(graph().size(), 0U);
  EXPECT_EQ(graph(), graph(0, {}));
  EXPECT_TRUE(connected(graph()));
  EXPECT_TRUE(connected(graph(1, {})));
  EXPECT_FALSE(connected(graph(2, {})));
}

TEST(graph, refuses_what_is_not_there_or_too_much) {
  EXPECT_TRUE(throws_error(errc::invalid, "from 0 to 2", [] { graph(2, {{0, 2}}); }));
  EXPECT_TRUE(
      throws_error(errc::limit, "16777217 vertices", [] { graph(graph::most_vertices + 1, {}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "vertex 2", [] { (void)distances(graph(2, {}), 2); }));
  EXPECT_TRUE(
      throws_error(errc::invalid, "vertex 2", [] { (void)shortest_paths(graph(2, {}), 2); }));
}

TEST(graph, tells_where_there_is_no_way) {
  const graph g(4, {{0, 1}, {2, 3}});
  EXPECT_EQ(distances(g, 1), (vertices{1, 0, unreachable, unreachable}));
  EXPECT_EQ(shortest_paths(g, 1), (vertices{1, 1, unreachable, unreachable}));
  EXPECT_EQ(path_to(shortest_paths(g, 1), 0), (vertices{1, 0}));
  EXPECT_EQ(path_to(shortest_paths(g, 1), 1), (vertices{1}));
  EXPECT_TRUE(path_to(shortest_paths(g, 1), 2).empty());
  EXPECT_TRUE(path_to(shortest_paths(g, 1), 9).empty());
}

// The outside witness: Floyd and Warshall's distances between all, on graphs that fall apart and on
// others.
TEST(graph, distances_and_paths_are_shortest) {
  constexpr std::uint32_t n = 40;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    random_stream random(seed);
    std::vector<graph::edge> edges;
    for (std::uint64_t i = 0; i < n * (seed + 5) / 10; ++i) {
      edges.emplace_back(random.below(n), random.below(n));
    }
    const graph g(n, edges);
    constexpr std::uint32_t far = 1000;
    std::vector<vertices> all(n, vertices(n, far));
    for (std::uint32_t v = 0; v < n; ++v) all[v][v] = 0;
    for (const auto& [a, b] : edges) {
      if (a != b) all[a][b] = all[b][a] = 1;
    }
    for (std::uint32_t via = 0; via < n; ++via) {
      for (std::uint32_t a = 0; a < n; ++a) {
        for (std::uint32_t b = 0; b < n; ++b) {
          all[a][b] = std::min(all[a][b], all[a][via] + all[via][b]);
        }
      }
    }
    bool whole = true;
    for (std::uint32_t a = 0; a < n; ++a) {
      const auto hops = distances(g, a);
      const auto tree = shortest_paths(g, a);
      for (std::uint32_t b = 0; b < n; ++b) {
        whole = whole && all[a][b] < far;
        ASSERT_EQ(hops[b], all[a][b] < far ? all[a][b] : unreachable);
        const auto path = path_to(tree, b);
        ASSERT_EQ(path.size(), all[a][b] < far ? all[a][b] + 1 : 0);
        for (std::size_t i = 1; i < path.size(); ++i) {
          ASSERT_TRUE(g.has_edge(path[i - 1], path[i]));
        }
      }
    }
    EXPECT_EQ(connected(g), whole);
  }
}

}  // namespace
}  // namespace bloomery::lab
