// Whom the ids of an owner mean in the room of an edge, and what the room is told of a snapshot.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/core/replay/resync_phase.h"
#include "tests/fleet/edge.h"

namespace entente::fleet::mirror_ids_test {
namespace {

using testing::add_player, testing::Edge, testing::facts, testing::kEpoch, testing::kPlayer, testing::Said,
    testing::secret, testing::with_player;

/// The room's id of the player with this name; 0: there is none.
core::Id named(const Edge& edge, const std::string& name) {
  for (const auto& [id, player] : edge.room->world().players())
    if (player.player.name() == name) return id;
  return 0;
}

/// Facts with this number that tell of a player.
bus::Facts comes(std::uint64_t number, core::Id player, const std::string& name) {
  bus::Facts message = facts(number, {});
  message.add_facts()->mutable_player()->set_id(player);
  message.mutable_facts(0)->mutable_player()->set_name(name);
  return message;
}

bool is_another(const Edge& edge, const std::string& name) {
  const core::Id id = named(edge, name);
  return id != 0 && id != edge.seat;
}

TEST_CASE("a player with the id that ours had is somebody else once the owner does not have our seat any more") {
  Edge edge;
  edge.world_without_seat(with_player(kPlayer, "zoe", true, 100), kEpoch, ++edge.number);
  CHECK(is_another(edge, "zoe"));
}

TEST_CASE("a player with the id that ours had is somebody else once ours was sent away") {
  Edge edge;
  bus::ToNode kick;
  kick.add_parts()->mutable_closed()->set_seat(edge.seat);
  CHECK(edge.tell(kick));
  CHECK(edge.tell(comes(1, kPlayer, "zoe")));
  CHECK(is_another(edge, "zoe"));
}

TEST_CASE("a player with the id that ours had is somebody else once the owner has given ours another one") {
  Edge edge;
  bus::ToNode seats;
  seats.add_parts()->mutable_seat()->set_seat(edge.seat);
  seats.mutable_parts(0)->mutable_seat()->set_player(kPlayer + 1);
  CHECK(edge.tell(seats));
  bus::Facts both = comes(1, kPlayer, "zoe");
  both.add_facts()->mutable_player()->set_id(kPlayer + 1);
  both.mutable_facts(1)->mutable_player()->set_name("anna");
  CHECK(edge.tell(both));
  CHECK(is_another(edge, "zoe"));
  CHECK(named(edge, "anna") == edge.seat);
}

TEST_CASE("an id whose player turns out to be ours means nobody else any more") {
  Edge edge;
  CHECK(edge.tell(comes(1, kPlayer + 1, "zoe")));
  const core::Id before = named(edge, "zoe");
  REQUIRE(before != edge.seat);
  bus::ToNode seats;
  seats.set_facts(1);
  seats.add_parts()->mutable_seat()->set_seat(edge.seat);
  seats.mutable_parts(0)->mutable_seat()->set_player(kPlayer + 1);
  CHECK(edge.tell(seats));
  (void)edge.message();
  edge.say("to " + std::to_string(before));
  const bus::FromNode message = edge.message();
  REQUIRE(message.parts_size() == 1);
  CHECK(message.parts(0).intent().say().to() == 0);
}

TEST_CASE("an id that a snapshot does not have means somebody else when the owner uses it again") {
  Edge edge;
  bus::Snapshot snapshot;
  add_player(snapshot, 50, 51, 52);
  edge.world(snapshot, kEpoch, ++edge.number);
  const core::Id carla = named(edge, "carla");
  REQUIRE(carla != 0);
  edge.world(bus::Snapshot(), kEpoch, ++edge.number);
  CHECK(named(edge, "carla") == 0);
  CHECK(edge.tell(comes(1, 50, "dora")));
  CHECK(named(edge, "dora") != 0);
  CHECK(named(edge, "dora") != carla);
}

TEST_CASE("what a player alone is told stays the answer to what it has asked") {
  Edge edge;
  bus::ToNode answer = secret(0, 0, "");
  answer.mutable_parts(0)->mutable_fact()->mutable_notice()->set_text("no");
  answer.mutable_parts(0)->mutable_fact()->set_cause(7);
  CHECK(edge.tell(answer));
  CHECK(edge.causes == std::vector<std::uint32_t>{7});
}

TEST_CASE("a player who was sent away and then leaves is not opened at the owner again") {
  Edge edge;
  bus::ToNode kick;
  kick.add_parts()->mutable_closed()->set_seat(edge.seat);
  CHECK(edge.tell(kick));
  edge.say("leave");
  CHECK(edge.message().parts_size() == 0);
}

TEST_CASE("a unit that is in play again in a snapshot, but hidden, does not spawn before everybody's eyes") {
  Edge edge;
  edge.world(with_player(70, "ben", false, 100), kEpoch, ++edge.number);
  bus::Snapshot next = with_player(70, "ben", true, 100);
  next.add_world()->mutable_hidden()->set_unit(71);
  edge.world(next, kEpoch, ++edge.number);
  CHECK(edge.said.empty());
}

TEST_CASE("a unit without an owner that is gone from play in a snapshot is nobody's death") {
  Edge edge;
  for (const bool alive : {true, false}) {
    bus::Snapshot world;
    auto& unit = *world.add_world()->mutable_unit();
    unit.set_id(80);
    unit.set_alive(alive);
    edge.world(world, kEpoch, ++edge.number);
  }
  CHECK(edge.said.empty());
}

/// Notes which facts it hears as events, and which as a description of what is there.
class Viewer final : public core::Front {
 public:
  explicit Viewer(Said& heard) : heard_(heard) {}
  void receive(const Frames&, core::FrontOut& out) override { out.say(words::Enter()); }
  void hear(const core::Fact& fact, core::FrontOut&) override {
    phase_.hear(fact);
    const std::string how = phase_ ? " there" : " now";
    if (core::as<words::TeamScore>(fact) != nullptr) heard_.push_back("score" + how);
    if (const auto* unit = core::as<words::Unit>(fact)) heard_.push_back((unit->alive() ? "alive" : "dead") + how);
    if (core::as<words::Spawned>(fact) != nullptr) heard_.push_back("spawned" + how);
    if (core::as<words::Died>(fact) != nullptr) heard_.push_back("died" + how);
    if (core::as<words::Notice>(fact) != nullptr) heard_.push_back("notice" + how);
  }

 private:
  core::ResyncPhase phase_;
  Said& heard_;
};

TEST_CASE("what a later snapshot brings is no event, but who comes into play or dies does so now, after it") {
  Edge edge;
  edge.world(with_player(70, "ben", false, 100), kEpoch, ++edge.number);
  Said heard;
  const core::Id seat = edge.room->seat(std::make_unique<Viewer>(heard), {}, ++edge.now);
  edge.room->received(seat, {Lane::kStream, as_bytes(std::string_view("enter"))}, ++edge.now);
  heard.clear();
  bus::Snapshot next = with_player(70, "ben", true, 100);
  next.add_world()->mutable_team_score()->set_wins(5);
  edge.world(next, kEpoch, ++edge.number);
  CHECK(heard == Said{"dead there", "score there", "spawned now"});
  heard.clear();
  next.mutable_world(1)->mutable_unit()->set_alive(false);
  edge.world(next, kEpoch, ++edge.number);
  CHECK(heard == Said{"alive there", "died now"});
  heard.clear();
  bus::Facts news = facts(1, {});
  news.add_facts()->mutable_notice()->set_text("news");
  CHECK(edge.tell(news));
  CHECK(heard == Said{"notice now"});
}

TEST_CASE("what the next owner tells before its world counts, though its numbers are lower than those of the last") {
  Edge edge;
  for (std::uint64_t number = 1; number <= 5; ++number) CHECK(edge.tell(facts(number, {})));
  for (std::uint64_t number = 1; number <= 2; ++number)
    CHECK(edge.tell(facts(number, {std::to_string(number)}, kEpoch + 1)));
  bus::Snapshot world;
  world.set_facts(1);
  edge.world(world, kEpoch + 1, 1);
  CHECK_FALSE(edge.mirror->lacks_world());
  CHECK(edge.said == Said{"2"});
}

TEST_CASE("a player of another node whose new name was missed is the same player in a snapshot of the same owner") {
  Edge edge;
  edge.world(with_player(70, "ben", true, 100), kEpoch, ++edge.number);
  const core::Id ben = named(edge, "ben");
  REQUIRE(ben != 0);
  edge.world(with_player(70, "bernd", true, 100), kEpoch, ++edge.number);
  CHECK(named(edge, "bernd") == ben);
  CHECK(edge.gone == 0);
}

}  // namespace
}  // namespace entente::fleet::mirror_ids_test
