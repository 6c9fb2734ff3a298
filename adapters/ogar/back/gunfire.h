// A split, or a piece of mass thrown off, as the shot that it is to who looks at Ogar from a game of guns.
// Law: one a player and update, and only of what began before our eyes; the player's own are told by its own numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "adapters/ogar/conversions.h"
#include "proxy/core/room_member.h"

namespace entente::ogar {

class Gunfire {
 public:
  /// What is thrown off goes 780 units, fast at first (Settings.js); to who sees it as a shot, this long.
  static constexpr double kBoost = 780;
  static constexpr core::Micros kFlight = 440 * core::kMillisecond;

  /// The player has just shot, by this number of its own. `will`: the server can do it.
  void wished(std::uint32_t number, bool will, core::BackOut& out);
  /// Something of that player was seen to leave its unit at x, y (metres), toward yaw.
  void seen(core::Id player, const words::Pose& unit, double yaw, words::Team team, core::BackOut& out);
  /// An update is over, or time passed: own shots that have flown are ended.
  void settle(core::BackOut& out);

 private:
  struct Own {
    std::uint32_t number;
    core::Micros ends;
  };
  std::vector<core::Id> seen_;  // in this update
  std::deque<Own> own_;         // in the air, or about to be
  std::uint32_t count_ = 0;
};

}  // namespace entente::ogar
