// Shots, both ways. Where the server decides what they hit, our client must not: it would blow itself up. See front.h.
#include <cmath>

#include "adapters/bzdraft/front/front.h"
#include "adapters/bzdraft/losses.h"
#include "proxy/core/seconds.h"

namespace entente::bzdraft {
namespace {

constexpr double kMuzzleHeight = 1.57;

}  // namespace

// -- What our client does ---------------------------------------------------------------------------------------------

void FrontSession::on(const ShotBegin& begin, Outlet& out) {
  if (stage_ != Stage::kIn || !cast_.at(kNumber).alive) return;
  own_.last_shot = begin.shot;
  words::Fire fire;
  fire.set_unit(own_unit());
  fire.set_shot(begin.shot);
  fire.set_weapon(weapon_of(begin.flag));
  fire.set_kind(shot_kind(begin.flag));
  core::set_way(whole(begin.position), whole(begin.velocity), fire);
  fire.set_life(whole(begin.lifetime));
  fire.set_range(std::hypot(fire.vx(), fire.vy()) * fire.life());
  out.say(fire);
}

/// One of its own, or one that it has found to end in its tank.
void FrontSession::on(const ShotEnd& end, Outlet& out) {
  if (stage_ != Stage::kIn) return;
  words::ShotEndClaim claim;
  claim.set_shooter(end.shooter == kServer ? out.me() : player_of(end.shooter));
  const core::ShownShot* shot = shots_.numbered(end.shooter, end.shot);
  claim.set_shot(shot != nullptr ? shot->shot : end.shot);
  claim.set_burst(end.reason != 0);
  out.say(claim);
}

void FrontSession::on(const ShotUpdate& update, Outlet& out) {
  if (stage_ != Stage::kIn) return;
  words::ShotMoveClaim claim;
  claim.set_shot(update.shot);
  claim.set_target(player_of(update.target));
  core::set_way(whole(update.position), whole(update.velocity), claim);
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

/// As wished if it fits, else a free one of that player.
std::optional<std::uint8_t> FrontSession::shot_number(std::uint8_t player, std::uint32_t wished, Outlet& out) const {
  const auto busy = [&](std::uint32_t number) { return shots_.busy(player, number, out.now()); };
  if (wished < most_shots_ && wished < 256 && !busy(wished)) return static_cast<std::uint8_t>(wished);
  for (std::uint32_t number = 0; number < most_shots_ && number < 256; ++number)
    if (!busy(number)) return static_cast<std::uint8_t>(number);
  return std::nullopt;
}

void FrontSession::told(const words::Shot& shot, const core::Fact&, Outlet& out) {
  shots_.forget_old(out.now());
  const bool mine = shot.shooter() == out.me();
  if (mine && shot.shot() != own_.last_shot) return;  // it has drawn its own already
  const std::uint8_t* known = units_.wire(shot.unit());
  if (known == nullptr) known = players_.wire(shot.shooter());
  if (known == nullptr && shot.shooter() != 0) return out.lose(loss::kShooterUnseen);
  core::ShownShot flying = core::shown(shot, out.world(), out.now());
  flying.player = known != nullptr ? *known : kServer;
  const auto number =
      mine ? std::optional(static_cast<std::uint8_t>(shot.shot())) : shot_number(flying.player, shot.shot(), out);
  if (!number || shots_.full()) return out.lose(loss::kShotsFull);

  flying.number = *number;
  flying.weapon = flag_of(shot);
  const bool ray = shot.kind() == words::RAY || shot.kind() == words::MELEE;
  flying.at[2] -= out.world().ground_at(flying.at[0], flying.at[1]);
  if (ray && shot.z() == 0) flying.at[2] = kMuzzleHeight;
  shots_.add(flying);

  ShotBegin begin;
  begin.shooter = flying.player;
  begin.shot = *number;
  begin.position = triple(flying.at[0], flying.at[1], flying.at[2]);
  begin.velocity = triple(flying.velocity[0], flying.velocity[1], flying.velocity[2]);
  begin.lifetime = thousandths(flying.life);
  begin.flag = flag_of(shot);
  peer_.send(out, begin);
  spare_own_tank(out);
}

void FrontSession::told(const words::ShotMoved& moved, const core::Fact&, Outlet& out) {
  core::ShownShot* flying = shots_.find(moved.shooter(), moved.shot());
  if (flying == nullptr) return out.lose(loss::kShotUnseen);
  flying->follow(moved, out.now());
  ShotUpdate update;
  update.shooter = flying->player;
  update.shot = static_cast<std::uint8_t>(flying->number);
  update.position = triple(moved.x(), moved.y(), moved.z());
  update.velocity = triple(moved.vx(), moved.vy(), moved.vz());
  update.time = thousandths(core::seconds(flying->began, out.now()));
  update.target = number_of(moved.target(), kServer);
  peer_.send(out, update);
}

void FrontSession::told(const words::ShotEnded& ended, const core::Fact&, Outlet& out) {
  core::ShownShot* flying = shots_.find(ended.shooter(), ended.shot());
  if (flying == nullptr || std::exchange(flying->ended, true)) return;
  peer_.send(out, ShotEnd{flying->player, static_cast<std::uint8_t>(flying->number), std::uint8_t{ended.burst()}});
}

void FrontSession::spare_own_tank(Outlet& out) {
  if (own_unit() == 0 || !cast_.at(kNumber).alive) return;
  for (const core::ShownShot& shot : shots_.spare(own_.tank.place(out.now()), kNumber, out))
    peer_.send(out, ShotEnd{shot.player, static_cast<std::uint8_t>(shot.number), 0});
}

}  // namespace entente::bzdraft
