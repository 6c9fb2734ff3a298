// One side of a session with a room: what it counts and records, when its stall time begins, when too much waits for
// it, and when its peer is read.
#include "proxy/relay/ends/counted_end.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/relay/route/one_route.h"
#include "tests/relay/toy.h"

namespace entente::testing::counted_end_test {
namespace {

using relay::CountedEnd, relay::Facing, relay::Reason;
using How = relay::End::Departure::How;
using wire::Lane;

struct Nobody final : relay::End::User {
  void opened(relay::End&, const core::Peer&) override {}
  void on_frames(relay::End&, const wire::Frames&) override {}
  void wrote(relay::End&) override {}
  void departed(relay::End&, const relay::End::Departure&) override {}
  void over(relay::End&) override {}
  relay::WorkerRoute* route_for(std::string_view) override { return nullptr; }
};

/// Logs what is done with it.
struct Link final : relay::End {
  using End::End;
  bool adopt(net::Fd) override { return true; }
  int connect(const net::Address&, relay::Outgoing) override { return 0; }
  void send(Lane, Bytes frame) override { log.push_back("send " + std::string(as_text(frame))); }
  void lend(Lane, const SharedBytes& frame) override { log.push_back("lend " + std::string(as_text(frame.bytes))); }
  std::size_t waiting() const override { return waits; }
  void set_reading(bool on) override { log.push_back(on ? "read" : "pause"); }
  void shut_down(std::string_view, std::uint32_t) override {}
  void hang_up() override {}
  bool is_open() const override { return true; }
  net::Address local_address() const override { return {}; }

  std::size_t waits = 0;
  std::vector<std::string> log;
};

using Log = std::vector<std::string>;

/// The end of a client or a server, whose link the test has.
struct Side {
  explicit Side(Facing facing = Facing::kClient)
      : route(loop, options_of(toy::game()), {*net::Address::parse("192.0.2.1:5")}, &tapped.sink(0)),
        end(facing, info) {
    info.link = 1;
    info.game = &toy::game();
    route.here->tap_opened(info, 1);
    auto made = std::make_unique<Link>(static_cast<relay::End::User&>(nobody));
    link = made.get();
    end.end = std::move(made);
  }
  void send(std::string_view text, Lane lane = Lane::kStream, BytesOwner owner = {}) {
    end.send(*route.here, lane, {as_bytes(text), std::move(owner)}, 1);
  }
  const relay::Counters& counters() const { return route.here->counters; }

  net::Loop loop;
  Tapped tapped;
  OneRoute route;
  Nobody nobody;
  relay::LinkInfo info;
  CountedEnd end;
  Link* link = nullptr;
};

TEST_CASE("counted end: the stall time of a peer begins with the first bytes that wait for it, not again with more") {
  Side side;
  side.end.last_progress = 5;
  side.send("first");
  CHECK(side.end.last_progress == side.loop.now());
  side.end.last_progress = 5;
  side.link->waits = 1;
  side.send("more");
  CHECK(side.end.last_progress == 5);
}

TEST_CASE("counted end: too much waits once it is more than 8 times high_water and the largest burst of its game") {
  Side side;
  Limits limits = no_limits();
  limits.high_water = 1'000;
  side.link->waits = 8 * 1'000 + toy::game().largest_burst();
  CHECK_FALSE(side.end.overflows(limits));
  ++side.link->waits;
  CHECK(side.end.overflows(limits));
}

TEST_CASE("counted end: a peer is read again when no reason to pause it is left") {
  Side side;
  side.end.come_up();
  CHECK(side.link->log.empty());
  side.end.pause(relay::kOtherSlow);
  side.end.pause(relay::kRate);
  side.end.pause(relay::kRate);
  CHECK(side.link->log == Log{"pause"});
  side.end.resume(relay::kRate);
  side.end.resume(relay::kRate);
  CHECK(side.link->log == Log{"pause"});
  side.end.resume(relay::kOtherSlow);
  side.end.resume(relay::kOtherSlow);
  CHECK(side.link->log == Log{"pause", "read"});
}

TEST_CASE("counted end: a peer that is paused before its link is up is not read once it is up") {
  Side side;
  side.end.pause(relay::kEarly);
  CHECK(side.link->log.empty());
  side.end.come_up();
  CHECK(side.link->log == Log{"pause"});
  side.end.resume(relay::kEarly);
  CHECK(side.link->log == Log{"pause", "read"});
}

TEST_CASE("counted end: a peer that floods is to blame if it was too fast, otherwise the one that reads too slowly") {
  for (const bool client : {true, false}) {
    CAPTURE(client);
    Side side(client ? Facing::kClient : Facing::kServer);
    side.end.pause(relay::kOtherSlow);
    CHECK(side.end.flooded_by() == (client ? Reason::kServerStalled : Reason::kClientStalled));
    side.end.pause(relay::kRate);
    CHECK(side.end.flooded_by() == (client ? Reason::kBadFrame : Reason::kServerProtocolError));
  }
}

TEST_CASE("counted end: frames and datagrams are counted and recorded by their direction") {
  for (const bool client : {true, false}) {
    CAPTURE(client);
    Side side(client ? Facing::kClient : Facing::kServer);
    side.send("abc");
    side.send("abcd", Lane::kDatagram);
    const auto& out = client ? side.counters().to_client : side.counters().to_server;
    const auto& in = client ? side.counters().to_server : side.counters().to_client;
    CHECK(out.bytes.read() == 3);
    CHECK(out.frames.read() == 1);
    CHECK(out.datagrams.read() == 1);
    CHECK(out.datagram_bytes.read() == 4);
    CHECK(in.frames.read() == 0);
    CHECK(in.datagrams.read() == 0);
    const auto record = side.tapped.record(1);
    CHECK(as_text(client ? record.to_client : record.to_server) == "abc");
    CHECK((client ? record.datagrams_to_client : record.datagrams_to_server).size() == 1);
    CHECK((client ? record.to_server : record.to_client).empty());
  }
}

TEST_CASE("counted end: what goes to an arena of this process is sent, but neither counted nor recorded again") {
  Side side;
  side.end.counted = false;
  side.send("abc");
  CHECK(side.link->log == Log{"send abc"});
  CHECK(side.counters().to_client.frames.read() == 0);
  CHECK(side.tapped.record(1).to_client.empty());
}

TEST_CASE("counted end: bytes that somebody owns are lent, others are sent") {
  Side side;
  side.send("mine");
  side.send("shared", Lane::kStream, std::make_shared<const Buffer>());
  CHECK(side.link->log == Log{"send mine", "lend shared"});
}

TEST_CASE("counted end: the reason of an end says who left, broke its link or broke a rule") {
  CHECK(relay::reason_of_client(How::kLeft) == Reason::kClientLeft);
  CHECK(relay::reason_of_client(How::kBroke) == Reason::kClientReset);
  CHECK(relay::reason_of_client(How::kWrong) == Reason::kBadFrame);
  CHECK(relay::reason_of_client(How::kUnwanted) == Reason::kBadRequest);
  CHECK(relay::reason_of_client(How::kDraining) == Reason::kDraining);
  CHECK(relay::reason_of_server(How::kLeft) == Reason::kServerLeft);
  CHECK(relay::reason_of_server(How::kBroke) == Reason::kServerReset);
  CHECK(relay::reason_of_server(How::kWrong) == Reason::kServerProtocolError);
  CHECK(relay::reason_of_server(How::kDeclined) == Reason::kServerDeclined);
}

}  // namespace
}  // namespace entente::testing::counted_end_test
