#include "bloomery/filters/frequency/range_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {
namespace {

// Of the range of 2^level numbers that has this one. Two ways to mix the level in, so that no number of one
// level is a number of another.
digest range_of(std::uint64_t number, unsigned level) {
  const std::uint64_t range = level < 64 ? number >> level : 0;
  return {hash::mix(range ^ hash::mix(2 * level + 1)), hash::mix(range + hash::mix(2 * level + 2))};
}

void require_number(std::uint64_t number, unsigned bits) {
  math::require_whole("bits", bits, 1, max_range_bits);
  const std::uint64_t largest = ~std::uint64_t{0} >> (max_range_bits - bits);
  if (number <= largest) return;
  fail(errc::invalid,
       "the number is " + std::to_string(number) + "; allowed: 0 to " + std::to_string(largest));
}

}  // namespace

std::vector<digest> ranges_around(std::uint64_t number, unsigned bits) {
  require_number(number, bits);
  std::vector<digest> ranges;
  for (unsigned level = 0; level <= bits; ++level) ranges.push_back(range_of(number, level));
  return ranges;
}

// From the low end, the largest range that begins there and does not pass the high end, again and again.
std::vector<digest> ranges_between(std::uint64_t low, std::uint64_t high, unsigned bits) {
  require_number(high, bits);
  if (low > high) {
    fail(errc::invalid, "the range begins at " + std::to_string(low) + ", beyond its end at " +
                            std::to_string(high));
  }
  std::vector<digest> ranges;
  for (;;) {
    unsigned level = low == 0 ? bits : std::min(bits, static_cast<unsigned>(std::countr_zero(low)));
    const auto last_of = [&] {
      return low + (level < 64 ? (std::uint64_t{1} << level) - 1 : ~low);
    };
    while (last_of() > high) --level;
    ranges.push_back(range_of(low, level));
    if (last_of() == high) return ranges;
    low = last_of() + 1;
  }
}

digest range_of_all(unsigned bits) {
  return range_of(0, bits);
}

range_counts::range_counts(count_min_filter sketch, unsigned bits)
    : sketch_(std::move(sketch)), bits_(bits) {
  math::require_whole("bits", bits, 1, max_range_bits);
}

void range_counts::insert(std::uint64_t number, std::uint64_t times) {
  for (const digest range : ranges_around(number, bits_)) sketch_.add(range, times);
}

bool range_counts::erase(std::uint64_t number) {
  const std::vector<digest> ranges = ranges_around(number, bits_);
  const auto empty = [&](digest range) { return sketch_.count(range) == 0; };
  if (std::ranges::any_of(ranges, empty)) return false;
  for (const digest range : ranges) sketch_.erase(range);
  return true;
}

std::uint64_t range_counts::size() const {
  return sketch_.count(range_of_all(bits_));
}

std::uint64_t range_counts::count(std::uint64_t low, std::uint64_t high) const {
  std::uint64_t sum = 0;
  for (const digest range : ranges_between(low, high, bits_)) sum += sketch_.count(range);
  return sum;
}

// Down from the range of all numbers, by how many the lower half has.
std::uint64_t range_counts::quantile(double share) const {
  math::require_part("share", share);
  const auto all = static_cast<double>(size());
  auto left = static_cast<std::uint64_t>(std::max(1.0, std::ceil(share * all)));
  std::uint64_t number = 0;
  for (unsigned level = bits_; level-- > 0;) {
    const std::uint64_t lower = sketch_.count(range_of(number, level));
    if (left <= lower) continue;
    left -= lower;
    number |= std::uint64_t{1} << level;
  }
  return number;
}

}  // namespace bloomery
