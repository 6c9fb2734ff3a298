// The shots of our own tank, and those that hit it. See back.h.
#include <cmath>

#include "adapters/bzdraft/back.h"
#include "proxy/core/seconds.h"

namespace entente::bzdraft {
namespace {

using core::micros, core::seconds;

constexpr core::Micros kAimsFor = 5 * core::kSecond;  // a tank turns around in four
constexpr std::size_t kMostIncoming = 2'000;

// The page gives no numbers: those of BZFlag.
constexpr double kShotSpeed = 100, kReload = 3.5, kMuzzleFront = 4.42, kMuzzleHeight = 1.57;

/// Of what a peer said; never more than a minute, and not negative.
double sane(std::int32_t life) { return std::clamp(whole(life), 0.0, 60.0); }

}  // namespace

void BackSession::shoot(const core::Shooting& shooting, Outlet& out) {
  if (!may_act()) return out.lose("Fire", "not in play");
  if (shooting.fire != nullptr && wish_->claims_deaths()) return fire(*shooting.fire, out);
  const double yaw = shooting.yaw.value_or(own_.pose.yaw());
  if (steering_.claim() != nullptr) return fire_along(yaw, out);  // its own client has turned it
  aim_ = yaw;
  aim_until_ = out.now() + kAimsFor;
  drive(out);
}

/// As our client fired it.
void BackSession::fire(const words::Fire& fire, Outlet& out) {
  const auto number = free_shot(fire.shot(), out);
  if (!number) return out.lose("Fire", "every gun reloads");
  ShotBegin begin;
  begin.shot = *number;
  begin.position = triple(fire.x(), fire.y(), fire.z());
  begin.velocity = triple(fire.vx(), fire.vy(), fire.vz());
  begin.lifetime = thousandths(fire.life() > 0 ? fire.life() : kReload);
  begin.flag = flag_of_weapon(fire.weapon());
  begin_shot(begin, out);
}

/// From the muzzle, with what the tank itself drives.
void BackSession::fire_along(double yaw, Outlet& out) {
  const auto number = free_shot(256, out);
  if (!number) return out.lose("Fire", "every gun reloads");
  const words::Pose here = core::place_at(own_.pose, own_.posed, out.now(), 0.2);
  const double c = std::cos(yaw), s = std::sin(yaw);
  ShotBegin begin;
  begin.shot = *number;
  begin.position = triple(here.x() + kMuzzleFront * c, here.y() + kMuzzleFront * s, here.z() + kMuzzleHeight);
  begin.velocity = triple(kShotSpeed * c + here.vx(), kShotSpeed * s + here.vy(), 0);
  begin.lifetime = thousandths(kReload);
  begin.flag = carried();
  begin_shot(begin, out);
}

void BackSession::begin_shot(ShotBegin begin, Outlet& out) {
  begin.shooter = number_;
  loaded_at_[begin.shot] = out.now() + micros(sane(begin.lifetime) * 0.95);  // a client's clock may run ahead of ours
  peer_.send(out, begin);
}

/// The number of a shot that may begin now: the wished one if its gun is loaded, else that of any that is.
std::optional<std::uint8_t> BackSession::free_shot(std::uint32_t wished, Outlet& out) const {
  const std::uint32_t guns = std::clamp<std::uint32_t>(room_.most_shots(), 1, 256);
  const auto loaded = [&](std::uint32_t gun) { return gun < guns && loaded_at_[gun] <= out.now(); };
  if (loaded(wished)) return static_cast<std::uint8_t>(wished);
  for (std::uint32_t gun = 0; gun < guns; ++gun)
    if (loaded(gun)) return static_cast<std::uint8_t>(gun);
  return std::nullopt;
}

std::uint8_t BackSession::carried() const {
  for (const auto& [number, token] : flags_)
    if (token.state() == words::Token::CARRIED && token.carrier() == me_) return flag_kind(token.code());
  return 0;
}

// -- Being hit --------------------------------------------------------------------------------------------------------

/// Until it hits a wall; where shots bounce we believe none after its first.
void BackSession::watch_shot(const ShotBegin& begin, Outlet& out) {
  std::erase_if(incoming_, [&](const Incoming& shot) { return shot.until + 5 * core::kSecond < out.now(); });
  if (begin.shooter == number_ || !wish_ || incoming_.size() >= kMostIncoming) return;
  Incoming shot;
  shot.shooter = begin.shooter;
  shot.shot = begin.shot;
  shot.flag = begin.flag;
  shot.ours = !wish_->claims_deaths();
  for (std::size_t i = 0; i < 3; ++i) {
    shot.pos[i] = whole(begin.position[i]);
    shot.vel[i] = whole(begin.velocity[i]);
  }
  const double speed = std::hypot(shot.vel[0], shot.vel[1]);
  double life = std::max(0.0, sane(begin.lifetime) - sane(begin.time));
  const auto code = flag_code(begin.flag);
  if (speed > 0 && code != "SB" && code != "GM")  // super bullets pass walls; a guided one turns
    life = std::min(life, terrain_.clear_way(shot.pos[0], shot.pos[1], shot.pos[2], shot.vel[0] / speed,
                                             shot.vel[1] / speed, speed * life) /
                              speed);
  shot.since = out.now();
  shot.until = out.now() + micros(life);
  incoming_.push_back(shot);
}

/// The victim tells that it died; with that the shot is over.
void BackSession::test_hits(const core::TankState& was, core::Micros since, Outlet& out) {
  for (const Incoming& shot : incoming_) {
    const core::Micros from = std::max(since, shot.since), to = std::min(out.now(), shot.until);
    if (!shot.ours || to < from) continue;
    const auto at = [&](core::Micros when) {
      const double t = seconds(shot.since, when);
      return std::array{shot.pos[0] + shot.vel[0] * t, shot.pos[1] + shot.vel[1] * t, shot.pos[2] + shot.vel[2] * t};
    };
    if (!core::met(tank_, was, state(), at(from), at(to))) continue;
    own_.alive = false;
    return peer_.send(out, Killed{number_, shot.shooter, shot.flag, shot.shot});
  }
}

}  // namespace entente::bzdraft
