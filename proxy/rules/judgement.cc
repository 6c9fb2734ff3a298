#include "proxy/rules/judgement.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace entente::rules {

void Judgement::hear(const core::Fact& fact) {
  now_ = std::max(now_, fact.at);
  if (rules_) rules_->tick(now_);
  const bool enters = core::as<words::Player>(fact) != nullptr;
  world_.fold(fact);
  if (!rules_ && enters) begin();
  if (rules_) rules_->told(fact, now_);
}

void Judgement::hear(core::Intent intent) {
  now_ = std::max(now_, intent.at);
  if (rules_) rules_->tick(now_);
  if (!rules_ && core::as<words::Enter>(intent) != nullptr) begin();
  if (rules_) rules_->hear(intent, now_);
}

void Judgement::become(core::WorldState world, core::Micros at, core::Micros until) {
  end(until);
  now_ = std::max(now_, at);
  if (rules_) rules_->skip(now_);
  world_ = std::move(world);
  if (!rules_) return begin();
  for (const auto& [id, player] : world_.players()) {
    core::Fact fact(player.player);
    fact.at = now_;
    rules_->told(fact, now_);
  }
}

void Judgement::end(core::Micros at) {
  now_ = std::max(now_, at);
  if (rules_) rules_->tick(now_);
}

void Judgement::begin() { rules_.emplace(set_, static_cast<const RoomView&>(*this), options_, now_); }

std::vector<Action> Judgement::take() {
  std::vector<Action> found;
  if (!rules_) return found;
  auto all = std::exchange(rules_->actions(), {});
  std::copy_if(
      std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()), std::back_inserter(found),
      [](const Action& one) { return one.kind == Action::Kind::kReport || one.kind == Action::Kind::kSwitchedOff; });
  return found;
}

}  // namespace entente::rules
