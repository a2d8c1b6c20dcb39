// Includes BLOOMERY_KERNELS, a file x_kernels.inl, once for every back end.
//
// In it BLOOMERY_ISA is the back end's name, to use as a namespace, BLOOMERY_TARGET goes before every
// function, and BLOOMERY_VECTOR_BITS is 512, 256 or, where vectors are only what the compiler makes
// of them, 0.
#include "bloomery/core/simd.hpp"

#define BLOOMERY_ISA portable
#define BLOOMERY_TARGET
#define BLOOMERY_VECTOR_BITS 0
#include BLOOMERY_KERNELS
#undef BLOOMERY_ISA
#undef BLOOMERY_TARGET
#undef BLOOMERY_VECTOR_BITS

#if BLOOMERY_X86
#define BLOOMERY_ISA avx2
#define BLOOMERY_TARGET [[gnu::target("avx2,bmi,bmi2,popcnt")]]
#define BLOOMERY_VECTOR_BITS 256
#include BLOOMERY_KERNELS
#undef BLOOMERY_ISA
#undef BLOOMERY_TARGET
#undef BLOOMERY_VECTOR_BITS

#define BLOOMERY_ISA avx512
#define BLOOMERY_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,popcnt")]]
#define BLOOMERY_VECTOR_BITS 512
#include BLOOMERY_KERNELS
#undef BLOOMERY_ISA
#undef BLOOMERY_TARGET
#undef BLOOMERY_VECTOR_BITS
#endif

#undef BLOOMERY_KERNELS
