// query: which keys may be present.
#include <fmt/format.h>

#include <atomic>
#include <memory>

#include "ask.hpp"
#include "bloomery/any/registry.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct query_options : key_options {
  bool invert = false;
  bool count = false;
  bool quiet = false;
  acknowledging_options servers;
};

void declare(command& verb, query_options& options) {
  options.declare(verb, "ask", "ask for");
  verb.add_flag("-v,--invert", options.invert, "select the keys that are certainly absent");
  verb.add_flag("-c,--count", options.count,
                "print only how many are selected; with --json no list of all keys");
  verb.add_flag("-q,--quiet", options.quiet, "print nothing: the exit status tells");
  options.servers.declare_patience(verb);
}

// What one block contributes: the text to print, and how many keys are selected.
struct selection {
  std::string text;
  std::uint64_t selected = 0;
};

// Text by text: one that is refused is told of, sets `refused`, and is not selected.
asker forgiving(const asker& ask, bool invert, std::atomic<bool>& refused) {
  return [=, &refused](std::span<const std::string_view> texts, std::span<bool> answers) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      answers[i] = invert;
      const auto one = [&] { ask(texts.subspan(i, 1), answers.subspan(i, 1)); };
      if (!try_text(texts[i], one)) refused = true;
    }
  };
}

selection select(const asker& ask, const line_block& block, const query_options& options) {
  selection result;
  const std::size_t size = block.keys.size();
  const auto answers = std::make_unique<bool[]>(size);
  ask(block.keys, {answers.get(), size});
  const bool list = !options.count && !options.quiet;
  const char delimiter = options.lines.format().delimiter;
  if (list && !options.json) result.text = block.header;
  for (std::size_t i = 0; i < size; ++i) {
    if (list && options.json) {
      const json answer{{"key", block.keys[i]}, {"present", answers[i]}};
      result.text.append(",\n    ").append(on_one_line(answer));
    }
    if (answers[i] == options.invert) continue;
    ++result.selected;
    if (list && !options.json) {
      result.text.append(block.lines[block.line_of_key[i]]).push_back(delimiter);
    }
  }
  return result;
}

exit_status answer(const asker& ask, const query_options& options) {
  // Keys go out as they are answered: there may be more than memory holds.
  const bool list_json = options.json && !options.count && !options.quiet;
  if (list_json) print_text("{\n  \"keys\": [");
  std::uint64_t asked = 0;
  std::uint64_t selected = 0;
  options.input().each_block(
      [&](const line_block& block) { return select(ask, block, options); },
      [&](const line_block& block, const selection& part) {
        const bool first = list_json && asked == 0 && !part.text.empty();
        asked += block.keys.size();
        selected += part.selected;
        print_text(std::string_view(part.text).substr(first ? 1 : 0));  // no comma before the first
      });
  const json totals{{"asked", asked}, {options.invert ? "absent" : "present", selected}};
  if (list_json) {
    print_text("\n  ],\n" + totals.dump(2).substr(2) + "\n");
  } else if (options.json) {
    print_json(totals);
  } else if (options.count && !options.quiet) {
    fmt::print("{}\n", selected);
  }
  return selected != 0 ? exit_status::found : exit_status::not_found;
}

exit_status run(const query_options& options) {
  const location where(options.filter);
  if (const auto spread = where.in_shards(options.servers.chosen())) {
    return answer(asker_of(*spread, options.key_file, options.clock), options);
  }
  if (where.in_server()) {
    const auto held = where.of_server();
    if (const auto ask = asker_of(*held, options.key_file, options.clock))
      return answer(*ask, options);
  } else if (const auto theirs = where.load_foreign()) {
    return answer(asker_of(*theirs, options.key_file, options.clock), options);
  }
  const any_filter filter = where.open();
  std::atomic<bool> refused{false};
  asker ask = asker_of(filter, options.key_file, options.clock.time_for(filter));
  if (filter.kind().can<reads_texts>()) ask = forgiving(ask, options.invert, refused);
  const exit_status status = answer(ask, options);
  return refused ? exit_status::error : status;
}

}  // namespace

void add_query(verb_list& verbs) {
  verbs.add<query_options>(
      "query",
      "Print the keys that may be present in a filter\n"
      "A key that is not printed is certainly absent; one that is printed is present, "
      "or one of the few that the filter claims wrongly. Filters of other programs are asked "
      "as well, such as a cache digest of Squid (`bloomery build --help` lists the formats), or a "
      "key of BF or CF in a Redis server. Exits "
      "0 if any is printed, 1 if none is.",
      "  seq 1000 | bloomery build --keys 1k -o numbers.bloom\n"
      "  bloomery query numbers.bloom 7 zebra\n"
      "  seq 990 1010 > some.txt && bloomery query -v numbers.bloom -f some.txt\n"
      "  bloomery query -q numbers.bloom zebra   # exits 1: certainly absent",
      declare, run);
}

}  // namespace bloomery::cli
