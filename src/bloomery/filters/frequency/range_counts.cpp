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

}  // namespace

range_counts::range_counts(count_min_filter sketch, unsigned bits)
    : sketch_(std::move(sketch)), bits_(bits) {
  math::require_whole("bits", bits, 1, 64);
}

void range_counts::require_number(std::uint64_t number) const {
  if (number <= largest()) return;
  fail(errc::invalid,
       "the number is " + std::to_string(number) + "; allowed: 0 to " + std::to_string(largest()));
}

void range_counts::insert(std::uint64_t number, std::uint64_t times) {
  require_number(number);
  for (unsigned level = 0; level <= bits_; ++level) sketch_.add(range_of(number, level), times);
}

bool range_counts::erase(std::uint64_t number) {
  require_number(number);
  for (unsigned level = 0; level <= bits_; ++level) {
    if (sketch_.count(range_of(number, level)) == 0) return false;
  }
  for (unsigned level = 0; level <= bits_; ++level) sketch_.erase(range_of(number, level));
  return true;
}

std::uint64_t range_counts::size() const {
  return sketch_.count(range_of(0, bits_));
}

// From the low end, the largest range that begins there and does not pass the high end, again and again.
std::uint64_t range_counts::count(std::uint64_t low, std::uint64_t high) const {
  require_number(high);
  if (low > high) {
    fail(errc::invalid, "the range begins at " + std::to_string(low) + ", beyond its end at " +
                            std::to_string(high));
  }
  std::uint64_t sum = 0;
  for (;;) {
    unsigned level =
        low == 0 ? bits_ : std::min(bits_, static_cast<unsigned>(std::countr_zero(low)));
    const auto last_of = [&] {
      return low + (level < 64 ? (std::uint64_t{1} << level) - 1 : ~low);
    };
    while (last_of() > high) --level;
    sum += sketch_.count(range_of(low, level));
    if (last_of() == high) return sum;
    low = last_of() + 1;
  }
}

// Down from the range of all numbers, by how many the lower half has.
std::uint64_t range_counts::quantile(double share) const {
  if (!(share >= 0 && share <= 1)) math::require_share("share", share);
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
