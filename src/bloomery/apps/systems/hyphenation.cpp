// T1: rules hyphenate most words, a filter tells for which a table must be read, libhyphen is the judge.
#include <algorithm>

#include "bloomery/apps/gate/planned_set.hpp"
#include "bloomery/apps/gate/ruled_hyphenation.hpp"
#include "bloomery/apps/gate/text_words.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

// libhyphen has no program of its own. Reads how many bytes of patterns follow, these, and words.
constexpr const char* ask_libhyphen = R"(
import ctypes, sys
size = int(sys.stdin.buffer.readline())
with open("patterns.dic", "wb") as file:
    file.write(sys.stdin.buffer.read(size))
library = ctypes.CDLL("libhyphen.so.0")
pointer = ctypes.c_void_p
library.hnj_hyphen_load.restype = pointer
patterns = pointer(library.hnj_hyphen_load(b"patterns.dic"))
for word in sys.stdin.buffer.read().split(b"\n")[:-1]:
    points = ctypes.create_string_buffer(len(word) + 5)
    marked = ctypes.create_string_buffer(2 * len(word) + 5)
    nothing = [ctypes.byref(pointer()) for _ in range(3)]
    library.hnj_hyphen_hyphenate2(patterns, word, len(word), points, marked, *nothing)
    sys.stdout.buffer.write(marked.value + b"\n")
)";

std::vector<std::string> by_libhyphen(const lab::request& asked, const std::string& patterns,
                                      const std::vector<std::string>& words) {
  asked.outside().phase("asking libhyphen");
  std::string input = std::to_string(patterns.size()) + "\n" + patterns;
  for (const std::string& word : words) input.append(word).push_back('\n');
  std::vector<std::string> answers =
      lab::lines_of(asked.outside().run({"python3", "-c", ask_libhyphen}, input));
  if (answers.size() != words.size()) {
    fail(errc::io, "libhyphen answers for " + format_count(answers.size()) + " of " +
                       format_count(words.size()) + " words");
  }
  return answers;
}

std::vector<std::string> distinct_small(const std::vector<std::string>& lines) {
  std::vector<std::string> words;
  for (const std::string& line : lines) {
    if (!line.empty()) words.push_back(apps::in_lower_case(line));
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace

lab::result hyphenation(const lab::request& asked) {
  const std::string file = asked.outside().read(asked.text("patterns"));
  const apps::hyphen_patterns all(file);
  const std::vector<std::string> words = distinct_small(asked.lines("words"));
  math::require_whole("rules", asked.count("rules"), 0, all.size());
  const std::vector<std::string> right = by_libhyphen(asked, file, words);

  asked.outside().phase("finding the words that do not follow the rules");
  const apps::ruled_hyphenation ruled(all, words,
                                      {.rules = asked.count("rules"),
                                       .rate = asked.ratio("fpr"),
                                       .kind = asked.text("kind"),
                                       .hash = hasher(xxh3_hash(asked.seed()))});
  // Whether a word is an exception is what libhyphen and the rules say, not the table.
  std::uint64_t wrong = 0;
  apps::ledger book;
  double table_bytes = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    apps::ledger one;
    const auto places = ruled.breaks(words[i], one);
    wrong += std::uint64_t{apps::with_marks(words[i], places, "=") != right[i]};
    const bool exception =
        apps::with_marks(words[i], ruled.rules().breaks(words[i]), "=") != right[i];
    book.record(one.passed() != 0, exception);
    if (exception) table_bytes += static_cast<double>(right[i].size() + 1);
  }

  lab::result found;
  const auto total = static_cast<double>(std::max<std::size_t>(words.size(), 1));
  found.never("a word was hyphenated otherwise than by libhyphen", wrong, words.size());
  found.never("the filter passed over a word of the table", book.missed(), ruled.exceptions());
  found
      .add(lab::told("words in the table", lab::unit::share,
                     static_cast<double>(ruled.exceptions()) / total))
      .paper = 0.1;
  found.add(lab::count_of("readings of the table for words that are not in it",
                          book.false_positives(), book.strangers(), apps::rate_of(ruled.filter())));
  found
      .add(lab::told("readings of the table, of all words", lab::unit::share,
                     static_cast<double>(book.passed()) / total))
      .rivals = {{"without a filter", 1}};
  found.add(lab::told("the filter", lab::unit::bytes, static_cast<double>(ruled.filter().bytes())))
      .rivals = {{"the table that it stands before, as text", table_bytes}};
  return found;
}

extern constinit const system_info hyphenation_system{
    .id = "T1",
    .name = "Hyphenation",
    .source = "Bloom 1970; Broder-Mitzenmacher 3.1",
    .where = pattern::gate,
    .does =
        "Most words are hyphenated by a few rules, about a tenth only by a table. A filter of the "
        "words of the table spares reading it for the others.",
    .figure =
        "Every word as by libhyphen; the table is read for its own words, and for others at the "
        "exact rate of the filter.",
    .verb = "words hyphenate --rules 3500",
    .needs = "hyphen-en-us libhyphen0 python3 wamerican",
    .settings_or_none = {{{"patterns", "/usr/share/hyphen/hyph_en_US.dic", "those of libhyphen"},
                          {"words", "/usr/share/dict/words", "the words to hyphenate"},
                          {"rules", "3500", "patterns that are kept, those used most"},
                          {"fpr", "1%", "of the filter"},
                          {"kind", "", "of the filter; none for the planner's choice"}}},
    .run = hyphenation};

}  // namespace bloomery::systems
