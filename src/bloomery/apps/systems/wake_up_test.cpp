#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(wake_up, wakes_who_is_meant_and_others_at_the_exact_rate) {
  const lab::result found = testing::run_experiment("O1", {{"frames", "200"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_EQ(found.nevers().at(0).chances, 2000);
}

// Where the textbook's formula is wrong by a tenth, the exact rate is right and the formula is not.
TEST(wake_up, tells_the_exact_rate_from_the_classic_one) {
  const lab::result found = testing::run_experiment(
      "O1", {{"bits", "32"}, {"meant", "4"}, {"hashes", "6"}, {"frames", "4000"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_GT(found.figures().at(0).predicted->low, math::classic_rate(32, 4, 6));
}

TEST(wake_up, refuses_settings_that_make_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "meant", [] {
    run_experiment("O1", {{"meant", "1k"}});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "bits", [] { run_experiment("O1", {{"bits", "0"}}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "frames", [] {
    run_experiment("O1", {{"frames", "x"}});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "no setting", [] {
    run_experiment("O1", {{"x", "1"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
