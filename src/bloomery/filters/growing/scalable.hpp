// The scalable Bloom filter: stage after stage, each larger and stricter, for sets of any size.
//
// Purpose:   a false-positive rate that holds however many keys come, when nobody knows how many.
// Cost:      a query asks the stages from the newest; with growth 2 and s stages it touches about
//            two lines a stage for an absent key. A third to a half more bits than a standard filter
//            of just the right size. The keys that it is planned for open a second stage in at
//            most one of a hundred filters.
// Guarantee: no false negatives at any size; the compound rate stays under `rate` at any size, since
//            a stage is closed when half of its bits are set. A key that a stage claims already is
//            not stored again. Beyond 2^48 bits insert throws errc::limit.
// Citation:  Almeida, Baquero, Preguiça, Hutchison 2007; Tarkoma §III-N.
//
//     auto seen = bloomery::scalable_filter::for_keys(1000, 0.01);  // to begin with
//     for (std::uint64_t i = 0; i < 10'000; ++i) seen.insert({bloomery::hash::mix(i), ~i});
//     assert(seen.stages() == 4);
//     assert(seen.may_contain({bloomery::hash::mix(9999), ~std::uint64_t{9999}}));
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/scalable.hpp"

namespace bloomery {

struct scalable_shape {
  std::uint64_t slice_bits = 0;
  double rate = 0;
  double tightening = 0;
  std::uint64_t growth = 0;

  static constexpr std::array fields{
      whole_field("slice_bits", "bits of a slice of the first stage", &scalable_shape::slice_bits,
                  1, max_bits),
      real_field("rate", "P, that all stages together stay under", &scalable_shape::rate,
                 min_rate / 2, 0.999'999),
      real_field("tightening", "r, by which each stage is stricter", &scalable_shape::tightening,
                 0.1, 0.99),
      whole_field("growth", "s, by which each stage is larger", &scalable_shape::growth, 2, 16),
  };
  void check() const { (void)stages().bits(0); }
  [[nodiscard]] math::scalable_stages stages() const {
    return {slice_bits, rate, tightening, growth};
  }
};

class scalable_cells {
 public:
  using shape = scalable_shape;
  using place = digest;
  using can = ability_list<asks, inserts, grows>;
  static constexpr kind_info kind{
      .name = "scalable",
      .title = "Scalable Bloom filter",
      .answers = "Is x in the set, however large it grows?",
      .citation = "Almeida et al. 2007",
      .header = "bloomery/filters/growing/scalable.hpp",
      .rate_is_limit = true,
      .unmergeable =
          "stages filled apart would overfill together; insert the keys of one into the "
          "other",
  };

  explicit scalable_cells(const shape& s) : plan_(s.stages()) {
    add_stage(bits::bit_array(plan_.bits(0)));
  }
  scalable_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) { return s.stages().rate(keys); }
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::partitioned_cost(s.slice_bits, keys, s.stages().hashes(0));
  }

  void prefetch(digest d) const;
  bool insert(digest d);
  [[nodiscard]] bool contains(digest d) const;

  [[nodiscard]] std::uint64_t stages() const { return stages_.size(); }

  static void each_part(auto& self, auto visit) {
    for (auto& stage : self.stages_) visit(stage.bits);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::bit_array_bytes(s.stages().bits(0));
  }

 private:
  struct stage {
    hash::partitioned_probes probes;
    std::uint64_t salt;  // no two stages put a key alike
    bits::bit_array bits;

    [[nodiscard]] digest salted(digest d) const { return {hash::mix(d.lo ^ salt), d.hi}; }
    void prefetch(digest d, std::uint64_t probes_ahead) const;
  };

  void add_stage(bits::bit_array bits);

  math::scalable_stages plan_;
  std::vector<stage> stages_;
  std::uint64_t ones_ = 0;  // of the last stage
};

using scalable_filter = filter<scalable_cells>;

}  // namespace bloomery
