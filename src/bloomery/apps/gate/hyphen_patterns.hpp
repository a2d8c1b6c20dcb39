// Where words may be hyphenated, by patterns as TeX and libhyphen have them.
//
// Purpose:   reads the .dic files of libhyphen, which Debian packages as hyphen-en-us and the like, and
//            gives for every word the places that libhyphen gives. The words of a text are in lower case
//            and in the encoding of the patterns.
// Cost:      reading takes 20 bytes of memory a byte of the file; a word, a few steps a letter.
// Guarantee: the file may be anything: errc::corrupt names the line. Patterns that change the spelling
//            (with a /) are errc::unsupported. A word longer than `longest_word` bytes has no places.
// Citation:  Liang, Word Hy-phen-a-tion by Com-put-er, 1983; for compounds the README of libhyphen.
//
//     const bloomery::apps::hyphen_patterns patterns(
//         "UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN 3\nhy3ph\nhe2n\nhena4\nhen5at\n1na\nn2at\n");
//     const std::vector<std::size_t> places = patterns.breaks("hyphenation");
//     assert(bloomery::apps::with_marks("hyphenation", places, "-") == "hy-phen-ation");
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::apps {

class hyphen_patterns {
 public:
  static constexpr std::size_t largest_file = std::size_t{4} << 20;
  static constexpr std::size_t longest_line = 98;  // bytes, as libhyphen's
  static constexpr std::size_t longest_word = 1000;

  explicit hyphen_patterns(std::string_view file);

  // The numbers of bytes after which a hyphen may stand, ascending. If `uses` are given, one for each
  // pattern of size(), those that take part are counted.
  [[nodiscard]] std::vector<std::size_t> breaks(std::string_view word,
                                                std::span<std::uint64_t> uses = {}) const;

  // Patterns of single words, not those that divide compounds.
  [[nodiscard]] std::size_t size() const { return levels_[1].patterns.size(); }
  // The same with only these patterns of single words, by their numbers in 0..size()-1.
  [[nodiscard]] hyphen_patterns with_only(std::span<const std::size_t> chosen) const;

  [[nodiscard]] const std::string& character_set() const { return character_set_; }
  [[nodiscard]] bool has_only_ascii() const { return ascii_; }

 private:
  struct pattern {
    std::string letters;
    std::string values;  // digits: between letters, from the first that is not 0
  };
  // A state is a prefix of patterns; where no letter leads on, the longest suffix that is a state does.
  struct state {
    std::uint32_t child = 0;  // 0: none
    std::uint32_t sibling = 0;
    std::uint32_t suffix = 0;
    std::uint32_t pattern = 0;  // its number and 1; 0: none ends here
    char letter = 0;
  };
  struct level {
    std::vector<pattern> patterns;
    std::vector<state> states{1};

    void add(std::string_view line);
    void find_suffixes();
    [[nodiscard]] std::uint32_t next(std::uint32_t from, char letter) const;
    [[nodiscard]] std::string values(std::string_view word, std::span<std::uint64_t> uses) const;
  };
  struct limits {
    std::size_t left = 0;
    std::size_t right = 0;
  };

  hyphen_patterns() = default;
  void read_line(std::string_view line, std::size_t at_level);
  void divide_compounds_at_hyphens();
  [[nodiscard]] std::string values(std::string_view word, bool left_end, bool right_end,
                                   std::span<std::uint64_t> uses) const;
  void clear_left(std::string_view word, std::size_t least, std::string& values) const;
  void clear_right(std::string_view word, std::size_t least, std::string& values) const;

  std::string character_set_;
  bool utf8_ = false;
  bool ascii_ = true;
  limits word_;
  limits part_;                     // of a compound
  std::vector<std::string> never_;  // no hyphen beside these
  std::array<level, 2> levels_;     // of compounds, of single words
};

// The word with a mark at each of the places.
std::string with_marks(std::string_view word, std::span<const std::size_t> places,
                       std::string_view mark);

}  // namespace bloomery::apps
