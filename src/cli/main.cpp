// bloomery: filters of lines, from the command line.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>

#include "bloomery/core/error.hpp"
#include "bloomery/wire/file_writer.hpp"
#include "options.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

// Takes a half-written file away, then dies of the signal as if unhandled.
void on_signal(int signal) {
  wire::abandon_write();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

exit_status complain(const std::string& message) {
  fmt::print(stderr, "bloomery: {}\n", message);
  return exit_status::error;
}

exit_status run(int argc, char** argv) {
  exit_status status = exit_status::found;
  CLI::App app("Bloom filters: build, query, combine, plan and measure them.", "bloomery");
  app.set_version_flag("--version", BLOOMERY_VERSION);
  app.require_subcommand(1);
  app.footer(
      "\n`bloomery VERB --help` explains a verb and ends in two examples.\n"
      "Exit status: 0 found, done or healthy; 1 not; 2 error.");
  const verb_list verbs{app, status};
  add_build(verbs);
  add_add(verbs);
  add_query(verbs);
  add_info(verbs);
  add_kinds(verbs);
  add_plan(verbs);
  add_rate(verbs);
  add_figures(verbs);
  add_union(verbs);
  add_intersect(verbs);
  add_fold(verbs);
  add_estimate(verbs);
  add_doctor(verbs);
  add_bench(verbs);
  const auto known = app.get_subcommands([](const CLI::App* /*verb*/) { return true; });
  if (argc > 1 && argv[1][0] != '-' &&
      std::ranges::none_of(known, [&](CLI::App* verb) { return verb->check_name(argv[1]); })) {
    return complain(fmt::format("'{}' is not a verb (see bloomery --help)", argv[1]));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help) == 0 ? exit_status::found : exit_status::error;
  } catch (const CLI::ParseError& misuse) {
    return complain(fmt::format("{} (see bloomery --help)", misuse.what()));
  }
  if (std::fflush(stdout) != 0) return complain("standard output cannot be written");
  return status;
}

}  // namespace
}  // namespace bloomery::cli

int main(int argc, char** argv) {
  using bloomery::cli::complain;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, bloomery::cli::on_signal);
  auto status = bloomery::cli::exit_status::error;
  try {
    bloomery::cli::remember_invocation(argc, argv);
    status = bloomery::cli::run(argc, argv);
  } catch (const bloomery::error& problem) {
    status = complain(problem.what());
  } catch (const std::bad_alloc&) {
    status = complain("out of memory");
  } catch (const std::exception& problem) {
    status = complain(problem.what());
  }
  return static_cast<int>(status);
}
