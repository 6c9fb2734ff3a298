#include "proxy/program/import/enet.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace entente {
namespace {

using wire::Lane, wire::Way;

constexpr WallTime kStillUnderWay = 1'000'000'000;  // ns: packets to a side that has disconnected

/// Hands on what one datagram held.
class Unpacked final : public net::EnetHeard {
 public:
  Unpacked(const Imported& datagram, ImportSink& to) : datagram_(datagram), to_(to) {}

  /// A side disconnected.
  bool left() const { return left_; }
  bool heard() const { return heard_; }

  void connect(std::uint32_t data) override { to_.connected(datagram_.connection, data, datagram_.time); }
  void disconnect(Way way, std::uint32_t data) override {
    left_ = true;
    to_.half_closed(datagram_.connection, {way, static_cast<int>(data), "", datagram_.time});
  }
  void packet(Way way, std::uint8_t channel, net::EnetDelivery send, Bytes bytes) override {
    hand_on_wrong(way);
    heard_ = true;
    const wire::EnetCarriage how{channel, send};
    to_.bytes({datagram_.connection, way, how.lane(), datagram_.time, bytes, how});
  }
  void fault(Way way, const Fault&, Bytes wrong) override {
    if (wrong.empty() && !datagram_.bytes.empty()) return to_.stream_gap(datagram_.connection, way, 0, datagram_.time);
    wrong_.emplace_back(wrong.begin(), wrong.end());
  }
  /// The datagram is read. A wrong command may be what the range coder made of something that is not ENet at all: then
  /// the whole datagram is handed on, unless it had a packet, which would come twice.
  void over(bool had_packet) {
    if (had_packet || heard_ || wrong_.empty()) return hand_on_wrong(datagram_.way);
    to_.bytes({datagram_.connection, datagram_.way, Lane::kDatagram, datagram_.time, datagram_.bytes});
  }

 private:
  void hand_on_wrong(Way way) {
    for (const Buffer& wrong : wrong_) to_.bytes({datagram_.connection, way, Lane::kDatagram, datagram_.time, wrong});
    wrong_.clear();
  }

  const Imported& datagram_;
  ImportSink& to_;
  bool heard_ = false;         // packets of this datagram
  std::vector<Buffer> wrong_;  // its wrong commands, since the last packet
  bool left_ = false;
};

}  // namespace

void EnetImport::opened(ConnectionId id, const ImportedConnection& connection, WallTime time) {
  end_left(time);
  talks_[id] = std::make_unique<ImportedTalk>(unpacker_);
  to_.opened(id, connection, time);
}

void EnetImport::bytes(const Imported& piece) {
  end_left(piece.time);
  ImportedTalk* const talk = talks_[piece.connection].get();
  if (talk == nullptr) return void(++late_);
  if (piece.lane != Lane::kDatagram) return to_.bytes(piece);
  talk->last = piece.time;
  Unpacked unpacked(piece, to_);
  unpacked.over(talk->dissector.datagram(piece.way, piece.bytes, unpacked));
  if (talk->left == piece.way && unpacked.heard()) talk->left.reset();
  if (!unpacked.left() || talk->left) return;
  talk->left = piece.way;
  talk->left_at = piece.time;
  if (!std::exchange(talk->is_leaving, true)) leaving_.push_back(piece.connection);
}

void EnetImport::stream_gap(ConnectionId id, Way way, std::uint64_t bytes, WallTime time) {
  if (talks_[id] != nullptr) to_.stream_gap(id, way, bytes, time);
}

void EnetImport::half_closed(ConnectionId id, const ImportedClose& end) {
  if (talks_[id] != nullptr) to_.half_closed(id, end);
}

void EnetImport::connection_over(ConnectionId id) {
  if (const auto talk = std::move(talks_[id])) end(id, *talk);
  talks_.erase(id);
  if (late_ != 0)
    to_.remark(std::to_string(std::exchange(late_, 0)) +
               " datagrams came after the end of their connection and were ignored");
}

void EnetImport::end_left(WallTime now) {
  while (!leaving_.empty()) {
    const auto at = talks_.find(leaving_.front());
    ImportedTalk* const talk = at != talks_.end() ? at->second.get() : nullptr;
    if (talk != nullptr && talk->left && now - std::min(now, talk->left_at) < kStillUnderWay) return;
    leaving_.pop_front();
    if (talk == nullptr) continue;
    talk->is_leaving = false;
    if (!talk->left) continue;
    end(at->first, *talk);
    at->second.reset();
  }
}

void EnetImport::end(ConnectionId id, ImportedTalk& talk) {
  const Imported nothing{id, Way::kToServer, Lane::kDatagram, talk.last, {}};
  Unpacked unpacked(nothing, to_);
  talk.dissector.end(unpacked);
  to_.connection_over(id);
}

}  // namespace entente
