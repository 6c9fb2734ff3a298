// A front of Panic on a test stage.
#pragma once

#include <map>
#include <string>

#include "adapters/panic/panic.h"
#include "tests/panic/lines.h"
#include "tests/support/stage.h"

namespace entente::panic {

using Settings = std::map<std::string, std::string, std::less<>>;

/// A room of another game, in which the player 1 has the tank 5, and 2 the tank 6.
struct FrontPlay {
  explicit FrontPlay(std::size_t dialect = 0, Settings settings = {{"name", "paul"}})
      : lines(dialect), stage(faces().front({dialect, std::move(settings)}), game(), dialect, wire::Way::kToClient) {}

  template <class Word>
  std::string hears(const std::string& text) {
    return unpadded(stage.hears(word_of<Word>(text)));
  }
  std::string acts(int action, int direction, std::uint32_t piece, std::uint16_t player = 1) {
    const Buffer bytes = lines.action(player, action, direction, piece);
    return unpadded(slowly ? stage.receives_slowly(bytes) : stage.receives(bytes));
  }
  std::string waits(core::Micros how_long) { return unpadded(stage.waits(how_long)); }

  std::string tells_room() {
    std::string said = hears<words::Room>("game: 'bzflag'");
    said += hears<words::World>("hash: 'a' kind: SOLIDS west: -400 east: 400 south: -400 north: 400");
    said += hears<words::Player>("id: 1 name: 'paul' team: ROGUE");
    said += hears<words::Player>("id: 2 team: GREEN");
    said += hears<words::Unit>("id: 5 owner: 1 team: ROGUE pose { x: 12.5 y: -12.5 yaw: 1.5707963 }");
    said += hears<words::Unit>("id: 6 owner: 2 team: GREEN alive: true pose { x: 112.5 y: -12.5 yaw: 0 }");
    said += hears<words::Owns>("player: 1 units: 5 active: 5");
    return said + hears<words::Owns>("player: 2 units: 6 active: 6");
  }
  static constexpr const char* kSpawned = "unit: 5 pose { x: 12.5 y: -12.5 yaw: 1.5707963 }";
  void start() {
    stage.opens({"10.0.0.7:4711", 0, ""});
    tells_room();
    hears<words::Ready>("");
    hears<words::Spawned>(kSpawned);
  }
  /// With the setting "reconnect", a client enters only after the time in which it could have asked for its old seat.
  void start_awaited() {
    stage.opens({"10.0.0.7:4711", 0, ""});
    waits(2 * core::kSecond);
    tells_room();
    hears<words::Ready>("");
    hears<words::Spawned>(kSpawned);
  }
  std::string poses(int unit, double x, double y, double yaw = 0, double vx = 0) {
    words::Pose pose;
    pose.set_unit(static_cast<std::uint32_t>(unit));
    pose.set_x(x);
    pose.set_y(y);
    pose.set_yaw(yaw);
    pose.set_vx(vx);
    return unpadded(stage.hears(pose));
  }

  Lines lines;
  testing::FrontStage stage;
  bool slowly = false;
};

}  // namespace entente::panic
