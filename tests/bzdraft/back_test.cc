// The back of the draft: what the room learns from a server's messages, and what the server is sent for a player's
// intents.
#include <doctest/doctest.h>

#include <cmath>

#include "adapters/bzdraft/wire/resource.h"
#include "adapters/wire/md5.h"
#include "tests/bzdraft/said.h"

namespace entente::bzdraft::back_test {
namespace {

using core::kSecond;

GetWorldDown description(const std::string& model) {
  GetWorldDown world;
  world.style = 9;
  world.max_players = 6;
  world.max_shots = 2;
  world.model.chars = model;
  return world;
}

/// Appends a record of ours that refers to the resource `md5`: its records stand in this place.
void refer(Buffer& to, const Md5& md5) {
  append(to, Buffer{0, 16, 'r', 's'});
  append(to, Bytes(md5));
}
constexpr std::uint8_t kEnd[] = {0, 0, 'e', 'd'};
constexpr std::uint8_t kBoxHead[] = {0, 29, 'b', 'x'};

Buffer box() {
  Buffer all(std::begin(kBoxHead), std::end(kBoxHead));
  all.resize(all.size() + 29);
  return all;
}

struct Play {
  Play() : stage(faces().back({0, {}}), game(), 0, wire::Way::kToServer) {}

  std::string says(std::initializer_list<Message> messages) { return stage.receives(by_server(messages)); }
  std::string wishes(core::Intent intent) { return stage.hears(std::move(intent)); }
  template <class Word>
  std::string wishes(const std::string& text) {
    return stage.hears(word<Word>(text));
  }
  std::string gives(const Md5& md5, const Buffer& bytes) { return says({GetResourceDown{0, 0, md5, bytes}}); }

  void greet(const std::string& model = "") {
    stage.opens();
    VersionDown version;
    version.version.set("BZFS108a");
    version.player = 3;
    version.may_join = 1;
    says({version});
    says({description(model)});
  }
  /// Enters as number 3 with the tank 103, and spawns at 0, 0. Number 2 is the player 101 with the tank 102.
  void come_in(bool claims_deaths = false) {
    greet();
    wishes<words::Enter>(std::string("name: 'anna' team: RED") + (claims_deaths ? " claims_deaths: true" : ""));
    says({Accept{3}});
    says({entry(2, "ben", 2)});
    says({entry(3, "anna", 1)});
    wishes<words::Spawn>("");
    says({AliveDown{3, {}}});
  }
  testing::BackStage stage;
};

TEST_CASE("the back joins in the order that the page describes") {
  Play play;
  const std::string greeting = play.stage.opens();
  CHECK(greeting.starts_with("sends MsgVersion version=\"BZFS108a\" type=0 flags_known=[1 2 3"));
  CHECK(play.wishes<words::Enter>("name: 'anna' team: RED motto: 'm' password: 'p' avatar: 'v'") == "");
  VersionDown version;
  version.version.set("BZFS108a");
  version.player = 3;
  version.may_join = 1;
  CHECK(play.says({version}) == "sends MsgGetWorld offset=0\n");
  Buffer bytes = box();
  append(bytes, Bytes(kEnd));
  const Md5 name = wire::md5(bytes);
  const std::string world = play.says({description(to_hex(name))});
  CHECK(world.find("says Room game: \"bzdraft\" dialect: \"draft\" mode: \"capture the flag\" most_players: 6 "
                   "most_shots: 2 jumping: true teams: true\n") == 0);
  CHECK(world.find("says Rule name: \"hits\" value: \"victim\"\n") != std::string::npos);
  CHECK(world.find("sends MsgGetResource offset=0") != std::string::npos);
  CHECK(play.says({GetResourceDown{0, 20, name, {bytes.begin(), bytes.begin() + 17}}})
            .starts_with("says WorldProgress done: 17 total: 37\nsends MsgGetResource offset=17 "));
  CHECK(play.says({GetResourceDown{0, 20, name, {1}}}) == "");  // a piece that was not requested
  const std::string learnt = play.says({GetResourceDown{17, 0, name, {bytes.begin() + 17, bytes.end()}}});
  CHECK(learnt.find("says World hash: \"" + to_hex(name) + "\" kind: SOLIDS") == 0);
  CHECK(learnt.find("sends MsgEnter team=1 type=0 password=\"p\" callsign=\"anna\" email=\"m\" avatar=\"v\"\n") !=
        std::string::npos);
  CHECK(play.says({Accept{3}}) == "");
  CHECK(play.says({FlagUpdate{4, {2, 1, 0, {1000, 2000, 0}}}}) ==
        "says Token id: 5 kind: TEAM_FLAG code: \"G*\" team: GREEN state: GROUND x: 1 y: 2\n");
  CHECK(play.says({entry(2, "ben", 2, 7)}) ==
        "says Player id: 101 name: \"ben\" team: GREEN responding: true\n"
        "says Unit id: 102 owner: 101 team: GREEN radius: 4.32 name: \"ben\"\n"
        "says Owns player: 101 units: 102 active: 102\n"
        "says Score player: 101 wins: 7\n");
  const std::string own = play.says({entry(3, "anna", 1)});
  CHECK(own.starts_with("says Player id: 1 name: \"anna\" team: RED responding: true\n"));
  CHECK(own.ends_with("says Ready\n"));
}

TEST_CASE("a flag that a player carries already when we join has its carrier once the server has named that player") {
  Play play;
  play.greet();
  play.wishes<words::Enter>("name: 'anna' team: RED");
  play.says({Accept{3}, FlagUpdate{4, {2, 2, 2, {}}}});
  const std::string told = play.says({entry(2, "ben", 2)});
  CHECK(told.starts_with("says Player id: 101 name: \"ben\""));
  CHECK(told.ends_with("says Token id: 5 kind: TEAM_FLAG code: \"G*\" team: GREEN state: CARRIED carrier: 101\n"));
  CHECK(play.says({entry(2, "bert", 2)}).find("says Token") == std::string::npos);  // it is known
}

TEST_CASE("an empty piece of no resource, which another Entente sends while it waits, asks for patience") {
  Play play;
  play.stage.opens();
  CHECK(play.gives(Md5{}, {}) == "says WorldProgress\n");
  play.come_in();
  CHECK(play.gives(Md5{}, {}) == "");
}

TEST_CASE("a resource is fetched once, with all that it refers to, and only if its data matches its name") {
  Buffer leaf = box(), middle, root;
  append(leaf, Bytes(kEnd));
  const Md5 leaf_name = wire::md5(leaf);
  refer(middle, leaf_name);
  refer(middle, leaf_name);
  append(middle, Bytes(kEnd));
  const Md5 middle_name = wire::md5(middle);
  refer(root, middle_name);
  refer(root, leaf_name);
  append(root, Bytes(kEnd));
  const Md5 root_name = wire::md5(root);
  const auto asked = [](const std::string& said, const Md5& md5) {
    std::string list;
    for (const std::uint8_t byte : md5) list += (list.empty() ? "(" : " ") + std::to_string(byte);
    return said.find("sends MsgGetResource offset=0 md5=" + list + ")\n") != std::string::npos;
  };
  SUBCASE("three boxes from one leaf") {
    Play play;
    play.greet(to_hex(root_name));
    CHECK(asked(play.gives(root_name, root), leaf_name));
    CHECK(asked(play.gives(leaf_name, leaf), middle_name));
    const std::string learnt = play.gives(middle_name, middle);
    CHECK(learnt.find("says World hash: \"" + to_hex(root_name)) == 0);
    std::size_t boxes = 0;
    for (std::size_t at = learnt.find("solids {"); at != std::string::npos; at = learnt.find("solids {", at + 1))
      ++boxes;
    CHECK(boxes == 3);
  }
  SUBCASE("data that is missing, or does not match its name, is left out") {
    Play play;
    play.greet(to_hex(root_name));
    play.gives(root_name, root);
    CHECK(play.gives(leaf_name, middle).find("loses MsgGetResource.data: the server does not have it") == 0);
    const std::string learnt = play.gives(middle_name, middle);
    CHECK(learnt.find("loses MsgGetResource.data: the data is not a list of records") == 0);
    CHECK(learnt.find("says World hash: \"" + to_hex(root_name)) != std::string::npos);
  }
  SUBCASE("a resource that the server lacks is requested once") {
    Play play;
    Buffer lonely;
    refer(lonely, Md5{1, 2, 3});
    append(lonely, Bytes(kEnd));
    const Md5 lonely_name = wire::md5(lonely);
    play.greet(to_hex(lonely_name));
    CHECK(asked(play.gives(lonely_name, lonely), Md5{1, 2, 3}));
    CHECK(play.gives(Md5{1, 2, 3}, {}).find("says World") != std::string::npos);
  }
  SUBCASE("a model that is not a resource's name") {
    Play play;
    play.stage.opens();
    VersionDown version;
    version.version.set("BZFS108a");
    version.may_join = 1;
    play.says({version});
    const std::string learnt = play.says({description("desert.bzw")});
    CHECK(learnt.find("loses MsgGetWorld.model: not the name of a resource\n") != std::string::npos);
    CHECK(learnt.find("says World west: -400 east: 400") != std::string::npos);
  }
}

TEST_CASE("repeated references are read up to the limit for fetched bytes") {
  Buffer leaf = box(), root;
  while (leaf.size() < 1U << 20U) {
    append(leaf, Buffer{0xff, 0xff, 'x', 'x'});
    leaf.resize(leaf.size() + 0xffff);
  }
  append(leaf, Bytes(kEnd));
  const Md5 leaf_name = wire::md5(leaf);
  for (int i = 0; i < 20; ++i) refer(root, leaf_name);
  append(root, Bytes(kEnd));
  const Md5 root_name = wire::md5(root);
  const std::size_t most = (Resources::kMostBytes - root.size()) / leaf.size();
  Resources resources;
  REQUIRE(resources.add(leaf_name, std::move(leaf)));
  REQUIRE(resources.add(root_name, std::move(root)));
  std::size_t unread = 0;
  const auto world = resources.world(root_name, unread);
  REQUIRE(world.has_value());
  CHECK(world->solids_size() == static_cast<int>(most));
  CHECK(unread == 20 - most);
}

TEST_CASE("each reason of a refusal is passed on, and the player may retry") {
  const std::pair<int, const char*> kReasons[] = {{0, ""},
                                                  {1, "code: NAME_NEEDS_LOGIN "},
                                                  {2, "code: SERVER_NEEDS_LOGIN "},
                                                  {3, "code: BAD_TEAM "},
                                                  {4, "code: BAD_ROLE "},
                                                  {5, "code: NO_ROGUES "},
                                                  {6, "code: TEAM_FULL "},
                                                  {7, "code: FULL "},
                                                  {99, ""}};
  Play play;
  play.greet();
  for (const auto& [reason, code] : kReasons) {
    CHECK(play.wishes<words::Enter>("name: 'anna'").starts_with("sends MsgEnter "));
    CHECK(play.says({Reject{static_cast<std::uint8_t>(reason), {"no"}}}) ==
          std::string("says Refused ") + code + "text: \"no\" may_retry: true\n");
  }
  play.wishes<words::Enter>("name: 'anna'");
  CHECK(play.says({Reject{7, {""}}}) == "says Refused code: FULL text: \"the server is full\" may_retry: true\n");
}

TEST_CASE("MsgExit is sent only to a server that may have accepted the player") {
  const std::string kCloses = "closes: the player left\n";
  Play play;
  SUBCASE("while greeting") {
    play.stage.opens();
    CHECK(play.wishes<words::Leave>("") == kCloses);
  }
  SUBCASE("while entering") {
    play.greet();
    play.wishes<words::Enter>("name: 'anna'");
    CHECK(play.wishes<words::Leave>("") == "sends MsgExit\n" + kCloses);
  }
  SUBCASE("rejected") {
    play.greet();
    play.wishes<words::Enter>("name: 'anna'");
    play.says({Reject{7, {""}}});
    CHECK(play.wishes<words::Leave>("") == kCloses);
  }
  SUBCASE("rejected, and the room ends") {
    play.greet();
    play.wishes<words::Enter>("name: 'anna'");
    play.says({Reject{7, {""}}});
    CHECK(play.stage.session_ends("over") == "closes: over\n");
  }
}

TEST_CASE("a spawn that is requested before joining is sent after it") {
  Play play;
  play.greet();
  play.wishes<words::Enter>("name: 'anna' team: RED");
  CHECK(play.wishes<words::Spawn>("") == "");
  play.says({Accept{3}});
  CHECK(play.says({entry(3, "anna", 1)}).ends_with("says Ready\nsends MsgAlive\n"));
}

TEST_CASE("a change before the world is complete is a part of the MsgEnter; other words before MsgAccept are counted") {
  Play play;
  Buffer bytes = box();
  append(bytes, Bytes(kEnd));
  const Md5 name = wire::md5(bytes);
  play.greet(to_hex(name));
  play.wishes<words::Enter>("name: 'anna' team: RED");
  CHECK(play.wishes<words::Change>("name: 'anne' team: GREEN") == "");
  CHECK(play.gives(name, bytes).find("sends MsgEnter team=2 type=0 password=\"\" callsign=\"anne\"") !=
        std::string::npos);
  CHECK(play.wishes<words::Say>("text: 'hello'") == "loses Say: the player is not in the game\n");
}

TEST_CASE("a server ends the session") {
  Play play;
  SUBCASE("at once, without a free slot") {
    play.stage.opens();
    CHECK(play.says({SuperKill{}}).starts_with("says Refused code: FULL "));
  }
  SUBCASE("before the player could enter, with a reason") {
    play.stage.opens();
    CHECK(play.says({Reject{0, {"you are banned"}}}) == "");
    CHECK(play.says({SuperKill{}}).starts_with("says Refused code: FULL text: \"you are banned\""));
  }
  SUBCASE("in its greeting") {
    play.stage.opens();
    CHECK(play.says({VersionDown{}}).starts_with("says Refused code: FULL "));
  }
  SUBCASE("by another version") {
    play.stage.opens();
    VersionDown version;
    version.version.set("BZFS1910");
    version.may_join = 1;
    CHECK(play.says({version}).starts_with("says Refused code: WRONG_VERSION "));
  }
  SUBCASE("in game, after a reason") {
    play.come_in();
    play.says({ChatMessage{kServer, 3, {"no cheating"}}});
    CHECK(play.says({SuperKill{}}) == "says Kicked text: \"no cheating\"\ncloses: super kill by the server\n");
  }
  SUBCASE("by removing the player, who is ignored from then on") {
    play.come_in(true);
    CHECK(play.says({RemovePlayer{3}, AliveDown{3, {}}}) ==
          "says Kicked text: \"the server ended the session\"\ncloses: removed by the server\n");
    CHECK(play.wishes<words::PoseClaim>("unit: 103 x: 1") == "");
  }
  SUBCASE("by closing the connection") {
    play.greet();
    CHECK(play.stage.ends("server left") == "says Refused code: SERVER_GONE text: \"server left\"\n");
  }
  SUBCASE("by an invalid message") {
    play.come_in();
    CHECK(play.stage.receives(Buffer{0, 1, 'a', 'p', 1}).starts_with("fails: "));
  }
}

TEST_CASE("a change of name or team is another MsgEnter") {
  Play play;
  play.come_in();
  CHECK(play.wishes<words::Change>("name: 'anne' team: BLUE") ==
        "sends MsgEnter team=3 type=0 password=\"\" callsign=\"anne\" email=\"\" avatar=\"\"\n");
  SUBCASE("accepted") {
    CHECK(play.says({Accept{3}}) == "");
    CHECK(play.says({entry(3, "anne", 3)}) == "says Player id: 1 name: \"anne\" team: BLUE responding: true\n");
  }
  SUBCASE("rejected") {
    CHECK(play.says({Reject{0, {"taken"}}}) == "says ClaimRefused why: \"taken\" (to 1)\n");
    CHECK(play.says({Reject{0, {"taken"}}}) == "");
  }
}

TEST_CASE("a watcher who begins to play gets a tank, and a player who begins to watch loses it") {
  Play play;
  play.come_in();
  AddPlayer dora = entry(4, "dora", 3);
  dora.type = kWatcher;
  CHECK(play.says({dora}).find("says Unit") == std::string::npos);
  dora.type = kTank;
  CHECK(play.says({dora}).find("says Unit id: 105 owner: 104 ") != std::string::npos);
  CHECK(play.says({AliveDown{4, {}}}).starts_with("says Spawned unit: 105 "));
  dora.type = kWatcher;
  CHECK(play.says({dora}).starts_with("says Gone unit: 105\nsays Player id: 104 "));
  CHECK(play.says({AliveDown{4, {}}}) == "");
}

TEST_CASE("a player of ours who begins to watch drives no tank") {
  Play play;
  play.come_in(true);
  AddPlayer anna = entry(3, "anna", 1);
  anna.type = kWatcher;
  CHECK(play.says({anna}).starts_with("says Gone unit: 103\n"));
  CHECK(play.wishes<words::PoseClaim>("unit: 103 x: 1") == "");
  CHECK(play.stage.waits(5 * kSecond) == "");
}

TEST_CASE("a player who is accepted but not yet announced cannot change") {
  Play play;
  play.greet();
  play.wishes<words::Enter>("name: 'anna' team: RED");
  play.says({Accept{3}});
  CHECK(play.wishes<words::Change>("name: 'anne'") == "loses Change: the player is not in the game\n");
}

TEST_CASE("messages about others become facts") {
  Play play;
  play.come_in();
  CHECK(play.says({AliveDown{2, {1000, 2000, 0}}}) == "says Spawned unit: 102 pose { unit: 102 x: 1 y: 2 }\n");
  CHECK(play.stage.receives(by_server({PlayerUpdate{2, 65, {2000, 0, 0}, {1000, 0, 0}, 500, 0}}), Lane::kDatagram) ==
        "says Pose unit: 102 x: 2 vx: 1 yaw: 0.5 state: 1\n");
  CHECK(play.says({ShotBegin{2, 1, {300000, 0, 1570}, {0, 100000, 0}, 500, 3500, 10}}) ==
        "says Shot shooter: 101 unit: 102 shot: 1 weapon: 18253 kind: GUIDED x: 300 z: 1.57 vy: 100 life: 3 range: 300 "
        "team: GREEN\n");
  CHECK(play.says({ShotUpdate{2, 1, {1000, 0, 0}, {0, 1000, 0}, 100, 3}}) ==
        "says ShotMoved shooter: 101 shot: 1 target: 1 x: 1 vy: 1\n");
  CHECK(play.says({ShotEnd{2, 1, 1}}) == "says ShotEnded shooter: 101 shot: 1 burst: true\n");
  CHECK(play.says({Killed{2, 3, 0, 1}}) ==
        "says Died player: 101 unit: 102 killer: 1 shot: 1 why: BY_SHOT respawn_s: 5\n");
  CHECK(play.says({Score{2, 4, 5}}) == "says Score player: 101 wins: 4 losses: 5\n");
  CHECK(play.says({TeamUpdate{2, 4, 5}}) == "says TeamScore team: GREEN wins: 4 losses: 5 size: 1\n");
  CHECK(play.says({TimeLeft{60}}) == "says Round left_s: 60\n");
  CHECK(play.says({TimeLeft{0}}) == "says Round state: OVER left_s: 0\n");
  CHECK(play.says({ScoreOver{252, std::nullopt}}) == "says Round state: OVER winning_team: RED\n");
  CHECK(play.says({ScoreOver{2, std::uint8_t{0}}}) == "says Round state: OVER winner: 101\n");
  CHECK(play.says({ChatMessage{2, 255, {"hi"}}}) == "says Said from: 101 text: \"hi\"\n");
  CHECK(play.says({ChatMessage{2, 3, {"/me waves"}}}) ==
        "says Said from: 101 scope: ONE to: 1 kind: ACTION text: \"waves\" (to 1)\n");
  CHECK(play.says({ChatMessage{2, 251, {"hi"}}}) == "says Said from: 101 scope: MY_TEAM to: 3 text: \"hi\"\n");
  CHECK(play.says({ChatMessage{0, 255, {"n"}}}) == "says Notice text: \"n\"\n");
  CHECK(play.says({RemovePlayer{2}}) == "says Gone unit: 102\nsays PlayerGone id: 101\n");
}

TEST_CASE("a player who was there before us is in play from his first update; an update after his death is ignored") {
  Play play;
  play.come_in();
  const Buffer update = by_server({PlayerUpdate{2, 65, {2000, 0, 0}, {0, 0, 0}, 500, 0}});
  CHECK(play.stage.receives(update, Lane::kDatagram) ==
        "says Spawned unit: 102 pose { unit: 102 x: 2 yaw: 0.5 state: 1 }\n");
  CHECK(play.stage.receives(update, Lane::kDatagram) == "says Pose unit: 102 x: 2 yaw: 0.5 state: 1\n");
  play.says({Killed{2, 3, 0, 1}});
  CHECK(play.stage.receives(update, Lane::kDatagram) == "");
  play.says({AliveDown{2, {1000, 2000, 0}}});
  CHECK(play.stage.receives(update, Lane::kDatagram) == "says Pose unit: 102 x: 2 yaw: 0.5 state: 1\n");
}

TEST_CASE("a laser or a shock wave that has killed a tank goes on") {
  for (const char* code : {"L", "SW"}) {
    CAPTURE(code);
    const std::uint8_t flag = flag_kind(code);
    Play play;
    play.come_in(true);
    play.says({ShotBegin{2, 1, {300000, 0, 1570}, {0, 1000, 0}, 0, 3500, flag}});
    CHECK(play.says({Killed{3, 2, flag, 1}}) ==
          "says Died player: 1 unit: 103 killer: 101 shot: 1 why: BY_SHOT respawn_s: 5\n");
  }
}

TEST_CASE("a death ends the shot that caused it, and a capture implies the deaths of a team") {
  Play play;
  play.come_in(true);
  play.says({ShotBegin{2, 1, {300000, 0, 1570}, {0, 1000, 0}, 0, 3500, 0}});
  CHECK(play.says({Killed{3, 2, 0, 1}}) ==
        "says ShotEnded shooter: 101 shot: 1\n"
        "says Died player: 1 unit: 103 killer: 101 shot: 1 why: BY_SHOT respawn_s: 5\n");
  play.says({AliveDown{3, {}}});
  play.says({GrabFlagDown{0, {1, 2, 2, {}}}});
  CHECK(play.says({DropFlagDown{2, 0, {1, 1, 2, {}}}}) ==
        "says TokenCaptured token: 1 by: 101 team: RED\n"
        "says Token id: 1 kind: TEAM_FLAG code: \"R*\" team: RED state: GROUND\n"
        "says Died player: 1 unit: 103 killer: 101 why: BY_CAPTURE respawn_s: 5 synthesised: true\n");
}

TEST_CASE("a kill by our player's own shot ends that shot, unless it goes on") {
  for (const char* code : {"", "L"}) {
    CAPTURE(code);
    const bool ends = flag_kind(code) == 0;
    Play play;
    play.come_in(true);
    play.says({AliveDown{2, {}}});
    play.says({ShotBegin{3, 1, {0, 0, 1570}, {100000, 0, 0}, 0, 3500, flag_kind(code)}});
    const std::string died = "says Died player: 101 unit: 102 killer: 1 shot: 1 why: BY_SHOT respawn_s: 5\n";
    CHECK(play.says({Killed{2, 3, flag_kind(code), 1}}) == (ends ? "says ShotEnded shooter: 1 shot: 1\n" : "") + died);
  }
}

TEST_CASE("a tank whose client claims its places does not jump back while it drives; in silence, it stops") {
  Play play;
  play.come_in(true);
  play.wishes<words::PoseClaim>("unit: 103 x: 1 vx: 20 seq: 1");
  CHECK(play.stage.waits(2900 * core::kMillisecond) == "");
  CHECK(play.stage.waits(200 * core::kMillisecond) ==
        "sends by datagram MsgPlayerUpdate player=3 status=1 position=(1000 0 0) velocity=(0 0 0) azimuth=0 "
        "angular_velocity=0\n");
}

TEST_CASE("a player's intents are sent as the page describes") {
  Play play;
  play.come_in(true);
  CHECK(play.wishes<words::PoseClaim>("unit: 103 x: 1 y: 2 vx: 5 yaw: 0.5 seq: 1") ==
        "says Pose unit: 103 x: 1 y: 2 vx: 5 yaw: 0.5 seq: 1\n"
        "sends by datagram MsgPlayerUpdate player=3 status=1 position=(1000 2000 0) velocity=(5000 0 0) azimuth=500 "
        "angular_velocity=0\n");
  CHECK(play.wishes<words::Fire>("unit: 103 shot: 1 x: 1 vx: 100 life: 3.5") ==
        "sends MsgShotBegin shooter=3 shot=1 position=(1000 0 0) velocity=(100000 0 0) time=0 lifetime=3500 flag=0\n");
  CHECK(play.wishes<words::Fire>("unit: 103 shot: 1 x: 1 vx: 100 life: 3.5").find(" shot=0 ") != std::string::npos);
  CHECK(play.wishes<words::Fire>("unit: 103 shot: 1 vx: 100 life: 3.5") ==
        "loses Fire: every gun is reloading\nsays ShotEnded shooter: 1 shot: 1 (to 1)\n");
  CHECK(play.wishes<words::ShotMoveClaim>("shot: 1 target: 101 x: 5 vx: 2")
            .starts_with("sends by datagram MsgShotUpdate"));
  CHECK(play.wishes<words::ShotEndClaim>("shooter: 1 shot: 1 burst: true") ==
        "sends MsgShotEnd shooter=3 shot=0 reason=1\n");  // the newer one
  CHECK(play.wishes<words::TokenWish>("token: 5") == "sends MsgGrabFlag number=4\n");
  CHECK(play.wishes<words::TokenWish>("token: 5 op: CAPTURE").ends_with("sends MsgDropFlag reason=2\n"));
  CHECK(play.wishes<words::TeleportClaim>("from: 1 to: 2") == "sends MsgTeleport player=3 from=1 to=2\n");
  CHECK(play.wishes<words::ScoreClaim>("wins: 1 losses: 2") == "sends MsgScore player=3 wins=1 losses=2\n");
  CHECK(play.wishes<words::Say>("text: 'hi'") == "sends MsgMessage from=3 to=255 text=\"hi\"\n");
  CHECK(play.wishes<words::Say>("scope: MY_TEAM text: 'hi'") == "sends MsgMessage from=3 to=252 text=\"hi\"\n");
  CHECK(play.wishes<words::Say>("scope: ONE to: 101 text: 'hi'") == "sends MsgMessage from=3 to=2 text=\"hi\"\n");
  CHECK(play.wishes<words::DeathClaim>("killer: 101 shot: 7 why: BY_SHOT") ==
        "sends MsgKilled victim=3 killer=2 flag=0 shot=7\n");
  CHECK(play.wishes<words::DeathClaim>("killer: 101 shot: 7") == "");
  CHECK(play.wishes<words::Leave>("") == "sends MsgExit\ncloses: the player left\n");
}

TEST_CASE("a wish that no message can express is counted as dropped; one that steers the tank is not") {
  Play play;
  play.come_in();
  CHECK(play.wishes<words::Playback>("speed: 2") == "loses Playback: only replays can be paused or moved in time\n");
  CHECK(play.wishes<words::Toward>("x: 30") == "");
}

TEST_CASE("for a client of another game, a flag that it did not ask for is dropped at once") {
  Play play;
  play.come_in();
  const std::string kDrops = "sends MsgDropFlag reason=3\n";
  CHECK(play.says({GrabFlagDown{0, {10, 2, 3, {}}}}).ends_with(kDrops));
  play.wishes<words::TokenWish>("token: 2");
  CHECK_FALSE(play.says({GrabFlagDown{1, {10, 2, 3, {}}}}).ends_with(kDrops));
}

TEST_CASE("a flag that was not asked for is dropped where the tank is, of which the server is told first") {
  Play play;
  play.come_in();
  play.wishes<words::PoseClaim>("unit: 103 x: 1");
  play.wishes<words::PoseClaim>("unit: 103 x: 2 y: 1");
  const std::string said = play.says({GrabFlagDown{0, {10, 2, 3, {}}}});
  const std::size_t place = said.find(" position=(2000 1000 0) "), drops = said.find("sends MsgDropFlag reason=3\n");
  CHECK(place < drops);
  CHECK(drops != std::string::npos);
}

TEST_CASE("a pulled trigger fires one shot; a held trigger spreads the shots evenly over the reload time") {
  Play play;
  play.come_in();
  const auto shots = [](const std::string& said) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = said.find("sends MsgShotBegin", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  play.wishes<words::Keys>("yaw: 0");
  play.stage.waits(110 * core::kMillisecond);  // between two ticks
  CHECK(shots(play.wishes<words::Trigger>("primary: true")) == 1);
  CHECK(shots(play.stage.waits(1600 * core::kMillisecond)) == 0);  // two guns that reload in 3.5 s
  CHECK(shots(play.stage.waits(200 * core::kMillisecond)) == 1);
  CHECK(shots(play.stage.waits(3300 * core::kMillisecond)) == 2);
  play.wishes<words::Trigger>("");
  CHECK(shots(play.stage.waits(5 * kSecond)) == 0);
}

TEST_CASE("a steered tank drives to its target, shoots from the muzzle, and detects hits") {
  Play play;
  play.come_in();
  play.wishes<words::Toward>("x: 30 y: 0");
  const std::string drive = play.stage.waits(3 * kSecond);
  CHECK(play.stage.world().unit(103)->unit.pose().x() > 29);
  CHECK(drive.find("sends by datagram MsgPlayerUpdate player=3 status=1 ") != std::string::npos);
  play.wishes<words::Trigger>("primary: true");
  CHECK(play.stage.waits(100 * core::kMillisecond).find("sends MsgShotBegin shooter=3 shot=0 ") != std::string::npos);
  play.wishes<words::Trigger>("");
  play.says({ShotBegin{2, 4, {80000, 0, 1570}, {-100000, 0, 0}, 0, 3500, 0}});
  CHECK(play.stage.waits(kSecond).find("sends MsgKilled victim=3 killer=2 flag=0 shot=4\n") != std::string::npos);
  play.says({Killed{3, 2, 0, 4}});
  CHECK(play.stage.waits(3 * kSecond) == "");  // dead tanks send nothing
}

TEST_CASE("a shot of a player who has left hits nobody: the next player may have its number") {
  Play play;
  play.come_in();
  play.says({ShotBegin{2, 4, {80000, 0, 1570}, {-100000, 0, 0}, 0, 3500, 0}, RemovePlayer{2}});
  CHECK(play.stage.waits(kSecond).find("sends MsgKilled") == std::string::npos);
}

TEST_CASE("a shock wave stands still, grows, and hits through everything; a shot of the phantom zone hits nobody") {
  Play play;
  play.come_in();
  const words::Pose here = play.stage.world().unit(103)->unit.pose();
  const auto thousandths = [](double metres) { return static_cast<std::int32_t>(metres * 1000); };
  const Triple beside = {thousandths(here.x()), thousandths(here.y()) - 40'000, 0};
  const std::string seen = play.says({ShotBegin{2, 4, beside, {0, -100000, 0}, 0, 700, 20}});
  CHECK(seen.find("kind: WAVE") != std::string::npos);
  CHECK(seen.find(" range: 60 ") != std::string::npos);
  CHECK(seen.find(" vy: ") == std::string::npos);
  CHECK(play.stage.waits(300 * core::kMillisecond).find("MsgKilled") == std::string::npos);
  CHECK(play.stage.waits(300 * core::kMillisecond).find("sends MsgKilled victim=3 killer=2 flag=20 shot=4\n") !=
        std::string::npos);

  Play other;
  other.come_in();
  other.says({ShotBegin{2, 4, beside, {0, 100000, 0}, 0, 3500, 21}});
  CHECK(other.stage.waits(2 * kSecond).find("MsgKilled") == std::string::npos);
}

TEST_CASE("a shot that another gun fires has the server's number on the server, and the client's in the room") {
  Play play;
  play.come_in(true);
  CHECK(play.wishes<words::Fire>("unit: 103 shot: 770 vx: 100 life: 3.5").find(" shot=0 ") != std::string::npos);
  CHECK(play.wishes<words::Fire>("unit: 103 shot: 1 vx: 100 life: 3.5").find(" shot=1 ") != std::string::npos);
  CHECK(play.wishes<words::ShotMoveClaim>("shot: 770 x: 5")
            .starts_with("sends by datagram MsgShotUpdate shooter=3 shot=0 "));
  CHECK(play.wishes<words::ShotEndClaim>("shooter: 1 shot: 770") == "sends MsgShotEnd shooter=3 shot=0 reason=0\n");
  CHECK(play.wishes<words::ShotEndClaim>("shooter: 1 shot: 1") == "sends MsgShotEnd shooter=3 shot=1 reason=0\n");

  CHECK(play.says({ShotBegin{3, 0, {}, {100000, 0, 0}, 0, 3500, 0}})
            .starts_with("says Shot shooter: 1 unit: 103 shot: 770 "));
  CHECK(play.says({ShotUpdate{3, 0, {}, {}, 0, 2}}).starts_with("says ShotMoved shooter: 1 shot: 770 "));
  CHECK(play.says({Killed{2, 3, 0, 0}}) ==
        "says ShotEnded shooter: 1 shot: 770\n"
        "says Died player: 101 unit: 102 killer: 1 shot: 770 why: BY_SHOT respawn_s: 5\n");
  CHECK(play.says({ShotEnd{3, 0, 0}}) == "says ShotEnded shooter: 1 shot: 770\n");
  CHECK(play.wishes<words::DeathClaim>("killer: 1 shot: 770 why: BY_SHOT") ==
        "sends MsgKilled victim=3 killer=3 flag=0 shot=0\n");
}

}  // namespace
}  // namespace entente::bzdraft::back_test
