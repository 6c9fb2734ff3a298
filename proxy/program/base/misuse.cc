#include "proxy/program/base/misuse.h"

#include <CLI/CLI.hpp>

#include <vector>

#include "proxy/program/base/journal.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/suggest.h"

namespace entente {
namespace {

std::vector<std::string_view> commands_of(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

// "--listen", …
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string unknown_option(const CLI::App& command, std::string_view word) {
  const std::vector<std::string> names = options_of(command);
  const std::string_view option = word.substr(0, word.find('='));
  return "unknown option '" + std::string(option) + "'" +
         did_you_mean(option, std::vector<std::string_view>(names.begin(), names.end()));
}

// `command` is the one that was being read, or the whole program.
std::string explained(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> left = command.remaining();
  if (!left.empty()) {
    if (left.front().starts_with('-')) return unknown_option(command, left.front());
    if (&app == &command) return unknown_command(app, left.front());
    return "unexpected argument '" + left.front() + "'";
  }
  if (&app == &command) return "no command given; commands: " + joined(commands_of(app));
  const std::string what = error.what();  // "--listen: At Most 1 required but received 2"
  const std::size_t more = what.find(": At Most 1 required");
  return more != std::string::npos ? what.substr(0, more) + " is given more than once" : what;
}

}  // namespace

std::string unknown_command(const CLI::App& app, std::string_view word) {
  const std::vector<std::string_view> names = commands_of(app);
  return unknown_name("command", word, names);
}

int usage_error(std::string_view command, std::string_view what) {
  const std::string name(command);
  print_error(name + ": " + std::string(what) + "\nRun `" + name + " --help` for usage.");
  return kUsage;
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  const std::string name = parsed.empty() ? app.get_name() : app.get_name() + " " + command.get_name();
  return usage_error(name, explained(app, command, error));
}

int report_failure(const Error& error) {
  print_error("entente: " + screen_text(error.text, "\n"));
  return kFailed;
}

}  // namespace entente
