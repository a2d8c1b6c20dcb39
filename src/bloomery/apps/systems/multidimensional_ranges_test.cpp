#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(multidimensional_ranges, reads_every_row_inside_and_others_as_predicted) {
  for (const char* rate : {"1%", "20%"}) {
    SCOPED_TRACE(rate);
    const lab::result found = testing::run_experiment(
        "D6", {{"rows", "300"}, {"queries", "2k"}, {"fpr", rate}, {"ranges", "16"}});
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_GT(found.nevers().at(0).chances, 1000);
    const lab::figure& others = found.figures().at(2);
    EXPECT_GT(others.predicted->low, 0) << "the prediction says something";
  }
}

TEST(multidimensional_ranges, refuses_settings_that_make_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "rows", [] { run_experiment("D6", {{"rows", "1"}}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "segments", [] {
    run_experiment("D6", {{"ranges", "0"}});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { run_experiment("D6", {{"fpr", "70%"}}); }));
}

}  // namespace
}  // namespace bloomery::systems
