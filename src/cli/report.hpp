// What verbs print: the same facts as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/math/laws/estimate.hpp"
#include "wrap.hpp"

namespace bloomery::cli {

using json = nlohmann::ordered_json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const math::estimate& estimate);  // null where saturated
json to_json(const promise& promised);         // null if there was none
json to_json(const field_value& value);
// A number, or a string of digits if it is above 2^53: most readers of JSON would round it.
json exact_json(std::uint64_t value);
json shape_json(const any_kind& kind, std::span<const field_value> shape);
json hash_json(const hash_identity& hash);
// Whether answers need a secret; its fingerprint is the tag.
bool has_secret(const hash_identity& hash);
json filter_json(const any_filter& filter);  // all that `info` reports

std::string to_text(const math::estimate& estimate);
std::string shape_text(const any_kind& kind, std::span<const field_value> shape);

// Of the widest cell of each column.
std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows);

// Columns padded to their widest cell, the last wrapped at the page's width; the first row may be a
// heading.
void print_table(const std::vector<std::vector<std::string>>& rows);
// A sentence or a paragraph, wrapped, and the end of its line.
void print_paragraph(std::string_view text, std::size_t indent = 0);
void print_text(std::string_view text);  // to standard output, at once; errc::io if it cannot
void print_json(const json& document);
std::string on_one_line(const json& document);

// The names of the kinds with an ability: "counting, spectral".
template <class Ability>
std::string kinds_that() {
  std::string names;
  for (const any_kind& kind : kinds()) {
    if (kind.can<Ability>()) (names += names.empty() ? "" : ", ") += kind.info.name;
  }
  return names;
}

// errc::unsupported: "a standard filter", and why not.
[[noreturn]] void refuse(const any_kind& kind, const std::string& why);

// Tells a person, on standard error, which of the keys asked for a verb could do nothing with.
void report_left(const std::vector<std::string>& keys, std::uint64_t asked, std::string_view what);

}  // namespace bloomery::cli
