// Shots of other players, and deaths of all.
// Invariant: the client is told each death once, and none that did not happen.
#pragma once

#include "adapters/aos/front/entry.h"

namespace entente::aos {

class Fights {
 public:
  Fights(Client& client, PlayerTable& players, Entry& entry, const core::ResyncPhase& resync)
      : client_(client), players_(players), entry_(entry), resync_(resync) {}

  void hear(const words::Died& died, FrontOut& out);
  void hear(const words::Shot& shot, FrontOut& out);

  void stop_shooting(FrontOut& out);

 private:
  Client& client_;
  PlayerTable& players_;
  Entry& entry_;
  const core::ResyncPhase& resync_;
};

}  // namespace entente::aos
