#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

// 10^4 ids of 128 bits on either side and none in common: some 8.57 bits an id by the best filter, and less than an
// eleventh of the list.
TEST(keyword_intersection, takes_an_eleventh_of_the_list) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const lab::result found = testing::run_experiment("P4", {{"common", "0"}}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_NEAR(testing::figure_of(found, "bits of the filter, an id of the near list").measured,
                8.57, 0.4);
    EXPECT_GT(testing::figure_of(found, "times fewer bytes than the list").measured, 11);
  }
}

TEST(keyword_intersection, finds_all_that_is_in_both) {
  for (const std::string kind : {"standard", "ribbon", "blocked"}) {
    const lab::result found = testing::run_experiment(
        "P4", {{"near", "1000"}, {"far", "20k"}, {"common", "500"}, {"kind", kind}});
    EXPECT_TRUE(testing::as_promised(found)) << kind;
    EXPECT_EQ(found.nevers().at(0).chances, 500);
  }
}

TEST(keyword_intersection, refuses_settings_that_make_no_sense) {
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"near", "0"}, {"common", "20k"}, {"id", "4"}, {"rate", "2"}, {"kind", "oil"}}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, "", [setting = name, given = value] {
      testing::run_experiment("P4", {{setting, given}});
    })) << name;
  }
}

}  // namespace
}  // namespace bloomery::systems
