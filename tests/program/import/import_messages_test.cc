// Transports within a capture: the messages of WebSocket over TCP and the packets of ENet over UDP.
#include <doctest/doctest.h>

#include "proxy/program/import/enet.h"
#include "proxy/program/import/websocket.h"
#include "tests/program/import/heard.h"
#include "tests/program/import/packets.h"
#include "tests/support/hex.h"

namespace entente::import_messages_test {
namespace {

using net::Opcode, net::WebSocket;
using wire::Lane, wire::Way;

struct Nobody final : WebSocket::User {
  void message(Opcode, Bytes) override {}
  void close_frame(const net::CloseFrame&) override {}
};

/// The bytes that one side sends: an HTTP head, a message, a ping, another message and a close frame.
Buffer said(std::string_view head, WebSocket::Role role) {
  Nobody nobody;
  WebSocket writer(role, 100, nobody);
  Buffer out;
  append(out, as_bytes(head));
  writer.write(Opcode::kBinary, from_hex("0102"), out);
  writer.write(Opcode::kPing, from_hex("ff"), out);
  writer.write(Opcode::kText, {}, out);
  writer.write(net::CloseFrame{1003, "why"}, out);
  return out;
}

constexpr std::string_view kRequest = "GET /play HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n";
constexpr std::string_view kSwitched = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";

struct Capture {
  Capture() { sink.opened(0, {"x", "", ""}, 0); }
  void say(Way way, Bytes bytes) { sink.bytes({0, way, Lane::kStream, 5, bytes}); }

  HeardImport heard;
  WebSocketImport sink{heard};
};

TEST_CASE("WebSocket messages are passed on whole, however the stream was cut; pings are not passed on") {
  Capture capture;
  for (const std::uint8_t byte : said(kRequest, WebSocket::Role::kClient)) capture.say(Way::kToServer, {&byte, 1});
  capture.say(Way::kToClient, said(kSwitched, WebSocket::Role::kServer));
  capture.sink.connection_over(0);
  CHECK(capture.heard.all ==
        "open 0 x\nc2s 0 0102\nc2s 0 \nend 0 c2s 1003 why\ns2c 0 0102\ns2c 0 \nend 0 s2c 1003 why\ngone 0\n");
}

TEST_CASE("the first bytes that are not WebSocket are passed on unchanged; the rest of the stream is skipped") {
  Capture capture;
  capture.say(Way::kToServer, from_hex("00010203"));
  capture.say(Way::kToServer, from_hex("04"));
  CHECK(capture.heard.all == "open 0 x\nc2s 0 00010203\n");

  Capture unmasked;  // a client must mask its frames
  unmasked.say(Way::kToServer, as_bytes(kRequest));
  unmasked.say(Way::kToServer, from_hex("820101"));
  CHECK(unmasked.heard.all == "open 0 x\nc2s 0 820101\n");

  Capture page;
  page.say(Way::kToClient, as_bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
  page.say(Way::kToClient, from_hex("00"));
  CHECK(page.heard.all.find("HTTP status 404") != std::string::npos);
  CHECK(page.heard.all.find("s2c 0 00") == std::string::npos);

  Capture browser;  // one connection, kept alive
  browser.say(Way::kToServer, as_bytes(kRequest));
  browser.say(Way::kToClient, as_bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
  browser.say(Way::kToServer, as_bytes(kRequest));
  CHECK(browser.heard.all.find("c2s") == std::string::npos);
}

TEST_CASE("extensions of a WebSocket are not supported, and reported") {
  Capture capture;
  capture.say(Way::kToClient, as_bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                                       "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"));
  CHECK(capture.heard.all.find("not supported: permessage-deflate") != std::string::npos);
}

TEST_CASE("after a gap, the rest of a WebSocket stream is skipped") {
  Capture capture;
  capture.say(Way::kToServer, as_bytes(kRequest));
  capture.sink.stream_gap(0, Way::kToServer, 9, 6);
  capture.say(Way::kToServer, from_hex("820101"));
  CHECK(capture.heard.all == "open 0 x\nlost 0 c2s 9\n");
}

TEST_CASE("a datagram that is not ENet is passed on unchanged") {
  HeardImport heard;
  EnetImport sink(heard);
  sink.opened(0, {"x", "", ""}, 0);
  sink.bytes({0, Way::kToServer, Lane::kDatagram, 0, as_bytes("HELLO")});
  sink.connection_over(0);
  CHECK(heard.all == "open 0 x\nc2s 0 datagram 48454c4c4f\ngone 0\n");
}

TEST_CASE("an empty datagram is no gap in a connection of ENet") {
  HeardImport heard;
  EnetImport sink(heard);
  sink.opened(0, {"x", "", ""}, 0);
  sink.bytes({0, Way::kToServer, Lane::kDatagram, 0, {}});
  sink.connection_over(0);
  CHECK(heard.all.find("lost") == std::string::npos);
}

TEST_CASE("a datagram with several wrong commands of ENet is passed on once, or after a packet each command alone") {
  HeardImport heard;
  EnetImport sink(heard);
  const std::string wrong =
      to_hex(from_hex("08000001 0001 0000 00000000 00000000 00000000 00000000"));  // of 0 fragments
  const std::string packet = "4900000000010001aa";
  const auto say = [&](const std::string& hex) {
    heard.all.clear();
    sink.bytes({0, Way::kToServer, Lane::kDatagram, 0, from_hex(hex)});
    return heard.all;
  };
  sink.opened(0, {"x", "", ""}, 0);
  CHECK(say("0000" + wrong + wrong + wrong) == "c2s 0 datagram 0000" + wrong + wrong + wrong + "\n");
  const std::string alone = "c2s 0 datagram " + wrong + "\n";
  CHECK(say("0000" + packet + wrong + wrong) == "c2s 0 datagram aa\n" + alone + alone);
}

TEST_CASE("a right packet of ENet that shares its datagram with a wrong command is handed on once") {
  HeardImport heard;
  EnetImport sink(heard);
  const std::string wrong =
      to_hex(from_hex("08010001 0001 0000 00000000 00000000 00000000 00000000"));  // of 0 fragments
  const std::string alone = "c2s 0 datagram " + wrong + "\n";
  const auto say = [&](const std::string& hex) {
    heard.all.clear();
    sink.bytes({0, Way::kToServer, Lane::kDatagram, 0, from_hex("0000" + hex)});
    return heard.all;
  };
  sink.opened(0, {"x", "", ""}, 0);
  SUBCASE("the packet comes after") {
    const std::string packet = "4900000000010001aa";
    CHECK(say(wrong + packet + wrong) == alone + "c2s 0 datagram aa\n" + alone);
    CHECK(say(packet + wrong) == alone);  // it came before
  }
  SUBCASE("the packet waits for an earlier one") {
    const std::string first = "060000010001aa", second = "060000020001bb", third = "060000030001cc";
    CHECK(say(first) == "c2s 0 aa\n");
    CHECK(say(third + wrong) == alone);
    CHECK(say(second) == "c2s 0 bb\nc2s 0 cc\n");
  }
  SUBCASE("it is a fragment") {
    const auto fragment = [](const char* number, const char* byte) {
      return to_hex(
          from_hex("0c000000 0005 0001 00000002 0000000" + std::string(number) + "00000002 0000000" + number + byte));
    };
    CHECK(say(wrong + fragment("0", "aa")) == alone);
    CHECK(say(fragment("1", "bb")) == "c2s 0 datagram aabb\n");
  }
}

TEST_CASE("a packet of ENet that ends the wait for a missing one is handed on once, after the gap is told") {
  HeardImport heard;
  EnetImport sink(heard);
  const auto say = [&](std::size_t number) {
    heard.all.clear();
    Buffer datagram = from_hex("00000600");
    put16(datagram, number);
    append(datagram, from_hex("0001aa"));
    sink.bytes({0, Way::kToServer, Lane::kDatagram, 0, datagram});
    return heard.all;
  };
  sink.opened(0, {"x", "", ""}, 0);
  CHECK(say(1) == "c2s 0 aa\n");
  for (std::size_t number = 3; number <= 2 + net::EnetDissector::kWindow; ++number) REQUIRE(say(number).empty());
  std::string all = "lost 0 c2s 0\n";
  for (std::size_t i = 0; i <= net::EnetDissector::kWindow; ++i) all += "c2s 0 aa\n";
  CHECK(say(3 + net::EnetDissector::kWindow) == all);
}

/// Datagrams of ENet, with their times.
struct Datagrams {
  void say(ConnectionId id, Way way, Bytes bytes, double seconds) {
    sink.bytes({id, way, Lane::kDatagram, static_cast<WallTime>(seconds * 1e9), bytes});
  }

  HeardImport heard;
  EnetImport sink{heard};
};

TEST_CASE("a connection of ENet is over a second after a side has disconnected, and not only at the file's end") {
  Datagrams enet;
  enet.sink.opened(0, {"x", "", ""}, 0);
  enet.say(0, Way::kToServer, enet_connect(1, 3), 0);
  enet.say(0, Way::kToServer, enet_disconnect(7), 10);
  enet.say(0, Way::kToClient, enet_packet("aa"), 10.9);  // it was under way
  enet.sink.opened(1, {"y", "", ""}, 10'950'000'000);
  enet.say(1, Way::kToServer, enet_connect(2, 4), 11);
  enet.say(0, Way::kToClient, enet_packet("bb"), 12);
  enet.sink.connection_over(1);
  enet.sink.connection_over(0);
  CHECK(enet.heard.all ==
        "open 0 x\nconnect 0 3\nend 0 c2s 7\ns2c 0 aa\nopen 1 y\ngone 0\nconnect 1 4\ngone 1\n"
        "remark 1 datagrams came after the end of their connection and were ignored\n");
}

TEST_CASE("a late end of an earlier connection of ENet does not end the next one on the same ports") {
  Datagrams enet;
  enet.sink.opened(0, {"x", "", ""}, 0);
  enet.say(0, Way::kToServer, enet_connect(1, 3), 0);
  enet.say(0, Way::kToClient, enet_disconnect(7), 1);
  enet.say(0, Way::kToClient, enet_packet("aa"), 1.1);
  enet.say(0, Way::kToServer, enet_packet("bb"), 9);
  enet.sink.connection_over(0);
  CHECK(enet.heard.all == "open 0 x\nconnect 0 3\nend 0 s2c 7\ns2c 0 aa\nc2s 0 bb\ngone 0\n");
}

}  // namespace
}  // namespace entente::import_messages_test
