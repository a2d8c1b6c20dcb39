// plan: which kind, and how large, for what the user needs.
#include "bloomery/math/laws/plan.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "bloomery/any/planner.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "chart.hpp"
#include "options.hpp"
#include "report.hpp"
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
  bool json = false;
};

void declare(command& verb, plan_options& options) {
  const auto text = [&](const char* name, std::string& value, const char* help, const char* type) {
    return verb.add_option(name, value, help).type_name(type);
  };
  text("--keys", options.keys, "distinct keys to hold", "N");
  verb.add_flag("--unknown-size", options.wanted.unknown_size,
                "keys keep coming; --keys, if given, is where to start");
  text("--fpr", options.rate, "false-positive rate to promise (default: 1%)", "P");
  text("--memory", options.memory,
       "most memory to use (64MiB); without --fpr: the best rate within it, without --keys: the "
       "most keys",
       "SIZE");
  verb.add_flag("--deletes", options.wanted.removals, "keys will be removed");
  verb.add_flag("--multiplicity", options.wanted.multiplicity,
                "how often is a key in it, not only whether");
  verb.add_option("--values", options.value_bits, "a value of this many bits with each key")
      .type_name("BITS")
      .between(1, math::max_value_bits);
  options.window.declare(
      verb,
      "only the latest N keys, or those of a DURATION (15m) with --keys for how many come in it");
  verb.add_flag("--static", options.wanted.fixed_set, "all keys are known when it is built");
  verb.add_flag("--merge", options.wanted.merge, "filters built apart will be united");
  verb.add_flag(
      "--transmit", options.wanted.transmit,
      fmt::format("the size on the wire matters: bit filters are made sparse, of up to {} "
                  "times the memory unless --memory says, and travel compressed",
                  sparse_memory));
  text("--wire", options.wire,
       "most bytes to send (64KiB), compressed; without --fpr: the best rate within them", "SIZE");
  verb.add_flag("--fast", options.wanted.fast, "rank by memory traffic, then by size");
  verb.add_flag("--adversary", options.adversary, "people may choose keys to break it");
  const option none = verb.add_flag("--no-false-negatives", options.no_false_negatives,
                                    "never miss a key (the default)");
  text("--allow-false-negatives", options.false_negatives, "missing this share of keys is fine",
       "R")
      .excludes(none);
  text("--plot", options.plot, "draw rates against keys and against size", "FILE.svg");
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
  wanted.values = options.value_bits == 0 ? 0 : std::uint64_t{1} << options.value_bits;
  if (options.window.given()) {
    const window_length window = options.window.length(wanted.keys.has_value());
    wanted.window = true;
    wanted.window_milliseconds = window.milliseconds;
    if (window.arrivals != 0) wanted.keys = window.arrivals;
    if (window.milliseconds != 0 && !wanted.keys) {
      fail(errc::invalid, "--window " + options.window.text +
                              " needs --keys: how many distinct keys come in that time");
    }
  }
  if (!wanted.keys && !wanted.unknown_size && !(wanted.memory && wanted.rate)) {
    fail(errc::invalid, "give --keys N, or --unknown-size, or both --memory and --fpr");
  }
  return wanted;
}

std::string hashes_of(const planned_filter& plan) {
  const auto& fields = plan.kind->fields;
  const auto field = std::ranges::find(fields, std::string_view("hashes"), &field_info::name);
  if (field == fields.end()) return "-";
  return format_value(plan.shape[static_cast<std::size_t>(field - fields.begin())]);
}

// The lines that make the first choice: in C++, in a shell, in Redis.
struct recipe {
  std::vector<std::string> cpp;
  std::string shell;
  std::string redis;  // empty for a kind that Redis commands cannot fill
};

std::string with_separators(std::uint64_t value) {
  std::string text = format_count(value);
  std::replace(text.begin(), text.end(), ',', '\'');
  return text;
}

// A map is built whole, from digests and values.
recipe map_recipe(const planned_filter& plan, const std::string& type, const std::string& keys,
                  const std::string& rate, bool keyed) {
  recipe made;
  made.cpp = {fmt::format("#include \"{}\"", plan.kind->info.header), "",
              "// entries: for each key a bloomery::keyed_value, its digest and its value",
              fmt::format("using map = bloomery::{}_filter;", type),
              fmt::format("const auto filled = map::build(map::plan_map({}, {}, {}), entries);",
                          keys, rate, with_separators(plan.values))};
  made.shell = fmt::format("bloomery map build --kind {} --fpr {}{} -o MAP PAIRS",
                           plan.kind->info.name, rate, keyed ? " --key-file SECRET" : "");
  return made;
}

recipe recipe_for(const planned_filter& plan, bool keyed, const window_option& window) {
  std::string type(plan.kind->info.name);
  std::replace(type.begin(), type.end(), '-', '_');
  const std::string keys = with_separators(plan.promised.keys);
  const std::string rate = fmt::format("{}", plan.promised.rate);
  if (plan.values > 1) return map_recipe(plan, type, keys, rate, keyed);
  const bool inserts = plan.kind->can.insert;
  recipe made;
  made.cpp = {"#include \"bloomery/filters/hashed.hpp\"",
              fmt::format("#include \"{}\"", plan.kind->info.header), ""};
  const std::string name = fmt::format("bloomery::hashed<bloomery::{}_filter{}>", type,
                                       keyed ? ", bloomery::keyed_hash" : "");
  const std::string hash = keyed ? "bloomery::keyed_hash(secret)" : "";
  if (keyed) made.cpp.emplace_back("// secret: 32 bytes that nobody else knows");
  const bool as_planned =
      !plan.kind->can.lay_out ||
      plan.shape == plan.kind->plan_shape(plan.promised.keys, plan.promised.rate);
  const auto of_shape = [&](const std::string& shape) {
    made.cpp.push_back(fmt::format("{} filter(bloomery::{}_filter(", name, type));
    made.cpp.push_back(fmt::format("    {}, {}, {{{}, {}}}){});", shape,
                                   keyed ? hash + ".identity()" : "{}", keys, rate,
                                   keyed ? ", " + hash : ""));
  };
  const std::uint64_t milliseconds = window.length(false).milliseconds;
  if (!as_planned) {
    std::string fields;
    for (const field_value& value : plan.shape) {
      fields += (fields.empty() ? "" : ", ") + format_value(value);
    }
    of_shape("{" + fields + "}");
  } else if (milliseconds != 0) {
    of_shape(fmt::format("bloomery::{}_filter::plan({}, {}, {})", type, keys, rate,
                         with_separators(milliseconds)));
  } else if (inserts) {
    made.cpp.push_back(fmt::format("{} filter({}, {}{}", name, keys, rate, keyed ? "," : ");"));
    if (keyed) made.cpp.push_back(fmt::format("    {});", hash));
  } else {
    made.cpp.emplace_back("// keys: all of them, in a std::vector, say");
    made.cpp.push_back(fmt::format("auto filter = {}::build(", name));
    made.cpp.push_back(fmt::format("    keys, {}{}{});", rate, keyed ? ", " : "", hash));
  }
  // A kind that is built whole counts its keys.
  made.shell =
      fmt::format("bloomery build --kind {}{}{} --fpr {}{}{} -o FILTER KEYS", plan.kind->info.name,
                  inserts ? " --keys " + short_count(plan.promised.keys) : "",
                  milliseconds != 0 ? " --window " + window.text : "", rate,
                  as_planned ? "" : fmt::format(" --transmit --memory {}B", plan.bytes),
                  keyed ? " --key-file SECRET" : "");
  const capabilities& can = plan.kind->can;
  if (as_planned && inserts && !can.erase && !can.count && !can.window) {
    made.redis = fmt::format("BF.RESERVE KEY {} {}{}", rate, plan.promised.keys,
                             plan.kind->can.grow ? "" : " NONSCALING");
  }
  return made;
}

constexpr const char* rate_axis = "false-positive rate";

std::span<const planned_filter> drawn_choices(const recommendation& answer) {
  constexpr std::size_t most_kinds = 8;
  return std::span(answer.choices).first(std::min(answer.choices.size(), most_kinds));
}

// The first is drawn widest, so that a later one that coincides leaves its rim to be seen.
curve empty_curve(const planned_filter& plan, std::size_t place) {
  return {std::string(plan.kind->info.name),
          drawn::line,
          {},
          static_cast<int>(place) + 1,
          place == 0 ? 5.0 : 2.0};
}

// The shapes as planned, as they fill up and beyond.
panel rates_by_keys(const recommendation& answer) {
  constexpr int steps = 60;
  const promise first = answer.choices.front().promised;
  const auto smallest = static_cast<double>(first.keys) / 4;  // below lies nothing but tiny rates
  const auto largest = static_cast<double>(first.keys) * 2;
  panel shown{"as keys are added", {"keys", false, true}, {rate_axis, true}, {}};
  shown.curves.push_back(
      {"promised", drawn::dashes, {{smallest, first.rate}, {largest, first.rate}}});
  for (const planned_filter& plan : drawn_choices(answer)) {
    curve rates = empty_curve(plan, shown.curves.size() - 1);
    for (int i = 0; i <= steps; ++i) {
      const auto keys =
          static_cast<std::uint64_t>(std::ceil(smallest + (largest - smallest) * i / steps));
      rates.points.push_back(
          {static_cast<double>(keys), plan.kind->predicted_rate(plan.shape, keys)});
    }
    shown.curves.push_back(std::move(rates));
  }
  return shown;
}

// The same keys, in shapes planned for other rates.
panel rates_by_bits(const recommendation& answer) {
  constexpr int most_halvings = 14;
  const std::uint64_t keys = answer.choices.front().promised.keys;
  panel shown{"as bits are spent", {"bits per key"}, {rate_axis, true}, {}};
  for (const planned_filter& plan : drawn_choices(answer)) {
    curve rates = empty_curve(plan, shown.curves.size());
    for (int halvings = 2; halvings <= most_halvings; ++halvings) {
      needs wanted;
      wanted.keys = keys;
      wanted.rate = std::exp2(-halvings);
      const recommendation other = recommend(wanted, std::span(plan.kind, 1));
      if (other.choices.empty()) continue;  // beyond the largest filter
      rates.points.push_back(
          {other.choices.front().bits_per_key(), other.choices.front().predicted_rate});
    }
    shown.curves.push_back(std::move(rates));
  }
  shown.curves.push_back({"no filter below",
                          drawn::dashes,
                          {{2, std::exp2(-2)}, {most_halvings, std::exp2(-most_halvings)}}});
  return shown;
}

drawing draw(const recommendation& answer, std::vector<panel> panels) {
  const promise first = answer.choices.front().promised;
  return {.title = fmt::format("{} keys at {}", format_count(first.keys), format_ratio(first.rate)),
          .source = "Predicted by each kind's own exact formula.",
          .command = invocation(),
          .panels = std::move(panels),
          .cells = {}};
}

json to_json(const planned_filter& plan) {
  return {{"kind", plan.kind->info.name},
          {"shape", shape_json(*plan.kind, plan.shape)},
          {"keys", plan.promised.keys},
          {"promised_rate", plan.promised.rate},
          {"predicted_rate", plan.predicted_rate},
          {"predicted_false_negatives", plan.predicted_false_negatives},
          {"bytes", plan.bytes},
          {"wire_bytes", plan.wire_bytes},
          {"bits_per_key", plan.bits_per_key()},
          {"over_bound", plan.over_bound()},
          {"lines_absent", plan.cost.absent},
          {"lines_present", plan.cost.present}};
}

void report_json(const recommendation& answer, bool keyed, const window_option& window) {
  json plans = json::array();
  json others = json::array();
  for (const planned_filter& plan : answer.choices) plans.push_back(to_json(plan));
  for (const left_out& other : answer.others) {
    others.push_back({{"kind", other.kind->info.name}, {"reasons", other.reasons}});
  }
  json result{{"plans", plans}, {"left_out", others}};
  if (!answer.choices.empty()) {
    const planned_filter& first_plan = answer.choices.front();
    const recipe first = recipe_for(first_plan, keyed, window);
    result["lower_bound_bits_per_key"] = first_plan.bound(first_plan.promised.rate);
    result["first"] = {{"cpp", first.cpp},
                       {"shell", first.shell},
                       {"redis", first.redis.empty() ? json(nullptr) : json(first.redis)}};
  }
  print_json(result);
}

void report_choices(const recommendation& answer, const needs& wanted) {
  std::vector<std::string> heading{"kind",       "size",         "bits/key",      "k",
                                   "exact rate", "lines/query*", "over the bound"};
  if (wanted.transmit) heading.insert(heading.begin() + 2, "on the wire");
  const bool keys_differ = !wanted.keys && !wanted.unknown_size;
  if (keys_differ) heading.emplace_back("keys");
  heading.emplace_back("shape");
  std::vector<std::vector<std::string>> rows{std::move(heading)};
  for (const planned_filter& plan : answer.choices) {
    std::vector<std::string> row{
        std::string(plan.kind->info.name),
        format_size(plan.bytes),
        fmt::format("{:.3f}", plan.bits_per_key()),
        hashes_of(plan),
        format_ratio(plan.predicted_rate),
        fmt::format("{:.2f} | {:.2f}", plan.cost.absent, plan.cost.present),
        fmt::format("{:.2f} x", plan.over_bound()),
    };
    if (wanted.transmit) {
      row.insert(row.begin() + 2,
                 format_size(static_cast<std::uint64_t>(std::ceil(plan.wire_bytes))));
    }
    if (keys_differ) row.push_back(format_count(plan.promised.keys));
    row.push_back(shape_text(*plan.kind, plan.shape));
    rows.push_back(std::move(row));
  }
  print_table(rows);
  fmt::print("\n* cache lines per query: absent key | present key.");
  if (wanted.transmit) fmt::print(" On the wire: after an ideal entropy coder.");
  const planned_filter& first = answer.choices.front();
  fmt::print("\n  No {} without false negatives needs fewer than {:.3f} bits a key at {}.\n",
             first.values > 1 ? "map" : "filter", first.bound(first.promised.rate),
             format_ratio(first.promised.rate));
}

void report_recipe(const planned_filter& plan, bool keyed, const window_option& window) {
  const recipe made = recipe_for(plan, keyed, window);
  fmt::print("\nTo make the first, {}:\n\n", plan.kind->info.name);
  for (const std::string& line : made.cpp) fmt::print("{}{}\n", line.empty() ? "" : "  ", line);
  fmt::print("\n  {}\n", made.shell);
  if (!made.redis.empty()) fmt::print("\n  {}\n", made.redis);
}

void report_left_out(const recommendation& answer) {
  if (answer.others.empty()) return;
  fmt::print("\nLeft out:\n");
  std::vector<std::vector<std::string>> rows;
  for (const left_out& other : answer.others) {
    std::string reasons;
    for (const std::string& reason : other.reasons) {
      reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    rows.push_back({"  " + std::string(other.kind->info.name), reasons});
  }
  print_table(rows);
}

unsigned terminal_columns() {
  constexpr unsigned usual = 80;
  constexpr unsigned widest = 120;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < usual / 2) return usual;
  return std::min<unsigned>(size.ws_col, widest);
}

// Left out silently where there is no gnuplot: nobody asked for it.
void show_on_terminal(const recommendation& answer) {
  const drawing picture = draw(answer, {rates_by_keys(answer)});
  try {
    fmt::print("\n{}", to_characters(picture, terminal_columns()));
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported) throw;
  }
}

exit_status run(const plan_options& options) {
  const needs wanted = parsed(options);
  const recommendation answer = recommend(wanted);
  if (!options.plot.empty()) {
    if (answer.choices.empty()) fail(errc::invalid, "nothing to plot: no kind qualifies");
    save_text(to_svg(draw(answer, {rates_by_keys(answer), rates_by_bits(answer)})), options.plot);
  }
  if (options.json) {
    report_json(answer, options.adversary, options.window);
  } else if (answer.choices.empty()) {
    fmt::print("No kind qualifies.\n");
    report_left_out(answer);
  } else {
    report_choices(answer, wanted);
    report_recipe(answer.choices.front(), options.adversary, options.window);
    report_left_out(answer);
    if (::isatty(STDOUT_FILENO) != 0) show_on_terminal(answer);
  }
  return answer.choices.empty() ? exit_status::not_found : exit_status::found;
}

}  // namespace

void add_plan(verb_list& verbs) {
  verbs.add<plan_options>("plan", "Choose and size a filter for what you need",
                          "  bloomery plan --keys 10M --fpr 0.1%\n"
                          "  bloomery plan --keys 500k --memory 1MiB --merge --plot plan.svg",
                          declare, run);
}

}  // namespace bloomery::cli
