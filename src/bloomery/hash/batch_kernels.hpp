// Hashing and locating a batch of keys, several at once.
//
// Purpose:   the vector code under integer_hash and digit_probes; batch_kernels.inl has it once for all
//            back ends.
// Cost:      by AVX-512 half or less of what one key after another costs; docs/performance.md.
// Guarantee: what integer_hash and digit_probes::all give, bit for bit. A prefix of the batch is done:
//            none of it by the portable back end, nor where positions need more than the two halves of a
//            digest or 2^32 cells in a slice.
//
//     const std::vector<std::uint64_t> ids{1, 2, 3, 4, 5, 6, 7, 8};
//     std::vector<bloomery::digest> digests(8);
//     const bloomery::integer_hash hash;
//     hash.all(ids, digests.data());
//     assert(digests[7] == hash(8));
//     const bloomery::hash::digit_probes probes(1000, 3);
//     std::uint64_t rows[3 * 8];
//     if (bloomery::hash::locate_front(probes, digests.data(), 8, rows, 8) == 8) {
//       assert(rows[0] < 1000 && rows[8] >= 1000 && rows[8] < 2000);
//     }
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/policies.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery::hash {

// How many digests were made, from the front.
std::size_t hash_front(std::uint64_t offset, const std::uint64_t* keys, std::size_t count,
                       digest* digests);

// Position j of key i goes to rows[j * stride + i]; how many keys were located, from the front.
std::size_t locate_front(const digit_probes& probes, const digest* keys, std::size_t count,
                         std::uint64_t* rows, std::size_t stride);

}  // namespace bloomery::hash
