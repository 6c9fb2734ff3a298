// The owner's side of an arena, without the bus.
#include "proxy/fleet/arena/owner_side.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "adapters/native/native.h"
#include "proxy/fleet/decode.h"
#include "proxy/relay/sessions/shared_room.h"
#include "schema/fleet.pb.h"
#include "tests/relay/silent_events.h"

namespace entente::fleet::owner_test {
namespace {

/// A room with the owner's side, and the messages that it publishes to all.
struct Owned {
  Owned() {
    arena.arena = "field";
    arena.node = "owner";
    arena.find_game = [](std::string_view) { return &native::game(); };
    state.options.name = "the arena";
    state.options.game = &native::game();
    const auto until = std::make_shared<std::atomic<std::uint64_t>>(UINT64_MAX);
    const auto referee = std::make_shared<core::Referee*>(nullptr);
    const OwnerPost post = {[this](const std::string& subject, Bytes bytes) {
                              bus::Facts facts;
                              REQUIRE(decode(bytes, facts));
                              if (subject.ends_with(".facts")) published.push_back(std::move(facts));
                            },
                            [](Bytes) {}, [](Bytes) {}};
    state.options.annex = [=, this](relay::SharedRoom& in, net::Loop& its) {
      auto side = make_owner_side(arena, 3, until, referee, {}, post, in, its);
      owner = side.get();
      return side;
    };
    state.options.back = [referee] {
      core::Arena place;
      place.geometry = core::courtyard(60);
      auto back = std::make_unique<core::Referee>(place);
      *referee = back.get();
      return back;
    };
    room.emplace(loop, state, 1, events);
    room->open(nullptr);
  }
  ~Owned() {
    room->stop();
    room->close_annex();
    room.reset();
    loop.run();
  }

  entente::testing::SilentEvents events;
  net::Loop loop;
  FleetArena arena;
  relay::SharedRoomState state;
  std::optional<relay::SharedRoom> room;
  OwnerSide* owner = nullptr;
  std::vector<bus::Facts> published;
};

TEST_CASE("many facts of one turn are published once and whole, in messages that NATS accepts") {
  Owned it;
  it.owner->turn_ends();
  it.published.clear();
  constexpr int kSome = 12'000;
  for (int i = 0; i < kSome; ++i) {
    words::Said said;
    said.set_text(std::string(100, 'x') + std::to_string(i));
    it.owner->told(core::Fact(said));
  }
  it.owner->turn_ends();
  int count = 0;
  for (std::size_t i = 0; i < it.published.size(); ++i) {
    CHECK(it.published[i].ByteSizeLong() < 600'000);
    if (i != 0) CHECK(it.published[i].number() == it.published[i - 1].number() + 1);
    for (const auto& fact : it.published[i].facts())
      if (fact.has_said() && fact.said().text() == std::string(100, 'x') + std::to_string(count)) ++count;
  }
  CHECK(count == kSome);
}

}  // namespace
}  // namespace entente::fleet::owner_test
