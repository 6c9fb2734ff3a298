// How our back joins a bzfs: what it sends, in which order, and what the room learns.
#include "tests/bzflag/back_stage.h"

namespace entente::bzflag::back_join_test {
namespace {

TEST_CASE("our back sends the header alone, then asks for flags, settings and the world, piece by piece") {
  auto stage = back_stage();
  CHECK(stage.opens() == "sends ClientHeader\n");
  const std::string greeted = stage.receives(by_server({welcome(3), GameTime{1}}));
  CHECK(lines(greeted, "sends by datagram") == "sends by datagram MsgUDPLinkRequest player=3\n");
  CHECK(lines(greeted, "sends MsgNegotiateFlags").size() > 100);
  CHECK(lines(greeted, "sends MsgQueryPlayers") == "sends MsgQueryPlayers\n");
  CHECK(stage.receives(by_server({NegotiateFlags{}})) == "sends MsgWantSettings\n");

  const std::string settings = stage.receives(by_server({small_settings()}));
  CHECK(lines(settings, "sends") == "sends MsgWantWHash\n");
  CHECK(lines(settings, "says Room") ==
        "says Room game: \"bzflag\" dialect: \"2.4\" mode: \"free for all\" most_players: 216 most_shots: 2 "
        "teams: true\n");
  CHECK(settings.find("says Rule name: \"reload\" value: \"3.5\"") != std::string::npos);
  CHECK(settings.find("says Rule name: \"hits\" value: \"victim\"") != std::string::npos);

  const Buffer world = small_world();
  CHECK(stage.receives(by_server({hash_of(world)})) == "sends MsgGetWorld offset=0\n");
  const Bytes all = world;
  const auto half = all.first(40), rest = all.subspan(40);
  WorldChunk first{static_cast<std::uint32_t>(rest.size()), 0, Buffer(half.begin(), half.end())};
  CHECK(lines(stage.receives(by_server({first})), "sends") == "sends MsgGetWorld offset=40\n");
  const std::string told = stage.receives(by_server({WorldChunk{0, 0, Buffer(rest.begin(), rest.end())}}));
  CHECK(told.starts_with("says World hash: \"p"));
  CHECK(told.find("shape: WALL_FACE") != std::string::npos);
  CHECK(told.find("solids { x: 50 half_x: 10 half_y: 10") != std::string::npos);
}

TEST_CASE("a server that tells the time again before it lets us in, as another Entente does, asks for patience") {
  auto stage = back_stage();
  stage.opens();
  CHECK(lines(stage.receives(by_server({welcome(3), GameTime{1}})), "says WorldProgress") == "");
  CHECK(lines(stage.receives(by_server({GameTime{2}})), "says WorldProgress") == "says WorldProgress\n");
}

TEST_CASE("a server that has no world yet is asked again, up to thirty times") {
  auto stage = back_stage();
  stage.opens();
  stage.receives(by_server({welcome(3), GameTime{1}, NegotiateFlags{}}));
  stage.receives(by_server({small_settings(), hash_of(small_world())}));
  for (int i = 0; i < 30; ++i)
    CHECK(stage.receives(by_server({WorldChunk{1000, 0, {}}})) == "sends MsgGetWorld offset=0\n");
  CHECK(lines(stage.receives(by_server({WorldChunk{1000, 0, {}}})), "says Refused") ==
        "says Refused text: \"the server\\'s world is incomplete or too large\"\n");
}

TEST_CASE("a server whose world never ends is given up before it takes much memory") {
  auto stage = back_stage();
  stage.opens();
  stage.receives(by_server({welcome(3), GameTime{1}, NegotiateFlags{}}));
  stage.receives(by_server({small_settings(), hash_of(small_world())}));
  const Buffer endless = by_server({WorldChunk{1000, 0, Buffer(kLargestPayload - 16)}});
  const std::size_t chunks = kLargestWorld / (kLargestPayload - 16);
  for (std::size_t i = 0; i < chunks; ++i) REQUIRE(lines(stage.receives(endless), "says Refused") == "");
  CHECK(lines(stage.receives(endless), "says Refused") ==
        "says Refused text: \"the server\\'s world is incomplete or too large\"\n");
}

TEST_CASE("an early Enter is sent when the world is complete, under a free name") {
  auto stage = back_stage();
  CHECK(stage.hears(anna()) == "");
  stage.opens();
  stage.receives(by_server({welcome(3), GameTime{1}, NegotiateFlags{}, PlayersAnswer{5, 1}, add_player(0, 1, "ANNA")}));
  const Buffer world = small_world();
  const std::string entered = stage.receives(by_server({small_settings(), hash_of(world), WorldChunk{0, 0, world}}));
  CHECK(lines(entered, "sends MsgEnter").find("callsign=\"anna 2\"") != std::string::npos);
  CHECK(lines(entered, "sends MsgEnter").find("team=1") != std::string::npos);
}

TEST_CASE("a change before the world is complete is a part of the Enter; other words before MsgAccept are counted") {
  auto stage = back_stage();
  stage.opens();
  stage.receives(by_server({welcome(3), GameTime{1}, NegotiateFlags{}}));
  stage.hears(anna());
  words::Change change;
  change.set_team(words::GREEN);
  change.set_name("anne");
  CHECK(stage.hears(change) == "");
  const Buffer world = small_world();
  const std::string entered = stage.receives(by_server({small_settings(), hash_of(world), WorldChunk{0, 0, world}}));
  CHECK(lines(entered, "sends MsgEnter").find("team=2 callsign=\"anne\"") != std::string::npos);
  words::Say say;
  say.set_text("hello");
  CHECK(stage.hears(say) == "loses Say: the player is not in the game\n");
  CHECK(stage.hears(change) == "loses Change: the player is not in the game\n");
}

TEST_CASE("a name or a motto that is too long for the server is cut with a mark") {
  auto stage = back_stage();
  load(stage);
  words::Enter enter = anna();
  enter.set_name(std::string(kLongestName + 1, 'a'));
  enter.set_motto(std::string(kLongestText + 1, 'm'));
  const std::string entered = lines(stage.hears(enter), "sends MsgEnter");
  CHECK(entered.find("callsign=\"" + std::string(kLongestName - 3, 'a') + "...\"") != std::string::npos);
  CHECK(entered.find("motto=\"" + std::string(kLongestText - 3, 'm') + "...\"") != std::string::npos);
}

TEST_CASE("after MsgAccept the room learns of the others, then of our player, then Ready") {
  auto stage = back_stage();
  load(stage);
  stage.hears(anna());
  const std::string in =
      stage.receives(by_server({Accept{player_id(3)}, add_player(5, 2, "ben"), add_player(3, 1, "anna")}));
  CHECK(in ==
        "says Player id: 101 name: \"ben\" team: GREEN responding: true\n"
        "says Unit id: 102 owner: 101 team: GREEN radius: 4.320000171661377 name: \"ben\"\n"
        "says Owns player: 101 units: 102 active: 102\n"
        "says Player id: 1 name: \"anna\" team: RED responding: true\n"
        "says Unit id: 103 owner: 1 team: RED radius: 4.320000171661377 name: \"anna\"\n"
        "says Owns player: 1 units: 103 active: 103\n"
        "says Ready\n");
}

TEST_CASE("a flag that a player carries already when we join has its carrier once the server has named that player") {
  auto stage = back_stage();
  load(stage);
  stage.hears(anna());
  NumberedFlag flag;
  flag.number = 2;
  flag.flag.flag = flag_kind("R*");
  flag.flag.status = 2;
  flag.flag.owner = player_id(5);
  stage.receives(by_server({Accept{player_id(3)}, FlagUpdate{{flag}}}));
  CHECK(lines(stage.receives(by_server({add_player(4, 2, "al")})), "says Token") == "");
  const std::string told = stage.receives(by_server({add_player(5, 2, "ben")}));
  CHECK(told.starts_with("says Player id: 103 name: \"ben\""));
  CHECK(told.ends_with("says Token id: 3 kind: TEAM_FLAG code: \"R*\" team: RED state: CARRIED carrier: 103\n"));
  CHECK(lines(stage.receives(by_server({add_player(3, 1, "anna")})), "says Token") == "");
  // A player who is announced again is a new one to the room.
  CHECK(stage.receives(by_server({add_player(5, 2, "bert")})).ends_with(" state: CARRIED carrier: 106\n"));
  flag.flag.status = 1;
  stage.receives(by_server({FlagUpdate{{flag}}}));
  CHECK(lines(stage.receives(by_server({add_player(5, 2, "ben")})), "says Token") == "");
}

TEST_CASE("a back that follows a client without a world, such as bzadmin, learns of the players") {
  for (const bool follows : {true, false}) {
    testing::BackStage stage(faces().back({kDialect24, {}, follows}), game(), kDialect24, wire::Way::kToServer);
    stage.opens();
    stage.receives(by_server({welcome(3)}));
    CHECK(stage.receives(by_server({Accept{player_id(3)}})) == "");  // nobody wanted to enter
    stage.hears(anna());
    const std::string said = stage.receives(by_server({Accept{player_id(3)}, add_player(3, 5, "anna")}));
    CHECK(said.ends_with("says Ready\n") == follows);
  }
}

TEST_CASE("the UDP link is requested until it is established, a few times at most") {
  auto stage = back_stage();
  stage.opens();
  stage.receives(by_server({welcome(3)}));
  CHECK(lines(stage.waits(core::kSecond), "sends") == "sends by datagram MsgUDPLinkRequest player=3\n");
  CHECK(lines(stage.receives(by_server({LinkAnswer{}}), Lane::kDatagram), "sends") ==
        "sends by datagram MsgUDPLinkEstablished\n");
  CHECK(stage.waits(5 * core::kSecond) == "");

  auto deaf = back_stage();
  deaf.opens();
  deaf.receives(by_server({welcome(3)}));
  const std::string tries = deaf.waits(60 * core::kSecond);
  CHECK(std::count(tries.begin(), tries.end(), '\n') == 4);
}

TEST_CASE("refusals, full servers, bans and kicks are passed on with their reason") {
  auto full = back_stage();
  full.opens();
  CHECK(lines(full.receives(by_server({welcome(255)})), "says") ==
        "says Refused code: FULL text: \"the server has no free slot\" may_retry: true\n");

  auto named = back_stage();
  load(named);
  named.hears(anna());
  Reject reject;
  reject.code = 7;
  reject.reason.set("The callsign specified is already in use.");
  CHECK(named.receives(by_server({reject, SuperKill{}})) ==
        "says Refused code: NAME_TAKEN text: \"The callsign specified is already in use.\" may_retry: true\n"
        "closes: The callsign specified is already in use.\n");

  auto banned = back_stage();
  banned.opens();
  const std::string words = "REFUSED:REFUSED: go away\x1b[37m (9 mins remaining)\x1b[32m";  // as bzfs 2.4.26 sends it
  CHECK(lines(banned.receives(as_bytes(words)), "says") ==
        "says Refused code: BANNED text: \"go away (9 mins remaining)\"\n");

  auto away = back_stage();
  away.opens();
  CHECK(lines(away.receives(as_bytes(std::string_view("REFUSED:the server is away; try again later\0", 44))), "says") ==
        "says Refused code: SERVER_GONE text: \"the server is away; try again later\"\n");
  auto silent = back_stage();
  silent.opens();
  CHECK(lines(silent.receives(as_bytes(std::string_view("\0\0sk", 4))), "says") ==
        "says Refused code: SERVER_GONE text: \"the server ended the session, and gave no reason\"\n");

  auto kicked = back_stage();
  come_in(kicked);
  Chat why;
  why.from = player_id(kServerId);
  why.to = player_id(3);
  why.text.chars = std::string("you were kicked: too fast") + '\0';
  CHECK(lines(kicked.receives(by_server({why, SuperKill{}})), "says Kicked") ==
        "says Kicked text: \"you were kicked: too fast\"\n");
  CHECK(kicked.closed());

  // bzfs 2.0 names the operator, then the reason; 2.4 does the same in other words.
  for (const char* line : {" reason given : be nice", "Reason given: be nice"}) {
    auto reasoned = back_stage();
    come_in(reasoned);
    Chat whom = why;
    whom.text.chars = std::string("You were kicked off the server by boss") + '\0';
    why.text.chars = std::string(line) + '\0';
    CHECK(lines(reasoned.receives(by_server({whom, why, SuperKill{}})), "says Kicked") ==
          "says Kicked text: \"be nice\"\n");
  }
  // The welcome text of bzfs is not a reason.
  why.text.chars = std::string("BZFlag server 2.4.26, http://BZFlag.org/") + '\0';
  auto welcomed = back_stage();
  come_in(welcomed);
  welcomed.receives(by_server({why}));
  welcomed.waits(core::kSecond);
  CHECK(lines(welcomed.receives(by_server({SuperKill{}})), "says Kicked") ==
        "says Kicked text: \"the server ended the session\"\n");
  auto stale = back_stage();
  come_in(stale);
  stale.receives(by_server({why}));
  stale.waits(4 * core::kSecond);
  CHECK(lines(stale.receives(by_server({SuperKill{}})), "says Kicked") ==
        "says Kicked text: \"the server ended the session\"\n");

  // An Entente server that stops is treated as gone, and the player may wait for it. A kick remains a kick.
  for (const auto& [line, waits] : {std::pair{"proxy stopped", true}, {"you were kicked", false}}) {
    auto stopped = back_stage();
    stopped.hold();
    come_in(stopped);
    why.text.chars = std::string(line) + '\0';
    const std::string all = stopped.receives(by_server({why, SuperKill{}}));
    CHECK(lines(all, "says Kicked").empty() == waits);
    CHECK(lines(all, "waits").empty() != waits);
  }

  auto gone = back_stage();
  gone.opens();
  CHECK(gone.ends("connection refused") == "says Refused code: SERVER_GONE text: \"connection refused\"\n");
}

TEST_CASE("a player whom a full server made an observer waits for a seat, if the room allows it") {
  const auto enters = [](testing::BackStage& stage, words::Role role) {
    words::Enter enter = anna();
    enter.set_role(role);
    load(stage);
    stage.hears(enter);
    return stage.receives(by_server({Accept{player_id(3)}, add_player(5, 2, "ben"), add_player(3, 5, "anna")}));
  };
  auto holds = back_stage();
  holds.hold();
  const std::string said = enters(holds, words::PLAY);
  CHECK(lines(said, "waits") == "waits for a seat: the server has only observers' seats left\n");
  CHECK(lines(said, "says Ready").empty());
  CHECK(holds.receives(by_server({add_player(6, 2, "cleo")})).empty());

  auto ends = back_stage();
  CHECK(lines(enters(ends, words::PLAY), "says Ready") == "says Ready\n");
  auto watches = back_stage();
  watches.hold();
  CHECK(lines(enters(watches, words::WATCH), "says Ready") == "says Ready\n");
}

TEST_CASE("a server that breaks the protocol is disconnected; an unknown code is dropped") {
  const Buffer good = by_server({welcome(3), GameTime{1}, NegotiateFlags{}, small_settings()});
  auto slow = back_stage();
  slow.opens();
  CHECK(lines(slow.receives_slowly(good), "sends Msg").find("MsgWantWHash") != std::string::npos);

  auto wrong = back_stage();
  wrong.opens();
  CHECK(wrong.receives(as_bytes("HTTP/1.1 400 Bad Request\r\n")).starts_with("cannot be cut: wrong greeting"));
  auto torn = back_stage();
  load(torn);
  CHECK(torn.receives(Bytes(Buffer{0, 2, 0x61, 0x6c, 1, 2})).starts_with("fails: message too short"));
  auto strange = back_stage();
  load(strange);
  CHECK(strange.receives(Bytes(Buffer{0, 0, 0x12, 0x34})) ==
        "loses a message: no known version of BZFlag has this code\n");
}

TEST_CASE("our back leaves with MsgExit") {
  auto stage = back_stage();
  come_in(stage);
  CHECK(stage.session_ends("the room ends") == "sends MsgExit\ncloses: the room ends\n");
}

}  // namespace
}  // namespace entente::bzflag::back_join_test
