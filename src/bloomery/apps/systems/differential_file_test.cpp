#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(differential_file, never_reads_stale_records_and_reads_in_vain_as_often_as_predicted) {
  const lab::result found = testing::run_experiment("D2", {{"ops", "60k"}, {"records", "20k"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_GT(found.nevers().at(0).chances, 50'000U);
}

// A rate that half of the reads would show, and a filter that more changes come to than it was sized for.
TEST(differential_file, predicts_a_crowded_filter_too) {
  const lab::result found = testing::run_experiment(
      "D2", {{"ops", "60k"}, {"records", "5k"}, {"rate", "0.3"}, {"updates", "0.4"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_GT(found.figures().at(0).measured, 0.05);
}

// A filter that never errs leaves nothing to judge, and no false alarm.
TEST(differential_file, says_when_there_is_too_little_to_judge) {
  const lab::result found =
      testing::run_experiment("D2", {{"ops", "10k"}, {"records", "20k"}, {"rate", "1e-9"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_EQ(found.notes().size(), 1U);
}

TEST(differential_file, refuses_settings_that_make_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"ops", "10"}, {"merges", "1"}, {"records", "0"}, {"updates", "1.5"}, {"rate", "0"}}) {
    EXPECT_TRUE(throws_error(errc::invalid, name, [&, named = name, given = value] {
      run_experiment("D2", {{named, given}});
    })) << name;
  }
}

}  // namespace
}  // namespace bloomery::systems
