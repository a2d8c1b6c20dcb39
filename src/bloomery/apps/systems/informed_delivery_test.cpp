#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(informed_delivery_system, sends_what_is_useful_and_nothing_twice) {
  testing::paper_host nothing;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const lab::result found = testing::run_experiment("N7", {}, nothing, seed);
    EXPECT_TRUE(testing::as_promised(found));
    EXPECT_GT(found.nevers().at(1).chances, 1900U);
    const lab::figure& until = found.figures().at(2);
    EXPECT_GT(until.measured, 0);
    // Half of what comes blindly is in vain.
    EXPECT_LT(1.6 * until.measured, until.rivals.at(0).value);
  }
}

TEST(informed_delivery_system, other_overlaps) {
  for (const char* overlap : {"10%", "50%"}) {
    const lab::result found =
        testing::run_experiment("N7", {{"overlap", overlap}, {"blocks", "500"}, {"bits", "10"}});
    EXPECT_TRUE(testing::as_promised(found)) << overlap;
  }
  EXPECT_TRUE(testing::throws_error(errc::invalid, "overlap", [] {
    testing::run_experiment("N7", {{"overlap", "100%"}});
  }));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "blocks", [] {
    testing::run_experiment("N7", {{"blocks", "5"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
