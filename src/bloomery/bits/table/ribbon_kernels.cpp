#include "bloomery/bits/table/ribbon_kernels.hpp"

#include <algorithm>
#include <array>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/vectors.hpp"

#define BLOOMERY_KERNELS "bloomery/bits/table/ribbon_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

const ribbon_kernels& ribbon_kernels_of(core::backend which) {
  static constexpr std::array all {
    ribbon_kernels{portable::values, portable::eliminate, portable::substitute,
                   portable::substitute_together},
#if BLOOMERY_X86
        ribbon_kernels{avx2::values, avx2::eliminate, avx2::substitute, avx2::substitute_together},
        ribbon_kernels{avx512::values, avx512::eliminate, avx512::substitute,
                       avx512::substitute_together},
#endif
  };
  return all[static_cast<std::size_t>(which)];
}

}  // namespace bloomery::bits
