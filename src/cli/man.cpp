// man: the manual pages, made of the same descriptions as help.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/hash/key.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

// As roff shows it; what stands in backticks is bold.
std::string roff(std::string_view text) {
  std::string result;
  bool bold = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80U) {  // UTF-8, of two or three bytes
      const std::size_t more = byte >= 0xe0U ? 2 : 1;
      unsigned number = byte & (more == 2 ? 0x0fU : 0x1fU);
      for (std::size_t k = 0; k < more && i + 1 < text.size(); ++k) {
        number = number << 6U | (static_cast<unsigned char>(text[++i]) & 0x3fU);
      }
      result += fmt::format("\\[u{:04X}]", number);
    } else if (c == '`') {
      result += (bold = !bold) ? "\\fB" : "\\fR";
    } else if (const std::size_t special = std::string_view("\\-'\"^~.").find(c);
               special != std::string_view::npos) {
      constexpr std::array names{"\\e", "\\-", "\\(aq", "\\(dq", "\\(ha", "\\(ti", "\\&."};
      result += names.at(special);
    } else {
      result += c;
    }
  }
  return result;
}

// In a block where backticks are the shell's.
std::string verbatim(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '`' ? "\\(ga" : roff({&c, 1});
  return result;
}

std::string page_start(std::string name, const std::string& summary) {
  const std::string title = name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"bloomery {}\" \"Bloomery\"\n.SH NAME\n{} \\- {}\n",
                     roff(name), BLOOMERY_VERSION, roff(title), roff(summary));
}

std::string section(const char* title, const std::string& text) {
  return text.empty() ? text : fmt::format(".SH {}\n{}\n", title, text);
}

std::string tagged(const std::string& tag, const std::string& meaning) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(tag), roff(meaning));
}

std::string options_of(const char* title, const std::vector<option_text>& options) {
  if (options.empty()) return {};
  std::string text = fmt::format(".SH {}\n", title);
  for (const option_text& option : options) text += tagged(heading_of(option), help_of(option));
  return text;
}

struct man_options {
  std::vector<std::string> verb;
  std::string directory;
};

void declare(command& verb, man_options& options) {
  verb.add_option("verb", "VERB", options.verb, "the verb to explain (default: the tool)");
  verb.add_option("--all", "DIR", options.directory, "write every page into this folder");
}

exit_status write_all(const tool_text& tool, const std::filesystem::path& directory) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem) fail(errc::io, directory.string() + ": " + problem.message());
  const auto write = [&](const std::string& name, const std::string& page) {
    const std::string path = (directory / (name + ".1")).string();
    bits::write_file(path, std::array{bytes_of(page)});
  };
  write("bloomery", tool_page(tool));
  for (const verb_text& verb : tool.verbs) write(page_name(verb), verb_page(tool, verb));
  return exit_status::found;
}

exit_status run(const man_options& options, const tool_text& tool) {
  if (!options.directory.empty()) return write_all(tool, options.directory);
  if (options.verb.empty()) {
    print_text(tool_page(tool));
    return exit_status::found;
  }
  const std::string name = fmt::format("{}", fmt::join(options.verb, " "));
  const verb_text* const verb = tool.verb(name);
  if (verb == nullptr) {
    std::vector<std::string_view> names;
    for (const verb_text& one : tool.verbs) names.emplace_back(one.name);
    fail(errc::invalid, in_quotes(name) + " is not a verb" + did_you_mean(name, names));
  }
  print_text(verb_page(tool, *verb));
  return exit_status::found;
}

}  // namespace

std::string page_name(const verb_text& verb) {
  std::string name = "bloomery-" + verb.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string tool_page(const tool_text& tool) {
  std::string text = page_start("bloomery", tool.summary) +
                     section("SYNOPSIS",
                             "\\fBbloomery\\fR \\fIVERB\\fR [\\fIOPTION\\fR]... "
                             "[\\fIARGUMENT\\fR]...") +
                     section("DESCRIPTION", roff(number_forms)) + ".SH VERBS\n";
  std::string title;
  for (const verb_text& verb : tool.verbs) {
    if (verb.section != title) text += fmt::format(".SS {}\n", roff(title = verb.section));
    text += tagged(verb.name, verb.summary + ": bloomery-" + page_name(verb).substr(9) + "(1)");
  }
  return text + section("EXIT STATUS", roff(exit_statuses));
}

std::string verb_page(const tool_text& tool, const verb_text& verb) {
  const group_text* const group = tool.group(verb.name.substr(0, verb.name.find(' ')));
  return page_start(page_name(verb), verb.summary) + section("SYNOPSIS", roff(usage_of(verb))) +
         section("DESCRIPTION", roff(verb.details.empty() ? verb.summary + "." : verb.details)) +
         (group == nullptr ? "" : ".PP\n" + roff(group->details) + "\n") +
         options_of("ARGUMENTS", verb.arguments) + options_of("OPTIONS", verb.options) +
         section("EXAMPLES", ".EX\n" + verbatim(verb.examples) + "\n.EE") +
         section("EXIT STATUS", roff(exit_statuses)) + section("SEE ALSO", "\\fBbloomery\\fR(1)");
}

void add_man(verb_list& verbs) {
  verbs.add<man_options>(
      "man", "Print the manual page of a verb, or of the tool, for `man`",
      "  bloomery man query > query.1 && man -l query.1 | head -n 4\n"
      "  bloomery man --all pages && ls pages | head -n 3",
      declare, [&verbs](const man_options& options) { return run(options, verbs.description()); });
}

}  // namespace bloomery::cli
