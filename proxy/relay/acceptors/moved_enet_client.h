// A client over ENet whose session does not live on its listener's worker: the peer, and its ENet host on the session's
// worker.
// Invariant: it outlives the session, until the peer is gone, or has had its time to leave.
#pragma once

#include <memory>
#include <utility>

#include "proxy/relay/ends/enet_peer_user.h"

namespace entente::relay {

class MovedEnetClient final : private net::EnetHost::User {
 public:
  MovedEnetClient(net::Loop& loop, const net::Address& client) : host_(loop, *this) {
    host_.set_party(loop.client_party(client));
  }

  /// A `host` of null, with errno: its socket cannot be watched.
  AcceptedEnetPeer take(std::unique_ptr<net::MovedEnetPeer> moved, std::uint32_t data) {
    net::EnetPeer* const peer = host_.take(std::move(moved));
    return {peer != nullptr ? &host_ : nullptr, peer, data};
  }
  bool gone() const { return host_.empty(); }
  /// Its session has ended, and it may still acknowledge that.
  bool leaves() const { return host_.awaits_leaving(); }

 private:
  static EnetPeerUser* user(const net::EnetPeer& peer) { return static_cast<EnetPeerUser*>(peer.owner); }

  void connected(net::EnetPeer&, std::uint32_t) override {}
  void received(net::EnetPeer& peer, std::uint8_t channel, net::EnetPacket packet) override {
    if (auto* const its = user(peer)) its->peer_said(channel, std::move(packet));
  }
  void disconnected(net::EnetPeer& peer, std::uint32_t data) override {
    if (auto* const its = user(peer)) its->peer_left(data, peer.timed_out());
  }
  void wrote(net::EnetPeer& peer) override {
    if (auto* const its = user(peer)) its->peer_wrote();
  }

  net::EnetHost host_;
};

}  // namespace entente::relay
