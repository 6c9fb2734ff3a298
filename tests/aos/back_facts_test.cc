// What our client of an Ace of Spades server tells the room, packet by packet.
#include <doctest/doctest.h>

#include <limits>

#include "adapters/aos/wire/conversions.h"
#include "tests/aos/back_stage.h"

namespace entente::aos::back_facts_test {
namespace {

using core::kMillisecond, core::kSecond;

constexpr core::Micros kSoon = 100 * kMillisecond;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

/// In play, with ben, number 5, in play at that place. His player is 101, his unit 102; ours are 1 and 107.
struct Game : Scene {
  explicit Game(std::size_t which = 0) : Scene(which) {
    plays();
    receives(created(5, 1, 160.5F, 150.5F, "ben"));
    waits(kSoon);
  }
  /// Another player in play; 108 is the first one's player, 109 its unit.
  std::string joins(std::uint8_t number, std::uint8_t team, float x, const char* name) {
    return receives(created(number, team, x, 150.5F, name));
  }
};

ChatMessage line(std::uint8_t player, std::uint8_t type, const char* text) {
  ChatMessage chat;
  chat.player = player;
  chat.type = type;
  chat.text.chars = std::string(text) + '\0';
  return chat;
}

// -- Who is there -----------------------------------------------------------------------------------------------------

TEST_CASE("aos back: who leaves is gone with its unit; its number may become another player's") {
  Game game;
  CHECK(game.receives(PlayerLeft{5}) == "says Gone unit: 102\nsays PlayerGone id: 101\n");
  CHECK(game.receives(PlayerLeft{5}) == "loses PlayerLeft.player: no player has that number\n");
  CHECK(game.receives(PlayerLeft{3}) == "loses PlayerLeft: it is the player of this session\n");
  const std::string next = game.joins(5, 0, 160.5F, "cleo");
  CHECK(has(next, "says Player id: 108 name: \"cleo\" team: BLUE "));
  CHECK(has(next, "says Unit id: 109 owner: 108 "));
  CHECK(has(game.receives(InputData{5, 1}), "says Input unit: 109 bits: 1 "));
}

TEST_CASE("aos back: a spectator who leaves has no unit that could be gone") {
  Game game;
  game.receives(existing(6, 255, "cleo"));
  CHECK(game.receives(PlayerLeft{6}) == "says PlayerGone id: 108\n");
}

TEST_CASE("aos back: players who leave while the map loads are never reported") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  scene.receives(existing(5, 1, "ben"));
  scene.receives(existing(6, 1, "cleo"));
  CHECK(scene.receives(PlayerLeft{5}) == "");
  const std::string told = scene.receives(capture_the_flag(3));
  CHECK(has(told, "name: \"cleo\""));
  CHECK_FALSE(has(told, "ben"));
}

TEST_CASE("aos back: a player has a unit only while it is on a side") {
  Game game;
  const std::string watches = game.receives(existing(6, 255, "cleo"));
  CHECK(has(watches, "says Player id: 108 name: \"cleo\" role: WATCH kit: 1 "));
  CHECK_FALSE(has(watches, "says Unit"));
  const std::string plays = game.joins(6, 1, 170.5F, "cleo");
  CHECK(has(plays, "says Player id: 108 name: \"cleo\" team: GREEN kit: 1 "));
  CHECK(has(plays, "says Unit id: 109 owner: 108 "));
  CHECK(has(plays, "says Spawned unit: 109 "));
  const std::string again = game.joins(6, 255, 170.5F, "cleo");
  CHECK(again.starts_with("says Gone unit: 109\nsays Player id: 108 name: \"cleo\" role: WATCH "));
  CHECK_FALSE(has(again, "says Spawned"));
  CHECK(game.snapshot({{5, {160.5F, 150.5F, 57.6F}}, {6, {171, 150, 57.75F}}}) == "");
  CHECK(has(game.joins(6, 0, 170.5F, "cleo"), "says Unit id: 110 owner: 108 "));
}

TEST_CASE("aos back: a player who is created again as before is only spawned; a new weapon or side is told first") {
  Game game;
  CHECK(game.joins(5, 1, 170.5F, "ben").starts_with("says Spawned unit: 102 pose { unit: 102 x: -133.59375 "));
  CreatePlayer armed = created(5, 1, 160.5F, 150.5F, "ben");
  armed.weapon = 2;
  CHECK(has(game.receives(armed), "says Player id: 101 name: \"ben\" team: GREEN kit: 3 "));
  armed.team = 0;
  const std::string changed = game.receives(armed);
  CHECK(has(changed, "says Player id: 101 name: \"ben\" team: BLUE kit: 3 "));
  CHECK(has(changed, "says Unit id: 102 owner: 101 kind: MAN model: 3 team: BLUE "));
  armed.name.chars = "";  // some servers send the name only once
  CHECK_FALSE(has(game.receives(armed), "says Player"));
}

TEST_CASE("aos back: a player who is created outside the map is not in play there") {
  Game game;
  CreatePlayer lost = created(5, 1, kNone, 150.5F, "ben");
  CHECK(game.receives(lost) == "loses CreatePlayer.position: the position is outside the map\n");
  lost.position = {9000, 9000, 9000};
  CHECK(game.receives(lost) == "loses CreatePlayer.position: the position is outside the map\n");
}

TEST_CASE("aos back: a life begins without the keys, buttons and tools of the last one") {
  Game game;
  game.receives(InputData{5, 33});
  CHECK(count(game.receives(WeaponInput{5, 1}), "says Shot") == 1);
  game.joins(5, 1, 160.5F, "ben");
  CHECK(count(game.waits(2 * kSecond), "says Shot") == 0);
  CHECK(has(game.snapshot({{5, {161, 150.5F, 57.75F}}}), "says Pose unit: 102 "));
  CHECK(game.receives(WeaponInput{5, 0}) == "says Input unit: 102 tool: 2\n");
  game.receives(SetTool{5, 0});
  game.joins(5, 1, 160.5F, "ben");
  CHECK(count(game.receives(WeaponInput{5, 1}), "says Shot") == 1);  // it has its gun in its hand again
  game.receives(KillAction{5, 3, 0, 5});
  CHECK(count(game.waits(2 * kSecond), "says Shot") == 0);
}

TEST_CASE("aos back: the server's packet about our own player as one who was there before is not taken for another") {
  Game game;
  CHECK(game.receives(existing(3, 0, "anna")) == "loses ExistingPlayer: it is the player of this session\n");
}

// -- Deaths and wounds ------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a death counts for both, a suicide only for the dead, and an unknown killer is nobody") {
  Game game;
  CHECK(game.receives(KillAction{5, 5, kByFall, 3}) ==
        "says Died player: 101 unit: 102 why: BY_FALL respawn_s: 3\nsays Score player: 101 wins: 4 losses: 1\n");
  game.joins(5, 1, 160.5F, "ben");
  CHECK(game.receives(KillAction{5, 9, 0, 0}) ==
        "says Died player: 101 unit: 102 why: BY_SHOT\nsays Score player: 101 wins: 4 losses: 2\n");
  game.joins(5, 1, 160.5F, "ben");
  game.receives(KillAction{5, 3, 0, 0});
  game.joins(5, 1, 160.5F, "ben");
  CHECK(game.receives(KillAction{5, 3, 0, 0}).ends_with("says Score player: 1 wins: 2\n"));
  CHECK(game.receives(KillAction{9, 5, 0, 0}) == "loses KillAction.victim: no player has that number\n");
  game.receives(existing(6, 255, "cleo"));
  CHECK(game.receives(KillAction{6, 5, 0, 0}) == "");  // a spectator was not alive
}

TEST_CASE("aos back: a dead player is not revived by a late snapshot, and one who was not created yet is") {
  Game game;
  game.receives(KillAction{5, 3, 0, 0});
  game.waits(kSecond);
  CHECK(game.snapshot({{5, {161, 150, 57.75F}}}) == "");
  CHECK(game.snapshot({}) == "");  // nobody is hidden who is dead
  game.receives(existing(6, 1, "cleo"));
  CHECK(has(game.snapshot({{6, {170, 150, 57.75F}}}), "says Spawned unit: 109 "));
}

TEST_CASE("aos back: a wound is by the nearest living player around its source, as far as can be seen") {
  Game game;
  game.joins(6, 1, 170.5F, "cleo");
  const auto by = [&](float x, std::uint8_t cause = kHurtByWeapon) {
    const std::string said = game.receives(SetHp{51, cause, {x, 150.5F, 57.6F}});
    CHECK(count(said, "says Health unit: 107 now: 51 max: 100 ") == 1);
    return has(said, " by: 101 ") ? 5 : has(said, " by: 108 ") ? 6 : has(said, " by: ") ? -1 : 0;
  };
  CHECK(by(164) == 5);
  CHECK(by(167) == 6);
  CHECK(by(150.5F) == 5);  // where we are ourselves
  CHECK(by(170.5F, kHurtByFall) == 0);
  CHECK(by(170.5F + 127) == 6);
  CHECK(by(170.5F + 129) == 0);
  game.receives(KillAction{6, 6, 0, 0});
  CHECK(by(170.5F) == 5);
  const std::string nowhere = game.receives(SetHp{20, kHurtByWeapon, {kNone, 0, 0}});
  CHECK(nowhere == "says Health unit: 107 now: 20 max: 100\n");
}

TEST_CASE("aos back: health and ammunition of a player without a unit are not taken") {
  Scene scene;
  scene.comes();
  CHECK(scene.receives(SetHp{51, 1, {}}) == "loses SetHp: the player is not in play\n");
  CHECK(scene.receives(Restock{3}) == "loses Restock: it is for another player, or the player is not in play\n");
  scene.hears(anna());
  scene.hears(words::Spawn());
  scene.receives(created(3, 255, 150.5F, 150.5F, "anna"));
  CHECK(scene.receives(SetHp{51, 1, {}}) == "loses SetHp: the player is not in play\n");
  CHECK(scene.receives(Restock{3}) == "loses Restock: it is for another player, or the player is not in play\n");
  Game game;
  CHECK(game.receives(Restock{5}) == "loses Restock: it is for another player, or the player is not in play\n");
}

TEST_CASE("aos back: another player's reload is its ammunition; one of nobody is lost") {
  Game game;
  CHECK(game.receives(WeaponReload{5, 4, 40}) == "says Ammo player: 101 clip: 4 reserve: 40\n");
  CHECK(game.receives(WeaponReload{9, 4, 40}) == "loses WeaponReload.player: no player has that number\n");
  CHECK(game.receives(WeaponReload{3, 7, 30}) ==
        "says Ammo player: 1 clip: 7 reserve: 30 blocks: 50 grenades: 3 (to 1)\n");
}

// -- What they do -----------------------------------------------------------------------------------------------------

TEST_CASE("aos back: what the server repeats of our own keys, buttons and tools is not told") {
  Game game;
  CHECK(game.receives(InputData{3, 1}) == "");
  CHECK(game.receives(WeaponInput{3, 1}) == "");
  CHECK(game.receives(SetTool{3, 0}) == "");
  CHECK(count(game.waits(2 * kSecond), "says Shot") == 0);
  for (const std::string& said :
       {game.receives(InputData{9, 1}), game.receives(WeaponInput{9, 1}), game.receives(SetTool{9, 0})})
    CHECK(said == "");  // nobody's
}

TEST_CASE("aos back: buttons are told as such, only the first one shoots, and shots are counted") {
  Game game;
  CHECK(game.receives(WeaponInput{5, 2}) == "says Input unit: 102 tool: 2 secondary: true\n");
  const std::string shot = game.receives(WeaponInput{5, 0xff});
  CHECK(shot.starts_with("says Input unit: 102 tool: 2 primary: true secondary: true\nsays Shot "));
  CHECK(has(shot, " shot: 1 "));
  CHECK(count(game.receives(WeaponInput{5, 3}), "says Shot") == 0);  // it is still held
  game.receives(WeaponInput{5, 2});
  CHECK(has(game.receives(WeaponInput{5, 3}), " shot: 2 "));
}

TEST_CASE("aos back: a shot of another player goes where it looks, and is its team's") {
  Game game;
  game.snapshot({{5, {160.5F, 150.5F, 57.75F}}}, {0.48F, 0.64F, -0.6F});
  const std::string shot = game.receives(WeaponInput{5, 1});
  CHECK(has(shot, " kind: RAY "));
  CHECK(has(shot, " vx: 0.47"));
  CHECK(has(shot, " vy: -0.63"));
  CHECK(has(shot, " vz: 0.60"));
  CHECK(has(shot, " team: GREEN"));
}

TEST_CASE("aos back: a grenade flies as a shot of its thrower, with its fuse; an invalid one is lost") {
  Game game;
  CHECK(game.receives(Grenade{5, 2.5F, {160, 150, 58}, {1, 0, -0.5F}}) ==
        "says Shot shooter: 101 unit: 102 shot: 1 kind: GRENADE x: -150 y: 165.625 z: 6.25 vx: 50 vz: 25 life: 2.5 "
        "team: GREEN\n");
  CHECK(game.receives(Grenade{9, 2.5F, {160, 150, 58}, {}}) == "loses Grenade.player: no player has that number\n");
  CHECK(count(game.receives(Grenade{5, 0, {160, 150, 58}, {}}), "says Shot ") == 1);  // it explodes at once
  CHECK(count(game.receives(Grenade{5, 60, {160, 150, 58}, {}}), "says Shot ") == 1);
  const char* const lost = "loses Grenade: the position, speed or time is not valid\n";
  CHECK(game.receives(Grenade{5, -1, {160, 150, 58}, {}}) == lost);
  CHECK(game.receives(Grenade{5, 61, {160, 150, 58}, {}}) == lost);
  CHECK(game.receives(Grenade{5, kNone, {160, 150, 58}, {}}) == lost);
  CHECK(game.receives(Grenade{5, 2, {kNone, 150, 58}, {}}) == lost);
  CHECK(game.receives(Grenade{5, 2, {160, 150, 58}, {kNone, 0, 0}}) == lost);
}

TEST_CASE("aos back: 0.76 snapshots name their players, in any order") {
  Scene scene(1);
  scene.plays();
  WorldUpdate update;
  update.players = {{9, {}, {}}, {5, {160, 150, 57.75F}, {1, 0, 0}}};
  CHECK(has(scene.receives(update, Lane::kDatagram), "says Spawned unit: 102 pose { unit: 102 x: -150 "));
}

TEST_CASE("aos back: a pose has no velocity after a pause, after a leap, and when its player becomes visible") {
  Game game;
  const auto moves = [&](float x) { return game.snapshot({{5, {x, 150.5F, 57.75F}}}); };
  moves(161);
  game.waits(kSoon);
  CHECK(has(moves(161.8F), " vx: 12.5"));
  game.waits(600 * kMillisecond);
  CHECK_FALSE(has(moves(162.6F), " vx:"));  // it may have stood for most of that time
  game.waits(kSoon);
  const std::string leap = moves(190);
  CHECK(has(leap, "says Pose unit: 102 x: -103.125 "));
  CHECK_FALSE(has(leap, " vx:"));
  game.waits(kSoon);
  CHECK(game.snapshot({}) == "says Hidden unit: 102\n");
  game.waits(kSoon);
  const std::string seen = moves(190.8F);
  CHECK(has(seen, "says Pose unit: 102 "));
  CHECK_FALSE(has(seen, " vx:"));
  game.waits(kSoon);
  CHECK(count(moves(191.6F), "says Pose") == 1);  // its last place is known again
}

TEST_CASE("aos back: a turned head is a pose, too, at the same place") {
  Game game;
  game.snapshot({{5, {160.5F, 150.5F, 57.6F}}});
  game.waits(kSoon);
  const std::string turned = game.snapshot({{5, {160.5F, 150.5F, 57.6F}}}, {0, -1, 0});
  CHECK(count(turned, "says Pose unit: 102 ") == 1);
  CHECK(has(turned, " yaw: 1.5707963"));
}

TEST_CASE("aos back: in 0.80 a still player is told once, and new keys as they come, but never our own") {
  Scene scene(2);
  scene.plays();
  StateUpdateDown update;
  const auto tells = [&](std::uint32_t sequence, const PlayerState& state) {
    update.sequence = sequence;
    update.players = {state};
    return scene.receives(update, Lane::kDatagram);
  };
  const PlayerState moving{5, 1, false, {{160, 150, 57.75F}, {1, 0, 0}, {0.25F, 0, 0}}};
  PlayerState still = moving;
  still.still = true;
  tells(1, moving);
  scene.waits(kSoon);
  CHECK(tells(2, still) == "says Pose unit: 102 x: -150 y: 165.625 z: 3.125\n");
  CHECK(tells(3, still) == "");
  still.input = 9;
  CHECK(has(tells(4, still), "says Input unit: 102 bits: 9 "));
  PlayerState nobody = moving;
  nobody.player = 9;
  CHECK(tells(5, nobody) == "");
  PlayerState ours = still;
  ours.player = 3;
  CHECK(tells(6, ours) == "");
  CHECK(tells(0xffffffff, moving) == "loses StateUpdate: a newer one arrived first\n");
  scene.loads();  // the next map counts from the beginning
  scene.receives(existing(5, 1, "ben"));
  scene.receives(capture_the_flag(3));
  CHECK(has(tells(1, moving), "says Spawned unit: "));
}

TEST_CASE("aos back: snapshots before the map is loaded say nothing") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  scene.receives(existing(5, 1, "ben"));
  CHECK(scene.snapshot({{5, {160, 150, 57.75F}}}) == "");
}

// -- The world --------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: blocks have the colour of their builder, and the server's have none") {
  Game game;
  game.receives(SetColour{5, {0x10, 0x20, 0x30}});
  CHECK(game.receives(BlockAction{5, kDestroy, {160, 150, 61}}) ==
        "says WorldEdit edit { op: DIG x: -149.21875 y: 164.84375 z: 0.78125 colour: 3153936 } by: 101\n");
  CHECK(game.receives(BlockAction{32, kBuild, {160, 150, 59}}) ==
        "says WorldEdit edit { x: -149.21875 y: 164.84375 z: 3.90625 }\n");
  CHECK(game.receives(BlockLine{32, {160, 150, 58}, {161, 150, 58}}) ==
        "says WorldEdit edit { op: LINE x: -149.21875 y: 164.84375 z: 5.46875 x2: -147.65625 y2: 164.84375 z2: 5.46875 "
        "}\n");
  CHECK(has(game.receives(BlockLine{5, {160, 150, 57}, {161, 150, 57}}), "colour: 3153936 } by: 101\n"));
  CHECK(game.receives(SetColour{9, {1, 2, 3}}) == "loses SetColour.player: no player has that number\n");
}

TEST_CASE("aos back: changes of a map that is not loaded, or outside it, are lost") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  CHECK(scene.receives(BlockAction{5, kBuild, {160, 150, 59}}) == "loses BlockAction: the map is not loaded yet\n");
  CHECK(scene.receives(BlockLine{5, {160, 150, 59}, {161, 150, 59}}) == "loses BlockLine: the map is not loaded yet\n");
  CHECK(scene.receives(MoveObject{0, 0, {1, 2, 3}}) == "loses MoveObject: the map is not loaded yet\n");
  Game game;
  const char* const outside = "loses BlockLine: the position is outside the map\n";
  CHECK(game.receives(BlockLine{5, {-1, 150, 59}, {161, 150, 59}}) == outside);
  CHECK(game.receives(BlockLine{5, {160, 150, 59}, {160, 512, 59}}) == outside);
}

TEST_CASE("aos back: what is built of a hidden wall stops shots, and what is dug lets them through") {
  Game game;
  words::Fire fire;
  fire.set_vx(1);
  const auto hits = [&] {
    game.waits(kSecond);
    game.snapshot({{5, {160.5F, 150.5F, 57.75F}}});
    return has(game.hears(fire), "sends Hit victim=5 ");
  };
  CHECK(hits());
  game.receives(BlockLine{5, {155, 149, 57}, {155, 152, 57}});
  game.receives(BlockLine{5, {155, 149, 58}, {155, 152, 58}});
  CHECK_FALSE(hits());
  game.receives(BlockAction{5, kSpadeColumn, {155, 150, 58}});
  CHECK(hits());
}

// -- Objectives -------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: an object that is moved lies there, also if it was carried") {
  Game game;
  game.receives(IntelPickup{5});
  CHECK(game.receives(MoveObject{0, 0, {120, 120, 60}}) ==
        "says Token id: 103 kind: INTEL team: BLUE state: GROUND x: -212.5 y: 212.5 z: 3.125\n");
  CHECK(game.receives(MoveObject{3, 1, {120, 120, 60}}) ==
        "says Token id: 106 kind: BASE team: GREEN state: GROUND x: -212.5 y: 212.5 z: 3.125\n");
  CHECK(game.receives(MoveObject{4, 0, {120, 120, 60}}) == "loses MoveObject.object: no such object\n");
  CHECK_FALSE(has(game.receives(MoveObject{0, 0, {kNone, 0, 0}}), " state: "));  // it is nowhere
}

TEST_CASE("aos back: a player takes the other side's intel; a spectator and nobody take none") {
  Game game;
  CHECK(has(game.receives(IntelPickup{3}), "token { id: 104 kind: INTEL team: GREEN state: CARRIED carrier: 1 "));
  game.receives(existing(6, 255, "cleo"));
  for (const std::uint8_t number : {std::uint8_t{6}, std::uint8_t{9}}) {
    CHECK(game.receives(IntelPickup{number}) == "loses IntelPickup.player: the player is in neither team\n");
    CHECK(game.receives(IntelDrop{number, {}}) == "loses IntelDrop.player: the player is in neither team\n");
    CHECK(game.receives(IntelCapture{number, 0}) == "loses IntelCapture.player: the player is in neither team\n");
  }
}

TEST_CASE("aos back: each capture is a point of its side and ten of its player; only the last one ends the round") {
  Game game;
  game.receives(IntelPickup{3});
  const std::string first = game.receives(IntelCapture{3, 0});
  CHECK(first ==
        "says TokenCaptured token: 104 by: 1 team: GREEN\nsays Score player: 1 wins: 10\n"
        "says TeamScore team: BLUE wins: 3 size: 1\n");
  CHECK(has(game.receives(IntelCapture{3, 0}), "says TeamScore team: BLUE wins: 4 size: 1\n"));
  CHECK(has(game.receives(IntelCapture{5, 0}), "says TeamScore team: GREEN wins: 1 size: 1\n"));
  game.loads();  // the next map has its own points
  CHECK(has(game.receives(capture_the_flag(3)), "says TeamScore team: BLUE wins: 2\n"));
}

TEST_CASE("aos back: State Data says who carries which intel") {
  const auto told = [](std::uint8_t held, std::uint8_t carrier1, std::uint8_t carrier2) {
    Scene scene;
    scene.stage.opens();
    scene.loads();
    scene.receives(existing(5, 1, "ben"));
    scene.receives(existing(6, 0, "cleo"));
    StateData state = capture_the_flag(3);
    state.ctf.held = held;
    state.ctf.carrier1.player = carrier1;
    state.ctf.carrier2.player = carrier2;
    return kept(scene.receives(state), [](std::string_view line) { return line.starts_with("says Token "); });
  };
  const std::string both = told(3, 5, 6);
  CHECK(has(both, "kind: INTEL team: BLUE state: CARRIED carrier: 101 "));
  CHECK(has(both, "kind: INTEL team: GREEN state: CARRIED carrier: 102 "));
  const std::string second = told(1, 5, 6);
  CHECK(has(second, "kind: INTEL team: BLUE state: GROUND "));
  CHECK(has(second, "kind: INTEL team: GREEN state: CARRIED carrier: 102 "));
  CHECK(count(second, "says Token ") == 4);
}

TEST_CASE("aos back: an intel without a place is nowhere until the server places it") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  StateData state = capture_the_flag(3);
  state.ctf.intel1 = state.ctf.intel2 = {kNone, kNone, kNone};
  const std::string told = scene.receives(state);
  CHECK(has(told, "says Token id: 101 kind: INTEL team: BLUE\n"));
  CHECK(
      has(scene.receives(MoveObject{0, 0, {120, 120, 60}}), "id: 101 kind: INTEL team: BLUE state: GROUND x: -212.5"));
}

TEST_CASE("aos back: a captured territory changes its owner, and begins its next capture from nothing") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  StateData state = capture_the_flag(3);
  state.mode = 1;
  state.territory_count = 200;
  state.territories.resize(200);
  const std::string told = scene.receives(state);
  CHECK(count(told, "says Zone") == 16);
  CHECK(has(told, "says TeamScore team: BLUE\n"));  // no captures of intel are counted here
  CHECK_FALSE(has(told, "\"AOS.captures\""));
  scene.receives(ProgressBar{1, 1, 2, 0.75F});
  CHECK(scene.receives(TerritoryCapture{1, 1, 1}) ==
        "says Zone id: 102 owner: GREEN\nsays TokenCaptured token: 102 team: BLUE winning: true\n"
        "says Round state: OVER winning_team: GREEN\n");
  CHECK(scene.receives(TerritoryCapture{1, 0, 0}) ==
        "says Zone id: 102 owner: BLUE\nsays TokenCaptured token: 102 team: GREEN\n");
  CHECK(scene.receives(TerritoryCapture{16, 0, 0}) == "loses TerritoryCapture.territory: no such territory\n");
}

TEST_CASE("aos back: a progress that no territory can have is lost") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  StateData state = capture_the_flag(3);
  state.mode = 1;
  state.territory_count = 2;
  state.territories.resize(16);
  scene.receives(state);
  CHECK(has(scene.receives(ProgressBar{1, 1, -4, 2}), " capturing: GREEN rate: -0.2 progress: 2\n"));
  for (const float progress : {2.1F, -1.1F, kNone})
    CHECK(scene.receives(ProgressBar{1, 1, 2, progress}) ==
          "loses ProgressBar.progress: the progress is out of range\n");
  CHECK(scene.receives(ProgressBar{2, 1, 2, 0}) == "loses ProgressBar.territory: no such territory\n");
}

// -- Talk -------------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a line is a player's, to all or to its side, or the server's, as important as it is") {
  Game game;
  CHECK(game.receives(line(5, 0, "hi")) == "says Said from: 101 text: \"hi\"\n");
  CHECK(game.receives(line(5, 1, "go")) == "says Said from: 101 scope: MY_TEAM to: 3 text: \"go\"\n");
  CHECK(game.receives(line(5, 2, "hm")) == "says Notice text: \"hm\"\n");
  CHECK(game.receives(line(9, 0, "hm")) == "says Notice text: \"hm\"\n");
  CHECK(game.receives(line(35, 3, "hm")) == "says Notice level: BIG text: \"hm\"\n");
  CHECK(game.receives(line(35, 4, "hm")) == "says Notice text: \"hm\"\n");
  CHECK(game.receives(line(35, 5, "hm")) == "says Notice level: WARNING text: \"hm\"\n");
  CHECK(game.receives(line(35, 6, "hm")) == "says Notice level: WARNING text: \"hm\"\n");
}

TEST_CASE("aos back: the fog of the server is a rule, and so are the looks of its sides") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  const std::string told = scene.receives(capture_the_flag(3));
  for (const char* rule :
       {"\"AOS.colour1\" value: \"0000ff\"", "\"AOS.colour2\" value: \"00ff00\"", "\"AOS.name1\" value: \"Blue\"",
        "\"AOS.name2\" value: \"Green\"", "\"AOS.captures\" value: \"10\"", "\"shot_range\" value: \"200\"",
        "\"speed\" value: \"12.34375\""})
    CHECK_MESSAGE(has(told, std::string("says Rule name: ") + rule), rule);
  CHECK(scene.receives(FogColour{0, {3, 2, 1}}) == "says Rule name: \"AOS.fog\" value: \"010203\"\n");
}

// -- The link ---------------------------------------------------------------------------------------------------------

TEST_CASE(
    "aos back: fifty packets that cannot be decoded are borne, one more is not; unknown ones are never too many") {
  Scene scene;
  scene.plays();
  for (int i = 0; i < 50; ++i) scene.stage.receives(Buffer{13, 1});
  for (int i = 0; i < 100; ++i) scene.stage.receives(Buffer{50, 1});
  CHECK_FALSE(scene.stage.closed());
  CHECK(has(scene.stage.receives(Buffer{13, 1}), "fails: "));
  CHECK(scene.stage.closed());
}

TEST_CASE("aos back: a session that ends is closed with its reason, once") {
  Scene scene;
  scene.plays();
  CHECK(scene.stage.session_ends("closing time") == "closes: closing time\n");
  CHECK(scene.hears(words::Leave()) == "");
  CHECK(scene.waits(3 * kSecond) == "");
  CHECK(scene.stage.closed_with_code(kKicked) == "");
}

TEST_CASE("aos back: each code of a disconnect has its text, and without a code the link's reason is told") {
  struct Case {
    std::uint32_t code;
    const char* refused;
    const char* kicked;
  };
  for (const Case& one :
       {Case{kBanned, "code: BANNED text: \"banned\"", "text: \"banned\""},
        Case{kTooMany, "text: \"too many players from this address\"", "text: \"too many players from this address\""},
        Case{kCustom, "text: \"kicked\"", "text: \"kicked\""},
        Case{kBadName, "text: \"the server does not accept this name\"",
             "text: \"the server does not accept this name\""},
        Case{77, "text: \"it broke off\"", "text: \"it broke off\""}}) {
    CAPTURE(one.code);
    Scene early;
    early.stage.opens();
    CHECK(has(early.stage.closed_with_code(one.code, "it broke off"), one.refused));
    Scene later;
    later.plays();
    CHECK(later.stage.closed_with_code(one.code, "it broke off") == std::string("says Kicked ") + one.kicked + "\n");
  }
}

TEST_CASE("aos back: a player who has asked to enter and is not in yet is refused, not kicked") {
  Scene scene;
  scene.comes();
  scene.hears(anna());
  scene.hears(words::Spawn());
  CHECK(has(scene.stage.closed_with_code(kFull), "says Refused code: FULL "));
}

TEST_CASE("aos back: progress of a map counts what has come, and never more than there is") {
  Scene scene;
  scene.stage.opens();
  scene.receives(MapStart{10, 0, {}});
  MapChunk chunk;
  chunk.data.assign(packed_meadow().begin(), packed_meadow().begin() + 8);
  CHECK(scene.receives(chunk) == "says WorldProgress done: 8 total: 10\n");
  chunk.data.assign(packed_meadow().begin() + 8, packed_meadow().begin() + 12);
  CHECK(scene.receives(chunk) == "says WorldProgress done: 12 total: 12\n");
  CHECK(scene.receives(VersionGet{}).starts_with("sends VersionResponse"));  // it loads: the server need not say so
}

TEST_CASE("aos back: a second State Data for the same map, and a piece of a map after it, are lost") {
  Scene scene;
  scene.comes();
  CHECK(scene.receives(capture_the_flag(3)) == "loses StateData: the map is loaded already\n");
  CHECK(scene.receives(MapChunk{{1, 2, 3}}) == "loses MapChunk: it came without a MapStart\n");
}

}  // namespace
}  // namespace entente::aos::back_facts_test
