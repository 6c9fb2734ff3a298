#include "proxy/program/help.h"

#include <cstdio>

#include "proxy/program/misuse.h"

namespace entente {
namespace {

// CLI::App::help would print the help of the command that was given, which is `help`.
int print_help(const CLI::App& app, const std::string& name) {
  std::fputs(app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal).c_str(), stdout);
  return kOk;
}

}  // namespace

void declare_help(CLI::App& app, HelpOptions& options) {
  options.program = app.get_parent();
  app.add_option("COMMAND", options.command, "Command to explain (default: the list of commands)");
}

int run_help(const HelpOptions& options) {
  const CLI::App& program = *options.program;
  if (options.command.empty()) return print_help(program, program.get_name());
  for (const CLI::App* command : program.get_subcommands(nullptr))
    if (command->get_name() == options.command) return print_help(*command, program.get_name() + " " + options.command);
  return usage_error("entente help", unknown_command(program, options.command));
}

}  // namespace entente
