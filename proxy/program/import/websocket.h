// Between an importer of TCP streams and a receiver of messages: removes HTTP heads and takes WebSocket frames
// apart.
// Invariant: bytes that are not a WebSocket are passed on unchanged, so that they are not counted as read.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "proxy/net/web/http.h"
#include "proxy/net/web/websocket.h"
#include "proxy/program/import/filter.h"

namespace entente {

class WebSocketImport final : public ImportFilter {
 public:
  using ImportFilter::ImportFilter;

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override;
  void bytes(const Imported& piece) override;
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) override;
  void connection_over(ConnectionId id) override;

 private:
  /// One direction of one connection.
  class Half final : net::WebSocket::User {
   public:
    Half(ConnectionId id, wire::Way way, ImportSink& to);

    void feed(Bytes bytes, WallTime time);
    /// Framing is lost: nothing after this can be cut.
    void stop() { stopped_ = true; }
    /// The server's half: it refused the upgrade.
    bool refused() const { return refused_; }

   private:
    void message(net::Opcode opcode, Bytes payload) override;
    void close_frame(const net::CloseFrame& close_frame) override;
    void give(Bytes bytes);
    /// Returns how many of `bytes` belong to the head.
    std::size_t take_head(Bytes bytes);

    const ConnectionId id_;
    const wire::Way way_;
    ImportSink& to_;
    net::HttpReader head_;
    net::WebSocket frames_;
    WallTime time_ = 0;
    bool stopped_ = false, refused_ = false;
  };
  using ImportedTalk = std::array<std::unique_ptr<Half>, 2>;

  Half& half(ConnectionId id, wire::Way way) { return *talks_[id][way == wire::Way::kToServer ? 0 : 1]; }

  std::unordered_map<ConnectionId, ImportedTalk> talks_;
};

}  // namespace entente
