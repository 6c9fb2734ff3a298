// What players say, on its way to a game that is not theirs, and what their screen shows only as a line. Law: no line that the other side would take for a command
// gets there unless that is allowed; control characters never do; nobody speaks faster than the rules let them.
#pragma once

#include <map>
#include <string>

#include "proxy/core/word.h"

namespace entente::core {

struct ChatRules {
  bool commands = false;         ///< commands pass (both sides are of one game, or somebody said so)
  std::size_t most_bytes = 256;  ///< what is longer is cut, at a character's border
  std::uint32_t burst = 5;       ///< lines at once, of one player …
  Micros every = kSecond;        ///< … and then one each time this has passed
};

/// What has no place on a client's screen but as a line of the server's.
std::string line_of(const words::Waiting& waiting);
std::string line_of(const words::Health& health);  ///< of a hit: "hit 30/100"

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
