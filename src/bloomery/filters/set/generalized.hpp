// The generalized Bloom filter: a key sets k1 bits to 1 and then k0 bits to 0, and is claimed if all of
// them are still so.
//
// Purpose:   a filter that cannot be flooded. Whatever was inserted, and whatever bits it started from,
//            a stranger is claimed at most about (k0/(k0+k1))^k0·(k1/(k0+k1))^k1 of the time; one of ones
//            alone claims nobody.
// Cost:      k0+k1 cache lines to insert; 199 bits a key for 1 % and one miss in a hundred.
// Guarantee: the key inserted last is always found. Errors are two-sided: later keys undo the bits of
//            earlier ones. Rate and misses by age are predicted in the limit of many bits.
// Citation:  Laufer, Velloso, Duarte 2005; Tarkoma §III-R.
//
//     auto packet = bloomery::generalized_filter::for_keys(100, 0.01);
//     assert(packet.insert({1, 2}) && packet.may_contain({1, 2}) && !packet.insert({1, 2}));
//     assert(bloomery::generalized_filter::predicted_false_negatives(packet.shape(), 100) <= 0.01);
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/positions.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/generalized.hpp"

namespace bloomery {

struct generalized_shape {
  std::uint64_t bits = 0;
  std::uint64_t zeros = 0;
  std::uint64_t ones = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &generalized_shape::bits, 1, max_bits),
      whole_field("zeros", "k0, bits that a key clears", &generalized_shape::zeros, 1,
                  max_hashes / 2),
      whole_field("ones", "k1, bits that a key sets", &generalized_shape::ones, 1, max_hashes / 2),
  };
  [[nodiscard]] math::generalized_size size() const { return {bits, zeros, ones}; }
};

class generalized_cells {
 public:
  using shape = generalized_shape;
  using place = hash::positions;  // those to clear, then those to set
  using can = ability_list<asks, inserts, tells_rate, wears, loses>;
  static constexpr kind_info kind{
      .name = "generalized",
      .title = "Generalized Bloom filter",
      .answers = "Was x inserted, and not undone since?",
      .citation = "Laufer et al. 2005",
      .header = "bloomery/filters/set/generalized.hpp",
      .false_negatives = true,
      .rate_is_limit = true,
      .unmergeable = "what one has cleared the other may have set",
  };

  explicit generalized_cells(const shape& s) : shape_(s), bits_(s.bits) {}
  generalized_cells(const shape& s, storage stored) : shape_(s), bits_(s.bits, std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::generalized_rate(s.size(), keys);
  }
  // That a key is missed when `keys` others have come since.
  static double predicted_false_negatives(const shape& s, std::uint64_t keys) {
    return math::generalized_misses(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::generalized_cost(s.size(), keys);
  }

  [[nodiscard]] place locate(digest d) const {
    return hash::positions_of(hash::uniform_probes{shape_.bits, shape_.zeros + shape_.ones}, d);
  }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at) bits_.prefetch(i);
  }

  bool insert(const place& at);
  [[nodiscard]] bool contains(const place& at) const;

  // As the fill tells: keys that have come, each at the cost of those before.
  [[nodiscard]] math::estimate wearing_keys(double confidence) const {
    return math::generalized_keys(shape_.size(), bits_.count(), confidence);
  }

  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const {
    return math::generalized_instance_rate(shape_.size(), fill());
  }

  static void each_part(auto& self, auto visit) { visit(self.bits_); }
  static std::uint64_t payload_bytes(const shape& s) { return bits::bit_array_bytes(s.bits); }

 private:
  [[nodiscard]] std::span<const std::uint64_t> to_clear(const place& at) const {
    return {at.begin(), shape_.zeros};
  }
  [[nodiscard]] std::span<const std::uint64_t> to_set(const place& at) const {
    return {at.begin() + shape_.zeros, shape_.ones};
  }

  shape shape_;
  bits::bit_array bits_;
};

using generalized_filter = filter<generalized_cells>;

}  // namespace bloomery
