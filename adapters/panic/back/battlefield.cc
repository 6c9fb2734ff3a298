#include "adapters/panic/back/battlefield.h"

#include <algorithm>
#include <cstdlib>

namespace entente::panic {
namespace {

// The server sends turn and hit at once, but its sends wait for acknowledgements. Up to 90 ms were seen between them.
constexpr core::Micros kShotToHit = 100 * core::kMillisecond;

constexpr int kLongestRange = std::ranges::max(kModels, {}, &Model::range).range;

bool stops_shots(const Piece& piece) { return is_tank(piece.code) || piece.code < 8; }

std::size_t place(Direction direction) { return static_cast<std::size_t>(direction); }

struct Way {
  Direction direction;
  int tiles;
};
/// The way along a row or a column. Nothing if the tiles are in neither, or are the same.
std::optional<Way> straight_way(Tile from, Tile to) {
  const int east = to.x - from.x, south = to.y - from.y;
  if ((east == 0) == (south == 0)) return std::nullopt;
  if (east != 0) return Way{east > 0 ? Direction::kEast : Direction::kWest, std::abs(east)};
  return Way{south > 0 ? Direction::kSouth : Direction::kNorth, std::abs(south)};
}

}  // namespace

Piece* Battlefield::find(std::uint32_t number) {
  const auto at = pieces_.find(number);
  return at != pieces_.end() ? &at->second : nullptr;
}

const Piece* Battlefield::find_unit(core::Id unit) const {
  if (unit == 0) return nullptr;
  for (const auto& [number, piece] : pieces_)
    if (piece.unit == unit) return &piece;
  return nullptr;
}

Piece* Battlefield::put(const Piece& piece) {
  if (pieces_.size() >= kMostPieces && !pieces_.contains(piece.number)) return nullptr;
  ground.see(piece.at);
  return &(pieces_[piece.number] = piece);
}

bool Battlefield::taken(Tile tile) const {
  for (const auto& [number, piece] : pieces_)
    if (piece.at == tile && stops_shots(piece)) return true;
  return false;
}

Battlefield::Reach Battlefield::reach_of(Tile tile) const {
  Reach reach{};
  for (const Direction d : {Direction::kNorth, Direction::kEast, Direction::kSouth, Direction::kWest}) {
    int& tiles = reach[place(d)];
    tiles = 1;
    while (tiles < kLongestRange && ground.shots_pass(step(tile, d, -tiles))) ++tiles;
  }
  for (const auto& [number, piece] : pieces_)
    if (const auto way = straight_way(piece.at, tile); way && stops_shots(piece))
      reach[place(way->direction)] = std::min(reach[place(way->direction)], way->tiles);
  return reach;
}

/// Examines the lines to the victim once, not once for each possible shooter: there may be hundreds at each hit.
Piece* Battlefield::shooter_of(const Piece& victim, core::Micros now) {
  const Reach reach = reach_of(victim.at);
  const auto hits = [&](const Piece& shooter) {
    const auto way = straight_way(shooter.at, victim.at);
    return way && way->direction == shooter.facing &&
           way->tiles <= std::min(kModels[model_of(shooter.code)].range, reach[place(way->direction)]);
  };
  Piece* last = nullptr;
  for (auto& [number, piece] : pieces_) {
    if (!is_tank(piece.code) || &piece == &victim || !piece.stood || now > *piece.stood + kShotToHit) continue;
    if ((last == nullptr || *piece.stood >= *last->stood) && hits(piece)) last = &piece;
  }
  return last;
}

words::Pose Battlefield::pose(const Piece& piece) const {
  words::Pose pose;
  pose.set_unit(piece.unit);
  pose.set_x(ground.tiles().x(piece.at));
  pose.set_y(ground.tiles().y(piece.at));
  pose.set_yaw(yaw_of(piece.facing));
  return pose;
}

}  // namespace entente::panic
