// Checks of servers by query and by connection: how often a server is asked, what each answer means, and that each
// check has one result. The test says when time passes.
#include "proxy/relay/probes/check.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::check_test {
namespace {

using relay::Check, relay::Reason;

constexpr Millis kForOneAnswer = 1'000, kGreetsAtOnce = 300;
constexpr std::uint32_t kDetectMs = 5'000;

/// Checks of a server of this game.
struct Checking : Turning, Check::User {
  Checking(const wire::Game& game, const std::vector<net::Address>& addresses, bool names_dialect = false)
      : route(loop, options_for(game, names_dialect), {addresses.front()}),
        server(0, {}, "the server", addresses),
        check(relay::make_check(*route.here, server, *this)) {}
  static relay::RouteOptions options_for(const wire::Game& game, bool names_dialect) {
    relay::RouteOptions options = options_of(game);
    if (!names_dialect) options.servers.front().dialect.reset();
    options.limits.detect_ms = kDetectMs;
    return options;
  }

  void checked(const Check::Result& result) override {
    results.push_back(result);
    if (std::exchange(again, false)) start();
  }
  void start() { check->start(route.here->rules->limits); }
  /// The check's result, which has not come before.
  Check::Result result() {
    const std::size_t before = told;
    until([&] { return results.size() > before; });
    told = results.size();
    CHECK(told == before + 1);
    return results.back();
  }

  OneRoute route;
  relay::Upstream server;
  std::unique_ptr<Check> check;
  std::vector<Check::Result> results;
  std::size_t told = 0;
  bool again = false;  // start() is called in checked()
};

/// Takes the questions that have come; returns how many.
int questions(const Datagrams& at, net::Address* from = nullptr) {
  int count = 0;
  for (; at.readable(0); ++count) {
    const auto question = at.receive();
    CHECK(as_text(question.bytes) == "TOY?");
    if (from != nullptr) *from = question.from;
  }
  return count;
}

TEST_CASE("check by query: in each check, a silent server is asked three times and then is not there") {
  const Datagrams fake(loopback());
  Checking it(toy::packets(), {fake.here()});
  for (int i = 0; i < 3; ++i) {
    it.start();
    CHECK(questions(fake) == 1);
    for (int more = 0; more < 2; ++more) {
      it.check->tick(it.loop.now() + kForOneAnswer - 1);
      CHECK(questions(fake) == 0);
      it.check->tick(it.loop.now() + kForOneAnswer);
      CHECK(questions(fake) == 1);
    }
    it.check->tick(it.loop.now() + kForOneAnswer);
    CHECK(it.result().failed == Reason::kServerTimeout);
    CHECK(it.results.back().why == "it did not answer");
    it.check->tick(it.loop.now() + kForOneAnswer);
    CHECK(questions(fake) == 0);
  }
}

TEST_CASE("check by query: an answer to any of the questions ends the check, once") {
  const Datagrams fake(loopback());
  Checking it(toy::packets(), {fake.here()});
  for (int silent = 0; silent < 3; ++silent) {
    CAPTURE(silent);
    it.start();
    for (int i = 0; i < silent; ++i) it.check->tick(it.loop.now() + kForOneAnswer);
    net::Address from;
    CHECK(questions(fake, &from) == 1 + silent);
    for (int i = 0; i < 2; ++i) fake.send(from, as_bytes("here"));
    CHECK_FALSE(it.result().failed);
    it.settle();
    it.check->tick(it.loop.now() + 10 * kForOneAnswer);
    it.settle();
    CHECK(questions(fake) == 0);
    CHECK(it.results.size() == it.told);
  }
}

TEST_CASE(
    "check by query: each address of a server gets three questions, and the silent one is tried last from then on") {
  const Datagrams silent(loopback()), fake(loopback());
  Checking it(toy::packets(), {silent.here(), fake.here()});
  it.start();
  for (int i = 0; i < 3; ++i) {
    CHECK(questions(silent) == 1);
    CHECK(questions(fake) == 0);
    it.check->tick(it.loop.now() + kForOneAnswer);
  }
  CHECK(questions(silent) == 0);
  for (int i = 0; i < 2; ++i) it.check->tick(it.loop.now() + kForOneAnswer);
  net::Address from;
  CHECK(questions(fake, &from) == 3);
  fake.send(from, as_bytes("here"));
  CHECK_FALSE(it.result().failed);
  it.start();
  CHECK(questions(fake) == 1);
  CHECK(questions(silent) == 0);
}

TEST_CASE("check: one that is closed has no result, and another one may begin") {
  const Datagrams fake(loopback());
  Checking it(toy::packets(), {fake.here()});
  net::Address from;
  it.start();
  CHECK(questions(fake, &from) == 1);
  it.check->close();
  it.check->tick(it.loop.now() + kForOneAnswer);
  it.settle();
  CHECK(questions(fake) == 0);
  CHECK(it.results.empty());
  it.start();
  CHECK(questions(fake, &from) == 1);
  fake.send(from, as_bytes("here"));
  CHECK_FALSE(it.result().failed);
}

TEST_CASE("check by connection: the greeting shows the dialect, also if it comes in pieces") {
  const FakeServer fake;
  Checking it(toy::stream(), {fake.address()});
  for (const std::size_t dialect : {0U, 1U}) {
    it.start();
    it.until([&] { return fake.called(0); });
    const Stream link = fake.accept();
    link.send("toy");
    it.settle();
    CHECK(it.results.size() == it.told);
    link.send(std::string(1, static_cast<char>(6 + dialect)));
    CHECK(it.result().dialect == dialect);
    CHECK_FALSE(it.results.back().failed);
    CHECK(link.read_all().empty());  // the check says nothing, and closes
  }
}

TEST_CASE("check by connection: another greeting, or none before it closes, shows no dialect") {
  const FakeServer fake;
  Checking it(toy::stream(), {fake.address()});
  it.start();
  it.until([&] { return fake.called(0); });
  const Stream other = fake.accept();
  other.send("what");
  CHECK(it.result().failed == Reason::kDialectUnknown);
  CHECK(it.results.back().why == "its greeting is not that of toy");
  it.start();
  it.until([&] { return fake.called(0); });
  fake.accept().close();
  CHECK(it.result().failed == Reason::kDialectUnknown);
  CHECK(it.results.back().why == "it closed the connection");
}

TEST_CASE(
    "check by connection: a server whose dialect was known once, and which does not greet now, cannot be reached") {
  const FakeServer fake;
  Checking it(toy::stream(), {fake.address()});
  it.server.set_dialect(1);
  it.start();
  it.until([&] { return fake.called(0); });
  fake.accept().close();
  CHECK(it.result().failed == Reason::kServerUnreachable);
}

TEST_CASE("check by connection: a server has detect_ms to greet, in each check") {
  const FakeServer fake;
  Checking it(toy::stream(), {fake.address()});
  for (int i = 0; i < 2; ++i) {
    const Millis before = it.loop.now();
    it.start();
    it.until([&] { return fake.called(0); });
    const Stream link = fake.accept();
    it.settle();
    it.check->tick(before + kDetectMs);
    it.settle();
    CHECK(it.results.size() == it.told);
    it.check->tick(it.loop.now() + kDetectMs + 100);
    CHECK(it.result().failed == Reason::kDialectUnknown);
    CHECK(it.results.back().why == "it did not greet");
  }
}

TEST_CASE("check by connection: a server that was down and accepts is believed to speak its dialect, unless it hung") {
  const FakeServer fake;
  Checking it(toy::stream(), {fake.address()});
  std::vector<Stream> links;
  const auto begin = [&] {
    it.start();
    it.until([&] { return fake.called(0); });
    links.push_back(fake.accept());
    it.settle();
  };
  it.server.set_dialect(1);
  (void)it.server.failed(it.loop.now(), "gone");
  const Millis before = it.loop.now();
  begin();
  it.check->tick(before + kGreetsAtOnce);
  it.settle();
  CHECK(it.results.empty());
  it.check->tick(it.loop.now() + kGreetsAtOnce + 1);
  CHECK(it.result().dialect == 1U);
  begin();
  links.back().send("t");  // it begins to greet
  it.settle();
  it.check->tick(it.loop.now() + kGreetsAtOnce + 1);
  it.settle();
  CHECK(it.results.size() == it.told);
  it.check->tick(it.loop.now() + kDetectMs + 100);
  CHECK(it.result().failed == Reason::kServerUnreachable);
  begin();
  it.check->tick(it.loop.now() + kGreetsAtOnce + 1);
  it.settle();
  CHECK(it.results.size() == it.told);  // it hung the last time
}

TEST_CASE(
    "check by connection: if one address refuses, the next is tried, and the one that answers is first from then on") {
  const FakeServer fake;
  const net::Address closed = free_for_both();
  Checking it(toy::stream(), {closed, fake.address()});
  it.server.addresses.not_reached(fake.address(), it.loop.now());  // it was away
  it.start();
  it.until([&] { return fake.called(0); });
  fake.accept().send("toy\x06");
  CHECK_FALSE(it.result().failed);
  CHECK(it.server.addresses.all(it.loop.now()) == std::vector{fake.address(), closed});
}

TEST_CASE("check: who is told the result may begin the next check at once") {
  const Datagrams fake(loopback());
  Checking it(toy::packets(), {fake.here()});
  net::Address from;
  it.again = true;
  for (int i = 0; i < 2; ++i) {
    if (i == 0) it.start();
    CHECK(questions(fake, &from) == 1);
    fake.send(from, as_bytes("here"));
    CHECK_FALSE(it.result().failed);
  }
  it.settle();
  CHECK(questions(fake) == 0);
}

TEST_CASE("check by WebSocket: a server that upgrades is there; one that declines, closes or breaks the rules is not") {
  const FakeServer fake;
  Checking it(toy::messages(), {fake.address()});
  const auto asked = [&] {
    it.start();
    it.until([&] { return fake.called(0); });
    it.settle();
    return WebServer(fake);
  };
  for (int i = 0; i < 2; ++i) {  // each check has a connection of its own
    WebServer server = asked();
    CHECK(server.request.target == "/");
    server.upgrade();
    CHECK_FALSE(it.result().failed);
    CHECK(server.stream().read_all().empty());  // it is closed, and nothing was said
  }
  WebServer declines = asked();
  declines.send_raw(as_bytes(std::string_view("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")));
  CHECK(it.result().failed == Reason::kServerDeclined);
  CHECK(it.results.back().why == "it answered 503 to the request of a check");
  WebServer closes = asked();
  closes.stream().close();
  CHECK(it.result().failed == Reason::kServerDeclined);
  CHECK(it.results.back().why == "it closed the connection");
  WebServer wrong = asked();
  wrong.send_raw(as_bytes(std::string_view("nonsense\r\n\r\n")));
  CHECK(it.result().failed == Reason::kServerProtocolError);
}

TEST_CASE("check by WebSocket: a server has detect_ms to upgrade, in each check") {
  const FakeServer fake;
  Checking it(toy::messages(), {fake.address()});
  for (int i = 0; i < 2; ++i) {
    const Millis before = it.loop.now();
    it.start();
    it.until([&] { return fake.called(0); });
    it.settle();
    WebServer silent(fake);
    it.check->tick(before + kDetectMs);
    it.settle();
    CHECK(it.results.size() == it.told);
    it.check->tick(it.loop.now() + kDetectMs + 100);
    CHECK(it.result().failed == Reason::kServerUnreachable);
    CHECK(it.results.back().why == "timed out");
    CHECK(silent.stream().read_all().empty());
  }
}

TEST_CASE("check by query: what keeps this machine from asking is told with the system's words") {
  const net::Address nowhere = *net::Address::parse("255.255.255.255:9");
  const net::Fd socket(::socket(AF_INET, SOCK_DGRAM, 0));
  REQUIRE(::connect(socket.get(), nowhere.raw(), nowhere.size()) != 0);
  const std::string why = std::strerror(errno);
  Checking it(toy::packets(), {nowhere});
  it.start();
  CHECK(it.result().failed == Reason::kServerUnreachable);
  CHECK(it.results.back().why == why);
}

TEST_CASE("check: without a free file descriptor it tells nothing of the server, and no address counts as silent") {
  for (const wire::Game* game : {&toy::packets(), &toy::stream(), &toy::messages()}) {
    CAPTURE(game->name());
    const FakeServer fake, other;
    Checking it(*game, {fake.address(), other.address()});
    {
      const NoFilesLeft limit;
      it.start();
      CHECK(it.result().lacks == EMFILE);
      CHECK_FALSE(it.results.back().failed);
    }
    CHECK(it.server.addresses.all(it.loop.now()) == std::vector{fake.address(), other.address()});
    it.start();
    it.check->close();
  }
}

TEST_CASE("check: a server that refuses connections is told so with the system's words, after start() has returned") {
  Checking it(toy::stream(), {free_for_both()});
  for (int i = 0; i < 2; ++i) {
    it.start();
    CHECK(it.results.size() == it.told);
    CHECK(it.result().failed == Reason::kServerUnreachable);
    CHECK(it.results.back().why == "Connection refused");
  }
}

}  // namespace
}  // namespace entente::testing::check_test
