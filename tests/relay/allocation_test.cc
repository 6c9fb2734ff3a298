// Relaying a message makes no heap allocation, by stream or by datagram, on one worker or two. A peer that never reads
// costs a bounded number of bytes.
#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "adapters/aos/aos.h"
#include "proxy/relay/tap/tap.h"
#include "tests/relay/bridging.h"
#include "tests/relay/enet_speech.h"
#include "tests/support/heap.h"
#include "tests/support/memory_file.h"

namespace entente::testing::allocation_test {
namespace {

/// Counts the bytes that it receives, and keeps nothing.
class CountingTap final : public relay::Tap, private relay::TapSink {
 public:
  relay::TapSink& sink(std::size_t) override { return *this; }
  std::size_t bytes_heard() const { return heard_; }

 private:
  void opened(const relay::LinkInfo&, WallTime) override {}
  void bytes(relay::LinkId, wire::Way, wire::Lane, Bytes bytes, WallTime) override { heard_ += bytes.size(); }
  void closed(relay::LinkId, std::string_view, WallTime) override {}
  std::atomic<std::size_t> heard_{0};
};

/// Sends `message` from `a` to `b`, `times` times, without allocations of the test itself.
bool ferry(int a, int b, Bytes message, int times) {
  std::array<std::uint8_t, 512> room;
  for (int i = 0; i < times; ++i) {
    if (::send(a, message.data(), message.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(message.size())) return false;
    if (!wait_readable(b)) return false;
    if (::recv(b, room.data(), room.size(), 0) != static_cast<ssize_t>(message.size())) return false;
  }
  return true;
}

/// Allocations of the whole program while `messages` are relayed. The least of three runs counts, because on a busy
/// machine more messages may wait than ever before, and a buffer grows.
template <class Relay>
std::size_t cost(Relay&& messages) {
  REQUIRE(messages());  // lets all buffers grow
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (int i = 0; i < 3 && least != 0; ++i) {
    const std::size_t before = allocations();
    const bool done = messages();
    least = std::min(least, allocations() - before);
    REQUIRE(done);
  }
  return least;
}

TEST_CASE("relaying a message allocates nothing") {
  CountingTap tap;
  for (const std::size_t workers : std::initializer_list<std::size_t>{1, 2}) {
    CAPTURE(workers);
    FakeServer fake(true);
    Running running(toy::game(), fake.address(), no_limits(), workers, 0, &tap);
    Pair first(running, fake), pair(running, fake);                    // with two workers, on each of them
    CHECK(running.heard.line("opened " + pair.client.here().text()));  // no later line is then held back
    const Buffer message = frame("as long as the messages of these games are, about that");
    for (Pair* one : {&first, &pair}) {
      CHECK(cost([&] { return ferry(one->client.fd(), one->server.fd(), message, 2000); }) == 0);
      CHECK(cost([&] { return ferry(one->server.fd(), one->client.fd(), message, 2000); }) == 0);
    }

    const Datagrams far = fake.take_datagrams();
    std::uint64_t sent = 0;
    for (Pair* one : {&first, &pair}) {
      const Datagrams near(one->client.here());
      const net::Address uplink = one->server.there();
      REQUIRE(::connect(near.fd(), running.address.raw(), running.address.size()) == 0);
      REQUIRE(::connect(far.fd(), uplink.raw(), uplink.size()) == 0);
      CHECK(cost([&] { return sent += 2000, ferry(near.fd(), far.fd(), message, 2000); }) == 0);
      CHECK(cost([&] { return ferry(far.fd(), near.fd(), message, 2000); }) == 0);
    }
    CHECK(sent >= 8000);  // more if a run was repeated
    CHECK(running.totals().to_server.datagrams == sent);
  }
  CHECK(tap.bytes_heard() > 8000);
}

/// Feeds a real tap, and knows how much the calling thread, a loop's, had allocated by then. For one worker.
class OnLoop final : public relay::Tap, private relay::TapSink {
 public:
  explicit OnLoop(relay::Tap& tap) : tap_(tap) {}
  relay::TapSink& sink(std::size_t worker) override {
    to_ = &tap_.sink(worker);
    return *this;
  }
  std::size_t allocated() const { return allocated_; }

 private:
  void opened(const relay::LinkInfo& info, WallTime at) override { to_->opened(info, at); }
  void bytes(relay::LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime at) override {
    to_->bytes(link, way, lane, bytes, at);
    allocated_ = allocations_here();
  }
  void closed(relay::LinkId link, std::string_view reason, WallTime at) override { to_->closed(link, reason, at); }

  relay::Tap& tap_;
  relay::TapSink* to_ = nullptr;
  std::atomic<std::size_t> allocated_{0};
};

std::unique_ptr<trace::Recorder> recorder_to_nowhere() {
  auto made = trace::Recorder::open(std::make_unique<testing::Nowhere>());
  REQUIRE(made.ok());
  return std::move(*made);
}

TEST_CASE("with the shipped tap, counting or recording, a loop's thread allocates nothing per message") {
  for (const bool recording : {false, true}) {
    CAPTURE(recording);
    relay::TapThread shipped({.recorder = recording ? recorder_to_nowhere() : nullptr});
    OnLoop tap(shipped);
    {
      FakeServer fake(true);
      Running running(toy::game(), fake.address(), no_limits(), 1, 0, &tap);
      Pair pair(running, fake);
      const Datagrams near(pair.client.here()), far = fake.take_datagrams();
      const net::Address uplink = pair.server.there();
      REQUIRE(::connect(near.fd(), running.address.raw(), running.address.size()) == 0);
      REQUIRE(::connect(far.fd(), uplink.raw(), uplink.size()) == 0);
      const Buffer message = frame("as long as the messages of these games are, about that");
      const auto all_ways = [&](int times) {
        return ferry(pair.client.fd(), pair.server.fd(), message, times) &&
               ferry(pair.server.fd(), pair.client.fd(), message, times) &&
               ferry(near.fd(), far.fd(), message, times) && ferry(far.fd(), near.fd(), message, times);
      };
      REQUIRE(all_ways(10));  // lets all buffers grow
      std::size_t fewest = std::numeric_limits<std::size_t>::max();
      for (int run = 0; run < 3 && fewest != 0; ++run) {  // the worker's first tick allocates, and may be in a run
        const std::size_t before = tap.allocated();
        REQUIRE(all_ways(4000));
        fewest = std::min(fewest, tap.allocated() - before);
      }
      CHECK(fewest == 0);
    }
    REQUIRE(shipped.stop().ok());
    CHECK(shipped.totals().dropped == 0);
    CHECK(shipped.totals().frames >= 4 * 4000);
    if (recording) CHECK(shipped.totals().recorded_frames >= 4 * 4000);
  }
}

TEST_CASE("bridging a frequent word allocates nothing, by stream or by datagram") {
  CountingTap tap;
  FakeServer fake(true);
  Bridging running(toy::game(), toy::game(), fake.address(), no_limits(), 1, &tap);
  const net::Address from = free_for_both();
  const BridgedPair pair(running, fake, &from);
  const Datagrams near(from), far = fake.take_datagrams();
  const net::Address uplink = pair.server.there();
  REQUIRE(::connect(near.fd(), running.address.raw(), running.address.size()) == 0);
  REQUIRE(::connect(far.fd(), uplink.raw(), uplink.size()) == 0);
  pair.server.send(frame("!", toy::kSay));  // the server has greeted our back
  CHECK(pair.client.read(3).size() == 3);

  const Buffer message = point(1);
  CHECK(cost([&] { return ferry(pair.client.fd(), far.fd(), message, 2000); }) == 0);
  CHECK(cost([&] { return ferry(pair.server.fd(), pair.client.fd(), message, 2000); }) == 0);
  CHECK(cost([&] { return ferry(near.fd(), far.fd(), message, 2000); }) == 0);
  CHECK(cost([&] { return ferry(far.fd(), near.fd(), message, 2000); }) == 0);
  CHECK(tap.bytes_heard() > 4 * 4000 * 3);
}

TEST_CASE("passing an ENet datagram allocates nothing") {
  CountingTap tap;
  const Datagrams near(loopback()), far(loopback());
  Running running(aos::game(), far.here(), no_limits(), 1, 0, &tap, {}, relay::EnetMode::kDatagrams);
  near.send(running.address, connect_datagram(77));
  const auto asked = far.receive();
  CHECK(asked.bytes == connect_datagram(77));
  far.send(asked.from, verify_datagram(77));
  CHECK(near.receive().bytes == verify_datagram(77));
  REQUIRE(::connect(near.fd(), running.address.raw(), running.address.size()) == 0);
  REQUIRE(::connect(far.fd(), asked.from.raw(), asked.from.size()) == 0);
  REQUIRE(ferry(near.fd(), far.fd(), proof_datagram(), 1));
  const Buffer message = from_hex("9002 1234 86000007 0003 030001");
  CHECK(cost([&] { return ferry(near.fd(), far.fd(), message, 2000); }) == 0);
  CHECK(cost([&] { return ferry(far.fd(), near.fd(), message, 2000); }) == 0);
  CHECK(tap.bytes_heard() > 8000 * message.size());
}

TEST_CASE("a peer that never reads makes us stop reading the other, within a bound") {
  Limits limits = no_limits();
  limits.high_water = 128 * 1024;
  limits.low_water = 32 * 1024;
  FakeServer fake(true);
  CountingTap tap;
  Running running(toy::game(), fake.address(), limits, 1, 0, &tap);
  Pair pair(running, fake, nullptr, 4096);
  const Buffer piece = frames(64 * 1024, 9);
  most_bytes();
  const std::size_t before = bytes_in_use();

  // Until the server could not send for a while.
  std::size_t taken = 0, offset = 0;
  pollfd writable{pair.server.fd(), POLLOUT, 0};
  while (taken < (256u << 20) && ::poll(&writable, 1, 300) == 1) {
    const std::size_t n = pair.server.try_send(Bytes(piece).subspan(offset));
    taken += n;
    offset = (offset + n) % piece.size();
  }
  const std::size_t grown = most_bytes() - before;
  MESSAGE("server sent " << taken << " bytes, the relay's heap grew by " << grown);
  CHECK(taken < (64u << 20));  // the rest is in the kernel's buffers
  // At most the high-water mark and one read wait; while the buffer grows by an eighth, the old one exists beside it.
  CHECK(grown < (limits.high_water + 64 * 1024) * 17 / 8 + 16 * 1024);
  CHECK(running.totals().stalls >= 1);

  // Nothing of it is lost.
  Buffer room(64 * 1024);
  std::size_t read = 0;
  bool same_bytes = true;
  while (read < taken) {
    const ssize_t n = wait_readable(pair.client.fd()) ? ::recv(pair.client.fd(), room.data(), room.size(), 0) : 0;
    if (n <= 0) break;
    for (ssize_t i = 0; i < n; ++i)
      same_bytes &= room[static_cast<std::size_t>(i)] == piece[(read + static_cast<std::size_t>(i)) % piece.size()];
    read += static_cast<std::size_t>(n);
    if (taken - read < 200) break;  // an incomplete frame is kept until it is whole
  }
  CHECK(same_bytes);
  CHECK(taken - read < 200);
}

}  // namespace
}  // namespace entente::testing::allocation_test
