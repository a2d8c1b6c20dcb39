#include "ranges.hpp"

#include <algorithm>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/filters/frequency/range_counts.hpp"
#include "counted_keys.hpp"
#include "map_pairs.hpp"

namespace bloomery::cli {

std::uint64_t parse_number(std::string_view text) {
  if (const auto number = as_number(text)) return *number;
  fail(errc::invalid, in_quotes(text) + " is not a whole number from 0 to 2^64 - 1");
}

number_range parse_range(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {parse_number(text), parse_number(text)};
  return {parse_number(text.substr(0, dots)), parse_number(text.substr(dots + 2))};
}

std::uint64_t ranges_of_numbers(std::uint64_t numbers, unsigned bits) {
  std::uint64_t sum = 0;
  for (unsigned level = 0; level <= bits; ++level) {
    const unsigned left = bits - level;
    sum += left < 64 ? std::min(numbers, std::uint64_t{1} << left) : numbers;
  }
  return sum;
}

void require_ranges(const any_filter& filter, unsigned bits) {
  const std::uint64_t items = filter.record().items;
  const digest all = range_of_all(bits);
  if (items % (bits + 1) == 0 &&
      (filter.as<counts>().count(all) >= items / (bits + 1) || is_full(filter, all))) {
    return;
  }
  fail(errc::unsupported, "the filter was not built with --ranges " + std::to_string(bits));
}

range_count count_between(const any_filter& filter, number_range range, unsigned bits) {
  range_count sum;
  for (const digest part : ranges_between(range.low, range.high, bits)) {
    sum.count += filter.as<counts>().count(part);
    sum.full = sum.full || is_full(filter, part);
  }
  return sum;
}

}  // namespace bloomery::cli
