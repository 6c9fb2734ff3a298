// Chooses which of many pellets a client is shown, for games that can show only a few.
// Invariant: the nearest to the player, and never more than kMost. One look changes no more than it is allowed to.
#pragma once

#include <vector>

#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::core {

class NearestPellets {
 public:
  static constexpr std::size_t kMost = 40;
  /// How often to look, and how much may appear per look; removed pellets disappear at once.
  static constexpr Micros kEvery = kSecond / 4;
  static constexpr std::size_t kAtOnce = 3;

  /// Looks around a place. False: nothing is there.
  bool look(const WorldState& world, double x, double y, std::size_t most_new = kAtOnce);

  /// A pellet appeared or disappeared.
  void mark_changed(FrontOut& out);
  /// Looks around the player's unit when it is time. True: something changed and must be shown. REQUIRES: called at
  /// each wake.
  bool refresh(const UnitState* me, FrontOut& out, std::size_t most_new = kAtOnce);

  /// What changed in the last look.
  const std::vector<Id>& come() const { return come_; }
  const std::vector<Id>& gone() const { return gone_; }

  bool holds(Id unit) const;
  /// The client has not been shown anything yet.
  void clear();

 private:
  struct Pellet {
    double far;
    Id unit;
  };
  std::vector<Pellet> near_;
  std::vector<Id> shown_, kept_, come_, gone_;  // by id
  bool changed_ = false;
  Micros next_look_ = 0;
};

}  // namespace entente::core
