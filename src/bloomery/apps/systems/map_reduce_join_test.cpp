#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(map_reduce_join, is_the_same_however_the_work_is_split) {
  testing::paper_host nothing;
  for (const std::string mappers : {"1", "3", "8"}) {
    for (const std::string kind : {"standard", "blocked", "counting"}) {
      SCOPED_TRACE(mappers + " " + kind);
      const lab::result found = testing::run_experiment(
          "D4", {{"mappers", mappers}, {"kind", kind}, {"large", "20k"}}, nothing, 2);
      EXPECT_TRUE(testing::as_promised(found));
    }
  }
}

TEST(map_reduce_join, keeps_what_cannot_join_from_being_shuffled) {
  const lab::result found = testing::run_experiment("D4");
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_LT(found.figures().at(1).measured, 0.04 * 200'000);
}

TEST(map_reduce_join, refuses_settings_that_make_no_sense) {
  using testing::throws_error;
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"small", "0"}, {"large", "0"}, {"keys", "1"}, {"mappers", "0"}, {"reducers", "0"}}) {
    EXPECT_TRUE(throws_error(errc::invalid, name, [setting = name, given = value] {
      testing::run_experiment("D4", {{setting, given}});
    }));
  }
  // A static filter cannot be made in parts.
  EXPECT_TRUE(throws_error(errc::unsupported, "", [] {
    testing::run_experiment("D4", {{"kind", "fuse"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
