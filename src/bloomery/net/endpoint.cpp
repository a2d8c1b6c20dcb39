#include "bloomery/net/endpoint.hpp"

#include <netdb.h>

#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::net {
namespace {

constexpr std::size_t longest_host = 255;  // as DNS has it

std::optional<std::uint16_t> port_in(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (problem != std::errc() || end != digits.data() + digits.size() || digits.empty()) return {};
  return port;
}

bool is_host(std::string_view host, std::string_view allowed) {
  return host.size() <= longest_host && host.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view in_names =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
constexpr std::string_view in_ipv6 =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:%-_";

std::optional<endpoint> endpoint_in(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::string_view host = text.substr(0, colon);
  const auto port = port_in(text.substr(colon + 1));
  if (!port) return {};
  if (host.starts_with('[')) {
    if (host.size() < 3 || !host.ends_with(']')) return {};
    host = host.substr(1, host.size() - 2);
    if (!is_host(host, in_ipv6) || host.find(':') == std::string_view::npos) return {};
  } else if (!is_host(host, in_names)) {
    return {};
  }
  return endpoint{std::string(host), *port};
}

}  // namespace

std::string endpoint::text() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool is_endpoint(std::string_view text) {
  return endpoint_in(text).has_value();
}

endpoint parse_endpoint(std::string_view text) {
  const std::optional<endpoint> found = endpoint_in(text);
  if (!found) {
    fail(errc::invalid, in_quotes(text) +
                            " is no address; allowed: HOST:PORT, [IPV6]:PORT or :PORT, with a "
                            "port of 0 to 65535");
  }
  return *found;
}

endpoint address::where() const {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const int problem = ::getnameinfo(get(), size, host.data(), host.size(), port.data(), port.size(),
                                    NI_NUMERICHOST | NI_NUMERICSERV);
  if (problem != 0) return {};
  return {host.data(), port_in(port.data()).value_or(0)};
}

std::vector<address> resolve(const endpoint& where, transport how, bool to_listen) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = how == transport::stream ? SOCK_STREAM : SOCK_DGRAM;
  wanted.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  addrinfo* list = nullptr;
  const int problem = ::getaddrinfo(where.host.empty() ? nullptr : where.host.c_str(),
                                    std::to_string(where.port).c_str(), &wanted, &list);
  if (problem != 0) fail(errc::io, where.text() + ": " + ::gai_strerror(problem));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(list, &::freeaddrinfo);
  std::vector<address> found;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    if (each->ai_addrlen > sizeof(sockaddr_storage)) continue;
    address& one = found.emplace_back();
    one.size = each->ai_addrlen;
    std::memcpy(&one.bytes, each->ai_addr, each->ai_addrlen);
  }
  if (found.empty()) fail(errc::io, where.text() + " has no address");
  return found;
}

}  // namespace bloomery::net
