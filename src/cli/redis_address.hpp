// Where a filter is kept in a Redis server, as people write it:
//
//     redis://[[USER]:PASSWORD@]HOST[:PORT]/KEY[?db=N]
//     unix://[[USER]:PASSWORD@]/PATH/OF/SOCKET/KEY[?db=N]
//
// Of a socket the key is what follows the last slash. %XX stands for any byte, as for a slash in such a key, or
// a question mark in any. Without a password REDISCLI_AUTH is one, as it is for redis-cli.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery::cli {

struct redis_address {
  std::string host;  // or, of a socket, nothing
  std::uint16_t port = 6379;
  std::string socket;  // its path
  std::string user;
  std::string password;
  std::uint64_t database = 0;
  std::string key;
  std::string name;  // as it was written, but for the password, to be shown

  static bool is_one(std::string_view text);
  // errc::invalid, without the password, if it is none.
  explicit redis_address(std::string_view text);
};

}  // namespace bloomery::cli
