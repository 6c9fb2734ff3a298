// The end of a bridge towards a server over ENet: what is kept while it is not read, and what its user is told, in
// which order.
#include "proxy/relay/ends/enet_end.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/enet_yard.h"
#include "tests/relay/route/one_route.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::enet_end_test {
namespace {

using relay::Drop;
using How = relay::End::Departure::How;

constexpr std::uint32_t kHighWater = 2'000;

/// Logs what its end tells it.
struct Session final : relay::End::User {
  void opened(relay::End&, const core::Peer&) override { log.push_back("opened"); }
  void on_frames(relay::End& end, const wire::Frames& frames) override {
    log.push_back(std::string(as_text(frames.bytes.subspan(2))));
    weights.push_back(end.weight());
    if (stops) end.set_reading(false);
  }
  void wrote(relay::End&) override {}
  void departed(relay::End&, const relay::End::Departure& its) override {
    log.push_back("departed");
    departure = its;
  }
  void over(relay::End&) override { log.push_back("over"); }
  relay::WorkerRoute* route_for(std::string_view) override { return nullptr; }

  bool has(std::string_view line) const { return std::find(log.begin(), log.end(), line) != log.end(); }

  std::vector<std::string> log;
  std::vector<std::size_t> weights;
  relay::End::Departure departure;
  bool stops = false;
};

using Log = std::vector<std::string>;

relay::RouteOptions options_for(std::uint32_t hold_ms = 0) {
  relay::RouteOptions options = options_of(toy::packets());
  options.limits.high_water = kHighWater;
  options.upstream.hold_ms = hold_ms;
  return options;
}

/// An end that is connected to the server of a yard.
struct Link : Yard {
  Link() : route(loop, options_for(), {serve()}) {
    end = std::make_unique<relay::EnetEnd>(
        *route.here, session,
        relay::EndOptions{
            .facing = relay::Facing::kServer, .game = toy::packets(), .limits = route.here->rules->limits});
    REQUIRE(end->connect(route.server().addresses.all(0).front(), {route.server(), {}, {}, {}}) == 0);
    until([&] { return session.has("opened") && server.peer != nullptr; });
  }
  /// The server says this, and the end has received it.
  void server_says(std::string_view text, EnetDelivery how = EnetDelivery::kReliable) {
    say(server, frame(text), how);
    if (how == EnetDelivery::kReliable) until([&] { return server.peer->waiting() == 0; });
    settle();
  }
  /// The server leaves, and the end's host knows it.
  void server_leaves(std::uint32_t code = 0) {
    server.host.disconnect(*server.peer, code);
    until([&] { return server.peer == nullptr; });
    settle();
  }

  Session session;
  OneRoute route;
  std::unique_ptr<relay::EnetEnd> end;
};

TEST_CASE("enet end: what a server said before it left is passed on although it is not read, then that it left") {
  Link link;
  link.end->set_reading(false);
  link.server_says("one");
  link.server_says("two");
  CHECK(link.session.log == Log{"opened"});
  link.server_leaves();
  CHECK(link.session.log == Log{"opened", "one", "two", "departed", "over"});
  CHECK(link.session.departure.how == How::kLeft);
  CHECK_FALSE(link.end->is_open());
}

TEST_CASE("enet end: what came while it was not read is passed on in its order when it is read again, once") {
  Link link;
  link.end->set_reading(false);
  link.server_says("one");
  link.server_says("two");
  link.end->set_reading(true);
  CHECK(link.session.log == Log{"opened"});  // not within the call
  link.server_says("three");
  CHECK(link.session.log == Log{"opened", "one", "two", "three"});
  link.end->set_reading(false);
  link.end->set_reading(true);
  link.settle();
  CHECK(link.session.log.size() == 4);
}

TEST_CASE("enet end: who stops reading while it is told hears the rest later") {
  Link link;
  link.end->set_reading(false);
  for (const char* const text : {"one", "two", "three"}) link.server_says(text);
  link.session.stops = true;
  link.end->set_reading(true);
  link.settle();
  CHECK(link.session.log == Log{"opened", "one"});
  link.server_says("four");  // it waits behind the others
  CHECK(link.session.log == Log{"opened", "one"});
  link.session.stops = false;
  link.end->set_reading(true);
  link.settle();
  CHECK(link.session.log == Log{"opened", "one", "two", "three", "four"});
}

TEST_CASE("enet end: what is kept counts as its weight until it is passed on") {
  Link link;
  CHECK(link.end->weight() == 0);
  link.end->set_reading(false);
  const std::size_t one = frame("one").size() + EnetPacket::kOverhead;
  link.server_says("one");
  CHECK(link.end->weight() == one);
  link.server_says("two");
  CHECK(link.end->weight() == 2 * one);
  link.end->set_reading(true);
  link.settle();
  CHECK(link.session.weights == std::vector<std::size_t>{one, 0});
  CHECK(link.end->weight() == 0);
}

TEST_CASE("enet end: what was kept counts no longer once the end is shut down, or its peer is given up") {
  Link shut, flooded;
  for (Link* const link : {&shut, &flooded}) {
    link->end->set_reading(false);
    link->server_says("kept");
    CHECK(link->end->weight() != 0);
  }
  shut.end->shut_down("", 0);
  CHECK(shut.end->weight() == 0);
  while (!flooded.session.has("departed")) flooded.server_says(std::string(190, 'x'));
  CHECK(flooded.end->weight() == 0);
}

TEST_CASE("enet end: unreliable packets that come while it is not read are dropped and counted") {
  Link link;
  link.end->set_reading(false);
  link.server_says("old", EnetDelivery::kUnreliable);
  link.until([&] { return link.route.dropped(Drop::kQueueFull) == 1; });
  link.end->set_reading(true);
  link.server_says("new", EnetDelivery::kUnreliable);
  link.until([&] { return link.session.has("new"); });
  CHECK(link.session.log == Log{"opened", "new"});
}

TEST_CASE("enet end: a server that sends more than may wait is gone once, and nothing of it is passed on") {
  Link link;
  link.end->set_reading(false);
  const std::string text(190, 'x');
  const std::size_t fit = kHighWater / (frame(text).size() + EnetPacket::kOverhead);
  for (std::size_t i = 0; i < fit; ++i) link.server_says(text);
  CHECK(link.session.log == Log{"opened"});
  link.server_says(text);
  CHECK(link.session.log == Log{"opened", "departed"});
  CHECK(link.session.departure.how == How::kFlooded);
  link.end->set_reading(true);
  link.server_says("more");
  CHECK(link.session.log == Log{"opened", "departed"});
  link.server_leaves();
  CHECK(link.session.log == Log{"opened", "departed", "over"});
}

TEST_CASE("enet end: after it was shut down, nothing is heard, and its user is told only that it is over") {
  Link link;
  link.end->set_reading(false);
  link.server_says("kept");
  link.end->shut_down("", 0);
  link.end->set_reading(true);
  link.until([&] { return link.session.has("over"); });
  CHECK(link.session.log == Log{"opened", "over"});
  CHECK(link.server.log.back() == "down " + std::to_string(toy::packets().enet_parting(wire::Parting::kLeft)));
}

TEST_CASE("enet end: the server gets the number with which its end is shut down") {
  Link link;
  link.end->shut_down("", 77);
  link.until([&] { return link.server.peer == nullptr; });
  CHECK(link.server.log.back() == "down 77");
}

TEST_CASE("enet end: a server that leaves with a reason of its game is reported with it") {
  Link link;
  link.server_leaves(7);
  CHECK(link.session.log == Log{"opened", "departed", "over"});
  CHECK(link.session.departure.how == How::kLeft);
  CHECK(link.session.departure.code == 7);
  CHECK(link.session.departure.why == "it disconnected with reason 7");
}

TEST_CASE("enet end: a packet that is no frame ends it, a datagram that is none is dropped") {
  Link link;
  const Buffer wrong{255, 3, 0};
  link.say(link.server, wrong, EnetDelivery::kUnreliable);
  link.until([&] { return link.route.dropped(Drop::kBadFrame) == 1; });
  CHECK(link.session.log == Log{"opened"});
  link.say(link.server, wrong);
  link.until([&] { return link.session.has("departed"); });
  CHECK(link.session.departure.how == How::kWrong);
  CHECK(link.session.log == Log{"opened", "departed"});
}

TEST_CASE("enet end: after it was hung up, it can be connected again and forgets what it had kept") {
  Link link;
  link.end->set_reading(false);
  link.server_says("kept");
  link.end->hang_up();
  CHECK(link.end->weight() == 0);
  CHECK_FALSE(link.end->is_open());
  link.until([&] { return link.server.peer == nullptr; });
  REQUIRE(link.end->connect(link.route.server().addresses.all(0).front(), {link.route.server(), {}, {}, {}}) == 0);
  link.until([&] { return link.session.log.size() == 2 && link.server.peer != nullptr; });
  link.end->set_reading(true);
  link.server_says("new");
  CHECK(link.session.log == Log{"opened", "opened", "new"});
}

TEST_CASE("enet end: after its server has left, it can be connected to another one, and hears it and that it leaves") {
  Link link;
  link.server_leaves();
  REQUIRE(link.session.log == Log{"opened", "departed", "over"});
  link.session.log.clear();
  REQUIRE(link.end->connect(link.route.server().addresses.all(0).front(), {link.route.server(), {}, {}, {}}) == 0);
  link.until([&] { return link.session.has("opened") && link.server.peer != nullptr; });
  link.server_says("new");
  link.server_leaves(7);
  CHECK(link.session.log == Log{"opened", "new", "departed", "over"});
  CHECK(link.session.departure.code == 7);
}

TEST_CASE("enet end: a datagram for a peer for whom more than high_water waits is dropped and counted") {
  Link link;
  const Buffer packet = frame(std::string(190, 'x'));
  while (link.end->waiting() <= kHighWater) {
    link.end->send(wire::Lane::kDatagram, frame("early"));
    link.end->send(wire::Lane::kStream, packet);
  }
  CHECK(link.route.dropped(Drop::kQueueFull) == 0);
  link.end->send(wire::Lane::kDatagram, frame("late"));
  CHECK(link.route.dropped(Drop::kQueueFull) == 1);
  link.end->send(wire::Lane::kStream, packet);
  CHECK(link.route.dropped(Drop::kQueueFull) == 1);
  link.until([&] { return link.end->waiting() == 0; });
  link.end->send(wire::Lane::kDatagram, frame("again"));
  CHECK(link.route.dropped(Drop::kQueueFull) == 1);
}

TEST_CASE("enet end: one that is shut down before its server has answered is closed at once") {
  Link link;
  link.end->hang_up();
  const Datagrams silent(loopback());
  relay::EnetEnd fresh(*link.route.here, link.session,
                       {.facing = relay::Facing::kServer, .game = toy::packets(), .limits = no_limits()});
  REQUIRE(fresh.connect(silent.here(), {link.route.server(), {}, {}, {}}) == 0);
  link.until([&] { return silent.readable(0); });
  CHECK(fresh.is_open());
  fresh.shut_down("", 0);
  CHECK_FALSE(fresh.is_open());
}

TEST_CASE("enet end: a server at an IPv6 address cannot be connected") {
  Link link;
  CHECK(link.end->connect(loopback(true), {link.route.server(), {}, {}, {}}) == EAFNOSUPPORT);
}

TEST_CASE("enet end: what keeps it from opening a socket is told with the system's number") {
  Link link;
  link.end->hang_up();
  relay::EnetEnd fresh(*link.route.here, link.session,
                       {.facing = relay::Facing::kServer, .game = toy::packets(), .limits = no_limits()});
  const net::Address there = link.route.server().addresses.all(0).front();
  const net::Source lacking{*net::Address::parse("192.0.2.1:0")};
  CHECK(fresh.connect(there, {link.route.server(), {}, lacking, {}}) == EADDRNOTAVAIL);
  const NoFilesLeft limit;
  CHECK(fresh.connect(there, {link.route.server(), {}, {}, {}}) == EMFILE);
}

}  // namespace
}  // namespace entente::testing::enet_end_test
