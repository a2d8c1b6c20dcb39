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

// Element j: the chance that a key adds j ones to m bits of which x are set.
std::vector<double> ones_of_a_key(std::uint64_t m, std::uint64_t x, std::uint64_t k,
                                  std::uint64_t d) {
  std::vector<double> added(std::min(k, m - x) + 1, 0);
  added[0] = 1;
  for (std::uint64_t ball = 0; ball < k; ++ball) {
    for (std::uint64_t j = std::min<std::uint64_t>(ball + 1, added.size() - 1);; --j) {
      added[j] *= real(x + j) / real(m);
      if (j == 0) break;
      added[j] += added[j - 1] * (1 - real(x + j - 1) / real(m));
    }
  }
  least_of(added, d);
  return added;
}

double rate_of_few(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  constexpr double negligible = 1e-25;
  const std::uint64_t most = std::min(m, n * k);
  std::vector<std::vector<double>> steps(most + 1);
  std::vector<double> ones(most + 1, 0);
  ones[0] = 1;
  std::uint64_t fewest = 0;  // that are likely enough
  std::uint64_t last = 0;
  for (std::uint64_t key = 0; key < n; ++key) {
    for (std::uint64_t x = last + 1; x-- > fewest;) {
      const double here = std::exchange(ones[x], 0);
      if (here < negligible) continue;
      if (steps[x].empty()) steps[x] = ones_of_a_key(m, x, k, d);
      for (std::uint64_t j = 0; j < steps[x].size(); ++j) ones[x + j] += here * steps[x][j];
    }
    last = std::min(most, last + k);
    while (fewest < last && ones[fewest] < negligible) ++fewest;
    while (last > fewest && ones[last] < negligible) --last;
  }
  double rate = 0;
  for (std::uint64_t x = fewest; x <= last; ++x) {
    rate += ones[x] * two_choice_instance_rate(real(x) / real(m), k, d);
  }
  return std::min(1.0, rate);
}

// What is known of filters that differ in their bits alone.
class sized_law {
 public:
  sized_law(std::uint64_t n, std::uint64_t k, std::uint64_t d) : n_(n), k_(k), d_(d) {}

  [[nodiscard]] bool exact() const { return n_ <= few_keys(k_); }
  double fill(std::uint64_t m) { return law_.fill_after(real(n_) / real(m)); }
  double rate(std::uint64_t m) {
    if (exact()) return rate_of_few(m, n_, k_, d_);
    // A filter of few keys and the same density is the same for many sizes.
    const std::uint64_t few = few_keys(k_);
    const std::uint64_t bits = in_proportion(m, n_, few);
    if (bits != few_bits_) {
      few_bits_ = bits;
      few_rate_ = rate_of_few(bits, few, k_, d_);
      few_limit_ = limit(bits, few);
    }
    return refined(limit(m, n_), n_, few_rate_, few_limit_, few);
  }
  // That fill to where a stranger's set is all ones so often, in the limit.
  double bits_for(double of_a_set) {
    return real(n_) / law_.groups_for(std::pow(of_a_set, 1 / real(k_)));
  }

 private:
  struct step {
    std::uint64_t k;
    std::uint64_t d;
    double operator()(double zeros) const { return fewest_ones(k, zeros, d); }
  };

  double limit(std::uint64_t m, std::uint64_t n) {
    return two_choice_instance_rate(law_.fill_after(real(n) / real(m)), k_, d_);
  }

  std::uint64_t n_;
  std::uint64_t k_;
  std::uint64_t d_;
  choice_law<step> law_{step{k_, d_}};
  std::uint64_t few_bits_ = 0;
  double few_rate_ = 0;
  double few_limit_ = 0;
};

}  // namespace

double two_choice_fill(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  require_filter(m, k);
  return sized_law(n, k, d).fill(m);
}

double two_choice_instance_rate(double fill, std::uint64_t k, std::uint64_t d) {
  return -std::expm1(real(d) * std::log1p(-instance_rate(fill, k)));
}

double two_choice_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  require_filter(m, k);
  return sized_law(n, k, d).rate(m);
}

query_cost two_choice_cost(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t d) {
  const query_cost set = filled_cost(two_choice_fill(m, n, k, d), m, k);
  return {real(d) * set.absent, (real(d) - 1) / 2 * set.absent + set.present};
}

two_choice_size plan_two_choice(std::uint64_t keys, double rate, std::uint64_t d) {
  require_plannable(keys, rate);
  const double of_a_set = -std::expm1(std::log1p(-rate) / real(d));
  const auto bits_for = [&](std::uint64_t k) { return sized_law(keys, k, d).bits_for(of_a_set); };
  const std::optional<std::uint64_t> hashes = best_hashes_by(of_a_set, bits_for);
  if (!hashes) refuse_rate(rate);
  sized_law law(keys, *hashes, d);
  const auto rate_of = [&](std::uint64_t m) { return law.rate(m); };
  const double guess = law.bits_for(of_a_set);
  const std::uint64_t bits = law.exact() ? smallest_within(guess, max_bits, rate, rate_of).value()
                                         : first_within(guess, rate, rate_of);
  return {bits, *hashes, rate_of(bits)};
}

}  // namespace bloomery::math
