// Our own tank and what its client claims of it. See back.h.
#include <cmath>

#include "adapters/bzflag/losses.h"

#include "adapters/bzflag/back/back.h"

namespace entente::bzflag {
namespace {

/// bzfs kicks above the square root of 1.125 times the top speed (bzfs.cxx:5240 at v2.4.26).
constexpr double kSpeeding = 1.05;
/// The fastest flag (Thief) makes a tank so much faster.
constexpr double kFlagSpeed = 1.67;
/// bzfs kicks 10 m outside of the world.
constexpr double kOutside = 5;
constexpr double kDeepestBurrow = -1.32;  // of a burrowed tank

/// After so long the server is told again where the tank is: it takes 5 s of silence for a lost line. A client tells
/// itself once a second, so that one which is silent for longer has trouble.
constexpr core::Micros kSilence = core::kSecond, kClientSilence = 3 * core::kSecond;

}  // namespace

void BackSession::spawn(Outlet& out) {
  const Someone* me = find(number_);
  if (own_.alive || own_.asked || me == nullptr || me->unit == 0) return;
  own_.asked = true;
  peer_.stream(out, place_to_spawn(out));
}

void BackSession::claimed(const words::PoseClaim& claim, Outlet& out) {
  if (claim.sent_at() != 0) {
    own_.client_time = claim.sent_at();
    own_.client_time_at = out.now();
  }
  if (!own_.alive) return;  // still flying through the air in pieces
  core::Intent steer(claim);
  own_.steering.hear(steer);
  words::Pose pose = pose_of(claim);
  leash(pose);
  pose.set_unit(find(number_)->unit);
  pose.set_seq(std::max(own_.order + 1, claim.seq()));
  own_.order = pose.seq();
  own_.claimed(pose, out.now());
  out.say(pose);
  report_if_due(out);
}

/// Within what the server lets pass.
void BackSession::leash(words::Pose& pose) const {
  const double most = variables_["_tankSpeed"] * kSpeeding * (carried().empty() ? 1 : kFlagSpeed);
  core::keep_within(pose, most, size_ / 2 + kOutside);
  pose.set_z(std::max(pose.z(), kDeepestBurrow));
}

void BackSession::report_if_due(Outlet& out) {
  if (!own_.alive) return;
  if (own_.held) {
    if (updates_.take(out.now())) return report(own_.pose, out);
    return out.wake(updates_.next());
  }
  const bool claimed = own_.steering.claim() != nullptr;
  if (out.now() < own_.sent_at + (claimed ? kClientSilence : kSilence)) return;
  words::Pose standing = own_.pose;
  if (claimed) {  // who does not say where it drives has stopped
    standing.set_vx(0);
    standing.set_vy(0);
    standing.set_yaw_rate(0);
  }
  standing.set_seq(++own_.order);
  report(standing, out);
}

void BackSession::report(const words::Pose& pose, Outlet& out) {
  own_.told(pose, out.now());
  peer_.quick(out, update_of(pose, number_, clock(out), own_.alive, speaks_.small_updates));
}

/// Seconds on our client's clock, if it has one.
float BackSession::clock(Outlet& out) const {
  const auto since = [&](core::Micros then) { return static_cast<double>(out.now() - then) / core::kSecond; };
  if (own_.client_time != 0) return static_cast<float>(own_.client_time + since(own_.client_time_at));
  return static_cast<float>(since(opened_));
}

/// Told once a life: the next claim finds us dead.
void BackSession::die(const words::DeathClaim& claim, Outlet& out) {
  if (stage_ != Stage::kIn || !own_.alive) return;
  KilledReport report;
  report.killer = player_id(number_of(claim.killer(), claim.killer() == 0 ? kServerId : number_));
  report.death.reason = death_reason(claim.why());
  report.death.shot = claim.shot() != 0 ? static_cast<std::uint16_t>(claim.shot()) : kNoShot;
  if (const auto* shot = incoming_.find(report.killer.byte, claim.shot())) report.death.flag = flag_kind(shot->flag);
  own_.alive = false;
  own_.ends = 0;
  peer_.stream(out, report);
}

/// bzfs kicks who ends more shots than it dies of; our own may end as they like.
void BackSession::end_shot(const words::ShotEndClaim& claim, Outlet& out) {
  if (!may_act()) return;
  const bool mine = claim.shooter() == me_;
  const std::uint8_t shooter = number_of(claim.shooter(), kNobody);
  if (shooter == kNobody) return out.lose(loss::kShotOfNobody);
  if (!mine && own_.ends >= 4) return out.lose(loss::kEndsFull);
  if (!mine) ++own_.ends;
  ShotEnd end;
  end.player = player_id(shooter);
  end.shot = static_cast<std::uint16_t>(claim.shot());
  end.reason = claim.burst() ? 0 : 1;
  peer_.quick(out, end);
}

void BackSession::move_shot(const words::ShotMoveClaim& claim, Outlet& out) {
  if (!may_act()) return;
  GuidedUpdate update;
  update.player = player_id(number_);
  update.shot = static_cast<std::uint16_t>(claim.shot());
  update.pos = vec3(claim.x(), claim.y(), claim.z());
  update.vel = vec3(claim.vx(), claim.vy(), claim.vz());
  update.team = find(number_)->team;
  update.target = player_id(number_of(claim.target(), kNobody));
  peer_.quick(out, update);
}

}  // namespace entente::bzflag
