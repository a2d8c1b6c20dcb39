// What the tool, its verbs and their options are, for people. Help, manual pages and completion are made
// of it, so that they cannot disagree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bloomery::cli {

struct option_text {
  std::vector<std::string> names;  // "-o", "--output"; none for what stands by itself
  std::string value;               // what help calls its value; empty for a flag
  std::string help;
  std::string default_value;
  bool required = false;
  bool repeats = false;
};

struct verb_text {
  std::string name;     // "query", or "map get" for verb get of the group map
  std::string section;  // of the list of verbs
  std::string summary;  // a line
  std::string details;
  std::string examples;  // shell commands; `# exits 1` at the end of one says so
  std::vector<option_text> arguments;
  std::vector<option_text> options;
};

struct group_text {
  std::string name;
  std::string summary;
  std::string details;
};

struct tool_text {
  std::string summary;
  std::vector<verb_text> verbs;  // by section, in order
  std::vector<group_text> groups;

  // Null if there is none.
  [[nodiscard]] const verb_text* verb(std::string_view name) const;
  [[nodiscard]] const group_text* group(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> names_in(std::string_view group) const;
};

inline constexpr std::string_view exit_statuses =
    "Exit status: 0 found, done or healthy; 1 not; 2 error.";
inline constexpr std::string_view number_forms =
    "Numbers are written as people do: counts N as 10M, 1e7 or 10,000,000 (k, M, G, T are powers "
    "of "
    "1000), sizes SIZE as 64MiB, 64M or 64MB (MB is 1000 kB, M is MiB), rates P as 1% or 0.01, and "
    "a "
    "DURATION with its unit: ms, s, m, h or d, as in 15m.";

// "-o, --output OUT"; "[FILE]..." for what stands by itself.
std::string heading_of(const option_text& option);
// "bloomery build [OPTION]... -o OUT [FILE]...".
std::string usage_of(const verb_text& verb);
// What it is for, and whether it must be given.
std::string help_of(const option_text& option);

// The words that the value must be one of, if it says so itself, as in rsa|oprf.
std::vector<std::string> choices_of(const option_text& option);

// Lines of at most `width` columns.
std::string tool_help(const tool_text& tool, std::size_t width);
std::string group_help(const tool_text& tool, const group_text& group, std::size_t width);
std::string verb_help(const verb_text& verb, std::size_t width);

// roff of section 1.
std::string tool_page(const tool_text& tool);
std::string verb_page(const tool_text& tool, const verb_text& verb);
std::string page_name(const verb_text& verb);  // bloomery-map-get

std::string bash_completion(const tool_text& tool);
std::string zsh_completion(const tool_text& tool);
std::string fish_completion(const tool_text& tool);

}  // namespace bloomery::cli
