// What the server says about itself: settings, variables and time. Counts what other games have no use for.
#pragma once

#include "adapters/bzflag/back/tank.h"
#include "adapters/bzflag/losses.h"

namespace entente::bzflag {

class ServerRules {
 public:
  ServerRules(const PeerLink& link, core::JoinState& state, TankRules& tank_rules)
      : link_(link), state_(state), tank_rules_(tank_rules) {}

  void learn(const GameSettings& settings, BackOut& out);

  void hear(const SetVar& variables, BackOut& out);
  void hear(const GameTime& time, BackOut& out);
  void hear(const GameAnswer& answer, BackOut& out);
  void hear(const Handicap&, BackOut& out) { out.lose(loss::kHandicap); }
  void hear(const FlagType&, BackOut& out) { out.lose(loss::kFlagType); }
  void hear(const CacheUrl&, BackOut& out) { out.lose(loss::kCacheUrl); }
  void hear(const FetchResources&, BackOut& out) { out.lose(loss::kFetchResources); }
  void hear(const CustomSound&, BackOut& out) { out.lose(loss::kCustomSound); }

 private:
  const PeerLink& link_;
  core::JoinState& state_;
  TankRules& tank_rules_;
};

}  // namespace entente::bzflag
