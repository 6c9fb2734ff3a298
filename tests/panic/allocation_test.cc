// Frequent messages allocate no heap memory on their way through a room: a Panic client's Actions and a Panic server's
// Moves.
#include <doctest/doctest.h>

#include "adapters/panic/panic.h"
#include "proxy/core/room/room.h"
#include "tests/panic/front_stage.h"
#include "tests/panic/lines.h"
#include "tests/support/cut_link.h"
#include "tests/support/deaf_host.h"
#include "tests/support/heap.h"

namespace entente::panic::allocation_test {
namespace {

TEST_CASE("a drive there and back allocates no memory once a room is warm") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    testing::DeafHost host;
    core::Room room(host, faces().back({dialect, {}}), {});
    const core::Id seat = room.seat(faces().front({dialect, {}}), {}, 0);
    room.back_opened({}, 0);
    const Lines lines(dialect);
    testing::CutLink server(game(), dialect, wire::Way::kToClient);
    const auto server_says = [&](const Buffer& bytes, core::Micros now) {
      server.receive(room, core::kBackId, Lane::kStream, bytes, now);
    };
    server_says(joined({lines.state(1, {1}), lines.event(kUpdateAmmo, 0, 100, 0), lines.create(16, 50, 1, 1, 4),
                        lines.create(20, 50, 2, 9, 9), lines.event(kGameStart, 0, 0, 0)}),
                0);
    const Buffer there = lines.action(1, 1, 2, 1), back = lines.action(1, 1, 4, 1);
    const Buffer moved = lines.move(2, 1, 1), moved_back = lines.move(4, 1, 1),
                 hurt = lines.event(kUpdateHealth, 0, 40, 2);
    core::Micros now = core::kSecond;
    const auto round = [&] {
      now += core::kSecond;
      room.received(seat, {Lane::kStream, there}, now);
      server_says(moved, now);
      room.received(seat, {Lane::kStream, back}, now);
      server_says(moved_back, now);
      server_says(hurt, now);
      room.tick(now);
    };
    for (int i = 0; i < 20; ++i) round();
    const std::size_t before = testing::allocations(), sent = host.sends;
    for (int i = 0; i < 500; ++i) round();
    CHECK(testing::allocations() == before);
    CHECK(host.sends == sent + 500 * 4);  // two Actions, two Moves: nobody's health changed
  }
}

TEST_CASE("walls are laid out once for all clients that see the same world") {
  std::string world = "hash: 'a' kind: SOLIDS west: -400 east: 400 south: -400 north: 400";
  for (int i = 0; i < 200; ++i) world += " solids { x: -312.5 y: 312.5 half_x: 5 half_y: 5 height: 9 }";
  const auto allocated_by_greeting = [&](FrontPlay& play) {
    play.stage.opens();
    play.tells_room();
    play.hears<words::World>(world);
    play.hears<words::Ready>("");
    const std::size_t before = testing::allocations();
    CHECK(play.hears<words::Spawned>(FrontPlay::kSpawned).find("sends CreateBrick ") != std::string::npos);
    return testing::allocations() - before;
  };
  FrontPlay first, second;
  const std::size_t once = allocated_by_greeting(first), again = allocated_by_greeting(second);
  CAPTURE(once);
  CAPTURE(again);
  CHECK(once > again + 500);
}

}  // namespace
}  // namespace entente::panic::allocation_test
