// The shots of our own tank, and those that hit it. See back.h.
#include "adapters/bzdraft/back/back.h"
#include "adapters/bzdraft/losses.h"
#include "proxy/core/seconds.h"

namespace entente::bzdraft {
namespace {

using core::micros;

// The page gives no numbers: those of BZFlag.
constexpr core::Muzzle kMuzzle{4.42, 1.57};

/// Of what a peer said; never more than a minute, and not negative.
double sane(std::int32_t life) { return std::clamp(whole(life), 0.0, 60.0); }

}  // namespace

void BackSession::shoot(const core::Shooting& shooting, Outlet& out) {
  if (!may_act()) return core::refuse_shot(shooting, me_, loss::kFireNotInPlay, out);
  if (shooting.fire != nullptr && wish_->claims_deaths()) return fire(shooting, out);
  const double yaw = shooting.yaw.value_or(own_.pose.yaw());
  if (own_.steering.claim() != nullptr) return fire_along(yaw, out);  // its own client has turned it
  own_.driver.aim(yaw, out.now());
  drive(out);
}

/// As our client fired it.
void BackSession::fire(const core::Shooting& shooting, Outlet& out) {
  const words::Fire& fire = *shooting.fire;
  const auto number = loaded(fire.shot(), out);
  if (!number) return core::refuse_shot(shooting, me_, loss::kReloading, out);
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
  const auto number = loaded(core::Guns::kAny, out);
  if (!number) return out.lose(loss::kReloading);
  const words::Pose here = core::place_at(own_.pose, own_.posed, out.now(), 0.2);
  const core::Flight flight = core::fired(here, yaw, kMuzzle, kShotSpeed);
  ShotBegin begin;
  begin.shot = *number;
  begin.position = triple(flight.at[0], flight.at[1], flight.at[2]);
  begin.velocity = triple(flight.velocity[0], flight.velocity[1], flight.velocity[2]);
  begin.lifetime = thousandths(kReload);
  begin.flag = carried();
  begin_shot(begin, out);
}

void BackSession::begin_shot(ShotBegin begin, Outlet& out) {
  begin.shooter = number_;
  // A client's clock may run ahead of ours.
  guns_.fire(begin.shot, out.now() + micros(sane(begin.lifetime) * 0.95));
  peer_.send(out, begin);
}

std::uint8_t BackSession::carried() const {
  for (const auto& [number, token] : flags_)
    if (token.state() == words::Token::CARRIED && token.carrier() == me_) return flag_kind(token.code());
  return 0;
}

// -- Being hit --------------------------------------------------------------------------------------------------------

void BackSession::watch_shot(const ShotBegin& begin, const words::Shot& shot, Outlet& out) {
  if (begin.shooter == number_ || !wish_) return;
  core::Incoming incoming;
  incoming.shooter = begin.shooter;
  incoming.shot = begin.shot;
  incoming.flag = begin.flag;
  incoming.ours = !wish_->claims_deaths();
  incoming.follow(shot, out.now());
  const auto code = flag_code(begin.flag);
  const bool passes_walls = code == "SB" || code == "GM";  // a guided one turns
  incoming_.watch(incoming, std::max(0.0, sane(begin.lifetime) - sane(begin.time)), passes_walls, own_.terrain,
                  out.now());
}

/// The victim tells that it died; with that the shot is over.
void BackSession::test_hits(const core::TankState& was, core::Micros since, Outlet& out) {
  const core::Incoming* shot = incoming_.hit(tank_, was, core::state_of(own_.pose), since, out.now());
  if (shot == nullptr) return;
  own_.alive = false;
  const auto byte = [](std::uint32_t number) { return static_cast<std::uint8_t>(number); };
  peer_.send(out, Killed{number_, byte(shot->shooter), byte(shot->flag), byte(shot->shot)});
}

}  // namespace entente::bzdraft
