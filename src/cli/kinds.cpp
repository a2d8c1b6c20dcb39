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
  verb.add_option("kind", "KIND", options.kind, "describe this kind and its fields");
  declare_json(verb, options.json);
}

json kind_json(const any_kind& kind) {
  json fields = json::array();
  for (const field_info& field : kind.fields) {
    fields.push_back({{"name", field.name},
                      {"help", field.help},
                      {"low", to_json(field.low)},
                      {"high", to_json(field.high)}});
    if (!field.names.empty()) fields.back()["names"] = field.names;
  }
  return {{"name", kind.info.name},
          {"title", kind.info.title},
          {"answers", kind.info.answers},
          {"counting", kind.counts()},
          {"deletion", kind.can<erases>()},
          {"popularity", kind.can<weighs>()},
          {"false_negatives", kind.info.false_negatives},
          {"output", kind.output()},
          {"merges", kind.can<merges>()},
          {"intersects", kind.can<intersects>()},
          {"folds", kind.can<folds>()},
          {"queries", kind.can<asks>()},
          {"builds", kind.takes_keys()},
          {"values", kind.can<maps>()},
          {"texts", kind.can<reads_texts>()},
          {"guarded", kind.can<guards>()},
          {"erased_keep_room", kind.info.erased_keep_room},
          {"inserts", kind.can<inserts>()},
          {"measures", kind.can<measures>()},
          {"bounded", kind.can<has_capacity>()},
          {"grows", kind.can<grows>()},
          {"window", kind.can<forgets>()},
          {"time", kind.can<keeps_time>()},
          {"concurrent_insert", kind.can<shares>()},
          {"abilities", kind.abilities()},
          {"citation", kind.info.citation},
          {"header", kind.info.header},
          {"fields", fields}};
}

std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

void print_kind(const any_kind& kind) {
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
  for (const any_kind& kind : kinds()) {
    rows.push_back({std::string(kind.info.name), std::string(kind.info.answers),
                    yes_no(kind.counts()), yes_no(kind.can<erases>()), yes_no(kind.can<weighs>()),
                    yes_no(kind.info.false_negatives), std::string(kind.output()),
                    yes_no(kind.can<grows>()), yes_no(kind.can<forgets>()),
                    std::string(kind.info.citation)});
  }
  print_table(rows);
  fmt::print("\nAny of them can be stored compressed: bloomery compress.\n");
}

exit_status run(const kinds_options& options) {
  if (options.json) {
    json all = json::array();
    for (const any_kind& kind : kinds()) all.push_back(kind_json(kind));
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
