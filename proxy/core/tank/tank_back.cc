#include "proxy/core/tank/tank_back.h"

#include <utility>

#include "proxy/core/wishes.h"

namespace entente::core {
namespace {

/// How long a server may be silent while a player joins. Longer than WorldWait::kPatience, because the server may be
/// another Entente, which waits for its own server.
constexpr Micros kJoinPatience = 90 * kSecond;

}  // namespace

void TankBack::hear(const Intent& intent, BackOut& out) {
  if (state_.goodbye_said) return;
  if (const auto* wish = as<words::Enter>(intent)) {
    state_.wish = *wish;
    state_.me = intent.by;
    enter(out);
    if (state_.stage == JoinState::Stage::kEntering) await_server(out);
    return;
  }
  if (as<words::Leave>(intent) != nullptr) return leave("the player left", out);
  if (as<words::WantWorld>(intent) != nullptr) return;  // it comes with the greeting
  if (hear_early(intent, out)) return;
  if (!state_.in()) return hear_outside(intent, out);
  if (intent.by != state_.me) return;
  const words::Pose& pose = tank().pose;
  if (const auto shooting = tank().steering.shooting(intent, pose.x(), pose.y()))
    return control().shoot(*shooting, out);
  hear_word(intent, out);
}

/// A change of what the player has not asked the server for yet changes its wish.
void TankBack::hear_outside(const Intent& intent, BackOut& out) {
  const auto* change = as<words::Change>(intent);
  const bool in_time = state_.wish && intent.by == state_.me && state_.stage < JoinState::Stage::kEntering;
  if (change == nullptr || !in_time) return out.drop(drops::kNotInGame, intent);
  change_wish(*state_.wish, *change);
}

void TankBack::tick(BackOut& out) {
  if (state_.goodbye_said) return;
  look_after_link(out);
  tank().claims.check(out, [&](Claim claim, int times) { claim_late(claim, times, out); });
  control().drive(out);
  tank().report_if_due(out);
  tank().schedule_tick(out);
}

void TankBack::await_server(BackOut& out) {
  PendingClaims& claims = tank().claims;
  claims.answered(Claim::kEnter);
  const bool waits = !state_.goodbye_said && !state_.in() && state_.stage != JoinState::Stage::kReadyToEnter;
  if (waits) claims.begin(Claim::kEnter, kJoinPatience, out);
}

void TankBack::claim_late(Claim claim, int times, BackOut& out) {
  if (claim == Claim::kEnter)
    return state_.refuse(words::Refused::SERVER_GONE, "the server does not answer", true, out);
  if (claim == Claim::kDeath) return hits().death_late(times, out);
  if (claim != Claim::kSpawn) return tank().claims.tell_unanswered(claim, out);
  // If the server took no notice of a death, it takes the tank for alive.
  if (tank().spawn_late(times, out) && times > 1 && tank().has_lived) hits().tell_dead(out);
}

void TankBack::closed(std::string_view why, BackOut& out) {
  if (!std::exchange(state_.goodbye_said, true) && !state_.in())
    state_.refuse(words::Refused::SERVER_GONE, why, false, out);
}

void TankBack::session_ends(std::string_view why, BackOut& out) { leave(why, out); }

void TankBack::leave(std::string_view why, BackOut& out) {
  if (!std::exchange(state_.goodbye_said, true)) say_goodbye(out);
  out.close(why);
}

void TankBack::fail(const Fault& fault, BackOut& out) {
  if (!std::exchange(state_.goodbye_said, true)) out.fail(fault);
}

}  // namespace entente::core
