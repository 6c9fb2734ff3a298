#include "proxy/program/help.h"

#include <CLI/CLI.hpp>

#include <cstdio>

#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/completion.h"
#include "proxy/program/manual.h"

namespace entente {
namespace {

// CLI::App::help would print the help of the command that was given, which is `help`.
int print_help(const CLI::App& app, const std::string& name) {
  std::fputs(app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal).c_str(), stdout);
  return kOk;
}

struct Format {
  const char* name;
  std::string (*text)(const CLI::App& program);
};

/// Besides text.
constexpr Format kFormats[] = {{"man", manual},
                               {"man-config", [](const CLI::App&) { return config_manual(); }},
                               {"bash", bash_completion},
                               {"zsh", zsh_completion},
                               {"fish", fish_completion}};

std::vector<std::string> format_names() {
  std::vector<std::string> names = {"text"};
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

}  // namespace

void declare_help(CLI::App& app, HelpOptions& options) {
  options.program = app.get_parent();
  app.add_option("COMMAND", options.command, "Command to explain (default: the list of commands)");
  allow_only(app.add_option("--format", options.format,
                            "What to print. text: about COMMAND. man: the manual page entente(1), about all commands. "
                            "man-config: the manual page entente.toml(5), about the configuration file. bash, zsh, "
                            "fish: completions for that shell (default: text)"),
             format_names());
}

int run_help(const HelpOptions& options) {
  const CLI::App& program = *options.program;
  if (options.format != "text" && !options.command.empty())
    return usage_error("entente help", "--format " + options.format + " describes all commands; leave out COMMAND");
  for (const Format& format : kFormats)
    if (options.format == format.name) {
      std::fputs(format.text(program).c_str(), stdout);
      return kOk;
    }
  if (options.command.empty()) return print_help(program, program.get_name());
  for (const CLI::App* command : program.get_subcommands(nullptr))
    if (command->get_name() == options.command) return print_help(*command, program.get_name() + " " + options.command);
  return usage_error("entente help", unknown_command(program, options.command));
}

}  // namespace entente
