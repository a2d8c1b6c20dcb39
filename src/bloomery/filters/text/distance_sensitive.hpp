// The distance-sensitive Bloom filter: is a text close to one that was inserted?
//
// Purpose:   near-misses under a metric: bit strings by Hamming, sets of words by Jaccard, vectors by
//            Euclid. k arrays, each with a locality-sensitive hash of its own; close if t have the bit.
// Cost:      k cache lines, and k·g hash functions over the text. Many times the bits of a filter for
//            membership: near and far must be told apart by counting.
// Guarantee: what was inserted is always close, since all k arrays have its bit. What is `near` one is
//            missed with P(Bin(k, p1) < t), what is `far` from all claimed with P(Bin(k, hit) >= t):
//            errors on both sides. Texts that are no point of the metric throw errc::invalid.
// Citation:  Kirsch, Mitzenmacher 2006; Tarkoma §III-S.
//
//     auto seen = bloomery::distance_sensitive_filter::for_keys(100, 0.001);  // words
//     seen.insert_text("it was the best of times it was the worst of times in an old city");
//     assert(seen.may_contain_text("it was the best of times and the worst of times in an old city"));
//     assert(!seen.may_contain_text("call me ishmael some years ago never mind how long precisely"));
#pragma once

#include <array>
#include <string_view>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/lsh.hpp"
#include "bloomery/math/kinds/distance_sensitive.hpp"

namespace bloomery {

struct distance_sensitive_shape {
  std::uint64_t array_bits = 0;
  std::uint64_t arrays = 0;
  std::uint64_t threshold = 0;
  std::uint64_t functions = 0;
  std::uint64_t metric = static_cast<std::uint64_t>(bloomery::metric::jaccard);
  std::uint64_t dimension = 64;
  double width = 4;
  double near = 0.1;
  double far = 0.9;

  static constexpr std::array fields{
      whole_field("array_bits", "m', bits of an array", &distance_sensitive_shape::array_bits, 1,
                  max_bits),
      whole_field("arrays", "k, how many", &distance_sensitive_shape::arrays, 1, math::max_arrays),
      whole_field("threshold", "t, arrays that make a text close",
                  &distance_sensitive_shape::threshold, 1, math::max_arrays),
      whole_field("functions", "g, joined in the hash of an array",
                  &distance_sensitive_shape::functions, 1, math::max_functions),
      choice_field("metric", "hexadecimal bits, words, or numbers",
                   &distance_sensitive_shape::metric, metric_names),
      whole_field("dimension", "bits or numbers of a point; words have none",
                  &distance_sensitive_shape::dimension, 1, 1 << 16),
      real_field("width", "of a bucket of projected numbers", &distance_sensitive_shape::width,
                 1e-9, 1e9),
      real_field("near", "distance to claim; of bits and words a share",
                 &distance_sensitive_shape::near, 0, 1e9),
      real_field("far", "distance not to claim", &distance_sensitive_shape::far, 1e-9, 1e9),
  };
  void check() const;
  // The chance that g functions agree on two points so far apart.
  [[nodiscard]] double collision(double distance) const;
};

class distance_sensitive_cells {
 public:
  using shape = distance_sensitive_shape;
  using can = ability_list<merges, loses, chooses, reads_texts, finds_near>;
  static constexpr kind_info kind{
      .name = "distance-sensitive",
      .title = "Distance-sensitive Bloom filter",
      .answers = "Is x close to something in the set?",
      .citation = "Kirsch, Mitzenmacher 2006",
      .header = "bloomery/filters/text/distance_sensitive.hpp",
      .false_negatives = true,
      .rate_is_limit = true,
  };

  explicit distance_sensitive_cells(const shape& s) : shape_(s), bits_(s.arrays * s.array_bits) {}
  distance_sensitive_cells(const shape& s, storage stored)
      : shape_(s), bits_(s.arrays * s.array_bits, std::move(stored)) {}

  // For words; plan_for takes metric, dimension, width, near and far from `wanted`.
  static shape plan(std::uint64_t keys, double rate) { return plan_for({}, keys, rate); }
  static shape plan_for(const shape& wanted, std::uint64_t keys, double rate);
  // Of texts that are `far` from all.
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::far_claim_rate(s.arrays, s.threshold,
                                math::array_hit(keys, s.collision(s.far), s.array_bits));
  }
  // Of texts that are `near` one; of members none is missed.
  static double predicted_false_negatives(const shape& s, std::uint64_t /*keys*/) {
    return math::near_miss_rate(s.arrays, s.threshold, s.collision(s.near));
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  text_insertion insert_text(const hasher& hash, std::string_view text);
  [[nodiscard]] std::uint64_t nearness(const hasher& hash, std::string_view text) const;
  [[nodiscard]] bool contains_text(const hasher& hash, std::string_view text) const {
    return nearness(hash, text) >= shape_.threshold;
  }
  static std::function<std::string()> random_texts(const shape& s, std::uint64_t seed);
  void merge(const distance_sensitive_cells& other) { bits_.merge(other.bits_); }

  static void each_part(auto& self, auto visit) { visit(self.bits_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::bit_array_bytes(s.arrays * s.array_bits);
  }

 private:
  // A bit of each array.
  [[nodiscard]] std::vector<std::uint64_t> places(const hasher& hash, std::string_view text) const;

  shape shape_;
  bits::bit_array bits_;
};

using distance_sensitive_filter = filter<distance_sensitive_cells>;

}  // namespace bloomery
