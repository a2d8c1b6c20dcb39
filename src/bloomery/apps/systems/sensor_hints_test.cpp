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
  }
}

TEST(sensor_hints, refuse_no_scope) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "scope", [] {
    testing::run_experiment("N4", {{"scope", "0"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
