// Includes BLOOMERY_KERNELS, a file x_kernels.inl, once for every back end.
//
// In it BLOOMERY_ISA is the back end's name, to use as a namespace, BLOOMERY_TARGET goes before every
// function, and BLOOMERY_VECTOR_BITS is 512, 256 or, where vectors are only what the compiler makes
// of them, 0. BLOOMERY_BY(which, f(x)) is then f(x) as that back end has it.
#include "bloomery/core/simd.hpp"

#define BLOOMERY_ISA portable
#define BLOOMERY_TARGET
#define BLOOMERY_VECTOR_BITS 0
#include BLOOMERY_KERNELS
#undef BLOOMERY_ISA
#undef BLOOMERY_TARGET
#undef BLOOMERY_VECTOR_BITS

#if BLOOMERY_X86
#if defined(BLOOMERY_SIMDE)  // for the baseline of the build, like the portable one
#define BLOOMERY_AVX2
#define BLOOMERY_AVX512
#else
#define BLOOMERY_AVX2 [[gnu::target("avx2,bmi,bmi2,popcnt")]]
#define BLOOMERY_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,popcnt")]]
#endif

#define BLOOMERY_ISA avx2
#define BLOOMERY_TARGET BLOOMERY_AVX2
#define BLOOMERY_VECTOR_BITS 256
#include BLOOMERY_KERNELS
#undef BLOOMERY_ISA
#undef BLOOMERY_TARGET
#undef BLOOMERY_VECTOR_BITS

#define BLOOMERY_ISA avx512
#define BLOOMERY_TARGET BLOOMERY_AVX512
#define BLOOMERY_VECTOR_BITS 512
#include BLOOMERY_KERNELS
#undef BLOOMERY_ISA
#undef BLOOMERY_TARGET
#undef BLOOMERY_VECTOR_BITS
#undef BLOOMERY_AVX2
#undef BLOOMERY_AVX512

#define BLOOMERY_BY(which, ...)                                       \
  ((which) == ::bloomery::core::backend::avx512 ? avx512::__VA_ARGS__ \
   : (which) == ::bloomery::core::backend::avx2 ? avx2::__VA_ARGS__   \
                                                : portable::__VA_ARGS__)

#elif defined(BLOOMERY_SIMDE)
#define BLOOMERY_ISA neon
#define BLOOMERY_TARGET
#define BLOOMERY_VECTOR_BITS 256
#include BLOOMERY_KERNELS
#undef BLOOMERY_ISA
#undef BLOOMERY_TARGET
#undef BLOOMERY_VECTOR_BITS

#define BLOOMERY_BY(which, ...) \
  ((which) == ::bloomery::core::backend::neon ? neon::__VA_ARGS__ : portable::__VA_ARGS__)

#else
#define BLOOMERY_BY(which, ...) ((void)(which), portable::__VA_ARGS__)
#endif

#undef BLOOMERY_KERNELS
