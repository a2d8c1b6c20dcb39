// MD5, for formats of other programs that are made of it.
//
// Purpose:   compatibility only: anybody can make texts of the same MD5. Nothing of ours is hashed by it.
// Cost:      some 600 MB/s; no memory.
// Guarantee: the vectors of RFC 1321, whatever the parts in which a text comes.
// Citation:  Rivest, The MD5 Message-Digest Algorithm, RFC 1321.
//
//     bloomery::hash::md5 hash;
//     hash.add(bloomery::bytes_of("ab")).add(bloomery::bytes_of("c"));
//     assert(hash.end()[0] == std::byte{0x90});
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/core/bytes.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::hash {

class md5 {
 public:
  md5& add(byte_view part);
  // Of all parts; nothing can be added after it.
  std::array<std::byte, 16> end();

 private:
  static constexpr std::size_t block_bytes = 64;
  void take(const std::byte* block);

  std::array<std::uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::array<std::byte, block_bytes> waiting_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace bloomery::hash
