// The verbs of the tool, one file each. add_x puts verb x, its options and its examples on the
// command line. CLI11 does the work in verbs.cpp alone: it takes each file that includes it seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "description.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace bloomery::cli {

// As grep's.
enum class exit_status { found = 0, not_found = 1, error = 2 };

// One option of a verb; calls chain.
class option {
 public:
  explicit option(CLI::Option* held) : held_(held) {}

  option required();
  option show_default();
  option excludes(option other);
  option between(std::uint64_t low, std::uint64_t high);
  option separated_by(char delimiter);
  option expected(int least, int most);  // words
  option drawing();                      // a file that is to hold SVG, and should say so

 private:
  CLI::Option* held_;
};

// What a verb understands. Names are "-o,--output", or "file" for what stands by itself; `type` is what
// help calls the value.
class command {
 public:
  explicit command(CLI::App& held) : held_(&held) {}

  option add_option(const std::string& names, const std::string& type, std::string& value,
                    const std::string& help);
  option add_option(const std::string& names, const std::string& type,
                    std::vector<std::string>& value, const std::string& help);
  option add_option(const std::string& names, const std::string& type, std::uint64_t& value,
                    const std::string& help);
  option add_option(const std::string& names, const std::string& type, unsigned& value,
                    const std::string& help);
  option add_option(const std::string& names, const std::string& type,
                    std::optional<std::uint64_t>& value, const std::string& help);
  option add_flag(const std::string& names, bool& value, const std::string& help);
  // What stands by itself and is not a file: if there is one of that name, a note says how to have it read.
  option add_keys(const std::string& name, const std::string& type, std::vector<std::string>& value,
                  const std::string& help);

  [[nodiscard]] const std::vector<std::string>* keys() const {
    return keys_;
  }  // null if it has none

 private:
  CLI::App* held_;
  const std::vector<std::string>* keys_ = nullptr;
};

class verb_list {
 public:
  verb_list();
  ~verb_list();
  verb_list(const verb_list&) = delete;
  verb_list& operator=(const verb_list&) = delete;

  // The verbs that are added next are listed under this title.
  void section(const std::string& title) { section_ = title; }
  // Explains verbs whose names begin with the group's.
  void group(const std::string& name, const std::string& summary, const std::string& details);

  // `text` begins with a line for the list of verbs, and goes on with what else there is to say.
  // `examples` are shell commands that anybody can copy: they run one after another in an empty folder,
  // with status 0 but where `# exits 1` ends the line. `Options` lives as long as the parser; `run` is
  // called after parsing.
  template <class Options, class Run>
  void add(const std::string& name, const std::string& text, const std::string& examples,
           void (*declare)(command&, Options&), Run run) {
    const auto options = std::make_shared<Options>();
    add_verb(
        name, text, examples, [&](command& added) { declare(added, *options); },
        [options, run] { return run(*options); });
  }
  // A function may be overloaded: each verb calls its own `run`.
  template <class Options>
  void add(const std::string& name, const std::string& text, const std::string& examples,
           void (*declare)(command&, Options&), exit_status (*run)(const Options&)) {
    add<Options, exit_status (*)(const Options&)>(name, text, examples, declare, run);
  }

  // Runs the verb that was asked for; throws errc::invalid if the command line makes no sense.
  exit_status parse_and_run(int argc, char** argv);

  [[nodiscard]] tool_text description() const;

 private:
  struct added_verb {
    verb_text text;
    CLI::App* held;
  };

  void add_verb(const std::string& name, const std::string& text, const std::string& examples,
                const std::function<void(command&)>& declare, std::function<exit_status()> run);
  [[nodiscard]] std::string asked_for() const;  // "map get", as far as it was understood
  [[nodiscard]] std::string help(const std::string& name) const;
  [[noreturn]] void refuse_name(const std::string& name, std::string_view group) const;
  [[noreturn]] void refuse_extra(const std::string& verb) const;

  std::unique_ptr<CLI::App> app_;
  std::vector<added_verb> verbs_;
  std::vector<group_text> groups_;
  std::string section_;
  std::function<exit_status()> chosen_;
};

void add_build(verb_list& verbs);
void add_add(verb_list& verbs);
void add_remove(verb_list& verbs);
void add_query(verb_list& verbs);
void add_count(verb_list& verbs);
void add_top(verb_list& verbs);
void add_uniq(verb_list& verbs);
void add_map_build(verb_list& verbs);
void add_map_get(verb_list& verbs);
void add_map_set(verb_list& verbs);
void add_search(verb_list& verbs);
void add_near(verb_list& verbs);
void add_retouch(verb_list& verbs);
void add_age(verb_list& verbs);
void add_advertise(verb_list& verbs);
void add_route(verb_list& verbs);
void add_info(verb_list& verbs);
void add_kinds(verb_list& verbs);
void add_plan(verb_list& verbs);
void add_rate(verb_list& verbs);
void add_figures(verb_list& verbs);
void add_union(verb_list& verbs);
void add_intersect(verb_list& verbs);
void add_fold(verb_list& verbs);
void add_plain(verb_list& verbs);
void add_compress(verb_list& verbs);
void add_convert(verb_list& verbs);
void add_copy(verb_list& verbs);
void add_diff(verb_list& verbs);
void add_patch(verb_list& verbs);
void add_estimate(verb_list& verbs);
void add_doctor(verb_list& verbs);
void add_sync(verb_list& verbs);
void add_systems(verb_list& verbs);
void add_lab(verb_list& verbs);
void add_join(verb_list& verbs);
void add_cache_serve(verb_list& verbs);
void add_cache_fetch(verb_list& verbs);
void add_cache_ask(verb_list& verbs);
void add_cache_share(verb_list& verbs);
void add_node_run(verb_list& verbs);
void add_node_ask(verb_list& verbs);
void add_index_build(verb_list& verbs);
void add_index_search(verb_list& verbs);
void add_index_like(verb_list& verbs);
void add_words_hyphenate(verb_list& verbs);
void add_words_list(verb_list& verbs);
void add_words_screen(verb_list& verbs);
void add_words_spell(verb_list& verbs);
void add_secret(verb_list& verbs);
void add_bench(verb_list& verbs);
void add_man(verb_list& verbs);
void add_completion(verb_list& verbs);

}  // namespace bloomery::cli
