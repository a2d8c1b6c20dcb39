// words list: a filter of words and of what it takes to know all that is one edit away from them.
#include "bloomery/apps/gate/near_list.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/look_ups.hpp"
#include "changed_file.hpp"
#include "input.hpp"
#include "options.hpp"
#include "report.hpp"
#include "sizing.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct list_options {
  std::string kind;
  std::string rate = "0.01%";
  std::string output;
  std::vector<std::string> files;
  hash_options hash;
  line_options lines;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, list_options& options) {
  verb.add_option("--kind", "KIND", options.kind,
                  "kind of filter (default: what the planner likes best)");
  verb.add_option("--fpr", "P", options.rate,
                  "false-positive rate to promise, of a look-up; a password of L characters takes "
                  "2L+2 of them")
      .show_default();
  options.hash.key_file.declare(verb);
  options.lines.declare(verb);
  declare_output(verb, options.output, "the filter");
  verb.add_option("files", "FILE", options.files,
                  "files of words, one per line (default: standard input)");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

struct listed_words {
  std::vector<digest> keys;
  std::uint64_t words = 0;
};

listed_words read_words(const key_input& input, const hasher& hash) {
  distinct_keys keys(input.threads());
  const digest mark = apps::near_list::mark(hash);
  keys.add({&mark, 1}, 1);
  std::uint64_t words = 0;
  input.each_block(
      [&](const line_block& block) {
        std::vector<digest> made;
        for (const std::string_view word : block.keys) {
          apps::near_list::append_keys(word, hash, made);
        }
        return made;
      },
      [&](const line_block& block, const std::vector<digest>& made) {
        keys.add(made, made.size());
        words += block.keys.size();
      });
  return {keys.take(), words};
}

// What a rate of the filter makes of passwords of some lengths.
json refused_by_chance(double rate) {
  json lengths = json::array();
  for (const std::uint64_t length : {8U, 12U, 16U}) {
    lengths.push_back({{"length", length}, {"share", math::any_of(rate, 2 * length + 2)}});
  }
  return lengths;
}

exit_status run(const list_options& options) {
  const key_input input({}, options.files, options.lines);
  std::vector<std::string> inputs = input.files_read();
  inputs.push_back(options.hash.key_file.path);
  changed_file target(options.output, options.lock, inputs);
  const double rate = parse_ratio(options.rate);
  (void)apps::planned_set({}, rate, options.kind);  // refuses before the words are read
  const hasher hash = options.hash.chosen();
  listed_words listed = read_words(input, hash);
  const any_filter filter = apps::planned_set(std::move(listed.keys), rate, options.kind,
                                              hash.identity(), input.threads());
  target.save(filter);
  if (options.json) {
    json report = filter_json(filter);
    report["words"] = listed.words;
    report["refused_by_chance"] = refused_by_chance(filter.record().promised.rate);
    print_json(report);
  }
  return exit_status::found;
}

}  // namespace

void add_words_list(verb_list& verbs) {
  verbs.add<list_options>(
      "words list",
      "Build a filter of words and of all that is near them\n"
      "It is what `words screen` asks. "
      "Of a word of L characters the filter holds 2L+1 keys: the word, and what is left of it "
      "without each character, by itself and with the place. A line is a word, whatever it begins "
      "with: "
      "take comments out first.",
      "  printf '%s\\n' password dragon letmein > poor.txt\n"
      "  bloomery words list -o poor.bloom poor.txt\n"
      "  echo pa55word | bloomery words screen poor.bloom   # exits 1: two edits away\n"
      "  bloomery words list --kind ribbon --json -o ribbon.bloom poor.txt",
      declare, run);
}

}  // namespace bloomery::cli
