#include "proxy/core/arena/arena.h"

#include <cmath>
#include <numbers>

#include "proxy/core/world.h"

namespace entente::core {
namespace {

constexpr double kBlockHeight = 9.42, kLowHeight = 1.2;  // stops tanks and shots; stops only tanks

/// The obstacles of one quarter, in fractions of half a side. The other quarters are rotated copies.
struct Piece {
  double x, y, half_x, half_y, height;
};
constexpr Piece kPieces[] = {
    {0.22, 0.22, 0.06, 0.06, kBlockHeight}, {0.55, 0.10, 0.02, 0.14, kBlockHeight},
    {0.62, 0.62, 0.10, 0.03, kBlockHeight}, {0.40, 0.75, 0.03, 0.03, kLowHeight},
    {0.85, 0.45, 0.04, 0.08, kLowHeight},
};

void add_quarter(const Piece& piece, int turns, double scale, words::World& world) {
  const double turn = turns * std::numbers::pi / 2, c = std::cos(turn), s = std::sin(turn);
  words::Solid& solid = *world.add_solids();
  solid.set_x(scale * (piece.x * c - piece.y * s));
  solid.set_y(scale * (piece.x * s + piece.y * c));
  solid.set_half_x(scale * piece.half_x);
  solid.set_half_y(scale * piece.half_y);
  solid.set_yaw(turn);
  solid.set_height(piece.height);
  solid.set_shots_pass(piece.height < kBlockHeight);
}

void add_base(words::Team team, double x, double half_side, words::World& world) {
  words::Base& base = *world.add_bases();
  base.set_team(team);
  base.mutable_solid()->set_x(x);
  base.mutable_solid()->set_half_x(half_side);
  base.mutable_solid()->set_half_y(half_side);
}

}  // namespace

words::World courtyard(double half_side) {
  words::World world;
  world.set_kind(words::World::SOLIDS);
  world.set_name("courtyard");
  world.set_hash("courtyard-" + std::to_string(std::lround(half_side)));
  set_sides(world, 2 * half_side, 2 * half_side);
  world.set_walled(true);
  for (const Piece& piece : kPieces)
    for (int turns = 0; turns < 4; ++turns) add_quarter(piece, turns, half_side, world);
  const double base = std::min(15.0, half_side / 8);
  add_base(words::RED, -half_side * 0.85, base, world);
  add_base(words::BLUE, half_side * 0.85, base, world);
  return world;
}

const char* name_of(ArenaMode mode) {
  switch (mode) {
    case ArenaMode::kTeams:
      return "teams";
    case ArenaMode::kFlags:
      return "capture the flag";
    default:
      return "free for all";
  }
}

}  // namespace entente::core
