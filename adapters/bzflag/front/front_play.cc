// Where tanks are, and how they live and die, both ways. See front.h.
#include <limits>

#include "adapters/bzflag/front/front.h"
#include "proxy/core/bodies.h"
#include "proxy/core/chat.h"

namespace entente::bzflag {
namespace {

/// A stock client takes who says nothing for five seconds for gone.
constexpr core::Micros kSilence = 2 * core::kSecond;
constexpr core::Micros kNever = std::numeric_limits<core::Micros>::max();

/// After so long a tank that is in play already is put there for whoever asked to spawn.
constexpr core::Micros kUnanswered = 400 * core::kMillisecond;
/// After so long a death that nobody confirmed did not happen.
constexpr core::Micros kUnconfirmed = 400 * core::kMillisecond;
/// … where the server only passes on what the victim says.
constexpr core::Micros kUnconfirmedByOther = 5 * core::kSecond;

}  // namespace

// -- What our client does ---------------------------------------------------------------------------------------------

void FrontSession::on(const AliveRequest&, Outlet& out) {
  if (stage_ != Stage::kIn) return out.lose("MsgAlive", "not in yet");
  own_.spawn_asked = std::max<core::Micros>(out.now(), 1);
  out.say(words::Spawn());
  out.wake(out.now() + kUnanswered);
}

void FrontSession::on(const PlayerUpdate& update, Outlet& out) {
  claimed(update.player.byte, update.time, update.status, pose_of(update), out);
}
void FrontSession::on(const PlayerUpdateSmall& update, Outlet& out) {
  claimed(update.player.byte, update.time, update.status, pose_of(update), out);
}

void FrontSession::claimed(std::uint8_t player, float time, std::int16_t status, words::Pose pose, Outlet& out) {
  if (stage_ != Stage::kIn || player != number_) return out.lose("MsgPlayerUpdate", "of somebody else");
  if ((status & 0x380) != 0) out.lose("MsgPlayerUpdate.tail", "no word for what moves a tank besides itself");
  const auto order = static_cast<std::int32_t>(pose.seq());
  if (order <= static_cast<std::int32_t>(own_.order) || (status & kAlive) == 0 || !cast_.at(number_).alive)
    return;  // overtaken, or dead
  own_.order = pose.seq();
  pose.set_unit(own_unit());
  own_.tank.said(pose, out.now());
  words::PoseClaim claim = claim_of(pose);
  claim.set_z(claim.z() + out.world().ground_at(claim.x(), claim.y()));
  claim.set_sent_at(time);
  out.say(claim);
  check_leash(out);
}

void FrontSession::on(const KilledReport& report, Outlet& out) {
  if (stage_ != Stage::kIn || !cast_.at(number_).alive || own_.death_claimed != 0) return;
  own_.death_claimed = std::max<core::Micros>(out.now(), 1);
  const std::uint16_t wire_shot = report.death.shot;
  const core::ShownShot* shot = shots_.numbered(report.killer.byte, wire_shot);
  words::DeathClaim claim;
  claim.set_killer(player_of(report.killer.byte));
  if (shot != nullptr)
    claim.set_shot(shot->shot);
  else if (wire_shot != kNoShot)
    claim.set_shot(wire_shot);
  claim.set_why(cause_of(report.death.reason));
  out.say(claim);
  out.wake(out.now() + kUnconfirmed);
}

void FrontSession::on(const TeleportReport& report, Outlet& out) {
  words::TeleportClaim claim;
  claim.set_unit(own_unit());
  claim.set_from(report.from);
  claim.set_to(report.to);
  out.say(claim);
}

/// Of clients that count for themselves.
void FrontSession::on(const ScoreReport& report, Outlet& out) {
  words::ScoreClaim claim;
  claim.set_wins(report.wins);
  claim.set_losses(report.losses);
  out.say(claim);
}

void FrontSession::on(const PauseReport& report, Outlet& out) {
  words::Pause pause;
  pause.set_on(report.paused != 0);
  out.say(pause);
}

void FrontSession::on(const AutoPilotReport& report, Outlet& out) {
  words::Autopilot autopilot;
  autopilot.set_on(report.on != 0);
  out.say(autopilot);
}

// -- What the room says -----------------------------------------------------------------------------------------------

/// Into play, there; for our own client also the only way to move it.
void FrontSession::put(std::uint8_t number, const words::Pose& there, Outlet& out) {
  const words::Pose pose = out.world().flattened(there);
  Actor& actor = cast_.at(number);
  actor.alive = true;
  if (number == number_) {
    own_.tank.put(pose, out.now());
    own_.death_claimed = own_.spawn_asked = 0;
  }
  actor.told = out.now();
  look_at_ = std::min(look_at_, out.now() + kSilence);
  actor.glide.jump();
  actor.glide.at(pose, out.now(), out.now());
  actor.shown = !retold_ || number == number_;
  if (!actor.shown) return show(number, out);
  Alive alive;
  alive.player = player_id(number);
  alive.pos = vec3(pose.x(), pose.y(), pose.z());
  alive.azimuth = to_azimuth(pose.yaw());
  peer_.stream(out, alive);
}

/// Our client sees that tank, or no longer: told as a state, which is no event to it. On the stream: a datagram that is
/// lost would leave it where it was.
void FrontSession::show(std::uint8_t number, Outlet& out) {
  Actor& actor = cast_.at(number);
  const bool shown = actor.alive && core::is_seen(out.world().unit(actor.unit));
  if (number == number_ || actor.shown == shown) return;
  actor.late = false;
  peer_.stream(out, newest(number, actor, out));
}

void FrontSession::told(const words::Spawned& spawned, const core::Fact&, Outlet& out) {
  if (const std::uint8_t* number = units_.wire(spawned.unit())) put(*number, spawned.pose(), out);
}

void FrontSession::told(const words::Pose& pose, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(pose.unit());
  if (number == nullptr) {  // it was hidden, or one of many cells
    const core::UnitState* state = out.world().unit(pose.unit());
    if (state == nullptr) return;
    if (state->unit.owner() != 0) return recast(state->unit.owner(), out);
    return told(state->unit, {}, out);
  }
  if (*number == number_) return check_leash(out);
  update(*number, cast_.at(*number), out);
}

/// The newest pose, now or when it is this tank's turn.
void FrontSession::update(std::uint8_t number, Actor& actor, Outlet& out) {
  actor.told = out.now();
  actor.rests_at = 0;
  actor.late = !actor.updates.take(out.now());
  if (actor.late) look_at_ = std::min(look_at_, actor.updates.next());
  if (actor.late) return out.wake(actor.updates.next());
  if (out.world().unit(actor.unit) != nullptr) peer_.quick(out, newest(number, actor, out));
}

/// A tank whose unit is gone is nowhere; who plays it is still there.
Message FrontSession::newest(std::uint8_t number, Actor& actor, Outlet& out) {
  const core::UnitState* state = out.world().unit(actor.unit);
  words::Pose pose = state != nullptr ? seen(actor, *state, out) : words::Pose();
  actor.told = out.now();
  look_at_ = std::min(look_at_, actor.rests_at != 0 ? actor.rests_at : out.now() + kSilence);
  actor.shown = actor.alive && state != nullptr && !state->hidden;
  actor.order = std::max(actor.order + 1, pose.seq());
  pose.set_seq(actor.order);
  return update_of(pose, number, clock(out), actor.shown, speaks_.small_updates);
}

/// Where a world has tiles it tells of whole ones: a tank drives from one to the next, and a client reckons how.
words::Pose FrontSession::seen(Actor& actor, const core::UnitState& state, Outlet& out) {
  words::Pose pose = out.world().flattened(
      state.posed < out.now() ? core::place_at(state.unit.pose(), state.posed, out.now()) : state.unit.pose());
  const words::World* world = out.world().geometry();
  if (world == nullptr || world->kind() != words::World::TILES) return pose;
  const core::Glide::Point at = actor.glide.at(state.unit.pose(), state.posed, out.now());
  const core::Glide::Motion motion = actor.glide.motion(out.now());
  pose.set_x(at.x);
  pose.set_y(at.y);
  if (motion.until == 0) return pose;
  pose.set_vx(motion.vx);
  pose.set_vy(motion.vy);
  actor.rests_at = motion.until;
  out.wake(motion.until);
  return pose;
}

/// Looks at all only when somebody may be due: a hundred fronts with a hundred tanks each do little else.
void FrontSession::update_late(Outlet& out) {
  if (out.now() < look_at_) return look_at_ != kNever ? out.wake(look_at_) : void();
  core::Micros next = kNever;
  bool each_tick = false;
  for (auto& [number, actor] : cast_) {
    if (number == number_) continue;
    if (actor.unit == 0) show(number, out);
    each_tick |= actor.unit == 0;
    if (actor.late || out.now() >= due_at(actor, out)) update(number, actor, out);
    next = std::min(next, actor.late ? std::min(actor.updates.next(), due_at(actor, out)) : due_at(actor, out));
  }
  if (next != kNever) out.wake(next);
  look_at_ = each_tick ? 0 : next;
}

/// When it comes to rest; or when it has stood for so long that our client would take its player for gone: other games
/// need not say so again and again.
core::Micros FrontSession::due_at(const Actor& actor, Outlet& out) {
  const bool quiet = actor.shown && out.world().room().game() != game().name();
  const core::Micros rests = actor.rests_at != 0 ? actor.rests_at : kNever;
  return quiet ? std::min(rests, actor.told + kSilence) : rests;
}

void FrontSession::told(const words::Died& died, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(died.unit());
  if (number == nullptr) number = players_.wire(died.player());
  if (number == nullptr || !std::exchange(cast_.at(*number).alive, false)) return;
  cast_.at(*number).shown = false;
  if (*number == number_) own_.death_claimed = 0;
  Killed killed;
  killed.victim = player_id(*number);
  killed.killer = player_id(died.killer() != 0 ? number_of(died.killer(), kServerId) : kServerId);
  killed.death.reason = death_reason(died.why());
  killed.death.shot = died.shot() != 0 ? static_cast<std::uint16_t>(died.shot()) : kNoShot;
  if (const core::ShownShot* shot = shots_.find(died.killer(), died.shot())) {
    killed.death.shot = shot->number;
    killed.death.flag = flag_kind(shot->weapon);
  }
  peer_.stream(out, killed);
}

void FrontSession::told(const words::Teleported& teleported, const core::Fact&, Outlet& out) {
  if (const std::uint8_t* number = units_.wire(teleported.unit()))
    peer_.stream(out, Teleport{player_id(*number), static_cast<std::uint16_t>(teleported.from()),
                               static_cast<std::uint16_t>(teleported.to())});
}

/// Tanks are whole or gone; what lies between is said.
void FrontSession::told(const words::Health& health, const core::Fact&, Outlet& out) {
  if (health.unit() != own_unit()) return out.lose("Health", "of others, in a game of one hit");
  server_says(core::line_of_hit(health, own_.health), out);
}

// -- Keeping our client where the truth is ----------------------------------------------------------------------------

void FrontSession::told(const words::Corrected& corrected, const core::Fact&, Outlet& out) {
  if (corrected.pose().unit() != own_unit()) return told(corrected.pose(), {}, out);
  correct(out);
}

void FrontSession::told(const words::ClaimRefused& refused, const core::Fact& fact, Outlet& out) {
  if (fact.to != out.me()) return;
  if (!cast_.at(number_).alive && !refused.why().empty()) return server_says(refused.why(), out);  // a wish to spawn
  if (own_.death_claimed == 0) return;
  own_.death_claimed = 0;
  revive(out);
}

void FrontSession::correct(Outlet& out) {
  if (const auto place = own_.tank.pull(out.world().unit(own_unit()), out)) put(number_, *place, out);
}

/// Its client takes it for dead, and it is not.
void FrontSession::revive(Outlet& out) {
  if (const auto place = own_.tank.revive(out.world().unit(own_unit()), out)) put(number_, *place, out);
}

void FrontSession::check_leash(Outlet& out) {
  if (own_unit() == 0 || !cast_.at(number_).alive) return;
  if (const auto place = own_.tank.look(out.world().unit(own_unit()), out)) put(number_, *place, out);
}

/// Nobody puts a tank into play that is there already.
void FrontSession::check_spawn(Outlet& out) {
  if (own_.spawn_asked == 0) return;
  if (out.now() < own_.spawn_asked + kUnanswered) return out.wake(own_.spawn_asked + kUnanswered);
  own_.spawn_asked = 0;
  const core::UnitState* unit = out.world().unit(own_unit());
  if (unit == nullptr || !unit->unit.alive()) return;
  put(number_, core::place_at(unit->unit.pose(), unit->posed, out.now()), out);
}

/// Whoever decides has not said that our client died: it lives, in place.
void FrontSession::check_death(Outlet& out) {
  if (own_.death_claimed == 0) return;
  const core::Micros until =
      own_.death_claimed + (core::victim_decides(out.world()) ? kUnconfirmedByOther : kUnconfirmed);
  if (out.now() < until) return out.wake(until);
  own_.death_claimed = 0;
  const core::UnitState* unit = out.world().unit(own_unit());
  if (unit == nullptr || !unit->unit.alive()) return;
  put(number_, core::place_at(unit->unit.pose(), unit->posed, out.now()), out);
}

}  // namespace entente::bzflag
