#include "bloomery/core/fields.hpp"

#include <bit>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery {
namespace {

constexpr int exact_digits = 17;

bool is_real(const field_info& field) {
  return std::holds_alternative<double>(field.low);
}

}  // namespace

void require_in_range(const field_info& field, const field_value& value) {
  const bool numeric = is_real(field) ? std::isfinite(std::get<double>(value)) : true;
  if (numeric && field.low <= value && value <= field.high) return;
  fail(errc::invalid, std::string(field.name) + " is " + format_value(value) +
                          "; allowed: " + format_range(field));
}

field_value parse_field(const field_info& field, std::string_view text) {
  try {
    const field_value value =
        is_real(field) ? field_value{parse_ratio(text)} : field_value{parse_count(text)};
    require_in_range(field, value);
    return value;
  } catch (const error& problem) {
    const std::string message = problem.what();
    if (message.starts_with(field.name)) throw;
    fail(problem.code(), std::string(field.name) + ": " + message);
  }
}

std::string format_value(const field_value& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  return format_real(std::get<double>(value), exact_digits);
}

std::string format_range(const field_info& field) {
  return format_value(field.low) + " to " + format_value(field.high);
}

std::uint64_t encode_value(const field_value& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return *whole;
  return std::bit_cast<std::uint64_t>(std::get<double>(value));
}

field_value decode_value(const field_info& field, std::uint64_t stored) {
  if (is_real(field)) return std::bit_cast<double>(stored);
  return stored;
}

}  // namespace bloomery
