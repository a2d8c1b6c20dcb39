// What zlib compressed, as other programs' messages bring it.
//
// Purpose:   reading a stream in the form of zlib (RFC 1950 and 1951) without a library for it; nothing here
//            compresses.
// Cost:      a step a bit, so that no stream takes longer than its length and what it makes.
// Guarantee: no byte more than `most_bytes` is made, whatever the stream claims. errc::limit if it would be more;
//            errc::corrupt if it is no such stream, ends too early, goes on behind its end or misses its checksum.
// Citation:  Deutsch and Gailly, RFC 1950; Deutsch, RFC 1951.
//
//     const std::array<unsigned char, 11> stream{0x78, 0xda, 0x4b, 0x4c, 0x4a, 0x06,
//                                                0x00, 0x02, 0x4d, 0x01, 0x27};
//     const std::vector<std::byte> text = bloomery::bits::inflate(std::as_bytes(std::span(stream)), 3);
//     assert(text.size() == 3 && text[2] == std::byte{'c'});
#pragma once

#include <cstddef>
#include <vector>

#include "bloomery/core/bytes.hpp"

namespace bloomery::bits {

std::vector<std::byte> inflate(byte_view stream, std::size_t most_bytes);

}  // namespace bloomery::bits
