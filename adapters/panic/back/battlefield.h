// The battlefield as a server has told it: its pieces, the ground, and who may have shot whom.
// Invariant: it has only what the server sent; a destroyed piece is removed.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "adapters/panic/world/ground.h"
#include "adapters/panic/world/tank.h"
#include "proxy/core/word.h"

namespace entente::panic {

struct Piece {
  std::uint32_t number = 0;  ///< on the wire
  std::uint32_t code = 0;    ///< of its Create
  core::Id unit = 0, owner = 0;
  bool mine = false;
  std::int32_t health = 0;  ///< or the amount or style, as in its Create
  Tile at;
  Direction facing = Direction::kNorth;  ///< as the released client draws a tank that was never moved
  std::optional<core::Micros> stood;     ///< if its last move was only a turn: when; it was blocked, or it shot
  bool shot_told = false;                ///< that turn is known to have been a shot
};

class Battlefield {
 public:
  /// More do not fit on any map.
  static constexpr std::size_t kMostPieces = 1024;

  Ground ground = Ground::uncharted(0, 0);

  Piece* find(std::uint32_t number);
  const Piece* find(std::uint32_t number) const { return const_cast<Battlefield*>(this)->find(number); }
  const Piece* find_unit(core::Id unit) const;
  /// Adds or replaces a piece. Null: there are too many.
  Piece* put(const Piece& piece);
  void remove(std::uint32_t number) { pieces_.erase(number); }
  void clear() { pieces_.clear(); }
  /// In the order of their numbers.
  const std::map<std::uint32_t, Piece>& pieces() const { return pieces_; }
  std::map<std::uint32_t, Piece>& pieces() { return pieces_; }

  /// Whether a tank or a brick stands there.
  bool taken(Tile tile) const;
  /// Whether a tank is known not to be able to drive there.
  bool blocked(Tile tile) const { return ground.blocks(tile) || taken(tile); }

  /// The tank that shot last of those whose shot, a moment before `now`, may have hit the victim. Null: there is none.
  Piece* shooter_of(const Piece& victim, core::Micros now);

  words::Pose pose(const Piece& piece) const;

 private:
  using Reach = std::array<int, 5>;  // tiles, by the Direction of a shot
  /// For each direction of a shot: from how far away it can reach this tile. No farther than the nearest piece that
  /// stops shots.
  Reach reach_of(Tile tile) const;

  std::map<std::uint32_t, Piece> pieces_;
};

}  // namespace entente::panic
