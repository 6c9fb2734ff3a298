#include "proxy/program/control/ctl.h"

#include <cstdio>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/reply.h"
#include "proxy/program/misuse.h"

namespace entente {
namespace {

constexpr std::string_view kOkay = "ok\n", kError = "error: ", kJsonError = "{\"error\":";

std::string line_of(const CtlOptions& options) {
  std::string line = options.json ? "--json" : "";
  for (const std::string& word : options.words) line += (line.empty() ? "" : " ") + as_argument(word);
  if (!options.time.empty()) line += " --for " + as_argument(options.time);
  if (!options.why.empty()) line += " --why " + as_argument(options.why);
  return line;
}

/// What the program said.
int print(std::string_view answer, bool json) {
  if (!json && answer.starts_with(kOkay)) answer.remove_prefix(kOkay.size());
  std::fwrite(answer.data(), 1, answer.size(), stdout);
  return json && answer.starts_with(kJsonError) ? kFailed : kOk;
}

int failed(const Error& error, bool json) {
  if (!json) return failed(error);
  return print(Reply(error).json(), true);
}

}  // namespace

void declare_ctl(CLI::App& app, CtlOptions& options) {
  app.add_option("--socket", options.socket, "Control socket of the program: the PATH of its --control")
      ->type_name("PATH")
      ->envname("ENTENTE_CONTROL")
      ->required();
  app.add_option("COMMAND", options.words,
                 "list, find NAME, kick NAME [why], ban NAME, unban ADDRESS, bans, record, stats, …; `help` lists the "
                 "commands of that "
                 "program")
      ->required();
  app.add_option("--for", options.time, "For ban: how long, such as 90s, 10m, 2h or 7d (default: forever)")
      ->type_name("TIME");
  app.add_option("--why", options.why, "For ban and kick: the reason, shown to the player if the game can do that")
      ->type_name("TEXT");
  app.add_flag("--json", options.json, "Print the answer, or the error, as JSON");
}

int run_ctl(const CtlOptions& options) {
  const std::string line = line_of(options);
  if (line.find_first_of("\r\n") != std::string::npos) return usage_error("entente ctl", "a command must be one line");
  const auto answer = net::ask_local(options.socket, line);
  if (!answer) return failed({answer.error().text + "; was the program started with --control?"}, options.json);
  const bool said = answer->starts_with(kError);
  if (!said && (options.json ? !answer->empty() : answer->starts_with(kOkay))) return print(*answer, options.json);
  return failed({said ? answer->substr(kError.size(), answer->find('\n') - kError.size())
                      : "the program closed the connection without an answer"},
                options.json);
}

}  // namespace entente
