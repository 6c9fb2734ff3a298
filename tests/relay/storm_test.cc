// Crowds of clients that connect and never go on: they cost a bounded amount of memory, which is released, and players
// do not notice. ENTENTE_STORM=5000 makes the crowds larger.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "adapters/aos/aos.h"
#include "adapters/ogar/ogar.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/enet_speech.h"
#include "tests/relay/toy.h"
#include "tests/support/heap.h"

namespace entente::testing::storm_test {
namespace {

std::size_t crowd() {
  const char* wanted = std::getenv("ENTENTE_STORM");
  return wanted ? std::strtoul(wanted, nullptr, 10) : 300;
}

std::size_t descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

Limits patient_for(std::uint32_t milliseconds) {
  Limits limits = no_limits();
  limits.greet_ms = limits.connect_ms = milliseconds;
  return limits;
}

/// The memory and descriptors that a crowd costs, and whether they are released.
struct Cost {
  explicit Cost(const Running& its) : running(its), files(descriptors()), bytes(bytes_in_use()) {}

  void check_while(std::size_t people) const {
    const std::size_t now = bytes_in_use(), grown = now > bytes ? now - bytes : 0;
    MESSAGE(people << " clients took " << grown << " bytes, " << grown / people << " each");
    CHECK(grown / people < 6 * 1024);
  }
  /// REQUIRES: the crowd's own descriptors are closed.
  void check_after() const {
    CHECK(eventually([&] { return descriptors() <= files; }));
    CHECK(eventually([&] { return bytes_in_use() < bytes + 64 * 1024; }));
  }

  const Running& running;
  const std::size_t files, bytes;
};

void storm_streams(const Running& running, std::string_view beginning, const std::function<void()>& play) {
  const std::uint64_t before = running.totals().by(relay::Reason::kGreetTimeout), people = crowd();
  const Cost cost(running);
  {
    std::vector<Stream> all;
    all.reserve(people);
    for (std::size_t i = 0; i < people; ++i) {
      all.push_back(Stream::to(running.address));
      if (!beginning.empty()) all.back().send(beginning);
      if (i % 50 == 0) play();
    }
    CHECK(eventually([&] { return descriptors() >= cost.files + 2 * people; }));  // the crowd's and the relay's
    cost.check_while(people);
    play();
    CHECK(eventually([&] { return running.totals().by(relay::Reason::kGreetTimeout) >= before + people; }));
  }
  cost.check_after();
  play();
}

TEST_CASE("storm: connections that never greet, over TCP") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address(), patient_for(1500));
  Pair pair(running, fake);
  const auto play = [&] {
    pair.client.send(frame("still here"));
    CHECK(pair.server.read(12) == frame("still here"));
  };
  for (const std::string_view beginning : {"", "TO"}) storm_streams(running, beginning, play);
  CHECK(running.totals().current_sessions() == 1);
}

TEST_CASE("storm: HTTP upgrades that never end") {
  FakeServer fake;
  Running running(ogar::game(), fake.address(), patient_for(1500));
  for (const std::string_view beginning : {"", "GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nX-Slow: "})
    storm_streams(running, beginning, [] {});
  CHECK(running.empty());
  CHECK(!fake.called(0));
}

TEST_CASE("storm: connects over ENet that are never acknowledged leave room for others, in both modes") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    CAPTURE(static_cast<int>(mode));
    Limits limits = patient_for(1500);
    limits.sessions = 20;  // and ENet has 84 places
    Scene scene(aos::game(), limits, mode);
    scene.join(3);
    const std::size_t people = crowd();
    const Cost cost(scene.running);
    {
      std::vector<Datagrams> forgers;
      for (int i = 0; i < 20; ++i) forgers.emplace_back(loopback());
      for (std::size_t i = 0; i < people; ++i) {
        forgers[i % forgers.size()].send(scene.running.address, connect_datagram(static_cast<std::uint32_t>(9000 + i)));
        if (i % 20 == 0) uv_run(scene.loop.raw(), UV_RUN_NOWAIT);
      }
      scene.client.say(0, "030001", EnetDelivery::kReliable);
      scene.until([&] { return scene.server.heard("0/1 030001"); });
      if (mode == EnetMode::kPackets) {  // with datagrams, the server itself has few places
        End other(scene.loop);
        REQUIRE(other.host.open({1, 1, true, 1U << 20U}).ok());
        other.host.connect(scene.running.address, 1, 3);
        scene.until([&] { return other.ups == 1 && scene.server.ups == 2; });
        other.host.close();
      }
      cost.check_while(people);
    }
    if (mode == EnetMode::kDatagrams) {
      scene.until([&] { return scene.running.totals().current_sessions() == 1; });
      cost.check_after();
    }
    CHECK(scene.client.peer != nullptr);
  }
}

}  // namespace
}  // namespace entente::testing::storm_test
