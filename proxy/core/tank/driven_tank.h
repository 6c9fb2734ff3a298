// The tank of a back's own player on somebody else's server: where it is, what drives it, and what the server was told.
// Law: the server is told where it is after each step that others would reckon otherwise.
#pragma once

#include <optional>

#include "proxy/core/tank/tank_driver.h"
#include "proxy/core/world.h"

namespace entente::core {

struct DrivenTank {
  bool alive = false, asked = false;  ///< `asked`: to be put into play
  words::Pose pose;                   ///< where it is
  Micros posed = 0;                   ///< since when
  words::Pose sent;                   ///< what the server was told last
  Micros sent_at = 0;
  std::uint32_t order = 0;
  bool held = false;   ///< the pose waits for its turn
  Id wants_token = 0;  ///< that its player wished to have last
  Steering steering;
  TankDriver driver;
  Terrain terrain;
  Micros driven = 0;  ///< up to when

  /// It was put into play, there.
  void begin(const words::Pose& place, Micros now);
  /// It is dead, or its server forgot it.
  void end();
  /// The server is told that it is there.
  void told(const words::Pose& place, Micros now);
  /// Its client says that it is there.
  void claimed(const words::Pose& place, Micros now);

  /// From where it was at the last tick to now.
  struct Step {
    Micros since = 0;
    double dt = 0;  ///< seconds, at most 0.2
    TankState was;
  };
  /// Nothing: it does not drive, or has driven up to now.
  std::optional<Step> step(Micros now);
  /// Where others reckon that it is.
  words::Pose seen(Micros now) const { return place_at(sent, sent_at, now, 10); }
};

/// Within what a server lets pass: no faster than `most` metres a second, no farther out than `edge`.
void keep_within(words::Pose& pose, double most, double edge);

}  // namespace entente::core
