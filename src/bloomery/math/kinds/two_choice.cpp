#include "bloomery/math/kinds/two_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "bloomery/math/laws/choices.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// Keys up to which the law of the ones is followed key by key.
std::uint64_t few_keys(std::uint64_t k) {
  constexpr std::uint64_t most_ones = 512;
  return std::clamp<std::uint64_t>(most_ones / k, 8, 64);
}

double rate_of_few(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  const std::uint64_t most = std::min(m, n * k);
  std::vector<std::vector<double>> steps;
  for (std::uint64_t x = 0; x <= most; ++x) steps.push_back(fewest_added(m, x, k, 1, d)[1]);
  std::vector<double> ones(most + 1, 0);
  ones[0] = 1;
  for (std::uint64_t key = 0; key < n; ++key) {
    for (std::uint64_t x = std::min(most, key * k) + 1; x-- > 0;) {
      const double here = std::exchange(ones[x], 0);
      for (std::uint64_t j = 0; j < steps[x].size() && x + j <= most; ++j) {
        ones[x + j] += here * steps[x][j];
      }
    }
  }
  double rate = 0;
  for (std::uint64_t x = 0; x <= most; ++x) {
    rate += ones[x] * two_choice_instance_rate(real(x) / real(m), k, d);
  }
  return std::min(1.0, rate);
}

double limit_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  return two_choice_instance_rate(two_choice_fill(m, n, k, d), k, d);
}

}  // namespace

double two_choice_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  require_filter(m, k);
  return choice_law([&](double zeros) { return fewest_ones(k, zeros, d); })
      .fill_after(real(n) / real(m));
}

double two_choice_instance_rate(double fill, std::uint64_t k, std::uint64_t d) {
  return -std::expm1(real(d) * std::log1p(-instance_rate(fill, k)));
}

double two_choice_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  require_filter(m, k);
  const std::uint64_t few = few_keys(k);
  const std::uint64_t bits = in_proportion(m, n, few);
  const double exact = rate_of_few(bits, std::min(n, few), k, d);
  if (n <= few) return exact;
  return refined(limit_rate(m, n, k, d), n, exact, limit_rate(bits, few, k, d), few);
}

query_cost two_choice_cost(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  const query_cost set = filled_cost(two_choice_fill(m, n, k, d), m, k);
  return {real(d) * set.absent, (real(d) - 1) / 2 * set.absent + set.present};
}

two_choice_size plan_two_choice(std::uint64_t keys, double rate, std::uint64_t d) {
  require_plannable(keys, rate);
  const double of_a_set = -std::expm1(std::log1p(-rate) / real(d));
  const auto bits_for = [&](std::uint64_t k) {
    choice_law law([&](double zeros) { return fewest_ones(k, zeros, d); });
    return real(keys) / law.groups_for(std::pow(of_a_set, 1 / real(k)));
  };
  const std::optional<std::uint64_t> hashes = best_hashes_by(of_a_set, bits_for);
  if (!hashes) refuse_rate(rate);
  const auto rate_of = [&](std::uint64_t m) { return two_choice_rate(m, keys, *hashes, d); };
  const std::uint64_t bits = first_within(bits_for(*hashes), rate, rate_of);
  return {bits, *hashes, rate_of(bits)};
}

}  // namespace bloomery::math
