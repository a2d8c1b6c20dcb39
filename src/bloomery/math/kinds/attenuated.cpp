#include "bloomery/math/kinds/attenuated.hpp"

#include "bloomery/math/kinds/bank.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {

double attenuated_rate(std::uint64_t bits, std::uint64_t hashes, std::uint64_t levels,
                       std::uint64_t keys) {
  const std::uint64_t each = keys / levels;
  const double fewer = exact_rate(bits, each, hashes);
  if (levels == 1) return fewer;
  const double more = exact_rate(bits, each + 1, hashes);
  const auto with_more = real(keys % levels);
  return 1 - (1 - at_least_once(fewer, real(levels) - with_more)) *
                 (1 - at_least_once(more, with_more));
}

standard_size plan_attenuated(std::uint64_t levels, std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const double each = levels == 1 ? rate : at_least_once(rate, 1 / real(levels));
  standard_size size = plan_standard((keys - 1) / levels + 1, each);
  while ((size.rate = attenuated_rate(size.bits, size.hashes, levels, keys)) > rate) ++size.bits;
  return size;
}

double attenuated_rate(std::uint64_t bits, std::uint64_t hashes, std::uint64_t levels,
                       std::span<const value_load> loads) {
  return bank_rate({bits, hashes, levels}, loads);
}

standard_size plan_attenuated(std::uint64_t levels, std::span<const value_load> loads,
                              double rate) {
  const bank_size size = plan_bank(loads, rate, levels);
  return {size.bits, size.hashes, bank_rate(size, loads)};
}

}  // namespace bloomery::math
