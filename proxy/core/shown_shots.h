// The shots that a client is shown: whose they are in the room, and under which number it knows them.
// Law: where the server decides what a shot hits, it ends before a client could find itself hit; it is over only once.
#pragma once

#include <vector>

#include "proxy/core/arena/incoming.h"
#include "proxy/core/session.h"

namespace entente::core {

struct ShownShot : Flight {
  Id shooter = 0;          ///< in the room …
  std::uint32_t shot = 0;  ///< … and its number there
  std::uint8_t player = 0;
  std::uint16_t number = 0;  ///< that player's; its low byte is the slot
  std::uint32_t weapon = 0;  ///< in the client's game
  Micros began = 0;
  double life = 0;       ///< seconds
  bool decided = false;  ///< the server decides what it hits
  bool ended = false;    ///< the client knows
};

/// As a client sees it that is told of it now: a ray, which is everywhere at once, is a fast ball. The rest is for its
/// game to say: `player`, `number`, `weapon`.
ShownShot shown(const words::Shot& shot, const World& world, Micros now);

/// Pointers are good until one is added or forgotten.
class ShownShots {
 public:
  /// There are so many (2'000) that no client draws more.
  bool full() const;
  void add(const ShownShot& shot) { shots_.push_back(shot); }
  /// Null if there is none.
  ShownShot* find(Id shooter, std::uint32_t shot);
  const ShownShot* find(Id shooter, std::uint32_t shot) const;
  /// The last of that number; null if there is none.
  const ShownShot* numbered(std::uint8_t player, std::uint16_t number) const;
  /// Whether one of that player's flies in that slot.
  bool busy(std::uint8_t player, std::uint32_t slot, Micros now) const;
  /// The first of that player's that has not ended; null if there is none.
  ShownShot* oldest(std::uint8_t player);
  void remove(std::uint8_t player, std::uint16_t number);
  /// Those of whose end nobody speaks any more: a second after it.
  void forget_old(Micros now);

  /// Ends those that come near the tank of `own`, or will before the next look, for which it wishes for a tick: these
  /// the client must be told of.
  std::vector<ShownShot> spare(const words::Pose& tank, std::uint8_t own, FrontOut& out);

 private:
  std::vector<ShownShot> shots_;
};

}  // namespace entente::core
