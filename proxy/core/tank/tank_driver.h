// Drives a tank by intents (steering.h) for players whose clients do not; and reports when the tank is not where others
// assume it to be.
// Invariant: it drives only as the model and the terrain allow, and turns toward its target before it shoots.
#pragma once

#include "proxy/core/gameplay/steering.h"
#include "proxy/core/gameplay/tank.h"

namespace entente::core {

/// The input that brings it to its goal, in a step of `dt` seconds. `jump`: metres per second upwards; 0 if it must
/// not jump. A goal within `near` metres is reached; the tank still turns toward a mouse pointer there, unless it
/// points at the tank itself.
Controls follow(const TankModel& model, const TankState& tank, const Steering& steering, double jump, double dt,
                double near = kReached);

class TankDriver {
 public:
  /// Before a shot: turns to `yaw` (radians) first; tries for five seconds.
  void aim(double yaw, Micros now);
  void drop_aim() { aim_.reset(); }
  /// Whether it still turns, to shoot.
  bool aims() const { return aim_.has_value(); }
  /// Whether it faces its target, or has tried for long enough. Ends aiming.
  bool has_aimed(double yaw, Micros now);

  /// One step as in follow(), unless it must turn to shoot.
  void drive(const TankModel& model, const Terrain& terrain, const Steering& steering, double jump, double dt,
             TankState& tank, double near = kReached) const;

 private:
  std::optional<double> aim_;
  Micros aim_until_ = 0;
};

// -- Dead reckoning ---------------------------------------------------------------------------------------------------

// Others assume that a unit continues as it moved (place_at).

/// Whether its place or direction differs by more than is tolerable: 0.09 m and 0.05 radians, as in BZFlag
/// (_positionTolerance, _angleTolerance at v2.4.26).
bool strays(const TankState& seen, const TankState& is);
/// Whether its velocity differs by so much (0.5 m/s) that its place soon will.
bool strays_soon(const TankState& seen, const TankState& is);

}  // namespace entente::core
