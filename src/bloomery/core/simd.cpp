#include "bloomery/core/simd.hpp"

#include <cassert>
#include <cstdlib>
#include <string>

#include "bloomery/core/error.hpp"

namespace bloomery::core {
namespace {

backend best_runnable() {
  for (const backend which : {backend::avx512, backend::avx2, backend::neon}) {
    if (runnable(which)) return which;
  }
  return backend::portable;
}

backend decide() {
  const char* wanted = std::getenv("BLOOMERY_BACKEND");
  if (wanted == nullptr || *wanted == '\0') return best_runnable();
  std::string names;
  for (const backend which : all_backends) {
    if (!runnable(which)) continue;
    if (name_of(which) == wanted) return which;
    names += (names.empty() ? "" : ", ") + std::string(name_of(which));
  }
  fail(errc::invalid,
       "BLOOMERY_BACKEND is \"" + std::string(wanted) + "\"; allowed on this processor: " + names);
}

}  // namespace

std::string_view name_of(backend which) {
  switch (which) {
    case backend::avx512:
      return "avx512";
    case backend::avx2:
      return "avx2";
    case backend::neon:
      return "neon";
    case backend::portable:
      break;
  }
  return "portable";
}

bool runnable(backend which) {
#if defined(__SANITIZE_THREAD__)  // which must see a line's words one by one
#elif BLOOMERY_X86 && defined(BLOOMERY_SIMDE)
  return which != backend::neon;
#elif defined(BLOOMERY_SIMDE)
  if (which == backend::neon) return true;
#elif BLOOMERY_X86
  switch (which) {
    case backend::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
             runnable(backend::avx2);
    case backend::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    case backend::neon:
    case backend::portable:
      break;
  }
#endif
  return which == backend::portable;
}

backend detail::decide_backend() {
  const backend chosen = decide();
  decided_backend.store(static_cast<unsigned char>(chosen), std::memory_order_relaxed);
  return chosen;
}

backend inlined_backend() {
#if BLOOMERY_X86 && defined(BLOOMERY_SIMDE)
  return backend::portable;
#else
  return chosen_backend();
#endif
}

forced_backend::forced_backend(backend which) : before_(chosen_backend()) {
  assert(runnable(which));
  detail::decided_backend.store(static_cast<unsigned char>(which), std::memory_order_relaxed);
}

forced_backend::~forced_backend() {
  detail::decided_backend.store(static_cast<unsigned char>(before_), std::memory_order_relaxed);
}

}  // namespace bloomery::core
