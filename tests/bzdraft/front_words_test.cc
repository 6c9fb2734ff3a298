// What a client of the draft is sent for each word of the room, and what the room learns of each message of the client,
// one by one.
#include <doctest/doctest.h>

#include "proxy/core/replay/resync_phase.h"
#include "tests/bzdraft/said.h"

namespace entente::bzdraft::front_words_test {
namespace {

using core::kMillisecond, core::kSecond;

/// Anna is number 1, ben number 2.
struct Play {
  Play() : stage(faces().front({0, {}}), game(), 0, wire::Way::kToClient) {}

  std::string hears(core::Fact fact) { return stage.hears(std::move(fact)); }
  template <class Word>
  std::string hears(const std::string& text) {
    return stage.hears(word<Word>(text));
  }
  std::string asks(std::initializer_list<Message> messages) { return stage.receives(by_client(messages)); }

  void learn_room(bool victim = true, const std::string& room = "game: 'bzflag' most_shots: 3") {
    hears<words::Room>(room);
    if (victim) hears<words::Rule>("name: 'hits' value: 'victim'");
    hears<words::World>("hash: 'x' kind: SOLIDS west: -100 east: 100 south: -100 north: 100");
  }
  void come_in(bool victim = true) {
    stage.opens();
    learn_room(victim);
    asks({enter_as("anna")});
    hears<words::Player>("id: 1 name: 'anna' team: RED motto: 'a@example.com'");
    hears<words::Player>("id: 2 name: 'ben' team: GREEN motto: 'hi'");
    hears<words::Unit>("id: 11 owner: 1 team: RED");
    hears<words::Unit>("id: 12 owner: 2 team: GREEN alive: true pose { unit: 12 x: 5 y: 6 }");
    hears<words::Owns>("player: 1 units: 11 active: 11");
    hears<words::Owns>("player: 2 units: 12 active: 12");
    hears<words::Ready>("");
    asks({AliveUp{}});
    hears<words::Spawned>("unit: 11 pose { unit: 11 }");
  }
  testing::FrontStage stage;
};

std::size_t count(const std::string& all, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++found;
  return found;
}

// -- Coming and going -------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft front: a greeting after the entry is counted; a second one before it replaces the flags") {
  Play play;
  play.stage.opens();
  play.learn_room();
  VersionUp first, second;
  first.flags_known = {10};
  second.flags_known = {5};
  play.asks({first, second});
  CHECK(play.asks({enter_as("anna")}).find(" flags_known: \"V\" motto") != std::string::npos);
  CHECK(play.asks({second}) == "loses MsgVersion: the client has already greeted\n");
  CHECK(play.asks({enter_as("anna")}) == "loses MsgEnter: the client's last MsgEnter is not answered yet\n");
}

TEST_CASE("bzdraft front: an entry has the client's role, team, password and avatar") {
  Play play;
  play.stage.opens();
  Enter enter = enter_as("anna", 3, kRobot);
  enter.password.chars = "p";
  enter.avatar.chars = "tank";
  CHECK(play.asks({enter}) ==
        "says Enter name: \"anna\" team: BLUE role: ROBOT password: \"p\" motto: \"a@example.com\" avatar: \"tank\" "
        "claims_deaths: true\n");
  Play watcher;
  watcher.stage.opens();
  CHECK(watcher.asks({enter_as("anna", 4, kWatcher)}).find(" team: PURPLE role: WATCH ") != std::string::npos);
}

TEST_CASE("bzdraft front: what a client sends before it is in the game does nothing, or is counted") {
  Play play;
  play.stage.opens();
  play.learn_room();
  CHECK(play.asks({AliveUp{}}) == "loses MsgAlive: the player is not in the game\n");
  CHECK(play.asks({ChatMessage{0, kEveryone, {"hi"}}}) == "loses MsgMessage: the player is not in the game\n");
  CHECK(play.asks({entry(1, "anne", 1)}) == "loses MsgAddPlayer: the player is not in the game\n");
  CHECK(play.asks({PlayerUpdate{1, kAlive, {}, {}, 0, 0}, Killed{}, ShotBegin{}, ShotEnd{}, ShotUpdate{}, GrabFlagUp{},
                   DropFlagUp{}, Score{}}) == "");
  Buffer teleport;
  make_message_codec()->write(Teleport{0, 4, 5}, wire::Way::kToServer, teleport, kTeleportCode);
  CHECK(play.stage.receives(teleport) == "");
}

TEST_CASE("bzdraft front: a client that leaves is out of the room only if it had entered") {
  Play early;
  early.stage.opens();
  CHECK(early.asks({Exit{}}) == "closes: the client left\n");
  Play entered;
  entered.stage.opens();
  entered.asks({enter_as("anna")});
  CHECK(entered.asks({Exit{}}) == "says Leave\ncloses: the client left\n");
  CHECK(entered.hears<words::Refused>("text: 'no'") == "");
}

TEST_CASE("bzdraft front: a refusal that is final ends the session, and a refused client may leave without a word") {
  Play play;
  play.stage.opens();
  play.asks({enter_as("anna")});
  CHECK(play.hears<words::Refused>("code: BANNED text: 'go'") ==
        "sends MsgReject reason=2 text=\"go\"\nsends MsgSuperKill\ncloses: go\n");
  Play again;
  again.stage.opens();
  again.asks({enter_as("anna")});
  again.hears<words::Refused>("code: FULL text: 'no' may_retry: true");
  CHECK(again.asks({Exit{}}) == "closes: the client left\n");
}

TEST_CASE("bzdraft front: the settings are those of the room and of its rules") {
  Play play;
  play.stage.opens();
  for (const char* line :
       {"name: 'BZFLAG.linearAcceleration' value: '1.5'", "name: 'BZFLAG.angularAcceleration' value: '2.5'",
        "name: 'BZFLAG.shakeTimeout' value: '70000'", "name: 'BZFLAG.shakeWins' value: '4'"})
    play.hears<words::Rule>(line);
  play.learn_room(true, "game: 'bzflag' most_shots: 300 ricochet: true");
  play.stage.ages(3 * kSecond);
  const std::string said = play.asks({GetWorldUp{}});
  CHECK(said.starts_with("sends MsgGetWorld style=" + std::to_string(kRicochet) + " max_players=248 max_shots=255 "));
  CHECK(said.find(
            " linear_acceleration=1500 angular_acceleration=2500 shake_time=65535 shake_wins=4 server_time=3000 ") !=
        std::string::npos);
  CHECK(count(play.asks({GetWorldUp{}}), "sends MsgGetWorld") == 1);  // to each request
}

// -- Changes ----------------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft front: a change that the room does not confirm within two seconds is refused, with the old data") {
  Play play;
  play.come_in();
  CHECK(play.asks({enter_as("anne", 3)}) == "says Change name: \"anne\" team: BLUE\n");
  CHECK(play.asks({enter_as("anne", 3)}) == "");  // asked again
  CHECK(play.stage.waits(1900 * kMillisecond).find("MsgReject") == std::string::npos);
  const std::string no = play.stage.waits(200 * kMillisecond);
  CHECK(count(no, "sends MsgReject reason=0 text=\"this server did not accept the change\"\n") == 1);
  CHECK(no.find("sends MsgAddPlayer player=1 type=0 team=1 wins=0 losses=0 callsign=\"anna\" ") != std::string::npos);
  CHECK(play.stage.waits(3 * kSecond).find("MsgReject") == std::string::npos);
  CHECK(play.asks({enter_as("anne", 3)}) == "says Change name: \"anne\" team: BLUE\n");
}

TEST_CASE("bzdraft front: a change of nothing is confirmed at once; one by MsgAddPlayer leaves the team") {
  Play play;
  play.come_in();
  CHECK(play.asks({enter_as("anna")}).starts_with("sends MsgAccept player=1\nsends MsgAddPlayer player=1 "));
  AddPlayer changed = entry(1, "anna", 3);
  changed.email.chars = "new";
  CHECK(play.asks({changed}) == "says Change motto: \"new\"\n");
  CHECK(play.hears<words::ClaimRefused>("why: 'x'").find("MsgReject") == std::string::npos);  // of no player
  CHECK(play.hears(core::Fact(1, word<words::ClaimRefused>("why: 'taken'")))
            .starts_with("sends MsgReject reason=0 text=\"taken\"\n"));
  CHECK(play.hears(core::Fact(1, word<words::ClaimRefused>("why: 'taken'"))) ==
        "loses ClaimRefused: the client learns only about refused names, deaths and spawns\n");
}

TEST_CASE("bzdraft front: a client that is dead is told why its spawn is refused") {
  Play play;
  play.come_in();
  const core::Fact no(1, word<words::ClaimRefused>("why: 'spectators have no tank'"));
  CHECK(play.hears(no).starts_with("loses ClaimRefused"));  // it has its tank
  play.hears<words::Died>("player: 1 unit: 11");
  CHECK(play.asks({AliveUp{}}) == "says Spawn\n");
  CHECK(play.hears(no) == "sends MsgMessage from=0 to=1 text=\"spectators have no tank\"\n");
}

// -- Players ----------------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft front: an address for operators is counted; scores and other teams, too") {
  Play play;
  play.come_in();
  core::Fact fact(word<words::Player>("id: 2 name: 'ben' team: GREEN address: '10.0.0.1'"));
  fact.audience = words::ADMINS;
  CHECK(play.hears(fact).starts_with("loses Player.address"));
  CHECK(play.hears<words::Score>("player: 99 wins: 1") == "");
  CHECK(play.hears<words::Score>("player: 2 wins: 70000 losses: 3") == "sends MsgScore player=2 wins=65535 losses=3\n");
  CHECK(play.hears<words::TeamScore>("team: YELLOW wins: 1") == "loses TeamScore: the client has no such team\n");
}

TEST_CASE("bzdraft front: players of one name have callsigns that differ, and watchers and robots their types") {
  Play play;
  play.come_in();
  CHECK(play.hears<words::Player>("id: 3 name: 'ben' team: BLUE role: ROBOT") ==
        "sends MsgAddPlayer player=3 type=2 team=3 wins=0 losses=0 callsign=\"ben 2\" email=\"\" avatar=\"\"\n");
  CHECK(play.hears<words::Player>("id: 4 name: 'wat' role: WATCH").find(" type=1 ") != std::string::npos);
  CHECK(play.hears<words::Player>("id: 2 name: 'ben' team: GREEN motto: 'new'") ==
        "sends MsgAddPlayer player=2 type=0 team=2 wins=0 losses=0 callsign=\"ben\" email=\"new\" avatar=\"\"\n");
  CHECK(play.hears<words::Player>("id: 2 name: 'ben' team: GREEN motto: 'new' role: ROBOT").find(" type=2 ") !=
        std::string::npos);
  CHECK(play.hears<words::Player>("id: 2 name: 'ben' team: GREEN motto: 'new' role: ROBOT colour: 7") == "");
}

TEST_CASE("bzdraft front: a further tank of a player is a robot without a score") {
  Play play;
  play.come_in();
  play.hears<words::Score>("player: 2 wins: 5 losses: 6");
  play.hears<words::Unit>("id: 13 owner: 2 team: GREEN alive: true pose { unit: 13 x: 9 }");
  const std::string two = play.hears<words::Owns>("player: 2 units: 12 units: 13 active: 12");
  CHECK(two.find("sends MsgAddPlayer player=3 type=2 team=2 wins=0 losses=0 callsign=\"ben 2\" ") != std::string::npos);
}

// -- Chat and rounds --------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft front: a client sees who said what to whom") {
  Play play;
  play.come_in();
  CHECK(play.hears<words::Said>("from: 2 scope: ONE to: 1 text: 'x'") == "sends MsgMessage from=2 to=1 text=\"x\"\n");
  CHECK(play.hears<words::Said>("from: 1 scope: ONE to: 2 text: 'x'") == "sends MsgMessage from=1 to=2 text=\"x\"\n");
  CHECK(play.hears<words::Said>("from: 2 scope: MODERATORS text: 'x'") == "sends MsgMessage from=2 to=1 text=\"x\"\n");
  CHECK(play.hears<words::Said>("from: 2 scope: MY_TEAM to: 1 text: 'x'") ==
        "sends MsgMessage from=2 to=253 text=\"x\"\n");
  CHECK(play.hears<words::Said>("text: 'x'") == "sends MsgMessage from=0 to=255 text=\"x\"\n");
  CHECK(play.hears<words::Said>("from: 99 name: 'zoe' text: 'x'") ==
        "sends MsgMessage from=0 to=255 text=\"zoe: x\"\n");
  CHECK(play.hears<words::Said>("from: 2 name: 'ben' text: 'x'") == "sends MsgMessage from=2 to=255 text=\"x\"\n");
  CHECK(play.hears(core::Fact(1, word<words::Notice>("text: 'n'"))) == "sends MsgMessage from=0 to=1 text=\"n\"\n");
}

TEST_CASE("bzdraft front: a clock that stands is counted; the time left is whole seconds that fit") {
  Play play;
  play.come_in();
  CHECK(play.hears<words::Round>("left_s: 60 paused: true") == "loses Round.paused: the client's clock cannot stop\n");
  CHECK(play.hears<words::Round>("left_s: 70000") == "sends MsgTimeLeft seconds=65535\n");
  CHECK(play.hears<words::Round>("left_s: 0.2 another: true") == "sends MsgTimeLeft seconds=1\n");
  CHECK(play.hears<words::Round>("") == "");
  CHECK(play.hears<words::Round>("state: OVER winner: 99") == "sends MsgScoreOver winner=254\n");
  CHECK(play.hears<words::Round>("state: OVER winner: 2 winning_team: BLUE") == "sends MsgScoreOver winner=2\n");
  CHECK(play.hears<words::Round>("state: OVER winning_team: YELLOW") == "sends MsgScoreOver winner=254\n");
  play.hears(core::resync_clock(0));
  CHECK(play.hears<words::Round>("state: OVER winner: 2") == "");
}

// -- Tanks ------------------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft front: who killed a tank, as the client can be told") {
  const auto died = [](const std::string& how) {
    Play play;
    play.come_in();
    return play.hears<words::Died>("player: 2 unit: 12 " + how);
  };
  CHECK(died("killer: 1 why: BY_TOUCH") == "sends MsgKilled victim=2 killer=1 flag=0 shot=0\n");
  CHECK(died("why: BY_SERVER") == "sends MsgKilled victim=2 killer=0 flag=0 shot=0\n");
  CHECK(died("killer: 99 why: BY_SHOT shot: 4") == "sends MsgKilled victim=2 killer=0 flag=0 shot=4\n");
  CHECK(died("why: BY_ITSELF") == "sends MsgKilled victim=2 killer=2 flag=0 shot=0\n");
}

TEST_CASE("bzdraft front: a death by a shown shot has the number and the flag that the client knows, both ways") {
  Play play;
  play.come_in(false);
  const std::string begun = play.hears<words::Shot>("shooter: 2 unit: 12 shot: 7777 weapon: 18253 y: 40 vx: 1 life: 3");
  CHECK(begun.find("sends MsgShotBegin shooter=2 shot=0 ") != std::string::npos);
  CHECK(begun.find(" flag=10\n") != std::string::npos);
  CHECK(play.asks({ShotEnd{2, 0, 0}}) == "says ShotEndClaim shooter: 2 shot: 7777\n");
  CHECK(play.asks({Killed{0, 2, 0, 0}}) == "says DeathClaim killer: 2 shot: 7777 why: BY_SHOT\n");
  CHECK(play.hears<words::Died>("player: 1 unit: 11 killer: 2 shot: 7777 why: BY_SHOT") ==
        "sends MsgKilled victim=1 killer=2 flag=10 shot=0\n");
}

TEST_CASE("bzdraft front: a death that the client claims: by itself, by the server, or by a player") {
  const auto claims = [](std::uint8_t killer) {
    Play play;
    play.come_in();
    return play.asks({Killed{0, killer, 0, 0}});
  };
  CHECK(claims(1) == "says DeathClaim killer: 1 why: BY_ITSELF\n");
  CHECK(claims(kServer) == "says DeathClaim why: BY_SERVER\n");
  CHECK(claims(2) == "says DeathClaim killer: 2 why: BY_SHOT\n");
}

TEST_CASE("bzdraft front: a death that nobody confirms is undone sooner where the server decides") {
  for (const bool victim : {false, true}) {
    Play play;
    play.come_in(victim);
    play.stage.waits(2 * kSecond);
    play.asks({Killed{0, 2, 0, 0}});
    const core::Micros patience = victim ? 5 * kSecond : 400 * kMillisecond;
    CHECK(play.stage.waits(patience - 10 * kMillisecond).find("MsgAlive player=1 ") == std::string::npos);
    CHECK(play.stage.waits(20 * kMillisecond).find("MsgAlive player=1 ") != std::string::npos);
  }
}

TEST_CASE("bzdraft front: a request to spawn becomes one, unless the tank is in play: then the client is put there") {
  Play play;
  play.come_in();
  CHECK(play.asks({AliveUp{}}).starts_with("sends MsgAlive player=1 "));
  play.hears<words::Died>("player: 1 unit: 11");
  CHECK(play.asks({AliveUp{}}) == "says Spawn\n");
}

TEST_CASE(
    "bzdraft front: a tank that comes into play is shown with its heading, to the left and to the right of east") {
  Play play;
  play.come_in();
  const auto comes = [&](int player, int unit, int yaw) {
    const std::string id = std::to_string(unit);
    play.hears<words::Died>("player: " + std::to_string(player) + " unit: " + id);
    return play.hears<words::Spawned>("unit: " + id + " pose { unit: " + id + " x: 5 y: 6 yaw: " + std::to_string(yaw) +
                                      " }");
  };
  for (const int yaw : {1, -1}) {
    CAPTURE(yaw);
    const std::string shown = comes(2, 12, yaw);
    CHECK(shown.starts_with("sends MsgAlive player=2 "));
    CHECK(count(shown, " azimuth=" + std::to_string(1000 * yaw) + " ") == 1);
  }
  CHECK(count(comes(2, 12, 0), "MsgPlayerUpdate") == 0);  // MsgAlive says so already
  CHECK(count(comes(1, 11, 1), "MsgPlayerUpdate") == 0);  // the client's own tank
}

TEST_CASE("bzdraft front: poses are sent at most so often, the newest at the end; those of dead tanks are not") {
  Play play;
  play.come_in();
  std::string all;
  for (int i = 1; i <= 200; ++i) {  // two seconds
    all += play.hears<words::Pose>("unit: 12 x: " + std::to_string(i));
    all += play.stage.waits(10 * kMillisecond);
  }
  all += play.stage.waits(kSecond);
  CHECK(count(all, "MsgPlayerUpdate") < 150);
  CHECK(all.rfind("position=(200000 0 0)") > all.rfind("position=(199000 0 0)") + 1);
  CHECK(all.find("position=(200000 0 0)") != std::string::npos);
  play.hears<words::Died>("player: 2 unit: 12");
  CHECK(play.hears<words::Pose>("unit: 12 x: 3") == "");
  CHECK(play.stage.waits(kSecond) == "");
}

TEST_CASE("bzdraft front: a hit on our tank is a line of chat, one on another is counted") {
  Play play;
  play.come_in();
  CHECK(play.hears<words::Health>("unit: 12 now: 50") ==
        "loses Health: a client shows only whether others are alive\n");
  play.hears<words::Health>("unit: 11 now: 50 max: 100");
  CHECK(play.hears<words::Health>("unit: 11 now: 30 max: 100") == "sends MsgMessage from=0 to=1 text=\"hit 30/100\"\n");
}

// -- Shots and flags --------------------------------------------------------------------------------------------------

TEST_CASE("bzdraft front: a shock wave of the client stands still; the target of nobody is nobody") {
  Play play;
  play.come_in();
  CHECK(play.asks({ShotBegin{0, 2, {1000, 0, 1570}, {100000, 0, 0}, 0, 3500, 20}}) ==
        "says Fire unit: 11 shot: 2 weapon: 21335 kind: WAVE x: 1 z: 1.57 life: 3.5 range: 60\n");
  CHECK(play.asks({ShotUpdate{0, 2, {2000, 0, 0}, {0, 1000, 0}, 500, 99}}).find("target") == std::string::npos);
  CHECK(play.asks({ShotEnd{kServer, 2, 0}}) == "says ShotEndClaim shooter: 1 shot: 2\n");
  CHECK(play.hears<words::ShotMoved>("shooter: 2 shot: 99") == "loses ShotMoved: the client does not see that shot\n");
  play.hears<words::Died>("player: 1 unit: 11");
  CHECK(play.asks({ShotBegin{0, 2, {1000, 0, 1570}, {100000, 0, 0}, 0, 3500, 0}}) == "");
}

TEST_CASE("bzdraft front: a missile that turns has the time since it was fired, and the server as nobody") {
  Play play;
  play.come_in();
  play.hears<words::Shot>("shooter: 2 unit: 12 shot: 1 kind: GUIDED y: 40 vx: 1 life: 9");
  play.stage.waits(1500 * kMillisecond);
  const std::string moved = play.hears<words::ShotMoved>("shooter: 2 shot: 1 target: 99 y: 40");
  CHECK(moved.ends_with(" time=1500 target=0\n"));
}

TEST_CASE("bzdraft front: flags are taken, dropped and captured by whom the client knows") {
  Play play;
  play.come_in();
  const std::string taken = "token { id: 7 code: 'V' state: CARRIED carrier: 2 } by: ";
  CHECK(play.hears<words::TokenTaken>(taken + "2")
            .starts_with("sends MsgGrabFlag number=0 flag={kind=5 status=2 carrier=2 "));
  CHECK(play.hears<words::TokenTaken>(taken + "99").find(" carrier=254 ") != std::string::npos);
  CHECK(play.hears<words::TokenTaken>(taken + "2 from: 1")
            .starts_with("loses TokenTaken.from: flags can be taken only from the ground\nsends MsgGrabFlag"));
  const std::string dropped = "token { id: 7 code: 'V' state: GROUND x: 3 } by: 2";
  CHECK(play.hears<words::TokenDropped>(dropped + " why: DROP_TIMEOUT")
            .starts_with("sends MsgDropFlag reason=0 number=0 flag={kind=5 status=1 carrier=2 position=(3000 0 0)"));
  CHECK(play.hears<words::TokenDropped>(dropped).starts_with("sends MsgDropFlag reason=3 "));
  play.hears<words::Died>("player: 2 unit: 12");
  CHECK(play.hears<words::TokenDropped>(dropped).starts_with("sends MsgDropFlag reason=4 "));
  CHECK(play.hears<words::TokenDropped>(dropped + " why: DROP_TIMEOUT").starts_with("sends MsgDropFlag reason=0 "));
  CHECK(play.hears<words::TokenCaptured>("token: 99 by: 2") ==
        "loses TokenCaptured: the client does not see that flag\n");
  CHECK(play.hears<words::TokenCaptured>("token: 7 by: 1")
            .starts_with("sends MsgDropFlag reason=2 number=0 flag={kind=5 status=1 carrier=1 "));
  CHECK(play.hears<words::Token>("id: 8 kind: BASE") == "");
}

TEST_CASE("bzdraft front: a client captures its own flag at any base, and another at its own") {
  for (const bool own : {false, true}) {
    Play play;
    play.come_in();
    play.hears<words::Token>(std::string("id: 7 kind: TEAM_FLAG team: ") + (own ? "RED" : "GREEN") +
                             " state: CARRIED carrier: 1");
    const std::string wish = play.asks({DropFlagUp{2}});
    CHECK(wish.starts_with("says TokenWish token: 7 op: CAPTURE"));
    CHECK((wish.find(" team: RED") != std::string::npos) == !own);
  }
  Play play;
  play.come_in();
  play.hears<words::Token>("id: 7 state: CARRIED carrier: 2");
  play.hears<words::Token>("id: 8 state: GROUND carrier: 1");
  CHECK(play.asks({DropFlagUp{3}}) == "loses MsgDropFlag: the player has no flag\n");
  CHECK(play.asks({GrabFlagUp{99}}) == "");
}

// -- What only shows later --------------------------------------------------------------------------------------------

TEST_CASE(
    "bzdraft front: a client whose change is under way may ask for another, and a refused one may be asked again") {
  Play play;
  play.come_in();
  CHECK(play.asks({enter_as("anne")}) == "says Change name: \"anne\"\n");
  CHECK(play.asks({enter_as("annie")}) == "says Change name: \"annie\"\n");
  AddPlayer motto = entry(1, "annie", 1);
  motto.email.chars = "new";
  CHECK(play.asks({motto}) == "says Change motto: \"new\"\n");
  CHECK(play.asks({motto}) == "");
  play.hears(core::Fact(1, word<words::ClaimRefused>("why: 'taken'")));
  CHECK(play.asks({motto}) == "says Change name: \"annie\" motto: \"new\"\n");
}

TEST_CASE("bzdraft front: a team that the server has chosen does not matter for a later change of the name") {
  for (const bool confirmed : {false, true}) {
    CAPTURE(confirmed);
    Play play;
    play.come_in();
    CHECK(play.asks({enter_as("anna", 3)}) == "says Change team: BLUE\n");
    if (confirmed)
      CHECK(count(play.hears<words::Player>("id: 1 name: 'anna' team: BLUE motto: 'a@example.com'"), "MsgAccept") == 1);
    else
      play.hears(core::Fact(1, word<words::ClaimRefused>("why: 'full'")));
    CHECK(count(play.hears<words::Player>("id: 1 name: 'anna' team: GREEN motto: 'a@example.com'"),
                "sends MsgAddPlayer player=1 type=0 team=2 ") == 1);
    CHECK(play.asks({entry(1, "anne", 1)}).starts_with("says Change name: \"anne\""));
    CHECK(count(play.hears<words::Player>("id: 1 name: 'anne' team: GREEN"), "MsgAccept") == 1);
  }
}

TEST_CASE("bzdraft front: while a client changes its data, others may change theirs") {
  Play play;
  play.come_in();
  play.asks({enter_as("anne")});
  CHECK(play.hears<words::Player>("id: 2 name: 'bert' team: BLUE motto: 'hi'") ==
        "sends MsgAddPlayer player=2 type=0 team=3 wins=0 losses=0 callsign=\"bert\" email=\"hi\" avatar=\"\"\n");
}

TEST_CASE("bzdraft front: a change of the team alone is told") {
  Play play;
  play.come_in();
  CHECK(count(play.hears<words::Player>("id: 2 name: 'ben' team: BLUE motto: 'hi'"), " player=2 type=0 team=3 ") == 1);
}

TEST_CASE("bzdraft front: bases are no flags, also when they are taken or known at the entry") {
  Play play;
  play.stage.opens();
  play.hears<words::Token>("id: 9 kind: BASE team: RED state: CARRIED carrier: 1");
  play.come_in();
  CHECK(play.hears<words::TokenTaken>("token { id: 8 kind: BASE state: CARRIED carrier: 2 } by: 2") == "");
  CHECK(play.hears<words::TokenDropped>("token { id: 8 kind: BASE state: GROUND } by: 2") == "");
  CHECK(count(play.hears<words::Spawned>("unit: 11 pose { unit: 11 }"), "MsgGrabFlag") == 0);
}

TEST_CASE("bzdraft front: a client that is put back takes up its own flag, and no other") {
  Play play;
  play.come_in();
  play.hears<words::Token>("id: 7 code: 'V' state: CARRIED carrier: 2");
  play.hears<words::Token>("id: 8 code: 'GM' state: GROUND carrier: 1");
  CHECK(count(play.hears<words::Spawned>("unit: 11 pose { unit: 11 }"), "MsgGrabFlag") == 0);
  play.hears<words::Token>("id: 6 code: 'GM' state: CARRIED carrier: 1");
  CHECK(count(play.hears<words::Spawned>("unit: 11 pose { unit: 11 }"), "sends MsgGrabFlag number=2 ") == 1);
}

TEST_CASE(
    "bzdraft front: a carried flag is told once at the entry, with its carrier; pickups and teams are told, too") {
  Play play;
  play.stage.opens();
  play.learn_room();
  play.hears<words::Unit>("id: 40 kind: PICKUP alive: true pose { unit: 40 x: 3 y: -4 }");
  play.hears<words::Token>("id: 7 code: 'V' state: CARRIED carrier: 2");
  play.hears<words::TeamScore>("team: GREEN wins: 3 losses: 70000");
  play.asks({enter_as("anna")});
  play.hears<words::Player>("id: 1 name: 'anna' team: RED");
  play.hears<words::Player>("id: 2 name: 'ben' team: GREEN");
  play.hears<words::Unit>("id: 12 owner: 2 team: GREEN");
  play.hears<words::Owns>("player: 2 units: 12 active: 12");
  const std::string in = play.hears<words::Ready>("");
  CHECK(count(in, "sends MsgFlagUpdate number=0 flag={kind=5 status=2 carrier=2 ") == 1);
  CHECK(count(in, "flag={kind=5 ") == 1);
  CHECK(count(in, "sends MsgFlagUpdate number=1 flag={kind=0 status=1 carrier=0 position=(3000 -4000 0)}") == 1);
  CHECK(count(in, "sends MsgTeamUpdate team=2 wins=3 losses=65535\n") == 1);
  CHECK(count(in, "sends MsgTeamUpdate team=1 wins=0 losses=0\n") == 1);
}

TEST_CASE("bzdraft front: flags beyond the announced count are counted, if they are in the game") {
  Play play;
  play.stage.opens();
  play.learn_room();
  const std::string described = play.asks({VersionUp{}, GetWorldUp{}});
  const auto at = described.find(" max_flags=");
  REQUIRE(at != std::string::npos);
  const int most = std::stoi(described.substr(at + 11));
  for (int id = 1; id <= most; ++id)
    play.hears<words::Token>("id: " + std::to_string(id) + " code: 'V' state: NOWHERE");
  const std::string last = std::to_string(most + 1);
  play.hears<words::Token>("id: " + last + " code: 'V' state: GROUND");
  play.asks({enter_as("anna")});
  play.hears<words::Player>("id: 1 name: 'anna' team: RED");
  const std::string in = play.hears<words::Ready>("");
  CHECK(count(in, " flag={kind=5 status=1 ") == 1);  // the one that lies
  CHECK(count(in, "loses Token") == 0);
  for (int id = 1; id < most; ++id) play.hears<words::Token>("id: " + std::to_string(id) + " code: 'V' state: GROUND");
  const std::string full = "loses Token: no number is left for another flag\n";
  CHECK(play.hears<words::Token>("id: " + std::to_string(most + 2) + " code: 'V' state: GROUND") == full);
  CHECK(play.hears<words::Token>("id: " + std::to_string(most + 3) + " code: 'V' state: NOWHERE") == "");
  CHECK(play.hears<words::Unit>("id: 7000 kind: PICKUP alive: true pose { unit: 7000 }") ==
        "loses Unit: no number is left for another flag\n");
}

TEST_CASE("bzdraft front: a client that has left, or was refused for good, neither hears nor says anything more") {
  Play left;
  left.come_in();
  CHECK(left.asks({Exit{}}) == "says Leave\ncloses: the client left\n");
  CHECK(left.asks({AliveUp{}, Score{1, 2, 3}}) == "");
  CHECK(left.hears<words::Notice>("text: 'n'") == "");
  Play broken;
  broken.come_in();
  CHECK(count(broken.stage.receives(Buffer{0, 7, 'e', 'n', 1, 0, 'p', 0, 'a', 'n', 'n'}), "fails: ") == 1);
  CHECK(broken.hears<words::Notice>("text: 'n'") == "");
  Play refused;
  refused.stage.opens();
  CHECK(count(refused.hears<words::Refused>("code: FULL text: 'full'"), "closes: full\n") == 1);
  CHECK(refused.hears<words::Refused>("code: FULL text: 'full'") == "");
}

TEST_CASE("bzdraft front: where another player is put right, the client sees it there") {
  Play play;
  play.come_in();
  CHECK(count(play.hears<words::Corrected>("pose { unit: 12 x: 7 }"),
              "MsgPlayerUpdate player=2 status=1 position=(7000 ") == 1);
}

TEST_CASE("bzdraft front: a death that the room refuses is undone, and that of another is not the client's") {
  Play play;
  play.come_in();
  play.asks({Killed{1, 2, 0, 5}});
  CHECK(play.hears(core::Fact(2, word<words::ClaimRefused>("why: 'no'"))).starts_with("loses ClaimRefused"));
  std::string undone = play.hears(core::Fact(1, word<words::ClaimRefused>("why: 'no'")));
  undone += play.stage.waits(2 * kSecond);
  CHECK(count(undone, "sends MsgAlive player=1 ") == 1);
  play.asks({Killed{1, 2, 0, 5}});
  play.hears<words::Died>("player: 1 unit: 11 killer: 2");
  CHECK(count(play.stage.waits(6 * kSecond), "MsgAlive") == 0);  // it was confirmed
  CHECK(play.asks({PlayerUpdate{1, kAlive, {1000, 0, 0}, {}, 0, 0}}) == "");
}

TEST_CASE("bzdraft front: a client that has to wait is let in, and told for what; one that is in is told, too") {
  Play play;
  play.stage.opens();
  play.learn_room();
  play.asks({enter_as("anna")});
  play.hears<words::Player>("id: 1 name: 'anna' team: RED");
  const std::string in = play.hears<words::Waiting>("have: 1 need: 2");
  CHECK(count(in, "sends MsgAccept player=1\n") == 1);
  CHECK(count(in, "waiting for players: 1 of 2") == 1);
  CHECK(count(play.hears<words::Waiting>("have: 2 need: 3"), "waiting for players: 2 of 3") == 1);
  Play ready;
  ready.stage.opens();
  ready.learn_room();
  ready.hears<words::Waiting>("have: 1 need: 2");
  ready.hears<words::Ready>("");
  ready.hears<words::Player>("id: 1 name: 'anna' team: RED");
  const std::string there = ready.asks({enter_as("anna")});
  CHECK(count(there, "sends MsgAccept player=1\n") == 1);
  CHECK(count(there, "waiting for players") == 0);
}

TEST_CASE("bzdraft front: a session that ends says why: in the game by a line, before it by a reject") {
  Play in;
  in.come_in();
  CHECK(in.stage.session_ends("over") ==
        "sends MsgMessage from=0 to=1 text=\"over\"\nsends MsgSuperKill\ncloses: over\n");
  Play refused;
  refused.come_in();
  CHECK(refused.hears<words::Refused>("code: SERVER_GONE text: 'gone'") ==
        "sends MsgMessage from=0 to=1 text=\"gone\"\nsends MsgSuperKill\ncloses: gone\n");
  Play before;
  before.stage.opens();
  CHECK(before.stage.session_ends("over") ==
        "sends MsgReject reason=2 text=\"over\"\nsends MsgSuperKill\ncloses: over\n");
  Play silent;
  silent.stage.opens();
  CHECK(silent.stage.session_ends("").starts_with("sends MsgSuperKill\n"));
}

TEST_CASE("bzdraft front: a unit of nobody has its own name and team, else a number; other things are no players") {
  Play play;
  play.come_in();
  CHECK(count(play.hears<words::Unit>("id: 50 kind: TANK name: 'guard' team: BLUE"),
              "sends MsgAddPlayer player=3 type=2 team=3 wins=0 losses=0 callsign=\"guard\" ") == 1);
  CHECK(count(play.hears<words::Unit>("id: 51 kind: TANK"),
              " player=4 type=2 team=0 wins=0 losses=0 callsign=\"player 4\" ") == 1);
  CHECK(play.hears<words::Unit>("id: 52 kind: BRICK") == "loses Unit: the client's game has nothing like it\n");
}

TEST_CASE("bzdraft front: the callsign that a player had is free for its new name") {
  Play play;
  play.come_in();
  play.hears<words::Player>("id: 3 name: 'ben' team: BLUE");
  CHECK(count(play.hears<words::Player>("id: 3 name: 'ben 2' team: RED"), " callsign=\"ben 2\" ") == 1);
}

TEST_CASE("bzdraft front: a shot has a number below the count of a player's shots, and a ray begins at the muzzle") {
  Play play;
  play.come_in();
  play.asks({GetWorldUp{}});
  CHECK(count(play.hears<words::Shot>("shooter: 2 unit: 12 shot: 3 x: 50 y: 50 vx: 1 life: 1"), " shooter=2 shot=0 ") ==
        1);
  CHECK(count(play.hears<words::Shot>("shooter: 2 unit: 12 shot: 2 x: 50 y: 50 vx: 1 life: 1"), " shooter=2 shot=2 ") ==
        1);
  CHECK(count(play.hears<words::Shot>("shooter: 2 unit: 12 shot: 1 kind: RAY x: 50 y: 50 vx: 1 range: 30"),
              " position=(50000 50000 1570) ") == 1);
}

TEST_CASE(
    "bzdraft front: a shot that was steered towards the client's tank ends before it hits, if the server decides") {
  const std::string shot = "shooter: 2 unit: 12 shot: 1 kind: GUIDED x: 90 y: 90 z: 1.57 vy: 1 life: 9";
  Play far;
  far.come_in(false);
  far.hears<words::Shot>(shot);
  CHECK(count(far.stage.waits(kSecond), "MsgShotEnd") == 0);
  Play near;
  near.come_in(false);
  near.hears<words::Shot>(shot);
  near.hears<words::ShotMoved>("shooter: 2 shot: 1 x: 40 z: 1.57 vx: -40");
  CHECK(count(near.stage.waits(kSecond), "sends MsgShotEnd ") == 1);
}

TEST_CASE("bzdraft front: a client that was put elsewhere is there, before it says anything") {
  Play play;
  play.come_in();
  play.hears<words::Token>("id: 7 code: 'V' state: CARRIED carrier: 1");
  play.hears<words::Spawned>("unit: 11 pose { unit: 11 x: 50 y: 20 }");
  CHECK(count(play.asks({DropFlagUp{3}}), "says TokenWish token: 7 op: DROP x: 50 y: 20 ") == 1);
}

TEST_CASE("bzdraft front: of a team whose flag was captured, a player who is shot later dies like any other") {
  Play play;
  play.come_in();
  play.hears<words::Token>("id: 7 kind: TEAM_FLAG code: 'G*' team: GREEN state: CARRIED carrier: 1");
  play.hears<words::TokenCaptured>("token: 7 by: 1 team: GREEN");
  CHECK(count(play.hears<words::Died>("player: 2 unit: 12 killer: 1 why: BY_SHOT"), "sends MsgKilled victim=2 ") == 1);
}

}  // namespace
}  // namespace entente::bzdraft::front_words_test
