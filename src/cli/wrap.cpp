#include "wrap.hpp"

#include <algorithm>

namespace bloomery::cli {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

namespace {

// Where the word that begins there ends: "1 %" and what follows it, as in "1 %:", stay together.
std::size_t end_of_word(std::string_view text, std::size_t begin) {
  const auto next_end = [&](std::size_t from) {
    return std::min(text.find_first_of(" \n", from), text.size());
  };
  const std::size_t end = next_end(begin);
  return text.substr(end).starts_with(" %") ? next_end(end + 1) : end;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = end_of_word(text, spaces);
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
