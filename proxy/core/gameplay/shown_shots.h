// The shots that a client is shown, with their ids in the room and their numbers at the client.
// Invariant: where the server decides hits, a shot ends before the client could count itself hit. A shot ends only
// once.
#pragma once

#include <vector>

#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/room_member.h"

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
  bool ended = false;    ///< the client knows that it has ended
};

/// The shot as it is now, for a client that has not seen it yet. A ray is shown as a fast ball. The game fills in
/// `player`, `number` and `weapon`.
ShownShot shown(const words::Shot& shot, const WorldState& world, Micros now);

/// Pointers are valid until a shot is added or forgotten.
class ShownShots {
 public:
  /// Whether there are so many (2'000) that no client draws more.
  bool full() const;
  void add(const ShownShot& shot);
  /// The last shot with this number in the room, or at the client; null if there is none.
  ShownShot* find(Id shooter, std::uint32_t shot);
  const ShownShot* find(Id shooter, std::uint32_t shot) const;
  const ShownShot* numbered(std::uint8_t player, std::uint16_t number) const;
  /// Whether a shot of this player flies in this slot.
  bool busy(std::uint8_t player, std::uint32_t slot, Micros now) const;
  /// The first shot of this player that has not ended; null if there is none.
  ShownShot* oldest(std::uint8_t player);
  void remove(std::uint8_t player, std::uint16_t number);
  /// Forgets shots one second after their end.
  void forget_old(Micros now);

  /// Ends the shots that are near the tank of `own`, or will be before the next look (for which it asks for a tick).
  /// Returns those whose end the client must be told.
  std::vector<ShownShot> end_near(const words::Pose& tank, std::uint8_t own, FrontOut& out);

 private:
  std::vector<ShownShot> shots_;
  Micros next_old_ = 0;  // none of them is old before
};

}  // namespace entente::core
