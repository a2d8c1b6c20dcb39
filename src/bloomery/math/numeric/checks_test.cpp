#include "bloomery/math/numeric/checks.hpp"

#include <cmath>

#include "bloomery/core/limits.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using bloomery::testing::throws_error;

TEST(checks, refuse_what_is_just_outside_and_nothing_inside) {
  EXPECT_NO_THROW(require_filter(1, 1));
  EXPECT_NO_THROW(require_filter(max_bits, max_hashes));
  const auto filter = [](std::uint64_t bits, std::uint64_t hashes) {
    return [=] { require_filter(bits, hashes); };
  };
  EXPECT_TRUE(
      throws_error(errc::invalid, "bits is 0; allowed: 1 to 281474976710656", filter(0, 1)));
  EXPECT_TRUE(throws_error(errc::invalid, "bits is 281474976710657;", filter(max_bits + 1, 1)));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes is 0; allowed: 1 to 64", filter(1, 0)));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes is 65;", filter(1, max_hashes + 1)));
}

TEST(checks, refuse_shares_and_sizes_that_are_none) {
  EXPECT_NO_THROW(require_share("share", 1e-300));
  EXPECT_NO_THROW(require_positive("size", 1e300));
  for (const double value : {0.0, 1.0, -0.5, 1.5, std::nan(""), double{INFINITY}}) {
    EXPECT_TRUE(throws_error(errc::invalid, "allowed: above 0 and below 1",
                             [&] { require_share("share", value); }));
  }
  EXPECT_NO_THROW(require_part("part", 0));
  EXPECT_NO_THROW(require_part("part", 1));
  for (const double value : {-1e-9, 1.1, std::nan(""), double{INFINITY}}) {
    EXPECT_TRUE(
        throws_error(errc::invalid, "allowed: 0 to 1", [&] { require_part("part", value); }));
  }
  for (const double value : {0.0, -1.0, std::nan(""), double{INFINITY}}) {
    EXPECT_TRUE(throws_error(errc::invalid, "allowed: above 0 and finite",
                             [&] { require_positive("size", value); }));
  }
  EXPECT_TRUE(throws_error(errc::invalid, "share is 1.5;", [] { require_share("share", 1.5); }));
}

}  // namespace
}  // namespace bloomery::math
