#include "bloomery/apps/gate/speller.hpp"

#include <set>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

using forms_list = std::vector<std::string>;

TEST(speller, asks_for_the_forms_that_ispell_accepts) {
  EXPECT_EQ(speller::forms("word"), forms_list({"word"}));
  EXPECT_EQ(speller::forms("Word"), forms_list({"Word", "word"}));
  EXPECT_EQ(speller::forms("WORD"), forms_list({"WORD", "word", "Word"}));
  EXPECT_EQ(speller::forms("wOrd"), forms_list({"wOrd"}));
  EXPECT_EQ(speller::forms("McAdam"), forms_list({"McAdam"}));
  EXPECT_EQ(speller::forms("I"), forms_list({"I", "i"}));
  EXPECT_EQ(speller::forms("dog\u2019s"), forms_list({"dog's", "dog"}));
  EXPECT_EQ(speller::forms("DOG'S"), forms_list({"DOG'S", "dog's", "Dog's", "DOG", "dog", "Dog"}));
  EXPECT_EQ(speller::forms("\u00c9T\u00c9"),
            forms_list({"\u00c9T\u00c9", "\u00e9t\u00e9", "\u00c9t\u00e9"}));
  EXPECT_EQ(speller::forms("'s"), forms_list({"'s"}));
  EXPECT_EQ(speller::forms(""), forms_list());
}

// What is listed as it stands is asked for in one batch, and only the others form by form.
TEST(speller, asks_for_most_words_once) {
  const std::set<std::string_view> list{"the", "cat", "London"};
  std::vector<std::size_t> batches;
  const speller check([&](std::span<const std::string_view> texts, std::span<bool> answers) {
    batches.push_back(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) answers[i] = list.contains(texts[i]);
  });
  const auto words = words_of("The cat, the CAT'S LONDON; teh caat 4x4");
  std::array<bool, 8> answers{};
  ASSERT_EQ(words.size(), answers.size());
  check.accepts(words, answers);
  EXPECT_EQ(answers, (std::array{true, true, true, true, true, false, false, true}));
  EXPECT_EQ(batches.front(), words.size());
  EXPECT_EQ(batches.size(), 1U + 2 + 5 + 3 + 1 + 1);  // The, CAT'S, LONDON, teh, caat
}

}  // namespace
}  // namespace bloomery::apps
