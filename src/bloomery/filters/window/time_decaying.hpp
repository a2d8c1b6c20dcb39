// The time-decaying Bloom filter: how much of a key is left, if every arrival halves with time.
//
// Purpose:   recent frequency of keys in a stream, and membership in a sliding window of arrivals or of
//            time. A cell is the sum of what is left of its arrivals; a key weighs as much as its least
//            cell.
// Cost:      32 bits a cell: about 310 bits a key at 1 %. k cache lines to insert, count or find; two for
//            an absent key. Nothing runs down: new arrivals weigh more instead, and all cells are scaled
//            once in 64 half-lives.
// Guarantee: no false negatives inside the window: a key is present while its least cell has the weight
//            of one arrival that is a window old, so repeats last longer. count() is the decayed count,
//            never too low but by rounding, rounded up. The rate holds at every moment.
// Citation:  Cheng et al. 2005, "Time-decaying Bloom filters"; Tarkoma §III-H.
//
//     bloomery::time_decaying_filter visits(
//         bloomery::time_decaying_filter::plan_time(1000, 0.01, 3'600'000));  // an hour
//     for (int i = 0; i < 8; ++i) visits.insert({1, 2});
//     assert(visits.count({1, 2}) == 8);
//     visits.advance(visits.shape().half_life);
//     assert(visits.count({1, 2}) == 4);
//     visits.advance(3 * 3'600'000);
//     assert(!visits.may_contain({1, 2}));
#pragma once

#include <array>
#include <bit>

#include "bloomery/filters/window/aging_cells.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/math/kinds/time_decaying.hpp"

namespace bloomery {

struct time_decaying_shape {
  std::uint64_t cells = 0;
  std::uint64_t hashes = 0;
  std::uint64_t window = 0;
  std::uint64_t half_life = 0;
  std::uint64_t timed = 0;

  static constexpr std::array fields{
      whole_field("cells", "m, how many", &time_decaying_shape::cells, 1, max_bits / 32),
      whole_field("hashes", "k, cells per key", &time_decaying_shape::hashes, 1, max_hashes),
      whole_field("window", "arrivals or milliseconds in which a key is found",
                  &time_decaying_shape::window, 1, max_keys),
      whole_field("half_life", "arrivals or milliseconds in which a key halves",
                  &time_decaying_shape::half_life, 1, max_keys),
      whole_field("timed", "1: in milliseconds, 0: in arrivals", &time_decaying_shape::timed, 0, 1),
  };
  [[nodiscard]] std::uint64_t cell_count() const { return cells; }
  [[nodiscard]] static std::uint64_t cell_bits() { return 32; }
  [[nodiscard]] double half_lives() const {
    return static_cast<double>(window) / static_cast<double>(half_life);
  }
  void check() const;
};

class time_decaying_cells : public aging_cells<time_decaying_shape> {
 public:
  using can = ability_list<asks, inserts, counts, forgets, keeps_time>;
  static constexpr kind_info kind{
      .name = "time-decaying",
      .title = "Time-decaying Bloom filter",
      .answers = "Has x been seen lately, and how often?",
      .citation = "Cheng et al. 2005",
      .header = "bloomery/filters/window/time_decaying.hpp",
      .unmergeable = "the arrivals of two streams are not weighed from the same time",
  };

  explicit time_decaying_cells(const shape& s) : time_decaying_cells(s, fresh(s)) {}
  time_decaying_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static shape plan_time(std::uint64_t keys, double rate, std::uint64_t milliseconds);
  static std::uint64_t peak(const shape& s) { return s.timed != 0 ? 0 : max_keys; }
  // Of a window of time: with `keys` spread evenly over it, and others before.
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.cells, s.timed != 0 ? keys : std::min(keys, s.window), s.hashes,
                              shape::cell_bits());
  }

  bool insert(digest d);
  [[nodiscard]] bool contains(digest d) const { return contains(d, {threshold_, unit_}); }
  [[nodiscard]] std::uint64_t count(digest d) const { return count(d, {threshold_, unit_}); }

  [[nodiscard]] bool runs_on_time() const { return shape_.timed != 0; }
  [[nodiscard]] std::uint64_t now() const { return time(); }
  void advance(std::uint64_t now);
  // As of a later time: what the oldest arrival of the window has added by then, and what one adds.
  struct moment {
    double threshold;
    double unit;
  };
  [[nodiscard]] moment as_of(std::uint64_t now) const;
  [[nodiscard]] bool contains(digest d, const moment& at) const {
    return probes_.all(d, [&](std::uint64_t i) { return double{cell(i)} >= at.threshold; });
  }
  [[nodiscard]] std::uint64_t count(digest d, const moment& at) const;

 private:
  // A number of half-lives: whole ones, and parts of half_life.
  struct phase {
    std::uint64_t whole;
    std::uint64_t parts;
  };

  time_decaying_cells(const shape& s, array cells);
  [[nodiscard]] phase phase_of(std::uint64_t time) const {
    return {time / shape_.half_life, time % shape_.half_life};
  }
  [[nodiscard]] double weight(const phase& at) const;
  [[nodiscard]] float cell(std::uint64_t i) const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(get(i)));
  }
  void find_phases();
  void step(phase& at) const;
  void weigh();

  phase oldest_{};  // of the oldest arrival in the window, if it was one
  phase newest_{};  // of an arrival now
  std::uint64_t era_ = 0;
  float threshold_ = 0;  // what an arrival at oldest_ has added
  float unit_ = 0;       // what one now adds
};

using time_decaying_filter = filter<time_decaying_cells>;

}  // namespace bloomery
