#include "bloomery/math/kinds/counter_braids.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/peeling.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

std::uint64_t wrapping(std::uint64_t counters) {
  return static_cast<std::uint64_t>(std::ceil(planned_wraps * real(counters)));
}

// The fewest counters for which a chance that falls with them is at most `rate`. Below those that can be
// peeled at all it is 1, and then it falls at once.
template <class Chance>
std::uint64_t fewest(std::uint64_t keys, double rate, Chance chance) {
  constexpr std::uint64_t most = max_bits / 64;
  constexpr double peelable = 1.23;  // counters a key
  const auto counters =
      smallest(peelable * real(keys), most, [&](std::uint64_t m) { return chance(m) <= rate; });
  if (!counters) {
    fail(errc::limit, "no braid of " + std::to_string(most) + " counters reaches a rate of " +
                          format_ratio(rate));
  }
  return *counters;
}

}  // namespace

double braid_rate(const braid_size& size, std::uint64_t keys, std::uint64_t k) {
  if (keys == 0) return 0;
  const double wide = core_probability(size.second, wrapping(size.first), k);
  return std::min(1.0, core_probability(size.first, keys, k) + real(k) * planned_wraps * wide);
}

braid_size plan_braids(std::uint64_t keys, double rate) {
  require_whole("keys", keys, 1, max_keys);
  require_share("rate", rate);
  constexpr double of_second = 0.1;  // of the rate
  constexpr std::uint64_t k = 3;
  braid_size size{};
  size.first = fewest(keys, (1 - of_second) * rate,
                      [&](std::uint64_t m) { return core_probability(m, keys, k); });
  const std::uint64_t wrapped = wrapping(size.first);
  size.second = fewest(wrapped, of_second * rate / (real(k) * planned_wraps),
                       [&](std::uint64_t m) { return core_probability(m, wrapped, k); });
  return size;
}

}  // namespace bloomery::math
