#include "adapters/bzflag/back/fights.h"

#include <cmath>
#include <utility>

#include "adapters/bzflag/wire/drops.h"
#include "proxy/core/seconds.h"

namespace entente::bzflag {
namespace {

constexpr std::uint16_t kNoTeamKills = 0x400;  // of the options

}  // namespace

void Fights::hear(const Alive& alive, BackOut& out) {
  const std::uint8_t number = alive.player.byte;
  words::Pose pose;
  pose.set_x(alive.pos[0]);
  pose.set_y(alive.pos[1]);
  pose.set_z(alive.pos[2]);
  pose.set_yaw(alive.azimuth);
  if (server_players_.spawn(number, pose, out) == nullptr || number != state_.number) return;
  tank_.begin_life(pose, out);
}

void Fights::hear(const Killed& killed, BackOut& out) {
  words::Died died;
  died.set_killer(server_players_.id_of(killed.killer.byte));
  if (killed.death.shot != kNoShot) died.set_shot(number_in_room(killed.killer.byte, killed.death.shot).value_or(0));
  died.set_why(cause_of(killed.death.reason));
  if (!die(killed.victim.byte, died, out)) return;
  count(killed, out);
  const core::TankServerPlayer* victim = server_players_.find(killed.victim.byte);
  const core::TankServerPlayer* me = server_players_.own();
  const bool genocide = effect_of(code_of(killed.death.flag)).victim == FlagEffect::Victim::kDiesWithTeam &&
                        killed.death.reason == 1 && state_.room.teams();
  if (genocide && tank_.alive && me != nullptr && me->team == victim->team && me->team != 0)
    blow_up(died.killer(), out);
}

/// False: there is no such tank, or it is dead already.
bool Fights::die(std::uint8_t number, words::Died died, BackOut& out) {
  const double respawn = tank_rules_.variables["_explodeTime"];
  died.set_respawn_s(respawn);
  if (server_players_.die(number, std::move(died), out) == nullptr) return false;
  if (number == state_.number) tank_.end(out.now() + core::sane_micros(respawn));
  return true;
}

void Fights::die_with_flag(const words::TokenCaptured& captured, BackOut& out) {
  words::Died died;
  died.set_killer(captured.by());
  died.set_why(words::BY_CAPTURE);
  died.set_synthesised(true);
  for (const auto& [number, one] : server_players_)
    if (one.alive && one.player.team() == captured.team()) die(number, died, out);
}

void Fights::hear(const TimeLeft& left, BackOut& out) {
  if (left.long_seconds == 0) end_game(out);
}

void Fights::end_game(BackOut& out) {
  if (!link_.dialect().deadly_end) return;
  words::Died died;
  died.set_why(words::BY_SERVER);
  died.set_synthesised(true);
  for (const auto& [number, one] : server_players_)
    if (one.alive) die(number, died, out);
}

/// Our tank dies with its team. The server expects each client to report this for its own tank.
void Fights::blow_up(core::Id killer, BackOut& out) {
  if (state_.client_decides()) return;  // our client reports its own deaths
  words::DeathClaim claim;
  claim.set_killer(killer);
  claim.set_why(words::BY_GENOCIDE);
  hear(claim, out);
}

/// Ignores updates of dead tanks: where the wreck flies does not matter.
template <class Update>
void Fights::moved(const Update& update, BackOut& out) {
  if ((update.status & kAlive) != 0) server_players_.move(update.player.byte, pose_of(update), out);
}

void Fights::hear(const PlayerUpdate& update, BackOut& out) { moved(update, out); }

void Fights::hear(const PlayerUpdateSmall& update, BackOut& out) { moved(update, out); }

void Fights::hear(const Teleport& teleport, BackOut& out) {
  server_players_.teleport(teleport.player.byte, teleport.from, teleport.to, out);
}

void Fights::hear(const ShotBegin& begin, BackOut& out) {
  if (begin.player.byte == state_.number) tank_.claims.answered(core::Claim::kFire);
  if (begin.player.byte == state_.number && code_of(begin.flag) == "GM") --end_credit_;
  words::Shot shot;
  server_players_.set_shooter(begin.player.byte, shot);
  shot.set_shot(begin.shot);
  shot.set_weapon(weapon_of(begin.flag));
  const Variables& variables = tank_rules_.variables;
  const FlagEffect& effect = effect_of(code_of(begin.flag));
  shot.set_range(variables["_shotRange"]);
  fly_in_words(begin, effect, variables, tank_rules_.size, shot);
  shot.set_team(team_of(begin.team));
  const core::ShotNature nature = nature_of(effect, variables, state_.room.ricochet(), shot.range());
  if (effect.kind == words::RAY) {  // others see its way to the first wall
    const auto wall = tank_.terrain.strike({shot.x(), shot.y(), shot.z()}, {shot.vx(), shot.vy(), shot.vz()},
                                           shot.range(), nature.through);
    if (wall) shot.set_range(wall->after);
  }
  tell_shot(begin.player.byte, shot, out);
  if (server_players_.own() == nullptr) return;
  const bool harmless = effect.victim == FlagEffect::Victim::kIfZoned ||
                        (effect.victim != FlagEffect::Victim::kLosesFlag && spares(begin.team, out));
  watch(begin.player.byte, shot, shot.weapon(), nature, core::sane_life(shot.life()), harmless, out);
}

/// Whether a player of this team cannot hurt ours.
bool Fights::spares(std::int16_t of, const BackOut& out) const {
  const auto options = static_cast<unsigned>(out.world().rule("BZFLAG.options", 0));
  const core::TankServerPlayer* me = server_players_.own();
  return (options & kNoTeamKills) != 0 && me != nullptr && me->team != 0 && me->team == of;
}

void Fights::hear(const ShotEnd& end, BackOut& out) {
  words::ShotEnded ended;
  ended.set_shooter(server_players_.id_of(end.player.byte));
  ended.set_shot(end.shot);
  ended.set_burst(end.reason == 0);
  tell_shot(end.player.byte, ended, out);
  incoming_.mark_harmless(end.player.byte, end.shot);
}

void Fights::hear(const GuidedUpdate& update, BackOut& out) {
  words::ShotMoved moved;
  moved.set_shooter(server_players_.id_of(update.player.byte));
  moved.set_shot(update.shot);
  moved.set_target(server_players_.id_of(update.target.byte));
  core::set_way(update.pos, update.vel, moved);
  tell_shot(update.player.byte, moved, out);
  steer(update.player.byte, moved, out);
}

// -- What our player does ---------------------------------------------------------------------------------------------

void Fights::hear(const words::TeleportClaim& claim, BackOut& out) {
  if (!tank_.may_act()) return;
  link_.stream(out, TeleportReport{static_cast<std::uint16_t>(claim.from()), static_cast<std::uint16_t>(claim.to())});
}

/// Sent once per life: a second claim is ignored, because the tank is already dead.
void Fights::hear(const words::DeathClaim& claim, BackOut& out) {
  if (!state_.in() || !tank_.alive) return;
  KilledReport report;
  report.killer = player_id(server_players_.number_of(claim.killer(), claim.killer() == 0 ? kServerId : state_.number));
  report.death.reason = death_reason(claim.why());
  const bool shot_down = claim.shot() != 0 || claim.why() == words::BY_SHOT;
  const auto number = number_on_server(report.killer.byte, claim.shot());
  const auto* shot = shot_down && number ? incoming_.find(report.killer.byte, *number) : nullptr;
  if (shot != nullptr) report.death.flag = flag_kind(shot->flag);
  // In words, 0 is no shot; on the wire, it is also the first shot of the first gun.
  report.death.shot = claim.shot() != 0 || shot != nullptr ? number.value_or(kNoShot) : kNoShot;
  report_death(report, out);
  words::Died died;
  died.set_killer(claim.killer());
  died.set_shot(claim.shot());
  died.set_why(claim.why());
  claim_death(std::move(died), out);
}

/// bzfs refuses a report about a shot that it does not know, but not a self-destruction.
void Fights::tell_dead(BackOut& out) {
  KilledReport report;
  report.killer = player_id(state_.number);
  report.death.reason = death_reason(words::BY_ITSELF);
  report.death.shot = kNoShot;
  report_death(report, out);
}

// -- How many shots may end -------------------------------------------------------------------------------------------
// bzfs counts the MsgShotEnd of a player, its own shots' too, and kicks above a limit. What explains an end lowers the
// count, also below 0: a death, a guided missile that it fires, or a shield that it drops after an end. A new life does
// not change the count (endShotCredit in bzfs.cxx, from v2.0.2 to v2.4.26).

/// False: one more could bring us above the limit. Keeps one in reserve, because bzfs may see our flag change later.
bool Fights::end_shot(const ShotEnd& end, BackOut& out) {
  const float limit = tank_rules_.variables["_endShotDetection"];
  if (limit >= 1 && static_cast<float>(end_credit_) >= limit - 1) return false;
  ++end_credit_;
  shield_ended_ |= tokens_.carried() == "SH";
  link_.quick(out, end);
  return true;
}

/// bzfs ignores a report about a shot that no gun can fire.
void Fights::report_death(const KilledReport& report, BackOut& out) {
  const bool any = report.killer.byte == kServerId || report.death.shot == kNoShot;
  if (any || (report.death.shot & 0xffU) < state_.room.most_shots()) --end_credit_;
  link_.stream(out, report);
}

void Fights::shield_dropped() { end_credit_ -= std::exchange(shield_ended_, false) ? 1 : 0; }

// -- What hits our tank -----------------------------------------------------------------------------------------------

/// Shots of a tank that pauses do not count, and a cloaked tank cannot be hit by a laser (LocalPlayer::checkHit at
/// v2.4.26).
bool Fights::counts(const core::Incoming& shot, const BackOut&) const {
  const core::TankServerPlayer* shooter = server_players_.find(static_cast<std::uint8_t>(shot.shooter));
  if (shooter != nullptr && (shooter->player.badges() & static_cast<std::uint32_t>(words::PAUSED)) != 0) return false;
  const std::string code = code_of(flag_kind(shot.flag)), mine = tokens_.carried();
  if (effect_of(code).victim == FlagEffect::Victim::kLosesFlag) return !shot.own && !mine.empty();
  return code != "L" || mine != "CL";
}

/// The victim reports a hit: first the end of the shot, if the hit stops it, then what it did.
std::optional<words::Died> Fights::tell_hit(const core::Incoming& shot, BackOut& out) {
  const auto number = static_cast<std::uint16_t>(shot.shot);
  const FlagEffect& effect = effect_of(code_of(flag_kind(shot.flag)));
  KilledReport report;
  report.killer = player_id(static_cast<std::uint8_t>(shot.shooter));
  report.death.reason = death_reason(words::BY_SHOT);
  report.death.shot = number;
  report.death.flag = flag_kind(shot.flag);
  if (!effect.goes_on) end_shot({report.killer, number, 1}, out);
  words::Died died;
  died.set_killer(server_players_.id_of(report.killer.byte));
  died.set_shot(number_in_room(report.killer.byte, number).value_or(0));
  died.set_why(words::BY_SHOT);
  incoming_.mark_harmless(shot.shooter, shot.shot);
  if (effect.victim == FlagEffect::Victim::kLosesFlag)
    return link_.stream(out, TransferFlagReport{state_.number, report.killer.byte}), std::nullopt;
  const bool shielded = tokens_.carried() == "SH";
  drop_flag(out);
  if (shielded) return std::nullopt;
  report_death(report, out);
  return died;
}

void Fights::drop_flag(BackOut& out) {
  if (!tokens_.carried().empty())
    link_.stream(out, DropFlagRequest{vec3(tank_.pose.x(), tank_.pose.y(), tank_.pose.z())});
}

void Fights::look_around(const core::DrivenTank::TimeStep& step, BackOut& out) {
  guide_shots(step.dt, out);
  const core::TankServerPlayer* by = roller(out);
  if (by == nullptr) return;
  drop_flag(out);
  words::DeathClaim claim;
  claim.set_killer(by->player.id());
  claim.set_why(words::BY_TOUCH);
  hear(claim, out);
}

/// The player whose tank rolls over ours: one with a steamroller, or anybody if ours has burrowed. Distances upwards
/// count twice (checkEnvironment in playing.cxx at v2.4.26).
const core::TankServerPlayer* Fights::roller(BackOut& out) const {
  const Variables& variables = tank_rules_.variables;
  const bool burrowed = tank_.pose.z() < 0;
  const double reach = tank_.model().length / variables["_tankLength"] + variables["_srRadiusMult"];
  for (const auto& [number, one] : server_players_) {
    const core::UnitState* unit = out.world().unit(one.unit);
    const bool there = one.alive && number != state_.number && unit != nullptr;
    if (!there || (one.player.badges() & static_cast<std::uint32_t>(words::PAUSED)) != 0) continue;
    const words::Pose pose = core::place_at(unit->unit.pose(), unit->posed_at, out.now());
    const double far =
        std::hypot(pose.x() - tank_.pose.x(), pose.y() - tank_.pose.y(), 2 * (pose.z() - tank_.pose.z()));
    if (pose.z() < 0 || !(far < reach * variables["_tankRadius"]) || spares(one.team, out)) continue;
    if (burrowed || effect_of(tokens_.carried_by(one.player.id())).rolls) return &one;
  }
  return nullptr;
}

/// A missile that follows a player turns without a word, so others are told its course. It loses a tank that is dead or
/// has stealth.
void Fights::guide_shots(double dt, BackOut& out) {
  const double muzzle = tank_rules_.variables["_muzzleHeight"];
  const auto where = [&](core::Id player) -> std::optional<std::array<double, 3>> {
    const core::TankServerPlayer* one = server_players_.find(server_players_.number_of(player, kNobody));
    const core::UnitState* unit = one != nullptr ? out.world().unit(one->unit) : nullptr;
    if (unit == nullptr || !one->alive || tokens_.carried_by(player) == "ST") return std::nullopt;
    const words::Pose pose = core::place_at(unit->unit.pose(), unit->posed_at, out.now());
    return std::array<double, 3>{pose.x(), pose.y(), pose.z() + muzzle};
  };
  incoming_.guide(state_.me, out.now(), dt, where, [&](const core::Incoming& shot) {
    const auto shooter = static_cast<std::uint8_t>(shot.shooter);
    words::ShotMoved moved;
    moved.set_shooter(server_players_.id_of(shooter));
    moved.set_shot(shot.shot);
    moved.set_target(shot.target);
    core::set_way(shot.at, shot.velocity, moved);
    tell_shot(shooter, moved, out);
  });
}

void Fights::hear(const words::ShotEndClaim& claim, BackOut& out) {
  if (!tank_.may_act()) return;
  const std::uint8_t shooter = server_players_.number_of(claim.shooter(), kNobody);
  if (shooter == kNobody) return out.drop(drops::kShotOfNobody);
  const auto number = number_for(shooter, claim, out);
  if (!number) return;
  ShotEnd end;
  end.player = player_id(shooter);
  end.shot = *number;
  end.reason = claim.burst() ? 0 : 1;
  if (!end_shot(end, out)) out.drop(drops::kEndsFull);
}

void Fights::hear(const words::ShotMoveClaim& claim, BackOut& out) {
  if (!tank_.may_act()) return;
  const auto number = number_for(state_.number, claim, out);
  if (!number) return;
  GuidedUpdate update;
  update.player = player_id(state_.number);
  update.shot = *number;
  update.pos = vec3(claim.x(), claim.y(), claim.z());
  update.vel = vec3(claim.vx(), claim.vy(), claim.vz());
  update.team = server_players_.own()->team;
  update.target = player_id(server_players_.number_of(claim.target(), kNobody));
  link_.quick(out, update);
}

// -- The score --------------------------------------------------------------------------------------------------------

void Fights::hear(const words::ScoreClaim& claim, BackOut& out) {
  if (!link_.dialect().client_scores) return out.drop(drops::kServerCounts);
  client_counts_ = true;
  score_.wins = static_cast<std::uint16_t>(std::min(claim.wins(), 65535U));
  score_.losses = static_cast<std::uint16_t>(std::min(claim.losses(), 65535U));
  link_.stream(out, score_);
}

/// Counts the score for a client that does not count it itself.
void Fights::count(const Killed& killed, BackOut& out) {
  if (!link_.dialect().client_scores || client_counts_) return;
  const bool died = killed.victim.byte == state_.number, killed_one = !died && killed.killer.byte == state_.number;
  if (died) ++score_.losses;
  if (killed_one) ++score_.wins;
  if (died || killed_one) link_.stream(out, score_);
}

}  // namespace entente::bzflag
