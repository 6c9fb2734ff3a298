// What the backs of tank games have in common: words before and after the player is in, ticks, a silent server,
// goodbyes.
#include "proxy/core/tank/tank_back.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "proxy/core/drops.h"
#include "tests/core/told_out.h"

namespace entente::core::tank_back_test {
namespace {

constexpr MappingLine kLines[] = {
    {"", kUp, "", "Reload", Fidelity::kDropped, "guns reload by themselves"},
    {"", kUp, "", "DeathClaim", Fidelity::kDropped, "the server says who dies"},
};
std::span<const MappingLine> mapping() { return kLines; }

class Tank final : public TankOnServer {
 public:
  Tank(const JoinState& state, TankServerPlayers& players) : TankOnServer(state, players, Pace(1, 1)) {}
  TankModel model() const override { return {}; }
  double jump() const override { return 0; }
  void drove(const TankState& to, BackOut&) override { put(to, pose); }

  int requests = 0;
  std::vector<words::Pose> reports;

 private:
  void ask_to_spawn(BackOut&) override { ++requests; }
  void limit_and_number(words::Pose& place) override { place.set_seq(++last_seq); }
  void tell_server(const words::Pose& place, BackOut&) override { reports.push_back(place); }
};

class Hits final : public TankHits {
 public:
  Hits(JoinState& state, TankOnServer& tank) : TankHits(state, tank) {}
  using TankHits::claim_death;
  using TankHits::incoming_;
  using TankHits::number_in_room;
  using TankHits::number_on_server;
  using TankHits::steer;
  using TankHits::tell_shot;
  using TankHits::watch;

  bool ignores = false, survives = false;
  std::string told;

 private:
  bool counts(const Incoming&, const BackOut&) const override { return !ignores; }
  std::optional<words::Died> tell_hit(const Incoming& shot, BackOut&) override {
    told += "hit by " + std::to_string(shot.shooter) + "/" + std::to_string(shot.shot) + "\n";
    if (survives) return std::nullopt;
    words::Died died;
    died.set_shot(shot.shot);
    return died;
  }
  void look_around(const DrivenTank::TimeStep&, BackOut&) override { told += "looks around\n"; }
  void tell_dead(BackOut&) override { told += "tells dead\n"; }
  void assume_dead(const words::Died& died, BackOut&) override { told += "dead: " + died.ShortDebugString() + "\n"; }
};

class Control final : public TankControl {
 public:
  Control(JoinState& state, TankOnServer& tank, TankHits& hits) : TankControl(state, tank, hits) {}
  using TankControl::fire_gun;
  using TankControl::loaded;

  struct Fired {
    double yaw, x;
    Micros at;
  };
  const MappingLine* forbids = nullptr;
  double life = 2;
  std::vector<Fired> along;
  std::string told;

 private:
  std::optional<std::uint16_t> free_shot(std::optional<std::uint32_t> wished, BackOut& out) override {
    const auto gun = loaded(wished.value_or(GunReloads::kAny), out);
    return gun ? std::optional(std::uint16_t{*gun}) : std::nullopt;
  }
  void fire(const words::Fire& fire, std::uint16_t number, BackOut& out) override {
    told += "fires " + std::to_string(fire.shot()) + " as " + std::to_string(number) + "\n";
    fire_gun(static_cast<std::uint8_t>(number), life, out);
  }
  void fire_along(double yaw, words::Pose here, std::uint16_t number, BackOut& out) override {
    along.push_back({yaw, here.x(), out.now()});
    fire_gun(static_cast<std::uint8_t>(number), life, out);
  }
  const MappingLine* why_not_shoot() const override { return forbids; }
};

class Toy final : public TankBack {
 public:
  Toy() { state_.number = 3; }
  using TankBack::await_server;
  using TankBack::fail;
  using TankBack::server_players_;
  using TankBack::state_;
  using TankBack::tokens_;
  void receive(const Frames&, BackOut&) override {}

  JoinState::Stage after_enter = JoinState::Stage::kEntering;
  bool takes_early = false;
  std::string told;
  Tank the_tank{state_, server_players_};
  Hits the_hits{state_, the_tank};
  Control the_control{state_, the_tank, the_hits};

 private:
  struct Part {
    void hear(const words::Tool&, BackOut&) { ++tools; }
    int tools = 0;
  };

  bool hear_early(const Intent& intent, BackOut&) override {
    if (takes_early) told += std::string("early ") + name_of(intent) + "\n";
    return takes_early;
  }
  void hear_word(const Intent& intent, BackOut& out) override {
    Part part;
    hand_out<mapping>(intent, out, part);
    told += std::string("hears ") + name_of(intent) + (part.tools != 0 ? " in a part\n" : "\n");
  }
  void enter(BackOut&) override {
    told += "enters\n";
    state_.stage = after_enter;
  }
  void say_goodbye(BackOut&) override { told += "says goodbye\n"; }
  void look_after_link(BackOut&) override { told += "looks after the link\n"; }
  TankOnServer& tank() override { return the_tank; }
  TankControl& control() override { return the_control; }
  TankHits& hits() override { return the_hits; }
};

template <class Word>
Intent by(Id player, Word word) {
  Intent intent(std::move(word));
  intent.by = player;
  return intent;
}

struct Scene {
  /// The player is in, with a tank at the origin, at 100 s. `claims`: its client reports hits on it.
  Scene& in(bool claims = false) {
    back.after_enter = JoinState::Stage::kIn;
    words::Enter wish;
    wish.set_claims_deaths(claims);
    back.hear(by(1, wish), out);
    back.state_.room.set_most_shots(2);
    back.server_players_.add_own();
    back.server_players_.tell_tank(back.server_players_.meet(3, out), 2, out);
    out.time = 100 * kSecond;
    back.the_tank.begin_life({}, out);
    take();
    return *this;
  }
  std::string hears(const Intent& intent) {
    back.hear(intent, out);
    return take();
  }
  std::string take() { return std::exchange(back.told, {}) + out.take(); }
  std::string ticks(Micros later = 40 * kMillisecond) {
    out.time += later;
    back.tick(out);
    return take();
  }
  Control& control() { return back.the_control; }
  Hits& hits() { return back.the_hits; }
  Tank& tank() { return back.the_tank; }

  testing::ToldBackOut out;
  Toy back;
};

words::PoseClaim claim_at(double x, double yaw = 0, double vx = 0) {
  words::PoseClaim claim;
  claim.set_x(x);
  claim.set_yaw(yaw);
  claim.set_vx(vx);
  return claim;
}

words::Trigger trigger(bool pulled) {
  words::Trigger word;
  word.set_primary(pulled);
  return word;
}

words::Fire fire(std::uint32_t shot, double yaw = 0) {
  words::Fire word;
  word.set_shot(shot);
  word.set_vx(100 * std::cos(yaw));
  word.set_vy(100 * std::sin(yaw));
  return word;
}

/// Another player's shot at the tank from the east, which arrives in less than a second.
words::Shot shot_at_tank(std::uint32_t number) {
  words::Shot shot;
  shot.set_shot(number);
  shot.set_x(50);
  shot.set_z(1);
  shot.set_vx(-100);
  return shot;
}

const Intent kChange = by(1, words::Change());

}  // namespace

TEST_CASE(
    "a player's wish to enter is kept with its id; words before it is in are counted, those of others are ignored") {
  const std::string lost = "loses Change: the player is not in the game\n";
  Scene scene;
  CHECK(scene.hears(kChange) == lost);
  words::Enter wish;
  wish.set_name("anna");
  CHECK(scene.hears(by(1, wish)) == "enters\n");
  CHECK(scene.back.state_.me == 1);
  CHECK(scene.back.state_.wish->name() == "anna");
  CHECK(scene.hears(kChange) == lost);
  CHECK(scene.hears(by(1, trigger(true))) == "loses Trigger: the player is not in the game\n");
  scene.back.state_.stage = JoinState::Stage::kIn;
  CHECK(scene.hears(kChange) == "hears Change\n");
  CHECK(scene.hears(by(2, words::Change())) == "");
  CHECK(scene.hears(by(1, words::WantWorld())) == "");
  scene.back.takes_early = true;
  CHECK(scene.hears(by(2, words::Change())) == "early Change\n");
}

TEST_CASE("what a player changes before the server is asked to let it in becomes a part of its wish") {
  Scene scene;
  words::Change change;
  change.set_name("bert");
  change.set_team(words::BLUE);
  change.set_kit(3);
  change.set_motto("onwards");
  change.set_skin("stripes");
  scene.back.after_enter = JoinState::Stage::kReadyToEnter;
  scene.hears(by(1, words::Enter()));
  CHECK(scene.hears(by(2, change)) == "loses Change: the player is not in the game\n");
  CHECK(scene.hears(by(1, trigger(true))) == "loses Trigger: the player is not in the game\n");
  CHECK(scene.hears(by(1, change)) == "");
  const words::Enter wish = *scene.back.state_.wish;
  CHECK(wish.ShortDebugString() == R"(name: "bert" team: BLUE kit: 3 motto: "onwards" skin: "stripes")");
  scene.back.state_.stage = JoinState::Stage::kEntering;
  change.set_name("carl");
  CHECK(scene.hears(by(1, change)) == "loses Change: the player is not in the game\n");
  CHECK(scene.back.state_.wish->name() == "bert");
}

TEST_CASE("a word for no part steers the tank, or is counted if the game has no message for it") {
  Scene scene;
  scene.in();
  CHECK(scene.hears(by(1, words::Tool())) == "hears Tool in a part\n");
  words::Toward goal;
  goal.set_x(50);
  CHECK(scene.hears(by(1, goal)) == "hears Toward\n");
  CHECK(scene.tank().steering.course(0, 0).x == 50);
  CHECK(scene.hears(by(1, words::Reload())) == "hears Reload\nloses Reload: guns reload by themselves\n");
  CHECK(scene.hears(by(1, words::DeathClaim())) ==
        "hears DeathClaim\nloses DeathClaim: the server says who dies\n"
        "says ClaimRefused why: \"the server says who dies\" (to 1)\n");
}

TEST_CASE("a server that does not let the player in within 90 seconds of its last word refuses it") {
  Scene scene;
  scene.hears(by(1, words::Enter()));
  CHECK(scene.out.asked == 90 * kSecond);
  scene.out.time = 50 * kSecond;
  scene.back.await_server(scene.out);  // it has said something
  scene.out.time = 140 * kSecond - 1;
  CHECK(scene.ticks(0) == "looks after the link\n");
  CHECK(scene.ticks(1) ==
        "looks after the link\nsays Refused code: SERVER_GONE text: \"the server does not answer\" may_retry: true\n"
        "closes: the server does not answer\n");
  CHECK(scene.ticks(kSecond) == "");
  CHECK(scene.hears(kChange) == "");
}

TEST_CASE("nobody waits for a server that has let the player in, waits for its wish, or has said goodbye") {
  for (const JoinState::Stage stage : {JoinState::Stage::kIn, JoinState::Stage::kReadyToEnter}) {
    Scene scene;
    scene.hears(by(1, words::Enter()));
    REQUIRE(scene.tank().claims.waits(Claim::kEnter));
    scene.back.state_.stage = stage;
    scene.back.await_server(scene.out);
    CHECK_FALSE(scene.tank().claims.waits(Claim::kEnter));
  }
  Scene scene;
  scene.back.state_.goodbye_said = true;
  scene.back.await_server(scene.out);
  CHECK_FALSE(scene.tank().claims.waits(Claim::kEnter));
  Scene joined;
  joined.back.after_enter = JoinState::Stage::kReadyToEnter;
  joined.hears(by(1, words::Enter()));
  CHECK_FALSE(joined.tank().claims.waits(Claim::kEnter));
}

TEST_CASE("goodbye is said once, and after it nothing is heard or done") {
  Scene scene;
  scene.in();
  CHECK(scene.hears(by(1, words::Leave())) == "says goodbye\ncloses: the player left\n");
  CHECK(scene.hears(by(1, words::Leave())) == "");
  CHECK(scene.hears(by(1, words::Enter())) == "");
  CHECK(scene.hears(kChange) == "");
  CHECK(scene.ticks() == "");
  scene.back.session_ends("it is over", scene.out);
  CHECK(scene.take() == "closes: it is over\n");
  scene.back.fail({"bad", "field", 1}, scene.out);
  CHECK(scene.take() == "");
}

TEST_CASE("a server that breaks its protocol ends the session once") {
  Scene scene;
  scene.in();
  scene.back.fail({"bad", "field", 1}, scene.out);
  CHECK(scene.take() == "fails: bad\n");
  scene.back.fail({"bad", "field", 1}, scene.out);
  scene.back.closed("gone", scene.out);
  CHECK(scene.take() == "");
}

TEST_CASE("a server that goes away refuses a player who is not in yet, and no other") {
  Scene early;
  early.hears(by(1, words::Enter()));
  early.take();
  early.back.closed("it has gone", early.out);
  CHECK(early.take() == "says Refused code: SERVER_GONE text: \"it has gone\"\n");
  early.back.closed("it has gone", early.out);
  CHECK(early.take() == "");
  Scene in;
  in.in().back.closed("it has gone", in.out);
  CHECK(in.take() == "");
  CHECK(in.hears(kChange) == "");
}

TEST_CASE("a tank in play is looked at every 40 ms; a dead one need not be") {
  Scene scene;
  scene.in();
  scene.out.asked = scene.out.kNever;
  scene.ticks();
  CHECK(scene.out.asked == scene.out.time + 40 * kMillisecond);
  scene.tank().end();
  scene.out.asked = scene.out.kNever;
  scene.ticks();
  CHECK(scene.out.asked == scene.out.kNever);
}

TEST_CASE("a claim that the server has ignored is counted, and told by its kind") {
  Scene scene;
  scene.in();
  scene.tank().claims.begin(Claim::kChange, kSecond, scene.out);
  CHECK(scene.ticks(kSecond) ==
        "looks after the link\nloses Change: the server did not answer in time\n"
        "says Notice level: WARNING text: \"the server has not changed your name, team or weapon\" (to 1)\n");
}

TEST_CASE(
    "a server that puts a tank into play late for the second time is told again that it is dead, if it ever lived") {
  for (const bool lived : {false, true}) {
    CAPTURE(lived);
    Scene scene;
    scene.in();
    scene.tank().end();
    scene.tank().has_lived = lived;
    scene.tank().hear(words::Spawn(), scene.out);
    scene.ticks(3 * kSecond);
    CHECK(scene.tank().requests == 2);
    CHECK(scene.hits().told == "");
    scene.ticks(6 * kSecond);
    CHECK(scene.tank().requests == 3);
    CHECK(scene.hits().told == (lived ? "tells dead\n" : ""));
  }
}

// -- Shots of the tank ------------------------------------------------------------------------------------------------

TEST_CASE(
    "a tank that is dead, paused or forbidden to fires no shot: it is counted, and its client is told of its end") {
  struct Row {
    const char* what;
    const char* why;
  };
  for (const Row& row : {Row{"dead", "the player is not in play"}, Row{"paused", "the player is not in play"},
                         Row{"forbidden", "every gun is reloading"}}) {
    CAPTURE(row.what);
    Scene scene;
    scene.in(true);
    if (row.what == std::string("dead")) scene.tank().end();
    if (row.what == std::string("paused")) scene.tank().paused = true;
    if (row.what == std::string("forbidden")) scene.control().forbids = &drops::kReloading;
    const std::string lost = std::string("loses Fire: ") + row.why + "\n";
    CHECK(scene.hears(by(1, fire(7))) == lost + "says ShotEnded shooter: 1 shot: 7 (to 1)\n");
    CHECK(scene.hears(by(1, words::Split())) == lost);  // no client has drawn it
    CHECK(scene.control().told == "");
    CHECK(scene.control().along.empty());
  }
}

TEST_CASE("what is said of a shot that is not known any more, by the number of another one, is not passed on") {
  Scene scene;
  scene.in(true);
  scene.hits().fired(7, 0x0100);
  words::ShotEnded ended;
  ended.set_shot(7);
  scene.hits().tell_shot(3, ended, scene.out);
  CHECK(scene.take() == std::string("loses ShotEnded: ") + drops::kShotNumberTaken.reason + "\n");
  scene.hits().tell_shot(4, ended, scene.out);  // another player's
  CHECK(scene.take() == "says ShotEnded shot: 7\n");
  ended.set_shot(0x0100);
  scene.hits().tell_shot(3, ended, scene.out);
  CHECK(scene.take() == "says ShotEnded shot: 7\n");
  CHECK(scene.hits().number_on_server(3, 0x0100) == std::nullopt);
  CHECK(scene.hits().number_on_server(3, 8) == 8);
  CHECK(scene.hits().number_on_server(4, 0x0100) == 0x0100);
}

TEST_CASE("a client that reports hits on itself fires its own shots, as long as a gun is loaded") {
  Scene scene;
  scene.in(true);
  CHECK(scene.hears(by(1, fire(1))) == "");
  CHECK(scene.hears(by(1, fire(1))) == "");  // another gun
  CHECK(scene.control().told == "fires 1 as 1\nfires 1 as 0\n");
  CHECK(scene.hears(by(1, fire(2))) ==
        "loses Fire: every gun is reloading\nsays ShotEnded shooter: 1 shot: 2 (to 1)\n");
  scene.out.time += 1'900 * kMillisecond - 1;  // 95 % of the life of a shot
  CHECK(scene.hears(by(1, fire(2))) != "");
  scene.out.time += 1;
  CHECK(scene.hears(by(1, fire(2))) == "");
}

TEST_CASE(
    "a client that claims its places shoots at once from where it is now, along the shot or else straight ahead") {
  Scene scene;
  scene.in();
  scene.tank().hear(claim_at(10, 1, 20), scene.out);
  scene.out.time += 100 * kMillisecond;
  scene.hears(by(1, fire(7, 0.5)));
  REQUIRE(scene.control().along.size() == 1);
  CHECK(scene.control().along[0].yaw == doctest::Approx(0.5));
  CHECK(scene.control().along[0].x == doctest::Approx(12));
  scene.out.time += 10 * kSecond;
  scene.hears(by(1, words::Split()));
  REQUIRE(scene.control().along.size() == 2);
  CHECK(scene.control().along[1].yaw == 1);
  CHECK(scene.control().along[1].x == doctest::Approx(14));  // no further than it drives in 0.2 s
  scene.hears(by(1, words::Split()));
  CHECK(scene.hears(by(1, words::Split())) == "loses Fire: every gun is reloading\n");
}

TEST_CASE("a shot that no client has numbered has the server's number in the room, too") {
  Scene scene;
  scene.in(true);
  for (const std::uint32_t shot : {8U, 9U}) scene.hears(by(1, fire(shot)));
  for (const std::uint16_t gun : {std::uint16_t{0}, std::uint16_t{1}}) CHECK(scene.hits().number_in_room(3, gun) >= 8);
  scene.tank().hear(claim_at(0), scene.out);
  scene.out.time += 10 * kSecond;
  for (int i = 0; i < 2; ++i) scene.hears(by(1, words::Split()));
  REQUIRE(scene.control().along.size() == 2);
  for (const std::uint16_t gun : {std::uint16_t{0}, std::uint16_t{1}})
    CHECK(scene.hits().number_in_room(3, gun) == gun);
}

TEST_CASE("a tank that is driven turns to its target first, stands still meanwhile, and fires one shot") {
  Scene scene;
  scene.in();
  words::Toward goal;
  goal.set_x(50);
  scene.hears(by(1, goal));
  scene.hears(by(1, fire(7, 1)));
  CHECK(scene.control().along.empty());
  for (int i = 0; i < 100 && scene.control().along.empty(); ++i) {
    CHECK(scene.tank().pose.x() == 0);
    scene.ticks();
  }
  REQUIRE(scene.control().along.size() == 1);
  CHECK(scene.control().along[0].yaw == doctest::Approx(1).epsilon(0.03));
  for (int i = 0; i < 50; ++i) scene.ticks();
  CHECK(scene.control().along.size() == 1);
  CHECK(scene.tank().pose.x() > 10);
}

TEST_CASE("while the trigger is held shots follow each other as evenly as the guns reload") {
  for (const bool claims : {false, true}) {
    CAPTURE(claims);
    Scene scene;
    scene.in();
    if (claims) scene.tank().hear(claim_at(0, 2), scene.out);
    scene.hears(by(1, trigger(true)));
    for (int i = 0; i < 100; ++i) scene.ticks();  // 4 s
    const auto& shots = scene.control().along;
    REQUIRE(shots.size() == 5);  // two guns, each of which reloads for 1.9 s
    for (std::size_t i = 1; i < shots.size(); ++i) {
      CHECK(shots[i].at - shots[i - 1].at >= 950 * kMillisecond);
      CHECK(shots[i].at - shots[i - 1].at <= 1'000 * kMillisecond);
      CHECK(shots[i].yaw == doctest::Approx(claims ? 2 : 0));
    }
    scene.hears(by(1, trigger(false)));
    for (int i = 0; i < 100; ++i) scene.ticks();
    CHECK(shots.size() == 5);
  }
}

TEST_CASE("a paused tank neither drives nor goes on firing") {
  Scene scene;
  scene.in();
  words::Keys keys;
  keys.set_bits(words::Keys::FORWARD);
  scene.hears(by(1, keys));
  scene.hears(by(1, trigger(true)));
  for (int i = 0; i < 3; ++i) scene.ticks();
  const auto before = scene.control().along.size();
  const double x = scene.tank().pose.x();
  CHECK(before == 1);
  CHECK(x > 0);
  scene.tank().claims.begin(Claim::kPause, 60 * kSecond, scene.out);  // it has asked to pause
  for (int i = 0; i < 100; ++i) scene.ticks();
  CHECK(scene.control().along.size() == before);
  CHECK(scene.tank().pose.x() == x);
}

TEST_CASE("a gun reloads for as long as its shot lives: for no time if that is none, for a minute at most") {
  struct Row {
    double life;
    Micros reloads;
  };
  for (const Row& row : {Row{2, 1'900 * kMillisecond}, Row{0, 0}, Row{-1, 0}, Row{NAN, 0}, Row{1e300, 57 * kSecond}}) {
    CAPTURE(row.life);
    Scene scene;
    scene.in();
    scene.back.state_.room.set_most_shots(1);
    scene.control().fire_gun(0, row.life, scene.out);
    scene.out.time += row.reloads;
    CHECK(scene.control().loaded(GunReloads::kAny, scene.out).has_value());
    if (row.reloads == 0) continue;
    scene.out.time -= 1;
    CHECK_FALSE(scene.control().loaded(GunReloads::kAny, scene.out).has_value());
  }
}

// -- Hits on the tank -------------------------------------------------------------------------------------------------

namespace {

/// Ticks until a shot of player 2 has had time to arrive.
std::string under_fire(Scene& scene, std::uint8_t shooter, bool harmless = false, ShotNature nature = {}) {
  scene.hits().watch(shooter, shot_at_tank(7), 4, nature, 3, harmless, scene.out);
  for (int i = 0; i < 25; ++i) scene.ticks();
  return scene.hits().told;
}

bool is_hit(const std::string& told) { return told.find("hit by") != std::string::npos; }

}  // namespace

TEST_CASE("a shot that meets the tank is told to the server once, and the tank is dead until the server says more") {
  Scene scene;
  scene.in();
  const std::string told = under_fire(scene, 2);
  CHECK(told.ends_with("looks around\nhit by 2/7\n"));
  CHECK_FALSE(scene.tank().alive);
  CHECK(scene.tank().claims.waits(Claim::kDeath));
  REQUIRE(scene.hits().incoming_.find(2, 7) != nullptr);
  CHECK(scene.hits().incoming_.find(2, 7)->flag == 4);
}

TEST_CASE("a tank that survives a hit, or is not hurt by it, lives on") {
  Scene survivor;
  survivor.in().hits().survives = true;
  CHECK(is_hit(under_fire(survivor, 2)));
  CHECK(survivor.tank().alive);
  CHECK_FALSE(survivor.tank().claims.waits(Claim::kDeath));
  Scene unhurt;
  unhurt.in().hits().ignores = true;
  CHECK_FALSE(is_hit(under_fire(unhurt, 2)));
  CHECK(unhurt.tank().alive);
}

TEST_CASE("harmless shots, the tank's own, and shots at a paused tank hit nothing") {
  Scene harmless;
  CHECK_FALSE(is_hit(under_fire(harmless.in(), 2, true)));
  Scene own;
  CHECK_FALSE(is_hit(under_fire(own.in(), 3)));
  Scene paused;
  paused.in().tank().paused = true;
  CHECK(under_fire(paused, 2) == "");  // and nothing else is looked for
}

TEST_CASE("a client that reports hits on itself is left to do so, but its back knows the shots") {
  Scene scene;
  scene.in(true);
  CHECK(under_fire(scene, 2) == "");
  CHECK(scene.hits().incoming_.find(2, 7) != nullptr);
}

TEST_CASE("shots before the player asks to enter are not watched") {
  Scene scene;
  scene.hits().watch(2, shot_at_tank(7), 4, {}, 3, false, scene.out);
  CHECK(scene.hits().incoming_.find(2, 7) == nullptr);
}

TEST_CASE("a death that the server does not confirm is told again after two seconds, and assumed after two more") {
  Scene scene;
  scene.in();
  words::Died died;
  died.set_shot(9);
  scene.hits().claim_death(died, scene.out);
  CHECK_FALSE(scene.tank().alive);
  scene.ticks(2 * kSecond - 1);
  CHECK(scene.hits().told == "");
  scene.ticks(1);
  CHECK(std::exchange(scene.hits().told, {}) == "tells dead\n");
  scene.ticks(2 * kSecond - 1);
  CHECK(scene.hits().told == "");
  CHECK(scene.ticks(1).starts_with("looks after the link\nloses DeathClaim: the server did not answer in time\n"));
  CHECK(scene.hits().told == "dead: shot: 9 synthesised: true\n");
}

TEST_CASE("the next death begins with a claim again, not with what was assumed of the last one") {
  Scene scene;
  scene.in();
  scene.hits().claim_death({}, scene.out);
  scene.ticks(2 * kSecond);
  scene.tank().end();  // confirmed
  scene.tank().begin_life({}, scene.out);
  scene.hits().told.clear();
  scene.hits().claim_death({}, scene.out);
  scene.ticks(2 * kSecond);
  CHECK(scene.hits().told == "tells dead\n");
}

// -- The tank ---------------------------------------------------------------------------------------------------------

TEST_CASE("a claimed place is said of the player's own unit, and reported to the server as often as it accepts") {
  Scene scene;
  scene.in();
  const Id unit = scene.back.server_players_.own()->unit;
  scene.tank().hear(claim_at(7), scene.out);
  CHECK(scene.take() == "says Pose unit: " + std::to_string(unit) + " x: 7 seq: 1\n");
  REQUIRE(scene.tank().reports.size() == 1);
  CHECK(scene.tank().reports[0].x() == 7);
  CHECK(scene.tank().sent.x() == 7);
  scene.tank().hear(claim_at(8), scene.out);
  CHECK(scene.tank().reports.size() == 1);  // too soon
  CHECK(scene.tank().update_pending);
  CHECK(scene.out.asked <= scene.out.time + 1);
  scene.out.time += 1;
  scene.tank().report_if_due(scene.out);
  REQUIRE(scene.tank().reports.size() == 2);
  CHECK(scene.tank().reports[1].x() == 8);
  CHECK_FALSE(scene.tank().update_pending);
}

TEST_CASE("each report of a tank that stands has a number of its own") {
  Scene scene;
  scene.in();
  for (int i = 0; i < 60; ++i) scene.ticks();
  REQUIRE(scene.tank().reports.size() == 2);
  CHECK(scene.tank().reports[0].seq() == 1);
  CHECK(scene.tank().reports[1].seq() == 2);
}

TEST_CASE("a server is asked for a life only by a player with a tank that is not in play") {
  Scene scene;
  scene.in();
  scene.tank().hear(words::Spawn(), scene.out);
  CHECK(scene.tank().requests == 0);  // it is in play
  scene.tank().end();
  scene.back.server_players_.forget_tank(*scene.back.server_players_.own(), scene.out);
  scene.tank().hear(words::Spawn(), scene.out);
  CHECK(scene.tank().requests == 0);  // it watches
  scene.back.server_players_.forget(3, scene.out);
  scene.tank().hear(words::Spawn(), scene.out);
  CHECK(scene.tank().requests == 0);  // the server does not know it
  CHECK_FALSE(scene.tank().spawn_late(1, scene.out));
  CHECK(scene.tank().requests == 0);
}

TEST_CASE("a wish for a life from before the player was in is asked for once") {
  Scene scene;
  scene.in();
  scene.tank().end();
  scene.tank().spawn_early = true;
  scene.tank().arrive(scene.out);
  CHECK(scene.tank().requests == 1);
  CHECK_FALSE(scene.tank().spawn_early);
  scene.tank().claims.answered(Claim::kSpawn);
  scene.tank().arrive(scene.out);
  CHECK(scene.tank().requests == 1);
}

TEST_CASE("others see a tank where dead reckoning puts it, for ten seconds at most") {
  DrivenTank tank;
  words::Pose place;
  place.set_vx(2);
  tank.told(place, kSecond);
  CHECK(tank.seen(2 * kSecond).x() == 2);
  CHECK(tank.seen(90 * kSecond).x() == 20);
}

TEST_CASE("a life ends the pause and sets the time of the next one; its beginning answers the request and the death") {
  DrivenTank tank;
  testing::ToldBackOut out;
  tank.begin({}, kSecond);
  tank.paused = true;
  tank.end(7 * kSecond);
  CHECK_FALSE(tank.alive);
  CHECK_FALSE(tank.paused);
  CHECK(tank.has_lived);
  CHECK(tank.spawns_from == 7 * kSecond);
  for (const Claim claim : {Claim::kSpawn, Claim::kDeath}) tank.claims.begin(claim, kSecond, out);
  tank.begin({}, 8 * kSecond);
  for (const Claim claim : {Claim::kSpawn, Claim::kDeath}) CHECK_FALSE(tank.claims.waits(claim));
}

TEST_CASE("a tank that is put into play again without a death is not paused, and a death ends what it has asked for") {
  DrivenTank tank;
  testing::ToldBackOut out;
  tank.begin({}, kSecond);
  tank.paused = true;
  tank.begin({}, 2 * kSecond);
  CHECK_FALSE(tank.paused);
  tank.claims.begin(Claim::kFire, kSecond, out);
  tank.end();
  CHECK_FALSE(tank.claims.waits(Claim::kFire));
}

TEST_CASE("a life that the server does not give is counted, and its player is told once") {
  Scene scene;
  scene.in();
  scene.tank().end();
  scene.tank().hear(words::Spawn(), scene.out);
  CHECK(scene.ticks(3 * kSecond) ==
        "looks after the link\nloses Spawn: the server did not answer in time\n"
        "says Notice level: WARNING text: \"the server has not put you into play; it is asked again\" (to 1)\n");
  CHECK(scene.ticks(6 * kSecond) == "looks after the link\nloses Spawn: the server did not answer in time\n");
}

TEST_CASE("a held trigger fires only once the tank has turned to its target, from where the tank is then") {
  Scene scene;
  scene.in();
  words::Keys keys;
  keys.set_yaw(1);
  scene.hears(by(1, keys));
  scene.hears(by(1, trigger(true)));
  scene.ticks();
  CHECK(scene.control().along.empty());
  CHECK(scene.tank().posed_at == scene.out.time);
  for (int i = 0; i < 100 && scene.control().along.empty(); ++i) scene.ticks();
  REQUIRE_FALSE(scene.control().along.empty());
  CHECK(scene.control().along[0].yaw == doctest::Approx(1).epsilon(0.03));
}

TEST_CASE("a tank that turns to its target may jump meanwhile") {
  words::Keys keys;
  keys.set_bits(words::Keys::JUMP);
  Steering steering;
  steering.hear(keys);
  TankDriver driver;
  driver.aim(1, 0);
  TankState tank;
  driver.drive({}, {}, steering, 19, 0.04, tank);
  CHECK(tank.z > 0);
}

TEST_CASE("a shot that is steered has hit the tank if it met it before, unless it does no harm or the tank is dead") {
  struct Row {
    const char* what;
    Micros after;  // ms until it is steered away; it meets the tank after 470
    bool hits;
  };
  for (const Row& row : {Row{"late", 479, true}, Row{"in time", 450, false}, Row{"harmless", 479, false},
                         Row{"dead", 479, false}, Row{"paused", 479, false}}) {
    CAPTURE(row.what);
    Scene scene;
    scene.in();
    scene.hits().watch(5, shot_at_tank(9), 0, {}, 4, false, scene.out);
    scene.ticks(440 * kMillisecond);
    REQUIRE_FALSE(is_hit(scene.hits().told));
    scene.hits().ignores = row.what == std::string("harmless");
    scene.tank().paused = row.what == std::string("paused");
    if (row.what == std::string("dead")) scene.tank().end();
    words::ShotMoved moved;
    moved.set_shot(9);
    moved.set_y(500);
    moved.set_vy(100);
    scene.out.time += (row.after - 440) * kMillisecond;
    scene.hits().steer(5, moved, scene.out);
    CHECK(is_hit(std::exchange(scene.hits().told, {})) == row.hits);
    if (row.hits) CHECK_FALSE(scene.tank().alive);
    scene.ticks();
    CHECK_FALSE(is_hit(scene.hits().told));  // it flies elsewhere now
  }
}

}  // namespace entente::core::tank_back_test
