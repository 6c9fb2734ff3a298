// The flags of a tank game, as its server reports them to a back.
// Invariant: a flag's id is its number plus one. At most 2000 flags are remembered.
#pragma once

#include <map>
#include <string>

#include "proxy/core/tank/tank_server_players.h"

namespace entente::core {

class TankFlags {
 public:
  TankFlags(const JoinState& state, const TankServerPlayers& players) : state_(state), players_(players) {}

  /// Remembers the flag. Returns it with its carrier, the player with that number, if the server has introduced it.
  words::Token keep(words::Token token, std::uint8_t carrier);
  /// The server has introduced the player with that number: tells the room which flags it carries. Servers tell the
  /// flags before the players.
  void tell_carried(std::uint8_t carrier, BackOut& out);
  /// The code of the flag that the back's own player carries; empty: none.
  std::string carried() const { return carried_by(state_.me); }
  /// The same of another player.
  std::string carried_by(Id player) const;
  /// TEAM_ANY: no such flag, or no team's.
  words::Team team_of(Id token) const;
  /// Whether its carrier cannot use it: the carrier's client is of another game, and the player did not ask for this
  /// flag last.
  bool is_unasked(const words::Token& token, Id wished) const;

 private:
  struct Kept {
    words::Token token;
    std::uint8_t carrier = 0;  // its number; of no meaning if nobody carries the flag
  };

  const JoinState& state_;
  const TankServerPlayers& players_;
  std::map<Id, Kept> flags_;
};

}  // namespace entente::core
