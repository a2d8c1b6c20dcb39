// The bytes of arrays and tables, whether they are one run or made of parts; and what every copy of
// one must be.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "testing.hpp"

namespace bloomery::testing {

template <class Array, class Visit>
void each_part_in(Array& array, Visit visit) {
  if constexpr (requires { std::remove_const_t<Array>::each_part(array, visit); }) {
    std::remove_const_t<Array>::each_part(array, visit);
  } else {
    visit(array);
  }
}

template <class Array>
std::vector<byte_view> parts_of(const Array& array) {
  std::vector<byte_view> parts;
  each_part_in(array, [&](const auto& part) { parts.push_back(part.bytes()); });
  return parts;
}

// As they are stored, one part after another.
template <class Array>
std::vector<std::byte> bytes_of(const Array& array) {
  std::vector<std::byte> bytes;
  for (const byte_view part : parts_of(array)) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

inline storage owned(std::span<const std::byte> bytes) {
  storage result = storage::allocate(bytes.size());
  std::ranges::copy(bytes, result.bytes_for_writing().begin());
  return result;
}

// Changes to a copy leave the original as it was, and the reverse; a copy of a view can be changed.
// `restore` makes the array of stored bytes, and `change` changes some of its own.
template <class Array, class Restore, class Change>
void expect_own_copies(Array original, Restore restore, Change change) {
  const auto before = bytes_of(original);
  Array copied = original;
  EXPECT_EQ(bytes_of(copied), before);
  change(copied);
  EXPECT_NE(bytes_of(copied), before);
  EXPECT_EQ(bytes_of(original), before);

  copied = original;
  EXPECT_EQ(bytes_of(copied), before);
  change(original);
  EXPECT_NE(bytes_of(original), before);
  EXPECT_EQ(bytes_of(copied), before);

  const storage stored = owned(before);
  Array viewed = restore(storage::view(stored.bytes()));
  EXPECT_EQ(parts_of(viewed).front().data(), stored.bytes().data());
  each_part_in(viewed, [](auto& part) {
    EXPECT_TRUE(throws_error(errc::read_only, "view", [&] { part.require_writable(); }));
  });
  Array own = viewed;
  each_part_in(own, [](auto& part) { EXPECT_NO_THROW(part.require_writable()); });
  change(own);
  EXPECT_EQ(bytes_of(viewed), before);
}

// The same for one that nothing changes after it was built: a copy has memory of its own.
template <class Array, class Restore>
void expect_own_copies(const Array& original, Restore restore) {
  const auto before = bytes_of(original);
  const storage stored = owned(before);
  const Array viewed = restore(storage::view(stored.bytes()));
  for (const Array* from : {&original, &viewed}) {
    Array copied = *from;
    EXPECT_EQ(bytes_of(copied), before);
    each_part_in(copied, [](auto& part) { EXPECT_NO_THROW(part.require_writable()); });
    for (std::size_t i = 0; i < parts_of(copied).size(); ++i) {
      EXPECT_NE(parts_of(copied)[i].data(), parts_of(*from)[i].data());
    }
  }
}

}  // namespace bloomery::testing
