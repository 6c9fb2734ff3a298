// An ENet client and an ENet server of the toy game, on a loop that the test runs.
#pragma once

#include <utility>

#include "tests/relay/bridging.h"
#include "tests/relay/enet_peers.h"

namespace entente::testing {

constexpr std::uint32_t kBig = 70;  // connect data of the first dialect
constexpr std::size_t kMostPackets = 1U << 20U;

/// A client and a server on one loop.
struct Yard : Turning {
  explicit Yard(net::Schedule::Clock nanos = net::Loop::clock())
      : Turning(std::move(nanos)), client(loop), server(loop) {}
  ~Yard() override {
    client.host.close();
    server.host.close();
  }
  net::Address serve() {
    const auto bound = server.host.listen(loopback(), {4, 2, false, kMostPackets});
    REQUIRE(bound.ok());
    return *bound;
  }
  void knock(const net::Address& acceptor, std::uint32_t data = kBig) {
    if (!client.host.is_open()) REQUIRE(client.host.open({4, 1, false, kMostPackets}).ok());
    client.peer = client.host.connect(acceptor, 1, data);
  }
  void join(const net::Address& acceptor) {
    knock(acceptor);
    until([&] { return client.ups > 0; });
  }
  /// Sends without waiting for until().
  void say(End& from, const Buffer& bytes, EnetDelivery how = EnetDelivery::kReliable) {
    REQUIRE(from.peer);
    CHECK(from.host.send(*from.peer, 0, EnetPacket(bytes, how)));
    uv_run(loop.raw(), UV_RUN_NOWAIT);
  }
  /// Reads `size` bytes from a TCP stream while the loop runs; fewer if the stream ends.
  Buffer read(const Stream& from, std::size_t size) {
    Buffer all;
    while (all.size() < size) {
      until([&] { return from.readable(0); });
      const Buffer some = from.read_some(size - all.size());
      if (some.empty()) break;
      append(all, some);
    }
    return all;
  }

  End client, server;
};

}  // namespace entente::testing
