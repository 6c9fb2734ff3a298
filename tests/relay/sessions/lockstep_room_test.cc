// A lockstep arena on the loop of the test: for whom it waits, and for whom it waits no longer.
#include <doctest/doctest.h>

#include "tests/relay/sessions/one_shared_room.h"

namespace entente::testing::lockstep_room_test {
namespace {

constexpr core::Micros kTick = 40 * core::kMillisecond;
/// Enough for what is due now. A player who says nothing is waited for much longer.
constexpr int kTurns = 40;

struct LockstepRoom : OneSharedRoom {
  LockstepRoom() : OneSharedRoom([](relay::SharedRoomOptions& options) { options.lockstep_tick = kTick; }) {}
  /// Whether the player's step ends without another word of anybody.
  bool steps(Actor& player) {
    const std::size_t before = player.script.clocks.size();
    player.say(step_by(0.4));
    return within(kTurns, [&] { return player.script.clocks.size() > before; });
  }
};

TEST_CASE(
    "lockstep room: a player's step waits for the others who play, and for nobody who has left, however it left") {
  struct Way {
    const char* name;
    std::function<void(LockstepRoom&, Actor&)> leave;
  };
  const Way ways[] = {
      {"its link is closed", [](auto& its, auto& anna) { its.room->gone(anna.seat, "left", 0); }},
      {"its link breaks", [](auto& its, auto& anna) { its.room->lost(anna, anna.seat, "reset", 0); }},
      {"it says so", [](auto&, auto& anna) { anna.say(words::Leave()); }},
      {"it breaks a rule",
       [](auto&, auto& anna) {
         anna.script.fails = Fault{"wrong", "x", 0};
         anna.say(std::vector<core::Intent>());
       }},
      {"it is sent away", [](auto& its, auto& anna) { its.room->dismiss(anna.seat, "kicked"); }},
      {"it is moved out", [](auto& its, auto& anna) { (void)its.room->take_out(anna.seat); }},
  };
  for (const Way& way : ways) {
    CAPTURE(way.name);
    LockstepRoom its;
    Actor &anna = its.enters("anna"), &ben = its.enters("ben");
    CHECK_FALSE(its.steps(ben));
    way.leave(its, anna);
    CHECK(its.within(kTurns, [&] { return ben.script.clocks.size() == 1; }));
    CHECK(its.steps(ben));
    CHECK(its.room->time() == 800'000);
  }
}

TEST_CASE("lockstep room: who was refused is not waited for, although it has asked for a step") {
  LockstepRoom its;
  Actor &anna = its.seated(), &ben = its.enters("ben");
  anna.say({enter_as("unwanted"), step_by(1)});
  its.until([&] { return anna.was_told("turned away nobody wants you"); });
  CHECK(its.steps(ben));
  CHECK(its.steps(ben));
  CHECK(its.steps(ben));
  CHECK(anna.script.clocks.empty());
}

TEST_CASE("lockstep room: who watches is not waited for, and neither is who has only a seat") {
  LockstepRoom its;
  Actor& watcher = its.enters("carl", "192.0.2.1:5", words::WATCH);
  its.seated();
  Actor& ben = its.enters("ben");
  CHECK(its.steps(ben));
  CHECK(watcher.script.clocks.empty());
}

TEST_CASE(
    "lockstep room: its time stands still while nobody asks, and what is said meanwhile is heard in the next step") {
  LockstepRoom its;
  Actor& ben = its.enters("ben");
  ben.say(say_this("hello"));
  its.settle();
  CHECK(its.room->has_own_time());
  CHECK(its.room->time() == 0);
  CHECK(ben.script.said.empty());
  ben.say(step_by(0.4));
  CHECK(its.within(kTurns, [&] { return ben.script.clocks.size() == 1; }));
  CHECK(ben.script.said == std::vector<std::string>{"hello"});
  CHECK(ben.script.clocks.back() == 400'000);
  CHECK(its.room->time() == 400'000);
  CHECK_FALSE(OneSharedRoom().room->has_own_time());
}

TEST_CASE("lockstep room: if all who had asked leave, the time stays where it is until the next one asks") {
  LockstepRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  anna.say(step_by(1));
  its.settle();
  its.room->gone(anna.seat, "left", 0);
  its.settle();
  CHECK(its.room->time() == 0);
  CHECK(its.steps(ben));
  CHECK(its.room->time() == 400'000);
}

TEST_CASE("lockstep room: a long step takes many turns of the loop, so that others are served meanwhile") {
  LockstepRoom its;
  Actor& ben = its.enters("ben");
  its.stage->every = kTick / 5;
  its.room->order([](core::Back&) {});  // its first tick
  CHECK(its.steps(ben));
  ben.say(step_by(3'600));
  CHECK_FALSE(its.within(3, [&] { return ben.script.clocks.size() == 2; }));
  its.until([&] { return ben.script.clocks.size() == 2; });
  CHECK(ben.script.clocks.back() == 3'600'400'000);
}

TEST_CASE("lockstep room: of whom more waits than may, only it is sent away") {
  LockstepRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  std::vector<core::Intent> many;
  for (int i = 0; i < 300; ++i) many.emplace_back(say_this(std::string(1'000, 'x')));
  ben.say(std::move(many));
  CHECK(ben.script.goodbye == "more than 256 KiB of your intents wait for the arena's time to advance");
  CHECK(anna.script.goodbye.empty());
  CHECK(its.steps(anna));
}

}  // namespace
}  // namespace entente::testing::lockstep_room_test
