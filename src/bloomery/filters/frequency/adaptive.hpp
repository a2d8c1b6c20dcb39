// The adaptive Bloom filter: counts by further hash functions, in plain bits.
//
// Purpose:   small frequencies beside membership, in one array of bits.
// Cost:      a key sets k bits the first time and one bit each later time; to count to c reads k + c.
// Guarantee: no false negatives. A count is never too low below the field `most`, where it means "at
//            least" (`overflows` says how many occurrences went uncounted). It is too high: at half fill
//            by 1 on average if the others came after the key, but doubled if they came before.
// Citation:  Matsumoto, Hazeyama, Kadobayashi 2008; Tarkoma §III-K.
//
//     auto seen = bloomery::adaptive_filter::for_keys(1000, 0.01);
//     seen.insert({1, 2});
//     seen.insert({1, 2});
//     assert(seen.count({1, 2}) >= 2 && seen.count({3, 4}) == 0);
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct adaptive_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t most = 255;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &adaptive_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set by a new key", &adaptive_shape::hashes, 1, max_hashes),
      whole_field("most", "the count where counting stops", &adaptive_shape::most, 1, 65'535),
  };
};

class adaptive_cells {
 public:
  using shape = adaptive_shape;
  using place = digest;
  using can = ability_list<asks, inserts, counts, saturates, tells_rate, overflowing>;
  static constexpr kind_info kind{
      .name = "adaptive",
      .title = "Adaptive Bloom filter",
      .answers = "How often did x occur, roughly?",
      .citation = "Matsumoto, Hazeyama, Kadobayashi 2008",
      .header = "bloomery/filters/frequency/adaptive.hpp",
      .fills_with_repeats = true,
      .overflow = "occurrences went uncounted: counts that high are only lower bounds",
      .unmergeable = "runs of ones do not add up: merged counts would be too low",
  };

  explicit adaptive_cells(const shape& s)
      : first_{s.bits, s.hashes}, further_{s.bits, s.most - 1}, numbers_(1), bits_(s.bits) {}
  adaptive_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.bits, keys, s.hashes);
  }

  void prefetch(place d) const {
    hash::each_position(first_, d, [&](std::uint64_t i) { bits_.prefetch(i); });
  }

  bool insert(place d);
  [[nodiscard]] bool contains(place d) const {
    return first_.all(d, [&](std::uint64_t i) { return bits_.test(i); });
  }
  [[nodiscard]] std::uint64_t count(place d) const;
  [[nodiscard]] bool count_is_full(place d) const { return count(d) == further_.count + 1; }
  [[nodiscard]] std::uint64_t overflows() const { return numbers_.get(0); }
  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const;

  static void each_part(auto& self, auto visit) {
    visit(self.numbers_);
    visit(self.bits_);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::ledger::stored_bytes(1) + bits::bit_array_bytes(s.bits);
  }

 private:
  // Where the sequence of a key's further probes begins: uniform_probes goes on from here.
  [[nodiscard]] digest beyond_first(digest d) const {
    return {d.lo + first_.count * (d.hi | 1), d.hi};
  }

  hash::uniform_probes first_;
  hash::uniform_probes further_;
  bits::ledger numbers_;
  bits::bit_array bits_;
};

using adaptive_filter = filter<adaptive_cells>;

}  // namespace bloomery
