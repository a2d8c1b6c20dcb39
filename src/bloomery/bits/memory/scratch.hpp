// Temporary zeroed memory on huge pages.
//
//     const bloomery::bits::scratch<std::uint32_t> counts(1000);
//     counts.all()[999] = 1;
//     assert(counts.all().size() == 1000 && counts.all()[0] == 0);
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/bits/memory/storage.hpp"

namespace bloomery::bits {

template <class T>
class scratch {
 public:
  explicit scratch(std::uint64_t size)
      : memory_(storage::allocate(size * sizeof(T))),
        all_(reinterpret_cast<T*>(memory_.bytes_for_writing().data()), size) {}

  [[nodiscard]] std::span<T> all() const { return all_; }

 private:
  storage memory_;
  std::span<T> all_;
};

}  // namespace bloomery::bits
