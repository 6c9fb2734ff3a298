// What `entente export` writes and `entente stats` counts: rows, the same for all games. A column is a member of a
// row's struct. The tables (tables.h) name, type and explain each.
//
// Units: as in schema/game.proto (metres, seconds, radians, x east, y north), shown by the end of a name: _s, _ms, _m,
// _mps, _rad. Times count from the start of the recording, as those of `entente replay --at` do.
// Invariant: what is not known is NaN, a Ref of 0 or an empty text, and is written as null.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "schema/game.pb.h"

namespace entente::numbers {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// The number of a row of another table; 0: none.
struct Ref {
  std::int64_t number = 0;
};

struct Place {
  double x = kUnknown, y = kUnknown, z = kUnknown;
};

struct Match {
  std::int64_t match = 0;
  double began_s = 0, ended_s = 0;
  std::string began_utc, game, room, mode, map;
  Ref winner;
  std::string winning_team;
  bool over = false;
};

struct Player {
  std::int64_t player = 0, id = 0;
  std::string name, team, role;
  double joined_s = 0, left_s = kUnknown;
  std::int64_t wins = 0, losses = 0, team_kills = 0;
};

struct Life {
  std::int64_t life = 0, match = 0;
  Ref player;
  std::int64_t unit = 0;
  double began_s = 0, ended_s = 0, length_s = 0;
  Place from, to;
  double distance_m = 0;
  std::int64_t kills = 0, shots = 0;
  std::string end;
};

struct Position {
  double time_s = 0;
  std::int64_t match = 0;
  Ref player;
  std::int64_t unit = 0;
  Place at;
  double speed_mps = 0, yaw_rad = 0, radius_m = kUnknown, health = kUnknown;
};

struct Shot {
  double time_s = 0;
  std::int64_t match = 0;
  Ref player;
  std::int64_t shot = 0;
  std::string kind, weapon;
  Place at;
  double vx_mps = 0, vy_mps = 0, vz_mps = 0, life_s = kUnknown, range_m = kUnknown;
};

struct Hit {
  double time_s = 0;
  std::int64_t match = 0;
  Ref victim, shooter;
  double damage = kUnknown, health = kUnknown;
  bool deadly = false;
  Place at, shooter_at;
};

struct Death {
  double time_s = 0;
  std::int64_t match = 0;
  Ref life, victim, killer;
  std::string why, weapon;
  Place at, killer_at;
  double distance_m = kUnknown;
  bool team_kill = false, implied = false;
};

struct Item {
  double time_s = 0;
  std::int64_t match = 0, item = 0;
  std::string kind, code, team, event, state, why;
  Ref player, from_player;
  Place at;
};

struct Capture {
  double time_s = 0;
  std::int64_t match = 0;
  Ref player;
  std::int64_t item = 0;
  std::string team;
  bool winning = false;
  Place at;
};

struct Chat {
  double time_s = 0;
  std::int64_t match = 0;
  Ref player;
  std::string name, scope;
  Ref to_player;
  std::string to_team, kind, text;
};

struct Score {
  double time_s = 0;
  std::int64_t match = 0;
  Ref player;
  std::int64_t wins = 0, losses = 0, team_kills = 0;
};

struct TeamScore {
  double time_s = 0;
  std::int64_t match = 0;
  std::string team;
  std::int64_t wins = 0, losses = 0, size = 0;
};

struct Latency {
  double time_s = 0;
  std::int64_t match = 0;
  Ref player;
  double rtt_ms = 0;
};

/// In the order of tables().
using Row =
    std::variant<Match, Player, Life, Position, Shot, Hit, Death, Item, Capture, Chat, Score, TeamScore, Latency>;

/// Takes rows one after another. A row may refer to one that comes later: the row of a player comes when the player
/// leaves.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void take(const Row& row) = 0;
  /// The world in which what follows happens.
  virtual void land(const words::World& /*land*/) {}
};

/// Passes everything on to several sinks.
class RowFanOut final : public RowSink {
 public:
  /// They outlive it.
  explicit RowFanOut(std::vector<RowSink*> sinks) : sinks_(std::move(sinks)) {}
  void take(const Row& row) override {
    for (RowSink* sink : sinks_) sink->take(row);
  }
  void land(const words::World& land) override {
    for (RowSink* sink : sinks_) sink->land(land);
  }

 private:
  const std::vector<RowSink*> sinks_;
};

}  // namespace entente::numbers
