// The end of a session with a room over WebSocket: how it comes up, what is heard and answered, and with which close
// frame it goes down.
#include "proxy/relay/ends/web_end.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/enet_peers.h"
#include "tests/relay/native_lines.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/toy.h"
#include "tests/relay/web_peers.h"

namespace entente::testing::web_end_test {
namespace {

using net::CloseFrame, net::Opcode;
using relay::Facing, wire::Lane;
using How = relay::End::Departure::How;
using Log = std::vector<std::string>;

constexpr std::uint32_t kHighWater = 100'000;

/// Logs what its end tells it.
struct Session final : relay::End::User {
  void opened(relay::End&, const core::Peer& peer) override {
    log.push_back("opened");
    opened_by = peer;
  }
  void on_frames(relay::End& end, const wire::Frames& frames) override {
    ++calls;
    heard += as_text(frames.bytes);
    if (stops) end.set_reading(false);
  }
  void received_besides(relay::End&, std::size_t bytes, std::size_t messages) override {
    besides_bytes += bytes;
    besides += messages;
  }
  void wrote(relay::End&) override {}
  void departed(relay::End& end, const relay::End::Departure& its) override {
    log.push_back("departed");
    departure = its;
    if (shuts_down) end.shut_down("", 0);
  }
  void over(relay::End&) override { log.push_back("over"); }
  relay::WorkerRoute* route_for(std::string_view path) override {
    asked_path = path;
    return nullptr;
  }
  bool has(std::string_view line) const { return std::find(log.begin(), log.end(), line) != log.end(); }

  Log log;
  core::Peer opened_by;
  std::string heard, asked_path;
  std::size_t besides_bytes = 0, besides = 0;
  int calls = 0;
  relay::End::Departure departure;
  bool stops = false, shuts_down = false;
};

struct Rig : WebTurning {
  Rig(const wire::Game& game, relay::WebOptions web, Facing facing, std::size_t dialect)
      : route(loop, with(options_of(game), std::move(web)), {fake.address()}),
        options{.facing = facing, .game = game, .dialect = dialect, .limits = route.here->rules->limits} {}
  static relay::RouteOptions with(relay::RouteOptions options, relay::WebOptions web) {
    options.web = std::move(web);
    options.limits.high_water = kHighWater;
    return options;
  }

  FakeServer fake;
  OneRoute route;
  Session session;
  relay::EndOptions options;
  std::unique_ptr<relay::WebEnd> end;
};

/// The end of a client that has asked for a WebSocket.
struct OfClient : Rig {
  explicit OfClient(const wire::Game& game = toy::messages(), std::size_t dialect = 0, relay::WebOptions web = {},
                    const std::string& target = "/", bool drains = false, bool is_heard = true)
      : Rig(game, std::move(web), Facing::kClient, dialect) {
    route.route.draining = drains;
    const auto door = net::listen(loopback(), false);
    REQUIRE(door.ok());
    client.emplace(door->address, target);
    REQUIRE(wait_readable(door->tcp.get()));
    Stream accepted(net::Fd(::accept4(door->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
    options.heard = std::make_shared<net::HeardRequest>();
    options.heard->head = std::make_unique<net::HttpReader>(net::HttpReader::Of::kRequest);
    while (!options.heard->head->complete()) {
      const Buffer some = accepted.read_some();
      const auto taken = options.heard->head->feed(some);
      REQUIRE(taken.ok());
    }
    options.client = client->stream().here();
    end = std::make_unique<relay::WebEnd>(*route.here, session, options);
    REQUIRE(end->adopt(net::Fd(::fcntl(accepted.fd(), F_DUPFD_CLOEXEC, 0))));
    accepted.close();
    if (is_heard) settle();
  }
  void open() {
    until([&] { return client->stream().readable(0); });
    client->upgrade();
    REQUIRE(session.has("opened"));
  }
  void client_says(Opcode opcode, Bytes payload) {
    client->send(opcode, payload);
    settle();
  }
  std::optional<WebClient> client;
};

/// An end that has connected to a server.
struct OfServer : Rig {
  explicit OfServer(relay::WebOptions web = {}) : Rig(toy::messages(), std::move(web), Facing::kServer, 0) {
    end = std::make_unique<relay::WebEnd>(*route.here, session, options);
    connect();
  }
  void connect() {
    auto sockets = net::stream_towards(fake.address());
    REQUIRE(static_cast<bool>(sockets));
    REQUIRE(end->connect(fake.address(), {route.server(), std::move(*sockets), {}, {}}) == 0);
    until([&] { return fake.called(0); });
    settle();
    server.emplace(fake);
  }
  void open() {
    server->upgrade();
    until([&] { return session.has("opened"); });
  }
  std::optional<WebServer> server;
};

std::string text(std::string_view words) { return "b:" + to_hex(as_bytes(words)); }
void send(relay::End& end, std::string_view words) {
  end.send(Lane::kStream, as_bytes(words));
  end.flush();
}
/// In a frame that several ends send.
void lend(relay::End& end, std::string_view words) {
  end.lend(Lane::kStream, {as_bytes(words), nullptr});
  end.flush();
}

TEST_CASE(
    "web end: a client is opened with its address and its path once it is answered, and messages pass both ways") {
  OfClient it(toy::messages(), 0, {}, "/play?name=anna");
  CHECK(it.session.asked_path == "/play");
  it.open();
  CHECK(it.session.log == Log{"opened"});
  CHECK(it.session.opened_by.path == "/play");
  CHECK(it.session.opened_by.address == it.client->stream().here().text());
  CHECK(it.end->local_address() == it.client->stream().there());
  it.client_says(Opcode::kBinary, frame("one"));
  it.client_says(Opcode::kBinary, frame("two"));
  CHECK(it.session.heard == std::string(as_text(frame("one"))) + std::string(as_text(frame("two"))));
  send(*it.end, "three");
  CHECK(it.next(*it.client) == text("three"));
  lend(*it.end, "four");
  CHECK(it.next(*it.client) == text("four"));
}

TEST_CASE("web end: nothing is sent before the flush, and before the client is answered nothing at all") {
  OfServer early;
  send(*early.end, "too early");
  lend(*early.end, "too early");
  early.open();
  OfClient it;
  it.open();
  it.end->send(Lane::kStream, as_bytes(std::string_view("one")));
  CHECK_FALSE(it.has_more(*it.client));
  CHECK(it.end->waiting() != 0);
  it.end->flush();
  CHECK(it.next(*it.client) == text("one"));
  CHECK(it.end->waiting() == 0);
  send(*early.end, "now");
  CHECK(early.next(*early.server) == text("now"));
}

TEST_CASE("web end: a request that the route does not serve is declined, and the user is told why") {
  relay::WebOptions web;
  web.path = "/play";
  OfClient wrong(toy::messages(), 0, web, "/other");
  CHECK(wrong.client->answer().status == 404);
  CHECK(wrong.session.log == Log{"departed"});
  CHECK(wrong.session.departure.how == How::kUnwanted);
  OfClient late(toy::messages(), 0, {}, "/", true);
  CHECK(late.client->answer().status == 503);
  CHECK(late.session.log == Log{"departed"});
  CHECK(late.session.departure.how == How::kDraining);
}

TEST_CASE("web end: a ping is answered and counts, as a pong does, but is not heard") {
  OfClient it;
  it.open();
  it.client_says(Opcode::kPing, as_bytes(std::string_view("abc")));
  CHECK(it.next(*it.client) == "pong:" + to_hex(as_bytes(std::string_view("abc"))));
  CHECK(it.session.besides == 1);
  CHECK(it.session.besides_bytes == 3);
  it.client_says(Opcode::kPong, as_bytes(std::string_view("de")));
  CHECK(it.session.besides == 2);
  CHECK(it.session.besides_bytes == 5);
  CHECK_FALSE(it.has_more(*it.client));
  CHECK(it.session.calls == 0);
}

TEST_CASE("web end: while more than high_water waits for the peer, its pings count, but are not answered") {
  OfClient it;
  it.open();
  send(*it.end, std::string(16 * 1024 * 1024, 'x'));
  it.settle();
  const std::size_t waits = it.end->waiting(), counted = it.session.besides;
  REQUIRE(waits > kHighWater);
  it.client_says(Opcode::kPing, as_bytes(std::string_view("hello")));
  CHECK(it.session.besides == counted + 1);
  CHECK(it.end->waiting() <= waits);
}

TEST_CASE("web end: bad content is refused with the code of its kind, once, and nothing more is heard") {
  struct Row {
    const wire::Game& game;
    std::size_t dialect;
    Opcode opcode;
    Buffer payload;
    int code;
  };
  const Buffer not_text{'a', 0xff, 'b'};
  const Row rows[] = {{toy::messages(), 0, Opcode::kText, frame("one"), 1003},
                      {toy::messages(), 0, Opcode::kBinary, Buffer(201, 1), 1009},
                      {native::game(), kJson, Opcode::kText, not_text, 1007}};
  for (const Row& row : rows) {
    CAPTURE(row.code);
    OfClient it(row.game, row.dialect);
    it.open();
    it.client_says(row.opcode, row.payload);
    CHECK(it.next(*it.client).starts_with("close:" + std::to_string(row.code) + " "));
    CHECK(it.session.log == Log{"opened", "departed"});
    CHECK(it.session.departure.how == How::kWrong);
    it.client_says(Opcode::kBinary, frame("more"));
    CHECK(it.session.calls == 0);
    CHECK(it.session.log.size() == 2);
    send(*it.end, "after the close frame");
    CHECK_FALSE(it.has_more(*it.client));
    it.end->shut_down("", 0);
    it.client->stream().close();
    it.until([&] { return it.session.has("over"); });
  }
}

TEST_CASE("web end: a peer's close frame is answered with its code, and told with its reason; nothing follows it") {
  OfClient it;
  it.open();
  it.client->send(CloseFrame{4001, "game over"});
  CHECK(it.next(*it.client) == "close:4001 ");
  CHECK(it.session.log == Log{"opened", "departed"});
  CHECK(it.session.departure.how == How::kLeft);
  CHECK(it.session.departure.why == "game over");
  CHECK(it.session.departure.code == 4001);
  send(*it.end, "late");
  lend(*it.end, "late");
  it.end->shut_down("bye", 0);
  CHECK(it.next(*it.client) == "end");
  it.client->stream().close();
  it.until([&] { return it.session.has("over"); });
  CHECK(it.session.log == Log{"opened", "departed", "over"});
}

TEST_CASE("web end: it goes down with a close frame whose code is valid, and its user is told that it is over, once") {
  for (const auto& [code, sent] : {std::pair{0U, 1001},
                                   {999U, 1001},
                                   {1000U, 1000},
                                   {1003U, 1003},
                                   {1004U, 1001},
                                   {1006U, 1001},
                                   {1007U, 1007},
                                   {1014U, 1014},
                                   {1015U, 1001},
                                   {2999U, 1001},
                                   {3000U, 3000},
                                   {4999U, 4999},
                                   {5000U, 1001},
                                   {66'536U, 1001}}) {
    const std::string expected = "close:" + std::to_string(sent) + " go home";
    OfClient it;
    it.open();
    it.end->shut_down("go home", code);
    it.end->shut_down("again", 4'000);
    send(*it.end, "late");
    lend(*it.end, "late");
    CHECK(it.next(*it.client) == expected);
    CHECK(it.next(*it.client) == "end");
    it.client_says(Opcode::kBinary, frame("late"));
    it.client->stream().close();
    it.until([&] { return it.session.has("over"); });
    CHECK(it.session.log == Log{"opened", "over"});
    CHECK(it.session.calls == 0);
  }
}

TEST_CASE("web end: an answer to our close frame is not answered again") {
  OfClient it;
  it.open();
  it.end->shut_down("go home", 0);
  CHECK(it.next(*it.client).starts_with("close:"));
  it.client->send(CloseFrame{1001, ""});
  it.client->stream().finish();
  CHECK(it.next(*it.client) == "end");
  it.until([&] { return it.session.has("over"); });
  CHECK(it.session.log == Log{"opened", "over"});
}

TEST_CASE("web end: the closing can be delayed: what was sent comes first, and what comes meanwhile is not heard") {
  OfClient it;
  it.open();
  it.end->set_reading(false);
  it.end->delay_close(300);
  const std::uint64_t before = it.loop.nanos();
  it.end->send(Lane::kStream, as_bytes(std::string_view("last words")));
  it.end->shut_down("go home", 0);
  send(*it.end, "late");
  lend(*it.end, "late");
  CHECK(it.next(*it.client) == text("last words"));
  it.client_says(Opcode::kBinary, frame("meanwhile"));
  CHECK(it.next(*it.client) == "close:1001 go home");
  CHECK(it.loop.nanos() >= before + 299'000'000);
  CHECK(it.session.calls == 0);
}

TEST_CASE("web end: the closing is not delayed once the peer has left") {
  OfClient it;
  it.open();
  it.client->stream().finish();
  it.until([&] { return it.session.has("departed"); });
  it.end->delay_close(60'000);
  it.end->shut_down("go home", 0);
  CHECK(it.next(*it.client) == "close:1001 go home");
}

TEST_CASE("web end: the closing is not delayed for a client that is not answered yet, and its request is not heard") {
  OfClient it(toy::messages(), 0, {}, "/", false, false);
  it.end->delay_close(60'000);
  it.end->shut_down("", 0);
  it.until([&] { return it.client->stream().readable(0); });
  CHECK(it.client->stream().read_all().empty());
  it.settle();
  it.client->stream().close();
  it.until([&] { return it.session.has("over"); });
  CHECK(it.session.log == Log{"over"});
}

TEST_CASE("web end: who shuts it down as soon as its peer has left is told at once that it is over") {
  OfClient it;
  it.open();
  it.session.shuts_down = true;
  it.client->stream().finish();
  it.until([&] { return it.session.has("over"); });
  CHECK(it.session.log == Log{"opened", "departed", "over"});
  CHECK_FALSE(it.end->is_open());
}

TEST_CASE("web end: a client that is sent away before it is answered gets the reason as an HTTP answer") {
  OfClient it(toy::messages(), 0, {}, "/", false, false);
  it.end->shut_down("the arena is full", 0);
  it.until([&] { return it.client->stream().readable(0); });
  CHECK(it.client->answer().status == 503);
  CHECK(it.client->rest().find("the arena is full") != std::string::npos);
  CHECK(it.session.log.empty());
  OfServer server;  // a server gets none
  server.end->shut_down("the arena is full", 0);
  server.until([&] { return server.server->stream().readable(0); });
  CHECK(server.server->stream().read_all().empty());
}

TEST_CASE("web end: who stops reading while it is told hears the rest when it reads again, in its order") {
  OfClient it;
  it.open();
  it.session.stops = true;
  for (const char* const words : {"one", "two", "three"}) it.client->send(Opcode::kBinary, frame(words));
  it.settle();
  CHECK(it.session.calls == 1);
  it.session.stops = false;
  it.end->set_reading(true);
  it.until([&] { return it.session.calls == 3; });
  CHECK(it.session.heard ==
        std::string(as_text(frame("one"))) + std::string(as_text(frame("two"))) + std::string(as_text(frame("three"))));
}

/// A client that has sent one message of many frames, and another message. The user stops reading at the first frames.
struct Halfway : OfClient {
  Halfway() : OfClient(native::game(), kJson) {
    open();
    session.stops = true;
    for (std::size_t i = 0; i < 2 * wire::FrameReader::kAtOnce; ++i) all += std::to_string(i) + '\n';
    client->send(Opcode::kText, as_bytes(all));
    client->send(Opcode::kText, as_bytes(kLast));
    all += kLast;
    settle();
    CHECK(session.calls == 1);
  }
  static constexpr std::string_view kLast = "last\n";
  std::string all;
};

TEST_CASE("web end: who stops reading within a message hears the rest of it first when it reads again") {
  Halfway it;
  const std::string first = it.session.heard;
  CHECK(first.size() < it.all.size() / 2);
  it.end->set_reading(true);
  it.until([&] { return it.session.calls == 2; });
  it.settle();
  CHECK(it.session.calls == 2);  // it has stopped again
  it.session.stops = false;
  it.end->set_reading(true);
  it.until([&] { return it.session.calls == 3; });
  CHECK(it.session.heard == it.all);
  it.client_says(Opcode::kText, as_bytes(Halfway::kLast));
  CHECK(it.session.heard == it.all.append(Halfway::kLast));
}

TEST_CASE("web end: the rest of a message at which its user stopped is not heard after the end") {
  Halfway it;
  it.session.stops = false;
  it.end->shut_down("go home", 0);
  CHECK(it.next(*it.client) == "close:1001 go home");
  CHECK(it.next(*it.client) == "end");
  it.client->stream().close();
  it.until([&] { return it.session.has("over"); });
  CHECK(it.session.calls == 1);
  CHECK(it.session.log == Log{"opened", "over"});
}

TEST_CASE("web end: a peer that goes on sending after the end is cut off after 64 KiB") {
  OfClient it;
  it.open();
  it.end->shut_down("go home", 0);
  CHECK(it.next(*it.client).starts_with("close:"));
  const std::size_t counted = it.session.besides_bytes;
  for (int i = 0; i < 300; ++i) it.client->send(Opcode::kBinary, frame("late"));
  for (int i = 0; i < 20; ++i) uv_run(it.loop.raw(), UV_RUN_NOWAIT);
  CHECK(it.end->is_open());
  const Buffer message{0x82, 0x80 | 4, 0, 0, 0, 0, 2, 3, 'h', 'i'};
  Buffer many;
  for (int i = 0; i < 100; ++i) append(many, message);
  std::size_t at = 0;
  it.until([&] {
    at = (at + it.client->stream().try_send(Bytes(many).subspan(at))) % many.size();
    return !it.end->is_open();
  });
  CHECK(it.session.has("over"));
  CHECK(it.session.besides_bytes == counted);
}

TEST_CASE("web end: a server is asked for its path, by its name, and is opened once it has upgraded") {
  relay::WebOptions web;
  web.server_path = "/game";
  OfServer it(web), plain;
  CHECK(it.server->request.path() == "/game");
  CHECK(plain.server->request.path() == "/");
  CHECK(it.session.log.empty());
  it.open();
  CHECK(it.session.opened_by.path == "/game");
  CHECK(it.session.opened_by.address == it.fake.address().text());
  it.server->send(Opcode::kBinary, frame("one"));
  it.until([&] { return it.session.heard == as_text(frame("one")); });
  send(*it.end, "two");
  CHECK(it.next(*it.server) == text("two"));
}

TEST_CASE("web end: a server that declines is told with its status and its words, one that hangs up with that") {
  OfServer declines, plain, hangs_up, leaves;
  declines.server->send_raw("HTTP/1.1 403 No\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nnot\x01today");
  declines.until([&] { return declines.session.has("departed"); });
  CHECK(declines.session.departure.how == How::kDeclined);
  CHECK(declines.session.departure.why.starts_with("it answered 403 to a WebSocket's request: not"));
  CHECK(declines.session.departure.why.find('\x01') == std::string::npos);
  plain.server->send_raw("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
  plain.until([&] { return plain.session.has("departed"); });
  CHECK(plain.session.departure.why == "it answered 503 to a WebSocket's request");
  hangs_up.server->stream().close();
  hangs_up.until([&] { return hangs_up.session.has("departed"); });
  CHECK(hangs_up.session.departure.how == How::kDeclined);
  CHECK(hangs_up.session.departure.why == "it hung up on a WebSocket's request");
  leaves.open();
  leaves.server->stream().close();
  leaves.until([&] { return leaves.session.has("departed"); });
  CHECK(leaves.session.departure.how == How::kLeft);
  CHECK(leaves.session.departure.why.empty());
}

TEST_CASE("web end: a server that breaks WebSocket's rules is wrong") {
  OfServer it;
  it.open();
  it.server->send_raw(Buffer{0xff, 0x00});
  it.until([&] { return it.session.has("departed"); });
  CHECK(it.session.departure.how == How::kWrong);
  CHECK(std::string(it.session.departure.fault.field) == "websocket");
}

}  // namespace
}  // namespace entente::testing::web_end_test
