// Updates one piece on a Panic client, one message at a time: each corrects the first difference from the truth.
#include <algorithm>
#include <cmath>

#include "adapters/panic/front/screen.h"
#include "adapters/panic/wire/drops.h"
#include "proxy/core/bodies.h"

namespace entente::panic {
namespace {

constexpr std::uint32_t kDecoration = 10;                       // drawn as a hole in the ground
constexpr core::Micros kMovedAgain = 100 * core::kMillisecond;  // how often moving pieces are updated
constexpr std::int32_t kMostMass = 999;                         // three digits of a display
constexpr std::size_t kMostPieces = 4096;  // piece numbers; beyond that, numbers of units that are gone are reused

bool is_moving(const words::Pose& pose) {
  return std::hypot(pose.vx(), pose.vy()) > 0.1 || std::abs(pose.yaw_rate()) > 0.01;
}

}  // namespace

bool Screen::shows(const words::Unit& unit, Out& out) const {
  switch (unit.kind()) {
    case words::Unit::TANK:
    case words::Unit::MAN:
    case words::Unit::BRICK:
    case words::Unit::PICKUP:
    case words::Unit::DECOR:
      return true;
    case words::Unit::CELL:
      return unit.owner() != 0;
    case words::Unit::PELLET:
      return pellets_.holds(unit.id());
    default:
      out.drop(drops::kUnitUnlike);
      return false;
  }
}

Screen::Index Screen::new_piece() {
  Index index = pieces_.size();
  if (index >= kMostPieces && !free_.empty()) {
    index = free_.back();
    free_.pop_back();
    pieces_[index] = Piece();
  } else {
    pieces_.emplace_back();
  }
  return index;
}

Screen::Index Screen::piece_for(core::Id unit) {
  const Index index = new_piece();
  pieces_[index].unit = unit;
  index_of_[unit] = index;
  return index;
}

/// The tile on which a token can be picked up, if there is one.
std::optional<Tile> Screen::lies_at(core::Id id, const Out& out) const {
  const words::Token* token = out.world().token(id);
  if (token == nullptr || token->kind() == words::Token::BASE || token->state() != words::Token::GROUND)
    return std::nullopt;
  return tiles_.at(token->x(), token->y());
}

/// Sends the changes of a piece as far as allowed. The rest waits; then only the newest state is sent.
void Screen::paint(Index index, Out& out) {
  while (paint_one(index, out)) {
  }
}

/// Sends one message. False: there is none to send, or it has to wait.
bool Screen::paint_one(Index index, Out& out) {
  Piece& piece = pieces_[index];
  if (piece.token != 0) return paint_token(index, out);
  if (piece.wall)
    return paint_thing(index, kFirstPiece, shows_wall(piece.at) ? std::optional(piece.at) : std::nullopt, out);
  const core::UnitState* state = out.world().unit(piece.unit);
  if (state == nullptr || state->hidden || !state->unit.alive() || is_covered(state->unit, out))
    return paint_absent(index, out);
  if (piece.crater) return fill_crater(index, out);
  piece.moves = is_moving(state->unit.pose());
  if (piece.moves) out.wake(out.now() + kMovedAgain);
  const bool changed = !piece.own && piece.code != code_of(state->unit, out);
  if (!piece.there || changed) {
    if (!may_send(out)) return waits(index);
    tell_create(index, *state, out);
    return true;
  }
  return paint_place(index, *state, out);
}

/// A token has a piece only while it is on the ground.
bool Screen::paint_token(Index index, Out& out) {
  Piece& piece = pieces_[index];
  const auto lies = lies_at(piece.token, out);
  const bool told = paint_thing(index, kAmmoPiece, lies, out);
  if (lies || piece.there) return told;
  index_of_token_.erase(std::exchange(piece.token, 0));
  free_.push_back(index);
  return told;
}

/// Shows or removes a piece that only lies on a tile.
bool Screen::paint_thing(Index index, std::uint32_t code, std::optional<Tile> lies, Out& out) {
  Piece& piece = pieces_[index];
  if (lies ? piece.there && piece.at == *lies : !piece.there) return false;
  if (!may_send(out)) return waits(index);
  piece.there = lies.has_value();
  if (lies)
    tell_thing(index, code, 1, *lies, out);
  else
    tell_event(kDestroy, Direction::kNone, 0, index, out);
  return true;
}

/// Removes a piece. An own tank would never come back after a Destroy, so it gets health 0 and a crater on it instead.
bool Screen::paint_absent(Index index, Out& out) {
  Piece& piece = pieces_[index];
  piece.moves = false;
  const bool comes_back = piece.own && !same_game_;
  if (!piece.there) return free_if_forgotten(index), false;
  if (comes_back && piece.health == 0) return dig_crater(index, out);
  if (!may_send(out)) return waits(index);
  piece.health = 0;
  piece.there = comes_back;
  tell_event(comes_back ? kUpdateHealth : kDestroy, Direction::kNone, 0, index, out);
  return true;
}

/// REQUIRES: the client does not show the piece.
void Screen::free_if_forgotten(Index index) {
  if (std::exchange(pieces_[index].forgotten, false)) free_.push_back(index);
}

bool Screen::dig_crater(Index index, Out& out) {
  if (pieces_[index].crater) return false;
  if (!may_send(out)) return waits(index);
  const Index crater = new_piece();  // may move pieces_
  pieces_[index].crater = crater;
  tell_thing(crater, kDecoration, 1, pieces_[index].at, out);
  return true;
}

bool Screen::fill_crater(Index index, Out& out) {
  if (!may_send(out)) return waits(index);
  const Index crater = *std::exchange(pieces_[index].crater, {});
  free_.push_back(crater);
  tell_event(kDestroy, Direction::kNone, 0, crater, out);
  return true;
}

/// The tile on which a unit is shown. Walls are drawn as whole tiles, which are larger than the real walls. So a unit
/// beside a wall may be on its tile. It is then shown on the nearest tile without a wall, if that is less than half a
/// tile away. `now`: where it was shown.
Tile Screen::place_of(Tile now, const words::Pose& pose) const {
  const auto stops = [&](Tile tile) { return walls_->stands(tile) || masonry_.stands(tile); };
  const auto far = [&](Tile tile) {
    const double half = tiles_.side() / 2;
    return std::hypot(std::max(0.0, std::abs(pose.x() - tiles_.x(tile)) - half),
                      std::max(0.0, std::abs(pose.y() - tiles_.y(tile)) - half));
  };
  const Tile there = tiles_.nearest(now, pose.x(), pose.y());
  if (!stops(there) || pose.z() >= kOnGround) return there;
  double nearest = tiles_.side() / 2;
  if (!stops(now) && far(now) < nearest) return now;
  Tile best = there;
  for (const int x : {0, -1, 1})
    for (const int y : {0, -1, 1}) {
      const Tile beside{there.x + x, there.y + y};
      if (!tiles_.holds(beside) || stops(beside) || !(far(beside) < nearest)) continue;
      nearest = far(beside);
      best = beside;
    }
  return best;
}

bool Screen::paint_place(Index index, const core::UnitState& state, Out& out) {
  Piece& piece = pieces_[index];
  const words::Pose pose = core::place_at(state.unit.pose(), state.posed_at, out.now());
  const Tile there = place_of(piece.at, pose);
  if (there == piece.at) return paint_heading(index, state, out);
  if (!may_send(out)) return waits(index);
  const int east = there.x - piece.at.x, south = there.y - piece.at.y;
  if (east != 0) {
    piece.facing = east > 0 ? Direction::kEast : Direction::kWest;
    piece.at.x = there.x;
  } else {
    piece.facing = south > 0 ? Direction::kSouth : Direction::kNorth;
    piece.at.y = there.y;
  }
  tell_event(kMove, piece.facing, std::abs(east != 0 ? east : south), index, out);
  return true;
}

bool Screen::paint_heading(Index index, const core::UnitState& state, Out& out) {
  Piece& piece = pieces_[index];
  const bool turns = piece.turn != Direction::kNone;
  const bool looks = core::is_body(state.unit.kind()) && piece.turned_of != state.posed_at;
  Direction there = looks ? nearest(piece.facing, state.unit.pose().yaw()) : piece.facing;
  if (there != piece.facing && out.now() < piece.held_until) {
    out.wake(piece.held_until);
    waits(index);
    there = piece.facing;
  }
  const Direction direction = turns ? piece.turn : there;
  if (direction == piece.facing && !turns) return paint_health(index, state.unit, out);
  if (!may_send(out)) return waits(index);
  if (turns) piece.turned_of = state.posed_at;
  piece.turn = Direction::kNone;
  piece.facing = direction;
  piece.turned = out.now();
  tell_event(kMove, direction, 0, index, out);
  return true;
}

bool Screen::paint_health(Index index, const words::Unit& unit, Out& out) {
  Piece& piece = pieces_[index];
  const std::int32_t health = value_of(unit, piece.code);
  if (health == piece.health) return false;
  if (!may_send(out)) return waits(index);
  piece.health = health;
  tell_event(kUpdateHealth, Direction::kNone, health, index, out);
  return true;
}

void Screen::forget(Index index) {
  Piece& piece = pieces_[index];
  index_of_.erase(piece.unit);
  piece.unit = 0;
  piece.forgotten = !piece.own;
}

std::uint32_t Screen::code_of(const words::Unit& unit, const Out& out) const {
  const auto otherwise = [&](std::uint32_t first, std::uint32_t last) {
    return same_game_ && unit.model() >= first && unit.model() <= last ? unit.model() : first;
  };
  if (unit.kind() == words::Unit::BRICK) return otherwise(kFirstPiece, 7);
  if (unit.kind() == words::Unit::PICKUP) return otherwise(8, 9);
  if (unit.kind() == words::Unit::PELLET) return 9;  // ammunition, because cells shoot with their mass
  if (unit.kind() == words::Unit::DECOR) return kDecoration;
  const bool mine = unit.owner() == out.me() && unit.team() == words::ROGUE;
  return tank_code(mine ? 0 : colour_slot_of_team(unit.team(), unit.owner() == out.me() ? 0 : 2),
                   same_game_ ? unit.model() : 0);
}

/// Health as the client shows it: a cell's mass, or a share of the model's full health; at least 1 while alive.
std::int32_t Screen::value_of(const words::Unit& unit, std::uint32_t code) const {
  if (unit.kind() == words::Unit::CELL && unit.radius() > 0) return std::clamp(mass_of(unit.radius()), 1, kMostMass);
  const double full = is_tank(code) ? kModels[model_of(code)].health : 1;
  double value = unit.health();
  if (!same_game_) value = unit.max_health() > 0 ? std::max(1.0, full * unit.health() / unit.max_health()) : full;
  return value > -1e9 && value < 1e9 ? static_cast<std::int32_t>(std::lround(value)) : 0;
}

// -- Sending ----------------------------------------------------------------------------------------------------------

/// The piece is painted again by a tick, in its turn.
bool Screen::waits(Index index) {
  if (!std::exchange(pieces_[index].waits, true)) waiting_.push_back(index);
  return false;
}

void Screen::tell_create(Index index, const core::UnitState& state, Out& out) {
  Piece& piece = pieces_[index];
  const words::Pose pose = core::place_at(state.unit.pose(), state.posed_at, out.now());
  piece.there = true;
  piece.code = code_of(state.unit, out);
  piece.at = place_of(tiles_.at(pose.x(), pose.y()), pose);
  piece.facing = Direction::kNorth;
  piece.health = value_of(state.unit, piece.code);
  CreatePiece create;
  create.value = piece.health;
  create.piece = static_cast<std::uint32_t>(index + 1);
  create.x = static_cast<std::uint8_t>(piece.at.x);
  create.y = static_cast<std::uint8_t>(piece.at.y);
  send(create, piece.code, out);
}

void Screen::tell_thing(Index index, std::uint32_t code, std::int32_t value, Tile at, Out& out) {
  pieces_[index].at = at;
  CreatePiece create;
  create.value = value;
  create.piece = static_cast<std::uint32_t>(index + 1);
  create.x = static_cast<std::uint8_t>(at.x);
  create.y = static_cast<std::uint8_t>(at.y);
  send(create, code, out);
}

void Screen::tell_event(std::uint8_t code, Direction direction, std::int32_t value, std::optional<Index> index,
                        Out& out) {
  Event event;
  event.direction = direction;
  event.value = value;
  event.piece = index ? static_cast<std::uint32_t>(*index + 1) : 0;
  send(event, code, out);
}

void Screen::send(const Message& message, std::uint32_t code, Out& out) {
  bytes_.clear();
  codec_->write(message, wire::Way::kToClient, bytes_, code);
  out.send(Lane::kStream, bytes_);
}

}  // namespace entente::panic
