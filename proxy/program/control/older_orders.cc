#include "proxy/program/control/older_orders.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/control/arguments.h"
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

}  // namespace

bool is_for_older(std::string_view line) {
  constexpr std::string_view kAll[] = {"list",  "find",    "who",    "kick",  "ban",    "unban",   "say",
                                       "drain", "undrain", "record", "stats", "routes", "servers", "recordings"};
  std::string_view rest = line;
  std::string_view command = first_word(rest);
  if (command == "--json") command = first_word(rest);
  if (std::find(std::begin(kAll), std::end(kAll), command) == std::end(kAll)) return false;
  if (command != "record") return true;
  // A number is a place in the configuration. In theirs, another route may be there.
  (void)first_word(rest);
  const std::string route = whole_text(rest);
  return route.empty() || route.find_first_not_of("0123456789") != std::string::npos;
}

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

std::string ask_older(const std::string& control_socket, std::string line, std::string own) {
  constexpr Millis kWithin = 1'000;
  const bool one_player = line.starts_with("kick "), failed = own.starts_with(kJsonError);
  if (one_player && !failed) return own;  // the player was here
  if (failed && ends_command(own)) return own;
  line = by_address(std::move(line), own);
  bool done = !failed || !banned_address(own).empty();
  for (const OlderSocket& older : older_sockets(control_socket)) {
    const auto answer = net::ask_local(older.path, "--json " + line, {.within = kWithin});
    if (!answer || answer->empty()) continue;
    line = by_address(std::move(line), *answer);
    if (done || answer->starts_with(kJsonError)) continue;
    done = true;
    own = answer->substr(0, answer->find('\n'));
    if (one_player) break;
  }
  return own;
}

}  // namespace entente
