#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(chains, identify_every_tag) {
  const lab::result found = testing::run_experiment(
      "O3", {{"tags", "400"}, {"steps", "16"}, {"readings", "1k"}, {"fpr", "2%"}});
  EXPECT_TRUE(testing::as_promised(found));
  const lab::figure& bytes = found.figures().at(2);
  EXPECT_LT(bytes.measured, bytes.rivals.at(0).value / 3);
  const lab::figure& walked = found.figures().at(0);
  EXPECT_LT(walked.measured, walked.rivals.at(0).value / 10);
}

TEST(chains, refuse_a_directory_of_nothing) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "tags", [] {
    testing::run_experiment("O3", {{"tags", "0"}});
  }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "steps", [] {
    testing::run_experiment("O3", {{"tags", "2"}, {"steps", "0"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
