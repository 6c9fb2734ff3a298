// The owner's side of an arena, without the bus.
#include "proxy/fleet/arena/owner_side.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/native/native.h"
#include "proxy/fleet/arena/far_guest.h"
#include "proxy/fleet/decode.h"
#include "proxy/relay/route/rule_book.h"
#include "proxy/relay/sessions/shared_room.h"
#include "schema/fleet.pb.h"
#include "tests/relay/silent_events.h"

namespace entente::fleet::owner_test {
namespace {

/// A room with the owner's side, and the messages that it publishes to all.
struct Owned {
  explicit Owned(const SavedSeats& seats = {}, const Limits& limits = {},
                 std::shared_ptr<relay::RuleBook> rules = nullptr) {
    arena.limits = limits;
    arena.arena = "field";
    arena.node = "owner";
    arena.find_game = [](std::string_view name) { return name == native::game().name() ? &native::game() : nullptr; };
    state.options.name = "the arena";
    state.options.game = &native::game();
    state.options.rules = std::move(rules);
    const auto until = std::make_shared<std::atomic<std::uint64_t>>(UINT64_MAX);
    const auto referee = std::make_shared<core::Referee*>(nullptr);
    const OwnerPost post = {[this](const std::string& subject, Bytes bytes) {
                              if (subject.ends_with(".facts")) {
                                REQUIRE(decode(bytes, published.emplace_back()));
                              } else {
                                REQUIRE(decode(bytes, sent.emplace_back()));
                              }
                            },
                            [this](Bytes) { ++stores; }, [this](Bytes bytes) { CHECK(decode(bytes, handed_over)); }};
    state.options.annex = [=, this](relay::SharedRoom& in, net::Loop& its) {
      auto side = make_owner_side(arena, 3, until, referee, seats, post, in, its);
      owner = side.get();
      return side;
    };
    state.options.back = [referee] {
      core::Arena place;
      place.geometry = core::courtyard(60);
      auto back = std::make_unique<core::Referee>(place);
      *referee = back.get();
      return back;
    };
    room.emplace(loop, state, 1, events);
    room->open(nullptr);
  }
  ~Owned() {
    room->stop();
    room->close_annex();
    room.reset();
    loop.run();
  }

  entente::testing::SilentEvents events;
  net::Loop loop;
  FleetArena arena;
  relay::SharedRoomState state;
  std::optional<relay::SharedRoom> room;
  OwnerSide* owner = nullptr;
  std::vector<bus::Facts> published;
  std::vector<bus::ToNode> sent;
  std::size_t stores = 0;
  bus::SavedArena handed_over;
};

TEST_CASE("many facts of one turn are published once and whole, in messages that NATS accepts") {
  Owned it;
  it.owner->turn_ends();
  it.published.clear();
  constexpr int kSome = 12'000;
  for (int i = 0; i < kSome; ++i) {
    words::Said said;
    said.set_text(std::string(100, 'x') + std::to_string(i));
    it.owner->told(core::Fact(said));
  }
  it.owner->turn_ends();
  int count = 0;
  for (std::size_t i = 0; i < it.published.size(); ++i) {
    CHECK(it.published[i].ByteSizeLong() < 600'000);
    if (i != 0) CHECK(it.published[i].number() == it.published[i - 1].number() + 1);
    for (const auto& fact : it.published[i].facts())
      if (fact.has_said() && fact.said().text() == std::string(100, 'x') + std::to_string(count)) ++count;
  }
  CHECK(count == kSome);
}

TEST_CASE("an arena is stored again and again, one time after the other, also after a failure") {
  Owned it;
  const auto is_stored = [&](std::size_t times) {
    const Millis end = steady_now() + 30'000;
    while (it.stores < times && steady_now() < end) uv_run(it.loop.raw(), UV_RUN_ONCE);
    return it.stores == times;
  };
  CHECK(is_stored(1));
  it.owner->stored(false);
  CHECK(it.arena.counts->stored == 0);
  CHECK(is_stored(2));
  it.owner->stored(true);
  CHECK(it.arena.counts->stored == 1);
  CHECK(is_stored(3));
}

/// A message of a node about the player on its seat 1. `what`: fills its parts.
Buffer from_edge(std::uint64_t number, const std::function<void(bus::FromNode&)>& what, std::uint64_t run = 1) {
  bus::FromNode message;
  message.set_epoch(3);
  message.set_run(run);
  message.set_number(number);
  what(message);
  for (auto& part : *message.mutable_parts()) part.set_seat(1);
  const std::string bytes = message.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

void open(bus::FromNode& message) {
  auto& client = *message.add_parts()->mutable_open();
  client.set_address("192.0.2.1:1");
  client.set_game("native");
  client.set_dialect("protobuf");
}

void enter(bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_enter()->set_name("anna"); }
void say_hello(bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_say()->set_text("hello"); }

void pass_time(Owned& it) {
  for (int i = 0; i < 3; ++i) uv_run(it.loop.raw(), UV_RUN_NOWAIT);
  const std::uint64_t until = it.loop.nanos() + 2 * kGatherNanos;
  do {
    uv_run(it.loop.raw(), UV_RUN_NOWAIT);
    it.owner->turn_ends();
  } while (it.loop.nanos() < until);
}

TEST_CASE("a fact that is too large for a message leaves a gap, so that all nodes want the world") {
  Owned it;
  const auto last = [&] {
    words::Said said;
    said.set_text("small");
    it.owner->told(core::Fact(said));
    pass_time(it);
    return it.published.back().number();
  };
  const std::uint64_t before = last();
  CHECK(last() == before + 1);
  words::Said large;
  large.set_text(std::string(2U << 20U, 'x'));
  it.owner->told(core::Fact(large));
  CHECK(last() == before + 3);
  for (const auto& message : it.published) CHECK(message.ByteSizeLong() < 600'000);
}

TEST_CASE("a message of a node that comes twice is carried out once") {
  Owned it;
  const auto turns = [&] { pass_time(it); };
  const auto hellos = [&] {
    int count = 0;
    for (const bus::Facts& facts : it.published)
      for (const auto& fact : facts.facts()) count += fact.has_said() && fact.said().text() == "hello" ? 1 : 0;
    return count;
  };
  it.owner->read("edge", from_edge(1, open));
  turns();
  it.owner->read("edge", from_edge(2, enter));
  turns();
  for (int times = 0; times < 3; ++times) {
    it.owner->read("edge", from_edge(3, say_hello));
    turns();
    CHECK(hellos() == 1);
    CHECK(it.arena.counts->refused == static_cast<std::uint64_t>(times));
  }
  it.owner->read("edge", from_edge(4, say_hello));
  turns();
  CHECK(hellos() == 2);
}

TEST_CASE("an Enter that comes again counts only if the first one was lost, and a snapshot says whether it was") {
  Owned it;
  const auto entered = [&] {
    int count = 0;
    for (const bus::Facts& facts : it.published)
      for (const auto& fact : facts.facts()) count += fact.has_player() && fact.player().name() == "anna" ? 1 : 0;
    return count;
  };
  const auto enter_again = [](bus::FromNode& message) {
    enter(message);
    message.mutable_parts(0)->set_again(true);
  };
  const auto snapshot = [&] {
    bus::Snapshot last;
    for (const bus::ToNode& one : it.sent)
      if (one.has_piece()) REQUIRE(last.ParseFromString(one.piece().bytes()));
    REQUIRE(last.seats_size() == 1);
    return last;
  };
  std::uint64_t number = 1;
  it.owner->read("edge", from_edge(number, open));
  pass_time(it);
  bool lost = false;
  SUBCASE("it was lost") { lost = true; }
  SUBCASE("it was not lost") {
    it.owner->read("edge", from_edge(2, enter));
    pass_time(it);
    CHECK(entered() == 1);
  }
  it.owner->read("edge", from_edge(3, [](bus::FromNode& message) { message.set_wants_world(true); }));
  CHECK(snapshot().seats(0).entered() == !lost);
  for (number = 4; number < 6; ++number) {
    it.owner->read("edge", from_edge(number, enter_again));
    pass_time(it);
    CHECK(entered() == 1);
  }
  for (const bus::ToNode& one : it.sent)
    for (const auto& part : one.parts()) CHECK_FALSE(part.fact().has_notice());
  CHECK(it.arena.counts->refused == 0);
}

TEST_CASE("a message of a node is for the owner that it names, or for any") {
  Owned it;
  const auto opens = [](std::uint64_t epoch) {
    return from_edge(1, [=](bus::FromNode& message) {
      open(message);
      message.set_epoch(epoch);
    });
  };
  for (const std::uint64_t other : {2U, 4U}) it.owner->read("edge", opens(other));
  CHECK(it.arena.counts->players == 0);
  CHECK(it.arena.counts->refused == 2);
  it.owner->read("edge", opens(0));
  CHECK(it.arena.counts->players == 1);
  CHECK(it.arena.counts->refused == 2);
}

TEST_CASE("each of several processes of a node keeps its players, and one that is forgotten is told so") {
  Owned it;
  const auto last_to_first = [&] {
    it.owner->turn_ends();
    const auto last = std::find_if(it.sent.rbegin(), it.sent.rend(), [](const auto& one) { return one.run() == 1; });
    return last != it.sent.rend() ? *last : bus::ToNode();
  };
  constexpr std::uint64_t kMost = 16;
  for (std::uint64_t run = 1; run <= kMost; ++run) it.owner->read("edge", from_edge(1, open, run));
  CHECK(it.arena.counts->players == kMost);
  it.owner->read("edge", from_edge(2, [](bus::FromNode& message) { message.set_wants_world(true); }));
  const std::uint64_t number = last_to_first().number();
  CHECK(number != 0);
  for (std::uint64_t run = 2; run <= kMost; ++run) it.owner->read("edge", from_edge(2, enter, run));
  it.owner->read("edge", from_edge(1, open, kMost + 1));  // the first one was silent for longest, perhaps
  CHECK(it.arena.counts->players == kMost);
  it.owner->read("edge", from_edge(3, say_hello));
  CHECK(last_to_first().number() > number + 1);
  CHECK(last_to_first().has_piece());
}

TEST_CASE("of a player of another node who waits for a seat, a bounded number of intents is kept") {
  Owned it;
  it.owner->read("edge", from_edge(1, [](bus::FromNode& message) {
                   open(message);
                   enter(message);
                   for (std::size_t i = 0; i < FarGuest::kMostWaiting + 10; ++i) say_hello(message);
                 }));
  CHECK(it.arena.counts->refused == 11);
}

TEST_CASE("a client's wish to resume is for its own node, and a node has a bounded number of players") {
  Owned it;
  SUBCASE("resume") {
    it.owner->read("edge", from_edge(1, [](bus::FromNode& message) {
                     open(message);
                     enter(message);
                     message.add_parts()->mutable_intent()->mutable_resume()->set_player(1);
                   }));
    CHECK(it.arena.counts->players == 1);
  }
  SUBCASE("many players") {
    constexpr std::uint32_t kMost = 5'000;
    bus::FromNode message;
    message.set_epoch(3);
    message.set_run(1);
    message.set_number(1);
    for (std::uint32_t seat = 1; seat <= kMost + 1; ++seat) {
      open(message);
      message.mutable_parts()->rbegin()->set_seat(seat);
    }
    const std::string bytes = message.SerializeAsString();
    it.owner->read("edge", as_bytes(bytes));
    CHECK(it.arena.counts->players == kMost);
  }
  CHECK(it.arena.counts->refused == 1);
}

TEST_CASE("a player who comes by another node, which is forgotten before it is in, changes nothing for the first one") {
  Owned it;
  it.owner->read("edge", from_edge(1, open));
  pass_time(it);
  it.owner->read("edge", from_edge(2, enter));
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  it.owner->read("other", from_edge(1, open));
  pass_time(it);
  it.owner->read("other", from_edge(2, enter));
  CHECK(it.arena.counts->players == 2);
  constexpr std::uint64_t kMost = 16;
  for (std::uint64_t run = 2; run <= kMost + 1; ++run) it.owner->read("other", from_edge(1, open, run));
  CHECK(it.arena.counts->players == 1 + kMost);
  const std::uint64_t until = it.loop.nanos() + 200'000'000;  // some ticks
  while (it.loop.nanos() < until) uv_run(it.loop.raw(), UV_RUN_ONCE);
  CHECK(it.room->world().players().size() == 1);
  it.owner->read("edge", from_edge(3, say_hello));
  pass_time(it);
  CHECK(std::any_of(it.published.begin(), it.published.end(), [](const bus::Facts& facts) {
    return std::any_of(facts.facts().begin(), facts.facts().end(), [](const auto& one) { return one.has_said(); });
  }));
}

TEST_CASE("a player of another node whom the room sends away counts no longer, and its node is told so") {
  Owned it;
  it.owner->read("edge", from_edge(1, open));
  pass_time(it);
  it.owner->read("edge", from_edge(2, enter));
  pass_time(it);
  CHECK(it.arena.counts->players == 1);
  REQUIRE(it.room->world().players().size() == 1);
  it.sent.clear();
  it.room->dismiss(it.room->world().players().begin()->first, "enough");
  pass_time(it);
  CHECK(it.arena.counts->players == 0);
  REQUIRE(it.sent.size() == 1);
  CHECK(it.sent[0].parts(it.sent[0].parts_size() - 1).closed().why() == "enough");
}

TEST_CASE("a rule sends away a player of another node, and bans its address") {
  for (const bool bans : {false, true}) {
    const std::string order = bans ? "ban(player, 5, 'enough')" : "kick(player, 'enough')";
    CAPTURE(order);
    std::vector<std::string> banned;  // what is left to do for the program
    const auto book = std::make_shared<relay::RuleBook>(
        "the arena", [&](const relay::RuleBook&, const rules::Action&, const relay::LinkInfo* client) {
          banned.push_back(client != nullptr ? client->client.text() : "nobody");
        });
    auto rule = rules::check_rule("rule.lua", "function on_chat(player) " + order + " end");
    REQUIRE(rule.ok());
    rules::RuleSet set;
    set.push_back(std::move(*rule));
    book->set(std::make_shared<rules::RuleSet>(std::move(set)));
    Owned it({}, {}, book);
    it.owner->read("edge", from_edge(1, open));
    pass_time(it);
    it.owner->read("edge", from_edge(2, enter));
    pass_time(it);
    REQUIRE(it.room->world().players().size() == 1);
    it.sent.clear();
    it.owner->read("edge", from_edge(3, say_hello));
    pass_time(it);
    CHECK(it.arena.counts->players == 0);
    CHECK(it.room->world().players().empty());
    std::string why;
    for (const bus::ToNode& one : it.sent)
      for (const auto& part : one.parts())
        if (part.has_closed()) why += part.closed().why();
    CHECK(why == "enough");
    CHECK(banned == (bans ? std::vector<std::string>{"192.0.2.1:1"} : std::vector<std::string>()));
  }
}

/// The world that the owner sends when the node asks for it.
bus::Snapshot world_for_edge(Owned& it, std::uint64_t number) {
  it.sent.clear();
  it.owner->read("edge", from_edge(number, [](bus::FromNode& message) { message.set_wants_world(true); }));
  const auto world = [&] {
    return std::find_if(it.sent.begin(), it.sent.end(), [](const bus::ToNode& one) { return one.has_piece(); });
  };
  const Millis end = steady_now() + 20'000;
  while (world() == it.sent.end() && steady_now() < end) uv_run(it.loop.raw(), UV_RUN_ONCE);
  REQUIRE(world() != it.sent.end());
  bus::Snapshot snapshot;
  REQUIRE(snapshot.ParseFromString(world()->piece().bytes()));
  return snapshot;
}

TEST_CASE("a snapshot says which players of the node were sent away lately, unless they have come in again") {
  Owned it;
  it.owner->read("edge", from_edge(1, open));
  pass_time(it);
  it.owner->read("edge", from_edge(2, enter));
  pass_time(it);
  REQUIRE(it.room->world().players().size() == 1);
  it.room->dismiss(it.room->world().players().begin()->first, "enough");
  pass_time(it);
  for (const std::uint64_t number : {3U, 4U}) {  // the first one may be lost, too
    const bus::Snapshot snapshot = world_for_edge(it, number);
    CHECK(snapshot.seats_size() == 0);
    REQUIRE(snapshot.closed_size() == 1);
    CHECK(snapshot.closed(0).seat() == 1);
    CHECK(snapshot.closed(0).why() == "enough");
  }
  it.owner->read("edge", from_edge(5, open));
  pass_time(it);
  const bus::Snapshot snapshot = world_for_edge(it, 6);
  CHECK(snapshot.seats_size() == 1);
  CHECK(snapshot.closed_size() == 0);
}

TEST_CASE("a snapshot says that a player's Enter was refused, and the next one counts, also if it comes as `again`") {
  Owned it;
  std::uint64_t number = 0;
  const auto say = [&](const std::function<void(bus::FromNode&)>& what) {
    it.owner->read("edge", from_edge(++number, what));
    pass_time(it);
  };
  const auto is_refused = [&] {
    return std::any_of(it.sent.begin(), it.sent.end(), [](const bus::ToNode& one) {
      return std::any_of(one.parts().begin(), one.parts().end(), [](auto& part) { return part.fact().has_refused(); });
    });
  };
  say(open);
  say(enter);
  for (int times = 0; times < 50 && !is_refused(); ++times) {  // who comes and goes too often is refused
    say([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_leave(); });
    say(enter);
  }
  REQUIRE(is_refused());
  REQUIRE(it.room->world().players().empty());
  const bus::Snapshot snapshot = world_for_edge(it, ++number);
  REQUIRE(snapshot.seats_size() == 1);
  CHECK_FALSE(snapshot.seats(0).entered());
  const Millis end = steady_now() + 20'000;
  while (it.room->world().players().empty() && steady_now() < end)
    say([](bus::FromNode& message) {
      enter(message);
      message.mutable_parts(0)->set_again(true);
    });
  CHECK(it.room->world().players().size() == 1);
}

TEST_CASE("the next owner learns that a rule has ended the round, and that only a rule begins the next one") {
  for (const bool opens : {false, true}) {
    CAPTURE(opens);
    Owned it;
    it.room->order([](core::Back& back) { static_cast<core::Referee&>(back).close_round(words::TEAM_ANY); });
    if (opens) it.room->order([](core::Back& back) { static_cast<core::Referee&>(back).open_round(); });
    it.owner->room_ends(relay::Reason::kStopped);
    const auto read = read_arena(as_bytes(it.handed_over.SerializeAsString()));
    REQUIRE(read.ok());
    CHECK(read->in_play.closed == !opens);
  }
}

/// A player whom the last owner has stored.
bus::SavedArena::Player stored(const std::string& name, const std::string& game) {
  bus::SavedArena::Player saved;
  saved.mutable_who()->set_name(name);
  saved.mutable_client()->set_address("192.0.2.1:1");
  saved.mutable_client()->set_game(game);
  saved.mutable_client()->set_dialect("protobuf");
  return saved;
}

TEST_CASE("a player of the last owner whose game is not known here is left out, and the others return") {
  Owned it({{{"edge", 1, 1}, stored("anna", "chess")}, {{"edge", 1, 2}, stored("ben", "native")}});
  pass_time(it);
  CHECK(it.arena.counts->players == 1);
  CHECK(it.arena.counts->refused == 1);
  REQUIRE(it.room->world().players().size() == 1);
  CHECK(it.room->world().players().begin()->second.player.name() == "ben");
}

TEST_CASE("players of the last owner enter at once, whatever the limit; afterwards it holds for them, too") {
  SavedSeats seats;
  Limits limits;
  limits.enters_per_second = limits.enters_burst = 1;
  for (std::uint32_t number = 1; number <= 3; ++number)
    seats[{"edge", 1, number}] = stored("player " + std::to_string(number), "native");
  Owned it(seats, limits);
  const auto players = [&] { return it.room->world().players().size(); };
  pass_time(it);
  CHECK(players() == 3);
  // The first one leaves and enters, again and again.
  const std::uint64_t began = it.loop.nanos();
  std::uint64_t number = 0, entered = 0;
  const auto say = [&](const std::function<void(bus::FromNode&)>& what) {
    it.owner->read("edge", from_edge(++number, what));
    pass_time(it);
  };
  say([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_say()->set_text("I am here"); });
  for (int times = 0; times < 20 && players() == 3; ++times) {
    say([](bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_leave(); });
    CHECK(players() == 2);
    say(enter);
    entered += players() == 3;
  }
  CHECK(entered <= 1 + (it.loop.nanos() - began) / 1'000'000'000);
}

}  // namespace
}  // namespace entente::fleet::owner_test
