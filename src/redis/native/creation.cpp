#include "redis/native/creation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "bloomery/any/planner.hpp"
#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "redis/native/items.hpp"

namespace bloomery::redis {
namespace {

constexpr double default_rate = 0.01;
constexpr std::uint64_t default_values = 2;

struct wishes {
  std::optional<std::uint64_t> keys;
  std::optional<double> rate;
  std::uint64_t window_milliseconds = 0;
  std::uint64_t window_arrivals = 0;
  std::uint64_t values = default_values;
  bool roomy = false;
  std::vector<std::optional<field_value>> fixed;
};

[[noreturn]] void refuse_option(std::string_view word) {
  constexpr std::array<std::string_view, 11> known{"KEYS",   "FPR",    "SET",  "SEED",
                                                   "WINDOW", "VALUES", "HASH", "PROMISED",
                                                   "RANDOM", "ROOMY",  "OF"};
  fail(errc::invalid,
       in_quotes(word) + " is no option of BLOOM.CREATE" + did_you_mean(word, known));
}

template <class Number>
Number number_in(std::string_view text, const char* what) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    fail(errc::invalid, std::string(what) + " is " + in_quotes(text) + ", and no such number");
  }
  return value;
}

std::uint64_t counted(std::string_view text, const char* what) {
  const std::uint64_t count = parse_count(text);
  if (count == 0 || count > max_keys) {
    fail(errc::invalid, std::string(what) + " is " + std::string(text) + "; allowed: from 1 to " +
                            format_count(max_keys));
  }
  return count;
}

void fix(wishes& wanted, const any_kind& kind, std::string_view name, std::string_view value) {
  const auto field = std::ranges::find(kind.fields, name, &field_info::name);
  if (field == kind.fields.end()) {
    std::string known;
    for (const field_info& each : kind.fields) {
      (known += known.empty() ? "" : ", ") += each.name;
    }
    fail(errc::invalid, in_quotes(name) + " is no field of " + a_filter(kind.info.name) +
                            "; its fields: " + known);
  }
  wanted.fixed[static_cast<std::size_t>(field - kind.fields.begin())] = parse_field(*field, value);
}

void take_window(wishes& wanted, std::string_view text) {
  const bool arrivals = std::string_view("0123456789.kKMGT").find(text.back()) != std::string::npos;
  if (arrivals) {
    wanted.window_arrivals = counted(text, "the window");
  } else {
    wanted.window_milliseconds = parse_duration(text);
    if (wanted.window_milliseconds == 0) fail(errc::invalid, "the window has no length");
  }
}

// For as many keys as were said, or as a window has, or as one begins with that grows.
std::uint64_t keys_for(const any_kind& kind, const wishes& wanted) {
  if (wanted.window_arrivals != 0) {
    if (wanted.keys) fail(errc::invalid, "a WINDOW of keys is the KEYS: give one of them");
    return wanted.window_arrivals;
  }
  if (wanted.keys) return *wanted.keys;
  if (kind.can<grows>()) return default_first_keys;
  fail(errc::invalid,
       "KEYS is missing: for how many keys " + a_filter(kind.info.name) + " is to be");
}

shape_values planned(const any_kind& kind, const wishes& wanted, std::uint64_t keys, double rate) {
  if (wanted.window_milliseconds != 0) {
    return kind.as<keeps_time>().plan_time(keys, rate, wanted.window_milliseconds);
  }
  if (kind.can<maps>() && kind.can<sets_values>()) {
    return kind.as<maps>().plan_map(keys, rate, wanted.values);
  }
  return kind.plan(keys, rate);
}

shape_values overruled(shape_values shape, const wishes& wanted) {
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = wanted.fixed[i].value_or(shape[i]);
  return shape;
}

shape_values shape_for(const any_kind& kind, const wishes& wanted, std::uint64_t keys,
                       double rate) {
  return overruled(
      kind.plan_around(overruled(planned(kind, wanted, keys, rate), wanted), keys, rate), wanted);
}

// For how many keys a filter of what the allocator sets aside for this shape would be: it has classes of sizes,
// and accounts for all of one. Shapes come in steps, too, so the first that fits is taken.
std::uint64_t most_keys_in_its_memory(const any_kind& kind, const wishes& wanted,
                                      std::uint64_t keys, double rate, const shape_values& shape) {
  constexpr std::uint64_t steps = 256;
  if (kind.can<grows>() || wanted.window_arrivals != 0 || wanted.window_milliseconds != 0) {
    fail(errc::unsupported, "ROOMY is for a filter of one size: leave it out");
  }
  const std::uint64_t bytes = kind.payload_bytes(shape);
  const std::uint64_t room = bytes_set_aside(bytes + cache_line_bytes) - cache_line_bytes;
  const auto most = static_cast<std::uint64_t>(std::min(
      core::uint128{max_keys}, core::uint128{keys} * room / std::max<std::uint64_t>(bytes, 1)));
  for (std::uint64_t less = 0; less < steps; ++less) {
    const std::uint64_t more = most - most / steps * less;
    if (more <= keys) break;
    if (kind.payload_bytes(shape_for(kind, wanted, more, rate)) <= room) return more;
  }
  return keys;
}

bool all_fixed(const wishes& wanted) {
  return std::ranges::all_of(wanted.fixed, [](const auto& field) { return field.has_value(); });
}

void require_keys_one_by_one(const any_kind& kind) {
  if (kind.can<inserts>() || kind.can<reads_texts>()) return;
  fail(errc::unsupported, a_filter(kind.info.name) +
                              " is built from all its keys at once: build it with the tool, and "
                              "copy it here");
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  RedisModule_GetRandomBytes(reinterpret_cast<unsigned char*>(&seed), sizeof seed);
  return seed;
}

std::string exact(double value) {
  return format_value(field_value{value});
}

}  // namespace

creation creation::asked_by(const call& asked) {
  creation made{.kind = &find_kind(asked.text(2)), .shape = {}, .hash = {}, .promised = {}};
  const any_kind& kind = *made.kind;
  require_keys_one_by_one(kind);
  wishes wanted;
  wanted.fixed.resize(kind.fields.size());
  bool seeded = false;
  for (int i = 3; i < asked.size();) {
    const auto value = [&](int which) {
      if (i + which >= asked.size() || asked.text(i + which).empty()) throw wrong_arity();
      return asked.text(i + which);
    };
    int taken = 2;
    if (asked.says(i, "KEYS")) {
      wanted.keys = counted(value(1), "KEYS");
    } else if (asked.says(i, "FPR")) {
      wanted.rate = parse_ratio(value(1));
    } else if (asked.says(i, "VALUES")) {
      wanted.values = counted(value(1), "VALUES");
    } else if (asked.says(i, "WINDOW")) {
      if (!kind.can<forgets>()) {
        fail(errc::unsupported, a_filter(kind.info.name) + " keeps no window: it never forgets");
      }
      take_window(wanted, value(1));
    } else if (asked.says(i, "SET")) {
      fix(wanted, kind, value(1), value(2));
      taken = 3;
    } else if (asked.says(i, "SEED")) {
      seeded = true;
      const std::string_view seed = value(1);  // or there is none
      made.hash.tag =
          asked.says(i + 1, "RANDOM") ? random_seed() : number_in<std::uint64_t>(seed, "SEED");
    } else if (asked.says(i, "HASH")) {  // by its number, and the seed or a secret's fingerprint
      made.hash.id = static_cast<hash_id>(number_in<std::uint32_t>(value(1), "HASH"));
      made.hash.tag = number_in<std::uint64_t>(value(2), "HASH");
      if (!is_known(made.hash.id)) fail(errc::invalid, "HASH names no hash that is known here");
      taken = 3;
    } else if (asked.says(i, "ROOMY")) {
      wanted.roomy = true;
      taken = 1;
    } else if (asked.says(i, "PROMISED")) {
      made.promised = {counted(value(1), "PROMISED"), parse_ratio(value(2))};
      taken = 3;
    } else if (asked.says(i, "OF")) {
      (void)value(2);
      made.part_of = membership_at(asked, i + 1);
      taken = 3;
    } else {
      refuse_option(asked.text(i));
    }
    i += taken;
  }
  if (seeded && made.hash.id != hash_id::xxh3) fail(errc::invalid, "HASH says the seed as well");
  const double rate = wanted.rate.value_or(default_rate);
  if (all_fixed(wanted)) {
    for (const auto& field : wanted.fixed) made.shape.push_back(*field);
    if (wanted.keys || wanted.rate || wanted.roomy) {
      fail(errc::invalid, "with every field set, KEYS, FPR and ROOMY plan nothing: leave them out");
    }
    return made;
  }
  std::uint64_t keys = keys_for(kind, wanted);
  made.shape = shape_for(kind, wanted, keys, rate);
  if (wanted.roomy) {
    asked.allowance().require(kind.payload_bytes(made.shape));
    keys = most_keys_in_its_memory(kind, wanted, keys, rate, made.shape);
    made.shape = shape_for(kind, wanted, keys, rate);
  }
  const double predicted = highest_rate(kind, made.shape, keys);
  if (predicted > rate) {
    fail(errc::invalid, "with these fields and " + format_count(keys) + " keys the rate would be " +
                            format_ratio(predicted) + ", over the " + format_ratio(rate) +
                            " asked for; set every field, or a higher FPR");
  }
  made.promised = {keys, rate};
  return made;
}

std::vector<std::string> creation::in_full() const {
  std::vector<std::string> words{std::string(kind->info.name)};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    words.insert(words.end(), {"SET", std::string(kind->fields[i].name),
                               format_value(kind->fields[i], shape[i])});
  }
  words.insert(words.end(), {"HASH", std::to_string(static_cast<std::uint32_t>(hash.id)),
                             std::to_string(hash.tag)});
  if (promised.keys != 0) {
    words.insert(words.end(), {"PROMISED", std::to_string(promised.keys), exact(promised.rate)});
  }
  if (part_of.family != 0) {
    words.insert(words.end(),
                 {"OF", std::to_string(part_of.family), std::to_string(part_of.epoch)});
  }
  return words;
}

}  // namespace bloomery::redis
