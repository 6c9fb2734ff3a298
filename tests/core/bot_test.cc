// A bot in its own room: it enters, spawns, drives, shoots and respawns.
#include "proxy/core/bot/bot.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

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
      return enter(out);
    }
    if (as<words::Spawn>(intent)) return spawn(out);
    if (const auto* toward = as<words::Toward>(intent)) goal = *toward;
    if (const auto* fire = as<words::Fire>(intent)) shots.push_back(*fire);
  }
  void tick(BackOut& out) override {
    if (std::exchange(dies, false)) {
      words::Died died;
      died.set_player(out.me());
      died.set_unit(kUnit);
      died.set_unit(kUnit);
      died.set_killer(killer);
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
  Id killer = 0;        // of the bot
  double foe_at = 100;  // metres east

 private:
  void enter(BackOut& out) {
    words::World map;
    map.set_west(-400), map.set_east(400), map.set_south(-400), map.set_north(400);
    out.say(map);
    for (const Id id : {out.me(), kFoe}) {
      words::Player player;
      player.set_id(id);
      out.say(player);
      words::Unit unit;
      unit.set_id(id == kFoe ? kFoeUnit : kUnit);
      unit.set_owner(id);
      unit.set_alive(id == kFoe);
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
  explicit Game(Behaviour behaviour, double foe_at = 100) {
    auto its_field = std::make_unique<Field>();
    field = its_field.get();
    field->foe_at = foe_at;
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
  Game game(Behaviour::kHunt, kFoe);
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
