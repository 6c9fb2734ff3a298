// What the room learns from each message of a server of the draft, and what the server is told of each wish, one by
// one.
#include <doctest/doctest.h>

#include <algorithm>

#include "adapters/bzdraft/wire/resource.h"
#include "adapters/wire/md5.h"
#include "tests/bzdraft/said.h"

namespace entente::bzdraft::back_words_test {
namespace {

using core::kSecond;

struct Play {
  Play() : stage(faces().back({0, {}}), game(), 0, wire::Way::kToServer) {}

  std::string says(std::initializer_list<Message> messages) { return stage.receives(by_server(messages)); }
  template <class Word>
  std::string wishes(const std::string& text) {
    return stage.hears(word<Word>(text));
  }
  std::string greets(const char* version = "BZFS108a", std::uint8_t may_join = 1) {
    VersionDown greeting;
    greeting.version.set(version);
    greeting.player = 3;
    greeting.may_join = may_join;
    return says({greeting});
  }
  std::string describes(GetWorldDown world = {}) {
    if (world.max_shots == 0) world.max_shots = 2;
    return says({world});
  }
  void load() {
    stage.opens();
    greets();
    describes();
  }
  /// Enters as number 3 with the tank 103, and spawns at 0, 0. Number 2 is the player 101 with the tank 102.
  void come_in(bool claims_deaths = true) {
    load();
    wishes<words::Enter>(std::string("name: 'anna' team: RED") + (claims_deaths ? " claims_deaths: true" : ""));
    says({Accept{3}});
    says({entry(2, "ben", 2)});
    says({entry(3, "anna", 1)});
    wishes<words::Spawn>("");
    says({AliveDown{3, {}}});
  }
  testing::BackStage stage;
};

std::size_t count(const std::string& all, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++found;
  return found;
}

// -- Joining ----------------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft back: a server that takes no players, or speaks another major version, is refused with the reason") {
  Play full;
  full.stage.opens();
  CHECK(full.greets("BZFS108a", 0)
            .starts_with("says Refused code: FULL text: \"the server accepts no players now\" may_retry: true\n"));
  Play other;
  other.stage.opens();
  CHECK(other.greets("BZFS09aa")
            .starts_with("says Refused code: WRONG_VERSION text: \"the server speaks another major version\"\n"));
  Play newer;
  newer.stage.opens();
  CHECK(newer.greets("BZFS10zz") == "sends MsgGetWorld offset=0\n");  // the first six characters count
}

TEST_CASE("bzdraft back: a greeting, a world and an acceptance that come twice ask for nothing") {
  Play play;
  play.stage.opens();
  play.greets();
  CHECK(play.greets() == "");
  CHECK(count(play.describes(), "says World ") == 1);
  CHECK(play.describes() == "");
  CHECK(play.says({Accept{3}}) == "");  // nobody has entered
  CHECK(count(play.wishes<words::Enter>("name: 'anna' team: RED"), "sends MsgEnter") == 1);
  CHECK(play.wishes<words::Enter>("name: 'anna' team: RED") == "");
}

TEST_CASE("bzdraft back: the room learns the game's style, numbers, rules and time") {
  Play play;
  play.stage.opens();
  play.greets();
  GetWorldDown world;
  world.style = kRicochet;
  world.max_players = 7;
  world.max_shots = 4;
  world.linear_acceleration = 1500;
  world.angular_acceleration = 2500;
  world.shake_time = 300;
  world.shake_wins = 4;
  world.server_time = 12;
  const std::string said = play.describes(world);
  CHECK(
      said.starts_with("says Room game: \"bzdraft\" dialect: \"draft\" mode: \"free for all\" most_players: 7 "
                       "most_shots: 4 ricochet: true teams: true\n"));
  for (const char* rule :
       {"\"BZFLAG.linearAcceleration\" value: \"1.5\"\n", "\"BZFLAG.angularAcceleration\" value: \"2.5\"\n",
        "\"BZFLAG.shakeTimeout\" value: \"300\"\n", "\"BZFLAG.shakeWins\" value: \"4\"\n",
        "\"reload\" value: \"3.5\"\n"})
    CHECK(said.find(std::string("says Rule name: ") + rule) != std::string::npos);
  CHECK(said.find("says Clock us: 12000 speed: 1\n") != std::string::npos);
}

TEST_CASE("bzdraft back: an entry says what the player is, and texts are cut to what the draft allows") {
  const auto entered = [](const std::string& enter) {
    Play play;
    play.load();
    return play.wishes<words::Enter>(enter);
  };
  CHECK(entered("name: 'a' team: BLUE role: ROBOT").starts_with("sends MsgEnter team=3 type=2 "));
  CHECK(entered("name: 'a' role: WATCH").starts_with("sends MsgEnter team=0 type=1 "));
  CHECK(entered("team: RED").find(" callsign=\"player\" ") != std::string::npos);
  CHECK(entered("name: 'a' motto: '" + std::string(128, 'm') + "'").find("\"" + std::string(124, 'm') + "...\"") !=
        std::string::npos);
  CHECK(entered("name: 'a' motto: '" + std::string(127, 'm') + "'").find("\"" + std::string(127, 'm') + "\"") !=
        std::string::npos);
}

TEST_CASE("bzdraft back: pieces of another resource, or of another place, are not taken") {
  Buffer bytes(8);
  bytes[2] = 'e';
  bytes[3] = 'd';
  bytes.resize(4);
  const Md5 name = wire::md5(bytes);
  Play play;
  play.stage.opens();
  play.greets();
  GetWorldDown world;
  world.model.chars = to_hex(name);
  CHECK(count(play.describes(world), "sends MsgGetResource offset=0") == 1);
  CHECK(play.says({GetResourceDown{1, 0, name, bytes}}) == "");
  CHECK(play.says({GetResourceDown{0, 0, Md5{9}, bytes}}) == "");
  CHECK(count(play.says({GetResourceDown{0, 0, name, bytes}}), "says World hash: \"" + to_hex(name) + "\"") == 1);
  CHECK(play.says({GetResourceDown{0, 0, name, bytes}}) == "");
}

/// Asks for one resource, which the server names.
struct Fetching : Play {
  Fetching() {
    stage.opens();
    greets();
    GetWorldDown world;
    world.model.chars = to_hex(name);
    describes(world);
  }
  const Md5 name{1, 2, 3};
};

TEST_CASE("bzdraft back: a resource is given up when a piece of it is empty, though more is said to remain") {
  Fetching play;
  CHECK(count(play.says({GetResourceDown{0, 40, play.name, Buffer(20)}}), "sends MsgGetResource offset=20 ") == 1);
  const std::string said = play.says({GetResourceDown{20, 20, play.name, {}}});
  CHECK(said.starts_with("loses MsgGetResource.data: the server does not have it"));
  CHECK(count(said, "sends MsgGetResource") == 0);
  CHECK(count(said, "says World ") == 1);
}

TEST_CASE("bzdraft back: a resource is given up when it is larger than all of a world may be") {
  Fetching play;
  const Buffer piece(60'000);
  std::size_t asked = 1;
  for (std::size_t got = 0; got + piece.size() <= Resources::kMostBytes; got += piece.size())
    asked += count(play.says({GetResourceDown{static_cast<std::uint32_t>(got), 60'000, play.name, piece}}),
                   "sends MsgGetResource");
  CHECK(asked == Resources::kMostBytes / piece.size() + 1);
  const auto offset = static_cast<std::uint32_t>((asked - 1) * piece.size());
  const std::string said = play.says({GetResourceDown{offset, 60'000, play.name, piece}});
  CHECK(said.starts_with("loses MsgGetResource.data: the server does not have it"));
  CHECK(count(said, "sends MsgGetResource") == 0);
  CHECK(count(said, "says World ") == 1);
}

TEST_CASE("bzdraft back: a reject in the game is the answer to a change, or nothing") {
  Play play;
  play.come_in();
  Reject reject;
  reject.reason = 6;
  CHECK(play.says({reject}) == "");
  play.wishes<words::Change>("team: BLUE");
  CHECK(play.says({reject}) == "says ClaimRefused why: \"the team is full\" (to 1)\n");
  CHECK(play.says({reject}) == "");
  play.wishes<words::Change>("team: BLUE");
  CHECK(play.says({Accept{3}}) == "");
  CHECK(play.says({reject}) == "");
}

TEST_CASE("bzdraft back: a change without an answer for three seconds is counted") {
  Play play;
  play.come_in();
  CHECK(play.wishes<words::Change>("name: 'anne'") ==
        "sends MsgEnter team=1 type=0 password=\"\" callsign=\"anne\" email=\"\" avatar=\"\"\n");
  CHECK(play.stage.waits(2900 * core::kMillisecond).find("loses Change") == std::string::npos);
  CHECK(play.stage.waits(200 * core::kMillisecond).find("loses Change") != std::string::npos);
  Play answered;
  answered.come_in();
  answered.wishes<words::Change>("motto: 'x' team: BLUE");
  answered.says({Accept{3}});
  CHECK(answered.stage.waits(4 * kSecond).find("loses Change") == std::string::npos);
}

TEST_CASE("bzdraft back: what a change cannot say is counted, and a change of nothing is not sent") {
  Play play;
  play.come_in();
  CHECK(play.wishes<words::Change>("kit: 1") == "loses Change: all tanks of a team look alike\n");
  CHECK(play.wishes<words::Change>("colour: 1") == "loses Change: all tanks of a team look alike\n");
  CHECK(play.wishes<words::Change>("skin: 'x'") == "loses Change.skin: an avatar cannot change during a session\n");
  CHECK(play.wishes<words::Change>("") == "");
}

TEST_CASE("bzdraft back: a server that ends the session before it has let us in") {
  Play slots;
  slots.stage.opens();
  CHECK(slots.says({SuperKill{}})
            .starts_with("says Refused code: FULL text: \"the server ended the session, and gave "
                         "no reason\" may_retry: true\n"));
  Play later;
  later.load();
  CHECK(
      later.says({SuperKill{}})
          .starts_with("says Refused code: SERVER_GONE text: \"the server ended the session, and gave no reason\"\n"));
  Play told;
  told.load();
  Reject reject;
  reject.text.chars = "go away";
  CHECK(told.says({reject}) == "");
  CHECK(told.says({SuperKill{}}).starts_with("says Refused code: SERVER_GONE text: \"go away\"\n"));
  CHECK(told.says({entry(2, "ben", 2)}) == "");
}

// -- Players ----------------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft back: players have the numbers 1 to 248, and none before we are in") {
  Play early;
  early.load();
  const std::string lost = "loses MsgAddPlayer.player: no player can have that number\n";
  CHECK(early.says({entry(2, "ben", 2)}) == lost);
  Play play;
  play.come_in();
  for (const auto& [number, is] : {std::pair<std::uint8_t, bool>{0, false}, {1, true}, {248, true}, {249, false}})
    CHECK((play.says({entry(number, "x", 2)}) != lost) == is);
}

TEST_CASE("bzdraft back: a new player has a score, also one of zero; a known one if it has changed") {
  Play play;
  play.come_in();
  CHECK(count(play.says({entry(4, "dan", 2)}), "says Score player: ") == 1);
  CHECK(count(play.says({entry(4, "dana", 2)}), "says Score player: ") == 0);
  CHECK(count(play.says({entry(4, "dana", 2, 5)}), "says Score player: ") == 1);
  AddPlayer lost = entry(4, "dana", 2);
  lost.losses = 3;
  lost.type = kRobot;
  lost.email.chars = "hi";
  lost.avatar.chars = "tank";
  const std::string said = play.says({lost});
  CHECK(said.find(" losses: 3\n") != std::string::npos);
  CHECK(said.find("name: \"dana\" team: GREEN role: ROBOT") != std::string::npos);
  CHECK(said.find(" motto: \"hi\"") != std::string::npos);
  CHECK(said.find(" skin: \"tank\"") != std::string::npos);
}

TEST_CASE("bzdraft back: the size of a team is the number of its players, and an unknown team has no score") {
  Play play;
  play.come_in();
  play.says({entry(4, "dan", 2)});
  CHECK(play.says({TeamUpdate{2, 1, 2}}) == "says TeamScore team: GREEN wins: 1 losses: 2 size: 2\n");
  CHECK(play.says({TeamUpdate{3, 1, 2}}) == "says TeamScore team: BLUE wins: 1 losses: 2\n");
  CHECK(play.says({TeamUpdate{5, 1, 2}}) == "loses MsgTeamUpdate.team: the team is unknown\n");
}

TEST_CASE("bzdraft back: the removal of our own player ends the session") {
  Play play;
  play.come_in();
  CHECK(play.says({RemovePlayer{3}}) ==
        "says Kicked text: \"the server ended the session\"\ncloses: removed by the server\n");
  CHECK(play.stage.closed());
}

// -- Lives and shots --------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft back: who killed a tank: a player, itself or the server") {
  const auto died = [](std::uint8_t killer, std::uint8_t shot) {
    Play play;
    play.come_in();
    play.says({AliveDown{2, {}}});
    return play.says({Killed{2, killer, 0, shot}});
  };
  CHECK(died(3, 4) == "says Died player: 101 unit: 102 killer: 1 shot: 4 why: BY_SHOT respawn_s: 5\n");
  CHECK(died(2, 0) == "says Died player: 101 unit: 102 killer: 101 why: BY_ITSELF respawn_s: 5\n");
  CHECK(died(kServer, 0) == "says Died player: 101 unit: 102 why: BY_SERVER respawn_s: 5\n");
}

TEST_CASE("bzdraft back: our own death names its killer, shot and flag, or the server, or ourselves") {
  const auto claims = [](const std::string& death) {
    Play play;
    play.come_in();
    play.says({ShotBegin{2, 1, {300000, 0, 1570}, {0, 1000, 0}, 0, 3500, 10},
               ShotBegin{2, 0, {300000, 0, 1570}, {0, 1000, 0}, 0, 3500, 11}});
    return play.wishes<words::DeathClaim>(death);
  };
  CHECK(claims("killer: 101 shot: 1 why: BY_SHOT") == "sends MsgKilled victim=3 killer=2 flag=10 shot=1\n");
  CHECK(claims("killer: 101 why: BY_SHOT") == "sends MsgKilled victim=3 killer=2 flag=11 shot=0\n");
  CHECK(claims("killer: 101 why: BY_TOUCH") == "sends MsgKilled victim=3 killer=2 flag=0 shot=0\n");
  CHECK(claims("why: BY_WATER") == "sends MsgKilled victim=3 killer=0 flag=0 shot=0\n");
  CHECK(claims("why: BY_ITSELF") == "sends MsgKilled victim=3 killer=3 flag=0 shot=0\n");
  CHECK(claims("killer: 999 why: BY_TOUCH") == "sends MsgKilled victim=3 killer=3 flag=0 shot=0\n");
}

TEST_CASE("bzdraft back: the end of our own shot is told; those of others and of nobody are counted") {
  Play play;
  play.come_in();
  CHECK(play.wishes<words::ShotEndClaim>("shooter: 1 shot: 7") == "sends MsgShotEnd shooter=3 shot=7 reason=0\n");
  CHECK(play.wishes<words::ShotEndClaim>("shooter: 101 shot: 7") ==
        "loses ShotEndClaim: shots of others end with the deaths that they cause\n");
  CHECK(play.wishes<words::ShotEndClaim>("shooter: 999 shot: 7") ==
        "loses ShotEndClaim: its shooter is not in the game\n");
  CHECK(play.wishes<words::ShotMoveClaim>("shot: 2 target: 101 x: 1 y: 2 z: 3 vx: 4 vy: 5 vz: 6") ==
        "sends by datagram MsgShotUpdate shooter=3 shot=2 position=(1000 2000 3000) velocity=(4000 5000 6000) time=0 "
        "target=2\n");
  CHECK(play.wishes<words::ShotMoveClaim>("shot: 2").ends_with(" target=0\n"));
  play.says({Killed{3, 2, 0, 0}});
  for (const char* shooter : {"1", "101", "999"})
    CHECK(play.wishes<words::ShotEndClaim>(std::string("shooter: ") + shooter) == "");
  CHECK(play.wishes<words::ShotMoveClaim>("shot: 2") == "");
  CHECK(play.wishes<words::TeleportClaim>("from: 1 to: 2") == "");
}

TEST_CASE("bzdraft back: a ray is a fast shot, a shot without a life has that of the reload time") {
  Play ray;
  ray.come_in();
  CHECK(ray.wishes<words::Fire>("shot: 1 kind: RAY vx: 1 life: 0.5 range: 100") ==
        "sends MsgShotBegin shooter=3 shot=1 position=(0 0 0) velocity=(200000 0 0) time=0 lifetime=500 flag=0\n");
  Play plain;
  plain.come_in();
  CHECK(plain.wishes<words::Fire>("shot: 1 x: 1 y: 2 z: 3 vx: 4 vy: 5 vz: 6 weapon: 18253") ==
        "sends MsgShotBegin shooter=3 shot=1 position=(1000 2000 3000) velocity=(4000 5000 6000) time=0 lifetime=3500 "
        "flag=10\n");
}

TEST_CASE("bzdraft back: a shot that has already flown has the rest of its life") {
  Play play;
  play.come_in();
  const std::string said = play.says({ShotBegin{2, 1, {1000, 2000, 3000}, {3000, 4000, 0}, 1500, 3500, 0}});
  CHECK(said == "says Shot shooter: 101 unit: 102 shot: 1 x: 1 y: 2 z: 3 vx: 3 vy: 4 life: 2 range: 10 team: GREEN\n");
  CHECK(play.says({ShotBegin{2, 1, {}, {1000, 0, 0}, 5000, 3500, 0}}).find("life") == std::string::npos);
}

TEST_CASE("bzdraft back: a shot that has ended, and one of our own, hit nobody") {
  Play ended;
  ended.come_in(false);
  ended.says({ShotBegin{2, 4, {80000, 0, 1570}, {-100000, 0, 0}, 0, 3500, 0}});
  CHECK(ended.says({ShotEnd{2, 4, 0}}) == "says ShotEnded shooter: 101 shot: 4\n");
  CHECK(ended.stage.waits(kSecond).find("sends MsgKilled") == std::string::npos);
  Play own;
  own.come_in(false);
  own.says({ShotBegin{3, 4, {80000, 0, 1570}, {-100000, 0, 0}, 0, 3500, 0}});
  CHECK(own.stage.waits(kSecond).find("sends MsgKilled") == std::string::npos);
  Play other;
  other.come_in(false);
  other.says({ShotBegin{2, 4, {80000, 0, 1570}, {-100000, 0, 0}, 0, 3500, 0}, ShotEnd{2, 5, 0}});
  CHECK(other.stage.waits(kSecond).find("sends MsgKilled") != std::string::npos);
}

TEST_CASE("bzdraft back: an update of a tank that is not alive does not move it") {
  Play play;
  play.come_in();
  play.says({AliveDown{2, {}}});
  CHECK(play.says({PlayerUpdate{2, 0, {2000, 0, 0}, {}, 0, 0}}) == "");
  CHECK(play.says({PlayerUpdate{2, kAlive, {2000, 0, 0}, {}, 0, 0}}) == "says Pose unit: 102 x: 2\n");
}

TEST_CASE("bzdraft back: a teleport of another is told, and one of ours is sent") {
  Play play;
  play.come_in();
  play.says({AliveDown{2, {}}});
  Buffer bytes;
  make_message_codec()->write(Teleport{2, 4, 5}, wire::Way::kToClient, bytes, kTeleportCode);
  CHECK(play.stage.receives(bytes) == "says Teleported unit: 102 from: 4 to: 5\n");
}

// -- Flags and chat ---------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft back: why a flag was dropped, by whom, and a captured flag of no team kills nobody") {
  Play play;
  play.come_in();
  play.says({GrabFlagDown{0, {5, 2, 2, {}}}});
  for (const auto& [reason, why] : {std::pair<std::uint8_t, const char*>{0, " why: DROP_TIMEOUT"},
                                    {1, " why: DROP_SCORE"},
                                    {3, " why: DROP_WISHED"},
                                    {4, " why: DROP_KILLED"},
                                    {9, ""}})
    CHECK(play.says({DropFlagDown{reason, 0, {5, 1, 2, {}}}}).ends_with(" by: 101" + std::string(why) + "\n"));
  const std::string captured = play.says({DropFlagDown{2, 0, {5, 1, 2, {}}}});
  CHECK(captured.starts_with("says TokenCaptured token: 1 by: 101\n"));
  CHECK(captured.find("says Died") == std::string::npos);
}

TEST_CASE("bzdraft back: wishes for flags that no flag can answer, or that the draft cannot say, are counted") {
  Play play;
  play.come_in();
  CHECK(play.wishes<words::TokenWish>("token: 0") == "loses TokenWish: no flag can have that number\n");
  CHECK(play.wishes<words::TokenWish>("token: 65536") == "sends MsgGrabFlag number=65535\n");
  CHECK(play.wishes<words::TokenWish>("token: 65537") == "loses TokenWish: no flag can have that number\n");
  CHECK(play.wishes<words::TokenWish>("op: GIVE") == "loses TokenWish: flags can be taken only from the ground\n");
  CHECK(play.wishes<words::TokenWish>("op: DROP why: DROP_TIMEOUT").ends_with("sends MsgDropFlag reason=0\n"));
  CHECK(play.wishes<words::TokenWish>("op: DROP").ends_with("sends MsgDropFlag reason=3\n"));
  play.says({Killed{3, 2, 0, 0}});
  CHECK(play.wishes<words::TokenWish>("token: 5") == "loses TokenWish: the player is not in play\n");
}

TEST_CASE("bzdraft back: the server learns where the tank is before it is asked to drop or capture its flag there") {
  for (const char* wish : {"op: DROP", "op: CAPTURE"}) {
    CAPTURE(wish);
    Play play;
    play.come_in();
    while (play.wishes<words::PoseClaim>("unit: 103 x: 1 seq: 1").find("sends by datagram") != std::string::npos) {
    }  // as many as the server accepts at once
    CHECK(play.wishes<words::PoseClaim>("unit: 103 x: 7 y: 8 seq: 2").find("sends by datagram") == std::string::npos);
    CHECK(play.wishes<words::TokenWish>(wish).starts_with(
        "sends by datagram MsgPlayerUpdate player=3 status=1 position=(7000 8000 0) "));
  }
}

TEST_CASE("bzdraft back: a wish for a flag is answered by what happens to our player, not to others") {
  const auto lost = [](std::initializer_list<Message> answer) {
    Play play;
    play.come_in();
    play.wishes<words::TokenWish>("token: 1");
    play.wishes<words::TokenWish>("op: DROP");
    play.says(answer);
    return count(play.stage.waits(3 * kSecond), "loses TokenWish");
  };
  CHECK(lost({GrabFlagDown{0, {5, 2, 3, {}}}}) == 0);
  CHECK(lost({DropFlagDown{3, 0, {5, 1, 3, {}}}}) == 0);
  CHECK(lost({GrabFlagDown{0, {5, 2, 2, {}}}}) == 2);
  CHECK(lost({DropFlagDown{3, 0, {5, 1, 2, {}}}}) == 2);
}

TEST_CASE("bzdraft back: chat for operators goes to the server, and for somebody who left to nobody") {
  Play play;
  play.come_in();
  CHECK(play.wishes<words::Say>("scope: MODERATORS text: 'psst'") == "sends MsgMessage from=3 to=0 text=\"psst\"\n");
  CHECK(play.wishes<words::Say>("scope: ONE to: 999 text: 'psst'") == "loses Say: its recipient is not there\n");
  CHECK(play.says({ChatMessage{0, 3, {"you"}}}) == "says Notice text: \"you\" (to 1)\n");
  CHECK(play.says({ChatMessage{2, 253, {"rogues"}}}).find("scope: MY_TEAM") != std::string::npos);
}

TEST_CASE("bzdraft back: a driven tank jumps only where all may") {
  for (const bool may : {false, true}) {
    Play play;
    play.stage.opens();
    play.greets();
    GetWorldDown world;
    world.style = may ? kJumping : std::uint16_t{0};
    play.describes(world);
    play.wishes<words::Enter>("name: 'anna' team: RED");
    play.says({Accept{3}, entry(3, "anna", 1)});
    play.wishes<words::Spawn>("");
    play.says({AliveDown{3, {}}});
    words::Keys keys;
    keys.set_bits(words::Keys::JUMP);
    std::string said = play.stage.hears(keys);
    said += play.stage.waits(300 * core::kMillisecond);
    CHECK((said.find(" z: ") != std::string::npos) == may);
  }
}

TEST_CASE("bzdraft back: a claimed place is at most five metres outside, and at most as fast as the fastest flag") {
  Play play;
  play.come_in();
  const std::string far = play.wishes<words::PoseClaim>("unit: 103 x: 9000 vx: 900 seq: 1");
  CHECK(far.find(" x: 405 ") != std::string::npos);
  CHECK(far.find(" vx: 41.75 ") != std::string::npos);
}

// -- What only shows later --------------------------------------------------------------------------------------------

TEST_CASE("bzdraft back: a command that is longer than a line is counted, and not cut") {
  Play play;
  play.come_in();
  const std::string fits = "/" + std::string(kLongestLine - 1, 'x');
  CHECK(play.wishes<words::Say>("kind: COMMAND text: '" + fits + "'").starts_with("sends MsgMessage"));
  CHECK(play.wishes<words::Say>("kind: COMMAND text: '" + fits + "x'") ==
        "loses Say: the command is longer than the server accepts\n");
}

TEST_CASE("bzdraft back: the lives and deaths of others are not our player's") {
  Play play;
  play.come_in();
  play.says({AliveDown{2, {}}, Killed{2, 3, 0, 1}});
  CHECK(play.wishes<words::TeleportClaim>("from: 1 to: 2").starts_with("sends MsgTeleport"));
  play.says({Killed{3, 2, 0, 1}, AliveDown{2, {}}});
  CHECK(play.wishes<words::TeleportClaim>("from: 1 to: 2") == "");
}

TEST_CASE("bzdraft back: a death that the server does not confirm is sent once more, and then assumed as it was") {
  const std::string died =
      "says Died player: 1 unit: 103 killer: 101 shot: 7 why: BY_SHOT respawn_s: 5 synthesised: true";
  Play claimed;
  claimed.come_in();
  claimed.wishes<words::DeathClaim>("killer: 101 shot: 7 why: BY_SHOT");
  const std::string again = claimed.stage.waits(2100 * core::kMillisecond);
  CHECK(count(again, "sends MsgKilled victim=3 killer=3 flag=0 shot=0") == 1);
  CHECK(count(again, "says Died") == 0);
  CHECK(count(claimed.stage.waits(2 * kSecond), died) == 1);

  Play found;
  found.come_in(false);
  found.says({ShotBegin{2, 7, {80000, 0, 1570}, {-100000, 0, 0}, 0, 3500, 0}});
  CHECK(count(found.stage.waits(6 * kSecond), died) == 1);
}

TEST_CASE("bzdraft back: a shot that was steered hits where it flies now") {
  const ShotBegin past{2, 4, {80000, 0, 1570}, {0, 100000, 0}, 0, 3500, flag_kind("GM")};
  Play straight;
  straight.come_in(false);
  straight.says({past});
  CHECK(count(straight.stage.waits(kSecond), "sends MsgKilled") == 0);
  Play steered;
  steered.come_in(false);
  steered.says({past, ShotUpdate{2, 4, {80000, 0, 1570}, {-100000, 0, 0}, 100, kServer}});
  CHECK(count(steered.stage.waits(kSecond), "sends MsgKilled victim=3 killer=2 flag=10 shot=4") == 1);
}

TEST_CASE("bzdraft back: a shock wave begins with the size of a tank") {
  Play play;
  play.come_in();
  const std::string said = play.says({ShotBegin{2, 4, {}, {}, 0, 700, flag_kind("SW")}});
  CHECK(said.ends_with(" kind: WAVE life: 0.7 range: 60 team: GREEN radius: 6\n"));
}

TEST_CASE("bzdraft back: a capture kills those who are in play, of the flag's team, and nobody for a flag of no team") {
  Play play;
  play.come_in();
  play.says({entry(4, "dan", 1), entry(5, "eve", 9), AliveDown{2, {}}, AliveDown{5, {}}});
  play.says({GrabFlagDown{0, {5, 2, 2, {}}}});
  CHECK(count(play.says({DropFlagDown{2, 0, {5, 1, 2, {}}}}), "says Died") == 0);
  play.says({GrabFlagDown{1, {1, 2, 2, {}}}});
  const std::string captured = play.says({DropFlagDown{2, 1, {1, 1, 2, {}}}});
  CHECK(count(captured, "says Died") == 1);
  CHECK(count(captured, "says Died player: 1 unit: 103 killer: 101 why: BY_CAPTURE") == 1);
}

TEST_CASE("bzdraft back: the server's rules for tanks are BZFlag's, and an unknown world has walls around it") {
  Play play;
  play.stage.opens();
  play.greets();
  const std::string said = play.describes();
  for (const char* rule : {"\"hits\" value: \"victim\"", "\"speed\" value: \"25\"", "\"turn_rate\" value: \"0.785398\"",
                           "\"shot_speed\" value: \"100\""})
    CHECK(count(said, std::string("says Rule name: ") + rule + "\n") == 1);
  CHECK(count(said, "says World west: -400 east: 400 south: -400 north: 400 walled: true\n") == 1);
}

TEST_CASE("bzdraft back: a piece of no resource before the world is described is not taken for one") {
  Play play;
  play.stage.opens();
  play.greets();
  CHECK(play.says({GetResourceDown{0, 0, Md5{}, {}}}) == "says WorldProgress\n");
  CHECK(count(play.describes(), "says World ") == 1);
}

TEST_CASE("bzdraft back: the role of a player who has entered already is in the greeting") {
  Play play;
  play.wishes<words::Enter>("name: 'anna' role: WATCH");
  CHECK(play.stage.opens().starts_with("sends MsgVersion version=\"BZFS108a\" type=1 "));
}

TEST_CASE("bzdraft back: a change keeps all that it does not name") {
  Play play;
  play.load();
  play.wishes<words::Enter>("name: 'anna' team: RED role: ROBOT motto: 'm' password: 'p' avatar: 'v'");
  AddPlayer anna = entry(3, "anna", 1);
  anna.type = kRobot;
  anna.email.chars = "m";
  play.says({Accept{3}, anna});
  CHECK(play.wishes<words::Change>("name: 'anne'") ==
        "sends MsgEnter team=1 type=2 password=\"p\" callsign=\"anne\" email=\"m\" avatar=\"v\"\n");
  CHECK(play.wishes<words::Change>("motto: 'n'") ==
        "sends MsgEnter team=1 type=2 password=\"p\" callsign=\"anna\" email=\"n\" avatar=\"v\"\n");
}

TEST_CASE("bzdraft back: our player has the number of its acceptance, whatever the greeting said") {
  Play play;
  play.load();
  play.wishes<words::Enter>("name: 'anna' team: RED");
  play.says({Accept{5}});
  CHECK(count(play.says({entry(3, "ben", 2)}), "says Ready") == 0);
  CHECK(play.says({entry(5, "anna", 1)}).ends_with("says Ready\n"));
}

TEST_CASE("bzdraft back: what a rejected player wished is forgotten") {
  Play play;
  play.load();
  play.wishes<words::Enter>("name: 'anna' team: RED");
  play.wishes<words::Spawn>("");
  play.says({Reject{6, {}}});
  CHECK(play.wishes<words::Change>("name: 'anne'") == "loses Change: the player is not in the game\n");
  play.wishes<words::Enter>("name: 'anna' team: GREEN");
  CHECK(count(play.says({Accept{3}, entry(3, "anna", 2)}), "sends MsgAlive") == 0);
}

TEST_CASE("bzdraft back: a server that stops while we join is waited for, where the room does so") {
  Play play;
  play.stage.hold();
  play.load();
  CHECK(play.says({SuperKill{}}) == "waits for the server: the server ended the session, and gave no reason\n");
  CHECK(play.stage.ends("closed") == "");
}

TEST_CASE("bzdraft back: a driven tank shoots from its muzzle, with the flag that it carries") {
  const auto fires = [](const char* flag) {
    Play play;
    play.come_in(false);
    play.wishes<words::Keys>("yaw: 0");
    if (*flag != 0) play.says({GrabFlagDown{0, {flag_kind(flag), 2, 3, {}}}});
    std::string said = play.wishes<words::Trigger>("primary: true");
    said += play.stage.waits(200 * core::kMillisecond);
    const auto from = said.find("sends MsgShotBegin");
    return from != std::string::npos ? said.substr(from, said.find('\n', from) - from) : "";
  };
  CHECK(fires("") ==
        "sends MsgShotBegin shooter=3 shot=0 position=(4420 0 1570) velocity=(100000 0 0) time=0 lifetime=3500 flag=0");
  CHECK(fires("GM").ends_with(" position=(4420 0 1570) velocity=(100000 0 0) time=0 lifetime=3500 flag=10"));
  CHECK(fires("SW").ends_with(" position=(0 0 0) velocity=(0 0 0) time=0 lifetime=3500 flag=20"));
}

TEST_CASE("bzdraft back: the places that a client claims are numbered by us, in order") {
  Play play;
  play.come_in();
  CHECK(count(play.wishes<words::PoseClaim>("unit: 103 x: 1 seq: 7"), "says Pose unit: 103 x: 1 seq: 1\n") == 1);
  CHECK(count(play.wishes<words::PoseClaim>("unit: 103 x: 2 seq: 7"), "says Pose unit: 103 x: 2 seq: 2\n") == 1);
}

TEST_CASE("bzdraft back: the server learns soon that a driven tank starts; a tank in the air is falling") {
  Play play;
  play.come_in(false);
  std::string drives = play.wishes<words::Toward>("x: 30 y: 0");
  drives += play.stage.waits(500 * core::kMillisecond);
  CHECK(count(drives, "sends by datagram MsgPlayerUpdate") > 0);
  Play jumping;
  jumping.stage.opens();
  jumping.greets();
  GetWorldDown world;
  world.style = kJumping;
  jumping.describes(world);
  jumping.wishes<words::Enter>("name: 'anna' team: RED");
  jumping.says({Accept{3}, entry(3, "anna", 1)});
  jumping.wishes<words::Spawn>("");
  jumping.says({AliveDown{3, {}}});
  words::Keys keys;
  keys.set_bits(words::Keys::JUMP);
  std::string said = jumping.stage.hears(keys);
  said += jumping.stage.waits(300 * core::kMillisecond);
  CHECK(count(said, " state: 1 seq: ") > 1);
  CHECK(count(said, " seq: 2\n") == 1);
}

TEST_CASE("bzdraft back: a driven tank does not drive through the boxes of the server's world") {
  words::World world;
  world.set_west(-400);
  world.set_east(400);
  world.set_south(-400);
  world.set_north(400);
  words::Solid& wall = *world.add_solids();
  wall.set_x(30);
  wall.set_half_x(2);
  wall.set_half_y(300);
  wall.set_height(20);
  const Buffer records = resource_of(world);
  const Md5 name = wire::md5(records);
  Play play;
  play.stage.opens();
  play.greets();
  GetWorldDown described;
  described.model.chars = to_hex(name);
  play.describes(described);
  play.says({GetResourceDown{0, 0, name, records}});
  play.wishes<words::Enter>("name: 'anna' team: RED");
  play.says({Accept{3}, entry(3, "anna", 1)});
  play.wishes<words::Spawn>("");
  play.says({AliveDown{3, {}}});
  play.wishes<words::Toward>("x: 60 y: 0");
  play.stage.waits(4 * kSecond);
  const double x = play.stage.world().unit(play.stage.world().player(1)->active)->unit.pose().x();
  CHECK(x > 10);
  CHECK(x < 28);
}

}  // namespace
}  // namespace entente::bzdraft::back_words_test
