// A front and a back of the draft in one room: each peer receives what the other sent, except for the player numbers,
// which each side assigns itself.
#include <doctest/doctest.h>

#include <algorithm>

#include "adapters/bzdraft/wire/resource.h"
#include "adapters/wire/md5.h"
#include "proxy/core/room/room.h"
#include "tests/bzdraft/said.h"
#include "tests/support/cut_link.h"

namespace entente::bzdraft::mirror_test {
namespace {

/// What both peers are sent, as lines.
class Wires final : public core::Room::Host {
 public:
  void send(core::Id end, Lane lane, Bytes bytes) override {
    const bool up = end == core::kBackId;
    const wire::Frame frame = {up ? wire::Way::kToServer : wire::Way::kToClient, lane, wire::Stage::kPlay, bytes};
    (up ? server : client) += printed_frame(*codec_, frame) + "\n";
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id end, std::string_view why, std::uint32_t) override {
    (end == core::kBackId ? server : client) += "closed: " + std::string(why) + "\n";
  }
  void failed(core::Id, const Fault& fault) override { FAIL(fault.what); }
  void dial() override { dialled = true; }

  std::string server, client;
  bool dialled = false;

 private:
  std::unique_ptr<wire::Codec> codec_ = game().codec(0);
};

struct Mirror {
  Mirror() : room(wires, faces().back({0, {}}), options()) { seat = room.seat(faces().front({0, {}}), {}, 0); }
  static core::RoomOptions options() {
    core::RoomOptions options;
    options.chat.commands = true;
    return options;
  }
  /// Sends messages as the client; returns what the server is sent. server() does the reverse.
  std::string client(std::initializer_list<Message> messages, Lane lane = Lane::kStream) {
    client_link.receive(room, seat, lane, by_client(messages), now);
    return std::exchange(wires.server, {});
  }
  std::string server(std::initializer_list<Message> messages, Lane lane = Lane::kStream) {
    server_link.receive(room, core::kBackId, lane, by_server(messages), now);
    return std::exchange(wires.client, {});
  }
  void come_in() {
    room.back_opened({}, now);
    VersionDown version;
    version.version.set("BZFS108a");
    version.player = 2;
    version.may_join = 1;
    server({version});
    Buffer world = resource_of(word<words::World>("west: -50 east: 50 south: -50 north: 50"));
    GetWorldDown description;
    description.max_shots = 5;
    description.model.chars = to_hex(wire::md5(world));
    server({description});
    server({GetResourceDown{0, 0, wire::md5(world), world}});
    client({GetWorldUp{}, enter_as("anna", 1)});
    server({Accept{2}});
    server({FlagUpdate{0, {1, 1, 0, {1000, 0, 0}}}, entry(1, "ben", 2), entry(2, "anna", 1)});
    client({AliveUp{}});
    server({AliveDown{2, {}}, AliveDown{1, {5000, 0, 0}}});
    wires.server.clear();
    wires.client.clear();
  }

  Wires wires;
  core::Room room;
  testing::CutLink client_link{game(), 0, wire::Way::kToServer}, server_link{game(), 0, wire::Way::kToClient};
  core::Id seat = 0;
  core::Micros now = 0;
};

TEST_CASE("the world that a client gets is the server's, byte for byte") {
  Mirror mirror;
  mirror.room.back_opened({}, 0);
  CHECK(mirror.wires.dialled);
  VersionDown version;
  version.version.set("BZFS108a");
  version.may_join = 1;
  mirror.server({version});
  const Buffer world = resource_of(word<words::World>(
      "west: -50 east: 50 south: -50 north: 50 solids { x: 1 y: 2 half_x: 3 half_y: 4 height: 5 yaw: 0.5 units_pass: "
      "true }"
      "solids { shape: PYRAMID x: 1 height: 5 upside_down: true }"
      "solids { shape: WALL_FACE y: 50 half_y: 50 height: 6 yaw: 4.5 }"
      "teleporters { frame { x: 1 height: 9 } border: 1 } links { from: 0 to: 1 } bases { team: RED solid { x: 9 } }"));
  const Md5 name = wire::md5(world);
  GetWorldDown description;
  description.model.chars = to_hex(name);
  mirror.server({description});
  mirror.server({GetResourceDown{0, 0, name, world}});
  mirror.client({GetWorldUp{}});
  CHECK(std::exchange(mirror.wires.client, {}).find("model=\"" + to_hex(name) + "\"") != std::string::npos);
}

TEST_CASE("messages pass unchanged, except for player numbers") {
  Mirror mirror;
  mirror.come_in();
  const auto other = [](auto message, std::uint8_t player) {
    message.player = player;
    return message;
  };
  const PlayerUpdate update{2, kAlive, {1234, -5678, 90}, {1, -2, 3}, -3141, 785};
  const std::string printed =
      printed_frame(*game().codec(0), {wire::Way::kToServer, Lane::kDatagram, wire::Stage::kPlay, by_client({update})});
  CHECK(mirror.client({update}, Lane::kDatagram) == printed + "\n");
  CHECK(mirror.server({other(update, 1)}, Lane::kDatagram) ==
        printed_frame(*game().codec(0),
                      {wire::Way::kToClient, Lane::kDatagram, wire::Stage::kPlay, by_server({other(update, 2)})}) +
            "\n");
  CHECK(mirror.client({ShotBegin{2, 3, {1, 2, 3}, {4, 5, 6}, 0, 3500, 10}}) ==
        "MsgShotBegin shooter=2 shot=3 position=(1 2 3) velocity=(4 5 6) time=0 lifetime=3500 flag=10\n");
  CHECK(mirror.client({GrabFlagUp{0}, DropFlagUp{3}}) ==
        "MsgGrabFlag number=0\n");  // a player without a flag drops none
  CHECK(mirror.server({GrabFlagDown{0, {1, 2, 2, {}}}}) ==
        "MsgGrabFlag number=0 flag={kind=1 status=2 carrier=1 position=(0 0 0)}\n");
  CHECK(mirror.client({Score{2, 7, 8}}) == "MsgScore player=2 wins=7 losses=8\n");
  CHECK(mirror.server({Score{1, 7, 8}}) == "MsgScore player=2 wins=7 losses=8\n");
  CHECK(mirror.client({ChatMessage{2, 1, {"me"}}}) == "MsgMessage from=2 to=2 text=\"me\"\n");
  CHECK(mirror.client({ChatMessage{2, 2, {"hé"}}}) == "MsgMessage from=2 to=1 text=\"h\\xc3\\xa9\"\n");
  CHECK(mirror.server({ChatMessage{1, 255, {"hé"}}}) == "MsgMessage from=2 to=255 text=\"h\\xc3\\xa9\"\n");
  CHECK(mirror.client({enter_as("anne", 1)}).starts_with("MsgEnter team=1 type=0 password=\"\" callsign=\"anne\""));
  CHECK(mirror.server({Reject{0, {"taken"}}}).starts_with("MsgReject reason=0 text=\"taken\"\n"));
  CHECK(mirror.client({Killed{0, 2, 0, 1}}) == "MsgKilled victim=2 killer=1 flag=0 shot=1\n");
  CHECK(mirror.server({Killed{2, 1, 0, 1}}) == "MsgKilled victim=1 killer=2 flag=0 shot=1\n");
  CHECK(mirror.server({RemovePlayer{1}}) == "MsgRemovePlayer player=2\n");
  CHECK(mirror.client({Exit{}}) == "MsgExit\nclosed: the player left\n");
  CHECK(mirror.room.over());
}

}  // namespace
}  // namespace entente::bzdraft::mirror_test
