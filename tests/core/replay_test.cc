// A tape told to who watches: in order, in time, and after every order what somebody who saw it all would know.
#include "proxy/core/replay/replay.h"

#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <random>

#include "proxy/core/replay/resync_phase.h"
#include "proxy/core/room.h"
#include "tests/support/memory_facts.h"

namespace entente::testing::replay_test {
namespace {

using namespace core;

/// What a viewer heard, and a world of its own: what a client would know.
struct Seen {
  std::vector<Fact> heard;
  World world;
};

/// Enters at once.
class Viewer final : public Front {
 public:
  explicit Viewer(Seen& seen) : seen_(seen) {}
  void opened(const Peer&, FrontOut& out) override {
    words::Enter enter;
    enter.set_name("viewer");
    out.say(enter);
  }
  void receive(Lane, Bytes bytes, FrontOut& out) override {
    if (as_text(bytes) == "spawn") return out.say(words::Spawn());
    if (as_text(bytes) == "fire") return out.say(words::Fire());
    words::Say say;
    say.set_text(std::string(as_text(bytes)));
    out.say(say);
  }
  void hear(const Fact& fact, FrontOut&) override {
    seen_.heard.push_back(fact);
    seen_.world.fold(fact);
  }

 private:
  Seen& seen_;
};

/// Sees without a word.
class Onlooker final : public Front {
 public:
  void receive(Lane, Bytes, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut&) override { world.fold(fact); }
  World world;
};

class Nobody final : public Room::Host {
 public:
  void send(Id, Lane, Bytes) override {}
  std::size_t waiting(Id) const override { return 0; }
  void close(Id end, std::string_view why, std::uint32_t) override {
    closed += std::to_string(end) + " " + std::string(why) + "\n";
  }
  void failed(Id, const Fault&) override {}
  void dial() override {}
  std::string closed;
};

class Standing final : public Replay::Observer {
 public:
  void stands(const Replay::Status& status) override { now = status; }
  Replay::Status now;
};

RoomOptions shared() {
  RoomOptions options;
  options.shared = true;
  return options;
}

/// A room with a replay in it, and a clock that only moves when it is told to.
struct Show {
  explicit Show(const std::vector<Fact>& facts, const Replay::Options& options = {}) {
    auto made = std::make_unique<MemoryFacts>(facts);
    tape = made.get();
    room.emplace(host, std::make_unique<Replay>(std::move(made), options, &standing), shared());
    room->back_opened({}, now);
  }
  Seen& watch() {
    Seen& seen = all_seen.emplace_back();
    last = room->seat(std::make_unique<Viewer>(seen), {}, now);
    pass(0);
    return seen;
  }
  /// Each wake-up at its time.
  void pass(Micros time) {
    const Micros until = now + time;
    while (room->next_wake() <= until) {
      now = std::max(now, room->next_wake());
      room->tick(now);
    }
    now = until;
  }
  void order(const std::function<void(Replay&)>& what) {
    room->order([&](Back& back) { what(static_cast<Replay&>(back)); }, now);
    pass(0);
  }
  void says(const char* line) { room->received(last, Lane::kStream, as_bytes(line), now); }

  std::deque<Seen> all_seen;
  Nobody host;
  Standing standing;
  MemoryFacts* tape = nullptr;
  std::optional<Room> room;
  Micros now = kSecond;  // a room is older than its replay
  Id last = 0;
};

// -- A tape -----------------------------------------------------------------------------------------------------------

Fact at(Micros when, Fact fact) {
  fact.at = when;
  return fact;
}

template <class T>
Fact at(Micros when, const T& word) {
  return at(when, Fact(word));
}

words::Player player(Id id) {
  words::Player player;
  player.set_id(id);
  player.set_name("p" + std::to_string(id));
  player.set_address("192.0.2.1");
  return player;
}

words::Unit unit(Id id, Id owner) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_owner(owner);
  unit.set_name("u" + std::to_string(id));
  unit.set_alive(true);
  unit.set_max_health(100);
  unit.set_health(100);
  return unit;
}

words::Pose pose(Id unit, double x, double vx = 0) {
  words::Pose pose;
  pose.set_unit(unit);
  pose.set_x(x);
  pose.set_vx(vx);
  return pose;
}

words::Said said(const char* text) {
  words::Said said;
  said.set_text(text);
  return said;
}

words::Owns owns(Id player, Id unit) {
  words::Owns owns;
  owns.set_player(player);
  owns.add_units(unit);
  owns.set_active(unit);
  return owns;
}

/// Player 1 with unit 2 drives east, a metre each tenth of a second, for ten seconds; he knew his world at 0.5 s.
std::vector<Fact> drive() {
  std::vector<Fact> facts{at(0, words::Room()), at(0, words::World()), at(0, player(1)),
                          at(0, unit(2, 1)),    at(0, owns(1, 2)),     at(500 * kMillisecond, words::Ready())};
  for (int i = 6; i <= 100; ++i) facts.push_back(at(static_cast<Micros>(i) * 100 * kMillisecond, pose(2, i, 10)));
  return facts;
}

/// Of the only unit that is there.
double x_of(const World& world) {
  REQUIRE(world.units().size() == 1);
  return world.units().begin()->second.unit.pose().x();
}
double speed_of(const World& world) { return world.units().begin()->second.unit.pose().vx(); }

// -- A world as text, by names: ids are each room's own ---------------------------------------------------------------

std::string number(double value) { return std::to_string(std::lround(value * 1000)); }

std::string text(const World& world, Micros now) {
  std::vector<std::string> lines;
  for (const auto& [id, state] : world.players()) {
    if (state.player.role() == words::WATCH) continue;
    std::string line = state.player.name() + " " + std::to_string(state.score.wins()) + " steers ";
    line += world.active_unit(id) != nullptr ? world.active_unit(id)->unit.name() : "nothing";
    lines.push_back(line + state.player.address());
  }
  for (const auto& [id, state] : world.units()) {
    const words::Pose pose = place_at(state.unit.pose(), state.posed_at, now);
    const PlayerState* owner = world.player(state.unit.owner());
    lines.push_back(state.unit.name() + " of " + (owner != nullptr ? owner->player.name() : "nobody") + " at " +
                    number(pose.x()) + " by " + number(now < state.posed_at + kSecond ? pose.vx() : 0) +
                    (state.unit.alive() ? " lives " : " dead ") + number(state.unit.health()) +
                    (state.hidden ? " hidden" : "") + " " + std::to_string(state.unit.colour()));
  }
  for (const auto& [id, token] : world.tokens())
    if (token.state() != words::Token::NOWHERE)
      lines.push_back(token.code() + " " + number(token.x()) + " " + std::to_string(token.state()));
  for (const auto& [name, value] : world.rules()) lines.push_back(name + "=" + value);
  for (const auto& state : world.shots()) {
    const double flown = static_cast<double>(now - state.fired_at) / kSecond;
    if (flown >= state.shot.life() - 0.01) continue;
    lines.push_back("shot " + std::to_string(state.shot.shot()) + " at " +
                    number(state.shot.x() + state.shot.vx() * flown));
  }
  lines.push_back("round " + std::to_string(world.round().state()) + " " + world.room().name());
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

/// Some of everything, by dice, for a minute.
std::vector<Fact> busy(std::uint32_t seed) {
  std::mt19937 dice(seed);
  const auto roll = [&](std::uint32_t sides) { return static_cast<std::uint32_t>(dice() % sides); };
  std::vector<Fact> facts{at(0, words::World()), at(0, player(1))};
  for (const char* name : {"r0", "r1", "r2"}) {  // a rule cannot be unsaid: they are there from the beginning
    words::Rule rule;
    rule.set_name(name);
    facts.push_back(at(0, rule));
  }
  facts.push_back(at(0, words::Ready()));
  Id last = 10;
  std::vector<Id> players{1}, units;
  const auto any = [&](const std::vector<Id>& of) { return of[roll(static_cast<std::uint32_t>(of.size()))]; };
  std::uint32_t shots = 0;
  for (Micros now = kMillisecond; now < 60 * kSecond; now += kMillisecond * (1 + roll(100))) {
    const auto add = [&](Fact fact) { facts.push_back(at(now, std::move(fact))); };
    const std::uint32_t what = roll(20);
    if (what == 0 || units.empty()) {
      units.push_back(++last);
      const Id owner = any(players);
      add(unit(last, owner));
      add(owns(owner, last));
    } else if (what == 1) {
      players.push_back(++last);
      add(player(last));
    } else if (what == 2 && players.size() > 2) {
      words::PlayerGone gone;
      gone.set_id(players.back());
      players.pop_back();
      add(gone);
    } else if (what == 3) {
      words::Gone gone;
      gone.set_unit(units.front());
      units.erase(units.begin());
      add(gone);
    } else if (what == 4) {
      words::Died died;
      died.set_unit(any(units));
      add(died);
    } else if (what == 5) {
      words::Spawned spawned;
      spawned.set_unit(any(units));
      *spawned.mutable_pose() = pose(spawned.unit(), roll(500), roll(20));
      add(spawned);
    } else if (what == 6) {
      words::Hidden hidden;
      hidden.set_unit(any(units));
      add(hidden);
    } else if (what == 7) {
      words::Token token;
      token.set_id(1 + roll(5));
      token.set_code("T" + std::to_string(token.id()));
      token.set_x(roll(100));
      token.set_state(static_cast<words::Token::State>(roll(3)));
      add(token);
    } else if (what == 8) {
      words::Score score;
      score.set_player(any(players));
      score.set_wins(roll(100));
      add(score);
    } else if (what == 9) {
      words::Health health;
      health.set_unit(any(units));
      health.set_now(roll(100));
      add(Fact(1, health));
    } else if (what == 10) {
      words::UnitChanged changed;
      changed.set_unit(any(units));
      changed.set_colour(roll(100));
      add(changed);
    } else if (what == 11) {
      words::Shot shot;
      shot.set_shooter(any(players));
      shot.set_shot(++shots);
      shot.set_vx(100);
      shot.set_life(3);
      add(shot);
    } else if (what == 12) {
      words::Rule rule;
      rule.set_name("r" + std::to_string(roll(3)));
      rule.set_value(std::to_string(roll(10)));
      add(rule);
    } else {
      add(pose(any(units), roll(500), roll(20)));
    }
  }
  return facts;
}

}  // namespace

// -- Playing ----------------------------------------------------------------------------------------------------------

TEST_CASE("a tape stands until somebody watches, and then is told in time") {
  Show show(drive());
  show.pass(5 * kSecond);
  CHECK(show.standing.now.at == 500 * kMillisecond);
  CHECK(show.standing.now.length == 10 * kSecond);
  Seen& viewer = show.watch();
  CHECK(viewer.world.ready());
  CHECK(x_of(viewer.world) == 0);
  for (int i = 1; i <= 20; ++i) {
    show.pass(100 * kMillisecond);
    CHECK(x_of(viewer.world) == 5 + i);
  }
  CHECK(show.standing.now.watchers == 1);
  CHECK_FALSE(show.standing.now.paused);
}

TEST_CASE("the tape's ids are not those of who watches, and his secrets are kept") {
  Show show(drive());
  Seen& first = show.watch();
  Seen& second = show.watch();
  CHECK(first.world.players().size() == 3);
  CHECK(text(first.world, show.now) == text(second.world, show.now));
  CHECK(text(first.world, show.now).find("192.0.2.1") == std::string::npos);
  for (const auto& [id, state] : first.world.players())
    CHECK((state.player.name() == "p1") == (state.player.role() != words::WATCH));
}

TEST_CASE("what was said to the recorded player alone is not said to others, what is true of his unit is") {
  auto facts = drive();
  words::Health health;
  health.set_unit(2);
  health.set_now(7);
  words::Corrected corrected;
  *corrected.mutable_pose() = pose(2, 77);
  words::Said aside = said("between us");
  aside.set_scope(words::Say::ONE);
  Fact to_team(said("red only"));
  to_team.audience = words::TEAM;
  for (const Fact& fact :
       {Fact(1, said("psst")), Fact(aside), to_team, Fact(said("hello all")), Fact(1, words::Kicked()),
        Fact(words::Refused()), Fact(words::View()), Fact(1, health), Fact(1, corrected)})
    facts.push_back(at(10 * kSecond, fact));
  facts.push_back(at(20 * kSecond, pose(2, 1)));
  Show show(facts);
  Seen& viewer = show.watch();
  show.pass(11 * kSecond);
  std::vector<std::string> talk;
  for (const Fact& fact : viewer.heard) {
    if (const auto* word = as<words::Said>(fact)) talk.push_back(word->text());
    CHECK(as<words::Kicked>(fact) == nullptr);
    CHECK(as<words::Refused>(fact) == nullptr);
    CHECK(as<words::View>(fact) == nullptr);
    CHECK(as<words::Corrected>(fact) == nullptr);
  }
  CHECK(talk == std::vector<std::string>{"hello all"});
  CHECK(viewer.world.units().begin()->second.unit.health() == 7);
  CHECK(x_of(viewer.world) == 77);
}

TEST_CASE("time runs as fast as is wished, and what is seen moves as fast") {
  for (const double speed : {0.1, 0.5, 2.0, 20.0}) {
    CAPTURE(speed);
    Replay::Options options;
    options.speed = speed;
    Show show(drive(), options);
    Seen& viewer = show.watch();
    const auto second = static_cast<Micros>(static_cast<double>(kSecond) / speed);
    show.pass(5 * second + 10);
    CHECK(x_of(viewer.world) == 55);
    CHECK(speed_of(viewer.world) == doctest::Approx(10 * speed));
  }
}

TEST_CASE("a pause holds everything, and nothing is missed") {
  Show show(drive());
  Seen& viewer = show.watch();
  show.pass(kSecond);
  show.order([](Replay& replay) { replay.pause(true); });
  CHECK(speed_of(viewer.world) == 0);
  const auto heard = viewer.heard.size();
  show.pass(60 * kSecond);
  CHECK(viewer.heard.size() == heard);
  CHECK(x_of(viewer.world) == 15);
  CHECK(show.standing.now.paused);
  show.order([](Replay& replay) { replay.pause(false); });
  CHECK(speed_of(viewer.world) == 10);
  show.pass(kSecond);
  CHECK(x_of(viewer.world) == 25);
  show.order([](Replay& replay) { replay.set_speed(2); });
  CHECK(speed_of(viewer.world) == 20);
  show.pass(kSecond);
  CHECK(x_of(viewer.world) == 45);
}

TEST_CASE("a tape that is over says so, or begins anew") {
  Show show(drive());
  Seen& viewer = show.watch();
  show.pass(9 * kSecond);
  CHECK_FALSE(show.room->over());
  show.pass(kSecond);
  CHECK(as<words::Kicked>(viewer.heard.back())->text() == "the recording is over");
  CHECK(show.room->over());
  CHECK(show.standing.now.over);
  CHECK(show.standing.now.error.empty());

  Replay::Options options;
  options.loop = true;
  Show loops(drive(), options);
  Seen& sees = loops.watch();
  for (int round = 0; round < 3; ++round) {
    loops.pass(9 * kSecond);
    CHECK(x_of(sees.world) == 95);
    loops.pass(500 * kMillisecond + kMillisecond);
  }
  CHECK_FALSE(loops.room->over());
}

TEST_CASE("a tape that cannot be read from there ends with an error") {
  Show show(drive());
  show.watch();
  show.tape->tear(5 * kSecond);
  show.order([](Replay& replay) { replay.seek(2 * kSecond); });
  CHECK_FALSE(show.standing.now.over);
  show.order([](Replay& replay) { replay.seek(7 * kSecond); });
  CHECK(show.standing.now.over);
  CHECK(show.standing.now.error == "the tape is torn");
  CHECK(show.room->over());
  Show empty({});
  CHECK(empty.standing.now.error == "the recording is empty");
}

// -- Seeking ----------------------------------------------------------------------------------------------------------

TEST_CASE("after a seek, either way, everybody knows what who began there knows") {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const auto facts = busy(seed);
    Show show(facts);
    Seen& viewer = show.watch();
    auto quiet = std::make_unique<Onlooker>();
    Onlooker& onlooker = *quiet;
    show.room->seat(std::move(quiet), {}, show.now);
    std::mt19937 dice(seed);
    for (int i = 0; i < 12; ++i) {
      const Micros to = dice() % (60 * kSecond);
      CAPTURE(seed);
      CAPTURE(to);
      show.order([&](Replay& replay) { replay.seek(to); });
      Replay::Options options;
      options.at = to;
      Show other(facts, options);
      other.now = show.now;
      const Seen& fresh = other.watch();
      CHECK(text(viewer.world, show.now) == text(fresh.world, other.now));
      CHECK(text(onlooker.world, show.now) == text(fresh.world, other.now));
      CHECK(text(show.room->world(), show.now) == text(fresh.world, other.now));
      const Micros on = dice() % (2 * kSecond);
      if (to + on >= 59 * kSecond) continue;
      show.pass(on);
      other.pass(on);
      CHECK(text(viewer.world, show.now) == text(fresh.world, other.now));
    }
  }
}

TEST_CASE("who plays to a moment and who seeks it know the same") {
  const auto facts = busy(9);
  Show plays(facts);
  const Seen& viewer = plays.watch();
  for (int i = 1; i <= 50; ++i) {
    plays.pass(kSecond);
    Replay::Options options;
    options.at = static_cast<Micros>(i) * kSecond;
    Show seeks(facts, options);
    seeks.now = plays.now;
    CHECK(text(viewer.world, plays.now) == text(seeks.watch().world, seeks.now));
  }
}

TEST_CASE("a pause and its end change nothing but motion") {
  const auto facts = busy(3);
  for (int i = 0; i < 20; ++i) {
    Show show(facts);
    const Seen& viewer = show.watch();
    show.pass(static_cast<Micros>(3 * i) * kSecond);
    const std::string before = text(viewer.world, show.now);
    const Micros paused_at = show.now;
    show.order([](Replay& replay) { replay.pause(true); });
    CHECK(text(viewer.world, show.now) == text(show.room->world(), show.now));
    show.order([](Replay& replay) { replay.pause(false); });
    CHECK(show.now == paused_at);
    CHECK(text(viewer.world, show.now) == before);
  }
}

TEST_CASE("to tell of another moment is no event: nobody dies, comes into play, takes or wins anything") {
  const auto facts = busy(4);
  Replay::Options options;
  options.loop = true;
  Show show(facts, options);
  const Seen& viewer = show.watch();
  std::size_t told = 0;
  ResyncPhase resync;
  const auto check = [&](const Fact& fact) {
    resync.hear(fact);
    const bool event = as<words::Died>(fact) != nullptr || as<words::Spawned>(fact) != nullptr ||
                       as<words::TokenTaken>(fact) != nullptr || as<words::TokenDropped>(fact) != nullptr ||
                       as<words::TokenCaptured>(fact) != nullptr || as<words::Said>(fact) != nullptr;
    CHECK_MESSAGE(!(event && resync), name_of(fact));
    told += resync ? 1 : 0;
  };
  const auto hear_from = [&](std::size_t before) {
    for (std::size_t at = before; at < viewer.heard.size(); ++at) check(viewer.heard[at]);
    CHECK(!resync);
  };
  hear_from(0);
  std::mt19937 dice(4);
  for (int i = 0; i < 20; ++i) {
    const std::size_t before = viewer.heard.size();
    const Micros to = dice() % (60 * kSecond);
    show.order([&](Replay& replay) { replay.pause(true), replay.seek(to); });
    for (std::size_t at = before; at < viewer.heard.size(); ++at) {
      check(viewer.heard[at]);
      CHECK_MESSAGE((resync || as<words::Clock>(viewer.heard[at]) != nullptr), name_of(viewer.heard[at]));
    }
  }
  CHECK(told > 100);
  show.order([](Replay& replay) { replay.pause(false); });
  const std::size_t before = viewer.heard.size();
  show.pass(120 * kSecond);  // twice from the end to the beginning
  hear_from(before);
  const auto deaths = [](const std::vector<Fact>& of, std::size_t from) {
    return std::count_if(of.begin() + static_cast<std::ptrdiff_t>(from), of.end(),
                         [](const Fact& fact) { return as<words::Died>(fact) != nullptr; });
  };
  CHECK(deaths(viewer.heard, before) > 0);
  CHECK(deaths(viewer.heard, before) <= 3 * deaths(facts, 0));
}

// -- Who watches ------------------------------------------------------------------------------------------------------

TEST_CASE("who wishes to play is told that he cannot; who talks is heard by all who watch") {
  Show show(drive());
  Seen& first = show.watch();
  Seen& second = show.watch();
  show.says("spawn");
  const auto* refused = as<words::ClaimRefused>(second.heard.back());
  REQUIRE(refused != nullptr);
  CHECK(refused->why() == "this is a recording: it can be watched, not played in");
  CHECK(second.heard.back().cause == 2);
  CHECK(as<words::ClaimRefused>(first.heard.back()) == nullptr);
  show.says("fire");
  CHECK(show.room->ledger().entries().back().what() == "Fire");
  show.says("look at that");
  CHECK(as<words::Said>(first.heard.back())->text() == "look at that");
  CHECK(as<words::Said>(first.heard.back())->from() == show.last);
  show.room->gone(show.last, "left", show.now);
  CHECK(as<words::PlayerGone>(first.heard.back()) != nullptr);
  CHECK(show.standing.now.watchers == 1);
}

}  // namespace entente::testing::replay_test
