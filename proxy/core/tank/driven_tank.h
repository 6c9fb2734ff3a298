// The tank that a back drives on a server for its player: its pose, its steering, and the pose that the server was told
// last.
// Law: the server is told the pose after each step whose result dead reckoning would not predict.
#pragma once

#include <optional>

#include "proxy/core/tank/tank_driver.h"
#include "proxy/core/world.h"

namespace entente::core {

struct DrivenTank {
  bool alive = false, asked = false;  ///< `asked`: the server was asked to spawn it
  words::Pose pose;                   ///< where it is
  Micros posed = 0;                   ///< when it was there
  words::Pose sent;                   ///< what the server was told last
  Micros sent_at = 0;
  std::uint32_t order = 0;
  bool held = false;   ///< `pose` waits for the rate limit
  Id wants_token = 0;  ///< the token that its player asked for last
  Steering steering;
  TankDriver driver;
  Terrain terrain;
  Micros driven = 0;  ///< the time up to which it was driven

  /// It spawned at `place`.
  void begin(const words::Pose& place, Micros now);
  /// It died, or the server removed it.
  void end();
  /// The server was told this place.
  void told(const words::Pose& place, Micros now);
  /// The client claims this place.
  void claimed(const words::Pose& place, Micros now);

  /// The time from the last tick to now.
  struct Step {
    Micros since = 0;
    double dt = 0;  ///< seconds, at most 0.2
    TankState was;
  };
  /// The next step; nothing if the tank is dead or already up to date.
  std::optional<Step> step(Micros now);
  /// Where dead reckoning by others puts it.
  words::Pose seen(Micros now) const { return place_at(sent, sent_at, now, 10); }
};

/// Limits a pose to what the server accepts: at most `most` metres a second, and x and y within `edge` of the centre.
void keep_within(words::Pose& pose, double most, double edge);

}  // namespace entente::core
