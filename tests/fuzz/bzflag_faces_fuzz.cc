// BZFlag's front and back between hostile peers: a client and a server of any dialects that send arbitrary bytes, at
// any time.
// Invariant: whatever comes in, only whole messages of the peer's dialect go out. A client receives no player before it
// is accepted, and no number above the limits in its settings; a server receives no shot before its player has entered.
#include <cstdlib>
#include <set>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/translate/dialect_translator.h"
#include "adapters/bzflag/wire/wire.h"
#include "proxy/core/room/room.h"
#include "tests/fuzz/target.h"
#include "tests/support/cut_link.h"

namespace entente::bzflag_faces_fuzz {
namespace {

void require(bool truth) {
  if (!truth) std::abort();
}

/// Decodes what one peer receives.
struct Ear {
  Ear(std::size_t which, wire::Way hears)
      : dialect(which),
        codec(bzflag::make_message_codec(which)),
        stream(bzflag::make_cutter(hears, which)),
        translator(which, wire::opposite(hears)) {}

  std::size_t dialect;
  std::unique_ptr<wire::MessageCodec<bzflag::Message>> codec;
  std::unique_ptr<wire::Cutter> stream, datagrams = bzflag::make_datagram_cutter();
  bzflag::DialectTranslator translator;
};

/// Checks each message as the released programs would read it.
class Peers final : public core::Room::Host {
 public:
  Peers(std::size_t client, std::size_t server)
      : client_(client, wire::Way::kToClient), server_(server, wire::Way::kToServer) {}

  void send(core::Id end, Lane lane, Bytes bytes) override {
    const wire::Way way = end == core::kBackId ? wire::Way::kToServer : wire::Way::kToClient;
    const auto greeting = std::string_view("BZF");
    Ear& ear = way == wire::Way::kToServer ? server_ : client_;
    wire::Cutter& cutter = lane == Lane::kDatagram ? *ear.datagrams : *ear.stream;
    require(lane == Lane::kStream || !as_text(bytes).starts_with(greeting));
    while (!bytes.empty()) {
      const wire::Cut cut = cutter.next(bytes);
      const std::size_t size = cut.size != 0 ? cut.size : bytes.size();
      require(!cut.fault);
      const auto heard = ear.codec->read({way, lane, cut.stage, bytes.first(size)});
      require(heard.ok());
      bzflag::Message message = *heard->message;
      require(ear.translator.hear(message));
      std::visit([&](const auto& m) { way == wire::Way::kToServer ? to_server(m) : to_client(m); }, message);
      bytes = bytes.subspan(size);
    }
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault& fault) override { require(fault.what[0] != '\0'); }
  void dial() override {}

 private:
  template <class T>
  void to_server(const T&) {}
  void to_server(const bzflag::ShotEnd&) { require(entered_); }
  void to_server(const bzflag::ShotBegin& shot) {
    require(entered_ && shot.age == 0);
    require(shot.life == shot.life);
  }
  void to_server(const bzflag::Enter& enter) {
    require(!std::exchange(entered_, true));
    require(!enter.callsign.view().empty());
  }

  template <class T>
  void to_client(const T&) {}
  void to_client(const bzflag::GameSettings& settings) {
    most_shots_ = settings.max_shots;
    most_flags_ = settings.max_flags;
  }
  void to_client(const bzflag::Accept&) { require(!std::exchange(accepted_, true)); }
  void to_client(const bzflag::AddPlayer& add) {
    require(add.id.byte < 200);
    if (listed_ > 0) {  // it is a part of an answer: before the client has entered, the numbers mean nothing else
      --listed_;
      require(!accepted_ || players_.contains(add.id.byte));
    } else {
      require(accepted_ && players_.insert(add.id.byte).second);
    }
  }
  void to_client(const bzflag::PlayersAnswer& answer) { listed_ = answer.players; }
  void to_client(const bzflag::RemovePlayer& remove) { require(players_.erase(remove.id.byte) == 1); }
  void to_client(const bzflag::Alive& alive) { require(players_.contains(alive.player.byte)); }
  void to_client(const bzflag::PlayerUpdateSmall& update) { require(players_.contains(update.player.byte)); }
  void to_client(const bzflag::PlayerUpdate& update) { require(players_.contains(update.player.byte)); }
  void to_client(const bzflag::ShotBegin& shot) {
    require(shot.player.byte == 253 || players_.contains(shot.player.byte));
    const bool own = shot.player.byte == 0 || client_.dialect == 3;  // this dialect has shot ids of its own
    require(own || (shot.shot & 0xffU) < most_shots_);
  }
  void to_client(const bzflag::FlagUpdate& update) {
    require(accepted_);
    for (const auto& flag : update.flags) require(flag.number < most_flags_);
  }

  Ear client_, server_;
  bool entered_ = false, accepted_ = false;
  unsigned listed_ = 0;  // players that still belong to the answer to a query
  std::uint32_t most_shots_ = 255, most_flags_ = 65535;
  std::set<std::uint8_t> players_;
};

}  // namespace

// The dialects of client and server, two bits each; then pieces: a byte for the sender (0 the server, 1 the client, 2
// and 3 the same by datagram, 4 time passes), two bytes for the size (of time: milliseconds), and the bytes.
ENTENTE_FUZZ_TARGET(bzflag_faces) {
  if (size == 0) return 0;
  const std::size_t client = data[0] & 3U, server = data[0] >> 2U & 3U;
  Peers peers(client, server);
  core::Room room(peers, bzflag::faces().back({server, {}}), {});
  const core::Id seat = room.seat(bzflag::faces().front({client, {}}), {}, 0);
  room.back_opened({}, 0);
  core::Micros now = 0;
  testing::CutLink from_client(bzflag::game(), client, wire::Way::kToServer);
  testing::CutLink from_server(bzflag::game(), server, wire::Way::kToClient);
  Bytes left(data + 1, size - 1);
  while (left.size() >= 3) {
    const unsigned who = left[0] % 5U;
    const std::size_t count = static_cast<std::size_t>(left[1]) << 8U | left[2];
    left = left.subspan(3);
    if (who == 4) {
      const core::Micros until = now + count * core::kMillisecond;
      for (int i = 0; i < 2'000 && room.next_wake() <= until; ++i) {
        now = std::max(now, room.next_wake());
        room.tick(now);
      }
      now = until;
      continue;
    }
    const Bytes piece = left.first(std::min(count, left.size()));
    left = left.subspan(piece.size());
    testing::CutLink& link = who % 2 == 0 ? from_server : from_client;
    link.receive(room, who % 2 == 0 ? core::kBackId : seat, who < 2 ? Lane::kStream : Lane::kDatagram, piece, now);
  }
  room.end("the input is over", now);
  return 0;
}

ENTENTE_FUZZ_FORMAT(bzflag_faces) {
  return {.size_bytes = 2, .big_endian = true, .voice = [](Bytes all, std::uint8_t mark) -> fuzz::Voice {
            const unsigned who = mark % 5U, dialects = all.empty() ? 0U : all[0];
            if (who == 4) return {};
            const bool server = who % 2 == 0;
            return {&bzflag::game(), server ? dialects >> 2U & 3U : dialects & 3U,
                    server ? wire::Way::kToClient : wire::Way::kToServer, who < 2 ? Lane::kStream : Lane::kDatagram};
          }};
}

}  // namespace entente::bzflag_faces_fuzz
