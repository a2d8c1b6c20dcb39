#include "bloomery/math/kinds/hash_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
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

// Keys, and groups, up to which the law of the ones is followed group by group.
std::uint64_t few_keys(std::uint64_t k) {
  constexpr std::uint64_t most_ones = 128;
  return std::clamp<std::uint64_t>(most_ones / k, 2, 16);
}
constexpr std::uint64_t few_groups = 64;

// Group after group takes a binomial share of the keys that are left.
double rate_of_few(const hash_choice_size& size, std::uint64_t n) {
  const std::uint64_t most = std::min(size.bits, n * size.hashes);
  const std::uint64_t candidates = std::uint64_t{1} << size.choice_bits;
  // By ones, by keys of a group; of as many ones as turn out to be likely.
  std::vector<std::vector<std::vector<double>>> steps(most + 1);
  const auto steps_from = [&](std::uint64_t x) -> const std::vector<std::vector<double>>& {
    if (steps[x].empty()) steps[x] = fewest_added(size.bits, x, size.hashes, n, candidates);
    return steps[x];
  };
  std::vector<std::vector<double>> now(n + 1, std::vector<double>(most + 1, 0));  // by keys left
  now[n][0] = 1;
  for (std::uint64_t group = 0; group < size.groups; ++group) {
    const double share = 1 / real(size.groups - group);
    std::vector<std::vector<double>> next(n + 1, std::vector<double>(most + 1, 0));
    for (std::uint64_t left = 0; left <= n; ++left) {
      for (std::uint64_t keys = 0; keys <= left; ++keys) {
        const double chance = share < 1 ? std::exp(log_binomial(real(left), real(keys), share))
                                        : (keys == left ? 1 : 0);
        if (chance < 1e-15) continue;
        for (std::uint64_t x = 0; x <= most; ++x) {
          const double here = now[left][x] * chance;
          if (here < 1e-18) continue;
          const std::vector<double>& step = steps_from(x)[keys];
          const std::uint64_t end = std::min<std::uint64_t>(step.size(), keys * size.hashes + 1);
          for (std::uint64_t j = 0; j < end && x + j <= most; ++j) {
            next[left - keys][x + j] += here * step[j];
          }
        }
      }
    }
    now = std::move(next);
  }
  double rate = 0;
  for (std::uint64_t x = 0; x <= most; ++x) {
    rate += now[0][x] * instance_rate(real(x) / real(size.bits), size.hashes);
  }
  return std::min(1.0, rate);
}

// What is known of filters that differ in their bits alone.
class sized_law {
 public:
  sized_law(const hash_choice_size& size, std::uint64_t n)
      : size_(size),
        n_(n),
        law_(step{law_of_groups(n, size.groups, size.hashes),
                  std::uint64_t{1} << size.choice_bits}) {}

  double fill(std::uint64_t bits) {
    return n_ == 0 ? 0 : law_.fill_after(real(size_.groups) / real(bits));
  }
  double rate(std::uint64_t bits) {
    require_filter(bits, size_.hashes);
    const std::uint64_t few = few_keys(size_.hashes);
    if (n_ <= few && size_.groups <= few_groups) {
      return rate_of_few({bits, size_.hashes, size_.groups, size_.choice_bits}, n_);
    }
    const few_rates& known = rates_of_few(bits);
    return refined(limit(bits), std::max(n_, known.keys + 1), known.exact, known.limit, known.keys);
  }
  // About the bits from which the rate is kept, those of the limit being as many.
  double bits_within(double rate, double bits) {
    const std::uint64_t few = few_keys(size_.hashes);
    if (n_ <= few && size_.groups <= few_groups) return bits;
    const few_rates& known = rates_of_few(static_cast<std::uint64_t>(std::max(1.0, bits)));
    const double off =
        refined(1, std::max(n_, known.keys + 1), known.exact, known.limit, known.keys);
    return off > rate ? bits_of_limit(rate / off) : bits;
  }
  double bits_of_limit(double rate) {
    return real(size_.groups) / law_.groups_for(std::pow(rate, 1 / real(size_.hashes)));
  }

 private:
  struct step {
    group_law groups;
    std::uint64_t candidates;
    double operator()(double zeros) const { return mean_step(groups, zeros, candidates); }
  };
  struct few_rates {
    std::uint64_t bits = 0;
    std::uint64_t keys = 0;
    double exact = 0;
    double limit = 0;
  };

  double limit(std::uint64_t bits) { return instance_rate(fill(bits), size_.hashes); }

  // Of a filter of few keys and the same density, which is the same for many sizes.
  const few_rates& rates_of_few(std::uint64_t bits) {
    const std::uint64_t few = few_keys(size_.hashes);
    const hash_choice_size small{in_proportion(bits, n_, few), size_.hashes,
                                 std::min(few_groups, in_proportion(size_.groups, n_, few)),
                                 size_.choice_bits};
    if (few_.bits == small.bits) return few_;
    // A density is that of many sizes: this thread keeps what it has worked out.
    constexpr std::size_t most_known = 256;
    using question = std::array<std::uint64_t, 5>;
    thread_local std::map<question, few_rates> known;
    const std::uint64_t keys = std::min(n_, few);
    const question asked{small.bits, small.hashes, small.groups, small.choice_bits, keys};
    auto found = known.find(asked);
    if (found == known.end()) {
      if (known.size() == most_known) known.clear();
      const few_rates rates{small.bits, keys, rate_of_few(small, keys),
                            sized_law(small, keys).limit(small.bits)};
      found = known.emplace(asked, rates).first;
    }
    few_ = found->second;
    return few_;
  }

  hash_choice_size size_;
  std::uint64_t n_;
  choice_law<step> law_;
  few_rates few_;
};

}  // namespace

double hash_choice_fill(const hash_choice_size& size, std::uint64_t n) {
  require_filter(size.bits, size.hashes);
  return sized_law(size, n).fill(size.bits);
}

double hash_choice_rate(const hash_choice_size& size, std::uint64_t n) {
  require_filter(size.bits, size.hashes);
  return sized_law(size, n).rate(size.bits);
}

query_cost hash_choice_cost(const hash_choice_size& size, std::uint64_t n) {
  const query_cost probes = filled_cost(hash_choice_fill(size, n), size.bits, size.hashes);
  return {1 + probes.absent, 1 + probes.present};
}

hash_choice_size plan_hash_choice(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  hash_choice_size size{0, 0, (keys + planned_group_keys - 1) / planned_group_keys,
                        planned_choice_bits};
  std::map<std::uint64_t, sized_law> laws;
  const auto law_with = [&](std::uint64_t k) -> sized_law& {
    const hash_choice_size any_bits{0, k, size.groups, size.choice_bits};
    return laws.try_emplace(k, any_bits, keys).first->second;
  };
  const auto bits_for = [&](std::uint64_t k) { return law_with(k).bits_of_limit(rate); };
  const std::optional<std::uint64_t> hashes = best_hashes_by(rate, bits_for);
  if (!hashes) refuse_rate(rate);
  size.hashes = *hashes;
  sized_law& law = law_with(*hashes);
  const double guess = law.bits_within(rate, law.bits_of_limit(rate));
  size.bits = first_within(guess, rate, [&](std::uint64_t m) { return law.rate(m); });
  return size;
}

}  // namespace bloomery::math
