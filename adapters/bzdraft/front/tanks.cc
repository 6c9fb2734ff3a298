#include "adapters/bzdraft/front/tanks.h"

#include "adapters/bzdraft/wire/drops.h"
#include "proxy/core/chat.h"

namespace entente::bzdraft {
namespace {

/// A death that is not confirmed within this time did not happen. The time is longer where the server only passes on
/// what victims report.
constexpr core::Micros kUnconfirmed = 400 * core::kMillisecond, kUnconfirmedByOther = 5 * core::kSecond;

}  // namespace

void Tanks::hear(const AliveUp&, FrontOut& out) {
  if (!client_.in()) return out.drop(drops::kAliveTooEarly);
  const core::UnitState* unit = out.world().unit(players_.own_unit());
  if (unit != nullptr && unit->unit.alive())
    return display_.put(kNumber, unit->unit.pose(), out);  // it was in play already
  out.say(words::Spawn());
}

/// The player field is ignored: the draft lets the server fill in the sender.
void Tanks::hear(const PlayerUpdate& update, FrontOut& out) {
  if (!client_.in() || (update.status & kAlive) == 0 || !players_.own().alive) return;
  words::Pose pose = pose_of(update);
  pose.set_unit(players_.own_unit());
  pose.set_seq(++order_);
  keeper_.claimed(pose, out.now());
  words::PoseClaim claim = claim_of(pose);
  claim.set_z(claim.z() + out.world().ground_at(claim.x(), claim.y()));
  out.say(claim);
  keeper_.check_place(players_, out);
}

void Tanks::hear(const Killed& killed, FrontOut& out) {
  if (!client_.in() || !players_.own().alive || !keeper_.claim_death(out.now())) return;
  words::DeathClaim claim;
  claim.set_killer(players_.player_of(killed.killer));
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
  claim.set_unit(players_.own_unit());
  claim.set_from(teleport.from);
  claim.set_to(teleport.to);
  out.say(claim);
}

// -- What the room says -----------------------------------------------------------------------------------------------

void Tanks::put(std::uint8_t number, const words::Pose& there, FrontOut& out) {
  PlayerEntry& entry = players_.at(number);
  entry.alive = true;
  entry.shown = !resync_ || number == kNumber;
  if (!client_.in()) return;  // put_all() follows
  const words::Pose pose = out.world().flattened(there);
  if (number == kNumber) keeper_.put(pose, out.now());
  if (!entry.shown) return show(number, out);
  client_.send(out, AliveDown{number, triple(pose.x(), pose.y(), pose.z())});
  if (number != kNumber && pose.yaw() != 0) client_.send(out, update_of(pose, number, true));  // adds its direction
}

/// Shows or hides a tank by an update: the client does not treat that as an event.
void Tanks::show(std::uint8_t number, FrontOut& out) {
  PlayerEntry& entry = players_.at(number);
  const core::UnitState* state = out.world().unit(entry.unit);
  const bool shown = entry.alive && core::is_seen(state);
  if (!client_.in() || number == kNumber || std::exchange(entry.shown, shown) == shown) return;
  entry.update_pending = false;
  const words::Pose pose = state != nullptr ? out.world().flattened(state->unit.pose()) : words::Pose();
  client_.send_surely(out, update_of(pose, number, shown));
}

void Tanks::update(std::uint8_t number, FrontOut& out) {
  PlayerEntry& entry = players_.at(number);
  entry.update_pending = !entry.updates.take(out.now());
  if (entry.update_pending) return scan_timer_.schedule(entry.updates.next()), scan_timer_.ask(out);
  const core::UnitState* state = out.world().unit(entry.unit);
  if (state == nullptr || !entry.alive || state->hidden) return;
  entry.shown = true;
  const words::Pose& told = state->unit.pose();
  const bool old = state->posed_at < out.now();
  const words::Pose pose = old ? core::place_at(told, state->posed_at, out.now()) : told;
  client_.send(out, update_of(out.world().flattened(pose), number, true));
}

/// Omits the deaths of a team whose flag was just captured: MsgDropFlag implied them.
void Tanks::hear(const words::Died& died, FrontOut& out) {
  const std::uint8_t* number = players_.of(died.unit(), died.player());
  if (number == nullptr || !std::exchange(players_.at(*number).alive, false)) return;
  players_.at(*number).shown = false;
  if (*number == kNumber) keeper_.forget_death();
  const words::Team team = team_of(players_.at(*number).said.team);
  if (died.why() == words::BY_CAPTURE && flags_.capture().has_killed(team, out.now())) return;
  Killed killed;
  killed.victim = *number;
  killed.killer = died.killer() != 0 ? players_.number_of(died.killer(), kServer) : kServer;
  if (died.why() == words::BY_ITSELF) killed.killer = *number;
  killed.shot = static_cast<std::uint8_t>(died.shot());
  if (const core::ShownShot* shot = shots_.find(died.killer(), died.shot())) {
    killed.shot = static_cast<std::uint8_t>(shot->number);
    killed.flag = static_cast<std::uint8_t>(shot->weapon);
  }
  client_.send(out, killed);
}

/// To the client, the whole team is dead. The room says who died, right after this word; the others are put back.
void Tanks::hear(const words::TokenCaptured& captured, FrontOut& out) {
  const std::uint8_t team = wire_team(captured.team());
  if (team_of(team) != captured.team() || !flags_.capture().has_killed(captured.team(), out.now())) return;
  captured_at_[team] = std::max<core::Micros>(out.now(), 1);
  out.wake(captured_at_[team] + kUnconfirmed);
}

void Tanks::hear(const words::Teleported& teleported, FrontOut& out) {
  const std::uint8_t* number = players_.of_unit(teleported.unit());
  if (number == nullptr) return;
  const Teleport message{*number, to_u16(teleported.from()), to_u16(teleported.to())};
  client_.send(out, message, kTeleportCode);
}

/// A tank has no health, so damage is reported by a line of chat.
void Tanks::hear(const words::Health& health, FrontOut& out) {
  if (health.unit() != players_.own_unit()) return out.drop(drops::kHealthOfOther);
  client_.server_says(core::line_of_hit(health, health_), out);
}

void Tanks::update_late(FrontOut& out) {
  if (!scan_timer_.is_due(out)) return;
  bool each_tick = false;
  for (auto& [number, entry] : players_) {
    if (entry.unit == 0) show(number, out);
    each_tick |= entry.unit == 0;
    if (entry.update_pending) update(number, out);
  }
  if (each_tick) scan_timer_.schedule_now();
}

/// The client has entered: puts all visible tanks into play.
void Tanks::put_all(FrontOut& out) {
  for (auto& [number, entry] : players_)
    if (const core::UnitState* state = out.world().unit(entry.unit); core::is_seen(state))
      display_.put(number, state->unit.pose(), out);
}

void Tanks::check_death(FrontOut& out) {
  const core::Micros patience = core::victim_decides(out.world()) ? kUnconfirmedByOther : kUnconfirmed;
  if (keeper_.survives(patience, out)) keeper_.revive(players_, out);
  check_capture(out);
}

void Tanks::check_capture(FrontOut& out) {
  for (std::uint8_t team = 0; team <= kLastTeam; ++team) {
    core::Micros& at = captured_at_[team];
    if (at != 0 && out.now() < at + kUnconfirmed)
      out.wake(at + kUnconfirmed);
    else if (std::exchange(at, 0) != 0)
      put_back(team, out);
  }
}

/// A capture of this team's flag has not killed those who are alive.
void Tanks::put_back(std::uint8_t team, FrontOut& out) {
  for (auto& [number, entry] : players_) {
    const core::UnitState* state = out.world().unit(entry.unit);
    if (entry.alive && entry.said.team == team && core::is_seen(state))
      display_.put(number, core::place_at(state->unit.pose(), state->posed_at, out.now()), out);
  }
}

}  // namespace entente::bzdraft
