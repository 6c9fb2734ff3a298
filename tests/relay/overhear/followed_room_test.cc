// The time of a room beside a session: what is due is done at its time, and long gaps are not played tick by tick.
#include "proxy/relay/overhear/followed_room.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "tests/relay/toy.h"
#include "tests/support/toy_faces.h"

namespace entente::testing::followed_room_test {
namespace {

using core::kSecond, core::Micros;
using Times = std::vector<Micros>;

/// Asks for a tick each second, and keeps when it got them.
class Clockwork final : public core::Back {
 public:
  explicit Clockwork(Times& ticks) : ticks_(ticks) {}
  void opened(const core::Peer&, core::BackOut& out) override { out.wake(out.now() + kSecond); }
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent&, core::BackOut&) override {}
  void tick(core::BackOut& out) override {
    ticks_.push_back(out.now());
    out.wake(out.now() + kSecond);
  }

 private:
  Times& ticks_;
};

struct Followed final : relay::FollowedRoom {
  Followed() : FollowedRoom(toy::make_front(toy::stream()), std::make_unique<Clockwork>(ticks), 1) {
    begin(toy::stream(), 0);
  }
  void before_call(Micros at) override { calls.push_back(at); }
  void client_sends(Micros at) {
    received({wire::Way::kToServer, wire::Lane::kStream, wire::Stage::kGreeting, as_bytes(kHello)}, at);
  }
  using FollowedRoom::give_up;

  Times ticks, calls;
};

TEST_CASE("followed room: each tick comes at its time, before what is received then, and the time never goes back") {
  Followed it;
  it.pass_time(kSecond - 1);
  CHECK(it.ticks.empty());
  it.client_sends(3 * kSecond);
  CHECK(it.ticks == Times{kSecond, 2 * kSecond, 3 * kSecond});
  CHECK(it.calls == Times{kSecond, 2 * kSecond, 3 * kSecond, 3 * kSecond});
  it.pass_time(kSecond);
  CHECK(it.now() == 3 * kSecond);
  it.pass_time(4 * kSecond - 1);
  CHECK(it.now() == 4 * kSecond - 1);
  CHECK(it.ticks.size() == 3);
}

TEST_CASE("followed room: of a gap of days, only the last ten minutes are played tick by tick") {
  Followed it;
  it.pass_time(600 * kSecond);
  CHECK(it.ticks.size() == 600);
  CHECK(it.ticks.front() == kSecond);
  it.ticks.clear();
  const Micros later = 2 * 86'400 * kSecond;
  it.pass_time(later);
  REQUIRE(it.ticks.size() == 601);
  CHECK(it.ticks.front() == later - 600 * kSecond);
  CHECK(it.ticks.back() == later);
  CHECK(it.now() == later);
}

TEST_CASE("followed room: once its words are over, nothing is called any more, and only the time passes") {
  Followed it;
  it.give_up("a gap");
  it.client_sends(5 * kSecond);
  it.left(wire::Way::kToServer, 6 * kSecond);
  CHECK(it.ticks.empty());
  CHECK(it.calls.empty());
  CHECK(it.wakes_at() == UINT64_MAX);
  CHECK(it.now() == 6 * kSecond);
  CHECK(it.over() == "a gap");
}

}  // namespace
}  // namespace entente::testing::followed_room_test
