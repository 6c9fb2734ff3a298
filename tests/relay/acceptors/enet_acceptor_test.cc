// Clients of a bridge over ENet that wait until its server's dialect is known: who holds a place, who is let in, and
// what the others are told.
#include "proxy/relay/acceptors/enet_acceptor.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/relay/enet_speech.h"
#include "tests/relay/enet_yard.h"
#include "tests/relay/route/one_route.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::enet_acceptor_test {
namespace {

using relay::Reason;

relay::RouteOptions of_waiting_bridge(Millis hold_ms) {
  relay::RouteOptions options = options_of(toy::packets());
  options.servers.front().dialect.reset();
  options.bridge = toy_bridge(toy::packets(), toy::stream());
  options.upstream.hold_ms = hold_ms;
  options.upstream.needs_dialect = true;
  options.limits.held_bytes = 1'000;
  options.limits.linger_ms = 60'000;
  return options;
}

/// A listener whose server cannot be reached.
struct Door : Yard, relay::Dispatcher {
  explicit Door(Millis hold_ms = 60'000, relay::Bans* bans = nullptr, const std::string& start = "")
      : route(loop, with(of_waiting_bridge(hold_ms), bans, start), {loopback()}) {
    route.server().drain(true);
    const auto bound = acceptor.open({}, loopback());
    REQUIRE(bound.ok());
    at = route.listener.address = route.route.listen_address = *bound;
  }
  static relay::RouteOptions with(relay::RouteOptions options, relay::Bans* bans, const std::string& start) {
    options.bans = bans;
    options.upstream.launch.start = start;
    return options;
  }

  relay::LinkId next_link() override { return ++last_link; }
  std::size_t next_worker(const relay::Route&) override { return 0; }
  void assign(std::size_t, relay::AcceptedClient newcomer) override { let_in.push_back(std::move(newcomer)); }
  bool forward_datagram(relay::SessionRef, const net::Address&, Bytes) override { return false; }
  void flush_datagrams() override {}

  std::uint32_t inside() const { return route.listener.admission.inside(); }
  void a_client_waits() {
    if (client.peer == nullptr) knock(at);
    until([&] { return inside() == 1; });
    settle();
    CHECK(let_in.empty());
  }
  /// The acceptor has what the client said.
  void hear() {
    until([&] { return client.peer->waiting() == 0; });
    settle();
  }
  void knock_anew(std::uint32_t data = kBig) {
    reopen(client, {4, 1, false, kMostPackets});
    knock(at, data);
  }
  /// The waiting clients are looked at again.
  void look_again() { acceptor.serve(*route.here, probes); }
  void server_is_known() {
    route.server().drain(false);
    route.server().set_dialect(0);
    look_again();
  }
  /// The client is disconnected with the game's number for this reason.
  void client_is_told(Reason why) {
    until([&] { return client.peer == nullptr; });
    CHECK(client.log.back() == "down " + std::to_string(toy::packets().enet_parting(relay::telling(why).parting)));
    CHECK(route.ended(why) == 1);
    CHECK(inside() == 0);
  }

  relay::LinkId last_link = 0;
  net::Address at;
  OneRoute route;
  std::vector<relay::AcceptedClient> let_in;
  relay::ServerProbes probes{*route.here};
  relay::EnetAcceptor acceptor{*route.here, probes, *this};
};

TEST_CASE("enet acceptor: a client that leaves while it waits for the server gives up its place") {
  Door door;
  door.a_client_waits();
  door.look_again();
  CHECK(door.inside() == 1);
  door.client.host.disconnect(*door.client.peer, 0);
  door.until([&] { return door.client.peer == nullptr; });
  door.look_again();
  CHECK(door.inside() == 0);
  door.server_is_known();
  CHECK(door.let_in.empty());
}

TEST_CASE("enet acceptor: a client that has left while it waits gives up its place at the next tick, and is logged") {
  Door door;
  door.a_client_waits();
  door.client.host.disconnect(*door.client.peer, 0);
  door.until([&] { return door.client.peer == nullptr; });
  CHECK(door.inside() == 1);
  door.acceptor.tick(door.loop.now());
  CHECK(door.inside() == 0);
  CHECK(door.route.ended(Reason::kClientLeft) == 1);
  door.acceptor.tick(door.loop.now());
  CHECK(door.route.ended(Reason::kClientLeft) == 1);
}

TEST_CASE("enet acceptor: a client is let in when the server's dialect is known, with what it said meanwhile") {
  Door door;
  door.a_client_waits();
  door.say(door.client, point(1));
  door.say(door.client, point(2));
  door.hear();
  door.server_is_known();
  REQUIRE(door.let_in.size() == 1);
  const relay::AcceptedClient& client = door.let_in.front();
  CHECK(client.link == 1);
  CHECK(client.server == &door.route.server());
  REQUIRE(client.early.size() == 2);
  CHECK(same(client.early[0].packet.bytes(), point(1)));
  CHECK(same(client.early[1].packet.bytes(), point(2)));
  CHECK(door.inside() == 1);
  door.look_again();
  CHECK(door.let_in.size() == 1);
}

TEST_CASE("enet acceptor: once the dialect is known, newcomers need not wait") {
  Door door;
  door.server_is_known();
  door.join(door.at);
  door.until([&] { return door.let_in.size() == 1; });
  CHECK(door.let_in.front().enet.data == kBig);
  CHECK(door.inside() == 1);
}

TEST_CASE("enet acceptor: a client that says more than held_bytes while it waits is refused") {
  Door door;
  door.a_client_waits();
  const Buffer large = frame(std::string(190, 'x'));
  const std::size_t fit = 1'000 / (large.size() + EnetPacket::kOverhead);
  for (std::size_t i = 0; i < fit; ++i) door.say(door.client, large);
  door.hear();
  door.look_again();
  CHECK(door.inside() == 1);
  door.say(door.client, large);
  door.hear();
  door.look_again();
  door.client_is_told(Reason::kBadFrame);
}

TEST_CASE("enet acceptor: a client whose route does not hold players is told that no server can be reached") {
  Door door(0);
  door.knock(door.at);
  door.client_is_told(Reason::kServerUnreachable);
  CHECK(door.let_in.empty());
}

TEST_CASE("enet acceptor: when the listener closes, who waits and who comes is told so; when it opens again, not") {
  Door door;
  door.a_client_waits();
  door.acceptor.close();
  door.client_is_told(Reason::kDraining);
  door.knock_anew();
  door.until([&] { return door.client.peer == nullptr; });
  CHECK(door.route.ended(Reason::kDraining) == 2);
  REQUIRE(door.acceptor.open({}, door.at).ok());
  door.knock_anew();
  door.a_client_waits();
}

TEST_CASE("enet acceptor: a client that is banned while it waits is not let in") {
  relay::Bans bans;
  Door door(60'000, &bans);
  door.a_client_waits();
  bans.add({*net::Network::parse("127.0.0.1"), relay::Ban::kForGood, "no", false});
  door.server_is_known();
  CHECK(door.let_in.empty());
  door.client_is_told(Reason::kBanned);
}

TEST_CASE("enet acceptor: a client of a dialect that the bridge does not take gives back its place") {
  Door door;
  door.knock(door.at, kBig + 1);
  door.client_is_told(Reason::kDialectMismatch);
  door.knock_anew(7);
  door.client_is_told(Reason::kClientDialect);
}

TEST_CASE("enet acceptor: a session that has ended gives back its place, and a stop ends once all have") {
  Door door;
  door.server_is_known();
  door.join(door.at);
  door.until([&] { return door.let_in.size() == 1; });
  CHECK_FALSE(door.acceptor.empty());
  door.acceptor.stop();
  CHECK_FALSE(door.acceptor.finish());
  const net::Address client = door.let_in.front().client;
  door.let_in.clear();
  door.acceptor.left(1, door.route.route, client, false);
  CHECK(door.acceptor.empty());
  CHECK(door.acceptor.finish());
}

TEST_CASE("enet acceptor: who waits is listed, and can be kicked") {
  Door door;
  door.a_client_waits();
  const auto kick = [&](relay::LinkId link) {
    relay::SessionCommand command;
    command.link = link;
    command.action = relay::SessionCommand::Action::kKick;
    relay::Inquiry inquiry;
    {
      relay::Inquiry::Part part(inquiry);
      door.acceptor.command(command, part);
    }
    return inquiry.wait().size();
  };
  CHECK(kick(2) == 0);
  CHECK(door.inside() == 1);
  CHECK(kick(1) == 1);
  door.client_is_told(Reason::kKicked);
}

/// The same, whose sessions live on another worker than the listener.
struct FarDoor : Door {
  std::size_t next_worker(const relay::Route&) override { return 3; }
  void assign(std::size_t worker, relay::AcceptedClient newcomer) override {
    CHECK(worker == 3);
    Door::assign(worker, std::move(newcomer));
  }
};

TEST_CASE(
    "enet acceptor: a client whose session lives on another worker is moved there, with its socket and its number") {
  FarDoor door;
  door.server_is_known();
  door.join(door.at);
  door.until([&] { return door.let_in.size() == 1; });
  const relay::AcceptedClient& client = door.let_in.front();
  CHECK(client.moved_enet != nullptr);
  CHECK(client.link == 1);
  CHECK(client.enet.data == kBig);
  CHECK(client.server == &door.route.server());
  CHECK(door.inside() == 1);
}

TEST_CASE("enet acceptor: who waited for the server is moved once it is known, with what it said") {
  FarDoor door;
  door.a_client_waits();
  door.say(door.client, point(1));
  door.hear();
  door.server_is_known();
  REQUIRE(door.let_in.size() == 1);
  CHECK(door.let_in.front().moved_enet != nullptr);
  CHECK(door.let_in.front().early.size() == 1);
}

TEST_CASE("enet acceptor: a client that stays on its worker is not moved, and its packets are its session's") {
  Door door;
  door.a_client_waits();
  door.server_is_known();
  REQUIRE(door.let_in.size() == 1);
  CHECK(door.let_in.front().moved_enet == nullptr);
  REQUIRE(door.let_in.front().enet.peer != nullptr);
  CHECK(door.let_in.front().enet.peer->owner == nullptr);  // until the session takes it
}

TEST_CASE("enet acceptor: a stop refuses who waits and who comes, and answers no more queries") {
  Door door;
  door.a_client_waits();
  door.acceptor.stop();
  door.client_is_told(Reason::kDraining);
  CHECK(door.acceptor.empty());
  door.until([&] { return door.acceptor.finish(); });
}

TEST_CASE("enet acceptor: a full listener tells a newcomer so, and takes one again when a place is free") {
  Door door;
  Limits limits = door.route.here->rules->limits;
  limits.sessions = 1;
  auto rules = std::make_shared<relay::NewcomerRules>(*door.route.here->rules);
  rules->limits = limits;
  door.route.here->rules = rules;
  door.server_is_known();
  door.join(door.at);
  door.until([&] { return door.let_in.size() == 1; });
  End other(door.loop);
  REQUIRE(other.host.open({4, 1, false, kMostPackets}).ok());
  other.peer = other.host.connect(door.at, 1, kBig);
  door.until([&] { return other.peer == nullptr; });
  CHECK(other.log.back() ==
        "down " + std::to_string(toy::packets().enet_parting(relay::telling(Reason::kTooMany).parting)));
  CHECK(door.route.ended(Reason::kTooMany) == 1);
  CHECK(door.last_link == 1);
  CHECK(door.inside() == 1);
  const net::Address first = door.let_in.front().client;
  door.acceptor.left(1, door.route.route, first, false);
  other.peer = other.host.connect(door.at, 1, kBig);
  door.until([&] { return door.let_in.size() == 2; });
  other.host.close();
}

TEST_CASE("enet acceptor: who waits for the server when another process takes over is let in here; newcomers are not") {
  Door door;
  door.a_client_waits();
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor.offer(offered).ok());
  REQUIRE(offered.size() == 1);
  CHECK(offered.front().bound == door.at);
  const Datagrams other(std::move(offered.front().fd)), newcomer(loopback());
  REQUIRE(door.acceptor.release_newcomers().ok());
  CHECK(refuses_twins(door.at));
  door.acceptor.complete_take_over();
  newcomer.send(door.at, connect_datagram(1));
  CHECK(other.receive().bytes == connect_datagram(1));
  door.say(door.client, point(1));
  door.hear();
  door.server_is_known();
  REQUIRE(door.let_in.size() == 1);
  CHECK(door.let_in.front().early.size() == 1);
}

TEST_CASE("enet acceptor: a take-over that lacks file descriptors fails, and newcomers come in here again") {
  Door door;
  door.server_is_known();
  door.join(door.at);
  door.until([&] { return door.let_in.size() == 1; });
  std::vector<relay::OfferedSocket> offered;
  const auto fails = [&](auto&& step) {
    const auto done = [&] {
      const NoFilesLeft limit;
      return step();
    }();
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().text.find("cannot share the port of " + door.at.text()) != std::string::npos);
  };
  fails([&] { return door.acceptor.offer(offered); });
  CHECK(offered.empty());
  REQUIRE(door.acceptor.offer(offered).ok());
  fails([&] { return door.acceptor.release_newcomers(); });
  door.acceptor.cancel_take_over();
  CHECK(refuses_twins(door.at));
  REQUIRE(door.acceptor.offer(offered).ok());
  REQUIRE(door.acceptor.release_newcomers().ok());
  door.acceptor.cancel_take_over();  // the other process still has its copy
  CHECK(refuses_twins(door.at));
  End other(door.loop);
  REQUIRE(other.host.open({4, 1, false, kMostPackets}).ok());
  other.peer = other.host.connect(door.at, 1, kBig);
  door.until([&] { return door.let_in.size() == 2; });
  other.host.close();
}

TEST_CASE("enet acceptor: who waits is listed with its address and number, and is in no announcement yet") {
  Door door;
  door.a_client_waits();
  relay::SessionCommand command;
  command.action = relay::SessionCommand::Action::kSay;
  relay::Inquiry inquiry;
  {
    relay::Inquiry::Part part(inquiry);
    door.acceptor.command(command, part);
  }
  const auto told = inquiry.wait();
  REQUIRE(told.size() == 1);
  CHECK(told.front().told == relay::AnnounceResult::kNotIn);
  CHECK(told.front().info.link == 1);
  CHECK(door.inside() == 1);
  door.server_is_known();
  CHECK(door.let_in.size() == 1);  // it went on waiting
}

TEST_CASE("enet acceptor: the server is started for a client that waits for it") {
  Door door(60'000, nullptr, "true");
  door.a_client_waits();
  door.route.server().drain(false);
  (void)door.route.server().failed(door.loop.now(), "gone");
  CHECK(door.route.heard.told("running \"true\"") == 0);
  door.acceptor.tick(door.loop.now());
  door.probes.tick(door.loop.now());
  CHECK(door.route.heard.told("running \"true\"") == 1);
  CHECK(door.inside() == 1);
  door.until([&] { return door.route.heard.told("\"true\" ended") == 1; });
}

}  // namespace
}  // namespace entente::testing::enet_acceptor_test
