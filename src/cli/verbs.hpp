// The verbs of the tool, one file each. add_x puts verb x, its options and its examples on the
// command line; when the user chose it, its exit status goes to `status`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

namespace bloomery::cli {

// As grep's.
enum class exit_status { found = 0, not_found = 1, error = 2 };

struct verb_list {
  CLI::App& app;
  exit_status& status;

  // `Options` lives as long as the parser; `run` is called after parsing.
  template <class Options>
  void add(const std::string& name, const std::string& summary, const std::string& examples,
           void (*declare)(CLI::App&, Options&), exit_status (*run)(const Options&)) const {
    CLI::App* verb = app.add_subcommand(name, summary);
    verb->footer("\nExamples:\n" + examples);
    const auto options = std::make_shared<Options>();
    declare(*verb, *options);
    verb->callback([&result = status, options, run] { result = run(*options); });
  }
};

void add_build(const verb_list& verbs);
void add_add(const verb_list& verbs);
void add_query(const verb_list& verbs);
void add_info(const verb_list& verbs);
void add_kinds(const verb_list& verbs);
void add_plan(const verb_list& verbs);
void add_rate(const verb_list& verbs);
void add_figures(const verb_list& verbs);
void add_union(const verb_list& verbs);
void add_intersect(const verb_list& verbs);
void add_fold(const verb_list& verbs);
void add_estimate(const verb_list& verbs);
void add_doctor(const verb_list& verbs);
void add_bench(const verb_list& verbs);

}  // namespace bloomery::cli
