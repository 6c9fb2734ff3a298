// Routes that are added, changed and removed while a ProxyServer runs: newcomers get the new state, sessions continue
// as they began.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/ogar/ogar.h"
#include "proxy/relay/admission/bans.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/in_shared_room.h"
#include "tests/relay/late_server.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::change_test {
namespace {

using relay::EnetMode, relay::Reason, relay::RouteChanges, relay::RouteOptions;

RouteOptions towards(const wire::Game& game, const net::Address& server, const net::Address& listen = loopback()) {
  RouteOptions options;
  options.game = &game;
  options.listen_dialect = 0;
  options.listen = listen;
  options.servers[0] = {server.ip_text(), server.port(), 0};
  options.limits = no_limits();
  return options;
}

bool refuses(const net::Address& at) {
  const net::Fd fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(fd.get(), at.raw(), at.size()) != 0;
}

void goes_on(const Pair& pair, std::string_view text) {
  pair.client.send(frame(text));
  CHECK(pair.server.read(frame(text).size()) == frame(text));
}

TEST_CASE("a route is replaced: newcomers get its new server by the same listener, and sessions continue") {
  FakeServer first, second;
  Running running(toy::game(), first.address(), no_limits(), 2);
  relay::ProxyServer& server = running.server();
  const Pair before(running, first);
  const auto changed = server.change({.added = {{towards(toy::game(), second.address()), 0}}});
  REQUIRE(changed.ok());
  CHECK(changed->front().address == running.address);
  const std::size_t fresh = changed->front().route;
  const Pair after(running, second);
  goes_on(before, "before");
  goes_on(after, "after");
  CHECK(server.totals(0).current_sessions() == 1);
  CHECK(server.totals(fresh).current_sessions() == 1);
  CHECK_FALSE(server.is_over(0));
  CHECK(server.has_retired_sessions());
  before.client.finish();
  before.server.finish();
  CHECK(eventually([&] { return server.is_over(0); }));
  CHECK_FALSE(server.has_retired_sessions());
  CHECK_FALSE(server.is_over(fresh));
  CHECK(server.totals({0, fresh}).begun == 2);
}

TEST_CASE("a client who waits for a server to show its dialect goes by the new route when its route is replaced") {
  FakeServer silent(true), second;
  Running running(toy::game(), silent.address(), no_limits(), 2, std::nullopt);
  const Stream probe = silent.accept();
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK_FALSE(silent.called(100));
  const auto changed = running.server().change({.added = {{towards(toy::game(), second.address()), 0}}});
  REQUIRE(changed.ok());
  const Stream there = second.accept();
  CHECK(there.read_text(4) == kHello);
  const auto sessions = running.sessions();
  REQUIRE(sessions.size() == 1);
  CHECK(sessions[0].route == changed->front().route);
  CHECK_FALSE(silent.called(0));
}

TEST_CASE("players who wait for the server of a route that was replaced go there once it shows its dialect again") {
  const net::Address at = free_for_both();
  struct Held final : Serving {
    explicit Held(const net::Address& server) : Serving(1) {
      RouteOptions options = towards(toy::game(), server);
      options.servers[0].dialect = std::nullopt;
      options.upstream.hold_ms = 60'000;
      serve_all(std::move(options), no_limits());
    }
  } running(at);
  {
    const LateServer server(at);
    server.accept().send("toy\x08");  // to the probe
    CHECK(eventually([&] { return running.server().servers(0)[0].state == relay::Upstream::State::kUp; }));
  }
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(eventually([&] { return running.server().waiting(0) == 1; }));
  const FakeServer other;
  REQUIRE(running.server().change({.added = {{towards(toy::game(), other.address()), 0}}}).ok());
  const LateServer server(at);
  server.accept().send("toy\x08");
  CHECK(server.accept().read_text(4) == kHello);
}

TEST_CASE("a client who waits for a server to show its dialect when the program stops reads a goodbye, and no error") {
  FakeServer silent(true);
  Limits limits = no_limits();
  limits.sessions = 1;
  Running running(toy::game(), silent.address(), limits, 1, std::nullopt);
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);  // there is no place: the first one waits
  running.stop();
  int error = 0;
  socklen_t size = sizeof error;
  CHECK(::getsockopt(client.fd(), SOL_SOCKET, SO_ERROR, &error, &size) == 0);
  CHECK(error == 0);
  CHECK(as_text(client.read_all()) == kGoodbye);
}

TEST_CASE("lines that a retired route holds back are logged when it ends") {
  FakeServer fake;
  Running running(toy::game(), fake.address());
  {
    const Pair first(running, fake), second(running, fake), third(running, fake);
    REQUIRE(running.server().change({.retired = {0}}).ok());
    for (const Pair* pair : {&first, &second, &third}) {
      pair->client.finish();
      CHECK(pair->server.read_all().empty());  // it has heard that the client left
      pair->server.finish();
    }
    CHECK(eventually([&] { return running.server().is_over(0); }));
  }
  CHECK(eventually([&] { return running.heard.told(relay::text(Reason::kClientLeft)) == 3; }));
}

TEST_CASE("newcomers of a route that has replaced another one are judged by its access lists and limits") {
  FakeServer first, second;
  Running running(toy::game(), first.address());
  const Pair before(running, first);
  RouteOptions closed = towards(toy::game(), second.address());
  closed.access.emplace_back().deny.push_back(*net::Network::parse("127.0.0.0/8"));
  REQUIRE(running.server().change({.added = {{closed, 0}}}).ok());
  CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);
  CHECK(eventually([&] { return running.server().totals(1).by(Reason::kNotAllowed) == 1; }));
  RouteOptions narrow = towards(toy::game(), second.address());
  narrow.limits.sessions = 1;  // the session of before counts: they share the listener
  REQUIRE(running.server().change({.added = {{narrow, 1}}}).ok());
  CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);
  CHECK(eventually([&] { return running.server().totals(2).by(Reason::kTooMany) == 1; }));
  REQUIRE(running.server().change({.added = {{towards(toy::game(), second.address()), 2}}}).ok());
  const Pair after(running, second);
  goes_on(before, "before");
  goes_on(after, "after");
}

TEST_CASE("newcomers of a route that has replaced another one are kept out by bans of its servers, not of the others") {
  FakeServer first, second;
  relay::Bans bans(600);
  struct Banned final : Serving {
    Banned(const net::Address& server, relay::Bans& its) : Serving(1) {
      RouteOptions options = towards(toy::game(), server);
      options.bans = &its;
      serve_all(std::move(options), no_limits());
    }
  } running(first.address(), bans);
  (void)bans.learn(loopback(), "", steady_seconds(), first.address().text());
  CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kBanned));
  RouteOptions other = towards(toy::game(), second.address());
  other.bans = &bans;
  REQUIRE(running.server().change({.added = {{other, 0}}}).ok());
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(second.accept().read_text(4) == kHello);
  (void)bans.learn(loopback(), "", steady_seconds(), second.address().text());
  CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);
  CHECK(eventually([&] { return running.server().totals(1).by(Reason::kBanned) == 1; }));
}

TEST_CASE("datagrams of a session still arrive after its route was replaced, and after it was retired") {
  FakeServer first(true), second(true);
  Running running(toy::game(), first.address(), no_limits(), 2);
  const Datagrams server_side = first.take_datagrams();
  const net::Address from = free_for_both();
  const Pair pair(running, first, &from);
  const Datagrams client_side(from);
  const auto meet = [&] {
    client_side.send(running.address, frame("ping"));
    const auto got = server_side.receive();
    CHECK(got.bytes == frame("ping"));
    server_side.send(got.from, frame("pong"));
    CHECK(client_side.receive().bytes == frame("pong"));
  };
  meet();
  REQUIRE(running.server().change({.added = {{towards(toy::game(), second.address()), 0}}}).ok());
  meet();
  REQUIRE(running.server().change({.retired = {1}}).ok());
  meet();
  CHECK(refuses(running.address));
}

TEST_CASE("a retired route refuses newcomers; its address can be used again, while it has sessions and afterwards") {
  FakeServer fake;
  Running running(toy::game(), fake.address(), no_limits(), 2);
  relay::ProxyServer& server = running.server();
  const Pair before(running, fake);
  REQUIRE(server.change({.retired = {0}}).ok());
  CHECK(refuses(running.address));
  goes_on(before, "still here");
  for (int i = 0; i < 2; ++i) {
    const auto again = server.add(towards(toy::game(), fake.address(), running.address));
    REQUIRE_MESSAGE(again.ok(), again.error().text);
    {
      const Pair after(running, fake);
      goes_on(after, "again");
      goes_on(before, "still here");
    }
    REQUIRE(server.change({.retired = {again->route}}).ok());
    CHECK(refuses(running.address));
  }
  before.client.finish();
  before.server.finish();
  CHECK(eventually([&] { return server.is_over(0); }));
  // The UDP socket closes with the last session.
  CHECK(eventually([&] { return net::listen(running.address, true).ok(); }));
  CHECK(server.add(towards(toy::game(), fake.address(), running.address)).ok());
  const Pair last(running, fake);
}

TEST_CASE("either all changes are made, or none") {
  FakeServer first, second;
  Running running(toy::game(), first.address());
  relay::ProxyServer& server = running.server();
  const net::Address free = free_for_both();
  const FakeServer taken(true);
  const auto changed = server.change({.added = {{towards(toy::game(), second.address()), 0},
                                                {towards(toy::game(), second.address(), free)},
                                                {towards(toy::game(), second.address(), taken.address())}},
                                      .retired = {}});
  CHECK_FALSE(changed.ok());
  const Pair pair(running, first);
  CHECK(eventually([&] { return refuses(free); }));
  CHECK(server.totals(0).begun == 1);
}

TEST_CASE("a listener keeps its game") {
  FakeServer fake;
  Running running(toy::game(), fake.address());
  const auto changed = running.server().change({.added = {{towards(toy::stream(), fake.address()), 0}}});
  REQUIRE_FALSE(changed.ok());
  CHECK(changed.error().text.find("keeps its game") != std::string::npos);
}

TEST_CASE("routes on one listener are added, changed and removed, each by its path") {
  FakeServer first, second, third;
  PathRoutes routes;
  relay::ProxyServer& server = routes.server;
  const std::size_t one = routes.add("/first", first), other = routes.add("/second", second);
  std::thread thread([&] { server.run(); });
  const auto meets = [&](const char* path, const FakeServer& fake) {
    WebClient client(routes.options.listen, path);
    WebServer peer(fake);
    peer.upgrade();
    client.upgrade();
  };
  const auto misses = [&](const char* path) {
    WebClient client(routes.options.listen, path);
    CHECK(client.answer().status == 404);
  };
  const auto made = [&](const char* path, const FakeServer& fake) {
    RouteOptions options = routes.options;
    options.web.path = path;
    options.servers[0].port = fake.port();
    return options;
  };
  WebClient stays(routes.options.listen, "/first");
  WebServer peer(first);
  peer.upgrade();
  stays.upgrade();
  // The first route changes, the second is removed, and two are added.
  const auto changed = server.change(
      {.added = {{made("/first", third), one}, {made("/third", third)}, {made("/fourth", first)}}, .retired = {other}});
  REQUIRE_MESSAGE(changed.ok(), changed.error().text);
  meets("/first", third);
  meets("/third", third);
  meets("/fourth", first);
  misses("/second");
  stays.send("fe06000000");
  CHECK(peer.next() == "b:fe06000000");
  server.stop();
  thread.join();
}

TEST_CASE("routes that are added together share their new listener") {
  FakeServer first, second;
  PathRoutes routes;
  relay::ProxyServer& server = routes.server;
  std::thread thread([&] { server.run(); });
  RouteChanges changes;
  for (const auto& [path, fake] : {std::pair("/a", &first), std::pair("/b", &second)}) {
    changes.added.push_back({routes.options});
    changes.added.back().options.listen = free_for_both();
    changes.added.back().options.listen = changes.added.front().options.listen;
    changes.added.back().options.web.path = path;
    changes.added.back().options.servers[0].port = fake->port();
  }
  const auto changed = server.change(changes);
  REQUIRE_MESSAGE(changed.ok(), changed.error().text);
  for (const auto& [path, fake] : {std::pair("/a", &first), std::pair("/b", &second)}) {
    WebClient client((*changed)[0].address, path);
    WebServer peer(*fake);
    peer.upgrade();
    client.upgrade();
  }
  server.stop();
  thread.join();
}

TEST_CASE("a removed route into a shared room is not over while a client that asked for its path is there") {
  for (const std::size_t asked : {0U, 1U}) {
    CAPTURE(asked);
    Heard heard;
    relay::ProxyServer server(1, heard);
    relay::SharedRoomOptions room;
    room.name = "a test";
    room.game = &toy::stream();
    room.back = [] { return std::make_unique<Herald>(); };
    RouteOptions options;
    options.game = &toy::messages();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.limits = no_limits();
    options.bridge.emplace();
    options.bridge->server_game = &toy::messages();
    options.bridge->front = [](std::size_t) { return toy::make_front(toy::messages()); };
    options.bridge->shared_room = server.add_shared_room(room);
    std::vector<std::size_t> routes;
    for (const char* path : {"/a", "/b"}) {
      options.web.path = path;
      const auto added = server.add(options);
      REQUIRE_MESSAGE(added.ok(), (added.ok() ? "" : added.error().text));
      options.listen = added->address;
      routes.push_back(added->route);
    }
    std::thread thread([&] { server.run(); });
    WebClient client(options.listen, asked == 0 ? "/a" : "/b");
    client.upgrade();
    REQUIRE(eventually([&] { return server.totals(routes[asked]).current_sessions() == 1; }));
    REQUIRE(server.change({.retired = {routes[asked]}}).ok());
    CHECK_FALSE(server.is_over(routes[asked]));
    CHECK(server.has_retired_sessions());
    client.stream().close();
    CHECK(eventually([&] { return server.is_over(routes[asked]); }));
    server.stop();
    thread.join();
  }
}

TEST_CASE("over ENet a route is replaced, and a session continues, in both modes") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    scene.join(3);
    End other(scene.loop), late(scene.loop);
    const net::EnetOptions host{8, scene.settings.channels, scene.settings.range_coder, 8U << 20U};
    const auto second = other.host.listen(loopback(), host);
    REQUIRE(second.ok());
    RouteOptions options = towards(aos::game(), *second);
    options.enet = mode;
    REQUIRE(scene.running.server().change({.added = {{options, 0}}}).ok());
    REQUIRE(late.host.open(host).ok());
    late.host.connect(scene.running.address, 1, 3);
    scene.until([&] { return late.ups > 0 && other.peer != nullptr; });
    scene.client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
    scene.until([&] { return scene.server.heard("0/1 0901000002000000"); });
    CHECK_FALSE(scene.running.server().is_over(0));
    scene.client.host.disconnect(*scene.client.peer, 0);
    scene.until([&] { return scene.running.server().is_over(0); });
    CHECK(scene.running.server().totals(1).current_sessions() == 1);
    // The route is removed: its sessions stay, and newcomers are told that the server goes down.
    REQUIRE(scene.running.server().change({.retired = {1}}).ok());
    End last(scene.loop);
    REQUIRE(last.host.open(host).ok());
    last.host.connect(scene.running.address, 1, 3);
    scene.until([&] { return last.heard("down 5"); });
    other.say(0, "1200001800", EnetDelivery::kReliable);
    scene.until([&] { return late.heard("0/1 1200001800"); });
    for (End* end : {&late, &last, &other}) end->host.close();
  }
}

TEST_CASE("over ENet, too, the address of a retired route can be used again while it has a session") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    scene.join(3);
    relay::ProxyServer& server = scene.running.server();
    REQUIRE(server.change({.retired = {0}}).ok());
    RouteOptions options = towards(aos::game(), scene.address, scene.running.address);
    options.enet = mode;
    const auto again = server.add(options);
    REQUIRE_MESSAGE(again.ok(), (again.ok() ? "" : again.error().text));
    CHECK(again->address == scene.running.address);
    End late(scene.loop);
    REQUIRE(late.host.open({8, scene.settings.channels, scene.settings.range_coder, 8U << 20U}).ok());
    late.host.connect(scene.running.address, 1, 3);
    scene.until([&] { return late.ups > 0 && server.totals(again->route).current_sessions() == 1; });
    CHECK_FALSE(server.is_over(0));
    scene.client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
    scene.until([&] { return scene.server.heard("0/1 0901000002000000"); });
    late.host.close();
  }
}

TEST_CASE("a shared room opens while the server runs, takes over a listener, and ends after its last player") {
  InSharedRoom in;
  relay::ProxyServer& server = in.server();
  Stream before = Stream::to(in.at[0]);
  before.send(kHello);
  CHECK(before.read_text(4) == kWelcome);
  relay::SharedRoomOptions options;
  options.name = "another";
  options.game = &toy::stream();
  options.back = [] { return std::make_unique<Herald>(); };
  const std::size_t room = server.add_shared_room(options, 0);
  RouteOptions route = towards(toy::stream(), in.at[0]);
  route.servers = {{.host = "another"}};
  relay::BridgeOptions bridge;
  bridge.server_game = &toy::stream();
  bridge.front = [](std::size_t) { return toy::make_front(toy::stream()); };
  bridge.shared_room = room;
  route.bridge = bridge;
  const auto changed = server.change({.added = {{route, 0}}});
  REQUIRE_MESSAGE(changed.ok(), changed.error().text);
  Stream after = Stream::to(in.at[0]);
  after.send(kHello);
  CHECK(after.read_text(4) == kWelcome);
  after.send(said("in the other"));
  CHECK(after.read_text(said("in the other").size()) == said("in the other"));
  before.send(said("in the first"));
  CHECK(before.read_text(said("in the first").size()) == said("in the first"));
  server.retire_shared_room(room);
  REQUIRE(server.change({.retired = {changed->front().route}}).ok());
  after.send(said("still"));
  CHECK(after.read_text(said("still").size()) == said("still"));
  after.finish();
  CHECK(eventually([&] { return server.is_over(changed->front().route); }));
  in.stop();
}

TEST_CASE("a shared room that is already gone can be retired again") {
  InSharedRoom in;
  relay::ProxyServer& server = in.server();
  REQUIRE(server.change({.retired = {0, 1, 2, 3}}).ok());
  server.retire_shared_room(0);
  int orders = 0;
  const auto is_gone = [&] {
    const int before = orders;
    server.order(0, [&](core::Back&) { ++orders; });
    server.retire_shared_room(0);  // returns after the order
    return orders == before;
  };
  CHECK(eventually(is_gone));
  in.stop();
}

TEST_CASE("a client that has not sent its path yet keeps its route, and gets no route of another kind") {
  FakeServer fake, other;
  PathRoutes routes;
  const std::size_t relay = routes.add("/play", fake);
  std::thread thread([&] { routes.server.run(); });
  const Stream silent = Stream::to(routes.options.listen);
  REQUIRE(eventually([&] { return routes.server.totals(relay).http_connections == 1; }));
  RouteOptions bridge = routes.options;
  bridge.servers[0] = {"127.0.0.1", other.port(), 0};
  bridge.bridge.emplace();
  bridge.bridge->server_game = &ogar::game();
  bridge.bridge->front = [](std::size_t) { return toy::make_front(toy::messages()); };
  bridge.bridge->back = [](std::size_t) { return toy::make_back(toy::messages()); };
  REQUIRE(routes.server.change({.added = {{bridge, relay}}}).ok());
  CHECK_FALSE(routes.server.is_over(relay));
  silent.send(
      "GET /play HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  WebServer server(fake);
  server.upgrade();
  CHECK(silent.read_text(12) == "HTTP/1.1 101");
  routes.server.stop();
  thread.join();
}

TEST_CASE("clients of a listener that have not greeted yet keep their shared room") {
  InSharedRoom in;
  relay::ProxyServer& server = in.server();
  const Stream silent = Stream::to(in.at[1]);
  REQUIRE(eventually([&] { return server.totals(1).http_connections == 1; }));
  REQUIRE(server.change({.retired = {0, 1, 2, 3}}).ok());
  server.retire_shared_room(0);
  CHECK(eventually([&] { return server.is_over(0) && server.is_over(2); }));
  CHECK_FALSE(server.is_over(1));
  silent.send("nonsense\r\n\r\n");
  CHECK(silent.read_some().size() > 0);
  silent.finish();
  CHECK(eventually([&] { return server.is_over(1); }));
}

TEST_CASE("what is known of a server is kept when its route is replaced") {
  FakeServer fake;
  Running running(toy::game(), fake.address());
  CHECK(running.server().drain_server(fake.address().text(), true) == 1);
  running.set_draining(true);
  const auto changed = running.server().change({.added = {{towards(toy::game(), fake.address()), 0}}});
  REQUIRE(changed.ok());
  CHECK(running.server().servers(changed->front().route).front().drained);
  CHECK(running.server().is_draining(changed->front().route));
}

TEST_CASE("a server that is drained is drained on routes that were removed, and on those that are added") {
  FakeServer fake;
  Running running(toy::game(), fake.address());
  relay::ProxyServer& server = running.server();
  const std::string name = fake.address().text();
  const Pair before(running, fake);
  const auto other = server.add(towards(toy::stream(), fake.address()));
  REQUIRE(other.ok());
  REQUIRE(server.change({.retired = {0}}).ok());
  CHECK(server.drain_server(name, true) == 1);  // of the routes that are there
  const auto added = server.add(towards(toy::stream(), fake.address()));
  REQUIRE(added.ok());
  const auto drained = [&](bool on) {
    for (const std::size_t route : {std::size_t{0}, other->route, added->route})
      CHECK(server.servers(route).front().drained == on);
  };
  drained(true);
  CHECK(server.drain_server(name, false) == 2);
  drained(false);
}

TEST_CASE("sessions of a replaced route count for their server") {
  FakeServer first, second;
  Running running(toy::game(), first.address());
  const Pair before(running, first);
  auto fresh = towards(toy::game(), first.address());
  fresh.servers.push_back({second.address().ip_text(), second.port(), 0});
  fresh.upstream.policy = relay::Policy::kLeast;
  const auto changed = running.server().change({.added = {{fresh, 0}}});
  REQUIRE(changed.ok());
  const std::size_t route = changed->front().route;
  CHECK(running.server().servers(route)[0].sessions == 1);
  const Pair after(running, second);
  before.client.finish();
  before.server.finish();
  CHECK(eventually([&] { return running.server().servers(route)[0].sessions == 0; }));
  CHECK(running.server().servers(route)[1].sessions == 1);
}

TEST_CASE("a client who waits for a server to show its dialect waits for that of the route that replaces its own") {
  const FakeServer silent(true), second(true);
  Running running(toy::game(), silent.address(), no_limits(), 2, std::nullopt);
  const Stream probe = silent.accept();
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  RouteOptions options = towards(toy::game(), second.address());
  options.servers[0].dialect = std::nullopt;
  REQUIRE(running.server().change({.added = {{options, 0}}}).ok());
  second.accept().send("toy\x08");  // to the probe
  CHECK(second.accept().read_text(4) == kHello);
}

TEST_CASE("a route that replaces one that drains drains, too, and its listener takes newcomers once neither does") {
  const FakeServer fake(true);
  Running running(toy::game(), fake.address());
  relay::ProxyServer& server = running.server();
  server.set_draining(0, true);
  const auto changed = server.change({.added = {{towards(toy::game(), fake.address()), 0}}});
  REQUIRE(changed.ok());
  const std::size_t fresh = changed->front().route;
  CHECK(server.is_draining(fresh));
  CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);
  CHECK(eventually([&] { return server.totals(fresh).by(Reason::kDraining) == 1; }));
  server.set_draining(fresh, false);
  const Pair after(running, fake);
  goes_on(after, "after");
}

TEST_CASE("if one of several new routes cannot listen, the ports of the others are free again for TCP and UDP") {
  const FakeServer fake(true);
  Running running(toy::game(), fake.address());
  const net::Address busy = free_for_both(), at = free_for_both();
  const Datagrams other(busy);
  const RouteOptions fails = towards(aos::game(), fake.address(), busy);
  REQUIRE_FALSE(running.server().change({.added = {{fails}, {towards(toy::game(), fake.address(), at)}}}).ok());
  CHECK(eventually([&] { return net::listen(at, true).ok(); }));
}

}  // namespace
}  // namespace entente::testing::change_test
