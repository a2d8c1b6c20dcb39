#include "bloomery/core/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kilo = 1000;
constexpr std::uint64_t kibi = 1024;

constexpr std::array count_units{
    unit{"", 1},
    unit{"k", kilo},
    unit{"K", kilo},
    unit{"M", kilo* kilo},
    unit{"G", kilo* kilo* kilo},
    unit{"T", kilo* kilo* kilo* kilo},
};

constexpr std::array size_units{
    unit{"", 1},
    unit{"B", 1},
    unit{"kB", kilo},
    unit{"MB", kilo* kilo},
    unit{"GB", kilo* kilo* kilo},
    unit{"TB", kilo* kilo* kilo* kilo},
    unit{"KiB", kibi},
    unit{"MiB", kibi* kibi},
    unit{"GiB", kibi* kibi* kibi},
    unit{"TiB", kibi* kibi* kibi* kibi},
    unit{"k", kibi},
    unit{"K", kibi},
    unit{"M", kibi* kibi},
    unit{"G", kibi* kibi* kibi},
    unit{"T", kibi* kibi* kibi* kibi},
};

constexpr std::array duration_units{
    unit{"ms", 1},
    unit{"s", 1000},
    unit{"m", std::uint64_t{60} * 1000},
    unit{"h", std::uint64_t{60} * 60 * 1000},
    unit{"d", std::uint64_t{24} * 60 * 60 * 1000},
};

constexpr std::string_view count_help =
    "a whole number, with k, M, G or T if you like (10M, 1e7 or 10,000,000)";
constexpr std::string_view size_help =
    "bytes, with kB, MB, GB or TB, or with K, M, G, T, KiB, MiB, GiB or TiB (64MiB)";
constexpr std::string_view duration_help = "a number with ms, s, m, h or d (15m)";
constexpr std::string_view ratio_help = "a number or a percentage (0.01 or 1%)";

[[noreturn]] void refuse_number(std::string_view text, std::string_view accepted) {
  fail(errc::invalid, in_quotes(text) + " is not understood; expected " + std::string(accepted));
}

[[noreturn]] void refuse_size(std::string_view text) {
  fail(errc::limit, in_quotes(text) + " is beyond 2^64");
}

// digits[.digits] times the factor, in integers, so that no large count is rounded.
std::uint64_t scaled(std::string_view text, std::string_view number, std::uint64_t factor,
                     std::string_view help) {
  core::uint128 value = 0;
  core::uint128 denominator = 1;
  constexpr core::uint128 most = std::numeric_limits<std::uint64_t>::max();
  constexpr core::uint128 longest_fraction = 1'000'000'000'000;
  bool fraction = false;
  bool digits = false;
  for (const char c : number) {
    if (c == '.' && !fraction) {
      fraction = true;
    } else if (c >= '0' && c <= '9') {
      digits = true;
      value = value * 10 + static_cast<unsigned>(c - '0');
      if (fraction) denominator *= 10;
    } else {
      refuse_number(text, help);
    }
    if (value > most) refuse_size(text);
    if (denominator > longest_fraction) refuse_number(text, help);
  }
  value *= factor;
  if (!digits || value % denominator != 0) refuse_number(text, help);
  value /= denominator;
  if (value > most) refuse_size(text);
  return static_cast<std::uint64_t>(value);
}

// 1,000,000 without its commas, which group thousands or are a mistake.
std::string ungrouped(std::string_view text, std::string_view number, std::string_view help) {
  std::string digits(number);
  const std::size_t end = std::min(number.find('.'), number.size());
  const std::size_t first = number.find(',');
  if (first == std::string_view::npos) return digits;
  for (std::size_t i = 0; i < number.size(); ++i) {
    const bool group_ends = i > 0 && i < end && (end - i) % 4 == 0;
    if ((number[i] == ',') != (group_ends && i >= first) || first > 3) refuse_number(text, help);
  }
  std::erase(digits, ',');
  return digits;
}

template <class Units>
std::uint64_t parse_with(std::string_view text, const Units& units, std::string_view help) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.,"), text.size());
  const std::string number = ungrouped(text, text.substr(0, end), help);
  std::string_view suffix = text.substr(end);
  std::uint64_t power = 1;
  if (suffix.starts_with('e') || suffix.starts_with('E')) {
    unsigned exponent = 0;
    const char* const last = suffix.data() + suffix.size();
    const auto [rest, problem] = std::from_chars(suffix.data() + 1, last, exponent);
    constexpr unsigned most_exponent = 19;
    if (problem == std::errc::invalid_argument) refuse_number(text, help);
    if (problem != std::errc{} || exponent > most_exponent) refuse_size(text);
    for (; exponent != 0; --exponent) power *= 10;
    suffix.remove_prefix(static_cast<std::size_t>(rest - suffix.data()));
  }
  for (const unit& u : units) {
    if (u.name != suffix) continue;
    const core::uint128 factor = core::uint128{power} * u.factor;
    if (factor > std::numeric_limits<std::uint64_t>::max()) refuse_size(text);
    return scaled(text, number, static_cast<std::uint64_t>(factor), help);
  }
  refuse_number(text, help);
}

}  // namespace

std::uint64_t parse_count(std::string_view text) {
  return parse_with(text, count_units, count_help);
}

std::uint64_t parse_size(std::string_view text) {
  return parse_with(text, size_units, size_help);
}

std::uint64_t parse_duration(std::string_view text) {
  return parse_with(text, duration_units, duration_help);
}

double parse_ratio(std::string_view text) {
  std::string number(text);
  const bool percent = number.ends_with('%');
  if (percent) number.pop_back();
  // Rounded once, so that 0.014% is the number that 0.00014 is: the exponent takes the per cent.
  const std::size_t exponent = number.find_first_of("eE");
  int shift = 0;
  const char* const end_of_number = number.data() + number.size();
  if (percent && exponent == std::string::npos) {
    number += "e-2";
  } else if (percent && std::from_chars(number.data() + exponent + 1, end_of_number, shift).ptr ==
                            end_of_number) {
    number = number.substr(0, exponent + 1) + std::to_string(shift - 2);
  }
  double value = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (problem != std::errc{} || end != number.data() + number.size() || !std::isfinite(value)) {
    refuse_number(text, ratio_help);
  }
  return value;
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string short_count(std::uint64_t count) {
  constexpr std::array names{"", "k", "M", "G", "T"};
  std::uint64_t scale = 1;
  std::size_t i = 0;
  for (; i + 1 < names.size() && count / scale >= kilo; ++i) scale *= kilo;
  // Three decimals at most; a count with more digits is clearer in full.
  if (scale == 1 || count % (scale / kilo) != 0) return std::to_string(count);
  std::string text = std::to_string(count / scale);
  if (const std::uint64_t rest = count % scale / (scale / kilo); rest != 0) {
    const std::string decimals = std::to_string(kilo + rest).substr(1);
    text += "." + decimals.substr(0, decimals.find_last_not_of('0') + 1);
  }
  return text + names.at(i);
}

std::string format_real(double value, int significant) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", significant, value);
  return text.data();
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array names{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t i = 0;
  for (; value >= static_cast<double>(kibi) && i + 1 < names.size(); ++i) value /= kibi;
  return format_real(value) + " " + names.at(i);
}

std::string format_ratio(double ratio) {
  return format_real(100 * ratio) + " %";
}

}  // namespace bloomery
