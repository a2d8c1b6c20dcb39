#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(gnutella_search, asks_every_leaf_that_has_it_and_few_others) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment("P5",
                                                      {{"ultrapeers", "30"},
                                                       {"links", "3"},
                                                       {"leaves", "5"},
                                                       {"slots", "1024"},
                                                       {"questions", "150"},
                                                       {"loss", "5%"}},
                                                      nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_GT(found.nevers().at(0).chances, 50);  // there was something to find
    EXPECT_GT(found.nevers().at(1).chances, 20);  // and among those who stayed
    EXPECT_GT(testing::figure_of(found, "messages to nodes that had gone, a question").measured, 0);
    EXPECT_GT(found.nevers().at(2).chances, 10);
    EXPECT_GT(
        testing::figure_of(found, "times a question was put where messages are lost").measured, 1);
    EXPECT_GT(found.figures().at(0).measured, 0);
    EXPECT_LT(found.figures().at(1).measured, found.figures().at(1).rivals.at(0).value);
  }
}

TEST(gnutella_search, refuses_links_without_ends) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "two ends", [] {
    testing::run_experiment("P5", {{"ultrapeers", "9"}, {"links", "3"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
