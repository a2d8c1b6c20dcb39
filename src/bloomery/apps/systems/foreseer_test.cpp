#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(foreseer, answers_nearly_all_with_fewer_messages_than_a_flood) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "P8", {{"peers", "120"}, {"questions", "400"}, {"rate", "5%"}, {"loss", "3%"}}, nothing,
        seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_GT(found.figures().at(2).measured, 0);
    // Friends are what makes it short.
    EXPECT_LT(found.figures().at(1).measured, found.figures().at(1).rivals.at(1).value);
    EXPECT_LT(
        testing::figure_of(found, "questions answered at the first try where messages are lost")
            .measured,
        0.98);
    EXPECT_GT(testing::figure_of(found, "false claims of an asker's filters after peers had gone")
                  .measured,
              0);
  }
}

TEST(foreseer, refuses_peers_without_neighbours) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "neighbours", [] {
    testing::run_experiment("P8", {{"neighbours", "0"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
