// A WebSocket listener that serves a page to browsers, and its answers to other requests.
#include <doctest/doctest.h>

#include <filesystem>
#include <future>
#include <system_error>

#include "adapters/ogar/ogar.h"
#include "proxy/relay/admission/admission.h"
#include "tests/relay/bridging.h"
#include "tests/relay/late_server.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::page_test {
namespace {

using relay::Reason;

constexpr Asset kPage[] = {{"index.html", "text/html", "<p>come in</p>"},
                           {"main.js", "text/javascript", "play()", "\"1f\""}};

/// How often `part` is in `text`.
std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t all = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++all;
  return all;
}

struct Shown : Running {
  explicit Shown(const net::Address& server, const char* path = "", const Limits& limits = no_limits())
      : Running(ogar::game(), server, limits, 1, 0, nullptr, web(path)) {}
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
    const std::string all = answer(method + " " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
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
  CHECK_FALSE(fake.called(50));
}

TEST_CASE("a document that is refused with 503 is counted by itself") {
  const FakeServer fake;
  relay::WebOptions web;
  web.documents = [](const net::HttpHead&, std::string_view name) -> std::optional<net::HttpReply> {
    if (name == "late") return net::HttpReply{503, {{"Retry-After", "1"}}, {}};
    if (name == "there") return net::HttpReply{};
    return std::nullopt;
  };
  const Running running(ogar::game(), fake.address(), no_limits(), 1, 0, nullptr, web);
  const Stream client = Stream::to(running.address);
  client.send(
      "GET /late HTTP/1.1\r\nHost: a\r\n\r\nHEAD /late HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /there HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const Buffer all = client.read_all();
  CHECK(count_of(as_text(all), "HTTP/1.1 503 ") == 2);
  CHECK(eventually([&] { return running.totals().http_found == 1; }));  // the last one, counted once it is sent
  CHECK(running.totals().http_later == 2);
  CHECK(running.totals().http_missing == 0);
}

TEST_CASE(
    "after a take-over, a browser's connection is closed after the next answer, so that it goes to the other process") {
  FakeServer fake;
  Shown running(fake.address());
  const Stream browser = Stream::to(running.address);
  constexpr std::string_view kRequest = "GET /main.js HTTP/1.1\r\nHost: a\r\n\r\n", kBody = "play()";
  for (const bool takes_over : {false, true}) {
    CAPTURE(takes_over);
    const auto offered = running.server().offer_listeners();
    REQUIRE(offered.ok());
    REQUIRE(running.server().release_newcomers().ok());
    takes_over ? running.server().complete_take_over() : running.server().cancel_take_over();
    browser.send(kRequest);
    std::string answer;
    while (!answer.ends_with(kBody)) answer += browser.read_text(1);
    CHECK(count_of(answer, takes_over ? "Connection: close\r\n" : "Connection: keep-alive\r\n") == 1);
  }
  CHECK(browser.read_all().empty());
}

TEST_CASE("a slow browser gets a large file whole, and then the next one by the same connection") {
  static const std::string kLarge(8U << 20U, 'x');
  static const Asset kFiles[] = {{"index.html", "text/html", "<p>come in</p>"},
                                 {"large.js", "text/javascript", kLarge}};
  class Large final : public Serving {
   public:
    explicit Large(const net::Address& server) : Serving(1) {
      relay::RouteOptions options;
      options.game = &ogar::game();
      options.servers[0].dialect = 0;
      options.listen = loopback();
      options.web.page = kFiles;
      serve(std::move(options), server, no_limits(), nullptr);
    }
  };
  const FakeServer fake;
  const Large running(fake.address());
  const Stream browser = Stream::to(running.address, nullptr, 4'096);
  browser.send("GET /large.js HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const Buffer all = browser.read_all();
  const std::string_view text = as_text(all);
  const std::size_t body = text.find("\r\n\r\n") + 4;
  CHECK(text.substr(body, kLarge.size()) == kLarge);
  CHECK(text.substr(body + kLarge.size(), 12) == "HTTP/1.1 200");
  CHECK(text.ends_with("<p>come in</p>"));
  CHECK(eventually([&] { return running.totals().http_found == 2; }));
}

TEST_CASE("a browser that reads a large file slowly, but all the time, gets it whole, however long that takes") {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  static const std::string kLarge(24U << 20U, 'x');
  static const Asset kFiles[] = {{"index.html", "text/html", "<p>come in</p>"},
                                 {"large.js", "text/javascript", kLarge}};
  Limits limits = no_limits();
  limits.stall_ms = 1'500;
  relay::WebOptions web;
  web.page = kFiles;
  const FakeServer fake;
  const Running running(ogar::game(), fake.address(), limits, 1, 0, nullptr, web);
  const Stream browser = Stream::to(running.address, nullptr, 32 * 1024);
  browser.send("GET /large.js HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const auto began = Clock::now();
  Clock::time_point last = began;
  Clock::duration longest{};  // in which it read nothing: on a busy machine, that may be too long
  std::size_t heard = 0;
  for (;;) {
    const Buffer some = browser.read_some(64 * 1024);
    const auto now = Clock::now();
    longest = std::max(longest, now - std::exchange(last, now));
    if (some.empty()) break;
    heard += some.size();
    std::this_thread::sleep_until(began + milliseconds(heard / 8'000));  // 3 s for all of it
  }
  if (longest < milliseconds(500)) CHECK(heard > kLarge.size());
}

TEST_CASE(
    "requests for the page are no sessions: not in counts, not in the log, and not within the limit of sessions") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.sessions = 1;
  Shown running(fake.address(), "", limits);
  const WebPair player(running, fake);
  for (int i = 0; i < 20; ++i) CHECK(running.get("/main.js") == "200 play()");
  CHECK(running.get("/missing").starts_with("404"));
  { const Stream silent = Stream::to(running.address); }  // a browser opens connections that it may not use
  const relay::Totals totals = running.totals();
  CHECK(totals.http_found == 20);
  CHECK(totals.http_missing == 1);
  CHECK(totals.begun == 1);
  CHECK(totals.refused() == 0);
  CHECK(running.sessions().size() == 1);
  for (const std::string& line : running.heard.lines()) CHECK_MESSAGE(line.starts_with("opened "), line);
  // A second player is one too many, and the page still comes.
  CHECK(WebClient(running.address).answer().status == 503);
  CHECK(running.ended(Reason::kTooMany));
  CHECK(running.get("/main.js") == "200 play()");
}

TEST_CASE("several requests on one connection are answered in order, and then a WebSocket may follow") {
  FakeServer fake;
  Shown running(fake.address());
  const std::string ask = "GET /main.js HTTP/1.1\r\nHost: a\r\n\r\n";
  std::string all = running.answer(ask + ask + ask + "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
  CHECK(count_of(all, "HTTP/1.1 200 OK") == 4);
  CHECK(count_of(all, "Connection: keep-alive") == 3);
  CHECK(count_of(all, "\r\n\r\nplay()") == 3);
  // HTTP/1.0 keeps no connection.
  all = running.answer("GET /main.js HTTP/1.0\r\n\r\n" + ask);
  CHECK(count_of(all, "HTTP/1.1 200 OK") == 1);
  WebPeer client(net::WebSocket::Role::kClient, Stream::to(running.address));
  client.send_raw(ask);
  CHECK(client.read_head(net::HttpReader::Of::kResponse).status == 200);
  CHECK(client.rest() == "play()");
  Buffer upgrade;
  net::write_upgrade_request({"relay.example", "/", net::make_upgrade_key(), {}}, upgrade);
  client.send_raw(upgrade);
  WebServer server(fake);
  server.upgrade();
  CHECK(client.read_head(net::HttpReader::Of::kResponse).status == 101);
  client.send("fe06000000");
  CHECK(server.next() == "b:fe06000000");
  CHECK(running.totals().begun == 1);
}

TEST_CASE("a browser that has a file already gets 304") {
  FakeServer fake;
  Shown running(fake.address());
  const auto ask = [&](const std::string& tag) {
    return running.answer("GET /main.js HTTP/1.1\r\nIf-None-Match: " + tag + "\r\nConnection: close\r\n\r\n");
  };
  const std::string known = ask("\"0\", \"1f\""), other = ask("\"1e\"");
  CHECK(known.starts_with("HTTP/1.1 304 Not Modified\r\n"));
  CHECK(known.ends_with("\r\n\r\n"));
  CHECK(other.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(other.find("ETag: \"1f\"\r\n") != std::string::npos);
  CHECK(other.ends_with("play()"));
}

TEST_CASE("connections for the page are bounded, in all and from one address") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.sessions_per_address = 3;
  Shown running(fake.address(), "", limits);
  std::vector<Stream> open;
  const std::string ask = "GET /main.js HTTP/1.1\r\n\r\n";
  for (std::uint32_t i = 0; i < relay::Admission::kCallersOfAddress; ++i) open.push_back(Stream::to(running.address));
  open.back().send(ask);
  CHECK(open.back().read_text(12) == "HTTP/1.1 200");
  CHECK(running.answer(ask).starts_with("HTTP/1.1 429 "));
  CHECK(running.ended(Reason::kTooManyFromAddress));
  open.clear();
  CHECK(eventually([&] { return running.get("/main.js") == "200 play()"; }));
  CHECK(running.totals().begun == 0);
}

TEST_CASE("a caller that stops in the middle of a request is told so, and one that asks for nothing is closed") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.greet_ms = 100;
  Shown running(fake.address(), "", limits);
  const Stream silent = Stream::to(running.address), slow = Stream::to(running.address);
  slow.send("GET / HT");
  CHECK(as_text(slow.read_all()).starts_with("HTTP/1.1 408 "));
  CHECK(silent.read_all().empty());
  const Stream done = Stream::to(running.address);
  done.send("GET /main.js HTTP/1.1\r\n\r\n");
  CHECK(as_text(done.read_all()).ends_with("play()"));  // until it is closed
  CHECK(running.ended(Reason::kGreetTimeout));
  CHECK(running.totals().refused() == 1);
}

/// A bridge with a page, whose server does not name its dialect.
struct Unnamed : Serving {
  explicit Unnamed(const net::Address& server, std::uint32_t hold_ms) : Serving(2) {
    options.game = &toy::messages();
    options.listen = loopback();
    options.servers = {{server.ip_text(), server.port(), std::nullopt}};
    options.upstream.hold_ms = hold_ms;
    options.web.page = kPage;
    options.bridge = toy_bridge(toy::messages(), toy::stream());
    serve_all(options, no_limits());
  }
  /// The first bytes of the answer to a request for the page.
  std::string page() const {
    const Stream client = Stream::to(address);
    client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    return std::string(as_text(client.read_all())).substr(0, 12);
  }
  relay::RouteOptions options;
};

constexpr std::string_view kShown = "toy\x08";

std::size_t count_descriptors() {
  std::error_code ignored;
  std::size_t count = 0;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd", ignored)) count += !one.path().empty();
  return count;
}

/// The server lets the player of a WebSocket in, and hears it.
void let_in(WebClient& client, const Stream& server) {
  CHECK(server.read_text(4) == kHello);
  server.send(kShown);
  client.upgrade();
  client.send("02036869");
  CHECK(server.read_text(4) == "\x02\x03hi");
}

TEST_CASE("while a server of unknown dialect is away, the page comes, and a WebSocket waits for the server") {
  const net::Address at = free_for_both();
  Unnamed running(at, 60'000);
  CHECK(running.page() == "HTTP/1.1 200");
  WebClient client(running.address);
  CHECK(eventually([&] { return running.server().waiting(0) == 1; }));
  CHECK(running.page() == "HTTP/1.1 200");
  for (const relay::Reason why : {Reason::kServerUnreachable, Reason::kClientLeft})
    CHECK(running.totals().by(why) == 0);
  const LateServer server(at);
  server.accept().send(kShown);
  let_in(client, server.accept());
  CHECK(running.totals().begun == 1);
}

TEST_CASE("without hold_s, a WebSocket waits until a server of unknown dialect was asked, and the page comes at once") {
  const FakeServer fake(true);
  Unnamed running(fake.address(), 0);
  const Stream probe = fake.accept();
  const std::size_t before = count_descriptors();
  WebClient client(running.address);
  CHECK(running.page() == "HTTP/1.1 200");
  CHECK_FALSE(client.stream().readable(300));
  CHECK(running.sessions().empty());
  SUBCASE("the server shows its dialect") {
    probe.send(kShown);
    let_in(client, fake.accept());
  }
  SUBCASE("the server shows none that is known") {
    probe.send("what");
    const net::HttpHead answer = client.answer();
    CHECK(answer.status == relay::telling(Reason::kDialectUnknown).http);
    CHECK(running.ended(Reason::kDialectUnknown));
  }
  SUBCASE("the client leaves") {
    client.stream().close();
    CHECK(eventually([&] { return count_descriptors() == before; }));
    probe.send(kShown);
    CHECK_FALSE(fake.called(300));
    CHECK(running.totals().begun == 0);
  }
  SUBCASE("the route is replaced") {
    const FakeServer other;
    relay::RouteOptions fresh = running.options;
    fresh.servers = {{other.address().ip_text(), other.port(), 0}};
    fresh.limits = no_limits();
    REQUIRE(running.server().change({.added = {{fresh, 0}}}).ok());
    let_in(client, other.accept());
  }
  SUBCASE("the route is removed") {
    REQUIRE(running.server().change({.retired = {0}}).ok());
    CHECK(client.answer().status == relay::telling(Reason::kDraining).http);
    CHECK(running.ended(Reason::kDraining));
  }
  SUBCASE("the relay stops") {
    running.stop();
    CHECK(client.answer().status == relay::telling(Reason::kDraining).http);
    CHECK(running.totals().by(Reason::kDraining) == 1);
  }
  SUBCASE("a request that no session answers is refused at once") {
    const Stream asks = Stream::to(running.address);
    asks.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    CHECK(as_text(asks.read_all()).starts_with("HTTP/1.1 405"));
  }
}

TEST_CASE("a client of a WebSocket that leaves unread bytes behind while it waits for the server has left") {
  struct Held : Serving {
    explicit Held(const net::Address& server) : Serving(1) {
      relay::RouteOptions options;
      options.game = &ogar::game();
      options.listen = loopback();
      options.servers = {{server.ip_text(), server.port(), 0}};
      options.upstream.hold_ms = 60'000;
      serve_all(std::move(options), no_limits());
    }
  } running(free_for_both());
  WebClient client(running.address);
  CHECK(eventually([&] { return running.server().waiting(0) == 1; }));
  client.send("fe06000000");
  client.stream().close();
  CHECK(running.ended(Reason::kClientLeft));
  CHECK(running.empty());
}

constexpr std::string_view kAsk = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";

/// A page whose clients have asked for as much as their address may at once.
struct Exhausted : Shown {
  explicit Exhausted(const net::Address& server, std::uint32_t linger_ms = no_limits().linger_ms)
      : Shown(server, "", limits(linger_ms)) {
    const std::string last = "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    constexpr std::uint32_t kEach = 400;  // a connection brings one request
    for (std::uint32_t more = relay::Admission::kRequestsAtOnce; more != 0;) {
      const std::uint32_t now = std::min(more, kEach);
      std::string requests(kAsk);
      for (std::uint32_t i = 0; i < now; ++i) requests += i + 1 < now ? kAsk : last;
      CHECK(count_of(answer(requests), "HTTP/1.1 200") == now + 1);
      more -= now;
    }
  }
  static Limits limits(std::uint32_t linger_ms) {
    Limits limits = no_limits();
    limits.connects_per_second = 1;
    limits.connects_burst = relay::Admission::kRequestsAtOnce;
    limits.linger_ms = linger_ms;
    return limits;
  }
  /// Clients that have the answer to their first request. Most of them wait for their turn with `second`.
  std::vector<Stream> waiting(Bytes second) const {
    Buffer both(as_bytes(kAsk).begin(), as_bytes(kAsk).end());
    append(both, second);
    std::vector<Stream> clients;
    for (int i = 0; i < 250; ++i) {
      clients.push_back(Stream::to(address));
      clients.back().send(both);
    }
    for (const Stream& client : clients) CHECK(client.read_text(12) == "HTTP/1.1 200");
    const Stream later = Stream::to(address);  // when it is answered, the second requests of the others were read
    later.send(kAsk);
    CHECK(later.read_text(12) == "HTTP/1.1 200");
    return clients;
  }
};

TEST_CASE("a client that waits for its turn to ask for a WebSocket is refused when the relay stops") {
  FakeServer fake;
  Exhausted running(fake.address());
  Buffer upgrade;
  net::write_upgrade_request({"relay.example", "/", net::make_upgrade_key(), {}}, upgrade);
  const std::vector<Stream> clients = running.waiting(upgrade);
  running.stop();
  std::uint64_t refused = 0;
  for (const Stream& client : clients)
    if (as_text(client.read_all()).find(relay::telling(Reason::kDraining).words) != std::string_view::npos) ++refused;
  CHECK(refused > 0);
  CHECK(running.totals().by(Reason::kDraining) == refused);
}

TEST_CASE("a client that waits for its turn to ask for a file does not hold up the relay's end") {
  FakeServer fake;
  Exhausted running(fake.address(), 2 * kPatience);
  std::vector<Stream> clients = running.waiting(as_bytes(kAsk));
  auto stops = std::async(std::launch::async, [&] { running.stop(); });
  std::size_t told = 0;
  for (Stream& client : clients) {
    told += count_of(as_text(client.read_all()), "HTTP/1.1 503");
    client.close();
  }
  CHECK(told != 0);
  CHECK(stops.wait_for(std::chrono::milliseconds(kPatience)) == std::future_status::ready);
}

TEST_CASE("an unknown path gets 404, and a method other than GET and HEAD gets 405") {
  FakeServer fake;
  Shown running(fake.address());
  for (const char* none : {"/index.html", "/favicon.ico", "/main.js/", "/main.j", "//", "/../etc/passwd",
                           "/%2e%2e/etc/passwd", "/main.js%00", "/MAIN.JS", "?x", "xmain.js"})
    CHECK_MESSAGE(running.get(none).starts_with("404"), none);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
    CHECK_MESSAGE(running.get("/", method).starts_with("405"), method);
  CHECK(running.ended(Reason::kBadRequest, 5));
  CHECK(running.totals().http_missing == 11);
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
  CHECK(status("GET / HTTP/1.1\r\nConnection: close\r\n\r\nGET /") == "200");
  CHECK(status("CONNECT a:1 HTTP/1.1\r\n\r\n") == "405");
  CHECK(status("\r\n\r\n\x16\x03\x01") == "400");
  CHECK(running.empty());
}

}  // namespace
}  // namespace entente::testing::page_test
