// An Ace of Spades client in an arena whose referee checks the positions it claims. The client walks by its own
// physics, on the map that it was sent.
#include <cmath>
#include <random>

#include "adapters/aos/aos.h"
#include "adapters/aos/world/body.h"
#include "adapters/aos/world/map_maker.h"
#include "proxy/core/arena/referee.h"
#include "proxy/core/room/room.h"
#include "tests/aos/front_stage.h"

namespace entente::aos::arena_test {
namespace {

/// What the client is sent about its own player.
class Client final : public core::Room::Host {
 public:
  void send(core::Id end, Lane lane, Bytes bytes) override {
    if (end == core::kBackId) return;
    const auto heard = codec_->read({wire::Way::kToClient, lane, wire::Stage::kPlay, bytes});
    REQUIRE(heard);
    if (const auto* created = std::get_if<CreatePlayer>(heard->message); created != nullptr && created->player == 0) {
      body.position = created->position;
      lives = true;
    } else if (const auto* put = std::get_if<PositionData>(heard->message)) {
      body.position = put->position;
      body.velocity = {};
      ++put_back;
    } else if (std::holds_alternative<StateData>(*heard->message)) {
      greeted = true;
    }
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view why, std::uint32_t) override { FAIL(why); }
  void failed(core::Id, const Fault& fault) override { FAIL(fault.what); }
  void dial() override {}

  Body body;
  bool greeted = false, lives = false;
  int put_back = 0;

 private:
  std::unique_ptr<wire::MessageCodec<Message>> codec_ = make_message_codec(0);
};

struct Walk {
  explicit Walk(words::World world)
      : maker(maker_of(std::make_shared<const words::World>(world))),
        room(client, referee(std::move(world)), shared()) {
    room.back_opened({}, now);
    seat = room.seat(faces().front({0, {}}), {"10.0.0.7:1", kDialects[0].connect_data, ""}, now);
    passes([&] { return client.greeted; });
    ExistingPlayer player;
    player.tool = 2;
    player.name.chars = std::string("anna\0", 5);
    says(player);
    passes([&] { return client.lives; });
    REQUIRE(maker->ready());
  }
  static std::unique_ptr<core::Back> referee(words::World world) {
    core::Arena arena;
    arena.geometry = std::move(world);
    return std::make_unique<core::Referee>(std::move(arena));
  }
  static core::RoomOptions shared() {
    core::RoomOptions options;
    options.shared = true;
    return options;
  }
  template <class Done>
  void passes(Done&& done) {
    for (const Micros until = now + 30 * kSecond; now < until && !done(); now += kStep) room.tick(now);
    REQUIRE(done());
  }
  void says(const Message& message) {
    Buffer bytes;
    codec->write(message, wire::Way::kToServer, bytes);
    room.received(seat, {Lane::kStream, bytes}, now);
  }
  /// As BetterSpades does: sends keys and looks when they change, and the position once a second.
  void goes(double yaw, bool sprints, double seconds) {
    const Urge urge{static_cast<std::uint8_t>(kForward | (sprints ? kSprint : 0)), orientation_of(yaw, 0), false};
    says(OrientationData{urge.orientation});
    says(InputData{0, urge.keys});
    for (const auto until = now + static_cast<Micros>(seconds * 1e6); now < until; now += kStep) {
      step(maker->map(), urge, client.body);
      if (now >= told + kSecond) {
        told = now;
        says(PositionData{client.body.position});
      }
      room.tick(now);
    }
  }

  static constexpr Micros kStep = kSecond / kStepsPerSecond;
  Client client;
  std::shared_ptr<MapMaker> maker;
  core::Room room;
  std::unique_ptr<wire::MessageCodec<Message>> codec = make_message_codec(0);
  core::Id seat = 0;
  Micros now = 0, told = 0;
};

TEST_CASE("a player who walks into, along and around every wall of an arena is never corrected") {
  Walk walk(core::courtyard(60));
  std::mt19937 random(12);
  const words::World world = core::courtyard(60);
  int near = 0;
  for (int leg = 0; leg < 80; ++leg) {
    const words::Solid& wall = world.solids(static_cast<int>(random() % static_cast<unsigned>(world.solids_size())));
    const bool bounds = leg % 4 == 0;
    const Point here = point_of(walk.client.body.position);
    const double x = bounds ? (random() % 2 == 0 ? 70 : -70) : wall.x(), y = bounds ? here.y : wall.y();
    walk.goes(std::atan2(y - here.y, x - here.x), leg % 3 == 0, 3);
    if (std::hypot(walk.client.body.velocity[0], walk.client.body.velocity[1]) < 0.05F) ++near;
    walk.goes(std::atan2(y - here.y, x - here.x) + 0.7, false, 1.5);  // slides along it
  }
  CHECK(near > 10);  // it stopped at many walls
  CHECK(walk.client.put_back == 0);
}

}  // namespace
}  // namespace entente::aos::arena_test
