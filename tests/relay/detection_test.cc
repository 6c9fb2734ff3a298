// A server's dialect is detected without harm to it, and only then does a player reach it.
#include <doctest/doctest.h>

#include "adapters/bzflag/bzflag.h"
#include "adapters/panic/panic.h"
#include "proxy/relay/faults/lab_plan.h"
#include "tests/relay/late_server.h"
#include "tests/relay/native_lines.h"
#include "tests/relay/toy.h"

namespace entente::testing::detection_test {
namespace {

using relay::Reason;

// Two tanks in two dialects of Panic, as the released servers begin: Game State, Update Ammo, Create Piece.
const Buffer kPacked{1,  1, 1, 0, 1,  1,   0, 0, 0, 1,  //
                     32, 0, 0, 0, 0,  100, 0, 0, 0, 0,  //
                     16, 0, 0, 0, 50, 0,   0, 0, 1, 1, 4};
const Buffer kPadded{1,  1,    1,    0x9b, 1,   0, 1, 0x6b, 0, 0, 0, 1,  //
                     32, 0,    0x9b, 0x6b, 100, 0, 0, 0,    0, 0, 0, 0,  //
                     16, 0x3a, 0x21, 0xb5, 50,  0, 0, 0,    1, 0, 0, 0, 1, 4, 0, 0};
const Buffer kAction{0, 1, 1, 2, 0, 0, 0, 1};

/// The connection that only listens.
Stream expect_probe(const FakeServer& fake) {
  Stream probe = fake.accept();
  CHECK(!probe.readable(50));
  return probe;
}

TEST_CASE("a server that can be probed is probed silently before the first player is let through") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 2, std::nullopt);
  const Stream probe = expect_probe(fake);
  const Stream early = Stream::to(running.address), also = Stream::to(running.address);
  early.send(kHello);
  also.send(kHello);
  CHECK(!fake.called(100));
  probe.send("toy\x08");
  CHECK(probe.read_all().empty());
  for (int i = 0; i < 2; ++i) CHECK(fake.accept().read_text(4) == kHello);
  Pair later(running, fake);  // it is not probed again
  CHECK(running.totals().begun == 3);
}

TEST_CASE("clients that wait for a server's dialect are turned away when the program stops") {
  FakeServer fake(true);
  Limits limits = no_limits();
  limits.sessions = 2;
  Running running(toy::game(), fake.address(), limits, 1, std::nullopt);
  const Stream probe = expect_probe(fake);
  const Stream early = Stream::to(running.address), also = Stream::to(running.address);
  early.send(kHello);
  CHECK(as_text(Stream::to(running.address).read_all()) == kGoodbye);  // so the others are in
  running.stop();
  CHECK(as_text(early.read_all()) == kGoodbye);
  CHECK(as_text(also.read_all()) == kGoodbye);
  CHECK(running.totals().by(Reason::kDraining) == 2);
  CHECK(probe.read_all().empty());
}

/// A relay whose server is away and does not name its dialect.
struct Away : Serving {
  explicit Away(std::uint32_t hold_ms, std::uint32_t sessions_per_address = 0) : Serving(1), at(free_for_both()) {
    relay::RouteOptions options;
    options.game = &toy::game();
    options.listen = loopback();
    options.servers = {{at.ip_text(), at.port(), std::nullopt}};
    options.upstream.hold_ms = hold_ms;
    Limits limits = no_limits();
    limits.sessions_per_address = sessions_per_address;
    serve_all(std::move(options), limits);
  }
  Stream client() const {
    Stream made = Stream::to(address);
    made.send(kHello);
    return made;
  }
  /// Waits until so many sessions are listed.
  bool lists(std::size_t count) const {
    return eventually([&] { return sessions().size() == count; });
  }
  const net::Address at;
};

TEST_CASE("clients that leave while they wait for a server's dialect give their places to others") {
  Away running(60'000, 3);
  std::vector<Stream> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(running.client());
  CHECK(running.lists(3));
  const relay::LinkId last = running.sessions().back().info.link;
  clients.pop_back();
  CHECK(running.ended(Reason::kClientLeft));
  CHECK(running.heard.line(relay::text(Reason::kClientLeft)));
  CHECK(running.heard.last_closed().first == last);
  clients.clear();
  CHECK(running.ended(Reason::kClientLeft, 3));
  CHECK(running.lists(0));
  for (int i = 0; i < 3; ++i) clients.push_back(running.client());
  CHECK(running.lists(3));
  CHECK(running.totals().by(Reason::kTooManyFromAddress) == 0);
  const LateServer server(running.at);
  server.accept().send("toy\x08");
  for (int i = 0; i < 3; ++i) CHECK(server.accept().read_text(4) == kHello);
}

TEST_CASE("a client that has waited in vain for a server's dialect is logged with its number and its time") {
  Away running(300);
  const Stream client = running.client();
  CHECK(running.lists(1));
  const relay::LinkId link = running.sessions()[0].info.link;
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.heard.line(relay::text(Reason::kServerUnreachable)));
  CHECK(running.heard.last_closed().first == link);
  CHECK(running.heard.last_closed().second >= 300);
}

TEST_CASE("a client of a relay may close its direction while the server is asked, but not while no server is there") {
  SUBCASE("the server is asked") {
    const FakeServer fake(true);
    Running running(toy::game(), fake.address(), no_limits(), 1, std::nullopt);
    const Stream probe = expect_probe(fake);
    const Stream client = Stream::to(running.address);
    client.send(kHello);
    client.finish();
    CHECK(!fake.called(300));
    probe.send("toy\x08");
    const Stream server = fake.accept();
    CHECK(as_text(server.read_all()) == kHello);
    server.send("toy\x08");
    CHECK(client.read_text(4) == "toy\x08");
  }
  SUBCASE("no server is there") {
    Away running(60'000);
    const Stream client = running.client();
    client.finish();
    CHECK(running.ended(Reason::kClientLeft));
    CHECK(client.read_all().empty());
  }
}

TEST_CASE("a server of another dialect than the listener's gets no player, and the log says what to do") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 1, std::nullopt);
  expect_probe(fake).send("toy\x07");
  CHECK(running.heard.line("speaks toy little"));
  CHECK(running.heard.line("add ?dialect=little to --listen"));
  const Stream client = Stream::to(running.address);
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kDialectMismatch));
  CHECK(!fake.called(0));
}

/// A bridge from native to a toy server whose dialect must be detected.
struct FromNative : Serving {
  FromNative(const net::Address& server, const Limits& limits) : Serving(1) {
    relay::RouteOptions options;
    options.game = &native::game();
    options.servers[0].dialect = std::nullopt;
    options.listen = loopback();
    options.bridge = toy_bridge(native::game(), toy::stream());
    options.bridge->front = kNativeFront;
    serve(std::move(options), server, limits, nullptr, kJson);
  }
};

TEST_CASE("a player of a bridge is told by its game's protocol if the server's dialect cannot be detected") {
  Limits limits = no_limits();
  limits.detect_ms = 300;
  FakeServer fake;
  FromNative running(fake.address(), limits);
  Lines client(Stream::to(running.address));
  client.say(R"({"enter":{"name":"anna"}})");
  const auto told = client.all();
  REQUIRE(told.size() == 1);
  CHECK(have(told, R"("refused":{"code":"SERVER_GONE")"));
  CHECK(have(told, "the server speaks a version of the game that is not supported here"));
  CHECK(running.ended(Reason::kDialectUnknown));
}

TEST_CASE("a probe of a silent server ends in time, and is repeated for a later player") {
  Limits limits = no_limits();
  limits.detect_ms = 300;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits, 1, std::nullopt);
  const Stream probe = expect_probe(fake);
  const Stream client = Stream::to(running.address);
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(probe.read_all().empty());
  CHECK(running.ended(Reason::kDialectUnknown));
  CHECK(running.heard.line("add ?dialect= to its URL"));
  CHECK(eventually([&] {
    Stream::to(running.address).send(kHello);
    return fake.called(100);
  }));
  fake.accept().send("toy\x02");
  CHECK(eventually([&] { return running.totals().begun > 0; }));
}

TEST_CASE("a server that closes the probe is probed again for a later player") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 1, std::nullopt);
  expect_probe(fake);  // closed without any bytes
  CHECK(eventually([&] {
    Stream::to(running.address).send(kHello);
    return fake.called(100);
  }));
  fake.accept().send("toy\x02");
  CHECK(eventually([&] { return running.totals().begun > 0; }));
}

TEST_CASE("BZFlag's version gives its dialect") {
  FakeServer fake(true);
  Running running(bzflag::game(), fake.address(), no_limits(), 1, std::nullopt);
  Stream probe = expect_probe(fake);
  probe.send("BZFS0026\x03");
  CHECK(running.heard.line("speaks bzflag 2.0"));
}

TEST_CASE("a server that can only be probed by a player's connection gets no bytes until the dialect is certain") {
  FakeServer fake;
  Running running(panic::game(), fake.address(), no_limits(), 1, std::nullopt);
  const Stream client = Stream::to(running.address);
  const Stream server = fake.accept();
  client.send(kAction);
  CHECK(!server.readable(100));
  for (std::size_t i = 0; i + 1 < kPacked.size(); ++i) server.send(Bytes(&kPacked[i], 1));
  CHECK(server.read(kAction.size()) == kAction);
  server.send(Bytes(&kPacked.back(), 1));
  CHECK(client.read(kPacked.size()) == kPacked);
  const auto record = running.tapped.record(1);
  CHECK(record.to_server == kAction);
  CHECK(running.totals().to_server.frames == 1);
}

TEST_CASE("a client that sends no more before the dialect is certain: the server gets all of it, and then its end") {
  for (const char* lab : {"", "to_server: delay=60ms"}) {
    CAPTURE(lab);
    FakeServer fake;
    Running running(panic::game(), fake.address(), no_limits(), 1, std::nullopt);
    if (*lab != 0) running.server().set_lab(0, std::make_shared<relay::LabPlan>(*relay::LabPlan::parse(lab, nullptr)));
    const Stream client = Stream::to(running.address);
    const Stream server = fake.accept();
    client.send(kAction);
    client.finish();
    CHECK(!server.readable(100));
    server.send(kPacked);
    CHECK(server.read_all() == kAction);
    CHECK(client.read(kPacked.size()) == kPacked);
    server.finish();
    CHECK(running.ended(Reason::kClientLeft));
  }
}

TEST_CASE("a player whose server speaks another dialect is refused before the server gets any bytes") {
  FakeServer fake;
  Running running(panic::game(), fake.address(), no_limits(), 1, std::nullopt);
  const Stream client = Stream::to(running.address);
  const Stream server = fake.accept();
  client.send(kAction);
  server.send(kPadded);
  CHECK(client.read_all().empty());
  CHECK(server.read_all().empty());
  CHECK(running.ended(Reason::kDialectMismatch));
  CHECK(running.heard.line("add ?dialect=le-padded to --listen"));
}

TEST_CASE("the data that is kept while a dialect is unknown is limited in both directions") {
  Limits limits = no_limits();
  limits.held_bytes = 1024;
  FakeServer fake;
  Running running(panic::game(), fake.address(), limits, 1, std::nullopt);
  const Stream client = Stream::to(running.address);
  const Stream server = fake.accept();
  SUBCASE("the client is delayed") {
    Buffer many;
    while (many.size() < 64 * 1024) append(many, kAction);
    std::size_t taken = 0;
    pollfd writable{client.fd(), POLLOUT, 0};
    while (taken < (64u << 20) && ::poll(&writable, 1, 200) == 1) taken += client.try_send(many);
    CHECK(taken < (32u << 20));
    server.send(kPacked);
    std::size_t heard = 0;
    while (heard + kAction.size() <= taken) {
      const Buffer some = server.read_some();
      if (some.empty()) break;
      heard += some.size();
    }
    CHECK(taken - heard < kAction.size());
  }
  SUBCASE("the server's dialect is unknown if it sends too much, or nothing that is known") {
    server.send(Buffer(4096, 77));
    CHECK(client.read_all().empty());
    CHECK(running.ended(Reason::kDialectUnknown));
  }
}

}  // namespace
}  // namespace entente::testing::detection_test
