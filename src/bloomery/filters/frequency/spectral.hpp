// The spectral Bloom filter: counters of varying width, and three ways to keep them.
//
// Purpose:   how often each key is in a multiset; most answers are exact.
// Cost:      about N + 2m bits for m counters whose values have N bits in all, and half as much again
//            for recurring minimum; k cache lines and k short decodings an operation.
// Guarantee: no false negatives, and 0 as rarely wrong as in a Bloom filter. Minimum selection and
//            minimal increase never count too low, and minimal increase never above minimum
//            selection, whose count is wrong exactly as often as a Bloom filter errs. Recurring
//            minimum counts too low only where its marker filter takes a key for one that migrated.
//            Minimal increase cannot erase, and only minimum selection can merge: otherwise
//            errc::unsupported. Erasing a key that is certainly absent changes nothing and answers
//            false; erasing a false positive damages other keys.
// Citation:  Cohen, Matias 2003; Tarkoma §III-F.
//
//     bloomery::spectral_shape shape = bloomery::spectral_filter::plan(1000, 0.01);
//     shape.method = bloomery::spectral_shape::minimal_increase;
//     bloomery::spectral_filter words(shape);
//     words.insert({1, 2});
//     words.insert({1, 2});
//     assert(words.count({1, 2}) == 2 && words.count({3, 4}) == 0);
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "bloomery/bits/array/least_counters.hpp"
#include "bloomery/bits/batch/probing.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/set/standard.hpp"

namespace bloomery {

struct spectral_shape {
  std::uint64_t counters = 0;
  std::uint64_t hashes = 0;
  std::uint64_t method = minimum_selection;

  static constexpr std::uint64_t minimum_selection = 0;
  static constexpr std::uint64_t minimal_increase = 1;
  static constexpr std::uint64_t recurring_minimum = 2;

  static constexpr std::array<std::string_view, 3> methods{"ms", "mi", "rm"};
  static constexpr std::array fields{
      whole_field("counters", "m, how many", &spectral_shape::counters, 2, max_bits / 64),
      whole_field("hashes", "k, counters per key", &spectral_shape::hashes, 1, max_hashes),
      choice_field("method", "minimum selection, minimal increase or recurring minimum",
                   &spectral_shape::method, methods),
  };
};

class spectral_cells {
 public:
  using shape = spectral_shape;
  struct place {
    hash::positions at;
    digest key;
  };
  using can = ability_list<asks, inserts, erases, counts, merges, reduces, tells_rate, measures>;
  static constexpr kind_info kind{
      .name = "spectral",
      .title = "Spectral Bloom filter",
      .answers = "How often is x in the multiset?",
      .citation = "Cohen, Matias 2003",
      .header = "bloomery/filters/frequency/spectral.hpp",
  };

  explicit spectral_cells(const shape& s);
  spectral_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys);

  [[nodiscard]] place locate(digest d) const { return {first_.locate(d), d}; }
  void prefetch(const place& x) const {
    for (const std::uint64_t i : x.at) counters().prefetch(i);
  }

  bool insert(const place& x);
  bool erase(const place& x);
  [[nodiscard]] bool contains(const place& x) const {
    return std::all_of(x.at.begin(), x.at.end(),
                       [&](std::uint64_t i) { return counters().get(i) != 0; });
  }
  [[nodiscard]] std::uint64_t count(const place& x) const;
  void merge(const spectral_cells& other);

  // Where recurring minimum counts a key again, and where it marks it.
  [[nodiscard]] hash::positions second_positions(digest d) const;
  [[nodiscard]] hash::positions marks_of(digest d) const;

  [[nodiscard]] standard_filter plain(const filter_record& record) const {
    return standard_of(first_.probes(), record, bits::nonzero(counters()));
  }
  [[nodiscard]] double fill() const { return plain({}).fill(); }
  [[nodiscard]] double current_rate() const { return plain({}).current_rate(); }
  [[nodiscard]] math::estimate estimated_keys(double confidence) const {
    return plain({}).estimated_keys(confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const spectral_cells& other,
                                                double confidence) const {
    return plain({}).estimated_overlap(other.plain({}), confidence);
  }

  static void each_part(auto& self, auto visit) {
    visit(self.first_.counters());
    if (!self.second_) return;
    visit(self.second_->counts.counters());
    visit(self.second_->marks);
  }
  // Of one that is half full of keys that came once, as planned: it grows with the counts.
  static std::uint64_t payload_bytes(const shape& s);

 private:
  // Where keys with a single least counter are counted again, and which keys those are.
  struct second_chance {
    bits::least_counters counts;
    bits::bit_array marks;
  };

  [[nodiscard]] const bits::varying_counters& counters() const { return first_.counters(); }
  [[nodiscard]] bits::probing<hash::uniform_probes> marking() const {
    return bits::probing(first_.probes());
  }
  [[nodiscard]] bool migrated(digest d) const;

  std::uint64_t method_;
  bits::least_counters first_;
  std::optional<second_chance> second_;
};

using spectral_filter = filter<spectral_cells>;

}  // namespace bloomery
