#include "location.hpp"

#include <cstdio>
#include <vector>

#include "bloomery/core/error.hpp"

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
  const std::vector<std::byte> bytes = bloomery::save(filter);
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
    fail(errc::io, "standard output cannot be written");
  }
}

}  // namespace bloomery::cli
