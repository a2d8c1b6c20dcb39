// What filters that forget have in common: how many misses they may have, cells that remember part of
// the keys, and what they say if a window cannot be had.
//
// Purpose:   a filter that runs down is a standard filter of m cells that has seen some number of keys,
//            not always a whole one: those that cells still remember.
// Cost:      microseconds; fewest_units takes milliseconds.
// Guarantee: exact rates, for any fraction of k balls a key.
//
//     assert(bloomery::math::marked_rate(500, 4, 60) == bloomery::math::exact_rate(500, 60, 4));
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace bloomery::math {

// The share of keys that may be missed at the end of the window, in plans of kinds that may miss any.
inline constexpr double planned_misses = 0.01;

// The exact rate of m cells that k probes of each of `keys` keys have marked; fractions count.
double marked_rate(std::uint64_t m, std::uint64_t k, double keys);

struct marked_size {
  std::uint64_t units;  // of `unit` cells
  std::uint64_t hashes;
};
// The fewest units, over all k, at which m cells hold keys_of(m, k) keys within the rate. The textbook's
// rate finds k, the exact one the size.
std::optional<marked_size> fewest_units(
    double rate, std::uint64_t unit,
    const std::function<double(std::uint64_t m, std::uint64_t k)>& keys_of);

// Throw errc::limit.
[[noreturn]] void refuse_window(std::uint64_t keys, double rate);
[[noreturn]] void refuse_window(std::uint64_t keys, double rate, const char* within);

}  // namespace bloomery::math
