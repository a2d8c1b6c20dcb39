#include "verbs.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/wire/envelope.hpp"
#include "location.hpp"
#include "message.hpp"
#include "wrap.hpp"

namespace bloomery::cli {
namespace {

// CLI11 would take -5 for 2^64 - 5, and the highest number for any that is higher.
template <class Number>
std::string no_whole_number(const std::string& text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc{} && end == text.data() + text.size()) return {};
  return fmt::format("{} is not a whole number from 0 to {}", in_quotes(text),
                     std::numeric_limits<Number>::max());
}

// CLI11 takes a word in brackets for a list and splits it at its commas. Such a word is marked before
// parsing, and the mark taken off where its value is used.
constexpr char mark = '\x01';
std::string marked(const std::string& word) {
  return word.starts_with('[') || word.starts_with(mark) ? mark + word : word;
}
std::string unmarked(std::string word) {
  if (word.starts_with(mark)) word.erase(0, 1);
  return word;
}

// A file whose lines somebody may have meant: it is there, and no filter.
bool is_file(const std::string& name) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(name, problem)) return false;
  std::array<char, 256> start{};
  std::ifstream file(name, std::ios::binary);
  file.read(start.data(), start.size());
  return wire::stated_bytes(std::as_bytes(std::span(start))) == 0;
}

bool given(const CLI::App& verb, const std::string& option) {
  const CLI::Option* const held = verb.get_option_no_throw(option);
  return held != nullptr && held->count() != 0;
}

// Who names a file where keys are expected most likely means its lines. Not who knows of --file, nor a
// program that wants to hear nothing.
void note_files(const CLI::App& verb, const std::vector<std::string>& keys) {
  if (given(verb, "--file") || given(verb, "--quiet")) return;
  const auto files = std::ranges::count_if(keys, is_file);
  if (files == 0) return;
  tell(fmt::format(
      "{} is taken as a key, though there is a file of that name{}; -f FILE reads the lines of one",
      in_quotes(*std::ranges::find_if(keys, is_file)),
      files == 1 ? "" : fmt::format(", as of {} others", files - 1)));
}

option_text text_of(const CLI::Option& held) {
  option_text text{.names = {},
                   .value = held.get_type_size() == 0 ? "" : held.get_type_name(),
                   .help = held.get_description(),
                   .default_value = held.get_default_str(),
                   .required = held.get_required(),
                   .repeats = held.get_expected_max() > 1};
  for (const std::string& name : held.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : held.get_lnames()) text.names.push_back("--" + name);
  return text;
}

// Of the terminal, up to what is pleasant to read.
std::size_t help_width() {
  constexpr std::size_t least = 40;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return page_width;
  return std::clamp<std::size_t>(size.ws_col, least, page_width);
}

bool reads_filters(const CLI::App& verb) {
  return std::ranges::any_of(verb.get_options(), [](const CLI::Option* held) {
    const std::string type = held->get_type_name();
    return type == "FILTER" || type == "MAP" || type == "OLD";
  });
}

}  // namespace

option option::required() {
  held_->required();
  return *this;
}
option option::show_default() {
  held_->capture_default_str();
  return *this;
}
option option::excludes(option other) {
  held_->excludes(other.held_);
  return *this;
}
option option::between(std::uint64_t low, std::uint64_t high) {
  held_->check([=](const std::string& text) {
    std::string problem = no_whole_number<std::uint64_t>(text);
    if (!problem.empty()) return problem;
    const std::uint64_t number = std::stoull(text);
    return number >= low && number <= high
               ? std::string()
               : fmt::format("{} is not from {} to {}", text, low, high);
  });
  return *this;
}
option option::separated_by(char delimiter) {
  held_->delimiter(delimiter);
  return *this;
}
option option::expected(int least, int most) {
  held_->expected(least, most);
  return *this;
}
option option::drawing() {
  held_->check([](const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    return ending.empty() || ending == ".svg"
               ? std::string()
               : fmt::format("{} does not end in .svg, and drawings are SVG", in_quotes(path));
  });
  return *this;
}

option command::add_option(const std::string& names, const std::string& type, std::string& value,
                           const std::string& help) {
  CLI::Option* const added =
      held_->add_option(names, value, help)->type_name(type)->transform(unmarked);
  if (names.starts_with('-')) {  // or it would pass for an option that was not given
    added->check([](const std::string& text) { return text.empty() ? "its value is empty" : ""; });
  }
  return option(added);
}
option command::add_option(const std::string& names, const std::string& type,
                           std::vector<std::string>& value, const std::string& help) {
  CLI::Option* const added =
      held_->add_option(names, value, help)->type_name(type)->transform(unmarked);
  // One word each time it is given, or it would swallow the arguments that follow.
  if (names.starts_with('-')) added->allow_extra_args(false);
  return option(added);
}
option command::add_option(const std::string& names, const std::string& type, std::uint64_t& value,
                           const std::string& help) {
  const auto whole = no_whole_number<std::uint64_t>;
  return option(held_->add_option(names, value, help)->type_name(type)->check(whole));
}
option command::add_option(const std::string& names, const std::string& type, unsigned& value,
                           const std::string& help) {
  const auto whole = no_whole_number<unsigned>;
  return option(held_->add_option(names, value, help)->type_name(type)->check(whole));
}
option command::add_option(const std::string& names, const std::string& type,
                           std::optional<std::uint64_t>& value, const std::string& help) {
  const auto whole = no_whole_number<std::uint64_t>;
  return option(held_->add_option(names, value, help)->type_name(type)->check(whole));
}
option command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return option(held_->add_flag(names, value, help));
}

option command::add_keys(const std::string& name, const std::string& type,
                         std::vector<std::string>& value, const std::string& help) {
  keys_ = &value;
  return add_option(name, type, value, help);
}

verb_list::verb_list()
    : app_(std::make_unique<CLI::App>(
          "Bloom filters and their kin: build, ask, combine, plan and measure them.", "bloomery")) {
  app_->set_version_flag("--version", BLOOMERY_VERSION);
  app_->set_help_flag("-h,--help", "print this help");
  app_->require_subcommand(1);
}

verb_list::~verb_list() = default;

void verb_list::group(const std::string& name, const std::string& summary,
                      const std::string& details) {
  app_->add_subcommand(name, summary)->require_subcommand(1);
  groups_.push_back({name, summary, details});
}

void verb_list::add_verb(const std::string& name, const std::string& text,
                         const std::string& examples, const std::function<void(command&)>& declare,
                         std::function<exit_status()> run) {
  const std::size_t space = name.find(' ');
  const bool grouped = space != std::string::npos;
  CLI::App* const parent = grouped ? app_->get_subcommand(name.substr(0, space)) : app_.get();
  CLI::App* const held = parent->add_subcommand(grouped ? name.substr(space + 1) : name);
  command added(*held);
  declare(added);
  if (reads_filters(*held)) {
    reading().declare(added, held->get_option_no_throw("--no-wait") == nullptr);
  }
  held->final_callback([this, held, keys = added.keys(), run = std::move(run)] {
    if (keys != nullptr) note_files(*held, *keys);
    chosen_ = run;
  });
  const std::size_t line = std::min(text.find('\n'), text.size());
  verbs_.push_back({{.name = name,
                     .section = section_,
                     .summary = text.substr(0, line),
                     .details = text.substr(std::min(line + 1, text.size())),
                     .examples = examples,
                     .arguments = {},
                     .options = {}},
                    held});
}

tool_text verb_list::description() const {
  tool_text tool{.summary = app_->get_description(), .verbs = {}, .groups = groups_};
  for (const added_verb& added : verbs_) {
    verb_text& verb = tool.verbs.emplace_back(added.text);
    for (const CLI::Option* held : std::as_const(*added.held).get_options()) {
      (held->get_positional() ? verb.arguments : verb.options).push_back(text_of(*held));
    }
    std::rotate(verb.options.begin(), verb.options.begin() + 1,
                verb.options.end());  // --help comes last
  }
  return tool;
}

std::string verb_list::asked_for() const {
  std::string name;
  const CLI::App* at = app_.get();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    name += (name.empty() ? "" : " ") + at->get_name();
  }
  return name;
}

std::string verb_list::help(const std::string& name) const {
  const tool_text tool = description();
  if (const verb_text* verb = tool.verb(name)) return verb_help(*verb, help_width());
  if (const group_text* group = tool.group(name)) return group_help(tool, *group, help_width());
  return tool_help(tool, help_width());
}

void verb_list::refuse_name(const std::string& name, std::string_view group) const {
  const tool_text tool = description();
  fail(errc::invalid, fmt::format("{} is not a verb{} (see bloomery{} --help)", in_quotes(name),
                                  did_you_mean(name, tool.names_in(group)),
                                  group.empty() ? "" : " " + std::string(group)));
}

void verb_list::refuse_extra(const std::string& verb) const {
  std::vector<std::string> extra = app_->remaining(true);
  for (std::string& word : extra) word = unmarked(std::move(word));
  const auto option = std::ranges::find_if(extra, [](const std::string& word) {
    return word.size() > 1 && word.starts_with('-') && word != "--";
  });
  const std::string see = fmt::format("(see bloomery {} --help)", verb);
  if (option == extra.end()) {
    fail(errc::invalid,
         fmt::format("{} is one argument too many {}", in_quotes(extra.front()), see));
  }
  const tool_text tool = description();
  std::vector<std::string_view> names;
  for (const option_text& known : tool.verb(verb)->options) {
    for (const std::string& name : known.names) {
      if (name.starts_with("--")) names.emplace_back(name);
    }
  }
  const std::string name = option->substr(0, option->find('='));
  fail(errc::invalid, fmt::format("{} is not an option of {}{} {}", in_quotes(name), verb,
                                  did_you_mean(name, names), see));
}

exit_status verb_list::parse_and_run(int argc, char** argv) {
  const tool_text tool = description();
  const auto require_name = [&](int at, std::string_view group) {
    if (argc <= at || argv[at][0] == '-') return;
    const std::string name = argv[at];
    const std::vector<std::string_view> known = tool.names_in(group);
    if (std::ranges::find(known, name) == known.end()) refuse_name(name, group);
  };
  require_name(1, "");
  if (argc > 1 && tool.group(argv[1]) != nullptr) require_name(2, argv[1]);
  std::vector<std::string> words;  // last first, as CLI11 has them
  for (int i = argc - 1; i > 0; --i) words.push_back(marked(argv[i]));
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help(asked_for()));
    return exit_status::found;
  } catch (const CLI::Success& version) {
    fmt::print("{}\n", version.what());
    return exit_status::found;
  } catch (const CLI::ParseError& misuse) {
    const std::string verb = asked_for();
    // A misspelt option may be the one that is missing.
    if (!app_->remaining(true).empty()) refuse_extra(verb);
    fail(errc::invalid,
         fmt::format("{} (see bloomery {}--help)", misuse.what(), verb.empty() ? "" : verb + " "));
  }
  return chosen_();
}

}  // namespace bloomery::cli
