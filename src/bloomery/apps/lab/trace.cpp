#include "bloomery/apps/lab/trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::lab {
namespace {

[[noreturn]] void refuse(std::uint64_t line, const std::string& what, errc code = errc::invalid) {
  fail(code, "trace, line " + std::to_string(line) + ": " + what);
}

bool whole_in(std::string_view digits, std::uint64_t& number) {
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return problem == std::errc{} && end == digits.data() + digits.size();
}

// Decimal seconds as nanoseconds, without rounding.
std::optional<time> time_in(std::string_view text) {
  constexpr std::size_t decimals = 9;
  constexpr std::uint64_t second = 1'000'000'000;
  constexpr auto most_seconds =
      static_cast<std::uint64_t>(time::max().time_since_epoch().count()) / second;
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::string fraction(text.substr(std::min(dot + 1, text.size())));
  if (fraction.size() > decimals || (dot < text.size() && fraction.empty())) return {};
  fraction.resize(decimals, '0');
  std::uint64_t seconds = 0;
  std::uint64_t nanoseconds = 0;
  if (!whole_in(text.substr(0, dot), seconds) || !whole_in(fraction, nanoseconds)) return {};
  if (seconds >= most_seconds) return {};
  return time(std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * second + nanoseconds)));
}

// The words between blanks; all beyond the last place are put into it.
std::array<std::string_view, 4> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t";
  std::array<std::string_view, 4> words;
  for (std::string_view& word : words) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    word = line.substr(0, line.find_first_of(blanks));
    line.remove_prefix(word.size());
  }
  return words;
}

traced_request request_in(std::string_view line, std::uint64_t number, const trace_limits& limits) {
  const auto [when, key, size, more] = words_of(line);
  const std::optional<time> at = time_in(when);
  if (!at) {
    refuse(number, "the time is " + in_quotes(when) +
                       "; allowed: seconds from 0 to 292 years, of at most nine decimals");
  }
  if (key.empty()) refuse(number, "there is no key after the time");
  if (key.size() > limits.key_bytes) {
    refuse(number,
           "a key of " + std::to_string(key.size()) + " bytes; allowed: at most " +
               std::to_string(limits.key_bytes),
           errc::limit);
  }
  traced_request result{*at, std::string(key), {}};
  std::uint64_t bytes = 0;
  if (!size.empty()) {
    if (!whole_in(size, bytes)) {
      refuse(number, "the size is " + in_quotes(size) + "; allowed: a whole number of bytes");
    }
    result.size = bytes;
  }
  if (!more.empty()) refuse(number, in_quotes(more) + " follows the size");
  return result;
}

}  // namespace

std::vector<traced_request> read_trace(std::string_view text, const trace_limits& limits) {
  std::vector<traced_request> requests;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#') || line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (requests.size() >= limits.requests) {
      refuse(number, "more than " + std::to_string(limits.requests) + " requests", errc::limit);
    }
    traced_request next = request_in(line, number, limits);
    if (!requests.empty() && next.at < requests.back().at) {
      refuse(number, "the time is before that of the request above");
    }
    requests.push_back(std::move(next));
  }
  return requests;
}

}  // namespace bloomery::lab
