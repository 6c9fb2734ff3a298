// An arena and its players, through a room: what they ask for, and what happens.
#include "proxy/core/arena/referee.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "proxy/base/text.h"
#include "proxy/core/drops.h"
#include "proxy/core/gameplay/claims.h"
#include "proxy/core/room/room.h"
#include "tests/support/deaf_host.h"

namespace entente::core::referee_test {
namespace {

/// Sends the words that the test queues, and records the facts that it receives.
class Seat final : public Front {
 public:
  void receive(const Frames&, FrontOut& out) override {
    for (Intent& intent : std::exchange(to_say, {})) out.say(std::move(intent));
  }
  void hear(const Fact& fact, FrontOut&) override { heard.push_back(fact); }

  template <class T>
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::count_if(heard.begin(), heard.end(), [](const Fact& fact) { return as<T>(fact) != nullptr; }));
  }
  template <class T>
  const T* last() const {
    const T* found = nullptr;
    for (const Fact& fact : heard)
      if (as<T>(fact) != nullptr) found = as<T>(fact);
    return found;
  }

  std::optional<Absence> try_reserve_seat(const FrontOut&) override { return Absence{7, kept_for}; }

  std::vector<Intent> to_say;
  std::vector<Fact> heard;
  Micros kept_for = 60 * kSecond;
};

words::World open_field(double half_side) {
  words::World world = courtyard(half_side);
  world.clear_solids();
  return world;
}

constexpr double kOneTick = 0.041;  // seconds; the referee ticks once in that time

struct Match {
  explicit Match(const ArenaRules& rules = {}, double half_side = 200) : Match(rules, open_field(half_side)) {}
  Match(const ArenaRules& rules, words::World world) : Match(Arena{rules, std::move(world)}) {}
  explicit Match(Arena arena) : room(host, std::make_unique<Referee>(std::move(arena)), options()) {
    room.back_opened({}, now);
  }
  static RoomOptions options() {
    RoomOptions options;
    options.seed = 7;
    options.shared = true;
    return options;
  }

  struct Guest {
    Id id;
    Seat* seat;
  };
  Guest comes(const char* name, words::Team team = words::TEAM_ANY, words::Role role = words::PLAY) {
    auto front = std::make_unique<Seat>();
    Seat* seat = front.get();
    const Id id = room.seat(std::move(front), {}, now);
    words::Enter enter;
    enter.set_name(name);
    enter.set_team(team);
    enter.set_role(role);
    says({id, seat}, enter);
    return {id, seat};
  }
  /// The player to whom the place of the saved player of this name was promised.
  Guest comes_promised(const char* name, const char* wish) {
    auto front = std::make_unique<Seat>();
    Seat* seat = front.get();
    const Id id = room.seat(std::move(front), {}, now);
    room.order([&](Back& back) { static_cast<Referee&>(back).promise(id, name); }, now);
    words::Enter enter;
    enter.set_name(wish);
    enter.set_team(words::BLUE);
    says({id, seat}, enter);
    return {id, seat};
  }
  void says(Guest guest, Intent intent) {
    guest.seat->to_say.push_back(std::move(intent));
    const std::uint8_t nudge = 0;
    room.received(guest.id, {Lane::kStream, {&nudge, 1}}, now);
  }
  Guest plays(const char* name, words::Team team = words::TEAM_ANY) {
    const Guest guest = comes(name, team);
    says(guest, words::Spawn());
    return guest;
  }
  void lasts(double seconds) {
    const Micros until = now + static_cast<Micros>(seconds * kSecond);
    while (room.next_wake() <= until) {
      now = std::max(now, room.next_wake());
      room.tick(now);
    }
    now = until;
  }
  bool until(double seconds, const std::function<bool()>& so) {
    for (double t = 0; t < seconds && !so(); t += 0.04) lasts(0.04);
    return so();
  }

  /// How many words of this kind were dropped.
  std::uint64_t lost(std::string_view what) const {
    std::uint64_t times = 0;
    for (const Ledger::Entry& one : room.ledger().entries()) times += one.what() == what ? one.times : 0;
    return times;
  }

  const UnitState& tank(Guest guest) const { return *room.world().active_unit(guest.id); }
  words::Pose place(Guest guest) const {
    const UnitState& state = tank(guest);
    return place_at(state.unit.pose(), state.posed_at, now);
  }
  /// Moves by claims, as a client with its own physics does, at a speed that the referee accepts.
  void goes(Guest guest, double x, double y, double yaw) {
    for (int i = 0; i < 2000; ++i) {
      const words::Pose from = place(guest);
      const double dx = x - from.x(), dy = y - from.y(), far = std::hypot(dx, dy), step = std::min(far, 1.0);
      words::PoseClaim claim;
      claim.set_unit(from.unit());
      claim.set_x(far > 0 ? from.x() + dx / far * step : x);
      claim.set_y(far > 0 ? from.y() + dy / far * step : y);
      claim.set_yaw(yaw);
      says(guest, claim);
      lasts(0.04);
      if (far <= step) return;
    }
  }
  /// Places both with a clear line between them.
  void faces(Guest shooter, Guest victim) {
    goes(shooter, 0, -30, std::numbers::pi / 2);
    goes(victim, 0, 20, 0);
  }
  void shoots(Guest guest, double yaw) {
    const words::Pose from = place(guest);
    words::Fire fire;
    fire.set_unit(from.unit());
    fire.set_shot(++shots);
    fire.set_x(from.x() + 4.4 * std::cos(yaw));
    fire.set_y(from.y() + 4.4 * std::sin(yaw));
    fire.set_z(1.57);
    fire.set_vx(100 * std::cos(yaw));
    fire.set_vy(100 * std::sin(yaw));
    says(guest, fire);
  }

  testing::DeafHost host;
  Micros now = 0;
  Room room;
  std::uint32_t shots = 0;
};

constexpr double kNorth = std::numbers::pi / 2;

/// How often the line was counted.
std::uint64_t dropped(const Match& match, const MappingLine& line) {
  std::uint64_t times = 0;
  for (const auto& entry : match.room.ledger().entries())
    if (entry.line == &line) times += entry.times;
  return times;
}

const words::Token& flag_of(const Match& match, words::Team team) {
  for (const auto& [id, token] : match.room.world().tokens())
    if (token.team() == team) return token;
  static const words::Token none;
  return none;
}

words::DeathClaim giving_up() {
  words::DeathClaim claim;
  claim.set_why(words::BY_ITSELF);
  return claim;
}

ArenaRules quick() {
  ArenaRules rules;
  rules.reload = 0.2;
  rules.respawn = 1;
  return rules;
}

TEST_CASE("referee: a newcomer gets the arena, enters under a unique name, and is seen") {
  Match match;
  const auto anna = match.comes("anna"), ben = match.comes("anna");
  CHECK(anna.seat->count<words::World>() == 1);
  CHECK(anna.seat->count<words::Ready>() == 1);
  CHECK(match.room.world().player(ben.id)->player.name() == "anna 2");
  CHECK(anna.seat->last<words::Player>()->id() == ben.id);
  CHECK_FALSE(match.tank(ben).unit.alive());
}

TEST_CASE("referee: a client may ask for the world, and about the arena, before it enters: nothing is dropped") {
  Match match;
  auto front = std::make_unique<Seat>();
  Seat* const seat = front.get();
  const Match::Guest guest{match.room.seat(std::move(front), {}, match.now), seat};
  for (int i = 0; i < 2; ++i) {
    match.says(guest, words::Query());
    match.says(guest, words::WantWorld());
    match.says(guest, words::Enter());
  }
  CHECK(match.room.world().player(guest.id) != nullptr);
  REQUIRE(match.room.ledger().entries().size() == 1);
  CHECK(match.room.ledger().entries().front().line == &drops::kEnteredAlready);
}

TEST_CASE("referee: a player that joins a full arena becomes a spectator, without a tank") {
  ArenaRules rules;
  rules.most_players = 1;
  Match match(rules);
  match.comes("anna");
  const auto ben = match.comes("ben");
  CHECK(match.room.world().player(ben.id)->player.role() == words::WATCH);
  CHECK(match.room.world().active_unit(ben.id) == nullptr);
  REQUIRE(ben.seat->count<words::Notice>() == 1);
  CHECK(ben.seat->last<words::Notice>()->text() == "the arena is full: you are watching");
  match.says(ben, words::Spawn());
  CHECK(ben.seat->count<words::ClaimRefused>() == 1);
  CHECK(match.lost("Spawn") == 1);
}

TEST_CASE("referee: in a full arena a newcomer gets the seat that was kept longest") {
  ArenaRules rules;
  rules.most_players = 3;
  Match match(rules);
  const auto anna = match.comes("anna"), ben = match.comes("ben");
  match.comes("carl");
  const auto role = [&](const auto& guest) { return match.room.world().player(guest.id)->player.role(); };
  ben.seat->kept_for = 50 * kSecond;
  REQUIRE(match.room.keep(anna.id, match.now));
  REQUIRE(match.room.keep(ben.id, match.now));
  match.comes("dora", words::TEAM_ANY, words::WATCH);
  CHECK(match.room.keeps(ben.id));
  const auto emil = match.comes("emil");
  CHECK(role(emil) == words::PLAY);
  CHECK(match.tank(emil).unit.owner() == emil.id);
  CHECK_FALSE(match.room.keeps(ben.id));
  CHECK(match.room.world().player(ben.id) == nullptr);
  CHECK(match.room.keeps(anna.id));
  CHECK(role(match.comes("fred")) == words::PLAY);
  CHECK_FALSE(match.room.returned(anna.id, {}, match.now));
  CHECK(role(match.comes("gina")) == words::WATCH);
  CHECK(match.room.ledger().entries().empty());
}

TEST_CASE("referee: of two kept seats a newcomer gets the one that would end first, whoever came first") {
  for (const bool first : {true, false}) {
    CAPTURE(first);
    ArenaRules rules;
    rules.most_players = 2;
    Match match(rules);
    const auto anna = match.comes("anna"), ben = match.comes("ben");
    (first ? anna : ben).seat->kept_for = 50 * kSecond;
    REQUIRE(match.room.keep(anna.id, match.now));
    REQUIRE(match.room.keep(ben.id, match.now));
    match.comes("carl");
    CHECK(match.room.keeps(anna.id) == !first);
    CHECK(match.room.keeps(ben.id) == first);
  }
}

TEST_CASE("referee: spectators do not fill an arena: a newcomer takes no kept seat while there is a free one") {
  ArenaRules rules;
  rules.most_players = 2;
  Match match(rules);
  const auto anna = match.comes("anna");
  match.comes("carl", words::TEAM_ANY, words::WATCH);
  REQUIRE(match.room.keep(anna.id, match.now));
  const auto ben = match.comes("ben");
  CHECK(match.room.world().player(ben.id)->player.role() == words::PLAY);
  CHECK(match.room.keeps(anna.id));
  match.comes("dora");
  CHECK_FALSE(match.room.keeps(anna.id));  // now there is none
}

TEST_CASE("referee: in a full arena a player who is in and asks again to enter takes no kept seat") {
  ArenaRules rules;
  rules.most_players = 2;
  Match match(rules);
  const auto anna = match.comes("anna"), ben = match.comes("ben");
  const auto carl = match.comes("carl", words::TEAM_ANY, words::WATCH);
  REQUIRE(match.room.keep(anna.id, match.now));
  for (const auto& guest : {ben, carl}) match.says(guest, words::Enter());
  CHECK(match.room.keeps(anna.id));
  REQUIRE(match.room.ledger().entries().size() == 1);
  CHECK(match.room.ledger().entries().front().line == &drops::kEnteredAlready);
}

TEST_CASE("referee: in a full arena, the seat of an absent player does not end for one who does not get it") {
  ArenaRules rules;
  rules.most_players = 3;
  Match match(rules);
  const auto anna = match.comes("anna"), ben = match.comes("ben");
  SUBCASE("because it comes and goes too often") {
    const auto carl = match.comes("carl");
    for (int i = 0; i < 4; ++i) {
      match.says(carl, words::Leave());
      match.says(carl, words::Enter());
    }
    match.says(carl, words::Leave());
    match.comes("dora");
    REQUIRE(match.room.keep(anna.id, match.now));
    match.says(carl, words::Enter());
    REQUIRE(carl.seat->last<words::Refused>() != nullptr);
    CHECK(match.room.keeps(anna.id));
    match.lasts(1.1);
    match.says(carl, words::Enter());
    CHECK_FALSE(match.room.keeps(anna.id));
    CHECK(match.tank(carl).unit.owner() == carl.id);
  }
  SUBCASE("because it has just got another one") {
    match.comes("carl");
    ben.seat->kept_for = 50 * kSecond;
    REQUIRE(match.room.keep(anna.id, match.now));
    REQUIRE(match.room.keep(ben.id, match.now));
    const auto dora = match.comes("dora", words::TEAM_ANY, words::WATCH);
    dora.seat->to_say.emplace_back(words::Leave());
    dora.seat->to_say.emplace_back(words::Enter());
    match.says(dora, words::Enter());
    CHECK_FALSE(match.room.keeps(ben.id));
    CHECK(match.room.keeps(anna.id));
  }
}

TEST_CASE("referee: obstacles that are too many for an arena are counted as lost") {
  for (const std::size_t more : {0U, 1U}) {
    words::World world = open_field(200);
    const std::size_t most = Terrain::kMostBlocks - static_cast<std::size_t>(world.bases_size());
    for (std::size_t i = 0; i < most + more; ++i) world.add_solids();
    CHECK(Match({}, world).lost("World") == more);
  }
}

TEST_CASE("referee: a tank spawns in the open, drives to its goal, and stops there") {
  Match match;
  const auto anna = match.plays("anna");
  REQUIRE(match.tank(anna).unit.alive());
  const words::Pose from = match.place(anna);
  words::Toward toward;
  toward.set_x(from.x() > 0 ? from.x() - 12 : from.x() + 12);
  toward.set_y(from.y());
  match.says(anna, toward);
  match.lasts(8);
  CHECK(match.place(anna).x() == doctest::Approx(toward.x()).epsilon(0.02));
  CHECK(std::hypot(match.place(anna).vx(), match.place(anna).vy()) == 0);
}

TEST_CASE("referee: a tank can turn where it spawns") {
  constexpr double kHalfSide = 12;
  const TankModel model = ArenaRules().tank;
  const double around = std::hypot(model.length, model.width) / 2;
  for (int i = 0; i < 20; ++i) {
    Match match(quick(), kHalfSide);
    for (int j = 0; j < i; ++j) match.plays("ben");
    const words::Pose place = match.place(match.plays("anna"));
    CHECK(std::abs(place.x()) + around <= kHalfSide);
    CHECK(std::abs(place.y()) + around <= kHalfSide);
  }
}

TEST_CASE("referee: a claim is accepted if a tank can drive so, else the client is put back") {
  Match match;
  const auto anna = match.plays("anna");
  const words::Pose from = match.place(anna);
  match.lasts(0.1);
  words::PoseClaim claim;
  claim.set_x(from.x() + 1);
  claim.set_y(from.y());
  match.says(anna, claim);
  CHECK(match.place(anna).x() == doctest::Approx(from.x() + 1));
  claim.set_x(from.x() + 90);
  match.says(anna, claim);
  CHECK(match.place(anna).x() == doctest::Approx(from.x() + 1));
  REQUIRE(anna.seat->last<words::Corrected>() != nullptr);
  CHECK(anna.seat->last<words::Corrected>()->pose().x() == doctest::Approx(from.x() + 1));
  claim.set_x(std::nan(""));
  match.says(anna, claim);
  CHECK(match.place(anna).x() == doctest::Approx(from.x() + 1));
}

words::PoseClaim claim_at(const words::Pose& from, double dx, double dz) {
  words::PoseClaim claim = claim_of(from);
  claim.set_x(from.x() + dx);
  claim.set_z(from.z() + dz);
  return claim;
}

TEST_CASE("referee: many claims at once get no farther than one") {
  ArenaRules rules;
  rules.jumping = true;
  const double most = 1.4 * rules.tank.speed;
  for (const double waited : {0.0, 1.0, 60.0}) {
    Match match(rules, 2000);
    const auto anna = match.plays("anna");
    match.lasts(waited);
    const words::Pose from = match.place(anna);
    for (int i = 1; i <= 100; ++i) anna.seat->to_say.emplace_back(claim_at(from, 3.9 * i, 0));
    match.says(anna, words::Ping());
    CHECK(match.place(anna).x() > from.x() + 3.8);
    CHECK(match.place(anna).x() <= from.x() + most * std::min(2.0, waited) + 4);

    match.lasts(0.1);
    const words::Pose there = match.place(anna);
    for (int i = 1; i <= 100; ++i) anna.seat->to_say.emplace_back(claim_at(there, 0, 0.5 * i));
    match.says(anna, words::Ping());
    CHECK(match.place(anna).z() <= 60 * 0.1 + 4 * 60 / most);
  }
}

TEST_CASE("referee: valid claims to drive, jump and fall are accepted, even if they come in bursts") {
  for (const double speed : {10.0, 25.0}) {
    ArenaRules rules;
    rules.jumping = true;
    rules.tank.speed = speed;
    Match match(rules, 2000);
    const auto anna = match.plays("anna");
    const words::Pose from = match.place(anna);
    double told = 0;
    for (const double pause : {0.03, 0.5, 0.01, 1.9, 0.07, 1.0, 0.04, 0.04, 2.5, 0.3}) {
      match.lasts(pause);
      const double until = told + pause;
      for (; told < until; told += 0.05) {  // the claims of the pause come at once
        const double up = std::fmod(told, 3.9), high = 19 * up - 9.8 / 2 * up * up;
        anna.seat->to_say.emplace_back(claim_at(from, speed * told, std::max(0.0, high)));
      }
      match.says(anna, words::Ping());
    }
    CHECK(anna.seat->count<words::Corrected>() == 0);
    CHECK(match.place(anna).x() == doctest::Approx(from.x() + speed * (told - 0.05)));
  }
}

TEST_CASE("referee: a claim of an impossible speed or turn rate is put back, and an angle is reduced to one turn") {
  Match match;
  const auto anna = match.plays("anna");
  match.lasts(1);
  const words::Pose from = match.place(anna);
  for (const auto set : {&words::PoseClaim::set_yaw_rate, &words::PoseClaim::set_vx, &words::PoseClaim::set_vy,
                         &words::PoseClaim::set_vz})
    for (const double wild : {1e300, -1e300, 100.0}) {
      words::PoseClaim claim = claim_at(from, 0.1, 0);
      (claim.*set)(wild);
      match.says(anna, claim);
      CHECK(match.place(anna).x() == from.x());
    }
  CHECK(anna.seat->count<words::Corrected>() == 1);  // at most four times a second
  for (const double yaw : {1e300, -1e300, 20 * std::numbers::pi + 1}) {
    words::PoseClaim claim = claim_at(from, 0.1, 0);
    claim.set_yaw(yaw);
    match.says(anna, claim);
    CHECK(std::abs(match.place(anna).yaw()) <= std::numbers::pi);
  }
  CHECK(match.place(anna).yaw() == doctest::Approx(1));
}

TEST_CASE("referee: a shot hurts, the second kills; the killer scores, and the victim respawns") {
  Match match(quick());
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.faces(anna, ben);
  match.shoots(anna, kNorth);
  REQUIRE(match.until(2, [&] { return anna.seat->count<words::ShotEnded>() == 1; }));
  CHECK(match.tank(ben).unit.health() == 50);
  CHECK(match.tank(ben).unit.alive());
  match.shoots(anna, kNorth);
  REQUIRE(match.until(2, [&] { return ben.seat->count<words::Died>() == 1; }));
  CHECK(ben.seat->last<words::Died>()->killer() == anna.id);
  CHECK(match.room.world().player(anna.id)->score.wins() == 1);
  CHECK(match.room.world().player(anna.id)->score.team_kills() == 0);
  CHECK(match.room.world().player(ben.id)->score.losses() == 1);
  CHECK(match.room.world().team_scores().empty());  // there are no teams
  match.says(ben, words::Spawn());
  CHECK_FALSE(match.tank(ben).unit.alive());  // too soon
  match.lasts(1.1);
  match.says(ben, words::Spawn());
  CHECK(match.tank(ben).unit.alive());
  CHECK(match.tank(ben).unit.health() == 100);
}

TEST_CASE("referee: a ball that hits nothing ends at its range, and guns take time to load") {
  Match match(quick(), 1000);
  const auto anna = match.plays("anna");
  match.goes(anna, 0, -30, 0);
  for (int i = 0; i < 7; ++i) match.shoots(anna, 0);
  CHECK(anna.seat->count<words::Shot>() == 5);
  CHECK(anna.seat->count<words::ShotEnded>() == 2);  // the two that were not loaded: her client has drawn them
  CHECK(match.until(4, [&] { return anna.seat->count<words::ShotEnded>() == 7; }));
}

TEST_CASE("referee: a ball begins where its client fires it if that is near its tank, else at the tank's muzzle") {
  Match match(quick(), 1000);
  const auto anna = match.plays("anna");
  match.goes(anna, 0, 0, 0);
  const words::Pose from = match.place(anna);
  const auto begins_at = [&](double ahead, double z) {
    words::Fire fire;
    fire.set_unit(from.unit());
    fire.set_shot(++match.shots);
    fire.set_x(from.x() + ahead);
    fire.set_y(from.y());
    fire.set_z(z);
    fire.set_vx(100);
    match.says(anna, fire);
    match.lasts(2);  // until it is loaded again
    return anna.seat->last<words::Shot>()->x() - from.x();
  };
  CHECK(begins_at(7, 1.57) == doctest::Approx(7));
  CHECK(begins_at(30, 1.57) == doctest::Approx(4.4));
  CHECK(begins_at(7, 0) == doctest::Approx(4.4));  // in the ground
}

TEST_CASE("referee: a wall stops balls, or reflects them") {
  for (const bool ricochet : {false, true}) {
    words::World world = open_field(200);
    words::Solid& wall = *world.add_solids();
    wall.set_x(50);
    wall.set_half_x(2);
    wall.set_half_y(50);
    wall.set_height(9);
    ArenaRules rules = quick();
    rules.ricochet = ricochet;
    Match match(rules, world);
    const auto anna = match.plays("anna");
    match.goes(anna, 0, -30, 0);
    match.shoots(anna, 0.2);
    REQUIRE(match.until(4, [&] { return anna.seat->count<words::ShotEnded>() == 1; }));
    if (!ricochet) {
      CHECK(anna.seat->count<words::ShotMoved>() == 0);
      continue;
    }
    CHECK(anna.seat->count<words::ShotMoved>() >= 1);
    for (const Fact& fact : anna.seat->heard)
      if (const auto* moved = as<words::ShotMoved>(fact)) {
        CHECK(moved->vx() == doctest::Approx(-100 * std::cos(0.2)));
        CHECK(moved->vy() == doctest::Approx(100 * std::sin(0.2)));
        CHECK(moved->x() == doctest::Approx(48).epsilon(0.02));
        break;
      }
  }
}

TEST_CASE("referee: a ball bounces off each side of a wall, also just below its top, but not off one that tanks pass") {
  struct Case {
    double yaw, x, y, height;
    bool passes;
  };
  for (const Case& one : {Case{0.2, 0, 1, 9, false},
                          {kNorth + 0.2, 1, 0, 9, false},
                          {kNorth + 0.2, 1, 0, 1.6, false},
                          {kNorth + 0.2, 1, 0, 9, true}}) {
    CAPTURE(one.yaw);
    CAPTURE(one.height);
    CAPTURE(one.passes);
    words::World world = open_field(200);
    words::Solid& wall = *world.add_solids();
    wall.set_x(50 * one.y);
    wall.set_y(50 * one.x);
    wall.set_half_x(one.y != 0 ? 2 : 50);
    wall.set_half_y(one.x != 0 ? 2 : 50);
    wall.set_height(one.height);
    wall.set_units_pass(one.passes);
    ArenaRules rules = quick();
    rules.ricochet = true;
    Match match(rules, world);
    const auto anna = match.plays("anna");
    match.goes(anna, -30, match.place(anna).y(), 0);
    match.goes(anna, -30, -30, 0);
    match.goes(anna, 0, 0, 0);
    match.shoots(anna, one.yaw);
    match.lasts(0.7);
    if (one.passes) {
      CHECK(anna.seat->count<words::ShotMoved>() == 0);
      CHECK(anna.seat->count<words::ShotEnded>() == 1);
      continue;
    }
    REQUIRE(anna.seat->count<words::ShotMoved>() == 1);
    const auto& moved = *anna.seat->last<words::ShotMoved>();
    CHECK(moved.vx() == doctest::Approx((one.y != 0 ? -100 : 100) * std::cos(one.yaw)));
    CHECK(moved.vy() == doctest::Approx((one.x != 0 ? -100 : 100) * std::sin(one.yaw)));
  }
}

TEST_CASE("referee: a claim of one's own death is refused, unless it is a suicide") {
  Match match;
  const auto anna = match.plays("anna");
  words::DeathClaim claim;
  claim.set_why(words::BY_SHOT);
  match.says(anna, claim);
  CHECK(match.tank(anna).unit.alive());
  REQUIRE(anna.seat->count<words::ClaimRefused>() == 1);
  CHECK(anna.seat->last<words::ClaimRefused>()->why() == drops::kDeathClaim.reason);
  CHECK(match.lost("DeathClaim") == 1);
  claim.set_why(words::BY_ITSELF);
  match.says(anna, claim);
  CHECK_FALSE(match.tank(anna).unit.alive());
}

TEST_CASE("referee: teams are filled evenly, cannot hurt each other's members, and score kills") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben"), carl = match.plays("carl", words::RED);
  CHECK(match.room.world().player(anna.id)->player.team() == words::RED);
  CHECK(match.room.world().player(ben.id)->player.team() == words::BLUE);
  match.faces(anna, carl);
  match.shoots(anna, kNorth);
  match.lasts(1.5);
  CHECK(match.tank(carl).unit.health() == 100);
  match.goes(carl, 60, 20, 0);
  match.goes(ben, 0, 20, 0);
  for (int i = 0; i < 2; ++i) {
    match.shoots(anna, kNorth);
    match.lasts(1);
  }
  CHECK(match.room.world().team_scores().at(words::RED).wins() == 1);
  CHECK(match.room.world().team_scores().at(words::BLUE).losses() == 1);
}

TEST_CASE("referee: a flag is taken by touch, dropped on death, returned by its team, and captured at a base") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  Match match(rules);
  const auto red = match.plays("red", words::RED), blue = match.plays("blue", words::BLUE);
  REQUIRE(match.room.world().tokens().size() == 2);
  match.goes(red, 170, 0, 0);
  REQUIRE(red.seat->count<words::TokenTaken>() == 1);
  CHECK(red.seat->last<words::TokenTaken>()->token().team() == words::BLUE);
  match.goes(red, 120, 0, 0);
  match.says(red, giving_up());
  CHECK(red.seat->count<words::TokenDropped>() == 1);
  match.goes(blue, 121, 1, 0);
  CHECK(blue.seat->last<words::Token>()->x() == doctest::Approx(170));
  match.goes(blue, 60, 100, 0);
  match.lasts(1);
  match.says(red, words::Spawn());
  match.goes(red, 170, 0, 0);
  match.goes(red, 0, -20, 0);
  match.goes(red, -165, 0, 0);
  CHECK(red.seat->count<words::TokenCaptured>() == 1);
  CHECK(match.room.world().team_scores().at(words::RED).wins() == 5);
}

TEST_CASE("referee: a player that dropped a flag must leave it before it can take it again; others can at once") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  Match match(rules);
  const auto red = match.plays("red", words::RED), other = match.plays("other", words::RED);
  match.goes(other, 60, 60, 0);
  match.goes(red, 170, 0, 0);
  REQUIRE(red.seat->count<words::TokenTaken>() == 1);
  match.goes(red, 120, 0, 0);
  words::TokenWish drop;
  drop.set_op(words::TokenWish::DROP);
  match.says(red, drop);
  match.lasts(1);
  CHECK(red.seat->count<words::TokenDropped>() == 1);
  CHECK(red.seat->count<words::TokenTaken>() == 1);
  match.goes(red, 130, 0, 0);
  match.goes(red, 121, 0, 0);
  CHECK(red.seat->count<words::TokenTaken>() == 2);
  match.says(red, drop);
  match.goes(other, 119, 1, 0);
  CHECK(red.seat->count<words::TokenTaken>() == 3);
  CHECK(red.seat->last<words::TokenTaken>()->by() == other.id);
}

TEST_CASE("referee: whoever carries no flag may ask to drop one: nothing happens, and nothing is counted as lost") {
  Match match(quick());
  const auto anna = match.plays("anna");
  words::TokenWish drop;
  drop.set_op(words::TokenWish::DROP);
  match.says(anna, drop);
  CHECK(anna.seat->count<words::TokenDropped>() == 0);
  CHECK(match.room.ledger().entries().empty());
}

TEST_CASE("referee: a flag that is dropped lies where its carrier is, also in the air") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  rules.jumping = true;
  Match match(rules);
  const auto red = match.plays("red", words::RED);
  match.goes(red, 170, 0, 0);
  match.goes(red, 120, 0, 0);
  match.says(red, claim_at(match.place(red), 0, 3));
  words::TokenWish drop;
  drop.set_op(words::TokenWish::DROP);
  match.says(red, drop);
  REQUIRE(red.seat->count<words::TokenDropped>() == 1);
  CHECK(red.seat->last<words::TokenDropped>()->by() == red.id);
  CHECK(red.seat->last<words::TokenDropped>()->token().x() == doctest::Approx(120));
  CHECK(red.seat->last<words::TokenDropped>()->token().z() == doctest::Approx(3));
}

TEST_CASE("referee: a dead tank takes no flag that is dropped beside it") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  Match match(rules);
  const auto dead = match.plays("dead", words::RED), red = match.plays("red", words::RED);
  match.goes(dead, 120, 3, 0);
  match.says(dead, giving_up());
  match.goes(red, 170, 0, 0);
  match.goes(red, 120, 0, 0);
  REQUIRE(red.seat->count<words::TokenTaken>() == 1);
  words::TokenWish drop;
  drop.set_op(words::TokenWish::DROP);
  match.says(red, drop);
  match.lasts(0.5);
  CHECK(red.seat->count<words::TokenTaken>() == 1);
  CHECK(flag_of(match, words::BLUE).state() == words::Token::GROUND);
}

TEST_CASE("referee: where teams have no bases, they have no flags") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  words::World world = open_field(200);
  world.clear_bases();
  Match match(rules, world);
  match.plays("red", words::RED);
  match.lasts(1);
  CHECK(match.room.world().tokens().empty());
}

TEST_CASE("referee: a flag is dropped on request only: not by other wishes; at home it is not placed again") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  Match match(rules);
  const auto red = match.plays("red", words::RED);
  match.goes(red, 170, 0, 0);
  for (const auto op : {words::TokenWish::GRAB, words::TokenWish::CAPTURE, words::TokenWish::GIVE}) {
    words::TokenWish wish;
    wish.set_op(op);
    match.says(red, wish);
  }
  CHECK(red.seat->count<words::TokenDropped>() == 0);
  match.goes(red, -165, 0, 0);
  REQUIRE(red.seat->count<words::TokenCaptured>() == 1);
  match.goes(red, -170, 0, 0);  // where the flag of the own team is
  const std::size_t told = red.seat->count<words::Token>();
  match.lasts(1);
  CHECK(red.seat->count<words::Token>() == told);
}

TEST_CASE("referee: a dropped flag returns after half a minute, unless somebody has picked it up") {
  for (const bool picked_up : {false, true}) {
    CAPTURE(picked_up);
    ArenaRules rules = quick();
    rules.mode = ArenaMode::kFlags;
    Match match(rules);
    const auto red = match.plays("red", words::RED), other = match.plays("other", words::RED);
    match.goes(other, 100, 60, 0);
    match.goes(red, 170, 0, 0);
    REQUIRE(red.seat->count<words::TokenTaken>() == 1);
    match.goes(red, 120, 0, 0);
    words::TokenWish drop;
    drop.set_op(words::TokenWish::DROP);
    match.says(red, drop);
    const Micros dropped_at = match.now;
    REQUIRE(red.seat->count<words::TokenDropped>() == 1);
    if (picked_up) match.goes(other, 119, 1, 0);
    CHECK(red.seat->count<words::TokenTaken>() == (picked_up ? 2 : 1));
    const auto flag = [&]() -> const words::Token& {
      return *match.room.world().token(red.seat->last<words::TokenTaken>()->token().id());
    };
    match.lasts(static_cast<double>(dropped_at + 30 * kSecond - match.now) / kSecond - 0.1);
    CHECK((flag().state() == words::Token::CARRIED) == picked_up);
    if (!picked_up) CHECK(flag().x() == doctest::Approx(120));
    match.lasts(0.2);
    CHECK((flag().state() == words::Token::CARRIED) == picked_up);
    if (!picked_up) CHECK(flag().x() == doctest::Approx(170));
  }
}

TEST_CASE(
    "referee: a team change is counted; a team that the arena does not have becomes the one that is shown like it") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  Match match(rules);
  const auto anna = match.plays("anna", words::BLUE);
  match.plays("ben", words::RED);
  const auto size = [&](words::Team team) { return match.room.world().team_scores().at(team).size(); };
  words::Change change;
  change.set_team(words::GREEN);
  match.says(anna, change);
  CHECK(match.room.world().player(anna.id)->player.team() == words::RED);
  CHECK_FALSE(match.tank(anna).unit.alive());
  match.lasts(kOneTick);
  CHECK(size(words::RED) == 2);
  CHECK(size(words::BLUE) == 0);
  change.set_team(words::BLUE);
  match.says(anna, change);
  match.lasts(kOneTick);
  CHECK(size(words::RED) == 1);
  CHECK(size(words::BLUE) == 1);
}

TEST_CASE("referee: a round ends at the score limit, all wait, and the next one starts at zero") {
  ArenaRules rules = quick();
  rules.score_limit = 1;
  rules.pause = 2;
  rules.ball_damage = 100;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.faces(anna, ben);
  match.shoots(anna, kNorth);
  REQUIRE(match.until(2, [&] { return match.room.world().round().state() == words::Round::OVER; }));
  CHECK(match.room.world().round().winner() == anna.id);
  CHECK_FALSE(match.tank(anna).unit.alive());
  match.says(anna, words::Spawn());
  CHECK_FALSE(match.tank(anna).unit.alive());
  match.lasts(2.1);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
  CHECK(match.room.world().player(anna.id)->score.wins() == 0);
  match.says(anna, words::Spawn());
  CHECK(match.tank(anna).unit.alive());
}

TEST_CASE("referee: the death that ends a round is counted before all are told that it is over") {
  for (const ArenaMode mode : {ArenaMode::kFreeForAll, ArenaMode::kTeams}) {
    ArenaRules rules = quick();
    rules.mode = mode;
    rules.score_limit = 1;
    rules.ball_damage = 100;
    Match match(rules);
    const auto anna = match.plays("anna", words::RED), ben = match.plays("ben", words::BLUE);
    match.faces(anna, ben);
    match.shoots(anna, kNorth);
    REQUIRE(match.until(2, [&] { return match.room.world().round().state() == words::Round::OVER; }));
    std::uint32_t losses = 0, of_team = 0;
    for (const Fact& fact : anna.seat->heard) {
      const auto* round = as<words::Round>(fact);
      if (round != nullptr && round->state() == words::Round::OVER) break;
      if (const auto* score = as<words::Score>(fact); score != nullptr && score->player() == ben.id)
        losses = score->losses();
      if (const auto* total = as<words::TeamScore>(fact); total != nullptr && total->team() == words::BLUE)
        of_team = total->losses();
    }
    CHECK(losses == 1);
    CHECK(of_team == (mode == ArenaMode::kTeams ? 1U : 0U));
  }
}

TEST_CASE("referee: when the time of a round is up, whoever has the most wins has won it; without a win, nobody has") {
  ArenaRules rules = quick();
  rules.round = 10;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben"), carl = match.plays("carl");
  const auto wins = [&](Match::Guest guest, std::uint32_t count) {
    match.room.order([&](Back& back) { static_cast<Referee&>(back).set_score(guest.id, count, 0); }, match.now);
  };
  Id winner = 0;
  SUBCASE("nobody has a win") {}
  SUBCASE("one is ahead") {
    wins(anna, 1), wins(ben, 2), wins(carl, 1);
    winner = ben.id;
  }
  SUBCASE("a tie: the one who came first") {
    wins(ben, 2), wins(carl, 2);
    winner = ben.id;
  }
  match.lasts(10.1);
  REQUIRE(anna.seat->last<words::Round>()->state() == words::Round::OVER);
  CHECK(anna.seat->last<words::Round>()->winner() == winner);
}

TEST_CASE("referee: when the time of a round is up, the team with the most wins has won it; a tie has no winner") {
  for (const std::uint32_t blue : {8U, 9U, 10U}) {
    CAPTURE(blue);
    Arena arena{{}, open_field(200)};
    arena.rules.mode = ArenaMode::kTeams;
    arena.rules.round = 60;
    arena.in_play.emplace();
    arena.in_play->round.set_left_s(1);
    for (const auto& [team, wins] : {std::pair{words::RED, 9U}, {words::BLUE, blue}}) {
      words::TeamScore score;
      score.set_team(team);
      score.set_wins(wins);
      arena.in_play->team_scores.push_back(score);
    }
    Match match(std::move(arena));
    match.plays("anna", words::BLUE);
    match.lasts(1.1);
    const words::Round& round = match.room.world().round();
    REQUIRE(round.state() == words::Round::OVER);
    CHECK(round.winner() == 0);
    CHECK(round.winning_team() == (blue < 9 ? words::RED : blue > 9 ? words::BLUE : words::TEAM_ANY));
  }
}

TEST_CASE("referee: the end of a round ends all shots in the air") {
  Match match(quick(), 1'000);
  const auto anna = match.plays("anna");
  match.comes("ben");  // and is not in play
  match.shoots(anna, 0);
  match.shoots(anna, 1);
  REQUIRE(match.room.world().shots().size() == 2);
  match.room.order([](Back& back) { static_cast<Referee&>(back).close_round(words::TEAM_ANY); }, match.now);
  CHECK(anna.seat->count<words::ShotEnded>() == 2);
  CHECK(anna.seat->count<words::Died>() == 1);
  CHECK(match.room.world().shots().empty());
}

TEST_CASE("referee: once a rule has opened a round again, rounds follow each other by themselves") {
  ArenaRules rules = quick();
  rules.round = 10;
  rules.pause = 1;
  Match match(rules);
  match.plays("anna");
  const auto running = [&] { return match.room.world().round().state() == words::Round::RUNNING; };
  match.room.order([](Back& back) { static_cast<Referee&>(back).close_round(words::TEAM_ANY); }, match.now);
  match.lasts(3);
  CHECK_FALSE(running());
  match.room.order([](Back& back) { static_cast<Referee&>(back).open_round(); }, match.now);
  CHECK(running());
  match.lasts(10.1);
  CHECK_FALSE(running());
  match.lasts(1);
  CHECK(running());
}

TEST_CASE("referee: a tank has as many shots as barrels, each loaded again after its time, also in a new life") {
  ArenaRules rules = quick();
  rules.most_balls = 2;
  rules.reload = 5;
  Match match(rules, 1'000);
  const auto anna = match.plays("anna");
  const Micros begins = match.now;
  const auto fired = [&] {
    const std::size_t before = anna.seat->count<words::Shot>();
    for (int i = 0; i < 3; ++i) match.shoots(anna, 0);
    return anna.seat->count<words::Shot>() - before;
  };
  CHECK(fired() == 2);
  match.lasts(4.9);
  match.now = begins + 5 * kSecond - 1;
  CHECK(fired() == 0);
  match.now = begins + 5 * kSecond;
  CHECK(fired() == 2);
  match.says(anna, giving_up());
  match.says(anna, words::Spawn());
  match.lasts(1.1);
  REQUIRE(match.tank(anna).unit.alive());
  CHECK(fired() == 0);
  match.now = begins + 10 * kSecond;
  CHECK(fired() == 2);
}

TEST_CASE("referee: a client cannot shoot rays faster than a held trigger") {
  Match match(quick());
  const auto anna = match.plays("anna");
  words::Fire ray;
  ray.set_kind(words::RAY);
  ray.set_vx(1);
  const Micros begins = match.now;
  const auto shots = [&] { return anna.seat->count<words::Shot>(); };
  for (int i = 0; i < 3; ++i) match.says(anna, ray);
  CHECK(shots() == 1);
  match.now = begins + kSecond / 2 - 1;
  match.says(anna, ray);
  CHECK(shots() == 1);
  match.now = begins + kSecond / 2;
  match.says(anna, ray);
  CHECK(shots() == 2);
  CHECK(anna.seat->count<words::ShotEnded>() == 3);  // those that were refused: her client has drawn them
}

TEST_CASE(
    "referee: a trigger that is let go, or whose player dies, before it may fire again is counted as a lost shot") {
  Match match(quick());
  const auto anna = match.plays("anna");
  const auto pulls = [&](bool primary) {
    words::Trigger trigger;
    trigger.set_primary(primary);
    match.says(anna, trigger);
  };
  pulls(true);
  CHECK(anna.seat->count<words::Shot>() == 1);
  pulls(false);
  CHECK(match.lost("Fire") == 0);
  pulls(true);
  pulls(true);
  CHECK(match.lost("Fire") == 0);  // it may fire later
  pulls(false);
  CHECK(match.lost("Fire") == 1);
  pulls(false);
  CHECK(match.lost("Fire") == 1);
  pulls(true);
  match.lasts(1);
  CHECK(anna.seat->count<words::Shot>() > 1);
  pulls(false);
  CHECK(match.lost("Fire") == 1);
  pulls(true);
  match.says(anna, giving_up());
  CHECK(match.lost("Fire") == 2);
}

TEST_CASE("referee: a client is told that a shot has ended that it may not fire: while dead, or a grenade from afar") {
  Match match(quick());
  const auto anna = match.plays("anna");
  words::Fire far;
  far.set_kind(words::GRENADE);
  far.set_shot(7);
  far.set_x(90);
  match.says(anna, far);
  CHECK(anna.seat->last<words::ShotEnded>()->shot() == 7);
  match.says(anna, giving_up());
  for (const auto kind : {words::BALL, words::RAY, words::GRENADE}) {
    CAPTURE(kind);
    words::Fire fire;
    fire.set_kind(kind);
    fire.set_shot(20U + static_cast<std::uint32_t>(kind));
    fire.set_vx(1);
    match.says(anna, fire);
    CHECK(anna.seat->last<words::ShotEnded>()->shot() == fire.shot());
  }
  CHECK(anna.seat->count<words::Shot>() == 0);
}

TEST_CASE("referee: a player has no more shots in the air than the arena says, however quickly the guns load") {
  ArenaRules rules = quick();
  rules.reload = 0.1;
  rules.most_balls = 3;
  Match match(rules, 1'000);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.goes(anna, 0, -30, 0);
  match.goes(ben, 0, 30, 0);
  for (int i = 0; i < 3; ++i) match.shoots(anna, 0);
  CHECK(anna.seat->count<words::Shot>() == 3);
  match.lasts(1);
  const std::size_t before = anna.seat->count<words::Shot>();
  match.shoots(anna, 0);
  CHECK(anna.seat->count<words::Shot>() == before);  // loaded, but three are in the air
  match.shoots(ben, 0);
  CHECK(anna.seat->count<words::Shot>() == before + 1);  // he has none in the air
  REQUIRE(match.until(4, [&] { return anna.seat->count<words::ShotEnded>() == 5; }));
  match.shoots(anna, 0);
  CHECK(anna.seat->count<words::Shot>() == before + 2);
}

TEST_CASE("referee: a trigger that was held at a death does not shoot in the next life") {
  Match match(quick());
  const auto anna = match.plays("anna");
  words::Trigger trigger;
  trigger.set_primary(true);
  match.says(anna, trigger);
  match.lasts(1);
  const std::size_t shots = anna.seat->count<words::Shot>();
  CHECK(shots > 1);
  match.says(anna, giving_up());
  match.says(anna, words::Spawn());
  match.lasts(3);
  REQUIRE(match.tank(anna).unit.alive());
  CHECK(anna.seat->count<words::Shot>() == shots);
}

TEST_CASE("referee: a client that claims wrong places is put back at most four times a second") {
  Match match;
  const auto anna = match.plays("anna");
  match.lasts(1);
  words::PoseClaim claim;
  claim.set_unit(match.place(anna).unit());
  claim.set_x(match.place(anna).x() + 100);
  const Micros begins = match.now;
  const auto put_back = [&](Micros after) {
    match.now = begins + after;
    for (int i = 0; i < 3; ++i) match.says(anna, claim);
    return anna.seat->count<words::Corrected>();
  };
  CHECK(put_back(0) == 1);
  CHECK(put_back(250 * kMillisecond - 1) == 1);
  CHECK(put_back(250 * kMillisecond) == 2);
}

TEST_CASE("referee: a client that is put back is told where it was last, not moving, by a pose newer than all before") {
  Match match(quick());
  const auto anna = match.plays("anna");
  words::PoseClaim claim = claim_at(match.place(anna), 1, 0);
  claim.set_vx(20);
  claim.set_yaw_rate(0.5);
  match.lasts(1);
  match.says(anna, claim);
  const words::Pose last = match.tank(anna).unit.pose();
  REQUIRE(last.vx() == 20);
  CHECK(last.seq() > anna.seat->last<words::Spawned>()->pose().seq());
  claim.set_x(claim.x() + 100);
  match.says(anna, claim);
  REQUIRE(anna.seat->last<words::Corrected>() != nullptr);
  const words::Corrected& corrected = *anna.seat->last<words::Corrected>();
  CHECK(corrected.hard());
  CHECK(corrected.pose().x() == last.x());
  CHECK(corrected.pose().vx() == 0);
  CHECK(corrected.pose().yaw_rate() == 0);
  CHECK(corrected.pose().seq() > last.seq());
  match.says(anna, giving_up());
  match.says(anna, words::Spawn());
  REQUIRE(match.until(2, [&] { return match.tank(anna).unit.alive(); }));
  CHECK(anna.seat->last<words::Spawned>()->pose().seq() > corrected.pose().seq());
}

TEST_CASE("referee: a client may end its own shots, one by one, and nobody else's") {
  Match match(quick(), 1'000);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.faces(anna, ben);
  match.shoots(anna, kNorth);
  const std::uint32_t first = match.shots;
  match.shoots(anna, kNorth + 0.5);
  match.shots = first - 1;
  match.shoots(ben, kNorth);  // has the number of her first
  REQUIRE(match.shots == first);
  words::ShotEndClaim ends;
  ends.set_shooter(anna.id);
  ends.set_shot(first);
  match.says(ben, ends);
  CHECK(ben.seat->count<words::ShotEnded>() == 0);
  REQUIRE(match.room.ledger().entries().size() == 1);
  CHECK(match.room.ledger().entries().front().line == &drops::kShotOfAnother);
  match.says(anna, ends);
  REQUIRE(ben.seat->count<words::ShotEnded>() == 1);
  CHECK(ben.seat->last<words::ShotEnded>()->shooter() == anna.id);
  CHECK(ben.seat->last<words::ShotEnded>()->shot() == first);
  match.lasts(1);
  CHECK(match.tank(ben).unit.health() == 100);
  CHECK(match.room.world().shots().size() == 2);
}

TEST_CASE("referee: each round announces that another follows") {
  ArenaRules rules = quick();
  rules.round = 10;
  rules.pause = 2;
  Match match(rules);
  const auto anna = match.plays("anna");
  CHECK(match.room.world().round().another());
  match.lasts(10.1);
  REQUIRE(anna.seat->last<words::Round>()->state() == words::Round::OVER);
  CHECK(anna.seat->last<words::Round>()->another());
  match.lasts(2);
  CHECK(anna.seat->last<words::Round>()->state() == words::Round::RUNNING);
  CHECK(anna.seat->last<words::Round>()->another());
}

TEST_CASE("referee: a round that an operator opens ends the one before: all see it, and may spawn again at once") {
  Match match(quick());
  const auto anna = match.plays("anna");
  const auto rounds_over = [&] {
    return std::count_if(anna.seat->heard.begin(), anna.seat->heard.end(), [](const Fact& fact) {
      const auto* round = as<words::Round>(fact);
      return round != nullptr && round->state() == words::Round::OVER;
    });
  };
  match.room.order([](Back& back) { static_cast<Referee&>(back).open_round(); }, match.now);
  CHECK(rounds_over() == 1);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
  CHECK_FALSE(match.tank(anna).unit.alive());
  match.says(anna, words::Spawn());
  CHECK(match.tank(anna).unit.alive());
  match.room.order([](Back& back) { static_cast<Referee&>(back).close_round(words::TEAM_ANY); }, match.now);
  CHECK(rounds_over() == 2);
  match.room.order([](Back& back) { static_cast<Referee&>(back).open_round(); }, match.now);
  CHECK(rounds_over() == 2);  // it was over already
}

TEST_CASE("referee: an order at the time of a tick moves no tank and ends no ball") {
  Match match(quick(), 1000);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.goes(anna, 0, -30, 0);
  words::Toward toward;
  toward.set_x(match.place(ben).x() - 50);
  toward.set_y(match.place(ben).y() + 50);
  match.says(ben, toward);
  match.shoots(anna, 0);
  match.lasts(0.2);
  match.now = match.room.next_wake();
  match.room.tick(match.now);
  const words::Pose before = match.place(ben);
  REQUIRE(before.yaw_rate() != 0);
  const auto set_score = [&](Back& back) { static_cast<Referee&>(back).set_score(anna.id, 7, 0); };
  match.room.order(set_score, match.now);
  CHECK(match.room.world().player(anna.id)->score.wins() == 7);
  CHECK(match.place(ben).SerializeAsString() == before.SerializeAsString());
  CHECK(anna.seat->count<words::ShotEnded>() == 0);
  match.lasts(1);
  CHECK(std::isfinite(match.place(ben).x() + match.place(ben).yaw()));
  CHECK(anna.seat->count<words::ShotEnded>() == 0);
  CHECK(match.until(4, [&] { return anna.seat->count<words::ShotEnded>() == 1; }));
}

TEST_CASE("referee: a spawn that is asked for too early happens once it is allowed, without asking again") {
  ArenaRules rules = quick();
  rules.round = 10;
  rules.pause = 3;
  Match match(rules);
  const auto anna = match.plays("anna");
  match.says(anna, giving_up());
  match.says(anna, words::Spawn());
  match.lasts(rules.respawn - 0.1);
  CHECK_FALSE(match.tank(anna).unit.alive());
  match.lasts(0.2);
  CHECK(match.tank(anna).unit.alive());

  match.lasts(10.1 - rules.respawn);  // then the pause begins
  const auto late = match.plays("late");
  match.says(anna, words::Spawn());
  words::Watch looks_on;
  looks_on.set_mode(words::Watch::ROAM);
  const auto ben = match.plays("ben");
  match.says(ben, looks_on);
  match.lasts(rules.pause);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
  CHECK(match.tank(anna).unit.alive());
  CHECK(match.tank(late).unit.alive());
  CHECK_FALSE(match.tank(ben).unit.alive());
  CHECK(anna.seat->count<words::Spawned>() == 4);  // three of hers, and one of the late player
}

TEST_CASE("referee: a spectator may not spawn") {
  ArenaRules rules;
  rules.most_players = 1;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  const auto carl = match.comes("carl", words::TEAM_ANY, words::WATCH);
  match.says(carl, words::Spawn());
  CHECK(anna.seat->count<words::ClaimRefused>() == 0);
  CHECK(ben.seat->count<words::ClaimRefused>() == 1);
  CHECK(carl.seat->count<words::ClaimRefused>() == 1);
}

TEST_CASE("referee: a late client is told the time left in the round") {
  ArenaRules rules;
  rules.round = 60;
  Match match(rules);
  match.comes("anna");
  match.lasts(20);
  CHECK(match.comes("ben").seat->last<words::Round>()->left_s() == doctest::Approx(40));
}

TEST_CASE("referee: keys drive, and a held trigger shoots rays") {
  Match match(quick());
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.goes(ben, 0, 20, 0);
  match.goes(anna, 0, -30, kNorth);
  words::Keys keys;
  keys.set_yaw(kNorth);
  match.says(anna, keys);
  words::Trigger trigger;
  trigger.set_primary(true);
  match.says(anna, trigger);
  CHECK(match.until(3, [&] { return ben.seat->count<words::Died>() == 1; }));
  CHECK(anna.seat->count<words::Shot>() == 3);
  CHECK(anna.seat->last<words::Shot>()->kind() == words::RAY);
  CHECK(anna.seat->last<words::Shot>()->z() == doctest::Approx(1.57));  // the height of a muzzle
}

TEST_CASE("referee: chat reaches only its audience") {
  ArenaRules rules;
  rules.mode = ArenaMode::kTeams;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben"), carl = match.plays("carl", words::RED);
  words::Say say;
  say.set_text("to all");
  match.says(anna, say);
  say.set_scope(words::Say::MY_TEAM);
  match.says(anna, say);
  say.set_scope(words::Say::ONE);
  say.set_to(ben.id);
  match.says(anna, say);
  CHECK(anna.seat->count<words::Said>() == 3);
  CHECK(ben.seat->count<words::Said>() == 2);
  CHECK(carl.seat->count<words::Said>() == 2);
}

TEST_CASE("referee: where there are no teams, chat for one's team is chat for everybody, and is called so") {
  Match match;
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  words::Say say;
  say.set_text("to my team");
  say.set_scope(words::Say::MY_TEAM);
  match.says(anna, say);
  REQUIRE(ben.seat->count<words::Said>() == 1);
  CHECK(ben.seat->last<words::Said>()->scope() == words::Say::EVERYBODY);
}

TEST_CASE("referee: the counts of players and spectators are sent at most once a tick") {
  Match match;
  const auto anna = match.plays("anna");
  match.lasts(kOneTick);
  const std::size_t told = anna.seat->count<words::Room>();
  const auto ben = match.plays("ben");
  match.comes("carl", words::TEAM_ANY, words::WATCH);
  for (int i = 0; i < 10; ++i) match.room.gone(match.plays("dora").id, "left", match.now);
  CHECK(anna.seat->count<words::Room>() == told);
  match.lasts(kOneTick);
  CHECK(anna.seat->count<words::Room>() == told + 1);
  CHECK(match.room.world().room().players() == 2);
  CHECK(match.room.world().room().watchers() == 1);
  match.room.gone(ben.id, "left", match.now);
  match.lasts(kOneTick);
  CHECK(match.room.world().room().players() == 1);
}

TEST_CASE("referee: a player's tank and shots are removed when it leaves") {
  Match match(quick(), 1000);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.shoots(anna, 0);
  match.shoots(ben, 0);
  match.room.gone(anna.id, "left", match.now);
  REQUIRE(ben.seat->count<words::ShotEnded>() == 1);  // his own flies on
  CHECK(ben.seat->last<words::ShotEnded>()->shooter() == anna.id);
  CHECK(ben.seat->count<words::PlayerGone>() == 1);
  CHECK(match.room.world().players().size() == 1);
  CHECK(match.room.world().units().size() == 1);
}

TEST_CASE("referee: a player of the saved arena continues once, at its place and with its score") {
  SavedPlayer anna{"anna", words::RED, words::Pose(), {}};
  anna.pose->set_x(33);
  anna.pose->set_y(-44);
  anna.pose->set_yaw(1);
  anna.score.set_wins(3);
  SavedPlayer walled = anna;
  walled.name = "ben";
  walled.pose->set_x(1000);
  Match match(Arena{{}, open_field(200), {anna, walled, {"carl", words::RED, {}, {}}}});
  const auto first = match.plays("anna");
  CHECK(match.place(first).x() == 33);
  CHECK(match.place(first).y() == -44);
  CHECK(match.place(first).yaw() == 1);
  CHECK(match.room.world().player(first.id)->score.wins() == 3);
  const auto outside = match.plays("ben");  // its saved place is outside this arena
  CHECK(std::abs(match.place(outside).x()) < 200);
  const auto late = match.plays("carl");
  CHECK(match.tank(late).unit.alive());
  match.room.gone(first.id, "left", match.now);
  const auto again = match.plays("anna");
  CHECK(match.place(again).x() != 33);
  CHECK(match.room.world().player(again.id)->score.wins() == 0);
}

/// A running arena: anna carries blue's flag and has lost twice; ben is dead.
Arena in_play() {
  Arena arena{{}, open_field(200)};
  arena.rules.mode = ArenaMode::kFlags;
  arena.rules.round = 600;
  SavedPlayer anna{"anna", words::RED, words::Pose(), {}};
  anna.held = true;
  anna.id = 77;
  anna.health = 40;
  anna.pose->set_x(30);
  anna.pose->set_y(-20);
  anna.score.set_losses(2);
  SavedPlayer ben{"ben", words::BLUE, {}, {}};
  ben.held = true;
  arena.starts = {anna, ben};
  arena.in_play.emplace();
  words::Token flag;
  flag.set_kind(words::Token::TEAM_FLAG);
  flag.set_team(words::BLUE);
  flag.set_state(words::Token::CARRIED);
  flag.set_carrier(77);
  words::TeamScore score;
  score.set_team(words::RED);
  score.set_wins(9);
  arena.in_play->tokens = {flag};
  arena.in_play->team_scores = {score};
  arena.in_play->round.set_left_s(123);
  return arena;
}

TEST_CASE("referee: a saved arena continues with scores, clock, flags, and the players that were promised a place") {
  Match match(in_play());
  CHECK(match.room.world().team_scores().at(words::RED).wins() == 9);
  CHECK(match.room.world().round().left_s() == doctest::Approx(123));
  const auto& flag = flag_of(match, words::BLUE);
  CHECK(flag.state() == words::Token::GROUND);  // at its carrier's place
  CHECK(flag.x() == doctest::Approx(30));
  // Somebody else gets neither the name nor the score.
  const auto other = match.plays("anna", words::BLUE);
  CHECK(match.room.world().player(other.id)->player.name() == "anna 2");
  CHECK(match.room.world().player(other.id)->score.losses() == 0);

  const auto anna = match.comes_promised("anna", "somebody");
  const PlayerState& her = *match.room.world().player(anna.id);
  CHECK(her.player.name() == "anna");
  CHECK(her.player.team() == words::RED);
  CHECK(her.score.losses() == 2);
  CHECK(match.tank(anna).unit.alive());
  CHECK(match.tank(anna).unit.health() == 40);
  CHECK(match.place(anna).x() == doctest::Approx(30));
  CHECK(match.place(anna).y() == doctest::Approx(-20));
  CHECK(flag_of(match, words::BLUE).carrier() == anna.id);
  CHECK(!match.tank(match.comes_promised("ben", "ben")).unit.alive());
}

TEST_CASE("referee: a new round begins without wins and losses, and with all flags at home") {
  Match match(in_play());
  const auto anna = match.comes_promised("anna", "anna");
  REQUIRE(flag_of(match, words::BLUE).carrier() == anna.id);
  REQUIRE(match.room.world().player(anna.id)->score.losses() == 2);
  match.room.order([](Back& back) { static_cast<Referee&>(back).open_round(); }, match.now);
  CHECK(flag_of(match, words::BLUE).state() == words::Token::GROUND);
  CHECK(flag_of(match, words::BLUE).x() == doctest::Approx(170));
  CHECK(match.room.world().team_scores().at(words::RED).wins() == 0);
  CHECK(match.room.world().player(anna.id)->score.losses() == 0);
}

TEST_CASE("referee: a client may have moved on while its arena was moved, but only then") {
  Match match(in_play());
  const auto anna = match.comes_promised("anna", "anna");
  REQUIRE(match.tank(anna).unit.alive());
  const auto goes_far = [&] {
    words::PoseClaim claim;
    claim.set_unit(match.place(anna).unit());
    claim.set_x(match.place(anna).x());
    claim.set_y(match.place(anna).y() + 60);
    match.says(anna, claim);
    return match.place(anna).y() == claim.y();
  };
  CHECK(goes_far());
  CHECK_FALSE(goes_far());
  match.says(anna, giving_up());
  match.says(anna, words::Spawn());
  match.lasts(4);
  REQUIRE(match.tank(anna).unit.alive());
  CHECK_FALSE(goes_far());
}

TEST_CASE("referee: a flag of a saved arena that was brought home is not taken from there for its last carrier") {
  Arena arena = in_play();
  SavedPlayer carl{"carl", words::BLUE, words::Pose(), {}};
  carl.pose->set_x(30);  // where the flag lies
  carl.pose->set_y(-20);
  arena.starts.push_back(carl);
  Match match(std::move(arena));
  match.plays("carl");
  match.lasts(kOneTick);
  REQUIRE(flag_of(match, words::BLUE).x() == doctest::Approx(170));
  CHECK(match.tank(match.comes_promised("anna", "anna")).unit.alive());
  CHECK(flag_of(match, words::BLUE).state() == words::Token::GROUND);
  CHECK(flag_of(match, words::BLUE).x() == doctest::Approx(170));
}

TEST_CASE("referee: a flag that a new round has placed stays there, although a player who carried it does not come") {
  Arena arena = in_play();
  arena.rules.guided = 1;
  words::Token carried;
  carried.set_gives(words::GUIDED);
  carried.set_state(words::Token::CARRIED);
  carried.set_carrier(77);
  arena.in_play->tokens = {carried};
  Match match(std::move(arena));
  match.room.order([](Back& back) { static_cast<Referee&>(back).open_round(); }, match.now);
  const words::Token placed = flag_of(match, words::TEAM_ANY);
  REQUIRE(placed.gives() == words::GUIDED);
  match.lasts(static_cast<double>(Referee::kHeld) / kSecond + 1);
  CHECK(flag_of(match, words::TEAM_ANY).x() == placed.x());
  CHECK(flag_of(match, words::TEAM_ANY).y() == placed.y());
}

TEST_CASE("referee: the round of a saved arena ends when its time is over, and the next one has its whole time") {
  Match match(in_play());
  match.lasts(122);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
  match.lasts(2);
  CHECK(match.room.world().round().state() == words::Round::OVER);
  REQUIRE(match.until(60, [&] { return match.room.world().round().state() == words::Round::RUNNING; }));
  CHECK(match.room.world().round().left_s() == doctest::Approx(600));
}

TEST_CASE("referee: a saved arena whose round is over begins the next one after the pause; its winner is not here") {
  Arena arena = in_play();
  arena.rules.pause = 1;
  arena.in_play->round.set_state(words::Round::OVER);
  arena.in_play->round.set_winner(77);
  Match match(std::move(arena));
  const words::Round& round = match.room.world().round();
  CHECK(round.winner() == 0);
  CHECK(round.another());
  match.lasts(0.9);
  CHECK(round.state() == words::Round::OVER);
  match.lasts(0.2);
  CHECK(round.state() == words::Round::RUNNING);
}

TEST_CASE("referee: a round of a saved arena that a rule has ended stays over until a rule opens the next one") {
  Arena arena = in_play();
  arena.rules.pause = 1;
  arena.in_play->round.set_state(words::Round::OVER);
  arena.in_play->closed = true;
  Match match(std::move(arena));
  match.lasts(3);
  CHECK(match.room.world().round().state() == words::Round::OVER);
  match.room.order([](Back& back) { static_cast<Referee&>(back).open_round(); }, match.now);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
}

TEST_CASE("referee: who was dead where the arena was before waits for its next life as after a death") {
  Arena arena = in_play();
  arena.rules.respawn = 5;
  Match match(arena);
  const auto ben = match.comes_promised("ben", "ben");
  match.says(ben, words::Spawn());
  match.lasts(4.8);
  CHECK_FALSE(match.tank(ben).unit.alive());
  match.lasts(0.4);
  CHECK(match.tank(ben).unit.alive());
}

TEST_CASE("referee: what is held for a player is released if it does not come in time") {
  Match match(in_play());
  match.lasts(static_cast<double>(Referee::kHeld) / kSecond + 1);
  const auto anna = match.plays("anna", words::RED);
  CHECK(match.room.world().player(anna.id)->player.name() == "anna");
  CHECK(match.room.world().player(anna.id)->score.losses() == 0);
  CHECK(flag_of(match, words::BLUE).state() == words::Token::GROUND);
  CHECK(flag_of(match, words::BLUE).x() == doctest::Approx(30));
}

TEST_CASE("referee: what is held for one player is released in time, also if something is held for another one later") {
  Match match;
  const auto hold = [&](const char* name) {
    SavedPlayer saved;
    saved.name = name;
    match.room.order([&](Back& back) { static_cast<Referee&>(back).hold(saved); }, match.now);
  };
  const auto called = [&](const char* name) { return match.room.world().player(match.comes(name).id)->player.name(); };
  const double held = static_cast<double>(Referee::kHeld) / kSecond;
  hold("anna");
  match.lasts(held - 0.5);
  CHECK(called("anna") != "anna");
  hold("ben");
  match.lasts(1);
  CHECK(called("anna") == "anna");
  CHECK(called("ben") != "ben");
  match.lasts(held);
  CHECK(called("ben") == "ben");
}

TEST_CASE("referee: a promise ends with what is held for it, also if something is held for others") {
  Match match;
  const auto order = [&](const std::function<void(Referee&)>& so) {
    match.room.order([&](Back& back) { so(static_cast<Referee&>(back)); }, match.now);
  };
  const auto promised = [&](const char* name) {
    auto front = std::make_unique<Seat>();
    Seat* const seat = front.get();
    const Match::Guest guest{match.room.seat(std::move(front), {}, match.now), seat};
    SavedPlayer saved;
    saved.name = name;
    order([&](Referee& referee) {
      referee.hold(saved);
      referee.promise(guest.id, name);
    });
    return guest;
  };
  const auto called = [&](Match::Guest guest) {
    words::Enter enter;
    enter.set_name("somebody");
    match.says(guest, enter);
    return match.room.world().player(guest.id)->player.name();
  };
  const double held = static_cast<double>(Referee::kHeld) / kSecond;
  const auto anna = promised("anna");
  match.lasts(held / 2);
  const auto ben = promised("ben");
  match.lasts(held / 4);
  const auto carl = promised("carl");
  match.lasts(held / 4 + kOneTick);
  CHECK(called(anna) == "somebody");
  match.lasts(held / 2);
  CHECK(called(ben) == "somebody 2");
  CHECK(called(carl) == "carl");
}

TEST_CASE(
    "referee: a player who had left a saved arena may come back to it, while something is held for others or not") {
  for (const double after : {0.0, static_cast<double>(Referee::kHeld) / kSecond + 1}) {
    CAPTURE(after);
    Arena arena = in_play();
    SavedPlayer carl{"carl", words::BLUE, {}, {}};
    carl.score.set_losses(3);
    arena.starts.push_back(carl);
    Match match(std::move(arena));
    match.lasts(after);
    const PlayerState& back = *match.room.world().player(match.comes("carl").id);
    CHECK(back.player.name() == "carl");
    CHECK(back.score.losses() == 3);
  }
}

TEST_CASE("referee: a flag that nobody came for in time is not given to a later player whose number was the same") {
  Match match(in_play());
  match.lasts(static_cast<double>(Referee::kHeld) / kSecond + 1);
  SavedPlayer zoe{"zoe", words::RED, words::Pose(), {}};
  zoe.id = 77;
  match.room.order([&](Back& back) { static_cast<Referee&>(back).hold(zoe); }, match.now);
  REQUIRE(match.tank(match.comes_promised("zoe", "zoe")).unit.alive());
  CHECK(flag_of(match, words::BLUE).state() == words::Token::GROUND);
}

TEST_CASE("referee: who carried a flag in a saved arena whose round is over is not in play, and does not have it") {
  Arena arena = in_play();
  arena.in_play->round.set_state(words::Round::OVER);
  Match match(std::move(arena));
  CHECK_FALSE(match.tank(match.comes_promised("anna", "anna")).unit.alive());
  CHECK(flag_of(match, words::BLUE).state() == words::Token::GROUND);
}

TEST_CASE("referee: only the player who carried a flag in a saved arena has it again") {
  Arena arena = in_play();
  SavedPlayer& ben = arena.starts[1];
  ben.id = 0;  // it is not known
  ben.pose.emplace();
  ben.pose->set_x(-30);
  words::Token& red = arena.in_play->tokens.emplace_back();
  red.set_kind(words::Token::TEAM_FLAG);
  red.set_team(words::RED);
  red.set_state(words::Token::GROUND);
  red.set_x(100);
  Match match(std::move(arena));
  CHECK(flag_of(match, words::RED).x() == 100);  // where it lay
  REQUIRE(match.tank(match.comes_promised("ben", "ben")).unit.alive());
  CHECK(flag_of(match, words::BLUE).state() == words::Token::GROUND);
  CHECK(flag_of(match, words::RED).state() == words::Token::GROUND);
  const auto anna = match.comes_promised("anna", "anna");
  CHECK(flag_of(match, words::BLUE).carrier() == anna.id);
}

TEST_CASE("referee: flags for guided shots of a saved arena lie where they lay, and stay there") {
  Arena arena = in_play();
  arena.rules.guided = 2;
  arena.in_play->tokens.clear();
  for (const double x : {40.0, -40.0}) {
    words::Token& flag = arena.in_play->tokens.emplace_back();
    flag.set_gives(words::GUIDED);
    flag.set_state(words::Token::GROUND);
    flag.set_x(x);
  }
  Match match(std::move(arena));
  match.lasts(31);  // a flag that was dropped would return
  std::vector<double> places;
  for (const auto& [id, token] : match.room.world().tokens())
    if (token.gives() == words::GUIDED) places.push_back(token.x());
  std::sort(places.begin(), places.end());
  CHECK(places == std::vector<double>{-40, 40});
}

TEST_CASE("referee: a flag that somebody else has taken meanwhile is not taken from there for its last carrier") {
  Arena arena = in_play();
  SavedPlayer carl{"carl", words::RED, words::Pose(), {}};
  carl.pose->set_x(30);  // where the flag lies
  carl.pose->set_y(-20);
  arena.starts.push_back(carl);
  Match match(std::move(arena));
  const auto taker = match.plays("carl");
  match.lasts(kOneTick);
  REQUIRE(flag_of(match, words::BLUE).carrier() == taker.id);
  REQUIRE(match.tank(match.comes_promised("anna", "anna")).unit.alive());
  CHECK(flag_of(match, words::BLUE).carrier() == taker.id);
}

TEST_CASE("referee: a saved round goes on without end where rounds have no limit of time any more") {
  Arena arena = in_play();
  arena.rules.round = 0;
  Match match(std::move(arena));
  match.lasts(1);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
}

TEST_CASE("referee: a saved round whose time left is not known has its whole time") {
  Arena arena = in_play();
  arena.in_play->round.clear_left_s();
  Match match(std::move(arena));
  CHECK(match.room.world().round().left_s() == doctest::Approx(600));
  match.lasts(1);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
}

TEST_CASE(
    "referee: a saved place on a roof is taken; one inside a block or beyond an edge is replaced by one near it") {
  words::World world = open_field(200);
  world.set_walled(false);
  words::Solid& block = *world.add_solids();
  block.set_x(50);
  block.set_half_x(6);
  block.set_half_y(6);
  block.set_height(5);
  const auto begins = [&](double x, double y, double z) {
    SavedPlayer anna{"anna", words::RED, words::Pose(), {}};
    anna.pose->set_x(x);
    anna.pose->set_y(y);
    anna.pose->set_z(z);
    Match match(Arena{{}, world, {anna}});
    const words::Pose place = match.place(match.plays("anna"));
    CHECK(std::hypot(place.x() - x, place.y() - y) < 15);
    return place;
  };
  CHECK(begins(50, 0, 5).z() == 5);
  const words::Pose beside = begins(50, 0, 0);
  CHECK(std::max(std::abs(beside.x() - 50), std::abs(beside.y())) > 6);
  for (const auto& [x, y] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
    const words::Pose inside = begins(200.5 * x, 200.5 * y, 0);
    CHECK(std::max(std::abs(inside.x()), std::abs(inside.y())) < 200);
  }
}

TEST_CASE("referee: a tank that is restored half inside a wall can drive out, but no further in") {
  for (const bool outwards : {true, false}) {
    SavedPlayer anna{"anna", words::RED, words::Pose(), {}};
    anna.pose->set_x(198);
    anna.pose->set_yaw(outwards ? 0 : std::numbers::pi);
    Match match(Arena{{}, open_field(200), {anna}});
    const auto guest = match.plays("anna");
    REQUIRE(match.place(guest).x() == 198);
    words::Toward toward;
    toward.set_x(outwards ? 300 : 150);
    match.says(guest, toward);
    match.lasts(8);
    CHECK(match.place(guest).x() == doctest::Approx(outwards ? 198 : 150).epsilon(0.001));
  }
}

words::Fire grenade(const words::Pose& from, double vx, double vz, double fuse) {
  words::Fire fire;
  fire.set_unit(from.unit());
  fire.set_shot(77);
  fire.set_kind(words::GRENADE);
  fire.set_x(from.x());
  fire.set_y(from.y());
  fire.set_z(3);
  fire.set_vx(vx);
  fire.set_vz(vz);
  fire.set_life(fuse);
  return fire;
}

TEST_CASE("referee: a grenade falls, explodes when its fuse has burnt down, and hurts less at a distance") {
  ArenaRules rules = quick();
  rules.grenade_damage = 100;
  rules.grenade_radius = 15;
  rules.health = 200;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben"), carl = match.plays("carl");
  match.goes(anna, -60, 0, 0);
  match.goes(ben, 0, 0, 0);
  match.goes(carl, 16, 0, 0);
  match.says(anna, grenade(match.place(anna), 60, 20, 1.5));  // lands 60 m away and rolls on
  REQUIRE(anna.seat->count<words::Shot>() == 1);
  CHECK(anna.seat->last<words::Shot>()->kind() == words::GRENADE);
  CHECK(anna.seat->last<words::Shot>()->life() == 1.5);
  match.lasts(1.4);
  CHECK(ben.seat->count<words::ShotEnded>() == 0);
  match.lasts(0.2);
  REQUIRE(ben.seat->count<words::ShotEnded>() == 1);
  CHECK(ben.seat->last<words::ShotEnded>()->burst());
  const double ben_lost = 200 - match.tank(ben).unit.health(), carl_lost = 200 - match.tank(carl).unit.health();
  CHECK(ben_lost > carl_lost);
  CHECK(ben_lost <= 100);
  CHECK(match.tank(anna).unit.health() == 200);
}

/// With a wall across it, east of the middle.
words::World field_with_wall() {
  words::World world = open_field(200);
  words::Solid& wall = *world.add_solids();
  wall.set_x(5);
  wall.set_half_x(0.5);
  wall.set_half_y(50);
  wall.set_height(30);
  return world;
}

TEST_CASE("referee: a wall shelters from a grenade, and a grenade hurts its thrower") {
  ArenaRules rules = quick();
  Match match(rules, field_with_wall());
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  for (const auto guest : {anna, ben}) match.goes(guest, match.place(guest).x(), 70, 0);  // around the wall
  match.goes(anna, -30, 70, 0);
  match.goes(anna, -3, 0, 0);
  match.goes(ben, 60, 70, 0);
  match.goes(ben, 10, 0, 0);
  const double before = match.tank(anna).unit.health();
  match.says(anna, grenade(match.place(anna), 0, 0, 0.2));
  match.lasts(0.4);
  CHECK(match.tank(ben).unit.health() == rules.health);
  CHECK(match.tank(anna).unit.health() < before);
}

TEST_CASE("referee: a grenade hurts its thrower also where it spares team mates, and nobody who is dead") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  Match match(rules);
  const auto anna = match.plays("anna", words::RED), ben = match.plays("ben", words::RED),
             dead = match.plays("dead", words::BLUE);
  match.goes(anna, 0, 0, 0);
  match.goes(ben, 8, 0, 0);
  match.goes(dead, -8, 0, 0);
  match.says(dead, giving_up());
  const std::size_t deaths = anna.seat->count<words::Died>(), told = anna.seat->count<words::Health>();
  match.says(anna, grenade(match.place(anna), 0, 0, 0.2));
  match.lasts(0.4);
  CHECK(match.tank(anna).unit.health() < 100);
  CHECK(match.tank(ben).unit.health() == 100);
  CHECK(anna.seat->count<words::Health>() == told + 1);
  CHECK(anna.seat->count<words::Died>() == deaths);
}

TEST_CASE("referee: a grenade bounces back from a wall") {
  ArenaRules rules = quick();
  rules.grenade_damage = 100;
  rules.grenade_radius = 30;
  rules.health = 200;
  Match match(rules, field_with_wall());
  const auto anna = match.plays("anna"), ben = match.plays("ben"), carl = match.plays("carl");
  for (const auto& [guest, x] : {std::pair(anna, -30), std::pair(ben, -12), std::pair(carl, 1)}) {
    match.goes(guest, match.place(guest).x(), 70, 0);  // around the wall
    match.goes(guest, x, 70, 0);
    match.goes(guest, x, 0, 0);
  }
  match.says(anna, grenade(match.place(anna), 60, 20, 1.5));  // reaches the wall after 0.6 s
  match.lasts(1.7);
  const double ben_lost = 200 - match.tank(ben).unit.health(), carl_lost = 200 - match.tank(carl).unit.health();
  CHECK(ben_lost > carl_lost);
}

TEST_CASE("referee: a grenade from another place, or with a speed that is not finite, is ignored") {
  Match match(quick());
  const auto anna = match.plays("anna");
  words::Pose away = match.place(anna);
  away.set_x(away.x() + 20);
  match.says(anna, grenade(away, 0, 0, 1));
  words::Fire wrong = grenade(match.place(anna), 0, 0, 1);
  wrong.set_vx(std::nan(""));
  match.says(anna, wrong);
  CHECK(anna.seat->count<words::Shot>() == 0);
}

TEST_CASE("referee: a grenade needs a loaded barrel, as a ball does") {
  ArenaRules rules = quick();
  rules.most_balls = 2;
  Match match(rules);
  const auto anna = match.plays("anna");
  for (int i = 0; i < 3; ++i) match.says(anna, grenade(match.place(anna), 0, 0, 0.1));
  CHECK(anna.seat->count<words::Shot>() == 2);
  CHECK(dropped(match, drops::kNotLoaded) == 1);
}

TEST_CASE("referee: a grenade that is thrown too hard flies the same way at the highest speed allowed") {
  Match match(quick());
  const auto anna = match.plays("anna");
  match.says(anna, grenade(match.place(anna), -3000, 4000, 1));
  REQUIRE(anna.seat->count<words::Shot>() == 1);
  CHECK(anna.seat->last<words::Shot>()->vx() == doctest::Approx(-60));
  CHECK(anna.seat->last<words::Shot>()->vz() == doctest::Approx(80));
}

TEST_CASE("referee: numbers that are not finite move nothing and shoot nothing") {
  Match match(quick());
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  words::Keys keys;
  keys.set_bits(words::Keys::FORWARD);
  keys.set_yaw(std::nan(""));
  match.says(anna, keys);
  words::Fire fire;
  fire.set_shot(1);
  fire.set_vx(std::nan(""));
  match.says(anna, fire);
  match.lasts(1);
  CHECK(anna.seat->count<words::Shot>() == 0);
  CHECK(std::isfinite(match.place(anna).x() + match.place(anna).yaw()));
  CHECK(match.tank(ben).unit.health() == quick().health);
}

TEST_CASE("referee: a name is cut between characters and made unique, and its owner may set it again") {
  Match match(quick());
  std::string longer = "a";
  while (longer.size() < 40) longer += "\xc3\xa9";
  const auto anna = match.plays(longer.c_str()), ben = match.plays("ben");
  std::string given = match.room.world().player(anna.id)->player.name();
  REQUIRE(given.ends_with(kCutMark));
  given.resize(given.size() - kCutMark.size());
  CHECK(longer.starts_with(given));
  CHECK(given.size() % 2 == 1);  // whole characters after the first
  words::Change change;
  change.set_name("ben");
  match.says(ben, change);
  CHECK(match.room.world().player(ben.id)->player.name() == "ben");
  match.says(anna, change);
  CHECK(match.room.world().player(anna.id)->player.name() == "ben 2");
  CHECK(match.tank(anna).unit.name() == "ben 2");
  words::Change looks;
  looks.set_skin("cat");
  match.says(anna, looks);
  CHECK(match.room.world().player(anna.id)->player.skin() == "cat");
  CHECK(match.tank(anna).unit.skin() == "cat");
}

words::Change renamed(const char* name) {
  words::Change change;
  change.set_name(name);
  return change;
}

words::Enter enters_as(const char* name) {
  words::Enter enter;
  enter.set_name(name);
  return enter;
}

TEST_CASE("referee: a player that renames itself all the time is refused, and others see few of the names") {
  Match match(quick());
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.lasts(10);
  const std::size_t heard = ben.seat->count<words::Player>();
  for (int i = 0; i < 200; ++i) anna.seat->to_say.emplace_back(renamed(i % 2 == 0 ? "x" : "y"));
  match.says(anna, words::Ping());
  CHECK(ben.seat->count<words::Player>() == heard + 5);
  CHECK(ben.seat->count<words::UnitChanged>() == 5);
  CHECK(ben.seat->count<words::ClaimRefused>() == 0);
  REQUIRE(anna.seat->count<words::ClaimRefused>() == 195);
  CHECK(
      anna.seat->last<words::ClaimRefused>()->why().starts_with("you change your name, team, skin or motto too often"));
  match.lasts(1);
  match.says(anna, renamed("anna"));
  CHECK(match.room.world().player(anna.id)->player.name() == "anna");
}

TEST_CASE(
    "referee: a player that leaves and enters all the time is refused for a while, and is gone whenever it leaves") {
  Match match(quick());
  const auto ben = match.plays("ben"), anna = match.plays("anna");
  for (int i = 0; i < 200; ++i) {
    anna.seat->to_say.emplace_back(words::Leave());
    anna.seat->to_say.emplace_back(enters_as("anna"));
  }
  match.says(anna, words::Ping());
  CHECK(ben.seat->count<words::PlayerGone>() == 5);
  CHECK(match.room.world().players().size() == 1);
  REQUIRE(anna.seat->last<words::Refused>() != nullptr);
  CHECK(anna.seat->last<words::Refused>()->code() == words::Refused::TOO_SOON);
  CHECK(anna.seat->last<words::Refused>()->text() == "you come and go too often: try again in a second");
  CHECK(anna.seat->last<words::Refused>()->may_retry());
  CHECK(ben.seat->count<words::Refused>() == 0);
  match.lasts(1);
  match.says(anna, enters_as("anna"));
  CHECK(match.room.world().players().size() == 2);
  match.room.gone(anna.id, "left", match.now);
  CHECK(match.room.world().players().size() == 1);
}

TEST_CASE("referee: a player that leaves and enters again waits for its respawn like others") {
  for (const bool gives_up : {true, false}) {
    Match match(quick());
    const auto anna = match.plays("anna");
    words::DeathClaim claim;
    claim.set_why(words::BY_ITSELF);
    if (gives_up) match.says(anna, claim);
    for (const Intent& word : {Intent(words::Leave()), Intent(enters_as("anna")), Intent(words::Spawn())})
      match.says(anna, word);
    CHECK_FALSE(match.tank(anna).unit.alive());
    match.lasts(1.1);
    match.says(anna, words::Spawn());
    CHECK(match.tank(anna).unit.alive());
  }
  Match match(quick());
  const auto anna = match.plays("anna");
  match.says(anna, words::Leave());
  match.lasts(60);
  match.says(anna, enters_as("anna"));
  match.says(anna, words::Spawn());
  CHECK(match.tank(anna).unit.alive());
}

/// Enters in that role, and keeps only why it was refused.
class Quiet final : public Front {
 public:
  Quiet(words::Role role, std::string& refused) : role_(role), refused_(refused) {}
  void opened(const Peer&, FrontOut& out) override {
    words::Enter enter;
    enter.set_name("quiet");
    enter.set_role(role_);
    out.say(enter);
  }
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut&) override {
    if (const auto* refused = as<words::Refused>(fact))
      refused_ = words::Refused::Code_Name(refused->code()) + ": " + refused->text();
  }

 private:
  const words::Role role_;
  std::string& refused_;
};

TEST_CASE("referee: spectators take no places of players, and those of one address not all places of spectators") {
  ArenaRules rules;
  Match match(rules, 200);
  std::string refused;
  const auto comes = [&](words::Role role, const char* network) {
    refused.clear();
    Peer peer;
    peer.network = network;
    return match.room.seat(std::make_unique<Quiet>(role, refused), peer, match.now);
  };
  const auto is_in = [&](Id id) { return match.room.world().player(id) != nullptr; };
  Id first = 0, last = 0;
  for (int i = 0; i < 702; ++i) {
    last = comes(words::WATCH, "192.0.2.1");
    if (first == 0) first = last;
  }
  CHECK(is_in(last));
  CHECK_FALSE(is_in(comes(words::WATCH, "192.0.2.1")));
  CHECK(refused == "FULL: your address has as many places for spectators as it may have");
  for (int i = 702; i < 936; ++i) last = comes(words::WATCH, "");
  CHECK(is_in(last));
  CHECK_FALSE(is_in(comes(words::WATCH, "198.51.100.1")));
  CHECK(refused == "FULL: all places for spectators are taken");
  for (int i = 0; i < 64; ++i) {
    last = comes(words::PLAY, "192.0.2.1");
    CHECK(is_in(last));
  }
  CHECK_FALSE(is_in(comes(words::PLAY, "198.51.100.1")));
  CHECK(refused == "FULL: the arena is full: all places for spectators are taken");
  CHECK(match.room.world().orphaned() == 0);
  match.room.gone(first, "left", match.now);
  CHECK(is_in(comes(words::WATCH, "192.0.2.1")));
  CHECK_FALSE(is_in(comes(words::WATCH, "198.51.100.1")));
}

TEST_CASE("referee: barrels reload by time alone, and a life begins at most once a tick, also without a wait") {
  ArenaRules rules;
  rules.respawn = 0;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.comes("ben");
  words::DeathClaim claim;
  claim.set_why(words::BY_ITSELF);
  const auto lives = [&](int times) {
    for (int i = 0; i < times; ++i) {
      match.says(anna, words::Spawn());
      if (match.tank(anna).unit.alive())
        for (int shot = 0; shot < 6; ++shot) match.shoots(anna, 0);
      match.says(anna, claim);
    }
  };
  lives(100);
  CHECK(ben.seat->count<words::Shot>() == 5);
  CHECK(ben.seat->count<words::Died>() == 1);
  for (int tick = 0; tick < 20; ++tick) {
    match.lasts(0.04);
    lives(10);
  }
  CHECK(ben.seat->count<words::Shot>() == 5);
  CHECK(ben.seat->count<words::Spawned>() <= 22);
  CHECK(ben.seat->count<words::Spawned>() >= 10);
  SUBCASE("also who leaves and enters again has the same barrels") {
    match.says(anna, words::Leave());
    match.lasts(1);
    match.says(anna, enters_as("anna"));
    lives(1);
    CHECK(ben.seat->count<words::Shot>() == 5);
  }
  match.lasts(2.1);
  lives(1);
  CHECK(ben.seat->count<words::Shot>() == 10);
}

TEST_CASE("referee: the carrier of the flag for guided shots shoots balls that turn to their target") {
  ArenaRules rules = quick();
  rules.guided = 1;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  REQUIRE(match.room.world().tokens().size() == 1);
  const words::Token flag = match.room.world().tokens().begin()->second;
  CHECK(flag.gives() == words::GUIDED);
  CHECK(flag.endurance() == 1);
  match.goes(anna, flag.x(), flag.y(), 0);
  match.lasts(0.1);
  REQUIRE(match.room.world().tokens().begin()->second.carrier() == anna.id);
  match.goes(anna, 0, -100, kNorth);
  match.goes(ben, 40, 40, 0);
  match.shoots(anna, kNorth);  // misses him by 16 degrees
  CHECK(anna.seat->last<words::Shot>()->kind() == words::GUIDED);
  CHECK(match.until(3, [&] { return ben.seat->count<words::Died>() + ben.seat->count<words::Health>() > 1; }));
  REQUIRE(ben.seat->count<words::ShotMoved>() >= 2);
  CHECK(ben.seat->last<words::ShotMoved>()->target() == ben.id);
}

TEST_CASE("referee: whoever fired a guided shot chooses its target: an enemy in play, or none") {
  ArenaRules rules = quick();
  rules.guided = 1;
  Match match(rules, 500);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  const words::Token flag = match.room.world().tokens().begin()->second;
  match.goes(anna, flag.x(), flag.y(), 0);
  match.lasts(0.1);
  match.goes(anna, 0, -100, kNorth);
  match.goes(ben, 100, -100, 0);
  match.shoots(anna, kNorth);
  REQUIRE(anna.seat->last<words::Shot>()->kind() == words::GUIDED);
  match.lasts(0.5);
  CHECK(anna.seat->count<words::ShotMoved>() == 0);  // nobody is ahead
  words::ShotMoveClaim claim;
  claim.set_shot(match.shots);
  claim.set_target(ben.id);
  match.says(anna, claim);
  match.lasts(0.5);
  REQUIRE(anna.seat->count<words::ShotMoved>() > 0);
  CHECK(anna.seat->last<words::ShotMoved>()->target() == ben.id);
  CHECK(anna.seat->last<words::ShotMoved>()->vx() > 10);
  claim.set_target(anna.id);
  match.says(anna, claim);
  const std::size_t moved = anna.seat->count<words::ShotMoved>();
  match.lasts(0.5);
  CHECK(anna.seat->count<words::ShotMoved>() == moved);
  CHECK(match.room.ledger().entries().empty());
}

/// Anna fetches the flag for guided shots, and goes to (0, -100).
Match::Guest guiding(Match& match, words::Team team = words::TEAM_ANY) {
  const auto anna = match.plays("anna", team);
  const words::Token flag = flag_of(match, words::TEAM_ANY);
  match.goes(anna, flag.x(), flag.y(), 0);
  match.lasts(0.1);
  REQUIRE(flag_of(match, words::TEAM_ANY).carrier() == anna.id);
  match.goes(anna, 0, -100, 0);
  return anna;
}

TEST_CASE("referee: a guided shot follows no team mate, and of the enemies ahead the nearest one") {
  ArenaRules rules = quick();
  rules.guided = 1;
  rules.mode = ArenaMode::kTeams;
  Match match(rules, 500);
  const auto anna = guiding(match, words::RED);
  const auto mate = match.plays("mate", words::RED), near = match.plays("near", words::BLUE),
             far = match.plays("far", words::BLUE);
  match.goes(mate, 10, -40, 0);
  match.goes(near, 15, -10, 0);
  match.goes(far, 20, 40, 0);
  const auto follows = [&] {
    match.lasts(0.3);
    return anna.seat->last<words::ShotMoved>()->target();
  };
  match.shoots(anna, kNorth);
  CHECK(follows() == near.id);
  words::ShotMoveClaim claim;
  claim.set_shot(match.shots);
  claim.set_target(far.id);
  match.says(anna, claim);
  CHECK(follows() == far.id);
  const auto flies_straight = [&] {
    const std::size_t moved = anna.seat->count<words::ShotMoved>();
    match.lasts(0.3);
    return anna.seat->count<words::ShotMoved>() == moved;
  };
  claim.set_target(mate.id);
  match.says(anna, claim);
  CHECK(flies_straight());
  match.says(near, giving_up());
  const std::size_t moved = anna.seat->count<words::ShotMoved>();
  match.shoots(anna, kNorth);
  CHECK(follows() == far.id);
  CHECK(anna.seat->count<words::ShotMoved>() > moved);
  match.says(far, giving_up());
  CHECK(flies_straight());
}

TEST_CASE("referee: the flag of a team makes no shots guided") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  Match match(rules);
  const auto red = match.plays("red", words::RED);
  match.goes(red, 170, 0, 0);
  REQUIRE(flag_of(match, words::BLUE).carrier() == red.id);
  match.shoots(red, kNorth);
  CHECK(red.seat->last<words::Shot>()->kind() == words::BALL);
}

TEST_CASE("referee: a player steers that one of its own guided shots whose number it says, until it has ended") {
  ArenaRules rules = quick();
  rules.guided = 1;
  Match match(rules, 500);
  const auto anna = guiding(match);
  const auto ben = match.plays("ben");
  match.goes(ben, 100, -100, 0);
  const auto shoots = [&](std::uint32_t number) {
    match.shots = number - 1;
    match.shoots(anna, kNorth);
    REQUIRE(anna.seat->last<words::Shot>()->kind() == words::GUIDED);
  };
  for (const std::uint32_t number : {7U, 8U}) shoots(number);
  words::ShotMoveClaim claim;
  claim.set_shot(8);
  claim.set_target(ben.id);
  match.says(ben, claim);  // has none
  CHECK(dropped(match, drops::kNoGuidedShot) == 1);
  match.says(anna, claim);
  match.lasts(0.1);
  REQUIRE(anna.seat->count<words::ShotMoved>() == 1);
  CHECK(anna.seat->last<words::ShotMoved>()->shooter() == anna.id);
  CHECK(anna.seat->last<words::ShotMoved>()->shot() == 8);
  words::ShotEndClaim ends;
  ends.set_shooter(anna.id);
  ends.set_shot(8);
  match.says(anna, ends);
  match.says(anna, claim);
  CHECK(dropped(match, drops::kNoGuidedShot) == 2);
}

TEST_CASE("referee: a guided shot turns aside, up and down; while it flies straight at its target, no course is told") {
  struct Case {
    double z, aside;
  };
  for (const Case& one : {Case{10, 0}, {1, 60}, {1, 0}}) {
    CAPTURE(one.z);
    CAPTURE(one.aside);
    ArenaRules rules = quick();
    rules.guided = 1;
    Match match(rules, 500);
    const auto anna = guiding(match), ben = match.plays("ben");
    match.goes(ben, 200, one.aside - 100, 0);
    words::Fire fire;
    fire.set_unit(match.place(anna).unit());
    fire.set_shot(1);
    fire.set_x(5);
    fire.set_y(-100);
    fire.set_z(one.z);
    fire.set_vx(100);
    match.says(anna, fire);
    REQUIRE(anna.seat->last<words::Shot>()->z() == one.z);
    match.lasts(0.1);
    const auto* moved = anna.seat->last<words::ShotMoved>();
    REQUIRE((moved != nullptr) == (one.z > 1 || one.aside > 0));
    if (moved == nullptr) continue;
    CHECK(moved->target() == ben.id);
    CHECK((moved->vz() < -1) == (one.z > 1));
    CHECK((moved->vy() > 1) == (one.aside > 0));
  }
}

TEST_CASE("referee: the course of a guided shot is told five times a second") {
  ArenaRules rules = quick();
  rules.guided = 1;
  Match match(rules, 500);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  const words::Token flag = match.room.world().tokens().begin()->second;
  match.goes(anna, flag.x(), flag.y(), 0);
  match.lasts(0.1);
  REQUIRE(match.room.world().tokens().begin()->second.carrier() == anna.id);
  match.goes(anna, 0, -100, kNorth);
  match.goes(ben, 120, 160, 0);
  match.shoots(anna, kNorth);
  REQUIRE(anna.seat->last<words::Shot>()->kind() == words::GUIDED);
  match.lasts(1.02);
  CHECK(ben.seat->count<words::ShotMoved>() >= 4);
  CHECK(ben.seat->count<words::ShotMoved>() <= 6);
}

TEST_CASE("referee: a player who carries a flag picks up no other one") {
  ArenaRules rules = quick();
  rules.guided = 2;
  Match match(rules);
  const auto anna = match.plays("anna");
  REQUIRE(match.room.world().tokens().size() == 2);
  std::vector<words::Token> flags;
  for (const auto& [id, token] : match.room.world().tokens()) flags.push_back(token);
  match.goes(anna, flags[0].x(), flags[0].y(), 0);
  match.lasts(0.1);
  REQUIRE(anna.seat->count<words::TokenTaken>() == 1);
  match.goes(anna, flags[1].x(), flags[1].y(), 0);
  match.lasts(0.1);
  CHECK(anna.seat->count<words::TokenTaken>() == 1);
}

TEST_CASE("referee: without that flag a guided shot flies straight, and nobody can steer another player's shot") {
  ArenaRules rules = quick();
  rules.guided = 1;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.faces(anna, ben);
  const words::Pose from = match.place(anna);
  words::Fire fire;
  fire.set_unit(from.unit());
  fire.set_shot(9);
  fire.set_kind(words::GUIDED);
  fire.set_x(from.x());
  fire.set_y(from.y() + 4.4);
  fire.set_z(1.57);
  fire.set_vx(100);
  match.says(anna, fire);
  CHECK(anna.seat->last<words::Shot>()->kind() == words::BALL);
  words::ShotMoveClaim claim;
  claim.set_shot(9);
  claim.set_target(ben.id);
  match.says(anna, claim);
  match.says(ben, claim);
  match.lasts(1);
  CHECK(ben.seat->count<words::ShotMoved>() == 0);
  REQUIRE(match.room.ledger().entries().size() == 1);
  const Ledger::Entry& lost = match.room.ledger().entries().front();
  CHECK(lost.line == &drops::kNoGuidedShot);
  CHECK(lost.times == 2);
}

const words::Score& score_of(const Match& match, Match::Guest guest) {
  return match.room.world().player(guest.id)->score;
}

TEST_CASE("referee: who kills a team mate wins nothing, nor does its team; that is counted, and the loss, too") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  rules.friendly_fire = true;
  rules.ball_damage = 100;
  Match match(rules);
  const auto anna = match.plays("anna", words::RED), carl = match.plays("carl", words::RED);
  match.faces(anna, carl);
  match.shoots(anna, kNorth);
  REQUIRE(match.until(2, [&, victim = carl.seat] { return victim->count<words::Died>() == 1; }));
  CHECK(score_of(match, anna).wins() == 0);
  CHECK(score_of(match, anna).team_kills() == 1);
  CHECK(score_of(match, carl).losses() == 1);
  CHECK(score_of(match, carl).team_kills() == 0);
  const auto& red = match.room.world().team_scores().at(words::RED);
  CHECK(red.wins() == 0);
  CHECK(red.losses() == 1);
}

TEST_CASE("referee: who gives up a life loses once, and nobody wins") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  Match match(rules);
  const auto anna = match.plays("anna", words::RED);
  match.plays("ben", words::BLUE);
  match.says(anna, giving_up());
  CHECK(score_of(match, anna).losses() == 1);
  CHECK(score_of(match, anna).wins() == 0);
  CHECK(match.room.world().team_scores().at(words::RED).losses() == 1);
  CHECK(match.room.world().team_scores().at(words::BLUE).wins() == 0);
}

TEST_CASE("referee: who begins to watch or changes its team loses the life, but that counts as no loss") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  Match match(rules);
  const auto anna = match.plays("anna", words::RED);
  words::Watch watch;
  watch.set_mode(words::Watch::STOP);
  match.says(anna, watch);
  CHECK(match.tank(anna).unit.alive());
  SUBCASE("it watches") {
    watch.set_mode(words::Watch::ROAM);
    match.says(anna, watch);
  }
  SUBCASE("it changes sides") {
    words::Change change;
    change.set_team(words::BLUE);
    match.says(anna, change);
  }
  SUBCASE("it does both") {
    words::Change change;
    change.set_team(words::BLUE);
    watch.set_mode(words::Watch::ROAM);
    for (const Intent& word : {Intent(watch), Intent(change), Intent(watch)}) match.says(anna, word);
    CHECK(match.room.world().player(anna.id)->player.team() == words::BLUE);
  }
  CHECK_FALSE(match.tank(anna).unit.alive());
  REQUIRE(anna.seat->count<words::Died>() == 1);
  CHECK(anna.seat->last<words::Died>()->why() == words::BY_SERVER);
  CHECK(score_of(match, anna).losses() == 0);
  CHECK(match.room.world().team_scores().at(words::RED).losses() == 0);
}

TEST_CASE("referee: a newcomer learns the rules that its client needs to know") {
  ArenaRules rules = quick();
  rules.name = "yard";
  rules.mode = ArenaMode::kFlags;
  rules.most_players = 9;
  rules.most_balls = 3;
  rules.jumping = rules.ricochet = true;
  rules.ball_speed = 90.5;
  rules.ball_range = 300;
  rules.reload = 1.25;
  Match match(rules);
  match.comes("anna");
  const words::Room& room = match.room.world().room();
  CHECK(room.name() == "yard");
  CHECK(room.mode() == "capture the flag");
  CHECK(room.most_players() == 9);
  CHECK(room.most_shots() == 3);
  CHECK(room.jumping());
  CHECK(room.ricochet());
  CHECK(room.teams());
  const auto& told = match.room.world().rules();
  CHECK(told.at("speed") == "25");
  CHECK(told.at("reload") == "1.25");
  CHECK(told.at("shot_speed") == "90.5");
  CHECK(told.at("shot_range") == "300");
  CHECK(told.at("respawn") == "1");
  CHECK(told.at("tick_s") == "0.04");
  CHECK(told.at("hits") == "server");
  CHECK_FALSE(told.contains("lockstep"));
  rules.mode = ArenaMode::kFreeForAll;
  rules.jumping = rules.ricochet = false;
  rules.lockstep = true;
  const Match other(rules);
  CHECK_FALSE(other.room.world().room().teams());
  CHECK_FALSE(other.room.world().room().jumping());
  CHECK_FALSE(other.room.world().room().ricochet());
  CHECK(other.room.world().rules().at("lockstep") == "1");
}

TEST_CASE("referee: all see how a player looks, and what it changes about that") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  Match match(rules);
  auto front = std::make_unique<Seat>();
  Seat* const seat = front.get();
  const Match::Guest anna{match.room.seat(std::move(front), {}, match.now), seat};
  words::Enter enter;
  enter.set_name("anna");
  enter.set_skin("tiger");
  enter.set_motto("hello");
  enter.set_team(words::BLUE);
  match.says(anna, enter);
  const auto who = [&]() -> const words::Player& { return match.room.world().player(anna.id)->player; };
  const auto unit = [&]() -> const words::Unit& { return match.tank(anna).unit; };
  CHECK(who().motto() == "hello");
  CHECK(who().skin() == "tiger");
  CHECK(who().responding());
  CHECK(unit().owner() == anna.id);
  CHECK(unit().name() == "anna");
  CHECK(unit().skin() == "tiger");
  CHECK(unit().team() == words::BLUE);
  CHECK(unit().radius() == doctest::Approx(rules.tank.length / 2));
  CHECK(unit().max_health() == rules.health);
  words::Change change;
  change.set_name("bella");
  change.set_skin("zebra");
  change.set_motto("bye");
  match.says(anna, change);
  CHECK(who().name() == "bella");
  CHECK(who().motto() == "bye");
  CHECK(who().skin() == "zebra");
  CHECK(unit().name() == "bella");
  CHECK(unit().skin() == "zebra");
  change.Clear();
  change.set_team(words::RED);
  match.says(anna, change);
  CHECK(who().team() == words::RED);
  CHECK(unit().team() == words::RED);
  CHECK(unit().name() == "bella");
  CHECK(who().motto() == "bye");
  CHECK(who().skin() == "zebra");
  CHECK(unit().skin() == "zebra");
  const std::size_t told = seat->count<words::UnitChanged>();
  change.Clear();
  change.set_motto("again");
  match.says(anna, change);
  CHECK(seat->last<words::Player>()->motto() == "again");
  const auto looks_on = match.comes("carl", words::TEAM_ANY, words::WATCH);
  match.says(looks_on, renamed("dora"));
  CHECK(match.room.world().player(looks_on.id)->player.name() == "dora");
  CHECK(seat->count<words::UnitChanged>() == told);  // a motto is not seen at a tank, and a spectator has none
  CHECK(match.room.ledger().entries().empty());
}

TEST_CASE("referee: what an arena does not have is counted: kits, colours, commands, passing flags on, digging") {
  Match match;
  const auto anna = match.plays("anna");
  words::Change kit, colour;
  kit.set_kit(2);
  colour.set_colour(0xff0000);
  match.says(anna, kit);
  match.says(anna, colour);
  CHECK(dropped(match, drops::kKitOrColour) == 2);
  for (const words::Say::Scope scope : {words::Say::SERVER, words::Say::MODERATORS}) {
    words::Say say;
    say.set_scope(scope);
    say.set_text("help");
    match.says(anna, say);
  }
  CHECK(dropped(match, drops::kNoCommands) == 2);
  words::TokenWish give;
  give.set_op(words::TokenWish::GIVE);
  match.says(anna, give);
  CHECK(dropped(match, drops::kFlagGiven) == 1);
  match.says(anna, words::HitClaim());
  CHECK(dropped(match, drops::kHitClaim) == 1);
  match.says(anna, words::Edit());
  CHECK(dropped(match, drops::kEdit) == 1);
  match.says(anna, words::Reload());
  match.says(anna, words::Playback());
  CHECK(dropped(match, drops::kMeansNothing) == 2);
  CHECK(anna.seat->count<words::Said>() == 0);
  match.says(anna, words::Leave());
  match.says(anna, words::Spawn());
  CHECK(dropped(match, drops::kNotEntered) == 1);
}

TEST_CASE("referee: in a lockstep arena a player is told what a step is when it asks for what is none") {
  ArenaRules rules = quick();
  rules.lockstep = true;
  Match match(rules);
  const auto anna = match.plays("anna");
  match.says(anna, words::Playback());
  CHECK(anna.seat->count<words::ClaimRefused>() == 1);
  CHECK(match.room.ledger().entries().empty());
}

TEST_CASE("referee: chat to one player is seen by that player and its sender, once each, or by nobody if it has gone") {
  Match match;
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  words::Say say;
  say.set_text("psst");
  say.set_scope(words::Say::ONE);
  say.set_to(anna.id);
  match.says(anna, say);
  CHECK(anna.seat->count<words::Said>() == 1);  // to itself
  say.set_to(ben.id);
  match.says(anna, say);
  CHECK(anna.seat->count<words::Said>() == 2);
  REQUIRE(ben.seat->count<words::Said>() == 1);
  CHECK(ben.seat->last<words::Said>()->from() == anna.id);
  CHECK(ben.seat->last<words::Said>()->to() == ben.id);
  say.set_to(99);
  match.says(anna, say);
  CHECK(anna.seat->count<words::Said>() == 2);
  CHECK(dropped(match, drops::kNoRecipient) == 1);
}

TEST_CASE("referee: a player that leaves drops its flag where it is, says why, and its name is free again") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  Match match(rules);
  const auto red = match.plays("red", words::RED), blue = match.plays("blue", words::BLUE);
  match.goes(red, 170, 0, 0);
  REQUIRE(flag_of(match, words::BLUE).carrier() == red.id);
  match.goes(red, 100, 10, 0);
  words::Leave leave;
  leave.set_why("tired");
  match.says(red, leave);
  const words::Token& flag = flag_of(match, words::BLUE);
  CHECK(flag.state() == words::Token::GROUND);
  CHECK(flag.carrier() == 0);
  CHECK(flag.x() == doctest::Approx(100));
  CHECK(flag.y() == doctest::Approx(10));
  REQUIRE(blue.seat->last<words::PlayerGone>() != nullptr);
  CHECK(blue.seat->last<words::PlayerGone>()->why() == "tired");
  const auto other = match.comes("red");
  CHECK(match.room.world().player(other.id)->player.name() == "red");
}

TEST_CASE("referee: whoever captures a flag has 5 wins, as has its team, and the flag is at home") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  Match match(rules);
  const auto red = match.plays("red", words::RED);
  match.goes(red, 170, 0, 0);
  match.goes(red, -165, 40, 0);  // beside the base
  REQUIRE(flag_of(match, words::BLUE).carrier() == red.id);
  match.goes(red, -165, 0, 0);
  REQUIRE(red.seat->count<words::TokenCaptured>() == 1);
  const auto* captured = red.seat->last<words::TokenCaptured>();
  CHECK(captured->by() == red.id);
  CHECK(captured->team() == words::BLUE);
  CHECK(captured->token() == flag_of(match, words::BLUE).id());
  CHECK(flag_of(match, words::BLUE).endurance() == 1);
  CHECK(score_of(match, red).wins() == 5);
  CHECK(match.room.world().team_scores().at(words::RED).wins() == 5);
  CHECK(flag_of(match, words::BLUE).state() == words::Token::GROUND);
  CHECK(flag_of(match, words::BLUE).carrier() == 0);
  CHECK(flag_of(match, words::BLUE).x() == doctest::Approx(170));
}

TEST_CASE("referee: a captured flag may end the round: its team has won, and no single player") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kFlags;
  rules.score_limit = 5;
  rules.round = 1'000;
  rules.pause = 1'000;
  Match match(rules);
  const auto red = match.plays("red", words::RED);
  match.goes(red, 170, 0, 0);
  match.goes(red, -165, 0, 0);
  const words::Round& round = match.room.world().round();
  CHECK(round.state() == words::Round::OVER);
  CHECK(round.winning_team() == words::RED);
  CHECK(round.winner() == 0);
  CHECK(round.left_s() == 0);
}

TEST_CASE(
    "referee: a claimed height is accepted up to 15 metres, or 60 where tanks jump, and a little under the ground") {
  for (const bool jumping : {false, true}) {
    CAPTURE(jumping);
    const double highest = jumping ? 60 : 15;
    for (const double z : {-2.01, -2.0, highest, highest + 0.01}) {
      CAPTURE(z);
      ArenaRules rules = quick();
      rules.jumping = jumping;
      Match match(rules);
      const auto anna = match.plays("anna");
      match.lasts(3);  // enough for the way up
      match.says(anna, claim_at(match.place(anna), 0, z - match.place(anna).z()));
      const bool is_accepted = z >= -2 && z <= highest;
      CHECK(anna.seat->count<words::Corrected>() == (is_accepted ? 0U : 1U));
      CHECK(match.tank(anna).unit.pose().z() == doctest::Approx(is_accepted ? z : 0));
    }
  }
}

TEST_CASE("referee: the claim of a dead tank, whose client may not know that yet, means nothing") {
  Match match(quick());
  const auto anna = match.plays("anna");
  words::PoseClaim claim = claim_at(match.place(anna), 0.1, 0);
  match.says(anna, giving_up());
  for (const double far : {0.1, 100.0}) {
    claim.set_x(match.place(anna).x() + far);
    match.says(anna, claim);
  }
  CHECK(anna.seat->count<words::Corrected>() == 0);
  CHECK(anna.seat->count<words::Pose>() == 0);
}

TEST_CASE("referee: a claim says how a man moves, but not what only the arena decides") {
  Match match(quick());
  const auto anna = match.plays("anna");
  words::PoseClaim claim = claim_at(match.place(anna), 0.1, 0);
  claim.set_state(words::Pose::CROUCHING | words::Pose::SPRINTING | words::Pose::PAUSED | words::Pose::EXPLODING);
  match.says(anna, claim);
  CHECK(match.place(anna).state() == std::uint32_t{words::Pose::CROUCHING | words::Pose::SPRINTING});
}

TEST_CASE("referee: whoever is hurt learns by whom and from where; whoever dies, also by which shot and for how long") {
  ArenaRules rules = quick();
  rules.ball_damage = 60;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.faces(anna, ben);
  match.shoots(anna, kNorth);
  const std::size_t before = ben.seat->count<words::Health>();
  REQUIRE(match.until(2, [&, victim = ben.seat] { return victim->count<words::Health>() > before; }));
  const words::Health hurt = *ben.seat->last<words::Health>();
  CHECK(hurt.unit() == match.tank(ben).unit.id());
  CHECK(hurt.now() == 40);
  CHECK(hurt.max() == 100);
  CHECK(hurt.by() == anna.id);
  CHECK(hurt.from_x() == doctest::Approx(0).epsilon(0.1));
  CHECK(hurt.from_y() > 5);
  CHECK(hurt.from_y() < 20);
  CHECK(hurt.from_z() == doctest::Approx(1.57));
  match.shoots(anna, kNorth);
  REQUIRE(match.until(2, [&, victim = ben.seat] { return victim->count<words::Died>() == 1; }));
  CHECK(ben.seat->last<words::Health>()->now() == 0);  // not less
  const words::Died& died = *ben.seat->last<words::Died>();
  CHECK(died.player() == ben.id);
  CHECK(died.unit() == match.tank(ben).unit.id());
  CHECK(died.killer() == anna.id);
  CHECK(died.shot() == match.shots);
  CHECK(died.why() == words::BY_SHOT);
  CHECK(died.respawn_s() == rules.respawn);
}

TEST_CASE("referee: who dies by its own grenade has lost, and has not won") {
  ArenaRules rules = quick();
  rules.health = 10;
  Match match(rules);
  const auto anna = match.plays("anna");
  match.plays("ben");
  match.says(anna, grenade(match.place(anna), 0, 0, 0.2));
  match.lasts(0.4);
  REQUIRE(anna.seat->last<words::Died>() != nullptr);
  CHECK(anna.seat->last<words::Died>()->why() == words::BY_GRENADE);
  CHECK(score_of(match, anna).losses() == 1);
  CHECK(score_of(match, anna).wins() == 0);
}

TEST_CASE("referee: a grenade's fuse burns five seconds at most") {
  for (const double wish : {5.0, 60.0, -1.0}) {
    CAPTURE(wish);
    Match match(quick(), 1'000);
    const auto anna = match.plays("anna");
    match.says(anna, grenade(match.place(anna), 30, 10, wish));
    const double life = std::clamp(wish, 0.0, 5.0);
    CHECK(anna.seat->last<words::Shot>()->life() == life);
    match.lasts(life + 0.1);
    CHECK(anna.seat->count<words::ShotEnded>() == 1);
  }
}

TEST_CASE("referee: a ball flies as steeply as it was fired, up to 0.6 radians, and no faster for that") {
  for (const double pitch : {0.3, -0.3, 0.6, 1.2, -1.2}) {
    CAPTURE(pitch);
    Match match(quick());
    const auto anna = match.plays("anna");
    words::Fire fire;
    fire.set_vx(50 * std::cos(pitch));  // the speed is the arena's
    fire.set_vz(50 * std::sin(pitch));
    fire.set_x(1'000);
    match.says(anna, fire);
    REQUIRE(anna.seat->last<words::Shot>() != nullptr);
    const words::Shot& shot = *anna.seat->last<words::Shot>();
    const double allowed = std::clamp(pitch, -0.6, 0.6);
    CHECK(shot.vx() == doctest::Approx(100 * std::cos(allowed)));
    CHECK(shot.vy() == doctest::Approx(0));
    CHECK(shot.vz() == doctest::Approx(100 * std::sin(allowed)));
    CHECK(shot.life() == doctest::Approx(3.5));
    CHECK(shot.range() == 350);
    CHECK(shot.unit() == match.tank(anna).unit.id());
  }
}

TEST_CASE("referee: of two tanks in the way of a shot, the nearer one is hit") {
  for (const auto& [by_ray, came_first] : {std::pair(false, true), {false, false}, {true, true}, {true, false}}) {
    Match match(quick());
    const auto anna = match.plays("anna"), ben = match.plays("ben"), carl = match.plays("carl");
    const auto near = came_first ? ben : carl, far = came_first ? carl : ben;
    match.goes(far, 60, 40, 0);
    match.goes(far, 0, 40, 0);
    match.faces(anna, near);
    if (by_ray) {
      words::Fire ray;
      ray.set_kind(words::RAY);
      ray.set_vy(1);
      match.says(anna, ray);
    } else {
      match.shoots(anna, kNorth);
    }
    match.lasts(1.5);
    CHECK(match.tank(near).unit.health() < 100);
    CHECK(match.tank(far).unit.health() == 100);
  }
}

TEST_CASE("referee: a ray reaches as far as the client's own gun, or else as the arena allows; a blow is a ray, too") {
  ArenaRules rules = quick();
  rules.trigger = 0;
  Match match(rules);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.faces(anna, ben);
  const auto reach = [&](words::ShotKind kind, double range) {
    words::Fire ray;
    ray.set_kind(kind);
    ray.set_vy(1);
    ray.set_range(range);
    match.says(anna, ray);
    return anna.seat->last<words::Shot>()->range();
  };
  CHECK(reach(words::RAY, 20) == doctest::Approx(20));
  CHECK(reach(words::MELEE, 20) == doctest::Approx(20));
  CHECK(anna.seat->last<words::Shot>()->kind() == words::RAY);
  CHECK(match.tank(ben).unit.health() == 100);
  CHECK(reach(words::RAY, 0) == doctest::Approx(200));
  CHECK(match.tank(ben).unit.health() == 100 - rules.ray_damage);
  CHECK(reach(words::RAY, 500) == doctest::Approx(200));
}

TEST_CASE("referee: all see where a ray begins, and its direction") {
  Match match(quick());
  const auto anna = match.plays("anna");
  match.goes(anna, 7, -30, 0);
  words::Fire fire;
  fire.set_kind(words::RAY);
  fire.set_vx(-30);
  fire.set_vy(40);
  match.says(anna, fire);
  const words::Shot& ray = *anna.seat->last<words::Shot>();
  CHECK(ray.x() == doctest::Approx(7));
  CHECK(ray.y() == doctest::Approx(-30));
  CHECK(ray.z() == doctest::Approx(1.57));
  CHECK(ray.vx() == doctest::Approx(-0.6));
  CHECK(ray.vy() == doctest::Approx(0.8));
}

TEST_CASE("referee: a ball that a wall sends back hits its own shooter; where walls stop balls, none does") {
  for (const bool ricochet : {false, true}) {
    CAPTURE(ricochet);
    ArenaRules rules = quick();
    rules.ricochet = ricochet;
    Match match(rules, field_with_wall());
    const auto anna = match.plays("anna");
    match.goes(anna, match.place(anna).x(), 70, 0);  // around the wall
    match.goes(anna, -40, 70, 0);
    match.goes(anna, -40, 0, 0);
    match.shoots(anna, 0);
    match.lasts(2);
    CHECK(match.tank(anna).unit.health() == (ricochet ? 50 : 100));
    CHECK(anna.seat->count<words::ShotEnded>() == 1);
  }
}

TEST_CASE("referee: a dead tank does not shoot, so none does between two rounds") {
  Match match(quick());
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  match.says(anna, giving_up());
  words::Fire fire;
  fire.set_vx(100);
  match.says(anna, fire);
  CHECK(anna.seat->count<words::Shot>() == 0);
  match.room.order([](Back& back) { static_cast<Referee&>(back).close_round(words::TEAM_ANY); }, match.now);
  match.says(ben, fire);
  CHECK(ben.seat->count<words::Shot>() == 0);
}

TEST_CASE("referee: a tank that drives is told of at least once a second, and one that stands not at all") {
  Match match(quick(), 1'000);
  const auto anna = match.plays("anna"), ben = match.plays("ben");
  words::Toward far;
  far.set_x(match.place(anna).x() + (match.place(anna).x() > 0 ? -600 : 600));
  far.set_y(match.place(anna).y());
  match.says(anna, far);
  match.lasts(6);  // until it has turned
  const auto poses = [&, told = anna.seat](Id unit) {
    return std::count_if(told->heard.begin(), told->heard.end(), [unit](const Fact& fact) {
      const auto* pose = as<words::Pose>(fact);
      return pose != nullptr && pose->unit() == unit;
    });
  };
  const Id moves = match.tank(anna).unit.id(), stands = match.tank(ben).unit.id();
  const auto before = poses(moves);
  match.lasts(5);
  CHECK(poses(moves) - before >= 4);
  CHECK(poses(moves) - before <= 5);
  CHECK(poses(stands) == 0);
}

TEST_CASE("referee: a new round forgets losses and team kills, of players and teams, and lets the dead spawn at once") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  rules.friendly_fire = true;
  rules.ball_damage = 100;
  rules.respawn = 60;
  Match match(rules);
  const auto anna = match.plays("anna", words::RED), carl = match.plays("carl", words::RED);
  match.faces(anna, carl);
  match.shoots(anna, kNorth);
  REQUIRE(match.until(2, [&, victim = carl.seat] { return victim->count<words::Died>() == 1; }));
  REQUIRE(score_of(match, anna).team_kills() == 1);
  match.room.order([](Back& back) { static_cast<Referee&>(back).open_round(); }, match.now);
  CHECK(score_of(match, anna).team_kills() == 0);
  CHECK(score_of(match, carl).losses() == 0);
  CHECK(match.room.world().team_scores().at(words::RED).losses() == 0);
  match.says(carl, words::Spawn());
  CHECK(match.tank(carl).unit.alive());
}

TEST_CASE("referee: a rule that sets a score may end the round; scores of spectators and of nobody are not set") {
  ArenaRules rules = quick();
  rules.score_limit = 10;
  Match match(rules);
  const auto anna = match.plays("anna");
  const auto looks_on = match.comes("ben", words::TEAM_ANY, words::WATCH);
  const auto set_score = [&](Id player, std::uint32_t wins) {
    match.room.order([&](Back& back) { static_cast<Referee&>(back).set_score(player, wins, 4); }, match.now);
  };
  set_score(looks_on.id, 10);
  set_score(99, 10);
  CHECK(score_of(match, looks_on).wins() == 0);
  set_score(anna.id, 9);
  CHECK(score_of(match, anna).wins() == 9);
  CHECK(score_of(match, anna).losses() == 4);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
  set_score(anna.id, 10);
  CHECK(match.room.world().round().state() == words::Round::OVER);
  CHECK(match.room.world().round().winner() == anna.id);
  const std::size_t rounds = anna.seat->count<words::Round>();
  set_score(anna.id, 11);
  CHECK(anna.seat->count<words::Round>() == rounds);  // it is over already
}

TEST_CASE("referee: where teams play, the score of a single player that a rule sets does not end the round") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  rules.score_limit = 10;
  Match match(rules);
  const auto anna = match.plays("anna");
  match.room.order([&](Back& back) { static_cast<Referee&>(back).set_score(anna.id, 10, 0); }, match.now);
  CHECK(score_of(match, anna).wins() == 10);
  CHECK(match.room.world().round().state() == words::Round::RUNNING);
}

TEST_CASE("referee: a rule moves a player to a team as often as it likes, but not where there are no teams") {
  ArenaRules rules = quick();
  for (const ArenaMode mode : {ArenaMode::kFreeForAll, ArenaMode::kTeams}) {
    rules.mode = mode;
    Match match(rules);
    const auto anna = match.plays("anna", words::RED);
    const auto looks_on = match.comes("ben", words::RED, words::WATCH);
    const std::size_t changes = anna.seat->count<words::UnitChanged>();
    const auto set_team = [&](Id player, words::Team team) {
      match.room.order([&](Back& back) { static_cast<Referee&>(back).set_team(player, team); }, match.now);
    };
    const auto team = [&](Match::Guest guest) { return match.room.world().player(guest.id)->player.team(); };
    if (mode == ArenaMode::kFreeForAll) {
      set_team(anna.id, words::BLUE);
      CHECK(team(anna) == words::ROGUE);
      CHECK(match.tank(anna).unit.alive());
      continue;
    }
    for (int i = 0; i < 10; ++i) set_team(anna.id, i % 2 == 0 ? words::BLUE : words::RED);
    CHECK(anna.seat->count<words::UnitChanged>() == changes + 10);
    set_team(anna.id, words::BLUE);
    CHECK(team(anna) == words::BLUE);
    CHECK(match.tank(anna).unit.team() == words::BLUE);
    CHECK_FALSE(match.tank(anna).unit.alive());
    const words::Team before = team(looks_on);
    set_team(looks_on.id, words::BLUE);
    set_team(99, words::BLUE);
    CHECK(team(looks_on) == before);
  }
}

TEST_CASE(
    "referee: a round that a rule ends has the winner that the rule names, and stays over until a rule opens one") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  rules.pause = 1;
  Match match(rules);
  const auto anna = match.plays("anna");
  bool closed = false;
  const auto close = [&](words::Team winner) {
    match.room.order([&](Back& back) { static_cast<Referee&>(back).close_round(winner); }, match.now);
  };
  const auto look = [&] {
    match.room.order([&](Back& back) { closed = static_cast<Referee&>(back).is_closed(); }, match.now);
    return closed;
  };
  CHECK_FALSE(look());
  close(words::BLUE);
  CHECK(look());
  CHECK(match.room.world().round().winning_team() == words::BLUE);
  const std::size_t told = anna.seat->count<words::Round>();
  close(words::RED);  // it is over already
  CHECK(anna.seat->count<words::Round>() == told);
  match.lasts(5);
  CHECK(match.room.world().round().state() == words::Round::OVER);
  match.room.order([](Back& back) { static_cast<Referee&>(back).open_round(); }, match.now);
  CHECK_FALSE(look());
  CHECK(match.room.world().round().winning_team() == words::TEAM_ANY);
}

TEST_CASE("referee: an arena has as many flags for guided shots as its rules say, none of a team, on free ground") {
  ArenaRules rules = quick();
  rules.guided = 3;
  const Match match(rules);
  REQUIRE(match.room.world().tokens().size() == 3);
  for (const auto& [id, token] : match.room.world().tokens()) {
    CHECK(token.gives() == words::GUIDED);
    CHECK(token.kind() == words::Token::FLAG);
    CHECK(token.team() == words::TEAM_ANY);
    CHECK(token.state() == words::Token::GROUND);
    CHECK(std::abs(token.x()) < 200);
    CHECK(std::abs(token.y()) < 200);
  }
}

TEST_CASE("referee: a man stands nearer to a wall than a tank does") {
  for (const bool walks : {false, true}) {
    CAPTURE(walks);
    words::World world = open_field(200);
    words::Solid& wall = *world.add_solids();
    wall.set_x(100);
    wall.set_half_x(5);
    wall.set_half_y(5);
    wall.set_height(30);
    Match match(quick(), world);
    auto front = std::make_unique<Seat>();
    Seat* const seat = front.get();
    const Match::Guest anna{match.room.seat(std::move(front), {}, match.now), seat};
    words::Enter enter;
    if (walks) enter.set_body(words::Unit::MAN);
    match.says(anna, enter);
    match.says(anna, words::Spawn());
    match.goes(anna, match.place(anna).x(), 50, 0);
    match.goes(anna, 93, 50, 0);
    match.goes(anna, 93, 0, 0);
    REQUIRE(match.place(anna).x() == doctest::Approx(93));
    REQUIRE(seat->count<words::Corrected>() == 0);
    match.lasts(1);
    match.says(anna, claim_at(match.place(anna), 1.3, 0));  // 0.7 metres from the wall
    CHECK(seat->count<words::Corrected>() == (walks ? 0U : 1U));
  }
}

TEST_CASE("referee: a tank that jumps is seen to fall until it stands again; where tanks do not jump, it stays down") {
  for (const bool jumping : {false, true}) {
    CAPTURE(jumping);
    ArenaRules rules = quick();
    rules.jumping = jumping;
    Match match(rules);
    const auto anna = match.plays("anna");
    words::Keys keys;
    keys.set_bits(words::Keys::JUMP);
    match.says(anna, keys);
    match.lasts(0.2);
    keys.set_bits(0);
    match.says(anna, keys);
    CHECK((match.place(anna).z() > 0) == jumping);
    CHECK(match.place(anna).state() == (jumping ? std::uint32_t{words::Pose::FALLING} : 0U));
    match.lasts(10);
    CHECK(match.place(anna).z() == 0);
    CHECK(match.place(anna).state() == 0);
  }
}

/// Shots of each kind along the x axis, from this place.
std::vector<words::Fire> one_of_each(const words::Pose& from) {
  words::Fire ball, ray, thrown = grenade(from, 0, 0, 0.2);
  ball.set_vx(100);
  ray.set_kind(words::RAY);
  ray.set_vx(1);
  return {ball, ray, thrown};
}

TEST_CASE("referee: each shot says who has fired it, for which team, and has the number that its client gave it") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  Match match(rules);
  const auto anna = match.plays("anna", words::BLUE);
  std::uint32_t number = 40;
  for (words::Fire& fire : one_of_each(match.place(anna))) {
    CAPTURE(fire.kind());
    fire.set_shot(++number);
    match.says(anna, fire);
    REQUIRE(anna.seat->last<words::Shot>() != nullptr);
    const words::Shot& shot = *anna.seat->last<words::Shot>();
    CHECK(shot.kind() == fire.kind());
    CHECK(shot.shooter() == anna.id);
    CHECK(shot.unit() == match.tank(anna).unit.id());
    CHECK(shot.team() == words::BLUE);
    CHECK(shot.shot() == number);
  }
  match.lasts(0.4);
  CHECK(anna.seat->last<words::ShotEnded>()->shot() == number);
}

TEST_CASE(
    "referee: clients without red and blue may ask for them by the colours that they have, also for the larger team") {
  ArenaRules rules = quick();
  rules.mode = ArenaMode::kTeams;
  for (const auto& [wish, meant] :
       {std::pair{words::GREEN, words::RED}, {words::YELLOW, words::RED}, {words::PURPLE, words::BLUE}}) {
    Match match(rules);
    for (int i = 0; i < 3; ++i) match.plays("mate", meant);
    const auto anna = match.plays("anna", meant == words::RED ? words::BLUE : words::RED);
    words::Change change;
    change.set_team(wish);
    match.says(anna, change);
    CHECK(match.room.world().player(anna.id)->player.team() == meant);
    CHECK_FALSE(match.tank(anna).unit.alive());
    match.says(anna, words::Spawn());
    match.lasts(rules.respawn + kOneTick);
    match.says(anna, change);  // to where it is
    CHECK(match.tank(anna).unit.alive());
  }
}

TEST_CASE("referee: no kind of shot hurts a team mate, unless the rules let it; each hurts an enemy") {
  for (const bool friendly : {false, true})
    for (const bool mate : {false, true})
      for (std::size_t kind = 0; kind < 3; ++kind) {
        CAPTURE(friendly);
        CAPTURE(mate);
        CAPTURE(kind);
        ArenaRules rules = quick();
        rules.mode = ArenaMode::kTeams;
        rules.friendly_fire = friendly;
        Match match(rules);
        const auto anna = match.plays("anna", words::RED), ben = match.plays("ben", mate ? words::RED : words::BLUE);
        match.goes(anna, 0, 0, 0);
        match.goes(ben, 8, 0, 0);
        match.says(anna, one_of_each(match.place(anna))[kind]);
        match.lasts(0.4);
        CHECK((match.tank(ben).unit.health() < 100) == (friendly || !mate));
      }
}

}  // namespace
}  // namespace entente::core::referee_test
