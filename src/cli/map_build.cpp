// map build: values for keys, from lines KEY<TAB>VALUE.
#include <algorithm>

#include "bloomery/any/planner.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/map_values.hpp"
#include "bloomery/math/numeric/search.hpp"
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
  verb.add_option(
      "--kind", "KIND", options.kind,
      "kind of map; `bloomery kinds` lists them (default: what takes least room of those that "
      "tell every key's value)");
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

const any_kind& named_kind(const std::string& name) {
  const any_kind& kind = find_kind(name);
  if (!kind.can<maps>()) refuse(kind, " stores no values");
  return kind;
}

bool tells_apart(const any_kind& kind, std::uint64_t keys, double rate, std::uint64_t values) {
  try {
    (void)kind.as<maps>().plan_map(keys, rate, values);
    return true;
  } catch (const error& problem) {
    if (problem.code() != errc::invalid && problem.code() != errc::limit) throw;
    return false;
  }
}

// How many values plans of the kind can tell apart.
std::uint64_t value_limit(const any_kind& kind, std::uint64_t keys, double rate) {
  const auto fits = [&](std::uint64_t values) { return tells_apart(kind, keys, rate, values); };
  return fits(math::max_map_values) ? math::max_map_values
                                    : math::largest_below(math::max_map_values, fits);
}

// Of the kinds that are built whole. They tell the value of each of their keys; in one that takes keys
// later as well, others' bits may make a key's value look like two.
const any_kind& best_kind(std::uint64_t keys, double rate, std::uint64_t largest) {
  std::vector<kind_ref> whole;
  for (const any_kind& kind : kinds()) {
    if (kind.can<maps>() && !kind.can<inserts>()) whole.emplace_back(kind);
  }
  needs wanted;
  wanted.keys = keys;
  wanted.rate = rate;
  wanted.values = math::values_up_to(largest);
  wanted.fixed_set = true;
  const recommendation answer = recommend(wanted, whole);
  if (!answer.choices.empty()) return *answer.choices.front().kind;
  fail(errc::limit, "no kind holds " + format_count(keys) + " keys with values up to " +
                        format_count(largest) + " at a rate of " + format_ratio(rate));
}

// The kinds that hold so large a value.
std::string roomier(std::uint64_t keys, double rate, std::uint64_t largest) {
  std::string names;
  for (const any_kind& kind : kinds()) {
    if (kind.can<maps>() && tells_apart(kind, keys, rate, math::values_up_to(largest))) {
      names.append(names.empty() ? "" : ", ").append(kind.info.name);
    }
  }
  return names.empty() ? ", and no kind holds larger ones" : " (larger ones: " + names + ")";
}

std::vector<field_value> planned_map(const any_kind& kind, std::uint64_t keys, double rate,
                                     std::uint64_t largest) {
  try {
    return kind.as<maps>().plan_map(keys, rate, math::values_up_to(largest));
  } catch (const error&) {
    const std::uint64_t limit = value_limit(kind, keys, rate);
    if (limit > largest) throw;
    refuse(kind, " holds values up to " + format_count(limit - 1) + roomier(keys, rate, largest) +
                     "; the largest here is " + format_count(largest) +
                     ". Numbers are kept as they are: number them from 0, or name them");
  }
}

exit_status run(const map_build_options& options) {
  const key_input source({}, options.files, options.lines);
  std::vector<std::string> inputs = source.files_read();
  inputs.push_back(options.hash.key_file.path);
  changed_file target(options.output, options.lock, inputs);
  const double rate = parse_ratio(options.rate);
  const hasher hash = options.hash.chosen();
  if (!options.kind.empty()) (void)named_kind(options.kind);
  map_pairs input;
  source.each_pair(hash, [&](std::string_view key, digest d, std::string_view value) {
    input.add(key, d, value);
  });
  input.settle();
  const std::uint64_t largest = input.largest_value();
  const std::uint64_t most = std::max<std::uint64_t>(1, input.distinct_keys());
  const any_kind& kind =
      options.kind.empty() ? best_kind(most, rate, largest) : named_kind(options.kind);
  // A bank, if asked for, keeps a key in several classes; elsewhere it would be a mistake.
  if (options.kind.empty() || !kind.can<classifies>()) input.require_one_value_each();
  const auto& told = kind.as<maps>();
  const auto plan = [&] { return planned_map(kind, most, rate, largest); };
  const auto rate_of = [&](const std::vector<field_value>& shape) {
    return told.rate_of_entries(shape, input.entries());
  };
  const auto around = [&](const std::vector<field_value>& shape) {
    return told.plan_entries(shape, input.entries(), rate);
  };
  const auto fixed = options.shape.fixed(kind);
  const auto [shape, promised] = told.sized_by_loads()
                                     ? planned(kind, fixed, most, rate, plan, rate_of, around)
                                     : planned(kind, fixed, most, rate, plan);
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
                               "  printf 'web1\\teu\\nweb2\\tus\\ndb1\\teu\\n' > hosts.tsv\n"
                               "  bloomery map build -o regions.map hosts.tsv\n"
                               "  bloomery map get regions.map web2\n"
                               "  bloomery map build --fpr 0.1% -o - hosts.tsv | bloomery info -",
                               declare, run);
}

}  // namespace bloomery::cli
