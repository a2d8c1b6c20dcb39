#include "redis_address.hpp"

#include <charconv>
#include <cstdlib>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::cli {
namespace {

constexpr std::string_view over_network = "redis://";
constexpr std::string_view over_socket = "unix://";

int digit_of(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

class parser {
 public:
  explicit parser(const std::string& shown) : shown_(shown) {}

  [[noreturn]] void refuse(const std::string& why) const {
    fail(errc::invalid, in_quotes(shown_) + " is no place in a Redis server: " + why);
  }

  [[nodiscard]] std::string decoded(std::string_view text) const {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%') {
        made.push_back(text[i]);
        continue;
      }
      const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
      if (high < 0 || low < 0) refuse("two hexadecimal digits follow a %");
      made.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
    return made;
  }

  template <class Number>
  [[nodiscard]] Number number(std::string_view text, const std::string& what) const {
    Number value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) refuse(what);
    return value;
  }

 private:
  const std::string& shown_;
};

// What is before a separator, which goes with it; all if there is none.
std::string_view take_to(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view taken = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return taken;
}

}  // namespace

bool redis_address::is_one(std::string_view text) {
  return text.starts_with(over_network) || text.starts_with(over_socket);
}

redis_address::redis_address(std::string_view text) {
  const std::string_view scheme = text.starts_with(over_network) ? over_network : over_socket;
  std::string_view rest = text.substr(scheme.size());
  const std::size_t slash = rest.find('/');
  const std::size_t at = rest.substr(0, slash).rfind('@');
  std::string_view login;
  if (at != std::string_view::npos) {
    login = rest.substr(0, at);
    rest = rest.substr(at + 1);
  }
  name = std::string(scheme) + std::string(rest);
  const parser as(name);
  if (!login.empty()) {
    if (login.find(':') == std::string_view::npos) as.refuse("a password follows USER and a colon");
    user = as.decoded(take_to(login, ':'));
    password = as.decoded(login);
  } else if (const char* given = std::getenv("REDISCLI_AUTH")) {
    password = given;
  }
  std::string_view place = take_to(rest, '?');
  if (!rest.empty()) {
    if (!rest.starts_with("db=")) as.refuse("only db=N may follow the question mark");
    database = as.number<std::uint64_t>(rest.substr(3), "db is a whole number");
  }
  if (scheme == over_socket) {
    const std::size_t last = place.rfind('/');
    if (last == std::string_view::npos || last == 0) {
      as.refuse("it has the form unix:///PATH/OF/SOCKET/KEY");
    }
    socket = as.decoded(place.substr(0, last));
    key = as.decoded(place.substr(last + 1));
  } else {
    std::string_view server = take_to(place, '/');
    key = as.decoded(place);
    if (server.starts_with('[')) {  // an address of IPv6
      server.remove_prefix(1);
      host = take_to(server, ']');
      if (!server.empty() && server.front() != ':') as.refuse("only :PORT may follow a ]");
      if (!server.empty()) server.remove_prefix(1);
      if (!server.empty()) port = as.number<std::uint16_t>(server, "a port is from 1 to 65535");
    } else {
      host = as.decoded(take_to(server, ':'));
      if (!server.empty()) port = as.number<std::uint16_t>(server, "a port is from 1 to 65535");
    }
    if (host.empty()) as.refuse("it has the form redis://HOST:PORT/KEY");
    if (port == 0) as.refuse("a port is from 1 to 65535");
  }
  if (key.empty()) as.refuse("it names no key");
  if (host.find('\0') != std::string::npos || socket.find('\0') != std::string::npos) {
    as.refuse("a server's name has no zero bytes");
  }
}

}  // namespace bloomery::cli
