// lab: runs the experiment of a system, and puts what it measures beside what was predicted.
#include <fmt/format.h>

#include <algorithm>

#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "chart.hpp"
#include "lab_host.hpp"
#include "lab_report.hpp"
#include "message.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using systems::system_info;

struct lab_options {
  std::vector<std::string> ids;
  std::vector<std::string> settings;
  std::uint64_t seed = 1;
  std::string plot;
  bool json = false;
};

void declare(command& verb, lab_options& options) {
  verb.add_option("ids", "ID", options.ids, "systems of `bloomery systems`, or all").required();
  verb.add_option("--set", "NAME=VALUE", options.settings,
                  "a setting of the experiment; `bloomery systems ID` lists them");
  verb.add_option("--seed", "N", options.seed, "where chance begins").show_default();
  verb.add_option("--plot", "FILE", options.plot, "draw what was measured into this SVG file")
      .drawing();
  declare_json(verb, options.json);
}

std::vector<const system_info*> wanted_systems(const std::vector<std::string>& ids) {
  std::vector<const system_info*> wanted;
  for (const std::string& id : ids) {
    if (id == "all") {
      for (const system_info& each : systems::all_systems()) wanted.push_back(&each);
    } else {
      wanted.push_back(&systems::find_system(id));
    }
  }
  return wanted;
}

lab::request::values parse_settings(const std::vector<std::string>& texts) {
  lab::request::values settings;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail(errc::invalid, "--set " + printable(text) + ": expected NAME=VALUE");
    }
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

lab::result run_one(const system_info& tried, const lab_options& options) {
  machine outside(tried.needs);
  outside.phase(fmt::format("{}: {}", tried.id, tried.name));
  try {
    return tried.run(
        lab::request(tried.settings(), parse_settings(options.settings), options.seed, outside));
  } catch (const error& problem) {
    fail(problem.code(), std::string(tried.id) + ": " + problem.what());
  }
}

exit_status run(const lab_options& options) {
  const auto wanted = wanted_systems(options.ids);
  if (wanted.size() > 1 && !(options.settings.empty() && options.plot.empty())) {
    fail(errc::invalid, "--set and --plot are for one system at a time");
  }
  json told = json::array();
  auto status = exit_status::found;
  for (const system_info* tried : wanted) {
    try {
      const lab::result found = run_one(*tried, options);
      if (options.json) {
        told.push_back(lab_json(*tried, options.seed, found));
      } else {
        print_lab(*tried, found);
      }
      if (!options.plot.empty()) save_text(to_svg(lab_drawing(*tried, found)), options.plot);
      if (!found.as_promised()) status = std::max(status, exit_status::not_found);
    } catch (const error& problem) {
      if (wanted.size() == 1) throw;
      tell(problem.what());  // and the others all the same
      status = exit_status::error;
    }
  }
  if (options.json) print_json(wanted.size() == 1 ? told[0] : told);
  return status;
}

}  // namespace

void add_lab(verb_list& verbs) {
  verbs.add<lab_options>(
      "lab",
      "Run the experiment of a system: measured beside predicted\n"
      "A line of each figure tells what was measured, the interval that the mathematics predicts, "
      "what "
      "the paper says and what a rival reached in the same run. The exit status is 1 if something "
      "happened that must never, or a figure left its interval, which chance alone does once in a "
      "million.",
      "  bloomery lab O1\n"
      "  bloomery lab O1 --set bits=64 --set frames=200 --json",
      declare, run);
}

}  // namespace bloomery::cli
