#include "proxy/net/web/websocket.h"

#include <doctest/doctest.h>

#include "tests/support/hex.h"

namespace entente::net::websocket_test {
namespace {

using Role = WebSocket::Role;

/// Records events as one line: "b:0102 close:1000 'bye' ".
struct Told final : WebSocket::User {
  std::string all;
  void message(Opcode opcode, Bytes payload) override {
    const char* const names[] = {"", "t", "b", "", "", "", "", "", "", "ping", "pong"};
    all += std::string(names[static_cast<std::size_t>(opcode)]) + ":" + to_hex(payload) + " ";
  }
  void close_frame(const CloseFrame& close_frame) override {
    all += "close:" + std::to_string(close_frame.code) + " '" + close_frame.reason + "' ";
  }
};

/// The events of a client that reads `hex` at once, and the violation, if any.
std::string heard(std::string_view hex, Role role = Role::kClient, std::size_t largest = 1000) {
  Told told;
  WebSocket socket(role, largest, told);
  const auto wrong = socket.feed(from_hex(hex));
  return told.all + (wrong ? std::string(wrong->what) + " " + std::to_string(wrong->code) : "");
}

TEST_CASE("messages, whole and in parts, with control frames between the parts") {
  CHECK(heard("8203 010203") == "b:010203 ");
  CHECK(heard("8103 616263 8200") == "t:616263 b: ");
  CHECK(heard("0201 01 8900 0002 0203 8a01ff 8000") == "ping: pong:ff b:010203 ");
  CHECK(heard("827e 0003 010203") == "malformed frame 1002");  // the length must have the shortest form
}

TEST_CASE("a server accepts masked frames only, a client unmasked ones only") {
  CHECK(heard("8183 01020304 606060", Role::kServer) == "t:616263 ");
  CHECK(heard("8103 616263", Role::kServer) == "not masked by a client 1002");
  CHECK(heard("8183 01020304 606060") == "masked by a server 1002");
}

TEST_CASE("close codes and reasons are passed on as they came, also 1012") {
  CHECK(heard("8806 03f4 72657374") == "close:1012 'rest' ");
  CHECK(heard("8800") == "close:1005 '' ");
  CHECK(heard("8802 0fa0") == "close:4000 '' ");
  CHECK(heard("8800 8201 01") == "close:1005 '' ");  // nothing is read after a close frame
  CHECK(heard("8801 03") == "close frame of one byte 1002");
  CHECK(heard("8802 03ed") == "close code out of range 1002");
  CHECK(heard("8802 03e7") == "close code out of range 1002");
  for (const char* reserved : {"03ec", "03ee", "03f7", "1388"})  // 1004, 1006, 1015, 5000
    CHECK(heard("8802 " + std::string(reserved)) == "close code out of range 1002");
  CHECK(heard("8802 03e8") == "close:1000 '' ");
  CHECK(heard("8802 1387") == "close:4999 '' ");
  CHECK(heard("8804 03e8 c328") == "close reason that is not UTF-8 1007");
}

TEST_CASE("bytes that break the rules are a violation, and nothing after them is read") {
  CHECK(heard("c201 01 8201 02") == "reserved bits set 1002");
  CHECK(heard("8301 01") == "unknown opcode 1002");
  CHECK(heard("8b01 01") == "unknown opcode 1002");
  CHECK(heard("8001 01") == "continuation without a message 1002");
  CHECK(heard("0201 01 8201 02") == "message within a message 1002");
  CHECK(heard("0901 01") == "malformed frame 1002");
  CHECK(heard("897e 007e 01") == "malformed frame 1002");
  CHECK(heard("8201 01 8301 01") == "b:01 unknown opcode 1002");
}

TEST_CASE("a message that is too large is refused before its payload is there, also in parts") {
  CHECK(heard("827e 03e9 01") == "message too large 1009");
  CHECK(heard("827f 00ffffffffffffff 01") == "message too large 1009");
  CHECK(heard("0202 0102 0002 0304 8002 0506", Role::kClient, 5) == "message too large 1009");
  CHECK(heard("0202 0102 0002 0304 8001 05", Role::kClient, 5) == "b:0102030405 ");
}

/// So many times `hex`.
std::string times(std::size_t count, std::string_view hex) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all.append(hex).append(" ");
  return all;
}

TEST_CASE("a message may have only so many empty fragments, and any number of others") {
  const std::string enough = "0200 " + times(WebSocket::kMostEmptyFragments - 1, "0000");
  CHECK(heard(enough + "8001 07") == "b:07 ");
  CHECK(heard(enough + "8001 07 " + enough + "8001 08") == "b:07 b:08 ");
  CHECK(heard(enough + "8900 0000") == "ping: too many empty fragments 1008");
  CHECK(heard("0201 01 " + times(998, "0001 01") + "8001 01") == "b:" + to_hex(Buffer(1000, 1)) + " ");
}

TEST_CASE("each frame is told before what is in it, with the bytes of its head") {
  struct Heads final : WebSocket::User {
    std::string all;
    void frame_began(std::size_t head, bool message_goes_on) override {
      all += std::to_string(head) + (message_goes_on ? "+ " : " ");
    }
    void message(Opcode, Bytes payload) override { all += "m" + std::to_string(payload.size()) + " "; }
    void close_frame(const CloseFrame&) override {}
  };
  Heads client, server;
  WebSocket from(Role::kServer, 1 << 20, client), to(Role::kClient, 1 << 20, client);
  Buffer wire = from_hex("0200 8900 0001 07 8000");
  for (const std::size_t size : {125u, 126u, 65535u, 65536u}) from.write(Opcode::kBinary, Buffer(size), wire);
  CHECK_FALSE(to.feed(wire));
  CHECK(client.all == "2+ 2 m0 2+ 2 m1 2 m125 4 m126 4 m65535 10 m65536 ");
  WebSocket masks(Role::kClient, 1 << 20, server), unmasks(Role::kServer, 1 << 20, server);
  wire.clear();
  masks.write(Opcode::kPing, as_bytes("?"), wire);
  CHECK_FALSE(unmasks.feed(wire));
  CHECK(server.all == "6 m1 ");
}

TEST_CASE("events do not depend on how the bytes are cut, and what is written reads back") {
  for (const Role role : {Role::kServer, Role::kClient}) {
    Told unused;
    WebSocket from(role, 1 << 20, unused);
    Buffer wire;
    std::string expected;
    for (const std::size_t size : {0u, 1u, 125u, 126u, 5000u, 65535u, 65536u, 70000u}) {
      Buffer payload(size);
      for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<std::uint8_t>(i * 7);
      from.write(Opcode::kBinary, payload, wire);
      expected += "b:" + to_hex(payload) + " ";
    }
    from.write(CloseFrame{1012, "later"}, wire);
    expected += "close:1012 'later' ";
    for (const std::size_t piece : {1u, 2u, 13u, 4096u, 100'000u, 1'000'000u}) {
      Told told;
      WebSocket to(role == Role::kServer ? Role::kClient : Role::kServer, 1 << 20, told);
      for (std::size_t at = 0; at < wire.size(); at += piece)
        CHECK_FALSE(to.feed(Bytes(wire).subspan(at, std::min(piece, wire.size() - at))));
      CHECK((told.all == expected));
    }
  }
}

TEST_CASE("a header and its payload are a message, whatever its size") {
  Told unused;
  WebSocket server(Role::kServer, 1000, unused);
  for (const std::size_t size : {0u, 1u, 125u, 126u, 65535u, 65536u, 70000u}) {
    CAPTURE(size);
    const Buffer payload(size, 7);
    Buffer whole, parts;
    server.write(Opcode::kBinary, payload, whole);
    server.write_header(Opcode::kBinary, size, parts);
    append(parts, payload);
    CHECK((parts == whole));
  }
}

TEST_CASE("a client masks each frame with a new key") {
  Told unused;
  WebSocket client(Role::kClient, 1000, unused);
  Buffer one, two;
  client.write(Opcode::kBinary, from_hex("01020304"), one);
  client.write(Opcode::kBinary, from_hex("01020304"), two);
  CHECK(to_hex(Bytes(one).first(2)) == "8284");
  CHECK(one != two);
}

TEST_CASE("a close code that must not be sent is left out; a long reason is cut between characters, with a mark") {
  Told told;
  WebSocket server(Role::kServer, 1000, told), client(Role::kClient, 1000, told);
  Buffer wire;
  server.write(CloseFrame{}, wire);
  CHECK(to_hex(wire) == "8800");
  wire.clear();
  std::string reason;
  for (int i = 0; i < 60; ++i) reason += "\xc3\xa9";
  server.write(CloseFrame{1000, "x" + reason + reason}, wire);
  CHECK_FALSE(client.feed(wire));
  CHECK(told.all == "close:1000 'x" + reason.substr(0, 118) + "...' ");
}

TEST_CASE("a user may pause it from within a callback; what comes after goes on when it is fed again") {
  struct Pauses final : WebSocket::User {
    WebSocket* socket = nullptr;
    std::string all;
    void message(Opcode, Bytes payload) override {
      all += to_hex(payload) + " ";
      socket->pause();
    }
    void close_frame(const CloseFrame&) override { all += "closed"; }
  } user;
  WebSocket socket(Role::kClient, 1000, user);
  user.socket = &socket;
  Buffer wire;
  for (int i = 0; i < 5'000; ++i) append(wire, from_hex("8201 01"));  // more than its own buffer holds
  append(wire, from_hex("8201 02 8800"));
  Bytes left = wire;
  for (int i = 1; i <= 5'001; ++i) {
    CHECK_FALSE(socket.feed(left));
    CHECK(user.all.size() == 3 * static_cast<std::size_t>(i));
    REQUIRE(socket.paused());
    left = socket.rest();
  }
  CHECK_FALSE(socket.feed(left));
  CHECK(user.all.ends_with("01 02 closed"));
  CHECK_FALSE(socket.paused());
}

TEST_CASE("a user may close it from within a callback") {
  struct Stops final : WebSocket::User {
    WebSocket* socket = nullptr;
    int messages = 0;
    void message(Opcode, Bytes) override {
      ++messages;
      socket->stop();
    }
    void close_frame(const CloseFrame&) override {}
  } user;
  WebSocket socket(Role::kClient, 1000, user);
  user.socket = &socket;
  CHECK_FALSE(socket.feed(from_hex("8200 8200")));
  CHECK(user.messages == 1);
}

}  // namespace
}  // namespace entente::net::websocket_test
