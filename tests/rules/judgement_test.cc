// A judgement of what was said reports what the rules of the room have reported.
#include "proxy/rules/judgement.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/rules/scene.h"

namespace entente::rules::judgement_test {
namespace {

/// Reports with numbers that depend on the time, on where units are then, and on what was said before.
constexpr const char* kRule = R"(
local deaths, wishes = 0, 0
function on_tick()
  local unit = unit_of(1)
  if unit then report(1, "is there", { x = unit.x, age = unit.age, deaths = deaths, wishes = wishes }) end
end
function on_join(player) report(player.id, "joins", {}) end
function on_intent.fire(word, player) wishes = wishes + 1 end
function on_fact.died(word)
  deaths = deaths + 1
  local before = get_unit(word.unit, 0.2)
  report(word.player, "dies", { before = before and before.x or -1, x = get_unit(word.unit).x })
end)";

std::string text_of(const std::vector<Action>& actions) {
  std::string text;
  for (const Action& one : actions) {
    text += std::to_string(one.at) + " " + std::to_string(one.player) + " " + one.name + " " + one.text;
    for (const auto& [name, number] : one.numbers) text += " " + name + " " + std::to_string(number);
    text += "\n";
  }
  return text;
}

std::shared_ptr<const RuleSet> set_of(const char* source) {
  auto set = std::make_shared<RuleSet>();
  auto checked = check_rule("rule.lua", source);
  REQUIRE(checked);
  set->push_back(std::move(*checked));
  return set;
}

words::Pose pose(core::Id unit, double x) {
  words::Pose pose;
  pose.set_unit(unit);
  pose.set_x(x);
  pose.set_vx(3);
  return pose;
}

}  // namespace

TEST_CASE(
    "a judgement reports the same as the room, with the same numbers and times, however late the room's ticks are") {
  Scene live(kRule);
  live.now = 1'400 * core::kMillisecond;
  Judgement judgement(set_of(kRule));
  std::vector<Action> there, here;
  const auto tell = [&](core::Fact fact) {
    live.tell(fact);
    fact.at = live.now;
    judgement.hear(fact);
  };
  words::Player player;
  player.set_id(1);
  player.set_name("anna");
  tell(player);
  words::Unit unit;
  unit.set_id(11);
  unit.set_owner(1);
  unit.set_alive(true);
  unit.mutable_pose()->set_unit(11);
  tell(unit);
  words::Owns owns;
  owns.set_player(1);
  owns.add_units(11);
  owns.set_active(11);
  tell(owns);
  for (int i = 0; i < 40; ++i) {
    live.now += 137 * core::kMillisecond;
    tell(pose(11, i));
    if (i % 7 == 0) {
      words::Died died;
      died.set_player(1);
      died.set_unit(11);
      tell(died);
    }
    if (i % 5 == 0) {
      core::Intent fire{words::Fire()};
      live.say(fire, 1);
      judgement.hear(fire);
    }
    if (i % 11 == 0) live.rules->tick(live.now);  // seldom, and late
  }
  live.now += 3 * core::kSecond;
  live.rules->tick(live.now);
  judgement.end(live.now);
  there = live.take();
  here = judgement.take();
  CHECK(there.size() == 1 + 6 + 8);
  CHECK(text_of(here) == text_of(there));
}

TEST_CASE("on_tick sees what was true at the end of its second, also if the next word comes before it is called") {
  constexpr const char* kWhere = "function on_tick() report(1, 'is at ' .. unit_of(1).x, {}) end";
  Scene live(kWhere);
  live.begin();
  Judgement judgement(set_of(kWhere));
  for (const auto& [id, player] : live.world().players()) {
    words::Owns owns;
    owns.set_player(id);
    owns.set_active(id + 10);
    owns.add_units(id + 10);
    words::Unit unit = live.world().unit(id + 10)->unit;
    for (core::Fact fact : {core::Fact(player.player), core::Fact(unit), core::Fact(owns)}) {
      fact.at = live.now;
      judgement.hear(fact);
    }
  }
  words::Pose pose;
  pose.set_unit(11);
  const auto move = [&](double x, core::Micros at) {
    pose.set_x(x);
    core::Fact fact(pose);
    fact.at = live.now = at;
    live.tell(fact);
    judgement.hear(fact);
  };
  move(5, 1'500'000);
  live.now = 2'000'000;
  live.rules->tick(live.now);  // a host's timer may come first, or the word
  move(6, 2'100'000);
  move(7, 3'200'000);
  const auto there = live.take(), here = judgement.take();
  CHECK(text_of(there) == "2000000 1 anna is at 5.0\n3000000 1 anna is at 6.0\n");
  CHECK(text_of(here) == text_of(there));
}

TEST_CASE("the seconds of a judgement are those of the room, also where the recording begins later") {
  Judgement judgement(set_of("function on_tick() report(0, 'a second', {}) end"), 300 * core::kMillisecond);
  core::Fact fact{words::Player()};
  fact.at = 0;
  judgement.hear(fact);
  judgement.end(2 * core::kSecond);
  const auto reports = judgement.take();
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].at == 700 * core::kMillisecond);
}

TEST_CASE("rules are not called for the time between two recordings") {
  Judgement judgement(set_of("function on_tick() report(0, 'a second', {}) end"));
  judgement.become(core::WorldState(), 0, 0);
  judgement.become(core::WorldState(), 3'600 * core::kSecond, 2 * core::kSecond);
  judgement.end(3'602 * core::kSecond);
  const auto reports = judgement.take();
  REQUIRE(reports.size() == 4);
  CHECK(reports[1].at == 2 * core::kSecond);
  CHECK(reports[2].at == 3'601 * core::kSecond);
}

TEST_CASE("rules are not called for the silence of a recording whose facts are more than ten minutes apart") {
  const auto ticks = [](core::Micros gap) {
    Judgement judgement(set_of("function on_tick() report(0, 'a second', {}) end"));
    core::Fact fact{words::Player()};
    std::size_t calls = 0;
    for (int i = 0; i < 10; ++i) {
      judgement.hear(fact);
      fact.at += gap;
      calls += judgement.take().size();
    }
    return calls;
  };
  CHECK(ticks(3'600 * core::kSecond) <= 10);
  CHECK(ticks(1'000'000 * core::kSecond) <= 10);
  CHECK(ticks(100 * core::kSecond) == 9 * 100);
}

TEST_CASE("a recording that begins with a world has players who join before anything else") {
  Judgement judgement(
      set_of("function on_join(p) report(p.id, 'joins') end function on_leave(p) report(p.id, 'leaves') end"));
  const auto world_of = [](core::Id id) {
    core::WorldState world;
    words::Player player;
    player.set_id(id);
    world.fold(player);
    return world;
  };
  judgement.become(world_of(4), core::kSecond, core::kSecond);
  judgement.become(world_of(5), 2 * core::kSecond, 2 * core::kSecond);
  words::PlayerGone gone;
  gone.set_id(5);
  core::Fact fact(gone);
  fact.at = 3 * core::kSecond;
  judgement.hear(fact);
  CHECK(text_of(judgement.take()) == "1000000 4  joins\n2000000 5  joins\n3000000 5  leaves\n");
}

}  // namespace entente::rules::judgement_test
