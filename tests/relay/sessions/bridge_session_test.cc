// A bridge's session whose time the test sets: when it ends, what it counts, and what its owner is told.
#include "proxy/relay/sessions/bridge_session.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/bridging.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/sessions/quiet_owner.h"

namespace entente::testing::bridge_session_test {
namespace {

using relay::Reason;

constexpr std::uint32_t kIdleMs = 60'000, kGreetMs = 5'000, kLingerMs = 3'000, kReadyMs = 9'000;
const std::string kBye{"\0\x09", 2};

Limits timed() {
  Limits limits = no_limits();
  limits.idle_ms = kIdleMs;
  limits.greet_ms = kGreetMs;
  limits.linger_ms = kLingerMs;
  limits.connect_ms = kIdleMs;
  return limits;
}

struct Owner : QuietOwner {
  void new_player(relay::Session&) override { ++players; }
  void away(relay::Session&, const core::Absence& its) override {
    absence = its;
    ++times_away;
  }
  void stays_away(relay::Session&) override { ++times_staying; }
  int players = 0, times_away = 0, times_staying = 0;
  core::Absence absence;
};

/// Lets the player in once the server has said anything.
class Welcoming final : public core::Back {
 public:
  void opened(const core::Peer&, core::BackOut& out) override { out.send(wire::Lane::kStream, as_bytes(kHello)); }
  void hear(const core::Intent& intent, core::BackOut&) override { player_ = intent.by; }
  void receive(const Frames&, core::BackOut& out) override {
    words::Player player;
    player.set_id(player_);
    out.say(player);
    out.say(words::Ready());
  }

 private:
  core::Id player_ = 0;
};

using With = std::function<void(relay::RouteOptions&)>;

/// A client has connected.
struct Seat : Turning {
  explicit Seat(const Limits& limits = timed(), std::uint32_t hold_ms = 0, const wire::Game& game = toy::stream(),
                const With& change = nullptr)
      : fake(game.transport() == wire::Transport::kTcpAndUdp),
        route(loop, with(limits, hold_ms, game, change), {fake.address()}, &tapped.sink(0)) {
    owner.only = &*route.here;
    connect();
    relay::AcceptedClient newcomer;
    newcomer.link = 1;
    newcomer.client = client.here();
    newcomer.limits = limits;
    newcomer.choose_server(route.route.upstreams, loop.now());
    relay::Session::Owner& its_owner = owner;
    began = loop.now();
    session = std::make_unique<relay::BridgeSession>(*route.here, its_owner, newcomer);
    session->start(take());
  }
  static relay::RouteOptions with(const Limits& limits, std::uint32_t hold_ms, const wire::Game& game,
                                  const With& change = nullptr) {
    relay::RouteOptions options = options_of(game);
    options.limits = limits;
    options.upstream.hold_ms = hold_ms;
    options.bridge = toy_bridge(game, game);
    if (hold_ms != 0) options.bridge->back = [](std::size_t) { return std::make_unique<Welcoming>(); };
    if (change) change(options);
    return options;
  }
  void connect() {
    if (!door.tcp) door = std::move(*net::listen(loopback(), false));
    client = Stream::to(door.address);
    REQUIRE(wait_readable(door.tcp.get()));
  }
  net::Fd take() const { return net::Fd(::accept4(door.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)); }
  std::string read(const Stream& from, std::size_t size) {
    std::string all;
    while (all.size() < size) {
      until([&] { return from.readable(0); });
      const Buffer some = from.read_some(size - all.size());
      if (some.empty()) break;
      all += as_text(some);
    }
    return all;
  }
  void accept_server() {
    until([&] { return fake.called(0); });
    server = fake.accept();
    CHECK(read(server, 4) == kHello);
    server.send(kWelcome);
  }
  void greet() {
    client.send(kHello);
    CHECK(read(client, 4) == kWelcome);
  }
  /// The player is in.
  void open() {
    greet();
    accept_server();
    client.send(frame("up"));
    CHECK(read(server, 4) == as_text(frame("up")));
    server.send(frame("down"));
    CHECK(read(client, 6) == as_text(frame("down")));
  }
  std::string got(const Stream& peer) {
    settle();
    return peer.readable(0) ? std::string(as_text(peer.read_some())) : "";
  }
  void pass_some_time() {
    const Millis then = loop.now();
    until([&] { return loop.now() >= then + 20; });
  }
  const relay::Counters& counters() const { return route.here->counters; }

  FakeServer fake;
  Tapped tapped;
  OneRoute route;
  Owner owner;
  net::Sockets door;
  Stream client, server;
  Millis began = 0;
  std::unique_ptr<relay::Session> session;
};

TEST_CASE("bridge session: the client is greeted here, and its server is called only once it has greeted") {
  Seat seat;
  seat.settle();
  CHECK_FALSE(seat.fake.called(0));
  CHECK(seat.owner.players == 0);
  seat.greet();
  seat.until([&] { return seat.fake.called(0); });
  CHECK(seat.owner.players == 1);
  CHECK(seat.counters().begun.read() == 1);
  CHECK(seat.route.server().sessions_opened() == 0);
  seat.accept_server();
  seat.until([&] { return seat.route.server().sessions_opened() == 1; });
  CHECK(seat.owner.players == 1);
}

TEST_CASE("bridge session: words pass, and the bytes of both peers are counted and reported") {
  Seat seat;
  seat.open();
  CHECK(seat.session->report().bytes == 4 + 4 + 4 + 6);
  CHECK(seat.session->report().info.server == seat.fake.address());
  CHECK_FALSE(seat.session->report().moved_to);
  CHECK(seat.session->report().arena.empty());
  CHECK(seat.tapped.record(1).to_server.size() == 8);
  CHECK(seat.tapped.record(99).to_server.size() == 8);  // the server's link has a number of its own
}

TEST_CASE("bridge session: a client has greet_ms for its greeting, and then may be silent for longer") {
  {
    Seat seat;
    seat.client.send(kHello.substr(0, 3));
    seat.settle();
    seat.session->tick(seat.began + kGreetMs);
    CHECK_FALSE(seat.session->has_ended());
    seat.session->tick(seat.loop.now() + kGreetMs + 1);
    CHECK(seat.route.ended(Reason::kGreetTimeout) == 1);
    CHECK_FALSE(seat.fake.called(0));
  }
  Seat seat;
  seat.greet();
  seat.session->tick(seat.loop.now() + kGreetMs + 1);
  CHECK_FALSE(seat.session->has_ended());
}

TEST_CASE("bridge session: it is idle once neither peer has sent anything for idle_ms") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    const Millis before = seat.loop.now();
    seat.pass_some_time();
    (by_client ? seat.client : seat.server).send(frame("x"));
    CHECK(seat.read(by_client ? seat.server : seat.client, 3) == as_text(frame("x")));
    seat.session->tick(before + kIdleMs + 10);
    CHECK_FALSE(seat.session->has_ended());
    seat.session->tick(seat.loop.now() + kIdleMs + 1);
    CHECK(seat.route.ended(Reason::kIdle) == 1);
  }
}

TEST_CASE("bridge session: who is kicked gets its game's goodbye, the server hears that the player leaves") {
  Seat seat;
  seat.open();
  const Millis before = seat.loop.now();
  seat.session->send_away(Reason::kKicked, "");
  seat.session->send_away(Reason::kBannedNow, "");
  CHECK(seat.route.ended(Reason::kKicked) == 1);
  CHECK(seat.route.ended(Reason::kBannedNow) == 0);
  CHECK(seat.got(seat.client).ends_with(kBye));
  CHECK(seat.got(seat.server).ends_with(kBye));
  CHECK_FALSE(seat.session->listed());
  CHECK(seat.tapped.record(1).closed == relay::text(Reason::kKicked));
  CHECK(seat.tapped.record(99).closed == relay::text(Reason::kKicked));
  seat.session->tick(before + kLingerMs - 1);
  CHECK(seat.owner.times_done == 0);
  seat.session->tick(seat.loop.now() + kLingerMs);
  CHECK(seat.owner.times_done == 1);
  seat.session->tick(seat.loop.now() + 2 * kLingerMs);
  CHECK(seat.owner.times_done == 1);
}

TEST_CASE("bridge session: it is over before linger_ms once both peers have closed") {
  Seat seat;
  seat.open();
  seat.session->send_away(Reason::kKicked, "");
  seat.client.close();
  seat.settle();
  CHECK(seat.owner.times_done == 0);
  seat.server.close();
  seat.until([&] { return seat.owner.times_done == 1; });
}

TEST_CASE("bridge session: if one side leaves, the other hears it, and the reason is who left") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat;
    seat.open();
    (by_client ? seat.client : seat.server).finish();
    const Stream& other = by_client ? seat.server : seat.client;
    CHECK(seat.read(other, 2) == kBye);
    CHECK(seat.route.ended(by_client ? Reason::kClientLeft : Reason::kServerLeft) == 1);
    CHECK(seat.counters().held.read() == 0);
    CHECK(seat.route.heard.told(relay::text(by_client ? Reason::kClientLeft : Reason::kServerLeft)) == 1);
  }
}

TEST_CASE("bridge session: a server that does not let the player in has ready_ms, or the player is told goodbye") {
  Limits limits = timed();
  limits.ready_ms = kReadyMs;
  Seat seat(limits);
  seat.greet();
  seat.until([&] { return seat.fake.called(0); });
  seat.server = seat.fake.accept();
  CHECK(seat.read(seat.server, 4) == kHello);
  seat.until([&] { return seat.route.server().sessions_opened() == 1; });
  const Millis then = seat.loop.now();
  seat.session->tick(seat.began + kReadyMs);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(then + kReadyMs + 1);
  CHECK(seat.session->has_ended());
  CHECK(seat.route.ended(Reason::kServerTimeout) == 1);
  CHECK(seat.route.heard.told("the server did not answer within 9 s") == 1);
}

TEST_CASE(
    "bridge session: a server that is lost again shortly after it was back is called after a pause, not at once") {
  constexpr Millis kCalm = 2'000, kPause = 250;
  for (const bool calm : {false, true}) {
    CAPTURE(calm);
    Seat seat(timed(), 600'000);
    seat.greet();
    seat.accept_server();
    seat.server.close();
    seat.until([&] { return seat.fake.called(0); });  // the first time, at once
    const Millis before = seat.loop.now();
    seat.accept_server();
    seat.until([&] { return seat.counters().brought_back.read() == 1; });
    const Millis lost = calm ? seat.loop.now() + kCalm + 1 : before;
    seat.pretend(lost);
    CHECK(seat.session->leave_server(seat.route.server().name, ""));
    CHECK(seat.counters().held.read() == 2);
    CHECK(seat.fake.called(0) == calm);
    if (calm) continue;
    seat.session->tick(lost + kPause - 1);
    CHECK_FALSE(seat.fake.called(0));
    seat.session->tick(lost + kPause);
    CHECK(seat.fake.called(0));
  }
}

/// The player's client loses its link, and its seat is kept for ten seconds.
void lose_link(Seat& seat) {
  seat.client.send(Buffer{2, toy::kAway, 7, 100});
  seat.client.send(frame("x"));
  CHECK(seat.read(seat.server, 3) == as_text(frame("x")));
  seat.client.close();
  seat.until([&] { return seat.owner.times_away == 1; });
}

TEST_CASE("bridge session: a seat whose client has lost its link is kept, and the client that is back plays on") {
  Seat seat;
  seat.open();
  seat.session->give_way();  // the player is there
  CHECK_FALSE(seat.session->has_ended());
  lose_link(seat);
  CHECK(seat.session->is_away());
  CHECK(seat.owner.absence.number == 7);
  CHECK(seat.owner.absence.within == 10 * core::kSecond);
  CHECK_FALSE(seat.session->has_ended());
  CHECK(seat.session->say("hear!") == relay::AnnounceResult::kNotIn);
  CHECK(seat.got(seat.server).empty());
  seat.connect();
  seat.session->reattach(seat.take(), seat.client.here());
  CHECK_FALSE(seat.session->is_away());
  CHECK(seat.read(seat.client, 3) == as_text(Buffer{1, toy::kBack, 7}));
  CHECK(seat.session->report().info.client == seat.client.here());
  seat.server.send(frame("yes"));
  CHECK(seat.read(seat.client, 5) == as_text(frame("yes")));
  seat.session->tick(seat.loop.now() + kGreetMs + 1);
  seat.session->give_way();
  CHECK_FALSE(seat.session->has_ended());
  CHECK(seat.counters().begun.read() == 1);
  CHECK(seat.owner.players == 1);
  CHECK(seat.owner.times_staying == 0);
  CHECK(seat.session->say("hear!") == relay::AnnounceResult::kYes);
}

TEST_CASE("bridge session: a second connection does not take the place of a client that is there") {
  Seat seat;
  seat.open();
  Stream first = std::move(seat.client);
  seat.connect();
  seat.session->reattach(seat.take(), seat.client.here());
  CHECK(seat.read(seat.client, 1).empty());  // it is closed
  first.send(frame("still"));
  CHECK(seat.read(seat.server, 7) == as_text(frame("still")));
  CHECK(seat.session->report().info.client == first.here());
}

TEST_CASE(
    "bridge session: a kept seat that somebody else needs ends as if its client had left, and nobody comes back") {
  Seat seat;
  seat.open();
  lose_link(seat);
  seat.session->give_way();
  CHECK(seat.session->has_ended());
  CHECK(seat.owner.times_staying == 1);
  CHECK(seat.read(seat.server, 2) == kBye);
  CHECK(seat.route.ended(Reason::kClientLeft) == 1);
  seat.connect();
  seat.session->reattach(seat.take(), seat.client.here());
  CHECK(seat.read(seat.client, 1).empty());  // it is closed
  seat.server.close();
  seat.until([&] { return seat.owner.times_done == 1; });
}

TEST_CASE("bridge session: a client whose session has a reason to end already is not waited for") {
  Seat seat;
  seat.open();
  seat.client.send(Buffer{2, toy::kAway, 7, 100});
  seat.client.send(Buffer{0, toy::kStay});  // its front does not close at the end
  seat.client.send(frame("x"));
  CHECK(seat.read(seat.server, 3) == as_text(frame("x")));
  seat.session->send_away(Reason::kKicked, "");
  seat.client.close();
  seat.settle();
  CHECK(seat.owner.times_away == 0);
  seat.session->tick(seat.loop.now() + kLingerMs + 1);
  CHECK(seat.route.ended(Reason::kKicked) == 1);
}

TEST_CASE("bridge session: only a drain of its own server concerns it") {
  Seat seat;
  seat.open();
  seat.route.server().drain(true);
  CHECK_FALSE(seat.session->leave_server("another:1", ""));
  CHECK_FALSE(seat.session->has_ended());
  CHECK(seat.session->leave_server(seat.route.server().name, ""));
  CHECK(seat.route.ended(Reason::kDrained) == 1);
  CHECK_FALSE(seat.session->leave_server(seat.route.server().name, ""));
}

TEST_CASE("bridge session: datagrams of either peer are a sign of life, too") {
  for (const bool by_client : {true, false}) {
    CAPTURE(by_client);
    Seat seat(timed(), 0, toy::game());
    const Datagrams server_side = seat.fake.take_datagrams();
    seat.greet();
    seat.accept_server();
    seat.until([&] { return seat.route.server().sessions_opened() == 1; });
    seat.settle();
    const auto say = [&] { seat.session->receive_datagram(seat.client.here(), point(1)); };
    say();
    seat.until([&] { return server_side.readable(0); });
    const auto got = server_side.receive();
    CHECK(got.bytes == point(1));
    const Millis before = seat.loop.now();
    seat.pass_some_time();
    if (by_client) {
      say();
      seat.until([&] { return server_side.readable(0); });
    } else {
      server_side.send(got.from, point(2));
      seat.until([&] { return seat.counters().to_client.datagrams.read() == 2; });  // one on each link
    }
    seat.session->tick(before + kIdleMs + 10);
    CHECK_FALSE(seat.session->has_ended());
    seat.session->tick(seat.loop.now() + kIdleMs + 1);
    CHECK(seat.route.ended(Reason::kIdle) == 1);
  }
}

TEST_CASE("bridge session: queries are answered with who plays on its server, until the session ends") {
  Seat seat(timed(), 600'000);
  const auto known = [&] {
    const auto world = seat.route.route.known_world.get(seat.loop.now());
    return world == nullptr ? -1 : static_cast<int>(world->players().size());
  };
  seat.greet();
  seat.session->tick(seat.loop.now());
  CHECK(known() == -1);  // it is not in
  seat.accept_server();
  seat.until([&] {
    seat.session->tick(seat.loop.now());
    return known() == 1;
  });
  seat.session->send_away(Reason::kKicked, "");
  CHECK(known() == 0);
}

TEST_CASE(
    "bridge session: a server that is lost again and again is called after growing pauses, of two seconds at most") {
  Seat seat(timed(), 600'000);
  seat.greet();
  seat.accept_server();
  seat.until([&] {
    seat.session->tick(seat.loop.now());
    return seat.route.route.known_world.get(seat.loop.now()) != nullptr;
  });
  Millis now = seat.loop.now() + 10'000;
  for (const Millis pause : {0U, 250U, 500U, 1'000U, 2'000U, 2'000U}) {
    CAPTURE(pause);
    seat.pretend(now);
    CHECK(seat.session->leave_server(seat.route.server().name, ""));
    if (pause != 0) {
      seat.session->tick(now + pause - 1);
      CHECK_FALSE(seat.fake.called(0));
      now += pause;
      seat.pretend(now);
      seat.session->tick(now);
    }
    CHECK(seat.fake.called(0));
    seat.server = seat.fake.accept();
  }
  CHECK(seat.counters().held.read() == 1);
  CHECK_FALSE(seat.session->has_ended());
}

TEST_CASE("bridge session: a player is not moved to a listener that cannot keep count of another address") {
  Seat seat(timed(), 600'000);
  seat.greet();
  seat.accept_server();
  seat.until([&] {
    seat.session->tick(seat.loop.now());
    return seat.route.route.known_world.get(seat.loop.now()) != nullptr;
  });
  OneRoute to(seat.loop, Seat::with(timed(), 0, toy::stream()), {seat.fake.address()});
  seat.owner.only = &*to.here;
  std::optional<Reason> why;
  for (std::uint32_t i = 0; !why || *why != Reason::kTooFast; ++i) {
    REQUIRE(i < 1'000'000);
    const std::string text =
        "10." + std::to_string(i >> 16U) + "." + std::to_string(i >> 8U & 255U) + "." + std::to_string(i & 255U);
    why = to.listener.admission.call_for_check(*net::Address::parse(text, 5), no_limits(), seat.loop.now());
  }
  const auto order = std::make_shared<relay::MoveOrder>(1);
  seat.session->move(order);
  const relay::MoveResult result = order->wait(0);
  CHECK(result.how == relay::MoveOrder::How::kStays);
  CHECK(result.text == relay::text(Reason::kTooFast));
  CHECK_FALSE(seat.session->has_ended());
  seat.session.reset();  // before the other route
}

TEST_CASE("bridge session: it counts for its server from its beginning until it is gone") {
  Seat seat;
  CHECK(seat.route.server().sessions() == 1);
  seat.open();
  CHECK(seat.route.server().sessions() == 1);
  CHECK_FALSE(seat.route.route.is_empty());
  seat.session.reset();
  CHECK(seat.route.server().sessions() == 0);
  CHECK(seat.route.route.is_empty());
}

TEST_CASE("bridge session: a server whose dialect becomes known only after the client has come gets a back of it") {
  for (const bool has_back : {true, false}) {
    CAPTURE(has_back);
    std::vector<std::size_t> backs;
    Seat seat(timed(), 600'000, toy::stream(), [&](relay::RouteOptions& options) {
      options.servers.front().dialect.reset();
      options.upstream.needs_dialect = true;
      options.bridge->back = [&](std::size_t dialect) -> std::unique_ptr<core::Back> {
        backs.push_back(dialect);
        if (dialect == 1 && !has_back) return nullptr;
        return std::make_unique<Welcoming>();
      };
    });
    seat.route.server().set_dialect(1);
    seat.greet();
    if (has_back) {
      seat.accept_server();
      CHECK_FALSE(seat.session->has_ended());
    } else {
      CHECK(seat.read(seat.client, 2) == kBye);
      CHECK(seat.route.ended(Reason::kDialectMismatch) == 1);
      seat.settle();
      CHECK_FALSE(seat.fake.called(0));
      CHECK(seat.route.heard.line("the server speaks toy little, which cannot be bridged yet"));
    }
    CHECK(backs == std::vector<std::size_t>{0, 1});
  }
}

TEST_CASE("bridge session: a server that takes the connection, but does not answer in connect_ms, is hung up") {
  Limits limits = timed();
  limits.connect_ms = 4'000;
  Seat seat(limits, 0, toy::stream(), [](relay::RouteOptions& options) {
    options.bridge->server_game = &toy::messages();
    options.bridge->back = [](std::size_t) { return toy::make_back(toy::messages()); };
  });
  seat.greet();
  seat.until([&] { return seat.fake.called(0); });
  seat.server = seat.fake.accept();
  seat.until([&] { return seat.server.readable(0); });
  CHECK(as_text(seat.server.read_some()).starts_with("GET /"));
  seat.session->tick(seat.loop.now() + 4'001);
  seat.until([&] { return seat.server.readable(0); });
  CHECK(seat.server.read_all().empty());
  CHECK(seat.read(seat.client, 2) == kBye);
  CHECK(seat.route.ended(Reason::kServerTimeout) == 1);
}

}  // namespace
}  // namespace entente::testing::bridge_session_test
