// How many numbers of a stream lie between two: a count-min sketch of dyadic ranges.
//
// Purpose:   range counts and quantiles of numbers of up to 64 bits, in the memory of one sketch. A number is
//            counted in each of the ranges [i·2^j, (i+1)·2^j) that it lies in, j from 0 to its bits, and
//            any range is made of at most two of them for each j.
// Cost:      bits + 1 updates a number; at most 2·bits questions a range.
// Guarantee: never too low. Of N numbers, a count of a range is too high by more than
//            2·bits·(bits + 1)·e/w·N with probability 2·bits·e^-d at most; the sketch is the sum of such
//            sketches, and numbers can be taken back, where those can (count_min.hpp).
//            The ranges themselves, as digests, are for filters of any other kind that counts.
// Citation:  Cormode, Muthukrishnan 2005, §4.2 (range queries) and §5.1 (quantiles).
//
//     bloomery::range_counts ages({.width = 4000, .depth = 5}, 7);  // numbers below 128
//     for (std::uint64_t age = 0; age < 100; ++age) ages.insert(age);
//     assert(ages.count(18, 64) == 47 && ages.quantile(0.5) == 49);
//     bloomery::range_counts same(ages.sketch().copy(), 7);  // as loaded from a file
//     assert(same.count(0, 127) == 100);
#pragma once

#include <vector>

#include "bloomery/filters/frequency/count_min.hpp"

namespace bloomery {

inline constexpr unsigned max_range_bits = 64;

// The ranges that a number of so many bits is counted in, all of its levels; errc::invalid if it has more.
std::vector<digest> ranges_around(std::uint64_t number, unsigned bits);
// The ranges that make up those from `low` to `high`, both included.
std::vector<digest> ranges_between(std::uint64_t low, std::uint64_t high, unsigned bits);
// The range of all numbers of so many bits.
digest range_of_all(unsigned bits);

class range_counts {
 public:
  range_counts(const count_min_shape& shape, unsigned bits)
      : range_counts(count_min_filter(shape), bits) {}
  // Of a sketch that was filled so, with the same number of bits.
  range_counts(count_min_filter sketch, unsigned bits);

  void insert(std::uint64_t number, std::uint64_t times = 1);
  // False, and nothing changed, if no such number is left.
  bool erase(std::uint64_t number);
  // Of the numbers from `low` to `high`, both included.
  [[nodiscard]] std::uint64_t count(std::uint64_t low, std::uint64_t high) const;
  // The least number up to which at least this share of them lies, as far as the counts are right.
  [[nodiscard]] std::uint64_t quantile(double share) const;
  [[nodiscard]] std::uint64_t size() const;

  [[nodiscard]] const count_min_filter& sketch() const { return sketch_; }

 private:
  count_min_filter sketch_;
  unsigned bits_;
};

}  // namespace bloomery
