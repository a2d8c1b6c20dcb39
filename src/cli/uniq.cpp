// uniq: lines the first time they are seen.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "bloomery/any/planner.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "insert_lines.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

constexpr double default_lost = 0.001;  // of the lines that are new

struct uniq_options {
  std::string window;
  std::string memory;
  std::string rate;
  std::string keys;
  std::string kind;
  line_options lines;
  std::vector<std::string> files;
  bool json = false;
};

void declare(command& verb, uniq_options& options) {
  const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
    verb.add_option(name, value, help).type_name(type);
  };
  text("--window", options.window,
       "know a line again for N more, or for a DURATION (15m); then it is new again. Most kinds "
       "take "
       "longer to forget, up to twice as long; --kind decaying forgets at once",
       "N|DURATION");
  text("--memory", options.memory,
       "give the filter this much and no more (64MiB); without --fpr or a number of lines the "
       "other follows "
       "from "
       "it (default: as much as it takes)",
       "SIZE");
  text("--fpr", options.rate,
       "share of new lines that may be taken for seen, and lost (default: 0.1%)", "P");
  text("--keys", options.keys,
       "distinct lines to expect, or those that come within a window of time (default: any number)",
       "N");
  text("--kind", options.kind, "kind of filter (default: what the planner likes best)", "K");
  options.lines.declare(verb);
  verb.add_option("files", options.files, "files of lines (default: standard input)")
      .type_name("FILE");
  verb.add_flag("--json", options.json,
                "report as JSON, on standard error: the lines go to output");
}

needs needs_of(const uniq_options& options) {
  needs wanted;
  wanted.fast = true;
  if (!options.memory.empty()) wanted.memory = parse_size(options.memory);
  if (!options.keys.empty()) wanted.keys = parse_count(options.keys);
  if (!options.window.empty()) {
    const window_length window = parse_window(options.window);
    wanted.window = true;
    wanted.window_milliseconds = window.milliseconds;
    if (window.arrivals != 0) wanted.keys = window.arrivals;
  }
  const bool settled = wanted.memory && wanted.keys;
  if (!options.rate.empty()) wanted.rate = parse_ratio(options.rate);
  if (options.rate.empty() && !settled) wanted.rate = default_lost;
  if (wanted.window_milliseconds != 0 && !wanted.keys && !wanted.memory) {
    fail(errc::invalid, "--window " + options.window +
                            " needs --keys, how many lines come in that time, or --memory");
  }
  wanted.unknown_size = !wanted.keys && !wanted.memory;
  return wanted;
}

planned_filter choose(const uniq_options& options) {
  const needs wanted = needs_of(options);
  const std::span<const kind_entry> among =
      options.kind.empty() ? kinds() : std::span(&find_kind(options.kind), 1);
  recommendation answer = recommend(wanted, among);
  if (answer.choices.empty()) {
    fail(errc::unsupported, "no kind will do" + (answer.others.size() == 1
                                                     ? ": it " + answer.others[0].reasons[0]
                                                     : std::string("; `bloomery plan` says why")));
  }
  return answer.choices.front();
}

struct outcome {
  std::uint64_t lines = 0;
  std::uint64_t printed = 0;
};

outcome copy_new_lines(any_filter& filter, const hasher& hash, const uniq_options& options) {
  const char delimiter = options.lines.format().delimiter;
  std::unique_ptr<bool[]> fresh;
  std::size_t room = 0;
  std::string text;
  outcome total;
  for_keys(hash, {}, options.files, options.lines,
           [&](const line_block& block, const std::vector<digest>& digests) {
             if (digests.size() > room) {
               room = digests.size();
               fresh = std::make_unique<bool[]>(room);
             }
             // A clock that is set back stands still for the filter.
             if (filter.runs_on_time()) filter.advance(std::max(system_time(), filter.now()));
             total.lines += digests.size();
             total.printed += filter.insert(digests, {fresh.get(), digests.size()});
             text.clear();
             for (std::size_t i = 0; i < digests.size(); ++i) {
               if (fresh[i]) text.append(block.lines[block.line_of_key[i]]).push_back(delimiter);
             }
             print_text(text);
           });
  return total;
}

exit_status run(const uniq_options& options) {
  const planned_filter plan = choose(options);
  const hasher hash;
  any_filter filter = plan.create(hash.identity());
  const outcome total = copy_new_lines(filter, hash, options);
  const bool forgets = plan.kind->can.window;
  const bool over = !forgets && !plan.kind->can.grow && total.printed > plan.promised.keys;
  // What was printed is what was not lost: only the cells know how many came.
  const double lost = !over                      ? plan.promised.rate
                      : plan.kind->can.tell_rate ? filter.current_rate()
                                                 : filter.predicted_rate(total.lines);
  if (options.json) {
    const json report{{"lines", total.lines},
                      {"printed", total.printed},
                      {"kind", plan.kind->info.name},
                      {"bytes", filter.bytes()},
                      {"promised", {{"keys", plan.promised.keys}, {"rate", plan.promised.rate}}},
                      {"over_filled", over},
                      {"rate_at_end", lost}};
    fmt::print(stderr, "{}\n", report.dump(2));
  } else if (over) {
    fmt::print(stderr,
               "bloomery: more distinct lines than {} hold at {}: at the end {} of new lines were "
               "taken for seen\n",
               format_size(plan.bytes), format_ratio(plan.promised.rate), format_ratio(lost));
  }
  return total.printed != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_uniq(verb_list& verbs) {
  verbs.add<uniq_options>(
      "uniq",
      "Copy lines the first time they are seen, in input order, without sorting or keeping them",
      "  zcat access-*.gz | bloomery uniq --memory 64MiB > distinct.txt\n"
      "  tail -f events.log | bloomery uniq --window 10m --keys 100k",
      declare, run);
}

}  // namespace bloomery::cli
