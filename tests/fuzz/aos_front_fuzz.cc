// The front of Ace of Spades between a hostile client and a room that sends arbitrary facts: packets, words and time in
// any order.
// Invariant: whatever comes in, only whole packets of the dialect go out, and none at which a real client leaves or
// crashes: no map chunk before Map Start, no unknown player, no position that is not finite.
#include <bitset>
#include <cmath>
#include <cstdlib>

#include "adapters/aos/aos.h"
#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/dialect.h"
#include "adapters/aos/wire/wire.h"
#include "adapters/native/native.h"
#include "proxy/core/room/room.h"
#include "tests/fuzz/pieces.h"
#include "tests/fuzz/target.h"

namespace entente::aos_front_fuzz {
namespace {

void require(bool truth) {
  if (!truth) std::abort();
}

/// Checks each packet as a real client would read it.
class Client final : public core::Room::Host {
 public:
  explicit Client(std::size_t dialect) : codec_(aos::make_message_codec(dialect)) {}

  void send(core::Id end, Lane lane, Bytes bytes) override {
    require(end != core::kBackId && !bytes.empty());
    const auto heard = codec_->read({wire::Way::kToClient, lane, wire::Stage::kPlay, bytes});
    require(heard.ok());
    std::visit([&](const auto& message) { hear(message); }, *heard->message);
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault& fault) override { require(fault.what[0] != '\0'); }
  void dial() override {}

 private:
  void known(std::uint8_t player) { require(player < aos::kMostPlayers && known_[player]); }
  static void place(const aos::Vec3& at) {
    require(std::isfinite(at[0]) && std::isfinite(at[1]) && std::isfinite(at[2]));
  }

  template <class T>
  void hear(const T&) {}
  void hear(const aos::MapStart&) {
    loading_ = true;
    known_.reset();
  }
  void hear(const aos::MapChunk& chunk) { require(loading_ && !chunk.data.empty()); }
  void hear(const aos::StateData&) { require(std::exchange(loading_, false)); }
  void hear(const aos::ExistingPlayer& player) {
    require(player.player < aos::kMostPlayers && player.weapon < 3 && player.tool < 4);
    known_.set(player.player);
  }
  void hear(const aos::CreatePlayer& player) {
    require(!loading_ && player.player < aos::kMostPlayers && player.weapon < 3);
    place(player.position);
    known_.set(player.player);
  }
  void hear(const aos::PlayerLeft& left) {
    known(left.player);
    known_.reset(left.player);
  }
  void hear(const aos::WorldUpdate& update) {
    for (const auto& view : update.players) {
      place(view.position);
      place(view.orientation);
    }
  }
  void hear(const aos::StateUpdateDown& update) {
    require(update.players.size() <= 29);
    for (const auto& state : update.players) {
      known(state.player);
      if (state.still) continue;
      place(state.motion.position);
      place(state.motion.orientation);
      place(state.motion.velocity);
    }
  }
  void hear(const aos::PositionData& position) { place(position.position); }
  void hear(const aos::InputData& input) { known(input.player); }
  void hear(const aos::WeaponInput& input) { known(input.player); }
  void hear(const aos::SetTool& tool) { known(tool.player), require(tool.tool < 4); }
  void hear(const aos::Grenade& grenade) { known(grenade.player), place(grenade.position), place(grenade.velocity); }
  void hear(const aos::KillAction& kill) { known(kill.victim), known(kill.killer), require(kill.type < 7); }
  void hear(const aos::IntelPickup& intel) { known(intel.player); }
  void hear(const aos::IntelDrop& intel) { known(intel.player), place(intel.position); }
  void hear(const aos::IntelCapture& intel) { known(intel.player); }
  void hear(const aos::WeaponReload& reload) { known(reload.player); }
  void hear(const aos::MoveObject& move) { require(!loading_), place(move.position); }
  void hear(const aos::BlockAction& action) { require(aos::in_map(action.at) && action.action < 4); }
  void hear(const aos::BlockLine& line) { require(aos::in_map(line.from) && aos::in_map(line.to)); }

  std::unique_ptr<wire::MessageCodec<aos::Message>> codec_;
  bool loading_ = false;
  std::bitset<aos::kMostPlayers> known_;
};

/// Sends the facts that the input holds.
class Puppet final : public core::Back {
 public:
  void receive(const Frames& frames, Outlet& out) override {
    if (auto fact = core::read_fact(frames.bytes)) out.say(std::move(*fact));
  }
  void hear(const core::Intent&, Outlet&) override {}
};

}  // namespace

// The first byte is the dialect and the world. Then pieces (pieces.h); sender 0 is the client, 1 the room, and with 2
// time passes.
ENTENTE_FUZZ_TARGET(aos_front) {
  if (size == 0) return 0;
  const std::size_t dialect = data[0] % 3;
  Client client(dialect);
  auto puppet = std::make_unique<Puppet>();
  core::Room room(client, std::move(puppet), {});
  core::Micros now = 0;
  const core::Id seat =
      room.seat(aos::faces().front({dialect, {}}), {"", aos::kDialects[dialect].connect_data, ""}, now);
  room.back_opened({}, now);
  words::World world;
  world.set_hash("field");
  if ((data[0] & 4U) != 0) world.set_walled(true);
  Buffer said;
  core::write(core::Fact(world), said);
  room.received(core::kBackId, {Lane::kStream, said}, now);
  for (int i = 0; i < 2000 && (data[0] & 8U) == 0; ++i) room.tick(now += core::kMillisecond);  // sends the map
  for (fuzz::Pieces pieces(Bytes(data, size).subspan(1)); pieces.next();) {
    if (pieces.who % 3 == 2) {
      pieces.pass(room, now);
      continue;
    }
    const Bytes bytes = pieces.take();
    if (!bytes.empty()) room.received(pieces.who % 3 == 1 ? core::kBackId : seat, {Lane::kStream, bytes}, now);
  }
  room.end("the end", now);
  return 0;
}

ENTENTE_FUZZ_FORMAT(aos_front) {
  return {.voice = [](Bytes all, std::uint8_t mark) -> fuzz::Voice {
    if (mark % 3 == 2) return {};
    if (mark % 3 == 1) return {&native::game(), 0, wire::Way::kToClient, Lane::kStream, true};
    return {&aos::game(), all.empty() ? 0U : all[0] % 3U, wire::Way::kToServer};
  }};
}

}  // namespace entente::aos_front_fuzz
