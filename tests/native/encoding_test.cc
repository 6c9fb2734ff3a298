// In a room, a fact is encoded once for all clients of one dialect.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "adapters/native/codec.h"
#include "adapters/native/native.h"
#include "proxy/core/room/room.h"

namespace entente::native::encoding_test {
namespace {

class Ears final : public core::Room::Host {
 public:
  void send(core::Id end, Lane, Bytes bytes) override { heard[end] += as_text(bytes); }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault&) override {}
  void dial() override {}

  std::map<core::Id, std::string> heard;
};

/// Says what it receives.
class Speaker final : public core::Back {
  void receive(const Frames& frames, core::BackOut& out) override {
    words::Said said;
    said.set_text(std::string(as_text(frames.bytes)));
    out.say(said);
  }
  void hear(const core::Intent&, core::BackOut&) override {}
};

TEST_CASE("native: a fact is encoded once for the clients of each dialect") {
  Ears ears;
  core::RoomOptions options;
  options.shared = true;
  core::Room room(ears, std::make_unique<Speaker>(), options);
  room.back_opened({}, 0);
  for (const std::size_t dialect : std::initializer_list<std::size_t>{0, 1, 0, 1, 1})
    room.seat(faces().front({dialect, {}}), {}, 0);
  ears.heard.clear();
  const std::uint64_t before = room.encoded_shared();
  room.received(core::kBackId, {Lane::kStream, as_bytes("hello")}, 0);
  CHECK(room.encoded_shared() - before == 2);
  CHECK(ears.heard.size() == 5);
  for (const auto& [seat, text] : ears.heard) CHECK(text.find("hello") != std::string::npos);
}

/// A whole frame of a TCP connection with protobuf.
Buffer frame_of(const Envelope& envelope, const words::Fact& fact) {
  Buffer frame;
  envelope.wrap(frame, [&](Buffer& to) { spell(envelope.dialect, fact, to); });
  return frame;
}

TEST_CASE(
    "native: a server's fact above 64 KiB is decoded only if its kind needs it and it has no more messages than a "
    "world") {
  for (const Dialect dialect : {Dialect::kProtobuf, Dialect::kJson}) {
    const Envelope envelope{dialect, true};
    const auto codec = make_codec(envelope);
    const auto decode = [&](const words::Fact& fact) {
      const Buffer frame = frame_of(envelope, fact);
      const auto row = codec->decode({wire::Way::kToClient, Lane::kStream, wire::Stage::kPlay, Bytes(frame)});
      Buffer again;
      if (row) codec->encode(again);
      if (row) CHECK(again == frame);
      return row.ok();
    };
    words::Fact said;
    said.mutable_said()->set_text(std::string(1000, 'x'));
    CHECK(decode(said));
    said.mutable_said()->set_text(std::string(70'000, 'x'));
    CHECK_FALSE(decode(said));
    words::Fact world;
    world.mutable_world()->set_voxels(std::string(70'000, 'x'));
    CHECK(decode(world));
    said.mutable_said()->set_text("small");
    CHECK(decode(said));
    for (int i = 0; i < 200'001; ++i) world.mutable_world()->add_solids();
    CHECK_FALSE(decode(world));
    CHECK(decode(said));
    // Below 64 KiB there is no such limit, because there is no room for many.
    words::Fact small;
    for (int i = 0; i < 1000; ++i) small.mutable_world()->add_solids();
    CHECK(decode(small));
  }
}

}  // namespace
}  // namespace entente::native::encoding_test
