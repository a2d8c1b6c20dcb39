#include "sizing.hpp"

#include <algorithm>
#include <charconv>

#include "bloomery/any/planner.hpp"
#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

// Decimal, or hexadecimal after 0x, as `info` prints it.
std::uint64_t parse_seed(const std::string& text) {
  const bool hexadecimal = text.starts_with("0x");
  const std::string_view digits = std::string_view(text).substr(hexadecimal ? 2 : 0);
  std::uint64_t seed = 0;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), seed, hexadecimal ? 16 : 10);
  if (problem != std::errc{} || end != digits.data() + digits.size()) {
    fail(errc::invalid,
         "the seed is " + in_quotes(text) + "; expected a number below 2^64 (7 or 0x2a)");
  }
  return seed;
}

std::vector<field_value> overruled(std::vector<field_value> shape,
                                   const std::vector<std::optional<field_value>>& fixed) {
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = fixed[i].value_or(shape[i]);
  return shape;
}

}  // namespace

void hash_options::declare(command& verb) {
  const option seed_given =
      verb.add_option("--seed", "S", seed, "seed of the hash (default: a fixed one)");
  const option integers_given =
      verb.add_flag("--integers", integers, "keys are decimal numbers below 2^64");
  key_file.declare(verb).excludes(seed_given).excludes(integers_given);
}

hasher hash_options::chosen() const {
  if (const auto secret = key_file.secret()) return hasher(keyed_hash(*secret));
  const std::uint64_t number = seed.empty() ? default_seed : parse_seed(seed);
  if (integers) return hasher(integer_hash(number));
  return hasher(xxh3_hash(number));
}

void shape_option::declare(command& verb) {
  verb.add_option("--set", "FIELD=VALUE", settings,
                  "set a field of the shape; `bloomery kinds KIND` lists them");
}

std::vector<std::optional<field_value>> shape_option::fixed(const any_kind& kind) const {
  std::vector<std::optional<field_value>> values(kind.fields.size());
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    const auto field = std::ranges::find(kind.fields, name, &field_info::name);
    if (equals == std::string::npos || field == kind.fields.end()) {
      std::string known;
      std::vector<std::string_view> names;
      for (const field_info& info : kind.fields) {
        names.push_back(info.name);
        known += " " + std::string(info.name);
      }
      fail(errc::invalid,
           "--set " + printable(setting) + ": expected FIELD=VALUE with a field of " +
               std::string(kind.info.name) + ":" + known + did_you_mean(name, names));
    }
    values[static_cast<std::size_t>(field - kind.fields.begin())] =
        parse_field(*field, std::string_view(setting).substr(equals + 1));
  }
  // A shape that was whole before there were later fields still is.
  const auto fewest = static_cast<std::ptrdiff_t>(fewest_fields(kind.fields));
  if (all_fixed({values.begin(), values.begin() + fewest})) {
    for (auto later = values.begin() + fewest; later != values.end(); ++later) {
      if (!*later) *later = std::uint64_t{0};
    }
  }
  return values;
}

option window_option::declare(command& verb, const std::string& help) {
  return verb.add_option("--window", "N|DURATION", text, help);
}

window_length window_option::length(bool keys_given) const {
  if (!given()) return {};
  const bool counts = std::string_view("0123456789.kKMGT").find(text.back()) != std::string::npos;
  window_length length;
  try {
    length = counts ? window_length{parse_count(text), 0} : window_length{0, parse_duration(text)};
  } catch (const error&) {  // refused below
  }
  const std::uint64_t number = std::max(length.arrivals, length.milliseconds);
  if (number == 0 || number > max_keys) {
    const std::string most = format_count(max_keys);
    fail(errc::invalid, "--window is " + in_quotes(text) +
                            "; allowed: a number of keys from 1 to " + most +
                            " (10k), or a duration from 1 ms to " + most + " ms (15m)");
  }
  if (length.arrivals != 0 && keys_given) {
    fail(errc::invalid,
         "--window " + text + " is a number of keys; --keys goes with a window of time");
  }
  return length;
}

window_length window_option::length_with_keys(bool keys_given) const {
  const window_length window = length(keys_given);
  if (window.milliseconds != 0 && !keys_given) {
    fail(errc::invalid,
         "--window " + text + " needs --keys: how many distinct keys come in that time");
  }
  return window;
}

bool all_fixed(const std::vector<std::optional<field_value>>& fixed) {
  return std::ranges::all_of(fixed, [](const auto& field) { return field.has_value(); });
}

sized planned(
    const any_kind& kind, const std::vector<std::optional<field_value>>& fixed, std::uint64_t keys,
    double rate, const std::function<std::vector<field_value>()>& plan,
    const std::function<double(const std::vector<field_value>&)>& rate_of,
    const std::function<std::vector<field_value>(const std::vector<field_value>&)>& around) {
  std::vector<field_value> shape;
  if (all_fixed(fixed)) {
    for (const auto& field : fixed) shape.push_back(*field);
    return {std::move(shape), {}};
  }
  const std::vector<field_value> wanted = overruled(plan(), fixed);
  const std::vector<field_value> usual =
      around ? around(wanted) : kind.plan_around(wanted, keys, rate);
  shape = overruled(usual, fixed);
  const auto keep = [&](double predicted, double limit, const char* what) {
    if (predicted <= limit) return;
    fail(errc::invalid, "with " + shape_text(kind, shape) + " and " + format_count(keys) +
                            " keys the " + what + " would be " + format_ratio(predicted) +
                            ", over the " + format_ratio(limit) +
                            " asked for; set every field, or a higher --fpr");
  };
  keep(rate_of ? rate_of(shape) : highest_rate(kind, shape, keys), rate, "rate");
  keep(kind.predicted_false_negatives(shape, keys),
       std::max(rate, kind.predicted_false_negatives(usual, keys)), "share that is missed");
  return {std::move(shape), {keys, rate}};
}

}  // namespace bloomery::cli
