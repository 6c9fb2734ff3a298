// A player whose wish is dropped is told so, once for each reason; what its program sends by itself is only counted.
#include "proxy/core/wishes.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "proxy/core/drops.h"
#include "proxy/core/room/room.h"

namespace entente::core::wishes_test {
namespace {

constexpr MappingLine kNoMouse = dropped_intent("Toward", "this game has no mouse");
constexpr MappingLine kNoFire = dropped_intent("*", "nothing can be done here");

/// Keeps what the clients are sent.
class Stage final : public Room::Host {
 public:
  void send(Id end, Lane, Bytes bytes) override {
    said += std::to_string(end) + ": " + std::string(as_text(bytes)) + "\n";
  }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view, std::uint32_t) override {}
  void failed(Id, const Fault&) override {}
  void dial() override {}
  std::string take() { return std::exchange(said, {}); }

  std::string said;
};

/// "enter", "fire", "aim" and "edit" are intents; it sends its client the text of each Notice.
class WishFront final : public Front {
 public:
  void receive(const Frames& frames, FrontOut& out) override {
    const std::string_view line = as_text(frames.bytes);
    if (line == "enter") out.say(words::Enter());
    if (line == "fire") out.say(words::Fire());
    if (line == "aim") out.say(words::Toward());
    if (line == "edit") out.say(words::Edit());
    if (line == "own") out.drop(drops::kFireNotInPlay);
  }
  void hear(const Fact& fact, FrontOut& out) override {
    if (const auto* notice = as<words::Notice>(fact)) out.send(Lane::kStream, as_bytes(notice->text()));
  }
};

/// Drops all but Enter.
class DroppingBack final : public Back {
 public:
  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent& intent, BackOut& out) override {
    if (as<words::Enter>(intent) != nullptr) {
      words::Player player;
      player.set_id(intent.by);
      return out.say(player);
    }
    if (as<words::Fire>(intent) != nullptr) return out.drop(drops::kReloading);
    if (as<words::Toward>(intent) != nullptr) return out.drop(kNoMouse);
    if (as<words::Edit>(intent) != nullptr) return out.drop(kNoFire, intent);
  }
};

struct Scene {
  explicit Scene(bool tells, bool shared = false) {
    RoomOptions options;
    options.tells_drops = tells;
    options.shared = shared;
    room.emplace(stage, std::make_unique<DroppingBack>(), options);
    room->back_opened({}, 0);
    one = room->seat(std::make_unique<WishFront>(), {}, 0);
  }
  std::string says(Id seat, std::string_view line) {
    room->received(seat, {Lane::kStream, as_bytes(line), {}}, 0);
    return stage.take();
  }
  Stage stage;
  std::optional<Room> room;
  Id one = 0;
};

TEST_CASE("a player is told once for each line which of its wishes is dropped") {
  for (const bool shared : {false, true}) {
    Scene scene(true, shared);
    CHECK(scene.says(scene.one, "fire").empty());  // it has not entered, so nobody could read it
    scene.says(scene.one, "enter");
    const std::string who = std::to_string(scene.one) + ": ";
    CHECK(scene.says(scene.one, "fire") == who + "not passed on: Fire: every gun is reloading\n");
    CHECK(scene.says(scene.one, "fire").empty());
    CHECK(scene.says(scene.one, "edit") == who + "not passed on: Edit: nothing can be done here\n");
    CHECK(scene.says(scene.one, "aim").empty());  // nobody waits for it
    CHECK(scene.says(scene.one, "own") == who + "not passed on: Fire: the player is not in play\n");
    std::uint64_t drops = 0;
    for (const auto& entry : scene.room->ledger().entries()) drops += entry.times;
    CHECK(drops == 6);
  }
}

TEST_CASE("in a shared room only the player whose wish it was is told") {
  Scene scene(true, true);
  const Id other = scene.room->seat(std::make_unique<WishFront>(), {}, 0);
  scene.says(scene.one, "enter");
  scene.says(other, "enter");
  CHECK(scene.says(other, "fire") == std::to_string(other) + ": not passed on: Fire: every gun is reloading\n");
  CHECK(scene.says(scene.one, "fire") == std::to_string(scene.one) + ": not passed on: Fire: every gun is reloading\n");
}

TEST_CASE("a room of an older recording tells nothing") {
  Scene scene(false);
  scene.says(scene.one, "enter");
  CHECK(scene.says(scene.one, "fire").empty());
}

TEST_CASE("a line is about a wish if it is about an intent that a person waits for, whole or in part") {
  CHECK(is_wish(dropped_intent("Fire", "x"), nullptr));
  CHECK(is_wish(dropped_intent("Fire.life", "x"), nullptr));
  CHECK_FALSE(is_wish(dropped_intent("Fir", "x"), nullptr));
  CHECK_FALSE(is_wish(dropped_intent("PoseClaim", "x"), nullptr));
  CHECK_FALSE(is_wish(dropped_intent("", "x"), "Fire"));
  CHECK_FALSE(is_wish(dropped_fact("Fire", "x"), nullptr));             // on its way to a client
  CHECK_FALSE(is_wish(dropped_and_told("Fire", "x"), nullptr));         // whoever drops it tells the player
  CHECK_FALSE(is_wish(dropped_up("MsgShotBegin", "dt", "x"), "Fire"));  // about a message
  CHECK(is_wish({"", kUp | kDown, "", "Fire", Fidelity::kDropped, "x"}, nullptr));
}

TEST_CASE("a line about any word is about the word that was dropped") {
  const MappingLine any = dropped_intent("*", "x");
  CHECK(is_wish(any, "Fire"));
  CHECK_FALSE(is_wish(any, "Ping"));
  CHECK_FALSE(is_wish(any, "Notice"));
  CHECK_FALSE(is_wish(any, nullptr));
  CHECK(is_wish(dropped_intent("Say", "x"), "Ping"));  // a line about one word is about that
}

TEST_CASE("a player waits for what becomes of what it asks for, and not for what its program reports by itself") {
  for (const char* word : {"Enter", "Change", "Spawn", "Fire", "Trigger", "Reload", "Split", "Eject", "Button",
                           "Freeze", "TokenWish", "Pause", "Autopilot", "Edit", "Say", "Playback"}) {
    CAPTURE(word);
    CHECK(is_wish(dropped_intent("*", "x"), word));
  }
  for (const char* word :
       {"Leave", "Select", "Watch", "Resume", "Step", "Toward", "Keys", "PoseClaim", "Tool", "HitClaim", "DeathClaim",
        "ShotMoveClaim", "ShotEndClaim", "TeleportClaim", "ScoreClaim", "Ping", "Query", "WantWorld"}) {
    CAPTURE(word);
    CHECK_FALSE(is_wish(dropped_intent("*", "x"), word));
  }
}

TEST_CASE("a player is told the word and the reason") {
  CHECK(words_for_drop(dropped_intent("Fire", "it is late"), nullptr) == "not passed on: Fire: it is late");
  CHECK(words_for_drop(dropped_intent("*", "it is late"), "Edit") == "not passed on: Edit: it is late");
}

}  // namespace
}  // namespace entente::core::wishes_test
