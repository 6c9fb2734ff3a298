// A tank on the ground, for backs whose servers trust their clients. It turns, accelerates at once, slides along
// obstacles, moves away from those that it would turn into, falls, and stays within the bounds. Also tests whether a
// shot meets it.
// Invariant: a pure function. The same input gives the same path. A tank never moves into a solid from outside, nor
// deeper into one that it starts in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "proxy/core/word.h"

namespace entente::core {

/// In metres; metres or radians per second.
struct TankModel {
  double length = 6, width = 2.8, height = 2.05;
  double speed = 25, turn_rate = 0.785398;
  double gravity = 9.8;
  double climb = 0.33;  ///< a step up to this height is no obstacle
  double lowest = 0;    ///< the ground: below 0 for a tank that burrows
  double target = 0;    ///< a shot hits within this distance of its middle; 0: its box
};

struct TankState {
  double x = 0, y = 0, z = 0;
  double vx = 0, vy = 0, vz = 0;
  double yaw = 0, yaw_rate = 0;

  bool operator==(const TankState&) const = default;
};

/// The state of a tank with this pose.
TankState state_of(const words::Pose& pose);
/// Writes the tank's state into the pose, which keeps its unit, pitch, state and number.
void put(const TankState& tank, words::Pose& pose);

/// Heights in metres of things that have none. Walls around a world: three tanks. A tile: higher than any shot.
/// Water: below the muzzle, so that it stops tanks but not shots.
inline constexpr double kWallHeight = 6.15, kTileHeight = 9.42, kWaterHeight = 1;

/// The bounds of a world without walls: four walls facing inwards.
std::array<words::Solid, 4> walls_around(const words::World& world);

/// The obstacles of a world: boxes, pyramids, bases, tiles and bounds. Built once for each world.
/// Invariant: a question about a place looks only at blocks near it, and at most at kMostNear of them. Where more
/// overlap, the smallest do not count. A way is looked at in up to eight pieces, each of which ends four times as far
/// as the one before, until something is met. Of more than kMostBlocks, the last stop nothing; who makes a terrain
/// tells that (left_out).
class Terrain {
 public:
  static constexpr std::size_t kMostNear = 1'024;           ///< blocks that a question about a place looks at
  static constexpr std::size_t kMostLooks = 8 * kMostNear;  ///< and one about a way, in all its pieces
  static constexpr std::size_t kMostBlocks = 32'768;

  Terrain() = default;
  explicit Terrain(const words::World& world);

  /// The number of blocks that stop nothing, because there are more than kMostBlocks.
  std::size_t left_out() const { return left_out_; }
  /// Whether a box of this length and width, at this height and yaw, is clear of all solids.
  bool free(const TankModel& model, double x, double y, double z, double yaw) const;
  /// The height on which a tank at this place stands, starting from `z`.
  double floor(const TankModel& model, double x, double y, double z, double yaw) const;
  /// The direction out of the obstacle there, length 1; nothing if there is none.
  std::optional<std::pair<double, double>> normal(const TankModel& model, double x, double y, double z,
                                                  double yaw) const;
  /// Like normal(), for the obstacle that a step by dx, dy entered, or went deeper into. A tank whose centre was inside
  /// a solid may leave it in any direction. The bounds cannot be left.
  std::optional<std::pair<double, double>> normal_against(const TankModel& model, double x, double y, double z,
                                                          double yaw, double dx, double dy) const;
  /// How far a point flies from there before it hits a solid that stops shots, at most `most` metres. dx, dy: length 1.
  double clear_way(double x, double y, double z, double dx, double dy, double most) const;

  /// What stops a shot: after how many seconds, and its outward normal, length 1.
  struct Strike {
    double after = 0;
    std::array<double, 3> normal{};
    bool bounces = false;  ///< shots bounce off it, whatever the rules are
  };
  /// The first thing that a shot from `at` meets within `most` seconds: a solid, the ground, or a wall around the
  /// world. `through`: solids do not stop it. `looked`, unless null: adds the number of solids that were looked at, at
  /// most kMostLooks.
  std::optional<Strike> strike(const std::array<double, 3>& at, const std::array<double, 3>& velocity, double most,
                               bool through, std::size_t* looked = nullptr) const;

 private:
  struct Block {
    double x, y, bottom, top, half_x, half_y, cos, sin;
    bool narrowing;  ///< a pyramid: a point at its top
    bool upside_down, stops_units, stops_shots, shots_bounce;
    std::uint32_t order = 0;  ///< in the world
    std::uint8_t size = 0;    ///< its reach is at most reach_of(size)
    std::uint64_t cell = 0;   ///< of its middle, in the grid of its size: row and column
  };
  /// Blocks of one size, which are neighbours in blocks_.
  struct Grid {
    std::uint8_t size = 0;
    std::size_t begin = 0, end = 0;
  };
  void add(const words::Solid& solid);
  void add_tiles(const words::World& world);
  void add(Block block);
  void sort();
  /// Calls `see(const Block&)` for the blocks that may be within `reach` of the way from x, y to x + dx, y + dy.
  /// Returns how many blocks, and rows of blocks, it has looked at.
  template <class See>
  std::size_t each_near(double x, double y, double dx, double dy, double reach, See&& see) const;
  /// The first obstacle there for which `counts(side, block)`; null: the bounds.
  template <class Counts>
  std::optional<std::pair<double, double>> first_side(const TankModel& model, double x, double y, double z, double yaw,
                                                      Counts&& counts) const;
  /// The solid that a point meets first within `most` seconds.
  std::optional<Strike> first_solid(const std::array<double, 3>& at, const std::array<double, 3>& velocity, double most,
                                    std::size_t* looked = nullptr) const;
  static std::optional<Strike> enter(const Block& block, const std::array<double, 3>& at,
                                     const std::array<double, 3>& velocity, double most);
  static bool holds(const Block& block, double x, double y);
  static std::pair<double, double> side_of(const Block& block, double x, double y);
  static bool meet(const Block& block, const TankModel& model, double x, double y, double z, double yaw);

  std::vector<Block> blocks_;         // the largest first, then by cell, then by order
  std::vector<std::uint64_t> cells_;  // of each of them
  std::vector<Grid> grids_;
  std::size_t left_out_ = 0;
  bool bounded_ = false;
  double west_ = 0, east_ = 0, south_ = 0, north_ = 0;
};

/// A driver's input: fractions of the top speed (negative: backwards) and of the fastest turn (positive: left).
struct Controls {
  double ahead = 0, turn = 0;
  double jump = 0;  ///< metres a second upwards, if it stands on something
};

/// Steers to a place at up to `speed` (a fraction of the top speed): turns on the spot if it faces elsewhere, and
/// slows down to stop there.
Controls steer_to(const TankModel& model, const TankState& tank, double x, double y, double speed, double dt);
/// Turns on the spot.
Controls turn_to(const TankModel& model, const TankState& tank, double yaw, double dt);

/// One step of `dt` seconds, in pieces small enough not to pass through anything. False: something was in the way.
bool drive(const TankModel& model, const Terrain& terrain, const Controls& controls, double dt, TankState& tank);

/// Whether a shot that flew from `from` to `to` (x, y, z) while the tank moved from `was` to `is` hit it. Shots above
/// and below the tank pass.
bool met(const TankModel& model, const TankState& was, const TankState& is, const std::array<double, 3>& from,
         const std::array<double, 3>& to);

}  // namespace entente::core
