// A lockstep arena on the loop of the test: for whom it waits, and for whom it waits no longer.
#include <doctest/doctest.h>

#include "proxy/core/drops.h"
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
  std::uint64_t dropped(const MappingLine& line) const {
    std::uint64_t times = 0;
    for (const core::Ledger::Entry& one : room->room().ledger().entries()) times += one.line == &line ? one.times : 0;
    return times;
  }
};

/// While it lives, the time at the end of each turn of the loop is so much later.
class LaterTurns {
 public:
  LaterTurns(net::Loop& loop, Millis by) : loop_(loop), by_(by) {
    uv_prepare_init(loop.raw(), &prepare_);
    prepare_.data = this;
    uv_prepare_start(&prepare_, [](uv_prepare_t* its) {  // runs before that of the loop, which was started before
      its->loop->time += static_cast<LaterTurns*>(its->data)->by_;
    });
  }
  ~LaterTurns() {
    uv_close(reinterpret_cast<uv_handle_t*>(&prepare_), nullptr);
    uv_run(loop_.raw(), UV_RUN_NOWAIT);
  }

 private:
  net::Loop& loop_;
  const Millis by_;
  uv_prepare_t prepare_{};
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
  CHECK(its.dropped(core::drops::kCollectedTooMany) > 30);
  CHECK(its.dropped(core::drops::kCollectedTooMany) + its.dropped(core::drops::kLeftBeforeStep) == 300);
}

TEST_CASE("lockstep room: who asks for no step for 10 s is told that nobody waits for it any more") {
  LockstepRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  CHECK_FALSE(its.steps(anna));
  const LaterTurns later(its.loop, core::Lockstep::kPatience);
  its.room->order([](core::Back&) {});  // its turn comes
  CHECK(its.within(kTurns, [&] { return anna.script.clocks.size() == 1; }));
  REQUIRE(ben.script.said.size() == 1);
  CHECK(ben.script.said.front() == "time advances without you until you ask for a step: you asked for none in 10 s");
  CHECK(anna.script.said.empty());
}

TEST_CASE("lockstep room: what waits when its player leaves, or when the room ends, is counted as dropped") {
  LockstepRoom its;
  Actor &anna = its.enters("anna"), &ben = its.enters("ben");
  anna.say({say_this("one"), say_this("two")});
  ben.say(say_this("three"));
  CHECK(its.dropped(core::drops::kLeftBeforeStep) == 0);
  its.room->gone(anna.seat, "left", 0);
  its.settle();
  CHECK(its.dropped(core::drops::kLeftBeforeStep) == 2);
  its.room->stop();
  CHECK(its.dropped(core::drops::kLeftBeforeStep) == 3);
}

}  // namespace
}  // namespace entente::testing::lockstep_room_test
