// An arena: a place and its rules, for rooms that have no server. What is in it is data; who keeps it is the referee.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proxy/core/tank/tank.h"

namespace entente::core {

enum class ArenaMode : std::uint8_t {
  kFreeForAll,  ///< everybody against everybody
  kTeams,       ///< red against blue; the team's kills count
  kFlags,       ///< the same, and who carries the other's flag to his own base scores for his team
};

/// Metres, seconds, metres a second; health in parts of its own.
struct ArenaRules {
  std::string name = "arena";
  ArenaMode mode = ArenaMode::kFreeForAll;
  std::uint32_t most_players = 64;  ///< who comes later watches
  TankModel tank;
  bool jumping = false, ricochet = false, friendly_fire = false;
  double jump_speed = 19;
  double health = 100;
  double ball_damage = 50, ball_speed = 100, ball_range = 350;
  double ray_damage = 34, ray_range = 200;
  double grenade_damage = 100, grenade_radius = 15;  ///< in the middle of the burst, and where it is nothing
  std::uint32_t guided = 0;                          ///< so many flags lie about whose carrier's balls are guided
  std::uint32_t most_balls = 5;                      ///< of one player in the air, each loaded again for itself
  double reload = 2;                                 ///< of one of them
  double trigger = 0.5;                              ///< between two shots of a trigger that is held
  double respawn = 3;                                ///< from death to the next life, at least
  double round = 0;                                  ///< 0: without end
  std::uint32_t score_limit = 0;                     ///< of a player, or where there are teams of a team; 0: none
  double pause = 8;                                  ///< between two rounds
};

/// Somebody who played elsewhere before: whoever comes in by that name goes on from there, once.
struct ArenaStart {
  std::string name;
  words::Team team = words::TEAM_ANY;
  std::optional<words::Pose> pose;  ///< none: was not in play
  words::Score score;
};

struct Arena {
  ArenaRules rules;
  words::World world;                ///< a team starts at its base; its flag stands there
  std::vector<ArenaStart> starts{};  ///< no name twice
};

/// Half sides of 40 to 2000 metres: walls around, blocks in between, the same seen from every side; with a base for red
/// in the west and one for blue in the east.
words::World courtyard(double half_side);

const char* name_of(ArenaMode mode);

}  // namespace entente::core
