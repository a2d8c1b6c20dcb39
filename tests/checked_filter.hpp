// A filter and its twin, a std::map that is never wrong: every call goes to both, and the filter must
// keep what it promises against the truth.
//
// Checked at each step: no false negative; no count too low, unless it is full; a legal erase succeeds,
// unless the kind may decline; a member's value is the one last set, or is said to be unknown.
//
//     checked_filter filter(counting_filter::for_keys(500, 0.01));
//     filter.insert(d);
//     filter.erase(d);
//     filter.check_all();
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/kind.hpp"

namespace bloomery::testing {

template <filter_type F>
class checked_filter {
 public:
  explicit checked_filter(F filter) : filter_(std::move(filter)) {}

  [[nodiscard]] const F& filter() const { return filter_; }

  // The truth.
  [[nodiscard]] std::uint64_t copies(digest d) const {
    const auto found = twin_.find(d);
    return found == twin_.end() ? 0 : found->second.copies;
  }
  [[nodiscard]] std::uint64_t held() const { return held_; }  // repeats counted
  template <class Act>
  void each_member(Act act) const {
    for (const auto& [d, known] : twin_) act(d, known.copies);
  }

  void insert(digest d) requires able<F, inserts> {
    filter_.insert(d);
    ++twin_[d].copies;
    ++held_;
    check(d);
  }
  // Of a member. False, and nothing changed, if the kind declines.
  bool erase(digest d) requires able<F, erases> {
    const auto found = twin_.find(d);
    if (found == twin_.end()) {
      ADD_FAILURE() << "only members are erased";
      return false;
    }
    const bool gone = filter_.erase(d);
    EXPECT_TRUE(gone || F::kind.declines_erase) << "a member was not erased";
    if (gone && --found->second.copies == 0) twin_.erase(found);
    held_ -= std::uint64_t{gone};
    check(d);
    return gone;
  }
  bool set_value(digest d, std::uint64_t value) requires able<F, sets_values> {
    const bool set = filter_.set_value(d, value);
    if (set) {
      member& known = twin_[d];
      held_ += std::uint64_t{known.copies == 0};
      known.copies = std::max<std::uint64_t>(known.copies, 1);
      known.value = value;
    }
    check(d);
    return set;
  }

  // What is promised of this key, member or not.
  void check(digest d) const {
    const auto found = twin_.find(d);
    if (found == twin_.end() || F::kind.false_negatives) return;
    if constexpr (able<F, asks>) {
      EXPECT_TRUE(filter_.may_contain(d)) << "a false negative";
    }
    if constexpr (able<F, counts>) {
      EXPECT_TRUE(filter_.count(d) >= found->second.copies || is_full(d))
          << filter_.count(d) << " is too low a count for " << found->second.copies;
    }
    if constexpr (able<F, sets_values>) {
      const mapped told = filter_.value(d);
      EXPECT_NE(told.is, mapped::state::absent) << "a member without a value";
      EXPECT_TRUE(told.is != mapped::state::present || told.value == found->second.value ||
                  F::kind.values_may_err)
          << told.value << " was told for " << found->second.value;
    }
  }
  void check_all() const {
    for (const auto& [d, known] : twin_) check(d);
  }

 private:
  struct member {
    std::uint64_t copies = 0;
    std::uint64_t value = 0;
  };

  [[nodiscard]] bool is_full(digest d) const {
    if constexpr (able<F, saturates>) return filter_.count_is_full(d);
    return false;
  }

  F filter_;
  std::map<digest, member> twin_;
  std::uint64_t held_ = 0;
};

}  // namespace bloomery::testing
