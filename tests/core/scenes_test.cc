// The scenes of a room: worlds that only some seats see. A scene exists as long as a seat sees it.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "proxy/core/room/room.h"
#include "tests/support/deaf_host.h"

namespace entente::core::scenes_test {
namespace {

class Viewer final : public Front {
 public:
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact&, FrontOut&) override {}
};

/// Does what the test asks for in an order.
class Director final : public Back {
 public:
  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent&, BackOut&) override {}
  void tick(BackOut& out) override {
    if (next) std::exchange(next, nullptr)(out);
  }

  std::function<void(BackOut&)> next;
};

struct Play {
  Play() : room(host, std::make_unique<Director>(), options()) { room.back_opened({}, 0); }
  static RoomOptions options() {
    RoomOptions options;
    options.shared = true;
    return options;
  }
  Id seat() { return room.seat(std::make_unique<Viewer>(), {}, 0); }
  void direct(std::function<void(BackOut&)> what) {
    room.order([&](Back& back) { static_cast<Director&>(back).next = std::move(what); }, 0);
  }
  void show(Id seat, Id scene) {
    direct([=](BackOut& out) { out.switch_scene(seat, scene, {}); });
  }
  bool exists(Id scene) {
    bool found = false;
    direct([&](BackOut& out) { found = out.world_of(scene) != nullptr; });
    return found;
  }

  testing::DeafHost host;
  Room room;
};

TEST_CASE("a scene is freed when its last seat switches to another or leaves") {
  Play play;
  const Id anna = play.seat(), ben = play.seat();
  play.show(anna, 1);
  play.show(ben, 1);
  CHECK(play.exists(1));
  SUBCASE("to a new scene") {
    play.show(anna, 2);
    CHECK(play.exists(1));
    play.show(ben, 3);
    CHECK_FALSE(play.exists(1));
  }
  SUBCASE("to one that others see") {
    play.show(anna, 2);
    play.show(ben, 2);
    CHECK_FALSE(play.exists(1));
    CHECK(play.exists(2));
  }
  SUBCASE("a seat that switches to where it is stays there") {
    play.show(anna, 1);
    play.room.gone(ben, "left", 0);
    CHECK(play.exists(1));
  }
  SUBCASE("both leave") {
    play.room.gone(anna, "left", 0);
    CHECK(play.exists(1));
    play.room.gone(ben, "left", 0);
    CHECK_FALSE(play.exists(1));
  }
}

TEST_CASE("each seat sees its scene's world, and a new scene begins as the world that its first seat saw") {
  Play play;
  const Id anna = play.seat(), ben = play.seat();
  const auto rule = [&](Id scene, const char* value) {
    play.direct([=](BackOut& out) {
      words::Rule word;
      word.set_name("speed");
      word.set_value(value);
      Fact fact(word);
      fact.scene = scene;
      out.say(fact);
    });
  };
  rule(0, "1");
  play.show(anna, 1);
  CHECK(play.room.world_seen_by(anna).rule("speed", 0) == 1);
  rule(1, "2");
  CHECK(play.room.world_seen_by(anna).rule("speed", 0) == 2);
  CHECK(play.room.world_seen_by(ben).rule("speed", 0) == 1);
  CHECK(play.room.world().rule("speed", 0) == 1);
}

}  // namespace
}  // namespace entente::core::scenes_test
