// A tank on the ground: what a back drives whose server believes its clients. It turns, speeds up at once, slides along
// what it cannot drive through, falls, and stays within the bounds; and whether a shot that flew met it.
// Law: pure. The same wishes from the same place give the same way, and never a step into a solid from
// outside of it, nor deeper into one that a tank was put half into.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "proxy/core/word.h"

namespace entente::core {

/// Metres, and metres, radians a second.
struct TankModel {
  double length = 6, width = 2.8, height = 2.05;
  double speed = 25, turn_rate = 0.785398;
  double gravity = 9.8;
  double climb = 0.33;  ///< a step so high is no obstacle
};

struct TankState {
  double x = 0, y = 0, z = 0;
  double vx = 0, vy = 0, vz = 0;
  double yaw = 0, yaw_rate = 0;

  bool operator==(const TankState&) const = default;
};

/// Where a pose has it.
TankState state_of(const words::Pose& pose);
/// Into the pose, which keeps whose it is, its pitch, state and number.
void put(const TankState& tank, words::Pose& pose);

/// Metres, of what has no height of its own. The walls around a world: three tanks. A tile: no shot passes over. Water:
/// below the muzzle, so that shots pass and tanks do not.
inline constexpr double kWallHeight = 6.15, kTileHeight = 9.42, kWaterHeight = 1;

/// Around a world that has no walls of its own: four that look inwards.
std::array<words::Solid, 4> walls_around(const words::World& world);

/// What a world holds against a tank: its boxes, pyramids, bases, tiles and bounds. Built once a world.
class Terrain {
 public:
  Terrain() = default;
  explicit Terrain(const words::World& world);

  /// Where a box of that length and width, at that height and yaw, is no part of it in anything solid.
  bool free(const TankModel& model, double x, double y, double z, double yaw) const;
  /// The height that a tank there stands on, seen from `z`.
  double floor(const TankModel& model, double x, double y, double z, double yaw) const;
  /// Outwards from what is in the way there, length 1; nothing if nothing is.
  std::optional<std::pair<double, double>> normal(const TankModel& model, double x, double y, double z,
                                                  double yaw) const;
  /// The same, of what a step that came there by dx, dy went into, or deeper into. Whose middle was in a solid may
  /// leave it any way, for which is out nobody can say; the bounds nobody leaves.
  std::optional<std::pair<double, double>> normal_against(const TankModel& model, double x, double y, double z,
                                                          double yaw, double dx, double dy) const;
  /// How far a point flies from there before it hits something that stops shots, up to `most` metres. dx, dy: length 1.
  double clear_way(double x, double y, double z, double dx, double dy, double most) const;

 private:
  struct Block {
    double x, y, bottom, top, half_x, half_y, cos, sin;
    bool narrowing;  ///< a pyramid: a point at its top
    bool upside_down, stops_units, stops_shots;
  };
  void add(const words::Solid& solid);
  void add_tiles(const words::World& world);
  /// Of the first thing in the way there that `counts(side, block)`; null: the bounds.
  template <class Counts>
  std::optional<std::pair<double, double>> first_side(const TankModel& model, double x, double y, double z, double yaw,
                                                      Counts&& counts) const;
  static bool holds(const Block& block, double x, double y);
  static std::pair<double, double> side_of(const Block& block, double x, double y);
  static bool meet(const Block& block, const TankModel& model, double x, double y, double z, double yaw);

  std::vector<Block> blocks_;
  bool bounded_ = false;
  double west_ = 0, east_ = 0, south_ = 0, north_ = 0;
};

/// What a driver wants: parts of the top speed (backwards below 0) and of the fastest turn (left above 0).
struct Controls {
  double ahead = 0, turn = 0;
  double jump = 0;  ///< metres a second upwards, if it stands on something
};

/// Steers from there to a place as fast as `speed` parts of the top speed: turns on the spot when it looks elsewhere,
/// slows down to stop there.
Controls steer_to(const TankModel& model, const TankState& tank, double x, double y, double speed, double dt);
/// Turns on the spot.
Controls turn_to(const TankModel& model, const TankState& tank, double yaw, double dt);

/// One step of `dt` seconds, in pieces small enough that nothing is passed through. False: something was in the way.
bool drive(const TankModel& model, const Terrain& terrain, const Controls& controls, double dt, TankState& tank);

/// Whether a shot that flew from `from` to `to` (x, y, z) while the tank moved from `was` to `is` met its box.
bool met(const TankModel& model, const TankState& was, const TankState& is, const std::array<double, 3>& from,
         const std::array<double, 3>& to);

}  // namespace entente::core
