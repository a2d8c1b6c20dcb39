// The deletable Bloom filter: a standard filter that remembers in which regions keys have collided, so
// that bits elsewhere can be cleared.
//
// Purpose:   removal for a few bits more, for most keys: erase says whether it removed.
// Cost:      the bits of a standard filter and one a region; k cache lines to insert, about two for an
//            absent key.
// Guarantee: no false negatives while only keys that are in it are erased. A key is removed if one of
//            its bits lies in a region where no two insertions met; else erase answers false and
//            nothing changes. Inserting a key twice makes it stay. Erasing a false positive damages
//            other keys.
// Citation:  Rothenberg, Macapuna, Verdi, Magalhães 2010; Tarkoma §III-D.
//
//     auto routes = bloomery::deletable_filter::for_keys(1000, 0.01);
//     routes.insert({1, 2});
//     assert(routes.erase({1, 2}) && !routes.may_contain({1, 2}));
//     routes.insert({3, 4});
//     routes.insert({3, 4});
//     assert(!routes.erase({3, 4}) && routes.may_contain({3, 4}));
#pragma once

#include <algorithm>
#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct deletable_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t regions = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits, marks of regions included", &deletable_shape::bits,
                  3, max_bits),
      whole_field("hashes", "k, bits set per key", &deletable_shape::hashes, 1, max_hashes),
      whole_field("regions", "r, regions that are cleared or not, under half of bits",
                  &deletable_shape::regions, 1, max_bits / 2),
  };
  void check() const;
};

class deletable_cells {
 public:
  using shape = deletable_shape;
  using place = hash::positions;
  using can = ability_list<asks, inserts, erases, merges, tells_rate, measures>;
  static constexpr kind_info kind{
      .name = "deletable",
      .title = "Deletable Bloom filter",
      .answers = "Is x in the set now? Removes most keys",
      .citation = "Rothenberg et al. 2010",
      .header = "bloomery/filters/changing/deletable.hpp",
      .declines_erase = true,
      .erased_keep_room = true,
  };

  explicit deletable_cells(const shape& s) : deletable_cells(s, bits::bit_array(s.bits)) {}
  deletable_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.bits - s.regions, keys, s.hashes);
  }

  // Each bit once: a key that hits one twice has not collided with another.
  [[nodiscard]] place locate(digest d) const { return hash::distinct_positions_of(probes_, d); }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at) bits_.prefetch(regions_ + i);
  }

  bool insert(const place& at);
  bool erase(const place& at);
  [[nodiscard]] bool contains(const place& at) const {
    return std::all_of(at.begin(), at.end(),
                       [&](std::uint64_t i) { return bits_.test(regions_ + i); });
  }
  // Would erase remove a key that is here?
  [[nodiscard]] bool removable(const place& at) const {
    return std::any_of(at.begin(), at.end(),
                       [&](std::uint64_t i) { return !bits_.test(region_of(i)); });
  }
  void merge(const deletable_cells& other);

  [[nodiscard]] double fill() const {
    return 1 - static_cast<double>(zeros()) / static_cast<double>(probes_.cells);
  }
  [[nodiscard]] double current_rate() const;
  [[nodiscard]] math::estimate estimated_keys(double confidence) const {
    return math::estimate_keys(math::uniform_layout(probes_.cells, probes_.count), zeros(),
                               confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const deletable_cells& other,
                                                double confidence) const;

  static void each_part(auto& self, auto visit) { visit(self.bits_); }
  static std::uint64_t payload_bytes(const shape& s) { return bits::bit_array_bytes(s.bits); }

 private:
  deletable_cells(const shape& s, bits::bit_array bits);

  // ⌊i·regions/cells⌋ but for roundings beyond 2^32 cells, which only move a border.
  [[nodiscard]] std::uint64_t region_of(std::uint64_t i) const {
    return std::min(hash::reduce(i, regions_per_cell_), regions_ - 1);
  }
  [[nodiscard]] std::uint64_t zeros() const {
    return probes_.cells - bits_.count(regions_, bits_.size());
  }

  hash::uniform_probes probes_;
  std::uint64_t regions_;
  std::uint64_t regions_per_cell_;  // in units of 2^-64, rounded up
  bits::bit_array bits_;            // the marks, then the cells
};

using deletable_filter = filter<deletable_cells>;

}  // namespace bloomery
