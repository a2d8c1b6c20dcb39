#include "bloomery/core/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "bloomery/core/units.hpp"

namespace bloomery {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

// The bytes of the character at the start, and its number; no bytes if it is not UTF-8.
std::pair<std::size_t, unsigned> character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80U                     ? 1
                           : first >= 0xc2U && first < 0xe0U ? 2
                           : first >= 0xe0U && first < 0xf0U ? 3
                           : first >= 0xf0U && first < 0xf5U ? 4
                                                             : 0;
  if (size == 0 || size > text.size()) return {0, 0};
  unsigned number = size == 1 ? first : first & (0x7fU >> size);
  for (const char c : text.substr(1, size - 1)) {
    if (!continues(c)) return {0, 0};
    number = number << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  constexpr std::array<unsigned, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = number >= 0xd800 && number < 0xe000;
  if (number < least.at(size) || number > 0x10ffff || surrogate) return {0, 0};
  return {size, number};
}

bool commands(unsigned number) {
  return number < 0x20 || (number >= 0x7f && number < 0xa0) ||  // control characters
         (number >= 0x2028 && number <= 0x202e) ||              // other line ends, directions
         (number >= 0x2066 && number <= 0x2069) || number == 0xfeff;
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [size, number] = character(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(size, 1));
    if (size != 0 && !commands(number)) {
      result += bytes;
    } else if (bytes == "\n" || bytes == "\t" || bytes == "\r") {
      result += bytes == "\n" ? "\\n" : bytes == "\t" ? "\\t" : "\\r";
    } else {
      for (const char c : bytes) {
        std::array<char, 8> code{};
        std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(c));
        result += code.data();
      }
    }
    text.remove_prefix(bytes.size());
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  constexpr std::size_t slack = 40;  // what "and so many bytes" takes: shortening must shorten
  if (text.size() <= most + slack) return escaped(text);
  std::size_t head = most * 3 / 4;
  std::size_t tail = text.size() - (most - head);
  while (head > 0 && continues(text[head])) --head;
  while (tail < text.size() && continues(text[tail])) ++tail;
  return escaped(text.substr(0, head)) + "[... " + format_count(tail - head) + " bytes ...]" +
         escaped(text.substr(tail));
}

std::string in_quotes(std::string_view text) {
  return "'" + printable(text) + "'";
}

}  // namespace bloomery
