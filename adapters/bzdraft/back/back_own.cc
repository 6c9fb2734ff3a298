// Our own tank: what its client claims of it, or, where words steer it and no client of the draft does, its physics.
// See back.h.
#include <cmath>

#include "adapters/bzdraft/losses.h"

#include "adapters/bzdraft/back/back.h"

namespace entente::bzdraft {
namespace {

/// A player who is silent for longer counts as not responding.
constexpr core::Micros kSilence = core::kSecond;

constexpr double kMostSpeed = 1.67;  // times the tank's own: of the fastest flag
constexpr double kOutside = 5;
constexpr double kJump = 19;  // metres a second upwards, as BZFlag's

}  // namespace

void BackSession::spawn(Outlet& out) {
  const Someone* me = find(number_);
  spawns_ = me == nullptr;
  if (own_.alive || me == nullptr || me->unit == 0 || std::exchange(own_.asked, true)) return;
  peer_.send(out, AliveUp{});
}

void BackSession::claimed(const words::PoseClaim& claim, Outlet& out) {
  if (!own_.alive) return;  // still flying through the air in pieces
  own_.steering.hear(core::Intent(claim));
  words::Pose pose = pose_of(claim);
  pose.set_unit(find(number_)->unit);
  pose.set_seq(++own_.order);
  core::keep_within(pose, tank_.speed * kMostSpeed, half_ + kOutside);
  own_.claimed(pose, out.now());
  out.say(pose);
  report_if_due(out);
}

void BackSession::report_if_due(Outlet& out) {
  if (!own_.alive) return;
  if (own_.held) return updates_.take(out.now()) ? report(out) : out.wake(updates_.next());
  if (out.now() >= own_.sent_at + kSilence) report(out);
}

void BackSession::report(Outlet& out) {
  own_.told(own_.pose, out.now());
  peer_.send(out, update_of(own_.pose, number_, own_.alive));
}

/// The server puts our number in; told once a life.
void BackSession::die(const words::DeathClaim& claim, Outlet& out) {
  if (!may_act()) return;
  Killed killed;
  killed.victim = number_;
  killed.killer = number_of(claim.killer(), claim.killer() == 0 && claim.why() != words::BY_ITSELF ? kServer : number_);
  killed.shot = static_cast<std::uint8_t>(claim.shot());
  if (const auto* shot = incoming_.find(killed.killer, claim.shot()))
    killed.flag = static_cast<std::uint8_t>(shot->flag);
  own_.alive = false;
  peer_.send(out, killed);
}

void BackSession::end_shot(const words::ShotEndClaim& claim, Outlet& out) {
  if (!may_act()) return;
  const std::uint8_t shooter = number_of(claim.shooter(), kInvalid);
  if (shooter == kInvalid) return out.lose(loss::kShotOfNobody);
  if (shooter != number_) return out.lose(loss::kShotOfAnother);
  peer_.send(out, ShotEnd{shooter, static_cast<std::uint8_t>(claim.shot()), std::uint8_t{claim.burst()}});
}

void BackSession::move_shot(const words::ShotMoveClaim& claim, Outlet& out) {
  if (!may_act()) return;
  ShotUpdate update;
  update.shooter = number_;
  update.shot = static_cast<std::uint8_t>(claim.shot());
  update.position = triple(claim.x(), claim.y(), claim.z());
  update.velocity = triple(claim.vx(), claim.vy(), claim.vz());
  update.target = number_of(claim.target(), kServer);
  peer_.send(out, update);
}

// -- Driving ----------------------------------------------------------------------------------------------------------

/// From where it was at the last tick to now, and what hit it on the way.
void BackSession::drive(Outlet& out) {
  const auto step = own_.step(out.now());
  if (!step) return;
  if (own_.steering.claim() == nullptr) steer(step->dt, out);
  if (own_.steering.trigger_held() && loaded(0, out))
    fire_along(own_.steering.looking().value_or(own_.pose.yaw()), out);
  if (wish_ && !wish_->claims_deaths()) test_hits(step->was, step->since, out);
}

void BackSession::steer(double dt, Outlet& out) {
  const core::TankState was = core::state_of(own_.pose);
  core::TankState now = was;
  own_.driver.drive(tank_, own_.terrain, own_.steering, room_.jumping() ? kJump : 0, dt, now);
  own_.posed = out.now();
  if (now != was) {
    core::put(now, own_.pose);
    own_.pose.set_state(now.vz != 0 ? words::Pose::FALLING : 0);
    own_.pose.set_seq(++own_.order);
    out.say(own_.pose);
  }
  const core::TankState seen = core::state_of(own_.seen(out.now()));
  own_.held |= core::strays(seen, now) || core::strays_soon(seen, now);
  if (own_.driver.has_aimed(now.yaw, out.now())) fire_along(now.yaw, out);
}

}  // namespace entente::bzdraft
