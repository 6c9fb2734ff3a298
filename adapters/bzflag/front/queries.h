// Answers MsgQueryGame and MsgQueryPlayers, by which anybody may ask who plays, without entering (bzfquery, lists of
// servers).
// Invariant: an answer is at most one message for each of kMostPlayers players, and needs no server: it says what the
// room knows. In a bridge whose client has only asked, that is what other sessions of the route know. A client that
// plays is told of the players by the numbers that it knows them by.
#pragma once

#include "adapters/bzflag/front/client.h"
#include "adapters/bzflag/front/player_table.h"

namespace entente::bzflag {

/// The answers of a server on which nobody plays: frames of this dialect.
Buffer game_of_nobody(std::size_t dialect);
Buffer list_of_nobody(std::size_t dialect);

class Queries {
 public:
  Queries(Client& client, const PlayerTable& players) : client_(client), players_(players) {}

  void hear(const QueryGame&, FrontOut& out);
  void hear(const QueryPlayers&, FrontOut& out);
  /// Answers what was asked. REQUIRES: the room has heard the words::Query.
  void answer(FrontOut& out);

 private:
  void tell_game(FrontOut& out);
  void tell_players(FrontOut& out);

  Client& client_;
  const PlayerTable& players_;
  bool wants_game_ = false, wants_players_ = false;
};

}  // namespace entente::bzflag
