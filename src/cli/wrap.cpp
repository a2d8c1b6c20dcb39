#include "wrap.hpp"

#include <algorithm>

namespace bloomery::cli {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

// "1 %" stays together.
constexpr std::string_view percent = " %";

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
    std::size_t end = std::min(text.find_first_of(" \n", spaces), text.size());
    if (text.substr(end).starts_with(percent)) end += percent.size();
    const std::string_view word = text.substr(spaces, end - spaces);
    const bool line_began = column > indent;
    if (!word.empty() && line_began && column + spaces + width_of(word) > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!word.empty()) {
      result.append(spaces, ' ');
      column += spaces;
    }
    result += word;
    column += width_of(word);
    text.remove_prefix(end);
    if (text.starts_with('\n')) {
      result += "\n";
      text.remove_prefix(1);
      column = indent;
      if (!text.empty() && !text.starts_with('\n')) result.append(indent, ' ');
    }
  }
  return result;
}

}  // namespace bloomery::cli
