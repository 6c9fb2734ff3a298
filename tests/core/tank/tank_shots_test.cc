// The shots that a client of a tank game is told about: which, under which number, and that each ends once.
#include "proxy/core/tank/tank_shots.h"

#include <doctest/doctest.h>

#include "tests/core/told_out.h"

namespace entente::core::tank_shots_test {
namespace {

struct Display final : TankDisplay {
  void put(std::uint8_t, const words::Pose&, FrontOut&) override {}
  void show(std::uint8_t, FrontOut&) override {}
};

/// The client is player 1 with tank 10 and number 1; player 2 has tank 20 and number 2.
class Numbers final : public TankNumbers {
 public:
  Numbers() {
    own_ = 1;
    for (const std::uint8_t number : {std::uint8_t{1}, std::uint8_t{2}}) {
      players_.add(number, number);
      units_.add(number, Id{number} * 10);
    }
    own.player = 1;
    own.unit = 10;
    own.alive = true;
  }
  const TankPlayerEntry* own_entry() const override { return entered ? &own : nullptr; }

  TankPlayerEntry own;
  bool entered = true;
};

class Shots final : public TankShots {
 public:
  Shots(const Numbers& numbers, const TankKeeper& keeper) : TankShots(numbers, keeper, 99) {}
  using TankShots::draw_own;

  bool none_free = false;
  std::size_t begun = 0;
  std::string told;

 private:
  std::optional<std::uint16_t> number_for(std::uint8_t player, std::uint32_t wished, FrontOut&) override {
    if (none_free) return std::nullopt;
    told += "asks " + std::to_string(player) + "/" + std::to_string(wished) + "\n";
    return static_cast<std::uint16_t>(wished + 1'000);
  }
  void add_details(ShownShot& shown, const words::Shot& shot) override { shown.weapon = shot.weapon(); }
  void begin(const ShownShot& shown, const words::Shot&, FrontOut&) override {
    ++begun;
    told += "begins " + std::to_string(shown.player) + "/" + std::to_string(shown.number) + " at " +
            std::to_string(static_cast<int>(shown.at[2])) + " with " + std::to_string(shown.weapon) + "\n";
  }
  void end(const ShownShot& shown, bool burst, FrontOut&) override {
    told += (burst ? "bursts " : "ends ") + std::to_string(shown.player) + "/" + std::to_string(shown.number) + "\n";
  }
};

/// Far from the client's tank.
words::Shot shot_of(Id shooter, Id unit, std::uint32_t number) {
  words::Shot shot;
  shot.set_shooter(shooter);
  shot.set_unit(unit);
  shot.set_shot(number);
  shot.set_weapon(4);
  shot.set_x(300);
  shot.set_z(5);
  shot.set_life(3);
  return shot;
}

words::ShotEnded ended(Id shooter, std::uint32_t number, bool burst) {
  words::ShotEnded word;
  word.set_shooter(shooter);
  word.set_shot(number);
  word.set_burst(burst);
  return word;
}

struct Play {
  template <class Word>
  std::string hears(const Word& word) {
    shots.hear(word, out);
    return take();
  }
  std::string take() { return std::exchange(shots.told, {}) + out.take(); }

  testing::ToldFrontOut out;
  Display display;
  TankKeeper keeper{display};
  Numbers numbers;
  Shots shots{numbers, keeper};
};

}  // namespace

TEST_CASE("a shot of another player begins with a number of the client, by which and by its own it is found") {
  Play play;
  CHECK(play.hears(shot_of(2, 20, 7)) == "asks 2/7\nbegins 2/1007 at 5 with 4\n");
  REQUIRE(play.shots.find(2, 7) != nullptr);
  CHECK(play.shots.find(2, 7)->number == 1'007);
  CHECK(play.shots.numbered(2, 1'007) == play.shots.find(2, 7));
  CHECK(play.shots.find(2, 1'007) == nullptr);
  CHECK(play.hears(shot_of(2, 77, 8)).starts_with("asks 2/8\n"));  // a unit without a number: its player's
}

TEST_CASE("a client is not told of its own shots, save the one that it has just fired, under the client's number") {
  Play play;
  CHECK(play.hears(shot_of(1, 10, 7)) == "");
  play.shots.draw_own(8, 4, 3, play.out);
  CHECK(play.hears(shot_of(1, 10, 7)) == "");
  CHECK(play.hears(shot_of(1, 10, 8)) == "begins 1/8 at 5 with 4\n");
  CHECK(play.shots.find(1, 7) == nullptr);
}

TEST_CASE("shots of the world's guns have a player number of their own; those of unseen players are counted") {
  Play play;
  CHECK(play.hears(shot_of(0, 0, 7)) == "asks 99/7\nbegins 99/1007 at 5 with 4\n");
  CHECK(play.hears(shot_of(3, 30, 7)) == "loses Shot: the client does not see its shooter\n");
  CHECK(play.shots.find(3, 7) == nullptr);
}

TEST_CASE("a shot for which no number is left is counted, and not kept") {
  Play play;
  play.shots.none_free = true;
  CHECK(play.hears(shot_of(2, 20, 7)) == "loses Shot: no number is left for another shot\n");
  CHECK(play.shots.find(2, 7) == nullptr);
  play.shots.none_free = false;
  for (std::uint32_t i = 0; i < 2'000; ++i) play.hears(shot_of(2, 20, i));
  CHECK(play.shots.begun == 2'000);
  CHECK(play.hears(shot_of(2, 20, 9'999)).ends_with("loses Shot: no number is left for another shot\n"));
  CHECK(play.shots.begun == 2'000);
  play.out.time = 4 * kSecond + 1;  // a second after their ends
  play.hears(shot_of(2, 20, 9'999));
  CHECK(play.shots.begun == 2'001);
}

TEST_CASE("a client that knows no ground sees a shot as high above it as the room does") {
  Play play;
  words::World land;
  land.set_west(-400), land.set_east(400), land.set_south(-400), land.set_north(400);
  land.set_kind(words::World::VOXELS);
  land.set_block(1);
  land.set_ground("\3");
  play.out.knows(land);
  CHECK(play.hears(shot_of(2, 20, 7)) == "asks 2/7\nbegins 2/1007 at 2 with 4\n");
}

TEST_CASE("a shot ends once for the client, as it ended in the room") {
  Play play;
  play.hears(shot_of(2, 20, 7));
  play.hears(shot_of(2, 20, 8));
  CHECK(play.hears(ended(2, 9, true)) == "");
  CHECK(play.hears(ended(3, 7, true)) == "");
  CHECK(play.hears(ended(2, 7, true)) == "bursts 2/1007\n");
  CHECK(play.hears(ended(2, 7, true)) == "");
  CHECK(play.hears(ended(2, 8, false)) == "ends 2/1008\n");
}

TEST_CASE("a shot that is near the client's tank ends at once, without a burst, and only while that tank is alive") {
  struct Row {
    const char* what;
    bool entered, has_unit, alive, ends;
  };
  const Row rows[] = {{"in play", true, true, true, true},
                      {"dead", true, true, false, false},
                      {"without a tank", true, false, true, false},
                      {"not in yet", false, true, true, false}};
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Play play;
    play.numbers.entered = row.entered;
    play.numbers.own.unit = row.has_unit ? 10 : 0;
    play.numbers.own.alive = row.alive;
    words::Shot near = shot_of(2, 20, 7);
    near.set_x(3);
    CHECK(play.hears(near).ends_with(row.ends ? "with 4\nends 2/1007\n" : "with 4\n"));
    CHECK(play.hears(ended(2, 7, true)) == (row.ends ? "" : "bursts 2/1007\n"));
  }
}

TEST_CASE("a shot is near if it is near where the client has its tank") {
  Play play;
  words::Pose there;
  there.set_x(300);
  play.hears(shot_of(2, 20, 7));
  play.keeper.claimed(there, 1);
  play.shots.end_shots_near_own_tank(play.out);
  CHECK(play.take() == "ends 2/1007\n");
  play.shots.end_shots_near_own_tank(play.out);
  CHECK(play.take() == "");
}

TEST_CASE("a client's own shot ends once for it, before the room has confirmed the shot or after it") {
  for (const bool confirmed : {false, true}) {
    CAPTURE(confirmed);
    Play play;
    play.shots.draw_own(8, 4, 3, play.out);
    if (confirmed) play.hears(shot_of(1, 10, 8));
    REQUIRE(play.shots.find(1, 8) != nullptr);
    CHECK(play.shots.find(1, 8)->weapon == 4);
    CHECK(play.hears(ended(1, 8, false)) == "ends 1/8\n");
    CHECK(play.hears(ended(1, 8, false)) == "");
  }
}

TEST_CASE("a client's own shot is forgotten a second after its end") {
  Play play;
  play.shots.draw_own(8, 4, 3, play.out);
  play.out.time = 4 * kSecond;
  play.shots.draw_own(9, 4, 3, play.out);
  CHECK(play.shots.find(1, 8) != nullptr);
  play.out.time = 4 * kSecond + 1;
  play.shots.draw_own(9, 4, 3, play.out);
  CHECK(play.shots.find(1, 8) == nullptr);
}

TEST_CASE("of its own shots, a client has at most 2'000 kept; one that is confirmed takes its own place") {
  Play play;
  for (std::uint16_t i = 0; i < 2'001; ++i) play.shots.draw_own(i, 4, 3, play.out);
  CHECK(play.shots.find(1, 1'999) != nullptr);
  CHECK(play.shots.find(1, 2'000) == nullptr);
  play.shots.draw_own(7, 4, 3, play.out);
  CHECK(play.hears(shot_of(1, 10, 7)) == "begins 1/7 at 5 with 4\n");
}

}  // namespace entente::core::tank_shots_test
