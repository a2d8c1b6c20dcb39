#include "location.hpp"

#include <array>
#include <cstdio>
#include <vector>

#include "bloomery/bits/memory/file_writer.hpp"
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

any_filter location::open() const {
  return open_file(text_ == "-" ? "/dev/stdin" : text_);
}

any_filter location::load() const {
  return open().copy();
}

void location::save(const any_filter& filter) const {
  if (text_ != "-") {
    save_file(filter, text_);
    return;
  }
  save(byte_view(bloomery::save(filter)));
}

bits::mapped_file location::read() const {
  constexpr std::uint64_t header_room = 1 << 20;
  return bits::map_file(text_ == "-" ? "/dev/stdin" : text_, max_bits / 8 + header_room,
                        wire::stated_bytes);
}

void location::save(byte_view bytes) const {
  if (text_ != "-") {
    bits::write_file(text_, std::array{bytes});
  } else if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
    fail(errc::io, "standard output cannot be written");
  }
}

}  // namespace bloomery::cli
