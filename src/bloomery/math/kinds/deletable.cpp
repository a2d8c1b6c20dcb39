#include "bloomery/math/kinds/deletable.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

void require_regions(std::uint64_t m, std::uint64_t r, std::uint64_t n, std::uint64_t k) {
  require_filter(m, k);
  require_whole("bits", m, 3, max_bits);
  require_whole("regions", r, 1, (m - 1) / 2);
  require_whole("keys", n, 1, max_keys);
}

// How often n keys of k hashes hit a given one of `cells` bits: never, and at most once.
struct hits {
  double none;
  double one_at_most;
};
hits hits_of(double cells, double n, double k) {
  const double log_spared = k * std::log1p(-1 / cells);  // by one key
  const double none = std::exp(n * log_spared);
  return {none, none + n * -std::expm1(log_spared) * std::exp((n - 1) * log_spared)};
}

// Of two power series, the terms to x^k.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; i + j < a.size(); ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}

}  // namespace

double deletability(std::uint64_t m, std::uint64_t r, std::uint64_t n, std::uint64_t k) {
  require_regions(m, r, n, k);
  const double cells = real(m - r);
  const double clean = std::pow(hits_of(cells, real(n), real(k)).one_at_most, cells / real(r));
  return -std::expm1(real(k) * std::log1p(-clean));
}

// The key's k bits fall into regions like balls into r bins. A region that gets t of them has a
// collision with chance g(t), so that all have with k!/r^k·[x^k] (Σ g(t)·x^t/t!)^r, g(0) = 1.
double deletable_share(std::uint64_t m, std::uint64_t r, std::uint64_t n, std::uint64_t k) {
  require_regions(m, r, n, k);
  const double cells = real(m - r);
  const hits others = hits_of(cells, real(n) - 1, real(k));
  // In units of 1/r, which spares the power r^k: Σ g(t)·(x/r)^t/t!.
  std::vector<double> base(k + 1, 1.0);
  double weight = 1;
  for (std::uint64_t t = 1; t <= k; ++t) {
    weight /= real(t) * real(r);
    const double rest = std::max(0.0, cells / real(r) - real(t));
    base[t] = weight * (1 - std::pow(others.none, real(t)) * std::pow(others.one_at_most, rest));
  }
  std::vector<double> power(k + 1, 0.0);
  power[0] = 1;
  for (std::uint64_t exponent = r; exponent != 0; exponent /= 2) {
    if (exponent % 2 == 1) power = product(power, base);
    base = product(base, base);
  }
  double collided = power[k];
  for (std::uint64_t t = 1; t <= k; ++t) collided *= real(t);
  return std::clamp(1 - collided, 0.0, 1.0);
}

deletable_size plan_deletable(std::uint64_t keys, double rate) {
  const standard_size size = plan_standard(keys, rate);
  const std::uint64_t most = std::max<std::uint64_t>(1, size.bits / least_region_bits);
  const std::uint64_t cells = std::max(size.bits, 2 * most);  // tiny filters
  // The closed form is near; what is not deletable falls with the regions.
  const std::uint64_t near = smallest_in(0, most, [&](std::uint64_t r) {
    return deletability(cells + r, r, keys, size.hashes) >= planned_deletable;
  });
  const std::uint64_t enough =
      smallest_within(real(near), most, 1 - planned_deletable, [&](std::uint64_t r) {
        return 1 - deletable_share(cells + r, r, keys, size.hashes);
      }).value_or(most);
  if (cells > max_bits - enough) {
    fail(errc::limit, std::to_string(cells) + " bits and " + std::to_string(enough) +
                          " regions are more than " + std::to_string(max_bits) + " bits");
  }
  return {cells + enough, size.hashes, enough, size.rate};
}

}  // namespace bloomery::math
