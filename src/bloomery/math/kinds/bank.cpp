#include "bloomery/math/kinds/bank.hpp"

#include <algorithm>
#include <cmath>
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

double rate_of_each(double rate, std::uint64_t filters) {
  return -std::expm1(std::log1p(-rate) / real(filters));
}

void require_bank_plan(std::uint64_t keys, double rate, std::uint64_t classes) {
  require_whole("keys", keys, 1, max_keys);
  require_share("the false-positive rate", rate);
  require_whole("values", classes, 1, max_classes);
}

}  // namespace bloomery::math
