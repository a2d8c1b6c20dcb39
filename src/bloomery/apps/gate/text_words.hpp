// The words of a text, as a spelling checker sees them, and their lower case.
//
// Purpose:   what spelling and hyphenation share. A word is letters and digits, with apostrophes inside.
// Cost:      one pass, nothing copied but what is lowered.
// Guarantee: text is UTF-8; bytes that are not belong to no word. Of characters beyond ASCII those from
//            U+00C0 on are letters, but for × and ÷, punctuation and symbols (U+2000 to U+2BFF,
//            U+2E00 to U+2E7F, U+3000 to U+303F). Lower case is that of ASCII, Latin, Greek and
//            Cyrillic letters of two bytes, and takes as many bytes.
//
//     const auto words = bloomery::apps::words_of("Don't 'ask' the B2B \u00c9lys\u00e9e\u2014it\u2019s");
//     assert(words.size() == 6 && words[0].text == "Don't" && words[1].text == "ask");
//     assert(words[3].digits && words[5].text == "it\u2019s");
//     assert(bloomery::apps::in_lower_case(words[4].text) == "\u00e9lys\u00e9e");
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::apps {

struct text_word {
  std::string_view text;
  bool digits = false;  // it has some
};

// In the order of the text, of which they are parts.
std::vector<text_word> words_of(std::string_view text);

std::string in_lower_case(std::string_view text);

}  // namespace bloomery::apps
