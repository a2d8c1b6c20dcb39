#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(similar_peers, answer_more_than_others_at_the_same_cost) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "P10", {{"peers", "80"}, {"known", "30"}, {"questions", "400"}}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    const lab::figure& hits = found.figures().at(2);
    EXPECT_GT(hits.measured, 1.5 * hits.rivals.at(0).value);
    EXPECT_GT(found.figures().at(4).measured, 0.5);  // where chance alone gives an eighth
  }
}

// Whose interest nobody shares asks for nothing.
TEST(similar_peers, may_be_few) {
  const lab::result found = testing::run_experiment(
      "P10", {{"peers", "20"}, {"known", "5"}, {"links", "2"}, {"questions", "40"}});
  EXPECT_EQ(testing::figure_of(found, "peers asked a question").measured, 2);
}

TEST(similar_peers, refuse_more_links_than_peers_are_known) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "known", [] {
    testing::run_experiment("P10", {{"known", "2"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
