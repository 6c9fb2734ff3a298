// Drives a tank by what words wish of it (steering.h), where no client of its game does; and says when it is not where
// others take it to be. Law: it drives as far as its model and the terrain let it, and turns to where it shall shoot
// before it goes on.
#pragma once

#include "proxy/core/tank/steering.h"
#include "proxy/core/tank/tank.h"

namespace entente::core {

/// What brings it to where it is wished, in a step of `dt` seconds. `jump`: metres a second upwards; 0 where nobody
/// jumps. A goal within `near` metres is reached; what a mouse points at there is still looked at, as long as it is not
/// the tank itself.
Controls follow(const TankModel& model, const TankState& tank, const Steering& steering, double jump, double dt,
                double near = kReached);

class TankDriver {
 public:
  /// First it turns there, to shoot; it tries for five seconds. Radians.
  void aim(double yaw, Micros now);
  void drop_aim() { aim_.reset(); }
  /// Whether it looks where it aims, or has tried for long enough. With that it aims no more.
  bool has_aimed(double yaw, Micros now);

  /// One step, as follow() has it, if it need not turn to shoot.
  void drive(const TankModel& model, const Terrain& terrain, const Steering& steering, double jump, double dt,
             TankState& tank, double near = kReached) const;

 private:
  std::optional<double> aim_;
  Micros aim_until_ = 0;
};

// -- Dead reckoning ---------------------------------------------------------------------------------------------------

// Who was told where it is takes it to go on as it went (place_at).

/// Whether it is elsewhere, or looks elsewhere, by more than may be seen wrong: 0.09 m and 0.05 radians, as BZFlag has
/// it (_positionTolerance, _angleTolerance at v2.4.26).
bool strays(const TankState& seen, const TankState& is);
/// Whether its velocity differs by so much (0.5 m/s) that it soon will.
bool strays_soon(const TankState& seen, const TankState& is);

}  // namespace entente::core
