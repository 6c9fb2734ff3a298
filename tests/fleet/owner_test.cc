// The owner's side of an arena, without the bus.
#include "proxy/fleet/arena/owner_side.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/core/drops.h"
#include "proxy/fleet/arena/far_guest.h"
#include "tests/fleet/owned.h"

namespace entente::fleet::owner_test {
namespace {

using testing::closed, testing::enter, testing::from_edge, testing::from_seats, testing::leave, testing::nothing,
    testing::open, testing::Owned, testing::pass_time, testing::say_hello, testing::Says, testing::stored,
    testing::with_parts, testing::worlds;

TEST_CASE("many facts of one turn are published once and whole, in messages that NATS accepts") {
  Owned it;
  it.owner->turn_ends();
  it.published.clear();
  constexpr int kSome = 12'000;
  for (int i = 0; i < kSome; ++i) {
    words::Said said;
    said.set_text(std::string(100, 'x') + std::to_string(i));
    it.owner->told(core::Fact(said));
  }
  it.owner->turn_ends();
  int count = 0;
  for (std::size_t i = 0; i < it.published.size(); ++i) {
    CHECK(it.published[i].ByteSizeLong() < 600'000);
    if (i != 0) CHECK(it.published[i].number() == it.published[i - 1].number() + 1);
    for (const auto& fact : it.published[i].facts())
      if (fact.has_said() && fact.said().text() == std::string(100, 'x') + std::to_string(count)) ++count;
  }
  CHECK(count == kSome);
}

TEST_CASE("an arena is stored again and again, one time after the other, also after a failure") {
  Owned it;
  const auto is_stored = [&](std::size_t times) {
    const Millis end = steady_now() + 30'000;
    while (it.stores < times && steady_now() < end) uv_run(it.loop.raw(), UV_RUN_ONCE);
    return it.stores == times;
  };
  CHECK(is_stored(1));
  const Millis later = it.loop.now() + kStoreEvery + 200;
  CHECK(it.until([&] { return it.loop.now() >= later; }));
  CHECK(it.stores == 1);  // the first time is not over
  it.owner->stored(false);
  CHECK(it.arena.counts->stored == 0);
  CHECK(is_stored(2));
  it.owner->stored(true);
  CHECK(it.arena.counts->stored == 1);
  CHECK(is_stored(3));
}

TEST_CASE("an arena that cannot be stored is stored again after a pause that gets longer") {
  Owned it;
  const auto pause_before = [&](std::size_t times) {
    const Millis begin = it.loop.now();
    CHECK(it.until([&] { return it.stores == times; }));
    return it.loop.now() - begin;
  };
  pause_before(1);
  it.owner->stored(false);
  CHECK(pause_before(2) >= 2 * kStoreEvery);
  it.owner->stored(false);
  CHECK(pause_before(3) >= 4 * kStoreEvery);
  it.owner->stored(true);
  CHECK(pause_before(4) < 4 * kStoreEvery);
}

TEST_CASE("a fact that is too large for a message leaves a gap, so that all nodes want the world") {
  Owned it;
  const auto last = [&] {
    words::Said said;
    said.set_text("small");
    it.owner->told(core::Fact(said));
    pass_time(it);
    return it.published.back().number();
  };
  const std::uint64_t before = last();
  CHECK(last() == before + 1);
  words::Said large;
  large.set_text(std::string(2U << 20U, 'x'));
  it.owner->told(core::Fact(large));
  CHECK(last() == before + 3);
  for (const auto& message : it.published) CHECK(message.ByteSizeLong() < 600'000);
}

TEST_CASE("a message of a node that comes twice is carried out once") {
  Owned it;
  const auto turns = [&] { pass_time(it); };
  const auto hellos = [&] {
    int count = 0;
    for (const bus::Facts& facts : it.published)
      for (const auto& fact : facts.facts()) count += fact.has_said() && fact.said().text() == "hello" ? 1 : 0;
    return count;
  };
  it.owner->read("edge", from_edge(1, open));
  turns();
  it.owner->read("edge", from_edge(2, enter));
  turns();
  for (int times = 0; times < 3; ++times) {
    it.owner->read("edge", from_edge(3, say_hello));
    turns();
    CHECK(hellos() == 1);
    CHECK(it.arena.counts->refused == static_cast<std::uint64_t>(times));
  }
  it.owner->read("edge", from_edge(4, say_hello));
  turns();
  CHECK(hellos() == 2);
}

TEST_CASE("an Enter that comes again counts only if the first one was lost, and a snapshot says whether it was") {
  Owned it;
  const auto entered = [&] {
    int count = 0;
    for (const bus::Facts& facts : it.published)
      for (const auto& fact : facts.facts()) count += fact.has_player() && fact.player().name() == "anna" ? 1 : 0;
    return count;
  };
  const auto enter_again = [](bus::FromNode& message) {
    enter(message);
    message.mutable_parts(0)->set_again(true);
  };
  const auto snapshot = [&] {
    bus::Snapshot last;
    for (const bus::ToNode& one : it.sent)
      if (one.has_piece()) REQUIRE(last.ParseFromString(one.piece().bytes()));
    REQUIRE(last.seats_size() == 1);
    return last;
  };
  std::uint64_t number = 1;
  it.owner->read("edge", from_edge(number, open));
  pass_time(it);
  bool lost = false;
  SUBCASE("it was lost") { lost = true; }
  SUBCASE("it was not lost") {
    it.owner->read("edge", from_edge(2, enter));
    pass_time(it);
    CHECK(entered() == 1);
  }
  it.owner->read("edge", from_edge(3, [](bus::FromNode& message) { message.set_wants_world(true); }));
  CHECK(snapshot().seats(0).entered() == !lost);
  for (number = 4; number < 6; ++number) {
    it.owner->read("edge", from_edge(number, enter_again));
    pass_time(it);
    CHECK(entered() == 1);
  }
  for (const bus::ToNode& one : it.sent)
    for (const auto& part : one.parts()) CHECK_FALSE(part.fact().has_notice());
  CHECK(it.arena.counts->refused == 0);
}

TEST_CASE("a message of a node is for the owner that it names, or for any") {
  Owned it;
  const auto opens = [](std::uint64_t epoch) {
    return from_edge(1, [=](bus::FromNode& message) {
      open(message);
      message.set_epoch(epoch);
    });
  };
  for (const std::uint64_t other : {2U, 4U}) it.owner->read("edge", opens(other));
  CHECK(it.arena.counts->players == 0);
  CHECK(it.arena.counts->refused == 2);
  it.owner->read("edge", opens(0));
  CHECK(it.arena.counts->players == 1);
  CHECK(it.arena.counts->refused == 2);
}

TEST_CASE("each of several processes of a node keeps its players, and one that is forgotten is told so") {
  Owned it;
  const auto last_to_first = [&] {
    it.owner->turn_ends();
    const auto last = std::find_if(it.sent.rbegin(), it.sent.rend(), [](const auto& one) { return one.run() == 1; });
    return last != it.sent.rend() ? *last : bus::ToNode();
  };
  constexpr std::uint64_t kMost = 16;
  for (std::uint64_t run = 1; run <= kMost; ++run) it.owner->read("edge", from_edge(1, open, run));
  CHECK(it.arena.counts->players == kMost);
  it.owner->read("edge", from_edge(2, [](bus::FromNode& message) { message.set_wants_world(true); }));
  const std::uint64_t number = last_to_first().number();
  CHECK(number != 0);
  for (std::uint64_t run = 2; run <= kMost; ++run) it.owner->read("edge", from_edge(2, enter, run));
  it.owner->read("edge", from_edge(1, open, kMost + 1));  // the first one was silent for longest, perhaps
  CHECK(it.arena.counts->players == kMost);
  std::uint64_t said = 2;
  CHECK(it.until([&] {  // another process gives way only after a while
    it.owner->read("edge", from_edge(++said, say_hello));
    return last_to_first().number() > number + 1 && last_to_first().has_piece();
  }));
  CHECK(it.arena.counts->players == kMost - 1);
}

/// Runs the loop until there are so many players. The node speaks meanwhile: else it would be lost on a busy machine.
bool enter_all(Owned& it, std::uint64_t& number, std::size_t players) {
  return it.until([&] {
    uv_update_time(it.loop.raw());  // a node is silent since the loop's time at its last message
    it.owner->read("edge", from_seats(++number, 0, {}));
    return it.room->world().players().size() == players;
  });
}

std::function<void(bus::FromNode&)> say_long(std::size_t size) {
  return [size](bus::FromNode& message) {
    message.add_parts()->mutable_intent()->mutable_say()->set_text(std::string(size, 'x'));
  };
}

/// The texts that nodes were sent for single players, teams or admins, as "RUN: text".
std::vector<std::string> notices(const Owned& it) {
  std::vector<std::string> all;
  for (const bus::ToNode& one : it.sent)
    for (const auto& part : one.parts())
      if (part.fact().has_notice()) all.push_back(std::to_string(one.run()) + ": " + part.fact().notice().text());
  return all;
}

/// How often players were told so.
std::ptrdiff_t told_held_too_many(const Owned& it) {
  const std::vector<std::string> all = notices(it);
  return std::count(all.begin(), all.end(), "1: not passed on: Say: too many requests while the player waits to enter");
}

std::uint64_t held_too_many(const Owned& it) {
  std::uint64_t times = 0;
  for (const auto& one : it.room->room().ledger().entries())
    if (one.line == &core::drops::kHeldTooMany) times += one.times;
  return times;
}

TEST_CASE("of a player of another node who waits for a seat, a bounded number of intents is kept") {
  Owned it;
  it.owner->read("edge", from_edge(1, [](bus::FromNode& message) {
                   open(message);
                   enter(message);
                   for (std::size_t i = 0; i < FarGuest::kMostWaiting + 10; ++i) say_hello(message);
                 }));
  CHECK(it.arena.counts->refused == 11);
  // Once for all of them. Of those that the room is given, it keeps 64.
  CHECK(it.until([&] {
    it.owner->turn_ends();
    return told_held_too_many(it) != 0;
  }));
  pass_time(it);
  CHECK(told_held_too_many(it) == 1);
  CHECK(held_too_many(it) == 11 + FarGuest::kMostWaiting - 64);
}

TEST_CASE("a player of another node is told what is refused while it waits to enter") {
  Limits limits;
  limits.enters_per_second = limits.enters_burst = 1;
  Owned it({}, limits);
  std::uint64_t number = 0;
  it.owner->read("edge", from_seats(++number, 2, open));
  pass_time(it);
  it.owner->read("edge", from_seats(++number, 2, enter));
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  it.sent.clear();
  it.owner->read("edge", from_seats(++number, 2, say_long(70'000)));
  pass_time(it);
  CHECK(told_held_too_many(it) == 1);
  it.owner->read("edge", from_seats(++number, 2, say_long(70'000)));
  pass_time(it);
  CHECK(told_held_too_many(it) == 1);
  CHECK(it.arena.counts->refused == 2);
  CHECK(held_too_many(it) == 2);
  CHECK(it.room->world().players().size() == 1);
}

TEST_CASE("a player of another node who leaves or is sent away while it waits is in no queue any more") {
  Limits limits;
  limits.enters_per_second = limits.enters_burst = 1;
  Owned it({}, limits);
  std::uint64_t number = 0;
  const auto leaves = [&](std::uint32_t seat) {
    bus::FromNode message;
    message.set_epoch(3);
    message.set_run(1);
    message.set_number(++number);
    message.add_parts()->set_seat(seat);
    message.mutable_parts(0)->mutable_close()->set_why("left");
    it.owner->read("edge", as_bytes(message.SerializeAsString()));
  };
  it.owner->read("edge", from_seats(++number, 2, open));
  SUBCASE("for its seat") { leaves(2); }
  SUBCASE("to enter") {
    pass_time(it);
    it.owner->read("edge", from_seats(++number, 2, enter));
    pass_time(it);
    REQUIRE(it.room->world().players().size() == 1);
    bus::ToNode::Seat waits;
    for (const bus::ToNode& one : it.sent)
      for (const auto& part : one.parts())
        if (part.has_seat() && it.room->world().player(part.seat().player()) == nullptr) waits = part.seat();
    REQUIRE(waits.player() != 0);
    SUBCASE("leaves") { leaves(waits.seat()); }
    SUBCASE("is sent away") {
      it.room->dismiss(waits.player(), "go away");
      pass_time(it);
      CHECK(closed(it) == std::vector<std::string>{std::to_string(waits.seat()) + " go away"});
    }
  }
  pass_time(it);
  CHECK(it.arena.counts->players == 1);
  it.owner->read("edge", from_seats(++number, 3, open));
  pass_time(it);
  it.owner->read("edge", from_seats(++number, 3, enter));
  CHECK(it.until([&] { return it.room->world().players().size() == 3; }));
}

TEST_CASE("of a player of another node who is in play, all intents of a message are passed on") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  say([](bus::FromNode& message) {
    for (std::size_t i = 0; i < 3 * FarGuest::kMostWaiting; ++i)
      message.add_parts()->mutable_intent()->mutable_toward()->set_x(1);
    message.add_parts()->mutable_intent()->mutable_change()->set_motto("gone fishing");
  });
  CHECK(it.arena.counts->refused == 0);
  REQUIRE(it.room->world().players().size() == 1);
  CHECK(it.room->world().players().begin()->second.player.motto() == "gone fishing");
}

TEST_CASE(
    "of a player of another node who waits, a bounded number of bytes is kept; of one in play, all is passed on") {
  Limits limits;
  limits.enters_per_second = limits.enters_burst = 1;
  Owned it({}, limits);
  std::uint64_t number = 0;
  const auto say = [&](std::uint32_t seats, const std::function<void(bus::FromNode&)>& what) {
    it.owner->read("edge", from_seats(++number, seats, what));
  };
  say(2, open);
  SUBCASE("for its seat") { say(2, enter); }
  SUBCASE("to enter") {
    pass_time(it);
    say(2, enter);
    pass_time(it);
  }
  const bool waits = it.room->world().players().size() < 2;
  for (std::uint64_t times = 1; times <= 20; ++times) {
    const std::uint64_t before = it.arena.counts->refused;
    it.owner->read("edge", from_edge(++number, say_long(900'000)));
    it.owner->read("edge", from_seats(++number, 2, say_long(900'000)));
    CHECK((!waits || it.arena.counts->refused > before));
  }
  CHECK(enter_all(it, number, 2));
  pass_time(it);
  const std::uint64_t refused = it.arena.counts->refused;
  say(2, say_long(100'000));
  CHECK(it.arena.counts->refused == refused);
}

TEST_CASE("of all players of a node who wait, a bounded number of bytes is kept, and they can still enter") {
  Owned it;
  constexpr std::uint32_t kSeats = 200;
  constexpr std::size_t kEach = 50'000;
  std::uint64_t number = 0;
  it.owner->read("edge", from_seats(++number, kSeats, open));
  it.owner->read("edge", from_seats(++number, kSeats, say_long(kEach)));
  const std::uint64_t refused = it.arena.counts->refused;
  CHECK(kSeats - refused == FarGuest::kMostNodeOthers / (kEach + 300));
  it.owner->read("edge", from_seats(++number, kSeats, enter));
  CHECK(it.arena.counts->refused == refused);
  it.owner->read("other", from_edge(1, open));
  it.owner->read("other", from_edge(2, say_long(kEach)));
  CHECK(it.arena.counts->refused == refused);
  const auto close = [](bus::FromNode& message) { message.add_parts()->mutable_close()->set_why("left"); };
  it.owner->read("edge", from_seats(++number, kSeats, close));
  CHECK(it.arena.counts->players == 1);
  it.owner->read("edge", from_seats(++number, 1, open));
  it.owner->read("edge", from_seats(++number, 1, say_long(kEach)));
  CHECK(it.arena.counts->refused == refused);
}

TEST_CASE("once a node's players have entered, what they said before no longer counts against those who still wait") {
  Owned it;
  constexpr std::uint32_t kSeats = 80, kMore = 20;
  constexpr std::size_t kEach = 50'000;
  static_assert(kSeats * (kEach + 600) < FarGuest::kMostNodeOthers);
  static_assert((kSeats + kMore) * kEach > FarGuest::kMostNodeOthers);
  std::uint64_t number = 0;
  it.owner->read("edge", from_seats(++number, kSeats, open));
  pass_time(it);
  it.owner->read("edge", from_seats(++number, kSeats, [](bus::FromNode& message) {
                   enter(message);
                   say_long(kEach)(message);
                 }));
  CHECK(enter_all(it, number, kSeats));
  const auto waits = [](bus::FromNode& message) {
    open(message);
    say_long(kEach)(message);
  };
  it.owner->read("edge", from_seats(++number, kSeats + kMore, waits, kSeats + 1));
  CHECK(it.arena.counts->refused == 0);
}

TEST_CASE("a client's wish to resume is for its own node, and a node has a bounded number of players") {
  Owned it;
  SUBCASE("resume") {
    it.owner->read("edge", from_edge(1, [](bus::FromNode& message) {
                     open(message);
                     enter(message);
                     message.add_parts()->mutable_intent()->mutable_resume()->set_player(1);
                   }));
    CHECK(it.arena.counts->players == 1);
  }
  SUBCASE("many players") {
    constexpr std::uint32_t kMost = 5'000;
    bus::FromNode message;
    message.set_epoch(3);
    message.set_run(1);
    message.set_number(1);
    for (std::uint32_t seat = 1; seat <= kMost + 1; ++seat) {
      open(message);
      message.mutable_parts()->rbegin()->set_seat(seat);
    }
    const std::string bytes = message.SerializeAsString();
    it.owner->read("edge", as_bytes(bytes));
    CHECK(it.arena.counts->players == kMost);
    it.owner->turn_ends();
    CHECK(closed(it) == std::vector<std::string>{"5001 the arena has no place for this client"});
  }
  CHECK(it.arena.counts->refused == 1);
}

TEST_CASE("a player who comes by another node, which is forgotten before it is in, changes nothing for the first one") {
  Owned it;
  it.owner->read("edge", from_edge(1, open));
  pass_time(it);
  it.owner->read("edge", from_edge(2, enter));
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  it.owner->read("other", from_edge(1, open));
  pass_time(it);
  it.owner->read("other", from_edge(2, enter));
  CHECK(it.arena.counts->players == 2);
  constexpr std::uint64_t kMost = 16;
  for (std::uint64_t run = 2; run <= kMost + 1; ++run) it.owner->read("other", from_edge(1, open, run));
  CHECK(it.arena.counts->players == 1 + kMost);
  const std::uint64_t until = it.loop.nanos() + 200'000'000;  // some ticks
  while (it.loop.nanos() < until) uv_run(it.loop.raw(), UV_RUN_ONCE);
  CHECK(it.room->world().players().size() == 1);
  it.owner->read("edge", from_edge(3, say_hello));
  pass_time(it);
  CHECK(std::any_of(it.published.begin(), it.published.end(), [](const bus::Facts& facts) {
    return std::any_of(facts.facts().begin(), facts.facts().end(), [](const auto& one) { return one.has_said(); });
  }));
}

TEST_CASE("a player of another node whom the room sends away counts no longer, and its node is told so") {
  Owned it;
  it.owner->read("edge", from_edge(1, open));
  pass_time(it);
  it.owner->read("edge", from_edge(2, enter));
  pass_time(it);
  CHECK(it.arena.counts->players == 1);
  REQUIRE(it.room->world().players().size() == 1);
  it.sent.clear();
  it.room->dismiss(it.room->world().players().begin()->first, "enough");
  pass_time(it);
  CHECK(it.arena.counts->players == 0);
  const auto sent = with_parts(it);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].parts(sent[0].parts_size() - 1).closed().why() == "enough");
}

TEST_CASE("a rule sends away a player of another node, and bans its address") {
  for (const bool bans : {false, true}) {
    const std::string order = bans ? "ban(player, 5, 'enough')" : "kick(player, 'enough')";
    CAPTURE(order);
    std::vector<std::string> banned;  // what is left to do for the program
    const auto book = std::make_shared<relay::RuleBook>(
        "the arena", [&](const relay::RuleBook&, const rules::Action&, const relay::LinkInfo* client) {
          banned.push_back(client != nullptr ? client->client.text() : "nobody");
        });
    auto rule = rules::check_rule("rule.lua", "function on_chat(player) " + order + " end");
    REQUIRE(rule.ok());
    rules::RuleSet set;
    set.push_back(std::move(*rule));
    book->set(std::make_shared<rules::RuleSet>(std::move(set)));
    Owned it({}, {}, book);
    it.owner->read("edge", from_edge(1, open));
    pass_time(it);
    it.owner->read("edge", from_edge(2, enter));
    pass_time(it);
    REQUIRE(it.room->world().players().size() == 1);
    it.sent.clear();
    it.owner->read("edge", from_edge(3, say_hello));
    pass_time(it);
    CHECK(it.arena.counts->players == 0);
    CHECK(it.room->world().players().empty());
    std::string why;
    for (const bus::ToNode& one : it.sent)
      for (const auto& part : one.parts())
        if (part.has_closed()) why += part.closed().why();
    CHECK(why == "enough");
    CHECK(banned == (bans ? std::vector<std::string>{"192.0.2.1:1"} : std::vector<std::string>()));
  }
}

/// The world that the owner sends when the node asks for it.
bus::Snapshot world_for_edge(Owned& it, std::uint64_t number) {
  it.sent.clear();
  it.owner->read("edge", from_edge(number, [](bus::FromNode& message) { message.set_wants_world(true); }));
  const auto world = [&] {
    return std::find_if(it.sent.begin(), it.sent.end(), [](const bus::ToNode& one) { return one.has_piece(); });
  };
  const Millis end = steady_now() + 20'000;
  while (world() == it.sent.end() && steady_now() < end) uv_run(it.loop.raw(), UV_RUN_ONCE);
  REQUIRE(world() != it.sent.end());
  bus::Snapshot snapshot;
  REQUIRE(snapshot.ParseFromString(world()->piece().bytes()));
  return snapshot;
}

TEST_CASE("an Enter that is too long is refused, and a snapshot says that the player has not entered") {
  Owned it;
  it.owner->read("edge", from_edge(1, [](bus::FromNode& message) {
                   open(message);
                   message.add_parts()->mutable_intent()->mutable_enter()->set_motto(
                       std::string(FarGuest::kMostWaitingBytes, 'x'));
                 }));
  CHECK(it.arena.counts->refused == 1);
  const bus::Snapshot snapshot = world_for_edge(it, 2);
  REQUIRE(snapshot.seats_size() == 1);
  CHECK_FALSE(snapshot.seats(0).entered());
}

TEST_CASE("a snapshot says which players of the node were sent away lately, unless they have come in again") {
  Owned it;
  it.owner->read("edge", from_edge(1, open));
  pass_time(it);
  it.owner->read("edge", from_edge(2, enter));
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  it.room->dismiss(it.room->world().players().begin()->first, "enough");
  pass_time(it);
  for (const std::uint64_t number : {3U, 4U}) {  // the first one may be lost, too
    const bus::Snapshot snapshot = world_for_edge(it, number);
    CHECK(snapshot.seats_size() == 0);
    REQUIRE(snapshot.closed_size() == 1);
    CHECK(snapshot.closed(0).seat() == 1);
    CHECK(snapshot.closed(0).why() == "enough");
  }
  it.owner->read("edge", from_edge(5, open));
  pass_time(it);
  const bus::Snapshot snapshot = world_for_edge(it, 6);
  CHECK(snapshot.seats_size() == 1);
  CHECK(snapshot.closed_size() == 0);
}

TEST_CASE("a snapshot says that a player's Enter was refused, and the next one counts, also if it comes as `again`") {
  Owned it;
  std::uint64_t number = 0;
  const auto say = [&](const std::function<void(bus::FromNode&)>& what) {
    it.owner->read("edge", from_edge(++number, what));
    pass_time(it);
  };
  const auto is_refused = [&] {
    return std::any_of(it.sent.begin(), it.sent.end(), [](const bus::ToNode& one) {
      return std::any_of(one.parts().begin(), one.parts().end(), [](auto& part) { return part.fact().has_refused(); });
    });
  };
  say(open);
  say(enter);
  for (int times = 0; times < 50 && !is_refused(); ++times) {  // who comes and goes too often is refused
    say([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_leave(); });
    say(enter);
  }
  REQUIRE(is_refused());
  REQUIRE(it.room->world().players().empty());
  const bus::Snapshot snapshot = world_for_edge(it, ++number);
  REQUIRE(snapshot.seats_size() == 1);
  CHECK_FALSE(snapshot.seats(0).entered());
  const Millis end = steady_now() + 20'000;
  while (it.room->world().players().empty() && steady_now() < end)
    say([](bus::FromNode& message) {
      enter(message);
      message.mutable_parts(0)->set_again(true);
    });
  CHECK(it.room->world().players().size() == 1);
}

TEST_CASE("the next owner learns that a rule has ended the round, and that only a rule begins the next one") {
  for (const bool opens : {false, true}) {
    CAPTURE(opens);
    Owned it;
    it.room->order([](core::Back& back) { static_cast<core::Referee&>(back).close_round(words::TEAM_ANY); });
    if (opens) it.room->order([](core::Back& back) { static_cast<core::Referee&>(back).open_round(); });
    it.owner->room_ends(relay::Reason::kStopped);
    const auto read = read_arena(as_bytes(it.handed_over.SerializeAsString()));
    REQUIRE(read.ok());
    CHECK(read->in_play.closed == !opens);
  }
}

TEST_CASE("a player of the last owner whose game is not known here is left out, and the others return") {
  Owned it({{{"edge", 1, 1}, stored("anna", "chess")}, {{"edge", 1, 2}, stored("ben", "native")}});
  pass_time(it);
  CHECK(it.arena.counts->players == 1);
  CHECK(it.arena.counts->refused == 1);
  REQUIRE(it.room->world().players().size() == 1);
  CHECK(it.room->world().players().begin()->second.player.name() == "ben");
}

TEST_CASE("players of the last owner enter at once, whatever the limit; afterwards it holds for them, too") {
  SavedSeats seats;
  Limits limits;
  limits.enters_per_second = limits.enters_burst = 1;
  for (std::uint32_t number = 1; number <= 3; ++number)
    seats[{"edge", 1, number}] = stored("player " + std::to_string(number), "native");
  Owned it(seats, limits);
  const auto players = [&] { return it.room->world().players().size(); };
  pass_time(it);
  CHECK(players() == 3);
  // The first one leaves and enters, again and again.
  const std::uint64_t began = it.loop.nanos();
  std::uint64_t number = 0, entered = 0;
  const auto say = [&](const std::function<void(bus::FromNode&)>& what) {
    it.owner->read("edge", from_edge(++number, what));
    pass_time(it);
  };
  say([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_say()->set_text("I am here"); });
  for (int times = 0; times < 20 && players() == 3; ++times) {
    say([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_leave(); });
    CHECK(players() == 2);
    say(enter);
    entered += players() == 3;
  }
  CHECK(entered <= 1 + (it.loop.nanos() - began) / 1'000'000'000);
}

TEST_CASE("who comes after a reload has its limits, and who was there keeps those it came with") {
  Limits limits;
  limits.enters_per_second = limits.enters_burst = 1;
  Owned it({}, limits);
  constexpr std::uint32_t kSeats = 50;
  const auto players = [&] { return it.room->world().players().size(); };
  it.owner->read("edge", from_seats(1, 1, open));
  pass_time(it);
  Limits none;
  none.enters_per_second = 0;
  it.arena.limits->set(none);
  it.owner->read("edge", from_seats(2, kSeats, open, 2));
  pass_time(it);
  it.owner->read("edge", from_seats(3, kSeats, enter, 2));
  pass_time(it);
  CHECK(players() == kSeats - 1);
  it.arena.limits->set(limits);
  it.owner->read("edge", from_seats(4, kSeats, leave, 2));
  pass_time(it);
  CHECK(players() == 0);
  it.owner->read("edge", from_seats(5, kSeats, enter, 2));
  pass_time(it);
  CHECK(players() == kSeats - 1);
}

TEST_CASE("a player of the last owner who leaves can enter again at the seat that was taken for its node") {
  Owned it({{{"edge", 1, 1}, stored("anna", "native")}});
  pass_time(it);
  const auto players = [&] { return it.room->world().players().size(); };
  REQUIRE(players() == 1);
  Says say{it};
  say(enter);  // as it does at each new owner
  CHECK(players() == 1);
  say(leave);
  CHECK(players() == 0);
  say(enter);
  CHECK(players() == 1);
  CHECK(it.arena.counts->players == 1);
  CHECK(it.arena.counts->refused == 0);
}

TEST_CASE("what a player has changed while there was no owner is changed at the seat that was taken for its node") {
  Owned it({{{"edge", 1, 1}, stored("anna", "native")}});
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  Says say{it};
  say([](bus::FromNode& message) {
    enter(message);
    message.mutable_parts(0)->mutable_intent()->mutable_enter()->set_motto("gone fishing");
    message.mutable_parts(0)->mutable_intent()->mutable_enter()->set_skin("stripes");
  });
  REQUIRE(it.room->world().players().size() == 1);
  CHECK(it.room->world().players().begin()->second.player.motto() == "gone fishing");
  CHECK(it.room->world().players().begin()->second.player.skin() == "stripes");
}

TEST_CASE("a player who has returned by another node is in once, and the silent node is told that its seat is closed") {
  Owned it;
  Says edge{it}, other{it, "other"};
  edge(open);
  const Millis spoke_at = it.loop.now();
  edge(enter);
  other(open);
  other(enter);
  CHECK(it.until([&] {
    it.owner->turn_ends();
    return !closed(it).empty();
  }));
  CHECK(it.loop.now() - spoke_at >= 2 * kNodeBeat);
  CHECK(closed(it) == std::vector<std::string>{"1 has returned by another node"});
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  CHECK(it.room->world().players().begin()->second.player.name() == "anna");
  CHECK(it.arena.counts->players == 1);
  const bus::Snapshot world = world_for_edge(it, 3);
  CHECK(world.seats_size() == 0);
  REQUIRE(world.closed_size() == 1);
  CHECK(world.closed(0).why() == "has returned by another node");
}

TEST_CASE("who comes by another node under a name that is taken is another player if the first node still speaks") {
  Owned it;
  Says edge{it}, other{it, "other"};
  edge(open);
  edge(enter);
  other(open);
  other(enter);
  CHECK(it.room->world().players().size() == 1);
  CHECK(it.until([&] {
    edge(nothing);
    return it.room->world().players().size() == 2;
  }));
  CHECK(it.arena.counts->players == 2);
}

TEST_CASE("who comes by another node is the player who has that name now, not one who had it") {
  Owned it;
  Says edge{it};
  edge(open);
  edge(enter);
  bool waits = false;
  std::string name = "anna";
  SUBCASE("it has it") { waits = true; }
  SUBCASE("it has another one by now") {
    edge([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_change()->set_name("ben"); });
    REQUIRE(it.room->world().players().begin()->second.player.name() == "ben");
    SUBCASE("which nobody else asks for") {}
    SUBCASE("which the other asks for") {
      name = "ben";
      waits = true;
    }
  }
  SUBCASE("it has left") { edge(leave); }
  SUBCASE("it has left and come back") {
    edge(leave);
    edge(enter);
    waits = true;
  }
  const std::size_t before = it.room->world().players().size();
  Says other{it, "other"};
  other(open);
  other([&](bus::FromNode& message) {
    for (int times = 0; times < 3; ++times) {
      enter(message);
      message.mutable_parts()->rbegin()->mutable_intent()->mutable_enter()->set_name(name);
    }
  });
  CHECK(it.room->world().players().size() == before + (waits ? 0 : 1));
}

TEST_CASE("a missed message of a node is counted, and the node gets the world, but one only every so often") {
  Owned it;
  const auto read = [&](std::uint64_t number) { it.owner->read("edge", from_edge(number, nothing)); };
  read(5);  // perhaps it has begun before this owner
  CHECK(it.arena.counts->gaps == 0);
  CHECK(worlds(it) == 1);
  read(6);
  CHECK(worlds(it) == 1);
  read(8);
  CHECK(it.arena.counts->gaps == 1);
  CHECK(worlds(it) == 1);  // it has had one just now
  CHECK(it.until([&] { return worlds(it) == 2; }));
  CHECK(it.arena.counts->snapshots == 2);
  CHECK(it.arena.counts->refused == 0);
  it.published.clear();
  CHECK(it.until([&] { return it.published.size() == 4; }));  // beats, longer than between two worlds
  CHECK(worlds(it) == 2);
}

TEST_CASE("a node that names a new process in each message gets one world at a time, and no more seats than others") {
  Owned it;
  constexpr std::uint64_t kMessages = 100, kMostRuns = 16;
  for (std::uint64_t run = 1; run <= kMessages; ++run)
    it.owner->read("edge", from_edge(
                               1,
                               [](bus::FromNode& message) {
                                 open(message);
                                 message.set_wants_world(true);
                               },
                               run));
  CHECK(worlds(it) == 1);
  CHECK(it.arena.counts->nodes == kMostRuns);
  CHECK(it.arena.counts->refused == kMessages - kMostRuns - 1);  // one process has given way
  it.owner->read("other", from_edge(1, [](bus::FromNode& message) { message.set_wants_world(true); }));
  CHECK(worlds(it) == 2);
  constexpr std::uint32_t kMostSeats = 5'000;
  std::uint64_t players = it.arena.counts->players;
  for (const std::uint64_t run : {3U, 4U}) {
    bus::FromNode message;
    REQUIRE(decode(from_seats(2, kMostSeats, open), message));
    message.set_run(run);
    it.owner->read("edge", as_bytes(message.SerializeAsString()));
    players = std::max<std::uint64_t>(players, it.arena.counts->players);
  }
  CHECK(players == kMostSeats);
}

TEST_CASE("a node has a run and a name, and only so many nodes are served") {
  Owned it;
  it.owner->read("edge", from_edge(1, open, 0));
  it.owner->read("no node", from_edge(1, open));
  it.owner->read("", from_edge(1, open));
  CHECK(it.arena.counts->refused == 3);
  CHECK(it.arena.counts->nodes == 0);
  constexpr std::uint64_t kMost = 256;
  for (std::uint64_t i = 0; i < kMost; ++i) it.owner->read("n" + std::to_string(i), from_edge(1, nothing));
  CHECK(it.arena.counts->nodes == kMost);
  CHECK(it.arena.counts->refused == 3);
  it.owner->read("one more", from_edge(1, nothing));
  it.owner->read("one-more", from_edge(1, nothing));
  CHECK(it.arena.counts->refused == 5);
  CHECK(it.arena.counts->nodes == kMost);
  it.owner->read("n0", from_edge(2, open));
  CHECK(it.arena.counts->players == 1);
  CHECK(it.arena.counts->refused == 5);
}

TEST_CASE("a seat is opened once, by a number, for a client of a known game") {
  Owned it;
  const auto opened = [&](std::uint64_t number, std::uint32_t seat, const std::string& game) {
    bus::FromNode message;
    open(message);
    message.mutable_parts(0)->mutable_open()->set_game(game);
    message.mutable_parts(0)->set_seat(seat);
    message.set_epoch(3);
    message.set_run(1);
    message.set_number(number);
    const std::string bytes = message.SerializeAsString();
    it.owner->read("edge", as_bytes(bytes));
    return it.arena.counts->players.load();
  };
  CHECK(opened(1, 0, "native") == 0);
  CHECK(opened(2, 1, "chess") == 0);
  CHECK(it.arena.counts->refused == 2);
  pass_time(it);
  CHECK(closed(it) == std::vector<std::string>{"1 the arena has no place for this client"});
  CHECK(opened(3, 1, "native") == 1);
  CHECK(opened(4, 1, "native") == 1);  // it was perhaps lost
  CHECK(opened(5, 2, "native") == 2);
  CHECK(it.arena.counts->refused == 2);
}

TEST_CASE("the next owner learns the address, the game and the dialect of a client of another node") {
  Owned it;
  Says say{it};
  const auto dialects = native::game().dialects();
  REQUIRE(dialects.size() > 1);
  say([&](bus::FromNode& message) {
    open(message);
    message.mutable_parts(0)->mutable_open()->set_dialect(std::string(dialects[1].name));
  });
  say(enter);
  it.owner->room_ends(relay::Reason::kDrained);
  REQUIRE(it.handed_over.players_size() == 1);
  const auto& anna = it.handed_over.players(0);
  CHECK(anna.client().address() == "192.0.2.1:1");
  CHECK(anna.client().game() == "native");
  CHECK(anna.client().dialect() == dialects[1].name);
  CHECK(anna.node() == "edge");
  CHECK(anna.run() == 1);
  CHECK(anna.seat() == 1);
}

TEST_CASE("what is for a seat that a node has not opened is refused, unless it closes the seat") {
  Owned it;
  Says say{it};
  say(say_hello);
  CHECK(it.arena.counts->refused == 1);
  say([](bus::FromNode& message) { message.add_parts()->mutable_close()->set_why("left"); });
  CHECK(it.arena.counts->refused == 1);
}

TEST_CASE("what a player says before it leaves is heard, also if both come in one message") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  it.published.clear();
  say([](bus::FromNode& message) {
    message.add_parts()->mutable_close()->set_why("left");
    say_hello(message);
  });
  CHECK(it.arena.counts->players == 0);
  CHECK(it.room->world().players().empty());
  std::string order;
  for (const bus::Facts& facts : it.published)
    for (const auto& fact : facts.facts()) order += fact.has_said() ? "said " : fact.has_player_gone() ? "gone " : "";
  CHECK(order == "said gone ");
}

core::Fact notice(const std::string& text, words::Audience audience, std::uint32_t to = 0) {
  words::Notice word;
  word.set_text(text);
  core::Fact fact(std::move(word));
  fact.audience = audience;
  fact.to = to;
  return fact;
}

TEST_CASE("what is told to a player who was sent away goes to no node") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  REQUIRE(it.room->world().players().size() == 1);
  const core::Id anna = it.room->world().players().begin()->first;
  it.room->dismiss(anna, "enough");
  pass_time(it);
  it.owner->told(notice("too late", words::PLAYER, anna));
  pass_time(it);
  CHECK(notices(it).empty());
}

TEST_CASE("what an operator has announced to a player is not sent to its node again, and is not too long") {
  Owned it;
  Says say{it};
  const auto announced = [](std::size_t size) {
    return [size](bus::FromNode& message) { message.add_parts()->set_announced(std::string(size, 'x')); };
  };
  say(open);
  say(enter);
  REQUIRE(it.room->world().players().size() == 1);
  it.sent.clear();
  say(announced(1'000));
  CHECK(with_parts(it).empty());
  CHECK(it.arena.counts->refused == 0);
  say(announced(1'001));
  CHECK(it.arena.counts->refused == 1);
  CHECK(notices(it).empty());
  it.owner->told(notice("from the owner", words::PLAYER, it.room->world().players().begin()->first));
  pass_time(it);
  CHECK(notices(it) == std::vector<std::string>{"1: from the owner"});
}

TEST_CASE("what an operator announces to a player who has not entered is told later, if the room says the same") {
  Owned it;
  Says say{it};
  say(open);
  say([](bus::FromNode& message) { message.add_parts()->set_announced("welcome"); });
  say(enter);
  REQUIRE(it.room->world().players().size() == 1);
  it.sent.clear();
  words::Said said;
  said.set_text("welcome");
  core::Fact fact(std::move(said));
  fact.audience = words::PLAYER;
  fact.to = it.room->world().players().begin()->first;
  it.owner->told(fact);
  pass_time(it);
  const auto sent = with_parts(it);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].parts(0).fact().said().text() == "welcome");
}

TEST_CASE("what rules do when an operator announces something reaches all nodes") {
  const auto book = std::make_shared<relay::RuleBook>(
      "the arena", [](const relay::RuleBook&, const rules::Action&, const relay::LinkInfo*) {});
  auto rule = rules::check_rule("rule.lua",
                                "local heard = 0 function on_fact.said(word) heard = heard + 1 "
                                "if word.text ~= 'bonus' or heard > 1 then return end "
                                "for _, p in ipairs(players()) do set_score(p.id, 77, 0) tell(p.id, 'bonus') end end");
  REQUIRE(rule.ok());
  rules::RuleSet set;
  set.push_back(std::move(*rule));
  book->set(std::make_shared<rules::RuleSet>(std::move(set)));
  Owned it({}, {}, book);
  Says say{it};
  say(open);
  say(enter);
  REQUIRE(it.room->world().players().size() == 1);
  it.published.clear();
  it.sent.clear();
  say([](bus::FromNode& message) { message.add_parts()->set_announced("bonus"); });
  std::vector<std::uint32_t> wins;
  for (const bus::Facts& facts : it.published)
    for (const auto& fact : facts.facts())
      if (fact.has_score()) wins.push_back(fact.score().wins());
  CHECK(wins == std::vector<std::uint32_t>{77});
  std::vector<std::string> told;  // by the rule; not what the operator said
  for (const bus::ToNode& one : it.sent)
    for (const auto& part : one.parts())
      if (part.fact().has_said()) told.push_back(part.fact().said().text());
  CHECK(told == std::vector<std::string>{"bonus"});
}

TEST_CASE(
    "facts for one player, for a team or for admins go only to the nodes that have them, those of a scene to none") {
  Owned it({}, {}, nullptr, core::ArenaMode::kTeams);
  const auto comes = [&](const std::string& name, std::uint64_t run, words::Team team) {
    it.owner->read(name, from_edge(1, open, run));
    pass_time(it);
    it.owner->read(name, from_edge(
                             2,
                             [&](bus::FromNode& message) {
                               enter(message);
                               auto& wish = *message.mutable_parts(0)->mutable_intent()->mutable_enter();
                               wish.set_name(name);
                               wish.set_team(team);
                             },
                             run));
    pass_time(it);
  };
  comes("anna", 1, words::RED);
  comes("ben", 2, words::BLUE);
  core::Id anna = 0;
  words::Team red = words::TEAM_ANY, blue = words::TEAM_ANY;
  for (const auto& [id, state] : it.room->world().players()) {
    const bool is_anna = state.player.name() == "anna";
    (is_anna ? red : blue) = state.player.team();
    if (is_anna) anna = id;
  }
  REQUIRE(anna != 0);
  REQUIRE(red != blue);
  it.sent.clear();
  it.published.clear();
  it.owner->told(notice("for anna", words::PLAYER, anna));
  it.owner->told(notice("for nobody", words::PLAYER, anna + 1'000));
  it.owner->told(notice("for blue", words::TEAM, static_cast<std::uint32_t>(blue)));
  it.owner->told(notice("for admins", words::ADMINS));
  core::Fact elsewhere = notice("in a scene", words::ALL);
  elsewhere.scene = 1;
  it.owner->told(elsewhere);
  pass_time(it);
  CHECK(notices(it) == std::vector<std::string>{"1: for anna", "2: for blue"});
  for (const bus::Facts& facts : it.published)
    for (const auto& fact : facts.facts()) CHECK_FALSE(fact.has_notice());  // the room may have other news
}

TEST_CASE("a fact for a team reaches its player's node, also while another player of the node has not entered") {
  Owned it({}, {}, nullptr, core::ArenaMode::kTeams);
  it.owner->read("edge", from_seats(1, 2, open));
  pass_time(it);
  it.owner->read("edge", from_seats(2, 2, enter, 2));
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  const words::Team team = it.room->world().players().begin()->second.player.team();
  it.sent.clear();
  it.owner->told(notice("for the team", words::TEAM, static_cast<std::uint32_t>(team)));
  pass_time(it);
  CHECK(notices(it) == std::vector<std::string>{"1: for the team"});
}

TEST_CASE("a fact for one player names its place among those for all") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  REQUIRE(it.room->world().players().size() == 1);
  const core::Id anna = it.room->world().players().begin()->first;
  it.published.clear();
  it.sent.clear();
  for (const char* text : {"a", "b"}) it.owner->told(notice(text, words::ALL));
  it.owner->told(notice("for anna", words::PLAYER, anna));
  it.owner->told(notice("c", words::ALL));
  pass_time(it);
  // On a busy machine, the owner also says that it is there, and the room may have other news.
  const auto has_notices = [](const bus::Facts& facts) {
    return facts.facts_size() != 0 && facts.facts(0).has_notice();
  };
  const auto published = std::find_if(it.published.begin(), it.published.end(), has_notices);
  REQUIRE(published != it.published.end());
  REQUIRE(published->facts_size() >= 3);
  CHECK(published->facts(2).notice().text() == "c");
  const auto sent = with_parts(it);
  REQUIRE(sent.size() == 1);
  REQUIRE(sent[0].parts_size() == 1);
  CHECK(sent[0].parts(0).before() == 2);
  CHECK(sent[0].facts() == published->number());
  CHECK(sent[0].epoch() == 3);
  it.owner->told(notice("later", words::PLAYER, anna));
  pass_time(it);
  REQUIRE(with_parts(it).size() == 2);
  CHECK(with_parts(it)[1].parts(0).before() < 3);  // it begins anew; the room may have other news
  for (std::size_t i = 1; i < it.sent.size(); ++i) CHECK(it.sent[i].number() == it.sent[i - 1].number() + 1);
}

TEST_CASE("many facts for players of one node come whole, in their places, and in messages that NATS accepts") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  REQUIRE(it.room->world().players().size() == 1);
  const core::Id anna = it.room->world().players().begin()->first;
  it.owner->turn_ends();
  it.published.clear();
  it.sent.clear();
  constexpr int kSome = 120, kEach = 100;
  for (int i = 0; i < kSome * kEach; ++i) {
    it.owner->told(notice(std::to_string(i) + std::string(100, 'x'), words::PLAYER, anna));
    if (i % kEach == kEach - 1) it.owner->told(notice("for all", words::ALL));
  }
  it.owner->turn_ends();
  pass_time(it);
  using Place = std::pair<std::uint64_t, std::uint32_t>;  // a message for all, and the index of a fact in it
  std::vector<Place> places;
  for (const bus::ToNode& one : it.sent) {
    CHECK(one.ByteSizeLong() < 600'000);
    CHECK(one.number() == it.sent.front().number() + static_cast<std::uint64_t>(&one - it.sent.data()));
    for (const auto& part : one.parts())
      if (part.fact().notice().text().starts_with(std::to_string(places.size()) + "x"))
        places.emplace_back(one.facts(), part.before());
  }
  REQUIRE(places.size() == std::size_t{kSome} * kEach);
  CHECK(std::is_sorted(places.begin(), places.end()));
  std::ptrdiff_t before = 0;
  for (const bus::Facts& facts : it.published)
    for (int i = 0; i < facts.facts_size(); ++i) {
      if (facts.facts(i).notice().text() != "for all") continue;
      before += kEach;
      const Place place{facts.number(), static_cast<std::uint32_t>(i)};
      CHECK(std::upper_bound(places.begin(), places.end(), place) - places.begin() == before);
    }
  CHECK(before == std::ptrdiff_t{kSome} * kEach);
  CHECK(it.arena.counts->too_large == 0);
}

TEST_CASE("a player of another node is told that something it was told is too large for NATS, and it is counted") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  REQUIRE(it.room->world().players().size() == 1);
  it.sent.clear();
  core::Fact large = notice(std::string(2U << 20U, 'x'), words::PLAYER, it.room->world().players().begin()->first);
  large.cause = 7;
  it.owner->told(large);
  pass_time(it);
  const auto sent = with_parts(it);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].ByteSizeLong() < 1'000);
  REQUIRE(sent[0].parts_size() == 1);
  CHECK(sent[0].parts(0).fact().cause() == 7);
  CHECK(notices(it) == std::vector<std::string>{"1: something that you were told is too large for the fleet"});
  CHECK(it.arena.counts->too_large == 1);
}

TEST_CASE("an owner without news says so again and again, each time with the next number") {
  Owned it;
  pass_time(it);
  it.published.clear();
  CHECK(it.until([&] { return it.published.size() == 3; }));
  for (std::size_t i = 0; i < it.published.size(); ++i) {
    CHECK(it.published[i].epoch() == 3);
    CHECK(it.published[i].facts_size() == 0);
    if (i != 0) CHECK(it.published[i].number() == it.published[i - 1].number() + 1);
  }
}

TEST_CASE("an owner whose lease has run out is silent, hears nothing, stores nothing, and its players leave") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  CHECK(it.arena.counts->players == 1);
  *it.owned_until = 0;
  it.published.clear();
  it.sent.clear();
  const std::size_t stores = it.stores;
  it.owner->stored(true);
  it.owner->read("other", from_edge(1, open));
  CHECK(it.arena.counts->nodes == 1);
  it.owner->told(notice("for all", words::ALL));
  it.owner->told(notice("for anna", words::PLAYER, it.room->world().players().begin()->first));
  it.owner->turn_ends();
  pass_time(it);
  CHECK(it.until([&] { return it.arena.counts->players == 0; }));
  pass_time(it);
  CHECK(it.room->world().players().empty());
  it.owner->room_ends(relay::Reason::kStopped);
  CHECK(it.handed_over.ByteSizeLong() == 0);
  CHECK(it.published.empty());
  CHECK(it.sent.empty());
  CHECK(it.stores == stores);
}

TEST_CASE(
    "an owner that stops hands over the players of other nodes, one that drains also its own, and both are silent "
    "then") {
  for (const bool stops : {false, true}) {
    CAPTURE(stops);
    Owned it;
    it.owner->read("owner", from_edge(1, open, 9));
    it.owner->read("owner", from_edge(1, open, 8));  // the process before an upgrade
    it.owner->read("edge", from_edge(1, open, 9));
    pass_time(it);
    const auto named = [](const char* name) {
      return [name](bus::FromNode& message) {
        enter(message);
        message.mutable_parts(0)->mutable_intent()->mutable_enter()->set_name(name);
      };
    };
    it.owner->read("owner", from_edge(2, named("carl"), 9));
    it.owner->read("owner", from_edge(2, named("dora"), 8));
    it.owner->read("edge", from_edge(2, named("anna"), 9));
    pass_time(it);
    REQUIRE(it.room->world().players().size() == 3);
    it.owner->room_ends(stops ? relay::Reason::kStopped : relay::Reason::kDrained);
    std::vector<std::string> names;
    for (const auto& player : it.handed_over.players()) names.push_back(player.who().name());
    std::sort(names.begin(), names.end());
    CHECK(names ==
          (stops ? std::vector<std::string>{"anna", "dora"} : std::vector<std::string>{"anna", "carl", "dora"}));
    it.published.clear();
    it.sent.clear();
    it.owner->told(notice("for all", words::ALL));
    it.owner->read("edge", from_edge(
                               3, [](bus::FromNode& message) { message.set_wants_world(true); }, 9));
    pass_time(it);
    CHECK(it.published.empty());
    CHECK(it.sent.empty());
  }
}

TEST_CASE("an owner that ends counts no players and no nodes any more") {
  std::shared_ptr<ArenaCounts> counts;
  {
    Owned it;
    counts = it.arena.counts;
    it.owner->read("edge", from_edge(1, open));
    CHECK(counts->players == 1);
    CHECK(counts->nodes == 1);
  }
  CHECK(counts->players == 0);
  CHECK(counts->nodes == 0);
}

// -- Messages to nodes ------------------------------------------------------------------------------------------------

std::vector<std::string> texts_for_all(const Owned& it) {
  std::vector<std::string> all;
  for (const bus::Facts& facts : it.published)
    for (const auto& fact : facts.facts())
      if (fact.has_notice()) all.push_back(fact.notice().text());
  return all;
}

TEST_CASE("facts that follow soon after a message wait for the next one, which comes by itself, each time") {
  Owned it;
  const auto messages = [&] {
    return std::count_if(it.published.begin(), it.published.end(), [](const bus::Facts& facts) {
      return std::any_of(facts.facts().begin(), facts.facts().end(), [](auto& one) { return one.has_notice(); });
    });
  };
  int soon = 0;
  for (int times = 0; times < 200 && soon < 3; ++times) {  // a busy machine may be late
    pass_time(it);
    it.published.clear();
    const std::uint64_t began = it.loop.nanos();
    it.owner->told(notice("first", words::ALL));
    it.owner->turn_ends();
    it.owner->told(notice("second", words::ALL));
    it.owner->turn_ends();
    const bool one_waits = messages() < 2;
    if (it.loop.nanos() < began + kGatherNanos) {
      ++soon;
      CHECK(one_waits);
    }
    CHECK(it.until([&] { return texts_for_all(it) == std::vector<std::string>{"first", "second"}; }));
  }
}

TEST_CASE("a fact that just fits into a message of NATS is sent whole, and not together with others") {
  Owned it;
  pass_time(it);
  it.published.clear();
  for (const std::size_t size : {500U << 10U, 600U << 10U, 300U << 10U})
    it.owner->told(notice(std::string(size, 'x'), words::ALL));
  pass_time(it);
  std::vector<std::size_t> sizes;
  for (const std::string& text : texts_for_all(it)) sizes.push_back(text.size());
  CHECK(sizes == std::vector<std::size_t>{500U << 10U, 600U << 10U, 300U << 10U});
  for (const bus::Facts& facts : it.published) CHECK(facts.ByteSizeLong() < 1'000'000);
}

TEST_CASE("an owner without news says that it is there four times a second, and no more often") {
  Owned it;
  pass_time(it);
  it.published.clear();
  CHECK(it.until([&] { return !it.published.empty(); }));
  const Millis began = it.loop.now();
  it.published.clear();
  CHECK(it.until([&] { return it.published.size() >= 3; }));
  CHECK(it.loop.now() - began >= 3 * kFactsBeat - 100);
}

TEST_CASE("a node is told once what its owner has heard, after a wish and not after mere steering") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  pass_time(it);
  it.sent.clear();
  const Millis began = it.loop.now();
  const auto beats = [&] { return (it.loop.now() - began) / kToNodeBeat + 1; };  // on a busy machine
  const auto steer = [](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_toward()->set_x(1); };
  for (int times = 0; times < 20; ++times) say(steer);
  CHECK(it.sent.size() <= beats());
  say(say_hello);
  const auto is_heard = [&](const bus::ToNode& one) { return one.heard() == say.number; };
  CHECK(std::any_of(it.sent.begin(), it.sent.end(), is_heard));
  pass_time(it);
  it.owner->told(notice("news", words::ALL));
  pass_time(it);
  CHECK(it.sent.size() <= 1 + beats());
}

TEST_CASE("a node to which nobody has anything to say gets a message twice a second, by which it sees what it missed") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  it.sent.clear();
  const Millis began = it.loop.now();
  CHECK(it.until([&] {
    say(nothing);  // it is not lost
    return it.sent.size() >= 3;
  }));
  CHECK(it.loop.now() - began >= 2 * kToNodeBeat);  // and no more often
  for (std::size_t i = 0; i < it.sent.size(); ++i) {
    CHECK(it.sent[i].parts_size() == 0);
    CHECK(it.sent[i].run() == 1);
    if (i != 0) CHECK(it.sent[i].number() == it.sent[i - 1].number() + 1);
  }
}

TEST_CASE("a process of a node that was forgotten notices it by the number of the next message to it") {
  Owned it;
  Says chatty{it, "chatty"}, quiet{it, "quiet"}, late{it, "late"};
  std::uint64_t highest = 0;
  chatty(open);
  chatty(enter);
  for (int times = 0; times < 5; ++times) chatty(say_hello);
  quiet(open);
  quiet(enter);
  chatty(say_hello);  // its numbers are lower
  for (const bus::ToNode& one : it.sent) highest = std::max(highest, one.number());
  REQUIRE(highest >= 5);
  it.sent.clear();
  late(open);
  REQUIRE_FALSE(it.sent.empty());
  CHECK(it.sent.front().number() > highest + 1);
}

TEST_CASE("a snapshot contains all facts that were told before it, and names the message that has the last of them") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  pass_time(it);
  it.published.clear();
  it.owner->told(notice("before it", words::ALL));
  const bus::Snapshot world = world_for_edge(it, ++say.number);
  REQUIRE_FALSE(it.published.empty());
  CHECK(texts_for_all(it) == std::vector<std::string>{"before it"});
  const auto with = std::find_if(it.published.begin(), it.published.end(), [](const bus::Facts& facts) {
    return facts.facts_size() != 0 && facts.facts(0).has_notice();
  });
  REQUIRE(with != it.published.end());
  CHECK(world.facts() >= with->number());
  CHECK(world.facts() <= it.published.back().number());
  REQUIRE(world.seats_size() == 1);
  CHECK(world.seats(0).player() == it.room->world().players().begin()->first);
}

TEST_CASE("a large snapshot is sent in pieces that NATS accepts, each with its place") {
  Owned it;
  constexpr std::uint32_t kSeats = 4;
  it.owner->read("edge", from_seats(1, kSeats, open));
  pass_time(it);
  it.owner->read("edge", from_seats(2, kSeats, enter));
  pass_time(it);
  const auto players = it.room->world().players();
  REQUIRE(players.size() == kSeats);
  for (const auto& [id, state] : players) it.room->dismiss(id, std::string(200'000, 'x'));
  pass_time(it);
  it.sent.clear();
  it.owner->read("edge", from_edge(3, [](bus::FromNode& message) { message.set_wants_world(true); }));
  CHECK(it.until([&] { return worlds(it) != 0; }));  // not before the last one is some time ago
  std::string bytes;
  std::uint32_t pieces = 0;
  for (const bus::ToNode& one : it.sent) {
    if (!one.has_piece()) continue;
    CHECK(one.ByteSizeLong() < 300'000);
    CHECK(one.piece().index() == pieces++);
    CHECK(one.piece().count() == 4);
    bytes += one.piece().bytes();
  }
  CHECK(pieces == 4);
  bus::Snapshot world;
  REQUIRE(world.ParseFromString(bytes));
  REQUIRE(world.closed_size() == static_cast<int>(kSeats));
  for (const auto& one : world.closed()) CHECK(one.why().size() == 200'000);
}

// -- Seats ------------------------------------------------------------------------------------------------------------

/// A message of one process of a node that opens so many seats for a game that nobody knows.
Buffer opens_in_vain(std::uint64_t number, std::uint32_t seats) {
  return from_seats(number, seats, [](bus::FromNode& message) {
    open(message);
    message.mutable_parts()->rbegin()->mutable_open()->set_game("chess");
  });
}

TEST_CASE("a node that asks for very many seats in vain is told so of a bounded number of them") {
  Owned it;
  constexpr std::uint32_t kMost = 5'000, kMostClosed = 256;
  it.owner->read("edge", opens_in_vain(1, kMost + 100));
  CHECK(it.arena.counts->refused == kMost + 100);
  pass_time(it);
  CHECK(closed(it).size() == kMost);
  const bus::Snapshot world = world_for_edge(it, 2);
  REQUIRE(world.closed_size() == static_cast<int>(kMostClosed));
  CHECK(world.closed(kMostClosed - 1).seat() == kMost);  // the newest
}

TEST_CASE("a seat that is given back leaves room for another one, and its player counts no longer") {
  Owned it;
  constexpr std::uint32_t kMost = 5'000;
  std::uint64_t number = 0;
  it.owner->read("edge", from_seats(++number, kMost, open));
  CHECK(it.arena.counts->players == kMost);
  const auto close = [](bus::FromNode& message) { message.add_parts()->mutable_close()->set_why("left"); };
  it.owner->read("edge", from_seats(++number, 10, close));
  CHECK(it.arena.counts->players == kMost - 10);
  it.owner->read("edge", from_seats(++number, kMost + 10, open, kMost + 1));
  CHECK(it.arena.counts->players == kMost);
  CHECK(it.arena.counts->refused == 0);
}

TEST_CASE("a player whom the room sends away leaves room for another one of its node") {
  Owned it;
  constexpr std::uint32_t kMost = 5'000;
  std::uint64_t number = 0;
  it.owner->read("edge", from_seats(++number, 1, open));
  pass_time(it);
  it.owner->read("edge", from_seats(++number, 1, enter));
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  it.owner->read("edge", from_seats(++number, kMost, open, 2));
  REQUIRE(it.arena.counts->players == kMost);
  it.room->dismiss(it.room->world().players().begin()->first, "enough");
  it.owner->turn_ends();
  it.owner->turn_ends();
  CHECK(it.arena.counts->players == kMost - 1);
  it.owner->read("edge", from_seats(++number, kMost + 1, open, kMost + 1));
  CHECK(it.arena.counts->players == kMost);
  CHECK(it.arena.counts->refused == 0);
}

TEST_CASE("who comes by another node under a taken name, from another address, is another player at once") {
  Owned it;
  Says edge{it}, other{it, "other"};
  edge(open);
  edge(enter);
  other([](bus::FromNode& message) {
    open(message);
    message.mutable_parts(0)->mutable_open()->set_address("192.0.2.2:1");
  });
  other(enter);
  CHECK(it.room->world().players().size() == 2);
}

TEST_CASE("two players of one node may ask for one name, and the second enters at once, too") {
  Owned it;
  it.owner->read("edge", from_seats(1, 2, open));
  pass_time(it);
  it.owner->read("edge", from_seats(2, 1, enter));
  pass_time(it);
  it.owner->read("edge", from_seats(3, 2, enter, 2));
  pass_time(it);
  CHECK(it.room->world().players().size() == 2);
}

TEST_CASE("who came by another node and turned out to be another player is heard from then on") {
  Owned it;
  Says edge{it}, other{it, "other"};
  edge(open);
  edge(enter);
  other(open);
  edge(nothing);
  it.owner->read("other", from_edge(++other.number, [](bus::FromNode& message) {
                   enter(message);
                   say_hello(message);  // waits with it
                 }));
  const auto hellos = [&] {
    int count = 0;
    for (const bus::Facts& facts : it.published)
      for (const auto& fact : facts.facts()) count += fact.has_said() && fact.said().text() == "hello" ? 1 : 0;
    return count;
  };
  CHECK(hellos() == 0);
  CHECK(it.until([&] {
    edge(nothing);
    return it.room->world().players().size() == 2;
  }));
  pass_time(it);
  CHECK(hellos() == 1);
  other(say_hello);
  CHECK(hellos() == 2);
}

TEST_CASE("a player who has changed its name twice is known by neither of the former ones") {
  Owned it;
  Says edge{it};
  edge(open);
  edge(enter);
  for (const char* name : {"ben", "carl"}) {
    edge([name](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_change()->set_name(name); });
    REQUIRE(it.room->world().players().begin()->second.player.name() == name);
  }
  std::size_t players = 1;
  for (const std::string name : {"anna", "ben"}) {
    Says other{it, "by-" + name};
    other(open);
    other([&](bus::FromNode& message) {
      enter(message);
      message.mutable_parts(0)->mutable_intent()->mutable_enter()->set_name(name);
    });
    CHECK(it.room->world().players().size() == ++players);
  }
}

TEST_CASE("a player who has returned by another node goes on there where it was, with its score") {
  Owned it;
  Says edge{it}, other{it, "other"};
  edge(open);
  edge(enter);
  edge([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_spawn(); });
  edge([](bus::FromNode& message) {
    message.add_parts()->mutable_intent()->mutable_death_claim()->set_why(words::BY_ITSELF);
  });
  const auto losses = [&] {
    return it.room->world().players().empty() ? 0U : it.room->world().players().begin()->second.score.losses();
  };
  REQUIRE(it.until([&] {
    edge(nothing);
    return losses() == 1;
  }));
  const core::Id before = it.room->world().players().begin()->first;
  other(open);
  other(enter);
  CHECK(it.until([&] {
    it.owner->turn_ends();
    const auto& players = it.room->world().players();
    return !players.empty() && players.begin()->first != before;
  }));
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  CHECK(losses() == 1);
  CHECK(it.room->world().players().begin()->second.player.name() == "anna");
}

// -- From one owner to the next ---------------------------------------------------------------------------------------

TEST_CASE("what is told just before an owner ends is sent before it hands over; that its players leave is not") {
  Owned it;
  Says say{it};
  say(open);
  say(enter);
  pass_time(it);
  it.published.clear();
  it.owner->told(notice("the last words", words::ALL));
  it.room->stop();
  pass_time(it);
  const std::vector<std::string> texts = texts_for_all(it);
  CHECK(std::find(texts.begin(), texts.end(), "the last words") != texts.end());
  for (const bus::Facts& facts : it.published)
    for (const auto& fact : facts.facts()) CHECK_FALSE(fact.has_player_gone());
  CHECK(closed(it).empty());
  CHECK(it.handed_over.players_size() == 1);
}

TEST_CASE("an owner that ends before the players of the last one are back hands over nothing new, and stores nothing") {
  Owned it({{{"edge", 1, 1}, stored("anna", "native")}});
  it.owner->room_ends(relay::Reason::kDrained);
  CHECK(it.handed_over.ByteSizeLong() == 0);
  CHECK(it.stores == 0);
}

TEST_CASE("nodes get the world once the players of the last owner are in it, and not before") {
  Owned it({{{"edge", 1, 1}, stored("anna", "native")}, {{"edge", 1, 2}, stored("ben", "native")}});
  std::uint64_t number = 0;
  it.owner->read("edge", from_edge(++number, [](bus::FromNode& message) { message.set_wants_world(true); }));
  it.owner->turn_ends();
  CHECK(worlds(it) == 0);
  SUBCASE("both come back") {
    pass_time(it);
    REQUIRE(worlds(it) == 1);
    bus::Snapshot world;
    for (const bus::ToNode& one : it.sent)
      if (one.has_piece()) REQUIRE(world.ParseFromString(one.piece().bytes()));
    CHECK(std::count_if(world.world().begin(), world.world().end(), [](auto& fact) { return fact.has_player(); }) == 2);
    REQUIRE(world.seats_size() == 2);
    for (const auto& seat : world.seats()) CHECK(seat.entered());
  }
  SUBCASE("their node does not want them any more") {
    const auto close = [](bus::FromNode& message) { message.add_parts()->mutable_close()->set_why("left"); };
    it.owner->read("edge", from_seats(++number, 2, close));
    it.owner->turn_ends();
    CHECK(worlds(it) == 1);
  }
}

TEST_CASE("an owner hands over its players as the last owner had stored them: role, motto, skin and body") {
  bus::SavedArena::Player anna = stored("anna", "native");
  anna.mutable_who()->set_motto("gone fishing");
  anna.mutable_who()->set_skin("stripes");
  anna.set_body(words::Unit::MAN);
  bus::SavedArena::Player watcher = stored("wanda", "native");
  watcher.mutable_who()->set_role(words::WATCH);
  Owned it({{{"edge", 1, 1}, anna}, {{"edge", 1, 2}, watcher}});
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 2);
  for (const auto& [id, state] : it.room->world().players()) {
    const bool is_anna = state.player.name() == "anna";
    CHECK(state.player.motto() == (is_anna ? "gone fishing" : ""));
    CHECK(state.player.skin() == (is_anna ? "stripes" : ""));
    CHECK((state.player.role() == words::WATCH) != is_anna);
  }
  it.owner->room_ends(relay::Reason::kDrained);
  REQUIRE(it.handed_over.players_size() == 2);
  for (const auto& player : it.handed_over.players()) {
    const bool is_anna = player.who().name() == "anna";
    CHECK(player.body() == (is_anna ? words::Unit::MAN : words::Unit::TANK));
    CHECK(player.client().address() == "192.0.2.1:1");
    CHECK(player.seat() == (is_anna ? 1 : 2));
  }
}

TEST_CASE("the next owner learns the body with which a player has entered last") {
  Owned it;
  Says say{it};
  say(open);
  say([](bus::FromNode& message) {
    enter(message);
    message.mutable_parts(0)->mutable_intent()->mutable_enter()->set_body(words::Unit::MAN);
  });
  it.owner->room_ends(relay::Reason::kDrained);
  REQUIRE(it.handed_over.players_size() == 1);
  CHECK(it.handed_over.players(0).body() == words::Unit::MAN);
}

TEST_CASE("a player of the last owner whose node asks for it late, and unchanged, is not told anything") {
  Owned it({{{"edge", 1, 1}, stored("anna", "native")}});
  pass_time(it);
  Says say{it};
  it.published.clear();
  it.sent.clear();
  say([](bus::FromNode& message) {
    open(message);
    enter(message);
    message.mutable_parts(1)->set_again(true);
  });
  CHECK(it.arena.counts->players == 1);
  CHECK(it.arena.counts->refused == 0);
  CHECK(notices(it).empty());
  for (const bus::Facts& facts : it.published)
    for (const auto& fact : facts.facts()) CHECK_FALSE(fact.has_player());
}

TEST_CASE("players of a node that is silent leave after four seconds, not before; those of one that speaks stay") {
  Owned it({{{"away", 1, 1}, stored("anna", "native")}});
  const Millis began = it.loop.now();
  Says edge{it};
  edge(open);
  edge([](bus::FromNode& message) {
    enter(message);
    message.mutable_parts(0)->mutable_intent()->mutable_enter()->set_name("ben");
  });
  CHECK(it.until([&] {
    uv_update_time(it.loop.raw());  // a node is silent since the loop's time at its last message
    edge([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_toward()->set_x(1); });
    return it.arena.counts->players == 1;
  }));
  CHECK(it.loop.now() - began >= kNodeLost);
  CHECK(it.arena.counts->nodes == 1);
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  CHECK(it.room->world().players().begin()->second.player.name() == "ben");
  CHECK(it.arena.counts->refused == 0);
}

TEST_CASE("after eight seconds, a snapshot no longer says that a seat was closed, and storing is tried again") {
  Owned it;
  CHECK(it.until([&] { return it.stores == 1; }));
  for (int times = 0; times < 10; ++times) it.owner->stored(false);  // the pause doubles, but not for ever
  const Millis began = it.loop.now();
  std::uint64_t number = 0;
  it.owner->read("edge", opens_in_vain(++number, 1));
  bool asked = false;
  CHECK(it.until([&] {
    const bool is_late = it.loop.now() >= began + kStoreRarest - 2'000;
    if (is_late && !std::exchange(asked, true)) {
      const bus::Snapshot world = world_for_edge(it, ++number);
      CHECK((world.closed_size() == 1 || it.loop.now() >= began + kStoreRarest));
    }
    it.owner->read("edge", from_edge(++number, nothing));
    return it.stores == 2;
  }));
  CHECK(it.loop.now() - began >= kStoreRarest - 100);
  CHECK(world_for_edge(it, ++number).closed_size() == 0);
}

// -- What waits -------------------------------------------------------------------------------------------------------

TEST_CASE("what players had said while they waited to enter counts no longer once they have left") {
  Limits limits;
  limits.enters_per_second = limits.enters_burst = 1;
  Owned it({}, limits);
  constexpr std::uint32_t kSeats = 60;
  constexpr std::size_t kEach = 50'000;
  static_assert(2 * kSeats * kEach > FarGuest::kMostNodeOthers);
  static_assert(kSeats * (kEach + 600) < FarGuest::kMostNodeOthers);
  std::uint64_t number = 0;
  const auto close = [](bus::FromNode& message) { message.add_parts()->mutable_close()->set_why("left"); };
  for (int times = 0; times < 2; ++times) {
    it.owner->read("edge", from_seats(++number, kSeats, open));
    pass_time(it);
    it.owner->read("edge", from_seats(++number, kSeats, [](bus::FromNode& message) {
                     enter(message);
                     say_long(kEach)(message);
                   }));
    CHECK(it.arena.counts->refused == 0);
    pass_time(it);
    it.owner->read("edge", from_seats(++number, kSeats, close));
    CHECK(it.arena.counts->players == 0);
  }
}

TEST_CASE("all players of a node who wait may ask to enter, but not with texts without end") {
  Owned it;
  constexpr std::uint32_t kSeats = 200;
  constexpr std::size_t kEach = 60'000;
  static_assert(kSeats * kEach > FarGuest::kMostNodeBytes);
  it.owner->read("edge", from_seats(1, kSeats, open));
  it.owner->read("edge", from_seats(2, kSeats, [](bus::FromNode& message) {
                   message.add_parts()->mutable_intent()->mutable_enter()->set_motto(std::string(kEach, 'x'));
                 }));
  CHECK(kSeats - it.arena.counts->refused == FarGuest::kMostNodeBytes / (kEach + 300));
}

TEST_CASE("of a player who may have come back by another node, a bounded number of bytes is kept meanwhile") {
  Owned it;
  Says edge{it}, other{it, "other"};
  edge(open);
  edge(enter);
  other(open);
  const auto says = [&](const std::function<void(bus::FromNode&)>& what) {  // and no time passes
    it.owner->read("other", from_edge(++other.number, what));
  };
  says(enter);
  REQUIRE(it.room->world().players().size() == 1);
  says(say_long(50'000));
  CHECK(it.arena.counts->refused == 0);
  says(say_long(50'000));
  CHECK(it.arena.counts->refused == 1);
}

}  // namespace
}  // namespace entente::fleet::owner_test
