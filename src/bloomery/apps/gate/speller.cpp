#include "bloomery/apps/gate/speller.hpp"

#include <algorithm>

#include "bloomery/core/utf8.hpp"

namespace bloomery::apps {
namespace {

// Most words have none, and are then not copied.
std::string straightened(std::string_view word) {
  constexpr std::string_view curly = "\u2019";
  std::string straight;
  for (std::size_t at = word.find(curly); at != std::string_view::npos; at = word.find(curly)) {
    straight.append(word.substr(0, at)).push_back('\'');
    word.remove_prefix(at + curly.size());
  }
  return straight.append(word);
}

// The word in the cases in which a list may have it, for which it stands in running text.
void append_cases(const std::string& word, std::vector<std::string>& forms) {
  forms.push_back(word);
  const std::string small = in_lower_case(word);
  const std::size_t first = std::max<std::size_t>(core::first_character(word).bytes, 1);
  if (small.compare(0, first, word, 0, first) == 0) return;  // begins with no capital
  if (small.compare(first, std::string::npos, word, first) == 0) {
    forms.push_back(small);  // The: the
    return;
  }
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t size = std::max<std::size_t>(core::first_character(word.substr(at)).bytes, 1);
    if (word[at] != '\'' && small.compare(at, size, word, at, size) == 0) return;  // mixed
    at += size;
  }
  forms.push_back(small);                                        // LONDON: london
  forms.push_back(word.substr(0, first) + small.substr(first));  // or London
}

}  // namespace

std::vector<std::string> speller::forms(std::string_view word) {
  const std::string straight = straightened(word);
  std::vector<std::string> forms;
  if (straight.empty()) return forms;
  append_cases(straight, forms);
  const bool possessive = straight.ends_with("'s") || straight.ends_with("'S");
  if (possessive && straight.size() > 2) {
    append_cases(straight.substr(0, straight.size() - 2), forms);
  }
  return forms;
}

void speller::accepts(std::span<const text_word> words, std::span<bool> answers) const {
  std::vector<std::string_view> texts;
  texts.reserve(words.size());
  for (const text_word& word : words) texts.push_back(word.text);
  listed_(texts, answers);
  for (std::size_t i = 0; i < words.size(); ++i) {
    answers[i] = answers[i] || words[i].digits || accepts(words[i].text);
  }
}

bool speller::accepts(std::string_view word) const {
  const std::vector<std::string> all = forms(word);
  return std::ranges::any_of(all, [&](const std::string& form) {
    const std::string_view text = form;
    bool answer = false;
    listed_({&text, 1}, {&answer, 1});
    return answer;
  });
}

}  // namespace bloomery::apps
