#include "bloomery/bits/memory/storage.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "bloomery/core/limits.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using testing::throws_error;

bool aligned(const storage& cells, std::uintptr_t to) {
  return reinterpret_cast<std::uintptr_t>(cells.bytes().data()) % to == 0;
}

bool all_zero(byte_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// Below and above the size from which memory is mapped rather than taken from the heap.
constexpr std::array<std::uint64_t, 8> sizes{1,        63, 64, 65, 1 << 16, 2097151, (1 << 21) + 1,
                                             5'000'000};

// Gives memory that is neither aligned nor zero, as a server's allocator may, and keeps account of it.
std::uint64_t given = 0;
const memory_source accounted{[](std::size_t bytes) noexcept -> void* {
                                if (bytes > (std::size_t{1} << 30)) return nullptr;
                                auto* const memory = static_cast<char*>(std::malloc(bytes + 24));
                                std::fill_n(memory, bytes + 24, '\xff');
                                ++given;
                                return memory + 24;
                              },
                              [](void* memory) noexcept {
                                --given;
                                std::free(static_cast<char*>(memory) - 24);
                              }};

TEST(storage, comes_from_the_program_that_accounts_for_memory) {
  const storage before = storage::allocate(1000);
  use_memory_of(accounted);
  {
    for (const std::uint64_t size : sizes) {
      const storage cells = storage::allocate(size);
      const storage copy = cells;
      EXPECT_EQ(given, 2);
      EXPECT_EQ(cells.size() % cache_line_bytes, 0);
      EXPECT_TRUE(aligned(cells, cache_line_bytes) && all_zero(cells.bytes())) << size;
    }
    EXPECT_EQ(given, 0);
    EXPECT_TRUE(throws_error(errc::out_of_memory, "refused",
                             [] { storage::allocate(std::uint64_t{2} << 30); }));
  }
  storage kept = storage::allocate(1);
  use_memory_of({});
  EXPECT_EQ(given, 1);
  kept = storage::allocate(1);
  EXPECT_EQ(given, 0);
}

TEST(storage, is_whole_aligned_zeroed_lines) {
  for (const std::uint64_t bytes : sizes) {
    const storage cells = storage::allocate(bytes);
    EXPECT_EQ(cells.size(), (bytes + 63) / 64 * 64);
    EXPECT_TRUE(aligned(cells, 64)) << bytes;
    EXPECT_TRUE(all_zero(cells.bytes())) << bytes;
    EXPECT_TRUE(cells.writable());
  }
  EXPECT_TRUE(aligned(storage::allocate(5'000'000), 1 << 21)) << "for huge pages";
}

// Memory that was dirtied and given back must come back zeroed.
TEST(storage, is_zeroed_when_memory_is_reused) {
  for (const std::uint64_t bytes : sizes) {
    for (int round = 0; round < 3; ++round) {
      storage cells = storage::allocate(bytes);
      ASSERT_TRUE(all_zero(cells.bytes())) << bytes;
      const auto writing = cells.bytes_for_writing();
      std::fill(writing.begin(), writing.end(), std::byte{0xff});
    }
  }
}

TEST(storage, of_nothing_is_empty) {
  const storage cells = storage::allocate(0);
  EXPECT_EQ(cells.size(), 0U);
  EXPECT_TRUE(cells.bytes().empty());
  EXPECT_EQ(storage(cells).size(), 0U);
}

TEST(storage, copies_are_separate_and_equal) {
  for (const std::uint64_t bytes : sizes) {
    storage cells = storage::allocate(bytes);
    const auto writing = cells.bytes_for_writing();
    for (std::size_t i = 0; i < writing.size(); i += 7) writing[i] = static_cast<std::byte>(i);
    storage copied = cells;
    EXPECT_TRUE(std::equal(copied.bytes().begin(), copied.bytes().end(), cells.bytes().begin()));
    const std::byte before = cells.bytes()[0];
    copied.bytes_for_writing()[0] ^= std::byte{1};
    EXPECT_EQ(cells.bytes()[0], before);
  }
}

TEST(storage, moves_without_copying) {
  storage cells = storage::allocate(100);
  const std::byte* place = cells.bytes().data();
  const storage moved = std::move(cells);
  EXPECT_EQ(moved.bytes().data(), place);
  EXPECT_TRUE(moved.writable());
}

TEST(storage, views_see_and_never_write) {
  alignas(64) std::array<std::byte, 128> memory{};
  memory[5] = std::byte{9};
  storage seen = storage::view(memory);
  EXPECT_FALSE(seen.writable());
  EXPECT_EQ(seen.bytes().data(), memory.data());
  EXPECT_TRUE(
      throws_error(errc::read_only, "read-only view", [&] { (void)seen.bytes_for_writing(); }));
  storage owned = seen;
  owned.bytes_for_writing()[5] = std::byte{1};
  EXPECT_EQ(memory[5], std::byte{9});
}

TEST(storage, views_need_aligned_whole_lines) {
  alignas(64) const std::array<std::byte, 256> memory{};
  const byte_view all(memory);
  for (const std::size_t offset : {1U, 2U, 4U, 7U, 9U}) {
    EXPECT_TRUE(throws_error(errc::invalid, "multiple of 8",
                             [&] { (void)storage::view(all.subspan(offset, 64)); }));
  }
  EXPECT_NO_THROW((void)storage::view(all.subspan(8, 64)));
  for (const std::size_t length : {1U, 63U, 65U, 100U}) {
    EXPECT_TRUE(throws_error(errc::invalid,
                             "whole 64-byte lines, this is " + std::to_string(length),
                             [&] { (void)storage::view(all.first(length)); }));
  }
  EXPECT_NO_THROW((void)storage::view(byte_view{}));
}

TEST(storage, a_view_keeps_its_owner_alive) {
  auto owner = std::make_shared<storage>(storage::allocate(64));
  const std::weak_ptr<storage> watch = owner;
  {
    const storage seen = storage::view(owner->bytes(), owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(storage, refuses_absurd_sizes) {
  for (const std::uint64_t bytes :
       {max_bits / 8 + 1, std::uint64_t{1} << 60, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_TRUE(throws_error(errc::limit, "beyond the limit of 32 TiB", [&] {
      (void)storage::allocate(bytes);
    })) << bytes;
  }
}

#ifndef BLOOMERY_SANITIZED  // which needs the memory itself
// In a child process whose address space is full.
TEST(storage_DeathTest, says_when_the_machine_refuses_memory) {
  const auto ask_in_vain = [] {
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_AS, &none) != 0) std::_Exit(3);
    try {
      (void)storage::allocate(std::uint64_t{1} << 30);
    } catch (const error& problem) {
      const bool told = std::string_view(problem.what()).find("1 GiB") != std::string_view::npos;
      std::_Exit(problem.code() == errc::out_of_memory && told ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(ask_in_vain(), ::testing::ExitedWithCode(0), "");
}
#endif

// The largest legal size: given where the machine overcommits, refused elsewhere, never a crash.
TEST(storage, the_largest_size_is_given_or_refused) {
  try {
    const storage cells = storage::allocate(max_bits / 8);
    EXPECT_EQ(cells.size(), max_bits / 8);
    EXPECT_EQ(cells.bytes()[max_bits / 8 - 1], std::byte{0});
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::out_of_memory) << problem.what();
  }
}

TEST(storage, splits_without_copying) {
  storage whole = storage::allocate(192);
  whole.bytes_for_writing()[64] = std::byte{7};
  const std::byte* const start = whole.bytes().data();
  EXPECT_TRUE(throws_error(errc::corrupt, "there are", [&] { (void)whole.take_stored(1 << 20); }));
  storage front = whole.take_front(64);
  EXPECT_EQ(front.bytes().data(), start);
  EXPECT_EQ(front.size(), 64U);
  EXPECT_EQ(whole.bytes().data(), start + 64);
  EXPECT_EQ(whole.size(), 128U);
  EXPECT_EQ(whole.bytes()[0], std::byte{7});
  front.bytes_for_writing()[0] = std::byte{1};
  whole = storage();  // the front keeps the memory
  EXPECT_EQ(front.bytes()[0], std::byte{1});

  const storage owner = storage::allocate(128);
  storage seen = storage::view(owner.bytes());
  EXPECT_FALSE(seen.take_front(64).writable());
  EXPECT_FALSE(seen.writable());
  EXPECT_EQ(seen.take_front(64).size(), 64U);
  EXPECT_EQ(seen.size(), 0U);
}

}  // namespace
}  // namespace bloomery
