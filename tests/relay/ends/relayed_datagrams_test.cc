// The datagrams of one relay's session: which pass, where they go, and what is counted and recorded of them.
#include "proxy/relay/ends/datagrams.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/toy.h"

namespace entente::testing::relayed_datagrams_test {
namespace {

using relay::Drop, relay::LabFault;
using wire::Way;

std::shared_ptr<const relay::LabPlan> plan(std::string_view text) {
  auto made = relay::LabPlan::parse(text, nullptr);
  REQUIRE(made.ok());
  return std::make_shared<const relay::LabPlan>(std::move(*made));
}

struct Rig : Turning, relay::LabLine::User {
  explicit Rig(const Limits& its_limits = no_limits(), bool strict = false)
      : limits(its_limits),
        server(loopback()),
        route(loop, with(strict), {server.here()}, &tapped.sink(0)),
        info{1, &toy::game(), 0, client.here(), server.here(), route.listener.address} {
    route.here->tap_opened(info, 1);
    it.emplace(*route.here, info, limits, nullptr);
  }
  static relay::RouteOptions with(bool strict) {
    relay::RouteOptions options = options_of(toy::game());
    options.strict = strict;
    return options;
  }
  void lab_passes(relay::LabLine&, const relay::LabUnit&) override {}
  void lab_keeps(relay::LabLine&, Bytes, std::uint32_t, bool) override {}

  void open() {
    auto made = net::datagrams_towards(server.here());
    REQUIRE(static_cast<bool>(made));
    ours = net::local_address(made->udp.get());
    REQUIRE(it->open(std::move(made->udp), server.here()));
  }
  /// The server sends this, and it is dealt with.
  void answer(const Buffer& bytes) {
    server.send(ours, bytes);
    settle();
  }
  const relay::Counters& counters() const { return route.here->counters; }

  Tapped tapped;
  const Limits limits;
  Datagrams server;
  const Datagrams client{loopback()}, other{loopback()};
  net::Address ours;
  OneRoute route;
  relay::LinkInfo info;
  std::optional<relay::Datagrams> it;
};

TEST_CASE("relayed datagrams: they pass both ways as they are, and are counted and recorded") {
  Rig rig;
  rig.open();
  rig.it->from_client(rig.client.here(), frame("up"));
  const auto got = rig.server.receive();
  CHECK(got.bytes == frame("up"));
  CHECK(got.from == rig.ours);
  rig.answer(frame("down!"));
  const auto back = rig.client.receive();
  CHECK(back.bytes == frame("down!"));
  CHECK(back.from == rig.route.listener.address);
  CHECK(rig.counters().to_server.datagrams.read() == 1);
  CHECK(rig.counters().to_server.datagram_bytes.read() == 4);
  CHECK(rig.counters().to_client.datagrams.read() == 1);
  CHECK(rig.counters().to_client.datagram_bytes.read() == 7);
  const auto record = rig.tapped.record(1);
  CHECK(record.datagrams_to_server == std::vector<Buffer>{frame("up")});
  CHECK(record.datagrams_to_client == std::vector<Buffer>{frame("down!")});
}

TEST_CASE("relayed datagrams: answers go to where the client's last good datagram came from") {
  Rig rig;
  rig.open();
  rig.answer(frame("early"));
  CHECK(rig.route.dropped(Drop::kNotLinked) == 1);
  CHECK_FALSE(rig.client.readable(0));
  rig.it->from_client(rig.client.here(), frame("one"));
  rig.it->from_client(rig.other.here(), Buffer{255, 3});  // no message
  CHECK(rig.route.dropped(Drop::kBadFrame) == 1);
  rig.answer(frame("a"));
  CHECK(rig.client.receive().bytes == frame("a"));
  rig.it->from_client(rig.other.here(), frame("two"));
  rig.answer(frame("b"));
  CHECK(rig.other.receive().bytes == frame("b"));
  CHECK_FALSE(rig.client.readable(0));
}

TEST_CASE("relayed datagrams: before it has a server, and after it was closed, a client's are dropped") {
  Rig rig;
  rig.it->from_client(rig.client.here(), frame("early"));
  CHECK(rig.route.dropped(Drop::kNotLinked) == 1);
  rig.open();
  rig.it->from_client(rig.client.here(), frame("one"));
  CHECK(rig.server.receive().bytes == frame("one"));
  rig.it->close();
  rig.it->from_client(rig.client.here(), frame("late"));
  CHECK(rig.route.dropped(Drop::kNotLinked) == 2);
  rig.answer(frame("late"));
  CHECK_FALSE(rig.client.readable(0));
  CHECK_FALSE(rig.server.readable(0));
  rig.open();  // towards the next server
  rig.it->from_client(rig.client.here(), frame("two"));
  CHECK(rig.server.receive().bytes == frame("two"));
}

TEST_CASE("relayed datagrams: larger ones are dropped, either way, and those above the client's rate") {
  Limits limits = no_limits();
  limits.datagram_bytes = 10;
  limits.datagrams_per_second = 3;
  Rig rig(limits);
  rig.open();
  rig.it->from_client(rig.client.here(), frame(std::string(8, 'x')));
  rig.it->from_client(rig.client.here(), frame(std::string(9, 'x')));
  CHECK(rig.route.dropped(Drop::kTooLarge) == 1);
  CHECK(rig.server.receive().bytes.size() == 10);
  rig.answer(frame(std::string(9, 'x')));
  CHECK(rig.route.dropped(Drop::kTooLarge) == 2);
  rig.answer(frame(std::string(8, 'x')));
  CHECK(rig.client.receive().bytes.size() == 10);
  const Millis now = rig.loop.now();
  for (int i = 0; i < 20; ++i) {
    rig.pretend(now);
    rig.it->from_client(rig.client.here(), frame("x"));
  }
  CHECK(rig.route.dropped(Drop::kTooFast) >= 17);
}

TEST_CASE("relayed datagrams: on a strict route, a client's that do not decode are dropped, a server's pass") {
  const Buffer wrong{1, 99, 0};
  for (const bool strict : {true, false}) {
    CAPTURE(strict);
    Rig rig(no_limits(), strict);
    rig.open();
    rig.it->from_client(rig.client.here(), Buffer{1, 11, 0});
    CHECK(rig.server.receive().bytes.size() == 3);
    rig.it->from_client(rig.client.here(), wrong);
    CHECK(rig.server.readable(0) == !strict);
    CHECK(rig.route.dropped(Drop::kBadFrame) == (strict ? 1 : 0));
    rig.answer(wrong);
    CHECK(rig.client.receive().bytes == wrong);
  }
}

TEST_CASE(
    "relayed datagrams: the last one that passed, either way, is a sign of life, and one that is dropped is not") {
  Rig rig;
  const Millis began = rig.loop.now();
  CHECK(rig.it->last_passed() == began);
  rig.open();
  const auto later = [&] {
    const Millis then = rig.loop.now();
    rig.until([&] { return rig.loop.now() >= then + 10; });
  };
  later();
  rig.it->from_client(rig.client.here(), Buffer{255});
  rig.answer(frame("early"));
  CHECK(rig.it->last_passed() == began);
  rig.it->from_client(rig.client.here(), frame("one"));
  const Millis up = rig.it->last_passed();
  CHECK(up >= began + 10);
  later();
  rig.answer(frame("two"));
  CHECK(rig.it->last_passed() >= up + 10);
}

TEST_CASE("relayed datagrams: a lab has them both ways, and what it delays can be passed on at once") {
  Rig rig;
  rig.open();
  relay::SessionLab lab(rig.loop, rig, relay::LabLine::Of::kStream, rig.info, 7, rig.route.here->counters.lab,
                        1U << 20U);
  rig.it->pass_what_waits();  // there is no lab yet
  rig.it->follow({plan("delay=50s"), rig.loop.now()}, lab);
  rig.it->from_client(rig.client.here(), frame("up"));
  rig.answer(frame("down"));
  CHECK_FALSE(rig.server.readable(0));
  CHECK_FALSE(rig.client.readable(0));
  CHECK(rig.counters().to_server.datagrams.read() == 0);
  CHECK(lab.report().counts.at(Way::kToServer, LabFault::kDelay) == 1);
  CHECK(lab.report().counts.at(Way::kToClient, LabFault::kDelay) == 1);
  rig.it->pass_what_waits();
  rig.settle();
  CHECK(rig.server.receive().bytes == frame("up"));
  CHECK(rig.client.receive().bytes == frame("down"));
  CHECK(rig.counters().to_server.datagrams.read() == 1);
  CHECK(rig.counters().to_client.datagrams.read() == 1);
  rig.it->follow({plan("loss=100%"), rig.loop.now()}, lab);
  rig.it->from_client(rig.client.here(), frame("lost"));
  rig.answer(frame("likewise"));
  CHECK(rig.tapped.record(1).kept == std::vector<Buffer>{frame("lost"), frame("likewise")});
  CHECK(rig.tapped.record(1).datagrams_to_server.size() == 1);
  rig.it->follow({}, lab);
  rig.it->from_client(rig.client.here(), frame("on"));
  CHECK(rig.server.receive().bytes == frame("on"));
}

/// Keeps everything back.
struct NoJudge final : relay::LabLine::Judge {
  bool lets(relay::LabLine::Of of, Way, Bytes, std::uint32_t, wire::Stage) override {
    CHECK(of == relay::LabLine::Of::kDatagrams);
    return false;
  }
};

TEST_CASE("relayed datagrams: the judge of their session hears them, too") {
  Rig rig;
  rig.open();
  relay::SessionLab lab(rig.loop, rig, relay::LabLine::Of::kStream, rig.info, 7, rig.route.here->counters.lab,
                        1U << 20U);
  NoJudge judge;
  lab.judge_by(&judge);
  rig.it->follow({}, lab);
  rig.it->from_client(rig.client.here(), frame("up"));
  rig.answer(frame("down"));
  CHECK_FALSE(rig.server.readable(0));
  CHECK(rig.tapped.record(1).kept.size() == 2);
}

}  // namespace
}  // namespace entente::testing::relayed_datagrams_test
