// A broadcast: nobody sees anything before the delay has passed, whatever a viewer does with its clock, and a viewer
// that follows sees everything.
#include "proxy/relay/broadcast/broadcast.h"

#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <thread>

#include "proxy/core/replay/resync_phase.h"
#include "tests/core/replay/replay_show.h"

namespace entente::broadcast_test {
namespace {

using namespace core;
using relay::Broadcast, relay::LiveView;
using testing::replay_show::Nobody, testing::replay_show::Seen, testing::replay_show::Viewer;

constexpr Micros kStep = 20 * kMillisecond;
constexpr std::uint64_t kUnixMicros = 1'700'000'000'000'000;

/// A match, and a clock that only the test advances. The unit's x is the time in steps.
struct Match {
  explicit Match(relay::BroadcastOptions options = {})
      : broadcast(std::make_shared<Broadcast>([this] { return nanos.load(); }, kUnixMicros, std::move(options))) {
    begin("anna");
  }
  void begin(const std::string& name) {
    source_id = broadcast->begin();
    world = WorldState();
    words::Player player;
    player.set_id(1);
    player.set_name(name);
    tell(player);
    words::Unit unit;
    unit.set_id(2);
    unit.set_owner(1);
    tell(unit);
    tell(words::Ready());
  }
  Micros now() const { return (nanos - kBorn) / 1000; }
  void tell(Fact fact) {
    fact.at = now();
    world.fold(fact);
    broadcast->tell(source_id, fact, nanos);
    if (world.ready() && broadcast->owes_world(source_id, nanos)) broadcast->tell(source_id, world, now(), nanos);
  }
  void say(const std::string& text, bool to_team = false) {
    words::Said said;
    said.set_text(text);
    Fact fact(said);
    if (to_team) {
      said.set_scope(words::Say::MY_TEAM);
      said.set_to(words::RED);
      fact = Fact(said);
      fact.audience = words::TEAM;
      fact.to = words::RED;
    }
    tell(fact);
  }
  /// anna dies without a killer.
  void kill() {
    words::Died died;
    died.set_player(1);
    tell(died);
  }
  void step() {
    nanos += kStep * 1000;
    words::Pose pose;
    pose.set_unit(2);
    const std::uint64_t steps = now() / kStep;
    pose.set_x(static_cast<double>(steps));
    tell(pose);
    if (now() % (5 * kStep) == 0) say(std::to_string(now()));
    if (now() % (7 * kStep) == 0) say("secret", true);
  }
  static constexpr std::uint64_t kBorn = 5'000'000'000;
  std::atomic<std::uint64_t> nanos = kBorn;
  std::shared_ptr<Broadcast> broadcast;
  std::uint64_t source_id = 0;
  WorldState world;
};

/// Viewers in a room that was opened some time after the start of the match.
struct Audience {
  Audience(Match& its, Micros its_delay, See see = See::kPublic)
      : match(its), delay(its_delay), view(its.broadcast->view(see, its_delay)), opened(its.now()) {
    RoomOptions options;
    options.shared = true;
    options.chat.commands = true;
    options.chat.burst = 1'000'000;
    options.most_words = 100'000;
    room.emplace(host, std::make_unique<Replay>(view), options);
    room->back_opened({}, 0);
  }
  Seen& watch() {
    Seen& seen = all.emplace_back();
    ids.push_back(room->seat(std::make_unique<Viewer>(seen), {}, now()));
    return seen;
  }
  void say(std::size_t viewer, const std::string& line) {
    room->received(ids[viewer], {Lane::kStream, as_bytes(line)}, now());
  }
  Micros now() const { return match.now() - opened; }
  void pass() {
    while (room->next_wake() <= now()) room->tick(now());
  }
  Match& match;
  const Micros delay;
  std::shared_ptr<LiveView> view;
  const Micros opened;
  Nobody host;
  std::optional<Room> room;
  std::deque<Seen> all;
  std::vector<Id> ids;
};

/// The latest time of the match that a viewer can know.
Micros known(const Seen& seen) {
  Micros latest = 0;
  for (const Fact& fact : seen.heard) {
    if (const auto* said = as<words::Said>(fact); said != nullptr && !said->text().empty() && said->text()[0] <= '9')
      if (said->text().find_first_not_of("0123456789") == std::string::npos)
        latest = std::max<Micros>(latest, std::stoull(said->text()));
    if (const auto* pose = as<words::Pose>(fact)) latest = std::max(latest, static_cast<Micros>(pose->x()) * kStep);
    if (const auto* clock = as<words::Clock>(fact)) latest = std::max<Micros>(latest, clock->us());
    if (const auto* unit = as<words::Unit>(fact))
      latest = std::max(latest, static_cast<Micros>(unit->pose().x()) * kStep);
  }
  return latest;
}

bool heard(const Seen& seen, const std::string& text) {
  return std::any_of(seen.heard.begin(), seen.heard.end(), [&](const Fact& fact) {
    const auto* said = as<words::Said>(fact);
    return said != nullptr && said->text().find(text) != std::string::npos;
  });
}

TEST_CASE("a viewer that follows a broadcast gets everything once, in order, exactly when its delay has passed") {
  for (const Micros delay : {Micros{0}, 3 * kSecond, 30 * kSecond}) {
    CAPTURE(delay);
    Match match;
    Audience audience(match, delay);
    Seen& seen = audience.watch();
    while (match.now() < delay) {
      match.step();
      audience.pass();
      if (match.now() < delay) CHECK(known(seen) == 0);
    }
    const Seen& later = audience.watch();
    for (int i = 0; i < 500; ++i) {
      match.step();
      audience.pass();
      REQUIRE(known(later) + delay <= match.now());
      CHECK(known(later) + delay + 6 * kStep >= match.now());
    }
    std::vector<std::string> lines;
    for (const Fact& fact : later.heard)
      if (const auto* said = as<words::Said>(fact)) lines.push_back(said->text());
    REQUIRE(lines.size() > 90);
    for (std::size_t i = 1; i < lines.size(); ++i)
      CHECK(std::stoull(lines[i]) == std::stoull(lines[i - 1]) + 5 * kStep);
  }
}

TEST_CASE("no viewer sees anything early, wherever it seeks, and each can return to the present") {
  std::mt19937 random(7);
  Match match;
  Audience audience(match, 10 * kSecond);
  while (match.now() < 20 * kSecond) {
    match.step();
    audience.pass();
  }
  const std::vector<std::string> orders = {"/seek 0",   "/seek 1:00",  "/seek +9", "/seek -5",
                                           "/speed 16", "/speed 1",    "/pause",   "/play",
                                           "/live",     "/seek 99:00", "/next",    "/previous"};
  for (int i = 0; i < 8; ++i) audience.watch();
  for (int i = 0; i < 1'500; ++i) {
    match.step();
    if (random() % 60 == 0) match.kill();
    audience.pass();
    if (i % 3 == 0) audience.say(random() % audience.all.size(), orders[random() % orders.size()]);
    if (i % 200 == 0) audience.watch();
    if (i == 700) match.begin("bob");
    for (const Seen& seen : audience.all) REQUIRE(known(seen) + 10 * kSecond <= match.now());
  }
  for (std::size_t i = 0; i < audience.all.size(); ++i) {
    audience.say(i, "/live");
    CHECK_FALSE(heard(audience.all[i], "secret"));
  }
  for (int i = 0; i < 100; ++i) {
    match.step();
    audience.pass();
  }
  for (const Seen& seen : audience.all) {
    CHECK(known(seen) + 10 * kSecond + 6 * kStep >= match.now());
    bool knows_bob = false;
    for (const auto& [id, state] : seen.world.players()) {
      CHECK(state.player.name() != "anna");
      knows_bob |= state.player.name() == "bob";
    }
    CHECK(knows_bob);
  }
}

TEST_CASE("who goes back to the present of a broadcast stays there: it plays, at the speed of the match") {
  for (const std::string order : {"/speed 0.25", "/pause"}) {
    CAPTURE(order);
    Match match;
    Audience audience(match, 0);
    for (int i = 0; i < 50; ++i) match.step(), audience.pass();
    const Seen& seen = audience.watch();
    audience.say(0, order);
    for (int i = 0; i < 200; ++i) match.step(), audience.pass();
    CHECK(known(seen) + kSecond < match.now());
    audience.say(0, "/live");
    for (int i = 0; i < 200; ++i) match.step(), audience.pass();
    CHECK(known(seen) + 6 * kStep >= match.now());
  }
}

TEST_CASE("a reader of a broadcast can go up to what may be seen by now, and not further") {
  constexpr Micros kDelay = 10 * kSecond;
  Match match;
  const auto view = match.broadcast->view(See::kPublic, kDelay);
  while (match.now() < 20 * kSecond) match.step();
  const auto reader = view->reader();
  WorldState world;
  const Micros end = match.now() - kDelay;
  CHECK(reader->seek(end, world).ok());
  CHECK(world.units().begin()->second.unit.pose().x() == static_cast<double>(end / kStep));
  CHECK_FALSE(reader->seek(end + 1, world).ok());
}

TEST_CASE(
    "a reader of a broadcast that goes elsewhere continues there, also if it has looked at its next fact before") {
  Match match;
  const auto view = match.broadcast->view(See::kPublic, 0);
  while (match.now() < 20 * kSecond) match.step();
  const auto reader = view->reader();
  WorldState world;
  for (const Micros place : {5 * kSecond, 10 * kSecond, 5 * kSecond}) {
    REQUIRE(reader->seek(place, world).ok());
    CHECK(reader->next_at() == place + kStep);
    CHECK_FALSE(reader->next_is_other_session());
  }
  CHECK(reader->next().at == 5 * kSecond + kStep);
}

TEST_CASE("who comes before a broadcast begins is told when it does, and can count down to it") {
  constexpr Micros kDelay = 100 * kSecond;
  Match match;
  Audience audience(match, kDelay);
  const auto pass = [&](Micros time) {
    for (const Micros until = match.now() + time; match.now() < until;) match.step(), audience.pass();
  };
  const auto told = [](const Seen& seen) {
    std::vector<std::string> all;
    for (const Fact& fact : seen.heard) {
      if (const auto* refused = as<words::Refused>(fact)) all.push_back(refused->text());
      if (const auto* rule = as<words::Rule>(fact)) all.push_back(rule->name() + " " + rule->value());
    }
    return all;
  };
  const Seen& first = audience.watch();
  audience.pass();
  CHECK(told(first) == std::vector<std::string>{"the broadcast has not begun; try again in a while"});
  match.step();  // there is a world now: the delay begins
  const Micros begins = match.now() + kDelay - audience.opened;
  pass(kSecond);
  REQUIRE(told(first).size() == 2);
  const std::string rule = told(first).back();
  REQUIRE(rule.starts_with("begins_us "));
  const Micros said = std::stoull(rule.substr(rule.find(' ') + 1));
  CHECK(std::max(said, begins) - std::min(said, begins) < kSecond);
  pass(34 * kSecond);
  const Seen& second = audience.watch();
  audience.pass();
  CHECK(told(second) == std::vector<std::string>{rule, "the broadcast begins in 1:05; try again then"});
  pass(66 * kSecond);
  CHECK(told(first).size() == 2);
  const Seen& third = audience.watch();
  audience.pass();
  CHECK(std::any_of(third.heard.begin(), third.heard.end(), [](const Fact& fact) { return as<words::Ready>(fact); }));
  CHECK(known(first) < match.now() - kDelay + kSecond);
}

TEST_CASE("/next and /previous find only kills that may be seen by now") {
  constexpr Micros kDelay = 10 * kSecond;
  Match match;
  Audience audience(match, kDelay);
  const auto pass = [&](Micros time, bool kills = false) {
    const Micros until = match.now() + time;
    while (match.now() < until) match.step(), audience.pass();
    if (kills) match.kill();
  };
  pass(20 * kSecond, true);
  pass(10 * kSecond, true);
  pass(5 * kSecond, true);
  pass(5 * kSecond);  // 40 s: kills at 20 s and at 30 s may be seen
  Seen& seen = audience.watch();
  // Where a command leads, in seconds; -1: there is no such kill.
  const auto place = [&](const char* order) {
    seen.heard.clear();
    audience.say(0, order);
    pass(kSecond / 2);
    if (heard(seen, "no kill there")) return -1;
    for (const Fact& fact : seen.heard)
      if (const auto* clock = as<words::Clock>(fact); clock != nullptr && clock->speed() != 0)
        return static_cast<int>(clock->us() / kSecond);
    return -2;
  };
  audience.say(0, "/pause");
  pass(kSecond);
  CHECK(place("/next") == -1);      // the kill at 35 s may be seen after 45 s
  CHECK(place("/previous") == 18);  // the one at 30 s was seen just now
  CHECK(place("/previous") == -1);
  CHECK(place("/next") == 28);
  CHECK(place("/next") == -1);
  pass(5 * kSecond);
  CHECK(place("/next") == 33);
  place("/follow anna");
  CHECK(place("/previous") == 28);
  match.begin("bob");  // another match has other ids
  pass(kDelay + kSecond, true);
  const auto last = static_cast<int>(match.now() / kSecond);
  pass(kDelay + kSecond);
  CHECK(place("/next") == 33);
  CHECK(place("/next") == -1);
  place("/follow");
  CHECK(place("/next") == last - 2);
  // Also by native's words.
  place("/seek 0");
  CHECK(place("kill") == 18);
  // After the rewind there are no kills.
  pass(Broadcast::kRewind + 30 * kSecond);
  CHECK(place("/previous") == -1);
}

TEST_CASE("a paused viewer stays where it is until that time is forgotten, and then continues at the new beginning") {
  Match match;
  Audience audience(match, 0);
  for (int i = 0; i < 100; ++i) match.step();
  audience.pass();
  const Seen& seen = audience.watch();
  audience.say(0, "/pause");
  for (int i = 0; i < 30; ++i) match.step(), audience.pass();
  const Micros there = known(seen);
  CHECK(there < match.now() - 25 * kStep);
  for (Micros passed = 0; passed < Broadcast::kRewind + 60 * kSecond; passed += kStep) match.step();
  audience.pass();
  CHECK(known(seen) == there);
  audience.say(0, "/play");
  for (int i = 0; i < 20; ++i) match.step(), audience.pass();
  CHECK(known(seen) > match.now() - Broadcast::kRewind - 20 * kSecond);
  CHECK(known(seen) < match.now() - Broadcast::kRewind + 20 * kSecond);
}

TEST_CASE("a viewer with a long delay misses nothing because another broadcast of the match has a short one") {
  constexpr Micros kDelay = Broadcast::kRewind + 60 * kSecond;
  Match match;
  Audience late(match, kDelay);
  const auto early = match.broadcast->view(See::kPublic, 0);
  while (match.now() < kDelay + 10 * kSecond) match.step();
  late.pass();
  const Seen& seen = late.watch();
  for (int i = 0; i < 100; ++i) {
    match.step();
    late.pass();
    REQUIRE(known(seen) + kDelay <= match.now());
  }
  CHECK(known(seen) + kDelay + 6 * kStep >= match.now());
}

TEST_CASE("a reader gets the fact whose time it was told, also if that time is forgotten meanwhile") {
  Match match;
  const auto view = match.broadcast->view(See::kPublic, 0);
  match.step();
  const auto reader = view->reader();
  WorldState world;
  REQUIRE(reader->seek(match.now(), world).ok());
  match.step();
  const auto at = reader->next_at();
  REQUIRE(at == match.now());
  CHECK_FALSE(reader->next_is_other_session());
  for (int i = 0; i < 2; ++i) {
    match.nanos += Broadcast::kRewind * 1'000;
    match.step();
  }
  REQUIRE(reader->first() > *at);
  CHECK_FALSE(reader->next_is_other_session());
  const Fact fact = reader->next();
  CHECK(fact.at == *at);
  CHECK(as<words::Pose>(fact) != nullptr);
  CHECK(reader->next_at() == reader->first());
  CHECK(reader->next_is_other_session());
}

TEST_CASE("a reader at the oldest moment goes on while another thread tells and forgets") {
  Match match;
  const auto view = match.broadcast->view(See::kPublic, 0);
  match.step();
  const auto reader = view->reader();
  WorldState world;
  REQUIRE(reader->seek(match.now(), world).ok());
  std::atomic<bool> over{false};
  std::thread room([&] {
    for (int i = 0; i < 1'000; ++i) {
      match.nanos += Broadcast::kRewind * 1'000;
      match.step();                                      // forgets the oldest chunk
      for (int k = 0; k < 20; ++k) match.say("a line");  // of which the reader may have read some
    }
    over = true;
  });
  Micros last = 0;
  bool in_order = true;
  const auto read = [&] {
    while (const auto at = reader->next_at()) {
      if (reader->next_is_other_session()) return void(reader->seek(reader->first(), world).ok());
      const Fact fact = reader->next();
      in_order &= fact.at == *at && *at >= last;
      last = *at;
    }
  };
  while (!over) read();
  room.join();
  CHECK(in_order);
}

/// A busy match, with little memory for it.
struct Busy {
  explicit Busy(std::size_t most_bytes)
      : match(relay::BroadcastOptions{
            .rewind_bytes = 10'000, .most_bytes = most_bytes, .overflowed = [this] { ++overflows; }}),
        audience(match, kDelay) {}
  void pass(Micros time) {
    for (const Micros until = match.now() + time; match.now() < until;) match.step(), audience.pass();
  }
  static constexpr Micros kDelay = 60 * kSecond;
  int overflows = 0;
  Match match;
  Audience audience;
};

TEST_CASE("a busy match is seen after its delay, also if what happens in it is more than is kept for going back") {
  Busy busy(100'000'000);
  busy.pass(Busy::kDelay + 30 * kSecond);
  const Seen& seen = busy.audience.watch();
  for (int i = 0; i < 500; ++i) {
    busy.pass(kStep);
    REQUIRE(known(seen) + Busy::kDelay <= busy.match.now());
  }
  CHECK(known(seen) + Busy::kDelay + 6 * kStep >= busy.match.now());
  CHECK(busy.audience.view->fragments());
  const Micros oldest = busy.audience.view->reader()->first(), end = busy.audience.view->end_time();
  CHECK(oldest + Broadcast::kLeastRewind <= end);
  CHECK(oldest + Broadcast::kLeastRewind + 6 * kSecond > end);
  CHECK(busy.overflows == 0);
}

TEST_CASE("if memory does not hold the delay of a broadcast, viewers are told, until it does") {
  constexpr const char* kWhy = "the broadcast stands still, because too much happens";
  Busy busy(80'000);
  Audience& audience = busy.audience;
  while (busy.match.now() < 100 * kSecond) {
    busy.match.nanos += 1'000'000'000;
    busy.pass(kStep);
  }
  const Seen& first = audience.watch();
  busy.pass(10 * kSecond);
  CHECK(known(first) > 40 * kSecond);
  CHECK_FALSE(heard(first, kWhy));
  CHECK(busy.overflows == 0);
  busy.pass(120 * kSecond);
  CHECK(busy.overflows == 1);
  CHECK(audience.view->overflows());
  CHECK_FALSE(audience.view->begins_in());
  CHECK_FALSE(audience.view->fragments());
  const auto told = [&](const Seen& seen) {
    return std::count_if(seen.heard.begin(), seen.heard.end(), [&](const Fact& fact) {
      const auto* said = as<words::Said>(fact);
      const auto* refused = as<words::Refused>(fact);
      return (said != nullptr && said->text().starts_with(kWhy)) ||
             (refused != nullptr && refused->text().starts_with(kWhy));
    });
  };
  CHECK(told(first) == 1);
  const Seen& second = audience.watch();
  audience.pass();
  CHECK(told(second) == 1);
  const Micros there = known(first);
  for (int i = 0; i < 140; ++i) {  // little happens
    busy.match.nanos += 1'000'000'000;
    busy.pass(kStep);
  }
  CHECK_FALSE(audience.view->overflows());
  CHECK(known(first) > there + 60 * kSecond);
  const Seen& late = audience.watch();
  busy.pass(kSecond);
  CHECK(known(late) > there);
  CHECK(busy.overflows == 1);
}

TEST_CASE("a broadcast needs no more memory than its audiences do, also when one with a longer delay has gone") {
  Match match(relay::BroadcastOptions{.rewind_bytes = 10'000, .most_bytes = 100'000'000});
  const auto stays = match.broadcast->view(See::kPublic, 0);
  auto goes = match.broadcast->view(See::kPublic, 60 * kSecond);
  const auto pass = [&] {
    for (const Micros until = match.now() + 100 * kSecond; match.now() < until;) match.step();
    return match.now() - stays->reader()->first();
  };
  CHECK(pass() > 60 * kSecond);
  goes.reset();
  CHECK(pass() < 30 * kSecond);
}

TEST_CASE("casters get team chat at once, and the public never does") {
  Match match;
  Audience casters(match, 0, See::kTeams), everybody(match, 2 * kSecond);
  match.step();
  casters.pass();
  everybody.pass();
  const Seen& caster = casters.watch();
  for (int i = 0; i < 200; ++i) {
    match.step();
    casters.pass();
    everybody.pass();
    if (i == 110) everybody.watch();
  }
  CHECK(heard(caster, "[red] secret"));
  CHECK(known(everybody.all[0]) > 0);
  CHECK_FALSE(heard(everybody.all[0], "secret"));
}

TEST_CASE("a fragment is available when it is over and its delay has passed, and then never changes") {
  Match match;
  const auto view = match.broadcast->view(See::kPublic, 7 * kSecond);
  match.tell(words::Notice());
  std::map<std::uint64_t, std::size_t> had;
  for (int i = 0; i < 3'000; ++i) {
    match.step();
    const auto range = view->fragments();
    if (!range) {
      CHECK(match.now() < 10 * kSecond);
      continue;
    }
    const Micros begins = *match.broadcast->begin_of(range->newest);
    REQUIRE(begins + Broadcast::kFragment + 7 * kSecond <= match.now());
    CHECK(begins + 2 * Broadcast::kFragment + 8 * kSecond > match.now());
    const std::size_t facts = view->fragment(range->newest)->size();
    CHECK(had.try_emplace(range->newest, facts).first->second == facts);
    WorldState world;
    REQUIRE(view->world_before(range->oldest, world).ok());
    CHECK(world.ready());
    CHECK_FALSE(view->world_before(range->newest + 5, world).ok());
  }
  CHECK(had.size() > 20);
  CHECK(had.begin()->first >= kUnixMicros / Broadcast::kFragment);
}

TEST_CASE("a fragment whose beginning is forgotten meanwhile is not given out") {
  Match match;
  const auto view = match.broadcast->view(See::kPublic, 0);
  while (match.now() < 30 * kSecond) match.step();
  const auto range = view->fragments();
  REQUIRE(range);
  CHECK(view->fragment(range->oldest));
  match.nanos += (Broadcast::kRewind - 10 * kSecond) * 1'000;
  match.step();
  match.step();
  REQUIRE(view->reader()->first() > *match.broadcast->begin_of(range->oldest));
  CHECK_FALSE(view->fragment(range->oldest));
  CHECK(view->fragment(range->newest));
}

TEST_CASE("what a room tells that another one has followed is not kept, and its world is not wanted") {
  Match match;
  const auto view = match.broadcast->view(See::kPublic, 0);
  match.step();
  const std::uint64_t old = match.source_id;
  match.begin("bob");
  CHECK(match.source_id != old);
  const auto owes = [&](std::uint64_t source) { return match.broadcast->owes_world(source, match.nanos); };
  match.nanos += 20'000'000'000;
  CHECK(owes(match.source_id));
  CHECK_FALSE(owes(old));
  WorldState other;
  words::Player player;
  player.set_id(9);
  player.set_name("ghost");
  other.fold(player);
  other.fold(words::Ready());
  match.broadcast->tell(old, other, 0, match.nanos);
  match.step();
  words::Said said;
  said.set_text("from the grave");
  match.broadcast->tell(old, said, match.nanos);
  const auto reader = view->reader();
  WorldState world;
  REQUIRE(reader->seek(match.now(), world).ok());
  for (const auto& one : world.players()) CHECK(one.second.player.name() == "bob");
  CHECK(world.players().size() == 1);
  const auto range_end = match.broadcast->fragment_of(match.now());
  match.nanos += 4'000'000'000;
  match.step();
  const auto facts = view->fragment(range_end);
  REQUIRE(facts);
  for (const Fact& fact : *facts) {
    const auto* one = as<words::Said>(fact);
    CHECK((one == nullptr || one->text() != "from the grave"));
  }
}

TEST_CASE("a broadcast is kept as long as somebody wants it, whoever of them goes first") {
  Match match;
  auto first = match.broadcast->view(See::kPublic, 0), second = match.broadcast->view(See::kPublic, 0);
  auto casters = match.broadcast->view(See::kTeams, 0);
  match.step();
  first.reset();
  CHECK(match.broadcast->wanted());
  CHECK(second->begins_in() == 0);
  second.reset();
  CHECK(match.broadcast->wanted());
  CHECK(casters->begins_in() == 0);
  second = match.broadcast->view(See::kPublic, 0);
  CHECK_FALSE(second->begins_in());  // it begins anew, with a world that is yet to come
  match.step();
  CHECK(second->begins_in() == 0);
  casters.reset();
  CHECK(match.broadcast->wanted());
  second.reset();
  CHECK_FALSE(match.broadcast->wanted());
}

TEST_CASE("a viewer that comes before any room gets the first one") {
  std::uint64_t nanos = 5'000'000'000;
  const auto broadcast = std::make_shared<Broadcast>([&] { return nanos; }, kUnixMicros);
  const auto view = broadcast->view(See::kPublic, 0);
  CHECK_FALSE(view->begins_in());
  CHECK_FALSE(view->fragments());
  WorldState world;
  world.fold(words::Ready());
  const std::uint64_t room = broadcast->begin();
  CHECK(broadcast->owes_world(room, nanos));
  broadcast->tell(room, world, 0, nanos);
  CHECK_FALSE(broadcast->owes_world(room, nanos));
  CHECK(view->begins_in() == 0);
}

TEST_CASE("until its delay has passed, a view has nothing: no moment, no kill, no fragment, no world") {
  constexpr Micros kDelay = 10 * kSecond;
  Match match;
  const auto view = match.broadcast->view(See::kPublic, kDelay);
  match.step();
  match.kill();
  const Micros first = match.now();
  CHECK(view->begins_in() == kDelay);
  const auto reader = view->reader();
  const auto kills = [&] {
    int found = 0;
    view->visit_kills([&](const Moment&) { return ++found, true; });
    return found;
  };
  WorldState world;
  CHECK(view->delay() == kDelay);
  match.nanos += (kDelay - kStep - 1) * 1'000;
  match.tell(words::Notice());
  CHECK(match.now() == kDelay - 1);
  CHECK(view->end_time() == 0);
  CHECK_FALSE(reader->seek(0, world).ok());
  CHECK(kills() == 0);
  CHECK_FALSE(view->fragments());
  CHECK(view->begins_in() == first + 1);
  match.nanos += (first + 1) * 1'000;
  CHECK(view->begins_in() == 0);
  CHECK(view->end_time() == first);
  CHECK(kills() == 1);
  CHECK(reader->seek(first, world).ok());
  match.nanos += kSecond * 1'000;
  CHECK(view->begins_in() == 0);
}

TEST_CASE("fragments are numbered by the time of day, and a number outside of the broadcast is none") {
  Match match;
  const Broadcast& all = *match.broadcast;
  const std::uint64_t first = kUnixMicros / Broadcast::kFragment;
  CHECK(all.fragment_of(0) == first);
  CHECK(all.fragment_of(Broadcast::kFragment - 1) == first);
  CHECK(all.fragment_of(Broadcast::kFragment) == first + 1);
  CHECK(all.begin_of(first) == Micros{0});
  CHECK(all.begin_of(first + 3) == 3 * Broadcast::kFragment);
  CHECK_FALSE(all.begin_of(first - 1));
  CHECK_FALSE(all.begin_of(UINT64_MAX));
  CHECK_FALSE(all.begin_of(0));
  const auto view = match.broadcast->view(See::kPublic, 0);
  match.step();
  WorldState world;
  for (const std::uint64_t none : {std::uint64_t{0}, first - 1, UINT64_MAX}) {
    CHECK_FALSE(view->fragment(none));
    CHECK_FALSE(view->world_before(none, world).ok());
  }
}

TEST_CASE("the world before a fragment is there as soon as the fragment may begin to be seen, and not earlier") {
  constexpr Micros kDelay = 3 * kSecond;
  Match match;
  const auto view = match.broadcast->view(See::kPublic, kDelay);
  while (match.now() < 9 * kSecond) match.step();
  const std::uint64_t third = match.broadcast->fragment_of(6 * kSecond);
  WorldState world;
  CHECK(view->world_before(third, world).ok());
  match.nanos -= 1'000;
  CHECK_FALSE(view->world_before(third, world).ok());
  CHECK(view->world_before(third - 1, world).ok());
}

TEST_CASE(
    "a fragment of which only the end is kept is not the oldest; the one in which the present is, is not the newest") {
  Match match;
  const auto view = match.broadcast->view(See::kPublic, 0);
  const std::uint64_t first = match.broadcast->fragment_of(0);
  while (match.now() < 2 * Broadcast::kFragment + kSecond) match.step();
  CHECK(view->reader()->first() > 0);
  const auto range = view->fragments();
  REQUIRE(range);
  CHECK(range->oldest == first + 1);
  CHECK(range->newest == first + 1);
  CHECK_FALSE(view->fragment(first));
}

TEST_CASE("without viewers nothing is kept") {
  Match match;
  CHECK_FALSE(match.broadcast->wanted());
  auto view = match.broadcast->view(See::kPublic, 0);
  CHECK(match.broadcast->wanted());
  view.reset();
  CHECK_FALSE(match.broadcast->wanted());
}

}  // namespace
}  // namespace entente::broadcast_test
