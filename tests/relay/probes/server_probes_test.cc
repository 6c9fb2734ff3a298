// When the servers of a route are checked, and what players who wait for a dialect learn. The test says when time
// passes.
#include "proxy/relay/probes/server_probes.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "tests/relay/bridging.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/toy.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::server_probes_test {
namespace {

using relay::Reason;
using State = relay::Upstream::State;

constexpr Millis kWhileDown = 250, kBelieved = 1'000;

struct Probing : Turning, relay::ServerProbes::User {
  Probing(relay::RouteOptions options, const std::vector<net::Address>& servers)
      : route(loop, std::move(options), servers), probes(*route.here) {
    probes.set_user(this);
  }
  void probed() override {
    ++told;
    told_at = loop.now();
  }

  OneRoute route;
  relay::ServerProbes probes;
  int told = 0;
  Millis told_at = 0;  // the last time: when a check had its result
};

relay::RouteOptions of_queried(Millis check_ms) {
  relay::RouteOptions options = options_of(toy::packets());
  options.upstream.check_ms = check_ms;
  return options;
}

relay::RouteOptions of_unknown_dialect() {
  relay::RouteOptions options = options_of(toy::stream());
  options.servers.front().dialect.reset();
  options.upstream.needs_dialect = true;
  return options;
}

/// Whether the server has been asked since the last call; it answers.
bool is_asked(Probing& it, const Datagrams& fake) {
  if (!fake.readable(0)) return false;
  const auto question = fake.receive();
  CHECK_FALSE(fake.readable(0));
  const int before = it.told;
  fake.send(question.from, as_bytes("here"));
  it.until([&] { return it.told == before + 1; });
  return true;
}

TEST_CASE("probes: a server that is up is checked as often as the route says, one that is down four times a second") {
  const Datagrams fake(loopback());
  Probing it(of_queried(10'000), {fake.here()});
  it.probes.tick(it.loop.now());
  CHECK(is_asked(it, fake));  // at once
  CHECK(it.route.server().state() == State::kUp);
  it.probes.tick(it.told_at + 9'999);
  CHECK_FALSE(is_asked(it, fake));
  it.probes.tick(it.told_at + 10'000);
  CHECK(is_asked(it, fake));
  for (int i = 0; i < 2; ++i) {
    (void)it.route.server().failed(it.loop.now(), "gone");
    it.probes.tick(it.told_at + kWhileDown - 1);
    CHECK_FALSE(is_asked(it, fake));
    it.probes.tick(it.told_at + kWhileDown);
    CHECK(is_asked(it, fake));
    CHECK(it.route.server().state() == State::kUp);
  }
  CHECK(it.route.heard.line("is up"));
}

TEST_CASE("probes: a route that checks its servers more often than that does so while they are down, too") {
  const Datagrams fake(loopback());
  Probing it(of_queried(100), {fake.here()});
  it.probes.tick(it.loop.now());
  CHECK(is_asked(it, fake));
  (void)it.route.server().failed(it.loop.now(), "gone");
  it.probes.tick(it.told_at + 99);
  CHECK_FALSE(is_asked(it, fake));
  it.probes.tick(it.told_at + 100);
  CHECK(is_asked(it, fake));
}

TEST_CASE("probes: a route that does not check its servers sends them nothing") {
  const Datagrams fake(loopback());
  Probing it(of_queried(0), {fake.here()});
  for (const Millis after : {0U, 1'000U, 1'000'000U}) it.probes.tick(it.loop.now() + after);
  CHECK_FALSE(fake.readable(0));
}

TEST_CASE(
    "probes: without a free file descriptor a server keeps its state and its dialect, and is checked again soon") {
  const FakeServer fake;
  relay::RouteOptions options = of_unknown_dialect();
  options.upstream.check_ms = 10'000;
  Probing it(std::move(options), {fake.address()});
  const auto greet = [&] {
    it.until([&] { return fake.called(0); });
    const int before = it.told;
    const Stream link = fake.accept();
    link.send("toy\x06");
    it.until([&] { return it.told == before + 1; });
  };
  it.probes.tick(it.loop.now());
  greet();
  CHECK(it.route.server().state() == State::kUp);
  const Millis due = it.told_at + 10'000;
  {
    const NoFilesLeft limit;
    for (int i = 0; i < 3; ++i) {
      const int before = it.told;
      it.probes.tick(due + static_cast<Millis>(i));
      it.until([&] { return it.told == before + 1; });
      CHECK(it.route.server().state() == State::kUp);
      CHECK(it.probes.known());
    }
  }
  CHECK(it.route.heard.told("cannot check server") == 1);
  CHECK(it.route.heard.line("Too many open files; raise the limit"));
  CHECK(it.route.heard.told("cannot reach server") == 0);
  it.probes.tick(due + 3);
  greet();
  CHECK(it.route.server().state() == State::kUp);
}

TEST_CASE("probes: each server of a route has its own check, and one that waits for its answer is not begun anew") {
  const Datagrams first(loopback()), second(loopback());
  Probing it(of_queried(1'000), {first.here(), second.here()});
  const Millis began = it.loop.now();
  it.probes.tick(began);
  CHECK(first.readable(0));
  CHECK(second.readable(0));
  (void)second.receive();
  CHECK(is_asked(it, first));
  it.probes.tick(began + 999);
  CHECK_FALSE(first.readable(0));
  CHECK_FALSE(second.readable(0));
  it.probes.tick(it.loop.now() + 1'000);  // the second gets its second question
  CHECK(is_asked(it, first));
  CHECK(is_asked(it, second));
}

TEST_CASE("probes: a server over ENet that never answered a query is not down if it answers none") {
  const Datagrams fake(loopback());
  Probing it(of_queried(10'000), {fake.here()});
  const auto stay_silent = [&] {
    const int before = it.told;
    for (int i = 0; i < 4; ++i) it.probes.tick(it.loop.now() + 10'000);
    it.until([&] { return it.told == before + 1; });
    for (int i = 0; i < 3; ++i) (void)fake.receive();
    CHECK_FALSE(fake.readable(0));
  };
  stay_silent();
  CHECK(it.route.server().state() == State::kUnknown);
  it.probes.tick(it.loop.now() + 10'000);
  CHECK(is_asked(it, fake));
  stay_silent();
  CHECK(it.route.server().state() == State::kDown);
}

TEST_CASE("probes: a dialect is known once a server has shown it, and whoever waits is told") {
  const FakeServer fake;
  Probing it(of_unknown_dialect(), {fake.address()});
  CHECK_FALSE(it.probes.known());
  CHECK_FALSE(it.probes.failed());
  it.probes.want();
  it.until([&] { return fake.called(0); });
  const Stream link = fake.accept();
  it.probes.want();  // another player
  CHECK_FALSE(it.probes.known());
  link.send("toy\x06");
  it.until([&] { return it.told == 1; });
  CHECK(it.probes.known());
  CHECK(it.route.server().dialect() == 0U);
  it.probes.want();
  CHECK_FALSE(fake.called(0));  // one connection for all of them
}

TEST_CASE("probes: a relay's server that speaks another dialect than its listener takes nobody") {
  const FakeServer fake;
  Probing it(of_unknown_dialect(), {fake.address()});
  it.probes.want();
  it.until([&] { return fake.called(0); });
  fake.accept().send("toy\x07");
  it.until([&] { return it.told == 1; });
  CHECK_FALSE(it.probes.known());
  CHECK(it.probes.failed());
  CHECK(it.probes.why() == Reason::kDialectMismatch);
  CHECK(it.route.heard.line("speaks toy little"));
}

TEST_CASE("probes: that a server cannot be reached is believed for a second, so that a crowd costs one connection") {
  Probing it(of_unknown_dialect(), {free_for_both()});
  it.probes.want();
  CHECK_FALSE(it.probes.failed());
  it.until([&] { return it.told == 1; });
  const Millis then = it.loop.now();
  CHECK(it.probes.failed());
  CHECK(it.probes.why() == Reason::kServerUnreachable);
  if (it.loop.now() <= it.told_at + kBelieved) {  // unless the machine was very busy
    it.probes.want();
    CHECK(it.probes.failed());  // it is not tried again
  }
  it.until([&] { return it.loop.now() > then + kBelieved; });
  it.probes.want();
  CHECK_FALSE(it.probes.failed());
  it.until([&] { return it.told == 2; });
  CHECK(it.probes.failed());
}

TEST_CASE("probes: with `first`, a server that has not answered yet keeps players from those that stand by") {
  Probing it(of_unknown_dialect(), {loopback(), loopback()});
  it.route.server(1).set_dialect(0);
  CHECK_FALSE(it.probes.known());
  it.route.server(0).drain(true);
  CHECK(it.probes.known());
  it.route.server(1).drain(true);
  CHECK_FALSE(it.probes.known());
  CHECK(it.probes.failed());
  it.route.server(0).drain(false);
  CHECK_FALSE(it.probes.failed());
}

TEST_CASE(
    "probes: a server that was away is away until a check has succeeded, also while that runs; the log says it once") {
  relay::RouteOptions options = of_unknown_dialect();
  options.upstream.check_ms = 100;
  const net::Address at = free_for_both();
  Probing it(std::move(options), {at});
  it.probes.tick(it.loop.now());
  CHECK_FALSE(it.probes.away());
  for (int i = 1; i <= 2; ++i) {
    it.until([&] { return it.told == i; });
    CHECK(it.probes.failed());
    CHECK(it.probes.away());
    CHECK(it.route.heard.told("cannot reach server " + at.text()) == 1);
    if (i == 1) it.probes.tick(it.told_at + 100);
  }
  const FakeServer fake(at, false);
  it.probes.tick(it.told_at + 100);
  CHECK_FALSE(it.probes.failed());  // it may be back
  CHECK(it.probes.away());
  it.until([&] { return fake.called(0); });
  fake.accept().send("toy\x06");
  it.until([&] { return it.told == 3; });
  CHECK_FALSE(it.probes.away());
  CHECK(it.probes.known());
  CHECK(it.route.heard.told("is up") == 1);
}

TEST_CASE("probes: the server of a bridge may speak any dialect of its game") {
  relay::RouteOptions options = of_unknown_dialect();
  options.bridge = toy_bridge(toy::stream(), toy::stream());
  const FakeServer fake;
  Probing it(std::move(options), {fake.address()});
  it.probes.want();
  it.until([&] { return fake.called(0); });
  fake.accept().send("toy\x07");
  it.until([&] { return it.told == 1; });
  CHECK(it.probes.known());
  CHECK(it.route.server().dialect() == 1U);
}

TEST_CASE("probes: when a route is retired or stops, a check that runs is given up, and nobody is told") {
  for (const bool retires : {true, false}) {
    CAPTURE(retires);
    const FakeServer fake;
    Probing it(of_unknown_dialect(), {fake.address()});
    it.probes.want();
    it.until([&] { return fake.called(0); });
    const Stream link = fake.accept();
    retires ? it.probes.retire() : it.probes.close();
    CHECK(link.read_all().empty());
    it.settle();
    CHECK(it.told == 0);
    CHECK_FALSE(it.probes.failed());
  }
}

TEST_CASE("probes: where no dialect must be known, players need not wait") {
  Probing it(of_queried(0), {free_for_both()});
  CHECK(it.probes.known());
  CHECK_FALSE(it.probes.failed());
}

TEST_CASE("probes: a single server is asked for its dialect at the start, and then only for players") {
  const FakeServer fake;
  Probing it(of_unknown_dialect(), {fake.address()});
  const Millis start = it.loop.now();
  it.probes.tick(start);
  it.until([&] { return fake.called(0); });
  fake.accept().close();
  it.until([&] { return it.told == 1; });
  it.pretend(start + 100'000);
  it.probes.tick(it.loop.now());
  it.settle();
  CHECK_FALSE(fake.called(0));
  it.pretend(start + 200'000);
  it.probes.want();
  it.until([&] { return fake.called(0); });
}

TEST_CASE("probes: a server among several that was away is asked again every five seconds, without a player") {
  constexpr Millis kAgain = 5'000;
  const FakeServer first;
  const net::Address at = free_for_both();
  Probing it(of_unknown_dialect(), {first.address(), at});
  const Millis start = it.loop.now();
  it.probes.tick(start);
  it.until([&] { return first.called(0); });
  first.accept().send("toy\x06");
  it.until([&] { return it.told == 2; });
  const FakeServer second(at, false);
  const auto is_asked_at = [&](Millis when) {
    it.pretend(when);
    it.probes.tick(when);
    it.settle();
    return second.called(0);
  };
  CHECK_FALSE(is_asked_at(start + kAgain - 1));
  CHECK(is_asked_at(start + kAgain));
  CHECK_FALSE(first.called(0));  // its dialect is known
}

TEST_CASE("probes: the server is started for players who wait for its dialect") {
  relay::RouteOptions options = of_unknown_dialect();
  options.upstream.hold_ms = 60'000;
  options.upstream.launch.start = "true";
  Probing it(std::move(options), {free_for_both()});
  it.probes.players_wait();
  it.until([&] { return it.told == 1; });
  CHECK(it.route.server().state() == State::kDown);
  it.probes.tick(it.loop.now() + 2'000);  // nobody has waited for a while
  CHECK(it.route.heard.told("running \"true\"") == 0);
  it.probes.players_wait();
  it.probes.tick(it.loop.now());
  CHECK(it.route.heard.told("running \"true\"") == 1);
  it.until([&] { return it.route.heard.told("\"true\" ended") == 1; });
}

}  // namespace
}  // namespace entente::testing::server_probes_test
