// Between an importer of datagrams and a receiver of packets: takes ENet apart, conversation by conversation.
// Invariant: a datagram that is not ENet is passed on unchanged, so that it is not counted as read.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "proxy/net/enet/enet_dissector.h"
#include "proxy/program/import/filter.h"

namespace entente {

/// A connection is over 1 s after one side has disconnected, if that side sends no more packets: otherwise what was
/// seen is the end of an earlier connection on the same ports. Until then, packets of the other side are on their way.
/// What comes later is counted in a remark.
class EnetImport final : public ImportFilter {
 public:
  using ImportFilter::ImportFilter;

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override;
  void bytes(const Imported& piece) override;
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) override;
  void half_closed(ConnectionId id, const ImportedClose& end) override;
  void connection_over(ConnectionId id) override;

 private:
  struct ImportedTalk {
    explicit ImportedTalk(net::EnetUnpacker& unpacker) : dissector(unpacker) {}
    net::EnetDissector dissector;
    WallTime last = 0;
    std::optional<wire::Way> left;  // the side that disconnected
    WallTime left_at = 0;
    bool is_leaving = false;  // it is in leaving_
  };

  void end_left(WallTime now);
  void end(ConnectionId id, ImportedTalk& talk);

  net::EnetUnpacker unpacker_;
  std::unordered_map<ConnectionId, std::unique_ptr<ImportedTalk>> talks_;  // null: it is over
  std::deque<ConnectionId> leaving_;
  std::uint64_t late_ = 0;  // datagrams of those that are over
};

}  // namespace entente
