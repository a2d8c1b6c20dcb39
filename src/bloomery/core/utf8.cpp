#include "bloomery/core/utf8.hpp"

#include <array>

namespace bloomery::core {

utf8_character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80U                     ? 1
                           : first >= 0xc2U && first < 0xe0U ? 2
                           : first >= 0xe0U && first < 0xf0U ? 3
                           : first >= 0xf0U && first < 0xf5U ? 4
                                                             : 0;
  if (size == 0 || size > text.size()) return {};
  unsigned number = size == 1 ? first : first & (0x7fU >> size);
  for (const char c : text.substr(1, size - 1)) {
    if (!continues(c)) return {};
    number = number << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  constexpr std::array<unsigned, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = number >= 0xd800 && number < 0xe000;
  if (number < least.at(size) || number > 0x10ffff || surrogate) return {};
  return {size, number};
}

}  // namespace bloomery::core
