#include "bloomery/apps/overlay/quadtree.hpp"

#include <gtest/gtest.h>

#include "bloomery/apps/random.hpp"
#include "bloomery/core/error.hpp"
#include "testing.hpp"

namespace bloomery::overlay {
namespace {

using bloomery::testing::throws_error;

digest name_of_host(std::uint64_t i) {
  return {hash::mix(i + 1), hash::mix(i + 1'000'000)};
}

// A region with hosts anywhere, and where each really is.
struct populated {
  quadtree region;
  std::vector<square> truth;

  populated(std::uint64_t side, std::uint64_t hosts, const standard_shape& shape)
      : region(side, shape) {
    apps::random_stream chance(9);
    for (std::uint64_t i = 0; i < hosts; ++i) {
      const double x = chance.uniform() * static_cast<double>(side);
      const double y = chance.uniform() * static_cast<double>(side);
      region.settle(name_of_host(i), x, y);
      truth.push_back({0, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)});
    }
  }
};

// With filters that hold every host, and with ones so small that they claim nearly everything.
TEST(quadtree, every_host_is_found_from_everywhere) {
  for (const double rate : {0.001, 0.1, 0.7}) {
    SCOPED_TRACE(rate);
    const populated all(16, 300, standard_filter::plan(75, rate));
    EXPECT_EQ(all.region.levels(), 5U);
    std::uint64_t in_vain = 0;
    for (std::uint64_t to = 0; to < 300; ++to) {
      for (std::uint64_t from = to % 7; from < 300; from += 7) {
        const auto here = [&](square at) { return at == all.truth[to]; };
        const journey trip = all.region.route(all.truth[from], name_of_host(to), here);
        EXPECT_EQ(trip.found, all.truth[to]);
        EXPECT_LT(trip.led, all.region.levels());
        in_vain += trip.in_vain.size();
        for (const square each : trip.in_vain) {  // it is not there
          EXPECT_FALSE(each.x == all.truth[to].x >> each.level &&
                       each.y == all.truth[to].y >> each.level);
        }
        EXPECT_TRUE(all.truth[from] != all.truth[to] || trip.led == 0);
      }
    }
    EXPECT_EQ(in_vain > 10'000, rate == 0.7) << in_vain;
  }
}

TEST(quadtree, a_host_that_is_nowhere_is_not_found) {
  const populated all(16, 300, standard_filter::plan(75, 0.1));
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto nowhere = [](square) { return false; };
    EXPECT_FALSE(all.region.route(all.truth[i], name_of_host(1000 + i), nowhere).found);
  }
}

TEST(quadtree, the_summary_of_a_square_is_that_of_its_quarters) {
  const populated all(8, 100, standard_filter::plan(25, 0.01));
  EXPECT_EQ(all.region.summary({3, 0, 0})->record().items, 100U);
  for (std::uint32_t level = 1; level <= 3; ++level) {
    for (std::uint32_t x = 0; x < 8U >> level; ++x) {
      for (std::uint32_t y = 0; y < 8U >> level; ++y) {
        standard_filter quarters(all.region.summary({3, 0, 0})->shape());
        for (std::uint32_t part = 0; part < 4; ++part) {
          const auto* inner = all.region.summary({level - 1, 2 * x + part % 2, 2 * y + part / 2});
          if (inner != nullptr) quarters.merge(*inner);
        }
        const auto* whole = all.region.summary({level, x, y});
        ASSERT_NE(whole, nullptr);
        EXPECT_EQ(whole->cells().bits().count(), quarters.cells().bits().count());
        EXPECT_EQ(whole->cells().bits().count_common(quarters.cells().bits()),
                  quarters.cells().bits().count());
      }
    }
  }
}

// By a false claim of a sibling, of which the node nearest to its centre asks its own square and the siblings
// within; then on to the next claim.
TEST(quadtree, goes_to_the_centre_of_the_smallest_sibling_that_claims_and_comes_back) {
  quadtree region(8, standard_filter::plan(10, 1e-9));
  const square from = region.unit_at(0.5, 0.5);
  region.settle({1, 1}, 0.5, 0.5);
  region.settle({2, 2}, 2.2, 0.2);  // in the sibling of side 2, at its corner
  region.settle({3, 3}, 3.1, 1.1);  // and at its centre
  region.settle({4, 4}, 7.5, 7.5);
  const square last = region.unit_at(7.5, 7.5);
  const auto everything = [](square) { return true; };
  const journey trip = region.route_by(everything, from, [&](square at) { return at == last; });
  EXPECT_EQ(trip.found, last);
  EXPECT_EQ(trip.led, 1U);
  EXPECT_EQ(trip.in_vain, (std::vector<square>{from, {0, 3, 1}, {0, 2, 0}, {1, 1, 0}}));
}

TEST(quadtree, the_border_belongs_to_the_region) {
  const quadtree region(4, standard_filter::plan(10, 0.01));
  EXPECT_EQ(region.unit_at(4, 4), (square{0, 3, 3}));
  EXPECT_EQ(region.unit_at(-1, 1e300), (square{0, 0, 3}));
  EXPECT_EQ(region.unit_at(2, 1.999), (square{0, 2, 1}));
}

TEST(quadtree, refuses_other_sides) {
  for (const std::uint64_t side : {0U, 1U, 3U, 12U, 128U}) {
    EXPECT_TRUE(throws_error(errc::invalid, "power of two",
                             [&] { quadtree(side, standard_filter::plan(1, 0.1)); }));
  }
}

}  // namespace
}  // namespace bloomery::overlay
