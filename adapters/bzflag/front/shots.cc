#include <cmath>

#include "adapters/bzflag/front/shots.h"
#include "adapters/bzflag/wire/drops.h"
#include "adapters/bzflag/wire/flag_effects.h"
#include "proxy/core/seconds.h"

namespace entente::bzflag {
namespace {

constexpr double kMuzzleHeight = 1.57;

}  // namespace

// -- What our client does ---------------------------------------------------------------------------------------------

/// The weapon of our client's shot. The client may know the flag that it carries only by another flag's letters.
std::uint32_t Shots::fired_with(const FlagKind& flag, const FrontOut& out) const {
  for (const auto& [id, token] : out.world().tokens())
    if (token.carrier() == out.me() && token.state() == words::Token::CARRIED &&
        client_.translator().echo(code_for(token)) == flag.letters.view())
      return weapon_of(flag_kind(code_for(token)));
  return weapon_of(flag);
}

void Shots::hear(const ShotBegin& begin, FrontOut& out) {
  if (!client_.in() || !players_.own().alive) return;
  words::Fire fire;
  fire.set_unit(players_.own_unit());
  fire.set_shot(begin.shot);
  fire.set_weapon(fired_with(begin.flag, out));
  draw_own(begin.shot, fire.weapon(), begin.life, out);
  fire.set_range(std::hypot(begin.vel[0], begin.vel[1]) * core::sane_life(begin.life));
  const Variables& variables = rules_.variables();
  fly_in_words(begin, effect_of(code_of(flag_kind(fire.weapon()))), variables, variables["_worldSize"], fire);
  fire.set_z(fire.z() + out.world().ground_at(fire.x(), fire.y()));
  out.say(fire);
}

void Shots::hear(const ShotEnd& end, FrontOut& out) {
  if (!client_.in()) return;
  words::ShotEndClaim claim;
  claim.set_shooter(players_.player_of(end.player.byte));
  const core::ShownShot* shot = shots_.numbered(end.player.byte, end.shot);
  claim.set_shot(shot != nullptr ? shot->shot : end.shot);
  claim.set_burst(end.reason == 0);
  out.say(claim);
}

void Shots::hear(const GuidedUpdate& update, FrontOut& out) {
  if (!client_.in()) return;
  words::ShotMoveClaim claim;
  claim.set_shot(update.shot);
  claim.set_target(players_.player_of(update.target.byte));
  core::set_way(update.pos, update.vel, claim);
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

/// The wished number if a client can hold it, else a free slot of that player: numbers beyond the settings corrupt a
/// client. If a gun fires faster than its shots end, the oldest one ends.
std::optional<std::uint16_t> Shots::number_for(std::uint8_t player, std::uint32_t wished, FrontOut& out) {
  if (core::victim_decides(out.world()) && wished <= 0x7fff && (wished & 0xffU) < lobby_.most_shots())
    return static_cast<std::uint16_t>(wished);
  std::uint8_t first = 0;  // for the world's guns
  std::uint8_t& salt = player == kServerId ? first : players_.at(player).salt;
  const auto numbered = [&salt](std::uint32_t slot) {
    salt = static_cast<std::uint8_t>((salt + 1) & 0x7f);
    return static_cast<std::uint16_t>(std::uint32_t{salt} << 8U | slot);
  };
  for (std::uint32_t slot = 0; slot < lobby_.most_shots(); ++slot)
    if (!shots_.busy(player, slot, out.now())) return numbered(slot);
  core::ShownShot* oldest = core::victim_decides(out.world()) ? nullptr : shots_.oldest(player);
  if (oldest == nullptr) return std::nullopt;
  oldest->ended = true;
  end(*oldest, false, out);
  return numbered(oldest->number & 0xffU);
}

void Shots::add_details(core::ShownShot& shown, const words::Shot& shot) {
  shown.weapon = weapon_of(shot);
  if (shot.z() == 0 && shown.decided) shown.at[2] = kMuzzleHeight;
}

void Shots::begin(const core::ShownShot& shown, const words::Shot& shot, FrontOut& out) {
  ShotBegin begin;
  begin.sent = client_.clock(out);
  begin.player = player_id(shown.player);
  begin.shot = shown.number;
  begin.pos = vec3(shown.at[0], shown.at[1], shown.at[2]);
  begin.vel = vec3(shown.velocity[0], shown.velocity[1], shown.velocity[2]);
  begin.team = shown.player == kServerId ? wire_team(shot.team(), 0) : players_.at(shown.player).team;
  begin.flag = flag_kind(shown.weapon);
  begin.life = to_float(shown.life);
  if (const FlagEffect& effect = effect_of(code_of(begin.flag)); effect.shot_life != nullptr)
    fly_on_wire(shot, effect, rules_.variables(), begin);
  client_.quick(out, begin);
}

void Shots::end(const core::ShownShot& shown, bool burst, FrontOut& out) {
  client_.quick(out, ShotEnd{player_id(shown.player), shown.number, static_cast<std::uint16_t>(burst ? 0 : 1)});
}

void Shots::hear(const words::ShotMoved& moved, FrontOut& out) {
  const std::uint8_t player = players_.number_of(moved.shooter(), kNobody);
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
  update.team = players_.at(player).team;
  update.target = player_id(players_.number_of(moved.target(), kNobody));
  client_.quick(out, update);
}

}  // namespace entente::bzflag
