// Our client of an Ogar server: what it sends for each wish of its player, and the facts that other tests leave out.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "adapters/ogar/ogar.h"
#include "tests/ogar/spoken.h"
#include "tests/support/stage.h"

namespace entente::testing::wishes_test {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;
using ogar::CellType;

constexpr Micros kTick = 40 * kMillisecond;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

bool has(const std::string& all, std::string_view part) { return all.find(part) != std::string::npos; }
std::size_t count(const std::string& all, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = all.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

/// Connected, and shown a world.
struct Connected {
  Connected() : stage(ogar::faces().back({}), ogar::game(), 0, wire::Way::kToServer) {
    stage.opens();
    words::Enter enter;
    enter.set_name("anna");
    hears(enter);
    stage.receives(Buffer(Shown().border()));
  }
  std::string receives(const Buffer& bytes) { return stage.receives(bytes); }
  std::string hears(core::Intent word) { return stage.hears(std::move(word)); }
  std::string waits(Micros how_long) { return stage.waits(how_long); }

  BackStage stage;
};

/// In play: our cell 7 is unit 101, at 0 0.
struct Playing : Connected {
  explicit Playing(std::uint16_t size = 32) {
    hears(words::Spawn());
    waits(kTick);
    receives(Shown().add(7, CellType::kPlayer, 0, 0, size, "anna", true));
    waits(kTick);
  }
};

words::Watch watch(words::Watch::Mode mode) {
  words::Watch watch;
  watch.set_mode(mode);
  return watch;
}
words::Say say(const char* text, words::Say::Kind kind = words::Say::CHAT) {
  words::Say say;
  say.set_text(text);
  say.set_kind(kind);
  return say;
}

// -- Wishes -----------------------------------------------------------------------------------------------------------

TEST_CASE("ogar back: what is for minions is not for the player's own cells, and each is sent once") {
  Playing play;
  words::Split split;
  split.set_count(3);
  split.set_minions(true);
  play.hears(split);
  CHECK(has(play.waits(kTick), " splits=0 minion_splits=3 flags=0 "));
  CHECK(has(play.waits(kTick), " splits=0 minion_splits=0 flags=0 "));
  words::Eject eject;
  eject.set_minions(true);
  play.hears(eject);
  CHECK(has(play.waits(kTick), " flags=32 "));
  CHECK(has(play.waits(kTick), " flags=0 "));
  play.hears(words::Freeze());
  CHECK(has(play.waits(kTick), " flags=64 "));
  CHECK(has(play.waits(kTick), " flags=0 "));
}

TEST_CASE("ogar back: a split of none is one, and a released trigger shoots nothing") {
  Playing play(60);
  play.hears(words::Split());
  CHECK(has(play.waits(kTick), " splits=1 "));
  words::Trigger trigger;
  trigger.set_primary(true);
  play.hears(trigger);
  CHECK(has(play.waits(kTick), " splits=1 "));
  trigger.set_primary(false);
  CHECK(play.hears(trigger) == "");
  CHECK(has(play.waits(kTick), " splits=0 "));
}

TEST_CASE("ogar back: a split or an eject that the server ignores is counted, and told once a minute at most") {
  const std::string_view lost = "loses Split: the server did not answer in time\n";
  const std::string_view told = "the server has not split your cell or ejected mass";
  const auto vain = [&](Playing& play, const core::Intent& wish) {
    play.hears(wish);
    return play.waits(2 * kSecond);
  };
  const auto splits = [](Playing& play, std::uint32_t id) {
    play.hears(words::Split());
    play.waits(kTick);
    play.receives(Shown().add(id, CellType::kPlayer, 100, 0, 60, "anna", true));
    return play.waits(2 * kSecond);
  };
  Playing play(60);
  for (const bool first : {true, false}) {
    const std::string all = vain(play, words::Split());
    CHECK(count(all, lost) == 1);
    CHECK(count(all, told) == (first ? 1 : 0));
  }
  CHECK_FALSE(has(splits(play, 8), lost));
  for (const std::uint32_t id : {9U, 10U}) {
    const std::string soon = vain(play, words::Eject());
    CHECK(count(soon, lost) == 1);
    CHECK_FALSE(has(soon, told));
    play.waits(id == 9 ? 40 * kSecond : 20 * kSecond);
    CHECK_FALSE(has(splits(play, id), lost));
  }
  CHECK(has(vain(play, words::Eject()), told));
}

TEST_CASE("ogar back: what the server does, what its rules forbid, and what a death ends is not missed") {
  const std::string_view lost = "loses Split";
  Playing ejects(60);
  ejects.hears(words::Eject());
  ejects.waits(kTick);
  ejects.receives(Shown().add(8, CellType::kEjected, 100, 0, 38, "", false, {1, 2, 3}));  // in a colour of its own
  CHECK_FALSE(has(ejects.waits(2 * kSecond), lost));
  Playing small(59);
  small.hears(words::Split());
  small.hears(words::Eject());
  CHECK_FALSE(has(small.waits(2 * kSecond), lost));
  Playing many(60);
  Shown more;
  for (std::uint32_t id = 8; id < 23; ++id) more.add(id, CellType::kPlayer, 0, 0, 60, "anna", true);
  many.receives(more);
  many.hears(words::Split());
  CHECK_FALSE(has(many.waits(2 * kSecond), lost));
  Playing minions(60);
  words::Split split;
  split.set_minions(true);
  minions.hears(split);
  CHECK_FALSE(has(minions.waits(2 * kSecond), lost));
  Playing dies(60);
  dies.hears(words::Split());
  dies.waits(kTick);
  dies.receives(Shown().remove(7));
  CHECK_FALSE(has(dies.waits(2 * kSecond), lost));
  Playing far(60);
  far.hears(words::Split());
  far.waits(kTick);
  far.receives(Shown().add(8, CellType::kPlayer, 1000, 0, 60, "ben"));
  CHECK(has(far.waits(2 * kSecond), lost));
}

TEST_CASE("ogar back: a shot with the number 0 ends as any other; one that hits at once has no end to be told") {
  Playing play(60);
  words::Fire fire;
  fire.set_vx(1);
  fire.set_kind(words::RAY);
  play.hears(fire);
  CHECK_FALSE(has(play.waits(kSecond), "ShotEnded"));
  fire.set_kind(words::BALL);
  play.hears(fire);
  CHECK(has(play.waits(kSecond), "says ShotEnded shooter: 1\n"));
}

TEST_CASE("ogar back: a player who has no cell does not shoot") {
  Connected none;
  words::Fire fire;
  fire.set_vx(1);
  CHECK(has(none.hears(fire), "loses Fire: "));
  CHECK_FALSE(has(none.waits(kSecond), "splits=1"));
}

TEST_CASE("ogar back: the mouse of a watcher is where it looks, or at the place that it chose") {
  Connected play;
  play.hears(watch(words::Watch::ROAM));
  play.waits(4 * kTick);
  play.receives(Shown().camera(100, -200, 0.4F));
  CHECK(has(play.waits(kTick), "x=100 y=-200 "));
  words::Watch place = watch(words::Watch::PLACE);
  place.set_x(50);
  place.set_y(-50);
  play.hears(place);
  CHECK(has(play.waits(kTick), "x=884 y=884 "));
}

TEST_CASE("ogar back: who follows a player follows the leader instead, and is told so") {
  Connected play;
  CHECK(has(play.hears(watch(words::Watch::PLAYER)), "loses Watch"));
  CHECK(has(play.waits(kTick), " flags=2 "));
  CHECK_FALSE(has(play.waits(kSecond), " flags=2 "));
}

TEST_CASE("ogar back: a watcher who stops is put into play, one who begins to watch is not") {
  Connected play;
  play.hears(words::Spawn());
  play.hears(watch(words::Watch::LEADER));
  CHECK_FALSE(has(play.waits(2 * kSecond), " flags=1 "));
  play.hears(watch(words::Watch::STOP));
  CHECK(has(play.waits(2 * kTick), " flags=1 name=\"anna\" "));
}

TEST_CASE("ogar back: where there is no player, the leader is watched") {
  BackStage stage(ogar::faces().back({}), ogar::game(), 0, wire::Way::kToServer);
  stage.opens();
  stage.receives(Buffer(Shown().border()));
  CHECK(stage.waits(kTick) == "");  // our player has not asked for anything
}

TEST_CASE("ogar back: chat is trimmed, nothing is sent for blanks, and a command is whole or not sent") {
  Connected play;
  play.waits(2 * kSecond);
  CHECK(play.hears(say("  hi  ")) == "");
  CHECK(has(play.waits(kTick), "chat=[\"hi\"]"));
  play.hears(say("   "));
  CHECK_FALSE(has(play.waits(2 * kSecond), "chat="));
  const std::string long_one = "/" + std::string(65, 'x');
  CHECK(play.hears(say(long_one.c_str(), words::Say::COMMAND)) == "");
  CHECK(has(play.waits(2 * kSecond), "chat=[\"" + long_one + "\"]"));
  CHECK(play.hears(say((long_one + "x").c_str(), words::Say::COMMAND)) ==
        "loses Say: the command is longer than the server accepts\n");
}

TEST_CASE("ogar back: chat that was asked for before there is a world waits for it") {
  BackStage stage(ogar::faces().back({}), ogar::game(), 0, wire::Way::kToServer);
  stage.opens();
  stage.hears(say("hi"));
  CHECK_FALSE(has(stage.waits(4 * kSecond), "chat="));
  stage.receives(Buffer(Shown().border()));
  CHECK(has(stage.waits(2 * kTick), "chat=[\"hi\"]"));
}

TEST_CASE("ogar back: a slow server is sent what the player does, but not where its mouse is") {
  Playing play;
  play.stage.set_waiting(16 * 1024);
  CHECK_FALSE(has(play.waits(kSecond - kTick), "ClientUpdate"));
  play.hears(words::Eject());
  CHECK(count(play.waits(kTick), "ClientUpdate") == 1);
  play.stage.set_waiting(16 * 1024 - 1);
  CHECK(has(play.waits(2 * kTick), "ClientUpdate"));
}

TEST_CASE("ogar back: a new skin in play is for the next life, and other changes are none of this game") {
  Playing play;
  words::Change skin;
  skin.set_skin("cat");
  CHECK(has(play.hears(skin), "says ClaimRefused why: \"a new name or skin applies from the next life on\" (to 1)\n"));
  words::Change kit;
  kit.set_kit(2);
  CHECK(play.hears(kit).starts_with("loses Change: a player chooses only its name and its skin\n"));
}

TEST_CASE("ogar back: a server that is asked every five seconds for its counts answers once each time") {
  Connected play;
  CHECK(count(play.waits(16 * kSecond), "sends Ping") == 3);
  const Buffer pong = spoken(ogar::Pong{}, wire::Way::kToClient);
  CHECK(has(play.receives(pong), "says Lag player: 1 ping_s: 1\n"));
  CHECK(play.receives(pong) == "");  // it was not asked again
}

// -- Facts ------------------------------------------------------------------------------------------------------------

TEST_CASE("ogar back: the room is as the server describes it") {
  Connected play;
  ogar::Update update;
  update.flags = ogar::kWorldInfo;
  update.world.server.chars = "ours";
  update.world.mode.chars = "maze";
  update.world.load = 0.5F;
  update.world.uptime = 99;
  update.world.limit = 20;
  update.world.playing = 3;
  update.world.spectating = 2;
  update.world.internal = 4;
  const auto told = [&] { return play.receives(spoken(update, wire::Way::kToClient)); };
  CHECK(has(told(), "says Room game: \"ogar\" dialect: \"modern3\" name: \"ours\" mode: \"maze\" most_players: 20 "));
  const std::string all = told();
  for (const char* part : {" players: 3", " watchers: 2", " robots: 4", " load: 0.5", " uptime_s: 99"})
    CHECK_MESSAGE(has(all, part), all);
  update.world.four = 4;
  update.world.load = kNone;
  const std::string unlimited = told();
  CHECK_FALSE(has(unlimited, "most_players"));
  CHECK_FALSE(has(unlimited, "load"));
}

TEST_CASE("ogar back: a camera without a place or a scale shows nothing") {
  Connected play;
  CHECK(play.receives(Shown().camera(kNone, 0, 1)) == "");
  CHECK(play.receives(Shown().camera(0, kNone, 1)) == "");
  CHECK(play.receives(Shown().camera(0, 0, 0)) == "");
  CHECK(play.receives(Shown().camera(0, 0, kNone)) == "");
}

TEST_CASE("ogar back: what was eaten but stays is not eaten when it goes later") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPellet, 30, 0, 10));
  ogar::Update eaten;
  eaten.flags = ogar::kEaten;
  eaten.eaten.push_back({20, 7});
  CHECK(play.receives(spoken(eaten, wire::Way::kToClient)) == "");
  CHECK(play.receives(Shown().remove(20)) == "says Gone unit: 102\n");
}

TEST_CASE("ogar back: a cell is eaten by the first one that is said to have eaten it, in sight or not") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPellet, 30, 0, 10).add(21, CellType::kPellet, 30, 0, 10));
  CHECK(play.receives(Shown().eat(20, 7).eat(20, 999)) == "says Gone unit: 102 by: 101 why: BY_TOUCH\n");
  CHECK(play.receives(Shown().eat(21, 999)) == "says Gone unit: 103 why: BY_TOUCH\n");
}

TEST_CASE("ogar back: updates of cells that are unknown, or out of sight, change nothing") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPlayer, 900, 0, 60, "ben"));
  CHECK(has(play.receives(Shown().remove(20)), "says Hidden unit: 103\n"));
  CHECK(play.receives(Shown().move(20, 10, 0)) == "");
  CHECK(play.receives(Shown().remove(20)) == "");
  CHECK(play.receives(Shown().move(999, 10, 0).remove(999)) == "");
}

TEST_CASE("ogar back: a size, a colour and a name change by themselves") {
  Playing play;
  ogar::Update update;
  update.flags = ogar::kUpdated;
  ogar::UpdatedCell& cell = update.updated.emplace_back();
  cell.id = 7;
  const auto told = [&](std::uint8_t flags) {
    cell.flags = flags;
    return play.receives(spoken(update, wire::Way::kToClient));
  };
  cell.size = 64;
  cell.colour = {1, 2, 3};
  cell.name.chars = "bea";
  CHECK(told(2) == "says UnitChanged unit: 101 radius: 3.6204214396832133\n");
  CHECK(told(4) == "says UnitChanged unit: 101 colour: 66051\n");
  CHECK(told(8) == "says UnitChanged unit: 101 name: \"bea\"\n");
  cell.x = 10;
  CHECK(count(told(3), "says UnitChanged") == 0);  // the pose has the new size
}

TEST_CASE("ogar back: the cell that stands for its player changes only for one that is a quarter larger") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPlayer, 300, 0, 40, "ben").add(21, CellType::kPlayer, 400, 0, 50, "ben"));
  const auto active = [&](std::uint32_t id) {  // another cell makes the back look again
    const std::string said = play.receives(Shown().add(id, CellType::kPlayer, 350, 0, 33, "ben"));
    return said.substr(said.rfind("active: "));
  };
  CHECK(active(30) == "active: 103\n");
  play.receives(Shown().move(21, 400, 0, 51));
  CHECK(active(31) == "active: 104\n");
}

TEST_CASE("ogar back: in a game with teams, a short board says nothing about who is dead") {
  Playing play;
  play.receives(Shown().teams());
  play.receives(Shown().add(20, CellType::kPlayer, 300, 0, 60, "ben").add(21, CellType::kPlayer, 950, 0, 40, "ben"));
  play.receives(Shown().remove(21));
  play.receives(Shown().eat(20, 7));
  play.waits(kTick);
  CHECK_FALSE(has(play.receives(Shown().row(1, 3, "anna")), "says Died"));
}

TEST_CASE("ogar back: a top speed is told when it has changed by a fiftieth, every two seconds at most") {
  Playing play(100);
  const auto tells = [&](std::uint16_t size, Micros after) {
    play.receives(Shown().move(7, 0, 0, size));
    return count(play.waits(after), "says Rule name: \"speed\"");
  };
  play.waits(3 * kSecond);
  CHECK(tells(102, 3 * kSecond) == 0);
  CHECK(tells(110, 3 * kSecond) == 1);
  CHECK(tells(150, 3 * kSecond) == 1);
  CHECK(tells(200, kTick) == 1);
  CHECK(tells(300, kSecond) == 0);
  CHECK(tells(300, 2 * kSecond) == 1);
}

TEST_CASE("ogar back: of two thousand cells out of sight, the oldest is gone when one more leaves the view") {
  Playing play;
  Shown shown, none;
  for (std::uint32_t id = 100; id < 2'100; ++id) {
    shown.add(id, CellType::kVirus, 950, 0, 60);
    none.remove(id);
  }
  play.receives(shown);
  CHECK(count(play.receives(none), "says Gone") == 0);
  play.receives(Shown().add(5'000, CellType::kVirus, 950, 0, 60));
  const std::string said = play.receives(Shown().remove(5'000));
  CHECK(count(said, "says Gone ") == 1);
  CHECK(has(said, "says Gone unit: 102\n"));
}

TEST_CASE("ogar back: a cell that was seen again in the meantime is gone a minute after it was seen last") {
  Playing play;
  const auto comes = [&] { play.receives(Shown().add(20, CellType::kVirus, 950, 0, 60)); };
  comes();
  play.receives(Shown().remove(20));
  play.waits(30 * kSecond);
  comes();
  play.receives(Shown().remove(20));
  CHECK_FALSE(has(play.waits(59 * kSecond), "says Gone"));
  CHECK(count(play.waits(2 * kSecond), "says Gone unit: 102\n") == 1);
}

TEST_CASE("ogar back: a cell that appears where another one of its player is was not thrown anywhere") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPlayer, 300, 0, 60, "ben"));
  CHECK_FALSE(has(play.receives(Shown().add(21, CellType::kPlayer, 300, 0, 60, "ben")), "says Shot"));
  CHECK(has(play.receives(Shown().add(22, CellType::kPlayer, 310, 0, 60, "ben")), "says Shot"));
}

TEST_CASE("ogar back: a split is seen also in a new world whose cells are numbered anew") {
  Playing play;
  play.receives(Shown().add(1'000, CellType::kPlayer, 100, 0, 60, "ben"));
  play.receives(Shown().clear().border());
  CHECK_FALSE(has(play.receives(Shown().add(3, CellType::kPlayer, 100, 0, 60, "ben")), "says Shot "));
  CHECK(count(play.receives(Shown().add(4, CellType::kPlayer, 220, 0, 60, "ben")), "says Shot ") == 1);
}

TEST_CASE("ogar back: neither the course nor the splits of a life are those of the next one") {
  Playing play(60);
  words::Toward toward;
  toward.set_x(100);
  play.hears(toward);
  CHECK(has(play.waits(kTick), "x=1768 y=0 "));
  words::Split split;
  split.set_count(3);
  play.hears(split);
  play.receives(Shown().remove(7));
  play.hears(words::Spawn());
  std::string said = play.waits(kSecond);
  play.receives(Shown().add(8, CellType::kPlayer, 50, 0, 60, "anna", true));
  said += play.waits(kSecond);
  CHECK(has(said, "x=50 y=0 "));
  CHECK_FALSE(has(said, "x=1768 "));
  CHECK_FALSE(has(said, " splits=3 "));
}

TEST_CASE("ogar back: a link that ends is a refusal until a world was shown") {
  BackStage early(ogar::faces().back({}), ogar::game(), 0, wire::Way::kToServer);
  early.opens();
  CHECK(early.ends("it broke off") == "says Refused code: SERVER_GONE text: \"it broke off\"\n");
  CHECK(early.waits(10 * kSecond) == "");
  Connected later;
  CHECK(later.stage.ends("it broke off") == "");
  Connected over;
  CHECK(over.stage.session_ends("closing time") == "closes: closing time 1000\n");
}

// -- What only shows later --------------------------------------------------------------------------------------------

TEST_CASE("ogar back: a board that was shown before the world was left is told again in the next one") {
  Playing play;
  CHECK(has(play.receives(Shown().row(1, 2, "ben")), "says Board "));
  CHECK_FALSE(has(play.receives(Shown().row(1, 2, "ben")), "says Board "));
  play.receives(Shown().clear().border());
  CHECK(has(play.receives(Shown().row(1, 2, "ben")), "says Board "));
}

TEST_CASE("ogar back: a camera without a border shows a world, whose middle it is") {
  BackStage stage(ogar::faces().back({}), ogar::game(), 0, wire::Way::kToServer);
  stage.opens();
  const std::string seen = stage.receives(Buffer(Shown().camera(30'000, -5000, 1)));
  CHECK(has(seen, "says World hash: \"ogar 800.000000 by 800.000000 open\""));
  CHECK(has(seen, "says View width: "));
}

TEST_CASE("ogar back: wishes of others are counted; one for a world is none of a player") {
  Connected play;
  core::Intent other(say("hi"));
  other.by = 2;
  CHECK(has(play.hears(other), "loses Say: "));
  CHECK_FALSE(has(play.waits(3 * kSecond), "flags=64"));
  CHECK(play.hears(words::WantWorld()) == "");
}

TEST_CASE("ogar back: a player who enters when there is a world is told of at once") {
  BackStage stage(ogar::faces().back({}), ogar::game(), 0, wire::Way::kToServer);
  stage.opens();
  stage.receives(Buffer(Shown().border()));
  words::Enter enter;
  enter.set_name("anna");
  const std::string entered = stage.hears(enter);
  CHECK(has(entered, "says Player id: 1 name: \"anna\" team: ROGUE responding: true\n"));
  CHECK(has(entered, "says Ready\n"));
}

TEST_CASE("ogar back: in no world, a change of name is not told, but is that of the next life") {
  Playing play;
  play.receives(Shown().clear());
  words::Change change;
  change.set_name("anne");
  CHECK_FALSE(has(play.hears(change), "says Player"));
  CHECK(has(play.receives(Shown().border()), "says Player id: 1 name: \"anne\""));
}

TEST_CASE("ogar back: a cell that shall go at half its speed has its mouse near, in any direction") {
  Playing play;
  const auto mouse = [&](double yaw, std::string_view axis) {
    words::Keys keys;
    keys.set_bits(words::Keys::FORWARD | words::Keys::SNEAK);
    keys.set_yaw(yaw);
    play.hears(keys);
    const std::string sent = play.waits(kTick);
    const auto at = sent.find(axis);
    return at != std::string::npos ? std::abs(std::stoi(sent.substr(at + axis.size()))) : 0;
  };
  const int east = mouse(0, " x="), north = mouse(std::atan2(1, 0), " y=");
  CHECK(east > 0);
  CHECK(east < 50);  // at full speed it is hundreds of units away
  CHECK(north == east);
}

TEST_CASE("ogar back: a cell of nobody keeps the name and skin that the server gives it") {
  Connected play;
  CHECK(has(play.receives(Shown().add(30, CellType::kVirus, 0, 0, 100, "trap")), " name: \"trap\" "));
}

TEST_CASE("ogar back: all shots of a flood are ended, and those that are not remembered at once") {
  Playing play(64);
  words::Fire fire;
  for (std::uint32_t shot = 1; shot <= 70; ++shot) {
    fire.set_shot(shot);
    CHECK(has(play.hears(fire), "says ShotEnded shooter: 1 shot: " + std::to_string(shot) + "\n") == (shot > 64));
  }
  CHECK(count(play.waits(3 * kSecond), "says ShotEnded") == 64);
}

TEST_CASE("ogar back: a player with cells who wants to watch is told that it cannot, and still steers them") {
  Playing play(60);
  words::Watch watch;
  words::Toward goal;
  goal.set_x(100);
  for (const words::Watch::Mode mode : {words::Watch::LEADER, words::Watch::PLACE, words::Watch::ROAM}) {
    watch.set_mode(mode);
    watch.set_x(-300);
    CHECK(play.hears(watch) ==
          "loses Watch: a player who has a cell cannot watch\n"
          "says ClaimRefused why: \"you can watch only when you have no cell\" (to 1)\n");
  }
  play.hears(goal);
  const std::string sent = play.waits(kTick);
  CHECK(has(sent, "sends ClientUpdate x=1768 "));
  CHECK_FALSE(has(sent, "flags=2 "));
}

TEST_CASE("ogar back: who has watched a place and then plays, steers its cells") {
  Connected play;
  words::Watch watch;
  watch.set_mode(words::Watch::PLACE);
  watch.set_x(-300);
  play.hears(watch);
  play.hears(words::Spawn());
  play.waits(kTick);
  play.receives(Shown().add(7, CellType::kPlayer, 0, 0, 60, "anna", true));
  words::Toward goal;
  goal.set_x(100);
  play.hears(goal);
  play.waits(kTick);
  CHECK(has(play.waits(kTick), "sends ClientUpdate x=1768 "));
}

TEST_CASE("ogar back: mass is thrown by the cell of its colour, not by a nearer one") {
  Playing play;
  play.receives(Shown()
                    .add(20, CellType::kPlayer, 400, 0, 60, "ben", false, {10, 20, 30})
                    .add(21, CellType::kPlayer, 500, 0, 60, "cat", false, {40, 50, 60}));
  play.waits(kTick);
  const std::string seen = play.receives(Shown().add(22, CellType::kEjected, 480, 40, 38, "", false, {10, 20, 30}));
  CHECK(has(seen, "says Shot shooter: 102 "));
}

TEST_CASE("ogar back: a key that is reported twice without a release is pressed once") {
  Playing play;
  words::Button down;
  down.set_down(true);
  play.hears(down);
  std::string sent = play.waits(5 * kTick);
  play.hears(down);
  sent += play.waits(10 * kTick);
  CHECK(count(sent, " flags=4 ") == 1);
  CHECK(count(sent, " flags=8 ") == 0);
}

TEST_CASE("ogar back: when too many players are known, a new one takes the place of the one that was away longest") {
  Playing play;
  for (std::uint32_t id = 100; id < 100 + 499; ++id)  // and our own
    play.receives(Shown().add(id, CellType::kPlayer, 100, 100, 60, ("p" + std::to_string(id)).c_str()));
  CHECK(has(play.receives(Shown().add(900, CellType::kPlayer, 100, 100, 60, "late")), "loses "));
  const std::string second = play.receives(Shown().eat(200, 7));
  CHECK(has(second, "says Died player: "));
  play.waits(kTick);
  CHECK(has(play.receives(Shown().eat(100, 7)), "says Died player: "));
  play.waits(kTick);
  const auto at = second.find("says Died player: ") + 18;
  const std::string away = second.substr(at, second.find(' ', at) - at);
  const std::string seen = play.receives(Shown().add(901, CellType::kPlayer, 100, 100, 60, "new"));
  CHECK(has(seen, "says PlayerGone id: " + away + " why: \"not seen any more\"\n"));
  CHECK(has(seen, "name: \"new\""));
}

TEST_CASE("ogar back: who watched asks the next world to let it watch, too") {
  Connected play;
  play.hears(watch(words::Watch::LEADER));
  CHECK(has(play.waits(2 * kTick), " flags=2 "));
  CHECK_FALSE(has(play.waits(kSecond), " flags=2 "));
  play.receives(Shown().clear().border());
  CHECK(has(play.waits(2 * kTick), " flags=2 "));
}

TEST_CASE("ogar back: a room with teams is told as such") {
  BackStage stage(ogar::faces().back({}), ogar::game(), 0, wire::Way::kToServer);
  stage.opens();
  stage.receives(Buffer(Shown().teams().border()));
  CHECK(stage.world().room().teams());
  CHECK(stage.world().room().mode() == "teams");
}

TEST_CASE("ogar back: a full board says nothing about those whom it does not list") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPlayer, 300, 0, 30, "ben").add(21, CellType::kPlayer, 950, 0, 30, "ben"));
  play.receives(Shown().remove(21));  // out of sight
  play.receives(Shown().eat(20, 7));
  play.waits(kTick);
  Shown board;
  for (std::uint16_t place = 1; place <= 9; ++place) board.row(place, 0, "tim");
  Shown full = board;
  full.row(10, 0, "tim");
  CHECK_FALSE(has(play.receives(full), "says Died"));
  CHECK(has(play.receives(board), "says Died player: 102 "));
  CHECK_FALSE(has(play.receives(Shown().eat(21, 7)), "says Died"));  // once
}

TEST_CASE("ogar back: nobody is the killer of its own cells") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPlayer, 300, 0, 30, "ben").add(21, CellType::kPlayer, 950, 0, 30, "ben"));
  play.receives(Shown().remove(21));
  play.receives(Shown().eat(20, 21));
  play.waits(kTick);
  const std::string died = play.receives(Shown().row(1, 3, "anna"));
  CHECK(has(died, "says Died player: 102 unit: 103 why: BY_TOUCH "));
}

TEST_CASE("ogar back: a board without rows says nothing about who is dead") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPlayer, 300, 0, 30, "ben").add(21, CellType::kPlayer, 950, 0, 30, "ben"));
  play.receives(Shown().remove(21));  // out of sight
  play.receives(Shown().eat(20, 7));
  play.waits(kTick);
  ogar::Update text;
  text.flags = ogar::kBoard;
  text.board.type = 3;
  text.board.lines.emplace_back().chars = "welcome";
  CHECK(play.receives(spoken(text, wire::Way::kToClient)) == "says Board lines: \"welcome\"\n");
  CHECK(has(play.receives(Shown().row(1, 3, "anna")), "says Died player: 102 "));
}

TEST_CASE("ogar back: a cell looks where it has moved to last, also while it stands") {
  Playing play;
  play.receives(Shown().add(20, CellType::kPlayer, 0, 0, 60, "ben"));
  CHECK(has(play.receives(Shown().move(20, 0, -100)), " yaw: 1.57"));
  CHECK(has(play.receives(Shown().move(20, 0, -100)), " yaw: 1.57"));
  CHECK(has(play.receives(Shown().move(20, -100, -100)), " yaw: 3.14"));
  CHECK(has(play.waits(2 * kTick), " yaw: 3.14"));
}

TEST_CASE("ogar back: the mouse of a player with several cells is in their middle") {
  Playing play;
  play.receives(Shown().move(7, 100, 40).add(8, CellType::kPlayer, 500, -80, 32, "anna", true));
  CHECK(has(play.waits(kTick), "sends ClientUpdate x=300 y=-20 "));
}

TEST_CASE("ogar back: the cell that stands for its player does so until it is gone, whichever others are") {
  Playing play;
  const auto add = [](Shown& shown, std::uint32_t id, std::uint16_t size) -> Shown& {
    return shown.add(id, CellType::kPlayer, static_cast<float>(10 * id), 0, size, "ben");
  };
  Shown cells;
  CHECK(has(play.receives(add(add(add(cells, 20, 40), 21, 60), 22, 33)), " active: 104\n"));
  play.receives(Shown().move(20, 200, 0, 55));
  CHECK(has(play.receives(Shown().remove(22)), "says Owns player: 102 units: 103 units: 104 active: 104\n"));
  CHECK(has(play.receives(Shown().remove(21)), "says Owns player: 102 units: 103 active: 103\n"));
}

}  // namespace
}  // namespace entente::testing::wishes_test
