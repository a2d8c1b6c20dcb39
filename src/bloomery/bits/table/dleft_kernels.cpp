#include "bloomery/bits/table/dleft_kernels.hpp"

#include <algorithm>

#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/mix.hpp"

#define BLOOMERY_KERNELS "bloomery/bits/table/dleft_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

answered dleft_contains(const dleft_words& table, const digest* keys, std::size_t count,
                        bool* answers) {
  const bool suited = table.in.data != nullptr && table.buckets >> 32 == 0 && table.most >> 32 == 0;
  if (!suited) return {0, 0};
  return BLOOMERY_BY(core::chosen_backend(), contains(table, keys, count, answers));
}

}  // namespace bloomery::bits
