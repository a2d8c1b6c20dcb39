// The result of a kernel's look-up of a batch: how many keys it answered, and how many were there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery::bits {

struct answered {
  std::size_t keys;    // of the batch, from the front
  std::uint64_t hits;  // among them
};

}  // namespace bloomery::bits
