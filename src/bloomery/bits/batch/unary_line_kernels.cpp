#include "bloomery/bits/batch/unary_line_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "bloomery/bits/batch/one_line.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/mix.hpp"

#define BLOOMERY_KERNELS "bloomery/bits/batch/unary_line_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

const unary_line_kernels& unary_kernels_for(const hash::line_pattern& pattern,
                                            core::backend which) {
  return BLOOMERY_BY(which, unary_kernels_for(pattern));
}

}  // namespace bloomery::bits
