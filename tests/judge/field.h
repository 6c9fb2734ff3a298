// Where a match is played: obstacles, teleporters, flags, and the numbers of its game.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "proxy/core/gameplay/tank.h"
#include "proxy/core/world.h"
#include "tests/judge/chance.h"

namespace entente::judged {

/// A flag that lies about. `speed`: how much faster its carrier drives; `reload`: the share of the time that its
/// carrier's guns take; `shot`: whether shots are of its kind.
struct FlagKind {
  const char* code;
  double speed, reload;
  bool shot;
};

struct Field {
  core::TankModel model;
  double reload = 2;  ///< seconds
  int guns = 1;       ///< each reloads by itself
  double shot_speed = 100, shot_range = 350;
  bool shots_inherit = false;  ///< a shot's velocity includes the tank's own
  bool teams = false;
  words::World world;
  core::Terrain terrain;
  std::vector<std::array<double, 2>> teleporters;  ///< from each to the next
  std::vector<FlagKind> flags;

  /// A place where a tank fits.
  std::array<double, 2> open_place(Chance& chance) const;
};

Field make_field(Chance& chance);

}  // namespace entente::judged
