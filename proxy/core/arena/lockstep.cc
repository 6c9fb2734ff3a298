#include "proxy/core/arena/lockstep.h"

#include <algorithm>
#include <cmath>

#include "proxy/core/drops.h"
#include "proxy/core/seconds.h"

namespace entente::core {
namespace {

std::size_t size_of(const Intent& intent) {
  return Lockstep::kEach + std::visit([](const auto& word) { return word.ByteSizeLong(); }, intent.content);
}

}  // namespace

/// Nothing: the intent asks for no step, or for none that is allowed.
std::optional<Micros> Lockstep::length_of(const Intent& intent) const {
  const auto* wish = as<words::Playback>(intent);
  if (wish == nullptr || !wish->has_by_s() || !(wish->by_s() > 0)) return std::nullopt;
  const double ticks = std::max(1.0, std::round(wish->by_s() * kSecond / static_cast<double>(tick_)));
  if (!(ticks <= static_cast<double>(kMostTicks))) return std::nullopt;
  return static_cast<Micros>(ticks) * tick_;
}

bool Lockstep::collects(Intent& intent) {
  if (as<words::Enter>(intent) != nullptr) {
    players_.try_emplace(intent.by);  // what follows in the same message is collected, too
    return false;
  }
  if (as<words::Leave>(intent) != nullptr) return left(intent.by), false;
  const auto at = players_.find(intent.by);
  if (at == players_.end() || as<words::Resume>(intent) != nullptr) return false;
  Player& player = at->second;
  if (player.size > kMostCollected) return drops_.add(drops::kCollectedTooMany, name_of(intent)), true;
  if (length_of(intent)) {
    ++player.asks;
    player.awaited = player.plays;
  }
  player.size += size_of(intent);
  player.collected.push_back(std::move(intent));
  return true;
}

void Lockstep::entered(Id player, bool plays) {
  Player& known = players_[player];
  if (std::exchange(known.plays, plays) != plays) known.awaited = plays;
}

void Lockstep::left(Id player) {
  const auto at = players_.find(player);
  if (at == players_.end()) return;
  drop_collected(at->second);
  players_.erase(at);
}

void Lockstep::all_left() {
  for (const auto& [id, player] : players_) drop_collected(player);
  players_.clear();
}

void Lockstep::drop_collected(const Player& player) {
  for (const Intent& intent : player.collected) drops_.add(drops::kLeftBeforeStep, name_of(intent));
}

bool Lockstep::is_full(Id player) const {
  const auto at = players_.find(player);
  return at != players_.end() && at->second.size > kMostCollected;
}

bool Lockstep::may_advance(Millis wall) {
  bool asked = false, missing = false;
  for (const auto& [id, player] : players_) {
    const bool has_asked = player.step || player.asks != 0;
    asked |= has_asked;
    missing |= player.awaited && !has_asked;
  }
  if (asked && missing) {
    if (!since_) since_ = wall;
    if (wall < *since_ + kPatience) return false;
    for (auto& [id, player] : players_)
      if (player.awaited && !player.step && player.asks == 0) {
        player.awaited = false;
        late_.push_back(id);
      }
  }
  since_.reset();
  return asked;
}

/// Of a player who has asked, what it said before; of the others, all.
std::vector<std::vector<Intent>> Lockstep::begin(Micros now) {
  std::vector<std::vector<Intent>> all;
  for (auto& [id, player] : players_) {
    std::vector<Intent> words;
    while (!player.step && !player.collected.empty()) {
      Intent intent = std::move(player.collected.front());
      player.collected.pop_front();
      player.size -= size_of(intent);
      if (const auto length = length_of(intent)) {
        player.step = {id, intent.number, now + *length};
        --player.asks;
      } else {
        words.push_back(std::move(intent));
      }
    }
    if (!words.empty()) all.push_back(std::move(words));
  }
  return all;
}

Micros Lockstep::until() const {
  Micros first = UINT64_MAX;
  for (const auto& [id, player] : players_)
    if (player.step) first = std::min(first, player.step->until);
  return first;
}

std::vector<Lockstep::Step> Lockstep::take_due(Micros now) {
  std::vector<Step> due;
  for (auto& [id, player] : players_)
    if (player.step && player.step->until <= now) due.push_back(*std::exchange(player.step, std::nullopt));
  return due;
}

}  // namespace entente::core
