// One arena with many edges: an owner and its edges, each with its own ProxyServer and NATS connection, as if in
// several processes.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "proxy/fleet/arena/edge_annex.h"
#include "proxy/fleet/arena/owner_annex.h"
#include "schema/fleet.pb.h"
#include "tests/fleet/store.h"
#include "tests/relay/native_lines.h"
#include "tests/support/nats_server.h"
#include "tests/support/repeated.h"

namespace entente::fleet::arena_test {
namespace {

using testing::Lines, testing::have;

const wire::Game* native_only(std::string_view name) {
  return name == native::game().name() ? &native::game() : nullptr;
}

/// One process of the fleet.
class Node {
 public:
  Node(const NatsServer& nats, std::string name, std::uint64_t run = 1)
      : bus_(options(nats, name)), server_(1, heard_) {
    arena_.bus = &bus_;
    arena_.arena = "field";
    arena_.node = std::move(name);
    arena_.run = run;
    arena_.find_game = native_only;
    arena_.told = [this](bool has_owner) {
      const std::lock_guard lock(mutex_);
      told_.push_back(has_owner);
    };
    arena_.stores = [this](const std::string& why) {
      const std::lock_guard lock(mutex_);
      told_stores_.push_back(why);
    };
  }
  ~Node() { stop(); }

  /// Runs the arena in its room.
  Node& own(std::uint64_t epoch, core::ArenaMode mode = core::ArenaMode::kTeams, std::optional<ReadArena> before = {}) {
    core::Arena place;
    place.rules.mode = mode;
    place.rules.respawn = 0.1;
    place.geometry = core::courtyard(100);
    relay::SharedRoomOptions room = options("the arena");
    *until = UINT64_MAX;
    const auto hand_over = [this](Bytes saved) {
      if (auto arena = read_arena(saved)) handed_over = std::move(*arena);
      gave_ = true;
    };
    fleet::own(arena_, epoch, until, place, std::move(before), hand_over, room);
    owned_ = server_.add_shared_room(room);
    return *this;
  }
  /// Closes the arena that it owns, as a node that drains does: its clients stay.
  void drain() {
    server_.retire_shared_room(owned_);
    REQUIRE(testing::eventually([this] { return gave_.load(); }));
  }
  /// Connects its clients to the arena.
  Node& lead() {
    relay::SharedRoomOptions room = options("the door");
    lead_to_owner(arena_, room);
    const std::size_t number = server_.add_shared_room(room);
    relay::RouteOptions listener;
    listener.game = &native::game();
    listener.listen = testing::loopback();
    listener.listen_dialect = testing::kJson;
    listener.servers[0].host = "field";
    listener.servers[0].dialect = testing::kJson;
    listener.limits = testing::no_limits();
    listener.bridge.emplace();
    listener.bridge->server_game = &native::game();
    listener.bridge->front = [](std::size_t dialect) { return native::make_front({dialect, {}}); };
    listener.bridge->shared_room = number;
    const auto listening = server_.add(listener);
    REQUIRE(listening.ok());
    address_ = listening->address;
    return *this;
  }
  Node& run() {
    thread_ = std::thread([this] { server_.run(); });
    return *this;
  }
  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Lines connect() const { return Lines(testing::Stream::to(address_)); }
  Lines player(const std::string& name, const std::string& more = "") const {
    Lines client = connect();
    client.say(R"({"enter":{"name":")" + name + "\"" + more + "}}");
    client.until(R"("ready")");
    return client;
  }
  const ArenaCounts& counts() const { return *arena_.counts; }
  BusCounts bus_counts() const { return bus_.counts(); }
  std::size_t sessions() { return server_.sessions().size(); }
  /// Whether the arena has an owner, each time that this was reported.
  std::vector<bool> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  /// Why it could not store its arena, each time that this was reported; empty: it could again.
  std::vector<std::string> told_stores() {
    const std::lock_guard lock(mutex_);
    return told_stores_;
  }

  const OwnedUntil until = std::make_shared<std::atomic<std::uint64_t>>(0);
  std::optional<ReadArena> handed_over;  ///< after stop() or drain()

 private:
  static BusOptions options(const NatsServer& nats, const std::string& name) {
    BusOptions bus;
    bus.servers = {nats.url()};
    bus.client = name;
    return bus;
  }
  static relay::SharedRoomOptions options(const char* name) {
    relay::SharedRoomOptions room;
    room.name = name;
    room.game = &native::game();
    room.chat.every = 0;
    return room;
  }

  testing::Heard heard_;
  Bus bus_;
  FleetArena arena_;
  relay::ProxyServer server_;
  net::Address address_;
  std::size_t owned_ = 0;  // the room of its arena
  std::atomic<bool> gave_{false};
  std::mutex mutex_;
  std::vector<bool> told_;
  std::vector<std::string> told_stores_;
  std::thread thread_;
};

/// Repeats the text until it arrives, because chat is dropped while the owner seems to be lost, as on a busy machine.
/// Returns what `to` received.
std::vector<std::string> talk(const Lines& from, Lines& to, const std::string& text) {
  const testing::Repeated speaker([&] { from.say(R"({"say":{"text":")" + text + "\"}}"); });
  return to.until(text);
}

/// Another bus client, which receives everything about the arena and can publish anything.
class Stranger final : public net::Ticker::User {
 public:
  explicit Stranger(const NatsServer& nats) : bus_({.servers = {nats.url()}, .client = "stranger"}) {
    thread_ = std::thread([this] {
      BusLine line(bus_, loop_);
      ticker_.emplace(loop_, *this, 2);
      line_ = &line;
      line.subscribe("entente.arena.field.>", [this](const BusMessage& message) {
        const std::lock_guard lock(mutex_);
        heard_[message.subject] += std::string(as_text(message.bytes));
        if (message.subject == "entente.arena.field.facts") last_.ParseFromString(std::string(as_text(message.bytes)));
      });
      while (!over_) uv_run(loop_.raw(), UV_RUN_ONCE);
      ticker_.reset();
      line_ = nullptr;
    });
    REQUIRE(testing::eventually([this] { return bus_.connected(); }));
  }
  ~Stranger() override {
    over_ = true;
    thread_.join();
    loop_.run();
  }
  void say(const std::string& subject, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    to_say_.emplace_back(subject, bytes);
  }
  std::string heard(const std::string& subject) {
    const std::lock_guard lock(mutex_);
    return heard_[subject];
  }
  bus::Facts last() {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  void tick(Millis) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [subject, bytes] : std::exchange(to_say_, {})) line_->publish(subject, as_bytes(bytes));
  }

  Bus bus_;
  net::Loop loop_;
  std::atomic<bool> over_{false};
  BusLine* line_ = nullptr;
  std::optional<net::Ticker> ticker_;
  std::mutex mutex_;
  std::map<std::string, std::string> heard_;
  bus::Facts last_;
  std::vector<std::pair<std::string, std::string>> to_say_;
  std::thread thread_;
};

TEST_CASE("players on two edges see each other, chat, spawn and die in one arena") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node owner(nats, "owner"), a(nats, "a"), b(nats, "b");
  owner.own(1).run();
  a.lead().run();
  b.lead().run();
  Lines anna = a.player("anna", R"(,"team":"RED")"), ben = b.player("ben", R"(,"team":"BLUE")");
  Lines carl = b.player("carl", R"(,"team":"RED")");
  anna.until("ben");
  anna.until("carl");
  talk(anna, ben, "hello all");
  anna.say(R"({"spawn":{}})");
  ben.until(R"("spawned")");
  anna.say(R"({"toward":{"x":0,"y":0}})");
  ben.until(R"("pose")");
  anna.say(R"({"death_claim":{"why":"BY_ITSELF"}})");
  ben.until(R"("died")");
  anna.until(R"("score")");

  // A team's chat reaches only the team.
  anna.say(R"({"say":{"scope":"MY_TEAM","text":"only red"}})");
  carl.until("only red");
  carl.say(R"({"say":{"text":"the end"}})");
  CHECK(!have(ben.until("the end"), "only red"));

  CHECK(owner.counts().players == 3);
  anna.stream().close();
  CHECK(have(ben.until(R"("player_gone")"), R"("player_gone")"));
  CHECK(testing::eventually([&] { return owner.counts().players == 2; }));
}

TEST_CASE("a late edge gets the world, and names are unique in the arena") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node owner(nats, "owner"), a(nats, "a"), late(nats, "late");
  owner.own(1, core::ArenaMode::kFreeForAll).run();
  a.lead().run();
  Lines anna = a.player("anna");
  anna.say(R"({"spawn":{}})");
  anna.until(R"("spawned")");
  late.lead().run();
  Lines second = late.connect();
  second.say(R"({"enter":{"name":"anna"}})");
  const auto greeting = second.until(R"("ready")");
  CHECK(have(greeting, R"("world")"));
  CHECK(have(greeting, R"("name":"anna")"));
  anna.until(R"("name":"anna 2")");  // names are unique in the arena
  CHECK(late.counts().snapshots == 1);
  CHECK(late.counts().gaps == 0);
}

TEST_CASE("chat to a team and passwords are sent only to the nodes that need them") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Stranger stranger(nats);
  Node owner(nats, "owner"), a(nats, "a"), b(nats, "b");
  owner.own(1).run();
  a.lead().run();
  b.lead().run();
  Lines anna = a.player("anna", R"(,"team":"RED","password":"sesame")");
  Lines ben = b.player("ben", R"(,"team":"BLUE")");
  anna.say(R"({"say":{"scope":"MY_TEAM","text":"for red"}})");
  anna.until("for red");
  talk(anna, ben, "for all");
  const auto has = [&](const char* subject, const char* text) {
    return stranger.heard(std::string("entente.arena.field.") + subject).find(text) != std::string::npos;
  };
  CHECK(testing::eventually([&] { return has("facts", "for all"); }));
  CHECK(has("to.a", "for red"));
  CHECK(!has("facts", "for red"));
  CHECK(!has("to.b", "for red"));
  CHECK(!has("facts", "sesame"));
  CHECK(!has("to.b", "sesame"));
}

TEST_CASE("a missed message is detected, and a snapshot repairs the world") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Stranger stranger(nats);
  Node owner(nats, "owner"), a(nats, "a"), b(nats, "b");
  owner.own(1).run();
  a.lead().run();
  b.lead().run();
  Lines anna = a.player("anna"), ben = b.player("ben");
  CHECK(testing::eventually([&] { return stranger.last().number() != 0; }));
  bus::Facts later;
  later.set_epoch(1);
  later.set_number(stranger.last().number() + 1'000'000);
  stranger.say("entente.arena.field.facts", later.SerializeAsString());
  CHECK(testing::eventually([&] { return a.counts().gaps >= 1 && a.counts().snapshots >= 2; }));
  talk(anna, ben, "still here");
  talk(ben, anna, "here too");
}

TEST_CASE("what an edge hears while it waits for a snapshot is no gap") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Stranger stranger(nats);
  Node a(nats, "a");
  a.lead().run();
  CHECK(testing::eventually([&] { return !stranger.heard("entente.arena.field.from.a").empty(); }));
  bus::Facts facts;
  facts.set_epoch(1);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    facts.set_number(number);
    stranger.say("entente.arena.field.facts", facts.SerializeAsString());
  }
  stranger.say("entente.arena.field.facts", "\x80\x80\x80");  // refused: so those before it were heard
  CHECK(testing::eventually([&] { return a.counts().refused == 1; }));
  CHECK(a.counts().gaps == 0);
}

TEST_CASE(
    "a node that owns an arena and has clients there counts the worlds that it sends and those that it receives") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node owner(nats, "owner"), a(nats, "a");
  owner.own(1).lead().run();
  Lines carl = owner.player("carl");
  CHECK(testing::eventually([&] { return owner.counts().snapshots >= 2; }));  // sent and received
  a.lead().run();
  Lines anna = a.player("anna");
  talk(anna, carl, "hello");
  CHECK(testing::eventually([&] { return owner.counts().snapshots >= 3; }));
}

TEST_CASE("an edge reports once that its arena has lost its owner, and once that it has one again") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node first(nats, "first"), a(nats, "a"), second(nats, "second");
  first.own(1).run();
  a.lead().run();
  Lines anna = a.player("anna");
  first.stop();
  CHECK(testing::eventually([&] { return !a.told().empty(); }));
  CHECK(a.told() == std::vector<bool>{false});
  Lines ben = a.connect();
  ben.say(R"({"enter":{"name":"ben"}})");
  for (Lines* const one : {&anna, &ben}) one->until("the arena is away; waiting for it");
  second.own(2).run();
  for (Lines* const one : {&anna, &ben}) one->until("back in the arena");
  CHECK(testing::eventually([&] { return a.told().size() > 1; }));
  CHECK(a.told() == std::vector<bool>{false, true});
  talk(anna, anna, "still here");
}

TEST_CASE("a player who says something while NATS is away is told that it is not passed on, and plays on afterwards") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  Node owner(nats, "owner"), a(nats, "a");
  owner.own(1).run();
  a.lead().run();
  Lines anna = a.player("anna");
  nats.kill();
  {
    const testing::Repeated speaker([&] { anna.say(R"({"say":{"text":"is anybody here?"}})"); });
    anna.until("not passed on");
  }
  nats.start();
  talk(anna, anna, "back");
}

TEST_CASE("an owner makes the stream for its arena if NATS does not have it, or has lost it") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node owner(nats, "owner");
  owner.own(1).run();
  REQUIRE(testing::eventually([&] { return owner.counts().stored != 0; }));
  CHECK(owner.bus_counts().failures != 0);
  REQUIRE(testing::eventually([&] { return owner.told_stores().size() == 2; }));
  Store store(nats);
  store.lose();
  const std::uint64_t before = owner.counts().stored;
  REQUIRE(testing::eventually([&] { return owner.counts().stored > before + 1; }));
  REQUIRE(testing::eventually([&] { return owner.told_stores().size() == 4; }));
  const auto told = owner.told_stores();
  for (std::size_t i = 0; i < told.size(); ++i) CHECK(told[i].empty() == (i % 2 == 1));
}

TEST_CASE("an owner that cannot store its arena because NATS is away does not say that storing fails") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  Node owner(nats, "owner");
  owner.own(1).run();
  REQUIRE(testing::eventually([&] { return owner.told_stores().size() == 2; }));  // it has made the stream
  nats.kill();
  const std::uint64_t before = owner.bus_counts().failures;
  CHECK(testing::eventually([&] { return owner.bus_counts().failures >= before + 2; }));
  CHECK(owner.told_stores().size() == 2);
}

TEST_CASE("an edge without an owner asks for the world once in each of its beats") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Stranger stranger(nats);
  Node a(nats, "a");
  const auto began = std::chrono::steady_clock::now();
  a.lead().run();
  CHECK(testing::eventually([&] {
    bus::FromNode last;
    return last.ParseFromString(stranger.heard("entente.arena.field.from.a")) && last.wants_world() &&
           last.number() >= 3;
  }));
  CHECK(std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(2 * kNodeBeat));
}

TEST_CASE("a hostile node cannot speak for players of another node, and invalid messages are refused") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Stranger stranger(nats);
  Node owner(nats, "owner"), a(nats, "a");
  owner.own(1).run();
  a.lead().run();
  Lines anna = a.player("anna");
  const std::uint64_t before = owner.counts().refused;
  stranger.say("entente.arena.field.from.evil", "\xff\xff garbage");
  bus::FromNode forged;
  forged.set_run(7);
  forged.set_number(1);
  for (std::uint32_t seat = 0; seat < 50; ++seat) {
    auto& part = *forged.add_parts();
    part.set_seat(seat);
    part.mutable_intent()->mutable_say()->set_text("forged");
  }
  auto& open = *forged.add_parts();
  open.set_seat(1);
  open.mutable_open()->set_game("no such game");
  stranger.say("entente.arena.field.from.evil", forged.SerializeAsString());
  CHECK(testing::eventually([&] { return owner.counts().refused >= before + 52; }));
  CHECK(!have(talk(anna, anna, "all is well"), "forged"));

  // False owners: one of an earlier epoch, and one that sends garbage.
  const std::uint64_t used = a.counts().refused;
  bus::Facts earlier;
  earlier.set_epoch(0);
  earlier.add_facts()->mutable_said()->set_text("a lie");
  stranger.say("entente.arena.field.facts", earlier.SerializeAsString());
  stranger.say("entente.arena.field.to.a", "\x80\x80\x80");
  CHECK(testing::eventually([&] { return a.counts().refused >= used + 2; }));
  CHECK(!have(talk(anna, anna, "as before"), "a lie"));
}

TEST_CASE("when an edge ends, only its own players leave") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node owner(nats, "owner"), a(nats, "a");
  auto b = std::make_unique<Node>(nats, "b");
  owner.own(1).run();
  a.lead().run();
  b->lead().run();
  Lines anna = a.player("anna"), ben = b->player("ben");
  anna.until("ben");
  b.reset();
  anna.until(R"("player_gone")");
  talk(anna, anna, "alone");
}

TEST_CASE("after an upgrade, a node is two processes, each with its own players") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node owner(nats, "owner"), older(nats, "a", 1), newer(nats, "a", 2);
  owner.own(1).run();
  older.lead().run();
  newer.lead().run();
  Lines anna = older.player("anna"), ben = newer.player("ben");
  anna.until("ben");
  for (const char* text : {"one", "two", "three"}) {
    CHECK(!have(talk(anna, ben, text), R"("player_gone")"));
    CHECK(!have(talk(ben, anna, std::string("not ") + text), R"("player_gone")"));
  }
  CHECK(owner.counts().players == 2);
}

TEST_CASE("a new owner: clients stay connected and play on, and the old owner is silent") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node first(nats, "first"), a(nats, "a"), b(nats, "b"), second(nats, "second");
  first.own(1).run();
  a.lead().run();
  b.lead().run();
  Lines anna = a.player("anna"), ben = b.player("ben");
  anna.until("ben");
  anna.say(R"({"spawn":{}})");
  ben.until(R"("spawned")");
  *first.until = 0;  // its lease has expired, and it has not noticed yet
  second.own(2).run();
  CHECK(testing::eventually([&] { return second.counts().players == 2; }));
  talk(anna, ben, "we are here");
  talk(ben, anna, "both of us");
  CHECK(a.sessions() == 1);
  CHECK(b.sessions() == 1);
}

TEST_CASE("a player is told at the next owner that the last one has not heard what it said") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Stranger stranger(nats);
  Node first(nats, "first"), a(nats, "a"), second(nats, "second");
  first.own(1).run();
  a.lead().run();
  Lines anna = a.player("anna");
  *first.until = 0;  // silent from now on, as if it were killed
  anna.say(R"({"say":{"text":"anybody here?"}})");
  CHECK(testing::eventually(
      [&] { return stranger.heard("entente.arena.field.from.a").find("anybody here?") != std::string::npos; }));
  second.own(2).run();
  CHECK(!have(anna.until("not passed on: Say: the server is away"), R"("said")"));
}

TEST_CASE("messages that a node refuses are no sign of life of the owner") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Stranger stranger(nats);
  Node owner(nats, "owner"), a(nats, "a");
  owner.own(2).run();
  a.lead().run();
  Lines anna = a.player("anna");
  bus::Facts earlier;
  earlier.set_epoch(1);
  earlier.set_number(1);
  const testing::Repeated nonsense([&] {
    stranger.say("entente.arena.field.facts", "?");
    stranger.say("entente.arena.field.facts", earlier.SerializeAsString());
  });
  CHECK(testing::eventually([&] { return a.counts().refused >= 2; }));
  *owner.until = 0;  // silent from now on
  const testing::Repeated speaker([&] { anna.say(R"({"say":{"text":"anybody here?"}})"); });
  anna.until("not passed on: Say: the server is away");
}

void spawn(Lines& player) {
  player.say(R"({"spawn":{}})");
  player.until(R"("spawned")");
}

void nobody_goes(const std::vector<std::string>& heard) {
  for (const char* word : {R"("player_gone")", R"("gone")", R"("died")"}) CHECK_MESSAGE(!have(heard, word), word);
}

std::set<std::string> names_of(const ReadArena& arena) {
  std::set<std::string> names;
  for (const auto& [seat, player] : arena.seats) names.insert(player.who().name());
  return names;
}

TEST_CASE("a new owner restores names, scores, places and flags from the stored arena, and no player leaves") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node first(nats, "first"), a(nats, "a"), b(nats, "b"), second(nats, "second");
  Store store(nats);
  first.own(1, core::ArenaMode::kFlags).run();
  a.lead().run();
  b.lead().run();
  Lines anna = a.player("anna", R"(,"team":"RED")");
  anna.until(R"("name":"anna")");  // the owner has accepted her, so the other one gets another name
  Lines other = b.player("anna", R"(,"team":"BLUE")");
  anna.until("anna 2");
  for (Lines* one : {&anna, &other}) one->say(R"({"spawn":{}})");
  for (Lines* one : {&anna, &other})
    for (int both = 0; both < 2; ++both) one->until(R"("spawned")");
  // Two deaths of anna, which are scored, and her next spawn.
  for (int i = 1; i <= 2; ++i) {
    anna.say(R"({"death_claim":{"why":"BY_ITSELF"}})");
    anna.until("\"losses\":" + std::to_string(i));
    spawn(anna);
  }
  const ReadArena before = store.until(
      [](const core::SavedPlayer& start) { return start.name == "anna" && start.score.losses() == 2 && start.pose; });
  CHECK(before.starts.size() == 2);
  CHECK(names_of(before) == std::set<std::string>{"anna", "anna 2"});
  CHECK(before.in_play.tokens.size() == 2);
  talk(anna, other, "before it");
  *first.until = 0;  // silent from now on, as if it were killed
  first.stop();
  CHECK(!first.handed_over);
  anna.say(R"({"change":{"motto":"gone fishing"}})");
  second.own(2, core::ArenaMode::kFlags, before).run();
  CHECK(testing::eventually([&] { return second.counts().players == 2; }));
  nobody_goes(talk(anna, other, "as before"));
  talk(other, anna, "you too");
  const std::uint64_t stored = second.counts().stored;
  REQUIRE(testing::eventually([&] { return second.counts().stored > stored; }));
  ReadArena after;
  CHECK(testing::eventually([&] {
    after = store.until([](const core::SavedPlayer& start) { return start.name == "anna"; });
    return std::any_of(after.seats.begin(), after.seats.end(),
                       [](const auto& one) { return one.second.who().motto() == "gone fishing"; });
  }));
  REQUIRE(after.starts.size() == 2);
  for (const core::SavedPlayer& was : before.starts)
    for (const core::SavedPlayer& is : after.starts) {
      if (is.name != was.name) continue;
      CHECK(is.team == was.team);
      CHECK(is.score.losses() == was.score.losses());
      REQUIRE(is.pose.has_value());
      CHECK(std::hypot(is.pose->x() - was.pose->x(), is.pose->y() - was.pose->y()) < 0.5);
    }
  CHECK(names_of(after) == names_of(before));
}

/// An arena that was stored with a player `anna` of the node `away`.
ReadArena with_anna(const std::string& address) {
  bus::SavedArena saved;
  auto& anna = *saved.add_players();
  anna.mutable_who()->set_id(7);
  anna.mutable_who()->set_name("anna");
  anna.mutable_score()->set_losses(3);
  anna.mutable_pose()->set_x(20);
  anna.set_health(40);
  anna.set_node("away");
  anna.set_run(1);
  anna.set_seat(5);
  anna.mutable_client()->set_game("native");
  anna.mutable_client()->set_address(address);
  auto read = read_arena(as_bytes(saved.SerializeAsString()));
  REQUIRE(read.ok());
  return *read;
}

TEST_CASE("players of a node that does not answer stay in the next owner's world until the node is lost") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node owner(nats, "owner"), b(nats, "b");
  owner.own(2, core::ArenaMode::kFreeForAll, with_anna("192.0.2.1:5")).run();
  b.lead().run();
  Lines ben = b.connect();
  ben.say(R"({"enter":{"name":"anna"}})");
  const auto greeting = ben.until(R"("ready")");
  CHECK(have(greeting, R"("name":"anna")"));
  CHECK(have(greeting, R"("losses":3)"));
  CHECK(testing::eventually([&] { return owner.counts().players == 2; }));
  ben.until(R"("player_gone")");
  CHECK(testing::eventually([&] { return owner.counts().players == 1; }));
}

TEST_CASE("a player of that node that comes back through another node continues as the same player") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node owner(nats, "owner"), b(nats, "b");
  owner.own(2, core::ArenaMode::kFreeForAll, with_anna("127.0.0.1:5")).run();
  b.lead().run();
  Lines anna = b.player("anna");
  talk(anna, anna, "I am in");
  owner.stop();
  REQUIRE(owner.handed_over);
  REQUIRE(owner.handed_over->starts.size() == 1);
  CHECK(owner.handed_over->starts[0].name == "anna");
  CHECK(owner.handed_over->starts[0].score.losses() == 3);
  REQUIRE(owner.handed_over->seats.size() == 1);
  CHECK(std::get<0>(owner.handed_over->seats.begin()->first) == "b");
}

TEST_CASE("a stopped owner announces no leaving players, and hands over everything it knows") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node first(nats, "first"), a(nats, "a"), b(nats, "b"), second(nats, "second");
  first.own(1).lead().run();
  a.lead().run();
  b.lead().run();
  Lines anna = a.player("anna"), ben = b.player("ben"), carl = first.player("carl");
  anna.until("carl");
  spawn(anna);
  anna.say(R"({"death_claim":{"why":"BY_ITSELF"}})");
  ben.until(R"("losses":1)");  // newer than what was stored
  first.stop();
  REQUIRE(first.handed_over);
  CHECK(names_of(*first.handed_over) == std::set<std::string>{"anna", "ben"});  // carl leaves with the owner
  second.own(2, core::ArenaMode::kTeams, first.handed_over).run();
  const auto heard = talk(anna, ben, "still here");
  std::size_t gone = 0;
  for (const std::string& line : heard) gone += line.find(R"("player_gone")") != std::string::npos ? 1 : 0;
  CHECK(gone == 1);  // carl
  const auto& start = first.handed_over->starts;
  CHECK(std::any_of(start.begin(), start.end(),
                    [](const auto& one) { return one.name == "anna" && one.score.losses() == 1; }));
}

TEST_CASE("an owner that drains also hands over the players who are connected to it, for they stay") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Node first(nats, "first"), a(nats, "a");
  first.own(1).lead().run();
  a.lead().run();
  Lines anna = a.player("anna"), carl = first.player("carl");
  anna.until("carl");
  first.drain();
  REQUIRE(first.handed_over);
  CHECK(names_of(*first.handed_over) == std::set<std::string>{"anna", "carl"});
}

}  // namespace
}  // namespace entente::fleet::arena_test
