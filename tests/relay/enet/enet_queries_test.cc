// Queries to a server beside ENet, through a relay in either mode.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/bzdraft/bzdraft.h"
#include "proxy/relay/acceptors/queries.h"
#include "tests/relay/enet_peers.h"

namespace entente::testing::enet_queries_test {
namespace {

using relay::Drop, relay::Queries;

/// What `asker` has received so far.
std::vector<std::string> answers(const Datagrams& asker) {
  std::vector<std::string> all;
  while (asker.readable(0)) all.emplace_back(as_text(asker.receive().bytes));
  return all;
}

TEST_CASE("queries: HELLO and HELLOLAN get the server's answers, in either mode") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    const Datagrams asker(loopback());
    for (const auto& [question, answer] :
         {std::pair<std::string_view, std::string_view>{"HELLO", "HI"}, {"HELLOLAN", kLanAnswer}}) {
      asker.send(scene.running.address, as_bytes(question));
      scene.until([&] { return asker.readable(0); });
      const auto got = asker.receive();
      CHECK(as_text(got.bytes) == answer);
      CHECK(got.from == scene.running.address);
    }
    CHECK(scene.running.totals().begun == 0);
    scene.join(3);  // players can still connect
  }
}

TEST_CASE("queries: a datagram that is not exactly a query is dropped") {
  Scene scene(aos::game(), no_limits(), EnetMode::kDatagrams);
  const Datagrams asker(loopback());
  for (const std::string_view other : {"H", "HELL", "HELLO ", "hello", "HELLOLAN\n", "HI"})
    asker.send(scene.running.address, as_bytes(other));
  CHECK(scene.running.dropped(Drop::kUnknownSource, 6));
  CHECK(answers(asker).empty());
  Scene draft(bzdraft::game(), no_limits(), EnetMode::kDatagrams);
  asker.send(draft.running.address, as_bytes("HELLO"));
  CHECK(draft.running.dropped(Drop::kUnknownSource));
}

TEST_CASE("queries: a flood gets few answers, and the server gets one query a second") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    const Datagrams victim(loopback());
    for (int i = 0; i < 500; ++i) victim.send(scene.running.address, as_bytes("HELLOLAN"));
    scene.until(
        [&] { return scene.running.totals().by(Drop::kTooFast) >= 500 - Queries::kBurst - Queries::kPerAddress; });
    scene.until([&] { return scene.server.asked > 0 && victim.readable(0); });
    const Datagrams other(*net::Address::parse("127.0.0.2", 0));
    other.send(scene.running.address, as_bytes("HELLOLAN"));  // another address has its own limit
    scene.until([&] { return other.readable(0); });
    CHECK(answers(victim).size() <= Queries::kBurst + Queries::kPerAddress);
    CHECK(scene.server.asked <= 2);
  }
}

TEST_CASE("queries: who asks a server that does not answer is counted, and there is no other effect") {
  Scene scene(aos::game());
  scene.server.mute = true;
  const Datagrams asker(loopback());
  asker.send(scene.running.address, as_bytes("HELLO"));
  scene.until([&] { return scene.server.asked == 1; });
  scene.join(3);
  CHECK(scene.running.dropped(Drop::kNotLinked));
  CHECK(answers(asker).empty());
}

/// A relay that keeps its players while the server is away, and answers queries itself then.
struct Patient : Turning, Serving {
  Patient() : Serving(1), server(loop) {
    const wire::EnetSettings settings = aos::game().enet();
    const auto bound = server.host.listen(loopback(), {8, settings.channels, settings.range_coder, 8U << 20U});
    REQUIRE(bound.ok());
    relay::RouteOptions options;
    options.game = &aos::game();
    options.listen = loopback();
    options.servers[0].dialect = 0;
    options.upstream.hold_ms = 60'000;
    serve(std::move(options), *bound, no_limits(), nullptr);
  }
  ~Patient() override {
    stop();
    server.host.close();
  }
  void pass(std::chrono::milliseconds time) {
    const auto over = std::chrono::steady_clock::now() + time;
    until([&] { return std::chrono::steady_clock::now() >= over; });
  }

  End server;
};

TEST_CASE("queries: a server that was silent and answers again is asked again, and not only once") {
  Patient scene;
  scene.server.mute = true;
  const Datagrams asker(loopback());
  const auto answer = [&] {
    scene.pass(std::chrono::milliseconds(500));  // an address may ask twice a second
    asker.send(scene.address, as_bytes("HELLOLAN"));
    scene.until([&] { return asker.readable(0); });
    return std::string(as_text(asker.receive().bytes));
  };
  CHECK(answer().find("\"players_current\":0") != std::string::npos);  // the relay's own
  scene.server.mute = false;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatience);
  while (answer() != kLanAnswer) REQUIRE(std::chrono::steady_clock::now() < patience);
  for (int i = 0; i < 4; ++i) CHECK(answer() == kLanAnswer);  // an answer is reused for a second
}

/// A relay in front of two servers, of which the first is preferred.
struct Preferring : Turning, Serving {
  Preferring() : Serving(1), first(loop), second(loop) {
    second.lan_answer = kSecond;
    relay::RouteOptions options;
    options.game = &aos::game();
    options.listen = loopback();
    options.upstream.policy = relay::Policy::kFirst;
    options.servers.clear();
    for (End* const server : {&first, &second}) {
      const wire::EnetSettings settings = aos::game().enet();
      const auto bound = server->host.listen(loopback(), {8, settings.channels, settings.range_coder, 8U << 20U});
      REQUIRE(bound.ok());
      at.push_back(*bound);
      options.servers.push_back({bound->ip_text(), bound->port(), 0});
    }
    serve_all(std::move(options), no_limits());
  }
  ~Preferring() override {
    stop();
    first.host.close();
    second.host.close();
  }
  /// The answer to a question that is asked when the last answer is too old.
  std::string answer() {
    const auto over = std::chrono::steady_clock::now() + std::chrono::milliseconds(1'200);
    until([&] { return std::chrono::steady_clock::now() >= over; });
    asker.send(address, as_bytes("HELLOLAN"));
    until([&] { return asker.readable(0); });
    return std::string(as_text(asker.receive().bytes));
  }

  static constexpr std::string_view kSecond = R"({"name":"another","players_current":2,"players_max":32,"map":"m"})";
  End first, second;
  std::vector<net::Address> at;  // of the servers
  const Datagrams asker{loopback()};
};

TEST_CASE("queries: each time, the server is asked to which the next player goes") {
  Preferring scene;
  CHECK(scene.answer() == kLanAnswer);
  REQUIRE(scene.server().drain_server(scene.at[0].text(), true) == 1);
  CHECK(scene.answer() == Preferring::kSecond);
  REQUIRE(scene.server().drain_server(scene.at[0].text(), false) == 1);
  CHECK(scene.answer() == kLanAnswer);
  for (const net::Address& one : scene.at) REQUIRE(scene.server().drain_server(one.text(), true) == 1);
  CHECK(scene.answer() == kLanAnswer);  // nobody may come in: as before
}

TEST_CASE("queries: once a route was replaced, the new route's server answers, in either mode") {
  constexpr std::string_view kNew = R"({"name":"another","players_current":2,"players_max":32,"map":"m"})";
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    End other(scene.loop);
    other.lan_answer = kNew;
    const auto bound =
        other.host.listen(loopback(), {8, scene.settings.channels, scene.settings.range_coder, 8U << 20U});
    REQUIRE(bound.ok());
    const Datagrams asker(loopback());
    const auto answer = [&] {
      asker.send(scene.running.address, as_bytes("HELLOLAN"));
      scene.until([&] { return asker.readable(0); });
      return std::string(as_text(asker.receive().bytes));
    };
    CHECK(answer() == kLanAnswer);
    relay::RouteOptions options;
    options.game = &aos::game();
    options.listen = loopback();
    options.enet = mode;
    options.servers[0] = {bound->ip_text(), bound->port(), 0};
    options.limits = no_limits();
    REQUIRE(scene.running.server().change({.added = {{options, 0}}}).ok());
    CHECK(answer() == kNew);
    other.host.close();
  }
}

}  // namespace
}  // namespace entente::testing::enet_queries_test
