// A relay's session over WebSocket whose time the test sets: when it ends, which close frames pass, and what it counts.
#include "proxy/relay/sessions/web_session.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/sessions/quiet_owner.h"
#include "tests/relay/web_peers.h"
#include "tests/support/toy_game.h"

namespace entente::testing::web_session_test {
namespace {

using net::CloseFrame, net::Opcode, relay::Reason;
using wire::Way;

constexpr std::uint32_t kIdleMs = 60'000, kStallMs = 7'000, kLingerMs = 3'000, kConnectMs = 4'000;

Limits timed() {
  Limits limits = no_limits();
  limits.idle_ms = kIdleMs;
  limits.stall_ms = kStallMs;
  limits.linger_ms = kLingerMs;
  limits.connect_ms = kConnectMs;
  return limits;
}

/// A client that has asked for a WebSocket.
struct Seat : WebTurning {
  explicit Seat(const Limits& limits = timed(), const std::string& target = "/",
                const wire::Game& game = toy::messages())
      : route(loop, with(options_of(game), limits), {fake.address()}, &tapped.sink(0)) {
    owner.only = &*route.here;
    const auto door = net::listen(loopback(), false);
    REQUIRE(door.ok());
    client.emplace(door->address, target);
    REQUIRE(wait_readable(door->tcp.get()));
    Stream accepted(net::Fd(::accept4(door->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
    relay::AcceptedClient newcomer;
    newcomer.link = 1;
    newcomer.client = client->stream().here();
    newcomer.limits = limits;
    newcomer.choose_server(route.route.upstreams, loop.now());
    newcomer.heard = std::make_shared<net::HeardRequest>();
    newcomer.heard->head = std::make_unique<net::HttpReader>(net::HttpReader::Of::kRequest);
    while (!newcomer.heard->head->complete()) {
      const Buffer some = accepted.read_some();
      const auto taken = newcomer.heard->head->feed(some);
      REQUIRE(taken.ok());
      newcomer.heard->early.assign(some.begin() + static_cast<std::ptrdiff_t>(*taken), some.end());
    }
    relay::Session::Owner& its_owner = owner;
    began = loop.now();
    session = std::make_unique<relay::WebSession>(*route.here, its_owner, newcomer);
    session->start(net::Fd(::fcntl(accepted.fd(), F_DUPFD_CLOEXEC, 0)));
    accepted.close();
  }
  static relay::RouteOptions with(relay::RouteOptions options, const Limits& limits) {
    options.limits = limits;
    return options;
  }
  void reach_server() {
    until([&] { return fake.called(0); });
    settle();
    server.emplace(fake);
  }
  void open() {
    reach_server();
    server->upgrade();
    until([&] { return client->stream().readable(0); });
    client->upgrade();
    settle();
  }
  void pass_some_time() {
    const Millis then = loop.now();
    until([&] { return loop.now() >= then + 20; });
  }
  const relay::Counters& counters() const { return route.here->counters; }

  FakeServer fake;
  Tapped tapped;
  OneRoute route;
  QuietOwner owner;
  std::optional<WebClient> client;
  std::optional<WebServer> server;
  Millis began = 0;
  std::unique_ptr<relay::Session> session;
};

TEST_CASE("web session: messages of both kinds and pings pass as they came, and only messages are counted") {
  Seat seat;
  seat.open();
  seat.client->send(Opcode::kText, as_bytes(std::string_view("hi")));
  CHECK(seat.next(*seat.server) == "t:" + to_hex(as_bytes(std::string_view("hi"))));
  seat.client->send("0102");
  CHECK(seat.next(*seat.server) == "b:0102");
  seat.server->send("03");
  CHECK(seat.next(*seat.client) == "b:03");
  seat.server->send(Opcode::kPing, as_bytes(std::string_view("p")));
  CHECK(seat.next(*seat.client).starts_with("ping:"));
  seat.client->send(Opcode::kPong, as_bytes(std::string_view("p")));
  CHECK(seat.next(*seat.server).starts_with("pong:"));
  CHECK(seat.counters().to_server.frames.read() == 2);
  CHECK(seat.counters().to_server.bytes.read() == 4);
  CHECK(seat.counters().to_client.frames.read() == 1);
  CHECK(seat.counters().to_client.bytes.read() == 1);
  CHECK(seat.counters().begun.read() == 1);
  CHECK(seat.session->report().bytes == 5);
  CHECK(seat.session->report().info.server == seat.fake.address());
  CHECK(seat.route.server().sessions_opened() == 1);
}

TEST_CASE("web session: it is not counted before the server has upgraded, and the tap hears of it with a message") {
  Seat seat;
  CHECK(seat.counters().begun.read() == 0);
  seat.open();
  CHECK(seat.counters().begun.read() == 1);
  CHECK(seat.route.heard.told("opened ") == 0);
  seat.server->send("03");  // before the client has said anything
  CHECK(seat.next(*seat.client) == "b:03");
  CHECK(seat.route.heard.told("opened ") == 0);
  CHECK(seat.tapped.record(1).to_client.empty());
  seat.client->send("01");
  CHECK(seat.next(*seat.server) == "b:01");
  CHECK(seat.route.heard.told("opened ") == 1);
  CHECK(seat.tapped.record(1).to_client == Buffer{3});
  CHECK(seat.tapped.record(1).to_server == Buffer{1});
}

TEST_CASE("web session: the tap hears of one that ends before its client said anything, with what the server said") {
  Seat seat;
  seat.open();
  seat.server->send("03");
  CHECK(seat.next(*seat.client) == "b:03");
  seat.session->send_away(Reason::kKicked, "");
  CHECK(seat.tapped.record(1).to_client == Buffer{3});
  CHECK(seat.tapped.record(1).closed == relay::text(Reason::kKicked));
  CHECK(seat.route.heard.told("opened ") == 1);
}

TEST_CASE("web session: it is idle once neither peer has sent anything for idle_ms; a ping is a sign of life") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    const Millis before = seat.loop.now();
    seat.pass_some_time();
    if (by_client) {
      seat.client->send(Opcode::kPing, {});
      (void)seat.next(*seat.server);
    } else {
      seat.server->send("01");
      (void)seat.next(*seat.client);
    }
    seat.session->tick(before + kIdleMs + 10);
    CHECK_FALSE(seat.session->has_ended());
    seat.session->tick(seat.loop.now() + kIdleMs + 1);
    CHECK(seat.route.ended(Reason::kIdle) == 1);
    CHECK(seat.next(*seat.client).starts_with("close:"));
    CHECK(seat.next(*seat.server).starts_with("close:"));
  }
}

TEST_CASE("web session: a close frame passes with its code and reason; with the answer to it, the session ends") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    WebPeer& first = by_client ? static_cast<WebPeer&>(*seat.client) : *seat.server;
    WebPeer& second = by_client ? static_cast<WebPeer&>(*seat.server) : *seat.client;
    first.send(CloseFrame{4001, "bye"});
    CHECK(seat.next(second) == "close:4001 bye");
    CHECK_FALSE(seat.session->has_ended());
    second.send("07");  // it may still speak
    CHECK(seat.next(first) == "b:07");
    second.send(CloseFrame{1000, "ok"});
    CHECK(seat.next(first) == "close:1000 ok");
    CHECK(seat.route.ended(by_client ? Reason::kClientLeft : Reason::kServerLeft) == 1);
    CHECK(seat.next(first) == "end");  // nothing of ours
    CHECK(seat.next(second) == "end");
  }
}

TEST_CASE("web session: a peer has linger_ms to answer a close frame, however much it says meanwhile") {
  Seat seat;
  seat.open();
  const Millis before = seat.loop.now();
  seat.client->send(CloseFrame{1000, ""});
  (void)seat.next(*seat.server);
  const Millis parted = seat.loop.now();
  seat.pass_some_time();
  seat.server->send("07");
  (void)seat.next(*seat.client);
  seat.session->tick(before + kLingerMs);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(parted + kLingerMs + 1);
  CHECK(seat.session->has_ended());
  CHECK(seat.route.ended(Reason::kClientLeft) == 1);
}

TEST_CASE("web session: nothing passes to a peer after its close frame") {
  Seat seat;
  seat.open();
  seat.client->send("01");
  CHECK(seat.next(*seat.server) == "b:01");
  seat.server->send(CloseFrame{1000, ""});
  CHECK(seat.next(*seat.client).starts_with("close:1000"));
  seat.server->send_raw(from_hex("820105"));  // a message behind the close frame
  CHECK_FALSE(seat.has_more(*seat.client));
  CHECK(seat.counters().to_client.frames.read() == 0);
}

TEST_CASE("web session: a peer whose connection ends without a close frame ends it, and the other's ends so, too") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    (by_client ? static_cast<WebPeer&>(*seat.client) : *seat.server).stream().close();
    seat.until([&] { return seat.session->has_ended(); });
    CHECK(seat.route.ended(by_client ? Reason::kClientLeft : Reason::kServerLeft) == 1);
    WebPeer& other = by_client ? static_cast<WebPeer&>(*seat.server) : *seat.client;
    if (by_client)
      CHECK(seat.next(other) == "end");
    else
      CHECK(seat.next(other).starts_with("close:1001"));  // a client is told why
  }
}

TEST_CASE("web session: who is sent away gets a close frame of that kind, and its server one that the client is gone") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "be kind");
  CHECK(seat.next(*seat.client).starts_with("close:1008"));
  CHECK(seat.next(*seat.server).starts_with("close:"));
  CHECK(seat.route.ended(Reason::kKicked) == 1);
  seat.session->send_away(Reason::kBannedNow, "");
  CHECK(seat.route.ended(Reason::kBannedNow) == 0);
  const Millis ended = seat.loop.now();
  seat.session->tick(ended + kLingerMs + 1'000);
  CHECK(seat.owner.times_done == 1);
  seat.session->tick(ended + 9 * kLingerMs);
  CHECK(seat.owner.times_done == 1);
}

/// A player of a game whose client shows a goodbye for a while has just been sent away.
struct Kicked : Seat {
  Kicked() : Seat(timed(), "/", ogar::game()) {
    open();
    client->send("fe06000000");
    CHECK(next(*server) == "b:fe06000000");
    at = loop.now() + 1'000;
    pretend(at);
    session->send_away(Reason::kKicked, "be kind");
  }
  void tick_at(Millis now) {
    pretend(now);
    session->tick(now);
  }
  Millis at = 0;
};

TEST_CASE("web session: who reads its goodbye has linger_ms after that to close, and not the time to read once more") {
  Kicked kicked;
  const Millis reads_for = ogar::game().refuse_linger_ms();
  kicked.tick_at(kicked.at + reads_for - 1);
  CHECK(kicked.route.ended(Reason::kKicked) == 0);
  kicked.tick_at(kicked.at + reads_for);
  CHECK(kicked.route.ended(Reason::kKicked) == 1);
  kicked.tick_at(kicked.at + reads_for + kLingerMs - 1);
  CHECK(kicked.owner.times_done == 0);
  kicked.tick_at(kicked.at + reads_for + kLingerMs);
  CHECK(kicked.owner.times_done == 1);
}

TEST_CASE("web session: when the program stops, who reads its goodbye has linger_ms to close, like the others") {
  Kicked kicked;
  kicked.pretend(kicked.at + 500);
  kicked.session->stop();
  CHECK(kicked.route.ended(Reason::kKicked) == 1);
  kicked.tick_at(kicked.at + 500 + kLingerMs - 1);
  CHECK(kicked.owner.times_done == 0);
  kicked.tick_at(kicked.at + 500 + kLingerMs);
  CHECK(kicked.owner.times_done == 1);
}

TEST_CASE("web session: it is over before linger_ms once both peers have closed") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "");
  seat.client->stream().close();
  seat.settle();
  CHECK(seat.owner.times_done == 0);
  seat.server->stream().close();
  seat.until([&] { return seat.owner.times_done == 1; });
}

TEST_CASE("web session: a server that declines is answered by its status, and what follows its request is not passed") {
  Seat seat;
  seat.reach_server();
  seat.server->send_raw(std::string_view("HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nfull"));
  seat.until([&] { return seat.session->has_ended(); });
  CHECK(seat.route.ended(Reason::kServerDeclined) == 1);
  CHECK(seat.counters().begun.read() == 1);  // with its end
  seat.until([&] { return seat.client->stream().readable(0); });
  CHECK(seat.client->answer().status == 403);
  CHECK(seat.route.server().sessions_opened() == 0);
}

TEST_CASE("web session: a server that closes instead of an answer has declined") {
  Seat seat;
  seat.reach_server();
  seat.server->stream().close();
  seat.until([&] { return seat.session->has_ended(); });
  CHECK(seat.route.ended(Reason::kServerDeclined) + seat.route.ended(Reason::kServerUnreachable) == 1);
  seat.until([&] { return seat.client->stream().readable(0); });
  CHECK(seat.client->answer().status == 502);
}

TEST_CASE("web session: a server that is silent after its request is given up after connect_ms") {
  Seat seat;
  seat.reach_server();
  seat.session->tick(seat.began + kConnectMs);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(seat.loop.now() + kConnectMs + 1);
  CHECK(seat.route.ended(Reason::kServerTimeout) == 1);
  seat.until([&] { return seat.client->stream().readable(0); });
  CHECK(seat.client->answer().status == 504);
}

TEST_CASE("web session: a message of the wrong form is told by its code, and the server does not see it") {
  Seat seat;
  seat.open();
  seat.client->send_raw(from_hex("8101ff"));  // not masked
  CHECK(seat.next(*seat.client).starts_with("close:1002"));
  CHECK(seat.next(*seat.server).starts_with("close:1001"));
  CHECK(seat.route.ended(Reason::kBadFrame) == 1);
  CHECK(seat.counters().to_server.frames.read() == 0);
}

TEST_CASE("web session: a server that breaks WebSocket is told so, its client that the server did, and the log why") {
  Seat seat;
  seat.open();
  seat.server->send_raw(from_hex("f100"));  // reserved bits
  CHECK(seat.next(*seat.client).starts_with("close:1001"));
  CHECK(seat.next(*seat.server).starts_with("close:1002"));
  CHECK(seat.route.ended(Reason::kServerProtocolError) == 1);
  CHECK(seat.route.heard.told("server " + seat.fake.address().text()) >= 1);
}

TEST_CASE("web session: its place at the server is free once it is gone") {
  Seat seat;
  CHECK(seat.route.server().sessions() == 1);
  seat.open();
  CHECK(seat.route.server().sessions() == 1);
  CHECK_FALSE(seat.route.route.is_empty());
  seat.session.reset();
  CHECK(seat.route.server().sessions() == 0);
  CHECK(seat.route.route.is_empty());
}

TEST_CASE("web session: a lab delays messages and what follows them, and a close frame comes after them") {
  const auto lab = [](std::string_view text) {
    auto plan = relay::LabPlan::parse(text, nullptr);
    REQUIRE(plan.ok());
    return std::make_shared<const relay::LabPlan>(std::move(*plan));
  };
  Seat seat;
  seat.route.here->lab = {lab("to_server: delay=50s"), seat.loop.now()};
  seat.open();
  CHECK(seat.session->report().lab);
  seat.client->send("01");
  seat.client->send(CloseFrame{1000, "bye"});
  CHECK_FALSE(seat.has_more(*seat.server));
  seat.server->send("02");
  CHECK(seat.next(*seat.client) == "b:02");
  seat.session->stop();
  CHECK(seat.next(*seat.server) == "b:01");
  CHECK(seat.next(*seat.server) == "close:1000 bye");
  CHECK(seat.route.ended(Reason::kStopped) == 1);
}

}  // namespace
}  // namespace entente::testing::web_session_test
