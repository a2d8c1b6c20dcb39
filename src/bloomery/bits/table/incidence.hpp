// Which columns each of some rows touches, as lists of numbers.
//
// Cost:      eight bytes a row and a touch.
//
//     bloomery::bits::incidence keys_on_bits;
//     keys_on_bits.add(std::vector<std::uint64_t>{0, 2});
//     keys_on_bits.add(std::vector<std::uint64_t>{2});
//     assert(keys_on_bits.size() == 2 && keys_on_bits[0].size() == 2);
//     const bloomery::bits::incidence bits_under_keys = keys_on_bits.turned(3);
//     assert(bits_under_keys[1].empty() && bits_under_keys[2][1] == 1);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bloomery::bits {

class incidence {
 public:
  // A row.
  template <class Columns>
  void add(const Columns& columns) {
    touches_.insert(touches_.end(), columns.begin(), columns.end());
    starts_.push_back(touches_.size());
  }

  [[nodiscard]] std::uint64_t size() const { return starts_.size() - 1; }
  [[nodiscard]] std::span<const std::uint64_t> operator[](std::uint64_t row) const {
    return std::span(touches_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
  }

  // The rows that touch each of the `columns` columns, in order.
  [[nodiscard]] incidence turned(std::uint64_t columns) const {
    incidence result;
    result.starts_.assign(columns + 1, 0);
    for (const std::uint64_t column : touches_) ++result.starts_[column + 1];
    for (std::uint64_t c = 0; c < columns; ++c) result.starts_[c + 1] += result.starts_[c];
    result.touches_.resize(touches_.size());
    std::vector<std::uint64_t> next = result.starts_;
    for (std::uint64_t row = 0; row < size(); ++row) {
      for (const std::uint64_t column : (*this)[row]) result.touches_[next[column]++] = row;
    }
    return result;
  }

 private:
  std::vector<std::uint64_t> starts_{0};
  std::vector<std::uint64_t> touches_;
};

}  // namespace bloomery::bits
