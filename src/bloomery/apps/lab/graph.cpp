#include "bloomery/apps/lab/graph.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "bloomery/core/error.hpp"

namespace bloomery::lab {
namespace {

void require_at_most(std::uint64_t count, std::uint64_t most, const char* of) {
  if (count <= most) return;
  fail(errc::limit,
       "a graph of " + std::to_string(count) + of + "; allowed: at most " + std::to_string(most));
}

// Calls arrive(vertex, the one before it) once for each that can be reached, the nearest first.
template <class Arrive>
void search_in_breadth(const graph& g, graph::vertex root, Arrive arrive) {
  std::vector<bool> seen(g.size());
  std::vector<graph::vertex> reached{root};
  seen.at(root) = true;
  arrive(root, root);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const graph::vertex next : g.neighbours(reached[i])) {
      if (seen[next]) continue;
      seen[next] = true;
      arrive(next, reached[i]);
      reached.push_back(next);
    }
  }
}

void require_vertex(const graph& g, graph::vertex v) {
  if (v < g.size()) return;
  fail(errc::invalid, "vertex " + std::to_string(v) + " is not in a graph of " +
                          std::to_string(g.size()) + " vertices");
}

}  // namespace

graph::graph(std::uint64_t vertices, std::span<const edge> edges) {
  require_at_most(vertices, most_vertices, " vertices");
  require_at_most(edges.size(), most_edges, " edges");
  std::vector<std::uint32_t> place(vertices + 1);
  for (const auto& [a, b] : edges) {
    if (a >= vertices || b >= vertices) {
      fail(errc::invalid, "an edge from " + std::to_string(a) + " to " + std::to_string(b) +
                              " in a graph of " + std::to_string(vertices) + " vertices");
    }
    if (a == b) continue;
    ++place[a + 1];
    ++place[b + 1];
  }
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint32_t> next(place.begin(), place.end() - 1);
  std::vector<vertex> all(place.back());
  for (const auto& [a, b] : edges) {
    if (a == b) continue;
    all[next[a]++] = b;
    all[next[b]++] = a;
  }
  first_.reserve(vertices + 1);
  ends_.reserve(all.size());
  for (std::uint64_t v = 0; v < vertices; ++v) {
    const auto begin = all.begin() + place[v];
    const auto end = all.begin() + place[v + 1];
    std::sort(begin, end);
    ends_.insert(ends_.end(), begin, std::unique(begin, end));
    first_.push_back(static_cast<std::uint32_t>(ends_.size()));
  }
}

bool graph::has_edge(vertex a, vertex b) const {
  return std::ranges::binary_search(neighbours(a), b);
}

std::vector<std::uint32_t> distances(const graph& g, graph::vertex from) {
  require_vertex(g, from);
  std::vector<std::uint32_t> result(g.size(), unreachable);
  search_in_breadth(g, from, [&](graph::vertex v, graph::vertex before) {
    result[v] = v == from ? 0 : result[before] + 1;
  });
  return result;
}

bool connected(const graph& g) {
  if (g.size() == 0) return true;
  std::uint64_t reached = 0;
  search_in_breadth(g, 0, [&](graph::vertex, graph::vertex) { ++reached; });
  return reached == g.size();
}

std::vector<graph::vertex> shortest_paths(const graph& g, graph::vertex root) {
  require_vertex(g, root);
  std::vector<graph::vertex> tree(g.size(), unreachable);
  search_in_breadth(g, root, [&](graph::vertex v, graph::vertex before) { tree[v] = before; });
  return tree;
}

std::vector<graph::vertex> path_to(std::span<const graph::vertex> tree, graph::vertex to) {
  std::vector<graph::vertex> path;
  if (to >= tree.size() || tree[to] == unreachable) return path;
  for (path.push_back(to); tree[to] != to; path.push_back(to)) to = tree[to];
  std::ranges::reverse(path);
  return path;
}

}  // namespace bloomery::lab
