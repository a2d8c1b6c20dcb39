#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

// 100 hosts and 200 absent files each, of filters in which the choice among seeds shows.
TEST(power_proxy, wakes_hosts_for_downloads_and_in_vain_at_the_rate_of_the_best) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const lab::result found =
        testing::run_experiment("O5", {{"hosts", "100"}, {"absent", "200"}}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_EQ(found.nevers().at(0).chances, 3200);
    EXPECT_GE(found.nevers().at(1).chances, 3200);
    EXPECT_EQ(found.nevers().at(4).chances, 1600);
    // Choosing gains more than the intervals leave open.
    const lab::figure& kept = found.figures().at(1);
    const lab::figure& any = found.figures().at(2);
    EXPECT_LT(kept.predicted->high, any.predicted->low);
  }
}

TEST(power_proxy, one_seed_is_no_choice) {
  const lab::result found =
      testing::run_experiment("O5", {{"hosts", "20"}, {"absent", "100"}, {"seeds", "1"}});
  EXPECT_TRUE(testing::as_promised(found));
  const lab::figure& vain = found.figures().at(0);
  EXPECT_DOUBLE_EQ(vain.measured, vain.rivals.at(0).value);
  EXPECT_DOUBLE_EQ(found.figures().at(1).measured, found.figures().at(2).measured);
}

TEST(power_proxy, refuses_settings_that_make_no_sense) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"hosts", "1"},
                                                                      {"files", "0"},
                                                                      {"absent", "0"},
                                                                      {"bits", "65"},
                                                                      {"hashes", "0"},
                                                                      {"seeds", "5000"}}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, "", [setting = name, given = value] {
      testing::run_experiment("O5", {{setting, given}});
    })) << name;
  }
}

}  // namespace
}  // namespace bloomery::systems
