#include "bloomery/math/kinds/hash_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "bloomery/math/laws/choices.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/binomial.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// One size of group: how likely it is, and what its candidates throw.
struct group_sort {
  double share;
  std::uint64_t throws;
};
using group_law = std::vector<group_sort>;

// Ones per group when a share `zeros` is left.
double mean_step(const group_law& law, double zeros, std::uint64_t candidates) {
  double sum = 0;
  for (const group_sort& sort : law) {
    sum += sort.share * fewest_ones(sort.throws, zeros, candidates);
  }
  return sum;
}

// The law of groups that n keys fall into by their hashes; `throws` balls a key.
group_law law_of_groups(std::uint64_t n, std::uint64_t groups, std::uint64_t throws) {
  if (n == 0) return {};
  if (groups == 1) return {{1, n * throws}};
  const double p = 1 / real(groups);
  const double mean = real(n) * p;
  const double reach = 9 * std::sqrt(mean) + 20;
  const auto first = static_cast<std::uint64_t>(std::max(0.0, mean - reach));
  const auto last = static_cast<std::uint64_t>(std::min(real(n), mean + reach));
  const std::uint64_t apart = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(reach / 24));
  group_law law;
  double sum = 0;
  for (std::uint64_t j = first; j <= last; j += apart) {
    const double share = std::exp(log_binomial(real(n), real(j), p));
    sum += share;
    if (share > 1e-12) law.push_back({share, j * throws});
  }
  for (group_sort& sort : law) sort.share /= sum;
  return law;
}

}  // namespace

double hash_choice_fill(const hash_choice_size& size, std::uint64_t n) {
  require_filter(size.bits, size.hashes);
  const group_law law = law_of_groups(n, size.groups, size.hashes);
  const std::uint64_t candidates = std::uint64_t{1} << size.choice_bits;
  if (law.empty()) return 0;
  return choice_law([&](double zeros) { return mean_step(law, zeros, candidates); })
      .fill_after(real(size.groups) / real(size.bits));
}

double hash_choice_rate(const hash_choice_size& size, std::uint64_t n) {
  return instance_rate(hash_choice_fill(size, n), size.hashes);
}

query_cost hash_choice_cost(const hash_choice_size& size, std::uint64_t n) {
  const query_cost probes = filled_cost(hash_choice_fill(size, n), size.bits, size.hashes);
  return {1 + probes.absent, 1 + probes.present};
}

hash_choice_size plan_hash_choice(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  hash_choice_size size{0, 0, (keys + planned_group_keys - 1) / planned_group_keys,
                        planned_choice_bits};
  const auto bits_for = [&](std::uint64_t k) {
    const group_law sorts = law_of_groups(keys, size.groups, k);
    const choice_law law([&](double zeros) {
      return mean_step(sorts, zeros, std::uint64_t{1} << planned_choice_bits);
    });
    return real(size.groups) / law.groups_for(std::pow(rate, 1 / real(k)));
  };
  const std::optional<std::uint64_t> hashes = best_hashes_by(rate, bits_for);
  if (!hashes) refuse_rate(rate);
  size.hashes = *hashes;
  size.bits = first_within(bits_for(*hashes), rate, [&](std::uint64_t m) {
    return hash_choice_rate({m, size.hashes, size.groups, size.choice_bits}, keys);
  });
  return size;
}

}  // namespace bloomery::math
