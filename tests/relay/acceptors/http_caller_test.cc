// A connection to a WebSocket listener until its client asks for a WebSocket: which requests are answered, what is
// counted, and when it is closed. The test says when time passes.
#include "proxy/relay/acceptors/http_caller.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/web_peers.h"
#include "tests/support/toy_game.h"

namespace entente::testing::http_caller_test {
namespace {

using relay::Admission, relay::HttpCaller, relay::Reason;

constexpr std::uint32_t kGreetMs = 5'000, kStallMs = 7'000, kLingerMs = 3'000;

constexpr Asset kPage[] = {{"index.html", "text/html", "<p>come in</p>"}, {"main.js", "text/javascript", "play()"}};
constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n", kHead = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";

Limits timed() {
  Limits limits = no_limits();
  limits.greet_ms = kGreetMs;
  limits.stall_ms = kStallMs;
  limits.linger_ms = kLingerMs;
  return limits;
}

relay::RouteOptions of_page(const Limits& limits = timed(), std::span<const Asset> page = kPage) {
  relay::RouteOptions options = options_of(toy::messages());
  options.limits = limits;
  options.web.page = page;
  return options;
}

/// A client has connected.
struct Door : Turning, HttpCaller::Owner {
  explicit Door(relay::RouteOptions options = of_page(), bool health_check = false, int receive_buffer = 0)
      : route(loop, std::move(options), {loopback()}) {
    const auto listening = net::listen(loopback(), false);
    REQUIRE(listening.ok());
    client = Stream::to(listening->address, nullptr, receive_buffer);
    REQUIRE(wait_readable(listening->tcp.get()));
    net::Fd fd(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    REQUIRE(fd);
    relay::AcceptedClient newcomer;
    newcomer.link = 1;
    newcomer.client = client.here();
    newcomer.limits = limits();
    newcomer.health_check = health_check;
    newcomer.fd = std::move(fd);
    CHECK_FALSE(admission().call(newcomer.client, limits(), loop.now()));
    caller = std::make_unique<HttpCaller>(*route.here, static_cast<HttpCaller::Owner&>(*this), std::move(newcomer));
    began = loop.now();
    caller->start();
  }
  relay::WorkerRoute* route_at(const relay::Route&, std::string_view) override { return nullptr; }
  void wants_session(HttpCaller& its) override {
    CHECK(&its == caller.get());
    ++wants;
  }
  void over(HttpCaller& its) override {
    CHECK(&its == caller.get());
    ++times_over;
  }

  const Limits& limits() const { return route.here->rules->limits; }
  Admission& admission() { return route.listener.admission; }
  /// What has come to the client after it has sent this.
  std::string answer(std::string_view request) {
    client.send(request);
    return got();
  }
  std::string got() {
    settle();
    std::string all;
    while (client.readable(0)) {
      const Buffer some = client.read_some();
      if (some.empty()) break;
      all += as_text(some);
    }
    return all;
  }
  void tick_at(Millis at) {
    caller->tick(at);
    settle();
  }
  /// Ticked at these times, it is open, and then closed, without a word.
  void is_closed_between(Millis early, Millis late) {
    tick_at(early);
    CHECK(times_over == 0);
    tick_at(late);
    CHECK(times_over == 1);
  }
  const relay::Counters& counters() const { return route.here->counters; }

  OneRoute route;
  Stream client;
  std::unique_ptr<HttpCaller> caller;
  Millis began = 0;
  int wants = 0, times_over = 0;
};

/// More than the system takes for a client that does not read.
std::span<const Asset> large_page() {
  static const std::string kLarge(16U << 20U, 'x');
  static const Asset kFiles[] = {{"index.html", "text/html", kLarge}};
  return kFiles;
}

std::string upgrade_request() {
  Buffer request;
  net::write_upgrade_request({"relay.example", "/", net::make_upgrade_key(), {}}, request);
  return std::string(as_text(request));
}

TEST_CASE("http caller: files are answered one after another on one connection, and counted") {
  Door door;
  CHECK(door.counters().http_connections.read() == 1);
  for (int i = 0; i < 3; ++i) {
    const std::string all = door.answer(kGet);
    CHECK(all.starts_with("HTTP/1.1 200 "));
    CHECK(all.find("Connection: keep-alive") != std::string::npos);
    CHECK(all.ends_with("<p>come in</p>"));
  }
  CHECK(door.answer("GET /main.js HTTP/1.1\r\nHost: a\r\n\r\n").ends_with("play()"));
  CHECK(door.counters().http_found.read() == 4);
  CHECK(door.counters().http_missing.read() == 0);
  CHECK(door.counters().begun.read() == 0);
  CHECK(door.times_over == 0);
  CHECK(door.wants == 0);
  CHECK_FALSE(door.caller->waits_for_session());
}

TEST_CASE("http caller: two requests that come together are answered in their order") {
  Door door;
  const std::string all = door.answer(std::string(kHead) + "GET /main.js HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(all.starts_with("HTTP/1.1 200 "));
  CHECK(all.ends_with("play()"));
  CHECK(door.counters().http_found.read() == 2);
}

TEST_CASE("http caller: a client that wants no further answer has its connection closed, within linger_ms") {
  Door door;
  CHECK(door.answer("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").ends_with("<p>come in</p>"));
  CHECK(door.times_over == 0);  // the client has not closed yet
  CHECK(door.answer(kGet).empty());
  CHECK(door.counters().http_found.read() == 1);
  const Millis answered = door.loop.now();
  door.tick_at(door.began + kLingerMs - 1);
  CHECK(door.times_over == 0);
  door.tick_at(answered + kLingerMs);
  CHECK(door.times_over == 1);
}

TEST_CASE("http caller: a client that closes after its answer is over at once") {
  Door door;
  CHECK_FALSE(door.answer("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").empty());
  door.client.close();
  door.until([&] { return door.times_over == 1; });
  door.tick_at(door.loop.now() + 9 * kLingerMs);
  CHECK(door.times_over == 1);
}

TEST_CASE("http caller: what is not served gets 404, is counted as missing, and ends the connection") {
  Door door;
  const std::string all = door.answer("GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(all.starts_with("HTTP/1.1 404 "));
  CHECK(door.counters().http_missing.read() == 1);
  CHECK(door.counters().http_found.read() == 0);
  CHECK(door.answer(kGet).empty());
  CHECK(door.route.heard.lines().empty());  // it is no refused client
  door.is_closed_between(door.began + kLingerMs - 1, door.loop.now() + kLingerMs);
}

TEST_CASE("http caller: a document that is late is counted as such, and the connection stays") {
  relay::RouteOptions options = of_page();
  options.web.documents = [](const net::HttpHead&, std::string_view name) -> std::optional<net::HttpReply> {
    if (name != "late") return std::nullopt;
    return net::HttpReply{503, {}, {}};
  };
  Door door(std::move(options));
  CHECK(door.answer("GET /late HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 503 "));
  CHECK(door.counters().http_later.read() == 1);
  CHECK(door.counters().http_found.read() == 0);
  CHECK(door.answer(kGet).ends_with("<p>come in</p>"));
}

TEST_CASE("http caller: the answer to the thousandth request of a connection is the last") {
  Door door;
  for (unsigned i = 1; i <= HttpCaller::kMostRequests; ++i) {
    const bool closes = door.answer(kHead).find("Connection: close") != std::string::npos;
    CHECK(closes == (i == HttpCaller::kMostRequests));
  }
}

TEST_CASE("http caller: the connection is closed after an answer while the listener drains, is given away or retired") {
  for (const int why : {0, 1, 2}) {
    CAPTURE(why);
    Door door;
    CHECK(door.answer(kHead).find("keep-alive") != std::string::npos);
    if (why == 0) door.route.listener.draining = true;
    if (why == 1) door.route.listener.given_away = true;
    if (why == 2) door.route.route.retired = true;
    CHECK(door.answer(kHead).find("Connection: close") != std::string::npos);
  }
}

TEST_CASE("http caller: behind a proxy that names its clients in each request, each connection has one request") {
  for (const net::ClientNaming naming : {net::ClientNaming::kProxyHeader, net::ClientNaming::kForwarded}) {
    relay::RouteOptions options = of_page();
    options.proxies.networks = {*net::Network::parse("127.0.0.1")};
    options.proxies.naming = naming;
    Door door(std::move(options));
    const bool one_client = naming == net::ClientNaming::kProxyHeader;
    CHECK((door.answer(kHead).find("keep-alive") != std::string::npos) == one_client);
  }
}

TEST_CASE("http caller: a client that asks for a WebSocket is given away with its connection and its request, once") {
  Door door;
  CHECK(door.answer(upgrade_request() + "early").empty());
  CHECK(door.wants == 1);
  CHECK(door.caller->waits_for_session());
  CHECK(door.caller->request().path() == "/");
  door.tick_at(door.loop.now() + 9 * kGreetMs);  // it waits as long as it is to
  CHECK(door.times_over == 0);
  door.settle();
  CHECK(door.wants == 1);
  const relay::AcceptedClient client = door.caller->take();
  CHECK(door.times_over == 1);
  CHECK_FALSE(door.caller->waits_for_session());
  REQUIRE(client.heard);
  CHECK(client.heard->head->head().path() == "/");
  CHECK(as_text(client.heard->early) == "early");
  CHECK(client.client == door.client.here());
  REQUIRE(::send(client.fd.get(), "hi", 2, 0) == 2);
  CHECK(door.client.read_text(2) == "hi");
  door.tick_at(door.loop.now() + 9 * kGreetMs);
  CHECK(door.times_over == 1);
  // It is no caller any more: whoever took it has its place.
  door.caller.reset();
  CHECK_FALSE(door.admission().empty());
  door.admission().stop_calling(client.client);
}

TEST_CASE("http caller: a caller gives back its place") {
  Door door;
  CHECK_FALSE(door.admission().empty());
  door.caller.reset();
  CHECK(door.admission().empty());
}

TEST_CASE("http caller: a request for a WebSocket waits until the answer before it is taken") {
  static const std::string kLarge(24U << 20U, 'x');
  static const Asset kFiles[] = {{"index.html", "text/html", kLarge}};
  Door door(of_page(timed(), kFiles), false, 4'096);
  door.client.send(std::string(kGet) + upgrade_request());
  door.settle();
  CHECK(door.wants == 0);
  std::size_t heard = 0;
  door.until([&] {
    while (door.client.readable(0)) heard += door.client.read_some().size();
    return door.wants == 1;
  });
  CHECK(heard > kLarge.size());
}

TEST_CASE("http caller: a refused request is answered with the status of the reason, logged, and closed in linger_ms") {
  Door door;
  CHECK(door.answer(upgrade_request()).empty());
  door.caller->refuse(Reason::kTooMany);
  CHECK_FALSE(door.caller->waits_for_session());
  CHECK(door.got().starts_with("HTTP/1.1 " + std::to_string(relay::telling(Reason::kTooMany).http)));
  CHECK(door.route.ended(Reason::kTooMany) == 1);
  CHECK(door.answer(kGet).empty());
  door.is_closed_between(door.began + kLingerMs - 1, door.loop.now() + kLingerMs);
  CHECK(door.route.ended(Reason::kTooMany) == 1);
}

TEST_CASE("http caller: a health check that is refused is told so, but no refused player") {
  Door door(of_page(), true);
  CHECK(door.answer(upgrade_request()).empty());
  door.caller->refuse(Reason::kTooMany);
  CHECK(door.got().starts_with("HTTP/1.1 "));
  CHECK(door.route.ended(Reason::kTooMany) == 0);
}

TEST_CASE("http caller: a banned client is told what its ban says") {
  relay::Bans bans;
  relay::RouteOptions options = of_page();
  options.bans = &bans;
  Door door(std::move(options));
  bans.add({*net::Network::parse("127.0.0.1"), relay::Ban::kForGood, "be nice", false});
  CHECK(door.answer(upgrade_request()).empty());
  door.caller->refuse(Reason::kBanned);
  CHECK(door.got().find("be nice") != std::string::npos);
}

TEST_CASE("http caller: a client that asks for nothing is closed after greet_ms; of a page, without a word") {
  Door page;
  page.is_closed_between(page.began + kGreetMs, page.loop.now() + kGreetMs + 1);
  CHECK(page.got().empty());
  CHECK(page.route.ended(Reason::kGreetTimeout) == 0);
  Door plain(of_page(timed(), {}));
  plain.tick_at(plain.began + kGreetMs);
  CHECK(plain.route.ended(Reason::kGreetTimeout) == 0);
  plain.tick_at(plain.loop.now() + kGreetMs + 1);
  CHECK(plain.got().starts_with("HTTP/1.1 408 "));
  CHECK(plain.route.ended(Reason::kGreetTimeout) == 1);
}

TEST_CASE("http caller: the time for a request begins with the answer to the one before") {
  Door door;
  const Millis then = door.loop.now();
  door.until([&] { return door.loop.now() >= then + 50; });
  CHECK_FALSE(door.answer(kGet).empty());
  door.tick_at(door.began + kGreetMs + 1);
  CHECK(door.times_over == 0);
  door.tick_at(door.loop.now() + kGreetMs + 1);
  CHECK(door.times_over == 1);
}

TEST_CASE("http caller: a client that stops in the middle of a request is told so, and counts as refused") {
  Door door;
  CHECK(door.answer("GET / HT").empty());
  door.tick_at(door.began + kGreetMs);
  CHECK(door.route.ended(Reason::kGreetTimeout) == 0);
  door.tick_at(door.loop.now() + kGreetMs + 1);
  CHECK(door.got().starts_with("HTTP/1.1 408 "));
  CHECK(door.route.ended(Reason::kGreetTimeout) == 1);
}

TEST_CASE("http caller: a request that cannot be read is a refused client, once, and is closed within linger_ms") {
  Door door;
  CHECK(door.answer("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  CHECK(door.route.ended(Reason::kBadRequest) == 1);
  CHECK(door.answer("more nonsense\r\n\r\n").empty());
  CHECK(door.route.ended(Reason::kBadRequest) == 1);
  door.is_closed_between(door.began + kLingerMs - 1, door.loop.now() + kLingerMs);
}

TEST_CASE("http caller: a client whose request cannot be read is told so, and then reads the end") {
  Door door;
  door.client.send("nonsense\r\n\r\n");
  door.settle();
  CHECK(as_text(door.client.read_all()).starts_with("HTTP/1.1 400 "));
}

TEST_CASE("http caller: a client that takes nothing of its answer for stall_ms is closed") {
  Door door(of_page(timed(), large_page()), false, 4'096);
  door.client.send(kGet);
  door.settle();
  door.is_closed_between(door.began + kStallMs, door.loop.now() + kStallMs + 1);
}

TEST_CASE("http caller: a client that does not read its answer keeps a stop waiting for linger_ms, and no longer") {
  Door door(of_page(timed(), large_page()), false, 4'096);
  door.client.send(kGet);
  door.settle();
  const Millis stop = door.loop.now() + 500;
  door.pretend(stop);
  door.caller->stop();
  door.is_closed_between(stop + kLingerMs - 1, stop + kLingerMs);
}

TEST_CASE("http caller: a connection lasts a minute and linger_ms at most, but not while it waits for a session") {
  Limits patient = timed();
  patient.greet_ms = patient.stall_ms = 0;
  const Millis longest = HttpCaller::kLongestCall + kLingerMs;
  Door reads_nothing(of_page(patient, large_page()), false, 4'096);
  reads_nothing.client.send(kGet);
  reads_nothing.settle();
  reads_nothing.is_closed_between(reads_nothing.began + longest - 1, reads_nothing.began + longest);
  Door asks_nothing(of_page(patient));
  asks_nothing.is_closed_between(asks_nothing.began + longest - 1, asks_nothing.began + longest);
  Door asks_slowly(of_page(patient));
  CHECK(asks_slowly.answer("GET / HT").empty());
  asks_slowly.tick_at(asks_slowly.began + longest);
  CHECK(asks_slowly.got().starts_with("HTTP/1.1 408 "));
  CHECK(asks_slowly.route.ended(Reason::kGreetTimeout) == 1);
  Door waits(of_page(patient));
  CHECK(waits.answer(upgrade_request()).empty());
  waits.tick_at(waits.began + 2 * longest);
  CHECK(waits.times_over == 0);
}

TEST_CASE("http caller: what waits for an address's clients is limited, and who exceeds that is closed") {
  static const std::string kLarge(16U << 20U, 'x');
  static const Asset kFiles[] = {{"index.html", "text/html", kLarge}};
  Limits limits = timed();
  limits.address_waiting_bytes = 1U << 16U;
  Door door(of_page(limits, kFiles), false, 4'096);
  CHECK(door.route.address_bytes.known() == 0);
  door.client.send(kGet);
  door.settle();
  door.tick_at(door.loop.now());
  const bool closed = door.times_over == 1;
  if (!closed) CHECK(door.route.address_bytes.known() == 1);  // a file of the program is shared, and counts in part
  door.caller.reset();
  CHECK(door.route.address_bytes.known() == 0);
}

TEST_CASE("http caller: further requests of an address above its rate wait, and are answered when it is their turn") {
  Limits limits = timed();
  limits.connects_per_second = 1;
  limits.connects_burst = 100;
  Door door(of_page(limits));
  const net::Address from = door.client.here();
  const Millis now = door.loop.now();
  for (std::uint32_t i = 0; i < Admission::kRequestsAtOnce; ++i)
    CHECK_FALSE(door.admission().request(from, limits, now));
  CHECK(door.admission().request(from, limits, now) == Reason::kTooFast);
  CHECK(door.answer(kHead).starts_with("HTTP/1.1 200 "));  // the first came with the connection
  CHECK(door.counters().http_found.read() == 1);
  door.client.send(kHead);
  door.until([&] {
    door.caller->tick(door.loop.now());
    return door.counters().http_found.read() == 2;
  });
  CHECK(door.got().starts_with("HTTP/1.1 200 "));
}

TEST_CASE(
    "http caller: when the program stops, who asked for a WebSocket is refused, and others are told that it stops") {
  Door asks;
  CHECK(asks.answer(upgrade_request()).empty());
  asks.caller->stop();
  CHECK(asks.got().starts_with("HTTP/1.1 " + std::to_string(relay::telling(Reason::kDraining).http)));
  CHECK(asks.route.ended(Reason::kDraining) == 1);
  CHECK_FALSE(asks.caller->waits_for_session());
  Door silent;
  silent.caller->stop();
  CHECK(silent.got().starts_with("HTTP/1.1 " + std::to_string(relay::telling(Reason::kStopped).http)));
  CHECK(silent.route.heard.lines().empty());
  for (Door* const one : {&asks, &silent}) {
    CHECK(one->times_over == 0);
    one->client.close();
    one->until([&] { return one->times_over == 1; });
  }
}

TEST_CASE("http caller: a client that breaks its connection, or ends it without a request, is over at once") {
  for (const bool resets : {true, false}) {
    CAPTURE(resets);
    Door door;
    resets ? door.client.reset() : door.client.finish();
    door.until([&] { return door.times_over == 1; });
    CHECK(door.route.heard.lines().empty());
  }
}

TEST_CASE("http caller: a client that has ended its direction still gets all that it asked for") {
  static const std::string kLarge(24U << 20U, 'x');
  static const Asset kFiles[] = {{"index.html", "text/html", kLarge}};
  Door door(of_page(timed(), kFiles), false, 4'096);
  door.client.send(kGet);
  door.client.finish();
  std::size_t heard = 0;
  door.until([&] {
    while (door.client.readable(0)) {
      const Buffer some = door.client.read_some();
      if (some.empty()) break;
      heard += some.size();
    }
    return door.times_over == 1;
  });
  while (door.client.readable(0)) {
    const Buffer some = door.client.read_some();
    if (some.empty()) break;
    heard += some.size();
  }
  CHECK(heard > kLarge.size());
}

TEST_CASE("http caller: a client that waits for a session and hangs up is over at the next tick") {
  Door door;
  CHECK(door.answer(upgrade_request()).empty());
  door.client.close();
  door.until([&] {
    door.caller->tick(door.loop.now());
    return door.times_over == 1;
  });
}

}  // namespace
}  // namespace entente::testing::http_caller_test
