#include "proxy/program/control/ctl.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/ask_program.h"
#include "proxy/program/control/older_orders.h"
#include "proxy/program/control/reply.h"
#include "proxy/program/take_over/hand_over.h"

namespace entente {
namespace {

/// The index of the first word of the command's last argument, if that is a text that needs no quotes; otherwise the
/// number of words.
std::size_t first_of_text(const std::vector<std::string>& words) {
  if (words[0] == "kick") return 2;
  return words[0] == "say" || words[0] == "find" ? 1 : words.size();
}

std::string line_of(const CtlOptions& options) {
  std::string line = options.json ? "--json" : "";
  if (options.fleet) line += line.empty() ? "--fleet" : " --fleet";
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
  for (const std::string& referral : options.referrals) add_option("--refer", referral);
  add_option("--for", options.time);
  if (options.yes) add("--yes");
  add_option("--why", options.why);
  add_option("--say", options.say);
  return line;
}

/// Whether the program is to be replaced, with whatever form of answer.
bool is_upgrade(CtlOptions options) {
  options.json = false;
  return line_of(options) == "upgrade";
}

/// Waits until the new process has taken over or failed. Programs of older versions answer only at once, and only in
/// text.
ProgramAnswer ask_to_upgrade(const std::string& socket, bool json, const net::AskLocal& options) {
  constexpr std::string_view kDoesNotKnow = "upgrade stands alone";
  net::AskLocal waits = options;
  waits.within = patience_with(kUpgradeAndWait);
  ProgramAnswer answer = ask_program(socket, kUpgradeAndWait, false, waits);
  if (!answer.ok && answer.text.starts_with(kDoesNotKnow)) answer = ask_program(socket, "upgrade", false, options);
  if (json) answer.text = (answer.ok ? Reply(answer.text) : Reply(Error{answer.text})).json();
  return answer;
}

/// `find` exits like grep: it fails if it has found no session.
bool found_nobody(const std::string& answer, bool json) {
  return json ? answer == "[]\n" : answer.find('\n') + 1 == answer.size();  // only the header
}

/// Prints an answer. Another program wrote it: its control characters must not reach the terminal.
void print(const std::string& text, bool json) {
  const std::string shown = json ? screen_json(text) : screen_text(text, "\n\t");
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

/// Prints an error: text, or the JSON of one.
void print_fault(const std::string& why, bool json) {
  if (json)
    print(why, true);
  else
    report_failure(Error{why});
}

/// What the processes from before an upgrade did.
struct OlderOutcome {
  bool any = false;       // one of them has carried out the command
  std::string ends = {};  // the error that ends the command; "": none
  std::vector<int> silent = {};
};

/// Gives them the command to which the first process has answered `own`, and prints their answers. `user`: of the
/// process that answers at options.socket.
OlderOutcome order_older(CtlOptions options, const std::string& own, std::optional<std::uint32_t> user) {
  const bool json = std::exchange(options.json, false);
  OlderOutcome older;
  for (const OlderAnswer& one : ask_each_older(options.socket, line_of(options), own, json, {.user = user})) {
    if (one.silent) older.silent.push_back(one.pid);
    if (!one.ok && ends_command(one.text)) older.ends = one.text;
    if (!one.ok || (options.words[0] == "find" && found_nobody(one.text, json))) continue;
    older.any = true;
    if (!json) std::printf("process %d, which serves its players to their end:\n", one.pid);
    print(one.text, json);
  }
  if (options.words[0] == "kick" && older.any) older.silent.clear();  // the player was elsewhere
  return older;
}

}  // namespace

void declare_ctl(CLI::App& app, CtlOptions& options) {
  // An empty value would be dropped from the command, which would then affect more than was asked for.
  const auto not_empty = [](const std::string& value) { return value.empty() ? "must not be empty" : ""; };
  app.add_option("--socket", options.socket,
                 "Control socket of the program: the PATH of its --control (default: that of the packaged service)")
      ->type_name("PATH")
      ->envname("ENTENTE_CONTROL");
  app.add_option(
         "COMMAND", options.words,
         "list, find NAME, kick NAME [why], move NAME ROUTE, ban NAME, unban ADDRESS, bans, allow NETWORK, deny "
         "NETWORK, drain [ROUTE|SERVER], say TEXT, record, stats, … A player's NAME can also be its link number or "
         "address. `help` lists all commands that the running program accepts")
      ->required();
  app.add_option("--for", options.time,
                 "For ban: how long it lasts, such as 90s, 10m, 2h or 7d (default: forever). For drain: "
                 "sessions that are still open after this time are ended, or go to another server (default: never)")
      ->type_name("TIME")
      ->check(not_empty);
  app.add_option(
         "--why", options.why,
         "For ban and kick: the reason, shown to the player if the game can do that. For allow and deny: a note "
         "for other operators")
      ->type_name("TEXT")
      ->check(not_empty);
  app.add_option("--say", options.say, "For drain: a message to the players, sent when the drain begins")
      ->type_name("TEXT")
      ->check(not_empty);
  app.add_option(
         "--refer", options.referrals,
         "For drain: where players can go instead. Players of GAME in PLACE are told to connect to HOST:PORT. "
         "`ctl listeners` prints the places: an arena's name, or the names of a route's servers. May be repeated")
      ->type_name("GAME,PLACE,HOST:PORT")
      ->allow_extra_args(false)
      ->check(not_empty);
  app.add_option("--route", options.route,
                 "For `say`: only to the players of ROUTE (a game, an arena, a port, the address of a listener, or a "
                 "route's name, as `ctl routes` prints it)")
      ->type_name("ROUTE")
      ->check(not_empty);
  app.add_flag(
      "--fleet", options.fleet,
      "Run COMMAND in the whole fleet. COMMAND is one of nodes, list, find NAME, who NAME, kick NAME, move "
      "NAME ROUTE|NODE, ban NAME, unban ADDRESS, bans, allow NETWORK, deny NETWORK, unlist NETWORK, access, say "
      "TEXT, drain NODE, undrain NODE, routes, servers, stats, recordings");
  app.add_flag("--yes", options.yes,
               "For ban and deny: the network is meant, although it holds more than 16 million addresses");
  app.add_flag("--json", options.json, "Print the answer, or the error, as JSON");
}

int run_ctl(const CtlOptions& given) {
  CtlOptions options = given;
  if (options.socket.empty()) options.socket = kPackagedSocket;
  if (std::any_of(options.words.begin(), options.words.end(), [](const std::string& word) { return word.empty(); }))
    return usage_error("entente ctl", "an argument of the command is empty");
  const std::string line = line_of(options);
  if (line.find_first_of("\r\n") != std::string::npos) return usage_error("entente ctl", "a command must be one line");
  net::LocalPeer by;
  // Root manages programs of every user.
  const net::AskLocal asked{.within = patience_with(options.words[0]), .any_user = ::geteuid() == 0, .by = &by};
  const ProgramAnswer answer = is_upgrade(options) ? ask_to_upgrade(options.socket, options.json, asked)
                                                   : ask_program(options.socket, line, options.json, asked);
  const std::optional<std::uint32_t> user = by.pid != 0 ? std::optional(by.uid) : std::nullopt;
  const bool nobody = answer.ok && options.words[0] == "find" && found_nobody(answer.text, options.json);
  if (answer.ok) print(answer.text, options.json);
  const bool ends = answer.ok ? options.words[0] == "kick" : ends_command(answer.text);  // no other process is asked
  OlderOutcome older;
  if (!options.fleet && !ends && is_for_older(line)) older = order_older(options, answer.text, user);
  const bool stands = !answer.ok && (!banned_address(answer.text).empty() || fails_alone(line));
  std::string why = answer.ok || (older.any && !stands) ? "" : answer.text;
  if (!older.ends.empty()) why = older.ends;
  for (const int pid : older.silent) {
    const std::string silent = silent_text(pid);
    print_fault(options.json ? Reply(Error{silent}).json() : silent, options.json);
  }
  if (!why.empty()) print_fault(why, options.json);
  const bool found = answer.ok ? !nobody || older.any : older.any;
  return why.empty() && older.silent.empty() && found ? kOk : kFailed;
}

}  // namespace entente
