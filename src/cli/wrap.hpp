// Text in lines that fit the page of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomery::cli {

inline constexpr std::size_t page_width = 80;

// Display width: bytes that start a UTF-8 character.
std::size_t width_of(std::string_view text);

// The text, from column `indent` on, broken at spaces so that no line passes column `width`. What stands
// before its first line is the caller's; further lines begin with `indent` spaces. Its own line breaks
// stay; a word that is too long for a line has one to itself.
std::string wrapped(std::string_view text, std::size_t width = page_width, std::size_t indent = 0);

}  // namespace bloomery::cli
