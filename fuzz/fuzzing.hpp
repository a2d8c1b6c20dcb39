// What the fuzzers share: the entry point, laws, and input read piece by piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace bloomery::fuzzing {

// Holds in every build, unlike assert; the fuzzer takes the abort for a finding.
inline void law(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken law: %s\n", what);
  std::abort();
}

// The input as numbers; zeros when it is used up.
class input {
 public:
  explicit input(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(sizeof value, rest_.size());
    std::memcpy(&value, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return value;
  }

  // A number below `end`.
  std::uint64_t below(std::uint64_t end) { return take<std::uint16_t>() % end; }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace bloomery::fuzzing
