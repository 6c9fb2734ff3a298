// Tanks and shots of everybody, as a back hears them. See back.h.
#include "adapters/bzflag/back/back.h"

namespace entente::bzflag {

void BackSession::on(const Alive& alive, Outlet& out) {
  const std::uint8_t number = alive.player.byte;
  Someone* one = find(number);
  if (one == nullptr || one->unit == 0) return;
  one->alive = true;
  one->died = false;
  words::Spawned spawned;
  spawned.set_unit(one->unit);
  words::Pose& pose = *spawned.mutable_pose();
  pose.set_unit(one->unit);
  pose.set_x(alive.pos[0]);
  pose.set_y(alive.pos[1]);
  pose.set_z(alive.pos[2]);
  pose.set_yaw(alive.azimuth);
  if (number == number_) {
    own_.begin(pose, out.now());
    own_.ends = 0;
    keep_alive(out);
  }
  out.say(std::move(spawned));
}

void BackSession::on(const Killed& killed, Outlet& out) {
  Someone* one = find(killed.victim.byte);
  if (one == nullptr || one->unit == 0) return;
  one->alive = false;
  one->died = true;
  words::Died died;
  died.set_player(one->player.id());
  died.set_unit(one->unit);
  died.set_killer(id_of(killed.killer.byte));
  if (killed.death.shot != kNoShot) died.set_shot(killed.death.shot);
  died.set_why(cause_of(killed.death.reason));
  died.set_respawn_s(variables_["_explodeTime"]);
  out.say(died);
  if (killed.victim.byte == number_) own_.end();
  count(killed, out);

  // Genocide: the others of the victim's team blow themselves up; nobody tells them to.
  const Someone* me = find(number_);
  const bool genocide = code_of(killed.death.flag) == "G" && killed.death.reason == 1;
  if (!genocide || !own_.alive || me == nullptr || me->team != one->team || me->team == 0) return;
  if (wish_ && wish_->claims_deaths()) return;  // our client knows
  words::DeathClaim claim;
  claim.set_killer(died.killer());
  claim.set_why(words::BY_GENOCIDE);
  die(claim, out);
}

void BackSession::on(const PlayerUpdate& update, Outlet& out) {
  moved(update.player.byte, update.status, pose_of(update), out);
}
void BackSession::on(const PlayerUpdateSmall& update, Outlet& out) {
  moved(update.player.byte, update.status, pose_of(update), out);
}

void BackSession::moved(std::uint8_t number, std::int16_t status, words::Pose pose, Outlet& out) {
  Someone* one = find(number);
  if (one == nullptr || one->unit == 0 || number == number_) return;
  const bool lives = (status & kAlive) != 0;
  if (one->died || !lives) return;  // where its remains fly is nobody's business
  pose.set_unit(one->unit);
  if (!one->alive) {  // who was here before us
    one->alive = true;
    words::Spawned spawned;
    spawned.set_unit(one->unit);
    *spawned.mutable_pose() = pose;
    return out.say(std::move(spawned));
  }
  out.say(pose);
}

void BackSession::on(const Teleport& teleport, Outlet& out) {
  const Someone* one = find(teleport.player.byte);
  if (one == nullptr) return;
  words::Teleported teleported;
  teleported.set_unit(one->unit);
  teleported.set_from(teleport.from);
  teleported.set_to(teleport.to);
  out.say(teleported);
}

void BackSession::on(const ShotBegin& begin, Outlet& out) {
  const Someone* one = find(begin.player.byte);
  words::Shot shot;
  shot.set_shooter(one != nullptr ? one->player.id() : 0);  // 0: a gun of the world
  shot.set_unit(one != nullptr ? one->unit : 0);
  shot.set_shot(begin.shot);
  shot.set_weapon(weapon_of(begin.flag));
  shot.set_kind(shot_kind(shot.weapon()));
  core::set_way(begin.pos, begin.vel, shot);
  shot.set_life(begin.life);
  shot.set_range(variables_["_shotRange"]);
  shot.set_team(team_of(begin.team));
  out.say(shot);
  watch_shot(begin, shot, out);
}

void BackSession::on(const ShotEnd& end, Outlet& out) {
  words::ShotEnded ended;
  ended.set_shooter(id_of(end.player.byte));
  ended.set_shot(end.shot);
  ended.set_burst(end.reason == 0);
  out.say(ended);
  incoming_.spare(end.player.byte, end.shot);
}

void BackSession::on(const GuidedUpdate& update, Outlet& out) {
  words::ShotMoved moved;
  moved.set_shooter(id_of(update.player.byte));
  moved.set_shot(update.shot);
  moved.set_target(id_of(update.target.byte));
  core::set_way(update.pos, update.vel, moved);
  out.say(moved);
  incoming_.steer(update.player.byte, update.shot, moved, out.now());
}

}  // namespace entente::bzflag
