// The end of a session with a room over TCP, and its datagrams: what is heard, what is sent and when, and what its user
// is told at its end.
#include "proxy/relay/ends/tcp_end.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/bzflag/bzflag.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/toy.h"

namespace entente::testing::tcp_end_test {
namespace {

using relay::Drop, relay::Facing, wire::Lane;
using How = relay::End::Departure::How;
using Log = std::vector<std::string>;

/// Logs what its end tells it.
struct Session final : relay::End::User {
  void opened(relay::End&, const core::Peer& peer) override { log.push_back("opened " + peer.address); }
  void found(relay::End&, std::optional<std::size_t> dialect) override {
    log.push_back("found " + (dialect ? std::to_string(*dialect) : "nothing"));
  }
  void on_frames(relay::End& end, const wire::Frames& frames) override {
    calls.push_back(frames.count());
    heard += as_text(frames.bytes);
    if (frames.lane == Lane::kDatagram) datagrams += static_cast<int>(frames.count());
    if (stops) end.set_reading(false);
  }
  void wrote(relay::End&) override {}
  void departed(relay::End& end, const relay::End::Departure& its) override {
    log.push_back("departed");
    departure = its;
    if (shuts_down) end.shut_down("", 0);
  }
  void over(relay::End&) override { log.push_back("over"); }
  relay::WorkerRoute* route_for(std::string_view) override { return nullptr; }
  std::size_t count(std::string_view line) const {
    return static_cast<std::size_t>(std::count(log.begin(), log.end(), line));
  }

  Log log;
  std::string heard;
  std::vector<std::size_t> calls;  // frames of each
  relay::End::Departure departure;
  int datagrams = 0;
  bool stops = false, shuts_down = false;
};

struct Options {
  const wire::Game* game = &toy::stream();
  Limits limits = no_limits();
  bool gathers = false, finds_dialect = false;
  std::size_t dialect = 0;
};

/// A route, and the session of an end.
struct Rig : Turning {
  explicit Rig(const Options& its, net::Schedule::Clock nanos = net::Loop::clock())
      : Turning(std::move(nanos)),
        wants(its),
        fake(its.game->transport() == wire::Transport::kTcpAndUdp),
        route(loop, with(options_of(*its.game), its.limits), {fake.address()}) {}
  static relay::RouteOptions with(relay::RouteOptions options, const Limits& limits) {
    options.limits = limits;
    return options;
  }
  void make(Facing facing) {
    end = std::make_unique<relay::TcpEnd>(*route.here, session,
                                          relay::EndOptions{.facing = facing,
                                                            .game = *wants.game,
                                                            .dialect = wants.dialect,
                                                            .limits = wants.limits,
                                                            .finds_dialect = wants.finds_dialect,
                                                            .gathers = wants.gathers});
  }
  /// What has come to this peer.
  std::string got(const Stream& peer) {
    settle();
    return peer.readable(0) ? std::string(as_text(peer.read_some())) : "";
  }
  void send(std::string_view text) { end->send(Lane::kStream, as_bytes(text)); }

  const Options wants;
  FakeServer fake;
  OneRoute route;
  Session session;
  std::unique_ptr<relay::TcpEnd> end;
};

/// The end of a client that has connected.
struct OfClient : Rig {
  explicit OfClient(const Options& its = {}, net::Schedule::Clock nanos = net::Loop::clock())
      : Rig(its, std::move(nanos)) {
    const auto door = net::listen(loopback(), false);
    REQUIRE(door.ok());
    client = Stream::to(door->address);
    REQUIRE(wait_readable(door->tcp.get()));
    net::Fd fd(::accept4(door->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    REQUIRE(fd);
    make(Facing::kClient);
    REQUIRE(end->adopt(std::move(fd)));
  }
  void client_says(std::string_view text) {
    client.send(text);
    settle();
  }
  Stream client;
};

/// An end that has connected to a server.
struct OfServer : Rig {
  explicit OfServer(const Options& its = {}) : Rig(its) { make(Facing::kServer); }
  int connect(Bytes first = {}) {
    const net::Address to = fake.address();
    auto sockets =
        wants.game->transport() == wire::Transport::kTcpAndUdp ? net::pair_towards(to) : net::stream_towards(to);
    REQUIRE(static_cast<bool>(sockets));
    return end->connect(to, {route.server(), std::move(*sockets), {}, Buffer(first.begin(), first.end())});
  }
  void open(Bytes first = {}) {
    REQUIRE(connect(first) == 0);
    until([&] { return fake.called(0); });
    server = fake.accept();
    until([&] { return session.count("opened " + fake.address().text()) != 0; });
  }
  void server_says(std::string_view text) {
    server.send(text);
    settle();
  }
  Stream server;
};

std::string text_of(const Buffer& bytes) { return std::string(as_text(bytes)); }

TEST_CASE("tcp end: a client is opened with its address, and its frames are heard whole, however they come") {
  OfClient it;
  CHECK(it.session.log == Log{"opened " + it.client.here().text()});
  CHECK(it.end->local_address() == it.client.there());
  CHECK(it.end->last_received() == 0);
  it.client_says("TO");
  CHECK(it.session.heard.empty());
  CHECK(it.end->last_received() != 0);
  it.client_says("Y!" + text_of(frame("one")).substr(0, 3));
  CHECK(it.session.heard == kHello);
  it.client_says(text_of(frame("one")).substr(3) + text_of(frame("two")));
  CHECK(it.session.heard == std::string(kHello) + text_of(frame("one")) + text_of(frame("two")));
  CHECK(it.session.log.size() == 1);
}

TEST_CASE("tcp end: a client that is paused is not heard, and all of it when it is read again") {
  OfClient it;
  it.end->set_reading(false);
  it.client_says(kHello);
  CHECK(it.session.heard.empty());
  it.end->set_reading(true);
  it.until([&] { return it.session.heard == kHello; });
}

TEST_CASE("tcp end: what is no frame ends a client once, with the fault, after the frames before it") {
  OfClient it;
  it.client_says(std::string(kHello) + text_of(frame("one")) + "\xff\x03");
  CHECK(it.session.heard == std::string(kHello) + text_of(frame("one")));
  REQUIRE(it.session.count("departed") == 1);
  CHECK(it.session.departure.how == How::kWrong);
  CHECK(std::string(it.session.departure.fault.what) == "frame too large");
  CHECK(it.end->is_open());
  it.client_says(text_of(frame("two")));
  CHECK(it.session.heard == std::string(kHello) + text_of(frame("one")));
  it.send("goodbye");  // it may still be told why
  CHECK(it.got(it.client) == "goodbye");
  it.end->shut_down("", 0);
  it.client.finish();
  it.until([&] { return it.session.count("over") == 1; });
  CHECK(it.session.count("departed") == 1);
}

TEST_CASE("tcp end: a client that goes on sending after the end is cut off after 64 KiB, and not before") {
  OfClient it;
  it.end->shut_down("", 0);
  it.client.send(Buffer(relay::kMostUnheard, 1));
  for (int i = 0; i < 50; ++i) uv_run(it.loop.raw(), UV_RUN_NOWAIT);
  CHECK(it.end->is_open());
  CHECK(it.session.count("over") == 0);
  it.client.send(Buffer(1, 1));
  it.until([&] { return !it.end->is_open(); });
  CHECK(it.session.count("over") == 1);
  CHECK(it.session.heard.empty());
}

TEST_CASE("tcp end: a client that ends its stream has left, and is still sent to until its end is shut down") {
  OfClient it;
  it.client.finish();
  it.until([&] { return it.session.count("departed") == 1; });
  CHECK(it.session.departure.how == How::kLeft);
  CHECK(it.end->is_open());
  it.send("bye");
  CHECK(it.got(it.client) == "bye");
  it.end->shut_down("", 0);
  CHECK(it.client.read_all().empty());
}

TEST_CASE("tcp end: who shuts it down as soon as its client has left is told at once that it is over") {
  OfClient it;
  it.session.shuts_down = true;
  it.client.finish();
  it.until([&] { return it.session.count("over") == 1; });
  CHECK(it.session.log.size() == 3);
  CHECK_FALSE(it.end->is_open());
}

TEST_CASE("tcp end: a client that resets its connection is gone at once, and told to be so with the error") {
  OfClient it;
  it.client.reset();
  it.until([&] { return it.session.count("over") == 1; });
  CHECK(it.session.log.size() == 3);
  CHECK(it.session.log[1] == "departed");
  CHECK(it.session.departure.how == How::kBroke);
  CHECK(it.session.departure.error == ECONNRESET);
  it.send("late");
  CHECK(it.end->waiting() == 0);
}

TEST_CASE("tcp end: after it was shut down, nothing is sent or heard, and its user is told only that it is over") {
  OfClient it;
  it.send("last");
  it.end->shut_down("", 0);
  it.send("late");
  it.end->lend(Lane::kStream, {as_bytes(std::string_view("late")), nullptr});
  it.end->shut_down("", 0);
  CHECK(it.got(it.client) == "last");
  it.client_says(kHello);
  CHECK(it.session.heard.empty());
  it.client.finish();
  it.until([&] { return it.session.count("over") == 1; });
  CHECK(it.session.count("departed") == 0);
  CHECK(it.session.log.size() == 2);
}

TEST_CASE("tcp end: what is gathered is sent with the next flush, in its order, whether it is lent or not") {
  OfClient it({.gathers = true});
  const auto lent = std::make_shared<const Buffer>(Buffer{'b', 'c', 'd', 'e', 'f'});
  const auto lend = [&](std::size_t from, std::size_t size) {
    it.end->lend(Lane::kStream, {Bytes(*lent).subspan(from, size), lent});
  };
  it.send("a");
  lend(0, 1);
  lend(1, 2);  // it follows the last one in memory
  lend(4, 1);  // this does not
  it.send("g");
  it.send("h");
  it.send("");
  lend(3, 1);
  CHECK(it.end->waiting() == 8);
  CHECK(it.end->weight() >= 3);
  CHECK(it.got(it.client).empty());
  it.end->flush();
  CHECK(it.got(it.client) == "abcdfghe");
  CHECK(it.end->waiting() == 0);
  CHECK(it.end->weight() == 0);
  it.end->flush();
  CHECK(it.got(it.client).empty());
  it.send("i");
  it.end->flush();
  CHECK(it.got(it.client) == "i");
}

TEST_CASE("tcp end: what is gathered is still sent when the end is shut down, and without gathering nothing waits") {
  OfClient it({.gathers = true});
  it.send("last");
  it.end->shut_down("", 0);
  CHECK(it.got(it.client) == "last");
  CHECK(it.client.read_all().empty());
  OfClient other;
  other.send("now");
  CHECK(other.got(other.client) == "now");
}

TEST_CASE("tcp end: many frames that come together are heard in parts when the time is up, all of them, and in order") {
  const auto steps = std::make_shared<std::uint64_t>(0);
  OfClient it({}, [steps] { return *steps += net::Schedule::kJobTime; });  // each part takes all of a job's time
  std::string all(kHello);
  for (int i = 0; i < 50; ++i) all += text_of(frame(std::to_string(i)));
  it.client.send(all);
  it.until([&] { return it.session.heard.size() == all.size(); });
  CHECK(it.session.heard == all);
  CHECK(*std::max_element(it.session.calls.begin(), it.session.calls.end()) == wire::FrameReader::kAtOnce);
}

TEST_CASE("tcp end: who stops reading while it is told hears the rest when it reads again, once") {
  OfClient it;
  std::string all(kHello);
  for (int i = 0; i < 30; ++i) all += text_of(frame(std::to_string(i)));
  it.session.stops = true;
  it.client_says(all);
  CHECK(it.session.calls == std::vector<std::size_t>{wire::FrameReader::kAtOnce});
  it.session.stops = false;
  it.end->set_reading(true);
  it.until([&] { return it.session.heard.size() == all.size(); });
  CHECK(it.session.heard == all);
}

TEST_CASE("tcp end: what waits to be heard is forgotten once the end is shut down") {
  OfClient it;
  std::string all(kHello);
  for (int i = 0; i < 30; ++i) all += text_of(frame(std::to_string(i)));
  it.session.stops = true;
  it.client_says(all);
  it.end->shut_down("", 0);
  it.session.stops = false;
  it.settle();
  CHECK(it.session.calls.size() == 1);
}

TEST_CASE("tcp end: a connection that is given away stays open, and its user hears nothing of it any more") {
  OfClient it;
  it.client_says(kHello);
  const Stream kept(it.end->release());
  REQUIRE(kept.fd() >= 0);
  CHECK_FALSE(it.end->is_open());
  it.client.send("more");
  CHECK(kept.read_text(4) == "more");
  kept.send("here");
  CHECK(it.client.read_text(4) == "here");
  it.settle();
  CHECK(it.session.heard == kHello);
  CHECK(it.session.log.size() == 1);
}

// -- Datagrams --------------------------------------------------------------------------------------------------------

Options of_datagrams() { return {.game = &toy::game()}; }

TEST_CASE("tcp end: a client's datagrams are heard, and it is sent datagrams to where its last good one came from") {
  OfClient it(of_datagrams());
  const Datagrams first(loopback()), second(loopback());
  it.end->send(Lane::kDatagram, frame("early"));
  CHECK(it.route.dropped(Drop::kNotLinked) == 1);
  CHECK(it.end->last_datagram() == 0);
  it.end->datagram(first.here(), frame("one"));
  CHECK(it.session.heard == text_of(frame("one")));
  CHECK(it.session.datagrams == 1);
  CHECK(it.end->last_datagram() == it.loop.now());
  it.end->datagram(second.here(), Buffer{255, 3});  // no frame: it does not count
  CHECK(it.route.dropped(Drop::kBadFrame) == 1);
  it.end->send(Lane::kDatagram, frame("a"));
  it.settle();
  CHECK(first.receive().bytes == frame("a"));
  CHECK_FALSE(second.readable(0));
  it.end->datagram(second.here(), frame("two"));
  it.end->send(Lane::kDatagram, frame("b"));
  it.settle();
  CHECK(second.receive().bytes == frame("b"));
  CHECK_FALSE(first.readable(0));
  CHECK(it.got(it.client).empty());
}

TEST_CASE("tcp end: a client's datagrams are limited in size and rate, and each message in them counts") {
  Options options = of_datagrams();
  options.limits.datagram_bytes = 20;
  options.limits.datagrams_per_second = 10;
  OfClient it(options);
  const net::Address from = loopback().with_port(9);
  it.end->datagram(from, frame(std::string(19, 'x')));
  CHECK(it.route.dropped(Drop::kTooLarge) == 1);
  Buffer five;
  for (int i = 0; i < 5; ++i) append(five, frame(""));
  for (int i = 0; i < 2; ++i) it.end->datagram(from, five);
  CHECK(it.session.datagrams == 10);
  it.end->datagram(from, frame("x"));
  CHECK(it.route.dropped(Drop::kTooFast) == 1);
  CHECK(it.session.datagrams == 10);
}

TEST_CASE("tcp end: datagrams of a client that is gone, or of a game without any, are dropped") {
  const net::Address from = loopback().with_port(9);
  OfClient shut(of_datagrams()), gone(of_datagrams()), other;
  shut.end->shut_down("", 0);
  gone.client.finish();
  gone.until([&] { return gone.session.count("departed") == 1; });
  for (OfClient* const one : {&shut, &gone, &other}) {
    one->end->datagram(from, frame("x"));
    CHECK(one->route.dropped(Drop::kNotLinked) == 1);
    CHECK(one->session.heard.empty());
  }
}

TEST_CASE("tcp end: messages to a client that takes several in a datagram are packed until the flush, up to a limit") {
  OfClient it({.game = &bzflag::game()});
  const Datagrams socket(loopback());
  const Buffer link{0, 1, 'o', 'f', 0};  // any frame
  it.end->datagram(socket.here(), link);
  const Buffer part(400, 1), large(1'100, 2);
  const auto send = [&](const Buffer& bytes) { it.end->send(Lane::kDatagram, bytes); };
  const auto sizes = [&] {
    it.settle();
    std::vector<std::size_t> all;
    while (socket.readable(0)) all.push_back(socket.receive().bytes.size());
    return all;
  };
  for (int i = 0; i < 3; ++i) send(part);
  CHECK(sizes() == std::vector<std::size_t>{800});  // the third did not fit
  it.end->flush();
  CHECK(sizes() == std::vector<std::size_t>{400});
  it.end->flush();
  CHECK(sizes().empty());
  send(part);
  send(large);  // it goes alone, after what came before it
  send(part);
  CHECK(sizes() == std::vector<std::size_t>{400, 1'100});
  it.end->flush();
  CHECK(sizes() == std::vector<std::size_t>{400});
  send(Buffer(1'024, 3));  // exactly as much as fits
  it.end->flush();
  CHECK(sizes() == std::vector<std::size_t>{1'024});
  send(Buffer(net::kLargestDatagram + 1, 3));
  CHECK(it.route.dropped(Drop::kTooLarge) == 1);
}

TEST_CASE("tcp end: in a dialect whose clients take one message in each datagram, none is packed") {
  const auto packs = [](std::size_t dialect) { return bzflag::game().packed_datagram(dialect) != 0; };
  std::size_t plain = 0;
  while (plain < bzflag::game().dialects().size() && packs(plain)) ++plain;
  REQUIRE(plain < bzflag::game().dialects().size());
  OfClient it({.game = &bzflag::game()});
  it.end->set_peer_dialect(plain);
  const Datagrams socket(loopback());
  it.end->datagram(socket.here(), Buffer{0, 1, 'o', 'f', 0});
  for (int i = 0; i < 2; ++i) it.end->send(Lane::kDatagram, Buffer(10, 1));
  it.settle();
  CHECK(socket.receive().bytes.size() == 10);
  CHECK(socket.receive().bytes.size() == 10);
}

// -- Towards a server -------------------------------------------------------------------------------------------------

TEST_CASE("tcp end: a server gets first what the connection begins with, and is opened with its own address") {
  OfServer it;
  it.open(as_bytes(std::string_view("PROXY\r\n")));
  it.send("hello");
  CHECK(it.got(it.server) == "PROXY\r\nhello");
  CHECK(it.end->local_address() == it.server.there());
  it.server_says(std::string(kWelcome) + text_of(frame("one")));
  CHECK(it.session.heard == std::string(kWelcome) + text_of(frame("one")));
}

TEST_CASE("tcp end: a server that refuses is told to have broken, and the end can be connected again") {
  OfServer it;
  const net::Address closed = free_for_both();
  auto sockets = net::stream_towards(closed);
  REQUIRE(static_cast<bool>(sockets));
  if (it.end->connect(closed, {it.route.server(), std::move(*sockets), {}, {}}) == 0)
    it.until([&] { return it.session.count("over") == 1; });
  CHECK(it.session.count("departed") == it.session.count("over"));
  it.end->hang_up();
  it.session.log.clear();
  it.open();
  it.server_says(kWelcome);
  CHECK(it.session.heard == kWelcome);
  it.session.shuts_down = true;
  it.server.close();
  it.until([&] { return it.session.count("over") == 1; });
  CHECK(it.session.count("departed") == 1);
  CHECK(it.session.departure.how == How::kLeft);
}

TEST_CASE("tcp end: datagrams go to the server from the port of the connection, and those of others are not heard") {
  OfServer it(of_datagrams());
  const Datagrams far = it.fake.take_datagrams(), stranger(loopback());
  it.open();
  it.end->send(Lane::kDatagram, frame("up"));
  const auto got = far.receive();
  CHECK(got.bytes == frame("up"));
  CHECK(got.from == it.server.there());
  stranger.send(got.from, frame("forged"));
  far.send(got.from, frame("down"));
  it.until([&] { return !it.session.heard.empty(); });
  CHECK(it.session.heard == text_of(frame("down")));
  CHECK(it.session.datagrams == 1);
  it.end->hang_up();
  CHECK_FALSE(it.end->is_open());
  far.send(got.from, frame("late"));
  it.settle();
  CHECK(it.session.datagrams == 1);
}

TEST_CASE("tcp end: datagrams of a server are not limited in rate") {
  Options options = of_datagrams();
  options.limits.datagrams_per_second = 1;
  OfServer it(options);
  const Datagrams far = it.fake.take_datagrams();
  it.open();
  it.end->send(Lane::kDatagram, frame("up"));
  const net::Address there = far.receive().from;
  for (int i = 0; i < 20; ++i) far.send(there, frame("x"));
  it.until([&] { return it.session.datagrams == 20; });
  CHECK(it.route.dropped(Drop::kTooFast) == 0);
}

TEST_CASE("tcp end: without a UDP socket towards its server, datagrams are dropped") {
  OfServer it;
  it.open();
  it.end->send(Lane::kDatagram, frame("up"));
  CHECK(it.route.dropped(Drop::kNotLinked) == 1);
  CHECK(it.got(it.server).empty());
}

TEST_CASE("tcp end: a server's dialect is found before anything is heard, and then all that it said is heard") {
  OfServer it({.finds_dialect = true});
  it.open();
  it.session.log.clear();
  it.server_says("toy");
  CHECK(it.session.log.empty());
  CHECK(it.session.heard.empty());
  it.server_says("\x07" + text_of(frame("one")));
  CHECK(it.session.log == Log{"found 1"});
  CHECK(it.session.heard == "toy\x07" + text_of(frame("one")));
  it.server_says(text_of(frame("two")));
  CHECK(it.session.log.size() == 1);
  CHECK(it.session.heard == "toy\x07" + text_of(frame("one")) + text_of(frame("two")));
}

TEST_CASE("tcp end: a server of another game, or one that says too much without a dialect, has none") {
  OfServer other({.finds_dialect = true});
  other.open();
  other.session.log.clear();
  other.server_says("what is this");
  CHECK(other.session.log == Log{"found nothing"});
  CHECK(other.session.heard.empty());
  Options little{.finds_dialect = true};
  little.limits.held_bytes = 2;
  OfServer it(little);
  it.open();
  it.session.log.clear();
  it.server_says("to");
  CHECK(it.session.log.empty());
  it.server_says("y");
  CHECK(it.session.log == Log{"found nothing"});
}

TEST_CASE("tcp end: the dialect is found anew when the end is connected again") {
  OfServer it({.finds_dialect = true});
  it.open();
  it.server_says("to");
  it.end->hang_up();
  it.session.log.clear();
  it.open();
  it.session.log.clear();
  it.server_says("toy\x06");
  CHECK(it.session.log == Log{"found 0"});
  CHECK(it.session.heard == "toy\x06");
}

}  // namespace
}  // namespace entente::testing::tcp_end_test
