#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(leaders, find_every_holder_with_few_filters) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "P2", {{"nodes", "90"}, {"group", "10"}, {"questions", "400"}, {"loss", "3%"}}, nothing,
        seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_EQ(found.figures().at(1).measured, 19);
    EXPECT_GT(found.figures().at(4).measured, 0);  // members had left, and were asked
    EXPECT_GT(found.figures().at(6).measured, 1);  // something was lost, and asked for again
  }
}

TEST(leaders, refuse_groups_that_do_not_fit) {
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "multiple", [] {
    testing::run_experiment("P2", {{"nodes", "401"}});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "group", [] {
    testing::run_experiment("P2", {{"group", "1"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
