// An undirected graph: who is beside whom, how far, and by which way.
//
// Purpose:   what topologies are; apps/lab/topology.hpp makes them, apps/lab/gml.hpp reads them.
// Cost:      4 bytes a vertex and 8 an edge; a search in breadth looks at every edge twice.
// Guarantee: neighbours are in ascending order, each once; edges that are given twice, or lead back to
//            where they begin, are left out. Of shortest ways the one by lower numbers is taken.
//
//     const bloomery::lab::graph square(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 1}});
//     assert(square.edges() == 4 && square.degree(0) == 2);
//     assert(bloomery::lab::distances(square, 0)[2] == 2);
//     const auto tree = bloomery::lab::shortest_paths(square, 0);
//     assert((bloomery::lab::path_to(tree, 2) == std::vector<std::uint32_t>{0, 1, 2}));
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace bloomery::lab {

class graph {
 public:
  using vertex = std::uint32_t;
  using edge = std::pair<vertex, vertex>;
  // So that every vertex and every end of an edge has a number of 32 bits.
  static constexpr std::uint64_t most_vertices = std::uint64_t{1} << 24;
  static constexpr std::uint64_t most_edges = std::uint64_t{1} << 30;

  graph() = default;
  // Vertices are numbered from 0. errc::invalid for an edge to one that is not there, errc::limit for more
  // than the constants above say.
  graph(std::uint64_t vertices, std::span<const edge> edges);
  graph(std::uint64_t vertices, std::initializer_list<edge> edges)
      : graph(vertices, std::span(edges.begin(), edges.size())) {}

  [[nodiscard]] vertex size() const { return static_cast<vertex>(first_.size() - 1); }
  [[nodiscard]] std::uint64_t edges() const { return ends_.size() / 2; }
  [[nodiscard]] std::span<const vertex> neighbours(vertex v) const {
    return std::span(ends_).subspan(first_[v], first_[v + 1] - first_[v]);
  }
  [[nodiscard]] std::uint64_t degree(vertex v) const { return first_[v + 1] - first_[v]; }
  [[nodiscard]] bool has_edge(vertex a, vertex b) const;
  friend bool operator==(const graph&, const graph&) = default;

 private:
  std::vector<std::uint32_t> first_{0};  // of each vertex in ends_, and the end of the last
  std::vector<vertex> ends_;
};

inline constexpr std::uint32_t unreachable = std::numeric_limits<std::uint32_t>::max();

// The number of edges from a vertex to each; `unreachable` where there is no way.
std::vector<std::uint32_t> distances(const graph& g, graph::vertex from);

// Whether there is a way between any two; so it is without vertices.
bool connected(const graph& g);

// For each vertex the one before it on the way from `root`: the root's own is itself, and `unreachable`
// stands where there is no way.
std::vector<graph::vertex> shortest_paths(const graph& g, graph::vertex root);

// The vertices from the root of such a tree to one, both included; none where there is no way.
std::vector<graph::vertex> path_to(std::span<const graph::vertex> tree, graph::vertex to);

}  // namespace bloomery::lab
