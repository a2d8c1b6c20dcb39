// HighwayHash of a batch of keys, several at once.
//
// Purpose:   the vector code under keyed_hash; keyed_kernels.inl has it once for all back ends. One key
//            alone keeps a processor waiting for its own last step; the steps of several fill that time.
// Cost:      docs/performance.md. Keys that lie side by side should be alike in length: those of one step
//            take as long as the longest of them.
// Guarantee: what HighwayHash-128 gives, bit for bit, for keys of any length; no byte outside them is
//            read. The portable back end makes no digests.
// Citation:  Alakuijala, Cox, Wassenberg, arXiv:1612.06257.
//
//     const bloomery::keyed_hash hash(bloomery::bytes_of("thirty-two bytes that none knows"));
//     const std::array<std::string_view, 2> keys{"ape", ""};
//     std::array<bloomery::digest, 2> digests;
//     hash.all(keys, digests.data());
//     assert(digests[0] == hash("ape") && digests[1] == hash(""));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/hash/digest.hpp"

namespace bloomery::hash {

// How many digests were made, all of them or none.
std::size_t keyed_digests(std::span<const std::uint64_t, 4> secret,
                          std::span<const std::string_view> keys, digest* digests);

}  // namespace bloomery::hash
