// What the sessions of a bridge know of their server's game, for clients that only ask who plays: for those, no server
// is dialled or started. Invariant: a copy of the players, scores and rules, without the map, at most one a second.
// Thread-safe.
#pragma once

#include <memory>
#include <mutex>

#include "proxy/base/time.h"
#include "proxy/core/world.h"

namespace entente::relay {

class KnownWorld {
 public:
  static constexpr Millis kEvery = 1'000;       ///< between two copies
  static constexpr Millis kPlayersFor = 5'000;  ///< how long players are believed to be there if nobody says so again

  /// A session's world, which is ready.
  void update(const core::WorldState& world, Millis now);
  /// A session that knew the world has ended: its player is gone, and with the last session everything else that moves.
  void forget_players();
  /// The newest copy; null: no session has ever known the world.
  std::shared_ptr<const core::WorldState> get(Millis now);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const core::WorldState> world_, without_players_;
  Millis updated_at_ = 0;
};

}  // namespace entente::relay
