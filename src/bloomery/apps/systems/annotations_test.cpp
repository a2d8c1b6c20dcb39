#include "bloomery/apps/gate/annotations.hpp"

#include <gtest/gtest.h>

#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

using testing::run_experiment;

TEST(annotations_system, asks_for_what_is_annotated_and_the_filters_rate_of_the_rest) {
  const lab::result found =
      run_experiment("C3", {{"pages", "2k"}, {"visits", "20k"}, {"days", "3"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_LT(found.figures().at(0).measured, 0.1 * found.figures().at(0).rivals.at(0).value);
  const lab::figure& daily = found.figures().back();
  EXPECT_LT(3 * daily.measured, daily.rivals.at(0).value);
}

TEST(annotations_system, one_day_and_no_strangers_are_enough) {
  const lab::result found = run_experiment(
      "C3", {{"pages", "100"}, {"visits", "500"}, {"days", "1"}, {"annotated", "1"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_EQ(found.figures().size(), 1);
}

TEST(annotations_system, refuses_settings_that_make_no_sense) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"pages", "0"}, {"days", "0"}, {"annotated", "2"}}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, "", [setting = name, given = value] {
      run_experiment("C3", {{setting, given}});
    }));
  }
}

}  // namespace
}  // namespace bloomery::systems
