// Text from outside, fit to be shown to a person.
//
// Purpose:   messages echo keys, paths and arguments. Control bytes, what is not UTF-8 and marks that
//            turn the direction of writing are escaped (\n, \x1b), so that no key is a command to a
//            terminal or a second line; what is long loses its middle.
// Guarantee: printable(printable(text)) is printable(text): who shows a message may do it again.
//
//     assert(bloomery::printable("a\nb\x1b[2J") == "a\\nb\\x1b[2J");
//     assert(bloomery::printable(std::string(1'000'000, 'a')).size() < 120);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomery {

// `most` bytes of the text are shown, and how many are not.
std::string printable(std::string_view text, std::size_t most = 80);

// The same, in single quotes.
std::string in_quotes(std::string_view text);

}  // namespace bloomery
