#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

std::string many_names() {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "name " + std::to_string(i) + "\n";
  return text;
}

TEST(watch_list_system, is_exact_on_the_listed_and_shows_the_crossover) {
  testing::paper_host outside({{"people", many_names()}});
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const lab::result found = testing::run_experiment(
        "D7", {{"names", "people"}, {"suspects", "2k"}, {"cleared", "1k"}}, outside, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_EQ(found.nevers().at(0).chances, 3000);
    EXPECT_LT(found.figures().at(2).measured, 0.1);  // the map wins somewhere
    EXPECT_GT(found.figures().at(2).measured, 0);    // and not everywhere
  }
}

TEST(watch_list_system, needs_as_many_names_as_it_is_to_list) {
  testing::paper_host outside(std::map<std::string, std::string>{{"people", "a\nb\n"}});
  EXPECT_TRUE(testing::throws_error(errc::invalid, "suspects", [&] {
    testing::run_experiment("D7", {{"names", "people"}, {"suspects", "3"}}, outside);
  }));
  EXPECT_TRUE(testing::throws_error(errc::io, "nobody", [&] {
    testing::run_experiment("D7", {{"names", "nobody"}}, outside);
  }));
}

}  // namespace
}  // namespace bloomery::systems
