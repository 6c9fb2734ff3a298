#include "proxy/program/control/ctl.h"

#include <cstdio>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/misuse.h"

namespace entente {
namespace {

constexpr std::string_view kOkay = "ok\n", kError = "error: ";

std::string joined_by_spaces(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

void declare_ctl(CLI::App& app, CtlOptions& options) {
  app.add_option("--socket", options.socket, "Control socket of the program: the PATH of its --control")
      ->type_name("PATH")
      ->envname("ENTENTE_CONTROL")
      ->required();
  app.add_option("COMMAND", options.words,
                 "list, kick LINK [why], ban ADDRESS, unban ADDRESS, bans, record, stats, …; `help` lists the commands "
                 "of that program")
      ->required();
  app.add_option("--for", options.time, "For ban: how long, such as 90s, 10m, 2h or 7d (default: forever)")
      ->type_name("TIME");
  app.add_option("--why", options.why, "For ban: the reason, shown to the player if the game can do that")
      ->type_name("TEXT");
}

int run_ctl(const CtlOptions& options) {
  std::string line = joined_by_spaces(options.words);
  if (!options.time.empty()) line += " --for " + options.time;
  if (!options.why.empty()) line += " --why " + options.why;
  if (line.find_first_of("\r\n") != std::string::npos) return usage_error("entente ctl", "a command must be one line");
  const auto answer = net::ask_local(options.socket, line);
  if (!answer) return failed({answer.error().text + "; was the program started with --control?"});
  if (answer->starts_with(kOkay)) {
    std::fputs(answer->c_str() + kOkay.size(), stdout);
    return kOk;
  }
  const bool said = answer->starts_with(kError);
  return failed({said ? answer->substr(kError.size(), answer->find('\n') - kError.size())
                      : "the program closed the connection without an answer"});
}

}  // namespace entente
