#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

double measured(const lab::result& found, std::string_view what) {
  for (const lab::figure& each : found.figures()) {
    if (each.what == what) return each.measured;
  }
  fail(errc::invalid, "no figure is called " + std::string(what));
}

TEST(reconciliation_system, finds_what_it_promises) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U}) {
    SCOPED_TRACE(seed);
    const lab::result found = testing::run_experiment(
        "P3", {{"keys", "10k"}, {"differences", "400"}, {"trials", "6"}, {"many", "400k"}}, nothing,
        seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_EQ(found.nevers().at(1).chances, 4800U);
    EXPECT_NEAR(measured(found, "differences that the filter finds"), 0.978, 0.015);
    EXPECT_TRUE(testing::figure_of(found, "nodes that the tree looks at").predicted);
    for (const char* what :
         {"bytes of coded symbols for many keys", "nodes that the tree looks at for many keys"}) {
      EXPECT_TRUE(testing::figure_of(found, what).predicted) << what;
    }
  }
}

// Few among many: the tree looks at few nodes, and the symbols are a hundredth of the list.
TEST(reconciliation_system, few_differences_cost_little) {
  const lab::result found = testing::run_experiment(
      "P3", {{"keys", "100k"}, {"differences", "100"}, {"trials", "2"}, {"many", "100k"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_LT(measured(found, "nodes that the tree looks at"), 10'000);
  EXPECT_LT(measured(found, "bytes of coded symbols"), 16'000);
}

// The first symbols are more than these need, and that is as promised.
TEST(reconciliation_system, very_few_differences) {
  for (const char* differences : {"2", "10", "100"}) {
    const lab::result found = testing::run_experiment(
        "P3", {{"keys", "1k"}, {"differences", differences}, {"many", "2k"}});
    EXPECT_TRUE(testing::as_promised(found)) << differences;
  }
}

TEST(reconciliation_system, refuses_settings_that_make_no_sense) {
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"keys", "5"}, {"differences", "0"}, {"bits", "1"}, {"trials", "1"}, {"many", "7"}}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, name, [setting = name, given = value] {
      testing::run_experiment("P3", {{setting, given}});
    }));
  }
}

}  // namespace
}  // namespace bloomery::systems
