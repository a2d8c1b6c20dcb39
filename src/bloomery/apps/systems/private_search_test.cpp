#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

// Two runs of 110 queries: nothing is lost on the way, and what passes by mistake is as predicted.
TEST(private_search, refuses_what_is_forbidden_and_answers_the_rest_as_the_owner_would) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    const lab::result found = testing::run_experiment("S11",
                                                      {{"words", "20"},
                                                       {"permitted", "30"},
                                                       {"forbidden", "100"},
                                                       {"rate", "25%"},
                                                       {"policy", "30%"}},
                                                      nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_EQ(found.nevers().at(0).chances, 30);
    EXPECT_GE(found.nevers().at(1).chances, 15);
    const lab::figure& passed = found.figures().at(0);
    EXPECT_GT(passed.measured, 0) << "some of 100 pass at 30 %";
    EXPECT_LT(passed.measured, 0.8);
    EXPECT_LT(passed.predicted->high, 0.8) << "a prediction that allows everything says nothing";
  }
}

TEST(private_search, is_the_same_in_every_run) {
  const lab::request::values small{{"words", "5"}, {"permitted", "4"}, {"forbidden", "10"}};
  const lab::result once = testing::run_experiment("S11", small);
  const lab::result again = testing::run_experiment("S11", small);
  ASSERT_EQ(once.figures().size(), again.figures().size());
  for (std::size_t i = 0; i < once.figures().size(); ++i) {
    EXPECT_EQ(once.figures()[i].measured, again.figures()[i].measured);
  }
}

TEST(private_search, refuses_settings_that_make_no_sense) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"words", "0"},
                                                        {"permitted", "1"},
                                                        {"permitted", "161"},
                                                        {"forbidden", "49"},
                                                        {"rate", "0"},
                                                        {"policy", "2"}}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, "", [setting = name, given = value] {
      testing::run_experiment("S11", {{setting, given}});
    })) << name;
  }
}

}  // namespace
}  // namespace bloomery::systems
