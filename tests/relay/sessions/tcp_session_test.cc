// A relay's session over TCP whose time the test sets: when it ends, what it passes late, and what it counts.
#include "proxy/relay/sessions/tcp_session.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "adapters/aos/aos.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/sessions/quiet_owner.h"
#include "tests/relay/toy.h"

namespace entente::testing::tcp_session_test {
namespace {

using relay::Drop, relay::Reason;

constexpr std::uint32_t kIdleMs = 60'000, kHalfClosedMs = 20'000, kGreetMs = 5'000, kLingerMs = 3'000;
constexpr Millis kParting = 250, kLongestKept = 2'000;

Limits timed() {
  Limits limits = no_limits();
  limits.idle_ms = kIdleMs;
  limits.half_closed_ms = kHalfClosedMs;
  limits.greet_ms = kGreetMs;
  limits.linger_ms = kLingerMs;
  return limits;
}

/// A client has connected.
struct Seat : Turning {
  explicit Seat(const Limits& limits = timed(), const wire::Game& game = toy::game())
      : fake(game.transport() == wire::Transport::kTcpAndUdp),
        route(loop, with(options_of(game), limits), {fake.address()}) {
    owner.only = &*route.here;
    const auto door = net::listen(loopback(), false);
    REQUIRE(door.ok());
    client = Stream::to(door->address);
    REQUIRE(wait_readable(door->tcp.get()));
    net::Fd fd(::accept4(door->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    REQUIRE(fd);
    relay::AcceptedClient newcomer;
    newcomer.link = 1;
    newcomer.client = client.here();
    newcomer.limits = limits;
    newcomer.choose_server(route.route.upstreams, loop.now());
    relay::Session::Owner& its_owner = owner;
    began = loop.now();
    session = std::make_unique<relay::TcpSession>(*route.here, its_owner, newcomer);
    session->start(std::move(fd));
  }
  static relay::RouteOptions with(relay::RouteOptions options, const Limits& limits) {
    options.limits = limits;
    return options;
  }
  /// The client and the server greet each other.
  void open() {
    client.send(kHello);
    until([&] { return fake.called(0); });
    server = fake.accept();
    until([&] { return server.readable(0); });
    CHECK(server.read_text(4) == kHello);
    server.send(kWelcome);
    until([&] { return client.readable(0); });
    CHECK(client.read_text(4) == kWelcome);
    settle();
  }
  /// Waits until a millisecond is over that has not begun yet.
  void pass_some_time() {
    const Millis then = loop.now();
    until([&] { return loop.now() >= then + 20; });
  }
  /// What has come to this peer.
  std::string got(const Stream& peer) {
    settle();
    return peer.readable(0) ? std::string(as_text(peer.read_some())) : "";
  }
  const relay::Counters& counters() const { return route.here->counters; }

  FakeServer fake;
  OneRoute route;
  QuietOwner owner;
  Stream client, server;
  Millis began = 0;
  std::unique_ptr<relay::TcpSession> session;
};

/// The session ends for this reason at `late`, and not at `early`.
void ends_between(Seat& seat, Reason why, Millis early, Millis late) {
  seat.session->tick(early);
  CHECK(seat.route.ended(why) == 0);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(late);
  CHECK(seat.route.ended(why) == 1);
  CHECK(seat.session->has_ended());
}

TEST_CASE("tcp session: one that gives way because too much waits for its address counts there no longer at once") {
  Limits limits = timed();
  limits.address_waiting_bytes = 256 * 1024;
  limits.high_water = 1024 * 1024;
  Seat seat(limits);
  seat.open();
  const Buffer piece = frames(64 * 1024, 9);
  std::size_t offset = 0;
  bool counted = false;
  seat.until([&] {
    if (seat.session->has_ended()) return true;
    offset = (offset + seat.server.try_send(Bytes(piece).subspan(offset))) % piece.size();
    seat.session->tick(seat.loop.now());
    counted = counted || seat.route.address_bytes.known() != 0;
    return seat.session->has_ended();
  });
  CHECK(counted);
  CHECK(seat.route.ended(Reason::kAddressStalled) == 1);
  CHECK(seat.owner.times_done == 0);  // what was accepted for the client still waits
  CHECK(seat.route.address_bytes.of(seat.client.here()) == 0);
  CHECK(seat.route.address_bytes.known() == 0);
  seat.session->tick(seat.loop.now());
  CHECK(seat.owner.times_done == 1);
  CHECK(seat.route.ended(Reason::kAddressStalled) == 1);
}

TEST_CASE("tcp session: one that passes only datagrams is not idle, whoever sends them") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    Datagrams server = seat.fake.take_datagrams();
    seat.session->receive_datagram(seat.client.here(), frame("first"));
    seat.until([&] { return server.readable(0); });
    const net::Address there = server.receive().from;
    const Millis before = seat.loop.now();
    seat.pass_some_time();
    if (by_client) {
      seat.session->receive_datagram(seat.client.here(), frame("second"));
      seat.until([&] { return server.readable(0); });
    } else {
      server.send(there, frame("second"));
      seat.until([&] { return seat.counters().to_client.datagrams.read() == 1; });
    }
    ends_between(seat, Reason::kIdle, before + kIdleMs + 10, seat.loop.now() + kIdleMs + 1);
  }
}

TEST_CASE("tcp session: it is idle once neither peer has sent anything for idle_ms") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    const Millis before = seat.loop.now();
    seat.pass_some_time();
    (by_client ? seat.client : seat.server).send(frame("x"));
    seat.until([&] { return (by_client ? seat.server : seat.client).readable(0); });
    ends_between(seat, Reason::kIdle, before + kIdleMs + 10, seat.loop.now() + kIdleMs + 1);
  }
}

TEST_CASE(
    "tcp session: a half-closed one ends when the other side is silent, and a datagram counts as a sign of life") {
  for (const bool datagram : {true, false}) {
    CAPTURE(datagram);
    Seat seat;
    seat.open();
    seat.client.finish();
    seat.until([&] { return seat.server.readable(0); });
    CHECK(seat.server.read_all().empty());
    const Millis before = seat.loop.now();
    seat.pass_some_time();
    if (datagram) {
      seat.session->receive_datagram(seat.client.here(), frame("x"));
      seat.settle();
    } else {
      seat.server.send(frame("x"));
      seat.until([&] { return seat.client.readable(0); });
    }
    ends_between(seat, Reason::kHalfClosed, before + kHalfClosedMs + 10, seat.loop.now() + kHalfClosedMs + 1);
  }
}

TEST_CASE("tcp session: a client has greet_ms for its whole greeting, and then may be silent for longer") {
  {
    Seat seat;
    seat.client.send(kHello.substr(0, 3));
    seat.settle();
    ends_between(seat, Reason::kGreetTimeout, seat.began + kGreetMs, seat.loop.now() + kGreetMs + 1);
    CHECK_FALSE(seat.fake.called(0));
  }
  Seat seat;
  seat.open();
  seat.session->tick(seat.loop.now() + kGreetMs + 1);
  CHECK_FALSE(seat.session->has_ended());
}

TEST_CASE("tcp session: a client whose server has left gets a goodbye a quarter of a second later, and then the end") {
  Seat seat;
  seat.open();
  const Millis before = seat.loop.now();
  seat.server.finish();
  seat.settle();
  seat.session->tick(before + kParting - 1);
  CHECK(seat.got(seat.client).empty());
  seat.session->tick(seat.loop.now() + kParting);
  CHECK(seat.got(seat.client) == kGoodbye);
  CHECK(seat.client.read_all().empty());
  seat.session->tick(seat.loop.now() + kParting);
  CHECK_FALSE(seat.session->has_ended());  // the client may still send
}

TEST_CASE(
    "tcp session: a client gets one goodbye, also if its server says it itself or leaves in the middle of a frame") {
  for (const std::string_view last : {kGoodbye, std::string_view("\x05\x03half")}) {
    Seat seat;
    seat.open();
    seat.server.send(last);
    seat.settle();
    seat.server.finish();
    seat.settle();
    for (int i = 0; i < 2; ++i) seat.session->tick(seat.loop.now() + kParting);
    seat.settle();
    CHECK(as_text(seat.client.read_all()) == kGoodbye);
  }
}

TEST_CASE("tcp session: the beginning of a frame is passed on alone if its rest does not come within two seconds") {
  Seat seat;
  seat.open();
  const Buffer whole = frame("abcd");
  const Millis before = seat.loop.now();
  seat.server.send(Bytes(whole).first(4));
  seat.settle();
  seat.session->tick(before + kLongestKept);
  CHECK(seat.got(seat.client).empty());
  seat.session->tick(seat.loop.now() + kLongestKept + 1);
  CHECK(seat.got(seat.client) == as_text(Bytes(whole).first(4)));
  seat.session->tick(seat.loop.now() + 2 * kLongestKept + 2);
  CHECK(seat.got(seat.client).empty());
  seat.server.send(Bytes(whole).subspan(4));
  CHECK(seat.got(seat.client) == "cd");
  CHECK(seat.counters().to_client.frames.read() == 2);  // with the greeting
}

TEST_CASE("tcp session: what a client sends above its rate passes, and the next only when the rate allows it") {
  Limits limits = timed();
  limits.messages_per_second = 10;  // 20 at once
  Seat seat(limits);
  seat.open();
  Buffer many;
  for (int i = 0; i < 24; ++i) append(many, frame(""));  // with the greeting, five too many
  const Millis before = seat.loop.now();
  seat.client.send(many);
  seat.until([&] { return seat.counters().throttled.read() == 1; });
  CHECK(seat.got(seat.server).size() == many.size());
  seat.client.send(frame("x"));
  CHECK(seat.got(seat.server).empty());
  seat.session->tick(before + 490);  // the greeting's message is back, or is not
  CHECK(seat.got(seat.server).empty());
  const Millis after = seat.loop.now() + 600;
  seat.session->tick(after);
  CHECK(seat.got(seat.server) == as_text(frame("x")));
  CHECK(seat.route.heard.told("and is read more slowly") == 1);
}

TEST_CASE("tcp session: after its end, its links have linger_ms to close, and its owner is told once") {
  Seat seat;
  seat.open();
  const Millis before = seat.loop.now();
  seat.session->send_away(Reason::kKicked, "");
  seat.session->send_away(Reason::kBannedNow, "");  // only the first reason counts
  CHECK(seat.got(seat.client).ends_with(kGoodbye));
  CHECK(seat.route.ended(Reason::kKicked) == 1);
  CHECK(seat.route.ended(Reason::kBannedNow) == 0);
  seat.session->tick(before + kLingerMs - 1);
  CHECK(seat.owner.times_done == 0);
  seat.session->tick(seat.loop.now() + kLingerMs);
  CHECK(seat.owner.times_done == 1);
  seat.session->tick(seat.loop.now() + 2 * kLingerMs);
  CHECK(seat.owner.times_done == 1);
}

TEST_CASE("tcp session: it is over before linger_ms once both peers have closed") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "");
  seat.client.close();
  seat.settle();
  CHECK(seat.owner.times_done == 0);
  seat.server.close();
  seat.until([&] { return seat.owner.times_done == 1; });
}

TEST_CASE("tcp session: a program that stops does not wait longer for a session that was ending already") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "");
  seat.session->stop();
  CHECK(seat.route.ended(Reason::kStopped) == 0);
  seat.session->tick(seat.loop.now() + kLingerMs);
  CHECK(seat.owner.times_done == 1);
}

TEST_CASE("tcp session: a peer that goes on sending after the end is cut off after 64 KiB") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "");
  for (Stream* const peer : {&seat.client, &seat.server}) {
    CHECK(seat.owner.times_done == 0);
    const Buffer much(relay::kMostUnheard, 1);
    peer->send(much);
    seat.settle();
    seat.pass_some_time();
    (void)peer->try_send(Buffer(1, 1));
    seat.until([&] { return peer == &seat.client || seat.owner.times_done == 1; });
  }
}

TEST_CASE("tcp session: datagrams of a client pass only while its session is open") {
  Seat seat;
  seat.session->receive_datagram(seat.client.here(), frame("early"));
  seat.settle();
  CHECK(seat.route.dropped(Drop::kNotLinked) == 1);
  seat.open();
  CHECK(seat.owner.player == 7U);
  seat.session->receive_datagram(seat.client.here(), frame("now"));
  seat.settle();
  CHECK(seat.counters().to_server.datagrams.read() == 1);
  seat.session->send_away(Reason::kKicked, "");
  seat.session->receive_datagram(seat.client.here(), frame("late"));
  seat.settle();
  CHECK(seat.route.dropped(Drop::kNotLinked) == 2);
  CHECK(seat.counters().to_server.datagrams.read() == 1);
}

TEST_CASE("tcp session: it counts for its server from its beginning until it is gone, and as opened once it is there") {
  Seat seat;
  CHECK(seat.route.server().sessions() == 1);
  CHECK(seat.route.server().sessions_opened() == 0);
  seat.open();
  CHECK(seat.route.server().sessions() == 1);
  CHECK(seat.route.server().sessions_opened() == 1);
  CHECK(seat.route.server().state() == relay::Upstream::State::kUp);
  CHECK_FALSE(seat.route.route.is_empty());
  seat.session.reset();
  CHECK(seat.route.server().sessions() == 0);
  CHECK(seat.route.route.is_empty());
}

TEST_CASE("tcp session: it reports the bytes of both peers, and its age") {
  Seat seat;
  seat.open();
  seat.client.send(frame("abc"));
  seat.server.send(frame("de"));
  CHECK(seat.got(seat.server) == as_text(frame("abc")));
  CHECK(seat.got(seat.client) == as_text(frame("de")));
  const relay::SessionReport report = seat.session->report();
  CHECK(report.bytes == 4 + 5 + 4 + 4);
  CHECK(report.age == seat.loop.now() - seat.began);
  CHECK(report.info.link == 1);
  CHECK(report.info.server == seat.fake.address());
}

/// Another route, to which players are to be moved.
struct Elsewhere {
  Elsewhere(Seat& seat, const wire::Game& game, const std::string& host, std::uint16_t port)
      : it(seat.loop, with(game, host, port), {seat.fake.address()}) {
    seat.owner.only = &*it.here;
  }
  static relay::RouteOptions with(const wire::Game& game, const std::string& host, std::uint16_t port) {
    relay::RouteOptions options = options_of(game);
    options.public_host = host;
    options.public_port = port;
    return options;
  }
  OneRoute it;
};

/// What becomes of an order to move.
relay::MoveResult moved(Seat& seat) {
  const auto order = std::make_shared<relay::MoveOrder>(1);
  seat.session->move(order);
  return order->wait(0);
}

TEST_CASE("tcp session: a player that is moved is told where to connect, as others would find that listener") {
  struct Told {
    const char* public_host;
    std::uint16_t public_port;
    const char* listen;  // on this address
    const char* expected;
  };
  for (const Told& one : {Told{"", 0, "192.0.2.7", "192.0.2.7:5000"}, Told{"", 6000, "192.0.2.7", "192.0.2.7:6000"},
                          Told{"play.example.org", 0, "192.0.2.7", "play.example.org:5000"},
                          Told{"play.example.org", 6000, "0.0.0.0", "play.example.org:6000"},
                          Told{"", 0, "0.0.0.0", "127.0.0.1:5000"}}) {  // the address that the client used
    CAPTURE(one.expected);
    Seat seat;
    seat.open();
    Elsewhere other(seat, toy::game(), one.public_host, one.public_port);
    other.it.route.listen_address = *net::Address::parse(one.listen, 5000);
    const relay::MoveResult result = moved(seat);
    CHECK(result.how == relay::MoveResult::How::kReferred);
    CHECK(result.text == std::string("moved to another server: connect to ") + one.expected);
    CHECK(seat.route.ended(Reason::kReferred) == 1);
    CHECK(seat.got(seat.client).ends_with(kGoodbye));
  }
}

TEST_CASE(
    "tcp session: a player stays where it is if the other route is the same, takes nobody or is of another game") {
  const auto why = [](const wire::Game& game, const std::function<void(Seat&, Elsewhere&)>& change) {
    Seat seat;
    seat.open();
    Elsewhere other(seat, game, "", 0);
    other.it.route.listen_address = *net::Address::parse("192.0.2.7", 5000);
    change(seat, other);
    const relay::MoveResult result = moved(seat);
    CHECK(result.how == relay::MoveResult::How::kStays);
    CHECK_FALSE(seat.session->has_ended());
    seat.client.send(frame("still here"));
    CHECK(seat.got(seat.server) == as_text(frame("still here")));
    return result.text;
  };
  CHECK(why(toy::game(), [](Seat& seat, Elsewhere&) { seat.owner.only = &*seat.route.here; }) ==
        "the player is there already");
  CHECK(why(toy::game(), [](Seat&, Elsewhere& other) { other.it.route.draining = true; }) ==
        "that route takes no newcomers (draining)");
  CHECK(why(toy::game(), [](Seat&, Elsewhere& other) { other.it.route.retired = true; }) ==
        "that route takes no newcomers (draining)");
  CHECK(why(aos::game(), [](Seat&, Elsewhere&) {}).starts_with("the client would have to connect there, but"));
}

TEST_CASE("tcp session: a client that ends its direction is still told all that its server says, and then the end") {
  Seat seat;
  seat.open();
  seat.client.finish();
  seat.until([&] { return seat.server.readable(0); });
  CHECK(seat.server.read_all().empty());
  seat.server.send(frame("one"));
  CHECK(seat.got(seat.client) == as_text(frame("one")));
  CHECK_FALSE(seat.session->has_ended());
  seat.server.finish();
  seat.until([&] { return seat.session->has_ended(); });
  CHECK(seat.route.ended(Reason::kClientLeft) == 1);  // who ended first
  CHECK(seat.route.ended(Reason::kServerLeft) == 0);
}

TEST_CASE("tcp session: a peer that resets its connection is the reason, and the other side is closed") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    (by_client ? seat.client : seat.server).reset();
    seat.until([&] { return seat.session->has_ended(); });
    CHECK(seat.route.ended(by_client ? Reason::kClientReset : Reason::kServerReset) == 1);
    const Stream& other = by_client ? seat.server : seat.client;
    seat.until([&] { return other.readable(0); });
    CHECK(as_text(other.read_all()) == (by_client ? "" : kGoodbye));
  }
}

}  // namespace
}  // namespace entente::testing::tcp_session_test
