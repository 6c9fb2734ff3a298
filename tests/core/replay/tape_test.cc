// A tape: a reader knows what a viewer of the room with the same rights would know, and memory is bounded.
#include "proxy/core/replay/tape.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>

#include "proxy/core/replay/resync_phase.h"
#include "tests/core/replay/replay_show.h"

namespace entente::testing::tape_test {

using namespace replay_show;

namespace {

Fact said(const std::string& text, words::Say::Scope scope, words::Audience audience, Id to) {
  words::Said said;
  said.set_text(text);
  said.set_scope(scope);
  said.set_to(to);
  Fact fact(said);
  fact.audience = audience;
  fact.to = to;
  return fact;
}

constexpr Micros tenths(int count) { return static_cast<Micros>(count) * 100 * kMillisecond; }

Fact pose(Id unit, double x) {
  words::Pose pose;
  pose.set_unit(unit);
  pose.set_x(x);
  return Fact(pose);
}

/// A room of one player with a unit. All its facts go to a tape.
struct Told {
  explicit Told(See see = See::kPublic, const TapeLimits& limits = {}) : tape(see, limits) {}
  void enter(Micros at, const std::string& name = "anna") {
    tape.begin(at);
    words::Player player;
    player.set_id(1);
    player.set_name(name);
    player.set_address("192.0.2.1");
    tell(player, at);
    words::Unit unit;
    unit.set_id(2);
    unit.set_owner(1);
    tell(unit, at);
    tell(words::Ready(), at);
  }
  void tell(Fact fact, Micros at) {
    fact.at = at;
    world.fold(fact);
    tape.append(fact, at);
    if (world.ready() && tape.owes_world(at)) tape.append_snapshot(world, at, at);
  }
  std::vector<std::string> texts(Micros from = 0) const {
    std::vector<std::string> all;
    for (const Fact& fact : tape.between(from, ~Micros{0}))
      if (const auto* said = as<words::Said>(fact)) all.push_back(said->text());
    return all;
  }
  Tape tape;
  WorldState world;
};

double x_at(const Tape& tape, Micros at) {
  WorldState world;
  REQUIRE(tape.seek(at, world).ok());
  REQUIRE(world.units().size() == 1);
  return world.units().begin()->second.unit.pose().x();
}

Fact death(Id player, Id killer) {
  words::Died died;
  died.set_player(player);
  died.set_killer(killer);
  return Fact(died);
}

std::vector<Moment> kills_of(const Tape& tape, std::size_t most = SIZE_MAX) {
  std::vector<Moment> kills;
  tape.visit_kills([&](const Moment& kill) {
    kills.push_back(kill);
    return kills.size() < most;
  });
  return kills;
}

}  // namespace

TEST_CASE("the world at any time has all facts up to that time") {
  Told told;
  told.enter(kSecond);
  for (int i = 1; i <= 200; ++i) told.tell(pose(2, i), kSecond + tenths(i));
  WorldState world;
  CHECK_FALSE(told.tape.seek(kSecond - 1, world).ok());
  CHECK_FALSE(told.tape.world_before(kSecond - 1, world).ok());
  CHECK_FALSE(Tape(See::kPublic).world_before(kSecond, world).ok());  // it is empty
  for (const int i : {1, 2, 49, 50, 51, 99, 199, 200}) {
    CHECK(x_at(told.tape, kSecond + tenths(i)) == i);
    CHECK(x_at(told.tape, kSecond + tenths(i) + 1) == i);
    REQUIRE(told.tape.world_before(kSecond + tenths(i), world).ok());
    CHECK(world.units().begin()->second.unit.pose().x() == i - 1);
  }
}

TEST_CASE("the world at any time has all edits of its land up to that time, and no later ones") {
  Told told;
  words::World land;
  land.set_hash("abc");
  told.tell(Fact(land), kSecond);
  told.enter(kSecond);
  for (int i = 1; i <= 60; ++i) {
    words::WorldEdit built;
    built.mutable_edit()->set_x(i);
    told.tell(Fact(built), (1 + static_cast<Micros>(i)) * kSecond);
  }
  for (std::size_t i = 1; i <= 60; ++i) {
    WorldState world;
    REQUIRE(told.tape.seek((1 + i) * kSecond, world).ok());
    CHECK(world.edits().size() == i);
  }
}

TEST_CASE("a reader that follows a growing tape gets each fact once, in order") {
  Told told;
  told.enter(0);
  WorldState world;
  auto place = *told.tape.seek(0, world);
  CHECK_FALSE(told.tape.next_at(place));
  int heard = 0;
  for (int i = 1; i <= 300; ++i) {
    told.tell(pose(2, i), tenths(i));
    if (i % 7 != 0) continue;
    while (const auto at = told.tape.next_at(place)) {
      CHECK_FALSE(told.tape.changes(place));
      const Fact fact = told.tape.next(place);
      CHECK(fact.at == *at);
      CHECK(as<words::Pose>(fact)->x() == ++heard);
    }
    CHECK(heard == i);
    CHECK_FALSE(told.tape.changes(place));
  }
}

TEST_CASE("a reader that comes later finds no change in what one room has told") {
  Told told;
  told.enter(0);
  for (int i = 1; i <= 300; ++i) told.tell(pose(2, i), tenths(i));
  WorldState world;
  auto place = *told.tape.seek(0, world);
  int heard = 0;
  for (bool changes = false; !changes && told.tape.next_at(place); ++heard) {
    (void)told.tape.next(place);
    changes = told.tape.changes(place);
    CHECK_FALSE(changes);
  }
  CHECK(heard == 300);
}

TEST_CASE("a tape that has forgotten an earlier map counts the bytes of the one that it keeps, and once") {
  TapeLimits limits;
  limits.span = 20 * kSecond;
  Told told(See::kPublic, limits);
  const auto land_of = [](char fill) {
    words::World land;
    land.set_hash(std::string(1, fill));
    land.set_voxels(std::string(1U << 20U, fill));
    return Fact(land);
  };
  told.tell(land_of('a'), 0);
  told.enter(0);
  for (int i = 1; i <= 100; ++i) told.tell(pose(2, i), tenths(i));
  told.tell(land_of('b'), tenths(101));
  for (int i = 102; i <= 1'000; ++i) told.tell(pose(2, i), tenths(i));
  CHECK(told.tape.bytes() > (1U << 20U));
  CHECK(told.tape.bytes() < (5U << 20U) / 4);
}

TEST_CASE("the public gets no team chat, private message or address; casters get team chat") {
  for (const See see : {See::kPublic, See::kTeams}) {
    Told told(see);
    told.enter(0);
    told.tell(said("to all", words::Say::EVERYBODY, words::ALL, 0), 1);
    told.tell(said("attack", words::Say::MY_TEAM, words::TEAM, words::RED), 2);
    told.tell(said("psst", words::Say::ONE, words::PLAYER, 1), 3);
    told.tell(said("ops", words::Say::MODERATORS, words::ADMINS, 0), 4);
    const std::vector<std::string> publicly = {"to all"}, all = {"to all", "[red] attack"};
    CHECK(told.texts() == (see == See::kPublic ? publicly : all));
    WorldState world;
    REQUIRE(told.tape.seek(5, world).ok());
    CHECK(world.players().begin()->second.player.name() == "anna");
    CHECK(world.players().begin()->second.player.address().empty());
  }
}

TEST_CASE("old facts are forgotten by age or size, and their readers continue at the new beginning") {
  for (const bool by_bytes : {false, true}) {
    CAPTURE(by_bytes);
    TapeLimits limits;
    by_bytes ? void(limits.bytes = 20'000) : void(limits.span = 20 * kSecond);
    Told told(See::kPublic, limits);
    told.enter(0);
    WorldState world;
    auto place = *told.tape.seek(0, world);
    for (int i = 1; i <= 1'000; ++i) told.tell(pose(2, i), tenths(i));
    CHECK(told.tape.bytes() < (by_bytes ? 20'000 : 60'000));
    REQUIRE(*told.tape.first() > 0);
    CHECK_FALSE(told.tape.seek(*told.tape.first() - 1, world).ok());
    CHECK(told.tape.next_at(place) == told.tape.first());
    CHECK(told.tape.changes(place));
    place = *told.tape.seek(*told.tape.first(), world);
    CHECK_FALSE(told.tape.changes(place));
    CHECK(x_at(told.tape, 100 * kSecond) == 1'000);
  }
}

TEST_CASE("what is needed is kept above the usual limit of memory, up to a higher one") {
  TapeLimits limits;
  limits.least = 50 * kSecond;
  limits.bytes = 10'000;
  limits.most_bytes = 1'000'000;
  for (const bool fits : {true, false}) {
    CAPTURE(fits);
    if (!fits) limits.most_bytes = 15'000;
    Told told(See::kPublic, limits);
    told.enter(0);
    for (int i = 1; i <= 1'000; ++i) told.tell(pose(2, i), tenths(i));  // 100 s
    CHECK(told.tape.overflows() == !fits);
    if (fits) {
      CHECK(told.tape.bytes() > limits.bytes);
      CHECK(*told.tape.first() <= 50 * kSecond);
      CHECK(*told.tape.first() > 40 * kSecond);
      continue;
    }
    CHECK(told.tape.bytes() <= limits.most_bytes);
    CHECK(*told.tape.first() > 50 * kSecond);
    // Less happens from now on, and so what is needed fits again.
    for (int i = 1'010; i <= 1'600; i += 10) told.tell(pose(2, i), tenths(i));
    CHECK_FALSE(told.tape.overflows());
    CHECK(*told.tape.first() <= 110 * kSecond);
  }
}

TEST_CASE("a new room has new ids, and a change to it is sent as a difference") {
  Told told;
  told.enter(0);
  told.tell(pose(2, 5), kSecond);
  WorldState before, after;
  auto place = *told.tape.seek(kSecond, before);
  told.tell(said("not of this room", words::Say::EVERYBODY, words::ALL, 0), 2 * kSecond);
  (void)told.tape.next_at(place);
  (void)told.tape.next(place);
  told.world = WorldState();
  told.enter(3 * kSecond, "bob");
  told.tell(pose(2, 7), 4 * kSecond);
  CHECK(told.tape.next_at(place) == 3 * kSecond);
  CHECK(told.tape.changes(place));
  REQUIRE(told.tape.seek(3 * kSecond, after).ok());
  CHECK(before.players().begin()->first != after.players().begin()->first);
  // A client that applies the facts knows the new world and nothing of the old one.
  ResyncPhase resync;
  for (const Fact& fact : told.tape.between(2 * kSecond + 1, 5 * kSecond)) {
    resync.hear(fact);
    before.fold(fact);
  }
  CHECK_FALSE(resync);
  REQUIRE(before.players().size() == 1);
  CHECK(before.players().begin()->second.player.name() == "bob");
  CHECK(x_at(told.tape, 4 * kSecond) == 7);
  // The change is told in the fragment that begins with it, and in no later one.
  const std::vector<Fact> with_it = told.tape.between(3 * kSecond, 5 * kSecond);
  REQUIRE(!with_it.empty());
  CHECK(as<words::Clock>(with_it.front()) != nullptr);
  CHECK(told.tape.between(3 * kSecond + 1, 5 * kSecond).size() == 1);
}

TEST_CASE("who came into a room after its last snapshot is gone for a reader once the tape is in another room") {
  Told told;
  told.enter(0);
  words::Player late;
  late.set_id(3);
  late.set_name("cleo");
  told.tell(late, kSecond);
  WorldState known;
  REQUIRE(told.tape.seek(kSecond, known).ok());
  REQUIRE(known.players().size() == 2);
  told.world = WorldState();
  told.enter(3 * kSecond, "bob");
  for (const Fact& fact : told.tape.between(kSecond + 1, 4 * kSecond)) known.fold(fact);
  REQUIRE(known.players().size() == 1);
  CHECK(known.players().begin()->second.player.name() == "bob");
}

TEST_CASE("consecutive fragments have all facts") {
  Told told;
  told.enter(0);
  for (int i = 1; i <= 200; ++i) told.tell(pose(2, i), static_cast<Micros>(i) * 77 * kMillisecond);
  double heard = 0;
  for (Micros from = 0; from < 20 * kSecond; from += 2 * kSecond)
    for (const Fact& fact : told.tape.between(from, from + 2 * kSecond)) {
      CHECK(fact.at >= from);
      CHECK(fact.at < from + 2 * kSecond);
      CHECK(as<words::Pose>(fact)->x() == ++heard);
    }
  CHECK(heard == 200);
}

TEST_CASE("no fact is added at a time that has passed") {
  Told told;
  told.enter(0);
  told.tape.pass(3 * kSecond);
  told.tell(pose(2, 1), 2 * kSecond);
  CHECK(told.tape.between(2 * kSecond, 3 * kSecond).empty());
  CHECK(told.tape.between(3 * kSecond, 4 * kSecond).size() == 1);
}

TEST_CASE("the ids of a room's world are not given again in the next room of a tape, even if nothing happened there") {
  Tape tape(See::kPublic);
  std::set<Id> given;
  for (Micros room = 1; room <= 3; ++room) {
    WorldState world;
    for (const Id id : {1U, 9U}) {
      words::Unit unit;
      unit.set_id(id + 1);
      unit.set_owner(id);
      world.fold(Fact(player(id)));
      world.fold(Fact(unit));
    }
    world.fold(Fact(words::Ready()));
    tape.begin(room * kSecond);
    tape.append_snapshot(world, 0, room * kSecond);
    WorldState seen;
    REQUIRE(tape.seek(room * kSecond, seen).ok());
    for (const auto& [id, state] : seen.players()) CHECK(given.insert(id).second);
    for (const Id id : seen.sorted_units()) CHECK(given.insert(id).second);
  }
  CHECK(given.size() == 12);
}

TEST_CASE("the ids that came into a room after its snapshot are not given again in the next room of a tape") {
  Told told;
  told.enter(kSecond);
  words::Unit late;
  late.set_id(5'000);
  late.set_owner(1);
  told.tell(late, 2 * kSecond);
  WorldState seen;
  REQUIRE(told.tape.seek(2 * kSecond, seen).ok());
  REQUIRE(seen.units().size() == 2);
  const Id last = seen.sorted_units().back();
  told.world = WorldState();
  told.enter(3 * kSecond);
  REQUIRE(told.tape.seek(3 * kSecond, seen).ok());
  REQUIRE(seen.units().size() == 1);
  CHECK(seen.sorted_units().front() > last);
  CHECK(seen.players().begin()->first > last);
}

TEST_CASE("the ids of a tape are not those of viewers, however large those of its rooms are") {
  Tape tape(See::kPublic);
  for (Micros room = 1; room <= 5; ++room) {
    WorldState world;
    world.fold(Fact(player(1)));
    world.fold(Fact(player(0x7fffffff)));  // the largest id of a room
    world.fold(Fact(words::Ready()));
    tape.begin(room * kSecond);
    tape.append_snapshot(world, 0, room * kSecond);
    WorldState seen;
    REQUIRE(tape.seek(room * kSecond, seen).ok());
    REQUIRE(seen.players().size() == 2);
    for (const auto& [id, state] : seen.players()) CHECK(id > 1U << 24U);
  }
}

TEST_CASE("the world of a tape knows since when each unit and shot moves, and when the round was told") {
  WorldState world;
  const auto fold = [&](Micros when, Fact fact) {
    fact.at = when;
    world.fold(fact);
  };
  words::Unit unit;
  unit.set_id(2);
  words::Shot shot;
  shot.set_shooter(1);
  shot.set_shot(5);
  shot.set_life(60);
  fold(0, player(1));
  fold(kSecond, unit);
  fold(2 * kSecond, shot);
  fold(3 * kSecond, words::Round());
  fold(3 * kSecond, words::Ready());
  for (const Micros at : {10 * kSecond, 2 * kSecond}) {  // also a tape that is younger than what it is told
    CAPTURE(at);
    Tape tape(See::kPublic);
    tape.begin(at);
    tape.append_snapshot(world, 4 * kSecond, at);
    WorldState seen;
    REQUIRE(tape.seek(at, seen).ok());
    REQUIRE(seen.units().size() == 1);
    REQUIRE(seen.shots().size() == 1);
    CHECK(seen.units().begin()->second.posed_at == (at > 3 * kSecond ? at - 3 * kSecond : 0));
    CHECK(seen.shots().front().fired_at == at - 2 * kSecond);
    CHECK(seen.round_told_at() == at - kSecond);
  }
}

TEST_CASE("a tape wants a world when a room has begun, and again after a while or after many facts") {
  TapeLimits limits;
  limits.chunk_bytes = 1'000;
  Tape tape(See::kPublic, limits);
  WorldState world;
  CHECK_FALSE(tape.owes_world(0));
  tape.begin(0);
  CHECK(tape.owes_world(0));
  tape.append_snapshot(world, 0, 0);  // that world is not complete
  CHECK(tape.owes_world(0));
  CHECK_FALSE(tape.first());
  world.fold(Fact(words::Ready()));
  tape.append_snapshot(world, 0, 0);
  CHECK(tape.first() == Micros{0});
  CHECK_FALSE(tape.owes_world(limits.world_every - 1));
  CHECK(tape.owes_world(limits.world_every));
  tape.append_snapshot(world, 0, limits.world_every);
  const std::size_t before = tape.bytes();
  while (tape.bytes() - before < limits.chunk_bytes) {
    CHECK_FALSE(tape.owes_world(limits.world_every));
    tape.append(pose(2, 1), limits.world_every);
  }
  CHECK(tape.owes_world(limits.world_every));
}

TEST_CASE("the kills of a tape are those of the time that it holds, with its ids, in the order of time") {
  TapeLimits limits;
  limits.span = 20 * kSecond;
  Told told(See::kPublic, limits);
  told.enter(0);
  WorldState world;
  REQUIRE(told.tape.seek(0, world).ok());
  const Id anna = world.players().begin()->first;
  told.tell(death(1, 0), kSecond);
  told.tell(death(1, 1), 2 * kSecond);
  told.tell(death(1, 0), 30 * kSecond);
  REQUIRE(kills_of(told.tape).size() == 3);
  CHECK(kills_of(told.tape, 2).size() == 2);  // no more are visited than are wanted
  const Moment first = kills_of(told.tape)[0], second = kills_of(told.tape)[1];
  CHECK(first.at == kSecond);
  CHECK(first.what == words::Timeline::KILL);
  CHECK(first.player == anna);
  CHECK(first.by == 0);
  CHECK(second.at == 2 * kSecond);
  CHECK(second.by == anna);
  for (int i = 300; i <= 510; ++i) told.tell(pose(2, i), tenths(i));
  REQUIRE(kills_of(told.tape).size() == 1);
  CHECK(kills_of(told.tape)[0].at == 30 * kSecond);
  CHECK(*told.tape.first() <= 30 * kSecond);
}

TEST_CASE("a tape keeps the latest 10,000 kills") {
  Told told;
  told.enter(0);
  for (Micros i = 1; i <= Tape::kMostKills + 2; ++i) told.tape.append(death(1, 0), i);
  const std::vector<Moment> kills = kills_of(told.tape);
  REQUIRE(kills.size() == Tape::kMostKills);
  CHECK(kills.front().at == 3);
  CHECK(kills.back().at == Tape::kMostKills + 2);
}

TEST_CASE("the change of a tape to another room is one moment, between a clock that stops and one that goes on live") {
  Told told;
  told.enter(0);
  told.world = WorldState();
  told.enter(3 * kSecond, "bob");
  const std::vector<Fact> change = told.tape.between(kSecond, 4 * kSecond);
  REQUIRE(change.size() > 2);
  for (const Fact& fact : change) CHECK(fact.at == 3 * kSecond);
  const auto *stops = as<words::Clock>(change.front()), *goes_on = as<words::Clock>(change.back());
  REQUIRE(stops != nullptr);
  REQUIRE(goes_on != nullptr);
  CHECK(stops->us() == 3 * kSecond);
  CHECK(stops->paused());
  CHECK(goes_on->us() == 3 * kSecond);
  CHECK(goes_on->speed() == 1);
  CHECK(goes_on->live());
  CHECK_FALSE(goes_on->paused());
}

TEST_CASE("a tape that is told to keep more forgets later, and one that is told to keep less forgets sooner") {
  Told told;
  told.enter(0);
  told.tape.keep_for(0, 10 * kSecond);
  for (int i = 1; i <= 300; ++i) told.tell(pose(2, i), tenths(i));
  CHECK(*told.tape.first() >= 10 * kSecond);
  CHECK(*told.tape.first() <= 20 * kSecond);
  told.tape.keep_for(0, 60 * kSecond);
  for (int i = 301; i <= 600; ++i) told.tell(pose(2, i), tenths(i));
  CHECK(*told.tape.first() <= 20 * kSecond);
}

}  // namespace entente::testing::tape_test
