#include <gtest/gtest.h>

#include "bloomery/apps/lab/page_cache.hpp"
#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

using testing::run_experiment;

TEST(cache_digests_system, a_digest_has_what_was_there_and_its_rate_of_the_rest) {
  const lab::result found =
      run_experiment("C2", {{"requests", "20k"}, {"cache", "1k"}, {"period", "2k"}});
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_GT(found.nevers().at(0).chances, 5000);
  const lab::figure& bytes = found.figures().at(1);
  EXPECT_LT(10 * bytes.measured, bytes.rivals.at(0).value);
}

TEST(cache_digests_system, refuses_settings_that_make_no_sense) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"cache", "0"}, {"period", "1M"}, {"documents", "0"}}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, name, [setting = name, given = value] {
      run_experiment("C2", {{setting, given}});
    }));
  }
}

}  // namespace
}  // namespace bloomery::systems
