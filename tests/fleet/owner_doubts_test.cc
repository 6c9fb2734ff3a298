// What an owner does about players who do not come in as they should.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "proxy/fleet/arena/far_guest.h"
#include "tests/fleet/owned.h"

namespace entente::fleet::owner_doubts_test {
namespace {

using testing::enter, testing::from_edge, testing::nothing, testing::open, testing::Owned, testing::pass_time,
    testing::Says, testing::stored, testing::worlds;

void want_world(bus::FromNode& message) { message.set_wants_world(true); }

/// A player whom the last owner has stored, and who cannot enter: what it says of itself is too long.
bus::SavedArena::Player stuck() {
  bus::SavedArena::Player player = stored("anna", "native");
  player.mutable_who()->set_motto(std::string(FarGuest::kMostWaitingBytes, 'x'));
  return player;
}

TEST_CASE("a player whose node cannot be one is counted, and the world does not wait for it") {
  Owned it({{{"edge", 0, 1}, stored("anna", "native")}, {{"no node", 1, 1}, stored("ben", "native")}});
  CHECK(it.arena.counts->refused == 2);
  CHECK(it.arena.counts->players == 0);
  it.owner->read("edge", from_edge(1, want_world));
  CHECK(worlds(it) == 1);
}

TEST_CASE("the world waits for a player of the last owner who does not come in for four seconds, not for ever") {
  Owned it({{{"edge", 1, 1}, stuck()}});
  const Millis began = it.loop.now();
  Says edge{it}, other{it, "other"};
  other(want_world);
  CHECK(worlds(it) == 0);
  CHECK(it.until([&] {
    uv_update_time(it.loop.raw());  // a node is silent since the loop's time at its last message
    for (Says* one : {&edge, &other}) (*one)(nothing);
    return worlds(it) != 0;
  }));
  CHECK(it.loop.now() - began >= kNodeLost - 100);
  CHECK(it.arena.counts->nodes == 2);
}

TEST_CASE("the world does not wait for a player of the last owner whom the room sends away before it is in") {
  Owned it({{{"edge", 1, 1}, stuck()}});
  pass_time(it);
  core::Id seat = 0;
  for (const bus::ToNode& one : it.sent)
    for (const auto& part : one.parts()) seat = part.has_seat() ? part.seat().player() : seat;
  REQUIRE(seat != 0);
  Says edge{it};
  edge(want_world);
  REQUIRE(worlds(it) == 0);
  it.room->dismiss(seat, "enough");
  pass_time(it);
  CHECK(worlds(it) == 1);
}

TEST_CASE("a player who asks again and again to enter under a taken name comes in as soon as the other has spoken") {
  Owned it;
  Says edge{it}, other{it, "other"};
  edge(open);
  edge(enter);
  other(open);
  other(enter);
  CHECK(it.until([&] {
    it.owner->read("edge", from_edge(++edge.number, nothing));
    other(enter);  // at the same time
    return it.room->world().players().size() == 2;
  }));
  CHECK(it.arena.counts->refused == 0);
}

}  // namespace
}  // namespace entente::fleet::owner_doubts_test
