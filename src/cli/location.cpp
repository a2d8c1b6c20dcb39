#include "location.hpp"

#include "bloomery/core/printable.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::cli {
namespace {

std::vector<std::string>& opened_names() {
  static std::vector<std::string> names;
  return names;
}

}  // namespace

std::string named_problem(const error& problem) {
  const std::string message = problem.what();
  const bool of_the_filter = problem.code() == errc::unsupported ||
                             problem.code() == errc::incompatible ||
                             problem.code() == errc::read_only;
  const bool alone = opened_names().size() == 1 && opened_names().front() != "-";
  if (!of_the_filter || !alone || message.find(opened_names().front()) != std::string::npos) {
    return message;
  }
  return opened_names().front() + ": " + message;
}

location::location(const std::string& text) : text_(text) {
  if (text.empty()) fail(errc::invalid, "a filter's location cannot be empty");
  const std::size_t scheme = text.find("://");
  if (scheme != std::string::npos) {
    fail(errc::unsupported, in_quotes(text) + ": locations of the form " +
                                printable(text.substr(0, scheme)) +
                                ":// are not known; a filter is kept in a file");
  }
}

any_filter location::open() const {
  opened_names().push_back(text_);
  return open_file(input());
}

bits::mapped_file location::read() const {
  constexpr std::uint64_t header_room = 1 << 20;
  return bits::map_file(input(), max_bits / 8 + header_room, wire::stated_bytes);
}

}  // namespace bloomery::cli
