// What a route remembers of its servers and their players, and for how long.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/core/drops.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/upstream/known_world.h"
#include "proxy/relay/upstream/lookup_waits.h"
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

TEST_CASE("known world: it has the players, the scores and the rules, and neither units nor the map") {
  core::WorldState world = world_of("duel", 1);
  words::Rule rule;
  rule.set_name("friendly fire");
  rule.set_value("off");
  world.fold(rule);
  words::Score score;
  score.set_player(1);
  score.set_wins(3);
  world.fold(score);
  words::TeamScore team;
  team.set_team(words::RED);
  team.set_wins(5);
  world.fold(team);
  words::World map;
  map.set_name("courtyard");
  world.fold(map);
  words::Unit unit;
  unit.set_id(2);
  unit.set_owner(1);
  world.fold(unit);
  const auto rules_of = [](const core::WorldState& of) {
    std::size_t rules = 0;
    of.tell_without_map([&](const core::Fact& fact) { rules += core::as<words::Rule>(fact) != nullptr ? 1 : 0; });
    return rules;
  };
  REQUIRE(rules_of(world) == 1);
  REQUIRE(world.unit(2) != nullptr);
  KnownWorld known;
  known.update(world, 1'000);
  const auto now = known.get(1'000);
  CHECK(now->player(1)->score.wins() == 3);
  CHECK(now->team_scores().at(words::RED).wins() == 5);
  CHECK(rules_of(*now) == 1);
  CHECK(now->unit(2) == nullptr);
  CHECK(now->geometry() == nullptr);
  const auto later = known.get(1'000 + KnownWorld::kPlayersFor);
  CHECK(rules_of(*later) == 1);
  CHECK(later->team_scores().empty());
}

TEST_CASE("known world: once a player has left, the next session that tells of the world is believed at once") {
  KnownWorld known;
  known.update(world_of("first", 1), 100'000);
  known.forget_players();
  CHECK(known.get(100'001)->room().mode() == "first");
  known.update(world_of("second", 2), 100'001);
  CHECK(known.get(100'001)->room().mode() == "second");
  CHECK(known.get(100'001)->player(2) != nullptr);
  known.update(world_of("third", 3), 100'002);  // within a second again
  CHECK(known.get(100'002)->room().mode() == "second");
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

TEST_CASE("server addresses: each failure is remembered from then on, and so is that of each address") {
  constexpr Millis kNow = 5'000;
  const auto address = [](int i) { return *net::Address::parse("192.0.2." + std::to_string(i + 1), 1); };
  const std::vector<net::Address> given{address(0), address(1), address(2)};
  ServerAddresses addresses(given);
  addresses.not_reached(given[0], kNow);
  addresses.not_reached(given[1], kNow + 1'000);
  CHECK(addresses.all(kNow + 1'000) == std::vector{given[2], given[0], given[1]});
  CHECK(addresses.all(kNow + ServerAddresses::kAvoided) == std::vector{given[0], given[2], given[1]});
  addresses.not_reached(given[0], kNow + 2'000);  // again: its time begins anew
  CHECK(addresses.all(kNow + ServerAddresses::kAvoided) == std::vector{given[2], given[0], given[1]});
  addresses.reached(given[0]);
  CHECK(addresses.all(kNow + 2'000) == std::vector{given[0], given[2], given[1]});
}

TEST_CASE("server addresses: of more failures than a name has addresses, the oldest is forgotten") {
  constexpr Millis kNow = 5'000;
  std::vector<net::Address> given;
  for (std::size_t i = 0; i <= net::kMostAddresses; ++i)
    given.push_back(*net::Address::parse("192.0.2." + std::to_string(i + 1), 1));
  ServerAddresses addresses(given);
  for (const net::Address& one : given) addresses.not_reached(one, kNow);
  CHECK(addresses.all(kNow) == given);  // only the first is not avoided: it is tried first
  for (std::size_t i = 0; i < 3; ++i) addresses.not_reached(given[1], kNow);
  CHECK(addresses.all(kNow).front() == given[0]);
  CHECK(addresses.all(kNow)[1] == given[1]);  // no other was forgotten for it
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

TEST_CASE("player numbers: there are 64, each for one client at a time, and the lowest free one comes first") {
  PlayerNumbers numbers;
  std::vector<PlayerNumbers::Number> all;
  for (std::uint32_t i = 0; i < PlayerNumbers::kMost; ++i) {
    all.push_back(numbers.take());
    REQUIRE(all.back());
    CHECK(*all.back() == i);
  }
  CHECK_FALSE(static_cast<bool>(numbers.take()));
  all[63] = {};
  all[5] = {};
  all[40] = {};
  CHECK(*(all[5] = numbers.take()) == 5);
  CHECK(*(all[40] = numbers.take()) == 40);
  CHECK(*(all[63] = numbers.take()) == 63);
  CHECK_FALSE(static_cast<bool>(numbers.take()));
  all[63].set_joins(true);
  CHECK(all[62].is_next());  // only lower numbers go first
  CHECK(all[63].is_next());
  all[0].set_joins(true);
  CHECK_FALSE(all[63].is_next());
  CHECK(all[0].is_next());
}

TEST_CASE("player numbers: a number that is passed on is given back once, by its last owner") {
  PlayerNumbers numbers;
  PlayerNumbers::Number first = numbers.take();
  {
    PlayerNumbers::Number moved = std::move(first);
    CHECK_FALSE(first);  // NOLINT: that is what is tested
    moved.set_joins(true);
    first = std::move(moved);
  }
  REQUIRE(first);
  const PlayerNumbers::Number second = numbers.take();
  CHECK(*second == 1);
  CHECK_FALSE(second.is_next());
  first = {};
  CHECK(second.is_next());
  CHECK(*numbers.take() == 0);
}

struct Waits final : LookupWaits::User {
  Waits(LookupWaits& its, std::vector<int>& its_called, int its_number)
      : all(its), called(its_called), number(its_number) {}
  void looked_up() override {
    called.push_back(number);
    if (again) all.add(static_cast<LinkId>(number), *this);
    if (other != nullptr) all.remove(static_cast<LinkId>(other->number), *other);
  }
  LookupWaits& all;
  std::vector<int>& called;
  const int number;
  bool again = false;      // waits for another name
  Waits* other = nullptr;  // leaves when this one is called
};

TEST_CASE("lookups: who waits is called once, in the order of the sessions, when a lookup has ended") {
  LookupWaits all;
  std::vector<int> called;
  Waits first(all, called, 1), second(all, called, 2), third(all, called, 3), twin(all, called, 3);
  all.tell(5);  // nobody waits
  for (Waits* one : {&third, &first, &second}) all.add(static_cast<LinkId>(one->number), *one);
  all.add(3, twin);  // of the same session
  all.tell(5);       // none has ended since
  CHECK(called.empty());
  all.remove(2, second);
  all.tell(6);
  CHECK(called == std::vector<int>{1, 3, 3});
  all.tell(7);
  CHECK(called.size() == 3);
}

TEST_CASE("lookups: who waits again is called after the next one, and who leaves meanwhile is not called") {
  LookupWaits all;
  std::vector<int> called;
  Waits first(all, called, 1), second(all, called, 2), third(all, called, 3);
  for (Waits* one : {&first, &second, &third}) all.add(static_cast<LinkId>(one->number), *one);
  first.again = true;
  first.other = &second;
  all.tell(1);
  CHECK(called == std::vector<int>{1, 3});
  first.again = false;
  all.tell(1);
  CHECK(called.size() == 2);
  all.tell(2);
  CHECK(called == std::vector<int>{1, 3, 1});
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

TEST_CASE(
    "slot queue: other nodes are told of claims for thirty seconds after a refusal, or while somebody waits there") {
  SlotQueue queue;
  const int ours = 0;
  queue.add(&ours, {1'000, 1});
  queue.refused(5'000);
  CHECK(queue.claims(34'999).size() == 1);
  CHECK(queue.claims(35'000).empty());
  queue.set_elsewhere(2'000);
  CHECK(queue.claims(60'000).size() == 1);
  queue.set_elsewhere(std::nullopt);
  CHECK(queue.claims(60'000).empty());
}

TEST_CASE("slot queue: a claim is gone when it is withdrawn, and with the last one the whole queue") {
  SlotQueue queue;
  const int ours = 0, theirs = 0, nobodys = 0;
  queue.refused(5'000);
  queue.remove(&nobodys, {1'000, 1});
  queue.add(&ours, {1'000, 1});
  queue.add(&ours, {3'000, 2});
  queue.add(&theirs, {2'000, 3});
  CHECK(queue.has_turn(&ours, 5'000));
  CHECK_FALSE(queue.has_turn(&theirs, 5'000));
  queue.remove(&ours, {1'000, 1});
  CHECK_FALSE(queue.has_turn(&ours, 5'000));
  CHECK(queue.has_turn(&theirs, 5'000));
  CHECK(queue.others_wait(&theirs, 5'000));
  queue.remove(&ours, {3'000, 2});
  CHECK_FALSE(queue.others_wait(&theirs, 5'000));
  CHECK(queue.has_turn(&nobodys, 5'000));  // it has no claim
}

TEST_CASE("slot queue: who came less than a tenth of a second later does not wait for the other") {
  SlotQueue queue;
  const int first = 0, second = 0, third = 0;
  queue.refused(5'000);
  queue.add(&first, {1'000, 1});
  queue.add(&second, {1'100, 2});
  CHECK(queue.has_turn(&second, 5'000));
  queue.add(&third, {1'101, 3});
  CHECK_FALSE(queue.has_turn(&third, 5'000));
  CHECK(queue.has_turn(&first, 5'000));
}

TEST_CASE("slot queue: claims of others here count only for thirty seconds after a refusal, those elsewhere always") {
  SlotQueue queue;
  const int ours = 0, theirs = 0;
  queue.add(&ours, {2'000, 1});
  queue.add(&theirs, {1'000, 2});
  CHECK_FALSE(queue.others_wait(&ours, 5'000));
  queue.refused(5'000);
  CHECK(queue.others_wait(&ours, 34'999));
  CHECK_FALSE(queue.others_wait(&ours, 35'000));
  CHECK(queue.has_turn(&ours, 35'000));
  queue.set_elsewhere(1'500);
  CHECK(queue.others_wait(&ours, 90'000));
  CHECK_FALSE(queue.has_turn(&ours, 90'000));
}

TEST_CASE("slot queue: a queue that lost its patience ignores the others for a minute, or until the next refusal") {
  SlotQueue queue;
  const int ours = 0;
  queue.add(&ours, {9'000, 1});
  queue.set_elsewhere(1'000);
  Millis now = 10'000;
  for (; now < 10'000 + SlotQueue::kPatience; now += 1'000) CHECK_FALSE(queue.has_turn(&ours, now));
  CHECK(queue.has_turn(&ours, now));
  CHECK(queue.has_turn(&ours, now + SlotQueue::kIgnored - 1));
  CHECK_FALSE(queue.has_turn(&ours, now + SlotQueue::kIgnored));
}

TEST_CASE("slot queue: patience begins anew after 2.5 seconds without a question, and when the oldest claim changes") {
  SlotQueue queue;
  const int ours = 0;
  queue.add(&ours, {9'000, 1});
  queue.set_elsewhere(1'000);
  const auto patient_until = [&](Millis now, Millis until, Millis step) {
    for (; now < until; now += step) CHECK_FALSE(queue.has_turn(&ours, now));
    return queue.has_turn(&ours, until);
  };
  CHECK(patient_until(10'000, 20'000, 2'500));
  queue.refused(20'000);
  CHECK_FALSE(patient_until(30'000, 40'001, 2'501));  // each question is a first one
  queue.refused(50'000);
  CHECK_FALSE(queue.has_turn(&ours, 60'000));
  CHECK_FALSE(queue.has_turn(&ours, 62'000));
  queue.set_elsewhere(2'000);
  CHECK(patient_until(64'000, 74'000, 2'000));
}

TEST_CASE("slot queue: that a slot is free is told elsewhere only if somebody waits there") {
  SlotQueue queue;
  queue.freed();
  CHECK(queue.times_freed() == 0);
  queue.set_elsewhere(1'000);
  queue.freed();
  queue.freed();
  CHECK(queue.times_freed() == 2);
  queue.set_elsewhere(std::nullopt);
  queue.freed();
  CHECK(queue.times_freed() == 2);
  CHECK(queue.freed_elsewhere_at() == 0);
  queue.freed_elsewhere(7'000);
  CHECK(queue.freed_elsewhere_at() == 7'000);
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

TEST_CASE("slot queue: a queue that went ahead after its patience, and was refused, is held back again at once") {
  SlotQueue queue;
  const int ours = 0;
  queue.add(&ours, {900, 1});
  queue.set_elsewhere(100);
  Millis now = 1'000;
  for (; now < 1'000 + SlotQueue::kPatience; now += 1'000) CHECK_FALSE(queue.has_turn(&ours, now));
  CHECK(queue.has_turn(&ours, now));
  queue.refused(now);
  CHECK_FALSE(queue.has_turn(&ours, now + 1'000));
}

}  // namespace
}  // namespace entente::relay::known_test
