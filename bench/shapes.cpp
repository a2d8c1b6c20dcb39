#include "shapes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::bench {
namespace {

std::size_t index_of(const any_kind& kind, const fixed_field& fixed) {
  std::vector<std::string_view> names;
  for (const field_info& field : kind.fields) names.push_back(field.name);
  const auto found = std::ranges::find(names, fixed.name);
  if (found == names.end()) {
    fail(errc::invalid, "a " + std::string(kind.info.name) + " filter has no field " +
                            in_quotes(fixed.name) + did_you_mean(fixed.name, names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

// "10.67n" is that many times the number of keys.
field_value value_of(const field_info& field, const fixed_field& fixed, std::uint64_t keys) {
  const std::string& text = fixed.value;
  if (!text.ends_with('n')) return parse_field(field, text);
  double factor = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [stop, problem] = std::from_chars(text.data(), end, factor);
  if (problem != std::errc{} || stop != end || !(factor > 0) || factor > 1e6) {
    fail(errc::invalid, fixed.name + " is " + in_quotes(text) +
                            "; before the n, for the number of keys, stands a number above 0");
  }
  const double value = std::max(1.0, std::round(factor * static_cast<double>(keys)));
  field_value result = value;
  if (std::holds_alternative<std::uint64_t>(field.low)) result = static_cast<std::uint64_t>(value);
  require_in_range(field, result);
  return result;
}

}  // namespace

fixed_shape parse_shape(std::string_view text) {
  fixed_shape parsed;
  parsed.text = text;
  const std::size_t colon = text.find(':');
  parsed.kind = text.substr(0, colon);
  const any_kind& kind = find_kind(parsed.kind);
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  bool well = !rest.empty();
  while (well && !rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    well = equals != std::string_view::npos;
    if (!well) break;
    parsed.fields.push_back(
        {std::string(one.substr(0, equals)), std::string(one.substr(equals + 1))});
    (void)index_of(kind, parsed.fields.back());
  }
  if (!well) {
    fail(errc::invalid, "the shape is " + in_quotes(text) +
                            "; expected KIND:FIELD=VALUE,FIELD=VALUE, where a value may end in n, "
                            "times the number of keys (blocked:blocks=0.0208n,hashes=8)");
  }
  return parsed;
}

std::vector<field_value> shape_values_of(const any_kind& kind, const fixed_shape& fixed,
                                         std::uint64_t keys, double rate) {
  const auto overruled = [&](std::vector<field_value> shape) {
    for (const fixed_field& one : fixed.fields) {
      const std::size_t at = index_of(kind, one);
      shape[at] = value_of(kind.fields[at], one, keys);
    }
    return shape;
  };
  return overruled(kind.plan_around(overruled(kind.plan(keys, rate)), keys, rate));
}

}  // namespace bloomery::bench
