// What a client of Ogar is shown of the room, and the parts of its picture that other tests leave out.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "adapters/ogar/ogar.h"
#include "tests/ogar/spoken.h"
#include "tests/support/stage.h"

namespace entente::testing::cells_test {
namespace {

using core::Id, core::kMillisecond, core::kSecond, core::Micros;
using words::Unit;

constexpr Micros kTick = 40 * kMillisecond;
constexpr double kMetre = 14142.0 / 800;

bool has(const std::string& all, std::string_view part) { return all.find(part) != std::string::npos; }
std::size_t count(const std::string& all, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = all.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

words::World open_world(double half) {
  words::World world;
  world.set_hash("open " + std::to_string(half));
  world.set_west(-half);
  world.set_east(half);
  world.set_south(-half);
  world.set_north(half);
  return world;
}
words::Player player(Id id, const char* name) {
  words::Player player;
  player.set_id(id);
  player.set_name(name);
  player.set_team(words::ROGUE);
  return player;
}
Unit unit(Id id, Unit::Kind kind, double x, double radius = 0, Id owner = 0) {
  Unit unit;
  unit.set_id(id);
  unit.set_kind(kind);
  unit.set_owner(owner);
  unit.set_radius(radius);
  unit.set_colour(0xff1040);
  unit.set_alive(true);
  unit.mutable_pose()->set_unit(id);
  unit.mutable_pose()->set_x(x);
  return unit;
}
words::Owns owns(Id player, Id unit) {
  words::Owns owns;
  owns.set_player(player);
  owns.add_units(unit);
  owns.set_active(unit);
  return owns;
}
words::Said said(Id from, const char* text, words::Say::Scope scope) {
  words::Said said;
  said.set_from(from);
  said.set_text(text);
  said.set_scope(scope);
  return said;
}

/// After the greeting, in an open world.
struct Greeted {
  Greeted() {
    stage.opens();
    receives(client_hello());
    hears(open_world(400));
    waits(0);
  }
  std::string receives(const Buffer& bytes) { return stage.receives(bytes); }
  std::string hears(core::Fact word) { return stage.hears(std::move(word)); }
  std::string waits(Micros how_long) { return stage.waits(how_long); }
  std::string wishes(const Wished& wished) { return receives(client_update(wished)); }
  /// Hears it, and returns the next picture.
  std::string shows(core::Fact word) {
    hears(std::move(word));
    return waits(kTick);
  }

  FrontStage stage{ogar::faces().front({}), ogar::game(), 0, wire::Way::kToClient};
};
/// In play, with cell 50 at 0 0.
struct Playing : Greeted {
  Playing() {
    wishes({0, 0, ogar::kSpawn, 0, "anna"});
    hears(player(1, "anna"));
    hears(unit(50, Unit::CELL, 0, 32 / kMetre, 1));
    hears(owns(1, 50));
    waits(4 * kTick);
  }
};

TEST_CASE("ogar front: a line of chat says for whom it is, if not for all") {
  Playing play;
  play.hears(player(2, "ben"));
  CHECK(has(play.shows(said(2, "hi", words::Say::EVERYBODY)), "text=\"hi\"}"));
  CHECK(has(play.shows(said(2, "hi", words::Say::MY_TEAM)), "text=\"(team) hi\"}"));
  CHECK(has(play.shows(said(2, "hi", words::Say::ONE)), "text=\"(to you) hi\"}"));
  CHECK(has(play.shows(said(2, "hi", words::Say::MODERATORS)), "text=\"(to you) hi\"}"));
  words::Said own = said(77, "hi", words::Say::EVERYBODY);  // of a room behind this one
  own.set_name("zoe");
  own.set_colour(0x010203);
  CHECK(has(play.shows(own), "chat=[{name=\"zoe\" colour=(1 2 3) by_server=0 text=\"hi\"}]"));
}

TEST_CASE("ogar front: each line is shown once, and the refusals of wishes, too") {
  Playing play;
  words::ClaimRefused refused;
  refused.set_why("not now");
  CHECK(has(play.shows(core::Fact(1, refused)), "text=\"refused: not now\"}"));
  CHECK_FALSE(has(play.waits(kSecond), "chat="));
  words::Waiting waiting;
  waiting.set_have(1);
  waiting.set_need(2);
  CHECK(has(play.shows(waiting), "text=\"waiting for players: 1 of 2\"}"));
  words::Round running;
  CHECK_FALSE(has(play.shows(running), "chat="));
}

TEST_CASE("ogar front: a client that sends anything within a minute stays") {
  Greeted play;
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(has(play.waits(59 * kSecond), "closes"));
    play.receives(spoken(ogar::Ping{}, wire::Way::kToServer));
  }
  CHECK(has(play.waits(61 * kSecond), "text=\"nothing received for a minute\"}"));
}

TEST_CASE("ogar front: a client that has not greeted is closed without a line") {
  FrontStage stage(ogar::faces().front({}), ogar::game(), 0, wire::Way::kToClient);
  stage.opens();
  words::Kicked kicked;
  CHECK(stage.hears(kicked) == "closes: kicked 1003\n");
}

TEST_CASE("ogar front: minions are frozen and freed in turn") {
  Playing play;
  CHECK(play.wishes({0, 0, ogar::kMinionFreeze}).ends_with("says Freeze on: true\n"));
  CHECK(play.wishes({0, 0, ogar::kMinionFreeze}) == "says Freeze\n");
}

TEST_CASE("ogar front: a client's mouse is told anew in each life") {
  Playing play;
  play.wishes({100, 0});
  CHECK(play.wishes({100, 0}) == "");
  words::Gone gone;
  gone.set_unit(50);
  play.hears(gone);
  play.waits(kTick);
  CHECK(play.wishes({100, 0}) == "");  // nothing to move
  play.hears(unit(51, Unit::CELL, 0, 32 / kMetre, 1));
  play.hears(owns(1, 51));
  play.waits(kTick);
  CHECK(play.wishes({100, 0}).starts_with("says Toward x: 5.6"));
}

TEST_CASE("ogar front: a player in play neither spawns nor watches, and Q of a watcher changes what it looks at") {
  Playing play;
  CHECK_FALSE(has(play.wishes({0, 0, ogar::kSpectate}), "says Watch"));
  Greeted watcher;
  CHECK(has(watcher.wishes({0, 0, ogar::kQPress}), "says Enter role: WATCH\nsays Watch mode: LEADER\n"));
  CHECK(watcher.wishes({0, 0, ogar::kQRelease}) == "");
  CHECK(watcher.wishes({0, 0, ogar::kQPress}) == "says Watch mode: ROAM\n");
  CHECK(has(watcher.wishes({5, 0, ogar::kQPress}), "says Watch mode: LEADER\n"));
}

TEST_CASE("ogar front: another world is shown from nothing: border, cells and board; the same one is not") {
  Playing play;
  play.hears(unit(60, Unit::PELLET, 10, 10 / kMetre));
  CHECK(has(play.waits(4 * kTick), "added=[{id=60 "));
  CHECK(play.shows(open_world(400)) == "");
  play.hears(open_world(200));
  const std::string anew = play.waits(4 * kTick);
  CHECK(has(anew, "border={left=-3535.5 "));
  CHECK(has(anew, "{id=50 "));
  CHECK(has(anew, "{id=60 "));
  CHECK(count(anew, "board={") == 1);
  CHECK_FALSE(has(anew, "removed="));  // the client has forgotten them
}

TEST_CASE("ogar front: units that are hidden, dead or far away are not shown, and come back when they are") {
  Playing play;
  CHECK(has(play.shows(unit(60, Unit::TANK, 10, 0, 2)), "{id=60 "));
  words::Hidden hidden;
  hidden.set_unit(60);
  CHECK(has(play.shows(hidden), "removed=[60]"));
  words::Pose pose;
  pose.set_unit(60);
  pose.set_x(20);
  CHECK(has(play.shows(pose), "added=[{id=60 "));
  words::Died died;
  died.set_player(2);
  died.set_unit(60);
  CHECK(has(play.shows(died), "removed=[60]"));
  Unit dead = unit(61, Unit::TANK, 10, 0, 2);
  dead.set_alive(false);
  CHECK_FALSE(has(play.shows(dead), "{id=61 "));
  CHECK_FALSE(has(play.shows(unit(62, Unit::PELLET, 390, 1)), "{id=62 "));
  pose.set_unit(62);
  CHECK(has(play.shows(pose), "added=[{id=62 "));
}

TEST_CASE("ogar front: own cells are shown wherever they are") {
  Playing play;
  play.hears(unit(51, Unit::CELL, 390, 32 / kMetre, 1));
  words::Owns both = owns(1, 50);
  both.add_units(51);
  CHECK(has(play.shows(both), "{id=51 "));
}

TEST_CASE("ogar front: what has no radius has the size of its kind, and shrinks with its health") {
  struct Case {
    Unit::Kind kind;
    int size, type;
  };
  Id id = 60;
  for (const Case& one :
       {Case{Unit::TANK, 60, 0}, Case{Unit::MAN, 45, 0}, Case{Unit::BRICK, 40, 1}, Case{Unit::VIRUS, 100, 2},
        Case{Unit::MOTHER, 149, 4}, Case{Unit::PICKUP, 20, 1}, Case{Unit::PELLET, 32, 1}}) {
    Playing play;
    const std::string shown = play.shows(unit(++id, one.kind, 10, 0, 2));
    CHECK_MESSAGE(has(shown, " type=" + std::to_string(one.type) + " "), shown);
    CHECK_MESSAGE(has(shown, " size=" + std::to_string(one.size) + " "), shown);
  }
  Playing play;
  Unit hurt = unit(90, Unit::TANK, 10, 0, 2);
  hurt.set_max_health(100);
  hurt.set_health(25);
  CHECK(has(play.shows(hurt), " size=30 "));
  hurt.set_health(0.001);
  CHECK(has(play.shows(hurt), " size=10}"));
}

TEST_CASE("ogar front: a cell is eaten only by one that the client knows") {
  Playing play;
  play.shows(unit(60, Unit::PELLET, 5, 10 / kMetre));
  words::Gone gone;
  gone.set_unit(60);
  gone.set_by(999);
  const std::string told = play.shows(gone);
  CHECK(has(told, "removed=[60]"));
  CHECK_FALSE(has(told, "eaten="));
  play.shows(unit(61, Unit::PELLET, 5, 10 / kMetre));
  gone.set_unit(61);
  gone.set_by(50);
  CHECK(has(play.shows(gone), "eaten=[{killed=61 killer=50}]"));
  play.shows(unit(61, Unit::PELLET, 5, 10 / kMetre));
  gone.set_by(0);
  CHECK_FALSE(has(play.shows(gone), "eaten="));  // that was another life
}

TEST_CASE("ogar front: at most 64 tokens are shown, those that lie, and each as long as it lies") {
  Playing play;
  words::Token token;
  token.set_state(words::Token::GROUND);
  for (Id id = 1; id <= 70; ++id) {
    token.set_id(id);
    play.hears(token);
  }
  const std::string shown = play.waits(kTick);
  CHECK(count(shown, "{id=") == 64);
  CHECK(count(shown, "loses Token: more than a client is shown\n") == 1);
  CHECK_FALSE(has(play.waits(4 * kTick), "loses"));
  token.set_id(1);
  token.set_state(words::Token::CARRIED);
  const std::string next = play.shows(token);
  CHECK_FALSE(has(next, "loses"));
  CHECK(count(next, "{id=") == 1);  // the next one has its place
  CHECK(has(next, "removed=["));
}

TEST_CASE("ogar front: at most 64 rays are drawn at once, each for 0.3 s") {
  Playing play;
  words::Shot ray;
  ray.set_kind(words::RAY);
  ray.set_shooter(2);
  ray.set_vx(0.01);
  for (std::uint32_t i = 1; i <= 70; ++i) {
    ray.set_shot(i);
    play.hears(ray);
  }
  const std::string shown = play.waits(kTick);
  CHECK(count(shown, "{id=") == 64);
  CHECK(count(shown, "loses Shot: more than a client is shown at once\n") == 1);
  const std::string later = play.waits(8 * kTick);
  CHECK(has(later, "removed=["));
  CHECK_FALSE(has(later, "loses"));
  CHECK(count(play.shows(ray), "added=[{id=") == 1);
}

TEST_CASE("ogar front: a client that is not among the ten best is listed below them, at its place") {
  Playing play;
  for (Id id = 2; id <= 13; ++id) {
    play.hears(player(id, "ben"));
    words::Score score;
    score.set_player(id);
    score.set_wins(5);
    score.set_losses(id == 13 ? 6 : 0);
    play.hears(score);
  }
  const std::string board = play.waits(4 * kTick);
  CHECK(count(board, "{position=") == 11);
  CHECK(has(board, "{position=10 flags=0 name=\"ben\"} {position=12 flags=1 name=\"anna\"}]}"));
  words::Player watcher = player(2, "ben");
  watcher.set_role(words::WATCH);
  play.hears(watcher);
  CHECK(has(play.waits(4 * kTick), "{position=11 flags=1 name=\"anna\"}]}"));
}

TEST_CASE("ogar front: a board is sent again when any part of it has changed, and only then") {
  Playing play;
  words::Board board;
  const auto shown = [&] {
    play.hears(board);
    return play.waits(4 * kTick);
  };
  words::Board::Row& row = *board.add_rows();
  row.set_place(1);
  row.set_name("zoe");
  CHECK(has(shown(), "rows=[{position=1 flags=0 name=\"zoe\"}]"));
  CHECK(shown() == "");
  row.set_marked(true);
  CHECK(has(shown(), "rows=[{position=1 flags=1 name=\"zoe\"}]"));
  row.set_me(true);
  CHECK(has(shown(), "rows=[{position=1 flags=3 name=\"zoe\"}]"));
  row.set_place(2);
  CHECK(has(shown(), "rows=[{position=2 flags=3 name=\"zoe\"}]"));
  row.set_name("ben");
  CHECK(has(shown(), "rows=[{position=2 flags=3 name=\"ben\"}]"));
  board.clear_rows();
  board.add_slices(0.5);
  CHECK(has(shown(), "board={type=2 slices=[0.5]}"));
  board.set_slices(0, 0.25);
  CHECK(has(shown(), "board={type=2 slices=[0.25]}"));
  board.clear_slices();
  board.add_lines("one");
  CHECK(has(shown(), "[\"one\"]"));
  board.set_lines(0, "two");
  CHECK(has(shown(), "[\"two\"]"));
  CHECK(shown() == "");
}

TEST_CASE("ogar front: the own row of a server's board is marked differently if it is the eleventh or a later one") {
  Playing play;
  words::Board board;
  for (std::uint32_t place = 1; place <= 12; ++place) {
    words::Board::Row& row = *board.add_rows();
    row.set_place(place);
    row.set_name("ben");
    row.set_me(place >= 10);
  }
  play.hears(board);
  CHECK(has(play.waits(4 * kTick),
            " {position=9 flags=0 name=\"ben\"} {position=10 flags=3 name=\"ben\"} {position=11 flags=1 name=\"ben\"} "
            "{position=12 flags=1 name=\"ben\"}]"));
}

TEST_CASE("ogar front: a fourth team has its slice as long as it has players") {
  Playing play;
  words::Room room;
  room.set_game("bzflag");
  room.set_teams(true);
  play.hears(room);
  words::TeamScore score;
  for (const auto team : {words::RED, words::PURPLE}) {
    score.set_team(team);
    score.set_wins(1);
    score.set_size(1);
    play.hears(score);
  }
  CHECK(has(play.waits(6 * kSecond), "board={type=2 slices=[0.5 0 0 0.5]}"));
  score.set_size(0);
  play.hears(score);
  CHECK(has(play.waits(6 * kSecond), "board={type=2 slices=[1 0 0]}"));
}

TEST_CASE("ogar front: a camera that the server has told holds for a second, then the leader is looked at again") {
  Greeted play;
  play.hears(player(2, "ben"));
  play.hears(unit(60, Unit::CELL, 100, 100 / kMetre, 2));
  play.hears(owns(2, 60));
  play.wishes({0, 0, ogar::kSpectate});
  words::View view;
  view.set_x(-10);
  CHECK(has(play.shows(core::Fact(1, view)), "camera={x=-176.775 y=0 scale=1}"));
  CHECK(has(play.waits(kSecond - 2 * kTick), "camera={x=-176.775 "));
  CHECK(has(play.waits(3 * kTick), "camera={x=1767.75 "));
}

TEST_CASE("ogar front: a roaming watcher does not leave the world") {
  Greeted play;
  play.wishes({0, 0, ogar::kSpectate});
  play.wishes({100'000, 0, ogar::kQPress});
  play.waits(30 * kSecond);
  CHECK(has(play.waits(kTick), "camera={x=7071 y=0 scale=0.4}"));
}

TEST_CASE("ogar front: the leader is the first of the board who has units, else the one with most wins") {
  Greeted play;
  for (const Id id : {2U, 3U}) {
    play.hears(player(id, "ben"));
    play.hears(unit(id + 60, Unit::CELL, id == 2 ? 100 : -100, 100 / kMetre, id));
    play.hears(owns(id, id + 60));
  }
  play.hears(player(4, "tim"));
  words::Score score;
  score.set_player(3);
  score.set_wins(1);
  play.hears(score);
  play.wishes({0, 0, ogar::kSpectate});
  CHECK(has(play.waits(kTick), "camera={x=-1767.75 "));
  words::Board board;
  board.add_rows()->set_player(4);  // has no cell
  board.add_rows()->set_player(2);
  CHECK(has(play.shows(board), "camera={x=1767.75 "));
}

TEST_CASE("ogar front: shots are shown, however many pieces of mass were shown before") {
  Greeted play;
  const auto fires = [&](std::uint32_t number) {
    words::Shot wave;
    wave.set_shooter(2);
    wave.set_shot(number);
    wave.set_kind(words::WAVE);
    wave.set_life(30);
    wave.set_radius(1);
    wave.set_range(60);
    play.hears(wave);
  };
  for (std::uint32_t number = 1; number <= 20; ++number) fires(number);  // 320 pieces in each picture
  CHECK(count(play.waits(14 * kTick), "removed=[") == 0);
  fires(21);
  const std::string shown = play.waits(kTick);
  const auto added = shown.find("added=[");
  REQUIRE(added != std::string::npos);
  CHECK(count(shown.substr(added, shown.find(']', added) - added), "{id=") == 16);
}

TEST_CASE("ogar front: a roaming watcher goes up and down as it goes left and right, 32 units a tick") {
  Greeted play;
  play.wishes({0, 0, ogar::kSpectate});
  play.wishes({0, -100'000, ogar::kQPress});
  CHECK(has(play.waits(kTick), "camera={x=0 y=-32 scale=0.4}"));
  play.waits(30 * kSecond);
  CHECK(has(play.waits(kTick), "camera={x=0 y=-7071 scale=0.4}"));
}

TEST_CASE("ogar front: of a cell that changes its colour, the client is not told the same name and skin again") {
  Greeted play;
  Unit cell = unit(60, Unit::CELL, 10, 3);
  cell.set_name("ben");
  cell.set_skin("fox");
  CHECK(has(play.shows(cell), "name=\"ben\" skin=\"fox\""));
  words::UnitChanged changed;
  changed.set_unit(60);
  changed.set_colour(0x102030);
  CHECK(has(play.shows(changed), "updated=[{id=60 flags=4 "));
  changed.set_skin("owl");
  CHECK(has(play.shows(changed), "updated=[{id=60 flags=16 "));
}

TEST_CASE("ogar front: where no team has a score yet, the board lists the players all the time") {
  Greeted play;
  words::Room room;
  room.set_teams(true);
  play.hears(room);
  play.hears(player(2, "ben"));
  const std::string seen = play.waits(7 * kSecond);
  CHECK(has(seen, "board={type=1 "));
  CHECK_FALSE(has(seen, "board={type=2 "));
}

TEST_CASE("ogar front: a cell comes back after it left the view, as itself and with all its looks") {
  Greeted play;
  Unit cell = unit(60, Unit::CELL, 10, 3);
  cell.set_name("ben");
  play.shows(cell);
  words::Pose away;
  away.set_unit(60);
  away.set_x(390);
  away.set_radius(3);
  CHECK(has(play.shows(away), "removed=[60]"));
  away.set_x(11);
  const std::string back = play.shows(away);
  CHECK(has(back, "added=[{id=60 type=0 "));
  CHECK(has(back, "name=\"ben\""));
}

TEST_CASE("ogar front: a world that differs on one side only is another one") {
  Greeted play;
  for (int side = 0; side < 4; ++side) {
    CAPTURE(side);
    words::World world = open_world(400);
    if (side == 0) world.set_west(-300);
    if (side == 1) world.set_east(300);
    if (side == 2) world.set_south(-300);
    if (side == 3) world.set_north(300);
    CHECK(has(play.shows(world), "border={"));
    CHECK(has(play.shows(open_world(400)), "border={left=-7071 right=7071 top=-7071 bottom=7071}"));
    CHECK_FALSE(has(play.shows(open_world(400)), "border={"));
  }
}

TEST_CASE("ogar front: a token lies where the room says; a line has the name that was said with it") {
  Greeted play;
  words::Token token;
  token.set_id(7);
  token.set_state(words::Token::GROUND);
  token.set_x(10);
  token.set_y(20);
  CHECK(has(play.shows(token), "x=176.775 y=-353.55 size=20 "));
  play.hears(player(2, "ben"));
  words::Said line = said(2, "hi", words::Say::EVERYBODY);
  line.set_name("zoe");
  CHECK(has(play.shows(line), "chat=[{name=\"zoe\" "));
}

TEST_CASE("ogar front: a unit that becomes another kind of cell is a new cell for the client") {
  Greeted play;
  CHECK(has(play.shows(unit(60, Unit::VIRUS, 10, 5)), "added=[{id=60 "));
  const std::string changed = play.shows(unit(60, Unit::CELL, 10, 5));
  CHECK(has(changed, "type=0 "));
  CHECK(has(changed, "removed=[60]"));
}

TEST_CASE("ogar front: a world without a width or a height is shown as the default map") {
  Greeted play;
  words::World world = open_world(200);
  world.set_hash("no height");
  world.set_south(200);
  CHECK_FALSE(has(play.shows(world), "border="));  // as before
  world.set_hash("no width");
  world.set_south(-200);
  world.set_west(200);
  CHECK_FALSE(has(play.shows(world), "border="));
  CHECK(has(play.shows(open_world(200)), "border={left=-3535.5 "));
}

TEST_CASE("ogar front: a unit is shown as long as its edge is in view, on each side of it") {
  // The window at scale 1, and an eighth more.
  for (const auto& side : {std::pair{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}}) {
    const double x = side.first, y = side.second;
    CAPTURE(x);
    CAPTURE(y);
    Playing play;
    const auto shown = [&](Id id, double out) {
      Unit far = unit(id, Unit::PELLET, out * x, 1);
      far.mutable_pose()->set_y(out * y);
      return has(play.shows(far), "{id=" + std::to_string(id) + " ");
    };
    const double edge = (y != 0 ? 1080.0 : 1920.0) / 2 * 1.125 / kMetre;
    CHECK(shown(60, edge + 0.5));
    CHECK_FALSE(shown(61, edge + 1.5));
  }
}

}  // namespace
}  // namespace entente::testing::cells_test
