// A body moves as on a real server: piqueserver 1.4.1 was recorded while a scripted player walked, sprinted, jumped,
// crouched, climbed and built. The same keys at the same times must lead to the positions in its World Updates.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "adapters/aos/wire/wire.h"
#include "adapters/aos/world/body.h"
#include "adapters/aos/world/building.h"
#include "adapters/aos/world/map_stream.h"
#include "tests/support/recorded.h"

namespace entente::aos::body_captured_test {
namespace {

using testing::Recorded, testing::recorded;

constexpr core::Micros kStep = core::kSecond / 60;

struct Replay {
  void play(const Recorded& record) {
    for (; alive && stepped + kStep <= record.at; stepped += kStep) step(map, urge, body);
    const auto heard = codec->read({record.way, Lane::kStream, wire::Stage::kPlay, record.bytes});
    REQUIRE(heard.ok());
    std::visit([&](const auto& message) { on(message, record); }, *heard->message);
  }

  template <class T>
  void on(const T&, const Recorded&) {}
  void on(const MapChunk& chunk, const Recorded&) {
    REQUIRE_FALSE(receiver.feed(chunk.data));
    if (receiver.complete()) map = receiver.take().solid;
  }
  void on(const StateData& state, const Recorded&) { me = state.player; }
  void on(const CreatePlayer& created, const Recorded& record) {
    if (created.player != me) return;
    body = {};
    body.position = created.position;
    body.airborne = true;
    urge = {};
    alive = true;
    stepped = record.at;
  }
  void on(const KillAction& kill, const Recorded&) { alive = alive && kill.victim != me; }
  void on(const BlockAction& action, const Recorded& record) {
    std::size_t may_look = kMostFalling;
    if (record.way == wire::Way::kToClient) change(map, edit_of(action.action), action.at, action.at, 0, may_look);
  }
  void on(const BlockLine& line, const Recorded& record) {
    std::size_t may_look = 0;
    if (record.way == wire::Way::kToClient) change(map, words::Edit::LINE, line.from, line.to, 0, may_look);
  }
  void on(const InputData& input, const Recorded& record) {
    if (record.way == wire::Way::kToServer) urge.keys = input.keys;
  }
  void on(const OrientationData& look, const Recorded&) { urge.orientation = look.orientation; }
  void on(const PositionData& place, const Recorded&) { body.position = place.position; }
  void on(const WorldUpdate& update, const Recorded&) {
    if (!alive || me >= update.players.size()) return;
    const Vec3& seen = update.players[me].position;
    if (seen == Vec3{}) return;
    errors.push_back(std::hypot(seen[0] - body.position[0], seen[1] - body.position[1], seen[2] - body.position[2]));
  }

  std::unique_ptr<wire::MessageCodec<Message>> codec = make_message_codec(0);
  MapReceiver receiver;
  VoxelMap map;
  std::uint8_t me = 255;
  bool alive = false;
  Body body;
  Urge urge;
  core::Micros stepped = 0;
  std::vector<float> errors;
};

TEST_CASE("aos body: over a minute it is within about two time steps of piqueserver's positions") {
  Replay replay;
  for (const Recorded& record : recorded("aos/piqueserver-walks.jsonl")) replay.play(record);
  std::vector<float>& errors = replay.errors;
  REQUIRE(errors.size() > 500);
  std::sort(errors.begin(), errors.end());
  CHECK(errors[errors.size() / 2] < 0.01F);
  CHECK(errors[errors.size() * 95 / 100] < 0.3F);  // a step of a sprint is 0.17 blocks
  CHECK(errors.back() < 1.2F);
}

}  // namespace
}  // namespace entente::aos::body_captured_test
