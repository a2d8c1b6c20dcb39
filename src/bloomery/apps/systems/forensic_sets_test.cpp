#include <algorithm>

#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(forensic_sets, names_the_known_ranks_versions_and_tells_the_doctored) {
  for (const char* rate : {"0.1%", "10%"}) {
    SCOPED_TRACE(rate);
    const lab::result found = testing::run_experiment(
        "S1", {{"files", "40"}, {"size", "16KiB"}, {"blocks", "256"}, {"fpr", rate}});
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_EQ(found.nevers().at(0).chances, 40);
    EXPECT_EQ(found.nevers().at(1).chances, 40);
    const auto& figures = found.figures();
    const auto measured = [&](std::string_view what) {
      return std::ranges::find(figures, what, &lab::figure::what)->measured;
    };
    EXPECT_EQ(measured("versions with changed bytes that are recognised"), 40);
    // Fixed blocks do not survive an insertion, and the page says so.
    EXPECT_EQ(measured("versions with a byte inserted in front that are recognised"), 0);
    ASSERT_EQ(found.notes().size(), 1) << "the host of tests has no rivals";
    EXPECT_NE(found.notes()[0].find("left out"), std::string::npos);
  }
}

TEST(forensic_sets, refuses_settings_that_make_no_sense) {
  using testing::run_experiment;
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "blocks", [] {
    run_experiment("S1", {{"blocks", "1"}});
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "size", [] { run_experiment("S1", {{"size", "1"}}); }));
}

}  // namespace
}  // namespace bloomery::systems
