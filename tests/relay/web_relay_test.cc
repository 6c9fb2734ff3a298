// A relay of WebSockets passes on requests, messages, control frames and ends.
#include <doctest/doctest.h>

#include "adapters/ogar/ogar.h"
#include "proxy/relay/admission/admission.h"
#include "tests/relay/web_peers.h"
#include "tests/support/certificate.h"
#include "tests/support/heap.h"

namespace entente::testing::web_relay_test {
namespace {

using net::CloseFrame;
using net::Opcode;
using relay::Reason;

TEST_CASE("messages of both kinds pass in both directions, one for one, and reach the tap") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebPair pair(running, fake);
  pair.client.send("fe06000000");
  CHECK(pair.server.next() == "b:fe06000000");
  pair.client.send(Opcode::kText, from_hex("ff00000000"));
  CHECK(pair.server.next() == "t:ff00000000");
  pair.client.send("");
  CHECK(pair.server.next() == "b:");
  pair.server.send("12");
  pair.server.send("100000000000000000");
  CHECK(pair.client.next() == "b:12");
  CHECK(pair.client.next() == "b:100000000000000000");
  REQUIRE(running.sessions().size() == 1);
  CHECK(running.sessions()[0].bytes == 20);

  pair.client.send(CloseFrame{1000, "bye"});
  CHECK(pair.server.next() == "close:1000 bye");
  pair.server.send(CloseFrame{1000, "bye"});
  CHECK(pair.client.next() == "close:1000 bye");
  CHECK(pair.client.next() == "end");
  CHECK(pair.server.next() == "end");
  pair.client.stream().close();
  pair.server.stream().close();
  CHECK(running.empty());
  const auto totals = running.totals();
  CHECK(totals.by(Reason::kClientLeft) == 1);
  CHECK(totals.to_server.frames == 3);
  CHECK(totals.to_client.bytes == 10);
  const auto record = running.tapped.record(1);
  CHECK(to_hex(record.to_server) == "fe06000000ff00000000");
  CHECK(to_hex(record.to_client) == "12100000000000000000");
  CHECK(record.closed == "client left");
}

TEST_CASE("fragments arrive as one message, and several messages in one read stay separate") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebPair pair(running, fake);
  // Masked with zeros: 01 | 02 03.
  pair.client.send_raw(from_hex("0281 00000000 01  8082 00000000 0203  8281 00000000 04"));
  CHECK(pair.server.next() == "b:010203");
  CHECK(pair.server.next() == "b:04");
  Buffer large(300'000, 7);
  pair.server.send(Opcode::kBinary, large);
  CHECK((pair.client.next() == "b:" + to_hex(large)));
}

TEST_CASE("pings and pongs are passed on, and the relay adds none") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebPair pair(running, fake);
  pair.client.send(Opcode::kPing, from_hex("aa"));
  CHECK(pair.server.next() == "ping:aa");
  pair.server.send(Opcode::kPong, from_hex("aa"));
  CHECK(pair.client.next() == "pong:aa");
  pair.server.send(Opcode::kPing, {});
  CHECK(pair.client.next() == "ping:");
  pair.server.send("02");
  CHECK(pair.client.next() == "b:02");
  CHECK_FALSE(pair.server.stream().readable(50));
}

TEST_CASE("pings count against a client's message rate") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.messages_per_second = 50;
  Running running(ogar::game(), fake.address(), limits);
  WebPair pair(running, fake);
  for (int i = 0; i < 150; ++i) pair.client.send(Opcode::kPing, from_hex("aa"));
  CHECK(eventually([&] { return running.totals().throttled > 0; }));
  for (int i = 0; i < 150; ++i) CHECK(pair.server.next() == "ping:aa");
}

/// A message of one byte, with so many empty fragments before it. `mask`: of a client.
Buffer fragmented(std::size_t empty, bool mask) {
  Buffer all;
  const auto frame = [&](std::uint8_t first, Bytes payload) {
    all.push_back(first);
    all.push_back(static_cast<std::uint8_t>(payload.size() | (mask ? 0x80U : 0U)));
    if (mask) append(all, Buffer(4));
    append(all, payload);
  };
  for (std::size_t i = 0; i < empty; ++i) frame(i == 0 ? 2 : 0, {});
  frame(0x80, Buffer{7});
  return all;
}

TEST_CASE("the heads of fragments count against the byte rates of a client and of a server") {
  constexpr std::size_t kEmpty = 60, kMessages = 400;
  for (const bool from_client : {true, false}) {
    CAPTURE(from_client);
    FakeServer fake;
    Limits limits = no_limits();
    (from_client ? limits.bytes_per_second : limits.server_bytes_per_second) = 8'000;
    Running running(ogar::game(), fake.address(), limits);
    WebPair pair(running, fake);
    Buffer all;
    for (std::size_t i = 0; i < kMessages; ++i) append(all, fragmented(kEmpty, from_client));
    WebPeer &from = from_client ? static_cast<WebPeer&>(pair.client) : pair.server,
            &to = from_client ? static_cast<WebPeer&>(pair.server) : pair.client;
    from.send_raw(all);
    CHECK(eventually([&] { return running.totals().throttled > 0; }));
    for (int i = 0; i < 20; ++i) CHECK(to.next() == "b:07");
  }
}

TEST_CASE("a client whose message never ends in empty fragments is sent away") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebPair pair(running, fake);
  const Buffer all = fragmented(net::WebSocket::kMostEmptyFragments + 1, true);
  pair.client.send_raw(all);
  CHECK(pair.client.next() == "close:1008 too many empty fragments");
  CHECK(running.ended(Reason::kBadFrame));
}

TEST_CASE("the server's close code and reason reach the client, also 1012") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  for (const CloseFrame& close_frame :
       {CloseFrame{1003, "Unknown message type"}, CloseFrame{1012, ""}, CloseFrame{4242, "x"}}) {
    WebPair pair(running, fake);
    pair.server.send(close_frame);
    CHECK(pair.client.next() == "close:" + std::to_string(close_frame.code) + " " + close_frame.reason);
    pair.client.send(close_frame);
    CHECK(pair.server.next() == "close:" + std::to_string(close_frame.code) + " " + close_frame.reason);
    CHECK(pair.server.next() == "end");
  }
  CHECK(running.ended(Reason::kServerLeft, 3));
}

TEST_CASE("if a client ends without a close frame, so does its server's link; a client is always told why") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  {
    WebPair pair(running, fake);
    pair.client.stream().close();
    CHECK(pair.server.next() == "end");
  }
  {
    WebPair pair(running, fake);
    pair.server.stream().reset();
    CHECK(pair.client.next_but_messages() == "close:1001 " + std::string(relay::telling(Reason::kServerReset).words));
  }
  CHECK(running.empty());
}

TEST_CASE("the request is passed on with path, query, headers and subprotocol, and so is the answer") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebClient client(running.address, "/world?name=a%20b",
                   {{"Origin", "http://page.example"},
                    {"Sec-WebSocket-Protocol", "one, two"},
                    {"User-Agent", "me"},
                    {"X-Forwarded-For", "203.0.113.1"},
                    {"Forwarded", "for=203.0.113.1"},
                    {"X-Real-IP", "203.0.113.1"}});
  WebServer server(fake);
  CHECK(server.request.target == "/world?name=a%20b");
  CHECK(*server.request.find("Host") == fake.address().text());
  CHECK(*server.request.find("Origin") == "http://page.example");
  CHECK(*server.request.find("User-Agent") == "me");
  CHECK(*server.request.find("Sec-WebSocket-Protocol") == "one, two");
  for (const char* claim : {"X-Forwarded-For", "Forwarded", "X-Real-IP"})  // not passed on: a server may trust them
    CHECK(server.request.find(claim) == nullptr);
  const std::string chosen = "two";
  server.upgrade(&chosen);
  CHECK(*client.upgrade().find("Sec-WebSocket-Protocol") == "two");
}

TEST_CASE("a client gets the status with which the server declines") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebClient client(running.address);
  WebServer server(fake);
  server.send_raw("HTTP/1.1 503 Service Unavailable\r\n\r\n");
  CHECK(client.answer().status == 503);
  CHECK(running.ended(Reason::kServerDeclined));
}

TEST_CASE("a client gets 502 if the server answers its request with a status that is no error") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  struct Row {
    unsigned given, told;
  };
  for (const Row& row : {Row{200, 502}, {302, 502}, {399, 502}, {400, 400}, {599, 599}}) {
    CAPTURE(row.given);
    WebClient client(running.address);
    WebServer server(fake);
    server.send_raw("HTTP/1.1 " + std::to_string(row.given) + " Odd\r\nContent-Length: 0\r\n\r\n");
    CHECK(client.answer().status == row.told);
  }
  CHECK(running.ended(Reason::kServerDeclined, 5));
}

TEST_CASE("a client that cannot be served gets an HTTP status, and the server gets no connection") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  const auto status = [&](std::string_view request) {
    WebPeer client(net::WebSocket::Role::kClient, Stream::to(running.address));
    client.send_raw(request);
    return client.read_head(net::HttpReader::Of::kResponse).status;
  };
  CHECK(status("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == 426);
  CHECK(status("POST / HTTP/1.1\r\nHost: a\r\n\r\n") == 405);
  CHECK(status("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\na") == 400);
  CHECK(status("BZFLAG\r\n\r\n") == 400);
  CHECK(status("GET / HTTP/1.1\r\nA: " + std::string(20'000, 'a')) == 431);
  CHECK(running.ended(Reason::kBadRequest, 4));  // but the first, which any browser may send
  CHECK(running.totals().http_missing == 1);
  CHECK_FALSE(fake.called(50));
}

TEST_CASE("a client over the limit of sessions gets 503, as from OgarII") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.sessions = 1;
  Running running(ogar::game(), fake.address(), limits);
  const WebPair inside(running, fake);
  CHECK(WebClient(running.address).answer().status == 503);
  CHECK(running.ended(Reason::kTooMany));
}

TEST_CASE("a client gets 502 if the server cannot be reached, and 504 if it is silent") {
  net::Address nobody;
  {
    FakeServer gone;
    nobody = gone.address();
  }
  Running none(ogar::game(), nobody);
  WebClient client(none.address);
  CHECK(client.answer().status == 502);
  CHECK(none.ended(Reason::kServerUnreachable));

  FakeServer fake;
  Limits limits = no_limits();
  limits.connect_ms = 50;
  Running silent(ogar::game(), fake.address(), limits);
  WebClient patient(silent.address);
  CHECK(patient.answer().status == 504);
  CHECK(silent.ended(Reason::kServerTimeout));
}

TEST_CASE("a message larger than the game's is refused with 1009 before the server sees any of it") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebPair pair(running, fake);
  pair.client.send(Opcode::kBinary, Buffer(512));
  CHECK((pair.server.next() == "b:" + std::string(1024, '0')));
  pair.client.send(Opcode::kBinary, Buffer(513));
  CHECK(pair.client.next() == "close:1009 message too large");
  CHECK(pair.server.next() == "close:1001 ");
  CHECK(running.ended(Reason::kBadFrame));
  CHECK(running.heard.line("message too large"));
}

TEST_CASE("a peer that breaks the rules of WebSocket gets close code 1002") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  {
    WebPair pair(running, fake);
    pair.client.send_raw(from_hex("8201 01"));
    CHECK(pair.client.next() == "close:1002 not masked by a client");
    CHECK(pair.server.next() == "close:1001 ");
  }
  {
    WebPair pair(running, fake);
    pair.server.send_raw(from_hex("8281 00000000 01"));
    CHECK(pair.server.next() == "close:1002 masked by a server");
    CHECK(pair.client.next_but_messages() ==
          "close:1001 " + std::string(relay::telling(Reason::kServerProtocolError).words));
  }
  CHECK(running.ended(Reason::kBadFrame));
  CHECK(running.ended(Reason::kServerProtocolError));
}

TEST_CASE("a client that sends no request in time gets 408, and one whose close frame gets no answer is closed") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.greet_ms = 100;
  limits.linger_ms = 200;
  Running running(ogar::game(), fake.address(), limits);
  const Stream slow = Stream::to(running.address);
  slow.send("GET / HTTP/1.1\r\n");
  CHECK(as_text(slow.read_all()).starts_with("HTTP/1.1 408 Request Timeout\r\n"));
  CHECK(running.ended(Reason::kGreetTimeout));
  WebPair pair(running, fake);
  pair.client.send(CloseFrame{1000, ""});
  CHECK(pair.server.next() == "close:1000 ");
  CHECK(running.ended(Reason::kClientLeft));
  CHECK(running.empty());
}

TEST_CASE("a client that does not read slows its server down, not the relay") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.high_water = 64 * 1024;
  limits.low_water = 16 * 1024;
  Running running(ogar::game(), fake.address(), limits);
  WebPair pair(running, fake);
  // Far more than all buffers on the way hold. The client reads nothing yet.
  std::thread flood([&] {
    for (int i = 0; i < 2'000; ++i) pair.server.send(Opcode::kBinary, Buffer(20'000, 1));
  });
  CHECK(eventually([&] { return running.totals().stalls > 0; }));
  const std::string expected = "b:" + to_hex(Buffer(20'000, 1));
  for (int i = 0; i < 2'000; ++i) CHECK((pair.client.next() == expected));
  flood.join();
}

TEST_CASE("messages accepted for a slow client reach it, then a close frame, although its server keeps sending") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.high_water = 64 * 1024;
  limits.low_water = 16 * 1024;
  limits.linger_ms = kPatience;
  Running running(ogar::game(), fake.address(), limits);
  WebClient client(running.address, "/", {}, 4096);
  WebServer server(fake);
  server.upgrade();
  client.upgrade();
  Buffer message = from_hex("827e4e20");
  message.resize(4 + 20'000, 7);
  std::size_t sent = 0;
  const auto push = [&] {
    const std::size_t n = server.stream().try_send(Bytes(message).subspan(sent % message.size()));
    sent += n;
    return n != 0;
  };
  CHECK(eventually([&] {
    push();
    return running.totals().stalls > 0;
  }));
  while (push()) continue;
  const std::uint64_t passed = running.totals().to_client.frames;
  REQUIRE(sent > passed * message.size() + 128 * 1024);
  CHECK(running.kick(1, "enough"));
  CHECK(eventually([&] {  // the server's connection is closed
    push();
    pollfd one{server.stream().fd(), 0, 0};
    return ::poll(&one, 1, 0) == 1;
  }));
  const std::string expected = "b:" + to_hex(Bytes(message).subspan(4));
  for (std::uint64_t i = 0; i < passed; ++i) REQUIRE((client.next() == expected));
  CHECK(client.next_but_messages() == "close:1008 kicked: enough");
  CHECK(client.next() == "end");
}

TEST_CASE("the stall time of a peer starts when something waits for it") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.stall_ms = 500;
  limits.linger_ms = 200;
  Running running(ogar::game(), fake.address(), limits);
  WebClient client(running.address, "/", {}, 4096);
  WebServer server(fake);
  server.upgrade();
  client.upgrade();
  CHECK_FALSE(client.stream().readable(700));
  const auto began = std::chrono::steady_clock::now();
  server.send(Opcode::kBinary, Buffer(500'000, 9));  // more than the kernel accepts
  CHECK(running.ended(Reason::kClientStalled));
  CHECK(std::chrono::steady_clock::now() - began > std::chrono::milliseconds(450));
}

TEST_CASE("a server that keeps sending after a close frame does not delay the end") {
  FakeServer fake;
  Limits limits = no_limits();
  limits.linger_ms = 200;
  Running running(ogar::game(), fake.address(), limits);
  WebPair pair(running, fake);
  pair.client.send(CloseFrame{1000, ""});
  CHECK(pair.server.next() == "close:1000 ");
  const Buffer on = from_hex("820102");
  CHECK(eventually([&] {
    (void)pair.server.stream().try_send(on);
    return running.totals().by(Reason::kClientLeft) == 1;
  }));
}

TEST_CASE("the Host header for a server at an IPv6 address has brackets") {
  FakeServer fake(false, true);
  Running running(ogar::game(), fake.address());
  WebClient client(running.address);
  const WebServer server(fake);
  CHECK(*server.request.find("Host") == fake.address().text());
}

/// A relay with these options.
struct WebRunning : Running {
  WebRunning(const net::Address& server, relay::WebOptions web, Limits limits = no_limits())
      : Running(ogar::game(), server, limits, 1, 0, nullptr, std::move(web)) {}
};

TEST_CASE("only the path and the origins that are listed are served") {
  FakeServer fake;
  relay::WebOptions web;
  web.path = "/play";
  web.origins = {"https://page.example"};
  web.server_path = "/inner?a=b";
  WebRunning running(fake.address(), web);
  const std::vector<net::HttpHeader> from{{"Origin", "https://page.example"}};
  CHECK(WebClient(running.address, "/", from).answer().status == 404);
  CHECK(WebClient(running.address, "/play/more", from).answer().status == 404);
  CHECK(WebClient(running.address, "/play").answer().status == 403);
  CHECK(WebClient(running.address, "/play", {{"Origin", "https://page.example.evil"}}).answer().status == 403);
  CHECK(running.ended(Reason::kBadRequest, 4));
  WebClient client(running.address, "/play?x", from);
  WebServer server(fake);
  CHECK(server.request.target == "/inner?a=b");
  server.upgrade();
  client.upgrade();
}

TEST_CASE("one listener serves several routes by path") {
  FakeServer first, second, rest;
  PathRoutes routes;
  relay::ProxyServer& server = routes.server;
  const relay::RouteOptions& options = routes.options;
  routes.add("/first", first);
  routes.add("", rest);
  const std::size_t second_relay = routes.add("/second", second);
  std::thread thread([&] { server.run(); });
  const auto meet = [&](const char* path, const FakeServer& fake) {
    WebClient client(options.listen, path);
    WebServer peer(fake);
    peer.upgrade();
    client.upgrade();
    client.send("fe06000000");
    CHECK(peer.next() == "b:fe06000000");
  };
  meet("/first", first);
  meet("/second", second);
  meet("/else", rest);
  meet("/second?q", second);
  CHECK(eventually([&] { return server.totals(second_relay).gone == 2; }));
  CHECK(server.totals(second_relay).to_server.frames == 2);
  server.stop();
  thread.join();
}

TEST_CASE(
    "routes of one listener: a server's ban keeps a client from the route that leads there, not from the others") {
  FakeServer first, second;
  const std::string names[] = {first.address().text(), second.address().text()};
  const char* const paths[] = {"/first", "/second"};
  const FakeServer* const servers[] = {&first, &second};
  relay::Bans bans(600);
  PathRoutes routes;
  routes.options.bans = &bans;
  std::size_t numbers[2];
  for (int i : {0, 1}) numbers[i] = routes.add(paths[i], *servers[i]);
  std::thread thread([&] { routes.server.run(); });
  for (int banned : {0, 1}) {
    CAPTURE(banned);
    const int other = 1 - banned;
    const net::Address here = loopback();
    REQUIRE(bans.learn(here, "go away", steady_seconds(), names[banned]));
    WebClient refused(routes.options.listen, paths[banned]);
    CHECK(refused.answer().status == 403);
    CHECK(refused.rest() == "go away");
    WebClient client(routes.options.listen, paths[other]);
    WebServer peer(*servers[other]);
    peer.upgrade();
    client.upgrade();
    const auto count = [&](int route) {
      return routes.server.totals(numbers[route]).ended[static_cast<std::size_t>(Reason::kBanned)];
    };
    CHECK(eventually([&] { return count(banned) == 1; }));
    REQUIRE(bans.remove(net::Network::of_host(here)));
  }
  for (const std::string& name : names) REQUIRE(bans.learn(loopback(), "go away", steady_seconds(), name));
  CHECK(WebClient(routes.options.listen, "/else").answer().status == 403);
  routes.server.stop();
  thread.join();
}

TEST_CASE("routes of one listener: the limits of one hold for no client of another, which has none") {
  FakeServer first, second;
  PathRoutes routes;
  routes.options.limits.sessions_per_address = 1;
  routes.add("/first", first);
  routes.options.limits.sessions_per_address = 0;
  routes.add("/second", second);
  std::thread thread([&] { routes.server.run(); });
  std::vector<std::unique_ptr<WebClient>> clients;
  std::vector<std::unique_ptr<WebServer>> servers;
  const auto meet = [&](const char* path, const FakeServer& fake) {
    auto client = std::make_unique<WebClient>(routes.options.listen, path);
    auto server = std::make_unique<WebServer>(fake);
    server->upgrade();
    client->upgrade();
    clients.push_back(std::move(client));
    servers.push_back(std::move(server));
  };
  std::vector<Stream> silent;  // nobody knows yet which route they want
  while (silent.size() <= relay::Admission::kCallersOfAddress) silent.push_back(Stream::to(routes.options.listen));
  meet("/first", first);
  meet("/second", second);
  meet("/second", second);
  CHECK(WebClient(routes.options.listen, "/first").answer().status == 429);
  routes.server.stop();
  thread.join();
}

TEST_CASE("routes of one listener: a health check that came before a drain of its route does not play during it") {
  FakeServer first, second;
  PathRoutes routes;
  routes.options.proxies.networks = {*net::Network::parse("127.0.0.1")};
  const std::size_t drained = routes.add("/first", first), other = routes.add("/second", second);
  std::thread thread([&] { routes.server.run(); });
  const auto check = [&](const std::string& path, const FakeServer& fake) {
    auto client = std::make_unique<WebPeer>(net::WebSocket::Role::kClient, Stream::to(routes.options.listen));
    client->send_raw("PROXY UNKNOWN\r\nGET " + path + " HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n" +
                     "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    auto peer = std::make_unique<WebServer>(fake);
    peer->upgrade();
    CHECK(client->read_head(net::HttpReader::Of::kResponse).status == 101);
    return std::pair(std::move(client), std::move(peer));
  };
  const auto stays = check("/first", first), goes_on = check("/second", second);
  routes.server.set_draining(drained, true);
  stays.first->send("fe06000000");
  CHECK(stays.first->next_but_messages().starts_with("close:"));
  CHECK(eventually(
      [&] { return routes.server.totals(drained).ended[static_cast<std::size_t>(Reason::kDraining)] == 1; }));
  goes_on.first->send("fe06000000");
  CHECK(goes_on.second->next() == "b:fe06000000");
  CHECK(routes.server.totals(other).begun == 1);
  routes.server.stop();
  thread.join();
}

TEST_CASE("routes of one listener: the limits of each hold for its own clients") {
  FakeServer first, second;
  PathRoutes routes;
  routes.options.limits.sessions = 1;
  routes.options.limits.connects_per_second = 1;
  routes.options.limits.connects_burst = 3;
  const std::size_t tight = routes.add("/first", first);
  routes.options.limits = no_limits();
  routes.options.limits.sessions_per_address = 3;
  routes.options.limits.messages_per_second = 1;
  const std::size_t wide = routes.add("/second", second);
  std::thread thread([&] { routes.server.run(); });
  std::vector<std::unique_ptr<WebPeer>> peers;
  const auto enter = [&](const char* path, const FakeServer& fake) -> WebClient& {
    auto client = std::make_unique<WebClient>(routes.options.listen, path);
    auto peer = std::make_unique<WebServer>(fake);
    peer->upgrade();
    client->upgrade();
    WebClient& its = *client;
    peers.push_back(std::move(client));
    peers.push_back(std::move(peer));
    return its;
  };
  const auto refused = [&](const char* path) { return WebClient(routes.options.listen, path).answer().status; };
  const auto ended = [&](std::size_t route, Reason why) {
    return eventually([&] { return routes.server.totals(route).ended[static_cast<std::size_t>(why)] == 1; });
  };
  const auto talks = [](WebClient& client) {
    for (int i = 0; i < 8; ++i) client.send("fe06000000");
  };
  WebClient& one = enter("/first", first);
  for (int i = 0; i < 2; ++i) enter("/second", second);
  WebClient& other = enter("/second", second);
  CHECK(refused("/first") == 503);
  CHECK(ended(tight, Reason::kTooMany));
  CHECK(refused("/second") == 429);
  CHECK(ended(wide, Reason::kTooManyFromAddress));
  talks(other);
  CHECK(eventually([&] { return routes.server.totals(wide).throttled != 0; }));
  talks(one);
  CHECK(eventually([&] { return routes.server.totals(tight).to_server.frames == 8; }));
  CHECK(routes.server.totals(tight).throttled == 0);
  peers.clear();
  CHECK(eventually([&] { return routes.server.totals(tight).gone + routes.server.totals(wide).gone == 4; }));
  enter("/first", first);  // the place is free again
  routes.server.stop();
  thread.join();
}

TEST_CASE("TLS works with clients and with servers; other bytes and untrusted certificates are refused") {
  const Certificate certificate;
  FakeServer fake;
  relay::WebOptions in, out, wary;
  in.client_tls = *net::TlsContext::server(certificate.file(), certificate.file());
  out.server_tls = *net::TlsContext::client(certificate.file(), true);
  wary.server_tls = *net::TlsContext::client("", true);
  WebRunning inner(fake.address(), in);
  WebRunning outer(inner.address, out), distrusting(inner.address, wary);

  WebClient client(outer.address);
  WebServer server(fake);
  server.upgrade();
  client.upgrade();
  client.send("fe06000000");
  CHECK(server.next() == "b:fe06000000");
  const Buffer large(500'000, 9);
  server.send(Opcode::kBinary, large);
  CHECK((client.next() == "b:" + to_hex(large)));
  server.send(CloseFrame{1012, "later"});
  CHECK(client.next() == "close:1012 later");
  client.send(CloseFrame{1012, "later"});
  CHECK(server.next() == "close:1012 later");
  CHECK(server.next() == "end");
  CHECK(client.next() == "end");
  CHECK(outer.ended(Reason::kServerLeft));
  CHECK(inner.ended(Reason::kServerLeft));

  CHECK(WebClient(distrusting.address).answer().status == 502);
  CHECK(distrusting.heard.line("the certificate is not trusted"));
  CHECK(distrusting.ended(Reason::kServerProtocolError));
  const Stream plain = Stream::to(inner.address);
  plain.send("\x10\x20not TLS");
  (void)plain.read_all();
  CHECK(inner.heard.line("not TLS"));
}

TEST_CASE("a client that ends TLS, but not its connection, is closed") {
  const Certificate certificate;
  FakeServer fake;
  relay::WebOptions in;
  in.client_tls = *net::TlsContext::server(certificate.file(), certificate.file());
  WebRunning running(fake.address(), in);
  const auto trusting = *net::TlsContext::client(certificate.file(), true);
  for (const bool plays : {false, true}) {
    CAPTURE(plays);
    const Stream client = Stream::to(running.address);
    net::Tls tls(*trusting, "localhost");
    Buffer wire, plain;
    const auto send = [&] { client.send(std::exchange(wire, {})); };
    tls.start(wire);
    send();
    while (!tls.open()) {
      REQUIRE(tls.feed(client.read_some(), plain, wire));
      send();
    }
    std::optional<WebServer> server;
    if (plays) {
      Buffer request;
      net::write_upgrade_request({"relay.example", "/", net::make_upgrade_key(), {}}, request);
      tls.write(request, wire);
      send();
      server.emplace(fake);
      server->upgrade();
      while (plain.empty()) REQUIRE(tls.feed(client.read_some(), plain, wire));
    }
    tls.finish(wire);
    send();
    (void)client.read_all();  // up to the end
    if (plays) CHECK(running.ended(Reason::kClientLeft));
  }
}

TEST_CASE("plain HTTP on a TLS port is answered in plain HTTP, also if it comes in pieces, and TLS still works") {
  const Certificate certificate;
  FakeServer fake;
  relay::WebOptions in, out;
  in.client_tls = *net::TlsContext::server(certificate.file(), certificate.file());
  out.server_tls = *net::TlsContext::client(certificate.file(), true);
  WebRunning inner(fake.address(), in);
  for (const char* sent : {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "G"}) {
    const Stream plain = Stream::to(inner.address);
    plain.send(sent);
    const std::string got(as_text(plain.read_all()));
    CHECK_MESSAGE(got.starts_with("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain"), got);
    CHECK(got.ends_with("\r\n\r\na plain HTTP request was sent to a TLS port; use https:// or wss://"));
  }
  CHECK(inner.heard.line("a plain HTTP request was sent to a TLS port"));
  CHECK(eventually([&] { return inner.totals().by(Reason::kBadRequest) == 2; }));
  WebRunning outer(inner.address, out);
  WebClient client(outer.address);
  WebServer server(fake);
  server.upgrade();
  client.upgrade();
}

/// Writes down what the tap gets.
struct Spoken final : relay::Tap, relay::TapSink {
  std::mutex mutex;
  std::string all;
  relay::TapSink& sink(std::size_t) override { return *this; }
  void opened(const relay::LinkInfo& info, WallTime) override {
    keep("opened " + std::string(info.game->dialects()[info.dialect].name));
  }
  void bytes(relay::LinkId, wire::Way way, wire::Lane, Bytes bytes, WallTime) override {
    keep(std::string(wire::text(way)) + " " + to_hex(bytes));
  }
  void closed(relay::LinkId, std::string_view reason, WallTime) override { keep(std::string(reason)); }
  void keep(const std::string& line) {
    const std::lock_guard lock(mutex);
    all += line + "; ";
  }
  std::string so_far() {
    const std::lock_guard lock(mutex);
    return all;
  }
};

TEST_CASE("the tap gets a session's dialect before its messages, also when the server speaks first") {
  Spoken tap;
  FakeServer fake;
  {
    Running running(ogar::game(), fake.address(), no_limits(), 1, 0, &tap);
    WebPair pair(running, fake);
    pair.server.send("12");
    CHECK(pair.client.next() == "b:12");
    pair.server.send("14");
    CHECK(pair.client.next() == "b:14");
    pair.client.send("fe0b000000");
    CHECK(pair.server.next() == "b:fe0b000000");
    pair.client.stream().close();
    CHECK(pair.server.next() == "end");
    WebPair silent(running, fake);
    silent.server.send("02");
    CHECK(silent.client.next() == "b:02");
    running.stop();
  }
  CHECK(tap.all ==
        "opened legacy11; s2c 12; s2c 14; c2s fe0b000000; client left; opened modern3; s2c 02; proxy stopped; ");
}

TEST_CASE("the tap waits for a client to name its dialect while its server says no more than a limit") {
  Spoken tap;
  FakeServer fake;
  Limits limits = no_limits();
  limits.held_bytes = 2'000;
  Running running(ogar::game(), fake.address(), limits, 1, 0, &tap);
  WebPair pair(running, fake);
  pair.server.send("12");
  CHECK(pair.client.next() == "b:12");
  CHECK(tap.so_far().empty());
  for (int i = 0; i < 200; ++i) pair.server.send("12");
  CHECK(eventually([&] { return tap.so_far().starts_with("opened modern3; s2c 12; "); }));
}

TEST_CASE("messages that a client sends together with its request arrive") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebPeer client(net::WebSocket::Role::kClient, Stream::to(running.address));
  Buffer all;
  net::write_upgrade_request({"relay.example", "/", net::make_upgrade_key(), {}}, all);
  append(all, from_hex("8281 00000000 07 8281 00000000 08"));
  client.send_raw(all);
  WebServer server(fake);
  server.upgrade();
  CHECK(server.next() == "b:07");
  CHECK(server.next() == "b:08");
  CHECK(client.read_head(net::HttpReader::Of::kResponse).status == 101);
}

/// Keeps nothing.
class IdleTap final : public relay::Tap, private relay::TapSink {
 public:
  relay::TapSink& sink(std::size_t) override { return *this; }

 private:
  void opened(const relay::LinkInfo&, WallTime) override {}
  void bytes(relay::LinkId, wire::Way, wire::Lane, Bytes, WallTime) override {}
  void closed(relay::LinkId, std::string_view, WallTime) override {}
};

/// Sends `frame` from `a` to `b`, `times` times. It has the same size on both sides.
bool ferry(int a, int b, Bytes frame, int times) {
  std::array<std::uint8_t, 512> room;
  for (int i = 0; i < times; ++i) {
    if (::send(a, frame.data(), frame.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(frame.size())) return false;
    if (!wait_readable(b)) return false;
    if (::recv(b, room.data(), room.size(), 0) != static_cast<ssize_t>(frame.size())) return false;
  }
  return true;
}

TEST_CASE("relaying a WebSocket's message allocates nothing") {
  IdleTap tap;
  FakeServer fake;
  Running running(ogar::game(), fake.address(), no_limits(), 1, 0, &tap);
  WebPair pair(running, fake);
  const Buffer up = from_hex("828c 01020304 100000000100000000000000"), down = from_hex("8204 20000000");
  const int client = pair.client.stream().fd(), server = pair.server.stream().fd();
  std::size_t least = SIZE_MAX;
  for (int round = 0; round < 4; ++round) {  // a buffer that grows once grows in one of them
    const std::size_t before = allocations();
    REQUIRE(ferry(client, server, up, 2000));
    REQUIRE(ferry(server, client, down, 2000));
    least = std::min(least, allocations() - before);
  }
  CHECK(least == 0);
}

TEST_CASE("when the relay stops, both peers get a close frame") {
  FakeServer fake;
  Running running(ogar::game(), fake.address());
  WebPair pair(running, fake);
  running.stop();
  CHECK(pair.client.next_but_messages() == "close:1001 proxy stopped");
  CHECK(pair.server.next() == "close:1001 proxy stopped");
}

TEST_CASE("a client that may not come in gets an alert of TLS instead of a handshake") {
  const Certificate certificate;
  const FakeServer fake;
  relay::WebOptions in;
  in.client_tls = *net::TlsContext::server(certificate.file(), certificate.file());
  relay::Access nobody;
  nobody.deny = {*net::Network::parse("127.0.0.0/8")};
  const Running relay(ogar::game(), fake.address(), no_limits(), 1, 0, nullptr, in, relay::EnetMode::kPackets, false,
                      nullptr, nobody);
  const Stream client = Stream::to(relay.address);
  const Buffer said = client.read_all();
  CHECK(same(said, net::kTlsAccessDenied));
  CHECK(relay.ended(Reason::kNotAllowed));
}

}  // namespace
}  // namespace entente::testing::web_relay_test
