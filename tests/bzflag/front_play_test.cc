// How a stock client plays on our front: it gets no false death and no death twice, and stays at its true position.
#include "proxy/core/replay/resync_phase.h"
#include "tests/bzflag/front_stage.h"
#include "tests/games/every_fact.h"
#include "tests/support/steps.h"

namespace entente::bzflag::front_play_test {
namespace {

testing::FrontStage in_play(bool victim = false) {
  auto stage = front_stage();
  come_in(stage, victim);
  return stage;
}

words::Died died(core::Id player, core::Id unit, core::Id killer) {
  words::Died died;
  died.set_player(player);
  died.set_unit(unit);
  died.set_killer(killer);
  died.set_why(words::BY_SHOT);
  return died;
}

KilledReport i_am_dead() {
  KilledReport report;
  report.killer = player_id(1);
  report.death.reason = 1;
  report.death.shot = kNoShot;
  return report;
}

words::Shot shot(words::ShotKind kind, double x, double y, double vx) {
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_unit(12);
  shot.set_shot(7);
  shot.set_kind(kind);
  shot.set_x(x);
  shot.set_y(y);
  shot.set_z(1.57);
  shot.set_vx(vx);
  shot.set_life(3);
  shot.set_range(75);
  return shot;
}

std::size_t count(const std::string& play, std::string_view start) {
  const std::string found = lines(play, start);
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), '\n'));
}

TEST_CASE("a client's update becomes a claim once, whatever player it names; a dead tank's does not") {
  auto stage = in_play();
  CHECK(stage.receives(by_client({drives_to(1, 2, 3, 5)})) ==
        "says PoseClaim unit: 11 x: 1 y: 2 vx: 5 seq: 3 sent_at: 1.5\n");
  CHECK(stage.receives(by_client({drives_to(1, 2, 3)})) == "");
  PlayerUpdateSmall other = drives_to(1, 2, 9);
  other.player = player_id(1);
  CHECK(stage.receives(by_client({other})) == "says PoseClaim unit: 11 x: 1 y: 2 seq: 9 sent_at: 1.5\n");
  PlayerUpdateSmall dead = drives_to(1, 2, 10);
  dead.status = kExploding;
  CHECK(stage.receives(by_client({dead})) == "");
}

TEST_CASE("every 16-bit value of a small update survives the conversion to words") {
  for (int value = -32768; value <= 32767; ++value) {
    const auto number = static_cast<std::int16_t>(value);
    PlayerUpdateSmall update;
    update.pos = {number, number, number};
    update.vel = {number, number, number};
    update.azimuth = update.turn = number;
    const Message again = update_of(pose_of(claim_of(pose_of(update))), 0, 0, true);
    const auto* small = std::get_if<PlayerUpdateSmall>(&again);
    REQUIRE(small != nullptr);
    REQUIRE(small->pos == update.pos);
    REQUIRE(small->vel == update.vel);
    REQUIRE(small->azimuth == number);
    REQUIRE(small->turn == number);
  }
}

TEST_CASE("updates of others have their velocity, and are sent at most 25 times a second, the newest last") {
  auto stage = in_play();
  std::string all;
  for (int i = 1; i <= 400; ++i) {  // four seconds
    all += stage.hears(pose(12, 20 + i * 0.25, 0, 25));
    all += stage.waits(10 * core::kMillisecond);
  }
  all += stage.waits(core::kSecond);
  const std::string updates = lines(all, "sends MsgPlayerUpdateSmall");
  CHECK(count(all, "sends MsgPlayerUpdateSmall") <= 106);
  CHECK(count(all, "sends MsgPlayerUpdateSmall") >= 95);
  CHECK(updates.find("vel=(2500 0 0)") != std::string::npos);
}

TEST_CASE("the time of updates is exact for months after a client has joined") {
  constexpr core::Micros kDay = 86'400 * core::kSecond;
  for (const core::Micros age : {core::Micros{0}, 497 * kDay / 10, 248 * kDay}) {
    CAPTURE(age);
    auto stage = in_play();
    stage.ages(age);
    std::string all;
    for (int i = 1; i <= 50; ++i) {
      all += stage.hears(pose(12, 20 + i * 0.1, 0, 25));
      stage.waits(100 * core::kMillisecond);
    }
    const std::vector<double> times = numbers_after(all, " time=");
    REQUIRE(times.size() == 50);
    for (std::size_t i = 1; i < times.size(); ++i) CHECK(std::abs(times[i] - times[i - 1] - 0.1) < 0.0015);
  }
}

TEST_CASE("a tank that moves by whole tiles drives from one to the next, and stops there") {
  auto stage = in_play();
  stage.waits(2 * core::kSecond);
  CHECK(stage.hears(pose(12, 45, 0)).find("pos=(1000 0 0) vel=(2500 0 0)") != std::string::npos);
  CHECK(stage.waits(900 * core::kMillisecond) == "");
  CHECK(stage.waits(100 * core::kMillisecond).find("pos=(2250 0 0) vel=(0 0 0)") != std::string::npos);
  CHECK(lines(stage.waits(core::kSecond), "sends MsgPlayerUpdate") == "");
  stage.hears(pose(12, 20, 0));
  stage.waits(250 * core::kMillisecond);
  CHECK(stage.hears(pose(12, -30, 0)).find("vel=(0 0 0)") != std::string::npos);  // more than two tiles: it jumps
  CHECK(stage.hears(pose(12, -30, 0)).find("pos=(-1500 0 0) vel=(0 0 0)") != std::string::npos);
}

TEST_CASE(
    "the update of a standing tank is repeated, or a client takes it for gone; not where clients repeat it "
    "themselves") {
  auto stage = in_play();
  CHECK(count(stage.waits(9 * core::kSecond), "sends MsgPlayerUpdateSmall") == 4);
  auto mirror = front_stage();
  mirror.knows(room_of("bzflag"));
  come_in(mirror, true);
  CHECK(count(mirror.waits(9 * core::kSecond), "sends MsgPlayerUpdateSmall") == 0);
}

TEST_CASE("while a replay of a bzflag session is paused, the tanks' updates are repeated") {
  auto stage = front_stage();
  stage.knows(room_of("bzflag"));
  come_in(stage, true);
  words::Clock clock;
  clock.set_speed(1);
  clock.set_paused(true);
  stage.hears(clock);
  CHECK(count(stage.waits(9 * core::kSecond), "sends MsgPlayerUpdateSmall") == 4);
  clock.set_paused(false);
  stage.hears(clock);
  CHECK(count(stage.waits(9 * core::kSecond), "sends MsgPlayerUpdateSmall") == 0);
}

TEST_CASE("a motto that is too long for a client is cut with a mark") {
  auto stage = in_play();
  words::Player cy = player(3, "cy", words::RED);
  cy.set_motto(std::string(kLongestText + 1, 'm'));
  std::string came = stage.hears(cy);
  came += stage.hears(tank(13, 3, true, 30));
  came += stage.hears(owns(3, {13}));
  CHECK(lines(came, "sends MsgAddPlayer").find("motto=\"" + std::string(kLongestText - 3, 'm') + "...\"") !=
        std::string::npos);
}

TEST_CASE("the client's other tanks are shown as robots with their own names") {
  auto stage = in_play();
  stage.hears(tank(15, 1, true, 44));
  CHECK(lines(stage.hears(owns(1, {11, 15})), "sends MsgAddPlayer").find("callsign=\"anna 2\"") != std::string::npos);
}

TEST_CASE("a player whose callsign differs from its name does not leave when the room repeats what it knows of it") {
  auto stage = in_play();
  words::Player like = player(3, "ben", words::GREEN);  // of the same name as player 2
  CHECK(lines(stage.hears(like), "sends MsgAddPlayer").find("callsign=\"ben 2\"") != std::string::npos);
  like.set_colour(0xff0000);
  CHECK(stage.hears(like) == "");
  words::Player longer = player(4, std::string(kLongestName + 9, 'n'), words::GREEN);
  CHECK(count(stage.hears(longer), "sends MsgAddPlayer") == 1);
  longer.set_colour(0xff0000);
  CHECK(stage.hears(longer) == "");
  like.set_name("cy");
  const std::string renamed = stage.hears(like);
  CHECK(count(renamed, "sends MsgRemovePlayer id=2\n") == 1);
  CHECK(lines(renamed, "sends MsgAddPlayer").find("callsign=\"cy\"") != std::string::npos);
}

TEST_CASE("a pickup is shown as a flag of unknown kind until it is gone") {
  auto stage = in_play();
  words::Unit pickup = tank(20, 0, true, 30);
  pickup.set_kind(words::Unit::PICKUP);
  const std::string laid = stage.hears(pickup);
  CHECK(count(laid, "sends MsgFlagUpdate") == 1);
  CHECK(laid.find("number=0") != std::string::npos);
  CHECK(laid.find("\"PZ\"") != std::string::npos);
  words::Token token;
  token.set_id(20);  // tokens and units have separate ids
  token.set_state(words::Token::GROUND);
  CHECK(stage.hears(token).find("number=1") != std::string::npos);
  words::Gone gone;
  gone.set_unit(20);
  CHECK(stage.hears(gone).find("number=0") != std::string::npos);
  CHECK(stage.hears(gone) == "");
}

TEST_CASE("a player with three tanks is shown as three; a gone tank leaves, a hidden one is only not drawn") {
  auto stage = in_play();
  stage.hears(tank(13, 2, true, 30));
  stage.hears(tank(14, 2, false, 40));
  const std::string three = stage.hears(owns(2, {12, 13, 14}));
  CHECK(lines(three, "sends MsgAddPlayer").find("id=2 type=1 team=2") != std::string::npos);
  CHECK(lines(three, "sends MsgAddPlayer").find("callsign=\"ben 2\"") != std::string::npos);
  CHECK(lines(three, "sends MsgAddPlayer").find("callsign=\"ben 3\"") != std::string::npos);
  CHECK(count(three, "sends MsgAlive") == 1);
  words::Gone gone;
  gone.set_unit(14);
  words::Owns left = owns(2, {12, 13});
  CHECK(stage.hears(left) == "sends MsgRemovePlayer id=3\n");
  words::Hidden hidden;
  hidden.set_unit(13);
  const std::string unseen = stage.hears(hidden);
  CHECK(unseen.starts_with("sends MsgPlayerUpdateSmall "));  // on the stream: it must arrive
  CHECK(count(unseen, "sends") == 1);
  CHECK(unseen.find(" status=0 ") != std::string::npos);
  CHECK(stage.hears(hidden) == "");
  CHECK(lines(stage.waits(9 * core::kSecond), "sends MsgPlayerUpdateSmall").find("player=2") == std::string::npos);
  const std::string back = stage.hears(pose(13, 33, 0));
  CHECK(count(back, "sends") == 1);
  CHECK(back.find("MsgPlayerUpdateSmall") != std::string::npos);
  CHECK(back.find(" status=1 ") != std::string::npos);
  words::PlayerGone all;
  all.set_id(2);
  CHECK(count(stage.hears(all), "sends MsgRemovePlayer") == 2);
}

TEST_CASE("a player without a visible unit keeps his number, and his death is sent") {
  auto stage = in_play();
  words::Hidden hidden;
  hidden.set_unit(12);
  CHECK(count(stage.hears(hidden), "sends MsgPlayerUpdateSmall") == 1);
  CHECK(stage.hears(owns(2, {})) == "");
  CHECK(stage.waits(core::kSecond) == "");
  words::Gone gone;
  gone.set_unit(12);
  CHECK(stage.hears(gone) == "");
  CHECK(stage.hears(died(2, 12, 1)) == "sends MsgKilled victim=1 killer=0 reason=1 shot=65535 flag=\"\"\n");
  stage.hears(tank(17, 2, false));
  stage.hears(owns(2, {17}));
  CHECK(stage.waits(core::kSecond) == "");
  CHECK(stage.hears(spawned(17, 5, 5)) == "sends MsgAlive player=1 pos=(5 5 0) azimuth=0\n");
}

TEST_CASE("a player who loses his only unit is not drawn, but does not leave") {
  auto stage = in_play();
  words::Gone gone;
  gone.set_unit(12);
  CHECK(stage.hears(gone) == "");
  const std::string unseen = stage.waits(0);
  CHECK(count(unseen, "sends") == 1);
  CHECK(unseen.find(" status=0 ") != std::string::npos);
}

TEST_CASE("if no number is free, a visible player takes that of a hidden one") {
  auto stage = in_play();
  const auto comes = [&](core::Id id) {
    std::string said = stage.hears(player(id, "p" + std::to_string(id), words::GREEN));
    said += stage.hears(tank(id + 1000, id, true, 30));
    return said + stage.hears(owns(id, {id + 1000}));
  };
  for (core::Id id = 3; id < 3 + kMostPlayers - 2; ++id) CHECK(count(comes(id), "sends MsgAddPlayer") == 1);
  CHECK(count(comes(500), "sends") == 0);
  words::Hidden hidden;
  hidden.set_unit(12);
  stage.hears(hidden);
  const std::string said = stage.hears(pose(1500, 31, 0));
  CHECK(lines(said, "sends MsgRemovePlayer") == "sends MsgRemovePlayer id=1\n");
  CHECK(lines(said, "sends MsgAddPlayer").find("id=1 ") != std::string::npos);
  CHECK(lines(said, "sends MsgAlive").find("player=1 ") != std::string::npos);
}

TEST_CASE("a resync sends no event to a client") {
  auto stage = in_play();
  words::Clock runs;
  runs.set_speed(1);
  const auto resync = [&](core::Fact fact) {
    CHECK(stage.hears(core::resync_clock(0)) == "");
    const std::string said = stage.hears(std::move(fact));
    stage.hears(runs);
    return said;
  };
  const std::string dies = resync(tank(12, 2, false, 20));
  CHECK(dies.starts_with("sends MsgPlayerUpdateSmall "));
  CHECK(count(dies, "sends") == 1);
  CHECK(dies.find(" status=0 ") != std::string::npos);
  const std::string lives = resync(tank(12, 2, true, 25));
  CHECK(lives.starts_with("sends MsgPlayerUpdateSmall "));
  CHECK(count(lives, "sends") == 1);
  CHECK(lives.find(" status=1 pos=(1250 0 0)") != std::string::npos);
  words::Player ben = player(2, "ben", words::GREEN);
  ben.set_badges(words::PAUSED | words::AUTOPILOT);
  CHECK(resync(ben) == "");
  words::Round over;
  over.set_state(words::Round::OVER);
  CHECK(resync(over) == "");
  CHECK(stage.hears(over) != "");
  std::string comes = resync(player(3, "eve", words::RED));
  comes += resync(tank(13, 3, true));
  comes += resync(owns(3, {13}));
  CHECK(count(comes, "sends MsgAddPlayer") == 1);
  CHECK(count(comes, "sends MsgAlive") == 0);
  CHECK(lines(comes, "sends MsgPlayerUpdateSmall").find(" status=1 ") != std::string::npos);
  CHECK(stage.hears(died(3, 13, 1)).starts_with("sends MsgKilled"));
  CHECK(resync(spawned(11, 7, 8)) == "sends MsgAlive player=0 pos=(7 8 0) azimuth=0\n");  // its own tank must be there
}

TEST_CASE("a player whose tank changes continues in the next") {
  auto stage = in_play();
  stage.hears(tank(15, 1, true, 44));
  stage.hears(owns(1, {11, 15}));
  words::Owns next = owns(1, {15});
  CHECK(stage.hears(next).find("sends MsgAlive player=0 pos=(44 0 0)") != std::string::npos);

  stage.hears(tank(16, 1, true, 66));
  stage.hears(owns(1, {15, 16}));
  stage.hears(died(1, 15, 2));
  CHECK(lines(stage.hears(owns(1, {16})), "sends MsgAlive") == "");  // not before it asks for another life
  CHECK(stage.receives(by_client({AliveRequest{}})) == "says Spawn\n");
  CHECK(stage.waits(300 * core::kMillisecond) == "");
  CHECK(stage.waits(200 * core::kMillisecond) == "sends MsgAlive player=0 pos=(66 0 0) azimuth=0\n");
}

TEST_CASE("a death is sent once; a death that nobody confirms is undone on the spot") {
  auto stage = in_play();
  CHECK(stage.hears(died(2, 12, 1)) == "sends MsgKilled victim=1 killer=0 reason=1 shot=65535 flag=\"\"\n");
  CHECK(stage.hears(died(2, 12, 1)) == "");

  CHECK(stage.receives(by_client({i_am_dead()})) == "says DeathClaim killer: 2 why: BY_SHOT\n");
  CHECK(stage.receives(by_client({i_am_dead()})) == "");
  CHECK(stage.waits(300 * core::kMillisecond) == "");
  CHECK(stage.waits(200 * core::kMillisecond) == "sends MsgAlive player=0 pos=(0 0 0) azimuth=0\n");

  stage.receives(by_client({i_am_dead()}));
  CHECK(stage.hears(died(1, 11, 2)) == "sends MsgKilled victim=0 killer=1 reason=1 shot=65535 flag=\"\"\n");
  CHECK(lines(stage.waits(2 * core::kSecond), "sends MsgAlive") == "");
  CHECK(stage.receives(by_client({AliveRequest{}})) == "says Spawn\n");
  CHECK(stage.hears(spawned(11, 5, 6)) == "sends MsgAlive player=0 pos=(5 6 0) azimuth=0\n");

  CHECK(stage.receives(by_client({i_am_dead()})) == "says DeathClaim killer: 2 why: BY_SHOT\n");
  stage.hears(died(1, 11, 2));
  stage.hears(spawned(11, 7, 8));
  CHECK(lines(stage.waits(2 * core::kSecond), "sends MsgAlive") == "");  // it is in its next life
}

TEST_CASE("a shot without a height comes out of a gun, unless it is one of BZFlag, where shots may be that low") {
  for (const bool victim : {false, true}) {
    CAPTURE(victim);
    auto stage = in_play(victim);
    words::Shot low = shot(words::BALL, 60, 40, -100);
    low.set_z(0);
    const std::string begun = stage.hears(low);
    CHECK(begun.find(victim ? " pos=(60 40 0) " : " pos=(60 40 1.57) ") != std::string::npos);
  }
}

TEST_CASE("if the server decides about hits, shots end before the client's tank; if the victim does, they fly on") {
  for (const words::ShotKind kind : {words::BALL, words::RAY}) {
    auto stage = in_play(false);
    const std::string begun = stage.hears(shot(kind, 60, 0, kind == words::RAY ? -1 : -100));
    CHECK(count(begun, "sends MsgShotBegin") == 1);
    CHECK(count(begun, "sends MsgShotEnd") == 0);
    const std::string flight = stage.waits(core::kSecond);
    CHECK(count(flight, "sends MsgShotEnd") == 1);
    words::ShotEnded ended;
    ended.set_shooter(2);
    ended.set_shot(7);
    CHECK(stage.hears(ended) == "");  // once
  }
  auto at_once = in_play(false);
  CHECK(count(at_once.hears(shot(words::BALL, 9, 0, -100)), "sends MsgShotEnd") == 1);

  auto aside = in_play(false);
  aside.hears(shot(words::BALL, 60, 40, -100));
  CHECK(count(aside.waits(3 * core::kSecond), "sends MsgShotEnd") == 0);

  auto victim = in_play(true);
  victim.hears(shot(words::BALL, 60, 0, -100));
  CHECK(count(victim.waits(core::kSecond), "sends MsgShotEnd") == 0);
}

TEST_CASE("a token that makes shots guided is the flag GM, whatever the game calls it") {
  auto stage = in_play(false);
  words::TokenTaken taken;
  words::Token& flag = *taken.mutable_token();
  flag.set_id(3);
  flag.set_gives(words::GUIDED);
  flag.set_state(words::Token::CARRIED);
  flag.set_carrier(1);
  taken.set_by(1);
  CHECK(stage.hears(taken).find("kind=\"GM\"") != std::string::npos);
  CHECK(stage.hears(shot(words::GUIDED, 60, 40, -100)).find("flag=\"GM\"") != std::string::npos);
}

TEST_CASE("the client's own shot ends at the client when the room ends it") {
  auto stage = in_play(false);
  ShotBegin begin;
  begin.player = player_id(0);
  begin.shot = 0x105;
  begin.vel = vec3(100, 0, 0);
  begin.life = 3.5F;
  CHECK(count(stage.receives(by_client({begin})), "says Fire") == 1);
  words::ShotEnded ended;
  ended.set_shooter(1);
  ended.set_shot(0x105);
  CHECK(stage.hears(ended) == "sends MsgShotEnd player=0 shot=261 reason=1\n");
  CHECK(stage.hears(ended) == "");
}

TEST_CASE("pellets are shown as flags, which disappear with them and cannot be grabbed") {
  auto stage = in_play(false);
  for (core::Id id = 100; id < 105; ++id) {
    words::Unit pellet;
    pellet.set_id(id);
    pellet.set_kind(words::Unit::PELLET);
    pellet.set_alive(true);
    pellet.mutable_pose()->set_x(id - 98.0);
    CHECK(stage.hears(pellet) == "");
  }
  const std::string first = stage.waits(core::kSecond / 10);
  CHECK(count(first, "sends MsgFlagUpdate") == 3);
  CHECK(first.find("number=0 record={kind=\"PZ\" status=1 ") != std::string::npos);
  CHECK(first.find("pos=(2 0 0)") != std::string::npos);
  CHECK(first.find("pos=(4 0 0)") != std::string::npos);
  CHECK(first.find("pos=(5 0 0)") == std::string::npos);  // a few at a time
  CHECK(count(stage.waits(core::kSecond), "sends MsgFlagUpdate") == 2);
  GrabFlagRequest grab;
  grab.number = 0;
  CHECK(stage.receives(by_client({grab})) == "");
  words::Gone gone;
  gone.set_unit(100);
  CHECK(stage.hears(gone).find("number=0 record={kind=\"PZ\" status=0 ") != std::string::npos);
}

TEST_CASE("shots with unlimited numbers get the slots that a client has") {
  auto stage = in_play(false);
  for (std::uint32_t i = 1; i <= 30; ++i) {
    words::Shot far = shot(words::BALL, 60, 40, -100);
    far.set_shot(1000 + i);
    const std::string begun = stage.hears(far);
    CHECK((begun.find("MsgShotEnd") != std::string::npos) == (i > 20));  // the oldest ends
    const std::size_t at = begun.find("shot=", begun.find("MsgShotBegin"));
    REQUIRE(at != std::string::npos);
    CHECK((std::stoi(begun.substr(at + 5)) & 0xff) == static_cast<int>((i - 1) % 20));
  }
}

TEST_CASE("a shot of a gun that the client has no room for gets the number of one that it has") {
  auto stage = in_play(true);  // two guns each
  words::Shot high = shot(words::BALL, 60, 40, -100);
  high.set_shot(0x0105);
  const std::string begun = stage.hears(high);
  const std::size_t at = begun.find("shot=", begun.find("MsgShotBegin"));
  REQUIRE(at != std::string::npos);
  CHECK((std::stoi(begun.substr(at + 5)) & 0xff) < 2);
}

TEST_CASE("a client whose tank is dead in the room claims no place, though it does not know that yet") {
  auto stage = in_play();
  words::Died died;
  died.set_unit(11);
  died.set_player(1);
  stage.hears(died);
  CHECK(lines(stage.receives(by_client({drives_to(1, 2, 9)})), "says PoseClaim") == "");
}

TEST_CASE("a client that strays from its true position is moved back, at most once a second") {
  auto stage = in_play();
  std::string all = stage.waits(2 * core::kSecond);
  for (int i = 1; i <= 40; ++i) {  // four seconds, driving on while the server says it stands
    all += stage.receives(by_client({drives_to(2.5 * i, 0, i, 25)}));
    all += stage.hears(pose(11, 0, 0));
    all += stage.waits(100 * core::kMillisecond);
  }
  CHECK(count(all, "sends MsgAlive player=0") >= 1);
  CHECK(count(all, "sends MsgAlive player=0") <= 3);

  words::Corrected corrected;
  *corrected.mutable_pose() = pose(11, -20, 0);
  auto hard = in_play();
  hard.waits(2 * core::kSecond);
  CHECK(hard.hears(corrected) == "sends MsgAlive player=0 pos=(-20 0 0) azimuth=0\n");
  CHECK(hard.hears(corrected) == "");
  CHECK(count(hard.waits(core::kSecond), "sends MsgAlive player=0 pos=(-20 0 0)") ==
        1);  // the client has not confirmed the place
}

TEST_CASE("health, chat, notices, time and scores are sent as far as the game can show them") {
  auto stage = in_play();
  words::Health health;
  health.set_unit(11);
  health.set_now(50);
  health.set_max(50);
  CHECK(stage.hears(health) == "");
  health.set_now(20);
  CHECK(stage.hears(health) == "sends MsgMessage from=253 to=0 kind=0 text=\"hit 20/50\"\n");
  words::Said said;
  said.set_from(2);
  said.set_text("hi");
  CHECK(stage.hears(said) == "sends MsgMessage from=1 to=254 kind=0 text=\"hi\"\n");
  said.set_scope(words::Say::MY_TEAM);
  said.set_to(words::RED);
  CHECK(stage.hears(said) == "sends MsgMessage from=1 to=250 kind=0 text=\"hi\"\n");
  words::Notice notice;
  notice.set_text(std::string(130, 'n'));
  CHECK(count(stage.hears(notice), "sends MsgMessage from=253 to=254") == 2);
  words::Round round;
  round.set_left_s(90.4);
  CHECK(stage.hears(round) == "sends MsgTimeUpdate seconds=90\n");
  words::Score score;
  score.set_player(2);
  score.set_wins(4);
  CHECK(stage.hears(score) == "");
  score.set_player(1);
  score.set_losses(4);
  stage.hears(score);
  CHECK(stage.waits(0) ==
        "sends MsgScore players=[{player=1 wins=4 losses=0 team_kills=0} {player=0 wins=4 losses=4 team_kills=0}]\n");
}

TEST_CASE("a team's score that the client cannot hold is shown as the highest that it can") {
  auto stage = front_stage();
  words::TeamScore score;
  score.set_team(words::RED);
  score.set_size(3);
  score.set_wins(70'000);
  score.set_losses(65'536);
  stage.hears(score);
  stage.opens();
  stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  furnish(stage, true);
  stage.receives(by_client({NegotiateFlags{}, WantSettings{}, WantWorldHash{}, enter_as("anna")}));
  for (const core::Fact& fact :
       std::initializer_list<core::Fact>{player(1, "anna", words::RED), tank(11, 1, false), owns(1, {11})})
    stage.hears(fact);
  CHECK(stage.hears(words::Ready()).find("{team=1 size=3 won=65535 lost=65535}") != std::string::npos);
}

TEST_CASE("if another round follows, a client learns who won, and spawns again") {
  auto stage = in_play();
  words::Round round;
  round.set_another(true);
  for (const auto& [winner, side, line] :
       {std::tuple(2U, words::TEAM_ANY, ": ben has won"), std::tuple(0U, words::RED, ": red has won"),
        std::tuple(0U, words::TEAM_ANY, "")}) {
    stage.hears(died(1, 11, 0));
    round.set_state(words::Round::OVER);
    round.set_winner(winner);
    round.set_winning_team(side);
    CHECK(stage.hears(round) ==
          "sends MsgMessage from=253 to=254 kind=0 text=\"the round is over" + std::string(line) + "\"\n");
    CHECK(stage.receives(by_client({AliveRequest{}})) == "says Spawn\n");
    stage.waits(core::kSecond);
    round.set_state(words::Round::RUNNING);
    round.set_left_s(0.2);  // 0 would be the end
    CHECK(stage.hears(round) == "sends MsgTimeUpdate seconds=1\n");
    CHECK(lines(stage.hears(spawned(11, 3, 4)), "sends MsgAlive").starts_with("sends MsgAlive player=0 pos=(3 4 0)"));
  }
}

TEST_CASE("the end of the last round ends the game for a client") {
  auto stage = in_play();
  words::Round over;
  over.set_state(words::Round::OVER);
  CHECK(stage.hears(over) == "sends MsgScoreOver player=255 team=65535\n");
  over.set_winner(2);
  CHECK(stage.hears(over) == "sends MsgScoreOver player=1 team=65535\n");
}

TEST_CASE("if the last round ends because time ran out, a client is told so, and not that an unknown player has won") {
  auto stage = in_play();
  words::Round over;
  over.set_state(words::Round::OVER);
  over.set_left_s(0);
  CHECK(stage.hears(over) == "sends MsgTimeUpdate seconds=0\n");
  over.set_winning_team(words::RED);
  CHECK(stage.hears(over) == "sends MsgScoreOver player=255 team=1\n");
}

TEST_CASE("a flag is captured at its captor's base") {
  auto stage = in_play();
  words::Token flag;
  flag.set_id(70);
  flag.set_kind(words::Token::TEAM_FLAG);
  flag.set_team(words::GREEN);
  flag.set_state(words::Token::CARRIED);
  flag.set_carrier(1);
  stage.hears(flag);
  words::TokenCaptured captured;
  captured.set_token(70);
  captured.set_by(1);
  captured.set_team(words::GREEN);
  CHECK(stage.hears(captured) == "sends MsgCaptureFlag player=0 flag=0 team=1\n");
}

words::TokenTaken taken(core::Id by, core::Id from = 0) {
  words::TokenTaken taken;
  *taken.mutable_token() = carried_by(by);
  taken.set_by(by);
  taken.set_from(from);
  return taken;
}

TEST_CASE("a client that is moved back keeps its flag: it takes the move for a new life, which begins without one") {
  auto stage = in_play();
  stage.waits(2 * core::kSecond);
  stage.hears(taken(1));
  words::Corrected corrected;
  *corrected.mutable_pose() = pose(11, -20, 0);
  CHECK(
      stage.hears(corrected).starts_with("sends MsgAlive player=0 pos=(-20 0 0) azimuth=0\n"
                                         "sends MsgGrabFlag player=0 flag={number=0 record={kind=\"R*\" status=2 "));
  CHECK(stage.hears(spawned(12, 5, 5)).find("MsgGrabFlag") == std::string::npos);  // of another tank
  words::TokenDropped dropped;
  *dropped.mutable_token() = carried_by(1);
  dropped.mutable_token()->set_state(words::Token::GROUND);
  dropped.mutable_token()->clear_carrier();
  dropped.set_by(1);
  stage.hears(dropped);
  std::string again = stage.hears(corrected);
  again += stage.waits(core::kSecond);
  CHECK(count(again, "sends MsgAlive player=0") == 1);
  CHECK(count(again, "sends MsgGrabFlag") == 0);
}

TEST_CASE("a player who is announced again under a new name keeps its flag") {
  auto stage = in_play();
  stage.hears(taken(2));
  const std::string renamed = stage.hears(player(2, "bert", words::GREEN));
  INFO(renamed);
  CHECK(count(renamed, "sends MsgRemovePlayer id=1\n") == 1);
  CHECK(count(renamed, "sends MsgGrabFlag player=1 ") == 1);
  CHECK(renamed.find("sends MsgAddPlayer id=1 ") < renamed.find("sends MsgGrabFlag"));
  CHECK(stage.hears(player(3, "cleo", words::GREEN)).find("MsgGrabFlag") == std::string::npos);
}

TEST_CASE(
    "a flag that a tank of another server's game carries is shown on the tank; a replay that seeks says nothing") {
  auto stage = in_play();
  CHECK(stage.hears(carried_by(2)).starts_with("sends MsgGrabFlag player=1 "));
  CHECK(stage.hears(carried_by(77)).starts_with("sends MsgFlagUpdate "));  // whom the client does not see
  stage.hears(core::resync_clock(0));
  CHECK(stage.hears(carried_by(2)).starts_with("sends MsgFlagUpdate "));
}

TEST_CASE("a theft names no player whom the client does not know, which would crash it") {
  auto stage = in_play();
  CHECK(stage.hears(taken(1, 2)).starts_with("sends MsgTransferFlag from=1 to=0 "));
  CHECK(stage.hears(taken(2, 77)).starts_with("sends MsgGrabFlag player=1 "));
  CHECK(stage.hears(taken(77, 2)).starts_with("sends MsgFlagUpdate "));
  CHECK(stage.hears(taken(77)).starts_with("sends MsgFlagUpdate "));
}

/// Shows the red flag, and captures it for ben, green.
std::string capture_red_flag(testing::FrontStage& stage) {
  words::Token flag;
  flag.set_id(70);
  flag.set_kind(words::Token::TEAM_FLAG);
  flag.set_team(words::RED);
  flag.set_state(words::Token::GROUND);
  stage.hears(flag);
  words::TokenCaptured captured;
  captured.set_token(70);
  captured.set_by(2);
  captured.set_team(words::RED);
  return stage.hears(captured);
}

words::Died died_by_capture(core::Id player, core::Id unit) {
  words::Died died;
  died.set_player(player);
  died.set_unit(unit);
  died.set_killer(2);
  died.set_why(words::BY_CAPTURE);
  return died;
}

TEST_CASE("deaths by a capture: the client has drawn them, so they are no kills; other tanks stop being alive") {
  auto stage = in_play();
  for (const core::Fact& fact :
       std::initializer_list<core::Fact>{player(3, "cleo", words::RED), tank(13, 3, true, 30), owns(3, {13})})
    stage.hears(fact);
  CHECK(capture_red_flag(stage) == "sends MsgCaptureFlag player=1 flag=0 team=2\n");
  CHECK(stage.hears(died_by_capture(1, 11)) == "");
  CHECK(stage.hears(died_by_capture(3, 13)).find("status=0 ") != std::string::npos);
  CHECK(lines(stage.waits(core::kSecond), "sends MsgAlive") == "");
  CHECK(stage.receives(by_client({AliveRequest{}})) == "says Spawn\n");

  auto later = in_play();  // no capture was shown
  CHECK(later.hears(died_by_capture(1, 11)) == "sends MsgKilled victim=0 killer=1 reason=3 shot=65535 flag=\"\"\n");
}

TEST_CASE("a capture that kills nobody: the client, which has blown itself up, is put back into play") {
  auto stage = in_play();
  capture_red_flag(stage);
  CHECK(lines(stage.waits(core::kSecond), "sends MsgAlive") == "sends MsgAlive player=0 pos=(0 0 0) azimuth=0\n");
  stage.hears(died(1, 11, 2));
  capture_red_flag(stage);  // which its tank does not live to see
  stage.hears(spawned(11, 5, 6));
  CHECK(lines(stage.waits(core::kSecond), "sends MsgAlive") == "");
}

TEST_CASE("a client's chat, requests and shots become intents") {
  auto stage = in_play();
  const auto say = [&](std::uint8_t to, const char* text) {
    ChatRequest chat;
    chat.to = player_id(to);
    chat.text.chars = text;
    return stage.receives(by_client({chat}));
  };
  CHECK(say(kEverybody, "hi") == "says Say text: \"hi\"\n");
  CHECK(say(250, "hi") == "says Say scope: MY_TEAM text: \"hi\"\n");
  CHECK(say(1, "psst") == "says Say scope: ONE to: 2 text: \"psst\"\n");
  CHECK(say(99, "psst") == "loses MsgMessage.to: its recipient is not there\n");
  CHECK(say(kEverybody, "/me waves") == "says Say kind: ACTION text: \"waves\"\n");
  CHECK(say(kServerId, "/help") == "says Say scope: SERVER kind: COMMAND text: \"/help\"\n");
  CHECK(stage.receives(by_client({PauseReport{1}})) == "says Pause on: true\n");

  ShotBegin begin;
  begin.player = player_id(0);
  begin.shot = 0x0100;
  begin.vel = {100, 0, 0};
  begin.life = 3.5F;
  CHECK(stage.receives(by_client({begin})) == "says Fire unit: 11 shot: 256 vx: 100 life: 3.5 range: 350\n");
}

TEST_CASE("a client is pinged every ten seconds") {
  auto stage = in_play();
  const std::string half_a_minute = stage.waits(31 * core::kSecond);
  CHECK(lines(half_a_minute, "sends MsgLagPing") ==
        "sends MsgLagPing number=1\nsends MsgLagPing number=2\nsends MsgLagPing number=3\n");
}

TEST_CASE("a hilly world is flat for a client: no tank is below its ground, and its claims get the true height") {
  words::World hills;
  hills.set_kind(words::World::VOXELS);
  core::set_sides(hills, 800, 800);
  hills.set_block(1.5625);
  hills.set_ground(std::string("\0\x10\0\x10", 4));  // 25 metres high in the east
  words::Solid& house = *hills.add_solids();
  house.set_x(200);
  house.set_z(25);
  house.set_half_x(10);
  house.set_half_y(10);
  house.set_height(12);
  CHECK(core::flattened(hills).solids(0).z() == 0);
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  stage.hears(room_of("aos"));
  stage.hears(hills);
  stage.receives(by_client({NegotiateFlags{}, WantSettings{}, WantWorldHash{}, enter_as("anna")}));
  for (const core::Fact& fact : std::initializer_list<core::Fact>{player(2, "ben", words::GREEN), tank(12, 2, true, 20),
                                                                  owns(2, {12}), player(1, "anna", words::RED),
                                                                  tank(11, 1, false), owns(1, {11}), words::Ready()})
    stage.hears(fact);
  const auto on_hill = [](core::Id unit, double z, std::uint32_t state = 0) {
    words::Pose there = pose(unit, 100, 50);
    there.set_z(z);
    there.set_state(state);
    return there;
  };
  words::Spawned life;
  life.set_unit(11);
  *life.mutable_pose() = on_hill(11, 25);
  CHECK(stage.hears(life).find("MsgAlive player=0 pos=(100 50 0) ") != std::string::npos);
  stage.waits(core::kSecond);
  CHECK(stage.hears(on_hill(12, 26.6)).find(" pos=(5000 2500 0) ") !=
        std::string::npos);  // about a block above the ground: shown on it
  stage.waits(core::kSecond);
  CHECK(stage.hears(on_hill(12, 27, words::Pose::FALLING)).find(" pos=(5000 2500 100) ") != std::string::npos);
  stage.waits(core::kSecond);
  CHECK(stage.hears(on_hill(12, 37)).find(" pos=(5000 2500 600) ") != std::string::npos);  // on a roof
  CHECK(stage.receives(by_client({drives_to(100, 50, 1)})).find("says PoseClaim unit: 11 x: 100 y: 50 z: 25 ") !=
        std::string::npos);
  ShotBegin begin;
  begin.shot = 0x0100;
  begin.pos = {100, 50, 1.5F};
  begin.vel = {100, 0, 0};
  begin.life = 3.5F;
  CHECK(lines(stage.receives(by_client({begin})), "says Fire").find(" z: 26.5 ") != std::string::npos);
}

TEST_CASE("a gun with a clip: after the last round, reloading includes the time to refill the clip") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  words::Room room = room_of("aos");
  room.set_most_shots(1);
  stage.hears(room);
  for (const auto& [name, value] : {std::pair{"hits", "server"}, {"reload", "0.5"}, {"refill", "2.5"}})
    stage.hears(rule(name, value));
  stage.hears(tiles_2x2());
  CHECK(stage.receives(by_client({NegotiateFlags{}, WantSettings{}, WantWorldHash{}, enter_as("anna")}))
            .find("max_shots=1 ") != std::string::npos);
  for (const core::Fact& fact : std::initializer_list<core::Fact>{player(2, "ben", words::GREEN), tank(12, 2, true, 20),
                                                                  owns(2, {12}), player(1, "anna", words::RED),
                                                                  tank(11, 1, false), owns(1, {11}), words::Ready()})
    stage.hears(fact);
  stage.hears(spawned(11, 0, 0));
  const auto told = [&](std::uint32_t clip, std::uint32_t reserve) {
    words::Ammo ammo;
    ammo.set_player(1);
    ammo.set_clip(clip);
    ammo.set_reserve(reserve);
    return stage.hears(ammo);
  };
  const std::string each = "sends MsgSetVar variables=[{name=\"_reloadTime\" value=\"0.5\"}]\n";
  const std::string last = "sends MsgSetVar variables=[{name=\"_reloadTime\" value=\"3\"}]\n";
  CHECK(told(10, 50) == each);
  for (std::uint32_t clip = 9; clip > 1; --clip) CHECK(told(clip, 50) == "");
  CHECK(told(1, 50) == last);
  CHECK(told(0, 50) == "");
  CHECK(told(10, 40) == each);
  told(1, 0);
  CHECK(stage.hears(rule("reload", "0.2")) ==
        "sends MsgSetVar variables=[{name=\"_reloadTime\" value=\"0.2\"}]\n"
        "sends MsgSetVar variables=[{name=\"_reloadTime\" value=\"2.7\"}]\n");

  // A shot that the server did not take is not shown.
  ShotBegin begin;
  begin.player = player_id(0);
  begin.shot = 0x0100;
  begin.vel = {400, 0, 0};
  begin.life = 3;
  stage.receives(by_client({begin}));
  words::ShotEnded ended;
  ended.set_shooter(1);
  ended.set_shot(0x0100);
  CHECK(stage.hears(ended) == "sends MsgShotEnd player=0 shot=256 reason=1\n");

  // Another player's gun fires while its last shot still flies. A gun has one slot, so the older shot ends.
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_unit(12);
  shot.set_kind(words::RAY);
  shot.set_y(100);
  shot.set_vy(1);
  shot.set_range(200);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    shot.set_shot(i);
    const std::string said = stage.hears(shot);
    CHECK(said.find("MsgShotBegin") != std::string::npos);
    CHECK((said.find("MsgShotEnd") != std::string::npos) == (i > 1));
  }
}

TEST_CASE("a word that no message can express is counted as dropped") {
  auto stage = in_play();
  CHECK(stage.hears(words::Board()) == "loses Board: clients sort their own score boards\n");
  CHECK(stage.hears(words::Zone()) == "loses Zone: bases are the only zones\n");
  const std::string nothing_refused = stage.hears(core::Fact(1, words::ClaimRefused()));
  CHECK(nothing_refused.starts_with("loses ClaimRefused: only refused deaths (by MsgAlive)"));
}

TEST_CASE("each kind of fact has a handler, or is counted by a reason of the mapping") {
  testing::check_every_fact([](const core::Fact& fact) {
    auto fresh = in_play();
    return fresh.hears(fact);
  });
}

TEST_CASE("a client is told once that the room has another world than the one that it loaded") {
  auto stage = in_play();
  words::World world = tiles_2x2();
  CHECK(stage.hears(world) == "");
  world.set_hash("y");
  CHECK(stage.hears(world) ==
        "loses World: clients load a world only when they join\n"
        "sends MsgMessage from=253 to=0 kind=0 text=\"The server has another map now. Join again to see it.\"\n");
  CHECK(stage.hears(world) == "loses World: clients load a world only when they join\n");
  CHECK(stage.hears(tiles_2x2()) == "");
}

TEST_CASE("the work for a fact about a unit without a number does not grow with the units of its owner") {
  auto stage = in_play();
  words::Owns all = owns(2, {12});
  for (core::Id id = 1000; id < 2000; ++id) {
    all.add_units(id);
    stage.knows(tank(id, 2, true));
  }
  stage.hears(all);
  const auto cost = [&](const core::Fact& fact) {
    const std::uint64_t before = testing::steps();
    CHECK(stage.hears(fact) == "loses Unit: no number is left for another player\n");
    return testing::steps() - before;
  };
  CHECK(cost(pose(1500, 6, 0)) < 20'000);
  CHECK(cost(tank(1500, 2, true)) < 20'000);
}

}  // namespace
}  // namespace entente::bzflag::front_play_test
