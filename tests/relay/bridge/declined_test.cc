// Bridges whose peers ask for what there is not: a WebSocket server that declines, a request that is not an upgrade, a
// dialect without a front or a back, and paths that lead to servers of their own.
#include <doctest/doctest.h>

#include "tests/relay/enet_yard.h"
#include "tests/relay/in_shared_room.h"

namespace entente::testing::declined_test {
namespace {

using relay::Reason;

TEST_CASE("a bridge's WebSocket server that declines is lost, and the log has its words") {
  FakeServer fake;
  Bridging bridge(toy::stream(), toy::messages(), fake.address());
  const Stream client = Stream::to(bridge.address);
  client.send(kHello);
  const WebServer server(fake);
  server.send_raw("HTTP/1.1 403 No\r\nContent-Length: 10\r\n\r\nnot\ttoday!");
  CHECK(bridge.ended(Reason::kServerDeclined));
  CHECK(bridge.heard.line("it answered 403 to a WebSocket's request"));
  CHECK(as_text(client.read_all()).starts_with(kWelcome));
}

TEST_CASE("a bridge answers requests that are no WebSocket's with an error, and its server is not called") {
  FakeServer fake;
  Bridging bridge(toy::messages(), toy::stream(), fake.address());
  const auto status = [&](const std::string& request) {
    const Stream client = Stream::to(bridge.address);
    client.send(request);
    return client.read_text(12);
  };
  CHECK(status("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n") == "HTTP/1.1 426");
  const std::string upgrade =
      "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
      "dGhlIHNhbXBsZSBub25jZQ==\r\n";
  CHECK(status(upgrade + "Sec-WebSocket-Version: 12\r\n\r\n") == "HTTP/1.1 426");
  CHECK(bridge.ended(Reason::kBadRequest));
  bridge.set_draining(true);
  CHECK(status(upgrade + "Sec-WebSocket-Version: 13\r\n\r\n") == "HTTP/1.1 503");
  CHECK(bridge.ended(Reason::kDraining));
  CHECK_FALSE(fake.called(0));
}

class Faceless final : public Serving {
 public:
  Faceless(const net::Address& server, const relay::BridgeOptions& bridge) : Serving(1) {
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.servers[0].dialect = 1;
    options.listen = loopback();
    options.bridge = bridge;
    serve(std::move(options), server, no_limits(), nullptr);
  }
};

TEST_CASE("a client or a server whose dialect cannot be bridged is refused, and the log says what can") {
  const FakeServer fake;
  relay::BridgeOptions no_front = toy_bridge(toy::stream(), toy::stream()), no_back = no_front;
  no_front.front = [](std::size_t) { return nullptr; };
  no_back.back = [](std::size_t) { return nullptr; };
  {
    Faceless bridge(fake.address(), no_front);
    const Stream client = Stream::to(bridge.address);
    client.send(kHello);
    CHECK(bridge.ended(Reason::kClientDialect));
    CHECK(bridge.heard.line("a client speaks toy big, which cannot be bridged yet"));
  }
  Faceless bridge(fake.address(), no_back);
  const Stream client = Stream::to(bridge.address);
  client.send(kHello);
  CHECK(bridge.ended(Reason::kDialectMismatch));
  CHECK(bridge.heard.line("the server speaks toy little, which cannot be bridged yet"));
}

TEST_CASE("a shared room refuses a client whose dialect has no front") {
  InSharedRoom room(no_limits(), 1, nullptr, 0, nullptr, [](std::size_t) { return nullptr; });
  const Stream client = Stream::to(room.at[0]);
  client.send(kHello);
  CHECK(room.ended(Reason::kBadRequest));
  CHECK(room.heard.line("a client speaks toy big, which has no front yet"));
}

TEST_CASE("bridges on one listener: a client plays on the server of its path") {
  FakeServer first, second;
  PathRoutes routes;
  routes.options.game = &toy::messages();
  routes.options.servers[0].dialect = 0;
  routes.options.bridge = toy_bridge(toy::messages(), toy::stream());
  routes.add("/first", first);
  const std::size_t other = routes.add("/second", second);
  std::thread thread([&] { routes.server.run(); });
  WebClient client(routes.options.listen, "/second");
  client.upgrade();
  const Stream server = second.accept();
  CHECK(server.read_text(4) == kHello);
  server.send(kWelcome);
  client.send(net::Opcode::kBinary, frame("hi", toy::kSay));
  CHECK(server.read_text(4) == said("hi"));
  CHECK(routes.server.totals(other).current_sessions() == 1);
  CHECK_FALSE(first.called(0));
  routes.server.stop();
  thread.join();
}

}  // namespace
}  // namespace entente::testing::declined_test
