// The rules in config/rules, each played in a room.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "proxy/core/gameplay/claims.h"
#include "tests/rules/scene.h"
#include "tests/support/paths.h"

namespace entente::rules::shipped_test {
namespace {

using testing::source_dir;

constexpr core::Id kAnna = Scene::kAnna, kBen = Scene::kBen, kCleo = 3, kDora = 4;

std::string shipped(const std::string& name) {
  std::ifstream file(source_dir() + "/config/rules/" + name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Played {
  explicit Played(const std::string& name) : scene({{name, shipped(name)}}) {
    scene.begin();
    scene.take();
  }
  bool fires(core::Id by, double x, double vx, words::ShotKind kind = words::BALL) {
    words::Fire fire;
    fire.set_kind(kind);
    fire.set_x(x);
    fire.set_vx(vx);
    fire.set_range(350);
    core::Intent intent(fire);
    return scene.say(intent, by);
  }
  words::Team enters(core::Id id, words::Team team) {
    words::Enter enter;
    enter.set_team(team);
    core::Intent intent(enter);
    CHECK(scene.say(intent, id));
    const words::Team got = core::as<words::Enter>(intent)->team();
    scene.join(id, "player " + std::to_string(id), got);
    return got;
  }
  Scene scene;
};

/// Ben is 100 m east of Anna, and drives north or south at 20 m/s.
void drive_across(Scene& scene, double north = 20) {
  words::Pose pose;
  pose.set_unit(Scene::kBensTank);
  pose.set_x(100);
  pose.set_vy(north);
  scene.tell(pose);
}

/// Anna shoots from the middle. `off`: radians from where the shot meets Ben.
void shoot_ahead(Scene& scene, double off, double north = 20) {
  constexpr double kSpeed = 100;
  words::Shot shot;
  shot.set_shooter(kAnna);
  shot.set_team(words::RED);
  const double yaw = std::asin(north / kSpeed) + off;
  shot.set_vx(kSpeed * std::cos(yaw));
  shot.set_vy(kSpeed * std::sin(yaw));
  scene.tell(shot);
}

/// Anna's tank drives, as its client says it each tenth of a second.
struct Drive {
  void rule(double speed) {
    words::Rule rule;
    rule.set_name("speed");
    rule.set_value(std::to_string(speed));
    scene.tell(rule);
  }
  void drive(double speed, int steps) {
    for (int i = 0; i < steps; ++i) {
      scene.pass(0.1);
      place(x + speed * 0.1);
    }
  }
  void place(double at) {
    x = at;
    words::Pose pose;
    pose.set_unit(Scene::kAnnasTank);
    pose.set_x(x);
    scene.tell(pose);
  }
  Scene& scene;
  double x = 0;
};

struct Walled : Played {
  Walled() : Played("wall_check.lua") {
    words::World world;
    world.set_hash("a wall");
    world.set_kind(words::World::SOLIDS);
    core::set_sides(world, 800, 800);
    words::Solid& wall = *world.add_solids();
    wall.set_x(50);
    wall.set_half_x(2);
    wall.set_half_y(50);
    wall.set_height(10);
    scene.tell(world);
  }
  /// Anna's shot from x flies east, and Ben dies of it.
  void kill(double x, double y, double bens_y) {
    for (int i = 0; i < 2; ++i) {
      for (const core::Id player : {kAnna, kBen}) {
        words::Pose pose;
        pose.set_unit(player + 10);
        pose.set_x(player == kAnna ? 0 : 100);
        pose.set_y(player == kAnna ? y : bens_y);
        scene.tell(pose);
      }
      scene.pass(0.2);
    }
    words::Shot shot;
    shot.set_shooter(kAnna);
    shot.set_shot(++shots);
    core::set_way(std::array{x, y, 1.57}, std::array{100.0, 0.0, 0.0}, shot);
    scene.tell(shot);
    scene.pass(3);
    words::Died died;
    died.set_player(kBen);
    died.set_unit(Scene::kBensTank);
    died.set_killer(kAnna);
    died.set_shot(shots);
    scene.tell(died);
    scene.place(kBen, 100, bens_y);
  }
  std::uint32_t shots = 0;
};

}  // namespace

TEST_CASE("every shipped rule is below 60 lines, and loads") {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(source_dir() + "/config/rules")) {
    if (file.path().extension() != ".lua") continue;
    ++count;
    const std::string source = shipped(file.path().filename().string());
    INFO(file.path());
    CHECK(std::count(source.begin(), source.end(), '\n') < 60);
    CHECK(check_rule(file.path().filename().string(), source));
    CHECK(source.starts_with("-- "));
  }
  CHECK(count == 12);
}

TEST_CASE("chat_filter replaces words, silences and kicks") {
  Played played("chat_filter.lua");
  Scene& scene = played.scene;
  CHECK(scene.chat(kAnna, "what the Heck, darndarn"));
  CHECK(scene.heard == "what the ****, ********");
  CHECK(scene.chat(kBen, "hello"));
  CHECK(scene.heard == "hello");
  CHECK(scene.taken() == "tell 1: Please mind your words.\n");
  scene.chat(kAnna, "darn");
  scene.chat(kAnna, "darn");
  scene.take();
  CHECK_FALSE(scene.chat(kAnna, "hello"));
  CHECK(scene.taken() == "tell 1: You are silenced for 60 more seconds.\n");
  CHECK(scene.chat(kBen, "hello"));
  scene.pass(61);
  CHECK(scene.chat(kAnna, "hello"));
  scene.chat(kAnna, "darn");
  scene.chat(kAnna, "darn");
  scene.take();
  CHECK_FALSE(scene.chat(kAnna, "darn"));
  CHECK(scene.taken() == "kick 1: mind your words\n");
}

TEST_CASE("team_balance sends newcomers and changers to the smaller team") {
  Played played("team_balance.lua");
  Scene& scene = played.scene;
  CHECK(played.enters(kCleo, words::RED) == words::RED);
  CHECK(played.enters(kDora, words::RED) == words::BLUE);
  CHECK(played.enters(5, words::RED) == words::RED);
  CHECK(played.enters(6, words::TEAM_ANY) == words::TEAM_ANY);
  words::Change change;
  change.set_team(words::RED);
  core::Intent intent(change);
  CHECK_FALSE(scene.say(intent, kDora));
  CHECK(scene.taken() == "tell 4: That team has enough players.\n");
  change.set_team(words::BLUE);
  intent.content = change;
  CHECK(scene.say(intent, kCleo));
  change.clear_team();
  change.set_name("dora");
  intent.content = change;
  CHECK(scene.say(intent, kDora));
}

TEST_CASE("no player switches a shipped rule off for the others by repeating a wish") {
  for (const char* const file : {"team_balance.lua", "welcome.lua", "vote_kick.lua", "ready_check.lua",
                                 "duel_ladder.lua", "no_fire_zone.lua", "chat_filter.lua"}) {
    CAPTURE(file);
    Played played(file);
    for (int i = 0; i < 500; ++i) {
      for (const words::Team team : {words::RED, words::BLUE}) {
        words::Change change;
        change.set_team(team);
        core::Intent intent(change);
        (void)played.scene.say(intent, kAnna);
      }
      played.fires(kAnna, -340, 100);
      for (const char* line : {"/rules", "/votekick anna", "/votekick nobody", "/yes", "/ladder", "/ready", "darn"})
        played.scene.chat(kAnna, line);
      if (i % 10 == 0) played.scene.take();
      played.scene.now += 2 * core::kMillisecond;
    }
    CHECK(played.scene.rules->running() == 1);
  }
}

TEST_CASE("no_fire_zone stops shots from bases and into them") {
  Played played("no_fire_zone.lua");
  Scene& scene = played.scene;
  scene.place(kAnna, -340, 0);
  CHECK_FALSE(played.fires(kAnna, -340, 100));
  CHECK(scene.taken() == "tell 1: No shooting at the bases.\n");
  CHECK_FALSE(played.fires(kAnna, -340, 100));
  CHECK(scene.taken().empty());  // told a moment ago
  scene.place(kAnna, 0, 0);
  CHECK_FALSE(played.fires(kAnna, 0, 100));
  CHECK(played.fires(kAnna, -200, 10, words::GRENADE));
  words::Trigger trigger;
  trigger.set_primary(true);
  core::Intent intent(trigger);
  CHECK(scene.say(intent, kAnna));
  scene.place(kAnna, -340, 0);
  CHECK_FALSE(scene.say(intent, kAnna));
}

TEST_CASE("ready_check begins when all are ready, changes sides, and names the winner") {
  Played played("ready_check.lua");
  Scene& scene = played.scene;
  const auto score = [&](words::Team team, std::uint32_t wins) {
    words::TeamScore total;
    total.set_team(team);
    total.set_wins(wins);
    scene.tell(total);
  };
  CHECK_FALSE(scene.chat(kAnna, "/ready"));
  CHECK(scene.taken() == "tell_all: anna is ready. Waiting for ben\n");
  scene.chat(kBen, "/ready");
  CHECK(scene.taken() == "open_round\ntell_all: The match begins.\n");
  scene.chat(kBen, "/ready");
  CHECK(scene.taken() == "tell 2: The match is running.\n");
  score(words::RED, 3);
  score(words::BLUE, 1);
  scene.pass(301);
  CHECK(scene.taken() ==
        "set_team 1 BLUE\nset_team 2 RED\nopen_round\ntell_all: Second half. You have changed sides.\n");
  score(words::RED, 1);
  score(words::BLUE, 2);
  scene.pass(301);
  CHECK(scene.taken() == "close_round BLUE\ntell_all: The match is over: 5 to 2. Say /ready for another one.\n");
  scene.chat(kAnna, "/ready");
  scene.leave(kBen);
  scene.chat(kAnna, "/ready");
  CHECK(scene.taken() == "tell_all: anna is ready. Waiting for ben\nopen_round\ntell_all: The match begins.\n");
}

TEST_CASE("ready_check keeps the arena closed until then") {
  Scene scene({{"ready_check.lua", shipped("ready_check.lua")}});
  scene.begin();
  CHECK(scene.taken() == "close_round\n");
}

TEST_CASE("duel_ladder moves who wins against a higher place") {
  Played played("duel_ladder.lua");
  Scene& scene = played.scene;
  scene.chat(kAnna, "/ladder");
  CHECK(scene.taken() == "tell 1: Nobody has won a duel yet.\n");
  scene.die(kAnna, kBen);
  CHECK(scene.taken() == "tell_all: ben takes place 1 from anna\n");
  scene.die(kAnna, kBen);
  scene.die(kAnna, kAnna);
  scene.die(kAnna, 0);
  CHECK(scene.taken().empty());
  scene.die(kBen, kAnna);
  CHECK(scene.taken() == "tell_all: anna takes place 1 from ben\n");
  scene.chat(kBen, "/ladder");
  CHECK(scene.taken() == "tell 2: 1. anna\ntell 2: 2. ben\n");
}

TEST_CASE("vote_kick sends away whom more than half of the players vote out") {
  Played played("vote_kick.lua");
  Scene& scene = played.scene;
  scene.join(kCleo, "cleo", words::RED);
  scene.join(kDora, "dora", words::BLUE);
  scene.chat(kAnna, "/votekick nobody");
  CHECK(scene.taken() == "tell 1: I see nobody of that name.\n");
  scene.chat(kAnna, "/votekick BEN");
  CHECK(scene.taken() == "tell_all: 1 of 3 votes to kick ben; /yes votes for it\n");
  scene.chat(kAnna, "/yes");
  CHECK(scene.taken().empty());  // one vote each
  scene.chat(kCleo, "/votekick anna");
  CHECK(scene.taken() == "tell 3: A vote is running already; /yes votes for it.\n");
  scene.chat(kCleo, "/yes");
  scene.take();
  scene.chat(kDora, "/yes");
  CHECK(scene.taken() == "tell_all: ben is sent away\nban 2: the players voted\n");
  scene.chat(kAnna, "/votekick cleo");
  scene.take();
  scene.pass(46);
  CHECK(scene.taken() == "tell_all: The vote to kick cleo has failed.\n");
}

TEST_CASE("vote_kick does not count the votes of spectators") {
  Played played("vote_kick.lua");
  Scene& scene = played.scene;
  scene.join(kCleo, "cleo", words::RED);
  const auto become = [&](core::Id id, words::Role role) {
    words::Player player;
    player.set_id(id);
    player.set_name("player " + std::to_string(id));
    player.set_role(role);
    scene.tell(player);
  };
  become(kDora, words::WATCH);
  scene.chat(kDora, "/votekick ben");
  scene.chat(kAnna, "/votekick ben");
  scene.chat(kDora, "/yes");
  CHECK(scene.taken() == "tell_all: 1 of 3 votes to kick ben; /yes votes for it\n");
  scene.seats.insert(kDora);
  scene.chat(kDora, "/yes");
  CHECK(scene.taken() == "tell 4: Only players vote.\n");
}

TEST_CASE("vote_kick does not count the vote of a player who has left") {
  Played played("vote_kick.lua");
  Scene& scene = played.scene;
  scene.join(kCleo, "cleo", words::RED);
  scene.chat(kAnna, "/votekick ben");
  CHECK(scene.taken() == "tell_all: 1 of 3 votes to kick ben; /yes votes for it\n");
  for (core::Id id = kDora; id < kDora + 3; ++id) {  // one person, who comes again and again
    scene.join(id, "dora", words::BLUE);
    scene.chat(id, "/yes");
    CHECK(scene.taken() == "tell_all: 2 of 3 votes to kick ben; /yes votes for it\n");
    scene.leave(id);
  }
  scene.chat(kCleo, "/yes");
  CHECK(scene.taken() == "tell_all: 2 of 3 votes to kick ben; /yes votes for it\n");
}

TEST_CASE("welcome greets, and tells its rules") {
  Scene scene({{"welcome.lua", shipped("welcome.lua")}});
  scene.begin();
  CHECK(scene.taken() ==
        "tell 1: Welcome, anna! There are 1 players. /rules shows what is allowed here.\n"
        "tell 2: Welcome, ben! There are 2 players. /rules shows what is allowed here.\n");
  scene.chat(kAnna, "/rules");
  CHECK(scene.taken() == "tell 1: 1. Be kind.\ntell 1: 2. Do not shoot at the bases.\n");
}

TEST_CASE("idle_kick warns and kicks who does nothing") {
  Played played("idle_kick.lua");
  Scene& scene = played.scene;
  scene.pass(200);
  CHECK(scene.chat(kBen, "I am here"));
  scene.pass(60);
  CHECK(scene.taken() == "tell 1: Do something, or you leave in 60 seconds.\n");
  scene.pass(60);
  CHECK(scene.taken() == "kick 1: you were idle\n");
  scene.place(kBen, 300, 10);  // it moves
  scene.pass(1);
  scene.leave(kAnna);
  scene.pass(239);
  CHECK(scene.taken().empty());
}

TEST_CASE("aim_check reports who aims exactly, and nobody who aims as people do") {
  Played played("aim_check.lua");
  const auto shoot = [&](double off) {
    drive_across(played.scene);
    shoot_ahead(played.scene, off);
    played.scene.pass(0.5);
  };
  for (int i = 0; i < 500; ++i) shoot((i % 11 - 5) * 0.01);
  CHECK(played.scene.taken().empty());
  for (int i = 0; i < 15; ++i) shoot((i % 3 - 1) * 0.0005);
  CHECK(played.scene.taken() == "report 1: aims better than people can\n");
}

TEST_CASE("aim_check knows where the target was when a shot was aimed that is told later") {
  Played played("aim_check.lua");
  for (int i = 0; i < 15; ++i) {
    drive_across(played.scene, 20);
    played.scene.pass(0.1);
    drive_across(played.scene, 18);  // it has slowed down since
    played.scene.pass(0.1);
    shoot_ahead(played.scene, 0, 20);
    played.scene.pass(0.5);
  }
  CHECK(played.scene.taken() == "report 1: aims better than people can\n");
}

TEST_CASE("speed_check reports who is too fast, not who is silent or carries a flag that makes fast") {
  Played played("speed_check.lua");
  Drive anna{played.scene};
  anna.rule(25);
  anna.drive(25, 200);
  anna.scene.pass(4);  // nothing is heard of it
  anna.place(anna.x + 100);
  anna.drive(25, 50);
  CHECK(anna.scene.taken().empty());
  anna.drive(33, 100);
  CHECK(anna.scene.taken() == "report 1: moves too fast\n");
  words::TokenTaken taken;
  taken.mutable_token()->set_id(5);
  taken.mutable_token()->set_code("V");
  taken.mutable_token()->set_state(words::Token::CARRIED);
  taken.mutable_token()->set_carrier(kAnna);
  anna.scene.tell(taken);
  anna.drive(25, 20);
  anna.scene.take();
  anna.drive(37, 200);
  CHECK(anna.scene.taken().empty());
}

TEST_CASE("speed_check reports who jumps again and again, not who spawns or uses a teleporter") {
  Played played("speed_check.lua");
  Drive anna{played.scene};
  anna.rule(25);
  const auto jump = [&](bool told_before, bool told_after) {
    words::Teleported teleported;
    teleported.set_unit(Scene::kAnnasTank);
    if (told_before) anna.scene.tell(teleported);
    anna.place(anna.x + 120);
    anna.drive(10, 5);
    if (told_after) anna.scene.tell(teleported);
    anna.drive(10, 40);
  };
  anna.drive(10, 30);
  for (int i = 0; i < 5; ++i) jump(true, false);
  for (int i = 0; i < 5; ++i) jump(false, true);
  anna.scene.place(kAnna, 0, 0);
  anna.drive(10, 30);
  CHECK(anna.scene.taken().empty());
  for (int i = 0; i < 2; ++i) jump(false, false);
  CHECK(anna.scene.taken() == "report 1: jumps\n");
}

TEST_CASE("fire_check reports who shoots faster than guns reload, not whose shots come together") {
  Played played("fire_check.lua");
  Scene& scene = played.scene;
  words::Rule rule;
  rule.set_name("reload");
  rule.set_value("2");
  scene.tell(rule);
  words::Room room;
  room.set_most_shots(2);
  scene.tell(room);
  const auto shoot = [&](int count, double pause, std::uint32_t weapon = 0) {
    for (int i = 0; i < count; ++i) {
      words::Shot shot;
      shot.set_shooter(kAnna);
      shot.set_weapon(weapon);
      scene.tell(shot);
      scene.pass(pause);
    }
  };
  shoot(100, 1);  // as fast as two guns can
  scene.pass(2);  // a bad link holds up two more,
  shoot(4, 0);    // which come with the next two
  shoot(20, 1);
  shoot(50, 0.2, 7);  // a flag makes it fast
  CHECK(scene.taken().empty());
  scene.pass(10);
  shoot(20, 0.7);
  CHECK(scene.taken() == "report 1: shoots faster than its guns reload\n");
}

TEST_CASE("wall_check reports who kills through walls, or shoots from where his tank is not") {
  Walled walled;
  for (int i = 0; i < 20; ++i) walled.kill(4, 100, 100);  // beside the wall
  for (int i = 0; i < 20; ++i) walled.kill(4, 0, 200);    // a ricochet: Ben is not where the shot flies
  CHECK(walled.scene.taken().empty());
  for (int i = 0; i < 3; ++i) walled.kill(4, 0, 0);
  CHECK(walled.scene.taken() == "report 1: shoots through walls\n");
  for (int i = 0; i < 3; ++i) walled.kill(80, 0, 0);  // from behind it
  CHECK(walled.scene.taken() == "report 1: shoots from where it is not\n");
}

}  // namespace entente::rules::shipped_test
