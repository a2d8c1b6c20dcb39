#include "bloomery/bits/table/fuse_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bloomery/bits/table/fuse_table.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/mix.hpp"

#define BLOOMERY_KERNELS "bloomery/bits/table/fuse_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

const fuse_kernels& fuse_kernels_now() {
  return BLOOMERY_BY(core::chosen_backend(), all_fuse_kernels);
}

}  // namespace bloomery::bits
