// Between an importer of TCP streams and whoever wants messages: takes the HTTP heads off, and WebSocket frames apart.
// Law: what is not a WebSocket is passed on as the bytes it was, so that nobody takes it for read.
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
  void lost(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) override;
  void gone(ConnectionId id) override;

 private:
  /// One direction of one connection.
  class Half final : net::WebSocket::User {
   public:
    Half(ConnectionId id, wire::Way way, ImportSink& to);

    void feed(Bytes bytes, WallTime time);
    /// Nothing after this can be cut.
    void stop() { stopped_ = true; }
    /// The server's half: it would not have it.
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
  using Talk = std::array<std::unique_ptr<Half>, 2>;

  Half& half(ConnectionId id, wire::Way way) { return *talks_[id][way == wire::Way::kToServer ? 0 : 1]; }

  std::unordered_map<ConnectionId, Talk> talks_;
};

}  // namespace entente
