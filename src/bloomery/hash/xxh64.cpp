#include "bloomery/hash/xxh64.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery::hash {

std::uint64_t xxh64(byte_view text, std::uint64_t seed) {
  // Nothing may have no address, of which not even nothing may be copied.
  return text.empty() ? XXH64("", 0, seed) : XXH64(text.data(), text.size(), seed);
}

}  // namespace bloomery::hash
