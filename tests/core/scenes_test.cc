// The scenes of a room: worlds that only some seats see. A scene exists as long as a seat sees it.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "proxy/core/replay/every_scene.h"
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

TEST_CASE("of what happens in a scene, the host is told only which of its seats come and go; of the room's own, all") {
  class Listener final : public testing::DeafHost {
   public:
    void told(const Fact& fact) override { all += std::string(name_of(fact)) + " "; }
    std::string all;
  };
  Listener host;
  Room room(host, std::make_unique<Director>(), Play::options());
  room.back_opened({}, 0);
  const Id anna = room.seat(std::make_unique<Viewer>(), {}, 0);
  const auto direct = [&](std::function<void(BackOut&)> what) {
    room.order([&](Back& back) { static_cast<Director&>(back).next = std::move(what); }, 0);
  };
  const auto said = [&](Id scene) {
    host.all.clear();
    direct([=](BackOut& out) {
      for (const Id id : {anna, Id{99}}) {
        words::Player player;
        player.set_id(id);
        Fact comes(player);
        comes.scene = scene;
        out.say(std::move(comes));
        words::PlayerGone gone;
        gone.set_id(id);
        Fact goes(gone);
        goes.scene = scene;
        out.say(std::move(goes));
      }
      Fact notice{words::Notice()};
      notice.scene = scene;
      out.say(std::move(notice));
    });
    return host.all;
  };
  direct([=](BackOut& out) { out.switch_scene(anna, 1, {}); });
  CHECK(said(1) == "Player PlayerGone ");
  CHECK(said(0) == "Player PlayerGone Player PlayerGone Notice ");
  CHECK(said(2) == "");  // nobody sees it
  CHECK(said(kEveryScene) == "Player PlayerGone Player PlayerGone Notice ");
}

TEST_CASE("a seat that is moved to the scene that it sees already is told nothing, and stays in it") {
  class Counter final : public Front {
   public:
    void receive(const Frames&, FrontOut&) override {}
    void hear(const Fact&, FrontOut&) override { ++heard; }
    int heard = 0;
  };
  Play play;
  auto front = std::make_unique<Counter>();
  const Counter& counter = *front;
  const Id anna = play.room.seat(std::move(front), {}, 0);
  play.show(anna, 1);
  const int before = counter.heard;
  play.show(anna, 1);
  CHECK(counter.heard == before);
  CHECK(play.exists(1));
  play.show(play.seat(), 1);
  play.room.gone(anna, "left", 0);
  CHECK(play.exists(1));  // the other one still sees it
}

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
