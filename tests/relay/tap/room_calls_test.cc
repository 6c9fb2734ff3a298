// How the calls of a room are told to a tap: what is written of each, when it is told, and when nothing is told any
// more.
#include "proxy/relay/tap/room_calls.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace entente::relay::room_calls_test {
namespace {

using core::kSecond, core::Micros;

struct Sink final : TapSink {
  void opened(const LinkInfo&, WallTime) override {}
  void bytes(LinkId, wire::Way, wire::Lane, Bytes, WallTime) override {}
  void closed(LinkId, std::string_view, WallTime) override {}
  bool wants_words() const override { return wants; }
  std::uint32_t recording_generation() const override { return generation; }
  void calls(LinkId link, Bytes bytes, WallTime at) override {
    REQUIRE(told.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    CHECK(told.back().link() == link);
    times.push_back(at);
  }
  bool wants = true;
  std::uint32_t generation = 1;
  std::vector<trace::Calls> told;
  std::vector<WallTime> times;
};

struct Rig {
  explicit Rig(bool wants = true) {
    sink.wants = wants;
    trace::RoomBegan began;
    began.set_wall(77);
    calls.begin(&sink, 5, began);
  }
  /// All calls that were told, as kinds and numbers.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all() {
    calls.flush(0);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> list;
    for (const trace::Calls& one : sink.told)
      for (const std::uint64_t call : one.calls()) list.emplace_back(call % 16, call / 16);
    return list;
  }
  std::vector<trace::Detail> details() {
    calls.flush(0);
    std::vector<trace::Detail> list;
    for (const trace::Calls& one : sink.told)
      for (const trace::Detail& detail : one.details()) list.push_back(detail);
    return list;
  }
  Sink sink;
  RoomCalls calls;
};

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST_CASE("each call of a room is told with the time since the one before, and what the room asked in it") {
  Rig rig;
  rig.calls.tick(10);
  rig.calls.received(core::kBackId, 15);
  rig.calls.told_waiting(core::kBackId, 100);
  rig.calls.told_waiting(core::kNextBackId, 200);
  rig.calls.told_waiting(7, 300);
  rig.calls.told_waiting(7, 0);  // nothing waited: not told
  rig.calls.received(core::kNextBackId, 15);
  rig.calls.received(7, 40);
  CHECK(rig.all() == Pairs{{trace::DETAIL, 0},
                           {trace::TICK, 10},
                           {trace::FROM_SERVER, 5},
                           {trace::SERVER_WAITS, 100},
                           {trace::NEXT_WAITS, 200},
                           {trace::CLIENT_WAITS, 300},
                           {trace::FROM_NEXT, 0},
                           {trace::FROM_CLIENT, 25}});
  REQUIRE(rig.sink.told.size() == 1);
  CHECK(rig.sink.told[0].link() == 5);
  CHECK(rig.sink.told[0].number() == 1);
  CHECK(rig.sink.told[0].details(0).began().wall() == 77);
}

TEST_CASE("what a call led to belongs to the time of that call") {
  Rig rig;
  rig.calls.tick(1'000);
  rig.calls.answered(true);
  rig.calls.closed(core::kBackId, "left", 4);
  rig.calls.closed(7, "", 0);
  rig.calls.ruled(2, nullptr);
  core::Intent changed(words::Say{});
  rig.calls.ruled(3, &changed);
  rig.calls.other(1'500).set_kept(true);
  CHECK(rig.all() == Pairs{{trace::DETAIL, 0},
                           {trace::TICK, 1'000},
                           {trace::DETAIL, 0},
                           {trace::DETAIL, 0},
                           {trace::DETAIL, 0},
                           {trace::DETAIL, 0},
                           {trace::DETAIL, 0},
                           {trace::DETAIL, 500}});
  const auto details = rig.details();
  REQUIRE(details.size() == 7);
  CHECK(details[1].answered());
  CHECK(details[2].closed().server());
  CHECK(details[2].closed().why() == "left");
  CHECK(details[2].closed().code() == 4);
  CHECK_FALSE(details[3].closed().server());
  CHECK(details[4].ruled().nth() == 2);
  CHECK(details[4].ruled().dropped());
  CHECK(details[5].ruled().nth() == 3);
  CHECK_FALSE(details[5].ruled().dropped());
  CHECK_FALSE(details[5].ruled().changed().empty());
  CHECK(details[6].kept());
}

TEST_CASE("the secrets of an intent that rules changed are not told") {
  Rig rig;
  words::Enter enter;
  enter.set_name("anna");
  enter.set_password("sesame");
  core::Intent changed(std::move(enter));
  rig.calls.tick(1);
  rig.calls.ruled(1, &changed);
  const auto details = rig.details();
  CHECK(details.at(1).ruled().changed().find("anna") != std::string::npos);
  CHECK(details.at(1).ruled().changed().find("sesame") == std::string::npos);
}

TEST_CASE("calls are told once a second, or when there are many, and each message has the next number") {
  Rig rig;
  rig.calls.end_call(0, 1);
  CHECK(rig.sink.told.empty());
  rig.calls.tick(kSecond - 1);
  rig.calls.end_call(kSecond - 1, 2);
  CHECK(rig.sink.told.empty());
  rig.calls.tick(kSecond);
  rig.calls.end_call(kSecond, 3);
  REQUIRE(rig.sink.told.size() == 1);
  CHECK(rig.sink.times == std::vector<WallTime>{3});
  CHECK(rig.sink.told[0].calls_size() == 3);
  rig.calls.tick(2 * kSecond - 1);
  rig.calls.end_call(2 * kSecond - 1, 4);
  CHECK(rig.sink.told.size() == 1);
  for (int i = 0; i < 510; ++i) rig.calls.tick(2 * kSecond - 1);
  rig.calls.end_call(2 * kSecond - 1, 5);
  CHECK(rig.sink.told.size() == 1);  // 511 calls
  rig.calls.tick(2 * kSecond - 1);
  rig.calls.end_call(2 * kSecond - 1, 6);
  REQUIRE(rig.sink.told.size() == 2);
  CHECK(rig.sink.told[1].calls_size() == 512);
  CHECK(rig.sink.told[1].number() == 2);
  CHECK(rig.sink.told[1].details_size() == 0);
  rig.calls.flush(7);
  CHECK(rig.sink.told.size() == 2);  // there is nothing new
}

TEST_CASE("when the recording goes on in another file, what was called is told, and nothing after it") {
  Rig rig;
  rig.calls.tick(10);
  rig.sink.generation = 2;
  rig.calls.end_call(10, 1);
  REQUIRE(rig.sink.told.size() == 1);
  CHECK(rig.sink.told[0].calls_size() == 2);
  CHECK_FALSE(rig.calls.on());
  rig.calls.tick(20);
  rig.calls.answered(true);
  rig.calls.told_waiting(core::kBackId, 5);
  rig.calls.closed(core::kBackId, "", 0);
  rig.calls.ruled(1, nullptr);
  rig.calls.end_call(9 * kSecond, 2);
  rig.calls.flush(3);
  CHECK(rig.sink.told.size() == 1);
}

TEST_CASE("when no words are wanted any more, or were not wanted at the beginning, no calls are told") {
  Rig rig;
  rig.calls.tick(10);
  rig.sink.wants = false;
  rig.calls.end_call(10, 1);
  CHECK_FALSE(rig.calls.on());
  rig.calls.flush(1);
  CHECK(rig.sink.told.empty());

  Rig late(false);
  CHECK_FALSE(late.calls.on());
  late.sink.wants = true;
  late.calls.tick(10);
  late.calls.end_call(9 * kSecond, 1);
  CHECK(late.sink.told.empty());

  RoomCalls none;
  none.begin(nullptr, 1, {});
  CHECK_FALSE(none.on());
}

TEST_CASE("a peer is told with its address, its connect data and its path") {
  core::Peer peer;
  peer.address = "192.0.2.1:1000";
  peer.connect_data = 70;
  peer.path = "/play";
  const trace::Peer told = to_trace(peer);
  CHECK(told.address() == "192.0.2.1:1000");
  CHECK(told.connect_data() == 70);
  CHECK(told.path() == "/play");
}

}  // namespace
}  // namespace entente::relay::room_calls_test
