// Status queries by datagram: how many are answered, who waits for the server's answer, and how often it is asked. The
// loop's time stands still, except while the server's datagrams are read.
#include "proxy/relay/acceptors/queries.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/bridging.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"

namespace entente::testing::queries_test {
namespace {

using relay::Drop, relay::Queries;

constexpr Millis kAnswerWithin = 3'000, kKeepsSocket = 30'000;
constexpr std::string_view kQuestion = "TOY?";

net::Address address(int number, std::uint16_t port = 1) {
  return *net::Address::parse("10.0." + std::to_string(number / 200) + "." + std::to_string(1 + number % 200), port);
}

/// The queries of a route to one server.
struct Desk : Turning, Queries::User {
  explicit Desk(const relay::RouteOptions& options)
      : server(loopback()), route(loop, options, {server.here()}), queries(*route.here, *this) {}

  void answer(const Queries::Asker& to, Bytes datagram) override {
    answers.emplace_back(to.from, std::string(as_text(datagram)));
  }
  wire::Status status() override {
    wire::Status ours;
    ours.name = "we";
    ours.map = "here";
    return ours;
  }

  /// Returns whether it is answered at once.
  bool ask(const net::Address& who) {
    const std::size_t before = answers.size();
    CHECK(queries.take({who, {}}, as_bytes(kQuestion)));
    return answers.size() != before;
  }
  /// The server gets one question.
  void server_is_asked() {
    const auto asked = server.receive();
    CHECK(as_text(asked.bytes) == kQuestion);
    asks_from = asked.from;
  }
  void get_an_answer() {
    until([&] { return !answers.empty(); });
    REQUIRE_FALSE(answers.empty());
  }
  void server_says(std::string_view text) { server.send(asks_from, as_bytes(text)); }
  /// Reads what the server has sent: it is there already, because both are on this machine.
  void read() {
    for (int i = 0; i < 3; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  }

  Datagrams server;
  net::Address asks_from;
  OneRoute route;
  std::vector<std::pair<net::Address, std::string>> answers;
  Queries queries;
};

relay::RouteOptions of_relay(Millis hold_ms = 0) {
  relay::RouteOptions options = options_of(toy::packets());
  options.upstream.hold_ms = hold_ms;
  return options;
}

relay::RouteOptions of_bridge() {
  relay::RouteOptions options = options_of(toy::packets());
  options.bridge = toy_bridge(toy::packets(), toy::stream());
  return options;
}

TEST_CASE("queries: what one address asks above its rate takes no answer from other addresses") {
  Desk desk(of_bridge());
  for (std::uint32_t i = 0; i < 2 * Queries::kForAll; ++i) desk.ask(address(0));
  CHECK(desk.answers.size() == Queries::kBurst);
  CHECK(desk.route.dropped(Drop::kTooFast) == 2 * Queries::kForAll - Queries::kBurst);
  CHECK(desk.ask(address(1)));
}

TEST_CASE("queries: an address has one burst whatever its port, and all addresses have one together") {
  Desk desk(of_bridge());
  for (std::uint16_t i = 0; i < Queries::kBurst; ++i) CHECK(desk.ask(address(0, static_cast<std::uint16_t>(1 + i))));
  CHECK_FALSE(desk.ask(address(0, 99)));
  for (std::uint32_t i = Queries::kBurst; i < Queries::kForAll; ++i) CHECK(desk.ask(address(static_cast<int>(i))));
  CHECK_FALSE(desk.ask(address(400)));
  CHECK(desk.route.dropped(Drop::kTooFast) == 2);
}

TEST_CASE("queries: a bridge answers for itself, and its server is not asked") {
  Desk desk(of_bridge());
  CHECK(desk.ask(address(0)));
  CHECK(desk.answers.front() == std::pair(address(0), std::string("TOY? we here 0")));
  CHECK_FALSE(desk.server.readable(0));
}

TEST_CASE("queries: if this machine cannot use one address of a server, it asks at the next") {
  Desk desk(of_relay());
  const net::Address nowhere = *net::Address::parse("255.255.255.255:9");
  std::vector<std::unique_ptr<relay::Upstream>> all;
  all.push_back(std::make_unique<relay::Upstream>(0, relay::UpstreamOptions{}, "the server",
                                                  std::vector{nowhere, desk.server.here()}));
  desk.route.route.upstreams.open(std::move(all), desk.route.route.options->upstream);
  CHECK_FALSE(desk.ask(address(0)));
  desk.server_is_asked();
  desk.server_says("two play");
  desk.get_an_answer();
}

TEST_CASE("queries: those who ask before the server has answered get its one answer, each once") {
  Desk desk(of_relay());
  for (int i = 0; i < 3; ++i) CHECK_FALSE(desk.ask(address(i)));
  desk.server_is_asked();
  CHECK_FALSE(desk.server.readable(0));
  desk.server_says("two play");
  desk.get_an_answer();
  desk.server_says("two play");  // again
  desk.read();
  REQUIRE(desk.answers.size() == 3);
  for (int i = 0; i < 3; ++i)
    CHECK(desk.answers[static_cast<std::size_t>(i)] == std::pair(address(i), std::string("two play")));
}

TEST_CASE("queries: who asks soon after an answer gets it at once, and the server is not asked again") {
  Desk desk(of_relay());
  desk.ask(address(0));
  desk.server_is_asked();
  desk.server_says("two play");
  desk.get_an_answer();
  const Millis then = desk.loop.now();
  CHECK(desk.ask(address(1)));
  CHECK(desk.answers.back().second == "two play");
  CHECK_FALSE(desk.server.readable(0));
  desk.until([&] { return desk.loop.now() >= then + 1'000; });
  CHECK_FALSE(desk.ask(address(2)));  // the answer is old
  desk.server_is_asked();
}

TEST_CASE("queries: 64 may wait for the server's answer; who asks beyond that is dropped, and may ask again later") {
  Desk desk(of_relay());
  for (int i = 0; i < 64; ++i) desk.ask(address(i));
  CHECK(desk.route.dropped(Drop::kQueueFull) == 0);
  desk.ask(address(64));
  CHECK(desk.route.dropped(Drop::kQueueFull) == 1);
  desk.server_is_asked();
  desk.server_says("full");
  desk.get_an_answer();
  CHECK(desk.answers.size() == 64);
  CHECK(desk.ask(address(64)));
}

TEST_CASE("queries: who waits for a silent server is dropped after three seconds, and the next one asks it anew") {
  Desk desk(of_relay());
  for (int i = 0; i < 2; ++i) desk.ask(address(i));
  desk.server_is_asked();
  const Millis asked = desk.loop.now();
  desk.queries.tick(asked + kAnswerWithin);
  CHECK(desk.route.dropped(Drop::kNotLinked) == 0);
  desk.queries.tick(asked + kAnswerWithin + 1);
  CHECK(desk.route.dropped(Drop::kNotLinked) == 2);
  desk.server_says("late");
  desk.read();
  CHECK(desk.answers.empty());
  CHECK_FALSE(desk.ask(address(2)));
  desk.server_is_asked();
  desk.server_says("two play");
  desk.get_an_answer();
  CHECK(desk.answers.size() == 1);
}

TEST_CASE("queries: an answer that is too large, or empty, is dropped, and a good one is still waited for") {
  Desk desk(of_relay());
  desk.ask(address(0));
  desk.server_is_asked();
  desk.server_says(std::string(65, 'x'));
  desk.server_says("");
  desk.until([&] { return desk.route.dropped(Drop::kTooLarge) == 2; });
  CHECK(desk.answers.empty());
  desk.server_says(std::string(64, 'x'));
  desk.get_an_answer();
  CHECK(desk.answers.front().second == std::string(64, 'x'));
}

TEST_CASE("queries: a route that holds its players answers for a silent server, until that answers again") {
  Desk desk(of_relay(60'000));
  CHECK_FALSE(desk.ask(address(0)));  // it may answer
  desk.server_is_asked();
  desk.queries.tick(desk.loop.now() + kAnswerWithin + 1);
  REQUIRE(desk.answers.size() == 1);
  CHECK(desk.answers.back() == std::pair(address(0), std::string("TOY? we here 0")));
  CHECK(desk.route.dropped(Drop::kNotLinked) == 0);
  CHECK(desk.ask(address(1)));
  CHECK(desk.answers.back().second == "TOY? we here 0");
  desk.server_is_asked();  // meanwhile
  desk.server_says("two play");
  int next = 2;
  desk.until([&] { return desk.ask(address(next++)) && desk.answers.back().second == "two play"; });
  const Millis then = desk.loop.now();
  desk.until([&] { return desk.loop.now() >= then + 1'000; });
  CHECK_FALSE(desk.ask(address(next)));  // it is not silent any more
}

TEST_CASE("queries: the server is heard for half a minute after the last question") {
  Desk desk(of_relay());
  desk.ask(address(0));
  const Millis asked = desk.loop.now();
  desk.server_is_asked();
  desk.server_says("one plays");
  desk.get_an_answer();
  REQUIRE(::connect(desk.server.fd(), desk.asks_from.raw(), desk.asks_from.size()) == 0);
  const auto is_heard = [&] {
    std::uint8_t byte = 1;
    REQUIRE(::send(desk.server.fd(), &byte, 1, 0) == 1);
    return ::recv(desk.server.fd(), &byte, 1, MSG_DONTWAIT) < 0 && errno != ECONNREFUSED;
  };
  desk.queries.tick(asked + kKeepsSocket);
  CHECK(is_heard());
  desk.queries.tick(asked + kKeepsSocket + 1);
  CHECK_FALSE(is_heard());
}

TEST_CASE("queries: when the name of a server leads elsewhere, the next question goes there") {
  struct Hosts {
    std::mutex mutex;
    std::vector<net::Address> addresses;
  };
  const auto hosts = std::make_shared<Hosts>();
  net::HostNames names([] {},
                       [hosts](const std::string&) -> Outcome<std::vector<net::Address>> {
                         const std::lock_guard lock(hosts->mutex);
                         return hosts->addresses;
                       });
  Desk desk(of_relay());
  const Datagrams moved(*net::Address::parse("127.0.0.2", desk.server.here().port()));
  const auto host = names.host("game.test");
  const auto leads_to = [&](const net::Address& there) {
    {
      const std::lock_guard lock(hosts->mutex);
      hosts->addresses = {there};
    }
    const std::uint64_t before = host->answers();
    names.expire();
    (void)host->look_up(desk.loop.now());
    CHECK(eventually([&] { return host->answers() > before; }));
  };
  leads_to(desk.server.here());
  std::vector<std::unique_ptr<relay::Upstream>> servers;
  const relay::UpstreamOptions its{"game.test", desk.server.here().port(), 0};
  servers.push_back(std::make_unique<relay::Upstream>(
      0, its, "game.test", relay::ServerAddresses(host, its.port, relay::ServerAddresses::Rules())));
  desk.route.route.upstreams.open(std::move(servers), desk.route.route.options->upstream);
  desk.ask(address(0));
  desk.server_is_asked();
  desk.server_says("one plays");
  desk.get_an_answer();
  leads_to(moved.here());
  const Millis then = desk.loop.now();
  desk.until([&] { return desk.loop.now() >= then + 1'000; });  // the answer is old
  CHECK_FALSE(desk.ask(address(1)));
  REQUIRE(moved.readable(kPatience));
  const auto asked = moved.receive();
  CHECK(as_text(asked.bytes) == kQuestion);
  CHECK_FALSE(desk.server.readable(0));
  moved.send(asked.from, as_bytes(std::string_view("two play")));
  desk.until([&] { return desk.answers.back().second == "two play"; });
}

TEST_CASE("queries: who waits when the listener stops is counted as dropped, and not answered") {
  Desk desk(of_relay(60'000));
  desk.ask(address(0));
  desk.queries.close();
  CHECK(desk.route.dropped(Drop::kNotLinked) == 1);
  desk.queries.tick(desk.loop.now() + kAnswerWithin + 1);
  CHECK(desk.answers.empty());
  CHECK(desk.route.dropped(Drop::kNotLinked) == 1);
}

TEST_CASE("queries: who waits when others take over the questions, as after a reload, is counted as dropped") {
  Desk desk(of_relay());
  std::optional<Queries> old(std::in_place, *desk.route.here, static_cast<Queries::User&>(desk));
  for (int i = 0; i < 2; ++i) CHECK(old->take({address(i), {}}, as_bytes(kQuestion)));
  CHECK(desk.route.dropped(Drop::kNotLinked) == 0);
  old.emplace(*desk.route.here, static_cast<Queries::User&>(desk));
  CHECK(desk.route.dropped(Drop::kNotLinked) == 2);
  old.reset();
  CHECK(desk.route.dropped(Drop::kNotLinked) == 2);
  CHECK(desk.answers.empty());
}

TEST_CASE("queries: what is no question of the game is not taken") {
  Desk desk(of_bridge());
  for (const std::string_view other : {"", "TOY", "TOY??", "toy?"})
    CHECK_FALSE(desk.queries.take({address(0), {}}, as_bytes(other)));
  CHECK(desk.answers.empty());
  CHECK(desk.route.dropped(Drop::kTooFast) == 0);
}

TEST_CASE("queries: a limited number of addresses is known, and those that asked long ago make room for others") {
  constexpr int kMostAskers = 4'096;
  Desk desk(of_bridge());
  const Millis now = desk.loop.now();
  desk.queries.tick(now);
  for (int i = 0; i < kMostAskers; ++i) desk.ask(address(i));
  const std::uint64_t before = desk.route.dropped(Drop::kTooFast);
  desk.pretend(now + 60'000);
  CHECK_FALSE(desk.ask(address(kMostAskers)));  // a new one
  CHECK(desk.route.dropped(Drop::kTooFast) == before + 1);
  CHECK(desk.ask(address(0)));
  desk.queries.tick(now + 999);  // at most once a second
  CHECK_FALSE(desk.ask(address(kMostAskers)));
  desk.queries.tick(now + 60'000);
  CHECK(desk.ask(address(kMostAskers)));
}

TEST_CASE("queries: an address may ask twice a second after its burst") {
  Desk desk(of_bridge());
  const Millis now = desk.loop.now();
  for (std::uint32_t i = 0; i < Queries::kBurst; ++i) CHECK(desk.ask(address(0)));
  desk.pretend(now + 499);
  CHECK_FALSE(desk.ask(address(0)));
  desk.pretend(now + 1'100);
  for (int i = 0; i < 2; ++i) CHECK(desk.ask(address(0)));
  CHECK_FALSE(desk.ask(address(0)));
}

TEST_CASE("queries: the server that is asked is the one that a new player would get") {
  Desk desk(of_relay());
  const Datagrams second(loopback());
  std::vector<std::unique_ptr<relay::Upstream>> all;
  for (const net::Address& one : {desk.server.here(), second.here()})
    all.push_back(std::make_unique<relay::Upstream>(all.size(), relay::UpstreamOptions{one.ip_text(), one.port(), 0},
                                                    one.text(), std::vector{one}));
  desk.route.route.upstreams.open(std::move(all), desk.route.route.options->upstream);
  desk.ask(address(0));
  desk.server_is_asked();
  CHECK_FALSE(second.readable(0));
  desk.route.server(0).drain(true);
  const Millis then = desk.loop.now();
  desk.pretend(then + 1'000);
  desk.ask(address(1));
  const auto asked = second.receive();
  CHECK(as_text(asked.bytes) == kQuestion);
  CHECK_FALSE(desk.server.readable(0));
  desk.server_says("the drained one");  // it is not heard any more
  second.send(asked.from, as_bytes(std::string_view("two play")));
  desk.get_an_answer();
  for (const auto& one : desk.answers) CHECK(one.second == "two play");
  CHECK(desk.answers.size() == 2);
  desk.route.server(1).drain(true);  // no server takes anybody: the last one is asked
  desk.until([&] { return desk.loop.now() >= then + 1'000; });
  desk.pretend(then + 600'000);
  desk.ask(address(2));
  CHECK(as_text(second.receive().bytes) == kQuestion);
}

TEST_CASE("queries: while the server is silent it is asked once a second, however many ask") {
  Desk desk(of_relay());
  const Millis now = desk.loop.now();
  for (int i = 0; i < 10; ++i) desk.ask(address(i));
  desk.server_is_asked();
  desk.pretend(now + 999);
  desk.ask(address(10));
  CHECK_FALSE(desk.server.readable(0));
  desk.pretend(now + 1'000);
  desk.ask(address(11));
  desk.server_is_asked();
  CHECK_FALSE(desk.server.readable(0));
}

}  // namespace
}  // namespace entente::testing::queries_test
