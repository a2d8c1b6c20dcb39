// map set: other values for keys that are in a map.
#include <fmt/format.h>

#include <algorithm>

#include "bloomery/any/planner.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "input.hpp"
#include "location.hpp"
#include "map_pairs.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct map_set_options {
  std::string filter;
  std::vector<std::string> files;
  key_file_option key_file;
  line_options lines;
  bool json = false;
};

void declare(command& verb, map_set_options& options) {
  verb.add_option("filter", options.filter, "the map to change").required().type_name("MAP");
  verb.add_option("files", options.files, "files of KEY<TAB>VALUE (default: standard input)")
      .type_name("FILE");
  options.key_file.declare(verb);
  options.lines.declare_pairs(verb);
  declare_json(verb, options.json);
}

// The number of a value: itself, or its place among the map's names.
std::uint64_t number_of(const any_filter& map, std::string_view value) {
  const auto& names = map.record().names;
  if (!names.empty()) {
    const auto name = std::ranges::find(names, value);
    if (name == names.end()) {
      fail(errc::invalid, fmt::format("'{}' is none of the map's {} values", value, names.size()));
    }
    return static_cast<std::uint64_t>(name - names.begin());
  }
  const auto number = as_number(value);
  if (!number) fail(errc::invalid, fmt::format("the value '{}' is no number", value));
  return *number;
}

// Whether a value that is set takes the place of the old one, which only the kind knows; a small map
// is asked.
void require_overwriting(const any_kind& kind) {
  if (!kind.can<sets_values>()) {
    fail(errc::unsupported, a_filter(kind.info.name) +
                                " cannot change values; build it again, or as bloomier-mutable");
  }
  constexpr digest key{1, 2};
  constexpr keyed_value before{key, 0};
  constexpr keyed_value after{key, 1};
  any_filter small = kind.build_map(kind.plan_map(1, default_rate, 2), {&before, 1}, {}, {}, 1);
  small.set_values({&after, 1});
  mapped answer;
  small.values({&key, 1}, {&answer, 1});
  if (answer != mapped{mapped::state::present, after.value}) {
    fail(errc::unsupported, a_filter(kind.info.name) +
                                " keeps the old value beside one that is set; build it again, or "
                                "as bloomier-mutable or state-machine");
  }
}

exit_status run(const map_set_options& options) {
  const location where(options.filter);
  any_filter map = where.load();
  require_overwriting(map.kind());
  const hasher hash = options.key_file.for_filter(map.record().hash);
  std::uint64_t done = 0;
  std::vector<std::string> strangers;
  key_input({}, options.files, options.lines)
      .each_pair(hash, [&](std::string_view key, digest d, std::string_view value) {
        const keyed_value entry{d, number_of(map, value)};
        if (map.set_values({&entry, 1}) != 0) {
          ++done;
        } else {
          strangers.emplace_back(key);
        }
      });
  if (done != 0) where.save(map);
  const std::uint64_t asked = done + strangers.size();
  report_left(strangers, asked, "are not in the map and were not set");
  if (options.json) print_json({{"asked", asked}, {"set", done}, {"not_set", strangers}});
  return done != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_map_set(verb_list& verbs) {
  verbs.add<map_set_options>("map set",
                             "Change values of keys that are in a map, and name those that are not",
                             "  printf 'db17.example\\teu-west\\n' | bloomery map set regions.map\n"
                             "  bloomery map set regions.map moved.tsv --json",
                             declare, run);
}

}  // namespace bloomery::cli
