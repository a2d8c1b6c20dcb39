// What `uniq` has seen, when nobody says how many lines there are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/any/planner.hpp"
#include "options.hpp"

namespace bloomery::cli {

// Filters of the kind that is best for a known number of lines: one after the other is filled with as many
// as it was planned for, and each is four times as large and twice as strict as the one before, so that
// all together stay under the rate. Most inputs need one or two.
class seen_lines {
 public:
  // The plan of the first: for half the rate.
  seen_lines(const planned_filter& first, hash_identity hash);

  // Of all together; what is no rate stays as it is, for the planner to refuse.
  static double first_rate(double rate) { return rate < 1 ? rate / 2 : rate; }

  // Which lines are new, also to those before them; returns how many.
  std::uint64_t insert(std::span<const digest> lines, std::span<bool> fresh);

  // Of all together: so many lines to begin with, and the rate however many come.
  [[nodiscard]] promise promised() const { return all_promised_; }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::size_t filters() const { return full_.size() + 1; }

 private:
  void open_next();
  std::uint64_t insert_some(std::span<const digest> lines, std::span<bool> fresh);

  const any_kind* kind_;
  hash_identity hash_;
  promise all_promised_;
  promise promised_;  // of the one that is being filled
  std::uint64_t room_;
  any_filter filling_;
  std::vector<any_filter> full_;
  std::vector<digest> unseen_;  // lines that no full filter knows, and where they were
  std::vector<std::size_t> places_;
};

}  // namespace bloomery::cli
