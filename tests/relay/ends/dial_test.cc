// How a session finds a server: which one is tried next, who is to blame for a failure, who waits for a server and in
// which order, and what counts at a server. The test says when time passes.
#include "proxy/relay/ends/dial.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/support/no_files_left.h"
#include "tests/support/toy_game.h"

namespace entente::testing::dial_test {
namespace {

using relay::Dial, relay::Reason;
using State = relay::Upstream::State;

constexpr std::uint32_t kConnectMs = 4'000;
constexpr Millis kHoldMs = 60'000, kRetry = 250, kFullFor = 3'000, kScarceFor = 30'000;

net::Address at(std::uint16_t port, const char* ip = "192.0.2.1") { return *net::Address::parse(ip, port); }

using Ports = std::vector<std::uint16_t>;

/// A session that connects, and logs what its dial asks of it.
struct Caller final : Dial::User {
  explicit Caller(relay::LinkId link, wire::Transport transport = wire::Transport::kEnet)
      : its(*this, kConnectMs, transport) {
    info.link = link;
    info.game = &toy::packets();
    info.client = at(static_cast<std::uint16_t>(1'000 + link), "192.0.2.99");
  }
  int dial(Dial&, const net::Address& server, relay::Outgoing outgoing) override {
    tried.push_back(server.port());
    if (its.tries_first()) tried_first.push_back(server.port());
    first = std::move(outgoing.first);
    source = outgoing.source;
    CHECK(outgoing.server.addresses.all(0).front() == server);
    if (errors.empty()) return 0;
    const int error = errors.front();
    errors.erase(errors.begin());
    return error;
  }
  bool drop_late(Dial& of, Millis now) override { return of.late(now); }
  void dial_failed(Dial& of, Reason why) override {
    CHECK_FALSE(of.under_way());
    failures.push_back(why);
  }

  relay::LinkInfo info;
  Ports tried;        // of the servers
  Ports tried_first;  // the same, if the dial says that it is the first time
  std::vector<Reason> failures;
  std::vector<int> errors;  // of the next attempts; those after them can begin
  Buffer first;
  net::Source source;
  Dial its;
};

/// A route to these servers, whose sessions wait for so long.
struct Rig : Turning {
  explicit Rig(std::size_t servers = 1, Millis hold_ms = kHoldMs,
               relay::RouteOptions options = options_of(toy::packets()))
      : route(loop, holding(std::move(options), hold_ms), addresses(servers)) {
    pretend(start);
  }
  static relay::RouteOptions holding(relay::RouteOptions options, Millis hold_ms) {
    options.upstream.hold_ms = hold_ms;
    return options;
  }
  static std::vector<net::Address> addresses(std::size_t count) {
    std::vector<net::Address> all;
    for (std::size_t i = 1; i <= count; ++i) all.push_back(at(static_cast<std::uint16_t>(i)));
    return all;
  }
  void begin(Caller& one, relay::Upstream* first = nullptr, std::optional<std::size_t> dialect = {}) {
    one.its.begin(*route.here, one.info, first, dialect);
  }
  /// So much later, the dial is ticked.
  void tick_at(Caller& one, Millis later) {
    pretend(start + later);
    one.its.tick(loop.now());
  }
  /// All servers refuse this session, which then waits.
  void refuse_all(Caller& one) {
    begin(one);
    for (std::size_t i = 0; i < route.route.upstreams.all().size(); ++i) one.its.failed(ECONNREFUSED);
  }
  std::size_t waiting() const { return route.route.upstreams.waiting(); }
  relay::Upstream& server(std::size_t index = 0) const { return route.server(index); }

  const Millis start = 1'000'000;
  OneRoute route;
};

TEST_CASE("dial: a session counts at its server from the attempt on, and as opened once it is there") {
  Rig rig;
  Caller one(1);
  CHECK_FALSE(one.its.under_way());
  CHECK(one.its.server_rates() == nullptr);
  CHECK(one.its.server_name().empty());
  rig.begin(one);
  CHECK(one.tried == Ports{1});
  CHECK(one.its.under_way());
  CHECK_FALSE(one.its.holding());
  CHECK(one.its.server_name() == rig.server().name);
  CHECK(one.its.server_rates() == nullptr);
  CHECK(rig.server().sessions() == 1);
  CHECK(rig.server().sessions_opened() == 0);
  one.its.succeeded();
  CHECK_FALSE(one.its.under_way());
  CHECK(rig.server().state() == State::kUp);
  CHECK(rig.server().succeeded_since(rig.start - 1));
  CHECK(rig.server().sessions_opened() == 1);
  CHECK(one.its.server_rates() == &rig.server().rates());
  CHECK(one.its.server_name() == rig.server().name);
  one.its.succeeded();  // it is not under way any more
  CHECK(rig.server().sessions_opened() == 1);
  CHECK(rig.server().sessions() == 1);
  one.its.leave_server();
  CHECK(rig.server().sessions() == 0);
  CHECK(rig.waiting() == 0);
}

TEST_CASE("dial: the rates of a server are those that the route has now") {
  relay::RouteOptions options = options_of(toy::packets());
  options.limits.server_bytes_per_second = 1'000;
  Rig rig(1, 0, options);
  Caller one(1);
  rig.begin(one);
  CHECK(one.its.server_rates() == nullptr);
  one.its.succeeded();
  CHECK(rig.server().rates().charge(2'000, 1, rig.loop.now()));
  CHECK_FALSE(rig.server().rates().charge(1'000, 1, rig.loop.now()));
}

TEST_CASE(
    "dial: a server that refuses is down, and followed by the next one; after the last one the user is told once") {
  Rig rig(3, 0);
  Caller one(1);
  rig.begin(one);
  one.its.failed(ECONNREFUSED);
  CHECK(one.tried == Ports{1, 2});
  CHECK(rig.server(0).state() == State::kDown);
  CHECK(rig.server(0).why() == "Connection refused");
  CHECK(rig.server(0).sessions() == 0);
  CHECK(rig.server(1).sessions() == 1);
  CHECK(one.failures.empty());
  one.its.failed(ECONNREFUSED);
  one.its.failed(ECONNREFUSED);
  CHECK(one.tried == Ports{1, 2, 3});
  CHECK(one.failures == std::vector{Reason::kServerUnreachable});
  CHECK_FALSE(one.its.under_way());
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(rig.server(i).state() == State::kDown);
    CHECK(rig.server(i).sessions() == 0);
    CHECK(rig.route.heard.told("cannot reach server " + rig.server(i).name + ": Connection refused") == 1);
  }
  rig.tick_at(one, 2 * kConnectMs);
  CHECK(one.failures.size() == 1);
}

TEST_CASE("dial: that a server is down is not logged again if checks have told it") {
  relay::RouteOptions options = options_of(toy::packets());
  options.upstream.check_ms = 1'000;
  Rig rig(1, 0, options);
  Caller one(1), two(2);
  for (Caller* const caller : {&one, &two}) {
    rig.begin(*caller);
    caller->its.failed(ECONNREFUSED);
  }
  CHECK(two.tried == Ports{1});
  CHECK(rig.route.heard.told("cannot reach server") == 1);
}

TEST_CASE("dial: each address has connect_ms, and a session whose servers are all silent is told that") {
  Rig rig(2, 0);
  Caller one(1);
  rig.begin(one);
  CHECK_FALSE(one.its.late(rig.start + kConnectMs));
  CHECK(one.its.late(rig.start + kConnectMs + 1));
  rig.tick_at(one, kConnectMs);
  CHECK(one.tried == Ports{1});
  rig.tick_at(one, kConnectMs + 1);
  CHECK(one.tried == Ports{1, 2});
  CHECK(rig.server(0).state() == State::kDown);
  CHECK(rig.server(0).why() == "timed out");
  rig.tick_at(one, 2 * kConnectMs + 1);
  CHECK(one.failures.empty());
  rig.tick_at(one, 2 * kConnectMs + 2);
  CHECK(one.failures == std::vector{Reason::kServerTimeout});
  CHECK_FALSE(one.its.late(rig.start + 9 * kConnectMs));  // nothing is tried
}

TEST_CASE("dial: a server at an address that cannot be reached is blamed, and followed by the next one") {
  for (const int error : {ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL}) {
    CAPTURE(error);
    Rig rig(2, 0);
    Caller one(1);
    one.errors = {error};
    rig.begin(one);
    CHECK(one.tried == Ports{1, 2});
    CHECK(rig.server(0).state() == State::kDown);
    CHECK(rig.server(0).sessions() == 0);
    CHECK(rig.server(1).sessions() == 1);
    CHECK_FALSE(one.its.holding());
  }
}

TEST_CASE("dial: a session ends if this machine has no socket or port left, and no server is blamed") {
  struct Row {
    int error;
    std::size_t tries;
  };
  for (const Row& row : {Row{EMFILE, 1}, Row{ENOBUFS, 1}, Row{EADDRINUSE, 8}}) {
    CAPTURE(row.error);
    Rig rig(2, 0);
    Caller one(1);
    one.errors.assign(row.tries, row.error);
    rig.begin(one);
    CHECK(one.tried == Ports(row.tries, 1));
    CHECK(one.failures == std::vector{Reason::kOutOfDescriptors});
    CHECK(rig.server(0).state() == State::kUnknown);
    CHECK(rig.server(0).sessions() + rig.server(1).sessions() == 0);
  }
}

TEST_CASE("dial: while a port is taken another one is tried, and the first that is free is used") {
  Rig rig(2, 0);
  Caller one(1);
  one.errors.assign(3, EADDRINUSE);
  rig.begin(one);
  CHECK(one.tried == Ports(4, 1));
  CHECK(one.its.under_way());
  CHECK(rig.route.heard.told("cannot reach server") == 0);
  one.its.failed(EADDRINUSE);  // no local port is left: the server is not to blame
  CHECK(rig.server(0).state() == State::kUnknown);
  CHECK(one.tried.back() == 2);
}

TEST_CASE("dial: it begins with the server that was chosen, and goes only to those that speak the dialect") {
  Rig rig(3, 0);
  Caller one(1);
  one.its.expect(rig.server(2));
  CHECK(rig.server(2).sessions() == 1);
  rig.begin(one, &rig.server(2));
  CHECK(one.tried == Ports{3});
  CHECK(rig.server(2).sessions() == 1);  // not twice
  one.its.failed(ECONNREFUSED);
  CHECK(one.tried == Ports{3, 1});
  Caller other(2);
  rig.begin(other, nullptr, 1);
  CHECK(other.tried.empty());
  CHECK(other.failures == std::vector{Reason::kServerUnreachable});
}

TEST_CASE("dial: a session whose route holds it waits for its server, which is tried four times a second") {
  Rig rig;
  Caller one(1);
  rig.refuse_all(one);
  CHECK(one.failures.empty());
  CHECK(one.its.under_way());
  CHECK(one.its.holding());
  CHECK_FALSE(one.its.looks_up());
  CHECK(one.its.waits_until() == rig.start + kHoldMs);
  CHECK(rig.waiting() == 1);
  CHECK(rig.server().sessions() == 0);  // it is on no server
  rig.tick_at(one, kRetry - 1);
  CHECK(one.tried.size() == 1);
  rig.tick_at(one, kRetry);
  CHECK(one.tried.size() == 2);
  CHECK_FALSE(one.its.holding());
  CHECK(rig.server().sessions() == 1);
  one.its.failed(ECONNREFUSED);
  rig.tick_at(one, 2 * kRetry - 1);
  CHECK(one.tried.size() == 2);
  rig.tick_at(one, 2 * kRetry);
  CHECK(one.tried.size() == 3);
  CHECK(rig.waiting() == 1);  // until it is in
  one.its.succeeded();
  CHECK(rig.waiting() == 0);
  CHECK(rig.route.heard.line("is up"));
}

TEST_CASE("dial: it says which attempt at an address is the first one since a server was reached") {
  Rig rig(2);
  Caller one(1);
  one.errors = {EADDRINUSE, EADDRINUSE, 0, 0};  // another port is not another attempt
  rig.refuse_all(one);
  for (Millis times = 1; times <= 4; ++times) {
    rig.tick_at(one, times * kRetry);
    one.its.failed(ECONNREFUSED);
    one.its.failed(ECONNREFUSED);
  }
  CHECK(one.tried.size() == 12);
  CHECK(one.tried_first == Ports{1, 2});
  rig.tick_at(one, 5 * kRetry);
  one.its.succeeded();
  one.its.again(*rig.route.here, one.info, {}, rig.loop.now(), rig.loop.now() + kHoldMs);
  CHECK(one.tried_first == Ports{1, 2, 1});
}

TEST_CASE("dial: who has waited for hold_ms is told why no server took it, and waits no longer") {
  Rig rig;
  Caller silent(1), refused(2);
  rig.begin(silent);
  rig.tick_at(silent, kConnectMs + 1);
  CHECK(silent.its.holding());
  rig.begin(refused);  // it waits behind the other
  CHECK(refused.tried.empty());
  CHECK(rig.waiting() == 2);
  rig.tick_at(silent, kHoldMs - 1);  // tries again
  CHECK(silent.failures.empty());
  silent.its.failed(ECONNREFUSED);
  rig.tick_at(silent, kHoldMs);
  CHECK(silent.failures == std::vector{Reason::kServerUnreachable});
  CHECK(rig.waiting() == 1);
  rig.tick_at(refused, kConnectMs + 1 + kHoldMs);
  CHECK(refused.failures == std::vector{Reason::kServerUnreachable});
  CHECK(rig.waiting() == 0);
  rig.tick_at(silent, 3 * kHoldMs);
  CHECK(silent.failures.size() == 1);
}

TEST_CASE("dial: a session whose last attempt fails when its time is over is told so at once") {
  Rig rig;
  Caller one(1);
  rig.refuse_all(one);
  rig.tick_at(one, kHoldMs - 1);
  CHECK(one.tried.size() == 2);
  rig.pretend(rig.start + kHoldMs);
  one.its.failed(ECONNREFUSED);
  CHECK(one.failures == std::vector{Reason::kServerUnreachable});
  CHECK(rig.waiting() == 0);
}

TEST_CASE("dial: a session waits for a server to which no connection could even begin") {
  Rig rig;
  Caller one(1);
  one.errors = {ENETUNREACH};
  rig.begin(one);
  CHECK(one.tried == Ports{1});
  CHECK(one.its.holding());
  rig.tick_at(one, kRetry);
  CHECK(one.tried == Ports{1, 1});
}

TEST_CASE("dial: how long it waits can be changed") {
  Rig rig;
  Caller one(1);
  rig.refuse_all(one);
  one.its.wait_until(rig.start + 100);
  CHECK(one.its.waits_until() == rig.start + 100);
  rig.tick_at(one, 99);
  CHECK(one.failures.empty());
  rig.tick_at(one, 100);
  CHECK(one.failures == std::vector{Reason::kServerUnreachable});
}

TEST_CASE("dial: who only asks or checks does not wait for a server that is started for players, others do") {
  for (const bool starts : {true, false})
    for (const auto& [asks, checks] : {std::pair{true, false}, {false, true}, {false, false}}) {
      relay::RouteOptions options = options_of(toy::packets());
      if (starts) options.upstream.launch.start = "true";
      Rig rig(1, kHoldMs, options);
      Caller one(1);
      one.its.set_asks(asks);
      one.its.set_checks(checks);
      rig.refuse_all(one);
      const bool waits = !starts || (!asks && !checks);
      CHECK(one.failures.empty() == waits);
      CHECK(one.its.holding() == waits);
    }
}

TEST_CASE("dial: who only asks is an asker at its server, and counts as opened once it asks no more") {
  Rig rig;
  Caller one(1);
  one.its.set_asks(true);
  rig.begin(one);
  CHECK(rig.server().askers() == 1);
  one.its.succeeded();
  CHECK(rig.server().sessions_opened() == 0);
  one.its.set_asks(true);
  CHECK(rig.server().sessions_opened() == 0);
  one.its.set_asks(false);
  CHECK(rig.server().askers() == 0);
  CHECK(rig.server().sessions_opened() == 1);
  one.its.set_asks(false);
  CHECK(rig.server().sessions_opened() == 1);
  Caller early(2);
  early.its.set_asks(true);
  rig.begin(early);
  early.its.set_asks(false);  // before it is there
  CHECK(rig.server().sessions_opened() == 1);
  early.its.succeeded();
  CHECK(rig.server().sessions_opened() == 2);
}

TEST_CASE("dial: a health check is an asker at its server, also if it asks no more, but counts as opened") {
  Rig rig;
  Caller one(1);
  one.its.set_checks(true);
  one.its.set_asks(true);
  rig.begin(one);
  CHECK(rig.server().askers() == 1);
  one.its.set_asks(false);
  CHECK(rig.server().askers() == 1);
  one.its.succeeded();
  CHECK(rig.server().sessions_opened() == 1);
  one.its.set_checks(false);
  CHECK(rig.server().askers() == 0);
  one.its.set_asks(true);
  one.its.set_checks(false);  // it still asks
  CHECK(rig.server().askers() == 1);
  one.its.leave_server();
  CHECK(rig.server().askers() == 0);
}

TEST_CASE("dial: those who wait go in the order of their links, one while no server is up, and all once one is") {
  Rig rig;
  Caller late(9), early(3), later(12);
  for (Caller* const one : {&late, &early, &later}) rig.begin(*one);
  for (Caller* const one : {&late, &early, &later}) one->its.failed(ECONNREFUSED);
  CHECK(rig.waiting() == 3);
  for (Caller* const one : {&later, &late, &early}) rig.tick_at(*one, kRetry);
  CHECK(early.tried.size() == 2);
  CHECK(late.tried.size() == 1);
  CHECK(later.tried.size() == 1);
  early.its.succeeded();
  for (Caller* const one : {&later, &late}) rig.tick_at(*one, kRetry);
  CHECK(late.tried.size() == 2);
  CHECK(later.tried.size() == 2);
}

TEST_CASE("dial: a newcomer does not connect before those who wait, also if a server is up") {
  Rig rig;
  Caller first(1), second(2);
  rig.refuse_all(first);
  rig.server().succeeded(rig.start);
  rig.begin(second);
  CHECK(second.tried.empty());
  CHECK(second.its.holding());
  CHECK(rig.waiting() == 2);
}

TEST_CASE("dial: a full server takes nobody for three seconds, and who waits in vain is told that it declined") {
  Rig rig;
  Caller player(1), newcomer(2);
  rig.begin(player);
  player.its.succeeded();
  player.its.server_is_full(rig.start);
  CHECK(rig.server().sessions() == 0);
  CHECK(rig.server().is_full(rig.start));
  rig.begin(newcomer);
  CHECK(newcomer.tried.empty());
  CHECK(newcomer.its.holding());
  rig.tick_at(newcomer, kFullFor - 1);
  CHECK(newcomer.tried.empty());
  rig.tick_at(newcomer, kFullFor);
  CHECK(newcomer.tried == Ports{1});
  newcomer.its.leave_server();
  CHECK(rig.waiting() == 0);

  Caller patient(3);
  player.its.server_is_full(rig.start + kFullFor);
  rig.begin(patient);
  patient.its.wait_until(rig.start + kFullFor + 100);
  rig.tick_at(patient, kFullFor + 100);
  CHECK(patient.failures == std::vector{Reason::kServerDeclined});
}

TEST_CASE("dial: without hold_ms a full server is tried all the same") {
  Rig rig(1, 0);
  Caller one(1);
  rig.server().mark_full(rig.start);
  rig.begin(one);
  CHECK(one.tried == Ports{1});
}

TEST_CASE("dial: while slots are scarce, a session that has none yet keeps its place in the queue until it has one") {
  for (const bool has_slot : {true, false})
    for (const bool scarce : {true, false}) {
      CAPTURE(has_slot);
      CAPTURE(scarce);
      Rig rig;
      Caller one(1);
      rig.server().mark_full(rig.start);
      rig.begin(one);
      CHECK(rig.waiting() == 1);
      rig.tick_at(one, scarce ? kScarceFor - 1 : kScarceFor);
      CHECK(one.tried == Ports{1});
      one.its.succeeded(has_slot);
      CHECK(rig.waiting() == (!has_slot && scarce ? 1 : 0));
      CHECK_FALSE(one.its.holding());
      one.its.leave_queue();
      CHECK(rig.waiting() == 0);
    }
}

TEST_CASE("dial: a session that lost its server rests, and then connects anew; it is on no server meanwhile") {
  Rig rig;
  Caller one(1);
  rig.begin(one);
  one.its.succeeded();
  one.its.again(*rig.route.here, one.info, {}, rig.start + 500, rig.start + 2'000);
  CHECK(rig.server().sessions() == 0);
  CHECK(one.its.server_rates() == nullptr);
  CHECK(one.its.under_way());
  CHECK(one.its.holding());
  CHECK(one.its.waits_until() == rig.start + 2'000);
  rig.tick_at(one, 499);
  CHECK(one.tried.size() == 1);
  rig.tick_at(one, 500);
  CHECK(one.tried.size() == 2);
  CHECK(rig.server().sessions() == 1);
  CHECK_FALSE(one.its.holding());
  one.its.failed(ECONNREFUSED);
  rig.tick_at(one, 1'999);
  one.its.failed(ECONNREFUSED);
  rig.tick_at(one, 2'000);
  CHECK(one.failures == std::vector{Reason::kServerUnreachable});
  Rig fresh;
  Caller other(2);
  other.its.again(*fresh.route.here, other.info, {}, fresh.start, fresh.start + 10);
  CHECK(other.tried.size() == 1);  // at once
}

TEST_CASE("dial: who rests lets others go first, and may connect after its rest") {
  Rig rig;
  Caller one(1), two(2);
  rig.refuse_all(one);
  rig.begin(two);
  CHECK(rig.waiting() == 2);
  one.its.rest(rig.start + 1'000);
  CHECK(rig.waiting() == 1);
  CHECK(one.its.holding());
  rig.tick_at(two, kRetry);
  CHECK(two.tried.size() == 1);
  rig.tick_at(one, 999);
  CHECK(one.tried.size() == 1);
  two.its.succeeded();
  for (int i = 0; i < 2; ++i) rig.tick_at(one, 1'000);  // it waits in the queue again before its turn comes
  CHECK(one.tried.size() == 2);
}

TEST_CASE(
    "dial: who is behind others waits although a server is up, and those after it in the queue do not wait for it") {
  Rig rig;
  rig.server().succeeded(rig.start);
  Caller behind(1), other(2);
  behind.its.set_behind(true);
  rig.begin(behind);
  CHECK(behind.tried.empty());
  CHECK(behind.its.holding());
  rig.tick_at(behind, kRetry);
  CHECK(behind.tried.empty());
  rig.server().mark_full(rig.start);  // one goes after another
  rig.begin(other);
  rig.tick_at(other, kFullFor);
  CHECK(other.tried == Ports{1});
  other.its.succeeded();
  behind.its.set_behind(false);
  rig.tick_at(behind, kFullFor);
  CHECK(behind.tried == Ports{1});
}

TEST_CASE("dial: who is behind others while it waits lets pass those after it, and no longer once it is not") {
  Rig rig;
  Caller one(1), two(2);
  for (Caller* const caller : {&one, &two}) rig.begin(*caller);
  for (Caller* const caller : {&one, &two}) caller->its.failed(ECONNREFUSED);
  one.its.set_behind(true);
  for (Caller* const caller : {&one, &two}) rig.tick_at(*caller, kRetry);
  CHECK(one.tried.size() == 1);
  CHECK(two.tried.size() == 2);
  two.its.failed(ECONNREFUSED);
  one.its.set_behind(false);
  for (Caller* const caller : {&one, &two}) rig.tick_at(*caller, 3 * kRetry);
  CHECK(one.tried.size() == 2);
  CHECK(two.tried.size() == 2);
}

TEST_CASE("dial: a session whose server declines it is not under way any more, and counts there until it leaves") {
  Rig rig;
  Caller one(1);
  rig.begin(one);
  one.its.declined();
  CHECK_FALSE(one.its.under_way());
  CHECK(one.its.server_name() == rig.server().name);
  CHECK(rig.server().sessions() == 1);
  CHECK(rig.server().sessions_opened() == 0);
  rig.tick_at(one, 2 * kConnectMs);
  CHECK(one.failures.empty());
  one.its.server_is_full(rig.start);  // it is known by then
  CHECK(rig.server().is_full(rig.start));
  CHECK(rig.server().sessions() == 0);
}

TEST_CASE("dial: a PROXY header names the client, but no bot") {
  for (const bool bot : {false, true}) {
    CAPTURE(bot);
    relay::RouteOptions options = options_of(toy::stream());
    options.send_proxy = net::ProxyVersion::kV1;
    Rig rig(1, 0, options);
    Caller one(7);
    if (bot) one.info.client = one.info.client.with_port(0);
    rig.begin(one);
    CHECK(as_text(one.first) == (bot ? "PROXY UNKNOWN\r\n" : "PROXY TCP4 192.0.2.99 192.0.2.1 1007 1\r\n"));
  }
  Rig plain(1, 0);
  Caller one(1);
  plain.begin(one);
  CHECK(one.first.empty());
}

TEST_CASE("dial: with the clients' own addresses, a server of the other family is passed over and not blamed") {
  relay::RouteOptions options = options_of(toy::packets());
  options.source = relay::SourceMode::kTransparent;
  Rig rig(2, 0, options);
  Caller one(1), bot(2), v6(3);
  rig.begin(one);
  CHECK(one.tried == Ports{1});
  CHECK(one.source.foreign);
  CHECK(one.source.address == one.info.client.with_port(0));
  CHECK(one.its.source() == one.info.client.with_port(0));
  bot.info.client = bot.info.client.with_port(0);
  rig.begin(bot);
  CHECK_FALSE(bot.source.foreign);
  CHECK(bot.source.address.wildcard());
  v6.info.client = at(1'003, "2001:db8::1");
  rig.begin(v6);
  CHECK(v6.tried.empty());
  CHECK(v6.failures == std::vector{Reason::kServerUnreachable});
  CHECK(rig.server(0).state() == State::kUnknown);
  CHECK(rig.server(0).sessions() == 2);
}

TEST_CASE("dial: without a free file descriptor the session ends, and no server is blamed") {
  Rig rig(2);
  Caller one(1, wire::Transport::kTcp);
  {
    const NoFilesLeft limit;
    rig.begin(one);
  }
  CHECK(one.tried.empty());
  CHECK(one.failures == std::vector{Reason::kOutOfDescriptors});
  CHECK_FALSE(one.its.under_way());
  CHECK(rig.waiting() == 0);
  CHECK(rig.route.heard.told("open files") == 1);
  for (const std::size_t i : {0U, 1U}) {
    CHECK(rig.server(i).state() == State::kUnknown);
    CHECK(rig.server(i).sessions() == 0);
  }
}

TEST_CASE("dial: a session that is destroyed while it waits leaves the queue and its server") {
  Rig rig;
  {
    Caller waits(1), tries(2);
    rig.refuse_all(waits);
    tries.its.again(*rig.route.here, tries.info, {}, 0, rig.start + kHoldMs);
    tries.its.expect(rig.server());
    CHECK(rig.waiting() == 2);
    CHECK(rig.server().sessions() == 1);
  }
  CHECK(rig.waiting() == 0);
  CHECK(rig.server().sessions() == 0);
}

}  // namespace
}  // namespace entente::testing::dial_test
