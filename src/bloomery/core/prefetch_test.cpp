#include "bloomery/core/prefetch.hpp"

#include <cstdlib>

#include "testing.hpp"

namespace bloomery::core {
namespace {

using bloomery::testing::throws_error;

TEST(prefetching, goes_where_the_environment_says) {
  const char* const given = std::getenv("BLOOMERY_PREFETCH");
  const std::string before = given == nullptr ? "" : given;
  setenv("BLOOMERY_PREFETCH", "l1", 1);
  EXPECT_EQ(detail::decide_level(), cache_level::first);
  EXPECT_EQ(prefetched_level(), cache_level::first);
  setenv("BLOOMERY_PREFETCH", "l2", 1);
  EXPECT_EQ(detail::decide_level(), cache_level::second);
  EXPECT_EQ(prefetched_level(), cache_level::second);
  setenv("BLOOMERY_PREFETCH", "l4", 1);
  EXPECT_TRUE(throws_error(errc::invalid, "BLOOMERY_PREFETCH is \"l4\"; allowed: l1, l2",
                           [] { (void)detail::decide_level(); }));
  setenv("BLOOMERY_PREFETCH", before.c_str(), 1);
  (void)detail::decide_level();
}

TEST(prefetching, takes_any_address) {
  prefetch(nullptr);
  prefetch_into<cache_level::first>(reinterpret_cast<const void*>(~std::uintptr_t{0}));
}

}  // namespace
}  // namespace bloomery::core
