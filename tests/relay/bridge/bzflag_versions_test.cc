// Clients of each dialect of BZFlag on a server of each, over sockets: they join, chat, spawn, drive, are shot, die and
// leave. Each side gets all this in its own dialect.
#include <doctest/doctest.h>

#include <cmath>
#include <deque>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/wire.h"
#include "adapters/bzflag/world/world_conversions.h"
#include "adapters/wire/frame_reader.h"
#include "proxy/core/arena/referee.h"
#include "tests/relay/running.h"

namespace entente::testing::bzflag_versions_test {
namespace {

using namespace bzflag;
using wire::Way;

/// One end of the bridge, a client or a server, which speaks its own dialect.
class Party {
 public:
  Party(Stream stream, std::size_t dialect, Way hears)
      : dialect_(dialect),
        says_(opposite(hears)),
        stream_(std::move(stream)),
        codec_(make_message_codec(dialect)),
        reader_(game(), dialect, hears) {}

  const Dialect& dialect() const { return kDialects[dialect_]; }
  std::size_t index() const { return dialect_; }

  void say(const Message& message) const {
    Buffer out;
    codec_->write(message, says_, out);
    stream_.send(out);
  }
  /// The next message of this type that matches; others are skipped.
  template <class T, class Wanted>
  T hear(Wanted&& wanted) {
    for (int i = 0; i < 1'000; ++i) {
      while (!heard_.empty()) {
        const Message message = std::move(heard_.front());
        heard_.pop_front();
        if (const T* one = std::get_if<T>(&message); one != nullptr && wanted(*one)) return *one;
      }
      const Buffer bytes = stream_.read_some();
      REQUIRE_FALSE(bytes.empty());
      const auto fault = reader_.feed(wire::Lane::kStream, bytes, [&](const Frames& frames) {
        const Way way = opposite(says_);
        const auto wrong = wire::hear(*codec_, way, frames, [&](const auto& heard) {
          heard_.push_back(*heard.message);
          return true;
        });
        REQUIRE_FALSE(wrong);
      });
      REQUIRE_FALSE(fault);
    }
    FAIL("not heard");
    return {};
  }
  template <class T>
  T hear() {
    return hear<T>([](const T&) { return true; });
  }
  const Stream& stream() const { return stream_; }

 private:
  std::size_t dialect_;
  Way says_;
  Stream stream_;
  std::unique_ptr<wire::MessageCodec<Message>> codec_;
  wire::FrameReader reader_;
  std::deque<Message> heard_;
};

Id id_of(std::uint8_t number) { return {number, {{10, 0, 0, number}, 5154, number}}; }
bool same(const Id& a, const Id& b, const Dialect& dialect) {
  if (!dialect.address_ids) return a.byte == b.byte;
  return a.address.ip == b.address.ip && a.address.port == b.address.port && a.address.number == b.address.number;
}

Message chat_request(std::string_view text) {
  ChatRequest request;
  request.to.byte = kEverybody;
  request.text.chars = std::string(text) + '\0';
  request.fixed_text.set(text);
  return request;
}
Message chat_of(const Id& from, std::string_view text) {
  Chat chat;
  chat.from = from;
  chat.to.byte = kEverybody;
  chat.text.chars = std::string(text) + '\0';
  chat.fixed_text.set(text);
  return chat;
}
template <class Said>
std::string_view text_of(const Said& said, const Dialect& dialect) {
  return dialect.fixed_chat ? said.fixed_text.view() : said.text.view();
}

GameSettings settings() {
  GameSettings settings;
  settings.world_size = 400;
  settings.max_players = 20;
  settings.max_shots = 2;
  settings.max_flags = 4;
  return settings;
}

words::World land() {
  words::World world;
  world.set_west(-200);
  world.set_east(200);
  world.set_south(-200);
  world.set_north(200);
  words::Solid& box = *world.add_solids();
  box.set_x(50);
  box.set_half_x(10);
  box.set_half_y(10);
  box.set_height(9);
  return world;
}

class VersionBridge : public Serving {
 public:
  VersionBridge(std::size_t client, std::size_t server, const net::Address& at,
                std::optional<std::size_t> fallback = {}, const Limits& limits = no_limits())
      : Serving(1) {
    relay::RouteOptions options;
    options.game = &game();
    options.servers[0].dialect = server;
    options.listen = loopback();
    options.fallback = fallback;
    relay::BridgeOptions bridge;
    bridge.server_game = &game();
    bridge.front = [](std::size_t dialect) { return faces().front({dialect, {}}); };
    bridge.back = [](std::size_t dialect) { return faces().back({dialect, {}}); };
    options.bridge = bridge;
    serve(std::move(options), at, limits, nullptr, client);
  }
};

/// A session of a client and a server. `ours`: the id of our client on each side.
struct Session {
  Party client, server;
  Id ours_there, ours_here;
};

void greet_client(Party& client) {
  if (client.dialect().header != Header::kNever) client.say(ClientHeader{});
  CHECK(client.hear<Welcome>().version.view() == client.dialect().version.substr(4));
  client.say(NegotiateFlags{});
  if (client.dialect().settings) client.say(WantSettings{});
  client.say(WantWorldHash{});
}

void serve_world(Party& server) {
  if (server.dialect().header != Header::kNever) server.hear<ClientHeader>();
  Welcome welcome;
  welcome.version.set(server.dialect().version.substr(4));
  welcome.id = 3;
  server.say(welcome);
  server.hear<NegotiateFlags>();
  server.say(NegotiateFlags{});
  if (server.dialect().settings) {
    server.hear<WantSettings>();
    server.say(settings());
  }
  const Buffer world = database_of(land(), server.index(), settings()).bytes;
  server.hear<WantWorldHash>();
  WorldHash hash;
  hash.hash.chars = world_hash(world, WorldSource::kFile) + '\0';
  server.say(hash);
  server.hear<GetWorld>();
  server.say(WorldChunk{0, 0, world});
}

void load_world(Party& client) {
  GameSettings told;
  if (client.dialect().settings) told = client.hear<GameSettings>();
  const std::string hash(client.hear<WorldHash>().hash.view());
  client.say(GetWorld{});
  const Buffer database = client.hear<WorldChunk>().data;
  CHECK(hash.substr(1) == world_hash(database, WorldSource::kFile).substr(1));
  const auto world = read_world(database, client.index());
  REQUIRE(world.ok());
  const auto* records = std::get_if<RecordWorld>(&*world);
  if (records != nullptr) told = settings_of(*records);
  CHECK(told.world_size == 400);
  CHECK(told.max_shots == 2);
  const GroupWorld groups = records != nullptr ? groups_of(*records) : std::get<GroupWorld>(*world);
  REQUIRE(groups.world.boxes.size() == 1);
  CHECK(groups.world.boxes[0].pos == Vec3{50, 0, 0});
  CHECK(groups.world.walls.size() == 4);
}

void enter(Session& session) {
  Enter enter;
  enter.id = {0, {{192, 0, 2, 1}, 4000, 1}};
  enter.team = 1;
  enter.callsign.set("anna");
  enter.end = 0;
  session.client.say(enter);
  const Enter entered = session.server.hear<Enter>();
  CHECK(entered.callsign.view() == "anna");
  CHECK(entered.team == 1);
  session.ours_there = session.server.dialect().address_ids ? entered.id : Id{3, {}};
  session.server.say(Accept{session.ours_there});
  AddPlayer add;
  add.id = id_of(5);
  add.team = 2;
  add.callsign.set("ben");
  session.server.say(add);
  add.id = session.ours_there;
  add.team = 1;
  add.callsign.set("anna");
  session.server.say(add);
  session.client.hear<Accept>();
  session.ours_here =
      session.client.hear<AddPlayer>([](const AddPlayer& one) { return one.callsign.view() == "anna"; }).id;
}

void talk(Session& session) {
  session.client.say(chat_request("hello all"));
  const auto asked = session.server.hear<ChatRequest>();
  CHECK(text_of(asked, session.server.dialect()) == "hello all");
  session.server.say(chat_of(id_of(5), "hello anna"));
  session.client.hear<Chat>([&](const Chat& chat) { return text_of(chat, session.client.dialect()) == "hello anna"; });
}

Alive alive(const Id& who, float x) {
  Alive alive;
  alive.player = who;
  alive.pos = {x, 0, 0};
  alive.forward = {0, 1, 0};
  alive.azimuth = 1.5707964F;
  return alive;
}

void spawn_and_drive(Session& session) {
  const Dialect& here = session.client.dialect();
  session.client.say(AliveRequest{});
  session.server.hear<AliveRequest>();
  session.server.say(alive(id_of(5), 30));
  session.server.say(alive(session.ours_there, 7));
  const Alive own =
      session.client.hear<Alive>([&](const Alive& one) { return same(one.player, session.ours_here, here); });
  CHECK(own.pos[0] == 7);
  const double yaw = here.spawn_by_client ? std::atan2(own.forward[1], own.forward[0]) : own.azimuth;
  CHECK(yaw == doctest::Approx(1.5708).epsilon(0.001));

  PlayerUpdate update;
  update.player = session.ours_here;
  update.order = 1;
  update.status = 1;
  update.pos = {8.5F, 0, 0};
  session.client.say(update);
  if (session.server.dialect().small_updates)
    CHECK(session.server.hear<PlayerUpdateSmall>().pos[0] == 425);
  else
    CHECK(session.server.hear<PlayerUpdate>().pos[0] == 8.5F);
}

void be_shot(Session& session) {
  ShotBegin begin;
  begin.player = id_of(5);
  begin.shot = 0x0101;
  begin.pos = {60, 0, 1.57F};
  begin.vel = {-100, 0, 0};
  begin.life = 3.5F;
  session.server.say(begin);
  const ShotBegin seen = session.client.hear<ShotBegin>();
  CHECK(seen.shot == 0x0101);
  CHECK(seen.vel == begin.vel);
  KilledReport report;
  report.killer = seen.player;
  report.death.reason = 1;
  report.death.shot = seen.shot;
  session.client.say(report);
  const KilledReport reported = session.server.hear<KilledReport>();
  CHECK(reported.death.shot == 0x0101);
  CHECK(same(reported.killer, id_of(5), session.server.dialect()));
  Killed killed;
  killed.victim = session.ours_there;
  killed.killer = id_of(5);
  killed.death = reported.death;
  session.server.say(killed);
  const Killed dead = session.client.hear<Killed>();
  CHECK(same(dead.victim, session.ours_here, session.client.dialect()));
  CHECK(dead.death.shot == 0x0101);
}

void play(const VersionBridge& running, const FakeServer& fake, std::size_t client, std::size_t server) {
  Party in_front(Stream::to(running.address), client, Way::kToClient);
  greet_client(in_front);
  Session session{std::move(in_front), Party(fake.accept(), server, Way::kToServer), {}, {}};
  serve_world(session.server);
  load_world(session.client);
  enter(session);
  talk(session);
  spawn_and_drive(session);
  be_shot(session);
  session.client.say(Exit{});
  session.server.hear<Exit>();
}

TEST_CASE("a client of each dialect plays on a server of each") {
  for (std::size_t client = 0; client < kDialects.size(); ++client) {
    for (std::size_t server = 0; server < kDialects.size(); ++server) {
      INFO(std::string(kDialects[client].name), " on ", std::string(kDialects[server].name));
      FakeServer fake(true);
      const VersionBridge running(client, server, fake.address());
      play(running, fake, client, server);
      CHECK(running.ended(relay::Reason::kClientLeft));
    }
  }
}

TEST_CASE("one port serves clients that greet first and, after a moment, those that wait for the server") {
  constexpr std::size_t kNewest = 0, kOld = 1, kOlder = 2;
  for (const std::size_t older : {kOld, kOlder}) {
    INFO(std::string(kDialects[older].name));
    FakeServer fake(true);
    const VersionBridge running(kNewest, kNewest, fake.address(), older);
    play(running, fake, older, kNewest);
    play(running, fake, kNewest, kNewest);
    play(running, fake, older, kNewest);
    CHECK(running.ended(relay::Reason::kClientLeft, 3));
  }
}

TEST_CASE("one port: a client whose greeting comes in pieces is not taken for one that waits for the server") {
  constexpr std::size_t kNewest = 0, kOld = 1;
  const auto greeting_of = [](std::size_t dialect) { return std::string(kDialects[dialect].version); };
  FakeServer fake(true);
  SUBCASE("the rest comes late") {
    const VersionBridge running(kNewest, kNewest, fake.address(), kOld);
    const Stream slow = Stream::to(running.address);
    slow.send("BZFLAG");
    const Stream silent = Stream::to(running.address);
    CHECK(silent.read_text(greeting_of(kOld).size()) == greeting_of(kOld));  // now the slow one could be silent, too
    slow.send("\r\n\r\n");
    CHECK(slow.read_text(greeting_of(kNewest).size()) == greeting_of(kNewest));
  }
  SUBCASE("the rest does not come") {
    Limits limits = no_limits();
    limits.greet_ms = 1'000;
    const VersionBridge running(kNewest, kNewest, fake.address(), kOld, limits);
    const Stream client = Stream::to(running.address);
    client.send("B");
    client.read_all();
    CHECK(running.ended(relay::Reason::kGreetTimeout));
  }
}

/// An arena that clients of two dialects join by one port.
class VersionRoom {
 public:
  explicit VersionRoom(std::size_t fallback) : server_(1, heard_) {
    relay::SharedRoomOptions shared_room;
    shared_room.name = "a test";
    shared_room.game = &game();
    shared_room.back = [] { return std::make_unique<core::Referee>(core::Arena{{}, core::courtyard(200)}); };
    relay::BridgeOptions bridge;
    bridge.server_game = &game();
    bridge.front = [](std::size_t dialect) { return faces().front({dialect, {}}); };
    bridge.shared_room = server_.add_shared_room(shared_room);
    relay::RouteOptions options;
    options.game = &game();
    options.listen = loopback();
    options.servers[0].dialect = 0;
    options.fallback = fallback;
    options.limits = no_limits();
    options.bridge = bridge;
    const auto listening = server_.add(options);
    REQUIRE(listening.ok());
    address = listening->address;
    thread_ = std::thread([this] { server_.run(); });
  }
  ~VersionRoom() {
    server_.stop();
    thread_.join();
  }
  net::Address address;

 private:
  Heard heard_;
  relay::ProxyServer server_;
  std::thread thread_;
};

void enter_arena(Party& client, const char* name) {
  greet_client(client);
  client.hear<WorldHash>();
  client.say(GetWorld{});
  client.hear<WorldChunk>();
  Enter enter;
  enter.id = {0, {{192, 0, 2, 1}, 4000, 1}};
  enter.team = 0;
  enter.callsign.set(name);
  enter.end = 0;
  client.say(enter);
  client.hear<Accept>();
  client.hear<AddPlayer>([&](const AddPlayer& one) { return one.callsign.view() == name; });
}

TEST_CASE("one port of a shared room serves both kinds, in one room") {
  constexpr std::size_t kNewest = 0;
  for (const std::size_t older : {1U, 2U}) {
    INFO(std::string(kDialects[older].name));
    const VersionRoom shared_room(older);
    Party old(Stream::to(shared_room.address), older, Way::kToClient);
    enter_arena(old, "old");
    Party newest(Stream::to(shared_room.address), kNewest, Way::kToClient);
    enter_arena(newest, "newest");
    old.hear<AddPlayer>([](const AddPlayer& who) { return who.callsign.view() == "newest"; });
    newest.say(chat_request("well met"));
    old.hear<Chat>([&](const Chat& chat) { return text_of(chat, old.dialect()) == "well met"; });
  }
}

}  // namespace
}  // namespace entente::testing::bzflag_versions_test
