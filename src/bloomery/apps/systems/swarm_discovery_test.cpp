#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(swarm_discovery, sends_no_known_peer_and_loses_one_in_a_hundred) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment(
        "P9", {{"exchanges", "40"}, {"peers", "60"}, {"loss", "10%"}}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_NEAR(found.figures().at(0).measured, 0.01, 0.003);
  }
}

TEST(swarm_discovery, refuses_more_than_the_filter_is_for) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "known", [] {
    testing::run_experiment("P9", {{"known", "100k"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
