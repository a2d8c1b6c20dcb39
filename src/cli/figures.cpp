// figures: the papers' figures, and our own, drawn again from running code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "figures/figure.hpp"
#include "message.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct figures_options {
  std::string directory;
  std::vector<std::string> names;
  bool json = false;
};

void declare(command& verb, figures_options& options) {
  verb.add_option("directory", "DIR", options.directory, "where to write NAME.svg and NAME.csv")
      .required();
  verb.add_option("names", "NAME", options.names, "draw these only (default: all)");
  declare_json(verb, options.json);
}

void require_known(const std::vector<std::string>& names) {
  std::string known;
  for (const figure& f : figures()) known += " " + std::string(f.name);
  for (const std::string& name : names) {
    if (std::ranges::find(figures(), std::string_view(name), &figure::name) == figures().end()) {
      fail(errc::invalid, in_quotes(name) + " is not a figure; known:" + known);
    }
  }
}

exit_status run(const figures_options& options) {
  require_known(options.names);
  std::error_code problem;
  std::filesystem::create_directories(options.directory, problem);
  if (problem) fail(errc::io, options.directory + ": " + problem.message());
  json written = json::array();
  for (const figure& f : figures()) {
    const std::string name(f.name);
    if (!options.names.empty() && std::ranges::count(options.names, name) == 0) continue;
    if (::isatty(STDERR_FILENO) != 0) tell("drawing " + name);
    drawing picture = f.draw();
    picture.command = "Drawn by: bloomery figures DIR " + name;
    const std::string path = (std::filesystem::path(options.directory) / name).string();
    save_text(to_svg(picture), path + ".svg");
    save_text(to_csv(picture), path + ".csv");
    if (options.json) {
      written.push_back({{"name", name},
                         {"title", picture.title},
                         {"source", picture.source},
                         {"svg", path + ".svg"},
                         {"csv", path + ".csv"}});
    } else {
      fmt::print("{}.svg\n{}.csv\n", path, path);
    }
  }
  if (options.json) print_json(written);
  return exit_status::found;
}

}  // namespace

void add_figures(verb_list& verbs) {
  verbs.add<figures_options>("figures", "Draw the figures of the papers again, from running code",
                             "  bloomery figures drawings broder-table-1\n"
                             "  bloomery figures drawings tarkoma-table-1 --json",
                             declare, run);
}

}  // namespace bloomery::cli
