#include "bloomery/apps/lab/gml.hpp"

#include <gtest/gtest.h>

#include <string>

#include "testing.hpp"

namespace bloomery::lab {
namespace {

using testing::throws_error;

// Written as the files of the Topology Zoo are: ids with gaps, a label twice, one place unknown, an
// edge given twice and one that leads back.
constexpr std::string_view small_zoo = R"(Creator "Topology Zoo Toolset"
graph [
  DateObtained "22/10/10"
  directed 0
  multigraph 1
  GeoExtent "Country+"   # a comment ]
  stringtable [ a [ b 1 ] c 2.5e-3 ]
  node [
    id 0
    label "Zürich"
    Country "Switzerland"
    Longitude 8.55
    Internal 1
    Latitude 47.36667
  ]
  node [
    id 20
    label "None"
    hyperedge 1
  ]
  node [
    id -3
    label "None"
    Longitude +179.5
    Latitude -0.25
  ]
  node [
    id 7
  ]
  edge [
    source 0
    target 20
    LinkSpeedRaw 155000000.0
  ]
  edge [ source 20 target 0 LinkLabel "two
lines" ]
  edge [ source 20 target -3 ]
  edge [ source 7 target 7 ]
]
)";

TEST(gml, reads_what_the_zoo_writes) {
  const gml_graph net = read_gml(small_zoo);
  EXPECT_EQ(net.whole, graph(4, {{0, 1}, {1, 2}}));
  EXPECT_EQ(net.repeated, 1U);
  EXPECT_EQ(net.loops, 1U);
  ASSERT_EQ(net.sites.size(), 4U);
  EXPECT_EQ(net.sites[0].label, "Zürich");
  EXPECT_EQ(net.sites[0].longitude, 8.55);
  EXPECT_EQ(net.sites[0].latitude, 47.36667);
  EXPECT_EQ(net.sites[1].id, 20);
  EXPECT_FALSE(net.sites[1].latitude || net.sites[1].longitude);
  EXPECT_EQ(net.sites[2].label, "None");
  EXPECT_EQ(net.sites[2].longitude, 179.5);
  EXPECT_EQ(net.sites[3].label, "7");
}

TEST(gml, takes_edges_before_nodes_and_no_node_at_all) {
  EXPECT_EQ(read_gml("graph [ edge [ target 1 source 2 ] node [ id 1 ] node [ id 2 ] ]").whole,
            graph(2, {{0, 1}}));
  EXPECT_EQ(read_gml("graph []").whole.size(), 0U);
}

TEST(gml, refuses_other_texts_by_their_lines) {
  const auto refused = [](std::string_view text, const std::string& why) {
    return throws_error(errc::invalid, why, [&] { (void)read_gml(text); });
  };
  EXPECT_TRUE(refused("", "no graph"));
  EXPECT_TRUE(refused("graph 5", "no graph"));
  EXPECT_TRUE(refused("graph", "line 1: graph has no value"));
  EXPECT_TRUE(refused("graph [] graph []", "a second graph"));
  EXPECT_TRUE(refused("graph [\n\n", "line 3: graph of line 1 has no closing bracket"));
  EXPECT_TRUE(refused("graph [\n\"c\" 1 ]", "line 2: 'c' stands where a key should"));
  EXPECT_TRUE(refused("graph [ x \"1\n2\"\ny ]", "line 3: y has no value"));
  EXPECT_TRUE(refused("]", "stands where a key should"));
  EXPECT_TRUE(refused("graph [ ] ]", "stands where a key should"));
  EXPECT_TRUE(refused("graph [ node [ id ] ]", "id has no value"));
  EXPECT_TRUE(refused("graph [\nnode [ ]\n]", "line 2: a node without an id"));
  EXPECT_TRUE(refused("graph [ node [ id 1.5 ] ]", "id is '1.5'; allowed: a whole number"));
  EXPECT_TRUE(refused("graph [ node [ id \"1\" ] ]", "id is '1'; allowed: a whole number"));
  EXPECT_TRUE(refused("graph [ node [ id 99999999999999999999 ] ]", "id is '9999"));
  EXPECT_TRUE(refused("graph [ node [ id 1 id 2 ] ]", "a second id"));
  EXPECT_TRUE(refused("graph [ node [ id 1 ]\nnode [ id 1 ] ]", "line 2: a second node of id 1"));
  EXPECT_TRUE(refused("graph [ node [ id 1 Latitude 90.1 ] ]", "allowed: -90 to 90"));
  EXPECT_TRUE(refused("graph [ node [ id 1 Longitude -inf ] ]", "allowed: -180 to 180"));
  EXPECT_TRUE(refused("graph [ node [ id 1 Latitude [ ] ] ]", "Latitude is"));
  EXPECT_TRUE(refused("graph [ node [ id 1 label \"x ] ]", "no closing quote"));
  EXPECT_TRUE(refused("graph [ edge [ source 1 ] ]", "without source and target"));
  EXPECT_TRUE(refused("graph [ node [ id 1 ]\nedge [ source 1 target 2 ] ]",
                      "line 2: an edge to node 2, which there is not"));
  EXPECT_TRUE(refused("graph [ {", "'{' begins neither"));
  EXPECT_TRUE(refused(std::string_view("graph [ \0", 9), "'\\x00' begins neither"));
}

TEST(gml, keeps_to_its_limits) {
  std::string deep = "graph [ ";
  for (int i = 0; i < 100'000; ++i) deep += "x [ ";
  const auto limited = [](std::string_view text, const std::string& why, const gml_limits& limits) {
    return throws_error(errc::limit, why, [&] { (void)read_gml(text, limits); });
  };
  EXPECT_TRUE(limited(deep, "lists are more than 16 deep", {}));
  constexpr std::string_view two =
      "graph [ node [ id 1 label \"abc\" ] node [ id 2 ]\n"
      "edge [ source 1 target 2 ] edge [ source 1 target 2 ] ]";
  EXPECT_EQ(read_gml(two, {.vertices = 2, .edges = 2, .label = 3}).whole.edges(), 1U);
  EXPECT_TRUE(limited(two, "line 1: more than 1 nodes", {.vertices = 1}));
  EXPECT_TRUE(limited(two, "line 2: more than 1 edges", {.edges = 1}));
  EXPECT_TRUE(limited(two, "a label of 3 bytes", {.label = 2}));
}

// Whatever is cut off or changed: an answer or an error, never worse.
TEST(gml, survives_every_cut_and_change) {
  const std::string whole(small_zoo);
  const auto survives = [](const std::string& text) {
    try {
      (void)read_gml(text);
    } catch (const error& problem) {
      ASSERT_NE(std::string(problem.what()).find("GML"), std::string::npos);
    }
  };
  for (std::size_t length = 0; length < whole.size(); ++length) survives(whole.substr(0, length));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char other : {'[', ']', '"', '\n', '\0', '9', 'a', '\xff'}) {
      std::string changed = whole;
      changed[at] = other;
      survives(changed);
    }
  }
}

}  // namespace
}  // namespace bloomery::lab
