// A relay passes bytes on unchanged, however they are split, and passes on the end of each direction.
#include <doctest/doctest.h>

#include <limits>

#include <numeric>
#include <span>

#include "adapters/bzflag/bzflag.h"
#include "adapters/native/native.h"
#include "adapters/panic/panic.h"
#include "proxy/net/socket.h"
#include "tests/relay/toy.h"

namespace entente::testing::relay_test {
namespace {

/// Sends `bytes` in pieces of sizes that follow from `seed`.
void send_in_pieces(const Stream& to, Bytes bytes, std::uint32_t seed) {
  while (!bytes.empty()) {
    seed = seed * 1664525u + 1013904223u;
    const std::size_t n = std::min<std::size_t>(bytes.size(), 1 + (seed >> 24) % 97);
    to.send(bytes.first(n));
    bytes = bytes.subspan(n);
  }
}

TEST_CASE("each side reads exactly what the other sent, however it is split") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  Pair pair(running, fake);
  const Buffer up = frames(20'000, 1), down = frames(30'000, 2);
  std::thread other([&] { send_in_pieces(pair.server, down, 3); });
  send_in_pieces(pair.client, up, 4);
  CHECK(pair.server.read(up.size()) == up);
  CHECK(pair.client.read(down.size()) == down);
  other.join();

  pair.client.finish();
  CHECK(pair.server.read_all().empty());
  pair.server.finish();
  CHECK(pair.client.read_all().empty());
  CHECK(running.empty());

  const auto totals = running.totals();
  CHECK(totals.to_server.bytes == up.size() + 4);
  CHECK(totals.to_client.bytes == down.size() + 4);
  const auto record = running.tapped.record(1);
  CHECK(Buffer(record.to_server.begin() + 4, record.to_server.end()) == up);
  CHECK(Buffer(record.to_client.begin() + 4, record.to_client.end()) == down);
  CHECK(record.closed == "client left");
  CHECK(totals.by(relay::Reason::kClientLeft) == 1);
}

std::uint64_t sum(std::span<const std::uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST_CASE("after the last number, links are numbered from 1 again") {
  constexpr relay::LinkId kLast = std::numeric_limits<relay::LinkId>::max();
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  running.server().begin_links_after(kLast - 1);
  const Pair last(running, fake), first(running, fake);
  const auto all = running.sessions();
  REQUIRE(all.size() == 2);
  CHECK(all[0].info.link == 1);
  CHECK(all[1].info.link == kLast);
}

TEST_CASE("the time to open a session and its length are counted") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  {
    const Pair pair(running, fake);
    CHECK(sum(running.totals().opening.in) == 1);
    CHECK(sum(running.totals().length.in) == 0);
  }
  CHECK(running.empty());
  CHECK(sum(running.totals().opening.in) == 1);
  CHECK(sum(running.totals().length.in) == 1);
}

TEST_CASE("a session that never opened has no length") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  fake.close();
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.ended(relay::Reason::kServerUnreachable));
  CHECK(sum(running.totals().opening.in) == 0);
  CHECK(sum(running.totals().length.in) == 0);
}

TEST_CASE("a duration is counted in the first range whose bound it does not exceed") {
  relay::DurationsOf<relay::Count, relay::kSessionBounds> durations;
  for (const Millis one : std::initializer_list<Millis>{0, 1'000, 1'001, 28'800'000, 28'800'001}) count(durations, one);
  CHECK(durations.in[0].read() == 2);
  CHECK(durations.in[1].read() == 1);
  CHECK(durations.in[relay::kSessionBounds.size() - 1].read() == 1);
  CHECK(durations.in[relay::kSessionBounds.size()].read() == 1);
  CHECK(durations.sum.read() == 57'602'002);
}

TEST_CASE("a greeting arrives in one read although the server writes it byte by byte") {
  FakeServer fake(true);
  Running running(bzflag::game(), fake.address());
  const Stream client = Stream::to(running.address);
  client.send("BZFLAG\r\n\r\n");
  const Stream server = fake.accept();
  CHECK(server.read_text(10) == "BZFLAG\r\n\r\n");
  for (const char byte : std::string_view("BZFS0221\x05", 9)) server.send(std::string_view(&byte, 1));
  CHECK(as_text(client.read_some()) == std::string_view("BZFS0221\x05", 9));
}

TEST_CASE("Panic's frames arrive whole, both ways, although they are written byte by byte") {
  FakeServer fake;
  Running running(panic::game(), fake.address());
  const Stream client = Stream::to(running.address);
  const Stream server = fake.accept();
  const Buffer state{1, 1, 1, 0, 1, 1, 0, 0, 0, 1};  // be-packed Game State with one tank
  const Buffer action{0, 1, 1, 2, 0, 0, 0, 1};
  for (int i = 0; i < 5; ++i) {
    for (const std::uint8_t byte : state) server.send(Bytes(&byte, 1));
    CHECK(client.read_some() == state);
    for (const std::uint8_t byte : action) client.send(Bytes(&byte, 1));
    CHECK(server.read_some() == action);
  }
}

TEST_CASE("each side may end its direction while the other still sends") {
  FakeServer fake;
  Running running(panic::game(), fake.address());
  const Buffer state{1, 1, 1, 0, 1, 1, 0, 0, 0, 1}, action{0, 1, 1, 2, 0, 0, 0, 1};
  SUBCASE("the client") {
    const Stream client = Stream::to(running.address), server = fake.accept();
    client.send(action);
    client.finish();
    CHECK(server.read_all() == action);
    server.send(state);
    CHECK(client.read(state.size()) == state);
    server.finish();
    CHECK(client.read_all().empty());
    CHECK(running.ended(relay::Reason::kClientLeft));
  }
  SUBCASE("the server") {
    const Stream client = Stream::to(running.address), server = fake.accept();
    server.send(state);
    server.finish();
    CHECK(client.read_all() == state);
    client.send(action);
    CHECK(server.read(action.size()) == action);
    client.finish();
    CHECK(server.read_all().empty());
    CHECK(running.ended(relay::Reason::kServerLeft));
  }
  CHECK(running.empty());
}

TEST_CASE("a client whose server has left hears nothing more when the relay stops") {
  FakeServer fake;
  Running running(native::game(), fake.address());
  const Stream client = Stream::to(running.address);
  client.send(Buffer{0, 0, 0, 0});
  Stream server = fake.accept();
  server.finish();
  CHECK(client.read_all().empty());
  running.stop();  // the client has not left yet
  CHECK(running.ended(relay::Reason::kStopped));
}

TEST_CASE("a client gets its game's goodbye once, between two frames") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  SUBCASE("when the server closes in the middle of a frame") {
    Pair pair(running, fake);
    Buffer whole = frame("whole"), half = frame("half");
    half.pop_back();
    pair.server.send(whole);
    pair.server.send(half);
    pair.server.close();
    append(whole, as_bytes(kGoodbye));
    CHECK(pair.client.read_all() == whole);
  }
  SUBCASE("and nothing after it, however long it stays connected") {
    Limits limits = no_limits();
    limits.half_closed_ms = 2'500;  // longer than half a frame is kept before it is passed on
    Running patient(toy::game(), fake.address(), limits);
    Pair pair(patient, fake);
    pair.server.send(Bytes(frame("half")).first(3));
    pair.server.close();
    CHECK(as_text(pair.client.read_all()) == kGoodbye);
    CHECK(patient.ended(relay::Reason::kHalfClosed));
    CHECK(patient.totals().to_client.bytes == 4);  // the greeting
  }
  SUBCASE("but not when the server has sent it already") {
    Pair pair(running, fake);
    pair.server.send(kGoodbye);
    pair.server.close();
    CHECK(as_text(pair.client.read_all()) == kGoodbye);
  }
  SUBCASE("but not when the client is leaving, too, and the server only closed first") {
    Pair pair(running, fake);
    pair.server.finish();
    pair.client.finish();
    CHECK(pair.client.read_all().empty());
    CHECK(running.ended(relay::Reason::kServerLeft));
  }
  SUBCASE("when the server resets") {
    Pair pair(running, fake);
    pair.server.reset();
    CHECK(as_text(pair.client.read_all()) == kGoodbye);
    CHECK(running.ended(relay::Reason::kServerReset));
  }
  SUBCASE("when we stop") {
    Pair pair(running, fake);
    std::thread stopping([&] { running.stop(); });
    CHECK(as_text(pair.client.read_all()) == kGoodbye);
    CHECK(pair.server.read_all().empty());
    pair.client.close();
    pair.server.close();
    stopping.join();
    CHECK(running.totals().by(relay::Reason::kStopped) == 1);
    CHECK(running.tapped.record(1).closed == "proxy stopped");
  }
}

TEST_CASE("if the server cannot be reached, the client gets a goodbye, and the log says why") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  fake.close();
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.ended(relay::Reason::kServerUnreachable));
  CHECK(running.heard.line("Connection refused; is it running?"));
}

TEST_CASE("bytes of a server that are not frames are passed on as they come, and logged and counted once") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  Pair pair(running, fake);
  Buffer sent = frame("good");
  append(sent, as_bytes("\xff this is not a frame of the game"));
  append(sent, frame("unseen"));
  send_in_pieces(pair.server, sent, 5);
  CHECK(pair.client.read(sent.size()) == sent);
  pair.client.send(frame("still there"));
  CHECK(pair.server.read(13) == frame("still there"));
  CHECK(running.totals().unframed == 1);
  CHECK(running.heard.line("passed on as they come"));
}

TEST_CASE("an incomplete frame of a server is passed on after a while, and its rest when it comes") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  Pair pair(running, fake);
  const Buffer whole = frame("slow"), next = frame("next");
  pair.server.send(Bytes(whole).first(3));
  CHECK(!pair.client.readable(500));
  CHECK(pair.client.read(3).size() == 3);
  pair.server.send(Bytes(whole).subspan(3));
  pair.server.send(next);
  CHECK(pair.client.read(3 + next.size()).size() == 3 + next.size());
  const auto record = running.tapped.record(1);
  CHECK(as_text(record.to_client).substr(4) == std::string(as_text(whole)) + std::string(as_text(next)));
  pair.server.reset();
  CHECK(as_text(pair.client.read_all()) == kGoodbye);
}

TEST_CASE("an HTTP request to a BZFlag 2.4 server passes unchanged, and so does the answer") {
  constexpr std::string_view kRequest = "GET /fastmap/world HTTP/1.1\r\nHost: example.org:5154\r\n\r\n";
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n" + std::string(70'000, '\x05');
  FakeServer fake(true);
  Running running(bzflag::game(), fake.address());
  const Stream client = Stream::to(running.address);
  client.send(kRequest);
  Stream server = fake.accept();
  CHECK(server.read_text(kRequest.size()) == kRequest);
  server.send(answer);
  server.finish();
  CHECK(as_text(client.read_all()) == answer);
  CHECK(running.totals().by(relay::Reason::kBadFrame) == 0);
}

TEST_CASE("a BZFlag server's URL of its own HTTP names the relay; other URLs, and what surrounds them, stay") {
  const auto told = [](const std::string& url) {
    std::string frame{'\0', static_cast<char>(url.size() + 1), 'c', 'u'};
    return frame + url + '\0';
  };
  const std::string before("\0\x08gt\0\x06 aJ\xcc\x13\xb4", 12), after("\0\x01wh\x74", 5);
  FakeServer fake(true);
  Running running(bzflag::game(), fake.address());
  const std::string port = std::to_string(fake.port()), ours = std::to_string(running.address.port());
  Stream client = Stream::to(running.address);
  client.send("BZFLAG\r\n\r\n");
  Stream server = fake.accept();
  const auto passes = [&](const std::string& sent, const std::string& came) {
    server.send(sent);
    CHECK(client.read_text(came.size()) == came);
  };
  CHECK(server.read_text(10) == "BZFLAG\r\n\r\n");
  passes("BZFS0221\x07", "BZFS0221\x07");
  passes(before + told("http://example.org:" + port + "/fastmap/") + after,
         before + told("http://example.org:" + ours + "/fastmap/") + after);
  for (const char* other : {"http://maps.example.org/world", "http://example.org:80/", "ftp://example.org:", ""})
    passes(before + told(other) + after, before + told(other) + after);
  CHECK(running.totals().to_client.frames == 1 + 3 * 5);
}

TEST_CASE("a URL of a server's own HTTP names the port that a router forwards to the relay, and the public host") {
  FakeServer fake(true);
  relay::RouteOptions options;
  options.game = &bzflag::game();
  options.servers[0].dialect = 0;
  options.listen = loopback();
  options.public_port = 4242;
  options.public_host = "play.example.org";
  struct Its final : Serving {
    Its(relay::RouteOptions its, const net::Address& server) : Serving(1) {
      serve(std::move(its), server, no_limits(), nullptr);
    }
  } running(std::move(options), fake.address());
  const Stream client = Stream::to(running.address);
  client.send("BZFLAG\r\n\r\n");
  const Stream server = fake.accept();
  const auto told = [](const std::string& url) {
    return std::string{'\0', static_cast<char>(url.size() + 1), 'c', 'u'} + url + '\0';
  };
  const std::string welcome("BZFS0221\x01", 9), ours = told("http://play.example.org:4242/w");
  server.send(welcome + told("http://example.org:" + std::to_string(fake.port()) + "/w"));
  CHECK(client.read_text(welcome.size() + ours.size()) == welcome + ours);
}

TEST_CASE("an HTTP request to a BZFlag server that cannot be reached is answered by HTTP; other games refuse it") {
  FakeServer gone(true);
  Running running(bzflag::game(), gone.address());
  gone.close();
  const Stream client = Stream::to(running.address);
  client.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(as_text(client.read_all()).starts_with("HTTP/1.1 502 "));
  FakeServer fake(true);
  Running toys(toy::game(), fake.address());
  const Stream other = Stream::to(toys.address);
  other.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(toys.ended(relay::Reason::kBadFrame));
}

TEST_CASE("an HTTP request to a BZFlag server that closes without a word is answered by HTTP") {
  FakeServer fake(true);
  Limits limits = no_limits();
  limits.half_closed_ms = 50;
  Running running(bzflag::game(), fake.address(), limits);
  constexpr std::string_view kRequest = "GET /world HTTP/1.1\r\n\r\n";
  const Stream client = Stream::to(running.address);
  client.send(kRequest);
  {
    const Stream server = fake.accept();
    CHECK(server.read_text(kRequest.size()) == kRequest);
  }
  CHECK(as_text(client.read_all()).starts_with("HTTP/1.1 502 "));
  CHECK(running.ended(relay::Reason::kServerLeft));
}

TEST_CASE("an HTTP request to a BZFlag server is answered by HTTP, also if its client only reads after it") {
  Limits limits = no_limits();
  limits.half_closed_ms = 50;
  FakeServer fake(true);
  Running running(bzflag::game(), fake.address(), limits);
  const auto answer = [&] {
    const Stream client = Stream::to(running.address);
    client.send("GET / HTTP/1.1\r\n\r\n");
    client.finish();
    return std::string(as_text(client.read_all()));
  };
  CHECK(answer().starts_with("HTTP/1.1 503 "));
  CHECK(running.ended(relay::Reason::kHalfClosed));
  fake.close();
  CHECK(answer().starts_with("HTTP/1.1 502 "));
}

TEST_CASE("a listener on [::] takes IPv4, too, under the same limits, unless it is for IPv6 alone") {
  for (const bool only_v6 : {false, true}) {
    CAPTURE(only_v6);
    FakeServer fake(true);
    relay::RouteOptions options;
    options.game = &toy::game();
    options.servers[0] = {fake.address().ip_text(), fake.port(), 0};
    options.listen = *net::Address::parse("::", 0);
    options.only_v6 = only_v6;
    options.limits = no_limits();
    options.limits.sessions = 1;
    Heard heard;
    relay::ProxyServer server(1, heard);
    const auto listening = server.add(options);
    REQUIRE(listening.ok());
    std::thread serving([&] { server.run(); });
    const std::uint16_t port = listening->address.port();
    if (only_v6) {
      CHECK(net::listen(*net::Address::parse("127.0.0.1", port), false).ok());
    } else {
      const Stream four = Stream::to(*net::Address::parse("127.0.0.1", port));
      four.send(kHello);
      CHECK(fake.accept().read_text(4) == kHello);
      CHECK(heard.line("opened " + four.here().text()));
      CHECK(as_text(Stream::to(*net::Address::parse("::1", port)).read_all()) == kGoodbye);
    }
    server.stop();
    serving.join();
  }
}

TEST_CASE("IPv6 is relayed like IPv4") {
  FakeServer fake(true, true);
  Running running(toy::game(), fake.address());
  CHECK(running.address.v6());
  Pair pair(running, fake);
  pair.client.send(frame("six"));
  CHECK(pair.server.read(5) == frame("six"));
  CHECK(running.heard.line("opened [::1]:"));
}

}  // namespace
}  // namespace entente::testing::relay_test
