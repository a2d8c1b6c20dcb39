// The space-code Bloom filter: approximate counts, in plain bits, by random groups of them.
//
// Purpose:   frequencies of all keys of a fast stream, by writes alone.
// Cost:      k bits an occurrence and resolution; a question looks at l groups of k.
// Guarantee: no false negatives: the first resolution takes every occurrence. Counts are estimates
//            that err both ways, but not below what a resolution tells whose groups are all full;
//            `estimate_count` says when a count is only "at least". Which group is written follows from digest and arrival number, so that the same
//            stream makes the same bytes.
// Citation:  Kumar, Xu, Wang, Spatschek, Li 2004; Tarkoma §III-J.
//
//     auto packets = bloomery::space_code_filter::for_keys(1000, 0.01);
//     for (int i = 0; i < 10; ++i) packets.insert({1, 2});
//     assert(packets.count({1, 2}) > 3 && packets.count({1, 2}) < 30);
//     assert(packets.count({3, 4}) == 0);
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct space_code_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t groups = 16;
  std::uint64_t resolutions = 1;
  std::uint64_t sampling = 16;

  static constexpr std::array fields{
      whole_field("bits", "m, the size of each resolution in bits", &space_code_shape::bits, 1,
                  max_bits / 16),
      whole_field("hashes", "k, bits of a group", &space_code_shape::hashes, 1, max_hashes),
      whole_field("groups", "l, groups per key", &space_code_shape::groups, 2, 64),
      whole_field("resolutions", "filters, each sampling fewer occurrences",
                  &space_code_shape::resolutions, 1, 8),
      whole_field("sampling", "takes one in this many of what the one before takes",
                  &space_code_shape::sampling, 2, 64),
  };
};

class space_code_cells {
 public:
  using shape = space_code_shape;
  using place = digest;
  using can = ability_list<asks, inserts, counts, saturates, tells_likeliest>;
  static constexpr kind_info kind{
      .name = "space-code",
      .title = "Space-code Bloom filter",
      .answers = "How often did x occur, about?",
      .citation = "Kumar et al. 2004",
      .header = "bloomery/filters/frequency/space_code.hpp",
      .fills_with_repeats = true,
      .unmergeable = "which groups were written depends on the order of all arrivals",
  };

  explicit space_code_cells(const shape& s);
  space_code_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  void prefetch(place d) const;  // what an absent key reads first

  bool insert(place d);
  [[nodiscard]] bool contains(place d) const;
  [[nodiscard]] std::uint64_t count(place d) const;
  [[nodiscard]] bool count_is_full(place d) const { return mean_value_of(d).at_least; }

  struct estimate {
    double mean_value;
    double likeliest;
    // All groups are full in every resolution, or the next one took fewer than the full ones tell of.
    bool at_least;
  };
  [[nodiscard]] estimate estimate_count(digest d) const;
  [[nodiscard]] std::uint64_t likeliest_count(place d) const;
  // θ, and the chance that others alone fill a group.
  [[nodiscard]] std::uint64_t full_groups(digest d, std::uint64_t resolution) const;
  [[nodiscard]] double noise(std::uint64_t resolution) const;

  static void each_part(auto& self, auto visit) {
    visit(self.numbers_);
    for (auto& bits : self.filters_) visit(bits);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::ledger::stored_bytes(1 + s.resolutions) +
           s.resolutions * bits::bit_array_bytes(s.bits);
  }

 private:
  [[nodiscard]] hash::uniform_probes probes() const { return {shape_.bits, shape_.hashes}; }
  // The least sampled of the resolutions that are not full.
  [[nodiscard]] std::uint64_t best_resolution(digest d) const;
  [[nodiscard]] double scale(std::uint64_t resolution) const;
  struct mean_value {
    std::uint64_t resolution;
    std::uint64_t full;
    double value;
    double least;  // which the full resolutions before it tell of
    bool at_least;
  };
  [[nodiscard]] mean_value mean_value_of(digest d) const;

  shape shape_;
  bits::ledger numbers_;  // arrivals, then the ones of each resolution
  std::vector<bits::bit_array> filters_;
};

using space_code_filter = filter<space_code_cells>;

}  // namespace bloomery
