// The age-partitioned window: has this key been seen among the last W arrivals, or in the last hour?
//
// Purpose:   duplicates in a stream without end. A ring of k + l slices; a key sets a bit in each of
//            the k youngest, and is claimed where k slices in a row have its bits. With each new
//            generation the oldest slice is cleared and becomes the youngest.
// Cost:      about 2.2 times the bits of a standard filter of the window; k cache lines to insert; an
//            absent key stops after about 2(1 + l/k), skipping slices that cannot matter.
// Guarantee: no false negative inside the window, which is `generations` whole generations. A key that
//            left it fades: it is claimed with the chance that j slices hit, j generations later, and
//            is a stranger after k. The rate of strangers holds at every moment. A window of time
//            needs `advance`, and keeps its rate while it brings no more keys than planned.
// Citation:  Shtul, Baquero, Almeida, "Age-Partitioned Bloom Filters", 2020.
//
//     auto seen = bloomery::age_partitioned_filter::for_keys(1000, 0.01);
//     assert(seen.window() >= 1000 && seen.insert({1, 2}) && !seen.insert({1, 2}));
//     auto hour = bloomery::age_partitioned_filter(
//         bloomery::age_partitioned_filter::plan_time(1000, 0.01, 3'600'000));
//     hour.insert({1, 2});
//     hour.advance(3'600'000);
//     assert(hour.may_contain({1, 2}));
//     hour.advance(7'200'000);
//     assert(!hour.may_contain({1, 2}));
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/clocked.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/age_partitioned.hpp"

namespace bloomery {

struct age_partitioned_shape {
  std::uint64_t slice_bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t generations = 0;
  std::uint64_t generation = 0;
  std::uint64_t generation_ms = 0;

  static constexpr std::array fields{
      whole_field("slice_bits", "bits of a slice", &age_partitioned_shape::slice_bits, 1, max_bits),
      whole_field("hashes", "k, slices a key is in", &age_partitioned_shape::hashes, 1, max_hashes),
      whole_field("generations", "l, that a window has", &age_partitioned_shape::generations, 1,
                  math::most_generations),
      whole_field("generation", "arrivals in a generation, 0 if it ends with time",
                  &age_partitioned_shape::generation, 0, max_keys),
      whole_field("generation_ms", "milliseconds in a generation, 0 if it ends with arrivals",
                  &age_partitioned_shape::generation_ms, 0, max_keys),
  };
  [[nodiscard]] std::uint64_t slices() const { return hashes + generations; }
  void check() const;
};

class age_partitioned_cells {
 public:
  using shape = age_partitioned_shape;
  using place = digest;
  using can = ability_list<asks, inserts, forgets, keeps_time>;
  static constexpr kind_info kind{
      .name = "age-partitioned",
      .title = "Age-partitioned window",
      .answers = "Was x among the last W arrivals, or in the last T of time?",
      .citation = "Shtul, Baquero, Almeida 2020",
      .header = "bloomery/filters/window/age_partitioned.hpp",
      .unmergeable = "the windows of two streams do not end with the same arrivals",
  };

  explicit age_partitioned_cells(const shape& s)
      : age_partitioned_cells(s, bits::clocked(bits::bit_array(s.slice_bits * s.slices()))) {}
  age_partitioned_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static shape plan_time(std::uint64_t keys, double rate, std::uint64_t milliseconds);
  // The rate peaks where a generation ends.
  static std::uint64_t peak(const shape& s) {
    return s.generation == 0 ? 0 : max_keys - max_keys % s.generation;
  }
  // Of a window of time: with `keys` spread evenly over it, at the worst moment.
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  void prefetch(digest d) const;
  bool insert(digest d);
  [[nodiscard]] bool contains(digest d) const { return contains(d, 0); }

  [[nodiscard]] std::uint64_t window() const {
    return runs_on_time() ? shape_.generations * shape_.generation_ms
                          : shape_.generations * shape_.generation + 1;
  }
  [[nodiscard]] bool runs_on_time() const { return shape_.generation_ms != 0; }
  [[nodiscard]] std::uint64_t now() const { return ring_.time(); }
  void advance(std::uint64_t now);
  // As of a later time: with that many generations begun since.
  using moment = std::uint64_t;
  [[nodiscard]] moment as_of(std::uint64_t now) const;
  [[nodiscard]] bool contains(digest d, moment begun) const;

  static void each_part(auto& self, auto visit) { visit(self.ring_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::clocked<bits::bit_array>::payload_bytes(
        bits::bit_array_bytes(s.slice_bits * s.slices()));
  }

 private:
  age_partitioned_cells(const shape& s, bits::clocked<bits::bit_array> ring);

  // Where a key's bit is in the slice of this age, 0 for the youngest.
  [[nodiscard]] std::uint64_t bit(digest d, std::uint64_t age) const {
    const std::uint64_t slice = youngest_ + age;
    return probes_.at(d, slice < probes_.count ? slice : slice - probes_.count);
  }
  void begin_generations(std::uint64_t count);

  shape shape_;
  hash::partitioned_probes probes_;
  bits::clocked<bits::bit_array> ring_;  // its time is arrivals or milliseconds
  std::uint64_t youngest_ = 0;  // slice; ages rise with the slices from there, round the ring
  std::uint64_t room_ = 0;      // arrivals left to this generation
};

using age_partitioned_filter = filter<age_partitioned_cells>;

}  // namespace bloomery
