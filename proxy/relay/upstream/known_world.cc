#include "proxy/relay/upstream/known_world.h"

#include <variant>

namespace entente::relay {
namespace {

/// Whether a query is answered with this.
bool is_told(const core::Fact& fact, bool with_players) {
  const bool rules = core::as<words::Room>(fact) != nullptr || core::as<words::Rule>(fact) != nullptr;
  return rules ||
         (with_players && (core::as<words::Player>(fact) != nullptr || core::as<words::Score>(fact) != nullptr ||
                           core::as<words::TeamScore>(fact) != nullptr));
}

std::shared_ptr<const core::WorldState> copy_of(const core::WorldState& world, bool with_players) {
  auto copy = std::make_shared<core::WorldState>();
  world.tell_without_map([&](const core::Fact& fact) {
    if (is_told(fact, with_players)) copy->fold(fact);
  });
  return copy;
}

}  // namespace

void KnownWorld::update(const core::WorldState& world, Millis now) {
  const std::lock_guard lock(mutex_);
  if (world_ && now < updated_at_ + kEvery) return;
  updated_at_ = now;
  world_ = copy_of(world, true);
  without_players_ = copy_of(world, false);
}

void KnownWorld::forget_players() {
  const std::lock_guard lock(mutex_);
  updated_at_ = 0;
  world_ = without_players_;
}

std::shared_ptr<const core::WorldState> KnownWorld::get(Millis now) {
  const std::lock_guard lock(mutex_);
  return now < updated_at_ + kPlayersFor ? world_ : without_players_;
}

}  // namespace entente::relay
