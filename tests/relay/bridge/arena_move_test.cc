// Players that the operator moves out of an arena that they joined by its own listener.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "adapters/ogar/ogar.h"
#include "tests/relay/bridge/moving.h"
#include "tests/relay/rule_orders.h"

namespace entente::testing::arena_move_test {
namespace {

using relay::Reason;
using How = MoveResult::How;

/// A spectator of the lobby or the hall. For players, these have one seat each.
struct Watcher : Lines {
  explicit Watcher(const Moving& running, std::size_t route = kLobby) : Lines(Stream::to(running.addresses[route])) {
    say(R"({"enter":{"name":"wes","role":"WATCH"}})");
    until(R"("ready")");
  }
};

/// A player that has joined the lobby by its own listener and spawned.
struct Guest : Lines {
  explicit Guest(const Moving& running, std::size_t route = kLobby) : Lines(Stream::to(running.addresses[route])) {
    say(R"({"enter":{"name":"anna"}})");
    until(R"("owns")");
    say(R"({"spawn":{}})");
    until(R"("spawned")");
  }
  /// Chat passes in both directions.
  void plays_on(Lines& at, const std::string& text) {
    say(R"({"say":{"text":")" + text + R"("}})");
    at.until(text);
    at.say(R"({"said":{"from":2,"text":"re )" + text + R"("}})");
    until("re " + text);
  }
  /// The other one is in the arena, too.
  void plays_on_beside(Lines& other, const std::string& text) {
    say(R"({"say":{"text":")" + text + R"("}})");
    other.until(text);
  }
};

relay::LinkId link_of(const Moving& running, const std::string& player = "anna") {
  for (const auto& one : running.sessions())
    if (one.player == player) return one.info.link;
  FAIL("nobody is called " << player);
  return 0;
}

TEST_CASE("arena move: a player continues at a bridge's server, and stays in the arena until that has let it in") {
  for (const std::size_t workers : {1U, 2U}) {
    Moving running(workers);
    Watcher wes(running);
    Guest anna(running);
    wes.until("anna");
    const relay::LinkId link = link_of(running);
    auto result = running.begin_move(kOther, link_of(running));
    auto [other, enter] = greet(*running.other);
    CHECK(enter.find(R"("name":"anna")") != std::string::npos);
    anna.plays_on_beside(wes, "still in the lobby");
    let_in(other, "two", "cleo");
    const auto there = anna.until("you were moved to another server");
    CHECK(have(there, "cleo"));
    CHECK(have(there, R"("two")"));
    CHECK(have(there, R"("died")"));
    other.until("spawn");  // it was in play
    wes.until("player_gone");
    CHECK(result.get().how == How::kMoved);
    anna.plays_on(other, "there now");
    for (const auto& one : running.sessions()) {
      if (one.info.link != link) continue;
      CHECK(one.route == kLobby);
      CHECK(one.moved_to == kOther);
      CHECK(one.info.server == running.other_at);
    }
    CHECK(running.server().totals(kLobby).moved == 1);
    CHECK(running.server().totals(kLobby).current_sessions() == 2);
    CHECK(running.server().servers(kOther)[0].sessions == 1);
    CHECK(running.heard.line("moved session " + std::to_string(link) + " (\"us\") from native json "));

    Lines ben(Stream::to(running.addresses[kLobby]));  // its seat is free
    ben.say(R"({"enter":{"name":"ben"}})");
    ben.until(R"("owns")");
    other.stream().close();
    anna.all();
    CHECK(eventually([&] { return running.server().totals(kLobby).current_sessions() == 2; }));
    CHECK(running.server().totals(kLobby).by(Reason::kServerLeft) == 1);
    CHECK(eventually([&] { return running.server().servers(kOther)[0].sessions == 0; }));
  }
}

TEST_CASE("arena move: to another arena, to a server, and back") {
  for (const std::size_t workers : {1U, 2U}) {
    Moving running(workers);
    Watcher wes(running);
    Guest anna(running);
    wes.until("anna");
    const relay::LinkId link = link_of(running);
    CHECK(running.begin_move(kHall, link).get().how == How::kMoved);
    anna.until("you were moved to the arena 'hall'");
    anna.until(R"("spawned")");
    wes.until("player_gone");
    CHECK(running.server().attendance(running.hall).size() == 1);
    auto result = running.begin_move(kOther, link);
    Lines other = greet(*running.other).first;
    let_in(other, "two", "cleo");
    CHECK(result.get().how == How::kMoved);
    anna.until("you were moved to another server");
    anna.plays_on(other, "there now");
    CHECK(running.begin_move(kLobby, link).get().how == How::kMoved);
    anna.until("you were moved to the arena 'lobby'");
    other.all();
    anna.plays_on_beside(wes, "home again");
    CHECK_FALSE(running.sessions().back().moved_to.has_value());
    CHECK(running.server().totals(kLobby).moved == 3);
    CHECK(running.begin_move(kLobby, link).get().text == "the player is there already");
  }
}

TEST_CASE("arena move: the rules of a bridge hold for a player that is moved there, until it leaves") {
  Orders orders;
  Moving running(1, 0, false, no_limits(), 0, orders.book(R"(
function on_join(player) log(player.name .. " is in") end
function on_chat(_, text) if text == "psst" then return false end end)"));
  Watcher wes(running);
  Guest anna(running);
  wes.until("anna");
  const relay::LinkId link = link_of(running);
  auto result = running.begin_move(kOther, link);
  Lines other = greet(*running.other).first;
  let_in(other, "two", "cleo");
  CHECK(result.get().how == How::kMoved);
  CHECK(eventually([&] { return orders.has(rules::Action::Kind::kLog, "cleo is in"); }));
  anna.say(R"({"say":{"text":"psst"}})");
  anna.say(R"({"say":{"text":"there now"}})");
  CHECK_FALSE(have(other.until("there now"), "psst"));
  CHECK(running.begin_move(kLobby, link).get().how == How::kMoved);
  anna.until("you were moved to the arena 'lobby'");
  anna.plays_on_beside(wes, "psst");
}

TEST_CASE("arena move: a player that is not let in stays in the arena, and the answer says why") {
  Moving running;
  Watcher wes(running);
  Guest anna(running);
  (void)not_let_in(running, [&] { return running.begin_move(kOther, link_of(running)); });
  SUBCASE("the other arena is full") {
    Lines dora(Stream::to(running.addresses[kHall]));
    dora.say(R"({"enter":{"name":"dora"}})");
    dora.until(R"("owns")");
    CHECK(running.begin_move(kHall, link_of(running)).get().text == "it is full");
  }
  anna.plays_on_beside(wes, "still in the lobby");
  CHECK(running.server().totals(kLobby).moved == 0);
  CHECK(running.server().servers(kOther)[0].sessions == 0);
  CHECK(eventually([&] { return running.tapped.left_open() == running.sessions().size(); }));
  if (!running.other) running.other.emplace(running.other_at);  // it can be moved later
  auto result = running.begin_move(kOther, link_of(running));
  Lines other = greet(*running.other).first;
  CHECK(running.begin_move(kHall, link_of(running)).get().text == "the player is on the way to another route already");
  let_in(other, "two", "cleo");
  anna.until("you were moved");
  CHECK(result.get().how == How::kMoved);
}

/// `running` with a lockstep arena, and the number of the route that leads there.
std::size_t add_lockstep_arena(Moving& running) {
  core::Arena place;
  place.rules.most_players = 1;
  place.rules.lockstep = true;
  place.geometry = core::courtyard(100);
  relay::SharedRoomOptions room = native_arena("the arena 'training'", 1);
  room.back = [place] { return std::make_unique<core::Referee>(place); };
  room.lockstep_tick = core::Referee::kTick;
  const std::size_t number = running.server().add_shared_room(room);
  running.add(running.into("training", number, native::game(), kNativeFront, kJson, no_limits()));
  return running.addresses.size() - 1;
}

TEST_CASE("arena move: a player of a lockstep arena, whose time is its own, is told where to connect") {
  Moving running;
  const std::size_t training = add_lockstep_arena(running);
  Lines anna(Stream::to(running.addresses[training]));
  anna.say(R"({"enter":{"name":"anna","contract":2}})");
  anna.until(R"("owns")");
  anna.say(R"({"playback":{"by_s":3600}})");
  anna.until(R"("clock")");
  CHECK(running.begin_move(kLobby, link_of(running)).get().how == How::kReferred);
  anna.until("moved to the arena 'lobby': connect to ");
}

TEST_CASE("arena move: a player who is moved to a lockstep arena, where others would wait for it, is told to connect") {
  Moving running;
  const std::size_t training = add_lockstep_arena(running);
  SUBCASE("from an arena") {
    Guest anna(running);
    CHECK(running.begin_move(training, link_of(running)).get().how == How::kReferred);
    anna.until("moved to the arena 'training': connect to ");
  }
  SUBCASE("from a bridge") {
    Lines anna(Stream::to(running.addresses[kHome]));
    anna.say(R"({"enter":{"name":"anna"}})");
    Lines server = greet(*running.home).first;
    let_in(server, "one", "anna");
    anna.until(R"("owns")");
    CHECK(running.begin_move(training, link_of(running, "us")).get().how == How::kReferred);
    anna.until("moved to the arena 'training': connect to ");
  }
  CHECK(running.server().attendance(*running.server().options(training)->bridge->shared_room).empty());
}

TEST_CASE("arena move: somebody leaves in the middle of a move") {
  Moving running(2);
  Watcher wes(running);
  Guest anna(running);
  auto result = running.begin_move(kOther, link_of(running));
  std::optional<Lines> other(greet(*running.other).first);
  SUBCASE("the client") {
    anna.stream().reset();
    other->all();
    wes.until("player_gone");
  }
  SUBCASE("it is kicked") {
    CHECK(running.kick(link_of(running), "be nice"));
    CHECK(have(anna.all(), "be nice"));
    other->all();
    wes.until("player_gone");
  }
  SUBCASE("the program stops") { running.stop(); }
  SUBCASE("it leaves the arena by a word") {
    anna.say(R"({"leave":{}})");
    wes.until("player_gone");
    let_in(*other, "two", "cleo");
    other->all();
  }
  CHECK(result.get().how == How::kStays);
  CHECK(running.server().totals(kLobby).moved == 0);
}

TEST_CASE("arena move: what a player changes on the way is sent to the server that lets it in") {
  Moving running;
  Watcher wes(running);
  Guest anna(running);
  auto result = running.begin_move(kOther, link_of(running));
  Lines other = greet(*running.other).first;
  anna.say(R"({"change":{"name":"hanna","motto":"on the way"}})");
  wes.until("hanna");
  let_in(other, "two", "cleo");
  CHECK(result.get().how == How::kMoved);
  const std::string change = other.until("hanna").back();
  CHECK(change.find(R"("name":"hanna")") != std::string::npos);
  CHECK(change.find(R"("motto":"on the way")") != std::string::npos);
  CHECK(change.find("team") == std::string::npos);
}

TEST_CASE("arena move: a moved player whose connection breaks resumes its session at the arena's listener") {
  for (const std::size_t workers : {1U, 2U}) {
    Moving running(workers);
    const auto front = [](std::size_t) { return toy::make_asking_front(toy::ungreeted()); };
    running.add(running.into("lobby", running.arena, toy::ungreeted(), front, 0, no_limits()));
    const std::size_t own = running.addresses.size() - 1;
    Watcher hall(running, kHall), lobby(running);
    Stream client = Stream::to(running.addresses[own]);
    client.send(Buffer{2, toy::kAway, 7, 200});
    lobby.until("toy");
    CHECK(running.begin_move(kHall, link_of(running, "toy")).get().how == How::kMoved);
    lobby.until("player_gone");
    for (std::uint64_t times = 1; times <= 2; ++times) {
      client.reset();
      client = Stream::to(running.addresses[own]);
      client.send(Buffer{1, toy::kBack, 7});
      CHECK(client.read(3) == Buffer{1, toy::kBack, 7});
      const std::string text = "back " + std::to_string(times);
      client.send(frame(text, toy::kSay));
      hall.until(text);
      CHECK(eventually([&] { return running.server().totals(own).by(Reason::kResumed) == times; }));
      CHECK(running.server().totals(own).current_sessions() == 1);
    }
  }
}

TEST_CASE("arena move: a drain: a moved player resumes its session, and newcomers from its address are refused") {
  Moving running;
  const auto front = [](std::size_t) { return toy::make_asking_front(toy::ungreeted()); };
  running.add(running.into("lobby", running.arena, toy::ungreeted(), front, 0, no_limits()));
  const std::size_t own = running.addresses.size() - 1;
  Watcher hall(running, kHall), lobby(running);
  Stream client = Stream::to(running.addresses[own]);
  client.send(Buffer{2, toy::kAway, 7, 200});
  lobby.until("toy");
  const relay::LinkId link = link_of(running, "toy");
  CHECK(running.begin_move(kHall, link).get().how == How::kMoved);
  lobby.until("player_gone");
  client.reset();
  REQUIRE(running.tapped.noted(link, "its link broke; the seat is kept"));
  running.server().set_draining(own, true);
  const Stream newcomer = Stream::to(running.addresses[own]);
  newcomer.send(frame("new", toy::kSay));
  newcomer.read_all();
  CHECK(eventually([&] { return running.server().totals(own).by(Reason::kDraining) == 1; }));
  client = Stream::to(running.addresses[own]);
  client.send(Buffer{1, toy::kBack, 7});
  CHECK(client.read(3) == Buffer{1, toy::kBack, 7});
  client.send(frame("back", toy::kSay));
  hall.until("back");
  CHECK(running.server().totals(own).by(Reason::kResumed) == 1);
}

TEST_CASE("arena move: a player who is read more slowly when it is moved, as it sent too fast, is heard there later") {
  Limits limits = no_limits();
  limits.messages_per_second = 20;
  Moving running(1, 0, false, limits);
  Guest anna(running);
  const relay::LinkId link = link_of(running);
  std::string much;
  for (int i = 0; i < 120; ++i)
    much += R"({"say":{"text":"me"}})"
            "\n";  // 40 pass at once
  anna.stream().send(much);
  CHECK(eventually([&] { return running.server().totals(kLobby).throttled != 0; }));
  auto result = running.begin_move(kOther, link);
  Lines other = greet(*running.other).first;
  let_in(other, "two", "cleo");
  CHECK(result.get().how == How::kMoved);
  anna.say(R"({"say":{"text":"still here"}})");
  other.until("still here");
}

TEST_CASE("arena move: a client that loads a world only when it joins is told where to connect, after it is let in") {
  Moving running(1, 0, true);
  const auto toy_front = [](std::size_t) { return toy::make_front(toy::stream()); };
  running.add(running.into("lobby", running.arena, toy::stream(), toy_front, 0, no_limits()));
  Watcher wes(running);
  const Stream client = Stream::to(running.addresses.back());
  client.send(kHello);
  CHECK(client.read_text(4) == kWelcome);
  wes.until(R"("player")");
  const std::size_t own = running.addresses.size() - 1;
  relay::LinkId link = 0;
  for (const auto& one : running.sessions())
    if (one.route == own) link = one.info.link;
  auto result =
      std::async(std::launch::async, [&] { return running.server().move(link, kToyListener, kMovePatience); });
  Lines other = greet(*running.other).first;
  client.send(frame("still here", toy::kSay));
  wes.until("still here");
  let_in(other, "two", "cleo");
  CHECK(result.get().how == How::kReferred);
  CHECK(as_text(client.read_all()).ends_with(kGoodbye));
  CHECK(eventually([&] { return running.server().totals(own).by(Reason::kReferred) == 1; }));
  other.all();
  wes.until("player_gone");
}

/// A game whose clients can load another world during a session, and the faces that act as its client.
struct Kind {
  const wire::Game& game;
  const core::Faces& faces;
  std::size_t dialect;
  bool enters_again;  ///< once it has loaded the other world, when its player wishes to play; it cannot chat before
};

TEST_CASE("arena move: clients of Ogar, Ace of Spades, native and the page continue in another world") {
  const Kind kinds[] = {{ogar::game(), ogar::faces(), 0, false},
                        {aos::game(), aos::faces(), 0, true},
                        {native::game(), native::faces(), 0, false},
                        {*native::game().over_web(), native::faces(), 0, false}};
  for (const Kind& kind : kinds) {
    CAPTURE(kind.game.name());
    const auto front = [&kind](std::size_t dialect) { return kind.faces.front({dialect, {}}); };
    Moving running(2);
    running.add(running.into("lobby", running.arena, kind.game, front, kind.dialect, no_limits()));
    const std::size_t own = running.addresses.size() - 1;
    // The client: a bridge from native, so that the test reads words.
    relay::RouteOptions client;
    client.game = &native::game();
    client.listen = loopback();
    client.listen_dialect = kJson;
    client.servers[0] = {
        .host = running.addresses[own].ip_text(), .port = running.addresses[own].port(), .dialect = kind.dialect};
    client.limits = no_limits();
    client.bridge.emplace();
    client.bridge->server_game = &kind.game;
    client.bridge->chat.every = 0;
    client.bridge->front = kNativeFront;
    client.bridge->back = [&](std::size_t dialect) { return kind.faces.back({dialect, {}}); };
    running.add(client);
    Lines anna(Stream::to(running.addresses.back()));
    anna.say(R"({"enter":{"name":"anna"}})");
    anna.until(R"("ready")");
    anna.say(R"({"spawn":{}})");
    relay::LinkId link = 0;
    REQUIRE(eventually([&] {
      for (const auto& one : running.sessions())
        if (one.route == own && one.player == "anna") link = one.info.link;
      return link != 0;
    }));
    auto result = std::async(std::launch::async, [&] { return running.server().move(link, kOther, kMovePatience); });
    Lines other = greet(*running.other).first;
    let_in(other, "two", "cleo");
    const MoveResult moved = result.get();
    CHECK_MESSAGE(moved.how == How::kMoved, moved.text);
    anna.until("cleo");
    if (kind.game.has_chat()) {
      if (kind.enters_again) {
        anna.say(R"({"spawn":{}})");
        other.until("spawn");
      } else {
        anna.say(R"({"say":{"text":"there now"}})");
        other.until("there now");
      }
      other.say(R"({"said":{"from":2,"text":"hello anna"}})");
      anna.until("hello anna");
    }
    other.say(R"({"player_gone":{"id":2}})");
    CHECK(running.server().totals(own).moved == 1);
    anna.stream().close();
    other.all();
    CHECK(eventually([&] { return running.server().totals(own).current_sessions() == 0; }));
  }
}

TEST_CASE("arena move: the server stops after a player was moved to a listener over ENet") {
  for (const std::size_t workers : {1U, 2U}) {
    Moving running(workers);
    const auto front = [](std::size_t dialect) { return aos::faces().front({dialect, {}}); };
    running.add(running.into("hall", running.hall, aos::game(), front, 0, no_limits()));
    Guest anna(running);
    CHECK(running.begin_move(running.addresses.size() - 1, link_of(running)).get().how == How::kMoved);
    anna.until("you were moved to the arena 'hall'");
    running.stop();  // returns only when that listener is closed
    anna.all();
  }
}

}  // namespace
}  // namespace entente::testing::arena_move_test
