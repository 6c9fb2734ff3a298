// Players and flags on a server of a tank game, as a back tells its room of them; how a player joins and is thrown out.
#include "proxy/core/tank/tank_server_players.h"

#include <doctest/doctest.h>

#include "proxy/core/tank/tank_flags.h"
#include "proxy/core/texts.h"
#include "tests/core/told_out.h"

namespace entente::core::server_players_test {
namespace {

constexpr std::uint8_t kOwn = 3, kBen = 4;

/// The back's player is 1 in its room; ben gets id 2.
struct Server {
  Server() {
    state.number = kOwn;
    state.me = 1;
  }
  Id tank_of(std::uint8_t number) {
    TankServerPlayer& one = players.meet(number, out);
    players.tell_tank(one, 2, out);
    out.take();
    return one.unit;
  }
  testing::ToldBackOut out;
  JoinState state;
  TankServerPlayers players{state};
  TankFlags flags{state, players};
};

words::Pose at(double x) {
  words::Pose pose;
  pose.set_x(x);
  return pose;
}

words::Token flag(Id id, words::Token::State state, const char* code = "GM") {
  words::Token token;
  token.set_id(id);
  token.set_code(code);
  token.set_state(state);
  return token;
}

std::string number(Id id) { return std::to_string(id); }

}  // namespace

TEST_CASE("the back's own player has the room's id, which the server can refer to only once it has let the player in") {
  Server server;
  TankServerPlayer& own = server.players.meet(kOwn, server.out);
  CHECK(own.player.id() == 1);
  CHECK(own.player.responding());
  CHECK(server.players.own() == &own);
  CHECK(server.players.number_of(1, 9) == 9);
  server.players.add_own();
  CHECK(server.players.number_of(1, 9) == kOwn);
  CHECK(server.players.find(kBen) == nullptr);
  CHECK(server.players.id_of(kBen) == 0);
  TankServerPlayer& ben = server.players.meet(kBen, server.out);
  CHECK(ben.player.id() == 2);
  CHECK(ben.player.responding());
  CHECK(server.players.id_of(kBen) == 2);
  CHECK(server.players.number_of(2, 9) == kBen);
}

TEST_CASE("a tank has its player's team and name") {
  Server server;
  TankServerPlayer& ben = server.players.meet(kBen, server.out);
  ben.player.set_name("ben");
  ben.player.set_team(words::RED);
  server.players.tell_tank(ben, 2, server.out);
  const std::string unit = number(ben.unit);
  CHECK(server.out.take() == "says Unit id: " + unit + " owner: 2 team: RED radius: 2 name: \"ben\"\n" +
                                 "says Owns player: 2 units: " + unit + " active: " + unit + "\n");
}

TEST_CASE("a player who only watches from now on loses its tank, alive or dead") {
  Server server;
  const Id unit = server.tank_of(kBen);
  words::Pose place = at(1);
  server.players.spawn(kBen, place, server.out);
  server.out.take();
  TankServerPlayer& ben = *server.players.find(kBen);
  server.players.forget_tank(ben, server.out);
  CHECK(server.out.take() == "says Gone unit: " + number(unit) + "\n");
  CHECK(ben.unit == 0);
  CHECK_FALSE(ben.alive);
  CHECK_FALSE(ben.died);
  CHECK(server.players.die(kBen, {}, server.out) == nullptr);
}

TEST_CASE("a player who leaves is told with its tank, and forgotten; the number of the back's own stays its own") {
  Server server;
  server.players.add_own();
  server.tank_of(kOwn);
  const Id unit = server.tank_of(kBen), ben = server.players.id_of(kBen);
  server.players.forget(kBen, server.out);
  CHECK(server.out.take() == "says Gone unit: " + number(unit) + "\nsays PlayerGone id: " + number(ben) + "\n");
  CHECK(server.players.find(kBen) == nullptr);
  server.players.forget(kBen, server.out);
  CHECK(server.out.take() == "");
  server.players.forget(kOwn, server.out);
  CHECK(server.players.own() == nullptr);
  CHECK(server.players.number_of(1, 9) == kOwn);
}

TEST_CASE("scores are told of those whom the server has introduced") {
  Server server;
  server.players.tell_score(2, 3, 4, 5, server.out);
  CHECK(server.out.take() == "says Score player: 2 wins: 3 losses: 4 team_kills: 5\n");
  server.players.tell_score(0, 3, 4, 5, server.out);
  CHECK(server.out.take() == "");
}

TEST_CASE("a tank spawns and moves as the unit that it is") {
  Server server;
  const Id unit = server.tank_of(kBen);
  words::Pose place = at(7);
  TankServerPlayer* ben = server.players.spawn(kBen, place, server.out);
  REQUIRE(ben == server.players.find(kBen));
  CHECK(ben->alive);
  CHECK(place.unit() == unit);
  CHECK(server.out.take() == "says Spawned unit: " + number(unit) + " pose { unit: " + number(unit) + " x: 7 }\n");
  server.players.move(kBen, at(8), server.out);
  CHECK(server.out.take() == "says Pose unit: " + number(unit) + " x: 8\n");
  CHECK(server.players.spawn(9, place, server.out) == nullptr);
  server.players.move(9, at(8), server.out);
  CHECK(server.out.take() == "");
}

TEST_CASE("a tank that was in play before the back came comes into play where the server shows it") {
  Server server;
  const Id unit = server.tank_of(kBen);
  server.players.move(kBen, at(8), server.out);
  CHECK(server.out.take() == "says Spawned unit: " + number(unit) + " pose { unit: " + number(unit) + " x: 8 }\n");
  CHECK(server.players.find(kBen)->alive);
}

TEST_CASE("where the back's own tank is, its player says, not the server") {
  Server server;
  server.tank_of(kOwn);
  words::Pose place;
  server.players.spawn(kOwn, place, server.out);
  server.out.take();
  server.players.move(kOwn, at(8), server.out);
  CHECK(server.out.take() == "");
}

TEST_CASE("a death names the player and the unit, and keeps what else is known of it") {
  Server server;
  const Id unit = server.tank_of(kBen);
  words::Pose place;
  server.players.spawn(kBen, place, server.out);
  server.out.take();
  words::Died died;
  died.set_killer(1);
  died.set_shot(6);
  const TankServerPlayer* ben = server.players.die(kBen, died, server.out);
  REQUIRE(ben != nullptr);
  CHECK_FALSE(ben->alive);
  CHECK(server.out.take() == "says Died player: 2 unit: " + number(unit) + " killer: 1 shot: 6\n");
}

TEST_CASE("a teleported tank is told with the links, and only if somebody has that number") {
  Server server;
  const Id unit = server.tank_of(kBen);
  server.players.teleport(kBen, 5, 6, server.out);
  CHECK(server.out.take() == "says Teleported unit: " + number(unit) + " from: 5 to: 6\n");
  server.players.teleport(9, 5, 6, server.out);
  CHECK(server.out.take() == "");
}

TEST_CASE("a shot belongs to the player with that number and its tank, or to the world") {
  Server server;
  const Id unit = server.tank_of(kBen);
  words::Shot shot;
  CHECK(server.players.set_shooter(kBen, shot) == server.players.find(kBen));
  CHECK(shot.shooter() == 2);
  CHECK(shot.unit() == unit);
  CHECK(server.players.set_shooter(255, shot) == nullptr);
  CHECK(shot.shooter() == 0);
  CHECK(shot.unit() == 0);
}

// -- Flags ------------------------------------------------------------------------------------------------------------

TEST_CASE("a carried flag has its carrier if the server has introduced that player, and gets it when it does") {
  Server server;
  CHECK(server.flags.keep(flag(5, words::Token::CARRIED), kBen).carrier() == 0);
  CHECK(server.flags.keep(flag(6, words::Token::GROUND), kBen).carrier() == 0);
  server.flags.tell_carried(kBen, server.out);
  CHECK(server.out.take() == "");  // nobody yet
  server.players.meet(kBen, server.out);
  server.flags.tell_carried(kOwn, server.out);
  CHECK(server.out.take() == "");
  server.flags.tell_carried(kBen, server.out);
  CHECK(server.out.take() == "says Token id: 5 code: \"GM\" state: CARRIED carrier: 2\n");
  server.flags.tell_carried(kBen, server.out);
  CHECK(server.out.take() == "");
  CHECK(server.flags.keep(flag(7, words::Token::CARRIED), kBen).carrier() == 2);
}

TEST_CASE("the flag that a player carries is known by its code until it lies somewhere") {
  Server server;
  server.players.meet(kOwn, server.out);
  server.players.meet(kBen, server.out);
  server.flags.keep(flag(5, words::Token::CARRIED, "SW"), kOwn);
  server.flags.keep(flag(6, words::Token::CARRIED, "GM"), kBen);
  CHECK(server.flags.carried() == "SW");
  CHECK(server.flags.carried_by(2) == "GM");
  CHECK(server.flags.carried_by(9) == "");
  words::Token dropped = flag(5, words::Token::FLYING, "SW");
  dropped.set_carrier(1);  // the last one
  server.flags.keep(dropped, kOwn);
  CHECK(server.flags.carried() == "");
}

TEST_CASE("a flag has a team if it is a team's") {
  Server server;
  words::Token red = flag(5, words::Token::GROUND);
  red.set_team(words::RED);
  server.flags.keep(red, 0);
  CHECK(server.flags.team_of(5) == words::RED);
  CHECK(server.flags.team_of(6) == words::TEAM_ANY);
}

TEST_CASE("2000 flags are remembered, and those go on changing") {
  Server server;
  server.players.meet(kBen, server.out);
  for (Id id = 1; id <= 2'001; ++id) {
    words::Token red = flag(id, words::Token::GROUND);
    red.set_team(words::RED);
    CHECK(server.flags.keep(red, 0).id() == id);
  }
  CHECK(server.flags.team_of(2'000) == words::RED);
  CHECK(server.flags.team_of(2'001) == words::TEAM_ANY);
  server.flags.keep(flag(2'000, words::Token::CARRIED), kBen);
  CHECK(server.flags.carried_by(2) == "GM");
}

TEST_CASE("a flag that a player of another game has not asked for is of no use to it") {
  Server server;
  const words::Token token = flag(5, words::Token::CARRIED);
  CHECK_FALSE(server.flags.is_unasked(token, 0));  // nobody has entered
  server.state.wish = words::Enter();
  CHECK(server.flags.is_unasked(token, 0));
  CHECK(server.flags.is_unasked(token, 6));
  CHECK_FALSE(server.flags.is_unasked(token, 5));
  server.state.wish->set_claims_deaths(true);
  CHECK_FALSE(server.flags.is_unasked(token, 0));
}

// -- Joining ----------------------------------------------------------------------------------------------------------

TEST_CASE("a refused player is told why without control characters, and the log has the text as it came") {
  testing::ToldBackOut out;
  JoinState state;
  state.refuse(words::Refused::FULL, "it is\x07 full", true, out);
  CHECK(out.take() == "says Refused code: FULL text: \"it is full\" may_retry: true\ncloses: it is\x07 full\n");
  state.refuse(words::Refused::BANNED, "banned", false, out);
  CHECK(out.take() == "says Refused code: BANNED text: \"banned\"\n");
}

TEST_CASE("a player is in from the moment at which the server has admitted it") {
  JoinState state;
  for (const auto stage : {JoinState::Stage::kGreeting, JoinState::Stage::kLoading, JoinState::Stage::kReadyToEnter,
                           JoinState::Stage::kEntering}) {
    state.stage = stage;
    CHECK_FALSE(state.in());
  }
  state.come_in(kSecond);
  CHECK(state.in());
  CHECK_FALSE(state.client_decides());
  state.wish = words::Enter();
  CHECK_FALSE(state.client_decides());
  state.wish->set_claims_deaths(true);
  CHECK(state.client_decides());
}

TEST_CASE("a player who is thrown out is told the server's last line, unless the server stops and the player waits") {
  struct Row {
    const char* what;
    const char* said;
    bool holds, kicked;
    const char* text;
  };
  const std::string later = std::string("it is full") + std::string(kTryAgain);
  const Row rows[] = {{"it says why", "be nice", true, true, "be nice"},
                      {"it says nothing, and players wait", "", true, false, ""},
                      {"it says nothing, and nobody waits", "", false, true, "the server ended the session"},
                      {"an Entente stops", kProxyStopped, true, false, ""},
                      {"an Entente stops, and nobody waits", kProxyStopped, false, true, kProxyStopped},
                      {"an Entente has no server", later.c_str(), true, false, ""}};
  for (const Row& row : rows) {
    CAPTURE(row.what);
    testing::ToldBackOut out;
    out.holds = row.holds;
    JoinState state;
    state.come_in(0);
    out.time = 10 * kSecond;
    if (*row.said != '\0') state.hear_server(row.said, false, out);
    out.take();
    state.be_kicked("MsgKick", out);
    CHECK(state.goodbye_said);
    CHECK(out.take() == (row.kicked ? "says Kicked text: \"" + std::string(row.text) + "\"\ncloses: MsgKick\n"
                                    : std::string("waits for the server: MsgKick\n")));
  }
}

TEST_CASE("a welcome is no reason for a kick that comes later") {
  testing::ToldBackOut out;
  JoinState state;
  state.come_in(10 * kSecond);
  out.time = 10 * kSecond;
  state.hear_server("welcome", true, out);
  CHECK(out.take() == "says Notice text: \"welcome\" (to 0)\n");
  out.time = 11 * kSecond;
  state.be_kicked("MsgKick", out);
  CHECK(out.take() == "says Kicked text: \"the server ended the session\"\ncloses: MsgKick\n");
}

TEST_CASE("a line that the server says a while after it has let the player in is the reason of a kick soon after") {
  testing::ToldBackOut out;
  JoinState state;
  state.come_in(10 * kSecond);
  out.time = 12 * kSecond;
  state.hear_server("be nice", true, out);
  out.take();
  out.time = 14 * kSecond;
  state.be_kicked("MsgKick", out);
  CHECK(out.take() == "says Kicked text: \"be nice\"\ncloses: MsgKick\n");
}

TEST_CASE("a line of the server or of a player reaches those for whom it is") {
  testing::ToldBackOut out;
  JoinState state;
  state.me = 1;
  state.hear_server("hello", true, out);
  state.hear_server("hello all", false, out);
  CHECK(out.take() == "says Notice text: \"hello\" (to 1)\nsays Notice text: \"hello all\"\n");
  words::Said said;
  said.set_text("hi");
  state.hear_player(said, out);
  said.set_scope(words::Say::ONE);
  state.hear_player(said, out);
  CHECK(out.take() == "says Said text: \"hi\"\nsays Said scope: ONE text: \"hi\" (to 1)\n");
}

}  // namespace entente::core::server_players_test
