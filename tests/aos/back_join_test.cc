// Our client of an Ace of Spades server: how it joins, and what it does when the map changes.
#include <doctest/doctest.h>

#include "adapters/aos/wire/conversions.h"
#include "tests/aos/back_stage.h"

namespace entente::aos::back_join_test {
namespace {

using core::kSecond;

TEST_CASE("aos back: loads the map, reports the world, and joins when its player asks to spawn") {
  Scene scene;
  CHECK(scene.stage.opens() == "");
  const std::string loading = scene.loads();
  CHECK(count(loading, "says WorldProgress") >= 1);
  CHECK(count(loading, "sends") == 0);
  CHECK(scene.receives(existing(5, 1, "ben")) == "");  // reported once the world is known
  const std::string told = scene.receives(capture_the_flag(3));
  CHECK(has(told, "says Room game: \"aos\" dialect: \"0.75\" mode: \"capture the flag\" most_players: 32"));
  CHECK(has(told, "says Rule name: \"hits\" value: \"server\"\n"));
  CHECK(has(told, "says Rule name: \"AOS.fog\" value: \"80ffe8\"\n"));
  CHECK(has(told, "says World hash: \"vxl-"));
  CHECK(has(told,
            "says Player id: 101 name: \"ben\" team: GREEN kit: 1 responding: true\n"
            "says Unit id: 102 owner: 101 kind: MAN model: 1 team: GREEN health: 100"));
  CHECK(has(told, "says Score player: 101 wins: 4\n"));
  CHECK(has(told, "says TeamScore team: BLUE wins: 2\n"));
  CHECK(has(told, "says Token id: 103 kind: INTEL team: BLUE state: GROUND x: -227.34375 y: 164.84375 z: 3.125\n"));
  CHECK(has(told, "says Ready\n"));
  CHECK(has(scene.hears(anna()), "says Player id: 1 name: \"anna\" team: BLUE kit: 1 responding: true\n"));
  CHECK(scene.hears(words::Spawn()) ==
        "sends ExistingPlayer player=3 team=0 weapon=0 tool=2 kills=0 colour=(111 111 111) name=\"anna\"\n");
  CHECK(scene.hears(words::Spawn()) == "");
  const std::string spawned = scene.receives(created(3, 0, 150.5F, 150.5F, "anna"));
  CHECK(has(spawned, "says Unit id: 107 owner: 1 kind: MAN"));
  CHECK(has(spawned, "says Spawned unit: 107 pose { unit: 107 x: -164.84375 y: 164.84375"));
  CHECK(has(spawned, "says Ammo player: 1 clip: 10 reserve: 50 blocks: 50 grenades: 3 (to 1)\n"));
}

TEST_CASE(
    "aos back: a server that changes its map all the time is given up; some changes, and one each ten seconds, are "
    "not") {
  Scene hasty;
  hasty.stage.opens();
  for (int i = 0; i < 4; ++i) CHECK_FALSE(has(hasty.loads(), "too soon"));
  CHECK(has(hasty.loads(), "a new map too soon after the last ones"));
  CHECK(hasty.stage.closed());
  Scene steady;
  steady.stage.opens();
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(has(steady.loads(), "too soon"));
    steady.waits(10 * kSecond);
  }
}

TEST_CASE("aos back: a server that goes silent: the map does not come, or the player is not created") {
  Scene mapless;
  mapless.stage.opens();
  mapless.hears(anna());
  mapless.waits(80 * kSecond);
  mapless.receives(MapStart{100, 0, {}});
  CHECK(mapless.waits(89 * kSecond) == "");  // since the last packet
  const std::string end = mapless.waits(2 * kSecond);
  CHECK(has(end, "says Refused code: SERVER_GONE text: \"the server does not send its map\""));
  CHECK(mapless.stage.closed());

  Scene waiting;
  waiting.stage.opens();
  waiting.hears(anna());
  for (int i = 0; i < 3; ++i) {  // another Entente asks while it waits for its own server's map
    CHECK(waiting.waits(80 * kSecond) == "");
    CHECK(has(waiting.receives(VersionGet{}), "says WorldProgress\n"));
  }

  Scene outside;
  outside.comes();
  CHECK(outside.waits(200 * kSecond) == "");  // its player has not asked to enter
  outside.hears(anna());
  outside.hears(words::Spawn());
  CHECK(outside.waits(10 * kSecond) ==
        "loses Enter: the server did not answer in time\n"
        "says Notice level: WARNING text: \"the server has not answered the request to play\" (to 1)\n"
        "sends ExistingPlayer player=3 team=0 weapon=0 tool=2 kills=0 colour=(111 111 111) name=\"anna\"\n");
  const std::string later = outside.waits(200 * kSecond);
  CHECK(count(later, "sends ExistingPlayer ") == 8);  // ten times in all
  CHECK(count(later, "loses Enter: the server did not answer in time") == 9);
  CHECK(count(later, "says Notice ") == 0);
}

TEST_CASE("aos back: the player may ask to spawn before the map is loaded; a spectator does not spawn") {
  Scene scene;
  scene.hears(anna());
  scene.hears(words::Spawn());
  CHECK(has(scene.comes(), "sends ExistingPlayer player=3 team=0"));

  Scene watcher;
  watcher.comes();
  CHECK(has(watcher.hears(anna(words::WATCH)), "sends ExistingPlayer player=3 team=255"));
  CHECK(has(watcher.receives(created(3, 255, 100, 100, "anna")), "says Player id: 1 name: \"anna\" role: WATCH"));
  CHECK(watcher.waits(3 * kSecond) == "");
}

TEST_CASE("aos back: a player who chooses a side before it has entered plays on that side") {
  Scene scene;
  scene.comes();
  scene.hears(anna());
  words::Change change;
  change.set_kit(2);
  CHECK_FALSE(has(scene.hears(change), "sends "));
  change.set_team(words::GREEN);
  CHECK(has(scene.hears(change), "sends ExistingPlayer player=3 team=1 weapon=1 "));
}

TEST_CASE("aos back: what a player asks for while the server lets it in is asked for when it is in") {
  words::Change change;
  change.set_team(words::GREEN);
  change.set_kit(2);
  words::Watch watch;
  watch.set_mode(words::Watch::ROAM);
  const auto entering = [](Scene& scene) {
    scene.comes();
    scene.hears(anna());
    CHECK(has(scene.hears(words::Spawn()), "sends ExistingPlayer player=3 team=0 weapon=0 "));
  };
  Scene changes;
  entering(changes);
  CHECK_FALSE(has(changes.hears(change), "sends "));
  const std::string in = changes.receives(created(3, 0, 150.5F, 150.5F, "anna"));
  CHECK(has(in, "sends ChangeWeapon player=3 weapon=1\nsends ChangeTeam player=3 team=1\n"));
  CHECK_FALSE(has(changes.receives(created(3, 1, 150.5F, 150.5F, "anna")), "sends Change"));

  Scene same;  // the server has done it already
  entering(same);
  same.hears(change);
  CreatePlayer green = created(3, 1, 150.5F, 150.5F, "anna");
  green.weapon = 1;
  CHECK_FALSE(has(same.receives(green), "sends Change"));

  Scene watches;
  entering(watches);
  CHECK_FALSE(has(watches.hears(watch), "sends "));
  CHECK(has(watches.receives(created(3, 0, 150.5F, 150.5F, "anna")), "sends ChangeTeam player=3 team=255\n"));
}

TEST_CASE("aos back: answers a version request, echoes a challenge, and reports no cached map in 0.76") {
  Scene scene;
  CHECK(scene.receives(HandshakeInit{{0, 0, 0, 42}}) == "sends HandshakeReturn challenge=(0 0 0 42)\n");
  CHECK(scene.receives(VersionGet{}) ==
        "says WorldProgress\nsends VersionResponse letter=101 version=(1 0 0) system=\"Entente\"\n");
  Scene newer(1);
  CHECK(newer.receives(MapStart{100, 7, {"hills", false}}) == "sends MapCached cached=0\n");
}

TEST_CASE("aos back: a player who dies and is created again while the map loads is in play") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  scene.receives(existing(5, 1, "ben"));
  scene.receives(KillAction{5, 5, kByFall, 3});
  scene.receives(created(5, 1, 160.5F, 150.5F, "ben"));
  scene.receives(capture_the_flag(3));
  CHECK(has(scene.snapshot({{5, {160.5F, 150.5F, 57.6F}}}), "says Spawned unit: 102 "));
}

TEST_CASE("aos back: a truncated or invalid map ends the session; a chunk without a map start is ignored") {
  Scene scene;
  scene.receives(MapStart{100, 0, {}});
  CHECK(has(scene.receives(capture_the_flag(3)), "says Refused text: \"the map ends before"));
  CHECK(scene.stage.closed());

  Scene torn;
  torn.receives(MapStart{100, 0, {}});
  CHECK(torn.receives(MapChunk{{1, 2, 3, 4}}) == "fails: not a zlib stream data 0\n");

  Scene early;
  CHECK(has(early.receives(MapChunk{{1, 2, 3}}), "says WorldProgress") == false);
}

TEST_CASE("aos back: a new map ends every life, and the player must ask to spawn again") {
  Scene scene;
  scene.plays();
  const std::string left = scene.receives(MapStart{100, 0, {}});
  CHECK(has(left, "says Died player: 1 unit: 107 why: BY_SERVER synthesised: true\n"));
  CHECK(has(left, "says PlayerGone id: 101\n"));
  CHECK_FALSE(has(left, "says PlayerGone id: 1\n"));
  CHECK(scene.waits(3 * kSecond) == "");  // no place, no keys
  scene.loads();
  CHECK(has(scene.receives(capture_the_flag(4)), "says Ready\n"));
  CHECK(has(scene.hears(words::Spawn()), "sends ExistingPlayer player=4"));
  CHECK(has(scene.receives(created(4, 0, 150.5F, 150.5F, "anna")), "says Spawned"));
}

TEST_CASE("aos back: a request to play that a new map overtakes is made again after that map") {
  Scene scene;
  scene.comes();
  scene.hears(anna());
  CHECK(has(scene.hears(words::Spawn()), "sends ExistingPlayer player=3"));
  scene.loads();
  CHECK(has(scene.receives(capture_the_flag(4)), "sends ExistingPlayer player=4"));
  CHECK(has(scene.receives(created(4, 0, 150.5F, 150.5F, "anna")), "says Spawned"));
}

TEST_CASE("aos back: the number that its player had on the last map may be another's on the next one") {
  Scene scene;
  scene.plays();
  scene.loads();
  scene.receives(existing(3, 1, "cleo"));
  CHECK(has(scene.receives(capture_the_flag(4)), "says Player id: 108 name: \"cleo\" "));
  CHECK(has(scene.hears(words::Spawn()), "sends ExistingPlayer player=4"));
}

TEST_CASE("aos back: a map that begins while another one is sent takes its place") {
  Scene scene;
  scene.stage.opens();
  scene.receives(MapStart{static_cast<std::uint32_t>(packed_meadow().size()), 0, {}});
  scene.receives(MapChunk{Buffer(packed_meadow().begin(), packed_meadow().begin() + 100)});
  CHECK_FALSE(has(scene.loads(), "fails: "));
  CHECK(has(scene.receives(capture_the_flag(3)), "says Ready\n"));
}

TEST_CASE("aos back: a dead player who has asked to spawn plays on the next map") {
  for (const bool asks : {true, false}) {
    Scene scene;
    scene.plays();
    scene.receives(KillAction{3, 5, 0, 5});
    if (asks) scene.hears(words::Spawn());
    scene.loads();
    CHECK(has(scene.receives(capture_the_flag(4)), "sends ExistingPlayer player=4") == asks);
  }
}

TEST_CASE("aos back: a player who asked to spawn on an earlier map does not play on a later one unasked") {
  Scene scene;
  scene.plays();
  scene.receives(KillAction{3, 5, 0, 5});
  scene.hears(words::Spawn());
  scene.loads();
  CHECK(has(scene.receives(capture_the_flag(4)), "sends ExistingPlayer player=4"));
  scene.receives(created(4, 0, 150.5F, 150.5F, "anna"));
  scene.receives(KillAction{4, 5, 0, 5});
  scene.loads();
  CHECK_FALSE(has(scene.receives(capture_the_flag(4)), "sends ExistingPlayer"));
}

TEST_CASE("aos back: a player who may not watch plays on the next map, too; a wish without an answer is made again") {
  words::Watch watch;
  watch.set_mode(words::Watch::ROAM);
  for (const bool late : {false, true}) {
    CAPTURE(late);
    Scene scene;
    scene.plays();
    CHECK(has(scene.hears(watch), "sends ChangeTeam player=3 team=255\n"));
    scene.waits(late ? 4 * kSecond : 2 * kSecond);
    scene.loads();
    CHECK(has(scene.receives(capture_the_flag(4)), "sends ExistingPlayer player=4 team=255 ") != late);
    if (late) CHECK(has(scene.hears(words::Spawn()), "sends ExistingPlayer player=4 team=0 "));
  }
}

TEST_CASE("aos back: who enters to watch and is put into play enters each map to watch") {
  Scene scene;
  scene.comes();
  CHECK(has(scene.hears(anna(words::WATCH)), "sends ExistingPlayer player=3 team=255 "));
  scene.receives(created(3, 0, 100, 100, "anna"));
  for (const std::uint8_t number : {std::uint8_t{4}, std::uint8_t{5}}) {
    scene.waits(4 * kSecond);
    scene.loads();
    CHECK(has(scene.receives(capture_the_flag(number)),
              "sends ExistingPlayer player=" + std::to_string(number) + " team=255 "));
    scene.receives(created(number, 0, 100, 100, "anna"));
  }
}

TEST_CASE("aos back: a spectator who has asked for a side plays on it on the next map") {
  Scene scene;
  scene.plays();
  words::Watch watch;
  watch.set_mode(words::Watch::ROAM);
  scene.hears(watch);
  scene.receives(created(3, 255, 150.5F, 150.5F, "anna"));
  words::Change change;
  change.set_team(words::GREEN);
  CHECK(has(scene.hears(change), "sends ChangeTeam player=3 team=1\n"));
  scene.loads();
  CHECK(has(scene.receives(capture_the_flag(4)), "sends ExistingPlayer player=4 team=1 "));
}

TEST_CASE("aos back: a lost server refuses a player who has not joined yet; leaving closes the connection once") {
  Scene scene;
  scene.stage.opens();
  CHECK(scene.stage.ends("it did not answer") == "says Refused code: SERVER_GONE text: \"it did not answer\"\n");
  Scene playing;
  playing.plays();
  CHECK(playing.stage.ends("it broke off") == "");
  Scene leaving;
  leaving.plays();
  CHECK(leaving.hears(words::Leave()) == "closes: the player left\n");
  CHECK(leaving.waits(3 * kSecond) == "");
}

TEST_CASE("aos back: a side is the team of its colour, also for players listed before the colours were known") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  scene.receives(existing(5, 1, "ben"));
  StateData state = capture_the_flag(3);
  state.colour2 = {0, 0, 255};  // red
  state.name2.set("Red");
  const std::string said = scene.receives(state);
  CHECK(has(said, "name: \"ben\" team: RED"));
  CHECK(has(said, "says TeamScore team: RED"));
  CHECK_FALSE(has(said, "GREEN"));
  words::Enter enter = anna();
  enter.set_team(words::RED);
  scene.hears(enter);
  CHECK(has(scene.hears(words::Spawn()), "sends ExistingPlayer player=3 team=1 "));
}

TEST_CASE("aos back: a player without a chosen side joins the smaller one") {
  words::Enter enter = anna();
  enter.set_team(words::TEAM_ANY);
  Scene scene;
  scene.comes();  // ben is green
  scene.hears(enter);
  CHECK(has(scene.hears(words::Spawn()), "sends ExistingPlayer player=3 team=0 "));
  Scene other;
  other.comes();
  other.receives(existing(6, 0, "cora"));
  other.receives(existing(7, 0, "dirk"));
  other.hears(enter);
  CHECK(has(other.hears(words::Spawn()), "sends ExistingPlayer player=3 team=1 "));
}

TEST_CASE("aos back: a disconnect is reported with the server's own reason, or else a text for its code") {
  Scene full;
  full.stage.opens();
  CHECK(full.stage.closed_with_code(kFull) == "says Refused code: FULL text: \"the server is full\" may_retry: true\n");
  Scene other;
  CHECK(has(other.stage.closed_with_code(kWrongVersion), "says Refused code: WRONG_VERSION"));
  Scene kicked;
  kicked.plays();
  ChatMessage why;
  why.player = 255;
  why.type = 2;
  why.text.chars = std::string("unloved") + '\0';
  kicked.receives(why);
  CHECK(kicked.stage.closed_with_code(kKicked) == "says Kicked text: \"unloved\"\n");
  CHECK(kicked.waits(3 * kSecond) == "");
  Scene gone;
  gone.plays();
  CHECK(gone.stage.closed_with_code(kServerGone) == "");  // the room says why it ends
}

TEST_CASE("aos back: undecodable packets are counted, and too many of them close the connection") {
  Scene scene;
  scene.plays();
  CHECK(scene.stage.receives(Buffer{13, 1}) == "loses a message: it cannot be decoded\n");
  CHECK(scene.stage.receives(Buffer{50, 1}) == "loses a message: no known version of Ace of Spades has this id\n");
  for (int i = 0; i < 100 && !scene.stage.closed(); ++i) scene.stage.receives(Buffer{13, 1});
  CHECK(scene.stage.closed());
}

}  // namespace
}  // namespace entente::aos::back_join_test
