// The succinct counting filter: a blocked filter, and beside each of its lines one that counts.
//
// Purpose:   keys that come and go at little more than twice the bits of a filter that forgets nothing, and
//            half of what three- or four-bit counters take.
// Cost:      a query is a blocked filter's: one line. Inserting and erasing take two, and one bit of the
//            second for each of a key's k counters. 1 % takes 20 bits a key.
// Guarantee: no false negatives while only keys that are in it are erased; its bits are those of the blocked
//            filter of the live keys (`plain`). count() is never too low. Counters beyond what a line has
//            room for spill to a table; the plan's is large enough but for one filter in
//            1/math::planned_freeze. A counter ends at 127 and stays there, forever, and if nothing is left
//            to spill to, so do those of a line (`overflows` says how many). Erasing a key that is certainly
//            absent changes nothing and answers false; erasing a false positive damages other keys.
// Citation:  Fan et al. 2000 in blocks of Putze, Sanders, Singler 2007; one bit an increment: Ficara et al.
//            2010; a word of codes for each word of bits: Mueller's fastfilter. The rest is ours.
//
//     auto open_files = bloomery::succinct_counting_filter::for_keys(1000, 0.01);
//     open_files.insert({1, 2});
//     open_files.insert({1, 2});
//     assert(open_files.count({1, 2}) == 2 && open_files.erase({1, 2}));
//     assert(open_files.may_contain({1, 2}) && open_files.overflows() == 0);
//     assert(open_files.plain().may_contain({1, 2}));
//     assert(open_files.erase({1, 2}) && !open_files.may_contain({1, 2}));
#pragma once

#include <array>
#include <span>

#include "bloomery/bits/array/unary_lines.hpp"
#include "bloomery/bits/batch/unary_line_kernels.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/set/blocked.hpp"

namespace bloomery {

struct succinct_counting_shape {
  std::uint64_t blocks = 0;
  std::uint64_t hashes = 0;
  std::uint64_t spill = 0;

  static constexpr std::array fields{
      whole_field("blocks", "number of 512-bit blocks, each with a line that counts",
                  &succinct_counting_shape::blocks, 1, max_bits / cache_line_bits / 4),
      whole_field("hashes", "k, bits set per key", &succinct_counting_shape::hashes, 1,
                  hash::line_pattern::most_hashes),
      whole_field("spill", "lines for counters beyond what theirs has room for",
                  &succinct_counting_shape::spill, 1, max_bits / cache_line_bits / 4),
  };
};

class succinct_counting_cells {
 public:
  using shape = succinct_counting_shape;
  using can =
      ability_list<asks, asks_in_batches, inserts, inserts_in_batches, erases, erases_in_batches,
                   counts, saturates, merges, reduces, tells_rate, measures, overflowing>;
  static constexpr kind_info kind{
      .name = "succinct-counting",
      .title = "Succinct counting filter",
      .answers = "Is x in the set now, and how often?",
      .citation = "Fan et al. 2000; Ficara et al. 2010",
      .header = "bloomery/filters/changing/succinct_counting.hpp",
      .fills_with_repeats = true,
      .overflow = counting_overflow,
  };

  explicit succinct_counting_cells(const shape& s)
      : succinct_counting_cells(s, bits::unary_lines(s.blocks, s.spill)) {}
  succinct_counting_cells(const shape& s, storage stored)
      : succinct_counting_cells(s, bits::unary_lines(s.blocks, s.spill, std::move(stored))) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& /*s*/, std::uint64_t /*keys*/) {
    return math::one_line_cost;
  }

  void prefetch(digest d) const { lines_.prefetch(line_of(d)); }

  bool insert(digest d) { return run_->raise_one(pattern_, lines_, line_of(d), d.hi); }
  bool erase(digest d) { return run_->lower_one(pattern_, lines_, line_of(d), d.hi); }
  [[nodiscard]] bool contains(digest d) const { return probing_.test(lines_.bits(), d); }
  template <key_span Keys>
  std::uint64_t contains_batch(const Keys& keys, std::span<bool> answers) const {
    return probing_.test_all(lines_.bits(), keys, answers);
  }
  template <key_span Keys>
  std::uint64_t insert_batch(const Keys& keys, std::span<bool> fresh, std::uint64_t& items) {
    items += keys.size();
    return run_->of(keys).raise(pattern_, lines_, keys, fresh.empty() ? nullptr : fresh.data());
  }
  template <key_span Keys>
  std::uint64_t erase_batch(const Keys& keys) {
    return run_->of(keys).lower(pattern_, lines_, keys);
  }
  [[nodiscard]] std::uint64_t count(digest d) const {
    return lines_.count(line_of(d), pattern_, d.hi);
  }
  [[nodiscard]] bool count_is_full(digest d) const { return count(d) == bits::unary_lines::most; }
  void merge(const succinct_counting_cells& other) { lines_.merge(other.lines_); }

  [[nodiscard]] std::uint64_t overflows() const { return lines_.stuck(); }
  [[nodiscard]] blocked_filter plain(const filter_record& record) const;
  [[nodiscard]] double fill() const { return lines_.bits().fill(); }
  [[nodiscard]] double current_rate() const;
  [[nodiscard]] math::estimate estimated_keys(double confidence) const;
  [[nodiscard]] math::overlap estimated_overlap(const succinct_counting_cells& other,
                                                double confidence) const;

  static void each_part(auto& self, auto visit) { visit(self.lines_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::unary_lines::stored_bytes(s.blocks, s.spill);
  }

 private:
  succinct_counting_cells(const shape& s, bits::unary_lines lines)
      : hashes_(s.hashes),
        pattern_(s.hashes),
        probing_(hash::blocked_probes(s.blocks, s.hashes)),
        run_(&bits::unary_kernels_for(pattern_)),
        lines_(std::move(lines)) {}
  [[nodiscard]] std::uint64_t line_of(digest d) const { return hash::reduce(d.lo, lines_.lines()); }
  [[nodiscard]] blocked_shape plain_shape() const { return {lines_.lines(), hashes_}; }

  std::uint64_t hashes_;
  hash::line_pattern pattern_;
  bits::probing<hash::blocked_probes> probing_;
  const bits::unary_line_kernels* run_;
  bits::unary_lines lines_;
};

using succinct_counting_filter = filter<succinct_counting_cells>;

}  // namespace bloomery
