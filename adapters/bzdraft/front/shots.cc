#include <cmath>

#include "adapters/bzdraft/front/shots.h"
#include "adapters/bzdraft/wire/drops.h"
#include "proxy/core/seconds.h"

namespace entente::bzdraft {
namespace {

constexpr double kMuzzleHeight = 1.57;

}  // namespace

// -- What our client does ---------------------------------------------------------------------------------------------

void Shots::hear(const ShotBegin& begin, FrontOut& out) {
  if (!client_.in() || !players_.own().alive) return;
  draw_own(begin.shot, begin.flag, from_thousandths(begin.lifetime), out);
  words::Fire fire;
  fire.set_unit(players_.own_unit());
  fire.set_shot(begin.shot);
  fire.set_weapon(weapon_of(begin.flag));
  fire.set_kind(shot_kind(begin.flag));
  core::set_way(from_thousandths(begin.position), from_thousandths(begin.velocity), fire);
  if (fire.kind() == words::WAVE) core::set_way(from_thousandths(begin.position), std::array<double, 3>{}, fire);
  fire.set_z(fire.z() + out.world().ground_at(fire.x(), fire.y()));
  fire.set_life(core::sane_life(from_thousandths(begin.lifetime)));
  fire.set_range(fire.kind() == words::WAVE ? kWaveEnds : std::hypot(fire.vx(), fire.vy()) * fire.life());
  out.say(fire);
}

/// Our client reports the end of its own shot, or of one that has hit its tank.
void Shots::hear(const ShotEnd& end, FrontOut& out) {
  if (!client_.in()) return;
  words::ShotEndClaim claim;
  const std::uint8_t shooter = end.shooter == kServer ? kNumber : end.shooter;
  claim.set_shooter(players_.player_of(shooter));
  const core::ShownShot* shot = shots_.numbered(shooter, end.shot);
  claim.set_shot(shot != nullptr ? shot->shot : end.shot);
  claim.set_burst(end.reason != 0);
  out.say(claim);
}

void Shots::hear(const ShotUpdate& update, FrontOut& out) {
  if (!client_.in()) return;
  words::ShotMoveClaim claim;
  claim.set_shot(update.shot);
  claim.set_target(players_.player_of(update.target));
  core::set_way(from_thousandths(update.position), from_thousandths(update.velocity), claim);
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

/// The wished number if it fits, else a free one of that player.
std::optional<std::uint16_t> Shots::number_for(std::uint8_t player, std::uint32_t wished, FrontOut& out) {
  const std::uint32_t most = std::min<std::uint32_t>(world_sender_.most_shots(), 256);
  const auto busy = [&](std::uint32_t number) { return shots_.busy(player, number, out.now()); };
  if (wished < most && !busy(wished)) return static_cast<std::uint16_t>(wished);
  for (std::uint32_t number = 0; number < most; ++number)
    if (!busy(number)) return static_cast<std::uint16_t>(number);
  return std::nullopt;
}

void Shots::add_details(core::ShownShot& shown, const words::Shot& shot) {
  const bool ray = shot.kind() == words::RAY || shot.kind() == words::MELEE;
  shown.weapon = flag_of(shot);
  if (ray && shot.z() == 0) shown.at[2] = kMuzzleHeight;
}

void Shots::begin(const core::ShownShot& shown, const words::Shot& shot, FrontOut& out) {
  ShotBegin begin;
  begin.shooter = shown.player;
  begin.shot = static_cast<std::uint8_t>(shown.number);
  begin.position = triple(shown.at[0], shown.at[1], shown.at[2]);
  begin.velocity = triple(shown.velocity[0], shown.velocity[1], shown.velocity[2]);
  begin.lifetime = thousandths(shown.life);
  begin.flag = flag_of(shot);
  client_.send(out, begin);
}

void Shots::end(const core::ShownShot& shown, bool burst, FrontOut& out) {
  client_.send(out, ShotEnd{shown.player, static_cast<std::uint8_t>(shown.number), std::uint8_t{burst}});
}

void Shots::hear(const words::ShotMoved& moved, FrontOut& out) {
  core::ShownShot* flying = shots_.find(moved.shooter(), moved.shot());
  if (flying == nullptr) return out.drop(drops::kShotUnseen);
  flying->follow(moved, out.now());
  ShotUpdate update;
  update.shooter = flying->player;
  update.shot = static_cast<std::uint8_t>(flying->number);
  update.position = triple(moved.x(), moved.y(), moved.z());
  update.velocity = triple(moved.vx(), moved.vy(), moved.vz());
  update.time = thousandths(core::seconds(flying->began, out.now()));
  update.target = players_.number_of(moved.target(), kServer);
  client_.send(out, update);
}

}  // namespace entente::bzdraft
