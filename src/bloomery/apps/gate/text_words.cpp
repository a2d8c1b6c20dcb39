#include "bloomery/apps/gate/text_words.hpp"

#include <algorithm>

#include "bloomery/core/utf8.hpp"

namespace bloomery::apps {
namespace {

constexpr unsigned curly_apostrophe = 0x2019;

bool within(unsigned number, unsigned first, unsigned last) {
  return first <= number && number <= last;
}

bool is_letter(unsigned number) {
  if (number < 0x80) return within(number | 0x20U, 'a', 'z');
  return number >= 0xc0 && number != 0xd7 && number != 0xf7 && !within(number, 0x2000, 0x2bff) &&
         !within(number, 0x2e00, 0x2e7f) && !within(number, 0x3000, 0x303f);
}

// Of the letters that have one of two bytes; others are their own.
unsigned lower(unsigned number) {
  if (within(number, 'A', 'Z')) return number + 0x20;
  if (within(number, 0xc0, 0xde) && number != 0xd7) return number + 0x20;  // À to Þ
  // Latin Extended-A has pairs, the capital on even numbers but in two stretches. İ and ŉ, ĸ, ſ have no
  // partner beside them.
  if (within(number, 0x139, 0x148) || within(number, 0x179, 0x17e)) return number + number % 2;
  if (number == 0x178) return 0xff;  // Ÿ
  if (within(number, 0x100, 0x177) && number != 0x130 && number != 0x138 && number != 0x149) {
    return number | 1U;
  }
  if (number == 0x386) return 0x3ac;  // Greek capitals with an accent
  if (within(number, 0x388, 0x38a)) return number + 37;
  if (number == 0x38c) return 0x3cc;
  if (number == 0x38e || number == 0x38f) return number + 63;
  if (within(number, 0x391, 0x3ab) && number != 0x3a2) return number + 0x20;
  if (within(number, 0x400, 0x40f)) return number + 0x50;  // Cyrillic
  if (within(number, 0x410, 0x42f)) return number + 0x20;
  return number;
}

}  // namespace

std::vector<text_word> words_of(std::string_view text) {
  std::vector<text_word> words;
  std::size_t begin = 0;
  std::size_t end = 0;  // after the last letter or digit; an apostrophe counts if one follows
  bool digits = false;
  bool between = false;  // an apostrophe came after `end`
  const auto finish = [&] {
    if (end > begin) words.push_back({text.substr(begin, end - begin), digits});
    begin = end = 0;
    digits = between = false;
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto [size, number] = core::first_character(text.substr(at));
    const bool digit = within(number, '0', '9');
    if (size != 0 && (digit || is_letter(number))) {
      if (end == 0) begin = at;
      end = at + size;
      digits |= digit;
      between = false;
    } else if (end != 0 && !between && (number == '\'' || number == curly_apostrophe)) {
      between = true;
    } else {
      finish();
    }
    at += std::max<std::size_t>(size, 1);
  }
  finish();
  return words;
}

std::string in_lower_case(std::string_view text) {
  std::string lowered;
  lowered.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [size, number] = core::first_character(text.substr(at));
    const unsigned small = lower(number);
    if (size == 1) {
      lowered += static_cast<char>(small);
    } else if (size == 2) {
      lowered += static_cast<char>(0xc0U | small >> 6U);
      lowered += static_cast<char>(0x80U | (small & 0x3fU));
    } else {
      lowered += text.substr(at, std::max<std::size_t>(size, 1));
    }
    at += std::max<std::size_t>(size, 1);
  }
  return lowered;
}

}  // namespace bloomery::apps
