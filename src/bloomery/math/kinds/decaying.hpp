// Decaying filters: every cell runs down with every arrival, so that the last `window` arrivals are
// there and no other.
//
// Purpose:   rate, and the stamps that cells hold instead of counters.
// Cost:      microseconds.
// Guarantee: exact.
// Citation:  Shen, Zhang 2008; Tarkoma §III-H. The window is derived.
//
//     assert(std::abs(bloomery::math::decaying_rate(8000, 5, 1000, 5000) - 0.0217) < 5e-5);
#pragma once

#include <cstdint>

namespace bloomery::math {

// A cell holds the arrival that last marked it, round a cycle, or nothing. One bit more than the
// paper's counters leaves as many arrivals to clear a dead cell as it lived.
std::uint64_t stamp_bits(std::uint64_t window);
std::uint64_t stamp_cycle(std::uint64_t window);
// Cells to look at with each arrival, so that none is mistaken for young when the cycle comes round.
std::uint64_t cells_swept(std::uint64_t cells, std::uint64_t window);

double decaying_rate(std::uint64_t cells, std::uint64_t k, std::uint64_t window,
                     std::uint64_t arrivals);

}  // namespace bloomery::math
