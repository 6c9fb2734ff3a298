// Clients over ENet whose datagrams pass unchanged: who gets a session, who is turned away, and when a place is free.
#include "proxy/relay/acceptors/datagram_acceptor.h"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/aos/aos.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/enet_speech.h"
#include "tests/relay/route/one_route.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::datagram_acceptor_test {
namespace {

using relay::DatagramAcceptor, relay::Drop, relay::Reason;

constexpr std::uint32_t kGreetMs = 5'000;

relay::RouteOptions of_datagrams() {
  relay::RouteOptions options = options_of(aos::game());
  options.enet = EnetMode::kDatagrams;
  options.limits.greet_ms = kGreetMs;
  options.limits.connect_ms = 60'000;
  return options;
}

/// A listener, and a server that the test speaks for.
struct Door : Turning, relay::Dispatcher {
  explicit Door(const relay::RouteOptions& options = of_datagrams())
      : server(loopback()), route(loop, options, {server.here()}, &tapped.sink(0)) {
    auto listening = net::listen_datagrams(loopback());
    REQUIRE(listening.ok());
    at = route.listener.address = route.route.listen_address = listening->address;
    route.listener.datagrams = std::make_shared<const net::Fd>(std::move(listening->udp));
    route.here.emplace(route.route, loop, &tapped.sink(0));
    probes.emplace(*route.here);
    acceptor.emplace(*route.here, *probes, static_cast<relay::Dispatcher&>(*this));
    REQUIRE(acceptor->open({}, at).ok());
  }
  relay::LinkId next_link() override { return ++last_link; }
  std::size_t next_worker(const relay::Route&) override { return 0; }
  void assign(std::size_t, relay::AcceptedClient) override { FAIL("its sessions live here"); }
  bool forward_datagram(relay::SessionRef, const net::Address&, Bytes) override { return false; }
  void flush_datagrams() override {}

  std::uint32_t inside() const { return route.listener.admission.inside(); }
  /// This client sends a datagram, which is dealt with.
  void say(const Datagrams& client, const Buffer& bytes) {
    client.send(at, bytes);
    settle();
  }
  /// What this socket has got, each as hex.
  std::vector<std::string> got(const Datagrams& by) {
    settle();
    std::vector<std::string> all;
    while (by.readable(0)) {
      const auto one = by.receive();
      all.push_back(to_hex(one.bytes));
      from = one.from;
    }
    return all;
  }
  /// This client connects, and proves its address.
  void join(const Datagrams& client, std::uint32_t id) {
    say(client, connect_datagram(id));
    CHECK(got(server) == std::vector{to_hex(connect_datagram(id))});
    server.send(from, verify_datagram(id));
    until([&] { return client.readable(0); });
    CHECK(client.receive().bytes == verify_datagram(id));
    say(client, proof_datagram());
    CHECK(got(server) == std::vector{to_hex(proof_datagram())});
  }
  std::size_t kick(relay::LinkId link) {
    relay::SessionCommand command;
    command.link = link;
    command.action = relay::SessionCommand::Action::kKick;
    relay::Inquiry inquiry;
    {
      relay::Inquiry::Part part(inquiry);
      acceptor->command(command, part);
    }
    return inquiry.wait().size();
  }
  std::uint64_t unknown() const { return route.dropped(Drop::kUnknownSource); }

  Tapped tapped;
  Datagrams server;
  relay::LinkId last_link = 0;
  net::Address at, from;
  OneRoute route;
  std::optional<relay::ServerProbes> probes;
  std::optional<DatagramAcceptor> acceptor;
};

/// The disconnect that tells the client of connect_datagram() why.
std::string goodbye(Reason why) {
  const std::array<std::uint8_t, 10> bytes =
      net::enet_disconnect(7, aos::game().enet_parting(relay::telling(why).parting));
  return to_hex(Buffer(bytes.begin(), bytes.end()));
}

/// A datagram of a client, with this content. It is no disconnect.
Buffer words(std::string_view content) {
  Buffer all = from_hex("1002 49000000 0001");
  all.push_back(0);
  all.push_back(static_cast<std::uint8_t>(content.size()));
  append(all, as_bytes(content));
  return all;
}

TEST_CASE("datagram acceptor: a client has a place from the proof of its address until its session has ended") {
  Door door;
  const Datagrams client(loopback());
  CHECK(door.acceptor->empty());
  door.say(client, connect_datagram(1));
  CHECK_FALSE(door.acceptor->empty());
  CHECK(door.inside() == 0);
  CHECK(door.got(door.server).size() == 1);
  door.server.send(door.from, verify_datagram(1));
  door.until([&] { return client.readable(0); });
  door.say(client, proof_datagram());
  CHECK(door.inside() == 1);
  CHECK(door.route.here->counters.gone.read() == 0);
  CHECK(door.kick(2) == 0);
  CHECK(door.inside() == 1);
  CHECK(door.kick(1) == 1);
  CHECK(door.inside() == 0);
  CHECK(door.route.here->counters.gone.read() == 1);
  door.settle();
  CHECK(door.acceptor->empty());
  CHECK(door.route.ended(Reason::kKicked) == 1);
}

TEST_CASE("datagram acceptor: each client's datagrams are of its session, and after its end of none") {
  Door door;
  const Datagrams first(loopback()), second(loopback()), stranger(loopback());
  door.join(first, 1);
  door.join(second, 2);
  CHECK(door.inside() == 2);
  door.say(first, words("one"));
  CHECK(door.got(door.server) == std::vector{to_hex(words("one"))});
  const net::Address of_first = door.from;
  door.say(second, words("two"));
  CHECK(door.got(door.server) == std::vector{to_hex(words("two"))});
  CHECK(door.from != of_first);
  door.say(stranger, words("three"));
  CHECK(door.unknown() == 1);
  CHECK(door.kick(1) == 1);
  door.settle();
  (void)door.got(door.server);
  door.say(first, words("late"));
  CHECK(door.unknown() == 2);
  CHECK(door.got(door.server).empty());
  door.say(second, words("two"));
  CHECK(door.got(door.server).size() == 1);
  CHECK(door.got(first) == std::vector{goodbye(Reason::kKicked)});
  door.join(first, 3);  // its port is free for another session at once
  CHECK(door.last_link == 3);
  CHECK(door.inside() == 2);
}

TEST_CASE("datagram acceptor: a repeated connect is of the same session, another one replaces it until it is proven") {
  Door door;
  const Datagrams client(loopback());
  door.say(client, connect_datagram(1));
  door.say(client, connect_datagram(1));
  CHECK(door.last_link == 1);
  CHECK(door.got(door.server) == std::vector<std::string>(2, to_hex(connect_datagram(1))));
  door.say(client, connect_datagram(2));
  CHECK(door.last_link == 2);
  CHECK(door.route.ended(Reason::kClientLeft) == 1);
  CHECK(door.got(door.server) == std::vector{to_hex(connect_datagram(2))});
  door.server.send(door.from, verify_datagram(2));
  door.until([&] { return client.readable(0); });
  door.say(client, proof_datagram());
  CHECK(door.inside() == 1);
  (void)client.receive();
  (void)door.got(door.server);
  door.say(client, words("here"));
  door.say(client, connect_datagram(3));  // perhaps forged
  CHECK(door.last_link == 2);
  CHECK(door.unknown() == 1);
  CHECK(door.got(door.server) == std::vector{to_hex(words("here"))});
  CHECK(door.got(client).empty());
  CHECK(door.inside() == 1);
}

TEST_CASE("datagram acceptor: a closed listener turns newcomers away, its sessions go on, and it can be opened again") {
  Door door;
  const Datagrams client(loopback()), newcomer(loopback());
  door.join(client, 1);
  door.acceptor->close();
  door.say(newcomer, connect_datagram(2));
  CHECK(door.got(newcomer) == std::vector{goodbye(Reason::kDraining)});
  CHECK(door.route.ended(Reason::kDraining) == 1);
  CHECK(door.last_link == 1);
  door.say(client, words("on"));
  CHECK(door.got(door.server) == std::vector{to_hex(words("on"))});
  REQUIRE(door.acceptor->open({}, door.at).ok());
  door.join(newcomer, 3);
  CHECK(door.inside() == 2);
}

TEST_CASE(
    "datagram acceptor: who comes to a full listener, or in another dialect, is told so, and no server hears of it") {
  relay::RouteOptions options = of_datagrams();
  options.limits.sessions = 1;
  Door door(options);
  const Datagrams first(loopback()), second(loopback());
  door.say(second, connect_datagram(5, 99));
  CHECK(door.got(second) == std::vector{goodbye(Reason::kClientDialect)});
  CHECK(door.route.ended(Reason::kClientDialect) == 1);
  door.say(second, connect_datagram(5, 4));  // the version that the listener does not speak
  CHECK(door.got(second) == std::vector{goodbye(Reason::kDialectMismatch)});
  CHECK(door.route.ended(Reason::kDialectMismatch) == 1);
  CHECK(door.got(door.server).empty());
  door.join(first, 1);
  door.say(second, connect_datagram(2));
  CHECK(door.got(second) == std::vector{goodbye(Reason::kTooMany)});
  CHECK(door.route.ended(Reason::kTooMany) == 1);
  CHECK(door.got(door.server).empty());
  CHECK(door.last_link == 1);
  CHECK(door.kick(1) == 1);  // in this turn, its place is free
  (void)door.got(door.server);
  door.join(second, 3);
}

TEST_CASE("datagram acceptor: the unproven that are one too many take the place of the oldest, not of a player") {
  Door door;
  const Datagrams player(loopback());
  door.join(player, 1);
  std::vector<Datagrams> clients;
  for (std::uint32_t i = 0; i < DatagramAcceptor::kMostUnproven; ++i) clients.emplace_back(loopback());
  const auto come = [&](const Datagrams& client, std::uint32_t id) {
    const relay::LinkId before = door.last_link;
    door.until([&] {  // it is asked again if too many came at once
      door.say(client, connect_datagram(id));
      return door.last_link != before;
    });
  };
  for (std::uint32_t i = 0; i < clients.size(); ++i) come(clients[i], 100 + i);
  CHECK(door.route.ended(Reason::kGreetTimeout) == 0);
  const Datagrams one_more(loopback());
  come(one_more, 99);
  CHECK(door.route.ended(Reason::kGreetTimeout) == 1);
  CHECK(door.inside() == 1);
  (void)door.got(door.server);
  const std::uint64_t before = door.unknown();
  door.say(clients[0], words("x"));
  CHECK(door.unknown() == before + 1);  // it was the oldest
  door.say(clients[1], words("x"));
  CHECK(door.unknown() == before + 1);
}

TEST_CASE("datagram acceptor: an unproven client that is proven or gone makes room for another") {
  Door door;
  std::vector<Datagrams> clients;
  for (std::uint32_t i = 0; i + 1 < DatagramAcceptor::kMostUnproven; ++i) {
    const relay::LinkId before = door.last_link;
    clients.emplace_back(loopback());
    door.until([&] {
      door.say(clients.back(), connect_datagram(100 + i));
      return door.last_link != before;
    });
  }
  (void)door.got(door.server);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Datagrams client(loopback());
    const relay::LinkId before = door.last_link;
    door.until([&] {
      door.say(client, connect_datagram(i));
      return door.last_link != before;
    });
    if (i == 0) CHECK(door.kick(door.last_link) == 1);
    if (i == 0) continue;
    CHECK_FALSE(door.got(door.server).empty());
    door.server.send(door.from, verify_datagram(i));
    door.until([&] { return client.readable(0); });
    door.say(client, proof_datagram());
    CHECK(door.inside() == i);
    (void)door.got(door.server);
  }
  CHECK(door.route.ended(Reason::kGreetTimeout) == 0);
}

TEST_CASE("datagram acceptor: clients that were never proven take no place of their address, one that is does") {
  relay::RouteOptions options = of_datagrams();
  options.limits.sessions_per_address = 1;
  Door door(options);
  const Datagrams first(loopback()), second(loopback());
  for (const Datagrams* const one : {&first, &second}) door.say(*one, connect_datagram(one == &first ? 1 : 2));
  CHECK(door.got(door.server).size() == 2);
  CHECK(door.last_link == 2);
  CHECK(door.kick(1) == 1);
  CHECK(door.kick(2) == 1);
  for (const Datagrams* const one : {&first, &second}) CHECK(door.got(*one).size() == 1);
  (void)door.got(door.server);
  CHECK(door.acceptor->empty());
  door.join(first, 3);
  CHECK(door.inside() == 1);
  door.say(second, connect_datagram(4));
  CHECK(door.route.ended(Reason::kTooManyFromAddress) == 1);
  CHECK(door.inside() == 1);
}

TEST_CASE("datagram acceptor: its sessions get their time") {
  Door door;
  const Datagrams client(loopback());
  const Millis began = door.loop.now();
  door.say(client, connect_datagram(1));
  CHECK(door.got(door.server).size() == 1);
  door.server.send(door.from, verify_datagram(1));
  door.until([&] { return client.readable(0); });
  door.acceptor->tick(began + kGreetMs - 100);
  CHECK(door.route.ended(Reason::kGreetTimeout) == 0);
  door.acceptor->tick(door.loop.now() + kGreetMs + 1);
  CHECK(door.route.ended(Reason::kGreetTimeout) == 1);
  door.settle();
  CHECK(door.acceptor->empty());
}

TEST_CASE("datagram acceptor: a stop ends all sessions, with a disconnect, and nobody comes in any more") {
  Door door;
  const Datagrams first(loopback()), second(loopback());
  door.join(first, 1);
  door.join(second, 2);
  door.acceptor->stop();
  CHECK(door.inside() == 0);
  CHECK(door.route.ended(Reason::kStopped) == 2);
  for (const Datagrams* const one : {&first, &second}) CHECK(door.got(*one) == std::vector{goodbye(Reason::kStopped)});
  CHECK(door.acceptor->empty());
  first.send(door.at, connect_datagram(3));
  door.settle();
  CHECK(door.last_link == 2);
}

TEST_CASE(
    "datagram acceptor: several sessions that end in one turn are all gone after it, and those of later turns, too") {
  Door door;
  for (int turn = 0; turn < 2; ++turn) {
    const Datagrams first(loopback()), second(loopback());
    for (const Datagrams* const one : {&first, &second}) {
      door.say(*one, connect_datagram(static_cast<std::uint32_t>(10 * turn + (one == &first ? 1 : 2))));
      (void)door.got(door.server);
    }
    for (relay::LinkId link = door.last_link - 1; link <= door.last_link; ++link) CHECK(door.kick(link) == 1);
    CHECK_FALSE(door.acceptor->empty());
    door.settle();
    CHECK(door.acceptor->empty());
  }
}

TEST_CASE(
    "datagram acceptor: while another process has the newcomers, none is let in, until the take-over is cancelled") {
  Door door;
  const Datagrams client(loopback()), newcomer(loopback());
  door.join(client, 1);
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor->offer(offered).ok());
  REQUIRE(offered.size() == 1);
  CHECK(offered.front().bound == door.at);
  REQUIRE(door.acceptor->release_newcomers().ok());
  door.say(client, words("on"));
  CHECK(door.got(door.server) == std::vector{to_hex(words("on"))});
  newcomer.send(door.at, connect_datagram(2));
  door.settle();
  CHECK(door.last_link == 1);
  CHECK(door.kick(1) == 1);
  (void)door.got(door.server), (void)door.got(client);
  client.send(door.at, connect_datagram(3));  // anew from the port of a session of this process
  door.settle();
  CHECK(door.last_link == 1);
  CHECK(door.got(client).empty());
  offered.clear();
  door.acceptor->cancel_take_over();
  door.join(newcomer, 4);
  CHECK(door.inside() == 1);
}

TEST_CASE(
    "datagram acceptor: who connected just before a take-over stays here, and the next client of its port does not") {
  Door door;
  const Datagrams client(loopback()), newcomer(loopback());
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor->offer(offered).ok());
  const Datagrams other(std::move(offered.front().fd));
  client.send(door.at, connect_datagram(1));  // not read yet
  REQUIRE(door.acceptor->release_newcomers().ok());
  CHECK(refuses_twins(door.at));
  CHECK(door.last_link == 1);
  CHECK(door.got(door.server) == std::vector{to_hex(connect_datagram(1))});
  door.server.send(door.from, verify_datagram(1));
  door.until([&] { return client.readable(0); });
  (void)client.receive();
  door.say(client, proof_datagram());
  CHECK(door.inside() == 1);
  CHECK(door.kick(1) == 1);
  client.send(door.at, connect_datagram(2));
  CHECK(other.receive().bytes == connect_datagram(2));
  door.acceptor->complete_take_over();
  newcomer.send(door.at, connect_datagram(3));
  CHECK(other.receive().bytes == connect_datagram(3));
  door.settle();
  CHECK(door.last_link == 1);
  CHECK(door.unknown() == 0);
}

TEST_CASE("datagram acceptor: during a take-over, who connects anew before it is proven goes to the other process") {
  Door door;
  const Datagrams client(loopback());
  door.say(client, connect_datagram(1));
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor->offer(offered).ok());
  const Datagrams other(std::move(offered.front().fd));
  REQUIRE(door.acceptor->release_newcomers().ok());
  door.say(client, connect_datagram(2));
  CHECK(door.last_link == 1);
  CHECK(door.route.ended(Reason::kClientLeft) == 1);
  CHECK(door.unknown() == 1);
  CHECK(door.got(client).empty());
  client.send(door.at, connect_datagram(2));  // ENet retries
  CHECK(other.receive().bytes == connect_datagram(2));
}

TEST_CASE("datagram acceptor: after a take-over, nothing of the other process's socket is left here") {
  Door door;
  const Datagrams newcomer(loopback());
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor->offer(offered).ok());
  REQUIRE(door.acceptor->release_newcomers().ok());
  door.acceptor->complete_take_over();
  offered.clear();  // the other process ends
  door.say(newcomer, connect_datagram(1));
  CHECK(door.unknown() == 1);
}

TEST_CASE("datagram acceptor: a take-over that lacks file descriptors fails, and newcomers come in here again") {
  Door door;
  const Datagrams client(loopback()), newcomer(loopback());
  door.join(client, 1);
  std::vector<relay::OfferedSocket> offered;
  const auto fails = [&](auto&& step) {
    const auto done = [&] {
      const NoFilesLeft limit;
      return step();
    }();
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().text.find("cannot share the port of " + door.at.text()) != std::string::npos);
  };
  fails([&] { return door.acceptor->offer(offered); });
  CHECK(offered.empty());
  REQUIRE(door.acceptor->offer(offered).ok());
  fails([&] { return door.acceptor->release_newcomers(); });
  door.acceptor->cancel_take_over();
  CHECK(refuses_twins(door.at));
  door.join(newcomer, 2);
  CHECK(door.inside() == 2);
  REQUIRE(door.acceptor->offer(offered).ok());
  REQUIRE(door.acceptor->release_newcomers().ok());
  door.acceptor->cancel_take_over();  // the other process still has its copy
  CHECK(door.kick(1) == 1);
  (void)door.got(client), (void)door.got(door.server);
  door.join(client, 3);
  CHECK(door.inside() == 2);
  offered.clear();
  CHECK(refuses_twins(door.at));
}

TEST_CASE("datagram acceptor: a lab that changes is for the sessions of its route") {
  Door door;
  const Datagrams client(loopback());
  door.join(client, 1);
  auto plan = relay::LabPlan::parse("to_server: loss=100%", nullptr);
  REQUIRE(plan.ok());
  OneRoute other(door.loop, of_datagrams(), {loopback()});
  door.route.here->lab = {std::make_shared<const relay::LabPlan>(std::move(*plan)), door.loop.now()};
  door.acceptor->lab_changed(*other.here);
  door.say(client, words("one"));
  CHECK(door.got(door.server).size() == 1);
  door.acceptor->lab_changed(*door.route.here);
  door.say(client, words("two"));
  CHECK(door.got(door.server).empty());
}

TEST_CASE("datagram acceptor: a query beside ENet is answered, and is no datagram of a session") {
  Door door;
  const Datagrams asks(loopback());
  door.say(asks, Buffer{'H', 'E', 'L', 'L', 'O'});
  CHECK(door.unknown() == 0);
  CHECK(door.got(door.server) == std::vector{to_hex(as_bytes(std::string_view("HELLO")))});
  door.server.send(door.from, Buffer{'H', 'I'});
  door.until([&] { return asks.readable(0); });
  const auto answer = asks.receive();
  CHECK(as_text(answer.bytes) == "HI");
  CHECK(answer.from == door.at);
}

}  // namespace
}  // namespace entente::testing::datagram_acceptor_test
