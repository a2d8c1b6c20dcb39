// Counts over a sliding window: how often has this key come among the last W arrivals, or in the last hour?
//
// Purpose:   a count-min sketch that forgets. The window is some panes long; each has counters of its own,
//            and a total of all panes is kept beside them. When a pane is full, the oldest is taken off
//            the totals and begun anew.
// Cost:      (panes + 2) counters a column, of the fewest bytes that hold a window: about 17·(panes + 2)
//            bytes a key at 1 %, so size it by the error of its counts where membership does not matter.
//            One cache line a row to count; two to insert, and a pass over one pane and the totals when a
//            pane is full.
// Guarantee: a count is never below the key's arrivals inside the window, and never above them by more than
//            those of the pane before it and what fell into its columns: more than ε of the window with
//            probability δ at most (for_error). No false negatives inside the window; the rate of
//            strangers is exact at every moment.
// Citation:  Tarkoma §III-H names them; the blocks are Arasu, Manku 2004, the rows Cormode,
//            Muthukrishnan 2005.
//
//     using bloomery::sliding_count_filter;
//     sliding_count_filter hour(sliding_count_filter::plan_time(1000, 0.01, 3'600'000));
//     hour.insert({1, 2});
//     hour.advance(1'800'000);
//     hour.insert({1, 2});
//     assert(hour.count({1, 2}) == 2);
//     hour.advance(4'500'000);
//     assert(hour.count({1, 2}) == 1);  // the first one left after an hour and an eighth
#pragma once

#include <array>
#include <cassert>

#include "bloomery/bits/array/clocked.hpp"
#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/sliding_count.hpp"

namespace bloomery {

struct sliding_count_shape {
  std::uint64_t width = 0;
  std::uint64_t depth = 0;
  std::uint64_t panes = 0;
  std::uint64_t pane = 0;
  std::uint64_t pane_ms = 0;

  static constexpr std::array fields{
      whole_field("width", "w, columns of a row", &sliding_count_shape::width, 1, max_bits),
      whole_field("depth", "d, rows, and columns per key", &sliding_count_shape::depth, 1,
                  max_hashes),
      whole_field("panes", "p, that a window has", &sliding_count_shape::panes, 1,
                  math::most_panes),
      whole_field("pane", "arrivals in a pane, 0 if it ends with time", &sliding_count_shape::pane,
                  0, max_keys),
      whole_field("pane_ms", "milliseconds in a pane, 0 if it ends with arrivals",
                  &sliding_count_shape::pane_ms, 0, max_keys),
  };
  void check() const;

  // Counts within ε of a window of so many arrivals, but for δ of the time.
  static sliding_count_shape for_error(double epsilon, double delta, std::uint64_t window);

  [[nodiscard]] std::uint64_t columns() const { return width * depth; }
  [[nodiscard]] std::uint64_t counters() const { return columns() * (panes + 2); }
  // Of a counter: what holds all arrivals that are kept, and four bytes if those are not known.
  [[nodiscard]] unsigned counter_bits() const;
};

class sliding_count_cells {
 public:
  using shape = sliding_count_shape;
  using place = digest;
  using can = ability_list<asks, inserts, counts, forgets, keeps_time>;
  static constexpr kind_info kind{
      .name = "sliding-count",
      .title = "Counts over a sliding window",
      .answers = "How often has x come among the last W arrivals, or in the last T of time?",
      .citation = "Arasu, Manku 2004",
      .header = "bloomery/filters/window/sliding_count.hpp",
      .unmergeable = "the windows of two streams do not end with the same arrivals",
  };

  explicit sliding_count_cells(const shape& s)
      : sliding_count_cells(s, array(bits::packed_array(s.counters(), s.counter_bits()))) {}
  sliding_count_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static shape plan_time(std::uint64_t keys, double rate, std::uint64_t milliseconds);
  // The rate peaks where a pane ends.
  static std::uint64_t peak(const shape& s) {
    return s.pane == 0 ? 0 : max_keys - max_keys % s.pane;
  }
  // Of a window of time: with `keys` spread evenly over it, and others before.
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  void prefetch(digest d) const {
    hash::each_position(probes_, d, [&](std::uint64_t i) { ring_.cells.prefetch(i); });
  }
  // Throws errc::limit, and changes nothing, if one of the key's counters is full.
  bool insert(digest d);
  [[nodiscard]] bool contains(digest d) const { return contains(d, 0); }
  [[nodiscard]] std::uint64_t count(digest d) const { return count(d, 0); }

  [[nodiscard]] std::uint64_t window() const {
    return runs_on_time() ? shape_.panes * shape_.pane_ms : shape_.panes * shape_.pane + 1;
  }
  [[nodiscard]] bool runs_on_time() const { return shape_.pane_ms != 0; }
  [[nodiscard]] std::uint64_t now() const { return ring_.time(); }
  void advance(std::uint64_t now);
  // As of a later time: with that many panes begun since.
  using moment = std::uint64_t;
  [[nodiscard]] moment as_of(std::uint64_t now) const;
  [[nodiscard]] bool contains(digest d, moment begun) const { return count(d, begun) != 0; }
  [[nodiscard]] std::uint64_t count(digest d, moment begun) const;

  static void each_part(auto& self, auto visit) { visit(self.ring_); }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  using array = bits::clocked<bits::packed_array>;  // totals first, then the panes of the ring

  sliding_count_cells(const shape& s, array ring);
  [[nodiscard]] std::uint64_t kept_panes() const {
    assert(shape_.panes <= math::most_panes);
    return shape_.panes + 1;
  }
  [[nodiscard]] std::uint64_t pane_of(std::uint64_t number) const {  // where its counters begin
    return shape_.columns() * (1 + number % kept_panes());
  }
  void begin_panes(std::uint64_t count);
  void take_off(std::uint64_t number);

  shape shape_;
  hash::partitioned_probes probes_;
  array ring_;
  std::uint64_t number_ = 0;  // of the pane that is being filled
};

using sliding_count_filter = filter<sliding_count_cells>;

}  // namespace bloomery
