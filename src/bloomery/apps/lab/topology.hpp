// Topologies by rule or by chance.
//
// Purpose:   the graphs on which overlays and forwarders are tried out.
// Cost:      in the order of the edges they have.
// Guarantee: numbers are those written beside each. The same seed gives the same graph on every machine, but
//            for the last bit of a logarithm in `by_chance`. errc::invalid for what cannot be,
//            errc::limit for more than a graph holds.
// Citation:  Erdős, Rényi 1959 and Batagelj, Brandes 2005 (in time of the edges); Steger, Wormald 1999;
//            Barabási, Albert 1999; fat tree: Al-Fares, Loukissas, Vahdat 2008.
//
//     assert(bloomery::lab::tree(3, 2).size() == 15 && bloomery::lab::tree(3, 2).edges() == 14);
//     assert(bloomery::lab::random_regular(100, 4, 1).edges() == 200);
//     const bloomery::lab::fat_tree pods(4);
//     assert(pods.whole.size() == 36 && pods.whole.degree(pods.host(0)) == 1);
#pragma once

#include <cstdint>

#include "bloomery/apps/lab/graph.hpp"

namespace bloomery::lab {

graph line(std::uint64_t vertices);  // from one end to the other
graph ring(std::uint64_t vertices);  // round; at least 3
// The root is 0, and below each vertex, in rows, its children; depth 0 is the root alone.
graph tree(std::uint64_t depth, std::uint64_t children);
graph grid(std::uint64_t width, std::uint64_t height);  // (x, y) is x + y·width
graph complete(std::uint64_t vertices);

// Every pair has an edge with this probability.
graph by_chance(std::uint64_t vertices, double probability, std::uint64_t seed);
// Every vertex has `degree` edges; vertices · degree is even and the degree below the vertices.
graph random_regular(std::uint64_t vertices, std::uint64_t degree, std::uint64_t seed);
// Each vertex after the first links + 1, which are complete, has edges to `links` different earlier ones,
// chosen in proportion to their degrees: degrees follow a power law of exponent 3.
graph power_law(std::uint64_t vertices, std::uint64_t links, std::uint64_t seed);

// k pods of k/2 edge and k/2 aggregation switches of k ports, (k/2)² core switches, k³/4 hosts. k is even.
struct fat_tree {
  explicit fat_tree(std::uint64_t k);

  [[nodiscard]] static graph::vertex core(std::uint64_t i) { return at(i); }
  [[nodiscard]] graph::vertex aggregation(std::uint64_t pod, std::uint64_t i) const {
    return at(half * half + pod * half + i);
  }
  [[nodiscard]] graph::vertex edge(std::uint64_t pod, std::uint64_t i) const {
    return at(half * half + 2 * half * half + pod * half + i);
  }
  // Hosts pod by pod, and switch by switch.
  [[nodiscard]] graph::vertex host(std::uint64_t i) const { return at(5 * half * half + i); }
  [[nodiscard]] std::uint64_t hosts() const { return 2 * half * half * half; }

  std::uint64_t half;  // k / 2
  graph whole;

 private:
  static graph::vertex at(std::uint64_t i) { return static_cast<graph::vertex>(i); }
};

}  // namespace bloomery::lab
