#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(iceberg_system, misses_nothing_and_has_few_candidates) {
  for (const char* above : {"1%", "0.1%", "0.02%"}) {
    const lab::result found =
        testing::run_experiment("D5", {{"above", above}, {"keys", "20k"}, {"length", "200k"}});
    EXPECT_TRUE(testing::as_promised(found)) << above;
    EXPECT_GT(found.nevers().at(0).chances, 0);
    EXPECT_LE(found.figures().at(0).measured, found.figures().at(0).rivals.at(0).value);
  }
}

TEST(iceberg_system, refuses_what_is_no_share) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "share", [] {
    testing::run_experiment("D5", {{"above", "0"}, {"keys", "10"}, {"length", "100"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
