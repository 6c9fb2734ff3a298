// What a client of Ace of Spades is sent for each fact of the room.
#include <cmath>

#include "proxy/core/replay/resync_phase.h"
#include "tests/aos/front_stage.h"

namespace entente::aos::front_facts_test {
namespace {

constexpr std::size_t k080Place = 2;
constexpr const char* kAos = "game: 'aos'";

/// In play, on the side 1 (red); ben has the number 1 and is on the side 0.
struct Game : Play {
  explicit Game(const char* room = "game: 'bzflag'", std::size_t its = 0, Settings settings = {})
      : Play(its, std::move(settings)) {
    plays(room);
  }
};

std::string only(const std::string& said, std::string_view begin) {
  return kept(said, [&](std::string_view line) { return line.starts_with(begin); });
}

// -- Players ----------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: a freed number rests for two seconds, and then the one that was free for longest is given") {
  Game game;
  const std::string player = "name: 'x' team: BLUE", unit = "alive: true pose { }";
  const auto number = [&](core::Id id) {
    const std::string said = only(game.comes(id, player, unit), "sends CreatePlayer");
    return said.empty() ? 0 : std::stoi(said.substr(said.find("player=") + 7));
  };
  for (core::Id id = 10; id < 40; ++id) CHECK(number(id) == static_cast<int>(id) - 8);  // 2 to 31: all are in use
  game.hears<words::PlayerGone>("id: 12");
  game.waits(kSecond);
  game.hears<words::PlayerGone>("id: 11");
  CHECK(number(50) == 0);
  CHECK(has(game.waits(1100 * kMillisecond), "sends CreatePlayer player=4 "));  // the other one still rests
  CHECK(number(51) == 0);
  CHECK(has(game.waits(kSecond), "sends CreatePlayer player=3 "));
  game.hears<words::PlayerGone>("id: 50");
  game.waits(kSecond);
  game.hears<words::PlayerGone>("id: 51");
  game.waits(3 * kSecond);  // now both are free
  CHECK(number(52) == 4);
  CHECK(number(53) == 3);
}

TEST_CASE("aos front: a player's colour is that of its blocks: told when it changes, never our own") {
  Game game(kAos);
  CHECK(game.hears<words::Player>("id: 2 name: 'ben' team: GREEN colour: 0x102030") ==
        "sends SetColour player=1 colour=(48 32 16)\n");
  CHECK(game.hears<words::Player>("id: 2 name: 'ben' team: GREEN colour: 0x102030") == "");
  CHECK(game.hears<words::Player>("id: 2 name: 'ben' team: GREEN") == "");
  CHECK_FALSE(has(game.hears<words::Player>("id: 1 name: 'anna' team: RED colour: 0x102030"), "SetColour"));
}

TEST_CASE("aos front: a player is shown with a new name or side at once, where the server does not create it anew") {
  Game other;
  CHECK(has(other.hears<words::Player>("id: 2 name: 'bernard' team: GREEN"),
            "sends CreatePlayer player=1 weapon=0 team=0 position=(288 240 59.75) name=\"bernard\"\n"));
  Game same(kAos);
  CHECK(same.hears<words::Player>("id: 2 name: 'bernard' team: GREEN") == "");
  CHECK(has(same.hears<words::Spawned>("unit: 12 pose { unit: 12 x: 100 y: 25 }"), "name=\"bernard\"\n"));
}

TEST_CASE("aos front: what the room says of our own keys is not sent, and tools that no client has are grenades") {
  Game game(kAos);
  CHECK(game.hears<words::Input>("unit: 11 bits: 1 tool: 1 primary: true") == "");
  CHECK(game.hears<words::Input>("unit: 99 bits: 1") == "");
  CHECK(game.hears<words::Input>("unit: 12 tool: 77 secondary: true") ==
        "sends SetTool player=1 tool=3\nsends WeaponInput player=1 buttons=2\n");
}

TEST_CASE("aos front: a life begins without the keys, buttons and tools of the last one") {
  Game game(kAos);
  game.hears<words::Input>("unit: 12 bits: 1 tool: 1 primary: true");
  game.hears<words::Died>("player: 2 unit: 12 killer: 1");
  CHECK(game.hears<words::Input>("unit: 12 tool: 1") == "");  // the dead hold none
  game.hears<words::Spawned>("unit: 12 pose { unit: 12 x: 100 y: 25 }");
  CHECK(game.hears<words::Input>("unit: 12 bits: 1 tool: 1 primary: true") ==
        "sends SetTool player=1 tool=1\nsends InputData player=1 keys=1\nsends WeaponInput player=1 buttons=1\n");
}

TEST_CASE("aos front: the dead press nothing: keys that the room says then are told anew, and no trigger is released") {
  Game same(kAos);
  same.hears<words::Input>("unit: 12 bits: 1 tool: 1 primary: true");
  CHECK(has(same.hears<words::Died>("player: 2 unit: 12 killer: 1"), "sends KillAction victim=1 "));
  CHECK(same.hears<words::Input>("unit: 12 bits: 1 tool: 1 primary: true") ==
        "sends InputData player=1 keys=1\nsends WeaponInput player=1 buttons=1\n");

  Game other;
  CHECK(has(other.hears<words::Shot>("shooter: 2 unit: 12 vx: 100"), "sends WeaponInput player=1 buttons=1\n"));
  other.hears<words::Died>("player: 2 unit: 12 killer: 1 respawn_s: 5");
  CHECK_FALSE(has(other.waits(kSecond), "WeaponInput"));
}

TEST_CASE("aos front: a player who is not in play is nowhere, and one that the room knows no place of is not created") {
  Game game;
  CHECK(game.comes(3, "name: 'cid' team: GREEN", "pose { x: 100 y: 25 }") == "");
  CHECK_FALSE(has(game.snapshots(50 * kMillisecond), "(320 240 59.75)"));
  game.hears<words::Hidden>("unit: 12");
  CHECK_FALSE(has(game.snapshots(50 * kMillisecond), "(288 240 59.75)"));
}

TEST_CASE("aos front: scores are shown by deaths, so one alone is not sent") {
  Game game;
  CHECK(game.hears<words::Score>("player: 2 wins: 7") == "");
  CHECK(game.hears<words::TeamScore>("team: GREEN wins: 7") == "");
}

// -- Deaths and shots -------------------------------------------------------------------------------------------------

TEST_CASE("aos front: a death is that of its killer if the client knows him, or else of the dead himself") {
  Game game;
  CHECK(game.hears<words::Died>("player: 2 unit: 12 killer: 77 why: BY_SHOT respawn_s: 400") ==
        "sends KillAction victim=1 killer=1 type=0 respawn=255\n");
  CHECK(game.hears<words::Died>("player: 77 unit: 77 killer: 1") == "");
  Game same(kAos);
  CHECK(same.hears<words::Died>("player: 2 unit: 12 killer: 1") ==
        "sends KillAction victim=1 killer=0 type=0 respawn=0\n");  // such a server says for how long
}

TEST_CASE("aos front: a death that a server of this game did not report itself is not sent") {
  Game same(kAos);
  CHECK(same.hears<words::Died>("player: 2 unit: 12 synthesised: true") == "");
  CHECK(same.hears<words::Died>("player: 2 unit: 12 killer: 1") == "");  // and it is over
  Game other;
  CHECK(other.hears<words::Died>("player: 2 unit: 12 synthesised: true") ==
        "sends KillAction victim=1 killer=1 type=0 respawn=3\n");
}

TEST_CASE("aos front: a dead client asks for its spawn every five seconds, until it is in play") {
  Game game;
  game.hears<words::Died>("player: 1 unit: 11 respawn_s: 2");
  CHECK(game.waits(1900 * kMillisecond) == "");
  CHECK(game.waits(200 * kMillisecond) == "says Spawn\n");
  CHECK(game.waits(4800 * kMillisecond) == "");
  CHECK(game.waits(200 * kMillisecond) == "says Spawn\n");
  game.hears<words::Spawned>("unit: 11 pose { unit: 11 }");
  CHECK(game.waits(30 * kSecond) == "");
  Game same(kAos);
  same.hears<words::Died>("player: 1 unit: 11 respawn_s: 2");
  CHECK(same.waits(30 * kSecond) == "");  // such a server spawns it unasked
}

TEST_CASE("aos front: a trigger is shown for 150 ms after the last shot, along which its player looks") {
  Game game;
  CHECK(game.hears<words::Shot>("shooter: 2 unit: 12 vy: 100") == "sends WeaponInput player=1 buttons=1\n");
  game.waits(100 * kMillisecond);
  CHECK(game.hears<words::Shot>("shooter: 2 unit: 12 vx: -100") == "");
  CHECK(has(game.snapshots(50 * kMillisecond), "orientation=(-1 "));
  CHECK_FALSE(has(game.waits(50 * kMillisecond), "WeaponInput"));
  CHECK(has(game.waits(100 * kMillisecond), "sends WeaponInput player=1 buttons=0\n"));
  CHECK(has(game.snapshots(50 * kMillisecond), "orientation=(1 0 0)"));
}

TEST_CASE("aos front: of a player whose keys the room sends, shots are not guessed; grenades fly, also in a seek") {
  Game game(kAos);
  game.hears<words::Input>("unit: 12 bits: 1 tool: 2");
  CHECK(game.hears<words::Shot>("shooter: 2 unit: 12 kind: RAY vx: 1") == "");
  const std::string thrown = "shooter: 2 unit: 12 kind: GRENADE x: 15.625 vx: 50 life: 3";
  const std::string flies = "sends Grenade player=1 fuse=3 position=(266 256 62) velocity=(1 0 0)\n";
  CHECK(game.hears<words::Shot>(thrown) == flies);
  game.stage.hears(core::resync_clock(0));
  CHECK(game.hears<words::Shot>(thrown) == flies);
  CHECK(game.hears<words::Shot>("shooter: 2 unit: 12 kind: GRENADE x: nan") ==
        "loses Shot: the position is not in the map\n");
  CHECK(game.hears<words::Shot>("shooter: 2 unit: 12 kind: GRENADE vx: inf") ==
        "loses Shot: the position is not in the map\n");
}

// -- Health and ammunition --------------------------------------------------------------------------------------------

TEST_CASE("aos front: health of the dead, of others and without a maximum is not sent, and no value twice") {
  Game game;
  CHECK(game.hears<words::Health>("unit: 11 now: 50 max: 100") == "sends SetHp hp=50 cause=0 source=(0 0 0)\n");
  CHECK(game.hears<words::Health>("unit: 11 now: 50 max: 100") == "");
  CHECK(game.hears<words::Health>("unit: 11 now: 20") == "");
  CHECK(game.hears<words::Health>("unit: 11 now: 700 max: 100") == "sends SetHp hp=100 cause=0 source=(0 0 0)\n");
  CHECK(game.hears<words::Health>("unit: 11 now: nan max: 100 by: 2") == "sends SetHp hp=1 cause=1 source=(0 0 0)\n");
  CHECK(game.hears<words::Health>("unit: 11 now: 60 max: 100 from_x: nan") ==
        "sends SetHp hp=60 cause=0 source=(0 0 0)\n");
  game.hears<words::Died>("player: 1 unit: 11");
  CHECK(game.hears<words::Health>("unit: 11 now: 40 max: 100") == "");
  game.hears<words::Spawned>("unit: 11 pose { unit: 11 }");
  CHECK(game.hears<words::Health>("unit: 11 now: 100 max: 100") == "");  // a new life has all of it
}

TEST_CASE("aos front: a client is healed by the restock that a server of this game reports in two words") {
  Game game(kAos);
  CHECK(game.hears<words::Health>("unit: 11 now: 40 max: 100 by: 2 from_x: 15.625") ==
        "sends SetHp hp=40 cause=1 source=(266 256 62)\n");
  CHECK(game.hears<words::Health>("unit: 11 now: 100 max: 100") == "");
  CHECK(game.hears<words::Ammo>("player: 1 clip: 10 reserve: 50 blocks: 50 grenades: 3") == "sends Restock player=0\n");
}

TEST_CASE("aos front: full ammunition is news only to a client that has used something") {
  const std::string full = "player: 1 clip: 10 reserve: 50 blocks: 50 grenades: 3",
                    restock = "sends Restock player=0\n";
  const auto told_after = [&](auto&& use) {
    Game game(kAos);
    use(game);
    return game.hears<words::Ammo>(full);
  };
  CHECK(told_after([](Game&) {}) == "");
  CHECK(told_after([](Game& game) { game.says(WeaponInput{0, 1}); }) == restock);
  CHECK(told_after([](Game& game) { game.says(Grenade{0, 2, {256, 256, 60}, {}}); }) == restock);
  CHECK(told_after([](Game& game) { game.says(BlockAction{0, 0, {256, 255, 61}}); }) == restock);
  CHECK(told_after([&](Game& game) { game.hears<words::Ammo>(full); }) == restock);  // twice the same
}

TEST_CASE("aos front: ammunition is sent when rounds have changed, and to the living only") {
  Game game(kAos);
  const std::string some = "player: 1 clip: 4 reserve: 44 blocks: 50 grenades: 3";
  CHECK(game.hears<words::Ammo>(some) == "sends WeaponReload player=0 clip=4 reserve=44\n");
  CHECK(game.hears<words::Ammo>("player: 1 clip: 4 reserve: 44 blocks: 7 grenades: 1") == "");
  CHECK(game.hears<words::Ammo>("player: 1 clip: 300 reserve: 300") ==
        "sends WeaponReload player=0 clip=255 reserve=255\n");
  game.hears<words::Died>("player: 1 unit: 11");
  CHECK(game.hears<words::Ammo>("player: 1 clip: 5 reserve: 5") == "");
  Game other;
  const std::string told = other.hears<words::Ammo>(some);
  other.says(WeaponReload{0, 4, 44});
  CHECK(other.hears<words::Ammo>(some) == told);  // the client has filled its clip itself
}

TEST_CASE("aos front: a cell's health is its mass as a share of the largest of its life, sent in steps of two") {
  Play play;
  play.greets("game: 'ogar'");
  play.enters();
  play.hears<words::Player>("id: 1 name: 'anna' team: RED");
  play.hears<words::Unit>("id: 11 owner: 1 kind: CELL radius: 10 pose { unit: 11 }");
  play.hears<words::Owns>("player: 1 units: 11 active: 11");
  play.hears<words::Spawned>("unit: 11 pose { unit: 11 radius: 10 }");
  play.waits(kSecond);
  const auto hp = [&](const char* radius) {
    play.hears<words::Pose>(std::string("unit: 11 radius: ") + radius);
    return only(play.waits(100 * kMillisecond), "sends SetHp");
  };
  CHECK(hp("5") == "sends SetHp hp=25 cause=0 source=(0 0 0)\n");
  CHECK(hp("5.05") == "");
  CHECK(hp("5.2") == "sends SetHp hp=27 cause=0 source=(0 0 0)\n");
  CHECK(hp("20") == "sends SetHp hp=100 cause=0 source=(0 0 0)\n");
  CHECK(hp("10") == "sends SetHp hp=25 cause=0 source=(0 0 0)\n");  // of the largest mass so far
}

// -- Where everybody is -----------------------------------------------------------------------------------------------

TEST_CASE("aos front: a client is moved by what concerns its own unit, while it is in play") {
  Game game(kAos);
  CHECK(game.hears<words::Corrected>("pose { unit: 12 x: 50 }") == "");
  CHECK(game.hears<words::Teleported>("unit: 12") == "");
  CHECK(game.hears<words::Corrected>("pose { unit: 11 x: 50 }") == "sends PositionData position=(288 256 59.75)\n");
  game.hears<words::Pose>("unit: 11 x: 100");
  CHECK(game.hears<words::Teleported>("unit: 11") == "sends PositionData position=(320 256 59.75)\n");
  game.hears<words::Died>("player: 1 unit: 11");
  CHECK(game.hears<words::Corrected>("pose { unit: 11 x: 50 }") == "");
}

TEST_CASE("aos front: the rate of snapshots is at least 10 and at most 60, and 20 if it is not said") {
  for (const auto& [rate, sent] : {std::pair("1", 10U), {"60", 60U}, {"1000", 60U}, {"", 20U}}) {
    Game game("game: 'bzflag'", 0, {{"rate", rate}});
    CHECK(lines(game.snapshots(kSecond)) == sent);
  }
}

TEST_CASE("aos front: numbers that are not finite are shown as none, and places beyond the map at its edge") {
  Game game;
  game.hears<words::Pose>("unit: 12 x: 50 y: 25 yaw: nan");
  CHECK(has(game.snapshots(50 * kMillisecond), "{position=(288 240 59.75) orientation=(1 0 0)}"));
  game.hears<words::Pose>("unit: 12 x: 9000 y: -9000 z: 9000");
  CHECK(has(game.snapshots(50 * kMillisecond), "{position=(511.5 511.5 0.75) orientation=(1 0 0)}"));
}

TEST_CASE("aos front: a cell looks where it goes, a tank where it points") {
  Game game("game: 'ogar'");
  game.hears<words::Player>("id: 3 name: 'x' team: RED");
  game.hears<words::Unit>("id: 13 owner: 3 kind: CELL radius: 10 alive: true pose { x: 100 }");
  game.hears<words::Owns>("player: 3 units: 13 active: 13");
  game.hears<words::Pose>("unit: 13 x: 100 vx: -20 radius: 10");
  CHECK(has(game.snapshots(50 * kMillisecond), " orientation=(-1 "));
  game.hears<words::Pose>("unit: 12 x: 50 y: 25 vx: -20");
  CHECK(has(game.snapshots(50 * kMillisecond), "60) orientation=(1 0 0)") == false);
  CHECK(count(game.snapshots(50 * kMillisecond), "sends by datagram WorldUpdate ") == 1);
}

TEST_CASE("aos front: keys are guessed in eight directions, faster and slower, four times a second") {
  Game game;
  const auto keys = [&](const char* pose) {
    game.hears<words::Pose>(std::string("unit: 12 x: 50 y: 25 ") + pose);
    const std::string said = only(game.waits(300 * kMillisecond), "sends InputData player=1 keys=");
    return said.empty() ? -1 : std::stoi(said.substr(30));
  };
  using words::Keys;
  CHECK(keys("vx: 12") == Keys::FORWARD);
  CHECK(keys("vx: -12") == Keys::BACKWARD);
  CHECK(keys("vy: 12") == Keys::LEFT);
  CHECK(keys("vy: -12") == Keys::RIGHT);
  CHECK(keys("vx: 9 vy: -9") == (Keys::FORWARD | Keys::RIGHT));
  CHECK(keys("vx: -9 vy: 9") == (Keys::BACKWARD | Keys::LEFT));
  CHECK(keys("vx: 20") == (Keys::FORWARD | Keys::SPRINT));
  CHECK(keys("vx: 1") == 0);
}

TEST_CASE("aos front: 0.80 states are split at 29 players, and each has its own number") {
  Play play(k080Place);
  play.plays();
  for (core::Id id = 10; id < 40; ++id) play.comes(id, "name: 'x' team: BLUE", "alive: true pose { }");
  const std::string said = play.snapshots(50 * kMillisecond);
  CHECK(lines(said) == 2);
  std::size_t states = 0;
  for (std::size_t at = 0; (at = said.find("{player=", at)) != std::string::npos; ++at) ++states;
  CHECK(states == 31);
  const auto sequence = [&](std::size_t at) { return std::stoi(said.substr(said.find("sequence=", at) + 9)); };
  CHECK(sequence(said.find('\n')) == sequence(0) + 1);
}

// -- Objectives -------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: the fog is sent when its colour changes to another one") {
  Game game;
  CHECK(game.hears<words::Rule>("name: 'AOS.fog' value: '102030'") == "sends FogColour unused=0 colour=(48 32 16)\n");
  CHECK(game.hears<words::Rule>("name: 'AOS.fog' value: '102030'") == "");
  CHECK(game.hears<words::Rule>("name: 'AOS.fog' value: 'dark'") == "");
  CHECK(game.hears<words::Rule>("name: 'AOS.colour1' value: '405060'") == "");
}

TEST_CASE("aos front: State Data has the server's own colours, names, points and limit") {
  Play play;
  for (const char* rule :
       {"name: 'AOS.fog' value: '010203'", "name: 'AOS.colour1' value: '0000ff'", "name: 'AOS.colour2' value: 'ff0000'",
        "name: 'AOS.name1' value: 'Sky'", "name: 'AOS.name2' value: 'Fire'", "name: 'AOS.captures' value: '7'"})
    play.stage.knows(word<words::Rule>(rule));
  play.stage.knows(word<words::TeamScore>("team: BLUE wins: 3 size: 1"));
  play.stage.knows(word<words::TeamScore>("team: RED wins: 300 size: 1"));
  const std::string said = play.greets(kAos);
  CHECK(has(
      said,
      "sends StateData player=0 fog=(3 2 1) colour1=(255 0 0) colour2=(0 0 255) name1=\"Sky\" name2=\"Fire\" mode=0 "
      "ctf={score1=3 score2=255 limit=7 held=0 "));
}

TEST_CASE("aos front: State Data says where each intel and each tent is, and who carries what") {
  Play play;
  play.stage.knows(word<words::Token>("id: 31 kind: INTEL team: BLUE state: CARRIED carrier: 2"));
  play.stage.knows(word<words::Token>("id: 32 kind: INTEL team: GREEN state: GROUND x: 15.625"));
  play.stage.knows(word<words::Token>("id: 33 kind: BASE team: BLUE state: GROUND x: -15.625"));
  const std::string said = play.greets(kAos);
  CHECK(has(said, " held=2 "));
  CHECK(has(said, " intel2=(266 256 62) "));
  CHECK(has(said, "carrier1={player=1 "));
  CHECK(has(said, " base1=(246 256 62) base2=(0 0 63)"));
}

TEST_CASE("aos front: without tents, the bases of the world are where flags are brought") {
  Play play;
  const std::string said =
      play.greets("game: 'bzflag' teams: true", std::string(Play::kFlat) +
                                                    " bases { team: BLUE solid { x: 15.625 height: 1.5625 } } "
                                                    "bases { team: GREEN solid { x: -15.625 } }");
  CHECK(has(said, " base1=(266 256 61) base2=(246 256 62)"));
}

TEST_CASE("aos front: what happens to objects or players that a client does not see is counted") {
  Game game(kAos);
  game.hears<words::Token>("id: 31 kind: INTEL team: BLUE state: GROUND x: 15.625");
  const char* const taken = "loses TokenTaken: the client does not see that object or that player\n";
  CHECK(game.hears<words::TokenTaken>("token { id: 31 kind: INTEL team: BLUE state: CARRIED carrier: 9 } by: 9") ==
        taken);
  CHECK(game.hears<words::TokenTaken>("token { id: 99 kind: BASE state: CARRIED carrier: 2 } by: 2") == taken);
  CHECK(game.hears<words::TokenCaptured>("token: 31 by: 9") ==
        "loses TokenCaptured: the client does not see that object or that player\n");
  CHECK(game.hears<words::TokenDropped>("token { id: 99 state: GROUND } by: 2") ==
        "loses TokenDropped: the client does not see that object\n");
  CHECK(game.hears<words::TokenDropped>("token { id: 31 kind: INTEL team: BLUE state: GROUND x: 15.625 } by: 9") ==
        "sends MoveObject object=0 team=0 position=(266 256 62)\n");  // it lies there all the same
}

TEST_CASE("aos front: the progress of a territory is sent while it changes, limited to what a packet can say") {
  Play play;
  play.stage.knows(word<words::Token>("id: 41 kind: BASE code: 'territory' team: BLUE state: GROUND x: 15.625"));
  play.greets(kAos);
  CHECK(play.hears<words::Zone>("id: 41 capturing: GREEN rate: 900 progress: 0.5") ==
        "sends ProgressBar territory=0 team=1 rate=127 progress=0.5\n");
  CHECK(play.hears<words::Zone>("id: 41 rate: -900 progress: 0.5") ==
        "sends ProgressBar territory=0 team=2 rate=-128 progress=0.5\n");
  CHECK(play.hears<words::Zone>("id: 41 capturing: GREEN rate: nan") == "loses Zone: a number is not finite\n");
  CHECK(play.hears<words::Zone>("id: 41 capturing: GREEN progress: inf") == "loses Zone: a number is not finite\n");
  CHECK(play.hears<words::Token>("id: 41 kind: BASE code: 'territory' team: GREEN state: GROUND") ==
        "sends MoveObject object=0 team=1 position=(256 256 62)\n");
}

TEST_CASE("aos front: the end of a round is told in rooms of other games, and not in a seek") {
  Game same(kAos);
  CHECK(same.hears<words::Round>("state: OVER winner: 2") == "");
  Game other;
  CHECK(has(other.hears<words::Round>("state: OVER winner: 2"), "the round is over: ben has won"));
  CHECK(other.hears<words::Round>("state: RUNNING") == "");
}

// -- Talk, and the end ------------------------------------------------------------------------------------------------

TEST_CASE("aos front: lines of players have their number, those of anybody else their name") {
  Game game;
  CHECK(game.hears<words::Said>("from: 2 kind: ACTION text: 'waves'") ==
        "sends ChatMessage player=1 type=0 text=\"* waves\"\n");
  CHECK(game.hears<words::Said>("from: 2 scope: MODERATORS text: 'help'") ==
        "sends ChatMessage player=35 type=2 text=\"ben (to you): help\"\n");
  CHECK(game.hears<words::Said>("text: 'the server is full'") ==
        "sends ChatMessage player=35 type=2 text=\"the server is full\"\n");
  game.hears<words::Player>("id: 40 name: 'zoe' role: WATCH");
  CHECK(has(game.hears<words::Said>("from: 77 name: 'tim' text: 'hi'"), "player=35 type=2 text=\"tim: hi\"\n"));
}

TEST_CASE("aos front: a client that is refused for its name is told so by the code of its dialect") {
  for (const std::size_t dialect : {std::size_t{0}, k080Place}) {
    Play play(dialect);
    play.opens();
    CHECK(play.hears<words::Refused>("code: BAD_NAME text: 'no'") ==
          (dialect == 0 ? "closes: no 20\n" : "closes: no 11\n"));
  }
}

TEST_CASE("aos front: a client without its map is told the end by the reason alone, and nothing after it") {
  Play play;
  play.opens();
  CHECK(play.stage.session_ends("closing time") == "closes: closing time 5\n");
  CHECK(play.hears<words::World>(Play::kFlat) == "");
  CHECK(play.waits(10 * kSecond) == "");
  Play kicked;
  kicked.opens();
  CHECK(kicked.hears<words::Kicked>("") == "closes: kicked 10\n");
}

TEST_CASE("aos front: only the last four lines of the server count as having said the reason") {
  Game game;
  game.hears<words::Notice>("text: 'too noisy'");
  for (const char* line : {"text: 'a'", "text: 'b'", "text: 'c'"}) game.hears<words::Notice>(line);
  CHECK_FALSE(has(game.hears<words::Kicked>("text: 'too noisy'"), "player=35"));
  Game later;
  later.hears<words::Notice>("text: 'too noisy'");
  for (const char* line : {"text: 'a'", "text: 'b'", "text: 'c'", "text: 'd'"}) later.hears<words::Notice>(line);
  CHECK(has(later.hears<words::Kicked>("text: 'too noisy'"), "player=35"));
}

// -- Blocks -----------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: an edit outside the map is lost, also at its other end, and one without a colour takes none") {
  Game game(kAos);
  const char* const outside = "loses WorldEdit: the position is outside the map\n";
  CHECK(game.hears<words::WorldEdit>("edit { op: LINE x: 0.78125 y: 0.78125 z: 0.78125 x2: 1e9 }") == outside);
  CHECK(game.hears<words::WorldEdit>("by: 2 edit { op: BUILD x: 0.78125 y: 0.78125 z: 0.78125 }") ==
        "sends BlockAction player=1 action=0 at=(256 255 61)\n");
  CHECK(game.hears<words::WorldEdit>("by: 1 edit { op: BUILD x: 0.78125 y: 0.78125 z: 2.34375 colour: 66051 }") ==
        "sends BlockAction player=0 action=0 at=(256 255 60)\n");  // our client knows its own colour
}

TEST_CASE("aos front: edits that came with a map are sent once") {
  Play play;
  play.opens();
  play.hears<words::World>(Play::kFlat);
  play.hears<words::WorldEdit>("edit { x: 0.78125 y: 0.78125 z: 0.78125 colour: 255 }");
  CHECK(count(play.waits(5 * kSecond), "sends BlockAction") == 1);
  play.hears<words::World>("hash: 'next' kind: OPEN walled: true");
  CHECK(count(play.waits(5 * kSecond), "sends BlockAction") == 0);
}

TEST_CASE("aos front: a brick that is dead, or stands outside the map, is no wall") {
  const std::string tiled = "hash: 't' kind: TILES columns: 32 rows: 32 west: -400 east: 400 south: -400 north: 400";
  Play play;
  play.plays("game: 'panic'", tiled);
  CHECK(play.hears<words::Unit>("id: 40 kind: BRICK pose { x: 12.5 y: 12.5 }") == "");
  CHECK(play.hears<words::Gone>("unit: 40") == "");
  CHECK(play.hears<words::Unit>("id: 41 kind: BRICK alive: true pose { x: 9000 y: 12.5 }") == "");
  CHECK(play.hears<words::WorldEdit>("edit { op: BUILD x: 9000 y: 12.5 }") ==
        "loses WorldEdit: the position is outside the map\n");
  std::size_t walls = 0, lost = 0;
  for (int id = 0; id < 300; ++id) {
    const std::string x = std::to_string(id % 30 * 25 - 362.5), y = std::to_string(id / 30 * 25 - 362.5);
    const std::string brick = " kind: BRICK alive: true pose { x: " + x + " y: " + y + " }";
    const std::string said = play.hears<words::Unit>("id: " + std::to_string(100 + id) + brick);
    walls += count(said + play.waits(100 * kMillisecond), "sends BlockLine player=32 ") != 0;
    lost += count(said, "loses Unit: more bricks than a client is shown");
  }
  CHECK(walls == 256);
  CHECK(lost == 300 - 256);
}

const std::string kTiles = "hash: 't' kind: TILES columns: 32 rows: 32 west: -400 east: 400 south: -400 north: 400";

TEST_CASE("aos front: a tile is drawn once, and stays while one thing on it stands") {
  Play play;
  play.plays("game: 'panic'", kTiles);
  const std::string brick = " kind: BRICK alive: true pose { x: 12.5 y: 12.5 }";
  CHECK(count(play.hears<words::Unit>("id: 40" + brick), "sends BlockLine ") == 6 * 16);
  CHECK(play.hears<words::Unit>("id: 41" + brick) == "");
  CHECK(play.hears<words::WorldEdit>("edit { op: BUILD x: 13 y: 12 }") == "");
  CHECK(play.hears<words::Gone>("unit: 40") == "");
  CHECK(play.hears<words::Gone>("unit: 41") == "");
  CHECK(play.hears<words::Unit>("id: 42 kind: BRICK alive: true pose { x: 37.5 y: 12.5 }") != "");
  CHECK(play.hears<words::Gone>("unit: 42") != "");
}

TEST_CASE("aos front: a tile that is wider than a line of blocks is no wall") {
  Play play;
  play.plays("game: 'panic'", "hash: 't' kind: TILES columns: 4 rows: 32 west: -400 east: 400 south: -400 north: 400");
  CHECK(play.hears<words::WorldEdit>("edit { op: BUILD x: 100 y: 12.5 }") ==
        "loses WorldEdit: the position is outside the map\n");
}

TEST_CASE("aos front: walls wait for a slow client, and edits wait for walls") {
  Play play;
  play.plays("game: 'panic'", kTiles);
  play.stage.set_waiting(1U << 20U);
  const std::string brick = "id: 40 kind: BRICK alive: true pose { x: 112.5 y: 12.5 }";
  CHECK(play.hears<words::WorldEdit>("edit { op: BUILD x: 12.5 y: 12.5 }") == "");
  CHECK(play.hears<words::WorldEdit>("edit { op: DIG x: 0.8 y: 0.8 z: 0.8 }") == "");
  CHECK(play.hears<words::Unit>(brick) == "");
  CHECK(play.hears<words::Gone>("unit: 40") == "");
  CHECK_FALSE(has(play.waits(kSecond), "sends Block"));
  play.stage.set_waiting(0);
  const std::string said = play.waits(100 * kMillisecond);
  CHECK(count(said, "sends BlockLine ") == 6 * 16);
  CHECK(said.find("sends BlockAction ") > said.rfind("sends BlockLine "));
  CHECK(has(said, "sends BlockAction "));
}

TEST_CASE("aos front: the end of a reload is told once, also if the gun is full") {
  Game game(kAos);
  game.says(WeaponInput{0, 1});
  game.hears<words::Ammo>("player: 1 clip: 10 reserve: 50 blocks: 50 grenades: 3");
  game.says(WeaponReload{0, 10, 50});
  const std::string said = game.waits(5 * kSecond);
  CHECK(count(said, "sends Restock ") == 0);
  CHECK(count(said, "sends WeaponReload ") <= 1);
  Game other;
  other.hears<words::Ammo>("player: 1 clip: 10 reserve: 50 blocks: 50 grenades: 3");
  other.says(WeaponReload{0, 10, 50});
  CHECK(other.waits(5 * kSecond) == "sends WeaponReload player=0 clip=10 reserve=50\n");
}

TEST_CASE("aos front: of many facts about many tokens, the last ones wait for the next snapshot") {
  Game game;
  for (int id = 1000; id < 2500; ++id)
    game.stage.knows({0, word<words::Token>("id: " + std::to_string(id) + " kind: FLAG state: NOWHERE")});
  for (int i = 0; i < 2; ++i) game.hears<words::Token>("id: 1000 kind: FLAG state: NOWHERE");
  const std::string intel = "id: 70 kind: INTEL team: RED state: GROUND x: 15.625";
  CHECK_FALSE(has(game.hears<words::Token>(intel), "sends MoveObject"));
  CHECK(count(game.waits(100 * kMillisecond), "sends MoveObject ") == 1);
  CHECK(count(game.hears<words::Token>(intel), "sends MoveObject ") == 1);
}

}  // namespace
}  // namespace entente::aos::front_facts_test
