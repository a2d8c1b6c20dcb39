// search: where texts occur in what a hierarchical filter was given.
#include <fmt/format.h>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct search_options {
  std::string filter;
  std::vector<std::string> texts;
  std::vector<std::string> files;
  key_file_option key_file;
  line_options lines;
  bool json = false;
};

void declare(command& verb, search_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter to search").required();
  verb.add_keys("texts", "TEXT", options.texts,
                "texts to look for (default: lines of standard input)");
  verb.add_option("-f,--file", "FILE", options.files, "look for the lines of this file");
  options.key_file.declare(verb);
  options.lines.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const search_options& options) {
  const any_filter filter = location(options.filter).open();
  if (!filter.kind().can<searches>()) {
    refuse(filter.kind(), " holds whole keys and cannot be searched; hierarchical can");
  }
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  const line_format format = options.lines.format();
  const auto& names = filter.record().names;
  bool found = false;
  json report = json::array();
  const auto look_for = [&](std::string_view text) {
    const std::vector<text_match> matches = filter.as<searches>().search(text, &hash);
    found |= !matches.empty();
    for (const text_match& match : matches) {
      const std::string source =
          match.source < names.size() ? names[match.source] : std::to_string(match.source);
      if (options.json) {
        report.push_back({{"text", text}, {"source", source}, {"offset", match.offset}});
      } else {
        print_text(fmt::format("{}{}{}{}{}{}", format.column(text), format.separator,
                               format.column(source), format.separator, match.offset,
                               format.delimiter));
      }
    }
  };
  const bool all = key_input(options.texts, options.files, options.lines).try_each_text(look_for);
  if (options.json) print_json(report);
  if (!all) return exit_status::error;
  return found ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_search(verb_list& verbs) {
  verbs.add<search_options>(
      "search",
      "Print where texts may occur: text, source and offset\n"
      "For hierarchical filters, which know the parts of the texts that they were "
      "given.",
      "  printf 'web\\tGET /index.html HTTP/1.1 Host: example.org\\n' > traffic.tsv\n"
      "  bloomery build --kind hierarchical --set block_bytes=4 --sources \\\n"
      "    -o traffic.bloom traffic.tsv\n"
      "  bloomery search traffic.bloom '/index.html HTTP'\n"
      "  bloomery search traffic.bloom 'GET /cgi-bin/phf'   # exits 1: nowhere",
      declare, run);
}

}  // namespace bloomery::cli
