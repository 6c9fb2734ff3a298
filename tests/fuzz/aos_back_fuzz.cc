// A back of Ace of Spades against a hostile server, in every dialect: in play on a small map, it receives arbitrary
// messages, and its player sends arbitrary intents. Input: a byte (dialect), then messages: a byte (1: from the server;
// 2: by datagram; the other bits: how many times 10 ms pass), two bytes of size, the bytes.
// Invariant: no message of a server breaks the room. What we send decodes in the dialect, has only finite numbers, and
// is never so short that a server bans for it; positions are sent no more often than servers accept.
#include <cmath>
#include <cstdlib>
#include <memory>

#include "adapters/aos/aos.h"
#include "adapters/aos/back/back.h"
#include "adapters/aos/world/world_from_map.h"
#include "adapters/native/native.h"
#include "proxy/core/room/room.h"
#include "tests/fuzz/target.h"

namespace entente::aos_back_fuzz {
namespace {

using core::Id, core::Micros, wire::Way;

constexpr std::uint8_t kMe = 3;
constexpr Micros kPlaceSoonest = 700 * core::kMillisecond;

void require(bool truth) {
  if (!truth) std::abort();
}

void require(const wire::Vec3& numbers) {
  for (const float number : numbers) require(std::isfinite(number));
}

class Server final : public core::Room::Host {
 public:
  explicit Server(std::size_t dialect)
      : codec_(aos::make_message_codec(dialect)), cutter_(aos::game().cutter(Way::kToServer, dialect)) {}

  void send(Id end, Lane lane, Bytes bytes) override {
    if (end != core::kBackId) return;
    const wire::Cut cut = cutter_->next(bytes);
    require(!cut.fault && cut.size == bytes.size());
    const auto heard = codec_->read({Way::kToServer, lane, cut.stage, bytes});
    require(heard.ok());
    std::visit([&](const auto& message) { on(message); }, *heard->message);
  }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view, std::uint32_t) override {}
  void failed(Id, const Fault& fault) override { require(fault.what[0] != '\0'); }
  void dial() override {}

  Micros now = 0;

 private:
  template <class T>
  void on(const T&) {}
  void on(const aos::PositionData& message) {
    require(message.position);
    require(placed_ == 0 || now >= placed_ + kPlaceSoonest);
    placed_ = now;
  }
  void on(const aos::OrientationData& message) { require(message.orientation); }
  void on(const aos::Grenade& message) {
    require(message.position);
    require(message.velocity);
    require(message.fuse >= 0 && message.fuse <= 3);
  }
  void on(const aos::BlockAction& message) { require(message.action != 3 && message.at[2] >= 0 && message.at[2] < 64); }
  void on(const aos::SetTool& message) { require(message.tool <= 3); }
  void on(const aos::ExistingPlayer& message) { require(!message.name.view().empty()); }
  void on(const aos::StateUpdateUp& message) {
    require(message.now.position);
    require(message.now.orientation);
  }

  Micros placed_ = 0;
  std::unique_ptr<wire::MessageCodec<aos::Message>> codec_;
  std::unique_ptr<wire::Cutter> cutter_;
};

/// Sends the intents that the input holds.
class Player final : public core::Front {
 public:
  void opened(const core::Peer&, core::FrontOut& out) override {
    words::Enter enter;
    enter.set_name("anna");
    out.say(enter);
    out.say(words::Spawn());
  }
  void receive(const Frames& frames, core::FrontOut& out) override {
    if (auto intent = core::read_intent(frames.bytes)) return out.say(std::move(*intent));
    const auto number = [&](std::size_t i) {
      double value = 0;
      if (frames.bytes.size() >= 8 * (i + 1) + 1) std::memcpy(&value, &frames.bytes[8 * i + 1], 8);
      return value;
    };
    words::Edit edit;
    edit.set_x(number(0));
    edit.set_y(number(1));
    edit.set_z(number(2));
    words::Fire fire;
    fire.set_vx(number(0));
    fire.set_vy(number(1));
    fire.set_life(number(2));
    words::PoseClaim claim;
    claim.set_x(number(0));
    claim.set_y(number(1));
    claim.set_z(number(2));
    words::Keys keys;
    keys.set_bits(frames.bytes.empty() ? 0 : frames.bytes[0]);
    keys.set_yaw(number(0));
    words::Toward toward;
    toward.set_x(number(0));
    toward.set_y(number(1));
    switch (frames.bytes.empty() ? 0 : frames.bytes[0] % 7) {
      case 0:
        return out.say(edit);
      case 1:
        return out.say(fire);
      case 2:
        fire.set_kind(words::GRENADE);
        return out.say(fire);
      case 3:
        return out.say(claim);
      case 4:
        return out.say(keys);
      case 5:
        return out.say(toward);
      default:
        return out.say(words::Reload());
    }
  }
  void hear(const core::Fact&, core::FrontOut&) override {}
};

/// A back that already has the map, because loading one takes longer than everything else.
class Loaded final : public core::Back {
 public:
  Loaded(std::size_t dialect, const aos::VoxelMap& map) : map_(map), back_({dialect, {}}) {}

  void opened(const core::Peer& peer, core::BackOut& out) override {
    back_.opened(peer, out);
    aos::StateData state;
    state.player = kMe;
    words::World world;
    world.set_kind(words::World::VOXELS);
    back_.learn(aos::VoxelMap(map_), std::move(world), state, out);
  }
  void receive(const Frames& frames, core::BackOut& out) override { back_.receive(frames, out); }
  void hear(const core::Intent& intent, core::BackOut& out) override { back_.hear(intent, out); }
  void tick(core::BackOut& out) override { back_.tick(out); }
  void closed(std::string_view why, core::BackOut& out) override { back_.closed(why, out); }
  void session_ends(std::string_view why, core::BackOut& out) override { back_.session_ends(why, out); }

 private:
  const aos::VoxelMap& map_;
  aos::AosBack back_;
};

aos::VoxelMap island() {
  aos::VoxelMap map;
  for (std::uint32_t i = 0; i < 64 * 64; ++i) map.set(224 + i % 64, 224 + i / 64, 60, std::nullopt);
  return map;
}

Buffer by_server(const aos::Message& message, std::size_t dialect) {
  Buffer bytes;
  aos::make_message_codec(dialect)->write(message, Way::kToClient, bytes);
  return bytes;
}

}  // namespace

ENTENTE_FUZZ_TARGET(aos_back) {
  static const aos::VoxelMap kMap = island();
  if (size == 0) return 0;
  const std::size_t dialect = data[0] % std::size(aos::kDialects);
  Server server(dialect);
  core::Room room(server, std::make_unique<Loaded>(dialect, kMap), {});
  const Id seat = room.seat(std::make_unique<Player>(), {}, 0);
  room.back_opened({}, 0);
  aos::CreatePlayer created;
  for (const std::uint8_t number : {kMe, std::uint8_t{5}}) {
    created.player = number;
    created.team = static_cast<std::uint8_t>((number % 2) ^ (data[0] / std::size(aos::kDialects)));
    created.position = {250, 250, 57};
    room.received(core::kBackId, {Lane::kStream, by_server(created, dialect)}, 0);
  }
  for (Bytes input(data + 1, size - 1); input.size() >= 3;) {
    const bool from_server = (input[0] & 1U) != 0;
    const Lane lane = (input[0] & 2U) != 0 ? Lane::kDatagram : Lane::kStream;
    const Micros until = server.now + 10 * core::kMillisecond * (input[0] >> 2U);
    const std::size_t announced = input[1] | static_cast<std::size_t>(input[2]) << 8U;
    input = input.subspan(3);
    const Bytes message = input.first(std::min(announced, input.size()));
    input = input.subspan(message.size());
    while (room.next_wake() <= until) {
      server.now = std::max(server.now, room.next_wake());
      room.tick(server.now);
    }
    server.now = until;
    room.received(from_server ? core::kBackId : seat, {lane, message}, server.now);
  }
  room.end("the input is over", server.now);
  return 0;
}

ENTENTE_FUZZ_FORMAT(aos_back) {
  return {.size_bytes = 2, .voice = [](Bytes all, std::uint8_t mark) -> fuzz::Voice {
            const Lane lane = (mark & 2U) != 0 ? Lane::kDatagram : Lane::kStream;
            if ((mark & 1U) == 0) return {&native::game(), 0, Way::kToServer, Lane::kStream, true};
            return {&aos::game(), all.empty() ? 0U : all[0] % std::size(aos::kDialects), Way::kToClient, lane};
          }};
}

}  // namespace entente::aos_back_fuzz
