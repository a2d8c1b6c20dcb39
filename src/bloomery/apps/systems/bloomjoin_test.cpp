#include <map>

#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

using testing::figure_of;

// The survey's example: 900 dear cities, 200,000 employees.
TEST(bloomjoin, finds_all_rows_for_a_fiftieth_of_the_bytes) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const lab::result found = testing::run_experiment("D1", {}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_EQ(found.nevers().at(0).chances, 1800);
    EXPECT_EQ(found.nevers().at(1).chances, 1800);
    EXPECT_LT(figure_of(found, "share of the bytes of all rows").measured, 0.02);
    EXPECT_LT(figure_of(found, "rows sent").measured, 3000);
  }
}

// Short keys are cheaper than a filter of them, long ones are not; from when, is as predicted at either length.
TEST(bloomjoin, short_keys_are_cheaper_than_a_filter_and_long_ones_are_not) {
  for (const std::uint64_t key : {8U, 64U}) {
    SCOPED_TRACE(key);
    const lab::result found = testing::run_experiment("D1", {{"key", std::to_string(key)}});
    EXPECT_TRUE(testing::as_promised(found));
    const lab::figure& bytes = figure_of(found, "bytes, filter and rows");
    EXPECT_EQ(bytes.measured < bytes.rivals.at(0).value, key == 64);
  }
}

TEST(bloomjoin, refuses_settings_that_make_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"dear", "0"},
                                                                      {"cities", "1"},
                                                                      {"employees", "0"},
                                                                      {"row", "8"},
                                                                      {"key", "0"},
                                                                      {"rate", "2"}}) {
    EXPECT_TRUE(throws_error(errc::invalid, name, [setting = name, given = value] {
      run_experiment("D1", {{setting, given}});
    }));
  }
}

}  // namespace
}  // namespace bloomery::systems
