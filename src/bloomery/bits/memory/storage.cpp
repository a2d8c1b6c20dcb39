#include "bloomery/bits/memory/storage.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery {
namespace {

// The size of an x86-64 and AArch64 transparent huge page; from here on mapping beats the heap.
constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;

memory_source from_program{};

[[noreturn]] void refuse_memory(std::uint64_t bytes) {
  fail(errc::out_of_memory, "the machine refused " + format_size(bytes) + " of memory");
}

std::shared_ptr<std::byte> from_source(const memory_source& source, std::uint64_t bytes) {
  void* const memory = source.allocate(bytes + cache_line_bytes);
  if (memory == nullptr) refuse_memory(bytes);
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  auto* aligned =
      static_cast<std::byte*>(memory) + (core::round_up(start, cache_line_bytes) - start);
  std::memset(aligned, 0, bytes);
  return {aligned, [memory, release = source.release](std::byte*) { release(memory); }};
}

std::shared_ptr<std::byte> from_heap(std::uint64_t bytes) {
  void* memory = ::operator new (bytes, std::align_val_t{cache_line_bytes}, std::nothrow);
  if (memory == nullptr) refuse_memory(bytes);
  std::memset(memory, 0, bytes);
  return {static_cast<std::byte*>(memory),
          [](std::byte* p) { ::operator delete (p, std::align_val_t{cache_line_bytes}); }};
}

// Mapped with room to start on a huge-page boundary, so that the first page can be huge too.
std::shared_ptr<std::byte> from_system(std::uint64_t bytes) {
  const std::uint64_t mapped = bytes + huge_page;
  void* memory =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse_memory(bytes);
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  auto* aligned = static_cast<std::byte*>(memory) + (core::round_up(start, huge_page) - start);
  ::madvise(aligned, bytes, MADV_HUGEPAGE);  // advice: a kernel without it is only slower
  return {aligned, [memory, mapped](std::byte*) { ::munmap(memory, mapped); }};
}

}  // namespace

void use_memory_of(const memory_source& source) {
  from_program = source;
}

storage storage::allocate(std::uint64_t bytes) {
  if (bytes > max_bits / 8) {
    fail(errc::limit, "a structure of " + format_size(bytes) + " is beyond the limit of " +
                          format_size(max_bits / 8));
  }
  storage result;
  result.size_ = core::round_up(bytes, cache_line_bytes);
  if (result.size_ == 0) return result;
  auto memory = from_program.allocate != nullptr ? from_source(from_program, result.size_)
                : result.size_ < huge_page       ? from_heap(result.size_)
                                                 : from_system(result.size_);
  result.data_ = result.writable_ = memory.get();
  result.owner_ = std::move(memory);
  return result;
}

storage storage::view(byte_view bytes, std::shared_ptr<const void> owner) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) != 0) {
    fail(errc::invalid, "memory to view must start at a multiple of 8; copy it to such a place");
  }
  if (bytes.size() % cache_line_bytes != 0) {
    fail(errc::invalid, "memory to view must be whole 64-byte lines, this is " +
                            std::to_string(bytes.size()) + " bytes");
  }
  storage result;
  result.owner_ = std::move(owner);
  result.data_ = bytes.data();
  result.size_ = bytes.size();
  return result;
}

void storage::refuse_writing() {
  fail(errc::read_only, "this is a read-only view; copy it to change it");
}

storage::storage(const storage& other) : storage(allocate(other.size_)) {
  std::copy(other.data_, other.data_ + size_, writable_);
}

storage storage::take_front(std::uint64_t bytes) {
  assert(bytes % cache_line_bytes == 0 && bytes <= size_);
  storage front;
  front.owner_ = owner_;
  front.data_ = data_;
  front.writable_ = writable_;
  front.size_ = bytes;
  data_ += bytes;
  if (writable_ != nullptr) writable_ += bytes;
  size_ -= bytes;
  return front;
}

storage storage::take_stored(std::uint64_t bytes) {
  if (bytes > size_) {
    fail(errc::corrupt, "the cells take " + std::to_string(bytes) + " bytes or more, there are " +
                            std::to_string(size_));
  }
  return take_front(bytes);
}

}  // namespace bloomery
