// How packets of a client in play become words, and words become packets.
#include <cmath>
#include <map>

#include "proxy/core/replay/resync_phase.h"
#include "tests/aos/front_stage.h"
#include "tests/games/every_fact.h"

namespace entente::aos::front_play_test {
namespace {

constexpr std::size_t k076Place = 1, k080Place = 2;
constexpr const char* kAos = "game: 'aos'";

StateUpdateUp state_update(std::uint32_t sequence, const Vec3& position, std::uint8_t keys = 0) {
  StateUpdateUp update;
  update.sequence = sequence;
  update.inputs[0] = keys;
  update.now = {position, {1, 0, 0}, {0.25F, 0, 0}};
  update.oldest = update.now;
  return update;
}

// -- Positions -------------------------------------------------------------------------------------------------------

TEST_CASE("a position becomes a claim for the feet; a look and keys become keys") {
  for (const std::size_t dialect : {std::size_t{0}, k076Place}) {
    Play play(dialect);
    play.plays();
    CHECK(play.says(OrientationData{{0, 1, 0}}) == "says Keys yaw: -1.5707963267948966\n");
    CHECK(play.says(InputData{0, 0x41}) == "says Keys bits: 65 yaw: -1.5707963267948966\n");
    CHECK(play.says(PositionData{{258, 252, 59.75F}}) ==
          "says PoseClaim unit: 11 x: 3.125 y: 6.25 yaw: -1.5707963267948966 state: 512 seq: 1\n");
    CHECK(play.says(InputData{0, 0x20}) == "says Keys bits: 32 yaw: -1.5707963267948966\n");
    CHECK(play.says(PositionData{{258, 252, 60.65F}}).find("z: ") != std::string::npos);
  }
}

TEST_CASE("invalid positions and looks, and inputs before the first life, are ignored") {
  Play play;
  play.greets();
  CHECK(play.says(PositionData{{256, 256, 59}}) == "");
  CHECK(play.says(InputData{0, 1}) == "");
  play.enters();
  play.spawns();
  play.waits(kSecond);
  CHECK(play.says(PositionData{{std::nanf(""), 256, 59}}) ==
        "loses PositionData.position: the position is not in the map\nsends PositionData position=(256 256 59.75)\n");
  CHECK(play.says(PositionData{{256, 900, 59}})
            .starts_with("loses PositionData.position: the position is not in the map\n"));
  CHECK(play.says(OrientationData{{0, 0, 0}}) == "loses OrientationData.orientation: not a valid direction\n");
  CHECK(play.says(OrientationData{{9, 0, 0}}) == "loses OrientationData.orientation: not a valid direction\n");
}

TEST_CASE("between two positions a client's path is computed from its keys, for servers that do not do so") {
  Play play;
  play.plays();
  play.says(OrientationData{{1, 0, 0}});
  play.says(InputData{0, 1});
  const std::string said =
      kept(play.waits(kSecond), [](std::string_view line) { return line.starts_with("says Pose"); });
  CHECK(lines(said) >= 9);
  CHECK(lines(said) <= 11);
  const auto last = said.rfind(" x: ");
  const double x = std::stod(said.substr(last + 4));
  CHECK(x > 4 * kMetresPerBlock);  // a walk is almost 8 blocks a second, and begins slower
  CHECK(x < 9 * kMetresPerBlock);

  Play same;
  same.plays(kAos);
  same.says(InputData{0, 1});
  CHECK(same.waits(kSecond) == "");  // servers of this game do so themselves
}

/// The last x of the claims in this output; NaN if there is none.
double last_x(const std::string& said) {
  const std::string claims = kept(said, [](std::string_view line) { return line.starts_with("says PoseClaim"); });
  const auto at = claims.rfind(" x: ");
  return at != std::string::npos ? std::stod(claims.substr(at + 4)) : std::nan("");
}

TEST_CASE("a client that holds a key but is silent, or stays behind, stands where it said last") {
  Play play;
  play.plays();
  play.says(OrientationData{{1, 0, 0}});
  play.says(InputData{0, 1});
  play.says(PositionData{{256.1F, 256, 59.75F}});  // as it does when it begins to move
  CHECK(last_x(play.waits(5 * kSecond)) == doctest::Approx(0.1 * kMetresPerBlock).epsilon(0.01));  // something stops it
  CHECK(play.waits(kSecond) == "");

  play.says(InputData{0, 0});
  play.says(InputData{0, 1});
  play.says(PositionData{{256.2F, 256, 59.75F}});
  CHECK(last_x(play.waits(kSecond)) > 4 * kMetresPerBlock);
  play.says(PositionData{{256.8F, 256, 59.75F}});  // it slides slowly along a wall
  CHECK(play.waits(kSecond) == "");
  play.says(PositionData{{257.4F, 256, 59.75F}});
  CHECK(play.waits(kSecond) == "");
  play.says(OrientationData{{0, 1, 0}});  // and turns away
  play.says(PositionData{{257.4F, 256.1F, 59.75F}});
  CHECK(play.waits(500 * kMillisecond).find("says PoseClaim") != std::string::npos);
}

TEST_CASE("a client that stood at something moves by its keys again once it has got past it or presses other keys") {
  for (const bool passes : {true, false}) {
    CAPTURE(passes);
    Play play;
    play.plays();
    play.says(OrientationData{{1, 0, 0}});
    play.says(InputData{0, 1});
    play.says(PositionData{{256.2F, 256, 59.75F}});
    play.waits(kSecond);
    play.says(PositionData{{256.8F, 256, 59.75F}});
    CHECK(play.waits(200 * kMillisecond) == "");
    if (passes)
      play.says(PositionData{{259, 256, 59.75F}});
    else
      play.says(InputData{0, 9});
    CHECK(has(play.waits(500 * kMillisecond), "says PoseClaim"));
  }
}

TEST_CASE("a client that falls for long is computed without a word from it, and stands at nothing") {
  Play play;
  play.plays();
  play.says(OrientationData{{1, 0, 0}});
  play.says(InputData{0, 1});
  play.says(PositionData{{256, 256, -60}});
  play.waits(1300 * kMillisecond);
  CHECK(has(play.waits(200 * kMillisecond), "says PoseClaim"));
  play.says(PositionData{{256, 256, -20}});  // its keys have led it farther than it went
  CHECK(last_x(play.waits(500 * kMillisecond)) > 0);
}

TEST_CASE("after a stall, a client has gone no farther than in a third of a second") {
  Play play;
  play.plays();
  play.says(OrientationData{{1, 0, 0}});
  play.says(InputData{0, 1});
  play.says(PositionData{{256.1F, 256, 59.75F}});
  play.stage.ages(kSecond);
  const double x = last_x(play.waits(200 * kMillisecond));
  CHECK(x > kMetresPerBlock);
  CHECK(x < 5 * kMetresPerBlock);
}

TEST_CASE("a client that stands and looks round claims where it looks, ten times a second at most") {
  Play play;
  play.plays();
  play.says(PositionData{{256.1F, 256, 59.75F}});
  play.waits(3 * kSecond);
  std::string said;
  for (int i = 1; i <= 40; ++i) {  // a second, in which it turns by 2 radians
    const float turn = 0.05F * static_cast<float>(i);
    said += play.says(OrientationData{{std::cos(turn), std::sin(turn), 0}});
    said += play.waits(25 * kMillisecond);
  }
  const auto claims = kept(said, [](std::string_view line) { return line.starts_with("says PoseClaim"); });
  CHECK(lines(claims) >= 8);
  CHECK(lines(claims) <= 11);
  CHECK(play.says(OrientationData{{std::cos(2.01F), std::sin(2.01F), 0}}).find("says PoseClaim") == std::string::npos);
}

TEST_CASE("what lies on the plane of an Ogar server colours the floor, and only near the client") {
  Play play;
  play.plays("game: 'ogar'");
  CHECK(play.hears<words::Unit>("id: 50 kind: PELLET alive: true colour: 0x102030 radius: 0.6 pose { x: 10 y: 0 }") ==
        "");
  CHECK(play.waits(300 * kMillisecond) ==
        "sends SetColour player=32 colour=(48 32 16)\nsends BlockAction player=32 action=0 at=(262 256 62)\n");
  CHECK(play.waits(kSecond) == "");
  CHECK(play.hears<words::Gone>("unit: 50") == "");
  const std::string gone = play.waits(300 * kMillisecond);
  CHECK(gone.find("sends BlockAction player=32 action=0 at=(262 256 62)\n") != std::string::npos);
  CHECK(gone.find("colour=(48 32 16)") == std::string::npos);

  play.hears<words::Unit>("id: 51 kind: VIRUS alive: true colour: 0x33ff33 radius: 5.6 pose { x: -20 y: 20 }");
  CHECK(lines(play.waits(300 * kMillisecond)) == 38);  // a disc, and its colour
  play.hears<words::Unit>("id: 52 kind: PELLET alive: true colour: 0x102030 radius: 0.6 pose { x: 200 y: 0 }");
  CHECK(play.waits(kSecond) == "");
}

TEST_CASE("the floor gets its own colours back, even if what lay there had just changed its colour") {
  Play play;
  std::string colour;
  std::map<std::string, std::string> floor;  // the colour of each block that was painted
  const auto looks = [&](const std::string& said) {
    kept(said, [&](std::string_view line) {
      const auto value = [&](std::string_view key) { return std::string(line.substr(line.find(key) + key.size())); };
      if (line.starts_with("sends SetColour player=32 ")) colour = value("colour=");
      if (line.starts_with("sends BlockAction player=32 ")) floor[value("at=")] = colour;
      return false;
    });
  };
  const auto blocks_of = [&](const std::string& wanted) {
    return std::count_if(floor.begin(), floor.end(), [&](const auto& block) { return block.second == wanted; });
  };
  play.plays("game: 'ogar'");
  const std::string virus = " kind: VIRUS alive: true colour: 0x102030 radius: 5.6 pose { x: ";
  play.hears<words::Unit>("id: 51" + virus + "-20 y: 20 }");
  play.hears<words::Unit>("id: 52" + virus + "20 y: 20 }");
  looks(play.waits(kSecond));
  CHECK(blocks_of("(48 32 16)") == 74);
  play.hears<words::UnitChanged>("unit: 51 colour: 0x405060");
  play.hears<words::UnitChanged>("unit: 52 colour: 0x405060");
  looks(play.waits(250 * kMillisecond));
  CHECK(blocks_of("(96 80 64)") == 64);  // the others change with the next look
  play.hears<words::Gone>("unit: 51");
  play.hears<words::Gone>("unit: 52");
  looks(play.waits(kSecond));
  CHECK(blocks_of("(48 32 16)") + blocks_of("(96 80 64)") == 0);
}

TEST_CASE("a thousand pellets colour the floor bit by bit, and no more than is allowed") {
  Play play;
  play.plays("game: 'ogar'");
  for (int i = 0; i < 1000; ++i)
    play.hears<words::Unit>("id: " + std::to_string(100 + i) +
                            " kind: VIRUS alive: true colour: 1 radius: 5 pose { x: " + std::to_string(i % 100) +
                            " y: " + std::to_string(i / 10 - 50) + " }");
  std::size_t all = 0;
  for (int i = 0; i < 20; ++i) {
    const std::size_t now = lines(kept(play.waits(250 * kMillisecond),
                                       [](std::string_view line) { return line.starts_with("sends BlockAction"); }));
    CHECK(now <= 64);
    all += now;
  }
  CHECK(all > 64);
  CHECK(all <= 512);
}

TEST_CASE("all players' positions are extrapolated and sent 20 times a second") {
  Play play;
  play.plays();
  const std::string still = play.snapshots(kSecond);
  CHECK(lines(still) == 20);
  CHECK(still.starts_with("sends by datagram WorldUpdate players=["));
  CHECK(still.find("position=(288 240 59.75)") != std::string::npos);
  play.hears<words::Pose>("unit: 12 x: 50 y: 25 vx: 15.625");
  const std::string later = play.snapshots(500 * kMillisecond);
  CHECK(later.rfind("position=(29") != std::string::npos);  // ten blocks a second
  CHECK(lines(later) == 10);

  Play slow(0, {{"rate", "10"}});
  slow.plays();
  CHECK(lines(slow.snapshots(kSecond)) == 10);
  slow.stage.set_waiting(100'000);  // the client does not keep up
  CHECK(slow.snapshots(kSecond) == "");
}

TEST_CASE("0.75: in a snapshot each player has its own place, also after one before it has left") {
  Play play;
  play.plays();
  play.comes(3, "name: 'cid' team: GREEN", "alive: true pose { unit: 103 x: 100 y: 25 }");
  play.hears<words::Gone>("unit: 12");
  play.hears<words::PlayerGone>("id: 2");
  const std::string left = play.snapshots(50 * kMillisecond);
  CHECK_MESSAGE(left.find("} {position=(0 0 0) orientation=(0 0 0)} {position=(320 240 59.75)") != std::string::npos,
                left);
}

TEST_CASE("0.76 snapshots name the players; 0.80 sends states, whole when they change and once a second") {
  Play named(k076Place);
  named.plays();
  CHECK(named.snapshots(100 * kMillisecond).find("player=1 position=(288 240 59.75)") != std::string::npos);

  Play play(k080Place);
  play.plays();
  const std::string said = play.snapshots(kSecond);
  CHECK(lines(said) == 20);
  CHECK(lines(kept(said, [](std::string_view line) { return line.find("still=0") != std::string_view::npos; })) <= 2);
  CHECK(said.find("player=0") == std::string::npos);  // the client's own state would be a correction
  play.hears<words::Pose>("unit: 12 x: 50 y: 25 vx: 50");
  const std::string moved = play.snapshots(100 * kMillisecond);
  CHECK(moved.find("still=0 motion={position=(2") != std::string::npos);
  CHECK(moved.find("velocity=(1 0 0)") != std::string::npos);
}

TEST_CASE("0.80: a state is keys and a claim with its speed; only newer ones count") {
  Play play(k080Place);
  play.plays();
  const std::string first = play.says(state_update(7, {257, 256, 59.75F}, 1));
  CHECK(first ==
        "says Keys bits: 1 seq: 7\n"
        "says PoseClaim unit: 11 x: 1.5625 vx: 12.5 seq: 7\n");
  CHECK(play.says(state_update(6, {259, 256, 59.75F}, 1)) == "");
  CHECK(play.says(state_update(7, {259, 256, 59.75F}, 1)) == "");
  CHECK(play.says(state_update(8, {258, 256, 59.75F}, 1)) == "says PoseClaim unit: 11 x: 3.125 vx: 12.5 seq: 8\n");
  StateUpdateUp still;
  still.form = 1;
  still.sequence = 9;
  still.still = 1;
  still.oldest = state_update(0, {1, 1, 1}).now;
  CHECK(play.says(still) ==
        "says Keys seq: 9\n"
        "says PoseClaim unit: 11 x: 3.125 vx: 12.5 seq: 9\n");
  CHECK(play.says(state_update(10, {std::nanf(""), 256, 59.75F}, 1)) ==
        "loses StateUpdate: the position is not in the map\n");
  // Packets that 0.80 has superseded are read and ignored.
  CHECK(play.says(InputData{0, 1}) == "");
  CHECK(play.says(OrientationData{{0, 1, 0}}) == "");
}

TEST_CASE("a client that is off its true position for half a second is corrected, at most once a second") {
  Play play;
  play.plays("game: 'ogar'");
  play.hears<words::Pose>("unit: 11 x: 50 y: 0");
  CHECK(play.waits(400 * kMillisecond) == "");
  CHECK(play.waits(200 * kMillisecond) == "sends PositionData position=(288 256 59.75)\n");
  CHECK(play.waits(kSecond) == "");
  CHECK(play.says(PositionData{{289, 256, 59.75F}}).find("says PoseClaim") != std::string::npos);
  CHECK(play.waits(kSecond) == "");

  Play newer(k080Place);
  newer.plays("game: 'ogar'");
  newer.hears<words::Pose>("unit: 11 x: 50 y: 0");
  const std::string put = newer.snapshots(kSecond);
  CHECK(put.find("player=0") != std::string::npos);
  CHECK(put.find("motion={position=(288 256 59.75)") != std::string::npos);
  CHECK(newer.says(state_update(1, {256, 256, 59.75F})) == "");  // sent before the correction arrived
  CHECK(newer.says(state_update(2, {288, 256, 59.75F})).find("x: 50 ") != std::string::npos);
  CHECK(newer.snapshots(kSecond).find("player=0") == std::string::npos);

  Play same;
  same.plays(kAos);
  same.hears<words::Pose>("unit: 11 x: 50 y: 0");
  CHECK(same.waits(2 * kSecond) == "");
  CHECK(same.hears<words::Corrected>("pose { unit: 11 x: 50 y: 0 } hard: true") ==
        "sends PositionData position=(288 256 59.75)\n");
  CHECK(same.says(PositionData{{256, 256, 59.75F}}) == "");  // was under way when the correction was sent
}

TEST_CASE("0.80: a client is told its new place until it is there; packets without a place do not count as that") {
  Play play(k080Place);
  play.plays("game: 'ogar'");
  CHECK(play.hears<words::Corrected>("pose { unit: 11 x: 50 y: 0 } hard: true") == "");
  StateUpdateUp still;
  still.form = 1;
  still.sequence = 1;
  still.still = 1;
  CHECK(play.says(still) == "");
  CHECK(has(play.snapshots(100 * kMillisecond), "player=0"));
  CHECK(has(play.says(state_update(2, {288, 256, 59.75F})), "x: 50 "));
  CHECK_FALSE(has(play.snapshots(100 * kMillisecond), "player=0"));
}

TEST_CASE("keys of other games' players are derived from movement; those of this game's players are passed on") {
  Play play;
  play.plays();
  play.hears<words::Pose>("unit: 12 x: 50 y: 25 vx: 12");
  CHECK(play.waits(300 * kMillisecond) == "sends InputData player=1 keys=1\n");
  play.hears<words::Pose>("unit: 12 x: 50 y: 25 vx: 25");
  CHECK(play.waits(300 * kMillisecond) == "sends InputData player=1 keys=129\n");
  play.hears<words::Pose>("unit: 12 x: 50 y: 25 vy: 12");
  CHECK(play.waits(300 * kMillisecond) == "sends InputData player=1 keys=4\n");
  play.hears<words::Pose>("unit: 12 x: 50 y: 25");
  CHECK(play.waits(300 * kMillisecond) == "sends InputData player=1 keys=0\n");

  Play same;
  same.plays(kAos);
  CHECK(same.hears<words::Input>("unit: 12 bits: 17 tool: 1 primary: true") ==
        "sends SetTool player=1 tool=1\nsends InputData player=1 keys=17\nsends WeaponInput player=1 buttons=1\n");
  CHECK(same.hears<words::Input>("unit: 12 bits: 17 tool: 1 primary: true") == "");
  same.hears<words::Pose>("unit: 12 x: 50 y: 25 vx: 12");
  CHECK(same.waits(kSecond) == "");
}

// -- Fighting --------------------------------------------------------------------------------------------------------

TEST_CASE("triggers, tools, hits, grenades and reloads become intents") {
  Play play;
  play.plays();
  CHECK(play.says(WeaponInput{0, 1}) == "says Trigger primary: true\n");
  CHECK(play.says(SetTool{0, 0}) == "says Trigger\nsays Tool\n");  // putting the gun away releases its trigger
  CHECK(play.says(WeaponInput{0, 1}) == "");                       // a spade does not fire
  CHECK(play.says(SetTool{0, 2}) == "says Tool number: 2\n");
  CHECK(play.says(SetTool{0, 9}) == "loses SetTool.tool: no such tool\n");
  CHECK(play.says(Hit{1, 1}) == "says HitClaim victim: 2 part: HEAD\n");
  CHECK(play.says(Hit{7, 1}) == "loses Hit: no player has that number, or the player is not in play\n");
  CHECK(play.says(Hit{1, 9}) == "loses Hit: no player has that number, or the player is not in play\n");
  CHECK(play.says(Grenade{0, 2.5F, {256, 256, 62}, {1, 0, -0.5F}}) ==
        "says Fire unit: 11 shot: 1 kind: GRENADE vx: 50 vz: 25 life: 2.5\n");
  CHECK(play.says(Grenade{0, std::nanf(""), {}, {}}) == "loses Grenade: the position, speed or time is not valid\n");
  CHECK(play.says(WeaponReload{0, 3, 50}) == "says Reload\n");
  CHECK(play.waits(2 * kSecond) == "");
  CHECK(play.waits(kSecond) == "sends WeaponReload player=0 clip=10 reserve=50\n");

  Play same;
  same.plays(kAos);
  same.says(SetTool{0, 0});
  CHECK(same.says(WeaponInput{0, 2}) == "says Trigger secondary: true\n");
  CHECK(same.says(WeaponReload{0, 3, 50}) == "says Reload\n");
  CHECK(same.waits(4 * kSecond) == "");  // the server counts the rounds
}

TEST_CASE("health is scaled to 100, and at least 1 for a living player") {
  Play play;
  play.plays();
  CHECK(play.hears<words::Health>("unit: 11 now: 30 max: 60 by: 2 from_x: 15.625") ==
        "sends SetHp hp=50 cause=1 source=(266 256 62)\n");
  CHECK(play.hears<words::Health>("unit: 11 now: 30 max: 60") == "");
  CHECK(play.hears<words::Health>("unit: 11 now: 0.1 max: 60") == "sends SetHp hp=1 cause=0 source=(0 0 0)\n");
  CHECK(play.hears<words::Health>("unit: 12 now: 1 max: 60") == "");
}

TEST_CASE("a death is sent once, and the client asks to spawn after the delay") {
  Play play;
  play.plays();
  CHECK(play.hears<words::Died>("player: 1 unit: 11 killer: 2 why: BY_SHOT respawn_s: 5") ==
        "sends KillAction victim=0 killer=1 type=0 respawn=5\n");
  CHECK(play.hears<words::Died>("player: 1 unit: 11 killer: 2") == "");
  CHECK(play.says(PositionData{{256, 256, 59.75F}}) == "");
  CHECK(play.says(WeaponInput{0, 1}) == "");
  CHECK(play.waits(4900 * kMillisecond) == "");
  CHECK(play.waits(200 * kMillisecond) == "says Spawn\n");
  CHECK(play.hears<words::Spawned>("unit: 11 pose { unit: 11 x: 100 }") ==
        "sends CreatePlayer player=0 weapon=0 team=1 position=(320 256 59.75) name=\"anna\"\n");
  CHECK(play.hears<words::Died>("player: 2 unit: 12 why: BY_FALL") ==
        "sends KillAction victim=1 killer=1 type=4 respawn=3\n");
  CHECK(play.hears<words::Spawned>("unit: 12 pose { unit: 12 x: 100 }") ==
        "sends CreatePlayer player=1 weapon=0 team=0 position=(320 256 59.75) name=\"ben\"\n");
}

TEST_CASE("a death reported after its unit has gone kills the player, who returns with the next spawn") {
  Play play;
  play.plays("game: 'ogar'");
  play.hears<words::Player>("id: 3 name: 'x' team: RED");
  play.hears<words::Unit>("id: 13 owner: 3 kind: CELL radius: 10 alive: true pose { x: 100 }");
  play.hears<words::Unit>("id: 14 owner: 3 kind: CELL radius: 5 alive: true pose { x: 50 }");
  CHECK(has(play.hears<words::Owns>("player: 3 units: 13 units: 14 active: 13"), "sends CreatePlayer player=2 "));
  play.hears<words::Hidden>("unit: 14");
  CHECK(play.hears<words::Owns>("player: 3 units: 14") == "");
  CHECK(play.hears<words::Gone>("unit: 13 by: 12 why: BY_TOUCH") == "");
  CHECK(has(play.hears<words::Died>("player: 3 unit: 13 killer: 2 why: BY_TOUCH"),
            "sends KillAction victim=2 killer=1 "));
  CHECK(play.hears<words::Died>("player: 3 unit: 13 killer: 2") == "");
  CHECK(play.waits(kSecond) == "");
  CHECK(play.hears<words::Unit>("id: 15 owner: 3 kind: CELL radius: 10 alive: true pose { x: 100 }") == "");
  CHECK(play.hears<words::Owns>("player: 3 units: 15 units: 14 active: 15") == "");
  CHECK(has(play.hears<words::Spawned>("unit: 15 pose { x: 100 }"), "sends CreatePlayer player=2 "));
}

TEST_CASE("a resync sends state to a client, but no events") {
  Play play;
  play.plays();
  const auto resync = [&](core::Fact fact) {
    play.stage.hears(core::resync_clock(0));
    const std::string said = play.stage.hears(std::move(fact));
    play.hears<words::Clock>("speed: 1");
    return kept(said, [](std::string_view line) { return !is_snapshot(line); });
  };
  CHECK(resync(word<words::Unit>("id: 12 owner: 2 pose { unit: 12 x: 50 }")) == "");
  CHECK(has(play.snapshots(50 * kMillisecond), "{position=(0 0 0) orientation=(0 0 0)}]"));
  CHECK(play.hears<words::Died>("player: 2 unit: 12 killer: 1") == "");  // ben was dead already
  CHECK(resync(word<words::Unit>("id: 12 owner: 2 alive: true pose { unit: 12 x: 50 }")) ==
        "sends CreatePlayer player=1 weapon=0 team=0 position=(288 256 59.75) name=\"ben\"\n");
  CHECK(play.hears<words::Score>("player: 2 wins: 2") == "");
  CHECK(has(resync(word<words::Score>("player: 2 wins: 3")),
            "sends ExistingPlayer player=1 team=0 weapon=0 tool=2 kills=3 "));
  CHECK(resync(word<words::Shot>("shooter: 2 unit: 12 shot: 5 vx: 100 life: 2")) == "");
  CHECK(resync(word<words::Round>("state: OVER winner: 2")) == "");
  CHECK(has(play.hears<words::Round>("state: OVER winner: 2"), "the round is over: ben has won"));

  Play states(k080Place);
  states.plays();
  states.hears<words::Unit>("id: 12 owner: 2 pose { unit: 12 x: 50 }");
  CHECK(has(states.snapshots(100 * kMillisecond), "player=1 input=0 still=0 motion={position=(0 0 0)"));
}

TEST_CASE("a player who dies and has another unit at once returns when he asks to spawn, not before") {
  Play play;
  play.plays("game: 'panic'");
  play.hears<words::Unit>("id: 13 owner: 1 alive: true pose { unit: 13 x: 50 }");
  CHECK(has(play.hears<words::Died>("player: 1 unit: 11 killer: 2"), "sends KillAction victim=0 killer=1"));
  play.hears<words::Gone>("unit: 11");
  CHECK(play.hears<words::Owns>("player: 1 units: 13 active: 13") == "");
  const std::string later = play.waits(4 * kSecond);
  CHECK(later.find("says Spawn") < later.find("sends CreatePlayer player=0"));
  CHECK(has(later, "sends CreatePlayer player=0"));
}

TEST_CASE("another player's shot is shown as a short pull of the trigger and a look along it; a grenade flies") {
  Play play;
  play.plays();
  CHECK(play.hears<words::Shot>("shooter: 2 unit: 12 vy: 100") == "sends WeaponInput player=1 buttons=1\n");
  CHECK(play.snapshots(100 * kMillisecond).find("orientation=(") != std::string::npos);
  CHECK(play.waits(200 * kMillisecond) == "sends WeaponInput player=1 buttons=0\n");
  const std::string full = "sends WeaponReload player=0 clip=10 reserve=50\n";
  CHECK(play.hears<words::Shot>("shooter: 1 unit: 11 vy: 100") == full);  // the client has drawn its own shot
  CHECK(play.hears<words::Shot>("shooter: 9 unit: 99") == "loses Shot: the client does not see its shooter\n");
  CHECK(play.hears<words::Shot>("shooter: 2 unit: 12 kind: GRENADE x: 15.625 vx: 50 life: 3") ==
        "sends Grenade player=1 fuse=3 position=(266 256 62) velocity=(1 0 0)\n");
}

TEST_CASE("a wave, as a shock wave of BZFlag, is shown as an explosion in its middle, also one of a gun of the world") {
  Play play;
  play.plays();
  const std::string wave = " kind: WAVE x: 15.625 life: 0.7 range: 60 radius: 6";
  const std::string burst = " fuse=0 position=(266 256 62) velocity=(0 0 0)\n";
  CHECK(play.hears<words::Shot>("shooter: 2 unit: 12" + wave) == "sends Grenade player=1" + burst);
  CHECK(play.hears<words::Shot>(wave) == "sends Grenade player=0" + burst);
}

TEST_CASE("ammunition: a full load is a restock, anything else a reload; a new player has a full load") {
  Play play;
  play.plays(kAos);
  CHECK(play.hears<words::Ammo>("player: 1 clip: 10 reserve: 50 blocks: 50 grenades: 3") == "");
  CHECK(play.hears<words::Ammo>("player: 1 clip: 4 reserve: 44 blocks: 50 grenades: 3") ==
        "sends WeaponReload player=0 clip=4 reserve=44\n");
  CHECK(play.hears<words::Ammo>("player: 1 clip: 4 reserve: 50 blocks: 50 grenades: 3") == "sends Restock player=0\n");
  CHECK(play.hears<words::Ammo>("player: 2 clip: 4") == "");
}

/// In a room where each player has two guns, which load for 3.5 s each.
void play_two_guns(Play& play) {
  play.greets("game: 'bzflag' most_shots: 2");
  play.hears<words::Rule>("name: 'hits' value: 'victim'");
  play.hears<words::Rule>("name: 'reload' value: '3.5'");
  play.enters();
  play.spawns();
}

TEST_CASE("where guns load one by one, the clip shows how many are loaded, and each pull fires one") {
  Play play;
  play_two_guns(play);
  CHECK(play.waits(100 * kMillisecond) == "sends WeaponReload player=0 clip=2 reserve=2\n");
  const std::string pulled = "says Trigger primary: true\nsays Trigger\n";
  CHECK(play.says(WeaponInput{0, 1}) == pulled);  // the client counts its own shots
  CHECK(play.waits(400 * kMillisecond) == "");    // a rifle fires twice a second
  CHECK(play.waits(200 * kMillisecond) == pulled);
  CHECK(play.waits(2'500 * kMillisecond) == "");  // no gun is loaded, and the client knows
  const std::string again = "sends WeaponReload player=0 clip=1 reserve=2\n" + pulled;
  CHECK(play.waits(kSecond) == again + again);
  CHECK(play.says(WeaponInput{0, 0}) == "");
  CHECK(play.waits(3 * kSecond) == "sends WeaponReload player=0 clip=1 reserve=2\n");
  // The client's own reload fills its clip, however many guns are loaded.
  CHECK(play.says(WeaponReload{0, 1, 2}) == "says Reload\n");
  CHECK(play.waits(3 * kSecond).ends_with("sends WeaponReload player=0 clip=2 reserve=2\n"));
  CHECK(play.says(WeaponReload{0, 2, 2}) == "says Reload\n");
  CHECK(play.waits(3 * kSecond) == "sends WeaponReload player=0 clip=2 reserve=2\n");
}

TEST_CASE("a gun reloads for as long as its shot flies, if that is longer than the room's reload time") {
  Play play;
  play_two_guns(play);
  play.waits(100 * kMillisecond);
  play.says(WeaponInput{0, 1});
  play.says(WeaponInput{0, 0});
  play.hears<words::Shot>("shooter: 1 unit: 11 vx: 1 life: 6");
  CHECK(play.waits(5 * kSecond) == "");
  CHECK(play.waits(2 * kSecond) == "sends WeaponReload player=0 clip=2 reserve=2\n");
}

TEST_CASE("where ammunition is unlimited, each counted shot refills the clip, but not while the client reloads") {
  Play play;
  play.plays();
  const std::string shot = "shooter: 1 unit: 11 kind: RAY vx: 1 range: 10";
  CHECK(play.hears<words::Shot>(shot) == "sends WeaponReload player=0 clip=10 reserve=50\n");
  CHECK(play.hears<words::Shot>("shooter: 2 unit: 12 kind: RAY vx: 1").find("WeaponReload") == std::string::npos);
  play.says(WeaponReload{0, 3, 50});
  CHECK(play.hears<words::Shot>(shot) == "");
}

TEST_CASE("a new gun is given on the spot; a change of side that the room does not confirm is reported as impossible") {
  Play play;
  play.plays();
  CHECK(play.says(ChangeWeapon{0, 1}) ==
        "says Change kit: 2\nsends CreatePlayer player=0 weapon=1 team=1 position=(256 256 59.75) name=\"anna\"\n");
  CHECK(play.says(ChangeTeam{0, 0}) == "says Change team: BLUE\n");
  CHECK(play.waits(2 * kSecond).find("type=2 text=\"sides cannot be changed here\"\n") != std::string::npos);
  Play sides;
  sides.plays();
  CHECK(sides.says(ChangeTeam{0, 0}) == "says Change team: BLUE\n");
  sides.hears<words::Player>("id: 1 name: 'anna' team: BLUE");
  CHECK(sides.waits(2 * kSecond).find("cannot be changed") == std::string::npos);
  CHECK(play.says(ChangeWeapon{0, 3}) == "loses ChangeWeapon: no such weapon, or the player has not entered\n");
  Play same;
  same.plays(kAos);
  CHECK(same.says(ChangeTeam{0, 1}) == "says Change team: GREEN\n");
  CHECK(same.says(ShortPlayerData{0, 0, 2}) == "says Change team: BLUE kit: 3\n");
}

TEST_CASE("a player becomes a spectator where the server has them, and is told where it has not") {
  Play same;
  same.plays(kAos);
  CHECK(same.says(ChangeTeam{0, 255}) == "says Watch mode: ROAM\n");
  CHECK(same.says(ShortPlayerData{0, 255, 2}) == "says Change kit: 3\nsays Watch mode: ROAM\n");
  same.hears<words::Gone>("unit: 11");
  CHECK(same.hears<words::Player>("id: 1 name: 'anna' role: WATCH kit: 1") ==
        "sends CreatePlayer player=0 weapon=0 team=255 position=(256 256 19.75) name=\"anna\"\n");
  CHECK(has(same.hears<words::Player>("id: 2 name: 'ben' role: WATCH kit: 1"),
            "sends CreatePlayer player=1 weapon=0 team=255 "));

  Play other;
  other.plays();
  CHECK(other.says(ChangeTeam{0, 255}) ==
        "loses ChangeTeam.team: on servers of other games, players cannot become spectators\n"
        "sends ChatMessage player=35 type=2 text=\"players cannot become spectators here\"\n");
}

// -- Blocks ----------------------------------------------------------------------------------------------------------

TEST_CASE("block actions are edits; a world without blocks does not change, and the client is told so") {
  Play play;
  play.plays();
  CHECK(play.says(SetColour{0, {3, 2, 1}}) == "");
  CHECK(play.says(BlockAction{0, 0, {256, 255, 61}}) ==
        "says Edit x: 0.78125 y: 0.78125 z: 0.78125 colour: 66051\n"
        "sends ChatMessage player=35 type=2 text=\"nothing can be built or dug in this world\"\n"  // once
        "sends BlockAction player=0 action=1 at=(256 255 61)\n");
  CHECK(play.says(BlockAction{0, 1, {256, 255, 61}}) ==
        "says Edit op: DIG x: 0.78125 y: 0.78125 z: 0.78125 colour: 66051\n"
        "sends BlockAction player=0 action=1 at=(256 255 61)\n");
  CHECK(play.says(BlockAction{0, 3, {256, 255, 61}}) == "loses BlockAction.action: only servers send that\n");
  CHECK(play.says(BlockAction{0, 0, {256, 512, 61}}) == "loses BlockAction: the player cannot change that block\n");
  CHECK(play.says(BlockAction{0, 1, {256, 255, 62}}) == "loses BlockAction: the player cannot change that block\n");
  CHECK(lines(play.says(BlockLine{0, {256, 255, 61}, {259, 255, 61}})) == 5);
  CHECK(play.says(BlockLine{0, {1, 255, 61}, {259, 255, 61}}) ==
        "loses BlockLine: the line is longer than the player has blocks\n");
}

TEST_CASE("a block dug out of a world without blocks is restored") {
  Play play;
  play.plays("game: 'bzflag'", "hash: 'box' kind: SOLIDS solids { x: 15.625 half_x: 5 half_y: 5 height: 5 }");
  const std::string said = play.says(BlockAction{0, 1, {266, 256, 61}});
  CHECK(said.find("sends SetColour player=32 colour=") != std::string::npos);
  CHECK(said.ends_with("sends BlockAction player=32 action=0 at=(266 256 61)\n"));
}

TEST_CASE("changes of a block map are sent as the player who made them") {
  Play play;
  play.plays(kAos);
  CHECK(play.hears<words::WorldEdit>("by: 2 edit { op: BUILD x: 0.78125 y: 0.78125 z: 0.78125 colour: 66051 }") ==
        "sends SetColour player=1 colour=(3 2 1)\nsends BlockAction player=1 action=0 at=(256 255 61)\n");
  CHECK(play.hears<words::WorldEdit>("by: 2 edit { op: BUILD x: 2.34375 y: 0.78125 z: 0.78125 colour: 66051 }") ==
        "sends BlockAction player=1 action=0 at=(257 255 61)\n");
  CHECK(play.hears<words::WorldEdit>("by: 1 edit { op: COLUMN x: 0.78125 y: 0.78125 z: 0.78125 }") ==
        "sends BlockAction player=0 action=2 at=(256 255 61)\n");
  CHECK(play.hears<words::WorldEdit>(
            "edit { op: LINE x: 0.78125 y: 0.78125 z: 0.78125 x2: 2.34375 y2: 0.78125 z2: 0.78125 colour: 255 }") ==
        "sends SetColour player=32 colour=(255 0 0)\nsends BlockLine player=32 from=(256 255 61) to=(257 255 61)\n");
  CHECK(play.hears<words::WorldEdit>("edit { x: 1e9 }") == "loses WorldEdit: the position is outside the map\n");
}

TEST_CASE("a client forgets the colours of blocks at each spawn and each map, and is sent them again") {
  const std::string at = "x: 0.78125 y: 0.78125 z: 0.78125 ";
  const auto built = [&](Play& play, const std::string& by) {
    return kept(play.hears<words::WorldEdit>(by + "edit { op: BUILD " + at + "colour: 255 }"),
                [](std::string_view line) { return line.starts_with("sends SetColour"); });
  };
  Play play;
  play.plays(kAos);
  CHECK(built(play, "by: 2 ") == "sends SetColour player=1 colour=(255 0 0)\n");
  CHECK(built(play, "by: 2 ") == "");
  play.hears<words::Died>("player: 2 unit: 12");
  play.hears<words::Spawned>("unit: 12 pose { unit: 12 x: 60 }");
  CHECK(built(play, "by: 2 ") == "sends SetColour player=1 colour=(255 0 0)\n");
  CHECK(built(play, "") == "sends SetColour player=32 colour=(255 0 0)\n");
  play.hears<words::World>(Play::kFlat);
  play.waits(5 * kSecond);
  CHECK(built(play, "") == "sends SetColour player=32 colour=(255 0 0)\n");
}

TEST_CASE("our client builds in the plain colour after each spawn, until it sets another") {
  Play play;
  play.plays();
  play.says(SetColour{0, {3, 2, 1}});
  CHECK(has(play.says(BlockAction{0, 0, {256, 255, 61}}), "colour: 66051\n"));
  play.hears<words::Died>("player: 1 unit: 11");
  play.hears<words::Spawned>("unit: 11 pose { unit: 11 }");
  CHECK(has(play.says(BlockAction{0, 0, {256, 255, 61}}), "colour: 7303023\n"));
}

TEST_CASE("a tile that turns out to be a wall is built") {
  Play play;
  play.plays("game: 'panic'", R"(hash: 'tiles' kind: TILES west: -400 east: 400 south: -400 north: 400 columns: 32
                                 rows: 32)");
  const std::string said = play.hears<words::WorldEdit>("edit { op: BUILD x: 12.5 y: 12.5 }");
  CHECK(lines(said) == 1 + 6 * 16);
  CHECK(said.find("sends BlockLine player=32 from=(256 240 61) to=(271 240 61)\n") != std::string::npos);
  CHECK(said.find("sends BlockLine player=32 from=(256 255 56) to=(271 255 56)\n") != std::string::npos);
}

TEST_CASE("a block of a wall that was shown later is put back when its client digs it") {
  Play play;
  play.plays("game: 'panic'", R"(hash: 'tiles' kind: TILES west: -400 east: 400 south: -400 north: 400 columns: 32
                                 rows: 32)");
  const std::string dug = "sends BlockAction player=0 action=1 at=(256 240 ",
                    again = "sends BlockAction player=32 action=0 at=(256 240 ";
  const auto digs = [&](int z) { return play.says(BlockAction{0, 1, {256, 240, z}}); };
  CHECK(has(digs(61), dug + "61)\n"));  // nothing is there yet
  play.hears<words::WorldEdit>("edit { op: BUILD x: 12.5 y: 12.5 }");
  play.hears<words::Unit>("id: 40 kind: BRICK alive: true pose { x: 37.5 y: 12.5 }");
  CHECK(has(digs(61), again + "61)\n"));
  CHECK(has(digs(56), again + "56)\n"));
  CHECK(has(digs(55), dug + "55)\n"));  // above it
  CHECK(has(play.says(BlockAction{0, 1, {272, 240, 61}}), "sends BlockAction player=32 action=0 at=(272 240 61)\n"));
  play.hears<words::Gone>("unit: 40");
  CHECK(has(play.says(BlockAction{0, 1, {272, 240, 61}}), "sends BlockAction player=0 action=1 at=(272 240 61)\n"));
}

// -- Objectives and chat ---------------------------------------------------------------------------------------------

TEST_CASE("bricks are walls as long as they stand, and the first ones are sent with the map") {
  const std::string tiled = "hash: 't' kind: TILES columns: 32 rows: 32 west: -400 east: 400 south: -400 north: 400";
  Play play;
  play.plays("game: 'panic'", tiled);
  const std::string built = play.hears<words::Unit>("id: 40 kind: BRICK alive: true pose { x: 12.5 y: 12.5 }");
  CHECK(count(built, "sends BlockLine player=32 from=(256 ") == 6 * 16);
  CHECK(play.hears<words::Unit>("id: 40 kind: BRICK alive: true pose { x: 12.5 y: 12.5 }") == "");
  const std::string razed = play.hears<words::Gone>("unit: 40");
  CHECK(count(razed, "sends BlockAction player=32 action=3 ") == 2 * 6 * 6);
  CHECK(play.hears<words::Gone>("unit: 40") == "");

  Play other;
  other.stage.knows({0, word<words::Unit>("id: 41 kind: BRICK alive: true pose { x: 12.5 y: 12.5 }")});
  CHECK(count(other.greets("game: 'panic'", tiled), "sends BlockLine player=32") == 6 * 16);
}

TEST_CASE("a flag without a team is the other side's intel if that has none; a flying one is not picked up") {
  Play play;
  play.plays();
  CHECK(has(play.hears<words::Token>("id: 70 kind: FLAG state: FLYING x: 0 y: 0"), "sends MoveObject object=0"));
  CHECK(play.waits(kSecond) == "");
  const std::string lies = play.hears<words::Token>("id: 70 kind: FLAG state: GROUND x: 0 y: 0");
  CHECK(has(lies, "sends MoveObject object="));
  CHECK(has(play.waits(kSecond), "says TokenWish token: 70"));
  CHECK(has(play.hears<words::TokenTaken>("token { id: 70 kind: FLAG state: CARRIED carrier: 1 } by: 1"),
            "sends IntelPickup player=0"));
  CHECK(play.waits(2 * kSecond) == "");  // a flag without a team cannot be captured
  CHECK(has(play.hears<words::TokenDropped>("token { id: 70 kind: FLAG state: GROUND x: 90 } by: 1"),
            "sends IntelDrop player=0"));
}

TEST_CASE("a flag that is carried by its own side is shown nowhere, not as the other side's intel") {
  Play play;
  play.plays();
  play.hears<words::Token>("id: 70 kind: FLAG state: GROUND x: 90");
  const std::string nowhere = "sends MoveObject object=0 team=0 position=(0 0 63)\n";
  const std::string carried = "id: 70 kind: FLAG state: CARRIED carrier: 2";
  CHECK(play.hears<words::TokenTaken>("token { " + carried + " } by: 2") == nowhere);
  CHECK(play.hears<words::TokenCaptured>("token: 70 by: 2") ==
        "loses TokenCaptured: the client does not see that object or that player\n");
  CHECK(play.hears<words::TokenDropped>("token { id: 70 kind: FLAG state: GROUND x: 15.625 } by: 2") ==
        "sends MoveObject object=0 team=0 position=(266 256 62)\n");

  Play later;
  later.stage.knows(word<words::Token>(carried));
  const std::string greeting = later.greets();
  CAPTURE(greeting);
  CHECK(has(greeting, " held=0 "));
  CHECK(has(greeting, " intel2=(0 0 63) "));
}

TEST_CASE("a flag that vanishes is no longer shown") {
  Play play;
  play.plays();
  const std::string nowhere = "sends MoveObject object=0 team=0 position=(0 0 63)\n";
  play.hears<words::Token>("id: 70 kind: FLAG state: GROUND x: 90");
  CHECK(has(play.hears<words::Token>("id: 70 kind: FLAG state: NOWHERE x: 90"), nowhere));
  play.hears<words::Token>("id: 71 kind: TEAM_FLAG team: GREEN state: GROUND x: 90");
  CHECK(play.hears<words::Token>("id: 71 kind: TEAM_FLAG team: GREEN state: NOWHERE x: 90") == nowhere);
}

TEST_CASE("intel that is not in the game hides no other intel of its side") {
  Play play;
  play.plays(kAos);
  play.hears<words::Token>("id: 31 kind: INTEL team: BLUE state: GROUND x: 90");
  play.hears<words::Token>("id: 31 kind: INTEL team: BLUE state: NOWHERE x: 90");
  CHECK(has(play.hears<words::Token>("id: 41 kind: INTEL team: BLUE state: GROUND x: 15.625"),
            "sends MoveObject object=0 team=0 position=(266 256 62)\n"));
}

TEST_CASE("intel is picked up, dropped and captured as the room reports it") {
  Play play;
  play.plays(kAos);
  CHECK(play.hears<words::Token>("id: 31 kind: INTEL team: BLUE state: GROUND x: 15.625") ==
        "sends MoveObject object=0 team=0 position=(266 256 62)\n");
  CHECK(play.hears<words::Token>("id: 33 kind: BASE team: GREEN state: GROUND x: 15.625") ==
        "sends MoveObject object=3 team=1 position=(266 256 62)\n");
  CHECK(play.hears<words::TokenTaken>("token { id: 31 kind: INTEL team: BLUE state: CARRIED carrier: 2 } by: 2") ==
        "sends IntelPickup player=1\n");
  CHECK(play.hears<words::TokenDropped>("token { id: 31 kind: INTEL team: BLUE state: GROUND x: 15.625 } by: 2") ==
        "sends IntelDrop player=1 position=(266 256 62)\n");
  CHECK(play.hears<words::TokenCaptured>("token: 31 by: 2 team: BLUE winning: true") ==
        "sends IntelCapture player=1 winning=1\n");
  CHECK(play.hears<words::Token>("id: 35 kind: FLAG code: 'GM'") ==
        "loses Token: the client's game has nothing like it\n");
}

TEST_CASE("where the server waits for a wish, a client at the other flag asks for it, and at home captures it") {
  Play play;
  play.plays();
  play.hears<words::Token>("id: 31 kind: TEAM_FLAG team: GREEN state: GROUND x: 6.25");
  play.hears<words::Token>("id: 32 kind: BASE team: RED x: -15.625");
  CHECK(play.waits(kSecond) == "");
  play.says(PositionData{{258, 256, 59.75F}});
  CHECK(play.waits(100 * kMillisecond) == "says TokenWish token: 31 x: 3.125 z: 3.515625\n");
  CHECK(play.waits(kSecond) == "");
  CHECK(play.hears<words::TokenTaken>("token { id: 31 kind: TEAM_FLAG team: GREEN state: CARRIED carrier: 1 } by: 1") ==
        "sends IntelPickup player=0\n");
  play.says(PositionData{{247, 256, 59.75F}});
  CHECK(play.waits(100 * kMillisecond) == "says TokenWish token: 31 op: CAPTURE team: RED x: -14.0625 z: 3.515625\n");
}

TEST_CASE("territories are captured in the order of their tokens") {
  Play play;
  play.stage.knows(word<words::Token>("id: 40 kind: BASE code: 'territory' team: BLUE"));  // of a former map
  play.stage.knows(word<words::Token>("id: 41 kind: BASE code: 'territory' team: BLUE state: GROUND x: 15.625"));
  play.stage.knows(word<words::Token>("id: 42 kind: BASE code: 'territory' team: GREEN state: GROUND"));
  const std::string said = play.greets("game: 'aos' mode: 'territory control'");
  CHECK(said.find(" mode=1 territory_count=2 ") != std::string::npos);
  CHECK(play.hears<words::Zone>("id: 42 owner: GREEN capturing: BLUE rate: 0.1 progress: 0.25") ==
        "sends ProgressBar territory=1 team=0 rate=2 progress=0.25\n");
  CHECK(play.hears<words::Zone>("id: 42 owner: BLUE") == "");
  CHECK(play.hears<words::TokenCaptured>("token: 42 team: GREEN") ==
        "sends TerritoryCapture territory=1 winning=0 team=0\n");
  CHECK(play.hears<words::Zone>("id: 77 capturing: BLUE") == "loses Zone: the client does not see that territory\n");
  play.hears<words::Token>("id: 40 kind: BASE code: 'territory' team: BLUE state: GROUND");  // not in the State Data
  CHECK(play.hears<words::TokenCaptured>("token: 42 team: GREEN") ==
        "sends TerritoryCapture territory=1 winning=0 team=0\n");
}

TEST_CASE("a client that comes later is told who has captured a territory") {
  Play play;
  play.stage.knows(word<words::Token>("id: 41 kind: BASE code: 'territory' team: BLUE state: GROUND x: 15.625"));
  play.stage.knows(word<words::Zone>("id: 41 owner: GREEN"));
  CHECK(has(play.greets("game: 'aos'"), " territories=[{position=(266 256 62) team=1}"));
}

TEST_CASE("a map with intel is sent as such, even after one with territories") {
  Play play;
  for (const char* id : {"41", "42"})
    play.stage.knows(word<words::Token>(std::string("kind: BASE code: 'territory' state: GROUND id: ") + id));
  CHECK(has(play.greets("game: 'aos'"), " mode=1 territory_count=2 "));
  for (const char* id : {"41", "42"}) play.hears<words::Token>(std::string("kind: BASE code: 'territory' id: ") + id);
  play.hears<words::World>(Play::kFlat);
  play.hears<words::Token>("id: 31 kind: INTEL team: BLUE state: GROUND x: 15.625");
  CHECK(has(play.waits(5 * kSecond), " mode=0 ctf={"));
  play.hears<words::World>(Play::kFlat);
  play.stage.knows(word<words::Token>("id: 30 kind: INTEL team: BLUE state: GROUND"));  // this is its intel now
  CHECK_FALSE(has(play.waits(5 * kSecond), "sends MoveObject"));                        // State Data has it
}

TEST_CASE("chat goes to all or to the player's own side, and a command stays a command") {
  Play play;
  play.plays();
  const auto line = [](std::uint8_t type, const std::string& text) {
    ChatMessage chat;
    chat.type = type;
    chat.text.chars = text + '\0';
    return chat;
  };
  CHECK(play.says(line(0, "J\x81rgen?")) == "says Say text: \"J\\303\\274rgen?\"\n");
  CHECK(play.says(line(1, "go")) == "says Say scope: MY_TEAM text: \"go\"\n");
  CHECK(play.says(line(0, "/kick ben")) == "says Say kind: COMMAND text: \"/kick ben\"\n");
  CHECK(play.says(line(2, "x")) == "loses ChatMessage.type: only servers send that\n");
  CHECK(play.says(line(0, "")) == "");
  CHECK(play.hears<words::Said>("from: 2 text: 'hello'") == "sends ChatMessage player=1 type=0 text=\"hello\"\n");
  CHECK(play.hears<words::Said>("from: 1 scope: MY_TEAM text: 'go'") ==
        "sends ChatMessage player=0 type=1 text=\"go\"\n");
  CHECK(play.hears<words::Said>("name: 'zoe' text: 'hello'") ==
        "sends ChatMessage player=35 type=2 text=\"zoe: hello\"\n");
  CHECK(play.hears<words::Said>("from: 2 to: 1 scope: ONE text: 'psst'") ==
        "sends ChatMessage player=35 type=2 text=\"ben (to you): psst\"\n");
  CHECK(play.hears<words::Notice>("text: 'be nice'") == "sends ChatMessage player=35 type=2 text=\"be nice\"\n");
  CHECK(lines(play.hears<words::Notice>("text: '" + std::string(200, 'a') + "'")) == 3);
}

TEST_CASE("text outside CP437 is sent as UTF-8 behind a mark, and in 0.80, which has no such mark, as '?'") {
  Play play;
  play.plays();
  CHECK(play.hears<words::Notice>("text: '\xe2\x98\x83'") ==
        "sends ChatMessage player=35 type=2 text=\"\\xff\\xe2\\x98\\x83\"\n");
  Play newer(k080Place);
  newer.plays();
  CHECK(newer.hears<words::Notice>("text: '\xe2\x98\x83'") == "sends ChatMessage player=35 type=2 text=\"?\"\n");
}

TEST_CASE("what cannot be sent to a client is counted by the mapping's reason") {
  Play play;
  play.plays();
  CHECK(play.hears<words::ShotEnded>("") ==
        "loses ShotEnded: shots hit at once, and grenades explode when their fuse ends\n");
  CHECK(play.hears<words::Lag>("player: 2") == "loses Lag: clients show no latency\n");
}

TEST_CASE("each kind of fact has a handler, or is counted by a reason of the mapping") {
  testing::check_every_fact([](const core::Fact& fact) {
    Play fresh;
    fresh.plays();
    return fresh.stage.hears(fact);
  });
}

}  // namespace
}  // namespace entente::aos::front_play_test
