#include "description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace bloomery::cli {
namespace {

std::string optional(const std::string& text, bool required) {
  return required ? text : "[" + text + "]";
}

std::string argument_of(const option_text& argument) {
  return optional(argument.value, argument.required) + (argument.repeats ? "..." : "");
}

}  // namespace

const verb_text* tool_text::verb(std::string_view name) const {
  const auto found = std::ranges::find(verbs, name, &verb_text::name);
  return found == verbs.end() ? nullptr : &*found;
}

const group_text* tool_text::group(std::string_view name) const {
  const auto found = std::ranges::find(groups, name, &group_text::name);
  return found == groups.end() ? nullptr : &*found;
}

std::vector<std::string_view> tool_text::names_in(std::string_view group) const {
  std::vector<std::string_view> names;
  for (const verb_text& one : verbs) {
    const std::string_view name = one.name;
    const std::size_t space = name.find(' ');
    const bool grouped = space != std::string_view::npos;
    if (grouped && name.substr(0, space) == group) names.push_back(name.substr(space + 1));
    if (!group.empty()) continue;
    const std::string_view first = name.substr(0, space);
    if (names.empty() || names.back() != first) names.push_back(first);
  }
  return names;
}

std::string heading_of(const option_text& option) {
  if (option.names.empty()) return argument_of(option);
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  return option.value.empty() ? names : names + " " + option.value;
}

std::string usage_of(const verb_text& verb) {
  std::string text = "bloomery " + verb.name + " [OPTION]...";
  for (const option_text& option : verb.options) {
    if (option.required) text += " " + option.names.front() + " " + option.value;
  }
  for (const option_text& argument : verb.arguments) text += " " + argument_of(argument);
  return text;
}

std::string help_of(const option_text& option) {
  std::string text = option.help;
  if (!option.default_value.empty()) text += " (default: " + option.default_value + ")";
  if (option.repeats && !option.names.empty()) text += "; may be given again";
  return option.required && !option.names.empty() ? text + " (required)" : text;
}

std::vector<std::string> choices_of(const option_text& option) {
  const bool words = std::ranges::all_of(option.value, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '|';
  });
  if (!words || option.value.find('|') == std::string::npos) return {};
  std::vector<std::string> choices;
  for (std::size_t start = 0; start <= option.value.size();) {
    const std::size_t end = std::min(option.value.find('|', start), option.value.size());
    choices.push_back(option.value.substr(start, end - start));
    start = end + 1;
  }
  return choices;
}

}  // namespace bloomery::cli
