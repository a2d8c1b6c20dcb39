#include "bloomery/apps/lab/topology.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bloomery/apps/random.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::lab {
namespace {

using edge_list = std::vector<graph::edge>;
constexpr std::uint64_t most_links = 1000;  // of a new vertex of power_law, which looks for each

void add_edge(edge_list& edges, std::uint64_t a, std::uint64_t b) {
  edges.emplace_back(static_cast<graph::vertex>(a), static_cast<graph::vertex>(b));
}

void require_vertices(std::uint64_t vertices, std::uint64_t least) {
  math::require_whole("vertices", vertices, least, graph::most_vertices);
}

void require_edges(core::uint128 edges) {
  if (edges <= graph::most_edges) return;
  fail(errc::limit, "the graph would have more than " + format_count(graph::most_edges) + " edges");
}

// Whether two of these numbers could still be joined.
bool can_go_on(const std::vector<graph::vertex>& loose, const std::set<std::uint64_t>& joined) {
  for (std::size_t i = 0; i < loose.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto [low, high] = std::minmax(loose[i], loose[j]);
      if (low != high && !joined.contains(std::uint64_t{low} << 32 | high)) return true;
    }
  }
  return loose.empty();
}

// Steger and Wormald's pairing: loose ends are joined at random, those that cannot be are tried again
// with the others that are left. Empty if the rest cannot be joined at all.
edge_list try_pairing(std::uint64_t vertices, std::uint64_t degree, random_stream& random) {
  edge_list edges;
  std::set<std::uint64_t> joined;
  std::vector<graph::vertex> loose;
  for (std::uint64_t v = 0; v < vertices; ++v) {
    loose.insert(loose.end(), degree, static_cast<graph::vertex>(v));
  }
  while (!loose.empty()) {
    for (std::size_t i = loose.size() - 1; i > 0; --i) {
      std::swap(loose[i], loose[random.below(i + 1)]);
    }
    std::vector<graph::vertex> left;
    for (std::size_t i = 0; i < loose.size(); i += 2) {
      const auto [low, high] = std::minmax(loose[i], loose[i + 1]);
      if (low != high && joined.insert(std::uint64_t{low} << 32 | high).second) {
        edges.emplace_back(low, high);
      } else {
        left.insert(left.end(), {low, high});
      }
    }
    // Only a few are left when nothing fits: looking at all pairs is cheap.
    if (left.size() == loose.size() && !can_go_on(left, joined)) return {};
    loose = std::move(left);
  }
  return edges;
}

}  // namespace

graph line(std::uint64_t vertices) {
  require_vertices(vertices, 1);
  edge_list edges;
  for (std::uint64_t v = 1; v < vertices; ++v) add_edge(edges, v - 1, v);
  return {vertices, edges};
}

graph ring(std::uint64_t vertices) {
  require_vertices(vertices, 3);
  edge_list edges;
  for (std::uint64_t v = 0; v < vertices; ++v) add_edge(edges, v, (v + 1) % vertices);
  return {vertices, edges};
}

graph tree(std::uint64_t depth, std::uint64_t children) {
  math::require_whole("children", children, 1, graph::most_vertices);
  math::require_whole("depth", depth, 0, graph::most_vertices - 1);
  std::uint64_t row = 1;
  std::uint64_t vertices = 1;
  for (std::uint64_t level = 0; level < depth; ++level) {
    row *= children;  // below 2^48, since the row before was allowed
    vertices += row;
    require_vertices(vertices, 1);
  }
  edge_list edges;
  for (std::uint64_t v = 1; v < vertices; ++v) add_edge(edges, (v - 1) / children, v);
  return {vertices, edges};
}

graph grid(std::uint64_t width, std::uint64_t height) {
  math::require_whole("width", width, 1, graph::most_vertices);
  math::require_whole("height", height, 1, graph::most_vertices / width);
  edge_list edges;
  for (std::uint64_t v = 0; v < width * height; ++v) {
    if ((v + 1) % width != 0) add_edge(edges, v, v + 1);
    if (v + width < width * height) add_edge(edges, v, v + width);
  }
  return {width * height, edges};
}

graph complete(std::uint64_t vertices) {
  require_vertices(vertices, 1);
  require_edges(vertices * (vertices - 1) / 2);
  edge_list edges;
  for (std::uint64_t a = 0; a < vertices; ++a) {
    for (std::uint64_t b = a + 1; b < vertices; ++b) add_edge(edges, a, b);
  }
  return {vertices, edges};
}

// Pairs without an edge are skipped: as many as whole times 1/λ fit into an exponential number, where
// λ = -ln(1 - p), is a number of the geometric law.
graph by_chance(std::uint64_t vertices, double probability, std::uint64_t seed) {
  require_vertices(vertices, 1);
  if (probability == 1) return complete(vertices);
  if (probability == 0) return {vertices, {}};
  math::require_share("probability", probability);
  const double decay = -std::log1p(-probability);
  random_stream random(seed);
  edge_list edges;
  std::uint64_t a = 1;
  std::uint64_t b = 0;  // the next pair, b below a
  while (a < vertices) {
    const random_stream::gap gap = random.exponential();
    const double skipped = (math::real(gap.whole) + math::real(gap.fraction) * 0x1p-64) / decay;
    // Beyond all pairs there are, whatever it is exactly.
    b += static_cast<std::uint64_t>(std::min(skipped, 0x1p60));
    while (a < vertices && b >= a) b -= a++;
    if (a == vertices) break;
    add_edge(edges, b, a);
    require_edges(edges.size());
    if (++b == a) {
      b = 0;
      ++a;
    }
  }
  return {vertices, edges};
}

graph random_regular(std::uint64_t vertices, std::uint64_t degree, std::uint64_t seed) {
  require_vertices(vertices, 1);
  math::require_whole("degree", degree, 0, vertices - 1);
  require_edges(vertices * degree / 2);
  if (vertices * degree % 2 != 0) {
    fail(errc::invalid, std::to_string(vertices) + " vertices of degree " + std::to_string(degree) +
                            " have an odd number of ends; allowed: an even one");
  }
  // Dense ones are what sparse ones leave out, which pairing finds fast.
  const std::uint64_t rest = vertices - 1 - degree;
  const std::uint64_t drawn = std::min(degree, rest);
  random_stream random(seed);
  edge_list edges;
  while (edges.empty() && drawn > 0) edges = try_pairing(vertices, drawn, random);
  graph sparse(vertices, edges);
  if (drawn == degree) return sparse;
  edges.clear();
  for (graph::vertex a = 0; a < vertices; ++a) {
    for (graph::vertex b = a + 1; b < vertices; ++b) {
      if (!sparse.has_edge(a, b)) edges.emplace_back(a, b);
    }
  }
  return {vertices, edges};
}

graph power_law(std::uint64_t vertices, std::uint64_t links, std::uint64_t seed) {
  require_vertices(vertices, 2);
  math::require_whole("links", links, 1, std::min<std::uint64_t>(vertices - 1, most_links));
  require_edges(core::uint128{vertices} * links);
  random_stream random(seed);
  edge_list edges;
  for (std::uint64_t a = 0; a <= links; ++a) {
    for (std::uint64_t b = 0; b < a; ++b) add_edge(edges, b, a);
  }
  std::vector<graph::vertex> chosen;
  for (std::uint64_t v = links + 1; v < vertices; ++v) {
    // A random end of a random edge is a vertex in proportion to its degree.
    const std::uint64_t ends = 2 * edges.size();
    chosen.clear();
    while (chosen.size() < links) {
      const std::uint64_t end = random.below(ends);
      const graph::edge& of = edges[end / 2];
      const graph::vertex to = end % 2 == 0 ? of.first : of.second;
      if (std::ranges::find(chosen, to) == chosen.end()) chosen.push_back(to);
    }
    for (const graph::vertex to : chosen) add_edge(edges, to, v);
  }
  return {vertices, edges};
}

fat_tree::fat_tree(std::uint64_t k) : half(k / 2) {
  math::require_whole("k", k, 2, 256);
  if (k % 2 != 0) fail(errc::invalid, "k is " + std::to_string(k) + "; allowed: an even number");
  edge_list edges;
  for (std::uint64_t pod = 0; pod < k; ++pod) {
    for (std::uint64_t i = 0; i < half; ++i) {
      for (std::uint64_t j = 0; j < half; ++j) {
        edges.emplace_back(core(i * half + j), aggregation(pod, i));
        edges.emplace_back(aggregation(pod, i), edge(pod, j));
        edges.emplace_back(edge(pod, i), host((pod * half + i) * half + j));
      }
    }
  }
  whole = graph(5 * half * half + hosts(), edges);
}

}  // namespace bloomery::lab
