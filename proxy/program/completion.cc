#include "proxy/program/completion.h"

#include <CLI/CLI.hpp>

#include <string_view>

#include "proxy/program/base/option_text.h"

namespace entente {
namespace {

std::string separated(const std::vector<std::string>& words, const char* between = " ") {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : between) + word;
  return line;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> all_option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (std::string& name : option_names(*option)) names.push_back(std::move(name));
  return names;
}

/// `text` with a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// In single quotes, for bash and zsh.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) c == '\'' ? (void)(out += "'\\''") : (void)(out += c);
  return out + "'";
}

/// The first sentence: a menu has one line for each option.
std::string short_about(const CLI::Option& option) {
  const std::string& about = option.get_description();
  return about.substr(0, about.find(". "));
}

constexpr const char* kBash = R"(_entente() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words=$commands
  else
    case ${COMP_WORDS[1]}:$prev in
$values      *)
        case ${COMP_WORDS[1]}:$cur in
$options        esac ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _entente entente
)";

void put(std::string& text, const std::string& name, const std::string& value) {
  text.replace(text.find(name), name.size(), value);
}

/// An argument of zsh's _arguments.
std::string zsh_spec(const CLI::Option& option) {
  std::string value;
  if (takes_value(option)) {
    const auto choices = option_choices(option);
    value = ":value:" + (choices.empty() ? "_files" : "(" + separated(choices) + ")");
  }
  const auto names = option_names(option);
  if (names.empty()) return shell_quoted("*" + (value.empty() ? ":value:_files" : value));
  std::string specs;
  for (const std::string& name : names)
    specs += (specs.empty() ? "" : " ") + shell_quoted((takes_many(option) ? "*" : "") + name + "[" +
                                                       escaped(short_about(option), "[]:\\") + "]" + value);
  return specs;
}

/// Arguments of fish's `complete` for an option.
std::string fish_option(const CLI::Option& option) {
  std::string words;
  for (const std::string& name : option.get_snames()) words += " -s " + name;
  for (const std::string& name : option.get_lnames()) words += " -l " + name;
  const auto choices = option_choices(option);
  if (!choices.empty())
    words += " -x -a '" + separated(choices) + "'";
  else if (takes_value(option))
    words += " -r";
  return words + " -d '" + escaped(short_about(option), "'\\") + "'";
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  std::string values, options;
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    const std::string& name = command->get_name();
    std::vector<std::string> free;
    for (const CLI::Option* option : command->get_options()) {
      if (!takes_value(*option)) continue;
      std::vector<std::string> patterns;
      for (const std::string& one : option_names(*option)) patterns.push_back(name + ":" + one);
      if (patterns.empty()) continue;
      const auto choices = option_choices(*option);
      if (choices.empty())
        free.insert(free.end(), patterns.begin(), patterns.end());
      else
        values += "      " + separated(patterns, " | ") + ") words='" + separated(choices) + "' ;;\n";
    }
    if (!free.empty()) values += "      " + separated(free, " | ") + ") ;;\n";
    options += "          " + name + ":-*) words='" + separated(all_option_names(*command)) + "' ;;\n";
  }
  options += "          help:*) words='" + separated(command_names(program)) + "' ;;\n";
  auto first = command_names(program);
  for (std::string& name : all_option_names(program)) first.push_back(std::move(name));
  std::string text = kBash;
  put(text, "$commands", "'" + separated(first) + "'");
  put(text, "$values", values);
  put(text, "$options", options);
  return "# Completes commands and options of entente in bash. Made by `entente help --format bash`.\n" + text;
}

std::string zsh_completion(const CLI::App& program) {
  std::string commands, cases;
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    const std::string& name = command->get_name();
    commands += "    " + shell_quoted(name + ":" + escaped(command->get_description(), ":\\")) + "\n";
    cases += "    " + name + ") _arguments";
    for (const CLI::Option* option : command->get_options()) {
      const bool names_command = name == "help" && option_names(*option).empty();
      cases += " \\\n      " + (names_command ? shell_quoted(":command:(" + separated(command_names(program)) + ")")
                                              : zsh_spec(*option));
    }
    cases += " ;;\n";
  }
  return "#compdef entente\n# Completes commands and options of entente in zsh. Made by `entente help --format zsh`.\n"
         "_entente() {\n  local -a commands\n  commands=(\n" +
         commands +
         "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
         "  shift words\n  ((CURRENT--))\n  case $words[1] in\n" +
         cases + "  esac\n}\n_entente \"$@\"\n";
}

std::string fish_completion(const CLI::App& program) {
  std::string text =
      "# Completes commands and options of entente in fish. Made by `entente help --format fish`.\n"
      "complete -c entente -n __fish_use_subcommand -f\n";
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    text += "complete -c entente -n __fish_use_subcommand -a " + command->get_name() + " -d '" +
            escaped(command->get_description(), "'\\") + "'\n";
    const std::string seen = "complete -c entente -n '__fish_seen_subcommand_from " + command->get_name() + "'";
    for (const CLI::Option* option : command->get_options())
      if (!option_names(*option).empty()) text += seen + fish_option(*option) + "\n";
  }
  return text + "complete -c entente -n '__fish_seen_subcommand_from help' -f -a '" +
         separated(command_names(program)) + "'\n";
}

}  // namespace entente
