#include "verbs.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>

#include "bloomery/core/error.hpp"

namespace bloomery::cli {
namespace {

// CLI11 would take -5 for 2^64 - 5, and the highest number for any that is higher.
template <class Number>
std::string no_whole_number(const std::string& text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc{} && end == text.data() + text.size()) return {};
  return fmt::format("'{}' is not a whole number from 0 to {}", text,
                     std::numeric_limits<Number>::max());
}

}  // namespace

option option::required() {
  return option(held_->required());
}
option option::show_default() {
  held_->capture_default_str();
  return *this;
}
option option::excludes(option other) {
  return option(held_->excludes(other.held_));
}
option option::between(std::uint64_t low, std::uint64_t high) {
  return option(held_->check(CLI::Range(low, high)));
}
option option::separated_by(char delimiter) {
  return option(held_->delimiter(delimiter));
}
option option::expected(int least, int most) {
  return option(held_->expected(least, most));
}
option option::one_word_each() {
  return option(held_->allow_extra_args(false));
}

option command::add_option(const std::string& names, const std::string& type, std::string& value,
                           const std::string& help) {
  CLI::Option* const added = held_->add_option(names, value, help)->type_name(type);
  if (names.starts_with('-')) {  // or it would pass for an option that was not given
    added->check([](const std::string& text) { return text.empty() ? "its value is empty" : ""; });
  }
  return option(added);
}
option command::add_option(const std::string& names, const std::string& type,
                           std::vector<std::string>& value, const std::string& help) {
  return option(held_->add_option(names, value, help)->type_name(type));
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

verb_list::verb_list()
    : app_(std::make_unique<CLI::App>(
          "Bloom filters: build, query, combine, plan and measure them.", "bloomery")) {
  app_->set_version_flag("--version", BLOOMERY_VERSION);
  app_->require_subcommand(1);
  app_->footer(
      "\n`bloomery VERB --help` explains a verb and ends in two examples.\n"
      "Exit status: 0 found, done or healthy; 1 not; 2 error.");
}

verb_list::~verb_list() = default;

void verb_list::add_verb(const std::string& name, const std::string& summary,
                         const std::string& examples, const std::function<void(command&)>& declare,
                         std::function<exit_status()> run) {
  // "map build" is verb build of the group map.
  const std::size_t space = name.find(' ');
  CLI::App* group = app_.get();
  if (space != std::string::npos) {
    const std::string group_name = name.substr(0, space);
    const auto same =
        app_->get_subcommands([&](const CLI::App* one) { return one->get_name() == group_name; });
    group = same.empty() ? nullptr : same.front();
    if (group == nullptr) {
      group = app_->add_subcommand(group_name, group_name);
      group->require_subcommand(1);
    }
    group->description(group->get_description() + (same.empty() ? " " : " | ") +
                       name.substr(space + 1));
  }
  CLI::App* const held = group->add_subcommand(name.substr(space + 1), summary);
  held->footer("\nExamples:\n" + examples);
  command added(*held);
  declare(added);
  held->callback([this, run = std::move(run)] { status_ = run(); });
}

exit_status verb_list::parse_and_run(int argc, char** argv) {
  const auto known = app_->get_subcommands([](const CLI::App* /*verb*/) { return true; });
  if (argc > 1 && argv[1][0] != '-' &&
      std::ranges::none_of(known, [&](CLI::App* one) { return one->check_name(argv[1]); })) {
    fail(errc::invalid, fmt::format("'{}' is not a verb (see bloomery --help)", argv[1]));
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app_->exit(help) == 0 ? exit_status::found : exit_status::error;
  } catch (const CLI::ParseError& misuse) {
    fail(errc::invalid, fmt::format("{} (see bloomery --help)", misuse.what()));
  }
  return status_;
}

}  // namespace bloomery::cli
