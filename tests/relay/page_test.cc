// A WebSocket listener that serves a page to browsers, and its answers to other requests.
#include <doctest/doctest.h>

#include "adapters/ogar/ogar.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::page_test {
namespace {

using relay::Reason;

constexpr Asset kPage[] = {{"index.html", "text/html", "<p>come in</p>"}, {"main.js", "text/javascript", "play()"}};

struct Shown : Running {
  explicit Shown(const net::Address& server, const char* path = "")
      : Running(ogar::game(), server, no_limits(), 1, 0, nullptr, web(path)) {}
  static relay::WebOptions web(const char* path) {
    relay::WebOptions options;
    options.path = path;
    options.page = kPage;
    return options;
  }

  /// The whole answer to these bytes.
  std::string answer(std::string_view request) const {
    const Stream client = Stream::to(address);
    client.send(request);
    return std::string(as_text(client.read_all()));
  }
  /// The status of the answer, a space, and its body.
  std::string get(const std::string& target, const std::string& method = "GET") const {
    const std::string all = answer(method + " " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    const std::size_t head = all.find("\r\n\r\n");
    REQUIRE(head != std::string::npos);
    return all.substr(9, 3) + " " + all.substr(head + 4);
  }
};

TEST_CASE("a browser gets the page and its files, and the server gets no connection") {
  FakeServer fake;
  Shown running(fake.address());
  CHECK(running.get("/") == "200 <p>come in</p>");
  CHECK(running.get("/?name=anna") == "200 <p>come in</p>");
  CHECK(running.get("/main.js") == "200 play()");
  CHECK(running.get("/", "HEAD") == "200 ");
  CHECK(running.get("/main.js", "HEAD") == "200 ");
  CHECK(running.ended(Reason::kServedPage, 5));
  CHECK(running.empty());
  CHECK_FALSE(fake.called(50));
}

TEST_CASE("an unknown path gets 404, and a method other than GET and HEAD gets 405") {
  FakeServer fake;
  Shown running(fake.address());
  for (const char* none : {"/index.html", "/favicon.ico", "/main.js/", "/main.j", "//", "/../etc/passwd",
                           "/%2e%2e/etc/passwd", "/main.js%00", "/MAIN.JS", "?x", "xmain.js"})
    CHECK_MESSAGE(running.get(none).starts_with("404"), none);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
    CHECK_MESSAGE(running.get("/", method).starts_with("405"), method);
  CHECK(running.ended(Reason::kBadRequest, 16));
}

TEST_CASE("the page is at its route's path, and its files are beside it") {
  FakeServer fake;
  Shown running(fake.address(), "/games/play");
  CHECK(running.get("/games/play").starts_with("200 <p>"));
  CHECK(running.get("/games/main.js") == "200 play()");
  CHECK(running.get("/").starts_with("404"));
  CHECK(running.get("/games/play/").starts_with("404"));
}

TEST_CASE("a WebSocket can be opened at the path of the page") {
  FakeServer fake;
  Shown running(fake.address());
  WebPair pair(running, fake);
  pair.client.send("fe06000000");
  CHECK(pair.server.next() == "b:fe06000000");
}

TEST_CASE("hostile requests are refused with the matching status") {
  FakeServer fake;
  Shown running(fake.address());
  const auto status = [&](const std::string& request) { return running.answer(request).substr(9, 3); };
  CHECK(status("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello") == "400");
  CHECK(status("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == "400");
  CHECK(status("GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n") == "431");
  CHECK(status("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n") == "426");
  CHECK(status("CONNECT a:1 HTTP/1.1\r\n\r\n") == "405");
  CHECK(status("\r\n\r\n\x16\x03\x01") == "400");
  // A second request on the same connection gets no answer.
  const std::string twice = "GET /main.js HTTP/1.1\r\n\r\n";
  const std::string all = running.answer(twice + twice);
  CHECK(all.find("play()") == all.rfind("play()"));
  CHECK(running.empty());
}

}  // namespace
}  // namespace entente::testing::page_test
