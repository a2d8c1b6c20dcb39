// Reads a graph in GML, as the Internet Topology Zoo writes it.
//
// Purpose:   real networks for the laboratory: vertices with labels and, where they are known, places.
// Cost:      one pass over the text.
// Guarantee: the text is hostile: what is not GML, lacks an id, names a vertex that is not there or is
//            larger than the limits is refused with the number of the line, and keys that mean nothing
//            here are skipped. Ids may be any numbers: vertices are numbered as they come. Edges are read as
//            undirected; those given twice and those from a vertex to itself are counted and left out.
// Citation:  Himsolt, GML: a portable graph file format, 1997; Knight et al., The Internet Topology
//            Zoo, 2011.
//
//     const auto net = bloomery::lab::read_gml(
//         "graph [ node [ id 7 label \"Paris\" Longitude 2.35 Latitude 48.85 ] node [ id 9 ]\n"
//         "        edge [ source 7 target 9 ] edge [ source 9 target 7 ] ]");
//     assert(net.whole.edges() == 1 && net.repeated == 1);
//     assert(net.sites[0].label == "Paris" && net.sites[0].latitude == 48.85);
//     assert(net.sites[1].label == "9" && !net.sites[1].latitude);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/lab/graph.hpp"

namespace bloomery::lab {

struct gml_limits {
  std::uint64_t vertices = std::uint64_t{1} << 20;
  std::uint64_t edges = std::uint64_t{1} << 22;
  std::uint64_t depth = 16;       // of lists in lists
  std::uint64_t label = 1 << 12;  // bytes of a label
};

struct gml_site {
  std::int64_t id = 0;
  std::string label;  // the id where there is none; the bytes as they are, entities included
  std::optional<double> latitude;   // -90 to 90
  std::optional<double> longitude;  // -180 to 180
};

struct gml_graph {
  graph whole;
  std::vector<gml_site> sites;  // by vertex
  std::uint64_t repeated = 0;   // edges beside another between the same two
  std::uint64_t loops = 0;      // edges from a vertex to itself
};

// errc::invalid for a text that is not such a graph, errc::limit for one beyond the limits.
gml_graph read_gml(std::string_view text, const gml_limits& limits = {});

}  // namespace bloomery::lab
