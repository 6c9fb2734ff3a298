// What each packet of a client of Ace of Spades asks the room for, and what it is answered.
#include <cmath>

#include "tests/aos/front_stage.h"

namespace entente::aos::front_wishes_test {
namespace {

constexpr std::size_t k080Place = 2;
constexpr const char* kAos = "game: 'aos'";

/// In play, on the side 1 (red); ben has the number 1 and is on the side 0.
struct Game : Play {
  explicit Game(const char* room = "game: 'bzflag'", std::size_t its = 0) : Play(its) { plays(room); }
};

ExistingPlayer entering(std::uint8_t team, std::uint8_t weapon, std::uint8_t tool, const std::string& name) {
  ExistingPlayer player;
  player.team = team;
  player.weapon = weapon;
  player.tool = tool;
  player.colour = {3, 2, 1};
  player.name.chars = name + '\0';
  return player;
}

TEST_CASE("aos front: the keys of a player without keys are guessed four times a second at most") {
  Game game;
  std::string said;
  for (int i = 0; i < 20; ++i) {
    said += game.hears<words::Pose>(i % 2 == 0 ? "unit: 12 x: 50 y: 25 vx: 12" : "unit: 12 x: 50 y: 25 vy: 12");
    said += game.waits(50 * kMillisecond);
  }
  CHECK(count(said, "sends InputData ") >= 1);
  CHECK(count(said, "sends InputData ") <= 5);
}

// -- Entering ---------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: a client without a name, with a weapon and a tool that nobody has, enters with what there is") {
  Play play;
  play.greets(kAos);
  CHECK(play.says(entering(0, 9, 9, "")) ==
        "says Enter name: \"player\" team: BLUE kit: 3 body: MAN\nsays Change colour: 66051\nsays Tool number: 2\n"
        "says Spawn\n");
}

TEST_CASE("aos front: a server of this game is told the tool of a client that enters, and to spawn it if it plays") {
  for (const std::uint8_t team : {std::uint8_t{0}, std::uint8_t{255}}) {
    Play play;
    play.greets(kAos);
    const std::string said = play.says(entering(team, 0, 1, "anna"));
    CHECK(has(said, "says Tool number: 1\n"));
    CHECK(has(said, "says Spawn\n") == (team == 0));
  }
}

TEST_CASE("aos front: a client enters again if its side turns out to have another colour") {
  Play play;
  play.opens();
  play.hears<words::Room>(kAos);
  CHECK(has(play.enters(0), "says Enter name: \"anna\" team: BLUE "));
  play.hears<words::Rule>("name: 'AOS.colour1' value: 'ff0000'");
  play.hears<words::Rule>("name: 'AOS.colour2' value: '0000ff'");
  play.hears<words::World>(Play::kFlat);
  play.hears<words::Ready>("");
  const std::string said = play.waits(5 * kSecond);
  CHECK(count(said, "says Enter name: \"anna\" team: RED ") == 1);
  CHECK(count(said, "says Spawn") == 1);
}

TEST_CASE("aos front: a side that a client chooses while its map still loads is the one on which it plays") {
  const auto loads = [](const std::string& colour1, const std::string& colour2) {
    Play play;
    play.opens();
    play.hears<words::Room>(kAos);
    CHECK(has(play.enters(0), "says Enter name: \"anna\" team: BLUE "));
    CHECK(has(play.says(ChangeTeam{0, 1}), "says Change team: GREEN\n"));
    play.hears<words::Rule>("name: 'AOS.colour1' value: '" + colour1 + "'");
    play.hears<words::Rule>("name: 'AOS.colour2' value: '" + colour2 + "'");
    play.hears<words::World>(Play::kFlat);
    play.hears<words::Ready>("");
    return play.waits(5 * kSecond);
  };
  CHECK(count(loads("0000ff", "ff0000"), "says Enter name: \"anna\" team: RED ") == 1);
  CHECK(count(loads("ff0000", "0000ff"), "says Enter name: \"anna\" team: BLUE ") ==
        1);  // as at first, but not as last
}

TEST_CASE("aos front: before it has entered, a client chooses no weapon, side or colour, and says nothing") {
  Play play;
  play.greets(kAos);
  const char* const early = "loses ChangeWeapon: no such weapon, or the player has not entered\n";
  CHECK(play.says(ChangeWeapon{0, 1}) == early);
  CHECK(play.says(ChangeTeam{0, 1}) == early);
  CHECK(play.says(ShortPlayerData{0, 1, 1}) == early);
  CHECK(play.says(SetColour{0, {3, 2, 1}}) == "");
  CHECK(play.says(Hit{1, 0}) == "loses Hit: no player has that number, or the player is not in play\n");
  CHECK(play.says(WeaponReload{0, 1, 1}) == "");
  CHECK(play.says(SetTool{0, 1}) == "");
  CHECK(play.says(Grenade{0, 2, {256, 256, 60}, {}}) == "");
  CHECK(play.says(BlockAction{0, 0, {256, 255, 61}}) == "loses BlockAction: the player cannot change that block\n");
}

TEST_CASE("aos front: a colour is passed on to a server of this game, and kept for the blocks of others") {
  Game same(kAos);
  CHECK(same.says(SetColour{0, {3, 2, 1}}) == "says Change colour: 66051\n");
  Game other;
  CHECK(other.says(SetColour{0, {3, 2, 1}}) == "");
}

TEST_CASE("aos front: programs are known by their letters, and others by theirs") {
  for (const auto& [letter, name] : {std::pair('o', "OpenSpades 1.2.3 (Linux)"), {'x', "x 1.2.3 (Linux)"}}) {
    Play play;
    play.greets();
    VersionResponse version;
    version.letter = static_cast<std::uint8_t>(letter);
    version.version = {1, 2, 3};
    version.system.chars = "Linux";
    play.says(version);
    CHECK(has(play.enters(), std::string(" version: \"") + name + "\" "));
  }
}

TEST_CASE("aos front: a change of side that the room makes within a second, or that a map overtakes, is not refused") {
  const char* const refused = "sides cannot be changed here";
  Game asks;
  asks.says(ChangeTeam{0, 1});  // it is there already
  CHECK_FALSE(has(asks.waits(5 * kSecond), refused));
  asks.says(ChangeTeam{0, 0});
  CHECK_FALSE(has(asks.waits(900 * kMillisecond), refused));
  CHECK(has(asks.waits(200 * kMillisecond), refused));
  CHECK_FALSE(has(asks.waits(10 * kSecond), refused));
  Game overtaken;
  overtaken.says(ChangeTeam{0, 0});
  overtaken.hears<words::World>("hash: 'next' kind: OPEN walled: true");
  CHECK_FALSE(has(overtaken.waits(5 * kSecond), refused));
  Game same(kAos);
  same.says(ChangeTeam{0, 0});
  CHECK_FALSE(has(same.waits(5 * kSecond), refused));
}

TEST_CASE("aos front: a change of side that the room refuses is answered with the room's reason alone") {
  Game game;
  const std::string too_often = "why: 'too often'", line = "type=2 text=\"too often\"\n";
  for (int i = 0; i < 2; ++i) {
    game.says(ChangeTeam{0, 0});
    const std::string told = game.hears<words::ClaimRefused>(too_often);
    CHECK(count(told, "sends ChatMessage") == 1);
    CHECK(has(told, line));
    CHECK_FALSE(has(game.waits(5 * kSecond), "sends ChatMessage"));
  }
  CHECK(game.hears<words::ClaimRefused>(too_often) == "");  // of a request that is repeated, such as for a spawn
  CHECK(has(game.hears<words::ClaimRefused>("why: 'no tank'"), "text=\"no tank\"\n"));
  game.says(ChangeTeam{0, 0});
  CHECK(game.hears<words::ClaimRefused>("") == "");
  CHECK(has(game.waits(5 * kSecond), "sides cannot be changed here"));
}

TEST_CASE("aos front: a weapon that is chosen while dead is that of the next life") {
  Game game;
  game.hears<words::Died>("player: 1 unit: 11");
  CHECK(game.says(ChangeWeapon{0, 2}) == "says Change kit: 3\n");
  CHECK(has(game.hears<words::Spawned>("unit: 11 pose { unit: 11 }"), "sends CreatePlayer player=0 weapon=2 "));
}

// -- Moving -----------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: each claim has the next number, and a room that has not heard keys yet hears them first") {
  Game game(kAos);
  const std::string first = game.says(PositionData{{258, 256, 59.75F}});
  CHECK(first.starts_with("says Keys "));
  CHECK(has(first, "says PoseClaim unit: 11 x: 3.125 "));
  CHECK(first.ends_with(" seq: 1\n"));
  const std::string second = game.says(PositionData{{259, 256, 59.75F}});
  CHECK(second.starts_with("says PoseClaim unit: 11 x: 4.6875 "));
  CHECK(second.ends_with(" seq: 2\n"));
}

TEST_CASE("aos front: places just beyond the map are places, farther ones are not") {
  for (const Vec3& at : {Vec3{-4, 256, 59}, Vec3{516, 256, 59}, Vec3{256, -4, 59}, Vec3{256, 516, 59},
                         Vec3{256, 256, -64}, Vec3{256, 256, 68}}) {
    Game game(kAos);
    CHECK(has(game.says(PositionData{at}), "says PoseClaim"));
  }
  for (const Vec3& at : {Vec3{-5, 256, 59}, Vec3{517, 256, 59}, Vec3{256, -5, 59}, Vec3{256, 517, 59},
                         Vec3{256, 256, -65}, Vec3{256, 256, 69}}) {
    Game game(kAos);
    CHECK(game.says(PositionData{at}).starts_with("loses PositionData.position: "));
  }
}

TEST_CASE("aos front: an old place that arrives after a move is ignored for 0.3 s, a near one is not") {
  Game game(kAos);
  const auto moved = [&] { game.hears<words::Corrected>("pose { unit: 11 x: 50 }"); };  // to 288
  moved();
  CHECK(game.says(PositionData{{256, 256, 59.75F}}) == "");
  CHECK(game.says(PositionData{{292, 256, 59.75F}}) == "");
  CHECK(has(game.says(PositionData{{290, 256, 59.75F}}), "says PoseClaim"));
  moved();
  game.waits(299 * kMillisecond);
  CHECK(game.says(PositionData{{256, 256, 59.75F}}) == "");
  game.waits(kMillisecond);
  CHECK(has(game.says(PositionData{{256, 256, 59.75F}}), "says PoseClaim"));
}

TEST_CASE("aos front: a crouching client stands lower") {
  Game game(kAos);
  game.says(InputData{0, words::Keys::CROUCH});
  CHECK(game.says(PositionData{{256, 256, 60.65F}}).ends_with(" state: 2 seq: 1\n"));
}

TEST_CASE("aos front: 0.80 sequence numbers wrap, and a new one counts also after the highest") {
  Game game(kAos, k080Place);
  const auto says = [&](std::uint32_t sequence) {
    StateUpdateUp update;
    update.sequence = sequence;
    update.now = {{257, 256, 59.75F}, {1, 0, 0}, {}};
    return game.says(update);
  };
  CHECK(has(says(0xffffffff), "seq: 4294967295\n"));
  CHECK(says(0xfffffffe) == "");
  CHECK(has(says(1), "says PoseClaim unit: 11 x: 1.5625 seq: 1\n"));
}

TEST_CASE("aos front: an invalid look or velocity in a state is lost with its place") {
  const char* const lost = "loses StateUpdate: the position is not in the map\n";
  Game game(kAos, k080Place);
  StateUpdateUp update;
  update.now = {{257, 256, 59.75F}, {0, 0, 0}, {}};
  update.sequence = 1;
  CHECK(game.says(update) == lost);
  update.now = {{257, 256, 59.75F}, {1, 0, 0}, {std::nanf(""), 0, 0}};
  update.sequence = 2;
  CHECK(game.says(update) == lost);
}

// -- Fighting ---------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: a trigger of the spade is passed on only to a server of this game") {
  for (const bool same : {false, true}) {
    Game game(same ? kAos : "game: 'bzflag'");
    game.says(SetTool{0, 0});
    CHECK(game.says(WeaponInput{0, 1}) == (same ? "says Trigger primary: true\n" : ""));
    CHECK(game.says(SetTool{0, 2}) == "says Tool number: 2\n");
    game.says(WeaponInput{0, 1});
    CHECK(game.says(SetTool{0, 1}) == (same ? "says Tool number: 1\n" : "says Trigger\nsays Tool number: 1\n"));
  }
}

TEST_CASE("aos front: grenades are numbered, and flawed ones are lost without a number") {
  Game game;
  const Grenade good{0, 2.5F, {256, 256, 62}, {1, 0, 0}};
  CHECK(has(game.says(good), "says Fire unit: 11 shot: 1 kind: GRENADE "));
  Grenade bad = good;
  bad.fuse = 10.5F;
  const char* const lost = "loses Grenade: the position, speed or time is not valid\n";
  CHECK(game.says(bad) == lost);
  bad.fuse = -0.1F;
  CHECK(game.says(bad) == lost);
  bad = good;
  bad.position[1] = std::nanf("");
  CHECK(game.says(bad) == lost);
  bad = good;
  bad.velocity[2] = HUGE_VALF;
  CHECK(game.says(bad) == lost);
  CHECK(has(game.says(good), " shot: 2 "));
}

TEST_CASE("aos front: where nobody counts rounds, a reload ends when the gun's own does, once for each") {
  struct Case {
    std::uint8_t weapon;
    core::Micros takes;
    const char* full;
  };
  for (const Case& one :
       {Case{0, 2'600 * kMillisecond, "clip=10 reserve=50"}, Case{1, 2'600 * kMillisecond, "clip=30 reserve=120"},
        Case{2, 600 * kMillisecond, "clip=6 reserve=48"}}) {
    CAPTURE(one.weapon);
    Game game;
    game.says(ChangeWeapon{0, one.weapon});
    game.says(WeaponReload{0, 1, 2});
    CHECK(game.waits(one.takes - 60 * kMillisecond) == "");
    CHECK(game.waits(120 * kMillisecond) == std::string("sends WeaponReload player=0 ") + one.full + "\n");
    CHECK(game.waits(10 * kSecond) == "");
  }
}

TEST_CASE("aos front: a reload of the last life fills no gun in the next one") {
  Game game;
  game.says(WeaponReload{0, 1, 2});
  game.hears<words::Died>("player: 1 unit: 11");
  game.hears<words::Spawned>("unit: 11 pose { unit: 11 }");
  CHECK_FALSE(has(game.waits(10 * kSecond), "WeaponReload"));
}

// -- Building ---------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: a column that is dug is put back block by block, within the ground") {
  Game game;
  game.says(BlockAction{0, 1, {256, 255, 61}});  // is told once that nothing changes
  const std::string column = game.says(BlockAction{0, 2, {256, 255, 60}});
  CHECK(column.starts_with("says Edit op: COLUMN "));
  CHECK(count(column, "sends BlockAction player=0 action=1 at=(256 255 ") == 3);
  CHECK(count(game.says(BlockAction{0, 2, {256, 255, 61}}), "sends BlockAction") == 2);  // below is the floor
  game.hears<words::World>("hash: 'next' kind: OPEN walled: true");
  game.waits(5 * kSecond);
  game.enters();
  game.hears<words::Spawned>("unit: 11 pose { unit: 11 }");
  CHECK(has(game.says(BlockAction{0, 1, {256, 255, 61}}), "nothing can be built or dug in this world"));  // a new map
}

TEST_CASE("aos front: a line is 64 blocks long at most, and both ends are in the map") {
  Game game;
  CHECK(has(game.says(BlockLine{0, {200, 255, 61}, {263, 255, 61}}), "says Edit op: LINE "));
  CHECK(game.says(BlockLine{0, {200, 255, 61}, {264, 255, 61}}) ==
        "loses BlockLine: the line is longer than the player has blocks\n");
  CHECK(game.says(BlockLine{0, {500, 255, 61}, {512, 255, 61}}) ==
        "loses BlockAction: the player cannot change that block\n");
  CHECK(game.says(BlockLine{0, {500, 255, 62}, {500, 255, 61}}) ==
        "loses BlockAction: the player cannot change that block\n");
  CHECK(count(game.says(BlockLine{0, {200, 250, 61}, {203, 250, 61}}), "sends BlockAction player=0 action=1 ") == 4);
}

// -- Objectives -------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: a client asks for a flag once a visit: again when it comes back, and in its next life") {
  Game game;
  game.hears<words::Token>("id: 31 kind: TEAM_FLAG team: GREEN state: GROUND x: 6.25");
  const auto asks_at = [&](float x) {
    game.says(PositionData{{x, 256, 59.75F}});
    return has(game.waits(200 * kMillisecond), "says TokenWish token: 31 ");
  };
  CHECK(asks_at(258));
  CHECK_FALSE(asks_at(258.5F));
  CHECK_FALSE(asks_at(250));
  CHECK(asks_at(258));
  game.hears<words::Died>("player: 1 unit: 11");
  game.hears<words::Spawned>("unit: 11 pose { unit: 11 x: 3.125 }");
  CHECK(has(game.waits(200 * kMillisecond), "says TokenWish token: 31 "));
}

TEST_CASE("aos front: nobody asks for the own side's flag, one that somebody carries, or on a server of this game") {
  Game own;
  own.hears<words::Token>("id: 31 kind: TEAM_FLAG team: RED state: GROUND x: 0");
  CHECK_FALSE(has(own.waits(kSecond), "TokenWish"));
  Game carried;
  carried.hears<words::Token>("id: 31 kind: TEAM_FLAG team: GREEN state: CARRIED carrier: 2 x: 0");
  CHECK_FALSE(has(carried.waits(kSecond), "TokenWish"));
  Game same(kAos);
  same.hears<words::Token>("id: 31 kind: INTEL team: BLUE state: GROUND x: 0");
  CHECK_FALSE(has(same.waits(kSecond), "TokenWish"));
}

// -- Talk -------------------------------------------------------------------------------------------------------------

TEST_CASE("aos front: a client that waits for a map can talk once it has entered, and is heard") {
  Play play;
  play.opens();
  ChatMessage hi;
  hi.text.chars = std::string("hi") + '\0';
  CHECK(play.says(hi) == "loses ChatMessage: the player has not entered\n");
  play.enters();
  CHECK(play.says(hi) == "says Say text: \"hi\"\n");
}

}  // namespace
}  // namespace entente::aos::front_wishes_test
