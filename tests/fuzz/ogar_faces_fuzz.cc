// A mirror room of Ogar, with anything from either side: messages as in ogar_fuzz.cc (a byte of way, two of size, the
// bytes), and 10 ms pass for each 2 in the byte of way.
// Law: nothing that a peer says breaks the room, and what we say decodes as the dialect has it.
#include <cstdlib>
#include <memory>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire.h"
#include "proxy/core/room.h"

namespace {

using namespace entente;
using core::Id, wire::Way;

class Wires final : public core::Room::Host {
 public:
  void send(Id end, Lane lane, Bytes bytes) override {
    const bool up = end == core::kBackEnd;
    const wire::Stage stage = up && !greeted_ ? wire::Stage::kGreeting : wire::Stage::kPlay;
    if (up) greeted_ = true;
    if (up && bytes.size() > 512) std::abort();
    const wire::Frame frame{up ? Way::kToServer : Way::kToClient, lane, stage, bytes};
    if (!(up ? to_server_ : to_client_)->read(frame)) std::abort();
  }
  std::size_t waiting(Id) const override { return 0; }
  void close(Id, std::string_view, std::uint32_t) override {}
  void failed(Id, const Fault&) override {}
  void dial() override { dialled = true; }

  bool dialled = false;

 private:
  bool greeted_ = false;
  std::unique_ptr<ogar::Speech> to_server_ = ogar::make_speech(0), to_client_ = ogar::make_speech(0);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Wires wires;
  core::Room room(wires, ogar::faces().back({}), {});
  core::Micros now = 0;
  const Id seat = room.seat(ogar::faces().front({}), {}, now);
  for (Bytes input(data, size); input.size() >= 3;) {
    const bool to_client = (input[0] & 1U) != 0;
    now += 10 * core::kMillisecond * (input[0] >> 1U);
    const std::size_t announced = input[1] | static_cast<std::size_t>(input[2]) << 8U;
    input = input.subspan(3);
    const Bytes message = input.first(std::min(announced, input.size()));
    input = input.subspan(message.size());
    room.tick(now);
    room.received(to_client ? core::kBackEnd : seat, Lane::kStream, message, now);
    if (std::exchange(wires.dialled, false)) room.back_opened({}, now);
  }
  room.end("the input is over", now);
  return 0;
}
