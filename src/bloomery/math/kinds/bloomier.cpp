#include "bloomery/math/kinds/bloomier.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/peeling.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// Of the attempts for 1 to 1,000,000 keys these fail at most one in eight, with 3 to 8 slots a key.
constexpr double deviations = 1.5;  // times √keys
constexpr double spare_slots = 2;

constexpr unsigned longest_code = 64;

}  // namespace

std::uint64_t bloomier_slots(std::uint64_t keys, std::uint64_t hashes) {
  require_whole("keys", keys, 1, max_keys);
  const double slots =
      peeling_threshold(hashes) * real(keys) + deviations * std::sqrt(real(keys)) + spare_slots;
  if (slots > real(max_bits)) {
    fail(errc::limit,
         format_count(keys) + " keys need more than " + format_count(max_bits) + " slots");
  }
  // Two keys need not have all slots in common.
  return std::max(static_cast<std::uint64_t>(std::ceil(slots)), hashes + 1);
}

double code_rate(std::uint64_t codes, unsigned width) {
  return std::min(1.0, std::ldexp(real(codes), -static_cast<int>(width)));
}

unsigned code_bits(std::uint64_t codes, double rate) {
  require_share("the false-positive rate", rate);
  for (unsigned width = 1; width <= longest_code; ++width) {
    if (code_rate(codes, width) <= rate) return width;
  }
  fail(errc::limit, format_count(codes) + " codes in " + std::to_string(longest_code) +
                        " bits reach " + format_real(code_rate(codes, longest_code)) +
                        ", not a rate of " + format_real(rate));
}

}  // namespace bloomery::math
