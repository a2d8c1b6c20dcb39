#include "bloomery/core/fields.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery {
namespace {

bool is_real(const field_info& field) {
  return std::holds_alternative<double>(field.low);
}

}  // namespace

void require_in_range(const field_info& field, const field_value& value) {
  const bool numeric = is_real(field) ? std::isfinite(std::get<double>(value)) : true;
  if (numeric && field.low <= value && value <= field.high) return;
  fail(errc::invalid, std::string(field.name) + " is " + format_value(field, value) +
                          "; allowed: " + format_range(field));
}

field_value parse_field(const field_info& field, std::string_view text) {
  const auto named = std::find(field.names.begin(), field.names.end(), text);
  if (named != field.names.end()) return static_cast<std::uint64_t>(named - field.names.begin());
  if (!field.names.empty()) {
    fail(errc::invalid, std::string(field.name) + " is " + in_quotes(text) +
                            "; allowed: " + format_range(field) + did_you_mean(text, field.names));
  }
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
  std::array<char, 32> text{};
  const auto* const end =
      std::to_chars(text.data(), text.data() + text.size(), std::get<double>(value)).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

std::string format_value(const field_info& field, const field_value& value) {
  const auto* whole = std::get_if<std::uint64_t>(&value);
  if (whole == nullptr || *whole >= field.names.size()) return format_value(value);
  return std::string(field.names[*whole]);
}

std::string format_range(const field_info& field) {
  if (!field.names.empty()) {
    std::string list;
    for (const std::string_view name : field.names) {
      list += (list.empty() ? "" : ", ") + std::string(name);
    }
    return list;
  }
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

std::size_t stated_fields(std::span<const field_info> fields, std::span<const field_value> values) {
  std::size_t count = values.size();
  while (count > 0 && fields[count - 1].later && encode_value(values[count - 1]) == 0) --count;
  return count;
}

std::size_t fewest_fields(std::span<const field_info> fields) {
  const auto later = [](const field_info& field) { return field.later; };
  return static_cast<std::size_t>(std::ranges::find_if(fields, later) - fields.begin());
}

std::vector<field_value> decode_shape(std::span<const field_info> fields,
                                      std::span<const std::uint64_t> stored) {
  const std::size_t fewest = fewest_fields(fields);
  if (stored.size() < fewest || stored.size() > fields.size()) {
    const std::string most = fewest == fields.size() ? "" : " to " + std::to_string(fields.size());
    fail(errc::corrupt, "there are " + std::to_string(fewest) + most + " fields, this has " +
                            std::to_string(stored.size()));
  }
  std::vector<field_value> values;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    values.push_back(decode_value(fields[i], i < stored.size() ? stored[i] : 0));
  }
  if (stated_fields(fields, values) != stored.size()) {
    fail(errc::corrupt, std::string(fields[stored.size() - 1].name) + " is stated to be 0");
  }
  return values;
}

}  // namespace bloomery
