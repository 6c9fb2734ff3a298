// Frequent messages allocate nothing on their way through a room: a client's positions, looks, keys and states, all
// players' poses, and their snapshots.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/aos/wire/dialect.h"
#include "adapters/aos/wire/wire.h"
#include "proxy/core/room/room.h"
#include "tests/support/heap.h"

namespace entente::aos::front_memory_test {
namespace {

constexpr core::Id kUnits = 20;

class Deaf final : public core::Room::Host {
 public:
  void send(core::Id, Lane lane, Bytes) override { sent += lane == Lane::kDatagram ? 1 : 0; }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view why, std::uint32_t) override { FAIL(why); }
  void failed(core::Id, const Fault& fault) override { FAIL(fault.what); }
  void dial() override {}
  std::size_t sent = 0;  ///< snapshots
};

/// Twenty moving units, and the player, who stands still.
class Crowd final : public core::Back {
 public:
  void opened(const core::Peer&, Outlet& out) override {
    words::World field;
    field.set_hash("field");
    out.say(field);
    for (core::Id id = 1; id <= kUnits; ++id) {
      words::Player player;
      player.set_id(id);
      player.set_name("p" + std::to_string(id));
      out.say(player);
      words::Unit unit;
      unit.set_id(100 + id);
      unit.set_owner(id);
      unit.set_alive(true);
      out.say(unit);
      words::Owns owns;
      owns.set_player(id);
      owns.add_units(100 + id);
      owns.set_active(100 + id);
      out.say(owns);
    }
    out.say(words::Ready());
  }
  void receive(const Frames&, Outlet& out) override {
    far_ = far_ < 100 ? far_ + 1 : 0;
    for (core::Id id = 2; id <= kUnits; ++id) {
      words::Pose pose;
      pose.set_unit(100 + id);
      pose.set_x(static_cast<double>(id) + far_);
      pose.set_vx(20);
      out.say(std::move(pose));
    }
  }
  void hear(const core::Intent&, Outlet&) override {}

 private:
  double far_ = 0;
};

TEST_CASE("walking, looking and seeing others move allocates nothing once a room has warmed up") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Deaf host;
    core::Room room(host, std::make_unique<Crowd>(), {});
    core::Micros now = 0;
    const core::Id seat =
        room.seat(faces().front({dialect, {}}), {"10.0.0.7:1", kDialects[dialect].connect_data, ""}, now);
    room.back_opened({}, now);
    const auto codec = make_message_codec(dialect);
    const auto packet = [&](const Message& message) {
      Buffer bytes;
      codec->write(message, wire::Way::kToServer, bytes);
      return bytes;
    };
    for (int i = 0; i < 5000; ++i) room.tick(now += core::kMillisecond);
    ExistingPlayer player;
    player.name.chars = "anna";
    room.received(seat, {Lane::kStream, packet(player)}, now);
    std::vector<Buffer> said;
    if (kDialects[dialect].state_updates)
      for (std::uint32_t i = 1; i < 2000; ++i) {
        StateUpdateUp update;
        update.sequence = i;
        update.inputs[0] = static_cast<std::uint8_t>(i & 1U);
        update.now = update.oldest = {{256, 256, 59.75F}, {1, 0, 0}, {}};
        said.push_back(packet(update));
      }
    else
      said = {packet(PositionData{{256, 256, 59.75F}}), packet(OrientationData{{1, 0, 0}}), packet(InputData{0, 1}),
              packet(OrientationData{{0, 1, 0}}), packet(InputData{0, 0})};
    std::size_t next = 0;
    const auto turn = [&] {
      now += 50 * core::kMillisecond;
      room.received(seat, {Lane::kStream, said[next++ % said.size()]}, now);
      room.received(core::kBackId, {Lane::kStream, said[0]}, now);
      room.tick(now);
    };
    for (int i = 0; i < 200; ++i) turn();
    const std::size_t before = testing::allocations(), sent = host.sent;
    for (int i = 0; i < 500; ++i) turn();
    CHECK(testing::allocations() == before);
    CHECK(host.sent - sent == 500);
  }
}

}  // namespace
}  // namespace entente::aos::front_memory_test
