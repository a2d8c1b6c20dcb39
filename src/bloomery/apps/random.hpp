// Seeded random numbers that are the same on every machine: all the chance there is in apps/.
//
// Purpose:   a stream is named by a seed and a number, so that whoever has a stream of his own, such as a
//            link, draws the same whatever the others do. The standard's distributions are not used: each
//            library has its own.
// Cost:      one multiplication chain a number, 8 bytes a stream.
// Guarantee: only whole numbers inside; equal seeds and numbers give equal streams.
// Citation:  SplitMix64: Steele, Lea, Flood 2014; numbers below n: Lemire 2019; exponential law: von
//            Neumann, Various techniques used in connection with random digits, 1951.
//
//     bloomery::apps::random_stream one(42, 7), same(42, 7), other(42, 8);
//     const std::uint64_t first = one();
//     assert(first == same() && first != other());
//     assert(one.below(6) < 6);
#pragma once

#include <cassert>
#include <cstdint>
#include <limits>

#include "bloomery/core/int128.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::apps {

class random_stream {
 public:
  using result_type = std::uint64_t;  // as std::shuffle and the like ask for
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return std::numeric_limits<std::uint64_t>::max(); }

  explicit constexpr random_stream(std::uint64_t seed, std::uint64_t number = 0)
      : state_(hash::mix(hash::mix(seed ^ hash::golden) + number)) {}

  constexpr std::uint64_t operator()() { return hash::mix(state_ += hash::golden); }

  // A whole number below `end`, which is at least 1; each with the same probability.
  constexpr std::uint64_t below(std::uint64_t end) {
    assert(end > 0);
    const std::uint64_t uneven = (0 - end) % end;  // so many of the 2^64 products are one too many
    for (;;) {
      const core::uint128 product = static_cast<core::uint128>((*this)()) * end;
      if (static_cast<std::uint64_t>(product) >= uneven) {
        return static_cast<std::uint64_t>(product >> 64);
      }
    }
  }

  // A multiple of 2^-53 from 0 to below 1.
  constexpr double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

  constexpr bool chance(double p) { return uniform() < p; }

  // A number of the exponential law of mean 1: a whole part, and a fraction of 2^64.
  struct gap {
    std::uint64_t whole;
    std::uint64_t fraction;
  };
  // Draws fall until one does not; after an odd number of them the first is the fraction.
  constexpr gap exponential() {
    for (std::uint64_t whole = 0;; ++whole) {
      const std::uint64_t first = (*this)();
      std::uint64_t last = first;
      bool odd = true;
      for (std::uint64_t next = (*this)(); next < last; next = (*this)()) {
        last = next;
        odd = !odd;
      }
      if (odd) return {whole, first};
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace bloomery::apps

namespace bloomery::lab {
using apps::random_stream;
}
