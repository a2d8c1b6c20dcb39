// map set: other values for keys that are in a map.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "changed_file.hpp"
#include "input.hpp"
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
  lock_option lock;
  bool json = false;
};

void declare(command& verb, map_set_options& options) {
  verb.add_option("filter", "MAP", options.filter, "the map to change").required();
  verb.add_option("files", "FILE", options.files,
                  "files of KEY<TAB>VALUE (default: standard input)");
  options.key_file.declare(verb);
  options.lines.declare_pairs(verb);
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

// The number of a value: itself, or its place among the map's names.
std::uint64_t number_of(const any_filter& map, std::string_view value) {
  const name_list names = map.record().names;
  if (!names.empty()) {
    const auto name = std::ranges::find(names, value);
    if (name == names.end()) {
      fail(errc::invalid,
           fmt::format("{} is not one of the map's {} values", in_quotes(value), names.size()));
    }
    return static_cast<std::uint64_t>(name - names.begin());
  }
  const auto number = as_number(value);
  if (!number) fail(errc::invalid, "the value " + in_quotes(value) + " is not a number");
  return *number;
}

sets_values& overwriting(any_filter& map) {
  auto* setting = map.can<sets_values>();
  if (setting == nullptr) {
    refuse(map.kind(), " cannot change values; build it again, or as bloomier-mutable");
  }
  if (!setting->overwrites()) {
    refuse(map.kind(),
           " keeps the old value beside one that is set; build it again, "
           "or as bloomier-mutable or state-machine");
  }
  return *setting;
}

exit_status run(const map_set_options& options) {
  const key_input input({}, options.files, options.lines);
  std::vector<std::string> inputs = unless_replaced(options.filter, options.filter);
  inputs.push_back(options.key_file.path);
  std::ranges::copy(input.files_read(), std::back_inserter(inputs));
  changed_file where(options.filter, options.lock, inputs);
  any_filter map = where.load();
  sets_values& setting = overwriting(map);
  const hasher hash = options.key_file.for_filter(map.record().hash);
  std::uint64_t done = 0;
  std::vector<std::string> strangers;
  input.each_pair(hash, [&](std::string_view key, digest d, std::string_view value) {
    if (setting.set_value(d, number_of(map, value))) {
      ++done;
    } else {
      strangers.emplace_back(key);
    }
  });
  if (done != 0) where.save(map);
  where.release();
  const std::uint64_t asked = done + strangers.size();
  report_left(strangers, asked, "are not in the map and were not set");
  if (options.json) {
    json report{{"asked", asked}, {"set", done}, {"not_set", strangers}};
    where.report(report);
    print_json(report);
  }
  return done != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_map_set(verb_list& verbs) {
  verbs.add<map_set_options>(
      "map set",
      "Change the values of keys that are in a map\n"
      "Names the keys that are not. Not every kind can: bloomier-mutable and "
      "state-machine do.",
      "  printf 'db1\\teu\\ndb2\\tus\\n' > where.tsv\n"
      "  bloomery map build --kind bloomier-mutable -o where.map where.tsv\n"
      "  printf 'db1\\tus\\n' | bloomery map set where.map\n"
      "  bloomery map get where.map db1\n"
      "  bloomery map set --json where.map where.tsv",
      declare, run);
}

}  // namespace bloomery::cli
