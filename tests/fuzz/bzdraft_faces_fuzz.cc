// The draft's front and back between hostile peers: a client and a server that send arbitrary bytes, at any time.
// Invariant: whatever comes in, each packet that goes out is one whole message of the page. Until a client has received
// its own MsgAddPlayer, it receives only what the page allows; no message names a player who was not added.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzdraft/wire/messages.h"
#include "adapters/bzdraft/wire/wire.h"
#include "proxy/core/room/room.h"
#include "tests/fuzz/pieces.h"
#include "tests/fuzz/target.h"
#include "tests/support/cut_link.h"

namespace entente::bzdraft_faces_fuzz {
namespace {

using namespace entente::bzdraft;

void require(bool truth) {
  if (!truth) std::abort();
}

/// Checks each message as a program that follows the page would read it.
class Peers final : public core::Room::Host {
 public:
  void send(core::Id end, Lane lane, Bytes bytes) override {
    const wire::Way way = end == core::kBackId ? wire::Way::kToServer : wire::Way::kToClient;
    const auto cutter = game().cutter(way, 0);
    const wire::Cut cut = cutter->next(bytes);
    require(!cut.fault && cut.size == bytes.size());
    const auto heard = codec_->read({way, lane, wire::Stage::kPlay, bytes});
    require(heard.ok());
    if (way == wire::Way::kToClient) std::visit([&](const auto& message) { to_client(message); }, *heard->message);
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault& fault) override { require(fault.what[0] != '\0'); }
  void dial() override {}

 private:
  void to_client(const VersionDown&) {}
  void to_client(const GetWorldDown&) {}
  void to_client(const GetResourceDown& piece) { require(piece.data.size() <= 996); }
  void to_client(const SuperKill&) {}
  void to_client(const Reject&) {}
  void to_client(const Accept& accept) { number_ = accept.player; }
  void to_client(const FlagUpdate&) { require(number_ != 0); }
  void to_client(const TeamUpdate&) { require(number_ != 0); }
  void to_client(const AddPlayer& added) {
    require(number_ != 0 && added.player != 0 && added.player < 249);
    there_.insert(added.player);
  }
  void to_client(const RemovePlayer& removed) { require(in() && there_.erase(removed.player) == 1); }
  void to_client(const AliveDown& alive) { require(in() && there_.contains(alive.player)); }
  void to_client(const PlayerUpdate& update) { require(in() && there_.contains(update.player)); }
  void to_client(const Killed& killed) { require(in() && there_.contains(killed.victim)); }
  void to_client(const Score& score) { require(in() && there_.contains(score.player)); }
  void to_client(const ShotBegin& shot) { require(in() && (shot.shooter == 0 || there_.contains(shot.shooter))); }
  template <class T>
  void to_client(const T&) {
    require(in());
  }
  bool in() const { return there_.contains(number_); }

  std::unique_ptr<wire::MessageCodec<Message>> codec_ = make_message_codec();
  std::uint8_t number_ = 0;
  std::set<std::uint8_t> there_;
};

}  // namespace

// Pieces: a byte for the sender (bits 0 and 1: 0 the server, 1 the client, else time passes; bit 2: unreliable), two
// for the size, and the bytes.
ENTENTE_FUZZ_TARGET(bzdraft_faces) {
  Peers peers;
  core::Room room(peers, faces().back({0, {}}), {});
  const core::Id seat = room.seat(faces().front({0, {}}), {}, 0);
  core::Micros now = 0;
  room.back_opened({}, now);
  testing::CutLink from_client(game(), 0, wire::Way::kToServer), from_server(game(), 0, wire::Way::kToClient);
  for (fuzz::Pieces pieces(Bytes(data, size), 2); pieces.next();) {
    const std::uint8_t who = pieces.who & 3U;
    const Lane lane = (pieces.who & 4U) != 0 ? Lane::kDatagram : Lane::kStream;
    if (who >= 2)
      pieces.pass(room, now);
    else
      (who == 0 ? from_server : from_client).receive(room, who == 0 ? core::kBackId : seat, lane, pieces.take(), now);
  }
  room.end("the end", now);
  return 0;
}

ENTENTE_FUZZ_FORMAT(bzdraft_faces) {
  return {.head = 0, .size_bytes = 2, .big_endian = true, .voice = [](Bytes, std::uint8_t mark) -> fuzz::Voice {
            if ((mark & 3U) >= 2) return {};
            return {&game(), 0, (mark & 3U) == 0 ? wire::Way::kToClient : wire::Way::kToServer,
                    (mark & 4U) != 0 ? Lane::kDatagram : Lane::kStream};
          }};
}

}  // namespace entente::bzdraft_faces_fuzz
