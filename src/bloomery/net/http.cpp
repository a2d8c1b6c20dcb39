#include "bloomery/net/http.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::net {
namespace {

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

// All of the text as a number, in digits only.
std::optional<std::uint64_t> number_of(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || problem != std::errc() || stopped != end) return std::nullopt;
  return value;
}

template <class Use>
void each_word(std::string_view list, Use use) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    use(without_blanks(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

[[noreturn]] void refuse_http(const std::string& why) {
  fail(errc::corrupt, "no HTTP: " + why);
}

void require_body(std::uint64_t bytes, const http_limits& limits) {
  if (bytes <= limits.body) return;
  fail(errc::limit,
       "a body of " + std::to_string(bytes) + " bytes; allowed: " + std::to_string(limits.body));
}

constexpr std::array<std::string_view, 7> day_names{"Sun", "Mon", "Tue", "Wed",
                                                    "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> month_names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string padded(std::uint64_t value, std::size_t width) {
  std::string text = std::to_string(value);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

}  // namespace

std::optional<std::string_view> http_message::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      headers, [&](const http_header& each) { return same_name(each.name, name); });
  if (found == headers.end()) return std::nullopt;
  return found->value;
}

bool http_message::lists(std::string_view name, std::string_view word) const {
  bool found = false;
  for (const http_header& each : headers) {
    if (!same_name(each.name, name)) continue;
    each_word(each.value, [&](std::string_view listed) { found |= same_name(listed, word); });
  }
  return found;
}

bool http_message::keeps_alive() const {
  if (lists("Connection", "close")) return false;
  return minor_version >= 1 || lists("Connection", "keep-alive");
}

std::size_t http_parser::feed(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && step_ != step::done) {
    const std::string_view rest = bytes.substr(taken);
    const bool of_body = step_ == step::body || step_ == step::to_the_end || step_ == step::chunk;
    taken += of_body ? feed_body(rest) : feed_line(rest);
  }
  return taken;
}

void http_parser::end() {
  if (step_ == step::to_the_end) step_ = step::done;
  if (step_ != step::done) refuse_http("the connection ended in the middle of a message");
}

std::size_t http_parser::feed_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::string_view part = bytes.substr(0, end);
  if (line_.size() + part.size() > limits_.line) {
    fail(errc::limit, "a line of more than " + std::to_string(limits_.line) + " bytes");
  }
  line_ += part;
  if (end == std::string_view::npos) return bytes.size();
  if (line_.ends_with('\r')) line_.pop_back();
  const std::string line = std::move(line_);
  line_.clear();
  if (!is_plain(line)) refuse_http("a line has a control character");
  on_line(line);
  return end + 1;
}

std::size_t http_parser::feed_body(std::string_view bytes) {
  if (step_ == step::to_the_end) {
    require_body(message_.body.size() + bytes.size(), limits_);
    message_.body += bytes;
    return bytes.size();
  }
  const std::size_t part = std::min<std::uint64_t>(left_, bytes.size());
  message_.body += bytes.substr(0, part);
  left_ -= part;
  if (left_ == 0) step_ = step_ == step::chunk ? step::chunk_end : step::done;
  return part;
}

void http_parser::on_line(std::string_view line) {
  switch (step_) {
    case step::first_line:
      if (line.empty() && role_ == role::request) return;  // as RFC 9112 asks, §2.2
      return first_line(line);
    case step::header:
      return line.empty() ? headers_end() : add_header(line);
    case step::chunk_length:
      return chunk_length(line);
    case step::chunk_end:
      if (!line.empty()) refuse_http("a chunk is longer than it states");
      step_ = step::chunk_length;
      return;
    default:  // trailers are read and not believed
      if (line.empty()) {
        step_ = step::done;
      } else if (++left_ > limits_.headers) {
        fail(errc::limit, "more than " + std::to_string(limits_.headers) + " trailers");
      }
  }
}

void http_parser::version(std::string_view text) {
  if (!text.starts_with("HTTP/") || text.size() != 8 || text[6] != '.' || text[7] < '0' ||
      text[7] > '9') {
    refuse_http("the first line has no version");
  }
  if (text[5] != '1') fail(errc::unsupported, "HTTP of version " + printable(text.substr(5)));
  message_.minor_version = text[7] - '0';
}

void http_parser::first_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  if (first == std::string_view::npos) refuse_http("the first line is one word");
  if (role_ == role::request) {
    const std::size_t last = line.rfind(' ');
    message_.method = line.substr(0, first);
    message_.target = last > first ? line.substr(first + 1, last - first - 1) : "";
    if (!is_token(message_.method) || message_.target.empty() ||
        message_.target.find_first_of(" \t") != std::string::npos) {
      refuse_http("the first line is no request");
    }
    version(line.substr(last + 1));
  } else {
    version(line.substr(0, first));
    const auto status = number_of(line.substr(first + 1, 3), 10);
    if (!status || *status < 100 || (line.size() > first + 4 && line[first + 4] != ' ')) {
      refuse_http("the first line has no status");
    }
    message_.status = static_cast<int>(*status);
    if (line.size() > first + 5) message_.reason = line.substr(first + 5);
  }
  step_ = step::header;
}

void http_parser::add_header(std::string_view line) {
  if (message_.headers.size() == limits_.headers) {
    fail(errc::limit, "more than " + std::to_string(limits_.headers) + " headers");
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    refuse_http("a header has no name");
  }
  message_.headers.push_back(
      {std::string(line.substr(0, colon)), std::string(without_blanks(line.substr(colon + 1)))});
}

void http_parser::headers_end() {
  std::optional<std::uint64_t> length;
  bool chunked = false;
  for (const http_header& each : message_.headers) {
    if (same_name(each.name, "Content-Length")) {
      const auto stated = number_of(each.value, 10);
      if (!stated || length) refuse_http("its length is stated twice, or is no number");
      length = stated;
    } else if (same_name(each.name, "Transfer-Encoding")) {
      if (chunked || !same_name(each.value, "chunked")) {
        fail(errc::unsupported, "a transfer coding beside chunks: " + printable(each.value));
      }
      chunked = true;
    }
  }
  if (chunked && length) refuse_http("its length is stated in two ways");
  const bool bodiless = role_ == role::response &&
                        (message_.status < 200 || message_.status == 204 || message_.status == 304);
  if (bodiless || (role_ == role::request && !chunked && !length) || (length && *length == 0)) {
    step_ = step::done;
  } else if (chunked) {
    step_ = step::chunk_length;
  } else if (length) {
    require_body(*length, limits_);
    left_ = *length;
    step_ = step::body;
  } else {
    step_ = step::to_the_end;
  }
}

void http_parser::chunk_length(std::string_view line) {
  const auto length = number_of(without_blanks(line.substr(0, line.find(';'))), 16);
  if (!length) refuse_http("a chunk has no length");
  extensions_ += line.size() - std::min(line.find(';'), line.size());
  if (extensions_ > limits_.line) {
    fail(errc::limit,
         "extensions of chunks of more than " + std::to_string(limits_.line) + " bytes together");
  }
  if (*length > limits_.body) require_body(*length, limits_);
  require_body(message_.body.size() + *length, limits_);
  left_ = *length;
  step_ = *length == 0 ? step::trailer : step::chunk;
}

std::string head_of(const http_message& message) {
  const std::string version = "HTTP/1." + std::to_string(message.minor_version);
  std::string head = message.method.empty()
                         ? version + " " + std::to_string(message.status) + " " + message.reason
                         : message.method + " " + message.target + " " + version;
  head += "\r\n";
  for (const http_header& each : message.headers) head += each.name + ": " + each.value + "\r\n";
  return head + "\r\n";
}

http_url parse_http_url(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  const auto refuse = [&](const char* why) {
    fail(errc::invalid, in_quotes(text) + " is no URL of the form http://HOST[:PORT][/PATH]" + why);
  };
  if (text.size() <= scheme.size() || !same_name(text.substr(0, scheme.size()), scheme)) {
    refuse("");
  }
  const std::string_view rest = text.substr(scheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view host = rest.substr(0, slash);
  http_url url;
  url.path = slash == rest.size() ? "/" : std::string(rest.substr(slash));
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    const auto port = number_of(host.substr(colon + 1), 10);
    if (!port || *port < 1 || *port > std::numeric_limits<std::uint16_t>::max()) {
      refuse("; a port is 1 to 65535");
    }
    url.port = static_cast<std::uint16_t>(*port);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty() || !is_plain(text) || text.find_first_of(" @") != std::string_view::npos) {
    refuse("");
  }
  url.host = host;
  return url;
}

std::string http_date(std::int64_t seconds) {
  using namespace std::chrono;
  const sys_seconds at{std::chrono::seconds(seconds)};
  const sys_days day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(at - day);
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  return std::string(day_names[weekday(day).c_encoding()]) + ", " +
         padded(unsigned{date.day()}, 2) + " " +
         std::string(month_names[unsigned{date.month()} - 1]) + " " +
         padded(number(int{date.year()}), 4) + " " + padded(number(time.hours().count()), 2) + ":" +
         padded(number(time.minutes().count()), 2) + ":" +
         padded(number(time.seconds().count()), 2) + " GMT";
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != 29 || text.substr(3, 2) != ", " || !text.ends_with(" GMT") || text[7] != ' ' ||
      text[11] != ' ' || text[16] != ' ' || text[19] != ':' || text[22] != ':') {
    return std::nullopt;
  }
  const auto* const month_name = std::ranges::find(month_names, text.substr(8, 3));
  const auto in_month = number_of(text.substr(5, 2), 10);
  const auto in_year = number_of(text.substr(12, 4), 10);
  const auto hour = number_of(text.substr(17, 2), 10);
  const auto minute = number_of(text.substr(20, 2), 10);
  const auto second = number_of(text.substr(23, 2), 10);
  if (month_name == month_names.end() || !in_month || !in_year || !hour || !minute || !second ||
      *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  const year_month_day date(year(static_cast<int>(*in_year)),
                            month(static_cast<unsigned>(month_name - month_names.begin()) + 1),
                            day(static_cast<unsigned>(*in_month)));
  if (!date.ok()) return std::nullopt;
  const auto midnight = sys_days(date).time_since_epoch();
  return duration_cast<seconds>(midnight).count() +
         static_cast<std::int64_t>(*hour * 3600 + *minute * 60 + *second);
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "-._~/:";
  std::string encoded;
  for (const char c : text) {
    if ((c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
        plain.find(c) != std::string_view::npos) {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.append({'%', digits[byte / 16], digits[byte % 16]});
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const auto byte = i + 2 < text.size() ? number_of(text.substr(i + 1, 2), 16) : std::nullopt;
    if (!byte) refuse_http("a % is not followed by two digits");
    decoded.push_back(static_cast<char>(*byte));
    i += 2;
  }
  return decoded;
}

}  // namespace bloomery::net
