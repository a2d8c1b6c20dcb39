// Digests kept until their number is known, so that a filter can be sized from the data.
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/hash/digest.hpp"

namespace bloomery::cli {

using digest_spool = std::vector<std::vector<digest>>;  // in input order

// Distinct keys, told apart by 64 bits of digest: short by about n²/2^65, far below one in practice.
std::uint64_t count_distinct(const digest_spool& spool, unsigned threads);

}  // namespace bloomery::cli
