// What the room learns from each message of a bzfs, and what the bzfs is told of each wish, one by one.
#include "tests/bzflag/back_stage.h"

namespace entente::bzflag::back_words_test {
namespace {

/// Alive at 0, 0.
testing::BackStage in_play(bool claims_deaths = true) {
  auto stage = back_stage();
  come_in(stage, anna(claims_deaths));
  stage.receives(by_server({alive(3, 0, 0)}));
  return stage;
}

Killed killed_by(std::uint8_t killer, std::uint8_t victim, std::int16_t reason = 1) {
  Killed killed;
  killed.killer = player_id(killer);
  killed.victim = player_id(victim);
  killed.death.reason = reason;
  killed.death.shot = kNoShot;
  return killed;
}

NumberedFlag flag_on(std::uint8_t owner, std::string_view code, std::uint16_t number = 2) {
  NumberedFlag flag;
  flag.number = number;
  flag.flag.flag = flag_kind(code);
  flag.flag.status = owner == kNobody ? 1 : 2;
  flag.flag.owner = player_id(owner);
  return flag;
}

SetVar set_var(std::string name, std::string value) {
  SetVar set;
  set.variables.push_back({std::move(name), std::move(value)});
  return set;
}

ShotBegin shot_of(std::uint8_t player, std::uint16_t shot = 0x0100) {
  ShotBegin begin;
  begin.player = player_id(player);
  begin.shot = shot;
  begin.pos = {35, 0, 1.57F};
  begin.vel = {-100, 0, 0};
  begin.life = 3.5F;
  return begin;
}

Chat chat_from(std::uint8_t from, std::uint8_t to, std::string_view text) {
  Chat chat;
  chat.from = player_id(from);
  chat.to = player_id(to);
  chat.text.chars = std::string(text) + '\0';
  return chat;
}

std::size_t count(const std::string& play, std::string_view start) {
  const std::string found = lines(play, start);
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), '\n'));
}

// -- Joining ----------------------------------------------------------------------------------------------------------

testing::BackStage greeted(std::map<std::string, std::string, std::less<>> settings = {}) {
  auto stage = back_stage(std::move(settings));
  stage.opens();
  stage.receives(by_server({welcome(3), GameTime{1}}));
  return stage;
}

TEST_CASE("bzflag back: answers of a bzfs that come out of order or twice ask for nothing") {
  const Buffer world = small_world();
  auto stage = greeted();
  CHECK(stage.receives(by_server({small_settings()})) == "");
  CHECK(stage.receives(by_server({hash_of(world)})) == "");
  CHECK(stage.receives(by_server({WorldChunk{0, 0, world}})) == "");
  CHECK(stage.receives(by_server({NegotiateFlags{}})) == "sends MsgWantSettings\n");
  CHECK(stage.receives(by_server({NegotiateFlags{}})) == "");
  CHECK(stage.receives(by_server({hash_of(world)})) == "");
  CHECK(lines(stage.receives(by_server({small_settings()})), "sends") == "sends MsgWantWHash\n");
  CHECK(stage.receives(by_server({small_settings()})) == "");
  CHECK(stage.receives(by_server({WorldChunk{0, 0, world}})) == "");
  CHECK(stage.receives(by_server({hash_of(world)})) == "sends MsgGetWorld offset=0\n");
  CHECK(stage.receives(by_server({hash_of(world)})) == "");
  CHECK(count(stage.receives(by_server({WorldChunk{0, 0, world}})), "says World ") == 1);
  CHECK(stage.receives(by_server({WorldChunk{0, 0, world}})) == "");
}

TEST_CASE("bzflag back: flags that a server has and we lack are counted, once for the whole answer") {
  auto stage = greeted();
  NegotiateFlags missing;
  missing.flags.resize(2);
  missing.flags[0].set("X1");
  missing.flags[1].set("X2");
  CHECK(stage.receives(by_server({missing})) ==
        "loses MsgNegotiateFlags.flags: there is no word for flags of plugins\nsends MsgWantSettings\n");
}

TEST_CASE("bzflag back: while a world comes, the room learns how much of it is there") {
  auto stage = greeted();
  const Buffer world = small_world();
  stage.receives(by_server({NegotiateFlags{}, small_settings(), hash_of(world)}));
  CHECK(stage.receives(by_server({WorldChunk{60, 0, Buffer(world.begin(), world.begin() + 20)}})) ==
        "says WorldProgress done: 20 total: 80\nsends MsgGetWorld offset=20\n");
  CHECK(stage.receives(by_server({WorldChunk{30, 0, Buffer(world.begin() + 20, world.begin() + 50)}})) ==
        "says WorldProgress done: 50 total: 80\nsends MsgGetWorld offset=50\n");
}

TEST_CASE("bzflag back: a world that cannot be read ends the session with a reason") {
  auto stage = greeted();
  stage.receives(by_server({NegotiateFlags{}, small_settings(), hash_of(small_world())}));
  CHECK(lines(stage.receives(by_server({WorldChunk{0, 0, Buffer(30, 7)}})), "says Refused") ==
        "says Refused text: \"the server\\'s world cannot be read\"\n");
  CHECK(stage.closed());
}

TEST_CASE("bzflag back: the kind of game, its options and the size of the field are those of the settings") {
  const auto told = [](auto change) {
    auto stage = greeted();
    stage.receives(by_server({NegotiateFlags{}}));
    GameSettings settings = small_settings();
    change(settings);
    return stage.receives(by_server({settings}));
  };
  const auto room = [&](auto change) { return lines(told(change), "says Room"); };
  CHECK(room([](GameSettings& s) { s.options = kJumping; }).find("jumping: true") != std::string::npos);
  CHECK(room([](GameSettings& s) { s.options = kJumping; }).find("ricochet") == std::string::npos);
  CHECK(room([](GameSettings& s) { s.options = kRicochet; }).find("ricochet: true") != std::string::npos);
  CHECK(room([](GameSettings& s) { s.options = kRicochet; }).find("jumping") == std::string::npos);
  CHECK(room([](GameSettings& s) { s.game_type = 1; }).find("\"capture the flag\"") != std::string::npos);
  CHECK(room([](GameSettings& s) { s.game_type = 2; }).find("teams") == std::string::npos);
  CHECK(room([](GameSettings& s) { s.game_type = 3; }).find("teams: true") != std::string::npos);
  const std::string rules = lines(told([](GameSettings& s) {
                                    s.options = 0x29;
                                    s.max_flags = 21;
                                    s.linear_acceleration = 1.5F;
                                    s.angular_acceleration = 2.5F;
                                    s.shake_timeout = 300;
                                    s.shake_wins = 4;
                                  }),
                                  "says Rule name: \"BZFLAG.");
  CHECK(rules ==
        "says Rule name: \"BZFLAG.options\" value: \"41\"\n"
        "says Rule name: \"BZFLAG.maxFlags\" value: \"21\"\n"
        "says Rule name: \"BZFLAG.linearAcceleration\" value: \"1.5\"\n"
        "says Rule name: \"BZFLAG.angularAcceleration\" value: \"2.5\"\n"
        "says Rule name: \"BZFLAG.shakeTimeout\" value: \"300\"\n"
        "says Rule name: \"BZFLAG.shakeWins\" value: \"4\"\n");
}

TEST_CASE("bzflag back: a world size that is no size counts as the usual one") {
  for (const auto& [size, east] : {std::pair{400.0F, 205.0}, {0.0F, 405.0}, {-400.0F, 405.0}, {1e6F, 405.0}}) {
    auto stage = greeted();
    const Buffer world = small_world();
    GameSettings settings = small_settings();
    settings.world_size = size;
    stage.receives(by_server({NegotiateFlags{}, settings, hash_of(world), WorldChunk{0, 0, world}}));
    stage.hears(anna());
    stage.receives(by_server({Accept{player_id(3)}, add_player(3, 1, "anna"), alive(3, 0, 0)}));
    words::PoseClaim far;
    far.set_unit(102);
    far.set_x(5000);
    far.set_seq(1);
    CHECK(numbers_after(lines(stage.hears(far), "says Pose"), " x: ")[0] == doctest::Approx(east));
  }
}

TEST_CASE("bzflag back: an entry says the player's role, team, token and version") {
  const auto entered = [](auto change) {
    auto stage = back_stage();
    load(stage);
    words::Enter enter = anna();
    change(enter);
    return lines(stage.hears(enter), "sends MsgEnter");
  };
  CHECK(entered([](words::Enter&) {}).starts_with("sends MsgEnter type=0 team=1 callsign=\"anna\""));
  CHECK(entered([](words::Enter& e) { e.set_role(words::ROBOT); }).starts_with("sends MsgEnter type=1 team=1 "));
  CHECK(entered([](words::Enter& e) { e.set_role(words::WATCH); }).starts_with("sends MsgEnter type=0 team=5 "));
  CHECK(entered([](words::Enter& e) { e.set_team(words::TEAM_ANY); }).starts_with("sends MsgEnter type=0 team=-2 "));
  CHECK(entered([](words::Enter& e) { e.set_team(words::ROGUE); }).starts_with("sends MsgEnter type=0 team=0 "));
  const std::string named = entered([](words::Enter& e) {
    e.set_motto("go");
    e.set_token("12345");
    e.set_version("2.4.26");
  });
  CHECK(named.find(" motto=\"go\"") != std::string::npos);
  CHECK(named.find(" token=\"12345\"") != std::string::npos);
  CHECK(named.find(" version=\"2.4.26\"") != std::string::npos);
}

TEST_CASE("bzflag back: a second wish to enter is not sent") {
  auto stage = back_stage();
  load(stage);
  CHECK(count(stage.hears(anna()), "sends MsgEnter") == 1);
  CHECK(lines(stage.hears(anna()), "sends MsgEnter") == "");
}

TEST_CASE("bzflag back: which refusals let the player try again") {
  for (const auto& [code, refused] : {std::pair<std::uint16_t, const char*>{0, "says Refused text: \"no\"\n"},
                                      {1, "says Refused code: BAD_TEAM text: \"no\"\n"},
                                      {2, "says Refused code: BAD_ROLE text: \"no\"\n"},
                                      {4, "says Refused code: TEAM_FULL text: \"no\"\n"},
                                      {5, "says Refused code: FULL text: \"no\" may_retry: true\n"},
                                      {6, "says Refused code: BAD_NAME text: \"no\"\n"},
                                      {7, "says Refused code: NAME_TAKEN text: \"no\" may_retry: true\n"},
                                      {8, "says Refused code: TOO_SOON text: \"no\" may_retry: true\n"},
                                      {9, "says Refused code: BANNED text: \"no\"\n"},
                                      {10, "says Refused code: BANNED text: \"no\"\n"},
                                      {11, "says Refused code: BANNED text: \"no\"\n"},
                                      {12, "says Refused text: \"no\"\n"}}) {
    auto stage = back_stage();
    load(stage);
    stage.hears(anna());
    Reject reject;
    reject.code = code;
    reject.reason.set("no");
    CHECK(stage.receives(by_server({reject})) == refused + std::string("closes: no\n"));
  }
}

TEST_CASE(
    "bzflag back: a server that never received our header, and one of another version, are refused with the reason") {
  auto late = back_stage();
  late.opens();
  TooLate too_late;
  too_late.version.set("0221");
  CHECK(lines(late.receives(by_server({too_late})), "says") ==
        "says Refused code: SERVER_GONE text: \"the server did not receive our header in time\"\n");
  auto other = back_stage();
  other.opens();
  CHECK(lines(other.receives(by_server({welcome(3, "0220")})), "says") ==
        "says Refused code: WRONG_VERSION text: \"the server speaks another version\"\n");
}

TEST_CASE("bzflag back: MsgAccept without our MsgEnter is ignored") {
  auto stage = back_stage();
  load(stage);
  CHECK(stage.receives(by_server({Accept{player_id(3)}})) == "");
  CHECK(stage.receives(by_server({add_player(5, 2, "ben")})) == "");  // still the answer to a query
  CHECK(lines(stage.hears(anna()), "sends MsgEnter").size() > 0);
}

TEST_CASE("bzflag back: without a wish for UDP none is requested, and shots go by stream") {
  auto stage = back_stage({{"udp", "off"}});
  load(stage);
  stage.hears(anna());
  std::string all = stage.receives(by_server({Accept{player_id(3)}, add_player(3, 1, "anna"), alive(3, 0, 0)}));
  all += stage.waits(10 * core::kSecond);
  CHECK(lines(all, "sends by datagram") == "");
  words::Fire fire;
  fire.set_shot(0x100);
  fire.set_vx(100);
  CHECK(lines(stage.hears(fire), "sends MsgShotBegin").size() > 0);
}

TEST_CASE("bzflag back: a link that the server confirms by stream is a link, and no more is asked for") {
  auto stage = greeted();
  CHECK(stage.receives(by_server({LinkEstablished{}})) == "");
  CHECK(lines(stage.waits(10 * core::kSecond), "sends by datagram") == "");
  stage.receives(
      by_server({NegotiateFlags{}, small_settings(), hash_of(small_world()), WorldChunk{0, 0, small_world()}}));
  stage.hears(anna());
  stage.receives(by_server({Accept{player_id(3)}, add_player(3, 1, "anna"), alive(3, 0, 0)}));
  words::PoseClaim claim;
  claim.set_seq(1);
  CHECK(lines(stage.hears(claim), "sends").starts_with("sends by datagram MsgPlayerUpdate"));
}

TEST_CASE("bzflag back: requests for the UDP link are a second apart") {
  auto stage = greeted();
  CHECK(lines(stage.waits(999 * core::kMillisecond), "sends") == "");
  CHECK(count(stage.waits(core::kMillisecond), "sends by datagram MsgUDPLinkRequest") == 1);
  CHECK(lines(stage.waits(600 * core::kMillisecond), "sends") == "");
  CHECK(lines(stage.receives(by_server({GameTime{2}})), "sends") == "");
  CHECK(lines(stage.waits(399 * core::kMillisecond), "sends") == "");
  CHECK(count(stage.waits(core::kMillisecond), "sends by datagram MsgUDPLinkRequest") == 1);
}

TEST_CASE("bzflag back: a query for the game is passed on once the server knows us, and answered with the numbers") {
  words::Query game, players;
  players.set_kind(words::Query::PLAYERS);
  auto early = back_stage();
  early.opens();
  CHECK(early.hears(game) == "");
  auto stage = back_stage();
  load(stage);
  CHECK(stage.hears(players) == "");
  CHECK(stage.hears(game) == "sends MsgQueryGame\n");
  GameAnswer answer;
  answer.sizes = {1, 2, 3, 4, 5};
  answer.observers = 6;
  answer.max_players = 40;
  CHECK(stage.receives(by_server({answer})) ==
        "says Room game: \"bzflag\" dialect: \"2.4\" mode: \"free for all\" most_players: 40 "
        "most_shots: 2 players: 15 watchers: 6 teams: true\n");
}

// -- Players ----------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag back: players have the role, the team, the motto and the score that the server names") {
  auto stage = in_play();
  AddPlayer robot = add_player(6, 3, "rob");
  robot.type = kRobotPlayer;
  robot.motto.set("beep");
  CHECK(lines(stage.receives(by_server({robot})), "says Player") ==
        "says Player id: 104 name: \"rob\" team: BLUE role: ROBOT motto: \"beep\" responding: true\n");
  const std::string watcher = stage.receives(by_server({add_player(7, 5, "wat")}));
  CHECK(watcher == "says Player id: 106 name: \"wat\" role: WATCH responding: true\n");  // and no tank
  for (int which = 0; which < 3; ++which) {
    AddPlayer scored = add_player(8, 1, "sam");
    (which == 0 ? scored.wins : which == 1 ? scored.losses : scored.team_kills) = 7;
    const std::string score = lines(stage.receives(by_server({scored})), "says Score");
    CHECK(score.find(which == 0 ? " wins: 7" : which == 1 ? " losses: 7" : " team_kills: 7") != std::string::npos);
    CHECK(std::count(score.begin(), score.end(), ':') == 2);
  }
  CHECK(lines(stage.receives(by_server({add_player(9, 1, "new")})), "says Score") == "");
}

TEST_CASE("bzflag back: the highest number that a player can have, and one above it") {
  auto stage = in_play();
  CHECK(lines(stage.receives(by_server({add_player(215, 1, "last")})), "says Player").find("\"last\"") !=
        std::string::npos);
  CHECK(stage.receives(by_server({add_player(216, 1, "none")})) ==
        "loses MsgAddPlayer: no player can have that number\n");
}

TEST_CASE("bzflag back: a player who is announced again is another one, and the first is gone") {
  auto stage = in_play();
  const std::string said = stage.receives(by_server({add_player(5, 1, "cid")}));
  CHECK(said.starts_with("says Gone unit: 102\nsays PlayerGone id: 101\nsays Player id: 104 name: \"cid\" team: RED"));
}

TEST_CASE("bzflag back: our own player who is removed can neither move nor shoot, until the server lists it again") {
  auto stage = in_play();
  stage.receives(by_server({RemovePlayer{player_id(3)}}));
  words::Pause pause;
  pause.set_on(true);
  CHECK(stage.hears(pause) == "loses Pause: the player is not in play\n");
  words::TokenWish wish;
  wish.set_token(3);
  CHECK(stage.hears(wish) == "loses TokenWish: the player is not in play\n");
}

TEST_CASE("bzflag back: badges come and go with the server's bits, and are told when they change") {
  auto stage = in_play();
  const auto info = [&](std::uint8_t player, std::uint8_t bits) {
    PlayerInfo one;
    one.players.push_back({player, bits});
    return stage.receives(by_server({one}));
  };
  constexpr std::uint32_t kUntold = 999;
  const auto badges = [&](std::uint8_t bits) {
    const std::vector<double> told = numbers_after(info(5, bits), " badges: ");
    return told.empty() ? kUntold : static_cast<std::uint32_t>(told.back());
  };
  CHECK(badges(1) == std::uint32_t{words::REGISTERED});
  CHECK(badges(1) == kUntold);
  CHECK(badges(3) == std::uint32_t{words::REGISTERED | words::VERIFIED});
  CHECK(badges(4) == std::uint32_t{words::ADMIN});
  CHECK(info(5, 0).find("badges") == std::string::npos);
  CHECK(info(77, 1) == "");  // nobody
  PlayerInfo both;
  both.players = {{5, 1}, {3, 2}};
  const std::string all = stage.receives(by_server({both}));
  CHECK(lines(all, "says Player id: 101").find(" badges: 1 ") != std::string::npos);
  CHECK(lines(all, "says Player id: 1 ").find(" badges: 2 ") != std::string::npos);
}

TEST_CASE("bzflag back: a player's address is told to operators only, and forgotten") {
  auto stage = in_play();
  AdminInfo info;
  info.players.resize(2);
  info.players[0].player = 77;  // nobody
  info.players[1].player = 5;
  info.players[1].ip = {10, 0, 200, 7};
  CHECK(stage.receives(by_server({info})).find(" address: \"10.0.200.7\"") != std::string::npos);
  CHECK(count(stage.receives(by_server({info})), "says Player") == 1);
  CHECK(stage.receives(by_server({Pause{5, 1}})).find("address") == std::string::npos);
}

TEST_CASE("bzflag back: pauses and autopilots of others are their badges, and end") {
  auto stage = in_play();
  const auto has = [&](const Message& message, words::Badge badge) {
    const std::string said = lines(stage.receives(by_server({message})), "says Player id: 101");
    REQUIRE_FALSE(said.empty());
    const std::vector<double> told = numbers_after(said, " badges: ");
    return !told.empty() && (static_cast<std::uint32_t>(told[0]) & static_cast<std::uint32_t>(badge)) != 0;
  };
  CHECK(has(Pause{5, 1}, words::PAUSED));
  CHECK(has(AutoPilot{5, 1}, words::AUTOPILOT));
  CHECK_FALSE(has(Pause{5, 0}, words::PAUSED));
  CHECK_FALSE(has(AutoPilot{5, 0}, words::AUTOPILOT));
  CHECK(stage.receives(by_server({AutoPilot{5, 0}})) == "");
}

TEST_CASE("bzflag back: another player's pause or autopilot is no answer to ours") {
  auto stage = in_play();
  words::Autopilot autopilot;
  autopilot.set_on(true);
  CHECK(stage.hears(autopilot) == "sends MsgAutoPilot on=1\n");
  stage.receives(by_server({AutoPilot{5, 1}}));
  CHECK(count(stage.waits(4 * core::kSecond), "loses Autopilot") == 1);
  autopilot.set_on(false);
  CHECK(stage.hears(autopilot) == "sends MsgAutoPilot on=0\n");
  stage.receives(by_server({AutoPilot{3, 0}}));
  CHECK(lines(stage.waits(4 * core::kSecond), "loses") == "");
  words::Pause pause;
  pause.set_on(true);
  stage.hears(pause);
  stage.receives(by_server({Pause{5, 1}}));
  CHECK(count(stage.waits(9 * core::kSecond), "loses Pause") == 1);
}

TEST_CASE("bzflag back: the rabbit and the hunter that it was change their teams") {
  auto stage = in_play();
  stage.receives(by_server({add_player(6, 7, "cleo")}));
  CHECK(stage.receives(by_server({NewRabbit{5}})) ==
        "says Player id: 101 name: \"ben\" team: RABBIT responding: true\n");
  CHECK(stage.receives(by_server({NewRabbit{6}})) ==
        "says Player id: 101 name: \"ben\" team: HUNTER responding: true\n"
        "says Player id: 104 name: \"cleo\" team: RABBIT responding: true\n");
  CHECK(stage.receives(by_server({NewRabbit{77}})) ==
        "says Player id: 104 name: \"cleo\" team: HUNTER responding: true\n");
}

TEST_CASE("bzflag back: whoever gets the number of a rabbit that left is no rabbit, and is not made a hunter") {
  auto stage = in_play();
  stage.receives(by_server({NewRabbit{5}, RemovePlayer{player_id(5)}, add_player(5, 2, "dan")}));
  CHECK(stage.receives(by_server({NewRabbit{3}})) ==
        "says Player id: 1 name: \"anna\" team: RABBIT responding: true\n");
}

TEST_CASE("bzflag back: where a replay begins anew, its players are gone, and those who watch it stay") {
  auto stage = in_play();
  stage.receives(by_server({add_player(199, 1, "cast"), add_player(200, 5, "watcher")}));
  const std::string said = stage.receives(by_server({ReplayReset{}}));
  CHECK(said ==
        "says Gone unit: 102\nsays PlayerGone id: 101\n"
        "says Gone unit: 105\nsays PlayerGone id: 104\n");
}

TEST_CASE("bzflag back: scores of players and of teams are told as the server counts them") {
  auto stage = in_play();
  Score scores;
  scores.players = {{5, 1, 2, 3}, {3, 4, 5, 6}};
  CHECK(stage.receives(by_server({scores})) ==
        "says Score player: 101 wins: 1 losses: 2 team_kills: 3\n"
        "says Score player: 1 wins: 4 losses: 5 team_kills: 6\n");
  TeamUpdate teams;
  teams.teams = {{0, 9, 8, 7}, {2, 1, 2, 3}, {5, 4, 4, 4}};  // the last are observers
  CHECK(stage.receives(by_server({teams})) ==
        "says TeamScore team: ROGUE wins: 8 losses: 7 size: 9\n"
        "says TeamScore team: GREEN wins: 2 losses: 3 size: 1\n");
}

TEST_CASE("bzflag back: a round ends with its winner or its winning team; its clock runs or stands") {
  auto stage = in_play();
  ScoreOver over;
  over.player = player_id(kNobody);
  over.team = 2;
  CHECK(lines(stage.receives(by_server({over})), "says Round") == "says Round state: OVER winning_team: GREEN\n");
  CHECK(stage.receives(by_server({TimeLeft{0, 90}})) == "says Round left_s: 90\n");
  stage.receives(by_server({alive(3, 0, 0)}));
  CHECK(stage.receives(by_server({TimeLeft{0, -1}})) == "says Round paused: true\n");
  CHECK(lines(stage.receives(by_server({TimeLeft{0, 1}})), "says Died") == "");
}

TEST_CASE("bzflag back: the server's time is the room's clock, at full speed") {
  auto stage = in_play();
  CHECK(stage.receives(by_server({GameTime{123456789}})) == "says Clock us: 123456789 speed: 1\n");
}

// -- Chat -------------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag back: chat has its kind and its audience; the server's own is a notice") {
  auto stage = in_play();
  Chat action = chat_from(5, kEverybody, "waves");
  action.kind = 1;
  CHECK(stage.receives(by_server({action})) == "says Said from: 101 kind: ACTION text: \"waves\"\n");
  CHECK(stage.receives(by_server({chat_from(5, kAdmins, "psst")})) ==
        "says Said from: 101 scope: MODERATORS text: \"psst\"\n");
  CHECK(stage.receives(by_server({chat_from(5, 251, "rogues")})).find(" scope: MY_TEAM") != std::string::npos);
  CHECK(stage.receives(by_server({chat_from(5, 5, "me")})).find(" scope: ONE to: 101") != std::string::npos);
  CHECK(stage.receives(by_server({chat_from(kServerId, 3, "hello")})) == "says Notice text: \"hello\" (to 1)\n");
  CHECK(stage.receives(by_server({chat_from(5, kEverybody, "\xff")})).find("\\377") == std::string::npos);
}

TEST_CASE("bzflag back: a line for operators goes to them, and a line for somebody who left to nobody") {
  auto stage = in_play();
  words::Say say;
  say.set_text("psst");
  say.set_scope(words::Say::MODERATORS);
  CHECK(stage.hears(say) == "sends MsgMessage to=252 text=\"psst\"\n");
  say.set_scope(words::Say::ONE);
  say.set_to(999);
  CHECK(stage.hears(say) == "loses Say: its recipient is not there\n");
}

TEST_CASE("bzflag back: a line of 127 bytes is one message, one of 128 is two") {
  auto stage = in_play();
  words::Say say;
  for (const auto& [size, messages] : {std::pair<std::size_t, std::size_t>{127, 1}, {128, 2}}) {
    say.set_text(std::string(size, 'x'));
    CHECK(count(stage.hears(say), "sends MsgMessage") == messages);
  }
  say.set_scope(words::Say::SERVER);
  say.set_kind(words::Say::COMMAND);
  say.set_text("/msg " + std::string(122, 'x'));
  CHECK(count(stage.hears(say), "sends MsgMessage to=253") == 1);
  say.set_text("/msg " + std::string(123, 'x'));
  CHECK(lines(stage.hears(say), "sends") == "");
}

// -- Lives ------------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag back: a death says who, by what shot and why, and when the tank can come back") {
  auto stage = in_play();
  stage.receives(by_server({alive(5, 9, 9), set_var("_explodeTime", "8")}));
  Killed killed = killed_by(3, 5);
  killed.death.shot = 0x0203;
  CHECK(stage.receives(by_server({killed})) ==
        "says Died player: 101 unit: 102 killer: 1 shot: 515 why: BY_SHOT respawn_s: 8\n");
  CHECK(stage.receives(by_server({killed})) == "");
  CHECK(stage.receives(by_server({killed_by(kServerId, 3, 0)})) ==
        "says Died player: 1 unit: 103 why: BY_SERVER respawn_s: 8\n");
  CHECK(stage.receives(by_server({killed_by(5, 77)})) == "");
}

TEST_CASE("bzflag back: after its death our tank is asked for again no sooner than it has exploded") {
  auto stage = in_play();
  stage.receives(by_server({set_var("_explodeTime", "20"), killed_by(5, 3)}));
  stage.hears(words::Spawn());
  CHECK(lines(stage.waits(19 * core::kSecond), "loses") == "");
}

TEST_CASE(
    "bzflag back: genocide kills our tank only with its own team, by a shot, if it lives, and if we decide that") {
  const auto blown_up = [](std::int16_t team, std::int16_t reason, std::string_view flag, bool claims, bool dead,
                           std::int16_t own_team = 1) {
    auto stage = back_stage();
    words::Enter enter = anna(claims);
    load(stage);
    stage.receives(by_server({LinkAnswer{}}), Lane::kDatagram);
    stage.hears(enter);
    stage.receives(by_server({Accept{player_id(3)}, add_player(5, 2, "ben"), add_player(3, own_team, "anna"),
                              add_player(6, team, "cleo"), alive(3, 0, 0), alive(6, 9, 9)}));
    if (dead) stage.receives(by_server({killed_by(5, 3)}));
    Killed killed = killed_by(5, 6, reason);
    killed.death.flag = flag_kind(flag);
    return lines(stage.receives(by_server({killed})), "sends MsgKilled");
  };
  CHECK(blown_up(1, 1, "G", false, false) == "sends MsgKilled killer=5 reason=4 shot=65535 flag=\"\"\n");
  CHECK(blown_up(2, 1, "G", false, false) == "");
  CHECK(blown_up(1, 2, "G", false, false) == "");
  CHECK(blown_up(1, 1, "GM", false, false) == "");
  CHECK(blown_up(1, 1, "G", true, false) == "");
  CHECK(blown_up(1, 1, "G", false, true) == "");
  CHECK(blown_up(0, 1, "G", false, false, 0) == "");  // rogues are no team
}

TEST_CASE("bzflag back: updates of both sizes move a tank; those of a dead one do not") {
  auto stage = in_play();
  stage.receives(by_server({alive(5, 9, 9)}));
  words::Pose there;
  there.set_x(10);
  there.set_yaw(1);
  there.set_seq(4);
  CHECK(stage.receives(by_server({update_of(there, 5, 1, true, false)})) ==
        "says Pose unit: 102 x: 10 yaw: 1 seq: 4\n");
  there.set_seq(5);
  CHECK(count(stage.receives(by_server({update_of(there, 5, 1, true)})), "says Pose unit: 102") == 1);
  there.set_seq(6);
  CHECK(stage.receives(by_server({update_of(there, 5, 1, false)})) == "");
  CHECK(stage.receives(by_server({update_of(there, 5, 1, false, false)})) == "");
}

TEST_CASE("bzflag back: teleports are told, and claimed while our tank lives") {
  auto stage = in_play();
  stage.receives(by_server({alive(5, 9, 9)}));
  CHECK(stage.receives(by_server({Teleport{player_id(5), 1, 4}})) == "says Teleported unit: 102 from: 1 to: 4\n");
  words::TeleportClaim claim;
  claim.set_from(2);
  claim.set_to(7);
  CHECK(stage.hears(claim) == "sends MsgTeleport from=2 to=7\n");
  stage.receives(by_server({killed_by(5, 3)}));
  CHECK(stage.hears(claim) == "");
}

TEST_CASE("bzflag back: who has killed our tank: a player, the server, or itself if its killer has left") {
  const auto claims = [](core::Id killer, words::DeathCause why) {
    auto stage = in_play();
    words::DeathClaim death;
    death.set_killer(killer);
    death.set_why(why);
    return stage.hears(death);
  };
  CHECK(claims(101, words::BY_TOUCH) == "sends MsgKilled killer=5 reason=2 shot=65535 flag=\"\"\n");
  CHECK(claims(0, words::BY_WATER) == "sends MsgKilled killer=253 reason=6 shot=65535 flag=\"\"\n");
  CHECK(claims(999, words::BY_TOUCH) == "sends MsgKilled killer=3 reason=2 shot=65535 flag=\"\"\n");
  CHECK(claims(1, words::BY_ITSELF) == "sends MsgKilled killer=3 reason=5 shot=65535 flag=\"\"\n");
  auto early = back_stage();
  come_in(early);
  words::DeathClaim death;
  death.set_why(words::BY_ITSELF);
  CHECK(early.hears(death) == "");  // it is not in play
}

TEST_CASE("bzflag back: a reported death by a shot that no gun can fire allows for no more ends of shots") {
  const auto ends = [](std::uint32_t shot) {
    auto stage = in_play();
    std::size_t sent = 0;
    const auto end_all = [&] {
      for (std::uint32_t i = 1; i <= 10; ++i) {
        words::ShotEndClaim end;
        end.set_shooter(101);
        end.set_shot(i);
        sent += count(stage.hears(end), "sends by datagram MsgShotEnd");
      }
    };
    end_all();
    sent = 0;
    words::DeathClaim death;
    death.set_killer(101);
    death.set_shot(shot);
    death.set_why(words::BY_SHOT);
    stage.hears(death);
    stage.receives(by_server({killed_by(5, 3), alive(3, 0, 0)}));
    end_all();
    return sent;
  };
  CHECK(ends(0x0101) == 1);
  CHECK(ends(0x0102) == 0);  // each player has two guns
}

// -- Shots ------------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag back: shots of players and of the world are told with the shooter, its tank and its team") {
  auto stage = in_play();
  ShotBegin begin = shot_of(5, 0x0203);
  begin.team = 2;
  const std::string said = lines(stage.receives(by_server({begin})), "says Shot ");
  CHECK(said.starts_with("says Shot shooter: 101 unit: 102 shot: 515 "));
  CHECK(said.find(" team: GREEN") != std::string::npos);
  CHECK(said.find(" range: 350") != std::string::npos);
  begin.player = player_id(kServerId);
  begin.team = 0;
  CHECK(lines(stage.receives(by_server({begin})), "says Shot ").starts_with("says Shot shot: 515 "));
  stage.receives(by_server({set_var("_shotRange", "123")}));
  CHECK(lines(stage.receives(by_server({shot_of(5)})), "says Shot ").find(" range: 123") != std::string::npos);
}

TEST_CASE("bzflag back: shots beyond those that can hit our tank are told to the room, and counted") {
  auto stage = in_play(false);
  ShotBegin beside = shot_of(5);
  beside.pos[1] = 300;
  std::string said;
  for (std::uint16_t number = 0; number < 2'001; ++number) {
    CHECK(said.find("loses") == std::string::npos);
    beside.shot = number;
    said = stage.receives(by_server({beside}));
  }
  CHECK(said.find("says Shot ") != std::string::npos);
  CHECK(said.find("loses Shot: more shots are in the air than can be tested") != std::string::npos);
}

TEST_CASE("bzflag back: a shot that has ended no longer hits, and the room learns how it ended") {
  for (const std::uint16_t reason : {std::uint16_t{0}, std::uint16_t{1}}) {
    auto stage = in_play(false);
    stage.receives(by_server({shot_of(5)}));
    CHECK(stage.receives(by_server({ShotEnd{player_id(5), 0x0100, reason}})) ==
          "says ShotEnded shooter: 101 shot: 256" + std::string(reason == 0 ? " burst: true\n" : "\n"));
    CHECK(lines(stage.waits(core::kSecond), "sends MsgKilled") == "");
  }
  auto other = in_play(false);
  other.receives(by_server({shot_of(5)}));
  other.receives(by_server({ShotEnd{player_id(5), 0x0200, 0}, ShotEnd{player_id(6), 0x0100, 0}}));
  CHECK(lines(other.waits(core::kSecond), "sends MsgKilled").size() > 0);
}

TEST_CASE("bzflag back: a guided missile's course, target and shooter are told") {
  auto stage = in_play();
  GuidedUpdate update;
  update.player = player_id(5);
  update.shot = 0x0102;
  update.pos = {1, 2, 3};
  update.vel = {4, 5, 6};
  update.target = player_id(3);
  CHECK(stage.receives(by_server({update})) ==
        "says ShotMoved shooter: 101 shot: 258 target: 1 x: 1 y: 2 z: 3 vx: 4 vy: 5 vz: 6\n");
  update.target = player_id(kNobody);
  CHECK(stage.receives(by_server({update})).find("target") == std::string::npos);
}

TEST_CASE("bzflag back: another player's shot is no answer to ours, and no missile of ours") {
  auto stage = in_play();
  words::Fire fire;
  fire.set_shot(0x100);
  fire.set_vx(100);
  stage.hears(fire);
  stage.receives(by_server({shot_of(5)}));
  CHECK(count(stage.waits(3 * core::kSecond), "loses Fire") == 1);

  auto ends = in_play();
  const auto end_all = [&] {
    std::size_t sent = 0;
    for (std::uint32_t i = 1; i <= 10; ++i) {
      words::ShotEndClaim end;
      end.set_shooter(101);
      end.set_shot(i);
      sent += count(ends.hears(end), "sends by datagram MsgShotEnd");
    }
    return sent;
  };
  CHECK(end_all() == 4);
  ShotBegin guided = shot_of(5);
  guided.flag = flag_kind("GM");
  ends.receives(by_server({guided, shot_of(3)}));
  CHECK(end_all() == 0);
}

TEST_CASE("bzflag back: the ends of shots and the course of our missile are claimed with every number") {
  auto stage = in_play();
  words::ShotEndClaim end;
  end.set_shooter(101);
  end.set_shot(0x0203);
  CHECK(stage.hears(end) == "sends by datagram MsgShotEnd player=5 shot=515 reason=1\n");
  end.set_burst(true);
  end.set_shooter(1);
  CHECK(stage.hears(end) == "sends by datagram MsgShotEnd player=3 shot=515 reason=0\n");
  end.set_shooter(999);
  CHECK(stage.hears(end) == "loses ShotEndClaim: its shooter is not in the game\n");
  words::ShotMoveClaim move;
  move.set_shot(0x0102);
  move.set_x(1);
  move.set_y(2);
  move.set_z(3);
  move.set_vx(4);
  move.set_vy(5);
  move.set_vz(6);
  move.set_target(101);
  CHECK(stage.hears(move) ==
        "sends by datagram MsgGMUpdate player=3 shot=258 pos=(1 2 3) vel=(4 5 6) age=0 team=1 target=5\n");
  move.set_target(0);
  CHECK(stage.hears(move).find(" target=255\n") != std::string::npos);
  stage.receives(by_server({killed_by(5, 3)}));
  end.set_shooter(101);
  CHECK(stage.hears(end) == "");
  CHECK(stage.hears(move) == "");
}

TEST_CASE("bzflag back: rays and waves of another client keep their life; a plain shot has that of the reload time") {
  auto stage = in_play();
  words::Fire fire;
  fire.set_shot(0x100);
  fire.set_vx(100);
  fire.set_life(2);
  fire.set_weapon(weapon_of(flag_kind("SB")));
  CHECK(lines(stage.hears(fire), "sends by datagram MsgShotBegin").find(" flag=\"SB\" life=2\n") != std::string::npos);
  auto endless = in_play();
  fire.set_life(0);
  CHECK(lines(endless.hears(fire), "sends by datagram MsgShotBegin").find(" flag=\"SB\" life=3.5\n") !=
        std::string::npos);
}

TEST_CASE("bzflag back: a shot of a client has its clock, which runs on from its last claim") {
  auto stage = in_play();
  words::PoseClaim claim;
  claim.set_seq(1);
  claim.set_sent_at(100);
  stage.hears(claim);
  stage.ages(1500 * core::kMillisecond);
  words::Fire fire;
  fire.set_shot(0x100);
  fire.set_vx(100);
  CHECK(numbers_after(lines(stage.hears(fire), "sends by datagram MsgShotBegin"), " sent=")[0] == 101.5);
}

TEST_CASE("bzflag back: shots that our tank fires have growing numbers, each for its own gun") {
  auto stage = in_play(false);
  stage.hears(words::Keys());
  stage.waits(110 * core::kMillisecond);
  words::Trigger trigger;
  trigger.set_primary(true);
  std::string all = stage.hears(trigger);
  all += stage.waits(7 * core::kSecond);
  const std::vector<double> shots = numbers_after(lines(all, "sends by datagram MsgShotBegin"), " shot=");
  REQUIRE(shots.size() >= 4);
  CHECK(shots[0] == 0x100);
  CHECK(shots[1] == 0x101);
  CHECK(shots[2] == 0x200);
  CHECK(shots[3] == 0x201);
}

// -- Flags ------------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag back: a flag that sticks to its tank, one of another tank and one of a dead tank are not dropped") {
  const auto dropped = [](std::uint16_t endurance, std::uint8_t carrier, bool dead, bool asked) {
    auto stage = in_play(false);
    if (dead) stage.receives(by_server({killed_by(5, 3)}));
    words::TokenWish wish;
    wish.set_token(3);
    if (asked) stage.hears(wish);
    NumberedFlag flag = flag_on(carrier, "V");
    flag.flag.endurance = endurance;
    return lines(stage.receives(by_server({GrabFlag{player_id(carrier), flag}})), "sends MsgDropFlag");
  };
  CHECK(dropped(1, 3, false, false) == "sends MsgDropFlag pos=(0 0 0)\n");
  CHECK(dropped(0, 3, false, false) != "");
  CHECK(dropped(2, 3, false, false) == "");
  CHECK(dropped(1, 5, false, false) == "");
  CHECK(dropped(1, 3, true, false) == "");
  CHECK(dropped(1, 3, false, true) == "");
}

TEST_CASE("bzflag back: who takes a flag from whom, who drops it, and the flag that is nearest") {
  auto stage = in_play();
  const std::string taken = stage.receives(by_server({TransferFlag{5, 3, flag_on(3, "V")}}));
  CHECK(taken.starts_with("says TokenTaken token { id: 3 "));
  CHECK(taken.find(" by: 1 from: 101\n") != std::string::npos);
  const std::string dropped = stage.receives(by_server({DropFlag{player_id(3), flag_on(kNobody, "V")}}));
  CHECK(dropped.starts_with("says TokenDropped token { id: 3 "));
  CHECK(dropped.ends_with(" by: 1\n"));
  CHECK(dropped.find("carrier") == std::string::npos);
  NearFlag near;
  near.name = "Laser";
  CHECK(stage.receives(by_server({near})) == "says Notice text: \"closest flag: Laser\" (to 1)\n");
}

TEST_CASE("bzflag back: wishes for flags have the number, the place, the team and the player") {
  auto stage = in_play();
  words::TokenWish wish;
  wish.set_token(8);
  CHECK(stage.hears(wish) == "sends MsgGrabFlag number=7\n");
  wish.set_op(words::TokenWish::DROP);
  wish.set_x(1);
  wish.set_y(2);
  wish.set_z(3);
  CHECK(stage.hears(wish) == "sends MsgDropFlag pos=(1 2 3)\n");
  wish.set_op(words::TokenWish::CAPTURE);
  wish.set_team(words::BLUE);
  CHECK(stage.hears(wish) == "sends MsgCaptureFlag team=3\n");
  wish.set_op(words::TokenWish::GIVE);
  wish.set_to(999);
  CHECK(stage.hears(wish) == "sends MsgTransferFlag from=3 to=255\n");
  stage.receives(by_server({killed_by(5, 3)}));
  CHECK(stage.hears(wish) == "loses TokenWish: the player is not in play\n");
}

TEST_CASE("bzflag back: a wish for a flag is answered by what happens to our player, not to others") {
  const auto lost = [](const Message& answer) {
    auto stage = in_play();
    words::TokenWish wish;
    wish.set_token(3);
    stage.hears(wish);
    wish.set_op(words::TokenWish::DROP);
    stage.hears(wish);
    stage.receives(by_server({answer}));
    return count(stage.waits(3 * core::kSecond), "loses TokenWish");
  };
  CHECK(lost(GrabFlag{player_id(3), flag_on(3, "V")}) == 0);
  CHECK(lost(DropFlag{player_id(3), flag_on(kNobody, "V")}) == 0);
  CHECK(lost(CaptureFlag{player_id(3), 2, 1}) == 0);
  CHECK(lost(TransferFlag{3, 5, flag_on(5, "V")}) == 0);
  CHECK(lost(TransferFlag{5, 3, flag_on(3, "V")}) == 0);
  CHECK(lost(GrabFlag{player_id(5), flag_on(5, "V")}) == 2);
  CHECK(lost(DropFlag{player_id(5), flag_on(kNobody, "V")}) == 2);
}

TEST_CASE("bzflag back: a hit is reported as the end of the shot, then the drop of our flag, then our death") {
  auto stage = in_play(false);
  words::TokenWish wish;
  wish.set_token(3);
  stage.hears(wish);
  stage.receives(by_server({GrabFlag{player_id(3), flag_on(3, "V")}, shot_of(5)}));
  const std::string hit = stage.waits(core::kSecond);
  const std::size_t end = hit.find("MsgShotEnd"), drop = hit.find("MsgDropFlag"), death = hit.find("MsgKilled");
  CHECK(end < drop);
  CHECK(drop < death);
  CHECK(death != std::string::npos);
}

TEST_CASE("bzflag back: a captured flag of no team kills nobody") {
  auto stage = in_play();
  stage.receives(by_server({FlagUpdate{{flag_on(kNobody, "V")}}}));
  CHECK(stage.receives(by_server({CaptureFlag{player_id(5), 2, 1}})) == "says TokenCaptured token: 3 by: 101\n");
}

// -- The tank ---------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag back: a tank with a flag may be faster, and none is deeper than a burrowed one") {
  auto stage = in_play();
  words::PoseClaim claim;
  claim.set_unit(103);
  claim.set_vx(80);
  claim.set_z(-9);
  claim.set_seq(1);
  const std::string plain = lines(stage.hears(claim), "says Pose");
  CHECK(numbers_after(plain, " vx: ")[0] == doctest::Approx(26.25));
  CHECK(numbers_after(plain, " z: ")[0] == doctest::Approx(-1.32));
  words::TokenWish wish;
  wish.set_token(3);
  stage.hears(wish);
  stage.receives(by_server({GrabFlag{player_id(3), flag_on(3, "V")}}));
  stage.waits(core::kSecond);
  claim.set_seq(100);
  CHECK(numbers_after(lines(stage.hears(claim), "says Pose"), " vx: ")[0] == doctest::Approx(26.25 * 1.67));
}

TEST_CASE(
    "bzflag back: a driven tank jumps where all may, or with the flag for it, and never with the flag against it") {
  const auto jumps = [](std::uint16_t options, std::string_view flag) {
    auto stage = greeted();
    const Buffer world = small_world();
    GameSettings settings = small_settings();
    settings.options = options;
    stage.receives(by_server({NegotiateFlags{}, settings, hash_of(world), WorldChunk{0, 0, world}}));
    stage.hears(anna(false));
    stage.receives(by_server({Accept{player_id(3)}, add_player(3, 1, "anna"), alive(3, 0, 0)}));
    if (!flag.empty()) {
      words::TokenWish wish;
      wish.set_token(3);
      stage.hears(wish);
      stage.receives(by_server({GrabFlag{player_id(3), flag_on(3, flag)}}));
    }
    words::Keys keys;
    keys.set_bits(words::Keys::JUMP);
    std::string said = stage.hears(keys);
    said += stage.waits(300 * core::kMillisecond);
    return !numbers_after(lines(said, "says Pose"), " z: ").empty();
  };
  CHECK_FALSE(jumps(0, ""));
  CHECK(jumps(kJumping, ""));
  CHECK(jumps(0, "JP"));
  CHECK_FALSE(jumps(kJumping, "NJ"));
}

TEST_CASE("bzflag back: a score of the client's own counting is not for a server that counts") {
  auto stage = in_play();
  CHECK(stage.hears(words::ScoreClaim()) == "loses ScoreClaim: the server keeps the score\n");
}

TEST_CASE("bzflag back: what no other game can use is counted, each by its own reason") {
  auto stage = in_play();
  CHECK(stage.receives(by_server({Handicap{}})) == "loses MsgHandicap: there is no word for handicaps\n");
  CHECK(stage.receives(by_server({CustomSound{}})).starts_with("loses MsgCustomSound"));
  CHECK(stage.receives(by_server({CacheUrl{}})).starts_with("loses MsgCacheURL"));
  CHECK(stage.receives(by_server({FetchResources{}})).starts_with("loses MsgFetchResources"));
}

TEST_CASE("bzflag back: before the greeting there is nobody to say goodbye to") {
  auto stage = back_stage();
  stage.opens();
  CHECK(stage.session_ends("the room ends") == "closes: the room ends\n");
}

}  // namespace
}  // namespace entente::bzflag::back_words_test
