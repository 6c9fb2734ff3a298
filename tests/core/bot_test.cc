// A bot in its own room: it enters, spawns, drives, shoots and respawns.
#include "proxy/core/bot/bot.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "proxy/core/drops.h"
#include "proxy/core/gameplay/tank.h"
#include "proxy/core/room/room.h"
#include "tests/support/deaf_host.h"

namespace entente::core::bot_test {
namespace {

/// A field of 800 m. Units move to where they want to be, at up to 25 m/s. One enemy stands still.
class Field final : public Back {
 public:
  static constexpr Id kFoe = 1000, kFoeUnit = 1001, kUnit = 1002;

  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent& intent, BackOut& out) override {
    if (const auto* wish = as<words::Enter>(intent)) {
      role = wish->role();
      if (!refuses.empty()) {
        words::Refused no;
        no.set_text(refuses);
        return out.say(Fact(intent.by, no));
      }
      return enter(out);
    }
    if (as<words::Spawn>(intent)) return spawn(out);
    if (const auto* toward = as<words::Toward>(intent)) goal = *toward;
    if (const auto* fire = as<words::Fire>(intent)) {
      shots.push_back(*fire);
      shot_at.push_back(out.now());
    }
  }
  void tick(BackOut& out) override {
    if (std::exchange(dies, false)) {
      words::Died died;
      died.set_player(foe_dies ? kFoe : out.me());
      died.set_unit(foe_dies ? kFoeUnit : kUnit);
      died.set_killer(killer);
      died.set_why(why);
      died.set_respawn_s(3);
      return out.say(died);
    }
    words::Pose pose = out.world().unit(kUnit)->unit.pose();
    const double far = std::hypot(goal.x() - pose.x(), goal.y() - pose.y());
    if (far > 3) {
      pose.set_yaw(std::atan2(goal.y() - pose.y(), goal.x() - pose.x()));
      pose.set_x(pose.x() + 2.5 * std::cos(pose.yaw()));
      pose.set_y(pose.y() + 2.5 * std::sin(pose.yaw()));
    }
    out.say(pose);
    out.wake(out.now() + 100 * kMillisecond);
  }

  words::Toward goal;
  std::vector<words::Fire> shots;
  int spawns = 0;   // requests
  int ignores = 0;  // so many of them
  words::Role role = words::PLAY;
  bool dies = false;
  bool foe_dies = false;  // instead of the bot
  Id killer = 0;
  words::DeathCause why = words::BY_SHOT;
  double foe_at = 100;              // metres east
  words::Team team = words::ROGUE;  // of both
  bool foe_is_dead = false;
  words::World map;
  std::string refuses;
  std::vector<Micros> shot_at;

 private:
  void enter(BackOut& out) {
    words::Room game;
    game.set_teams(true);
    out.say(game);
    map.set_west(-400), map.set_east(400), map.set_south(-400), map.set_north(400);
    out.say(map);
    for (const Id id : {out.me(), kFoe}) {
      words::Player player;
      player.set_id(id);
      player.set_team(team);
      out.say(player);
      words::Unit unit;
      unit.set_id(id == kFoe ? kFoeUnit : kUnit);
      unit.set_owner(id);
      unit.set_alive(id == kFoe && !foe_is_dead);
      unit.mutable_pose()->set_x(id == kFoe ? foe_at : 0);
      out.say(unit);
      words::Owns owns;
      owns.set_player(id);
      owns.add_units(unit.id());
      owns.set_active(unit.id());
      out.say(owns);
    }
    out.say(words::Ready());
  }
  void spawn(BackOut& out) {
    if (++spawns <= ignores) return;
    words::Spawned spawned;
    spawned.set_unit(kUnit);
    out.say(spawned);
    out.wake(out.now());
  }
};

struct Game {
  explicit Game(
      Behaviour behaviour, const std::function<void(Field&)>& prepare = [](Field&) {}) {
    auto its_field = std::make_unique<Field>();
    field = its_field.get();
    prepare(*field);
    room = std::make_unique<Room>(network, std::move(its_field), RoomOptions{});
    BotOptions options;
    options.behaviour = behaviour;
    auto its_bot = std::make_unique<Bot>(options);
    bot = its_bot.get();
    me = room->seat(std::move(its_bot), {}, 0);
  }
  void run(Micros until) {
    for (; now <= until; now = std::max(now + 1, room->next_wake())) room->tick(now);
  }
  const words::Pose& pose() const { return room->world().unit(Field::kUnit)->unit.pose(); }

  testing::DeafHost network;
  Field* field;
  Bot* bot;
  std::unique_ptr<Room> room;
  Id me;
  Micros now = 0;
};

TEST_CASE("an idle bot stays where it spawned") {
  Game game(Behaviour::kIdle);
  game.run(20 * kSecond);
  CHECK(game.bot->tally().in);
  CHECK(game.bot->tally().spawns == 1);
  CHECK(game.pose().x() == 0);
  CHECK(game.field->shots.empty());
}

TEST_CASE("a bot that is not put into play asks again every two seconds") {
  Game game(Behaviour::kIdle);
  game.field->ignores = 2;
  game.run(2 * kSecond);
  CHECK(game.field->spawns == 1);
  game.run(20 * kSecond);
  CHECK(game.field->spawns == 3);
  CHECK(game.bot->tally().spawns == 1);
}

TEST_CASE("a spectator bot enters as a spectator and never spawns") {
  Game game(Behaviour::kWatch);
  game.run(20 * kSecond);
  CHECK(game.bot->tally().in);
  CHECK(game.field->role == words::WATCH);
  CHECK(game.field->spawns == 0);
  CHECK(game.field->shots.empty());
}

TEST_CASE("a wandering bot moves around, stays inside the field and shoots") {
  Game game(Behaviour::kWander);
  double way = 0, x = 0, y = 0;
  for (int second = 1; second <= 120; ++second) {
    game.run(static_cast<Micros>(second) * kSecond);
    way += std::hypot(game.pose().x() - x, game.pose().y() - y);
    x = game.pose().x();
    y = game.pose().y();
    CHECK(std::fabs(x) <= 400);
    CHECK(std::fabs(y) <= 400);
  }
  CHECK(way > 1000);
  CHECK(game.bot->tally().shots == game.field->shots.size());
  CHECK(game.field->shots.size() > 20);
}

TEST_CASE("a hunting bot that overlaps its enemy drives out before it shoots") {
  constexpr double kFoe = 1;
  Game game(Behaviour::kHunt, [](Field& field) { field.foe_at = kFoe; });
  double farthest = 0;
  for (Micros at = 0; at <= 5 * kSecond; at += 100 * kMillisecond) {
    game.run(at);
    farthest = std::max(farthest, std::hypot(game.pose().x() - kFoe, game.pose().y()));
  }
  CHECK(farthest > 10);
  CHECK(farthest < 40);
}

TEST_CASE("a hunting bot approaches its enemy and shoots at it") {
  Game game(Behaviour::kHunt);
  game.run(30 * kSecond);
  CHECK(std::hypot(game.pose().x() - 100, game.pose().y()) < 30);
  REQUIRE(game.field->shots.size() > 5);
  for (const auto& shot : game.field->shots) CHECK(std::fabs(std::atan2(shot.vy(), shot.vx())) < 0.3);
}

TEST_CASE(
    "a bot's shots say whence and how far they fly; they have numbers of their own, and follow when it is loaded") {
  Game game(Behaviour::kHunt);
  game.run(30 * kSecond);
  const std::vector<words::Fire>& shots = game.field->shots;
  REQUIRE(shots.size() > 5);
  CHECK(shots.front().shot() == 2);  // it holds the first one back, right after it spawned
  CHECK(shots.back().x() > 60);
  for (std::size_t i = 0; i < shots.size(); ++i) {
    CHECK(shots[i].unit() == Field::kUnit);
    CHECK(shots[i].range() == 350);
    CHECK(shots[i].life() == doctest::Approx(3.5));
    CHECK(std::hypot(shots[i].vx(), shots[i].vy()) == doctest::Approx(100));
    if (i == 0) continue;
    CHECK(shots[i].shot() == shots[i - 1].shot() + 1);
    CHECK(game.field->shot_at[i] - game.field->shot_at[i - 1] >= 1'200 * kMillisecond);
  }
}

TEST_CASE("a hunting bot leaves alone its team mates, the dead and those whom it does not see, but no other rogue") {
  struct Row {
    const char* what;
    std::function<void(Field&)> prepare;
    bool hunts;
  };
  const Row rows[] = {
      {"a rogue", [](Field&) {}, true},
      {"a team mate", [](Field& field) { field.team = words::RED; }, false},
      {"the dead", [](Field& field) { field.foe_is_dead = true; }, false},
      {"within a block",
       [](Field& field) {
         words::Solid& block = *field.map.add_solids();
         block.set_x(field.foe_at);
         block.set_half_x(10), block.set_half_y(10), block.set_height(10);
       },
       false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Game game(Behaviour::kHunt, row.prepare);
    double farthest = 0;
    for (Micros second = 10; second <= 60; ++second) {
      game.run(second * kSecond);
      farthest = std::max(farthest, std::hypot(game.pose().x() - game.field->foe_at, game.pose().y()));
    }
    CHECK((farthest < 40) == row.hunts);
  }
}

TEST_CASE("a bot counts the obstacles that it does not know because they are too many") {
  for (const std::size_t more : {0U, 1U}) {
    Game game(Behaviour::kHunt, [&](Field& field) {
      for (std::size_t i = 0; i < Terrain::kMostBlocks + more; ++i) field.map.add_solids();
    });
    game.run(kSecond);
    const auto& lost = game.room->ledger().entries();
    CHECK(std::any_of(lost.begin(), lost.end(), [](auto& one) { return one.line == &drops::kTerrainFull; }) ==
          (more != 0));
  }
}

TEST_CASE("a bot counts whom it has shot, but nobody who has died by a capture or by somebody else, and no death") {
  for (const auto& [by_bot, why, kills] :
       {std::tuple{true, words::BY_SHOT, 1U}, {true, words::BY_CAPTURE, 0U}, {false, words::BY_SHOT, 0U}}) {
    Game game(Behaviour::kIdle);
    game.run(5 * kSecond);
    game.field->foe_dies = game.field->dies = true;
    game.field->killer = by_bot ? game.me : 77;
    game.field->why = why;
    game.run(7 * kSecond);
    CHECK(game.bot->tally().kills == kills);
    CHECK(game.bot->tally().deaths == 0);
  }
}

TEST_CASE("a bot that is refused keeps the reason, and leaves") {
  Game game(Behaviour::kIdle, [](Field& field) { field.refuses = "no bots"; });
  CHECK_FALSE(game.room->is_seated(game.me));
}

TEST_CASE("a bot that kills itself counts a death, and no kill") {
  Game game(Behaviour::kIdle);
  game.run(5 * kSecond);
  game.field->dies = true;
  game.field->killer = game.me;
  game.run(7 * kSecond);
  CHECK(game.bot->tally().deaths == 1);
  CHECK(game.bot->tally().kills == 0);
}

TEST_CASE("a bot that died respawns when it may, and counts its deaths") {
  Game game(Behaviour::kIdle);
  game.run(5 * kSecond);
  game.field->dies = true;  // at its next tick
  game.run(7 * kSecond);
  CHECK(game.bot->tally().deaths == 1);
  CHECK(game.field->spawns == 1);
  game.run(10 * kSecond);
  CHECK(game.field->spawns == 2);
  CHECK(game.bot->tally().spawns == 2);
}

}  // namespace
}  // namespace entente::core::bot_test
