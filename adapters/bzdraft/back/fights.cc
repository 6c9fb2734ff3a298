#include "adapters/bzdraft/back/fights.h"

#include <cmath>

#include "adapters/bzdraft/wire/drops.h"
#include "proxy/core/seconds.h"

namespace entente::bzdraft {
namespace {

constexpr double kRespawn = 5;  // seconds: the draft's ExplodeTime, as BZFlag has it

/// Whether a shot flies on after it has killed a tank.
bool goes_on(std::uint8_t flag) { return flag_code(flag) == "L" || flag_code(flag) == "SW"; }

std::uint8_t byte(std::uint32_t number) { return static_cast<std::uint8_t>(number); }

}  // namespace

/// The tank's direction arrives with its first update.
void Fights::hear(const AliveDown& alive, BackOut& out) {
  words::Pose pose;
  pose.set_x(from_thousandths(alive.position[0]));
  pose.set_y(from_thousandths(alive.position[1]));
  pose.set_z(from_thousandths(alive.position[2]));
  if (server_players_.spawn(alive.player, pose, out) && alive.player == state_.number) tank_.begin_life(pose, out);
}

/// A death also ends the shot that caused it; the server sends no MsgShotEnd for it.
void Fights::hear(const Killed& killed, BackOut& out) {
  words::Died died;
  died.set_killer(server_players_.id_of(killed.killer));
  died.set_why(killed.killer == killed.victim ? words::BY_ITSELF
               : killed.killer == kServer     ? words::BY_SERVER
                                              : words::BY_SHOT);
  died.set_shot(number_in_room(killed.killer, killed.shot).value_or(0));
  const bool flying = incoming_.find(killed.killer, killed.shot) != nullptr;
  if (flying && !goes_on(killed.flag)) hear(ShotEnd{killed.killer, killed.shot, 0}, out);
  die(killed.victim, std::move(died), out);
}

void Fights::die(std::uint8_t number, words::Died died, BackOut& out) {
  died.set_respawn_s(kRespawn);
  if (server_players_.die(number, std::move(died), out) && number == state_.number)
    tank_.end(out.now() + core::micros(kRespawn));
}

/// Ignores updates of dead tanks: where the wreck flies does not matter.
void Fights::hear(const PlayerUpdate& update, BackOut& out) {
  if ((update.status & kAlive) != 0) server_players_.move(update.player, pose_of(update), out);
}

void Fights::hear(const Teleport& teleport, BackOut& out) {
  server_players_.teleport(teleport.player, teleport.from, teleport.to, out);
}

void Fights::hear(const ShotBegin& begin, BackOut& out) {
  words::Shot shot;
  const core::TankServerPlayer* one = server_players_.set_shooter(begin.shooter, shot);
  shot.set_shot(begin.shot);
  shot.set_weapon(weapon_of(begin.flag));
  shot.set_kind(shot_kind(begin.flag));
  core::set_way(from_thousandths(begin.position), from_thousandths(begin.velocity), shot);
  shot.set_life(core::sane_life(from_thousandths(begin.lifetime) - from_thousandths(begin.time)));
  shot.set_range(std::hypot(shot.vx(), shot.vy()) * shot.life());
  const core::ShotNature nature = shot_nature(begin.flag);
  if (nature.kind == words::WAVE) {
    core::set_way(from_thousandths(begin.position), std::array<double, 3>{}, shot);
    shot.set_radius(nature.radius);
    shot.set_range(nature.range);
  }
  if (one != nullptr) shot.set_team(one->player.team());
  tell_shot(begin.shooter, shot, out);
  const double life =
      std::clamp(from_thousandths(begin.lifetime), 0.0, 60.0) - std::clamp(from_thousandths(begin.time), 0.0, 60.0);
  const bool harmless = begin.shooter == state_.number || flag_code(begin.flag) == "PZ";
  watch(begin.shooter, shot, begin.flag, nature, std::max(0.0, life), harmless, out);
}

void Fights::hear(const ShotEnd& end, BackOut& out) {
  words::ShotEnded ended;
  ended.set_shooter(server_players_.id_of(end.shooter));
  ended.set_shot(end.shot);
  ended.set_burst(end.reason != 0);
  tell_shot(end.shooter, ended, out);
  incoming_.forget(end.shooter, end.shot);
}

void Fights::hear(const ShotUpdate& update, BackOut& out) {
  words::ShotMoved moved;
  moved.set_shooter(server_players_.id_of(update.shooter));
  moved.set_shot(update.shot);
  moved.set_target(server_players_.id_of(update.target));
  core::set_way(from_thousandths(update.position), from_thousandths(update.velocity), moved);
  tell_shot(update.shooter, moved, out);
  steer(update.shooter, moved, out);
}

// -- What our player does ---------------------------------------------------------------------------------------------

void Fights::hear(const words::TeleportClaim& claim, BackOut& out) {
  if (tank_.may_act())
    link_.send(out, Teleport{state_.number, to_u16(claim.from()), to_u16(claim.to())}, kTeleportCode);
}

/// Sent once per life. The server fills in our number.
void Fights::hear(const words::DeathClaim& claim, BackOut& out) {
  if (!tank_.may_act()) return;
  const bool by_server = claim.killer() == 0 && claim.why() != words::BY_ITSELF;
  Killed killed;
  killed.victim = state_.number;
  killed.killer = server_players_.number_of(claim.killer(), by_server ? kServer : state_.number);
  const auto number = number_on_server(killed.killer, claim.shot());
  const bool fits = number && *number <= UINT8_MAX;
  killed.shot = fits ? byte(*number) : std::uint8_t{0};
  const bool shot_down = claim.shot() != 0 || claim.why() == words::BY_SHOT;
  const auto* shot = shot_down && fits ? incoming_.find(killed.killer, killed.shot) : nullptr;
  if (shot != nullptr) killed.flag = byte(shot->flag);
  link_.send(out, killed);
  words::Died died;
  died.set_killer(claim.killer());
  died.set_shot(claim.shot());
  died.set_why(claim.why());
  claim_death(std::move(died), out);
}

void Fights::tell_dead(BackOut& out) { link_.send(out, Killed{state_.number, state_.number, 0, 0}); }

/// MsgKilled also ends the shot, so no MsgShotEnd is sent.
std::optional<words::Died> Fights::tell_hit(const core::Incoming& shot, BackOut& out) {
  link_.send(out, Killed{state_.number, byte(shot.shooter), byte(shot.flag), byte(shot.shot)});
  words::Died died;
  died.set_killer(server_players_.id_of(byte(shot.shooter)));
  died.set_shot(number_in_room(byte(shot.shooter), byte(shot.shot)).value_or(0));
  died.set_why(words::BY_SHOT);
  return died;
}

void Fights::hear(const words::ShotEndClaim& claim, BackOut& out) {
  if (!tank_.may_act()) return;
  const std::uint8_t shooter = server_players_.number_of(claim.shooter(), kInvalid);
  if (shooter == kInvalid) return out.drop(drops::kShotOfNobody);
  if (shooter != state_.number) return out.drop(drops::kShotOfAnother);
  const auto number = number_for(shooter, claim, out, UINT8_MAX);
  if (!number) return;
  link_.send(out, ShotEnd{shooter, byte(*number), std::uint8_t{claim.burst()}});
}

void Fights::hear(const words::ShotMoveClaim& claim, BackOut& out) {
  if (!tank_.may_act()) return;
  const auto number = number_for(state_.number, claim, out, UINT8_MAX);
  if (!number) return;
  ShotUpdate update;
  update.shooter = state_.number;
  update.shot = byte(*number);
  update.position = triple(claim.x(), claim.y(), claim.z());
  update.velocity = triple(claim.vx(), claim.vy(), claim.vz());
  update.target = server_players_.number_of(claim.target(), kServer);
  link_.send(out, update);
}

}  // namespace entente::bzdraft
