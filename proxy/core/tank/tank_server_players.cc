#include "proxy/core/tank/tank_server_players.h"

#include "proxy/core/bodies.h"

namespace entente::core {

TankServerPlayer* TankServerPlayers::find(std::uint8_t number) {
  const auto at = players_.find(number);
  return at != players_.end() ? &at->second : nullptr;
}

TankServerPlayer* TankServerPlayers::tank(std::uint8_t number) {
  TankServerPlayer* one = find(number);
  return one != nullptr && one->unit != 0 ? one : nullptr;
}

Id TankServerPlayers::id_of(std::uint8_t number) const {
  const auto at = players_.find(number);
  return at != players_.end() ? at->second.player.id() : 0;
}

TankServerPlayer& TankServerPlayers::meet(std::uint8_t number, BackOut& out) {
  const auto [at, is_new] = players_.try_emplace(number);
  TankServerPlayer& one = at->second;
  if (!is_new) return one;
  const bool own = number == state_.number;
  one.player.set_id(own ? state_.me : out.new_id());
  one.player.set_responding(true);
  if (!own) ids_.add(number, one.player.id());
  return one;
}

void TankServerPlayers::tell_tank(TankServerPlayer& one, double radius, BackOut& out) {
  one.unit = out.new_id();
  words::Unit unit;
  unit.set_id(one.unit);
  unit.set_owner(one.player.id());
  unit.set_kind(words::Unit::TANK);
  unit.set_team(one.player.team());
  unit.set_radius(radius);
  unit.set_name(one.player.name());
  say_owned(std::move(unit), out);
}

void TankServerPlayers::forget_tank(TankServerPlayer& one, BackOut& out) {
  words::Gone gone;
  gone.set_unit(one.unit);
  out.say(gone);
  one.unit = 0;
  one.alive = one.died = false;
}

void TankServerPlayers::tell_score(Id player, std::uint32_t wins, std::uint32_t losses, std::uint32_t team_kills,
                                   BackOut& out) const {
  if (player == 0) return;
  words::Score score;
  score.set_player(player);
  score.set_wins(wins);
  score.set_losses(losses);
  score.set_team_kills(team_kills);
  out.say(score);
}

void TankServerPlayers::forget(std::uint8_t number, BackOut& out) {
  const auto at = players_.find(number);
  if (at == players_.end()) return;
  say_gone(at->second.player.id(), at->second.unit, out);
  if (number != state_.number) ids_.remove_number(number);
  players_.erase(at);
}

TankServerPlayer* TankServerPlayers::spawn(std::uint8_t number, words::Pose& place, BackOut& out) {
  TankServerPlayer* one = tank(number);
  if (one == nullptr) return nullptr;
  one->alive = true;
  one->died = false;
  words::Spawned spawned;
  spawned.set_unit(one->unit);
  place.set_unit(one->unit);
  *spawned.mutable_pose() = place;
  out.say(std::move(spawned));
  return one;
}

void TankServerPlayers::move(std::uint8_t number, words::Pose place, BackOut& out) {
  const TankServerPlayer* one = tank(number);
  if (one == nullptr || one->died || number == state_.number) return;
  if (!one->alive) return void(spawn(number, place, out));  // it was in play before the back came
  place.set_unit(one->unit);
  out.say(std::move(place));
}

TankServerPlayer* TankServerPlayers::die(std::uint8_t number, words::Died died, BackOut& out) {
  TankServerPlayer* one = tank(number);
  if (one == nullptr || one->died) return nullptr;
  one->alive = false;
  one->died = true;
  died.set_player(one->player.id());
  died.set_unit(one->unit);
  out.say(std::move(died));
  return one;
}

void TankServerPlayers::teleport(std::uint8_t number, std::uint32_t from, std::uint32_t to, BackOut& out) {
  const TankServerPlayer* one = find(number);
  if (one == nullptr) return;
  words::Teleported teleported;
  teleported.set_unit(one->unit);
  teleported.set_from(from);
  teleported.set_to(to);
  out.say(teleported);
}

const TankServerPlayer* TankServerPlayers::set_shooter(std::uint8_t number, words::Shot& shot) {
  const TankServerPlayer* one = find(number);
  shot.set_shooter(one != nullptr ? one->player.id() : 0);
  shot.set_unit(one != nullptr ? one->unit : 0);
  return one;
}

}  // namespace entente::core
