// What an operator asks of a ProxyServer and orders it to do: each answer is about what was asked, and each order
// reaches those whom it means, and nobody else.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/relay/bridging.h"
#include "tests/relay/in_shared_room.h"
#include "tests/relay/toy.h"

namespace entente::testing::operator_test {
namespace {

using relay::AnnounceResult, relay::ProxyServer, relay::Reason;
using State = relay::Upstream::State;

relay::RouteOptions towards(const std::vector<net::Address>& servers, const wire::Game& game = toy::game()) {
  relay::RouteOptions options;
  options.game = &game;
  options.listen = loopback();
  options.servers.clear();
  for (const net::Address& server : servers) options.servers.push_back({server.ip_text(), server.port(), 0});
  options.limits = no_limits();
  return options;
}

std::size_t added(ProxyServer& server, const relay::RouteOptions& options) {
  const auto listening = server.add(options);
  REQUIRE_MESSAGE(listening.ok(), (listening.ok() ? "" : listening.error().text));
  return listening->route;
}

/// A room without players, and where Placed was asked for it.
relay::SharedRoomOptions a_room(relay::Tap* tap = nullptr) {
  relay::SharedRoomOptions room;
  room.name = "a room";
  room.game = &toy::stream();
  room.back = [] { return std::make_unique<Herald>(); };
  room.tap = tap;
  return room;
}

relay::RouteOptions into(std::size_t room) {
  relay::RouteOptions options = towards({loopback()}, toy::stream());
  options.servers[0].host = "a room";
  options.bridge = toy_bridge(toy::stream(), toy::stream());
  options.bridge->shared_room = room;
  return options;
}

/// Routes that do not serve yet.
struct Resting {
  explicit Resting(std::size_t workers = 1) : server(workers, heard) {}
  Heard heard;
  ProxyServer server;
};

TEST_CASE("operator: the servers of a route are listed in their order, with what is known of each") {
  Resting its;
  relay::RouteOptions options = towards({*net::Address::parse("192.0.2.1:5"), *net::Address::parse("192.0.2.2:6")});
  options.servers[1].weight = 3;
  options.servers[1].dialect = 0;
  const std::size_t route = added(its.server, options);
  CHECK(its.server.drain_server("192.0.2.2:6", true) == 1);
  const auto all = its.server.servers(route);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "192.0.2.1:5");
  CHECK(all[1].name == "192.0.2.2:6");
  CHECK(all[0].state == State::kUnknown);
  CHECK_FALSE(all[0].drained);
  CHECK(all[1].drained);
  CHECK(all[0].weight == 1);
  CHECK(all[1].weight == 3);
  CHECK(all[1].dialect == "big");
  CHECK_FALSE(all[0].full);
  CHECK_FALSE(all[0].since);
  CHECK(all[0].sessions + all[0].opened == 0);
  CHECK(all[0].why.empty());
  const std::size_t room = its.server.add_shared_room(a_room());
  CHECK(its.server.servers(added(its.server, into(room))).empty());
}

TEST_CASE("operator: a server is always on if it is checked, and no command starts it") {
  Resting its;
  const auto always_on = [&](Millis check_ms, const char* start) {
    relay::RouteOptions options = towards({*net::Address::parse("192.0.2.1:5")});
    options.upstream.check_ms = check_ms;
    options.upstream.launch.start = start;
    options.upstream.hold_ms = 1'000;
    return its.server.servers(added(its.server, options))[0].always_on;
  };
  CHECK(always_on(1'000, ""));
  CHECK_FALSE(always_on(0, ""));
  CHECK_FALSE(always_on(1'000, "true"));
}

TEST_CASE("operator: a server is drained on each route that has it, and a room of the same name is none") {
  Resting its;
  const net::Address one = *net::Address::parse("192.0.2.1:5"), other = *net::Address::parse("192.0.2.2:6");
  const std::size_t first = added(its.server, towards({one})), both = added(its.server, towards({other, one}));
  added(its.server, into(its.server.add_shared_room(a_room())));
  CHECK(its.server.drain_server("192.0.2.9:9", true) == 0);
  CHECK(its.server.drain_server("a room", true) == 0);
  CHECK(its.server.drain_server("192.0.2.1:5", true) == 2);
  CHECK(its.server.servers(first)[0].drained);
  CHECK(its.server.servers(both)[1].drained);
  CHECK_FALSE(its.server.servers(both)[0].drained);
  CHECK(its.server.drain_server("192.0.2.1:5", false) == 2);
  CHECK_FALSE(its.server.servers(first)[0].drained);
  REQUIRE(its.server.change({.retired = {first}}).ok());
  CHECK(its.server.drain_server("192.0.2.1:5", true) == 1);  // the retired one is not told of
  CHECK(its.server.servers(first)[0].drained);
}

TEST_CASE("operator: after a drain players move, wait or leave, as the other servers and the route allow") {
  using After = ProxyServer::AfterDrain;
  Resting its;
  const net::Address one = *net::Address::parse("192.0.2.1:5"), other = *net::Address::parse("192.0.2.2:6");
  const auto bridge = [&](const std::vector<net::Address>& servers, Millis hold_ms) {
    relay::RouteOptions options = towards(servers, toy::stream());
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.upstream.hold_ms = hold_ms;
    return added(its.server, options);
  };
  const std::size_t two = bridge({one, other}, 0), alone = bridge({one}, 0), holds = bridge({one}, 5'000);
  CHECK(its.server.after_drain(two, "192.0.2.1:5") == After::kMove);
  CHECK(its.server.after_drain(alone, "192.0.2.1:5") == After::kEnd);
  CHECK(its.server.after_drain(holds, "192.0.2.1:5") == After::kWait);
  CHECK(its.server.after_drain(added(its.server, towards({one, other})), "192.0.2.1:5") == After::kEnd);
  its.server.drain_server("192.0.2.2:6", true);
  CHECK(its.server.after_drain(two, "192.0.2.1:5") == After::kEnd);
}

TEST_CASE("operator: a route's limit of sessions is the newest, and its port is the one that players use") {
  Resting its;
  relay::RouteOptions options = towards({*net::Address::parse("192.0.2.1:5")});
  options.limits.sessions = 7;
  const auto first = its.server.add(options);
  REQUIRE(first.ok());
  options.public_port = 4'711;
  const std::size_t second = added(its.server, options);
  CHECK(its.server.most_sessions(first->route) == 7);
  its.server.set_rules(first->route, [&] {
    relay::NewcomerRules rules;
    rules.limits = no_limits();
    rules.limits.sessions = 9;
    return rules;
  }());
  CHECK(its.server.most_sessions(first->route) == 9);
  CHECK(its.server.most_sessions(second) == 7);
  CHECK(its.server.port_for_players(first->route) == first->address.port());
  CHECK(its.server.port_for_players(second) == 4'711);
  CHECK_FALSE(its.server.certificate_expires(second));
  CHECK_FALSE(its.server.authorities_expire(second));
}

TEST_CASE("operator: the lab of a route is the one that it was described with, until another one or none is set") {
  Resting its;
  relay::RouteOptions options = towards({*net::Address::parse("192.0.2.1:5")});
  const auto own = std::make_shared<const relay::LabPlan>(), other = std::make_shared<const relay::LabPlan>();
  options.lab = own;
  const std::size_t first = added(its.server, options), second = added(its.server, options);
  CHECK(its.server.lab(first) == own);
  its.server.set_lab(first, other);
  CHECK(its.server.lab(first) == other);
  CHECK(its.server.lab(second) == own);
  its.server.set_lab(first, nullptr);
  CHECK(its.server.lab(first) == nullptr);
  CHECK(its.server.lab(second) == own);
}

/// Keeps the worker whose sink was asked for last.
struct Placed final : relay::Tap {
  struct Sink final : relay::TapSink {
    void opened(const relay::LinkInfo&, WallTime) override {}
    void bytes(relay::LinkId, wire::Way, wire::Lane, Bytes, WallTime) override {}
    void closed(relay::LinkId, std::string_view, WallTime) override {}
  };
  relay::TapSink& sink(std::size_t worker) override {
    last = worker;
    return sinks.at(worker);
  }
  std::array<Sink, 3> sinks;
  std::size_t last = 99;
};

TEST_CASE(
    "operator: rooms, listeners over ENet and routes of bots are spread over the workers; what is retired is free") {
  Placed placed;
  Resting its(3);
  const auto home_of_next_room = [&] {
    const std::size_t number = its.server.add_shared_room(a_room(&placed));
    return std::pair(number, placed.last);
  };
  CHECK(home_of_next_room().second == 0);
  relay::RouteOptions bots = towards({*net::Address::parse("192.0.2.1:5")}, toy::stream());
  bots.bridge = toy_bridge(toy::stream(), toy::stream());
  bots.bridge->bots = 2;
  const std::size_t of_bots = added(its.server, bots);  // at worker 1
  const auto third = home_of_next_room();
  CHECK(third.second == 2);
  CHECK(home_of_next_room().second == 0);  // all have one: the first of them
  CHECK(home_of_next_room().second == 1);
  const auto last = home_of_next_room();
  CHECK(last.second == 2);
  its.server.retire_shared_room(third.first);
  CHECK(home_of_next_room().second == 2);
  REQUIRE(its.server.change({.retired = {of_bots}}).ok());
  CHECK(home_of_next_room().second == 1);
  const std::size_t beside = added(its.server, into(last.first));
  (void)its.server.add_shared_room(a_room(&placed), beside);
  CHECK(placed.last == 2);  // the worker of that listener
}

TEST_CASE("operator: an order to a session that is not there reaches nobody, and says so") {
  FakeServer fake;
  Running running(toy::game(), fake.address(), no_limits(), 2);
  const Pair pair(running, fake);
  REQUIRE(running.sessions().size() == 1);
  ProxyServer& server = running.server();
  const relay::LinkId none = running.sessions()[0].info.link + 1;
  CHECK_FALSE(server.kick(none, "out"));
  CHECK_FALSE(server.ban(none, "out"));
  CHECK_FALSE(server.refer(none, "elsewhere"));
  CHECK(server.announce_to(none, "hello") == AnnounceResult::kNotIn);
  CHECK(server.begin_move(none, 0) == nullptr);
  CHECK(server.move(none, 0, 0).how == relay::MoveResult::How::kNobody);
  CHECK(server.leave_server("192.0.2.9:9", "away") == 0);
  CHECK(server.sessions().size() == 1);
  CHECK(running.totals().current_sessions() == 1);
}

TEST_CASE("operator: each way to send a player away ends this session alone, for its own reason") {
  struct Row {
    Reason why;
    std::function<bool(ProxyServer&, relay::LinkId)> send;
  };
  const Row rows[] = {
      {Reason::kKicked, [](auto& server, auto link) { return server.kick(link, "out"); }},
      {Reason::kBannedNow, [](auto& server, auto link) { return server.ban(link, "out"); }},
      {Reason::kReferred, [](auto& server, auto link) { return server.refer(link, "elsewhere"); }},
  };
  for (const Row& row : rows) {
    CAPTURE(relay::text(row.why));
    FakeServer fake;
    Running running(toy::game(), fake.address(), no_limits(), 2);
    const Pair first(running, fake);
    Pair second(running, fake);
    const Pair third(running, fake);
    const auto all = running.sessions();
    REQUIRE(all.size() == 3);
    CHECK(all[0].info.link < all[1].info.link);
    CHECK(all[1].info.link < all[2].info.link);
    CHECK(all[1].info.client == second.client.here());
    CHECK(row.send(running.server(), all[1].info.link));
    CHECK(running.ended(row.why));
    CHECK(as_text(second.client.read_all()).ends_with(kGoodbye));
    CHECK_FALSE(row.send(running.server(), all[1].info.link));  // it has ended already
    second.client.close();
    second.server.close();
    CHECK(eventually([&] { return running.totals().current_sessions() == 2; }));
    CHECK(running.totals().by(row.why) == 1);
  }
}

TEST_CASE("operator: the sessions of one route end, and those of others go on; the totals of both are added") {
  FakeServer fake;
  Running running(toy::game(), fake.address());
  ProxyServer& server = running.server();
  const auto other = server.add(towards({fake.address()}));
  REQUIRE(other.ok());
  const Pair pair(running, fake);
  Stream client = Stream::to(other->address);
  client.send(kHello);
  const Stream there = fake.accept();
  CHECK(there.read_text(4) == kHello);
  there.send(kWelcome);
  CHECK(client.read_text(4) == kWelcome);
  CHECK(server.totals({0, other->route}).current_sessions() == 2);
  CHECK(server.totals(0).current_sessions() == 1);
  CHECK_FALSE(server.is_empty());
  CHECK(server.end_sessions(other->route, "closing time") == 1);
  CHECK(as_text(client.read_all()).ends_with(kGoodbye));
  CHECK(eventually([&] { return server.totals(other->route).by(Reason::kDrained) == 1; }));
  CHECK(server.totals(0).by(Reason::kDrained) == 0);
  pair.client.send(frame("x"));
  CHECK(pair.server.read(3) == frame("x"));
  CHECK(server.end_sessions(other->route, "again") == 0);
  CHECK(server.totals({0, other->route}).by(Reason::kDrained) == 1);
}

TEST_CASE("operator: turns of the loop are timed on each worker") {
  FakeServer fake;
  Running running(toy::game(), fake.address(), no_limits(), 2);
  const Pair pair(running, fake);
  CHECK(eventually([&] {
    pair.client.send(frame("x"));
    CHECK(pair.server.read(3) == frame("x"));
    const auto times = running.server().turn_times();
    return std::any_of(times.in.begin(), times.in.end(), [](std::uint64_t one) { return one != 0; });
  }));
}

TEST_CASE("operator: a room that is over takes no order, and one that was retired without a route is gone") {
  Heard heard;
  ProxyServer server(1, heard);
  std::thread thread([&] { server.run(); });
  server.wait_for_workers();
  const std::size_t room = server.add_shared_room(a_room());
  std::atomic<int> ordered = 0;
  server.order(room, [&](core::Back&) { ++ordered; });
  server.wait_for_workers();
  CHECK(ordered == 1);
  server.retire_shared_room(room);
  CHECK(eventually([&] {
    const int before = ordered;
    server.order(room, [&](core::Back&) { ++ordered; });
    server.wait_for_workers();
    return ordered == before;
  }));
  CHECK(server.attendance(room).empty());
  server.stop();
  thread.join();
  CHECK(server.stopping());
}

}  // namespace
}  // namespace entente::testing::operator_test
