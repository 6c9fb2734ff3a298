// Which player number of a client stands for which unit: who gets one, who keeps it, and who loses it.
#include "proxy/core/tank/tank_player_table.h"

#include <doctest/doctest.h>

#include "proxy/core/tank/tank_keeper.h"
#include "tests/core/told_out.h"

namespace entente::core::player_table_test {
namespace {

using words::Unit;

struct Display final : TankDisplay {
  void put(std::uint8_t number, const words::Pose& there, FrontOut&) override {
    told += "put " + std::to_string(number) + " at " + std::to_string(static_cast<int>(there.x())) + "\n";
  }
  void show(std::uint8_t number, FrontOut&) override { told += "show " + std::to_string(number) + "\n"; }
  void reassigned() override { ++reassignments; }
  void introduced(std::uint8_t number, FrontOut&) override { told += "introduced " + std::to_string(number) + "\n"; }

  std::string told;
  int reassignments = 0;
};

class Table final : public TankPlayerTable<TankPlayerEntry> {
 public:
  Table(Display& display, std::uint8_t own, std::uint8_t first, std::uint8_t last)
      : TankPlayerTable(display, first, last), log_(display) {
    set_own_number(own);
  }
  bool waiting = false;

 private:
  void announce(std::uint8_t number, std::size_t nth, FrontOut&) override {
    log_.told += "comes " + std::to_string(number) + " as unit " + std::to_string(nth) + "\n";
  }
  void announced(std::uint8_t number, FrontOut&) override { log_.told += "announced " + std::to_string(number) + "\n"; }
  void dismissed(std::uint8_t number, FrontOut&) override { log_.told += "goes " + std::to_string(number) + "\n"; }
  void no_space(FrontOut&) override { log_.told += "no space\n"; }
  bool waits(std::uint8_t) const override { return waiting; }

  Display& log_;
};

words::Unit unit(Id id, Id owner, bool alive = true, Unit::Kind kind = Unit::TANK) {
  words::Unit word;
  word.set_id(id);
  word.set_owner(owner);
  word.set_kind(kind);
  word.set_alive(alive);
  word.mutable_pose()->set_unit(id);
  word.mutable_pose()->set_x(id);
  return word;
}

/// Of several cells of a player, none of them its active unit, the largest one is shown.
words::Unit cell(Id id, Id owner, double radius) {
  words::Unit word = unit(id, owner, true, Unit::CELL);
  word.set_radius(radius);
  return word;
}

words::Owns owns(Id player, std::initializer_list<Id> units, Id active) {
  words::Owns word;
  word.set_player(player);
  for (const Id id : units) word.add_units(id);
  word.set_active(active);
  return word;
}

/// The client is player 1 and has number 1 of 0 to `last`.
struct Play {
  explicit Play(std::uint8_t last = 9) : table(display, 1, 0, last) {}

  void player(Id id) {
    words::Player word;
    word.set_id(id);
    out.knows(word);
  }
  /// The player with one tank, which has ten times its number.
  void with_tank(Id id, bool alive = true) {
    player(id);
    out.knows(unit(10 * id, id, alive));
    out.knows(owns(id, {10 * id}, 10 * id));
  }
  /// The player with these units, of which none is active.
  void with_units(Id id, std::initializer_list<words::Unit> units) {
    player(id);
    words::Owns all = owns(id, {}, 0);
    for (const words::Unit& one : units) {
      out.knows(one);
      all.add_units(one.id());
    }
    out.knows(all);
  }
  /// The client sees these.
  void shown(std::initializer_list<std::uint8_t> numbers) {
    for (const std::uint8_t number : numbers) table.at(number).shown = true;
  }
  template <class Word>
  std::string hears(const Word& word) {
    out.knows(word);
    table.hear(word, out);
    return take();
  }
  std::string sees(const words::Unit& word) {
    out.knows(word);
    table.see_unit(word, out);
    return take();
  }
  std::string enters() {
    table.assign_others(out);
    table.assign_own(out);
    return take();
  }
  std::string take() { return std::exchange(display.told, {}); }

  testing::ToldFrontOut out;
  Display display;
  Table table;
};

words::Hidden hidden(Id id) {
  words::Hidden word;
  word.set_unit(id);
  return word;
}

words::Gone gone(Id id) {
  words::Gone word;
  word.set_unit(id);
  return word;
}

words::PlayerGone player_gone(Id id) {
  words::PlayerGone word;
  word.set_id(id);
  return word;
}

}  // namespace

TEST_CASE("others get the lowest free numbers but never the client's own, and the client is announced last") {
  Play play;
  play.with_tank(1, false);
  play.with_tank(2);
  play.player(3);
  CHECK(play.table.own_entry() == nullptr);
  CHECK(play.table.own_unit() == 0);
  CHECK(play.enters() ==
        "comes 0 as unit 0\nput 0 at 20\nannounced 0\nintroduced 0\n"
        "comes 2 as unit 0\nannounced 2\nintroduced 2\n"
        "comes 1 as unit 0\nannounced 1\nintroduced 1\n");
  CHECK(play.display.reassignments == 3);
  CHECK(play.table.own_unit() == 10);
  CHECK(play.table.player_of(0) == 2);
  CHECK(play.table.player_of(2) == 3);
  CHECK(play.table.player_of(7) == 0);
  CHECK(*play.table.of_unit(20) == 0);
  CHECK(play.table.of_unit(30) == nullptr);
  CHECK(*play.table.of(99, 3) == 2);  // the unit has none, so its player's
  CHECK(*play.table.of(20, 3) == 0);
  CHECK(play.table.of(99, 9) == nullptr);
  CHECK(play.table.size() == 3);
}

TEST_CASE("a new player is alive if its unit is, but the client's own tank only once it was put into play") {
  Play play;
  play.with_tank(1);
  play.with_tank(2);
  play.with_tank(3, false);
  play.enters();
  CHECK(play.table.at(0).alive);
  CHECK_FALSE(play.table.at(2).alive);
  CHECK_FALSE(play.table.own().alive);
}

TEST_CASE("units without an owner are players of their own, and go with their units") {
  Play play;
  play.with_tank(1);
  play.out.knows(unit(50, 0));
  play.enters();
  REQUIRE(play.table.of_unit(50) != nullptr);
  CHECK(*play.table.of_unit(50) == 0);
  CHECK(play.table.player_of(0) == 0);
  CHECK(play.sees(unit(60, 0)) == "comes 2 as unit 0\nput 2 at 60\nannounced 2\nintroduced 2\nshow 2\n");
  CHECK(play.sees(unit(60, 0)) == "show 2\n");
  CHECK(play.hears(gone(60)) == "goes 2\n");
  CHECK(play.table.of_unit(60) == nullptr);
  CHECK(play.table.of_player(0) == nullptr);
  CHECK(play.hears(gone(60)) == "");
  CHECK(play.sees(unit(70, 0)).starts_with("comes 2 "));
}

TEST_CASE("a unit without an owner that the client was told of before it entered is not announced again") {
  Play play;
  play.with_tank(1);
  play.sees(unit(50, 0));
  CHECK(play.enters() == "comes 1 as unit 0\nput 1 at 10\nannounced 1\nintroduced 1\n");
}

TEST_CASE("further units of a player have numbers of their own, which they lose without taking their player along") {
  Play play;
  play.with_tank(2);
  play.out.knows(unit(21, 2));
  play.out.knows(owns(2, {20, 21}, 20));
  play.enters();
  CHECK(*play.table.of_player(2) == 0);
  CHECK(*play.table.of_unit(21) == 2);
  CHECK(play.table.player_of(2) == 2);
  CHECK(play.hears(owns(2, {20}, 20)) == "goes 2\n");
  CHECK(play.table.of_unit(21) == nullptr);
  CHECK(*play.table.of_player(2) == 0);
  play.out.knows(unit(22, 2));
  CHECK(play.hears(owns(2, {20, 22}, 20)) == "comes 2 as unit 1\nput 2 at 22\nannounced 2\nintroduced 2\n");
}

TEST_CASE("a player who steers another of its units keeps its number, which now stands for that unit") {
  Play play;
  play.with_tank(2);
  play.enters();
  play.out.knows(unit(21, 2));
  const int before = play.display.reassignments;
  CHECK(play.hears(owns(2, {21}, 21)) == "put 0 at 21\n");
  CHECK(play.display.reassignments == before + 1);
  CHECK(play.table.of_unit(20) == nullptr);
  CHECK(*play.table.of_unit(21) == 0);
  CHECK(play.table.at(0).unit == 21);
  play.out.knows(unit(22, 2, false));
  CHECK(play.hears(owns(2, {22}, 22)) == "show 0\n");  // it is not in play
}

TEST_CASE("a player whose client must ask to spawn first is not put into play with its next unit") {
  Play play;
  play.with_tank(2);
  play.enters();
  play.table.waiting = true;
  play.out.knows(unit(21, 2));
  CHECK(play.hears(owns(2, {21}, 21)) == "show 0\n");
}

TEST_CASE("when two units of a player change places, the number that stood for the other one is given back") {
  Play play;
  play.with_tank(2);
  play.out.knows(unit(21, 2));
  play.out.knows(owns(2, {20, 21}, 20));
  play.enters();
  REQUIRE(*play.table.of_unit(21) == 2);
  CHECK(play.hears(owns(2, {20, 21}, 21)) ==
        "goes 2\nput 0 at 21\ncomes 2 as unit 1\nput 2 at 20\nannounced 2\nintroduced 2\n");
  CHECK(*play.table.of_unit(21) == 0);
  CHECK(*play.table.of_unit(20) == 2);
}

TEST_CASE("a player who has lost its unit keeps its number and is looked at in the next tick") {
  Play play;
  play.with_tank(2);
  play.enters();
  play.out.time = 5 * kSecond;
  CHECK(play.hears(owns(2, {}, 0)) == "");
  CHECK(play.out.asked == 5 * kSecond);
  CHECK(play.table.at(0).unit == 0);
  CHECK(play.table.of_unit(20) == nullptr);
  CHECK(*play.table.of_player(2) == 0);
}

TEST_CASE("a player who leaves gives its number back; the client itself keeps its own") {
  Play play;
  play.with_tank(1);
  play.with_tank(2);
  play.enters();
  CHECK(play.hears(player_gone(2)) == "goes 0\n");
  CHECK(play.table.of_player(2) == nullptr);
  CHECK(play.table.of_unit(20) == nullptr);
  CHECK(play.table.size() == 1);
  CHECK(play.hears(player_gone(2)) == "");
  CHECK(play.hears(player_gone(1)) == "");
  CHECK(play.table.own_entry() != nullptr);
}

TEST_CASE("all numbers of a player who leaves are given back") {
  Play play;
  play.with_tank(2);
  play.out.knows(unit(21, 2));
  play.out.knows(owns(2, {20, 21}, 20));
  play.enters();
  CHECK(play.hears(player_gone(2)) == "goes 2\ngoes 0\n");
}

TEST_CASE("without a free number a visible unit takes that of a player who is not shown, and an invisible one none") {
  Play play(2);  // 0 and 2 for others
  for (const Id id : {2U, 3U}) play.with_tank(id);
  play.enters();
  play.table.at(0).shown = true;
  CHECK(play.sees(unit(50, 0, false)) == "no space\n");
  CHECK(play.sees(unit(60, 0)) == "goes 2\ncomes 2 as unit 0\nput 2 at 60\nannounced 2\nintroduced 2\nshow 2\n");
  CHECK(play.table.of_player(3) == nullptr);
  play.table.at(2).shown = true;
  CHECK(play.sees(unit(70, 0)) == "no space\n");  // all are shown
  CHECK(play.table.own_entry() != nullptr);
}

TEST_CASE(
    "once the client was told of itself, those in sight take the numbers of those who are not, if there are any") {
  for (const bool all_shown : {false, true}) {
    CAPTURE(all_shown);
    Play play(2);
    play.with_tank(1);
    for (const Id id : {2U, 3U}) play.with_tank(id, false);
    play.with_tank(4);
    play.table.assign_others(play.out);
    CHECK(play.take() ==
          "comes 0 as unit 0\nannounced 0\nintroduced 0\ncomes 2 as unit 0\nannounced 2\nintroduced 2\nno space\n");
    play.shown({0});
    if (all_shown) play.shown({2});
    play.table.assign_own(play.out);
    const std::string own = "comes 1 as unit 0\nput 1 at 10\nannounced 1\nintroduced 1\n";
    CHECK(play.take() ==
          (all_shown ? own : own + "goes 2\ncomes 2 as unit 0\nput 2 at 40\nannounced 2\nintroduced 2\n"));
  }
}

TEST_CASE("of a player's units for which there is no number, one is counted; one in sight may still get one") {
  Play play(2);
  for (const Id id : {1U, 2U, 3U}) play.with_tank(id);
  play.enters();
  play.table.at(0).shown = true;
  for (const Id id : {21U, 22U}) play.out.knows(unit(id, 2, false));
  play.out.knows(unit(23, 2));
  CHECK(play.hears(owns(2, {20, 21, 22, 23}, 20)) ==
        "no space\ngoes 2\ncomes 2 as unit 3\nput 2 at 23\nannounced 2\nintroduced 2\n");
  play.table.at(2).shown = true;
  for (const Id id : {24U, 25U}) play.out.knows(unit(id, 2));
  CHECK(play.hears(owns(2, {20, 23, 24, 25}, 20)) == "no space\n");
  CHECK(play.sees(unit(20, 2)) == "show 0\n");  // its others are not looked at
  CHECK(play.sees(unit(24, 2)) == "no space\n");
}

TEST_CASE("without a free number, a unit that moves is counted once, and the client itself has its own") {
  Play play(2);
  for (const Id id : {2U, 3U}) play.with_tank(id);
  play.table.assign_others(play.out);
  play.shown({0, 2});
  play.take();
  play.with_tank(1);
  play.with_tank(4);
  play.out.knows(unit(41, 4));
  play.out.knows(owns(4, {40, 41}, 40));
  CHECK(play.sees(unit(40, 4)) == "no space\n");
  CHECK(play.sees(unit(10, 1)) == "comes 1 as unit 0\nput 1 at 10\nannounced 1\nintroduced 1\nput 1 at 10\n");
}

TEST_CASE("a unit that another player has taken over stands for that player") {
  Play play;
  for (const Id id : {2U, 3U}) play.with_tank(id);
  play.enters();
  REQUIRE(*play.table.of_player(3) == 2);
  play.out.knows(owns(3, {20}, 20));
  CHECK(play.sees(unit(20, 3)) == "goes 0\nput 2 at 20\nshow 2\n");
  CHECK(*play.table.of_unit(20) == 2);
}

TEST_CASE("a player whose unit another one has taken over is shown as the next of its units that moves") {
  Play play(2);  // with a number for each
  for (const Id id : {2U, 3U}) play.with_tank(id);
  play.enters();
  play.out.knows(unit(20, 3));
  play.out.knows(owns(2, {21}, 0));
  CHECK(play.sees(unit(21, 2)) == "put 0 at 21\nshow 0\n");
}

TEST_CASE("the number of a player stands for the best of its cells, whichever of them moves") {
  Play play(0);
  play.with_units(2, {cell(20, 2, 2), cell(21, 2, 1)});
  play.enters();
  REQUIRE(*play.table.of_unit(20) == 0);
  play.table.at(0).shown = true;
  CHECK(play.sees(cell(21, 2, 1.5)) == "");  // it needs no number
  CHECK(play.sees(cell(21, 2, 3)) == "put 0 at 21\nshow 0\n");
  CHECK(play.sees(cell(21, 2, 1)) == "put 0 at 20\n");
  CHECK(*play.table.of_unit(20) == 0);
}

TEST_CASE("a player's tanks and the best of its cells have numbers, and the first one stands for a tank") {
  Play play;
  play.with_units(2, {cell(20, 2, 5)});
  play.with_units(3, {unit(30, 3)});
  play.enters();
  REQUIRE(*play.table.of_unit(20) == 0);
  REQUIRE(*play.table.of_unit(30) == 2);
  // A cell beside a tank.
  play.out.knows(owns(3, {30, 31}, 30));
  CHECK(play.sees(cell(31, 3, 1)) == "comes 3 as unit 1\nput 3 at 31\nannounced 3\nintroduced 3\nshow 3\n");
  // A better cell.
  play.out.knows(owns(3, {30, 31, 32}, 30));
  CHECK(play.sees(cell(32, 3, 2)) == "goes 3\ncomes 3 as unit 1\nput 3 at 32\nannounced 3\nintroduced 3\nshow 3\n");
  // Another tank, which is smaller than the cell.
  play.out.knows(owns(3, {30, 31, 32, 33}, 30));
  CHECK(play.sees(unit(33, 3)) == "comes 4 as unit 1\nput 4 at 33\nannounced 4\nintroduced 4\nshow 4\n");
  CHECK(*play.table.of_player(3) == 2);
  CHECK(*play.table.of_unit(30) == 2);
}

TEST_CASE("a player's only number goes to its tank if it had a cell, and to the tank that it steers") {
  Play play(2);
  play.with_units(2, {cell(20, 2, 5)});
  play.with_units(3, {unit(30, 3)});
  play.enters();
  play.shown({0, 2});
  play.out.knows(owns(2, {20, 21}, 0));
  CHECK(play.sees(unit(21, 2)) == "put 0 at 21\nno space\nshow 0\n");
  play.out.knows(owns(3, {30, 31}, 31));
  CHECK(play.sees(unit(31, 3)) == "put 2 at 31\nno space\nshow 2\n");
}

TEST_CASE("a unit that is in play again is put there once, and only shown when it is seen again") {
  Play play;
  play.with_tank(2, false);
  play.enters();
  CHECK(play.sees(unit(20, 2)) == "put 0 at 20\n");
  CHECK_FALSE(play.table.at(0).alive);  // until the front has put it there
  play.table.at(0).alive = true;
  CHECK(play.sees(unit(20, 2)) == "show 0\n");
  for (int i = 0; i < 2; ++i) {
    CHECK(play.sees(unit(20, 2, false)) == "show 0\n");
    CHECK_FALSE(play.table.at(0).alive);
  }
}

TEST_CASE("a dead unit of the client itself stays alive for the client until its death is told") {
  Play play;
  play.with_tank(1);
  play.enters();
  play.table.own().alive = true;
  CHECK(play.sees(unit(10, 1, false)) == "show 1\n");
  CHECK(play.table.own().alive);
}

TEST_CASE("a unit that spawns is put there; one without a number is not") {
  Play play;
  play.with_tank(2, false);
  play.enters();
  words::Spawned spawned;
  spawned.set_unit(20);
  spawned.mutable_pose()->set_x(7);
  CHECK(play.hears(spawned) == "put 0 at 7\n");
  spawned.set_unit(99);
  CHECK(play.hears(spawned) == "");
}

TEST_CASE("a player whose cell is out of sight is shown as another of its cells, or as hidden") {
  Play play;
  play.player(2);
  play.out.knows(unit(20, 2, true, Unit::CELL));
  play.out.knows(unit(21, 2, true, Unit::CELL));
  play.out.knows(owns(2, {20, 21}, 20));
  play.enters();
  REQUIRE(*play.table.of_unit(20) == 0);
  CHECK(play.hears(hidden(20)) == "put 0 at 21\n");
  CHECK(*play.table.of_unit(21) == 0);
  CHECK(play.hears(hidden(21)).ends_with("show 0\n"));
  CHECK(play.hears(hidden(99)) == "");
}

TEST_CASE("a player whose unit is gone stands for its next one") {
  Play play;
  play.with_tank(2);
  play.out.knows(unit(21, 2));
  play.out.knows(owns(2, {20, 21}, 20));
  play.enters();
  CHECK(play.hears(gone(20)) == "goes 2\nput 0 at 21\n");
  CHECK(*play.table.of_unit(21) == 0);
}

TEST_CASE("a client whose unit becomes another player's keeps its own number") {
  Play play;
  play.with_tank(1);
  play.with_tank(2);
  play.enters();
  play.hears(owns(2, {10}, 10));
  REQUIRE(play.table.own_entry() != nullptr);
  CHECK(play.table.own_entry()->player == 1);
  CHECK(*play.table.of_unit(10) == 0);
}

// -- The client's own tank --------------------------------------------------------------------------------------------

namespace {

/// The client's tank is at 10 in the world, and was put at 0 a long time ago.
struct Kept {
  Kept() {
    play.with_tank(1);
    play.enters();
    play.out.time = 100 * kSecond;
    keeper.put({}, 0);
  }
  Play play;
  TankKeeper keeper{play.display};
};

}  // namespace

TEST_CASE("a client's tank is corrected under its own number, or a second after the last correction") {
  Kept kept;
  kept.keeper.correct(kept.play.table, kept.play.out);
  CHECK(kept.play.take() == "put 1 at 10\n");
  kept.keeper.put({}, kept.play.out.time);
  kept.keeper.correct(kept.play.table, kept.play.out);
  CHECK(kept.play.take() == "");
  CHECK(kept.play.out.asked == 101 * kSecond);
  kept.keeper.revive(kept.play.table, kept.play.out);
  CHECK(kept.play.take() == "");
}

TEST_CASE("a client that has not entered, or whose tank is not in the world, is not corrected") {
  Play play;
  play.out.time = 100 * kSecond;
  TankKeeper keeper(play.display);
  keeper.correct(play.table, play.out);
  keeper.revive(play.table, play.out);
  keeper.check_place(play.table, play.out);
  play.player(1);
  play.enters();
  keeper.correct(play.table, play.out);
  keeper.check_place(play.table, play.out);
  CHECK(play.take() == "");
}

TEST_CASE("only a tank that its client takes for alive is corrected when it is astray") {
  for (const bool alive : {false, true}) {
    CAPTURE(alive);
    Kept kept;
    kept.play.table.own().alive = alive;
    words::Pose claim;
    claim.set_x(200);
    kept.keeper.claimed(claim, kept.play.out.time);
    CHECK(kept.keeper.place(kept.play.out.time).x() == 200);
    kept.keeper.check_place(kept.play.table, kept.play.out);
    kept.play.out.time += 500 * kMillisecond;
    kept.keeper.check_place(kept.play.table, kept.play.out);
    CHECK(kept.play.take() == (alive ? "put 1 at 10\n" : ""));
  }
}

TEST_CASE("a death that is claimed in a room's first moment is remembered") {
  Display display;
  TankKeeper keeper(display);
  CHECK(keeper.claim_death(0));
  CHECK(keeper.claims_death());
  CHECK_FALSE(keeper.claim_death(0));
}

}  // namespace entente::core::player_table_test
