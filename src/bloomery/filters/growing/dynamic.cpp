#include "bloomery/filters/growing/dynamic.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/dynamic.hpp"

namespace bloomery {
namespace {

// How many rows take this many bytes, with a number for each in front; 0 if no number of them does.
std::uint64_t rows_in(std::uint64_t bytes, std::uint64_t row_bytes) {
  std::uint64_t rows = bytes / row_bytes;
  while (rows > 0 && bits::ledger::stored_bytes(rows) + rows * row_bytes > bytes) --rows;
  return bits::ledger::stored_bytes(rows) + rows * row_bytes == bytes ? rows : 0;
}

}  // namespace

dynamic_cells::dynamic_cells(const shape& s, storage stored) : shape_(s), keys_(0) {
  const std::uint64_t row_bytes = counting_cells::payload_bytes(s.row());
  const std::uint64_t rows = rows_in(stored.size(), row_bytes);
  if (rows == 0) {
    fail(errc::corrupt, std::to_string(stored.size()) + " bytes are no number of rows of " +
                            std::to_string(row_bytes) + " bytes");
  }
  keys_ = bits::ledger(rows, stored.take_front(bits::ledger::stored_bytes(rows)));
  for (std::uint64_t i = 0; i < rows; ++i) {
    if (keys_.get(i) > max_items) {
      fail(errc::corrupt, "row " + std::to_string(i) + " holds more keys than can be");
    }
    rows_.emplace_back(s.row(), stored.take_front(row_bytes));
  }
}

dynamic_shape dynamic_cells::plan(std::uint64_t keys, double rate) {
  const counting_shape row = counting_cells::plan(keys, rate);
  return {row.counters, row.hashes, row.counter_bits, keys};
}

double dynamic_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::rows_rate(s.counters, s.hashes, s.row_keys, keys);
}

math::query_cost dynamic_cells::query_cost(const shape& s, std::uint64_t keys) {
  const math::query_cost row = counting_cells::query_cost(s.row(), std::min(keys, s.row_keys));
  const std::uint64_t full_rows = (std::max<std::uint64_t>(keys, 1) - 1) / s.row_keys;
  const auto others = static_cast<double>(full_rows);
  return {(1 + others) * row.absent, others / 2 * row.absent + row.present};
}

std::vector<std::uint64_t> dynamic_cells::keys_of_rows() const {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < rows_.size(); ++i) keys.push_back(keys_.get(i));
  return keys;
}

void dynamic_cells::set_rows(const std::vector<std::uint64_t>& keys) {
  keys_ = bits::ledger(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys_.set(i, keys[i]);
}

bool dynamic_cells::insert(const place& at) {
  const auto claims = [&](const counting_cells& row) { return row.contains(at); };
  const auto claimant = std::find_if(rows_.begin(), rows_.end(), claims);
  const bool fresh = claimant == rows_.end();
  std::uint64_t row = 0;
  while (row < rows_.size() && keys_.get(row) >= shape_.row_keys) ++row;
  if (row == rows_.size() && !fresh) row = static_cast<std::uint64_t>(claimant - rows_.begin());
  if (row == rows_.size()) {
    auto keys = keys_of_rows();
    keys.push_back(0);
    rows_.emplace_back(shape_.row());
    set_rows(keys);
  }
  rows_[row].insert(at);
  keys_.add(row, 1);
  return fresh;
}

bool dynamic_cells::erase(const place& at) {
  const auto claims = [&](const counting_cells& row) { return row.contains(at); };
  const auto claimant = std::find_if(rows_.begin(), rows_.end(), claims);
  if (claimant == rows_.end() || std::any_of(claimant + 1, rows_.end(), claims)) return false;
  const auto row = static_cast<std::uint64_t>(claimant - rows_.begin());
  if (keys_.get(row) == 0 || !claimant->erase(at)) return false;  // stuck counters keep it
  keys_.set(row, keys_.get(row) - 1);
  // Not as soon as two fit into one: a key more and a key less would copy a row each time.
  const std::uint64_t most_keys = shape_.row_keys / 2;
  for (std::uint64_t other = 0; other < rows_.size(); ++other) {
    if (other == row || keys_.get(row) + keys_.get(other) > most_keys) continue;
    merge_rows(most_keys);
    break;
  }
  return true;
}

void dynamic_cells::merge_rows(std::uint64_t most_keys) {
  auto keys = keys_of_rows();
  for (std::size_t into = 0; into + 1 < rows_.size(); ++into) {
    for (std::size_t from = rows_.size() - 1; from > into; --from) {
      if (keys[into] + keys[from] > most_keys) continue;
      rows_[into].merge(rows_[from]);
      keys[into] += keys[from];
      rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(from));
      keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(from));
    }
  }
  if (keys.size() != keys_.size()) set_rows(keys);
}

bool dynamic_cells::contains(const place& at) const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [&](const counting_cells& row) { return row.contains(at); });
}

std::uint64_t dynamic_cells::count(const place& at) const {
  std::uint64_t total = 0;
  for (const counting_cells& row : rows_) total += row.count(at);
  return total;
}

bool dynamic_cells::count_is_full(const place& at) const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [&](const counting_cells& row) { return row.count_is_full(at); });
}

std::uint64_t dynamic_cells::overflows() const {
  std::uint64_t total = 0;
  for (const counting_cells& row : rows_) total += row.overflows();
  return total;
}

template struct erasure<dynamic_filter>;

}  // namespace bloomery
