// plan: which kind, and how large, for what the user needs.
#include <fmt/format.h>

#include "bloomery/any/planner.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "options.hpp"
#include "plan_chart.hpp"
#include "plan_report.hpp"
#include "sizing.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct plan_options {
  std::string keys;
  std::string rate;
  std::string memory;
  std::string wire;
  window_option window;
  std::string false_negatives;
  std::uint64_t value_bits = 0;
  needs wanted;  // the flags; the rest is parsed from the above
  bool adversary = false;
  bool no_false_negatives = false;
  std::string plot;
  bool why = false;
  bool json = false;
};

void declare(command& verb, plan_options& options) {
  verb.add_option("--keys", "N", options.keys, "distinct keys to hold");
  verb.add_flag("--unknown-size", options.wanted.unknown_size,
                "keys keep coming; --keys, if given, is where to start");
  verb.add_option("--fpr", "P", options.rate, "false-positive rate to promise (default: 1%)");
  verb.add_option(
      "--memory", "SIZE", options.memory,
      "most memory to use (64MiB); without --fpr: the best rate within it, without --keys: the "
      "most keys");
  verb.add_flag("--deletes", options.wanted.removals, "keys will be removed");
  verb.add_flag("--multiplicity", options.wanted.multiplicity,
                "how often is a key in it, not only whether");
  verb.add_option("--values", "BITS", options.value_bits, "a value of this many bits with each key")
      .between(1, math::max_value_bits);
  options.window.declare(verb,
                         "only the latest N keys, or those of a DURATION (15m; units are ms, s, m, "
                         "h, d) with --keys for how many come in it");
  verb.add_flag("--static", options.wanted.fixed_set, "all keys are known when it is built");
  verb.add_flag("--merge", options.wanted.merge, "filters built apart will be united");
  verb.add_flag(
      "--transmit", options.wanted.transmit,
      fmt::format("the size on the wire matters: bit filters are made sparse, of up to {} "
                  "times the memory unless --memory says, and travel compressed",
                  sparse_memory));
  verb.add_option(
      "--wire", "SIZE", options.wire,
      "most bytes to send (64KiB), compressed; without --fpr: the best rate within them");
  verb.add_flag("--fast", options.wanted.fast, "rank by memory traffic, then by size");
  verb.add_flag("--adversary", options.adversary, "people may choose keys to break it");
  const option none = verb.add_flag("--no-false-negatives", options.no_false_negatives,
                                    "never miss a key (the default)");
  verb.add_option("--allow-false-negatives", "R", options.false_negatives,
                  "missing this share of keys is fine")
      .excludes(none);
  verb.add_flag("--why", options.why,
                "all kinds that will do, and why the others will not, before the answer");
  verb.add_option("--plot", "FILE.svg", options.plot,
                  "draw rates against keys and against size; - draws the former in characters")
      .drawing();
  declare_json(verb, options.json);
}

needs parsed(const plan_options& options) {
  needs wanted = options.wanted;
  if (!options.keys.empty()) wanted.keys = parse_count(options.keys);
  if (!options.rate.empty()) wanted.rate = parse_ratio(options.rate);
  if (!options.memory.empty()) wanted.memory = parse_size(options.memory);
  if (!options.wire.empty()) wanted.wire = parse_size(options.wire);
  wanted.transmit |= wanted.wire.has_value();
  if (!options.false_negatives.empty()) {
    wanted.false_negatives = parse_ratio(options.false_negatives);
  }
  wanted.values = options.value_bits == 0 ? 0 : math::values_of_bits(options.value_bits);
  if (options.window.given()) {
    const window_length window = options.window.length_with_keys(wanted.keys.has_value());
    wanted.window = true;
    wanted.window_milliseconds = window.milliseconds;
    if (window.arrivals != 0) wanted.keys = window.arrivals;
  }
  if (!wanted.keys && !wanted.unknown_size && !(wanted.memory && wanted.rate)) {
    fail(errc::invalid, "give --keys N, or --unknown-size, or both --memory and --fpr");
  }
  return wanted;
}

exit_status run(const plan_options& options) {
  const needs wanted = parsed(options);
  const recommendation answer = recommend(wanted);
  if (!options.plot.empty()) {
    if (answer.choices.empty()) fail(errc::invalid, "nothing to plot: no kind qualifies");
    if (options.plot != "-") save_plot(answer, wanted, options.plot);
  }
  if (options.json) {
    report_json(answer, options.adversary, options.window);
  } else {
    if (options.plot == "-") show_on_terminal(answer);
    report_text(answer, wanted, options.adversary, options.window, options.why);
  }
  return answer.choices.empty() ? exit_status::not_found : exit_status::found;
}

}  // namespace

void add_plan(verb_list& verbs) {
  verbs.add<plan_options>(
      "plan",
      "Choose and size a filter for what you need\n"
      "Ranks the kinds that can do what you need, and prints the command that builds "
      "the first.",
      "  bloomery plan --keys 10M --fpr 0.1%\n"
      "  bloomery plan --keys 500k --memory 1MiB --merge\n"
      "  bloomery plan --window 15m --keys 100k",
      declare, run);
}

}  // namespace bloomery::cli
