// What fronts and backs keep and compute for a peer that says anything: each kind of message is said again and again,
// with other contents, until the face keeps no more. Invariant: that is at most its row in proxy/program/bounds.cc, and
// so are the steps for each message. Every face of every game is fed.
#include "proxy/program/bounds.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <deque>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "adapters/panic/front/walls.h"
#include "adapters/registry.h"
#include "adapters/wire/invent.h"
#include "proxy/core/arena/referee.h"
#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/room/room.h"
#include "tests/support/cut_link.h"
#include "tests/support/heap.h"
#include "tests/support/paths.h"
#include "tests/support/steps.h"
#include "tests/support/thorough.h"

namespace entente::bounds_test {
namespace {

using core::Fact, core::Id, core::kMillisecond, core::kSecond, core::Micros;
using wire::Way;

struct Piece {
  Id end;
  Lane lane;
  Buffer bytes;
};

class Wire final : public core::Room::Host {
 public:
  void send(Id end, Lane lane, Bytes bytes) override {
    if (keeps) sent.push_back({end, lane, Buffer(bytes.begin(), bytes.end())});
  }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view, std::uint32_t) override { closed = true; }
  void failed(Id, const Fault&) override {}
  void dial() override { dialled = true; }

  bool keeps = true;
  std::deque<Piece> sent;
  bool closed = false, dialled = false;
};

/// Enters, and nothing else.
class Player final : public core::Front {
 public:
  void opened(const core::Peer&, core::FrontOut& out) override {
    words::Enter enter;
    enter.set_name("anna");
    out.say(enter);
  }
  void receive(const Frames&, core::FrontOut&) override {}
  void hear(const Fact&, core::FrontOut&) override {}
};

/// A player's bridge: a back that speaks with a front of the same game, whose room is an arena.
class Pair {
 public:
  Pair(const wire::Game& game, std::size_t dialect) : game_(game), dialect_(dialect) {
    core::RoomOptions many;
    many.shared = true;
    core::Arena arena;
    arena.geometry = core::courtyard(100);
    here_.emplace(front_wire_, std::make_unique<core::Referee>(arena), many);
    here_->back_opened({}, now_);
    there_.emplace(back_wire_, faces_of(game).back({dialect, {}}), core::RoomOptions());
    there_->seat(std::make_unique<Player>(), {}, now_);
    from_server_.emplace(game, dialect, Way::kToClient);
    from_client_.emplace(game, dialect, Way::kToServer);
    pass(3 * kSecond);
    front_wire_.keeps = back_wire_.keeps = false;
  }

  /// Whether the session of the face goes on.
  bool goes_on(Way way) const { return opened_ && !(way == Way::kToServer ? front_wire_ : back_wire_).closed; }

  /// The front (kToServer) or the back receives what its peer says.
  void receive(Way way, Lane lane, Bytes bytes) {
    if (way == Way::kToServer)
      from_client_->receive(*here_, seat_, lane, bytes, now_);
    else
      from_server_->receive(*there_, core::kBackId, lane, bytes, now_);
  }
  /// Time passes for the room of the face.
  void tick(Way way, Micros time) {
    core::Room& room = way == Way::kToServer ? *here_ : *there_;
    now_ += time;
    for (int i = 0; i < 100 && room.next_wake() <= now_; ++i) room.tick(now_);
  }

 private:
  void pass(Micros time) {
    for (const Micros until = now_ + time; now_ < until; now_ += 10 * kMillisecond) {
      if (here_->next_wake() <= now_) here_->tick(now_);
      if (there_->next_wake() <= now_) there_->tick(now_);
      deliver();
    }
  }
  void deliver() {
    if (back_wire_.dialled && !std::exchange(opened_, true)) {
      core::Peer peer;
      peer.connect_data = game_.connect_data(dialect_);
      seat_ = here_->seat(faces_of(game_).front({dialect_, {}}), peer, now_);
      there_->back_opened({}, now_);
    }
    for (const Piece& piece : std::exchange(back_wire_.sent, {}))
      if (piece.end == core::kBackId) receive(Way::kToServer, piece.lane, piece.bytes);
    for (const Piece& piece : std::exchange(front_wire_.sent, {}))
      if (piece.end == seat_) receive(Way::kToClient, piece.lane, piece.bytes);
  }

  const wire::Game& game_;
  const std::size_t dialect_;
  Wire front_wire_, back_wire_;
  std::optional<core::Room> here_, there_;
  std::optional<testing::CutLink> from_client_, from_server_;
  Id seat_ = 0;
  bool opened_ = false;
  Micros now_ = kSecond;
};

/// Feeds one face.
class Feeder {
 public:
  Feeder(const wire::Game& game, std::size_t dialect, Way way, const Bound& bound)
      : game_(game), dialect_(dialect), way_(way), bound_(bound), codec_(game.codec(dialect)) {}

  /// Says each kind of message. Returns how many messages the face took.
  std::size_t run() {
    std::size_t taken = 0;
    for (const wire::Row& row : codec_->rows())
      if ((row.dialects >> dialect_ & 1U) != 0 && (row.ways & static_cast<std::uint8_t>(way_)) != 0 &&
          row.stage == wire::Stage::kPlay)
        taken += feed(row);
    return taken;
  }

  /// The most steps for a message, and the most bytes for a kind of message.
  std::string worst() const {
    return std::to_string(worst_) + " steps (" + worst_kind_ + "), " + std::to_string(most_kept_) + " bytes";
  }

 private:
  static constexpr std::size_t kRound = 100;         // messages
  static constexpr std::size_t kGrows = 2 * 1024;    // bytes that a face that still grows gains in a round
  static constexpr std::size_t kMostRounds = 2'000;  // 200,000 messages

  /// Says it until the face gains nothing, or ends the session.
  std::size_t feed(const wire::Row& row) {
    CAPTURE(row.name);
    const std::size_t before = testing::bytes_in_use();
    if (!pair_ || !pair_->goes_on(way_)) pair_.emplace(game_, dialect_);
    std::size_t taken = 0, kept = 0, still = 0;
    for (std::size_t round = 0; round < kMostRounds && still < 3 && pair_->goes_on(way_); ++round) {
      taken += say(row);
      const std::size_t now = testing::bytes_in_use();
      still = now > kept + kGrows ? 0 : still + 1;
      kept = now;
    }
    const std::size_t face = kept > before ? kept - before : 0;
    most_kept_ = std::max(most_kept_, face);
    CHECK_MESSAGE(face <= bound_.bytes, "keeps " << face << " bytes");
    return taken;
  }

  std::size_t say(const wire::Row& row) {
    const Lane lane = (row.lanes & static_cast<std::uint8_t>(Lane::kStream)) != 0 ? Lane::kStream : Lane::kDatagram;
    std::size_t taken = 0;
    for (; taken < kRound && pair_->goes_on(way_); ++taken) {
      invent(row, way_, *codec_, random_, 128);
      message_.clear();
      codec_->encode(message_);
      const std::uint64_t began = testing::steps();
      pair_->receive(way_, lane, message_);
      const std::uint64_t steps = testing::steps() - began;
      if (steps > bound_.most_steps(message_.size()))
        FAIL_CHECK("takes ", steps, " steps for ", message_.size(), " bytes");
      if (steps > worst_) {
        worst_ = steps;
        worst_kind_ = row.name;
      }
    }
    pair_->tick(way_, 100 * kMillisecond);
    return taken;
  }

  const wire::Game& game_;
  const std::size_t dialect_;
  const Way way_;
  const Bound& bound_;
  std::unique_ptr<wire::Codec> codec_;
  wire::Random random_{20261127};
  std::optional<Pair> pair_;
  Buffer message_;
  std::uint64_t worst_ = 0;
  std::string worst_kind_;
  std::size_t most_kept_ = 0;
};

TEST_CASE("every front and back keeps and works at most its bound, whatever its peer says") {
  for (const wire::Game* game : games())
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      if (!faces_of(*game).has_front(dialect) || !faces_of(*game).has_back(dialect)) continue;
      for (const Way way : {Way::kToServer, Way::kToClient}) {
        const std::string face = std::string(game->name()) + (way == Way::kToServer ? " front" : " back");
        CAPTURE(face);
        CAPTURE(dialect);
        const Bound* bound = find_bound(face);
        REQUIRE_MESSAGE(bound != nullptr, "has no row in proxy/program/bounds.cc");
        Feeder feeder(*game, dialect, way, *bound);
        CHECK(feeder.run() >= 400);
        if (testing::thorough()) MESSAGE(face << ", dialect " << dialect << ": " << feeder.worst());
      }
    }
}

TEST_CASE("a front or back whose peer has said nothing keeps little, because peers can open many links") {
  constexpr std::size_t kMostAtFirst = 64 * 1024;
  for (const wire::Game* game : games())
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      CAPTURE(game->name());
      CAPTURE(dialect);
      const core::Faces& faces = faces_of(*game);
      const std::size_t before = testing::bytes_in_use();
      const auto front = faces.has_front(dialect) ? faces.front({dialect, {}}) : nullptr;
      const std::size_t between = testing::bytes_in_use();
      const auto back = faces.has_back(dialect) ? faces.back({dialect, {}}) : nullptr;
      CHECK(between - before <= kMostAtFirst);
      CHECK(testing::bytes_in_use() - between <= kMostAtFirst);
    }
}

TEST_CASE("a world of any size becomes walls of Panic within its bound") {
  const Bound* const bound = find_bound("panic walls");
  REQUIRE(bound != nullptr);
  constexpr int kSide = 32;  // tiles
  for (const double half : {400.0, 1e5, 1e9}) {
    words::World world;
    world.set_west(-half);
    world.set_east(half);
    world.set_south(-half);
    world.set_north(half);
    for (int i = 0; i < 97; ++i) {  // as many as count; each stands on its tip, and is near all tiles
      words::Solid& solid = *world.add_solids();
      solid.set_shape(words::Solid::PYRAMID);
      solid.set_upside_down(true);
      solid.set_x(half / kSide / 2);
      solid.set_half_x(half);
      solid.set_half_y(half);
      solid.set_height(1e30);
    }
    const std::uint64_t began = testing::steps();
    panic::Walls walls;
    walls.lay(world, panic::Tiles(kSide, kSide, 2 * half / kSide, 0, 0));
    CHECK(testing::steps() - began <= bound->most_steps(world.ByteSizeLong()));
    CHECK_FALSE(walls.stands({3, 3}));
  }
}

TEST_CASE("shots are tested within their bound, as many as there are, and in a world that is dense everywhere") {
  const Bound* const bound = find_bound("incoming shots");
  REQUIRE(bound != nullptr);
  words::World world;
  world.set_west(-50), world.set_east(50), world.set_south(-50), world.set_north(50);
  const core::Terrain walls(world);
  for (std::size_t i = 0; i < core::Terrain::kMostBlocks; ++i) {  // above, and more the nearer
    words::Solid& box = *world.add_solids();
    const double far = 10 * std::pow(1.0003, i), way = static_cast<double>(i % 256) / 40;
    box.set_x(far * std::cos(way)), box.set_y(far * std::sin(way)), box.set_z(50);
    box.set_half_x(1), box.set_half_y(1), box.set_height(1);
  }
  world.set_west(-1e6), world.set_east(1e6), world.set_south(-1e6), world.set_north(1e6);
  const core::Terrain dense(world);
  const core::TankModel model;
  const core::TankState tank;
  for (const words::ShotKind kind : {words::BALL, words::GUIDED, words::RAY}) {
    CAPTURE(kind);
    const std::size_t before = testing::bytes_in_use();
    core::IncomingShots shots;
    core::Incoming shot;
    shot.shooter = 7;
    shot.back_tests = true;
    shot.target = 3;
    shot.nature.kind = kind;
    shot.nature.bounces = true;
    shot.nature.range = 1e6;
    shot.nature.turn_rate = 0.1;
    do {
      const double way = 0.01 * ++shot.shot, speed = kind == words::RAY ? 1 : 100;
      shot.at = {5, -5, 5};  // over the tank, and below the tops of the walls
      shot.velocity = {speed * std::cos(way), speed * std::sin(way), 0};
    } while (shots.watch(shot, 60, 0));
    const auto where = [](Id) { return std::optional(std::array<double, 3>{900, 900, 5}); };
    std::uint64_t most = 0;
    for (Micros now = 0; now < 5 * kSecond; now += 40 * kMillisecond) {
      const std::uint64_t began = testing::steps();
      shots.hit({model, kind == words::RAY ? walls : dense, tank, tank, now, now + 40 * kMillisecond});
      shots.guide(3, now + 40 * kMillisecond, 0.04, where, [](const core::Incoming&) {});
      most = std::max(most, testing::steps() - began);
    }
    CHECK(most <= bound->most_steps(0));
    CHECK(testing::bytes_in_use() - before <= bound->most_bytes(0));
  }
}

TEST_CASE("the manual has the table of bounds") {
  std::ifstream in(testing::source_dir() + "/proxy/manual/bounds.md");
  std::ostringstream page;
  page << in.rdbuf();
  CHECK_MESSAGE(page.str().find(bounds_table()) != std::string::npos, "proxy/manual/bounds.md lacks this:\n"
                                                                          << bounds_table());
}

TEST_CASE("each part has one row of bounds, which names the reader") {
  std::set<std::string_view> parts;
  for (const Bound& one : bounds()) {
    CHECK(parts.insert(one.part).second);
    CHECK(!one.reads.empty());
    CHECK(one.bytes > 0);
    CHECK(one.steps > 0);
  }
}

}  // namespace
}  // namespace entente::bounds_test
