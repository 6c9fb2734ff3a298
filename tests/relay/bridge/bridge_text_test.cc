// A game whose messages are texts uses text frames over WebSocket, as browsers want; others use binary ones.
#include <doctest/doctest.h>

#include "adapters/native/native.h"
#include "proxy/relay/ends/web_request.h"
#include "tests/relay/bridging.h"

namespace entente::testing::bridge_text_test {
namespace {

/// A native client by WebSocket in front of a toy server.
class Native : public Serving {
 public:
  Native(const net::Address& server, std::size_t dialect) : Serving(1) {
    relay::RouteOptions options;
    options.game = native::game().over_web();
    options.servers[0].dialect = 0;
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

TEST_CASE("a client that sends an invalid frame is closed with the matching code of RFC 6455") {
  struct Row {
    const char* what;
    std::size_t dialect;
    net::Opcode opcode;
    Buffer message;
    const char* told;
  };
  const auto text = [](std::string_view chars) { return Buffer(as_bytes(chars).begin(), as_bytes(chars).end()); };
  const Row rows[] = {
      {"bytes that are no text", 1, net::Opcode::kText, from_hex("7b22c3287d"), "close:1007 a text that is not UTF-8"},
      {"no JSON", 1, net::Opcode::kText, text("{\"enter\""), "close:1007 "},
      {"no JSON, in a binary frame", 1, net::Opcode::kBinary, text("{\"enter\""), "close:1007 "},
      {"no protobuf", 0, net::Opcode::kBinary, from_hex("ffffffffff"), "close:1007 "},
      {"a text message in a binary protocol", 0, net::Opcode::kText, text("hello"), "close:1003 "},
      {"too much", 1, net::Opcode::kText, Buffer(70'000, 'x'), "close:1009 message too large"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    FakeServer fake;
    Native running(fake.address(), row.dialect);
    WebClient client(running.address);
    client.upgrade();
    client.next();  // You
    client.send(row.opcode, row.message);
    std::string next;
    do next = client.next();
    while (next.starts_with("t:") || next.starts_with("b:"));
    CHECK_MESSAGE(next.starts_with(row.told), next);
  }
  FakeServer fake;
  Native running(fake.address(), 1);
  WebClient client(running.address);
  client.upgrade();
  client.next();
  client.send_raw(from_hex("810161"));  // not masked
  std::string next;
  do next = client.next();
  while (next.starts_with("t:"));
  CHECK(next == "close:1002 not masked by a client");
}

TEST_CASE(
    "a frame that the game's cutter refuses closes the link with 1009 if it is too large, and with 1007 otherwise") {
  for (const char* what : {"message too large", "frame too large", "oversize frame"})
    CHECK(relay::content_code(Fault{what}) == 1009);
  for (const char* what : {"unknown type", "no message"}) CHECK(relay::content_code(Fault{what}) == 1007);
}

}  // namespace
}  // namespace entente::testing::bridge_text_test
