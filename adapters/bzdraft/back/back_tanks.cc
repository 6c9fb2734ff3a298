// Tanks and shots of everybody, as a back hears them. See back.h.
#include <cmath>

#include "adapters/bzdraft/back/back.h"

namespace entente::bzdraft {
namespace {

constexpr double kRespawn = 5;  // the page's ExplodeTime, as BZFlag has it

/// Shots that go on through whom they kill.
bool goes_on(std::uint8_t flag) { return flag_code(flag) == "L" || flag_code(flag) == "SW"; }

}  // namespace

/// Which way it looks comes with its first update.
void BackSession::on(const AliveDown& alive, Outlet& out) {
  Someone* one = find(alive.player);
  if (one == nullptr || one->unit == 0) return;
  one->alive = true;
  words::Spawned spawned;
  spawned.set_unit(one->unit);
  words::Pose& pose = *spawned.mutable_pose();
  pose.set_unit(one->unit);
  pose.set_x(whole(alive.position[0]));
  pose.set_y(whole(alive.position[1]));
  pose.set_z(whole(alive.position[2]));
  if (alive.player == number_) {
    own_.begin(pose, out.now());
    out.wake(out.now() + 40 * core::kMillisecond);
  }
  out.say(std::move(spawned));
}

/// A death ends the shot that brought it, and no MsgShotEnd says so.
void BackSession::on(const Killed& killed, Outlet& out) {
  words::Died death;
  death.set_killer(id_of(killed.killer));
  death.set_why(killed.killer == killed.victim ? words::BY_ITSELF
                : killed.killer == kServer     ? words::BY_SERVER
                                               : words::BY_SHOT);
  death.set_shot(killed.shot);
  const bool flying = incoming_.find(killed.killer, killed.shot) != nullptr;
  if (flying && !goes_on(killed.flag)) on(ShotEnd{killed.killer, killed.shot, 0}, out);
  died(killed.victim, death, out);
}

void BackSession::died(std::uint8_t number, words::Died died, Outlet& out) {
  Someone* one = find(number);
  if (one == nullptr || one->unit == 0) return;
  one->alive = false;
  one->died = true;
  died.set_player(one->player.id());
  died.set_unit(one->unit);
  died.set_respawn_s(kRespawn);
  out.say(died);
  if (number == number_) own_.end();
}

void BackSession::on(const PlayerUpdate& update, Outlet& out) {
  Someone* one = find(update.player);
  if (one == nullptr || one->unit == 0 || update.player == number_) return;
  if ((update.status & kAlive) == 0) return;  // where its remains fly is nobody's business
  words::Pose pose = pose_of(update);
  pose.set_unit(one->unit);
  if (one->alive) return out.say(pose);
  if (one->died) return;
  one->alive = true;  // it was in play before we came
  words::Spawned spawned;
  spawned.set_unit(one->unit);
  *spawned.mutable_pose() = pose;
  out.say(std::move(spawned));
}

void BackSession::on(const Teleport& teleport, Outlet& out) {
  const Someone* one = find(teleport.player);
  if (one == nullptr) return;
  words::Teleported teleported;
  teleported.set_unit(one->unit);
  teleported.set_from(teleport.from);
  teleported.set_to(teleport.to);
  out.say(teleported);
}

void BackSession::on(const ShotBegin& begin, Outlet& out) {
  const Someone* one = find(begin.shooter);
  words::Shot shot;
  shot.set_shooter(one != nullptr ? one->player.id() : 0);  // 0: a gun of the world
  shot.set_unit(one != nullptr ? one->unit : 0);
  shot.set_shot(begin.shot);
  shot.set_weapon(weapon_of(begin.flag));
  shot.set_kind(shot_kind(begin.flag));
  core::set_way(whole(begin.position), whole(begin.velocity), shot);
  shot.set_life(std::max(0.0, whole(begin.lifetime) - whole(begin.time)));
  shot.set_range(std::hypot(shot.vx(), shot.vy()) * shot.life());
  if (one != nullptr) shot.set_team(one->player.team());
  out.say(shot);
  watch_shot(begin, shot, out);
}

void BackSession::on(const ShotEnd& end, Outlet& out) {
  words::ShotEnded ended;
  ended.set_shooter(id_of(end.shooter));
  ended.set_shot(end.shot);
  ended.set_burst(end.reason != 0);
  out.say(ended);
  incoming_.forget(end.shooter, end.shot);
}

void BackSession::on(const ShotUpdate& update, Outlet& out) {
  words::ShotMoved moved;
  moved.set_shooter(id_of(update.shooter));
  moved.set_shot(update.shot);
  moved.set_target(id_of(update.target));
  core::set_way(whole(update.position), whole(update.velocity), moved);
  out.say(moved);
  incoming_.steer(update.shooter, update.shot, moved, out.now());
}

}  // namespace entente::bzdraft
