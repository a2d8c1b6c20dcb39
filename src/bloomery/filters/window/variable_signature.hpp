// The filter of variable-length signatures: a key is a pattern of which enough must be left.
//
// Purpose:   a set that changes, in plain bits. An arrival sets t of the k bits of its key; a key is
//            present if q of the k are set; erasing clears bits; and with each arrival the next few bits
//            of the array, by turns, are cleared, so that what does not come again fades.
// Cost:      k cache lines to insert; for an absent key about (k-q+1)/(1-fill). Some 110 bits a key at
//            1 % for a window that it misses one key of in a hundred.
// Guarantee: a key just inserted is found (q > t is refused). Errors are two-sided: sweeping and erasing
//            take bits of other keys. Rate and misses are predicted. With q = t = k and nothing swept it
//            is the standard filter, bit for bit.
// Citation:  Lu et al. 2005; Tarkoma §III-L.
//
//     auto flows = bloomery::variable_signature_filter::for_keys(1000, 0.01);
//     assert(flows.insert({1, 2}) && flows.may_contain({1, 2}));
//     assert(flows.erase({1, 2}) && !flows.may_contain({1, 2}) && !flows.erase({1, 2}));
#pragma once

#include <array>

#include "bloomery/bits/array/sweep.hpp"
#include "bloomery/filters/window/aging_cells.hpp"
#include "bloomery/math/kinds/variable_signature.hpp"

namespace bloomery {

struct variable_signature_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t marks = 0;
  std::uint64_t needed = 0;
  std::uint64_t swept = 0;
  std::uint64_t window = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &variable_signature_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits of a signature", &variable_signature_shape::hashes, 1,
                  max_hashes),
      whole_field("marks", "t, of them set by an arrival", &variable_signature_shape::marks, 1,
                  max_hashes),
      whole_field("needed", "q, of them set if a key is present", &variable_signature_shape::needed,
                  1, max_hashes),
      whole_field("swept", "bits cleared with an arrival, 0 for none",
                  &variable_signature_shape::swept, 0, max_bits),
      whole_field("window", "arrivals after which a key is planned to be found",
                  &variable_signature_shape::window, 1, max_keys),
  };
  [[nodiscard]] math::signature_size size() const { return {bits, hashes, marks, needed, swept}; }
  [[nodiscard]] std::uint64_t cell_count() const { return bits; }
  [[nodiscard]] static std::uint64_t cell_bits() { return 1; }
  void check() const;
};

class variable_signature_cells : public aging_cells<variable_signature_shape> {
 public:
  using can = ability_list<asks, inserts, erases, loses, forgets>;
  static constexpr kind_info kind{
      .name = "variable-signature",
      .title = "Variable-length signatures",
      .answers = "Has x been seen lately, and not been removed?",
      .citation = "Lu et al. 2005",
      .header = "bloomery/filters/window/variable_signature.hpp",
      .false_negatives = true,
      .rate_is_limit = true,
      .unmergeable = "each has swept away other keys than the other",
  };

  explicit variable_signature_cells(const shape& s) : variable_signature_cells(s, fresh(s)) {}
  variable_signature_cells(const shape& s, storage stored)
      : variable_signature_cells(s, restored(s, std::move(stored))) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::signature_rate(s.size(), keys);
  }
  // That a key is missed when `keys` others have come since.
  static double predicted_false_negatives(const shape& s, std::uint64_t keys) {
    return math::signature_misses(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::signature_cost(s.size(), keys);
  }

  bool insert(digest d);
  bool erase(digest d);
  [[nodiscard]] bool contains(digest d) const;

 private:
  variable_signature_cells(const shape& s, array cells)
      : aging_cells(s, std::move(cells)), hand_(s.bits, s.swept, time()) {}

  bits::sweep hand_;
};

using variable_signature_filter = filter<variable_signature_cells>;

}  // namespace bloomery
