// A bridge between games that share only words: joining, words both ways over every pair of transports, both ways of
// leaving, and clients that break a rule or do not read.
#include <doctest/doctest.h>

#include "tests/relay/bridging.h"
#include "tests/support/repeated.h"

namespace entente::testing::bridge_test {
namespace {

using relay::Drop;
using relay::Reason;

const std::string kBye{"\0\x09", 2};

std::string said(std::string_view text) { return std::string(as_text(frame(text, toy::kSay))); }

TEST_CASE("TCP to TCP: we greet the client, our back greets the server, and words go both ways") {
  FakeServer fake;
  Bridging running(toy::stream(), toy::stream(), fake.address());
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);  // from the front, before there is a server
  client.send(said("early"));
  const Stream server = fake.accept();
  CHECK(server.read_text(4) == kHello);
  CHECK_FALSE(server.readable(50));  // the back waits until it is greeted
  server.send(kWelcome);
  CHECK(server.read_text(7) == said("early"));

  const std::string hello = said("hello");
  for (const char byte : hello) client.send(std::string_view(&byte, 1));  // byte by byte
  CHECK(server.read_text(7) == said("hello"));
  server.send(said("well come"));
  CHECK(client.read_text(11) == said("well come"));
  client.send(point(42));
  CHECK(server.read(3) == point(42));
  server.send(point(7));
  CHECK(client.read(3) == point(7));

  const auto totals = running.totals();
  CHECK(totals.begun == 1);
  CHECK(running.heard.line("opened " + client.here().text()));
  CHECK(totals.to_server.bytes == 2 * (4 + 7 + 7 + 3));  // bytes from the client and to the server
  CHECK(totals.to_client.bytes == 2 * (4 + 11 + 3));
  CHECK(totals.orphaned == 1);  // the unit that points was never announced
}

TEST_CASE("pings and the heads of their frames count against the rates of a bridge's client and server") {
  Limits limits = no_limits();
  const auto pings = [](std::size_t count, bool from_client) {
    Buffer all;
    for (std::size_t i = 0; i < count; ++i) append(all, from_client ? from_hex("8980 00000000") : from_hex("8900"));
    return all;
  };
  SUBCASE("bytes of the client") {
    limits.bytes_per_second = 4'000;
    FakeServer fake;
    Bridging running(toy::messages(), toy::stream(), fake.address(), limits);
    WebClient client(running.address, "/anywhere");
    client.upgrade();
    client.send_raw(pings(4'000, true));
    CHECK(eventually([&] { return running.totals().throttled > 0; }));
  }
  SUBCASE("of the server") {
    SUBCASE("bytes") { limits.server_bytes_per_second = 4'000; }
    SUBCASE("messages") { limits.server_messages_per_second = 100; }
    FakeServer fake;
    Bridging running(toy::stream(), toy::messages(), fake.address(), limits);
    const Stream client = Stream::to(running.address);
    client.send(kHello);
    WebServer server(fake);
    server.upgrade();
    server.send_raw(pings(12'000, false));
    CHECK(eventually([&] { return running.totals().throttled > 0; }));
  }
}

TEST_CASE("words cross between all transports") {
  const auto echo = [](auto&& up, auto&& down) {
    for (int i = 0; i < 20; ++i) {
      up(point(static_cast<std::uint8_t>(i)));
      down(point(static_cast<std::uint8_t>(100 + i)));
    }
  };
  SUBCASE("TCP to WebSocket") {
    FakeServer fake;
    Bridging running(toy::stream(), toy::messages(), fake.address());
    const Stream client = Stream::to(running.address);
    client.send(kHello);
    CHECK(client.read_text(4) == kWelcome);
    WebServer server(fake);
    CHECK(server.request.target == "/");
    server.upgrade();
    echo(
        [&](const Buffer& bytes) {
          client.send(bytes);
          CHECK(server.next() == "b:" + to_hex(bytes));
        },
        [&](const Buffer& bytes) {
          server.send(net::Opcode::kBinary, bytes);
          CHECK(client.read(3) == bytes);
        });
    server.send(net::Opcode::kPing, as_bytes("?"));
    CHECK(server.next() == "pong:" + to_hex(as_bytes("?")));
    client.finish();
    CHECK(server.next() == "b:0009");
    CHECK(server.next() == "close:4001 ");
    server.stream().finish();
    CHECK(server.next() == "end");
    CHECK(running.ended(Reason::kClientLeft));
    CHECK(running.empty());
  }
  SUBCASE("WebSocket to TCP") {
    FakeServer fake;
    Bridging running(toy::messages(), toy::stream(), fake.address());
    WebClient client(running.address, "/anywhere");
    client.upgrade();
    const Stream server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    server.send(kWelcome);
    echo(
        [&](const Buffer& bytes) {
          client.send(net::Opcode::kBinary, bytes);
          CHECK(server.read(3) == bytes);
        },
        [&](const Buffer& bytes) {
          server.send(bytes);
          CHECK(client.next() == "b:" + to_hex(bytes));
        });
    server.finish();
    CHECK(client.next() == "b:0009");
    CHECK(client.next() == "close:4001 " + std::string(relay::telling(Reason::kServerLeft).words));
    client.send(net::CloseFrame{4001, ""});
    client.stream().finish();
    CHECK(client.next() == "end");
    CHECK(running.ended(Reason::kServerLeft));
    CHECK(server.read_all().empty());
    CHECK(running.empty());
  }
  SUBCASE("TCP and UDP to TCP") {
    FakeServer fake;
    Bridging running(toy::game(), toy::stream(), fake.address());
    const net::Address from = free_for_both();
    BridgedPair pair(running, fake, &from);
    const Datagrams udp(from);
    echo(
        [&](const Buffer& bytes) {
          udp.send(running.address, bytes);
          CHECK(pair.server.read(3) == bytes);
        },
        [&](const Buffer& bytes) {
          pair.server.send(bytes);
          const auto got = udp.receive();
          CHECK(got.bytes == bytes);
          CHECK(got.from == running.address);
        });
    udp.send(running.address, Buffer{9, 9, 9});  // half a frame: dropped without effect
    CHECK(running.dropped(Drop::kBadFrame));
    Datagrams(loopback()).send(running.address, point(1));
    CHECK(running.dropped(Drop::kUnknownSource));
    CHECK(running.totals().current_sessions() == 1);
  }
  SUBCASE("TCP to TCP and UDP") {
    FakeServer fake(true);
    Bridging running(toy::stream(), toy::game(), fake.address());
    BridgedPair pair(running, fake);
    pair.server.send(said("!"));  // once this arrives, our back has been greeted
    CHECK(pair.client.read_text(3) == said("!"));
    const Datagrams udp = fake.take_datagrams();
    // Our end of the server's connection has the same port for TCP and UDP.
    const net::Address ours = pair.server.there();
    echo(
        [&](const Buffer& bytes) {
          pair.client.send(bytes);
          const auto got = udp.receive();
          CHECK(got.bytes == bytes);
          CHECK(got.from == ours);
        },
        [&](const Buffer& bytes) {
          udp.send(ours, bytes);
          CHECK(pair.client.read(3) == bytes);
        });
  }
}

TEST_CASE("both sides get their own goodbye, whichever side leaves, and each end has one reason") {
  FakeServer fake;
  Bridging running(toy::stream(), toy::stream(), fake.address());
  BridgedPair pair(running, fake);
  Reason reason{};
  SUBCASE("the client closes") {
    pair.client.finish();
    CHECK(as_text(pair.server.read_all()) == kBye);
    pair.server.close();
    CHECK(pair.client.read_all().empty());
    reason = Reason::kClientLeft;
  }
  SUBCASE("the client leaves by a frame") {
    pair.client.send(kBye);
    CHECK(pair.client.read_all().empty());
    CHECK(as_text(pair.server.read_all()) == kBye);
    reason = Reason::kClientLeft;
  }
  SUBCASE("the client disappears") {
    pair.client.reset();
    CHECK(as_text(pair.server.read_all()) == kBye);
    pair.server.close();
    reason = Reason::kClientReset;
  }
  SUBCASE("the server closes") {
    pair.server.finish();
    CHECK(as_text(pair.client.read_all()) == kBye);
    reason = Reason::kServerLeft;
  }
  SUBCASE("the server ends the session by a frame") {
    pair.server.send(kBye);
    CHECK(as_text(pair.client.read_all()) == kBye);
    CHECK(pair.server.read_all().empty());
    reason = Reason::kServerLeft;
  }
  SUBCASE("the server disappears") {
    pair.server.reset();
    CHECK(as_text(pair.client.read_all()) == kBye);
    reason = Reason::kServerReset;
  }
  SUBCASE("the server refuses the player") {
    pair.server.send(Buffer{0, toy::kRefuse});
    CHECK(as_text(pair.client.read_all()) == std::string("\0\x0d", 2));
    CHECK(as_text(pair.server.read_all()) == kBye);
    reason = Reason::kServerDeclined;
  }
  SUBCASE("we stop") {
    running.stop();
    CHECK(as_text(pair.client.read_all()) == kBye);
    CHECK(as_text(pair.server.read_all()) == kBye);
    reason = Reason::kStopped;
  }
  CHECK(running.ended(reason));
  CHECK(running.totals().begun == 1);
  pair.client.close();
  pair.server.close();
  CHECK(running.empty());
  std::uint64_t ends = 0;
  for (const auto number : running.totals().ended) ends += number;
  CHECK(ends == 1);
}

/// Its clients may resume their sessions.
class Asking : public Serving {
 public:
  Asking(const net::Address& server, std::size_t workers, const Limits& limits = no_limits()) : Serving(workers) {
    relay::RouteOptions options;
    options.game = &toy::ungreeted();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.bridge = toy_bridge(toy::ungreeted(), toy::stream());
    options.bridge->front = [](std::size_t) { return toy::make_asking_front(toy::ungreeted()); };
    serve(std::move(options), server, limits, nullptr);
  }

  Stream says(const Buffer& first, const net::Address* from = nullptr) const {
    Stream client = Stream::to(address, from);
    client.send(first);
    return client;
  }
};

Buffer away(std::uint8_t number, std::uint8_t tenths) { return {2, toy::kAway, number, tenths}; }
Buffer back(std::uint8_t number) { return {1, toy::kBack, number}; }

Stream accepted(const FakeServer& fake) {
  Stream server = fake.accept();
  CHECK(server.read_text(4) == kHello);
  server.send(kWelcome);
  return server;
}

TEST_CASE("a client that lost its link resumes the session, on whatever worker it is") {
  FakeServer fake;
  Asking running(fake.address(), 3);
  std::optional<Stream> client = running.says(away(7, 200));
  const Stream server = accepted(fake);
  client->send(point(1));
  CHECK(server.read(3) == point(1));
  for (std::uint64_t times = 1; times <= 4; ++times) {  // newcomers go to the workers in turn
    client.reset();
    CHECK_FALSE(server.readable(50));  // no goodbye was sent
    client = running.says(back(7));
    CHECK(client->read(3) == back(7));
    client->send(point(2));
    CHECK(server.read(3) == point(2));
    server.send(point(3));
    CHECK(client->read(3) == point(3));
    CHECK(running.ended(Reason::kResumed, times));
    CHECK(running.tapped.noted(1, "its link broke; the seat is kept for 20 s\ncame back from "));
  }
  CHECK(running.totals().current_sessions() == 1);
  client->send(Buffer{0, toy::kBye});
  CHECK(server.read_text(2) == kBye);
}

TEST_CASE("a server that was not read because its client was behind is read again once that client has lost its link") {
  Limits limits = no_limits();
  limits.high_water = 64 * 1024;
  FakeServer fake;
  Asking running(fake.address(), 1, limits);
  std::optional<Stream> client = Stream::to(running.address, nullptr, 4096);
  client->send(away(7, 255));
  Stream server = accepted(fake);
  const Buffer line = frame(std::string(180, 'y'), toy::kSay);
  std::size_t sent = 0;  // of a line
  CHECK(eventually([&] {
    sent = (sent + server.try_send(Bytes(line).subspan(sent))) % line.size();
    return running.totals().stalls != 0;
  }));
  client.reset();
  server.finish();
  const auto began = std::chrono::steady_clock::now();
  CHECK(running.ended(Reason::kServerLeft));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));  // its seat is still kept
}

TEST_CASE(
    "kept sessions count for their address: the oldest is ended for a present client, and the others can be resumed") {
  for (const std::size_t workers : {1U, 3U}) {
    CAPTURE(workers);
    FakeServer fake;
    Limits limits = no_limits();
    limits.sessions_per_address = 3;
    Asking running(fake.address(), workers, limits);
    std::vector<Stream> servers;
    // Until the lost link is detected, there are too many.
    const auto comes = [&](std::uint8_t number) {
      Stream client;
      REQUIRE(eventually([&] {
        client = running.says(away(number, 200));
        CHECK(eventually([&] { return fake.called(5) || client.readable(5); }));  // it is let in, or told why not
        return fake.called(0);
      }));
      servers.push_back(accepted(fake));
      return client;
    };
    for (std::uint8_t number = 1; number <= 3; ++number) (void)comes(number);
    const Stream fourth = comes(4);
    CHECK(servers[0].read_text(2) == kBye);  // the oldest absent one
    CHECK(eventually([&] { return running.totals().current_sessions() == 3; }));
    const Stream third = running.says(back(3));  // ends no session, because it resumes one
    CHECK(third.read(3) == back(3));
    third.send(point(2));
    CHECK(servers[2].read(3) == point(2));
    CHECK(eventually([&] { return running.totals().current_sessions() == 3; }));
    const Stream fifth = running.says(point(5));
    CHECK(servers[1].read_text(2) == kBye);
    servers.push_back(accepted(fake));
    CHECK(servers[4].read(3) == point(5));
    CHECK_FALSE(servers[2].readable(20));
    CHECK_FALSE(servers[3].readable(20));
    CHECK(as_text(running.says(point(6)).read_all()) == kGoodbye);  // three are present: one more is too many
    CHECK(running.ended(Reason::kTooManyFromAddress));
  }
}

TEST_CASE("a newcomer whose address has too many sessions takes the kept place of that address, not an older one") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.sessions_per_address = 1;
  Asking running(fake.address(), 1, limits);
  const net::Address here = *net::Address::parse("127.0.0.1", 0), there = *net::Address::parse("127.0.0.2", 0);
  std::vector<Stream> servers;
  const auto comes = [&](std::uint8_t number, const net::Address& from) {
    Stream client;
    REQUIRE(eventually([&] {  // until it is known that the one before has lost its link
      client = running.says(away(number, 200), &from);
      CHECK(eventually([&] { return fake.called(5) || client.readable(5); }));  // it is let in, or told why not
      return fake.called(0);
    }));
    servers.push_back(accepted(fake));
    return client;
  };
  for (const net::Address& from : {here, there}) (void)comes(static_cast<std::uint8_t>(servers.size() + 1), from);
  const Stream third = comes(3, there);
  CHECK(servers[1].read_text(2) == kBye);
  CHECK_FALSE(servers[0].readable(20));
  const Stream first = running.says(back(1), &here);
  CHECK(first.read(3) == back(1));
}

TEST_CASE("a drain: a client that lost its link resumes its session, and newcomers from its address are refused") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.greet_ms = 0;
  Asking running(fake.address(), 1, limits);
  const Stream early = Stream::to(running.address);
  CHECK(eventually([&] { return running.totals().begun == 1; }));
  { const Stream client = running.says(away(7, 200)); }
  const Stream server = accepted(fake);
  REQUIRE(running.tapped.noted(2, "its link broke; the seat is kept"));
  running.set_draining(true);
  for (std::uint8_t times = 1; times <= 3; ++times) {
    const Stream newcomer = running.says(point(times));
    CHECK(as_text(newcomer.read_all()) == kBye);
    CHECK(running.ended(Reason::kDraining, times));
  }
  const Stream undecided = Stream::to(running.address);
  CHECK(eventually([&] { return running.totals().begun == 6; }));
  CHECK_FALSE(fake.called(0));
  SUBCASE("who was there before the drain plays") {
    early.send(point(1));
    CHECK(accepted(fake).read(3) == point(1));
  }
  SUBCASE("who came during the drain plays if it has ended") {
    running.set_draining(false);
    undecided.send(point(1));
    CHECK(accepted(fake).read(3) == point(1));
  }
  const Stream client = running.says(back(7));
  CHECK(client.read(3) == back(7));
  client.send(point(2));
  CHECK(server.read(3) == point(2));
  CHECK(running.ended(Reason::kResumed));
  CHECK(running.totals().by(Reason::kDraining) == 3);
}

TEST_CASE("a client that cannot resume a session begins a new one") {
  FakeServer fake;
  Asking running(fake.address(), 1);
  SUBCASE("no session is kept") {
    const Stream client = running.says(back(7));
    const Stream server = accepted(fake);
    client.send(point(1));
    CHECK(server.read(3) == point(1));
  }
  SUBCASE("the session with that number has a live link") {
    const Stream first = running.says(away(7, 200));
    const Stream server = accepted(fake);
    const Stream second = running.says(back(7));
    const Stream other = accepted(fake);
    second.send(point(2));
    CHECK(other.read(3) == point(2));
    first.send(point(1));
    CHECK(server.read(3) == point(1));
  }
  SUBCASE("the session with that number is that of another address") {
    { const Stream client = running.says(away(7, 200)); }
    const Stream server = accepted(fake);
    CHECK_FALSE(server.readable(50));  // it is kept
    const net::Address elsewhere = *net::Address::parse("127.0.0.2", 0);
    const Stream stranger = Stream::to(running.address, &elsewhere);
    stranger.send(back(7));
    const Stream other = accepted(fake);
    stranger.send(point(2));
    CHECK(other.read(3) == point(2));
    CHECK_FALSE(server.readable(0));
  }
  SUBCASE("the session with that number has ended meanwhile, because its server left") {
    { const Stream client = running.says(away(7, 200)); }
    accepted(fake).finish();
    CHECK(running.ended(Reason::kServerLeft));
    const Stream client = running.says(back(7));
    const Stream server = accepted(fake);
    client.send(point(1));
    CHECK(server.read(3) == point(1));
  }
  SUBCASE("the session with that number was kept too long") {
    { const Stream client = running.says(away(7, 1)); }
    {
      const Stream server = accepted(fake);
      CHECK(server.read_text(2) == kBye);
    }
    CHECK(running.ended(Reason::kClientLeft));
    const Stream client = running.says(back(7));
    const Stream server = accepted(fake);
    client.send(point(1));
    CHECK(server.read(3) == point(1));
    CHECK(running.totals().begun == 2);
    CHECK(eventually([&] { return running.totals().current_sessions() == 1; }));
  }
  CHECK(running.totals().by(Reason::kResumed) == 0);
}

TEST_CASE("if the first server cannot be reached at all, the player goes to the next one, with its datagrams") {
  FakeServer fake(true);
  const Datagrams server_side = fake.take_datagrams();
  relay::RouteOptions options;
  options.game = &toy::stream();
  options.listen = loopback();
  options.upstream.policy = relay::Policy::kFirst;
  // No connection can begin to the first.
  options.servers = {{"255.255.255.255", 9, 0}, {fake.address().ip_text(), fake.port(), 0}};
  options.bridge = toy_bridge(toy::stream(), toy::game());
  struct Two final : Serving {
    explicit Two(relay::RouteOptions its) : Serving(1) { serve_all(std::move(its), no_limits()); }
  } running(std::move(options));
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);
  const Stream server = accepted(fake);
  const testing::Repeated moving([&] { client.send(point(1)); });  // the bridge may not know yet that it is connected
  CHECK(server_side.receive().bytes == point(1));
}

TEST_CASE("if the server cannot be reached, the client gets a goodbye") {
  const net::Address nobody = FakeServer().address();
  Bridging running(toy::stream(), toy::stream(), nobody);
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(as_text(client.read_all()) == std::string(kWelcome) + kBye);
  CHECK(running.ended(Reason::kServerUnreachable));
  CHECK(running.heard.line("cannot reach server " + nobody.text()));
}

TEST_CASE("a peer that breaks a rule is refused, with the field and the offset") {
  FakeServer fake;
  Bridging running(toy::stream(), toy::stream(), fake.address());
  BridgedPair pair(running, fake);
  SUBCASE("of the game's framing") {
    pair.client.send(said("good"));
    pair.client.send("\xff");
    CHECK(running.heard.line("bad frame: frame too large/length at " + std::to_string(4 + 6)));
    CHECK(running.totals().by(Reason::kBadFrame) == 1);
  }
  SUBCASE("of the game") {
    pair.client.send(said("good"));
    CHECK(pair.server.read_text(6) == said("good"));
    pair.client.send(Buffer{0, toy::kWrong});
    CHECK(running.heard.line("protocol fault: unknown code/code at " + std::to_string(4 + 6)));
    CHECK(running.totals().by(Reason::kProtocolFault) == 1);
    CHECK(running.totals().refused() == 1);
  }
  SUBCASE("the same by a server") {
    pair.server.send(Buffer{0, toy::kWrong});
    CHECK(running.heard.line(
        "broke the rules of toy: unknown code in code, byte 1; check the game and the dialect in its URL"));
    CHECK(as_text(pair.client.read_all()) == kBye);
    CHECK(running.totals().by(Reason::kServerProtocolError) == 1);
  }
  SUBCASE("a server that breaks the framing") {
    pair.server.send("\xff");
    CHECK(running.heard.line("broke the rules of toy: frame too large in length, byte 0"));
    CHECK(as_text(pair.client.read_all()) == kBye);
    CHECK(running.totals().by(Reason::kServerProtocolError) == 1);
  }
  pair.client.finish();
  pair.client.read_all();
  pair.server.read_all();
  pair.server.close();
  CHECK(running.empty());
}

TEST_CASE("limits") {
  FakeServer fake;
  Limits limits = no_limits();
  SUBCASE("a client that sends nothing in time") {
    limits.greet_ms = 300;
    Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
    const Stream silent = Stream::to(running.address);
    CHECK(as_text(silent.read_all()) == kBye);
    CHECK(running.ended(Reason::kGreetTimeout));
    CHECK_FALSE(fake.called(0));
  }
  SUBCASE("an idle client") {
    limits.idle_ms = 300;
    Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
    const BridgedPair pair(running, fake);
    CHECK(as_text(pair.client.read_all()) == kBye);
    CHECK(as_text(pair.server.read_all()) == kBye);
    CHECK(running.ended(Reason::kIdle));
  }
  SUBCASE("a server that accepts and does not let the player in") {
    limits.ready_ms = 300;
    Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
    const Stream client = Stream::to(running.address);
    client.send(kHello);
    const Stream server = fake.accept();
    CHECK(as_text(client.read_all()) == std::string(kWelcome) + kBye);
    CHECK(as_text(server.read_all()).starts_with(kHello));
    CHECK(running.ended(Reason::kServerTimeout));
    CHECK(running.heard.line("the server did not answer within 300 ms"));
    CHECK(running.heard.told("has not let the player in yet") == 1);
  }
  SUBCASE("but not for a server that is not read because its client is behind") {
    limits.ready_ms = 500;
    limits.high_water = 64 * 1024;
    Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
    const BridgedPair pair(running, fake, nullptr, 4096);
    const Buffer line = frame(std::string(180, 'y'), toy::kSay);
    std::size_t sent = 0;  // of a line
    while (running.totals().stalls == 0) sent = (sent + pair.server.try_send(Bytes(line).subspan(sent))) % line.size();
    const Stream other = Stream::to(running.address);
    other.send(kHello);
    const Stream its_server = fake.accept();
    CHECK(as_text(other.read_all()) == std::string(kWelcome) + kBye);  // so long the first one has waited at least
    for (std::size_t seen = 0; seen < 2'000'000;) {                    // more than waits in the relay
      while (const std::size_t more = pair.server.try_send(Bytes(line).subspan(sent)))
        sent = (sent + more) % line.size();
      const Buffer some = pair.client.read_some();
      REQUIRE_FALSE(some.empty());  // it has not been closed
      seen += some.size();
    }
    CHECK(running.totals().by(Reason::kServerTimeout) == 1);
  }
  SUBCASE("a server that sends data and does not let the player in") {
    limits.ready_ms = 10'000;
    limits.lobby_ms = 600;
    Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
    const BridgedPair pair(running, fake);
    pair.server.send(said("hello"));
    CHECK(as_text(pair.client.read_all()) == std::string(said("hello")) + kBye);
    CHECK(running.ended(Reason::kServerTimeout));
    CHECK(running.heard.line("the server did not let the player in within 600 ms"));
  }
  SUBCASE("a client that connects to a full server") {
    limits.sessions = 1;
    Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
    const BridgedPair pair(running, fake);
    CHECK(as_text(Stream::to(running.address).read_all()) == kBye);
    CHECK(running.ended(Reason::kTooMany));
  }
  SUBCASE("a client that sends faster is delayed") {
    limits.messages_per_second = 50;
    Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
    const BridgedPair pair(running, fake);
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 150; ++i) {  // the burst is 100
      pair.client.send(point(1));
      CHECK(pair.server.read(3) == point(1));
    }
    CHECK(std::chrono::steady_clock::now() - began > std::chrono::milliseconds(500));
    CHECK(running.totals().throttled >= 1);
  }
  SUBCASE("a session that will not close is closed") {
    limits.linger_ms = 300;
    Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
    const BridgedPair pair(running, fake);
    pair.client.send(Buffer{0, toy::kStay});
    pair.client.send(said("x"));
    CHECK(pair.server.read_text(3) == said("x"));
    pair.server.finish();
    CHECK(as_text(pair.client.read_all()) == kBye);
    CHECK(running.ended(Reason::kServerLeft));
    CHECK(running.empty());
  }
}

TEST_CASE("a client that reads nothing costs a bounded number of bytes, and is then closed") {
  Limits limits = no_limits();
  limits.high_water = 64 * 1024;
  limits.stall_ms = 500;
  limits.linger_ms = 300;
  FakeServer fake;
  Bridging running(toy::stream(), toy::stream(), fake.address(), limits);
  const BridgedPair pair(running, fake, nullptr, 4096);
  SUBCASE("the server is not read while the client is behind") {
    const Buffer line = frame(std::string(180, 'y'), toy::kSay);
    std::size_t taken = 0;
    pollfd writable{pair.server.fd(), POLLOUT, 0};
    while (taken < (64u << 20) && ::poll(&writable, 1, 200) == 1 && !running.totals().by(Reason::kClientStalled))
      taken += pair.server.try_send(line) == line.size() ? line.size() : (64u << 20);
    CHECK(running.totals().stalls >= 1);
  }
  SUBCASE("what the front itself sends at once is limited, too") { pair.client.send(Buffer{0, toy::kFlood}); }
  CHECK(running.ended(Reason::kClientStalled));
  CHECK(running.empty());
}

TEST_CASE("a front is ticked every 20 ms, with or without traffic") {
  FakeServer fake;
  Bridging running(toy::stream(), toy::stream(), fake.address());
  const BridgedPair pair(running, fake);
  pair.client.send(Buffer{0, toy::kBeat});
  const Buffer first = pair.client.read(3);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) CHECK(pair.client.read(3).size() == 3);
  const auto took = std::chrono::steady_clock::now() - began;
  CHECK(took > std::chrono::milliseconds(190));
  CHECK(took < std::chrono::milliseconds(6000));  // ticks once a second would take ten seconds
}

TEST_CASE("the tap gets all frames of both links, each with its game") {
  FakeServer fake;
  Bridging running(toy::stream(), toy::stream(), fake.address());
  BridgedPair pair(running, fake);
  pair.client.send(said("up"));
  CHECK(pair.server.read_text(4) == said("up"));
  pair.server.send(said("down"));
  CHECK(pair.client.read_text(6) == said("down"));
  pair.client.close();
  CHECK(running.ended(Reason::kClientLeft));
  pair.server.close();
  CHECK(running.empty());
  CHECK(running.tapped.left_open() == 0);
  const auto front = running.tapped.record(1), back = running.tapped.record(2);
  CHECK(as_text(front.to_server) == std::string(kHello) + said("up"));
  CHECK(as_text(front.to_client) == std::string(kWelcome) + said("down"));
  CHECK(as_text(back.to_server) == std::string(kHello) + said("up") + kBye);
  CHECK(as_text(back.to_client) == std::string(kWelcome) + said("down"));
  CHECK(front.closed == "client left");
  CHECK(back.closed == "client left");
}

TEST_CASE("bridges live on all workers") {
  FakeServer fake;
  Bridging running(toy::stream(), toy::stream(), fake.address(), no_limits(), 2);
  std::vector<std::unique_ptr<BridgedPair>> pairs;
  for (int i = 0; i < 6; ++i) pairs.push_back(std::make_unique<BridgedPair>(running, fake));
  for (auto& pair : pairs) {
    pair->client.send(said("hello"));
    CHECK(pair->server.read_text(7) == said("hello"));
  }
}

}  // namespace
}  // namespace entente::testing::bridge_test
