// add: further keys into a filter that exists.
#include <fmt/format.h>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "insert_lines.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct add_options {
  std::string filter;
  std::vector<std::string> keys;
  std::vector<std::string> files;
  key_file_option key_file;
  line_options lines;
  bool json = false;
};

void declare(CLI::App& verb, add_options& options) {
  verb.add_option("filter", options.filter, "the filter to change")
      ->required()
      ->type_name("FILTER");
  verb.add_option("keys", options.keys, "keys to add (default: lines of standard input)")
      ->type_name("KEY");
  verb.add_option("-f,--file", options.files, "add the lines of this file")->type_name("FILE");
  options.key_file.declare(verb);
  options.lines.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const add_options& options) {
  const location where(options.filter);
  any_filter filter = where.load();
  if (!filter.kind().can.insert) {
    fail(errc::unsupported, "a " + std::string(filter.kind().info.name) +
                                " filter takes no keys once it is built; build it again from all");
  }
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  const std::uint64_t before = filter.record().items;
  std::uint64_t fresh = 0;
  for (const std::string& key : options.keys) {
    const digest d = hash(key);
    fresh += filter.insert({&d, 1});
  }
  if (options.keys.empty() || !options.files.empty()) {
    progress shown;
    line_source source(options.files, options.lines.format().delimiter, shown);
    fresh += insert_lines(filter, hash, source, options.lines, shown);
  }
  where.save(filter);
  if (options.json) {
    print_json({{"added", filter.record().items - before},
                {"new", fresh},
                {"filter", filter_json(filter)}});
  }
  return exit_status::found;
}

}  // namespace

void add_add(const verb_list& verbs) {
  verbs.add<add_options>("add", "Add keys to a filter",
                         "  bloomery add words.bloom zymurgical\n"
                         "  bloomery add seen.bloom < new-urls.txt",
                         declare, run);
}

}  // namespace bloomery::cli
