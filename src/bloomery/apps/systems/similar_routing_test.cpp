#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(similar_routing, answers_more_than_a_random_walk) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found =
        testing::run_experiment("N9", {{"peers", "150"}, {"questions", "200"}}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    const lab::figure& hits = found.figures().at(0);
    EXPECT_GT(hits.measured, 1.2 * hits.rivals.at(0).value);
    const auto& later = testing::figure_of(found, "questions answered after peers had gone");
    EXPECT_GT(later.measured, 1.1 * later.rivals.at(0).value);
    EXPECT_EQ(found.curves().at(0).points.size(), 5);  // 1, 2, 4, 8 and 16 steps
  }
}

TEST(similar_routing, refuses_no_steps) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "steps", [] {
    testing::run_experiment("N9", {{"steps", "0"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
