// Numbers counted in the ranges that they lie in: what `build --ranges` and `count --range` share.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filters/any_filter.hpp"

namespace bloomery::cli {

struct number_range {
  std::uint64_t low;
  std::uint64_t high;
};
number_range parse_range(const std::string& text);  // LOW..HIGH, or one number

std::uint64_t parse_number(std::string_view text);  // errc::invalid unless decimal and below 2^64

// How many ranges so many distinct numbers of so many bits lie in, at most.
std::uint64_t ranges_of_numbers(std::uint64_t numbers, unsigned bits);

// errc::unsupported unless the filter may count numbers of so many bits: the range of all of them has come as
// often as the insertions tell, since counts are never too low.
void require_ranges(const any_filter& filter, unsigned bits);

// How many numbers lie in a range; `full` if some count is as high as the filter counts.
struct range_count {
  std::uint64_t count = 0;
  bool full = false;
};
range_count count_between(const any_filter& filter, number_range range, unsigned bits);

}  // namespace bloomery::cli
