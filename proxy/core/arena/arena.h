// An arena: a place and its rules, for rooms without a game server. This is only data; the referee applies it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proxy/core/gameplay/tank.h"

namespace entente::core {

enum class ArenaMode : std::uint8_t {
  kFreeForAll,  ///< everybody against everybody
  kTeams,       ///< red against blue; kills count for the team
  kFlags,       ///< as kTeams; a player scores by bringing the other team's flag to its base
};

/// In metres, seconds and metres per second; health in points.
struct ArenaRules {
  std::string name = "arena";
  ArenaMode mode = ArenaMode::kFreeForAll;
  std::uint32_t most_players = 64;  ///< later players watch
  TankModel tank;
  bool jumping = false, ricochet = false, friendly_fire = false;
  double jump_speed = 19;
  double health = 100;
  double ball_damage = 50, ball_speed = 100, ball_range = 350;
  double ray_damage = 34, ray_range = 200;
  double grenade_damage = 100, grenade_radius = 15;  ///< in the centre of the explosion; distance without damage
  std::uint32_t guided = 0;                          ///< number of flags that make the carrier's balls guided
  std::uint32_t most_balls = 5;                      ///< of one player in the air; each barrel reloads separately
  double reload = 2;                                 ///< time to reload one barrel
  double trigger = 0.5;                              ///< between two shots while the trigger is held
  double respawn = 3;                                ///< minimum time from death to the next life
  double round = 0;                                  ///< 0: no time limit
  std::uint32_t score_limit = 0;                     ///< of a player, or in team modes of a team; 0: none
  double pause = 8;                                  ///< between two rounds
  bool lockstep = false;                             ///< time advances when the players ask for it (lockstep.h)
};

/// A player of a recording, or of an arena that was moved here. The first player who enters with this name continues
/// from this state.
struct SavedPlayer {
  std::string name;
  words::Team team = words::TEAM_ANY;
  std::optional<words::Pose> pose;  ///< empty: was not in play
  words::Score score;
  // Of an arena in play:
  /// Reserved for the seat given to Referee::promise(). That player is in play at once; until then nobody else may take
  /// the name.
  bool held = false;
  Micros held_until = 0;  ///< set by the referee: after this time of the room, it is not held any more
  Id id = 0;              ///< its id in that arena, which tokens refer to; 0: none
  double health = 0;      ///< 0: full
};

/// An arena in play that is moved to this room.
struct ResumedArena {
  std::vector<words::Token> tokens;
  std::vector<words::TeamScore> team_scores;
  words::Round round;
  bool closed = false;  ///< the next round begins only by Referee::open_round()
};

struct Arena {
  ArenaRules rules;
  words::World geometry;              ///< teams start at their bases; flags stand there
  std::vector<SavedPlayer> starts{};  ///< with unique names
  std::optional<ResumedArena> in_play{};
};

/// A walled square with blocks, symmetric, with a base for red in the west and for blue in the east. `half_side`: 40
/// to 2000 metres.
words::World courtyard(double half_side);

const char* name_of(ArenaMode mode);

}  // namespace entente::core
