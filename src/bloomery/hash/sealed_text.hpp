// Short texts that only the holder of a keyed hash can read.
//
// Purpose:   names of keys inside a filter whose keys are to stay secret.
// Cost:      a hash for each 16 bytes.
// Guarantee: all sealed texts of a size look alike, whatever their length; a text of one digest has one
//            sealed form, so that equal filters stay equal bytes. What does not fit is cut at a
//            character and ends in "…". The key stream is the hash of the digest and a number: a
//            pseudo-random function under the same secret as the digests.
//
//     const std::array<std::byte, 32> secret{};
//     const bloomery::hasher hash{bloomery::keyed_hash(secret)};
//     const std::string sealed = bloomery::hash::sealed_text(hash, {1, 2}, "zebra", 50);
//     assert(sealed.size() == 50 && sealed.find("zebra") == std::string::npos);
//     assert(bloomery::hash::unsealed_text(hash, {1, 2}, sealed) == "zebra");
#pragma once

#include <string>
#include <string_view>

#include "bloomery/hash/hasher.hpp"

namespace bloomery::hash {

// `size` bytes, up to 127.
std::string sealed_text(const hasher& hash, digest of, std::string_view text, std::size_t size);
// Empty if this is no text that was sealed so.
std::string unsealed_text(const hasher& hash, digest of, std::string_view sealed);

}  // namespace bloomery::hash
