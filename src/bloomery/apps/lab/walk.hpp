// Hosts that walk about in a square: where each is, moment by moment.
//
// Purpose:   mobility for experiments. `walks` is the laboratory's own: each walker goes straight on for a step, in
//            a direction of its own, and comes back from the border; ns-3 has others (lab::host::walks).
// Cost:      16 bytes a walker and snapshot.
// Guarantee: the same seed is the same walk, and one more walker changes none of the others. Nobody leaves the square.
//
//     const bloomery::lab::walk_plan plan{.walkers = 3, .side = 8, .stride = 0.5, .snapshots = 10};
//     const auto seen = bloomery::lab::walks(plan, 1);
//     assert(seen.size() == 10 && seen.back().size() == 3);
//     assert(seen == bloomery::lab::walks(plan, 1));
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::lab {

struct point {
  double x = 0;
  double y = 0;
  friend constexpr bool operator==(const point&, const point&) = default;
};

struct walk_plan {
  std::uint64_t walkers = 1;
  double side = 1;    // of the square
  double stride = 1;  // between snapshots, on average
  std::uint64_t snapshots = 1;
};

// errc::invalid unless there are 1 to 100,000 walkers and 1 to 10,000 snapshots, ten million positions in all at most, and
// a stride is more than 0 and less than half the side.
void check(const walk_plan& plan);

// Where they begin: anywhere, each place with the same probability.
std::vector<point> scattered(const walk_plan& plan, std::uint64_t seed);

// By snapshot, then by walker. The first is where they begin.
std::vector<std::vector<point>> walks(const walk_plan& plan, std::uint64_t seed);

}  // namespace bloomery::lab
