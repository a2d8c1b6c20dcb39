// The blocked counting filter: all counters of a key in one cache line.
//
// Purpose:   a counting filter for sets larger than the cache: keys come and go at the price of one
//            cache line each.
// Cost:      one line per insert, erase and query. Lines of 168 three-bit counters (the plan's choice)
//            take fewer bits than four-bit counters anywhere down to rates of .1 %, and more below.
// Guarantee: no false negatives while only keys that are in it are erased; its nonzero counters are
//            those of the live keys. count() is never too low. A counter that reached its maximum
//            stays there, forever (`overflows` says how many); the plan keeps their share under
//            math::planned_stuck. Erasing a key that is certainly absent changes nothing and answers
//            false; erasing a false positive damages other keys.
// Citation:  Fan et al. 2000 in blocks of Putze, Sanders, Singler 2007; the layout is ours.
//
//     auto open_files = bloomery::blocked_counting_filter::for_keys(1000, 0.01);
//     open_files.insert({1, 2});
//     open_files.insert({1, 2});
//     assert(open_files.count({1, 2}) == 2 && open_files.erase({1, 2}));
//     assert(open_files.may_contain({1, 2}) && open_files.overflows() == 0);
//     assert(open_files.erase({1, 2}) && !open_files.may_contain({1, 2}));
#pragma once

#include <array>
#include <span>

#include "bloomery/bits/array/line_counters.hpp"
#include "bloomery/bits/batch/counter_line_kernels.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/set/bit_cells.hpp"
#include "bloomery/hash/lane_cells.hpp"

namespace bloomery {

struct blocked_counting_shape {
  std::uint64_t blocks = 0;
  std::uint64_t hashes = 0;
  std::uint64_t counter_bits = 0;

  static constexpr std::array fields{
      whole_field("blocks", "number of 64-byte lines of counters", &blocked_counting_shape::blocks,
                  1, max_bits / cache_line_bits),
      whole_field("hashes", "k, counters per key", &blocked_counting_shape::hashes, 1,
                  hash::lane_cells::most_hashes),
      whole_field("counter_bits", "width of a counter", &blocked_counting_shape::counter_bits,
                  bits::line_counters::min_width, bits::line_counters::max_width),
  };
};

class blocked_counting_cells {
 public:
  using shape = blocked_counting_shape;
  struct place {
    std::uint64_t block;
    std::uint64_t bits;  // which counters
  };
  using can =
      ability_list<asks, asks_in_batches, inserts, inserts_in_batches, erases, erases_in_batches,
                   counts, saturates, merges, tells_rate, measures, overflowing>;
  static constexpr kind_info kind{
      .name = "blocked-counting",
      .title = "Blocked counting filter",
      .answers = "Is x in the set now, and how often?",
      .citation = "Fan et al. 2000; Putze et al. 2007",
      .header = "bloomery/filters/changing/blocked_counting.hpp",
      .overflow = counting_overflow,
      .overflow_planned = true,
  };

  explicit blocked_counting_cells(const shape& s)
      : blocked_counting_cells(s.hashes, {s.blocks, static_cast<unsigned>(s.counter_bits)}) {}
  blocked_counting_cells(const shape& s, storage stored)
      : blocked_counting_cells(
            s.hashes, {s.blocks, static_cast<unsigned>(s.counter_bits), std::move(stored)}) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& /*s*/, std::uint64_t /*keys*/) {
    return math::one_line_cost;
  }

  [[nodiscard]] place locate(digest d) const {
    return {hash::reduce(d.lo, counters_.blocks()), d.hi};
  }
  void prefetch(const place& at) const { counters_.prefetch(at.block); }

  bool insert(const place& at);
  bool erase(const place& at);
  [[nodiscard]] bool contains(const place& at) const { return count(at) != 0; }
  template <key_span Keys>
  std::uint64_t contains_batch(const Keys& keys, std::span<bool> answers) const {
    if (pattern_.two_rounds()) return detail::ask_each(*this, keys, answers);
    return kernels(keys).test(lines(), keys, answers.data());
  }
  template <key_span Keys>
  std::uint64_t insert_batch(const Keys& keys, std::span<bool> fresh, std::uint64_t& items) {
    if (pattern_.two_rounds()) return detail::insert_each(*this, keys, fresh, items);
    items += keys.size();
    return kernels(keys).raise(lines(), keys, fresh.empty() ? nullptr : fresh.data());
  }
  template <key_span Keys>
  std::uint64_t erase_batch(const Keys& keys) {
    if (pattern_.two_rounds()) return detail::erase_each(*this, keys);
    return kernels(keys).lower(lines(), keys);
  }
  [[nodiscard]] std::uint64_t count(const place& at) const;
  [[nodiscard]] bool count_is_full(const place& at) const {
    return count(at) == counters_.max_value();
  }
  void merge(const blocked_counting_cells& other) { counters_.merge(other.counters_); }

  [[nodiscard]] std::uint64_t overflows() const { return counters_.stuck(); }
  [[nodiscard]] double fill() const {
    return 1 - static_cast<double>(counters_.zeros()) / static_cast<double>(counters_.size());
  }
  [[nodiscard]] double current_rate() const;
  [[nodiscard]] math::estimate estimated_keys(double confidence) const {
    return math::estimate_keys(layout(), counters_.zeros(), confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const blocked_counting_cells& other,
                                                double confidence) const {
    return math::estimate_overlap(layout(), counters_.zeros(), other.counters_.zeros(),
                                  counters_.common_zeros(other.counters_), confidence);
  }

  static void each_part(auto& self, auto visit) { visit(self.counters_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::line_counters::stored_bytes(s.blocks);
  }

 private:
  blocked_counting_cells(std::uint64_t hashes, bits::line_counters counters)
      : hashes_(hashes), pattern_(hashes, counters.per_lane()), counters_(std::move(counters)) {}
  [[nodiscard]] math::bit_layout layout() const;
  [[nodiscard]] bits::counter_lines lines() const {
    return {pattern_, counters_.lanes(), counters_.blocks(), counters_.width()};
  }
  static const auto& kernels(const auto& keys) { return bits::counter_line_kernels_now().of(keys); }

  std::uint64_t hashes_;
  hash::lane_cells pattern_;
  bits::line_counters counters_;
};

using blocked_counting_filter = filter<blocked_counting_cells>;

}  // namespace bloomery
