// T2: a filter of a word list accepts every word of it, and misses real misspellings at its exact rate.
#include <algorithm>
#include <memory>
#include <set>

#include "bloomery/apps/gate/planned_set.hpp"
#include "bloomery/apps/gate/speller.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/hasher.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using word_set = std::set<std::string>;

// Those of codespell's lines, MISSPELLING->CORRECTION, that are one word of one form and not listed:
// the filter is asked for each once.
std::vector<std::string> misspellings_of(const std::vector<std::string>& lines,
                                         const word_set& listed) {
  std::vector<std::string> wrong;
  for (const std::string& line : lines) {
    const std::string word = line.substr(0, line.find("->"));
    const auto parts = apps::words_of(word);
    const bool plain = parts.size() == 1 && parts[0].text == word && !parts[0].digits;
    if (plain && apps::speller::forms(word).size() == 1 && !listed.contains(word)) {
      wrong.push_back(word);
    }
  }
  std::ranges::sort(wrong);
  wrong.erase(std::unique(wrong.begin(), wrong.end()), wrong.end());
  return wrong;
}

std::uint64_t accepted_of(const apps::speller& check, std::span<const apps::text_word> words) {
  const auto answers = std::make_unique<bool[]>(words.size());
  check.accepts(words, {answers.get(), words.size()});
  return static_cast<std::uint64_t>(std::count(answers.get(), answers.get() + words.size(), true));
}

std::vector<apps::text_word> as_words(std::span<const std::string> texts) {
  std::vector<apps::text_word> words;
  for (const std::string& text : texts) words.push_back({text});
  return words;
}

}  // namespace

lab::result spelling(const lab::request& asked) {
  const std::vector<std::string> lines = asked.lines("words");
  const word_set listed(lines.begin(), lines.end());
  const std::vector<std::string> distinct(listed.begin(), listed.end());
  const std::vector<std::string> wrong = misspellings_of(asked.lines("misspellings"), listed);
  const std::uint64_t filters = asked.count("filters");
  math::require_whole("filters", filters, 2, 10'000);
  math::require_whole("misspellings that are no words of the list", wrong.size(), 1, max_keys);

  std::string text;
  for (const std::string& line : lines) text.append(line).push_back('\n');
  const std::vector<apps::text_word> right = apps::words_of(text);
  const std::vector<apps::text_word> mistakes = as_words(wrong);

  lab::result found;
  std::uint64_t refused = 0;
  double predicted = 0;
  double bytes = 0;
  std::vector<double> missed;
  for (std::uint64_t i = 0; i < filters; ++i) {
    const hasher hash(xxh3_hash(lab::numbered(asked.seed(), 0, i).lo));
    std::vector<digest> keys;
    for (const std::string& word : distinct) keys.push_back(hash(word));
    const any_filter filter =
        apps::planned_set(std::move(keys), asked.ratio("fpr"), asked.text("kind"), hash.identity());
    const apps::speller check([&](auto texts, std::span<bool> answers) {
      std::vector<digest> digests(texts.size());
      hash(texts, digests);
      filter.as<asks>().may_contain(digests, answers);
    });
    refused += right.size() - accepted_of(check, right);
    const std::uint64_t hits = accepted_of(check, mistakes);
    missed.push_back(static_cast<double>(hits) / static_cast<double>(wrong.size()));
    if (i > 0) continue;
    predicted = filter.kind().predicted_rate(filter.shape(), distinct.size());
    bytes = static_cast<double>(filter.bytes());
    found.add(lab::share_of("misspellings that the first filter misses", hits, wrong.size(),
                            apps::rate_of(filter)));
    found.note("The planner's kind, or the one asked for, is " +
               std::string(filter.kind().info.name) + "; " + format_count(wrong.size()) +
               " misspellings of one word are no words of the list.");
  }
  found.never("a word of the list was refused", refused, filters * right.size());
  found.add(lab::mean_of("misspellings missed, mean of all filters", lab::unit::share, missed,
                         predicted));
  found.add(lab::told("the filter", lab::unit::bytes, bytes)).rivals = {
      {"the list", static_cast<double>(text.size())},
      {"hunspell's dictionary",
       static_cast<double>(asked.outside().read(asked.text("rival")).size())}};
  return found;
}

extern constinit const system_info spelling_system{
    .id = "T2",
    .name = "Spelling",
    .source = "McIlroy 1982; Mullin, Margoliash 1990; Broder-Mitzenmacher 3.1",
    .where = pattern::gate,
    .does =
        "A dictionary is kept as a filter. Words of a text that it does not have are misspelt; a "
        "false positive lets a misspelt word pass.",
    .figure =
        "Every word of the dictionary is accepted; real misspellings are missed at the exact rate "
        "of the filter.",
    .verb = "words spell",
    .needs = "codespell hunspell-en-us wamerican",
    .settings_or_none = {{{"words", "/usr/share/dict/words", "the dictionary"},
                          {"misspellings",
                           "/usr/lib/python3/dist-packages/codespell_lib/data/dictionary.txt",
                           "those of codespell"},
                          {"fpr", "0.1%", "of the filter"},
                          {"kind", "", "of the filter; none for the planner's choice"},
                          {"filters", "10", "that are built, each of another hash"},
                          {"rival", "/usr/share/hunspell/en_US.dic", "a dictionary to compare"}}},
    .run = spelling};

}  // namespace bloomery::systems
