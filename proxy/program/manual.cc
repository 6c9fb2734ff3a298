#include "proxy/program/manual.h"

#include <CLI/CLI.hpp>

#include <sstream>
#include <string_view>

#include "proxy/program/base/option_text.h"
#include "proxy/program/config/config.h"

namespace entente {
namespace {

/// Text as man shows it unchanged: no part of it is a command or a hyphen.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }

std::string heading(const char* name, const char* section, const char* about) {
  return std::string(".TH ") + name + " " + section + " \"\" \"entente " + ENTENTE_VERSION + "\" \"" + about +
         "\"\n.nh\n.ad l\n";
}

/// Lines that are shown as they are.
std::string verbatim(std::string_view text) { return ".PP\n.nf\n" + plain(text) + "\n.fi\n"; }

/// "\fB\-\-count\fR \fIUINT\fR"
std::string title(const CLI::Option& option) {
  std::string line;
  for (const std::string& name : option_names(option)) line += (line.empty() ? "" : ", ") + bold(name);
  if (line.empty()) return bold(option.get_name());
  const std::string value = option_value(option);
  return value.empty() ? line : line + " \\fI" + plain(value) + "\\fR";
}

/// Text that keeps its line breaks.
std::string in_lines(std::string_view text) {
  constexpr std::string_view kBreak = "\n.br\n";
  std::string out = plain(text);
  for (std::size_t at = 0; (at = out.find('\n', at)) != out.npos; at += kBreak.size()) out.replace(at, 1, kBreak);
  return out;
}

std::string item(const CLI::Option& option) {
  std::string text = ".TP\n" + title(option) + "\n" + in_lines(option.get_description()) + "\n";
  if (!option.get_default_str().empty()) text += "Default: " + plain(option.get_default_str()) + ".\n";
  if (!option.get_envname().empty())
    text += "Without it, the environment variable " + bold(option.get_envname()) + " counts.\n";
  return text;
}

/// "entente bot [OPTIONS] server"
std::string usage(const CLI::App& command) {
  std::string line = "entente " + command.get_name() + " [OPTIONS]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option_names(*option).empty()) continue;
    const std::string name = option->get_name() + (takes_many(*option) ? "..." : "");
    line += option->get_required() ? " " + name : " [" + name + "]";
  }
  return line;
}

std::string describe(const CLI::App& command) {
  std::string text = ".SS " + plain(usage(command)) + "\n" + plain(command.get_description()) + ".\n";
  for (const CLI::Option* option : command.get_options())
    if (!is_help(*option)) text += item(*option);
  return text + verbatim(command.get_footer());
}

/// The keys of the example configuration, as a list for man.
class ConfigPage {
 public:
  std::string text() {
    std::istringstream example(example_config());
    std::string line;
    while (std::getline(example, line) && !line.empty()) {  // the heading of the example
    }
    while (std::getline(example, line)) read(line);
    return std::move(text_);
  }

 private:
  void read(const std::string& line) {
    if (line.empty()) return;
    if (line[0] == '#') {
      comment_ += plain(std::string_view(line).substr(line.starts_with("# ") ? 2 : 1)) + "\n";
      return;
    }
    if (line[0] == '[')
      text_ += ".SH " + plain(line) + "\n" + comment_;
    else
      text_ += ".TP\n" + bold(line.substr(0, line.find(' '))) + "\n" + comment_;
    comment_.clear();
  }

  std::string text_, comment_;
};

}  // namespace

std::string manual(const CLI::App& program) {
  std::string text = heading("ENTENTE", "1", "Entente") +
                     ".SH NAME\nentente \\- relay, bridge, record and replay multiplayer games\n"
                     ".SH SYNOPSIS\n" +
                     bold("entente") + " \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.br\n" + bold("entente help") +
                     " [\\fICOMMAND\\fR]\n.SH DESCRIPTION\n" + plain(program.get_description()) +
                     "\nEach command has the option " + bold("--help") + ".\n.SH COMMANDS\n";
  for (const CLI::App* command : program.get_subcommands(nullptr)) text += describe(*command);
  return text +
         ".SH EXIT STATUS\n0 success, 1 failure, 2 invalid command line.\n"
         ".SH FILES\n.TP\n" +
         bold("/etc/entente/config.toml") + "\nThe configuration of the service, as in " + bold("entente.toml") +
         "(5).\n.TP\n" + bold("/run/entente/control.sock") + "\nThe control socket of the service, for " +
         bold("entente ctl --socket") + ".\n.SH SEE ALSO\n" + bold("entente.toml") + "(5)\n";
}

std::string config_manual() {
  return heading("ENTENTE.TOML", "5", "Entente") +
         ".SH NAME\nentente.toml \\- configuration of entente\n.SH DESCRIPTION\n" + bold("entente run") +
         " reads such a file. Its syntax is TOML. A key that is left out has its default value. " +
         bold("entente check") + " reports all errors of a file. After a change, " + bold("systemctl reload entente") +
         " applies the change.\n.SH KEYS\nThese stand above all tables.\n" + ConfigPage().text() + ".SH SEE ALSO\n" +
         bold("entente") + "(1)\n";
}

}  // namespace entente
