// words screen: passwords that a list has, or that are one edit away from one that it has.
#include <fmt/format.h>

#include "ask.hpp"
#include "bloomery/apps/gate/near_list.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct screen_options {
  std::string filter;
  std::vector<std::string> files;
  std::uint64_t distance = 1;
  key_file_option key_file;
  line_options lines;
  bool invert = false;
  bool count = false;
  bool quiet = false;
  bool json = false;
};

void declare(command& verb, screen_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "a list that `words list` has made")
      .required();
  verb.add_option("files", "FILE", options.files,
                  "files of passwords, one per line (default: standard input)");
  verb.add_option("--distance", "D", options.distance,
                  "edits by which a password may differ from a listed one and still be refused; "
                  "with 0 the filter may be any of words")
      .between(0, 1)
      .show_default();
  verb.add_flag("-v,--invert", options.invert, "select the passwords that are allowed");
  verb.add_flag("-c,--count", options.count, "print only how many are selected");
  verb.add_flag("-q,--quiet", options.quiet, "print nothing: the exit status tells");
  options.key_file.declare(verb);
  options.lines.declare(verb);
  declare_json(verb, options.json);
}

// By any thread.
asker refuser_of(const any_filter& filter, const screen_options& options) {
  if (options.distance == 0) {
    return asker_of(filter, options.key_file, clock_option().time_for(filter));
  }
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  return [list = with_names({options.filter}, [&] { return apps::near_list(filter, hash); })](
             std::span<const std::string_view> passwords, std::span<bool> answers) {
    for (std::size_t i = 0; i < passwords.size(); ++i) answers[i] = list.refuses(passwords[i]);
  };
}

exit_status run(const screen_options& options) {
  const any_filter filter = location(options.filter).open();
  const asker refuses = refuser_of(filter, options);
  const bool list = !options.count && !options.quiet;
  const char delimiter = options.lines.format().delimiter;
  std::uint64_t asked = 0;
  std::uint64_t selected = 0;
  json listed = json::array();
  key_input({}, options.files, options.lines)
      .each_block(
          [&](const line_block& block) {
            const auto refused = std::make_unique<bool[]>(block.keys.size());
            refuses(block.keys, {refused.get(), block.keys.size()});
            std::vector<std::size_t> chosen;
            for (std::size_t i = 0; i < block.keys.size(); ++i) {
              if (refused[i] != options.invert) chosen.push_back(i);
            }
            return chosen;
          },
          [&](const line_block& block, const std::vector<std::size_t>& chosen) {
            asked += block.keys.size();
            selected += chosen.size();
            if (!list) return;
            std::string text = options.json ? "" : block.header;
            for (const std::size_t i : chosen) {
              if (options.json) {
                listed.push_back(block.keys[i]);
              } else {
                text.append(block.lines[block.line_of_key[i]]).push_back(delimiter);
              }
            }
            print_text(text);
          });
  if (options.json) {
    const char* const what = options.invert ? "allowed" : "refused";
    json report{{"asked", asked}, {what, selected}};
    if (list) report["list"] = listed;
    print_json(report);
  } else if (options.count && !options.quiet) {
    fmt::print("{}\n", selected);
  }
  return selected != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_words_screen(verb_list& verbs) {
  verbs.add<screen_options>(
      "words screen",
      "Print the passwords that are on a list, or near one that is\n"
      "Near is one edit away, which leaves a character out, puts one in or puts one for another. "
      "None of these passes; "
      "of others a few are refused by chance. Exits 0 if any is printed, 1 if none is. For PAM, "
      "`-q -v -z` exits 0 if the password is allowed; see docs/systems/gate.md.",
      "  printf '%s\\n' password dragon letmein > poor.txt\n"
      "  bloomery words list -o poor.bloom poor.txt\n"
      "  printf '%s\\n' dragon Dragon dragons 'dr a gon' > tried.txt\n"
      "  bloomery words screen poor.bloom tried.txt\n"
      "  bloomery words screen -v poor.bloom tried.txt\n"
      "  printf letmein1 | bloomery words screen -qvz poor.bloom   # exits 1: refused",
      declare, run);
}

}  // namespace bloomery::cli
