// Huge pages under large filters, for servers that are told to have them (bf.huge-pages).
//
// A key of a large filter touches some places far from each other, and with pages of 4 KiB the processor has
// to find each of these pages first. What speaks against it is fork: while a child saves, the first write to a
// page copies all of it. So it is an option, and memory that goes back to the server's allocator is of small
// pages again: its other keys are not asked.
#pragma once

#include <cstddef>

namespace bloomery::redis::huge_pages {

// For memory from now on.
void want(bool wanted) noexcept;
[[nodiscard]] bool are_wanted() noexcept;

// For an allocation, if they are wanted and it is large enough to hold some. It is advice: without it, or where
// the kernel has none left, the memory is only slower. What a fresh one holds is of no account,
void advise(void* fresh, std::size_t bytes) noexcept;
// and of another it is kept, page by page, without a second copy of all.
void move_to(void* memory, std::size_t bytes) noexcept;
// Before it is given back; for any allocation.
void take_back(void* memory) noexcept;

}  // namespace bloomery::redis::huge_pages
