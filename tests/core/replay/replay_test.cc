// A tape that viewers watch: in order and in time. After every command a viewer knows what one that saw everything
// knows.
#include "proxy/core/replay/replay.h"

#include <doctest/doctest.h>

#include <random>

#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/resync_phase.h"
#include "tests/core/replay/replay_show.h"

namespace entente::testing::replay_test {

using namespace replay_show;

// -- Playing ----------------------------------------------------------------------------------------------------------

TEST_CASE("a tape waits for the first viewer and is then played in time") {
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

TEST_CASE("the ids of a tape differ from those of its viewers, and secrets of the recorded player are kept") {
  Show show(drive());
  Seen& first = show.watch();
  Seen& second = show.watch();
  CHECK(first.world.players().size() == 3);
  CHECK(text(first.world, show.now) == text(second.world, show.now));
  CHECK(text(first.world, show.now).find("192.0.2.1") == std::string::npos);
  for (const auto& [id, state] : first.world.players())
    CHECK((state.player.name() == "p1") == (state.player.role() != words::WATCH));
}

TEST_CASE("each viewer learns the name of the file that is played") {
  Replay::Options options;
  options.file = "match.mcap";
  Show show(drive(), options);
  for (const Seen* seen : {&show.watch(), &show.watch()}) {
    REQUIRE(seen->world.rules().contains("recording.file"));
    CHECK(seen->world.rules().at("recording.file") == "match.mcap");
  }
}

TEST_CASE("a viewer changes its name, watches a player, and talks to all viewers or to nobody") {
  Replay::Options options;
  options.one_clock = true;
  Show show(drive(), options);
  Seen& other = show.watch();
  Seen& viewer = show.watch();
  const Id me = show.last;
  show.says("rename anna");
  for (const Seen* seen : {&other, &viewer}) {
    CHECK(seen->world.player(me)->player.name() == "anna");
    CHECK(seen->world.player(me)->player.responding());
  }
  const auto followed = [&]() -> Id {
    for (auto fact = viewer.heard.rbegin(); fact != viewer.heard.rend(); ++fact)
      if (const auto* clock = as<words::Clock>(*fact)) return clock->follow();
    return 0;
  };
  Id player = 0;
  for (const auto& [id, state] : viewer.world.players())
    if (state.player.name() == "p1") player = id;
  show.says(me, "watch " + std::to_string(player));
  CHECK(followed() == player);
  show.says(me, "watch " + std::to_string(me));  // a viewer is no player
  CHECK(followed() == player);
  const auto lines = [&] {
    return std::count_if(other.heard.begin(), other.heard.end(),
                         [](const Fact& fact) { return as<words::Said>(fact) != nullptr; });
  };
  show.says("psst");
  CHECK(lines() == 0);
  show.says("hello");
  CHECK(lines() == 1);
}

TEST_CASE("the name of a viewer who has left is free for the next one") {
  Show show(drive());
  show.watch();
  const Id first = show.last;
  const auto name = [&](Id viewer) { return show.room->world_seen_by(viewer).player(viewer)->player.name(); };
  show.watch();
  CHECK(name(first) == "viewer");
  CHECK(name(show.last) == "viewer 2");
  const Id second = show.last;
  show.room->gone(first, "left", show.now);
  show.watch();
  CHECK(name(show.last) == "viewer");
  for (const Id viewer : {second, show.last}) show.room->gone(viewer, "left", show.now);
  const Seen& next = show.watch();  // after all others
  CHECK(name(show.last) == "viewer");
  show.pass(kSecond);
  CHECK(x_of(next.world) == 15);
}

TEST_CASE("messages to the recorded player alone are not passed on; facts about its unit are") {
  auto facts = drive();
  words::Health health;
  health.set_unit(2);
  health.set_now(7);
  words::Corrected corrected;
  *corrected.mutable_pose() = pose(2, 77);
  words::Health secret = health;  // for a team, or for admins
  secret.set_now(3);
  Fact to_admins(secret), to_mates(secret);
  to_admins.audience = words::ADMINS;
  to_mates.audience = words::TEAM;
  words::Said aside = said("between us");
  aside.set_scope(words::Say::ONE);
  Fact to_team(said("red only")), order{words::Notice()}, tip{words::Notice()};
  to_team.audience = tip.audience = words::TEAM;
  order.audience = words::ADMINS;
  for (const Fact& fact :
       {Fact(1, said("psst")), Fact(aside), to_team, order, tip, Fact(said("hello all")), Fact(1, words::Kicked()),
        Fact(words::Refused()), Fact(words::View()), Fact(1, health), Fact(1, corrected), to_admins, to_mates})
    facts.push_back(at(10 * kSecond, fact));
  facts.push_back(at(20 * kSecond, pose(2, 1)));
  Show show(facts);
  Seen& viewer = show.watch();
  show.pass(11 * kSecond);
  std::vector<std::string> talk;
  for (const Fact& fact : viewer.heard) {
    if (const auto* word = as<words::Said>(fact)) talk.push_back(word->text());
    CHECK(as<words::Kicked>(fact) == nullptr);
    CHECK(as<words::Notice>(fact) == nullptr);
    CHECK(as<words::Refused>(fact) == nullptr);
    CHECK(as<words::View>(fact) == nullptr);
    CHECK(as<words::Corrected>(fact) == nullptr);
  }
  CHECK(talk == std::vector<std::string>{"hello all"});
  CHECK(viewer.world.units().begin()->second.unit.health() == 7);
  CHECK(x_of(viewer.world) == 77);
}

TEST_CASE("speed changes the pace of time and of visible motion") {
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

TEST_CASE("a shot in the air is not shown in a pause, nor when it has ended") {
  auto facts = drive();
  words::Shot shot;
  shot.set_shooter(1);
  shot.set_shot(1);
  shot.set_vx(100);
  shot.set_life(3);
  facts.push_back(at(2 * kSecond, shot));
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& a, const Fact& b) { return a.at < b.at; });
  Show show(facts);
  const Seen& viewer = show.watch();
  const auto shown_at = [&](Micros place) {
    show.order([&](Replay& replay) { replay.seek(place); });
    return viewer.world.shots().size();
  };
  CHECK(shown_at(3 * kSecond) == 1);
  CHECK(shown_at(5 * kSecond) == 0);
  show.order([](Replay& replay) { replay.pause(true); });
  CHECK(shown_at(3 * kSecond) == 0);
}

TEST_CASE("a pause stops everything, and nothing is missed") {
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

TEST_CASE("a tape that is over says so, or starts again") {
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

TEST_CASE("a tape that cannot be read from a position ends with an error") {
  Show show(busy(1));
  show.watch();
  show.tape->tear(20 * kSecond);
  show.order([](Replay& replay) { replay.seek(2 * kSecond); });
  CHECK_FALSE(show.standing.now.over);
  show.order([](Replay& replay) { replay.seek(40 * kSecond); });
  CHECK(show.standing.now.over);
  CHECK(show.standing.now.error == "the tape is torn");
  CHECK(show.room->over());
  Show empty({});
  CHECK(empty.standing.now.error == "the recording is empty");
}

TEST_CASE("a recording in which nobody knows the world is played from its beginning") {
  std::vector<Fact> facts = drive();
  std::erase_if(facts, [](const Fact& fact) { return as<words::Ready>(fact) != nullptr; });
  Show show(facts);
  const Seen& viewer = show.watch();
  show.pass(kSecond);
  CHECK(show.standing.now.error.empty());
  CHECK(x_of(viewer.world) == 10);
}

TEST_CASE("a recording lasts until its end, though nothing happens any more") {
  /// With five silent seconds at the end.
  class Silent final : public FactReader {
   public:
    Micros end_time() const override { return facts_.end_time() + 5 * kSecond; }
    std::optional<Micros> next_at() override { return facts_.next_at(); }
    Fact next() override { return facts_.next(); }
    Outcome<Done> seek(Micros at, WorldState& world) override { return facts_.seek(at, world); }

   private:
    MemoryFacts facts_{drive()};
  };
  Show show(drive());
  show.room.emplace(show.host, std::make_unique<Replay>(std::make_unique<Silent>(), Replay::Options{}), shared());
  show.room->back_opened({}, show.now);
  show.watch();
  show.pass(14 * kSecond);  // it begins at half a second
  CHECK_FALSE(show.room->over());
  show.pass(kSecond);
  CHECK(show.room->over());
}

// -- Seeking ----------------------------------------------------------------------------------------------------------

TEST_CASE("after a seek in either direction a viewer knows what one that began there knows") {
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

TEST_CASE("after a jump a viewer sees the units that are visible there, and no others, wherever they are") {
  for (const bool hidden_before : {false, true})
    for (const bool hidden_after : {false, true})
      for (const double moved : {0, 5}) {
        CAPTURE(hidden_before);
        CAPTURE(hidden_after);
        CAPTURE(moved);
        words::Hidden hides;
        hides.set_unit(2);
        WorldState before, after;
        for (WorldState* world : {&before, &after}) {
          world->fold(player(1));
          world->fold(unit(2, 1));
        }
        after.fold(pose(2, moved));
        if (hidden_before) before.fold(hides);
        if (hidden_after) after.fold(hides);
        WorldState sees;
        sees.copy(before, 0);
        tell_difference(
            before, after, [](Id) { return false; }, [&](const Fact& fact) { sees.fold(fact); });
        REQUIRE(sees.unit(2) != nullptr);
        CHECK(sees.unit(2)->hidden == hidden_after);
        CHECK(sees.unit(2)->unit.pose().x() == moved);
      }
}

TEST_CASE("playing to a moment and seeking to it give the same world") {
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

TEST_CASE("a pause and its end change only motion") {
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

TEST_CASE("a seek sends no events: no death, spawn, pickup or win") {
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

TEST_CASE("a viewer that asks to play is told that it cannot; its chat reaches all viewers") {
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

/// A live recording of which some reads of a world fail: those for whose numbers, from 1, `fails` is true.
class Patchy final : public RecordingSource {
 public:
  explicit Patchy(std::function<bool(int)> fails) : fails_(std::move(fails)) {}
  std::unique_ptr<FactReader> reader() override { return std::make_unique<Reads>(*this); }
  Micros end_time() const override { return MemoryFacts(drive()).end_time(); }
  int reads() const { return reads_; }

 private:
  class Reads final : public FactReader {
   public:
    explicit Reads(Patchy& of) : of_(of) {}
    Micros end_time() const override { return facts_.end_time(); }
    std::optional<Micros> next_at() override { return facts_.next_at(); }
    Fact next() override { return facts_.next(); }
    Outcome<Done> seek(Micros at, WorldState& world) override {
      if (of_.fails_(++of_.reads_)) return Error{"it was forgotten"};
      return facts_.seek(at, world);
    }

   private:
    MemoryFacts facts_{drive()};
    Patchy& of_;
  };

  const std::function<bool(int)> fails_;
  int reads_ = 0;
};

TEST_CASE("a live recording that cannot be read when it is to begin is read again, at once if it had a world") {
  for (const int fails_at : {0, 1, 2}) {
    CAPTURE(fails_at);  // 1: whether there is a world to begin with; 2: that world; 0: none fails
    Show show(drive());
    const auto source = std::make_shared<Patchy>([fails_at](int read) { return read == fails_at; });
    show.room.emplace(show.host, std::make_unique<Replay>(source), shared());
    show.room->back_opened({}, show.now);
    show.pass(fails_at == 1 ? 100 * kMillisecond : 0);
    CHECK(show.room->world().geometry() != nullptr);
    CHECK(show.watch().world.ready());
    CHECK(show.host.closed.empty());
  }
}

/// The clock that the viewer was told last.
words::Clock clock_of(const Seen& viewer) {
  for (auto fact = viewer.heard.rbegin(); fact != viewer.heard.rend(); ++fact)
    if (const auto* clock = as<words::Clock>(*fact)) return *clock;
  return {};
}

TEST_CASE(
    "a viewer of a broadcast who goes back and watches faster reaches the present, and then sees it as it comes") {
  Show show(drive());
  RoomOptions options = shared();
  options.chat.commands = true;
  const auto source = std::make_shared<Patchy>([](int) { return false; });
  show.room.emplace(show.host, std::make_unique<Replay>(source), options);
  show.room->back_opened({}, show.now);
  show.pass(0);
  const Seen& viewer = show.watch();
  REQUIRE(x_of(viewer.world) == 100);
  show.says("/seek 4");
  show.says("/speed 4");
  show.pass(kSecond);
  CHECK(clock_of(viewer).speed() == 4);
  CHECK(x_of(viewer.world) == 80);
  show.pass(kSecond);
  CHECK(clock_of(viewer).speed() == 1);
  CHECK(clock_of(viewer).us() == 10 * kSecond);
  CHECK(x_of(viewer.world) == 100);
  show.says("/help");
  const auto* const help = as<words::Said>(viewer.heard.back());
  REQUIRE(help != nullptr);
  CHECK(help->text().ends_with(". /live: back to the present"));
}

TEST_CASE("a client of a broadcast that has not begun may ask for its world: there is no clock to tell") {
  class Asks final : public Front {
   public:
    explicit Asks(std::vector<Fact>& heard) : heard_(heard) {}
    void opened(const Peer&, FrontOut& out) override {
      out.say(words::WantWorld());
      out.say(words::Enter());
    }
    void receive(const Frames&, FrontOut&) override {}
    void hear(const Fact& fact, FrontOut&) override { heard_.push_back(fact); }

   private:
    std::vector<Fact>& heard_;
  };
  Show show(drive());
  const auto source = std::make_shared<Patchy>([](int) { return true; });
  show.room.emplace(show.host, std::make_unique<Replay>(source), shared());
  show.room->back_opened({}, show.now);
  std::vector<Fact> heard;
  show.room->seat(std::make_unique<Asks>(heard), {}, show.now);
  show.pass(0);
  REQUIRE(heard.size() == 2);
  CHECK(as<words::You>(heard[0]) != nullptr);
  REQUIRE(as<words::Refused>(heard[1]) != nullptr);
  CHECK(as<words::Refused>(heard[1])->text() == "the broadcast has not begun; try again in a while");
  CHECK(as<words::Refused>(heard[1])->may_retry());
}

TEST_CASE("a live recording whose world is forgotten again and again before it is read is not read without a pause") {
  constexpr int kFails = 100;  // every second read
  Show show(drive());
  const auto source = std::make_shared<Patchy>([](int read) { return read <= 2 * kFails && read % 2 == 0; });
  show.room.emplace(show.host, std::make_unique<Replay>(source), shared());
  show.room->back_opened({}, show.now);
  show.pass(0);
  CHECK(source->reads() == 4);
  show.pass(kSecond);
  CHECK(source->reads() == 24);  // ten times a second
  show.pass(10 * kSecond);
  CHECK(show.room->world().geometry() != nullptr);
  CHECK(show.host.closed.empty());
}

}  // namespace entente::testing::replay_test
