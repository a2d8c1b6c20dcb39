// The best of N filters: built under N seeds, of which the one with the fewest ones is kept.
//
// Purpose:   a lower rate for a set that is known whole, from the same bits, one look-up and no table:
//            a half to a third of the rate at 256 bits. The gain dies with the size: a tenth at 8192
//            bits, a hundredth at a million.
// Cost:      queries as a standard filter; building takes N times as long.
// Guarantee: no false negatives; never more ones than the filter of its first seed. The seed is stored
//            with the bits. Built once: no key is added later, since another seed might then be best.
// Citation:  Jimeno, Christensen, Roginsky 2007; rate: math/kinds/best_of_n.hpp.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}, {5, 6}};
//     const auto shape = bloomery::best_of_n_filter::plan(keys.size(), 0.01);
//     const auto filter = bloomery::best_of_n_filter::build(shape, keys);
//     assert(filter.may_contain({1, 2}) && filter.may_contain({5, 6}));
//     assert(!filter.may_contain({7, 8}) && filter.cells().seed() < shape.seeds);
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct best_of_n_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t seeds = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &best_of_n_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key", &best_of_n_shape::hashes, 1, max_hashes),
      whole_field("seeds", "N, filters of which one is kept", &best_of_n_shape::seeds, 1, 4096),
  };
};

class best_of_n_cells {
 public:
  using shape = best_of_n_shape;
  using place = digest;
  using can = ability_list<asks, builds, tells_rate, checks_record>;
  static constexpr kind_info kind{
      .name = "best-of-n",
      .title = "Best of N Bloom filters",
      .answers = "Is x in the set?",
      .citation = "Jimeno et al. 2007",
      .header = "bloomery/filters/set/best_of_n.hpp",
      .unmergeable = "each was built under the seed that suits its own keys",
  };

  explicit best_of_n_cells(const shape& s) : probes_{s.bits, s.hashes}, ledger_(1), bits_(s.bits) {}
  best_of_n_cells(const shape& s, storage stored);
  static best_of_n_cells build(const shape& s, std::span<const digest> keys, unsigned threads);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.bits, keys, s.hashes);
  }

  [[nodiscard]] place locate(digest d) const {
    return hash::digest_of_set(d, seed(), probes_.count);
  }
  void prefetch(place at) const {
    hash::each_position(probes_, at, [&](std::uint64_t i) { bits_.prefetch(i); });
  }
  [[nodiscard]] bool contains(place at) const {
    return probes_.all(at, [&](std::uint64_t i) { return bits_.test(i); });
  }

  [[nodiscard]] std::uint64_t seed() const { return ledger_.get(0); }
  [[nodiscard]] std::uint64_t ones() const { return bits_.count(); }
  [[nodiscard]] double fill() const { return bits_.fill(); }
  [[nodiscard]] double current_rate() const;

  static void each_part(auto& self, auto visit) {
    visit(self.ledger_);
    visit(self.bits_);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::ledger::stored_bytes(1) + bits::bit_array_bytes(s.bits);
  }
  // No key, no choice: the first seed, and no ones.
  void require_record(const filter_record& record) const;

 private:
  hash::uniform_probes probes_;
  bits::ledger ledger_;  // the seed
  bits::bit_array bits_;
};

using best_of_n_filter = filter<best_of_n_cells>;

}  // namespace bloomery
