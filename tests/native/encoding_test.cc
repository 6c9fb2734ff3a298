// In a room, a fact is encoded once for all clients of one dialect.
#include <doctest/doctest.h>

#include <map>
#include <string>

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

}  // namespace
}  // namespace entente::native::encoding_test
