// The multilayer compressed counting filter (ML-CCBF): a counting filter whose counters are coded in
// unary, as ones and a zero, layer by layer.
//
// Purpose:   exact counting deletion in little more than two fifths of the bits of four-bit counters,
//            with no counter that can overflow.
// Cost:      1.693 bits a counter at half fill, and one for each further insertion times k. A query
//            costs what a standard filter's does, since it reads layer 0 alone; an insertion or
//            removal moves a few thousand bits for each of its k counters, some microseconds in all.
// Guarantee: every answer is that of a counting filter with unbounded counters: no false negatives
//            while only keys that are in it are erased, count() never too low. Layer 0 is the standard
//            filter of the live keys (`plain`). Erasing a key that is certainly absent changes nothing
//            and answers false; erasing a false positive damages other keys.
// Citation:  Ficara, Di Pietro, Giordano, Procissi, Vitucci 2010; Tarkoma §III-A.
//
//     auto flows = bloomery::multilayer_counting_filter::for_keys(1000, 0.01);
//     for (int i = 0; i < 100; ++i) flows.insert({1, 2});
//     assert(flows.count({1, 2}) == 100);
//     for (int i = 0; i < 100; ++i) assert(flows.erase({1, 2}));
//     assert(!flows.may_contain({1, 2}) && !flows.erase({1, 2}));
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "bloomery/bits/array/layered_counters.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/positions.hpp"

namespace bloomery {

struct multilayer_counting_shape {
  std::uint64_t counters = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("counters", "m, how many", &multilayer_counting_shape::counters, 1, max_bits / 2),
      whole_field("hashes", "k, counters per key", &multilayer_counting_shape::hashes, 1,
                  max_hashes),
  };
};

class multilayer_counting_cells {
 public:
  using shape = multilayer_counting_shape;
  using place = hash::positions;
  using can = ability_list<asks, asks_in_batches, inserts, erases, counts, merges, reduces,
                           tells_rate, measures>;
  static constexpr kind_info kind{
      .name = "multilayer-counting",
      .title = "Multilayer compressed counting filter",
      .answers = "Is x in the set now, and how often?",
      .citation = "Ficara et al. 2010",
      .header = "bloomery/filters/changing/multilayer_counting.hpp",
  };

  explicit multilayer_counting_cells(const shape& s)
      : probes_{s.counters, s.hashes}, counters_(s.counters) {}
  multilayer_counting_cells(const shape& s, storage stored)
      : probes_{s.counters, s.hashes}, counters_(s.counters, std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.counters, keys, s.hashes);
  }

  // Each counter once, so that inserting and erasing agree whatever the hashes repeat.
  [[nodiscard]] place locate(digest d) const { return hash::distinct_positions_of(probes_, d); }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at) counters_.prefetch(i);
  }

  bool insert(const place& at);
  bool erase(const place& at);
  [[nodiscard]] bool contains(const place& at) const {
    return std::all_of(at.begin(), at.end(), [&](std::uint64_t i) { return counters_.test(i); });
  }
  // As a standard filter's.
  template <key_span Keys>
  std::uint64_t contains_batch(const Keys& keys, std::span<bool> answers) const {
    return bits::probing(probes_).test_all(counters_.lowest(), keys, answers);
  }
  [[nodiscard]] std::uint64_t count(const place& at) const;
  void merge(const multilayer_counting_cells& other) { counters_ = counters_.sum(other.counters_); }

  [[nodiscard]] standard_filter plain(const filter_record& record) const {
    return standard_of(probes_, record, counters_.lowest());
  }
  [[nodiscard]] double fill() const { return plain({}).fill(); }
  [[nodiscard]] double current_rate() const { return plain({}).current_rate(); }
  [[nodiscard]] math::estimate estimated_keys(double confidence) const {
    return plain({}).estimated_keys(confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const multilayer_counting_cells& other,
                                                double confidence) const {
    return plain({}).estimated_overlap(other.plain({}), confidence);
  }

  static void each_part(auto& self, auto visit) { visit(self.counters_); }
  // Full, that is with half of the counters zero: what it takes varies with what is in it.
  static std::uint64_t payload_bytes(const shape& s);

 private:
  hash::uniform_probes probes_;
  bits::layered_counters counters_;
};

using multilayer_counting_filter = filter<multilayer_counting_cells>;

}  // namespace bloomery
