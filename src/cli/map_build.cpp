// map build: values for keys, from lines KEY<TAB>VALUE.
#include <algorithm>

#include "bloomery/any/planner.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "changed_file.hpp"
#include "input.hpp"
#include "map_pairs.hpp"
#include "options.hpp"
#include "report.hpp"
#include "sizing.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct map_build_options {
  std::string kind;
  std::string rate = "1%";
  shape_option shape;
  hash_options hash;
  line_options lines;
  std::string output;
  std::vector<std::string> files;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, map_build_options& options) {
  verb.add_option("--kind", "K", options.kind,
                  "kind of map; `bloomery kinds` lists them (default: what takes least room)");
  verb.add_option("--fpr", "P", options.rate, "how many strangers may be given a value")
      .show_default();
  options.shape.declare(verb);
  options.hash.declare(verb);
  options.lines.declare_pairs(verb);
  declare_output(verb, options.output, "the map");
  verb.add_option("files", "FILE", options.files,
                  "files of KEY<TAB>VALUE (default: standard input)");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

const any_kind& map_kind(const std::string& name, std::uint64_t keys, double rate,
                         std::uint64_t values) {
  if (!name.empty()) {
    const any_kind& kind = find_kind(name);
    if (!kind.can<maps>()) refuse(kind, " stores no values");
    return kind;
  }
  needs wanted;
  wanted.keys = keys;
  wanted.rate = rate;
  wanted.values = values;
  wanted.fixed_set = true;
  const recommendation answer = recommend(wanted);
  if (answer.choices.empty()) {
    fail(errc::unsupported, "no kind holds " + format_count(values) +
                                " values: numbers are kept "
                                "as they are, so number them from 0, or name them");
  }
  return *answer.choices.front().kind;
}

exit_status run(const map_build_options& options) {
  const key_input source({}, options.files, options.lines);
  std::vector<std::string> inputs = source.files_read();
  inputs.push_back(options.hash.key_file.path);
  changed_file target(options.output, options.lock, inputs);
  const double rate = parse_ratio(options.rate);
  const hasher hash = options.hash.chosen();
  if (!options.kind.empty()) (void)map_kind(options.kind, 1, rate, 1);
  map_pairs input;
  source.each_pair(hash, [&](std::string_view key, digest d, std::string_view value) {
    input.add(key, d, value);
  });
  input.settle();
  const std::uint64_t values = input.values();
  const std::uint64_t most = std::max<std::uint64_t>(1, input.distinct_keys());
  const any_kind& kind = map_kind(options.kind, most, rate, values);
  // A bank, if asked for, keeps a key in several classes; elsewhere it would be a mistake.
  if (options.kind.empty() || !kind.can<classifies>()) input.require_one_value_each();
  const auto [shape, promised] = planned(kind, options.shape.fixed(kind), most, rate, [&] {
    return kind.as<maps>().plan_map(most, rate, values);
  });
  any_filter map = kind.as<maps>().build_map(shape, input.entries(), hash.identity(), promised,
                                             options.lines.thread_count());
  map.set_names(input.names());
  target.save(map);
  if (options.json) print_json(filter_json(map));
  return exit_status::found;
}

}  // namespace

void add_map_build(verb_list& verbs) {
  verbs.add<map_build_options>("map build", "Build a map from lines of a key and its value",
                               "  bloomery map build -o regions.map host-region.tsv\n"
                               "  bloomery map build --kind bloomier-mutable --fpr 0.1% -o m m.tsv",
                               declare, run);
}

}  // namespace bloomery::cli
