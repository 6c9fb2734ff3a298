// What Panic's back tells its room about the battlefield.
#include <algorithm>

#include "adapters/panic/back/back.h"
#include "adapters/panic/wire/dialect.h"

namespace entente::panic {
namespace {

constexpr std::uint32_t kMostShots = 2;
// Seconds. The server has no limit, but by default other games' clients would wait longer.
constexpr double kReload = 1;
constexpr double kSpeed = 25;  // metres a second: one tile, the speed of other games' tanks

words::Unit::Kind kind_of(std::uint32_t code) {
  if (is_tank(code)) return words::Unit::TANK;
  if (code < 8) return words::Unit::BRICK;
  return code < 10 ? words::Unit::PICKUP : words::Unit::DECOR;
}

void tell_rule(const char* name, double value, core::BackOut& out) {
  words::Rule rule;
  rule.set_name(name);
  rule.set_value(std::to_string(static_cast<long>(value)));
  out.say(rule);
}

}  // namespace

/// Reports everything. No fact refers to one that comes later.
void PanicBack::start(Out& out) {
  phase_ = Phase::kPlaying;
  tell_room(out);
  tell_players(out);
  for (auto& [number, piece] : battlefield_.pieces()) {
    piece.unit = out.new_id();
    tell_piece(piece, out);
    if (piece.mine && !watches_) driver_.add(number);
  }
  take_next_tank(out);
  if (!tanks_.empty() || out.me() != 0) tell_owns(self_, out);
  for (const core::Id other : others_)
    if (other != 0) tell_owns(other, out);
  // With a player, the tanks come into play when it asks to spawn; without one, at once.
  fresh_ = awaits_spawn_ = out.me() != 0 && !spawn_wished_;
  for (const auto& [number, piece] : battlefield_.pieces())
    if (!fresh_ || !piece.mine) tell_spawned(piece, out);
  tell_ammo(out);
  words::Round round;
  round.set_state(words::Round::RUNNING);
  out.say(round);
  out.say(words::Ready());
  if (spawn_wished_ && has_lost()) out.drop(drops::kWatching, words::Spawn());
}

void PanicBack::tell_room(Out& out) const {
  words::Room room;
  room.set_game(std::string(kGameName));
  room.set_dialect(std::string(kDialectInfos[dialect_].name));
  room.set_mode("last tanks standing");
  room.set_most_players(4);
  room.set_most_shots(kMostShots);
  room.set_teams(true);
  out.say(room);
  const double range = kModels[0].range * battlefield_.ground.tiles().side();
  tell_rule("speed", kSpeed, out);
  tell_rule("shot_range", range, out);
  tell_rule("shot_speed", range / kReload, out);  // so that a shot has landed when the next is loaded
  tell_rule("reload", kReload, out);
  out.say(battlefield_.ground.world());
  if (maps_->problems.empty()) return;
  words::Notice notice;
  notice.set_level(words::Notice::WARNING);
  notice.set_text(maps_->problems);
  out.say(notice);
}

void PanicBack::tell_players(Out& out) {
  tell_player(self_, colour_slot_, tanks_.empty() || watches_ ? words::WATCH : words::PLAY, out);
  for (auto& [number, piece] : battlefield_.pieces()) piece.owner = owner_of(piece, out);
}

/// Also reports the player if it is new.
core::Id PanicBack::owner_of(const Piece& piece, Out& out) {
  if (!is_tank(piece.code)) return 0;
  const std::uint32_t colour_slot = colour_slot_of(piece.code);
  if (piece.mine || (!tanks_.empty() && colour_slot == colour_slot_)) return self_;
  if (others_[colour_slot] == 0) {
    others_[colour_slot] = out.new_id();
    tell_player(others_[colour_slot], colour_slot, words::PLAY, out);
  }
  return others_[colour_slot];
}

void PanicBack::tell_player(core::Id id, std::uint32_t colour_slot, words::Role role, Out& out) const {
  words::Player player;
  player.set_id(id);
  player.set_name(id == self_ && !name_.empty() ? name_ : std::string("panic-") + kColours[colour_slot]);
  if (id != self_ || !tanks_.empty()) player.set_team(kTeams[colour_slot]);
  player.set_role(role);
  player.set_responding(true);
  out.say(player);
}

void PanicBack::tell_piece(const Piece& piece, Out& out) const {
  words::Unit unit;
  unit.set_id(piece.unit);
  unit.set_owner(piece.owner);
  unit.set_kind(kind_of(piece.code));
  unit.set_model(is_tank(piece.code) ? model_of(piece.code) : piece.code);
  if (is_tank(piece.code)) unit.set_team(kTeams[colour_slot_of(piece.code)]);
  unit.set_health(piece.health);
  unit.set_max_health(is_tank(piece.code) ? std::max(kModels[model_of(piece.code)].health, piece.health) : 0);
  unit.set_alive(!is_tank(piece.code));  // a tank's Spawned follows
  *unit.mutable_pose() = battlefield_.pose(piece);
  out.say(unit);
}

void PanicBack::tell_spawned(const Piece& piece, Out& out) const {
  if (!is_tank(piece.code)) return;
  words::Spawned spawned;
  spawned.set_unit(piece.unit);
  *spawned.mutable_pose() = battlefield_.pose(piece);
  out.say(spawned);
  if (piece.health == std::max(kModels[model_of(piece.code)].health, piece.health)) return;
  words::Health health;  // in the room, Spawned has healed it
  health.set_unit(piece.unit);
  health.set_now(piece.health);
  out.say(health);
}

void PanicBack::tell_owns(core::Id owner, Out& out) const {
  words::Owns owns;
  owns.set_player(owner);
  for (const auto& [number, piece] : battlefield_.pieces())
    if (piece.owner == owner) owns.add_units(piece.unit);
  const Piece* active = battlefield_.find(driver_.active());
  if (owner == self_ && active != nullptr)
    owns.set_active(active->unit);
  else if (owns.units_size() > 0)
    owns.set_active(owns.units(0));
  out.say(owns);
}

void PanicBack::tell_ammo(Out& out) const {
  words::Ammo ammo;
  ammo.set_player(self_);
  ammo.set_clip(static_cast<std::uint32_t>(ammo_));
  out.say(ammo);
}

void PanicBack::tell_shot(Piece& piece, std::optional<std::uint32_t> number, Out& out) {
  piece.shot_told = true;
  const Tiles& tiles = battlefield_.ground.tiles();
  const Tile ahead = step({0, 0}, piece.facing);
  words::Shot shot;
  shot.set_shooter(piece.owner);
  shot.set_unit(piece.unit);
  shot.set_shot(number ? *number : ++shots_);
  shot.set_kind(words::RAY);
  shot.set_x(tiles.x(piece.at));
  shot.set_y(tiles.y(piece.at));
  shot.set_vx(ahead.x);
  shot.set_vy(-ahead.y);
  shot.set_range(kModels[model_of(piece.code)].range * tiles.side());
  shot.set_team(kTeams[colour_slot_of(piece.code)]);
  out.say(shot);
}

void PanicBack::tell_death(const Piece& victim, const Piece* shooter, Out& out) const {
  const words::DeathCause why = shooter != nullptr ? words::BY_SHOT : words::UNKNOWN_DEATH;
  if (is_tank(victim.code)) {
    words::Died died;
    died.set_player(victim.owner);
    died.set_unit(victim.unit);
    died.set_killer(shooter != nullptr ? shooter->owner : 0);
    died.set_why(why);
    out.say(died);
  }
  words::Gone gone;
  gone.set_unit(victim.unit);
  gone.set_by(shooter != nullptr ? shooter->unit : 0);
  gone.set_why(why);
  out.say(gone);
}

void PanicBack::learn_wall(Tile tile, Out& out) {
  if (!battlefield_.ground.learn_wall(tile)) return;
  words::WorldEdit edit;
  edit.mutable_edit()->set_op(words::Edit::BUILD);
  edit.mutable_edit()->set_x(battlefield_.ground.tiles().x(tile));
  edit.mutable_edit()->set_y(battlefield_.ground.tiles().y(tile));
  out.say(edit);
}

}  // namespace entente::panic
