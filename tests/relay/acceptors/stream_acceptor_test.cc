// Clients over TCP that wait until their server's dialect is known, those that are turned away, and whose datagrams are
// passed on.
#include "proxy/relay/acceptors/stream_acceptor.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/toy.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::stream_acceptor_test {
namespace {

using relay::Drop, relay::Reason;

constexpr Millis kPartsFor = 1'000;

/// Whether the other side has not closed the connection. If it has, the first byte is answered with a reset.
bool is_open(const Stream& client) {
  const Buffer byte{0};
  return client.try_send(byte) == 1 && client.try_send(byte) == 1;
}

/// A listener. Its server cannot be reached at first, and must show its dialect before anybody is let in.
struct Door : Turning, relay::Dispatcher {
  explicit Door(const relay::RouteOptions& options) : route(loop, options, {loopback()}) {
    route.server().drain(true);
    if (!route.tcp) {
      auto made = net::listen(loopback(), false);
      REQUIRE(made.ok());
      route.tcp = std::move(made->tcp);
      route.listener.address = route.route.listen_address = made->address;
    }
    at = route.route.listen_address;
    REQUIRE(acceptor.open(std::move(route.tcp), at).ok());
  }

  relay::LinkId next_link() override { return ++last_link; }
  std::size_t next_worker(const relay::Route&) override { return 3; }
  void assign(std::size_t worker, relay::AcceptedClient newcomer) override {
    CHECK(worker == 3);
    let_in.push_back(std::move(newcomer));
  }
  bool forward_datagram(relay::SessionRef to, const net::Address&, Bytes datagram) override {
    if (full) return false;
    CHECK(to.worker == 3);
    datagrams.push_back(std::to_string(to.link) + " " + std::string(as_text(datagram.subspan(2))));
    return true;
  }
  void flush_datagrams() override {}

  std::uint32_t inside() const { return route.listener.admission.inside(); }
  Stream connect() const { return Stream::to(at); }
  Stream a_client_waits() {
    const std::uint32_t before = inside();
    Stream client = connect();
    until([&] { return inside() == before + 1; });
    return client;
  }
  Stream a_client_is_let_in() {
    const std::size_t before = let_in.size();
    Stream client = connect();
    until([&] { return let_in.size() == before + 1; });
    return client;
  }
  void look_again() { acceptor.serve(*route.here, probes); }
  void server_is_known() {
    route.server().drain(false);
    route.server().set_dialect(0);
    look_again();
  }
  /// The client gets its game's goodbye, and what it sends is still accepted.
  void is_turned_away(const Stream& client, Reason why) {
    until([&] { return client.readable(0); });
    CHECK(as_text(client.read_all()) == kGoodbye);
    CHECK(route.ended(why) == 1);
    CHECK(is_open(client));
  }
  std::vector<relay::SessionReport> order(relay::LinkId link, relay::SessionCommand::Action action) {
    relay::SessionCommand command;
    command.link = link;
    command.action = action;
    relay::Inquiry inquiry;
    {
      relay::Inquiry::Part part(inquiry);
      acceptor.command(command, part);
    }
    return inquiry.wait();
  }
  std::size_t kick(relay::LinkId link) { return order(link, relay::SessionCommand::Action::kKick).size(); }

  relay::LinkId last_link = 0;
  net::Address at;
  bool full = false;
  std::vector<std::string> datagrams;
  OneRoute route;
  std::vector<relay::AcceptedClient> let_in;
  relay::ServerProbes probes{*route.here};
  relay::StreamAcceptor acceptor{*route.here, probes, *this};
};

relay::RouteOptions of_waiting(Millis hold_ms = 60'000, relay::Bans* bans = nullptr) {
  relay::RouteOptions options = options_of(toy::stream());
  options.servers.front().dialect.reset();
  options.upstream.hold_ms = hold_ms;
  options.upstream.needs_dialect = true;
  options.bans = bans;
  return options;
}

TEST_CASE("stream acceptor: who waits for the server's dialect is let in when it is known, in the order of arrival") {
  Door door(of_waiting());
  std::vector<Stream> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(door.a_client_waits());
  door.look_again();
  CHECK(door.let_in.empty());
  door.server_is_known();
  REQUIRE(door.let_in.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(door.let_in[i].link == i + 1);
    CHECK(door.let_in[i].client == clients[i].here());
    CHECK(door.let_in[i].server == &door.route.server());
  }
  CHECK(door.route.server().sessions() == 3);
  CHECK(door.inside() == 3);
  door.look_again();
  CHECK(door.let_in.size() == 3);
}

TEST_CASE("stream acceptor: who cannot wait any longer is told that the server is away, and gives back its place") {
  Door door(of_waiting(0));
  const Stream client = door.connect();
  door.is_turned_away(client, Reason::kServerUnreachable);
  CHECK(door.inside() == 0);
}

TEST_CASE(
    "stream acceptor: a health check that waits in vain gets the goodbye, but is not counted as a refused player") {
  relay::RouteOptions options = of_waiting(0);
  options.proxies.networks = {*net::Network::parse("127.0.0.1")};
  Door door(options);
  const auto is_turned_away_after = [&door](std::string_view header) {
    const Stream client = door.connect();
    client.send(std::string(header) + std::string(kHello));  // a check that says nothing would be waited for
    door.until([&] { return client.readable(0); });
    CHECK(as_text(client.read_all()) == kGoodbye);
  };
  is_turned_away_after("PROXY UNKNOWN\r\n");
  CHECK(door.route.ended(Reason::kServerUnreachable) == 0);
  CHECK(door.route.listener.admission.empty());
  is_turned_away_after("PROXY TCP4 127.0.0.9 127.0.0.1 1000 2000\r\n");
  CHECK(door.route.ended(Reason::kServerUnreachable) == 1);
  CHECK(door.route.listener.admission.empty());
}

TEST_CASE("stream acceptor: a client that is turned away has a second to read why; then its connection is closed") {
  Door door(of_waiting(0));
  const Millis before = door.loop.now();
  const Stream client = door.connect();
  door.is_turned_away(client, Reason::kServerUnreachable);
  CHECK_FALSE(door.acceptor.empty());
  door.acceptor.tick(before + kPartsFor - 1);
  CHECK(is_open(client));
  door.acceptor.tick(door.loop.now() + kPartsFor);
  CHECK_FALSE(is_open(client));
  CHECK(door.acceptor.empty());
}

TEST_CASE("stream acceptor: a stop closes the connections of those who were turned away, and nobody is let in") {
  Door door(of_waiting());
  const Stream client = door.a_client_waits();
  door.acceptor.stop();
  CHECK(door.inside() == 0);
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK_FALSE(is_open(client));
  CHECK(door.route.ended(Reason::kDraining) == 1);
  CHECK(door.acceptor.empty());
  door.server_is_known();
  CHECK(door.let_in.empty());
}

TEST_CASE("stream acceptor: who is banned while it waits is told so, and the others are let in") {
  relay::Bans bans;
  Door door(of_waiting(60'000, &bans));
  const Stream client = door.a_client_waits();
  bans.add({*net::Network::parse("127.0.0.1"), relay::Ban::kForGood, "no", false});
  door.server_is_known();
  door.is_turned_away(client, Reason::kBanned);
  CHECK(door.let_in.empty());
  CHECK(door.inside() == 0);
}

TEST_CASE("stream acceptor: who waits can be kicked by its number, and the others wait on") {
  Door door(of_waiting());
  const Stream first = door.a_client_waits(), second = door.a_client_waits();
  CHECK(door.kick(3) == 0);
  CHECK(door.kick(1) == 1);
  door.is_turned_away(first, Reason::kKicked);
  CHECK(door.inside() == 1);
  CHECK_FALSE(second.readable(0));
  door.server_is_known();
  REQUIRE(door.let_in.size() == 1);
  CHECK(door.let_in.front().link == 2);
}

TEST_CASE(
    "stream acceptor: who waits is listed, is not in yet for an announcement, and is on no server that is drained") {
  using Action = relay::SessionCommand::Action;
  Door door(of_waiting());
  const Stream client = door.a_client_waits();
  const auto listed = door.order(1, Action::kNothing);
  REQUIRE(listed.size() == 1);
  CHECK(listed.front().info.client == client.here());
  CHECK(listed.front().info.link == 1);
  const auto told = door.order(1, Action::kSay);
  REQUIRE(told.size() == 1);
  CHECK(told.front().told == relay::AnnounceResult::kNotIn);
  CHECK(door.order(1, Action::kLeaveServer).empty());
  CHECK(door.inside() == 1);
  CHECK_FALSE(client.readable(0));
}

TEST_CASE(
    "stream acceptor: who leaves while the server is away gives up its place at the next tick, and is not greeted") {
  Door door(of_waiting());
  Stream first = door.a_client_waits();
  const Stream second = door.a_client_waits();
  first.close();
  door.until([&] {
    door.acceptor.tick(door.loop.now());
    return door.inside() == 1;
  });
  CHECK(door.route.ended(Reason::kClientLeft) == 1);
  CHECK(door.acceptor.empty());  // there is nobody to be told why
  door.server_is_known();
  REQUIRE(door.let_in.size() == 1);
  CHECK(door.let_in.front().link == 2);
}

TEST_CASE("stream acceptor: a listener that closes refuses newcomers, and passes on datagrams of its sessions") {
  Door door(options_of(toy::game()));
  door.route.server().drain(false);
  const net::Address here = free_for_both();
  const Stream client = Stream::to(door.at, &here);
  door.until([&] { return door.let_in.size() == 1; });
  door.acceptor.close();
  const net::Fd late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  CHECK(::connect(late.get(), door.at.raw(), door.at.size()) != 0);
  CHECK(door.inside() == 1);
  const Datagrams socket(here);
  socket.send(door.at, frame("one"));
  door.until([&] { return door.datagrams.size() == 1; });
  door.acceptor.stop();
  socket.send(door.at, frame("two"));
  door.settle();
  CHECK(door.datagrams.size() == 1);
}

TEST_CASE("stream acceptor: a full listener turns clients away until a session is gone") {
  relay::RouteOptions options = of_waiting();
  options.limits.sessions = 1;
  Door door(options);
  door.server_is_known();
  const Stream first = door.a_client_is_let_in();
  const Stream second = door.connect();
  door.is_turned_away(second, Reason::kTooMany);
  CHECK(door.last_link == 1);  // only clients that come in are numbered
  door.acceptor.left(1, door.route.route, door.let_in.front().client, false);
  CHECK(door.inside() == 0);
  const Stream third = door.a_client_is_let_in();
  CHECK(door.let_in.back().link == 2);
}

TEST_CASE("stream acceptor: an address whose clients are gone is forgotten at the next tidying") {
  Door door(of_waiting());
  door.server_is_known();
  const Stream client = door.a_client_is_let_in();
  door.acceptor.left(1, door.route.route, door.let_in.front().client, false);
  CHECK(door.route.listener.admission.known() == 1);
  door.acceptor.tick(door.loop.now());
  CHECK(door.route.listener.admission.known() == 0);
  const Stream other = door.a_client_is_let_in();
  door.acceptor.left(2, door.route.route, door.let_in.back().client, false);
  const Millis tidied = door.loop.now();
  door.acceptor.tick(tidied);  // at most once a second; the loop's time has hardly passed
  door.acceptor.tick(tidied + relay::kTidyEvery);
  CHECK(door.route.listener.admission.known() == 0);
}

TEST_CASE("stream acceptor: datagrams from a client's port belong to its session, until that is gone") {
  relay::RouteOptions options = options_of(toy::game());
  Door door(options);
  door.route.server().drain(false);
  const net::Address here = free_for_both();
  const Stream client = Stream::to(door.at, &here);
  door.until([&] { return door.let_in.size() == 1; });
  const Datagrams socket(here);
  socket.send(door.at, frame("one"));
  door.until([&] { return door.datagrams.size() == 1; });
  CHECK(door.datagrams.front() == "1 one");
  door.full = true;
  socket.send(door.at, frame("two"));
  door.until([&] { return door.route.dropped(Drop::kQueueFull) == 1; });
  door.full = false;
  door.acceptor.left(1, door.route.route, door.let_in.front().client, false);
  socket.send(door.at, frame("three"));
  door.until([&] { return door.route.dropped(Drop::kUnknownSource) == 1; });
  CHECK(door.datagrams.size() == 1);
}

TEST_CASE("stream acceptor: a datagram from another port of a client is linked by the number that its server gave it") {
  Door door(options_of(toy::game()));
  door.route.server().drain(false);
  const Stream client = door.a_client_is_let_in();
  const Datagrams socket(loopback());
  const Buffer request{1, 8, 7};
  socket.send(door.at, request);
  door.until([&] { return door.route.dropped(Drop::kUnknownSource) == 1; });
  door.acceptor.player_id_given(1, 7);
  socket.send(door.at, request);
  door.until([&] { return door.datagrams.size() == 1; });
  socket.send(door.at, frame("more"));
  door.until([&] { return door.datagrams.size() == 2; });
  CHECK(door.datagrams.back() == "1 more");
}

relay::RouteOptions behind_proxy(relay::RouteOptions options) {
  options.proxies.networks = {*net::Network::parse("127.0.0.1")};
  return options;
}

TEST_CASE("stream acceptor: behind a load balancer, clients have the address in the header, and no datagrams") {
  Door door(behind_proxy(options_of(toy::game())));
  door.route.server().drain(false);
  const net::Address here = free_for_both();
  const Stream client = Stream::to(door.at, &here);
  client.send("PROXY TCP4 127.0.0.9 127.0.0.1 1000 2000\r\n");
  door.until([&] { return door.let_in.size() == 1; });
  CHECK(door.let_in.front().client == *net::Address::parse("127.0.0.9", 1'000));
  CHECK_FALSE(door.let_in.front().health_check);
  CHECK(door.inside() == 1);
  for (const net::Address& from : {here, *net::Address::parse("127.0.0.9", 0)}) {
    const Datagrams socket(from);
    socket.send(door.at, frame("one"));
  }
  door.until([&] { return door.route.dropped(Drop::kUnknownSource) == 2; });
  CHECK(door.datagrams.empty());
}

TEST_CASE("stream acceptor: who comes past the load balancer is turned away, and so is one whose header is wrong") {
  relay::RouteOptions options = options_of(toy::stream());
  options.proxies.networks = {*net::Network::parse("192.0.2.1")};
  Door past(options);
  const Stream client = past.connect();
  past.is_turned_away(client, Reason::kNotProxy);
  CHECK(past.route.listener.admission.empty());
  CHECK(past.let_in.empty());
  Door wrong(behind_proxy(options_of(toy::stream())));
  const Stream other = wrong.connect();
  other.send("PROXY nonsense\r\n");
  wrong.is_turned_away(other, Reason::kBadRequest);
  CHECK(wrong.let_in.empty());
}

TEST_CASE("stream acceptor: a health check is a caller, not a player, and gives back its place") {
  Door door(behind_proxy(options_of(toy::stream())));
  door.route.server().drain(false);
  const Stream client = door.connect();
  client.send("PROXY UNKNOWN\r\n" + std::string(kHello));
  door.until([&] { return door.let_in.size() == 1; });
  CHECK(door.let_in.front().health_check);
  CHECK(door.inside() == 0);
  CHECK_FALSE(door.route.listener.admission.empty());
  CHECK(door.route.server().askers() == 1);
  door.acceptor.left(door.let_in.front().link, door.route.route, door.let_in.front().client, true);
  CHECK(door.route.listener.admission.empty());
}

TEST_CASE(
    "stream acceptor: while the listener drains, only an address with a kept place comes in, and only to resume") {
  Door door(options_of(toy::stream()));
  door.route.server().drain(false);
  const Stream first = door.a_client_is_let_in();
  CHECK_FALSE(door.let_in.back().only_resumes);
  door.route.listener.draining = true;
  const Stream newcomer = door.connect();
  door.is_turned_away(newcomer, Reason::kDraining);
  door.acceptor.away(door.route.route, door.let_in.front().client);
  const Stream back = door.a_client_is_let_in();
  CHECK(door.let_in.back().only_resumes);
  CHECK(door.inside() == 1);  // the absent one does not count
  door.acceptor.came_back(door.route.route, door.let_in.front().client);
  CHECK(door.inside() == 2);
}

TEST_CASE(
    "stream acceptor: clients of WebSockets are let in at once, and without a server, because they may want a page") {
  relay::RouteOptions options = of_waiting();
  options.game = &toy::messages();
  Door door(options);
  const Stream client = door.connect();
  door.until([&] { return door.let_in.size() == 1; });
  CHECK(door.let_in.front().server == nullptr);
  CHECK(door.inside() == 0);  // it is a caller
  CHECK_FALSE(door.route.listener.admission.empty());
}

TEST_CASE("stream acceptor: a client need not wait for the dialect of a server that is started for it") {
  for (const bool starts : {true, false}) {
    CAPTURE(starts);
    relay::RouteOptions options = of_waiting();
    if (starts) options.upstream.launch.start = "true";
    Door door(options);
    const Stream client = door.connect();
    door.until([&] { return door.inside() == 1; });
    CHECK(door.let_in.size() == (starts ? 1 : 0));
  }
}

TEST_CASE("stream acceptor: a client on its way to its session counts at its server") {
  Door door(options_of(toy::stream()));
  door.route.server().drain(false);
  const Stream client = door.a_client_is_let_in();
  CHECK(door.route.server().sessions() == 1);
  door.let_in.clear();
  CHECK(door.route.server().sessions() == 0);
}

TEST_CASE(
    "stream acceptor: while another process takes over, newcomers wait for it; if it does not, they come in here") {
  Door door(options_of(toy::game()));
  door.route.server().drain(false);
  const net::Address here = free_for_both();
  const Stream client = Stream::to(door.at, &here);
  door.until([&] { return door.let_in.size() == 1; });
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor.offer(offered).ok());
  CHECK(offered.size() == 2);  // TCP and UDP
  for (const relay::OfferedSocket& one : offered) CHECK(one.bound == door.at);
  REQUIRE(door.acceptor.release_newcomers().ok());
  const Stream waits = door.connect();
  door.settle();
  CHECK(door.let_in.size() == 1);
  const Datagrams socket(here);
  socket.send(door.at, frame("one"));
  door.until([&] { return door.datagrams.size() == 1; });  // those of its sessions come here
  CHECK(refuses_twins(door.at));
  door.acceptor.cancel_take_over();  // the other process still has its copies
  door.until([&] { return door.let_in.size() == 2; });
  CHECK_FALSE(door.route.listener.given_away.load());
  const Datagrams stranger(loopback());
  stranger.send(door.at, frame("two"));
  door.until([&] { return door.route.dropped(Drop::kUnknownSource) == 1; });
  offered.clear();
  CHECK(refuses_twins(door.at));
}

TEST_CASE("stream acceptor: during a take-over, the port of a session that has ended is the other process's") {
  Door door(options_of(toy::game()));
  door.route.server().drain(false);
  const net::Address here = free_for_both();
  const Stream client = Stream::to(door.at, &here);
  door.until([&] { return door.let_in.size() == 1; });
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor.offer(offered).ok());
  const Datagrams other(std::move(offered.back().fd)), socket(here);
  REQUIRE(door.acceptor.release_newcomers().ok());
  door.acceptor.left(1, door.route.route, here, false);
  socket.send(door.at, frame("one"));
  CHECK(other.receive().bytes == frame("one"));
  door.settle();
  CHECK(door.datagrams.empty());
}

TEST_CASE("stream acceptor: after a take-over, its port is free once the other process is gone") {
  Door door(options_of(toy::game()));
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor.offer(offered).ok());
  REQUIRE(door.acceptor.release_newcomers().ok());
  door.acceptor.complete_take_over();
  offered.clear();
  const net::Fd late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  CHECK(::connect(late.get(), door.at.raw(), door.at.size()) == -1);
  CHECK(errno == ECONNREFUSED);
  const Datagrams stranger(loopback());
  stranger.send(door.at, frame("one"));
  door.until([&] { return door.route.dropped(Drop::kUnknownSource) == 1; });  // the sessions' socket has it
}

TEST_CASE("stream acceptor: who waits for the server when another process takes over is let in here") {
  Door door(of_waiting());
  const Stream client = door.a_client_waits();
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor.offer(offered).ok());
  REQUIRE(door.acceptor.release_newcomers().ok());
  door.acceptor.complete_take_over();
  door.server_is_known();
  CHECK(door.let_in.size() == 1);
}

TEST_CASE("stream acceptor: a take-over that lacks file descriptors for its sessions' datagrams fails") {
  Door door(options_of(toy::game()));
  door.route.server().drain(false);
  const net::Address here = free_for_both();
  const Stream client = Stream::to(door.at, &here);
  door.until([&] { return door.let_in.size() == 1; });
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor.offer(offered).ok());
  const auto released = [&] {
    const NoFilesLeft limit;
    return door.acceptor.release_newcomers();
  }();
  REQUIRE_FALSE(released.ok());
  CHECK(released.error().text.find("cannot share the port of " + door.at.text()) != std::string::npos);
  door.acceptor.cancel_take_over();
  const Stream next = door.connect();
  door.until([&] { return door.let_in.size() == 2; });
}

TEST_CASE("stream acceptor: after a take-over nobody comes in here any more, and it is said so") {
  Door door(options_of(toy::stream()));
  door.route.server().drain(false);
  std::vector<relay::OfferedSocket> offered;
  REQUIRE(door.acceptor.offer(offered).ok());
  CHECK(offered.size() == 1);
  REQUIRE(door.acceptor.release_newcomers().ok());
  door.acceptor.complete_take_over();
  CHECK(door.route.listener.given_away.load());
  const Stream client = door.connect();  // by the socket that the other process has
  door.settle();
  CHECK(door.let_in.empty());
}

TEST_CASE("stream acceptor: who waits is not moved, is told the operator's words when it is sent away, and is logged") {
  Door door(of_waiting());
  const Stream client = door.a_client_waits();
  relay::SessionCommand command;
  command.action = relay::SessionCommand::Action::kMove;
  command.move = std::make_shared<relay::MoveOrder>(0);
  relay::Inquiry inquiry;
  {
    relay::Inquiry::Part part(inquiry);
    door.acceptor.command(command, part);
  }
  CHECK(inquiry.wait().size() == 1);
  const relay::MoveResult moved = command.move->wait(0);
  CHECK(moved.how == relay::MoveResult::How::kStays);
  CHECK(moved.text == "it waits until its server can be reached");
  CHECK(door.inside() == 1);
  CHECK_FALSE(client.readable(0));
  relay::SessionCommand none = command;
  none.none = true;
  relay::Inquiry nobody;
  {
    relay::Inquiry::Part part(nobody);
    door.acceptor.command(none, part);
  }
  CHECK(nobody.wait().empty());
}

TEST_CASE("stream acceptor: who waits goes to the route that the listener serves by then") {
  Door door(of_waiting());
  const Stream client = door.a_client_waits();
  OneRoute next(door.loop, options_of(toy::stream()), {loopback()});
  next.route.index = 7;
  next.route.listener = &door.route.listener;
  next.here.emplace(next.route, door.loop, nullptr);
  relay::ServerProbes probes(*next.here);
  CHECK_FALSE(door.route.route.is_empty());
  door.acceptor.serve(*next.here, probes);
  REQUIRE(door.let_in.size() == 1);
  CHECK(door.let_in.front().route == 7);
  CHECK(door.let_in.front().server == &next.server());
  CHECK(door.route.route.is_empty());
  CHECK_FALSE(next.route.is_empty());
  CHECK(&door.acceptor.route() == &next.route);
  door.let_in.clear();
  door.acceptor.serve(*door.route.here, door.probes);
}

TEST_CASE(
    "stream acceptor: without a free file descriptor nothing is offered to another process, and clients come in here") {
  Door door(options_of(toy::stream()));
  door.route.server().drain(false);
  std::vector<relay::OfferedSocket> offered;
  {
    const NoFilesLeft limit;
    CHECK_FALSE(door.acceptor.offer(offered).ok());
  }
  CHECK(offered.empty());
  door.acceptor.cancel_take_over();
  const Stream client = door.a_client_is_let_in();
}

}  // namespace
}  // namespace entente::testing::stream_acceptor_test
