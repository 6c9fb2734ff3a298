// Shows a split, or ejected mass, as a shot, for players of games that have guns.
// Invariant: at most one shot for each player and update, and only if its beginning was seen. Our player's own shots
// have the numbers that the player's client gave them.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "adapters/ogar/wire/conversions.h"
#include "proxy/core/room_member.h"

namespace entente::ogar {

class Gunfire {
 public:
  /// What is thrown off goes 780 units (Settings.js), fast at first. As a shot it flies for kFlight.
  static constexpr double kBoost = 780;
  static constexpr core::Micros kFlight = 440 * core::kMillisecond;

  /// Our player has fired a shot with this number. `will`: the server can carry it out; otherwise the shot ends at
  /// once, and so does one beyond 64 in the air.
  void wished(std::uint32_t number, bool will, core::BackOut& out);
  /// Something left this player's `unit` in the direction `yaw`: tells the room of a shot.
  void seen(core::Id player, const words::Pose& unit, double yaw, words::Team team, core::BackOut& out);
  /// Called after each update, and when time has passed. Ends our player's shots that have flown long enough.
  void end_shots(core::BackOut& out);

 private:
  static void end(std::uint32_t number, core::BackOut& out);

  struct Own {
    std::uint32_t number;
    core::Micros ends;
  };
  std::vector<core::Id> seen_;  // in this update
  std::deque<Own> own_;         // in the air, or about to be
  std::uint32_t count_ = 0;
};

}  // namespace entente::ogar
