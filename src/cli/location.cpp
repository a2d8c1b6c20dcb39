#include "location.hpp"

#include "bloomery/wire/envelope.hpp"

namespace bloomery::cli {

location::location(const std::string& text) : text_(text) {
  if (text.empty()) fail(errc::invalid, "a filter's location cannot be empty");
  const std::size_t scheme = text.find("://");
  if (scheme != std::string::npos) {
    fail(errc::unsupported, "'" + text + "': locations of the form " + text.substr(0, scheme) +
                                ":// are not known; a filter is kept in a file");
  }
}

bits::mapped_file location::read() const {
  constexpr std::uint64_t header_room = 1 << 20;
  return bits::map_file(input(), max_bits / 8 + header_room, wire::stated_bytes);
}

}  // namespace bloomery::cli
