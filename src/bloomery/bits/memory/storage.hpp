// The bytes under every structure: owned and writable, or a read-only view.
//
// Purpose:   one 64-byte-aligned run of whole cache lines. Owned storage is zeroed, asks for
//            transparent huge pages from 2 MiB up. A view covers caller memory or a mapped file and
//            never copies; a copy of either is owned.
// Guarantee: absurd sizes and refused memory throw errc::limit or errc::out_of_memory; writing
//            through a view throws errc::read_only.
//
//     auto cells = bloomery::storage::allocate(100);
//     assert(cells.size() == 128 && cells.writable());
//     cells.bytes_for_writing()[0] = std::byte{1};
//     const auto seen = bloomery::storage::view(cells.bytes());
//     assert(!seen.writable() && seen.bytes()[0] == std::byte{1});
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "bloomery/core/bytes.hpp"

namespace bloomery {

// Where storage comes from in a program that accounts for memory itself, such as a server with a limit.
// `allocate` gives memory of any content, or null.
struct memory_source {
  void* (*allocate)(std::size_t bytes) noexcept;
  void (*release)(void* memory) noexcept;
};
// For all storage from now on; what there is goes back to where it came from. Not beside other threads.
void use_memory_of(const memory_source& source);

class storage {
 public:
  storage() = default;
  storage(storage&& other) noexcept { swap(other); }  // which is empty then
  storage& operator=(storage&& other) noexcept {
    storage(std::move(other)).swap(*this);
    return *this;
  }
  storage(const storage& other);  // owned
  storage& operator=(const storage& other) { return *this = storage(other); }
  ~storage() = default;

  // At least `bytes` zero bytes, rounded up to whole cache lines.
  static storage allocate(std::uint64_t bytes);

  // Caller memory, which must outlive the storage (or be kept alive by `owner`), start at a
  // multiple of 8 and hold whole cache lines.
  static storage view(byte_view bytes, std::shared_ptr<const void> owner = nullptr);

  [[nodiscard]] bool writable() const { return writable_ != nullptr; }
  [[nodiscard]] byte_view bytes() const { return {data_, size_}; }
  template <class Word>
  [[nodiscard]] const Word* words() const {
    return reinterpret_cast<const Word*>(data_);
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> bytes_for_writing() {
    require_writable();
    return {writable_, size_};
  }

  // Throws errc::read_only for a view. Without a call, since single keys ask as well.
  void require_writable() const {
    if (!writable() && size_ != 0) refuse_writing();
  }

  // The first `bytes`, whole cache lines and no more than there are; the rest stays here. Neither
  // copies, and both may be written if this could.
  [[nodiscard]] storage take_front(std::uint64_t bytes);
  // The same of bytes from outside: errc::corrupt if there are fewer.
  [[nodiscard]] storage take_stored(std::uint64_t bytes);

 private:
  [[noreturn]] static void refuse_writing();
  void swap(storage& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(data_, other.data_);
    std::swap(writable_, other.writable_);
    std::swap(size_, other.size_);
  }

  std::shared_ptr<const void> owner_;
  const std::byte* data_ = nullptr;
  std::byte* writable_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace bloomery
