// Between an importer of datagrams and whoever wants packets: takes ENet apart, conversation by conversation.
// Law: what is not ENet is passed on as the datagram it was, so that nobody takes it for read.
#pragma once

#include <memory>
#include <unordered_map>

#include "proxy/net/enet_dissector.h"
#include "proxy/program/import.h"

namespace entente {

class EnetImport final : public ImportSink {
 public:
  explicit EnetImport(ImportSink& to) : to_(to) {}

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override;
  void bytes(const Imported& piece) override;
  void lost(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) override;
  void ended(ConnectionId id, const ImportedEnd& end) override { to_.ended(id, end); }
  void gone(ConnectionId id) override;
  void remark(std::string_view text) override { to_.remark(text); }
  bool enough() const override { return to_.enough(); }

 private:
  struct Talk {
    explicit Talk(net::EnetUnpacker& unpacker) : dissector(unpacker) {}
    net::EnetDissector dissector;
    WallTime last = 0;
  };

  ImportSink& to_;
  net::EnetUnpacker unpacker_;
  std::unordered_map<ConnectionId, std::unique_ptr<Talk>> talks_;
};

}  // namespace entente
