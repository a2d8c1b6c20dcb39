#include "bloomery/core/simd.hpp"

#include <cstdlib>

#include "testing.hpp"

namespace bloomery::core {
namespace {

using bloomery::testing::throws_error;

TEST(backends, the_portable_one_runs_everywhere) {
  EXPECT_TRUE(runnable(backend::portable));
  EXPECT_TRUE(runnable(chosen_backend()));
}

TEST(backends, are_forced_and_given_back) {
  const backend before = chosen_backend();
  for (const backend which : all_backends) {
    if (!runnable(which)) continue;
    const forced_backend forced(which);
    EXPECT_EQ(chosen_backend(), which);
  }
  EXPECT_EQ(chosen_backend(), before);
}

TEST(backends, are_named_by_the_environment) {
  const char* const given = std::getenv("BLOOMERY_BACKEND");
  const std::string before = given == nullptr ? "" : given;
  for (const backend which : all_backends) {
    setenv("BLOOMERY_BACKEND", std::string(name_of(which)).c_str(), 1);
    if (runnable(which)) {
      EXPECT_EQ(detail::decide_backend(), which);
    } else {
      EXPECT_TRUE(throws_error(errc::invalid, "allowed on this processor: portable",
                               [] { (void)detail::decide_backend(); }));
    }
  }
  setenv("BLOOMERY_BACKEND", "abacus", 1);
  EXPECT_TRUE(throws_error(errc::invalid, "BLOOMERY_BACKEND is \"abacus\"; allowed",
                           [] { (void)detail::decide_backend(); }));
  setenv("BLOOMERY_BACKEND", before.c_str(), 1);
  (void)detail::decide_backend();
}

}  // namespace
}  // namespace bloomery::core
