#include "bloomery/filters/set/banked.hpp"

#include <bit>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

template class bit_cells<banked_rule>;

void banked_shape::check() const {
  detail::require_total_bits(bank_bits, banks, "banks");
  math::require_whole("hashes, of different banks,", hashes, 1, banks);
}

banked_shape banked_rule::plan(std::uint64_t keys, double rate) {
  const math::banked_size size = math::plan_banked(keys, rate);
  return {size.bank_bits, size.banks, size.hashes};
}

double banked_rule::current_rate(const shape& s, const bits::bit_array& bits) {
  std::vector<double> fills;
  for (std::uint64_t first = 0; first < bits.size(); first += s.bank_bits) {
    fills.push_back(static_cast<double>(bits.count(first, first + s.bank_bits)) /
                    static_cast<double>(s.bank_bits));
  }
  return math::banked_instance_rate(fills, s.hashes);
}

banked_shape banked_rule::of_bits(std::uint64_t bits, std::uint64_t hashes) {
  const std::uint64_t banks = std::bit_ceil(hashes);
  return {detail::whole_parts(bits, banks, "banks"), banks, hashes};
}

template struct erasure<banked_filter>;

}  // namespace bloomery
