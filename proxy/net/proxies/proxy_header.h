// Headers of the PROXY protocol, versions 1 and 2: a load balancer puts one before the bytes of a connection, to tell
// whose connection it is. Source: proxy-protocol.txt of the HAProxy project, sections 2.1 and 2.2.
// Invariant: a header is accepted only if it matches the document to the byte; at most kLargestProxyHeader bytes are
// looked at.
#pragma once

#include <optional>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/net/address.h"

namespace entente::net {

enum class ProxyVersion : std::uint8_t { kV1 = 1, kV2 = 2 };

struct ProxyHeader {
  std::size_t size = 0;  ///< bytes
  /// IPv4 also if it is written as ::ffff:a.b.c.d. Nothing: the load balancer does not name it, or connects for itself,
  /// as in a health check.
  std::optional<Address> client;
  /// Version 2 says LOCAL or version 1 says UNKNOWN, as load balancers do in health checks. UNKNOWN may also stand for
  /// a client whose address the load balancer cannot write.
  bool health_check = false;
};

/// Version 1 has at most 107 bytes. Version 2 may have 65,551, but its extensions have far less in practice.
inline constexpr std::size_t kLargestProxyHeader = 4096;

/// The header at the beginning of `bytes`; nothing if it is incomplete.
Result<std::optional<ProxyHeader>> read_proxy_header(Bytes bytes);

/// Appends the header of a connection from `client` to `server`. If only one of them is IPv6, the other is written as
/// ::ffff:a.b.c.d. No `client`: we connect for ourselves.
void append_proxy_header(Buffer& to, ProxyVersion version, const std::optional<Address>& client, const Address& server);

}  // namespace entente::net
