#include "bloomery/bits/table/ribbon_kernels.hpp"

#include <algorithm>
#include <array>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/vectors.hpp"

#define BLOOMERY_KERNELS "bloomery/bits/table/ribbon_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

const ribbon_kernels& ribbon_kernels_of(core::backend which) {
  return BLOOMERY_BY(which, all_ribbon_kernels);
}

}  // namespace bloomery::bits
