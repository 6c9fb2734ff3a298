// A room of Ogar with arbitrary messages from both sides. Input: messages as in ogar_fuzz.cc (a byte of way, two of
// size, the bytes); 10 ms pass for each 2 in the byte of way. The first message of the client names its dialect, as in
// real sessions. The server has the same dialect, unless its first message is a greeting: then the greeting names it,
// and is not passed on.
// Invariant: no message of a peer breaks the room, and what we send decodes in the peer's dialect.
#include <cstdlib>
#include <memory>
#include <optional>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/wire.h"
#include "proxy/core/room/room.h"
#include "tests/fuzz/target.h"
#include "tests/support/cut_link.h"

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

/// Removes the first message from `input` and returns it.
Said take(Bytes& input) {
  const std::uint8_t first = input[0];
  const std::size_t announced = input[1] | static_cast<std::size_t>(input[2]) << 8U;
  input = input.subspan(3);
  const Bytes bytes = input.first(std::min(announced, input.size()));
  input = input.subspan(bytes.size());
  return {(first & 1U) != 0, 10 * core::kMillisecond * (first >> 1U), bytes};
}

/// The dialect that the first message of that way names.
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
  testing::CutLink from_client(ogar::game(), client, wire::Way::kToServer);
  testing::CutLink from_server(ogar::game(), other.value_or(client), wire::Way::kToClient);
  while (input.size() >= 3) {
    const Said said = take(input);
    now += said.after;
    room.tick(now);
    if (said.to_client && std::exchange(unnamed, false)) continue;
    (said.to_client ? from_server : from_client)
        .receive(room, said.to_client ? core::kBackId : seat, Lane::kStream, said.bytes, now);
    if (std::exchange(wires.dialled, false)) room.back_opened({}, now);
  }
  room.end("the input is over", now);
  return 0;
}

ENTENTE_FUZZ_FORMAT(ogar_faces) {
  return {.head = 0, .size_bytes = 2, .voice = [](Bytes all, std::uint8_t mark) -> fuzz::Voice {
            const std::size_t client = named(all, false).value_or(0);
            const bool server = (mark & 1U) != 0;
            return {&ogar::game(), server ? named(all, true).value_or(client) : client,
                    server ? Way::kToClient : Way::kToServer, Lane::kStream};
          }};
}

}  // namespace entente::ogar_faces_fuzz
