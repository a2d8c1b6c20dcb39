#include "bloomery/filters/kind.hpp"

#include "bloomery/core/error.hpp"

namespace bloomery {

std::string a_filter(std::string_view kind) {
  const bool vowel = std::string_view("aeio").find(kind.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(kind) + " filter";
}

void refuse(std::string_view kind, std::string_view what, std::string_view why) {
  fail(errc::unsupported, a_filter(kind) + " cannot " + std::string(what) +
                              (why.empty() ? "" : ": " + std::string(why)));
}

void detail::refuse_moved() {
  fail(errc::invalid, "the filter has been moved into another and holds nothing any more");
}

void detail::refuse_lengths(std::size_t keys, std::size_t answers) {
  fail(errc::invalid, "there are " + std::to_string(keys) + " keys and room for " +
                          std::to_string(answers) + " answers");
}

}  // namespace bloomery
