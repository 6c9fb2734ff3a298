#include "proxy/rules/judgement.h"

#include <algorithm>
#include <utility>

namespace entente::rules {

void Judgement::hear(const core::Fact& fact) {
  pass(fact.at);
  world_.fold(fact);
  rules_.told(fact, now_);
}

void Judgement::hear(core::Intent intent) {
  pass(intent.at);
  rules_.hear(intent, now_);
}

void Judgement::become(core::WorldState world, core::Micros at) {
  pass(at);
  world_ = std::move(world);
}

/// Rules are called each second. In a long silence, only the first hour counts.
void Judgement::pass(core::Micros at) {
  constexpr int kMostTicks = 3600;
  for (int ticks = 0; ticks < kMostTicks && rules_.next_tick() <= at; ++ticks) {
    now_ = std::max(now_, rules_.next_tick());
    rules_.tick(now_);
  }
  now_ = std::max(now_, at);
}

std::vector<Action> Judgement::take() {
  for (Action& action : std::exchange(rules_.actions(), {}))
    if (action.kind == Action::Kind::kReport || action.kind == Action::Kind::kSwitchedOff)
      found_.push_back(std::move(action));
  return std::exchange(found_, {});
}

}  // namespace entente::rules
