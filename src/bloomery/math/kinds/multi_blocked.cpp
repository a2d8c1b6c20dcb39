#include "bloomery/math/kinds/multi_blocked.hpp"

#include <cmath>

#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

double part_rate(const multi_blocked_size& size, std::uint64_t keys) {
  return lane_blocked_rate({}, size.blocks, keys, size.hashes);
}

}  // namespace

double multi_blocked_rate(const multi_blocked_size& size, std::uint64_t keys) {
  return std::pow(part_rate(size, keys), real(size.parts));
}

// Bits of different parts are independent, as those of a partitioned filter's slices.
bit_layout multi_blocked_layout(const multi_blocked_size& size) {
  bit_layout layout = lane_blocked_layout({}, size.blocks, size.hashes);
  layout.bits *= real(size.parts);
  return layout;
}

query_cost multi_blocked_cost(const multi_blocked_size& size, std::uint64_t keys) {
  const double goes_on = part_rate(size, keys);
  double lines = 0;
  for (std::uint64_t part = 0; part < size.parts; ++part) lines += std::pow(goes_on, real(part));
  return {lines, real(size.parts)};
}

multi_blocked_size plan_multi_blocked(std::uint64_t keys, double rate, std::uint64_t parts) {
  require_plannable(keys, rate);
  require_whole("parts", parts, 1, max_line_parts);
  constexpr double rounding = 1e-12;  // of the root and of the power
  const double of_part = std::pow(rate, 1 / real(parts)) * (1 - rounding);
  const blocked_size part = plan_blocked(keys, of_part);
  if (part.blocks > max_bits / cache_line_bits / parts) refuse_rate(rate);
  return {part.blocks, parts, part.hashes};
}

}  // namespace bloomery::math
