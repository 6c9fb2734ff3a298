// The receiver of an accepted ENet peer's packets: a relay session, an EnetEnd, or an EnetWaiting.
// Invariant: EnetPeer::owner of such a peer points to its EnetPeerUser, or is null.
#pragma once

#include "proxy/net/enet/enet_host.h"

namespace entente::relay {

class EnetPeerUser {
 public:
  virtual ~EnetPeerUser() = default;
  virtual void peer_said(std::uint8_t channel, net::EnetPacket packet) = 0;
  /// The peer disconnected with this data, or timed out (`silent`). It ends with this call.
  virtual void peer_left(std::uint32_t data, bool silent) = 0;
  /// Some of the bytes that waited for it were sent.
  virtual void peer_wrote() {}
};

/// An accepted client over ENet.
struct AcceptedEnetPeer {
  net::EnetHost* host = nullptr;
  net::EnetPeer* peer = nullptr;
  std::uint32_t data = 0;  ///< that it connected with
};

/// A packet that a client sent before its session existed.
struct EarlyEnetPacket {
  std::uint8_t channel;
  net::EnetPacket packet;
};

}  // namespace entente::relay
