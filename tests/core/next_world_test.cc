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

  std::string said;
};

class Player final : public Front {
 public:
  void receive(const Frames&, FrontOut& out) override { out.say(words::Enter()); }
  void hear(const Fact& fact, FrontOut& out) override {
    std::string line = name_of(fact);
    if (const auto* refused = as<words::Refused>(fact)) line += ": " + refused->text();
    out.send(Lane::kStream, as_bytes(line));
  }
};

/// "full": has no seat. "stops": it stops. Anything else lets the player in. It closes with a code if it is full.
class Server final : public Back {
 public:
  void receive(const Frames& frames, BackOut& out) override {
    const std::string_view line = as_text(frames.bytes);
    if (line == "full") return void(out.report_server_full("it is full"));
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
    return told.said.find("Refused: it is full") != std::string::npos;
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
