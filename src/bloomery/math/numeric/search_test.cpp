#include "bloomery/math/numeric/search.hpp"

#include "testing.hpp"

namespace bloomery::math {
namespace {

TEST(search, finds_the_smallest_from_any_guess) {
  for (const std::uint64_t answer : {1U, 2U, 99U, 5000U, 100'000U}) {
    for (const double guess : {0.0, 1.0, 98.0, 100.0, 5e4, 1e5, 1e30}) {
      EXPECT_EQ(smallest(guess, 100'000, [&](std::uint64_t x) { return x >= answer; }), answer);
    }
  }
  EXPECT_FALSE(smallest(7, 1000, [](std::uint64_t) { return false; }));
}

}  // namespace
}  // namespace bloomery::math
