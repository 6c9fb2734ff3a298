#include "proxy/program/control/older_orders.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "proxy/program/control/arguments.h"
#include "proxy/program/control/ask_program.h"
#include "proxy/program/control/reply.h"
#include "proxy/program/take_over/hand_over.h"
#include "proxy/program/take_over/older_sockets.h"

namespace entente {
namespace {

/// Names the address in a ban, once an answer has told it.
std::string by_address(std::string line, std::string_view answer) {
  std::string_view rest = line;
  const std::string address = banned_address(answer);
  if (address.empty() || first_word(rest) != "ban") return line;
  (void)first_argument(rest);
  return "ban " + address + (rest.empty() ? "" : " ") + std::string(rest);
}

/// Takes the command's name, and what is before it, from the line.
std::string_view command_of(std::string_view& line) {
  const std::string_view command = first_word(line);
  return command == "--json" ? first_word(line) : command;
}

/// `answer` (JSON) as an error that begins with `fault`, which needs no escapes.
std::string with_fault(std::string_view answer, const std::string& fault) {
  for (const std::string_view begins : {kJsonDone, kJsonError})
    if (answer.starts_with(begins))
      return std::string(kJsonError) + "\"" + fault + std::string(answer.substr(begins.size() + 1));  // after the quote
  return std::string(answer);
}

}  // namespace

bool is_for_older(std::string_view line) {
  constexpr std::string_view kAll[] = {"list",  "find",   "who",     "kick",       "ban",
                                       "unban", "say",    "drain",   "undrain",    "record",
                                       "stats", "routes", "servers", "recordings", "reload"};
  std::string_view rest = line;
  const std::string_view command = command_of(rest);
  if (std::find(std::begin(kAll), std::end(kAll), command) == std::end(kAll)) return false;
  if (command != "record") return true;
  // A number is a place in the configuration. In theirs, another route may be there.
  (void)first_word(rest);
  const std::string route = whole_text(rest);
  return route.empty() || route.find_first_not_of("0123456789") != std::string::npos;
}

bool fails_alone(std::string_view line) { return command_of(line) == "reload"; }

bool ends_command(std::string_view error) {
  return error.find(kAmbiguous) != error.npos || error.find(kTryAgain) != error.npos;
}

std::string banned_address(std::string_view answer) {
  constexpr std::string_view kBanned = "banned ";
  for (const std::string_view json : {kJsonDone, kJsonError})
    if (answer.starts_with(json)) answer.remove_prefix(json.size() + 1);  // with the quote
  if (!answer.starts_with(kBanned)) return "";
  answer.remove_prefix(kBanned.size());
  return std::string(answer.substr(0, answer.find_first_of(" ,")));
}

std::string silent_text(int pid) { return "process " + std::to_string(pid) + " does not answer"; }

std::vector<OlderAnswer> ask_each_older(const std::string& control_socket, std::string line, std::string_view own,
                                        bool json, const net::AskLocal& options) {
  const bool one_player = line.starts_with("kick ");
  std::vector<OlderAnswer> all;
  line = by_address(std::move(line), own);
  for (const OlderSocket& older : older_sockets(control_socket, options.user)) {
    net::AskLocal asks = options;
    net::LocalPeer by;
    asks.by = &by;
    ProgramAnswer answer = ask_program(older.path, (json ? "--json " : "") + line, json, asks);
    if (by.pid == 0 && !answer.silent) continue;  // nobody is there
    line = by_address(std::move(line), answer.text);
    all.push_back({older.pid, answer.ok, std::move(answer.text), answer.silent});
    if (all.back().ok ? one_player : ends_command(all.back().text)) break;
  }
  return all;
}

std::string ask_older(const std::string& control_socket, std::string line, std::string own, Millis within) {
  const bool one_player = line.starts_with("kick "), failed = own.starts_with(kJsonError);
  if (one_player && !failed) return own;  // the player was here
  if (failed && ends_command(own)) return own;
  bool done = !failed || !banned_address(own).empty() || fails_alone(line);
  std::string silent;
  for (const OlderAnswer& one : ask_each_older(control_socket, line, own, true, {.within = within})) {
    if (one.silent) silent += silent_text(one.pid) + "; ";
    if (done || (!one.ok && !ends_command(one.text))) continue;
    own = one.text.substr(0, one.text.find('\n'));
    done = one.ok;
    if (one_player && done) return own;
  }
  return silent.empty() ? own : with_fault(own, silent);
}

}  // namespace entente
