// Rooms that are weeks, months or years old do what young ones do: their words differ only by the age.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "proxy/core/arena/referee.h"
#include "proxy/core/bot/stand_ins.h"
#include "proxy/core/replay/tape.h"
#include "tests/support/deaf_host.h"

namespace entente::core::old_rooms_test {
namespace {

/// Where counters of 32 bits end: of microseconds, of milliseconds, of 10 ms and of seconds. The minute that is played
/// passes each of them. And 100 years.
const std::vector<Micros> kAges = [] {
  constexpr Micros kBefore = 20 * kSecond, kUnits[] = {1, kMillisecond, 10 * kMillisecond, kSecond};
  std::vector<Micros> ages{Micros{36'500} * 86'400 * kSecond};
  for (const Micros unit : kUnits)
    for (const unsigned bits : {31U, 32U}) ages.push_back((unit << bits) - kBefore);
  return ages;
}();

class Listener final : public testing::DeafHost {
 public:
  void told(const Fact& fact) override {
    if (stand_ins != nullptr) stand_ins->heard(fact);
    facts.push_back(fact);
  }
  StandIns* stand_ins = nullptr;
  std::vector<Fact> facts;
};

/// The facts of a minute in an arena with bots that hunt each other.
std::vector<Fact> minute_of_arena(Micros age, const ArenaRules& rules) {
  Listener host;
  BotOptions each;
  each.behaviour = Behaviour::kHunt;
  StandIns stand_ins({4, each});
  host.stand_ins = &stand_ins;
  RoomOptions options;
  options.seed = 7;
  options.shared = true;
  Room room(host, std::make_unique<Referee>(Arena{rules, courtyard(60)}), options);
  Micros now = age;
  room.back_opened({}, now);
  const Micros until = age + 60 * kSecond;
  stand_ins.look_after(room, now);
  while (room.next_wake() <= until) {
    now = std::max(now, room.next_wake());
    room.tick(now);
    stand_ins.look_after(room, now);
  }
  return host.facts;
}

/// The fact as text, with its time since the room began.
std::string text_of(const Fact& fact, Micros age) {
  words::Fact message;
  to_message(fact, message);
  message.set_at_us(message.at_us() - age);
  if (message.has_clock()) message.mutable_clock()->set_us(message.clock().us() - age);
  return message.ShortDebugString();
}

void check_same(const std::vector<Fact>& young, const std::vector<Fact>& old, Micros age) {
  CHECK(young.size() == old.size());
  for (std::size_t i = 0; i < std::min(young.size(), old.size()); ++i) {
    const std::string was = text_of(young[i], 0), is = text_of(old[i], age);
    if (was == is) continue;
    FAIL_CHECK("fact " << i << " at the age of " << age << ":\n  " << was << "\n  " << is);
    return;
  }
}

TEST_CASE("old arenas: a minute is as in a young one, in each mode") {
  for (const ArenaMode mode : {ArenaMode::kFreeForAll, ArenaMode::kTeams, ArenaMode::kFlags}) {
    ArenaRules rules;
    rules.mode = mode;
    rules.round = 25;  // rounds begin and end
    rules.jumping = rules.ricochet = true;
    rules.guided = 2;
    const std::vector<Fact> young = minute_of_arena(0, rules);
    REQUIRE(young.size() > 300);
    for (const Micros age : kAges) check_same(young, minute_of_arena(age, rules), age);
  }
}

TEST_CASE("old arenas: a broadcast from them keeps their times and their world") {
  ArenaRules rules;
  rules.round = 25;
  for (const Micros age : kAges) {
    const std::vector<Fact> facts = minute_of_arena(age, rules);
    Tape tape(See::kPublic);
    tape.begin(age);
    WorldState world, shown;
    bool begun = false;
    for (const Fact& fact : facts) {
      world.fold(fact);
      if (world.ready() && tape.owes_world(fact.at)) {
        tape.append_snapshot(world, fact.at, fact.at);
        begun = true;
      }
      if (begun) tape.append(fact, fact.at);
    }
    REQUIRE(begun);
    tape.pass(age + 60 * kSecond);
    CHECK(tape.last() == age + 60 * kSecond);
    REQUIRE(tape.first());
    CHECK(*tape.first() - age < 2 * kSecond);
    const auto place = tape.seek(age + 59 * kSecond, shown);
    REQUIRE_MESSAGE(place.ok(), place.error().text);
    CHECK(shown.players().size() == world.players().size());
    CHECK(shown.units().size() == world.units().size());
  }
}

}  // namespace
}  // namespace entente::core::old_rooms_test
