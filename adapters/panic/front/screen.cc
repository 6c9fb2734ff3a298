#include "adapters/panic/front/screen.h"

#include "adapters/panic/wire/drops.h"
#include "adapters/panic/wire/wire.h"
#include "adapters/panic/world/ground.h"

namespace entente::panic {
namespace {

constexpr core::Micros kOneTurn = 100 * core::kMillisecond;  // turns this close count as one; each shot is a turn
constexpr int kShown = 32;                                   // tiles a side that the released client can address
constexpr std::size_t kMostTokens = 40;
constexpr std::size_t kMostWaiting = 2048;  // bytes waiting: a client that does not read is sent nothing
constexpr core::Micros kLookAgain = 100 * core::kMillisecond;  // how soon it is looked at again
constexpr std::size_t kMostLookedAt = 8192;                    // pieces in that time: the work for players who leave

}  // namespace

Screen::Screen(std::size_t dialect, std::shared_ptr<const Maps> pictures)
    : codec_(make_message_codec(dialect)),
      pictures_(std::move(pictures)),
      tiles_(kShown, kShown),
      walls_(std::make_shared<const Walls>()) {}

std::optional<Tile> Screen::tile_of(core::Id unit) const {
  const auto at = index_of_.find(unit);
  if (at == index_of_.end() || !pieces_[at->second].there) return std::nullopt;
  return pieces_[at->second].at;
}

std::uint32_t Screen::model_of_unit(core::Id unit) const {
  const auto at = index_of_.find(unit);
  return at != index_of_.end() ? model_of(pieces_[at->second].code) : 0;
}

core::Id Screen::own_unit(std::uint32_t number, const Out& out) const {
  if (number == 0 || number > pieces_.size()) return 0;
  const Piece& piece = pieces_[number - 1];
  const core::UnitState* state = piece.own ? out.world().unit(piece.unit) : nullptr;
  return state != nullptr && state->unit.alive() ? piece.unit : 0;
}

bool Screen::is_own(core::Id unit) const {
  const auto at = index_of_.find(unit);
  return at != index_of_.end() && pieces_[at->second].own;
}

// -- Changes ----------------------------------------------------------------------------------------------------------

void Screen::look_at(core::Id unit, Out& out) {
  if (!greeted_) return;
  const auto at = index_of_.find(unit);
  const core::UnitState* state = out.world().unit(unit);
  if (at == index_of_.end()) {
    if (state == nullptr) return;
    if (shows(state->unit, out)) return paint(piece_for(unit), out);
    if (state->unit.kind() != words::Unit::PELLET) return;
    return pellets_.mark_changed(out);
  }
  const Index index = at->second;
  if (state == nullptr) forget(index);
  paint(index, out);
}

/// In a room of Panic, each pose is a Move, even if it changes nothing.
void Screen::look_at_pose(core::Id unit, Out& out) {
  const auto at = index_of_.find(unit);
  const core::UnitState* state = out.world().unit(unit);
  if (same_game_ && at != index_of_.end() && state != nullptr) {
    Piece& piece = pieces_[at->second];
    const words::Pose& pose = state->unit.pose();
    if (piece.there && tiles_.at(pose.x(), pose.y()) == piece.at) piece.turn = direction_of(pose.yaw());
  }
  look_at(unit, out);
}

void Screen::look_at_all(Out& out) {
  if (!greeted_) return;
  if (out.now() >= looked_since_ + kLookAgain) {
    looked_since_ = out.now();
    looked_at_ = 0;
  }
  looks_for_gone_ = looked_at_ > kMostLookedAt;
  if (looks_for_gone_) return out.wake(looked_since_ + kLookAgain);
  looked_at_ += pieces_.size();
  for (Index i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].unit == 0) continue;
    if (out.world().unit(pieces_[i].unit) == nullptr) forget(i);
    paint(i, out);
  }
}

void Screen::look_at_token(core::Id token, Out& out) {
  if (!greeted_) return;
  auto at = index_of_token_.find(token);
  if (at == index_of_token_.end()) {
    if (!lies_at(token, out)) return;
    if (index_of_token_.size() >= kMostTokens) return out.drop(drops::kTokensFull);
    at = index_of_token_.emplace(token, new_piece()).first;
    pieces_[at->second].token = token;
  }
  paint(at->second, out);
}

bool Screen::look_at_edit(const words::Edit& edit, Out& out) {
  if (!masonry_.has_blocks()) return false;
  for (const Tile tile : masonry_.change(edit)) look_at_wall(tile, out);
  if (masonry_.take_left_out()) out.drop(drops::kMasonryFull);
  return true;
}

void Screen::look_at_wall(Tile tile, Out& out) {
  if (greeted_) paint(wall_at(tile), out);
}

Screen::Index Screen::wall_at(Tile tile) {
  const auto [at, is_new] = index_of_wall_.try_emplace(index_of(tile));
  if (is_new) {
    at->second = new_piece();
    pieces_[at->second].wall = true;
    pieces_[at->second].at = tile;
  }
  return at->second;
}

void Screen::hold_heading(core::Id unit, core::Micros until) {
  if (const auto at = index_of_.find(unit); at != index_of_.end()) pieces_[at->second].held_until = until;
}

void Screen::turn(core::Id unit, Direction direction, Out& out) {
  const auto at = index_of_.find(unit);
  if (at == index_of_.end() || !pieces_[at->second].there || !is_direction(direction)) return;
  Piece& piece = pieces_[at->second];
  piece.held_until = 0;
  const bool shown = piece.facing == direction && piece.turned && out.now() < *piece.turned + kOneTurn;
  if (shown) return;
  piece.turn = direction;
  paint(at->second, out);
}

void Screen::look_at_own(Out& out) {
  if (!greeted_ || same_game_) return;
  bool more = true;
  for (const Index i : own_) {
    if (own_unit(static_cast<std::uint32_t>(i + 1), out) != 0) continue;
    const core::Id unit = more ? unit_without_tank(out) : 0;
    more = unit != 0;
    if (more) give(i, unit, out);
    paint(i, out);
  }
}

/// A living unit of the player without a tank to steer it by; 0 if there is none.
core::Id Screen::unit_without_tank(const Out& out) const {
  const core::PlayerState* me = out.world().player(out.me());
  if (me == nullptr) return 0;
  for (const core::Id unit : me->units) {
    const core::UnitState* state = out.world().unit(unit);
    const auto at = index_of_.find(unit);
    const bool steered = at != index_of_.end() && pieces_[at->second].own;
    if (state != nullptr && state->unit.alive() && !steered) return unit;
  }
  return 0;
}

/// Makes a tank of the player stand for another unit, which may have been shown as a piece of its own so far.
void Screen::give(Index tank, core::Id unit, Out& out) {
  if (const auto at = index_of_.find(unit); at != index_of_.end()) {
    const Index other = at->second;
    forget(other);
    paint(other, out);
  }
  index_of_.erase(pieces_[tank].unit);
  pieces_[tank].unit = unit;
  index_of_[unit] = tank;
}

void Screen::set_ammo(std::int32_t ammo, Out& out) {
  ammo_ = ammo;
  ammo_told_.reset();
  if (greeted_) send_counters(out);
}

void Screen::end_round(bool won, Out& out) {
  if (!won_) won_ = won;
  if (greeted_) send_counters(out);
}

/// Whether a message may be sent now; if so, it counts as sent. If not, asks for a tick at the time when it may.
bool Screen::may_send(Out& out) {
  if (out.waiting_bytes() > kMostWaiting) return out.wake(out.now() + kLookAgain), false;
  return pace_.take(out.now()) || (out.wake(pace_.next()), false);
}

void Screen::send_counters(Out& out) {
  if (ammo_ && ammo_ != ammo_told_ && may_send(out)) {
    ammo_told_ = ammo_;
    tell_event(kUpdateAmmo, Direction::kNone, *ammo_, std::nullopt, out);
  }
  if (won_ && !over_told_ && may_send(out)) {
    over_told_ = true;
    tell_event(kGameOver, Direction::kNone, *won_ ? 1 : 0, std::nullopt, out);
  }
}

/// Chooses the pellets to show, around the player's tank.
void Screen::refresh_pellets(std::size_t most_new, Out& out) {
  if (!pellets_.refresh(out.world().active_unit(out.me()), out, most_new)) return;
  for (const core::Id unit : pellets_.gone()) {
    const auto at = index_of_.find(unit);
    if (at == index_of_.end()) continue;
    const Index index = at->second;
    forget(index);
    if (greeted_) paint(index, out);
  }
  for (const core::Id unit : pellets_.come()) look_at(unit, out);
  for (Index i = 0; i < pieces_.size() && greeted_; ++i)
    if (pellets_.holds(pieces_[i].unit)) paint(i, out);
}

/// Whether a pellet must not be shown: a client draws the newest piece on top, so a pellet on the player's own tile
/// would hide its tank.
bool Screen::is_covered(const words::Unit& unit, const Out& out) const {
  if (unit.kind() != words::Unit::PELLET) return false;
  const core::UnitState* me = out.world().active_unit(out.me());
  const auto tile = [&](const words::Pose& pose) { return tiles_.at(pose.x(), pose.y()); };
  return me != nullptr && tile(me->unit.pose()) == tile(unit.pose());
}

void Screen::tick(Out& out) {
  if (!greeted_) return;
  send_counters(out);
  if (looks_for_gone_) look_at_all(out);
  refresh_pellets(core::NearestPellets::kAtOnce, out);
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const Index index = waiting_.front();
    waiting_.pop_front();
    pieces_[index].waits = false;
    paint(index, out);
  }
  for (Index i = 0; i < pieces_.size(); ++i)
    if (pieces_[i].moves && !pieces_[i].waits) paint(i, out);
}

}  // namespace entente::panic
