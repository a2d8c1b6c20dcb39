#include "bloomery/math/kinds/blocked_counting.hpp"

#include <cmath>

#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

constexpr std::uint64_t narrowest = 2;
constexpr std::uint64_t widest = 8;

}  // namespace

double stuck_share(std::uint64_t blocks, std::uint64_t n, std::uint64_t k, std::uint64_t width) {
  require_whole("counter_bits", width, narrowest, widest);
  const std::uint64_t most = (std::uint64_t{1} << width) - 1;
  if (n < most) return 0;
  const bit_layout layout = lane_blocked_layout(line_of_counters(width), blocks, k);
  return binomial_upper(most, n, -std::expm1(layout.log_avoid));
}

line_counter_size plan_line_counters(std::uint64_t keys, double rate) {
  for (std::uint64_t width = narrowest;; ++width) {
    const blocked_size size = plan_blocked(keys, rate, line_of_counters(width));
    if (width == widest || stuck_share(size.blocks, keys, size.hashes, width) <= planned_stuck) {
      return {size.blocks, size.hashes, width, size.rate};
    }
  }
}

}  // namespace bloomery::math
