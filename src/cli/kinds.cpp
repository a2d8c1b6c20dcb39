// kinds: what each can do, derived from the code (the survey's Table II); or one kind's fields.
#include <fmt/format.h>

#include <array>

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

// What tells kinds apart at a glance: a letter each, and what it stands for.
struct trait {
  char letter;
  std::string_view meaning;
  bool (*has)(const any_kind&);
};
constexpr std::array traits{
    trait{'A', "keys can be added at any time", [](const any_kind& k) { return k.can<inserts>(); }},
    trait{'R', "keys can be removed", [](const any_kind& k) { return k.can<erases>(); }},
    trait{'C', "counts how often a key came", [](const any_kind& k) { return k.counts(); }},
    trait{'V', "holds a value for each key", [](const any_kind& k) { return k.can<maps>(); }},
    trait{'U', "two filters can be united", [](const any_kind& k) { return k.can<merges>(); }},
    trait{'G', "grows with its keys", [](const any_kind& k) { return k.can<grows>(); }},
    trait{'F', "forgets old keys", [](const any_kind& k) { return k.can<forgets>(); }},
    trait{'W', "favours keys by weight", [](const any_kind& k) { return k.can<weighs>(); }},
    trait{'M', "may miss keys that are in it",
          [](const any_kind& k) { return k.info.false_negatives; }},
};

void print_kind(const any_kind& kind) {
  print_paragraph(fmt::format("{}: {} ({})", kind.info.name, kind.info.title, kind.info.citation));
  print_paragraph(kind.info.answers);
  fmt::print("\n");
  for (const trait& each : traits) {
    if (each.has(kind)) fmt::print("  {}  {}\n", each.letter, each.meaning);
  }
  fmt::print("\n");
  std::vector<std::vector<std::string>> rows{{"field", "allowed", "meaning"}};
  for (const field_info& field : kind.fields) {
    rows.push_back({std::string(field.name), format_range(field), std::string(field.help)});
  }
  print_table(rows);
}

void print_all() {
  std::vector<std::vector<std::string>> rows{{"kind", "", "the question it answers"}};
  for (const trait& each : traits) rows.front()[1] += each.letter;
  for (const any_kind& kind : kinds()) {
    rows.push_back({std::string(kind.info.name), "", std::string(kind.info.answers)});
    for (const trait& each : traits) rows.back()[1] += each.has(kind) ? each.letter : '.';
  }
  print_table(rows);
  fmt::print("\n");
  for (const trait& each : traits) fmt::print("{}  {}\n", each.letter, each.meaning);
  fmt::print("\n");
  print_paragraph(
      "Kinds without A are built from all their keys at once, or of texts or under a secret. "
      "`bloomery kinds KIND` describes one, `bloomery plan` chooses one for you, and `bloomery "
      "compress` makes the file of any smaller.");
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
