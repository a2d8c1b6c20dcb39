#include "bloomery/apps/gate/ruled_hyphenation.hpp"

#include "testing.hpp"

namespace bloomery::apps {
namespace {

// Words of a few letters, with patterns that contradict each other often.
const hyphen_patterns& contradicting() {
  static const hyphen_patterns all(
      "UTF-8\nLEFTHYPHENMIN 1\nRIGHTHYPHENMIN 1\na1b\nb1a\nab2a\nba2b\nabba3\n.aa1\nb3b\nbbb2\n");
  return all;
}
std::vector<std::string> words_of_two_letters() {
  std::vector<std::string> words;
  for (unsigned length = 1; length <= 12; ++length) {
    for (unsigned bits = 0; bits < 1U << length; ++bits) {
      std::string word;
      for (unsigned i = 0; i < length; ++i) word += (bits >> i & 1U) != 0 ? 'b' : 'a';
      words.push_back(word);
    }
  }
  return words;
}

TEST(ruled_hyphenation, is_that_of_all_patterns_for_every_word_of_the_list) {
  const auto words = words_of_two_letters();
  for (const std::uint64_t rules : {0U, 3U, 8U, 100U}) {
    const ruled_hyphenation ruled(contradicting(), words, {.rules = rules});
    ledger book;
    for (const std::string& word : words) {
      ASSERT_EQ(ruled.breaks(word, book), contradicting().breaks(word)) << word;
    }
    EXPECT_EQ(book.true_positives(), ruled.exceptions());
    EXPECT_EQ(book.asked(), words.size());
    EXPECT_EQ(ruled.exceptions() == 0, rules >= 8);
  }
}

TEST(ruled_hyphenation, keeps_the_patterns_that_are_used_most) {
  const hyphen_patterns all("UTF-8\nc1d\na1b\ne1f\n");
  const std::vector<std::string> words{"xxabxx", "yyabyy", "zzefzz", "uuefuu", "vvefvv", "xxcdxx"};
  const ruled_hyphenation ruled(all, words, {.rules = 2});
  EXPECT_EQ(ruled.rules().size(), 2);
  EXPECT_EQ(ruled.rules().breaks("zzefzz").size(), 1);
  EXPECT_EQ(ruled.rules().breaks("xxcdxx").size(), 0);
  EXPECT_EQ(ruled.exceptions(), 1);
}

TEST(ruled_hyphenation, takes_the_kind_that_is_asked_for) {
  const auto words = words_of_two_letters();
  const ruled_hyphenation ruled(contradicting(), words, {.rules = 3, .kind = "cuckoo"});
  EXPECT_EQ(ruled.filter().kind().info.name, "cuckoo");
}

}  // namespace
}  // namespace bloomery::apps
