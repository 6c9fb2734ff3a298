// A client over ENet that waits: for the server's dialect to be detected, or for its way to another worker. Its packets
// are kept for its session.
// Invariant: at most Limits::held_bytes are kept.
#pragma once

#include <optional>
#include <utility>

#include "proxy/relay/sessions/dispatcher.h"

namespace entente::relay {

class EnetWaiting final : public EnetPeerUser {
 public:
  EnetWaiting(AcceptedClient its, Millis its_begin, Millis its_end = 0)
      : newcomer(std::move(its)), since(its_begin), until(its_end) {
    newcomer.enet.peer->owner = static_cast<EnetPeerUser*>(this);
  }

  void peer_said(std::uint8_t channel, net::EnetPacket packet) override {
    bytes_ += packet.weight();
    if (!said_too_much()) newcomer.early.push_back({channel, std::move(packet)});
  }
  void peer_left(std::uint32_t, bool) override { newcomer.enet.peer = nullptr; }

  bool here() const { return newcomer.enet.peer != nullptr; }
  bool said_too_much() const { return bytes_ > newcomer.limits.held_bytes; }

  AcceptedClient newcomer;
  const Millis since;                 ///< when it came
  const Millis until;                 ///< when it gives up
  std::optional<std::size_t> worker;  ///< that it goes to, if that was chosen already

 private:
  std::size_t bytes_ = 0;
};

}  // namespace entente::relay
