// Clients of each dialect of Ace of Spades on a server of each, over ENet: they load the map, join, walk, shoot, build,
// dig, chat, capture, die, respawn and leave. Each side gets all this in its own dialect.
#include <doctest/doctest.h>

#include <cmath>

#include "adapters/aos/wire/conversions.h"
#include "tests/aos/back_stage.h"
#include "tests/relay/aos_party.h"

namespace entente::testing::aos_versions_test {
namespace {

using namespace aos;
using wire::Way;

constexpr std::uint8_t kAnnaThere = 3, kBen = 5;  // on the server
constexpr std::uint8_t kForward = 1;
constexpr std::uint32_t kRed = 0xd02010;

float apart(const Vec3& a, const Vec3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

class VersionBridge : public Serving {
 public:
  VersionBridge(std::size_t client, std::size_t server, const net::Address& at) : Serving(1) {
    relay::RouteOptions options;
    options.game = &game();
    options.servers[0].dialect = server;
    options.listen = loopback();
    relay::BridgeOptions bridge;
    bridge.server_game = &game();
    bridge.front = [](std::size_t dialect) { return faces().front({dialect, {}}); };
    bridge.back = [](std::size_t dialect) { return faces().back({dialect, {}}); };
    options.bridge = bridge;
    serve(std::move(options), at, no_limits(), nullptr, client);
  }
};

/// A client, the bridge, and a server that ben has joined already.
struct Match : Turning {
  Match(std::size_t of_client, std::size_t of_server)
      : client(*this, of_client, Way::kToClient),
        server(*this, of_server, Way::kToServer),
        running(of_client, of_server, serve()) {
    REQUIRE(client.host.open({1, 1, true, 1U << 20U}).ok());
  }
  ~Match() override {
    client.host.close();
    server.host.close();
  }
  net::Address serve() {
    packed_meadow();  // takes seconds with ThreadSanitizer; a connected relay would time out meanwhile
    const auto bound = server.host.listen(loopback(), {4, 2, true, 1U << 20U});
    REQUIRE(bound.ok());
    return *bound;
  }
  void knock() {
    client.ended.reset();
    client.peer = client.host.connect(running.address, 1, client.dialect().connect_data);
  }

  // -- Coming in
  void load() {
    knock();
    until([&] { return server.peer != nullptr; });
    CHECK(server.connect_data == server.dialect().connect_data);
    send_map();
    get_map();
  }
  void send_map() {
    server.say(MapStart{static_cast<std::uint32_t>(packed_meadow().size()), 7, {}});
    if (server.dialect().map_checksum) CHECK(server.hear<MapCached>().cached == 0);
    for (Bytes left = packed_meadow(); !left.empty();) {
      const std::size_t size = std::min(kMapChunk, left.size());
      server.say(MapChunk{Buffer(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size))});
      left = left.subspan(size);
    }
    server.say(existing(kBen, 1, "ben"));
    server.say(VersionGet{});
    server.say(capture_the_flag(kAnnaThere));
    server.hear<VersionResponse>();
  }
  void get_map() {
    client.hear<MapStart>();
    if (client.dialect().map_checksum) client.say(MapCached{0});
    MapReceiver receiver;
    while (!receiver.complete()) REQUIRE_FALSE(receiver.feed(client.hear<MapChunk>().data));
    const VoxelMap map = receiver.take().solid, sent = meadow();
    std::size_t differ = 0;
    for (std::uint32_t i = 0; i < kMapSize * kMapSize; ++i)
      differ += map.column(i % kMapSize, i / kMapSize) != sent.column(i % kMapSize, i / kMapSize) ? 1 : 0;
    CHECK(differ == 0);
    const ExistingPlayer other = client.hear<ExistingPlayer>();
    CHECK(other.name.view() == "ben");
    CHECK(other.team == 1);
    ben = other.player;
    const StateData state = client.hear<StateData>();
    anna = state.player;
    CHECK(state.name1.view() == "Blue");
    CHECK(state.ctf.score1 == 2);
    CHECK(state.ctf.intel2 == Vec3{190.5F, 150.5F, 60});
  }
  void enter() {
    ExistingPlayer mine;
    mine.player = anna;
    mine.weapon = 1;
    mine.tool = kGun;
    mine.name.chars = std::string("anna") + '\0';
    client.say(mine);
    const auto asked = server.hear<ExistingPlayer>();
    CHECK(asked.name.view() == "anna");
    CHECK(asked.team == 0);
    CHECK(asked.weapon == 1);
    server.say(spawned());
    server.say(created(kBen, 1, 160.5F, 150.5F, "ben"));
    const auto own = client.hear<CreatePlayer>([&](const CreatePlayer& one) { return one.player == anna; });
    CHECK(own.position == spawned().position);
    CHECK(own.weapon == 1);
  }
  static CreatePlayer spawned() {
    CreatePlayer one = created(kAnnaThere, 0, 150.5F, 150.5F, "anna");
    one.weapon = 1;
    return one;
  }

  // -- What anna does
  /// Walks south from there, as her dialect encodes it.
  void say_walk(const Vec3& at) {
    if (!client.dialect().state_updates) {
      client.say(OrientationData{{0, 1, 0}});
      client.say(InputData{anna, kForward});
      return client.say(PositionData{at});
    }
    StateUpdateUp update;
    update.sequence = ++sequence;
    update.inputs.fill(kForward);
    update.now = update.oldest = {at, {0, 1, 0}, {0, 0.25F, 0}};
    client.say(update, Lane::kDatagram);
  }
  void walk() {
    const Vec3 at = {150.5F, 152, 57.75F};
    const auto go = [&] { say_walk(at); };
    if (server.dialect().state_updates) {
      const auto update = server.hear<StateUpdateUp>(
          [&](const StateUpdateUp& one) {
            return one.inputs[0] == kForward && one.form == 4 && apart(one.now.position, at) < 1;
          },
          go);
      CHECK(apart(update.now.orientation, {0, 1, 0}) < 0.01F);
      return;
    }
    server.hear<OrientationData>(
        [](const OrientationData& one) {
          return apart(one.orientation, {0, 1, 0}) < 0.01F;
        },
        go);
    server.hear<InputData>([](const InputData& one) { return one.player == kAnnaThere && one.keys == kForward; });
    server.hear<PositionData>([&](const PositionData& one) { return apart(one.position, at) < 0.01F; }, go);
  }
  void shoot() {
    client.say(WeaponInput{anna, kPrimary});
    client.say(Hit{ben, 1});
    client.say(WeaponInput{anna, 0});
    CHECK(server.hear<WeaponInput>().buttons == kPrimary);
    const Hit hit = server.hear<Hit>();
    CHECK(hit.victim == kBen);
    CHECK(hit.part == 1);
    CHECK(server.hear<WeaponInput>().buttons == 0);
    server.say(KillAction{kBen, kAnnaThere, 1, 2});
    const auto kill = client.hear<KillAction>();
    CHECK(std::tuple(kill.victim, kill.killer, kill.type, kill.respawn) == std::tuple(ben, anna, 1, 2));
    server.say(created(kBen, 1, 160.5F, 150.5F, "ben"));
    client.hear<CreatePlayer>([&](const CreatePlayer& one) { return one.player == ben; });
  }
  void build_and_dig() {
    const Block at = {152, 153, 59};
    client.say(SetTool{anna, kBlocks});
    client.say(SetColour{anna, wire_colour(kRed)});
    server.hear<SetTool>([](const SetTool& one) { return one.tool == kBlocks; });
    CHECK(colour_of(server.hear<SetColour>([](const SetColour& one) { return one.player == kAnnaThere; }).colour) ==
          kRed);
    for (const std::uint8_t action : {std::uint8_t{kBuild}, std::uint8_t{kDestroy}}) {
      // Repeated, because what comes faster than servers accept is left out.
      const auto acts = [&] { client.say(BlockAction{anna, action, at}); };
      server.hear<BlockAction>([&](const BlockAction& one) { return one.action == action && one.at == at; }, acts);
      server.say(BlockAction{kAnnaThere, action, at});
      client.hear<BlockAction>(
          [&](const BlockAction& one) { return one.player == anna && one.action == action && one.at == at; });
    }
    const auto line = [&] { client.say(BlockLine{anna, at, {156, 153, 59}}); };
    CHECK(server.hear<BlockLine>([](const BlockLine&) { return true; }, line).to == Block{156, 153, 59});
    server.say(BlockLine{kAnnaThere, at, {156, 153, 59}});
    CHECK(client.hear<BlockLine>().from == at);
    client.say(SetTool{anna, kGrenades});
    client.say(Grenade{anna, 2, {150.5F, 152, 57}, {0, 0.5F, -0.5F}});
    const auto grenade = server.hear<Grenade>();
    CHECK(grenade.fuse == doctest::Approx(2));
    CHECK(apart(grenade.velocity, {0, 0.5F, -0.5F}) < 0.001F);
  }
  void talk() {
    ChatMessage chat;
    chat.player = anna;
    chat.text.chars = std::string("hello ben") + '\0';
    client.say(chat);
    const auto asked = server.hear<ChatMessage>();
    CHECK(asked.text.view() == "hello ben");
    CHECK(asked.player == kAnnaThere);
    chat.player = kBen;
    chat.type = 1;
    chat.text.chars = std::string("hello anna") + '\0';
    server.say(chat);
    const auto heard = client.hear<ChatMessage>();
    CHECK(heard.text.view() == "hello anna");
    CHECK(std::tuple(heard.player, heard.type) == std::tuple(ben, 1));
  }

  // -- What happens to her, and what she sees
  void see_ben() {
    const Vec3 at = {163.5F, 150.5F, 57.75F};
    const auto paints = [&] { server.dialect().state_updates ? paint_states(at) : paint_views(at); };
    if (client.dialect().state_updates) {
      client.hear<StateUpdateDown>(
          [&](const StateUpdateDown& one) {
            return std::any_of(one.players.begin(), one.players.end(), [&](const PlayerState& state) {
              return state.player == ben && state.input == kForward && !state.still &&
                     apart(state.motion.position, at) < 1;
            });
          },
          paints);
      return;
    }
    client.hear<WorldUpdate>(
        [&](const WorldUpdate& one) {
          for (std::size_t i = 0; i < one.players.size(); ++i) {
            const std::size_t number = client.dialect().ids_in_world_update ? one.players[i].player : i;
            if (number == ben && apart(one.players[i].position, at) < 1) return true;
          }
          return false;
        },
        paints);
    client.hear<InputData>([&](const InputData& one) { return one.player == ben && one.keys == kForward; },
                           [&] {
                             server.dialect().state_updates ? paint_states(at, 0) : server.say(InputData{kBen, 0});
                             paints();
                           });
  }
  void paint_views(const Vec3& at) {
    WorldUpdate update;
    for (std::uint8_t number = 0; number <= kBen; ++number)
      if (number == kBen || !server.dialect().ids_in_world_update)
        update.players.push_back({number, number == kBen ? at : Vec3{}, {1, 0, 0}});
    server.say(update, Lane::kDatagram);
    server.say(InputData{kBen, kForward});
  }
  void paint_states(const Vec3& at, std::uint8_t keys = kForward) {
    StateUpdateDown update;
    update.sequence = ++painted;
    update.players.push_back({kBen, keys, false, {at, {1, 0, 0}, {}}});
    server.say(update, Lane::kDatagram);
  }
  void capture() {
    server.say(IntelPickup{kAnnaThere});
    CHECK(client.hear<IntelPickup>().player == anna);
    server.say(IntelCapture{kAnnaThere, 0});
    CHECK(client.hear<IntelCapture>().player == anna);
  }
  void die_and_come_back() {
    server.say(SetHp{51, kHurtByWeapon, {160.5F, 150.5F, 57.75F}});
    CHECK(client.hear<SetHp>().hp == 51);
    server.say(KillAction{kAnnaThere, kBen, 0, 1});
    const auto kill = client.hear<KillAction>();
    CHECK(std::tuple(kill.victim, kill.killer, kill.type, kill.respawn) == std::tuple(anna, ben, 0, 1));
    server.say(spawned());
    CHECK(client.hear<CreatePlayer>().player == anna);
  }
  /// By the packet of the server's dialect.
  void be_put() {
    const Vec3 at = {120.5F, 120.5F, 57.75F};
    const auto puts = [&] {
      if (!server.dialect().state_updates) return server.say(PositionData{at});
      StateUpdateDown update;
      update.sequence = ++painted;
      update.players.push_back({kAnnaThere, 0, false, {at, {1, 0, 0}, {}}});
      server.say(update, Lane::kDatagram);
    };
    if (!client.dialect().state_updates) {
      client.hear<PositionData>([&](const PositionData& one) { return apart(one.position, at) < 0.01F; }, puts);
      return;
    }
    client.hear<StateUpdateDown>(
        [&](const StateUpdateDown& one) {
          return std::any_of(one.players.begin(), one.players.end(), [&](const PlayerState& state) {
            return state.player == anna && apart(state.motion.position, at) < 0.01F;
          });
        },
        puts);
  }
  void leave() {
    client.host.disconnect(*client.peer, 0);
    until([&] { return client.ended && server.ended; });
    CHECK(*server.ended == 0);
  }

  AosParty client, server;
  VersionBridge running;
  std::uint8_t anna = 255, ben = 255;  // ids at the client
  std::uint32_t sequence = 0, painted = 0;
};

TEST_CASE("Ace of Spades: a client of each dialect plays on a server of each") {
  for (std::size_t client = 0; client < std::size(kDialects); ++client) {
    for (std::size_t server = 0; server < std::size(kDialects); ++server) {
      INFO(std::string(kDialectInfo[client].name), " on ", std::string(kDialectInfo[server].name));
      Match match(client, server);
      match.load();
      match.enter();
      match.walk();
      match.see_ben();
      match.shoot();
      match.build_and_dig();
      match.talk();
      match.capture();
      match.die_and_come_back();
      match.be_put();
      match.leave();
      CHECK(match.running.ended(relay::Reason::kClientLeft));
    }
  }
}

TEST_CASE("Ace of Spades: a kicked player reads the reason, across the versions") {
  for (const auto& [client, server] : {std::pair{0, 2}, {2, 0}}) {
    Match match(static_cast<std::size_t>(client), static_cast<std::size_t>(server));
    match.load();
    match.enter();
    ChatMessage why;
    why.player = kReasonId;
    why.type = 2;
    why.text.chars = std::string("unloved") + '\0';
    match.server.say(why);
    match.server.host.disconnect(*match.server.peer, kKicked);
    match.client.hear<ChatMessage>([](const ChatMessage& one) { return one.text.view() == "unloved"; });
    match.until([&] { return match.client.ended.has_value(); });
    CHECK(match.client.ended == kKicked);
  }
}

}  // namespace
}  // namespace entente::testing::aos_versions_test
