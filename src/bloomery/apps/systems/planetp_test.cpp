#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(planetp, finds_every_peer_that_has_all_words) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "P1", {{"nodes", "40"}, {"words", "100"}, {"questions", "300"}}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_GT(found.nevers().at(0).chances, 100);  // there was something to find
    EXPECT_GT(found.figures().at(0).measured, 0);
    EXPECT_LT(found.figures().at(1).measured, 20);  // of 39
  }
}

TEST(planetp, refuses_too_few_peers) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "nodes", [] {
    testing::run_experiment("P1", {{"nodes", "1"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
