// A player whose server was lost: whether the next world is the same place, and what it is told if no server lets it
// in.
#include "proxy/core/room/next_world.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "proxy/core/room/room.h"

namespace entente::core::next_world_test {
namespace {

words::World map(const char* name) {
  words::World word;
  word.set_name(name);
  return word;
}

words::Room settings(std::uint32_t shots) {
  words::Room word;
  word.set_most_shots(shots);
  return word;
}

bool goes_on(const WorldState& world, std::initializer_list<Fact> next) {
  WorldState there;
  for (const Fact& fact : next) there.fold(fact);
  return is_same_place(world, there);
}

TEST_CASE("a world is the same place if its map and settings are the same") {
  WorldState world;
  world.fold(Fact(map("hills")));
  world.fold(Fact(settings(5)));
  world.fold(Fact(words::Ready()));
  CHECK(goes_on(world, {Fact(map("hills")), Fact(settings(5))}));
  CHECK_FALSE(goes_on(world, {Fact(map("plains")), Fact(settings(5))}));
  CHECK_FALSE(goes_on(world, {Fact(map("hills")), Fact(settings(3))}));
  CHECK_FALSE(goes_on(world, {Fact(settings(5))}));
}

TEST_CASE("a player who has loaded no world can go to any; one who is in a world without a map, only to such a one") {
  WorldState world;
  CHECK(goes_on(world, {Fact(map("hills"))}));
  CHECK(goes_on(world, {}));
  world.fold(Fact(words::Ready()));
  CHECK_FALSE(goes_on(world, {Fact(map("hills"))}));
  CHECK(goes_on(world, {}));
}

TEST_CASE("a world with other settings that clients learn when they join is not the same place") {
  WorldState world;
  world.fold(Fact(map("hills")));
  world.fold(Fact(settings(5)));
  const auto with = [&](const auto& change) {
    words::Room room = settings(5);
    change(room);
    return goes_on(world, {Fact(map("hills")), Fact(room)});
  };
  CHECK(with([](words::Room& room) { room.set_name("another"), room.set_players(7), room.set_most_players(9); }));
  CHECK_FALSE(with([](words::Room& room) { room.set_mode("capture the flag"); }));
  CHECK_FALSE(with([](words::Room& room) { room.set_jumping(true); }));
  CHECK_FALSE(with([](words::Room& room) { room.set_ricochet(true); }));
  CHECK_FALSE(with([](words::Room& room) { room.set_teams(true); }));
}

words::Player named(Id id, const char* name) {
  words::Player player;
  player.set_id(id);
  player.set_name(name);
  return player;
}

/// Players 1 and 2, each with a unit that lives.
WorldState played_in() {
  WorldState world;
  world.fold(Fact(settings(5)));
  for (const Id id : {1U, 2U}) {
    words::Unit unit;
    unit.set_id(id + 10);
    unit.set_owner(id);
    unit.set_alive(true);
    words::Owns owns;
    owns.set_player(id);
    owns.add_units(id + 10);
    owns.set_active(id + 10);
    words::Score score;
    score.set_player(id);
    score.set_wins(3);
    for (const Fact& fact : {Fact(named(id, "anna")), Fact(unit), Fact(owns), Fact(score)}) world.fold(fact);
  }
  words::Round round;
  round.set_left_s(9);
  world.fold(Fact(round));
  world.fold(Fact(words::Ready()));
  return world;
}

std::size_t count(const std::vector<Fact>& facts, std::string_view name) {
  std::size_t found = 0;
  for (const Fact& fact : facts) found += name_of(fact) == name ? 1 : 0;
  return found;
}

TEST_CASE("a player whose server is lost dies, and is left alone with its score and the round") {
  WorldState world = played_in();
  const std::vector<Fact> facts = facts_of_loss(world, 1);
  REQUIRE_FALSE(facts.empty());
  const auto* died = as<words::Died>(facts.front());
  REQUIRE(died != nullptr);
  CHECK(died->player() == 1);
  CHECK(died->unit() == 11);
  CHECK(died->killer() == 0);
  CHECK(died->why() == words::BY_SERVER);
  CHECK(count(facts, "Died") == 1);
  for (const Fact& fact : facts) world.fold(fact);
  CHECK(world.units().empty());
  REQUIRE(world.players().size() == 1);
  CHECK(world.player(1)->player.name() == "anna");
  CHECK(world.player(1)->score.wins() == 3);
  CHECK(world.room().most_shots() == 5);
  CHECK(world.round().left_s() == 9);
}

TEST_CASE("a player who was not alive when its server was lost does not die again") {
  WorldState world = played_in();
  words::Died died;
  died.set_unit(11);
  world.fold(Fact(died));
  CHECK(count(facts_of_loss(world, 1), "Died") == 0);
}

TEST_CASE(
    "a player is in the world into which it comes even before its server says so, and is told once that it is ready") {
  const WorldState world = played_in();
  WorldState silent;
  silent.fold(Fact(settings(5)));
  CHECK(count(facts_of_arrival(world, silent, 1), "Ready") == 0);  // its client knows that already
  REQUIRE(silent.player(1) != nullptr);
  CHECK(silent.player(1)->player.name() == "anna");
  CHECK(silent.ready());
  WorldState renamed;
  renamed.fold(Fact(named(1, "anna 2")));
  (void)facts_of_arrival(world, renamed, 1);
  CHECK(renamed.player(1)->player.name() == "anna 2");  // what the server says counts
  WorldState first, next;
  first.fold(Fact(named(1, "anna")));
  const std::vector<Fact> facts = facts_of_arrival(first, next, 1);
  REQUIRE_FALSE(facts.empty());
  CHECK(as<words::Ready>(facts.back()) != nullptr);
  CHECK(count(facts, "Ready") == 1);
}

/// Records what the player is told.
class Told final : public Room::Host {
 public:
  void send(Id, Lane, Bytes bytes) override { said += std::string(as_text(bytes)) + "\n"; }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view why, std::uint32_t) override { said += "closes: " + std::string(why) + "\n"; }
  void failed(Id, const Fault&) override {}
  void dial() override {}
  bool await_next_server(std::string_view, Wait) override { return true; }
  void on_arrival(Micros) override { said += "arrives\n"; }
  void next_refuses(const words::Refused& refused) override {
    said +=
        (refused.code() == words::Refused::FULL ? "the next is full: " : "the next refuses: ") + refused.text() + "\n";
  }
  void move_failed(std::string_view why, bool) override { said += "stays: " + std::string(why) + "\n"; }

  std::string said;
};

class Player final : public Front {
 public:
  void receive(const Frames&, FrontOut& out) override { out.say(words::Enter()); }
  void hear(const Fact& fact, FrontOut& out) override {
    std::string line = name_of(fact);
    if (const auto* refused = as<words::Refused>(fact))
      line += (refused->code() == words::Refused::FULL ? " as full: " : ": ") + refused->text();
    out.send(Lane::kStream, as_bytes(line));
  }
};

/// "full": has no seat. "stops": it stops. Anything else lets the player in. It closes with a code if it is full.
class Server final : public Back {
 public:
  void receive(const Frames& frames, BackOut& out) override {
    const std::string_view line = as_text(frames.bytes);
    for (int i = 0; i < (line == "full" ? 1 : line == "full, full" ? 2 : 0); ++i)
      (void)out.report_server_full("it is full");
    if (line.starts_with("full")) return;
    if (line == "stops") return void(out.report_server_stopping("it stops"));
    words::Player player;
    player.set_id(out.me());
    out.say(player);
    out.say(words::Ready());
  }
  void hear(const Intent&, BackOut&) override {}
  void closed_with_code(std::uint32_t, std::string_view, BackOut& out) override {
    words::Refused refused;
    refused.set_code(words::Refused::FULL);
    out.say(Fact(out.me(), refused));
  }
};

struct Wish {
  Wish() {
    room.seat(std::make_unique<Player>(), {}, 0);
    room.received(1, {Lane::kStream, as_bytes("enter")}, 0);
    room.back_opened({}, 0);
  }
  void server_says(const char* line) { room.received(kBackId, {Lane::kStream, as_bytes(line)}, 0); }
  Wait next_server(std::string_view why) {
    const Wait wait = room.transition().replace_back(std::make_unique<Server>(), {why}, 0);
    room.back_opened({}, 0);
    return wait;
  }
  /// No further server comes.
  bool is_told_full() {
    told.said.clear();
    room.gone(kBackId, "nobody listens", 0);
    CHECK(room.over());
    return told.said.find("Refused as full: it is full") != std::string::npos;
  }

  Told told;
  Room room{told, std::make_unique<Server>(), {}};
};

TEST_CASE(
    "a player who waited for a seat is told at the end that the server was full, unless it waited for something else "
    "since") {
  Wish wish;
  wish.server_says("full");
  REQUIRE(wish.next_server("it is full") == Wait::kPlayerSlot);
  SUBCASE("it waited for the seat alone") { CHECK(wish.is_told_full()); }
  SUBCASE("the next server was full, too") {
    wish.server_says("full");
    REQUIRE(wish.next_server("it is full") == Wait::kPlayerSlot);
    CHECK(wish.is_told_full());
  }
  SUBCASE("the next server stopped") {
    wish.server_says("stops");
    REQUIRE(wish.next_server("it stops") == Wait::kServer);
    CHECK_FALSE(wish.is_told_full());
  }
  SUBCASE("it came in") {
    wish.server_says("come in");
    REQUIRE_FALSE(wish.room.transition().awaits_server());
    CHECK_FALSE(wish.is_told_full());
  }
  SUBCASE("it came in, lost that server, and came into another") {
    wish.server_says("come in");
    wish.server_says("stops");
    REQUIRE(wish.next_server("it stops") == Wait::kServer);
    wish.server_says("full");
    REQUIRE(wish.next_server("it is full") == Wait::kPlayerSlot);
    wish.server_says("come in");
    REQUIRE_FALSE(wish.room.transition().awaits_server());
    CHECK_FALSE(wish.is_told_full());
  }
}

TEST_CASE("a player is not moved to a server that is full, and the host learns that once") {
  for (const char* line : {"full", "full, full"}) {
    Wish wish;
    wish.server_says("come in");
    wish.room.transition().begin_move(std::make_unique<Server>(), 0);
    wish.room.back_opened({}, 0, kNextBackId);
    wish.told.said.clear();
    wish.room.received(kNextBackId, {Lane::kStream, as_bytes(std::string_view(line))}, 0);
    CHECK(wish.told.said == "the next is full: it is full\ncloses: it is full\nstays: it is full\n");
    CHECK_FALSE(wish.room.over());
    CHECK(wish.room.transition().can_move());
  }
}

TEST_CASE("each time that a player has lost its server, the host learns when the player is in the next one's world") {
  Wish wish;
  wish.server_says("come in");
  CHECK(wish.told.said.find("arrives") == std::string::npos);
  for (int i = 0; i < 2; ++i) {
    wish.server_says("stops");
    wish.told.said.clear();
    REQUIRE(wish.next_server("it stops") == Wait::kServer);
    CHECK(wish.told.said.find("arrives") == std::string::npos);
    wish.server_says("come in");
    CHECK(wish.told.said.ends_with("arrives\n"));
  }
}

TEST_CASE("a room ends for its own reason, even if an earlier server was lost for another one") {
  Wish wish;
  wish.room.gone(kBackId, "it is full", 0, 3);
  REQUIRE(wish.next_server("it is full") == Wait::kPlayerSlot);
  wish.server_says("come in");
  REQUIRE_FALSE(wish.room.over());
  wish.told.said.clear();
  wish.room.end("closing time", 0);
  CHECK(wish.told.said == "closes: closing time\ncloses: closing time\n");
}

}  // namespace
}  // namespace entente::core::next_world_test
