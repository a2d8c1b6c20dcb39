#include "bloomery/math/laws/closed_forms.hpp"

#include <algorithm>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/natural.hpp"

namespace bloomery::math {
namespace {

std::uint32_t limb(std::uint64_t small) {
  return static_cast<std::uint32_t>(small);
}

// Turns the binomials of i into those of i + 1.
void next_binomials(std::vector<natural>& row) {
  row.emplace_back(0);
  for (std::size_t j = row.size() - 1; j > 0; --j) row[j] += row[j - 1];
}

std::vector<natural> binomials(std::uint64_t i) {
  std::vector<natural> row{natural(1)};
  while (row.size() <= i) next_binomials(row);
  return row;
}

// Σ_j (-1)^(i-j)·C(i,j)·powers[j], the binomials being those of i.
natural alternating(const std::vector<natural>& of_i, const std::vector<natural>& powers) {
  const std::size_t i = of_i.size() - 1;
  natural plus;
  natural minus;
  for (std::size_t j = 0; j <= i; ++j) ((i - j) % 2 == 0 ? plus : minus) += of_i[j] * powers[j];
  return plus - minus;
}

std::vector<natural> powers_to(std::uint64_t m, std::uint64_t exponent) {
  std::vector<natural> result;
  for (std::uint64_t j = 0; j <= m; ++j) result.push_back(power(limb(j), exponent));
  return result;
}

void require_small(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_whole("bits, of a closed form,", m, 1, closed_form_bits);
  require_whole("hashes", k, 1, max_hashes);
  require_whole("keys, of a closed form,", n, 0, closed_form_balls / k);
}

}  // namespace

bool has_closed_form(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return m >= 1 && m <= closed_form_bits && k >= 1 && n <= closed_form_balls / k;
}

double occupied_probability(std::uint64_t m, std::uint64_t balls, std::uint64_t occupied) {
  require_whole("bits, of a closed form,", m, 1, closed_form_bits);
  require_whole("balls, of a closed form,", balls, 0, closed_form_balls);
  require_whole("occupied bits", occupied, 0, m);
  const natural ways = alternating(binomials(occupied), powers_to(occupied, balls));
  return ratio(binomials(m)[occupied] * ways, power(limb(m), balls));
}

double closed_form_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_small(m, n, k);
  const std::vector<natural> of_m = binomials(m);
  const std::vector<natural> powers = powers_to(m, k * n);
  std::vector<natural> of_i{natural(1)};
  natural sum;
  for (std::uint64_t i = 1; i <= m; ++i) {
    next_binomials(of_i);
    sum += of_m[i] * power(limb(i), k) * alternating(of_i, powers);
  }
  return ratio(sum, power(limb(m), k * (n + 1)));
}

double stirling_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  require_small(m, n, k);
  // {N over i}, N from 0 on: {N+1 over i} = i·{N over i} + {N over i-1}.
  std::vector<natural> stirling(m + 1);
  stirling[0] = natural(1);
  for (std::uint64_t balls = 1; balls <= k * n; ++balls) {
    for (std::uint64_t i = std::min(m, balls); i > 0; --i) {
      stirling[i] *= limb(i);
      stirling[i] += stirling[i - 1];
    }
    stirling[0] = natural();
  }
  const std::vector<natural> of_m = binomials(m);
  natural factorial(1);
  natural sum;
  for (std::uint64_t i = 1; i <= m; ++i) {
    factorial *= limb(i);
    sum += power(limb(i), k) * factorial * of_m[i] * stirling[i];
  }
  return ratio(sum, power(limb(m), k * (n + 1)));
}

}  // namespace bloomery::math
