#include "bloomery/filters/map/bank.hpp"

#include <bit>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/erasure.hpp"

namespace bloomery {

bank_cells::bank_cells(const shape& s, storage stored)
    : bank_cells(s, bits::packed_array(s.bits * s.lanes(), s.lane_bits(), std::move(stored))) {
  const auto used = static_cast<unsigned>(s.classes - 64 * (lanes_ - 1));  // of the last lane
  if (lanes_ == 1 || used == 64) return;
  for (std::uint64_t row = 0; row < s.bits; ++row) {
    if (rows_.get(row * lanes_ + lanes_ - 1) >> used != 0) {
      fail(errc::corrupt, "row " + std::to_string(row) + " has bits of classes there are not");
    }
  }
}

bank_shape bank_cells::plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
  const math::bank_size size = math::plan_bank(keys, rate, values);
  const shape planned{size.bits, size.hashes, size.classes};
  planned.check();
  return planned;
}

bank_shape bank_cells::plan_loads(const shape& wanted, load_span loads, double rate) {
  const math::bank_size size = math::plan_bank(loads, rate, wanted.classes);
  const shape planned{size.bits, size.hashes, size.classes};
  planned.check();
  return planned;
}

bool bank_cells::set_value(const place& at, std::uint64_t value) {
  for (const std::uint64_t row : at) {
    const std::uint64_t cell = row * lanes_ + value / 64;
    rows_.set(cell, rows_.get(cell) | std::uint64_t{1} << value % 64);
  }
  return true;
}

mapped bank_cells::value(const place& at) const {
  mapped answer;
  for (std::uint64_t lane = 0; lane < lanes_; ++lane) {
    const std::uint64_t classes = claimed(at, lane);
    if (classes == 0) continue;
    if (answer.is != mapped::state::absent || !std::has_single_bit(classes)) {
      return {mapped::state::unknown, 0};
    }
    answer = {mapped::state::present,
              64 * lane + static_cast<std::uint64_t>(std::countr_zero(classes))};
  }
  return answer;
}

std::vector<std::uint64_t> bank_cells::hits(digest d) const {
  const place at = locate(d);
  std::vector<std::uint64_t> classes;
  for (std::uint64_t lane = 0; lane < lanes_; ++lane) {
    for (std::uint64_t rest = claimed(at, lane); rest != 0; rest &= rest - 1) {
      classes.push_back(64 * lane + static_cast<std::uint64_t>(std::countr_zero(rest)));
    }
  }
  return classes;
}

void bank_cells::merge(const bank_cells& other) {
  for (std::uint64_t i = 0; i < rows_.size(); ++i) rows_.set(i, rows_.get(i) | other.rows_.get(i));
}

std::uint64_t bank_cells::payload_bytes(const shape& s) {
  return bits::bit_array_bytes(s.bits * s.lanes() * s.lane_bits());
}

template struct erasure<bank_filter>;

}  // namespace bloomery
