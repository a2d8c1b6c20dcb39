// completion: what a shell needs to complete a command line, made of the same descriptions as help.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const any_kind& kind : kinds()) names.emplace_back(kind.info.name);
  return names;
}

std::string joined(const auto& words, std::string_view with = " ") {
  return fmt::format("{}", fmt::join(words, with));
}

// What a value may be, if that can be listed.
std::vector<std::string> words_of(const option_text& option) {
  return option.value == "KIND" ? kind_names() : choices_of(option);
}

// Neither a word of a list nor a number or text: these are.
bool is_path(const option_text& option) {
  constexpr std::array<std::string_view, 17> others{
      "N",   "P",    "T",    "S",    "R",    "M",    "K",          "MS",         "SEP",
      "KEY", "TEXT", "SIZE", "BITS", "NAME", "VERB", "N|DURATION", "FIELD=VALUE"};
  return words_of(option).empty() && !option.value.empty() &&
         std::ranges::find(others, option.value) == others.end() && !option.value.starts_with("N[");
}

// Enough of it to choose by.
std::string brief(const option_text& option) {
  return option.help.substr(0, option.help.find_first_of(";(:"));
}

std::vector<std::string> option_names(const verb_text& verb) {
  std::vector<std::string> names;
  for (const option_text& option : verb.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// In single quotes, for any of the shells.
std::string quoted(std::string_view text, std::string_view quote_inside) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string(quote_inside) : std::string(1, c);
  return result + "'";
}
std::string posix_quoted(std::string_view text) {
  return quoted(text, "'\\''");
}
std::string fish_quoted(std::string_view text) {
  return quoted(text, "\\'");
}

// What _arguments of zsh reads: brackets and colons are its own.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const option_text& option) {
  const std::vector<std::string> words = words_of(option);
  if (!words.empty()) return "(" + joined(words) + ")";
  return is_path(option) ? "_files" : " ";
}

struct completion_options {
  std::string shell;
};

void declare(command& verb, completion_options& options) {
  verb.add_option("shell", "bash|zsh|fish", options.shell, "the shell to write it for").required();
}

exit_status run(const completion_options& options, const tool_text& tool) {
  const std::map<std::string, std::string (*)(const tool_text&)> shells{
      {"bash", bash_completion}, {"fish", fish_completion}, {"zsh", zsh_completion}};
  const auto chosen = shells.find(options.shell);
  if (chosen == shells.end()) {
    fail(errc::invalid,
         in_quotes(options.shell) + " is not a shell that is known; allowed: bash, zsh, fish");
  }
  print_text(chosen->second(tool));
  return exit_status::found;
}

}  // namespace

std::string bash_completion(const tool_text& tool) {
  std::string groups;
  std::string values;
  std::string options;
  for (const group_text& group : tool.groups) {
    groups += fmt::format("    {}) words='{} --help' ;;\n", group.name,
                          joined(tool.names_in(group.name)));
  }
  for (const verb_text& verb : tool.verbs) {
    options += fmt::format("    '{}') words='{}' ;;\n", verb.name, joined(option_names(verb)));
    for (const option_text& option : verb.options) {
      if (option.value.empty()) continue;
      std::vector<std::string> cases;
      for (const std::string& name : option.names)
        cases.push_back(fmt::format("'{} {}'", verb.name, name));
      const std::string what = option.value == "FIELD=VALUE" ? "fields"
                               : is_path(option)             ? "paths"
                               : words_of(option).empty()    ? "nothing"
                                                          : posix_quoted(joined(words_of(option)));
      values += fmt::format("    {}) words={} ;;\n", joined(cases, "|"), what);
    }
    for (const option_text& argument : verb.arguments) {
      if (words_of(argument).empty()) continue;
      values += fmt::format("    '{} '*) [[ $word == -* ]] || words={} ;;\n", verb.name,
                            posix_quoted(joined(words_of(argument))));
    }
  }
  std::string fields;
  for (const any_kind& kind : kinds()) {
    std::string names;
    for (const field_info& field : kind.fields) names += std::string(field.name) + "= ";
    fields += fmt::format("    {}) words='{}' ;;\n", kind.info.name, names);
  }
  return fmt::format(R"(# Completes command lines of bloomery; made by `bloomery completion bash`.
_bloomery_fields() {{
  local i kind=standard
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ ${{COMP_WORDS[i]}} == --kind ]] || continue
    kind=${{COMP_WORDS[i + 1]}}
    [[ $kind == = ]] && kind=${{COMP_WORDS[i + 2]}}
  done
  case $kind in
{fields}  esac
}}

_bloomery() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local verb=${{COMP_WORDS[1]}} words=
  COMPREPLY=()
  # --kind=blocked comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{verbs} --help --version' -- "$word"))
    return
  fi
  case $verb in
{groups}  esac
  if [[ $words ]]; then
    if ((COMP_CWORD == 2)); then
      COMPREPLY=($(compgen -W "$words" -- "$word"))
      return
    fi
    verb="$verb ${{COMP_WORDS[2]}}"
    words=
  fi
  case "$verb $before" in
{values}  esac
  case $words in
    paths) return ;;
    nothing) compopt +o default +o bashdefault 2>/dev/null; return ;;
    fields) _bloomery_fields; compopt -o nospace 2>/dev/null ;;
  esac
  if [[ -z $words && $word == -* ]]; then
    case $verb in
{options}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -o bashdefault -F _bloomery bloomery
)",
                     fmt::arg("fields", fields), fmt::arg("groups", groups),
                     fmt::arg("values", values), fmt::arg("options", options),
                     fmt::arg("verbs", joined(tool.names_in(""))));
}

std::string zsh_completion(const tool_text& tool) {
  std::string verbs;
  std::string groups;
  std::string cases;
  const auto described = [](std::string_view name, const std::string& summary) {
    return "    " + posix_quoted(fmt::format("{}:{}", name, summary)) + "\n";
  };
  for (const verb_text& verb : tool.verbs) {
    if (verb.name.find(' ') == std::string::npos) verbs += described(verb.name, verb.summary);
    cases += fmt::format("    '{}') _arguments \\\n", verb.name);
    for (const option_text& option : verb.options) {
      std::string rest = "[" + zsh_text(brief(option)) + "]";
      if (!option.value.empty()) rest += ":" + zsh_text(option.value) + ":" + zsh_action(option);
      const std::string repeats = option.repeats ? "*" : "";
      const std::string alone =
          option.repeats || option.names.size() < 2 ? "" : "(" + joined(option.names) + ")";
      for (const std::string& name : option.names) {
        cases += "      " + posix_quoted(alone + repeats + name + rest) + " \\\n";
      }
    }
    for (const option_text& argument : verb.arguments) {
      cases += "      " +
               posix_quoted((argument.repeats ? "*:" : ":") + zsh_text(argument.value) + ":" +
                            zsh_action(argument)) +
               " \\\n";
    }
    cases += "      ;;\n";
  }
  for (const group_text& group : tool.groups) {
    verbs += described(group.name, group.summary);
    groups += fmt::format("  if [[ $verb == {} ]]; then\n    verbs=(\n", group.name);
    for (const std::string_view name : tool.names_in(group.name)) {
      groups += described(name, tool.verb(fmt::format("{} {}", group.name, name))->summary);
    }
    groups +=
        "    )\n    if (( CURRENT == 2 )); then\n      _describe verb verbs\n      return\n    fi\n"
        "    verb=\"$verb $words[2]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n";
  }
  return fmt::format(R"(#compdef bloomery
# Completes command lines of bloomery; made by `bloomery completion zsh`.
_bloomery() {{
  local verb
  local -a verbs
  verbs=(
{verbs}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  verb=$words[2]
  shift words
  (( CURRENT-- ))
{groups}  case $verb in
{cases}  esac
}}
_bloomery "$@"
)",
                     fmt::arg("verbs", verbs), fmt::arg("groups", groups),
                     fmt::arg("cases", cases));
}

std::string fish_completion(const tool_text& tool) {
  std::string text = R"(# Completes command lines of bloomery; made by `bloomery completion fish`.
# Whether the words after bloomery are these, and with `only` first, no more than these.
function __bloomery_is
    set -l words (commandline -opc)
    set -e words[1]
    if test "$argv[1]" = only
        set -e argv[1]
        test (count $words) -eq (count $argv); or return 1
    end
    for i in (seq (count $argv))
        test "$words[$i]" = "$argv[$i]"; or return 1
    end
end
complete -c bloomery -f -n '__bloomery_is only' -l help -d 'print help'
complete -c bloomery -f -n '__bloomery_is only' -l version -d 'print the version'
)";
  const auto add_name = [&](const std::string& group, std::string_view name,
                            const std::string& summary) {
    text += fmt::format("complete -c bloomery -f -n '__bloomery_is only{}' -a {} -d {}\n", group,
                        name, fish_quoted(summary));
  };
  for (const group_text& group : tool.groups) add_name("", group.name, group.summary);
  for (const verb_text& verb : tool.verbs) {
    const std::size_t space = verb.name.find(' ');
    const bool grouped = space != std::string::npos;
    add_name(grouped ? " " + verb.name.substr(0, space) : "",
             std::string_view(verb.name).substr(grouped ? space + 1 : 0), verb.summary);
    const std::string start = fmt::format("complete -c bloomery -n '__bloomery_is {}'", verb.name);
    const auto value = [](const option_text& option) -> std::string {
      const std::vector<std::string> words = words_of(option);
      if (!words.empty()) return " -x -a " + fish_quoted(joined(words));
      return option.value.empty() ? " -f" : is_path(option) ? " -r -F" : " -x";
    };
    for (const option_text& option : verb.options) {
      text += start;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += value(option) + " -d " + fish_quoted(brief(option)) + "\n";
    }
    for (const option_text& argument : verb.arguments) {
      if (!words_of(argument).empty()) {
        text += start + " -f -a " + fish_quoted(joined(words_of(argument))) + "\n";
      }
    }
  }
  return text;
}

void add_completion(verb_list& verbs) {
  verbs.add<completion_options>(
      "completion",
      "Print what a shell needs to complete command lines\n"
      "An installed bloomery has put it in place already. Elsewhere, have your shell read it when "
      "it starts.",
      "  source <(bloomery completion bash)   # in ~/.bashrc\n"
      "  bloomery completion bash | head -n 1\n"
      "  bloomery completion zsh > _bloomery  # in a folder of zsh's $fpath",
      declare,
      [&verbs](const completion_options& options) { return run(options, verbs.description()); });
}

}  // namespace bloomery::cli
