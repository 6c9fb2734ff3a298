#include "proxy/program/import/enet.h"

namespace entente {
namespace {

using wire::Lane, wire::Way;

/// Hands on what one datagram held.
class Unpacked final : public net::EnetHeard {
 public:
  Unpacked(const Imported& datagram, ImportSink& to) : datagram_(datagram), to_(to) {}

  void connect(std::uint32_t data) override { to_.connected(datagram_.connection, data, datagram_.time); }
  void disconnect(Way way, std::uint32_t data) override {
    to_.half_closed(datagram_.connection, {way, static_cast<int>(data), "", datagram_.time});
  }
  void packet(Way way, std::uint8_t channel, net::EnetDelivery send, Bytes bytes) override {
    heard_ = true;
    const wire::EnetCarriage how{channel, send};
    to_.bytes({datagram_.connection, way, how.lane(), datagram_.time, bytes, how});
  }
  /// `bytes` may be what the range coder made of something that is not ENet at all.
  void fault(Way way, const Fault&, Bytes bytes) override {
    const Bytes whole = heard_ || datagram_.bytes.empty() ? bytes : datagram_.bytes;
    to_.bytes({datagram_.connection, way, Lane::kDatagram, datagram_.time, whole});
  }

 private:
  const Imported& datagram_;
  ImportSink& to_;
  bool heard_ = false;  // packets of this datagram
};

}  // namespace

void EnetImport::opened(ConnectionId id, const ImportedConnection& connection, WallTime time) {
  talks_[id] = std::make_unique<ImportedTalk>(unpacker_);
  to_.opened(id, connection, time);
}

void EnetImport::bytes(const Imported& piece) {
  if (piece.lane != Lane::kDatagram) return to_.bytes(piece);
  ImportedTalk& talk = *talks_[piece.connection];
  talk.last = piece.time;
  Unpacked unpacked(piece, to_);
  talk.dissector.datagram(piece.way, piece.bytes, unpacked);
}

void EnetImport::connection_over(ConnectionId id) {
  ImportedTalk& talk = *talks_[id];
  const Imported nothing{id, Way::kToServer, Lane::kDatagram, talk.last, {}};
  Unpacked unpacked(nothing, to_);
  talk.dissector.end(unpacked);
  talks_.erase(id);
  to_.connection_over(id);
}

}  // namespace entente
