#include "adapters/aos/back/server_players.h"

#include "proxy/core/bodies.h"

namespace entente::aos {
namespace {

/// Where the man is and where he looks, as the server last said.
void set_whereabouts(const ServerPlayer& one, words::Pose& pose) {
  pose.set_state(pose_state_of(one.keys));
  set_place(pose, one.position);
  set_look(pose, one.orientation);
}

}  // namespace

ServerPlayer* ServerPlayers::find(std::uint8_t number) {
  const auto at = players_.find(number);
  return at != players_.end() ? &at->second : nullptr;
}

core::Id ServerPlayers::id_of(std::uint8_t number) const {
  const auto at = players_.find(number);
  return at != players_.end() ? at->second.player.id() : 0;
}

std::uint8_t ServerPlayers::side_for(words::Team team) const {
  int green_more = 0;
  for (const auto& [number, one] : players_) green_more += one.team == kGreen ? 1 : one.team == kBlue ? -1 : 0;
  return server_.sides.side_of(team, green_more < 0 ? kGreen : kBlue);
}

ServerPlayer& ServerPlayers::meet(std::uint8_t number, BackOut& out) {
  ServerPlayer& one = players_[number];
  if (one.player.id() != 0) return one;
  const core::Id id = number == server_.number && out.me() != 0 ? out.me() : out.new_id();
  one.player.set_id(id);
  one.player.set_responding(true);
  ids_.add(number, id);
  return one;
}

/// Our own player stays in the room when its unit is removed.
bool ServerPlayers::forget(std::uint8_t number, BackOut& out) {
  const ServerPlayer* one = find(number);
  if (one == nullptr) return false;
  const bool me = number == server_.number, told = server_.loaded();
  if (me && one->alive) {  // a new map ends every life, but the server does not report it
    words::Died died;
    died.set_player(one->player.id());
    died.set_unit(one->unit);
    died.set_why(words::BY_SERVER);
    died.set_synthesised(true);
    out.say(died);
  }
  if (one->unit != 0) {
    words::Gone gone;
    gone.set_unit(one->unit);
    out.say(gone);
  }
  if (!me && told) {
    words::PlayerGone gone;
    gone.set_id(one->player.id());
    out.say(std::move(gone));
  }
  ids_.remove_number(number);
  players_.erase(number);
  return true;
}

void ServerPlayers::forget_all(BackOut& out) {
  while (server_.loaded() && !players_.empty()) forget(players_.begin()->first, out);
  players_.clear();
  ids_.clear();
}

void ServerPlayers::tell(ServerPlayer& one, BackOut& out) {
  out.say(one.player);
  if (one.team == kSpectator) return;
  const bool fresh = one.unit == 0;
  if (fresh) one.unit = out.new_id();
  words::Unit unit;
  unit.set_id(one.unit);
  unit.set_owner(one.player.id());
  unit.set_kind(words::Unit::MAN);
  unit.set_model(one.player.kit());
  unit.set_team(one.player.team());
  unit.set_health(kFullHealth);
  unit.set_max_health(kFullHealth);
  unit.set_name(one.player.name());
  words::Pose& pose = *unit.mutable_pose();
  pose.set_unit(one.unit);
  if (one.alive) {  // it is described again
    unit.set_alive(true);
    set_whereabouts(one, pose);
  }
  core::say_owned(std::move(unit), out);
  tell_score(one, out);
  tell_input(one, out);
}

void ServerPlayers::tell_score(const ServerPlayer& one, BackOut& out) {
  words::Score score;
  score.set_player(one.player.id());
  score.set_wins(one.kills);
  score.set_losses(one.deaths);
  out.say(score);
}

void ServerPlayers::tell_spawned(ServerPlayer& one, BackOut& out) {
  one.alive = true;
  one.died = one.hidden = false;
  one.posed_at = out.now();
  words::Spawned spawned;
  spawned.set_unit(one.unit);
  words::Pose& pose = *spawned.mutable_pose();
  pose.set_unit(one.unit);
  set_whereabouts(one, pose);
  out.say(std::move(spawned));
}

void ServerPlayers::tell_pose(ServerPlayer& one, BackOut& out) {
  one.hidden = false;
  one.posed_at = out.now();
  words::Pose pose;
  pose.set_unit(one.unit);
  pose.set_state(pose_state_of(one.keys));
  set_place(pose, one.position);
  set_velocity(pose, one.velocity);
  set_look(pose, one.orientation);
  out.say(pose);
}

void ServerPlayers::tell_input(const ServerPlayer& one, BackOut& out) {
  if (one.unit == 0) return;
  words::Input input;
  input.set_unit(one.unit);
  input.set_bits(one.keys);
  input.set_tool(one.tool);
  input.set_primary((one.buttons & kPrimary) != 0);
  input.set_secondary((one.buttons & kSecondary) != 0);
  out.say(input);
}

void ServerPlayers::tell_shot(ServerPlayer& one, BackOut& out) {
  one.shot_at = out.now();
  const Point from = point_of(one.reckoned(out.now()));
  words::Shot shot;
  shot.set_shooter(one.player.id());
  shot.set_unit(one.unit);
  shot.set_shot(++one.shots);
  shot.set_kind(words::RAY);
  shot.set_x(from.x);
  shot.set_y(from.y);
  shot.set_z(from.z);
  shot.set_vx(one.orientation[0]);
  shot.set_vy(-one.orientation[1]);
  shot.set_vz(-one.orientation[2]);
  shot.set_range(double{kSightRange} * kMetresPerBlock);
  shot.set_team(one.player.team());
  out.say(shot);
}

Vec3 ServerPlayer::reckoned(core::Micros now) const {
  const float gone = static_cast<float>(std::min(now - posed_at, 4 * kPoseEvery)) * 32 / 1e6F;
  return {position[0] + velocity[0] * gone, position[1] + velocity[1] * gone, position[2] + velocity[2] * gone};
}

void ServerPlayers::hear(const Grenade& grenade, BackOut& out) {
  ServerPlayer* one = find(grenade.player);
  if (one == nullptr) return out.drop(drops::kGrenadeOfNobody);
  if (!may_be(grenade.position) || !(grenade.fuse >= 0 && grenade.fuse <= 60)) return out.drop(drops::kGrenadeNoPlace);
  const Point from = point_of(grenade.position);
  words::Shot shot;
  shot.set_shooter(one->player.id());
  shot.set_unit(one->unit);
  shot.set_shot(++one->shots);
  shot.set_kind(words::GRENADE);
  shot.set_x(from.x);
  shot.set_y(from.y);
  shot.set_z(from.z);
  for (const float speed : grenade.velocity)
    if (!std::isfinite(speed)) return out.drop(drops::kGrenadeNoPlace);
  set_velocity(shot, grenade.velocity);
  shot.set_life(grenade.fuse);
  shot.set_team(one->player.team());
  out.say(shot);
}

}  // namespace entente::aos
