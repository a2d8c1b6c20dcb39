#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(resource_tree, finds_what_is_there_and_wastes_what_is_predicted) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "R1", {{"depth", "3"}, {"children", "4"}, {"questions", "400"}, {"loss", "3%"}}, nothing,
        seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_GT(found.figures().at(1).measured, 0);
    EXPECT_GT(found.figures().at(3).measured, 1);  // something was lost, and asked for again
    const auto later = [&](const char* what) {
      return testing::figure_of(found, std::string(what) + ", after others had gone").measured;
    };
    EXPECT_GT(later("nodes asked in vain for one that is not"), 0);
    EXPECT_LT(later("nodes asked in vain for one that is not"), found.figures().at(1).measured);
  }
}

TEST(resource_tree, refuses_trees_that_are_none) {
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "children", [] {
    testing::run_experiment("R1", {{"children", "1"}});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "10000 leaves", [] {
    testing::run_experiment("R1", {{"children", "64"}, {"depth", "12"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
