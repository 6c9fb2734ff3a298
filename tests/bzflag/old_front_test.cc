// How clients of older dialects join our front and play: what they are sent, in which order and in which encoding.
#include "tests/bzflag/front_stage.h"

namespace entente::bzflag::old_front_test {
namespace {

/// A room of BZFlag that knows its world.
void furnish(testing::FrontStage& stage) { bzflag::furnish(stage, true); }

/// Announces ben, then anna (the client's player), then Ready. Returns what the front does.
std::string come_to_be(testing::FrontStage& stage) {
  std::string all;
  for (const core::Fact& fact : std::initializer_list<core::Fact>{player(2, "ben", words::GREEN), tank(12, 2, true, 20),
                                                                  owns(2, {12}), player(1, "anna", words::RED),
                                                                  tank(11, 1, false), owns(1, {11}), words::Ready()})
    all += stage.hears(fact);
  return all;
}

testing::FrontStage in_play(std::size_t dialect) {
  auto stage = front_stage(dialect);
  stage.opens();
  if (kDialects[dialect].header == Header::kOptional) stage.receives(as_bytes(kHeaderWord));
  furnish(stage);
  stage.receives(by_client({NegotiateFlags{}, WantWorldHash{}, enter_as("anna")}, dialect));
  come_to_be(stage);
  stage.hears(spawned(11, 0, 0));
  return stage;
}

std::size_t lines_of(const std::string& play, std::string_view start) {
  const std::string found = lines(play, start);
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), '\n'));
}

/// The times of updates of a tank that moves for 5 s, after the client has played for so long.
std::vector<double> times_after(core::Micros age, std::size_t dialect) {
  auto stage = in_play(dialect);
  stage.ages(age);
  std::string all;
  for (int i = 1; i <= 50; ++i) {
    all += stage.hears(pose(12, 20 + i * 0.1, 0, 25));
    stage.waits(100 * core::kMillisecond);
  }
  return numbers_after(all, " time=");
}

TEST_CASE("the clock of updates does not step for three days in 2.0: 2.0.0 and 2.0.2 would discard them for hours") {
  constexpr core::Micros kTurn = 16'384 * core::kSecond, kBefore = 2 * core::kSecond;
  for (const core::Micros age : {kTurn - kBefore, 2 * kTurn - kBefore, 15 * kTurn - kBefore}) {
    const std::vector<double> times = times_after(age, kDialect20);
    REQUIRE(times.size() == 50);
    for (std::size_t i = 1; i < times.size(); ++i) CHECK(std::abs(times[i] - times[i - 1] - 0.1) < 0.033);
    const std::vector<double> older = times_after(age, kDialect110);
    CHECK(!std::is_sorted(older.begin(), older.end()));
  }
}

// -- Greetings --------------------------------------------------------------------------------------------------------

TEST_CASE("clients of 2.0 and 1.10 are greeted first; 2.0 also gets the time at once") {
  auto stage = front_stage(kDialect20);
  CHECK(stage.opens() == "sends Welcome version=\"0026\" id=0\nsends MsgGameTime microseconds=0\n");
  auto older = front_stage(kDialect110);
  CHECK(older.opens() == "sends Welcome version=\"1910\" id=0\n");
}

TEST_CASE("a client of the page is greeted once: after its header, its first message or half a second") {
  const std::string greeting = "sends Welcome version=\"1910\" id=0\n";
  auto stage = front_stage(kDialectWiki);
  CHECK(stage.opens() == "");
  CHECK(stage.receives_slowly(as_bytes(kHeaderWord)) == greeting);
  auto without = front_stage(kDialectWiki);
  without.opens();
  CHECK(without.receives(by_client({NegotiateFlags{}}, kDialectWiki)) ==
        greeting + "says WantWorld\nsends MsgNegotiateFlags flags=[]\n");
  auto waiting = front_stage(kDialectWiki);
  waiting.opens();
  CHECK(waiting.waits(499 * core::kMillisecond) == "");
  CHECK(waiting.waits(core::kMillisecond) == greeting);
  CHECK(waiting.receives(as_bytes(kHeaderWord)) == "");
}

TEST_CASE("in 2.0 the game type is part of the options") {
  auto stage = front_stage(kDialect20);
  stage.opens();
  auto room = room_of("bzflag");
  room.set_mode("rabbit chase");
  room.set_jumping(true);
  stage.hears(room);
  stage.hears(tiles_2x2());
  CHECK(stage.receives_slowly(by_client({NegotiateFlags{}, WantSettings{}}, kDialect20)) ==
        "says WantWorld\nsends MsgNegotiateFlags flags=[]\n"
        "sends MsgGameSettings world_size=100 options=520 max_players=216 max_shots=2 max_flags=512 "
        "linear_acceleration=0 angular_acceleration=0 shake_timeout=0 shake_wins=0 sync_time=0\n");
}

TEST_CASE("older worlds are records with the settings in their header, and the hash is that of the records") {
  for (const std::size_t dialect : {kDialect110, kDialectWiki}) {
    auto stage = front_stage(dialect);
    stage.opens();
    stage.receives(as_bytes(dialect == kDialectWiki ? kHeaderWord : std::string_view()));
    furnish(stage);
    GameSettings settings;
    settings.world_size = 100;
    settings.max_players = 216;
    settings.max_shots = 2;
    settings.max_flags = 4;
    const Buffer database = database_of(tiles_2x2(), dialect, settings).bytes;
    CHECK(stage.receives_slowly(by_client({WantWorldHash{}}, dialect)) ==
          "says WantWorld\nsends MsgWantWHash hash=\"" + world_hash(database, WorldSource::kRandom) + "\"\n");
    CHECK(stage.receives_slowly(by_client({GetWorld{}}, dialect)).starts_with("sends MsgGetWorld left=0 data="));
    const auto world = read_world(database, dialect);
    REQUIRE(world.ok());
    const auto& records = std::get<RecordWorld>(*world);
    CHECK(settings_of(records).max_flags == 4);
    CHECK(settings_of(records).max_shots == 2);
    CHECK(groups_of(records).world.boxes.size() == 3);
    CHECK(groups_of(records).world.walls.size() == 4);
  }
}

TEST_CASE(
    "a 1.10 client, which gives up after five seconds of silence, is answered without a world until there is one") {
  for (const std::size_t dialect : {kDialect110, kDialectWiki}) {
    CAPTURE(dialect);
    auto stage = front_stage(dialect);
    stage.opens();
    stage.receives(as_bytes(dialect == kDialectWiki ? kHeaderWord : std::string_view()));
    stage.receives(by_client({WantWorldHash{}}, dialect));
    CHECK(stage.waits(3'900 * core::kMillisecond) == "");
    CHECK(stage.waits(200 * core::kMillisecond).starts_with("sends MsgWantWHash hash=\"t"));
    for (int i = 0; i < 3; ++i) {
      stage.receives(by_client({GetWorld{}}, dialect));
      CHECK(stage.waits(3'900 * core::kMillisecond) == "");
      const std::string empty = stage.waits(200 * core::kMillisecond);
      CHECK(empty == (dialect == kDialectWiki ? "sends MsgGetWorld left=60000 data=<0 bytes>\n"
                                              : "sends MsgGetWorld left=262144 data=<0 bytes>\n"));
    }
    stage.receives(by_client({GetWorld{}}, dialect));
    stage.hears(room_of("panic"));
    const std::string whole = stage.hears(tiles_2x2());  // the answer to the last request
    CHECK(whole.starts_with("sends MsgGetWorld left=0 data="));
    CHECK(whole.size() > std::string_view("sends MsgGetWorld left=0 data=<0 bytes>").size());
  }
}

TEST_CASE("a 1.10 client that was promised a world of some size is sent no larger one; what does not fit is counted") {
  for (const std::size_t dialect : {kDialect110, kDialectWiki}) {
    CAPTURE(dialect);
    auto stage = front_stage(dialect);
    stage.opens();
    stage.receives(as_bytes(dialect == kDialectWiki ? kHeaderWord : std::string_view()));
    stage.receives(by_client({WantWorldHash{}}, dialect));
    stage.waits(5 * core::kSecond);
    stage.receives(by_client({GetWorld{}}, dialect));
    const std::string promise = stage.waits(5 * core::kSecond);
    const auto promised = numbers_after(promise, "sends MsgGetWorld left=");
    REQUIRE(promised.size() == 1);
    words::World large;
    large.set_kind(words::World::SOLIDS);
    core::set_sides(large, 800, 800);
    for (int i = 0; i < 15'000; ++i) {
      words::Solid& solid = *large.add_solids();
      solid.set_x(i % 100 * 7 - 350);
      solid.set_y(i / 100 * 4 - 300);
      solid.set_half_x(1);
      solid.set_half_y(1);
      solid.set_height(5);
    }
    stage.hears(room_of("panic"));
    const std::string said =
        stage.hears(large) + stage.receives_slowly(by_client({GetWorld{}}, dialect)) + stage.waits(core::kSecond);
    CHECK(said.find("loses ") != std::string::npos);
    const std::string asked = stage.receives_slowly(by_client({GetWorld{}}, dialect));
    const auto left = numbers_after(asked, "sends MsgGetWorld left="), data = numbers_after(asked, "data=<");
    REQUIRE(left.size() == 1);
    REQUIRE(data.size() == 1);
    CHECK(left[0] + data[0] > promised[0] / 2);
    CHECK(left[0] + data[0] <= promised[0]);
  }
}

TEST_CASE("until it has joined, a 1.10 client is sent only what it waits for") {
  auto stage = front_stage(kDialect110);
  stage.opens();
  furnish(stage);
  stage.receives(by_client({NegotiateFlags{}, WantWorldHash{}, enter_as("anna")}, kDialect110));
  stage.hears(carried_by(2));
  const std::string in = come_to_be(stage);
  const std::size_t self = in.find("sends MsgAddPlayer id=0"), spawn = in.find("sends MsgAlive player=1");
  INFO(in);
  REQUIRE(self != std::string::npos);
  REQUIRE(spawn != std::string::npos);
  CHECK(self < spawn);  // ben was in play already
  CHECK(in.find("sends MsgAddPlayer id=1") < self);
  CHECK(in.find("sends MsgLagPing") > self);
  CHECK(in.find(" owner=1 ") < self);  // ben's flag
  CHECK(in.starts_with("sends MsgAccept id=0\nsends MsgTeamUpdate"));
}

TEST_CASE("a client of the page keeps its own address, and others get made-up ones") {
  auto stage = front_stage(kDialectWiki);
  stage.opens();
  stage.receives(as_bytes(kHeaderWord));
  furnish(stage);
  Enter enter = enter_as("anna");
  enter.id.address = {{192, 0, 2, 7}, 4711, 0};
  stage.receives(by_client({NegotiateFlags{}, WantWorldHash{}, enter}, kDialectWiki));
  const std::string in = come_to_be(stage);
  INFO(in);
  CHECK(in.starts_with("sends MsgAccept\nsends MsgTeamUpdate team=0 size=0 active=0 won=0 lost=0\n"));
  CHECK(lines_of(in, "sends MsgTeamUpdate") == 5);
  CHECK(lines(in, "sends MsgAddPlayer").find("MsgAddPlayer id={ip=(127 0 0 1) port=0 number=1}") != std::string::npos);
  CHECK(lines(in, "sends MsgAddPlayer").find("id={ip=(192 0 2 7) port=4711 number=0}") != std::string::npos);
}

// -- Refusals ---------------------------------------------------------------------------------------------------------

TEST_CASE("a refused 1.10 client gets a code, then MsgSuperKill") {
  auto stage = front_stage(kDialect110);
  stage.opens();
  stage.receives(by_client({enter_as("anna")}, kDialect110));
  words::Refused why;
  why.set_code(words::Refused::NAME_TAKEN);
  why.set_text("taken");
  CHECK(stage.hears(why) == "sends MsgReject code=7\nsends MsgSuperKill\ncloses: taken\n");
  auto loads = front_stage(kDialect110);  // it would take a reject for a piece of the world
  loads.opens();
  CHECK(loads.hears(why) == "sends MsgSuperKill\ncloses: taken\n");
}

// -- Play -------------------------------------------------------------------------------------------------------------

TEST_CASE("team chat: the targets of 2.4 are one higher, and the page has a separate field for the team") {
  for (const std::size_t dialect : {kDialect20, kDialect110}) {
    auto stage = in_play(dialect);
    ChatRequest request;
    request.to = player_id(249);
    request.text.chars = std::string("hi reds") + '\0';
    CHECK(stage.receives(by_client({request}, dialect)) == "says Say scope: MY_TEAM text: \"hi reds\"\n");
    words::Said said;
    said.set_from(2);
    said.set_scope(words::Say::MY_TEAM);
    said.set_to(words::RED);
    said.set_text("hi");
    CHECK(lines(stage.hears(said), "sends MsgMessage").starts_with("sends MsgMessage from=1 to=249 text=\"hi"));
  }
  auto stage = in_play(kDialectWiki);
  ChatRequest request;
  request.team = 1;
  request.fixed_text.set("hi reds");
  CHECK(stage.receives(by_client({request}, kDialectWiki)) == "says Say scope: MY_TEAM text: \"hi reds\"\n");
  request.team = 0;
  CHECK(stage.receives(by_client({request}, kDialectWiki)) == "says Say text: \"hi reds\"\n");
}

TEST_CASE("an action is marked in 2.0, and plain text in older dialects") {
  words::Said said;
  said.set_from(2);
  said.set_kind(words::Say::ACTION);
  said.set_text("waves");
  auto stage = in_play(kDialect20);
  CHECK(lines(stage.hears(said), "sends MsgMessage") == "sends MsgMessage from=1 to=254 text=\"* ben waves\\x09*\"\n");
  auto older = in_play(kDialect110);
  CHECK(lines(older.hears(said), "sends MsgMessage").starts_with("sends MsgMessage from=1 to=254 text=\"* ben waves"));
}

TEST_CASE("poses are floats before 2.0, and the page's have neither time nor order") {
  auto stage = in_play(kDialect110);
  words::Pose there = pose(12, 21.237, 0, 3);
  there.set_seq(9);
  CHECK(lines(stage.hears(there), "sends MsgPlayerUpdate") ==
        "sends MsgPlayerUpdate time=0 player=1 order=9 status=1 pos=(21.237 0 0) vel=(3 0 0) azimuth=0 turn=0\n");
  auto oldest = in_play(kDialectWiki);
  PlayerUpdate update;
  update.player.address = {{127, 0, 0, 1}, 0, 0};
  update.status = 1;
  update.pos = {1, 2, 0};
  const std::string first = oldest.receives(by_client({update}, kDialectWiki));
  const std::string second = oldest.receives(by_client({update}, kDialectWiki));
  CHECK(lines(first, "says PoseClaim").find("seq: 1") != std::string::npos);
  CHECK(lines(second, "says PoseClaim").find("seq: 2") != std::string::npos);
}

TEST_CASE("status bits that 1.10 does not have are ignored") {
  auto stage = in_play(kDialect110);
  PlayerUpdate update;
  update.order = 1;
  update.status = 0x381;
  CHECK(lines(stage.receives(by_client({update}, kDialect110)), "loses") == "");
}

words::Token carried(std::string code) {
  words::Token token;
  token.set_id(1);
  token.set_code(std::move(code));
  token.set_state(words::Token::CARRIED);
  token.set_carrier(1);
  return token;
}

words::TokenTaken taken(std::string code) {
  words::TokenTaken taken;
  *taken.mutable_token() = carried(std::move(code));
  taken.set_by(1);
  return taken;
}

TEST_CASE("in 1.10 quick turn is A; a flag that 1.10 lacks is sent as useless, but its shots keep their kind") {
  auto stage = in_play(kDialect110);
  CHECK(lines(stage.hears(taken("QT")), "sends MsgGrabFlag").find("kind=\"A\"") != std::string::npos);
  CHECK(lines(stage.hears(taken("BY")), "sends MsgGrabFlag").find("kind=\"US\"") != std::string::npos);
  ShotBegin begin;
  begin.shot = 0x100;
  begin.flag = flag_kind(std::string_view("US"));
  const std::string fired = lines(stage.receives(by_client({begin}, kDialect110)), "says Fire");
  CHECK(fired.find("weapon: " + std::to_string(weapon_of(flag_kind(std::string_view("BY"))))) != std::string::npos);
  FlagKind none;
  none.letters.chars = {'\0', 'P'};  // as real clients of 1.10 send it
  begin.shot = 0x200;
  begin.flag = none;
  CHECK(lines(stage.receives(by_client({begin}, kDialect110)), "says Fire").find("weapon") == std::string::npos);
}

TEST_CASE("flags are numbers on the page") {
  auto stage = in_play(kDialectWiki);
  CHECK(lines(stage.hears(taken("GM")), "sends MsgGrabFlag").find("kind=10 ") != std::string::npos);
  CHECK(lines(stage.hears(taken("BY")), "sends MsgGrabFlag").find("kind=24 ") != std::string::npos);
}

TEST_CASE("a client of the page is told of no team that the page does not have") {
  auto stage = in_play(kDialectWiki);
  for (const words::Team team : {words::HUNTER, words::RABBIT, words::RED}) {
    words::TeamScore score;
    score.set_team(team);
    score.set_wins(2);
    stage.hears(score);
  }
  CHECK(lines(stage.waits(0), "sends MsgTeamUpdate") == "sends MsgTeamUpdate team=1 size=0 active=0 won=2 lost=0\n");
}

TEST_CASE("a death has no reason on the page: it follows from killer and shot") {
  auto stage = in_play(kDialectWiki);
  words::Shot shot;
  shot.set_shooter(2);
  shot.set_unit(12);
  shot.set_shot(0x101);
  shot.set_vx(100);
  shot.set_life(3);
  stage.hears(shot);
  KilledReport report;
  report.killer.address = {{127, 0, 0, 1}, 0, 1};
  report.death.shot = 0x101;
  CHECK(lines(stage.receives(by_client({report}, kDialectWiki)), "says DeathClaim") ==
        "says DeathClaim killer: 2 shot: 257 why: BY_SHOT\n");
  auto again = in_play(kDialectWiki);
  report.killer.address = {{127, 0, 0, 1}, 0, 0};
  report.death.shot = kNoShot;
  CHECK(lines(again.receives(by_client({report}, kDialectWiki)), "says DeathClaim") ==
        "says DeathClaim killer: 1 why: BY_ITSELF\n");
}

TEST_CASE("clients of the page count their own score, and get their heading as a vector") {
  auto stage = in_play(kDialectWiki);
  CHECK(stage.receives(by_client({ScoreReport{3, 1}}, kDialectWiki)) == "says ScoreClaim wins: 3 losses: 1\n");
  words::Spawned spawned = bzflag::spawned(12, 5, 6);
  spawned.mutable_pose()->set_yaw(0);
  CHECK(lines(stage.hears(spawned), "sends MsgAlive").find("forward=(1 0 0)") != std::string::npos);
}

TEST_CASE("before 2.4 a game without a winner ends because time ran out: MsgScoreOver would crash the client") {
  words::Round over;
  over.set_state(words::Round::OVER);
  for (const std::size_t dialect : {kDialect20, kDialect110}) {
    auto stage = in_play(dialect);
    CHECK(stage.hears(over) == "sends MsgTimeUpdate seconds=0\n");
    words::Round won = over;
    won.set_winner(77);  // an unknown player
    CHECK(stage.hears(won) == "sends MsgTimeUpdate seconds=0\n");
    won.set_winner(2);
    CHECK(stage.hears(won) == "sends MsgScoreOver player=1 team=65535\n");
  }
}

TEST_CASE("a word that a dialect has no message for is counted as dropped") {
  auto stage = in_play(kDialect110);
  words::Player ben = player(2, "ben", words::GREEN);
  ben.set_badges(words::AUTOPILOT);
  CHECK(stage.hears(ben) == "loses a message: the peer's dialect has no message for it\n");
  words::Round round;
  round.set_paused(true);
  CHECK(stage.hears(round) == "loses a message: the peer's dialect has no message for it\n");
  round.set_paused(false);
  round.set_left_s(90'000);
  CHECK(stage.hears(round) == "sends MsgTimeUpdate seconds=65535\n");
}

}  // namespace
}  // namespace entente::bzflag::old_front_test
