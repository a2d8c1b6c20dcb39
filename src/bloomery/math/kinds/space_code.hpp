// Space-code filters: from the groups of a key that are full to how often it occurred.
//
// Purpose:   a key has l groups of k bits; each occurrence fills one at random. θ of them are full.
// Cost:      the mean-value estimate nothing; the likeliest count l operations for each count tried.
// Guarantee: laws of θ given the chance `noise` that a group is full by others alone (fill^k); exact
//            occupancy, groups independent.
// Citation:  Kumar, Xu, Wang, Spatschek, Li 2004.
//
//     assert(std::abs(bloomery::math::expected_full_groups(32, 20, 0) - 15.04) < 0.005);
//     assert(std::abs(bloomery::math::mean_value_count(32, 15.04, 0) - 20) < 0.01);
//     assert(bloomery::math::likeliest_count(32, 15, 0) == 20);
#pragma once

#include <cstdint>

namespace bloomery::math {

// E θ after `count` occurrences: l - l(1-1/l)^count·(1-noise).
double expected_full_groups(std::uint64_t groups, double count, double noise);

// The count whose expectation `full` is; groups - 1/2 stand for all, since all full says only "at
// least". At least 0.
double mean_value_count(std::uint64_t groups, double full, double noise);

// P(θ = full | count), by the occupancy of `count` balls.
double full_groups_probability(std::uint64_t groups, std::uint64_t full, std::uint64_t count,
                               double noise);

struct count_moments {
  double mean;
  double variance;
};
// What mean_value_count answers of a key that occurred `count` times where there are several
// resolutions, exactly: each takes one in `sampling` of the occurrences that the one before took, the
// first that is not full answers, and the last if all are; but not less than what full groups in the one
// before stand for. All have this noise.
count_moments mean_value_moments(std::uint64_t groups, std::uint64_t count, double noise,
                                 std::uint64_t resolutions = 1, std::uint64_t sampling = 1);

// The count from 0 to 8·groups·ln(groups) + 8 under which `full` is likeliest.
std::uint64_t likeliest_count(std::uint64_t groups, std::uint64_t full, double noise);

// The chance that a stranger has some full group after n keys that occurred once.
double space_code_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t groups);

struct space_code_size {
  std::uint64_t bits;
  std::uint64_t hashes;
};
space_code_size plan_space_code(std::uint64_t keys, double rate, std::uint64_t groups);

}  // namespace bloomery::math
