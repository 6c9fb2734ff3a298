// Routes that cannot be as they are described: each is refused with a sentence that says what to change, and nothing
// else changes.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/ogar/ogar.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/in_shared_room.h"

namespace entente::testing::objections_test {
namespace {

using relay::EnetMode, relay::RouteOptions;

RouteOptions towards(const wire::Game& game, const std::string& host = "127.0.0.1") {
  RouteOptions options;
  options.game = &game;
  options.listen = loopback();
  options.servers[0] = {host, 9, 0};
  options.limits = no_limits();
  return options;
}

std::string refused(relay::ProxyServer& server, const RouteOptions& options) {
  const auto added = server.add(options);
  return added.ok() ? "" : added.error().text;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

relay::BridgeOptions a_bridge(const wire::Game& game) { return toy_bridge(game, game); }

TEST_CASE("a route whose options contradict each other is refused, and the sentence names the place") {
  Heard heard;
  relay::ProxyServer server(1, heard);
  RouteOptions one = towards(toy::packets());
  one.place = "a.toml:3:10: ";
  one.enet = EnetMode::kDatagrams;
  one.bridge = a_bridge(toy::packets());
  CHECK(refused(server, one) ==
        "a.toml:3:10: a bridge must decode packets, so mode=datagrams is not possible; leave it out");
  one.bridge.reset();
  one.upstream.hold_ms = 1'000;
  CHECK(has(refused(server, one), "leave out hold_s"));

  RouteOptions other = towards(toy::stream());
  other.servers.push_back({"127.0.0.1", 9, 1});
  CHECK(has(refused(server, other), "the same dialect on both sides, not big and little"));

  CHECK(has(refused(server, towards(toy::packets(), "::1")), "'::1' has no IPv4 address"));
  RouteOptions far = towards(toy::stream(), "192.0.2.1");
  far.source = relay::SourceMode::kLoopback;
  CHECK(has(refused(server, far), "source=loopback is for a server on this machine"));
  CHECK(server.is_empty());
}

TEST_CASE("routes that share a listener must agree about who may come, and what becomes of them") {
  Heard heard;
  relay::Bans bans;
  relay::ProxyServer server(1, heard);
  RouteOptions first = towards(toy::messages());
  first.web.path = "/first";
  const auto added = server.add(first);
  REQUIRE(added.ok());
  RouteOptions second = first;
  second.listen = added->address;
  second.web.path = "/second";
  const auto with = [&](const std::function<void(RouteOptions&)>& change) {
    RouteOptions changed = second;
    change(changed);
    return refused(server, changed);
  };
  CHECK(has(with([](RouteOptions& its) { its.bridge = a_bridge(toy::messages()); }),
            "a relay and a bridge cannot share the listener " + added->address.text()));
  CHECK(has(with([](RouteOptions& its) { its.servers[0].dialect.reset(); }), "must name what their servers speak"));
  CHECK(has(with([](RouteOptions& its) { its.proxies.networks = {*net::Network::parse("10.0.0.0/8")}; }),
            "must have the same proxies in front"));
  CHECK(has(with([&](RouteOptions& its) { its.bans = &bans; }), "must let in the same addresses"));
  CHECK(with([](RouteOptions&) {}).empty());
}

/// A room without players.
std::size_t add_room(relay::ProxyServer& server, const wire::Game& game) {
  relay::SharedRoomOptions room;
  room.name = "a room";
  room.game = &game;
  room.back = [] { return std::make_unique<Herald>(); };
  return server.add_shared_room(room);
}

RouteOptions into(std::size_t room, const wire::Game& game) {
  RouteOptions options = towards(game, "a room");
  options.bridge = a_bridge(game);
  options.bridge->shared_room = room;
  return options;
}

TEST_CASE("a listener leads into one room; over ENet, only into a room of its own worker") {
  Heard heard;
  relay::ProxyServer server(2, heard);
  const std::size_t one = add_room(server, toy::messages()), other = add_room(server, toy::messages());
  RouteOptions first = into(one, toy::messages());
  first.web.path = "/first";
  const auto added = server.add(first);
  REQUIRE(added.ok());
  RouteOptions second = into(other, toy::messages());
  second.listen = added->address;
  second.web.path = "/second";
  CHECK(has(refused(server, second), "two shared rooms cannot share the listener"));

  const auto by_enet = server.add(into(one, toy::packets()));
  REQUIRE(by_enet.ok());
  const auto changed = server.change({.added = {{into(other, toy::packets()), by_enet->route}}});
  REQUIRE_FALSE(changed.ok());
  CHECK(has(changed.error().text, "cannot lead into another arena while it listens; restart"));
  CHECK(server.change({.added = {{into(one, toy::packets()), by_enet->route}}}).ok());
}

TEST_CASE("if the last of several new listeners does not open, the others close") {
  FakeServer fake;
  Running running(toy::game(), fake.address());
  relay::ProxyServer& server = running.server();
  const Datagrams taken(loopback());
  RouteOptions tcp = towards(toy::stream()), enet = towards(toy::packets());
  tcp.listen = free_for_both();
  enet.listen = taken.here();
  const auto changed = server.change({.added = {{tcp}, {enet}}});
  REQUIRE_FALSE(changed.ok());
  const auto listens = [](const net::Address& at) {
    const net::Fd fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(fd.get(), at.raw(), at.size()) == 0;
  };
  CHECK(eventually([&] { return !listens(tcp.listen); }));
  CHECK(server.is_over(1));
  CHECK(server.is_over(2));
  CHECK(server.add(tcp).ok());
  CHECK(listens(tcp.listen));
  const Pair pair(running, fake);  // the first route serves on
}

}  // namespace
}  // namespace entente::testing::objections_test
