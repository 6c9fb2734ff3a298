// Recorded facts for viewers: what they may see, how fast things move, and since when.
#include "proxy/core/replay/replay_facts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "proxy/core/drops.h"

namespace entente::core::replay_facts_test {
namespace {

Fact for_audience(Fact fact, words::Audience audience, Id to = 0) {
  fact.audience = audience;
  fact.to = to;
  return fact;
}

words::Said said(words::Say::Scope scope, std::uint32_t to = 0) {
  words::Said said;
  said.set_text("attack");
  said.set_scope(scope);
  said.set_to(to);
  return said;
}

words::Pose moving() {
  words::Pose pose;
  pose.set_x(1);
  pose.set_vx(10);
  pose.set_vy(20);
  pose.set_vz(30);
  pose.set_yaw_rate(4);
  return pose;
}

/// "vx vy vz yaw_rate" of a pose.
std::string motion(const words::Pose& pose) {
  return std::to_string(pose.vx()) + " " + std::to_string(pose.vy()) + " " + std::to_string(pose.vz()) + " " +
         std::to_string(pose.yaw_rate());
}

Fact fact_at(Micros at, Fact fact) {
  fact.at = at;
  return fact;
}

TEST_CASE("what was told to the recorded player about joining, leaving and its view is not for viewers") {
  for (const Fact& fact : {Fact(words::Refused()), Fact(words::Kicked()), Fact(words::ClaimRefused()),
                           Fact(words::Waiting()), Fact(words::WorldProgress()), Fact(words::You()),
                           Fact(words::View()), Fact(words::Clock()), Fact(words::Ready())}) {
    CAPTURE(name_of(fact));
    Fact shown = fact;
    CHECK(is_for_recorded_player(fact));
    CHECK_FALSE(show(shown, See::kTeams));
  }
  for (const Fact& fact : {Fact(words::Health()), Fact(words::Ammo()), Fact(words::Corrected()), Fact(words::Player()),
                           Fact(words::Died()), Fact(words::Said())}) {
    CAPTURE(name_of(fact));
    Fact shown = fact;
    CHECK_FALSE(is_for_recorded_player(fact));
    CHECK(show(shown, See::kPublic));
  }
}

TEST_CASE("viewers see what was told to one player, but no talk to one player, and nothing for a team or operators") {
  CHECK(kept_back(for_audience(words::Health(), words::PLAYER, 1)) == nullptr);
  CHECK(kept_back(for_audience(said(words::Say::EVERYBODY), words::ALL)) == nullptr);
  CHECK(kept_back(for_audience(said(words::Say::EVERYBODY), words::PLAYER, 1)) == &drops::kPrivateChat);
  CHECK(kept_back(for_audience(words::Notice(), words::PLAYER, 1)) == &drops::kPrivateChat);
  CHECK(kept_back(for_audience(said(words::Say::ONE), words::ALL)) == &drops::kPrivateChat);
  for (const words::Audience audience : {words::TEAM, words::ADMINS}) {
    CHECK(kept_back(for_audience(words::Health(), audience)) == &drops::kForTeam);
    CHECK(kept_back(for_audience(said(words::Say::EVERYBODY), audience)) == &drops::kForTeam);
  }
}

TEST_CASE("a fact for all viewers is addressed to nobody else, and names nobody's address and no recorded self") {
  words::Board board;
  board.add_rows()->set_me(true);
  words::Player player;
  player.set_address("192.0.2.1");
  words::Corrected corrected;
  *corrected.mutable_pose() = moving();
  std::vector<Fact> facts{board, player, corrected};
  for (Fact& fact : facts) {
    fact.audience = words::PLAYER;
    fact.to = 7;
    fact.cause = 9;
    make_public(fact);
    CHECK(fact.audience == words::ALL);
    CHECK(fact.to == 0);
    CHECK(fact.cause == 0);
  }
  CHECK_FALSE(as<words::Board>(facts[0])->rows(0).me());
  CHECK(as<words::Player>(facts[1])->address().empty());
  REQUIRE(as<words::Pose>(facts[2]) != nullptr);
  CHECK(as<words::Pose>(facts[2])->x() == 1);
}

TEST_CASE("casters read the chat of each team, with the team's name before it, but not that of operators") {
  const auto text = [](Fact fact, See see) {
    return show(fact, see) ? as<words::Said>(fact)->text() : std::string("nothing");
  };
  const Fact red = for_audience(said(words::Say::MY_TEAM, words::RED), words::TEAM, words::RED);
  CHECK(text(red, See::kTeams) == "[red] attack");
  CHECK(text(red, See::kPublic) == "nothing");
  CHECK(text(for_audience(said(words::Say::MY_TEAM, 99), words::TEAM, 99), See::kTeams) == "[team] attack");
  CHECK(text(for_audience(said(words::Say::MY_TEAM, words::RED), words::ADMINS), See::kTeams) == "nothing");
  CHECK(text(for_audience(said(words::Say::ONE, 1), words::PLAYER, 1), See::kTeams) == "nothing");
  Fact shown = red;
  REQUIRE(show(shown, See::kTeams));
  CHECK(as<words::Said>(shown)->scope() == words::Say::EVERYBODY);
  CHECK(as<words::Said>(shown)->to() == 0);
  CHECK(shown.audience == words::ALL);
}

TEST_CASE("a broadcast shows the room's own world, not a scene that only some seats see") {
  Fact fact{words::Pose()};
  fact.scene = 1;
  CHECK_FALSE(show(fact, See::kTeams));
  fact.scene = 0;
  CHECK(show(fact, See::kPublic));
}

TEST_CASE("at another speed all that moves is faster or slower, and a shot lives as much shorter or longer") {
  const std::string twice = "20.000000 40.000000 60.000000 8.000000";
  words::Unit unit;
  *unit.mutable_pose() = moving();
  words::Spawned spawned;
  *spawned.mutable_pose() = moving();
  words::Shot shot;
  shot.set_vx(10);
  shot.set_vy(20);
  shot.set_vz(30);
  shot.set_life(6);
  words::ShotMoved moved;
  moved.set_vx(10);
  moved.set_vy(20);
  moved.set_vz(30);
  std::vector<Fact> facts{moving(), unit, spawned, shot, moved};
  for (Fact& fact : facts) scale_motion(fact, 2);
  CHECK(motion(*as<words::Pose>(facts[0])) == twice);
  CHECK(as<words::Pose>(facts[0])->x() == 1);
  CHECK(motion(as<words::Unit>(facts[1])->pose()) == twice);
  CHECK(motion(as<words::Spawned>(facts[2])->pose()) == twice);
  CHECK(as<words::Shot>(facts[3])->vx() == 20);
  CHECK(as<words::Shot>(facts[3])->vy() == 40);
  CHECK(as<words::Shot>(facts[3])->vz() == 60);
  CHECK(as<words::Shot>(facts[3])->life() == 3);
  CHECK(as<words::ShotMoved>(facts[4])->vx() == 20);
  CHECK(as<words::ShotMoved>(facts[4])->vy() == 40);
  CHECK(as<words::ShotMoved>(facts[4])->vz() == 60);
  for (const words::ShotKind kind : {words::RAY, words::MELEE}) {  // their velocities are only directions
    shot.set_kind(kind);
    Fact at_once(shot);
    scale_motion(at_once, 2);
    CHECK(as<words::Shot>(at_once)->vx() == 10);
    CHECK(as<words::Shot>(at_once)->life() == 6);
  }
}

TEST_CASE("a unit that nothing was told of for a second stands where it would be by then") {
  const auto after = [](Micros time) { return moved_pose(moving(), kSecond, kSecond + time); };
  CHECK(after(kSecond / 2).x() == doctest::Approx(6));
  CHECK(after(kSecond / 2).vx() == 10);
  CHECK(after(kSecond - 1).vx() == 10);
  CHECK(motion(after(kSecond)) == "0.000000 0.000000 0.000000 0.000000");
  CHECK(after(60 * kSecond).x() == doctest::Approx(11));
}

TEST_CASE("a shot in the air is as far, and lives as long, as its flight so far leaves") {
  words::Shot shot;
  shot.set_x(1);
  shot.set_y(2);
  shot.set_z(3);
  shot.set_vx(10);
  shot.set_vy(20);
  shot.set_vz(30);
  shot.set_life(3);
  const auto at = [&](Micros now) {
    words::Shot there = shot;
    advance_shot(there, 4 * kSecond, now);
    return there;
  };
  CHECK(at(6 * kSecond).x() == doctest::Approx(21));
  CHECK(at(6 * kSecond).y() == doctest::Approx(42));
  CHECK(at(6 * kSecond).z() == doctest::Approx(63));
  CHECK(at(6 * kSecond).life() == doctest::Approx(1));
  CHECK(at(60 * kSecond).life() == 0);
  CHECK(at(kSecond).x() == 1);  // it is fired later
  CHECK(at(kSecond).life() == 3);
}

TEST_CASE("a unit, a shot and a round are as old as what was last told of them; all else is true now") {
  words::Unit unit;
  unit.set_id(2);
  words::Pose pose;
  pose.set_unit(2);
  words::Shot shot;
  shot.set_shooter(1);
  shot.set_shot(5);
  shot.set_life(60);
  WorldState world;
  for (const Fact& fact : {fact_at(1, unit), fact_at(3, pose), fact_at(4, shot), fact_at(5, words::Round())})
    world.fold(fact);
  CHECK(true_since(unit, world, 9) == 3);
  CHECK(true_since(shot, world, 9) == 4);
  CHECK(true_since(words::Round(), world, 9) == 5);
  CHECK(true_since(words::Player(), world, 9) == 9);
}

}  // namespace
}  // namespace entente::core::replay_facts_test
