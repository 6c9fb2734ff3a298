// The place of a back's player on a server of a tank game: how far the player has joined, and how it leaves.
// Invariant: the room is told once that the player was refused or thrown out.
#pragma once

#include <optional>
#include <string>

#include "proxy/core/chat.h"
#include "proxy/core/room_member.h"

namespace entente::core {

struct JoinState {
  enum class Stage : std::uint8_t { kGreeting, kLoading, kReadyToEnter, kEntering, kIn };

  Stage stage = Stage::kGreeting;
  bool goodbye_said = false;         ///< by either side
  std::optional<words::Enter> wish;  ///< what the player asked to enter as
  Id me = 0;
  std::uint8_t number = 255;  ///< on the server; 255: none yet
  words::Room room;           ///< how the server describes itself

  bool in() const { return stage == Stage::kIn; }
  /// The server has admitted the player.
  void come_in(Micros now);
  /// Whether the player's client reports hits on its own tank. Otherwise the back does.
  bool client_decides() const { return wish && wish->claims_deaths(); }

  static void tell_refused(words::Refused::Code code, std::string text, bool may_retry, BackOut& out);
  /// Tells the room that the player is refused, and leaves.
  void refuse(words::Refused::Code code, std::string_view text, bool may_retry, BackOut& out);
  /// The server ends a game that the player was in. `how`: for the log.
  void be_kicked(std::string_view how, BackOut& out);

  /// A line of chat by the server; `to_me`: for this player alone.
  void hear_server(std::string text, bool to_me, BackOut& out);
  /// A line of chat by a player.
  void hear_player(words::Said said, BackOut& out) const;

 private:
  LastServerLine last_server_line_;
};

}  // namespace entente::core
