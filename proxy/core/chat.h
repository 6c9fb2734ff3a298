// What players say, on its way to a game that is not theirs, and what their screen shows only as a line. Law: no line
// that the other side would take for a command gets there unless that is allowed; control characters never do; nobody
// speaks faster than the rules let them.
#pragma once

#include <map>
#include <string>
#include <string_view>

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

class Chat {
 public:
  explicit Chat(const ChatRules& rules) : rules_(rules) {}

  /// Makes `say` fit to be passed on. If it must not be: why, a literal; else null.
  const char* filter(words::Say& say, Id by, Micros now);
  void forget(Id player) { spoken_.erase(player); }

 private:
  ChatRules rules_;
  std::map<Id, Micros> spoken_;  // until when each player's lines so far fill the steady rate
};

}  // namespace entente::core
