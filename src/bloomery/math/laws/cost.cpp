#include "bloomery/math/laws/cost.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// Probe j is made if the j before it found ones, and touches a new line if they all missed its
// line: the sum of (fill·miss)^j over j < k.
double lines_touched(double fill, double miss, std::uint64_t k) {
  double lines = 0;
  double weight = 1;
  for (std::uint64_t j = 0; j < k; ++j) {
    lines += weight;
    weight *= fill * miss;
  }
  return lines;
}

query_cost cost_of(const bit_layout& layout, double miss, std::uint64_t n, std::uint64_t k) {
  const double fill = 1 - layout.expected_zeros(real(n)) / layout.bits;
  return {lines_touched(fill, miss, k), lines_touched(1, miss, k)};
}

double miss_probability(std::uint64_t bits) {
  const double lines = std::ceil(real(bits) / real(cache_line_bits));
  return 1 - 1 / std::max(1.0, lines);
}

}  // namespace

query_cost uniform_cost(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t width) {
  return cost_of(uniform_layout(m, k), miss_probability(m * width), n, k);
}

query_cost filled_cost(double fill, std::uint64_t bits, std::uint64_t k) {
  const double miss = miss_probability(bits);
  return {lines_touched(fill, miss, k), lines_touched(1, miss, k)};
}

query_cost partitioned_cost(std::uint64_t slice, std::uint64_t n, std::uint64_t k,
                            std::uint64_t width) {
  // Slices of a line or more share none but at their ends; smaller ones are as good as mixed.
  const double miss = slice * width >= cache_line_bits ? 1 : miss_probability(slice * k * width);
  return cost_of(partitioned_layout(slice, k), miss, n, k);
}

query_cost bucket_cost(std::uint64_t buckets, std::uint64_t bucket_bits, std::uint64_t choices) {
  // A bucket begins at any bit of a line, and each further line begins inside it.
  const double lines_each = 1 + real(bucket_bits - 1) / real(cache_line_bits);
  const double miss = miss_probability(buckets * bucket_bits);
  const double lines = std::max(1.0, lines_touched(1, miss, choices) * (miss > 0 ? lines_each : 1));
  return {lines, lines};
}

}  // namespace bloomery::math
