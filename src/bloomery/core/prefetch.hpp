// Asks for a cache line ahead of its use.
//
// Purpose:   the one way to prefetch from a function that does nothing else. GCC takes such a function
//            for one without effect and drops calls of it that it has not inlined.
// Cost:      one instruction.
//
//     bloomery::core::prefetch(nullptr);  // any address will do: nothing is read
#pragma once

namespace bloomery::core {

[[gnu::always_inline]] inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");  // an effect that GCC believes in
}

}  // namespace bloomery::core
