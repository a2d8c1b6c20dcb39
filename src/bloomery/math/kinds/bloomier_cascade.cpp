#include "bloomery/math/kinds/bloomier_cascade.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

constexpr double digest_bits = 128;
constexpr double deviations = 4;

// Bits for each key and digit at this level; infinite soon.
double bits_each(std::uint64_t hashes, std::size_t level) {
  return real(hashes) * std::exp2(std::pow(real(hashes), real(level)));
}

// Of the keys and digits at a level that is full, those that go on.
double most_left(double items, std::uint64_t hashes, std::size_t level) {
  const double fill = -std::expm1(-real(hashes) / bits_each(hashes, level));
  const double mean = items * std::pow(fill, real(hashes));
  return std::min(items, std::ceil(mean + deviations * std::sqrt(mean) + 1));
}

// A stranger's digit is told by a pair if one filter of it claims the stranger, and goes on if both
// do; those left at the end are not in the list. It gets a value if all digits are told and make one.
double told_value(const cascade& c, std::span<const double> claims) {
  double told = 0;
  for (std::size_t level = claims.size(); level-- > 0;) {
    told = 2 * claims[level] * (1 - claims[level]) + claims[level] * claims[level] * told;
  }
  return std::pow(told, c.digits()) * std::ldexp(real(c.values), -static_cast<int>(c.digits()));
}

double passing(std::uint64_t bits, double items, std::uint64_t hashes) {
  return exact_rate(bits, static_cast<std::uint64_t>(std::llround(items)), hashes);
}

}  // namespace

double cascade_size::bits(unsigned digits) const {
  double sum = real(listed) * (digest_bits + digits);
  for (const std::uint64_t level : levels) sum += real(level);
  return sum;
}

unsigned cascade::digits() const {
  return std::max(1U, value_bits(values));
}

cascade_size cascade::size() const {
  require_whole("keys", keys, 1, max_keys);
  require_whole("hashes", hashes, 1, max_hashes);
  double items = real(keys) * digits();
  cascade_size tried;
  cascade_size best;
  for (std::size_t level = 0;; ++level) {
    const double bits = bits_each(hashes, level) * items;
    if (level > 0 && tried.bits(digits()) + bits >= best.bits(digits())) return best;
    if (bits > real(max_bits)) {
      fail(errc::limit,
           format_count(keys) + " keys need more than " + format_count(max_bits) + " bits");
    }
    tried.levels.push_back(static_cast<std::uint64_t>(std::ceil(bits)));
    const double left = most_left(items, hashes, level);
    cascade_size ended = tried;
    ended.listed = std::min(keys, static_cast<std::uint64_t>(left));
    if (level == 0 || ended.bits(digits()) < best.bits(digits())) best = ended;
    if (level > 0 && left >= items) return best;
    items = left;
  }
}

double cascade::rate(std::uint64_t held) const {
  if (held == 0) return 0;
  const cascade_size sizes = size();
  double items = real(held) * digits();
  std::vector<double> claims;
  for (const std::uint64_t bits : sizes.levels) {
    claims.push_back(passing(bits, items, hashes));
    items *= claims.back();
  }
  if (std::min(items, real(held)) > real(sizes.listed)) return 1;
  return told_value(*this, claims);
}

double cascade::instance_rate(std::span<const double> fills) const {
  std::vector<double> claims;
  for (const double fill : fills) claims.push_back(math::instance_rate(fill, hashes));
  return told_value(*this, claims);
}

query_cost cascade::cost(std::uint64_t held) const {
  const std::uint64_t bits = size().levels.front();
  const query_cost filter = uniform_cost(bits, held * digits(), hashes);
  const double claim = passing(bits, real(held) * digits(), hashes);
  const double told = 2 * claim * (1 - claim);
  const double asked = (1 - std::pow(told, digits())) / (1 - told);  // digits, till one says no
  return {std::max(1.0, 2 * filter.absent * asked),
          std::max(1.0, digits() * (filter.present + filter.absent))};
}

cascade plan_cascade(std::uint64_t keys, double rate, std::uint64_t values) {
  require_whole("keys", keys, 1, max_keys);
  require_share("the false-positive rate", rate);
  require_whole("values", values, 1, max_cascade_values);
  std::optional<cascade> best;
  double best_bits = 0;
  for (std::uint64_t hashes = 1; hashes <= max_hashes; ++hashes) {
    const cascade planned{keys, hashes, values};
    // The first level alone is larger, and the more so with more hashes.
    if (best && bits_each(hashes, 0) * real(keys) * planned.digits() >= best_bits) break;
    if (planned.rate(keys) > rate) continue;
    const double bits = planned.size().bits(planned.digits());
    if (best && bits >= best_bits) continue;
    best = planned;
    best_bits = bits;
  }
  if (best) return *best;
  fail(errc::limit, "a cascade with " + std::to_string(max_hashes) +
                        " hashes does not reach a rate of " + format_real(rate));
}

}  // namespace bloomery::math
