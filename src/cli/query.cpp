// query: which keys may be present.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "bloomery/core/error.hpp"
#include "insert_lines.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct query_options {
  std::string filter;
  std::vector<std::string> keys;
  std::vector<std::string> files;
  bool invert = false;
  bool count = false;
  bool quiet = false;
  key_file_option key_file;
  line_options lines;
  bool json = false;
};

void declare(CLI::App& verb, query_options& options) {
  verb.add_option("filter", options.filter, "the filter to ask")->required()->type_name("FILTER");
  verb.add_option("keys", options.keys, "keys to ask for (default: lines of standard input)")
      ->type_name("KEY");
  verb.add_option("-f,--file", options.files, "ask for the lines of this file")->type_name("FILE");
  verb.add_flag("-v,--invert", options.invert, "select the keys that are certainly absent");
  verb.add_flag("-c,--count", options.count, "print only how many are selected");
  verb.add_flag("-q,--quiet", options.quiet, "print nothing: the exit status tells");
  options.key_file.declare(verb);
  options.lines.declare(verb);
  declare_json(verb, options.json);
}

struct tally {
  std::uint64_t asked = 0;
  std::uint64_t selected = 0;
};

// What one block contributes: the text to print and its tally.
struct selection {
  std::string text;
  tally counts;
};

selection select(const any_filter& filter, const hasher& hash, const line_block& block,
                 const query_options& options) {
  selection result;
  const std::size_t size = block.keys.size();
  const auto digests = digests_of(block, hash);
  const auto answers = std::make_unique<bool[]>(size);
  filter.may_contain(digests, {answers.get(), size});
  const bool print = !options.count && !options.quiet && !options.json;
  const char delimiter = options.lines.format().delimiter;
  for (std::size_t i = 0; i < size; ++i) {
    if (answers[i] == options.invert) continue;
    ++result.counts.selected;
    if (print) result.text.append(block.lines[block.line_of_key[i]]).push_back(delimiter);
  }
  result.counts.asked = size;
  return result;
}

tally ask(const any_filter& filter, const hasher& hash, const query_options& options) {
  tally total;
  const auto commit = [&](const selection& part) {
    total.asked += part.counts.asked;
    total.selected += part.counts.selected;
    if (part.text.empty()) return;
    const bool written =
        std::fwrite(part.text.data(), 1, part.text.size(), stdout) == part.text.size() &&
        std::fflush(stdout) == 0;
    if (!written) fail(errc::io, "standard output cannot be written");
  };
  if (!options.keys.empty()) {
    line_block block;  // a key on the command line is a line of its own, whatever bytes it holds
    for (const std::string& key : options.keys) {
      block.line_of_key.push_back(block.lines.size());
      block.lines.emplace_back(key);
      block.keys.emplace_back(key);
    }
    commit(select(filter, hash, block, options));
  }
  if (options.keys.empty() || !options.files.empty()) {
    progress shown;
    std::uint64_t skipped = 0;
    line_source source(options.files, options.lines.format().delimiter, shown);
    process_lines(
        source, options.lines.thread_count(), options.lines.format(),
        [&](const line_block& block) { return select(filter, hash, block, options); },
        [&](const line_block& block, const selection& part) {
          commit(part);
          skipped += block.skipped;
          shown.count(part.counts.asked);
        });
    report_skipped(skipped, options.lines.format());
  }
  return total;
}

exit_status run(const query_options& options) {
  const any_filter filter = location(options.filter).open();
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  const tally total = ask(filter, hash, options);
  if (options.json) {
    print_json({{"asked", total.asked}, {options.invert ? "absent" : "present", total.selected}});
  } else if (options.count && !options.quiet) {
    fmt::print("{}\n", total.selected);
  }
  return total.selected != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_query(const verb_list& verbs) {
  verbs.add<query_options>("query", "Print the keys that may be present in a filter",
                           "  bloomery query words.bloom zebra qzxvj\n"
                           "  bloomery query -v seen.bloom < urls.txt > certainly-new.txt",
                           declare, run);
}

}  // namespace bloomery::cli
