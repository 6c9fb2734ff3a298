#include "adapters/bzflag/front/play.h"

#include "adapters/bzflag/wire/drops.h"
#include "proxy/core/chat.h"

namespace entente::bzflag {
namespace {

/// If a spawn request has no answer after this time, a tank that is in play already is put there.
constexpr core::Micros kUnanswered = 400 * core::kMillisecond;
/// A death that is not confirmed within this time did not happen.
constexpr core::Micros kUnconfirmed = 400 * core::kMillisecond;
/// The same where the server only passes on what victims report.
constexpr core::Micros kUnconfirmedByOther = 5 * core::kSecond;

}  // namespace

void Play::hear(const AliveRequest&, FrontOut& out) {
  if (!client_.in()) return out.drop(drops::kAliveTooEarly);
  spawn_asked_ = std::max<core::Micros>(out.now(), 1);
  out.say(words::Spawn());
  out.wake(out.now() + kUnanswered);
}

void Play::hear(const PlayerUpdate& update, FrontOut& out) { claim(update.time, update.status, pose_of(update), out); }
void Play::hear(const PlayerUpdateSmall& update, FrontOut& out) {
  claim(update.time, update.status, pose_of(update), out);
}

/// A client drives only its own tank. The player number is ignored: in a relay's recording, it is the server's number.
void Play::claim(float time, std::int16_t status, words::Pose pose, FrontOut& out) {
  if (!client_.in()) return out.drop(drops::kUpdateTooEarly);
  if ((status & 0x380) != 0) out.drop(drops::kPushed);
  const auto order = static_cast<std::int32_t>(pose.seq());
  if (order <= static_cast<std::int32_t>(order_) || (status & kAlive) == 0 || !players_.own().alive)
    return;  // overtaken, or dead
  order_ = pose.seq();
  pose.set_unit(players_.own_unit());
  keeper_.claimed(pose, out.now());
  words::PoseClaim word = claim_of(pose);
  word.set_z(word.z() + out.world().ground_at(word.x(), word.y()));
  word.set_sent_at(time);
  out.say(word);
  keeper_.check_place(players_, out);
}

void Play::hear(const KilledReport& report, FrontOut& out) {
  if (!client_.in() || !players_.own().alive || !keeper_.claim_death(out.now())) return;
  const std::uint16_t wire_shot = report.death.shot;
  const core::ShownShot* shot = shots_.numbered(report.killer.byte, wire_shot);
  words::DeathClaim claim;
  claim.set_killer(players_.player_of(report.killer.byte));
  if (shot != nullptr)
    claim.set_shot(shot->shot);
  else if (wire_shot != kNoShot)
    claim.set_shot(wire_shot);
  claim.set_why(cause_of(report.death.reason));
  out.say(claim);
  out.wake(out.now() + kUnconfirmed);
}

void Play::hear(const TeleportReport& report, FrontOut& out) {
  words::TeleportClaim claim;
  claim.set_unit(players_.own_unit());
  claim.set_from(report.from);
  claim.set_to(report.to);
  out.say(claim);
}

/// From clients that count their own score.
void Play::hear(const ScoreReport& report, FrontOut& out) {
  words::ScoreClaim claim;
  claim.set_wins(report.wins);
  claim.set_losses(report.losses);
  out.say(claim);
}

void Play::hear(const PauseReport& report, FrontOut& out) {
  words::Pause pause;
  pause.set_on(report.paused != 0);
  out.say(pause);
}

void Play::hear(const AutoPilotReport& report, FrontOut& out) {
  words::Autopilot autopilot;
  autopilot.set_on(report.on != 0);
  out.say(autopilot);
}

/// If its team's flag was captured, the client has blown its tank up, and does not say so. The room says that the tank
/// died, right after this word; or the tank lives, and is put back.
void Play::hear(const words::TokenCaptured& captured, FrontOut& out) {
  const PlayerEntry& own = players_.own();
  if (!own.alive || team_of(own.team) != captured.team() || !capture_.has_killed(captured.team(), out.now())) return;
  captured_ = std::max<core::Micros>(out.now(), 1);
  out.wake(out.now() + kUnconfirmed);
}

/// A tank has no health, so damage is reported by a line of chat.
void Play::hear(const words::Health& health, FrontOut& out) {
  if (health.unit() != players_.own_unit()) return out.drop(drops::kHealthOfOther);
  client_.server_says(core::line_of_hit(health, health_), out);
}

// -- Keeping our client at its true place -----------------------------------------------------------------------------

bool Play::hear_refused(const words::ClaimRefused& refused, FrontOut& out) {
  const bool asked = !players_.own().alive;  // its spawn request was refused
  if (asked && !refused.why().empty()) return client_.server_says(refused.why(), out), true;
  if (!keeper_.forget_death()) return false;
  keeper_.revive(players_, out);
  return true;
}

void Play::check(FrontOut& out) {
  check_death(out);
  check_capture(out);
  check_spawn(out);
  keeper_.check_place(players_, out);
}

/// If our client's death is not confirmed in time, the client lives, and its tank is put back in place.
void Play::check_death(FrontOut& out) {
  if (keeper_.survives(core::victim_decides(out.world()) ? kUnconfirmedByOther : kUnconfirmed, out)) put_in_place(out);
}

void Play::check_capture(FrontOut& out) {
  if (captured_ == 0) return;
  if (out.now() < captured_ + kUnconfirmed) return out.wake(captured_ + kUnconfirmed);
  captured_ = 0;
  put_in_place(out);
}

/// Answers a spawn request for a tank that is in play already: the room does not answer it.
void Play::check_spawn(FrontOut& out) {
  if (spawn_asked_ == 0) return;
  if (out.now() < spawn_asked_ + kUnanswered) return out.wake(spawn_asked_ + kUnanswered);
  spawn_asked_ = 0;
  put_in_place(out);
}

void Play::put_in_place(FrontOut& out) {
  const core::UnitState* unit = out.world().unit(players_.own_unit());
  if (unit == nullptr || !unit->unit.alive()) return;
  display_.put(client_.number(), core::place_at(unit->unit.pose(), unit->posed_at, out.now()), out);
}

}  // namespace entente::bzflag
