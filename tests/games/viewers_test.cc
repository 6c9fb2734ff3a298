// Two clients of each game watch the same moment of a replay, each with its own clock. Neither shows the other.
#include <doctest/doctest.h>

#include <deque>
#include <optional>
#include <set>

#include "adapters/registry.h"
#include "proxy/core/replay/replay.h"
#include "proxy/core/room/room.h"
#include "tests/support/cut_link.h"
#include "tests/support/memory_facts.h"

namespace entente::viewers_test {
namespace {

using core::Fact, core::Id, core::kMillisecond, core::kSecond, core::Micros;

constexpr Micros kBeat = 10 * kMillisecond;

template <class T>
Fact at(Micros when, const T& word) {
  Fact fact(word);
  fact.at = when;
  return fact;
}

/// "pia" drives for a minute.
std::vector<Fact> drive() {
  words::Room room;
  room.set_game("panic");
  words::World land;
  core::set_sides(land, 800, 800);
  words::Player player;
  player.set_id(1);
  player.set_name("pia");
  player.set_responding(true);
  words::Unit unit;
  unit.set_id(2);
  unit.set_owner(1);
  unit.set_kind(words::Unit::TANK);
  unit.set_alive(true);
  unit.set_health(100);
  unit.set_max_health(100);
  words::Owns owns;
  owns.set_player(1);
  owns.add_units(2);
  owns.set_active(2);
  std::vector<Fact> facts{at(0, room), at(0, land), at(0, player), at(0, unit), at(0, owns), at(0, words::Ready())};
  for (int i = 1; i <= 600; ++i) {
    words::Pose pose;
    pose.set_unit(2);
    pose.set_x(i % 100);
    facts.push_back(at(static_cast<Micros>(i) * 100 * kMillisecond, pose));
  }
  return facts;
}

struct Piece {
  Id end;
  Lane lane;
  Buffer bytes;
};

class Wire final : public core::Room::Host {
 public:
  void send(Id end, Lane lane, Bytes bytes) override {
    sent.push_back({end, lane, Buffer(bytes.begin(), bytes.end())});
  }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view why, std::uint32_t) override { closed += std::string(why) + "\n"; }
  void failed(Id, const Fault& fault) override { closed += std::string(fault.what) + " in " + fault.field + "\n"; }
  void dial() override { dialled = true; }

  std::deque<Piece> sent;
  std::string closed;
  bool dialled = false;
};

/// Watches, and keeps what it is told.
class Watcher final : public core::Front {
 public:
  Watcher(std::string name, std::set<std::string>& told) : name_(std::move(name)), told_(told) {}
  void opened(const core::Peer&, core::FrontOut& out) override {
    words::Enter enter;
    enter.set_name(name_);
    enter.set_role(words::WATCH);
    out.say(enter);
  }
  void receive(const Frames&, core::FrontOut&) override {}
  void hear(const Fact& fact, core::FrontOut&) override {
    if (const auto* player = core::as<words::Player>(fact)) told_.insert(player->name());
    if (core::as<words::Ready>(fact) != nullptr) told_.insert("Ready");
  }

 private:
  std::string name_;
  std::set<std::string>& told_;
};

/// The replay, and its viewers, which are clients of one game.
class Cinema {
 public:
  /// Each viewer has its own clock, and all stand, so that they show the same moment.
  Cinema(const wire::Game& game, std::size_t dialect)
      : Cinema(game, dialect, std::make_unique<testing::MemoryFacts>(drive()), false) {}
  /// `plays`: one clock for all, which runs.
  Cinema(const wire::Game& game, std::size_t dialect, std::unique_ptr<testing::MemoryFacts> facts, bool plays)
      : game_(game), dialect_(dialect) {
    core::Replay::Options options;
    options.one_clock = plays;
    options.paused = !plays;
    core::RoomOptions many;
    many.shared = true;
    room_.emplace(here_, std::make_unique<core::Replay>(std::move(facts), options), many);
    room_->back_opened({}, now_);
  }

  struct Viewer {
    std::set<std::string> told;
    Wire wire;
    std::optional<core::Room> room;
    std::optional<testing::CutLink> up, down;
    Id seat = 0;
    bool opened = false;
  };

  Viewer& enter(const std::string& name) {
    Viewer& viewer = viewers_.emplace_back();
    viewer.room.emplace(viewer.wire, faces_of(game_).back({dialect_, {}}), core::RoomOptions());
    viewer.room->seat(std::make_unique<Watcher>(name, viewer.told), {}, now_);
    return viewer;
  }

  void pass(Micros time) {
    for (const Micros until = now_ + time; now_ < until; now_ += kBeat) {
      tick(*room_);
      for (Viewer& viewer : viewers_) tick(*viewer.room);
      deliver();
    }
  }

  const std::string& closed_here() const { return here_.closed; }

 private:
  void tick(core::Room& room) const {
    if (room.next_wake() <= now_) room.tick(now_);
  }
  void deliver() {
    for (Viewer& viewer : viewers_) {
      if (viewer.wire.dialled && !std::exchange(viewer.opened, true)) {
        core::Peer peer;
        peer.connect_data = game_.connect_data(dialect_);
        viewer.seat = room_->seat(faces_of(game_).front({dialect_, {}}), peer, now_);
        viewer.up.emplace(game_, dialect_, wire::Way::kToServer);
        viewer.down.emplace(game_, dialect_, wire::Way::kToClient);
        viewer.room->back_opened({}, now_);
      }
      for (const Piece& piece : std::exchange(viewer.wire.sent, {}))
        if (piece.end == core::kBackId) viewer.up->receive(*room_, viewer.seat, piece.lane, piece.bytes, now_);
    }
    for (const Piece& piece : std::exchange(here_.sent, {}))
      for (Viewer& viewer : viewers_)
        if (viewer.seat == piece.end) viewer.down->receive(*viewer.room, core::kBackId, piece.lane, piece.bytes, now_);
  }

  const wire::Game& game_;
  const std::size_t dialect_;
  Wire here_;
  std::optional<core::Room> room_;
  std::deque<Viewer> viewers_;
  Micros now_ = kSecond;
};

TEST_CASE("viewers with their own clocks do not see each other, even at the same moment") {
  for (const wire::Game* game : games())
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      if (!faces_of(*game).has_front(dialect) || !faces_of(*game).has_back(dialect)) continue;
      CAPTURE(game->name());
      CAPTURE(dialect);
      Cinema cinema(*game, dialect);
      Cinema::Viewer& anna = cinema.enter("anna");
      cinema.pass(5 * kSecond);
      Cinema::Viewer& otto = cinema.enter("otto");
      cinema.pass(5 * kSecond);
      CHECK(cinema.closed_here() == "");
      for (const Cinema::Viewer* viewer : {&anna, &otto}) {
        CHECK(viewer->wire.closed == "");
        CHECK_MESSAGE(viewer->told.contains("Ready"), "the viewer has not joined");
      }
      CHECK_FALSE(anna.told.contains("otto"));
      CHECK_FALSE(otto.told.contains("anna"));
    }
}

constexpr std::size_t kFlags = 300;
constexpr Micros kRejoins = 20 * kSecond;

/// The source of a broadcast joins its server again: the same flags have other ids. A server of BZFlag with `kFlags`.
std::unique_ptr<testing::MemoryFacts> two_sessions() {
  std::vector<Fact> facts;
  for (const Id base : {1'000U, 5'000U}) {
    const Micros from = base == 1'000U ? 0 : kRejoins;
    words::Room room;
    room.set_game("bzflag");
    room.set_most_shots(3);
    words::Rule rule;
    rule.set_name("BZFLAG.maxFlags");
    rule.set_value(std::to_string(kFlags));
    words::World land;
    land.set_kind(words::World::SOLIDS);
    core::set_sides(land, 800, 800);
    words::Player player;
    player.set_id(base);
    player.set_name("pia");
    player.set_responding(true);
    for (const Fact& fact : {at(from, room), at(from, rule), at(from, land), at(from, player)}) facts.push_back(fact);
    for (Id i = 1; i <= kFlags; ++i) {
      words::Token token;
      token.set_id(base + i);
      token.set_code("G");
      token.set_state(words::Token::GROUND);
      token.set_x(static_cast<double>(i));
      facts.push_back(at(from, token));
    }
    facts.push_back(at(from, words::Ready()));
  }
  facts.push_back(at(3 * kRejoins, words::Notice()));
  auto made = std::make_unique<testing::MemoryFacts>(std::move(facts));
  made->begin_second(kRejoins, true);
  return made;
}

TEST_CASE(
    "viewers see all flags after the source of a broadcast has joined its server again, and so do those who come "
    "then") {
  for (const wire::Game* game : games()) {
    if (game->name() != std::string_view("bzflag") && game->name() != std::string_view("bzdraft")) continue;
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      if (!faces_of(*game).has_front(dialect) || !faces_of(*game).has_back(dialect)) continue;
      CAPTURE(game->name());
      CAPTURE(dialect);
      Cinema cinema(*game, dialect, two_sessions(), true);
      const auto lie = [](const Cinema::Viewer& viewer) {
        std::size_t all = 0;
        for (const auto& [id, token] : viewer.room->world().tokens())
          all += token.state() == words::Token::GROUND ? 1 : 0;
        return all;
      };
      Cinema::Viewer& anna = cinema.enter("anna");
      cinema.pass(10 * kSecond);
      CHECK(lie(anna) == kFlags);
      cinema.pass(20 * kSecond);
      CHECK(lie(anna) == kFlags);
      Cinema::Viewer& otto = cinema.enter("otto");
      cinema.pass(10 * kSecond);
      CHECK(lie(otto) == kFlags);
      CHECK(cinema.closed_here() == "");
    }
  }
}

}  // namespace
}  // namespace entente::viewers_test
