// uniq: lines the first time they are seen.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>

#include "bloomery/any/planner.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "filling.hpp"
#include "input.hpp"
#include "message.hpp"
#include "report.hpp"
#include "seen_lines.hpp"
#include "sizing.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

constexpr double default_lost = 0.001;  // of the lines that are new
constexpr double most_lost = 0.1;       // unless asked for
constexpr std::uint64_t first_lines = 8'000'000;

struct uniq_options {
  window_option window;
  std::string memory;
  std::string rate;
  std::string keys;
  std::string kind;
  key_file_option key_file;
  line_options lines;
  std::vector<std::string> files;
  bool json = false;
};

void declare(command& verb, uniq_options& options) {
  options.window.declare(verb,
                         "know a line again for N more, or for a DURATION (15m; units are ms, s, "
                         "m, h, d); then it is new "
                         "again. Most kinds take "
                         "longer to forget, up to twice as long; --kind decaying forgets at once");
  verb.add_option(
      "--memory", "SIZE", options.memory,
      "give the filter this much and no more (64MiB); without --fpr or a number of lines the "
      "other follows "
      "from "
      "it (default: as much as it takes)");
  verb.add_option("--fpr", "P", options.rate,
                  "share of new lines that may be taken for seen, and lost (default: 0.1%)");
  verb.add_option(
      "--keys", "N", options.keys,
      "distinct lines to expect, or those that come within a window of time (default: any number, "
      "in one filter after another, of which the first holds eight million)");
  verb.add_option("--kind", "KIND", options.kind,
                  "kind of filter (default: what the planner likes best)");
  verb.add_option("--key-file", "FILE", options.key_file.path,
                  "hash under this secret, 32 bytes or 64 hex digits, so that every run loses the "
                  "same lines (default: a fresh random key)");
  options.lines.declare(verb);
  verb.add_option("files", "FILE", options.files, "files of lines (default: standard input)");
  verb.add_flag("--json", options.json,
                "report as JSON, on standard error: the lines go to output");
}

// One filter after another, unless a kind is asked for by name, which then has to grow by itself.
bool any_number(const uniq_options& options) {
  return options.keys.empty() && options.memory.empty() && options.kind.empty() &&
         !options.window.given();
}

needs needs_of(const uniq_options& options) {
  needs wanted;
  wanted.fast = true;
  if (!options.memory.empty()) wanted.memory = parse_size(options.memory);
  if (!options.keys.empty()) wanted.keys = parse_count(options.keys);
  if (options.window.given()) {
    const window_length window = options.window.length(wanted.keys.has_value());
    wanted.window = true;
    wanted.window_milliseconds = window.milliseconds;
    // A line that comes again is an arrival itself before it is looked for.
    if (window.arrivals != 0) wanted.keys = std::min(window.arrivals + 1, max_keys);
  }
  const bool settled = wanted.memory && wanted.keys;
  if (!options.rate.empty()) wanted.rate = parse_ratio(options.rate);
  if (options.rate.empty() && !settled) wanted.rate = default_lost;
  if (wanted.window_milliseconds != 0 && !wanted.keys && !wanted.memory) {
    fail(errc::invalid, "--window " + options.window.text +
                            " needs --keys, how many lines come in that time, or --memory");
  }
  wanted.unknown_size = !wanted.keys && !wanted.memory;
  // What grows is asked stage by stage: some megabytes more to begin with save most of them.
  if (wanted.unknown_size && !wanted.window) wanted.keys = first_lines;
  if (any_number(options)) {
    wanted.unknown_size = false;
    wanted.rate = seen_lines::first_rate(*wanted.rate);
  }
  return wanted;
}

planned_filter choose(const uniq_options& options) {
  const needs wanted = needs_of(options);
  recommendation answer = options.kind.empty()
                              ? recommend(wanted)
                              : recommend(wanted, std::array{kind_ref(find_kind(options.kind))});
  if (answer.choices.empty()) {
    const auto able = std::ranges::find(answer.others, true, &left_out::able);
    const left_out& other = able != answer.others.end() ? *able : answer.others.front();
    fail(errc::unsupported,
         "no kind will do: " + std::string(other.kind->info.name) + ": " + other.reasons.front());
  }
  return answer.choices.front();
}

struct outcome {
  std::uint64_t lines = 0;
  std::uint64_t printed = 0;
  std::uint64_t most_at_once = 0;  // printed within a window of time, or in all if there is none
};

// How many lines were printed in the latest window of time, to a 64th of it.
class recently_printed {
 public:
  explicit recently_printed(std::uint64_t window) : window_(window) {}

  std::uint64_t add(std::uint64_t lines, std::uint64_t now) {
    constexpr std::uint64_t parts = 64;
    if (parts_.empty() || now - parts_.back().since > window_ / parts) parts_.push_back({now, 0});
    parts_.back().lines += lines;
    sum_ += lines;
    for (; now - parts_.front().since >= window_; parts_.pop_front()) sum_ -= parts_.front().lines;
    return sum_;
  }

 private:
  struct part {
    std::uint64_t since;
    std::uint64_t lines;
  };
  std::uint64_t window_;
  std::uint64_t sum_ = 0;
  std::deque<part> parts_;
};

hasher hash_for(const uniq_options& options) {
  if (const auto secret = options.key_file.secret()) return hasher(keyed_hash(*secret));
  return fresh_hash();
}

// Says which lines are new, and how many.
using insertion = std::function<std::uint64_t(std::span<const digest>, std::span<bool>)>;

outcome copy_new_lines(any_filter* timed, const insertion& insert, const hasher& hash,
                       const uniq_options& options) {
  const char delimiter = options.lines.format().delimiter;
  std::unique_ptr<bool[]> fresh;
  std::size_t room = 0;
  std::string text;
  outcome total;
  recently_printed recent(timed != nullptr ? timed->as<forgets>().window() : 0);
  key_input({}, options.files, options.lines)
      .each(hash, [&](const line_block& block, std::span<const digest> digests) {
        if (digests.size() > room) {
          room = digests.size();
          fresh = std::make_unique<bool[]>(room);
        }
        // A clock that is set back stands still for the filter.
        if (timed != nullptr)
          timed->as<keeps_time>().advance(std::max(system_time(), timed->as<keeps_time>().now()));
        const std::uint64_t printed = insert(digests, {fresh.get(), digests.size()});
        total.lines += digests.size();
        total.printed += printed;
        total.most_at_once =
            timed != nullptr
                ? std::max(total.most_at_once, recent.add(printed, timed->as<keeps_time>().now()))
                : total.printed;
        text = block.header;
        for (std::size_t i = 0; i < digests.size(); ++i) {
          if (fresh[i]) text.append(block.lines[block.line_of_key[i]]).push_back(delimiter);
        }
        print_text(text);
      });
  return total;
}

// What was printed is what was not lost, and only the cells know how many came.
std::optional<over_filling> over_filled_by(const outcome& total, const any_filter& filter,
                                           const planned_filter& plan) {
  // A window of arrivals has as many as it was made for, whatever comes.
  const bool fills_up =
      runs_on_time(filter) || !(plan.kind->can<forgets>() || plan.kind->can<grows>());
  if (!fills_up || total.most_at_once <= plan.promised.keys) return std::nullopt;
  return over_filling{.planned = plan.promised,
                      .keys = total.most_at_once,
                      .known = knowledge::at_least,
                      .rate = rate_now(filter),
                      .advice =
                          "that share of new lines was lost at the end: give more --memory, or "
                          "--keys for as many as there are"};
}

// What settles keys and memory leaves any rate open.
void require_sense(const planned_filter& plan) {
  if (plan.promised.rate < most_lost) return;
  fail(errc::invalid,
       fmt::format("{} for {} lines would take {} of new lines for seen, and lose them; give more "
                   "--memory or fewer --keys, or --fpr {} to have it so",
                   format_size(plan.bytes), format_count(plan.promised.keys),
                   format_ratio(plan.promised.rate), format_real(plan.promised.rate)));
}

json report_of(const outcome& total, const planned_filter& plan, std::uint64_t bytes,
               promise promised, const std::optional<over_filling>& over) {
  return {{"lines", total.lines},
          {"printed", total.printed},
          {"kind", plan.kind->info.name},
          {"bytes", bytes},
          {"promised", to_json(promised)},
          {"over_filled", to_json(over)},
          {"rate_at_end", over ? over->rate : promised.rate}};
}

exit_status run_any_number(const uniq_options& options) {
  const planned_filter first = choose(options);
  const hasher hash = hash_for(options);
  seen_lines seen(first, hash.identity());
  const outcome total = copy_new_lines(
      nullptr, [&](auto lines, auto fresh) { return seen.insert(lines, fresh); }, hash, options);
  if (options.json) {
    json report = report_of(total, first, seen.bytes(), seen.promised(), std::nullopt);
    report["filters"] = seen.filters();
    fmt::print(stderr, "{}\n", report.dump(2));
  }
  return exit_status::found;
}

exit_status run(const uniq_options& options) {
  if (any_number(options)) return run_any_number(options);
  const planned_filter plan = choose(options);
  if (options.rate.empty()) require_sense(plan);
  const hasher hash = hash_for(options);
  any_filter filter = plan.create(hash.identity());
  const auto insert = [&](std::span<const digest> lines, std::span<bool> fresh) {
    return filter.as<inserts>().insert(lines, fresh);
  };
  const outcome total =
      copy_new_lines(runs_on_time(filter) ? &filter : nullptr, insert, hash, options);
  const auto over = over_filled_by(total, filter, plan);
  if (options.json) {
    fmt::print(stderr, "{}\n", report_of(total, plan, filter.bytes(), plan.promised, over).dump(2));
  } else if (over) {
    const std::string window =
        runs_on_time(filter) ? ", its window " + options.window.text + "," : "";
    tell(to_text(*over, fmt::format("a filter of {}{}", format_size(plan.bytes), window)));
  }
  return exit_status::found;
}

}  // namespace

void add_uniq(verb_list& verbs) {
  verbs.add<uniq_options>(
      "uniq",
      "Copy lines the first time they are seen, in input order\n"
      "Lines are neither sorted nor kept: a filter remembers them, in far less memory. "
      "A share of new lines, --fpr, is taken for seen and lost.",
      "  printf '%s\\n' red blue red green blue | bloomery uniq\n"
      "  (seq 500; seq 1000) | bloomery uniq --keys 2k --fpr 0.01% | wc -l\n"
      "  yes | head -n 100 | bloomery uniq --window 10",
      declare, run);
}

}  // namespace bloomery::cli
