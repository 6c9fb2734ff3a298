// Real addresses: read from a load balancer's PROXY header, sent to the server in one, or shown to a server on the same
// machine as addresses of 127.0.0.0/8.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/aos/aos.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/ogar/ogar.h"
#include "proxy/net/proxies/proxy_header_reader.h"
#include "proxy/relay/admission/admission.h"
#include "proxy/relay/route/loopback_sources.h"
#include "proxy/relay/tap/tap.h"
#include "tests/relay/bridging.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/in_shared_room.h"
#include "tests/relay/native_lines.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::real_address_test {
namespace {

using namespace std::string_literals;

net::Network net_of(const char* text) { return *net::Network::parse(text); }
net::Address at(const std::string& text) { return *net::Address::parse(text); }

relay::RouteOptions options_for(const wire::Game& game) {
  relay::RouteOptions options;
  options.game = &game;
  options.servers[0].dialect = 0;
  options.listen = loopback();
  return options;
}

/// Clients come through load balancers on this machine.
relay::RouteOptions behind_balancers(const wire::Game& game, const char* networks = "127.0.0.0/8") {
  auto options = options_for(game);
  options.proxies.networks = {net_of(networks)};
  return options;
}

struct Relay final : Serving {
  Relay(relay::RouteOptions options, const net::Address& server, const Limits& limits = no_limits(),
        relay::Tap* tap = nullptr)
      : Serving(1) {
    serve(std::move(options), server, limits, tap);
  }
};

std::string header(const char* client, net::ProxyVersion version = net::ProxyVersion::kV1) {
  Buffer out;
  net::append_proxy_header(out, version, at(client), at("198.51.100.1:5154"));
  return {out.begin(), out.end()};
}

Stream from(const char* ip, const net::Address& to) {
  const net::Address here = *net::Address::parse(ip, 0);
  return Stream::to(to, &here);
}

// -- In ---------------------------------------------------------------------------------------------------------------

TEST_CASE("a client's address is that of the PROXY header, and the header is not passed on") {
  for (const auto version : {net::ProxyVersion::kV1, net::ProxyVersion::kV2}) {
    FakeServer fake(true);
    Relay relay(behind_balancers(toy::game()), fake.address());
    const Stream client = Stream::to(relay.address);
    client.send(header("192.0.2.7:40000", version) + std::string(kHello));
    const Stream server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    CHECK(relay.heard.line("opened 192.0.2.7:40000"));
    REQUIRE(relay.sessions().size() == 1);
    CHECK(relay.sessions()[0].info.client == at("192.0.2.7:40000"));
    CHECK(relay.sessions()[0].source.wildcard());
  }
}

TEST_CASE("a PROXY header may come in pieces") {
  FakeServer fake(true);
  Relay relay(behind_balancers(toy::game()), fake.address());
  const Stream client = Stream::to(relay.address);
  const std::string whole = header("192.0.2.7:40000") + std::string(kHello);
  for (std::size_t i = 0; i < whole.size(); ++i) client.send(whole.substr(i, 1));
  CHECK(fake.accept().read_text(4) == kHello);
  CHECK(relay.heard.line("opened 192.0.2.7:40000"));
}

/// The headers of health checks: LOCAL of version 2, UNKNOWN of version 1.
std::vector<std::string> check_headers() {
  std::vector<std::string> all;
  for (const auto version : {net::ProxyVersion::kV2, net::ProxyVersion::kV1}) {
    Buffer out;
    net::append_proxy_header(out, version, std::nullopt, at("198.51.100.1:5154"));
    all.emplace_back(out.begin(), out.end());
  }
  return all;
}

void check_unnoticed(Relay& relay) {
  CHECK(relay.totals().begun == 0);
  CHECK(relay.totals().current_sessions() == 0);
  for (std::size_t i = 0; i < relay::kReasons; ++i) CHECK(relay.totals().ended[i] == 0);
  CHECK(relay.heard.lines() == std::vector<std::string>{});
  CHECK(relay.sessions().empty());
}

TEST_CASE("a health check takes no place, and is no session, line or frame of the recording, unless its client plays") {
  for (const std::string& check : check_headers()) {
    FakeServer fake(true);
    auto options = behind_balancers(toy::game());
    options.access = {{{net_of("192.0.2.0/24")}, {}}};  // of players: a load balancer has another address
    Limits limits = no_limits();
    limits.sessions = limits.sessions_per_address = 1;
    limits.connects_per_second = limits.connects_burst = 1;
    relay::TapThread tap({});
    Relay relay(options, fake.address(), limits, &tap);
    std::vector<Stream> checks;
    for (int i = 0; i < 8; ++i) (checks.emplace_back(Stream::to(relay.address))).send(check);
    const Stream greets = Stream::to(relay.address);
    greets.send(check + std::string(kHello));
    Stream its_server = fake.accept();
    CHECK(its_server.read_text(4) == kHello);
    its_server.send(kWelcome);
    CHECK(greets.read_text(4) == kWelcome);
    checks.clear();
    check_unnoticed(relay);

    const Stream client = Stream::to(relay.address);  // beside the health check that talks
    client.send(header("192.0.2.7:1") + std::string(kHello));
    CHECK(fake.accept().read_text(4) == kHello);
    CHECK(relay.heard.line("opened 192.0.2.7:1"));
    CHECK(relay.sessions().size() == 1);
    greets.finish();
    CHECK(its_server.read_all().empty());
    CHECK(relay.totals().begun == 1);
    relay.stop();
    CHECK(tap.stop().ok());
    CHECK(tap.totals().frames == 1);  // the client's greeting
  }
}

TEST_CASE("a header that names the load balancer's own connection is a health check's") {
  FakeServer fake(true);
  Relay relay(behind_balancers(toy::game()), fake.address());
  for (const auto version : {net::ProxyVersion::kV1, net::ProxyVersion::kV2}) {
    const Stream check = Stream::to(relay.address);
    check.send(header(check.here().text().c_str(), version) + std::string(kHello));
    CHECK(fake.accept().read_text(4) == kHello);
    check_unnoticed(relay);
  }
  const Stream client = Stream::to(relay.address);  // another port of the same machine
  client.send(header("127.0.0.1:1") + std::string(kHello));
  CHECK(fake.accept().read_text(4) == kHello);
  CHECK(relay.heard.line("opened 127.0.0.1:1"));
}

TEST_CASE("a health check of a bridge, too, is no session, no line and in no recording") {
  FakeServer fake(true);
  auto options = behind_balancers(toy::stream());
  options.bridge = toy_bridge(toy::stream(), toy::stream());
  relay::TapThread tap({});
  Relay relay(options, fake.address(), no_limits(), &tap);
  const Stream check = Stream::to(relay.address);
  check.send(check_headers()[0] + std::string(kHello));
  const Stream server = fake.accept();
  CHECK(server.read_text(4) == kHello);
  server.send(kWelcome);
  CHECK(check.read_text(4) == kWelcome);
  check_unnoticed(relay);
  check.finish();
  (void)server.read_all();
  check_unnoticed(relay);
  relay.stop();
  CHECK(tap.stop().ok());
  CHECK(tap.totals().frames == 0);
}

TEST_CASE("a client that came as a health check takes a place when it plays, and is recorded from its beginning") {
  for (const std::string& check : check_headers()) {
    FakeServer fake(true);
    Limits limits = no_limits();
    limits.sessions = 1;
    relay::TapThread tap({});
    Relay relay(behind_balancers(toy::game()), fake.address(), limits, &tap);
    const auto come = [&] {
      auto both = std::pair(Stream::to(relay.address), Stream());
      both.first.send(check + std::string(kHello));
      both.second = fake.accept();
      CHECK(both.second.read_text(4) == kHello);
      both.second.send(kWelcome);
      CHECK(both.first.read_text(4) == kWelcome);
      return both;
    };
    const auto plays = come(), late = come();
    plays.first.send(frame("m"));
    CHECK(relay.heard.line("opened " + plays.first.here().text()));
    CHECK(relay.totals().current_sessions() == 1);
    late.first.send(frame("m"));
    CHECK(relay.ended(relay::Reason::kTooMany));
    CHECK(as_text(late.first.read_all()) == kGoodbye);
    plays.first.finish();
    plays.second.finish();
    CHECK(eventually([&] { return relay.sessions().empty(); }));
    const auto again = come();  // the place is free
    again.first.send(frame("m"));
    CHECK(relay.heard.line("opened " + again.first.here().text()));
    relay.stop();
    CHECK(tap.stop().ok());
    CHECK(tap.totals().frames == 6);  // of each: two greetings and a message
  }
}

TEST_CASE("a player of a bridge who came as a health check, and for whom there is no place, is told so") {
  const LateServer game(free_for_both());
  auto options = held(0, native::game(), true);
  options.proxies.networks = {net_of("127.0.0.0/8")};
  options.servers[0].host = game.address().ip_text();
  options.servers[0].port = game.address().port();
  struct Bridge final : Serving {
    explicit Bridge(relay::RouteOptions its) : Serving(1) {
      Limits limits = no_limits();
      limits.sessions = 1;
      serve_all(std::move(its), limits);
    }
  } bridge(std::move(options));
  const auto come = [&] {
    Lines client(Stream::to(bridge.address));
    client.stream().send(check_headers()[0]);
    client.say(R"({"enter":{"name":"anna"}})");
    auto [server, enter] = greet(game);
    let_in(server, "one", "ben");
    return std::pair(std::move(client), std::move(server));
  };
  auto plays = come();
  plays.first.until("ready");
  auto late = come();
  late.first.all();
  late.second.all();
  CHECK(bridge.ended(relay::Reason::kTooMany));
  CHECK(bridge.sessions().size() == 1);
  plays.first.say(R"({"say":{"text":"still here"}})");
  plays.second.until("still here");
}

TEST_CASE("a player of a shared room who came as a health check, and for whom there is no place, is told so") {
  struct Sharing final : Serving {
    Sharing() : Serving(1) {
      relay::SharedRoomOptions room;
      room.name = "a test";
      room.game = &toy::stream();
      room.back = [] { return std::make_unique<Herald>(); };
      auto options = behind_balancers(toy::stream());
      options.bridge = toy_bridge(toy::stream(), toy::stream());
      options.bridge->shared_room = server().add_shared_room(room);
      Limits limits = no_limits();
      limits.sessions = 1;
      serve_all(std::move(options), limits);
    }
  } room;
  const auto come = [&] {
    Stream client = Stream::to(room.address);
    client.send(check_headers()[0] + std::string(kHello));
    CHECK(client.read_text(4) == kWelcome);
    return client;
  };
  const Stream plays = come();
  plays.send(said("here"));
  CHECK(plays.read_text(6) == said("here"));
  CHECK(as_text(come().read_all()) == kGoodbye);
  CHECK(room.ended(relay::Reason::kTooMany));
  plays.send(said("still here"));
  CHECK(plays.read_text(12) == said("still here"));
}

TEST_CASE("a health check that waits for the server's greeting gets it, and one that only connects reaches no server") {
  FakeServer fake(true);
  Relay relay(behind_balancers(toy::ungreeted()), fake.address());
  Stream::to(relay.address).send(check_headers()[0]);
  const Stream waits = Stream::to(relay.address);
  waits.send(check_headers()[1]);
  const Stream server = fake.accept();
  server.send(frame("m"));
  CHECK(waits.read_text(3).size() == 3);
  check_unnoticed(relay);
  CHECK(!fake.called(0));
}

TEST_CASE("health checks that time out while the server is away give their places to others, and are not noticed") {
  auto options = behind_balancers(toy::game());
  options.servers[0].dialect = std::nullopt;
  options.upstream.hold_ms = 60'000;
  options.upstream.check_ms = 60'000;
  Limits limits = no_limits();
  limits.sessions_per_address = 1;
  Relay relay(options, free_for_both(), limits);
  CHECK(relay.heard.line("cannot reach server"));
  const std::size_t lines = relay.heard.lines().size();
  const auto check = [&] {
    Stream made = Stream::to(relay.address);
    made.send(check_headers()[0] + std::string(kHello));
    return made;
  };
  std::vector<Stream> all;
  for (std::uint32_t i = 0; i < relay::Admission::kCallersOfAddress; ++i) all.push_back(check());
  CHECK(eventually([&] { return check().readable(100); }));  // refused: the places are taken
  all.clear();
  CHECK(eventually([&] { return !check().readable(200); }));
  CHECK(relay.totals().by(relay::Reason::kClientLeft) == 0);
  CHECK(relay.heard.lines().size() == lines);
}

TEST_CASE("while a listener drains, a health check is refused, and neither counted nor logged") {
  FakeServer fake(true);
  Relay relay(behind_balancers(toy::game()), fake.address());
  relay.set_draining(true);
  const Stream check = Stream::to(relay.address);
  check.send(check_headers()[0] + std::string(kHello));
  CHECK(as_text(check.read_all()) == kGoodbye);
  check_unnoticed(relay);
}

TEST_CASE("limits, bans and access lists use the address of the header") {
  FakeServer fake(true);
  auto options = behind_balancers(toy::game());
  options.access = {{{}, {net_of("203.0.113.0/24")}}};
  Limits limits = no_limits();
  limits.sessions_per_address = 1;
  Relay relay(options, fake.address(), limits);
  const Stream first = Stream::to(relay.address), second = Stream::to(relay.address), third = Stream::to(relay.address),
               fourth = Stream::to(relay.address);
  first.send(header("192.0.2.7:1"));
  second.send(header("192.0.2.8:1"));
  CHECK(eventually([&] { return relay.totals().begun == 2; }));
  third.send(header("192.0.2.7:2"));
  CHECK(relay.ended(relay::Reason::kTooManyFromAddress));
  fourth.send(header("203.0.113.9:1"));
  CHECK(relay.ended(relay::Reason::kNotAllowed));
  CHECK(relay.totals().begun == 2);
}

TEST_CASE("a peer that is no trusted load balancer is refused, and its header is not read") {
  FakeServer fake(true);
  Relay relay(behind_balancers(toy::game(), "10.0.0.0/8"), fake.address());
  const Stream client = Stream::to(relay.address);
  client.send(header("192.0.2.7:40000"));
  CHECK(as_text(client.read_all()) == kGoodbye);
  CHECK(relay.ended(relay::Reason::kNotProxy));
  CHECK(relay.totals().refused() == 1);
  CHECK(relay.heard.line("not a trusted proxy"));
}

TEST_CASE("a connection without a PROXY header is refused with the reason") {
  FakeServer fake(true);
  Relay relay(behind_balancers(toy::game()), fake.address());
  Stream::to(relay.address).send(kHello);
  CHECK(relay.heard.line("bad request: no PROXY header"));
  Stream::to(relay.address).send("PROXY TCP4 192.0.2.7 198.51.100.1 99999 1\r\n");
  CHECK(relay.heard.line("bad PROXY header/source port"));
  CHECK(relay.totals().begun == 0);
}

TEST_CASE("a health check of a load balancer is not counted") {
  FakeServer fake(true);
  Relay relay(behind_balancers(toy::game()), fake.address());
  Stream::to(relay.address).close();
  Stream::to(relay.address).send(kHello);  // after the health check
  CHECK(relay.ended(relay::Reason::kBadRequest));
  CHECK(relay.totals().refused() == 1);
  CHECK(relay.totals().by(relay::Reason::kClientLeft) == 0);
}

TEST_CASE("a connection whose header does not come in time is closed") {
  FakeServer fake(true);
  Limits limits = no_limits();
  limits.greet_ms = 50;
  Relay relay(behind_balancers(toy::game()), fake.address(), limits);
  const Stream client = Stream::to(relay.address);
  client.send("PROXY TCP4");
  CHECK(relay.ended(relay::Reason::kGreetTimeout));
}

TEST_CASE("with too many connections without a header, the oldest is closed") {
  FakeServer fake(true);
  Relay relay(behind_balancers(toy::game()), fake.address());
  std::vector<Stream> idle;
  for (std::size_t i = 0; i <= net::ProxyHeaderReader::kMost; ++i) idle.push_back(Stream::to(relay.address));
  CHECK(relay.ended(relay::Reason::kTooMany));
  idle.back().send(header("192.0.2.7:40000") + std::string(kHello));
  CHECK(fake.accept().read_text(4) == kHello);
}

TEST_CASE("a PROXY header goes before a WebSocket's request") {
  FakeServer fake;
  Relay relay(behind_balancers(ogar::game()), fake.address());
  const Stream client = Stream::to(relay.address);
  client.send(header("192.0.2.7:40000") +
              "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  const WebServer server(fake);
  REQUIRE(server.request.find("X-Forwarded-For") != nullptr);
  CHECK(*server.request.find("X-Forwarded-For") == "192.0.2.7");
  REQUIRE(eventually([&] { return relay.sessions().size() == 1; }));
  CHECK(relay.sessions()[0].info.client == at("192.0.2.7:40000"));
}

// -- In, by HTTP headers ----------------------------------------------------------------------------------------------

/// Clients come through HTTP proxies on this machine.
relay::RouteOptions behind_http(const char* networks = "127.0.0.0/8") {
  auto options = options_for(ogar::game());
  options.proxies = {{net_of(networks)}, net::ClientNaming::kForwarded};
  return options;
}

std::string request(const std::string& headers) {
  return "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
         headers + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
}

TEST_CASE("a client's address is that of the HTTP header, and the server gets this one only") {
  FakeServer fake;
  Relay relay(behind_http(), fake.address());
  const Stream client = Stream::to(relay.address);
  client.send(
      request("X-Forwarded-For: 203.0.113.1, 192.0.2.7, 127.0.0.9\r\nX-Real-IP: 203.0.113.1\r\norigin: http://a\r\n"));
  const Stream server = fake.accept();
  std::string heard;
  while (heard.find("\r\n\r\n") == std::string::npos) {
    const Buffer some = server.read_some();
    heard += as_text(some);
  }
  CHECK(heard.find("origin: http://a\r\n") != std::string::npos);
  CHECK(heard.find("X-Forwarded-For: 192.0.2.7\r\n") != std::string::npos);
  CHECK(heard.find("203.0.113.1") == std::string::npos);
  REQUIRE(eventually([&] { return relay.sessions().size() == 1; }));
  CHECK(relay.sessions()[0].info.client == at("192.0.2.7:" + std::to_string(client.here().port())));
}

TEST_CASE("a request may come in pieces, and Forwarded is also read") {
  FakeServer fake;
  Relay relay(behind_http(), fake.address());
  const Stream client = Stream::to(relay.address);
  const std::string whole = request("Forwarded: for=\"[2001:db8::7]:4711\";proto=https\r\n");
  for (std::size_t i = 0; i < whole.size(); ++i) client.send(whole.substr(i, 1));
  const Stream server = fake.accept();
  CHECK(server.read_text(4) == "GET ");
  REQUIRE(eventually([&] { return relay.sessions().size() == 1; }));
  CHECK(relay.sessions()[0].info.client == at("[2001:db8::7]:4711"));
}

TEST_CASE("limits, bans and access lists use the address of the HTTP header") {
  FakeServer fake;
  auto options = behind_http();
  options.access = {{{}, {net_of("203.0.113.0/24")}}};
  Limits limits = no_limits();
  limits.sessions_per_address = 1;
  Relay relay(options, fake.address(), limits);
  const Stream first = Stream::to(relay.address), second = Stream::to(relay.address), third = Stream::to(relay.address);
  first.send(request("X-Forwarded-For: 192.0.2.7\r\n"));
  CHECK(fake.accept().read_text(4) == "GET ");
  second.send(request("X-Forwarded-For: 192.0.2.7\r\n"));
  CHECK(relay.ended(relay::Reason::kTooManyFromAddress));
  third.send(request("X-Forwarded-For: 203.0.113.9\r\n"));
  CHECK(relay.ended(relay::Reason::kNotAllowed));
  CHECK(third.read_text(13) == "HTTP/1.1 403 ");
}

TEST_CASE("a peer that is no trusted HTTP proxy is refused, whatever it sends") {
  FakeServer fake;
  Relay relay(behind_http("10.0.0.0/8"), fake.address());
  const Stream client = Stream::to(relay.address);
  client.send(request("X-Forwarded-For: 192.0.2.7\r\n"));
  CHECK(relay.ended(relay::Reason::kNotProxy));
  CHECK(client.read_text(13) == "HTTP/1.1 403 ");
}

TEST_CASE("a request that does not name its client is refused with the reason") {
  FakeServer fake;
  Relay relay(behind_http(), fake.address());
  const auto answer = [&](const std::string& sent) {
    const Stream client = Stream::to(relay.address);
    client.send(sent);
    const Buffer all = client.read_all();
    return std::string(as_text(all));
  };
  const auto says = [](const std::string& all, std::string_view why) { return all.find(why) != std::string::npos; };
  const std::string none = answer(request(""));
  CHECK(none.starts_with("HTTP/1.1 400 "));
  CHECK(says(none, "no X-Forwarded-For or Forwarded header"));
  CHECK(says(answer(request("Forwarded: for=_x\r\n")), "hidden forwarded address"));
  CHECK(relay.heard.line("hidden forwarded address/Forwarded"));
  CHECK(says(answer(request("X-Forwarded-For: 192.0.2.7\r\nForwarded: for=192.0.2.8\r\n")), "disagree"));
  CHECK(says(answer(std::string("\x16\x03\x01", 3)), "not HTTP/1.1"));  // TLS
  CHECK(says(answer("GET / HTTP/1.1\r\nX-Forwarded-For: " + std::string(17'000, '1')), "head too large"));
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 101; ++i) many += "X-Forwarded-For: 192.0.2.7\r\n";
  CHECK(says(answer(many + "\r\n"), "too many headers"));
  CHECK(relay.ended(relay::Reason::kBadRequest, 6));
  CHECK(relay.totals().begun == 0);
}

TEST_CASE("a request that is cut anywhere ends the connection without a session") {
  FakeServer fake;
  Relay relay(behind_http(), fake.address());
  const std::string whole = request("X-Forwarded-For: 192.0.2.7\r\n");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    Stream client = Stream::to(relay.address);
    client.send(whole.substr(0, size));
    client.finish();
    CHECK(client.read_all().empty());
  }
  CHECK(relay.sessions().empty());
  CHECK(relay.totals().begun == 0);
}

TEST_CASE("a connection whose request does not end is closed in time") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.greet_ms = 50;
  Relay relay(behind_http(), fake.address(), limits);
  const Stream client = Stream::to(relay.address);
  client.send("GET / HTTP/1.1\r\nX-Forwarded-For: 192.0.2.7\r\n");
  CHECK(relay.ended(relay::Reason::kGreetTimeout));
}

// -- Out --------------------------------------------------------------------------------------------------------------

TEST_CASE("the server gets the client's address before anything else") {
  FakeServer fake(true);
  auto options = behind_balancers(toy::game());
  options.send_proxy = net::ProxyVersion::kV1;
  Relay relay(options, fake.address());
  const Stream client = Stream::to(relay.address);
  client.send(header("192.0.2.7:40000") + std::string(kHello));
  const std::string expected =
      "PROXY TCP4 192.0.2.7 127.0.0.1 40000 " + std::to_string(fake.address().port()) + "\r\n" + std::string(kHello);
  const Stream server = fake.accept();
  CHECK(server.read_text(expected.size()) == expected);
  server.send(kWelcome);
  CHECK(client.read_text(4) == kWelcome);
}

TEST_CASE("a WebSocket server gets the client's address before the request") {
  FakeServer fake;
  auto options = options_for(ogar::game());
  options.send_proxy = net::ProxyVersion::kV2;
  Relay relay(options, fake.address());
  const Stream client = Stream::to(relay.address);
  client.send(
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  const Stream server = fake.accept();
  const Buffer head = server.read(28);
  const auto read = net::read_proxy_header(head);
  REQUIRE(read.ok());
  REQUIRE(read->has_value());
  CHECK((*read)->client == client.here());
  CHECK(server.read_text(4) == "GET ");
}

TEST_CASE("a server whose dialect is detected gets a PROXY header that names no client") {
  FakeServer fake;
  auto options = options_for(bzflag::game());
  options.servers[0].dialect = std::nullopt;
  options.send_proxy = net::ProxyVersion::kV1;
  Relay relay(options, fake.address());
  CHECK(fake.accept().read_text(15) == "PROXY UNKNOWN\r\n");
}

// -- Addresses of 127.0.0.0/8 -----------------------------------------------------------------------------------------

TEST_CASE("source=loopback: each host has its own address for TCP and UDP, and gets the same again") {
  FakeServer fake(true);
  auto options = options_for(toy::game());
  options.source = relay::SourceMode::kLoopback;
  Relay relay(options, fake.address());
  const auto seen_as = [&](const char* ip) {
    const Stream client = from(ip, relay.address);
    client.send(kHello);
    const Stream server = fake.accept();
    CHECK(server.read_text(4) == kHello);
    REQUIRE(relay.sessions().size() == 1);
    CHECK(relay.sessions()[0].source.ip_text() == server.there().ip_text());
    server.send(kWelcome);
    CHECK(client.read_text(4) == kWelcome);
    const std::string seen = server.there().ip_text();
    client.finish();
    CHECK(server.read_all().empty());
    server.finish();
    CHECK(relay.empty());
    return seen;
  };
  const std::string a = seen_as("127.0.0.1"), b = seen_as("127.0.0.2");
  CHECK(a.starts_with("127."));
  CHECK(a != "127.0.0.1");
  CHECK(b != a);
  CHECK(seen_as("127.0.0.1") == a);
  CHECK(seen_as("127.0.0.2") == b);
}

TEST_CASE("source=loopback: datagrams come from the same address as the connection") {
  FakeServer fake(true);
  auto options = options_for(toy::game());
  options.source = relay::SourceMode::kLoopback;
  Relay relay(options, fake.address());
  const net::Address here = free_for_both();
  const Stream client = Stream::to(relay.address, &here);
  client.send(kHello);
  const Stream server = fake.accept();
  CHECK(server.read_text(4) == kHello);
  server.send(kWelcome);
  CHECK(client.read_text(4) == kWelcome);
  const Datagrams udp(here);
  udp.send(relay.address, frame("move"));
  CHECK(fake.take_datagrams().receive().from == server.there());
}

TEST_CASE("source=loopback over ENet, as packets and as datagrams") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    CAPTURE(static_cast<int>(mode));
    Turning turning;
    End server(turning.loop), one(turning.loop);
    const auto settings = aos::game().enet();
    const net::EnetOptions enet{8, settings.channels, settings.range_coder, 8U << 20U, {}};
    const auto bound = server.host.listen(loopback(), enet);
    REQUIRE(bound.ok());
    auto options = options_for(aos::game());
    options.enet = mode;
    options.source = relay::SourceMode::kLoopback;
    Relay relay(options, *bound);
    REQUIRE(one.host.open(enet).ok());
    one.peer = one.host.connect(relay.address, 1, 3);
    turning.until([&] { return one.ups > 0 && server.peer != nullptr; });
    const std::string seen = server.peer->address().ip_text();
    CHECK(seen.starts_with("127."));
    CHECK(seen != "127.0.0.1");
    const auto sessions = relay.sessions();
    REQUIRE(sessions.size() == 1);
    CHECK(sessions[0].source.ip_text() == seen);
    one.host.close();
    server.host.close();
  }
}

TEST_CASE("source=loopback is refused for a server on another machine") {
  Heard heard;
  relay::ProxyServer server(1, heard);
  auto options = options_for(toy::game());
  options.source = relay::SourceMode::kLoopback;
  options.servers[0].host = "192.0.2.7";
  options.servers[0].port = 1;
  const auto added = server.add(options);
  REQUIRE_FALSE(added.ok());
  CHECK(added.error().text.find("source=loopback") != std::string::npos);
}

TEST_CASE("addresses of 127.0.0.0/8: stable, and never shared by two hosts at once") {
  relay::LoopbackSources sources, others;
  const auto a = sources.take(at("192.0.2.7:1"));
  CHECK(sources.take(at("192.0.2.7:2")).address() == a.address());
  CHECK(others.take(at("192.0.2.7:3")).address() == a.address());  // as after a restart
  CHECK(sources.take(at("[2001:db8::1]:1")).address() == sources.take(at("[2001:db8::2]:1")).address());
  // Whoever knows the program does not know where a host goes: that depends on the machine's key.
  relay::LoopbackSources here("key of one machine"), there("key of another machine");
  unsigned alike = 0;
  for (int i = 1; i <= 100; ++i) {
    const auto host = at("192.0.2." + std::to_string(i) + ":1");
    alike += here.take(host).address() == there.take(host).address() ? 1 : 0;
  }
  CHECK(alike < 3);
  std::set<std::string> seen{a.address().ip_text()};
  std::vector<relay::LoopbackSources::LoopbackAddress> addresses;
  for (unsigned i = 0; i < 20'000; ++i) {
    const std::string ip =
        "10." + std::to_string(i >> 16U) + "." + std::to_string(i >> 8U & 255U) + "." + std::to_string(i & 255U);
    addresses.push_back(sources.take(*net::Address::parse(ip, 1)));
    REQUIRE(seen.insert(addresses.back().address().ip_text()).second);
    REQUIRE(addresses.back().address().ip_text().starts_with("127."));
  }
}

TEST_CASE("addresses of 127.0.0.0/8: a host that has come back keeps its address, however many others come and go") {
  const std::string key = "a key";
  const auto host = [](unsigned number) {
    return *net::Address::parse("10." + std::to_string(number >> 16U) + "." + std::to_string(number >> 8U & 255U) +
                                    "." + std::to_string(number & 255U),
                                1);
  };
  // Two hosts that get the same address, unless the other one is there. Many have their turn at the first addresses.
  std::map<std::string, unsigned> first_of;
  std::optional<std::pair<net::Address, net::Address>> alike;
  for (unsigned i = 0; !alike && i < 100'000; ++i) {
    relay::LoopbackSources alone(key);
    const auto [known, fresh] = first_of.try_emplace(alone.take(host(i)).address().ip_text(), i);
    if (!fresh && !known->first.starts_with("127.1.")) alike.emplace(host(known->second), host(i));
  }
  REQUIRE(alike.has_value());
  relay::LoopbackSources sources(key);
  const net::Address its = sources.take(alike->first).address();
  const auto back = sources.take(alike->first);
  CHECK(back.address() == its);
  for (unsigned i = 0; i < 70'000; ++i) (void)sources.take(host(1U << 20U | i));
  CHECK(sources.take(alike->first).address() == its);
  CHECK_FALSE(sources.take(alike->second).address() == its);

  relay::LoopbackSources many(key);
  CHECK(many.take(alike->first).address() == its);
  CHECK_FALSE(many.take(alike->second).address() == its);  // the address is kept for the first one
  for (unsigned i = 0; i < 70'000; ++i) (void)many.take(host(1U << 20U | i));
  CHECK(many.take(alike->second).address() == its);  // of so many that have left, the oldest are forgotten
}

}  // namespace
}  // namespace entente::testing::real_address_test
