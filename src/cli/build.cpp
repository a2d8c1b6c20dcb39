// build: a filter from lines, in one pass.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "bloomery/any/planner.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/secure/oblivious.hpp"
#include "bloomery/filters/weighted/popularity.hpp"
#include "bloomery/filters/weighted/weighted.hpp"
#include "bloomery/math/kinds/secure_index.hpp"
#include "distinct.hpp"
#include "insert_lines.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "sizing.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct build_options {
  std::string kind;
  std::string rate = "1%";
  std::string keys;
  window_option window;
  std::string memory;
  std::string weights;
  bool sources = false;
  bool transmit = false;
  shape_option shape;
  hash_options hash;
  clock_option clock;
  line_options lines;
  std::string output;
  std::vector<std::string> files;
  bool json = false;
};

void declare(command& verb, build_options& options) {
  verb.add_option(
          "--kind", options.kind,
          "kind of filter; `bloomery kinds` lists them (default: standard, or scalable for "
          "standard input of unknown size unless --set names other fields than its, or with "
          "--window what the planner likes best)")
      .type_name("K");
  verb.add_option("--fpr", options.rate, "false-positive rate to promise")
      .type_name("P")
      .show_default();
  verb.add_option("--keys", options.keys,
                  "distinct keys to size for (default: count them, 24 bytes of memory each, as is "
                  "done anyway for a kind that is built from all keys at once)")
      .type_name("N");
  options.window.declare(
      verb,
      "remember only the latest N keys, or those of a DURATION (15m) in which about --keys come");
  verb.add_option("--memory", options.memory,
                  "refuse a filter that is, or grows, larger than this (64MiB)")
      .type_name("SIZE");
  verb.add_option(
          "--weights", options.weights,
          "how often keys are asked for, in lines KEY<TAB>QUERIES[<TAB>MEMBERSHIP], for "
          "kinds that serve popular keys better; MEMBERSHIP is the chance that it is one of "
          "the keys (default: the share of those listed that are)")
      .type_name("FILE");
  verb.add_flag("--sources", options.sources,
                "column 1 names the source of the text that follows, for kinds that search texts");
  verb.add_flag("--transmit", options.transmit,
                "make a bit filter sparse, to be small once compressed, within --memory or " +
                    std::to_string(sparse_memory) + " times the usual");
  options.shape.declare(verb);
  options.hash.declare(verb);
  options.clock.declare(verb);
  options.lines.declare(verb);
  verb.add_option("-o,--output", options.output, "where to write the filter; - is standard output")
      .required()
      .type_name("OUT");
  verb.add_option("files", options.files, "files of keys, one per line (default: standard input)")
      .type_name("FILE");
  declare_json(verb, options.json);
}

// Of a filter that grows with its keys.
void require_within(const any_filter& filter, const std::string& memory) {
  if (memory.empty() || filter.bytes() <= parse_size(memory)) return;
  fail(errc::limit, "the filter outgrows the --memory of " + memory + ": after " +
                        format_count(filter.record().items) + " keys it takes " +
                        format_size(filter.bytes()));
}

// The keys to size for: those stated, which must be enough for a kind that is built whole, or else
// those counted.
std::uint64_t keys_to_size_for(const std::string& stated, std::uint64_t counted) {
  if (stated.empty()) return std::max<std::uint64_t>(1, counted);
  const std::uint64_t keys = parse_count(stated);
  if (counted > keys) {
    fail(errc::limit, "the input has " + format_count(counted) +
                          " distinct keys, over the --keys " + stated +
                          "; leave --keys out to size for what comes");
  }
  return keys;
}

// The window, with --keys as its number of keys where it is a time.
window_length window_of(const build_options& options) {
  const window_length window = options.window.length(!options.keys.empty());
  if (window.milliseconds != 0 && options.keys.empty()) {
    fail(errc::invalid, "--window " + options.window.text +
                            " needs --keys: how many distinct keys come in that time");
  }
  return window;
}

const kind_entry& chosen_kind(const build_options& options) {
  if (!options.kind.empty()) return find_kind(options.kind);
  const window_length window = window_of(options);
  if (options.window.given()) {
    needs wanted;
    wanted.window = true;
    wanted.window_milliseconds = window.milliseconds;
    wanted.keys = window.arrivals != 0 ? window.arrivals : parse_count(options.keys);
    wanted.rate = parse_ratio(options.rate);
    const recommendation answer = recommend(wanted);
    if (answer.choices.empty()) {
      fail(errc::unsupported,
           "no kind keeps a window of " + options.window.text + " at " + options.rate);
    }
    return *answer.choices.front().kind;
  }
  const kind_entry& growing = find_kind("scalable");
  const bool unknown = options.keys.empty() && options.files.empty();
  return unknown && options.shape.names_fields_of(growing) ? growing : find_kind("standard");
}

std::vector<field_value> plan_shape(const kind_entry& kind, const build_options& options,
                                    std::uint64_t keys) {
  const double rate = parse_ratio(options.rate);
  if (!options.transmit) return kind.plan_shape(keys, rate);
  if (!kind.can.lay_out) {
    fail(errc::unsupported, a_filter(kind.info.name) + " is of one size, sent or not");
  }
  return least_on_the_wire(
      kind, keys, rate,
      options.memory.empty() ? std::nullopt : std::optional(parse_size(options.memory)));
}

// How many sources a shape tells apart; null if the kind tells none.
std::uint64_t* sources_of(const kind_entry& kind, std::vector<field_value>& shape) {
  const auto field = std::ranges::find(kind.fields, std::string_view("sources"), &field_info::name);
  if (field == kind.fields.end()) return nullptr;
  return &std::get<std::uint64_t>(shape[static_cast<std::size_t>(field - kind.fields.begin())]);
}

// What weights bring: rates over the questions listed and of keys that are not.
struct service {
  double listed = 0;
  double others = 0;
  bool plain = false;  // all keys alike
};

struct built {
  any_filter filter;
  std::optional<std::uint64_t> left_out;  // texts that were too short
  std::optional<service> told;            // of weights
};

// Texts are read whole, counted and then given to the filter: it may know them in parts.
built build_texts(const kind_entry& kind, const build_options& options) {
  const auto fixed = options.shape.fixed(kind);
  const double rate = parse_ratio(options.rate);
  const sourced_texts input = read_texts({}, options.files, options.lines, options.sources);
  const hash_identity hash = options.hash.chosen().identity();
  const std::uint64_t sources = input.names.size();
  const auto plan_for = [&](std::uint64_t keys) {
    sized plan = planned(kind, fixed, keys, rate, [&] {
      auto shape = kind.plan_shape(keys, rate);
      if (auto* const room = sources_of(kind, shape)) *room = std::max(*room, sources);
      return shape;
    });
    const auto* const room = sources_of(kind, plan.shape);
    if (room != nullptr && *room < sources) {
      fail(errc::limit, "the input names " + format_count(sources) +
                            " sources, over the --set sources=" + std::to_string(*room));
    }
    return plan;
  };
  const auto empty = [&](const sized& plan) {
    return kind.create(plan.shape, hash, plan.promised);
  };
  // What a text counts for, only the filter knows; a small one is asked.
  std::uint64_t counted = 0;
  if (!all_fixed(fixed) && options.keys.empty()) {
    any_filter small = empty(plan_for(1));
    insert_texts(small, input);
    counted = small.record().items;
  }
  const std::uint64_t keys = keys_to_size_for(options.keys, counted);
  any_filter filter = empty(within(kind, plan_for(keys), options.memory));
  const text_tally done = insert_texts(filter, input);
  report_left_out(done, input);
  filter.set_names(input.names);
  return {std::move(filter), done.left_out, std::nullopt};
}

// What the number of keys leaves open. The number of a document is its own, so that equal words set
// unrelated bits in two files; the protocol is that of the secret.
std::vector<field_value> plan_guarded(const kind_entry& kind, std::uint64_t keys, double rate,
                                      byte_view secret) {
  std::vector<field_value> shape = kind.plan_shape(keys, rate);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (kind.fields[i].name == "document") {
      std::array<std::byte, sizeof(std::uint64_t)> random{};
      secure::fill_random(random);
      shape[i] = load_le<std::uint64_t>(random.data());
    } else if (kind.fields[i].name == "protocol") {
      shape[i] = static_cast<std::uint64_t>(oblivious_secret::load(secret).known().protocol());
    }
  }
  return shape;
}

// The secret stands for the hash; repeats are left out, so that a seal knows how many words differ.
// What seals is sized by the length of the words alone: their number is what it hides.
any_filter build_guarded(const kind_entry& kind, const build_options& options) {
  const auto secret = options.hash.key_file.contents(kind.info.name);
  const double rate = parse_ratio(options.rate);
  std::set<std::string, std::less<>> texts;
  std::uint64_t bytes = 0;
  for_texts({}, options.files, options.lines, [&](std::string_view text) {
    bytes += text.size() + 1;
    if (!texts.contains(text)) texts.emplace(text);
  });
  const bool by_length = kind.can.seal && options.keys.empty();
  const std::uint64_t keys =
      keys_to_size_for(options.keys, by_length ? math::most_words(bytes) : texts.size());
  const auto [shape, promised] =
      within(kind,
             planned(kind, options.shape.fixed(kind), keys, rate,
                     [&] { return plan_guarded(kind, keys, rate, secret); }),
             options.memory);
  any_filter filter = kind.create(shape, {}, promised);
  filter.insert_guarded(secret, std::vector<std::string_view>(texts.begin(), texts.end()));
  if (kind.can.seal) filter.seal(secret, texts.size());
  return filter;
}

constexpr double most_queries = 1e100;  // so that no sum or product of weights overflows

// One line of --weights; the membership may be left open.
struct weight_line {
  double queries = 0;
  std::optional<double> membership;
};

weight_line parse_weight(std::string_view line, char separator, std::uint64_t number) {
  std::vector<std::string_view> columns;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(separator, start), line.size());
    columns.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  const auto refuse = [&](const std::string& problem) {
    fail(errc::invalid, "--weights, line " + format_count(number) + ": " + problem +
                            "; expected KEY<TAB>QUERIES[<TAB>MEMBERSHIP], QUERIES from 0 to " +
                            format_real(most_queries) + " and MEMBERSHIP from 0 to 1");
  };
  if (columns.size() < 2 || columns.size() > 3) {
    refuse(format_count(columns.size()) + (columns.size() == 1 ? " column" : " columns"));
  }
  const auto ratio = [&](std::size_t column, double most) {
    double value = -1;
    try {
      value = parse_ratio(columns[column]);
    } catch (const error&) {  // refused below
    }
    if (!(value >= 0 && value <= most)) refuse("'" + std::string(columns[column]) + "'");
    return value;
  };
  weight_line parsed;
  parsed.queries = ratio(1, most_queries);
  if (columns.size() == 3) parsed.membership = ratio(2, 1);
  return parsed;
}

// The lines of --weights. A chance of membership left out becomes the share of those that are.
std::vector<key_weight> read_weights(const build_options& options, const hasher& hash,
                                     std::span<const digest> members) {
  const std::unordered_set<std::uint64_t> known = [&] {
    std::unordered_set<std::uint64_t> set;
    for (const digest d : members) set.insert(d.lo);
    return set;
  }();
  std::vector<key_weight> weights;
  std::vector<std::size_t> open;
  std::uint64_t listed_members = 0;
  std::uint64_t lines_before = 0;
  line_options lines = options.lines;
  lines.field = 1;
  const char separator = lines.format().separator;
  for_keys(hash, {}, {options.weights}, lines,
           [&](const line_block& block, std::span<const digest> digests) {
             for (std::size_t i = 0; i < digests.size(); ++i) {
               const std::size_t line = block.line_of_key[i];
               const weight_line parsed =
                   parse_weight(block.lines[line], separator, lines_before + line + 1);
               if (!parsed.membership) open.push_back(weights.size());
               weights.push_back({digests[i], parsed.queries, parsed.membership.value_or(0)});
               listed_members += std::uint64_t{known.contains(digests[i].lo)};
             }
             lines_before += block.lines.size();
           });
  const double share =
      weights.empty() ? 0
                      : static_cast<double>(listed_members) / static_cast<double>(weights.size());
  for (const std::size_t i : open) weights[i].membership = share;
  return weights;
}

service service_of(const kind_entry& kind, std::span<const field_value> shape, std::uint64_t keys,
                   std::span<const key_weight> weights) {
  const auto by = [&]<class F>(std::type_identity<F> /*filter*/) {
    const auto s = shape_from<typename F::shape_type>(shape);
    return service{F::weighted_rate(s, keys, weights), F::predicted_rate(s, keys), s.listed == 0};
  };
  return kind.info.name == weighted_filter::kind.name ? by(std::type_identity<weighted_filter>())
                                                      : by(std::type_identity<popularity_filter>());
}

any_filter build_weighted(const kind_entry& kind, const build_options& options,
                          std::span<const digest> members, std::uint64_t keys, const hasher& hash,
                          std::optional<service>& told) {
  const double rate = parse_ratio(options.rate);
  const auto weights = read_weights(options, hash, members);
  const auto rate_of = [&](std::span<const field_value> shape) {
    return service_of(kind, shape, keys, weights).listed;
  };
  const auto weighed = [&] { return kind.plan_weighted(keys, rate, weights); };
  sized plan = planned(kind, options.shape.fixed(kind), keys, rate, weighed, rate_of);
  told = service_of(kind, plan.shape, keys, weights);
  // The rate asked for is that of the questions listed; strangers to the list may fare worse.
  if (plan.promised.keys != 0) plan.promised.rate = std::max(rate, told->others);
  const auto [shape, promised] = within(kind, std::move(plan), options.memory);
  return kind.build_weighted(shape, members, weights, hash.identity(), promised,
                             options.lines.thread_count());
}

// What --weights bring is told.
any_filter build_keys(const kind_entry& kind, const build_options& options,
                      std::optional<service>& told) {
  if (kind.can.guard) return build_guarded(kind, options);
  if (!kind.can.build) {
    fail(errc::unsupported, a_filter(kind.info.name) + " cannot be built from lines");
  }
  const window_length window = window_of(options);
  if (options.window.given() && !kind.can.window) {
    fail(errc::unsupported, a_filter(kind.info.name) + " keeps no window: it never forgets a key");
  }
  const auto fixed = options.shape.fixed(kind);
  const double rate = parse_ratio(options.rate);
  const hasher hash = options.hash.chosen();
  const unsigned threads = options.lines.thread_count();
  progress shown;
  line_source source(options.files, options.lines.format().delimiter, shown);

  // One that grows needs no size.
  const bool size_known =
      all_fixed(fixed) || !options.keys.empty() || window.arrivals != 0 || kind.can.grow;
  if (size_known && kind.can.insert && options.weights.empty()) {
    const std::uint64_t keys = !options.keys.empty()  ? parse_count(options.keys)
                               : window.arrivals != 0 ? window.arrivals
                                                      : default_first_keys;
    const auto [shape, promised] = within(
        kind,
        planned(kind, fixed, keys, rate,
                [&] {
                  return window.milliseconds == 0 ? plan_shape(kind, options, keys)
                                                  : kind.plan_time(keys, rate, window.milliseconds);
                }),
        options.memory);
    any_filter filter = kind.create(shape, hash.identity(), promised);
    options.clock.require_use(kind, filter.runs_on_time());
    if (options.memory.empty() || kind.can.insert_shared) {
      insert_lines(filter, hash, source, options.lines, options.clock, shown);
      return filter;
    }
    for_keys(hash, {}, options.files, options.lines,
             [&](const line_block& block, const std::vector<digest>& digests) {
               options.clock.advance(filter);
               insert_block(filter, block, digests);
               require_within(filter, options.memory);
             });
    return filter;
  }
  if (kind.can.window) {
    fail(errc::invalid,
         a_filter(kind.info.name) + " forgets: give --window, or --keys for the keys inside it");
  }
  // What cannot be promised or understood is refused before the input is read.
  if (!all_fixed(fixed)) (void)kind.plan_shape(keys_to_size_for(options.keys, 0), rate);
  if (!options.memory.empty()) (void)parse_size(options.memory);
  digest_spool spool = hash_lines(hash, source, options.lines, shown);
  const std::uint64_t keys = keys_to_size_for(options.keys, count_distinct(spool, threads));
  if (!options.weights.empty()) {
    return build_weighted(kind, options, joined(std::move(spool)), keys, hash, told);
  }
  const auto [shape, promised] = within(
      kind, planned(kind, fixed, keys, rate, [&] { return plan_shape(kind, options, keys); }),
      options.memory);
  if (!kind.can.insert) {
    return kind.build(shape, joined(std::move(spool)), hash.identity(), promised, threads);
  }
  any_filter filter = kind.create(shape, hash.identity(), promised);
  insert_spool(filter, spool, threads);
  return filter;
}

built build(const build_options& options) {
  const kind_entry& kind = chosen_kind(options);
  options.clock.require_use(kind, kind.can.time);
  if (options.sources && !kind.can.search) {
    fail(errc::unsupported, a_filter(kind.info.name) + " tells no sources apart");
  }
  if (!options.weights.empty() && !kind.can.popularity) {
    fail(errc::unsupported, a_filter(kind.info.name) + " takes no weights");
  }
  if (kind.can.text) return build_texts(kind, options);
  std::optional<service> told;
  any_filter filter = build_keys(kind, options, told);
  return {std::move(filter), std::nullopt, told};
}

std::string to_text(const service& told) {
  if (told.plain) {
    return "the weights change nothing: a plain filter, at " + format_ratio(told.others) +
           " for all keys\n";
  }
  return "questions listed: " + format_ratio(told.listed) +
         "; keys that are not: " + format_ratio(told.others) + "\n";
}

exit_status run(const build_options& options) {
  const location target(options.output);
  const auto [filter, left_out, told] = build(options);
  require_within(filter, options.memory);
  target.save(filter);
  if (options.json) {
    json report = filter_json(filter);
    if (left_out) report["left_out"] = *left_out;
    if (told) {
      report["weights"] = {
          {"listed_rate", told->listed}, {"other_rate", told->others}, {"used", !told->plain}};
    }
    print_json(report);
  } else if (told && options.output != "-") {
    print_text(to_text(*told));
  }
  return exit_status::found;
}

}  // namespace

void add_build(verb_list& verbs) {
  verbs.add<build_options>(
      "build", "Build a filter from lines: a key per line, one pass",
      "  bloomery build --fpr 1% -o words.bloom /usr/share/dict/words\n"
      "  cut -f2 access.tsv | bloomery build --kind blocked --keys 10M --fpr 0.1% -o seen.bloom",
      declare, run);
}

}  // namespace bloomery::cli
