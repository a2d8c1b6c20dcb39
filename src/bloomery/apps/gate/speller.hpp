// Which words of a text a list does not have, where the list may be only a filter of it.
//
// Purpose:   spelling by a filter of a dictionary, a tenth of its size: any kind that answers for texts.
// Cost:      one look-up for most words; up to six for one in capitals with 's that is not listed.
// Guarantee: a listed word is accepted, also with a capital, in capitals and with 's, as ispell does;
//            what is not is accepted at the filter's rate for each form that is asked for. Words with
//            digits are not asked for.
// Citation:  McIlroy 1982; Mullin, Margoliash 1990; Broder–Mitzenmacher §3.1.
//
//     const std::set<std::string_view> list{"the", "London", "AOL"};
//     const bloomery::apps::speller check([&](auto texts, auto answers) {
//       for (std::size_t i = 0; i < texts.size(); ++i) answers[i] = list.contains(texts[i]);
//     });
//     assert(check.accepts("The") && check.accepts("LONDON'S") && check.accepts("AOL"));
//     assert(!check.accepts("london") && !check.accepts("aol") && !check.accepts("tHe"));
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/gate/text_words.hpp"

namespace bloomery::apps {

class speller {
 public:
  // Says for each text whether the list may have it.
  using asker =
      std::function<void(std::span<const std::string_view> texts, std::span<bool> answers)>;

  explicit speller(asker listed) : listed_(std::move(listed)) {}

  // One answer a word; those that are listed as they stand are asked for at once.
  void accepts(std::span<const text_word> words, std::span<bool> answers) const;
  [[nodiscard]] bool accepts(std::string_view word) const;

  // The forms of which one must be listed, the word itself first; ’ is '.
  static std::vector<std::string> forms(std::string_view word);

 private:
  asker listed_;
};

}  // namespace bloomery::apps
