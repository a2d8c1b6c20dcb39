// words spell: the words of a text that a filter of a dictionary does not have.
#include <fmt/format.h>

#include <memory>

#include "ask.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/apps/gate/speller.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct spell_options {
  std::string filter;
  std::vector<std::string> files;
  key_file_option key_file;
  line_options lines;
  bool numbers = false;
  bool count = false;
  bool quiet = false;
  bool json = false;
};

void declare(command& verb, spell_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "a filter of a list of words").required();
  verb.add_option("files", "FILE", options.files, "texts (default: standard input)");
  verb.add_flag("-n,--line-number", options.numbers,
                "put the number of its line before each word, and of several files the name");
  verb.add_flag("-c,--count", options.count, "print only how many words are not in the filter");
  verb.add_flag("-q,--quiet", options.quiet, "print nothing: the exit status tells");
  options.key_file.declare(verb);
  verb.add_option("-j,--threads", "T", options.lines.threads,
                  "threads to use (default: one per core)");
  declare_json(verb, options.json);
}

struct misspelt {
  std::string_view word;
  std::uint64_t line;
};
struct checked_block {
  std::uint64_t words = 0;
  std::vector<misspelt> found;
};

checked_block check(const apps::speller& speller, const line_block& block) {
  std::vector<apps::text_word> words;
  std::vector<std::uint64_t> line_of;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    for (const apps::text_word& word : apps::words_of(block.lines[i])) words.push_back(word);
    line_of.resize(words.size(), block.first_line + i);
  }
  const auto accepted = std::make_unique<bool[]>(words.size());
  speller.accepts(words, {accepted.get(), words.size()});
  checked_block result{.words = words.size(), .found = {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!accepted[i]) result.found.push_back({words[i].text, line_of[i]});
  }
  return result;
}

exit_status run(const spell_options& options) {
  const any_filter filter = location(options.filter).open();
  if (!filter.kind().can<guards>()) (void)filter.as<asks>();  // or it says why not
  const apps::speller speller(asker_of(filter, options.key_file, clock_option().time_for(filter)));
  std::uint64_t words = 0;
  std::uint64_t found = 0;
  const bool list = !options.count && !options.quiet;
  json listed = json::array();
  line_options lines = options.lines;
  lines.counted = true;
  key_input({}, options.files, lines)
      .each_block(
          [&](const line_block& block) { return check(speller, block); },
          [&](const line_block& block, const checked_block& part) {
            words += part.words;
            found += part.found.size();
            std::string text;
            for (const misspelt& each : part.found) {
              if (!list) break;
              if (options.json) {
                listed.push_back({{"word", each.word}, {"file", block.file}, {"line", each.line}});
                continue;
              }
              if (options.numbers && options.files.size() > 1) text += block.file + ":";
              if (options.numbers) text += std::to_string(each.line) + ":";
              text.append(each.word).push_back('\n');
            }
            print_text(text);
          });
  if (options.json) {
    json report{{"words", words}, {"misspelt", found}};
    if (list) report["list"] = listed;
    print_json(report);
  } else if (options.count && !options.quiet) {
    fmt::print("{}\n", found);
  }
  return found != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_words_spell(verb_list& verbs) {
  verbs.add<spell_options>(
      "words spell",
      "Print the words of a text that a dictionary does not have\n"
      "The dictionary is a filter of its words. Words are letters with apostrophes inside; those "
      "with digits are left alone. A word that "
      "the dictionary has is accepted also with a capital, in capitals and with 's. One that it "
      "does not have is accepted too at the filter's rate. Exits 0 if any word is printed, 1 if "
      "none is, as grep does.",
      "  bloomery build --fpr 0.1% -o words.bloom /usr/share/dict/words\n"
      "  printf 'The qick brown fox\\njumps ovver it.\\n' > text\n"
      "  bloomery words spell words.bloom text\n"
      "  bloomery words spell -n words.bloom text\n"
      "  bloomery words spell words.bloom /usr/share/dict/words   # exits 1: none",
      declare, run);
}

}  // namespace bloomery::cli
