// What a route remembers of its servers and their players, and for how long.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "proxy/core/drops.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/upstream/known_world.h"
#include "proxy/relay/upstream/player_numbers.h"
#include "proxy/relay/upstream/server_addresses.h"
#include "proxy/relay/upstream/slot_queue.h"

namespace entente::relay::known_test {
namespace {

core::WorldState world_of(const char* mode, core::Id player) {
  core::WorldState world;
  words::Room room;
  room.set_mode(mode);
  world.fold(room);
  words::Player word;
  word.set_id(player);
  world.fold(word);
  return world;
}

TEST_CASE("known world: a copy a second, whose players are believed for five seconds") {
  constexpr Millis kBegan = 100'000;
  KnownWorld known;
  CHECK(known.get(kBegan) == nullptr);
  known.update(world_of("first", 1), kBegan);
  known.update(world_of("second", 2), kBegan + KnownWorld::kEvery - 1);
  CHECK(known.get(kBegan + KnownWorld::kPlayersFor - 1)->room().mode() == "first");
  CHECK(known.get(kBegan + KnownWorld::kPlayersFor - 1)->player(1) != nullptr);
  CHECK(known.get(kBegan + KnownWorld::kPlayersFor)->room().mode() == "first");
  CHECK(known.get(kBegan + KnownWorld::kPlayersFor)->players().empty());
  known.update(world_of("second", 2), kBegan + KnownWorld::kEvery);
  CHECK(known.get(kBegan + KnownWorld::kEvery)->player(2) != nullptr);
  known.forget_players();
  CHECK(known.get(kBegan + KnownWorld::kEvery)->players().empty());
}

TEST_CASE("server addresses: one that was not reached is tried last, for a while") {
  constexpr Millis kNow = 5'000;
  const auto address = [](const char* text) { return *net::Address::parse(text); };
  const std::vector<net::Address> given{address("192.0.2.1:1"), address("192.0.2.2:1"), address("192.0.2.3:1")};
  const std::vector<net::Address> turned{given[1], given[2], given[0]};
  ServerAddresses addresses(given);
  CHECK(addresses.all(kNow) == given);
  addresses.not_reached(given[0], kNow);
  CHECK(addresses.all(kNow) == turned);
  CHECK(addresses.all(kNow + ServerAddresses::kAvoided - 1) == turned);
  CHECK(addresses.all(kNow + ServerAddresses::kAvoided) == given);
  addresses.not_reached(given[0], kNow);
  addresses.reached(given[0]);
  CHECK(addresses.all(kNow) == given);
}

TEST_CASE("player numbers: who leaves while it joins holds up nobody, and its number is free again") {
  PlayerNumbers numbers;
  std::optional<PlayerNumbers::Number> first(numbers.take()), second(numbers.take());
  CHECK(**first == 0);
  CHECK(**second == 1);
  first->set_joins(true);
  CHECK(first->is_next());
  CHECK_FALSE(second->is_next());
  first.reset();
  CHECK(second->is_next());
  PlayerNumbers::Number other = numbers.take();
  CHECK(*other == 0);
  CHECK(second->is_next());  // the other one does not join yet
  other.set_joins(true);
  CHECK_FALSE(second->is_next());
  other.set_joins(false);
  CHECK(second->is_next());
}

TEST_CASE("slot queue: other nodes are told of the oldest claims, and of no more than they accept") {
  SlotQueue queue;
  const int ours = 0, theirs = 0;  // two routes
  for (std::uint64_t number = SlotQueue::kMostClaims + 50; number > 0; --number)
    queue.add(number % 2 == 0 ? &ours : &theirs, {1'000 + number, number});
  CHECK(queue.claims(5'000).empty());  // no slot was refused
  queue.refused(5'000);
  const auto told = queue.claims(5'000);
  REQUIRE(told.size() == SlotQueue::kMostClaims);
  for (std::size_t i = 0; i < told.size(); ++i) CHECK(told[i].number == i + 1);
}

TEST_CASE("losses: those of each word are counted, whatever session they come from") {
  Losses losses;
  for (int session = 0; session < 2; ++session) {
    core::Ledger ledger;
    ledger.add(core::drops::kServerAway, "Fire");
    ledger.add(core::drops::kServerAway, "Fire");
    ledger.add(core::drops::kServerAway, "Say");
    ledger.add(core::drops::kFlooded);
    losses.add(ledger);
  }
  std::vector<std::string> all;
  for (const auto& one : losses.all())
    all.push_back((one.word != nullptr ? one.word : "") + std::string(" ") + std::to_string(one.times));
  CHECK(all == std::vector<std::string>{"Fire 4", "Say 2", " 2"});
}

}  // namespace
}  // namespace entente::relay::known_test
