// A game whose messages are texts says them in text frames by WebSocket, as browsers want them; others in binary ones.
#include <doctest/doctest.h>

#include "adapters/native/native.h"
#include "tests/relay/bridging.h"

namespace entente::testing::bridge_text_test {
namespace {

/// A native client by WebSocket in front of a toy server.
class Native : public Serving {
 public:
  Native(const net::Address& server, std::size_t dialect) : Serving(1) {
    relay::RelayOptions options;
    options.game = native::game().over_web();
    options.server_dialect = 0;
    options.listen = loopback();
    options.bridge = toy_bridge(*options.game, toy::stream());
    options.bridge->front = [dialect](std::size_t) { return native::faces().front({dialect, {}}); };
    serve(std::move(options), server, no_limits(), nullptr, dialect);
  }
};

TEST_CASE("native's JSON is text, its protobuf binary; a client may send either kind of frame") {
  for (const std::size_t dialect : {0U, 1U}) {
    FakeServer fake;
    Native running(fake.address(), dialect);
    WebClient client(running.address);
    client.upgrade();
    const std::string you = client.next();
    if (dialect == 0) {
      CHECK(you.starts_with("b:"));
      continue;
    }
    CHECK(you.starts_with("t:" + to_hex(as_bytes("{"))));
    client.send(net::Opcode::kText, as_bytes(R"({"enter":{"name":"a"}})"));
    const Stream server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    server.send(kWelcome);
    client.send(net::Opcode::kBinary, as_bytes(R"({"say":{"text":"hi"}})"));
    CHECK(server.read(4) == frame("hi", toy::kSay));
    server.send(frame("ho", toy::kSay));
    std::string next = client.next();
    while (next.find(to_hex(as_bytes("ho"))) == std::string::npos) {
      CHECK(next.starts_with("t:"));
      next = client.next();
      REQUIRE(next != "end");
    }
  }
}

}  // namespace
}  // namespace entente::testing::bridge_text_test
