// A room of Ogar, with anything from either side: messages as in ogar_fuzz.cc (a byte of way, two of size, the bytes),
// and 10 ms pass for each 2 in the byte of way. The first message of the client names its dialect, as in life; the
// server's is the same, unless its first message is a greeting, too: that names another, and is not passed on. Law:
// nothing that a peer says breaks the room, and what we say decodes as the dialect has it.
#include <cstdlib>
#include <memory>
#include <optional>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire.h"
#include "proxy/core/room.h"
#include "tests/fuzz/target.h"

namespace entente::ogar_faces_fuzz {
namespace {

using core::Id, wire::Way;

class Wires final : public core::Room::Host {
 public:
  Wires(std::size_t client, std::size_t server)
      : to_server_(ogar::make_message_codec(server)), to_client_(ogar::make_message_codec(client)) {}

  void send(Id end, Lane lane, Bytes bytes) override {
    const bool up = end == core::kBackId;
    const wire::Stage stage = up && !greeted_ ? wire::Stage::kGreeting : wire::Stage::kPlay;
    if (up) greeted_ = true;
    if (up && bytes.size() > 512) std::abort();
    const wire::Frame frame{up ? Way::kToServer : Way::kToClient, lane, stage, bytes};
    if (!(up ? to_server_ : to_client_)->read(frame)) std::abort();
  }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view, std::uint32_t) override {}
  void failed(Id, const Fault&) override {}
  void dial() override { dialled = true; }

  bool dialled = false;

 private:
  bool greeted_ = false;
  std::unique_ptr<ogar::MessageCodec> to_server_, to_client_;
};

struct Said {
  bool to_client;
  core::Micros after;
  Bytes bytes;
};

/// The first of `input`, which is taken from it.
Said take(Bytes& input) {
  const std::uint8_t first = input[0];
  const std::size_t announced = input[1] | static_cast<std::size_t>(input[2]) << 8U;
  input = input.subspan(3);
  const Bytes bytes = input.first(std::min(announced, input.size()));
  input = input.subspan(bytes.size());
  return {(first & 1U) != 0, 10 * core::kMillisecond * (first >> 1U), bytes};
}

/// What the first message of that way names.
std::optional<std::size_t> named(Bytes input, bool to_client) {
  while (input.size() >= 3)
    if (const Said said = take(input); said.to_client == to_client) return ogar::game().named_by_client(said.bytes);
  return std::nullopt;
}

}  // namespace

ENTENTE_FUZZ_TARGET(ogar_faces) {
  Bytes input(data, size);
  const std::size_t client = named(input, false).value_or(0);
  const auto other = named(input, true);
  bool unnamed = other.has_value();
  Wires wires(client, other.value_or(client));
  core::Room room(wires, ogar::faces().back({other.value_or(client), {}}), {});
  core::Micros now = 0;
  const Id seat = room.seat(ogar::faces().front({client, {}}), {}, now);
  while (input.size() >= 3) {
    const Said said = take(input);
    now += said.after;
    room.tick(now);
    if (said.to_client && std::exchange(unnamed, false)) continue;
    room.received(said.to_client ? core::kBackId : seat, Lane::kStream, said.bytes, now);
    if (std::exchange(wires.dialled, false)) room.back_opened({}, now);
  }
  room.end("the input is over", now);
  return 0;
}

}  // namespace entente::ogar_faces_fuzz
