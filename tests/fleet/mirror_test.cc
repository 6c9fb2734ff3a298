// The room of an edge without a network: the order in which it applies the owner's facts, and what it sends to the
// owner.
#include "proxy/fleet/arena/mirror.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "proxy/core/drops.h"
#include "proxy/fleet/arena/fleet_arena.h"
#include "tests/core/told_out.h"
#include "tests/fleet/edge.h"

namespace entente::fleet::mirror_test {
namespace {

using testing::add_player, testing::Edge, testing::facts, testing::intents, testing::kEpoch, testing::kPlayer,
    testing::kRun, testing::Listener, testing::Said, testing::secret, testing::with_player;

const Said kNotSaid = {"notice: not passed on: Say: the server is away"};

TEST_CASE("a private fact keeps its place among the public ones, whichever message comes first") {
  Edge edge;
  CHECK(edge.tell(secret(1, 1, "for you")));
  CHECK(edge.said.empty());  // not before the public facts
  CHECK(edge.tell(facts(1, {"a", "b"})));
  CHECK(edge.said == Said{"a", "for you", "b"});
  edge.said.clear();
  CHECK(edge.tell(facts(2, {"c"})));
  CHECK(edge.tell(secret(2, 1, "late")));
  CHECK(edge.said == Said{"c", "late"});
}

TEST_CASE("a missing number stops the room until a snapshot, and repeated facts are applied once") {
  Edge edge;
  CHECK(edge.tell(facts(1, {"a"})));
  CHECK(edge.tell(facts(1, {"a"})));
  CHECK(!edge.mirror->lacks_world());
  CHECK(edge.tell(facts(3, {"c"})));
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.message().wants_world());
  CHECK(edge.tell(facts(4, {"d"})));
  CHECK(edge.said == Said{"a"});
  edge.world(3, true);
  CHECK(edge.said == Said{"a", "d"});
  CHECK(!edge.mirror->lacks_world());
}

TEST_CASE("a missing private message stops the room until a snapshot, and one that comes again is refused") {
  Edge edge;
  CHECK(edge.tell(facts(1, {"a"})));
  CHECK(edge.tell(secret(1, 1, "for you")));
  CHECK(!edge.mirror->lacks_world());
  --edge.number;
  CHECK_FALSE(edge.tell(secret(1, 1, "for you")));
  CHECK(!edge.mirror->lacks_world());
  ++edge.number;  // one is lost
  CHECK(edge.tell(secret(1, 1, "later")));
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.message().wants_world());
  edge.world(1, true);
  CHECK(!edge.mirror->lacks_world());
  CHECK(edge.tell(facts(2, {"b"})));
  CHECK(edge.said.back() == "b");
}

TEST_CASE("a snapshot before which facts are still missing does not let the room go on") {
  Edge edge;
  CHECK(edge.tell(facts(1, {"a"})));
  CHECK(edge.tell(facts(4, {"d"})));
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.tell(secret(3, 0, "for you")));
  edge.world(2, true);  // the third message is lost
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.said == Said{"a"});
  edge.world(3, true);
  CHECK(!edge.mirror->lacks_world());
  CHECK(edge.said == Said{"a", "for you", "d"});
}

TEST_CASE(
    "an intent keeps its number; a player enters again at the next owner; a closed seat is reported to the owner") {
  Edge edge;
  edge.say("hello");
  const bus::FromNode first = edge.message();
  REQUIRE(first.parts_size() == 1);
  CHECK(first.parts(0).seat() == edge.seat);
  CHECK(first.parts(0).intent().say().text() == "hello");
  CHECK(first.parts(0).intent().number() == 2);
  CHECK(first.epoch() == kEpoch);

  bus::Facts next = facts(7, {});
  next.set_epoch(kEpoch + 1);
  CHECK(edge.tell(next));
  CHECK(edge.mirror->lacks_world());
  CHECK(!edge.tell(facts(2, {"of the earlier owner"})));
  const bus::FromNode again = edge.message();
  REQUIRE(again.parts_size() == 2);
  CHECK(again.parts(0).has_open());
  CHECK(again.parts(1).intent().has_enter());
  CHECK(again.wants_world());
  bus::Snapshot snapshot;
  snapshot.set_facts(7);
  snapshot.add_seats()->set_seat(edge.seat);
  snapshot.mutable_seats(0)->set_entered(true);
  bus::ToNode world;
  world.mutable_piece()->set_count(1);
  world.mutable_piece()->set_bytes(snapshot.SerializeAsString());
  world.set_epoch(kEpoch + 1);
  world.set_run(kRun);
  world.set_number(1);
  const std::string bytes = world.SerializeAsString();
  edge.room->order([&](core::Back&) { CHECK(edge.mirror->hear_private(as_bytes(bytes))); }, ++edge.now);
  CHECK(edge.message().parts_size() == 0);  // sent only once
  CHECK(edge.said == kNotSaid);             // no owner has confirmed it

  edge.room->gone(edge.seat, "left", ++edge.now);
  edge.mirror->close_missing([&](core::Id seat) { return edge.room->is_seated(seat); });
  const bus::FromNode last = edge.message();
  REQUIRE(last.parts_size() == 2);
  CHECK(last.parts(0).intent().has_leave());
  CHECK(last.parts(1).has_close());
}

TEST_CASE("a player whom the owner refuses, because it comes too often, would not play") {
  Mirror mirror(kRun, [](core::Id) { return bus::FromNode::Open(); });
  entente::testing::ToldBackOut out;
  out.time = core::kSecond;
  core::Intent enter{words::Enter()};
  enter.by = 7;
  const auto often = [&](const core::Intent& intent) {
    for (int i = 0; i < 5; ++i) {
      CHECK(mirror.would_play(enter, out));
      mirror.hear(intent, out);
    }
  };
  SUBCASE("by entering") { often(enter); }
  SUBCASE("by changing its name") {
    words::Player player;
    player.set_id(7);
    out.knows(player);
    core::Intent change{words::Change()};
    change.by = 7;
    for (int i = 0; i < 5; ++i) mirror.hear(change, out);
    CHECK_FALSE(mirror.would_play(enter, out));  // it plays already
    words::PlayerGone gone;
    gone.set_id(7);
    out.knows(gone);
  }
  CHECK_FALSE(mirror.would_play(enter, out));
  core::Intent other = enter;
  other.by = 8;
  CHECK(mirror.would_play(other, out));
  out.time += core::kSecond;
  CHECK(mirror.would_play(enter, out));
}

TEST_CASE("with a new owner, players, units and flags keep their ids in the room") {
  Edge edge;
  bus::Snapshot snapshot;
  add_player(snapshot, 50, 51, 52);
  edge.world(snapshot, kEpoch, 10);
  const core::WorldState& world = edge.room->world();
  REQUIRE(world.players().size() == 1);
  const core::Id player = world.players().begin()->first;
  const core::Id unit = world.player(player)->active, token = world.tokens().begin()->first;

  bus::Snapshot next;
  add_player(next, 7, 8, 9);
  edge.world(next, kEpoch + 1, 1);
  REQUIRE(world.players().size() == 1);
  CHECK(world.players().begin()->first == player);
  CHECK(world.player(player)->active == unit);
  REQUIRE(world.tokens().size() == 1);
  CHECK(world.tokens().begin()->first == token);
  CHECK(world.token(token)->carrier() == player);
  CHECK(edge.gone == 0);
}

TEST_CASE("a player with the name of one who has gone meanwhile is another one, if the owner is the same") {
  Edge edge;
  bus::Snapshot snapshot, next;
  add_player(snapshot, 50, 51, 52);
  add_player(next, 60, 61, 62);
  edge.world(snapshot, kEpoch, ++edge.number);
  const core::WorldState& world = edge.room->world();
  REQUIRE(world.players().size() == 1);
  const core::Id player = world.players().begin()->first;
  edge.world(next, kEpoch, ++edge.number);
  REQUIRE(world.players().size() == 1);
  CHECK(world.players().begin()->first != player);
  CHECK(edge.gone != 0);
}

TEST_CASE("a player who came back into play or died meanwhile spawns or dies when the snapshot comes") {
  Edge edge;
  const auto snapshot = [](bool alive, double health) { return with_player(70, "ben", alive, health); };
  edge.world(snapshot(false, 100), kEpoch + 1, 1);
  CHECK(edge.said == Said());
  edge.world(snapshot(true, 60), kEpoch + 1, 2);
  CHECK(edge.said == Said{"spawned at 7"});
  const core::PlayerState* ben = nullptr;
  for (const auto& [id, player] : edge.room->world().players())
    if (player.player.name() == "ben") ben = &player;
  REQUIRE(ben != nullptr);
  REQUIRE(ben->units.size() == 1);
  const words::Unit& unit = edge.room->world().unit(ben->units.front())->unit;
  CHECK(unit.alive());
  CHECK(unit.health() == 60);
  edge.world(snapshot(true, 60), kEpoch + 1, 3);
  CHECK(edge.said == Said{"spawned at 7"});
  edge.world(snapshot(false, 60), kEpoch + 1, 4);
  CHECK(edge.said == Said{"spawned at 7", "died"});
  CHECK_FALSE(unit.alive());
  edge.world(snapshot(false, 60), kEpoch + 1, 5);
  CHECK(edge.said == Said{"spawned at 7", "died"});
  bus::Snapshot stronger = snapshot(false, 60);
  stronger.mutable_world(1)->mutable_unit()->set_max_health(200);
  edge.world(stronger, kEpoch + 1, 6);
  CHECK(unit.max_health() == 200);
  CHECK(edge.said == Said{"spawned at 7", "died"});
}

TEST_CASE("a forged high epoch is accepted until its owner is silent; then any sender can become the owner") {
  Edge edge;
  bus::Facts forged = facts(1, {});
  forged.set_epoch(kEpoch + 1'000'000);
  CHECK(edge.tell(forged));
  CHECK(!edge.tell(facts(1, {"a"})));
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  CHECK(edge.message().epoch() == 0);  // addressed to any owner
  CHECK(edge.tell(facts(2, {"b"})));
  CHECK(edge.message().epoch() == kEpoch);
  CHECK(!edge.tell(facts(2, {}, kEpoch - 1)));
  bus::Snapshot world;
  world.set_facts(2);
  edge.world(world, kEpoch, 1);
  CHECK(edge.tell(facts(3, {"c"})));
  CHECK(edge.said == Said{"c"});
}

TEST_CASE("what a player says while there is no owner is dropped and counted; what it wants is kept for the next one") {
  Edge edge;
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  for (const char* one : {"anybody here?", "steer"}) edge.say(one);
  const auto& lost = edge.room->ledger().entries();
  CHECK(std::count_if(lost.begin(), lost.end(), [](auto& one) { return one.line == &core::drops::kServerAway; }) == 1);
  edge.world(bus::Snapshot(), kEpoch + 1, 1);
  const bus::FromNode message = edge.message();
  const auto has = [&](auto what) { return std::any_of(message.parts().begin(), message.parts().end(), what); };
  CHECK(has([](auto& part) { return part.intent().has_toward(); }));
  CHECK_FALSE(has([](auto& part) { return part.intent().has_say(); }));
}

std::ptrdiff_t away_drops(const Edge& edge) {
  const auto& lost = edge.room->ledger().entries();
  return std::count_if(lost.begin(), lost.end(), [](auto& one) { return one.line == &core::drops::kServerAway; });
}

TEST_CASE(
    "while nothing can be sent, what a player says is dropped and counted, and the world is requested afterwards") {
  Edge edge;
  edge.mirror->set_line(false);
  edge.say("anybody here?");
  CHECK(away_drops(edge) == 1);
  CHECK(edge.message().parts_size() == 0);
  edge.mirror->set_line(true);
  CHECK(edge.message().wants_world());
  edge.world(0, true);
  (void)edge.message();
  edge.say("hello");
  CHECK(edge.message().parts(0).intent().say().text() == "hello");
}

TEST_CASE("a player who leaves while nothing can be sent leaves afterwards") {
  Edge edge;
  edge.mirror->set_line(false);
  edge.say("leave");
  CHECK(edge.message().parts_size() == 0);
  edge.mirror->set_line(true);
  edge.world(0, true);
  CHECK(edge.message().parts(0).intent().has_leave());
  CHECK(away_drops(edge) == 0);
}

TEST_CASE("what could not be sent, or waited when the owner was lost, is counted, unless it is said again") {
  Edge edge;
  const auto turn = [&] { edge.room->order([](core::Back&) {}, ++edge.now); };
  for (const char* one : {"hello", "steer", "spawn", "motto"}) edge.say(one);
  SUBCASE("could not be sent") {
    for (const std::string& one : edge.mirror->take(false)) edge.mirror->unsent(one);
    CHECK(edge.mirror->has_lost());
    CHECK(away_drops(edge) == 0);
    turn();
  }
  SUBCASE("waited") {
    edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  }
  CHECK_FALSE(edge.mirror->has_lost());
  CHECK(away_drops(edge) == 1);
  CHECK(edge.said == kNotSaid);
  turn();
  CHECK(away_drops(edge) == 1);
  CHECK(edge.said == kNotSaid);
  edge.world(bus::Snapshot(), kEpoch + 1, 1);
  CHECK(edge.said == kNotSaid);
}

TEST_CASE("what the last owner has perhaps not heard is counted and told when the next one comes") {
  constexpr core::Micros kLost = kOwnerLost * core::kMillisecond;
  Edge edge;
  std::uint64_t lost = 1;
  for (const char* one : {"hello", "claim", "steer", "spawn", "motto", "hello again"}) edge.say(one);
  const core::Micros said_at = edge.now;
  std::uint64_t message = edge.message().number();
  const auto confirm = [&](std::uint64_t heard) {
    bus::ToNode confirmed;
    confirmed.set_heard(heard);
    CHECK(edge.tell(confirmed));
  };
  SUBCASE("it was silent") {}
  SUBCASE("it was silent for long") {
    edge.now = said_at + 10 * kLost;
    edge.room->order([](core::Back&) {}, ++edge.now);
  }
  SUBCASE("it has confirmed what came before") { confirm(message - 1); }
  SUBCASE("it has confirmed it") {
    confirm(message);
    lost = 0;
  }
  SUBCASE("it has confirmed the first part") {
    confirm(message);
    edge.say("and again");
    (void)edge.message();
  }
  SUBCASE("it has spoken for a while since, but has confirmed nothing") {
    edge.now = said_at + kLost - 2;
    CHECK(edge.tell(facts(1, {})));
  }
  SUBCASE("it has spoken for so long since that it has surely heard it") {
    edge.now = said_at + kLost - 1;
    CHECK(edge.tell(facts(1, {})));
    lost = 0;
  }
  SUBCASE("it was silent, and speaks again before another one does") {
    edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
    confirm(message);
    lost = 0;
  }
  CHECK(edge.said.empty());
  for (std::uint64_t epoch = 1; epoch < 3; ++epoch) {
    edge.world(bus::Snapshot(), kEpoch + epoch, 1);
    CHECK(edge.said == (lost != 0 ? kNotSaid : Said{}));
    CHECK(away_drops(edge) == static_cast<std::ptrdiff_t>(lost));
    (void)edge.message();
  }
}

TEST_CASE("a player is told at each new owner that something was lost, as the answer to it, unless it has left") {
  Edge edge;
  bool leaves = false;
  SUBCASE("it stays") {}
  SUBCASE("it leaves") { leaves = true; }
  Said told;
  for (std::uint64_t epoch = 1; epoch < 3; ++epoch) {
    edge.say("hello");
    if (leaves) edge.say("leave");
    (void)edge.message();
    edge.world(bus::Snapshot(), kEpoch + epoch, 1);
    (void)edge.message();
    if (!leaves) told.push_back(kNotSaid.front());
    CHECK(edge.said == told);
  }
  CHECK(edge.causes == (leaves ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{2, 3}));
}

TEST_CASE("players without an owner are told once that it is away, newcomers too, and once that it is back") {
  Edge edge;
  edge.room->order(
      [&](core::Back&) {
        edge.mirror->lose_owner();
        edge.mirror->tell_away("away", "back");
      },
      ++edge.now);
  CHECK(edge.said == Said{"notice: away"});
  Said late;
  int ready = 0, gone = 0;
  const core::Id seat = edge.room->seat(std::make_unique<Listener>(late, ready, gone), {}, ++edge.now);
  edge.room->received(seat, {Lane::kStream, as_bytes(std::string_view("enter"))}, ++edge.now);
  CHECK(late == Said{"notice: away"});
  edge.say("steer");
  CHECK(edge.said == Said{"notice: away"});
  for (std::uint64_t number = 1; number < 3; ++number) edge.world(bus::Snapshot(), kEpoch + 1, number);
  CHECK(edge.said == Said{"notice: away", "notice: back"});
  CHECK(late == Said{"notice: away", "notice: back"});
}

TEST_CASE("what the operator announces goes to the owner only for players whom it knows") {
  Edge edge;
  const auto announce = [&](core::Id seat) {
    edge.room->order([&](core::Back&) { edge.mirror->announced(seat, "hello"); }, ++edge.now);
    return edge.message().parts_size();
  };
  CHECK(announce(edge.seat) == 1);
  CHECK(announce(edge.seat + 1) == 0);
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  CHECK(announce(edge.seat) == 0);
}

TEST_CASE("a player that left while there was no owner leaves at the next owner if that still has it") {
  Edge edge;
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  edge.say("leave");
  CHECK(edge.message().parts_size() == 0);
  edge.world(bus::Snapshot(), kEpoch + 1, 1);
  const bus::FromNode message = edge.message();
  REQUIRE(message.parts_size() == 1);
  CHECK(message.parts(0).seat() == edge.seat);
  CHECK(message.parts(0).intent().has_leave());
}

TEST_CASE("a player that left while there was no owner is gone if the next owner does not have it") {
  Edge edge;
  bus::Snapshot empty;
  empty.add_world()->mutable_room()->set_name("field");
  empty.add_world()->mutable_ready();
  bus::Snapshot full = empty;
  auto& player = *full.add_world()->mutable_player();
  player.set_id(kPlayer);
  player.set_name("anna");
  edge.world(full, kEpoch, ++edge.number);
  const auto is_there = [&] { return edge.room->world().player(edge.seat) != nullptr; };
  REQUIRE(is_there());
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  SUBCASE("a player that stayed enters again") {
    edge.world_without_seat(empty, kEpoch + 1, 1);
    CHECK(is_there());
  }
  SUBCASE("a player that left does not") {
    edge.say("leave");
    edge.world_without_seat(empty, kEpoch + 1, 1);
    CHECK_FALSE(is_there());
  }
}

TEST_CASE("a player becomes ready once, when the owner has let it in, and keeps steering at the next owner") {
  Edge edge;
  CHECK(edge.ready == 1);  // from the world
  bus::Facts one = facts(1, {});
  one.add_facts()->mutable_player()->set_id(kPlayer);
  CHECK(edge.tell(one));
  CHECK(edge.ready == 2);
  one.set_number(2);
  CHECK(edge.tell(one));
  CHECK(edge.ready == 2);
  edge.room->received(edge.seat, {Lane::kStream, as_bytes("steer")}, ++edge.now);
  CHECK(edge.message().parts_size() == 1);
  bus::Facts next = facts(1, {});
  next.set_epoch(kEpoch + 1);
  CHECK(edge.tell(next));
  const bus::FromNode again = edge.message();
  REQUIRE(again.parts_size() == 3);
  CHECK(again.parts(2).intent().toward().x() == 12);
}

TEST_CASE("a player whom the owner has told that it is ready is not told so again") {
  Edge edge;
  bus::ToNode own = secret(0, 0, "");
  own.mutable_parts(0)->mutable_fact()->mutable_ready();
  CHECK(edge.tell(own));
  CHECK(edge.ready == 2);  // the first one is from the world
  bus::Facts one = facts(1, {});
  one.add_facts()->mutable_player()->set_id(kPlayer);
  CHECK(edge.tell(one));
  CHECK(edge.ready == 2);
}

TEST_CASE("a player who wants to come into play wants it of the next owner, too, unless it has died since") {
  Edge edge;
  edge.say("spawn");
  CHECK(edge.message().parts_size() == 1);
  int wants = 1;
  std::uint64_t epoch = kEpoch;
  SUBCASE("it has not died") {}
  SUBCASE("it has died") {
    bus::Facts one = facts(1, {});
    one.add_facts()->mutable_died()->set_player(kPlayer);
    CHECK(edge.tell(one));
    wants = 0;
  }
  SUBCASE("it has died, but is in play in the world of the next owner, which is lost, too") {
    bus::Facts one = facts(1, {});
    one.add_facts()->mutable_died()->set_player(kPlayer);
    CHECK(edge.tell(one));
    edge.world(with_player(kPlayer, "anna", false, 0), ++epoch, 1);
    edge.world(with_player(kPlayer, "anna", true, 100), epoch, 2);
    CHECK(edge.said == Said{"died", "spawned at 7"});
  }
  SUBCASE("it has died, but comes into play at the next owner, which is lost, too") {
    edge.world(with_player(kPlayer, "anna", true, 100), ++epoch, 1);
    edge.world(with_player(kPlayer, "anna", false, 100), epoch, 2);
    bus::Facts one = facts(1, {}, epoch);
    one.add_facts()->mutable_spawned()->set_unit(71);
    CHECK(edge.tell(one));
    CHECK(edge.said == Said{"died", "spawned at 0"});
  }
  SUBCASE("it has died in the world of the next owner, which is lost, too") {
    edge.world(with_player(kPlayer, "anna", true, 100), ++epoch, 1);
    edge.world(with_player(kPlayer, "anna", false, 0), epoch, 2);
    CHECK(edge.said == Said{"died"});
    wants = 0;
  }
  (void)edge.message();
  CHECK(edge.tell(facts(1, {}, epoch + 1)));
  const bus::FromNode again = edge.message();
  REQUIRE(again.parts_size() == 2 + wants);
  CHECK(again.parts(0).has_open());
  CHECK(again.parts(1).intent().has_enter());
  if (wants != 0) CHECK(again.parts(2).intent().has_spawn());
}

TEST_CASE("what the owner has missed of a player who comes in is sent to it again") {
  Edge edge;
  edge.say("spawn");
  edge.say("steer");
  (void)edge.message();
  const auto snapshot = [&](bool entered, bool there, bool alive) {
    bus::Snapshot world = there ? with_player(kPlayer, "anna", alive, 100) : bus::Snapshot();
    world.add_world()->mutable_ready();
    world.add_seats()->set_seat(edge.seat);
    world.mutable_seats(0)->set_player(kPlayer);
    world.mutable_seats(0)->set_entered(entered);
    edge.world_without_seat(world, kEpoch, ++edge.number);
    return edge.message();
  };
  const bus::FromNode lost = snapshot(false, false, false);
  REQUIRE(lost.parts_size() == 3);
  CHECK(lost.parts(0).intent().has_enter());
  CHECK(lost.parts(0).again());
  CHECK(lost.parts(1).intent().has_spawn());
  CHECK(lost.parts(2).intent().has_toward());
  const bus::FromNode waits = snapshot(true, true, false);
  REQUIRE(waits.parts_size() == 1);
  CHECK(waits.parts(0).intent().has_spawn());
  (void)snapshot(true, true, true);  // it comes into play
  const bus::FromNode plays = snapshot(true, true, true);
  REQUIRE(plays.parts_size() == 1);
  CHECK(plays.parts(0).intent().has_toward());
}

TEST_CASE("what the same owner has missed of a player in play is sent to it again: steering, the trigger, a motto") {
  Edge edge;
  const auto anna = with_player(kPlayer, "anna", true, 100);
  edge.world(anna, kEpoch, ++edge.number);
  const auto again = [&] {
    edge.world(anna, kEpoch, ++edge.number);
    return edge.message();
  };
  CHECK(intents(again()).empty());
  SUBCASE("our messages were lost") {
    for (const char* one : {"steer", "press", "release", "motto"}) edge.say(one);
    (void)edge.message();
  }
  SUBCASE("it was silent for so long that it counted as lost") {
    edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
    for (const char* one : {"steer", "press", "release", "motto"}) edge.say(one);
    CHECK(edge.message().parts_size() == 0);
    CHECK(edge.tell(facts(1, {})));
  }
  SUBCASE("nothing could be sent") {
    edge.mirror->set_line(false);
    for (const char* one : {"steer", "press", "release", "motto"}) edge.say(one);
    CHECK(edge.message().parts_size() == 0);
    edge.mirror->set_line(true);
  }
  for (int times = 0; times < 2; ++times) {  // this may be lost, too
    const bus::FromNode message = again();
    CHECK(intents(message) == Said{"Enter", "Toward", "Trigger"});
    REQUIRE(message.parts_size() == 3);
    CHECK(message.parts(0).again());
    CHECK(message.parts(0).intent().enter().motto() == "gone fishing");
    CHECK(message.parts(1).intent().toward().x() == 12);
    CHECK_FALSE(message.parts(2).intent().trigger().primary());
  }
}

TEST_CASE("older steering is not sent again for a player who moves by claims since") {
  Edge edge;
  const auto anna = with_player(kPlayer, "anna", true, 100);
  edge.world(anna, kEpoch, ++edge.number);
  for (const char* one : {"steer", "claim"}) edge.say(one);
  (void)edge.message();
  edge.world(anna, kEpoch, ++edge.number);
  CHECK(intents(edge.message()).empty());
  edge.say("steer");
  (void)edge.message();
  edge.world(anna, kEpoch, ++edge.number);
  CHECK(intents(edge.message()) == Said{"Toward"});
}

TEST_CASE("a player whose kick was missed is told of it by the next snapshot, once, and does not come back") {
  Edge edge;
  bus::Snapshot world;
  world.add_world()->mutable_ready();
  auto& closed = *world.add_closed();
  closed.set_seat(edge.seat);
  closed.set_why("enough");
  SUBCASE("it was missed") {
    for (int times = 0; times < 2; ++times) {
      edge.world_without_seat(world, kEpoch, ++edge.number);
      CHECK(edge.said == Said{"kicked: enough"});
      CHECK(edge.message().parts_size() == 0);
    }
    edge.say("enter");
    CHECK(intents(edge.message()) == Said{"Enter"});
  }
  SUBCASE("the player has come in again since") {
    edge.world(world, kEpoch, ++edge.number);
    CHECK(edge.said.empty());
  }
}

TEST_CASE("a player who is refused comes in again only by its own wish, which is sent again if it is lost") {
  Edge edge;
  bus::Snapshot world;
  world.add_world()->mutable_ready();
  world.add_seats()->set_seat(edge.seat);
  world.mutable_seats(0)->set_player(kPlayer);
  const auto again = [&] {
    edge.world_without_seat(world, kEpoch, ++edge.number);
    return intents(edge.message());
  };
  bus::ToNode refusal = secret(0, 0, "");
  refusal.mutable_parts(0)->mutable_fact()->mutable_refused()->set_may_retry(true);
  CHECK(edge.tell(refusal));
  CHECK(again().empty());
  edge.say("enter");
  CHECK(intents(edge.message()) == Said{"Enter"});
  CHECK(again() == Said{"Enter"});
}

TEST_CASE("a player enters at the next owner as it has changed meanwhile") {
  Edge edge;
  edge.say("change");
  CHECK(edge.message().parts_size() == 1);
  CHECK(edge.tell(facts(1, {}, kEpoch + 1)));
  const bus::FromNode again = edge.message();
  REQUIRE(again.parts_size() == 2);
  const words::Enter& wish = again.parts(1).intent().enter();
  CHECK(wish.team() == words::BLUE);
  CHECK(wish.kit() == 2);
  CHECK(wish.motto() == "gone fishing");
  CHECK(wish.skin() == "stripes");
}

TEST_CASE("a player who changes its team while there is no owner is told that the server is away") {
  Edge edge;
  bus::Facts one = facts(1, {});
  one.add_facts()->mutable_player()->set_id(kPlayer);
  CHECK(edge.tell(one));
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  edge.say("change");
  const auto& lost = edge.room->ledger().entries();
  CHECK(std::count_if(lost.begin(), lost.end(), [](auto& its) { return its.line == &core::drops::kServerAway; }) == 1);
  CHECK(edge.tell(facts(1, {}, kEpoch + 1)));
  const bus::FromNode again = edge.message();
  REQUIRE(again.parts_size() == 2);
  CHECK(again.parts(1).intent().enter().team() == words::TEAM_ANY);
}

TEST_CASE("a player enters at the next owner by the name that it had at the last one") {
  Edge edge;
  bus::Facts one = facts(1, {});
  one.add_facts()->mutable_player()->set_id(kPlayer);
  one.mutable_facts(0)->mutable_player()->set_name("anna 2");
  CHECK(edge.tell(one));
  CHECK(edge.tell(facts(1, {}, kEpoch + 1)));
  const bus::FromNode again = edge.message();
  REQUIRE(again.parts_size() == 2);
  CHECK(again.parts(1).intent().enter().name() == "anna 2");
}

TEST_CASE("after a snapshot that breaks off, the next one is taken whole") {
  Edge edge;
  CHECK(edge.tell(facts(3, {"c"})));
  CHECK(edge.mirror->lacks_world());
  bus::ToNode half;
  half.mutable_piece()->set_count(2);
  half.mutable_piece()->set_bytes("the first half");
  CHECK(edge.tell(half));
  CHECK(edge.mirror->lacks_world());
  edge.world(3, true);
  CHECK(!edge.mirror->lacks_world());
}

/// The message as it comes from the bus. Returns whether it was used.
bool hear(Edge& edge, const std::string& bytes, bool is_private) {
  bool used = false;
  edge.room->order(
      [&](core::Back&) {
        used = is_private ? edge.mirror->hear_private(as_bytes(bytes)) : edge.mirror->hear_facts(as_bytes(bytes));
      },
      ++edge.now);
  return used;
}

TEST_CASE(
    "what is no message of an owner is refused and counted; what is for the node's other process is passed over") {
  Edge edge;
  const std::uint64_t before = edge.mirror->refused();
  CHECK_FALSE(hear(edge, "\xff", false));
  CHECK_FALSE(hear(edge, "\xff", true));
  CHECK_FALSE(edge.tell(facts(1, {"a"}, 0)));  // of no owner
  CHECK_FALSE(edge.tell(facts(1, {"a"}, kEpoch - 1)));
  CHECK(edge.mirror->refused() == before + 4);
  bus::ToNode other = secret(0, 0, "for the other process");
  other.set_epoch(kEpoch);
  other.set_run(kRun + 1);
  other.set_number(edge.number + 7);
  CHECK(hear(edge, other.SerializeAsString(), true));
  CHECK(edge.mirror->refused() == before + 4);
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.tell(secret(0, 0, "for this one")));
  CHECK(edge.said == Said{"for this one"});
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  CHECK_FALSE(edge.tell(facts(1, {"a"}, 0)));  // nor is that the next one
}

TEST_CASE("pieces of a snapshot count only in their order, and a snapshot that does not decode is refused") {
  Edge edge;
  CHECK(edge.tell(facts(3, {"c"})));
  CHECK(edge.mirror->lacks_world());
  bus::Snapshot snapshot;
  snapshot.set_facts(3);
  snapshot.add_seats()->set_seat(edge.seat);
  snapshot.mutable_seats(0)->set_player(kPlayer);
  snapshot.mutable_seats(0)->set_entered(true);
  const std::string whole = snapshot.SerializeAsString();
  const auto piece = [&](std::uint32_t index, std::uint32_t count, const std::string& bytes) {
    bus::ToNode one;
    one.mutable_piece()->set_index(index);
    one.mutable_piece()->set_count(count);
    one.mutable_piece()->set_bytes(bytes);
    return edge.tell(one);
  };
  const std::uint64_t before = edge.mirror->refused();
  CHECK_FALSE(piece(1, 2, whole.substr(1)));  // the first one is missing
  CHECK_FALSE(piece(0, 0, whole));
  CHECK_FALSE(piece(0, 1, "\xff"));
  CHECK(edge.mirror->refused() == before + 3);
  CHECK(piece(0, 3, whole.substr(0, 1)));
  CHECK_FALSE(piece(2, 3, whole.substr(2)));  // the second one is missing
  CHECK(piece(0, 2, "of another snapshot"));
  CHECK(piece(0, 2, whole.substr(0, 1)));
  CHECK(edge.mirror->lacks_world());
  const std::uint64_t snapshots = edge.mirror->snapshots();
  CHECK(piece(1, 2, whole.substr(1)));
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.mirror->snapshots() == snapshots + 1);
  CHECK_FALSE(piece(2, 3, ""));  // it was whole without this one
}

TEST_CASE(
    "the owner is sent what there is to say; only the beat is sent without, and asks for a world that is missing") {
  Edge edge;
  const auto messages = [&](bool always) {
    std::vector<bus::FromNode> all;
    for (const std::string& one : edge.mirror->take(always)) CHECK(all.emplace_back().ParseFromString(one));
    return all;
  };
  CHECK(messages(false).empty());
  const auto beat = messages(true);
  REQUIRE(beat.size() == 1);
  CHECK_FALSE(beat[0].wants_world());
  CHECK(beat[0].run() == kRun);
  CHECK(edge.tell(facts(3, {"c"})));
  CHECK(messages(false).empty());
  edge.say("hello");
  const auto said = messages(false);
  REQUIRE(said.size() == 1);
  CHECK_FALSE(said[0].wants_world());
  CHECK(said[0].number() == beat[0].number() + 1);
  const auto asks = messages(true);
  REQUIRE(asks.size() == 1);
  CHECK(asks[0].parts_size() == 0);
  CHECK(asks[0].wants_world());
  CHECK(asks[0].number() == beat[0].number() + 2);
}

TEST_CASE("what players say goes to the owner in order, in messages of a bounded size, of which the last may ask") {
  Edge edge;
  CHECK(edge.tell(facts(3, {"c"})));
  constexpr int kSome = 3'000;
  for (int i = 0; i < kSome; ++i) edge.say(std::to_string(i) + std::string(200, 'x'));
  int count = 0;
  std::uint64_t number = 0;
  const std::vector<std::string> all = edge.mirror->take(true);
  CHECK(all.size() >= 3);
  CHECK(all.size() < 10);
  for (const std::string& bytes : all) {
    CHECK(bytes.size() <= Mirror::kMessage + 1'000);
    bus::FromNode one;
    REQUIRE(one.ParseFromString(bytes));
    if (number != 0) CHECK(one.number() == number + 1);
    number = one.number();
    CHECK(one.wants_world() == (&bytes == &all.back()));
    for (const auto& part : one.parts())
      if (part.intent().say().text().starts_with(std::to_string(count) + "x")) ++count;
  }
  CHECK(count == kSome);
}

TEST_CASE("a seat that is gone is closed once, and only at an owner that knows it") {
  Edge edge;
  const auto closes = [&](bool is_seated) {
    edge.mirror->close_missing([is_seated](core::Id) { return is_seated; });
    const bus::FromNode message = edge.message();
    for (const auto& part : message.parts()) CHECK(part.close().why() == "left");
    return message.parts_size();
  };
  CHECK(closes(true) == 0);
  SUBCASE("known") {
    CHECK(closes(false) == 1);
    CHECK(closes(false) == 0);
  }
  SUBCASE("unknown") {
    edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
    CHECK(closes(false) == 0);
  }
}

TEST_CASE("a seat that the owner has and the node has not is given back, by a snapshot or when it comes") {
  Edge edge;
  const auto given_back = [&] {
    const bus::FromNode message = edge.message();
    REQUIRE(message.parts_size() == 1);
    CHECK(message.parts(0).close().why() == "gone");
    return message.parts(0).seat();
  };
  bus::Snapshot world;
  world.add_seats()->set_seat(edge.seat);
  world.mutable_seats(0)->set_player(kPlayer);
  world.mutable_seats(0)->set_entered(true);
  world.add_seats()->set_seat(edge.seat + 5);
  edge.world_without_seat(world, kEpoch, ++edge.number);
  CHECK(given_back() == edge.seat + 5);
  bus::ToNode seats;
  seats.add_parts()->mutable_seat()->set_seat(edge.seat + 6);
  CHECK(edge.tell(seats));
  CHECK(given_back() == edge.seat + 6);
}

TEST_CASE("an id that the owner uses again means another player or unit") {
  Edge edge;
  bus::Snapshot snapshot;
  add_player(snapshot, 50, 51, 52);
  edge.world(snapshot, kEpoch, ++edge.number);
  const core::WorldState& world = edge.room->world();
  REQUIRE(world.players().size() == 1);
  const core::Id player = world.players().begin()->first, unit = world.player(player)->units.front();
  bus::Facts goes = facts(1, {});
  goes.add_facts()->mutable_gone()->set_unit(51);
  goes.add_facts()->mutable_player_gone()->set_id(50);
  CHECK(edge.tell(goes));
  CHECK(world.players().empty());
  bus::Snapshot parts;
  add_player(parts, 50, 51, 52);
  bus::Facts comes = facts(2, {});
  for (const words::Fact& one : parts.world()) *comes.add_facts() = one;
  CHECK(edge.tell(comes));
  REQUIRE(world.players().size() == 1);
  CHECK(world.players().begin()->first != player);
  REQUIRE(world.players().begin()->second.units.size() == 1);
  CHECK(world.players().begin()->second.units.front() != unit);
}

TEST_CASE("who speaks to one player alone is known by the ids of each room, and by none at an owner not heard of yet") {
  Edge edge;
  bus::Snapshot snapshot;
  add_player(snapshot, 50, 51, 52);
  edge.world(snapshot, kEpoch, ++edge.number);
  bus::ToNode whisper = secret(0, 0, "psst");
  whisper.mutable_parts(0)->mutable_fact()->mutable_said()->set_scope(words::Say::ONE);
  whisper.mutable_parts(0)->mutable_fact()->mutable_said()->set_to(kPlayer);
  CHECK(edge.tell(whisper));
  CHECK(edge.said == Said{"psst to " + std::to_string(edge.seat)});
  const auto to = [&] {
    edge.say("to " + std::to_string(edge.room->world().players().begin()->first));
    const bus::FromNode message = edge.message();
    REQUIRE(message.parts_size() != 0);
    const auto& last = message.parts(message.parts_size() - 1).intent();
    CHECK(last.say().text() == "for you alone");
    return last.say().to();
  };
  CHECK(to() == 50);
  CHECK(edge.tell(facts(1, {}, kEpoch + 1)));
  CHECK(to() == 0);
}

TEST_CASE("a player whom the owner sends away is told why, and does not come back by itself") {
  Edge edge;
  bus::ToNode kick;
  kick.add_parts()->mutable_closed()->set_seat(edge.seat);
  kick.mutable_parts(0)->mutable_closed()->set_why("enough");
  CHECK(edge.tell(kick));
  CHECK(edge.said == Said{"kicked: enough"});
  CHECK(edge.tell(facts(1, {}, kEpoch + 1)));
  CHECK(edge.message().parts_size() == 0);
}

/// How often the player's change is sent again to an owner that does not take it.
int repeats_of(const std::string& change) {
  Edge edge;
  const auto anna = with_player(kPlayer, "anna", true, 100);
  edge.world(anna, kEpoch, ++edge.number);
  edge.say(change);
  (void)edge.message();
  int times = 0;
  for (int i = 0; i < Mirror::kRepeats + 2; ++i) {
    edge.world(anna, kEpoch, ++edge.number);
    times += intents(edge.message()) == Said{"Enter"};
  }
  return times;
}

TEST_CASE("a changed motto that the owner does not take is sent again three times, and no more") {
  CHECK(repeats_of("motto") == Mirror::kRepeats);
}

TEST_CASE("a changed skin that the owner does not take is sent again as often as a changed motto") {
  CHECK(repeats_of("skin") == Mirror::kRepeats);
}

TEST_CASE("a player who has died steers no longer, and presses nothing, in its next life") {
  Edge edge;
  const auto anna = with_player(kPlayer, "anna", true, 100);
  edge.world(anna, kEpoch, ++edge.number);
  for (const char* one : {"steer", "press"}) edge.say(one);
  (void)edge.message();
  edge.world(anna, kEpoch, ++edge.number);
  CHECK(intents(edge.message()) == Said{"Toward", "Trigger"});
  bus::Facts one = facts(1, {});
  one.add_facts()->mutable_died()->set_player(kPlayer);
  CHECK(edge.tell(one));
  edge.world(anna, kEpoch, ++edge.number);
  CHECK(intents(edge.message()).empty());
}

TEST_CASE("a player who leaves and enters again is ready again, and has nothing left of before") {
  Edge edge;
  const auto enters = [&](std::uint64_t number) {
    bus::Facts one = facts(number, {});
    one.add_facts()->mutable_player()->set_id(kPlayer);
    CHECK(edge.tell(one));
  };
  enters(1);
  CHECK(edge.ready == 2);  // the first one is from the world
  for (const char* one : {"spawn", "steer", "press", "leave"}) edge.say(one);
  bus::Facts goes = facts(2, {});
  goes.add_facts()->mutable_player_gone()->set_id(kPlayer);
  CHECK(edge.tell(goes));
  edge.say("enter");
  enters(3);
  CHECK(edge.ready == 3);
  (void)edge.message();
  CHECK(edge.tell(facts(1, {}, kEpoch + 1)));
  CHECK(intents(edge.message()) == Said{"Enter"});
}

TEST_CASE("what a player alone was told while the world was missing comes after the snapshot") {
  Edge edge;
  CHECK(edge.tell(facts(1, {"a"})));
  CHECK(edge.tell(facts(3, {"c"})));
  CHECK(edge.tell(secret(3, 0, "for you")));
  bus::ToNode seats;  // older than those of the snapshot
  seats.set_facts(3);
  seats.add_parts()->mutable_seat()->set_seat(edge.seat + 6);
  CHECK(edge.tell(seats));
  CHECK(edge.said == Said{"a"});
  bus::Snapshot snapshot;
  snapshot.set_facts(3);
  edge.world(snapshot, kEpoch, ++edge.number);
  CHECK(edge.said == Said{"a", "for you"});
  CHECK(edge.message().parts_size() == 0);
  CHECK(edge.tell(facts(4, {"d"})));
  CHECK(edge.said == Said{"a", "for you", "d"});
}

TEST_CASE("numbers that are not finite and facts for unknown seats are refused") {
  Edge edge;
  bus::Facts bad = facts(1, {"a"});
  bad.mutable_facts(0)->mutable_said();
  bad.add_facts()->mutable_pose()->set_x(std::numeric_limits<double>::quiet_NaN());
  bad.add_facts()->mutable_you()->set_player(1);
  bad.add_facts();
  const std::uint64_t before = edge.mirror->refused();
  CHECK(edge.tell(bad));
  CHECK(edge.mirror->refused() == before + 3);
  bus::ToNode other = secret(1, 0, "for somebody else");
  other.mutable_parts(0)->mutable_fact()->set_to(kPlayer + 1);
  CHECK(edge.tell(other));
  CHECK(edge.said == Said{"a"});
}

// -- What waits for a snapshot ----------------------------------------------------------------------------------------

TEST_CASE("of facts that wait for a snapshot, those before a gap do not count any more") {
  Edge edge;
  CHECK(edge.tell(facts(1, {"a"})));
  CHECK(edge.tell(facts(3, {"c"})));
  CHECK(edge.tell(facts(5, {"e"})));  // the fourth message is lost, too
  edge.world(2, true);
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.said == Said{"a"});
  edge.world(4, true);
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.said == Said{"a", "e"});
}

TEST_CASE("what an owner has told that waited for a snapshot is not told in the world of the next one") {
  Edge edge;
  CHECK(edge.tell(facts(3, {"old"})));
  CHECK(edge.tell(secret(3, 0, "old, for you")));
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.tell(facts(4, {"new"}, kEpoch + 1)));
  bus::Snapshot world;
  world.set_facts(2);  // the third message of the new owner is lost
  edge.world(world, kEpoch + 1, 1);
  CHECK(edge.mirror->lacks_world());
  world.set_facts(3);
  edge.world(world, kEpoch + 1, 2);
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.said == Said{"new"});
}

/// A message of the node's owner with a piece of a snapshot.
bus::ToNode piece_of(std::uint32_t index, std::uint32_t count, const std::string& bytes) {
  bus::ToNode one;
  one.mutable_piece()->set_index(index);
  one.mutable_piece()->set_count(count);
  one.mutable_piece()->set_bytes(bytes);
  return one;
}

std::string world_at(const Edge& edge, std::uint64_t facts) {
  bus::Snapshot snapshot;
  snapshot.set_facts(facts);
  snapshot.add_seats()->set_seat(edge.seat);
  snapshot.mutable_seats(0)->set_player(kPlayer);
  snapshot.mutable_seats(0)->set_entered(true);
  return snapshot.SerializeAsString();
}

TEST_CASE("facts that come between the pieces of a snapshot do not break it off, unless one is missing") {
  Edge edge;
  edge.mirror->set_line(false);
  edge.mirror->set_line(true);
  REQUIRE(edge.mirror->lacks_world());
  const std::string whole = world_at(edge, 7);
  CHECK(edge.tell(piece_of(0, 2, "")));
  CHECK(edge.tell(facts(7, {"of the snapshot"})));
  CHECK(edge.tell(facts(8, {"after it"})));
  SUBCASE("none is missing") {
    CHECK(edge.tell(piece_of(1, 2, whole)));
    CHECK_FALSE(edge.mirror->lacks_world());
    CHECK(edge.said == Said{"after it"});
  }
  SUBCASE("one is missing") {
    CHECK(edge.tell(facts(10, {"later"})));
    CHECK_FALSE(edge.tell(piece_of(1, 2, whole)));
    CHECK(edge.mirror->lacks_world());
  }
}

TEST_CASE("a snapshot after which a message is missing does not count, even if both come in one turn") {
  Edge edge;
  CHECK(edge.tell(facts(1, {"a"})));
  bus::ToNode snapshot = piece_of(0, 1, world_at(edge, 1));
  snapshot.set_epoch(kEpoch);
  snapshot.set_run(kRun);
  snapshot.set_number(++edge.number);
  const std::string world = snapshot.SerializeAsString(), later = facts(3, {"c"}).SerializeAsString();
  const std::uint64_t before = edge.mirror->snapshots();
  edge.room->order(
      [&](core::Back&) {
        CHECK(edge.mirror->hear_private(as_bytes(world)));
        CHECK(edge.mirror->hear_facts(as_bytes(later)));
      },
      ++edge.now);
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.mirror->snapshots() == before);
  CHECK(edge.said == Said{"a"});
}

constexpr std::size_t kLarge = 4U << 20U;

/// Tells messages of 4 MiB, with these numbers, each of which ends in its number.
void tell_large(Edge& edge, std::uint64_t first, std::uint64_t last, std::uint64_t epoch = kEpoch) {
  for (std::uint64_t number = first; number <= last; ++number)
    CHECK(edge.tell(facts(number, {std::string(kLarge, 'x')}, epoch)));
}

/// Whether so many messages of 4 MiB wait after the message `after`, none of which was dropped.
bool all_wait(Edge& edge, std::uint64_t after, std::size_t messages) {
  const std::size_t before = edge.said.size();
  edge.world(after, true);
  const bool all = edge.said.size() == before + messages && !edge.mirror->lacks_world();
  edge.said.clear();
  return all;
}

TEST_CASE("facts that wait for a snapshot take bounded memory: the oldest are dropped, and a later snapshot has them") {
  constexpr std::uint64_t kMost = Mirror::kMostQueued / kLarge;
  Edge edge;
  tell_large(edge, 3, 3 + kMost);  // each takes a little more than 4 MiB
  edge.world(2, true);
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.said.empty());
  edge.world(4, true);
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.said.size() == kMost - 1);
}

/// Nothing is missed, but the room needs a snapshot.
void lose_world(Edge& edge) {
  edge.mirror->set_line(false);
  edge.mirror->set_line(true);
}

TEST_CASE("what no longer waits for a snapshot makes room for what comes later") {
  constexpr std::uint64_t kMany = Mirror::kMostQueued / kLarge * 2 / 3;
  Edge edge;
  SUBCASE("it was told when the snapshot came") {
    for (std::uint64_t after = 0; after < 2 * kMany; after += kMany) {
      lose_world(edge);
      tell_large(edge, after + 1, after + kMany);
      CHECK(all_wait(edge, after, kMany));
    }
  }
  SUBCASE("it was told at once") {
    tell_large(edge, 1, 2 * kMany);
    CHECK_FALSE(edge.mirror->lacks_world());
    CHECK(edge.said.size() == 2 * kMany);
  }
  SUBCASE("the snapshot had it") {
    lose_world(edge);
    tell_large(edge, 1, kMany);
    CHECK(all_wait(edge, kMany, 0));
    lose_world(edge);
    tell_large(edge, kMany + 1, 2 * kMany);
    CHECK(all_wait(edge, kMany, kMany));
  }
  SUBCASE("it was before a gap") {
    tell_large(edge, 3, 2 + kMany);
    tell_large(edge, 4 + kMany, 3 + 2 * kMany);
    CHECK(all_wait(edge, 3 + kMany, kMany));
  }
  SUBCASE("its owner was lost") {
    tell_large(edge, 3, 2 + kMany);
    edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
    edge.number = 0;
    tell_large(edge, 4 + kMany, 3 + 2 * kMany);
    CHECK(all_wait(edge, 3 + kMany, kMany));
  }
  SUBCASE("it was for one player, and the snapshot came after it") {
    lose_world(edge);
    for (std::uint64_t i = 0; i < kMany; ++i) CHECK(edge.tell(secret(0, 0, std::string(kLarge, 'x'))));
    CHECK(all_wait(edge, 0, kMany));
    lose_world(edge);
    tell_large(edge, 1, kMany);
    CHECK(all_wait(edge, 0, kMany));
  }
  SUBCASE("it was for one player, and the facts came after it") {
    for (std::uint64_t i = 0; i < kMany; ++i) CHECK(edge.tell(secret(1, 0, std::string(kLarge, 'x'))));
    CHECK(edge.tell(facts(1, {})));
    CHECK(edge.said.size() == kMany);
    edge.said.clear();
    lose_world(edge);
    tell_large(edge, 2, 1 + kMany);
    CHECK(all_wait(edge, 1, kMany));
  }
}

TEST_CASE("what waits for one player counts as well; if it is too much, everything that waits is dropped") {
  constexpr std::uint64_t kMost = Mirror::kMostQueued / kLarge;
  Edge edge;
  CHECK(edge.tell(facts(3, {})));
  std::uint64_t taken = 0;
  while (taken <= kMost && edge.tell(secret(3, 0, std::string(kLarge, 'x')))) ++taken;
  CHECK(taken == kMost - 1);
  CHECK(edge.mirror->lacks_world());
  CHECK(edge.message().wants_world());
  edge.number = 100;
  edge.world(3, true);
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.said.empty());
}

TEST_CASE("what waits for one player counts also after a gap among the facts for all") {
  constexpr std::uint64_t kMost = Mirror::kMostQueued / kLarge;
  Edge edge;
  CHECK(edge.tell(facts(3, {})));
  for (std::uint64_t i = 0; i < kMost / 2; ++i) CHECK(edge.tell(secret(3, 0, std::string(kLarge, 'x'))));
  tell_large(edge, 5, 5 + kMost / 2);  // the oldest of them is dropped
  edge.world(4, true);
  CHECK(edge.mirror->lacks_world());
}

TEST_CASE("a snapshot that is too large is refused, and the next one is taken") {
  Edge edge;
  CHECK(edge.tell(facts(3, {"c"})));
  const std::uint32_t pieces = static_cast<std::uint32_t>(Mirror::kMostSnapshot / kLarge);
  for (std::uint32_t i = 0; i < pieces; ++i) CHECK(edge.tell(piece_of(i, pieces + 2, std::string(kLarge, 'x'))));
  CHECK_FALSE(edge.tell(piece_of(pieces, pieces + 2, "x")));
  CHECK(edge.mirror->lacks_world());
  edge.world(3, true);
  CHECK_FALSE(edge.mirror->lacks_world());
}

// -- The owner, and what it has heard ---------------------------------------------------------------------------------

TEST_CASE("a line that stays up, or goes down, does not make the room ask for the world; one that comes back does") {
  Edge edge;
  edge.mirror->set_line(true);
  CHECK_FALSE(edge.mirror->lacks_world());
  edge.mirror->set_line(false);
  edge.mirror->set_line(false);
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.tell(facts(1, {"a"})));  // it was on its way
  CHECK(edge.said == Said{"a"});
  edge.mirror->set_line(true);
  CHECK(edge.mirror->lacks_world());
}

TEST_CASE("what an owner has confirmed stays confirmed, though its next message says less") {
  Edge edge;
  edge.say("hello");
  bus::ToNode confirmed;
  confirmed.set_heard(edge.message().number());
  CHECK(edge.tell(confirmed));
  confirmed.set_heard(0);
  CHECK(edge.tell(confirmed));
  edge.world(bus::Snapshot(), kEpoch + 1, 1);
  CHECK(edge.said.empty());
}

/// Says so much that it takes about half of a message to the owner.
void say_half(Edge& edge) {
  constexpr std::size_t kText = 200, kTakes = kText + 25;
  for (std::size_t i = 0; i < Mirror::kMessage / kTakes / 2 + 20; ++i) edge.say(std::string(kText, 'x'));
}

std::uint64_t times_away(const Edge& edge) {
  std::uint64_t times = 0;
  for (const auto& one : edge.room->ledger().entries()) times += one.line == &core::drops::kServerAway ? one.times : 0;
  return times;
}

TEST_CASE("what waits in whole messages when the owner is lost is counted, and is not sent to the next one") {
  Edge edge;
  edge.say("first");
  for (int halves = 0; halves < 3; ++halves) say_half(edge);
  edge.say("last");
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  CHECK(times_away(edge) > 3 * 500);
  CHECK(edge.said == kNotSaid);
  CHECK(edge.mirror->take(false).empty());
  edge.world(bus::Snapshot(), kEpoch + 1, 1);
  CHECK(edge.message().ByteSizeLong() < 1'000);
}

TEST_CASE("a message that is full is sent alone, and what follows begins a new one, also after the owner was lost") {
  Edge edge;
  const auto messages = [&] { return edge.mirror->take(false).size(); };
  SUBCASE("nothing was lost") {}
  SUBCASE("half a message was lost") {
    say_half(edge);
    edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
    edge.number = 0;
    edge.world(0, true);
  }
  say_half(edge);
  CHECK(messages() == 1);
  say_half(edge);
  edge.say("one more");
  CHECK(messages() == 1);
  for (int halves = 0; halves < 2; ++halves) say_half(edge);
  edge.say("one more");
  CHECK(messages() == 2);
}

TEST_CASE("who has not entered is not told that the owner is away, nor that it is back") {
  Edge edge;
  Said other;
  int ready = 0, gone = 0;
  (void)edge.room->seat(std::make_unique<Listener>(other, ready, gone), {}, ++edge.now);
  edge.say("leave");
  const auto away = [&] {
    edge.room->order(
        [&](core::Back&) {
          edge.mirror->lose_owner();
          edge.mirror->tell_away("away", "back");
        },
        ++edge.now);
  };
  away();
  edge.world_without_seat(bus::Snapshot(), kEpoch + 1, 1);
  CHECK(edge.said.empty());
  CHECK(other.empty());
}

TEST_CASE("players are told that the owner is away each time that it is, and only after the text for it has come") {
  Edge edge;
  Said told;
  for (std::uint64_t epoch = 1; epoch < 3; ++epoch) {
    edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
    CHECK(edge.said == told);
    edge.room->order([&](core::Back&) { edge.mirror->tell_away("away", "back"); }, ++edge.now);
    told.push_back("notice: away");
    CHECK(edge.said == told);
    edge.world(bus::Snapshot(), kEpoch + epoch, 1);
    told.push_back("notice: back");
    CHECK(edge.said == told);
  }
}

TEST_CASE("facts of a snapshot that are for some players only are no part of the world") {
  Edge edge;
  bus::Snapshot world;
  for (const auto audience : {words::TEAM, words::ADMINS, words::ALL}) {
    auto& fact = *world.add_world();
    fact.set_audience(audience);
    fact.mutable_team_score()->set_team(audience == words::ALL ? words::BLUE : words::RED);
    fact.mutable_team_score()->set_wins(5);
  }
  edge.world(world, kEpoch, ++edge.number);
  CHECK(edge.room->world().team_scores().size() == 1);
  CHECK(edge.room->world().team_scores().contains(words::BLUE));
}

TEST_CASE("a player whom the owner has let in while messages were missed is ready once the snapshot has come") {
  Edge edge;
  CHECK(edge.ready == 1);  // from the first world
  for (int times = 0; times < 2; ++times) {
    edge.world(with_player(kPlayer, "anna", false, 100), kEpoch, ++edge.number);
    CHECK(edge.ready == 2);
  }
}

TEST_CASE("what a player alone is told after a snapshot waits for its facts, though it came in the same turn") {
  Edge edge;
  CHECK(edge.tell(facts(1, {"a"})));
  lose_world(edge);
  bus::ToNode snapshot = piece_of(0, 1, world_at(edge, 1)), later = secret(2, 1, "for you");
  for (bus::ToNode* const one : {&snapshot, &later}) {
    one->set_epoch(kEpoch);
    one->set_run(kRun);
    one->set_number(++edge.number);
  }
  const std::string first = snapshot.SerializeAsString(), second = later.SerializeAsString();
  edge.room->order(
      [&](core::Back&) {
        CHECK(edge.mirror->hear_private(as_bytes(first)));
        CHECK(edge.mirror->hear_private(as_bytes(second)));
      },
      ++edge.now);
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.said == Said{"a"});
  CHECK(edge.tell(facts(2, {"b", "c"})));
  CHECK(edge.said == Said{"a", "b", "for you", "c"});
}

TEST_CASE("the owner is not told by whom, or when, an intent was said: the seat says it") {
  Edge edge;
  edge.say("hello");
  const bus::FromNode message = edge.message();
  REQUIRE(message.parts_size() == 1);
  CHECK(message.parts(0).intent().by() == 0);
  CHECK(message.parts(0).intent().at_us() == 0);
  CHECK_FALSE(message.parts(0).again());
}

TEST_CASE("a second player with the name of one of ours is somebody else at the next owner") {
  Edge edge;
  bus::Facts own = facts(1, {});
  own.add_facts()->mutable_player()->set_id(kPlayer);
  own.mutable_facts(0)->mutable_player()->set_name("anna");
  CHECK(edge.tell(own));
  bus::Snapshot next;
  auto& other = *next.add_world()->mutable_player();
  other.set_id(77);
  other.set_name("anna");
  auto& ours = *next.add_world()->mutable_player();
  ours.set_id(kPlayer);
  ours.set_name("anna 2");
  edge.world(next, kEpoch + 1, 1);
  CHECK(edge.room->world().players().size() == 2);
  REQUIRE(edge.room->world().player(edge.seat) != nullptr);
  CHECK(edge.room->world().player(edge.seat)->player.name() == "anna 2");
}

TEST_CASE("flags of each team and kind keep their ids at the next owner, also two of a kind") {
  const auto add = [](bus::Snapshot& world, core::Id id, words::Token::Kind kind, words::Team team) {
    auto& token = *world.add_world()->mutable_token();
    token.set_id(id);
    token.set_kind(kind);
    token.set_team(team);
  };
  Edge edge;
  bus::Snapshot first;
  add(first, 50, words::Token::TEAM_FLAG, words::RED);
  add(first, 51, words::Token::TEAM_FLAG, words::BLUE);
  add(first, 52, words::Token::FLAG, words::TEAM_ANY);
  add(first, 53, words::Token::FLAG, words::TEAM_ANY);
  add(first, 54, words::Token::INTEL, words::RED);
  edge.world(first, kEpoch, ++edge.number);
  const auto before = edge.room->world().tokens();
  REQUIRE(before.size() == 5);
  bus::Snapshot next;
  add(next, 10, words::Token::INTEL, words::RED);
  add(next, 9, words::Token::FLAG, words::TEAM_ANY);
  add(next, 8, words::Token::TEAM_FLAG, words::BLUE);
  add(next, 7, words::Token::TEAM_FLAG, words::RED);
  add(next, 6, words::Token::FLAG, words::TEAM_ANY);
  edge.world(next, kEpoch + 1, 1);
  const auto& after = edge.room->world().tokens();
  REQUIRE(after.size() == 5);
  for (const auto& [id, token] : before) {
    const auto* now = edge.room->world().token(id);
    REQUIRE(now != nullptr);
    CHECK(now->kind() == token.kind());
    CHECK(now->team() == token.team());
  }
  CHECK(edge.gone == 0);
}

TEST_CASE("a player of an id that another one of the owner had is not taken for it at the next owner") {
  Edge edge;
  bus::Snapshot first;
  add_player(first, 50, 51, 52);
  edge.world(first, kEpoch, ++edge.number);
  const core::Id carla = edge.room->world().players().begin()->first;
  bus::Snapshot next;
  auto& dora = *next.add_world()->mutable_player();
  dora.set_id(50);
  dora.set_name("dora");
  edge.world(next, kEpoch + 1, 1);
  REQUIRE(edge.room->world().players().size() == 1);
  CHECK(edge.room->world().players().begin()->first != carla);
  CHECK(edge.room->world().players().begin()->second.player.name() == "dora");
}

TEST_CASE("only a refusal keeps a player from entering at the next owner, and only until the owner has let it in") {
  Edge edge;
  SUBCASE("it was told something else") { CHECK(edge.tell(secret(0, 0, "for you"))); }
  SUBCASE("it was refused, and let in afterwards") {
    bus::ToNode refusal = secret(0, 0, "");
    refusal.mutable_parts(0)->mutable_fact()->mutable_refused()->set_may_retry(true);
    CHECK(edge.tell(refusal));
    bus::Facts one = facts(1, {});
    one.add_facts()->mutable_player()->set_id(kPlayer);
    CHECK(edge.tell(one));
  }
  CHECK(edge.tell(facts(1, {}, kEpoch + 1)));
  CHECK(intents(edge.message()) == Said{"Enter"});
}

TEST_CASE("a player who has left is not told that it is ready when its late entry is heard") {
  Edge edge;
  CHECK(edge.ready == 1);  // from the world
  edge.say("leave");
  bus::Facts one = facts(1, {});
  one.add_facts()->mutable_player()->set_id(kPlayer);
  CHECK(edge.tell(one));
  CHECK(edge.ready == 1);
}

TEST_CASE("what the owner tells a player of another node alone is refused here") {
  Edge edge;
  bus::Snapshot snapshot;
  add_player(snapshot, 50, 51, 52);
  edge.world(snapshot, kEpoch, ++edge.number);
  const std::uint64_t before = edge.mirror->refused();
  bus::ToNode other = secret(0, 0, "for carla");
  other.mutable_parts(0)->mutable_fact()->set_to(50);
  CHECK(edge.tell(other));
  CHECK(edge.mirror->refused() == before + 1);
  CHECK(edge.said.empty());
}

TEST_CASE("a fact for all is an answer to nobody here, whatever number its cause has at another node") {
  Edge edge;
  bus::Facts one = facts(1, {});
  one.add_facts()->mutable_notice()->set_text("news");
  one.mutable_facts(0)->set_cause(2);
  CHECK(edge.tell(one));
  CHECK(edge.causes == std::vector<std::uint32_t>{0});
}

TEST_CASE("of what a player has said again and again, only the last is counted as lost with its owner") {
  Edge edge;
  for (int times = 0; times < 3; ++times) edge.say("hello");
  (void)edge.message();
  edge.world(bus::Snapshot(), kEpoch + 1, 1);
  CHECK(times_away(edge) == 1);
  CHECK(edge.said == kNotSaid);
}

TEST_CASE("a player who has not come in yet may choose its team while there is no owner") {
  Edge edge;
  edge.room->order([&](core::Back&) { edge.mirror->lose_owner(); }, ++edge.now);
  edge.say("change");
  CHECK(times_away(edge) == 0);
  CHECK(edge.tell(facts(1, {}, kEpoch + 1)));
  const bus::FromNode again = edge.message();
  REQUIRE(again.parts_size() == 2);
  CHECK(again.parts(1).intent().enter().team() == words::BLUE);
}

TEST_CASE("a player who is in the owner's world has entered, though the owner does not know how") {
  Edge edge;
  bus::Snapshot world = with_player(kPlayer, "anna", true, 100);
  edge.world(world, kEpoch, ++edge.number);
  (void)edge.message();
  world.add_seats()->set_seat(edge.seat);
  world.mutable_seats(0)->set_player(kPlayer);
  edge.world_without_seat(world, kEpoch, ++edge.number);
  CHECK(intents(edge.message()).empty());
}

TEST_CASE("what operators announce counts towards the size of a message to the owner") {
  Edge edge;
  for (std::size_t bytes = 0; bytes < Mirror::kMessage; bytes += 500)
    edge.mirror->announced(edge.seat, std::string(500, 'x'));
  edge.say("first");
  edge.say("second");
  CHECK(edge.mirror->take(false).size() == 2);
}

TEST_CASE("what operators announce to many players comes whole, in messages that NATS accepts") {
  Edge edge;
  (void)edge.mirror->take(true);
  constexpr std::size_t kSome = 5'000, kEach = 500;
  for (std::size_t i = 0; i < kSome; ++i) edge.mirror->announced(edge.seat, std::string(kEach, 'x'));
  std::size_t count = 0;
  for (const std::string& bytes : edge.mirror->take(false)) {
    CHECK(bytes.size() <= Mirror::kMessage + 1'000);
    bus::FromNode one;
    REQUIRE(one.ParseFromString(bytes));
    count += static_cast<std::size_t>(one.parts_size());
  }
  CHECK(count == kSome);
}

}  // namespace
}  // namespace entente::fleet::mirror_test
