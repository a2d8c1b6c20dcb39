// How the secrets of guarded filters are kept in files.
//
// Purpose:   eight bytes that say which sort of secret it is, the body, eight bytes of checksum.
// Guarantee: `opened` throws errc::corrupt, saying what it found, unless the bytes are such a secret of
//            a size that is allowed. The checksum (of SHA-256) finds accidents; it proves no origin.
//
//     using namespace bloomery::secure;
//     const std::array<std::byte, 3> body{};
//     const auto stored = enclosed(secret_sort::cipher_key, body);
//     assert(sort_of(stored) == secret_sort::cipher_key);
//     assert(opened(secret_sort::cipher_key, stored, 1, 3).size() == 3);
#pragma once

#include <initializer_list>
#include <string_view>

#include "bloomery/filters/secure/crypto.hpp"
#include "bloomery/hash/identity.hpp"

namespace bloomery::secure {

enum class secret_sort : std::uint8_t { index_secret = 1, cipher_key = 3, oblivious_secret = 9 };
std::string_view name_of(secret_sort sort);

inline constexpr std::size_t longest_stored_secret = 8192;

secret_bytes enclosed(secret_sort sort, byte_view body);
bool is_stored_secret(byte_view bytes);  // by its first bytes
secret_sort sort_of(byte_view bytes);
// The body, which has `least` to `most` bytes.
byte_view opened(secret_sort sort, byte_view bytes, std::size_t least, std::size_t most);

secret_bytes joined(std::initializer_list<byte_view> parts);

// How a filter knows its secret again.
hash_identity identity_of(byte_view key);

}  // namespace bloomery::secure
