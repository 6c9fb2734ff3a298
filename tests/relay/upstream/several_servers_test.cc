// A route in front of several servers: a dead one disturbs no player, and while all are down players wait in order.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/ogar/ogar.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/late_server.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::several_servers_test {
namespace {

using relay::Policy;
using relay::Reason;
using State = relay::Upstream::State;

/// A relay of the toy game in front of these servers.
class Several : public Serving {
 public:
  explicit Several(const std::vector<net::Address>& servers, const std::function<void(relay::RouteOptions&)>& more = {},
                   std::size_t workers = 1, std::optional<std::size_t> dialect = 0, const Limits& limits = no_limits())
      : Serving(workers) {
    relay::RouteOptions options;
    options.game = &toy::game();
    options.listen = loopback();
    options.servers.clear();
    for (const net::Address& server : servers) options.servers.push_back({server.ip_text(), server.port(), dialect});
    if (more) more(options);
    serve_all(std::move(options), limits);
  }
  State state(std::size_t index) const { return server().servers(0)[index].state; }
  bool has_state(std::size_t index, State wanted) const {
    return eventually([&] { return state(index) == wanted; });
  }
  std::size_t waiting() const { return server().waiting(0); }
  bool have_come(std::size_t count) const {
    return eventually([&] { return waiting() == count; });
  }
};

Stream join(const net::Address& at) {
  Stream client = Stream::to(at);
  client.send(kHello);
  return client;
}

TEST_CASE("several servers: if the first cannot be reached, the next one is tried, and the first is not tried again") {
  FakeServer second(true);
  Several running({free_for_both(), second.address()});
  const Stream client = join(running.address);
  CHECK(second.accept().read_text(4) == kHello);
  CHECK(running.has_state(0, State::kDown));
  CHECK(running.has_state(1, State::kUp));
  CHECK(running.server().servers(0)[0].why == "Connection refused");
  const Stream other = join(running.address);
  CHECK(second.accept().read_text(4) == kHello);
  CHECK(running.heard.told("cannot reach server") == 1);
  CHECK(running.sessions().size() == 2);
  CHECK(running.sessions()[1].info.server == second.address());
}

TEST_CASE("several servers: an address that this machine cannot use is like a server that cannot be reached") {
  const net::Address local = *net::Address::parse("[fe80::1]:9");  // of no interface
  FakeServer second(true);
  Several running({local, second.address()});
  const Stream client = join(running.address);
  CHECK(second.accept().read_text(4) == kHello);
  CHECK(running.has_state(0, State::kDown));
  CHECK(running.heard.told("cannot reach server " + local.text()) == 1);
  CHECK(running.heard.told("open files") == 0);
  Several alone({local}, [](auto& options) { options.upstream.hold_ms = 60'000; });
  const Stream waits = join(alone.address);
  CHECK(alone.have_come(1));
  CHECK(alone.totals().by(Reason::kOutOfDescriptors) == 0);
}

TEST_CASE("several servers: `least` balances them; a drained one keeps its sessions and gets no new ones") {
  FakeServer first(true), second(true);
  Several running({first.address(), second.address()}, [](auto& options) { options.upstream.policy = Policy::kLeast; });
  std::vector<Stream> clients, served;
  for (int i = 0; i < 2; ++i) clients.push_back(join(running.address));
  served.push_back(first.accept());
  served.push_back(second.accept());
  CHECK(running.server().drain_server(first.address().text(), true) == 1);
  CHECK(running.server().drain_server("nobody:1", true) == 0);
  for (int i = 0; i < 3; ++i) {
    clients.push_back(join(running.address));
    served.push_back(second.accept());
  }
  CHECK(eventually([&] { return running.server().servers(0)[1].sessions == 4; }));
  CHECK(running.server().servers(0)[0].sessions == 1);
  served[0].send(kWelcome);
  CHECK((clients[0].read_text(4) == kWelcome || clients[1].read_text(4) == kWelcome));
  running.server().drain_server(first.address().text(), false);
  clients.push_back(join(running.address));
  CHECK(first.accept().read_text(4) == kHello);
}

TEST_CASE("several servers: players who wait for a server are not on it, and free no slot of it when they leave") {
  const auto slots = std::make_shared<relay::SlotQueue>();
  const Several running({free_for_both()}, [&](auto& options) {
    options.upstream.hold_ms = 60'000;
    options.servers[0].slots = slots;
  });
  slots->set_elsewhere(1'000);  // somebody who would be told
  std::vector<Stream> clients;
  for (std::size_t count = 1; count <= 3; ++count) {
    clients.push_back(join(running.address));
    CHECK(running.have_come(count));
  }
  CHECK(running.server().servers(0)[0].sessions == 0);
  clients.pop_back();
  CHECK(running.have_come(2));
  CHECK(running.server().servers(0)[0].sessions == 0);
  CHECK(slots->times_freed() == 0);
}

TEST_CASE("several servers: checks find out which ones are up before any player comes") {
  FakeServer second(true);
  const net::Address first = free_for_both();
  Several running({first, second.address()}, [](auto& options) { options.upstream.check_ms = 50; });
  const auto greet = [](const Stream& check) {
    CHECK(!check.readable(20));  // the check sends nothing
    check.send("toy\x08");
    CHECK(check.read_all().empty());
  };
  greet(second.accept());
  CHECK(running.has_state(0, State::kDown));
  CHECK(running.has_state(1, State::kUp));
  const LateServer late(first);
  greet(late.accept());
  CHECK(running.has_state(0, State::kUp));
  CHECK(running.heard.line("server " + first.text() + " is up"));
}

TEST_CASE("several servers: checks end with the program, also while sessions are still closing") {
  FakeServer silent(true);
  Several running({silent.address(), free_for_both()}, [](auto& options) { options.upstream.check_ms = 50; });
  const Stream check = silent.accept(), client = join(running.address);
  CHECK(silent.accept().read_text(4) == kHello);
  running.stop();  // waits for the client, which does not close
  CHECK(running.totals().current_sessions() == 0);
}

TEST_CASE("several servers: if the dialect must be detected, players go to servers that have shown theirs") {
  FakeServer second(true);
  Several running({free_for_both(), second.address()}, {}, 1, std::nullopt);
  const Stream client = join(running.address);
  const Stream probe = second.accept();
  probe.send("toy\x08");
  CHECK(probe.read_all().empty());
  CHECK(second.accept().read_text(4) == kHello);
}

TEST_CASE("several servers: with `first`, no player gets a standby before the first server has answered or failed") {
  for (const bool answers : {true, false}) {
    CAPTURE(answers);
    const FakeServer first(true), standby(true);
    Several running({first.address(), standby.address()}, {}, 1, std::nullopt);
    Stream probe = first.accept();
    {
      const Stream other = standby.accept();
      other.send("toy\x08");
      CHECK(other.read_all().empty());
    }
    CHECK(running.has_state(1, State::kUp));
    const Stream client = join(running.address);
    CHECK_FALSE(client.readable(100));
    CHECK(running.totals().begun == 0);
    if (answers) {
      probe.send("toy\x08");
      CHECK(probe.read_all().empty());
    } else {
      probe.reset();
    }
    CHECK((answers ? first : standby).accept().read_text(4) == kHello);
  }
}

TEST_CASE("hold: players wait while the server is down, and join in order") {
  const net::Address at = free_for_both();
  Several running({at}, [](auto& options) { options.upstream.hold_ms = 60'000; });
  std::vector<Stream> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(join(running.address));
    clients.back().send(frame(std::to_string(i)));
    CHECK(running.have_come(static_cast<std::size_t>(i) + 1));
  }
  clients[2].close();  // a player who does not want to wait any longer
  CHECK(running.have_come(4));
  CHECK(running.ended(Reason::kClientLeft));
  const LateServer late(at);
  for (const char* wanted : {"0", "1", "3", "4"}) {
    const Stream server = late.accept();
    CHECK(server.read_text(4) == kHello);
    CHECK(server.read(3) == frame(wanted));
  }
  CHECK(running.have_come(0));
  const Stream later = join(running.address);
  CHECK(late.accept().read_text(4) == kHello);
}

TEST_CASE("hold: many players who wait join in the order in which they came") {
  const net::Address at = free_for_both();
  Several running({at}, [](auto& options) { options.upstream.hold_ms = 60'000; });
  std::vector<Stream> clients;
  constexpr std::uint8_t kCrowd = 40;
  for (std::uint8_t i = 0; i < kCrowd; ++i) {
    clients.push_back(join(running.address));
    clients.back().send(Buffer{1, 3, i});
    CHECK(running.have_come(clients.size()));
  }
  const LateServer late(at);
  std::vector<Stream> served;
  for (std::uint8_t i = 0; i < kCrowd; ++i) {
    served.push_back(late.accept());
    CHECK(served.back().read_text(4) == kHello);
    CHECK(served.back().read(3) == Buffer{1, 3, i});
  }
}

TEST_CASE("hold: a player that has waited too long gets a goodbye; others have their full time") {
  Several running({free_for_both()}, [](auto& options) { options.upstream.hold_ms = 400; });
  const Stream client = join(running.address);
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kServerUnreachable));
  CHECK(running.have_come(0));
  const net::Address& none = running.address;
  const Stream other = join(none);
  CHECK(running.have_come(1));
}

TEST_CASE("hold: a silent player waits for all of hold_s, also if idle_ms is less") {
  Limits limits = no_limits();
  limits.idle_ms = 1'000;
  const auto waits = [](auto& options) { options.upstream.hold_ms = 2'500; };
  SUBCASE("over TCP") {
    Several running({free_for_both()}, waits, 1, 0, limits);
    CHECK(as_text(join(running.address).read_all()) == kGoodbye);
    CHECK(running.ended(Reason::kServerUnreachable));
  }
  SUBCASE("over WebSocket") {
    Several running(
        {free_for_both()},
        [&](auto& options) {
          waits(options);
          options.game = &ogar::game();
        },
        1, 0, limits);
    WebClient client(running.address);
    CHECK(client.answer().status == 502);
    CHECK(running.ended(Reason::kServerUnreachable));
  }
}

TEST_CASE("hold: where the dialect must be detected, players wait for a server that shows it") {
  const net::Address at = free_for_both();
  Several running(
      {at}, [](auto& options) { options.upstream.hold_ms = 60'000; }, 1, std::nullopt);
  const Stream client = join(running.address);
  CHECK(running.heard.line("cannot reach server"));
  const LateServer late(at);
  const Stream probe = late.accept();
  probe.send("toy\x08");
  CHECK(late.accept().read_text(4) == kHello);
}

/// Players of a relay wait until a server shows its dialect. There is room for one.
struct WaitsForDialect : Several {
  explicit WaitsForDialect(const net::Address& at, const std::function<void(relay::RouteOptions&)>& more = {})
      : Several(
            {at},
            [&](auto& options) {
              options.upstream.hold_ms = 60'000;
              if (more) more(options);
            },
            1, std::nullopt, one_session()) {}
  static Limits one_session() {
    Limits limits = no_limits();
    limits.sessions = 1;
    return limits;
  }
  /// A client that waits.
  Stream wait() const {
    Stream client = join(address);
    REQUIRE(eventually([&] { return sessions().size() == 1; }));
    return client;
  }
  relay::LinkId link() const { return sessions().at(0).info.link; }
};

/// A server that shows its dialect to a probe.
struct Shown : LateServer {
  explicit Shown(const net::Address& at) : LateServer(at) { accept().send("toy\x08"); }
};

TEST_CASE("hold: who waits for a server's dialect is listed, and can be sent away") {
  const net::Address at = free_for_both();
  WaitsForDialect running(at);
  const auto leaves = [&](const std::function<void()>& how, Reason why) {
    const Stream client = running.wait();
    how();
    CHECK(as_text(client.read_all()) == kGoodbye);
    CHECK(running.ended(why));
    CHECK(running.sessions().empty());
  };
  relay::ProxyServer& server = running.server();
  leaves([&] { CHECK(server.kick(running.link(), "")); }, Reason::kKicked);
  leaves([&] { CHECK(server.ban(running.link(), "")); }, Reason::kBannedNow);
  leaves([&] { CHECK(server.refer(running.link(), "play elsewhere")); }, Reason::kReferred);
  const auto drain = [&] {
    running.set_draining(true);
    CHECK(running.end_sessions("") == 1);
  };
  leaves(drain, Reason::kDrained);
  running.set_draining(false);
  const Stream client = running.wait();
  CHECK_FALSE(server.kick(running.link() + 1, ""));
  CHECK(server.leave_server(at.text(), "") == 0);
  CHECK(server.move(running.link(), 0, 60'000).how == relay::MoveResult::How::kStays);
  const auto told = running.say("hear!");
  REQUIRE(told.size() == 1);
  CHECK(told[0].told == relay::AnnounceResult::kNotIn);
  const Shown late(at);
  CHECK(late.accept().read_text(4) == kHello);
  CHECK(running.totals().begun == 1);
}

TEST_CASE("hold: who waits for a server's dialect and is kicked reads why") {
  WaitsForDialect running(free_for_both(), [](auto& options) { options.game = &bzflag::game(); });
  const Stream client = running.wait();
  CHECK(running.kick(running.link(), "no cheating"));
  CHECK(as_text(client.read_all()).starts_with("REFUSED:kicked: no cheating"));
}

TEST_CASE("hold: once the server is there, who is banned or not allowed by now is refused, others may enter") {
  const net::Address at = free_for_both();
  relay::Bans bans;
  WaitsForDialect running(at, [&](auto& options) { options.bans = &bans; });
  const Stream client = running.wait();
  std::optional<Reason> why;
  SUBCASE("banned") {
    bans.add({*net::Network::parse("127.0.0.1"), relay::Ban::kForGood, "no", false});
    why = Reason::kBanned;
  }
  SUBCASE("not allowed") {
    running.set_rules({no_limits(), {{{}, {*net::Network::parse("127.0.0.0/8")}}}});
    running.server().wait_for_workers();
    why = Reason::kNotAllowed;
  }
  SUBCASE("the route only drains") { running.set_draining(true); }
  const Shown late(at);
  if (!why) {
    CHECK(late.accept().read_text(4) == kHello);
    return;
  }
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.ended(*why));
  CHECK(running.totals().begun == 0);
  CHECK_FALSE(late.is_wanted(0));
}

TEST_CASE("hold: a player whom the only server that is up has banned does not keep others from it") {
  FakeServer up(true);
  relay::Bans bans;
  bans.add({*net::Network::parse("127.0.0.2"), relay::Ban::kForGood, "no", false, up.address().text()});
  Several running({up.address(), free_for_both()}, [&](auto& options) {
    options.bans = &bans;
    options.upstream.hold_ms = 60'000;
  });
  const net::Address banned = *net::Address::parse("127.0.0.2", 0);
  const Stream first = Stream::to(running.address, &banned);
  first.send(kHello);
  CHECK(running.have_come(1));
  const Stream second = join(running.address);
  REQUIRE(up.called(10'000));
  CHECK(up.accept().read_text(4) == kHello);
  CHECK(running.have_come(1));  // it waits for the other server
}

/// A relay in front of a bzfs 2.4, which greets only after its client, or after a while.
struct BeforeBzfs : Serving {
  explicit BeforeBzfs(const net::Address& server) : Serving(1) {
    relay::RouteOptions options;
    options.game = &bzflag::game();
    options.listen_dialect = 0;
    options.listen = loopback();
    options.servers[0] = {server.ip_text(), server.port()};
    options.upstream.hold_ms = 60'000;
    options.upstream.check_ms = 50;
    Limits limits = no_limits();
    limits.detect_ms = 0;
    serve_all(std::move(options), limits);
  }
  static constexpr std::string_view kGreeting{"BZFS0221\xff", 9}, kHeader = "BZFLAG\r\n\r\n";
};

TEST_CASE("a server that greets late keeps its dialect when it is back, and players need not wait for a check") {
  const net::Address at = free_for_both();
  BeforeBzfs it(at);
  {
    const LateServer late(at);
    late.accept().send(BeforeBzfs::kGreeting);
    CHECK(eventually([&] { return it.server().servers(0)[0].state == State::kUp; }));
    const Stream again = late.accept();  // a check that the server's end interrupts
  }
  CHECK(it.heard.line("it closed the connection"));
  CHECK(it.heard.told("cannot tell which dialect") == 0);
  const Stream client = Stream::to(it.address);
  client.send(BeforeBzfs::kHeader);
  const LateServer late(at);
  for (;;) {
    const Stream one = late.accept();
    const std::string said = one.read_text(BeforeBzfs::kHeader.size());
    if (said.empty()) continue;  // a check
    CHECK(said == BeforeBzfs::kHeader);
    break;
  }
}

/// A route of a game over WebSocket, which checks its server often.
class Checked : public Several {
 public:
  Checked(const FakeServer& server, const wire::Game& game, const Limits& limits = no_limits())
      : Several(
            {server.address()},
            [&](auto& options) {
              options.game = &game;
              options.upstream.hold_ms = 60'000;
              options.upstream.check_ms = 20;
            },
            1, 0, limits) {}
};

TEST_CASE("several servers: a WebSocket server is up in each of several checks") {
  FakeServer fake(true);
  Checked running(fake, toy::messages());
  for (int i = 0; i < 4; ++i) {
    WebServer check(fake);
    check.upgrade();
    CHECK(running.has_state(0, State::kUp));
  }
  CHECK(running.heard.told("cannot reach server") == 0);
}

TEST_CASE("several servers: a server over ENet is up if it answers the game's query, and down if it does not") {
  const Datagrams fake(loopback());
  Several running({fake.here()}, [](auto& options) {
    options.game = &aos::game();
    options.upstream.check_ms = 20;
  });
  for (int i = 0; i < 2; ++i) {
    const auto asked = fake.receive();
    CHECK(as_text(asked.bytes) == "HELLO");
    fake.send(asked.from, as_bytes("HI"));
    CHECK(running.has_state(0, State::kUp));
  }
  CHECK(running.has_state(0, State::kDown));
  CHECK(running.server().servers(0)[0].why == "it did not answer");
  CHECK(running.heard.line("cannot reach server"));
}

TEST_CASE("several servers: a server over ENet is not down if a session reaches it while a check gets no answer") {
  Turning yard;
  End server(yard.loop), client(yard.loop);
  const wire::EnetSettings settings = aos::game().enet();
  const auto bound = server.host.listen(loopback(), {8, settings.channels, settings.range_coder, 8U << 20U});
  REQUIRE(bound.ok());
  Several running({*bound}, [](auto& options) {
    options.game = &aos::game();
    options.upstream.check_ms = 20;
  });
  // A check asks three times. Only if the session is there before the third question is it sure that it came in time.
  // The next check, which no session follows, may find the server down, but not before its third question. A question
  // that an earlier check asks once more, late, may count as the first one, so it is tried again.
  constexpr int kQuestions = 3;
  std::optional<State> found;
  for (int attempt = 0; attempt < 10 && found != State::kUp; ++attempt) {
    server.mute = false;
    yard.until([&] { return running.state(0) == State::kUp; });
    server.mute = true;
    const int before = server.asked;
    yard.until([&] { return server.asked > before; });
    const int ups = server.ups;
    reopen(client, {4, settings.channels, settings.range_coder, 8U << 20U});
    REQUIRE(client.host.connect(running.address, 1, 3) != nullptr);
    yard.until([&] { return client.ups > 0 && server.ups > ups; });
    if (server.asked >= before + kQuestions) continue;
    yard.until([&] { return server.asked > before + kQuestions; });  // the next check has begun, so this one is over
    const State state = running.state(0);
    yard.settle();  // hears what was asked so far
    if (server.asked < before + 2 * kQuestions) found = state;
  }
  REQUIRE(found);
  CHECK(*found == State::kUp);
  client.host.close();
  server.host.close();
}

TEST_CASE("several servers: a WebSocket server that answers a check with nonsense is down") {
  FakeServer fake(true);
  Checked running(fake, toy::messages());
  {
    const Stream check = fake.accept();
    check.send("this is no HTTP\r\n\r\n");
    CHECK(running.has_state(0, State::kDown));
    CHECK_FALSE(running.server().servers(0)[0].why.empty());
  }
  const auto why = [&](const std::string& text) {
    return eventually([&] { return running.server().servers(0)[0].why == text; });
  };
  { const WebServer check(fake); }  // it hears the request, and closes
  CHECK(why("it closed the connection"));
  fake.accept().reset();
  CHECK(why("Connection reset by peer"));
}

// OgarII removes a player from the chat when a connection is upgraded and closes without a hello.
TEST_CASE("several servers: a check of an Ogar server requests no upgrade; any answer but a gateway's means up") {
  FakeServer fake(true);
  Checked running(fake, ogar::game());
  const auto answer = [&](const std::string& status) {
    WebServer check(fake);
    CHECK(check.request.find("Upgrade") == nullptr);
    CHECK(check.request.find("Sec-WebSocket-Key") == nullptr);
    CHECK(check.request.find("Expect") != nullptr);
    check.send_raw(as_bytes("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n"));
  };
  for (const char* status : {"426 Upgrade Required", "417 Expectation Failed", "404 Not Found", "200 OK"}) {
    answer(status);
    CHECK(running.has_state(0, State::kUp));
  }
  answer("502 Bad Gateway");
  CHECK(running.has_state(0, State::kDown));
  CHECK(eventually([&] { return running.heard.told("cannot reach server") == 1; }));  // the others were no failures
  CHECK(running.server().servers(0)[0].why == "it answered 502 to the request of a check");
  answer("426 Upgrade Required");
  CHECK(running.has_state(0, State::kUp));
}

TEST_CASE("several servers: an Ogar server that does not answer checks is down only if it has answered before") {
  FakeServer fake(true);
  Limits limits = no_limits();
  limits.detect_ms = 100;
  Checked running(fake, ogar::game(), limits);
  const WebServer silent(fake);
  CHECK(running.has_state(0, State::kUp));
  WebServer(fake).send_raw(as_bytes("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"));
  const WebServer hung(fake);
  CHECK(running.has_state(0, State::kDown));
  CHECK(running.server().servers(0)[0].why == "timed out");
}

TEST_CASE("hold: a WebSocket client that leaves is noticed while it waits") {
  Several running({free_for_both()}, [](auto& options) {
    options.game = &ogar::game();
    options.upstream.hold_ms = 60'000;
  });
  {
    const WebClient client(running.address);
    CHECK(running.have_come(1));
  }
  CHECK(running.have_come(0));
  CHECK(running.ended(Reason::kClientLeft));
}

TEST_CASE("hold: a session that was kicked no longer waits") {
  Several running({free_for_both()}, [](auto& options) { options.upstream.hold_ms = 60'000; });
  const Stream client = join(running.address);
  CHECK(running.have_come(1));
  CHECK(running.kick(running.sessions().front().info.link, ""));
  CHECK(running.have_come(0));
  CHECK(as_text(client.read_all()) == kGoodbye);
}

TEST_CASE("hold: a stop ends the sessions that wait") {
  Several running(
      {free_for_both()}, [](auto& options) { options.upstream.hold_ms = 60'000; }, 2);
  const Stream client = join(running.address), other = join(running.address);
  CHECK(running.have_come(2));
  running.stop();
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.totals().current_sessions() == 0);
}

}  // namespace
}  // namespace entente::testing::several_servers_test
