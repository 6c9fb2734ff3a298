// Fronts that play by themselves: no listener, one joins in each tick, and all leave on request.
#include <doctest/doctest.h>

#include "adapters/panic/panic.h"
#include "tests/relay/bridging.h"
#include "tests/relay/late_server.h"

namespace entente::testing::bots_test {
namespace {

using relay::Reason;

/// Enters, says one line, and leaves when it receives one.
class Shy final : public core::Front {
 public:
  void opened(const core::Peer& peer, core::FrontOut& out) override {
    CHECK(peer.address.empty());
    out.send(Lane::kStream, as_bytes("to nobody"));
    out.say(words::Enter());
    words::Say say;
    say.set_text("hello");
    out.say(say);
  }
  void receive(const Frames&, core::FrontOut&) override { FAIL("nobody speaks to it"); }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    if (core::as<words::Said>(fact)) out.close("was spoken to");
  }
};

/// Enters, says one line, and stays.
class Patient final : public core::Front {
  void opened(const core::Peer&, core::FrontOut& out) override {
    out.say(words::Enter());
    words::Say say;
    say.set_text("hello");
    out.say(say);
  }
  void receive(const Frames&, core::FrontOut&) override { FAIL("nobody speaks to it"); }
  void hear(const core::Fact&, core::FrontOut&) override {}
};

/// Enters, and drives north as soon as it may.
class Northward final : public core::Front {
 public:
  void receive(const Frames&, core::FrontOut&) override { FAIL("nobody speaks to it"); }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    if (core::as<words::You>(fact)) out.say(words::Enter());
    if (!core::as<words::Ready>(fact)) return;
    out.say(words::Spawn());
    words::Toward north;
    north.set_y(1000);
    out.say(north);
  }
};

struct Bots : Serving {
  Bots(const net::Address& server, std::uint32_t count, std::optional<std::size_t> server_dialect = 0,
       Millis hold_ms = 0)
      : Serving(1) {
    serve_all(options(server, count, server_dialect, hold_ms), no_limits());
  }
  explicit Bots(const relay::RouteOptions& options) : Serving(1) { serve_all(options, no_limits()); }
  static relay::RouteOptions options(const net::Address& server, std::uint32_t count,
                                     std::optional<std::size_t> server_dialect = 0, Millis hold_ms = 0) {
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.servers[0] = {server.ip_text(), server.port(), server_dialect};
    options.upstream.hold_ms = hold_ms;
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->front = [](std::size_t) { return std::make_unique<Shy>(); };
    options.bridge->bots = count;
    return options;
  }
  bool left(std::uint64_t count) {
    return eventually([&] { return totals().by(Reason::kClientLeft) == count; });
  }
};

template <class Server>
Stream greeted(const Server& at) {
  Stream server = at.accept();
  CHECK(server.read_text(4) == kHello);
  server.send(kWelcome);
  CHECK(server.read_text(7) == as_text(frame("hello", toy::kSay)));
  return server;
}

TEST_CASE("bots connect by themselves, one connection each, and leave one by one") {
  FakeServer fake;
  Bots bots(fake.address(), 3);
  const Stream first = greeted(fake), second = greeted(fake), third = greeted(fake);
  second.send(as_text(frame("you", toy::kSay)));
  CHECK(bots.left(1));
  CHECK(second.read_all().size() == 2);  // the toy's goodbye
  CHECK(eventually([&] { return bots.totals().current_sessions() == 2; }));
}

TEST_CASE("bots that are added to a route come to its server, one connection each, and more at the next order") {
  FakeServer fake;
  Bots bots(fake.address(), 1);
  std::vector<Stream> all;
  all.push_back(greeted(fake));
  for (const std::uint32_t more : {2U, 1U}) {
    bots.server().add_bots(0, more);
    for (std::uint32_t i = 0; i < more; ++i) all.push_back(greeted(fake));
    CHECK(eventually([&] { return bots.totals().current_sessions() == all.size(); }));
  }
}

TEST_CASE("bots that are added to one route do not come to another") {
  FakeServer fake, other;
  Bots bots(fake.address(), 1);
  const Stream first = greeted(fake);
  relay::RouteOptions options = Bots::options(other.address(), 1);
  options.limits = no_limits();
  const auto added = bots.server().add(options);
  REQUIRE(added.ok());
  std::vector<Stream> there;
  there.push_back(greeted(other));
  bots.server().add_bots(added->route, 2);
  for (int i = 0; i < 2; ++i) there.push_back(greeted(other));  // one joins in each tick
  bots.server().add_bots(0, 1);
  const Stream second = greeted(fake);
  CHECK(bots.totals().begun == 2);
  CHECK(bots.server().totals(added->route).begun == 3);
}

TEST_CASE("once another process has taken over, bots leave, because that process has its own, and players stay") {
  FakeServer fake, other;
  Bots bots(fake.address(), 2);
  const Stream first = greeted(fake), second = greeted(fake);
  relay::RouteOptions options = Bots::options(other.address(), 0);
  options.limits = no_limits();
  options.listen = loopback();
  options.bridge = toy_bridge(toy::stream(), toy::stream());
  const auto added = bots.server().add(options);
  REQUIRE(added.ok());
  const Stream player = Stream::to(added->address);
  player.send(kHello);
  CHECK(player.read_text(4) == kWelcome);
  const Stream its_server = other.accept();
  CHECK(its_server.read_text(4) == kHello);
  its_server.send(kWelcome);
  REQUIRE(bots.server().offer_listeners().ok());
  REQUIRE(bots.server().release_newcomers().ok());
  bots.server().complete_take_over();
  for (const Stream* one : {&first, &second}) CHECK(one->read_all().size() == 2);  // the toy's goodbye
  CHECK(bots.empty());
  its_server.send(as_text(frame("still here", toy::kSay)));
  CHECK(player.read(12) == frame("still here", toy::kSay));
  CHECK(bots.server().totals(added->route).current_sessions() == 1);
}

TEST_CASE("no bot comes to a route that was removed") {
  FakeServer fake, other;
  Bots bots(fake.address(), 1);
  const Stream first = greeted(fake);
  relay::RouteOptions options = Bots::options(other.address(), 1);
  options.limits = no_limits();
  REQUIRE(bots.server().change({.retired = {0}}).ok());
  bots.server().add_bots(0, 1);
  REQUIRE(bots.server().add(options).ok());
  const Stream second = greeted(other);  // the other route's bot comes in the same turn, or later
  CHECK(bots.totals().begun == 1);
}

TEST_CASE("bots say goodbye when they are stopped") {
  FakeServer fake;
  Stream server = [&] {
    Bots bots(fake.address(), 1);
    return greeted(fake);
  }();
  CHECK(server.read_all().size() == 2);
}

TEST_CASE("a server that is not there ends its bots with the reason") {
  net::Address nowhere;
  {
    const FakeServer gone;
    nowhere = gone.address();
  }
  Bots bots(nowhere, 2);
  CHECK(eventually([&] { return bots.totals().by(Reason::kServerUnreachable) == 2; }));
}

/// One bot on a server of Panic whose dialect is not configured.
struct PanicBot : Serving {
  explicit PanicBot(const net::Address& server) : Serving(1) {
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->server_game = &panic::game();
    options.bridge->front = [](std::size_t) { return std::make_unique<Northward>(); };
    options.bridge->back = [](std::size_t dialect) { return panic::faces().back({dialect, {}}); };
    options.bridge->bots = 1;
    serve(std::move(options), server, no_limits(), nullptr);
  }
};

TEST_CASE("a server that shows its dialect to a silent connection is probed before the first bot connects") {
  FakeServer fake;
  Bots bots(fake.address(), 1, std::nullopt);
  const Stream probe = fake.accept();
  CHECK(!probe.readable(50));
  probe.send("toy\x08");
  CHECK(probe.read_all().empty());
  greeted(fake);
}

TEST_CASE("a bot that waits for its server goes there once it shows its dialect again") {
  const net::Address at = free_for_both();
  std::optional<LateServer> server(at);
  relay::RouteOptions options = Bots::options(at, 1, std::nullopt, 60'000);
  options.bridge->front = [](std::size_t) { return std::make_unique<Patient>(); };
  Bots bots(options);
  server->accept().send("toy\x08");  // to the probe
  {
    const Stream bot = greeted(*server);
    server.reset();
  }
  CHECK(eventually([&] { return bots.server().waiting(0) == 1; }));
  server.emplace(at);
  server->accept().send("toy\x08");
  CHECK(server->accept().read_text(4) == kHello);
}

TEST_CASE("no bot connects where the server's dialect cannot be detected") {
  FakeServer fake;
  Bots bots(fake.address(), 1, std::nullopt);
  fake.accept().send("soup");
  CHECK(bots.heard.line("add ?dialect= to its URL"));
  CHECK(bots.ended(Reason::kDialectUnknown));
  CHECK(!fake.called(0));
}

// The released Panic server's dialect, le-padded: Game State with our tank, Update Ammo, our tank at 1/4, Game Start.
const Buffer kState{1, 1, 1, 0x9b, 1, 0, 1, 0x6b, 0, 0, 0, 1};
const Buffer kRest{32, 0,    0x9b, 0x6b, 100, 0, 0, 0, 0, 0, 0, 0,              //
                   16, 0x3a, 0x21, 0xb5, 50,  0, 0, 0, 1, 0, 0, 0, 1, 4, 0, 0,  //
                   36, 0,    0,    0,    0,   0, 0, 0, 0, 0, 0, 0};

TEST_CASE(
    "a server that shows its dialect only to a player gets no bytes until that is certain, then its own dialect") {
  FakeServer fake;
  PanicBot bot(fake.address());
  const Stream server = fake.accept();
  server.send(kState);
  CHECK(!server.readable(100));
  server.send(kRest);
  CHECK(server.read(8) == Buffer{1, 0, 1, 1, 1, 0, 0, 0});  // player 1 drives tank 1 to the north
  CHECK(bot.totals().to_server.frames == 1);
}

TEST_CASE("a bot leaves a server whose dialect it cannot tell, and the log says what to do") {
  FakeServer fake;
  PanicBot bot(fake.address());
  const Stream server = fake.accept();
  server.send("soup");
  CHECK(server.read_all().empty());
  CHECK(bot.ended(Reason::kDialectUnknown));
  CHECK(bot.heard.line("add ?dialect= to its URL"));
}

}  // namespace
}  // namespace entente::testing::bots_test
