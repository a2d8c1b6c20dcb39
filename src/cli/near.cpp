// near: which texts are close to one that a distance-sensitive filter was given.
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

struct near_options {
  std::string filter;
  std::vector<std::string> texts;
  std::vector<std::string> files;
  bool hits = false;
  bool invert = false;
  key_file_option key_file;
  line_options lines;
  bool json = false;
};

void declare(command& verb, near_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter to ask").required();
  verb.add_keys("texts", "TEXT", options.texts,
                "what to ask for (default: lines of standard input)");
  verb.add_option("-f,--file", "FILE", options.files, "ask for the lines of this file");
  verb.add_flag("-v,--invert", options.invert, "select what is near nothing");
  verb.add_flag("--hits", options.hits, "print every text, with the number of arrays that know it");
  options.key_file.declare(verb);
  options.lines.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const near_options& options) {
  const any_filter filter = location(options.filter).open();
  if (!filter.kind().can<finds_near>())
    refuse(filter.kind(), " does not tell what is near; distance-sensitive does");
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  const line_format format = options.lines.format();
  std::uint64_t asked = 0;
  std::uint64_t selected = 0;
  json listed = json::array();
  const auto ask = [&](std::string_view text) {
    ++asked;
    const bool near = filter.as<reads_texts>().may_contain_text(text, &hash);
    const bool chosen = near != options.invert;
    selected += std::uint64_t{chosen};
    if (!chosen && !options.hits) return;
    if (options.json) {
      listed.push_back({{"text", text},
                        {"near", near},
                        {"hits", filter.as<finds_near>().nearness(text, &hash)}});
    } else if (options.hits) {
      print_text(fmt::format("{}{}{}{}", format.column(text), format.separator,
                             filter.as<finds_near>().nearness(text, &hash), format.delimiter));
    } else {
      print_text(fmt::format("{}{}", format.column(text), format.delimiter));
    }
  };
  const bool all = key_input(options.texts, options.files, options.lines).try_each_text(ask);
  if (options.json) {
    print_json({{"asked", asked}, {options.invert ? "far" : "near", selected}, {"texts", listed}});
  }
  if (!all) return exit_status::error;
  return selected != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_near(verb_list& verbs) {
  verbs.add<near_options>(
      "near",
      "Print the texts that are near one that a filter knows\n"
      "For distance-sensitive filters.",
      "  echo 'the quick brown fox jumps over the lazy dog' > known.txt\n"
      "  bloomery build --kind distance-sensitive --set near=0.3 -o fox.bloom known.txt\n"
      "  bloomery near fox.bloom 'the quick brown fox leaps over the lazy dog'\n"
      "  bloomery near --hits fox.bloom 'an entirely different matter'   # exits 1",
      declare, run);
}

}  // namespace bloomery::cli
