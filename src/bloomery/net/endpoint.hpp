// Where somebody listens: a host and a port.
//
// Purpose:   addresses as people write them: `host:port`, `192.0.2.7:80`, `[2001:db8::1]:80`, and `:80` for
//            every address of this machine. An IPv6 address stands in brackets, or its last colon would be the port's.
// Guarantee: what is printed is parsed as the same endpoint. Names are looked up by `resolve` only.
//
//     const auto there = bloomery::net::parse_endpoint("[::1]:7000");
//     assert(there.host == "::1" && there.port == 7000 && there.text() == "[::1]:7000");
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::net {

struct endpoint {
  std::string host;  // a name, an address without brackets, or empty for all of this machine
  std::uint16_t port = 0;

  [[nodiscard]] std::string text() const;
  friend bool operator==(const endpoint&, const endpoint&) = default;
};

// errc::invalid, with what is accepted, if it is none.
endpoint parse_endpoint(std::string_view text);
// Whether the text has the form of one, as a command of a shell does not.
bool is_endpoint(std::string_view text);

// An address as the system has it.
struct address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
  [[nodiscard]] int family() const { return bytes.ss_family; }
  [[nodiscard]] endpoint where() const;  // with a numeric host
  friend bool operator==(const address& a, const address& b) { return a.where() == b.where(); }
};

enum class transport { stream, datagram };

// All addresses of an endpoint, at least one; errc::io if the name is unknown.
std::vector<address> resolve(const endpoint& where, transport how, bool to_listen);

}  // namespace bloomery::net
