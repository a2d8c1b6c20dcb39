#include "redis/type.hpp"

#include <string>

namespace bloomery::redis {

void reading::require_sound() const {
  if (RedisModule_IsIOError(from_) != 0) fail(errc::corrupt, "its bytes end early");
}

std::uint64_t reading::number() {
  const std::uint64_t value = RedisModule_LoadUnsigned(from_);
  require_sound();
  return value;
}

std::uint64_t reading::number(std::uint64_t most, const char* what) {
  const std::uint64_t value = number();
  if (value > most) {
    fail(errc::corrupt, std::string(what) + " is " + std::to_string(value) + ", at most " +
                            std::to_string(most) + " can be");
  }
  return value;
}

double reading::real() {
  const double value = RedisModule_LoadDouble(from_);
  require_sound();
  return value;
}

block reading::bytes() {
  std::size_t size = 0;
  char* const bytes = RedisModule_LoadStringBuffer(from_, &size);
  block result = block::adopt(bytes, bytes == nullptr ? 0 : size);
  require_sound();
  return result;
}

void log_refused(RedisModuleIO* io, const char* type, const char* why) noexcept {
  RedisModule_LogIOError(io, "warning", "a value of type %s is refused: %s", type, why);
}

void log_handled(RedisModuleIO* io, const char* type) noexcept {
  try {
    throw;
  } catch (const std::exception& thrown) {
    log_refused(io, type, thrown.what());
  } catch (...) {
    log_refused(io, type, "an unknown error");
  }
}

}  // namespace bloomery::redis
