#include "bloomery/math/kinds/bank.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

// The number of keys that some classes have, and how many classes do.
using load_counts = std::map<std::uint64_t, std::uint64_t>;

load_counts counted(std::span<const value_load> loads) {
  load_counts counts;
  for (const value_load& load : loads) ++counts[load.keys];
  return counts;
}

double rate_of_counts(std::uint64_t bits, std::uint64_t hashes, const load_counts& counts) {
  constexpr double below_one = 1 - 1e-16;  // of which there is a logarithm
  double log_none = 0;
  for (const auto& [keys, classes] : counts) {
    const double rate = exact_rate(bits, keys, hashes);
    log_none += real(classes) * std::log1p(-std::min(rate, below_one));
  }
  return 0 - std::expm1(log_none);  // not -0 of no keys
}

}  // namespace

double thinned_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k, double share) {
  if (share >= 1) return exact_rate(m, n, k);
  require_filter(m, k);
  coverage_chain chain(m, k);
  chain.advance_some(n, k, share);
  return chain.covered();
}

double bank_rate(const bank_size& size, std::uint64_t keys) {
  return at_least_once(thinned_rate(size.bits, keys, size.hashes, 1 / real(size.classes)),
                       real(size.classes));
}

bank_size plan_bank(std::uint64_t keys, double rate, std::uint64_t classes) {
  require_bank_plan(keys, rate, classes);
  const standard_size size = smallest_filters(classes, keys / classes, rate_of_each(rate, classes),
                                              [&](std::uint64_t m, std::uint64_t k) {
                                                return bank_rate({m, k, classes}, keys) <= rate;
                                              });
  return {size.bits, size.hashes, classes};
}

double bank_rate(const bank_size& size, std::span<const value_load> loads) {
  return rate_of_counts(size.bits, size.hashes, counted(loads));
}

bank_size plan_bank(std::span<const value_load> loads, double rate, std::uint64_t classes) {
  const load_counts counts = counted(loads);
  const std::uint64_t fullest = counts.empty() ? 0 : counts.rbegin()->first;
  require_bank_plan(fullest, rate, classes);
  const standard_size size = smallest_uneven_filters(
      classes, fullest, rate_of_each(rate, loads.size()),
      [&](std::uint64_t m, std::uint64_t k) { return rate_of_counts(m, k, counts) <= rate; });
  return {size.bits, size.hashes, classes};
}

query_cost bank_cost(const bank_size& size, std::uint64_t keys) {
  const double fill =
      hit_probability(real(size.bits), real(size.hashes * keys) / real(size.classes));
  const double row = 1 + real(size.classes - 1) / real(cache_line_bits);
  double absent = 0;
  for (std::uint64_t i = 0; i < size.hashes; ++i) {
    absent += i == 0 ? 1 : at_least_once(std::pow(fill, real(i)), real(size.classes));
  }
  return {absent * row, real(size.hashes) * row};
}

standard_size smallest_filters(std::uint64_t filters, std::uint64_t keys, double rate,
                               const std::function<bool(std::uint64_t, std::uint64_t)>& fits) {
  standard_size size = plan_standard(std::max<std::uint64_t>(keys, 1), rate);
  const auto bits = smallest(real(size.bits), max_bits / filters,
                             [&](std::uint64_t m) { return fits(m, size.hashes); });
  if (!bits) {
    fail(errc::limit, std::to_string(filters) + " filters of rate " + format_real(rate) +
                          " take more than " + std::to_string(max_bits) + " bits");
  }
  size.bits = *bits;
  return size;
}

standard_size smallest_uneven_filters(
    std::uint64_t filters, std::uint64_t fullest, double rate,
    const std::function<bool(std::uint64_t, std::uint64_t)>& fits) {
  standard_size best = smallest_filters(filters, fullest, rate, fits);
  for (std::uint64_t k = best.hashes - 1; k >= 1 && best.bits > 1; --k) {
    const auto bits =
        smallest(real(best.bits), best.bits - 1, [&](std::uint64_t m) { return fits(m, k); });
    if (!bits) break;
    best.bits = *bits;
    best.hashes = k;
  }
  return best;
}

double rate_of_each(double rate, std::uint64_t filters) {
  return -std::expm1(std::log1p(-rate) / real(filters));
}

void require_bank_plan(std::uint64_t keys, double rate, std::uint64_t classes) {
  require_whole("keys", keys, 1, max_keys);
  require_share("the false-positive rate", rate);
  require_whole("values", classes, 1, max_classes);
}

}  // namespace bloomery::math
