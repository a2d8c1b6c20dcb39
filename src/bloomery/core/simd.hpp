// Which instruction set the vector kernels use on this machine.
//
// Purpose:   kernels are written once, in a file x_kernels.inl, and compiled for the baseline of the
//            build, AVX2 and AVX-512 by each_backend.inl; the best that the processor has is chosen
//            at run time, so that a generic binary is fast everywhere. On 64-bit ARM, NEON runs the
//            kernels for AVX2, if SIMDe was there when the library was built (vectors.hpp).
// Cost:      one load per batch.
// Guarantee: every back end computes the same; tests force each by the environment variable
//            BLOOMERY_BACKEND (portable, avx2, avx512, neon). A name that is unknown, or that
//            this machine cannot run, throws errc::invalid at the first use.
//
//     assert(bloomery::core::runnable(bloomery::core::backend::portable));
//     const bloomery::core::forced_backend plain(bloomery::core::backend::portable);
//     assert(bloomery::core::chosen_backend() == bloomery::core::backend::portable);
#pragma once

#include <atomic>
#include <string_view>

#if defined(__x86_64__)
#define BLOOMERY_X86 1
#else
#define BLOOMERY_X86 0
#endif

// Whether headers have vectors as inline assembly, which the program that includes them runs whatever it was compiled
// for. Sanitizers that watch memory do not see what assembly does: under them there is none.
#if defined(__has_feature)
#define BLOOMERY_HAS_FEATURE(x) __has_feature(x)
#else
#define BLOOMERY_HAS_FEATURE(x) 0
#endif
#if BLOOMERY_X86 && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&     \
    !BLOOMERY_HAS_FEATURE(address_sanitizer) && !BLOOMERY_HAS_FEATURE(thread_sanitizer) && \
    !BLOOMERY_HAS_FEATURE(memory_sanitizer)
#define BLOOMERY_INLINE_VECTORS 1
#else
#define BLOOMERY_INLINE_VECTORS 0
#endif
#undef BLOOMERY_HAS_FEATURE

namespace bloomery::core {

enum class backend : unsigned char { portable, avx2, avx512, neon };
inline constexpr backend all_backends[] = {backend::portable, backend::avx2, backend::avx512,
                                           backend::neon};

std::string_view name_of(backend which);
bool runnable(backend which);  // by this processor

namespace detail {
inline std::atomic<unsigned char> decided_backend{255};  // 255: not yet
backend decide_backend();
}  // namespace detail

// The best runnable one, or what BLOOMERY_BACKEND says.
inline backend chosen_backend() {
  const unsigned char now = detail::decided_backend.load(std::memory_order_relaxed);
  return now == 255 ? detail::decide_backend() : static_cast<backend>(now);
}

// The back end whose instructions may be inlined: the chosen one, unless that is emulated.
backend inlined_backend();

// For tests: runs what follows on `which`, which must be runnable, until the object dies. Not for
// use beside other threads.
class forced_backend {
 public:
  explicit forced_backend(backend which);
  forced_backend(const forced_backend&) = delete;
  forced_backend& operator=(const forced_backend&) = delete;
  ~forced_backend();

 private:
  backend before_;
};

}  // namespace bloomery::core
