// Who was in an arena, and who killed whom, for its statistics.
#include "proxy/relay/base/attendance.h"

#include <doctest/doctest.h>

namespace entente::relay::attendance_test {
namespace {

struct Arena {
  void comes(core::Id id, const std::string& game, words::Role role = words::PLAY) {
    words::Player player;
    player.set_id(id);
    player.set_name("player " + std::to_string(id));
    player.set_role(role);
    tells(player, game);
  }
  void leaves(core::Id id) {
    words::PlayerGone gone;
    gone.set_id(id);
    tells(gone);
  }
  void dies(core::Id victim, core::Id killer, words::DeathCause why = words::BY_SHOT) {
    words::Died died;
    died.set_player(victim);
    died.set_killer(killer);
    died.set_why(why);
    tells(died);
  }
  template <class Word>
  void tells(const Word& word, const std::string& game = "") {
    attendance.told(core::Fact(word), [&](core::Id) { return game; });
  }
  Attendance::Row row(const std::string& game) const {
    for (const Attendance::Row& one : attendance.rows())
      if (one.game_dialect == game) return one;
    return {};
  }
  Attendance attendance;
};

TEST_CASE("statistics of an arena: a suicide is a death and no kill; captures and the server's deaths are neither") {
  Arena arena;
  arena.comes(1, "bzflag 2.4");
  arena.comes(2, "panic");
  arena.dies(1, 2);
  arena.dies(2, 2, words::BY_ITSELF);
  arena.dies(2, 0, words::BY_FALL);
  arena.dies(1, 2, words::BY_CAPTURE);
  arena.dies(1, 2, words::BY_SERVER);
  arena.dies(9, 1);  // nobody who is known
  CHECK(arena.row("bzflag 2.4").deaths == 1);
  CHECK(arena.row("bzflag 2.4").kills == 1);
  CHECK(arena.row("panic").deaths == 2);
  CHECK(arena.row("panic").kills == 1);
}

TEST_CASE(
    "statistics of an arena: players of each game are counted once, watchers are not, and the first names are kept") {
  Arena arena;
  arena.comes(1, "panic");
  arena.comes(1, "panic");  // told again, with a new team or name
  arena.comes(2, "panic", words::WATCH);
  arena.comes(3, "bot");
  CHECK(arena.row("panic").players == 1);
  CHECK(arena.row("panic").present == 1);
  arena.leaves(1);
  arena.leaves(1);
  arena.leaves(2);
  CHECK(arena.row("panic").players == 1);
  CHECK(arena.row("panic").present == 0);
  CHECK(arena.row("bot").present == 1);
  arena.comes(1, "panic");
  CHECK(arena.row("panic").players == 2);
  arena.dies(1, 1);
  arena.leaves(1);
  arena.dies(1, 1);  // it has left
  CHECK(arena.row("panic").deaths == 1);
  for (core::Id id = 10; id < 10 + Attendance::kMostNames; ++id) arena.comes(id, "ogar");
  arena.comes(99, "ogar");
  CHECK(arena.row("ogar").players == Attendance::kMostNames + 1);
  REQUIRE(arena.row("ogar").names.size() == Attendance::kMostNames);
  CHECK(arena.row("ogar").names.front() == "player 10");
}

TEST_CASE("statistics of an arena that has ended: nobody is there, and what was counted stays") {
  Arena arena;
  arena.comes(1, "panic");
  arena.comes(2, "bot");
  arena.dies(2, 1);
  arena.attendance.room_ended();
  for (const char* game : {"panic", "bot"}) {
    CHECK(arena.row(game).players == 1);
    CHECK(arena.row(game).present == 0);
  }
  CHECK(arena.row("panic").kills == 1);
  CHECK(arena.row("bot").deaths == 1);
  CHECK(arena.attendance.summary().players == 0);
  arena.leaves(1);
  CHECK(arena.row("panic").present == 0);
}

TEST_CASE("what a query is told of a room: its map and mode, how many play there, bots too, and how many may") {
  Arena arena;
  CHECK(arena.attendance.summary().map.empty());
  CHECK(arena.attendance.summary().players == 0);
  words::Room room;
  room.set_mode("capture the flag");
  room.set_most_players(16);
  arena.tells(room);
  words::World world;
  world.set_name("island");
  arena.tells(world);
  arena.comes(1, "panic");
  arena.comes(2, "bot");
  arena.comes(3, "panic", words::WATCH);
  arena.comes(1, "panic");  // told again
  auto summary = arena.attendance.summary();
  CHECK(summary.map == "island");
  CHECK(summary.mode == "capture the flag");
  CHECK(summary.most_players == 16);
  CHECK(summary.players == 2);
  arena.leaves(1);
  arena.leaves(3);
  room.set_mode("");
  room.set_most_players(0);
  arena.tells(room);
  world.set_name("desert");
  arena.tells(world);
  summary = arena.attendance.summary();
  CHECK(summary.map == "desert");
  CHECK(summary.mode.empty());
  CHECK(summary.most_players == 0);
  CHECK(summary.players == 1);
}

}  // namespace
}  // namespace entente::relay::attendance_test
