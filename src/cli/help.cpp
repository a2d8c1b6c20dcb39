// Help, as `--help` prints it.
#include <fmt/format.h>

#include <algorithm>

#include "description.hpp"
#include "wrap.hpp"

namespace bloomery::cli {
namespace {

constexpr std::size_t margin = 2;

// A heading and, from column `indent` on, what it means; below the heading if that is too long.
std::string entry(const std::string& heading, const std::string& meaning, std::size_t indent,
                  std::size_t width) {
  std::string text = std::string(margin, ' ') + wrapped(heading, width, margin);
  const std::size_t used = width_of(text);
  text +=
      used + margin > indent ? "\n" + std::string(indent, ' ') : std::string(indent - used, ' ');
  return text + wrapped(meaning, width, indent) + "\n";
}

std::string entries(const std::string& title, const std::vector<option_text>& options,
                    std::size_t width) {
  if (options.empty()) return {};
  constexpr std::size_t widest = 26;
  constexpr std::size_t narrow = 60;  // where headings stand above what they mean
  constexpr std::size_t step = 6;
  std::string text = "\n" + title + ":\n";
  for (const option_text& option : options) {
    text += entry(heading_of(option), help_of(option), width < narrow ? step : widest, width);
  }
  return text;
}

std::string paragraph(std::string_view text, std::size_t width) {
  return text.empty() ? std::string() : "\n" + wrapped(text, width) + "\n";
}

std::string usage_line(const std::string& usage, std::size_t width) {
  const std::string title = "Usage: ";
  return title + wrapped(usage, width, title.size()) + "\n";
}

std::string list_of(const std::vector<const verb_text*>& verbs, std::size_t width) {
  std::size_t longest = 0;
  for (const verb_text* verb : verbs) longest = std::max(longest, verb->name.size());
  std::string text;
  std::string section;
  for (const verb_text* verb : verbs) {
    if (verb->section != section) text += "\n" + (section = verb->section) + ":\n";
    text += entry(verb->name, verb->summary, longest + 2 * margin, width);
  }
  return text;
}

}  // namespace

std::string tool_help(const tool_text& tool, std::size_t width) {
  std::vector<const verb_text*> all;
  for (const verb_text& verb : tool.verbs) all.push_back(&verb);
  return wrapped(tool.summary, width) + "\n\n" +
         usage_line("bloomery VERB [OPTION]... [ARGUMENT]...", width) + list_of(all, width) +
         paragraph(
             "`bloomery VERB --help` explains a verb and ends in examples that run as they are; "
             "`bloomery --version` tells the version.",
             width) +
         paragraph(number_forms, width) + paragraph(exit_statuses, width);
}

std::string group_help(const tool_text& tool, const group_text& group, std::size_t width) {
  std::vector<const verb_text*> all;
  for (const std::string_view name : tool.names_in(group.name)) {
    all.push_back(tool.verb(fmt::format("{} {}", group.name, name)));
  }
  return wrapped(fmt::format("bloomery {}: {}", group.name, group.summary), width) + "\n" +
         paragraph(group.details, width) + list_of(all, width) +
         paragraph(
             fmt::format("`bloomery {} --help` explains the first, and so on.", all.front()->name),
             width);
}

std::string verb_help(const verb_text& verb, std::size_t width) {
  return wrapped(fmt::format("bloomery {}: {}", verb.name, verb.summary), width) + "\n\n" +
         usage_line(usage_of(verb), width) + paragraph(verb.details, width) +
         entries("Arguments", verb.arguments, width) + entries("Options", verb.options, width) +
         "\nExamples:\n" + verb.examples + "\n";
}

}  // namespace bloomery::cli
