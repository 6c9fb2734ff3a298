#include "proxy/core/tank/tank_hits.h"

#include <utility>

namespace entente::core {
namespace {

constexpr Micros kDeathPatience = 2 * kSecond;

}  // namespace

void TankHits::watch(std::uint8_t shooter, const words::Shot& shot, std::uint32_t weapon, const ShotNature& nature,
                     double life, bool harmless, BackOut& out) {
  if (!state_.wish) return;
  Incoming incoming;
  incoming.shooter = shooter;
  incoming.shot = shot.shot();
  incoming.flag = weapon;
  incoming.own = shooter == state_.number;
  incoming.nature = nature;
  incoming.back_tests = !state_.client_decides() && !harmless;
  incoming.follow(shot, out.now());
  if (!incoming_.watch(std::move(incoming), life, out.now())) out.drop(drops::kIncomingFull);
}

void TankHits::test(const DrivenTank::TimeStep& step, BackOut& out) {
  if (!may_test()) return;
  const TankModel target = tank_.target();
  const Incoming* shot = incoming_.hit({target, tank_.terrain, step.was, state_of(tank_.pose), step.since, out.now()},
                                       [&](const Incoming& one) { return counts(one, out); });
  shot != nullptr ? tell(*shot, out) : look_around(step, out);
}

void TankHits::tell(const Incoming& hit, BackOut& out) {
  if (auto died = tell_hit(hit, out)) claim_death(std::move(*died), out);
}

/// The tank is where it was in the last step.
void TankHits::steer(std::uint8_t shooter, const words::ShotMoved& moved, BackOut& out) {
  if (tank_.alive && may_test() && tank_.driven_until < out.now()) {
    const TankModel target = tank_.target();
    const TankState here = state_of(tank_.pose);
    const Incoming* shot =
        incoming_.hit_by(shooter, moved.shot(), {target, tank_.terrain, here, here, tank_.driven_until, out.now()},
                         [&](const Incoming& one) { return counts(one, out); });
    if (shot != nullptr) tell(*shot, out);
  }
  incoming_.steer(shooter, moved.shot(), moved, out.now());
}

void TankHits::claim_death(words::Died died, BackOut& out) {
  tank_.alive = false;
  claimed_ = std::move(died);
  tank_.claims.begin(Claim::kDeath, kDeathPatience, out);
}

void TankHits::death_late(int times, BackOut& out) {
  if (times == 1) {
    tell_dead(out);
    return tank_.claims.begin(Claim::kDeath, kDeathPatience, out);
  }
  tank_.claims.tell_unanswered(Claim::kDeath, out);
  claimed_.set_synthesised(true);
  assume_dead(claimed_, out);
}

}  // namespace entente::core
