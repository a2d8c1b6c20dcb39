#include "bloomery/math/kinds/two_choice.hpp"

#include <cmath>
#include <optional>

#include "bloomery/math/laws/choices.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

double two_choice_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  require_filter(m, k);
  return choice_law([&](double zeros) { return fewest_ones(k, zeros, d); })
      .fill_after(real(n) / real(m));
}

double two_choice_instance_rate(double fill, std::uint64_t k, std::uint64_t d) {
  return -std::expm1(real(d) * std::log1p(-instance_rate(fill, k)));
}

double two_choice_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  return two_choice_instance_rate(two_choice_fill(m, n, k, d), k, d);
}

query_cost two_choice_cost(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  const query_cost set = filled_cost(two_choice_fill(m, n, k, d), m, k);
  return {real(d) * set.absent, (real(d) - 1) / 2 * set.absent + set.present};
}

two_choice_size plan_two_choice(std::uint64_t keys, double rate, std::uint64_t d) {
  require_plannable(keys, rate);
  const double of_a_set = -std::expm1(std::log1p(-rate) / real(d));
  const auto bits_for = [&](std::uint64_t k) {
    const choice_law law([&](double zeros) { return fewest_ones(k, zeros, d); });
    return real(keys) / law.groups_for(std::pow(of_a_set, 1 / real(k)));
  };
  const std::optional<std::uint64_t> hashes = best_hashes_by(of_a_set, bits_for);
  if (!hashes) refuse_rate(rate);
  const auto rate_of = [&](std::uint64_t m) { return two_choice_rate(m, keys, *hashes, d); };
  const std::uint64_t bits = first_within(bits_for(*hashes), rate, rate_of);
  return {bits, *hashes, rate_of(bits)};
}

}  // namespace bloomery::math
