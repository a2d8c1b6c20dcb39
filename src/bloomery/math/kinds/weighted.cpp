#include "bloomery/math/kinds/weighted.hpp"

#include <cmath>

#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::math {
namespace {

demand sum_of(std::span<const demand> demands) {
  demand all;
  for (const demand& d : demands) {
    require_positive("queries", d.queries);
    require_positive("members", d.members);
    all.queries += d.queries;
    all.members += d.members;
  }
  return all;
}

}  // namespace

double weighted_divergence(std::span<const demand> demands) {
  const demand all = sum_of(demands);
  double sum = 0;
  for (const demand& d : demands) {
    sum += d.members / all.members * (merit(all) - merit(d));
  }
  return sum;
}

weighted_service weighted_optimum(std::span<const demand> demands, double budget) {
  const demand all = sum_of(demands);
  const double per_key = budget / all.members + weighted_divergence(demands);
  weighted_service result;
  for (const demand& d : demands) result.hashes.push_back(merit(d) - merit(all) + per_key);
  result.rate = std::exp2(-per_key);
  return result;
}

std::vector<unsigned> weighted_hashes(std::span<const demand> demands, double budget) {
  const std::vector<double> merit_of = merits(demands);
  const auto rounded = [&](double offset) { return hashes_by(merit_of, offset + 0.5); };
  return rounded(
      greatest_offset(budget, [&](double at) { return bits_set(demands, rounded(at)); }));
}

}  // namespace bloomery::math
