#include "bloomery/core/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "bloomery/core/units.hpp"
#include "bloomery/core/utf8.hpp"

namespace bloomery {
namespace {

bool commands(unsigned number) {
  return number < 0x20 || (number >= 0x7f && number < 0xa0) ||  // control characters
         (number >= 0x2028 && number <= 0x202e) ||              // other line ends, directions
         (number >= 0x2066 && number <= 0x2069) || number == 0xfeff;
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [size, number] = core::first_character(text);
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
  while (head > 0 && core::continues(text[head])) --head;
  while (tail < text.size() && core::continues(text[tail])) ++tail;
  return escaped(text.substr(0, head)) + "[... " + format_count(tail - head) + " bytes ...]" +
         escaped(text.substr(tail));
}

std::string in_quotes(std::string_view text) {
  return "'" + printable(text) + "'";
}

}  // namespace bloomery
