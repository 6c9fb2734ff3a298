// A client that breaks the framing of its game or a limit is refused by its game's protocol, for one reason, which is
// counted and logged. Other clients are not affected.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/bzflag/bzflag.h"
#include "tests/relay/bridging.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::limits_test {
namespace {

using relay::Reason;

TEST_CASE("garbage before the greeting never reaches the server") {
  FakeServer fake(true);
  Running running(bzflag::game(), fake.address());
  const Stream client = Stream::to(running.address);
  client.send("SSH-2.0-x\r\n\r\n");
  const Buffer answer = client.read_all();
  CHECK(as_text(answer).find(
            "REFUSED:your game sent data that the server does not understand: wrong greeting in header") !=
        std::string_view::npos);
  CHECK(running.ended(Reason::kBadFrame));
  CHECK(running.heard.line("bad frame: wrong greeting/header at 0"));
  CHECK(!fake.called(0));
}

TEST_CASE("a frame that is too large is refused as soon as its length is known, with its offset") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  Pair pair(running, fake);
  const Buffer good = frame("good");
  pair.client.send(good);
  CHECK(pair.server.read(good.size()) == good);
  pair.client.send("\xff");
  CHECK(as_text(pair.client.read_all()) == kGoodbye);
  CHECK(pair.server.read_all().empty());
  CHECK(running.heard.line("bad frame: frame too large/length at " + std::to_string(4 + good.size())));
  CHECK(running.totals().by(Reason::kBadFrame) == 1);
  CHECK(running.totals().refused() == 1);
  CHECK(running.tapped.record(1).closed == "bad frame: frame too large in length");
}

TEST_CASE("a greeting must be complete in time, also byte by byte") {
  Limits limits = no_limits();
  limits.greet_ms = 300;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  const Stream silent = Stream::to(running.address), slow = Stream::to(running.address);
  slow.send("TO");
  CHECK(as_text(silent.read_all()) == kGoodbye);
  CHECK(as_text(slow.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kGreetTimeout, 2));
  CHECK(!fake.called(0));
}

TEST_CASE("sessions are limited in total and for one address") {
  Limits limits = no_limits();
  FakeServer fake(true);
  const net::Address other = *net::Address::parse("127.0.0.2", 0);
  SUBCASE("in total") {
    limits.sessions = 2;
    Running running(toy::game(), fake.address(), limits);
    Pair one(running, fake), two(running, fake, &other);
    const Stream third = Stream::to(running.address);
    CHECK(as_text(third.read_all()) == kGoodbye);
    CHECK(running.ended(Reason::kTooMany));
    one.client.close();
    one.server.close();
    CHECK(eventually([&] { return running.totals().current_sessions() == 1; }));
    Pair again(running, fake);
  }
  SUBCASE("from one address") {
    limits.sessions_per_address = 2;
    Running running(toy::game(), fake.address(), limits);
    Pair one(running, fake), two(running, fake);
    const Stream third = Stream::to(running.address);
    CHECK(as_text(third.read_all()) == kGoodbye);
    CHECK(running.ended(Reason::kTooManyFromAddress));
    Pair neighbour(running, fake, &other);
  }
}

TEST_CASE("a client that connects too often is refused, and admitted a second later") {
  Limits limits = no_limits();
  limits.connects_per_second = 5;
  limits.connects_burst = 3;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  std::vector<Stream> crowd;
  for (int i = 0; i < 20; ++i) crowd.push_back(Stream::to(running.address));
  CHECK(eventually([&] { return running.totals().begun + running.totals().by(Reason::kTooFast) == 20; }));
  CHECK(running.totals().by(Reason::kTooFast) >= 12);
  crowd.clear();
  CHECK(eventually([&] {
    Stream::to(running.address).send(kHello);
    return fake.called(50);
  }));
}

TEST_CASE("changed limits hold for new sessions") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  Pair one(running, fake), two(running, fake);
  Limits limits = no_limits();
  limits.sessions = 1;
  running.set_rules({limits, {}});
  CHECK(eventually([&] {
    Stream::to(running.address).finish();
    return running.totals().by(Reason::kTooMany) > 0;
  }));
  one.client.send(frame("on"));
  CHECK(one.server.read(4) == frame("on"));
}

TEST_CASE("a client that sends faster than its limits is delayed, and loses nothing") {
  Limits limits = no_limits();
  limits.messages_per_second = 200;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  Pair pair(running, fake);
  const auto began = std::chrono::steady_clock::now();
  Buffer all;
  for (int i = 0; i < 100; ++i) append(all, frame("x"));
  std::thread client([&] {
    for (int i = 0; i < 6; ++i) {
      pair.client.send(all);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  CHECK(pair.server.read(6 * all.size()).size() == 6 * all.size());
  client.join();
  // 600 messages: 400 at once, the last hundred after the rate has paid for the ones before.
  CHECK(std::chrono::steady_clock::now() - began > std::chrono::milliseconds(400));
  CHECK(running.totals().throttled >= 1);
}

TEST_CASE("an idle session ends, and so does a half-closed one") {
  Limits limits = no_limits();
  FakeServer fake(true);
  SUBCASE("idle") {
    limits.idle_ms = 300;
    Running running(toy::game(), fake.address(), limits);
    Pair pair(running, fake);
    CHECK(as_text(pair.client.read_all()) == kGoodbye);
    CHECK(pair.server.read_all().empty());
    CHECK(running.ended(Reason::kIdle));
  }
  SUBCASE("half closed") {
    limits.half_closed_ms = 300;
    Running running(toy::game(), fake.address(), limits);
    Pair pair(running, fake);
    pair.client.finish();
    CHECK(pair.server.read_all().empty());
    CHECK(running.ended(Reason::kHalfClosed));
    CHECK(as_text(pair.client.read_all()) == kGoodbye);
  }
}

TEST_CASE("a peer that does not read the bytes that wait for it is dropped") {
  Limits limits = no_limits();
  limits.stall_ms = 400;
  limits.linger_ms = 200;
  limits.high_water = 64 * 1024;
  limits.low_water = 16 * 1024;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  Pair pair(running, fake, nullptr, 4096);
  const Buffer piece = frames(64 * 1024, 9);
  std::size_t offset = 0;
  CHECK(eventually([&] {
    offset = (offset + pair.server.try_send(Bytes(piece).subspan(offset))) % piece.size();
    return running.totals().by(Reason::kClientStalled) == 1;
  }));
  CHECK(running.empty());
}

TEST_CASE("what waits for one address is limited: its slowest clients go, and those of other addresses stay") {
  Limits limits = no_limits();
  limits.linger_ms = 200;
  limits.stall_ms = 0;
  limits.high_water = 256 * 1024;
  limits.low_water = 16 * 1024;
  limits.address_waiting_bytes = 1024 * 1024;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  const auto at = [](const char* ip) { return *net::Address::parse(ip, 0); };
  const net::Address crowd = at("127.0.0.9"), other = at("127.0.0.8");
  std::vector<std::unique_ptr<Pair>> slow;
  Pair honest(running, fake, &other, 4096);
  Pair reads(running, fake, &crowd);  // of the same address, but it reads
  for (int i = 0; i < 20; ++i) slow.push_back(std::make_unique<Pair>(running, fake, &crowd, 4096));
  const Buffer piece = frames(64 * 1024, 9);
  std::vector<std::size_t> offsets(slow.size() + 1);
  const auto push = [&](const Pair& to, std::size_t& offset) {
    offset = (offset + to.server.try_send(Bytes(piece).subspan(offset))) % piece.size();
  };
  CHECK(eventually([&] {
    for (std::size_t i = 0; i < slow.size(); ++i) push(*slow[i], offsets[i]);
    push(honest, offsets.back());
    return running.totals().by(Reason::kAddressStalled) >= slow.size() - 4;
  }));
  CHECK(running.totals().by(Reason::kAddressStalled) <= slow.size() - 2);
  CHECK(running.heard.line("too much waits for its address"));
  const Buffer good = frame("good");
  reads.server.send(good);
  CHECK(reads.client.read(good.size()) == good);
  honest.client.send(good);
  CHECK(honest.server.read(good.size()) == good);
}

TEST_CASE("the stall time of a peer starts when something waits for it") {
  Limits limits = no_limits();
  limits.stall_ms = 500;
  limits.linger_ms = 200;
  limits.high_water = limits.low_water = 16 * 1024;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  Pair pair(running, fake, nullptr, 4096);
  const Buffer piece = frames(56 * 1024, 9);
  for (int i = 0; i < 2; ++i) pair.server.send(piece);  // the kernel accepts that much, and part of the next
  CHECK(!pair.server.readable(700));
  CHECK(running.totals().by(Reason::kClientStalled) == 0);
  const auto began = std::chrono::steady_clock::now();
  std::size_t offset = 0;
  CHECK(eventually([&] {
    offset = (offset + pair.server.try_send(Bytes(piece).subspan(offset))) % piece.size();
    return running.totals().by(Reason::kClientStalled) == 1;
  }));
  CHECK(std::chrono::steady_clock::now() - began > std::chrono::milliseconds(450));
}

TEST_CASE("a client for which something waits all the time is not dropped while it reads") {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  Limits limits = no_limits();
  limits.stall_ms = 2'000;
  limits.high_water = 1024 * 1024;  // more than the kernel takes at once
  limits.low_water = 512 * 1024;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits);
  const Pair pair(running, fake, nullptr, 32 * 1024);
  const Buffer piece = frames(64 * 1024, 9);
  std::size_t offset = 0;
  const auto push = [&] { offset = (offset + pair.server.try_send(Bytes(piece).subspan(offset))) % piece.size(); };
  Clock::time_point last = Clock::now();
  Clock::duration longest{};  // in which it read nothing: on a busy machine, that may be too long
  const auto lasts = [&] {
    const auto now = Clock::now();
    longest = std::max(longest, now - std::exchange(last, now));
    return longest < milliseconds(1'000);
  };
  while (running.totals().stalls == 0 && Clock::now() - last < milliseconds(1'000)) push();
  const auto began = Clock::now();
  std::size_t heard = 0;
  while (lasts() && last < began + milliseconds(3'000)) {
    push();
    if (heard > 2'000 * static_cast<std::size_t>((last - began) / milliseconds(1))) {  // slower than the relay
      (void)pair.server.readable(1);
      continue;
    }
    const Buffer some = pair.client.read_some(16 * 1024);
    if (some.empty()) break;
    heard += some.size();
  }
  if (lasts()) CHECK(running.totals().by(Reason::kClientStalled) == 0);
}

/// A client that reads nothing, and a server whose bytes fill all buffers up to it: the relay has stopped reading.
struct Jam {
  static Limits narrow() {
    Limits limits = no_limits();
    limits.high_water = 64 * 1024;
    limits.low_water = 16 * 1024;
    limits.linger_ms = kPatience;
    return limits;
  }

  Jam() {
    CHECK(eventually([&] {
      push();
      return running.totals().stalls > 0;
    }));
    while (push()) continue;
    REQUIRE(sent > passed() + 128 * 1024);  // the relay discards up to 64 KiB of a peer that keeps sending
  }
  bool push() {
    const Bytes rest = Bytes(piece).subspan(sent % piece.size());
    const std::size_t n = pair.server.try_send(rest.first(std::min<std::size_t>(rest.size(), 10'007)));
    sent += n;
    return n != 0;
  }
  std::uint64_t passed() const { return running.totals().to_client.bytes - kWelcome.size(); }
  Buffer first(std::uint64_t bytes) const {
    Buffer all;
    while (all.size() < bytes) append(all, piece);
    all.resize(bytes);
    return all;
  }

  // 197 bytes each: hardly any read ends at the end of a frame.
  const Buffer piece = [] {
    Buffer all;
    for (std::uint8_t i = 0; i < 255; ++i) append(all, frame(std::string(195, static_cast<char>(i))));
    return all;
  }();
  FakeServer fake{true};
  Running running{toy::game(), fake.address(), narrow()};
  Pair pair{running, fake, nullptr, 4096};
  std::size_t sent = 0;
};

TEST_CASE("bytes accepted for a slow client reach it, then the goodbye, although its server keeps sending") {
  Jam jam;
  CHECK(jam.running.kick(1, ""));
  CHECK(eventually([&] {  // the server's connection is closed
    jam.push();
    pollfd one{jam.pair.server.fd(), 0, 0};
    return ::poll(&one, 1, 0) == 1;
  }));
  Buffer expected = jam.first(jam.passed());
  append(expected, as_bytes(kGoodbye));
  CHECK((jam.pair.client.read_all() == expected));
  CHECK(jam.running.ended(Reason::kKicked));
}

TEST_CASE("half a frame is not passed on while we have not read the rest") {
  Jam jam;
  const std::uint64_t passed = jam.passed();
  CHECK(!jam.pair.server.readable(2'500));  // longer than a server may take for a frame
  CHECK(jam.passed() == passed);
  const std::size_t more = passed + 10'000;  // bytes that were not passed on yet
  CHECK((jam.pair.client.read(more) == jam.first(more)));
}

TEST_CASE("a server that does not answer is given up") {
  Limits limits = no_limits();
  limits.connect_ms = 400;
  // A listener whose queue is full drops every SYN.
  net::Fd full(::socket(AF_INET, SOCK_STREAM, 0));
  const net::Address any = loopback();
  REQUIRE(::bind(full.get(), any.raw(), any.size()) == 0);
  REQUIRE(::listen(full.get(), 0) == 0);
  const net::Address address = net::local_address(full.get());
  const Stream filler = Stream::to(address);
  Running running(toy::game(), address, limits);
  const Stream client = Stream::to(running.address);
  client.send(kHello);
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kServerTimeout));
}

TEST_CASE("a storm of connections that reset at once affects nobody") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), no_limits(), 2);
  Pair pair(running, fake);
  constexpr int kRounds = 40, kCrowd = 50;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Stream> crowd;
    for (int i = 0; i < kCrowd; ++i) crowd.push_back(Stream::to(running.address));
    for (std::size_t i = 0; i < crowd.size(); ++i) {
      if (i % 3 == 1) (void)crowd[i].try_send(as_bytes("TO"));
      i % 2 ? crowd[i].reset() : crowd[i].close();
    }
    pair.client.send(frame("calm"));
    REQUIRE(pair.server.read(6) == frame("calm"));
    pair.server.send(frame("too"));
    REQUIRE(pair.client.read(5) == frame("too"));
  }
  // The last of the crowd may be accepted late: the sums are taken together.
  relay::Totals totals;
  const auto all_gone = [&] {
    totals = running.totals();
    const auto gone = totals.by(Reason::kClientLeft) + totals.by(Reason::kClientReset);
    return totals.current_sessions() == 1 && gone == totals.begun - 1;
  };
  CHECK(eventually(all_gone));
  CHECK(totals.by(Reason::kClientLeft) + totals.by(Reason::kClientReset) == totals.begun - 1);
  CHECK(running.heard.lines().size() < 50);
  CHECK(totals.held_back_lines > 1000);
  CHECK(!fake.called(0));  // none of them reached the server
}

TEST_CASE("of a crowd that is turned away, only the last 256 connections are kept open for a while") {
  constexpr std::size_t kCrowd = 300, kKept = 256;
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  running.set_draining(true);
  const auto open = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  };
  const std::size_t before = open();
  std::vector<Stream> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i) crowd.push_back(Stream::to(running.address));
  for (const Stream& one : crowd) CHECK(as_text(one.read_all()) == kGoodbye);
  CHECK(open() - before <= kCrowd + kKept + 1);  // and the one that is being refused
  CHECK(running.ended(Reason::kDraining, kCrowd));
  CHECK(eventually([&] { return open() - before == kCrowd; }));  // then they are all closed
}

TEST_CASE("each kind of refusal is logged at once, and those held back are logged when they stop") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  Pair pair(running, fake);
  for (int i = 0; i < 10; ++i) {
    const Stream client = Stream::to(running.address);
    client.send("GET /");
    CHECK(as_text(client.read_all()) == kGoodbye);
  }
  pair.client.send("\xff");
  CHECK(as_text(pair.client.read_all()) == kGoodbye);
  CHECK(running.ended(Reason::kBadFrame, 11));
  CHECK(running.heard.line("bad frame: frame too large"));
  CHECK(eventually([&] { return running.heard.told("bad frame: wrong greeting") == 10; }));
}

TEST_CASE("held-back lines are logged before the relay ends") {
  Limits limits = no_limits();
  limits.linger_ms = 100;
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), limits, 2);
  { const Pair one(running, fake), two(running, fake), three(running, fake), four(running, fake); }
  CHECK(running.empty());
  running.stop();
  CHECK(running.heard.told("opened ") == 4);
  CHECK(running.heard.told("client ") + running.heard.told("server ") == 4);  // left or reset
}

TEST_CASE("each failure to reach a server is logged") {
  const net::Address nobody = FakeServer().address();
  Running running(toy::game(), nobody);
  for (int i = 0; i < 5; ++i) {
    const Stream client = Stream::to(running.address);
    client.send(kHello);
    CHECK(as_text(client.read_all()) == kGoodbye);
  }
  CHECK(running.ended(Reason::kServerUnreachable, 5));
  CHECK(eventually([&] { return running.heard.told("cannot reach server " + nobody.text()) == 5; }));
}

TEST_CASE("without a free file descriptor a newcomer is turned away at once, and the others play on") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  Pair pair(running, fake);
  std::vector<net::Fd> newcomers;
  for (int i = 0; i < 5; ++i) newcomers.emplace_back(::socket(AF_INET, SOCK_STREAM, 0));
  {
    const NoFilesLeft limit;
    for (const net::Fd& one : newcomers) {
      REQUIRE(::connect(one.get(), running.address.raw(), running.address.size()) == 0);
      std::array<char, 64> said{};
      CHECK(wait_readable(one.get()));
      const ssize_t size = ::recv(one.get(), said.data(), said.size(), 0);
      CHECK(std::string_view(said.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))) == kGoodbye);
    }
    pair.client.send(frame("calm"));
    CHECK(pair.server.read(6) == frame("calm"));
  }
  CHECK(running.totals().by(Reason::kOutOfDescriptors) == 5);
  CHECK(running.heard.line("out of file descriptors"));
  Pair later(running, fake);
}

TEST_CASE("a server above its rate is read more slowly; all that it sends arrives, and the log says it once") {
  Limits limits = no_limits();
  limits.server_messages_per_second = 200;
  constexpr std::size_t kSent = 450;  // the burst is 400
  const auto slowed = [](const Serving& relay) {
    return relay.totals().throttled > 0 && relay.totals().current_sessions() == 1;
  };
  const Buffer one = frame("down", toy::kSay);
  Buffer all;
  for (std::size_t i = 0; i < kSent; ++i) append(all, one);
  SUBCASE("in a relay over TCP") {
    FakeServer fake;
    Running relay(toy::stream(), fake.address(), limits);
    const Pair pair(relay, fake);
    pair.server.send(all);
    CHECK(pair.client.read(all.size()) == all);
    CHECK(slowed(relay));
    CHECK(relay.heard.told("exceeds limits.server_messages_per_second") == 1);
  }
  SUBCASE("in a relay over WebSocket") {
    FakeServer fake;
    Running relay(toy::messages(), fake.address(), limits);
    WebPair pair(relay, fake);
    pair.client.send(net::Opcode::kBinary, one);
    for (std::size_t i = 0; i < kSent; ++i) pair.server.send(net::Opcode::kBinary, one);
    for (std::size_t i = 0; i < kSent; ++i) CHECK(pair.client.next() == "b:" + to_hex(one));
    CHECK(slowed(relay));
  }
  SUBCASE("in a bridge") {
    FakeServer fake;
    Bridging bridge(toy::stream(), toy::stream(), fake.address(), limits);
    const BridgedPair pair(bridge, fake);
    pair.server.send(all);
    CHECK(pair.client.read(all.size()) == all);
    CHECK(slowed(bridge));
  }
}

}  // namespace
}  // namespace entente::testing::limits_test
