#include "redis/memory.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "redis/huge_pages.hpp"

namespace bloomery::redis {
namespace {

void* (*try_calloc)(std::size_t count, std::size_t size) = nullptr;  // since 7.2

}  // namespace

void use_memory_of_server() noexcept {
  RedisModule_GetApi("RedisModule_TryCalloc", reinterpret_cast<void**>(&try_calloc));
  use_memory_of({try_allocate, release});
}

void* try_allocate(std::size_t bytes) noexcept {
  if (bytes > max_bits / 8) return nullptr;
  if (RedisModule_TryAlloc == nullptr) return std::malloc(bytes);
  void* const memory = RedisModule_TryAlloc(bytes);
  huge_pages::advise(memory, bytes);
  return memory;
}

void* try_allocate_zeroed(std::size_t bytes) noexcept {
  if (bytes > max_bits / 8) return nullptr;
  // Zeros that the kernel brings are on its own pages: what is to be huge has to be said before.
  if (try_calloc != nullptr && !huge_pages::are_wanted()) return try_calloc(1, bytes);
  void* const memory = try_allocate(bytes);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  huge_pages::take_back(memory);
  if (RedisModule_Free != nullptr) {
    RedisModule_Free(memory);
  } else {
    std::free(memory);
  }
}

std::size_t usable_size(const void* memory, std::size_t asked) noexcept {
  return RedisModule_MallocSize != nullptr ? RedisModule_MallocSize(const_cast<void*>(memory))
                                           : asked;
}

namespace {

[[noreturn]] void refuse(std::uint64_t bytes) {
  fail(errc::out_of_memory,
       "Insufficient memory to create filter: the server has not " + format_size(bytes) + " more");
}

}  // namespace

std::size_t bytes_set_aside(std::size_t bytes) {
  const block tried = block::untouched(bytes);
  return tried.usable();
}

std::uint64_t memory_of_machine() {
  static const std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                     static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void budget::require(core::uint128 bytes) const {
  if (bytes <= most) return;
  const std::string size = bytes > max_bits / 8 ? "more than " + format_size(max_bits / 8)
                                                : format_size(static_cast<std::uint64_t>(bytes));
  fail(errc::limit, "Insufficient memory to create filter: it would take " + size + ", and " +
                        format_size(most) + " are allowed (bf.max-object-size)");
}

block block::untouched(std::uint64_t bytes) {
  void* const memory = try_allocate(bytes);
  if (memory == nullptr && bytes != 0) refuse(bytes);
  return adopt(memory, bytes);
}

block block::zeroed(std::uint64_t bytes) {
  void* const memory = try_allocate_zeroed(bytes);
  if (memory == nullptr && bytes != 0) refuse(bytes);
  return adopt(memory, bytes);
}

block block::copy_of(byte_view bytes) {
  void* const memory = try_allocate(bytes.size());
  if (bytes.empty()) return adopt(memory, 0);
  if (memory == nullptr) {
    fail(errc::out_of_memory,
         "Insufficient memory: the server has not " + format_size(bytes.size()) + " more");
  }
  std::memcpy(memory, bytes.data(), bytes.size());
  return adopt(memory, bytes.size());
}

}  // namespace bloomery::redis
