// Where tanks are, and how they live and die, both ways. See front.h.
#include "adapters/bzdraft/front/front.h"
#include "adapters/bzdraft/losses.h"
#include "proxy/core/bodies.h"
#include "proxy/core/chat.h"

namespace entente::bzdraft {
namespace {

/// After so long a death that nobody confirmed did not happen; longer where the server only passes on what victims say.
constexpr core::Micros kUnconfirmed = 400 * core::kMillisecond, kUnconfirmedByOther = 5 * core::kSecond;

/// Who dies so soon after its flag was taken home died of that.
constexpr core::Micros kOfCapture = core::kSecond;

}  // namespace

// -- What our client does ---------------------------------------------------------------------------------------------

void FrontSession::on(const AliveUp&, Outlet& out) {
  if (stage_ != Stage::kIn) return out.lose(loss::kAliveTooEarly);
  const core::UnitState* unit = out.world().unit(own_unit());
  if (unit != nullptr && unit->unit.alive()) return put(kNumber, unit->unit.pose(), out);  // it was in play already
  out.say(words::Spawn());
}

/// Whose it says it is does not matter: the page has the server put the sender there.
void FrontSession::on(const PlayerUpdate& update, Outlet& out) {
  if (stage_ != Stage::kIn || (update.status & kAlive) == 0 || !cast_.at(kNumber).alive) return;
  words::Pose pose = pose_of(update);
  pose.set_unit(own_unit());
  pose.set_seq(++own_.order);
  own_.tank.said(pose, out.now());
  out.say(claim_of(pose));
  check_leash(out);
}

void FrontSession::on(const Killed& killed, Outlet& out) {
  if (stage_ != Stage::kIn || !cast_.at(kNumber).alive || own_.death_claimed != 0) return;
  own_.death_claimed = std::max<core::Micros>(out.now(), 1);
  words::DeathClaim claim;
  claim.set_killer(player_of(killed.killer));
  const core::ShownShot* shot = shots_.numbered(killed.killer, killed.shot);
  claim.set_shot(shot != nullptr ? shot->shot : killed.shot);
  claim.set_why(killed.killer == kNumber   ? words::BY_ITSELF
                : killed.killer == kServer ? words::BY_SERVER
                                           : words::BY_SHOT);
  out.say(claim);
  out.wake(out.now() + kUnconfirmed);
}

void FrontSession::on(const Teleport& teleport, Outlet& out) {
  if (stage_ != Stage::kIn) return;
  words::TeleportClaim claim;
  claim.set_unit(own_unit());
  claim.set_from(teleport.from);
  claim.set_to(teleport.to);
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

/// Into play, there; for our own client also the only way to move it. Before it is in it may not hear of it.
void FrontSession::put(std::uint8_t number, const words::Pose& there, Outlet& out) {
  if (stage_ != Stage::kIn) return;
  const words::Pose pose = out.world().flattened(there);
  Actor& actor = cast_.at(number);
  actor.alive = true;
  if (number == kNumber) {
    own_.tank.put(pose, out.now());
    own_.death_claimed = 0;
  }
  actor.shown = !retold_ || number == kNumber;
  if (!actor.shown) return show(number, out);
  peer_.send(out, AliveDown{number, triple(pose.x(), pose.y(), pose.z())});
  if (number != kNumber && pose.yaw() != 0) peer_.send(out, update_of(pose, number, true));  // which way it looks
}

/// Our client sees that tank, or no longer: told as a state, which is no event to it.
void FrontSession::show(std::uint8_t number, Outlet& out) {
  Actor& actor = cast_.at(number);
  const core::UnitState* state = out.world().unit(actor.unit);
  const bool shown = actor.alive && core::is_seen(state);
  if (stage_ != Stage::kIn || number == kNumber || std::exchange(actor.shown, shown) == shown) return;
  actor.late = false;
  peer_.send_surely(out, update_of(state != nullptr ? state->unit.pose() : words::Pose(), number, shown));
}

void FrontSession::told(const words::Spawned& spawned, const core::Fact&, Outlet& out) {
  if (const std::uint8_t* number = units_.wire(spawned.unit())) put(*number, spawned.pose(), out);
}

void FrontSession::told(const words::Pose& pose, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(pose.unit());
  if (number == nullptr) {  // it was hidden, or one of many cells
    const core::UnitState* state = out.world().unit(pose.unit());
    if (state == nullptr) return;
    return state->unit.owner() != 0 ? recast(state->unit.owner(), out) : told(state->unit, {}, out);
  }
  if (*number == kNumber) return check_leash(out);
  update(*number, cast_.at(*number), out);
}

/// The newest pose, now or when it is this tank's turn.
void FrontSession::update(std::uint8_t number, Actor& actor, Outlet& out) {
  actor.late = !actor.updates.take(out.now());
  if (actor.late) return out.wake(actor.updates.next());
  const core::UnitState* state = out.world().unit(actor.unit);
  if (state == nullptr || !actor.alive || state->hidden) return;
  actor.shown = true;
  const words::Pose& told = state->unit.pose();
  const bool old = state->posed < out.now();
  const words::Pose pose = old ? core::place_at(told, state->posed, out.now()) : told;
  peer_.send(out, update_of(out.world().flattened(pose), number, true));
}

/// Whose flag was just taken home is dead already: the drop told so.
void FrontSession::told(const words::Died& died, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(died.unit());
  if (number == nullptr) number = players_.wire(died.player());
  if (number == nullptr || !std::exchange(cast_.at(*number).alive, false)) return;
  cast_.at(*number).shown = false;
  if (*number == kNumber) own_.death_claimed = 0;
  const bool implied = died.why() == words::BY_CAPTURE && captured_ != words::TEAM_ANY &&
                       out.now() < captured_at_ + kOfCapture && wire_team(captured_) == cast_.at(*number).said.team;
  if (implied) return;
  Killed killed;
  killed.victim = *number;
  killed.killer = died.killer() != 0 ? number_of(died.killer(), kServer) : kServer;
  if (died.why() == words::BY_ITSELF) killed.killer = *number;
  killed.shot = static_cast<std::uint8_t>(died.shot());
  if (const core::ShownShot* shot = shots_.find(died.killer(), died.shot())) {
    killed.shot = static_cast<std::uint8_t>(shot->number);
    killed.flag = static_cast<std::uint8_t>(shot->weapon);
  }
  peer_.send(out, killed);
}

void FrontSession::told(const words::Teleported& teleported, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(teleported.unit());
  if (number == nullptr) return;
  const Teleport message{*number, counted(teleported.from()), counted(teleported.to())};
  peer_.send(out, message, kTeleportCode);
}

/// Tanks are whole or gone; what lies between is said.
void FrontSession::told(const words::Health& health, const core::Fact&, Outlet& out) {
  if (health.unit() != own_unit()) return out.lose(loss::kHealthOfOther);
  server_says(core::line_of_hit(health, own_.health), out);
}

// -- Keeping our client where the truth is ----------------------------------------------------------------------------

void FrontSession::told(const words::Corrected& corrected, const core::Fact&, Outlet& out) {
  if (corrected.pose().unit() != own_unit()) return told(corrected.pose(), {}, out);
  correct(out);
}

void FrontSession::told(const words::ClaimRefused& refused, const core::Fact& fact, Outlet& out) {
  if (fact.to != out.me()) return;
  if (changing_ != 0) return refuse_change(Refusal::kBadRequest, refused.why(), out);
  if (std::exchange(own_.death_claimed, 0) != 0) revive(out);
}

void FrontSession::correct(Outlet& out) {
  if (const auto place = own_.tank.pull(out.world().unit(own_unit()), out)) put(kNumber, *place, out);
}

/// Its client takes it for dead, and it is not.
void FrontSession::revive(Outlet& out) {
  if (const auto place = own_.tank.revive(out.world().unit(own_unit()), out)) put(kNumber, *place, out);
}

void FrontSession::check_leash(Outlet& out) {
  if (own_unit() == 0 || !cast_.at(kNumber).alive) return;
  if (const auto place = own_.tank.look(out.world().unit(own_unit()), out)) put(kNumber, *place, out);
}

void FrontSession::check_death(Outlet& out) {
  if (own_.death_claimed == 0) return;
  const core::Micros patience = core::victim_decides(out.world()) ? kUnconfirmedByOther : kUnconfirmed;
  if (out.now() < own_.death_claimed + patience) return out.wake(own_.death_claimed + patience);
  own_.death_claimed = 0;
  revive(out);
}

}  // namespace entente::bzdraft
