// Checks on shapes that combining and folding share; the messages name the field.
#pragma once

#include <cassert>

#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::detail {

template <class Shape>
void require_same_shape(const Shape& a, const Shape& b) {
  const auto first = values_of(a);
  const auto second = values_of(b);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == second[i]) continue;
    const field_info& field = Shape::fields[i].info;
    fail(errc::incompatible, std::string(field.name) +
                                 " differs: " + format_value(field, first[i]) + " against " +
                                 format_value(field, second[i]));
  }
}

// Throws errc::limit unless `parts` parts of `bits` each stay within max_bits.
inline void require_total_bits(std::uint64_t bits, std::uint64_t parts, std::string_view what) {
  assert(parts > 0);
  if (bits <= max_bits / parts) return;
  fail(errc::limit, std::to_string(parts) + " " + std::string(what) + " of " +
                        std::to_string(bits) + " bits are more than " + std::to_string(max_bits) +
                        " bits");
}

// The rate to size for when `rate` is promised: less the reserve, and refused below min_rate.
inline double rate_to_plan(double rate) {
  if (rate > 0 && rate < min_rate) {
    fail(errc::invalid, "the false-positive rate is " + format_real(rate) + "; allowed: " +
                            format_real(min_rate) + " and above, since digests have 128 bits");
  }
  return math::with_reserve(rate);
}

// Throws errc::invalid unless a map that takes values below `limit` takes this one; one of 2^64 values
// takes any.
inline void require_value(std::uint64_t value, std::uint64_t limit) {
  if (value < limit || limit == math::max_map_values) return;
  fail(errc::invalid, "value " + std::to_string(value) + " is out of range: values are below " +
                          std::to_string(limit));
}

// bits / part, or errc::invalid if that is not a whole number.
inline std::uint64_t whole_parts(std::uint64_t bits, std::uint64_t part, std::string_view what) {
  if (part == 0 || bits % part != 0) {
    fail(errc::invalid, "bits is " + std::to_string(bits) + "; allowed: multiples of the " +
                            std::to_string(part) + " " + std::string(what));
  }
  return bits / part;
}

// value / factor, or errc::invalid if that is not a whole number.
inline std::uint64_t fold_field(std::uint64_t value, std::uint64_t factor, std::string_view name) {
  if (factor == 0 || value % factor != 0) {
    fail(errc::invalid, "cannot fold by " + std::to_string(factor) + ": it does not divide " +
                            std::string(name) + ", which is " + std::to_string(value));
  }
  return value / factor;
}

}  // namespace bloomery::detail
