// Bytes to hardly more than their entropy, and back: the coder of filters that are sent.
//
// Purpose:   bits that are each 1 with some probability, as in a filter of any fill, and bytes of
//            uneven frequencies, as in counters. Anything else is stored as it is.
// Cost:      nanoseconds for each rarer bit, or with AVX2 one for a byte encoded and two thirds of one
//            for a byte decoded, whichever is less; scratch of some megabytes a thread, and
//            four times a block that others made larger than ours. Blocks are independent, so threads
//            share the work.
// Guarantee: lossless. Independent bits, 1 with probability p or 1 - p from 1e-6 to 1/2, take less
//            than .1 % over their entropy and 100 bytes more. The bytes of the result depend on the
//            input alone, whatever the threads. Decoding trusts nothing: errc::corrupt.
// Citation:  Mitzenmacher 2002 (why); Golomb 1966 (gaps); Duda 2013 (how).
//
//     std::vector<std::byte> sparse(100'000);
//     sparse[77] = sparse[77'777] = std::byte{4};
//     const std::vector<std::byte> coded = bloomery::bits::entropy_encode(sparse);
//     assert(coded.size() < 40 && bloomery::bits::decoded_bytes(coded) == sparse.size());
//     std::vector<std::byte> again(sparse.size());
//     bloomery::bits::entropy_decode(coded, again);
//     assert(again == sparse);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

std::vector<std::byte> entropy_encode(byte_view raw, unsigned threads = 1);
// The same without saving anything: blocks that hold the bytes as they are.
std::vector<std::byte> raw_blocks(byte_view raw);

// How many bytes these decode to, by their blocks' word. Looks at the blocks' heads alone, so a
// caller can refuse before anything is allocated.
std::uint64_t decoded_bytes(byte_view coded);

// `raw` must be of just that size and zero; its content is undefined if this throws.
void entropy_decode(byte_view coded, std::span<std::byte> raw, unsigned threads = 1);

}  // namespace bloomery::bits
