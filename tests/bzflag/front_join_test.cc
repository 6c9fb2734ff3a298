// How a stock client joins our front: what it is sent, and in which order.
#include "tests/bzflag/front_stage.h"

namespace entente::bzflag::front_join_test {
namespace {

const std::string kHeader = "BZFLAG\r\n\r\n";

TEST_CASE("a client's header is answered with the greeting; its first message that is no query asks for the world") {
  auto stage = front_stage();
  CHECK(stage.opens() == "");
  CHECK(stage.receives_slowly(as_bytes(kHeader)) ==
        "sends Welcome version=\"0221\" id=0\nsends MsgGameTime microseconds=0\n");
  CHECK(stage.receives(by_client({NegotiateFlags{}})) == "says WantWorld\nsends MsgNegotiateFlags flags=[]\n");
  CHECK(stage.receives(by_client({NegotiateFlags{}})) == "sends MsgNegotiateFlags flags=[]\n");
}

TEST_CASE("queries are answered from what the room knows, in the order of bzfs, and ask for no world") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  words::Room room = room_of("bzflag");
  room.set_most_shots(5);
  room.set_most_players(30);
  stage.hears(room);
  for (const core::Fact& fact : std::initializer_list<core::Fact>{player(2, "ben", words::GREEN),
                                                                  player(3, "cara", words::TEAM_ANY, words::WATCH),
                                                                  player(4, "dodo", words::TEAM_ANY, words::ROBOT)})
    stage.hears(fact);
  std::string game = stage.receives(by_client({QueryGame{}}));
  game += stage.waits(core::kMillisecond);
  CHECK_MESSAGE(
      lines(game, "sends MsgQueryGame")
          .starts_with(
              "sends MsgQueryGame game_type=0 options=0 max_players=30 max_shots=5 sizes=(1 0 1 0 0) observers=1 "),
      game);
  std::string all = stage.receives(by_client({QueryPlayers{}}));
  all += stage.waits(core::kMillisecond);
  CHECK_MESSAGE(lines(all, "sends MsgQueryPlayers") == "sends MsgQueryPlayers teams=5 players=3\n", all);
  const std::size_t teams = all.find("sends MsgTeamUpdate"), first = all.find("sends MsgAddPlayer");
  REQUIRE(first != std::string::npos);
  CHECK(all.find("sends MsgQueryPlayers") < teams);
  CHECK(teams < first);
  const std::string added = lines(all, "sends MsgAddPlayer");
  CHECK(std::count(added.begin(), added.end(), '\n') == 3);
  for (const char* name : {"ben", "cara", "dodo"})
    CHECK(all.find("\"" + std::string(name) + "\"") != std::string::npos);
  CHECK(lines(game + all, "says WantWorld") == "");
}

TEST_CASE("the answer to a query has at most as many players as a game of BZFlag") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  stage.hears(room_of("bzflag"));
  for (core::Id id = 2; id < 2U + 2U * kMostPlayers; ++id)
    stage.hears(player(id, "p" + std::to_string(id), words::GREEN));
  std::string all = stage.receives(by_client({QueryPlayers{}}));
  all += stage.waits(core::kMillisecond);
  const std::string added = lines(all, "sends MsgAddPlayer");
  CHECK(std::count(added.begin(), added.end(), '\n') == kMostPlayers);
}

TEST_CASE("a client that plays and asks gets the players by the numbers that it knows them by") {
  auto stage = front_stage();
  come_in(stage, true);
  // The world's order is by id: cara before dodo. The numbers are given in the order in which they come.
  std::string joined = stage.hears(player(4, "dodo", words::GREEN));
  joined += stage.hears(player(3, "cara", words::GREEN));
  std::string answer = stage.receives(by_client({QueryPlayers{}}));
  answer += stage.waits(core::kMillisecond);
  CHECK(std::count(answer.begin(), answer.end(), '\n') >= 6);
  for (const char* name : {"cara", "dodo"}) {
    const auto number = [name](const std::string& all) {
      const std::size_t end = all.find("\"" + std::string(name) + "\""),
                        begin = all.rfind("sends MsgAddPlayer id=", end);
      REQUIRE(end != std::string::npos);
      return all.substr(begin, all.find(' ', begin + 19) - begin);
    };
    CHECK(number(joined) == number(answer));
  }
}

TEST_CASE("two clients of one address get different ids, derived from their ports") {
  for (const auto& [address, id] : {std::pair{"10.0.0.7:40011", "id=11\n"}, std::pair{"10.0.0.7:40012", "id=12\n"}}) {
    auto stage = front_stage();
    stage.opens({address, 0, ""});
    CHECK(lines(stage.receives(as_bytes(kHeader)), "sends Welcome") ==
          "sends Welcome version=\"0221\" " + std::string(id));
  }
}

TEST_CASE("a client that sends no header within 2.5 seconds gets the version and is disconnected") {
  auto stage = front_stage();
  stage.opens();
  CHECK(stage.waits(2'499 * core::kMillisecond) == "");
  CHECK(stage.waits(core::kMillisecond) == "sends TooLate version=\"0221\"\ncloses: the client sent no header\n");
}

TEST_CASE("settings and world are sent once the room has them, and the hash is that of the world sent") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  CHECK(stage.receives(by_client({NegotiateFlags{}, WantSettings{}})) ==
        "says WantWorld\nsends MsgNegotiateFlags flags=[]\n");
  CHECK(stage.hears(room_of("panic")) == "");
  CHECK(stage.hears(tiles_2x2()) ==
        "sends MsgGameSettings world_size=100 game_type=0 options=0 max_players=216 max_shots=20 max_flags=512 "
        "linear_acceleration=0 angular_acceleration=0 shake_timeout=0 shake_wins=0 sync_time=0\n");
  const Buffer database = database_of(tiles_2x2(), 0).bytes;
  CHECK(stage.receives(by_client({WantWorldHash{}})) ==
        "sends MsgWantWHash hash=\"" + world_hash(database, WorldSource::kRandom) + "\"\n");
  CHECK(stage.receives(by_client({GetWorld{}})).starts_with("sends MsgGetWorld left=0 data="));
}

TEST_CASE("a client waits for a late world, and is refused with the reason if it does not come") {
  for (const bool comes : {true, false}) {
    CAPTURE(comes);
    auto stage = front_stage();
    stage.opens();
    stage.receives(as_bytes(kHeader));
    stage.receives(by_client({WantSettings{}}));
    CHECK(stage.waits(9 * core::kSecond) == "");
    const std::string signs = stage.waits(14 * core::kSecond);
    CHECK(std::count(signs.begin(), signs.end(), '\n') == 3);
    CHECK(lines(signs, "sends MsgGameTime microseconds=") == signs);
    stage.waits(36 * core::kSecond);
    if (comes) {
      stage.hears(room_of("bzflag"));
      CHECK(stage.hears(tiles_2x2()).starts_with("sends MsgGameSettings world_size=100 "));
    } else {
      const std::string end = stage.waits(2 * core::kSecond);
      CHECK(end.starts_with("sends MsgReject code=0 reason=\"the server did not send its map in time"));
      CHECK(end.ends_with("sends MsgSuperKill\ncloses: the server did not send its map in time\n"));
    }
  }
}

TEST_CASE("a client that is too early for a broadcast is told when it begins, before it has loaded anything") {
  words::Rule begins;
  begins.set_name("begins_us");
  begins.set_value(std::to_string(600 * core::kSecond));
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  stage.receives(by_client({WantSettings{}}));
  stage.hears(begins);
  const std::string end = stage.waits(core::kSecond);
  CHECK(end.starts_with("sends MsgReject code=0 reason=\"the broadcast begins in 10:00; try again then"));
  CHECK(lines(end, "closes") == "closes: the broadcast begins in 10:00; try again then\n");
}

TEST_CASE("a world that comes slowly is waited for as long as parts of it come") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  stage.receives(by_client({WantSettings{}}));
  for (int part = 0; part < 4; ++part) {
    CHECK(lines(stage.waits(50 * core::kSecond), "closes") == "");
    stage.hears(words::WorldProgress());
  }
  CHECK(lines(stage.waits(59 * core::kSecond), "closes") == "");
  CHECK(lines(stage.waits(2 * core::kSecond), "closes") == "closes: the server did not send its map in time\n");
}

TEST_CASE("where a server tells its world only to enough players, a client gets an open field, and is told so") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  stage.receives(by_client({WantSettings{}}));
  stage.hears(words::Waiting());
  CHECK(stage.waits(9 * core::kSecond) == "");
  CHECK(stage.waits(2 * core::kSecond)
            .starts_with("loses World: it is not known yet; the client gets an open field\n"
                         "sends MsgGameSettings world_size=800 "));
  std::string in = stage.receives(by_client({enter_as("anna")}));
  in += stage.waits(core::kSecond);
  CHECK(lines(in, "sends MsgMessage") ==
        "sends MsgMessage from=253 to=0 kind=0 text=\"waiting for the game to begin\"\n"
        "sends MsgMessage from=253 to=0 kind=0 text=\"The server has not told its map yet: you see an open field. Join "
        "again to see it.\"\n");
  CHECK(stage.hears(words::World()).find("The server has another map now") != std::string::npos);
}

TEST_CASE("tiles become boxes: walls stop everything, water stops tanks, foliage stops shots") {
  const Buffer database = database_of(tiles_2x2(), 0).bytes;
  const auto world = read_world(database, 0);
  REQUIRE(world.ok());
  const auto& group = std::get<GroupWorld>(*world).world;
  REQUIRE(group.boxes.size() == 3);
  CHECK(group.walls.size() == 4);
  CHECK(group.boxes[0].pos == Vec3{-25, 25, 0});
  CHECK(group.boxes[0].size == Vec3{25, 25, 9.42F});
  CHECK(group.boxes[0].bits == 0);
  CHECK(group.boxes[1].pos == Vec3{25, 25, 0});
  CHECK(group.boxes[1].size[2] == 1.0F);
  CHECK(group.boxes[1].bits == 0);
  CHECK(group.boxes[2].pos == Vec3{-25, -25, 0});
  CHECK(group.boxes[2].bits == 1);

  words::World lane = tiles_2x2();
  lane.set_columns(4);
  lane.set_rows(2);
  lane.set_tiles(std::string("\0\0\0\3\0\0\0\3", 8));
  const auto merged = read_world(database_of(lane, 0).bytes, 0);
  REQUIRE(merged.ok());
  CHECK(std::get<GroupWorld>(*merged).world.boxes.size() == 1);
}

TEST_CASE(
    "a player joins when the room is ready, and gets variables, teams, flags, the others and itself, in this order") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  furnish(stage, true);
  stage.hears(rule("BZFLAG._tankSpeed", "30"));
  stage.hears(rule("reload", "2"));
  CHECK(stage.receives(by_client({enter_as("anna")})) ==
        "says WantWorld\nsays Enter name: \"anna\" team: RED claims_deaths: true\n");
  words::Token flag;
  flag.set_id(1);
  flag.set_state(words::Token::GROUND);
  for (const core::Fact& fact :
       std::initializer_list<core::Fact>{flag, player(2, "ben", words::GREEN), tank(12, 2, true, 20), owns(2, {12}),
                                         player(1, "anna", words::RED), tank(11, 1, false), owns(1, {11})})
    CHECK(stage.hears(fact) == "");
  const std::string in = stage.hears(words::Ready());
  CHECK(lines(in, "sends MsgAccept") + lines(in, "sends MsgSetVar") ==
        "sends MsgAccept id=0\n"
        "sends MsgSetVar variables=[{name=\"_tankSpeed\" value=\"30\"} {name=\"_reloadTime\" value=\"2\"}]\n");
  const auto place = [&](const char* what) {
    INFO(in);
    CHECK(in.find(what) != std::string::npos);
    return in.find(what);
  };
  CHECK(place("MsgAccept") < place("MsgSetVar"));
  CHECK(place("MsgSetVar") < place("MsgTeamUpdate"));
  CHECK(place("MsgTeamUpdate") < place("MsgFlagUpdate"));
  CHECK(place("MsgFlagUpdate") < place("MsgAddPlayer id=1 type=0 team=2"));
  CHECK(place("MsgAddPlayer id=1 type=0 team=2") < place("MsgAlive player=1"));
  CHECK(place("MsgAlive player=1") < place("MsgAddPlayer id=0 type=0 team=1"));
}

TEST_CASE("a client that joins sees who carries a flag: it gives the tanks their flags when it is told of itself") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  furnish(stage, true);
  stage.receives(by_client({enter_as("anna")}));
  words::Token lying;
  lying.set_id(71);
  lying.set_state(words::Token::GROUND);
  for (const core::Fact& fact : std::initializer_list<core::Fact>{
           carried_by(2), lying, player(2, "ben", words::GREEN), tank(12, 2, true, 20), owns(2, {12}),
           player(1, "anna", words::RED), tank(11, 1, false), owns(1, {11})})
    stage.hears(fact);
  const std::string in = stage.hears(words::Ready());
  INFO(in);
  const std::size_t of_ben =
      in.find("sends MsgFlagUpdate flags=[{number=0 record={kind=\"R*\" status=2 endurance=0 owner=1 ");
  REQUIRE(of_ben != std::string::npos);
  CHECK(in.find("sends MsgAddPlayer id=1 ") < of_ben);
  CHECK(of_ben < in.find("sends MsgAddPlayer id=0 "));
  CHECK(in.find("sends MsgFlagUpdate flags=[{number=1 ") < in.find("sends MsgAddPlayer id=1 "));
  CHECK(lines(in, "sends MsgGrabFlag") == "");  // would be news
}

TEST_CASE("a client that joins a rabbit chase is told who the rabbit is") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  furnish(stage, true);
  stage.receives(by_client({enter_as("anna")}));
  for (const core::Fact& fact : std::initializer_list<core::Fact>{
           player(2, "ben", words::RABBIT), tank(12, 2, true, 20), owns(2, {12}), player(1, "anna", words::HUNTER)})
    stage.hears(fact);
  const std::string in = stage.hears(words::Ready());
  CHECK(lines(in, "sends MsgNewRabbit") == "sends MsgNewRabbit player=1\n");
  CHECK(in.find("sends MsgNewRabbit") > in.find("sends MsgAddPlayer id=0 "));
  // Announced again, because of its new name.
  CHECK(lines(stage.hears(player(2, "bert", words::RABBIT)), "sends MsgNewRabbit") == "sends MsgNewRabbit player=1\n");
  CHECK(lines(stage.hears(player(3, "cleo", words::HUNTER)), "sends MsgNewRabbit") == "");
}

TEST_CASE("a client that joins late gets the rest of the round's time after everything else") {
  for (const bool another : {false, true}) {
    auto stage = front_stage();
    stage.opens();
    stage.receives(as_bytes(kHeader));
    furnish(stage, true);
    words::Round round;
    round.set_left_s(60);
    round.set_another(another);
    stage.hears(round);
    stage.waits(5 * core::kSecond);
    stage.receives(by_client({NegotiateFlags{}, WantSettings{}, WantWorldHash{}, enter_as("anna")}));
    stage.hears(player(1, "anna", words::RED));
    const std::string said = stage.hears(words::Ready());
    CHECK(lines(said, "sends MsgTimeUpdate") == "sends MsgTimeUpdate seconds=55\n");
    CHECK(said.find("MsgTimeUpdate") > said.find("MsgAddPlayer"));
  }
}

TEST_CASE("bzadmin enters without asking for the world, gets its own ping back, and leaves") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  furnish(stage, false);
  CHECK(stage.receives(by_client({enter_as("admin", kObserverTeam)})) ==
        "says WantWorld\nsays Enter name: \"admin\" role: WATCH claims_deaths: true\n");
  stage.hears(player(1, "admin", words::TEAM_ANY, words::WATCH));
  CHECK(lines(stage.hears(words::Ready()), "sends MsgAddPlayer").starts_with("sends MsgAddPlayer id=0 type=0 team=5"));
  ChatRequest ping;
  ping.to = player_id(0);
  ping.text.chars = "bzadminping";
  CHECK(stage.receives(by_client({ping})) == "sends MsgMessage from=0 to=0 kind=0 text=\"bzadminping\"\n");
  CHECK(stage.receives(by_client({Exit{}})) == "says Leave\ncloses: the client left\n");
}

TEST_CASE("in a room that is ready, a client joins once its player is known; a refused spawn is explained") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  furnish(stage, true);
  stage.hears(player(2, "ben", words::GREEN));
  stage.hears(words::Ready());
  CHECK(lines(stage.receives(by_client({enter_as("anna")})), "sends") == "");
  CHECK(stage.hears(player(1, "anna", words::TEAM_ANY, words::WATCH)) == "");
  const std::string in = stage.hears(core::Fact(1, words::Ready()));
  CHECK(lines(in, "sends MsgAddPlayer id=0").starts_with("sends MsgAddPlayer id=0 type=0 team=5"));
  CHECK(stage.receives(by_client({AliveRequest{}})) == "says Spawn\n");
  words::ClaimRefused refused;
  refused.set_why("only to be watched");
  CHECK(stage.hears(core::Fact(1, refused)) == "sends MsgMessage from=253 to=0 kind=0 text=\"only to be watched\"\n");
}

TEST_CASE("in a room that is ready, a client whose player is known late joins at once") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  furnish(stage, true);
  stage.hears(words::Ready());
  std::string all = stage.receives(by_client({NegotiateFlags{}, WantSettings{}, WantWorldHash{}, enter_as("anna")}));
  all += stage.waits(core::kSecond);
  CHECK(lines(all, "sends MsgAccept") == "");
  all = stage.hears(player(1, "anna", words::RED));
  all += stage.waits(core::kMillisecond);
  CHECK(lines(all, "sends MsgAccept") != "");
}

TEST_CASE("a client that asks to enter once the wait is over joins when its player is known, and may be refused until then") {
  for (const bool refuses : {false, true}) {
    auto stage = front_stage();
    stage.opens();
    stage.receives(as_bytes(kHeader));
    stage.hears(words::Waiting());
    furnish(stage, true);
    stage.hears(words::Ready());
    std::string in = stage.receives(by_client({enter_as("anna")}));
    in += stage.waits(core::kSecond);
    CHECK(lines(in, "sends MsgAccept") == "");
    words::Refused no;
    no.set_text("full");
    in = refuses ? stage.hears(no) : stage.hears(player(1, "anna", words::RED));
    in += stage.waits(core::kMillisecond);
    CHECK(lines(in, "sends MsgAccept").empty() == refuses);
    CHECK(lines(in, "sends MsgReject").empty() != refuses);
    CHECK(lines(in, "sends MsgMessage").find("waiting for") == std::string::npos);
  }
}

TEST_CASE("a client that waits for other players has joined, and gets a message that says so") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  furnish(stage, false);
  stage.receives(by_client({enter_as("anna")}));
  words::Waiting waiting;
  waiting.set_have(1);
  waiting.set_need(4);
  const std::string in = stage.hears(waiting);
  CHECK(lines(in, "sends MsgAddPlayer").starts_with("sends MsgAddPlayer id=0 type=0 team=1"));
  CHECK(lines(in, "sends MsgMessage") ==
        "sends MsgMessage from=253 to=0 kind=0 text=\"waiting for players: 1 of 4\"\n");
}

TEST_CASE("refused and kicked clients get MsgSuperKill before the connection is closed") {
  auto refused = front_stage();
  refused.opens();
  refused.receives(as_bytes(kHeader));
  refused.receives(by_client({enter_as("anna")}));
  words::Refused why;
  why.set_code(words::Refused::NAME_TAKEN);
  why.set_text("taken");
  const std::string out = refused.hears(why);
  CHECK(lines(out, "sends MsgReject").starts_with("sends MsgReject code=7 reason=\"taken"));
  CHECK(out.ends_with("sends MsgSuperKill\ncloses: taken\n"));

  auto ungreeted = front_stage();
  ungreeted.opens();
  const std::string instead = ungreeted.hears(why);
  CHECK(instead.starts_with("sends Refused reason=\"taken; try again later"));
  CHECK(instead.ends_with("\ncloses: taken\n"));
  why.set_code(words::Refused::BANNED);
  auto banned = front_stage();
  banned.opens();
  CHECK(banned.hears(why).find("later") == std::string::npos);  // who reads it takes it for a ban

  auto loading = front_stage();
  loading.opens();
  loading.receives(as_bytes(kHeader));
  const std::string ended = loading.session_ends("the server is gone");
  CHECK(lines(ended, "sends MsgReject").starts_with("sends MsgReject code=0 reason=\"the server is gone"));
  CHECK(ended.ends_with("sends MsgSuperKill\ncloses: the server is gone\n"));

  auto kicked = front_stage();
  come_in(kicked, false);
  words::Kicked bad;
  bad.set_text("too loud");
  CHECK(kicked.hears(bad) ==
        "sends MsgMessage from=253 to=0 kind=0 text=\"too loud\"\nsends MsgSuperKill\ncloses: too loud\n");

  auto parted = front_stage();
  come_in(parted, false);
  CHECK(parted.session_ends("the server is gone").ends_with("sends MsgSuperKill\ncloses: the server is gone\n"));
}

TEST_CASE("a link request by datagram is answered by stream and by datagram") {
  auto stage = front_stage();
  stage.opens();
  stage.receives(as_bytes(kHeader));
  CHECK(stage.receives(by_client({LinkRequest{0}}), Lane::kDatagram) ==
        "says WantWorld\nsends MsgUDPLinkEstablished\nsends by datagram MsgUDPLinkRequest\n");
  CHECK(stage.receives(by_client({LinkRequest{7}}), Lane::kDatagram) == "");
  CHECK(stage.receives(by_client({LinkEstablished{}}), Lane::kDatagram) == "");
}

TEST_CASE("a client that breaks the protocol is disconnected") {
  auto stage = front_stage();
  stage.opens();
  CHECK(stage.receives(as_bytes("GET / HTTP")) == "cannot be cut: wrong greeting header\n");
  auto torn = front_stage();
  torn.opens();
  torn.receives(as_bytes(kHeader));
  const std::string out = torn.receives(Bytes(Buffer{0, 1, 0x65, 0x6e, 7}));
  CHECK(out.find("forbid: message too short in type") != std::string::npos);
  CHECK(out.ends_with("sends MsgSuperKill\nfails: message too short type 4\n"));
}

TEST_CASE("a player who was there before the client, and has its name, is shown under another one") {
  const auto join = [](const std::string& named) {  // the room's name for the client's player
    auto stage = front_stage();
    stage.opens();
    stage.receives(as_bytes(kHeader));
    furnish(stage, true);
    stage.hears(player(2, "anna", words::GREEN));
    stage.hears(words::Ready());
    std::string in = stage.receives(by_client({NegotiateFlags{}, WantSettings{}, WantWorldHash{}, enter_as("anna")}));
    in += stage.hears(player(1, named, words::RED));
    in += stage.waits(core::kMillisecond);
    return lines(in, "sends MsgAddPlayer");
  };
  const std::string same = join("anna");
  CHECK_MESSAGE(same.find("sends MsgAddPlayer id=1 ") < same.find(" callsign=\"anna 2\" "), same);
  CHECK(same.find(" callsign=\"anna 2\" ") < same.find("sends MsgAddPlayer id=0 "));
  CHECK(same.find("sends MsgAddPlayer id=0 ") < same.find(" callsign=\"anna\" "));
  CHECK(same.find(" callsign=\"anna\" ") != std::string::npos);
  const std::string other = join("anna 2");
  CHECK_MESSAGE(other.find(" callsign=\"anna\" ") < other.find(" callsign=\"anna 2\" "), other);
}

}  // namespace
}  // namespace entente::bzflag::front_join_test
