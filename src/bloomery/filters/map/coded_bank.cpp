#include "bloomery/filters/map/coded_bank.hpp"

#include <bit>

#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

std::uint64_t all_bits(const coded_bank_shape& s) {
  return s.bits * s.words().width();
}

}  // namespace

coded_bank_cells::coded_bank_cells(const shape& s)
    : coded_bank_cells({s.bits, s.hashes}, s.words(), bits::bit_array(all_bits(s))) {}

coded_bank_cells::coded_bank_cells(const shape& s, storage stored)
    : coded_bank_cells({s.bits, s.hashes}, s.words(),
                       bits::bit_array(all_bits(s), std::move(stored))) {}

coded_bank_shape coded_bank_cells::plan_for(const shape& wanted, std::uint64_t keys, double rate) {
  const math::coded_size size = math::plan_coded(keys, rate, wanted.classes, wanted.size().code);
  return {size.bits, size.hashes, size.classes, static_cast<std::uint64_t>(size.code)};
}

double coded_bank_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::coded_rate(s.size(), keys);
}

math::query_cost coded_bank_cells::query_cost(const shape& s, std::uint64_t keys) {
  return math::coded_cost(s.size(), keys);
}

bool coded_bank_cells::set_value(digest d, std::uint64_t value) {
  for (std::uint64_t rest = code_.word(value); rest != 0; rest &= rest - 1) {
    const auto filter = static_cast<unsigned>(std::countr_zero(rest));
    probes_.all(salted(d, filter), [&](std::uint64_t at) {
      bits_.set(filter * probes_.cells + at);
      return true;
    });
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

std::uint64_t coded_bank_cells::payload_bytes(const shape& s) {
  return bits::bit_array_bytes(all_bits(s));
}

template struct erasure<coded_bank_filter>;

}  // namespace bloomery
