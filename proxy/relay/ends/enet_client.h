// What a peer of an ENet acceptor's host is to us: a relayed session, a bridge's end, or somebody who still waits for
// one of them. Law: EnetPeer::owner of such a peer is its EnetClient, or null.
#pragma once

#include "proxy/net/enet/enet_host.h"

namespace entente::relay {

class EnetClient {
 public:
  virtual ~EnetClient() = default;
  virtual void client_said(std::uint8_t channel, net::EnetPacket packet) = 0;
  /// With that data, or (`silent`) without a word; the peer ends with this call.
  virtual void client_left(std::uint32_t data, bool silent) = 0;
  /// Some of what waited for it went out.
  virtual void client_eased() {}
};

/// A client who came by ENet.
struct EnetCaller {
  net::EnetHost* host = nullptr;
  net::EnetPeer* peer = nullptr;
  std::uint32_t data = 0;  ///< that it connected with
};

}  // namespace entente::relay
