// BZFlag's pair: a client's datagrams find its session, and the server gets them from the port of its TCP connection.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "adapters/bzflag/bzflag.h"
#include "tests/relay/toy.h"

namespace entente::testing::datagrams_test {
namespace {

using relay::Drop;

/// A link request of the toy game: code 8, the player's id.
Buffer link_request(std::uint8_t player) { return {1, 8, player}; }

/// From the client's datagram socket to the server, and back.
void check_linked(const Running& running, const Pair& pair, const Datagrams& near, const Datagrams& far) {
  const Buffer there = frame("there"), back = frame("back");
  near.send(running.address, there);
  const auto heard = far.receive();
  CHECK(heard.bytes == there);
  CHECK(heard.from == pair.server.there());
  far.send(heard.from, back);
  const auto answer = near.receive();
  CHECK(answer.bytes == back);
  CHECK(answer.from == running.address);
}

TEST_CASE(
    "datagrams from the port of the client's own connection are its own, over IPv4 and IPv6, on one worker or two") {
  for (const bool v6 : {false, true}) {
    for (const std::size_t workers : std::initializer_list<std::size_t>{1, 2}) {
      CAPTURE(v6);
      CAPTURE(workers);
      FakeServer fake(true, v6);
      Running running(toy::game(), fake.address(), no_limits(), workers);
      const Datagrams far = fake.take_datagrams();
      std::vector<Pair> pairs;
      std::vector<Datagrams> near;
      for (int i = 0; i < 4; ++i) {
        pairs.emplace_back(running, fake);
        near.emplace_back(pairs.back().client.here());
        CHECK((pairs.back().server.there().port() & 0xFF) >= 4);
      }
      for (int round = 0; round < 20; ++round)
        for (std::size_t i = 0; i < pairs.size(); ++i) check_linked(running, pairs[i], near[i], far);
      CHECK(running.totals().to_server.datagrams == 80);
      CHECK(running.totals().to_client.datagrams == 80);
      const auto record = running.tapped.record(1);
      CHECK(record.datagrams_to_server.size() == 20);
      CHECK(record.datagrams_to_client.at(19) == frame("back"));
    }
  }
}

/// Each look at it finds that a job has had its time. While it is held, whoever looks at it waits.
struct HeldClock {
  std::mutex held;
  std::uint64_t nanos = 0;
};

/// A relay with two workers that share their time by such a clock.
struct Hasty final : Serving {
  Hasty(const net::Address& server, const std::shared_ptr<HeldClock>& clock)
      : Serving(2, net::look_up_by_system, [clock] {
          const std::lock_guard lock(clock->held);
          return clock->nanos += net::Schedule::kJobTime;
        }) {
    relay::RouteOptions options;
    options.game = &toy::game();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    serve(std::move(options), server, no_limits(), nullptr);
  }
};

TEST_CASE("datagrams that come together all reach their session on any worker, although it has time for one at once") {
  const auto clock = std::make_shared<HeldClock>();
  FakeServer fake(true);
  const Hasty running(fake.address(), clock);
  const Datagrams far = fake.take_datagrams();
  for (int i = 0; i < 2; ++i) {  // one session on each worker
    CAPTURE(i);
    const net::Address from = free_for_both();
    const Stream client = Stream::to(running.address, &from);
    client.send(kHello);
    const Stream server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    server.send(kWelcome);
    CHECK(client.read_text(4) == kWelcome);
    const Datagrams near(from);
    constexpr std::uint8_t kTogether = 10;
    {
      const std::lock_guard hold(clock->held);
      for (std::uint8_t number = 0; number < kTogether; ++number)
        near.send(running.address, frame(std::string(1, static_cast<char>('a' + number))));
    }
    for (std::uint8_t number = 0; number < kTogether; ++number)
      CHECK(far.receive().bytes == frame(std::string(1, static_cast<char>('a' + number))));
  }
}

TEST_CASE("a wildcard listener answers from the address that the client connected to; [::] takes both families") {
  const char *at = "0.0.0.0", *ip = "127.0.0.3";
  SUBCASE("IPv4") {}
  SUBCASE("[::], from IPv4") { at = "::"; }
  SUBCASE("[::], from IPv6") { at = "::", ip = "::1"; }
  FakeServer fake(true);
  relay::RouteOptions options;
  options.game = &toy::game();
  options.servers[0].dialect = 0;
  options.listen = *net::Address::parse(at, 0);
  options.servers[0].host = "127.0.0.1";
  options.servers[0].port = fake.port();
  Heard heard;
  relay::ProxyServer server(1, heard);
  const auto listening = server.add(options);
  REQUIRE(listening.ok());
  std::thread serving([&] { server.run(); });
  {
    const net::Address acceptor = *net::Address::parse(ip, listening->address.port());
    const net::Address from = free_for_both(acceptor.v6());
    const Stream client = Stream::to(acceptor, &from);
    client.send(kHello);
    const Stream uplink = fake.accept();
    uplink.send(kWelcome);
    CHECK(client.read_text(4) == kWelcome);
    const Datagrams near(client.here()), far = fake.take_datagrams();
    CHECK(eventually([&] {
      near.send(acceptor, frame("there"));
      return far.has_some(50);
    }));
    far.send(far.receive().from, frame("back"));
    CHECK(near.receive().from == acceptor);
  }
  server.stop();
  serving.join();
}

TEST_CASE("behind a NAT the first link request from the same address that names the greeted player is accepted") {
  for (const std::size_t workers : std::initializer_list<std::size_t>{1, 2}) {
    CAPTURE(workers);
    FakeServer fake(true);
    Running running(toy::game(), fake.address(), no_limits(), workers);
    const Datagrams far = fake.take_datagrams();
    Pair seven(running, fake), nine(running, fake, nullptr, 0, "toy\x09");
    const Datagrams near(loopback());

    near.send(running.address, frame("too early"));
    CHECK(running.dropped(Drop::kUnknownSource, 1));
    near.send(running.address, link_request(8));  // no such player
    CHECK(running.dropped(Drop::kUnknownSource, 2));
    const Datagrams stranger(*net::Address::parse("127.0.0.2", 0));
    stranger.send(running.address, link_request(9));  // not its address
    CHECK(running.dropped(Drop::kUnknownSource, 3));

    near.send(running.address, link_request(9));
    CHECK(far.receive().from == nine.server.there());
    check_linked(running, nine, near, far);

    const Datagrams thief(loopback());
    thief.send(running.address, link_request(9));  // already linked
    CHECK(running.dropped(Drop::kUnknownSource, 4));

    // Another host behind the same NAT claims player 7; a datagram from its own port corrects that.
    thief.send(running.address, link_request(7));
    CHECK(far.receive().from == seven.server.there());
    const Datagrams own(seven.client.here());
    check_linked(running, seven, own, far);
    thief.send(running.address, frame("mine?"));
    CHECK(running.dropped(Drop::kUnknownSource, 5));
    check_linked(running, seven, own, far);
  }
}

/// A relay in front of two servers, of which each new session gets the one with fewer sessions.
struct TwoServers final : Serving {
  TwoServers(const net::Address& first, const net::Address& second) : Serving(1) {
    relay::RouteOptions options;
    options.game = &toy::game();
    options.listen = loopback();
    options.servers = {{first.ip_text(), first.port(), 0}, {second.ip_text(), second.port(), 0}};
    options.upstream.policy = relay::Policy::kLeast;
    serve_all(std::move(options), no_limits());
  }
};

/// A client at this address and its server, which gives it the number 7.
struct Seven {
  Seven(const Serving& running, const FakeServer& fake, const char* ip)
      : from(*net::Address::parse(ip, 0)), client(Stream::to(running.address, &from)) {
    client.send(kHello);
    server = fake.accept();
    server.send(kWelcome);
    CHECK(client.read_text(4) == kWelcome);
  }
  net::Address from;
  Stream client, server;
};

TEST_CASE("players of two servers can have the same number: a link request reaches the server of its own sender") {
  FakeServer first(true), second(true);
  TwoServers running(first.address(), second.address());
  const Datagrams far_first = first.take_datagrams(), far_second = second.take_datagrams();
  const Seven one(running, first, "127.0.0.2"), two(running, second, "127.0.0.3");
  const Datagrams near_one(one.from), near_two(two.from);
  near_one.send(running.address, link_request(7));
  CHECK(far_first.receive().from == one.server.there());
  near_two.send(running.address, link_request(7));
  CHECK(far_second.receive().from == two.server.there());
  CHECK_FALSE(far_first.has_some(0));
}

TEST_CASE("players of two servers with one number and address: a link request that may be of either reaches none") {
  FakeServer first(true), second(true);
  TwoServers running(first.address(), second.address());
  const Datagrams far_first = first.take_datagrams(), far_second = second.take_datagrams();
  const Seven one(running, first, "127.0.0.2");
  const Datagrams near_one(one.from);
  {
    const Seven two(running, second, "127.0.0.2");
    near_one.send(running.address, link_request(7));
    CHECK(running.dropped(Drop::kUnknownSource, 1));
    const Datagrams near_two(two.client.here());
    near_two.send(running.address, link_request(7));  // its own port shows who sends it
    CHECK(far_second.receive().from == two.server.there());
    near_one.send(running.address, link_request(7));  // now, only one is left that it may be of
    CHECK(far_first.receive().from == one.server.there());
  }
  CHECK_FALSE(far_first.has_some(0));
  CHECK_FALSE(far_second.has_some(0));
}

TEST_CASE("players of two servers with one number and address: when one has left, the other can be linked") {
  FakeServer first(true), second(true);
  TwoServers running(first.address(), second.address());
  const Datagrams far_first = first.take_datagrams();
  const Seven one(running, first, "127.0.0.2");
  const Datagrams near_one(one.from);
  {
    const Seven two(running, second, "127.0.0.2");
    near_one.send(running.address, link_request(7));
    CHECK(running.dropped(Drop::kUnknownSource, 1));
  }
  CHECK(eventually([&] { return running.sessions().size() == 1; }));
  near_one.send(running.address, link_request(7));
  CHECK(far_first.receive().from == one.server.there());
}

TEST_CASE("a session that has ended has no datagrams, and its player id is free") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  const Datagrams far = fake.take_datagrams();
  const Datagrams near(loopback());
  {
    Pair pair(running, fake);
    near.send(running.address, link_request(7));
    CHECK(far.receive().bytes == link_request(7));
  }
  CHECK(running.empty());
  near.send(running.address, frame("gone"));
  CHECK(running.dropped(Drop::kUnknownSource));
  Pair successor(running, fake);
  near.send(running.address, link_request(7));
  CHECK(far.receive().from == successor.server.there());
}

TEST_CASE("datagrams that may not pass are dropped and counted, and the session continues") {
  Limits limits = no_limits();
  limits.datagram_bytes = 100;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  const Datagrams far = fake.take_datagrams();
  Pair pair(running, fake);
  const Datagrams near(pair.client.here());
  check_linked(running, pair, near, far);
  near.send(running.address, frame(std::string(120, 'x')));
  CHECK(running.dropped(Drop::kTooLarge, 1));
  far.send(pair.server.there(), frame(std::string(120, 'x')));
  CHECK(running.dropped(Drop::kTooLarge, 2));
  near.send(running.address, Buffer(3000, 1));
  CHECK(running.dropped(Drop::kTooLarge, 3));
  near.send(running.address, Buffer{9, 1, 'h', 'a', 'l', 'f'});
  CHECK(running.dropped(Drop::kBadFrame, 1));
  near.send(running.address, Buffer{});
  CHECK(running.dropped(Drop::kBadFrame, 2));
  check_linked(running, pair, near, far);
  CHECK(running.totals().to_server.datagrams == 2);
}

/// How many dropped datagrams the log lines with this ending count.
std::uint64_t said_to_be_dropped(Running& running, const std::string& end) {
  std::uint64_t sum = 0;
  for (const std::string& line : running.heard.lines())
    if (line.starts_with("dropped ") && line.ends_with(end)) sum += std::stoull(line.substr(8));
  return sum;
}

TEST_CASE("dropped datagrams are logged, each reason by itself, while they come and when they stop") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 2);
  Pair pair(running, fake);
  const std::string at = " at " + running.address.text() + " (toy big): ";
  const Datagrams own(pair.client.here()), stranger(*net::Address::parse("127.0.0.2", 0));
  stranger.send(running.address, frame("nobody"));
  CHECK(running.heard.line("dropped 1 datagram" + at + "of no session"));
  for (int i = 0; i < 50; ++i) stranger.send(running.address, frame("nobody"));
  for (int i = 0; i < 3; ++i) own.send(running.address, Buffer{9, 1, 'h', 'a', 'l', 'f'});
  CHECK(running.dropped(Drop::kUnknownSource, 51));
  CHECK(running.dropped(Drop::kBadFrame, 3));
  SUBCASE("about a second later") {
    CHECK(eventually([&] { return said_to_be_dropped(running, at + "of no session") == 51; }));
    CHECK(eventually([&] { return said_to_be_dropped(running, at + "bad frame") == 3; }));
  }
  SUBCASE("at the latest at the end") {
    running.stop();
    CHECK(said_to_be_dropped(running, at + "of no session") == 51);
    CHECK(said_to_be_dropped(running, at + "bad frame") == 3);
  }
}

TEST_CASE("if a setting caused a drop, the log line names the setting") {
  Limits limits = no_limits();
  limits.datagram_bytes = 100;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  Pair pair(running, fake);
  const Datagrams near(pair.client.here());
  near.send(running.address, frame(std::string(120, 'x')));
  CHECK(running.heard.line("(toy big): too large; limits.datagram_bytes is the largest allowed size"));
}

TEST_CASE("a flood of datagrams is limited to the allowed rate") {
  Limits limits = no_limits();
  limits.datagrams_per_second = 50;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  const Datagrams far = fake.take_datagrams();
  Pair pair(running, fake);
  const Datagrams near(pair.client.here());
  for (int i = 0; i < 500; ++i) near.send(running.address, frame("flood"));
  CHECK(running.dropped(Drop::kTooFast, 300));
  pair.client.send(frame("calm"));
  CHECK(pair.server.read(6) == frame("calm"));
}

TEST_CASE("a server without a UDP port only loses its datagrams") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  { const Datagrams gone = fake.take_datagrams(); }
  Pair pair(running, fake);
  const Datagrams near(pair.client.here());
  for (int i = 0; i < 20; ++i) near.send(running.address, frame("lost"));
  pair.client.send(frame("calm"));
  CHECK(pair.server.read(6) == frame("calm"));
}

TEST_CASE("the listener's UDP port is that of its TCP socket, whichever the kernel chose") {
  Heard heard;
  for (int i = 0; i < 20; ++i) {
    FakeServer fake(true);
    Running running(bzflag::game(), fake.address());
    const Datagrams lan(loopback());
    lan.send(running.address, Buffer{0, 2, 5, 4, 0, 0});  // an unknown query
    CHECK(running.dropped(Drop::kUnknownSource));
  }
}

}  // namespace
}  // namespace entente::testing::datagrams_test
