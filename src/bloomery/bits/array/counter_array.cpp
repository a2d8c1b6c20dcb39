#include "bloomery/bits/array/counter_array.hpp"

#include <string>
#include <utility>

#include "bloomery/core/error.hpp"

namespace bloomery::bits {
namespace {

unsigned checked_width(unsigned width) {
  if (width < 1 || width > counter_array::max_width) {
    fail(errc::invalid, "counters of " + std::to_string(width) + " bits; allowed: 1 to " +
                            std::to_string(counter_array::max_width));
  }
  return width;
}

}  // namespace

counter_array::counter_array(std::uint64_t counters, unsigned width)
    : cells_(counters, checked_width(width)) {}

counter_array::counter_array(std::uint64_t counters, unsigned width, storage stored)
    : cells_(counters, checked_width(width), std::move(stored)) {}

std::uint64_t counter_array::count(std::uint64_t value) const {
  std::uint64_t counters = 0;
  for (std::uint64_t i = 0; i < size(); ++i) counters += std::uint64_t{get(i) == value};
  return counters;
}

}  // namespace bloomery::bits
