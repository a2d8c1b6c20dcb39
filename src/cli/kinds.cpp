// kinds: the survey's Table II, derived from the code; or one kind's fields.
#include <fmt/format.h>

#include "bloomery/any/registry.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct kinds_options {
  std::string kind;
  bool json = false;
};

void declare(command& verb, kinds_options& options) {
  verb.add_option("kind", options.kind, "describe this kind and its fields").type_name("KIND");
  declare_json(verb, options.json);
}

json field_json(const field_value& value) {
  return std::visit([](auto v) { return json(v); }, value);
}

json kind_json(const kind_entry& kind) {
  json fields = json::array();
  for (const field_info& field : kind.fields) {
    fields.push_back({{"name", field.name},
                      {"help", field.help},
                      {"low", field_json(field.low)},
                      {"high", field_json(field.high)}});
    if (!field.names.empty()) fields.back()["names"] = field.names;
  }
  return {{"name", kind.info.name},
          {"title", kind.info.title},
          {"answers", kind.info.answers},
          {"counting", kind.counts()},
          {"deletion", kind.can.erase},
          {"popularity", kind.can.popularity},
          {"false_negatives", kind.info.false_negatives},
          {"output", kind.output()},
          {"merges", kind.can.merge},
          {"intersects", kind.can.intersect},
          {"folds", kind.can.fold},
          {"queries", kind.can.query},
          {"builds", kind.can.build},
          {"values", kind.can.value},
          {"texts", kind.can.text},
          {"guarded", kind.can.guard},
          {"inserts", kind.can.insert},
          {"measures", kind.can.measure},
          {"bounded", kind.can.bounded},
          {"grows", kind.can.grow},
          {"window", kind.can.window},
          {"time", kind.can.time},
          {"concurrent_insert", kind.can.insert_shared},
          {"citation", kind.info.citation},
          {"header", kind.info.header},
          {"fields", fields}};
}

std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

void print_kind(const kind_entry& kind) {
  fmt::print("{}: {} ({})\n{}\n\n", kind.info.name, kind.info.title, kind.info.citation,
             kind.info.answers);
  std::vector<std::vector<std::string>> rows{{"field", "allowed", "meaning"}};
  for (const field_info& field : kind.fields) {
    rows.push_back({std::string(field.name), format_range(field), std::string(field.help)});
  }
  print_table(rows);
}

void print_all() {
  std::vector<std::vector<std::string>> rows{{"kind", "answers", "counting", "deletion",
                                              "popularity", "false negatives", "output", "grows",
                                              "forgets", "citation"}};
  for (const kind_entry& kind : kinds()) {
    rows.push_back({std::string(kind.info.name), std::string(kind.info.answers),
                    yes_no(kind.counts()), yes_no(kind.can.erase), yes_no(kind.can.popularity),
                    yes_no(kind.info.false_negatives), std::string(kind.output()),
                    yes_no(kind.can.grow), yes_no(kind.can.window),
                    std::string(kind.info.citation)});
  }
  print_table(rows);
  fmt::print("\nAny of them can be stored compressed: bloomery compress.\n");
}

exit_status run(const kinds_options& options) {
  if (options.json) {
    json all = json::array();
    for (const kind_entry& kind : kinds()) all.push_back(kind_json(kind));
    print_json(options.kind.empty() ? all : kind_json(find_kind(options.kind)));
  } else if (options.kind.empty()) {
    print_all();
  } else {
    print_kind(find_kind(options.kind));
  }
  return exit_status::found;
}

}  // namespace

void add_kinds(verb_list& verbs) {
  verbs.add<kinds_options>("kinds", "List the kinds of filter and what each can do",
                           "  bloomery kinds\n"
                           "  bloomery kinds blocked",
                           declare, run);
}

}  // namespace bloomery::cli
