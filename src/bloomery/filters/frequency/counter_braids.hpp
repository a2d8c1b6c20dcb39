// Counter braids: counts of all keys at once, exact, from little more than a counter a key.
//
// Purpose:   per-flow counts in memory too small for a table of flows. Updates are online; decoding
//            is offline and needs the list of the keys that occurred.
// Cost:      k narrow counters an update and rarely k wide ones; decoding passes over all keys some
//            tens of times.
// Guarantee: decode bounds every count from both sides. Where the bounds meet the count is certain,
//            and `uncertain` says where they do not: those counts are upper bounds. What is certain
//            adds up to every counter: a list that lacks a key, or has one that did not occur, fails
//            at that and leaves all counts uncertain. (Keys that show an empty counter are recognised,
//            and count 0.) Repeats on the list are fine. Merging adds, byte for byte.
// Citation:  Lu, Montanari, Prabhakar, Dharmapurikar, Kabbani 2008.
//
//     auto flows = bloomery::counter_braids_filter::for_keys(1000, 0.01);
//     for (int i = 0; i < 70'000; ++i) flows.insert({1, 2});
//     flows.insert({3, 4});
//     const std::vector<bloomery::digest> seen{{1, 2}, {3, 4}};
//     const auto counts = flows.decode(seen);
//     assert(counts.uncertain == 0 && counts.counts[0] == 70'000 && counts.counts[1] == 1);
#pragma once

#include <array>

#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/bits/table/count_bounds.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/positions.hpp"

namespace bloomery {

struct counter_braids_shape {
  std::uint64_t counters = 0;
  std::uint64_t hashes = 3;
  std::uint64_t counter_bits = 16;
  std::uint64_t second = 0;

  static constexpr std::array fields{
      whole_field("counters", "narrow counters, in the first layer",
                  &counter_braids_shape::counters, 1, max_bits / 64),
      whole_field("hashes", "k, counters per key, in both layers", &counter_braids_shape::hashes, 2,
                  8),
      whole_field("counter_bits", "width of a narrow counter", &counter_braids_shape::counter_bits,
                  1, 32),
      whole_field("second", "counters of 48 bits, in the second layer",
                  &counter_braids_shape::second, 1, max_bits / 64),
  };
};

class counter_braids_cells {
 public:
  using shape = counter_braids_shape;
  using place = hash::positions;
  using can = ability_list<inserts, decodes, merges, tells_rate, measures>;
  static constexpr kind_info kind{
      .name = "counter-braids",
      .title = "Counter braids",
      .answers = "How often did each key of a list occur, exactly?",
      .citation = "Lu et al. 2008",
      .header = "bloomery/filters/frequency/counter_braids.hpp",
  };
  static constexpr unsigned second_bits = 48;

  explicit counter_braids_cells(const shape& s);
  counter_braids_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  // The chance that the count of a given key is not certain if `keys` keys occurred.
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  // Each counter once: a key that counted twice in one would be two edges there.
  [[nodiscard]] place locate(digest d) const {
    return hash::distinct_positions_of(first_probes_, d);
  }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at) first_.prefetch(i);
  }

  bool insert(const place& at);
  void merge(const counter_braids_cells& other);

  // Of the narrow counters, and what they tell of how many keys there are, however often each came.
  [[nodiscard]] double fill() const { return raised().fill(); }
  [[nodiscard]] double current_rate() const;
  [[nodiscard]] math::estimate estimated_keys(double confidence) const {
    return raised().estimated_keys(confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const counter_braids_cells& other,
                                                double confidence) const {
    return raised().estimated_overlap(other.raised(), confidence);
  }

  [[nodiscard]] bits::count_bounds decode_bounds(std::span<const digest> keys) const;
  [[nodiscard]] decoded_counts decode(std::span<const digest> keys) const;

  static void each_part(auto& self, auto visit) {
    visit(self.first_);
    visit(self.wrapped_);
    visit(self.second_);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::bit_array_bytes(s.counters * s.counter_bits) + bits::bit_array_bytes(s.counters) +
           bits::bit_array_bytes(s.second * second_bits);
  }

 private:
  [[nodiscard]] standard_filter raised() const;  // which of the first are not 0, or were
  [[nodiscard]] hash::positions second_positions(std::uint64_t counter) const;
  void carry(std::uint64_t counter);

  hash::uniform_probes first_probes_;
  hash::uniform_probes second_probes_;
  bits::packed_array first_;
  bits::bit_array wrapped_;  // which of the first have wrapped: the flows of the second layer
  bits::packed_array second_;
};

using counter_braids_filter = filter<counter_braids_cells>;

}  // namespace bloomery
