// Chat on its way to another game, and facts that a client can show only as a line of chat.
// Invariant: a command ("/password sesame") is passed on unchanged, as a command, or not at all; other players never
// see it. Control characters are never passed on. No player chats faster than the rules allow.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/base/command.h"
#include "proxy/base/text.h"
#include "proxy/core/drops.h"
#include "proxy/core/word.h"

namespace entente::core {

class WorldState;

struct ChatRules {
  bool commands = false;         ///< commands pass (both sides are the same game, or a setting allows it)
  std::size_t most_bytes = 256;  ///< longer lines are cut (fitted())
  std::uint32_t burst = 5;       ///< lines at once from one player …
  Micros every = kSecond;        ///< … and then one each time this has passed
};

/// Events that a client can show only as a line from the server.
std::string line_of(const words::Waiting& waiting);
/// For a round that is over: who has won.
std::string line_of(const words::Round& round, const WorldState& world);
/// "hit 30/100" if the unit was hurt but not killed, otherwise nothing. `known`: its last health (0: unknown), which
/// is updated.
std::string line_of_hit(const words::Health& health, double& known);

/// Remembers a server's last line of chat, which is the reason if the server then ends the session. A welcome is not a
/// reason: until two seconds after the player was admitted, a line counts only if the end follows at once.
class LastServerLine {
 public:
  /// The server has admitted the player.
  void let_in(Micros now) { let_in_at_ = now; }
  void heard(std::string_view line, Micros now);
  /// Of bzfs's "reason given : be nice", only the reason. `otherwise` if there was no line right before.
  std::string why(Micros now, std::string_view otherwise) const;

 private:
  std::string line_;
  Micros until_ = 0;  // how long it counts
  std::optional<Micros> let_in_at_;
};

/// The prefix of an action: "/me waves".
inline constexpr std::string_view kAction = "/me ";
/// Text of a game in which a leading '/' means an action or a command.
words::Say say_of(std::string_view written);
/// The inverse, for a Say or a Said.
template <class Word>
std::string written(const Word& word) {
  return (word.kind() == words::Say::ACTION ? std::string(kAction) : "") + word.text();
}

/// Splits a text into lines of at most `most` bytes and calls `send(std::string_view)` with each. A command is one
/// line, unchanged; no other line begins like a command. Returns null, or the reason if nothing was sent.
/// REQUIRES: most > 1.
template <class Send>
const MappingLine* send_lines(words::Say::Kind kind, std::string_view text, std::size_t most, CutAt cut, Send&& send) {
  if (kind == words::Say::COMMAND) {
    if (text.size() > most) return &drops::kCommandTooLong;
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

  /// Why a line is not passed on.
  struct Refusal {
    const MappingLine* why = nullptr;  ///< null: it is passed on
    bool tell = false;                 ///< tell the player
    explicit operator bool() const { return why != nullptr; }
  };
  /// Prepares `say` to be passed on. A line that begins with '/' becomes a COMMAND.
  Refusal filter(words::Say& say, Id by, Micros now);
  void forget(Id player) {
    spoken_.erase(player);
    slowed_.erase(player);
  }

 private:
  ChatRules rules_;
  std::map<Id, Micros> spoken_;  // by player: the time at which its lines are paid for (a token bucket)
  std::map<Id, Micros> slowed_;  // by player: when it was last warned that it is too fast
};

}  // namespace entente::core
