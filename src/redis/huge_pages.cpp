#include "redis/huge_pages.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "redis/server.hpp"

namespace bloomery::redis::huge_pages {
namespace {

// Of x86-64, and of AArch64 with pages of 4 KiB.
constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
constexpr std::size_t least = 2 * page;  // whose middle is a page, wherever it begins

std::atomic<bool> wanted_now = false;
std::atomic<bool> wanted_ever = false;  // memory is freed by other threads too

struct run {
  void* begin;
  std::size_t bytes;
};

run whole_pages(void* memory, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (at + page - 1) & ~(page - 1);
  const std::uintptr_t end = (at + bytes) & ~(page - 1);
  return {static_cast<char*>(memory) + (begin - at), end - begin};
}

}  // namespace

void want(bool wanted) noexcept {
  wanted_now = wanted;
  if (wanted) wanted_ever = true;
}

bool are_wanted() noexcept {
  return wanted_now;
}

void advise(void* fresh, std::size_t bytes) noexcept {
  if (!wanted_now || fresh == nullptr || bytes < least) return;
  const run pages = whole_pages(fresh, bytes);
  if (::madvise(pages.begin, pages.bytes, MADV_HUGEPAGE) != 0) return;
  (void)::madvise(pages.begin, pages.bytes, MADV_DONTNEED);  // small ones of an earlier use
}

void move_to(void* memory, std::size_t bytes) noexcept {
  if (!wanted_now || memory == nullptr || bytes < least) return;
  const run pages = whole_pages(memory, bytes);
  void* const aside = RedisModule_TryAlloc(page);
  if (aside == nullptr) return;
  if (::madvise(pages.begin, pages.bytes, MADV_HUGEPAGE) == 0) {
    for (std::size_t i = 0; i < pages.bytes; i += page) {
      char* const at = static_cast<char*>(pages.begin) + i;
      std::memcpy(aside, at, page);
      (void)::madvise(at, page, MADV_DONTNEED);  // the next to touch it is given a huge one
      std::memcpy(at, aside, page);
    }
  }
  RedisModule_Free(aside);
}

void take_back(void* memory) noexcept {
  if (!wanted_ever || memory == nullptr || RedisModule_MallocSize == nullptr) return;
  const std::size_t bytes = RedisModule_MallocSize(memory);
  if (bytes < least) return;
  const run pages = whole_pages(memory, bytes);
  (void)::madvise(pages.begin, pages.bytes, MADV_NOHUGEPAGE);
}

}  // namespace bloomery::redis::huge_pages
