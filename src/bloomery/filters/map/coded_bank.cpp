#include "bloomery/filters/map/coded_bank.hpp"

#include <bit>

#include "bloomery/filters/erasure.hpp"

namespace bloomery {

coded_bank_shape coded_bank_cells::plan_for(const shape& wanted, std::uint64_t keys, double rate) {
  const math::coded_size size = math::plan_coded(keys, rate, wanted.classes, wanted.size().code);
  return {size.bits, size.hashes, size.classes, static_cast<std::uint64_t>(size.code)};
}

coded_bank_shape coded_bank_cells::plan_loads(const shape& wanted, load_span loads, double rate) {
  const math::coded_size size = math::plan_coded(loads, rate, wanted.classes, wanted.size().code);
  return {size.bits, size.hashes, size.classes, static_cast<std::uint64_t>(size.code)};
}

bool coded_bank_cells::set_value(digest d, std::uint64_t value) {
  for (std::uint64_t rest = code_.word(value); rest != 0; rest &= rest - 1) {
    const auto filter = static_cast<unsigned>(std::countr_zero(rest));
    hash::each_position(probes_, salted(d, filter),
                        [&](std::uint64_t at) { bits_.set(filter * probes_.cells + at); });
  }
  return true;
}

std::uint64_t coded_bank_cells::word(digest d) const {
  std::uint64_t result = 0;
  for (unsigned filter = 0; filter < code_.width(); ++filter) {
    const bool claimed = probes_.all(salted(d, filter), [&](std::uint64_t at) {
      return bits_.test(filter * probes_.cells + at);
    });
    result |= std::uint64_t{claimed} << filter;
  }
  return result;
}

// Fewer ones than any word has: no key of any class can have them.
mapped coded_bank_cells::value(digest d) const {
  const std::uint64_t seen = word(d);
  if (seen == 0 || std::popcount(seen) < static_cast<int>(code_.weight())) return {};
  const auto value = code_.value(seen);
  return value ? mapped{mapped::state::present, *value} : mapped{mapped::state::unknown, 0};
}

template struct erasure<coded_bank_filter>;

}  // namespace bloomery
