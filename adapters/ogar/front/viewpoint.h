// Where a client looks: the part of the plane that it is sent.
// Invariant: the same as in OgarII. A player looks at the middle of its cells, from farther away the larger they are
// together; a dead one at where it died; a spectator at the leader, or where it roams. A viewer of a replay may follow
// a player instead of the leader.
#pragma once

#include "adapters/ogar/wire/conversions.h"
#include "proxy/core/world.h"

namespace entente::ogar {

/// Values are in Ogar's units.
struct View {
  double x = 0, y = 0, scale = 1;
  double half_width() const { return kWindowWidth / 2 / scale; }
  double half_height() const { return kWindowHeight / 2 / scale; }
};

class Viewpoint {
 public:
  enum class State : std::uint8_t { kIdle, kPlaying, kLeader, kRoaming };

  /// The player wants to watch. Ignored while it plays.
  void watch(State how);
  /// A spectator looks at this player instead of the leader, or (0) at the leader again. Ends roaming if it is another
  /// player than before.
  void follow(core::Id player);
  /// The server says where a spectator looks.
  void told(const words::View& view, core::Micros now);

  /// A player who steers one of several units is dead when that unit dies, and alive when it is put into play.
  void hear(const core::Fact& fact, const core::WorldState& world, core::Id me);
  bool in_play() const { return in_play_; }

  /// Called once a painting. `mouse_x`, `mouse_y`: where a roaming spectator flies to.
  void look(const core::WorldState& world, core::Id me, double mouse_x, double mouse_y, core::Micros now);

  State state() const { return state_; }
  bool watches() const { return state_ == State::kLeader || state_ == State::kRoaming; }
  const View& view() const { return view_; }

 private:
  bool over_cells(const core::WorldState& world, const core::PlayerState& player, bool in_play);
  bool over_followed(const core::WorldState& world);
  bool over_leader(const core::WorldState& world, core::Id me);
  void fly(const core::WorldState& world, double mouse_x, double mouse_y);

  State state_ = State::kIdle;
  core::Id followed_ = 0;
  View view_, told_;
  bool was_told_ = false, in_play_ = true;
  core::Micros told_at_ = 0;
};

}  // namespace entente::ogar
