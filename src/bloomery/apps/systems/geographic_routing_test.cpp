#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(geographic_routing, reaches_every_host_and_wastes_as_predicted) {
  for (const char* rate : {"0.1%", "5%", "30%"}) {
    const lab::result found =
        testing::run_experiment("R2", {{"hosts", "300"}, {"rounds", "30"}, {"fpr", rate}});
    EXPECT_TRUE(testing::as_promised(found)) << rate;
    EXPECT_EQ(found.nevers().at(0).chances, 30U * 200);
    EXPECT_GT(found.figures().at(3).measured, 0.05) << "hosts move";
  }
}

TEST(geographic_routing, nodes_know_less_than_where_everybody_is) {
  const lab::result found = testing::run_experiment("R2", {{"rounds", "2"}, {"side", "4"}});
  const lab::figure& bytes = found.figures().at(2);
  EXPECT_LT(bytes.measured, bytes.rivals.at(0).value / 4);
}

// Hosts that all stand in one square.
class crowd : public testing::paper_host {
 public:
  std::vector<std::vector<lab::point>> walks(const std::string& world, const lab::walk_plan& plan,
                                             std::uint64_t /*seed*/) override {
    EXPECT_EQ(world, "elsewhere");
    return {plan.snapshots, std::vector<lab::point>(plan.walkers, {1.5, 1.5})};
  }
};

TEST(geographic_routing, the_world_is_the_hosts) {
  crowd all;
  const lab::result found = testing::run_experiment(
      "R2", {{"hosts", "50"}, {"rounds", "3"}, {"world", "elsewhere"}}, all);
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_EQ(found.figures().at(0).measured, 0);
  EXPECT_EQ(found.figures().at(1).measured, 0);
  EXPECT_TRUE(testing::throws_error(errc::unsupported, "world 'ns3'", [] {
    testing::run_experiment("R2", {{"world", "ns3"}});
  }));
}

TEST(geographic_routing, refuses_what_is_no_region) {
  EXPECT_TRUE(testing::throws_error(errc::invalid, "power of two", [] {
    testing::run_experiment("R2", {{"side", "12"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
