// Proxies in front of us, such as load balancers, and how they name the client of a connection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "proxy/net/network.h"

namespace entente::net {

/// How a proxy names the client of a connection.
enum class ClientNaming : std::uint8_t {
  kProxyHeader,  ///< by a PROXY header before everything else (proxy_header.h)
  kForwarded,    ///< by X-Forwarded-For or Forwarded in an HTTP request (web/forwarded.h)
};

struct TrustedProxies {
  std::vector<Network> networks = {};
  ClientNaming naming = ClientNaming::kProxyHeader;

  bool empty() const { return networks.empty(); }
  bool hold(const Address& address) const {
    return std::any_of(networks.begin(), networks.end(), [&](const Network& one) { return one.holds(address); });
  }
  bool operator==(const TrustedProxies&) const = default;
};

}  // namespace entente::net
