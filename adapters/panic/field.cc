#include "adapters/panic/field.h"

namespace entente::panic {
namespace {

// The server tells the turn and the hit at once, but its sends wait for acknowledgements: 90 ms were seen between them.
constexpr core::Micros kShotToHit = 100 * core::kMillisecond;

bool stops_shots(const Piece& piece) { return is_tank(piece.code) || piece.code < 8; }

}  // namespace

Piece* Field::find(std::uint32_t number) {
  const auto at = pieces_.find(number);
  return at != pieces_.end() ? &at->second : nullptr;
}

const Piece* Field::find_unit(core::Id unit) const {
  if (unit == 0) return nullptr;
  for (const auto& [number, piece] : pieces_)
    if (piece.unit == unit) return &piece;
  return nullptr;
}

Piece* Field::put(const Piece& piece) {
  if (pieces_.size() >= kMostPieces && !pieces_.contains(piece.number)) return nullptr;
  ground.see(piece.at);
  return &(pieces_[piece.number] = piece);
}

bool Field::taken(Tile tile) const {
  for (const auto& [number, piece] : pieces_)
    if (piece.at == tile && stops_shots(piece)) return true;
  return false;
}

bool Field::hits(const Piece& shooter, const Piece& victim) const {
  Tile tile = shooter.at;
  for (int i = 0; i < kModels[model_of(shooter.code)].range; ++i) {
    tile = step(tile, shooter.facing);
    if (tile == victim.at) return true;
    if (!ground.shots_pass(tile) || taken(tile)) return false;
  }
  return false;
}

Piece* Field::shooter_of(const Piece& victim, core::Micros now) {
  Piece* last = nullptr;
  for (auto& [number, piece] : pieces_) {
    if (!is_tank(piece.code) || &piece == &victim || !piece.stood || now > *piece.stood + kShotToHit) continue;
    if ((last == nullptr || *piece.stood >= *last->stood) && hits(piece, victim)) last = &piece;
  }
  return last;
}

words::Pose Field::pose(const Piece& piece) const {
  words::Pose pose;
  pose.set_unit(piece.unit);
  pose.set_x(ground.tiles().x(piece.at));
  pose.set_y(ground.tiles().y(piece.at));
  pose.set_yaw(yaw_of(piece.facing));
  return pose;
}

}  // namespace entente::panic
