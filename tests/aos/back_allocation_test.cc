// Frequent messages allocate nothing once a room has warmed up: a server's snapshots and inputs, the steps of our own
// body, and the keys, claims and shots of its player.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>

#include "adapters/aos/aos.h"
#include "adapters/aos/wire/dialect.h"
#include "proxy/core/room/room.h"
#include "tests/aos/back_stage.h"
#include "tests/support/deaf_host.h"
#include "tests/support/heap.h"

namespace entente::aos::back_allocation_test {
namespace {

using core::kMillisecond;

/// Each byte received is one intent.
class Player final : public core::Front {
 public:
  void opened(const core::Peer&, core::FrontOut& out) override {
    out.say(anna());
    out.say(words::Spawn());
  }
  void receive(const Frames& frames, core::FrontOut& out) override {
    const unsigned step = frames.bytes[0];
    if (keys_) {
      words::Keys keys;
      keys.set_bits(words::Keys::FORWARD);
      keys.set_yaw(step % 2 == 0 ? 0 : 3.14);  // there and back
      return out.say(keys);
    }
    if (step % 8 == 0) {
      words::Fire fire;
      fire.set_vx(1);
      return out.say(fire);
    }
    words::Toward toward;
    toward.set_x(-160.0 + step % 50);
    toward.set_y(160);
    out.say(toward);
  }
  void hear(const core::Fact&, core::FrontOut&) override { ++heard_; }
  explicit Player(bool keys) : keys_(keys) {}

 private:
  const bool keys_;
  std::size_t heard_ = 0;
};

void check_play(std::size_t dialect, bool keys) {
  CAPTURE(dialect);
  CAPTURE(keys);
  testing::DeafHost host;
  core::Room room(host, faces().back({dialect, {}}), {});
  const core::Id seat = room.seat(std::make_unique<Player>(keys), {}, 0);
  room.back_opened({}, 0);
  core::Micros now = 0;
  const auto server_says = [&](const Message& message) {
    room.received(core::kBackId, {Lane::kStream, by_server(message, dialect)}, now);
  };
  server_says(MapStart{1, 0, {}});
  MapChunk chunk;
  chunk.data = packed_meadow();
  server_says(chunk);
  server_says(capture_the_flag(3));
  server_says(created(3, 0, 150.5F, 150.5F, "anna"));
  server_says(created(5, 1, 160.5F, 150.5F, "ben"));
  std::vector<Buffer> snapshots;
  for (int i = 0; i < 16; ++i) {
    if (kDialects[dialect].state_updates) {
      StateUpdateDown update;
      PlayerState state;
      state.player = 5;
      state.motion = {{160.5F + static_cast<float>(i), 150.5F, 57.75F}, {1, 0, 0}, {0.25F, 0, 0}};
      update.players.assign(8, state);
      snapshots.push_back(by_server(update, dialect));
    } else {
      WorldUpdate update;
      for (std::uint8_t id = 0; id < 8; ++id)
        update.players.push_back({id, {160.5F + static_cast<float>(i), 150.5F, 57.75F}, {1, 0, 0}});
      update.players[3].position = {};
      snapshots.push_back(by_server(update, dialect));
    }
  }
  const Buffer pressed = by_server(InputData{5, 1}, dialect), shot = by_server(WeaponInput{5, 1}, dialect),
               let_go = by_server(WeaponInput{5, 0}, dialect);
  std::uint32_t sequence = 0;
  const auto play = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const core::Micros until = now += 100 * kMillisecond;
      while (room.next_wake() <= until) room.tick(std::max(now - 100 * kMillisecond, room.next_wake()));
      const auto wish = static_cast<std::uint8_t>(i);
      room.received(seat, {Lane::kStream, {&wish, 1}}, now);
      Buffer& snapshot = snapshots[static_cast<std::size_t>(i) % snapshots.size()];
      ++sequence;
      if (kDialects[dialect].state_updates) std::memcpy(&snapshot[1], &sequence, sizeof sequence);
      room.received(core::kBackId, {Lane::kDatagram, snapshot}, now);
      room.received(core::kBackId, {Lane::kStream, pressed}, now);
      room.received(core::kBackId, {Lane::kStream, i % 2 == 0 ? shot : let_go}, now);
    }
  };
  play(150);
  const std::size_t before = testing::allocations(), sent = host.sends;
  play(150);
  CHECK(testing::allocations() == before);
  CHECK(host.sends > sent);
}

TEST_CASE("aos back: 15 busy seconds allocate nothing") {
  check_play(0, false);
  check_play(0, true);
  check_play(2, false);
}

}  // namespace
}  // namespace entente::aos::back_allocation_test
