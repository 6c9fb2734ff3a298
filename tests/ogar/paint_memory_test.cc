// Painting five hundred moving units in view does not allocate.
#include <doctest/doctest.h>

#include "adapters/ogar/ogar.h"
#include "proxy/core/room/room.h"
#include "tests/ogar/spoken.h"
#include "tests/support/cut_link.h"
#include "tests/support/deaf_host.h"
#include "tests/support/heap.h"

namespace entente::testing::paint_memory_test {
namespace {

using core::Id, core::Micros;

constexpr Micros kTick = 40 * core::kMillisecond;
constexpr Id kUnits = 500, kFirst = 1000;

/// A server whose units move all the time.
class Swarm final : public core::Back {
 public:
  void receive(const Frames&, core::BackOut& out) override {
    ++turn_;
    for (Id id = kFirst; id < kFirst + kUnits; ++id) out.say(pose(id));
  }
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (core::as<words::WantWorld>(intent) == nullptr) return;
    words::World world;
    world.set_hash("swarm");
    world.set_west(-400);
    world.set_east(400);
    world.set_south(-400);
    world.set_north(400);
    out.say(world);
    for (Id id = kFirst; id < kFirst + kUnits; ++id) {
      words::Unit unit;
      unit.set_id(id);
      unit.set_kind(words::Unit::CELL);
      unit.set_alive(true);
      unit.set_radius(2);
      *unit.mutable_pose() = pose(id);
      out.say(unit);
    }
  }

 private:
  words::Pose pose(Id id) const {
    words::Pose pose;
    pose.set_unit(id);
    pose.set_x(static_cast<double>((id * 7 + turn_) % 90) - 45);
    pose.set_y(static_cast<double>((id * 3 + turn_) % 50) - 25);
    return pose;
  }
  Id turn_ = 0;
};

/// For a client of that dialect, which greets with these messages.
void check_painting(std::size_t dialect, const std::vector<Buffer>& greeting) {
  DeafHost network;
  core::Room room(network, std::make_unique<Swarm>(), {});
  const Id seat = room.seat(ogar::faces().front({dialect, {}}), {}, 0);
  testing::CutLink client(ogar::game(), dialect, wire::Way::kToServer);
  for (const Buffer& message : greeting) client.receive(room, seat, Lane::kStream, message, 0);
  room.back_opened({}, 0);
  Micros now = 0;
  const auto paint = [&](int times) {
    for (int i = 0; i < times; ++i) {
      room.received(core::kBackId, {Lane::kStream, {}}, now += kTick);
      room.tick(now);
    }
  };
  paint(100);  // every place once
  const std::size_t before = allocations(), sent = network.sends;
  paint(100);
  CHECK(allocations() == before);
  CHECK(network.sends == sent + 100);
  CHECK(network.last > kUnits * 13);  // id, flags, place, of each
}

TEST_CASE("ogar front: painting moving units does not allocate") {
  check_painting(0, {client_hello()});
  for (const std::uint32_t version : {4U, 6U, 22U}) {
    ogar::Hello hello;
    hello.opcode = 0xFE;
    hello.version = version;
    const std::size_t dialect = legacy_dialect(version);
    check_painting(dialect,
                   {spoken(hello, wire::Way::kToServer, dialect), spoken(ogar::Key{}, wire::Way::kToServer, dialect)});
  }
}

}  // namespace
}  // namespace entente::testing::paint_memory_test
