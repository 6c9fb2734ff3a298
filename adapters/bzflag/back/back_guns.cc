// The shots of our own tank, and those that hit it. See back.h.
#include <cmath>

#include "adapters/bzflag/losses.h"

#include "adapters/bzflag/back/back.h"

namespace entente::bzflag {
namespace {

constexpr std::uint16_t kNoTeamKills = 0x400;  // of the options

/// Flags under which shots are faster, or live shorter: bzfs computes the same and drops what differs
/// (bzfs.cxx:4020 at v2.4.26).
struct Gun {
  std::string_view flag;
  const char* speed;
  const char* life;
};
constexpr Gun kGuns[] = {{"MG", "_mGunAdVel", "_mGunAdLife"},
                         {"F", "_rFireAdVel", "_rFireAdLife"},
                         {"L", "_laserAdVel", "_laserAdLife"},
                         {"TH", "_thiefAdShotVel", "_thiefAdLife"},
                         {"SW", nullptr, "_shockAdLife"}};

/// Of what a peer said; never more than a minute, and no NaN.
double sane(double life) { return life > 0 ? std::min(life, 60.0) : 0; }

}  // namespace

void BackSession::shoot(const core::Shooting& shooting, Outlet& out) {
  if (!may_act()) return core::refuse_shot(shooting, me_, loss::kFireNotInPlay, out);
  if (speaks_.linked_shots && wants_link_ && !peer_.linked && wish_->role() != words::ROBOT)
    return core::refuse_shot(shooting, me_, loss::kNoDatagrams, out);
  if (shooting.fire != nullptr && wish_->claims_deaths()) return fire(shooting, out);
  const double yaw = shooting.yaw.value_or(own_.pose.yaw());
  if (own_.steering.claim() != nullptr) return fire_along(yaw, out);  // its own client has turned it
  own_.driver.aim(yaw, out.now());
  drive(out);
}

/// As our client fired it. Of a plain shot the life is what bzfs compares bit by bit.
void BackSession::fire(const core::Shooting& shooting, Outlet& out) {
  const words::Fire& fire = *shooting.fire;
  const auto number = free_shot(fire.shot(), out);
  if (!number) return core::refuse_shot(shooting, me_, loss::kReloading, out);
  ShotBegin begin;
  begin.shot = *number;
  begin.pos = vec3(fire.x(), fire.y(), fire.z());
  begin.vel = vec3(fire.vx(), fire.vy(), fire.vz());
  begin.flag = flag_kind(fire.weapon());
  begin.life = fire.weapon() != 0 && fire.life() > 0 ? to_float(fire.life()) : variables_["_reloadTime"];
  begin_shot(begin, out);
}

/// From the muzzle, with what the tank itself drives.
void BackSession::fire_along(double yaw, Outlet& out) {
  const auto number = free_shot(0, out);
  if (!number) return out.lose(loss::kReloading);
  words::Pose here = core::place_at(own_.pose, own_.posed, out.now(), 0.2);
  if (out.now() != own_.sent_at) {  // the server compares a shot with where we were last
    here.set_seq(++own_.order);
    report(here, out);
  }
  ShotBegin begin;
  begin.shot = *number;
  begin.flag = flag_kind(carried());
  float speed = variables_["_shotSpeed"];
  begin.life = variables_["_reloadTime"];
  for (const Gun& gun : kGuns) {
    if (gun.flag != carried()) continue;
    speed *= gun.speed != nullptr ? variables_.find(gun.speed).value_or(1) : 0;
    begin.life *= variables_.find(gun.life).value_or(1);
  }
  const core::Flight flight = core::fired(here, yaw, {variables_["_muzzleFront"], variables_["_muzzleHeight"]}, speed);
  begin.pos = vec3(flight.at[0], flight.at[1], flight.at[2]);
  if (speed != 0) begin.vel = vec3(flight.velocity[0], flight.velocity[1], flight.velocity[2]);
  begin_shot(begin, out);
}

void BackSession::begin_shot(ShotBegin begin, Outlet& out) {
  begin.sent = clock(out);
  begin.player = player_id(number_);
  begin.team = find(number_)->team;
  // bzfs frees a slot when the life is over; a client's clock may run a little before ours.
  guns_.fire(static_cast<std::uint8_t>(begin.shot & 0xffU),
             out.now() + static_cast<core::Micros>(sane(begin.life) * 0.95e6));
  peer_.quick(out, begin);
}

bool BackSession::is_loaded(Outlet& out) const {
  return guns_.loaded(core::Guns::kAny, room_.most_shots(), out.now()).has_value();
}

/// The number of a shot that may begin now: the wished one if its slot is free, else that of any that is.
std::optional<std::uint16_t> BackSession::free_shot(std::uint32_t wished, Outlet& out) {
  const std::uint32_t gun = wished != 0 ? wished & 0xffU : core::Guns::kAny;
  const auto slot = guns_.loaded(gun, room_.most_shots(), out.now());
  if (!slot) return std::nullopt;
  std::uint8_t& salt = salts_[*slot];
  salt = static_cast<std::uint8_t>((*slot == gun ? wished >> 8U : salt + 1U) & 0x7fU);
  return static_cast<std::uint16_t>(std::uint32_t{salt} << 8U | *slot);
}

// -- Flags that nobody wished for -------------------------------------------------------------------------------------

std::string BackSession::carried() const {
  for (const auto& [number, token] : flags_)
    if (token.state() == words::Token::CARRIED && token.carrier() == me_) return token.code();
  return {};
}

/// What a flag does is a client's to know. Without one, a flag that came unwished is put down, if it lets itself.
void BackSession::put_down(const words::Token& token, Outlet& out) {
  constexpr std::uint32_t kSticky = 2;
  if (token.carrier() != me_ || token.state() != words::Token::CARRIED || !own_.alive) return;
  if (!wish_ || wish_->claims_deaths() || token.endurance() == kSticky) return;
  if (token.id() == own_.wants_token) return;
  peer_.stream(out, DropFlagRequest{vec3(own_.pose.x(), own_.pose.y(), own_.pose.z())});
}

// -- Being hit --------------------------------------------------------------------------------------------------------

void BackSession::watch_shot(const ShotBegin& begin, const words::Shot& shot, Outlet& out) {
  const Someone* me = find(number_);
  if (begin.player.byte == number_ || !wish_ || me == nullptr) return;
  const auto options = static_cast<unsigned>(out.world().rule("BZFLAG.options", 0));
  const bool friendly = (options & kNoTeamKills) != 0 && me->team != 0 && me->team == begin.team;
  core::Incoming incoming;
  incoming.shooter = begin.player.byte;
  incoming.shot = begin.shot;
  incoming.flag = weapon_of(begin.flag);
  incoming.ours = !wish_->claims_deaths() && !friendly;
  incoming.follow(shot, out.now());
  const auto code = begin.flag.letters.view();
  const bool passes_walls = code == "SB" || code == "GM";  // a guided one turns
  incoming_.watch(incoming, sane(begin.life), passes_walls, own_.terrain, out.now());
}

/// The victim tells: first that the shot ended in it, then that it died.
void BackSession::test_hits(const core::TankState& was, const core::TankState& is, core::Micros since, Outlet& out) {
  const core::Incoming* shot = incoming_.hit(model(), was, is, since, out.now());
  if (shot == nullptr) return;
  const auto number = static_cast<std::uint16_t>(shot->shot);
  KilledReport report;
  report.killer = player_id(static_cast<std::uint8_t>(shot->shooter));
  report.death.reason = death_reason(words::BY_SHOT);
  report.death.shot = number;
  report.death.flag = flag_kind(shot->flag);
  peer_.quick(out, ShotEnd{report.killer, number, 1});
  own_.alive = false;
  incoming_.spare(shot->shooter, shot->shot);
  peer_.stream(out, report);
}

}  // namespace entente::bzflag
