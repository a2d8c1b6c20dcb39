// Random filters that share nothing with the library: std::mt19937_64 throws the balls, so that
// math/ has an outside witness.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace bloomery::testing {

// k balls into `parts` parts of `part_bits` bits: all into one random part (a single part is the
// uniform filter, several are blocks), or one ball into each part (slices). Blocks may have lanes: the
// balls of a key go round all of them, and the last, incomplete round to a random choice of them.
struct ball_thrower {
  std::uint64_t parts;
  std::uint64_t part_bits;
  std::uint64_t k;
  bool one_ball_a_part = false;
  std::uint64_t lanes = 1;

  static ball_thrower uniform(std::uint64_t m, std::uint64_t k) { return {1, m, k}; }
  static ball_thrower partitioned(std::uint64_t slice, std::uint64_t k) {
    return {k, slice, k, true};
  }
  static ball_thrower blocked(std::uint64_t blocks, std::uint64_t block_bits, std::uint64_t k) {
    return {blocks, block_bits, k};
  }

  static ball_thrower lane_blocked(std::uint64_t blocks, std::uint64_t lanes,
                                   std::uint64_t lane_bits, std::uint64_t k) {
    return {blocks, lanes * lane_bits, k, false, lanes};
  }

  [[nodiscard]] std::uint64_t bits() const { return parts * part_bits; }

  // Calls visit(position) for each ball of one key.
  template <class Visit>
  void throw_key(std::mt19937_64& random, Visit visit) const {
    using below = std::uniform_int_distribution<std::uint64_t>;
    below position(0, part_bits - 1);
    const std::uint64_t part = one_ball_a_part ? 0 : below(0, parts - 1)(random);
    if (lanes > 1) {
      std::vector<std::uint64_t> order(lanes);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      below in_lane(0, part_bits / lanes - 1);
      for (std::uint64_t i = 0; i < k; ++i) {
        visit(part * part_bits + order[i % lanes] * (part_bits / lanes) + in_lane(random));
      }
      return;
    }
    for (std::uint64_t i = 0; i < k; ++i) {
      visit((one_ball_a_part ? i : part) * part_bits + position(random));
    }
  }

  // Sets the bits of `keys` fresh keys in every one of the given filters.
  template <class... Filters>
  void insert(std::mt19937_64& random, std::uint64_t keys, Filters&... filters) const {
    for (std::uint64_t i = 0; i < keys; ++i) {
      throw_key(random, [&](std::uint64_t at) { ((filters[at] = 1), ...); });
    }
  }
};

using simulated_bits = std::vector<char>;

inline std::uint64_t zeros_of(const simulated_bits& bits) {
  std::uint64_t zeros = 0;
  for (const char bit : bits) zeros += bit == 0;
  return zeros;
}

}  // namespace bloomery::testing
