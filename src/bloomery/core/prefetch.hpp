// Asks for a cache line ahead of its use.
//
// Purpose:   the one way to prefetch, and the one place that says into which cache. Batches ask for many
//            lines at a time. A processor has few buffers for lines on their way to the first-level
//            cache, and may have more to the second, from where a line is a few nanoseconds away.
// Cost:      one instruction. Kernels choose the level once a batch; prefetch() by a branch that is
//            always taken the same way.
// Guarantee: AMD's processors are asked for lines into the second level, others into the first:
//            measured on Zen 4 only (docs/performance.md). The environment variable BLOOMERY_PREFETCH,
//            l1 or l2, says otherwise; anything else in it throws errc::invalid at the first use.
//
//     bloomery::core::prefetch(nullptr);  // any address will do: nothing is read
//     bloomery::core::prefetch_into<bloomery::core::cache_level::second>(nullptr);
#pragma once

#include <atomic>

namespace bloomery::core {

enum class cache_level : unsigned char { first, second };

namespace detail {
inline std::atomic<unsigned char> decided_level{255};  // 255: not yet
cache_level decide_level();
}  // namespace detail

// Where batches want their lines on this machine.
inline cache_level prefetched_level() {
  const unsigned char now = detail::decided_level.load(std::memory_order_relaxed);
  return now == 255 ? detail::decide_level() : static_cast<cache_level>(now);
}

template <cache_level level>
[[gnu::always_inline]] inline void prefetch_into(const void* address) {
  __builtin_prefetch(address, 0, level == cache_level::first ? 3 : 2);
  // GCC takes a function that does nothing else for one without effect, and drops calls of it that it
  // has not inlined: an effect that it believes in.
  asm volatile("");
}

[[gnu::always_inline]] inline void prefetch(const void* address) {
  if (prefetched_level() == cache_level::second) {
    prefetch_into<cache_level::second>(address);
  } else {
    prefetch_into<cache_level::first>(address);
  }
}

}  // namespace bloomery::core
