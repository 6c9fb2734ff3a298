#include "proxy/core/tank/tank_hits.h"

#include <utility>

namespace entente::core {
namespace {

constexpr Micros kDeathPatience = 2 * kSecond;

}  // namespace

void TankHits::watch(std::uint8_t shooter, const words::Shot& shot, std::uint32_t weapon, std::string_view code,
                     double life, bool harmless, BackOut& out) {
  if (shooter == state_.number || !state_.wish) return;
  Incoming incoming;
  incoming.shooter = shooter;
  incoming.shot = shot.shot();
  incoming.flag = weapon;
  incoming.back_tests = !state_.client_decides() && !harmless;
  incoming.follow(shot, out.now());
  const bool passes_walls = code == "SB" || code == "GM";  // a guided one turns
  incoming_.watch(incoming, life, passes_walls, tank_.terrain, out.now());
}

void TankHits::test(const DrivenTank::TimeStep& step, BackOut& out) {
  if (state_.client_decides()) return;
  const Incoming* shot = incoming_.hit(tank_.model(), step.was, state_of(tank_.pose), step.since, out.now());
  if (shot == nullptr) return;
  claim_death(tell_hit(*shot, out), out);
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
