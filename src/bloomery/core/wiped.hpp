// Memory for secrets: wiped before it is given back.
//
// Guarantee: the compiler does not leave the wiping out. What was copied elsewhere, or swapped out by the
//            system, is not reached.
//
//     const bloomery::core::wiped_bytes secret(32, std::byte{7});
//     assert(secret.size() == 32);
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace bloomery::core {

inline void wipe(std::span<std::byte> bytes) noexcept {
  ::explicit_bzero(bytes.data(), bytes.size());
}

template <class T>
struct wiping_allocator {
  using value_type = T;
  wiping_allocator() = default;
  template <class U>
  explicit wiping_allocator(const wiping_allocator<U>& /*other*/) {}
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* at, std::size_t n) {
    wipe({reinterpret_cast<std::byte*>(at), n * sizeof(T)});
    std::allocator<T>().deallocate(at, n);
  }
  friend bool operator==(const wiping_allocator&, const wiping_allocator&) { return true; }
};
using wiped_bytes = std::vector<std::byte, wiping_allocator<std::byte>>;

}  // namespace bloomery::core
