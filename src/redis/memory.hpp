// Memory that the server accounts for: what it gives counts against `maxmemory` and shows in INFO, and
// what it refuses is an error and no abort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/int128.hpp"
#include "server.hpp"

namespace bloomery::redis {

// The server's allocator, or that of C where there is no server. Null if it refuses; `zeroed` is calloc.
void* try_allocate(std::size_t bytes) noexcept;
void* try_allocate_zeroed(std::size_t bytes) noexcept;
void release(void* memory) noexcept;
// What the allocator has set aside for it, which is at least what was asked for.
std::size_t usable_size(const void* memory, std::size_t asked) noexcept;
// What it would set aside for so many; errc::out_of_memory if it refuses them.
std::size_t bytes_set_aside(std::size_t bytes);
// What newer servers have and 7.0 has not is looked up here, once. The library's filters come from here too.
void use_memory_of_server() noexcept;

// How many bytes one key may take: bf.max-object-size, and never more than the machine has.
struct budget {
  std::uint64_t most;

  // Throws errc::limit or errc::out_of_memory, which name both sizes.
  void require(core::uint128 bytes) const;
};
std::uint64_t memory_of_machine();

// Bytes of the server, owned.
class block {
 public:
  block() = default;
  block(block&& other) noexcept { swap(other); }
  block& operator=(block&& other) noexcept {
    block(std::move(other)).swap(*this);
    return *this;
  }
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block() { release(data_); }

  // They throw errc::out_of_memory if the server refuses.
  static block untouched(std::uint64_t bytes);  // of any content
  static block zeroed(std::uint64_t bytes);
  static block copy_of(byte_view bytes);
  // What the server has allocated, for the caller to own.
  static block adopt(void* memory, std::size_t bytes) {
    block result;
    result.data_ = static_cast<std::byte*>(memory);
    result.size_ = bytes;
    return result;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] byte_view bytes() const { return {data_, size_}; }
  [[nodiscard]] std::span<std::byte> writable() { return {data_, size_}; }
  [[nodiscard]] std::size_t usable() const { return data_ ? usable_size(data_, size_) : 0; }
  // `move` is told where the bytes are and says where they are now, or null if they stay.
  template <class Move>
  void relocate(const Move& move) {
    if (void* const moved = data_ ? move(static_cast<void*>(data_)) : nullptr) {
      data_ = static_cast<std::byte*>(moved);
    }
  }

 private:
  void swap(block& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// For what standard containers keep beside the cells.
template <class T>
struct allocator {
  using value_type = T;
  allocator() = default;
  template <class U>
  allocator(const allocator<U>&) {}  // NOLINT(google-explicit-constructor): as containers want it

  T* allocate(std::size_t count) {
    void* const memory = count > SIZE_MAX / sizeof(T) ? nullptr : try_allocate(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { release(memory); }
  friend bool operator==(allocator, allocator) { return true; }
};

}  // namespace bloomery::redis
