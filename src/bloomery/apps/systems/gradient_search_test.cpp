#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(gradient_search, takes_a_tenth_of_the_steps_of_a_random_walk) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "P7", {{"nodes", "2000"}, {"copies", "2"}, {"questions", "100"}}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_LT(
        testing::figure_of(found, "questions answered at the first try where messages are lost")
            .measured,
        1);
  }
}

// Keys of one copy, so that scores are of one trace.
TEST(gradient_search, has_the_scores_that_are_predicted) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "P7", {{"nodes", "1000"}, {"copies", "1"}, {"questions", "20"}, {"bits", "8192"}}, nothing,
        seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_EQ(found.figures().at(2).what, "score of what was relayed once");
  }
}

TEST(gradient_search, refuses_one_hop) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "hops", [] {
    testing::run_experiment("P7", {{"hops", "1"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
