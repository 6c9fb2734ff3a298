// What a stock client is sent for each word of the room, and what the room learns of each message of the client, one by
// one.
#include "proxy/core/replay/resync_phase.h"
#include "tests/bzflag/front_stage.h"

namespace entente::bzflag::front_words_test {
namespace {

/// Anna's client is number 0, ben is number 1.
testing::FrontStage in_play(bool victim = true) {
  auto stage = front_stage();
  come_in(stage, victim);
  return stage;
}

/// Greeted, with a room that is known.
testing::FrontStage at_lobby() {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  furnish(stage, true);
  return stage;
}

std::size_t count(const std::string& play, std::string_view start) {
  const std::string found = lines(play, start);
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), '\n'));
}

ChatRequest chat_to(std::uint8_t to, std::string_view text) {
  ChatRequest chat;
  chat.to = player_id(to);
  chat.text.chars = std::string(text);
  return chat;
}

words::Said said(core::Id from, words::Say::Scope scope, core::Id to = 0) {
  words::Said said;
  said.set_from(from);
  said.set_scope(scope);
  said.set_to(to);
  said.set_text("hi");
  return said;
}

words::Token flag_token(core::Id id, std::string code, words::Token::State state, core::Id carrier = 0) {
  words::Token token;
  token.set_id(id);
  token.set_code(std::move(code));
  token.set_state(state);
  token.set_carrier(carrier);
  return token;
}

// -- Coming and going -------------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: a client that repeats its header is not greeted again, and the world is asked for once") {
  auto stage = front_stage();
  stage.opens();
  const std::string greeted = stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  CHECK(greeted == "sends Welcome version=\"0221\" id=0\nsends MsgGameTime microseconds=0\n");
  CHECK(count(stage.receives(by_client({NegotiateFlags{}, WantSettings{}})), "says WantWorld") == 1);
  CHECK(stage.receives(by_client({WantWorldHash{}})) == "");
}

TEST_CASE("bzflag front: an entry has the client's name, motto, token, version, team, role and flags") {
  auto stage = at_lobby();
  NegotiateFlags first, flags;
  first.flags.emplace_back().set("XX");
  flags.flags.emplace_back().set("GM");
  flags.flags.emplace_back().set("V");
  Enter enter = enter_as("anna", 3);
  enter.type = kRobotPlayer;
  enter.motto.set("go");
  enter.token.set("12345");
  enter.version.set("2.4.26");
  CHECK(lines(stage.receives(by_client({first, flags, enter})), "says Enter") ==
        "says Enter name: \"anna\" team: BLUE role: ROBOT flags_known: \"GM\" flags_known: \"V\" token: \"12345\" "
        "motto: \"go\" version: \"2.4.26\" claims_deaths: true\n");
  CHECK(stage.receives(by_client({enter})) == "loses MsgEnter: the client has already entered\n");
}

TEST_CASE("bzflag front: a client is let in once, by its own player, and not by another's") {
  auto stage = at_lobby();
  stage.receives(by_client({enter_as("anna")}));
  std::string early = stage.hears(player(2, "ben", words::GREEN));
  early += stage.hears(words::Ready());
  early += stage.waits(core::kSecond);
  CHECK(lines(early, "sends MsgAccept") == "");
  std::string in = stage.hears(player(1, "anna", words::RED));
  in += stage.waits(core::kSecond);
  in += stage.hears(words::Ready());
  CHECK(count(in, "sends MsgAccept") == 1);
}

TEST_CASE("bzflag front: what a client sends before it is in the game does nothing, and is counted") {
  auto stage = at_lobby();
  CHECK(stage.receives(by_client({AliveRequest{}})) ==
        "says WantWorld\nloses MsgAlive: the player is not in the game\n");
  CHECK(stage.receives(by_client({drives_to(1, 1, 1)})) == "loses MsgPlayerUpdate: the player is not in the game\n");
  CHECK(stage.receives(by_client({chat_to(kEverybody, "hi")})) == "loses MsgMessage: the player is not in the game\n");
  CHECK(stage.receives(by_client({ShotBegin{}, ShotEnd{}, GuidedUpdate{}, KilledReport{}})) == "");
}

TEST_CASE("bzflag front: the wish to be the rabbit is counted, and so is what moves a tank besides its drive") {
  auto stage = in_play();
  CHECK(stage.receives(by_client({NewRabbitRequest{}})) ==
        "loses MsgNewRabbit: there is no word for the wish to be the rabbit\n");
  PlayerUpdate pushed;
  pushed.order = 5;
  pushed.status = kAlive | kJumpJets;
  const std::string moved = stage.receives(by_client({pushed}));
  CHECK(count(moved, "loses MsgPlayerUpdate.status") == 1);
  CHECK(count(moved, "says PoseClaim") == 1);
}

TEST_CASE("bzflag front: a request for the UDP link counts only for the client's own number") {
  auto stage = in_play();
  CHECK(stage.receives(by_client({LinkRequest{1}}), Lane::kDatagram) == "");
  CHECK(stage.receives(by_client({LinkRequest{0}}), Lane::kDatagram) ==
        "sends MsgUDPLinkEstablished\nsends by datagram MsgUDPLinkRequest\n");
  CHECK(stage.hears(pose(12, 20, 0)).starts_with("sends MsgPlayerUpdate"));  // not yet known to arrive
  stage.waits(core::kSecond);
  CHECK(stage.receives(by_client({LinkEstablished{}}), Lane::kDatagram) == "");
  CHECK(stage.hears(pose(12, 21, 0)).starts_with("sends by datagram MsgPlayerUpdate"));
}

TEST_CASE("bzflag front: robots and observers are not pinged") {
  for (const auto& [type, team, pings] : {std::tuple<std::uint16_t, std::int16_t, std::size_t>{kTankPlayer, 1, 2},
                                          {kRobotPlayer, 1, 0},
                                          {kTankPlayer, kObserverTeam, 0}}) {
    auto stage = at_lobby();
    Enter enter = enter_as("anna", team);
    enter.type = type;
    stage.receives(by_client({enter}));
    stage.hears(player(1, "anna", words::RED));
    std::string all = stage.hears(words::Ready());
    all += stage.waits(25 * core::kSecond);
    CHECK(count(all, "sends MsgLagPing") == pings);
  }
}

TEST_CASE("bzflag front: a client that leaves is out of the room only if it had entered") {
  auto early = at_lobby();
  CHECK(early.receives(by_client({Exit{}})) == "closes: the client left\n");
  CHECK(early.receives(by_client({WantSettings{}})) == "");
  auto entered = at_lobby();
  entered.receives(by_client({enter_as("anna")}));
  CHECK(entered.receives(by_client({Exit{}})) == "says Leave\ncloses: the client left\n");
}

TEST_CASE(
    "bzflag front: how a client learns why it is disconnected, before the greeting, while it joins and in the game") {
  words::Refused refused;
  refused.set_code(words::Refused::BANNED);
  refused.set_text("be nice");
  auto first = front_stage();
  first.opens();
  CHECK(first.hears(refused) == "sends Refused reason=\"be nice\"\ncloses: be nice\n");
  auto joining = at_lobby();
  CHECK(joining.hears(refused) == "sends MsgReject code=9 reason=\"be nice\"\nsends MsgSuperKill\ncloses: be nice\n");
  auto playing = in_play();
  CHECK(playing.hears(refused) ==
        "sends MsgMessage from=253 to=0 kind=0 text=\"be nice\"\nsends MsgSuperKill\ncloses: be nice\n");
  CHECK(playing.hears(refused) == "");  // nothing after the goodbye
  CHECK(playing.receives(by_client({chat_to(kEverybody, "hi")})) == "");
  CHECK(playing.waits(20 * core::kSecond) == "");
  auto silent = at_lobby();
  CHECK(silent.session_ends("") == "sends MsgSuperKill\ncloses: \n");
}

TEST_CASE("bzflag front: a reject has at most 127 bytes of text, and the code of its reason") {
  const auto rejected = [](words::Refused::Code code, std::string text) {
    auto stage = at_lobby();
    words::Refused refused;
    refused.set_code(code);
    refused.set_text(std::move(text));
    return lines(stage.hears(refused), "sends MsgReject");
  };
  CHECK(rejected(words::Refused::NAME_TAKEN, "taken") == "sends MsgReject code=7 reason=\"taken\"\n");
  CHECK(rejected(words::Refused::SERVER_GONE, "gone").starts_with("sends MsgReject code=0 "));
  CHECK(rejected(words::Refused::FULL, std::string(128, 'x')).find("\"" + std::string(124, 'x') + "...\"") !=
        std::string::npos);
}

// -- The lobby --------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: the settings are those of the room and of its rules") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  words::Room room = room_of("bzflag");
  room.set_mode("rabbit chase");
  room.set_jumping(true);
  room.set_most_shots(5);
  stage.hears(room);
  for (const auto& [name, value] : {std::pair{"BZFLAG.maxFlags", "9"},
                                    {"BZFLAG.linearAcceleration", "1.5"},
                                    {"BZFLAG.angularAcceleration", "2.5"},
                                    {"BZFLAG.shakeTimeout", "70000"},
                                    {"BZFLAG.shakeWins", "-3"}})
    stage.hears(rule(name, value));
  stage.hears(tiles_2x2());
  CHECK(lines(stage.receives(by_client({WantSettings{}})), "sends") ==
        "sends MsgGameSettings world_size=100 game_type=3 options=8 max_players=216 max_shots=5 max_flags=9 "
        "linear_acceleration=1.5 angular_acceleration=2.5 shake_timeout=65535 shake_wins=0 sync_time=0\n");
  CHECK(stage.receives(by_client({WantSettings{}})).starts_with("sends MsgGameSettings"));  // to each request
}

TEST_CASE("bzflag front: options are the server's own, or follow from what the room allows") {
  const auto options = [](bool jumping, bool ricochet, const char* own) {
    auto stage = front_stage();
    stage.opens();
    stage.receives(as_bytes("BZFLAG\r\n\r\n"));
    words::Room room = room_of("bzflag");
    room.set_jumping(jumping);
    room.set_ricochet(ricochet);
    stage.hears(room);
    if (own != nullptr) stage.hears(rule("BZFLAG.options", own));
    stage.hears(tiles_2x2());
    return numbers_after(stage.receives(by_client({WantSettings{}})), " options=")[0];
  };
  CHECK(options(false, false, nullptr) == 0);
  CHECK(options(true, false, nullptr) == 8);
  CHECK(options(false, true, nullptr) == 32);
  CHECK(options(true, true, "1024") == 1024);
}

TEST_CASE("bzflag front: a client may have 1 to 255 guns, and 20 where the room does not say how many") {
  for (const auto& [room_shots, shots] : {std::pair<std::uint32_t, double>{0, 20}, {1, 1}, {255, 255}, {300, 255}}) {
    auto stage = front_stage();
    stage.opens();
    stage.receives(as_bytes("BZFLAG\r\n\r\n"));
    words::Room room = room_of("panic");
    room.set_most_shots(room_shots);
    stage.hears(room);
    stage.hears(tiles_2x2());
    CHECK(numbers_after(stage.receives(by_client({WantSettings{}})), " max_shots=")[0] == shots);
  }
}

TEST_CASE("bzflag front: a world is sent in pieces of 1016 bytes, from any place on, and nothing beyond its end") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  stage.hears(room_of("panic"));
  words::World world = tiles_2x2();
  world.set_columns(60);
  world.set_rows(60);
  std::string tiles(3600, '\0');
  for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i] = static_cast<char>((i * 2654435761U >> 29U) & 1U);
  world.set_tiles(tiles);
  stage.hears(world);
  const Buffer all = database_of(world, 0).bytes;
  REQUIRE(all.size() > 1200);
  const auto chunk = [&](std::size_t offset) {
    GetWorld get;
    get.offset = static_cast<std::uint32_t>(offset);
    const std::string sent = lines(stage.receives(by_client({get})), "sends MsgGetWorld");
    return numbers_after(sent, " left=")[0];
  };
  const auto size = static_cast<double>(all.size());
  CHECK(chunk(0) == size - 1016);
  CHECK(chunk(100) == size - 1116);
  CHECK(chunk(all.size() - 1) == 0);
  CHECK(chunk(all.size()) == 0);
  CHECK(chunk(all.size() + 999) == 0);
}

// -- Queries ----------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: the answer about the game has the room's kind, options and guns, and the players by team") {
  auto stage = at_lobby();
  words::Room room = room_of("bzflag");
  room.set_mode("capture the flag");
  room.set_jumping(true);
  room.set_most_players(40);
  room.set_most_shots(3);
  stage.hears(room);
  for (const core::Fact& fact : std::initializer_list<core::Fact>{
           player(2, "a", words::ROGUE), player(3, "b", words::RED), player(4, "c", words::GREEN),
           player(5, "d", words::GREEN), player(6, "e", words::BLUE), player(7, "f", words::PURPLE),
           player(8, "g", words::PURPLE), player(9, "h", words::RED, words::WATCH), player(10, "i", words::HUNTER),
           player(11, "", words::RED)})
    stage.hears(fact);
  std::string answer = stage.receives(by_client({QueryGame{}}));
  answer += stage.waits(core::kMillisecond);
  CHECK(lines(answer, "says Query") == "says Query\n");
  const std::string game = lines(answer, "sends");
  CHECK(game.starts_with("sends MsgQueryGame game_type=1 options=8 max_players=40 max_shots=3 "));
  CHECK(game.find("(2 1 2 1 2)") != std::string::npos);
  CHECK(game.find(" observers=1 ") != std::string::npos);
  CHECK(game.find("(40 40 40 40 40)") != std::string::npos);
  CHECK(lines(stage.waits(core::kSecond), "sends MsgQueryGame") == "");  // once
}

TEST_CASE("bzflag front: the answer about the players has their types, teams, mottos and scores") {
  auto stage = at_lobby();
  words::Player robot = player(2, "rob", words::BLUE, words::ROBOT);
  robot.set_motto("beep");
  stage.hears(robot);
  stage.hears(player(3, "wat", words::RED, words::WATCH));
  words::Score score;
  score.set_player(2);
  score.set_wins(70000);
  score.set_losses(2);
  score.set_team_kills(3);
  stage.hears(score);
  words::TeamScore team;
  team.set_team(words::BLUE);
  team.set_wins(5);
  team.set_losses(6);
  stage.hears(team);
  std::string answer = stage.receives(by_client({QueryPlayers{}}));
  answer += stage.waits(core::kMillisecond);
  CHECK(lines(answer, "says Query") == "says Query kind: PLAYERS\n");
  CHECK(lines(answer, "sends MsgQueryPlayers") == "sends MsgQueryPlayers teams=5 players=2\n");
  const std::string teams = lines(answer, "sends MsgTeamUpdate");
  CHECK(teams.find("{team=3 size=1 won=5 lost=6}") != std::string::npos);
  CHECK(teams.find("{team=1 size=0 won=0 lost=0}") != std::string::npos);
  const std::string players = lines(answer, "sends MsgAddPlayer");
  CHECK(players.find("id=0 type=1 team=3 wins=65535 losses=2 team_kills=3 callsign=\"rob\" motto=\"beep\"") !=
        std::string::npos);
  CHECK(players.find("id=1 type=0 team=5 wins=0 losses=0 team_kills=0 callsign=\"wat\"") != std::string::npos);
}

// -- Players ----------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: badges are told when they change: pauses and autopilots as events, others as information") {
  auto stage = in_play();
  words::Player ben = player(2, "ben", words::GREEN);
  const auto with = [&](std::uint32_t badges) {
    ben.set_badges(badges);
    return stage.hears(ben);
  };
  CHECK(with(words::PAUSED) == "sends MsgPause player=1 paused=1\n");
  CHECK(with(words::PAUSED) == "");
  CHECK(with(words::AUTOPILOT) == "sends MsgPause player=1 paused=0\nsends MsgAutoPilot player=1 on=1\n");
  CHECK(with(words::REGISTERED | words::VERIFIED | words::ADMIN) ==
        "sends MsgAutoPilot player=1 on=0\nsends MsgPlayerInfo players=[{player=1 bits=7}]\n");
  CHECK(with(0) == "sends MsgPlayerInfo players=[{player=1 bits=0}]\n");
  stage.hears(core::resync_clock(0));
  CHECK(with(words::PAUSED | words::AUTOPILOT) == "");
}

TEST_CASE("bzflag front: an address for operators is not shown, and is counted") {
  auto stage = in_play();
  words::Player ben = player(2, "ben", words::GREEN);
  ben.set_address("10.0.0.1");
  core::Fact fact(ben);
  fact.audience = words::ADMINS;
  CHECK(stage.hears(fact) == "loses Player.address: only operators learn it, when they ask\n");
}

TEST_CASE("bzflag front: who changes to the rabbit or a hunter stays; who changes to another team comes anew") {
  auto stage = in_play();
  CHECK(stage.hears(player(2, "ben", words::RABBIT)) == "sends MsgNewRabbit player=1\n");
  CHECK(stage.hears(player(2, "ben", words::HUNTER)) == "");
  const std::string other = stage.hears(player(2, "ben", words::BLUE));
  CHECK(count(other, "sends MsgRemovePlayer id=1\n") == 1);
  CHECK(lines(other, "sends MsgAddPlayer").find("id=1 type=0 team=3 ") != std::string::npos);
  const std::string watches = stage.hears(player(2, "ben", words::BLUE, words::WATCH));
  CHECK(lines(watches, "sends MsgAddPlayer").find(" team=5 ") != std::string::npos);
  CHECK(stage.hears(player(1, "anna", words::BLUE)) == "loses Player: the client's own name and team cannot change\n");
  CHECK(stage.hears(player(1, "hanna", words::RED)) == "");
}

TEST_CASE("bzflag front: a player comes with its score, and its further tanks without") {
  auto stage = in_play();
  words::Score score;
  score.set_player(3);
  score.set_wins(1);
  score.set_losses(2);
  score.set_team_kills(3);
  words::Player cleo = player(3, "cleo", words::PURPLE, words::ROBOT);
  stage.knows(cleo);
  stage.knows(score);
  std::string came = stage.hears(cleo);
  came += stage.hears(tank(13, 3, true, 30));
  came += stage.hears(tank(14, 3, true, 40));
  came += stage.hears(owns(3, {13, 14}));
  const std::string added = lines(came, "sends MsgAddPlayer");
  CHECK(added.find("id=2 type=1 team=4 wins=1 losses=2 team_kills=3 callsign=\"cleo\"") != std::string::npos);
  CHECK(added.find("id=3 type=1 team=4 wins=0 losses=0 team_kills=0 callsign=\"cleo 2\"") != std::string::npos);
}

// -- Chat -------------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: chat of the client goes to operators, to its team, to the server, or back to itself") {
  auto stage = in_play();
  CHECK(stage.receives(by_client({chat_to(kAdmins, "psst")})) == "says Say scope: MODERATORS text: \"psst\"\n");
  CHECK(stage.receives(by_client({chat_to(kFirstTeamId, "rogues")})) == "says Say scope: MY_TEAM text: \"rogues\"\n");
  CHECK(stage.receives(by_client({chat_to(kFirstTeamId - 7, "hunters")})) ==
        "says Say scope: MY_TEAM text: \"hunters\"\n");
  CHECK(stage.receives(by_client({chat_to(kFirstTeamId - 8, "nobody")})).starts_with("loses MsgMessage.to"));
  CHECK(stage.receives(by_client({chat_to(kServerId, "hello")})) == "says Say scope: SERVER text: \"hello\"\n");
  CHECK(stage.receives(by_client({chat_to(0, "me")})) == "sends MsgMessage from=0 to=0 kind=0 text=\"me\"\n");
}

TEST_CASE("bzflag front: a client sees who said what to whom") {
  auto stage = in_play();
  CHECK(stage.hears(said(2, words::Say::EVERYBODY)) == "sends MsgMessage from=1 to=254 kind=0 text=\"hi\"\n");
  CHECK(stage.hears(said(2, words::Say::MY_TEAM, words::RED)) == "sends MsgMessage from=1 to=250 kind=0 text=\"hi\"\n");
  CHECK(stage.hears(said(2, words::Say::MY_TEAM, words::GREEN)) ==
        "sends MsgMessage from=1 to=249 kind=0 text=\"hi\"\n");
  CHECK(stage.hears(said(2, words::Say::MY_TEAM)) == "sends MsgMessage from=1 to=250 kind=0 text=\"hi\"\n");
  CHECK(stage.hears(said(1, words::Say::ONE, 2)) == "sends MsgMessage from=0 to=1 kind=0 text=\"hi\"\n");
  CHECK(stage.hears(said(2, words::Say::ONE, 99)) == "sends MsgMessage from=1 to=0 kind=0 text=\"hi\"\n");
  CHECK(stage.hears(said(2, words::Say::MODERATORS)) == "sends MsgMessage from=1 to=252 kind=0 text=\"hi\"\n");
  CHECK(stage.hears(said(0, words::Say::EVERYBODY)) == "sends MsgMessage from=253 to=254 kind=0 text=\"hi\"\n");
  words::Said wave = said(2, words::Say::EVERYBODY);
  wave.set_kind(words::Say::ACTION);
  CHECK(stage.hears(wave) == "sends MsgMessage from=1 to=254 kind=1 text=\"hi\"\n");
  words::Said far = said(99, words::Say::EVERYBODY);  // whom the client does not see
  far.set_name("zoe");
  CHECK(stage.hears(far) == "sends MsgMessage from=253 to=254 kind=0 text=\"zoe: hi\"\n");
  words::Said near = said(2, words::Say::EVERYBODY);
  near.set_name("ben");
  CHECK(stage.hears(near) == "sends MsgMessage from=1 to=254 kind=0 text=\"hi\"\n");
}

TEST_CASE("bzflag front: a notice to everybody and one to the client alone; a long line is cut at blanks") {
  auto stage = in_play();
  words::Notice notice;
  notice.set_text("news");
  CHECK(stage.hears(notice) == "sends MsgMessage from=253 to=254 kind=0 text=\"news\"\n");
  CHECK(stage.hears(core::Fact(1, notice)) == "sends MsgMessage from=253 to=0 kind=0 text=\"news\"\n");
  notice.set_text(std::string(127, 'x'));
  CHECK(count(stage.hears(notice), "sends MsgMessage") == 1);
  notice.set_text(std::string(128, 'x'));
  CHECK(count(stage.hears(notice), "sends MsgMessage") == 2);
  words::Said wave = said(2, words::Say::EVERYBODY);
  wave.set_kind(words::Say::ACTION);
  wave.set_text(std::string(91, 'x'));
  CHECK(count(stage.hears(wave), "sends MsgMessage") == 1);
  wave.set_text(std::string(92, 'x'));
  CHECK(count(stage.hears(wave), "sends MsgMessage") == 2);  // older dialects add the name
}

// -- Tanks ------------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: a death has its killer, shot, flag and reason") {
  auto stage = in_play();
  words::Died died;
  died.set_player(2);
  died.set_unit(12);
  died.set_killer(1);
  died.set_shot(0x0105);
  died.set_why(words::BY_SHOT);
  ShotBegin own;
  own.player = player_id(0);
  own.shot = 0x0105;
  own.vel = {100, 0, 0};
  own.life = 3.5F;
  stage.receives(by_client({own}));
  CHECK(stage.hears(died) == "sends MsgKilled victim=1 killer=0 reason=1 shot=261 flag=\"\"\n");
  const auto dies_by = [](core::Id killer, words::DeathCause why) {
    auto fresh = in_play();
    words::Died one;
    one.set_player(2);
    one.set_unit(12);
    one.set_killer(killer);
    one.set_why(why);
    return fresh.hears(one);
  };
  CHECK(dies_by(0, words::BY_SERVER) == "sends MsgKilled victim=1 killer=253 reason=0 shot=65535 flag=\"\"\n");
  CHECK(dies_by(99, words::BY_TOUCH) == "sends MsgKilled victim=1 killer=253 reason=2 shot=65535 flag=\"\"\n");
  CHECK(dies_by(2, words::BY_ITSELF) == "sends MsgKilled victim=1 killer=1 reason=5 shot=65535 flag=\"\"\n");
  CHECK(dies_by(1, words::BY_GENOCIDE) == "sends MsgKilled victim=1 killer=0 reason=4 shot=65535 flag=\"\"\n");
}

TEST_CASE("bzflag front: a death by a shot that the client was shown names the number and the flag that it knows") {
  auto stage = in_play(false);
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_unit(12);
  shot.set_shot(7777);
  shot.set_weapon(weapon_of(flag_kind(std::string_view("SB"))));
  shot.set_y(40);
  shot.set_vx(1);
  shot.set_life(3);
  const double number = numbers_after(stage.hears(shot), " shot=")[0];
  words::Died died;
  died.set_player(1);
  died.set_unit(11);
  died.set_killer(2);
  died.set_shot(7777);
  died.set_why(words::BY_SHOT);
  const std::string killed = stage.hears(died);
  CHECK(numbers_after(killed, " shot=")[0] == number);
  CHECK(killed.find(" flag=\"SB\"") != std::string::npos);
}

TEST_CASE(
    "bzflag front: a death that the client claims names the killer, the shot and the reason as the room knows them") {
  auto stage = in_play(false);
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_unit(12);
  shot.set_shot(7777);
  shot.set_y(40);
  shot.set_vx(1);
  shot.set_life(3);
  const double number = numbers_after(stage.hears(shot), " shot=")[0];
  KilledReport report;
  report.killer = player_id(1);
  report.death.reason = 1;
  report.death.shot = static_cast<std::uint16_t>(number);
  CHECK(stage.receives(by_client({report})) == "says DeathClaim killer: 2 shot: 7777 why: BY_SHOT\n");
  auto other = in_play();
  report.death.shot = 0x0203;
  report.death.reason = 3;
  report.killer = player_id(77);
  CHECK(other.receives(by_client({report})) == "says DeathClaim shot: 515 why: BY_CAPTURE\n");
}

TEST_CASE("bzflag front: where victims report, a claimed death is waited for five seconds") {
  auto stage = in_play(true);
  KilledReport report;
  report.killer = player_id(1);
  report.death.reason = 1;
  report.death.shot = kNoShot;
  stage.receives(by_client({report}));
  CHECK(lines(stage.waits(4900 * core::kMillisecond), "sends MsgAlive") == "");
  CHECK(count(stage.waits(200 * core::kMillisecond), "sends MsgAlive player=0 ") == 1);
}

TEST_CASE("bzflag front: a refused death puts the tank back; a refused spawn is explained") {
  auto stage = in_play(true);
  KilledReport report;
  report.killer = player_id(1);
  report.death.reason = 1;
  report.death.shot = kNoShot;
  stage.receives(by_client({report}));
  words::ClaimRefused refused;
  refused.set_why("too early");
  CHECK(lines(stage.hears(core::Fact(2, refused)), "sends") == "");  // another's
  CHECK(lines(stage.waits(2 * core::kSecond), "sends MsgAlive") == "");
  std::string back = stage.hears(core::Fact(1, refused));
  back += stage.waits(core::kSecond);  // at most one correction a second
  CHECK(count(back, "sends MsgAlive player=0 ") == 1);
  CHECK(lines(stage.hears(core::Fact(1, refused)), "sends") == "");
  words::Died died;
  died.set_player(1);
  died.set_unit(11);
  stage.hears(died);
  CHECK(stage.hears(core::Fact(1, refused)) == "sends MsgMessage from=253 to=0 kind=0 text=\"too early\"\n");
}

TEST_CASE("bzflag front: teleports are told of visible tanks, and claimed with both ends") {
  auto stage = in_play();
  words::Teleported teleported;
  teleported.set_unit(12);
  teleported.set_from(2);
  teleported.set_to(5);
  CHECK(stage.hears(teleported) == "sends MsgTeleport player=1 from=2 to=5\n");
  teleported.set_unit(99);
  CHECK(stage.hears(teleported) == "");
  CHECK(stage.receives(by_client({TeleportReport{3, 4}})) == "says TeleportClaim unit: 11 from: 3 to: 4\n");
}

TEST_CASE("bzflag front: requests to pause, to go on and for the autopilot, both ways") {
  auto stage = in_play();
  CHECK(stage.receives(by_client({PauseReport{0}})) == "says Pause\n");
  CHECK(stage.receives(by_client({AutoPilotReport{1}})) == "says Autopilot on: true\n");
  CHECK(stage.receives(by_client({AutoPilotReport{0}})) == "says Autopilot\n");
}

TEST_CASE("bzflag front: a hit on our tank is a line of chat, one on another is counted") {
  auto stage = in_play();
  words::Health health;
  health.set_unit(12);
  health.set_now(50);
  health.set_max(100);
  CHECK(stage.hears(health) == "loses Health: a client shows only whether others are alive\n");
  health.set_unit(11);
  CHECK(stage.hears(health) == "");
  health.set_now(30);
  CHECK(stage.hears(health) == "sends MsgMessage from=253 to=0 kind=0 text=\"hit 30/100\"\n");
}

TEST_CASE("bzflag front: a spawn that the room does not answer puts a living tank in its place, and no dead one") {
  auto stage = in_play();
  stage.waits(core::kSecond);
  stage.receives(by_client({AliveRequest{}}));
  stage.waits(300 * core::kMillisecond);
  stage.hears(words::Score());  // is looked at soon
  CHECK(lines(stage.waits(99 * core::kMillisecond), "sends MsgAlive") == "");
  CHECK(count(stage.waits(core::kMillisecond), "sends MsgAlive player=0 ") == 1);
  stage.hears(words::Score());
  CHECK(lines(stage.waits(core::kSecond), "sends MsgAlive") == "");
  words::Died died;
  died.set_player(1);
  died.set_unit(11);
  stage.hears(died);
  stage.receives(by_client({AliveRequest{}}));
  CHECK(lines(stage.waits(core::kSecond), "sends MsgAlive") == "");
}

// -- Shots ------------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: ends of shots and courses of missiles are claimed by the room's ids and numbers") {
  auto stage = in_play();
  CHECK(stage.receives(by_client({ShotEnd{player_id(1), 0x0203, 0}})) ==
        "says ShotEndClaim shooter: 2 shot: 515 burst: true\n");
  CHECK(stage.receives(by_client({ShotEnd{player_id(0), 0x0203, 1}})) == "says ShotEndClaim shooter: 1 shot: 515\n");
  GuidedUpdate update;
  update.player = player_id(0);
  update.shot = 0x0102;
  update.pos = {1, 2, 3};
  update.vel = {4, 5, 6};
  update.target = player_id(1);
  CHECK(stage.receives(by_client({update})) ==
        "says ShotMoveClaim shot: 258 target: 2 x: 1 y: 2 z: 3 vx: 4 vy: 5 vz: 6\n");
  update.target = player_id(kNobody);
  CHECK(stage.receives(by_client({update})).find("target") == std::string::npos);
}

TEST_CASE("bzflag front: the end of another's shot is claimed by the number that the room knows") {
  auto stage = in_play(false);
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_unit(12);
  shot.set_shot(7777);
  shot.set_y(40);
  shot.set_vx(1);
  shot.set_life(3);
  const double number = numbers_after(stage.hears(shot), " shot=")[0];
  CHECK(stage.receives(by_client({ShotEnd{player_id(1), static_cast<std::uint16_t>(number), 1}})) ==
        "says ShotEndClaim shooter: 2 shot: 7777\n");
}

TEST_CASE("bzflag front: a missile's new course goes to the client under the number that it knows") {
  auto stage = in_play(false);
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_unit(12);
  shot.set_shot(7777);
  shot.set_kind(words::GUIDED);
  shot.set_y(40);
  shot.set_vx(1);
  shot.set_life(3);
  const double number = numbers_after(stage.hears(shot), " shot=")[0];
  words::ShotMoved moved;
  moved.set_shooter(2);
  moved.set_shot(7777);
  moved.set_x(1);
  moved.set_y(42);
  moved.set_vy(5);
  moved.set_target(1);
  const std::string sent = stage.hears(moved);
  CHECK(sent.starts_with("sends MsgGMUpdate player=1 shot=" + std::to_string(static_cast<int>(number)) +
                         " pos=(1 42 0) vel=(0 5 0) age=0 team=2 target=0\n"));
  moved.set_target(99);
  CHECK(stage.hears(moved).find(" target=255") != std::string::npos);
  moved.set_shooter(99);
  CHECK(stage.hears(moved) == "");
}

TEST_CASE(
    "bzflag front: where the server decides about hits, a missile that turns to the client's tank ends before it") {
  for (const bool turns : {false, true}) {
    auto stage = in_play(false);
    words::Shot shot;
    shot.set_shooter(2);
    shot.set_unit(12);
    shot.set_shot(7);
    shot.set_kind(words::GUIDED);
    shot.set_x(60);
    shot.set_y(40);
    shot.set_z(1.57);
    shot.set_vx(-100);
    shot.set_life(3);
    stage.hears(shot);
    words::ShotMoved moved;
    moved.set_shooter(2);
    moved.set_shot(7);
    moved.set_x(60);
    moved.set_y(turns ? 0 : 40);
    moved.set_z(1.57);
    moved.set_vx(-100);
    stage.hears(moved);
    CHECK(count(stage.waits(core::kSecond), "sends MsgShotEnd") == (turns ? 1 : 0));
  }
}

TEST_CASE("bzflag front: a shot begins at the shooter's team, by the world at its own, and with its time") {
  auto stage = in_play();
  stage.ages(2500 * core::kMillisecond);
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_unit(12);
  shot.set_shot(0x0101);
  shot.set_x(1);
  shot.set_y(2);
  shot.set_z(3);
  shot.set_vx(50);
  shot.set_life(2);
  shot.set_team(words::BLUE);
  const std::string begun = lines(stage.hears(shot), "sends MsgShotBegin");
  CHECK(begun ==
        "sends MsgShotBegin sent=2.5 player=1 shot=257 pos=(1 2 3) vel=(50 0 0) age=0 team=2 flag=\"\" life=2\n");
  shot.set_shooter(0);
  shot.set_unit(0);
  CHECK(lines(stage.hears(shot), "sends MsgShotBegin").find(" player=253 shot=257 ") != std::string::npos);
  shot.set_shot(0x0100);
  CHECK(lines(stage.hears(shot), "sends MsgShotBegin").find(" team=3 ") != std::string::npos);
}

TEST_CASE("bzflag front: of its own shots a client is sent the last one that it fired, and none before it") {
  auto stage = in_play(false);
  for (const std::uint16_t number : {std::uint16_t{0x101}, std::uint16_t{0x102}}) {
    ShotBegin own;
    own.shot = number;
    own.vel = {100, 0, 0};
    own.life = 3.5F;
    stage.receives(by_client({own}));
  }
  const auto told = [&](std::uint32_t number) {
    words::Shot shot;
    shot.set_shooter(1);
    shot.set_unit(11);
    shot.set_shot(number);
    shot.set_vx(100);
    shot.set_life(3.5);
    return lines(stage.hears(shot), "sends MsgShotBegin");
  };
  CHECK(told(0x101) == "");
  CHECK(told(0x102).find(" player=0 ") != std::string::npos);
}

TEST_CASE("bzflag front: a dead client's shots are not fired") {
  auto stage = in_play();
  words::Died died;
  died.set_player(1);
  died.set_unit(11);
  stage.hears(died);
  ShotBegin own;
  own.shot = 0x0105;
  own.vel = {100, 0, 0};
  own.life = 3.5F;
  CHECK(stage.receives(by_client({own})) == "");
}

// -- Flags ------------------------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: wishes for flags name the room's flags, and unknown ones nothing") {
  auto stage = in_play();
  stage.hears(flag_token(70, "V", words::Token::GROUND));
  GrabFlagRequest grab;
  grab.number = 0;
  CHECK(stage.receives(by_client({grab})) == "says TokenWish token: 70\n");
  grab.number = 1;
  CHECK(stage.receives(by_client({grab})) == "");
  stage.hears(flag_token(71, "GM", words::Token::CARRIED, 2));
  stage.hears(flag_token(70, "V", words::Token::CARRIED, 1));
  stage.hears(flag_token(72, "G", words::Token::GROUND, 1));  // it was the client's
  CHECK(stage.receives(by_client({DropFlagRequest{{1, 2, 3}}})) ==
        "says TokenWish token: 70 op: DROP x: 1 y: 2 z: 3\n");
  CHECK(stage.receives(by_client({CaptureFlagReport{3}})) == "says TokenWish op: CAPTURE team: BLUE\n");
  CHECK(stage.receives(by_client({TransferFlagReport{1, 0}})) == "says TokenWish op: GIVE from: 2 to: 1\n");
}

TEST_CASE("bzflag front: a flag that is dropped says by whom, and one of an unknown player by nobody") {
  auto stage = in_play();
  words::TokenDropped dropped;
  *dropped.mutable_token() = flag_token(70, "V", words::Token::GROUND);
  dropped.set_by(2);
  CHECK(stage.hears(dropped).starts_with("sends MsgDropFlag player=1 flag={number=0 record={kind=\"V\" status=1 "));
  dropped.set_by(99);
  CHECK(stage.hears(dropped).starts_with("sends MsgDropFlag player=255 "));
}

TEST_CASE("bzflag front: a capture of a flag or by a player that the client does not see is counted") {
  auto stage = in_play();
  words::TokenCaptured captured;
  captured.set_token(70);
  captured.set_by(2);
  const std::string lost = "loses TokenCaptured: the client does not see that flag or that player\n";
  CHECK(stage.hears(captured) == lost);
  stage.hears(flag_token(70, "V", words::Token::GROUND));
  captured.set_by(99);
  CHECK(stage.hears(captured) == lost);
  captured.set_by(2);
  CHECK(stage.hears(captured) == "sends MsgCaptureFlag player=1 flag=0 team=2\n");
}

TEST_CASE("bzflag front: there are as many flags as the settings have announced; bases are none") {
  auto stage = in_play();  // four
  words::Token base = flag_token(60, "", words::Token::GROUND);
  base.set_kind(words::Token::BASE);
  CHECK(stage.hears(base) == "");
  for (core::Id id = 70; id < 74; ++id)
    CHECK(count(stage.hears(flag_token(id, "V", words::Token::GROUND)), "sends MsgFlagUpdate") == 1);
  CHECK(stage.hears(flag_token(74, "V", words::Token::GROUND)) == "loses Token: no number is left for another flag\n");
  CHECK(stage.hears(flag_token(75, "V", words::Token::NOWHERE)) == "");
}

TEST_CASE("bzflag front: flags that lie are sent seventeen at a time to a client that enters") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  stage.hears(room_of("bzflag"));
  stage.hears(rule("hits", "victim"));
  stage.hears(rule("BZFLAG.maxFlags", "40"));
  stage.hears(tiles_2x2());
  for (core::Id id = 70; id < 105; ++id) stage.hears(flag_token(id, "V", words::Token::GROUND));
  stage.receives(by_client({WantSettings{}, enter_as("anna")}));
  stage.hears(player(1, "anna", words::RED));
  const std::string in = lines(stage.hears(words::Ready()), "sends MsgFlagUpdate");
  CHECK(count(in, "sends MsgFlagUpdate") == 3);
  CHECK(numbers_after(in, "{number=").size() == 35);
  CHECK(in.find("number=16 ") < in.find("sends MsgFlagUpdate", 5));
  CHECK(in.find("sends MsgFlagUpdate", 5) < in.find("number=17 "));
}

// -- Scores, rules, rounds --------------------------------------------------------------------------------------------

TEST_CASE("bzflag front: new scores are sent together, the newest of each player; unseen players have none") {
  auto stage = in_play();
  words::Score score;
  for (const core::Id id : {2U, 1U, 99U, 2U}) {
    score.set_player(id);
    score.set_wins(score.wins() + 1);
    score.set_losses(7);
    score.set_team_kills(8);
    stage.hears(score);
  }
  CHECK(lines(stage.waits(core::kMillisecond), "sends MsgScore") ==
        "sends MsgScore players=[{player=1 wins=4 losses=7 team_kills=8} {player=0 wins=2 losses=7 team_kills=8}]\n");
  words::TeamScore other;
  other.set_team(words::RED);
  stage.hears(other);  // is sent without them
  CHECK(lines(stage.waits(core::kSecond), "sends MsgScore") == "");
}

TEST_CASE("bzflag front: new scores of teams are sent together, once; a team that the game lacks has none") {
  auto stage = in_play();
  words::TeamScore score;
  for (const words::Team team : {words::RED, words::TEAM_ANY, words::PURPLE, words::RED}) {
    score.set_team(team);
    score.set_size(score.size() + 1);
    score.set_wins(5);
    score.set_losses(6);
    stage.hears(score);
  }
  CHECK(lines(stage.waits(core::kMillisecond), "sends MsgTeamUpdate") ==
        "sends MsgTeamUpdate teams=[{team=1 size=4 won=5 lost=6} {team=4 size=3 won=5 lost=6}]\n");
  words::Score other;
  other.set_player(2);
  stage.hears(other);  // is sent without them
  CHECK(lines(stage.waits(core::kSecond), "sends MsgTeamUpdate") == "");
}

TEST_CASE("bzflag front: a client that enters gets the scores of all five teams") {
  auto stage = at_lobby();
  words::TeamScore score;
  score.set_team(words::GREEN);
  score.set_size(1);
  score.set_wins(2);
  score.set_losses(3);
  stage.hears(score);
  stage.receives(by_client({enter_as("anna")}));
  stage.hears(player(1, "anna", words::RED));
  CHECK(lines(stage.hears(words::Ready()), "sends MsgTeamUpdate") ==
        "sends MsgTeamUpdate teams=[{team=0 size=0 won=0 lost=0} {team=1 size=0 won=0 lost=0} "
        "{team=2 size=1 won=2 lost=3} {team=3 size=0 won=0 lost=0} {team=4 size=0 won=0 lost=0}]\n");
}

TEST_CASE("bzflag front: rules of other games become variables, unless the server has set these itself") {
  auto stage = in_play();
  CHECK(stage.hears(rule("speed", "12")) == "sends MsgSetVar variables=[{name=\"_tankSpeed\" value=\"12\"}]\n");
  CHECK(stage.hears(rule("speed", "0")) == "");
  CHECK(stage.hears(rule("speed", "-1")) == "");
  CHECK(stage.hears(rule("BZFLAG._tankSpeed", "20")) ==
        "sends MsgSetVar variables=[{name=\"_tankSpeed\" value=\"20\"}]\n");
  CHECK(stage.hears(rule("speed", "12")) == "");
  CHECK(stage.hears(rule("BZFLAG.$text", "x")) == "sends MsgSetVar variables=[{name=\"$text\" value=\"x\"}]\n");
  CHECK(stage.hears(rule("BZFLAG.options", "5")) == "");
  CHECK(stage.hears(rule("BZFLAG._long", std::string(255, 'x'))).starts_with("sends MsgSetVar"));
  CHECK(stage.hears(rule("BZFLAG._long", std::string(256, 'x'))) == "");
}

TEST_CASE("bzflag front: a client that enters gets all variables, in messages of at most 1024 bytes") {
  auto stage = at_lobby();
  for (int i = 0; i < 27; ++i) stage.hears(rule("BZFLAG._v" + std::to_string(100 + i), std::string(100, 'x')));
  stage.hears(rule("BZFLAG._big", std::string(256, 'x')));
  stage.receives(by_client({enter_as("anna")}));
  stage.hears(player(1, "anna", words::RED));
  const std::string in = lines(stage.hears(words::Ready()), "sends MsgSetVar");
  CHECK(count(in, "sends MsgSetVar") == 3);  // of 107 bytes each: nine at a time
  CHECK(numbers_after(in, "name=\"_v").size() == 27);
  CHECK(in.find("_big") == std::string::npos);
}

TEST_CASE(
    "bzflag front: a round's clock is told in whole seconds, at least one if another round follows; or it stands") {
  auto stage = in_play();
  words::Round round;
  round.set_left_s(59.6);
  CHECK(stage.hears(round) == "sends MsgTimeUpdate seconds=60\n");
  round.set_left_s(0.2);
  CHECK(stage.hears(round) == "sends MsgTimeUpdate seconds=0\n");
  round.set_another(true);
  CHECK(stage.hears(round) == "sends MsgTimeUpdate seconds=1\n");
  round.set_paused(true);
  CHECK(stage.hears(round) == "sends MsgTimeUpdate seconds=-1\n");
  CHECK(stage.hears(words::Round()) == "");
}

TEST_CASE("bzflag front: the winner of a game is a player, a team, or both") {
  auto stage = in_play();
  words::Round round;
  round.set_state(words::Round::OVER);
  round.set_winner(2);
  CHECK(stage.hears(round) == "sends MsgScoreOver player=1 team=65535\n");
  round.set_winner(0);
  round.set_winning_team(words::BLUE);
  CHECK(stage.hears(round) == "sends MsgScoreOver player=255 team=3\n");
  round.set_winner(99);
  CHECK(stage.hears(round) == "sends MsgScoreOver player=255 team=3\n");
}

TEST_CASE("bzflag front: the room's clock is the game's time") {
  auto stage = in_play();
  words::Clock clock;
  clock.set_us(123456);
  clock.set_speed(1);
  CHECK(lines(stage.hears(clock), "sends MsgGameTime") == "sends MsgGameTime microseconds=123456\n");
}

}  // namespace
}  // namespace entente::bzflag::front_words_test
