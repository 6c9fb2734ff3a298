// Our client of an Ace of Spades server in play: what it reports to the room, and what it sends to the server.
#include <doctest/doctest.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/drops.h"
#include "proxy/core/wishes.h"
#include "tests/aos/back_stage.h"

namespace entente::aos::back_play_test {
namespace {

using core::kMillisecond, core::kSecond;

constexpr core::Micros kSoon = 100 * kMillisecond;

words::Toward toward(double x, double y) {
  words::Toward word;
  word.set_x(x);
  word.set_y(y);
  return word;
}
words::Keys keys(std::uint32_t bits, double yaw = 0, double pitch = 0) {
  words::Keys word;
  word.set_bits(bits);
  word.set_yaw(yaw);
  word.set_pitch(pitch);
  return word;
}
words::Fire fire_along(double yaw, double pitch = 0) {
  words::Fire word;
  word.set_vx(std::cos(yaw) * std::cos(pitch));
  word.set_vy(std::sin(yaw) * std::cos(pitch));
  word.set_vz(std::sin(pitch));
  return word;
}

// -- What it is shown -------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a player in play who is described again stays in play, and where it is") {
  Scene scene;
  scene.plays();
  scene.receives(created(5, 1, 120.5F, 120.5F, "ben"));
  const core::UnitState* ben = scene.stage.world().unit(102);
  REQUIRE(ben != nullptr);
  const double x = ben->unit.pose().x();
  CHECK(has(scene.receives(existing(5, 1, "bernard")), "name: \"bernard\""));
  ben = scene.stage.world().unit(102);
  CHECK(ben->unit.name() == "bernard");
  CHECK(ben->unit.alive());
  CHECK(ben->unit.pose().x() == x);
}

TEST_CASE("aos back: reports only the changes of a snapshot, with velocities, at most 20 times a second") {
  Scene scene;
  scene.plays();
  CHECK(has(scene.snapshot({{5, {160, 150, 57.75F}}}), "says Spawned unit: 102"));  // ben was there before us
  CHECK(scene.snapshot({{5, {160, 150, 57.75F}}}) == "");
  scene.waits(kSoon);
  // 0.8 blocks in 100 ms are 8 a second: 12.5 m/s.
  const std::string moved = scene.snapshot({{5, {160.8F, 150, 57.75F}}});
  CHECK(count(moved, "says Pose unit: 102") == 1);
  CHECK(has(moved, "vx: 12.5"));
  CHECK(scene.snapshot({{5, {160.9F, 150, 57.75F}}}) == "");  // too soon
  scene.waits(kSoon);
  CHECK(count(scene.snapshot({{5, {160.9F, 150, 57.75F}}}), "says Pose") == 1);
  scene.waits(kSoon);
  const std::string stopped = scene.snapshot({{5, {160.9F, 150, 57.75F}}});
  CHECK(count(stopped, "says Pose") == 1);
  CHECK_FALSE(has(stopped, "vx"));
  scene.waits(kSoon);
  CHECK(scene.snapshot({{5, {160.9F, 150, 57.75F}}}) == "");
  CHECK(scene.snapshot({{5, {160.9F, 150, 57.75F}}}, {0, 0, 0}) == "");  // ben has not looked anywhere yet
  CHECK(scene.snapshot({}) == "says Hidden unit: 102\n");
  CHECK(scene.snapshot({}) == "");
}

TEST_CASE("aos back: a snapshot of an invalid position, an unknown player or a dead one changes nothing") {
  Scene scene;
  scene.plays();
  const float none = std::numeric_limits<float>::quiet_NaN();
  CHECK(scene.snapshot({{5, {none, 1, 1}}, {6, {100, 100, 50}}, {7, {1e30F, 0, 0}}}) == "");
  scene.snapshot({{5, {160, 150, 57.75F}}});
  CHECK(has(scene.receives(KillAction{5, 3, 1, 9}),
            "says Died player: 101 unit: 102 killer: 1 why: BY_HEADSHOT respawn_s: 9\n"
            "says Score player: 101 wins: 4 losses: 1\n"
            "says Score player: 1 wins: 1\n"));
  scene.waits(kSecond);
  CHECK(scene.snapshot({{5, {170, 150, 57.75F}}}) == "");
  CHECK(has(scene.receives(created(5, 1, 120.5F, 120.5F, "ben")), "says Spawned unit: 102"));
}

TEST_CASE("aos back: reports the keys and tools of others; a held trigger fires at the rate of its gun") {
  Scene scene;
  scene.plays();
  scene.snapshot({{5, {160, 150, 57.75F}}});
  CHECK(scene.receives(InputData{5, 33}) == "says Input unit: 102 bits: 33 tool: 2\n");
  CHECK(scene.receives(SetTool{5, 0}) == "says Input unit: 102 bits: 33\n");
  CHECK(count(scene.receives(WeaponInput{5, 1}), "says Shot") == 0);  // a spade
  scene.receives(WeaponInput{5, 0});
  scene.receives(SetTool{5, 2});
  const std::string shot = scene.receives(WeaponInput{5, 1});
  CHECK(count(shot, "says Shot shooter: 101 unit: 102 shot: 1 kind: RAY") == 1);
  CHECK(has(shot, "range: 200"));
  CHECK(count(scene.waits(1200 * kMillisecond), "says Shot") == 2);
  scene.receives(WeaponInput{5, 0});
  CHECK(count(scene.waits(kSecond), "says Shot") == 0);
}

TEST_CASE("aos back: a player who dies while it fires has released its trigger") {
  Scene scene;
  scene.plays();
  scene.snapshot({{5, {160, 150, 57.75F}}});
  CHECK(has(scene.receives(WeaponInput{5, 1}), "primary: true"));
  scene.receives(KillAction{5, 3, 0, 5});
  CHECK(scene.receives(SetTool{5, 1}) == "says Input unit: 102 tool: 1\n");
}

TEST_CASE("aos back: a wound is from the living player who is nearest to where it came from, never from oneself") {
  Scene scene;
  scene.plays();
  scene.receives(existing(6, 1, "cleo"));
  scene.snapshot({{5, {160.5F, 150.5F, 57.75F}}, {6, {155.5F, 150.5F, 57.75F}}});
  const auto wound_from = [&](float x) { return scene.receives(SetHp{51, 1, {x, 150.5F, 57.75F}}); };
  CHECK(has(wound_from(156), " by: 108 "));
  CHECK(has(wound_from(150), " by: 108 "));
  scene.receives(KillAction{6, 3, 0, 5});
  CHECK(has(wound_from(156), " by: 101 "));
}

TEST_CASE("aos back: wounds, restocks, intel, blocks and talk") {
  Scene scene;
  scene.plays();
  scene.snapshot({{5, {160, 150, 57.75F}}});
  CHECK(has(scene.receives(SetHp{51, 1, {159, 150, 57}}), "says Health unit: 107 now: 51 max: 100 by: 101 from_x:"));
  CHECK_FALSE(has(scene.receives(SetHp{40, 0, {0, 0, 0}}), "by:"));
  CHECK(has(scene.receives(Restock{3}), "says Health unit: 107 now: 100 max: 100\nsays Ammo"));
  CHECK(has(scene.receives(IntelPickup{5}),
            "says TokenTaken token { id: 103 kind: INTEL team: BLUE state: CARRIED "
            "carrier: 101"));
  CHECK(has(scene.receives(IntelDrop{5, {120, 120, 60}}), "says TokenDropped token { id: 103"));
  const std::string won = scene.receives(IntelCapture{5, 1});
  CHECK(has(won, "says TokenCaptured token: 103 by: 101 team: BLUE winning: true\n"));
  CHECK(has(won, "says Score player: 101 wins: 14\n"));
  CHECK(has(won, "says TeamScore team: GREEN wins: 1"));
  CHECK(has(won, "says Round state: OVER winning_team: GREEN\n"));
  CHECK(has(scene.receives(SetColour{5, {0x10, 0x20, 0x30}}), "colour: 3153936"));  // 0x302010
  CHECK(has(scene.receives(BlockAction{5, 0, {160, 150, 59}}),
            "says WorldEdit edit { x: -149.21875 y: 164.84375 z: 3.90625 colour: 3153936 } by: 101\n"));
  CHECK(has(scene.receives(BlockAction{5, 9, {160, 150, 59}}), "loses BlockAction"));
  CHECK(has(scene.receives(BlockAction{5, 1, {-1, 150, 590}}), "loses BlockAction"));
  CHECK(has(scene.receives(BlockLine{5, {160, 150, 59}, {165, 150, 59}}), "op: LINE"));
  ChatMessage chat;
  chat.player = 5;
  chat.text.chars = std::string("hallo \x81") + '\0';
  CHECK(scene.receives(chat) == "says Said from: 101 text: \"hallo \\303\\274\"\n");
  chat.player = 255;
  chat.type = 2;
  CHECK(has(scene.receives(chat), "says Notice text: \"hallo "));
}

StateData territory_control(std::uint8_t count) {
  StateData state = capture_the_flag(3);
  state.mode = 1;
  state.territory_count = count;
  state.territories.resize(16);
  state.territories[1] = {{120, 130, 60}, 1};
  return state;
}

TEST_CASE("aos back: territories are tokens and zones") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  const std::string told = scene.receives(territory_control(2));
  CHECK(has(told, "kind: BASE code: \"territory\" team: GREEN state: GROUND"));
  CHECK(count(told, "says Zone") == 2);
  CHECK(has(scene.receives(ProgressBar{1, 0, 2, 0.25F}), "owner: GREEN capturing: BLUE rate: 0.1 progress: 0.25\n"));
  CHECK(has(scene.receives(TerritoryCapture{1, 1, 0}), "owner: BLUE\nsays TokenCaptured"));
  const auto owner = [&] { return scene.stage.world().tokens().rbegin()->second.team(); };
  CHECK(owner() == words::BLUE);
  scene.receives(MoveObject{1, 1, {120, 130, 60}});
  scene.receives(ProgressBar{1, 0, 2, 0.25F});
  CHECK(owner() == words::GREEN);
  CHECK(has(scene.receives(TerritoryCapture{2, 0, 0}), "loses TerritoryCapture"));
}

TEST_CASE("aos back: tokens that the next map does not have are in state NOWHERE") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  scene.receives(territory_control(3));
  scene.receives(ProgressBar{0, 0, 2, 0.25F});
  const auto tokens = [&](words::Token::State state) {
    std::string kinds;
    for (const auto& [id, token] : scene.stage.world().tokens())
      if (token.state() == state)
        kinds += token.code() == kTerritory ? 'T' : token.kind() == words::Token::BASE ? 'b' : 'i';
    return kinds;
  };
  CHECK(tokens(words::Token::GROUND) == "TTT");
  scene.loads();
  scene.receives(capture_the_flag(3));
  CHECK(tokens(words::Token::NOWHERE) == "TTT");
  CHECK(tokens(words::Token::GROUND) == "iibb");
  CHECK(has(scene.receives(TerritoryCapture{0, 0, 0}), "loses TerritoryCapture.territory: no such territory\n"));
  CHECK(has(scene.receives(ProgressBar{0, 0, 2, 0.25F}), "loses ProgressBar.territory: no such territory\n"));
  scene.loads();
  scene.receives(existing(5, 1, "ben"));
  const std::string told = scene.receives(territory_control(2));
  CHECK(tokens(words::Token::NOWHERE) == "Tiibb");
  CHECK(tokens(words::Token::GROUND) == "TT");
  CHECK_FALSE(has(told, "progress:"));  // no capture has begun
  CHECK(has(scene.receives(MoveObject{2, 0, {120, 130, 60}}), "loses MoveObject.object: no such object\n"));
  CHECK(has(scene.receives(IntelPickup{5}), "loses IntelPickup"));
}

TEST_CASE("aos back: the search for falling blocks is cheap, however large the floating part of the map is") {
  Scene scene;
  scene.comes();
  for (std::int32_t y = 0; y < 512; ++y) scene.receives(BlockLine{5, {0, y, 10}, {511, y, 10}});
  const std::clock_t begun = std::clock();
  for (std::int32_t i = 0; i < 20; ++i) scene.receives(BlockAction{5, kBlast, {20 + 20 * i, 100, 10}});
  CHECK((std::clock() - begun) / CLOCKS_PER_SEC < 20);
}

// -- Moving -----------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: steers by keys and looks, and sends its position once a second, less than 12 blocks apart") {
  Scene scene;
  scene.plays();
  scene.hears(toward(-100, 164.84375));  // 41.5 blocks east
  Vec3 last{};
  int places = 0;
  std::string all;
  for (int i = 0; i < 50; ++i) {
    const std::string did = scene.waits(kSoon);
    all += did;
    const std::size_t at = did.find("sends PositionData position=(");
    if (at == std::string::npos) continue;
    const float x = std::stof(did.substr(at + 29));
    if (++places > 1) CHECK(x - last[0] < 12);
    last[0] = x;
  }
  CHECK(has(all, "sends InputData player=3 keys=129\n"));  // forward, sprinting
  CHECK(has(all, "sends InputData player=3 keys=0\n"));
  CHECK(places >= 4);
  CHECK(places <= 5);
  CHECK(count(all, "sends OrientationData") <= 2);
  CHECK(count(all, "says Pose unit: 107") > 50);
  CHECK(last[0] == doctest::Approx(192).epsilon(0.01));
  scene.waits(2 * kSecond);
  CHECK(scene.waits(5 * kSecond) == "");  // who stands has nothing to say
}

TEST_CASE("aos back: a stalled server is sent no position until some time after it resumes") {
  Scene scene;
  scene.plays();
  const auto send_snapshots = [&](int tenths) {
    std::string all;
    for (int i = 0; i < tenths; ++i) {
      scene.snapshot({{5, {160, 150, 57.75F}}});
      all += scene.waits(kSoon);
    }
    return all;
  };
  scene.hears(toward(0, 164.84375));
  CHECK(count(send_snapshots(45), "sends PositionData") == 4);
  scene.waits(400 * kMillisecond);
  CHECK(count(scene.waits(1400 * kMillisecond), "sends PositionData") == 0);
  CHECK(count(send_snapshots(7), "sends PositionData") == 0);
  CHECK(count(send_snapshots(2), "sends PositionData") == 1);
  CHECK(count(send_snapshots(20), "sends PositionData") >= 1);
  // A server that sends only two snapshots a second looks like one that stalls. It gets a position rarely, but not
  // never.
  std::string all;
  for (int i = 0; i < 22; ++i) {
    scene.snapshot({{5, {160, 150, 57.75F}}});
    all += scene.waits(500 * kMillisecond);
  }
  CHECK(count(all, "sends PositionData") == 1);
}

TEST_CASE("aos back: a position from the server is applied at once, one from a snapshot only if it persists") {
  Scene scene;
  scene.plays();
  const std::string put = scene.receives(PositionData{{120, 120, 57.75F}});
  CHECK(has(put, "says Corrected pose { unit: 107 x: -212.5 y: 212.5"));
  CHECK(has(put, "hard: true (to 1)\n"));
  CHECK(scene.receives(PositionData{{0, 0, 0}}) ==
        "loses PositionData: the player is not in play, or the position is not valid\n");
  scene.waits(2 * kSecond);
  CHECK(scene.snapshot({{3, {121, 120, 57.75F}}}) == "");
  CHECK(scene.snapshot({{3, {125, 120, 57.75F}}}) == "");
  scene.waits(600 * kMillisecond);
  CHECK(has(scene.snapshot({{3, {125, 120, 57.75F}}}), "says Corrected"));
}

TEST_CASE("aos back: a client of the same game is passed on unchanged") {
  Scene scene;
  scene.plays();
  CHECK(scene.hears(keys(1, 0.5)) ==
        "sends OrientationData orientation=(0.87758255 -0.47942555 0)\n"
        "sends InputData player=3 keys=1\n");
  CHECK(scene.hears(keys(1, 0.5)) == "");
  words::PoseClaim claim;
  claim.set_x(-160);
  claim.set_y(160);
  claim.set_z(3.125);
  CHECK(scene.hears(claim) == "sends PositionData position=(153.6 153.6 57.75)\n");
  CHECK(scene.hears(claim) == "loses PoseClaim: more often than servers allow\n");
  words::Trigger trigger;
  trigger.set_primary(true);
  CHECK(scene.hears(trigger) == "sends WeaponInput player=3 buttons=1\n");
  words::HitClaim hit;
  hit.set_victim(101);
  hit.set_part(words::HitClaim::HEAD);
  CHECK(scene.hears(hit) == "sends Hit victim=5 part=1\n");
  words::Tool tool;
  tool.set_number(0);
  CHECK(scene.hears(tool) == "sends SetTool player=3 tool=0\n");
  tool.set_number(9);
  CHECK(has(scene.hears(tool), "loses Tool"));
}

TEST_CASE("aos back: our body follows a player of a faster game, who is corrected when too far ahead") {
  Scene scene;
  scene.plays();
  words::PoseClaim claim;
  claim.set_x(-164.84375 + 10);
  claim.set_y(164.84375);
  scene.hears(claim);
  CHECK(count(scene.waits(kSecond), "sends InputData") >= 1);
  claim.set_x(0);
  scene.hears(claim);
  CHECK(count(scene.waits(3 * kSecond), "says Corrected") == 1);
}

TEST_CASE("aos back: a client whose body cannot follow is corrected, also while snapshots show the body where it is") {
  Scene scene;
  scene.plays();
  for (std::int32_t x = 149; x <= 151; ++x)
    for (std::int32_t y = 149; y <= 151; ++y)
      for (std::int32_t z = 55; z <= 59; ++z)
        if (x != 150 || y != 150) scene.receives(BlockAction{5, 0, {x, y, z}});
  words::PoseClaim claim;
  claim.set_x(0);
  claim.set_y(164.84375);
  std::string said = scene.hears(claim);
  for (int i = 0; i < 10; ++i) {
    said += scene.snapshot({{3, {150.5F, 150.5F, 57.75F}}});
    said += scene.waits(100 * kMillisecond);
  }
  CHECK(count(said, "says Corrected") == 1);
}

TEST_CASE("aos back: a claim that moves upwards makes the body jump once") {
  Scene scene;
  scene.plays();
  words::PoseClaim claim;
  claim.set_x(-164.84375);
  claim.set_y(164.84375);
  claim.set_z(6);
  claim.set_vz(15);
  scene.hears(claim);
  const std::string jumps = scene.waits(kSecond);
  CHECK(count(jumps, "sends InputData player=3 keys=16") == 1);
  CHECK(has(jumps, "state: 1"));  // falling
  claim.set_vz(-5);
  scene.hears(claim);
  CHECK(has(scene.waits(kSecond), "sends InputData player=3 keys=0"));
}

// -- Tools ------------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a shot turns, pulls the trigger, hits the player on its ray, and releases the trigger") {
  Scene scene;
  scene.plays();
  scene.snapshot({{5, {160.5F, 150.5F, 57.75F}}});
  const std::string shot = scene.hears(fire_along(0));
  CHECK(has(shot, "sends WeaponInput player=3 buttons=1\nsends Hit victim=5 part=1\n"));
  CHECK(has(shot, "says Shot shooter: 1 unit: 107 shot: 1 kind: RAY"));
  CHECK(has(shot, "says Ammo player: 1 clip: 9 reserve: 50"));
  CHECK(has(scene.hears(fire_along(0)), "loses Fire: the gun is not ready for the next shot\n"));
  CHECK(has(scene.waits(kSoon), "sends WeaponInput player=3 buttons=0\n"));
  scene.waits(kSecond);
  scene.snapshot({{5, {160.5F, 150.5F, 57.75F}}});
  CHECK_FALSE(has(scene.hears(fire_along(1)), "sends Hit"));  // aside
  scene.waits(kSecond);
  scene.receives(BlockAction{5, 0, {155, 150, 57}});
  scene.receives(BlockAction{5, 0, {155, 150, 58}});
  scene.snapshot({{5, {160.5F, 150.5F, 57.75F}}});
  CHECK_FALSE(has(scene.hears(fire_along(0)), "sends Hit"));  // a wall
}

TEST_CASE("aos back: there is no automatic aim without aim=auto") {
  for (const bool automatic : {false, true}) {
    Scene scene(0, {{"aim", automatic ? "auto" : "off"}});
    scene.plays();
    scene.snapshot({{5, {160.5F, 155.5F, 57.75F}}});  // 27 degrees off
    CHECK(has(scene.hears(fire_along(0)), "sends Hit victim=5") == automatic);
  }
}

TEST_CASE("aos back: an empty clip is reloaded, and full when the server says so") {
  Scene scene;
  scene.plays();
  std::string all;
  for (int i = 0; i < 10; ++i) {
    all += scene.hears(fire_along(0));
    all += scene.waits(600 * kMillisecond);
  }
  CHECK(count(all, "sends WeaponInput player=3 buttons=1") == 10);
  CHECK(count(all, "sends WeaponReload player=3 clip=0 reserve=50") == 1);
  CHECK(scene.hears(fire_along(0)) == "loses Fire: the gun is being reloaded\nsays ShotEnded shooter: 1 (to 1)\n");
  CHECK(has(scene.receives(WeaponReload{3, 10, 40}), "says Ammo player: 1 clip: 10 reserve: 40"));
  CHECK(has(scene.hears(fire_along(0)), "sends WeaponInput player=3 buttons=1"));
}

TEST_CASE("aos back: a player without rounds is told where to find more; a restock is loaded automatically") {
  Scene scene;
  scene.plays();
  scene.receives(WeaponReload{3, 1, 0});
  CHECK(has(scene.hears(fire_along(0)), "sends WeaponInput player=3 buttons=1"));
  scene.waits(kSecond);
  std::string all;
  for (int i = 0; i < 20; ++i) {
    const std::string said = scene.hears(fire_along(0));
    CHECK(has(said, "loses Fire: no rounds left\nsays ShotEnded shooter: 1 (to 1)\n"));
    all += said + scene.waits(kSecond);
  }
  CHECK(count(all,
              "says Notice level: WARNING text: \"no rounds left: get more at your side\\'s tent, 70 metres to the "
              "west, or in your next life\" (to 1)") == 2);
  CHECK_FALSE(core::is_wish(drops::kNoRounds, nullptr));  // so the room does not tell it again
  CHECK(count(all, "sends WeaponInput player=3 buttons=1") == 0);
  CHECK(has(scene.receives(Restock{3}), "sends WeaponReload player=3 clip=0 reserve=50"));
  CHECK(has(scene.receives(WeaponReload{3, 10, 40}), "says Ammo player: 1 clip: 10 reserve: 40"));
  CHECK(has(scene.hears(fire_along(0)), "sends WeaponInput player=3 buttons=1"));
}

TEST_CASE("aos back: players of a team that is no side are spectators, our own, too") {
  for (const int number : {2, 4, 7, 254, 255}) {
    CAPTURE(number);
    const auto team = static_cast<std::uint8_t>(number);
    Scene scene;
    scene.comes();
    scene.hears(anna());
    scene.hears(words::Spawn());
    const std::string said = scene.receives(created(3, team, 150.5F, 150.5F, "anna"));
    CHECK(has(said, "role: WATCH"));
    CHECK_FALSE(has(said, "says Spawned"));
    scene.receives(WeaponReload{3, 0, 0});
    CHECK(has(scene.hears(fire_along(0)), "loses Fire: the player is not in play"));
    CHECK(has(scene.receives(existing(6, team, "cleo")), "role: WATCH"));
    CHECK_FALSE(has(scene.receives(created(6, team, 150.5F, 150.5F, "cleo")), "says Unit "));
  }
}

TEST_CASE("aos back: a trigger held on an empty gun counts no losses, and fires once there are rounds") {
  Scene scene;
  scene.plays();
  scene.receives(WeaponReload{3, 1, 10});
  words::Trigger trigger;
  trigger.set_primary(true);
  std::string all = scene.hears(trigger) + scene.waits(3 * kSecond);
  CHECK(count(all, "sends WeaponInput player=3 buttons=1") == 1);
  CHECK(count(all, "sends WeaponReload player=3 clip=0 reserve=10") == 1);
  CHECK(count(all, "loses Fire") == 0);
  scene.receives(WeaponReload{3, 10, 0});
  CHECK(has(scene.waits(kSecond), "sends WeaponInput player=3 buttons=1"));
}

TEST_CASE("aos back: what a server ignores is counted, and its player is told once") {
  const std::string late = ": the server did not answer in time\n";
  const auto told = [](const std::string& text) {
    return "says Notice level: WARNING text: \"" + text + "\" (to 1)\n";
  };
  const auto silence = [](Scene& scene, core::Micros span) {
    const std::string said = scene.waits(span);
    std::string found;
    for (std::size_t at = 0; at < said.size(); at = said.find('\n', at) + 1)
      if (const std::string line = said.substr(at, said.find('\n', at) + 1 - at);
          line.starts_with("loses") || line.starts_with("says Notice"))
        found += line;
    return found;
  };
  Scene scene;
  scene.plays();
  words::Edit edit;
  edit.set_x(-160);
  edit.set_y(160);
  edit.set_z(4);
  scene.hears(edit);
  CHECK(silence(scene, 2 * kSecond) == "loses Edit" + late + told("the server has not changed the block"));
  scene.hears(edit);
  scene.receives(BlockAction{3, 0, {153, 153, 59}});
  CHECK(silence(scene, 3 * kSecond) == "");
  words::Change side;
  side.set_team(words::GREEN);
  scene.hears(side);
  CHECK(silence(scene, 3 * kSecond) ==
        "loses Change" + late + told("the server has not changed your name, team or weapon"));
  scene.hears(side);
  scene.receives(KillAction{3, 3, 5, 2});
  CHECK(silence(scene, 6 * kSecond) == "");  // the server creates the player within seven seconds
  CHECK(silence(scene, 2 * kSecond) ==
        "loses Spawn" + late + told("the server has not put you into play; it is asked again"));
  CHECK(silence(scene, 5 * kSecond) == "loses Spawn" + late);
  scene.receives(created(3, 1, 150, 150, "anna"));
  CHECK(silence(scene, 60 * kSecond) == "");
}

TEST_CASE("aos back: builds and throws no faster than servers allow") {
  Scene scene;
  scene.plays();
  words::Edit edit;
  edit.set_x(-160);
  edit.set_y(160);
  edit.set_z(4);
  edit.set_colour(0x102030);
  CHECK(scene.hears(edit) ==
        "sends SetTool player=3 tool=1\n"
        "sends SetColour player=3 colour=(48 32 16)\n"
        "sends BlockAction player=3 action=0 at=(153 153 59)\n");
  CHECK(has(scene.hears(edit), "loses Edit: the player builds faster than servers allow"));
  scene.waits(200 * kMillisecond);
  edit.set_op(words::Edit::BLAST);
  CHECK(has(scene.hears(edit), "loses Edit: only the server's own grenades destroy blocks\n"));
  words::Fire grenade = fire_along(0);
  grenade.set_kind(words::GRENADE);
  grenade.set_vx(1e9);
  grenade.set_life(10);
  const std::string thrown = scene.hears(grenade);
  CHECK(has(thrown, "sends SetTool player=3 tool=3\nsends Grenade player=3 fuse=3"));
  CHECK(has(thrown, "velocity=(2 0 0)"));
  CHECK(has(scene.hears(grenade), "loses Fire: the player throws grenades faster than the game allows"));
  scene.waits(kSecond);
  grenade.set_x(std::numeric_limits<double>::quiet_NaN());
  CHECK(has(scene.hears(grenade), "loses Fire: a number is not finite"));
}

TEST_CASE("aos back: builds and throws in the first moment of a session") {
  Scene scene;
  scene.comes();
  scene.hears(anna());
  scene.hears(words::Spawn());
  scene.receives(created(3, 0, 150.5F, 150.5F, "anna"));
  words::Edit edit;
  edit.set_x(-160);
  edit.set_y(160);
  edit.set_z(4);
  CHECK(has(scene.hears(edit), "sends BlockAction player=3 action=0 at=(153 153 59)"));
  words::Fire grenade = fire_along(0);
  grenade.set_kind(words::GRENADE);
  grenade.set_life(2);
  CHECK(has(scene.hears(grenade), "sends Grenade player=3 fuse=2"));
}

TEST_CASE("aos back: blocks get the colour that was asked for in each life") {
  Scene scene;
  scene.plays();
  words::Edit edit;
  edit.set_x(-160);
  edit.set_y(160);
  edit.set_z(4);
  edit.set_colour(0x102030);
  const std::string colour = "sends SetColour player=3 colour=(48 32 16)\n";
  CHECK(has(scene.hears(edit), colour));
  scene.waits(kSecond);
  CHECK_FALSE(has(scene.hears(edit), colour));
  scene.receives(KillAction{3, 5, 1, 2});
  scene.receives(created(3, 0, 150.5F, 150.5F, "anna"));  // from here on, everybody draws its blocks in grey
  scene.waits(kSecond);
  CHECK(has(scene.hears(edit), colour));

  scene.receives(created(5, 1, 160.5F, 150.5F, "ben"));
  scene.receives(SetColour{5, {0x10, 0x20, 0x30}});
  CHECK(has(scene.receives(BlockAction{5, 0, {160, 150, 59}}), "colour: 3153936 "));
  scene.receives(created(5, 1, 160.5F, 150.5F, "ben"));
  CHECK(has(scene.receives(BlockAction{5, 0, {160, 150, 58}}), "colour: 7303023 "));
}

TEST_CASE("aos back: a spell as a spectator leaves the rules of the next life as they should be") {
  Scene scene;
  scene.plays();
  words::PoseClaim claim;
  claim.set_x(0);
  claim.set_y(164.84375);
  std::string said = scene.hears(claim);
  said += scene.waits(400 * kMillisecond);
  CAPTURE(said);
  CHECK(has(said, "says Rule name: \"speed\" value: \"4.6875\"\n"));
  scene.receives(KillAction{3, 3, 5, 2});
  CHECK(has(scene.receives(created(3, 255, 150, 150, "anna")), "says Rule name: \"speed\" value: \"12.34375\"\n"));
  CreatePlayer armed = created(3, 0, 150.5F, 150.5F, "anna");
  armed.weapon = 1;
  CHECK(has(scene.receives(armed), "says Rule name: \"reload\" value: \"0.12\"\n"));
  scene.receives(created(3, 255, 150, 150, "anna"));
  armed.weapon = 0;
  CHECK(has(scene.receives(armed), "says Rule name: \"reload\" value: \"0.6\"\n"));
}

TEST_CASE("aos back: a player who wants to watch becomes a spectator, and joins a side when it wants to play") {
  Scene scene;
  scene.plays();
  words::Watch watch;
  watch.set_mode(words::Watch::ROAM);
  CHECK(has(scene.hears(watch), "sends ChangeTeam player=3 team=255\n"));
  scene.receives(KillAction{3, 3, 5, 2});
  scene.receives(created(3, 255, 150, 150, "anna"));
  CHECK_FALSE(has(scene.hears(watch), "sends "));
  words::Change change;
  change.set_team(words::GREEN);
  change.set_kit(2);
  CHECK(
      has(scene.hears(change),
          "sends ChangeWeapon player=3 weapon=1\nsends ChangeTeam player=3 team=1\n"));  // a weapon would kill it later
  CHECK_FALSE(has(scene.waits(10 * kSecond), "loses Change"));                           // it waits for its spawn
  scene.receives(created(3, 1, 150.5F, 150.5F, "anna"));
  change.Clear();
  change.set_team(words::TEAM_ANY);
  CHECK_FALSE(has(scene.hears(change), "sends "));  // stays where it is

  Scene watcher;
  watcher.comes();
  watcher.hears(anna(words::WATCH));
  watcher.receives(created(3, 255, 100, 100, "anna"));
  watch.set_mode(words::Watch::STOP);
  CHECK(has(watcher.hears(watch), "sends ChangeTeam player=3 team=0\n"));
}

TEST_CASE("aos back: text outside CP437 is sent as UTF-8 behind a mark, and in 0.80, which has no such mark, as '?'") {
  words::Say say;
  say.set_text("\xe2\x98\x83");
  Scene scene;
  scene.plays();
  CHECK(has(scene.hears(say), "text=\"\\xff\\xe2\\x98\\x83\"\n"));
  Scene newer(2);
  newer.plays();
  CHECK(has(newer.hears(say), "sends ChatMessage player=3 type=0 text=\"?\"\n"));
}

TEST_CASE("aos back: chats no faster than servers allow") {
  Scene scene;
  scene.plays();
  words::Say say;
  say.set_text("hello");
  std::string all;
  for (int i = 0; i < 6; ++i) all += scene.hears(say);
  CHECK(count(all, "sends ChatMessage player=3 type=0 text=\"hello\"") == 1);
  CHECK(count(scene.waits(5 * kSecond), "sends ChatMessage") == 3);  // 4 in 10 s
  CHECK(count(scene.waits(10 * kSecond), "sends ChatMessage") == 2);
  for (const auto few : {words::Say::ONE, words::Say::MODERATORS, words::Say::SERVER}) {
    say.set_scope(few);
    CHECK(scene.hears(say) == "loses Say: chat can reach only everybody or the own team\n");
  }
  scene.waits(20 * kSecond);
  say.set_kind(words::Say::COMMAND);
  say.set_text("/login " + std::string(90, 'x'));
  CHECK(scene.hears(say) == "loses Say: the command is longer than the server accepts\n");
  say.set_text("/login admin sesame");
  CHECK(has(scene.hears(say), "sends ChatMessage player=3 type=0 text=\"/login admin sesame\""));
}

TEST_CASE("aos back: intents without a meaning in the game are counted by reason") {
  Scene scene;
  scene.plays();
  CHECK(scene.hears(words::Pause()) == "loses Pause: the game has no pause\n");
  CHECK(scene.hears(words::TokenWish()) == "");
  CHECK(has(scene.hears(words::DeathClaim()), "loses DeathClaim: "));
}

// -- 0.80 -------------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: 0.80 sends a State Update each step by datagram: 108 bytes in motion, 72 at rest") {
  Scene scene(2);
  scene.plays();
  scene.hears(toward(-100, 164.84375));
  const std::string moving = scene.waits(kSecond);
  CHECK(count(moving, "sends by datagram StateUpdate") == 60);
  CHECK(has(moving, "still=0 now="));
  CHECK_FALSE(has(moving, "still=1"));
  CHECK(count(moving, "sends PositionData") + count(moving, "sends InputData") == 0);
  StateUpdateDown update;
  update.sequence = 7;
  PlayerState state;
  state.player = 5;
  state.input = 1;
  state.motion = {{160, 150, 57.75F}, {1, 0, 0}, {0.25F, 0, 0}};
  update.players = {state};
  const std::string shown = scene.receives(update, Lane::kDatagram);
  CHECK(has(shown, "says Input unit: 102 bits: 1"));
  CHECK(has(shown, "says Spawned unit: 102"));
  CHECK(has(scene.receives(update, Lane::kDatagram), "loses StateUpdate: a newer one arrived first"));
  update.sequence = 8;
  update.players[0].motion.position[0] = 161;
  scene.waits(kSoon);
  CHECK(has(scene.receives(update, Lane::kDatagram), "vx: 12.5"));
  update.sequence = 9;
  update.players[0].still = true;
  CHECK_FALSE(has(scene.receives(update, Lane::kDatagram), "vx"));
}

TEST_CASE("aos back: 0.80 sends the new look before a shot, and a full state at the start of a life") {
  Scene scene(2);
  scene.plays();
  scene.waits(kSecond);
  CHECK(has(scene.waits(kSecond), "still=1"));
  const std::string shot = scene.hears(fire_along(2));
  CHECK(shot.find("sends by datagram StateUpdate") < shot.find("sends WeaponInput"));
  scene.waits(kSecond);
  scene.receives(KillAction{3, 5, 1, 9});
  CreatePlayer back;
  back.player = 3;
  back.team = 1;
  back.position = {40, 40, 60};
  std::string again = scene.receives(back);
  again += scene.waits(kSecond / 10);
  const auto first = again.find("sends by datagram StateUpdate");
  REQUIRE(first != std::string::npos);
  CHECK(has(again.substr(first, again.find('\n', first) - first), "still=0"));
}

}  // namespace
}  // namespace entente::aos::back_play_test
