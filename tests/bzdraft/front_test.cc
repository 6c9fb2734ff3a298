// The front of the draft: what a client is sent for the room's facts, and which intents its messages become. The
// client's player is 1, "anna", with the tank 11; "ben" is 2, with the tank 12.
#include <doctest/doctest.h>

#include "adapters/bzdraft/wire/resource.h"
#include "adapters/wire/md5.h"
#include "proxy/core/replay/resync_phase.h"
#include "tests/bzdraft/said.h"
#include "tests/games/every_fact.h"
#include "tests/support/steps.h"

namespace entente::bzdraft::front_test {
namespace {

using core::kMillisecond, core::kSecond;

struct Play {
  Play() : stage(faces().front({0, {}}), game(), 0, wire::Way::kToClient) {}

  std::string hears(core::Fact fact) { return stage.hears(std::move(fact)); }
  template <class Word>
  std::string hears(const std::string& text) {
    return stage.hears(word<Word>(text));
  }
  std::string asks(std::initializer_list<Message> messages) { return stage.receives(by_client(messages)); }

  void learn_room(bool victim = true) {
    hears<words::Room>("game: 'bzflag' mode: 'capture the flag' most_shots: 3 jumping: true");
    if (victim) hears<words::Rule>("name: 'hits' value: 'victim'");
    hears<words::World>(
        "hash: 'x' kind: SOLIDS west: -100 east: 100 south: -100 north: 100 "
        "solids { x: 10 y: 20 half_x: 5 half_y: 5 height: 9 }");
  }
  void learn_people() {
    hears<words::Player>("id: 1 name: 'anna' team: RED motto: 'a@example.com'");
    hears<words::Player>("id: 2 name: 'ben' team: GREEN motto: 'hi'");
    hears<words::Unit>("id: 11 owner: 1 team: RED");
    hears<words::Unit>("id: 12 owner: 2 team: GREEN alive: true pose { unit: 12 x: 5 y: 6 }");
    hears<words::Owns>("player: 1 units: 11 active: 11");
    hears<words::Owns>("player: 2 units: 12 active: 12");
    hears<words::Score>("player: 2 wins: 3 losses: 4");
  }
  /// Joins and spawns at 0, 0.
  void come_in(bool victim = true) {
    stage.opens();
    learn_room(victim);
    asks({enter_as("anna")});
    learn_people();
    hears<words::Token>("id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND x: 1 y: 2 z: 0");
    hears<words::Ready>("");
    asks({AliveUp{}});
    hears<words::Spawned>("unit: 11 pose { unit: 11 }");
  }
  testing::FrontStage stage;
};

TEST_CASE("a client joins as the page describes, and gets its own entry after the others") {
  Play play;
  CHECK(play.stage.opens() == "says WantWorld\n");
  VersionUp greeting;
  greeting.version.set("BZFS108a");
  greeting.flags_known = {10, 0, 999};
  CHECK(play.asks({greeting}) == "sends MsgVersion version=\"BZFS108a\" player=1 may_join=1\n");
  CHECK(play.asks({GetWorldUp{}}) == "");  // the room does not have it yet
  play.hears<words::Room>("game: 'bzflag' mode: 'capture the flag' most_shots: 3 jumping: true");
  play.hears<words::Rule>("name: 'hits' value: 'victim'");
  const std::string world = play.hears<words::World>("hash: 'x' west: -100 east: 100 south: -100 north: 100");
  CHECK(world.starts_with("sends MsgGetWorld style=9 max_players=248 max_shots=3 max_flags=512 "));
  CHECK(play.asks({enter_as("anna", 1)}) ==
        "says Enter name: \"anna\" team: RED flags_known: \"GM\" motto: \"a@example.com\" version: \"BZFS108a\" "
        "claims_deaths: true\n");
  play.learn_people();
  play.hears<words::Token>("id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND x: 1 y: 2 z: 0");
  CHECK(play.hears<words::Ready>("") ==
        "sends MsgAccept player=1\n"
        "sends MsgFlagUpdate number=0 flag={kind=2 status=1 carrier=0 position=(1000 2000 0)}\n"
        "sends MsgTeamUpdate team=0 wins=0 losses=0\n"
        "sends MsgTeamUpdate team=1 wins=0 losses=0\n"
        "sends MsgTeamUpdate team=2 wins=0 losses=0\n"
        "sends MsgTeamUpdate team=3 wins=0 losses=0\n"
        "sends MsgTeamUpdate team=4 wins=0 losses=0\n"
        "sends MsgAddPlayer player=2 type=0 team=2 wins=3 losses=4 callsign=\"ben\" email=\"hi\" avatar=\"\"\n"
        "sends MsgAddPlayer player=1 type=0 team=1 wins=0 losses=0 callsign=\"anna\" email=\"a@example.com\" "
        "avatar=\"\"\n"
        "sends MsgAlive player=2 position=(5000 6000 0)\n");
}

TEST_CASE("a client that joins sees who carries a flag") {
  Play play;
  play.stage.opens();
  play.learn_room();
  play.asks({enter_as("anna")});
  play.learn_people();
  play.hears<words::Token>("id: 7 kind: TEAM_FLAG code: 'R*' team: RED state: CARRIED carrier: 2");
  play.hears<words::Token>("id: 8 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND");
  const std::string in = play.hears<words::Ready>("");
  INFO(in);
  const std::size_t of_ben = in.find("sends MsgFlagUpdate number=0 flag={kind=1 status=2 carrier=2 ");
  REQUIRE(of_ben != std::string::npos);
  CHECK(in.find("sends MsgAddPlayer player=2 ") < of_ben);
  CHECK(of_ben < in.find("sends MsgAddPlayer player=1 "));
  CHECK(in.find("sends MsgFlagUpdate number=1 ") < in.find("sends MsgAddPlayer player=2 "));
}

TEST_CASE("the world is a resource named by its MD5, in messages of at most 1024 bytes") {
  Play play;
  play.stage.opens();
  words::World world = word<words::World>("west: -100 east: 100 south: -100 north: 100");
  for (int i = 0; i < 50; ++i) *world.add_solids() = word<words::Solid>("x: 1 half_x: 2 half_y: 3 height: 4");
  play.hears<words::Room>("game: 'bzflag'");
  play.hears(world);
  const Buffer all = resource_of(world);
  REQUIRE(all.size() > 1024);
  const Md5 name = wire::md5(all);
  CHECK(play.asks({GetWorldUp{}}).find("model=\"" + to_hex(name) + "\"") != std::string::npos);
  const auto piece = [&](std::uint32_t offset, std::uint32_t remaining, Bytes data) {
    GetResourceDown answer{offset, remaining, name, {data.begin(), data.end()}};
    return "sends " +
           printed_frame(*game().codec(0),
                         {wire::Way::kToClient, Lane::kStream, wire::Stage::kPlay, by_server({answer})}) +
           "\n";
  };
  CHECK(play.asks({GetResourceUp{0, name}}) ==
        piece(0, static_cast<std::uint32_t>(all.size() - 996), Bytes(all).first(996)));
  CHECK(play.asks({GetResourceUp{996, name}}) == piece(996, 0, Bytes(all).subspan(996)));
  CHECK(play.asks({GetResourceUp{1'000'000, name}}) == piece(1'000'000, 0, {}));
  CHECK(play.asks({GetResourceUp{0, Md5{}}}).find("remaining=0") != std::string::npos);
}

TEST_CASE("a client waits for a late world; it is refused with the reason, or told that it sees an open field") {
  Play play;
  play.stage.opens();
  CHECK(play.asks({GetWorldUp{}}) == "");
  CHECK(play.stage.waits(9 * kSecond) == "");
  const std::string signs = play.stage.waits(14 * kSecond);
  CHECK(std::count(signs.begin(), signs.end(), '\n') == 3);
  CHECK(signs.starts_with("sends MsgGetResource offset=0 remaining=0 "));
  play.stage.waits(36 * kSecond);
  const std::string end = play.stage.waits(2 * kSecond);
  CHECK(end.find("sends MsgReject reason=") == 0);
  CHECK(end.find("the server did not send its map in time") != std::string::npos);
  CHECK(end.ends_with("closes: the server did not send its map in time\n"));

  Play lobby;
  lobby.stage.opens();
  lobby.hears<words::Waiting>("");
  CHECK(lobby.asks({GetWorldUp{}}) == "");
  CHECK(lobby.stage.waits(9 * kSecond) == "");
  CHECK(lobby.stage.waits(2 * kSecond)
            .starts_with("loses World: it is not known yet; the client gets an open field\nsends MsgGetWorld style=0"));
  CHECK(lobby.asks({enter_as("anna")}).find("you see an open field. Join again to see it.") != std::string::npos);
  const std::string known = lobby.hears<words::World>("kind: OPEN west: -50 east: 50 south: -50 north: 50");
  CHECK(known.find("The server has another map now") != std::string::npos);
}

TEST_CASE("a client that asks to enter once the wait is over joins when its player is known") {
  Play play;
  play.stage.opens();
  play.hears<words::Waiting>("");
  play.learn_room();
  play.hears<words::Ready>("");
  std::string in = play.asks({enter_as("anna")});
  in += play.stage.waits(kSecond);
  CHECK(in.find("sends MsgAccept") == std::string::npos);
  in = play.hears<words::Player>("id: 1 name: 'anna' team: RED");
  in += play.stage.waits(kSecond);
  CHECK(in.find("sends MsgAccept") != std::string::npos);
  CHECK(in.find("waiting for") == std::string::npos);
}

TEST_CASE("a capture that kills nobody: the client, to which its whole team is dead, is shown that it lives") {
  Play play;
  play.come_in();
  play.hears<words::Token>("id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND x: 3");
  play.hears<words::TokenCaptured>("token: 7 by: 1 team: GREEN");
  CHECK(play.stage.waits(kSecond).find("sends MsgAlive player=2 ") != std::string::npos);
}

TEST_CASE(
    "captures of two flags, one soon after the other, that kill nobody: the client is shown that both teams live") {
  Play play;
  play.come_in();
  play.hears<words::Player>("id: 3 name: 'cara' team: BLUE");
  play.hears<words::Unit>("id: 13 owner: 3 team: BLUE alive: true pose { unit: 13 x: 9 }");
  play.hears<words::Owns>("player: 3 units: 13 active: 13");
  play.hears<words::Token>("id: 8 kind: TEAM_FLAG code: 'B*' team: BLUE state: GROUND");
  play.hears<words::TokenCaptured>("token: 7 by: 1 team: GREEN");
  std::string told = play.stage.waits(100 * kMillisecond);
  told += play.hears<words::TokenCaptured>("token: 8 by: 1 team: BLUE");
  told += play.stage.waits(kSecond);
  CHECK(told.find("sends MsgAlive player=2 ") != std::string::npos);
  CHECK(told.find("sends MsgAlive player=3 ") != std::string::npos);
}

TEST_CASE("each reason of a refusal is sent as its number, and a rejected client may retry") {
  Play play;
  play.stage.opens();
  play.learn_room();
  CHECK(play.asks({enter_as("")}).starts_with("sends MsgReject reason=0 "));
  CHECK(play.asks({enter_as("anna", 5)}).starts_with("sends MsgReject reason=3 "));
  CHECK(play.asks({enter_as("anna", 1, 3)}).starts_with("sends MsgReject reason=4 "));
  const std::pair<const char*, int> kCodes[] = {
      {"OTHER", 0},  {"NAME_NEEDS_LOGIN", 1}, {"BAD_NAME", 1}, {"NAME_TAKEN", 1}, {"SERVER_NEEDS_LOGIN", 2},
      {"BANNED", 2}, {"BAD_TEAM", 3},         {"BAD_ROLE", 4}, {"NO_ROGUES", 5},  {"TEAM_FULL", 6},
      {"FULL", 7},   {"WRONG_VERSION", 0}};
  for (const auto& [code, reason] : kCodes) {
    CHECK(play.asks({enter_as("anna")}).starts_with("says Enter "));
    CHECK(play.hears<words::Refused>(std::string("code: ") + code + " text: 'no' may_retry: true") ==
          "sends MsgReject reason=" + std::to_string(reason) + " text=\"no\"\n");
  }
  for (const std::size_t size : {1'019U, 70'000U}) {  // a message of 1024 bytes holds 1,019 bytes of text
    play.asks({enter_as("anna")});
    words::Refused refused = word<words::Refused>("may_retry: true");
    refused.set_text(std::string(size, 'x'));
    const std::string told = size == 1'019 ? std::string(size, 'x') : std::string(1'016, 'x') + "...";
    CHECK(play.hears(refused) == "sends MsgReject reason=0 text=\"" + told + "\"\n");
  }
  play.asks({enter_as("anna")});
  CHECK(play.hears<words::Refused>("code: FULL text: 'full'") ==
        "sends MsgReject reason=7 text=\"full\"\nsends MsgSuperKill\ncloses: full\n");
}

TEST_CASE("a client may change its name and team in game, and learns the outcome") {
  Play play;
  play.come_in();
  SUBCASE("accepted") {
    CHECK(play.asks({enter_as("anne", 2)}) == "says Change name: \"anne\" team: GREEN\n");
    CHECK(play.hears<words::Player>("id: 1 name: 'anne' team: GREEN motto: 'a@example.com'") ==
          "sends MsgAccept player=1\n"
          "sends MsgAddPlayer player=1 type=0 team=2 wins=0 losses=0 callsign=\"anne\" email=\"a@example.com\" "
          "avatar=\"\"\n");
    CHECK(play.stage.waits(5 * kSecond) == "");
  }
  SUBCASE("rejected: the client gets its old name back") {
    CHECK(play.asks({enter_as("ben")}) == "says Change name: \"ben\"\n");
    core::Fact no(1, word<words::ClaimRefused>("why: 'taken'"));
    CHECK(play.hears(no) ==
          "sends MsgReject reason=0 text=\"taken\"\n"
          "sends MsgAddPlayer player=1 type=0 team=1 wins=0 losses=0 callsign=\"anna\" email=\"a@example.com\" "
          "avatar=\"\"\n");
  }
  SUBCASE("another team, rejected: a client that asks for it again asks the room again") {
    CHECK(play.asks({enter_as("anna", 2)}) == "says Change team: GREEN\n");
    CHECK(play.hears(core::Fact(1, word<words::ClaimRefused>("why: 'the team is full'")))
              .starts_with("sends MsgReject reason=0 text=\"the team is full\"\n"));
    CHECK(play.asks({enter_as("anna", 2)}) == "says Change team: GREEN\n");
  }
  SUBCASE("no answer: rejected after a while") {
    AddPlayer changed = entry(0, "anke", 1);
    CHECK(play.asks({changed}) == "says Change name: \"anke\" motto: \"\"\n");
    CHECK(play.stage.waits(3 * kSecond)
              .starts_with("sends MsgReject reason=0 text=\"this server did not accept the change\"\n"));
  }
  SUBCASE("asked twice: the client still waits for the answer") {
    CHECK(play.asks({enter_as("anne")}) == "says Change name: \"anne\"\n");
    CHECK(play.asks({enter_as("anne")}) == "");
    CHECK(play.stage.waits(3 * kSecond)
              .starts_with("sends MsgReject reason=0 text=\"this server did not accept the change\"\n"));
    CHECK(play.asks({enter_as("anna")}).starts_with("sends MsgAccept player=1\n"));  // nothing to change
  }
  SUBCASE("another team: confirmed when the room says so, and not before") {
    CHECK(play.asks({enter_as("anna", 2)}) == "says Change team: GREEN\n");
    CHECK(play.hears<words::Player>("id: 1 name: 'anna' team: RED motto: 'a@example.com' badges: 2") == "");
    CHECK(play.hears<words::Player>("id: 1 name: 'anna' team: GREEN motto: 'a@example.com'")
              .starts_with("sends MsgAccept player=1\n"));
  }
  SUBCASE("another name, in a team that the server has chosen") {
    play.hears<words::Player>("id: 1 name: 'anna' team: BLUE motto: 'a@example.com'");
    CHECK(play.asks({enter_as("anne")}) == "says Change name: \"anne\"\n");
    CHECK(play.hears<words::Player>("id: 1 name: 'anne' team: BLUE motto: 'a@example.com'")
              .starts_with("sends MsgAccept player=1\n"));
  }
  SUBCASE("a change of another player is sent the same way") {
    CHECK(play.hears<words::Player>("id: 2 name: 'bert' team: BLUE motto: 'hi'") ==
          "sends MsgAddPlayer player=2 type=0 team=3 wins=3 losses=4 callsign=\"bert\" email=\"hi\" avatar=\"\"\n");
    CHECK(play.hears<words::Player>("id: 2 name: 'bert' team: BLUE motto: 'hi'") == "");
  }
}

TEST_CASE("a client that takes the callsign by which another player is shown keeps it, and the other gets a new one") {
  const std::string other = "sends MsgAddPlayer player=2 type=0 team=2 wins=3 losses=4 callsign=\"ben 2\" ";
  const std::string own = "sends MsgAddPlayer player=1 type=0 team=1 wins=0 losses=0 callsign=\"ben\" ";
  Play play;
  play.come_in();
  const auto check = [&](const std::string& said) {
    CAPTURE(said);
    CHECK(said.find(other) < said.find(own));
    CHECK(said.find(own) != std::string::npos);
  };
  SUBCASE("by its own wish") {
    play.asks({enter_as("ben")});
    check(play.hears<words::Player>("id: 1 name: 'ben' team: RED motto: 'a@example.com'"));
  }
  SUBCASE("by the server") { check(play.hears<words::Player>("id: 1 name: 'ben' team: RED motto: 'a@example.com'")); }
}

TEST_CASE("a client's messages become intents, whatever player number they have") {
  Play play;
  play.come_in();
  PlayerUpdate update{77, kAlive, {1000, 2000, 0}, {5000, 0, 0}, 1571, 0};
  CHECK(play.stage.receives(by_client({update}), Lane::kDatagram) ==
        "says PoseClaim unit: 11 x: 1 y: 2 vx: 5 yaw: 1.571 seq: 1\n");
  update.status = 0;
  CHECK(play.asks({update}) == "");  // dead tanks drive nowhere
  CHECK(play.asks({ShotBegin{0, 2, {1000, 0, 1570}, {100000, 0, 0}, 0, 3500, 10}}) ==
        "says Fire unit: 11 shot: 2 weapon: 18253 kind: GUIDED x: 1 z: 1.57 vx: 100 life: 3.5 range: 350\n");
  CHECK(play.asks({ShotUpdate{0, 2, {2000, 0, 0}, {0, 1000, 0}, 500, 2}}) ==
        "says ShotMoveClaim shot: 2 target: 2 x: 2 vy: 1\n");
  CHECK(play.asks({ShotEnd{1, 2, 1}}) == "says ShotEndClaim shooter: 1 shot: 2 burst: true\n");
  CHECK(play.asks({GrabFlagUp{0}}) == "says TokenWish token: 7\n");
  CHECK(play.asks({DropFlagUp{3}}) == "loses MsgDropFlag: the player has no flag\n");
  play.hears<words::TokenTaken>(
      "token { id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: CARRIED carrier: 1 } by: 1");
  CHECK(play.asks({DropFlagUp{3}}) == "says TokenWish token: 7 op: DROP x: 1 y: 2 why: DROP_WISHED\n");
  CHECK(play.asks({DropFlagUp{2}}) == "says TokenWish token: 7 op: CAPTURE team: RED x: 1 y: 2\n");
  ChatMessage chat{0, kEveryone, {"hello"}};
  CHECK(play.asks({chat}) == "says Say text: \"hello\"\n");
  chat = {0, team_target(1), {"/me waves"}};
  CHECK(play.asks({chat}) == "says Say scope: MY_TEAM kind: ACTION text: \"waves\"\n");
  chat = {0, 2, {std::string("\xff\xfe caf\xc3\xa9\0rest", 12)}};
  CHECK(play.asks({chat}) == "says Say scope: ONE to: 2 text: \"\\357\\277\\275\\357\\277\\275 caf\\303\\251\"\n");
  chat = {0, kServer, {"/lagstats"}};
  CHECK(play.asks({chat}) == "says Say scope: SERVER kind: COMMAND text: \"/lagstats\"\n");
  chat = {0, 99, {"?"}};
  CHECK(play.asks({chat}) == "loses MsgMessage.to: its recipient is not there\n");
  CHECK(play.asks({Score{0, 2, 3}}) == "says ScoreClaim wins: 2 losses: 3\n");
  Buffer teleport;
  make_message_codec()->write(Teleport{0, 4, 5}, wire::Way::kToServer, teleport, kTeleportCode);
  CHECK(play.stage.receives(teleport) == "says TeleportClaim unit: 11 from: 4 to: 5\n");
  CHECK(play.asks({Killed{0, 2, 0, 5}}) == "says DeathClaim killer: 2 shot: 5 why: BY_SHOT\n");
  CHECK(play.asks({Killed{0, 2, 0, 5}}) == "");  // once a life
  CHECK(play.asks({Exit{}}) == "says Leave\ncloses: the client left\n");
}

TEST_CASE("of its own shots a client is sent the last one that it fired, and none that it fired before") {
  Play play;
  play.come_in();
  for (const std::uint8_t number : {std::uint8_t{1}, std::uint8_t{2}})
    play.asks({ShotBegin{0, number, {1000, 0, 1570}, {100000, 0, 0}, 0, 3500, 0}});
  CHECK(play.hears<words::Shot>("shooter: 1 unit: 11 shot: 1 x: 1 vx: 100 life: 3.5") == "");
  CHECK(play.hears<words::Shot>("shooter: 1 unit: 11 shot: 2 x: 1 vx: 100 life: 3.5")
            .starts_with("sends MsgShotBegin shooter=1 shot=2 "));
}

TEST_CASE("facts become messages") {
  Play play;
  play.come_in();
  CHECK(play.hears<words::Pose>("unit: 12 x: 7 y: 8 vx: 1 yaw: -1.5 state: 1") ==
        "sends by datagram MsgPlayerUpdate player=2 status=65 position=(7000 8000 0) velocity=(1000 0 0) "
        "azimuth=-1500 angular_velocity=0\n");
  CHECK(play.hears<words::Shot>("shooter: 2 unit: 12 shot: 1 weapon: 18253 kind: GUIDED x: 1 vx: 100 life: 3.5") ==
        "sends MsgShotBegin shooter=2 shot=1 position=(1000 0 0) velocity=(100000 0 0) time=0 lifetime=3500 flag=10\n");
  play.stage.waits(500 * kMillisecond);
  CHECK(play.hears<words::ShotMoved>("shooter: 2 shot: 1 target: 1 x: 2 vy: 3") ==
        "sends by datagram MsgShotUpdate shooter=2 shot=1 position=(2000 0 0) velocity=(0 3000 0) time=500 target=1\n");
  CHECK(play.hears<words::ShotEnded>("shooter: 2 shot: 1 burst: true") ==
        "sends MsgShotEnd shooter=2 shot=1 reason=1\n");
  CHECK(play.hears<words::ShotEnded>("shooter: 2 shot: 1") == "");
  CHECK(play.hears<words::Died>("player: 2 unit: 12 killer: 1 shot: 2 why: BY_SHOT") ==
        "sends MsgKilled victim=2 killer=1 flag=0 shot=2\n");
  CHECK(play.hears<words::Died>("player: 2 unit: 12 killer: 1 shot: 2") == "");
  CHECK(play.hears<words::Spawned>("unit: 12 pose { unit: 12 x: 1 yaw: 2 }") ==
        "sends MsgAlive player=2 position=(1000 0 0)\n"
        "sends by datagram MsgPlayerUpdate player=2 status=1 position=(1000 0 0) velocity=(0 0 0) azimuth=2000 "
        "angular_velocity=0\n");
  CHECK(play.hears<words::Score>("player: 1 wins: 9 losses: 8") == "sends MsgScore player=1 wins=9 losses=8\n");
  CHECK(play.hears<words::TeamScore>("team: RED wins: 9 losses: 8") == "sends MsgTeamUpdate team=1 wins=9 losses=8\n");
  CHECK(play.hears<words::Round>("left_s: 59.6") == "sends MsgTimeLeft seconds=60\n");
  CHECK(play.hears<words::Round>("state: OVER winning_team: RED") == "sends MsgScoreOver winner=252\n");
  CHECK(play.hears<words::Round>("state: OVER winner: 2") == "sends MsgScoreOver winner=2\n");
  CHECK(play.hears<words::Round>("state: OVER left_s: 0") == "sends MsgTimeLeft seconds=0\n");
  CHECK(play.hears<words::Said>("from: 2 text: 'x'") == "sends MsgMessage from=2 to=255 text=\"x\"\n");
  CHECK(play.hears<words::Said>("from: 2 scope: MY_TEAM to: 2 kind: ACTION text: 'x'") ==
        "sends MsgMessage from=2 to=252 text=\"/me x\"\n");
  CHECK(play.hears<words::Notice>("text: 'n'") == "sends MsgMessage from=0 to=255 text=\"n\"\n");
  CHECK(play.hears<words::Teleported>("unit: 12 from: 1 to: 2") == "sends MsgTeleport player=2 from=1 to=2\n");
  CHECK(play.hears<words::PlayerGone>("id: 2") == "sends MsgRemovePlayer player=2\n");
  CHECK(play.hears<words::Kicked>("text: 'bye'") ==
        "sends MsgMessage from=0 to=1 text=\"bye\"\nsends MsgSuperKill\ncloses: bye\n");
}

TEST_CASE("long chat arrives whole, in several lines") {
  Play play;
  play.come_in();
  const std::string line(kLongestLine, 'a');
  CHECK(play.hears<words::Said>("from: 2 text: '" + line + "bc'") ==
        "sends MsgMessage from=2 to=255 text=\"" + line + "\"\nsends MsgMessage from=2 to=255 text=\"bc\"\n");
}

TEST_CASE("a hidden player is still in the game, and dies as others do") {
  Play play;
  play.come_in();
  CHECK(play.hears<words::Hidden>("unit: 12") ==
        "sends MsgPlayerUpdate player=2 status=0 position=(5000 6000 0) velocity=(0 0 0) azimuth=0 "
        "angular_velocity=0\n");  // on the stream: it must arrive
  CHECK(play.hears<words::Hidden>("unit: 12") == "");
  CHECK(play.hears<words::Pose>("unit: 12 x: 7") ==
        "sends by datagram MsgPlayerUpdate player=2 status=1 position=(7000 0 0) velocity=(0 0 0) azimuth=0 "
        "angular_velocity=0\n");
  play.hears<words::Hidden>("unit: 12");
  CHECK(play.hears<words::Gone>("unit: 12") == "");
  CHECK(play.hears<words::Died>("player: 2 unit: 12 killer: 1") == "sends MsgKilled victim=2 killer=1 flag=0 shot=0\n");
}

TEST_CASE("a hilly world is flat for a client, and what it claims gets the true height") {
  Play play;
  play.stage.opens();
  words::World hills = word<words::World>("kind: VOXELS west: -400 east: 400 south: -400 north: 400 block: 1.5625");
  hills.set_ground(std::string("\0\x10\0\x10", 4));  // 25 metres high in the east
  play.hears<words::Room>("game: 'aos' most_shots: 3");
  play.hears(hills);
  play.asks({enter_as("anna")});
  play.learn_people();
  play.hears<words::Ready>("");
  CHECK(play.hears<words::Spawned>("unit: 11 pose { unit: 11 x: 100 y: 50 z: 25 }") ==
        "sends MsgAlive player=1 position=(100000 50000 0)\n");
  play.hears<words::Spawned>("unit: 12 pose { unit: 12 x: 100 y: 60 z: 25 }");
  CHECK(play.hears<words::Hidden>("unit: 12").find("status=0 position=(100000 60000 0) ") != std::string::npos);
  CHECK(play.hears<words::Token>("id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND x: 100 z: 26")
            .find(" position=(100000 0 1000)}") != std::string::npos);
  CHECK(play.hears<words::Token>("id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND x: -100 z: 1")
            .find(" position=(-100000 0 1000)}") != std::string::npos);
  CHECK(play.asks({PlayerUpdate{0, kAlive, {100000, 50000, 0}, {}, 0, 0}}) ==
        "says PoseClaim unit: 11 x: 100 y: 50 z: 25 seq: 1\n");
  CHECK(play.asks({ShotBegin{0, 2, {100000, 50000, 2000}, {100000, 0, 0}, 0, 3500, 0}}).find(" z: 27 ") !=
        std::string::npos);
}

TEST_CASE("a shot in a slot that is used again ends, although the one before it is still known") {
  Play play;
  play.come_in();
  const char* kShot = "shooter: 2 unit: 12 shot: 1 x: 1 vx: 100 life: 3.5";
  for (int i = 0; i < 2; ++i) {
    CAPTURE(i);
    CHECK(play.hears<words::Shot>(kShot).starts_with("sends MsgShotBegin shooter=2 shot=1 "));
    play.stage.waits(500 * kMillisecond);
    CHECK(play.hears<words::ShotMoved>("shooter: 2 shot: 1 x: 2 vy: 3").find(" time=500 ") != std::string::npos);
    CHECK(play.hears<words::ShotEnded>("shooter: 2 shot: 1") == "sends MsgShotEnd shooter=2 shot=1 reason=0\n");
  }
}

TEST_CASE("a resync sends no event to a client") {
  Play play;
  play.come_in();
  const auto resync = [&](core::Fact fact) {
    play.hears(core::resync_clock(0));
    const std::string said = play.hears(std::move(fact));
    play.hears<words::Clock>("speed: 1");
    return said;
  };
  CHECK(resync(word<words::Unit>("id: 12 owner: 2 team: GREEN pose { unit: 12 }")) ==
        "sends MsgPlayerUpdate player=2 status=0 position=(0 0 0) velocity=(0 0 0) azimuth=0 angular_velocity=0\n");
  CHECK(resync(word<words::Unit>("id: 12 owner: 2 team: GREEN alive: true pose { unit: 12 x: 1 }")) ==
        "sends MsgPlayerUpdate player=2 status=1 position=(1000 0 0) velocity=(0 0 0) azimuth=0 angular_velocity=0\n");
  CHECK(resync(word<words::Round>("state: OVER winner: 2")) == "");
  CHECK(play.hears<words::Died>("player: 2 unit: 12 killer: 1") == "sends MsgKilled victim=2 killer=1 flag=0 shot=0\n");
}

TEST_CASE("if another round follows, a client learns who won, and spawns again") {
  Play play;
  play.come_in();
  play.hears<words::Died>("player: 1 unit: 11");
  CHECK(play.hears<words::Round>("state: OVER another: true winner: 2") ==
        "sends MsgMessage from=0 to=255 text=\"the round is over: ben has won\"\n");
  CHECK(play.asks({AliveUp{}}) == "says Spawn\n");
  CHECK(play.hears<words::Round>("another: true left_s: 0.2") ==
        "sends MsgTimeLeft seconds=1\n");  // 0 would end the game
  CHECK(play.hears<words::Spawned>("unit: 11 pose { unit: 11 }") == "sends MsgAlive player=1 position=(0 0 0)\n");
}

TEST_CASE("a client that joins late gets the rest of the round's time") {
  Play play;
  play.stage.opens();
  play.learn_room(true);
  play.hears<words::Round>("left_s: 60");
  play.stage.waits(5 * kSecond);
  play.asks({enter_as("anna")});
  play.learn_people();
  CHECK(play.hears<words::Ready>("").find("sends MsgTimeLeft seconds=55\n") != std::string::npos);
}

TEST_CASE("a pickup or a near pellet is shown as a flag without a kind until it is gone") {
  Play play;
  play.come_in();
  CHECK(play.hears<words::Unit>("id: 40 kind: PICKUP alive: true pose { unit: 40 x: 3 y: -4 }") ==
        "sends MsgFlagUpdate number=1 flag={kind=0 status=1 carrier=0 position=(3000 -4000 0)}\n");
  CHECK(play.hears<words::Gone>("unit: 40") ==
        "sends MsgFlagUpdate number=1 flag={kind=0 status=0 carrier=0 position=(0 0 0)}\n");
  CHECK(play.hears<words::Gone>("unit: 40") == "");
  play.hears<words::Unit>("id: 41 kind: PELLET alive: true pose { unit: 41 x: 9 }");
  CHECK(play.stage.waits(kSecond).find("MsgFlagUpdate number=1 flag={kind=0 status=1 carrier=0 position=(9000 0 0)}") !=
        std::string::npos);
  std::string gone = play.hears<words::Gone>("unit: 41");
  gone += play.stage.waits(kSecond);
  CHECK(gone.find("MsgFlagUpdate number=1 flag={kind=0 status=0 ") != std::string::npos);
}

TEST_CASE("a dropped flag is sent with the reason, and a capture implies the deaths of a team") {
  Play play;
  play.come_in();
  const std::string carried = "token { id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: CARRIED carrier: 1 } by: 1";
  const std::string ground = "token { id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND x: 3 } by: 1";
  CHECK(play.hears<words::TokenTaken>(carried) ==
        "sends MsgGrabFlag number=0 flag={kind=2 status=2 carrier=1 position=(0 0 0)}\n");
  CHECK(play.hears<words::TokenDropped>(ground) ==
        "sends MsgDropFlag reason=3 number=0 flag={kind=2 status=1 carrier=1 position=(3000 0 0)}\n");
  play.hears<words::TokenTaken>(carried);
  CHECK(play.hears<words::TokenCaptured>("token: 7 by: 1 team: GREEN") ==
        "sends MsgDropFlag reason=2 number=0 flag={kind=2 status=2 carrier=1 position=(0 0 0)}\n");
  CHECK(play.hears<words::Died>("player: 2 unit: 12 killer: 1 why: BY_CAPTURE") == "");  // the capture implied it
  play.hears<words::Spawned>("unit: 12 pose { unit: 12 }");
  play.stage.waits(2 * kSecond);
  CHECK(play.hears<words::Died>("player: 2 unit: 12 killer: 1 why: BY_CAPTURE") ==
        "sends MsgKilled victim=2 killer=1 flag=0 shot=0\n");
}

TEST_CASE("an unconfirmed death is undone, and a client that strays is moved back") {
  Play play;
  play.come_in(false);
  play.stage.waits(2 * kSecond);
  play.asks({Killed{0, 2, 0, 5}});
  CHECK(play.stage.waits(kSecond) == "sends MsgAlive player=1 position=(0 0 0)\n");
  play.stage.waits(2 * kSecond);
  CHECK(play.asks({PlayerUpdate{0, kAlive, {90000, 0, 0}, {}, 0, 0}}) == "says PoseClaim unit: 11 x: 90 seq: 1\n");
  CHECK(play.stage.waits(kSecond) == "sends MsgAlive player=1 position=(0 0 0)\n");
  Play soon;  // soon after it was placed
  soon.come_in(false);
  soon.asks({Killed{0, 2, 0, 5}});
  CHECK(soon.stage.waits(2 * kSecond) == "sends MsgAlive player=1 position=(0 0 0)\n");
}

TEST_CASE("a client that is moved back keeps its flag") {
  Play play;
  play.come_in(false);
  play.stage.waits(2 * kSecond);
  play.hears<words::TokenTaken>(
      "token { id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: CARRIED carrier: 1 } by: 1");
  CHECK(play.hears<words::Corrected>("pose { unit: 11 x: 30 }") ==
        "sends MsgAlive player=1 position=(30000 0 0)\n"
        "sends MsgGrabFlag number=0 flag={kind=2 status=2 carrier=1 position=(0 0 0)}\n");
}

TEST_CASE("if the server decides about hits, a shot ends before the client can detect one") {
  Play play;
  play.come_in(false);
  CHECK(play.hears<words::Shot>("shooter: 2 unit: 12 shot: 1 kind: BALL x: 60 z: 1.5 vx: -100 life: 3")
            .starts_with("sends MsgShotBegin shooter=2 shot=1 "));
  CHECK(play.stage.waits(kSecond) == "sends MsgShotEnd shooter=2 shot=1 reason=0\n");
  Play other;
  other.come_in(true);
  other.hears<words::Shot>("shooter: 2 unit: 12 shot: 1 kind: BALL x: 60 z: 1.5 vx: -100 life: 3");
  CHECK(other.stage.waits(kSecond) == "");
}

TEST_CASE(
    "several messages in a packet are handled one by one; an invalid one ends the session, but is ignored in a "
    "datagram") {
  Play play;
  play.come_in();
  const Message one = ChatMessage{0, kEveryone, {"1"}}, two = ChatMessage{0, kEveryone, {"2"}};
  CHECK(play.asks({one, two}) == "says Say text: \"1\"\nsays Say text: \"2\"\n");
  Buffer cut = by_client({one});
  cut.pop_back();
  CHECK(play.stage.receives(cut, Lane::kDatagram) == "");
  CHECK(play.stage.receives(Buffer{0, 0, 'z', 'z'}) == "loses a message: its code is not in the document\n");
  Buffer short_text = by_client({one});
  short_text.resize(5);
  short_text[1] = 1;
  const std::string told = play.stage.receives(short_text);
  CHECK(told.starts_with("sends MsgMessage from=0 to=1 text=\"your game sent something that the rules"));
  CHECK(told.find("\nsends MsgSuperKill\nfails: ") != std::string::npos);
}

TEST_CASE("at the end of the room, a client gets MsgSuperKill") {
  Play play;
  play.come_in();
  CHECK(play.stage.session_ends("server left") ==
        "sends MsgMessage from=0 to=1 text=\"server left\"\nsends MsgSuperKill\ncloses: server left\n");
}

TEST_CASE("a word that no message can express is counted as dropped") {
  Play play;
  play.come_in();
  CHECK(play.hears(words::Board()) == "loses Board: clients sort their own score boards\n");
  CHECK(play.hears(words::Ammo()) ==
        "loses Ammo: a tank has one gun, which reloads itself; tools become flags on the ground\n");
  CHECK(play.hears(core::Fact(1, words::ClaimRefused())) ==
        "loses ClaimRefused: the client learns only about refused names, deaths and spawns\n");
}

TEST_CASE("each kind of fact has a handler, or is counted by a reason of the mapping") {
  testing::check_every_fact([](const core::Fact& fact) {
    Play fresh;
    fresh.come_in();
    return fresh.hears(fact);
  });
}

constexpr const char* kOther =
    "loses World: clients load a world only when they join\n"
    "sends MsgMessage from=0 to=1 text=\"The server has another map now. Join again to see it.\"\n";

TEST_CASE("a client is told once that the room has another world than the one that it loaded") {
  const auto world = [](const char* hash) {
    return std::string("hash: '") + hash + "' west: -100 east: 100 south: -100 north: 100";
  };
  Play play;
  play.stage.opens();
  play.learn_room();
  play.asks({GetWorldUp{}});
  CHECK(play.hears<words::World>(world("early")) == "");
  play.hears<words::World>(world("x"));
  play.asks({enter_as("anna")});
  play.learn_people();
  CHECK(play.hears<words::Ready>("").find("another map") == std::string::npos);
  CHECK(play.hears<words::World>(world("x")) == "");
  CHECK(play.hears<words::World>(world("y")) == kOther);
  CHECK(play.hears<words::World>(world("y")) == "loses World: clients load a world only when they join\n");
  CHECK(play.hears<words::World>(world("x")) == "");
  CHECK(play.hears<words::World>(world("z")) == kOther);

  Play late;  // the world changes while the client loads
  late.stage.opens();
  late.learn_room();
  late.asks({GetWorldUp{}});
  late.hears<words::World>(world("y"));
  late.asks({enter_as("anna")});
  late.learn_people();
  CHECK(late.hears<words::Ready>("").ends_with(kOther));

  Play none;  // it has loaded none
  none.come_in();
  CHECK(none.hears<words::World>(world("y")) == "");
}

/// A room in which the player 2 has so many living tanks, from 1000 on.
void crowd(Play& play, int tanks) {
  play.hears<words::Player>("id: 2 name: 'ben' team: GREEN");
  words::Owns owns = word<words::Owns>("player: 2 active: 1000");
  for (int id = 1000; id < 1000 + tanks; ++id) {
    owns.add_units(static_cast<std::uint32_t>(id));
    play.stage.knows(word<words::Unit>("id: " + std::to_string(id) + " owner: 2 team: GREEN alive: true pose { unit: " +
                                       std::to_string(id) + " x: 5 }"));
  }
  play.stage.knows(owns);
}

TEST_CASE("a client of a full room is told of itself before anybody leaves") {
  for (const int tanks : {300, 1000}) {
    Play play;
    play.stage.opens();
    play.learn_room();
    play.asks({enter_as("anna")});
    crowd(play, tanks);
    play.hears<words::Player>("id: 1 name: 'anna' team: RED");
    play.hears<words::Player>("id: 3 name: 'cleo' team: RED");
    play.hears<words::Unit>("id: 13 owner: 3 team: RED alive: true pose { unit: 13 x: 5 }");
    play.hears<words::Owns>("player: 3 units: 13 active: 13");
    const std::string in = play.hears<words::Ready>("");
    const std::size_t own = in.find("sends MsgAddPlayer player=1 ");
    REQUIRE(own != std::string::npos);
    CHECK(in.find("sends MsgRemovePlayer") == std::string::npos);
    CHECK(std::count(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(own), '\n') > 247);
    CHECK(in.find("sends MsgAlive player=248 ") != std::string::npos);
  }
}

TEST_CASE("a unit in sight gets the number of one that is out of sight, also if both were there before the client") {
  Play play;
  play.stage.opens();
  play.learn_room();
  play.asks({enter_as("anna")});
  crowd(play, 300);
  for (int id = 1010; id < 1012; ++id) play.stage.knows(word<words::Hidden>("unit: " + std::to_string(id)));
  play.hears<words::Player>("id: 1 name: 'anna' team: RED");
  const std::string in = play.hears<words::Ready>("");
  const std::size_t own = in.find("sends MsgAddPlayer player=1 "), removed = in.find("sends MsgRemovePlayer");
  REQUIRE(own != std::string::npos);
  REQUIRE(removed != std::string::npos);
  CHECK(own < removed);
  CHECK(in.find("sends MsgRemovePlayer", removed + 1) != std::string::npos);
}

TEST_CASE("a client is told of the flag of a tank that gets its number only after the client has its own") {
  Play play;
  play.stage.opens();
  play.learn_room();
  play.asks({enter_as("anna")});
  crowd(play, 300);
  for (int id = 1010; id < 1070; ++id) play.stage.knows(word<words::Hidden>("unit: " + std::to_string(id)));
  play.hears<words::Player>("id: 1 name: 'anna' team: RED");
  play.hears<words::Player>("id: 3 name: 'cleo' team: RED");
  play.hears<words::Unit>("id: 2000 owner: 3 team: RED alive: true pose { unit: 2000 x: 5 }");
  play.hears<words::Owns>("player: 3 units: 2000 active: 2000");
  play.hears<words::Token>("id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: CARRIED carrier: 3");
  const std::string in = play.hears<words::Ready>("");
  const std::string_view add = "sends MsgAddPlayer player=";
  const std::size_t cleo = in.find("cleo");
  REQUIRE(cleo != std::string::npos);
  const std::size_t number = in.rfind(add, cleo) + add.size();
  CHECK(in.find("sends MsgAddPlayer player=1 ") < number);
  const std::string carrier = " carrier=" + in.substr(number, in.find(' ', number) - number) + " ";
  CHECK(in.find(carrier, in.rfind("sends MsgFlagUpdate")) != std::string::npos);
}

TEST_CASE("a tank of nobody that comes into a running game is a player of its own, and leaves with the tank") {
  Play play;
  play.come_in();
  const std::string told = play.hears<words::Unit>("id: 50 alive: true pose { unit: 50 x: 9 }");
  CHECK(told.starts_with("sends MsgAddPlayer player=3 "));
  CHECK(told.ends_with("sends MsgAlive player=3 position=(9000 0 0)\n"));
  CHECK(play.hears<words::Gone>("unit: 50") == "sends MsgRemovePlayer player=3\n");
}

TEST_CASE("the work for a fact about a unit without a number does not grow with the units of its owner") {
  Play play;
  play.stage.opens();
  play.learn_room();
  play.asks({enter_as("anna")});
  crowd(play, 1000);
  play.hears<words::Player>("id: 1 name: 'anna' team: RED");
  play.hears<words::Ready>("");
  const auto cost = [&](const core::Fact& fact) {
    const std::uint64_t before = testing::steps();
    const std::string said = play.hears(fact);
    CHECK(said == "loses Unit: no number is left for another player\n");
    return testing::steps() - before;
  };
  const core::Fact pose = word<words::Pose>("unit: 1500 x: 6"),
                   unit = word<words::Unit>("id: 1500 owner: 2 team: GREEN alive: true pose { unit: 1500 x: 5 }");
  for (int i = 0; i < 10; ++i) {
    CHECK(cost(pose) < 20'000);
    CHECK(cost(unit) < 20'000);
  }
  const std::uint64_t before = testing::steps();
  CHECK(play.hears<words::Hidden>("unit: 1010").find("sends MsgPlayerUpdate player=") != std::string::npos);
  CHECK(testing::steps() - before < 20'000);
  CHECK(play.hears<words::Pose>("unit: 1500 x: 7").find("sends MsgAddPlayer player=") != std::string::npos);
}

TEST_CASE("a player who is described again keeps its callsign, at little cost, however many have the same name") {
  Play play;
  play.come_in();
  for (int id = 100; id < 346; ++id) play.hears<words::Player>("id: " + std::to_string(id) + " name: 'x' team: GREEN");
  const std::uint64_t before = testing::steps();
  CHECK(play.hears<words::Player>("id: 345 name: 'x' team: GREEN colour: 7") == "");
  CHECK(testing::steps() - before < 20'000);
  const std::string named = play.hears<words::Player>("id: 345 name: 'y' team: GREEN");
  CHECK(named.find("callsign=\"y\"") != std::string::npos);
  const std::uint64_t again = testing::steps();
  CHECK(play.hears<words::Player>("id: 345 name: 'x' team: GREEN").find("callsign=\"x 246\"") != std::string::npos);
  CHECK(testing::steps() - again < 300'000);
  play.hears<words::PlayerGone>("id: 100");
  CHECK(play.hears<words::Player>("id: 345 name: 'x' team: GREEN") == "");
}

TEST_CASE("a client that enters a ready room is let in, or rejected, when the room has answered") {
  const auto enter = [](Play& play) {
    play.stage.opens();
    play.learn_room();
    play.hears<words::Ready>("");
    const std::string asked = play.asks({enter_as("anna")});
    CHECK(asked.starts_with("says Enter "));
    CHECK(asked.find("sends") == std::string::npos);
    CHECK(play.stage.waits(kSecond).find("MsgAccept") == std::string::npos);
  };
  SUBCASE("let in") {
    Play play;
    enter(play);
    const std::string in = play.hears<words::Player>("id: 1 name: 'anna' team: RED");
    CHECK(in.starts_with("sends MsgAccept player=1\n"));
    CHECK(in.find("sends MsgAddPlayer player=1 ") != std::string::npos);
  }
  SUBCASE("rejected") {
    Play play;
    enter(play);
    CHECK(play.hears<words::Refused>("code: FULL text: 'full'") ==
          "sends MsgReject reason=7 text=\"full\"\nsends MsgSuperKill\ncloses: full\n");
  }
  SUBCASE("rejected, and let in when it tries again") {
    Play play;
    enter(play);
    CHECK(play.hears<words::Refused>("code: TOO_SOON text: 'later' may_retry: true").starts_with("sends MsgReject "));
    CHECK(play.asks({enter_as("anna")}).starts_with("says Enter "));
    CHECK(play.hears<words::Player>("id: 1 name: 'anna' team: RED").starts_with("sends MsgAccept player=1\n"));
  }
}

TEST_CASE("a client that the room refuses while a change is pending is disconnected") {
  Play play;
  play.come_in();
  play.asks({enter_as("anne")});
  CHECK(play.hears<words::Refused>("code: FULL text: 'full' may_retry: true") ==
        "sends MsgMessage from=0 to=1 text=\"full\"\nsends MsgSuperKill\ncloses: full\n");
}

TEST_CASE("a shot that the room refuses ends for the client, which has drawn it") {
  Play play;
  play.come_in();
  play.asks({ShotBegin{0, 2, {1000, 0, 1570}, {100000, 0, 0}, 0, 3500, 0}});
  CHECK(play.hears<words::ShotEnded>("shooter: 1 shot: 2") == "sends MsgShotEnd shooter=1 shot=2 reason=0\n");
  CHECK(play.hears<words::ShotEnded>("shooter: 1 shot: 2") == "");
}

TEST_CASE("a player who was there before the client, and has its name, is shown under another one") {
  const auto join = [](const std::string& named) {  // the room's name for the client's player
    Play play;
    play.stage.opens();
    play.learn_room();
    play.hears<words::Player>("id: 2 name: 'anna' team: GREEN");
    play.hears<words::Ready>("");
    play.asks({enter_as("anna")});
    return play.hears<words::Player>("id: 1 name: '" + named + "' team: RED");
  };
  const std::string same = join("anna");
  CHECK(same.find("player=2 type=0 team=2 wins=0 losses=0 callsign=\"anna 2\"") != std::string::npos);
  CHECK(same.find("player=1 type=0 team=1 wins=0 losses=0 callsign=\"anna\"") != std::string::npos);
  const std::string other = join("anna 2");
  CHECK(other.find("player=2 type=0 team=2 wins=0 losses=0 callsign=\"anna\"") != std::string::npos);
  CHECK(other.find("player=1 type=0 team=1 wins=0 losses=0 callsign=\"anna 2\"") != std::string::npos);
}

TEST_CASE("a client that ends its own shot without its player number does not end a shot of the world's guns") {
  Play play;
  play.come_in();
  CHECK(play.hears<words::Shot>("shot: 300 x: 90 vx: 1 life: 3").starts_with("sends MsgShotBegin shooter=0 shot=0 "));
  play.asks({ShotBegin{0, 0, {1000, 0, 1570}, {100000, 0, 0}, 0, 3500, 0}});
  CHECK(play.asks({ShotEnd{0, 0, 1}}) == "says ShotEndClaim shooter: 1 burst: true\n");
}

}  // namespace
}  // namespace entente::bzdraft::front_test
