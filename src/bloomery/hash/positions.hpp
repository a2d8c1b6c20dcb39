// A key's positions, written down: for structures that visit them more than once.
//
//     const bloomery::hash::positions at =
//         bloomery::hash::positions_of(bloomery::hash::uniform_probes{100, 3}, {1, 2});
//     assert(at.size() == 3 && at[0] < 100);
//     const bloomery::hash::positions crowded =
//         bloomery::hash::distinct_positions_of(bloomery::hash::uniform_probes{2, 9}, {1, 2});
//     assert(crowded.size() == 2 && crowded[0] != crowded[1]);
#pragma once

#include <algorithm>
#include <cstdint>

#include "bloomery/core/limits.hpp"
#include "bloomery/hash/digest.hpp"

namespace bloomery::hash {

class positions {
 public:
  positions() {}  // NOLINT(modernize-use-equals-default): zeroing 64 words would cost more than use
  positions(const positions& other) { *this = other; }
  positions& operator=(const positions& other) {
    if (this == &other) return *this;
    size_ = other.size_;
    // Those in use: copying 64 words would cost more than use.
    for (std::uint64_t i = 0; i < size_; ++i) at_[i] = other.at_[i];
    return *this;
  }
  ~positions() = default;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const { return at_[i]; }
  [[nodiscard]] const std::uint64_t* begin() const { return at_; }
  [[nodiscard]] const std::uint64_t* end() const { return at_ + size_; }
  [[nodiscard]] bool contains(std::uint64_t position) const {
    return std::find(begin(), end(), position) != end();
  }
  void push_back(std::uint64_t position) { at_[size_++] = position; }

  // In order, repeats and all.
  template <class Probes>
  positions(const Probes& probes, digest d) {
    std::uint64_t size = 0;  // in a register, where size_ would go through memory at each step
    probes.all(d, [&](std::uint64_t at) {
      at_[size++] = at;
      return true;
    });
    size_ = size;
  }

 private:
  std::uint64_t at_[max_hashes];  // NOLINT(modernize-avoid-c-arrays): left uninitialised
  std::uint64_t size_ = 0;
};

// In order, repeats and all.
template <class Probes>
positions positions_of(const Probes& probes, digest d) {
  return {probes, d};
}

// In order of first appearance, each once.
template <class Probes>
positions distinct_positions_of(const Probes& probes, digest d) {
  positions result;
  probes.all(d, [&](std::uint64_t at) {
    if (!result.contains(at)) result.push_back(at);
    return true;
  });
  return result;
}

}  // namespace bloomery::hash
