// xxHash of 64 bits, for formats of other programs that are made of it; ours is XXH3 (policies.hpp).
//
// Citation:  Collet, xxHash fast digest algorithm, XXH64.
//
//     assert(bloomery::hash::xxh64({}, 0) == 0xef46db3751d8e999);
#pragma once

#include <cstdint>

#include "bloomery/core/bytes.hpp"

namespace bloomery::hash {

std::uint64_t xxh64(byte_view text, std::uint64_t seed);

}  // namespace bloomery::hash
