#include "bloomery/math/kinds/decaying.hpp"

#include <algorithm>
#include <bit>

#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery::math {

std::uint64_t stamp_bits(std::uint64_t window) {
  return static_cast<std::uint64_t>(std::bit_width(2 * window));
}

std::uint64_t stamp_cycle(std::uint64_t window) {
  return (std::uint64_t{1} << stamp_bits(window)) - 1;
}

std::uint64_t cells_swept(std::uint64_t cells, std::uint64_t window) {
  const std::uint64_t spare = stamp_cycle(window) - window;
  return (cells - 1) / spare + 1;
}

double decaying_rate(std::uint64_t cells, std::uint64_t k, std::uint64_t window,
                     std::uint64_t arrivals) {
  return exact_rate(cells, std::min(window, arrivals), k);
}

}  // namespace bloomery::math
