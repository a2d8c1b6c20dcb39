#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(filters_or_table, find_every_object_at_the_predicted_cost) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "N8", {{"nodes", "32"}, {"questions", "500"}, {"loss", "5%"}}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_GT(found.figures().at(0).measured, 0);
    EXPECT_EQ(found.curves().size(), 4);
    EXPECT_EQ(found.curves().at(0).points.size(), 3);  // 8, 16 and 32 nodes
    // Fewer messages a look-up than the table's, for more state.
    const auto& messages = testing::figure_of(found, "messages a look-up");
    EXPECT_LT(messages.measured, messages.rivals.at(0).value);
    const auto& state = testing::figure_of(found, "bytes that a node keeps");
    EXPECT_GT(state.measured, state.rivals.at(0).value);
    // What is lost, and who has gone, costs the table more.
    const auto& first =
        testing::figure_of(found, "look-ups answered at the first try where messages are lost");
    EXPECT_LT(first.measured, 1);
    EXPECT_LT(first.rivals.at(0).value, first.measured);
    const auto& later = testing::figure_of(found, "look-ups answered after nodes had gone");
    EXPECT_EQ(later.measured, 1);
    EXPECT_LT(later.rivals.at(0).value, 1);
    EXPECT_GT(found.nevers().at(3).chances, 300);
  }
}

// Where filters claim much, they are soon the worse choice.
TEST(filters_or_table, tell_where_they_cross) {
  testing::paper_host nothing;
  const lab::result found = testing::run_experiment(
      "N8", {{"nodes", "64"}, {"rate", "30%"}, {"questions", "500"}}, nothing);
  EXPECT_TRUE(testing::as_promised(found));
  const lab::figure& crossing = found.figures().at(3);
  EXPECT_EQ(crossing.measured, 16);
  for (std::size_t i = 0; i < 4; ++i) {  // at 8, 16, 32 and 64 nodes
    EXPECT_EQ(found.curves().at(0).points.at(i).second > found.curves().at(1).points.at(i).second,
              i > 0);
  }
}

TEST(filters_or_table, refuse_a_ring_of_odd_size) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "powers of two", [] {
    testing::run_experiment("N8", {{"nodes", "100"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
