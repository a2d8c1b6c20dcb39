#include "bloomery/hash/xxh64.hpp"

// The analyzer believes that its code may be handed no address, which it checks for, and goes on.
#ifndef __clang_analyzer__
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace bloomery::hash {

std::uint64_t xxh64(byte_view text, std::uint64_t seed) {
  return XXH64(text.data(), text.size(), seed);
}

}  // namespace bloomery::hash
