// Dynamic filters: rows of one size, begun one after another, every key stored.
//
// Purpose:   the compound rate.
// Cost:      microseconds.
// Guarantee: a stranger is claimed if any row claims it, and rows err independently.
// Citation:  Guo, Wu, Chen, Luo 2010.
//
//     assert(std::abs(bloomery::math::rows_rate(1280, 7, 133, 1330) - 0.094) < 1.1e-3);
#pragma once

#include <cstdint>

namespace bloomery::math {

// Rows of m cells and k hashes that take `row_keys` keys each.
double rows_rate(std::uint64_t m, std::uint64_t k, std::uint64_t row_keys, std::uint64_t keys);

}  // namespace bloomery::math
