// The time, and the end of a round.
#pragma once

#include "adapters/bzflag/front/player_table.h"

namespace entente::bzflag {

class Rounds {
 public:
  Rounds(Client& client, const PlayerTable& players, const core::ResyncPhase& resync)
      : client_(client), players_(players), resync_(resync) {}

  void hear(const words::Round& round, FrontOut& out);
  void hear(const words::Clock& clock, FrontOut& out);

  void tell_clock(FrontOut& out);

 private:
  void end_game(const words::Round& round, FrontOut& out);

  Client& client_;
  const PlayerTable& players_;
  const core::ResyncPhase& resync_;
};

}  // namespace entente::bzflag
