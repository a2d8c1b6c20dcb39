// build: a filter from lines, in one pass.
#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "distinct.hpp"
#include "insert_lines.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct build_options {
  std::string kind = "standard";
  std::string rate = "1%";
  std::string keys;
  std::string memory;
  std::vector<std::string> fields;
  std::string seed;
  bool integers = false;
  key_file_option key_file;
  line_options lines;
  std::string output;
  std::vector<std::string> files;
  bool json = false;
};

void declare(CLI::App& verb, build_options& options) {
  verb.add_option("--kind", options.kind, "kind of filter; `bloomery kinds` lists them")
      ->type_name("K")
      ->capture_default_str();
  verb.add_option("--fpr", options.rate, "false-positive rate to promise")
      ->type_name("P")
      ->capture_default_str();
  verb.add_option("--keys", options.keys,
                  "distinct keys to size for (default: count them, 24 bytes of memory each, as is "
                  "done anyway for a kind that is built from all keys at once)")
      ->type_name("N");
  verb.add_option("--memory", options.memory, "refuse a filter larger than this (64MiB)")
      ->type_name("SIZE");
  verb.add_option("--set", options.fields,
                  "set a field of the shape; `bloomery kinds KIND` lists them")
      ->type_name("FIELD=VALUE");
  auto* seed = verb.add_option("--seed", options.seed, "seed of the hash (default: a fixed one)")
                   ->type_name("S");
  verb.add_flag("--integers", options.integers, "keys are decimal numbers below 2^64");
  options.key_file.declare(verb);
  verb.get_option("--key-file")->excludes(seed)->excludes("--integers");
  options.lines.declare(verb);
  verb.add_option("-o,--output", options.output, "where to write the filter; - is standard output")
      ->required()
      ->type_name("OUT");
  verb.add_option("files", options.files, "files of keys, one per line (default: standard input)")
      ->type_name("FILE");
  declare_json(verb, options.json);
}

// Decimal, or hexadecimal after 0x, as `info` prints it.
std::uint64_t parse_seed(const std::string& text) {
  const bool hexadecimal = text.starts_with("0x");
  const std::string_view digits = std::string_view(text).substr(hexadecimal ? 2 : 0);
  std::uint64_t seed = 0;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), seed, hexadecimal ? 16 : 10);
  if (problem != std::errc{} || end != digits.data() + digits.size()) {
    fail(errc::invalid, "the seed is '" + text + "'; expected a number below 2^64 (7 or 0x2a)");
  }
  return seed;
}

hasher chosen_hash(const build_options& options) {
  if (const auto secret = options.key_file.secret()) return hasher(keyed_hash(*secret));
  const std::uint64_t seed = options.seed.empty() ? default_seed : parse_seed(options.seed);
  if (options.integers) return hasher(integer_hash(seed));
  return hasher(xxh3_hash(seed));
}

// The fields given by --set, by position; nothing where the plan decides.
std::vector<std::optional<field_value>> fixed_fields(const kind_entry& kind,
                                                     const std::vector<std::string>& settings) {
  std::vector<std::optional<field_value>> fixed(kind.fields.size());
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    const auto field = std::ranges::find(kind.fields, name, &field_info::name);
    if (equals == std::string::npos || field == kind.fields.end()) {
      std::string known;
      for (const field_info& info : kind.fields) known += " " + std::string(info.name);
      fail(errc::invalid, "--set " + setting + ": expected FIELD=VALUE with a field of " +
                              std::string(kind.info.name) + ":" + known);
    }
    fixed[static_cast<std::size_t>(field - kind.fields.begin())] =
        parse_field(*field, std::string_view(setting).substr(equals + 1));
  }
  return fixed;
}

bool all_fixed(const std::vector<std::optional<field_value>>& fixed) {
  return std::ranges::all_of(fixed, [](const auto& field) { return field.has_value(); });
}

struct sized {
  std::vector<field_value> shape;
  promise promised;
};

// Refuses what takes more than --memory.
sized within(const kind_entry& kind, sized plan, const std::string& memory) {
  const std::uint64_t bytes = kind.payload_bytes(plan.shape);
  if (!memory.empty() && bytes > parse_size(memory)) {
    fail(errc::limit, "the filter would take " + format_size(bytes) + ", over the --memory of " +
                          memory + " (" + shape_text(kind, plan.shape) + ")");
  }
  return plan;
}

// A plan with some fields overruled keeps its promise or is refused. With all fields fixed there is
// nothing to plan or promise.
sized planned(const kind_entry& kind, const std::vector<std::optional<field_value>>& fixed,
              std::uint64_t keys, double rate) {
  std::vector<field_value> shape;
  if (all_fixed(fixed)) {
    for (const auto& field : fixed) shape.push_back(*field);
    return {std::move(shape), {}};
  }
  shape = kind.plan_shape(keys, rate);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = fixed[i].value_or(shape[i]);
  const double predicted = kind.predicted_rate(shape, keys);
  if (predicted > rate) {
    fail(errc::invalid, "with " + shape_text(kind, shape) + " and " + format_count(keys) +
                            " keys the rate would be " + format_ratio(predicted) + ", over the " +
                            format_ratio(rate) + " asked for; set every field, or a higher --fpr");
  }
  return {std::move(shape), {keys, rate}};
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

any_filter build(const build_options& options) {
  const kind_entry& kind = find_kind(options.kind);
  if (!kind.can.build) {
    fail(errc::unsupported, "a " + options.kind + " filter cannot be built from lines");
  }
  const auto fixed = fixed_fields(kind, options.fields);
  const double rate = parse_ratio(options.rate);
  const hasher hash = chosen_hash(options);
  const unsigned threads = options.lines.thread_count();
  progress shown;
  line_source source(options.files, options.lines.format().delimiter, shown);

  const bool size_known = all_fixed(fixed) || !options.keys.empty();
  if (size_known && kind.can.insert) {
    const std::uint64_t keys = options.keys.empty() ? 0 : parse_count(options.keys);
    const auto [shape, promised] = within(kind, planned(kind, fixed, keys, rate), options.memory);
    any_filter filter = kind.create(shape, hash.identity(), promised);
    insert_lines(filter, hash, source, options.lines, shown);
    return filter;
  }
  // What cannot be promised or understood is refused before the input is read.
  if (!all_fixed(fixed)) (void)kind.plan_shape(keys_to_size_for(options.keys, 0), rate);
  if (!options.memory.empty()) (void)parse_size(options.memory);
  digest_spool spool = hash_lines(hash, source, options.lines, shown);
  const std::uint64_t keys = keys_to_size_for(options.keys, count_distinct(spool, threads));
  const auto [shape, promised] = within(kind, planned(kind, fixed, keys, rate), options.memory);
  if (!kind.can.insert) {
    return kind.build(shape, joined(std::move(spool)), hash.identity(), promised, threads);
  }
  any_filter filter = kind.create(shape, hash.identity(), promised);
  insert_spool(filter, spool, threads);
  return filter;
}

exit_status run(const build_options& options) {
  const location target(options.output);
  const any_filter filter = build(options);
  target.save(filter);
  if (options.json) print_json(filter_json(filter));
  return exit_status::found;
}

}  // namespace

void add_build(const verb_list& verbs) {
  verbs.add<build_options>(
      "build", "Build a filter from lines: a key per line, one pass",
      "  bloomery build --fpr 1% -o words.bloom /usr/share/dict/words\n"
      "  cut -f2 access.tsv | bloomery build --kind blocked --keys 10M --fpr 0.1% -o seen.bloom",
      declare, run);
}

}  // namespace bloomery::cli
