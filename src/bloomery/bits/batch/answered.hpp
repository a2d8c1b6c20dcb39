// Result of a batch look-up: keys answered, hits.
//
//     const bloomery::answered none{0, 0};
//     assert(none.keys == 0 && none.hits == 0);
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery {

struct answered {
  std::size_t keys;    // of the batch, from the front
  std::uint64_t hits;  // among them
};

}  // namespace bloomery
