// Double buffering: two bitmaps that take turns, so that one of them is always well filled.
//
// Purpose:   a time-varying set with nothing but bits. Keys go to the active bitmap, and to both once it
//            is half full; when the other is half full it becomes the active one, and the old one is
//            cleared. Only the active one is asked.
// Cost:      the two bits of a position lie together: k cache lines to insert as to find. Seven times
//            the bits of a standard filter of the window at 1 %, because the window is a worst case and
//            the rate is that of a bitmap three quarters full.
// Guarantee: a key written to both is found until the second swap after it; so the last ⌈m/2/k⌉
//            arrivals are found for sure (`window`), and usually 1.4 to 2.8 times as many. The rate holds
//            at every moment.
// Citation:  Chang, Feng, Li 2004; Tarkoma §III-L.
//
//     auto flows = bloomery::double_buffered_filter::for_keys(100, 0.05);
//     assert(flows.window() >= 100 && flows.insert({1, 2}) && !flows.insert({1, 2}));
//     for (std::uint64_t i = 0; i < 99; ++i) flows.insert({i, 7});
//     assert(flows.may_contain({1, 2}));
#pragma once

#include <array>

#include "bloomery/filters/window/aging_cells.hpp"
#include "bloomery/math/kinds/double_buffered.hpp"

namespace bloomery {

struct double_buffered_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, of each of the two bitmaps", &double_buffered_shape::bits, 1,
                  max_bits / 2),
      whole_field("hashes", "k, bits set per key", &double_buffered_shape::hashes, 1, max_hashes),
  };
  [[nodiscard]] math::buffer_size size() const { return {bits, hashes}; }
  [[nodiscard]] std::uint64_t cell_count() const { return bits; }
  [[nodiscard]] static std::uint64_t cell_bits() { return 2; }
};

class double_buffered_cells : public aging_cells<double_buffered_shape> {
 public:
  using can = ability_list<asks, inserts, forgets>;
  static constexpr kind_info kind{
      .name = "double-buffered",
      .title = "Double buffering",
      .answers = "Has x been seen lately?",
      .citation = "Chang, Feng, Li 2004",
      .header = "bloomery/filters/window/double_buffered.hpp",
      .unmergeable = "the bitmaps of two streams are not swapped with the same arrivals",
  };

  explicit double_buffered_cells(const shape& s)
      : aging_cells(s, fresh(s)), half_(math::half_full(s.bits)) {}
  double_buffered_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::buffered_rate(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.bits, std::min(keys, 2 * math::buffered_window(s.size())), s.hashes,
                              shape::cell_bits());
  }

  bool insert(digest d);
  [[nodiscard]] bool contains(digest d) const {
    return probes_.all(d, [&](std::uint64_t i) { return (get(i) & active()) != 0; });
  }
  [[nodiscard]] std::uint64_t window() const { return math::buffered_window(shape_.size()); }
  [[nodiscard]] std::uint64_t swaps() const { return time(); }

 private:
  double_buffered_cells(const shape& s, array cells);

  // Cells are pairs of bits, one of each bitmap; swaps are what time is here.
  [[nodiscard]] std::uint64_t active() const { return 1 + time() % 2; }
  [[nodiscard]] std::uint64_t inactive() const { return 3 - active(); }
  void swap();

  std::uint64_t half_;
  std::uint64_t in_active_ = 0;  // bits set
  std::uint64_t in_other_ = 0;
};

using double_buffered_filter = filter<double_buffered_cells>;

}  // namespace bloomery
