// Frequent words cross a room without heap allocations.
#include <doctest/doctest.h>

#include "proxy/core/room/room.h"
#include "tests/support/deaf_host.h"
#include "tests/support/heap.h"

namespace entente::core::allocation_test {
namespace {

/// Each byte received becomes one word.
class Driver final : public Front {
 public:
  void receive(const Frames& frames, FrontOut& out) override {
    switch (frames.bytes[0] % 4) {
      case 0: {
        words::PoseClaim claim;
        claim.set_x(frames.bytes[0]);
        return out.say(claim);
      }
      case 1: {
        words::Toward toward;
        toward.set_y(frames.bytes[0]);
        return out.say(toward);
      }
      case 2:
        return out.say(words::Keys());
      default: {
        words::Fire fire;
        fire.set_shot(frames.bytes[0]);
        fire.set_vx(100);
        fire.set_life(3.5);
        return out.say(fire);
      }
    }
  }
  void hear(const Fact& fact, FrontOut& out) override {
    const std::uint8_t kind = static_cast<std::uint8_t>(fact.content.index());
    out.send(Lane::kDatagram, {&kind, 1});
  }
};

class Server final : public Back {
 public:
  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent& intent, BackOut& out) override {
    if (const auto* fire = as<words::Fire>(intent)) {
      words::Shot shot;
      shot.set_shooter(intent.by);
      shot.set_shot(fire->shot());
      shot.set_life(fire->life());
      return out.say(shot);
    }
    if (out.world().unit(7) == nullptr) {
      words::Unit unit;
      unit.set_id(7);
      out.say(unit);
    }
    words::Pose pose;
    pose.set_unit(7);
    pose.set_x(static_cast<double>(out.now() % 9000) / 10);
    out.say(pose);
  }
};

TEST_CASE("frequent words allocate nothing") {
  testing::DeafHost network;
  RoomOptions options;
  options.shared = true;
  Room room(network, std::make_unique<Server>(), options);
  const Id seat = room.seat(std::make_unique<Driver>(), {}, 0);
  Micros now = 0;
  const auto play = [&](int words) {
    for (int i = 0; i < words; ++i) {
      const auto byte = static_cast<std::uint8_t>(i);
      room.received(seat, {Lane::kStream, {&byte, 1}}, now += 10 * kMillisecond);
    }
  };
  play(20'000);  // fills every buffer once
  const std::size_t before = testing::allocations(), sent = network.sent;
  play(20'000);
  CHECK(testing::allocations() == before);
  CHECK(network.sent == sent + 20'000);
}

}  // namespace
}  // namespace entente::core::allocation_test
