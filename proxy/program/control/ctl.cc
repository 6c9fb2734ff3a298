#include "proxy/program/control/ctl.h"

#include <algorithm>
#include <cstdio>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/reply.h"
#include "proxy/program/misuse.h"

namespace entente {
namespace {

constexpr std::string_view kOkay = "ok\n", kError = "error: ", kJsonError = "{\"error\":";

/// From which word on the words of a command are one text, which needs no quotes.
std::size_t first_of_text(const std::vector<std::string>& words) {
  if (words[0] == "kick") return 2;
  return words[0] == "say" || words[0] == "find" ? 1 : words.size();
}

std::string line_of(const CtlOptions& options) {
  std::string line = options.json ? "--json" : "";
  const std::vector<std::string>& words = options.words;
  const std::size_t whole = std::min(first_of_text(words), words.size());
  const auto add = [&line](const std::string& word) { line += (line.empty() ? "" : " ") + word; };
  const auto add_option = [&](const char* name, const std::string& value) {
    if (!value.empty()) add(std::string(name) + " " + as_argument(value));
  };
  add(words[0]);
  add_option("--route", options.route);
  for (std::size_t i = 1; i < whole; ++i) add(as_argument(words[i]));
  std::string text;
  for (std::size_t i = whole; i < words.size(); ++i) text += (text.empty() ? "" : " ") + words[i];
  if (!text.empty()) add(as_argument(text));
  add_option("--for", options.time);
  add_option("--why", options.why);
  add_option("--say", options.say);
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
  app.add_option(
         "COMMAND", options.words,
         "list, find NAME, kick NAME [why], ban NAME, unban ADDRESS, bans, drain, say TEXT, record, stats, …; `help` "
         "lists the commands of that "
         "program")
      ->required();
  app.add_option("--for", options.time, "For ban and drain: how long, such as 90s, 10m, 2h or 7d (default: forever)")
      ->type_name("TIME");
  app.add_option("--why", options.why, "For ban and kick: the reason, shown to the player if the game can do that")
      ->type_name("TEXT");
  app.add_option("--say", options.say, "For drain: what the players are told now")->type_name("TEXT");
  app.add_option("--route", options.route, "For say: only its players; a game, an arena, a port or a listener")
      ->type_name("ROUTE");
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
