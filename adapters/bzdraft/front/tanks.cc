#include "adapters/bzdraft/front/tanks.h"

#include "adapters/bzdraft/losses.h"
#include "proxy/core/chat.h"

namespace entente::bzdraft {
namespace {

/// After so long a death that nobody confirmed did not happen; longer where the server only passes on what victims say.
constexpr core::Micros kUnconfirmed = 400 * core::kMillisecond, kUnconfirmedByOther = 5 * core::kSecond;

}  // namespace

void Tanks::hear(const AliveUp&, FrontOut& out) {
  if (!client_.in()) return out.lose(loss::kAliveTooEarly);
  const core::UnitState* unit = out.world().unit(cast_.own_unit());
  if (unit != nullptr && unit->unit.alive())
    return sight_.put(kNumber, unit->unit.pose(), out);  // it was in play already
  out.say(words::Spawn());
}

/// Whose it says it is does not matter: the page has the server put the sender there.
void Tanks::hear(const PlayerUpdate& update, FrontOut& out) {
  if (!client_.in() || (update.status & kAlive) == 0 || !cast_.own().alive) return;
  words::Pose pose = pose_of(update);
  pose.set_unit(cast_.own_unit());
  pose.set_seq(++order_);
  keeper_.said(pose, out.now());
  out.say(claim_of(pose));
  keeper_.check_leash(cast_, out);
}

void Tanks::hear(const Killed& killed, FrontOut& out) {
  if (!client_.in() || !cast_.own().alive || !keeper_.claim_death(out.now())) return;
  words::DeathClaim claim;
  claim.set_killer(cast_.player_of(killed.killer));
  const core::ShownShot* shot = shots_.numbered(killed.killer, killed.shot);
  claim.set_shot(shot != nullptr ? shot->shot : killed.shot);
  claim.set_why(killed.killer == kNumber   ? words::BY_ITSELF
                : killed.killer == kServer ? words::BY_SERVER
                                           : words::BY_SHOT);
  out.say(claim);
  out.wake(out.now() + kUnconfirmed);
}

void Tanks::hear(const Teleport& teleport, FrontOut& out) {
  if (!client_.in()) return;
  words::TeleportClaim claim;
  claim.set_unit(cast_.own_unit());
  claim.set_from(teleport.from);
  claim.set_to(teleport.to);
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

void Tanks::put(std::uint8_t number, const words::Pose& there, FrontOut& out) {
  if (!client_.in()) return;
  const words::Pose pose = out.world().flattened(there);
  Actor& actor = cast_.at(number);
  actor.alive = true;
  if (number == kNumber) keeper_.put(pose, out.now());
  actor.shown = !retold_ || number == kNumber;
  if (!actor.shown) return show(number, out);
  client_.send(out, AliveDown{number, triple(pose.x(), pose.y(), pose.z())});
  if (number != kNumber && pose.yaw() != 0) client_.send(out, update_of(pose, number, true));  // which way it looks
}

/// Told as a state, which is no event to it.
void Tanks::show(std::uint8_t number, FrontOut& out) {
  Actor& actor = cast_.at(number);
  const core::UnitState* state = out.world().unit(actor.unit);
  const bool shown = actor.alive && core::is_seen(state);
  if (!client_.in() || number == kNumber || std::exchange(actor.shown, shown) == shown) return;
  actor.late = false;
  client_.send_surely(out, update_of(state != nullptr ? state->unit.pose() : words::Pose(), number, shown));
}

void Tanks::update(std::uint8_t number, FrontOut& out) {
  Actor& actor = cast_.at(number);
  actor.late = !actor.updates.take(out.now());
  if (actor.late) return next_look_.by(actor.updates.next()), next_look_.ask(out);
  const core::UnitState* state = out.world().unit(actor.unit);
  if (state == nullptr || !actor.alive || state->hidden) return;
  actor.shown = true;
  const words::Pose& told = state->unit.pose();
  const bool old = state->posed < out.now();
  const words::Pose pose = old ? core::place_at(told, state->posed, out.now()) : told;
  client_.send(out, update_of(out.world().flattened(pose), number, true));
}

/// Whose flag was just taken home is dead already: the drop told so.
void Tanks::hear(const words::Died& died, FrontOut& out) {
  const std::uint8_t* number = cast_.of(died.unit(), died.player());
  if (number == nullptr || !std::exchange(cast_.at(*number).alive, false)) return;
  cast_.at(*number).shown = false;
  if (*number == kNumber) keeper_.forget_death();
  const std::uint8_t team = cast_.at(*number).said.team;
  if (died.why() == words::BY_CAPTURE && flags_.was_captured(team, out.now())) return;
  Killed killed;
  killed.victim = *number;
  killed.killer = died.killer() != 0 ? cast_.number_of(died.killer(), kServer) : kServer;
  if (died.why() == words::BY_ITSELF) killed.killer = *number;
  killed.shot = static_cast<std::uint8_t>(died.shot());
  if (const core::ShownShot* shot = shots_.find(died.killer(), died.shot())) {
    killed.shot = static_cast<std::uint8_t>(shot->number);
    killed.flag = static_cast<std::uint8_t>(shot->weapon);
  }
  client_.send(out, killed);
}

void Tanks::hear(const words::Teleported& teleported, FrontOut& out) {
  const std::uint8_t* number = cast_.of_unit(teleported.unit());
  if (number == nullptr) return;
  const Teleport message{*number, counted(teleported.from()), counted(teleported.to())};
  client_.send(out, message, kTeleportCode);
}

/// Tanks are whole or gone; what lies between is said.
void Tanks::hear(const words::Health& health, FrontOut& out) {
  if (health.unit() != cast_.own_unit()) return out.lose(loss::kHealthOfOther);
  client_.server_says(core::line_of_hit(health, health_), out);
}

void Tanks::update_late(FrontOut& out) {
  if (!next_look_.is_due(out)) return;
  bool each_tick = false;
  for (auto& [number, actor] : cast_) {
    if (actor.unit == 0) show(number, out);
    each_tick |= actor.unit == 0;
    if (actor.late) update(number, out);
  }
  if (each_tick) next_look_.now();
}

/// The client has just come in.
void Tanks::put_all(FrontOut& out) {
  for (auto& [number, actor] : cast_)
    if (const core::UnitState* state = out.world().unit(actor.unit); core::is_seen(state))
      put(number, state->unit.pose(), out);
}

void Tanks::check_death(FrontOut& out) {
  const core::Micros patience = core::victim_decides(out.world()) ? kUnconfirmedByOther : kUnconfirmed;
  if (keeper_.survives(patience, out)) keeper_.revive(cast_, out);
}

}  // namespace entente::bzdraft
