// What a filter in front of the truth has answered, and what the truth was.
//
// Purpose:   every system that asks a filter before it asks something slow keeps one. The counts are
//            what its figures are made of: lab/result.hpp compares them with what math/ predicts.
// Cost:      an addition a question.
//
//     bloomery::apps::ledger book;
//     book.record(true, true);    // the filter passed it, and it was there
//     book.record(true, false);   // a false positive
//     book.record(false, false);  // spared
//     assert(book.asked() == 3 && book.passed() == 2 && book.false_positives() == 1);
//     assert(book.strangers() == 2 && book.missed() == 0);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bloomery::apps {

class ledger {
 public:
  // One question: whether the filter let it pass, and whether the truth has it.
  void record(bool passed, bool truth) { ++counts_[std::size_t{passed}][std::size_t{truth}]; }
  ledger& operator+=(const ledger& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      for (std::size_t j = 0; j < counts_[i].size(); ++j) counts_[i][j] += other.counts_[i][j];
    }
    return *this;
  }

  [[nodiscard]] std::uint64_t asked() const { return passed() + counts_[0][0] + counts_[0][1]; }
  [[nodiscard]] std::uint64_t passed() const { return counts_[1][0] + counts_[1][1]; }
  [[nodiscard]] std::uint64_t strangers() const { return counts_[0][0] + counts_[1][0]; }
  [[nodiscard]] std::uint64_t false_positives() const { return counts_[1][0]; }
  [[nodiscard]] std::uint64_t true_positives() const { return counts_[1][1]; }
  [[nodiscard]] std::uint64_t missed() const { return counts_[0][1]; }  // a filter never should

 private:
  std::array<std::array<std::uint64_t, 2>, 2> counts_{};  // by passed, by truth
};

}  // namespace bloomery::apps
