// systems: what the papers build of filters, and how to run it here.
#include <fmt/format.h>

#include "bloomery/apps/systems/registry.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using systems::system_info;

struct systems_options {
  std::string id;
  bool needs = false;
  bool json = false;
};

void declare(command& verb, systems_options& options) {
  verb.add_option("id", "ID", options.id, "describe this system");
  verb.add_flag("--needs", options.needs,
                "only the Debian packages of its experiment, or of all, one a line");
  declare_json(verb, options.json);
}

json system_json(const system_info& each) {
  json settings = json::array();
  for (const lab::setting& setting : each.settings()) {
    settings.push_back(
        {{"name", setting.name}, {"default", setting.standard}, {"help", setting.help}});
  }
  return {{"id", each.id},         {"name", each.name},   {"pattern", systems::name_of(each.where)},
          {"source", each.source}, {"does", each.does},   {"figure", each.figure},
          {"verb", each.verb},     {"needs", each.needs}, {"settings", settings}};
}

void print_system(const system_info& each) {
  print_paragraph(fmt::format("{}: {} ({})", each.id, each.name, each.source));
  print_paragraph(each.does);
  fmt::print("\n");
  std::vector<std::vector<std::string>> facts{
      {"the filter stands", std::string(systems::sentence_of(each.where)) + " (" +
                                std::string(systems::name_of(each.where)) + ")"},
      {"its figure", std::string(each.figure)},
      {"its experiment", "bloomery lab " + std::string(each.id)}};
  if (!each.verb.empty()) facts.push_back({"in use", "bloomery " + std::string(each.verb)});
  if (!each.needs.empty()) facts.push_back({"needs", std::string(each.needs)});
  print_table(facts);
  if (each.settings().empty()) return;
  fmt::print("\n");
  std::vector<std::vector<std::string>> rows{{"setting", "meaning"}};
  for (const lab::setting& setting : each.settings()) {
    const std::string usual(setting.standard.empty() ? "none" : setting.standard);
    rows.push_back(
        {std::string(setting.name), std::string(setting.help) + " (default: " + usual + ")"});
  }
  print_table(rows);
}

void print_needs(std::span<const system_info> wanted) {
  for (const system_info& each : wanted) {
    std::string_view rest = each.needs;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      fmt::print("{}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

void print_all() {
  std::vector<std::vector<std::string>> rows{{"id", "pattern", "system"}};
  for (const system_info& each : systems::all_systems()) {
    rows.push_back({std::string(each.id), std::string(systems::name_of(each.where)),
                    std::string(each.name) + ". " + std::string(each.does)});
  }
  print_table(rows);
  fmt::print("\n");
  print_paragraph("`bloomery systems ID` tells more of one, and `bloomery lab ID` runs it.");
}

exit_status run(const systems_options& options) {
  const auto all = systems::all_systems();
  const auto wanted = options.id.empty() || options.id == "all"
                          ? all
                          : std::span(&systems::find_system(options.id), 1);
  if (options.needs) {
    print_needs(wanted);
  } else if (options.json) {
    json told = json::array();
    for (const system_info& each : wanted) told.push_back(system_json(each));
    print_json(wanted.size() == 1 && !options.id.empty() ? told[0] : told);
  } else if (wanted.size() == 1 && !options.id.empty()) {
    print_system(wanted.front());
  } else {
    print_all();
  }
  return exit_status::found;
}

}  // namespace

void add_systems(verb_list& verbs) {
  verbs.add<systems_options>("systems", "List what the papers build of filters, or tell of one",
                             "  bloomery systems\n"
                             "  bloomery systems O1",
                             declare, run);
}

}  // namespace bloomery::cli
