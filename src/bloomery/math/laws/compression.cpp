#include "bloomery/math/laws/compression.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

void require_unit(const char* name, double value) {
  if (value >= 0 && value <= 1) return;
  fail(errc::invalid, std::string(name) + " is " + format_real(value, 17) + "; allowed: 0 to 1");
}

void require_density(double bits_per_key, std::uint64_t hashes) {
  require_positive("bits_per_key", bits_per_key);
  require_whole("hashes", hashes, 1, max_hashes);
}

double rate_of(double bits_per_key, std::uint64_t hashes) {
  return std::pow(-std::expm1(-real(hashes) / bits_per_key), real(hashes));
}

}  // namespace

double entropy(double p) {
  require_unit("probability", p);
  if (p == 0 || p == 1) return 0;
  return -(p * std::log(p) + (1 - p) * std::log1p(-p)) / M_LN2;
}

double compressed_bits_per_key(double bits_per_key, std::uint64_t hashes) {
  require_density(bits_per_key, hashes);
  const double exponent = -real(hashes) / bits_per_key;
  // Of zeros and ones the rarer has all its digits.
  return bits_per_key * entropy(std::min(std::exp(exponent), -std::expm1(exponent)));
}

compressed_size compressed_filter(double bits_per_key, std::uint64_t hashes) {
  return {bits_per_key, hashes, compressed_bits_per_key(bits_per_key, hashes),
          rate_of(bits_per_key, hashes)};
}

compressed_size best_compressed(double transmitted_limit, double most_bits_per_key) {
  require_positive("transmitted bits per key", transmitted_limit);
  require_positive("most bits per key", most_bits_per_key);
  const auto largest = [&](std::uint64_t k) {
    if (compressed_bits_per_key(most_bits_per_key, k) <= transmitted_limit) {
      return most_bits_per_key;
    }
    return border(0, most_bits_per_key,
                  [&](double bits_per_key) {
                    return compressed_bits_per_key(bits_per_key, k) <= transmitted_limit;
                  })
        .low;
  };
  std::uint64_t best = 1;
  double best_bits = largest(1);
  for (std::uint64_t k = 2; k <= max_hashes; ++k) {
    const double bits = largest(k);
    if (rate_of(bits, k) >= rate_of(best_bits, best)) continue;
    best = k;
    best_bits = bits;
  }
  return compressed_filter(best_bits, best);
}

double delta_bits_per_key(double bits_per_key, std::uint64_t hashes, double replaced_fraction) {
  require_density(bits_per_key, hashes);
  require_unit("replaced fraction", replaced_fraction);
  const double exponent = -real(hashes) / bits_per_key;
  const double changed = -2 * std::exp(exponent) * std::expm1(exponent * replaced_fraction);
  return bits_per_key * entropy(std::min(1.0, changed));
}

}  // namespace bloomery::math
