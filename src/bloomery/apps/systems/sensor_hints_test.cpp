#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(sensor_hints, always_find_what_is_within_the_scope) {
  testing::paper_host nothing;
  for (const char* scope : {"1", "3"}) {
    const lab::result found = testing::run_experiment(
        "N4", {{"width", "12"}, {"scope", scope}, {"questions", "200"}}, nothing, 2);
    EXPECT_TRUE(testing::as_promised(found)) << scope;
    const lab::figure& beyond = found.figures().at(3);
    EXPECT_LT(beyond.measured, beyond.rivals.at(1).value);  // than a random walk
    EXPECT_LT(
        testing::figure_of(found, "questions answered at the first try where messages are lost")
            .measured,
        0.95);
  }
}

TEST(sensor_hints, refuse_no_scope) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "scope", [] {
    testing::run_experiment("N4", {{"scope", "0"}});
  }));
}

TEST(sensor_hints, refuse_what_no_right_answer_follows_from) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "loss is 30 %; allowed: up to 20 %", [] {
    testing::run_experiment("N4", {{"loss", "30%"}});
  }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "scope is 8; allowed: 1 to 7", [] {
    testing::run_experiment("N4", {{"scope", "8"}, {"width", "8"}});
  }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "rate is 60 %; allowed", [] {
    testing::run_experiment("R1", {{"rate", "60%"}});
  }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "1000 tries of 60 messages", [] {
    testing::run_experiment("N4", {{"scope", "15"}, {"loss", "10%"}});
  }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "leaving is 60 %; allowed: 0 % to 50 %", [] {
    testing::run_experiment("N4", {{"leaving", "60%"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
