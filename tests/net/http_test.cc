#include "proxy/net/web/http.h"

#include <doctest/doctest.h>

#include "proxy/net/web/websocket_handshake.h"

namespace entente::net::http_test {
namespace {

using Of = HttpReader::Of;

constexpr std::string_view kRequest =
    "GET /play?x=1 HTTP/1.1\r\nHost: a\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: http://b\r\n\r\n";

HttpHead read(std::string_view text, Of of = Of::kRequest) {
  HttpReader reader(of);
  REQUIRE(reader.feed(as_bytes(text)).ok());
  REQUIRE(reader.complete());
  return reader.head();
}

/// "fault offset", or "" if there is no fault.
std::string fault(std::string_view text, Of of = Of::kRequest) {
  HttpReader reader(of);
  const auto taken = reader.feed(as_bytes(text));
  return taken ? "" : taken.error().what;
}

std::string written(const Buffer& out) { return std::string(as_text(out)); }

TEST_CASE("a head is read in any number of pieces, and what follows it is left alone") {
  const std::string all = std::string(kRequest) + "\x81\x85more";
  for (std::size_t cut = 0; cut < kRequest.size(); ++cut) {
    HttpReader reader(Of::kRequest);
    const Bytes bytes = as_bytes(all);
    CHECK(*reader.feed(bytes.first(cut)) == cut);
    CHECK_FALSE(reader.complete());
    CHECK(*reader.feed(bytes.subspan(cut)) == kRequest.size() - cut);
    REQUIRE(reader.complete());
    const HttpHead& head = reader.head();
    CHECK(head.method == "GET");
    CHECK(head.target == "/play?x=1");
    CHECK(head.path() == "/play");
    CHECK(head.headers.size() == 6);
    CHECK(*head.find("upgrade") == "WebSocket");
    CHECK(head.lists("Connection", "upgrade"));
    CHECK_FALSE(head.lists("Connection", "up"));
    CHECK(head.find("Cookie") == nullptr);
  }
}

TEST_CASE("the head of a response ends where it ends, whatever body it announces") {
  constexpr std::string_view kHead = "HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\n";
  HttpReader reader(Of::kResponse);
  CHECK(*reader.feed(as_bytes(std::string(kHead) + "hello")) == kHead.size());
  CHECK(reader.head().status == 403);
}

TEST_CASE("the body of a request is left alone, if the request may have one") {
  const std::string all = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
  HttpReader reader(Of::kRequest, 5);
  CHECK(*reader.feed(as_bytes(all)) == all.size() - 5);
  REQUIRE(reader.complete());
  CHECK(reader.body_size() == 5);
  HttpReader none(Of::kRequest, 5);
  CHECK(none.feed(as_bytes(kRequest)).ok());
  CHECK(none.body_size() == 0);
  HttpReader small(Of::kRequest, 4), chunked(Of::kRequest, 4);
  CHECK(std::string(small.feed(as_bytes(all)).error().what) == "body too large");
  CHECK(std::string(chunked.feed(as_bytes("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")).error().what) ==
        "request with a body");
}

TEST_CASE("bytes that are not a head, a head that is too large, or one with a body is refused") {
  CHECK(fault("\x16\x03\x01\x02") == "not HTTP/1.1");
  CHECK(fault("GET / HTTP/1.1\r\nno colon\r\n\r\n") == "not HTTP/1.1");
  CHECK(fault("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc") == "request with a body");
  CHECK(fault("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n") == "request with a body");
  CHECK(fault("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n") == "not HTTP/1.1");
  CHECK(fault("GET / HTTP/1.1\r\nA: " + std::string(20'000, 'a')) == "head too large");
  CHECK(fault("GET /" + std::string(20'000, 'a')) == "head too large");
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 101; ++i) many += "A: b\r\n";
  CHECK(fault(many + "\r\n") == "too many headers");
}

TEST_CASE("an upgrade must follow RFC 6455, or is refused with the right status") {
  CHECK(check_upgrade(read(kRequest)).status == 101);
  const auto status = [](std::string_view without, std::string_view with) {
    std::string text(kRequest);
    text.replace(text.find(without), without.size(), with);
    return check_upgrade(read(text)).status;
  };
  CHECK(status("GET", "HEAD") == 405);
  CHECK(status("Upgrade: WebSocket", "A: b") == 426);
  CHECK(status("keep-alive, Upgrade", "close") == 426);
  CHECK(status("Version: 13", "Version: 8") == 426);
  CHECK(status("dGhlIHNhbXBsZSBub25jZQ==", "short") == 400);
}

TEST_CASE("the answer to an upgrade proves that the key was read (RFC 6455, 1.3)") {
  Buffer out;
  const std::string protocol = "p";
  write_upgrade_answer(read(kRequest), &protocol, out);
  CHECK(written(out) ==
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: p\r\n\r\n");
  const HttpHead answer = read(written(out), Of::kResponse);
  CHECK(objection_to_upgrade(answer, "dGhlIHNhbXBsZSBub25jZQ==") == nullptr);
  CHECK(objection_to_upgrade(answer, "AAAAAAAAAAAAAAAAAAAAAA==") == std::string("wrong Sec-WebSocket-Accept"));
}

TEST_CASE("origins are compared as a whole") {
  const std::string accepted[] = {"http://b", "https://c"}, others[] = {"http://b.evil"};
  const HttpHead head = read(kRequest), none = read("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(accepts_origin(head, {}));
  CHECK(accepts_origin(head, accepted));
  CHECK_FALSE(accepts_origin(head, others));
  CHECK_FALSE(accepts_origin(none, accepted));
  CHECK(accepts_origin(none, {}));
}

TEST_CASE("end-to-end headers are passed on, headers of the connection are not") {
  const HttpHead head = read(
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, X-Hop, origin\r\nX-Hop: 1\r\nOrigin: o\r\nUser-Agent: "
      "me\r\nCookie: c\r\n"
      "Sec-WebSocket-Key: k\r\nSec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Protocol: p\r\n\r\n");
  std::string names;
  for (const HttpHeader& header : forwarded_headers(head)) names += header.name + "=" + header.value + " ";
  CHECK(names == "User-Agent=me Cookie=c Sec-WebSocket-Protocol=p Cache-Control=no-cache ");
  names.clear();
  const HttpHead forged = read(
      "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: me\r\nX-Forwarded-For: 203.0.113.1\r\nforwarded: for=203.0.113.1\r\n"
      "X-Real-Ip: 203.0.113.1\r\nX-FORWARDED-FOR: 203.0.113.2\r\nX-Forwarded-Proto: https\r\nCache-Control: x\r\n\r\n");
  for (const HttpHeader& header : forwarded_headers(forged)) names += header.name + "=" + header.value + " ";
  CHECK(names == "User-Agent=me Cache-Control=x ");
  for (const char* claim :
       {"CF-Connecting-IP", "CF-Connecting-IPv6", "True-Client-IP", "X-Client-IP", "X-Cluster-Client-IP",
        "Fastly-Client-IP", "X-Envoy-External-Address", "X-Original-Forwarded-For", "X-Appengine-User-IP",
        "X-ProxyUser-Ip", "Client-IP", "Via", "X-Anything-New", "X_Forwarded_For", "X-Forwarded-Host"}) {
    CAPTURE(claim);
    const HttpHead lying = read("GET / HTTP/1.1\r\nHost: a\r\n" + std::string(claim) + ": 203.0.113.1\r\n\r\n");
    for (const HttpHeader& header : forwarded_headers(lying))
      CHECK(header.value.find("203.0.113.1") == header.value.npos);
  }
  for (const char* client : {"192.0.2.7:4711", "[::ffff:192.0.2.7]:4711"}) {
    const HttpHeader last = forwarded_headers(forged, *Address::parse(client)).back();
    CHECK(last.name + "=" + last.value == "X-Forwarded-For=192.0.2.7");
  }
  CHECK(forwarded_headers(forged, *Address::parse("[2001:db8::7]:1")).back().value == "2001:db8::7");
  // MultiOgarII takes a client with a shorter User-Agent for a minion.
  const auto bare = forwarded_headers(read("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  REQUIRE(bare.size() == 2);
  CHECK(bare[0].value.size() >= 50);
  CHECK(bare[0].value.find("Entente/" ENTENTE_VERSION " ") != std::string::npos);
}

TEST_CASE("a request is written as it is parsed") {
  Buffer out;
  write_upgrade_request({"h:1", "/x", make_upgrade_key(), {{"A", "b"}}}, out);
  const HttpHead head = read(written(out));
  CHECK(check_upgrade(head).status == 101);
  CHECK(*head.find("Host") == "h:1");
  CHECK(*head.find("A") == "b");
}

TEST_CASE("an answer has its length and closes the connection") {
  Buffer out;
  write_answer(404, "no", out);
  CHECK(written(out) ==
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n"
        "Connection: close\r\n\r\nno");
}

TEST_CASE("the largest head, and one with the most headers, are read") {
  const std::string start = "GET / HTTP/1.1\r\nA: ", end = "\r\n\r\n";
  const auto head = [&](std::size_t size) { return start + std::string(size - start.size() - end.size(), 'a') + end; };
  CHECK(fault(head(HttpReader::kMostBytes)).empty());
  CHECK(fault(head(HttpReader::kMostBytes + 1)) == "head too large");
  std::string many = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i < HttpReader::kMostHeaders; ++i) many += "A: b\r\n";
  CHECK(read(many + "\r\n").headers.size() == HttpReader::kMostHeaders);
}

TEST_CASE("a client may send another request on its connection unless it says that it does not, or speaks HTTP/1.0") {
  CHECK(read("GET / HTTP/1.1\r\nHost: a\r\n\r\n").persistent);
  CHECK_FALSE(read("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").persistent);
  CHECK_FALSE(read("GET / HTTP/1.0\r\nHost: a\r\n\r\n").persistent);
  CHECK(read("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n").persistent);
}

TEST_CASE("a list may be spread over several headers; of a header that comes twice, the first value counts") {
  const HttpHead head = read("GET / HTTP/1.1\r\nConnection: a,\tB ,\r\nX: 1\r\nconnection: c\r\nx: 2\r\n\r\n");
  for (const char* token : {"a", "b", "C"}) CHECK(head.lists("Connection", token));
  for (const char* token : {"d", "a,", "1"}) CHECK_FALSE(head.lists("Connection", token));
  CHECK(*head.find("X") == "1");
  CHECK(head.path() == "/");
}

TEST_CASE("a client that needs an upgrade is told which one; other answers do not offer it") {
  Buffer out;
  write_answer(426, "no", out);
  const HttpHead answer = read(written(out), Of::kResponse);
  CHECK(answer.status == 426);
  REQUIRE(answer.find("Upgrade") != nullptr);
  CHECK(*answer.find("Upgrade") == "websocket");
  out.clear();
  write_answer(400, "no", out);
  CHECK(read(written(out), Of::kResponse).find("Upgrade") == nullptr);
  for (const unsigned status : {400U, 401U, 403U, 404U, 405U, 408U, 413U, 415U, 426U, 429U, 431U, 502U, 503U, 504U})
    CHECK_MESSAGE(!http_phrase(status).empty(), status);
  CHECK(http_phrase(418).empty());
}

TEST_CASE("a server's answer to an upgrade must be one, to WebSocket, without an extension") {
  const std::string key = "dGhlIHNhbXBsZSBub25jZQ==";
  Buffer out;
  write_upgrade_answer(read(kRequest), nullptr, out);
  const auto objection = [&](std::string_view without, std::string_view with) {
    std::string text = written(out);
    text.replace(text.find(without), without.size(), with);
    const char* const why = objection_to_upgrade(read(text, Of::kResponse), key);
    return std::string(why != nullptr ? why : "");
  };
  CHECK(objection("101 Switching", "101 Changing").empty());
  CHECK(objection("101", "200") == "no upgrade");
  CHECK(objection("Upgrade: websocket", "Upgrade: h2c") == "upgrade to something else");
  CHECK(objection("Sec-WebSocket-Accept", "Sec-WebSocket-Except") == "wrong Sec-WebSocket-Accept");
  CHECK(objection("Connection:", "Sec-WebSocket-Extensions: permessage-deflate\r\nConnection:") ==
        "extension that was not offered");
}

TEST_CASE("a request without a key is a plain one, after which the connection ends") {
  Buffer out;
  write_upgrade_request({"h:1", "/x?y", "", {{"A", "b"}}}, out);
  CHECK(written(out) == "GET /x?y HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\nA: b\r\n\r\n");
}

}  // namespace
}  // namespace entente::net::http_test
