// What the server reports about itself: settings, variables and time. Counts what other games cannot use.
#pragma once

#include "adapters/bzflag/back/tank.h"
#include "adapters/bzflag/wire/drops.h"

namespace entente::bzflag {

class ServerRules {
 public:
  ServerRules(const PeerLink& link, core::JoinState& state, TankRules& tank_rules)
      : link_(link), state_(state), tank_rules_(tank_rules) {}

  void learn(const GameSettings& settings, BackOut& out);

  void hear(const SetVar& variables, BackOut& out);
  void hear(const GameTime& time, BackOut& out);
  void hear(const GameAnswer& answer, BackOut& out);
  void hear(const Handicap&, BackOut& out) { out.drop(drops::kHandicap); }
  void hear(const FlagType&, BackOut& out) { out.drop(drops::kFlagType); }
  void hear(const CacheUrl&, BackOut& out) { out.drop(drops::kCacheUrl); }
  void hear(const FetchResources&, BackOut& out) { out.drop(drops::kFetchResources); }
  void hear(const CustomSound&, BackOut& out) { out.drop(drops::kCustomSound); }

 private:
  const PeerLink& link_;
  core::JoinState& state_;
  TankRules& tank_rules_;
  bool knows_time_ = false;
};

}  // namespace entente::bzflag
