#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(attenuated_search, finds_what_is_near_and_falls_back_for_the_rest) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "P6",
        {{"depth", "3"}, {"nodes", "150"}, {"questions", "200"}, {"bits", "1024"}, {"loss", "3%"}},
        nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_GT(found.figures().at(0).measured, 0);  // some were led astray
    EXPECT_GT(found.figures().at(1).measured, 0);  // some were too far
    EXPECT_LT(found.figures().at(1).measured, 200);
    EXPECT_GT(found.nevers().at(2).chances, 20);  // something was near after others had gone
    EXPECT_GT(found.nevers().at(3).chances, 20);
    EXPECT_GT(
        testing::figure_of(found, "times a question was put where messages are lost").measured, 1);
  }
}

TEST(attenuated_search, refuses_a_depth_of_one) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "depth", [] {
    testing::run_experiment("P6", {{"depth", "1"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
