#include "proxy/core/bot/stand_ins.h"

#include <algorithm>

namespace entente::core {

void StandIns::heard(const Fact& fact) {
  changed_ |= as<words::Player>(fact) != nullptr || as<words::PlayerGone>(fact) != nullptr;
}

bool StandIns::has(Id player) const {
  return std::any_of(there_.begin(), there_.end(), [player](const One& one) { return one.id == player; });
}

void StandIns::look_after(Room& room, Micros now) {
  if (options_.least == 0 || !std::exchange(changed_, false) || room.over()) return;
  std::erase_if(there_, [&](const One& one) { return room.world().player(one.id) == nullptr; });
  const std::size_t people = this->people(room.world());
  const std::size_t wanted = options_.least > people ? options_.least - people : 0;
  for (std::size_t short_of = wanted > there_.size() ? wanted - there_.size() : 0; short_of > 0; --short_of)
    invite(room, now);
  while (there_.size() > wanted) {
    const Id last = there_.back().id;
    there_.pop_back();
    room.dismiss(last, "a player joined", now);
  }
}

void StandIns::invite(Room& room, Micros now) {
  BotOptions options = options_.each;
  const std::uint32_t number = free_number();
  if (number <= options_.names.size())
    options.name = options_.names[number - 1];
  else
    options.name += "-" + std::to_string(number);
  there_.push_back({0, number});
  there_.back().id = room.seat(std::make_unique<Bot>(options), {}, now);
}

std::uint32_t StandIns::free_number() const {
  std::uint32_t number = 1;
  const auto taken = [&](const One& one) { return one.number == number; };
  while (std::any_of(there_.begin(), there_.end(), taken)) ++number;
  return number;
}

/// The number of players who are not these bots.
std::size_t StandIns::people(const WorldState& world) const {
  return static_cast<std::size_t>(std::count_if(
      world.players().begin(), world.players().end(),
      [this](const auto& entry) { return entry.second.player.role() != words::WATCH && !has(entry.first); }));
}

}  // namespace entente::core
