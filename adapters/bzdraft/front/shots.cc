#include <cmath>

#include "adapters/bzdraft/front/shots.h"
#include "adapters/bzdraft/losses.h"
#include "proxy/core/seconds.h"

namespace entente::bzdraft {
namespace {

constexpr double kMuzzleHeight = 1.57;

}  // namespace

// -- What our client does ---------------------------------------------------------------------------------------------

void Shots::hear(const ShotBegin& begin, FrontOut& out) {
  if (!client_.in() || !cast_.own().alive) return;
  last_shot_ = begin.shot;
  words::Fire fire;
  fire.set_unit(cast_.own_unit());
  fire.set_shot(begin.shot);
  fire.set_weapon(weapon_of(begin.flag));
  fire.set_kind(shot_kind(begin.flag));
  core::set_way(whole(begin.position), whole(begin.velocity), fire);
  fire.set_life(whole(begin.lifetime));
  fire.set_range(std::hypot(fire.vx(), fire.vy()) * fire.life());
  out.say(fire);
}

/// One of its own, or one that it has found to end in its tank.
void Shots::hear(const ShotEnd& end, FrontOut& out) {
  if (!client_.in()) return;
  words::ShotEndClaim claim;
  claim.set_shooter(end.shooter == kServer ? out.me() : cast_.player_of(end.shooter));
  const core::ShownShot* shot = shots_.numbered(end.shooter, end.shot);
  claim.set_shot(shot != nullptr ? shot->shot : end.shot);
  claim.set_burst(end.reason != 0);
  out.say(claim);
}

void Shots::hear(const ShotUpdate& update, FrontOut& out) {
  if (!client_.in()) return;
  words::ShotMoveClaim claim;
  claim.set_shot(update.shot);
  claim.set_target(cast_.player_of(update.target));
  core::set_way(whole(update.position), whole(update.velocity), claim);
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

/// As wished if it fits, else a free one of that player.
std::optional<std::uint8_t> Shots::shot_number(std::uint8_t player, std::uint32_t wished, const FrontOut& out) const {
  const auto busy = [&](std::uint32_t number) { return shots_.busy(player, number, out.now()); };
  if (wished < land_.most_shots() && wished < 256 && !busy(wished)) return static_cast<std::uint8_t>(wished);
  for (std::uint32_t number = 0; number < land_.most_shots() && number < 256; ++number)
    if (!busy(number)) return static_cast<std::uint8_t>(number);
  return std::nullopt;
}

void Shots::hear(const words::Shot& shot, FrontOut& out) {
  shots_.forget_old(out.now());
  const bool mine = shot.shooter() == out.me();
  if (mine && shot.shot() != last_shot_) return;  // it has drawn its own already
  const std::uint8_t* known = cast_.of(shot.unit(), shot.shooter());
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
  client_.send(out, begin);
  spare_own_tank(out);
}

void Shots::hear(const words::ShotMoved& moved, FrontOut& out) {
  core::ShownShot* flying = shots_.find(moved.shooter(), moved.shot());
  if (flying == nullptr) return out.lose(loss::kShotUnseen);
  flying->follow(moved, out.now());
  ShotUpdate update;
  update.shooter = flying->player;
  update.shot = static_cast<std::uint8_t>(flying->number);
  update.position = triple(moved.x(), moved.y(), moved.z());
  update.velocity = triple(moved.vx(), moved.vy(), moved.vz());
  update.time = thousandths(core::seconds(flying->began, out.now()));
  update.target = cast_.number_of(moved.target(), kServer);
  client_.send(out, update);
}

void Shots::hear(const words::ShotEnded& ended, FrontOut& out) {
  core::ShownShot* flying = shots_.find(ended.shooter(), ended.shot());
  if (flying == nullptr || std::exchange(flying->ended, true)) return;
  client_.send(out, ShotEnd{flying->player, static_cast<std::uint8_t>(flying->number), std::uint8_t{ended.burst()}});
}

void Shots::spare_own_tank(FrontOut& out) {
  if (cast_.own_unit() == 0 || !cast_.own().alive) return;
  for (const core::ShownShot& shot : shots_.spare(keeper_.place(out.now()), kNumber, out))
    client_.send(out, ShotEnd{shot.player, static_cast<std::uint8_t>(shot.number), 0});
}

}  // namespace entente::bzdraft
