// The server of a bridge goes away: its players stay connected, and join again when it is back.
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <optional>

#include "adapters/bzflag/bzflag.h"
#include "tests/relay/native_lines.h"

namespace entente::testing::hold_test {
namespace {

using relay::Reason;

/// A bridge from native, or from the toy game, to a native server.
class Held : public Serving {
 public:
  explicit Held(std::uint32_t hold_ms = 60'000, bool toy_front = false) : Serving(1), at(free_for_both()) {
    relay::RouteOptions options = toy_front ? held(hold_ms, toy::stream(), false) : held(hold_ms, native::game(), true);
    options.servers[0].host = at.ip_text();
    options.servers[0].port = at.port();
    server_up();
    options.servers[0].slots = slots;
    serve_all(std::move(options), no_limits());
  }
  ~Held() { stop(); }
  void server_up() { up.emplace(at); }
  std::size_t waiting() const { return server().waiting(0); }

  const net::Address at;
  const std::shared_ptr<relay::SlotQueue> slots = std::make_shared<relay::SlotQueue>();
  std::optional<LateServer> up;
};

/// A player that has joined.
struct Player {
  explicit Player(const Held& running, const std::string& name = "anna") : client(Stream::to(running.address)) {
    client.say(R"({"enter":{"name":")" + name + R"("}})");
    auto [link, enter] = greet(*running.up);
    CHECK(enter.find(name) != std::string::npos);
    server.emplace(std::move(link));
    let_in(*server, "one", "ben");
    CHECK(have(client.until("ready"), "ben"));
  }
  /// The server process of this player ends.
  void lose() { server.reset(); }

  Lines client;
  std::optional<Lines> server;
};

TEST_CASE("a client that reads slowly gets no places that will be outdated when it reads them") {
  Held running;
  Limits limits = no_limits();
  limits.high_water = 8U << 20U;
  limits.low_water = 1U << 20U;
  running.set_rules({limits, {}});
  Lines client(Stream::to(running.address, nullptr, 4'096));
  client.say(R"({"enter":{"name":"anna"}})");
  Lines server = greet(*running.up).first;
  let_in(server, "one", "ben");
  client.until("ready");
  constexpr std::uint64_t kLines = 1'500;  // more than the kernel can take
  const std::uint64_t before = running.totals().to_client.frames;
  for (std::uint64_t i = 0; i < kLines; ++i) server.say(R"({"said":{"text":")" + std::string(4'000, 'x') + R"("}})");
  for (int i = 0; i < 50; ++i) server.say(R"({"pose":{"unit":20,"x":)" + std::to_string(i) + "}}");
  server.say(R"({"said":{"text":"the end"}})");
  CHECK(eventually([&] { return running.totals().to_client.frames > before + kLines; }));
  CHECK_FALSE(have(client.until("the end"), R"("pose")"));
}

TEST_CASE("hold: a player whose server goes away stays, and joins again with the same name and team") {
  Held running;
  Player anna(running);
  anna.server->say(R"({"unit":{"id":10,"owner":1,"alive":true,"pose":{"unit":10,"x":3}}})");
  anna.server->say(R"({"owns":{"player":1,"units":[10],"active":10}})");
  anna.client.until(R"("owns")");
  running.up.reset();
  anna.lose();

  const auto lost = anna.client.until("the server is away; waiting for it");
  CHECK(have(lost, R"("died")"));
  CHECK(have(lost, R"("gone")"));
  CHECK(have(lost, R"("player_gone")"));
  CHECK(eventually([&] { return running.waiting() == 1; }));
  CHECK(running.totals().held_now() == 1);
  anna.client.say(R"({"toward":{"x":1,"y":2}})");  // in a world that is gone
  anna.client.say(R"({"change":{"motto":"patience","skin":"stripes"}})");

  running.server_up();
  auto [server, enter] = greet(*running.up);
  CHECK(enter.find(R"("name":"anna")") != std::string::npos);
  CHECK(enter.find(R"("team":"RED")") != std::string::npos);
  let_in(server, "two", "cleo");
  const auto back = anna.client.until("back on the server");
  CHECK(have(back, "cleo"));
  CHECK(have(back, R"("two")"));
  CHECK_FALSE(have(back, "ben"));
  CHECK(have(server.until("spawn"), R"("spawn")"));  // it was in play
  anna.client.say(R"({"say":{"text":"still here"}})");
  const auto said = server.until("still here");
  CHECK_FALSE(have(said, "toward"));
  CHECK(running.totals().held_now() == 0);
  CHECK(running.totals().brought_back == 1);
  CHECK(running.totals().current_sessions() == 1);
  CHECK(running.heard.line("session 1 (\"us\"): server " + running.at.text() +
                           " is lost (server left); waits for it for up to 60 s"));
  CHECK(running.heard.line("session 1 (\"us\"): back on server " + running.at.text()));
  CHECK(running.heard.told("opened") == 1);
  CHECK(running.sessions()[0].player == "us");  // as the server calls it
  CHECK(running.tapped.noted(1, "server " + running.at.text() + " is lost (server left); the player waits for it\n"));
  CHECK(running.tapped.noted(1, "dialling " + running.at.text() + "\n"));
  CHECK(running.tapped.noted(1, "back on server " + running.at.text() + " after "));

  server.stream().reset();  // once more, while the server keeps running
  anna.client.until("the server is away");
  auto [again, entered] = greet(*running.up);
  CHECK(entered.find(R"("motto":"patience")") != std::string::npos);
  CHECK(entered.find(R"("skin":"stripes")") != std::string::npos);
  let_in(again, "two", "cleo");
  CHECK_FALSE(have(anna.client.until("back on the server"), R"("world")"));  // it is the same world
  CHECK(running.totals().brought_back == 2);
}

TEST_CASE("hold: a player who asks to spawn while the server is away spawns when it is back") {
  Held running;
  Player anna(running);  // not in play
  running.up.reset();
  anna.lose();
  anna.client.until("the server is away");
  anna.client.say(R"({"spawn":{}})");
  running.server_up();
  Lines server = greet(*running.up).first;
  let_in(server, "one", "cleo");
  anna.client.until("back on the server");
  server.until("spawn");
}

TEST_CASE("hold: a server that is lost before it lets the player in is tried again, at growing intervals") {
  Held running;
  Player anna(running);
  anna.lose();
  for (int i = 0; i < 2; ++i) greet(*running.up);  // and it is gone again
  auto [server, enter] = greet(*running.up);
  let_in(server, "one", "cleo");
  CHECK(have(anna.client.until("back on the server"), "cleo"));
  CHECK(running.totals().held == 1);
  CHECK(running.totals().brought_back == 1);
}

TEST_CASE(
    "hold: a client that loads a world only when it joins stays in the same world, and gets a notice about another") {
  Held running(60'000, true);
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);
  std::optional<Lines> server(greet(*running.up).first);
  let_in(*server, "one", "ben");
  server->say(R"({"said":{"text":"hello"}})");
  const auto hears = [&](std::string_view text) {
    const Buffer line = frame(text, toy::kSay);
    CHECK(client.read(line.size()) == line);
  };
  hears("hello");
  for (const char* hash : {"one", "two"}) {
    server.reset();
    hears("the server is away; waiting for it");
    server.emplace(greet(*running.up).first);
    let_in(*server, hash, "cleo");
    if (std::string_view(hash) == "one") hears("back on the server");
  }
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.empty());
  CHECK(running.totals().held_now() == 0);
  CHECK(running.totals().held == 2);
  CHECK(running.totals().brought_back == 1);
}

TEST_CASE("hold: a player that has waited too long is told goodbye") {
  Held running(300);
  Player anna(running);
  running.up.reset();
  anna.lose();
  CHECK(have(anna.client.all(), "the server is away"));
  CHECK(running.ended(Reason::kServerUnreachable));
  CHECK(running.empty());
  CHECK(running.totals().held_now() == 0);
  CHECK(running.waiting() == 0);
}

TEST_CASE("hold: a player that waits for a server that cannot be reached is none of that server's sessions") {
  Held running;
  running.up.reset();
  const Lines client(Stream::to(running.address));
  client.say(R"({"enter":{"name":"anna"}})");
  CHECK(eventually([&] { return running.waiting() == 1; }));
  CHECK(eventually([&] { return running.server().servers(0)[0].sessions == 0; }));  // but for each short try
  running.server_up();
  const Lines server = greet(*running.up).first;
  CHECK(eventually([&] { return running.server().servers(0)[0].sessions == 1; }));
}

TEST_CASE("hold: a silent newcomer waits for all of hold_s, also if idle_ms is less") {
  Held running(2'500);
  Limits limits = no_limits();
  limits.idle_ms = 1'000;
  running.set_rules({limits, {}});
  running.up.reset();
  Lines client(Stream::to(running.address));
  client.say(R"({"enter":{"name":"anna"}})");
  client.all();
  CHECK(running.ended(Reason::kServerUnreachable));
}

TEST_CASE("hold: a server that comes back and stays silent does not make the wait longer") {
  Held running(300);
  Limits limits = no_limits();
  limits.ready_ms = 100;
  running.set_rules({limits, {}});
  Player anna(running);
  anna.lose();
  CHECK(have(anna.client.all(), "the server is away"));
  CHECK(running.empty());
  CHECK(running.totals().by(Reason::kServerTimeout) + running.totals().by(Reason::kServerUnreachable) == 1);
}

TEST_CASE("hold: a server that is back and sends its world slowly has the time that it needs") {
  Held running;
  Limits limits = no_limits();
  limits.lobby_ms = 1'500;
  running.set_rules({limits, {}});
  Player anna(running);
  anna.lose();
  auto [server, enter] = greet(*running.up);
  for (int i = 0; i < 20; ++i) {
    server.say(R"({"world_progress":{"done":)" + std::to_string(i) + R"(,"total":20}})");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  let_in(server, "two", "cleo");
  CHECK(have(anna.client.until("back on the server"), "cleo"));
  CHECK(running.totals().held == 1);
}

TEST_CASE("hold: a player who has another name on the server that is back is told so") {
  Held running;
  Player anna(running);
  for (const std::string name : {"us 2", "us 3"}) {
    anna.lose();
    Lines server = greet(*running.up).first;
    server.say(R"({"world":{"hash":"two","west":-50,"east":50,"south":-50,"north":50}})");
    server.say(R"({"player":{"id":1,"name":")" + name + R"("}})");
    server.say(R"({"ready":{}})");
    anna.client.until("your name here is '" + name + "'");
    anna.server.emplace(std::move(server));
  }
  anna.lose();
  anna.server.emplace(greet(*running.up).first);
  anna.server->say(R"({"player":{"id":1,"name":"us 3"}})");
  anna.server->say(R"({"ready":{}})");
  anna.client.until("back on the server");
  anna.client.say(R"({"say":{"text":"hello"}})");
  anna.server->until("hello");
  anna.server->say(R"({"said":{"from":1,"text":"hello all"}})");
  CHECK_FALSE(have(anna.client.until("hello all"), "your name here is"));
}

TEST_CASE("hold: a player that leaves during the wait is no longer waited for") {
  Held running;
  Player anna(running);
  running.up.reset();
  anna.lose();
  anna.client.until("the server is away");
  CHECK(eventually([&] { return running.waiting() == 1; }));
  SUBCASE("it closes") {
    anna.client.stream().finish();  // close() would reset the link, as there are unread bytes
    CHECK(running.ended(Reason::kClientLeft));
  }
  SUBCASE("it is kicked") {
    CHECK(running.kick(running.sessions().front().info.link, "be nice"));
    CHECK(have(anna.client.all(), "be nice"));
    CHECK(running.ended(Reason::kKicked));
  }
  SUBCASE("the program stops") {
    running.stop();
    CHECK(running.totals().by(Reason::kStopped) == 1);
  }
  CHECK(running.empty());
  CHECK(running.waiting() == 0);
  CHECK(running.totals().held_now() == 0);
}

TEST_CASE("hold: a player that was not read because its server was slow is heard again once that server is lost") {
  Held running;
  Limits limits = no_limits();
  limits.high_water = 20'000;
  limits.low_water = 1'000;
  running.set_rules({limits, {}});
  Player anna(running);
  const std::string line = R"({"say":{"text":")" + std::string(200, 'x') + R"("}})";
  REQUIRE(eventually([&] {  // the server reads nothing
    for (int i = 0; i < 50; ++i) anna.client.say(line);
    return running.totals().stalls != 0;
  }));
  running.up.reset();
  anna.server->stream().reset();
  anna.client.until("the server is away");
  anna.client.stream().finish();
  CHECK(running.ended(Reason::kClientLeft));
}

TEST_CASE("hold: a server that dismisses the player is not lost") {
  Held running;
  Player anna(running);
  SUBCASE("it kicks") {
    anna.server->say(R"({"kicked":{"text":"too good"}})");
    anna.client.until("too good");
  }
  SUBCASE("it refuses when it is back") {
    anna.lose();
    auto [server, enter] = greet(*running.up);
    server.say(R"({"refused":{"code":"BANNED","text":"too good"}})");
    anna.client.until("too good");
  }
  anna.lose();
  anna.client.all();
  CHECK(running.empty());
  CHECK_FALSE(running.up->is_wanted(0));
  CHECK(running.totals().brought_back == 0);
}

TEST_CASE("hold: a player who was refused, tried again and was let in waits for its server like any other") {
  Held running;
  Lines client(Stream::to(running.address));
  client.say(R"({"enter":{"name":"x"}})");
  std::optional<Lines> server(greet(*running.up).first);
  server->say(R"({"refused":{"code":"BAD_NAME","text":"not this name"}})");
  client.until("not this name");
  client.say(R"({"enter":{"name":"anna"}})");
  server->until("anna");
  let_in(*server, "one", "ben");
  client.until("ready");
  server.reset();
  client.until("the server is away");
  server.emplace(greet(*running.up).first);
  let_in(*server, "one", "cleo");
  client.until("back on the server");
}

TEST_CASE("hold: a player who is thrown out and asks to enter again, but is not let in, does not wait for the server") {
  Held running;
  Player anna(running);
  anna.server->say(R"({"kicked":{"text":"too good"}})");
  anna.client.until("too good");
  anna.client.say(R"({"enter":{"name":"anna"}})");
  anna.server->until("enter");
  anna.lose();
  CHECK_FALSE(have(anna.client.all(), "the server is away"));
  CHECK(running.empty());
}

TEST_CASE(
    "hold: a WebSocket closed with a code of the game is a dismissal; one closed with another code is a lost server") {
  const wire::Game& web = *native::game().over_web();
  FakeServer fake;
  struct WebHeld : Serving {
    WebHeld(const wire::Game& web, const net::Address& server) : Serving(1) {
      relay::RouteOptions options = held(60'000, native::game(), true);
      options.bridge->server_game = &web;
      options.servers[0].host = server.ip_text();
      options.servers[0].port = server.port();
      serve_all(std::move(options), no_limits());
    }
  } running(web, fake.address());
  Lines client(Stream::to(running.address));
  client.say(R"({"enter":{"name":"anna"}})");
  const auto let_in = [&](WebServer& server) {
    server.upgrade();
    server.send(net::Opcode::kText, as_bytes(R"({"you":{"player":1}})"));
    CHECK(server.next().starts_with("t:"));
    server.send(net::Opcode::kText, as_bytes(R"({"ready":{}})"));
  };
  {
    WebServer server(fake);
    let_in(server);
    client.until("ready");
    server.send(net::CloseFrame{1012, "restart"});
    client.until("the server is away");
  }
  WebServer server(fake);
  let_in(server);
  client.until("back on the server");
  server.send(net::CloseFrame{4000, "too good"});
  CHECK_FALSE(have(client.all(), "the server is away"));
  CHECK(running.empty());
}

TEST_CASE("hold: players join again in the order in which they came, before newcomers") {
  Held running;
  Player anna(running, "anna"), ben(running, "ben");
  running.up.reset();
  ben.lose();
  ben.client.until("the server is away");
  anna.lose();
  anna.client.until("the server is away");
  CHECK(eventually([&] { return running.waiting() == 2; }));
  const Lines cleo(Stream::to(running.address));
  cleo.say(R"({"enter":{"name":"cleo"}})");
  CHECK(eventually([&] { return running.waiting() == 3; }));
  running.server_up();
  for (const char* name : {"anna", "ben", "cleo"}) {
    auto [server, enter] = greet(*running.up);
    CHECK(enter.find(name) != std::string::npos);
  }
}

/// The server refuses the next player that enters, because it is full.
void turn_away(const Held& running, std::string_view name) {
  auto [server, enter] = greet(*running.up);
  CHECK(enter.find(name) != std::string::npos);
  server.say(R"({"refused":{"code":"FULL","text":"no seat"}})");
  CHECK(server.all().empty());
}

TEST_CASE("hold: a player waits for a slot on a full server, and waiting players join one after another") {
  Held running;
  const auto enters = [&](const std::string& name) {
    Lines client(Stream::to(running.address));
    client.say(R"({"enter":{"name":")" + name + R"("}})");
    return client;
  };
  std::optional<Player> anna(std::in_place, running);
  Lines ben = enters("ben");
  turn_away(running, "ben");
  ben.until("the server is full; waiting for a seat");
  CHECK(running.tapped.noted(running.sessions().back().info.link, "is full; the player waits for a seat\n"));
  CHECK(running.heard.line("is full; waits for a seat for up to 60 s"));
  CHECK(eventually([&] { return running.waiting() == 1; }));
  CHECK(running.totals().held_now() == 1);
  Lines cleo = enters("cleo");
  CHECK(eventually([&] { return running.waiting() == 2; }));
  CHECK(running.server().servers(0)[0].full);

  anna->client.stream().close();
  anna->server->all();
  anna.reset();  // a slot is free
  auto [server, enter] = greet(*running.up);
  CHECK(enter.find("ben") != std::string::npos);
  CHECK_FALSE(running.up->is_wanted(50));  // cleo waits until ben has joined
  let_in(server, "one", "dora");
  const auto heard = ben.until("ready");
  CHECK(have(heard, "dora"));
  CHECK_FALSE(have(heard, "refused"));
  turn_away(running, "cleo");
  cleo.until("the server is full; waiting for a seat");
  auto [other, last] = greet(*running.up);
  CHECK(last.find("cleo") != std::string::npos);
  let_in(other, "one", "dora");
  cleo.until("ready");
  CHECK(eventually([&] { return running.waiting() == 0; }));
  CHECK(running.totals().held == 2);
  CHECK(running.totals().held_now() == 0);
  CHECK(running.totals().brought_back == 0);
}

TEST_CASE("hold: a player who has its turn and does not need it does not keep others from a free slot") {
  Held running;
  std::optional<Player> anna(std::in_place, running);
  Lines first(Stream::to(running.address));
  CHECK(eventually([&] { return running.sessions().size() == 2; }));
  Lines ben(Stream::to(running.address));
  ben.say(R"({"enter":{"name":"ben"}})");
  turn_away(running, "ben");
  ben.until("the server is full; waiting for a seat");
  std::string asks = "want_world";
  SUBCASE("it only looks at the world") { first.say(R"({"want_world":{}})"); }
  SUBCASE("it is in a lobby") {
    asks = "enter";
    first.say(R"({"enter":{"name":"cleo"}})");
  }
  CHECK(eventually([&] { return running.waiting() == 2; }));
  anna->client.stream().close();
  anna->server->all();
  anna.reset();  // a slot is free
  Lines server(running.up->accept());
  server.say(R"({"you":{"player":1}})");
  server.until(asks);
  server.say(asks == "enter" ? R"({"waiting":{"have":1,"need":2}})"
                             : R"({"world":{"hash":"one","west":-50,"east":50,"south":-50,"north":50}})");
  REQUIRE(running.up->is_wanted(10'000));
  auto [other, enter] = greet(*running.up);
  CHECK(enter.find("ben") != std::string::npos);
  let_in(other, "one", "dora");
  ben.until("ready");
  CHECK(eventually([&] { return running.waiting() == 0; }));
}

TEST_CASE("hold: a newcomer that waits before the first attempt leaves the queue once it has joined") {
  Held running;
  const auto enters = [&](const std::string& name) {
    Lines client(Stream::to(running.address));
    client.say(R"({"enter":{"name":")" + name + R"("}})");
    return client;
  };
  const Player anna(running);
  {
    Lines ben = enters("ben");
    turn_away(running, "ben");
    ben.until("the server is full; waiting for a seat");
  }
  Lines cleo = enters("cleo");
  auto [server, enter] = greet(*running.up);
  CHECK(enter.find("cleo") != std::string::npos);
  let_in(server, "one", "dora");
  cleo.until("ready");
  CHECK(eventually([&] { return running.waiting() == 0; }));
}

TEST_CASE("hold: while others wait elsewhere, a player keeps its place in the queue until it has a slot") {
  Held running;
  constexpr Millis kNow = 0;
  running.slots->set_elsewhere(0);  // waiting for long
  Lines client(Stream::to(running.address));
  client.say(R"({"enter":{"name":"ben"}})");
  REQUIRE(eventually([&] { return running.slots->claims(kNow).size() == 1; }));
  running.slots->set_elsewhere(std::numeric_limits<Millis>::max() / 2);  // others that came after ben
  auto [server, enter] = greet(*running.up);
  CHECK(running.slots->claims(kNow).size() == 1);
  let_in(server, "one", "dora");
  client.until("ready");
  CHECK(eventually([&] { return running.slots->claims(kNow).empty(); }));
}

TEST_CASE("hold: a player that has waited too long for a slot is told by its game's protocol that the server is full") {
  Held running(500);
  Lines client(Stream::to(running.address));
  client.say(R"({"enter":{"name":"ben"}})");
  turn_away(running, "ben");
  CHECK(have(client.all(), R"("code":"FULL")"));
  CHECK(running.ended(Reason::kServerDeclined));
  CHECK(running.empty());
  CHECK(running.waiting() == 0);
}

TEST_CASE("hold: a player whose server comes back full waits for a slot; if its team is full, it joins another") {
  Held running;
  Player anna(running);
  anna.lose();
  turn_away(running, "anna");
  anna.client.until("the server is full; waiting for a seat");
  {
    auto [server, enter] = greet(*running.up);
    CHECK(enter.find(R"("team":"RED")") != std::string::npos);
    server.say(R"({"refused":{"code":"TEAM_FULL","text":"red is full"}})");
    CHECK(server.all().empty());
  }
  auto [server, enter] = greet(*running.up);
  CHECK(enter.find("RED") == std::string::npos);
  let_in(server, "one", "cleo");
  const auto back = anna.client.until("back on the server");
  CHECK_FALSE(have(back, "refused"));
  CHECK(running.totals().brought_back == 1);
}

TEST_CASE("hold: a newcomer whose server is lost is connected again, and dropped after a few attempts") {
  Held running;
  Lines client(Stream::to(running.address));
  client.say(R"({"enter":{"name":"anna"}})");
  for (int i = 0; i < 3; ++i) greet(*running.up);  // and it is gone
  std::optional<Lines> server;
  SUBCASE("the next attempt succeeds") {
    server.emplace(greet(*running.up).first);
    let_in(*server, "one", "ben");
    CHECK(have(client.until("ready"), "ben"));
    CHECK(running.heard.line(": joined server " + running.at.text() + " after waiting "));
  }
  SUBCASE("the next attempt fails, too") {
    greet(*running.up);
    client.all();
    CHECK(running.empty());
    CHECK_FALSE(running.up->is_wanted(0));
  }
  CHECK(running.totals().held == 1);
  CHECK(running.totals().held_now() == 0);
  CHECK(running.totals().brought_back == 0);
}

TEST_CASE("hold: a client whose server is lost while it loads the world joins at the next one") {
  Held running;
  Lines client(Stream::to(running.address));
  client.say(R"({"want_world":{}})");
  std::optional<Lines> server(running.up->accept());
  server->say(R"({"you":{"player":1}})");
  server->until("want_world");
  server->say(R"({"player":{"id":2,"name":"ben"}})");
  SUBCASE("it has the world") {
    server->say(R"({"world":{"hash":"one","west":-50,"east":50,"south":-50,"north":50}})");
    client.until(R"("world")");
    server.reset();
    CHECK(have(client.until("player_gone"), R"("id":2)"));
    client.say(R"({"enter":{"name":"anna"}})");
    server.emplace(greet(*running.up).first);
    let_in(*server, "one", "cleo");
    const auto back = client.until("ready");
    CHECK(have(back, "cleo"));
    CHECK_FALSE(have(back, R"("world")"));
  }
  SUBCASE("it does not have the world yet") {
    client.until("ben");
    server.reset();
    client.until("player_gone");
    server.emplace(running.up->accept());
    server->say(R"({"you":{"player":1}})");
    server->until("want_world");
    server->say(R"({"world":{"hash":"two","west":-50,"east":50,"south":-50,"north":50}})");
    client.until("two");
    client.say(R"({"enter":{"name":"anna"}})");
    server->until("anna");
    let_in(*server, "two", "cleo");
    CHECK(have(client.until("ready"), "cleo"));
  }
  CHECK(eventually([&] { return running.totals().held_now() == 0; }));
  CHECK(running.totals().current_sessions() == 1);
}

TEST_CASE("hold: players leave a drained server, wait in the operator's words, and join when one takes them again") {
  Held running;
  relay::Texts texts;
  texts.server_away = "we move";
  texts.server_back = "there you are";
  running.server().set_texts(texts);
  Player anna(running);
  const std::string name = running.at.text();
  CHECK(running.server().leave_server("127.0.0.1:1", "drained") == 0);
  CHECK(running.server().drain_server(name, true) == 1);
  CHECK(running.server().leave_server(name, "drained") == 1);
  anna.client.until("we move");
  CHECK(running.tapped.noted(1, "server " + name + " is lost (the server is drained); the player waits for it\n"));
  CHECK(eventually([&] { return running.waiting() == 1; }));
  CHECK(running.server().leave_server(name, "drained") == 0);  // it is on no server
  CHECK(running.server().drain_server(name, false) == 1);
  auto [server, enter] = greet(*running.up);
  let_in(server, "two", "cleo");
  CHECK(have(anna.client.until("there you are"), "cleo"));
  CHECK(running.totals().by(Reason::kDrained) == 0);
}

TEST_CASE("hold: a player who waits, and is on the way to a server that is drained, goes to another one") {
  LateServer first(free_for_both()), second(free_for_both());
  relay::RouteOptions options = held(60'000, native::game(), true);
  options.servers.push_back(options.servers[0]);
  options.servers[0].host = first.address().ip_text(), options.servers[0].port = first.address().port();
  options.servers[1].host = second.address().ip_text(), options.servers[1].port = second.address().port();
  options.upstream.policy = relay::Policy::kFirst;
  struct Two final : Serving {
    explicit Two(relay::RouteOptions its) : Serving(1) { serve_all(std::move(its), no_limits()); }
  } running(std::move(options));
  Lines anna(Stream::to(running.address));
  anna.say(R"({"enter":{"name":"anna"}})");
  {
    Lines old = greet(first).first;
    let_in(old, "one", "ben");
    anna.until("ready");
  }
  anna.until("the server is away");
  Lines loading = greet(first).first;  // it is back, and has not let the player in yet
  CHECK(running.server().drain_server(first.address().text(), true) == 1);
  CHECK(running.server().leave_server(first.address().text(), "drained") == 1);
  Lines server = greet(second).first;
  loading.all();
  let_in(server, "two", "cleo");
  CHECK(have(anna.until("back on the server"), "cleo"));
  CHECK(running.totals().held == 1);
  CHECK(running.totals().by(Reason::kDrained) == 0);
}

TEST_CASE("after a drain, players of a bridge do not move to a server that is down") {
  const LateServer first(free_for_both());
  const net::Address one = first.address(), nobody = free_for_both();
  relay::RouteOptions options = held(0, native::game(), true);
  options.upstream.check_ms = 20;
  options.servers.push_back(options.servers[0]);
  options.servers[0].host = one.ip_text(), options.servers[0].port = one.port();
  options.servers[1].host = nobody.ip_text(), options.servers[1].port = nobody.port();
  struct Two final : Serving {
    explicit Two(relay::RouteOptions its) : Serving(1) { serve_all(std::move(its), no_limits()); }
  } running(std::move(options));
  CHECK(eventually([&] { return running.server().servers(0)[1].state == relay::Upstream::State::kDown; }));
  CHECK(running.server().after_drain(0, one.text()) == relay::ProxyServer::AfterDrain::kEnd);
}

TEST_CASE(
    "a player goes from a drained server to another one, also without hold_s; without another one, its session ends") {
  LateServer first(free_for_both()), second(free_for_both());
  const net::Address one = first.address(), two = second.address();
  relay::RouteOptions options = held(0, native::game(), true);
  options.servers.push_back(options.servers[0]);
  options.servers[0].host = one.ip_text(), options.servers[0].port = one.port();
  options.servers[1].host = two.ip_text(), options.servers[1].port = two.port();
  options.upstream.policy = relay::Policy::kFirst;
  struct Two final : Serving {
    explicit Two(relay::RouteOptions its) : Serving(1) { serve_all(std::move(its), no_limits()); }
  } running(std::move(options));
  Lines anna(Stream::to(running.address));
  anna.say(R"({"enter":{"name":"anna"}})");
  auto [old, enter] = greet(first);
  let_in(old, "one", "ben");
  CHECK(have(anna.until("ready"), "ben"));

  using After = relay::ProxyServer::AfterDrain;
  CHECK(running.server().after_drain(0, one.text()) == After::kMove);
  CHECK(running.server().drain_server(one.text(), true) == 1);
  CHECK(running.server().leave_server(one.text(), "drained") == 1);
  auto [server, again] = greet(second);
  CHECK(again.find("anna") != std::string::npos);
  let_in(server, "two", "cleo");
  CHECK(have(anna.until("back on the server"), "cleo"));
  CHECK(running.tapped.noted(1, "server " + one.text() + " is drained; the player goes to another one\n"));
  CHECK(running.totals().by(Reason::kDrained) == 0);

  SUBCASE("which is drained, too") {
    CHECK(running.server().after_drain(0, two.text()) == After::kEnd);
    CHECK(running.server().drain_server(two.text(), true) == 1);
    CHECK(running.server().leave_server(two.text(), "drained") == 1);
    CHECK(running.ended(Reason::kDrained));
  }
  SUBCASE("which ends: there is no hold_s any more") {
    server.stream().close();
    CHECK(running.ended(Reason::kServerLeft));
    CHECK_FALSE(have(anna.all(), "the server is away"));
  }
}

TEST_CASE("sessions on a drained server that cannot go elsewhere end; those of other servers go on") {
  FakeServer first(true), second(true);
  relay::RouteOptions options;
  options.game = &toy::game();
  options.listen = loopback();
  options.upstream.policy = relay::Policy::kLeast;
  options.servers = {{first.address().ip_text(), first.port(), 0}, {second.address().ip_text(), second.port(), 0}};
  struct Two final : Serving {
    explicit Two(relay::RouteOptions its) : Serving(1) { serve_all(std::move(its), no_limits()); }
  } running(std::move(options));
  const Stream one = Stream::to(running.address);
  one.send(kHello);
  CHECK(first.accept().read_text(4) == kHello);
  const Stream other = Stream::to(running.address);
  other.send(kHello);
  const Stream there = second.accept();
  CHECK(there.read_text(4) == kHello);
  running.server().drain_server(first.address().text(), true);
  CHECK(running.server().leave_server(first.address().text(), "drained") == 1);
  CHECK(running.ended(Reason::kDrained));
  there.send(kWelcome);
  CHECK(other.read_text(4) == kWelcome);
  CHECK(eventually([&] { return running.totals().current_sessions() == 1; }));
}

TEST_CASE("a player who cannot join is told in the operator's words, and may try again") {
  FakeServer gone(true);
  Running running(bzflag::game(), gone.address());
  relay::Texts texts;
  texts.server_down = "back at eight";
  texts.draining = "full house";
  running.server().set_texts(texts);
  gone.close();
  const Stream client = Stream::to(running.address);
  client.send("BZFLAG\r\n\r\n");
  CHECK(as_text(client.read_all()) == std::string("REFUSED:back at eight; try again later") + '\0');
  running.set_draining(true);
  CHECK(as_text(Stream::to(running.address).read_all()) == std::string("REFUSED:full house; try again later") + '\0');
}

TEST_CASE("the operator's words for a server that is down or drained say that the player may try again, once") {
  FakeServer gone(true);
  Running running(native::game(), gone.address());
  gone.close();
  const auto told = [&running](const std::string& text, bool drained) {
    relay::Texts texts;
    (drained ? texts.draining : texts.server_down) = text;
    running.server().set_texts(texts);
    running.set_draining(drained);
    const Stream client = Stream::to(running.address);
    return std::string(as_text(client.read_all()));
  };
  for (const bool drained : {false, true}) {
    CAPTURE(drained);
    for (const char* text : {"back at eight", "back at eight; try again later"}) {
      const std::string said = told(text, drained);
      CHECK(said.find("back at eight; try again later") != std::string::npos);
      CHECK(said.find("later; try again") == std::string::npos);
    }
    CHECK(told("", drained).find("; try again later") != std::string::npos);  // our own words
  }
}

TEST_CASE("without hold a player leaves with the server") {
  Held running(0);
  Player anna(running);
  anna.lose();
  CHECK_FALSE(have(anna.client.all(), "the server is away"));
  CHECK(running.ended(Reason::kServerLeft));
  CHECK(running.empty());
  CHECK(running.totals().held == 0);
}

}  // namespace
}  // namespace entente::testing::hold_test
