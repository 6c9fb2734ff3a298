// Our client of an Ogar server: the facts that it sends to the room, and the messages that it sends to the server.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/drops.h"
#include "adapters/ogar/wire/mapping.h"
#include "proxy/core/wishes.h"
#include "tests/games/every_fact.h"
#include "tests/ogar/spoken.h"
#include "tests/support/heap.h"
#include "tests/support/hex.h"
#include "tests/support/stage.h"

namespace entente::testing::back_test {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;
using ogar::CellType;

constexpr Micros kTick = 40 * kMillisecond;

struct Play {
  BackStage stage{ogar::faces().back({}), ogar::game(), 0, wire::Way::kToServer};

  std::string opens() { return stage.opens(); }
  std::string receives(const Buffer& bytes) { return stage.receives(bytes); }
  std::string hears(core::Intent word) { return stage.hears(std::move(word)); }
  std::string waits(Micros how_long) { return stage.waits(how_long); }

  std::string enters(const char* name = "anna") {
    words::Enter enter;
    enter.set_name(name);
    return hears(enter);
  }
  /// Connected, shown a world, and in play: cell 7 at 0 0 of that size.
  void plays(std::uint16_t size = 32) {
    opens();
    enters();
    hears(words::Spawn());
    receives(Shown().border());
    waits(kTick);
    receives(Shown().add(7, CellType::kPlayer, 0, 0, size, "anna", true));
    waits(kTick);
  }
};

bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

std::size_t count(const std::string& all, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = all.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

template <class Word>
std::string toward(Play& play, double x, double y) {
  Word word;
  word.set_x(x);
  word.set_y(y);
  return play.hears(word);
}

TEST_CASE("ogar back: a spawn name is sent only after the server has sent a world") {
  Play play;
  CHECK(play.hears(words::WantWorld()) == "");
  CHECK(play.enters() == "");
  CHECK(play.hears(words::Spawn()) == "");
  CHECK(play.opens() == "sends Hello opcode=1 version=3 trailing=<0 bytes>\n");
  CHECK(play.waits(kSecond) == "");
  CHECK(play.receives(Shown().border()) ==
        "says World hash: \"ogar 400.000000 by 400.000000\" west: -400 east: 400 south: -400 north: 400 walled: true\n"
        "says Room game: \"ogar\" dialect: \"modern3\" mode: \"free for all\"\n"
        "says Rule name: \"tick_s\" value: \"0.040000\"\n"
        "says Rule name: \"respawn\" value: \"0.000000\"\n"
        "says Player id: 1 name: \"anna\" team: ROGUE responding: true\n"
        "says Ready\n");
  CHECK(play.waits(kTick) ==
        "sends ClientUpdate x=0 y=0 splits=0 minion_splits=0 flags=1 name=\"anna\" trailing=<0 bytes>\n");
  CHECK(play.waits(kSecond - kTick) == "");  // sent again if the server did not respond
  CHECK(has(play.waits(kTick), "flags=1 name=\"anna\""));
}

TEST_CASE("ogar back: a new skin is requested with the next life") {
  Play play;
  play.opens();
  play.enters();
  words::Change change;
  change.set_skin("cat");
  CHECK(play.hears(change) == "");
  play.hears(words::Spawn());
  play.receives(Shown().border());
  CHECK(has(play.waits(kTick), "name=\"<cat>anna\""));
}

TEST_CASE("ogar back: a life begins with the first own cell, ends with the last, and begins again on request") {
  Play play;
  play.opens();
  play.enters();
  play.hears(words::Spawn());
  play.receives(Shown().border());
  play.waits(kTick);
  CHECK(play.receives(Shown().add(7, CellType::kPlayer, 100, -200, 32, "anna", true)) ==
        "says Player id: 1 name: \"anna\" team: ROGUE colour: 16715840 responding: true\n"
        "says Unit id: 101 owner: 1 kind: CELL team: ROGUE colour: 16715840 radius: 1.8102107198416066 alive: true "
        "pose { unit: 101 x: 5.6569084995050209 y: 11.313816999010042 radius: 1.8102107198416066 }\n"
        "says Owns player: 1 units: 101 active: 101\n"
        "says Spawned unit: 101 pose { unit: 101 x: 5.6569084995050209 y: 11.313816999010042 radius: "
        "1.8102107198416066 }\n");
  CHECK(play.receives(Shown().remove(7)) ==
        "says Died player: 1 unit: 101 why: BY_SERVER synthesised: true\n"
        "says Score player: 1 losses: 1\n"
        "says Gone unit: 101 why: BY_SERVER\n"
        "says Owns player: 1\n");
  CHECK(play.waits(kTick) == "");
  play.hears(words::Spawn());
  CHECK(has(play.waits(kSecond), "flags=1 name=\"anna\""));
  CHECK(has(play.receives(Shown().add(8, CellType::kPlayer, 0, 0, 32, "anna", true)), "says Spawned unit: 102 "));
}

TEST_CASE("ogar back: the mouse is on the cell until the player steers, and is sent 25 times a second") {
  Play play;
  play.plays();
  play.receives(Shown().move(7, 500, -300));
  CHECK(play.waits(kTick) == "sends ClientUpdate x=500 y=-300 splits=0 minion_splits=0 flags=0 trailing=<0 bytes>\n");
  toward<words::Toward>(play, 100, 50);
  CHECK(has(play.waits(kTick), "x=1768 y=-884 "));
  std::string all = play.waits(kSecond);
  CHECK(std::count(all.begin(), all.end(), '\n') >= 25);
  all.clear();
  for (int i = 0; i < 20; ++i) {  // ticks that come late by 10 ms every other time
    play.stage.ages(i % 2 == 0 ? kTick + 10 * kMillisecond : kTick - 10 * kMillisecond);
    all += play.waits(0);
  }
  CHECK(count(all, "sends ClientUpdate ") == 20);
}

TEST_CASE("ogar back: every kind of steering becomes a mouse position") {
  Play play;
  play.plays();
  toward<words::Step>(play, 25, 0);
  CHECK(has(play.waits(kTick), "x=442 y=0 "));
  words::Keys keys;
  keys.set_bits(words::Keys::FORWARD);
  keys.set_yaw(std::atan2(1, 0));
  play.hears(keys);
  CHECK(has(play.waits(kTick), "x=0 y=-17678 "));
  keys.set_bits(words::Keys::FORWARD | words::Keys::SNEAK);  // half as fast: 9.6 units ahead, half the way of a tick
  play.hears(keys);
  CHECK(has(play.waits(kTick), "x=0 y=-10 "));
  words::PoseClaim claim;
  claim.set_x(10);
  claim.set_vx(20);
  play.hears(claim);
  CHECK(has(play.waits(kTick), "x=368 y=0 "));    // where it will be in half a second
  CHECK(has(play.waits(kSecond), "x=707 y=0 "));  // without a new claim, it drives on for one second
  CHECK(has(play.waits(kSecond), "x=707 y=0 "));
}

TEST_CASE("ogar back: a shot that a stock server would ignore moves no mouse, and the back itself tells nobody") {
  words::Fire fire;
  fire.set_vy(100);
  words::Trigger trigger;
  trigger.set_primary(true);
  Play play;
  play.plays(59);
  toward<words::Toward>(play, 10, 0);
  play.waits(kTick);
  std::string said;
  for (int i = 0; i < 20; ++i) {
    said += play.hears(fire) + play.hears(trigger);
    said += play.waits(kTick);
  }
  CHECK(count(said, "loses Fire: the cell is too small to shoot: it can neither split nor eject mass\n") >= 20);
  CHECK(core::is_wish(ogar::drops::kTooSmall, nullptr));  // so the room tells the player
  CHECK(count(said, "Notice") == 0);
  CHECK(count(said, "flags=16 ") == 1);  // asks whether this server lets smaller cells eject mass
  CHECK(count(said, "y=-884") == 0);
  CHECK(count(said, " splits=0 ") == count(said, "ClientUpdate"));
}

TEST_CASE("ogar back: a cell that is too small on a stock server asks once, and again when it has grown") {
  words::Fire fire;
  fire.set_vy(100);
  Play play;
  play.plays(40);
  const auto asks = [&] {
    std::string said;
    for (int i = 0; i < 5; ++i) {
      play.hears(fire);
      said += play.waits(kTick);
    }
    CHECK(count(said, "y=-884") == 0);
    return count(said, "flags=16 ");
  };
  CHECK(asks() == 1);
  CHECK(asks() == 0);
  play.receives(Shown().move(7, 0, 0, 43));
  CHECK(asks() == 0);
  play.receives(Shown().move(7, 0, 0, 45));
  CHECK(asks() == 1);
  play.receives(Shown().add(40, CellType::kEjected, 100, 0, 38));  // from our own cell
  CHECK(play.hears(fire) == "");
  CHECK(has(play.waits(kTick), "y=-884 splits=0 minion_splits=0 flags=16 "));
  play.waits(3 * kTick);
  play.receives(Shown().move(7, 0, 0, 40));  // a smaller one may eject mass, too
  CHECK(asks() == 1);
  CHECK(asks() == 0);
}

TEST_CASE("ogar back: a server that lets smaller cells eject mass is believed") {
  words::Fire fire;
  fire.set_vy(100);
  Play play;
  play.plays(50);
  play.receives(Shown().add(20, CellType::kPlayer, 600, 0, 40, "ben"));
  CHECK(has(play.receives(Shown().add(40, CellType::kEjected, 720, 0, 38)), "says Shot"));
  CHECK(play.hears(fire) == "");
  CHECK(has(play.waits(kTick), "x=0 y=-884 splits=0 minion_splits=0 flags=16 "));
}

TEST_CASE("ogar back: a cell that cannot split any more ejects mass") {
  words::Fire fire;
  fire.set_vy(100);
  Play play;
  play.plays(60);
  Shown more;
  for (std::uint32_t id = 8; id < 23; ++id) more.add(id, CellType::kPlayer, 0, 0, 60, "anna", true);
  play.receives(more);
  play.waits(kTick);
  play.hears(fire);
  CHECK(has(play.waits(kTick), "splits=0 minion_splits=0 flags=16 "));
}

TEST_CASE("ogar back: a spawn that the server does not carry out is counted, and told once") {
  Play play;
  play.opens();
  play.enters();
  play.hears(words::Spawn());
  play.receives(Shown().border());
  const std::string said = play.waits(16 * kSecond);
  CHECK(count(said, "loses Spawn: the server did not answer in time\n") == 3);
  CHECK(count(said, "says Notice level: WARNING text: \"the server has not put you into play; it is asked again\"") ==
        1);
}

TEST_CASE("ogar back: a spawn while the server shows no world is told once, too") {
  Play play;
  play.opens();
  play.enters();
  play.receives(Shown().border());
  play.waits(kSecond);
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  play.receives(Shown().clear().border({kNone, kNone, kNone, kNone}));
  play.waits(kSecond);
  play.hears(words::Spawn());
  CHECK(count(play.waits(4 * kSecond), "Notice") == 0);
  const std::string said = play.waits(20 * kSecond);
  CHECK(count(said, "says Notice level: WARNING text: \"the server has not put you into play; it is asked again\"") ==
        1);
  CHECK(count(said, "flags=1 ") == 0);
}

TEST_CASE("ogar back: a player who watches instead of spawning is not told that the spawn is late") {
  Play play;
  play.opens();
  play.enters();
  play.receives(Shown().border());
  play.hears(words::Spawn());
  CHECK(has(play.waits(kSecond), "flags=1 name=\"anna\""));
  words::Watch watch;
  watch.set_mode(words::Watch::LEADER);
  play.hears(watch);
  const std::string said = play.waits(20 * kSecond);
  CHECK(count(said, "Notice") == 0);
  CHECK(count(said, "loses Spawn") == 0);
}

TEST_CASE("ogar back: chat that waits for a world for long is lost, and its player is told") {
  const std::string lost = "loses Say: the server shows no world, and takes no chat meanwhile\n";
  Play play;
  play.plays();
  play.receives(Shown().clear());
  words::Say say;
  say.set_text("hello");
  CHECK(play.hears(say) == "");
  CHECK(count(play.waits(7 * kSecond), lost) == 0);
  CHECK(count(play.waits(2 * kSecond), lost) == 1);
  CHECK(core::is_wish(ogar::drops::kChatWithoutWorld, nullptr));  // so the room tells the player
  for (int i = 0; i < 5; ++i) CHECK(play.hears(say) == "");
  CHECK(play.hears(say) == lost);
  play.receives(Shown().border());
  const std::string said = play.waits(20 * kSecond);
  CHECK(count(said, "\"hello\"") == 5);
  CHECK(count(said, lost) == 0);
}

TEST_CASE("ogar back: a shot splits a large cell, towards the aim") {
  words::Fire fire;
  fire.set_vy(100);
  Play large;
  large.plays(60);
  large.hears(fire);
  CHECK(has(large.waits(kTick), "x=0 y=-884 splits=1 minion_splits=0 flags=0 "));
  CHECK(has(large.waits(kTick), "x=0 y=-884 splits=0 "));  // a server looks once a tick
  CHECK(has(large.waits(kTick), "x=0 y=0 splits=0 "));
  words::Split split;
  split.set_count(3);
  large.hears(split);
  CHECK(has(large.waits(kTick), "splits=3 "));
  CHECK(has(large.waits(kTick), "splits=0 "));
  words::Trigger trigger;
  trigger.set_primary(true);
  large.hears(trigger);
  large.hears(trigger);
  CHECK(has(large.waits(kTick), "splits=1 "));
}

TEST_CASE("ogar back: shots above the server's limit are dropped, and no shot is kept for the next life") {
  words::Fire fire;
  fire.set_vx(100);
  Play small, large;
  small.plays(50);
  small.receives(Shown().add(20, CellType::kPlayer, 600, 0, 40, "ben"));
  small.receives(Shown().add(40, CellType::kEjected, 720, 0, 38));  // so this server lets such a cell eject mass
  for (int i = 0; i < 1000; ++i) small.hears(fire);
  CHECK(count(small.waits(2 * kSecond), "flags=16 ") == 3);
  for (int i = 0; i < 3; ++i) small.hears(fire);
  std::string dying = small.waits(kTick);
  dying += small.receives(Shown().remove(7));
  dying += small.waits(kTick);
  dying += small.receives(Shown().add(8, CellType::kPlayer, 0, 0, 32, "anna", true));
  dying += small.waits(kSecond);
  CHECK(count(dying, "flags=16 ") == 1);
  large.plays(60);
  for (int i = 0; i < 256; ++i) large.hears(fire);
  CHECK(has(large.waits(kTick), "splits=255 "));
}

TEST_CASE("ogar back: Q is held for two updates, however short the press") {
  Play play;
  play.plays();
  words::Button down, up;
  down.set_down(true);
  play.hears(down);
  play.hears(up);
  CHECK(has(play.waits(kTick), "flags=4 "));
  CHECK(has(play.waits(kTick), "flags=0 "));
  CHECK(has(play.waits(kTick), "flags=8 "));
  CHECK(has(play.waits(kTick), "flags=0 "));
  play.hears(down);
  CHECK(has(play.waits(kTick), "flags=4 "));
  CHECK(has(play.waits(10 * kTick), "flags=0 "));
  play.hears(up);
  CHECK(has(play.waits(kTick), "flags=8 "));
}

TEST_CASE(
    "ogar back: Q is held for two ticks, at whatever time in a tick it is pressed; two ejects go out in two ticks") {
  for (const core::Micros late : {0U, 1U, 20U, 39U}) {
    Play play;
    play.plays();
    play.waits(kTick + late * core::kMillisecond);
    words::Button down, up;
    down.set_down(true);
    play.hears(down);
    play.hears(up);
    std::vector<int> pressed, released, ejected;
    for (int ms = 0; ms < 400; ++ms) {
      words::Toward toward;
      toward.set_x(ms);  // the mouse never rests
      std::string said = play.hears(toward);
      if (ms == 200 || ms == 201) said += play.hears(words::Eject());
      said += play.waits(core::kMillisecond);
      if (has(said, "flags=4 ")) pressed.push_back(ms);
      if (has(said, "flags=8 ")) released.push_back(ms);
      if (has(said, "flags=16 ")) ejected.push_back(ms);
    }
    CAPTURE(late);
    REQUIRE(pressed.size() == 1);
    REQUIRE(released.size() == 1);
    CHECK(released[0] - pressed[0] >= 80);
    CHECK(released[0] - pressed[0] <= 120);
    REQUIRE(ejected.size() == 2);
    CHECK(ejected[1] - ejected[0] >= 39);  // to the millisecond
  }
}

TEST_CASE("ogar back: a spawn name that is too long for the server is truncated and ends with dots") {
  Play play;
  play.opens();
  play.enters("anna of the seven seas");
  play.hears(words::Spawn());
  play.receives(Shown().border());
  CHECK(has(play.waits(kTick), " flags=1 name=\"anna of the s...\" "));
}

TEST_CASE("ogar back: a skin that does not fit beside the name is left out") {
  Play play;
  play.opens();
  words::Enter enter;
  enter.set_name("anna");
  enter.set_skin("a skin with a long name");
  play.hears(enter);
  play.hears(words::Spawn());
  play.receives(Shown().border());
  CHECK(has(play.waits(kTick), " flags=1 name=\"anna\" "));
}

TEST_CASE("ogar back: a player has the name that the server shows until its next life") {
  Play play;
  play.plays();
  words::Change change;
  change.set_name("bea");
  const std::string answer = play.hears(change);
  CHECK_FALSE(has(answer, "bea"));
  CHECK(has(answer, "says ClaimRefused why: \"a new name or skin applies from the next life on\" (to 1)\n"));
  play.receives(Shown().remove(7));
  play.hears(words::Spawn());
  CHECK(has(play.waits(kSecond), "name=\"bea\""));
  CHECK(
      has(play.receives(Shown().add(8, CellType::kPlayer, 0, 0, 32, "bea", true)), "says Player id: 1 name: \"bea\" "));
}

TEST_CASE("ogar back: a spectator who begins to play is a player, also after it changes its name") {
  Play play;
  play.opens();
  words::Enter enter;
  enter.set_name("anna");
  enter.set_role(words::WATCH);
  play.hears(enter);
  CHECK(has(play.receives(Shown().border()), " role: WATCH "));
  words::Watch stop;
  play.hears(stop);
  play.hears(words::Spawn());
  play.waits(kTick);
  play.receives(Shown().add(7, CellType::kPlayer, 0, 0, 32, "anna", true));
  play.receives(Shown().remove(7));
  words::Change change;
  change.set_name("bea");
  const std::string told = play.hears(change);
  CHECK(has(told, "says Player id: 1 name: \"bea\" "));
  CHECK_FALSE(has(told, "WATCH"));
  CHECK_FALSE(has(told, "ClaimRefused"));
}

TEST_CASE("ogar back: chat to all is sent at one line a second, and none in the first second") {
  Play play;
  const auto says = [&](const char* text, words::Say::Scope scope = words::Say::EVERYBODY) {
    words::Say say;
    say.set_text(text);
    say.set_scope(scope);
    return play.hears(say);
  };
  play.opens();
  play.receives(Shown().border());
  CHECK(says("hello") == "");
  CHECK(says("world") == "");
  CHECK(says("psst", words::Say::MY_TEAM) == "loses Say: chat reaches everybody, but this was not for everybody\n");
  CHECK(play.waits(kSecond) == "");
  CHECK(has(play.waits(200 * kMillisecond), "flags=128 chat=[\"hello\"]"));
  CHECK(play.waits(kSecond - kTick) == "");
  CHECK(has(play.waits(200 * kMillisecond), "flags=128 chat=[\"world\"]"));
  CHECK(says(std::string(500, 'x').c_str()) == "");
  CHECK(has(play.waits(1200 * kMillisecond), "flags=128 chat=[\"" + std::string(397, 'x') + "...\"]"));
  for (int i = 0; i < 5; ++i) CHECK(says("flood") == "");
  CHECK(says("flood") == "loses Say: the server accepts one line a second\n");
}

TEST_CASE("ogar back: watching sends the spectate flag; roaming sends Q after it") {
  Play play;
  play.opens();
  play.receives(Shown().border());
  words::Watch watch;
  watch.set_mode(words::Watch::ROAM);
  play.hears(watch);
  CHECK(has(play.waits(kTick), "flags=2 "));
  play.waits(kTick);
  CHECK(has(play.waits(kTick), "flags=4 "));
  play.receives(Shown().add(7, CellType::kPlayer, 0, 0, 32, "anna", true));  // a life that it did not ask for
  play.waits(4 * kTick);
  play.receives(Shown().remove(7));
  play.waits(kTick);
  play.hears(watch);
  CHECK(has(play.waits(kTick), "flags=2 "));
  CHECK(play.receives(Shown().camera(100, -200, 0.4F)) ==
        "says View x: 5.6569084995050209 y: 11.313816999010042 width: 271.53160393010478 height: 152.73652721068393 "
        "(to 1)\n");
}

TEST_CASE(
    "ogar back: a unit that leaves the view is hidden, an eaten one is gone, and a player without cells is dead") {
  Play play;
  play.plays();
  CHECK(play.receives(Shown()
                          .add(20, CellType::kPlayer, 500, 0, 60, "ben")
                          .add(21, CellType::kPlayer, 600, 0, 40, "ben")
                          .add(22, CellType::kPellet, 30, 0, 10)) ==
        "says Player id: 102 name: \"ben\" team: ROGUE colour: 16715840 responding: true\n"
        "says Unit id: 103 owner: 102 kind: CELL team: ROGUE colour: 16715840 radius: 3.3941450997030125 alive: true "
        "pose { unit: 103 x: 28.284542497525102 radius: 3.3941450997030125 }\n"
        "says Unit id: 104 owner: 102 kind: CELL team: ROGUE colour: 16715840 radius: 2.2627633998020085 alive: true "
        "pose { unit: 104 x: 33.941450997030124 radius: 2.2627633998020085 }\n"
        "says Unit id: 105 kind: PELLET colour: 16715840 radius: 0.56569084995050212 alive: true pose { unit: 105 x: "
        "1.6970725498515062 radius: 0.56569084995050212 }\n"
        "says Owns player: 102 units: 103 units: 104 active: 103\n");
  CHECK(play.receives(Shown().eat(22, 7).move(7, 10, 0, 33)) ==
        "says Pose unit: 101 x: 0.56569084995050212 vx: 14.142271248762553 radius: 1.8667798048366568\n"
        "says Gone unit: 105 by: 101 why: BY_TOUCH\n");
  play.receives(Shown().move(21, 950, 0));
  CHECK(play.receives(Shown().remove(21)) ==
        "says Hidden unit: 104\n"
        "says Owns player: 102 units: 103 units: 104 active: 103\n");
  CHECK(play.receives(Shown().add(21, CellType::kPlayer, 610, 0, 41, "ben")) ==
        "says Unit id: 104 owner: 102 kind: CELL team: ROGUE colour: 16715840 radius: 2.3193324847970587 alive: true "
        "pose { unit: 104 x: 34.507141846980623 radius: 2.3193324847970587 }\n"
        "says Owns player: 102 units: 103 units: 104 active: 103\n");
  CHECK(play.receives(Shown().eat(7, 20)) ==
        "says Died player: 1 unit: 101 killer: 102 why: BY_TOUCH synthesised: true\n"
        "says Score player: 1 losses: 1\n"
        "says Score player: 102 wins: 1\n"
        "says Gone unit: 101 by: 103 why: BY_TOUCH\n"
        "says Owns player: 1\n");
  // Of two cells, one is out of sight: its player dies only when both are eaten.
  play.receives(Shown().add(30, CellType::kPlayer, 0, 0, 500, "zoe").remove(21));
  CHECK(!has(play.receives(Shown().eat(20, 30)), "Died"));
  play.receives(Shown().add(21, CellType::kPlayer, 610, 0, 41, "ben"));
  CHECK(has(play.receives(Shown().eat(21, 30)), "says Died player: 102 unit: 104 killer: 106 why: BY_TOUCH"));
}

TEST_CASE(
    "ogar back: a piece thrown off by another player is a shot, one per update; one that comes into view is not") {
  Play play;
  play.plays();
  CHECK(!has(play.receives(
                 Shown().add(20, CellType::kPlayer, 500, 0, 100, "ben").add(21, CellType::kPlayer, 620, 0, 90, "ben")),
             "Shot"));
  CHECK(has(play.receives(Shown()
                              .move(20, 500, 0, 71)
                              .move(21, 620, 0, 64)
                              .add(30, CellType::kPlayer, 500, -126, 71, "ben")
                              .add(31, CellType::kPlayer, 620, -126, 64, "ben")),
            "says Shot shooter: 102 unit: 103 shot: 1 x: 28.284542497525102 vx: "));
  const std::string eject = play.receives(Shown().add(40, CellType::kEjected, 720, 0, 38));
  CHECK(has(eject, "says Shot shooter: 102 unit: 104 shot: 2 x: 35.07283269"));
  CHECK(has(eject, " life: 0.44 range: 44.1"));
  CHECK(!has(play.receives(Shown().add(41, CellType::kEjected, 900, 700, 38)), "Shot"));      // near no cell
  CHECK(!has(play.receives(Shown().add(35, CellType::kPlayer, 560, 0, 64, "ben")), "Shot"));  // it was there before
}

TEST_CASE("ogar back: in a flood of mass, some throwers are not searched for, but every eaten unit is reported") {
  constexpr std::uint32_t kFlood = 9'000;
  Play play;
  play.plays();
  Shown before, flood;
  before.add(20, CellType::kPlayer, 500, 0, 100, "ben");
  for (std::uint32_t i = 0; i < kFlood; ++i) {
    before.add(100 + i, CellType::kPellet, 30, 0, 10);
    flood.add(20'000 + i, CellType::kEjected, 620, 0, 38).eat(100 + i, 7).eat(100 + i, 20);
  }
  play.receives(before);
  const std::string told = play.receives(flood);
  CHECK(count(told, "says Shot shooter: 102 ") == 1);
  CHECK(count(told, "loses Update.added: too much is ejected at once to know by whom\n") > kFlood / 2);
  CHECK(count(told, " by: 101 why: BY_TOUCH\n") == kFlood);
  play.waits(kTick);
  CHECK(has(play.receives(Shown().add(40'000, CellType::kEjected, 620, 0, 38)), "says Shot shooter: 102 "));
}

TEST_CASE("ogar back: cells of a player above the limit are dropped") {
  constexpr std::uint32_t kMost = 256;
  Play play;
  play.plays();
  Shown mine, bens, none;
  for (std::uint32_t i = 1; i <= 9'000; ++i) {
    mine.add(100 + i, CellType::kPlayer, 0, 0, 32, "anna", true);
    bens.add(10'000 + i, CellType::kPlayer, 300, 0, 32, "ben");
    none.remove(100 + i).remove(10'000 + i);
  }
  for (auto& [shown, player, new_ones] : {std::tuple{&mine, 1, kMost - 1}, std::tuple{&bens, 9'102, kMost}}) {
    const std::string told = play.receives(*shown);
    CHECK(count(told, "loses Update.added: more cells than a player can have\n") == 9'000 - new_ones);
    CHECK(count(told, " owner: " + std::to_string(player) + " kind: CELL ") == new_ones);
    CHECK(count(told.substr(told.rfind("says Owns ")), " units: ") == kMost);
  }
  const std::string gone = play.receives(none.eat(7, 10'001));
  CHECK(count(gone, "says Gone ") + count(gone, "says Hidden ") == 18'001);
  CHECK(has(gone, "says Died player: 1 "));
  CHECK(has(play.receives(Shown().add(30'000, CellType::kPlayer, 0, 0, 32, "anna", true)), " owner: 1 kind: CELL "));
}

TEST_CASE("ogar back: players above the limit are not known, and neither their cells nor pellets belong to anybody") {
  constexpr int kMost = 500;
  Play play;
  play.plays();
  Shown crowd;
  for (std::uint32_t i = 1; i <= kMost + 100; ++i)
    crowd.add(100 + i, CellType::kPlayer, 0, 0, 32, ("bot " + std::to_string(i)).c_str());
  std::string told = play.receives(crowd);
  CHECK(count(told, "says Player ") == kMost - 1);  // anna is known already
  CHECK(count(told, "loses Update.added.name: more players than a room keeps\n") == 101);
  told += play.receives(Shown().add(2'000, CellType::kPellet, 30, 0, 10).remove(101 + kMost));
  told += play.receives(Shown().remove(2'000));
  CHECK_FALSE(has(told, "player: 0"));
  CHECK(count(told, "says Owns ") == kMost - 1);
  CHECK_FALSE(has(told, "says Owns units: "));
}

TEST_CASE("ogar back: the view follows the latest positions of the player's cells") {
  for (const bool goes : {false, true}) {
    Play play;
    play.plays();
    play.receives(Shown().add(20, CellType::kVirus, 300, 0, 100));
    Shown shown;
    if (goes) shown.move(7, 5000, 0);
    CHECK(has(play.receives(shown.remove(20)), goes ? "says Hidden unit: 102\n" : "says Gone unit: 102\n"));
  }
}

TEST_CASE("ogar back: an own shot ends after its flight; at once if the cell is too small to split") {
  words::Fire fire;
  fire.set_shot(7);
  fire.set_vx(100);
  Play play;
  play.plays(60);
  CHECK(play.hears(fire) == "");
  CHECK(!has(play.waits(400 * kMillisecond), "ShotEnded"));
  CHECK(has(play.waits(80 * kMillisecond), "says ShotEnded shooter: 1 shot: 7\n"));
  Play small;
  small.plays(59);
  CHECK(has(small.hears(fire), "says ShotEnded shooter: 1 shot: 7\n"));
  Play shrunk;  // while its shot flies
  shrunk.plays(60);
  shrunk.hears(fire);
  shrunk.receives(Shown().add(7, CellType::kPlayer, 0, 0, 30, "anna"));
  fire.set_shot(8);
  CHECK(has(shrunk.hears(fire), "says ShotEnded shooter: 1 shot: 8\n"));
}

TEST_CASE("ogar back: a cell that is removed inside the view is gone, and does not keep its player alive") {
  Play play;
  play.plays();
  play.receives(Shown().add(20, CellType::kPlayer, 300, 0, 60, "ben").add(21, CellType::kPlayer, 400, 0, 40, "ben"));
  CHECK(has(play.receives(Shown().remove(21)), "says Gone unit: 104\n"));
  CHECK(has(play.receives(Shown().eat(20, 7)), "says Died player: 102 unit: 103 killer: 1 why: BY_TOUCH"));
  play.receives(Shown().add(22, CellType::kPlayer, 900, 0, 40, "zoe"));
  CHECK(has(play.receives(Shown().remove(22)), "says Hidden"));  // it may just have left the view
  play.receives(Shown().add(23, CellType::kPlayer, 100, 0, 30, "tim"));
  CHECK(has(play.receives(Shown().remove(23)), "says PlayerGone id: 107 why: \"its cells are gone\"\n"));
}

TEST_CASE("ogar back: a player whose last visible cell is eaten is dead if the board has room and does not list it") {
  for (const bool listed : {false, true}) {
    Play play;
    play.plays();
    play.receives(Shown().add(20, CellType::kPlayer, 300, 0, 60, "ben").add(21, CellType::kPlayer, 950, 0, 40, "ben"));
    play.receives(Shown().remove(21));                                         // out of sight
    CHECK(!has(play.receives(Shown().eat(20, 7).row(1, 3, "anna")), "Died"));  // it may be an old board
    play.waits(kTick);
    Shown board;
    board.row(1, 3, "anna");
    if (listed) board.row(2, 0, "ben");
    const std::string told = play.receives(board);
    CHECK(has(told, "says Died player: 102 unit: 103 killer: 1 why: BY_TOUCH synthesised: true\n") == !listed);
    CHECK(has(told, "says Score player: 1 wins: 1\n") == !listed);
    play.waits(kTick);
    CHECK(!has(play.receives(Shown().row(1, 3, "anna")), "Died"));
  }
}

TEST_CASE("ogar back: a unit out of sight for a minute is gone; its player is gone ten minutes later") {
  Play play;
  play.plays();
  play.receives(Shown().add(20, CellType::kPlayer, 900, 0, 60, "ben"));
  play.receives(Shown().remove(20));
  CHECK(!has(play.waits(60 * kSecond), "Gone"));
  CHECK(has(play.waits(kSecond), "says Gone unit: 103"));
  CHECK(!has(play.waits(599 * kSecond), "PlayerGone"));
  CHECK(has(play.waits(2 * kSecond), "says PlayerGone id: 102"));
}

TEST_CASE(
    "ogar back: a name whose cells are all out of sight, and that comes back in a new colour, is the same player") {
  Play play;
  play.plays();
  const auto add = [](Shown& shown, std::uint32_t id, float x, const ogar::Colour& colour) -> Shown& {
    return shown.add(id, CellType::kPlayer, x, 0, 40, "ben", false, colour);
  };
  Shown first, apart;
  play.receives(add(first, 20, 900, {255, 16, 64}).add(21, CellType::kPlayer, 950, 0, 60, "ben"));
  play.receives(Shown().remove(20));
  CHECK(
      has(play.receives(add(apart, 30, 100, {16, 64, 255})), "says Player id: "));  // one cell is in sight: another ben
  play.receives(Shown().remove(21));
  play.waits(kSecond);
  Shown next;
  const std::string born = play.receives(add(next, 40, 100, {64, 255, 16}));
  CHECK(count(born, "says Player id: 102 name: \"ben\"") == 1);
  CHECK(count(born, "says Player ") == 1);
  CHECK(count(born, "says Gone unit: ") == 2);  // its old cells
  CHECK(!has(born, "Died"));                    // nobody knows how they ended
  CHECK(!has(born, "PlayerGone"));
  // Its last cell in sight was eaten, and it had others: its next life says that they are gone, too.
  Shown two;
  play.receives(two.add(50, CellType::kPlayer, 100, 0, 30, "zoe").add(51, CellType::kPlayer, 950, 0, 30, "zoe"));
  play.receives(Shown().remove(51));
  CHECK(!has(play.receives(Shown().eat(50, 7)), "Died"));
  Shown again;
  const std::string told = play.receives(again.add(52, CellType::kPlayer, 100, 0, 30, "zoe", false, {64, 255, 16}));
  CHECK(has(told, "says Died player: 108 "));
  CHECK(has(told, "says Spawned unit: "));
}

TEST_CASE("ogar back: units out of sight still belong to their player") {
  Play play;
  play.plays();
  play.receives(Shown().add(20, CellType::kPlayer, 900, 0, 60, "ben").add(21, CellType::kPlayer, 950, 0, 60, "ben"));
  CHECK(has(play.receives(Shown().remove(20)), "says Owns player: 102 units: 104 units: 103 active: 104\n"));
  CHECK(has(play.receives(Shown().remove(21)), "says Owns player: 102 units: 103 units: 104\n"));
  const std::string back = play.receives(Shown().add(21, CellType::kPlayer, 900, 0, 60, "ben"));
  CHECK(has(back, "says Owns player: 102 units: 104 units: 103 active: 104\n"));
  CHECK(!has(back, "says Spawned"));
}

TEST_CASE("ogar back: a unit without further updates stands still") {
  Play play;
  play.plays();
  play.receives(Shown().add(20, CellType::kPlayer, 0, 0, 60, "ben"));
  CHECK(play.receives(Shown().move(20, 8.83875F, 0)) ==
        "says Pose unit: 103 x: 0.499999993526182 vx: 12.499999838154551 radius: 3.3941450997030125\n");
  play.waits(kTick);
  play.receives(Shown().move(20, 17.6775F, 0));
  CHECK(!has(play.waits(kTick), "says Pose"));  // its first move is old, and it has moved again
  CHECK(has(play.waits(kTick), "says Pose unit: 103 x: 0.999999987052364 radius:"));
}

TEST_CASE("ogar back: a cell that is added again and moves, many times, takes no more memory") {
  Play play;
  play.plays();
  const auto play_on = [&](int times) {
    for (int i = 0; i < times; ++i) {
      Shown shown;
      for (std::uint32_t id = 20; id < 120; ++id)
        shown.add(id, CellType::kVirus, 0, 0, 60).move(id, static_cast<float>(i % 10), 0);
      play.receives(shown);
      play.waits(kTick);
    }
  };
  play_on(30);
  const std::size_t before = bytes_in_use();
  play_on(120);
  CHECK(bytes_in_use() < before + 10'000);
  CHECK(count(play.waits(2 * kTick), "says Pose ") == 100);  // each stops once
}

TEST_CASE(
    "ogar back: a long name or skin is truncated to a player's limit, and the truncated name identifies the player") {
  const auto lengthy = [](const std::string& start) { return start + std::string(20'000, 'x'); };
  const auto kept = [](const std::string& start) { return start + std::string(61 - start.size(), 'x') + "..."; };
  Play play;
  play.plays();
  ogar::Update dressed;
  dressed.flags = ogar::kUpdated;
  ogar::UpdatedCell& cell = dressed.updated.emplace_back();
  cell.id = 20;
  cell.flags = 24;
  cell.name.chars = lengthy("zoe");
  cell.skin.chars = lengthy("cat");
  std::size_t before = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    if (i == 20) before = bytes_in_use();
    const std::string name = "ben" + std::to_string(i);
    const std::string told = play.receives(Shown().add(20 + i, CellType::kPlayer, 300, 0, 60, lengthy(name).c_str()));
    CHECK(has(told, " name: \"" + kept(name) + "\" "));
    play.receives(Shown().add(100 + i, CellType::kVirus, 300, 0, 60, lengthy(name).c_str()));
    cell.id = 20 + i;
    const std::string changed = play.receives(spoken(dressed, wire::Way::kToClient));
    CHECK(has(changed, " name: \"" + kept("zoe") + "\" skin: \"" + kept("cat") + "\"\n"));
    CHECK(play.receives(spoken(dressed, wire::Way::kToClient)).find("skin: ") == std::string::npos);
  }
  CHECK(bytes_in_use() < before + 100'000);
  CHECK(
      has(play.receives(Shown().row(1, 0, lengthy("ben0").c_str())), "player: 102 name: \"" + kept("ben0") + "\" }\n"));
  CHECK(has(play.receives(Shown().chat(lengthy("ben0").c_str(), "hi")), "says Said from: 102 text: \"hi\""));
}

TEST_CASE("ogar back: the scale does not depend on the size of the map, so a cell is as fast as a tank everywhere") {
  for (const float side : {2400.0F, 14142.0F, 40'000.0F}) {
    Play play;
    play.opens();
    play.enters();
    play.hears(words::Spawn());
    const double half = static_cast<double>(side) / 2 * 800 / 14142;
    const std::string world = play.receives(Shown().border({0, side, 0, side / 2}));
    CHECK(has(world, "hash: \"ogar " + std::to_string(half).substr(0, 6)));
    CHECK(
        has(play.receives(Shown().add(9, CellType::kVirus, side / 2 + 1415, side / 4, 141)), "pose { unit: 101 x: 80"));
    play.receives(Shown().add(7, CellType::kPlayer, 0, 0, 32, "anna", true));
    CHECK(has(play.waits(kTick), "says Rule name: \"speed\" value: \"27.1"));
  }
}

TEST_CASE("ogar back: cells without a border are a world, too") {
  Play play;
  play.opens();
  play.enters();
  play.hears(words::Spawn());
  const std::string seen = play.receives(Shown().add(9, CellType::kVirus, 30'000, -5000, 100));
  CHECK(has(seen,
            "says World hash: \"ogar 800.000000 by 800.000000 open\" west: -800 east: 800 south: -800 "
            "north: 800\n"));
  CHECK(has(seen, "pose { unit: 101 radius: "));  // the origin is what is seen first
  CHECK(has(play.waits(kTick), "flags=1 name=\"anna\""));
}

TEST_CASE("ogar back: a server that tells no border before its true one hides none") {
  Play play;
  play.opens();
  play.enters();
  play.hears(words::Spawn());
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(play.receives(Shown().border({nan, nan, nan, nan})) == "");
  CHECK(has(play.receives(Shown().border()), "west: -400 east: 400 south: -400 north: 400 walled: true\n"));
}

TEST_CASE("ogar back: a cleared world is empty, and no spawn name is sent until there is a new one") {
  Play play;
  play.plays();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(play.receives(Shown().clear().border({nan, nan, nan, nan})) ==
        "says Died player: 1 unit: 101 why: BY_SERVER synthesised: true\n"
        "says Score player: 1 losses: 1\n"
        "says Gone unit: 101 why: BY_SERVER\n"
        "says Owns player: 1\n"
        "says Board\n");
  play.hears(words::Spawn());
  CHECK(play.waits(kSecond).find("flags=1") == std::string::npos);
  CHECK(play.receives(Shown().move(7, 1, 1).remove(8)) == "");  // cells of the cleared world
  play.receives(Shown().border());
  CHECK(has(play.waits(kTick), "flags=1 "));
}

TEST_CASE("ogar back: a team follows from a cell's colour; a board with values that are not finite is dropped") {
  Play play;
  play.opens();
  play.receives(Shown().teams().border());
  CHECK(has(play.receives(Shown().add(20, CellType::kPlayer, 0, 0, 60, "ben")), "team: RED"));
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(play.receives(Shown().slices({nan, nan, nan})) == "loses Update.board.slices: a number is not finite\n");
  CHECK(play.receives(Shown().slices({0.5F, 0.25F, 0.25F})) == "says Board slices: 0.5 slices: 0.25 slices: 0.25\n");
}

TEST_CASE("ogar back: rows of the board and lines of chat name their players") {
  Play play;
  play.plays();
  play.receives(Shown().add(20, CellType::kPlayer, 0, 0, 60, "ben"));
  CHECK(play.receives(Shown().row(1, 0, "ben").row(2, 3, "anna")) ==
        "says Board rows { place: 1 player: 102 name: \"ben\" } rows { place: 2 player: 1 name: \"anna\" me: true "
        "marked: true }\n");
  CHECK(play.receives(Shown().row(1, 0, "ben").row(2, 3, "anna")) == "");
  CHECK(play.receives(Shown().chat("ben", "hi").chat("Server", "welcome", true).chat("zoe", "hm")) ==
        "says Said from: 102 text: \"hi\" colour: 16715840 name: \"ben\"\n"
        "says Said text: \"welcome\" colour: 16715840\n"
        "says Said text: \"hm\" colour: 16715840 name: \"zoe\"\n");
}

TEST_CASE("ogar back: a board has at most a hundred rows, slices or lines") {
  Play play;
  play.plays();
  Shown rows;
  for (std::uint16_t i = 1; i <= 5'000; ++i) rows.row(i, 0, "ben");
  const char* lost = "loses Update.board: more rows than a board can have\n";
  ogar::Update others;
  others.flags = ogar::kBoard;
  others.board.slices.assign(5'000, 0.5F);
  others.board.lines.resize(5'000);
  std::string told = play.receives(rows);
  CHECK(has(told, lost));
  CHECK(count(told, " rows { ") == 100);
  for (const std::uint8_t type : {std::uint8_t{2}, std::uint8_t{3}}) {
    others.board.type = type;
    told = play.receives(spoken(others, wire::Way::kToClient));
    CHECK(has(told, lost));
    CHECK(count(told, type == 2 ? " slices: " : " lines: ") == 100);
  }
}

TEST_CASE("ogar back: the answer to a ping is reported as lag") {
  Play play;
  play.opens();
  play.receives(Shown().border());
  CHECK(play.waits(5 * kSecond) == "sends Ping trailing=<0 bytes>\n");
  play.waits(30 * kMillisecond);
  CHECK(play.receives(spoken(ogar::Pong{}, wire::Way::kToClient)) == "says Lag player: 1 ping_s: 0.03\n");
}

TEST_CASE("ogar back: an invalid message ends the session; a failed connection is reported to the player") {
  Play play, other, third;
  play.opens();
  CHECK(play.receives(from_hex("07")) == "fails: unknown message code 0\n");
  other.opens();
  CHECK(other.receives(from_hex("038000 01000000")) == "fails: message too short type 7\n");
  CHECK(third.stage.ends("connection refused") == "says Refused code: SERVER_GONE text: \"connection refused\"\n");
}

TEST_CASE("ogar back: intents that Ogar cannot express are counted") {
  Play play;
  CHECK(play.hears(words::Reload()) == "loses Reload: a cell can shoot in only one way\n");
  words::Change change;
  change.set_name("anna");
  CHECK(play.hears(change) == "");
  change.set_team(words::RED);
  CHECK(play.hears(change) == "loses Change: a player chooses only its name and its skin\n");
  play.plays();
  CHECK(play.hears(words::Leave()) == "closes: the player left 1000\n");
}

TEST_CASE("ogar back: each kind of intent is carried out, or counted by a reason of the mapping") {
  check_every_intent(ogar::mapping(), [](const core::Intent& intent) {
    Play fresh;
    fresh.plays();
    return fresh.hears(intent);
  });
}

}  // namespace
}  // namespace entente::testing::back_test
