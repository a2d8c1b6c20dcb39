// words hyphenate: lines in, the same lines with hyphens out.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bloomery/apps/gate/ruled_hyphenation.hpp"
#include "bloomery/apps/gate/text_words.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct hyphenate_options {
  std::string patterns = "/usr/share/hyphen/hyph_en_US.dic";
  std::string rules;
  std::string words = "/usr/share/dict/words";
  std::string kind;
  std::string rate = "1%";
  std::string mark = "-";
  std::vector<std::string> files;
  line_options lines;
  bool json = false;
};

void declare(command& verb, hyphenate_options& options) {
  verb.add_option("--patterns", "FILE", options.patterns,
                  "patterns of libhyphen, as Debian's hyphen-* packages have them")
      .show_default();
  verb.add_option("--mark", "TEXT", options.mark, "what to put where a word may be broken")
      .show_default();
  verb.add_option("--rules", "N", options.rules,
                  "keep only the N patterns that are used most, and a table of the words that they "
                  "hyphenate otherwise than all do, with a filter before it (default: all)");
  verb.add_option("--words", "FILE", options.words, "the words for which --rules makes that table")
      .show_default();
  verb.add_option("--kind", "KIND", options.kind,
                  "kind of that filter (default: what the planner likes best)");
  verb.add_option("--fpr", "P", options.rate, "rate of that filter").show_default();
  verb.add_option("files", "FILE", options.files, "texts (default: standard input)");
  verb.add_option("-j,--threads", "T", options.lines.threads,
                  "threads to use (default: one per core)");
  verb.add_flag("--json", options.json,
                "report as JSON, on standard error: the lines go to output");
}

apps::hyphen_patterns read_patterns(const std::string& name) {
  const std::string hint = "; Debian has patterns as hyphen-en-us and for other languages";
  std::string text;
  try {
    const bits::file_contents file = bits::read_file(name, apps::hyphen_patterns::largest_file);
    text.assign(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  } catch (const error& problem) {
    if (problem.code() != errc::io) throw;
    fail(errc::io, problem.what() + hint);
  }
  return with_names({name}, [&] {
    apps::hyphen_patterns read(text);
    if (read.character_set() != "UTF-8" && !read.has_only_ascii()) {
      fail(errc::unsupported, "the patterns are in " + read.character_set() +
                                  ", and texts are UTF-8; turn them into UTF-8 with iconv, and "
                                  "say so in the first line");
    }
    return read;
  });
}

struct hyphenated_block {
  std::string text;
  std::uint64_t words = 0;
  std::uint64_t hyphens = 0;
  apps::ledger book;
};

class hyphenator {
 public:
  explicit hyphenator(const hyphenate_options& options)
      : mark_(options.mark), patterns_(read_patterns(options.patterns)) {
    if (options.rules.empty()) return;
    std::vector<std::string> words;
    key_input({}, {options.words}, options.lines).each_text([&](std::string_view word) {
      words.push_back(apps::in_lower_case(word));
    });
    ruled_.emplace(patterns_, words,
                   apps::ruled_hyphenation::settings{.rules = parse_count(options.rules),
                                                     .rate = parse_ratio(options.rate),
                                                     .kind = options.kind});
  }

  [[nodiscard]] hyphenated_block operator()(const line_block& block) const {
    hyphenated_block result;
    for (const std::string_view line : block.lines) {
      std::size_t done = 0;
      for (const apps::text_word& word : apps::words_of(line)) {
        const auto begin = static_cast<std::size_t>(word.text.data() - line.data());
        const std::string small = apps::in_lower_case(word.text);
        const std::vector<std::size_t> places =
            ruled_ ? ruled_->breaks(small, result.book) : patterns_.breaks(small);
        result.text.append(line.substr(done, begin - done));
        result.text.append(apps::with_marks(word.text, places, mark_));
        done = begin + word.text.size();
        ++result.words;
        result.hyphens += places.size();
      }
      result.text.append(line.substr(done)).push_back('\n');
    }
    return result;
  }

  [[nodiscard]] const std::optional<apps::ruled_hyphenation>& ruled() const { return ruled_; }

 private:
  std::string mark_;
  apps::hyphen_patterns patterns_;
  std::optional<apps::ruled_hyphenation> ruled_;
};

exit_status run(const hyphenate_options& options) {
  const hyphenator hyphenate(options);
  hyphenated_block total;
  key_input({}, options.files, options.lines)
      .each_block([&](const line_block& block) { return hyphenate(block); },
                  [&](const line_block&, const hyphenated_block& part) {
                    total.words += part.words;
                    total.hyphens += part.hyphens;
                    total.book += part.book;
                    print_text(part.text);
                  });
  if (options.json) {
    json report{{"words", total.words}, {"hyphens", total.hyphens}};
    if (const auto& ruled = hyphenate.ruled()) {
      report["rules"] = ruled->rules().size();
      report["exceptions"] = ruled->exceptions();
      report["table_reads"] = total.book.passed();
      report["needless_reads"] = total.book.false_positives();
      report["filter"] = {{"kind", ruled->filter().kind().info.name},
                          {"bytes", ruled->filter().bytes()}};
    }
    fmt::print(stderr, "{}\n", report.dump(2));
  }
  return exit_status::found;
}

}  // namespace

void add_words_hyphenate(verb_list& verbs) {
  verbs.add<hyphenate_options>(
      "words hyphenate",
      "Copy a text with hyphens where its words may be broken\n"
      "By the patterns of libhyphen, as it places them. With --rules, only the most used patterns "
      "are kept, as Bloom proposed in 1970: the words of a list are hyphenated as by all patterns, "
      "others by these alone.",
      "  echo 'Hyphenation of considerable complexity' | bloomery words hyphenate\n"
      "  bloomery words hyphenate --mark '&shy;' /usr/share/dict/words | tail -n 3\n"
      "  bloomery words hyphenate --rules 3500 /usr/share/dict/words | tail -n 3",
      declare, run);
}

}  // namespace bloomery::cli
