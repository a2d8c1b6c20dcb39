#include "bloomery/apps/gate/hyphen_patterns.hpp"

#include "testing.hpp"

// What libhyphen says of whole dictionaries is compared in tests/cli_words_test.py.
namespace bloomery::apps {
namespace {

std::string hyphenated(const hyphen_patterns& patterns, std::string_view word) {
  return with_marks(word, patterns.breaks(word), "=");
}

// The example of Liang's thesis: hy3ph he2n hena4 hen5at 1na n2at 1tio 2io.
TEST(hyphen_patterns, hyphenate_as_liang_does) {
  const hyphen_patterns liang(
      "UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN 3\n% a "
      "comment\nhy3ph\nhe2n\nhena4\nhen5at\n1na\nn2at\n"
      "1tio\n2io\no2n\n");
  EXPECT_EQ(hyphenated(liang, "hyphenation"), "hy=phen=ation");
  EXPECT_EQ(hyphenated(liang, "nanana"), "na=nana");  // three letters stay at the end
  EXPECT_EQ(hyphenated(liang, ""), "");
  EXPECT_EQ(liang.size(), 9);
}

TEST(hyphen_patterns, know_the_edges_of_words_and_take_digits_for_such) {
  const hyphen_patterns edges("UTF-8\nLEFTHYPHENMIN 1\nRIGHTHYPHENMIN 1\n.a1\n1z.\n");
  EXPECT_EQ(hyphenated(edges, "aabz"), "a=ab=z");
  EXPECT_EQ(hyphenated(edges, "z9abz"), "z9a=b=z");
}

// Only the pattern that ends at the letter and is the longest begun one counts, as in libhyphen.
TEST(hyphen_patterns, count_where_no_longer_one_has_come_as_far) {
  const hyphen_patterns two("UTF-8\na1b\nxab4cd\n");
  EXPECT_EQ(hyphenated(two, "yyabyy"), "yya=byy");
  EXPECT_EQ(hyphenated(two, "yxabyy"), "yxabyy");
}

TEST(hyphen_patterns, later_ones_replace_those_of_the_same_letters) {
  const hyphen_patterns twice("UTF-8\na1b\na2b\n");
  EXPECT_EQ(twice.size(), 1);
  EXPECT_EQ(hyphenated(twice, "xxabxx"), "xxabxx");
}

TEST(hyphen_patterns, divide_compounds_at_hyphens_and_apostrophes_without_adding_any) {
  const hyphen_patterns all("UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN 2\na1\n");
  EXPECT_EQ(hyphenated(all, "babab-babab"), "ba=bab-ba=bab");
  EXPECT_EQ(hyphenated(all, "babab\u2019bab"), "ba=bab\u2019bab");
  EXPECT_EQ(hyphenated(all, "ba'babab"), "ba'ba=bab");
}

TEST(hyphen_patterns, have_a_level_for_compounds) {
  const hyphen_patterns two(
      "UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN 2\nCOMPOUNDLEFTHYPHENMIN 2\nCOMPOUNDRIGHTHYPHENMIN "
      "3\n"
      "NOHYPHEN q\n.foot1\nNEXTLEVEL\no1\na1\n");
  EXPECT_EQ(hyphenated(two, "footbaball"), "foot=ba=ba=ll");
  EXPECT_EQ(hyphenated(two, "footqaball"), "footqa=ba=ll");
  EXPECT_EQ(hyphenated(two, "baball"), "ba=ba=ll");
}

TEST(hyphen_patterns, count_characters_and_not_bytes_unless_the_file_has_bytes) {
  const std::string patterns = "LEFTHYPHENMIN 3\nRIGHTHYPHENMIN 3\n\u00e91\na1\n";
  const std::string word = "\u00e9\u00e9\u00e9\u00e9a\u00e9\u00e9";
  EXPECT_EQ(hyphenated(hyphen_patterns("UTF-8\n" + patterns), word),
            "\u00e9\u00e9\u00e9=\u00e9=a\u00e9\u00e9");
  EXPECT_EQ(hyphenated(hyphen_patterns("ISO8859-1\n" + patterns), word),
            "\u00e9\u00e9=\u00e9=\u00e9=a=\u00e9\u00e9");
}

TEST(hyphen_patterns, with_only_some_are_those_of_a_shorter_file) {
  const hyphen_patterns all("UTF-8\nRIGHTHYPHENMIN 2\na1b\ny3ab\nab1c2\n.x4a\n");
  const std::array<std::size_t, 2> chosen{2, 0};
  const hyphen_patterns some = all.with_only(chosen);
  const hyphen_patterns expected("UTF-8\nRIGHTHYPHENMIN 2\nab1c2\na1b\n");
  EXPECT_EQ(some.size(), 2);
  for (const std::string word : {"xxabcxx", "yyabyy", "xabcab", "abcabc"}) {
    EXPECT_EQ(hyphenated(some, word), hyphenated(expected, word));
  }
  EXPECT_NE(hyphenated(some, "yyabyy"), hyphenated(all, "yyabyy"));
}

TEST(hyphen_patterns, count_their_uses) {
  const hyphen_patterns all("UTF-8\na1b\nb1c\nzzz\n");
  std::vector<std::uint64_t> uses(all.size());
  (void)all.breaks("abcab", uses);
  EXPECT_EQ(uses, std::vector<std::uint64_t>({2, 1, 0}));
}

TEST(hyphen_patterns, refuse_what_is_none_by_line) {
  const auto refused = [](errc code, const std::string& says, const std::string& file) {
    EXPECT_TRUE(testing::throws_error(code, says, [&] { hyphen_patterns{file}; })) << file;
  };
  refused(errc::corrupt, "line 1: the character set", "");
  refused(errc::corrupt, "line 1", "% Liang's\nUTF-8\n");
  refused(errc::corrupt, "line 1", std::string("\x7f\x45\x4c\x46\0\0", 6));
  refused(errc::corrupt, "line 1", std::string(1 << 20, 'x'));
  refused(errc::corrupt, "line 3: LEFTHYPHENMIN is 'x'", "UTF-8\na1\nLEFTHYPHENMIN x\n");
  refused(errc::corrupt, "0 to 100", "UTF-8\nRIGHTHYPHENMIN 101\n");
  refused(errc::corrupt, "line 2: a pattern", "UTF-8\n" + std::string(99, 'a'));
  refused(errc::corrupt, "line 3: a third level", "UTF-8\nNEXTLEVEL\nNEXTLEVEL\n");
  refused(errc::unsupported, "line 2: the pattern 'c1k/k=k'", "UTF-8\nc1k/k=k\n");
  refused(errc::limit, "larger than the largest",
          "UTF-8\n" + std::string(hyphen_patterns::largest_file, '\n'));
}

// Each part of the compound is one letter shorter than the last: as deep as it can get.
TEST(hyphen_patterns, bear_the_longest_word_and_leave_longer_ones_alone) {
  const hyphen_patterns deep("UTF-8\n.a1\nNEXTLEVEL\nzz1\n");
  const std::string longest(hyphen_patterns::longest_word, 'a');
  EXPECT_GT(deep.breaks(longest).size(), 0);
  EXPECT_EQ(deep.breaks(longest + "a").size(), 0);
  const hyphen_patterns every("UTF-8\na1\n");
  EXPECT_EQ(every.breaks(longest).size(), longest.size() - 3);
}

}  // namespace
}  // namespace bloomery::apps
