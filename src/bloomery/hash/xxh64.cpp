#include "bloomery/hash/xxh64.hpp"

#include <cassert>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery::hash {

std::uint64_t xxh64(byte_view text, std::uint64_t seed) {
  if (text.empty()) return XXH64("", 0, seed);  // nothing may have no address
  assert(text.data() != nullptr);
  return XXH64(text.data(), text.size(), seed);
}

}  // namespace bloomery::hash
