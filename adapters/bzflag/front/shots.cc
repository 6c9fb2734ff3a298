#include <cmath>

#include "adapters/bzflag/front/shots.h"
#include "adapters/bzflag/losses.h"
#include "proxy/core/seconds.h"

namespace entente::bzflag {
namespace {

constexpr double kMuzzleHeight = 1.57;

}  // namespace

// -- What our client does ---------------------------------------------------------------------------------------------

/// The flag that our client carries may be one that it knows only by the name of another.
std::uint32_t Shots::fired_with(const FlagKind& flag, const FrontOut& out) const {
  for (const auto& [id, token] : out.world().tokens())
    if (token.carrier() == out.me() && token.state() == words::Token::CARRIED &&
        client_.idiom().echo(code_for(token)) == flag.letters.view())
      return weapon_of(flag_kind(code_for(token)));
  return weapon_of(flag);
}

void Shots::hear(const ShotBegin& begin, FrontOut& out) {
  if (!client_.in() || begin.player.byte != client_.number() || !cast_.own().alive) return;
  last_shot_ = begin.shot;
  keep_own(begin, out);
  words::Fire fire;
  fire.set_unit(cast_.own_unit());
  fire.set_shot(begin.shot);
  fire.set_weapon(fired_with(begin.flag, out));
  fire.set_kind(shot_kind(fire.weapon()));
  core::set_way(begin.pos, begin.vel, fire);
  fire.set_z(fire.z() + out.world().ground_at(fire.x(), fire.y()));
  fire.set_life(begin.life);
  fire.set_range(std::hypot(begin.vel[0], begin.vel[1]) * begin.life);
  out.say(fire);
}

/// Our client's own, so that it can be told of its end.
void Shots::keep_own(const ShotBegin& begin, const FrontOut& out) {
  shots_.forget_old(out.now());
  shots_.remove(client_.number(), begin.shot);
  if (shots_.full()) return;
  core::ShownShot flying;
  flying.shooter = out.me();
  flying.shot = flying.number = begin.shot;
  flying.player = client_.number();
  flying.since = out.now();
  flying.until = out.now() + core::sane_micros(begin.life);
  shots_.add(flying);
}

void Shots::hear(const ShotEnd& end, FrontOut& out) {
  if (!client_.in()) return;
  words::ShotEndClaim claim;
  claim.set_shooter(cast_.player_of(end.player.byte));
  const core::ShownShot* shot = shots_.numbered(end.player.byte, end.shot);
  claim.set_shot(shot != nullptr ? shot->shot : end.shot);
  claim.set_burst(end.reason == 0);
  out.say(claim);
}

void Shots::hear(const GuidedUpdate& update, FrontOut& out) {
  if (!client_.in() || update.player.byte != client_.number()) return;
  words::ShotMoveClaim claim;
  claim.set_shot(update.shot);
  claim.set_target(cast_.player_of(update.target.byte));
  core::set_way(update.pos, update.vel, claim);
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

/// As wished if a client can hold it, else a free slot of that player: numbers beyond the settings corrupt a client.
/// Where a gun fires faster than its shots fly, the oldest of them ends.
std::optional<std::uint16_t> Shots::shot_number(Actor& actor, std::uint8_t player, std::uint32_t wished,
                                                FrontOut& out) {
  if (core::victim_decides(out.world()) && wished <= 0x7fff && (wished & 0xffU) < lobby_.most_shots())
    return static_cast<std::uint16_t>(wished);
  for (std::uint32_t slot = 0; slot < lobby_.most_shots(); ++slot) {
    if (shots_.busy(player, slot, out.now())) continue;
    actor.salt = static_cast<std::uint8_t>((actor.salt + 1) & 0x7f);
    return static_cast<std::uint16_t>(static_cast<std::uint32_t>(actor.salt) << 8U | slot);
  }
  core::ShownShot* oldest = core::victim_decides(out.world()) ? nullptr : shots_.oldest(player);
  if (oldest == nullptr) return std::nullopt;
  oldest->ended = true;
  client_.quick(out, ShotEnd{player_id(player), oldest->number, 1});
  actor.salt = static_cast<std::uint8_t>((actor.salt + 1) & 0x7f);
  return static_cast<std::uint16_t>(static_cast<std::uint32_t>(actor.salt) << 8U | (oldest->number & 0xffU));
}

void Shots::hear(const words::Shot& shot, FrontOut& out) {
  shots_.forget_old(out.now());
  const bool mine = shot.shooter() == out.me();
  if (mine && shot.shot() != last_shot_) return;  // it has drawn its own already
  const std::uint8_t* known = cast_.of(shot.unit(), shot.shooter());
  if (known == nullptr && shot.shooter() != 0) return out.lose(loss::kShooterUnseen);
  const std::uint8_t player = known != nullptr ? *known : kServerId;
  Actor guns;  // of the world
  Actor& actor = known != nullptr ? cast_.at(*known) : guns;
  const auto number =
      mine ? std::optional(static_cast<std::uint16_t>(shot.shot())) : shot_number(actor, player, shot.shot(), out);
  if (!number || shots_.full()) return out.lose(loss::kShotsFull);

  if (mine) shots_.remove(client_.number(), *number);  // told anew
  core::ShownShot flying = core::shown(shot, out.world(), out.now());
  flying.player = player;
  flying.number = *number;
  flying.weapon = weapon_of(shot);
  flying.at[2] -= out.world().ground_at(flying.at[0], flying.at[1]);
  if (shot.z() == 0 && flying.decided) flying.at[2] = kMuzzleHeight;
  shots_.add(flying);

  ShotBegin begin;
  begin.sent = client_.clock(out);
  begin.player = player_id(player);
  begin.shot = *number;
  begin.pos = vec3(flying.at[0], flying.at[1], flying.at[2]);
  begin.vel = vec3(flying.velocity[0], flying.velocity[1], flying.velocity[2]);
  begin.team = known != nullptr ? actor.team : wire_team(shot.team(), 0);
  begin.flag = flag_kind(flying.weapon);
  begin.life = to_float(flying.life);
  client_.quick(out, begin);
  spare_own_tank(out);
}

void Shots::hear(const words::ShotMoved& moved, FrontOut& out) {
  const std::uint8_t player = cast_.number_of(moved.shooter(), kNobody);
  if (player == kNobody) return;
  GuidedUpdate update;
  update.player = player_id(player);
  update.shot = static_cast<std::uint16_t>(moved.shot());
  if (core::ShownShot* flying = shots_.find(moved.shooter(), moved.shot())) {
    update.shot = flying->number;
    flying->follow(moved, out.now());
  }
  update.pos = vec3(moved.x(), moved.y(), moved.z());
  update.vel = vec3(moved.vx(), moved.vy(), moved.vz());
  update.team = cast_.at(player).team;
  update.target = player_id(cast_.number_of(moved.target(), kNobody));
  client_.quick(out, update);
}

void Shots::hear(const words::ShotEnded& ended, FrontOut& out) {
  core::ShownShot* flying = shots_.find(ended.shooter(), ended.shot());
  if (flying == nullptr || std::exchange(flying->ended, true)) return;
  ShotEnd end;
  end.player = player_id(flying->player);
  end.shot = flying->number;
  end.reason = ended.burst() ? 0 : 1;
  client_.quick(out, end);
}

void Shots::spare_own_tank(FrontOut& out) {
  if (cast_.own_unit() == 0 || !cast_.own().alive) return;
  for (const core::ShownShot& shot : shots_.spare(keeper_.place(out.now()), client_.number(), out))
    client_.quick(out, ShotEnd{player_id(shot.player), shot.number, 1});
}

}  // namespace entente::bzflag
