// What the rules of a relay hear of what its sessions tell a tap, and what another tap gets of the same.
#include "proxy/relay/overhear/overhearing.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/steady_wall.h"
#include "proxy/net/enet/enet_dissector.h"
#include "tests/relay/rule_orders.h"
#include "tests/relay/toy.h"
#include "tests/support/toy_faces.h"

namespace entente::testing::overhearing_test {
namespace {

using Kind = rules::Action::Kind;
using relay::LinkId, relay::TapSink;
using wire::Lane, wire::Way;

/// Keeps the names of the calls.
struct Calls final : TapSink {
  void opened(const relay::LinkInfo&, WallTime) override { all += "opened "; }
  void plays(LinkId, WallTime) override { all += "plays "; }
  void bytes(LinkId, Way, Lane, Bytes, WallTime) override { all += "bytes "; }
  void lab(LinkId, LabMark, std::uint64_t, WallTime) override { all += "lab "; }
  void packet(LinkId, Way, wire::EnetCarriage, Bytes, WallTime) override { all += "packet "; }
  void note(LinkId, std::string_view, WallTime) override { all += "note "; }
  void closed(LinkId, std::string_view, WallTime) override { all += "closed "; }
  std::string all;
};

constexpr std::size_t kRoute = 5;

/// A worker's part of a route whose rule logs all chat, and sessions that have exchanged greetings.
struct Ear {
  explicit Ear(const wire::Game& its_game = toy::stream()) : game(its_game) {}
  ~Ear() { hearing.stop(); }  // before `orders` is gone

  void open(LinkId link, std::size_t route = kRoute) {
    relay::LinkInfo info;
    info.link = link;
    info.game = &game;
    info.client = *net::Address::parse("192.0.2.1", static_cast<std::uint16_t>(1'000 + link));
    info.route = route;
    sink.opened(info, now());
    say(link, Way::kToServer, as_bytes(kHello));
    say(link, Way::kToClient, as_bytes(kWelcome));
  }
  void say(LinkId link, Way way, Bytes bytes) { sink.bytes(link, way, Lane::kStream, bytes, now()); }
  void client_says(LinkId link, std::string_view text) { say(link, Way::kToServer, frame(text)); }
  void server_says(LinkId link, std::string_view text) { say(link, Way::kToClient, frame(text)); }
  /// What the rules have heard, in its order.
  std::vector<std::string> heard() {
    hearing.stop();
    return orders.texts(Kind::kLog);
  }
  static WallTime now() { return steady_wall_now(); }

  std::shared_ptr<const relay::RouteOptions> options() {
    relay::RouteOptions made;
    made.game = &game;
    made.relay_rules = {.book = orders.book("function on_chat(_, text) log('client: ' .. text) end "
                                            "function on_fact.said(word) log('server: ' .. word.text) end"),
                        .rewrite = false,
                        .tells = true,
                        .front = [this](std::size_t) { return toy::make_front(game); },
                        .back = [this](std::size_t) { return toy::make_back(game); }};
    return std::make_shared<const relay::RouteOptions>(std::move(made));
  }

  const wire::Game& game;
  Orders orders;
  Calls other;
  relay::Overhearing hearing;
  TapSink& sink = hearing.sink(0, kRoute, options(), &other);
};

using Lines = std::vector<std::string>;

TEST_CASE("overhearing: of what a lab changes, only what is passed on is heard") {
  Ear ear;
  ear.open(1);
  ear.sink.lab_keeps(1, true, Ear::now());
  ear.client_says(1, "as it came");
  ear.sink.lab_passes(1, true, 0, Ear::now());
  ear.client_says(1, "as it went");
  ear.sink.lab_keeps(1, false, Ear::now());
  ear.client_says(1, "dropped");
  ear.client_says(1, "next");  // a mark is for one message
  ear.sink.lab_passes(1, false, 0, Ear::now());
  ear.client_says(1, "late");
  CHECK(ear.heard() == Lines{"client: as it went", "client: next", "client: late"});
}

TEST_CASE("overhearing: a lab's mark is for its own session") {
  Ear ear;
  ear.open(1);
  ear.open(2);
  ear.sink.lab_keeps(1, false, Ear::now());
  ear.client_says(2, "passed");
  ear.client_says(1, "dropped");
  CHECK(ear.heard() == Lines{"client: passed"});
}

TEST_CASE("overhearing: what the operator says in the server's name is not heard, and the client is") {
  Ear ear;
  ear.open(1);
  ear.open(2);
  ear.sink.inserts(1);
  ear.server_says(1, "from the operator");
  ear.client_says(1, "hello");
  ear.server_says(2, "from the server");
  ear.sink.inserts(0);
  ear.server_says(1, "again from the server");
  CHECK(ear.heard() == Lines{"client: hello", "server: from the server", "server: again from the server"});
}

TEST_CASE("overhearing: a session that has closed is forgotten, and its number may be used again") {
  Ear ear;
  ear.open(1);
  ear.sink.closed(1, "", Ear::now());
  ear.client_says(1, "nobody");
  ear.open(1);
  ear.client_says(1, "somebody else");
  CHECK(ear.heard() == Lines{"client: somebody else"});
}

TEST_CASE("overhearing: a session keeps the options of its replaced route until it has closed, and not longer") {
  constexpr std::size_t kOther = kRoute + 1;
  Ear ear;
  auto options = ear.options();
  const std::weak_ptr<const relay::RouteOptions> kept = options;
  ear.hearing.sink(0, kOther, std::move(options), nullptr);
  ear.open(1, kOther);
  ear.client_says(1, "hello");
  REQUIRE(eventually([&] { return ear.orders.has(Kind::kLog, "hello"); }));
  ear.hearing.sink(0, kOther, ear.options(), nullptr);
  CHECK_FALSE(kept.expired());
  ear.sink.closed(1, "", Ear::now());
  ear.hearing.stop();
  CHECK(kept.expired());
}

TEST_CASE("overhearing: sessions of other routes are not heard") {
  Ear ear;
  ear.open(1, kRoute + 1);
  ear.client_says(1, "elsewhere");
  ear.open(2);
  ear.client_says(2, "here");
  CHECK(ear.heard() == Lines{"client: here"});
}

TEST_CASE("overhearing: another tap gets all calls, also those that rules do not hear") {
  Ear ear;
  ear.open(1);
  ear.other.all.clear();
  ear.sink.plays(1, Ear::now());
  ear.sink.inserts(1);
  ear.server_says(1, "from the operator");
  ear.sink.packet(1, Way::kToClient, {}, frame("likewise"), Ear::now());
  ear.sink.lab_keeps(1, true, Ear::now());
  ear.sink.note(1, "a note", Ear::now());
  ear.sink.closed(1, "", Ear::now());
  CHECK(ear.other.all == "plays bytes packet lab note closed ");
}

TEST_CASE("overhearing: packets are heard by their kind, each way") {
  Ear ear(toy::packets());
  relay::LinkInfo info;
  info.link = 1;
  info.game = &ear.game;
  info.route = kRoute;
  ear.sink.opened(info, Ear::now());
  const wire::EnetCarriage reliable{0, wire::EnetDelivery::kReliable};
  ear.sink.packet(1, Way::kToServer, reliable, frame("up"), Ear::now());
  ear.sink.packet(1, Way::kToClient, reliable, frame("down"), Ear::now());
  ear.sink.inserts(1);
  ear.sink.packet(1, Way::kToClient, reliable, frame("from the operator"), Ear::now());
  CHECK(ear.heard() == Lines{"client: up", "server: down"});
}

TEST_CASE("overhearing: a datagram that is no message, of either peer, does not end the rules of its session") {
  Ear ear(toy::game());
  ear.open(1);
  for (const Way way : {Way::kToServer, Way::kToClient})
    for (const Buffer& wrong : {Buffer(3, 255), Buffer()}) ear.sink.bytes(1, way, Lane::kDatagram, wrong, Ear::now());
  ear.client_says(1, "on");
  ear.server_says(1, "on");
  ear.sink.bytes(1, Way::kToServer, Lane::kDatagram, frame("by datagram"), Ear::now());
  CHECK(ear.heard() == Lines{"client: on", "server: on", "client: by datagram"});
  CHECK(ear.orders.count(Kind::kLost) == 0);
}

TEST_CASE("overhearing: with the datagrams of ENet, a session's rules end if packets are missing, not if one is refused") {
  Ear ear(toy::packets());
  relay::LinkInfo info;
  info.link = 1;
  info.game = &ear.game;
  info.route = kRoute;
  info.enet_datagrams = true;
  ear.sink.opened(info, Ear::now());
  const auto says = [&](std::size_t number, std::string_view text) {
    const Buffer message = frame(text);
    Buffer datagram{0, 0, 6, 0};  // to peer 0: a reliable packet on channel 0
    for (const std::size_t field : {number, message.size()}) {
      datagram.push_back(static_cast<std::uint8_t>(field >> 8U));
      datagram.push_back(static_cast<std::uint8_t>(field & 0xFFU));
    }
    datagram.insert(datagram.end(), message.begin(), message.end());
    ear.sink.bytes(1, Way::kToServer, Lane::kDatagram, datagram, Ear::now());
  };
  says(1, "first");
  says(1 + 7 * 4096, "refused by its receiver");
  says(2, "second");
  for (std::size_t i = 0; i <= net::EnetDissector::kWindow; ++i) says(4 + i, "later");
  says(5 + net::EnetDissector::kWindow, "after the gap");
  CHECK(ear.heard() == Lines{"client: first", "client: second"});
  CHECK(ear.orders.texts(Kind::kLost) == Lines{"from the client, reliable packets are missing"});
}

TEST_CASE("overhearing: the rules of a session that sends nonsense end, once, and those of others go on") {
  Ear ear;
  ear.open(1);
  ear.open(2);
  ear.say(1, Way::kToServer, Buffer(3, 255));
  ear.client_says(1, "lost");
  ear.client_says(2, "on");
  CHECK(ear.heard() == Lines{"client: on"});
  CHECK(ear.orders.count(Kind::kLost) == 1);
}

}  // namespace
}  // namespace entente::testing::overhearing_test
