// The shots that a client sees: their flight, their numbers, and which ones end before the client detects a hit.
#include "proxy/core/gameplay/shown_shots.h"

#include <doctest/doctest.h>

#include <utility>

#include "proxy/core/seconds.h"
#include "tests/support/stage.h"
#include "tests/support/toy_game.h"

namespace entente::core::shown_shots_test {
namespace {

words::Shot shot_of(words::ShotKind kind, double range = 0) {
  words::Shot shot;
  shot.set_shooter(5);
  shot.set_shot(300);
  shot.set_kind(kind);
  shot.set_vx(2);
  shot.set_life(3);
  shot.set_range(range);
  return shot;
}

WorldState world_where(const char* hits) {
  WorldState world;
  words::Rule rule;
  rule.set_name("hits");
  rule.set_value(hits);
  world.fold(rule);
  return world;
}

/// Stands at `x` for ten seconds, as number 0x102 of player 9.
ShownShot at(double x) {
  ShownShot shot;
  shot.at = {x, 0, 1};
  shot.shooter = 5;
  shot.shot = 300;
  shot.player = 9;
  shot.number = 0x102;
  shot.until = 10 * kSecond;
  shot.decided = true;
  return shot;
}

constexpr MappingLine kInTheEast = dropped_fact("Shot", "in the east"), kHere = dropped_fact("Shot", "here");

/// Protects its player's tank, which stands at the origin.
class Spared final : public Front {
 public:
  explicit Spared(const std::vector<ShownShot>& shots) {
    for (const ShownShot& shot : shots) shots_.add(shot);
  }
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact&, FrontOut& out) override { tick(out); }
  void tick(FrontOut& out) override {
    for (const ShownShot& shot : shots_.end_near({}, 1, out)) out.drop(shot.at[0] > 0 ? kInTheEast : kHere);
  }

 private:
  ShownShots shots_;
};

std::string ended_near(const std::vector<ShownShot>& shots, Micros for_long = 0) {
  testing::FrontStage stage(std::make_unique<Spared>(shots), toy::game(), 0, wire::Way::kToClient);
  std::string does = stage.hears(words::Ready());
  return does + stage.waits(for_long);
}

}  // namespace

TEST_CASE("a shot flies as the room says; a ray is shown as a fast ball until it reaches its range") {
  struct Row {
    words::Shot shot;
    double speed, life;
  };
  const Row rows[] = {
      {shot_of(words::BALL, 30), 2, 3},
      {shot_of(words::RAY, 30), 600, 0.1},
      {shot_of(words::MELEE, 30), 600, 0.1},
      {shot_of(words::RAY), 600, 3},
  };
  for (const Row& row : rows) {
    const ShownShot flying = shown(row.shot, WorldState(), kSecond);
    CHECK(flying.shooter == 5);
    CHECK(flying.shot == 300);
    CHECK(flying.velocity[0] == row.speed);
    CHECK(flying.life == row.life);
    CHECK(flying.began == kSecond);
    CHECK(flying.until == kSecond + micros(row.life));
  }
}

TEST_CASE("the server decides hits unless victims do") {
  CHECK(shown(shot_of(words::BALL), WorldState(), 0).decided);
  CHECK_FALSE(shown(shot_of(words::BALL), world_where("victim"), 0).decided);
}

TEST_CASE("a shot is found by either of its numbers, which give the newest one") {
  ShownShots shots;
  shots.add(at(1));
  shots.add(at(2));
  shots.add(at(3));
  shots.find(5, 300)->number = 0x103;
  REQUIRE(shots.find(5, 300) != nullptr);
  CHECK(shots.find(5, 300)->at[0] == 3);
  CHECK(std::as_const(shots).find(5, 300)->at[0] == 3);
  REQUIRE(shots.numbered(9, 0x102) != nullptr);
  CHECK(shots.numbered(9, 0x102)->at[0] == 2);
  CHECK(shots.find(5, 301) == nullptr);
  CHECK(shots.find(6, 300) == nullptr);
  CHECK(shots.numbered(9, 2) == nullptr);
  shots.remove(9, 0x103);
  shots.remove(9, 0x102);
  CHECK(shots.find(5, 300) == nullptr);
}

TEST_CASE("a slot is busy while a shot of its player uses it") {
  ShownShots shots;
  shots.add(at(1));
  CHECK(shots.busy(9, 2, 0));
  CHECK_FALSE(shots.busy(9, 1, 0));
  CHECK_FALSE(shots.busy(8, 2, 0));
  CHECK_FALSE(shots.busy(9, 2, 10 * kSecond));
  shots.find(5, 300)->ended = true;
  CHECK_FALSE(shots.busy(9, 2, 0));
}

TEST_CASE("a shot stays known for a second after its end") {
  ShownShots shots;
  shots.add(at(1));
  shots.forget_old(11 * kSecond);
  CHECK(shots.find(5, 300) != nullptr);
  shots.forget_old(11 * kSecond + 1);
  CHECK(shots.find(5, 300) == nullptr);
}

TEST_CASE("shots are forgotten one after another, in whatever order they were fired") {
  for (const bool longest_first : {false, true}) {
    CAPTURE(longest_first);
    ShownShots shots;
    for (const std::uint32_t seconds : longest_first ? std::initializer_list<std::uint32_t>{9, 5, 7}
                                                     : std::initializer_list<std::uint32_t>{5, 7, 9}) {
      ShownShot shot = at(1);
      shot.shot = seconds;
      shot.until = seconds * kSecond;
      shots.add(shot);
    }
    for (const std::uint32_t seconds : {5U, 7U, 9U}) {
      shots.forget_old((seconds + 1) * kSecond);
      CHECK(shots.find(5, seconds) != nullptr);
      shots.forget_old((seconds + 1) * kSecond + 1);
      CHECK(shots.find(5, seconds) == nullptr);
    }
  }
}

TEST_CASE("the first shot of a player that has not ended is its oldest one") {
  ShownShots shots;
  ShownShot other = at(1), ended = at(2);
  other.player = 8;
  ended.ended = true;
  for (const ShownShot& shot : {other, ended, at(3), at(4)}) shots.add(shot);
  REQUIRE(shots.oldest(9) != nullptr);
  CHECK(shots.oldest(9)->at[0] == 3);
  CHECK(shots.oldest(7) == nullptr);
}

TEST_CASE("a client can show two thousand shots") {
  ShownShots shots;
  for (int i = 0; i < 2'000; ++i) {
    CHECK_FALSE(shots.full());
    shots.add(at(1));
  }
  CHECK(shots.full());
}

TEST_CASE("a shot whose hits the server decides ends once, before it meets the tank") {
  ShownShot coming = at(30), own = at(0), victims = at(0), over = at(0), ended = at(0);
  coming.velocity = {-100, 0, 0};
  own.player = 1;
  victims.decided = false;
  over.until = 0;
  ended.ended = true;
  CHECK(ended_near({own, victims, over, ended, at(50), at(0)}) == "loses Shot: here\n");
  CHECK(ended_near({coming}) == "");
  CHECK(ended_near({coming}, kSecond) == "loses Shot: in the east\n");
}

}  // namespace entente::core::shown_shots_test
