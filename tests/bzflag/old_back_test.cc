// How our back joins servers of older dialects and plays there.
#include "adapters/bzflag/world/world_conversions.h"
#include "tests/bzflag/back_stage.h"

namespace entente::bzflag::old_back_test {
namespace {

/// The world, as records.
Buffer records(std::size_t dialect, const Buffer& database = small_world()) {
  GameSettings settings = small_settings();
  settings.game_type = 1;
  settings.options = kJumping;
  std::size_t left_out = 0;
  const auto groups = read_world(database, 0);
  Buffer out;
  write_world(records_of(std::get<GroupWorld>(*groups), settings, dialect, kLargestWorld, left_out), dialect, out);
  CHECK(left_out == 0);
  return out;
}

WorldChunk whole(const Buffer& world) { return {0, 0, world}; }

void load(testing::BackStage& stage, std::size_t dialect, const Buffer& database = small_world()) {
  stage.opens();
  stage.receives(by_server({welcome(3, kDialects[dialect].version.substr(4)), NegotiateFlags{}}, dialect));
  if (kDialects[dialect].settings) {
    Buffer world;
    write_world(std::get<GroupWorld>(*read_world(database, 0)), dialect, world);
    stage.receives(by_server({small_settings(), hash_of(world), whole(world)}, dialect));
  } else {
    const Buffer world = records(dialect, database);
    stage.receives(by_server({hash_of(world), whole(world)}, dialect));
  }
}

AddPlayer added(std::uint8_t number, std::int16_t team, std::string_view name) {
  AddPlayer add = add_player(number, team, name);
  add.id.address = {{10, 0, 0, number}, 5154, number};
  return add;
}

testing::BackStage in(std::size_t dialect, const words::Enter& enter = anna(), const Buffer& database = small_world()) {
  auto stage = back_stage({}, dialect);
  load(stage, dialect, database);
  stage.hears(enter);
  stage.receives(by_server({Accept{player_id(3)}, added(5, 2, "ben"), added(3, 1, "anna")}, dialect));
  return stage;
}

Alive alive_at(std::uint8_t number, float x) {
  Alive alive = bzflag::alive(number, x, 0);
  alive.player.address = {{10, 0, 0, number}, 5154, number};
  alive.forward = {0, 1, 0};
  return alive;
}

// -- Joining ----------------------------------------------------------------------------------------------------------

TEST_CASE("a 2.0 server sends first; our back then makes the same requests as in 2.4") {
  auto stage = back_stage({}, kDialect20);
  CHECK(stage.opens() == "");
  const std::string greeted = stage.receives_slowly(by_server({welcome(3, "0026"), GameTime{1}}, kDialect20));
  CHECK(lines(greeted, "sends by datagram") == "sends by datagram MsgUDPLinkRequest player=3\n");
  CHECK(lines(greeted, "sends MsgQueryPlayers") == "sends MsgQueryPlayers\n");
  CHECK(stage.receives_slowly(by_server({NegotiateFlags{}}, kDialect20)) == "sends MsgWantSettings\n");
  GameSettings settings = small_settings();
  settings.options = 0x200 | kJumping;
  const std::string told = stage.receives_slowly(by_server({settings}, kDialect20));
  CHECK(lines(told, "says Room").find("mode: \"rabbit chase\"") != std::string::npos);
  CHECK(told.find("says Rule name: \"BZFLAG.options\" value: \"8\"") != std::string::npos);
}

TEST_CASE("the end of a game kills no tank of an old server") {
  for (const std::size_t dialect : {kDialect20, kDialect110}) {
    CAPTURE(dialect);
    auto stage = in(dialect);
    stage.receives(by_server({alive_at(3, 0)}, dialect));
    CHECK(stage.receives(by_server({TimeLeft{0, 0}}, dialect)) == "says Round state: OVER left_s: 0\n");
  }
}

TEST_CASE("a 2.0 server refuses a motto of signs, so it gets none; others get it") {
  const std::pair<const char*, const char*> kMottos[] = {
      {"(-: :-)", ""}, {"'(-:' ", "'(-:' "}, {"abc!?.", ""}, {"abc!?", "abc!?"}};
  for (const auto& [motto, sent] : kMottos) {
    words::Enter enter = anna();
    enter.set_motto(motto);
    CAPTURE(enter.motto());
    const auto entered = [&](std::size_t dialect) {
      auto stage = back_stage({}, dialect);
      load(stage, dialect);
      return lines(stage.hears(enter), "sends MsgEnter");
    };
    const auto with = [](std::string_view text) { return " motto=\"" + std::string(text) + "\""; };
    CHECK(entered(kDialect110).find(with(motto)) != std::string::npos);
    CHECK(entered(kDialect20).find(with(sent)) != std::string::npos);
  }
}

TEST_CASE("1.10 has its settings in the world; the UDP link is requested after MsgAccept") {
  auto stage = back_stage({}, kDialect110);
  CHECK(stage.opens() == "");
  const std::string greeted = stage.receives_slowly(by_server({welcome(3, "1910")}, kDialect110));
  CHECK(lines(greeted, "sends by datagram") == "");
  const std::string flags = lines(greeted, "sends MsgNegotiateFlags");
  CHECK(flags.find("\"A\"") != std::string::npos);
  CHECK(flags.find("\"QT\"") == std::string::npos);
  CHECK(flags.find("\"BY\"") == std::string::npos);
  CHECK(stage.receives_slowly(by_server({NegotiateFlags{}}, kDialect110)) == "sends MsgWantWHash\n");
  const Buffer world = records(kDialect110);
  CHECK(stage.receives_slowly(by_server({hash_of(world)}, kDialect110)) == "sends MsgGetWorld offset=0\n");
  const std::string told = stage.receives_slowly(by_server({whole(world)}, kDialect110));
  CHECK(lines(told, "says Room") ==
        "says Room game: \"bzflag\" dialect: \"1.10\" mode: \"capture the flag\" most_players: 216 most_shots: 2 "
        "jumping: true teams: true\n");
  CHECK(told.find("solids { x: 50 half_x: 10 half_y: 10") != std::string::npos);
  CHECK(lines(stage.hears(anna()), "sends MsgEnter").starts_with("sends MsgEnter type=0 team=1 callsign=\"anna\""));
  const std::string entered = stage.receives(by_server({Accept{player_id(3)}}, kDialect110));
  CHECK(entered == "sends by datagram MsgUDPLinkRequest player=3\n");
}

TEST_CASE("a server of the page gets the header unless it is switched off, and no message that the page lacks") {
  auto stage = back_stage({}, kDialectWiki);
  CHECK(stage.opens() == "sends ClientHeader\n");
  const std::string greeted = stage.receives_slowly(by_server({welcome(3, "1910")}, kDialectWiki));
  CHECK(lines(greeted, "sends MsgNegotiateFlags").size() > 50);
  CHECK(lines(greeted, "sends MsgQueryPlayers") == "");
  auto silent = back_stage({{"header", "off"}}, kDialectWiki);
  CHECK(silent.opens() == "");
}

TEST_CASE("a server that greets with another version is refused") {
  auto stage = back_stage({}, kDialect110);
  stage.opens();
  CHECK(stage.receives(by_server({welcome(3, "0026")}, kDialect110)) ==
        "says Refused code: WRONG_VERSION text: \"the server speaks another version\"\n"
        "closes: the server speaks another version\n");
}

TEST_CASE("the text of a 1.10 refusal follows from its code") {
  auto stage = back_stage({}, kDialect110);
  load(stage, kDialect110);
  stage.hears(anna());
  Reject reject;
  reject.code = 4;
  CHECK(lines(stage.receives(by_server({reject}, kDialect110)), "says Refused") ==
        "says Refused code: TEAM_FULL text: \"this team is full\"\n");
}

TEST_CASE("on the page our player is the one with our name; others are numbered in order of arrival") {
  auto stage = back_stage({}, kDialectWiki);
  load(stage, kDialectWiki);
  const std::string entered = lines(stage.hears(anna()), "sends MsgEnter");
  CHECK(entered.find("team=1 callsign=\"anna\"") != std::string::npos);
  const std::string in = stage.receives(
      by_server({Accept{}, added(5, 2, "ben"), added(9, 3, "carl"), added(77, 1, "anna")}, kDialectWiki));
  CHECK(lines(in, "says Player") ==
        "says Player id: 101 name: \"ben\" team: GREEN responding: true\n"
        "says Player id: 103 name: \"carl\" team: BLUE responding: true\n"
        "says Player id: 1 name: \"anna\" team: RED responding: true\n");
  CHECK(lines(in, "says Ready") == "says Ready\n");
  RemovePlayer gone{added(9, 3, "carl").id};
  CHECK(stage.receives(by_server({gone}, kDialectWiki)) == "says Gone unit: 104\nsays PlayerGone id: 103\n");
}

TEST_CASE("on the page, too, a flag has its carrier once the server has named the player") {
  auto stage = back_stage({}, kDialectWiki);
  load(stage, kDialectWiki);
  stage.hears(anna());
  OneFlagUpdate update;
  update.flag.number = 2;
  update.flag.flag.flag.number = 1;
  update.flag.flag.status = 2;
  update.flag.flag.owner.address = added(9, 3, "carl").id.address;
  stage.receives(by_server({Accept{}, update, added(5, 2, "ben")}, kDialectWiki));
  const std::string told = stage.receives(by_server({added(9, 3, "carl")}, kDialectWiki));
  CHECK(lines(told, "says Player").starts_with("says Player id: 103 name: \"carl\""));
  CHECK(lines(told, "says Token").find(" state: CARRIED carrier: 103") != std::string::npos);
}

TEST_CASE("a spectator is a player type on the page, and a team elsewhere") {
  words::Enter watcher = anna();
  watcher.set_role(words::WATCH);
  auto stage = back_stage({}, kDialectWiki);
  load(stage, kDialectWiki);
  CHECK(lines(stage.hears(watcher), "sends MsgEnter").find("type=1 team=0") != std::string::npos);
  auto later = back_stage({}, kDialect110);
  load(later, kDialect110);
  CHECK(lines(later.hears(watcher), "sends MsgEnter").find("type=0 team=5") != std::string::npos);
}

// -- Play -------------------------------------------------------------------------------------------------------------

TEST_CASE("where clients choose their spawn point, our back finds a free place") {
  auto stage = in(kDialectWiki);
  const std::string asked = stage.hears(words::Spawn());
  CHECK(asked.starts_with("sends MsgAlive pos=("));
  CHECK(asked.find(" forward=(") != std::string::npos);
  const std::string spawned = lines(stage.receives(by_server({alive_at(3, 7)}, kDialectWiki)), "says Spawned");
  CHECK(spawned.starts_with("says Spawned unit: 103 pose { unit: 103 x: 7 yaw: 1.57"));
  auto later = in(kDialect110);
  CHECK(later.hears(words::Spawn()) == "sends MsgAlive\n");

  GroupWorld crowded;  // more than half of it is a building
  crowded.world.boxes = {{{0, 0, 0}, 0, {150, 150, 9}, 0}};
  Buffer database;
  write_world(crowded, 0, database);
  auto stays_out = in(kDialectWiki, anna(), database);
  for (int life = 0; life < 10; ++life) {
    CAPTURE(life);
    std::string request = stays_out.hears(words::Spawn());
    request += stays_out.waits(6 * core::kSecond);
    const auto x = numbers_after(lines(request, "sends MsgAlive"), " pos=(");
    REQUIRE_FALSE(x.empty());
    const std::string rest = request.substr(request.find(" pos=(") + 6);
    const double y = std::stod(rest.substr(rest.find(' ')));
    CHECK(std::max(std::abs(x[0]), std::abs(y)) > 150);
    Killed killed;
    killed.victim = alive_at(3, 0).player;
    killed.killer = alive_at(5, 0).player;
    stays_out.receives(by_server({alive_at(3, static_cast<float>(x[0])), killed}, kDialectWiki));
    stays_out.waits(6 * core::kSecond);
  }
}

TEST_CASE("a 1.10 shot may go by stream, and its flag is looked up when it kills") {
  auto stage = in(kDialect110);
  stage.receives(by_server({alive_at(3, 0), alive_at(5, 20)}, kDialect110));
  words::Fire fire;
  fire.set_shot(0x100);
  fire.set_vx(100);
  CHECK(lines(stage.hears(fire), "sends").starts_with("sends MsgShotBegin player=3 shot=256"));
  ShotBegin begin;
  begin.player = player_id(5);
  begin.shot = 0x101;
  begin.flag = flag_kind(std::string_view("G"));
  begin.life = 3.5F;
  stage.receives(by_server({begin}, kDialect110));
  Killed killed;  // by genocide: the shot hit a teammate of ours
  killed.victim = player_id(3);
  killed.killer = player_id(5);
  killed.death.reason = 1;
  killed.death.shot = 0x101;
  CHECK(lines(stage.receives(by_server({killed}, kDialect110)), "says Died").find("shot: 257 why: BY_SHOT") !=
        std::string::npos);
}

TEST_CASE("our back counts its player's score where the server does not, unless the client reports it") {
  auto stage = in(kDialectWiki);
  stage.receives(by_server({alive_at(3, 0), alive_at(5, 20)}, kDialectWiki));
  Killed killed;
  killed.victim = alive_at(5, 0).player;
  killed.killer = alive_at(3, 0).player;
  killed.death.shot = 0x100;
  CHECK(lines(stage.receives(by_server({killed}, kDialectWiki)), "sends") == "sends MsgScore wins=1 losses=0\n");
  std::swap(killed.victim, killed.killer);
  CHECK(lines(stage.receives(by_server({killed}, kDialectWiki)), "sends") == "sends MsgScore wins=1 losses=1\n");
  words::ScoreClaim claim;
  claim.set_wins(9);
  CHECK(stage.hears(claim) == "sends MsgScore wins=9 losses=0\n");
  stage.receives(by_server({alive_at(3, 0), alive_at(5, 20)}, kDialectWiki));
  CHECK(lines(stage.receives(by_server({killed}, kDialectWiki)), "sends") == "");
}

TEST_CASE("chat reaches only its intended recipients, or is dropped") {
  words::Say team;
  team.set_scope(words::Say::MY_TEAM);
  team.set_text("reds");
  CHECK(lines(in(kDialect20).hears(team), "sends").starts_with("sends MsgMessage to=249 text=\"reds"));
  const std::string page = in(kDialectWiki).hears(team);
  CHECK(page.find("team=1 text=\"reds\"") != std::string::npos);
  words::Say admins;
  admins.set_scope(words::Say::MODERATORS);
  admins.set_text("psst");
  CHECK(in(kDialectWiki).hears(admins) == "loses a message: the peer's dialect has no message for it\n");
  words::Enter rogue = anna();
  rogue.set_team(words::ROGUE);
  auto rogues = back_stage({}, kDialectWiki);
  load(rogues, kDialectWiki);
  rogues.hears(rogue);
  rogues.receives(by_server({Accept{}, added(3, 0, "anna")}, kDialectWiki));
  CHECK(rogues.hears(team) ==
        "loses a message: the peer's dialect has no message for it\n");  // it would reach everybody
}

TEST_CASE("a 2.0 action is read as an action") {
  auto stage = in(kDialect20);
  Chat chat;
  chat.from = player_id(5);
  chat.to = player_id(kEverybody);
  chat.text.chars = std::string("* ben waves\t*") + '\0';
  CHECK(stage.receives(by_server({chat}, kDialect20)) == "says Said from: 101 kind: ACTION text: \"waves\"\n");
}

}  // namespace
}  // namespace entente::bzflag::old_back_test
