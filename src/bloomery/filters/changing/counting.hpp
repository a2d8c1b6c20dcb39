// The counting Bloom filter: a small counter where the standard filter has a bit, so that keys can be
// removed.
//
// Purpose:   membership of a set that changes, and an estimate of how often each key is in it.
// Cost:      `counter_bits` times the bits of a standard filter; k cache lines to insert or erase,
//            about two for an absent key.
// Guarantee: no false negatives while only keys that are in it are erased; its nonzero counters are
//            the bits of a standard filter of the live keys (`plain`). count() is never too low. A
//            counter that reached its maximum stays there, forever (`overflows` says how many): its
//            keys cannot be erased entirely, and their counts are at least the maximum. Erasing a
//            key that is certainly absent changes nothing and answers false; erasing a false positive
//            damages other keys.
// Citation:  Fan, Cao, Almeida, Broder 2000; Broder–Mitzenmacher §2.5; Tarkoma §III-A.
//
//     auto open_files = bloomery::counting_filter::for_keys(1000, 0.01);
//     open_files.insert({1, 2});
//     open_files.insert({1, 2});
//     assert(open_files.count({1, 2}) == 2 && open_files.erase({1, 2}));
//     assert(open_files.may_contain({1, 2}) && open_files.overflows() == 0);
//     assert(open_files.plain().may_contain({1, 2}));
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "bloomery/bits/array/counter_array.hpp"
#include "bloomery/bits/batch/one_key.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/positions.hpp"

namespace bloomery {

struct counting_shape {
  std::uint64_t counters = 0;
  std::uint64_t hashes = 0;
  std::uint64_t counter_bits = 0;

  static constexpr std::array fields{
      whole_field("counters", "m, how many", &counting_shape::counters, 1, max_bits),
      whole_field("hashes", "k, counters per key", &counting_shape::hashes, 1, max_hashes),
      whole_field("counter_bits", "width of a counter", &counting_shape::counter_bits, 2,
                  bits::counter_array::max_width),
  };
  void check() const { detail::require_total_bits(counter_bits, counters, "counters"); }
};

class counting_cells {
 public:
  using shape = counting_shape;
  using place = hash::positions;
  using can =
      ability_list<asks, asks_in_batches, inserts, inserts_in_batches, erases, erases_in_batches,
                   counts, saturates, merges, reduces, tells_rate, measures, overflowing>;
  static constexpr kind_info kind{
      .name = "counting",
      .title = "Counting Bloom filter",
      .answers = "Is x in the set now, and how often?",
      .citation = "Fan et al. 2000",
      .header = "bloomery/filters/changing/counting.hpp",
      .overflow = counting_overflow,
  };

  explicit counting_cells(const shape& s)
      : probes_{s.counters, s.hashes},
        counters_(s.counters, static_cast<unsigned>(s.counter_bits)) {}
  counting_cells(const shape& s, storage stored)
      : probes_{s.counters, s.hashes},
        counters_(s.counters, static_cast<unsigned>(s.counter_bits), std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.counters, keys, s.hashes, s.counter_bits);
  }

  // Each counter once, so that inserting and erasing agree whatever the hashes repeat.
  [[nodiscard]] place locate(digest d) const { return hash::distinct_positions_of(probes_, d); }
  void prefetch(const place& at) const {
    for (const std::uint64_t i : at) counters_.prefetch(i);
  }

  bool insert(const place& at);
  bool erase(const place& at);
  [[nodiscard]] bool contains(const place& at) const {
    return std::all_of(at.begin(), at.end(),
                       [&](std::uint64_t i) { return counters_.get(i) != 0; });
  }
  // One key, without a list of its places.
  [[nodiscard]] bool contains(digest d) const {
    if (!by_kernel()) return contains(locate(d));
    if (by_vectors()) return bits::key_counters_raised(range(), counters_.words(), d);
    return hash::all_pass(
        probes_, d, [words = counters_.words()](std::uint64_t at) { return words.get(at) != 0; });
  }
  bool insert(digest d) {
    if (!by_kernel()) return insert(locate(d));
    const auto each = [&] {
      const hash::positions at(probes_, d);
      return bits::one_key::raise(counters_.words(), at.size(), true,
                                  [&at](std::uint64_t j) { return at[j]; }) != 0;
    };
    return by_vectors() ? bits::raise_key_counters(range(), counters_.words(), d, each) : each();
  }
  bool erase(digest d) {
    if (!by_kernel()) return erase(locate(d));
    const auto each = [&] {
      const hash::positions at(probes_, d);
      return bits::one_key::lower(counters_.words(), at.size(), true,
                                  [&at](std::uint64_t j) { return at[j]; }) != 0;
    };
    return by_vectors() ? bits::lower_key_counters(range(), counters_.words(), d, each) : each();
  }

  template <key_span Keys>
  std::uint64_t contains_batch(const Keys& keys, std::span<bool> answers) const {
    if (!by_kernel()) return detail::ask_each(*this, keys, answers);
    return kernels(keys).test_counters(range(), counters_.words(), keys, answers.data());
  }
  template <key_span Keys>
  std::uint64_t insert_batch(const Keys& keys, std::span<bool> fresh, std::uint64_t& items) {
    if (!by_kernel()) return detail::insert_each(*this, keys, fresh, items);
    items += keys.size();
    return kernels(keys).raise_counters(range(), counters_.words(), keys,
                                        fresh.empty() ? nullptr : fresh.data());
  }
  template <key_span Keys>
  std::uint64_t erase_batch(const Keys& keys) {
    if (!by_kernel()) return detail::erase_each(*this, keys);
    return kernels(keys).lower_counters(range(), counters_.words(), keys);
  }
  [[nodiscard]] std::uint64_t count(const place& at) const;
  [[nodiscard]] bool count_is_full(const place& at) const {
    return count(at) == counters_.max_value();
  }
  void merge(const counting_cells& other);
  [[nodiscard]] std::uint64_t counter(std::uint64_t i) const { return counters_.get(i); }

  [[nodiscard]] std::uint64_t overflows() const { return counters_.stuck(); }
  [[nodiscard]] standard_filter plain(const filter_record& record) const {
    return standard_of(probes_, record, bits::nonzero(counters_));
  }
  [[nodiscard]] double fill() const {
    return 1 - static_cast<double>(counters_.zeros()) / static_cast<double>(counters_.size());
  }
  [[nodiscard]] double current_rate() const;
  [[nodiscard]] math::estimate estimated_keys(double confidence) const {
    return math::estimate_keys(math::uniform_layout(probes_.cells, probes_.count),
                               counters_.zeros(), confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const counting_cells& other,
                                                double confidence) const {
    return plain({}).estimated_overlap(other.plain({}), confidence);
  }

  static void each_part(auto& self, auto visit) { visit(self.counters_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::bit_array_bytes(s.counters * s.counter_bits);
  }

 private:
  [[nodiscard]] bool by_kernel() const {
    return counters_.by_word() && probes_.count <= bits::most_positions;
  }
  [[nodiscard]] bool by_vectors() const { return bits::vectors_for(which_, range()); }
  [[nodiscard]] bits::position_range range() const { return bits::position_range(probes_); }
  static const auto& kernels(const auto& keys) { return bits::position_kernels_now().of(keys); }

  hash::uniform_probes probes_;
  bits::counter_array counters_;
  core::backend which_ = core::inlined_backend();
};

using counting_filter = filter<counting_cells>;

}  // namespace bloomery
