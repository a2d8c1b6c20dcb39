// The block of a blocked filter: one cache line as lanes, k bits spread evenly over them.
//
// Purpose:   the exact chance that a block of a given number of keys claims a stranger.
// Layout:    with k = lanes·rounds + picked, 1 <= picked <= lanes, a key sets one random bit in
//            every lane `rounds` times, and one more in `picked` different random lanes. A machine
//            makes all of it with a few vector instructions, and no lane fills faster than another.
// Cost:      tens of microseconds for the loads of a plan, up to hundreds where a key sets more than a bit a
//            lane; a millisecond for all loads of a block.
// Guarantee: a chain over how many lanes have how many of the query's bits still unset;
//            nonnegative terms only, so nothing cancels. k <= 2·lanes, or errc::invalid.
// Citation:  ours; blocks are Putze, Sanders, Singler 2007.
//
//     const bloomery::math::lane_block line;  // 8 lanes of 64 bits
//     const std::vector<double> rates = bloomery::math::rates_by_load(line, 8);
//     assert(rates[0] == 0);
//     assert(std::abs(rates[48] - std::pow(1 - std::pow(63.0 / 64, 48), 8)) < 1e-15);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/math/laws/occupancy.hpp"

namespace bloomery::math {

struct lane_block {
  std::uint64_t lanes = 8;
  std::uint64_t lane_bits = 64;

  friend bool operator==(const lane_block&, const lane_block&) = default;
  [[nodiscard]] constexpr std::uint64_t bits() const { return lanes * lane_bits; }
  [[nodiscard]] constexpr std::uint64_t most_hashes() const { return 2 * lanes; }
  [[nodiscard]] constexpr std::uint64_t rounds(std::uint64_t k) const { return (k - 1) / lanes; }
  [[nodiscard]] constexpr std::uint64_t picked(std::uint64_t k) const {
    return k - lanes * rounds(k);
  }
};

// Element i: the false-positive rate in a block that holds i keys. As long as it is below 1 to
// double precision; larger loads have rate 1.
std::vector<double> rates_by_load(const lane_block& block, std::uint64_t k);

// The same, worked out as far as it is asked for, which is a tenth of it for the loads of a plan.
class load_rates {
 public:
  load_rates(const lane_block& block, std::uint64_t k);
  load_rates(load_rates&& other) noexcept;
  load_rates& operator=(load_rates&& other) noexcept;
  ~load_rates();

  [[nodiscard]] bool below_one(std::uint64_t load);
  [[nodiscard]] double at(std::uint64_t load) { return below_one(load) ? rates_[load] : 1.0; }

 private:
  std::unique_ptr<class lane_chain> chain_;  // none once all loads are known
  std::vector<double> rates_;
};

// Those of the blocks and k that this thread asked for last, some dozens.
load_rates& recent_load_rates(const lane_block& block, std::uint64_t k);

// The rate of a filter of `blocks` blocks and n keys, given the rates by load: loads are binomial.
double lane_blocked_rate(std::uint64_t blocks, std::uint64_t n, load_rates& by_load);
double lane_blocked_rate(const lane_block& block, std::uint64_t blocks, std::uint64_t n,
                         std::uint64_t k);

// The rate in one block as it stands, given the share of ones in each lane.
double lane_instance_rate(std::span<const double> lane_fills, std::uint64_t k);

bit_layout lane_blocked_layout(const lane_block& block, std::uint64_t blocks, std::uint64_t k);

}  // namespace bloomery::math
