// bloomery: filters of lines, from the command line.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "bloomery/any/secure_kinds.hpp"
#include "bloomery/bits/memory/file_writer.hpp"
#include "location.hpp"
#include "message.hpp"
#include "options.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

// Takes a half-written file away, then dies of the signal as if unhandled.
void on_signal(int signal) {
  bits::abandon_write();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// What ends a program that does nothing about it. A sanitizer that does, or whoever started us with a
// signal ignored (nohup), is left alone.
void handle_signals() {
  struct sigaction handled {};
  handled.sa_handler = on_signal;
  const auto handle = [&](int signal) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL) {
      ::sigaction(signal, &handled, nullptr);
    }
  };
  for (const int signal : {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
                           SIGFPE,  SIGUSR1,   SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGSTKFLT,
                           SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSYS,  SIGTERM}) {
    handle(signal);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) handle(signal);
  std::signal(SIGXFSZ, SIG_IGN);  // the write fails instead, and can be told of
}

// Some destructors allocate, those of JSON for one: what they throw when memory has run out cannot be caught.
[[noreturn]] void on_terminate() {
  bits::abandon_write();
  try {
    if (const std::exception_ptr problem = std::current_exception())
      std::rethrow_exception(problem);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view told = "bloomery: out of memory\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, told.data(), told.size());
    ::_exit(static_cast<int>(exit_status::error));
  } catch (...) {  // a fault of ours
  }
  std::abort();
}

exit_status complain(const std::string& message) {
  tell(message);
  return exit_status::error;
}

void add_maps(verb_list& verbs) {
  verbs.group("map", "Keep a value with each key, and no key",
              "A map answers with the value that a key was given. For a key that it was never "
              "given it says "
              "so, but for a share of them, --fpr, which get a value all the same. Lines are KEY, "
              "a tab and "
              "VALUE; values are numbers, or names.");
  add_map_build(verbs);
  add_map_get(verbs);
  add_map_set(verbs);
}

void add_index(verb_list& verbs) {
  verbs.group(
      "index", "Keep a filter on each of many documents, in one file",
      "A shelf has a small filter for each document, file or segment of a table's columns. "
      "It names those that may have what is searched for, and leaves out none that has it.");
  add_index_build(verbs);
  add_index_search(verbs);
  add_index_like(verbs);
}

void add_words(verb_list& verbs) {
  verbs.group("words", "Spell and hyphenate texts, and screen passwords",
              "The first uses of filters: a dictionary that takes a tenth of its size, a list of "
              "poor passwords that knows what is near them, and hyphenation by a few rules with a "
              "table of the words that do not follow them.");
  add_words_spell(verbs);
  add_words_list(verbs);
  add_words_screen(verbs);
  add_words_hyphenate(verbs);
}

void add_cache(verb_list& verbs) {
  verbs.group("cache", "Tell other caches what is here, and ask what is there",
              "Proxies that know by a filter what their neighbours hold ask only those that may "
              "have a page. These verbs speak with Squid by its cache digests, with each other "
              "by summaries that follow what changes, and with a server of annotations.");
  add_cache_serve(verbs);
  add_cache_fetch(verbs);
  add_cache_ask(verbs);
  add_cache_share(verbs);
}

void add_node(verb_list& verbs) {
  verbs.group("node", "Find who holds something among many hosts",
              "Hosts that each hold some keys tell each other of them by filters, which are small, "
              "and ask only those that may have what is looked for. A node is a program that runs "
              "on each host; anybody who can connect to one may ask it.");
  add_node_run(verbs);
  add_node_ask(verbs);
}

exit_status run(int argc, char** argv) {
  verb_list verbs;
  verbs.section("Build and change");
  add_build(verbs);
  add_add(verbs);
  add_remove(verbs);
  add_age(verbs);
  add_retouch(verbs);
  verbs.section("Ask");
  add_query(verbs);
  add_count(verbs);
  add_top(verbs);
  add_uniq(verbs);
  add_info(verbs);
  add_estimate(verbs);
  verbs.section("Combine and send");
  add_union(verbs);
  add_intersect(verbs);
  add_fold(verbs);
  add_plain(verbs);
  add_compress(verbs);
  add_convert(verbs);
  add_copy(verbs);
  add_diff(verbs);
  add_patch(verbs);
  verbs.section("With others");
  add_join(verbs);
  add_sync(verbs);
  verbs.section("Plan and judge");
  add_plan(verbs);
  add_kinds(verbs);
  add_rate(verbs);
  add_doctor(verbs);
  add_bench(verbs);
  add_figures(verbs);
  verbs.section("Maps");
  add_maps(verbs);
  verbs.section("Texts");
  add_search(verbs);
  add_near(verbs);
  verbs.section("Networks");
  add_advertise(verbs);
  add_route(verbs);
  verbs.section("Systems");
  add_systems(verbs);
  add_lab(verbs);
  add_index(verbs);
  add_words(verbs);
  add_cache(verbs);
  add_node(verbs);
  verbs.section("Secrets");
  add_secret(verbs);
  verbs.section("This tool");
  add_man(verbs);
  add_completion(verbs);
  const exit_status status = verbs.parse_and_run(argc, argv);
  if (std::fflush(stdout) != 0) return complain("standard output cannot be written");
  return status;
}

}  // namespace
}  // namespace bloomery::cli

int main(int argc, char** argv) {
  using bloomery::cli::complain;
  bloomery::cli::handle_signals();
  std::set_terminate(bloomery::cli::on_terminate);
  auto status = bloomery::cli::exit_status::error;
  try {
    bloomery::register_secure_kinds();
    bloomery::cli::remember_invocation(argc, argv);
    status = bloomery::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    status = complain("out of memory");
  } catch (const bloomery::error& problem) {
    status = complain(bloomery::cli::named_problem(problem));
  } catch (const std::exception& problem) {
    status = complain(problem.what());
  }
  return static_cast<int>(status);
}
