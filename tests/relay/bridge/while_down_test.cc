// Players of a bridge whose server is down play in an arena, and go to the server when it is up.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/relay/bridge/native_arena.h"

namespace entente::testing::while_down_test {
namespace {

using relay::Reason;

constexpr const char* kInArena = "you play in the arena 'lobby' meanwhile";
constexpr const char* kAway = "the server is away; waiting for it";

/// A bridge to a native server that is not always up, and an arena.
class InArena : public Serving {
 public:
  explicit InArena(std::size_t workers = 1, std::uint32_t seats = 64, std::uint32_t hold_ms = 60'000,
                   bool up_now = true, bool by_web = false, const std::optional<net::Address>& second = {},
                   const std::function<std::unique_ptr<core::Back>()>& back = nullptr,
                   const Limits& limits = no_limits())
      : Serving(workers), at(free_for_both()) {
    relay::SharedRoomOptions room = native_arena("the arena 'lobby'", seats);
    if (back) room.back = back;
    // With two workers, the arena is on another worker than the bridge's sessions.
    server().add_shared_room(room);
    arena = server().add_shared_room(room);
    relay::RouteOptions options = held(hold_ms, native::game(), true);
    options.servers[0].host = at.ip_text();
    options.servers[0].port = at.port();
    options.bridge->while_down = native_place("lobby");
    if (second) options.servers.push_back({.host = second->ip_text(), .port = second->port(), .dialect = kJson});
    if (by_web) {
      options.servers[0].dialect = 0;
      options.bridge->server_game = &toy::messages();
      options.bridge->back = [](std::size_t) { return toy::make_back(toy::messages()); };
    }
    if (up_now) server_up();
    serve_all(std::move(options), limits);
    const auto listener = arena_listener("the arena 'lobby'", arena, native::game(), kNativeFront, kJson, no_limits());
    const auto listening = server().add(listener);
    REQUIRE(listening.ok());
    arena_route = listening->route;
    arena_address = listening->address;
    server().set_while_down_room(0, arena);
  }
  ~InArena() { stop(); }
  void server_up() { up.emplace(at); }
  /// A player in the arena that joined by its own listener.
  Lines resident(const std::string& name) const {
    Lines client(Stream::to(arena_address));
    client.say(R"({"enter":{"name":")" + name + R"("}})");
    client.until(R"("owns")");
    return client;
  }

  const net::Address at;
  std::optional<LateServer> up;
  std::size_t arena = 0, arena_route = 0;
  net::Address arena_address;
};

/// The back of an arena that refuses who says a line.
class Refuser final : public core::Back {
 public:
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (core::as<words::Enter>(intent) != nullptr) {
      words::Player player;
      player.set_id(intent.by);
      out.say(player);
      out.say(words::Ready());
    }
    if (core::as<words::Say>(intent) == nullptr) return;
    words::Refused refused;
    refused.set_text("we do not want you");
    out.say({intent.by, refused});
  }
};

/// A player that has joined.
struct Player {
  explicit Player(const InArena& running, const std::string& name = "anna", const std::string& role = "PLAY")
      : client(Stream::to(running.address)) {
    client.say(R"({"enter":{"name":")" + name + R"(","role":")" + role + R"("}})");
    server.emplace(greet(*running.up).first);
    let_in(*server, "one", "ben");
    client.until("ready");
  }
  void lose() { server.reset(); }

  Lines client;
  std::optional<Lines> server;
};

TEST_CASE("while_down: a player that loses the server plays in the arena, and returns when the server is up") {
  for (const std::size_t workers : {1U, 2U}) {
    InArena running(workers);
    Lines resident = running.resident("rosa");
    Player anna(running);
    anna.server->say(R"({"unit":{"id":10,"owner":1,"alive":true,"pose":{"unit":10,"x":3}}})");
    anna.server->say(R"({"owns":{"player":1,"units":[10],"active":10}})");
    anna.client.until(R"("owns")");
    running.up.reset();
    anna.lose();

    const auto there = anna.client.until(kInArena);
    CHECK(have(there, "rosa"));
    CHECK(have(there, R"("world")"));
    resident.until(R"("spawned")");  // it was in play
    anna.client.say(R"({"say":{"text":"hello rosa"}})");
    resident.until("hello rosa");
    resident.say(R"({"say":{"text":"hello anna"}})");
    anna.client.until("hello anna");
    CHECK(running.sessions().size() == 2);
    CHECK(running.sessions()[1].arena == "lobby");
    const relay::LinkId link = running.sessions()[1].info.link;
    CHECK(running.tapped.noted(link, "no server is up: the player goes to the arena 'lobby'\n"));
    CHECK(running.totals().current_sessions() == 1);
    CHECK(running.totals().held_now() == 1);

    running.server_up();
    auto [server, enter] = greet(*running.up);
    CHECK(enter.find(R"("name":"anna")") != std::string::npos);
    CHECK(enter.find(R"("team":"RED")") != std::string::npos);
    resident.until("player_gone");
    let_in(server, "two", "cleo");
    const auto back = anna.client.until("back on the server");
    CHECK(have(back, "cleo"));
    CHECK(have(back, R"("two")"));
    anna.client.say(R"({"say":{"text":"still here"}})");
    server.until("still here");
    CHECK(running.tapped.noted(link, "server " + running.at.text() + " is up: the player leaves the arena\n"));
    CHECK(running.sessions()[1].arena.empty());
    CHECK(running.totals().held_now() == 0);
    CHECK(running.totals().held == 1);
    CHECK(running.totals().brought_back == 1);
    CHECK(running.heard.told("opened") == 2);  // with the resident
  }
}

TEST_CASE("while_down: a player that is back is listed with its server, not with the one that was tried last") {
  const net::Address second = free_for_both();  // nothing listens there
  InArena running(1, 64, 60'000, true, false, second);
  Player anna(running);
  running.up.reset();
  anna.lose();
  anna.client.until(kInArena);
  CHECK(running.sessions().at(0).info.server == second);
  running.server_up();
  auto [server, enter] = greet(*running.up);
  let_in(server, "two", "cleo");
  anna.client.until("back on the server");
  CHECK(running.sessions().at(0).info.server == running.at);
}

TEST_CASE("while_down: a player that connects while no server is up plays in the arena at once") {
  InArena running(2, 64, 60'000, false);
  Lines resident = running.resident("rosa");
  Lines anna(Stream::to(running.address));
  anna.say(R"({"enter":{"name":"anna","team":"GREEN"}})");
  CHECK(have(anna.until(kInArena), "rosa"));
  resident.until("anna");
  running.server_up();
  auto [server, enter] = greet(*running.up);
  CHECK(enter.find(R"("team":"GREEN")") != std::string::npos);
  let_in(server, "two", "cleo");
  CHECK(have(anna.until("back on the server"), "cleo"));
  resident.until("player_gone");
  CHECK(running.totals().held_now() == 0);
  CHECK(running.totals().current_sessions() == 1);
}

TEST_CASE("while_down: a server that accepts the connection and declines the player leaves it in the arena") {
  InArena running(2, 64, 60'000, false, true);
  Lines resident = running.resident("rosa");
  Lines anna(Stream::to(running.address));
  anna.say(R"({"enter":{"name":"anna"}})");
  anna.until(kInArena);
  const FakeServer web(running.at, true);
  {
    const WebServer declines(web);
    declines.send_raw("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  }
  CHECK(running.heard.line("it answered 403 to a WebSocket's request"));
  anna.say(R"({"say":{"text":"still here"}})");
  resident.until("still here");
  CHECK(running.sessions()[1].arena == "lobby");
  WebServer server(web);  // it is called again
  server.upgrade();
  resident.until("player_gone");
  CHECK(eventually([&] { return running.sessions()[1].arena.empty(); }));
  CHECK(running.totals().by(Reason::kServerDeclined) == 0);
}

TEST_CASE("while_down: a player in the arena does not go to a server that is drained while it is being connected") {
  InArena running(2, 64, 60'000, false, true);
  Limits limits = no_limits();
  limits.connect_ms = 0;
  running.set_rules({limits, {}});
  Lines anna(Stream::to(running.address));
  anna.say(R"({"enter":{"name":"anna"}})");
  anna.until(kInArena);
  const FakeServer web(running.at, true);
  WebServer slow(web);
  const std::string name = running.at.text();
  CHECK(running.server().drain_server(name, true) == 1);
  CHECK(running.server().leave_server(name, "drained") == 0);  // the player is in the arena
  CHECK(slow.rest().empty());
  CHECK(running.server().drain_server(name, false) == 1);
  WebServer server(web);
  server.upgrade();
  CHECK(eventually([&] { return running.sessions()[0].arena.empty(); }));
}

TEST_CASE("while_down: a player that has not entered the arena yet is not taken to the server") {
  InArena running(2, 64, 60'000, false);
  Lines anna(Stream::to(running.address));
  anna.say(R"({"want_world":{}})");
  anna.until("ready");
  running.server_up();
  CHECK_FALSE(running.up->is_wanted(500));
  anna.say(R"({"enter":{"name":"anna"}})");
  anna.until(kInArena);
  auto [server, enter] = greet(*running.up);
  CHECK(enter.find(R"("name":"anna")") != std::string::npos);
  let_in(server, "two", "cleo");
  CHECK(have(anna.until("back on the server"), "cleo"));
}

TEST_CASE("while_down: hold_s does not limit the time in the arena") {
  InArena running(1, 64, 1'500);
  Player anna(running);
  running.up.reset();
  anna.lose();
  anna.client.until(kInArena);
  std::this_thread::sleep_for(std::chrono::milliseconds(2'000));
  CHECK(running.totals().current_sessions() == 1);
  anna.client.say(R"({"say":{"text":"still here"}})");
  anna.client.until("still here");
  running.server_up();
  auto [server, enter] = greet(*running.up);
  let_in(server, "one", "ben");
  anna.client.until("back on the server");
}

TEST_CASE("while_down: if the arena is full, drained or missing, the player waits for the server") {
  InArena running(1, 1);
  std::optional<Lines> resident;
  SUBCASE("full") { resident.emplace(running.resident("rosa")); }
  SUBCASE("drained") { running.server().set_draining(running.arena_route, true); }
  SUBCASE("none") { running.server().set_while_down_room(0, std::nullopt); }
  Player anna(running);
  running.up.reset();
  anna.lose();
  CHECK_FALSE(have(anna.client.until(kAway), kInArena));
  CHECK(eventually([&] { return running.server().waiting(0) == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  running.server_up();
  auto [server, enter] = greet(*running.up);
  let_in(server, "one", "cleo");
  const auto back = anna.client.until("back on the server");
  CHECK_FALSE(have(back, kInArena));
  CHECK_FALSE(have(back, "full"));
  CHECK(running.totals().brought_back == 1);
}

TEST_CASE("while_down: a player that finds the arena full waits no longer than hold_s") {
  InArena running(1, 1, 500);
  Lines resident = running.resident("rosa");
  Player anna(running);
  running.up.reset();
  anna.lose();
  const auto began = std::chrono::steady_clock::now();
  anna.client.all();
  CHECK(running.ended(Reason::kServerUnreachable));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(9));  // the arena is tried again after ten
}

TEST_CASE("while_down: a player whose arena is closed waits for the server") {
  InArena running(2);
  Player anna(running);
  running.up.reset();
  anna.lose();
  anna.client.until(kInArena);
  const relay::LinkId link = running.sessions().front().info.link;
  REQUIRE(running.server().change({.retired = {running.arena_route}}).ok());
  running.server().retire_shared_room(running.arena);
  CHECK_FALSE(have(anna.client.until(kAway), "kicked"));
  CHECK(running.tapped.noted(
      link, "the arena 'lobby' does not keep the player: the server is being closed; try again later\n"));
  running.server_up();
  auto [server, enter] = greet(*running.up);
  let_in(server, "one", "cleo");
  CHECK(have(anna.client.until("back on the server"), "cleo"));
  CHECK(running.totals().held == 1);
}

TEST_CASE("while_down: a player whom the arena refuses waits for the server") {
  InArena running(2, 64, 60'000, true, false, {}, [] { return std::make_unique<Refuser>(); });
  Player anna(running);
  running.up.reset();
  anna.lose();
  anna.client.until(kInArena);
  const relay::LinkId link = running.sessions().front().info.link;
  anna.client.say(R"({"say":{"text":"hello"}})");
  anna.client.until(kAway);
  CHECK(running.tapped.noted(link, "the arena 'lobby' does not keep the player: we do not want you\n"));
}

TEST_CASE("while_down: a player who only watches watches the arena meanwhile") {
  InArena running(1);
  Lines resident = running.resident("rosa");
  Player anna(running, "anna", "WATCH");
  running.up.reset();
  anna.lose();
  anna.client.until(kInArena);
  anna.client.say(R"({"say":{"text":"hello rosa"}})");
  resident.until("hello rosa");
  resident.say(R"({"say":{"text":"hello anna"}})");
  anna.client.until("hello anna");
}

TEST_CASE("while_down: a visitor leaves, is kicked or gets messages like any player of the route") {
  InArena running(2);
  Lines resident = running.resident("rosa");
  Player anna(running);
  running.up.reset();
  anna.lose();
  anna.client.until(kInArena);
  resident.until("anna");
  SUBCASE("it closes") {
    anna.client.stream().finish();  // close() would reset the link, as there are unread bytes
    CHECK(running.ended(Reason::kClientLeft));
  }
  SUBCASE("it is kicked") {
    CHECK(running.kick(running.sessions().back().info.link, "be nice"));
    CHECK(have(anna.client.all(), "be nice"));
  }
  SUBCASE("it gets a message") {
    CHECK(running.say("hello all").size() == 1);
    anna.client.until("hello all");
    anna.client.stream().close();
  }
  SUBCASE("the route is drained") {
    CHECK(running.end_sessions("closing") == 1);
    CHECK(have(anna.client.all(), "closing"));
  }
  SUBCASE("the program stops") {
    running.stop();
    CHECK(running.totals().held_now() == 0);
    return;
  }
  resident.until("player_gone");
  CHECK(running.empty());
  CHECK(running.totals().held_now() == 0);
  CHECK(eventually([&] { return running.server().waiting(0) == 0; }));  // a session that is counted as gone goes next
}

TEST_CASE("while_down: a player who is kicked, and does not close its connection, lets those who wait behind it go") {
  Limits limits = no_limits();
  limits.linger_ms = 600'000;
  InArena running(1, 64, 60'000, false, false, {}, nullptr, limits);
  std::vector<Lines> players;
  for (const char* name : {"anna", "bob"}) {
    players.emplace_back(Stream::to(running.address)).say(std::string(R"({"enter":{"name":")") + name + R"("}})");
    players.back().until(kInArena);
    REQUIRE(eventually([&] { return running.server().waiting(0) == players.size(); }));
  }
  CHECK(running.kick(running.sessions().front().info.link, "be nice"));
  players.front().until("be nice");
  CHECK(eventually([&] { return running.server().waiting(0) == 1; }));
  running.server_up();
  auto [server, enter] = greet(*running.up);
  CHECK(enter.find(R"("name":"bob")") != std::string::npos);
  let_in(server, "two", "cleo");
  players.back().until("back on the server");
  players.clear();  // before the server: a player who loses it connects again, and that would linger
}

TEST_CASE("while_down: what is recorded of a player names a server that is down once, not each attempt") {
  InArena running(1, 64, 60'000, false);
  Lines anna(Stream::to(running.address));
  anna.say(R"({"enter":{"name":"anna"}})");
  anna.until(kInArena);
  const relay::LinkId link = running.sessions().front().info.link;
  CHECK(eventually([&] { return running.heard.told("cannot reach server " + running.at.text()) >= 4; }));
  const std::string notes = running.tapped.record(link).notes, dialling = "dialling " + running.at.text();
  const std::size_t first = notes.find(dialling);
  CHECK(first != std::string::npos);
  CHECK(notes.find(dialling, first + 1) == std::string::npos);
}

TEST_CASE("while_down: a server that comes and goes repeatedly does not lose the player") {
  constexpr int kTimes = 8;
  InArena running(2);
  Lines resident = running.resident("rosa");
  Player anna(running);
  running.up.reset();
  anna.lose();
  for (int i = 0; i < kTimes; ++i) {
    anna.client.until(kInArena);
    running.server_up();
    Lines server(running.up->accept());
    if (i % 2 == 0) server.say(R"({"you":{"player":1}})");
    if (i % 4 == 3) {  // lets the player in, for long enough to count as healthy
      if (i % 2 != 0) server.say(R"({"you":{"player":1}})");
      let_in(server, "two", "cleo");
      anna.client.until("back on the server");
      std::this_thread::sleep_for(std::chrono::milliseconds(2'100));
    }
    running.up.reset();
  }
  anna.client.until(kInArena);
  CHECK(running.totals().current_sessions() == 1);
  CHECK(running.totals().brought_back == kTimes / 4);
  CHECK(running.totals().held_now() == 1);
}

}  // namespace
}  // namespace entente::testing::while_down_test
