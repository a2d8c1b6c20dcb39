// Characters of UTF-8, one at a time.
//
// Guarantee: what is not UTF-8, overlong forms and surrogates included, is no character.
//
//     const auto [bytes, number] = bloomery::core::first_character("\u00e9t\u00e9");
//     assert(bytes == 2 && number == 0xe9);
//     assert(bloomery::core::first_character("\xff").bytes == 0);
#pragma once

#include <cstddef>
#include <string_view>

namespace bloomery::core {

// Whether the byte goes on with a character that began before it.
constexpr bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

struct utf8_character {
  std::size_t bytes = 0;
  unsigned number = 0;
};
// The one at the start of a text that is not empty; of no bytes if there is none.
utf8_character first_character(std::string_view text);

}  // namespace bloomery::core
