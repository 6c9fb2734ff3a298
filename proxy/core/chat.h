// What players say, on its way to a game that is not theirs, and what their screen shows only as a line. Law: a command
// ("/password sesame") is passed on exactly as it was written, as a command, or not at all: it is never shown to other
// players. Control characters are never passed on. Nobody speaks faster than the rules let them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "proxy/base/command.h"
#include "proxy/base/text.h"
#include "proxy/core/losses.h"
#include "proxy/core/word.h"

namespace entente::core {

class World;

struct ChatRules {
  bool commands = false;         ///< commands pass (both sides are of one game, or somebody said so)
  std::size_t most_bytes = 256;  ///< what is longer is cut (fitted())
  std::uint32_t burst = 5;       ///< lines at once, of one player …
  Micros every = kSecond;        ///< … and then one each time this has passed
};

/// What has no place on a client's screen but as a line of the server's.
std::string line_of(const words::Waiting& waiting);
/// Of one that is over: who has won it.
std::string line_of(const words::Round& round, const World& world);
/// "hit 30/100" of whom it hurt and did not kill, else nothing. `known`: its health as told last (0: not yet), which
/// becomes this.
std::string line_of_hit(const words::Health& health, double& known);

/// Why a server ends a session: what it said right before, if it said anything.
class LastWords {
 public:
  void heard(std::string_view line, Micros now);
  /// Of what bzfs says, "reason given : be nice", the reason alone. `otherwise`: nothing was said for 3 s.
  std::string why(Micros now, std::string_view otherwise) const;

 private:
  std::string line_;
  Micros at_ = 0;
};

/// What stands before what somebody does: "/me waves".
inline constexpr std::string_view kAction = "/me ";
/// What a player wrote where whoever writes '/' first means no line: an action, or a command.
words::Say say_of(std::string_view written);
/// The same back, of a Say or a Said.
template <class Word>
std::string written(const Word& word) {
  return (word.kind() == words::Say::ACTION ? std::string(kAction) : "") + word.text();
}

/// Splits what is said into lines of at most `most` bytes and calls `send(std::string_view)` with each. A command is
/// one line, unchanged; a later line of anything else never begins as a command would. Returns null, or, if nothing was
/// sent, why. REQUIRES: most > 1.
template <class Send>
const Mapping* send_lines(words::Say::Kind kind, std::string_view text, std::size_t most, CutAt cut, Send&& send) {
  if (kind == words::Say::COMMAND) {
    if (text.size() > most) return &loss::kCommandTooLong;
    send(text);
    return nullptr;
  }
  while (!text.empty()) {
    send(take_piece(text, most, cut));
    if (!is_command(text)) continue;
    const std::string line = "- " + std::string(take_piece(text, most - 2, cut));
    send(std::string_view(line));
  }
  return nullptr;
}

class Chat {
 public:
  explicit Chat(const ChatRules& rules) : rules_(rules) {}

  /// Why something is not passed on.
  struct Refusal {
    const Mapping* why = nullptr;  ///< null: it is passed on
    bool tell = false;             ///< the player is to be told: it was a command
    explicit operator bool() const { return why != nullptr; }
  };
  /// Makes `say` fit to be passed on. A line that begins with '/' becomes a COMMAND.
  Refusal filter(words::Say& say, Id by, Micros now);
  void forget(Id player) { spoken_.erase(player); }

 private:
  ChatRules rules_;
  std::map<Id, Micros> spoken_;  // until when each player's lines so far fill the steady rate
};

}  // namespace entente::core
