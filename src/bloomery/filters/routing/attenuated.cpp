#include "bloomery/filters/routing/attenuated.hpp"

#include <bit>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/attenuated.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

attenuated_cells::attenuated_cells(const shape& s)
    : probes_{s.bits, s.hashes}, cells_(s.bits, static_cast<unsigned>(s.levels)) {}

attenuated_cells::attenuated_cells(const shape& s, storage stored)
    : probes_{s.bits, s.hashes},
      cells_(s.bits, static_cast<unsigned>(s.levels), std::move(stored)) {}

attenuated_shape attenuated_cells::plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
  math::require_whole("values", values, 1, 64);
  const math::standard_size size = math::plan_attenuated(values, keys, rate);
  const shape s{size.bits, size.hashes, values};
  s.check();
  return s;
}

double attenuated_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::attenuated_rate(s.bits, s.hashes, s.levels, keys);
}

attenuated_shape attenuated_cells::plan_loads(const shape& wanted, load_span loads, double rate) {
  const math::standard_size size = math::plan_attenuated(wanted.levels, loads, rate);
  const shape s{size.bits, size.hashes, wanted.levels};
  s.check();
  return s;
}

double attenuated_cells::rate_of_loads(const shape& s, load_span loads) {
  return math::attenuated_rate(s.bits, s.hashes, s.levels, loads);
}

bool attenuated_cells::insert(const place& at) {
  const bool fresh = !contains(at);
  set_value(at, 0);
  return fresh;
}

bool attenuated_cells::set_value(const place& at, std::uint64_t hops) {
  for (const std::uint64_t i : at) cells_.set(i, cells_.get(i) | std::uint64_t{1} << hops);
  return true;
}

mapped attenuated_cells::value(const place& at) const {
  std::uint64_t levels = cells_.max_value();
  for (const std::uint64_t i : at) {
    levels &= cells_.get(i);
    if (levels == 0) return {};
  }
  return {mapped::state::present, static_cast<std::uint64_t>(std::countr_zero(levels))};
}

void attenuated_cells::merge(const attenuated_cells& other) {
  for (std::uint64_t i = 0; i < cells_.size(); ++i) {
    cells_.set(i, cells_.get(i) | other.cells_.get(i));
  }
}

attenuated_cells attenuated_cells::advertisement(const attenuated_cells& own,
                                                 std::span<const attenuated_cells* const> others,
                                                 std::uint64_t /*link*/) {
  if (own.cells_.width() == 1 && !others.empty()) {
    fail(errc::invalid,
         "levels is 1, which is for what a node holds itself; allowed with what lies behind: 2 to "
         "64");
  }
  bits::packed_array sent(own.cells_.size(), own.cells_.width());
  for (std::uint64_t i = 0; i < sent.size(); ++i) {
    std::uint64_t behind = 0;
    for (const attenuated_cells* other : others) behind |= other->cells_.get(i);
    sent.set(i, ((behind << 1) | (own.cells_.get(i) & 1)) & sent.max_value());
  }
  return {own.probes_, std::move(sent)};
}

double attenuated_cells::fill(std::uint64_t level) const {
  std::uint64_t ones = 0;
  for (std::uint64_t i = 0; i < cells_.size(); ++i) ones += cells_.get(i) >> level & 1;
  return static_cast<double>(ones) / static_cast<double>(cells_.size());
}

std::uint64_t attenuated_cells::payload_bytes(const shape& s) {
  return bits::bit_array_bytes(s.bits * s.levels);
}

template struct erasure<attenuated_filter>;

}  // namespace bloomery
