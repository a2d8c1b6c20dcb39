// Split filters: rows of one size, begun one after another, where a key that some row claims is not
// stored again.
//
// Purpose:   compound rate and size of a row.
// Cost:      tens of microseconds; half a millisecond for a plan.
// Guarantee: a stranger is claimed if any row claims it, and rows err independently. With y keys come
//            to a row whose rate is f(y), it has stored y less the integral of f. Expected values; what
//            fluctuates does so by 1/√bits.
// Citation:  Xiao, Dai, Li 2004.
//
//     const auto row = bloomery::math::plan_choosy_rows(4, 250, 0.01);
//     assert(bloomery::math::choosy_rows_rate(row.bits, row.hashes, 250, 1000) <= 0.01);
#pragma once

#include <cstdint>

namespace bloomery::math {

// Rows of m cells and k hashes that store `row_keys` keys each.
double choosy_rows_rate(std::uint64_t m, std::uint64_t k, std::uint64_t row_keys,
                        std::uint64_t keys);

// A row of `row_keys` keys so that `rows` of them, after as many keys as they take, stay at or under
// the rate, and of rates a thousandth apart the largest that does.
struct row_size {
  std::uint64_t bits;
  std::uint64_t hashes;
};
row_size plan_choosy_rows(std::uint64_t rows, std::uint64_t row_keys, double rate);

}  // namespace bloomery::math
