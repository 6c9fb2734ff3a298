// A player of a match: a person with more or less skill behind a more or less good link, who may cheat.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "proxy/core/gameplay/tank.h"
#include "tests/judge/link.h"

namespace entente::judged {

enum class CheatKind : std::uint8_t { kNone, kAim, kSpeed, kTeleport, kWall, kReload };
inline constexpr std::array kCheatKinds{CheatKind::kAim, CheatKind::kSpeed, CheatKind::kTeleport, CheatKind::kWall,
                                        CheatKind::kReload};
const char* name_of(CheatKind kind);

/// How somebody cheats. Not all the time: while() tells when.
struct Cheat {
  CheatKind kind = CheatKind::kNone;
  double duty = 1;       ///< the share of the time in which it is on
  double period = 30;    ///< seconds: on and off again
  double strength = 0;   ///< kSpeed: times the speed; kTeleport: metres; kReload: share of the time; kAim: radians off
  double share = 1;      ///< kAim: of the shots
  bool variant = false;  ///< kAim: by what its own client knows, not by the server's world. kSpeed: claims the allowed
                         ///< velocity. kTeleport: to an enemy. kWall: the muzzle is behind the wall
  double phase = 0;

  bool on(double now) const;
};

/// Radians and seconds.
struct Skill {
  double aim = 0.03;  ///< standard deviation
  double lead = 0.2;  ///< of the lead, as a share of it
  double reaction = 0.4;
  double tolerance = 0.02;  ///< shoots when the hull is so near to the wanted direction
  double pause = 1;         ///< longest wait with a loaded gun
  double drives = 0.8;      ///< share of the top speed while aiming
  bool sprays = false;      ///< shoots whenever a gun is loaded
};

/// What the server was told about a tank.
struct Told {
  double at = 0;
  words::Pose pose;
};

struct Player {
  Player(std::uint32_t number, const LinkQuality& quality, Chance its_chance)
      : id(number), unit(100 + number), chance(its_chance), link(quality, Chance(chance.next())) {}

  std::uint32_t id, unit;
  std::string name;
  words::Team team = words::ROGUE;
  Chance chance;
  Link link;
  Skill skill;
  Cheat cheat;
  double joins = 0, leaves = 1e9;

  // At its client.
  bool in = false, alive = false;
  core::TankState tank, before;
  double spawns_at = 0;
  std::vector<double> loaded_at;  // by gun
  std::uint32_t shots = 0;
  const Player* target = nullptr;
  double look_at = 0, knows_target_at = 0, may_shoot_at = 0;
  double aim_error = 0, lead_share = 1;
  std::array<double, 2> goal{};
  std::array<double, 2> watched{};  // where it was a second ago: it may be stuck
  double watched_until = 0, backs_until = 0;
  double goal_until = 0, jump_at = 0, teleported_at = -10;
  int flag = -1;  // its number
  double flag_until = 0;
  words::Pose sent;  // the last place, also if it was lost
  double sent_at = -10;
  std::uint32_t seq = 0;

  // At the server.
  bool alive_there = false, in_there = false;
  std::deque<Told> told;
};

/// `seed` decides everything about the player but its place in the match.
Player make_player(std::uint32_t number, CheatKind kind, Chance chance);

}  // namespace entente::judged
