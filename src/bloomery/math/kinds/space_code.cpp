#include "bloomery/math/kinds/space_code.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// One more ball: state q is the number of bins hit.
void throw_ball(std::vector<double>& hit) {
  const double bins = real(hit.size() - 1);
  for (std::size_t q = hit.size() - 1; q > 0; --q) {
    hit[q] = hit[q] * real(q) / bins + hit[q - 1] * (1 - real(q - 1) / bins);
  }
  hit[0] = 0;
}

// By q, the chance that noise fills full - q of the groups that q hits left.
std::vector<double> noise_law(std::uint64_t groups, std::uint64_t full, double noise) {
  std::vector<double> law;
  for (std::uint64_t q = 0; q <= full; ++q) {
    const double rest = real(groups - q);
    const double by_noise = real(full - q);
    const double choose = std::exp(std::lgamma(rest + 1) - std::lgamma(by_noise + 1) -
                                   std::lgamma(rest - by_noise + 1));
    law.push_back(choose * std::pow(noise, by_noise) * std::pow(1 - noise, rest - by_noise));
  }
  return law;
}

double likelihood(const std::vector<double>& hit, const std::vector<double>& noise_law) {
  return std::inner_product(noise_law.begin(), noise_law.end(), hit.begin(), 0.0);
}

std::vector<double> nothing_hit(std::uint64_t groups) {
  std::vector<double> hit(groups + 1, 0);
  hit[0] = 1;
  return hit;
}

}  // namespace

double expected_full_groups(std::uint64_t groups, double count, double noise) {
  const double l = real(groups);
  return l - l * std::pow(1 - 1 / l, count) * (1 - noise);
}

double mean_value_count(std::uint64_t groups, double full, double noise) {
  const double l = real(groups);
  const double left = std::max(0.5, l - full);
  if (noise >= 1 || left >= l * (1 - noise)) return 0;
  return std::log(left / (l * (1 - noise))) / std::log1p(-1 / l);
}

double full_groups_probability(std::uint64_t groups, std::uint64_t full, std::uint64_t count,
                               double noise) {
  std::vector<double> hit = nothing_hit(groups);
  for (std::uint64_t i = 0; i < count; ++i) throw_ball(hit);
  return likelihood(hit, noise_law(groups, full, noise));
}

count_moments mean_value_moments(std::uint64_t groups, std::uint64_t count, double noise,
                                 std::uint64_t resolutions, std::uint64_t sampling) {
  struct moments {
    double first = 0;
    double second = 0;
    void add(double probability, double scale, const moments& part) {
      first += probability * scale * part.first;
      second += probability * scale * scale * part.second;
    }
  };
  const double sampled = 1 / real(sampling);
  const double of_full = mean_value_count(groups, real(groups), noise);
  std::vector<std::vector<double>> laws;
  for (std::uint64_t full = 0; full <= groups; ++full) {
    laws.push_back(noise_law(groups, full, noise));
  }
  // Of the answer, in units of the resolution, by how many occurrences it took; the last comes first.
  std::vector<moments> answers(count + 1);
  for (std::uint64_t r = resolutions; r-- != 0;) {
    std::vector<moments> coarser(count + 1);
    coarser.swap(answers);
    std::vector<double> hit = nothing_hit(groups);
    std::vector<double> passed{1};  // P(the next resolution takes j of them)
    for (std::uint64_t taken = 0; taken <= count; ++taken) {
      for (std::uint64_t full = 0; full <= groups; ++full) {
        const double p = likelihood(hit, laws[full]);
        if (full < groups || r + 1 == resolutions) {
          const double answer = mean_value_count(groups, real(full), noise);
          answers[taken].add(p, std::max(answer, r == 0 ? 0 : of_full * sampled), {1, 1});
          continue;
        }
        for (std::uint64_t j = 0; j <= taken; ++j) {
          answers[taken].add(p * passed[j], real(sampling), coarser[j]);
        }
      }
      throw_ball(hit);
      passed.push_back(0);
      for (std::size_t j = passed.size() - 1; j > 0; --j) {
        passed[j] += sampled * (passed[j - 1] - passed[j]);
      }
      passed[0] *= 1 - sampled;
    }
  }
  const auto [first, second] = answers[count];
  return {first, second - first * first};
}

std::uint64_t likeliest_count(std::uint64_t groups, std::uint64_t full, double noise) {
  const auto most = static_cast<std::uint64_t>(8 * real(groups) * std::log(real(groups))) + 8;
  std::vector<double> hit = nothing_hit(groups);
  std::uint64_t best = 0;
  const std::vector<double> law = noise_law(groups, full, noise);
  double best_likelihood = likelihood(hit, law);
  for (std::uint64_t count = 1; count <= most; ++count) {
    throw_ball(hit);
    const double now = likelihood(hit, law);
    if (now > best_likelihood) {
      best = count;
      best_likelihood = now;
    }
  }
  return best;
}

double space_code_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t groups) {
  return -std::expm1(real(groups) * std::log1p(-exact_rate(m, n, k)));
}

space_code_size plan_space_code(std::uint64_t keys, double rate, std::uint64_t groups) {
  require_share("rate", rate);
  const standard_size size = plan_standard(keys, -std::expm1(std::log1p(-rate) / real(groups)));
  return {size.bits, size.hashes};
}

}  // namespace bloomery::math
