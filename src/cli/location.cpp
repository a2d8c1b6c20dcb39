#include "location.hpp"

#include <array>

#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/wire/envelope.hpp"
#include "report.hpp"

namespace bloomery::cli {

location::location(const std::string& text) : text_(text) {
  if (text.empty()) fail(errc::invalid, "a filter's location cannot be empty");
  const std::size_t scheme = text.find("://");
  if (scheme != std::string::npos) {
    fail(errc::unsupported, "'" + text + "': locations of the form " + text.substr(0, scheme) +
                                ":// are not known; a filter is kept in a file");
  }
}

void location::save(const any_filter& filter) const {
  if (text_ == "-") return save(byte_view(bloomery::save(filter)));
  save_file(filter, text_);
}

bits::mapped_file location::read() const {
  constexpr std::uint64_t header_room = 1 << 20;
  return bits::map_file(input(), max_bits / 8 + header_room, wire::stated_bytes);
}

void location::save(byte_view bytes) const {
  if (text_ == "-") return print_text(text_of(bytes));
  bits::write_file(text_, std::array{bytes});
}

}  // namespace bloomery::cli
