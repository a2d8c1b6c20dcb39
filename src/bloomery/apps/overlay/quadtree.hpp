// Geographic routing: squares within squares, each with a filter of the hosts that are in it now.
//
// Purpose:   a message finds a mobile host without anyone knowing where it is. A node knows the summary of its own
//            square of side 1 and, at each level, those of its three siblings. It sends a message to the centre of
//            the smallest sibling that claims the host; the node nearest there does the same within that
//            square. Where a claim was false, the message comes back and the next claim is tried.
// Cost:      3·log2(side) + 1 summaries a node. All have one shape, so that a square's is the OR of its quarters'.
// Guarantee: a host is found in the square that holds it, since summaries never miss one; at most log2(side) forwards lead
//            there. Each other square that is asked costs a forward with the probability of its own false
//            claim: whatever contains a square that claims, claims as well.
// Citation:  Hsiao 2001; Broder–Mitzenmacher §6.3.
//
//     bloomery::overlay::quadtree region(8, bloomery::standard_filter::plan(100, 0.01));
//     const bloomery::digest host{1, 2};
//     region.settle(host, 6.5, 0.5);
//     region.settle({3, 4}, 1.5, 1.5);
//     const auto here = [&](bloomery::overlay::square at) { return at == region.unit_at(6.5, 0.5); };
//     const auto trip = region.route(region.unit_at(1.5, 1.5), host, here);
//     assert(trip.found == region.unit_at(6.5, 0.5) && trip.led == 1 && trip.in_vain.empty());
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/digest.hpp"

namespace bloomery::overlay {

// At level i the side is 2^i; x and y count squares of that level from a corner.
struct square {
  std::uint32_t level = 0;
  std::uint32_t x = 0;
  std::uint32_t y = 0;

  [[nodiscard]] constexpr square parent() const { return {level + 1, x / 2, y / 2}; }
  [[nodiscard]] constexpr std::array<square, 3> siblings() const {
    return {{{level, x ^ 1, y}, {level, x, y ^ 1}, {level, x ^ 1, y ^ 1}}};
  }
  friend constexpr bool operator==(const square&, const square&) = default;
  friend constexpr bool operator<(const square& a, const square& b) {
    return std::tie(a.level, a.x, a.y) < std::tie(b.level, b.x, b.y);
  }
};

// How a message went: where the host answered, the forwards to squares that hold it, and the squares of which each cost
// a forward, or a call within the node's own, though the host is not there.
struct journey {
  std::optional<square> found = {};
  std::uint64_t led = 0;
  std::vector<square> in_vain = {};
};

class quadtree {
 public:
  using test = std::function<bool(square)>;

  // errc::invalid unless the side is a power of two from 2 to 64.
  quadtree(std::uint64_t side, const standard_shape& summaries);

  [[nodiscard]] std::uint32_t levels() const { return top_ + 1; }
  // The square of side 1 there; what is beyond the border is taken to be at it.
  [[nodiscard]] square unit_at(double x, double y) const;

  // A host is there now, and a node that forwards.
  void settle(digest host, double x, double y);
  // Of those who are in a square; none if nobody is.
  [[nodiscard]] const standard_filter* summary(square of) const;

  // From a node in a square of side 1. Whether the host answers is asked of such squares only.
  [[nodiscard]] journey route(square from, digest host, const test& answers) const;
  // The same with other claims, which must include those of all squares that hold the host.
  [[nodiscard]] journey route_by(const test& claims, square from, const test& answers) const;

 private:
  struct inhabited {
    standard_filter hosts;
    double distance;  // of the node that is nearest to the centre, squared
    square relay;     // where that node is
  };
  struct search;

  std::uint32_t side_;
  std::uint32_t top_;  // the level of the whole
  standard_shape shape_;
  std::map<square, inhabited> squares_;
};

}  // namespace bloomery::overlay
