// Between an importer of datagrams and a receiver of packets: takes ENet apart, conversation by conversation.
// Invariant: a datagram that is not ENet is passed on unchanged, so that it is not counted as read.
#pragma once

#include <memory>
#include <unordered_map>

#include "proxy/net/enet/enet_dissector.h"
#include "proxy/program/import/filter.h"

namespace entente {

class EnetImport final : public ImportFilter {
 public:
  using ImportFilter::ImportFilter;

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override;
  void bytes(const Imported& piece) override;
  void connection_over(ConnectionId id) override;

 private:
  struct ImportedTalk {
    explicit ImportedTalk(net::EnetUnpacker& unpacker) : dissector(unpacker) {}
    net::EnetDissector dissector;
    WallTime last = 0;
  };

  net::EnetUnpacker unpacker_;
  std::unordered_map<ConnectionId, std::unique_ptr<ImportedTalk>> talks_;
};

}  // namespace entente
