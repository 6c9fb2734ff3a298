// How our back plays on a bzfs: what it sends about its tank, and that it never does what bzfs kicks for.
#include "tests/bzflag/back_stage.h"

namespace entente::bzflag::back_play_test {
namespace {

words::PoseClaim claim(double x, double y, std::uint32_t seq, double vx = 0) {
  words::PoseClaim claim;
  claim.set_unit(103);
  claim.set_x(x);
  claim.set_y(y);
  claim.set_vx(vx);
  claim.set_seq(seq);
  claim.set_sent_at(9.5);
  return claim;
}

words::Fire fire(std::uint32_t shot) {
  words::Fire fire;
  fire.set_shot(shot);
  fire.set_x(4.42);
  fire.set_z(1.57);
  fire.set_vx(100);
  fire.set_life(3);  // ignored: a plain shot lives as long as the server computes
  return fire;
}

ShotBegin shot_at_us(float from_x) {
  ShotBegin begin;
  begin.player = player_id(5);
  begin.shot = 0x0100;
  begin.pos = {from_x, 0, 1.57F};
  begin.vel = {-100, 0, 0};
  begin.life = 3.5F;
  return begin;
}

/// Ends a dropped shot at the client, which has already drawn it.
const std::string kNotFired = "says ShotEnded shooter: 1 shot: 256 (to 1)\n";

/// Alive at 0, 0, looking east.
testing::BackStage in_play(bool claims_deaths = true) {
  auto stage = back_stage();
  come_in(stage, anna(claims_deaths));
  stage.receives(by_server({alive(3, 0, 0)}));
  return stage;
}

std::size_t count(const std::string& play, std::string_view start) {
  const std::string found = lines(play, start);
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), '\n'));
}

TEST_CASE("a spawn is requested once; before it, claims and shots are dropped") {
  auto stage = back_stage();
  come_in(stage);
  CHECK(stage.hears(claim(1, 1, 1)) == "");
  CHECK(stage.hears(fire(0x100)) == "loses Fire: the player is not in play\n" + kNotFired);
  CHECK(stage.hears(words::Spawn()) == "sends MsgAlive\n");
  CHECK(stage.hears(words::Spawn()) == "");
  CHECK(lines(stage.receives(by_server({alive(3, 7, 8)})), "says Spawned") ==
        "says Spawned unit: 103 pose { unit: 103 x: 7 y: 8 }\n");
}

TEST_CASE(
    "a spawn that is wished together with the entry, as in Ogar, is requested as soon as the server has let us in") {
  auto stage = back_stage();
  load(stage);
  CHECK(stage.hears(anna(false)).find("sends MsgAlive") == std::string::npos);
  CHECK(stage.hears(words::Spawn()) == "");
  const std::string in =
      stage.receives(by_server({Accept{player_id(3)}, add_player(5, 2, "ben"), add_player(3, 1, "anna")}));
  CHECK(lines(in, "sends MsgAlive") == "sends MsgAlive\n");
  CHECK(stage.hears(words::Spawn()) == "");  // it waits for the answer

  auto other = back_stage();
  come_in(other);  // wishes none
  CHECK(lines(other.waits(core::kSecond), "sends MsgAlive") == "");
}

TEST_CASE("a request to spawn without an answer is repeated at growing intervals, counted, and told once") {
  const std::string late = "loses Spawn: the server did not answer in time\n";
  const std::string told =
      "says Notice level: WARNING text: \"the server has not put you into play; it is asked again\" (to 1)\n";
  auto stage = back_stage();
  come_in(stage);
  stage.hears(words::Spawn());
  CHECK(stage.waits(3 * core::kSecond) == late + told + "sends MsgAlive\n");
  CHECK(stage.waits(5 * core::kSecond) == "");
  CHECK(stage.waits(core::kSecond) == late + "sends MsgAlive\n");
  CHECK(count(stage.waits(100 * core::kSecond), "sends MsgAlive") == 4);  // after 12, 24, 24 and 24 seconds
  stage.receives(by_server({alive(3, 0, 0)}));
  CHECK(lines(stage.waits(100 * core::kSecond), "sends MsgAlive") == "");
}

TEST_CASE("a tank that spawns too early after its death is asked for again; a server that missed the death is told") {
  auto stage = in_play();
  Killed killed;
  killed.victim = player_id(3);
  killed.killer = player_id(5);
  stage.receives(by_server({killed}));
  CHECK(stage.hears(words::Spawn()) == "sends MsgAlive\n");
  CHECK(stage.waits(4 * core::kSecond) == "sends MsgAlive\n");  // the tank still explodes: nothing is wrong
  CHECK(lines(stage.waits(6 * core::kSecond), "loses") == "loses Spawn: the server did not answer in time\n");
  CHECK(lines(stage.waits(8 * core::kSecond), "sends MsgKilled") ==
        "sends MsgKilled killer=3 reason=5 shot=65535 flag=\"\"\n");
}

TEST_CASE("claims and shots of a removed player are not sent") {
  auto stage = in_play();
  stage.receives(by_server({RemovePlayer{player_id(3)}}));
  CHECK(stage.hears(claim(1, 1, 1)) == "");
  CHECK(stage.hears(fire(0x100)) == "loses Fire: the player is not in play\n" + kNotFired);
  CHECK(stage.waits(core::kSecond) == "");
}

TEST_CASE("a pose claim is sent unchanged, by datagram once linked, and becomes the tank's pose") {
  auto stage = in_play();
  CHECK(stage.hears(claim(1, 2, 5, 3)) ==
        "says Pose unit: 103 x: 1 y: 2 vx: 3 seq: 5\n"
        "sends by datagram MsgPlayerUpdateSmall time=9.5 player=3 order=5 status=1 pos=(50 100 0) vel=(300 0 0) "
        "azimuth=0 turn=0\n");
  const std::string older = stage.hears(claim(1, 2, 4));
  CHECK(older.find("order=6") != std::string::npos);  // the order number always grows
}

TEST_CASE("the clock of a player whose client has none is exact for months, and never above 0") {
  constexpr core::Micros kDay = 86'400 * core::kSecond;
  const core::Micros turn = kDialects[kDialect24].clock_turn * core::kSecond;
  for (const core::Micros age : {core::Micros{0}, turn - 2 * core::kSecond, 497 * kDay / 10, 248 * kDay}) {
    CAPTURE(age);
    auto stage = in_play();
    stage.ages(age);
    std::string all;
    for (std::uint32_t i = 1; i <= 40; ++i) {
      words::PoseClaim claim;
      claim.set_x(0.1 * i);
      claim.set_seq(i);
      all += stage.hears(claim);
      stage.waits(100 * core::kMillisecond);
    }
    const std::vector<double> times = numbers_after(all, " time=");
    REQUIRE(times.size() == 40);
    int turns = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
      turns += times[i] < times[i - 1] ? 1 : 0;
      if (times[i] > times[i - 1]) CHECK(std::abs(times[i] - times[i - 1] - 0.1) < 0.0015);
      CHECK(times[i] < 0);
    }
    CHECK(turns == (age == turn - 2 * core::kSecond ? 1 : 0));
  }
}

TEST_CASE("position and speed are limited to what the server accepts") {
  auto stage = in_play();
  CHECK(stage.hears(claim(9000, 0, 1, 80)).find("pos=(10250 0 0) vel=(2625 0 0)") != std::string::npos);
}

TEST_CASE("at most thirty updates a second are sent, the newest last; without new ones, the last is repeated") {
  auto stage = in_play();
  std::string all;
  for (std::uint32_t i = 1; i <= 500; ++i) {  // for five seconds, a hundred a second
    all += stage.hears(claim(i * 0.01, 0, i));
    all += stage.waits(10 * core::kMillisecond);
  }
  CHECK(count(all, "sends by datagram MsgPlayerUpdateSmall") <= 157);
  CHECK(count(all, "sends by datagram MsgPlayerUpdateSmall") >= 145);
  all = stage.waits(core::kSecond);
  CHECK(count(all, "sends by datagram MsgPlayerUpdateSmall") <= 1);
  all = stage.waits(20 * core::kSecond);
  CHECK(count(all, "sends by datagram MsgPlayerUpdateSmall") >= 6);
}

TEST_CASE("a client's shot keeps its number if that gun is loaded, and gets the life that bzfs computes") {
  auto stage = in_play();
  CHECK(stage.hears(fire(0x0100)) ==
        "sends by datagram MsgShotBegin sent=-16384 player=3 shot=256 pos=(4.42 0 1.57) vel=(100 0 0) age=0 team=1 "
        "flag=\"\" life=3.5\n");
  CHECK(stage.hears(fire(0x0200)).find("shot=257 ") !=
        std::string::npos);  // the first gun reloads, so the second fires
  CHECK(stage.hears(fire(0x0300)) ==
        "loses Fire: every gun is reloading\nsays ShotEnded shooter: 1 shot: 768 (to 1)\n");
  stage.waits(3'400 * core::kMillisecond);
  CHECK(stage.hears(fire(0x0400)).find("shot=1024") != std::string::npos);
}

TEST_CASE("no shot is sent without a UDP link: bzfs would kick the player") {
  auto stage = back_stage();
  load(stage);
  stage.hears(anna());
  stage.receives(by_server({Accept{player_id(3)}, add_player(3, 1, "anna"), alive(3, 0, 0)}));
  CHECK(stage.hears(fire(0x100)) ==
        "loses Fire: there is no UDP link, and the server kicks players who shoot over TCP\n" + kNotFired);
}

TEST_CASE("a robot shoots without a UDP link, too") {
  words::Enter robot = anna();
  robot.set_role(words::ROBOT);
  auto stage = back_stage();
  load(stage);
  stage.hears(robot);
  stage.receives(by_server({Accept{player_id(3)}, add_player(3, 1, "anna"), alive(3, 0, 0)}));
  CHECK(lines(stage.hears(fire(0x100)), "sends MsgShotBegin") != "");
}

TEST_CASE("a wish about a pause that waits for an answer is not sent for a tank that has died meanwhile") {
  for (const bool dies : {false, true}) {
    CAPTURE(dies);
    auto stage = in_play(false);
    words::Pause wish;
    wish.set_on(true);
    stage.hears(wish);
    wish.set_on(false);
    CHECK(lines(stage.hears(wish), "sends MsgPause") == "");
    Killed killed;
    killed.victim = player_id(3);
    killed.killer = player_id(5);
    if (dies) stage.receives(by_server({killed}));
    CHECK(lines(stage.receives(by_server({Pause{3, 1}})), "sends MsgPause").empty() == dies);
  }
}

TEST_CASE("a death is reported once, with the flag of the shot, and counts when the server confirms it") {
  auto stage = in_play();
  ShotBegin guided = shot_at_us(300);
  guided.flag = flag_kind("GM");
  stage.receives(by_server({guided}));
  words::DeathClaim death;
  death.set_killer(101);
  death.set_shot(0x0100);
  death.set_why(words::BY_SHOT);
  CHECK(stage.hears(death) == "sends MsgKilled killer=5 reason=1 shot=256 flag=\"GM\"\n");
  CHECK(stage.hears(death) == "");
  CHECK(stage.hears(fire(0x100)) == "loses Fire: the player is not in play\n" + kNotFired);
  Killed killed;
  killed.victim = player_id(3);
  killed.killer = player_id(5);
  killed.death.reason = 1;
  killed.death.shot = 0x0100;
  CHECK(stage.receives(by_server({killed})) ==
        "says Died player: 1 unit: 103 killer: 101 shot: 256 why: BY_SHOT respawn_s: 5\n");
}

TEST_CASE("a death by the first shot of the first gun, which is number 0, names that shot and its flag") {
  const auto dies = [](words::DeathCause why) {
    auto stage = in_play();
    ShotBegin first = shot_at_us(300);
    first.shot = 0;
    first.flag = flag_kind("GM");
    stage.receives(by_server({first}));
    words::DeathClaim death;
    death.set_killer(101);
    death.set_why(why);
    return stage.hears(death);
  };
  CHECK(dies(words::BY_SHOT) == "sends MsgKilled killer=5 reason=1 shot=0 flag=\"GM\"\n");
  CHECK(dies(words::BY_TOUCH).find(" shot=65535 flag=\"\"\n") != std::string::npos);
}

TEST_CASE("a death that the server does not confirm is reported as a self-destruction, and then assumed") {
  for (const bool claims_deaths : {true, false}) {
    CAPTURE(claims_deaths);
    auto stage = in_play(claims_deaths);
    stage.receives(by_server({shot_at_us(claims_deaths ? 300 : 35)}));
    words::DeathClaim death;
    death.set_killer(101);
    death.set_shot(0x0100);
    death.set_why(words::BY_SHOT);
    const std::string hit = claims_deaths ? stage.hears(death) : stage.waits(core::kSecond);
    CHECK(lines(hit, "sends MsgKilled") == "sends MsgKilled killer=5 reason=1 shot=256 flag=\"\"\n");
    const std::string silence = stage.waits(3 * core::kSecond);
    CHECK(lines(silence, "sends MsgKilled") == "sends MsgKilled killer=3 reason=5 shot=65535 flag=\"\"\n");
    CHECK(lines(silence, "says Died") == "");
    const std::string end = stage.waits(2 * core::kSecond);
    CHECK(lines(end, "loses") == "loses DeathClaim: the server did not answer in time\n");
    CHECK(lines(end, "says Died") ==
          "says Died player: 1 unit: 103 killer: 101 shot: 256 why: BY_SHOT respawn_s: 5 synthesised: true\n");
    CHECK(lines(stage.hears(words::Spawn()), "sends") == "sends MsgAlive\n");
    Killed killed;  // late
    killed.victim = player_id(3);
    killed.killer = player_id(5);
    CHECK(stage.receives(by_server({killed})) == "");
  }
}

TEST_CASE("shots, flags, pauses and the autopilot: what the server ignores is counted, and told once") {
  auto stage = in_play();
  const auto ignored = [&](const core::Intent& intent, core::Micros patience) {
    stage.hears(intent);
    CHECK(lines(stage.waits(patience - core::kMillisecond), "loses") == "");
    const std::string end = stage.waits(2 * core::kMillisecond);
    return lines(end, "loses") + lines(end, "says Notice");
  };
  const auto told = [](const std::string& text) {
    return "says Notice level: WARNING text: \"the server " + text + "\" (to 1)\n";
  };
  const std::string late = ": the server did not answer in time\n";
  CHECK(ignored(fire(0x0100), 2 * core::kSecond) == "loses Fire" + late + told("ignores your shots"));
  stage.waits(4 * core::kSecond);
  CHECK(ignored(fire(0x0200), 2 * core::kSecond) == "loses Fire" + late);
  stage.waits(4 * core::kSecond);
  stage.hears(fire(0x0300));
  ShotBegin echo;
  echo.player = player_id(3);
  stage.receives(by_server({echo}));
  CHECK(lines(stage.waits(3 * core::kSecond), "loses") == "");
  words::TokenWish wish;
  wish.set_token(3);
  CHECK(ignored(wish, 2 * core::kSecond) == "loses TokenWish" + late);  // servers refuse a flag silently
  wish.set_op(words::TokenWish::CAPTURE);
  CHECK(ignored(wish, 2 * core::kSecond) == "loses TokenWish" + late + told("has not changed who carries the flag"));
  words::Autopilot autopilot;
  autopilot.set_on(true);
  CHECK(ignored(autopilot, 3 * core::kSecond) ==
        "loses Autopilot" + late + told("has not answered about the autopilot"));
  words::Pause pause;
  pause.set_on(true);
  CHECK(ignored(pause, 8 * core::kSecond) ==
        "loses Pause" + late + told("has not answered the request to pause or to go on"));
  stage.hears(pause);
  stage.receives(by_server({Pause{3, 1}}));
  CHECK(lines(stage.waits(9 * core::kSecond), "loses") == "");
}

TEST_CASE("a server that stops answering while a player joins: the player is refused") {
  auto stage = back_stage();
  stage.opens();
  stage.hears(anna());
  CHECK(lines(stage.waits(89 * core::kSecond), "says") == "");
  CHECK(lines(stage.waits(2 * core::kSecond), "says") ==
        "says Refused code: SERVER_GONE text: \"the server does not answer\" may_retry: true\n");
  CHECK(stage.closed());
}

TEST_CASE("our back detects hits for a client that does not claim deaths: one hit is one death") {
  auto stage = in_play(false);
  stage.receives(by_server({shot_at_us(35)}));
  const std::string flight = stage.waits(core::kSecond);
  CHECK(lines(flight, "sends by datagram MsgShotEnd") == "sends by datagram MsgShotEnd player=5 shot=256 reason=1\n");
  CHECK(lines(flight, "sends MsgKilled") == "sends MsgKilled killer=5 reason=1 shot=256 flag=\"\"\n");

  auto missed = in_play(false);
  ShotBegin wide = shot_at_us(35);
  wide.pos[1] = 10;
  missed.receives(by_server({wide}));
  CHECK(lines(missed.waits(2 * core::kSecond), "sends MsgKilled") == "");

  auto claims = in_play(true);
  claims.receives(by_server({shot_at_us(35)}));
  CHECK(lines(claims.waits(core::kSecond), "sends MsgKilled") == "");

  auto covered = in_play(false);  // behind the box at 50, 0
  covered.receives(by_server({shot_at_us(100)}));
  CHECK(lines(covered.waits(2 * core::kSecond), "sends MsgKilled") == "");
}

TEST_CASE("reports of shot ends stay below what bzfs kicks for, which a new life does not change") {
  const auto sent = [](testing::BackStage& stage, core::Id shooter = 101) {
    std::size_t all = 0;
    for (std::uint32_t i = 1; i <= 10; ++i) {
      words::ShotEndClaim end;
      end.set_shooter(shooter);
      end.set_shot(i);
      all += count(stage.hears(end), "sends by datagram MsgShotEnd");
    }
    return all;
  };
  const auto respawn = [](testing::BackStage& stage) {
    Killed killed;
    killed.victim = player_id(3);
    killed.killer = player_id(5);
    stage.receives(by_server({killed, alive(3, 0, 0)}));
  };
  SUBCASE("of others and of our own") {
    auto stage = in_play();
    CHECK(sent(stage) == 4);
    CHECK(sent(stage, 1) == 0);
    respawn(stage);
    CHECK(sent(stage) == 0);
    auto own = in_play();
    CHECK(sent(own, 1) == 4);
  }
  SUBCASE("each death that we report allows for one more") {
    auto stage = in_play();
    CHECK(sent(stage) == 4);
    for (const std::size_t more : {1U, 1U}) {
      words::DeathClaim death;
      death.set_killer(101);
      death.set_shot(1);
      death.set_why(words::BY_SHOT);
      stage.hears(death);
      respawn(stage);
      CHECK(sent(stage) == more);
    }
  }
  SUBCASE("a guided missile of ours allows for one more, if bzfs has accepted it") {
    auto stage = in_play();
    CHECK(sent(stage) == 4);
    ShotBegin echo;
    echo.player = player_id(3);
    echo.flag = flag_kind("GM");
    stage.receives(by_server({echo}));
    CHECK(sent(stage, 1) == 1);
  }
  SUBCASE("a shield that is dropped allows for one more, if it has ended a shot") {
    auto stage = in_play();
    NumberedFlag shield;
    shield.number = 2;
    shield.flag.flag = flag_kind("SH");
    shield.flag.status = 2;
    shield.flag.owner = player_id(3);
    const auto take_and_drop = [&](bool hit) {
      stage.receives(by_server({GrabFlag{player_id(3), shield}}));
      const std::size_t ends = hit ? sent(stage) : 0;
      NumberedFlag dropped = shield;
      dropped.flag.status = 1;
      dropped.flag.owner = player_id(kNobody);
      stage.receives(by_server({DropFlag{player_id(3), dropped}}));
      return ends;
    };
    CHECK(take_and_drop(false) == 0);
    CHECK(take_and_drop(true) == 4);
    CHECK(sent(stage) == 1);
    CHECK(take_and_drop(false) == 0);
    CHECK(sent(stage) == 0);
  }
  SUBCASE("the server sets the limit") {
    auto stage = in_play();
    SetVar set;
    set.variables = {{"_endShotDetection", "2"}};
    stage.receives(by_server({set}));
    CHECK(sent(stage) == 1);
    set.variables = {{"_endShotDetection", "0"}};
    stage.receives(by_server({set}));
    CHECK(sent(stage) == 10);
  }
}

TEST_CASE("from the request to pause on, the tank does nothing that bzfs kicks a paused tank for") {
  const auto pause = [](bool on) {
    words::Pause wish;
    wish.set_on(on);
    return wish;
  };
  const auto answer = [](bool on) { return by_server({Pause{3, std::uint8_t{on}}}); };
  SUBCASE("a held trigger, wishes and hits") {
    auto stage = in_play(false);
    stage.hears(words::Keys());
    CHECK(lines(stage.hears(pause(true)), "sends") == "sends MsgPause paused=1\n");
    words::Trigger trigger;
    trigger.set_primary(true);
    stage.receives(by_server({shot_at_us(35)}));
    std::string said = stage.hears(trigger);
    said += stage.waits(core::kSecond);
    CHECK(lines(said, "sends by datagram MsgShot") == "");
    words::TokenWish wish;
    wish.set_token(3);
    CHECK(lines(stage.hears(wish), "sends") == "");
    stage.receives(answer(true));
    said = stage.waits(core::kSecond);
    CHECK(lines(said, "sends by datagram MsgShot") == "");
    CHECK(lines(stage.hears(pause(false)), "sends") == "sends MsgPause paused=0\n");
    CHECK(lines(stage.waits(core::kSecond), "sends by datagram MsgShot") == "");
    said = stage.receives(answer(false));
    said += stage.waits(core::kSecond);
    CHECK(count(said, "sends by datagram MsgShotBegin") == 1);
  }
  SUBCASE("one request at a time; the last wish counts") {
    auto stage = in_play();
    CHECK(stage.hears(pause(false)) == "");  // it is not paused
    stage.hears(pause(true));
    CHECK(stage.hears(pause(false)) == "");
    CHECK(stage.hears(pause(true)) == "");
    CHECK(stage.hears(pause(false)) == "");
    CHECK(lines(stage.receives(answer(true)), "sends") == "sends MsgPause paused=0\n");
    CHECK(lines(stage.hears(fire(0x0100)), "sends") == "");
    CHECK(lines(stage.receives(answer(false)), "sends") == "");
    CHECK(count(stage.hears(fire(0x0100)), "sends by datagram MsgShotBegin") == 1);
  }
  SUBCASE("a request without an answer ends; a second life begins without a pause") {
    auto stage = in_play();
    stage.hears(pause(true));
    stage.waits(9 * core::kSecond);
    CHECK(count(stage.hears(fire(0x0100)), "sends by datagram MsgShotBegin") == 1);
    stage.hears(pause(true));
    stage.receives(answer(true));
    Killed killed;
    killed.victim = killed.killer = player_id(3);
    stage.receives(by_server({killed}));
    CHECK(stage.hears(pause(true)) == "loses Pause: the player is not in play\n");
    stage.receives(by_server({alive(3, 0, 0)}));
    stage.waits(4 * core::kSecond);
    CHECK(count(stage.hears(fire(0x0200)), "sends by datagram MsgShotBegin") == 1);
  }
}

TEST_CASE("a player who comes into play is no longer shown as paused, and its shots hit again") {
  auto stage = in_play(false);
  stage.receives(by_server({alive(5, 90, 90), Pause{5, 1}}));
  Killed killed;
  killed.victim = killed.killer = player_id(5);
  stage.receives(by_server({killed}));
  const std::string back = stage.receives(by_server({alive(5, 90, 90)}));
  CHECK(lines(back, "says Player ") == "says Player id: 101 name: \"ben\" team: GREEN responding: true\n");
  stage.receives(by_server({shot_at_us(35)}));
  CHECK(count(stage.waits(core::kSecond), "sends MsgKilled") == 1);
}

TEST_CASE("a steered tank drives to its target, sends few updates while it stands, and fires along its hull") {
  auto stage = in_play(false);
  words::Toward toward;
  toward.set_x(0);
  toward.set_y(60);
  stage.hears(toward);
  const std::string way = stage.waits(8 * core::kSecond);
  const std::size_t updates = count(way, "sends by datagram MsgPlayerUpdateSmall");
  CHECK(updates > 5);
  CHECK(updates < 120);  // it stood for half of that time
  const std::string poses = lines(way, "says Pose");
  const std::size_t last = poses.rfind("says Pose");
  CHECK(poses.substr(last).find("y: 58.") != std::string::npos);  // a target that near counts as reached

  words::Fire shoot;
  shoot.set_kind(words::RAY);
  shoot.set_vx(1);  // east, while it looks north: it turns first
  CHECK(lines(stage.hears(shoot), "sends by datagram MsgShotBegin") == "");
  const std::string turned = stage.waits(4 * core::kSecond);
  CHECK(count(turned, "sends by datagram MsgShotBegin") == 1);
  CHECK(lines(turned, "sends by datagram MsgShotBegin").find("life=3.5") != std::string::npos);
}

TEST_CASE("a man who claims his places is not driven as a tank between two of them, however often he looks round") {
  auto stage = in_play(false);
  words::Keys keys;
  keys.set_bits(words::Keys::FORWARD);
  std::string way;
  for (std::uint32_t i = 1; i <= 30; ++i) {  // he walks at 8 m/s; his keys come between his claims, as in Ace of Spades
    words::PoseClaim he = claim(0.8 * i, 0, i, 8);
    he.clear_sent_at();
    way += stage.hears(he);
    keys.set_yaw(0.01 * i);
    way += stage.hears(keys);
    way += stage.waits(50 * core::kMillisecond);
    way += stage.hears(keys);
    way += stage.waits(50 * core::kMillisecond);
  }
  const std::string poses = lines(way, "says Pose");
  CHECK(count(way, "says Pose") == 30);  // his claims, and nothing else
  for (std::size_t at = 0; (at = poses.find(" vx: ", at)) != std::string::npos; ++at)
    CHECK(std::stod(poses.substr(at + 5)) == doctest::Approx(8));
  CHECK(poses.substr(poses.rfind("says Pose")).find(" x: 24 ") != std::string::npos);
  // He fires where he looks, also before the next claim.
  keys.set_yaw(1.5);
  stage.hears(keys);
  words::Trigger trigger;
  trigger.set_primary(true);
  CHECK(lines(stage.hears(trigger), "sends by datagram MsgShotBegin").find("vel=(15.07") !=
        std::string::npos);  // and his own 8
  // A goal steers the tank again.
  words::Toward toward;
  toward.set_x(24);
  toward.set_y(60);
  stage.hears(toward);
  CHECK(count(stage.waits(core::kSecond), "says Pose") > 5);
}

TEST_CASE("a pulled trigger fires one of two guns; a held trigger spreads the shots evenly over the reload time") {
  auto stage = in_play(false);
  const auto shots = [](const std::string& said) { return count(said, "sends by datagram MsgShotBegin"); };
  stage.hears(words::Keys());
  stage.waits(110 * core::kMillisecond);  // between two ticks
  words::Trigger trigger;
  trigger.set_primary(true);
  CHECK(shots(stage.hears(trigger)) == 1);
  CHECK(shots(stage.waits(1600 * core::kMillisecond)) == 0);
  CHECK(shots(stage.waits(200 * core::kMillisecond)) == 1);
  CHECK(shots(stage.waits(3300 * core::kMillisecond)) == 2);
  stage.hears(words::Trigger());
  CHECK(shots(stage.waits(5 * core::kSecond)) == 0);
}

TEST_CASE("the tank turns to a mouse that is too near to drive to, but not to one on the tank itself") {
  auto stage = in_play(false);
  words::Toward toward;
  toward.set_y(1);
  stage.hears(toward);
  const std::string turned = lines(stage.waits(4 * core::kSecond), "says Pose");
  const std::string last = turned.substr(turned.rfind("says Pose"));
  CHECK(last.find("yaw: 1.57") != std::string::npos);
  CHECK(last.find(" y: ") == std::string::npos);  // it did not drive
  toward.set_y(-0.4);
  stage.hears(toward);
  CHECK(lines(stage.waits(core::kSecond), "says Pose") == "");
}

TEST_CASE("a steered tank does not drive through obstacles") {
  auto stage = in_play(false);
  words::Toward toward;
  toward.set_x(60);
  stage.hears(toward);
  const std::string way = stage.waits(6 * core::kSecond);
  for (std::size_t at = 0; (at = way.find(" x: ", at)) != std::string::npos; ++at)
    CHECK(std::stod(way.substr(at + 4)) < 37.1);
}

TEST_CASE("pings are echoed by stream, however they came") {
  auto stage = in_play();
  CHECK(stage.receives(by_server({LagPing{7}}), Lane::kDatagram) == "sends MsgLagPing number=7\n");
}

TEST_CASE("a player who was there before us is alive from his first update, and dead from MsgKilled") {
  auto stage = in_play();
  words::Pose pose;
  pose.set_x(10);
  pose.set_seq(4);
  const Message moves = update_of(pose, 5, 1, true);
  CHECK(stage.receives(by_server({moves})) == "says Spawned unit: 102 pose { unit: 102 x: 10 seq: 4 }\n");
  CHECK(stage.receives(by_server({moves})) == "says Pose unit: 102 x: 10 seq: 4\n");
  Killed killed;
  killed.victim = killed.killer = player_id(5);
  killed.death.reason = 5;
  killed.death.shot = kNoShot;
  CHECK(stage.receives(by_server({killed})) ==
        "says Died player: 101 unit: 102 killer: 101 why: BY_ITSELF respawn_s: 5\n");
  CHECK(stage.receives(by_server({moves})) == "");  // it came too late
  CHECK(stage.receives(by_server({RemovePlayer{player_id(5)}})) == "says Gone unit: 102\nsays PlayerGone id: 101\n");
}

TEST_CASE("chat: everybody, team, one, actions, and long lines in pieces") {
  auto stage = in_play();
  words::Say say;
  say.set_text("hi");
  CHECK(stage.hears(say) == "sends MsgMessage to=254 text=\"hi\"\n");
  say.set_scope(words::Say::MY_TEAM);
  CHECK(stage.hears(say) == "sends MsgMessage to=250 text=\"hi\"\n");
  say.set_scope(words::Say::ONE);
  say.set_to(101);
  say.set_kind(words::Say::ACTION);
  CHECK(stage.hears(say) == "sends MsgMessage to=5 text=\"/me hi\"\n");
  say = {};
  say.set_text(std::string(200, 'x'));
  CHECK(count(stage.hears(say), "sends MsgMessage") == 2);
  say.set_scope(words::Say::SERVER);
  say.set_text("for the server alone");
  CHECK(stage.hears(say) == "sends MsgMessage to=253 text=\"for the server alone\"\n");
  say.set_kind(words::Say::COMMAND);
  say.set_text("/password " + std::string(118, 'x'));
  CHECK(stage.hears(say) == "loses Say: the command is longer than the server accepts\n");
  say.set_text("/password sesame");
  CHECK(stage.hears(say) == "sends MsgMessage to=253 text=\"/password sesame\"\n");

  Chat chat;
  chat.from = player_id(5);
  chat.to = player_id(3);
  chat.text.chars = std::string("psst") + '\0';
  CHECK(stage.receives(by_server({chat})) == "says Said from: 101 scope: ONE to: 1 text: \"psst\" (to 1)\n");
  chat.to = player_id(250);
  CHECK(stage.receives(by_server({chat})) == "says Said from: 101 scope: MY_TEAM to: 2 text: \"psst\"\n");
  chat.from = player_id(kServerId);
  chat.to = player_id(kEverybody);
  CHECK(stage.receives(by_server({chat})) == "says Notice text: \"psst\"\n");
}

TEST_CASE("a letter that bzfs kicks for is never sent: it becomes '?'; a command that has one is dropped") {
  auto stage = in_play();
  words::Say say;
  say.set_text("caf\u00e9 \u20ac");
  CHECK(stage.hears(say) == "sends MsgMessage to=254 text=\"caf? ?\"\n");
  say.set_kind(words::Say::ACTION);
  CHECK(stage.hears(say) == "sends MsgMessage to=254 text=\"/me caf? ?\"\n");
  say.set_kind(words::Say::COMMAND);
  say.set_scope(words::Say::SERVER);
  say.set_text("/msg ben caf\u00e9");
  CHECK(stage.hears(say) == "loses Say: the command cannot be passed on exactly as it was written\n");
}

TEST_CASE("a player gives away its own flag, and no other's") {
  auto stage = in_play();
  words::TokenWish wish;
  wish.set_op(words::TokenWish::GIVE);
  wish.set_to(101);
  CHECK(stage.hears(wish) == "sends MsgTransferFlag from=3 to=5\n");
  wish.set_from(1);
  CHECK(stage.hears(wish) == "sends MsgTransferFlag from=3 to=5\n");
  wish.set_from(101);
  CHECK(stage.hears(wish) == "loses TokenWish: a player can give away only its own flag\n");
}

TEST_CASE("flags are seen, taken, dropped and captured") {
  auto stage = in_play();
  NumberedFlag flag;
  flag.number = 2;
  flag.flag.flag = flag_kind("R*");
  flag.flag.status = 1;
  flag.flag.owner = player_id(kNobody);
  CHECK(stage.receives(by_server({FlagUpdate{{flag}}})) ==
        "says Token id: 3 kind: TEAM_FLAG code: \"R*\" team: RED state: GROUND\n");
  flag.flag.status = 2;
  flag.flag.owner = player_id(5);
  CHECK(stage.receives(by_server({GrabFlag{player_id(5), flag}})).find("says TokenTaken token { id: 3") == 0);
  words::TokenWish wish;
  wish.set_token(3);
  CHECK(stage.hears(wish) == "sends MsgGrabFlag number=2\n");
  wish.set_op(words::TokenWish::DROP);
  CHECK(stage.hears(wish) == "sends MsgDropFlag pos=(0 0 0)\n");
}

TEST_CASE("a capture kills the flag's team: the server says nothing else about these deaths") {
  for (const bool claims_deaths : {true, false}) {
    CAPTURE(claims_deaths);
    auto stage = in_play(claims_deaths);
    stage.receives(by_server({add_player(6, 1, "cleo"), add_player(7, 1, "dora"), alive(5, 9, 9), alive(6, 3, 3)}));
    NumberedFlag flag;
    flag.number = 2;
    flag.flag.flag = flag_kind("R*");
    flag.flag.status = 2;
    flag.flag.owner = player_id(5);
    stage.receives(by_server({FlagUpdate{{flag}}}));
    CHECK(stage.receives(by_server({CaptureFlag{player_id(5), 2, 2}})) ==
          "says TokenCaptured token: 3 by: 101 team: RED\n"
          "says Died player: 1 unit: 103 killer: 101 why: BY_CAPTURE respawn_s: 5 synthesised: true\n"
          "says Died player: 104 unit: 105 killer: 101 why: BY_CAPTURE respawn_s: 5 synthesised: true\n");
    Killed late;  // a server that does report them
    late.victim = player_id(6);
    late.killer = player_id(5);
    CHECK(stage.receives(by_server({late})) == "");
    CHECK(stage.hears(claim(1, 1, 1)) == "");
    CHECK(stage.hears(words::Spawn()) == "sends MsgAlive\n");
    CHECK(lines(stage.receives(by_server({alive(3, 7, 8), alive(6, 1, 1)})), "says Spawned") ==
          "says Spawned unit: 103 pose { unit: 103 x: 7 y: 8 }\n"
          "says Spawned unit: 105 pose { unit: 105 x: 1 y: 1 }\n");
  }
}

TEST_CASE("the end of a game, by time or by score, ends all lives: the server says nothing else about these deaths") {
  ScoreOver won;
  won.player = player_id(5);
  won.team = static_cast<std::uint16_t>(-1);
  const std::pair<Message, std::string> kEnds[] = {{TimeLeft{0, 0}, "says Round state: OVER left_s: 0\n"},
                                                   {won, "says Round state: OVER winner: 101\n"}};
  for (const auto& [end, over] : kEnds) {
    const std::string& told = over;
    CAPTURE(told);
    auto stage = in_play(false);
    stage.receives(by_server({add_player(6, 1, "cleo"), alive(5, 9, 9)}));
    CHECK(stage.receives(by_server({TimeLeft{0, 60}})) == "says Round left_s: 60\n");
    CHECK(stage.receives(by_server({end})) ==
          over +
              "says Died player: 1 unit: 103 why: BY_SERVER respawn_s: 5 synthesised: true\n"
              "says Died player: 101 unit: 102 why: BY_SERVER respawn_s: 5 synthesised: true\n");
    CHECK(stage.receives(by_server({end})) == over);
    CHECK(stage.hears(claim(1, 1, 1)) == "");
    CHECK(stage.hears(words::Spawn()) == "sends MsgAlive\n");
    CHECK(lines(stage.receives(by_server({alive(3, 7, 8)})), "says Spawned") ==
          "says Spawned unit: 103 pose { unit: 103 x: 7 y: 8 }\n");
  }
}

TEST_CASE("a shot of a player who has left hits nobody: the next player may have its number") {
  auto stage = in_play(false);
  stage.receives(by_server({shot_at_us(35), RemovePlayer{player_id(5)}}));
  CHECK(lines(stage.waits(core::kSecond), "sends MsgKilled") == "");
}

TEST_CASE("for a client of another game, a flag that it did not ask for is dropped at once") {
  auto stage = in_play(false);
  NumberedFlag flag;
  flag.number = 2;
  flag.flag.flag = flag_kind("GM");
  flag.flag.status = 2;
  flag.flag.owner = player_id(3);
  CHECK(lines(stage.receives(by_server({GrabFlag{player_id(3), flag}})), "sends").starts_with("sends MsgDropFlag"));
  words::TokenWish wish;
  wish.set_token(3);
  stage.hears(wish);
  CHECK(lines(stage.receives(by_server({GrabFlag{player_id(3), flag}})), "sends") == "");
}

TEST_CASE("variables become rules, and expressions in them are evaluated") {
  auto stage = in_play();
  SetVar set;
  set.variables = {{"_shotSpeed", "200"}, {"_tankSpeed", "2 * (10 + 5)"}, {"poll", "12345678"}};
  CHECK(stage.receives(by_server({set})) ==
        "says Rule name: \"BZFLAG._shotSpeed\" value: \"200\"\n"
        "says Rule name: \"BZFLAG._tankSpeed\" value: \"2 * (10 + 5)\"\n"
        "says Rule name: \"speed\" value: \"30\"\n"
        "says Rule name: \"reload\" value: \"1.75\"\n"
        "says Rule name: \"shot_speed\" value: \"200\"\n");
}

TEST_CASE("a shot that another gun fires has the server's number on the server, and the client's in the room") {
  auto stage = in_play();
  stage.hears(fire(0x0100));
  CHECK(stage.hears(fire(0x0200)).find(" shot=257 ") != std::string::npos);  // the first gun reloads
  words::ShotMoveClaim move;
  move.set_shot(0x0200);
  CHECK(stage.hears(move).starts_with("sends by datagram MsgGMUpdate player=3 shot=257 "));
  words::ShotEndClaim end;
  end.set_shooter(1);
  end.set_shot(0x0200);
  CHECK(stage.hears(end) == "sends by datagram MsgShotEnd player=3 shot=257 reason=1\n");
  end.set_shot(0x0100);
  CHECK(stage.hears(end) == "sends by datagram MsgShotEnd player=3 shot=256 reason=1\n");
  end.set_shooter(101);  // numbers of others stay
  end.set_shot(0x0200);
  CHECK(stage.hears(end) == "sends by datagram MsgShotEnd player=5 shot=512 reason=1\n");

  ShotBegin echo;
  echo.player = player_id(3);
  echo.shot = 257;
  CHECK(stage.receives(by_server({echo})).starts_with("says Shot shooter: 1 unit: 103 shot: 512 "));
  GuidedUpdate update;
  update.player = player_id(3);
  update.shot = 257;
  CHECK(stage.receives(by_server({update})) == "says ShotMoved shooter: 1 shot: 512\n");
  CHECK(stage.receives(by_server({ShotEnd{player_id(3), 257, 1}})) == "says ShotEnded shooter: 1 shot: 512\n");
  CHECK(stage.receives(by_server({ShotEnd{player_id(5), 257, 1}})) == "says ShotEnded shooter: 101 shot: 257\n");
  Killed killed;
  killed.victim = player_id(5);
  killed.killer = player_id(3);
  killed.death.reason = 1;
  killed.death.shot = 257;
  stage.receives(by_server({alive(5, 9, 9)}));
  CHECK(stage.receives(by_server({killed})) ==
        "says Died player: 101 unit: 102 killer: 1 shot: 512 why: BY_SHOT respawn_s: 5\n");
  words::DeathClaim death;  // by a shot of its own, which came back from a wall
  death.set_killer(1);
  death.set_shot(0x0200);
  death.set_why(words::BY_SHOT);
  CHECK(stage.hears(death) == "sends MsgKilled killer=3 reason=1 shot=257 flag=\"\"\n");
}

TEST_CASE("a client's first shot may have the number 0, and keeps it") {
  auto stage = in_play();
  CHECK(stage.hears(fire(0)).find(" shot=0 ") != std::string::npos);
  words::ShotMoveClaim move;
  CHECK(stage.hears(move).starts_with("sends by datagram MsgGMUpdate player=3 shot=0 "));
  words::ShotEndClaim end;
  end.set_shooter(1);
  CHECK(stage.hears(end) == "sends by datagram MsgShotEnd player=3 shot=0 reason=1\n");
}

}  // namespace
}  // namespace entente::bzflag::back_play_test
