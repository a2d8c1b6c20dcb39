// The intrinsics that vector kernels are written in: the processor's own, or SIMDe's.
//
// Purpose:   kernels know Intel's intrinsics only. Where the build says so (BLOOMERY_SIMDE), these are
//            what SIMDe makes of them: NEON on ARM, and on x86 whatever the compiler may use there, so
//            that kernels for AVX-512 can be tested on a processor that lacks it.
// Cost:      none of its own.
// Guarantee: only sources that have kernels include this: SIMDe's names are macros.
#pragma once

#include "bloomery/core/simd.hpp"

#if defined(BLOOMERY_SIMDE)
#include "bloomery/core/simde.inl"
#elif BLOOMERY_X86
#include <immintrin.h>
#endif
