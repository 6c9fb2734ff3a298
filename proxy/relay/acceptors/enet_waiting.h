// A client of a bridge over ENet that waits until the server's dialect is detected. Its packets are kept for its
// session.
// Law: at most Limits::held_bytes are kept.
#pragma once

#include <utility>
#include <vector>

#include "proxy/relay/acceptors/dispatcher.h"

namespace entente::relay {

class EnetWaiting final : public EnetPeerUser {
 public:
  explicit EnetWaiting(AcceptedClient its, Millis its_end = 0) : newcomer(std::move(its)), until(its_end) {
    newcomer.enet.peer->owner = static_cast<EnetPeerUser*>(this);
  }

  void client_said(std::uint8_t channel, net::EnetPacket packet) override {
    bytes_ += packet.bytes().size();
    if (!said_too_much()) said_.push_back({channel, std::move(packet)});
  }
  void client_left(std::uint32_t, bool) override { newcomer.enet.peer = nullptr; }

  bool here() const { return newcomer.enet.peer != nullptr; }
  bool said_too_much() const { return bytes_ > newcomer.limits.held_bytes; }

  /// Passes all kept packets to the current owner of the peer; stops if there is none.
  void repeat_to(const net::EnetPeer& peer) {
    for (Said& one : said_)
      if (auto* guest = static_cast<EnetPeerUser*>(peer.owner)) guest->client_said(one.channel, std::move(one.packet));
  }

  AcceptedClient newcomer;
  const Millis until;  ///< when it gives up

 private:
  struct Said {
    std::uint8_t channel;
    net::EnetPacket packet;
  };
  std::vector<Said> said_;
  std::size_t bytes_ = 0;
};

}  // namespace entente::relay
