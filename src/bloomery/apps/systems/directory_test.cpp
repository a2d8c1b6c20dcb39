#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

TEST(directory, names_the_host_of_every_object) {
  for (const char* kind : {"bloomier", "ribbon", "fuse"}) {
    const lab::result found =
        testing::run_experiment("N11", {{"objects", "5k"}, {"hosts", "300"}, {"kind", kind}});
    EXPECT_TRUE(testing::as_promised(found)) << kind;
    const lab::figure& bytes = found.figures().at(1);
    EXPECT_LT(bytes.measured, bytes.rivals.at(0).value / 4);
  }
}

TEST(directory, refuses_what_is_no_map) {
  EXPECT_TRUE(testing::throws_error(errc::unsupported, "standard", [] {
    testing::run_experiment("N11", {{"objects", "5"}, {"kind", "standard"}});
  }));
}

}  // namespace
}  // namespace bloomery::systems
