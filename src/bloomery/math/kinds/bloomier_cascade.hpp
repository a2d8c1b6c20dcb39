// The cascade of Bloom filter pairs that warms up for the Bloomier filter: sizes and rate.
//
// Purpose:   a value has some binary digits, and for each digit the keys are parted into those that
//            have 0 there and those that have 1. A pair of filters holds both parts; keys that pass
//            both of a pair, and so are not told apart, go on to the next pair, and the few that no
//            pair tells apart into an exact list.
// Cost:      microseconds.
// Guarantee: level i has 2^(k^i)·k bits for each key and digit that comes to it, as in the paper; the
//            number that comes is the expected one and four standard deviations. The list comes
//            after as many levels as make all smallest. The rate is the limit for many keys, where
//            all filters are as full as expected.
// Citation:  Chazelle, Kilian, Rubinfeld, Tal: The Bloomier Filter, 2004, §2.
//
//     const bloomery::math::cascade cascade{.keys = 1000, .hashes = 3, .values = 4};
//     assert(cascade.digits() == 2);
//     assert(cascade.size().levels.front() == 2 * 3 * 2000);
//     assert(cascade.rate(1000) < 0.02);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/math/laws/cost.hpp"

namespace bloomery::math {

inline constexpr std::uint64_t max_cascade_values = std::uint64_t{1} << 32;

struct cascade_size {
  std::vector<std::uint64_t> levels;  // bits of the array that a level's filters share
  std::uint64_t listed = 0;           // keys that the list has room for

  [[nodiscard]] double bits(unsigned digits) const;
};

struct cascade {
  std::uint64_t keys;
  std::uint64_t hashes;
  std::uint64_t values;  // 0 to one less

  [[nodiscard]] unsigned digits() const;  // of a value, at least one
  [[nodiscard]] cascade_size size() const;
  // The chance that a stranger gets a value once `held` keys are in it; 1 if they are too many.
  [[nodiscard]] double rate(std::uint64_t held) const;
  // The same of a cascade as it stands, exactly, given the share of ones at each level.
  [[nodiscard]] double instance_rate(std::span<const double> fills) const;
  // Lines touched, mostly of the first level.
  [[nodiscard]] query_cost cost(std::uint64_t held) const;
};

// The hashes that keep the rate in the fewest bits: with few, many keys go on and are listed.
cascade plan_cascade(std::uint64_t keys, double rate, std::uint64_t values);

}  // namespace bloomery::math
