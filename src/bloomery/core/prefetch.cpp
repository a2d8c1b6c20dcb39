#include "bloomery/core/prefetch.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "bloomery/core/error.hpp"
#include "bloomery/core/simd.hpp"

namespace bloomery::core {
namespace {

cache_level level_of_this_processor() {
#if BLOOMERY_X86
  __builtin_cpu_init();  // this may run before the constructors of the C library's own
  if (__builtin_cpu_is("amd")) return cache_level::second;
#endif
  return cache_level::first;
}

cache_level wanted_level() {
  const char* const wanted = std::getenv("BLOOMERY_PREFETCH");
  if (wanted == nullptr || *wanted == '\0') return level_of_this_processor();
  if (std::string_view(wanted) == "l1") return cache_level::first;
  if (std::string_view(wanted) == "l2") return cache_level::second;
  fail(errc::invalid, "BLOOMERY_PREFETCH is \"" + std::string(wanted) + "\"; allowed: l1, l2");
}

}  // namespace

cache_level detail::decide_level() {
  const cache_level chosen = wanted_level();
  decided_level.store(static_cast<unsigned char>(chosen), std::memory_order_relaxed);
  return chosen;
}

}  // namespace bloomery::core
