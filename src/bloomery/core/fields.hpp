// A shape's fields, described once: the description gives range checks, CLI options, JSON, the
// stored header and help.
//
// A shape is a plain struct of `std::uint64_t` and `double` members with a static `fields` array,
// and, where fields depend on one another, a `check()` that throws errc::invalid.
//
//     const bloomery::standard_shape shape{.bits = 1000, .hashes = 7};  // declares its fields
//     bloomery::require_valid(shape);
//     assert(bloomery::values_of(shape).size() == 2);
//     assert(bloomery::field_infos<bloomery::standard_shape>()[1].name == "hashes");
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bloomery {

using field_value = std::variant<std::uint64_t, double>;

// What the rooms above see of a field: no shape type, no member pointer.
struct field_info {
  std::string_view name;
  std::string_view help;
  field_value low;
  field_value high;
  std::span<const std::string_view> names{};  // of a choice's values, from 0; empty for numbers
  // Files have been written without it: a shape that does not state it has 0 there. Only last fields.
  bool later = false;
};

// Throws errc::invalid, naming field, value and range, unless low <= value <= high.
void require_in_range(const field_info& field, const field_value& value);

field_value parse_field(const field_info& field, std::string_view text);
std::string format_value(const field_value& value);                           // parses back exactly
std::string format_value(const field_info& field, const field_value& value);  // by name
std::string format_range(const field_info& field);

// Eight stored bytes per field; a double travels as its IEEE 754 bits.
std::uint64_t encode_value(const field_value& value);
field_value decode_value(const field_info& field, std::uint64_t stored);

// How many of a shape's fields are stored: all but the last ones that are later and 0.
std::size_t stated_fields(std::span<const field_info> fields, std::span<const field_value> values);
std::size_t fewest_fields(std::span<const field_info> fields);
// The values of as many fields, and 0 for the others; as many as stated_fields says, or errc::corrupt.
std::vector<field_value> decode_shape(std::span<const field_info> fields,
                                      std::span<const std::uint64_t> stored);

template <class Shape>
struct field {
  field_info info;
  std::variant<std::uint64_t Shape::*, double Shape::*> member;
};

template <class Shape>
constexpr field<Shape> whole_field(std::string_view name, std::string_view help,
                                   std::uint64_t Shape::*member, std::uint64_t low,
                                   std::uint64_t high) {
  return {{name, help, low, high}, member};
}

template <class Shape>
constexpr field<Shape> real_field(std::string_view name, std::string_view help,
                                  double Shape::*member, double low, double high) {
  return {{name, help, low, high}, member};
}

// One of several ways, by name: `names` must outlive the shape, as a static array does.
template <class Shape>
constexpr field<Shape> choice_field(std::string_view name, std::string_view help,
                                    std::uint64_t Shape::*member,
                                    std::span<const std::string_view> names) {
  return {{name, help, std::uint64_t{0}, std::uint64_t{names.size() - 1}, names}, member};
}

// One that is left out of what is stored where it is 0, as it was before there was such a field.
template <class Shape>
constexpr field<Shape> later_field(field<Shape> added) {
  added.info.later = true;
  return added;
}

template <class Shape>
std::vector<field_info> field_infos() {
  std::vector<field_info> infos;
  for (const auto& f : Shape::fields) infos.push_back(f.info);
  return infos;
}

template <class Shape>
std::vector<field_value> values_of(const Shape& shape) {
  std::vector<field_value> values;
  for (const auto& f : Shape::fields) {
    values.push_back(std::visit([&](auto member) { return field_value{shape.*member}; }, f.member));
  }
  return values;
}

template <class Shape>
void require_valid(const Shape& shape) {
  const auto values = values_of(shape);
  for (std::size_t i = 0; i < values.size(); ++i) {
    require_in_range(Shape::fields[i].info, values[i]);
  }
  if constexpr (requires { shape.check(); }) shape.check();
}

// `values` must be as many and of the same types as the fields; the result is validated.
template <class Shape>
Shape shape_from(std::span<const field_value> values) {
  Shape shape;
  for (std::size_t i = 0; i < Shape::fields.size(); ++i) {
    std::visit([&]<class T>(T Shape::*member) { shape.*member = std::get<T>(values[i]); },
               Shape::fields[i].member);
  }
  require_valid(shape);
  return shape;
}

}  // namespace bloomery
