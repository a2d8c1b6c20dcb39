// build: a filter from lines, in one pass.
#include "build.hpp"

#include "bloomery/any/planner.hpp"
#include "bloomery/core/error.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

std::string format_names() {
  std::string names;
  for (const foreign::format& each : foreign::formats()) {
    (names += names.empty() ? "" : ", ") += each.info->name;
  }
  return names;
}

void declare(command& verb, build_options& options) {
  verb.add_option("--kind", "KIND", options.kind,
                  "kind of filter; `bloomery kinds` lists them (default: " +
                      std::string(default_kind().info.name) +
                      ", or with --window what the planner likes best)");
  verb.add_option("--fpr", "P", options.rate, "false-positive rate to promise").show_default();
  verb.add_option("--keys", "N", options.keys,
                  "distinct keys to size for (default: count them, which takes 24 to 48 bytes of "
                  "memory each, and for kinds that are not built whole reads the input twice)");
  options.window.declare(
      verb,
      "remember only the latest N keys, or those of a DURATION (15m; units are ms, s, m, h, d) in "
      "which about --keys come");
  verb.add_option("--memory", "SIZE", options.memory,
                  "refuse a filter that is, or grows, larger than this (64MiB)");
  verb.add_option("--error", "E", options.error,
                  "size it so that counts are at most this share of all occurrences too high, with "
                  "the --confidence, instead of by --fpr, for kinds that bound it (" +
                      kinds_that<bounds_error>() + ")");
  verb.add_option("--confidence", "P", options.confidence, "with which the --error holds")
      .show_default();
  verb.add_option(
      "--weights", "FILE", options.weights,
      "how often keys are asked for, in lines KEY<TAB>QUERIES[<TAB>MEMBERSHIP], for "
      "kinds that serve popular keys better; MEMBERSHIP is the chance that it is one of "
      "the keys (default: the share of those listed that are)");
  verb.add_option(
          "--ranges", "BITS", options.range_bits,
          "lines are numbers of so many bits, each counted in the BITS + 1 ranges that it "
          "lies in, so that `bloomery count --range` can ask how many came between two, for "
          "kinds that count")
      .between(1, 64);
  verb.add_flag("--sources", options.sources,
                "column 1 names the source of the text that follows, for kinds that search texts");
  verb.add_flag("--transmit", options.transmit,
                "make a bit filter sparse, to be small once compressed, within --memory or " +
                    std::to_string(sparse_memory) + " times the usual");
  verb.add_option("--format", "FORMAT", options.format,
                  "write the file of another program instead, with its hashes: " + format_names());
  options.shape.declare(verb);
  options.hash.declare(verb);
  options.clock.declare(verb);
  options.lines.declare(verb);
  declare_output(verb, options.output, "the filter");
  verb.add_option("files", "FILE", options.files,
                  "files of keys, one per line (default: standard input)");
  verb.add_option("--shards", "N|SIZE", options.shards,
                  "spread it over so many keys of the Redis Cluster that --output names, or over "
                  "as many as make each at most this large (64MiB)");
  options.acknowledged.declare(verb);
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

const any_kind& chosen_kind(const build_options& options) {
  if (!options.kind.empty()) return find_kind(options.kind);
  const window_length window = options.window_given();
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
  return default_kind();
}

// With --error, the fields that --set leaves open are those of a sketch of that error: nothing is planned
// from keys and a rate, and no rate is promised.
build_options with_error(build_options options, const any_kind& kind) {
  if (options.error.empty()) return options;
  if (!kind.can<bounds_error>()) {
    refuse(kind, " is not sized by the error of its counts; kinds that are: " +
                     kinds_that<bounds_error>());
  }
  const auto values = kind.as<bounds_error>().for_error(parse_ratio(options.error),
                                                        1 - parse_confidence(options.confidence));
  const auto fixed = options.shape.fixed(kind);
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const field_info& field = kind.fields[i];
    if (fixed[i]) continue;
    options.shape.settings.push_back(std::string(field.name) + "=" +
                                     format_value(field, values[i]));
  }
  return options;
}

built build(const build_options& given) {
  const any_kind& kind = chosen_kind(given);
  const build_options options = with_error(given, kind);
  options.clock.require_use(kind, kind.can<keeps_time>());
  if (options.sources && !kind.can<searches>()) refuse(kind, " tells no sources apart");
  if (!options.weights.empty() && !kind.can<weighs>()) refuse(kind, " takes no weights");
  if (kind.can<reads_texts>()) return build_texts(kind, options);
  if (kind.can<guards>()) return build_secret(kind, options);
  if (!kind.takes_keys()) refuse(kind, " cannot be built from lines");
  if (options.window.given() && !kind.can<forgets>())
    refuse(kind, " keeps no window: it never forgets a key");
  if (options.range_bits != 0) return build_ranges(kind, options);
  return options.weights.empty() ? build_keys(kind, options) : build_weighted(kind, options);
}

exit_status run(const build_options& options) {
  if (!options.shards.empty()) return build_in_shards(chosen_kind(options), options);
  options.acknowledged.require_unused(location(options.output).name());
  std::vector<std::string> inputs = options.input().files_read();
  inputs.insert(inputs.end(), {options.weights, options.hash.key_file.path});
  changed_file target(options.output, options.lock, inputs);
  if (!options.format.empty()) {
    const auto [theirs, items] = build_foreign(options);
    const std::vector<std::byte> file = theirs->save();
    target.save(byte_view(file));
    if (options.json) {
      json report = foreign_json(*theirs, file.size());
      report["items"] = items;
      print_json(report);
    }
    return exit_status::found;
  }
  const auto [filter, facts, told] = build_ours(options);
  target.save(filter);
  if (options.json) {
    json report = filter_json(filter);
    report.update(facts);
    print_json(report);
  } else if (options.output != "-") {
    print_text(told);
  }
  return exit_status::found;
}

}  // namespace

built build_ours(const build_options& options) {
  built made = build(options);
  require_within(made.filter, options.memory);
  return made;
}

void add_build(verb_list& verbs) {
  verbs.add<build_options>(
      "build",
      "Build a filter from lines, each of them a key\n"
      "Keys are the lines of the files, or of standard input. The filter never misses a "
      "key, but claims a share of those that it was not given: at most --fpr of them, "
      "as long as it holds no more than --keys. Without --keys they are counted first.",
      "  seq 1000 | sed s/^/user/ > users.txt\n"
      "  bloomery build --fpr 1% -o users.bloom users.txt\n"
      "  bloomery query users.bloom user7 stranger\n"
      "  seq 100000 | bloomery build --kind blocked --keys 100k --fpr 0.1% -o n.bloom\n"
      "  bloomery info n.bloom\n"
      "  seq 99 | sed s_^_http://example.org/_ > urls.txt\n"
      "  bloomery build --format squid-digest --fpr 5% -o urls.digest urls.txt\n"
      "  bloomery query urls.digest http://example.org/7",
      declare, run);
}

}  // namespace bloomery::cli
