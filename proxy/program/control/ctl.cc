#include "proxy/program/control/ctl.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/older_orders.h"
#include "proxy/program/control/reply.h"
#include "proxy/program/take_over/hand_over.h"
#include "proxy/program/take_over/older_sockets.h"

namespace entente {
namespace {

constexpr std::string_view kOkay = "ok\n", kError = "error: ";

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

struct Answer {
  bool ok;
  std::string text;  // to print: the answer, or the error
};

Answer ask(const std::string& socket, const std::string& line, bool json, const net::AskLocal& options) {
  const auto wrong = [json](const std::string& why) {
    return Answer{false, json ? Reply(Error{why}).json() : screen_text(why)};
  };
  const auto answer = net::ask_local(socket, line, options);
  if (!answer) return wrong(answer.error().text + "; was the program started with --control?");
  const std::string_view said = *answer;
  if (said.starts_with(kError)) return wrong(std::string(said.substr(kError.size(), said.find('\n') - kError.size())));
  if (json ? said.empty() : !said.starts_with(kOkay))
    return wrong("the program closed the connection without an answer");
  if (json) return {!said.starts_with(kJsonError), *answer};
  return {true, answer->substr(kOkay.size())};
}

/// Waits until the new process has taken over or failed. Programs of older versions answer only at once.
Answer ask_to_upgrade(const std::string& socket, const net::AskLocal& options) {
  constexpr Millis kUpgradesWithin = 180'000;
  constexpr std::string_view kDoesNotKnow = "upgrade stands alone";
  net::AskLocal waits = options;
  waits.within = kUpgradesWithin;
  Answer answer = ask(socket, kUpgradeAndWait, false, waits);
  if (!answer.ok && answer.text.starts_with(kDoesNotKnow)) answer = ask(socket, "upgrade", false, options);
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

/// Names the address in a ban, once an answer has told it.
void name_address(CtlOptions& options, const std::string& answer) {
  if (options.words[0] != "ban" || options.words.size() < 2) return;
  if (std::string address = banned_address(answer); !address.empty()) options.words[1] = std::move(address);
}

/// Prints the answers of the processes from before an upgrade. Returns false if none carried out the command. `user`:
/// of the process that answers at options.socket.
bool older_answers(CtlOptions options, std::optional<std::uint32_t> user) {
  bool any = false;
  for (const OlderSocket& older : older_sockets(options.socket, user)) {
    const Answer answer = ask(older.path, line_of(options), options.json, {.user = user});
    name_address(options, answer.text);
    if (!answer.ok || (options.words[0] == "find" && found_nobody(answer.text, options.json))) continue;
    any = true;
    if (!options.json) std::printf("process %d, which serves its players to their end:\n", older.pid);
    print(answer.text, options.json);
    if (options.words[0] == "kick") break;
  }
  return any;
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
  const net::AskLocal asked{.any_user = ::geteuid() == 0, .by = &by};  // root manages programs of every user
  const Answer answer =
      line == "upgrade" ? ask_to_upgrade(options.socket, asked) : ask(options.socket, line, options.json, asked);
  const std::optional<std::uint32_t> user = by.pid != 0 ? std::optional(by.uid) : std::nullopt;
  const bool nobody = answer.ok && options.words[0] == "find" && found_nobody(answer.text, options.json);
  if (answer.ok) print(answer.text, options.json);
  const bool ends = answer.ok ? options.words[0] == "kick" : ends_command(answer.text);  // no other process is asked
  const bool is_not_kept = !answer.ok && !banned_address(answer.text).empty();
  name_address(options, answer.text);
  const bool there = !options.fleet && !ends && is_for_older(line) && older_answers(options, user);
  if ((there && !is_not_kept) || (answer.ok && !nobody)) return kOk;
  if (nobody) return kFailed;
  if (!options.json) return report_failure(Error{answer.text});
  print(answer.text, true);
  return kFailed;
}

}  // namespace entente
