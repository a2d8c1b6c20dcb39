#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(services, answer_as_the_list_after_many_changes) {
  for (const char* rate : {"1%", "10%"}) {
    const lab::result found = testing::run_experiment(
        "R3", {{"services", "300"}, {"changes", "3k"}, {"questions", "20k"}, {"fpr", rate}});
    EXPECT_TRUE(testing::as_promised(found)) << rate;
    EXPECT_GT(found.figures().at(0).measured, 0);
  }
}

TEST(services, refuse_a_directory_of_nobody) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "services", [] {
    testing::run_experiment("R3", {{"services", "0"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
