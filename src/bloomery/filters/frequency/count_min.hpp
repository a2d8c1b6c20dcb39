// The count-min sketch: d rows of w counters; a key's count is the least of its d.
//
// Purpose:   how often each key occurred in a stream, in fixed memory, and which occurred most.
// Cost:      w·d counters of `counter_bits`, 128 bytes for each key listed; d cache lines an update.
// Guarantee: never too low. Of N occurrences in all, a count is more than e/w·N too high with
//            probability e^-d at most. Conservative update counts no higher than plain, and mostly
//            lower, but two such sketches do not add up: merge throws errc::unsupported. A counter
//            that reached its maximum stays there (`overflows`). Keys may be taken back, once for each
//            time they came (the strict turnstile); not under conservative update, nor where keys are
//            listed, since one that was left out may belong there then: both throw errc::unsupported. With `top` keys listed, every key
//            that occurred more often than the least of a full list is in it; after a merge, only
//            those that one of the lists had.
// Citation:  Cormode, Muthukrishnan 2005; conservative update: Estan, Varghese 2002.
//
//     bloomery::count_min_filter words(bloomery::count_min_shape::for_error(0.01, 0.01, 10));
//     words.insert({1, 2});
//     words.add({1, 2}, 41);
//     words.label({1, 2}, "the");
//     assert(words.count({1, 2}) == 42 &&
//         words.count({bloomery::hash::mix(3), bloomery::hash::mix(4)}) == 0);
//     assert(words.top().front().label == "the" && words.top().front().count == 42);
//     assert(bloomery::heavy_hitters(words, 0.5).size() == 1);
//     assert(bloomery::inner_product(words, words) == 42 * 42);
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/bits/array/top_keys.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/filters/set/partitioned.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct count_min_shape {
  std::uint64_t width = 0;
  std::uint64_t depth = 0;
  std::uint64_t counter_bits = default_counter_bits;
  std::uint64_t update = 0;
  std::uint64_t top = 0;

  static constexpr std::uint64_t default_counter_bits = 32;
  static constexpr std::array<std::string_view, 2> updates{"plain", "conservative"};
  static constexpr std::array fields{
      whole_field("width", "w, counters in a row", &count_min_shape::width, 1, max_bits),
      whole_field("depth", "d, rows, and counters per key", &count_min_shape::depth, 1, max_hashes),
      whole_field("counter_bits", "width of a counter: 8, 16, 32 or 64",
                  &count_min_shape::counter_bits, 8, 64),
      choice_field("update", "which counters a key raises: all, or only the lowest",
                   &count_min_shape::update, updates),
      whole_field("top", "how many of the most frequent keys to list", &count_min_shape::top, 0,
                  10'000),
  };
  void check() const;

  // Within ε of the total but for δ of the time.
  static count_min_shape for_error(double epsilon, double delta, std::uint64_t top = 0);
};

class count_min_cells {
 public:
  using shape = count_min_shape;
  using place = digest;  // its positions are found faster than kept
  using can = ability_list<asks, inserts, inserts_in_batches, erases, counts, saturates, ranks,
                           joins, merges, tells_rate, measures, overflowing, bounds_error>;
  static constexpr kind_info kind{
      .name = "count-min",
      .title = "Count-min sketch",
      .answers = "How often did x occur, and what occurred most?",
      .citation = "Cormode, Muthukrishnan 2005",
      .header = "bloomery/filters/frequency/count_min.hpp",
      .overflow = "counters are full and stuck: counts of keys there are only lower bounds",
  };

  // Updates do not wait for one another, and finding the counters twice costs.
  static constexpr std::uint64_t cached_bytes = 4 << 20;

  explicit count_min_cells(const shape& s);
  count_min_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static shape for_error(double epsilon, double delta) { return shape::for_error(epsilon, delta); }
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::partitioned_cost(s.width, keys, s.depth, s.counter_bits);
  }

  void prefetch(place d) const {
    hash::each_position(probes_, d, [&](std::uint64_t i) { counters_.prefetch(i); });
  }

  bool insert(place d) {
    return as_counters([&](auto zero) {
      using counter = decltype(zero);
      return raise<counter>(d, [](counter value) { return one_more(value); });
    });
  }
  std::uint64_t insert_batch(digest_span keys, std::span<bool> fresh, std::uint64_t& items);
  bool add(place d, std::uint64_t weight) {
    return as_counters([&](auto zero) {
      using counter = decltype(zero);
      return raise<counter>(d, [&](counter value) {
        const std::uint64_t room = std::numeric_limits<counter>::max() - value;
        return static_cast<counter>(value + std::min(room, weight));
      });
    });
  }
  bool erase(place d);
  [[nodiscard]] bool contains(place d) const { return count(d) != 0; }
  [[nodiscard]] std::uint64_t count(place d) const;
  [[nodiscard]] bool count_is_full(place d) const { return count(d) == counters_.max_value(); }
  void merge(const count_min_cells& other);
  [[nodiscard]] double inner_product(const count_min_cells& other) const;
  // `pairs` is the product of the occurrences of both.
  [[nodiscard]] math::estimate estimated_join(const count_min_cells& other, double pairs,
                                              double confidence) const;

  static constexpr std::size_t label_bytes = bits::top_keys::max_label;
  static shape ranking(shape s, std::uint64_t keys) {
    s.top = keys;
    return s;
  }
  [[nodiscard]] std::uint64_t most_ranked() const { return listed_.capacity(); }
  [[nodiscard]] std::vector<ranked_key> top() const;
  [[nodiscard]] bool wants_label(digest d) const;
  void label(digest d, std::string_view name);

  [[nodiscard]] std::uint64_t overflows() const;
  [[nodiscard]] double fill() const { return occupied().fill(); }
  [[nodiscard]] double current_rate() const { return occupied().current_rate(); }
  [[nodiscard]] math::estimate estimated_keys(double confidence) const {
    return occupied().estimated_keys(confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(const count_min_cells& other,
                                                double confidence) const {
    return occupied().estimated_overlap(other.occupied(), confidence);
  }

  static void each_part(auto& self, auto visit) {
    visit(self.counters_);
    visit(self.listed_);
  }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::bit_array_bytes(s.width * s.depth * s.counter_bits) +
           s.top * bits::top_keys::entry_bytes;
  }

 private:
  std::size_t insert_front(digest_span keys, std::span<bool> fresh);

  template <class Work>
  bool as_counters(const Work& work) {
    switch (counters_.width()) {
      case 8:
        return work(std::uint8_t{0});
      case 16:
        return work(std::uint16_t{0});
      case 32:
        return work(std::uint32_t{0});
      default:
        return work(std::uint64_t{0});
    }
  }
  template <class T>
  static T one_more(T value) {
    T next = 0;
    const bool full = __builtin_add_overflow(value, T{1}, &next);
    return static_cast<T>(next - T{full});
  }
  // Without a branch, which would often be guessed wrong.
  template <class T>
  static T lesser(T a, T b) {
    return static_cast<T>(a ^ ((a ^ b) & (0 - static_cast<T>(b < a))));
  }
  // `raised` is what the key's occurrences make of its count.
  template <class T, class Raised>
  bool raise(place d, const Raised& raised) {
    std::byte* const cells = counters_.data();
    T least = std::numeric_limits<T>::max();
    const hash::digit_probes probes = probes_;  // which no byte written can change
    const auto each = [&](auto visit) {
      probes.all(d, [&](std::uint64_t i) {
        std::byte* const cell = cells + i * sizeof(T);
        visit(cell, core::load_le<T>(cell));
        return true;
      });
    };
    if (!conservative_ && listed_.capacity() == 0) {
      std::uint64_t zeros = 0;
      each([&](std::byte* cell, T value) {
        zeros += std::uint64_t{value == 0};
        core::store_le(cell, raised(value));
      });
      return zeros != 0;
    }
    if (!conservative_) {
      each([&](std::byte* cell, T value) {
        least = lesser(least, value);
        core::store_le(cell, raised(value));
      });
    } else {
      each([&](std::byte*, T value) { least = lesser(least, value); });
      const T lowest = raised(least);
      each([&](std::byte* cell, T value) {
        core::store_le(cell,
                       static_cast<T>(value ^ lowest ^ lesser(value, lowest)));  // the greater
      });
    }
    listed_.offer(d, raised(least));
    return least == 0;
  }
  void require_equal_rows() const;
  // Which counters are not 0: for estimates only, since a partitioned filter's probes are others.
  [[nodiscard]] partitioned_filter occupied() const;

  hash::digit_probes probes_;
  bool conservative_;
  bits::packed_array counters_;
  bits::top_keys listed_;
};

using count_min_filter = filter<count_min_cells>;

// The listed keys with a count of at least `share` of all occurrences, most first.
std::vector<ranked_key> heavy_hitters(const count_min_filter& filter, double share);

// The sum over all keys of the product of their counts in two sketches of one shape and hash: how many
// pairs a join has. Never too low; more than e/w·N₁·N₂ too high with probability e^-d at most. Of a
// sketch with itself, the sum of the squares of counts.
double inner_product(const count_min_filter& one, const count_min_filter& two);

}  // namespace bloomery
