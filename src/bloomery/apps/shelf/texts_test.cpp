#include "bloomery/apps/shelf/texts.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

TEST(texts, words_are_runs_of_letters_digits_and_underscores) {
  const std::string text = folded("It's e-mail: foo_bar2, na\xc3\xafve END");
  EXPECT_EQ(searchable_words(text),
            (std::vector<std::string_view>{"it", "s", "e", "mail", "foo_bar2", "na", "ve", "end"}));
  EXPECT_TRUE(searchable_words("").empty());
  EXPECT_TRUE(searchable_words(" \n\xff").empty());
}

TEST(texts, keys_of_a_query_are_among_those_of_what_has_it) {
  const hasher hash;
  std::mt19937_64 random(1);
  const std::string_view alphabet = "abAB_ \n-\xc3\xa9\0z";
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int j = 0; j < 40; ++j) text.push_back(alphabet[random() % alphabet.size()]);
    const auto among = [&](const std::vector<digest>& few, const std::vector<digest>& many) {
      return std::includes(many.begin(), many.end(), few.begin(), few.end());
    };
    const auto words = text_keys(text, keys_of::words, 0, hash);
    for (const std::string_view word : searchable_words(text)) {
      EXPECT_TRUE(among(text_keys(word, keys_of::words, 0, hash), words));
      EXPECT_TRUE(has_words(text, {std::string(word)}));
    }
    const auto grams = text_keys(text, keys_of::ngrams, 3, hash);
    const std::size_t at = random() % 30;
    const std::string part = text.substr(at, 3 + random() % 6);
    if (part.find('\n') != std::string::npos) continue;
    EXPECT_TRUE(among(text_keys(part, keys_of::ngrams, 3, hash), grams));
    EXPECT_TRUE(has_part(text, part));
  }
}

TEST(texts, keys_are_exactly_the_distinct_words_or_grams) {
  const hasher hash;
  std::set<std::string> truth;
  std::string text;
  std::mt19937_64 random(2);
  // More than the memory of recent ones, and more than once around.
  for (int i = 0; i < 60'000; ++i) {
    const std::string word = std::to_string(random() % 40'000);
    truth.insert(word);
    text += word + (i % 10 == 0 ? "\n" : " ");
  }
  std::vector<digest> expected;
  for (const std::string& word : truth) expected.push_back(hash(word));
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(text_keys(text, keys_of::words, 0, hash), expected);
  std::set<std::string> grams;
  for (std::size_t at = 0; at + 3 <= text.size(); ++at) grams.insert(text.substr(at, 3));
  std::erase_if(grams, [](const std::string& gram) { return gram.find('\n') != gram.npos; });
  EXPECT_EQ(text_keys(text, keys_of::ngrams, 3, hash).size(), grams.size());
}

TEST(texts, truth_is_by_whole_words_and_by_lines) {
  EXPECT_TRUE(has_words("a b c", {"C", "a"}));
  EXPECT_FALSE(has_words("a bc", {"c"}));
  EXPECT_TRUE(has_words("an e-mail", {"e-mail"}));
  EXPECT_FALSE(has_part("a\nb", "a b"));
}

}  // namespace
}  // namespace bloomery::apps
