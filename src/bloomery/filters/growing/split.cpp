#include "bloomery/filters/growing/split.hpp"

#include <algorithm>

#include "bloomery/core/units.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/split.hpp"

namespace bloomery {
namespace {

// Every doubling costs 1.44 bits a key; with fewer than four there would be little to split.
constexpr std::uint64_t planned_rows = 4;
constexpr std::uint64_t ledger_words = 2;

}  // namespace

split_cells::split_cells(const shape& s)
    : shape_(s), filled_(ledger_words), bits_(s.rows * s.bits) {}

split_cells::split_cells(const shape& s, storage stored)
    : shape_(s), filled_(ledger_words), bits_(1) {
  if (stored.size() != payload_bytes(s)) {
    fail(errc::corrupt, "the rows take " + std::to_string(payload_bytes(s)) + " bytes, there are " +
                            std::to_string(stored.size()));
  }
  filled_ = bits::ledger(ledger_words, stored.take_front(bits::ledger::stored_bytes(ledger_words)));
  bits_ = bits::bit_array(s.rows * s.bits, std::move(stored));
  if (row() >= s.rows || keys_in_row() > s.row_keys || (row() > 0 && keys_in_row() == 0)) {
    fail(errc::corrupt, "row " + std::to_string(row()) + " of " + std::to_string(s.rows) +
                            " takes keys and has " + std::to_string(keys_in_row()) + " of " +
                            std::to_string(s.row_keys));
  }
}

split_shape split_cells::plan(std::uint64_t keys, double rate) {
  const std::uint64_t rows = std::clamp<std::uint64_t>(keys, 1, planned_rows);
  const std::uint64_t row_keys = keys / rows + std::uint64_t{keys % rows != 0};
  const math::row_size row = math::plan_choosy_rows(rows, row_keys, rate);
  return {rows, row.bits, row.hashes, row_keys};
}

double split_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::choosy_rows_rate(s.bits, s.hashes, s.row_keys, std::min(keys, capacity(s)));
}

math::query_cost split_cells::query_cost(const shape& s, std::uint64_t keys) {
  const math::query_cost row = math::uniform_cost(s.bits, std::min(keys, s.row_keys), s.hashes);
  const auto rows = static_cast<double>(s.rows);
  return {rows * row.absent, (rows - 1) / 2 * row.absent + row.present};
}

void split_cells::prefetch(const place& at) const {
  for (std::uint64_t i = 0; i <= row(); ++i) {
    for (const std::uint64_t bit : at) bits_.prefetch(i * shape_.bits + bit);
  }
}

bool split_cells::row_contains(std::uint64_t row, const place& at) const {
  const std::uint64_t first = row * shape_.bits;
  return std::all_of(at.begin(), at.end(),
                     [&](std::uint64_t bit) { return bits_.test(first + bit); });
}

bool split_cells::contains(const place& at) const {
  for (std::uint64_t i = 0; i <= row(); ++i) {
    if (row_contains(i, at)) return true;
  }
  return false;
}

bool split_cells::insert(const place& at) {
  if (contains(at)) return false;
  if (keys_in_row() == shape_.row_keys) {
    if (row() + 1 == shape_.rows) {
      fail(errc::limit, "all " + std::to_string(shape_.rows) +
                            " rows of the split filter are full, " + "of " +
                            format_count(shape_.row_keys) + " keys each; rebuild it for more keys");
    }
    filled_.add(0, 1);
    filled_.set(1, 0);
  }
  const std::uint64_t first = row() * shape_.bits;
  for (const std::uint64_t bit : at) bits_.set(first + bit);
  filled_.add(1, 1);
  return true;
}

std::uint64_t split_cells::payload_bytes(const shape& s) {
  return bits::ledger::stored_bytes(ledger_words) + bits::bit_array_bytes(s.rows * s.bits);
}

template struct erasure<split_filter>;

}  // namespace bloomery
