#include "proxy/program/control/ask_program.h"

#include <utility>

#include "proxy/program/base/screen_text.h"
#include "proxy/program/control/reply.h"
#include "proxy/program/take_over/hand_over.h"

namespace entente {

ProgramAnswer ask_program(const std::string& socket, const std::string& line, bool json, const net::AskLocal& options) {
  const auto wrong = [json](const std::string& why, bool silent = false) {
    return ProgramAnswer{false, json ? Reply(Error{why}).json() : screen_text(why), silent};
  };
  net::AskLocal asks = options;
  net::LocalPeer by;
  bool silent = false;
  if (asks.by == nullptr) asks.by = &by;
  asks.silent = &silent;
  const auto answer = net::ask_local(socket, line, asks);
  if (!answer) {
    const bool connected = asks.by->pid != 0;
    std::string why = answer.error().text;
    if (silent && connected) why += "; the command may still be carried out";
    if (!silent && !connected) why += "; was the program started with --control?";
    return wrong(why, silent);
  }
  const std::string_view said = *answer;
  if (said.starts_with(kTextError))
    return wrong(std::string(said.substr(kTextError.size(), said.find('\n') - kTextError.size())));
  if (json ? said.empty() : !said.starts_with(kTextDone))
    return wrong("the program closed the connection without an answer");
  if (json) return {!said.starts_with(kJsonError), *answer};
  return {true, answer->substr(kTextDone.size())};
}

Millis patience_with(std::string_view command) {
  constexpr Millis kChangesWithin = 180'000;
  return command == "reload" || command == kUpgradeAndWait ? kChangesWithin : net::AskLocal{}.within;
}

}  // namespace entente
