// What a back has asked of its server or claimed for its player, and has had no answer to yet. A server may ignore it:
// nobody says so, and whoever waits would wait for ever.
// Invariant: each claim ends, by the server's answer or when its time is over. Then the back asks again, or assumes
// what is true and says it. A claim whose time was over is counted, and its player is told, once until the server
// answers.
#pragma once

#include <array>

#include "proxy/core/room_member.h"

namespace entente::core {

enum class Claim : std::uint8_t {
  kEnter,      ///< a request to play, after the greeting
  kSpawn,      ///< a request to come into play
  kDeath,      ///< our unit is dead
  kFire,       ///< a shot that the server shows to its shooter, too
  kGrab,       ///< to take a flag; a server that refuses this says nothing, so it is only counted
  kFlag,       ///< to drop, give or capture a flag
  kPause,      ///< to pause, or to go on
  kAutopilot,  ///< to drive by itself, or not
  kChange,     ///< of name, team or weapon
  kEdit,       ///< of a block
  kReload,     ///< of a gun
  kSplit,      ///< of a cell, or to eject mass
};

class PendingClaims {
 public:
  /// The server was asked, and has this long to answer. Asking again before that gives it no more time.
  void begin(Claim claim, Micros patience, BackOut& out);
  /// The server has answered, even if it refused.
  void answered(Claim claim) { at(claim) = {}; }
  /// Nobody waits for an answer any more.
  void forget(Claim claim) { at(claim).until = 0; }
  /// The unit is dead: its death is answered, and what it wanted to do is forgotten.
  void end_life();
  bool waits(Claim claim) const { return all_[static_cast<std::size_t>(claim)].until != 0; }

  /// Calls `late(Claim, int times)` for each claim whose time is over; it then waits no more. `times`: in a row,
  /// including this one. Asks for a tick for the others.
  /// REQUIRES: called at each tick.
  template <class Late>
  void check(BackOut& out, Late&& late) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].until == 0) continue;
      if (out.now() < all_[i].until) {
        out.wake(all_[i].until);
        continue;
      }
      all_[i].until = 0;
      late(static_cast<Claim>(i), ++all_[i].late);
    }
  }

  /// Counts the claim as dropped, and tells the player, unless it was told since the last answer.
  void tell_unanswered(Claim claim, BackOut& out);

 private:
  struct Pending {
    Micros until = 0;  // 0: none
    int late = 0;      // in a row
    bool told = false;
  };
  static constexpr std::size_t kClaims = static_cast<std::size_t>(Claim::kSplit) + 1;

  Pending& at(Claim claim) { return all_[static_cast<std::size_t>(claim)]; }

  std::array<Pending, kClaims> all_{};
};

}  // namespace entente::core
