// A bridge between two toy games. It runs on its own thread; the test acts as the client and the server.
#pragma once

#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"
#include "tests/support/toy_faces.h"

namespace entente::testing {

/// A frame with one byte of payload.
inline Buffer point(std::uint8_t number) { return {1, toy::kPoint, number}; }

inline relay::BridgeOptions toy_bridge(const wire::Game& front, const wire::Game& back) {
  relay::BridgeOptions bridge;
  bridge.server_game = &back;
  bridge.chat.burst = 100'000;  // tests send much more chat than people do
  bridge.front = [&front](std::size_t) { return toy::make_front(front); };
  bridge.back = [&back](std::size_t) { return toy::make_back(back); };
  return bridge;
}

class Bridging : public Serving {
 public:
  Bridging(const wire::Game& front, const wire::Game& back, const net::Address& server, Limits limits = no_limits(),
           std::size_t workers = 1, relay::Tap* tap = nullptr, std::optional<std::size_t> server_dialect = 0)
      : Serving(workers) {
    relay::RouteOptions options;
    options.game = &front;
    options.servers[0].dialect = server_dialect;
    options.listen = loopback();
    options.bridge = toy_bridge(front, back);
    serve(std::move(options), server, limits, tap);
  }
};

/// A client and a server over TCP that have exchanged greetings.
struct BridgedPair {
  BridgedPair(const Bridging& running, const FakeServer& fake, const net::Address* from = nullptr,
              int receive_buffer = 0)
      : client(Stream::to(running.address, from, receive_buffer)) {
    client.send(kHello);
    CHECK(client.read_text(4) == kWelcome);
    server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    server.send(kWelcome);
  }
  Stream client, server;
};

}  // namespace entente::testing
