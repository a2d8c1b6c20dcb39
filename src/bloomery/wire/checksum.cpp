#include "bloomery/wire/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery::wire {

std::uint64_t checksum(std::span<const byte_view> parts) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const byte_view part : parts) XXH3_64bits_update(&state, part.data(), part.size());
  return XXH3_64bits_digest(&state);
}

std::uint64_t checksum(byte_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace bloomery::wire
