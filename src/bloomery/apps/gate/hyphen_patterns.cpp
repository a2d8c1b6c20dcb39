#include "bloomery/apps/gate/hyphen_patterns.hpp"

#include <algorithm>
#include <charconv>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/utf8.hpp"

namespace bloomery::apps {
namespace {

bool is_digit_byte(char c) {
  return c >= '0' && c <= '9';
}
bool is_odd(char value) {
  return value % 2 != 0;  // as digits are
}

// Digits end words as the edges do.
std::string dotted(std::string_view word) {
  std::string result(word);
  std::ranges::replace_if(result, is_digit_byte, '.');
  return result;
}

// What counts beside the one character that a ligature of three letters is: U+FB03 and U+FB04.
std::size_t further_letters(std::string_view text) {
  return text.starts_with("\ufb03") || text.starts_with("\ufb04") ? 1 : 0;
}

std::size_t number_after(std::string_view keyword, std::string_view line) {
  std::string_view digits = line.substr(keyword.size());
  digits.remove_prefix(std::min(digits.find_first_not_of(" \t"), digits.size()));
  while (!digits.empty() && static_cast<unsigned char>(digits.back()) <= ' ')
    digits.remove_suffix(1);
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc{} || end != digits.data() + digits.size() || number > 100) {
    fail(errc::corrupt, std::string(keyword) + " is " + in_quotes(digits) + "; allowed: 0 to 100");
  }
  return number;
}

// Takes the first line off a text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void hyphen_patterns::level::add(std::string_view line) {
  pattern read{.letters = {}, .values = "0"};
  for (const char c : line) {
    if (static_cast<unsigned char>(c) <= ' ') break;
    if (is_digit_byte(c)) {
      read.values.back() = c;
    } else {
      read.letters += c;
      read.values += '0';
    }
  }
  if (read.letters.empty()) return;
  read.values.erase(0, std::min(read.values.find_first_not_of('0'), read.values.size()));
  std::uint32_t at = 0;
  for (const char letter : read.letters) {
    std::uint32_t* link = &states[at].child;
    while (*link != 0 && states[*link].letter != letter) link = &states[*link].sibling;
    at = *link;
    if (at != 0) continue;
    at = *link = static_cast<std::uint32_t>(states.size());
    states.push_back({.letter = letter});
  }
  // The same letters again are a better pattern for them.
  if (states[at].pattern != 0) {
    patterns[states[at].pattern - 1] = std::move(read);
    return;
  }
  patterns.push_back(std::move(read));
  states[at].pattern = static_cast<std::uint32_t>(patterns.size());
}

std::uint32_t hyphen_patterns::level::next(std::uint32_t from, char letter) const {
  std::uint32_t at = states[from].child;
  while (at != 0 && states[at].letter != letter) at = states[at].sibling;
  return at;
}

// Breadth first, as Aho and Corasick do it.
void hyphen_patterns::level::find_suffixes() {
  std::vector<std::uint32_t> order{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t at = order[i];
    for (std::uint32_t child = states[at].child; child != 0; child = states[child].sibling) {
      order.push_back(child);
      if (at == 0) continue;
      std::uint32_t suffix = states[at].suffix;
      while (suffix != 0 && next(suffix, states[child].letter) == 0) suffix = states[suffix].suffix;
      states[child].suffix = next(suffix, states[child].letter);
    }
  }
}

// After each byte. As in libhyphen, whose files list them, a pattern that ends at a letter counts only if
// no longer one has come as far.
std::string hyphen_patterns::level::values(std::string_view word,
                                           std::span<std::uint64_t> uses) const {
  const std::string text = "." + dotted(word) + ".";
  std::string found(text.size(), '0');
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint32_t to = next(at, text[i]);
    while (to == 0 && at != 0) to = next(at = states[at].suffix, text[i]);
    at = to;
    if (states[at].pattern == 0) continue;
    const std::size_t number = states[at].pattern - 1;
    if (!uses.empty()) ++uses[number];
    const std::string& values = patterns[number].values;  // the last is that after this letter
    for (std::size_t k = values.size() > i + 1 ? 1 : 0; k < values.size(); ++k) {
      char& here = found[i + 1 + k - values.size()];
      here = std::max(here, values[k]);
    }
  }
  found.erase(0, 1);
  found.resize(word.size());
  if (!found.empty()) found.back() = '0';
  return found;
}

hyphen_patterns::hyphen_patterns(std::string_view file) {
  if (file.size() > largest_file) {
    fail(errc::limit, "patterns of " + format_size(file.size()) + " are larger than the largest, " +
                          format_size(largest_file));
  }
  ascii_ = std::ranges::all_of(file, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::size_t number = 1;
  std::size_t at_level = 0;
  try {
    character_set_ = take_line(file);
    const bool plain =
        std::ranges::all_of(character_set_, [](char c) { return c > ' ' && c < 0x7f; });
    if (character_set_.empty() || character_set_.size() > 19 || !plain ||
        character_set_[0] == '%') {
      fail(errc::corrupt, "the character set is " + in_quotes(character_set_) +
                              "; expected UTF-8 or the like, as patterns for libhyphen begin");
    }
    utf8_ = character_set_ == "UTF-8";
    while (!file.empty()) {
      const std::string_view line = take_line(file);
      ++number;
      if (line.starts_with("NEXTLEVEL")) {
        if (++at_level > 1) fail(errc::corrupt, "a third level; patterns have one or two");
      } else if (!line.starts_with('%')) {
        read_line(line, at_level);
      }
    }
  } catch (const error& problem) {
    fail(problem.code(), "line " + std::to_string(number) + ": " + problem.what());
  }
  if (at_level == 0) divide_compounds_at_hyphens();
  for (level& each : levels_) each.find_suffixes();
}

void hyphen_patterns::read_line(std::string_view line, std::size_t at_level) {
  if (line.size() > longest_line) {
    fail(errc::corrupt, "a pattern of " + format_size(line.size()) +
                            "; allowed: " + std::to_string(longest_line) + " bytes");
  }
  // Only those of the first level count.
  limits ignored;
  limits& word = at_level == 0 ? word_ : ignored;
  limits& part = at_level == 0 ? part_ : ignored;
  const auto sets = [&](std::string_view keyword, std::size_t& value) {
    if (!line.starts_with(keyword)) return false;
    value = number_after(keyword, line);
    return true;
  };
  if (sets("LEFTHYPHENMIN", word.left) || sets("RIGHTHYPHENMIN", word.right) ||
      sets("COMPOUNDLEFTHYPHENMIN", part.left) || sets("COMPOUNDRIGHTHYPHENMIN", part.right)) {
    return;
  }
  constexpr std::string_view never = "NOHYPHEN";
  if (line.starts_with(never)) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t", never.size()), line.size()));
    if (at_level == 0) never_.clear();
    while (!line.empty() && at_level == 0) {
      const std::size_t end = std::min(line.find(','), line.size());
      if (end > 0) never_.emplace_back(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return;
  }
  if (line.find('/') != std::string_view::npos) {
    fail(errc::unsupported,
         "the pattern " + in_quotes(line) + " changes the spelling, which is not done here");
  }
  levels_[at_level].add(line);
}

// What libhyphen does where a file has but one level.
void hyphen_patterns::divide_compounds_at_hyphens() {
  std::swap(levels_[0], levels_[1]);
  never_ = {"'", "-"};
  if (utf8_) never_.insert(never_.end(), {"\u2013", "\u2019"});
  for (const std::string& divider : never_) levels_[0].add("1" + divider + "1");
  const auto or_else = [](std::size_t part, std::size_t word) {
    return part != 0 ? part : word != 0 ? word : 3;
  };
  part_ = {or_else(part_.left, word_.left), or_else(part_.right, word_.right)};
}

hyphen_patterns hyphen_patterns::with_only(std::span<const std::size_t> chosen) const {
  hyphen_patterns fewer;
  fewer.character_set_ = character_set_;
  fewer.utf8_ = utf8_;
  fewer.ascii_ = ascii_;
  fewer.word_ = word_;
  fewer.part_ = part_;
  fewer.never_ = never_;
  fewer.levels_[0] = levels_[0];
  for (const std::size_t number : chosen) {
    const pattern& kept = levels_[1].patterns.at(number);
    // As it was read: the values that were left out in front are zeros.
    std::string values = kept.values;
    values.insert(0, kept.letters.size() + 1 - values.size(), '0');
    std::string line;
    for (std::size_t i = 0; i < kept.letters.size(); ++i) {
      line += values[i];
      line += kept.letters[i];
    }
    fewer.levels_[1].add(line + values.back());
  }
  fewer.levels_[1].find_suffixes();
  return fewer;
}

// A compound is divided, and each part likewise, until a part is a single word.
std::string hyphen_patterns::values(std::string_view word, bool left_end, bool right_end,
                                    std::span<std::uint64_t> uses) const {
  std::string found = levels_[0].values(word, {});
  std::string plain = dotted(word);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool divided = is_odd(found[i]);
    if (!divided && (begin == 0 || i + 1 < word.size())) continue;
    // As in libhyphen 2.8.8, parts of two bytes are not broken, nor is any before its last.
    if (i > begin + 1) {
      const std::string inside = values(std::string_view(plain).substr(begin, i - begin + 1),
                                        begin == 0 && left_end, !divided && right_end, uses);
      found.replace(begin, i - begin - 1, inside, 0, i - begin - 1);
      if (i + 1 < word.size()) plain[i + 1] = word[i + 1];  // a digit again, as there
    }
    begin = i + 1;
  }
  if (begin > 0) return found;
  found = levels_[1].values(word, uses);
  if (!left_end) clear_left(word, part_.left, found);
  if (!right_end) clear_right(word, part_.right, found);
  return found;
}

void hyphen_patterns::clear_left(std::string_view word, std::size_t least,
                                 std::string& values) const {
  // Leading digits do not count as letters.
  const auto digits = std::ranges::find_if_not(word, is_digit_byte) - word.begin();
  const std::size_t wanted = least + static_cast<std::size_t>(digits);
  std::size_t letters = 1 + (utf8_ ? further_letters(word) : 0);
  for (std::size_t j = 0; letters < wanted && j < word.size(); ++letters) {
    do {
      values[j++] = '0';
      if (utf8_) letters += further_letters(word.substr(j));
    } while (j < word.size() && utf8_ && core::continues(word[j]));
  }
}

void hyphen_patterns::clear_right(std::string_view word, std::size_t least,
                                  std::string& values) const {
  std::size_t wanted = least;
  for (std::size_t j = word.size(); j > 1 && is_digit_byte(word[j - 1]); --j) ++wanted;
  std::size_t letters = 0;
  for (std::size_t j = word.size(); j > 1 && letters < wanted; --j) {
    values[j - 1] = '0';
    if (!utf8_ || !core::continues(word[j - 1])) ++letters;
  }
}

std::vector<std::size_t> hyphen_patterns::breaks(std::string_view word,
                                                 std::span<std::uint64_t> uses) const {
  std::vector<std::size_t> places;
  if (word.empty() || word.size() > longest_word) return places;
  std::string found = values(word, true, true, uses);
  clear_left(word, word_.left != 0 ? word_.left : 2, found);
  clear_right(word, word_.right != 0 ? word_.right : 2, found);
  for (const std::string& beside : never_) {
    for (std::size_t at = word.find(beside); at != std::string_view::npos;
         at = word.find(beside, at + 1)) {
      found[at + beside.size() - 1] = '0';
      if (at > 0) found[at - 1] = '0';
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_odd(found[i])) places.push_back(i + 1);
  }
  return places;
}

std::string with_marks(std::string_view word, std::span<const std::size_t> places,
                       std::string_view mark) {
  std::string marked;
  std::size_t begin = 0;
  for (const std::size_t place : places) {
    marked.append(word.substr(begin, place - begin)).append(mark);
    begin = place;
  }
  return marked.append(word.substr(begin));
}

}  // namespace bloomery::apps
