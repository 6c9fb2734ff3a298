// A room with Ace of Spades on both sides is a mirror: client and server receive each other's packets to the byte,
// except for what adapters/aos/README.md lists. Our client is number 0, "ben" is 1: the front assigns the same numbers
// as this server.
#include "adapters/aos/aos.h"
#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/dialect.h"
#include "proxy/core/room/room.h"
#include "tests/aos/back_stage.h"
#include "tests/support/printed_frame.h"

namespace entente::aos::mirror_test {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;
using wire::Way;

/// What each end of the room was sent, one packet a line, without maps, snapshots and states.
class Ends final : public core::Room::Host {
 public:
  explicit Ends(std::size_t dialect) : codec_(game().codec(dialect)) {}

  void send(core::Id end, Lane lane, Bytes bytes) override {
    const bool up = end == core::kBackId;
    const std::string line =
        printed_frame(*codec_, {up ? Way::kToServer : Way::kToClient, lane, wire::Stage::kPlay, bytes});
    for (const char* stream : {"MapChunk", "WorldUpdate", "StateUpdate"})
      if (line.starts_with(stream)) return;
    (up ? to_server : to_client) += line + "\n";
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view why, std::uint32_t) override { FAIL(why); }
  void failed(core::Id, const Fault& fault) override { FAIL(fault.what); }
  void dial() override {}

  std::string to_client, to_server;

 private:
  std::unique_ptr<wire::Codec> codec_;
};

struct Mirror {
  explicit Mirror(std::size_t which)
      : dialect(which),
        ends(which),
        codec(game().codec(which)),
        typed_codec(make_message_codec(which)),
        room(ends, faces().back({which, {}}), {}) {
    seat = room.seat(faces().front({which, {}}), {"10.0.0.7:1", kDialects[which].connect_data, ""}, now);
    room.back_opened({}, now);
    greeting = server_greets();
  }

  /// Returns what the client receives.
  std::string server_greets() {
    MapStart start;
    start.size = static_cast<std::uint32_t>(packed_meadow().size());
    std::string heard = server_says(start);
    MapChunk chunk;
    chunk.data = packed_meadow();
    heard += server_says(chunk);
    heard += server_says(existing(1, 1, "ben"));
    heard += server_says(capture_the_flag(0));
    return heard + waits(10 * kSecond).second;
  }

  std::string server_says(const Message& message) {
    room.received(core::kBackId, {Lane::kStream, written(message, Way::kToClient)}, now);
    const auto [to_server, to_client] = waits(700 * kMillisecond);
    answers += to_server;
    return to_client;
  }
  /// The server is lost, and comes back with the same map. Returns what it receives until then.
  std::string server_restarts() {
    room.transition().replace_back(faces().back({dialect, {}}), {"it is lost"}, now);
    room.back_opened({}, now);
    answers.clear();
    server_greets();
    return answers;
  }
  std::string client_says(const Message& message) {
    room.received(seat, {Lane::kStream, written(message, Way::kToServer)}, now);
    return waits(1200 * kMillisecond).first;
  }
  /// Returns what the server and the client were sent meanwhile, in that order.
  std::pair<std::string, std::string> waits(Micros how_long) {
    for (const Micros until = now + how_long; now < until; now += 5 * kMillisecond) room.tick(now);
    return {std::exchange(ends.to_server, {}), std::exchange(ends.to_client, {})};
  }
  Buffer written(const Message& message, Way way) const {
    Buffer bytes;
    typed_codec->write(message, way, bytes);
    return bytes;
  }
  std::string line(const Message& message, Way way) {
    const Buffer bytes = written(message, way);
    return printed_frame(*codec, {way, Lane::kStream, wire::Stage::kPlay, bytes}) + "\n";
  }

  std::size_t dialect;
  Ends ends;
  std::unique_ptr<wire::Codec> codec;
  std::unique_ptr<wire::MessageCodec<Message>> typed_codec;
  core::Room room;
  core::Id seat = 0;
  Micros now = 0;
  std::string greeting;  ///< of the client
  std::string answers;   ///< to what the server said
};

ExistingPlayer our_client() {
  ExistingPlayer player;
  player.weapon = 0;
  player.tool = 2;
  player.colour = {111, 111, 111};
  player.name.chars = std::string("anna\0", 5);
  return player;
}

void enter(Mirror& mirror) {
  CHECK(mirror.client_says(our_client()) == mirror.line(our_client(), Way::kToServer));
  const CreatePlayer us = created(0, 0, 150.5F, 150.5F, "anna"), ben = created(1, 1, 160.5F, 150.5F, "ben");
  CHECK(mirror.server_says(us) == mirror.line(us, Way::kToClient));
  // A client assumes that players who were there first are alive: the front need not send a CreatePlayer for them.
  CHECK(mirror.server_says(ben) == "");
}

TEST_CASE("a greeting passes through: the players, and State Data") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Mirror mirror(dialect);
    CHECK(mirror.greeting.starts_with("MapStart "));
    CHECK(mirror.greeting.ends_with("\nVersionGet properties=[]\n" +
                                    mirror.line(existing(1, 1, "ben"), Way::kToClient) +
                                    mirror.line(capture_the_flag(0), Way::kToClient)));
    enter(mirror);
  }
}

TEST_CASE("the next map passes through like the first, even if it is the same map") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Mirror mirror(dialect);
    enter(mirror);
    for (int round = 0; round < 2; ++round) {
      CHECK(mirror.server_says(BlockAction{1, 1, {155, 150, 60}}).starts_with("BlockAction "));
      const std::string next = mirror.server_greets();
      CHECK(has(next, "MapStart "));
      CHECK(next.ends_with(mirror.line(existing(1, 1, "ben"), Way::kToClient) +
                           mirror.line(capture_the_flag(0), Way::kToClient)));
      enter(mirror);
    }
  }
}

TEST_CASE("the client receives what the server sends") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Mirror mirror(dialect);
    enter(mirror);
    ChatMessage chat;
    chat.player = 1;
    chat.text.chars = std::string("J\x81rgen?\0", 8);
    ChatMessage notice;
    notice.player = 35;
    notice.type = 2;
    notice.text.chars = std::string("be nice\0", 8);
    const std::vector<Message> said = {
        SetTool{1, 1},
        WeaponInput{1, 2},
        WeaponInput{1, 0},
        SetColour{1, {1, 2, 3}},
        BlockAction{1, 0, {155, 150, 59}},
        BlockAction{1, 1, {155, 150, 59}},
        BlockAction{1, 2, {156, 151, 60}},
        BlockAction{1, 3, {156, 155, 60}},
        BlockLine{1, {150, 155, 59}, {153, 155, 59}},
        Grenade{1, 2.5F, {160.5F, 150.5F, 57.5F}, {0.5F, 0.25F, -0.125F}},
        chat,
        notice,
        SetHp{73, 1, {160.5F, 150.5F, 57.5F}},
        SetHp{51, 0, {0, 0, 0}},
        WeaponReload{0, 7, 33},
        Restock{0},
        MoveObject{1, 1, {120.5F, 130.5F, 60}},
        IntelPickup{1},
        IntelDrop{1, {121.5F, 131.5F, 60}},
        IntelPickup{1},
        IntelCapture{1, 0},
        FogColour{0, {9, 8, 7}},
        KillAction{1, 0, 1, 9},
        created(1, 1, 161.5F, 151.5F, "ben"),
        SetColour{1, {1, 2, 3}},
        BlockAction{1, 0, {155, 150, 59}},
        KillAction{1, 1, 4, 3},
        created(1, 1, 162.5F, 151.5F, "ben"),
        BlockAction{1, 0, {155, 150, 58}},
        KillAction{1, 1, 4, 3},
        PlayerLeft{1},
        KillAction{0, 0, 4, 5},
        created(0, 0, 155.5F, 150.5F, "anna"),
    };
    for (const Message& message : said) {
      CAPTURE(mirror.line(message, Way::kToClient));
      CHECK(mirror.server_says(message) == mirror.line(message, Way::kToClient));
    }
    if (kDialects[dialect].state_updates) continue;
    CHECK(mirror.server_says(InputData{1, 3}) == "");  // ben has left
    const PositionData put = {{152.5F, 151.25F, 57.75F}};
    CHECK(mirror.server_says(put) == mirror.line(put, Way::kToClient));
  }
}

TEST_CASE("the client receives what happens to a player who was there first and was not seen yet") {
  const CreatePlayer ben = created(1, kGreen, 160.5F, 150.5F, "ben");
  const CreatePlayer blue = created(1, kBlue, 160.5F, 150.5F, "ben");
  CreatePlayer armed = ben;
  armed.weapon = 2;
  const std::vector<std::vector<Message>> stories = {
      {KillAction{1, 0, 1, 9}, ben, KillAction{1, 0, 1, 9}},  // it is shot, twice
      {KillAction{1, 1, kByTeamChange, 3}, blue},
      {KillAction{1, 1, kByFall, 3}, armed},
      {blue, KillAction{1, 0, 1, 9}},  // it was dead when the client came, and has changed its side
      {armed, KillAction{1, 0, 1, 9}},
  };
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    const auto join = [](Mirror& mirror) {
      mirror.client_says(our_client());
      mirror.server_says(created(0, 0, 150.5F, 150.5F, "anna"));
    };
    for (const std::vector<Message>& story : stories) {
      Mirror mirror(dialect);
      join(mirror);
      for (const Message& message : story) {
        CAPTURE(mirror.line(message, Way::kToClient));
        CHECK(mirror.server_says(message) == mirror.line(message, Way::kToClient));
      }
    }
    Mirror mirror(dialect);
    join(mirror);
    const std::string watches = mirror.server_says(created(1, kSpectator, 160.5F, 150.5F, "ben"));
    CHECK(has(watches, "CreatePlayer player=1 weapon=0 team=255 "));
    CHECK(mirror.server_says(ben) == mirror.line(ben, Way::kToClient));
  }
}

TEST_CASE("a player becomes a spectator, and a spectator a player, in the same game and on the next map") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Mirror mirror(dialect);
    enter(mirror);
    const ChangeTeam watch = {0, kSpectator};
    const KillAction killed = {0, 0, kByTeamChange, 2};
    const std::string spectator = "CreatePlayer player=0 weapon=0 team=255 ";
    CHECK(mirror.client_says(watch) == mirror.line(watch, Way::kToServer));
    CHECK(mirror.server_says(killed) == mirror.line(killed, Way::kToClient));
    CHECK(has(mirror.server_says(created(0, kSpectator, 150.5F, 150.5F, "anna")), spectator));
    ExistingPlayer join = our_client();  // as OpenSpades sends it
    join.team = kGreen;
    const std::string joins = mirror.line(ChangeTeam{0, kGreen}, Way::kToServer);
    CHECK(mirror.client_says(join) == joins);
    const CreatePlayer us = created(0, kGreen, 150.5F, 150.5F, "anna");
    CHECK(mirror.server_says(us) == mirror.line(us, Way::kToClient));

    mirror.client_says(watch);
    mirror.server_says(killed);
    mirror.server_says(created(0, kSpectator, 150.5F, 150.5F, "anna"));
    mirror.server_greets();
    mirror.server_says(created(0, kSpectator, 150.5F, 150.5F, "anna"));
    CHECK(mirror.client_says(join) == joins);
    CHECK(mirror.server_says(us) == mirror.line(us, Way::kToClient));
  }
}

TEST_CASE("a dead player plays, and a spectator watches, when the lost server is back: their clients ask for nothing") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Mirror dead(dialect);
    enter(dead);
    dead.server_says(KillAction{0, 1, 1, 20});
    CHECK(has(dead.server_restarts(), "ExistingPlayer player=0 team=0 "));
    const CreatePlayer us = created(0, 0, 150.5F, 150.5F, "anna");
    CHECK(dead.server_says(us) == dead.line(us, Way::kToClient));

    Mirror watcher(dialect);
    enter(watcher);
    watcher.client_says(ChangeTeam{0, kSpectator});
    watcher.server_says(KillAction{0, 0, kByTeamChange, 2});
    watcher.server_says(created(0, kSpectator, 150.5F, 150.5F, "anna"));
    CHECK(has(watcher.server_restarts(), "ExistingPlayer player=0 team=255 "));
  }
}

TEST_CASE("the server receives what the client sends") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    Mirror mirror(dialect);
    enter(mirror);
    const bool states = kDialects[dialect].state_updates;
    const PositionData place = {{151.25F, 150.5F, 57.75F}};
    if (states) {
      StateUpdateUp update;
      update.now = update.oldest = {place.position, {1, 0, 0}, {}};
      mirror.client_says(update);
    } else {
      mirror.client_says(OrientationData{{1, 0, 0}});
      CHECK(mirror.client_says(place) == mirror.line(place, Way::kToServer));
      const OrientationData look = {{0, 1, 0}};
      CHECK(mirror.client_says(look).starts_with("OrientationData "));
      CHECK(mirror.client_says(InputData{0, 9}) == mirror.line(InputData{0, 9}, Way::kToServer));
      CHECK(mirror.client_says(InputData{0, 0}) == mirror.line(InputData{0, 0}, Way::kToServer));
    }
    ChatMessage chat;
    chat.type = 1;
    chat.text.chars = std::string("J\x81rgen?\0", 8);
    const std::vector<Message> said = {
        WeaponInput{0, 1},
        Hit{1, 1},
        WeaponInput{0, 0},
        SetTool{0, 3},
        Grenade{0, 2.5F, {151.5F, 150.5F, 57.5F}, {0.5F, 0.25F, -0.125F}},
        SetTool{0, 1},
        SetColour{0, {1, 2, 3}},
        BlockAction{0, 0, {155, 150, 59}},
        SetTool{0, 0},
        BlockAction{0, 1, {155, 150, 59}},
        BlockAction{0, 2, {156, 151, 60}},
        SetTool{0, 2},
        WeaponReload{0, 10, 50},
        chat,
        ChangeTeam{0, 1},
        ChangeWeapon{0, 2},
    };
    for (const Message& message : said) {
      CAPTURE(mirror.line(message, Way::kToServer));
      CHECK(mirror.client_says(message) == mirror.line(message, Way::kToServer));
    }
    mirror.client_says(SetTool{0, 1});
    mirror.client_says(WeaponInput{0, 2});
    const BlockLine line = {0, {150, 155, 59}, {153, 155, 59}};
    CHECK(mirror.client_says(line) == mirror.line(line, Way::kToServer));
  }
}

}  // namespace
}  // namespace entente::aos::mirror_test
