// A clock for each viewer: viewers do not affect each other's time. What a viewer receives follows from the recording
// and the times that it saw.
#include <doctest/doctest.h>

#include <random>

#include "proxy/core/drops.h"
#include "proxy/core/replay/fact_library.h"
#include "proxy/core/replay/resync_phase.h"
#include "proxy/core/replay/viewer_orders.h"
#include "tests/core/replay/replay_show.h"

namespace entente::testing::replay_clocks_test {

using namespace replay_show;

namespace {

Replay::Options own(Micros at = 0) {
  Replay::Options options;
  options.at = at;
  options.one_clock = false;
  return options;
}

RoomOptions talkative() {
  RoomOptions options = shared();
  options.chat.commands = true;
  options.chat.burst = 1'000;
  return options;
}

struct Own : Show {
  explicit Own(const std::vector<Fact>& facts, const Replay::Options& options = own())
      : Show(facts, options, talkative()) {}
  /// A viewer and its id.
  std::pair<Seen*, Id> enter(const char* network = "") {
    Seen& seen = watch(network);
    return {&seen, last};
  }
};

/// Lines from the server.
std::vector<std::string> lines(const Seen& seen, std::size_t from = 0) {
  std::vector<std::string> all;
  for (std::size_t i = from; i < seen.heard.size(); ++i)
    if (const auto* told = as<words::Said>(seen.heard[i]); told != nullptr && told->from() == 0 && told->name().empty())
      all.push_back(told->text());
  return all;
}

/// How often the viewer's clock was moved.
int resyncs(const Seen& seen) {
  ResyncPhase phase;
  int all = 0;
  for (const Fact& fact : seen.heard) {
    const bool before = static_cast<bool>(phase);
    phase.hear(fact);
    all += phase && !before ? 1 : 0;
  }
  return all;
}

bool is_event(const Fact& fact) {
  return as<words::Died>(fact) || as<words::Spawned>(fact) || as<words::TokenTaken>(fact) ||
         as<words::TokenDropped>(fact) || as<words::TokenCaptured>(fact);
}

/// The same event, ids aside.
std::string event_text(const Fact& fact) {
  const auto* spawned = as<words::Spawned>(fact);
  return std::string(name_of(fact)) + (spawned != nullptr ? " " + number(spawned->pose().x()) : "");
}

/// What a viewer should have received, computed from the facts of the recording and the viewer's clock.
struct Oracle {
  const std::vector<Fact>& facts;

  /// Compares the events that the viewer received with the expected ones until `now`. Returns how many.
  std::size_t check(const Seen& seen, Micros now) const {
    std::vector<std::string> heard, due;
    ResyncPhase resync;
    std::optional<words::Clock> runs;
    Micros since = 0;
    const auto see = [&](Micros until) {
      if (!runs || runs->paused()) return;
      const Micros end = runs->us() + static_cast<Micros>(static_cast<double>(until - since) * runs->speed());
      for (const Fact& fact : facts)
        if (is_event(fact) && fact.at > runs->us() && fact.at <= end) due.push_back(event_text(fact));
      runs.reset();
    };
    for (const Fact& fact : seen.heard) {
      resync.hear(fact);
      CHECK_FALSE((is_event(fact) && resync));
      if (is_event(fact)) heard.push_back(event_text(fact));
      const auto* clock = as<words::Clock>(fact);
      if (clock == nullptr) continue;
      see(fact.at);
      if (!resync) runs = *clock;
      since = fact.at;
    }
    see(now);
    CHECK(heard == due);
    return heard.size();
  }
};

}  // namespace

TEST_CASE("each viewer starts at the beginning and has its own time") {
  Own show(drive());
  const auto [first, one] = show.enter();
  show.pass(2 * kSecond);
  const auto [second, two] = show.enter();
  CHECK(x_of(second->world) == 0);
  show.pass(kSecond);
  CHECK(x_of(first->world) == 35);
  CHECK(x_of(second->world) == 15);
  CHECK(show.standing.now.clocks == 2);
  show.says(one, "/pause");
  show.pass(kSecond);
  CHECK(x_of(first->world) == 35);
  CHECK(speed_of(first->world) == 0);
  CHECK(x_of(second->world) == 25);
  show.says(one, "/seek 0:08");
  CHECK(x_of(first->world) == 80);
  show.says(two, "/speed 2");
  show.pass(kSecond);
  CHECK(x_of(first->world) == 80);
  CHECK(x_of(second->world) == 45);
  CHECK(speed_of(second->world) == 20);
  show.says(one, "/seek -3");
  CHECK(x_of(first->world) == 50);
  show.says(one, "/play");
  show.pass(kSecond);
  CHECK(x_of(first->world) == 60);
}

TEST_CASE("equal clocks are one clock until a viewer moves its own") {
  Own show(drive());
  const auto [first, one] = show.enter();
  const auto [second, two] = show.enter();
  CHECK(show.standing.now.clocks == 1);
  CHECK(show.standing.now.watchers == 2);
  CHECK(second->world.player(one) == nullptr);
  show.pass(kSecond);
  show.says(two, "/pause");
  show.pass(kSecond);
  CHECK(show.standing.now.clocks == 2);
  CHECK(first->world.player(two) == nullptr);
  CHECK(second->world.player(one) == nullptr);
  CHECK(second->world.player(two) != nullptr);
  CHECK(x_of(first->world) == 25);
  CHECK(x_of(second->world) == 15);
  show.says(one, "/pause");
  for (const Id id : {one, two}) show.says(id, "/seek 4");
  show.pass(kSecond);
  CHECK(show.standing.now.clocks == 1);
  CHECK(text(first->world, show.now) == text(second->world, show.now));
  CHECK(first->world.player(two) == nullptr);
  CHECK(first->world.player(one) != nullptr);
  CHECK(second->world.player(two) != nullptr);
  CHECK(first->of_others.empty());
  CHECK(second->of_others.empty());
  CHECK(show.room->world_seen_by(one).player(two) != nullptr);
  show.room->gone(one, "left", show.now);
  show.room->gone(two, "left", show.now);
  show.pass(kSecond);
  CHECK(show.standing.now.clocks == 0);
  CHECK_FALSE(show.room->over());
}

TEST_CASE("a viewer that leaves a shared clock gets its new moment without events") {
  Own show(busy(4));
  show.enter();
  const auto [viewer, two] = show.enter();
  show.pass(5 * kSecond);
  REQUIRE(show.standing.now.clocks == 1);
  const auto before = static_cast<std::ptrdiff_t>(viewer->heard.size());
  show.says(two, "/seek 30");
  CHECK(show.standing.now.clocks == 2);
  ResyncPhase resync;
  const auto begun = std::find_if(viewer->heard.begin() + before, viewer->heard.end(), [&](const Fact& fact) {
    resync.hear(fact);
    return static_cast<bool>(resync);
  });
  REQUIRE(begun != viewer->heard.end());
  CHECK(std::none_of(viewer->heard.begin() + before, begun,
                     [](const Fact& fact) { return as<words::Unit>(fact) != nullptr; }));
}

TEST_CASE("a viewer that joins another clock gets the moment of that clock without events") {
  Own show(busy(4));
  const auto [first, one] = show.enter();
  const auto [viewer, two] = show.enter();
  show.pass(5 * kSecond);
  for (const char* order : {"/pause", "/seek 30"}) show.says(one, order);
  show.says(two, "/pause");
  REQUIRE(show.standing.now.clocks == 2);
  const auto before = static_cast<std::ptrdiff_t>(viewer->heard.size());
  show.says(two, "/seek 30");
  REQUIRE(show.standing.now.clocks == 1);
  ResyncPhase resync;
  std::size_t told = 0;
  for (auto fact = viewer->heard.begin() + before; fact != viewer->heard.end(); ++fact) {
    resync.hear(*fact);
    if (as<words::Unit>(*fact) == nullptr) continue;
    CHECK(resync);
    ++told;
  }
  CHECK(told > 0);
}

TEST_CASE("a viewer that joins another clock gets an event of the same tick as an event, not as earlier state") {
  auto facts = drive();
  const auto unit = std::find_if(facts.begin(), facts.end(), [](const Fact& fact) { return as<words::Unit>(fact); });
  REQUIRE(unit != facts.end());
  words::Spawned spawned;
  spawned.set_unit(as<words::Unit>(*unit)->id());
  const Micros ready =
      std::find_if(facts.begin(), facts.end(), [](const Fact& fact) { return as<words::Ready>(fact); })->at;
  for (Micros late = 5 * kMillisecond; late < kSecond; late += 5 * kMillisecond)
    facts.push_back(at(ready + late, spawned));
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& one, const Fact& other) { return one.at < other.at; });
  Own show(facts);
  const auto busy_for = [&](int ticks) {  // each tick late
    for (int i = 0; i < ticks; ++i) show.room->tick(show.now += 20 * kMillisecond);
  };
  Seen &first = show.all_seen.emplace_back(), &second = show.all_seen.emplace_back();
  show.room->seat(std::make_unique<Viewer>(first), {}, show.now);
  busy_for(3);
  show.now += 15 * kMillisecond;  // the first viewer's clock is already late
  show.room->seat(std::make_unique<Viewer>(second), {}, show.now);
  busy_for(20);
  CHECK(show.standing.now.clocks == 1);
  ResyncPhase resync;
  std::size_t events = 0;
  for (const Fact& fact : second.heard) {
    resync.hear(fact);
    CHECK_FALSE((is_event(fact) && resync));
    events += is_event(fact) ? 1 : 0;
  }
  CHECK(events > 20);
}

TEST_CASE("what viewers know and receive follows from the recording, whatever they and others do") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const auto facts = busy(seed);
    Own show(facts);
    std::mt19937 dice(seed);
    std::vector<std::pair<Seen*, Id>> viewers{show.enter(), show.enter()};
    std::size_t events = 0;
    show.pass(300 * kMillisecond);
    viewers.push_back(show.enter());
    for (int i = 0; i < 60; ++i) {
      const auto& [seen, id] = viewers[dice() % viewers.size()];
      const auto what = dice() % 6, number = dice() % 55;
      if (what == 0) show.says(id, "/pause");
      if (what == 1) show.says(id, "/play");
      if (what == 2) show.says(id, number % 2 != 0 ? "/speed 2" : "/speed 0.5");
      if (what == 3) show.says(id, "/next");
      if (what > 3) show.says(id, "/seek " + std::to_string(number));
      show.pass(kMillisecond * (dice() % 900));
    }
    for (const auto& [seen, id] : viewers) {
      show.says(id, "/play");
      show.says(id, "/speed 1");
      show.says(id, "/seek 20");
      show.pass(kSecond);
      events += Oracle{facts}.check(*seen, show.now);
    }
    CHECK(events > 50);
    show.pass(kSecond);
    for (const auto& [seen, id] : viewers) {
      show.says(id, "/pause");
      show.pass(kSecond);
      const auto* clock = [&viewer = seen] {
        const words::Clock* found = nullptr;
        for (const Fact& fact : viewer->heard)
          if (const auto* one = as<words::Clock>(fact)) found = one;
        return found;
      }();
      REQUIRE(clock != nullptr);
      Replay::Options there;
      there.at = clock->us();
      there.paused = true;
      Show other(facts, there);
      other.now = show.now;
      CHECK(text(seen->world, show.now) == text(other.watch().world, other.now));
    }
  }
}

TEST_CASE("commands are answered to their sender alone") {
  Own show(drive());
  const auto [first, one] = show.enter();
  const auto [second, two] = show.enter();
  show.pass(kSecond);
  const auto ask = [&, seen = first, id = one](const char* line) {
    const std::size_t before = seen->heard.size();
    show.says(id, line);
    show.pass(250 * kMillisecond);
    const auto all = lines(*seen, before);
    return all.empty() ? std::string("nothing") : all.back();
  };
  CHECK(ask("/time") == "0:01 of 0:10");
  CHECK(ask("/seek 1:00") == "the recording is over; /play plays it again");
  CHECK(ask("/seek 0:04") == "0:04 of 0:10, speed 1");
  CHECK(ask("/speed 0.5") == "0:04 of 0:10, speed 0.5");
  CHECK(ask("/pause") == "0:04 of 0:10, paused");
  const std::size_t before = first->heard.size();
  CHECK(ask("/help").starts_with("/next, /previous"));
  CHECK(lines(*first, before) == std::vector<std::string>{chat_help_of_time(), chat_help()});
  CHECK(ask("/speed 17") == "the speed is 0.25 to 16, for example /speed 2");
  CHECK(ask("/seek soon") == "a time is written like /seek 1:20, /seek 80, /seek +10 or /seek -10");
  CHECK(ask("/dance") == "no such command; /help lists them");
  CHECK(ask("/next") == "no kill there");
  CHECK(ask("/follow P1") == "following p1: /next goes to kills of this player");
  CHECK(ask("/follow P") == "following p1: /next goes to kills of this player");
  CHECK(ask("/follow x") == "nobody here has that name");
  CHECK(ask("/follow") == "following nobody");
  CHECK(lines(*second).empty());
  show.says(one, "look at that");
  CHECK(as<words::Said>(second->heard.back())->name() == "viewer");
  CHECK(as<words::Said>(second->heard.back())->text() == "look at that");
}

TEST_CASE("a viewer follows the player whose whole name it gives, else the only one whose name begins so") {
  auto facts = drive();
  facts.push_back(at(0, player(12)));
  facts.push_back(at(0, player(13)));
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& a, const Fact& b) { return a.at < b.at; });
  Own show(facts);
  const auto [viewer, id] = show.enter();
  const auto ask = [&, seen = viewer, me = id](const char* line) {
    const std::size_t before = seen->heard.size();
    show.says(me, line);
    const auto all = lines(*seen, before);
    return all.empty() ? std::string("nothing") : all.back();
  };
  CHECK(ask("/follow p") == "several players have names like that");
  CHECK(ask("/follow P1").starts_with("following p1:"));
  CHECK(ask("/follow p13").starts_with("following p13:"));
  CHECK(ask("/follow viewer") == "nobody here has that name");
  CHECK(ask("/live") == "this is a recording: nothing is live");
}

TEST_CASE("a view is as slow as a quarter of the recorded speed and as fast as sixteen times, not beyond") {
  for (const char* speed : {"/speed 0.25", "/speed 16"}) CHECK(parse_chat_order(speed).ok());
  for (const char* speed : {"/speed 0.24", "/speed 16.01", "/speed", "/speed -1"})
    CHECK_FALSE(parse_chat_order(speed).ok());
  words::Playback word;
  word.set_speed(0.1);
  CHECK(wish_of(word).speed == 0.25);
  word.set_speed(99);
  CHECK(wish_of(word).speed == 16);
}

TEST_CASE("a jump that a client asks for leads forward or back, but not beyond all recordings") {
  words::Playback word;
  for (const double by : {0.0, 5.0, -5.0, 1e7, -1e7}) {
    word.set_by_s(by);
    CHECK(wish_of(word).by_s == by);
    CHECK(wish_of(word).any() == (by != 0));
  }
  word.set_by_s(1e300);
  CHECK(wish_of(word).by_s == 1e7);
  word.set_by_s(-1e300);
  CHECK(wish_of(word).by_s == -1e7);
}

TEST_CASE("the way back to the present ends a pause, and is not faster") {
  const auto live = parse_chat_order("/live");
  REQUIRE(live.ok());
  CHECK(live->live);
  CHECK(live->wish.speed == 1);
  CHECK(live->wish.paused == false);
}

TEST_CASE("a kill is wished by a word or its beginning; a client's wish that is neither is none") {
  for (const char* line : {"/previous", "/prev"})
    CHECK(parse_chat_order(line)->wish.kill == words::Playback::PREVIOUS_KILL);
  words::Playback word;
  word.set_kill(static_cast<words::Playback::Kill>(99));
  CHECK_FALSE(wish_of(word).any());
}

TEST_CASE("a time in a chat command") {
  const auto at = [](const char* line) {
    const auto order = parse_chat_order(line);
    return order && order->wish.at ? static_cast<std::int64_t>(*order->wish.at) : -1;
  };
  CHECK(at("/seek 80") == 80'000'000);
  CHECK(at("/seek  1:20 ") == 80'000'000);
  CHECK(at("/seek 1:02:05.5") == 3'725'500'000);
  for (const char* wrong : {"/seek", "/seek :", "/seek 1:60", "/seek 1:2:3:4", "/seek nan", "/seek 1e9", "/seek inf",
                            "/seek --5", "/seek 99999999999"})
    CHECK_FALSE(parse_chat_order(wrong).ok());
  CHECK(parse_chat_order("/seek -1:10")->wish.by_s == -70);
}

TEST_CASE("/live is a wish for the present, played at its own speed") {
  const auto order = parse_chat_order("/live");
  REQUIRE(order.ok());
  CHECK(order->live);
  CHECK(order->wish.at == ~Micros{0});
  CHECK(order->wish.speed == 1);
  CHECK(order->wish.paused == false);
}

TEST_CASE("the next kill is one of the recording, or of the followed player if there is one") {
  auto facts = drive();
  facts.push_back(at(0, player(5)));
  for (const auto& [when, who, by] : std::vector<std::tuple<Micros, Id, Id>>{{4, 1, 5}, {6, 5, 0}, {8, 1, 0}}) {
    words::Died died;
    died.set_player(who);
    died.set_killer(by);
    facts.push_back(at(when * kSecond, died));
  }
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& a, const Fact& b) { return a.at < b.at; });
  Own show(facts);
  const auto [seen, id] = show.enter();
  show.says(id, "/pause");
  const auto place = [&, viewer = seen, link = id](const char* line) {
    show.pass(kSecond);
    show.says(link, line);
    show.pass(kSecond);
    return x_of(viewer->world);
  };
  CHECK(place("/next") == 20);
  CHECK(place("/next") == 40);
  CHECK(place("/next") == 60);
  CHECK(place("/next") == 60);
  CHECK(place("/previous") == 40);
  CHECK(place("/seek 0") == 0);
  show.says(id, "/follow p5");
  CHECK(place("/next") == 20);
  CHECK(place("/next") == 40);
  CHECK(place("/next") == 40);
}

TEST_CASE("of a viewer's orders that wait, a place replaces what came before, and jumps count from there") {
  ViewerWish wish;
  const auto add = [&](const char* line) { wish.add(parse_chat_order(line)->wish); };
  for (const char* line : {"/seek +3", "/next", "/seek 4"}) add(line);
  CHECK(wish.at == 4 * kSecond);
  CHECK(wish.by_s == 0);
  CHECK(wish.kill == words::Playback::NO_KILL);
  for (const char* line : {"/seek +10", "/seek -1", "/pause"}) add(line);
  CHECK(wish.at == 4 * kSecond);
  CHECK(wish.by_s == 9);
  CHECK(wish.paused == true);
  add("/next");
  CHECK_FALSE(wish.at.has_value());
  CHECK(wish.by_s == 0);
  CHECK(wish.kill == words::Playback::NEXT_KILL);
  CHECK(wish.paused == true);
}

TEST_CASE("the previous kill of a viewer who has just seen one, or was taken to one, is the one before it") {
  auto facts = drive();
  for (const Micros tenths : {20U, 40U, 43U, 90U, 90U}) {  // two at one time
    words::Died died;
    died.set_player(1);
    facts.push_back(at(tenths * 100 * kMillisecond, died));
  }
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& a, const Fact& b) { return a.at < b.at; });
  Own show(facts);
  const auto [seen, id] = show.enter();
  show.says(id, "/pause");
  const auto place = [&, viewer = seen, link = id](const char* line) {
    show.pass(kSecond);
    show.says(link, line);
    show.pass(kSecond);
    return x_of(viewer->world);  // tenths of a second
  };
  place("/seek 9.5");
  CHECK(place("/previous") == 23);  // the kill at 9.0 was seen half a second ago; the next one is at 4.3
  CHECK(place("/previous") == 20);
  CHECK(place("/previous") == 0);
  CHECK(place("/previous") == 0);  // there is no other
  CHECK(place("/next") == 20);
  CHECK(place("/next") == 23);
  CHECK(place("/next") == 70);
  place("/seek 7");  // more than two seconds after a kill, it is that one
  CHECK(place("/previous") == 23);
  place("/seek 4.2");
  CHECK(place("/previous") == 0);
  place("/seek 4.3");
  CHECK(place("/previous") == 20);  // the one that it sees now does not count
  // While the clock runs: the half second that has passed does not lead back to the same kill.
  place("/seek 9.9");
  place("/previous");
  show.says(id, "/play");
  show.pass(500 * kMillisecond);
  show.says(id, "/previous");
  show.says(id, "/pause");
  show.pass(kSecond);
  CHECK(x_of(seen->world) < 23);
}

TEST_CASE("the way to a next kill that follows shortly leads not back, but on from where the viewer is") {
  auto facts = drive();
  for (const Micros tenths : {40U, 48U}) {
    words::Died died;
    died.set_player(1);
    facts.push_back(at(tenths * 100 * kMillisecond, died));
  }
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& a, const Fact& b) { return a.at < b.at; });
  Own show(facts);
  const auto [seen, id] = show.enter();
  show.says(id, "/next");
  CHECK(x_of(seen->world) == 20);  // two seconds before the first kill
  show.pass(1'500 * kMillisecond);
  show.says(id, "/next");
  CHECK(x_of(seen->world) == 35);  // not two seconds before the second one, which is 28
}

TEST_CASE("a viewer that seeks all the time moves a few times a second and delays no other viewer") {
  Own show(busy(2));
  const auto [flooder, one] = show.enter();
  show.pass(200 * kMillisecond);
  const auto [other, two] = show.enter();
  const int before = resyncs(*flooder), others = resyncs(*other);
  Replay::Options alone;
  Show undisturbed(busy(2), alone);
  undisturbed.now = show.now;
  const Seen& calm = undisturbed.watch();
  for (int i = 0; i < 100; ++i) {
    show.says(one, "flood");  // 100 seeks
    show.pass(10 * kMillisecond);
    undisturbed.pass(10 * kMillisecond);
    CHECK(text(other->world, show.now) == text(calm.world, undisturbed.now));
  }
  const int moved = resyncs(*flooder) - before;
  CHECK(moved >= 5);
  CHECK(moved <= 11);
  CHECK(resyncs(*other) == others);
  std::uint64_t replaced = 0;
  for (const auto& entry : show.room->ledger().entries())
    if (entry.line == &drops::kWishReplaced) replaced = entry.times;
  CHECK(replaced > 9'900);
}

TEST_CASE(
    "networks take turns to move their clocks: a crowd of one network delays others by one move of each network") {
  Own show(busy(2));
  constexpr std::size_t kCrowd = 200;
  std::size_t networks = 1;
  SUBCASE("of one network") {}
  SUBCASE("of 16 networks") { networks = 16; }
  std::vector<std::pair<Seen*, Id>> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i)
    crowd.push_back(show.enter(("192.0.2." + std::to_string(1 + i % networks)).c_str()));
  const auto [honest, id] = show.enter("198.51.100.1");
  show.pass(2 * kSecond);
  const auto moves = [&] {
    int all = 0;
    for (const auto& [seen, viewer] : crowd) all += resyncs(*seen);
    return all;
  };
  const auto want = [&](Id viewer, double place) {
    show.room->received(viewer, {Lane::kStream, as_bytes("/pause")}, show.now);
    show.room->received(viewer, {Lane::kStream, as_bytes("/seek " + std::to_string(place))}, show.now);
  };
  for (std::size_t i = 0; i < kCrowd; ++i) want(crowd[i].second, 1 + static_cast<double>(i) / 4);  // each its own clock
  show.pass(100 * kMillisecond);
  const int before = moves(), own = resyncs(*honest);
  want(id, 55.9);
  for (int i = 0; i < 1'000 && resyncs(*honest) == own; ++i) show.pass(kMillisecond);
  CHECK(resyncs(*honest) > own);
  CHECK(moves() - before <= static_cast<int>(networks) + 2);
  const int others = moves();
  show.pass(kSecond);
  CHECK(moves() > others);  // some were still waiting
}

TEST_CASE("large maps are sent one after another, and other viewers see no delay") {
  auto facts = drive();
  words::World land;
  land.set_voxels(std::string(2U << 20U, 'v'));
  for (Fact& fact : facts)
    if (as<words::World>(fact) != nullptr) fact = at(fact.at, land);
  words::WorldEdit edit;
  edit.mutable_edit()->set_op(words::Edit::DIG);
  facts.push_back(at(3 * kSecond, edit));
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& one, const Fact& other) { return one.at < other.at; });
  Own show(facts);
  constexpr std::size_t kViewers = 10;
  std::vector<std::pair<Seen*, Id>> viewers;
  for (std::size_t i = 0; i <= kViewers; ++i) viewers.push_back(show.enter());
  const auto [other, calm] = viewers.back();
  viewers.pop_back();
  show.says(calm, "/seek 7");
  for (const auto& [seen, id] : viewers) show.says(id, "/seek 5");
  show.pass(kSecond);
  for (const auto& [seen, id] : viewers) show.says(id, "/pause");  // paused clocks differ, however close they are
  show.pass(kSecond);
  for (const auto& [seen, id] : viewers) seen->heard.clear();
  const auto told = [&] {  // whether an edit had to be undone for them
    std::size_t lands = 0;
    for (const auto& [seen, id] : viewers)
      for (const Fact& fact : seen->heard) lands += as<words::World>(fact) != nullptr ? 1 : 0;
    return lands;
  };
  double place = 0.6;
  for (const auto& [seen, id] : viewers) {
    show.room->received(id, {Lane::kStream, as_bytes("/seek " + std::to_string(place))}, show.now);
    place += 0.2;
  }
  show.pass(0);
  CHECK(told() == 4);
  const double before = x_of(other->world);
  show.pass(100 * kMillisecond);
  CHECK(x_of(other->world) == before + 1);
  CHECK(told() == 9);  // one each 20 ms
  show.pass(20 * kMillisecond);
  CHECK(told() == kViewers);
}

TEST_CASE("a clock stops at the end and plays again on command") {
  Own show(drive());
  const auto [seen, id] = show.enter();
  show.pass(20 * kSecond);
  CHECK_FALSE(show.room->over());
  CHECK(lines(*seen) == std::vector<std::string>{"the recording is over; /play plays it again"});
  CHECK(x_of(seen->world) == 100);
  CHECK(speed_of(seen->world) == 0);
  show.says(id, "/play");
  show.pass(kSecond);
  CHECK(x_of(seen->world) == 15);
}

TEST_CASE("a viewer that seeks to an unreadable position is told so") {
  Own show(busy(3));
  const auto [seen, id] = show.enter();
  [[maybe_unused]] const auto [other, two] = show.enter();
  show.tape->tear(30 * kSecond);
  show.says(id, "/seek 50");
  show.pass(kSecond);
  CHECK(lines(*seen).back() == "the recording cannot be read there; go to another time");
  CHECK_FALSE(show.room->over());
  const auto time = [&, seen = seen, id = id] {
    show.says(id, "/time");
    return lines(*seen).back();
  };
  const std::string stands = time();
  show.pass(5 * kSecond);
  CHECK(time() == stands);
  show.says(id, "/seek 10");
  show.says(id, "/play");
  show.pass(kSecond);
  CHECK(show.standing.now.watchers == 2);
}

TEST_CASE("viewers cannot move a shared clock") {
  Show show(drive(), {}, talkative());
  Seen& seen = show.watch();
  show.pass(kSecond);
  show.says("/seek 5");
  CHECK(lines(seen).back() == "all viewers of this replay share one clock");
  CHECK(x_of(seen.world) == 15);
  show.says("flood");
  CHECK(as<words::ClaimRefused>(seen.heard.back()) != nullptr);
  CHECK(x_of(seen.world) == 15);
  const std::size_t before = seen.heard.size();
  show.says("/help");
  CHECK(lines(seen, before) ==
        std::vector<std::string>{"all viewers of this replay share one clock; /time: where it is, /follow NAME"});
  show.says("/follow viewer");  // a viewer is no player
  CHECK(lines(seen).back() == "nobody here has that name");
}

TEST_CASE("a viewer whose wishes wait for their turn sees the last one, though others move their clocks meanwhile") {
  Own show(drive());
  const auto [anna, one] = show.enter();
  const auto [ben, two] = show.enter();
  for (const Id id : {one, two}) show.says(id, "/pause");
  show.pass(kSecond);
  for (int i = 0; i < 20; ++i) show.says(one, "/seek " + std::to_string(2 + i % 5));
  show.says(one, "/seek 8");
  REQUIRE(x_of(anna->world) != 80);
  show.pass(kMillisecond);
  show.says(two, "/seek 3");
  CHECK(x_of(ben->world) == 30);
  show.pass(kSecond);
  CHECK(x_of(anna->world) == 80);
}

TEST_CASE("the clock of a viewer who leaves ends with it, and those of others go on") {
  Own show(drive());
  const auto [anna, one] = show.enter();
  show.pass(kSecond);
  const auto [ben, two] = show.enter();
  show.pass(kSecond);
  show.room->gone(one, "left", show.now);
  show.pass(2 * kSecond);
  CHECK(x_of(ben->world) == 35);
}

TEST_CASE("a viewer of version 2 gets the times of events and of the clock") {
  Own show(busy(5));
  const auto [seen, id] = show.enter();
  const words::Timeline* timeline = nullptr;
  const words::Clock* clock = nullptr;
  for (const Fact& fact : seen->heard) {
    if (as<words::Timeline>(fact)) timeline = as<words::Timeline>(fact);
    if (as<words::Clock>(fact)) clock = as<words::Clock>(fact);
  }
  REQUIRE(timeline != nullptr);
  REQUIRE(clock != nullptr);
  std::vector<Micros> deaths, told;
  for (const Fact& fact : busy(5))
    if (as<words::Died>(fact)) deaths.push_back(fact.at);
  for (const auto& moment : timeline->moments()) told.push_back(moment.us());
  CHECK(told == deaths);
  CHECK(clock->own());
  CHECK(clock->length_us() == busy(5).back().at);
}

TEST_CASE("a gap of a month costs nothing") {
  constexpr Micros kDay = 86'400 * kSecond;
  FactLibrary library(std::make_unique<MemoryFacts>(
      std::vector<Fact>{at(0, words::World()), at(kSecond, pose(2, 1)), at(30 * kDay, pose(2, 2))}));
  const auto reader = library.reader();
  WorldState world;
  REQUIRE(reader->seek(0, world).ok());
  CHECK(reader->next_at() == kSecond);
  reader->next();
  CHECK(reader->next_at() == 30 * kDay);
  REQUIRE(reader->seek(10 * kDay, world).ok());
  CHECK(reader->next_at() == 30 * kDay);
  CHECK(library.read() <= 6);
}

TEST_CASE("a library gives the facts of its source from any position, and keeps little in memory") {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    auto facts = busy(seed);
    FactLibrary library(std::make_unique<MemoryFacts>(facts));
    MemoryFacts plain(facts);
    std::vector<std::unique_ptr<FactReader>> readers;
    for (int i = 0; i < 5; ++i) readers.push_back(library.reader());
    std::mt19937 dice(seed);
    for (int i = 0; i < 60; ++i) {
      FactReader& reader = *readers[dice() % readers.size()];
      const Micros to = i == 0 ? 0 : dice() % (61 * kSecond);
      WorldState one, other;
      REQUIRE(reader.seek(to, one).ok());
      REQUIRE(plain.seek(to, other).ok());
      CHECK(text(one, to) == text(other, to));
      for (int k = 0; k < 300; ++k) {
        const auto at = reader.next_at();
        REQUIRE(at == plain.next_at());
        if (!at) break;
        CHECK(reader.next().content.index() == plain.next().content.index());
      }
    }
    CHECK(library.read() <= 13);
    CHECK(library.skipped() == 0);
  }
}

/// A unit that moves 1 m each millisecond.
std::vector<Fact> dense(std::size_t poses) {
  std::vector<Fact> facts{at(0, words::World()), at(0, player(1)), at(0, unit(2, 1)), at(0, words::Ready())};
  for (std::size_t i = 1; i <= poses; ++i) facts.push_back(at(i * kMillisecond, pose(2, static_cast<double>(i))));
  return facts;
}

TEST_CASE("a library reads no more than its limit of facts at once, and misses none") {
  constexpr std::size_t kPoses = 10'000;  // twice as many in a segment's time as it may have
  FactLibrary library(std::make_unique<MemoryFacts>(dense(kPoses)));
  const auto reader = library.reader();
  WorldState world;
  REQUIRE(reader->seek(0, world).ok());
  std::size_t read = 0;
  while (const auto next = reader->next_at()) {
    const Fact fact = reader->next();
    REQUIRE(*next == ++read * kMillisecond);
    REQUIRE(as<words::Pose>(fact)->x() == static_cast<double>(read));
  }
  CHECK(read == kPoses);
  CHECK_FALSE(reader->next_is_other_session());
  CHECK(library.read() >= kPoses / FactLibrary::kMostFacts);
  for (const Micros to :
       {3'999U, 4'001U, 4'900U, 5'001U, 9'999U}) {  // before and after the place where a segment ends early
    REQUIRE(reader->seek(to * kMillisecond, world).ok());
    CHECK(x_of(world) == static_cast<double>(to));
    CHECK(reader->next_at() == (to + 1) * kMillisecond);
  }
  CHECK(library.skipped() == 0);
}

TEST_CASE("a library tells when another session begins, also amid the facts that it reads at once") {
  constexpr Micros kBegins = FactLibrary::kSegment + kSecond;
  auto source = std::make_unique<MemoryFacts>(dense(10'000));
  source->begin_second(kBegins);
  FactLibrary library(std::move(source));
  const auto reader = library.reader();
  WorldState world;
  for (int round = 0; round < 2; ++round) {  // the second time, the library knows the facts
    REQUIRE(reader->seek(0, world).ok());
    std::optional<Micros> next = reader->next_at();
    for (; next && !reader->next_is_other_session(); next = reader->next_at()) {
      REQUIRE(*next < kBegins);
      (void)reader->next();
    }
    CHECK(next == kBegins);
    REQUIRE(reader->seek(kBegins, world).ok());
    CHECK_FALSE(reader->next_is_other_session());
    CHECK(reader->next_at() == kBegins + kMillisecond);
    CHECK(x_of(world) == static_cast<double>(kBegins / kMillisecond));
  }
}

TEST_CASE("a library seeks in its source once for each place that it does not know") {
  auto source = std::make_unique<MemoryFacts>(busy(1));
  const MemoryFacts& facts = *source;
  FactLibrary library(std::move(source));
  const auto first = library.reader(), second = library.reader();
  WorldState world;
  REQUIRE(first->seek(30 * kSecond, world).ok());
  CHECK(facts.seeks() == 1);
  REQUIRE(second->seek(31 * kSecond, world).ok());
  CHECK(facts.seeks() == 1);
  REQUIRE(second->seek(10 * kSecond, world).ok());
  CHECK(facts.seeks() == 2);
}

TEST_CASE("a library misses none of many facts of one moment") {
  constexpr std::size_t kPoses = 2 * FactLibrary::kMostFacts;
  std::vector<Fact> facts = dense(1);
  for (std::size_t i = 1; i < kPoses; ++i) facts.push_back(at(kMillisecond, pose(2, static_cast<double>(i))));
  facts.push_back(at(2 * kMillisecond, pose(2, 0)));
  FactLibrary library(std::make_unique<MemoryFacts>(facts));
  const auto reader = library.reader();
  WorldState world;
  REQUIRE(reader->seek(0, world).ok());
  std::size_t read = 0;
  for (; reader->next_at(); ++read) (void)reader->next();
  CHECK(read == kPoses + 1);
}

TEST_CASE("a library remembers the worlds that were wanted last, and reads others again") {
  constexpr std::size_t kPlaces = FactLibrary::kMostWorlds + 1;
  std::vector<Fact> facts = dense(1);
  facts.push_back(at(kPlaces * FactLibrary::kSegment, pose(2, 2)));
  for (std::size_t i = 1; i < kPlaces; ++i) facts.push_back(at(i * FactLibrary::kSegment - 1, pose(2, 1)));
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& a, const Fact& b) { return a.at < b.at; });
  auto source = std::make_unique<MemoryFacts>(facts);
  const MemoryFacts& plain = *source;
  FactLibrary library(std::move(source));
  const auto reader = library.reader();
  const auto seeks_for = [&](std::size_t place) {
    const std::size_t before = plain.seeks();
    WorldState world;
    REQUIRE(reader->seek(place * FactLibrary::kSegment + 1, world).ok());
    return plain.seeks() - before;
  };
  for (std::size_t place = kPlaces; place > 0; --place) CHECK(seeks_for(place - 1) == 1);
  CHECK(seeks_for(1) == 0);
  CHECK(seeks_for(kPlaces - 1) == 1);
}

TEST_CASE("a library that cannot read a world again says so, though it knows the facts after it") {
  auto source = std::make_unique<MemoryFacts>(busy(1));
  MemoryFacts& plain = *source;
  FactLibrary library(std::move(source));
  const auto reader = library.reader();
  WorldState world;
  REQUIRE(reader->seek(0, world).ok());
  while (reader->next_at()) (void)reader->next();
  plain.tear(0);
  CHECK_FALSE(reader->seek(30 * kSecond, world).ok());
}

TEST_CASE("a library forgets what was read the longest ago, and reads it again when it is wanted") {
  constexpr std::size_t kPoses = FactLibrary::kMostKept * 5 / 4;
  FactLibrary library(std::make_unique<MemoryFacts>(dense(kPoses)));
  const auto reader = library.reader();
  WorldState world;
  REQUIRE(reader->seek(0, world).ok());
  while (reader->next_at()) (void)reader->next();
  const auto reads_at = [&](Micros to) {
    const auto before = library.read();
    REQUIRE(reader->seek(to, world).ok());
    CHECK(reader->next_at() == to + kMillisecond);
    return library.read() - before;
  };
  CHECK(reads_at((kPoses - 10) * kMillisecond) == 0);
  CHECK(reads_at(kSecond) > 0);
  CHECK(reads_at(2 * kSecond) == 0);
  constexpr Micros kOld = (kPoses - FactLibrary::kMostKept + 10'000) * kMillisecond;
  CHECK(reads_at(kOld) == 0);
  for (Micros to = 5 * kSecond; to < 45 * kSecond; to += 5 * kSecond) CHECK(reads_at(to) > 0);
  CHECK(reads_at(kOld) == 0);  // what is older was forgotten for these
}

TEST_CASE("a replay that has as many viewers as it may have refuses one more, until one leaves") {
  /// Enters, and keeps only why it was refused.
  class Quiet final : public Front {
   public:
    explicit Quiet(std::string& refused) : refused_(refused) {}
    void opened(const Peer&, FrontOut& out) override { out.say(words::Enter()); }
    void receive(const Frames&, FrontOut&) override {}
    void hear(const Fact& fact, FrontOut&) override {
      if (const auto* refused = as<words::Refused>(fact))
        refused_ = words::Refused::Code_Name(refused->code()) + ": " + refused->text();
    }

   private:
    std::string& refused_;
  };
  Show show(drive());
  std::string refused;
  const auto comes = [&] {
    const Id viewer = show.room->seat(std::make_unique<Quiet>(refused), {}, show.now);
    show.pass(0);
    return viewer;
  };
  Id last = 0;
  for (int i = 0; i < 800; ++i) last = comes();
  CHECK(refused.empty());
  comes();
  CHECK(refused == "FULL: all places for viewers are taken");
  refused.clear();
  show.room->gone(last, "it leaves", show.now);
  show.pass(0);
  comes();
  CHECK(refused.empty());
}

TEST_CASE("a recording with as many players as a world holds has room for viewers with their own clocks") {
  auto facts = drive();
  std::vector<Fact> crowd;
  for (Id id = 1'001; id < 1'001 + 999; ++id) crowd.push_back(at(0, player(id)));
  facts.insert(facts.begin() + 2, crowd.begin(), crowd.end());
  const auto refusal = [](const Seen& seen) {
    std::string text;
    for (const Fact& fact : seen.heard)
      if (const auto* refused = as<words::Refused>(fact)) text = refused->text();
    return text;
  };
  SUBCASE("each its own clock") {
    Own show(facts);
    const auto [seen, id] = show.enter();
    CHECK(refusal(*seen) == "");
    CHECK(show.room->world_seen_by(id).player(id) != nullptr);
    CHECK(seen->world.orphaned() == 0);
  }
  SUBCASE("one clock: viewers are refused") {
    Show show(facts);
    CHECK(refusal(show.watch()) == "all places for viewers are taken");
  }
}

TEST_CASE("one address does not take all places of viewers") {
  Own show(drive());
  const auto is_in = [&](Id id) { return show.room->world_seen_by(id).player(id) != nullptr; };
  for (int i = 0; i < 600; ++i) show.enter("192.0.2.1");
  CHECK(is_in(show.last));
  show.enter("192.0.2.1");
  CHECK_FALSE(is_in(show.last));
  show.enter("192.0.2.2");
  CHECK(is_in(show.last));
}

TEST_CASE("viewers who jump between clocks of others jump no more often, and networks take turns") {
  Own show(busy(2));
  const auto stands = [&](const char* place) {
    const auto [seen, id] = show.enter();
    show.says(id, "/pause");
    show.says(id, place);
    show.pass(kSecond);
  };
  stands("/seek 8");
  stands("/seek 30");
  std::vector<std::pair<Seen*, Id>> crowd;
  for (int i = 0; i < 100; ++i) crowd.push_back(show.enter("192.0.2.1"));
  const auto [honest, one] = show.enter("198.51.100.1");
  for (const auto& [seen, id] : crowd) show.says(id, "/pause");
  show.says(one, "/pause");
  show.pass(5 * kSecond);
  const auto want = [&](Id id, bool far) {
    show.room->received(id, {Lane::kStream, as_bytes(far ? "/seek 30" : "/seek 8")}, show.now);
  };
  const auto moves = [&] {
    int all = 0;
    for (const auto& [seen, id] : crowd) all += resyncs(*seen);
    return all;
  };
  const int before = moves();
  for (int i = 0; i < 10; ++i) {
    for (const auto& [seen, id] : crowd) want(id, i % 2 == 0);
    show.pass(100 * kMillisecond);
  }
  CHECK(moves() - before <= 16 + 250);
  CHECK(moves() - before > 150);
  for (const auto& [seen, id] : crowd) want(id, true);
  show.pass(0);
  const int others = moves(), own = resyncs(*honest);
  want(one, true);
  for (int i = 0; i < 1'000 && resyncs(*honest) == own; ++i) show.pass(kMillisecond);
  CHECK(resyncs(*honest) > own);
  CHECK(moves() - others <= 3);
}

TEST_CASE("land that is sent again to a viewer who joins another clock counts as jumps") {
  auto facts = drive();
  words::World land;
  land.set_voxels(std::string(2U << 20U, 'v'));
  for (Fact& fact : facts)
    if (as<words::World>(fact) != nullptr) fact = at(fact.at, land);
  words::WorldEdit edit;
  edit.mutable_edit()->set_op(words::Edit::DIG);
  facts.push_back(at(3 * kSecond, edit));
  std::stable_sort(facts.begin(), facts.end(), [](const Fact& one, const Fact& other) { return one.at < other.at; });
  Own show(facts);
  const auto pauses = [&](const char* place) {
    const auto [seen, id] = show.enter();
    show.says(id, "/pause");
    show.says(id, place);
    show.pass(kSecond);
    return std::pair(seen, id);
  };
  pauses("/seek 1");
  std::vector<std::pair<Seen*, Id>> viewers;
  for (int i = 0; i < 10; ++i) viewers.push_back(pauses("/seek 7"));
  const auto told = [&] {
    std::size_t lands = 0;
    for (const auto& [seen, id] : viewers)
      for (const Fact& fact : seen->heard) lands += as<words::World>(fact) != nullptr ? 1 : 0;
    return lands;
  };
  const std::size_t before = told();
  for (const auto& [seen, id] : viewers) show.room->received(id, {Lane::kStream, as_bytes("/seek 1")}, show.now);
  show.pass(0);
  CHECK(told() - before == 4);
  show.pass(kSecond);
  CHECK(told() - before == 10);
}

TEST_CASE("a very short recording starts again at most once a second") {
  std::vector<Fact> facts{at(0, words::Room()),
                          at(0, words::World()),
                          at(0, player(1)),
                          at(0, unit(2, 1)),
                          at(0, owns(1, 2)),
                          at(500 * kMillisecond, words::Ready()),
                          at(501 * kMillisecond, pose(2, 1))};
  Replay::Options options;
  options.loop = true;
  for (const bool one : {true, false}) {
    options.one_clock = one;
    Own show(facts, options);
    const Seen& seen = show.watch();
    const int before = resyncs(seen);
    show.pass(10 * kSecond);
    CHECK(resyncs(seen) - before <= 10);
    CHECK(resyncs(seen) - before >= 8);
  }
}

}  // namespace entente::testing::replay_clocks_test
